"""Terms, relations, derived attributes, tallies, decides and tables."""

from collections.abc import Callable
from typing import Any

import pytest

from rulewright.program.declarations import Conditions, Selection, Tally, Value


def test_a_term_means_a_value(analyse: Callable[[str], Any]) -> None:
    found = analyse("term foes(u: Unit) gives set of Unit means {each e in units where e.owner != u.owner}\n")
    term = found.function("foes")
    assert str(term.type) == "set of Unit"
    assert isinstance(term.body, Value)
    assert [each.name for each in term.parameters] == ["u"]
    assert [each.name for each in term.variables] == ["u", "e"]
    assert found.report.diagnostics == []


def test_rows_keep_ids_addresses_titles_and_cites(analyse: Callable[[str], Any]) -> None:
    found = analyse(
        'term ready(u: Unit) when all "ready to fight":  @DOC:1\n'
        '  alive: not u.gone "still in play"\n'
        "  keen: u.morale > 0 when u.strong  @DOC:2.a\n"
    )
    term = found.function("ready")
    assert isinstance(term.body, Conditions)
    assert (term.title, term.body.mode, term.cites) == ("ready to fight", "all", ("DOC.1",))
    alive, keen = term.body.rows
    assert (alive.id, alive.address, alive.title, alive.cites) == ("alive", "ready/alive", "still in play", ("DOC.1",))
    assert (keen.cites, keen.guard is None) == (("DOC.2.a",), False)


def test_a_row_knows_that_those_above_held(analyse: Callable[[str], Any]) -> None:
    found = analyse(
        "term led(u: Unit) when all:\n  has: u.leader != none\n  strong: hero != none and u.morale > hero.morale\n"
        "term lone(u: Unit) when any:\n  none_at_all: hero = none\n  weak: hero.morale < u.morale\n"
    )
    assert found.function("led") is not None
    assert found.function("lone") is not None
    assert found.report.diagnostics == []


def test_over_each_selects_a_set(analyse: Callable[[str], Any]) -> None:
    found = analyse(
        "term near(u: Unit) gives set of Unit over each e in units when all:\n  close: adjacent(u.at, e.at)\n"
    )
    assert isinstance(found.function("near").body, Selection)
    assert found.report.diagnostics == []


def test_over_each_gives_the_set_it_selects(analyse: Callable[[str], Any]) -> None:
    found = analyse("term near(u: Unit) gives set of hex over each e in units when all:\n  here: not e.gone\n")
    assert found.function("near") is None
    assert found.messages() == ["RW0317 <e in units> `near` gives `set of hex`, and this selects `set of Unit`"]


def test_derived_attributes_are_typed_when_first_read(analyse: Callable[[str], Any]) -> None:
    found = analyse("kind Gun, guns:\n  twice means size * 2\n  size: 1..3\n  heavy when any:\n    big: twice > 4\n")
    assert str(found.function("Gun/twice").type) == "2..6"
    assert str(found.function("Gun/heavy").type) == "flag"
    assert found.report.diagnostics == []


def test_a_meaning_that_leads_back_to_itself(analyse: Callable[[str], Any]) -> None:
    found = analyse("term a(u: Unit) gives flag means b(u)\nterm b(u: Unit) gives flag means a(u)\n")
    assert found.function("a") is None
    assert found.messages() == ["RW0324 <a> `a` is defined by itself"]


def test_reads_go_through_calls(analyse: Callable[[str], Any]) -> None:
    found = analyse(
        "term weak(u: Unit) gives flag means not u.strong\nterm sad() gives flag means some u in units where weak(u)\n"
    )
    assert found.function("sad") is not None
    assert found.found.environment.reads_by_function["sad"] == {"Unit/gone", "Unit/morale"}


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
    assert found.report.diagnostics == []


def test_inside_for_each_the_name_of_a_tally_is_the_running_value(analyse: Callable[[str], Any]) -> None:
    found = analyse("tally score(u: Unit) from 0:\n  up: +1 for each x in units where score < 3\n")
    assert found.function("score") is not None
    assert found.report.diagnostics == []


def test_rows_have_different_names(analyse: Callable[[str], Any]) -> None:
    found = analyse("tally score(u: Unit) from 0:\n  a: +1\n  a: +2\n")
    found.function("score")
    assert found.messages() == ["RW0332 <a> two rows are called `a`"]


def test_a_row_may_say_again_what_rows_above_imply(analyse: Callable[[str], Any]) -> None:
    found = analyse("term sure(u: Unit) when all:\n  strong: u.strong\n  steady: u.morale > 2\n")
    assert found.function("sure") is not None
    assert found.messages() == []


def test_a_row_that_contradicts_rows_above(analyse: Callable[[str], Any]) -> None:
    found = analyse("term sure(u: Unit) when all:\n  strong: u.strong\n  weak: u.morale < 2\n")
    assert found.function("sure") is not None
    assert found.messages() == ["RW0404 <u.morale < 2> this condition is always `no` here"]


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
