"""What `check` tells of style, what a comment silences, and what a project says it weighs."""

import json
from pathlib import Path

import jsonschema
import pytest

from rulewright.base.diagnostics.pages import FencedBlock, find_page
from rulewright.cli.main import run_command_line
from rulewright.documents.project_file import COVERAGE_SORTS
from rulewright.scenarios.coverage_units import UNIT_SORTS
from support.duel_example import RunCommand


def _first_lines(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if line.startswith(("error", "warning", "hint", "  -->"))]


def _run(blocks: tuple[FencedBlock, ...], capsys: pytest.CaptureFixture[str]) -> str:
    held = {block.kind: block.content for block in blocks}
    Path("example.rules").write_text(held["rules"], encoding="utf-8")
    if "project" in held:
        Path("rulewright.toml").write_text(held["project"], encoding="utf-8")
    assert run_command_line(held["run"].split()[1:]) in {0, 1}
    return capsys.readouterr().out


@pytest.mark.parametrize("code", [*(f"RW059{last}" for last in range(6)), "RW1200", "RW1201", "RW1218"])
def test_a_page_shows_what_check_tells(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = find_page(code)
    assert found
    told = next(each.content for each in found.fails if each.kind == "message").splitlines()
    assert _first_lines(_run(found.fails, capsys)) == told
    assert _first_lines(_run(found.mended, capsys)) == []


@pytest.mark.long
def test_a_project_has_floors(run: RunCommand) -> None:
    run("new", "skirmish")
    assert (run("cover", "skirmish").exit, run("mutate", "skirmish").exit) == (0, 0)
    Path("rulewright.toml").write_text("[floors]\ncoverage = {all = 5, steps = 100, options = 0}\n", encoding="utf-8")
    assert run("cover", "skirmish").exit == 0
    Path("rulewright.toml").write_text("[floors]\ncoverage = {modifiers = 99.5}\nmutation = 60\n", encoding="utf-8")
    done = run("cover", "skirmish")
    assert (done.exit, done.out.count("RW1034"), "the floor is 99.5 %" in done.out) == (1, 1, True)
    assert run("cover", "skirmish", "--floor", "modifiers=1").exit == 0
    done = run("mutate", "skirmish")
    assert (done.exit, "and the floor is 60 %" in done.out) == (1, True)
    assert [run("mutate", "skirmish", *more).exit for more in (["--floor", "10"], ["--step", "3"])] == [0, 0]


def test_the_sorts_of_floors_are_those_that_are_counted() -> None:
    assert tuple(UNIT_SORTS) == COVERAGE_SORTS


def test_the_schema_of_a_project_file_is_printed(run: RunCommand) -> None:
    schema = json.loads(run("schema", "rulewright.toml").out)
    judge = jsonschema.Draft202012Validator(schema)
    right = {"rulesets": ["a"], "floors": {"coverage": {"all": 80}, "mutation": 75.5}, "review": {"fails": ["changed"]}}
    assert judge.is_valid(right)
    assert not any(judge.is_valid(each) for each in ({"floor": {}}, {"floors": {"coverage": 3}}, {"review": []}))
    assert run("schema", "rulewright.toml", "state").exit == 2
