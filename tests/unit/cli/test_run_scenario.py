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


def test_a_scenario_of_a_shipped_ruleset_is_run_from_anywhere(run: RunCommand) -> None:
    done = run("run", "mel/mel.scenario.yaml", "the pushed unit's player picks", "--trace", "none")
    assert done.exit == 0
    assert "  anvil.at: (1, 0) → (2, 0)\n" in done.out
    assert "`rulewright test mel/mel.scenario.yaml`" in done.out
    assert run("test", "mel/mel.scenario.yaml", "-k", "player picks the hex").out == "1 passed\n"


def test_a_shipped_scenario_that_is_not_there_has_a_near_name(run: RunCommand) -> None:
    done = run("run", "mel/mle.scenario.yaml")
    assert done.exit == 2
    assert "rulesets/mel/mel.scenario.yaml`?" in done.err


@pytest.mark.parametrize(
    ("verb", "told"),
    [("run", "strike ended"), ("play", "strike ended"), ("odds", "A strike: "), ("why", "gawain.health: 5")],
)
def test_a_ruleset_stands_for_the_only_scenarios_beside_it(scenario: RunCommand, verb: str, told: str) -> None:
    of = ("--of", "gawain.health") if verb in {"odds", "why"} else ()
    assert told in scenario(verb, "duel.rules", "a parry", *of).out
    none = scenario(verb, ".", *of)
    assert (none.exit, none.err.splitlines()[0]) == (
        2,
        "error RW0795: `duel.scenario.yaml` has 2 scenarios, and none is named",
    )


def test_of_several_files_of_scenarios_one_is_to_be_named(scenario: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "other.scenario.yaml").write_text(PLAY, encoding="utf-8")
    done = scenario("run", "duel.rules")
    assert done.exit == 2
    assert done.err.startswith("error RW0795: `duel.rules` has 2 files of scenarios, and none is named\n")
    assert "  help: name one in place of `duel.rules`: `duel.scenario.yaml`\n" in done.err
    (tmp_path / "duel.scenario.yaml").write_text(f"ruleset: mel\n{PLAY}", encoding="utf-8")
    assert "`other.scenario.yaml` has 2 scenarios" in scenario("run", "duel.rules").err


@pytest.mark.parametrize("verb", ["run", "play"])
def test_scenarios_beside_a_ruleset_are_named_where_a_state_is_missing(scenario: RunCommand, verb: str) -> None:
    done = scenario(verb, ".", "strike")
    assert done.exit == 2
    assert (
        f"  note: a scenario has its own state: `rulewright {verb} duel.scenario.yaml 'a parry'`"
        in done.err.splitlines()
    )


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


def test_a_part_of_a_name_means_what_comes_first(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "twice.scenario.yaml").write_text(TWICE, encoding="utf-8")
    first = run("run", "twice.scenario.yaml", "a parry")
    assert "  mordred.shield: yes → no\n" in first.out
    assert run("run", "twice.scenario.yaml", "parry").out == first.out == run("run", "twice.scenario.yaml").out
    second = run("run", "twice.scenario.yaml", "parry / then")
    assert "mordred.shield" not in second.out
    (tmp_path / "twice.scenario.yaml").write_text(TWICE + "  no parry: {expect: {changes: {}}}\n", encoding="utf-8")
    assert (
        "3 scenarios of `twice.scenario.yaml` have `parry` in their names"
        in run("run", "twice.scenario.yaml", "parry").err
    )


def test_an_exact_name_wins_over_parts_of_others(run: RunCommand, tmp_path: Path) -> None:
    cases = "  both:\n    cases:\n      Hold: {expect: {changes: {}}}\n      hold on: {expect: {changes: {}}}\n"
    (tmp_path / "twice.scenario.yaml").write_text(TWICE + cases, encoding="utf-8")
    assert "have `hold` in" not in run("run", "twice.scenario.yaml", "hold").err
    assert "2 scenarios of `twice.scenario.yaml` have `hol` in" in run("run", "twice.scenario.yaml", "hol").err


def test_the_script_of_a_scenario_answers_people_too(scenario: RunCommand) -> None:
    done = scenario("play", "duel.scenario.yaml", "parry", typed="")
    assert (done.exit, done.err) == (0, "")
    assert "  mordred.shield: yes → no\n" in done.out
    assert done.out.splitlines()[-1] == "the scenario's script answered everything; `--no-script` asks you"


def test_people_answer_where_the_script_is_left_out(scenario: RunCommand) -> None:
    done = scenario("play", "duel.scenario.yaml", "parry", "--no-script", "--dice", "ask", typed="6\n2\n")
    assert (done.exit, done.err) == (0, "")
    assert "the scenario's script" not in done.out
    assert "  mordred is out of play\n" in done.out


def test_a_saved_play_of_a_scenario_goes_on(scenario: RunCommand) -> None:
    left = scenario("play", "duel.scenario.yaml", "free", "--dice", "ask", "--save", "half.json", typed="6\nquit\n")
    assert left.exit == 0
    again = scenario("play", "duel.scenario.yaml", "free", "--load", "half.json", typed="1\n")
    assert again.exit == 0
    assert "  mordred.shield: yes → no\n" in again.out
    assert scenario("play", "duel.rules", "--load", "half.json", typed="1\n").out == again.out


def test_the_run_of_a_scenario_is_the_same_data(scenario: RunCommand) -> None:
    done = scenario("run", "duel.scenario.yaml", "parry", "--format", "json")
    assert json.loads(done.out)["outcome"]
    assert "judged" not in done.out


def test_no_script_leaves_a_script_out_everywhere(scenario: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text("[[5], yes]", encoding="utf-8")
    options = ["--state", "state.yaml", "--with", "striker=gawain", "--with", "target=mordred"]
    done = scenario("run", "duel.rules", "strike", *options, "--script", "script.yaml", "--no-script", "--seed", "8")
    assert done.exit == 2
    assert "error RW0746: there is no answer for `Parry?`" in done.err


def test_every_verb_has_one_purpose() -> None:
    assert sorted(VERB_DESCRIPTIONS) == sorted(verb for verbs in VERB_GROUPS.values() for verb in verbs)
    assert list(VERB_GROUPS)[-1] == "For people who build rulewright"
    assert list(VERB_GROUPS["For people who build rulewright"]) == ["show"]
