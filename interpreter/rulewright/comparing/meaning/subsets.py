"""Sums, and conditions and branches on one value as the sets of numbers or words for which they hold."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from rulewright.frozen import dataclass
from rulewright.program import expressions as ex
from rulewright.program.conditions import both, chained, is_none
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.types import FLAG, WHOLE, ListType, NumberType, OptionalType, SetType, WordType, present
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


Piece = tuple[int | None, int | None]
_NONE = -1


@dataclass(frozen=True, slots=True)
class Subset:
    """The values of an expression for which a condition holds."""

    subject: Expression
    whole: Piece  # the values it can have; an end that is none is open. Words count from 0, `none` is -1
    pieces: tuple[Piece, ...]  # those for which the condition holds: apart from each other, rising

    @property
    def opposite(self) -> "Subset":
        """The values for which the condition fails."""
        return replace(self, pieces=tuple(_without(self.whole, self.pieces)))

    def joined(self, other: "Subset", operator: str) -> "Subset":
        """This `and` or `or` a condition on the same expression that is judged after it."""
        if operator == "or":
            return replace(self, pieces=_clipped((*self.pieces, *other.pieces), self.whole))
        outside = (*_without(self.whole, self.pieces), *_without(self.whole, _clipped(other.pieces, self.whole)))
        return replace(self, pieces=tuple(_without(self.whole, _clipped(outside, self.whole))))


class Subsets:
    """Reads conditions as subsets, and writes subsets as conditions; `same` tells whether two values are one."""

    def __init__(self, program: Program, same: Callable[[Expression, Expression], bool]) -> None:
        self._values = program.values
        self._same = same

    def of(self, node: Expression) -> Subset | None:  # noqa: PLR0911
        """The subset a condition speaks of; none where it speaks of more than one value, or of another type."""
        match node:
            case ex.Not(operand=operand):
                found = self.of(operand)
                return None if found is None else found.opposite
            case ex.Comparison(operator=operator, left=left, right=right):
                if _constant(right) is not None:
                    return self._compared(left, operator, right)
                return self._compared(right, ex.MIRRORED[operator], left)
            case ex.Membership(item=item, collection=collection, negated=negated):
                found = self._member(item, collection)
                return found.opposite if found is not None and negated else found
            case ex.Logical(operator=operator, left=left, right=right):
                first, second = self.of(left), self.of(right)
                if first is None or second is None or not self._same(first.subject, second.subject):
                    return None
                return first.joined(second, operator)
            case _:
                return None

    def _compared(self, subject: Expression, operator: str, constant: Expression) -> Subset | None:
        value = _constant(constant)
        if value is None or (value == _NONE and isinstance(subject.type, NumberType) and is_none(constant)):
            return None
        pieces: dict[str, tuple[Piece, ...]] = {
            "=": ((value, value),),
            "!=": ((None, value - 1), (value + 1, None)),
            "<": ((None, value - 1),),
            "<=": ((None, value),),
            ">": ((value + 1, None),),
            ">=": ((value, None),),
        }
        return self._subset(subject, pieces[operator])

    def _member(self, subject: Expression, collection: Expression) -> Subset | None:
        match collection:
            case ex.Interval(low=low, high=high):
                ends = _constant(low), _constant(high)
                if None in ends:
                    return None
                return self._subset(subject, (ends,) if ends[0] <= ends[1] else ())  # type: ignore[operator]
            case ex.MakeCollection(type=SetType() | ListType(), items=items):
                values = [_constant(each) for each in items]
                found = [each for each in values if each is not None]
                return self._subset(subject, [(each, each) for each in found]) if len(found) == len(values) else None
            case _:
                return None

    def _subset(self, subject: Expression, pieces: Iterable[Piece]) -> Subset | None:
        whole = self._whole(subject)
        if whole is None or _constant(subject) is not None:
            return None
        return Subset(subject, whole, _clipped(pieces, whole))

    def _whole(self, subject: Expression) -> Piece | None:
        match subject.type:
            case NumberType(low, high):
                return low, high
            case WordType(values):
                return 0, len(self._values[values].words) - 1
            case OptionalType(WordType(values)):
                return _NONE, len(self._values[values].words) - 1
            case _:
                return None

    def written(self, found: Subset) -> Expression:
        """The condition that holds for a subset, always the same for the same one."""
        if not found.pieces or found.pieces == (found.whole,):
            return _flag(found, value=bool(found.pieces))
        if isinstance(found.subject.type, NumberType):
            outside = found.opposite.pieces
            if len(outside) == 1 and outside[0][0] == outside[0][1] is not None and not _is_point(found.pieces):
                return _compared(found, "!=", outside[0][0])
            return chained([self._piece(found, each) for each in found.pieces], "or", found.subject.span)
        return self._word(found)

    def _piece(self, found: Subset, piece: Piece) -> Expression:
        low, high = piece
        if low is not None and low == high:
            return _compared(found, "=", low)
        above = None if low == found.whole[0] else _compared(found, "<", low - 1, turned=True)  # type: ignore[operator]
        below = None if high == found.whole[1] else _compared(found, "<=", high)
        if above is not None and below is not None:
            return both("and", above, below)
        return above or below or _flag(found, value=True)

    def _word(self, found: Subset) -> Expression:
        inside, outside = (list(_members(each.pieces)) for each in (found, found.opposite))
        for operator, values in (("=", inside), ("!=", outside)):
            if len(values) == 1:
                return _compared(found, operator, values[0])
        kind = found.subject.type
        items = tuple(_literal(found, each) for each in inside)
        collection = ex.MakeCollection(type=SetType(kind), span=found.subject.span, items=items)
        return ex.Membership(
            type=FLAG, span=found.subject.span, item=found.subject, collection=collection, negated=False
        )


def _is_point(pieces: tuple[Piece, ...]) -> bool:
    return len(pieces) == 1 and pieces[0][0] is not None and pieces[0][0] == pieces[0][1]


def _members(pieces: Iterable[Piece]) -> Iterator[int]:
    for low, high in pieces:
        assert low is not None
        assert high is not None
        yield from range(low, high + 1)


def _constant(node: Expression) -> int | None:
    """A whole number, the position of a word, or -1 for `none`."""
    match node:
        case ex.WordLiteral(position=position):
            return position
        case ex.Literal(value=None):
            return _NONE
        case ex.Literal(value=int() as value) if not isinstance(value, bool):
            return value
        case _:
            return None


def _clipped(pieces: Iterable[Piece], whole: Piece) -> tuple[Piece, ...]:
    """Pieces within a whole, rising, those that touch joined."""
    low, high = whole
    found: list[Piece] = []
    inside = ((_later(a, low), _sooner(b, high)) for a, b in pieces)
    for a, b in sorted(inside, key=lambda each: (each[0] is not None, each[0] or 0)):
        if a is not None and b is not None and a > b:
            continue
        if found and (found[-1][1] is None or a is None or a <= found[-1][1] + 1):
            end = found[-1][1]
            found[-1] = (found[-1][0], None if end is None or b is None else max(end, b))
        else:
            found.append((a, b))
    return tuple(found)


def _later(value: int | None, low: int | None) -> int | None:
    return low if value is None else value if low is None else max(value, low)


def _sooner(value: int | None, high: int | None) -> int | None:
    return high if value is None else value if high is None else min(value, high)


def _without(whole: Piece, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """What of a whole is in none of its pieces, which rise."""
    low, high = whole
    for a, b in pieces:
        if a is not None and (low is None or low < a):
            yield low, a - 1
        if b is None:
            return
        low = b + 1
    if high is None or low is None or low <= high:
        yield low, high


def _compared(found: Subset, operator: str, value: int | None, *, turned: bool = False) -> ex.Comparison:
    assert value is not None
    literal = _literal(found, value)
    left, right = (literal, found.subject) if turned else (found.subject, literal)
    return ex.Comparison(type=FLAG, span=found.subject.span, operator=operator, left=left, right=right)


def _literal(found: Subset, value: int) -> Expression:
    span, kind = found.subject.span, found.subject.type
    if isinstance(kind, NumberType):
        return ex.Literal(type=NumberType(value, value), span=span, value=value)
    if value == _NONE:
        return ex.Literal(type=kind, span=span, value=None)
    return ex.WordLiteral(type=present(kind), span=span, position=value)


def _flag(found: Subset, *, value: bool) -> ex.Literal:
    return ex.Literal(type=FLAG, span=found.subject.span, value=value)


_Way = TypeVar("_Way")
Arm = tuple[Subset, _Way]


@dataclass(frozen=True, slots=True)
class Branches(Generic[_Way]):
    """A condition with what comes of it, and what else."""

    condition: Expression
    then: _Way
    otherwise: _Way


@dataclass(frozen=True, slots=True)
class Switching(Generic[_Way]):
    """Finds branches that one value decides, and joins those that lead the same way."""

    subset: Callable[[Expression], Subset | None]  # what a condition on one value comes to
    key: Callable[[Any], Any]  # the same for ways that are the same
    # the branches that a way consists of; none where it is no such thing
    opened: Callable[[_Way], Branches[_Way] | None]

    def arms(self, branches: Branches[_Way]) -> list[Arm[_Way]] | None:
        """Each way once, with the values for which it is taken; none where not one value decides."""
        subset = self.subset(branches.condition)
        if subset is None:
            return None
        found: list[Arm[_Way]] = []
        for way, values in ((branches.then, subset), (branches.otherwise, subset.opposite)):
            for each, inner in self._inside(way, subset) or [(values, way)]:
                self._add(found, inner, each.joined(values, "and"))
        return [(each, way) for each, way in found if each.pieces]

    def _inside(self, way: _Way, outer: Subset) -> list[Arm[_Way]] | None:
        opened = self.opened(way)
        arms = None if opened is None else self.arms(opened)
        one = bool(arms) and self.key(arms[0][0].subject) == self.key(outer.subject)  # type: ignore[index]
        return arms if one else None

    def _add(self, found: list[Arm[_Way]], way: _Way, values: Subset) -> None:
        same = next((at for at, (_, known) in enumerate(found) if self.key(known) == self.key(way)), None)
        if same is None:
            found.append((values, way))
        else:
            found[same] = found[same][0].joined(values, "or"), way

    def joined(self, branches: Branches[_Way]) -> tuple[str, Branches[_Way], bool] | None:
        """Branches that lead the same way as one: `and` or `or`, the inner ones, whether these are turned round."""
        inner = self.opened(branches.otherwise)
        if inner is not None and self.key(branches.then) in {self.key(inner.then), self.key(inner.otherwise)}:
            return "or", inner, self.key(branches.then) != self.key(inner.then)
        inner = self.opened(branches.then)
        if inner is not None and self.key(branches.otherwise) in {self.key(inner.then), self.key(inner.otherwise)}:
            return "and", inner, self.key(branches.otherwise) != self.key(inner.otherwise)
        return None


def arms_in_order(arms: Sequence[Arm[_Way]], is_idle: Callable[[_Way], bool]) -> list[Arm[_Way]]:
    """The branches in the order of the values, one that does nothing last."""
    return sorted(arms, key=lambda arm: (is_idle(arm[1]), arm[0].pieces[0][0] is not None, arm[0].pieces[0][0] or 0))
