"""Structural keys: two expressions with one key have one value, wherever they stand."""

from collections.abc import Iterator, Mapping

from rulewright.analysis.reads import by_identity
from rulewright.frozen import dataclass
from rulewright.program.expressions import (
    Aggregate,
    Binding,
    Builtin,
    Comparison,
    Comprehension,
    Expression,
    Literal,
    Local,
    Logical,
    Membership,
    Narrowed,
    Not,
    Quantifier,
    RelationHolds,
    TheOnly,
    Typed,
    Variable,
)
from rulewright.program.types import FlagType, SetType, ThingType
from rulewright.program.walk import contents

Key = tuple[object, ...]
_Bound = Mapping[int, int]
_FREE: _Bound = {}

NONE: Key = ("literal", "NoneType", None)


def is_none(expression: Expression) -> bool:
    """Whether it is the literal `none`, whatever type its place has given it."""
    return isinstance(expression, Literal) and expression.value is None


@dataclass(frozen=True, slots=True)
class Claim:
    """A condition in one spelling: its key, and whether the condition says so or the opposite."""

    key: Key
    truth: bool

    def opposite(self) -> "Claim":
        """The claim that holds when this one does not."""
        return Claim(self.key, not self.truth)


def key(expression: Expression, bound: _Bound = _FREE) -> Key:
    """The key of a value; names bound inside count by their nesting, so that `x` and `y` are alike."""
    return _key(expression, bound) if bound else _free_key(expression)


@by_identity(most=20_000)
def _free_key(expression: Expression) -> Key:
    return _key(expression, _FREE)


def _key(expression: Expression, bound: _Bound) -> Key:  # noqa: C901, PLR0911, PLR0912 - one case for each sort
    match expression:
        case Local(variable=variable):
            depth = bound.get(variable.index)
            return ("local", variable.index) if depth is None else ("bound", depth)
        case Literal(value=value):
            return ("literal", type(value).__name__, value)
        case Narrowed(operand=operand):
            return key(operand, bound)
        case Aggregate(word="count", binding=binding):
            return ("size", members(binding, bound))
        case Comparison() | Membership() | Not():
            said = claim(expression, bound)
            return said.key if said.truth else ("not", said.key)
        case Quantifier(word="some" | "no"):
            said = claim(expression, bound)
            return said.key if said.truth else ("not", said.key)
        case Comprehension(binding=binding) if selects(expression):
            return members(binding, bound)
        case Comprehension(binding=binding) | Aggregate(binding=binding) | Quantifier(binding=binding):
            inner = _inside(binding, bound)
            rest = expression.body if isinstance(expression, Quantifier) else expression.value
            word = "list" if isinstance(expression, Comprehension) else expression.word
            return (word, type(expression.type).__name__, members(binding, bound), rest and key(rest, inner))
        case Logical(operator=operator):
            return ("Logical", operator, *sorted((key(each, bound) for each in _sides(expression, operator)), key=repr))
        case TheOnly(binding=binding):
            return ("the", members(binding, bound))
        case RelationHolds(relation=relation, first=first, second=second):
            sides = (key(first, bound), key(second, bound))
            return ("RelationHolds", relation, *(sorted(sides, key=repr) if expression.symmetric else sides))
        case Builtin(name="occupants", arguments=(cell,), type=SetType(ThingType(kind))):
            return ("Builtin", "occupants", (key(cell, bound),), kind)
        case Builtin(name="adjacent" | "distance" | "gap" | "contact" | "overlaps" as name, arguments=arguments):
            return ("Builtin", name, tuple(sorted((key(each, bound) for each in arguments), key=repr)), "")
        case _:
            return (type(expression).__name__, *(_part(each, bound) for each in contents(expression)))


def conjuncts(condition: Expression) -> tuple[Expression, ...]:
    """What `and` joins; a condition without it alone."""
    return tuple(_sides(condition, "and"))


def _sides(expression: Expression, operator: str) -> Iterator[Expression]:
    """What `and` or `or` joins, groups of it opened."""
    if isinstance(expression, Logical) and expression.operator == operator:
        yield from _sides(expression.left, operator)
        yield from _sides(expression.right, operator)
    else:
        yield expression


def _part(value: object, bound: _Bound) -> object:
    if isinstance(value, tuple):
        return tuple(_part(each, bound) for each in value)
    if isinstance(value, Typed):
        return key(value, bound)  # type: ignore[arg-type]
    return value


def _inside(binding: Binding, bound: _Bound) -> _Bound:
    depth = len(bound)
    names: list[Variable] = [each for each in binding.variables if each is not None]
    return {**bound, **{each.index: depth + place for place, each in enumerate(names)}}


def selects(comprehension: Comprehension) -> bool:
    """Whether it is `{each x in S where C}`, without a value of its own."""
    value, names = comprehension.value, comprehension.binding.variables
    return isinstance(value, Local) and len(names) == 1 and value.variable == names[0]


def members(binding: Binding, bound: _Bound = _FREE) -> Key:
    """The key of the members a binding visits."""
    source = key(binding.source, bound)
    if binding.where is None:
        return source
    return ("where", source, len(binding.variables), key(binding.where, _inside(binding, bound)))


_ORDERS = {"<": (False, True), ">=": (False, False), ">": (True, True), "<=": (True, False)}


def claim(condition: Expression, bound: _Bound = _FREE) -> Claim:
    """A condition in one spelling: `a >= b` is the opposite of `a < b`, `some` of `no`, `x = no` of `x`."""
    return _claim(condition, bound) if bound else _free_claim(condition)


@by_identity(most=20_000)
def _free_claim(condition: Expression) -> Claim:
    return _claim(condition, _FREE)


def _claim(condition: Expression, bound: _Bound) -> Claim:
    match condition:
        case Not(operand=operand):
            return claim(operand, bound).opposite()
        case Comparison(operator="=" | "!=" as operator, left=left, right=right):
            said = _equality(left, right, bound)
            return said if operator == "=" else said.opposite()
        case Comparison(operator=operator, left=left, right=right):
            swapped, truth = _ORDERS[operator]
            first, second = (right, left) if swapped else (left, right)
            return Claim(("<", key(first, bound), key(second, bound)), truth)
        case Membership(item=item, collection=collection, negated=negated):
            return Claim(("in", key(item, bound), key(collection, bound)), not negated)
        case Quantifier(word="some" | "no" as word, binding=binding):
            return Claim(("some", members(binding, bound)), word == "some")
        case _:
            return Claim(key(condition, bound), truth=True)


def _equality(left: Expression, right: Expression, bound: _Bound) -> Claim:
    for flag, other in ((right, left), (left, right)):
        if isinstance(flag, Literal) and isinstance(flag.type, FlagType):
            said = claim(other, bound)
            return said if flag.value else said.opposite()
    first, second = key(left, bound), key(right, bound)
    return Claim(equal(first, second), truth=True)


def equal(first: Key, second: Key) -> Key:
    """The key of `first = second`, the same in both orders."""
    return ("=", *sorted((first, second), key=repr))
