"""How a long play that failed is told."""

from rulewright.diagnostics.terminal import PLAIN
from rulewright.scenarios.loading import cases_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.suite import Happening, Miss, Result
from rulewright.scenarios.telling import Telling
from rulewright.workspace import Memory

SCENARIO = """\
procedure: march
state: {players: [red]}
scenarios:
  a long way: {expect: {result: 1}}
"""


def test_of_a_long_way_the_last_lines_and_all_steps_are_told() -> None:
    found = cases_of(["a.scenario.yaml"], Rules(Memory({"a.scenario.yaml": SCENARIO})))
    assert found.value is not None
    lines = tuple(f"line {number}" for number in range(50))
    happened = Happening(lines, ("1", "2", "3"), goes_on=True)
    result = Result(found.value[0], "failed", (Miss("result", "1", "0"),), happened=happened)
    told = list(Telling(PLAIN).lines(result))
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
