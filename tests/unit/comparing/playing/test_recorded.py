"""Which scenarios beside a ruleset are plays of it, and what is recorded of them."""

from rulewright.comparing.playing.fixtures import fitting, recorded
from rulewright.files import Memory
from rulewright.inputs.save import Answered
from rulewright.scenarios.loading import cases_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.suite import Case
from rulewright.workspace import load, locate
from support.duel import STRIKE

HOUSE = 'amends duel "House" revision "1"\nsetting house: flag = no "House"\n'
SCENARIOS = """\
ruleset: duel.rules
procedure: strike
with: {striker: gawain, target: mordred}
state: {players: [red, blue], knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 2}}}
scenarios:
  three:
    script: [[3]]
    expect: {changes: {}}
  six by chance:
    seed: 5
    plays: 5
    covers: [unknown]
    expect: {changes: {}}
  at home:
    overlays: [house.rules]
    script: [[6]]
    expect: {changes: {}}
  elsewhere:
    ruleset: other.rules
    script: [[6]]
    expect: {changes: {}}
  left out:
    skip: it is the same
    script: [[6]]
    expect: {changes: {}}
  of nobody:
    with: {striker: lancelot}
    script: [[6]]
    expect: {changes: {}}
  without an answer: {expect: {changes: {}}}
"""
FILES = Memory({"duel.rules": STRIKE, "other.rules": STRIKE, "house.rules": HOUSE, "a.scenario.yaml": SCENARIOS})


def cases() -> tuple[Case, ...]:
    found = cases_of([""], Rules(FILES))
    assert found.value is not None, found.diagnostics
    return found.value


def fits(*overlays: str) -> list[str]:
    return [each.name for each in fitting(cases(), "./duel.rules", overlays, FILES)]


def test_scenarios_fit_a_ruleset_as_it_is_amended() -> None:
    assert fits() == ["three", "six by chance", "left out", "of nobody", "without an answer"]
    assert fits("./house.rules") == ["at home"]
    assert fits("other.rules") == []


def test_plays_are_recorded_as_far_as_they_go() -> None:
    program = load(locate("duel.rules", FILES), (), FILES).program
    assert program is not None
    saves = recorded(program, fitting(cases(), "duel.rules", (), FILES))
    assert [each.answers for each in saves] == [
        (Answered("strike/1/blow", "red", [3], "script"),),
        (Answered("strike/1/blow", "red", [5], "dice"),),
        (),
    ]
    assert {(each.procedure, str(each.arguments)) for each in saves} == {
        ("strike", "{'striker': 'gawain', 'target': 'mordred'}")
    }
