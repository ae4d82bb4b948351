"""Many declarations with new names are found again without looking at every pair of them."""

import pytest

from rulewright.comparing import renaming
from rulewright.files import Memory
from rulewright.outline import outline
from rulewright.outline.items import Name, Outline
from rulewright.workspace import load, locate

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
    provider = Memory({"big.rules": text})
    loaded = load(locate("big.rules", provider), (), provider)
    assert loaded.program is not None
    return outline(loaded.program, loaded.texts)


def test_each_is_found_and_few_pairs_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed = []
    weigh = renaming.shared
    monkeypatch.setattr(renaming, "shared", lambda *pair: weighed.append(pair) or weigh(*pair))
    found = renaming.renames(revision("turn"), revision("round", edited=7))
    assert {found[Name("procedure", f"turn_{number}")].name for number in range(MANY)} == {
        f"round_{number}" for number in range(MANY)
    }
    assert found[Name("procedure", "turn_7")] == Name("procedure", "round_7")
    assert len(weighed) < 5 * MANY
