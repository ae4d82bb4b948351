"""Generation of states: random ones from declarations, and variations of a fixture.

States are JSON data in the form of state files; whether one is legal is judged by `parse_situation` and the
ruleset's invariants, as for a state that a person wrote.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rulewright.documents.board_sections import hexagon_cells
from rulewright.documents.document_nodes import Json, data_to_node
from rulewright.documents.name_table import GAME, SETTINGS
from rulewright.documents.state_file import parse_state
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_sampling import (
    ChoiceSource,
    SizeRanges,
    ValueSampler,
    base_radius,
    choose_between,
    choose_cells,
    choose_one,
    choose_points,
    choose_with_chance,
    make_board,
    make_board_shape,
)
from rulewright.program import types as ty
from rulewright.program.board_geometry import AXIAL, get_approximate_inch, get_length_unit
from rulewright.program.declarations import Field, Kind, Program
from rulewright.program.types import Type
from rulewright.runtime.state import Situation

_MAX_CACHED_SITUATIONS = 2_000
_SITUATION_CACHE: dict[tuple[int, str], tuple[Program, Situation | None]] = {}
"""Situations by program and text of their state; emptied when full."""

PLACE_ATTRIBUTE = "at"
BASE_ATTRIBUTE = "base"
_RELATED_PERCENT = 25
_PLAYER_IDS = ("red", "blue", "green", "yellow", "black", "white")
_REDRAWN_PERCENTS, _MOVED_PERCENT, _REDRAWN_LINK_PERCENT = (5, 20, 50), 60, 5


def parse_situation(state: dict[str, Json], program: Program) -> Situation | None:
    """Situation of a state in the form of a state file; `None` where the reader refuses it.

    Recent states map to the same object.
    """
    place = id(program), repr(state)
    if place not in _SITUATION_CACHE:
        if len(_SITUATION_CACHE) >= _MAX_CACHED_SITUATIONS:
            _SITUATION_CACHE.clear()
        _SITUATION_CACHE[place] = program, parse_state(data_to_node(state), program).value
    return _SITUATION_CACHE[place][1]


def copy_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Copy with mappings of its own; lists are shared, and must be replaced rather than changed."""
    return {key: copy_state(item) if isinstance(item, dict) else item for key, item in state.items()}


def move_things(state: dict[str, Any], values: ValueSampler) -> None:
    """Places everything in play anew."""
    program = values.program
    on_cells = list(_things_with_place(state, program, lambda type_: isinstance(type_, ty.CellType)))
    if on_cells:
        spaces = [place.space for kind in program.kinds.values() if isinstance(place := _place_type(kind), ty.CellType)]
        cells = choose_cells(spaces[0], values.cells, len(on_cells), values.chooser)
        for thing, cell in zip(on_cells, cells, strict=True):
            thing[PLACE_ATTRIBUTE] = list(cell)
    on_plane = list(_things_with_place(state, program, lambda type_: isinstance(type_, ty.PlaneType)))
    radii = [base_radius(thing[BASE_ATTRIBUTE], program) if thing.get(BASE_ATTRIBUTE) else 0 for thing in on_plane]
    points = choose_points(radii, values.chooser, values.sizes, get_approximate_inch(get_length_unit(program)))
    for thing, point in zip(on_plane, points, strict=True):
        thing[PLACE_ATTRIBUTE] = point


def _things_with_place(
    state: dict[str, Any], program: Program, fits: Callable[[Type], bool]
) -> Iterator[dict[str, Json]]:
    for kind in program.kinds.values():
        if fits(_place_type(kind)):
            yield from state[kind.plural].values()


def _place_type(kind: Kind) -> Any:  # `None` for a kind without places
    type_ = next((field.type for field in kind.fields if field.name == PLACE_ATTRIBUTE), None)
    return type_ and ty.strip_optional(type_)


_CELLS_WITHOUT_BOARD = list(hexagon_cells(2))


def make_state(program: Program, sizes: SizeRanges, chooser: ChoiceSource) -> dict[str, Json]:
    """Random state, valid in every type; its legality is not judged.

    Raises:
        NoValueError: an attribute can have no value, such as a reference to a kind of which there is nothing.
    """
    things = {kind.name: _make_ids(kind, program, sizes, chooser) for kind in program.kinds.values()}
    shapes = {
        item.name: make_board_shape(item, chooser, sizes) for item in program.boards.values() if item.space != "plane"
    }
    cells = [cell for _, items in shapes.values() for cell in items] or _CELLS_WITHOUT_BOARD
    values = ValueSampler(program, chooser, things, cells, sizes)
    state: dict[str, Json] = {}
    for kind in program.kinds.values():
        state[kind.plural] = {thing: dict(values.sample_fields(kind.fields)) for thing in things[kind.name]}
    move_things(state, values)
    for board in program.boards.values():
        state[board.name] = make_board(board, *shapes[board.name], values) if board.name in shapes else {}
    state |= {GAME: values.sample_fields(program.game.values())} if program.game else {}
    state |= {name: _make_relation_pairs(name, values) for name in program.relations}
    return state | ({SETTINGS: values.sample_settings()} if program.settings else {})


def _make_ids(kind: Kind, program: Program, sizes: SizeRanges, chooser: ChoiceSource) -> list[str]:
    number = choose_between(chooser, *sizes.kind_range(kind, program))
    if kind.name == "player":
        return [_PLAYER_IDS[at] if at < len(_PLAYER_IDS) else f"player_{at + 1}" for at in range(number)]
    name = kind.name.rpartition(".")[2].lower()
    return [f"{name}_{at + 1}" for at in range(number)]


def _make_relation_pairs(relation: str, values: ValueSampler) -> Json:
    first, second = values.program.relations[relation].parameters
    symmetric = values.program.relations[relation].symmetric
    return [
        [a, b]
        for a in _things_of_type(first.type, values)
        for b in _things_of_type(second.type, values)
        if a != b and not (symmetric and a > b) and choose_with_chance(values.chooser, _RELATED_PERCENT)
    ]


def _things_of_type(type_: Type, values: ValueSampler) -> list[str]:
    return list(values.things.get(getattr(type_, "kind", ""), ()))


def vary_state(program: Program, fixture: Situation, sizes: SizeRanges, chooser: ChoiceSource) -> dict[str, Json]:
    """Random variation of a fixture; its legality is not judged.

    Rates vary between states: a twentieth, a fifth or half of the numbers, words, flags and collections are drawn anew,
    references to things seldom; in most states things are placed anew, near each other.
    """
    fixture = replace(fixture, base=replace(fixture.base, coordinates=AXIAL))
    state: dict[str, Any] = state_to_json(fixture, program)
    cells = [cell for items in fixture.base.boards.values() for cell in items]
    values = ValueSampler(program, chooser, fixture.base.things, cells, sizes)
    share = choose_one(chooser, _REDRAWN_PERCENTS)
    for kind in program.kinds.values():
        _redraw_attributes(kind, state[kind.plural], values, share)
    if choose_with_chance(chooser, _MOVED_PERCENT):
        move_things(state, values)
    for name, field in program.game.items():
        if _is_drawn(field, chooser, share):
            state[GAME][name] = values.sample_value(field.type)
    return state | ({SETTINGS: state[SETTINGS] | values.sample_settings()} if program.settings else {})


def _redraw_attributes(kind: Kind, things: dict[str, dict[str, Json]], values: ValueSampler, share: int) -> None:
    for attributes in things.values():
        for field in kind.fields:
            if field.name not in {PLACE_ATTRIBUTE, BASE_ATTRIBUTE} and _is_drawn(field, values.chooser, share):
                attributes[field.name] = values.sample_value(field.type)


def _is_drawn(each: Field, chooser: ChoiceSource, share: int) -> bool:
    return choose_with_chance(chooser, _REDRAWN_LINK_PERCENT if isinstance(each.type, ty.ThingType) else share)
