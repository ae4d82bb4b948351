"""Scenario files as pytest collects them."""

import os
import re
import sys
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import walk_packages

import pytest

import rulewright
from rulewright.cli.main import run_command_line
from support.strike_scenarios import STRIKE_HEAD

pytest_plugins = ["pytester"]

INSTALLED = any(each.value == "rulewright.pytest_plugin" for each in entry_points(group="pytest11"))
USED = ("-p", "no:cacheprovider", *(() if INSTALLED else ("-p", "rulewright.pytest_plugin")))
EXAMPLE = Path(__file__).parent / "example"
MANUAL = Path(__file__).parents[3] / "grammar/manual/25-scenarios.md"
SCENARIOS = (
    STRIKE_HEAD
    + """\
  a hit:
    script: [[4]]
    expect: {changes: {knights: {mordred: {health: 2}}}}
  a miss:
    script: [[3]]
    expect: {result: 1}
  a feint:
    skip: nobody knows yet how it goes
"""
)


@pytest.fixture(scope="module", autouse=True)
def imported_before() -> None:
    """`pytester` forgets the modules that are first imported inside it; others would then meet two of one class."""
    for each in walk_packages(rulewright.__path__, "rulewright."):
        if each.name != "rulewright.__main__":
            import_module(each.name)


@pytest.fixture
def inside(pytester: pytest.Pytester) -> pytest.Pytester:
    for each in EXAMPLE.iterdir():
        pytester.path.joinpath(each.name).write_text(each.read_text(encoding="utf-8"), encoding="utf-8")
    pytester.path.joinpath("duel.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")
    return pytester


def test_every_row_of_a_table_is_an_item(inside: pytest.Pytester) -> None:
    table = "  blows: {cases: [[case, script, expect.result], [strong, [[4]], 1], [weak, [[3]], 0]]}\n"
    inside.path.joinpath("duel.scenario.yaml").write_text(SCENARIOS.partition("  a hit")[0] + table, encoding="utf-8")
    outcome = inside.runpytest_inprocess("-v", "-k", "strong", *USED)
    outcome.assert_outcomes(passed=1, deselected=1)
    outcome.stdout.fnmatch_lines(["duel.scenario.yaml::blows / strong PASSED*"])


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
    outcome.assert_outcomes(passed=1, failed=1, skipped=1)
    outcome.stdout.fnmatch_lines(
        ["failed: a miss", "error RW1001: `reslt` is not part of what is expected", "*help: did you mean `result`?"]
    )
    assert "Traceback" not in outcome.stdout.str()


def test_a_start_to_play_from_is_skipped_with_the_reason(inside: pytest.Pytester) -> None:
    inside.path.joinpath("duel.scenario.yaml").write_text(SCENARIOS + "  at the table: {}\n", encoding="utf-8")
    outcome = inside.runpytest_inprocess("-rs", "-k", "table", *USED)
    outcome.assert_outcomes(skipped=1, deselected=3)
    outcome.stdout.fnmatch_lines(["*it has no `expect:`*"])


def test_a_file_that_is_none_is_told_without_a_traceback(inside: pytest.Pytester) -> None:
    inside.path.joinpath("duel.scenario.yaml").write_text(
        SCENARIOS.replace("scenarios:", "scenario:"), encoding="utf-8"
    )
    outcome = inside.runpytest_inprocess(*USED)
    outcome.assert_outcomes(errors=1)
    outcome.stdout.fnmatch_lines(["error RW1001: `scenario` is not part of a scenario file"])
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


def test_the_fixture_looks_beside_the_file_that_asks(inside: pytest.Pytester) -> None:
    below = inside.mkdir("below")
    for name in ("own.rules", "duel.rules"):
        rules = inside.path.joinpath("duel.rules").read_text(encoding="utf-8")
        below.joinpath(name).write_text(rules.replace('"A duel"', '"Beside"'), encoding="utf-8")
    test = """
def test_loaded(ruleset):
    assert ruleset("own.rules").program.title == ruleset("duel.rules").program.title == "Beside"
    assert ruleset("pig").program.name == "pig"
"""
    below.joinpath("test_beside.py").write_text(test, encoding="utf-8")
    inside.runpytest_subprocess("below/test_beside.py", *USED).assert_outcomes(passed=1)


def test_a_failure_reads_as_on_the_command_line(
    inside: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(inside.path / "cache"))
    capsys.readouterr()
    run_command_line(["test", "-k", "miss"])
    told = capsys.readouterr().out.splitlines()[:-1]
    shown = inside.runpytest_inprocess(*USED).stdout.lines
    first = shown.index(told[0])
    assert shown[first : first + len(told)] == told
    assert told[4:] == [
        "  what happened:",
        "    1  Roll to hit",
        "      red    blow 1d6: 3",
        "      because the die is 3, less than Needed to hit (4)",
    ]


CASES = """\
  blows:
    matrix: {settings: {deadly: [no, yes]}}
    cases:
      four: {script: [[4]], expect: {result: 1}}
"""


def test_cases_and_readings_have_ids_of_their_own(inside: pytest.Pytester) -> None:
    inside.path.joinpath("duel.scenario.yaml").write_text(SCENARIOS + CASES, encoding="utf-8")
    outcome = inside.runpytest_inprocess("-v", *USED, "duel.scenario.yaml::blows / four [deadly: yes]")
    outcome.assert_outcomes(passed=1)
    outcome = inside.runpytest_inprocess("-v", *USED, "-k", "blows")
    outcome.assert_outcomes(passed=2, deselected=3)
    outcome.stdout.fnmatch_lines(
        [
            "duel.scenario.yaml::blows / four [[]deadly: no[]] PASSED*",
            "duel.scenario.yaml::blows / four [[]deadly: yes[]] PASSED*",
        ]
    )


@pytest.fixture
def elsewhere(inside: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """For processes of their own, which find rulewright as this one does."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(Path(each).resolve()) for each in sys.path if each))
    return inside


@pytest.mark.long
def test_several_workers_play_scenarios(elsewhere: pytest.Pytester) -> None:
    outcome = elsewhere.runpytest_subprocess(*USED, "-n", "2")
    outcome.assert_outcomes(passed=1, failed=1, skipped=1)
    outcome.stdout.fnmatch_lines(["failed: a miss", "*expected: 1", "FAILED duel.scenario.yaml::a miss*"])


def test_without_use_nothing_is_imported(elsewhere: pytest.Pytester) -> None:
    elsewhere.path.joinpath("duel.scenario.yaml").unlink()
    elsewhere.makepyfile(
        """
        import sys

        def test_modules():
            assert {each for each in sys.modules if each.startswith("rulewright")} == {
                "rulewright", "rulewright.pytest_plugin"
            }
        """
    )
    elsewhere.runpytest_subprocess(*USED).assert_outcomes(passed=1)


def test_the_test_of_the_manual_passes(elsewhere: pytest.Pytester) -> None:
    found = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", MANUAL.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    blocks = dict(found)
    for name in ("duel.rules", "test_duel.py"):
        elsewhere.path.joinpath(name).write_text(blocks[name], encoding="utf-8")
    elsewhere.runpytest_subprocess("test_duel.py", *USED).assert_outcomes(passed=1)
