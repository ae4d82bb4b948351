"""The places of declarations, stored data, and what of both an edit changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from difflib import SequenceMatcher
from typing import Any

from rulewright.comparing.edits import Correspondence
from rulewright.comparing.playing.data import Changed
from rulewright.frozen import dataclass
from rulewright.inputs.names import SETTINGS
from rulewright.machine.layout import layout
from rulewright.outline.items import Name
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.declarations import Field, Program
from rulewright.program.effects import Footprint
from rulewright.program.expressions import Narrowed, Typed, Variable
from rulewright.program.rows import Row
from rulewright.roles import Role, children, is_node, names, nodes

GROUPS = {
    "function": "functions",
    "external": "external_terms",
    "event": "events",
    "handler": "handlers",
    "rule": "rules",
    "invariant": "invariants",
    "procedure": "procedures",
}
"""Sorts of names whose declarations are carried out or computed, with where a program keeps them."""

_APART = (st.Line, Row, d.Step, d.Watch, st.Option, st.RankKey)
_SILENT = (Role.PLACE, Role.MARGIN, Role.WORDS, Role.NAME, Role.SCOPE)


@dataclass(frozen=True, slots=True)
class Place:
    """A declaration, step, line, row, option or watch without those inside it."""

    owner: Name
    address: str  # its own
    node: Any
    depth: int  # how deep it stands inside the declaration


def declarations(program: d.Program) -> Iterator[tuple[Name, Any]]:
    """Everything that is carried out or computed, by name."""
    for sort, group in GROUPS.items():
        for name, declared in getattr(program, group).items():
            yield Name(sort, name), declared


def places(owner: Name, declared: Any) -> Iterator[Place]:
    """The places of a declaration, itself first, in the order of the text."""
    yield Place(owner, owner.name, declared, 0)
    yield from _inside(owner, declared, 1)


def _inside(owner: Name, node: Any, depth: int) -> Iterator[Place]:
    for each in _parts(node):
        if isinstance(each, _APART):
            yield Place(owner, each.address or owner.name, each, depth)
            yield from _inside(owner, each, depth + 1)
        else:
            yield from _inside(owner, each, depth)


def _parts(node: Any) -> Iterator[Any]:
    if isinstance(node, tuple):
        yield from node
    elif not isinstance(node, Variable | Typed):
        yield from children(node)


def own(node: Any) -> Iterator[Typed]:
    """The outermost expressions of a place, without those of places inside it."""
    for each in _parts(node):
        if isinstance(each, Typed):
            yield each
        elif not isinstance(each, _APART):
            yield from own(each)


def said(place: Place, renamed: Mapping[str, str], *, by_number: bool) -> object:
    """What a place says but for titles, questions, clauses and addresses, with names as the other revision has them.

    Names of the routine count by their number in it or by how they are written.
    """
    return place.depth, _said(place.node, renamed, by_number, top=True)


def unfitted(said: object) -> object:
    """What is said, as `said` gives it, but for the bounds that values are held to where they are used."""
    match said:
        case ("Narrowed", (_, operand)):
            return unfitted(operand)
        case tuple():
            return tuple(map(unfitted, said))
        case _:
            return said


def frame(node: Any, renamed: Mapping[str, str], *, by_number: bool) -> object:
    """What a place says but for its expressions."""
    return _said(node, renamed, by_number, top=True, framed=True)


def phrase(node: Any, renamed: Mapping[str, str], *, by_number: bool) -> object:
    """What an expression says, or several in a tuple; names as in `said`."""
    return _said(node, renamed, by_number)


def _said(  # noqa: PLR0911
    node: Any,
    renamed: Mapping[str, str],
    by_number: bool,  # noqa: FBT001
    *,
    top: bool = False,
    framed: bool = False,
) -> object:
    if framed and isinstance(node, Typed):
        return "an expression"
    if isinstance(node, tuple):
        return tuple(_said(each, renamed, by_number, framed=framed) for each in node)
    if isinstance(node, Variable):
        return ("variable", node.index if by_number else node.name)
    if isinstance(node, str):
        return renamed.get(node, node)
    if isinstance(node, _APART) and not top:
        return type(node).__name__
    if not is_node(type(node)):
        return node
    proof = () if isinstance(node, Narrowed) or not isinstance(node, Typed) else (Role.PROOF,)
    values = [getattr(node, name) for name in names(type(node), *_SILENT, *proof)]
    return type(node).__name__, tuple(_said(each, renamed, by_number, framed=framed) for each in values)


def stored(program: Program) -> Iterator[tuple[Name, str]]:
    """Stored data of a program by name, with what is said of it."""
    yield from ((name, _kept(field.type, field.start)) for name, field in fields(program))
    for name, setting in program.settings.items():
        yield Name("setting", name), _kept(setting.type, setting.value)
    for name, relation in program.relations.items():
        yield Name("relation", name), repr((relation.symmetric, [each.type for each in relation.parameters]))
    for name, die in program.dice.items():
        yield Name("die", name), repr([said_of(each) for each in die.faces])
    for name, values in program.values.items():
        yield Name("values", name), repr(len(values.words))


def moved(old: Program, new: Program, names: Correspondence) -> Iterator[tuple[Name, Name]]:
    """Stored data of both revisions that are of another type or start otherwise, by their old and new names."""
    yield from differing(dict(stored(old)), dict(stored(new)), names)


def differing(old: Mapping[Name, str], new: Mapping[Name, str], names: Correspondence) -> Iterator[tuple[Name, Name]]:
    """Stored data of which two revisions say different things, by their old and new names; what each says is given."""
    for name, what in old.items():
        target = names.names.get(name)
        if target is not None and new.get(target, what) != what:
            yield name, target


def fields(program: Program) -> Iterator[tuple[Name, Field]]:
    """What things, boards and the game keep, by name."""
    for kind in program.kinds.values():
        yield from _named("attribute", f"{kind.name}/", kind.fields)
    for board in program.boards.values():
        yield from _named("cell", f"{board.name}/", board.fields)
        yield from _named("side", f"{board.name}/", board.sides)
    yield from _named("field", "", program.game.values())


def _named(sort: str, prefix: str, listed: Iterable[Field]) -> Iterator[tuple[Name, Field]]:
    return ((Name(sort, prefix + each.name), each) for each in listed)


def _kept(type_: object, start: object) -> str:
    return f"{type_!r} {said_of(start)!r}"


def said_of(node: object) -> object:
    """What an expression says, without its place."""
    return said(Place(Name("", ""), "", (node,), 0), {}, by_number=False)


def twins(old: Program, new: Program, names: Correspondence) -> bool:
    """Whether states and values of two programs are the same data: equal kinds, words, records, fields in one order.

    Start values, titles and readings of settings may differ. What another name says of the same thing makes them
    strangers.
    """
    return _stored(old) == _stored(new) and all(
        old_name == new_name for old_name, new_name in names.names.items() if old_name.sort in _STORED
    )


def same_starts(old: Program, new: Program) -> bool:
    """Whether two twins have the same start values and readings, so that one state file is one situation for both."""
    return dict(stored(old)) == dict(stored(new))


_STORED = frozenset(
    {"values", "word", "kind", "plural", "attribute", "record", "part", "board", "cell", "side", "field", "setting"}
    | {"relation", "die", "external", "handler"}
)


def _stored(program: Program) -> tuple[object, ...]:
    stored = layout(program)
    return (
        stored.kinds,
        [(each.name, each.plural) for each in program.kinds.values()],
        [stored.columns, stored.game, stored.cells, stored.sides, stored.relations],
        list(stored.types.items()),
        stored.symmetric,
        [(name, [word.name for word in each.words]) for name, each in program.values.items()],
        [(name, [(part.name, part.type) for part in each.parts]) for name, each in program.records.items()],
        [(name, each.type) for name, each in program.settings.items()],
        [(name, each.space, each.unit, each.bases) for name, each in program.boards.items()],
        [(name, [parameter.type for parameter in each.parameters]) for name, each in program.relations.items()],
        list(program.handlers),
    )


Pair = tuple[tuple[Place, ...], tuple[Place, ...]]
Pairs = tuple[tuple[Place, Place, bool], ...]
"""Places of the old revision and of the new one, and whether names of the routine count by their numbers."""


@dataclass(frozen=True, slots=True)
class Altered:
    """What is to be watched."""

    # of what changed, of the old revision and of the new one: declarations that are carried out, and stored data
    names: tuple[frozenset[Name], frozenset[Name]]
    places: Pair  # of either revision that say something else than the other
    # those among them that stand for each other, and whether names of the routine count by their numbers
    pairs: Pairs = ()
    # those that say the same: next to which the other revision has more, and where dice that changed fall
    beside: tuple[Place, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)  # old names by new ones where they differ


def altered(old: Program, new: Program, names: Correspondence, changed: Changed | None) -> Altered:
    """What changed of two programs, as far as it is among what is said to have changed."""
    found: tuple[list[Place], list[Place]] = ([], [])
    pairs: list[tuple[Place, Place, bool]] = []
    beside: list[Place] = []
    known = dict(declarations(new))
    renamed = _renamed(names)
    for name, declared in declarations(old):
        other = names.names.get(name)
        here = list(places(name, declared))
        there = list(places(other, known[other])) if other in known else []
        differing = _differing(here, there, renamed)
        for side, each in zip(found, differing.places, strict=True):
            side.extend(each)
        pairs += differing.pairs
        beside += differing.beside
    taken = set(names.names.values())
    for name, declared in known.items():
        if name not in taken:
            found[1].extend(places(name, declared))
    every = Altered((_NONE, _NONE), (tuple(found[0]), tuple(found[1])), tuple(pairs), tuple(beside), renamed)
    if changed is not None:
        return _with_dice(_among(every, changed, (old, new)), (old, new))
    data = _data(old, new, names)
    both = {each.owner for each in found[0]} | data[0], {each.owner for each in found[1]} | data[1]
    return _with_dice(replace(every, names=(frozenset(both[0]), frozenset(both[1]))), (old, new))


_NONE: frozenset[Name] = frozenset()


def _with_dice(found: Altered, programs: tuple[Program, Program]) -> Altered:
    """What changed, with the places at which a declared die is rolled that changed."""
    more: list[tuple[Place, ...]] = []
    for program, named in zip(programs, found.names, strict=True):
        dice = {each.name for each in named if each.sort == "die"}
        every = (each for name, declared in declarations(program) for each in places(name, declared) if dice)
        more.append(tuple(each for each in every if _rolled(each.node) & dice))
    if not any(more):
        return found
    both = (*found.places[0], *more[0]), (*found.places[1], *more[1])
    return replace(found, places=both, beside=(*found.beside, *more[0], *more[1]))


def _rolled(node: Any) -> set[str]:
    """The declared dice that a line or the key of a rank rolls itself."""
    parts = node.parts if isinstance(node, st.Roll) else (node.dice or ()) if isinstance(node, st.RankKey) else ()
    return {each.die.name for each in parts if isinstance(each.die, st.NamedDie)}


def _among(every: Altered, changed: Changed, programs: tuple[Program, Program]) -> Altered:
    """Places of what is said to have changed, and of what is held to other bounds by that.

    All those of a declaration of which none differs by itself.
    """
    held = [each for each in every.pairs if _held_otherwise(*each, every.renamed)]
    names = (
        frozenset((*map(owner, changed.old), *(each[0].owner for each in held))),
        frozenset((*map(owner, changed.new), *(each[1].owner for each in held))),
    )
    kept: list[tuple[Place, ...]] = []
    for side, known, program in zip(every.places, names, programs, strict=True):
        differing = [each for each in side if each.owner in known]
        silent = known - {each.owner for each in differing}
        whole = [each for name, declared in declarations(program) if name in silent for each in places(name, declared)]
        kept.append((*differing, *whole))
    among = tuple(each for each in every.pairs if each[0].owner in names[0] and each[1].owner in names[1])
    return replace(every, names=names, places=(kept[0], kept[1]), pairs=among)


def _held_otherwise(first: Place, second: Place, by_number: bool, renamed: Mapping[str, str]) -> bool:  # noqa: FBT001
    """Whether two places are written the same, and differ by what is declared elsewhere."""
    old, new = said(first, renamed, by_number=by_number), said(second, {}, by_number=by_number)
    return unfitted(old) == unfitted(new)


def owner(name: Name) -> Name:
    """The declaration that a name of a step or parameter belongs to; any other name is its own."""
    if name.sort in {"step", "parameter"}:
        return Name("procedure", name.name.rpartition("/")[0])
    return name


def _renamed(names: Correspondence) -> dict[str, str]:
    """Old names by new ones where they differ, whole and without what they stand in."""
    whole = {old.name: new.name for old, new in names.names.items() if old.name != new.name}
    return whole | {
        old.rpartition("/")[2]: new.rpartition("/")[2]
        for old, new in whole.items()
        if old.rpartition("/")[2] != new.rpartition("/")[2]
    }


@dataclass(frozen=True, slots=True)
class _Differing:
    """Places of two declarations that differ, those that stand for each other, and those next to which more stands."""

    places: Pair
    pairs: Sequence[tuple[Place, Place, bool]] = ()
    beside: Sequence[Place] = ()


def _differing(here: Sequence[Place], there: Sequence[Place], renamed: dict[str, str]) -> _Differing:
    """What differs of two declarations, whichever way names of the routine are told apart."""
    if not there:
        return _Differing((tuple(here), ()))
    ways = [
        (
            *_unmatched(
                [said(each, renamed, by_number=by_number) for each in here],
                [said(each, {}, by_number=by_number) for each in there],
            ),
            by_number,
        )
        for by_number in (False, True)
    ]
    first, second, pairs, beside, by_number = min(ways, key=lambda each: len(each[0]) + len(each[1]))
    return _Differing(
        (tuple(here[at] for at in sorted(set(first))), tuple(there[at] for at in sorted(set(second)))),
        [(here[one], there[other], by_number) for one, other in pairs],
        [*(here[at] for at in beside[0]), *(there[at] for at in beside[1])],
    )


_Numbers = list[int]


def _unmatched(
    here: list[object], there: list[object]
) -> tuple[_Numbers, _Numbers, list[tuple[int, int]], tuple[_Numbers, _Numbers]]:
    """What differs on either side, what stands for what (as many for as many, in their order), and what is beside."""
    matcher = SequenceMatcher(None, [repr(each) for each in here], [repr(each) for each in there], autojunk=False)
    differing: tuple[_Numbers, _Numbers] = ([], [])
    beside: tuple[_Numbers, _Numbers] = ([], [])
    pairs: list[tuple[int, int]] = []
    for word, i1, i2, j1, j2 in matcher.get_opcodes():
        if word == "equal":
            continue
        for side, (low, high) in enumerate(((i1, i2), (j1, j2))):
            differing[side].extend(range(low, high))
            beside[side].extend([] if low < high else [max(low - 1, 0)])
        pairs += zip(range(i1, i2), range(j1, j2), strict=True) if i2 - i1 == j2 - j1 else ()
    both = tuple([*changed, *more] for changed, more in zip(differing, beside, strict=True))
    alone = tuple(
        [each for each in more if each not in changed] for changed, more in zip(differing, beside, strict=True)
    )
    return both[0], both[1], pairs, (alone[0], alone[1])


def _data(old: Program, new: Program, names: Correspondence) -> tuple[set[Name], set[Name]]:
    """Names of stored data that only one revision has, or that are of another type or start otherwise."""
    first, second = dict(stored(old)), dict(stored(new))
    gone = {each for each in first if names.names.get(each) not in second}
    taken = set(names.names.values())
    added = {each for each in second if each not in taken}
    both = tuple(differing(first, second, names))
    return gone | {each for each, _ in both}, added | {each for _, each in both}


def constants(places: Iterable[Place]) -> tuple[int, ...]:
    """The whole numbers written in some places, with their neighbours."""
    found = set()
    for place in places:
        for node in nodes(place.node):
            if isinstance(node, ex.Literal) and isinstance(node.value, int) and not isinstance(node.value, bool):
                found |= {node.value - 1, node.value, node.value + 1}
    return tuple(sorted(found))


def read(places: Iterable[Place], program: Program) -> frozenset[str]:
    """What some places read of a state, as `Unit/health` or `game/round`, and settings as `settings/name`."""
    footprint = Footprint(program)
    found: set[str] = set()
    for place in places:
        found |= footprint.reads(place.node)
        found |= {f"{SETTINGS}/{each.name}" for each in nodes(place.node) if isinstance(each, ex.SettingValue)}
    return frozenset(found)
