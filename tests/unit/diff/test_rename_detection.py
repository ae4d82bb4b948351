"""Many declarations with new names are found again without looking at every pair of them."""

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.diff import rename_detection
from rulewright.diff.clause_matching import rename_in_sentence
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.outline.items import DeclaredName, Outline
from rulewright.program.outline.outline_builder import build_outline

MANY = 120


def revision(called: str, *, edited: int = -1) -> Outline:
    """Procedures that nothing mentions."""
    procedures = "\n".join(
        f'procedure {called}_{number}(who: Gambler) "Turn {number}":\n'
        f'  step 1 "Add {number + (number == edited)}":\n    set who.score to {number}\n    set who.turns to 1\n'
        for number in range(MANY)
    )
    head = 'ruleset big "Big" revision "1"\n\nkind Gambler, gamblers:\n  score: 0..999 = 0\n  turns: 0..999 = 0'
    text = f"{head}\n\n{procedures}"
    provider = MemoryFiles({"big.rules": text})
    loaded = load_ruleset(locate_ruleset("big.rules", provider), (), provider)
    assert loaded.program is not None
    return build_outline(loaded.program, loaded.texts)


def test_each_is_found_and_few_pairs_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed = []
    weigh = rename_detection.sorensen_dice
    monkeypatch.setattr(rename_detection, "sorensen_dice", lambda *pair: weighed.append(pair) or weigh(*pair))
    found = rename_detection.detect_renames(revision("turn"), revision("round", edited=7))
    assert {found[DeclaredName("procedure", f"turn_{number}")].name for number in range(MANY)} == {
        f"round_{number}" for number in range(MANY)
    }
    assert found[DeclaredName("procedure", "turn_7")] == DeclaredName("procedure", "round_7")
    assert len(weighed) < 5 * MANY


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("a Knocked Down unit stays", "a dazed unit leaves", "a dazed unit stays"),
        ("attack above defense", "defense above attack", "defense above attack"),
        ("the found map", "the found map that is largest", "the found map"),
    ],
)
def test_a_sentence_of_the_old_revision_has_the_new_names(was: str, now: str, expected: str) -> None:
    names = {"knocked_down": "dazed", "attack": "defense", "defense": "attack", "map": "heaven"}
    assert rename_in_sentence(was, names.items(), now) == expected
