"""WebAssembly for cells: the board, what lies where from where on it, who stands there."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

from rulewright.machine import grids
from rulewright.machine.faults import Fault
from rulewright.machine.values import Cell
from rulewright.machine.world import BOARD
from rulewright.odds.batch import digits, sets
from rulewright.odds.batch.shapes import NONE, UnfitError
from rulewright.odds.batch.slots import known
from rulewright.odds.batch.writer import WORD, Body, Module, constant, held
from rulewright.program import expressions as ex, types as ty
from rulewright.program.types import Type, present

GRIDS: dict[str, Callable[..., Any]] = {
    "adjacent": grids.adjacent,
    "distance": grids.distance,
    "direction": grids.direction,
    "step": grids.step,
    "neighbours": grids.neighbours,
    "rear_hexes": grids.rear_hexes,
}
"""Functions of cells."""
_BETWEEN = frozenset({"adjacent", "distance", "direction"})
"""Those of two cells hang only on how far one is from the other."""
_TABLED = 1 << 14
"""So many results of a function of cells are looked up."""


def board(module: Module, name: str, item: Type) -> str:
    """The set of the cells of a board."""
    cells = module.world[digits.places(module).boards[name]]
    return _constant_set(module, ("cells", name), tuple(cells), item)


def _constant_set(module: Module, what: object, members: tuple[Any, ...], item: Type) -> str:
    shapes = module.shapes
    if shapes.words(item):
        return f"(i64.extend_i32_u {module.table(what, lambda: shapes.in_words(members, item))})"
    return constant(shapes.held_members(members, item))


def is_on_board(module: Module, type_: ty.CellType, cell: str) -> str:
    """Whether a cell, or none, is on the board, as a test."""
    among = sets.has(module, type_, _constant_set(module, "board", tuple(sorted(module.world[BOARD])), type_), cell)
    return f"(if (result i32) (i64.ge_s {cell} (i64.const 0)) (then {among}) (else (i32.const 0)))"


def looked_up(body: Body, node: ex.Builtin) -> str:
    """The result of a function of cells, from a table of all that it can come to."""
    module, shapes = body.module, body.module.shapes
    types = [present(each.type) for each in node.arguments]
    cells = [each for each in types if isinstance(each, ty.CellType)]
    function = partial(GRIDS[node.name], space=cells[0].space)
    codes = [body.temporary(known(body, each)) for each in node.arguments]
    if node.name in _BETWEEN:
        whats: list[tuple[Any, ...]] = _spans(shapes.cells)
        at = _span(body, codes[0], codes[1])
    else:
        if node.name != "step":
            function = partial(function, {BOARD: module.world[BOARD]})
        whats = list(product(*([shapes.value(each, type_) for each in range(shapes.size(type_))] for type_ in types)))
        at = held(codes[0])
        for code, type_ in zip(codes[1:], types[1:], strict=True):
            at = f"(i64.add (i64.mul {at} {constant(shapes.size(type_))}) {held(code)})"
    wide = shapes.words(node.type.item) if isinstance(node.type, ty.SetType) else 0
    if len(whats) * max(1, wide) > _TABLED:
        raise UnfitError(f"`{node.name}` on a board of {len(module.world[BOARD]):,} cells")

    def result(given: tuple[Any, ...]) -> list[int]:
        try:
            found = function(*given)
            return shapes.in_words(found, node.type.item) if wide else [shapes.held(found, node.type)]  # type: ignore[union-attr]
        except (Fault, UnfitError):
            return [NONE]

    what = node.name, tuple(types)
    base = module.table(what, lambda: [each for given in whats for each in result(given)])
    if wide:
        return f"(i64.add (i64.extend_i32_u {base}) (i64.mul {at} {constant(wide * WORD)}))"
    found = body.temporary(f"(i64.load (i32.add {base} (i32.shl (i32.wrap_i64 {at}) (i32.const 3))))")
    if NONE in module.tables[what]:
        body.unless(f"(i64.ne {held(found)} {constant(NONE)})", "a cell far off the board, or a direction to itself")
    return held(found)


def _reach(cells: Sequence[Cell]) -> tuple[int, int]:
    """How far cells are from each other at most, across and down."""
    across, down = ([each[way] for each in cells] for way in (0, 1))
    return max(across, default=0) - min(across, default=0), max(down, default=0) - min(down, default=0)


def _spans(cells: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    """Two cells for each span from one cell to another, in order."""
    across, down = _reach(cells)
    return [((0, 0), each) for each in product(range(-across, across + 1), range(-down, down + 1))]


def _span(body: Body, one: str, other: str) -> str:
    """The number of the span between two cells among all spans."""
    cells = body.module.shapes.cells
    across, down = _reach(cells)
    places = body.module.table("places of cells", lambda: [first * (2 * down + 1) + second for first, second in cells])
    first, second = (
        f"(i64.load (i32.add {places} (i32.shl (i32.wrap_i64 {held(each)}) (i32.const 3))))" for each in (one, other)
    )
    return f"(i64.add (i64.sub {second} {first}) {constant(across * (2 * down + 1) + down)})"


def occupants(body: Body, node: ex.Builtin) -> str:
    """The things of a kind that stand in a cell."""
    assert isinstance(node.type, ty.SetType)
    kind = present(node.type.item)
    assert isinstance(kind, ty.ThingType)
    cell, found = body.temporary(body.value(node.arguments[0])), body.temporary(constant(0))
    places = digits.column(body.module, kind.kind, "at")
    with sets.each_bit(body, f"(i64.load (i32.const {digits.in_play(body.module, kind.kind)}))") as member:
        at = f"(i64.load offset={places} (i32.shl (i32.wrap_i64 {held(member)}) (i32.const 3)))"
        body.line(
            f"(if (i64.eq {at} {held(cell)}) "
            f"(then (local.set {found} (i64.or {held(found)} {sets.bit(held(member))}))))"
        )
    return held(found)
