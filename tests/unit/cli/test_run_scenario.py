"""`run` and `play` of scenarios: what a shipped ruleset has, who answers, what is saved and shown."""

import json
from pathlib import Path

import pytest

from rulewright.cli.main import VERB_DESCRIPTIONS, VERB_GROUPS
from support.duel_example import RunCommand

PLAY = """\
procedure: strike
with: {striker: gawain, target: mordred}
state: state.yaml
scenarios:
  a parry: {script: [[5], yes], expect: {changes: {knights: {mordred: {shield: no}}}}}
  free: {}
"""


@pytest.fixture
def scenario(run: RunCommand, tmp_path: Path) -> RunCommand:
    (tmp_path / "duel.scenario.yaml").write_text(PLAY, encoding="utf-8")
    return run


TWICE = """\
procedure: strike
with: {striker: gawain, target: mordred}
state: state.yaml
scenarios:
  a parry:
    script: [[5], yes]
    expect: {changes: {knights: {mordred: {shield: no}}}}
    then: {script: [[1]], expect: {changes: {}}}
"""


def test_an_exact_name_wins_over_parts_of_others(run: RunCommand, tmp_path: Path) -> None:
    cases = "  both:\n    cases:\n      Hold: {expect: {changes: {}}}\n      hold on: {expect: {changes: {}}}\n"
    (tmp_path / "twice.scenario.yaml").write_text(TWICE + cases, encoding="utf-8")
    assert "have `hold` in" not in run("run", "twice.scenario.yaml", "hold").err
    assert "2 scenarios of `twice.scenario.yaml` have `hol` in" in run("run", "twice.scenario.yaml", "hol").err


def test_the_run_of_a_scenario_is_the_same_data(scenario: RunCommand) -> None:
    done = scenario("run", "duel.scenario.yaml", "parry", "--format", "json")
    assert json.loads(done.out)["outcome"]
    assert "judged" not in done.out


def test_every_verb_has_one_purpose() -> None:
    assert sorted(VERB_DESCRIPTIONS) == sorted(verb for verbs in VERB_GROUPS.values() for verb in verbs)
    assert list(VERB_GROUPS)[-1] == "For people who build rulewright"
    assert list(VERB_GROUPS["For people who build rulewright"]) == ["show"]
