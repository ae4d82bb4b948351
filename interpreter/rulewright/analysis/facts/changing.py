"""What is known after one place got a new value: what does not hang on it, and what names still hold of it."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.analysis.facts.keys import Key, equal, key
from rulewright.analysis.facts.knowledge import Facts, Sources, forget
from rulewright.analysis.facts.learn import assume
from rulewright.analysis.facts.opening import instead
from rulewright.analysis.facts.prove import Proof, prove
from rulewright.analysis.reads import reads
from rulewright.program.declarations import StandingRule
from rulewright.program.expressions import (
    Binding,
    Comparison,
    Expression,
    GameField,
    InPlay,
    Local,
    StoredAttribute,
    Variable,
)
from rulewright.program.types import FLAG
from rulewright.program.walk import rebuilt

_PLAIN = frozenset({"=", "<", "local", "literal", "WordLiteral", "StoredAttribute"})
_GEOMETRY = frozenset({"adjacent", "distance"})


def after_setting(
    facts: Facts, place: StoredAttribute | GameField, value: Expression | None, written: Sources, others: Sources
) -> Facts:
    """The facts after a place was given a value; others is what standing rules and watches may have written since."""
    known = forget(facts, written)
    kept = dict(known.truths) | _departed(facts, place, value)
    for name, (truth, sources) in facts.truths.items():
        if name in kept:
            continue
        if not sources & others and isinstance(place, StoredAttribute) and _elsewhere(facts, name, place):
            kept[name] = truth, sources
        for each in _by_names(facts, name, written):
            kept.setdefault(each, (truth, frozenset(f"local/{index}" for index in _names(each))))
    known = replace(known, truths=kept)
    own = reads(place, facts.reads)
    if value is None or own & others or reads(value, facts.reads) & written:
        return known
    return assume(known, Comparison(type=FLAG, span=value.span, operator="=", left=place, right=value), truth=True)


def stays_quiet(facts: Facts, rule: StandingRule, place: StoredAttribute, value: Expression) -> bool:
    """Whether a standing rule that did not apply before a change does not apply after it either.

    So it is where its condition reads the attribute of nothing but its own member, and does not hold of the thing
    changed.
    """
    match rule.binding:
        case Binding(variables=(Variable() as member,), source=InPlay(kind=kind), where=None) if kind == place.kind:
            own = Local(type=member.type, span=place.span, variable=member)
        case _:
            return False
    attribute = f"{place.kind}/{place.name}"
    after = with_value(rule.condition, replace(place, target=own), value)
    if attribute in reads(after, facts.reads) - reads(value, facts.reads):
        return False
    return prove(facts, instead(after, member, place.target)) is Proof.REFUTED


def with_value(condition: Expression, place: StoredAttribute | GameField, value: Expression) -> Expression:
    """A condition with a value in place of an attribute."""
    if key(condition) == key(place):
        return value
    return rebuilt(condition, lambda each: with_value(each, place, value) if not isinstance(each, Binding) else each)


def _departed(facts: Facts, place: Expression, value: Expression | None) -> dict[Key, tuple[bool, Sources]]:
    """That the new value is not the old one, where a name holds the old one and another the new."""
    if not isinstance(value, Local):
        return {}
    found: dict[Key, tuple[bool, Sources]] = {}
    same = Comparison(type=FLAG, span=value.span, operator="=", left=value, right=place)
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


def _names(name: Key) -> Iterator[int]:
    for each in _parts(name):
        match each:
            case ("local", int() as index):
                yield index


def _is_plain(name: Key) -> bool:
    """Whether a fact is made of names, constants and attributes only, so that it is seen what it is about."""
    tags = [each for each in _parts(name) if each and isinstance(each[0], str)]
    return all(each[0] in _PLAIN or (each[0] == "Builtin" and each[1] in _GEOMETRY) for each in tags)


def _elsewhere(facts: Facts, name: Key, place: StoredAttribute) -> bool:
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
            other = Local(type=thing.type, span=thing.span, variable=Variable("", index, thing.type))
            same = Comparison(type=FLAG, span=thing.span, operator="=", left=other, right=thing)
            return prove(facts, same) is Proof.REFUTED
        case _:
            return False


def _by_names(facts: Facts, name: Key, written: Sources) -> Iterator[Key]:
    """The fact in terms of names that hold what was written, where it then hangs on names only."""
    for index, (values, sources) in facts.values.items():
        if len(values) == 1 and sources & written and isinstance(values[0], StoredAttribute | GameField):
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
