"""Tables: rows of cells, two-way tables made flat, and the check that every case has exactly one row."""

from rulewright.analysis import infer
from rulewright.analysis.clauses.cites import qualify
from rulewright.analysis.functions import table_cover
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.infer.numbers import needs_number
from rulewright.analysis.scope import Scope
from rulewright.frozen import dataclass
from rulewright.program import rows as typed
from rulewright.program.expressions import Expression, Literal, Variable, WordLiteral
from rulewright.program.types import Type
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as nodes
from rulewright.syntax.nodes import expressions
from rulewright.syntax.nodes import rows as written


@dataclass(frozen=True, slots=True)
class _Line:
    """A row made flat: a cell for each parameter, and the result; of a two-way table `span` is that of the result."""

    id: str
    cells: tuple[written.Cell, ...]
    result: written.Cell
    row: written.TableRow
    span: Span


def table_rows(
    node: nodes.Table, parameters: tuple[Variable, ...], gives: Type, scope: Scope, address: str
) -> tuple[typed.TableRow, ...] | None:
    """The rows of a table; reports cells that are no constants, gaps and overlaps."""
    lines = _lines(node, parameters, scope)
    if lines is None:
        return None
    made = [_row(line, parameters, gives, scope, (address, node)) for line in lines]
    rows = tuple(row for row in made if row is not None)
    if len(rows) < len(made):
        return None
    _distinct(rows, scope)
    table_cover.check(node.name, parameters, rows, scope)
    return rows


def _distinct(rows: tuple[typed.TableRow, ...], scope: Scope) -> None:
    seen: dict[str, typed.TableRow] = {}
    for row in rows:
        if seen.setdefault(row.address, row) is not row:
            message = f"two rows are called `{row.id}`"
            scope.report.error("RW0332", row.span, message, help="write an id before the row: `id: …`")


def _lines(node: nodes.Table, parameters: tuple[Variable, ...], scope: Scope) -> list[_Line] | None:
    if node.across is None:
        wanted = len(parameters) + 1
        if any([_miscounted(row, node, (len(parameters), 1), scope) for row in node.rows]):  # noqa: C419 - every one is reported
            return None
        return [
            _Line(_id(row, place), row.cells[: wanted - 1], row.cells[-1], row, row.span)
            for place, row in enumerate(node.rows)
        ]
    names = [parameter.name for parameter in parameters]
    across = node.across
    if across.name.text not in names:
        listed = ", ".join(f"`{name}`" for name in names)
        message = f"`across` names an input of the table, and `{across.name.text}` is none"
        scope.report.error("RW0329", across.name.span, message, help=f"the inputs are {listed}")
        return None
    shape = (len(parameters) - 1, len(across.cells))
    if any([_miscounted(row, node, shape, scope) for row in node.rows]):  # noqa: C419 - every one is reported
        return None
    return [line for place, row in enumerate(node.rows) for line in _flat(row, place, across, names)]


def _flat(row: written.TableRow, place: int, across: nodes.Across, names: list[str]) -> list[_Line]:
    inputs, results = row.cells[: len(names) - 1], row.cells[len(names) - 1 :]
    at, called = names.index(across.name.text), _id(row, place)
    return [
        _Line(f"{called}/{_text(column) or number}", (*inputs[:at], column, *inputs[at:]), result, row, result.span)
        for number, (column, result) in enumerate(zip(across.cells, results, strict=True), 1)
    ]


def _miscounted(row: written.TableRow, node: nodes.Table, shape: tuple[int, int], scope: Scope) -> bool:
    inputs, results = shape
    if len(row.cells) == inputs + results:
        return False
    message = f"this row has {_several(len(row.cells), 'cell')}; `{node.name.text}` has {_several(inputs, 'input')}"
    message += f" and {_several(results, 'result')}"
    scope.report.error("RW0328", row.span, message, help="cells are divided by `|`, and the last is the result")
    return True


def _several(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _id(row: written.TableRow, place: int) -> str:
    if row.name is not None:
        return row.name.text
    return _text(row.cells[0]) or f"row_{place + 1}"


def _text(cell: written.Cell) -> str:  # noqa: PLR0911 - one case for each sort
    match cell.value:
        case expressions.Reference(name=name):
            return name
        case expressions.WholeNumber(value=number):
            return str(number)
        case expressions.Truth(value=truth):
            return "yes" if truth else "no"
        case expressions.NoneValue():
            return "none"
        case expressions.Attribute(name=name):
            return name.text
        case expressions.Binary(
            operator="..", left=expressions.WholeNumber(value=low), right=expressions.WholeNumber(value=high)
        ):
            return f"{low}..{high}"
        case _:
            return ""


def _row(
    line: _Line, parameters: tuple[Variable, ...], gives: Type, scope: Scope, place: tuple[str, nodes.Table]
) -> typed.TableRow | None:
    cells = [_cell(cell, parameter, scope) for cell, parameter in zip(line.cells, parameters, strict=True)]
    result = _result(line.result, gives, scope)
    found = tuple(cell for cell in cells if cell is not None)
    if len(found) < len(cells) or result is None:
        return None
    address, node = place
    return typed.TableRow(
        id=line.id,
        address=f"{address}/{line.id}",
        title="",
        cites=qualify(line.row.cites or node.cites, scope.linked),
        span=line.span,
        cells=found,
        result=result,
    )


def _result(cell: written.Cell, gives: Type, scope: Scope) -> Expression | None:
    if cell.sort != "value" or cell.value is None:
        scope.report.error("RW0333", cell.span, "the result of a row is one value")
        return None
    found = infer.infer(cell.value, scope, gives)
    return found and fit(found, gives, scope, "the result")


def _cell(cell: written.Cell, parameter: Variable, scope: Scope) -> typed.Cell | None:
    if cell.value is None:
        return typed.Cell()
    match cell.sort, cell.value:
        case "at least", value:
            low = _number(value, scope)
            return None if low is None else typed.Cell(low=low)
        case "at most", value:
            high = _number(value, scope)
            return None if high is None else typed.Cell(high=high)
        case _, expressions.Binary(operator="..", left=left, right=right):
            first, last = _number(left, scope), _number(right, scope)
            return typed.Cell(low=first, high=last) if first is not None and last is not None else None
        case _:
            return _one(cell.value, parameter, scope)


def _number(node: expressions.Expression, scope: Scope) -> Expression | None:
    found = infer.infer(node, scope)
    if found is None or not needs_number(found, "the end of a span", scope):
        return None
    return _constant(found, scope)


def _one(node: expressions.Expression, parameter: Variable, scope: Scope) -> typed.Cell | None:
    found = infer.infer(node, scope, parameter.type)
    constant = found and _constant(found, scope)
    fitted = constant and fit(constant, parameter.type, scope, f"`{parameter.name}`")
    return None if fitted is None else typed.Cell(value=fitted)


def _constant(found: Expression, scope: Scope) -> Expression | None:
    if isinstance(found, Literal | WordLiteral):
        return found
    _not_constant(found.span, scope)
    return None


def _not_constant(span: Span, scope: Scope) -> None:
    scope.report.error("RW0333", span, "a cell of a table is a fixed value, a span or `any`", help="use a `decide`")
