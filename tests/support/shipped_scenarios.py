"""The scenarios beside the shipped rulesets, read once for all tests, and one loader for what they play."""

from functools import cache
from pathlib import Path

from rulewright.base.diagnostics.renderings import render_plain_diagnostic
from rulewright.base.files import DISK
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import read_cases
from rulewright.scenarios.suite import ScenarioCase

RULESETS = Path(__file__).parents[2] / "rulesets"
RULES = RulesetLoader(DISK)


@cache
def read_shipped_scenarios(name: str) -> tuple[ScenarioCase, ...]:
    """The scenarios beside a ruleset; none where there is no file of them."""
    found = read_cases([str(RULESETS / name)], RULES)
    assert found.diagnostics == (), "\n".join(render_plain_diagnostic(each, RULES.texts) for each in found.diagnostics)
    return found.value or ()
