"""Situations as JSON data in the form of state files."""

from collections.abc import Callable
from collections.abc import Mapping as MappingOf
from typing import Any

from rulewright.inputs.boards import shape_of
from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.plane_values import board_json
from rulewright.inputs.sections import CELLS, GAME, REMOVED, SETTINGS, SHAPE, SIDES
from rulewright.machine.situation import Plane, Situation
from rulewright.machine.values import Cell, Value
from rulewright.program.declarations import Board, Field, Program


def state_json(situation: Situation, program: Program) -> dict[str, Json]:
    """What `read_state` reads back as the same situation: every attribute, and cells off their start."""
    names = Names(program, situation.base)
    written: dict[str, Json] = {kind.plural: _things(kind.name, situation, names) for kind in program.kinds.values()}
    written |= {
        board.name: _board(board, situation, names) for board in program.boards.values() if _is_said(board, situation)
    }
    if program.game:
        written[GAME] = {name: to_json(situation.game[name], each.type, names) for name, each in program.game.items()}
    written |= {name: _pairs(name, situation, names) for name in program.relations if situation.relations.get(name)}
    if program.settings:
        settings = program.settings.items()
        written[SETTINGS] = {name: to_json(situation.base.settings[name], each.type, names) for name, each in settings}
    removed = _removed(situation, names)
    return written | ({REMOVED: removed} if removed else {})


def _things(kind: str, situation: Situation, names: Names) -> Json:
    fields = names.program.kinds[kind].fields
    return {
        id_: {
            each.name: to_json(situation.attributes[f"{kind}/{each.name}"][number], each.type, names) for each in fields
        }
        for number, id_ in enumerate(names.ids(kind))
    }


def _is_said(board: Board, situation: Situation) -> bool:
    """A board of the plane may have nothing to say."""
    return board.space != "plane" or situation.base.plane != Plane()


def _board(board: Board, situation: Situation, names: Names) -> Json:
    if board.space == "plane":
        return board_json(situation.base.plane)
    written: dict[str, Json] = {SHAPE: shape_of(situation.base.boards[board.name], board.space)}
    cells = _places(board, board.fields, situation.cells, _cell_key, names)
    sides = _places(board, board.sides, situation.sides, _side_key, names)
    return written | ({CELLS: cells} if cells else {}) | ({SIDES: sides} if sides else {})


def _places(
    board: Board,
    fields: tuple[Field, ...],
    stored: MappingOf[str, MappingOf[Any, Value]],
    key: Callable[[Any], str],
    names: Names,
) -> dict[str, Json]:
    written: dict[str, dict[str, Json]] = {}
    for each in fields:
        for place, value in sorted(stored.get(f"{board.name}/{each.name}", {}).items()):
            written.setdefault(key(place), {})[each.name] = to_json(value, each.type, names)
    return {place: dict(values) for place, values in written.items()}


def _cell_key(cell: Cell) -> str:
    return f"{cell[0]},{cell[1]}"


def _side_key(side: tuple[Cell, Cell]) -> str:
    return f"{_cell_key(side[0])} {_cell_key(side[1])}"


def _pairs(relation: str, situation: Situation, names: Names) -> Json:
    first, second = names.program.relations[relation].parameters
    return [[to_json(a, first.type, names), to_json(b, second.type, names)] for a, b in situation.relations[relation]]


def _removed(situation: Situation, names: Names) -> list[Json]:
    """Ids of things out of play, with the plural of their kind where several things are called so."""
    owners: dict[str, int] = {}
    for ids in situation.base.things.values():
        for id_ in ids:
            owners[id_] = owners.get(id_, 0) + 1
    return [
        id_ if owners[id_] == 1 else f"{kind.plural}/{id_}"
        for kind in names.program.kinds.values()
        for number in sorted(situation.gone.get(kind.name, ()))
        for id_ in [names.thing(kind.name, number)]
    ]
