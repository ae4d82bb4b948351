"""What the README says of the shipped rulesets is so."""

import re
from pathlib import Path

import pytest
import yaml

from rulewright.charts.chart import chart
from rulewright.charts.drawing import chart_page
from rulewright.cli.reports import rendered
from rulewright.files import DISK
from rulewright.scenarios.loading import cases_of
from rulewright.scenarios.opening import Rules
from support.shipped import shipped

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| \[`(?P<name>[a-z0-9-]+)`\]\(rulesets/(?P=name)/README.md\) \|(?P<cells>.*)\|$", re.MULTILINE)


def test_the_rules_shown_are_the_shipped_ones() -> None:
    shown = README.partition("```rules\n")[2].partition("```")[0]
    assert 20 <= shown.count("\n") <= 30
    assert shown in (ROOT / "rulesets/risk/risk.rules").read_text(encoding="utf-8")


def test_the_chart_shown_is_of_the_shipped_rules() -> None:
    program = shipped("risk")
    drawn = rendered("chart.svg", chart_page(chart(program.procedures["battle"], program)))
    assert (ROOT / ".github" / "risk.svg").read_text(encoding="utf-8") == drawn


def test_every_shipped_ruleset_has_a_row_of_trust() -> None:
    assert {each["name"] for each in ROW.finditer(README)} == {each.name for each in (ROOT / "rulesets").iterdir()}


@pytest.mark.parametrize("row", [pytest.param(each, id=each["name"]) for each in ROW.finditer(README)])
def test_a_row_of_trust_counts_what_is_there(row: re.Match[str]) -> None:
    folder = ROOT / "rulesets" / row["name"]
    lists = [yaml.safe_load(each.read_text(encoding="utf-8")) for each in folder.glob("*.clauses.yaml")]
    amended = [each for each in folder.glob("*.rules") if "\namends " in f"\n{each.read_text(encoding='utf-8')}"]
    programs = [shipped(row["name"]), *(shipped(row["name"], (each.stem,)) for each in amended)]
    rulings = {each.id for program in programs for each in program.rulings}
    settings = {each for program in programs for each in program.settings}
    cases = cases_of((str(folder),), Rules(DISK)).value or ()
    _, *counted, _ = (each.strip() for each in row["cells"].split("|"))
    clauses = sum(len(each["clauses"]) for each in lists)
    assert counted == [str(clauses or "none"), str(len(rulings) + len(settings)), str(len(cases))]
