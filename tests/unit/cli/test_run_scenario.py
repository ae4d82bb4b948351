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


def test_the_run_of_a_scenario_is_the_same_data(scenario: RunCommand) -> None:
    done = scenario("run", "duel.scenario.yaml", "parry", "--format", "json")
    assert json.loads(done.out)["outcome"]
    assert "judged" not in done.out


def test_every_verb_has_one_purpose() -> None:
    assert sorted(VERB_DESCRIPTIONS) == sorted(verb for verbs in VERB_GROUPS.values() for verb in verbs)
    assert list(VERB_GROUPS)[-1] == "For people who build rulewright"
    assert list(VERB_GROUPS["For people who build rulewright"]) == ["show"]
