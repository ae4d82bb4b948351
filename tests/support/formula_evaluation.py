"""Formulas of one revision, worked out for a situation as a judge of the solver would."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from rulewright.diff.proving.collection_encoder import EquivalenceClasses
from rulewright.diff.proving.equivalence_query import FunctionEncoder
from rulewright.diff.proving.shared_symbols import NumberBounds, ProofRevision, SharedSymbols, SituationRead
from rulewright.diff.proving.solver_terms import (
    BitSetSymbol,
    EncodedOutcome,
    FlagSymbol,
    GroupSymbol,
    NoFormulaError,
    OptionalSymbol,
    PartsSymbol,
    ScalarSymbol,
    SymbolicValue,
    TermBuilder,
)
from rulewright.program import types as ty
from rulewright.program.declarations import Function, Program
from support.reference import functions
from support.reference.world import JudgedFault, MissingExternalValue, UnsupportedByJudge, World


@dataclass
class UnrolledFunctionEncoder(FunctionEncoder):
    """Formulas that go through the things of a situation one by one."""

    world: World | None = None

    def _encode_in_play(self, kind: str, type_: ty.Type) -> GroupSymbol:
        found = super()._encode_in_play(kind, type_)
        assert self.world is not None
        here = [each for each in self.world.list_ids(kind) if each not in self.world.game.gone[kind]]
        items = tuple((self.builder.true_term, ScalarSymbol(self.builder.int_term(each))) for each in here)
        return GroupSymbol(found.term, items, found.contains, self.builder.int_term(len(items)))


class FormulaEvaluator:
    """Works formulas out for one situation; what they read is looked up there."""

    def __init__(self, program: Program, world: World) -> None:
        self.logic = TermBuilder()
        common = SharedSymbols(self.logic)
        revision = ProofRevision("new", program, lambda _, name: name, lambda _: True, NumberBounds(program))
        classes = EquivalenceClasses(common, 0, max_queries=0)
        self.formulas = UnrolledFunctionEncoder(common, revision, classes=classes, world=world)
        self._world = world
        self._pairs: list[Any] = []
        self._seen = 0

    def compute_outcome(self, function: Function, given: Sequence[Any]) -> Any:
        """What formulas make of a function: a value, the code of a fault, or `...` where they leave something open."""
        symbols = [self._encode_value(value, each.type) for value, each in zip(given, function.parameters, strict=True)]
        try:
            found = self.formulas.encode_function(function, symbols)
        except NoFormulaError:
            return ...
        return self._read_result(found, function.type)

    def _read_result(self, found: EncodedOutcome, type_: ty.Type) -> Any:
        for each in self.formulas.shared.reads[self._seen :]:
            self._look_up(each)
        self._seen = len(self.formulas.shared.reads)
        if found.fault is not None:
            fault = self._evaluate_number(found.fault)
            if fault is ... or fault:
                return fault if fault is ... else f"RW{fault:04}"
        return self._decode_value(found.value, type_)

    def _look_up(self, read: SituationRead) -> None:
        game = self._world.game
        if read.sort == "field":
            value = game.game[read.name]
        elif read.sort == "setting":
            value = self._world.start.base.settings[read.name]
        elif read.sort == "relation":
            pair = tuple(self._evaluate_number(each) for each in read.given)
            if ... in pair:
                return
            value = pair in game.relations[read.name.partition(" thing ")[0]]
        else:
            thing = self._evaluate_number(read.given[0])
            held = game.gone[read.name] if read.sort == "gone" else game.attributes[read.name]
            known = thing is not ... and thing in self._world.list_ids(read.name.partition("/")[0])
            if not known:
                return
            value = thing in held if read.sort == "gone" else held[thing]
        self._pairs += list(self._fix_symbol(read.symbol, value))

    def _fix_symbol(self, symbol: SymbolicValue, value: Any) -> Iterator[tuple[Any, Any]]:
        match symbol:
            case OptionalSymbol(missing, inner):
                yield missing, self._evaluate_truth(value is None)
                if value is not None and inner is not None:
                    yield from self._fix_symbol(inner, value)
            case FlagSymbol(term):
                yield term, self._evaluate_truth(value)
            case ScalarSymbol(term) if isinstance(value, str):
                yield term, self.logic.int_term(self.formulas.shared.number_text(value))
            case ScalarSymbol(term) if term.sort() == self.logic.int_sort:
                yield term, self.logic.int_term(value)
            case ScalarSymbol(term):
                yield term, self.logic.real_term(Fraction(value))
            case PartsSymbol(parts):
                for part, each in zip(parts, value, strict=True):
                    yield from self._fix_symbol(part, each)
            case BitSetSymbol(low, bits):
                yield from ((bit, self._evaluate_truth(low + at in value)) for at, bit in enumerate(bits))

    def _evaluate_truth(self, value: bool) -> Any:
        return self.logic.true_term if value else self.logic.false_term

    def _evaluate_number(self, term: Any) -> Any:
        found = z3.simplify(z3.substitute(term, *self._pairs) if self._pairs else term)
        if z3.is_true(found) or z3.is_false(found):
            return bool(z3.is_true(found))
        if z3.is_int_value(found):
            return found.as_long()
        if z3.is_rational_value(found):
            return Fraction(found.numerator_as_long(), found.denominator_as_long())
        return ...

    def _decode_value(self, symbol: SymbolicValue, type_: ty.Type) -> Any:
        match symbol:
            case OptionalSymbol(missing, inner):
                none = self._evaluate_number(missing)
                if none is ... or none:
                    return none if none is ... else None
                assert inner is not None
                return self._decode_value(inner, type_.inner if isinstance(type_, ty.OptionalType) else type_)
            case FlagSymbol(term) | ScalarSymbol(term):
                return self._evaluate_number(term)
            case BitSetSymbol(low, bits):
                found = [self._evaluate_number(bit) for bit in bits]
                return ... if ... in found else tuple(low + at for at, here in enumerate(found) if here)
            case PartsSymbol(parts):
                made = tuple(self._decode_value(each, ty.WHOLE) for each in parts)
                return ... if ... in made else made
            case _:
                return ...

    def _encode_value(self, value: Any, type_: ty.Type) -> SymbolicValue:
        match type_:
            case ty.OptionalType(inner):
                if value is None:
                    return OptionalSymbol(self.logic.true_term, None)
                return OptionalSymbol(self.logic.false_term, self._encode_value(value, inner))
            case ty.FlagType():
                return FlagSymbol(self._evaluate_truth(value))
            case ty.FractionType():
                return ScalarSymbol(self.logic.real_term(Fraction(value)))
            case _:
                return ScalarSymbol(self.logic.int_term(value))


def compute_with_judge(world: World, function: Function, given: Sequence[Any]) -> Any:
    """What the judge makes of a function: a value or the code of a fault; `...` where it cannot say."""
    try:
        found = functions.call_function(world, function, tuple(given))
    except JudgedFault as fault:
        return str(fault)
    except (UnsupportedByJudge, MissingExternalValue):
        return ...
    return found
