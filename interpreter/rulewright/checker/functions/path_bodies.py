"""Bodies of `paths`: costs, rows and the board on which something moves."""

from dataclasses import replace

from rulewright.base.diagnostics import Label
from rulewright.checker.functions.rows import (
    check_distinct_names,
    make_row_fields,
    type_condition_row,
    type_tally_rows,
)
from rulewright.checker.infer.name_lookup import has_name_conflict
from rulewright.checker.infer.type_fitting import infer_fitted
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import note_symbol
from rulewright.program import declarations as typed
from rulewright.program.expressions import Comparison, Local
from rulewright.program.types import (
    COUNT,
    FLAG,
    GRID_STEPS,
    CellType,
    NumberType,
    SetType,
    Type,
)
from rulewright.syntax.nodes import declarations as nodes, expressions
from rulewright.syntax.nodes.expressions import Name

_MOVE_VARIABLE_NAMES = ("left", "entered", "crossed", "spent", "moves")


def type_paths_body(node: nodes.Paths, scope: Scope, address: str) -> tuple[Type, typed.Paths] | None:
    """Body of a paths term: cells of the board, start and rows.

    Reports RW0301 (no such board), RW0335 (a cost that is a fraction or may fall below 0) and what rows report.
    """
    board = _find_paths_board(node, scope)
    if board is None or any([_is_move_name_taken(name, node, scope) for name in _MOVE_VARIABLE_NAMES]):  # noqa: C419 - every one is reported
        return None
    name, cell = board
    start = infer_fitted(node.start, cell, scope, f"the start of `{node.name.text}`")
    new = scope.variables.new_variable
    left_variable, entered, spent, moves = (
        new("left", cell),
        new("entered", cell),
        new("spent", COUNT),
        new("moves", COUNT),
    )
    inner = replace(scope.with_variables(left_variable, entered, spent, moves), crossed_cells=(left_variable, entered))
    check_distinct_names(
        (
            *{row.name.text: row.name for row in node.costs}.values(),
            *(row.name for row in node.rows),
        ),
        scope,
    )
    from_, to = (Local(type=cell, span=node.span, variable=variable) for variable in (left_variable, entered))
    elsewhere = Comparison(type=FLAG, span=node.span, operator="!=", left=from_, right=to)
    moving = inner.assuming(elsewhere, truth=True)
    cost = _type_path_cost(node, moving, address) if node.costs else None
    judged = [(row, inner if row.word == "end" else moving) for row in node.rows]
    rows = tuple(
        typed_row for row, known in judged if (typed_row := _type_path_row(row, node, known, address)) is not None
    )
    if start is None or (node.costs and cost is None) or len(rows) != len(node.rows):
        return None
    return SetType(cell), typed.Paths(name, start, left_variable, entered, spent, moves, cost, rows)


def _is_move_name_taken(name: str, node: nodes.Paths, scope: Scope) -> bool:
    """Whether a name of the rows of `paths` means something else in the module; reports it where that is declared."""
    symbol = scope.module.names.get(name)
    if symbol is None or symbol.span.source != node.name.span.source:
        return has_name_conflict(Name(name, node.name.span), scope)
    message = f"`{name}` has a meaning of its own in the rows of `paths`"
    label = Label(node.name.span, "these `paths`")
    scope.report.error("RW0312", symbol.span, message, secondary=(label,), help="give this another name")
    return True


def _find_paths_board(node: nodes.Paths, scope: Scope) -> tuple[str, CellType] | None:
    symbol = scope.module.names.get(node.board.text)
    board = symbol.node if symbol is not None and isinstance(symbol.node, nodes.Board) else None
    if board is not None and board.space.text == "plane":
        message = f"`{node.board.text}` is a board of the plane and has no cells to move over"
        scope.report.error(
            "RW0301",
            node.board.span,
            message,
            help="`paths` are on a board `of hex` or `of square`",
            subject=node.board.text,
        )
        return None
    if symbol is not None and board is not None:
        note_symbol(node.board.span, symbol, scope.report)
        return (symbol.name, CellType(board.space.text)) if board.space.text in GRID_STEPS else None
    message = f"there is no board `{node.board.text}`"
    scope.report.error(
        "RW0301", node.board.span, message, help="name a `board` of this ruleset after `on`", missing=node.board.text
    )
    return None


def _type_path_cost(node: nodes.Paths, scope: Scope, address: str) -> typed.Tally | None:
    nothing = expressions.WholeNumber(0, node.costs[0].span)
    tally = type_tally_rows(node.name, nothing, node.costs, scope, address, node.cites)
    if tally is None:
        return None
    type_ = tally[0].type
    if isinstance(type_, NumberType) and type_.low is not None and type_.low >= 0:
        return typed.Tally(*tally)
    fraction = not isinstance(type_, NumberType)
    message = "a move costs a whole number" if fraction else "the cost of a move may fall below 0"
    remedy = "use `floor`, `ceiling` or `round`" if fraction else "add a last row such as `cost least: at least 0`"
    scope.report.error("RW0335", node.costs[-1].span, message, help=remedy)
    return None


def _type_path_row(row: nodes.PathRow, node: nodes.Paths, scope: Scope, address: str) -> typed.PathRow | None:
    condition_row = type_condition_row(row, scope, address, node.cites)
    if condition_row is None:
        return None
    top = make_row_fields(row, scope, address, node.cites)
    return typed.PathRow(**top, condition=condition_row.condition, guard=condition_row.guard, word=row.word)
