"""What is known of names: of the members a binding visits, and of what a name was given (manual, Proofs)."""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from rulewright.analysis.facts.bounds import REORDERED, values_of
from rulewright.analysis.facts.intervals import Range
from rulewright.analysis.facts.keys import NONE, equal, is_none, key
from rulewright.analysis.facts.knowledge import Facts, few, forget, merge
from rulewright.analysis.facts.learn import adding_to, assume, size_of, suppose
from rulewright.analysis.facts.opening import DEEPEST, chosen
from rulewright.analysis.facts.prove import number_range
from rulewright.analysis.facts.whereabouts import Granted, every, in_play, members_in_play, members_on_board, on_board
from rulewright.analysis.reads import reads
from rulewright.program.expressions import (
    Binding,
    Builtin,
    CallFunction,
    Conditional,
    Entry,
    Expression,
    Local,
    Variable,
)
from rulewright.program.types import ListType, NumberType, OptionalType


def member(facts: Facts, binding: Binding) -> Facts:
    """What is known of the names a binding makes: they are members, and what its `where` says."""
    learner = adding_to(facts, passing=True)
    sources = reads(binding.source, facts.reads)
    span = binding.source.span
    learner.bound(size_of(Binding((None,), binding.source, None), span), (1, None), sources)
    if len(binding.variables) == 1 and binding.variables[0] is not None:
        item = Local(type=binding.variables[0].type, span=span, variable=binding.variables[0])
        learner.truths[("in", key(item), key(binding.source))] = (True, sources | reads(item))
        learner.stands(item, binding.source)
        learner.among(item, binding.source, 0)
    elif isinstance(binding.source, Builtin) and binding.source.name == "pairs":
        for variable, source in zip(binding.variables, binding.source.arguments, strict=True):
            if variable is not None:
                item = Local(type=variable.type, span=span, variable=variable)
                learner.stands(item, source)
    if binding.where is not None:
        learner.learn(binding.where, truth=True, depth=0)
    return learner.facts


def visited(before: Facts, facts: Facts, binding: Binding) -> Facts:
    """What is known of the names of a loop at each turn, for what has left play since the loop began is passed over."""
    learner = adding_to(facts, passing=False)
    if len(binding.variables) == 1 and binding.variables[0] is not None:
        item = Local(type=binding.variables[0].type, span=binding.source.span, variable=binding.variables[0])
        learner.place(item, members_in_play(before, binding.source), members_on_board(before, binding.source))
    return learner.facts


def reordered(facts: Facts, variable: Variable, source: Expression) -> Facts:
    """What is known of a list that holds the members of a collection in some order."""
    learner = adding_to(forget(facts, frozenset({f"local/{variable.index}"})), passing=False)
    item = Local(type=variable.type, span=source.span, variable=variable)
    value = Builtin(type=variable.type, span=source.span, name=REORDERED, arguments=(source, item))
    learner.values[variable.index] = ((value,), reads(value, facts.reads))
    learner.gather(item, members_in_play(facts, source), members_on_board(facts, source))
    return learner.facts


def added(before: Facts, facts: Facts, collection: Expression, member_: Expression | None) -> Facts:
    """What is known of a named collection after a member was added to it; none is given where one was taken."""
    learner = adding_to(facts, passing=False)
    found = [members_in_play(before, collection), members_on_board(before, collection)]
    if member_ is not None:
        found = [every((found[0], in_play(before, member_))), every((found[1], on_board(before, member_)))]
    learner.gather(collection, *found)
    return learner.facts


def define(facts: Facts, variable: Variable, value: Expression, *, first: bool = False) -> Facts:
    """What is known after a name was given a value, the first one perhaps; what was known of the name is forgotten."""
    bounds = number_range(facts, value) if isinstance(value.type, NumberType) else None
    own = frozenset({f"local/{variable.index}"})
    learner = adding_to(replace(facts, told={}) if first else forget(facts, own), passing=False)
    name = ("local", variable.index)
    values = few(_values(facts, value, 0))
    there = _surely(facts, value, in_play, 0), _surely(facts, value, on_board, 0)
    members = members_in_play(facts, value), members_on_board(facts, value)
    sources = frozenset(each for value in values for each in reads(value, facts.reads))
    if values and not own & sources:
        learner.values[variable.index] = (values, sources)
    if bounds is not None:
        learner.ranges[name] = (bounds, own)
    if isinstance(variable.type, OptionalType) and (is_none(value) or not isinstance(value.type, OptionalType)):
        learner.truths[equal(name, NONE)] = (is_none(value), own)
    item = Local(type=variable.type, span=value.span, variable=variable)
    learner.place(item, *there)
    learner.gather(item, *members)
    if isinstance(value, Entry) and isinstance(value.target.type, ListType):
        learner.truths[("in", key(item), key(value.target))] = (True, own | reads(value.target, facts.reads))
    return learner.facts


def define_one_of(facts: Facts, variable: Variable, rows: tuple[tuple[Expression, Expression | None], ...]) -> Facts:
    """What is known after a name was given the value of the first row whose condition held, as by a `decide`."""
    ways = []
    for value, guard in rows:
        ways.append(define(facts if guard is None else assume(facts, guard, truth=True), variable, value))
        if guard is not None:
            facts = assume(facts, guard, truth=False)
    return reduce(merge, ways)


def _surely(facts: Facts, value: Expression, holds: Callable[[Facts, Expression], Granted], depth: int) -> Granted:
    """Whether something holds of every value an expression can have, each judged with what led to it."""
    if depth > DEEPEST:
        return None
    match value:
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            rows: tuple[tuple[Expression, Expression | None], ...] = ((then, condition), (otherwise, None))
        case CallFunction():
            rows = chosen(value, facts.functions, depth + 1)
        case _:
            rows = ()
    whole = holds(facts, value)
    if not rows or whole is not None:
        return whole
    found = []
    for each, guard in rows:
        inner = facts if guard is None else suppose(facts, guard, truth=True)
        found.append(_surely(inner, each, holds, depth + 1))
        if guard is not None:
            facts = suppose(facts, guard, truth=False)
    return every(found)


def _values(facts: Facts, value: Expression, depth: int) -> tuple[Expression, ...]:
    """The values an expression can have, where it chooses among a few."""
    match value:
        case Local(variable=variable) if variable.index in facts.values:
            return values_of(facts, value)
        case Conditional(then=then, otherwise=otherwise):
            return (*_values(facts, then, depth), *_values(facts, otherwise, depth))
        case CallFunction():
            rows = chosen(value, facts.functions, depth + 1)
            return tuple(each for row, _ in rows for each in _values(facts, row, depth + 1)) or (value,)
        case _:
            return (value,)


def sized(facts: Facts, variable: Variable, size: Range) -> Facts:
    """What is known after a name was given a collection or pool of so many members."""
    own = frozenset({f"local/{variable.index}"})
    return replace(facts, ranges={**facts.ranges, ("size", ("local", variable.index)): (size, own)})
