"""Puts the things of a state somewhere, near each other."""

from collections.abc import Callable, Iterator
from typing import Any

from rulewright.inputs.nodes import Json
from rulewright.program.declarations import Kind, Program
from rulewright.program.types import CellType, PlaneType, Type, present
from rulewright.situations import grids, planes
from rulewright.situations.sizes import Sizes
from rulewright.situations.values import Values

PLACE = "at"
BASE = "base"


def place(state: dict[str, Any], values: Values, sizes: Sizes) -> None:
    """Gives everything in play that has a place another one."""
    program = values.program
    on_cells = list(_standing(state, program, lambda type_: isinstance(type_, CellType)))
    board = next((each for each in program.boards.values() if each.space != "plane"), None)
    if on_cells and board is not None:
        cells = grids.standing(board, values.cells, len(on_cells), values.chooser)
        for thing, cell in zip(on_cells, cells, strict=True):
            thing[PLACE] = list(cell)
    on_plane = list(_standing(state, program, lambda type_: isinstance(type_, PlaneType)))
    radii = [planes.radius_of(thing[BASE]) if thing.get(BASE) else 0 for thing in on_plane]
    for thing, point in zip(on_plane, planes.standing(radii, values.chooser, sizes), strict=True):
        thing[PLACE] = point


def _standing(state: dict[str, Any], program: Program, fits: Callable[[Type], bool]) -> Iterator[dict[str, Json]]:
    for kind in program.kinds.values():
        if fits(_place_type(kind)):
            yield from state[kind.plural].values()


def _place_type(kind: Kind) -> Any:  # noqa: ANN401 - none where things of the kind have no place
    type_ = next((each.type for each in kind.fields if each.name == PLACE), None)
    return type_ and present(type_)
