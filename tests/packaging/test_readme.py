"""What the first pages say of the shipped rules is so."""

import re
from pathlib import Path

import pytest

from rulewright.base.files import DISK
from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Text
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import read_cases
from rulewright.syntax.nodes.declarations import Ruling, Setting
from rulewright.syntax.nodes.statements import RulingLine
from rulewright.syntax.parser import parse_rules_text
from support.yaml_data import read_yaml

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHIPPED = (ROOT / "rulesets/README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| \[`(?P<name>[a-z0-9-]+)`\]\((?P=name)/README.md\) \|(?P<cells>.*)\|$", re.MULTILINE)
TWO_SCREENS = 140


def test_the_readme_is_two_screens_with_a_picture_of_the_workbench() -> None:
    assert README.count("\n") <= TWO_SCREENS
    assert "](.github/workbench.png)" in README.partition("\n## ")[0]
    assert (ROOT / ".github/workbench.png").read_bytes().startswith(b"\x89PNG")


def test_the_rules_shown_are_those_of_the_starter() -> None:
    shown = README.partition("```rules\n")[2].partition("```")[0]
    starter = ROOT / "interpreter/rulewright/starters/hex-combat/hex_combat.rules"
    assert shown in starter.read_text(encoding="utf-8")


def test_every_shipped_ruleset_has_a_row_of_trust() -> None:
    folders = {each.name for each in (ROOT / "rulesets").iterdir() if each.is_dir()}
    assert {each["name"] for each in ROW.finditer(SHIPPED)} == folders


@pytest.mark.parametrize("row", [pytest.param(each, id=each["name"]) for each in ROW.finditer(SHIPPED)])
def test_a_row_of_trust_counts_what_is_there(row: re.Match[str]) -> None:
    folder = ROOT / "rulesets" / row["name"]
    lists = [read_yaml(each) for each in folder.glob("*.clauses.yaml")]
    files = [
        parse_rules_text(Text(each.name, each.read_text(encoding="utf-8"))).file for each in folder.glob("*.rules")
    ]
    nodes = [node for file in files if file for node in walk_nodes(file)]
    rulings = {each.number.text for each in nodes if isinstance(each, Ruling | RulingLine)}
    settings = {each.name.text for each in nodes if isinstance(each, Setting)}
    cases = read_cases((str(folder),), RulesetLoader(DISK)).value or ()
    _, *counted, _ = (each.strip() for each in row["cells"].split("|"))
    clauses = sum(len(each["clauses"]) for each in lists)
    assert counted == [str(clauses or "none"), str(len(rulings) + len(settings)), str(len(cases))]
