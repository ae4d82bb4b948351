"""Solver terms: the small term language of the formulas, values of the language as terms, and the solver itself.

The solver's library is an extra (`rulewright[proof]`). It is loaded with the first formula; everything else works
without it. Its terms are `Any` to type checkers.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from io import StringIO
from typing import Any

from rulewright.base.files import get_install_command
from rulewright.program.expressions import COMPARISON_FUNCTIONS

SOLVER_NOT_INSTALLED = "the solver, which may prove it, is not installed or does not load"
SOLVER_MISSING = f"{SOLVER_NOT_INSTALLED}; install it with `{get_install_command('proof')}`"
_OUT_OF_MEMORY_PHRASES = ("failed to map", "annot allocate memory")
"""Fragments of loader errors that mean lack of memory."""
SolverTerm = Any
"""Solver term: truth, integer, real, or member of an uninterpreted sort."""


@cache
def load_solver() -> Any:  # the library has no types
    """Library of the solver; None where it is not installed, or does not load.

    Raises:
        MemoryError: there is no room for it.
    """
    output = StringIO()
    try:
        with redirect_stdout(output):
            return import_module("z3")
    except MemoryError:
        raise
    except Exception as fault:  # noqa: BLE001 - it has an error of its own where its files do not load, and prints why
        if any(item in f"{output.getvalue()} {fault}" for item in _OUT_OF_MEMORY_PHRASES):
            raise MemoryError from None
        return None


class TermBuilder:
    """Builder of terms in a context of its own, so that earlier work does not influence an answer."""

    def __init__(self) -> None:
        self._z3 = load_solver()
        self._context = self._z3.Context()
        self.bool_sort = self._z3.BoolSort(self._context)
        self.int_sort = self._z3.IntSort(self._context)
        self.real_sort = self._z3.RealSort(self._context)
        self.true_term: SolverTerm = self._z3.BoolVal(True, self._context)  # noqa: FBT003
        self.false_term: SolverTerm = self._z3.BoolVal(False, self._context)  # noqa: FBT003

    def declare_sort(self, name: str) -> Any:
        """Uninterpreted sort: values are only equal or not."""
        return self._z3.DeclareSort(name, self._context)

    def int_term(self, number: int) -> SolverTerm:
        return self._z3.IntVal(number, self._context)

    def real_term(self, number: Fraction) -> SolverTerm:
        return self._z3.Q(number.numerator, number.denominator, self._context)

    def symbol_term(self, name: str, sort: Any, given: Sequence[SolverTerm] = ()) -> SolverTerm:
        """Constant, or application of an uninterpreted function to arguments."""
        if not given:
            return self._z3.Const(name, sort)
        return self._z3.Function(name, *(item.sort() for item in given), sort)(*given)

    def is_true(self, term: SolverTerm) -> bool:
        """Whether a term is literally true."""
        return bool(self._z3.is_true(term))

    def is_false(self, term: SolverTerm) -> bool:
        """Whether a term is literally false."""
        return bool(self._z3.is_false(term))

    def all_of(self, *terms: SolverTerm) -> SolverTerm:
        relevant = [term for term in terms if not self.is_true(term)]
        if any(map(self.is_false, relevant)):
            return self.false_term
        return relevant[0] if len(relevant) == 1 else self._z3.And(relevant) if relevant else self.true_term

    def any_of(self, *terms: SolverTerm) -> SolverTerm:
        relevant = [term for term in terms if not self.is_false(term)]
        if any(map(self.is_true, relevant)):
            return self.true_term
        return relevant[0] if len(relevant) == 1 else self._z3.Or(relevant) if relevant else self.false_term

    def negation_of(self, term: SolverTerm) -> SolverTerm:
        return self.false_term if self.is_true(term) else self.true_term if self.is_false(term) else self._z3.Not(term)

    def if_then_else(self, condition: SolverTerm, then: SolverTerm, otherwise: SolverTerm) -> SolverTerm:
        """One of two terms; integers become reals where the other is real."""
        if self.is_true(condition) or then.eq(otherwise):
            return then
        if self.is_false(condition):
            return otherwise
        return self._z3.If(condition, *self.unify_sorts(then, otherwise))

    def int_of_truth(self, truth: SolverTerm) -> SolverTerm:
        return self.if_then_else(truth, self.int_term(1), self.int_term(0))

    def equality_of(self, left: SolverTerm, right: SolverTerm) -> SolverTerm:
        return (
            self.true_term
            if left.eq(right)
            else self._fold_constants(COMPARISON_FUNCTIONS["="](*self.unify_sorts(left, right)))
        )

    def comparison_of(self, operator: str, left: SolverTerm, right: SolverTerm) -> SolverTerm:
        """Comparison of numbers by `<`, `<=`, `>` or `>=`."""
        left, right = self.unify_sorts(left, right)
        return self._fold_constants(COMPARISON_FUNCTIONS[operator](left, right))

    def _fold_constants(self, truth: SolverTerm) -> SolverTerm:
        sides = truth.children()
        if all(map(self.is_numeral, sides)):
            return self._z3.simplify(truth)
        return truth

    def is_numeral(self, term: SolverTerm) -> bool:
        return bool(self._z3.is_int_value(term) or self._z3.is_rational_value(term))

    def unify_sorts(self, left: SolverTerm, right: SolverTerm) -> tuple[SolverTerm, SolverTerm]:
        """Both terms, integers as reals where the other is real."""
        if left.sort() == right.sort():
            return left, right
        return self.as_real(left), self.as_real(right)

    def as_real(self, term: SolverTerm) -> SolverTerm:
        return self._z3.ToReal(term) if term.sort() == self.int_sort else term

    def below(self, term: SolverTerm) -> SolverTerm:
        """Floor of a number."""
        return term if term.sort() == self.int_sort else self._z3.ToInt(term)

    def sum_terms(self, terms: Sequence[SolverTerm]) -> SolverTerm:
        """Sum of integers or reals; 0 of none."""
        result = self.int_term(0)
        for number, term in enumerate(terms):
            left, right = self.unify_sorts(result, term)
            result = left + right if number else term
        return result

    def substitute_terms(self, term: SolverTerm, stood: Sequence[SolverTerm], put: Sequence[SolverTerm]) -> SolverTerm:
        pairs = [
            (old, self.as_real(new) if old.sort() == self.real_sort else new)
            for old, new in zip(stood, put, strict=True)
        ]
        return self._z3.substitute(term, *pairs)

    def mentions_symbol(self, term: SolverTerm, beginnings: tuple[str, ...]) -> bool:
        """Whether a term contains a symbol whose name has one of some prefixes."""
        waiting, visited = [term], set()
        while waiting:
            each = waiting.pop()
            if each.get_id() not in visited:
                visited.add(each.get_id())
                if each.decl().name().startswith(beginnings):
                    return True
                waiting.extend(each.children())
        return False

    def check_satisfiable(self, facts: Sequence[SolverTerm], limit: int) -> "SolverAnswer":
        """Satisfiability of facts, within a limit of the solver's steps."""
        solver = self._z3.SimpleSolver(ctx=self._context)
        solver.set("random_seed", 0)
        solver.set("rlimit", limit)
        for fact in facts:
            solver.add(fact)
        text = str(solver.check())
        return SolverAnswer(text, solver.model() if text == "sat" else None)


class SolverAnswer:
    """Answer of the solver.

    Attributes:
        word: `sat`, `unsat`, or `unknown` where it gave up.
    """

    def __init__(self, word: str, model: Any) -> None:
        self.status = word
        self._model = model

    def evaluate_term(self, term: SolverTerm) -> bool | int | Fraction | str:
        """Value of a term in the model found."""
        z3 = load_solver()
        result = self._model.eval(term, model_completion=True)
        if z3.is_true(result) or z3.is_false(result):
            return bool(z3.is_true(result))
        if z3.is_int_value(result):
            return int(result.as_long())
        if z3.is_rational_value(result):
            return Fraction(result.numerator_as_long(), result.denominator_as_long())
        return str(result)


class NoFormulaError(Exception):
    """Something has no formula; the message says why, as the end of a sentence."""


@dataclass(frozen=True)
class ScalarSymbol:
    """Number, word, thing, direction or text; words and things by their number, texts by one given to each."""

    term: SolverTerm


@dataclass(frozen=True)
class FlagSymbol:
    term: SolverTerm


@dataclass(frozen=True)
class OptionalSymbol:
    """Value that may be `none`; without a value it always is."""

    is_missing: SolverTerm
    value: "SymbolicValue | None"


@dataclass(frozen=True)
class PartsSymbol:
    """Record, tuple, or cell by its coordinates."""

    parts: tuple["SymbolicValue", ...]


@dataclass(frozen=True)
class BitSetSymbol:
    """Set over a small range: one truth for each number from `low`."""

    low: int
    bits: tuple[SolverTerm, ...]


@dataclass(frozen=True)
class GroupSymbol:
    """Any other collection."""

    term: SolverTerm
    # members with the condition that each is there, in the order of visiting; None if not listed
    items: tuple[tuple[SolverTerm, "SymbolicValue"], ...] | None = None
    # membership test; None if only the solver can decide
    contains: "Callable[[SymbolicValue], SolverTerm] | None" = None
    size: SolverTerm | None = None  # None if unknown


@dataclass(frozen=True)
class OpaqueSymbol:
    """Value of which only equality is known: a die, a shape, a place on the plane."""

    term: SolverTerm


SymbolicValue = ScalarSymbol | FlagSymbol | OptionalSymbol | PartsSymbol | BitSetSymbol | GroupSymbol | OpaqueSymbol


@dataclass(frozen=True)
class EncodedOutcome:
    """Outcome of an expression: a value, or the number of a fault.

    Fault 0 is no fault; `None` where a fault is impossible.
    """

    value: SymbolicValue
    fault: SolverTerm | None = None


class SymbolAlgebra:
    """Operations on symbolic values of any type."""

    def __init__(self, logic: TermBuilder) -> None:
        self.builder = logic

    def list_terms(self, symbol: SymbolicValue) -> Iterator[SolverTerm]:
        """Terms of a value, in a fixed order."""
        match symbol:
            case ScalarSymbol(term) | FlagSymbol(term) | GroupSymbol(term) | OpaqueSymbol(term):
                yield term
            case OptionalSymbol(missing, value):
                yield missing
                if value is not None:
                    yield from self.list_terms(value)
            case PartsSymbol(parts):
                for part in parts:
                    yield from self.list_terms(part)
            case BitSetSymbol(low, bits):
                yield self.builder.int_term(low)
                yield from bits

    def number_term(self, symbol: SymbolicValue) -> SolverTerm:
        """Term of a value with a single term."""
        match symbol:
            case ScalarSymbol(term):
                return term
            case FlagSymbol(term):
                return self.builder.int_of_truth(term)
            case OptionalSymbol(_, value) if value is not None:
                return self.number_term(value)
            case _:
                raise NoFormulaError("a value has no number")

    def truth_term(self, symbol: SymbolicValue) -> SolverTerm:
        match symbol:
            case FlagSymbol(term):
                return term
            case OptionalSymbol(_, value) if value is not None:
                return self.truth_term(value)
            case _:
                raise NoFormulaError("a value is not a flag")

    def equality_term(self, left: SymbolicValue, right: SymbolicValue) -> SolverTerm:
        logic = self.builder
        match left, right:
            case (OptionalSymbol(), _) | (_, OptionalSymbol()):
                return self._optionals_equal_term(as_optional(left, logic), as_optional(right, logic))
            case (ScalarSymbol(a), ScalarSymbol(b)) | (FlagSymbol(a), FlagSymbol(b)):
                return logic.equality_of(a, b)
            case PartsSymbol(first), PartsSymbol(second) if len(first) == len(second):
                return logic.all_of(*map(self.equality_term, first, second))
            case BitSetSymbol(), BitSetSymbol():
                return logic.all_of(
                    *(
                        logic.equality_of(self.bit_term(left, at), self.bit_term(right, at))
                        for at in _joint_span(left, right)
                    )
                )
            case (BitSetSymbol(_, bits), GroupSymbol(items=())) | (GroupSymbol(items=()), BitSetSymbol(_, bits)):
                return logic.negation_of(logic.any_of(*bits))
            case GroupSymbol(), GroupSymbol():
                return self._groups_equal_term(left, right)
            case OpaqueSymbol(a), OpaqueSymbol(b) if a.sort() == b.sort():
                return logic.equality_of(a, b)
            case _:
                raise NoFormulaError("two values of different sorts are compared")

    def bit_term(self, bit_set: BitSetSymbol, at: int) -> SolverTerm:
        """Whether a number is in a set."""
        return bit_set.bits[at - bit_set.low] if 0 <= at - bit_set.low < len(bit_set.bits) else self.builder.false_term

    def _optionals_equal_term(self, left: OptionalSymbol, right: OptionalSymbol) -> SolverTerm:
        logic = self.builder
        both = logic.all_of(left.is_missing, right.is_missing)
        if left.value is None or right.value is None:
            return both
        here = logic.all_of(logic.negation_of(left.is_missing), logic.negation_of(right.is_missing))
        return logic.any_of(both, logic.all_of(here, self.equality_term(left.value, right.value)))

    def _groups_equal_term(self, left: GroupSymbol, right: GroupSymbol) -> SolverTerm:
        for one, other in ((left, right), (right, left)):
            if other.items == () and one.size is not None:
                return self.builder.equality_of(one.size, self.builder.int_term(0))
        if left.term.sort() != right.term.sort():
            raise NoFormulaError("two collections of different sorts are compared")
        return self.builder.equality_of(left.term, right.term)

    def choose_symbol(self, condition: SolverTerm, then: SymbolicValue, otherwise: SymbolicValue) -> SymbolicValue:
        logic = self.builder
        if then is otherwise:
            return then
        match then, otherwise:
            case (OptionalSymbol(), _) | (_, OptionalSymbol()):
                first, second = as_optional(then, logic), as_optional(otherwise, logic)
                missing = logic.if_then_else(condition, first.is_missing, second.is_missing)
                if first.value is None or second.value is None:
                    return OptionalSymbol(missing, first.value or second.value)
                return OptionalSymbol(missing, self.choose_symbol(condition, first.value, second.value))
            case ScalarSymbol(a), ScalarSymbol(b):
                return ScalarSymbol(logic.if_then_else(condition, a, b))
            case FlagSymbol(a), FlagSymbol(b):
                return FlagSymbol(logic.if_then_else(condition, a, b))
            case PartsSymbol(first), PartsSymbol(second) if len(first) == len(second):
                return PartsSymbol(
                    tuple(self.choose_symbol(condition, a, b) for a, b in zip(first, second, strict=True))
                )
            case BitSetSymbol(), BitSetSymbol():
                span = _joint_span(then, otherwise)
                chosen = [
                    logic.if_then_else(condition, self.bit_term(then, at), self.bit_term(otherwise, at)) for at in span
                ]
                return BitSetSymbol(span.start, tuple(chosen))
            case (BitSetSymbol(), GroupSymbol(items=())) | (GroupSymbol(items=()), BitSetSymbol()):
                return self.choose_symbol(
                    condition,
                    *(
                        symbol if isinstance(symbol, BitSetSymbol) else BitSetSymbol(0, ())
                        for symbol in (then, otherwise)
                    ),
                )
            case GroupSymbol(a), GroupSymbol(b) if a.sort() == b.sort():
                return GroupSymbol(logic.if_then_else(condition, a, b))
            case OpaqueSymbol(a), OpaqueSymbol(b) if a.sort() == b.sort():
                return OpaqueSymbol(logic.if_then_else(condition, a, b))
            case _:
                raise NoFormulaError("one of two values of different sorts is taken")

    def first_fault(self, *faults: SolverTerm | None) -> SolverTerm | None:
        """First fault of several in order of evaluation; None where all are impossible."""
        result: SolverTerm | None = None
        for fault in faults:
            if fault is not None:
                met = None if result is None else self.builder.equality_of(result, self.builder.int_term(0))
                result = fault if met is None else self.builder.if_then_else(met, fault, result)
        return result

    def fault_only_if(self, condition: SolverTerm, fault: SolverTerm | None) -> SolverTerm | None:
        if fault is None or self.builder.is_false(condition):
            return None
        return self.builder.if_then_else(condition, fault, self.builder.int_term(0))

    def fault_of_code(self, condition: SolverTerm, code: str) -> SolverTerm | None:
        return self.fault_only_if(condition, self.builder.int_term(int(code.removeprefix("RW"))))

    def fault_number(self, fault: SolverTerm | None) -> SolverTerm:
        """Number of a fault, 0 for none."""
        return self.builder.int_term(0) if fault is None else fault

    def outcome_equality(self, left: EncodedOutcome, right: EncodedOutcome) -> SolverTerm:
        """Whether two outcomes are the same fault, or the same value without one."""
        logic = self.builder
        same = self.equality_term(left.value, right.value)
        if left.fault is None and right.fault is None:
            return same
        first, second = self.fault_number(left.fault), self.fault_number(right.fault)
        none = logic.equality_of(first, logic.int_term(0))
        return logic.all_of(logic.equality_of(first, second), logic.any_of(logic.negation_of(none), same))


def as_optional(symbol: SymbolicValue, logic: TermBuilder) -> OptionalSymbol:
    return symbol if isinstance(symbol, OptionalSymbol) else OptionalSymbol(logic.false_term, symbol)


def _joint_span(left: BitSetSymbol, right: BitSetSymbol) -> range:
    nonempty = [bit_set_symbol for bit_set_symbol in (left, right) if bit_set_symbol.bits]
    if not nonempty:
        return range(0)
    return range(
        min(bit_set_symbol.low for bit_set_symbol in nonempty),
        max(bit_set_symbol.low + len(bit_set_symbol.bits) for bit_set_symbol in nonempty),
    )


def same_terms(left: Sequence[SolverTerm], right: Sequence[SolverTerm]) -> bool:
    """Whether two sequences of terms are structurally equal."""
    return len(left) == len(right) and all(a.eq(b) for a, b in zip(left, right, strict=True))
