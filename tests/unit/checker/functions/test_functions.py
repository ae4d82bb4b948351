"""Terms, relations, derived attributes, tallies, decides and tables."""

from collections.abc import Callable
from typing import Any

import pytest

from rulewright.program.declarations import Tally


def test_reads_go_through_calls(analyse: Callable[[str], Any]) -> None:
    found = analyse(
        "term weak(u: Unit) gives flag means not u.strong\nterm sad() gives flag means some u in units where weak(u)\n"
    )
    assert found.function("sad") is not None
    assert found.found.reads_by_function["sad"] == {"Unit/gone", "Unit/morale"}


TALLIES = {
    "  more: +2\n": "3..5",
    "  more: +2 when yes = u.strong\n": "1..5",
    "  more: u.morale\n": "1..12",
    "  double: times 2\n": "2..6",
    "  fixed: becomes 7\n": "7",
    "  least: at least 2\n": "2..3",
    "  most: at most 2\n": "1..2",
    "  each_one: +1 for each x in units\n": "whole number from 1",
    "  each_one: +1 for each x in units\n  most: at most 9\n": "1..9",
    "  each_one: -1 for each x in units\n  least: at least 0\n": "0..3",
    "  less: -u.morale\n  least: at least 0\n": "0..3",
}


@pytest.mark.parametrize(("rows", "type_"), TALLIES.items())
def test_a_tally_has_the_bounds_its_rows_give_it(analyse: Callable[[str], Any], rows: str, type_: str) -> None:
    found = analyse(f"tally score(u: Unit, k: 1..3) from k:\n{rows}")
    tally = found.function("score")
    assert str(tally.type) == type_
    assert isinstance(tally.body, Tally)
    assert tally.body.running.name == "score"
    assert found.found.report.diagnostics == []


SYMMETRIC = [
    "means a.owner != b.owner and adjacent(a.at, b.at)\n",
    "means melee(a, b) or a.morale = b.morale\n",
    "when all:\n  one: a.strong\n  two: b.strong\n",
    "when all:\n  both: a.strong and (b.strong and melee(a, b))\n",
]


@pytest.mark.parametrize("body", SYMMETRIC)
def test_a_relation_that_is_symmetric(analyse: Callable[[str], Any], body: str) -> None:
    found = analyse(f"relation near(a: Unit, b: Unit) symmetric {body}")
    assert found.function("near").symmetric
    assert found.messages() == []


def test_a_relation_that_may_not_be_symmetric(analyse: Callable[[str], Any]) -> None:
    found = analyse("relation near(a: Unit, b: Unit) symmetric means a.morale > b.morale\n")
    assert found.function("near") is not None
    assert found.messages() == ["RW0413 <near> it is not certain that `near(a, b)` and `near(b, a)` are always alike"]
