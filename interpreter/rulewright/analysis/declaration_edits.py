"""What an edit of texts changed: bodies, words that people read, heads, declarations that are new or gone.

A head, or a whole declaration, concerns only those declarations that name it, where `_NAMED` has its sort; a list of
words those that name it, a word of it, or what holds or gives such words. Of any other sort it may concern everything,
as may edits of what is no declaration.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import chain, takewhile
from typing import Any

from rulewright.analysis.reads import by_identity
from rulewright.analysis.symbols import Linked
from rulewright.frozen import dataclass
from rulewright.roles import Role, equal, is_node, names, nodes
from rulewright.source.moving import Inside, Move
from rulewright.syntax.nodes import declarations as d, statements as s

FUNCTION = "function"
STEP = "step"
Key = tuple[str, str]
"""The sort of a part, `function`, `step` or the class of its node, and the qualified name or address."""

_Pair = tuple[Any, Any]
"""A declaration as it was and as it is; none on one side where it is new or gone."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The declarations that are others."""

    bodies: dict[Key, _Pair]  # those that differ in what no other declaration looks into, but through its part
    stale: frozenset[Key]  # the parts of all that are others
    quiet: frozenset[Key]  # those among them in which nothing differs that others take up
    heads: frozenset[str]  # qualified names of those that are new, gone, or have other heads
    named: frozenset[str]  # their plain names, and those that lead to lists of words that are others
    naming: frozenset[str]  # qualified names of the declarations in which one of these stands


_BODIES: dict[type, tuple[str, ...]] = {
    d.Procedure: ("opening", "steps"),
    d.Handler: ("block", "binder", "guard", "optional"),
    d.Term: ("value", "conditions"),
    d.Relation: ("value", "conditions"),
    d.Tally: ("start", "rows"),
    d.Decide: ("rows",),
    d.Table: ("rows", "across"),
    d.Paths: ("start", "costs", "rows"),
    d.Measure: ("value",),
}
"""The fields of each class of declarations that no other declaration looks into, but through its part."""

_ROUTINES = (d.Procedure, d.Handler, d.Measure)
_FUNCTIONS = (d.Term, d.Relation, d.Tally, d.Decide, d.Table, d.Paths)
_NAMED = (*_FUNCTIONS, d.Procedure, d.Measure, d.Setting, d.Event)
"""What concerns only those that name it."""
_NOTES = (d.Ruling, d.Account)
"""What no part looks into."""
_OWN = (*_FUNCTIONS, *_ROUTINES, *_NOTES, d.Kind, d.Record, d.Event, d.Always, d.Whenever, d.ExternalTerm)
"""What has parts of its own that read its name, or nothing that does."""
_KEPT_BY_ALL = (d.Always, d.Whenever, d.Event, d.ExternalTerm)
"""What every routine looks at."""


def changes(old: Linked, new: Linked, move: Move) -> Changes | None:
    """What differs, places aside that moved; none where it may concern everything."""
    if len(old.modules) != len(new.modules) or not are_alike(_around(old), _around(new), move):
        return None
    found = _Found()
    for before, after in zip(old.modules, new.modules, strict=True):
        beside = False  # whether something above is new, or was there and is gone
        for was, now in _pairs(before.declarations, after.declarations):
            if beside and isinstance(now, d.Decide):
                found.stale.update(_keys(now, after.prefix))  # a `ruling` right above a `decide` is about it
            beside = was is None or now is None
            if was is now or are_alike(was, now, move):
                continue
            if not (found.met(was, now, after.prefix) if beside else found.edited(was, now, after.prefix, move)):
                return None
    naming = _naming(found.named, new) if found.named else frozenset[str]()
    if naming is None:
        return None
    leading = _leading(found.words, new) if found.words else set[str]()
    led = _led(leading, new) if leading else frozenset[str]()
    if led is None:
        return None
    naming |= led
    found.stale.update(_doubled(new))
    heads, named = frozenset(found.heads), frozenset(found.named | leading)
    return Changes(found.bodies, frozenset(found.stale), frozenset(found.quiet), heads, named, naming)


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class _Found:
    """Changes in the making."""

    bodies: dict[Key, _Pair] = dataclasses.field(default_factory=dict)
    stale: set[Key] = dataclasses.field(default_factory=set)
    quiet: set[Key] = dataclasses.field(default_factory=set)
    heads: set[str] = dataclasses.field(default_factory=set)
    named: set[str] = dataclasses.field(default_factory=set)
    words: set[str] = dataclasses.field(default_factory=set)  # lists of words, and their words as they were and are

    def edited(self, was: Any, now: Any, prefix: str, move: Move) -> bool:  # declarations
        """Notes a declaration that is another now; answers whether it is known whom that concerns."""
        if _is_body(was, now, move):
            key = next(_keys(now, prefix))
            self.bodies[key] = was, now
            self.stale.add(key)
            return True
        if equal(was, now, Role.PLACE, Role.WORDS, Role.MARGIN):
            keys = set(_keys(now, prefix))
            self.stale |= keys
            self.quiet |= keys if isinstance(now, d.Event) else set()
            return True
        return self.met(was, now, prefix)

    def met(self, was: Any, now: Any, prefix: str) -> bool:  # declarations
        """Notes one that is new, gone or has another head; answers whether it is known whom that concerns."""
        some = [each for each in (was, now) if each is not None]
        if all(isinstance(each, _NOTES) for each in some):
            return True
        if all(isinstance(each, d.Values) for each in some):
            self.words.update(*map(_texts, some))
            return True
        if not all(isinstance(each, _NAMED) and not _is_everywhere(each) for each in some):
            return False
        for each in some:
            keys = set(_keys(each, prefix))
            self.stale |= keys
            self.quiet |= keys
            self.heads.add(prefix + each.name.text)
            self.named.add(each.name.text)
        return True


def _naming(named: set[str], linked: Linked) -> frozenset[str] | None:
    """The declarations with parts in which one of some names stands; none where it stands in others too."""
    found = set[str]()
    for module in linked.modules:
        for each in module.declarations:
            if isinstance(each, _NOTES) or named.isdisjoint(_texts(each)):
                continue
            if not isinstance(each, _OWN) and not (isinstance(each, d.Setting) and each.name.text in named):
                return None
            found.add(module.prefix + each.name.text)
    return frozenset(found)


def _leading(words: set[str], linked: Linked) -> set[str]:
    """Some names, with those of all that holds or gives what they stand for: attributes, functions, routines, dice."""
    known, size = set(words), 0
    around = [part for module in linked.modules for each in module.declarations for part in _holding(each)]
    while size != len(known):
        size = len(known)
        known.update(name for name, texts in around if not known.isdisjoint(texts))
    return known


def _holding(node: Any) -> Iterator[tuple[str, frozenset[str]]]:  # a declaration
    """The names by which others come to what a declaration holds or gives, each with the texts that say its sort."""
    if isinstance(node, d.Kind | d.Record | d.Board | d.Game):
        yield from ((each.name.text, _texts(each)) for each in node.fields)
    if isinstance(node, d.Record):
        yield node.name.text, _texts(node)  # made of its parts in their order, without their names
    elif not isinstance(node, (*_NOTES, d.Values, d.Kind, d.Board, d.Game)) and hasattr(node, "name"):
        heads = [name for name in names(type(node), Role.PLACE) if name not in _BODIES.get(type(node), ())]
        yield node.name.text, _texts(tuple(getattr(node, name) for name in heads))


def _led(named: set[str], linked: Linked) -> frozenset[str] | None:
    """The declarations with parts in which one of some names stands; none where that is most, or concerns all lines."""
    found = set[str]()
    others = 0
    for module in linked.modules:
        for each in module.declarations:
            if not isinstance(each, _OWN) or isinstance(each, _NOTES):
                continue
            if named.isdisjoint(_texts(each)):
                others += 1
            elif isinstance(each, _KEPT_BY_ALL):
                return None
            else:
                found.add(module.prefix + each.name.text)
    return frozenset(found) if others > len(found) else None


def _pairs(before: Sequence[Any], after: Sequence[Any]) -> Iterator[_Pair]:
    """Declarations beside what became of them: from both ends on those of the same sort and name, by their place."""
    if len(before) == len(after) and all(a.__class__ is b.__class__ for a, b in zip(before, after, strict=True)):
        yield from zip(before, after, strict=True)
        return
    above = len(tuple(takewhile(_are_one, zip(before, after, strict=False))))
    least = min(len(before), len(after)) - above
    below = len(tuple(takewhile(_are_one, zip(before[::-1][:least], after[::-1][:least], strict=True))))
    yield from zip(before[:above], after[:above], strict=True)
    yield from ((each, None) for each in before[above : len(before) - below])
    yield from ((None, each) for each in after[above : len(after) - below])
    yield from zip(before[len(before) - below :], after[len(after) - below :], strict=True)


def _are_one(pair: _Pair) -> bool:
    was, now = pair
    return was is now or (was.__class__ is now.__class__ and _name(was) == _name(now))


def _name(node: Any) -> str:  # a declaration
    return node.name.text if hasattr(node, "name") else ""


def _keys(node: Any, prefix: str) -> Iterator[Key]:  # a declaration
    """The parts that are made of a declaration, but steps."""
    if isinstance(node, d.Kind | d.Record):
        derived = (each for each in node.fields if not isinstance(each, d.StoredField))
        yield from ((FUNCTION, f"{prefix}{node.name.text}/{each.name.text}") for each in derived)
    elif isinstance(node, _OWN) and not isinstance(node, _NOTES):
        yield FUNCTION if isinstance(node, _FUNCTIONS) else type(node).__name__, prefix + node.name.text


def _doubled(linked: Linked) -> Iterator[Key]:
    """Parts whose key belongs to several declarations."""
    seen = set[Key]()
    for module in linked.modules:
        for key in chain.from_iterable(_keys(each, module.prefix) for each in module.declarations):
            if key in seen:
                yield key
            seen.add(key)


@by_identity(most=3000)
def _texts(node: Any) -> frozenset[str]:  # a declaration
    """All texts in a declaration, parts of dotted names one by one."""
    found = set[str]()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            found.update(each.split("."))
        elif isinstance(each, tuple):
            waiting.extend(each)
        elif is_node(each.__class__):
            waiting.extend([getattr(each, name) for name in names(each.__class__, Role.PLACE)])
    return frozenset(found)


def _is_everywhere(node: Any) -> bool:  # a declaration
    """Whether a declaration concerns others that do not name it."""
    match node:
        case d.Event(on_removal=removal):
            return removal
        case d.Relation(value=None, conditions=None):
            return True
        case d.Procedure():
            return bool(_ranges(node))
    return False


def _around(linked: Linked) -> tuple[Any, ...]:
    """All of a program that is not a declaration and that parts look into."""
    modules = tuple(
        (each.prefix, each.sources, tuple(each.editions.items()), tuple(each.uses), tuple(sorted(each.broken)))
        for each in linked.modules
    )
    derived = tuple((name, each.node, each.base) for name, each in linked.derivations.items())
    return modules, derived, tuple(linked.documents.items())


def are_alike(was: object, now: object, move: Move) -> bool:
    """Whether a value is another, with its places moved."""
    if type(was) is not type(now):
        return False
    try:
        return move(was) == now
    except Inside:
        return False


def _is_body(was: Any, now: Any, move: Move) -> bool:  # declarations
    """Whether two declarations differ in nothing but their bodies, which are of one sort."""
    bodies = _BODIES.get(type(now), ())
    if type(was) is not type(now) or not bodies:
        return False
    heads = [name for name in names(type(now)) if name not in {"span", "head", *bodies}]
    if not all(are_alike(getattr(was, name), getattr(now, name), move) for name in heads):
        return False
    if [getattr(was, name) is None for name in bodies] != [getattr(now, name) is None for name in bodies]:
        return False
    return not isinstance(now, d.Procedure) or _outside(was) == _outside(now)


def _outside(node: d.Procedure) -> tuple[Any, ...]:
    """What other routines see of the lines of a procedure: its steps, and the ranges of others that it performs."""
    return tuple(each.name.text for each in node.steps), _ranges(node)


def _ranges(node: d.Procedure) -> set[tuple[str, str]]:
    performed = [each for each in nodes(node) if isinstance(each, s.Perform) and each.steps is not None]
    return {(each.procedure.text, each.steps[0].text) for each in performed if each.steps is not None}
