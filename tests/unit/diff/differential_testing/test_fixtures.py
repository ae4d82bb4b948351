"""Which scenarios beside a ruleset are plays of it, and what is recorded of them."""

from rulewright.base.files import MemoryFiles
from rulewright.diff.differential_testing.fixtures import record_scenario_plays
from rulewright.diff.differential_testing.scenario_migration import LocatedRevision, filter_own_cases
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.saved_sessions import RecordedAnswer
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import read_cases
from rulewright.scenarios.suite import ScenarioCase
from support.duel_example import STRIKE_RULES

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
FILES = MemoryFiles(
    {"duel.rules": STRIKE_RULES, "other.rules": STRIKE_RULES, "house.rules": HOUSE, "a.scenario.yaml": SCENARIOS}
)


def cases() -> tuple[ScenarioCase, ...]:
    found = read_cases([""], RulesetLoader(FILES))
    assert found.value is not None, found.diagnostics
    return found.value


def fits(*overlays: str) -> list[str]:
    duel = load_ruleset(locate_ruleset("duel.rules", FILES), (), FILES)
    beside = LocatedRevision(duel, "./duel.rules", overlays, FILES)
    return [each.name for each in filter_own_cases(cases(), beside)]


def test_scenarios_fit_a_ruleset_as_it_is_amended() -> None:
    assert fits() == ["three", "six by chance", "left out", "of nobody", "without an answer"]
    assert fits("./house.rules") == ["at home"]
    assert fits("other.rules") == []


def test_plays_are_recorded_as_far_as_they_go() -> None:
    beside = LocatedRevision(load_ruleset(locate_ruleset("duel.rules", FILES), (), FILES), "duel.rules", (), FILES)
    saves = record_scenario_plays(beside.program, filter_own_cases(cases(), beside))
    assert [each.answers for each in saves] == [
        (RecordedAnswer("strike/1/blow", "red", [3], "script"),),
        (RecordedAnswer("strike/1/blow", "red", [5], "dice"),),
        (),
    ]
    assert {(each.procedure, str(each.arguments)) for each in saves} == {
        ("strike", "{'striker': 'gawain', 'target': 'mordred'}")
    }
