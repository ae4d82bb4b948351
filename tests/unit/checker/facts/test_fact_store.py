"""Facts: learnt, forgotten when what they read may change, and merged where ways meet."""

from collections.abc import Callable
from typing import Any

import pytest

from rulewright.base.source import Text
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import invalidate_facts, merge_facts
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition
from rulewright.checker.facts.transfer_functions import define_variable
from rulewright.checker.infer import expression_inference
from rulewright.program.types import FLAG, NumberType, OptionalType, SetType, ThingType
from rulewright.syntax.nodes import declarations as nodes
from rulewright.syntax.parser import parse_rules_text

TERMS = "term ready(u: Unit) gives flag means u.morale >= 3 and not u.gone\n"
NAMES = {
    "u": ThingType("Unit"),
    "t": ThingType("Unit"),
    "w": OptionalType(ThingType("Unit")),
    "n": NumberType(0, 9),
    "k": NumberType(0, 9),
    "f": FLAG,
    "s": SetType(ThingType("Unit")),
}


class Place:
    """A place in a routine with some names, where expressions are judged."""

    def __init__(self, analysed: Any) -> None:
        self.analysed = analysed
        scope = analysed.scope
        for name in ("ready", "Unit/strong", "Unit/destroyed"):
            analysed.function(name)
        self.names = {name: scope.variables.new_variable(name, type_) for name, type_ in NAMES.items()}
        self.scope = scope.with_variables(*self.names.values())
        self.facts = self.scope.facts

    def value(self, expression: str) -> Any:
        file = parse_rules_text(Text("it.rules", f"measure it: {expression}\n")).file
        node = next(each for each in file.declarations if isinstance(each, nodes.Measure))
        found = expression_inference.infer_expression(node.value, self.scope.with_facts(self.facts))
        assert found is not None, self.analysed.found.report.diagnostics
        return found

    def assume(self, condition: str, *, truth: bool = True) -> None:
        self.facts = assume(self.facts, self.value(condition), truth)

    def forget(self, *written: str) -> None:
        self.facts = invalidate_facts(self.facts, frozenset(written))

    def define(self, name: str, expression: str) -> None:
        self.facts = define_variable(self.facts, self.names[name], self.value(expression))

    def proof(self, condition: str) -> Proof:
        return prove_condition(self.facts, self.value(condition))

    def bounds(self, expression: str) -> tuple[int | None, int | None]:
        return compute_number_range(self.facts, self.value(expression))


@pytest.fixture
def place(analyse: Callable[[str], Any]) -> Place:
    return Place(analyse(TERMS))


def test_a_condition_bounds_what_it_compares(place: Place) -> None:
    place.assume("u.morale >= 1 and n < u.morale")
    assert place.bounds("u.morale") == (1, 9)
    assert place.bounds("n") == (0, 8)
    assert place.proof("u.morale > n") is Proof.PROVED
    assert place.proof("n >= u.morale") is Proof.REFUTED


def test_a_term_is_opened(place: Place) -> None:
    place.assume("ready(u)")
    assert place.bounds("u.morale") == (3, 9)
    assert place.proof("u.gone") is Proof.REFUTED
    assert place.proof("u.strong") is Proof.UNKNOWN


def test_a_derived_attribute_is_opened(place: Place) -> None:
    place.assume("u.strong", truth=False)
    assert place.bounds("u.morale") == (0, 4)
    assert place.proof("u.strong") is Proof.REFUTED


def test_what_was_written_is_forgotten(place: Place) -> None:
    place.assume("u.morale >= 1 and t.speed > 2 and n > 3 and f")
    place.forget("Unit/morale")
    assert (place.bounds("u.morale"), place.bounds("t.speed")) == ((0, 9), (3, 6))
    place.forget("*")
    assert (place.bounds("t.speed"), place.bounds("n")) == ((1, 6), (4, 9))
    place.forget(f"local/{place.names['n'].index}")
    assert place.bounds("n") == (0, 9)
    assert place.proof("f") is Proof.PROVED


def test_what_a_term_reads_is_forgotten(place: Place) -> None:
    place.assume("ready(u)")
    place.forget("Unit/gone")
    assert place.proof("ready(u)") is Proof.UNKNOWN
    assert place.bounds("u.morale") == (3, 9)


def test_the_only_value_of_a_name(place: Place) -> None:
    place.define("n", "min(k, u.morale)")
    assert place.proof("n <= u.morale") is Proof.PROVED
    assert place.proof("n <= k") is Proof.PROVED
    place.forget("Unit/morale")
    assert place.proof("n <= u.morale") is Proof.UNKNOWN


def test_a_name_counted_on_keeps_its_bounds(place: Place) -> None:
    place.define("n", "3")
    place.define("n", "n + 1")
    assert place.bounds("n") == (4, 4)


def test_a_name_that_stands_for_a_condition(place: Place) -> None:
    place.define("f", "u.morale > 4")
    place.assume("f")
    assert place.bounds("u.morale") == (5, 9)


def test_a_name_that_is_not_none(place: Place) -> None:
    place.define("w", "u")
    assert place.proof("w != none") is Proof.PROVED
    place.define("w", "none")
    assert place.proof("w != none") is Proof.REFUTED


def test_an_attribute_is_not_none_until_it_may_have_been_set(place: Place) -> None:
    place.assume("u.leader != none and w != none")
    assert place.proof("u.leader != none") is Proof.PROVED
    place.facts = invalidate_facts(place.facts, frozenset({"Unit/leader"}))
    assert place.proof("u.leader != none") is Proof.UNKNOWN
    assert place.proof("w != none") is Proof.PROVED


def test_two_ways_meet(place: Place) -> None:
    start = place.facts
    place.assume("u.morale >= 3 and n = 2 and w != none")
    first, place.facts = place.facts, start
    place.assume("u.morale >= 5 and n = 4 and w != none")
    place.facts = merge_facts(first, place.facts)
    assert place.bounds("u.morale") == (3, 9)
    assert place.bounds("n") == (2, 4)
    assert place.proof("w != none") is Proof.PROVED


def test_a_set_of_two(place: Place) -> None:
    place.assume("u.owner != t.owner")
    place.define("s", "{u, t}")
    assert place.bounds("count(s)") == (2, 2)
    assert place.proof("u in s") is Proof.PROVED
    place.forget("Unit/owner")
    assert place.proof("u = t") is Proof.REFUTED


def test_words(place: Place) -> None:
    place.assume("u.health = fit")
    assert place.proof("u.health = out") is Proof.REFUTED
    assert place.proof("u.health != fit") is Proof.REFUTED
    assert place.proof("t.health = fit") is Proof.UNKNOWN


def test_collections(place: Place) -> None:
    place.assume("some x in s where x.strong")
    assert place.proof("some y in s where y.strong") is Proof.PROVED
    assert place.proof("count({each y in s where y.strong}) >= 1") is Proof.PROVED
    assert place.proof("no y in s where y.strong") is Proof.REFUTED
    assert place.proof("no y in s where y.gone") is Proof.UNKNOWN
