"""Whole states from a ruleset's declarations."""

from rulewright.inputs.nodes import Json
from rulewright.inputs.sections import GAME, SETTINGS
from rulewright.program.declarations import Board, Kind, Program
from rulewright.program.types import Type
from rulewright.situations import grids, planes
from rulewright.situations.chooser import Chooser, between, chance
from rulewright.situations.places import place
from rulewright.situations.sizes import Sizes
from rulewright.situations.values import Values

_RELATED = 25
_PLAYERS = ("red", "blue", "green", "yellow", "black", "white")


def made(program: Program, sizes: Sizes, chooser: Chooser) -> dict[str, Json]:
    """A state in the form of a state file, right in every type; whether it is legal is not judged.

    Raises:
        NoValueError: an attribute can have no value, such as a reference to a kind of which there is nothing.
    """
    things = {kind.name: _ids(kind, program, sizes, chooser) for kind in program.kinds.values()}
    shapes = {each.name: grids.shape(each, chooser, sizes) for each in program.boards.values() if _is_grid(each)}
    cells = [cell for _, found in shapes.values() for cell in found]
    values = Values(program, chooser, things, cells, lambda name, by: planes.plane_value(name, by, sizes))
    state: dict[str, Json] = {}
    for kind in program.kinds.values():
        state[kind.plural] = {each: dict(values.started(kind.fields)) for each in things[kind.name]}
    place(state, values, sizes)
    for board in program.boards.values():
        state[board.name] = grids.board_json(board, *shapes[board.name], values) if board.name in shapes else {}
    state |= {GAME: values.started(program.game.values())} if program.game else {}
    state |= {name: _pairs(name, values) for name in program.relations}
    return state | ({SETTINGS: values.settings()} if program.settings else {})


def _is_grid(board: Board) -> bool:
    return board.space != "plane"


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
