"""Destinations of paths terms: the machine's search against all ways walked at once."""

from typing import Any

import pytest

from rulewright.runtime.executable import compile_program
from rulewright.runtime.request import Ended
from rulewright.runtime.run import start_run
from support.reference import functions
from support.reference.ruleset_texts import load_program, read_situation
from support.reference.world import open_world

HEXES = """\
ruleset example "Example" revision "1"
kind Unit, units:
  at: hex
  speed: 0..9 = 2
board field of hex:
  woods: flag = no
  side river: flag = no
term free(h: hex) gives flag means no x in occupants(h)
"""
ROWS = {
    "no rows": "  enter anywhere: yes\n",
    "one to three away": (
        "  enter away: distance(u.at, entered) > distance(u.at, left)\n"
        "  enter open: free(entered)\n"
        "  halt far: moves = 3\n"
        "  end moved: moves >= 1\n"
    ),
    "exactly three": "  halt far: moves = 3\n  end exact: moves = 3\n",
    "back to the start": "  halt far: moves = 2\n  end even: moves = 0 or moves = 2\n",
    "an end that is not judged": "  halt far: moves = 2\n  end woods: entered.woods when moves = 1\n",
    "costs": (
        "  cost plain: 1\n"
        "  cost woods: +1 when entered.woods\n"
        "  cost river: +2 when crossed.river\n"
        "  enter near: spent <= u.speed\n"
        "  enter open: free(entered) when moves > 0\n"
        "  halt trees: entered.woods\n"
    ),
    "the first move is free": "  cost first: +1 when moves > 1\n  enter near: spent <= 1\n  halt last: moves = 3\n",
    "dearer by what was spent": "  cost more: spent + 1\n  enter near: spent <= u.speed + 2\n",
    "over no river": "  enter dry: not crossed.river\n",
    "straight on": "  enter on: direction(left, entered) = 0\n  end edge: no x in units where x.at = entered\n",
}
STATE = """\
players: [red]
units:
  a: {at: [0, 0]}
  b: {at: [1, 0], speed: 3}
  c: {at: [-1, 1]}
field:
  shape: {radius: 2}
  cells: {"0,1": {woods: yes}, "-1,0": {woods: yes}}
"""


@pytest.mark.parametrize("traced", [False, True], ids=["untraced", "traced"])
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_machine_and_judge_find_the_same_destinations(rows: str, *, traced: bool) -> None:
    for unit, (found, wanted) in enumerate(
        _find_both_ways(f"{HEXES}paths way(u: Unit) on field from u.at:\n{rows}", traced)
    ):
        assert found == wanted, unit


def _find_both_ways(rules: str, traced: bool) -> list[tuple[Any, Any]]:
    played = load_program(rules + "procedure go(u: Unit) gives set of hex:\n  finish with way(u)\n")
    begun = read_situation(STATE, played)
    executable = compile_program(played, traced=traced)
    pairs = []
    for unit in range(3):
        ended = start_run(executable, begun, "go", (unit,))
        assert isinstance(ended, Ended)
        pairs.append(
            (ended.result, functions.call_function(open_world(played, begun), played.functions["way"], (unit,)))
        )
    return pairs
