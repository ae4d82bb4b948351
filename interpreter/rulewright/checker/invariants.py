"""Preservation of `always` invariants by assignments.

Judged where an invariant reads attributes of the things it names; one that reads what is written through a function, a
count, a relation or a place reached from a thing is not (manual, Proofs). It is assumed to hold before the line.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from rulewright.base.diagnostics import Label
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts, make_equality_key, make_key
from rulewright.checker.facts.inlining import substitute_variable
from rulewright.checker.facts.prover import Proof, are_distinct, prove_condition
from rulewright.checker.facts.transfer_functions import learn_binding, replace_place_value
from rulewright.checker.facts.value_origins import make_gone_condition
from rulewright.checker.read_sets import collect_reads
from rulewright.checker.scope import Scope
from rulewright.program import expressions as ex
from rulewright.program.conditions import make_invariant_condition
from rulewright.program.declarations import Invariant, StandingRule
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.statements import Remove
from rulewright.program.types import FLAG, ThingType
from rulewright.program.walk import rebuild_expression

_StatePlace = ex.StoredAttribute | ex.GameField
_PLACEHOLDER_OFFSET = 900_000
UNKNOWN_VALUE_INDEX = -_PLACEHOLDER_OFFSET - 500_000
"""Variable index of an unknown value."""


@dataclass(frozen=True, slots=True)
class _InvariantInstance:
    """An invariant about particular things, and the facts before the assignment."""

    condition: Expression
    facts: Facts


def check_assignment_keeps_invariants(
    place: _StatePlace, values: tuple[Expression, ...], span: Span, scope: Scope
) -> None:
    """Warns where an assignment of one of some values may break an `always` (RW0421)."""
    for broken_invariant in find_broken_invariants(place, values, scope):
        _warn_invariant(broken_invariant, span, scope)


def find_broken_invariants(place: _StatePlace, values: tuple[Expression, ...], scope: Scope) -> Iterator[Invariant]:
    """Invariants that may not hold once a place has one of some values."""
    for invariant in scope.environment.invariants.values():
        condition = make_invariant_condition(invariant)
        if _get_place_key(place) not in collect_reads(condition, scope.facts.reads) or not _can_judge_invariant(
            condition, place, scope.facts
        ):
            continue
        instances = list(_instantiate_invariant(invariant, condition, place, scope.facts))
        if not all(_is_true_after_change(one, place, value, scope) for one in instances for value in values):
            yield invariant


def _warn_invariant(invariant: Invariant, span: Span, scope: Scope) -> None:
    message = f"`always {invariant.name}` may not hold after this line: {invariant.title or invariant.name}"
    there = (Label(invariant.span, "what always holds"),)
    notes = ("No line above makes sure that it will; if it does not, the run stops here.",)
    remedy = "check first, in an `if`, a `where` or a `require`, that the new value keeps it"
    scope.report.warning("RW0421", span, message, secondary=there, notes=notes, help=remedy)


def _get_place_key(place: _StatePlace) -> str:
    return f"{place.kind}/{place.name}" if isinstance(place, ex.StoredAttribute) else f"game/{place.name}"


def _can_judge_invariant(condition: Expression, place: _StatePlace, facts: Facts) -> bool:
    """Whether all reads of the place are attributes of the things that the invariant names."""
    blank = ex.Local(type=FLAG, span=condition.span, variable=_BLANK_VARIABLE)
    rest = (
        replace_place_value(condition, place, blank)
        if isinstance(place, ex.GameField)
        else _blank_attribute(condition, place)
    )
    return _get_place_key(place) not in collect_reads(rest, facts.reads)


_BLANK_VARIABLE = Variable("", -_PLACEHOLDER_OFFSET, FLAG)


def _blank_attribute(condition: Expression, place: ex.StoredAttribute) -> Expression:
    match condition:
        case ex.StoredAttribute(target=ex.Local(), kind=place.kind, name=place.name):
            return ex.Local(type=condition.type, span=condition.span, variable=_BLANK_VARIABLE)
        case _:
            return rebuild_expression(
                condition, lambda binding: binding if isinstance(binding, Binding) else _blank_attribute(binding, place)
            )


def _instantiate_invariant(
    invariant: Invariant, condition: Expression, place: _StatePlace, facts: Facts
) -> Iterator[_InvariantInstance]:
    """Instances about the thing changed, alone and with others that are in play."""
    names = (
        tuple(one for one in invariant.binding.variables if one is not None) if invariant.binding is not None else ()
    )
    renamed = {one: Variable(one.name, -(_PLACEHOLDER_OFFSET + 1 + one.index), one.type) for one in names}
    others = {one: ex.Local(type=one.type, span=place.span, variable=new) for one, new in renamed.items()}
    if isinstance(place, ex.GameField):
        yield _make_instance(condition, others, None, facts, {})
        return
    same = [one for one in names if one.type == ThingType(place.kind)]
    for chosen in product((True, False), repeat=len(same)):
        if any(chosen):
            given: dict[Variable, Expression] = dict(others)
            given |= {one: place.target for one, is_chosen in zip(same, chosen, strict=True) if is_chosen}
            yield _make_instance(
                condition, given, place.target, facts, dict(zip(names, _get_bound_plurals(invariant), strict=False))
            )


def _get_bound_plurals(invariant: Invariant) -> tuple[Expression, ...]:
    match invariant.binding and invariant.binding.source:
        case ex.InPlay() as source:
            return (source,)
        case ex.Builtin(name="pairs", arguments=(ex.InPlay(), ex.InPlay()) as sources):
            return sources
        case _:
            return ()


def _make_instance(
    condition: Expression,
    given: Mapping[Variable, Expression],
    changed: Expression | None,
    facts: Facts,
    plurals: Mapping[Variable, Expression],
) -> _InvariantInstance:
    truths, others = dict(facts.truths), [item for item in given.items() if item[1] is not changed]
    for _, other in others if changed is not None else ():
        truths[make_equality_key(make_key(other), make_key(changed))] = (False, frozenset())  # type: ignore[arg-type]
    known = replace(facts, truths=truths, learnt_depths={})
    for one, other in others:
        if one in plurals and isinstance(other, ex.Local):
            known = learn_binding(known, Binding((other.variable,), plurals[one], None))
    for one, other in given.items():
        condition = substitute_variable(condition, one, other)
    return _InvariantInstance(condition, assume(known, condition, truth=True))


PendingInvariant = tuple[Invariant, _StatePlace, Span]
"""An `always` that a line inside `together` may break; it has to hold again at the end of the block."""


def check_invariants_at_block_end(open_: Sequence[PendingInvariant], after: Facts | None, scope: Scope) -> None:
    """Warns of lines of a `together` block at whose end an `always` may not hold."""
    for invariant, place, span in open_ if after is not None else ():
        assert after is not None
        names = [one for one in invariant.binding.variables if one is not None] if invariant.binding is not None else []
        known, condition = after, make_invariant_condition(invariant)
        if isinstance(place, ex.StoredAttribute):
            known = assume(known, make_gone_condition(place.target), truth=False)
            condition = substitute_variable(condition, names[0], place.target) if len(names) == 1 else condition
        if len(names) > 1 or prove_condition(known, condition) is not Proof.PROVED:
            _warn_invariant(invariant, span, scope)


def _is_true_after_change(one: _InvariantInstance, place: _StatePlace, value: Expression, scope: Scope) -> bool:
    """Whether the condition holds with the new value, or a standing rule removes the thing where it does not."""
    after = replace_place_value(one.condition, place, value)
    if prove_condition(one.facts, after) is Proof.PROVED:
        return True
    without = assume(one.facts, after, truth=False)
    removing = (_get_removal_condition(rule, place) for rule in scope.environment.rules.values())
    return any(
        condition is not None and prove_condition(without, replace_place_value(condition, place, value)) is Proof.PROVED
        for condition in removing
    )


def _get_removal_condition(rule: StandingRule, place: _StatePlace) -> Expression | None:
    match rule.binding, place:
        case Binding(variables=(Variable() as member,), source=ex.InPlay(kind=kind), where=None), ex.StoredAttribute():
            for line in rule.block if kind == place.kind else ():
                if isinstance(line, Remove) and make_key(line.thing) == ("local", member.index):
                    return substitute_variable(rule.condition, member, place.target)
    return None


def learn_emptied_cell(before: Facts, after: Facts, place: ex.StoredAttribute, scope: Scope) -> Facts:
    """Facts once a thing has left a cell that a name still holds: empty, where an `always` allows only one thing."""
    truths = dict(after.truths)
    for index, (values, _) in before.values.items():
        cell_key = ("local", index)
        here = [value for value in values if make_key(value) == make_key(place)]
        cell = ex.Local(type=place.type, span=place.span, variable=Variable("", index, place.type))
        moved = are_distinct(after, cell, place)
        if len(values) == 1 and here and moved and _is_cell_exclusive(before, place, scope):
            sources = frozenset({f"local/{index}", f"{place.kind}/at", f"{place.kind}/gone"})
            truths["some", ("Builtin", "occupants", (cell_key,), place.kind)] = (False, sources)
    return replace(after, truths=truths)


def _is_cell_exclusive(facts: Facts, place: ex.StoredAttribute, scope: Scope) -> bool:
    for invariant in scope.environment.invariants.values():
        condition = make_invariant_condition(invariant)
        for one in _instantiate_invariant(invariant, condition, place, facts):
            for name in one.facts.truths:
                match name:
                    case ("in play", ("local", int() as index)) if index < -_PLACEHOLDER_OFFSET:
                        variable = Variable("", index, place.target.type)
                        other = ex.Local(type=place.target.type, span=place.span, variable=variable)
                        if are_distinct(one.facts, replace(place, target=other), place):
                            return True
                    case _:
                        pass
    return False
