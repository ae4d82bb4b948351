"""What all callers of an inner procedure guarantee where they perform it: facts about its parameters and the game.

Facts at the calls are put into terms of the parameters and joined, as in interprocedural data-flow analysis without
contexts (Sharir and Pnueli 1981). A procedure that a player can begin, or that performs itself, has none.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial, reduce
from typing import TypeVar

from rulewright.base.frozen import replace
from rulewright.checker.effects import EffectIndex
from rulewright.checker.facts.fact_store import (
    NONE_KEY,
    FactKey,
    Facts,
    ReadKeys,
    list_local_reads,
    make_equality_key,
    make_key,
    map_key,
    merge_facts,
)
from rulewright.checker.facts.intervals import UNBOUNDED
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition
from rulewright.checker.preconditions import RecordedCall
from rulewright.program.conditions import is_none_literal
from rulewright.program.expressions import Comparison, Expression, Literal, Variable
from rulewright.program.types import FLAG, NoneType, NumberType, OptionalType

_ArgumentKeys = Mapping[FactKey, FactKey]
_Known = TypeVar("_Known")


class _ForeignNameError(Exception):
    """A fact is about a name of the caller that is not handed over."""


def order_callers_first(procedures: Collection[str], inner: Collection[str], effects: EffectIndex) -> list[str]:
    """Procedures that can be begun, then inner ones, each after all procedures that perform it; not those in cycles."""
    waiting: dict[str, set[str]] = {name: set() for name in procedures if name in inner}
    for caller in effects.iterate_routine_names():
        for callee in effects.get_routine_effects(caller).calls:
            if callee in waiting and caller in procedures:
                waiting[callee].add(caller)
    order = [name for name in procedures if name not in inner]
    for name in order:
        for callee, callers in waiting.items():
            if name in callers:
                callers.remove(name)
                order += [] if callers else [callee]
    return order


def make_guaranteed_facts(calls: Sequence[RecordedCall], parameters: tuple[Variable, ...], initial: Facts) -> Facts:
    """Facts at the beginning of a procedure that hold at all these calls; `initial`, what is known anywhere, without calls."""
    if not calls or any(len(call.arguments) != len(parameters) for call in calls):
        return initial
    return reduce(merge_facts, (_translate_facts(call, parameters, initial) for call in calls))


def _translate_facts(call: RecordedCall, parameters: tuple[Variable, ...], initial: Facts) -> Facts:
    """Facts at a call that do not hang on what its caller assumes, in terms of the parameters."""
    keys: dict[FactKey, FactKey] = {}
    for parameter, argument in zip(parameters, call.arguments, strict=True):
        if not isinstance(argument, Literal):
            keys.setdefault(make_key(argument), _get_parameter_key(parameter))
    truths, ranges = _translate_all(call.facts.truths, keys), _translate_all(call.facts.ranges, keys)
    for parameter, argument in zip(parameters, call.arguments, strict=True):
        own = frozenset({f"local/{parameter.index}"})
        if isinstance(parameter.type, OptionalType) and (is_none := _find_noneness(call.facts, argument)) is not None:
            truths[make_equality_key(_get_parameter_key(parameter), NONE_KEY)] = (is_none, own)
        if isinstance(parameter.type, NumberType) and isinstance(argument.type, NumberType):
            interval = compute_number_range(call.facts, argument)
            if interval != UNBOUNDED:
                ranges[_get_parameter_key(parameter)] = (interval, own)
    return replace(initial, truths=truths, ranges=ranges)


def _get_parameter_key(parameter: Variable) -> FactKey:
    return ("local", parameter.index)


def _find_noneness(facts: Facts, value: Expression) -> bool | None:
    if is_none_literal(value) or not isinstance(value.type, OptionalType):
        return is_none_literal(value)
    none = Literal(type=NoneType(), span=value.span, value=None)
    proof = prove_condition(facts, Comparison(type=FLAG, span=value.span, operator="=", left=value, right=none))
    return None if proof is Proof.UNKNOWN else proof is Proof.PROVED


def _translate_all(
    known: Mapping[FactKey, tuple[_Known, ReadKeys]], names: _ArgumentKeys
) -> dict[FactKey, tuple[_Known, ReadKeys]]:
    """Facts in terms of the parameters, without those on other names and those that the caller assumes."""
    result = {}
    for key, (fact, reads) in known.items():
        if any(source.startswith("entry/") for source in reads):
            continue
        with suppress(_ForeignNameError):
            translated = map_key(key, partial(_translate_key, names))
            own = list_local_reads(translated)
            result[translated] = (fact, frozenset({read for read in reads if not read.startswith("local/")} | own))
    return result


def _translate_key(names: _ArgumentKeys, key: FactKey) -> FactKey | None:
    if key not in names and key[:1] == ("local",):
        raise _ForeignNameError
    return names.get(key)
