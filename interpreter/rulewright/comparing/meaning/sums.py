"""Whole numbers added and subtracted, as so many times each value and a number."""

from collections.abc import Callable, Sequence
from typing import Any

from rulewright.frozen import dataclass
from rulewright.program import expressions as ex
from rulewright.program.expressions import Expression
from rulewright.program.types import FLAG, WHOLE, NumberType
from rulewright.source import Span

Key = Callable[[Expression], Any]


@dataclass(frozen=True, slots=True)
class Term:
    """So many times a value."""

    times: int
    value: Expression


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of terms, no value twice and none no times, and a number."""

    terms: tuple[Term, ...]
    number: int


def sum_of(node: Expression, key: Key, may_go: Callable[[Expression], bool]) -> Sum | None:
    """An expression as a sum; none where it holds a value that cancels out and may not be left out."""
    found: dict[Any, tuple[int, Expression]] = {}
    number = _gather(node, 1, key, found)
    gone = (value for times, value in found.values() if times == 0)
    if not all(map(may_go, gone)):
        return None
    kept = sorted((each for each in found.items() if each[1][0]), key=lambda each: each[0])
    return Sum(tuple(Term(*each) for _, each in kept), number)


def _gather(node: Expression, times: int, key: Key, found: dict[Any, tuple[int, Expression]]) -> int:
    """Adds the terms of an expression; returns its number."""
    match node:
        case ex.Literal(value=int() as value) if not isinstance(value, bool):
            return times * value
        case ex.Negation(operand=operand):
            return _gather(operand, -times, key, found)
        case ex.Arithmetic(operator="+" | "-" as operator, left=left, right=right) if _is_whole(left, right):
            second = times if operator == "+" else -times
            return _gather(left, times, key, found) + _gather(right, second, key, found)
        case ex.Arithmetic(operator="*", left=ex.Literal(value=int() as value), right=right) if _is_whole(right):
            return _gather(right, times * value, key, found)
        case ex.Arithmetic(operator="*", left=left, right=ex.Literal(value=int() as value)) if _is_whole(left):
            return _gather(left, times * value, key, found)
        case _:
            before = found.get(key(node), (0, node))[0]
            found[key(node)] = before + times, node
            return 0


def _is_whole(*nodes: Expression) -> bool:
    return all(isinstance(each.type, NumberType) for each in nodes)


def as_sum(found: Sum, span: Span) -> Expression:
    """A sum as an expression, always the same for the same one."""
    more = [each for each in found.terms if each.times > 0]
    less = [each for each in found.terms if each.times < 0]
    if not more:
        value: Expression = constant_of(found.number, span)
    else:
        value = _added(more)
    for each in less:
        value = _two("-", value, _times(-each.times, each.value))
    if more and found.number:
        value = _two("+" if found.number > 0 else "-", value, constant_of(abs(found.number), span))
    return value


def compared_sums(found: Sum, operator: str, span: Span) -> ex.Comparison:
    """A sum that is `=`, `!=` or `<=` zero, with nothing subtracted on either side."""
    turned = operator != "<=" and bool(found.terms) and found.terms[0].times < 0
    sign = -1 if turned else 1
    left = [Term(sign * each.times, each.value) for each in found.terms if sign * each.times > 0]
    right = [Term(-sign * each.times, each.value) for each in found.terms if sign * each.times < 0]
    number = sign * found.number
    first, second = _side(left, max(0, number), span), _side(right, max(0, -number), span)
    return ex.Comparison(type=FLAG, span=span, operator=operator, left=first, right=second)


def _side(terms: Sequence[Term], number: int, span: Span) -> Expression:
    if not terms:
        return constant_of(number, span)
    value = _added(terms)
    return _two("+", value, constant_of(number, span)) if number else value


def _added(terms: Sequence[Term]) -> Expression:
    value = _times(terms[0].times, terms[0].value)
    for each in terms[1:]:
        value = _two("+", value, _times(each.times, each.value))
    return value


def _times(times: int, value: Expression) -> Expression:
    return value if times == 1 else _two("*", constant_of(times, value.span), value)


def _two(operator: str, left: Expression, right: Expression) -> ex.Arithmetic:
    return ex.Arithmetic(type=WHOLE, span=left.span, operator=operator, left=left, right=right)


def constant_of(value: int, span: Span) -> ex.Literal:
    """A whole number."""
    return ex.Literal(type=NumberType(value, value), span=span, value=value)
