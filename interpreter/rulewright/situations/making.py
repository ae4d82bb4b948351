"""Whole states: from declarations, near one that a person wrote, as somebody wishes them; and those that are legal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.diagnostics import has_errors
from rulewright.frozen import dataclass
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import Findings, Wrong
from rulewright.inputs.names import CELLS, GAME, SETTINGS, Names
from rulewright.inputs.nodes import Json, unplaced
from rulewright.inputs.state_file import read_attribute, state_of
from rulewright.inputs.state_json import state_json
from rulewright.inputs.value_reader import ValueReader, starting
from rulewright.machine.state import Situation
from rulewright.machine.values import Value
from rulewright.program import types as ty
from rulewright.program.declarations import Field, Kind, Program
from rulewright.program.offsets import AXIAL
from rulewright.program.plane import about_an_inch, length_unit
from rulewright.program.types import Type
from rulewright.situations.values import (
    Chooser,
    Sizes,
    Values,
    between,
    board_json,
    board_shape,
    cells_for,
    chance,
    one_of,
    points_for,
    radius_of,
)

_REMEMBERED = 2_000
_READ: dict[tuple[int, str], tuple[Program, Situation | None]] = {}
"""Situations by their program and their text; when there are too many, all are forgotten."""

PLACE = "at"
BASE = "base"
_RELATED = 25
_PLAYERS = ("red", "blue", "green", "yellow", "black", "white")
_DRAWN, _MOVED, _LINKED = (5, 20, 50), 60, 5
_MANY = 60


def situation_of(state: dict[str, Json], program: Program) -> Situation | None:
    """The situation of a state in the form of a state file; none where the reader refuses it.

    Of a state that was read not long ago it is the same object, and of one with other values of the same things only
    these are read.
    """
    place = id(program), repr(state)
    if place not in _READ:
        if len(_READ) >= _REMEMBERED:
            _READ.clear()
            _ALIKE.clear()
        frame = _frame(state, program)
        alike = _ALIKE.get(frame)
        read = alike.read(state) if alike is not None else None
        if read is None:
            found = state_of(unplaced(state), program)
            read = None if has_errors(found.diagnostics) else found.value
            if read is not None and alike is None:
                _ALIKE[frame] = _Alike(program, read)
        _READ[place] = program, read
    return _READ[place][1]


_Place = tuple[int, str, tuple[tuple[str, ...], ...]]


def _frame(state: Mapping[str, Any], program: Program) -> _Place:
    """What is the same of states that differ in values of things and of the game alone."""
    plurals = [each.plural for each in program.kinds.values()]
    rest = {key: each for key, each in state.items() if key != GAME and key not in plurals}
    return id(program), repr((rest, GAME in state)), tuple(tuple(state.get(each) or ()) for each in plurals)


class _Unsure(Exception):  # noqa: N818 - no error: the reader of whole states is asked
    """What a value comes to is for the reader of whole states to say."""


class _Alike:
    """Reads states of the same things, boards, settings and relations as one that was read; each value once."""

    def __init__(self, program: Program, like: Situation) -> None:
        self._program = program
        self._like = like
        self._names = Names(program, like.base)
        self._rows: dict[tuple[str, str], tuple[Value, ...]] = {}
        self._values: dict[tuple[int, str], Value] = {}

    def read(self, state: Mapping[str, Any]) -> Situation | None:
        """The situation of a state; none where something of it is not plainly right."""
        try:
            game = self._row(GAME, state.get(GAME), tuple(self._program.game.values()))
            attributes: dict[str, tuple[Value, ...]] = {}
            for kind in self._program.kinds.values():
                given = state.get(kind.plural) or {}
                things = given.values() if isinstance(given, dict) else [None] * len(given)
                rows = [self._row(kind.name, each, kind.fields) for each in things]
                columns = zip(*rows, strict=True) if rows else ((),) * len(kind.fields)
                attributes |= {f"{kind.name}/{one.name}": row for one, row in zip(kind.fields, columns, strict=True)}
        except _Unsure:
            return None
        return replace(self._like, attributes=attributes, game=dict(zip(self._program.game, game, strict=True)))

    def _row(self, owner: str, given: Mapping[str, Json] | None, fields: Sequence[Field]) -> tuple[Value, ...]:
        place = owner, repr(given)
        if place not in self._rows:
            values = {} if given is None else given
            if not isinstance(values, dict) or not values.keys() <= {each.name for each in fields}:
                raise _Unsure
            self._rows[place] = tuple(self._value(each, values) for each in fields)
        return self._rows[place]

    def _value(self, each: Field, given: Mapping[str, Json]) -> Value:
        if each.name not in given:
            if each.start is None:
                raise _Unsure
            return starting(each)
        place = id(each), repr(given[each.name])
        if place not in self._values:
            node, findings = unplaced(given[each.name]), Findings()
            if not shapes_of(self._program).of(each.type).fits(node):
                raise _Unsure
            value = read_attribute(node, each, "", ValueReader(self._names, findings))
            if isinstance(value, Wrong) or findings.found:
                raise _Unsure
            self._values[place] = value
        return self._values[place]


_ALIKE: dict[_Place, _Alike] = {}
"""Readers by what their states have in common."""


def copied(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state whose mappings may be changed; the lists in it are shared, and are replaced rather than changed."""
    return {key: copied(each) if isinstance(each, dict) else each for key, each in state.items()}


def place(state: dict[str, Any], values: Values, sizes: Sizes) -> None:
    """Gives everything in play that has a place another one."""
    program = values.program
    on_cells = list(_standing(state, program, lambda type_: isinstance(type_, ty.CellType)))
    board = next((each for each in program.boards.values() if each.space != "plane"), None)
    if on_cells and board is not None:
        cells = cells_for(board, values.cells, len(on_cells), values.chooser)
        for thing, cell in zip(on_cells, cells, strict=True):
            thing[PLACE] = list(cell)
    on_plane = list(_standing(state, program, lambda type_: isinstance(type_, ty.PlaneType)))
    radii = [radius_of(thing[BASE], program) if thing.get(BASE) else 0 for thing in on_plane]
    points = points_for(radii, values.chooser, sizes, about_an_inch(length_unit(program)))
    for thing, point in zip(on_plane, points, strict=True):
        thing[PLACE] = point


def _standing(state: dict[str, Any], program: Program, fits: Callable[[Type], bool]) -> Iterator[dict[str, Json]]:
    for kind in program.kinds.values():
        if fits(_place_type(kind)):
            yield from state[kind.plural].values()


def _place_type(kind: Kind) -> Any:  # none where things of the kind have no place
    type_ = next((each.type for each in kind.fields if each.name == PLACE), None)
    return type_ and ty.present(type_)


def made(program: Program, sizes: Sizes, chooser: Chooser) -> dict[str, Json]:
    """A state in the form of a state file, right in every type; whether it is legal is not judged.

    Raises:
        NoValueError: an attribute can have no value, such as a reference to a kind of which there is nothing.
    """
    things = {kind.name: _ids(kind, program, sizes, chooser) for kind in program.kinds.values()}
    shapes = {each.name: board_shape(each, chooser, sizes) for each in program.boards.values() if each.space != "plane"}
    cells = [cell for _, found in shapes.values() for cell in found]
    values = Values(program, chooser, things, cells, sizes)
    state: dict[str, Json] = {}
    for kind in program.kinds.values():
        state[kind.plural] = {each: dict(values.started(kind.fields)) for each in things[kind.name]}
    place(state, values, sizes)
    for board in program.boards.values():
        state[board.name] = board_json(board, *shapes[board.name], values) if board.name in shapes else {}
    state |= {GAME: values.started(program.game.values())} if program.game else {}
    state |= {name: _pairs(name, values) for name in program.relations}
    return state | ({SETTINGS: values.settings()} if program.settings else {})


def _ids(kind: Kind, program: Program, sizes: Sizes, chooser: Chooser) -> list[str]:
    number = between(chooser, *sizes.of(kind, program))
    if kind.name == "player":
        return [_PLAYERS[at] if at < len(_PLAYERS) else f"player_{at + 1}" for at in range(number)]
    name = kind.name.rpartition(".")[2].lower()
    return [f"{name}_{at + 1}" for at in range(number)]


def _pairs(relation: str, values: Values) -> Json:
    first, second = values.program.relations[relation].parameters
    symmetric = values.program.relations[relation].symmetric
    return [
        [a, b]
        for a in _members(first.type, values)
        for b in _members(second.type, values)
        if a != b and not (symmetric and a > b) and chance(values.chooser, _RELATED)
    ]


def _members(type_: Type, values: Values) -> list[str]:
    return list(values.things.get(getattr(type_, "kind", ""), ()))


def varied(program: Program, fixture: Situation, sizes: Sizes, chooser: Chooser) -> dict[str, Json]:
    """A state like the fixture, in the form of a state file; whether it is legal is not judged.

    Some states are nearer to the fixture than others: a twentieth, a fifth or half of the numbers, words, flags and
    collections are drawn anew, references to things seldom; in most states things stand elsewhere, near each other.
    """
    fixture = replace(fixture, base=replace(fixture.base, coordinates=AXIAL))
    state: dict[str, Any] = state_json(fixture, program)
    cells = [cell for found in fixture.base.boards.values() for cell in found]
    values = Values(program, chooser, fixture.base.things, cells, sizes)
    share = one_of(chooser, _DRAWN)
    for kind in program.kinds.values():
        _vary_things(kind, state[kind.plural], values, share)
    if chance(chooser, _MOVED):
        place(state, values, sizes)
    for name, each in program.game.items():
        if _is_drawn(each, chooser, share):
            state[GAME][name] = values.of(each.type)
    return state | ({SETTINGS: state[SETTINGS] | values.settings()} if program.settings else {})


def _vary_things(kind: Kind, things: dict[str, dict[str, Json]], values: Values, share: int) -> None:
    for attributes in things.values():
        for each in kind.fields:
            if each.name not in {PLACE, BASE} and _is_drawn(each, values.chooser, share):
                attributes[each.name] = values.of(each.type)


def _is_drawn(each: Field, chooser: Chooser, share: int) -> bool:
    return chance(chooser, _LINKED if isinstance(each.type, ty.ThingType) else share)


@dataclass(frozen=True, slots=True)
class Wish:
    """A value wanted somewhere."""

    place: str  # `Kind/attribute`, `game/field`, `settings/name`, `board/attribute`, or `procedure/parameter`
    value: Json  # as JSON


def granted(state: dict[str, Json], program: Program, wishes: Sequence[Wish], chooser: Chooser) -> dict[str, Json]:
    """The state with what was wished; arguments are left to whoever begins the procedure.

    A wish for an attribute is granted to some things of the kind, one at least, or to the cells where things stand.
    """
    found = copied(state)
    for each in wishes:
        owner, _, name = each.place.rpartition("/")
        if owner in {GAME, SETTINGS}:
            found.setdefault(owner, {})[name] = each.value
        elif owner in program.kinds:
            _give(list(found.get(program.kinds[owner].plural, {}).values()), name, each.value, chooser)
        elif owner in program.boards and isinstance(found.get(owner), dict):
            cells = found[owner].setdefault(CELLS, {})
            where = [cells.setdefault(key, {}) for key in sorted(_taken(found, program))]
            _give([*where, *cells.values()], name, each.value, chooser)
    return found


def _give(holders: Sequence[dict[str, Any]], name: str, value: Json, chooser: Chooser) -> None:
    if holders:
        one_of(chooser, holders)[name] = value
    for each in holders:
        if chance(chooser, _MANY):
            each[name] = value


def _taken(state: dict[str, Any], program: Program) -> set[str]:
    """The cells on which things stand, as keys."""
    spots = (thing.get(PLACE) for kind in program.kinds.values() for thing in state.get(kind.plural, {}).values())
    return {
        f"{spot[0]},{spot[1]}" for spot in spots if isinstance(spot, list) and all(isinstance(n, int) for n in spot)
    }
