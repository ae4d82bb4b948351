"""WebAssembly for cells: the board, what lies where from where on it, who stands there."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

from rulewright.odds.batch import collection_code, value_access
from rulewright.odds.batch.integer_encoding import NONE_CODE, BatchUnsupportedError
from rulewright.odds.batch.value_access import emit_present_value
from rulewright.odds.batch.wasm_builder import WORD_BYTES, FunctionBody, WasmModule, emit_constant, emit_local
from rulewright.program import expressions as ex, types as ty
from rulewright.program.types import Type, strip_optional
from rulewright.runtime import board_geometry
from rulewright.runtime.faults import Fault
from rulewright.runtime.values import Cell
from rulewright.runtime.working_memory import BOARD

GRID_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "adjacent": board_geometry.are_adjacent,
    "distance": board_geometry.cell_distance,
    "direction": board_geometry.find_direction,
    "step": board_geometry.next_cell,
    "neighbours": board_geometry.neighbours,
    "rear_hexes": board_geometry.rear_hexes,
}
"""Functions of cells."""
_OFFSET_FUNCTIONS = frozenset({"adjacent", "distance", "direction"})
"""Those of two cells hang only on how far one is from the other."""
_MAX_TABLE_ENTRIES = 1 << 14
"""So many results of a function of cells are looked up."""


def emit_board_cells(module: WasmModule, name: str, item: Type) -> str:
    """The set of the cells of a board."""
    cells = module.world[value_access.world_places(module).boards[name]]
    return _emit_constant_set(module, ("cells", name), tuple(cells), item)


def _emit_constant_set(module: WasmModule, what: object, members: tuple[Any, ...], item: Type) -> str:
    shapes = module.encoding
    if shapes.count_set_words(item):
        return f"(i64.extend_i32_u {module.emit_table_address(what, lambda: shapes.encode_wide_set(members, item))})"
    return emit_constant(shapes.encode_members(members, item))


def emit_on_board_test(module: WasmModule, type_: ty.CellType, cell: str) -> str:
    """Whether a cell, or none, is on the board, as a test."""
    among = collection_code.emit_set_test(
        module, type_, _emit_constant_set(module, "board", tuple(sorted(module.world[BOARD])), type_), cell
    )
    return f"(if (result i32) (i64.ge_s {cell} (i64.const 0)) (then {among}) (else (i32.const 0)))"


def emit_grid_lookup(body: FunctionBody, node: ex.Builtin) -> str:
    """The result of a function of cells, from a table of all that it can come to."""
    module, shapes = body.module, body.module.encoding
    types = [strip_optional(argument.type) for argument in node.arguments]
    cells = [cell_type for cell_type in types if isinstance(cell_type, ty.CellType)]
    function = partial(GRID_FUNCTIONS[node.name], space=cells[0].space)
    codes = [body.new_temporary(emit_present_value(body, argument)) for argument in node.arguments]
    if node.name in _OFFSET_FUNCTIONS:
        whats: list[tuple[Any, ...]] = _list_offsets(shapes.cells)
        at = _emit_offset_index(body, codes[0], codes[1])
    else:
        if node.name != "step":
            function = partial(function, {BOARD: module.world[BOARD]})
        whats = list(
            product(
                *([shapes.decode_value(item, type_) for item in range(shapes.count_values(type_))] for type_ in types)
            )
        )
        at = emit_local(codes[0])
        for code, type_ in zip(codes[1:], types[1:], strict=True):
            at = f"(i64.add (i64.mul {at} {emit_constant(shapes.count_values(type_))}) {emit_local(code)})"
    wide = shapes.count_set_words(node.type.item) if isinstance(node.type, ty.SetType) else 0
    if len(whats) * max(1, wide) > _MAX_TABLE_ENTRIES:
        raise BatchUnsupportedError(f"`{node.name}` on a board of {len(module.world[BOARD]):,} cells")

    def encode_result(given: tuple[Any, ...]) -> list[int]:
        try:
            text = function(*given)
            return shapes.encode_wide_set(text, node.type.item) if wide else [shapes.encode_value(text, node.type)]  # type: ignore[union-attr]
        except (Fault, BatchUnsupportedError):
            return [NONE_CODE]

    what = node.name, tuple(types)
    base = module.emit_table_address(what, lambda: [item for given in whats for item in encode_result(given)])
    if wide:
        return f"(i64.add (i64.extend_i32_u {base}) (i64.mul {at} {emit_constant(wide * WORD_BYTES)}))"
    text = body.new_temporary(f"(i64.load (i32.add {base} (i32.shl (i32.wrap_i64 {at}) (i32.const 3))))")
    if NONE_CODE in module.tables[what]:
        body.emit_guard(
            f"(i64.ne {emit_local(text)} {emit_constant(NONE_CODE)})",
            "a cell far off the board, or a direction to itself",
        )
    return emit_local(text)


def _board_extent(cells: Sequence[Cell]) -> tuple[int, int]:
    """How far cells are from each other at most, across and down."""
    across, down = ([cell[way] for cell in cells] for way in (0, 1))
    return max(across, default=0) - min(across, default=0), max(down, default=0) - min(down, default=0)


def _list_offsets(cells: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    """Two cells for each span from one cell to another, in order."""
    across, down = _board_extent(cells)
    return [((0, 0), item) for item in product(range(-across, across + 1), range(-down, down + 1))]


def _emit_offset_index(body: FunctionBody, one: str, other: str) -> str:
    """The number of the span between two cells among all spans."""
    cells = body.module.encoding.cells
    across, down = _board_extent(cells)
    places = body.module.emit_table_address(
        "places of cells", lambda: [first * (2 * down + 1) + second for first, second in cells]
    )
    first, second = (
        f"(i64.load (i32.add {places} (i32.shl (i32.wrap_i64 {emit_local(item)}) (i32.const 3))))"
        for item in (one, other)
    )
    return f"(i64.add (i64.sub {second} {first}) {emit_constant(across * (2 * down + 1) + down)})"


def emit_occupants(body: FunctionBody, node: ex.Builtin) -> str:
    """The things of a kind that stand in a cell."""
    assert isinstance(node.type, ty.SetType)
    kind = strip_optional(node.type.item)
    assert isinstance(kind, ty.ThingType)
    cell, text = body.new_temporary(body.emit_value(node.arguments[0])), body.new_temporary(emit_constant(0))
    places = value_access.column_offset(body.module, kind.kind, "at")
    with collection_code.emit_bit_loop(
        body, f"(i64.load (i32.const {value_access.in_play_offset(body.module, kind.kind)}))"
    ) as member:
        at = f"(i64.load offset={places} (i32.shl (i32.wrap_i64 {emit_local(member)}) (i32.const 3)))"
        body.add_line(
            f"(if (i64.eq {at} {emit_local(cell)}) "
            f"(then (local.set {text} (i64.or {emit_local(text)} {collection_code.emit_bit(emit_local(member))}))))"
        )
    return emit_local(text)
