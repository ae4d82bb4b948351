"""What is known after something got a value: a name, a member of a binding, a place of the game (manual, Proofs)."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce

from rulewright.analysis.facts.bounds import REORDERED, values_of
from rulewright.analysis.facts.intervals import Range
from rulewright.analysis.facts.knowledge import NONE, Facts, Key, Sources, equal, few, forget, key, merge
from rulewright.analysis.facts.learn import Learner, adding_to, suppose
from rulewright.analysis.facts.opening import DEEPEST, chosen, instead
from rulewright.analysis.facts.origins import Granted, every, in_play, members_in_play, members_on_board, on_board
from rulewright.analysis.facts.prove import Proof, number_range, prove
from rulewright.analysis.reads import reads
from rulewright.program import expressions as ex
from rulewright.program.conditions import is_none, size_of
from rulewright.program.declarations import StandingRule
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import FLAG, ListType, NumberType, OptionalType
from rulewright.program.walk import rebuilt


def member(facts: Facts, binding: Binding) -> Facts:
    """What is known of the names a binding makes: they are members, and what its `where` says."""
    learner = adding_to(facts)
    sources = reads(binding.source, facts.reads)
    span = binding.source.span
    learner.bound(size_of(Binding((None,), binding.source, None), span), (1, None), sources)
    if len(binding.variables) == 1 and binding.variables[0] is not None:
        item = ex.Local(type=binding.variables[0].type, span=span, variable=binding.variables[0])
        learner.truths[("in", key(item), key(binding.source))] = (True, sources | reads(item))
        learner.stands(item, binding.source)
        learner.among(item, binding.source, 0)
    elif isinstance(binding.source, ex.Builtin) and binding.source.name == "pairs":
        for variable, source in zip(binding.variables, binding.source.arguments, strict=True):
            if variable is not None:
                item = ex.Local(type=variable.type, span=span, variable=variable)
                learner.stands(item, source)
    if binding.where is not None:
        learner.learn(binding.where, truth=True, depth=0)
    return learner.facts


def visited(before: Facts, facts: Facts, binding: Binding) -> Facts:
    """What is known of the names of a loop at each turn, as the loop passes over things that have left play since."""
    learner = adding_to(facts)
    if len(binding.variables) == 1 and binding.variables[0] is not None:
        item = ex.Local(type=binding.variables[0].type, span=binding.source.span, variable=binding.variables[0])
        learner.place(item, members_in_play(before, binding.source), members_on_board(before, binding.source))
    return learner.facts


def together(older: Facts, facts: Facts) -> Facts:
    """The facts of a place, and what was known further up that still holds."""
    return replace(facts, truths={**older.truths, **facts.truths}, ranges={**older.ranges, **facts.ranges})


def undisturbed(facts: Facts, before: Facts, name: Variable, attributes: Sources) -> Facts:
    """The facts of a turn of a loop, and those from before about attributes that a turn writes of its member only."""
    truths = {each: fact for each, fact in before.truths.items() if _only_of(each, fact[1], name, attributes)}
    ranges = {each: fact for each, fact in before.ranges.items() if _only_of(each, fact[1], name, attributes)}
    return together(replace(before, truths=truths, ranges=ranges), facts)


def still_held(facts: Facts, before: Facts, name: Variable, collections: Sources) -> Facts:
    """The facts of a turn of a loop, and that its member is in the collections from which a turn takes only that."""
    own = ("local", name.index)
    truths = {
        each: fact
        for each, fact in before.truths.items()
        if each[:2] == ("in", own) and _place_of(each[2]) in collections
    }
    return replace(facts, truths={**truths, **facts.truths})


def _place_of(name: object) -> str:
    """The place that a key reads as it is, in the notation of `forget`; nothing for any other value."""
    match name:
        case ("StoredAttribute", _, kind, attribute):
            return f"{kind}/{attribute}"
        case ("GameField", field):
            return f"game/{field}"
        case ("local", index):
            return f"local/{index}"
    return ""


_SEEN_THROUGH = frozenset({"in", "Entry", "Interval", "Arithmetic", "Negation"})


def _only_of(about: Key, sources: Sources, name: Variable, attributes: Sources) -> bool:
    """Whether a fact reads some of these attributes, and of nothing but one thing."""
    if sources.isdisjoint(attributes) or not _is_plain(about, _SEEN_THROUGH):
        return False
    own = ("local", name.index)
    found = [each for each in _parts(about) if each[0] == "StoredAttribute"]
    return all(target == own for _, target, kind, attribute in found if f"{kind}/{attribute}" in attributes)


def reordered(facts: Facts, variable: Variable, source: Expression) -> Facts:
    """What is known of a list that holds the members of a collection in some order."""
    learner = adding_to(forget(facts, frozenset({f"local/{variable.index}"})))
    item = ex.Local(type=variable.type, span=source.span, variable=variable)
    value = ex.Builtin(type=variable.type, span=source.span, name=REORDERED, arguments=(source, item))
    learner.values[variable.index] = ((value,), reads(value, facts.reads))
    learner.gather(item, members_in_play(facts, source), members_on_board(facts, source))
    return learner.facts


def picked(facts: Facts, answer: Expression, source: Expression) -> Facts:
    """What is known of a set picked out of a collection: its members are in play and on the board as those are."""
    learner = adding_to(facts)
    learner.gather(answer, members_in_play(facts, source), members_on_board(facts, source))
    return learner.facts


def added(before: Facts, facts: Facts, collection: Expression, member_: Expression | None) -> Facts:
    """What is known of a named collection after a member was added to it; none is given where one was taken."""
    learner = adding_to(facts)
    found = [members_in_play(before, collection), members_on_board(before, collection)]
    if member_ is not None:
        found = [every((found[0], in_play(before, member_))), every((found[1], on_board(before, member_)))]
    learner.gather(collection, *found)
    return learner.facts


def _compared(learner: Learner, variable: Variable, value: Expression) -> None:
    """Learns of a name that holds the least or greatest of several numbers how it compares with each of them.

    So much is known of each by itself, and stays when another of them changes.
    """
    match value:
        case ex.Builtin(name="min" | "max" as word, arguments=(_, _, *_) as arguments):
            item = ex.Local(type=variable.type, span=value.span, variable=variable)
            operator = "<=" if word == "min" else ">="
            for each in arguments:
                said = ex.Comparison(type=FLAG, span=value.span, operator=operator, left=item, right=each)
                learner.learn(said, truth=True, depth=0)
        case _:
            pass


def define(facts: Facts, variable: Variable, value: Expression, *, first: bool = False) -> Facts:
    """What is known after a name was given a value, the first one perhaps; what was known of the name is forgotten."""
    bounds = number_range(facts, value) if isinstance(value.type, NumberType) else None
    own = frozenset({f"local/{variable.index}"})
    learner = adding_to(replace(facts, told={}) if first else forget(facts, own))
    name = ("local", variable.index)
    values = few(_values_of(facts, value, 0))
    there = _surely(facts, value, in_play, 0), _surely(facts, value, on_board, 0)
    members = members_in_play(facts, value), members_on_board(facts, value)
    sources = frozenset(each for value in values for each in reads(value, facts.reads))
    if values and not own & sources:
        learner.values[variable.index] = (values, sources)
    if bounds is not None:
        learner.ranges[name] = (bounds, own)
    if not own & reads(value, facts.reads):
        _compared(learner, variable, value)
    if isinstance(variable.type, OptionalType) and (is_none(value) or not isinstance(value.type, OptionalType)):
        learner.truths[equal(name, NONE)] = (is_none(value), own)
    item = ex.Local(type=variable.type, span=value.span, variable=variable)
    learner.place(item, *there)
    learner.gather(item, *members)
    if isinstance(value, ex.Entry) and isinstance(value.target.type, ListType):
        learner.truths[("in", key(item), key(value.target))] = (True, own | reads(value.target, facts.reads))
    return learner.facts


def define_one_of(facts: Facts, variable: Variable, rows: tuple[tuple[Expression, Expression | None], ...]) -> Facts:
    """What is known after a name was given the value of the first row whose condition held, as by a `decide`."""
    ways = []
    for value, guard in rows:
        ways.append(define(facts if guard is None else suppose(facts, guard, truth=True), variable, value))
        if guard is not None:
            facts = suppose(facts, guard, truth=False)
    return reduce(merge, ways)


def _surely(facts: Facts, value: Expression, holds: Callable[[Facts, Expression], Granted], depth: int) -> Granted:
    """Whether something holds of every value an expression can have, each judged with what led to it."""
    if depth > DEEPEST:
        return None
    match value:
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            rows: tuple[tuple[Expression, Expression | None], ...] = ((then, condition), (otherwise, None))
        case ex.CallFunction():
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


def _values_of(facts: Facts, value: Expression, depth: int) -> tuple[Expression, ...]:
    """The values an expression can have, where it chooses among a few."""
    match value:
        case ex.Local(variable=variable) if variable.index in facts.values:
            return values_of(facts, value)
        case ex.Conditional(then=then, otherwise=otherwise):
            return (*_values_of(facts, then, depth), *_values_of(facts, otherwise, depth))
        case ex.CallFunction():
            rows = chosen(value, facts.functions, depth + 1)
            return tuple(each for row, _ in rows for each in _values_of(facts, row, depth + 1)) or (value,)
        case _:
            return (value,)


def sized(facts: Facts, variable: Variable, size: Range) -> Facts:
    """What is known after a name was given a collection or pool of so many members."""
    own = frozenset({f"local/{variable.index}"})
    return replace(facts, ranges={**facts.ranges, ("size", ("local", variable.index)): (size, own)})


_PLAIN = frozenset({"=", "<", "local", "literal", "WordLiteral", "StoredAttribute"})
_GEOMETRY = frozenset({"adjacent", "distance"})


def after_setting(
    facts: Facts, place: ex.StoredAttribute | ex.GameField, value: Expression | None, written: Sources, others: Sources
) -> Facts:
    """The facts after a place was given a value; `others` is what standing rules and watches may have written since."""
    known = forget(facts, written)
    kept = dict(known.truths) | _departed(facts, place, value)
    for name, (truth, sources) in facts.truths.items():
        if name in kept:
            continue
        if not sources & others and isinstance(place, ex.StoredAttribute) and _elsewhere(facts, name, place):
            kept[name] = truth, sources
        for each in _by_names(facts, name, written):
            kept.setdefault(each, (truth, frozenset(f"local/{index}" for index in _name_indices(each))))
    known = replace(known, truths=kept)
    own = reads(place, facts.reads)
    moves = isinstance(place, ex.StoredAttribute) and not written.isdisjoint(reads(place.target, facts.reads))
    if value is None or own & others or moves:
        return known
    if reads(value, facts.reads) & written:  # so that afterwards it may be another; that there was one stays true
        there = isinstance(place.type, OptionalType) and not isinstance(value.type, OptionalType)
        more = {equal(key(place), NONE): (False, own)} if there else {}
        return replace(known, truths={**known.truths, **more})
    return suppose(known, ex.Comparison(type=FLAG, span=value.span, operator="=", left=place, right=value), truth=True)


def stays_quiet(facts: Facts, rule: StandingRule, place: ex.StoredAttribute, value: Expression) -> bool:
    """Whether a standing rule that did not apply before a change does not apply after it either.

    So it is where its condition reads the attribute of nothing but its own member, and does not hold of the thing
    changed.
    """
    match rule.binding:
        case Binding(variables=(Variable() as member,), source=ex.InPlay(kind=kind), where=None) if kind == place.kind:
            own = ex.Local(type=member.type, span=place.span, variable=member)
        case _:
            return False
    attribute = f"{place.kind}/{place.name}"
    after = with_value(rule.condition, replace(place, target=own), value)
    if attribute in reads(after, facts.reads) - reads(value, facts.reads):
        return False
    return prove(facts, instead(after, member, place.target)) is Proof.REFUTED


def with_value(condition: Expression, place: ex.StoredAttribute | ex.GameField, value: Expression) -> Expression:
    """A condition with a value in place of an attribute."""
    if key(condition) == key(place):
        return value
    return rebuilt(condition, lambda each: with_value(each, place, value) if not isinstance(each, Binding) else each)


def _departed(facts: Facts, place: Expression, value: Expression | None) -> dict[Key, tuple[bool, Sources]]:
    """That the new value is not the old one, where a name holds the old one and another the new."""
    if not isinstance(value, ex.Local):
        return {}
    found: dict[Key, tuple[bool, Sources]] = {}
    same = ex.Comparison(type=FLAG, span=value.span, operator="=", left=value, right=place)
    for index, (values, _) in facts.values.items():
        if [key(each) for each in values] == [key(place)] and prove(facts, same) is Proof.REFUTED:
            both = equal(key(value), ("local", index))
            found[both] = (False, frozenset({f"local/{index}", f"local/{value.variable.index}"}))
    return found


def _parts(name: object) -> Iterator[Key]:
    """A key and all keys inside it."""
    if isinstance(name, tuple):
        yield name
        for each in name:
            yield from _parts(each)


def _name_indices(name: Key) -> Iterator[int]:
    for each in _parts(name):
        match each:
            case ("local", int() as index):
                yield index


def _is_plain(name: Key, more: frozenset[str] = frozenset()) -> bool:
    """Whether a fact is made of names, constants and attributes only, or what else is seen through."""
    tags = [each for each in _parts(name) if each and isinstance(each[0], str)]
    return all(each[0] in _PLAIN or each[0] in more or (each[0] == "Builtin" and each[1] in _GEOMETRY) for each in tags)


def _elsewhere(facts: Facts, name: Key, place: ex.StoredAttribute) -> bool:
    """Whether a fact is only about this attribute of things that are certainly others."""
    if not _is_plain(name):
        return False
    for each in _parts(name):
        match each:
            case ("StoredAttribute", target, place.kind, place.name) if not _another(facts, target, place.target):
                return False
    return True


def _another(facts: Facts, target: object, thing: Expression) -> bool:
    match target:
        case ("local", int() as index):
            other = ex.Local(type=thing.type, span=thing.span, variable=Variable("", index, thing.type))
            same = ex.Comparison(type=FLAG, span=thing.span, operator="=", left=other, right=thing)
            return prove(facts, same) is Proof.REFUTED
        case _:
            return False


def _by_names(facts: Facts, name: Key, written: Sources) -> Iterator[Key]:
    """The fact in terms of names that hold what was written, where it then hangs on names only."""
    for index, (values, sources) in facts.values.items():
        if len(values) == 1 and sources & written and isinstance(values[0], ex.StoredAttribute | ex.GameField):
            renamed = _renamed(name, key(values[0]), ("local", index))
            if (
                renamed != name
                and _is_plain(renamed)
                and not any(each[0] == "StoredAttribute" for each in _parts(renamed))
            ):
                yield renamed


def _renamed(name: Key, old: Key, new: Key) -> Key:
    if name == old:
        return new
    parts = tuple(_renamed(each, old, new) if isinstance(each, tuple) else each for each in name)
    match parts:
        case ("=", tuple() as first, tuple() as second):
            return equal(first, second)
        case ("Builtin", word, tuple() as sides, rest) if word in _GEOMETRY:
            return ("Builtin", word, tuple(sorted(sides, key=repr)), rest)
        case _:
            return parts
