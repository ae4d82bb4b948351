"""The body of a paths term: the names of a move and the rows over it (manual, Rows)."""

from dataclasses import replace

from rulewright.analysis import infer
from rulewright.analysis.functions.rows import condition_row, distinct, tally_rows
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.infer.names import hides
from rulewright.analysis.scope import Scope
from rulewright.program import declarations as typed
from rulewright.program.types import COUNT, CellType, NumberType, SetType, Type
from rulewright.syntax.nodes import declarations as nodes
from rulewright.syntax.nodes.expressions import WholeNumber
from rulewright.syntax.nodes.names import Name

_MOVE = ("left", "entered", "crossed", "spent", "moves")


def destinations(node: nodes.Paths, scope: Scope, address: str) -> tuple[Type, typed.Paths] | None:
    """The set of cells of the board, and the start and rows that make it.

    Reports RW0301 (no such board), RW0335 (a cost that is a fraction or may fall below 0) and what rows report.
    """
    board = _board(node, scope)
    if board is None or any(hides(Name(each, node.name.span), scope) for each in _MOVE):
        return None
    name, cell = board
    found = infer.infer(node.start, scope)
    start = found and fit(found, cell, scope, f"the start of `{node.name.text}`")
    new = scope.variables.new
    left, entered, spent, moves = new("left", cell), new("entered", cell), new("spent", COUNT), new("moves", COUNT)
    inner = replace(scope.binding(left, entered, spent, moves), crossed=(left, entered))
    distinct((*{each.name.text: each for each in node.costs}.values(), *node.rows), scope)
    cost = _cost(node, inner, address) if node.costs else None
    rows = tuple(made for row in node.rows if (made := _row(row, node, inner, address)) is not None)
    if start is None or (node.costs and cost is None) or len(rows) != len(node.rows):
        return None
    return SetType(cell), typed.Paths(name, start, left, entered, spent, moves, cost, rows)


def _board(node: nodes.Paths, scope: Scope) -> tuple[str, CellType] | None:
    symbol = scope.module.names.get(node.board.text)
    board = symbol.node if symbol is not None and isinstance(symbol.node, nodes.Board) else None
    if board is not None and board.space.text == "plane":
        message = f"`{node.board.text}` is a board of the plane and has no cells to move over"
        scope.report.error("RW0301", node.board.span, message, help="`paths` are on a board `of hex` or `of square`")
        return None
    if symbol is not None and board is not None:
        return symbol.name, CellType(board.space.text)
    message = f"there is no board `{node.board.text}`"
    scope.report.error("RW0301", node.board.span, message, help="name a `board` of this ruleset after `on`")
    return None


def _cost(node: nodes.Paths, scope: Scope, address: str) -> typed.Tally | None:
    nothing = WholeNumber(0, node.costs[0].span)
    made = tally_rows(node.name, nothing, node.costs, scope, address, node.cites)
    if made is None:
        return None
    type_ = made[0].type
    if isinstance(type_, NumberType) and type_.low is not None and type_.low >= 0:
        return typed.Tally(*made)
    fraction = not isinstance(type_, NumberType)
    message = "a move costs a whole number" if fraction else "the cost of a move may fall below 0"
    remedy = "use `floor`, `ceiling` or `round`" if fraction else "add a last row such as `cost least: at least 0`"
    scope.report.error("RW0335", node.costs[-1].span, message, help=remedy)
    return None


def _row(row: nodes.PathRow, node: nodes.Paths, scope: Scope, address: str) -> typed.PathRow | None:
    made = condition_row(row, scope, address, node.cites)
    if made is None:
        return None
    return typed.PathRow(
        id=made.id,
        address=made.address,
        title=made.title,
        cites=made.cites,
        span=made.span,
        condition=made.condition,
        guard=made.guard,
        word=row.word,
    )
