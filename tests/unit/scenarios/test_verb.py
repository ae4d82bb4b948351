"""What `rulewright test` selects, keeps and reports."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from rulewright.cli.main import execute

EXAMPLE = Path(__file__).parent / "example"
SCENARIOS = """\
procedure: strike
with: {striker: gawain, target: mordred}
state:
  players: [red, blue]
  knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 3}}
  game: {active: red}
scenarios:
  a hit: {covers: [DUEL.1.d], script: [[4]], expect: {result: 1}}
  a miss: {covers: [DUEL.1.b], script: [[3]], expect: {result: 1}}
  a feint: {skip: nobody knows yet how it goes}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "duel")
    (tmp_path / "duel" / "duel.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def last(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "1 passed, 1 failed, 1 skipped"),
        (["duel"], "1 passed, 1 failed, 1 skipped"),
        (["duel/duel.scenario.yaml"], "1 passed, 1 failed, 1 skipped"),
        (["duel", "duel"], "1 passed, 1 failed, 1 skipped"),
        (["-k", "HIT"], "1 passed"),
        (["--clause", "DUEL.1.b"], "1 failed"),
        (["--clause", "1.b"], "1 failed"),
        (["--clause", "DUEL:1.b"], "1 failed"),
        (["--clause", "@DUEL:1.b"], "1 failed"),
        (["--step", "3"], "1 passed"),
        (["--workers", "2"], "1 passed, 1 failed, 1 skipped"),
    ],
)
def test_what_is_played(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["test", *arguments]) == (1 if "failed" in told else 0)
    assert last(capsys) == told


def test_what_failed_is_played_again_until_it_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    execute(["test"])
    execute(["test", "--last-failed"])
    assert last(capsys) == "1 failed"
    (folder / "duel/duel.scenario.yaml").write_text(SCENARIOS.replace("[[3]]", "[[5]]"), encoding="utf-8")
    execute(["test", "--last-failed"])
    assert last(capsys) == "1 passed"
    assert execute(["test", "--last-failed"]) == 2


def test_a_build_server_reads_the_report(folder: Path) -> None:
    execute(["test", "--junit", "report.xml"])
    suite = ET.parse(folder / "report.xml").getroot()[0]  # noqa: S314 - our own file
    assert suite.attrib == {
        "name": "duel/duel.scenario.yaml", "tests": "3", "failures": "1", "errors": "0", "skipped": "1",
    }  # fmt: skip
    assert [(each.get("name"), [inner.tag for inner in each]) for each in suite] == [
        ("a hit", []),
        ("a miss", ["failure"]),
        ("a feint", ["skipped"]),
    ]


def test_results_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    execute(["test", "--format", "json", "-k", "miss"])
    told = json.loads(capsys.readouterr().out)
    assert told["counts"] == {"passed": 0, "failed": 1, "wrong": 0, "skipped": 0}
    assert told["results"][0]["misses"] == [{"what": "result", "place": "", "expected": "1", "got": "0"}]


def test_a_shipped_ruleset_is_tested_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["test", "mel", "-k", "tie"]) == 0
    assert "passed" in last(capsys)
