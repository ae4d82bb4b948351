"""Formulas: the few words they are written in, values of the language as terms, and the solver that is asked.

The library of the solver is an extra (`rulewright[proof]`). It is read when the first formula is made, and everything
else works without it. Terms belong to it and are `Any` to type checkers.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from io import StringIO
from typing import Any

from rulewright.installing import installing
from rulewright.program.expressions import COMPARES

MISSING = f"the solver, which may prove it, is not installed or does not load; install it with `{installing('proof')}`"
_NO_ROOM = ("failed to map", "annot allocate memory")
"""What systems say of a library that has no room in memory."""
Term = Any
"""A term of the solver: a truth, a whole number, an exact number or a member of a sort without further properties."""


@cache
def library() -> Any:  # the library has no types
    """The library of the solver; none where it is not installed, or does not load.

    Raises:
        MemoryError: there is no room for it.
    """
    said = StringIO()
    try:
        with redirect_stdout(said):
            return import_module("z3")
    except MemoryError:
        raise
    except Exception as fault:  # noqa: BLE001 - it has an error of its own where its files do not load, and prints why
        if any(each in f"{said.getvalue()} {fault}" for each in _NO_ROOM):
            raise MemoryError from None
        return None


class Logic:
    """Writes terms in a context of its own, so that nothing done before influences an answer."""

    def __init__(self) -> None:
        self._z3 = library()
        self._context = self._z3.Context()
        self.truths = self._z3.BoolSort(self._context)
        self.wholes = self._z3.IntSort(self._context)
        self.exacts = self._z3.RealSort(self._context)
        self.yes: Term = self._z3.BoolVal(True, self._context)  # noqa: FBT003
        self.no: Term = self._z3.BoolVal(False, self._context)  # noqa: FBT003

    def sort(self, name: str) -> Any:
        """A sort of values that are only equal or not."""
        return self._z3.DeclareSort(name, self._context)

    def whole(self, number: int) -> Term:
        """A whole number."""
        return self._z3.IntVal(number, self._context)

    def exact(self, number: Fraction) -> Term:
        """A fraction."""
        return self._z3.Q(number.numerator, number.denominator, self._context)

    def symbol(self, name: str, sort: Any, given: Sequence[Term] = ()) -> Term:
        """What a name stands for, or the value of a function of which nothing is known, for some arguments."""
        if not given:
            return self._z3.Const(name, sort)
        return self._z3.Function(name, *(each.sort() for each in given), sort)(*given)

    def is_yes(self, term: Term) -> bool:
        """Whether it is written that a truth holds."""
        return bool(self._z3.is_true(term))

    def is_no(self, term: Term) -> bool:
        """Whether it is written that a truth fails."""
        return bool(self._z3.is_false(term))

    def all(self, *terms: Term) -> Term:
        """Whether all truths hold."""
        kept = [each for each in terms if not self.is_yes(each)]
        if any(map(self.is_no, kept)):
            return self.no
        return kept[0] if len(kept) == 1 else self._z3.And(kept) if kept else self.yes

    def any(self, *terms: Term) -> Term:
        """Whether some truth holds."""
        kept = [each for each in terms if not self.is_no(each)]
        if any(map(self.is_yes, kept)):
            return self.yes
        return kept[0] if len(kept) == 1 else self._z3.Or(kept) if kept else self.no

    def opposite(self, term: Term) -> Term:
        """Whether a truth fails."""
        return self.no if self.is_yes(term) else self.yes if self.is_no(term) else self._z3.Not(term)

    def choice(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """One of two terms; of numbers both become exact where one is."""
        if self.is_yes(condition) or then.eq(otherwise):
            return then
        if self.is_no(condition):
            return otherwise
        return self._z3.If(condition, *self.level(then, otherwise))

    def digit(self, truth: Term) -> Term:
        """1 where a truth holds, else 0."""
        return self.choice(truth, self.whole(1), self.whole(0))

    def equal(self, left: Term, right: Term) -> Term:
        """Whether two terms are the same."""
        return self.yes if left.eq(right) else self._folded(COMPARES["="](*self.level(left, right)))

    def compared(self, operator: str, left: Term, right: Term) -> Term:
        """Whether one of `< <= > >=` holds between numbers."""
        left, right = self.level(left, right)
        return self._folded(COMPARES[operator](left, right))

    def _folded(self, truth: Term) -> Term:
        """A truth about written numbers, decided."""
        sides = truth.children()
        if all(map(self.is_number, sides)):
            return self._z3.simplify(truth)
        return truth

    def is_number(self, term: Term) -> bool:
        """Whether a number is written."""
        return bool(self._z3.is_int_value(term) or self._z3.is_rational_value(term))

    def level(self, left: Term, right: Term) -> tuple[Term, Term]:
        """Both terms, whole numbers as exact ones where the other is exact."""
        if left.sort() == right.sort():
            return left, right
        return self.as_exact(left), self.as_exact(right)

    def as_exact(self, term: Term) -> Term:
        """A number as an exact one."""
        return self._z3.ToReal(term) if term.sort() == self.wholes else term

    def below(self, term: Term) -> Term:
        """The greatest whole number not above a number."""
        return term if term.sort() == self.wholes else self._z3.ToInt(term)

    def sum(self, terms: Sequence[Term]) -> Term:
        """Whole or exact numbers added; 0 of none."""
        found = self.whole(0)
        for number, each in enumerate(terms):
            left, right = self.level(found, each)
            found = left + right if number else each
        return found

    def replaced(self, term: Term, stood: Sequence[Term], put: Sequence[Term]) -> Term:
        """A term with other terms in the places of some."""
        pairs = [
            (old, self.as_exact(new) if old.sort() == self.exacts else new) for old, new in zip(stood, put, strict=True)
        ]
        return self._z3.substitute(term, *pairs)

    def mentions(self, term: Term, beginnings: tuple[str, ...]) -> bool:
        """Whether something in a term has a name that begins so."""
        waiting, seen = [term], set()
        while waiting:
            each = waiting.pop()
            if each.get_id() not in seen:
                seen.add(each.get_id())
                if each.decl().name().startswith(beginnings):
                    return True
                waiting.extend(each.children())
        return False

    def asked(self, facts: Sequence[Term], limit: int) -> "Answer":
        """Whether all facts can hold together, within a limit that counts the solver's steps."""
        solver = self._z3.SimpleSolver(ctx=self._context)
        solver.set("random_seed", 0)
        solver.set("rlimit", limit)
        for each in facts:
            solver.add(each)
        found = str(solver.check())
        return Answer(found, solver.model() if found == "sat" else None)


class Answer:
    """What the solver answered.

    Attributes:
        word: `sat` where all facts can hold together, `unsat` where they cannot, `unknown` where it gave up.
    """

    def __init__(self, word: str, model: Any) -> None:
        self.word = word
        self._model = model

    def value(self, term: Term) -> bool | int | Fraction | str:
        """What a term is in the situation found."""
        z3 = library()
        found = self._model.eval(term, model_completion=True)
        if z3.is_true(found) or z3.is_false(found):
            return bool(z3.is_true(found))
        if z3.is_int_value(found):
            return int(found.as_long())
        if z3.is_rational_value(found):
            return Fraction(found.numerator_as_long(), found.denominator_as_long())
        return str(found)


class RefusedError(Exception):
    """Something has no formula; the message says why, as the end of a sentence."""


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
    """Any other collection."""

    term: Term  # it, as a member of a sort of which only equality is known
    # its members with whether each is there, in the order they are visited; none where they are not listed
    items: tuple[tuple[Term, "Symbol"], ...] | None = None
    # whether something is a member; none where the solver has to make that up
    holds: "Callable[[Symbol], Term] | None" = None
    size: Term | None = None  # how many members it has; none likewise


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
                return self.logic.digit(term)
            case Maybe(_, value) if value is not None:
                return self.number(value)
            case _:
                raise RefusedError("a value has no number")

    def truth(self, symbol: Symbol) -> Term:
        """The term of a flag."""
        match symbol:
            case Truth(term):
                return term
            case Maybe(_, value) if value is not None:
                return self.truth(value)
            case _:
                raise RefusedError("a value is not a flag")

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
                raise RefusedError("two values of different sorts are compared")

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
            raise RefusedError("two collections of different sorts are compared")
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
                raise RefusedError("one of two values of different sorts is taken")

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

    def fails(self, condition: Term, code: str) -> Term | None:
        """The fault of a code, met only under a condition."""
        return self.only(condition, self.logic.whole(int(code.removeprefix("RW"))))

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
