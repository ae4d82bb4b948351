"""Places of declarations and stored data, and which of them an edit changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from difflib import SequenceMatcher
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, get_children, get_field_names, is_node_class
from rulewright.diff.differential_testing.results import ChangedNames
from rulewright.diff.differential_testing.stored_values import list_stored_fields
from rulewright.diff.edits import Correspondence
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Narrowed, Row, Typed, Variable
from rulewright.program.outline.items import DeclaredName
from rulewright.runtime.state import build_state_layout

EXECUTABLE_GROUPS = {
    "function": "functions",
    "external": "external_terms",
    "event": "events",
    "handler": "handlers",
    "rule": "rules",
    "invariant": "invariants",
    "procedure": "procedures",
}
"""Sorts of executable declarations, with the field of `Program` that holds them."""

_PLACE_NODES = (st.Line, Row, d.Step, d.Watch, st.Option, st.RankKey)
_IGNORED_ROLES = (Role.PLACE, Role.MARGIN, Role.WORDS, Role.NAME, Role.SCOPE)


@dataclass(frozen=True, slots=True)
class DeclarationPlace:
    """Declaration, step, line, row, option or watch, without the places inside it."""

    owner: DeclaredName
    address: str
    node: Any
    depth: int  # nesting inside the declaration


def executable_declarations(program: d.Program) -> Iterator[tuple[DeclaredName, Any]]:
    """Declarations that are carried out or computed, by name."""
    for sort, group in EXECUTABLE_GROUPS.items():
        for name, declared in getattr(program, group).items():
            yield DeclaredName(sort, name), declared


def iterate_places(owner: DeclaredName, declared: Any) -> Iterator[DeclarationPlace]:
    """Places of a declaration, itself first, in the order of the text."""
    yield DeclarationPlace(owner, owner.name, declared, 0)
    yield from _places_inside(owner, declared, 1)


def _places_inside(owner: DeclaredName, node: Any, depth: int) -> Iterator[DeclarationPlace]:
    for node_part in _node_parts(node):
        if isinstance(node_part, _PLACE_NODES):
            yield DeclarationPlace(owner, node_part.address or owner.name, node_part, depth)
            yield from _places_inside(owner, node_part, depth + 1)
        else:
            yield from _places_inside(owner, node_part, depth)


def _node_parts(node: Any) -> Iterator[Any]:
    if isinstance(node, tuple):
        yield from node
    elif not isinstance(node, Variable | Typed):
        yield from get_children(node)


def own_expressions(node: Any) -> Iterator[Typed]:
    """Outermost expressions of a place, without those of places inside it."""
    for node_part in _node_parts(node):
        if isinstance(node_part, Typed):
            yield node_part
        elif not isinstance(node_part, _PLACE_NODES):
            yield from own_expressions(node_part)


def place_signature(place: DeclarationPlace, renamed: Mapping[str, str], *, by_number: bool) -> object:
    """Content of a place without titles, questions, clauses and addresses, names as the other revision has them.

    Variables of the routine count by their number in it if `by_number`, else by their spelling.
    """
    return place.depth, _node_signature(place.node, renamed, by_number, top=True)


def drop_bounds(signature: object) -> object:
    """Signature of a place without the bounds that values are checked against."""
    match signature:
        case ("Narrowed", (_, operand)):
            return drop_bounds(operand)
        case tuple():
            return tuple(map(drop_bounds, signature))
        case _:
            return signature


def expression_signature(node: Any, renamed: Mapping[str, str], *, by_number: bool) -> object:
    """Signature of an expression; names as in `place_signature`."""
    return _node_signature(node, renamed, by_number)


def _node_signature(
    node: Any,
    renamed: Mapping[str, str],
    by_number: bool,  # noqa: FBT001
    *,
    top: bool = False,
) -> object:
    if isinstance(node, tuple):
        return tuple(_node_signature(item, renamed, by_number) for item in node)
    if isinstance(node, Variable):
        return ("variable", node.index if by_number else node.name)
    if isinstance(node, str):
        return renamed.get(node, node)
    if isinstance(node, _PLACE_NODES) and not top:
        return type(node).__name__
    if not is_node_class(type(node)):
        return node
    proof = () if isinstance(node, Narrowed) or not isinstance(node, Typed) else (Role.PROOF,)
    values = [getattr(node, name) for name in get_field_names(type(node), *_IGNORED_ROLES, *proof)]
    return type(node).__name__, tuple(_node_signature(value, renamed, by_number) for value in values)


def stored_data_signatures(program: Program) -> Iterator[tuple[DeclaredName, str]]:
    """Names of the stored data of a program with their signatures."""
    yield from ((name, _stored_signature(field.type, field.start)) for name, field in list_stored_fields(program))
    for name, relation in program.relations.items():
        yield (
            DeclaredName("relation", name),
            repr((relation.symmetric, [parameter.type for parameter in relation.parameters])),
        )
    for name, die in program.dice.items():
        yield DeclaredName("die", name), repr([value_signature(face) for face in die.faces])
    for name, values in program.values.items():
        yield DeclaredName("values", name), repr(len(values.words))


def _stored_signature(type_: object, start: object) -> str:
    return f"{type_!r} {value_signature(start)!r}"


def value_signature(node: object) -> object:
    """Content of an expression without its source position."""
    return place_signature(DeclarationPlace(DeclaredName("", ""), "", (node,), 0), {}, by_number=False)


def has_same_data(old: Program, new: Program, names: Correspondence) -> bool:
    """Whether states and values of two programs have the same form: equal kinds, words, records, fields in one order.

    Start values, titles and readings of settings may differ. A renamed word or field makes them different.
    """
    return _data_layout(old) == _data_layout(new) and all(
        old_name == new_name for old_name, new_name in names.names.items() if old_name.sort in _STORED_SORTS
    )


def has_same_starts(old: Program, new: Program) -> bool:
    """Whether two programs with the same data have the same start values and readings: a state file is one situation for both."""
    return dict(stored_data_signatures(old)) == dict(stored_data_signatures(new))


_STORED_SORTS = frozenset(
    {"values", "word", "kind", "plural", "attribute", "record", "part", "board", "cell", "side", "field", "setting"}
    | {"relation", "die", "external", "handler"}
)


def _data_layout(program: Program) -> tuple[object, ...]:
    stored = build_state_layout(program)
    return (
        stored.kinds,
        [(kind.name, kind.plural) for kind in program.kinds.values()],
        [stored.columns, stored.game, stored.cells, stored.sides, stored.relations],
        list(stored.types.items()),
        stored.symmetric,
        [(name, [word.name for word in word_list.words]) for name, word_list in program.values.items()],
        [(name, [(part.name, part.type) for part in record.parts]) for name, record in program.records.items()],
        [(name, setting.type) for name, setting in program.settings.items()],
        [(name, board.space, board.unit, board.bases) for name, board in program.boards.items()],
        [(name, [parameter.type for parameter in relation.parameters]) for name, relation in program.relations.items()],
        list(program.handlers),
    )


PlacesOfBoth = tuple[tuple[DeclarationPlace, ...], tuple[DeclarationPlace, ...]]
MatchedPlaces = tuple[tuple[DeclarationPlace, DeclarationPlace, bool], ...]
"""Old place, new place, and whether variables are compared by number."""


@dataclass(frozen=True, slots=True)
class AlteredPlaces:
    """Changed places and names of both revisions."""

    # (old, new) declarations and stored data that changed
    names: tuple[frozenset[DeclaredName], frozenset[DeclaredName]]
    # (old, new) places that differ, equal ones next to insertions of the other revision, and where changed dice are rolled
    places: PlacesOfBoth
    pairs: MatchedPlaces = ()  # replacements among them, and whether variables are compared by number
    renamed: Mapping[str, str] = field(default_factory=dict)  # old names by new names where they differ


def find_altered_places(
    old: Program, new: Program, names: Correspondence, changed: ChangedNames | None
) -> AlteredPlaces:
    """Altered places of two programs, restricted to the changed names."""
    result: tuple[list[DeclarationPlace], list[DeclarationPlace]] = ([], [])
    pairs: list[tuple[DeclarationPlace, DeclarationPlace, bool]] = []
    known = dict(executable_declarations(new))
    renamed = _map_renamed_words(names)
    for name, declared in executable_declarations(old):
        other = names.names.get(name)
        here = list(iterate_places(name, declared))
        there = list(iterate_places(other, known[other])) if other in known else []
        places, replacements = _diff_places(here, there, renamed)
        for side, place in zip(result, places, strict=True):
            side.extend(place)
        pairs += replacements
    new_names = set(names.names.values())
    for name, declared in known.items():
        if name not in new_names:
            result[1].extend(iterate_places(name, declared))
    every = AlteredPlaces((_NO_NAMES, _NO_NAMES), (tuple(result[0]), tuple(result[1])), tuple(pairs), renamed)
    if changed is not None:
        return _add_changed_dice(_restrict_to_changed(every, changed, (old, new)), (old, new))
    data = _find_altered_data(old, new, names)
    both = (
        {declaration_place.owner for declaration_place in result[0]} | data[0],
        {declaration_place.owner for declaration_place in result[1]} | data[1],
    )
    return _add_changed_dice(replace(every, names=(frozenset(both[0]), frozenset(both[1]))), (old, new))


_NO_NAMES: frozenset[DeclaredName] = frozenset()


def _add_changed_dice(altered: AlteredPlaces, programs: tuple[Program, Program]) -> AlteredPlaces:
    """Altered places with the places added that roll a declared die whose faces changed."""
    more: list[tuple[DeclarationPlace, ...]] = []
    for program, named in zip(programs, altered.names, strict=True):
        dice = {declared_name.name for declared_name in named if declared_name.sort == "die"}
        every = (
            place
            for name, declared in executable_declarations(program)
            for place in iterate_places(name, declared)
            if dice
        )
        more.append(
            tuple(declaration_place for declaration_place in every if _rolled_dice(declaration_place.node) & dice)
        )
    if not any(more):
        return altered
    both = (*altered.places[0], *more[0]), (*altered.places[1], *more[1])
    return replace(altered, places=both)


def _rolled_dice(node: Any) -> set[str]:
    parts = node.parts if isinstance(node, st.Roll) else (node.dice or ()) if isinstance(node, st.RankKey) else ()
    return {part.die.name for part in parts if isinstance(part.die, st.NamedDie)}


def _restrict_to_changed(
    every: AlteredPlaces, changed: ChangedNames, programs: tuple[Program, Program]
) -> AlteredPlaces:
    """Altered places of the given changed names, and of what is held to other bounds by them.

    If no place of a declaration differs by itself, all its places count.
    """
    bound_changes = [pair for pair in every.pairs if _has_other_bounds(*pair, every.renamed)]
    names = (
        frozenset((*map(owning_declaration, changed.old), *(item[0].owner for item in bound_changes))),
        frozenset((*map(owning_declaration, changed.new), *(item[1].owner for item in bound_changes))),
    )
    places: list[tuple[DeclarationPlace, ...]] = []
    for side, known, program in zip(every.places, names, programs, strict=True):
        differing = [declaration_place for declaration_place in side if declaration_place.owner in known]
        silent = known - {declaration_place.owner for declaration_place in differing}
        whole = [
            place
            for name, declared in executable_declarations(program)
            if name in silent
            for place in iterate_places(name, declared)
        ]
        places.append((*differing, *whole))
    among = tuple(pair for pair in every.pairs if pair[0].owner in names[0] and pair[1].owner in names[1])
    return replace(every, names=names, places=(places[0], places[1]), pairs=among)


def _has_other_bounds(
    first: DeclarationPlace,
    second: DeclarationPlace,
    by_number: bool,  # noqa: FBT001
    renamed: Mapping[str, str],
) -> bool:
    old, new = place_signature(first, renamed, by_number=by_number), place_signature(second, {}, by_number=by_number)
    return drop_bounds(old) == drop_bounds(new)


def owning_declaration(name: DeclaredName) -> DeclaredName:
    """Declaration of a step or parameter; any other name is its own."""
    if name.sort in {"step", "parameter"}:
        return DeclaredName("procedure", name.name.rpartition("/")[0])
    return name


def _map_renamed_words(names: Correspondence) -> dict[str, str]:
    """Old names by new names where they differ, both whole and without the owner's prefix."""
    whole = {old.name: new.name for old, new in names.names.items() if old.name != new.name}
    return whole | {
        old.rpartition("/")[2]: new.rpartition("/")[2]
        for old, new in whole.items()
        if old.rpartition("/")[2] != new.rpartition("/")[2]
    }


def _diff_places(
    here: Sequence[DeclarationPlace], there: Sequence[DeclarationPlace], renamed: dict[str, str]
) -> tuple[PlacesOfBoth, MatchedPlaces]:
    """Places of a declaration that differ, and the replacements among them; by names of variables or by their numbers."""
    if not there:
        return (tuple(here), ()), ()
    matchings = [
        (
            *_match_signatures(
                [place_signature(place, renamed, by_number=by_number) for place in here],
                [place_signature(place, {}, by_number=by_number) for place in there],
            ),
            by_number,
        )
        for by_number in (False, True)
    ]
    first, second, pairs, by_number = min(matchings, key=lambda item: len(item[0]) + len(item[1]))
    places = tuple(here[at] for at in sorted(set(first))), tuple(there[at] for at in sorted(set(second)))
    return places, tuple((here[one], there[other], by_number) for one, other in pairs)


def _match_signatures(here: list[object], there: list[object]) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """Places of either list that differ, or where the other has more; and replacements in order."""
    matcher = SequenceMatcher(None, [repr(item) for item in here], [repr(item) for item in there], autojunk=False)
    differing: tuple[list[int], list[int]] = ([], [])
    pairs: list[tuple[int, int]] = []
    for word, i1, i2, j1, j2 in matcher.get_opcodes():
        if word == "equal":
            continue
        for side, (low, high) in enumerate(((i1, i2), (j1, j2))):
            differing[side].extend(range(low, high) if low < high else [max(low - 1, 0)])
        pairs += zip(range(i1, i2), range(j1, j2), strict=True) if i2 - i1 == j2 - j1 else ()
    return *differing, pairs


def _find_altered_data(
    old: Program, new: Program, names: Correspondence
) -> tuple[set[DeclaredName], set[DeclaredName]]:
    first, second = dict(stored_data_signatures(old)), dict(stored_data_signatures(new))
    removed = {declared_name for declared_name in first if names.names.get(declared_name) not in second}
    new_names = set(names.names.values())
    added = {declared_name for declared_name in second if declared_name not in new_names}
    differing = {name for name in first.keys() - removed if first[name] != second[names.names[name]]}
    return removed | differing, added | {names.names[name] for name in differing}


def collect_constants(nodes: Iterable[Any]) -> tuple[int, ...]:
    """Integer constants among nodes, with their neighbours."""
    result = set()
    for node in nodes:
        if isinstance(node, ex.Literal) and isinstance(node.value, int) and not isinstance(node.value, bool):
            result |= {node.value - 1, node.value, node.value + 1}
    return tuple(sorted(result))
