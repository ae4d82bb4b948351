"""Impact of text edits on declarations: changed bodies, words for people, heads, declarations added or removed.

A changed head, or a new or removed declaration, affects only the declarations that name it, where
`_NAMED_DEPENDENCY_TYPES` has its sort; a changed list of words those that name it, a word of it, or what holds or gives
such words. Changes of any other sort, and outside declarations, may affect everything.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, takewhile
from typing import Any

from rulewright.base.node_roles import (
    Role,
    SpanInsideEditError,
    SpanRelocator,
    are_trees_equal,
    get_field_names,
    is_node_class,
    walk_nodes,
)
from rulewright.checker.read_sets import cache_by_identity
from rulewright.checker.symbols import LinkedProgram
from rulewright.syntax.nodes import declarations as d, statements as s

FUNCTION_SORT = "function"
ResultKey = tuple[str, str]
"""Sort of a result (`function` or the class of its node) and qualified name."""

_DeclarationPair = tuple[Any, Any]
"""Old and new declaration; None where it is new or removed."""


_BODY_FIELDS: dict[type, tuple[str, ...]] = {
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
"""Fields that other declarations see only through the result of this one."""

_ROUTINE_TYPES = (d.Procedure, d.Handler, d.Measure)
_FUNCTION_TYPES = (d.Term, d.Relation, d.Tally, d.Decide, d.Table, d.Paths)
_NAMED_DEPENDENCY_TYPES = (*_FUNCTION_TYPES, d.Procedure, d.Measure, d.Setting, d.Event)
"""Declarations whose changes affect only those that name them."""
_NOTE_TYPES = (d.Ruling, d.Account)
"""Declarations that no result depends on."""
_OWN_RESULT_TYPES = (
    *_FUNCTION_TYPES,
    *_ROUTINE_TYPES,
    *_NOTE_TYPES,
    d.Kind,
    d.Record,
    d.Event,
    d.Always,
    d.Whenever,
    d.ExternalTerm,
)
"""Declarations with results of their own that record the names they read."""


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class DeclarationChanges:
    """Declarations that differ between two programs, by what the difference can affect."""

    # where only the body differs, which others see only through its result
    changed_bodies: set[ResultKey] = dataclasses.field(default_factory=set)
    stale_results: set[ResultKey] = dataclasses.field(default_factory=set)  # of all changed declarations
    # those of them in which nothing changed that other declarations read
    locally_changed: set[ResultKey] = dataclasses.field(default_factory=set)
    # qualified names of declarations that are new, removed or have another head; their plain names, and names that lead to changed words
    changed_heads: set[str] = dataclasses.field(default_factory=set)
    changed_names: set[str] = dataclasses.field(default_factory=set)
    changed_words: set[str] = dataclasses.field(default_factory=set)  # changed lists and their old and new words
    dependents: set[str] = dataclasses.field(default_factory=set)  # that mention a changed name, by qualified name

    def record_edited(self, was: Any, now: Any, prefix: str, move: SpanRelocator) -> bool:  # declarations
        """Records a changed declaration; False where the extent of the change is unknown."""
        if _is_body_edit(was, now, move):
            key = next(_list_result_keys(now, prefix))
            self.changed_bodies.add(key)
            self.stale_results.add(key)
            return True
        if are_trees_equal(was, now, Role.PLACE, Role.WORDS, Role.MARGIN):
            keys = set(_list_result_keys(now, prefix))
            self.stale_results |= keys
            self.locally_changed |= keys if isinstance(now, d.Event) else set()
            return True
        return self.record_head_change(was, now, prefix)

    def record_head_change(self, was: Any, now: Any, prefix: str) -> bool:  # declarations
        """Records a declaration that is new, removed or has another head; False where the extent is unknown."""
        some = [node for node in (was, now) if node is not None]
        if all(isinstance(node, _NOTE_TYPES) for node in some):
            return True
        if all(isinstance(node, d.Values) for node in some):
            self.changed_words.update(*map(_collect_node_texts, some))
            return True
        if not all(isinstance(node, _NAMED_DEPENDENCY_TYPES) and not _has_global_influence(node) for node in some):
            return False
        for item in some:
            keys = set(_list_result_keys(item, prefix))
            self.stale_results |= keys
            self.locally_changed |= keys
            self.changed_heads.add(prefix + item.name.text)
            self.changed_names.add(item.name.text)
        return True


def find_declaration_changes(old: LinkedProgram, new: LinkedProgram, move: SpanRelocator) -> DeclarationChanges | None:
    """Differences of two programs, moved places aside; None where they may affect everything."""
    if len(old.modules) != len(new.modules) or not is_equal_after_move(
        _get_program_context(old), _get_program_context(new), move
    ):
        return None
    changes = DeclarationChanges()
    for before, after in zip(old.modules, new.modules, strict=True):
        beside = False  # whether the declaration above is new or removed
        for was, now in _pair_declarations(before.declarations, after.declarations):
            if beside and isinstance(now, d.Decide):
                # a `ruling` right above a `decide` is about it
                changes.stale_results.update(_list_result_keys(now, after.prefix))
            beside = was is None or now is None
            if was is now or is_equal_after_move(was, now, move):
                continue
            record = changes.record_head_change if beside else partial(changes.record_edited, move=move)
            if not record(was, now, after.prefix):
                return None
    dependents = _find_naming_declarations(changes.changed_names, new) if changes.changed_names else set[str]()
    if dependents is None:
        return None
    related_words = _expand_word_dependents(changes.changed_words, new) if changes.changed_words else set[str]()
    word_dependents = _find_word_dependents(related_words, new) if related_words else set[str]()
    if word_dependents is None:
        return None
    changes.changed_names |= related_words
    changes.dependents = dependents | word_dependents
    changes.stale_results.update(_find_duplicate_keys(new))
    return changes


def _find_naming_declarations(named: set[str], linked: LinkedProgram) -> set[str] | None:
    """Declarations with results that name one of these; None where others name one, too."""
    members = set[str]()
    for module in linked.modules:
        for declaration in module.declarations:
            if isinstance(declaration, _NOTE_TYPES) or named.isdisjoint(_collect_node_texts(declaration)):
                continue
            if not isinstance(declaration, _OWN_RESULT_TYPES) and not (
                isinstance(declaration, d.Setting) and declaration.name.text in named
            ):
                return None
            members.add(module.prefix + declaration.name.text)
    return members


def _expand_word_dependents(words: set[str], linked: LinkedProgram) -> set[str]:
    """Transitive closure of names over all that holds or gives them: attributes, functions, routines, dice."""
    known, size = set(words), 0
    around = [
        part
        for module in linked.modules
        for declaration in module.declarations
        for part in _iterate_exposed_names(declaration)
    ]
    while size != len(known):
        size = len(known)
        known.update(name for name, texts in around if not known.isdisjoint(texts))
    return known


def _iterate_exposed_names(node: Any) -> Iterator[tuple[str, frozenset[str]]]:  # a declaration
    """Names by which others reach a declaration or its fields, each with the texts of its type."""
    if isinstance(node, d.Kind | d.Record | d.Board | d.Game):
        yield from ((field.name.text, _collect_node_texts(field)) for field in node.fields)
    if isinstance(node, d.Record):
        yield node.name.text, _collect_node_texts(node)  # a record is made of its parts in order, without their names
    elif not isinstance(node, (*_NOTE_TYPES, d.Values, d.Kind, d.Board, d.Game)) and hasattr(node, "name"):
        heads = [
            name for name in get_field_names(type(node), Role.PLACE) if name not in _BODY_FIELDS.get(type(node), ())
        ]
        yield node.name.text, _collect_node_texts(tuple(getattr(node, name) for name in heads))


def _find_word_dependents(named: set[str], linked: LinkedProgram) -> set[str] | None:
    """Declarations that name one of these; None where that is the greater part, or affects all lines."""
    result = set[str]()
    others = 0
    for module in linked.modules:
        for declaration in module.declarations:
            if not isinstance(declaration, _OWN_RESULT_TYPES) or isinstance(declaration, _NOTE_TYPES):
                continue
            if named.isdisjoint(_collect_node_texts(declaration)):
                others += 1
            elif isinstance(declaration, GLOBAL_DEPENDENCY_TYPES):
                return None
            else:
                result.add(module.prefix + declaration.name.text)
    return result if others > len(result) else None


def _pair_declarations(before: Sequence[Any], after: Sequence[Any]) -> Iterator[_DeclarationPair]:
    """Old and new declarations in pairs: common prefix and suffix by sort and name, the rest added or removed."""
    if len(before) == len(after) and all(a.__class__ is b.__class__ for a, b in zip(before, after, strict=True)):
        yield from zip(before, after, strict=True)
        return
    above = len(tuple(takewhile(_is_same_declaration, zip(before, after, strict=False))))
    least = min(len(before), len(after)) - above
    below = len(tuple(takewhile(_is_same_declaration, zip(before[::-1][:least], after[::-1][:least], strict=True))))
    yield from zip(before[:above], after[:above], strict=True)
    yield from ((item, None) for item in before[above : len(before) - below])
    yield from ((None, item) for item in after[above : len(after) - below])
    yield from zip(before[len(before) - below :], after[len(after) - below :], strict=True)


def _is_same_declaration(pair: _DeclarationPair) -> bool:
    was, now = pair
    return was is now or (was.__class__ is now.__class__ and _get_declaration_name(was) == _get_declaration_name(now))


def _get_declaration_name(node: Any) -> str:  # a declaration
    return node.name.text if hasattr(node, "name") else ""


GLOBAL_DEPENDENCY_TYPES = (d.Always, d.Whenever, d.Event, d.ExternalTerm)
"""Declarations that every routine depends on."""


def _list_result_keys(node: Any, prefix: str) -> Iterator[ResultKey]:  # a declaration
    """Keys of the results made of a declaration."""
    if isinstance(node, d.Kind | d.Record):
        derived = (field for field in node.fields if not isinstance(field, d.StoredField))
        yield from ((FUNCTION_SORT, f"{prefix}{node.name.text}/{item.name.text}") for item in derived)
    elif isinstance(node, _OWN_RESULT_TYPES) and not isinstance(node, _NOTE_TYPES):
        yield FUNCTION_SORT if isinstance(node, _FUNCTION_TYPES) else type(node).__name__, prefix + node.name.text


def _find_duplicate_keys(linked: LinkedProgram) -> Iterator[ResultKey]:
    visited = set[ResultKey]()
    for module in linked.modules:
        for key in chain.from_iterable(
            _list_result_keys(declaration, module.prefix) for declaration in module.declarations
        ):
            if key in visited:
                yield key
            visited.add(key)


@cache_by_identity(most=3000)
def _collect_node_texts(node: Any) -> frozenset[str]:  # a declaration
    result = set[str]()
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            result.update(each.split("."))
        elif isinstance(each, tuple):
            waiting.extend(each)
        elif is_node_class(each.__class__):
            waiting.extend([getattr(each, name) for name in get_field_names(each.__class__, Role.PLACE)])
    return frozenset(result)


def _has_global_influence(node: Any) -> bool:  # a declaration
    """Whether a declaration affects others that do not name it."""
    match node:
        case d.Event(on_removal=removal):
            return removal
        case d.Relation(value=None, conditions=None):
            return True
        case d.Procedure():
            return bool(_get_performed_ranges(node))
    return False


def _get_program_context(linked: LinkedProgram) -> tuple[Any, ...]:
    """The parts of a program outside its declarations that results depend on."""
    modules = tuple(
        (
            module.prefix,
            module.sources,
            tuple(module.editions.items()),
            tuple(module.uses),
            tuple(sorted(module.broken_prefixes)),
        )
        for module in linked.modules
    )
    derived = tuple((name, derivation.node, derivation.base) for name, derivation in linked.derivations.items())
    return modules, derived, tuple(linked.document_by_source.items())


def is_equal_after_move(was: object, now: object, move: SpanRelocator) -> bool:
    if type(was) is not type(now):
        return False
    try:
        return move(was) == now
    except SpanInsideEditError:
        return False


def _is_body_edit(was: Any, now: Any, move: SpanRelocator) -> bool:  # declarations
    bodies = _BODY_FIELDS.get(type(now), ())
    if type(was) is not type(now) or not bodies:
        return False
    heads = [name for name in get_field_names(type(now)) if name not in {"span", "head", *bodies}]
    if not all(is_equal_after_move(getattr(was, name), getattr(now, name), move) for name in heads):
        return False
    if [getattr(was, name) is None for name in bodies] != [getattr(now, name) is None for name in bodies]:
        return False
    return not isinstance(now, d.Procedure) or _get_externally_visible_parts(was) == _get_externally_visible_parts(now)


def _get_externally_visible_parts(node: d.Procedure) -> tuple[Any, ...]:
    """Parts of a procedure's lines that other routines see: its steps, and the step ranges it performs."""
    return tuple(step.name.text for step in node.steps), _get_performed_ranges(node)


def _get_performed_ranges(node: d.Procedure) -> set[tuple[str, str]]:
    performed = [
        perform for perform in walk_nodes(node) if isinstance(perform, s.Perform) and perform.steps is not None
    ]
    return {(perform.procedure.text, perform.steps[0].text) for perform in performed if perform.steps is not None}
