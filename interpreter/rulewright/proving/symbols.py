"""Values of the language as terms of a solver."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rulewright.proving.logic import Logic, Term


class RefusedError(Exception):
    """Something that no formula says; the message tells why, as the end of a sentence."""


@dataclass(frozen=True)
class Scalar:
    """A number, word, thing, direction or text: words and things by their number, texts by one given to each."""

    term: Term


@dataclass(frozen=True)
class Truth:
    """A flag."""

    term: Term


@dataclass(frozen=True)
class Maybe:
    """A value that may be `none`; without a value it always is."""

    missing: Term
    value: "Symbol | None"


@dataclass(frozen=True)
class Parts:
    """A record, a tuple, or a cell by its coordinates."""

    parts: tuple["Symbol", ...]


@dataclass(frozen=True)
class Bits:
    """A set of values that can be listed: whether each of the numbers from `low` is in it."""

    low: int
    bits: tuple[Term, ...]


@dataclass(frozen=True)
class Group:
    """Any other collection.

    Attributes:
        term: it, as a member of a sort of which only equality is known.
        items: its members with whether each is there, in the order they are visited; none where they are not listed.
        holds: whether something is a member; none where the solver has to make that up.
        size: how many members it has; none likewise.
    """

    term: Term
    items: tuple[tuple[Term, "Symbol"], ...] | None = None
    holds: "Callable[[Symbol], Term] | None" = None
    size: Term | None = None


@dataclass(frozen=True)
class Sealed:
    """A value of which only equality is known: a die, a shape, a place on the plane."""

    term: Term


Symbol = Scalar | Truth | Maybe | Parts | Bits | Group | Sealed


@dataclass(frozen=True)
class Outcome:
    """What comes of an expression: a value, or the number of a fault.

    A fault that is 0 is none; where it is `None`, there never is one.
    """

    value: Symbol
    fault: Term | None = None


class Symbols:
    """What can be said of values, whatever they are."""

    def __init__(self, logic: Logic) -> None:
        self.logic = logic

    def leaves(self, symbol: Symbol) -> Iterator[Term]:
        """The terms of a value, in a fixed order."""
        match symbol:
            case Scalar(term) | Truth(term) | Group(term) | Sealed(term):
                yield term
            case Maybe(missing, value):
                yield missing
                if value is not None:
                    yield from self.leaves(value)
            case Parts(parts):
                for each in parts:
                    yield from self.leaves(each)
            case Bits(low, bits):
                yield self.logic.whole(low)
                yield from bits

    def number(self, symbol: Symbol) -> Term:
        """The term of a value that is in one piece."""
        match symbol:
            case Scalar(term):
                return term
            case Truth(term):
                return self.logic.choice(term, self.logic.whole(1), self.logic.whole(0))
            case Maybe(_, value) if value is not None:
                return self.number(value)
            case _:
                message = "a value has no number"
                raise RefusedError(message)

    def truth(self, symbol: Symbol) -> Term:
        """The term of a flag."""
        match symbol:
            case Truth(term):
                return term
            case Maybe(_, value) if value is not None:
                return self.truth(value)
            case _:
                message = "a value is no flag"
                raise RefusedError(message)

    def equal(self, left: Symbol, right: Symbol) -> Term:  # noqa: PLR0911 - one case for each sort
        """Whether two values are equal."""
        logic = self.logic
        match left, right:
            case (Maybe(), _) | (_, Maybe()):
                return self._maybe_equal(maybe(left, logic), maybe(right, logic))
            case (Scalar(a), Scalar(b)) | (Truth(a), Truth(b)):
                return logic.equal(a, b)
            case Parts(first), Parts(second) if len(first) == len(second):
                return logic.all(*map(self.equal, first, second))
            case Bits(), Bits():
                return logic.all(*(logic.equal(self.bit(left, at), self.bit(right, at)) for at in _span(left, right)))
            case (Bits(_, bits), Group(items=())) | (Group(items=()), Bits(_, bits)):
                return logic.opposite(logic.any(*bits))
            case Group(), Group():
                return self._groups_equal(left, right)
            case Sealed(a), Sealed(b) if a.sort() == b.sort():
                return logic.equal(a, b)
            case _:
                message = "two values of different sorts are compared"
                raise RefusedError(message)

    def bit(self, found: Bits, at: int) -> Term:
        """Whether a number is in a set."""
        return found.bits[at - found.low] if 0 <= at - found.low < len(found.bits) else self.logic.no

    def _maybe_equal(self, left: Maybe, right: Maybe) -> Term:
        logic = self.logic
        both = logic.all(left.missing, right.missing)
        if left.value is None or right.value is None:
            return both
        here = logic.all(logic.opposite(left.missing), logic.opposite(right.missing))
        return logic.any(both, logic.all(here, self.equal(left.value, right.value)))

    def _groups_equal(self, left: Group, right: Group) -> Term:
        for one, other in ((left, right), (right, left)):
            if other.items == () and one.size is not None:
                return self.logic.equal(one.size, self.logic.whole(0))
        if left.term.sort() != right.term.sort():
            message = "two collections of different sorts are compared"
            raise RefusedError(message)
        return self.logic.equal(left.term, right.term)

    def choice(self, condition: Term, then: Symbol, otherwise: Symbol) -> Symbol:  # noqa: C901, PLR0911 - one case for each sort
        """One of two values."""
        logic = self.logic
        if then is otherwise:
            return then
        match then, otherwise:
            case (Maybe(), _) | (_, Maybe()):
                first, second = maybe(then, logic), maybe(otherwise, logic)
                missing = logic.choice(condition, first.missing, second.missing)
                if first.value is None or second.value is None:
                    return Maybe(missing, first.value or second.value)
                return Maybe(missing, self.choice(condition, first.value, second.value))
            case Scalar(a), Scalar(b):
                return Scalar(logic.choice(condition, a, b))
            case Truth(a), Truth(b):
                return Truth(logic.choice(condition, a, b))
            case Parts(first), Parts(second) if len(first) == len(second):
                return Parts(tuple(self.choice(condition, a, b) for a, b in zip(first, second, strict=True)))
            case Bits(), Bits():
                span = _span(then, otherwise)
                chosen = [logic.choice(condition, self.bit(then, at), self.bit(otherwise, at)) for at in span]
                return Bits(span.start, tuple(chosen))
            case (Bits(), Group(items=())) | (Group(items=()), Bits()):
                return self.choice(
                    condition, *(each if isinstance(each, Bits) else Bits(0, ()) for each in (then, otherwise))
                )
            case Group(a), Group(b) if a.sort() == b.sort():
                return Group(logic.choice(condition, a, b))
            case Sealed(a), Sealed(b) if a.sort() == b.sort():
                return Sealed(logic.choice(condition, a, b))
            case _:
                message = "one of two values of different sorts is taken"
                raise RefusedError(message)

    def first(self, *faults: Term | None) -> Term | None:
        """The first fault of some that are met in turn; none where there never is one."""
        found: Term | None = None
        for each in faults:
            if each is not None:
                met = None if found is None else self.logic.equal(found, self.logic.whole(0))
                found = each if met is None else self.logic.choice(met, each, found)
        return found

    def only(self, condition: Term, fault: Term | None) -> Term | None:
        """A fault that is met only under a condition."""
        if fault is None or self.logic.is_no(condition):
            return None
        return self.logic.choice(condition, fault, self.logic.whole(0))

    def fault(self, fault: Term | None) -> Term:
        """The number of a fault, 0 for none."""
        return self.logic.whole(0) if fault is None else fault

    def alike(self, left: Outcome, right: Outcome) -> Term:
        """Whether two outcomes are the same fault, or the same value without one."""
        logic = self.logic
        same = self.equal(left.value, right.value)
        if left.fault is None and right.fault is None:
            return same
        first, second = self.fault(left.fault), self.fault(right.fault)
        none = logic.equal(first, logic.whole(0))
        return logic.all(logic.equal(first, second), logic.any(logic.opposite(none), same))


def maybe(symbol: Symbol, logic: Logic) -> Maybe:
    """A value as one that may be `none`."""
    return symbol if isinstance(symbol, Maybe) else Maybe(logic.no, symbol)


def _span(left: Bits, right: Bits) -> range:
    kept = [each for each in (left, right) if each.bits]
    if not kept:
        return range(0)
    return range(min(each.low for each in kept), max(each.low + len(each.bits) for each in kept))


def same_terms(left: Sequence[Term], right: Sequence[Term]) -> bool:
    """Whether two rows of terms are written alike."""
    return len(left) == len(right) and all(a.eq(b) for a, b in zip(left, right, strict=True))
