import json
from pathlib import Path

import jsonschema
import pytest

from rulewright.base.files import get_resource_folder
from rulewright.cli.main import run_command_line
from support.coverage_example import CLAUSES, LOUD_SCENARIO, QUIET_SCENARIO, RULES, SHARED_START
from support.html_pages import HtmlPage
from support.sample_sizes import sample_cases

SCHEMA = json.loads(
    (Path(get_resource_folder("grammar")) / "schemas" / "cover.schema.json").read_text(encoding="utf-8")
)
TABLE = """\
steps              3 of 3   100 %  steps entered
lines             8 of 11  72.7 %  lines carried out
edges              5 of 8  62.5 %  jumps, ends of steps, skipped steps, branches
conditions        8 of 16    50 %  conditions seen true and seen false
atoms              0 of 2     0 %  parts of `and` and `or` that decided
rows               1 of 2    50 %  rows of decides and tables taken
modifiers          2 of 4    50 %  rows of tallies applied and idle
options            1 of 2    50 %  options chosen
answers            2 of 2   100 %  yes and no
handlers           0 of 1     0 %  handlers carried out
rules              0 of 1     0 %  standing rules carried out
settings           1 of 2    50 %  values of settings
clauses            3 of 4    75 %  clauses of documents
"""


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("duel.rules").write_text(RULES, encoding="utf-8")
    Path("DUE.clauses.yaml").write_text(CLAUSES, encoding="utf-8")
    Path("duel.scenario.yaml").write_text(SHARED_START + LOUD_SCENARIO + QUIET_SCENARIO, encoding="utf-8")


def test_a_table_then_what_is_missing_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["cover"]) == 0
    lines = capsys.readouterr().out.splitlines(keepends=True)
    assert "".join(lines[:13]) == TABLE
    assert lines[14] == "Missing:\n"
    assert "  edges       rally/2 passed over  duel.rules:36:3  the step passed over\n" in lines
    assert "  atoms       rally/here part 1  duel.rules:32:17  not unit.tired\n" in lines
    assert lines[-1] == "2 passed\n"


def test_data_fits_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["cover", "--format", "json", "--floor", "atoms=1"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert [each["name"] for each in document["scenarios"]] == ["loud", "quiet"]
    assert document["reached"][1] == {
        "sort": "steps",
        "name": "rally/2",
        "text": "Rally",
        "place": {"file": "duel.rules", "line": 36, "column": 3},
        "by": [1],
    }
    assert [each["code"] for each in document["wrong"]] == ["RW1034"]


def test_below_a_floor_what_is_missing_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["cover", "--floor", "all=50", "--floor", "atoms=0", "--floor", "rules=0"]) == 1
    assert capsys.readouterr().out.endswith(
        "error RW1034: 0 % of the handlers are reached, and the floor is 50 %\n"
        "  note: Missing: cheer\n"
        "  help: write scenarios that reach them, or leave them out under `exclude:` with a reason\n"
    )


def test_what_is_missing_is_told_although_a_scenario_fails(capsys: pytest.CaptureFixture[str]) -> None:
    Path("duel.scenario.yaml").write_text(
        SHARED_START + LOUD_SCENARIO.replace("tired: yes", "tired: no"), encoding="utf-8"
    )
    assert run_command_line(["cover"]) == 1
    told = capsys.readouterr().out
    assert "  steps       rally/2  duel.rules:36:3  Rally\n" in told
    assert told.endswith("failed duel.scenario.yaml: loud\n1 failed\n")


def test_the_page_colours_the_lines() -> None:
    assert run_command_line(["cover", "--html", "page.html"]) == 0
    page = HtmlPage(Path("page.html").read_text(encoding="utf-8"))
    lines = {found["id"]: found for tag, found in page.tags if tag == "span" and found.get("id")}
    assert lines["t0-33"] == {"class": "line full", "id": "t0-33", "title": "reached by loud\nreached by quiet"}
    assert lines["t0-36"]["class"] == "line part"
    assert lines["t0-36"]["title"] == (
        "not reached: edges ends\nnot reached: edges passed over\nnot reached: conditions when fails\nreached by quiet"
    )
    assert lines["t0-43"]["class"] == "line none"
    assert lines["t0-1"] == {"class": "line", "id": "t0-1"}
    clauses = {found["id"]: found["class"] for tag, found in page.tags if tag == "p" and "id" in found}
    assert clauses == {"DUE.1": "none", "DUE.1.a": "full", "DUE.1.b": "full", "DUE.2.a": "full"}
    links = {found["href"] for tag, found in page.tags if tag == "a"}
    assert links <= {f"#{each}" for each in lines}


def test_text_on_the_page_is_only_text() -> None:
    Path("duel.rules").write_text(RULES.replace('"Rest"', '"<b>&Rest"'), encoding="utf-8")
    assert run_command_line(["cover", "--html", "page.html"]) == 0
    assert "&lt;b&gt;&amp;Rest" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("ruleset", sample_cases(["melee-phase-2025-10", "mel", "tricorne-melee", "melee-phase"], 4))
def test_the_suite_of_a_ruleset_reaches_all_of_it(ruleset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["cover", str(Path(get_resource_folder("rulesets")) / ruleset), "--floor", "all=100"]) == 0
    assert capsys.readouterr().out.endswith(" passed\n")


def test_a_page_is_not_written_over_anything_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["cover", "--html", "duel.rules"]) == 2
    assert capsys.readouterr().err == (
        "error RW0013: `duel.rules` holds something else and is not overwritten\n"
        "  help: name another file, or one that is not there yet\n"
    )
    assert Path("duel.rules").read_text(encoding="utf-8") == RULES
    assert [run_command_line(["cover", "--html", "page.html"]) for _ in range(2)] == [0, 0]


def _two(tmp_path: Path) -> None:
    """The ruleset in one folder, and a smaller one beside it."""
    for name in ("duel.rules", "DUE.clauses.yaml", "duel.scenario.yaml"):
        (tmp_path / "big").mkdir(exist_ok=True)
        Path(name).rename(tmp_path / "big" / name)
    (tmp_path / "small").mkdir()
    rest = 'kind Unit, units:\n  health: 0..9\nprocedure rest(u: Unit) "Rest":\n  add up to 1 to u.health\n'
    (tmp_path / "small/rest.rules").write_text(f'ruleset rest "Rest" revision "1"\n{rest}', encoding="utf-8")
    scenarios = "procedure: rest\nwith: {u: a}\nstate: {units: {a: {health: 1}}}\nscenarios:\n"
    expected = "  heals: {expect: {changes: {units: {a: {health: 2}}}}}\n"
    (tmp_path / "small/rest.scenario.yaml").write_text(scenarios + expected, encoding="utf-8")


def test_several_rulesets_have_a_report_each_and_a_sum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["cover"]) == 0
    alone = capsys.readouterr().out
    _two(tmp_path)
    assert run_command_line(["cover", "."]) == 0
    told = capsys.readouterr().out
    big, rest = told.split("\nsmall\n")
    small, whole = rest.split("\nall rulesets\n")
    assert big.removeprefix("big\n").replace("big/", "") == alone
    assert small.splitlines()[0].split()[:4] == ["lines", "1", "of", "1"]
    assert "lines             9 of 12" in whole
    assert whole.endswith("3 passed\n")


def test_the_worst_of_several_rulesets_is_the_exit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _two(tmp_path)
    assert run_command_line(["cover", "small", "--floor", "lines=100"]) == 0
    capsys.readouterr()
    assert run_command_line(["cover", ".", "--floor", "lines=100", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    wrong = {each["path"]: [one["code"] for one in each["wrong"]] for each in document["rulesets"]}
    assert wrong == {"big": ["RW1034"], "small": []}
    assert {each["sort"]: each["whole"] for each in document["counts"]}["lines"] == 12
