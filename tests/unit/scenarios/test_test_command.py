"""What `rulewright test` reports; `tests/cases/test_selection.md` shows what it selects."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from rulewright.cli.main import run_command_line
from rulewright.cli.output import ProgressLine
from support.published_schemas import make_validator
from support.strike_scenarios import STRIKE_HEAD

SCENARIOS = (
    STRIKE_HEAD
    + """\
  a hit: {covers: [DUEL.1.d], script: [[4]], expect: {result: 1}}
  a miss: {covers: [DUEL.1.b], script: [[3]], expect: {result: 1}}
  a feint: {skip: nobody knows yet how it goes}
"""
)
WRONG = SCENARIOS.replace("result: 1}}\n  a feint", "reslt: 1}}\n  a feint")


@pytest.fixture(autouse=True)
def _written(folder: Path) -> None:
    (folder / "duel" / "duel.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")


def last(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[-1]


def test_a_start_to_play_from_is_skipped_by_a_build_server(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "duel/table.scenario.yaml").write_text(STRIKE_HEAD + "  at the table: {}\n", encoding="utf-8")
    assert run_command_line(["test", "duel/table.scenario.yaml", "--junit", "report.xml", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert make_validator("test").is_valid(found)
    assert [each["outcome"] for each in found["results"]] == ["only_played"]
    (suite,) = ET.parse(folder / "report.xml").getroot()  # noqa: S314 - our own file
    assert suite.get("skipped") == "1"
    assert [inner.tag for inner in suite[0]] == ["skipped"]


@pytest.mark.parametrize(("scenarios", "told"), [(SCENARIOS, "failure"), (WRONG, "error")])
def test_a_build_server_reads_the_report(scenarios: str, told: str, folder: Path) -> None:
    (folder / "duel" / "duel.scenario.yaml").write_text(scenarios, encoding="utf-8")
    run_command_line(["test", "--junit", "report.xml"])
    suite = ET.parse(folder / "report.xml").getroot()[0]  # noqa: S314 - our own file
    assert suite.attrib == {
        "name": "duel/duel.scenario.yaml", "tests": "3", "failures": str(int(told == "failure")),
        "errors": str(int(told == "error")), "skipped": "1",
    }  # fmt: skip
    assert [(each.get("name"), [inner.tag for inner in each]) for each in suite] == [
        ("a hit", []),
        ("a miss", [told]),
        ("a feint", ["skipped"]),
    ]


def test_results_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    run_command_line(["test", "--format", "json", "-k", "miss"])
    told = json.loads(capsys.readouterr().out)
    assert told["results"][0].pop("seconds") > 0
    assert told == {
        "version": 1,
        "counts": {"passed": 0, "failed": 1, "wrong": 0, "skipped": 0, "only_played": 0},
        "results": [
            {
                "file": "duel/duel.scenario.yaml",
                "line": 9,
                "name": "a miss",
                "outcome": "failed",
                "skip": "",
                "covers": ["DUEL.1.b"],
                "play": {"number": 1, "of": 1, "seed": None},
                "misses": [{"what": "result", "place": "", "expected": "1", "got": "0", "cell": None}],
                "told": [
                    "1  Roll to hit",
                    "  red    blow 1d6: 3",
                    "  because the die is 3, less than Needed to hit (4)",
                ],
                "path": ["1"],
                "goes_on": False,
                "differs": None,
                "fault": None,
                "wrong": [],
            }
        ],
    }


@pytest.mark.parametrize(
    "change",
    [("", ""), ("[[3]]", "[[5]]"), ("result: 1", "reslt: 1"), ("[[3]]", "[[3], dodge]"), ("[[3]]", "[]"), ("[3]", "3")],
)
def test_data_fits_the_schema(change: tuple[str, str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "duel/duel.scenario.yaml").write_text(SCENARIOS.replace(*change), encoding="utf-8")
    for more in ([], ["--accept"], ["--accept", "--yes"]):
        run_command_line(["test", "--format", "json", *more])
        told = json.loads(capsys.readouterr().out)
        assert make_validator("test" if "results" in told else "diagnostics").is_valid(told)


def test_a_build_server_reads_what_people_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_command_line(["test", "-k", "miss", "--junit", "report.xml"])
    failure = ET.parse(folder / "report.xml").getroot()[0][0][0]  # noqa: S314 - our own file
    assert failure.get("message") == "result: expected 1, got 0"
    assert f"{failure.text}\n1 failed\n" == capsys.readouterr().out


def test_a_shipped_ruleset_is_tested_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["test", "mel", "-k", "tie"]) == 0
    assert "passed" in last(capsys)


def test_progress_counts_the_plays_of_scenarios_that_are_played_often(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[str]()
    monkeypatch.setattr(ProgressLine, "show_progress", lambda _, text: told.append(text))
    often = "  often: {plays: 30, seed: 1, expect: {always: [count(players) = 2]}}\n"
    (folder / "duel" / "duel.scenario.yaml").write_text(STRIKE_HEAD + often, encoding="utf-8")
    assert run_command_line(["test", "duel"]) == 0
    assert told == [f"{number} of 30 plays" for number in (*range(1, 31), 30)]
    told.clear()
    (folder / "duel" / "duel.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")
    run_command_line(["test", "duel"])
    assert told[-1] == "3 of 3"
