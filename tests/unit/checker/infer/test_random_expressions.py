"""Whatever stands in an expression, inference ends, and says what is wrong exactly where it gives nothing."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from rulewright.base.diagnostics import has_errors
from rulewright.base.source import Span
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import invalidate_facts, merge_facts
from rulewright.checker.facts.prover import prove_condition
from rulewright.checker.facts.transfer_functions import define_variable
from rulewright.checker.infer import expression_inference
from rulewright.checker.infer.references import infer_place
from rulewright.checker.infer.type_fitting import fit_expression
from rulewright.checker.read_sets import collect_reads
from rulewright.checker.scope import Scope
from rulewright.program.types import (
    FLAG,
    DieType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    PoolType,
    SetType,
    ThingType,
    Type,
    WordType,
)
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes.expressions import Name
from support.manual_functions import FUNCTION_NAMES

MORE = """\
term ready(u: Unit) gives flag means u.morale >= 3 and not u.gone
term strongest() gives set of Unit means {each x in units where x.strong}
decide pick(u: Unit) gives Unit?:
  a: u when u.strong
  b: none otherwise
"""
UNIT = ThingType("Unit")
HELD: dict[str, Type] = {
    "u": UNIT,
    "w": OptionalType(UNIT),
    "n": NumberType(0, 9),
    "f": FLAG,
    "s": SetType(UNIT),
    "l": ListType(OptionalType(NumberType(0, 3))),
    "m": MapType(UNIT, NumberType(0, 9)),
    "p": PoolType(NumberType(1, 6)),
    "d": DieType(NumberType(1, 6)),
}
WISHES: list[Type | None] = [None, FLAG, WordType("Health"), SetType(UNIT), NumberType(0, 9), OptionalType(UNIT)]
BARE = (*HELD, "units", "field", "fit", "out", "sword", "hero", "active", "scope", "players", "strongest", "unheard")
ATTRIBUTES = [
    "morale",
    "leader",
    "health",
    "at",
    "gone",
    "strong",
    "owner",
    "blocked",
    "natural",
    "weapon",
    "amount",
    "friends",
    "unheard",
]
CALLED = (*sorted(FUNCTION_NAMES), "melee", "ready", "pick", "Hit", "unheard")
HERE = Span("example.rules", 0, 1)


class Writer:
    """Writes expressions at random."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def any(self, depth: int) -> e.Expression:
        if depth <= 0 or self.random.random() < 0.15:
            return self.leaf()
        sorts = (self.part, self.called, self.bound, self.several, self.joined, self.joined, self.joined)
        return self.random.choice(sorts)(depth - 1)

    def leaf(self) -> e.Expression:
        literals = (e.WholeNumber(3, HERE), e.NoneValue(HERE), e.Truth(value=True, span=HERE), e.TextLiteral("x", HERE))
        if self.random.random() < 0.7:
            return e.Reference(self.random.choice(BARE), HERE)
        return self.random.choice((*literals, e.Collection("set", (), HERE), e.DecimalNumber("1.5", HERE)))

    def part(self, depth: int) -> e.Expression:
        if self.random.random() < 0.5:
            return e.Attribute(self.any(depth), Name(self.random.choice(ATTRIBUTES), HERE), HERE)
        return e.Index(self.any(depth), (self.any(depth),), HERE)

    def called(self, depth: int) -> e.Expression:
        given = tuple(e.Argument(None, self.any(depth), HERE) for _ in range(self.random.randrange(4)))
        return e.Call(e.Reference(self.random.choice(CALLED), HERE), given, HERE)

    def binder(self, depth: int) -> e.Binder:
        names = tuple(
            Name(self.random.choice(["x", "y", "_", "u"]), HERE) for _ in range(self.random.choice([1, 1, 2]))
        )
        return e.Binder(names, self.any(depth), self.maybe(depth), HERE)

    def maybe(self, depth: int) -> e.Expression | None:
        return self.any(depth) if self.random.random() < 0.5 else None

    def bound(self, depth: int) -> e.Expression:
        word = self.random.choice(["some", "no", "every", "the", "set", "list", "count", "sum", "max", "total"])
        match word:
            case "set" | "list":
                return e.Comprehension(word, self.binder(depth), self.maybe(depth), HERE)
            case "some" | "no" | "every" | "the":
                body = self.any(depth) if word == "every" else None
                return e.Quantified(word, self.binder(depth), body, HERE)
            case _:
                return e.Aggregate(e.Reference(word, HERE), self.binder(depth), self.maybe(depth), HERE)

    def several(self, depth: int) -> e.Expression:
        items = tuple(self.any(depth) for _ in range(self.random.randrange(1, 4)))
        if len(items) == 3:
            return e.IfValue(*items, HERE)
        word = self.random.choice(["set", "list", "group"])
        return e.Group(items, HERE) if word == "group" else e.Collection(word, items, HERE)

    def joined(self, depth: int) -> e.Expression:
        operator = self.random.choice(
            ["or", "and", "=", "!=", "<", ">=", "in", "not in", "..", "+", "-", "*", "/", "not"]
        )
        if operator == "not":
            return e.Unary(operator, self.any(depth), HERE)
        return e.Binary(operator, self.any(depth), self.any(depth), HERE)


@pytest.mark.parametrize("batch", range(8))
def test_anything(analyse: Callable[[str], Any], batch: int) -> None:
    analysed = analyse(MORE)
    for seed in range(batch * 500, batch * 500 + 500):
        writer = Writer(seed)
        analysed.found.report.diagnostics.clear()
        scope = analysed.scope
        scope = scope.with_variables(*(scope.variables.new_variable(name, type_) for name, type_ in HELD.items()))
        node = writer.any(writer.random.randrange(1, 5))
        found = expression_inference.infer_expression(node, scope, writer.random.choice(WISHES))
        assert (found is None) == has_errors(analysed.found.report.diagnostics), seed
        if found is not None:
            _use(found, node, scope, writer.random.choice(list(HELD.values())))


def _use(found: Any, node: e.Expression, scope: Scope, slot: Type) -> None:
    collect_reads(found)
    infer_place(node, scope)
    scope.report.diagnostics.clear()
    assert (fit_expression(found, slot, scope, "it") is None) == has_errors(scope.report.diagnostics)
    define_variable(scope.facts, scope.variables.new_variable("result", found.type), found)
    if found.type == FLAG:
        held, failed = assume(scope.facts, found, truth=True), assume(scope.facts, found, truth=False)
        invalidate_facts(merge_facts(held, failed), frozenset({"Unit/morale", "*"}))
        prove_condition(held, found)
        prove_condition(failed, found)
