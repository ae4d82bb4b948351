"""Scenario files as pytest collects them."""

from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

INSTALLED = any(each.value == "rulewright.pytest_plugin" for each in entry_points(group="pytest11"))
USED = ("-p", "no:cacheprovider", *(() if INSTALLED else ("-p", "rulewright.pytest_plugin")))
EXAMPLE = Path(__file__).parent / "example"
SCENARIOS = """\
procedure: strike
with: {striker: gawain, target: mordred}
state:
  players: [red, blue]
  knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 3}}
  game: {active: red}
scenarios:
  a hit:
    script: [[4]]
    expect: {changes: {knights: {mordred: {health: 2}}}}
  a miss:
    script: [[3]]
    expect: {result: 1}
  a feint:
    skip: nobody knows yet how it goes
"""


@pytest.fixture
def inside(pytester: pytest.Pytester) -> pytest.Pytester:
    for each in EXAMPLE.iterdir():
        pytester.path.joinpath(each.name).write_text(each.read_text(encoding="utf-8"), encoding="utf-8")
    pytester.path.joinpath("duel.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")
    return pytester


def test_every_case_is_an_item(inside: pytest.Pytester) -> None:
    outcome = inside.runpytest_inprocess("-v", *USED)
    outcome.assert_outcomes(passed=1, failed=1, skipped=1)
    outcome.stdout.fnmatch_lines(
        [
            "duel.scenario.yaml::a hit PASSED*",
            "duel.scenario.yaml::a miss FAILED*",
            "duel.scenario.yaml::a feint SKIPPED (nobody knows yet how it goes)*",
            "failed: a miss",
            "  result",
            "    expected: 1",
            "    got:      0",
            "  what happened:",
        ]
    )
    assert "Traceback" not in outcome.stdout.str()


def test_items_are_selected_by_name_and_marker(inside: pytest.Pytester) -> None:
    outcome = inside.runpytest_inprocess("-k", "hit", "-m", "scenario", *USED)
    outcome.assert_outcomes(passed=1, deselected=2)


def test_a_wrong_file_is_told_without_a_traceback(inside: pytest.Pytester) -> None:
    inside.path.joinpath("duel.scenario.yaml").write_text(SCENARIOS.replace("result: 1", "reslt: 1"), encoding="utf-8")
    outcome = inside.runpytest_inprocess(*USED)
    outcome.assert_outcomes(errors=1)
    outcome.stdout.fnmatch_lines(
        ["error RW1001: `reslt` is no part of what is expected", "*help: did you mean `result`?"]
    )
    assert "Traceback" not in outcome.stdout.str()


def test_a_state_without_use_is_a_warning(inside: pytest.Pytester) -> None:
    text = SCENARIOS.replace("scenarios:", "states: {spare: {}}\nscenarios:")
    inside.path.joinpath("duel.scenario.yaml").write_text(text, encoding="utf-8")
    outcome = inside.runpytest_inprocess(*USED, "-k", "hit", "-W", "default")
    outcome.assert_outcomes(passed=1, deselected=2, warnings=1)


def test_the_fixture_loads_a_ruleset(inside: pytest.Pytester) -> None:
    inside.makepyfile(
        test_it="""
        def test_loaded(ruleset):
            assert ruleset("duel.rules") is ruleset("duel.rules")
        """
    )
    inside.runpytest_inprocess("test_it.py", *USED).assert_outcomes(passed=1)
