"""Transfer functions of assignments: facts after a name, a bound member or a place of the game gets a value."""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from rulewright.checker.facts.assumption import FactLearner, assume, make_learner
from rulewright.checker.facts.bounds import REORDERED_BUILTIN, resolve_values
from rulewright.checker.facts.fact_store import (
    NONE_KEY,
    FactKey,
    Facts,
    ReadKeys,
    invalidate_facts,
    iterate_subkeys,
    limit_values,
    list_local_reads,
    make_equality_key,
    make_key,
    map_key,
    merge_facts,
)
from rulewright.checker.facts.inlining import MAX_INLINING_DEPTH, list_guarded_values, substitute_variable
from rulewright.checker.facts.intervals import Interval, add_intervals, clip_below
from rulewright.checker.facts.prover import Proof, are_distinct, compute_number_range, prove_condition
from rulewright.checker.facts.value_origins import (
    NOTHING_ASSUMED,
    AssumedKeys,
    Whereabouts,
    list_supersets,
    prove_members_there,
    prove_there,
)
from rulewright.checker.read_sets import collect_reads, unite_known
from rulewright.program import expressions as ex
from rulewright.program.conditions import is_none_literal, make_size_expression
from rulewright.program.declarations import StandingRule
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import FLAG, ListType, MapType, NumberType, OptionalType, SetType
from rulewright.program.walk import rebuild_expression


def learn_binding(facts: Facts, binding: Binding) -> Facts:
    """Facts with the names of a binding: they are members of its source, and its `where` holds."""
    learner = make_learner(facts)
    sources = collect_reads(binding.source, facts.reads)
    span = binding.source.span
    learner.learn_bounds(make_size_expression(Binding((None,), binding.source, None), span), (1, None), sources)
    if len(binding.variables) == 1 and binding.variables[0] is not None:
        item = ex.Local(type=binding.variables[0].type, span=span, variable=binding.variables[0])
        learner.facts.truths[("in", make_key(item), make_key(binding.source))] = (True, sources | collect_reads(item))
        learner.learn_member_origin(item, binding.source)
        learner.learn_member_properties(item, binding.source, 0)
    elif isinstance(binding.source, ex.Builtin) and binding.source.name == "pairs":
        for variable, source in zip(binding.variables, binding.source.arguments, strict=True):
            if variable is not None:
                item = ex.Local(type=variable.type, span=span, variable=variable)
                learner.learn_member_origin(item, source)
    if binding.where is not None:
        learner.learn(binding.where, truth=True, depth=0)
    return learner.facts


def learn_loop_members(before: Facts, facts: Facts, binding: Binding) -> Facts:
    """Facts with the member of a loop, which passes over things that have left play since it began."""
    learner = make_learner(facts)
    if len(binding.variables) == 1 and binding.variables[0] is not None:
        item = ex.Local(type=binding.variables[0].type, span=binding.source.span, variable=binding.variables[0])
        for place in Whereabouts:
            learner.learn_there(item, place, prove_members_there(before, binding.source, place))
    return learner.facts


def merge_surviving_facts(older: Facts, facts: Facts) -> Facts:
    """Union of facts of a place and older facts that still hold; newer ones win."""
    return replace(facts, truths={**older.truths, **facts.truths}, ranges={**older.ranges, **facts.ranges})


def add_values(
    facts: Facts, before: Facts, variable: Variable, values: tuple[ex.Local, ...], written: ReadKeys
) -> Facts:
    """Facts in which a name has a value that it had before, or one of some names, where nothing of these is written."""
    known, sources = before.values.get(variable.index, ((), frozenset[str]()))
    read = sources | {f"local/{value.variable.index}" for value in values}
    possible = limit_values((*known, *values)) if known and written.isdisjoint(read) else ()
    return replace(facts, values={**facts.values, variable.index: (possible, read)}) if possible else facts


def keep_member_write_facts(facts: Facts, before: Facts, name: Variable, attributes: ReadKeys) -> Facts:
    """Facts of a loop round, and older facts about attributes that a round writes of its member only."""
    truths = {
        item: fact for item, fact in before.truths.items() if _is_only_about_member(item, fact[1], name, attributes)
    }
    ranges = {
        item: fact for item, fact in before.ranges.items() if _is_only_about_member(item, fact[1], name, attributes)
    }
    return merge_surviving_facts(replace(before, truths=truths, ranges=ranges), facts)


def keep_membership_facts(facts: Facts, before: Facts, name: Variable, collections: ReadKeys) -> Facts:
    """Facts of a loop round, and memberships of its member in collections from which a round takes only that."""
    member_key = ("local", name.index)
    truths = {
        item: fact
        for item, fact in before.truths.items()
        if item[:2] == ("in", member_key) and _get_place_key(item[2]) in collections
    }
    return replace(facts, truths={**truths, **facts.truths})


def _get_place_key(name: object) -> str:
    """Fact key of the place that a value key reads as it is; "" for any other value."""
    match name:
        case ("StoredAttribute", _, kind, attribute):
            return f"{kind}/{attribute}"
        case ("GameField", field):
            return f"game/{field}"
        case ("local", index):
            return f"local/{index}"
    return ""


_TRANSPARENT_KEY_TAGS = frozenset({"in", "Entry", "Interval", "Arithmetic", "Negation"})


def _is_only_about_member(about: FactKey, sources: ReadKeys, name: Variable, attributes: ReadKeys) -> bool:
    """Whether a fact reads some of these attributes, and reads them of one thing only."""
    if sources.isdisjoint(attributes) or not _is_plain_key(about, _TRANSPARENT_KEY_TAGS):
        return False
    member_key = ("local", name.index)
    items = [subkey for subkey in iterate_subkeys(about) if subkey[0] == "StoredAttribute"]
    return all(target == member_key for _, target, kind, attribute in items if f"{kind}/{attribute}" in attributes)


def define_reordered_list(facts: Facts, variable: Variable, source: Expression) -> Facts:
    """Facts after a name got the members of a collection in some order."""
    learner = make_learner(invalidate_facts(facts, frozenset({f"local/{variable.index}"})))
    item = ex.Local(type=variable.type, span=source.span, variable=variable)
    value = ex.Builtin(type=variable.type, span=source.span, name=REORDERED_BUILTIN, arguments=(source, item))
    learner.facts.values[variable.index] = ((value,), collect_reads(value, facts.reads))
    learner.learn_part(item, facts, source)
    return learner.facts


def define_picked_subset(facts: Facts, answer: Expression, source: Expression) -> Facts:
    """Facts after a name got a subset of a collection: its members are in play and on the board as those are."""
    learner = make_learner(facts)
    learner.learn_part(answer, facts, source)
    return learner.facts


def update_collection_membership(
    before: Facts, facts: Facts, collection: Expression, member_: Expression | None
) -> Facts:
    """Facts after a member was added to a named collection, or with None one was taken from it."""
    learner = make_learner(facts)
    for place in Whereabouts:
        added = NOTHING_ASSUMED if member_ is None else prove_there(before, member_, place)
        assumed = unite_known((prove_members_there(before, collection, place), added))
        learner.learn_members_there(collection, place, assumed)
    size = make_size_expression(Binding((None,), collection, None), collection.span)
    known, change = compute_number_range(before, size), (1, 1) if member_ is not None else (-1, -1)
    if isinstance(collection.type, SetType):  # which may have had the member, or not
        change = (min(change[0], 0), max(change[1], 0))
    learner.learn_bounds(size, clip_below(add_intervals(known, change), 0), collect_reads(collection, facts.reads))
    return learner.facts


def _learn_min_max_comparisons(learner: FactLearner, variable: Variable, value: Expression) -> None:
    """Learns how the value of `min` or `max` compares with each argument.

    Each comparison is a fact of its own, and stays when another argument changes.
    """
    match value:
        case ex.Builtin(name="min" | "max" as word, arguments=(_, _, *_) as arguments):
            item = ex.Local(type=variable.type, span=value.span, variable=variable)
            operator = "<=" if word == "min" else ">="
            for argument in arguments:
                comparison = ex.Comparison(type=FLAG, span=value.span, operator=operator, left=item, right=argument)
                learner.learn(comparison, truth=True, depth=0)
        case _:
            pass


def define_variable(facts: Facts, variable: Variable, value: Expression, *, first: bool = False) -> Facts:
    """Facts after a name got a value (strong update); `first` where it had none before."""
    bounds = compute_number_range(facts, value) if isinstance(value.type, NumberType) else None
    variable_keys = frozenset({f"local/{variable.index}"})
    learner = make_learner(replace(facts, learnt_depths={}) if first else invalidate_facts(facts, variable_keys))
    name = ("local", variable.index)
    values = limit_values(_list_possible_values(facts, value, 0))
    sources = frozenset(read for value in values for read in collect_reads(value, facts.reads))
    if values and not variable_keys & sources:
        learner.facts.values[variable.index] = (values, sources)
    if bounds is not None:
        learner.facts.ranges[name] = (bounds, variable_keys)
    if not variable_keys & collect_reads(value, facts.reads):
        _learn_min_max_comparisons(learner, variable, value)
    if isinstance(variable.type, OptionalType) and (is_none_literal(value) or not isinstance(value.type, OptionalType)):
        learner.facts.truths[make_equality_key(name, NONE_KEY)] = (is_none_literal(value), variable_keys)
    item = ex.Local(type=variable.type, span=value.span, variable=variable)
    for place in Whereabouts:
        learner.learn_there(item, place, _prove_all_values_there(facts, value, place, 0))
    learner.learn_part(item, facts, value)
    if isinstance(value, ex.Entry) and isinstance(value.target.type, ListType):
        for collection in (value.target, *list_supersets(facts, value.target)):
            reads = collect_reads(collection, facts.reads)
            learner.facts.truths[("in", make_key(item), make_key(collection))] = (True, variable_keys | reads)
    return learner.facts


def define_by_rows(facts: Facts, variable: Variable, rows: tuple[tuple[Expression, Expression | None], ...]) -> Facts:
    """Facts after a name got the value of the first row whose condition held, as by a `decide`."""
    branches = []
    for value, guard in rows:
        branches.append(define_variable(facts if guard is None else assume(facts, guard, truth=True), variable, value))
        if guard is not None:
            facts = assume(facts, guard, truth=False)
    return reduce(merge_facts, branches)


def _prove_all_values_there(facts: Facts, value: Expression, place: Whereabouts, depth: int) -> AssumedKeys:
    """Assumptions under which all values of an expression are there, each with the conditions that lead to it."""
    if depth > MAX_INLINING_DEPTH:
        return None
    rows = list_guarded_values(value, facts.functions, depth + 1)
    whole = prove_there(facts, value, place)
    if not rows or whole is not None:
        return whole
    items = []
    for item, guard in rows:
        inner = facts if guard is None else assume(facts, guard, truth=True)
        items.append(_prove_all_values_there(inner, item, place, depth + 1))
        if guard is not None:
            facts = assume(facts, guard, truth=False)
    return unite_known(items)


def _list_possible_values(facts: Facts, value: Expression, depth: int) -> tuple[Expression, ...]:
    if isinstance(value, ex.Local) and value.variable.index in facts.values:
        return resolve_values(facts, value)
    rows = list_guarded_values(value, facts.functions, depth + 1)
    return tuple(item for row, _ in rows for item in _list_possible_values(facts, row, depth + 1)) or (value,)


def define_size(facts: Facts, variable: Variable, size: Interval, number: Expression | None = None) -> Facts:
    """Facts after a name got a collection or pool with so many members; `number` is their number, if it is known."""
    variable_keys = frozenset({f"local/{variable.index}"})
    known = replace(facts, ranges={**facts.ranges, ("size", ("local", variable.index)): (size, variable_keys)})
    if number is None:
        return known
    return replace(
        known, sizes={**facts.sizes, variable.index: (number, variable_keys | collect_reads(number, facts.reads))}
    )


_PLAIN_KEY_TAGS = frozenset({"=", "<", "local", "literal", "WordLiteral", "StoredAttribute"})


_SYMMETRIC_GEOMETRY = frozenset({"adjacent", "distance"})


def update_after_assignment(
    facts: Facts,
    place: ex.StoredAttribute | ex.GameField,
    value: Expression | None,
    written: ReadKeys,
    others: ReadKeys,
) -> Facts:
    """Facts after a place got a value; None is any value.

    `written` are the keys that the line and what follows it may write, `others` those that standing rules and watches
    may have written since. Facts about things that are certainly others are kept.
    """
    known = invalidate_facts(facts, written)
    truths = dict(known.truths) | _learn_changed_value(facts, place, value)
    for name, (truth, sources) in facts.truths.items():
        if name in truths:
            continue
        if (
            not sources & others
            and isinstance(place, ex.StoredAttribute)
            and _is_about_other_things(facts, name, place)
        ):
            truths[name] = truth, sources
        for item in _rewrite_by_names(facts, name, written):
            truths.setdefault(item, (truth, list_local_reads(item)))
    known = replace(known, truths=truths)
    place_reads = collect_reads(place, facts.reads)
    moves = isinstance(place, ex.StoredAttribute) and not written.isdisjoint(collect_reads(place.target, facts.reads))
    if value is None or place_reads & others or moves:
        return known
    # the value may differ by now; that it is not none stays true
    if collect_reads(value, facts.reads) & written:
        there = isinstance(place.type, OptionalType) and not isinstance(value.type, OptionalType)
        more = {make_equality_key(make_key(place), NONE_KEY): (False, place_reads)} if there else {}
        return replace(known, truths={**known.truths, **more})
    return assume(known, ex.Comparison(type=FLAG, span=value.span, operator="=", left=place, right=value), truth=True)


def keep_other_entries(before: Facts, after: Facts, entry: ex.Entry, others: ReadKeys) -> Facts:
    """Facts after a line wrote one entry of a map: also those about entries under keys that are certainly others.

    `others` are the keys that standing rules and watches may have written since.
    """
    key, place = make_key(entry.key), _get_place_key(make_key(entry.target))
    if not isinstance(entry.target.type, MapType) or key[0] not in _CONSTANT_KEY_TAGS or place in others:
        return after

    def is_kept(name: FactKey, sources: ReadKeys) -> bool:
        return (
            place in sources
            and sources.isdisjoint(others)
            and _is_plain_key(name, _TRANSPARENT_KEY_TAGS)
            and _reads_only_other_entries(name, place, key)
        )

    return replace(
        after,
        truths={**{name: fact for name, fact in before.truths.items() if is_kept(name, fact[1])}, **after.truths},
        ranges={**{name: fact for name, fact in before.ranges.items() if is_kept(name, fact[1])}, **after.ranges},
    )


_CONSTANT_KEY_TAGS = frozenset({"literal", "WordLiteral"})


def _reads_only_other_entries(name: object, place: str, key: FactKey) -> bool:
    """Whether a key reads a map only at constants other than `key`."""
    match name:
        case ("Entry", tuple() as target, tuple() as other) if _get_place_key(target) == place:
            return other[0] in _CONSTANT_KEY_TAGS and other != key
        case tuple():
            return _get_place_key(name) != place and all(_reads_only_other_entries(item, place, key) for item in name)
        case _:
            return True


def is_rule_still_inapplicable(facts: Facts, rule: StandingRule, place: ex.StoredAttribute, value: Expression) -> bool:
    """Whether a standing rule that did not apply before an assignment does not apply after it either.

    It must read the attribute of its own member only, and not hold of the thing changed.
    """
    match rule.binding:
        case Binding(variables=(Variable() as member,), source=ex.InPlay(kind=kind), where=None) if kind == place.kind:
            rule_member = ex.Local(type=member.type, span=place.span, variable=member)
        case _:
            return False
    attribute = f"{place.kind}/{place.name}"
    after = replace_place_value(rule.condition, replace(place, target=rule_member), value)
    if attribute in collect_reads(after, facts.reads) - collect_reads(value, facts.reads):
        return False
    return prove_condition(facts, substitute_variable(after, member, place.target)) is Proof.REFUTED


def replace_place_value(
    condition: Expression, place: ex.StoredAttribute | ex.GameField, value: Expression
) -> Expression:
    """A condition with `value` in place of `place`."""
    if make_key(condition) == make_key(place):
        return value
    return rebuild_expression(
        condition,
        lambda binding: replace_place_value(binding, place, value) if not isinstance(binding, Binding) else binding,
    )


def _learn_changed_value(
    facts: Facts, place: Expression, value: Expression | None
) -> dict[FactKey, tuple[bool, ReadKeys]]:
    """Learns that the new value differs from the old one, where names hold both."""
    if not isinstance(value, ex.Local):
        return {}
    result: dict[FactKey, tuple[bool, ReadKeys]] = {}
    for index, (values, _) in facts.values.items():
        if [make_key(item) for item in values] == [make_key(place)] and are_distinct(facts, value, place):
            both = make_equality_key(make_key(value), ("local", index))
            result[both] = (False, frozenset({f"local/{index}", f"local/{value.variable.index}"}))
    return result


def _is_plain_key(name: FactKey, more: frozenset[str] = frozenset()) -> bool:
    """Whether a key is made of names, constants, attributes and the tags in `more` only."""
    tags = [subkey for subkey in iterate_subkeys(name) if subkey and isinstance(subkey[0], str)]
    return all(
        tag[0] in _PLAIN_KEY_TAGS or tag[0] in more or (tag[0] == "Builtin" and tag[1] in _SYMMETRIC_GEOMETRY)
        for tag in tags
    )


def _is_about_other_things(facts: Facts, name: FactKey, place: ex.StoredAttribute) -> bool:
    """Whether a fact is about this attribute of things only that are certainly others."""
    if not _is_plain_key(name):
        return False
    for subkey in iterate_subkeys(name):
        match subkey:
            case ("StoredAttribute", target, place.kind, place.name) if not _is_other_thing(
                facts, target, place.target
            ):
                return False
    return True


def _is_other_thing(facts: Facts, target: object, thing: Expression) -> bool:
    match target:
        case ("local", int() as index):
            other = ex.Local(type=thing.type, span=thing.span, variable=Variable("", index, thing.type))
            return are_distinct(facts, other, thing)
        case _:
            return False


def _rewrite_by_names(facts: Facts, name: FactKey, written: ReadKeys) -> Iterator[FactKey]:
    """Key of the fact with names in place of what was written, where it then reads names only."""
    for index, (values, sources) in facts.values.items():
        if len(values) == 1 and sources & written and isinstance(values[0], ex.StoredAttribute | ex.GameField):
            old, new = make_key(values[0]), ("local", index)
            renamed = map_key(name, lambda key, old=old, new=new: new if key == old else None)  # type: ignore[misc]
            if (
                renamed != name
                and _is_plain_key(renamed)
                and not any(subkey[0] == "StoredAttribute" for subkey in iterate_subkeys(renamed))
            ):
                yield renamed
