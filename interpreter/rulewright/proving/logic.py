"""The few words in which formulas are written, and the solver that is asked about them.

The library of the solver is an extra (`rulewright[proof]`). It is read when the first formula is made, and everything
else works without it. Terms belong to it and are `Any` to type checkers.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

from rulewright.program.expressions import COMPARES

MISSING = "the solver is not installed; `pip install rulewright[proof]`"
Term = Any
"""A term of the solver: a truth, a whole number, an exact number or a member of a sort without further properties."""


@cache
def library() -> Any:  # noqa: ANN401 - the library has no types
    """The library of the solver; none where it is not installed."""
    try:
        return import_module("z3")
    except ImportError:
        return None


class Logic:
    """Writes terms of one context of its own, so that nothing done before has a say in what is answered."""

    def __init__(self) -> None:
        self._z3 = library()
        self._context = self._z3.Context()
        self.truths = self._z3.BoolSort(self._context)
        self.wholes = self._z3.IntSort(self._context)
        self.exacts = self._z3.RealSort(self._context)
        self.yes: Term = self._z3.BoolVal(True, self._context)  # noqa: FBT003
        self.no: Term = self._z3.BoolVal(False, self._context)  # noqa: FBT003

    def sort(self, name: str) -> Any:  # noqa: ANN401
        """A sort of values that are only equal or not."""
        return self._z3.DeclareSort(name, self._context)

    def whole(self, number: int) -> Term:
        """A whole number."""
        return self._z3.IntVal(number, self._context)

    def exact(self, number: Fraction) -> Term:
        """A fraction."""
        return self._z3.Q(number.numerator, number.denominator, self._context)

    def symbol(self, name: str, sort: Any, given: Sequence[Term] = ()) -> Term:  # noqa: ANN401
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

    def __init__(self, word: str, model: Any) -> None:  # noqa: ANN401
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
