"""A witness written down passes under the old revision and fails under the new one."""

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.witnesses import write_witness_scenario
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.scenario_files import read_cases
from support.revision_pairs import check_text, match_names
from unit.diff.differential_testing.test_witnesses import FEW, RULES

CHANGES = [
    ("striker.wounds >= 1", "striker.wounds >= 2"),
    ("natural >= 4 or", "natural >= 3 or"),
    ("  add up to 1 to knight", "  add up to 2 to knight"),
    ("ask target.owner to choose", "ask striker.owner to choose"),
    ("when not target.shield", "when target.shield"),
    ('    ask striker.owner whether mighty "A mighty blow?"\n', "    let mighty = no\n"),
    ("take up to 1 from target", "take 1 from target"),
    ("shield: flag = no", "shield: flag = yes"),
]


@pytest.mark.parametrize(("before", "after"), CHANGES)
def test_it_tells_the_revisions_apart(before: str, after: str) -> None:
    texts = {"old.rules": RULES, "new.rules": RULES.replace(before, after)}
    old, new = (check_text(each) for each in texts.values())
    found = compare_plays(old, new, match_names(old, new), effort=FEW, seed=1)
    assert found.witnesses
    for witness in found.witnesses:
        text = write_witness_scenario(witness, "old.rules", (), "one.scenario.yaml", MemoryFiles(texts))
        assert text is not None
        assert outcome(text, texts) == "passed"
        assert outcome(text.replace("ruleset: old.rules", "ruleset: new.rules"), texts) in {"failed", "wrong"}


def outcome(text: str, texts: dict[str, str]) -> str:
    """What comes of the one scenario of a file."""
    rules = RulesetLoader(MemoryFiles({**texts, "one.scenario.yaml": text}))
    cases = read_cases(["one.scenario.yaml"], rules)
    assert cases.value is not None, cases.diagnostics
    (case,) = cases.value
    return play_case(case, rules).outcome


def test_dice_with_more_faces_cannot_be_told_by_a_scenario() -> None:
    old, new = check_text(RULES), check_text(RULES.replace("roll d6 as blow", "roll d8 as blow"))
    (witness,) = (
        each
        for each in compare_plays(old, new, match_names(old, new), effort=FEW, seed=1).witnesses
        if each.sort == "dice"
    )
    assert (
        write_witness_scenario(witness, "old.rules", (), "one.scenario.yaml", MemoryFiles({"old.rules": RULES})) is None
    )
