"""How a long play that failed is told."""

from rulewright.base.diagnostics import PLAIN_PAINTER
from rulewright.base.files import MemoryFiles
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import read_cases
from rulewright.scenarios.suite import CaseResult, PlayExcerpt, ResultRenderer, UnmetExpectation

SCENARIO = """\
procedure: march
state: {players: [red]}
scenarios:
  a long way: {expect: {result: 1}}
"""


def test_of_a_long_way_the_last_lines_and_all_steps_are_told() -> None:
    found = read_cases(["a.scenario.yaml"], RulesetLoader(MemoryFiles({"a.scenario.yaml": SCENARIO})))
    assert found.value is not None
    lines = tuple(f"line {number}" for number in range(50))
    happened = PlayExcerpt(lines, ("1", "2", "3"), has_more=True)
    result = CaseResult(found.value[0], "failed", (UnmetExpectation("result", "1", "0"),), excerpt=happened)
    told = list(ResultRenderer(PLAIN_PAINTER).render_result(result))
    assert told == [
        "failed: a long way",
        "  result",
        "    expected: 1",
        "    got:      0",
        "  what happened, up to where it differs:",
        "    by way of 1, 2, 3",
        "    … 20 lines",
        *(f"    line {number}" for number in range(20, 50)),
    ]
