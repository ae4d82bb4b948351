"""A witness written down passes under the old revision and fails under the new one."""

import pytest

from rulewright.comparing.playing import compare_plays
from rulewright.comparing.playing.witnesses import scenario_of
from rulewright.files import Memory
from rulewright.scenarios.loading import cases_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import play
from support.pairs import correspondence, program
from unit.comparing.playing.test_witnesses import FEW, RULES

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
    old, new = (program(each) for each in texts.values())
    found = compare_plays(old, new, correspondence(old, new), effort=FEW, seed=1)
    assert found.witnesses
    for witness in found.witnesses:
        text = scenario_of(witness, "old.rules", (), "one.scenario.yaml", Memory(texts))
        assert text is not None
        assert outcome(text, texts) == "passed"
        assert outcome(text.replace("ruleset: old.rules", "ruleset: new.rules"), texts) in {"failed", "wrong"}


def outcome(text: str, texts: dict[str, str]) -> str:
    """What comes of the one scenario of a file."""
    rules = Rules(Memory({**texts, "one.scenario.yaml": text}))
    cases = cases_of(["one.scenario.yaml"], rules)
    assert cases.value is not None, cases.diagnostics
    (case,) = cases.value
    return play(case, rules).outcome


def test_dice_with_more_faces_cannot_be_told_by_a_scenario() -> None:
    old, new = program(RULES), program(RULES.replace("roll d6 as blow", "roll d8 as blow"))
    (witness,) = (
        each
        for each in compare_plays(old, new, correspondence(old, new), effort=FEW, seed=1).witnesses
        if each.sort == "dice"
    )
    assert scenario_of(witness, "old.rules", (), "one.scenario.yaml", Memory({"old.rules": RULES})) is None
