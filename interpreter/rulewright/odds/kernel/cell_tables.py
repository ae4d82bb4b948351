"""Functions of cells, as tables of all their results."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

from rulewright.odds.kernel.kernel_module import KernelModule
from rulewright.odds.kernel.routine_code import OperationTable, RoutineCode
from rulewright.odds.kernel.value_shapes import NONE_CODE, BatchUnsupportedError
from rulewright.odds.kernel.wasm_assembler import Code, select
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.forms import CoreType
from rulewright.runtime import grid_cells
from rulewright.runtime.faults import Fault
from rulewright.runtime.values import Cell
from rulewright.runtime.working_memory import BOARD

CELL_OPERATIONS = OperationTable()
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "adjacent": grid_cells.are_adjacent,
    "distance": grid_cells.cell_distance,
    "direction": grid_cells.find_direction,
    "step": grid_cells.next_cell,
    "neighbours": grid_cells.neighbours,
    "rear cells": grid_cells.rear_hexes,
}
_OF_OFFSETS = frozenset({"adjacent", "distance", "direction", "side"})
"""Functions of two cells that depend only on their offset."""
_MAX_ENTRIES = 1 << 14
"""Size limit of a table."""
_FAR = "a cell far off the board, or a direction to itself"


def look_up_cells(
    c: RoutineCode, name: str, arguments: tuple[Code, ...], space: str, type_: CoreType = ty.WHOLE
) -> Code:
    """Result of a function of cells; where it has none the play is given back.

    Raises:
        BatchUnsupportedError: the board is too large.
    """
    module, cells = c.module, c.module.shapes.cells
    if name in _OF_OFFSETS:
        width, depth, _, _ = _measure_extent(cells)
        across, down = width - 1, depth - 1
        places = module.place_table("places of cells", lambda: [one * (2 * down + 1) + other for one, other in cells])
        first, second = ((each << 3).load(places) for each in arguments)
        index = second - first + (across * (2 * down + 1) + down)
        given = [((0, 0), item) for item in product(range(-across, across + 1), range(-down, down + 1))]
    else:
        index = arguments[0]
        sizes: list[Any] = [cells]
        for each in arguments[1:]:
            count = len(ty.GRID_STEPS[space])
            sizes.append(range(count))
            index = index * count + each
        given = list(product(*sizes))
    if len(given) > _MAX_ENTRIES:
        raise BatchUnsupportedError(f"`{name}` on a board of {len(cells):,} cells")
    table = module.place_table(
        (name, space), lambda: [_encode_result(module, name, space, each, type_) for each in given]
    )
    result = c.w.new_local((index << 3).load(table))
    if name not in {"adjacent", "distance", "neighbours", "rear cells"}:
        c.require(result.ne(NONE_CODE), _FAR)
    return result


def _measure_extent(cells: Sequence[Cell]) -> tuple[int, int, int, int]:
    """Number of columns and rows, and the least of each."""
    across, down = ([cell[way] for cell in cells] or [0] for way in (0, 1))
    return max(across) - min(across) + 1, max(down) - min(down) + 1, min(across), min(down)


def _encode_result(module: KernelModule, name: str, space: str, given: tuple[Any, ...], type_: CoreType) -> int:
    if name == "side":
        step = (given[1][0] - given[0][0], given[1][1] - given[0][1])
        return ty.GRID_STEPS[space].index(step) if step in ty.GRID_STEPS[space] else NONE_CODE
    function = partial(_FUNCTIONS[name], space=space)
    if name in {"neighbours", "rear cells"}:
        function = partial(function, {BOARD: module.world[BOARD]})
    try:
        result = function(*given)
        return module.shapes.encode(result, type_, module.place_constant)  # type: ignore[arg-type]
    except (Fault, BatchUnsupportedError):
        return NONE_CODE


# Operations.


@CELL_OPERATIONS.register("on board")
def _emit_on_board(c: RoutineCode, node: core.Op) -> Code:
    cell = c.held(node.arguments[0])
    board = c.module.world[BOARD]
    flags = c.module.place_table("on board", lambda: [1, *[int(each in board) for each in c.module.shapes.cells]])
    index = c.hold(select(0, cell + 1, cell < 0))
    return (index << 3).load(flags).ne(0)


@CELL_OPERATIONS.register("cell")
def _emit_cell(c: RoutineCode, node: core.Op) -> Code:
    x, y = map(c.held, node.arguments)
    width, depth, left, top = _measure_extent(c.module.shapes.cells)
    table = c.module.place_table(
        "cells",
        lambda: [
            NONE_CODE if number is None else number
            for number in map(c.module.shapes.number_cell, product(range(left, left + width), range(top, top + depth)))
        ],
    )
    c.require((x - left).operate("lt_u", width) & (y - top).operate("lt_u", depth), _FAR)
    result = c.w.new_local((((x - left) * depth + (y - top)) << 3).load(table))
    c.require(result.ne(NONE_CODE), _FAR)
    return result


@CELL_OPERATIONS.register("step", "distance", "adjacent", "direction", "neighbours", "rear cells")
def _emit_grid_operation(c: RoutineCode, node: core.Op) -> Code:
    (space,) = node.facts
    arguments = [c.hold(c.present(each)) for each in node.arguments]
    result = look_up_cells(c, node.name, tuple(arguments), space, node.type)
    return result.ne(0) if node.name == "adjacent" else result
