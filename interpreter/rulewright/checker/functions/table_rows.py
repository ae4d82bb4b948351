"""Tables: rows of cells, two-way tables flattened, and the check that every case has exactly one row."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import prod
from operator import or_

from rulewright.base.diagnostics import Edit, Label, Remedy, format_counted_noun
from rulewright.base.diagnostics.remedies import make_wrapping_edits
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.addresses import assign_column_ids, assign_row_ids
from rulewright.checker.clauses import resolve_clause_ids
from rulewright.checker.functions.case_coverage import list_threshold_numbers
from rulewright.checker.functions.rows import check_distinct_names
from rulewright.checker.infer.arithmetic import (
    check_is_number,
    check_paired_span,
    find_dashed_span_remedy,
    is_paired_number,
)
from rulewright.checker.infer.name_lookup import iterate_list_words
from rulewright.checker.infer.references import find_expected_word
from rulewright.checker.infer.type_fitting import fit_expression, infer_fitted
from rulewright.checker.scope import Scope
from rulewright.program import expressions as typed, types as ty
from rulewright.program.expressions import Cell, Expression, Literal, TableRow, Variable, WordLiteral
from rulewright.program.types import Type
from rulewright.syntax.nodes import declarations as nodes, expressions, statements as written


@dataclass(frozen=True, slots=True)
class _FlatRow:
    """A row with one cell for each parameter and a result; of a two-way table `span` is that of the result."""

    id: str
    cells: tuple[written.Cell, ...]
    result: written.Cell
    row: written.TableRow
    span: Span


def type_table_rows(
    node: nodes.Table, parameters: tuple[Variable, ...], gives: Type, scope: Scope, address: str
) -> tuple[typed.TableRow, ...] | None:
    """Rows of a table; reports cells that are not constant, gaps and overlaps."""
    lines = _flatten_table_rows(node, parameters, scope)
    if lines is None or not check_distinct_names((row.name for row in node.rows if row.name), scope):
        return None
    typed_rows = [_type_table_row(line, parameters, gives, scope, (address, node)) for line in lines]
    rows = tuple(row for row in typed_rows if row is not None)
    if len(rows) < len(typed_rows):
        return None
    _check_table_cases(node, parameters, rows, scope)
    return rows


def _flatten_table_rows(node: nodes.Table, parameters: tuple[Variable, ...], scope: Scope) -> list[_FlatRow] | None:
    if node.across is None:
        wanted = len(parameters) + 1
        if has_wrong_cell_count(node, [variable.name for variable in parameters], scope):
            return None
        return [
            _FlatRow(called, row.cells[: wanted - 1], row.cells[-1], row, row.span)
            for called, row in zip(assign_row_ids(node.rows), node.rows, strict=True)
        ]
    names = [parameter.name for parameter in parameters]
    across = node.across
    if across.name.text not in names:
        listed = ", ".join(f"`{name}`" for name in names)
        message = f"`across` names an input of the table, and `{across.name.text}` is none"
        scope.report.error("RW0329", across.name.span, message, help=f"the inputs are {listed}")
        return None
    scope.note_local(across.name.span, parameters[names.index(across.name.text)])
    at, columns = names.index(across.name.text), assign_column_ids(across)
    inputs = [*names[:at], *names[at + 1 :]]
    if has_wrong_cell_count(node, inputs, scope):
        return None
    return [
        _FlatRow(f"{called}/{column}", (*row.cells[:at], head, *row.cells[at : len(inputs)]), result, row, result.span)
        for called, row in zip(assign_row_ids(node.rows), node.rows, strict=True)
        for column, head, result in zip(columns, across.cells, row.cells[len(inputs) :], strict=True)
    ]


def _type_table_row(
    line: _FlatRow, parameters: tuple[Variable, ...], gives: Type, scope: Scope, place: tuple[str, nodes.Table]
) -> typed.TableRow | None:
    cells = [_type_table_cell(cell, parameter, scope) for cell, parameter in zip(line.cells, parameters, strict=True)]
    result = None
    if line.result.sort != "value" or line.result.value is None:
        scope.report.error("RW0333", line.result.span, "the result of a row is one value")
    else:
        result = infer_fitted(line.result.value, gives, scope, "the result")
    items = tuple(cell for cell in cells if cell is not None)
    if len(items) < len(cells) or result is None:
        return None
    address, node = place
    return typed.TableRow(
        id=line.id,
        address=f"{address}/{line.id}",
        title="",
        cites=resolve_clause_ids(line.row.cites or node.cites, scope.linked),
        span=line.span,
        cells=items,
        result=result,
    )


def _type_table_cell(cell: written.Cell, parameter: Variable, scope: Scope) -> typed.Cell | None:
    if cell.value is None:
        return typed.Cell()
    match cell.sort, cell.value:
        case "at least", value:
            low = _type_cell_number(value, scope)
            typed_cell = None if low is None else typed.Cell(low=low)
        case "at most", value:
            high = _type_cell_number(value, scope)
            typed_cell = None if high is None else typed.Cell(high=high)
        case _, expressions.Binary(operator="..", left=left, right=right):
            first, last = _type_cell_number(left, scope), _type_cell_number(right, scope)
            typed_cell = typed.Cell(low=first, high=last) if first is not None and last is not None else None
        case _:
            return _type_single_value_cell(cell.value, parameter, scope)
    if typed_cell is None or not is_paired_number(parameter.type):
        return typed_cell
    return (
        typed_cell
        if check_paired_span(_get_span_end(typed_cell.low), _get_span_end(typed_cell.high), cell.span, scope.report)
        else None
    )


def _type_cell_number(node: expressions.Expression, scope: Scope) -> Expression | None:
    result = scope.infer(node)
    if result is None or not check_is_number(result, "the end of a span", scope):
        return None
    return _require_constant_cell(result, scope)


def _type_single_value_cell(node: expressions.Expression, parameter: Variable, scope: Scope) -> typed.Cell | None:
    better = find_dashed_span_remedy(node)
    if better is not None:
        scope.report.error("RW0333", node.span, "a span is spelled `..`", remedy=better)
        return None
    result = find_expected_word(node, scope, parameter.type) or scope.infer(node, parameter.type)
    constant = result and _require_constant_cell(result, scope)
    fitted = constant and fit_expression(constant, parameter.type, scope, f"`{parameter.name}`")
    return None if fitted is None else typed.Cell(value=fitted)


def _require_constant_cell(expression: Expression, scope: Scope) -> Expression | None:
    if isinstance(expression, Literal | WordLiteral):
        return expression
    message = "a cell of a table is a fixed value, a span or `any`"
    scope.report.error("RW0333", expression.span, message, help="use a `decide`")
    return None


_CellValue = int | None
_CellSpan = tuple[_CellValue, _CellValue] | None
"""First and last of adjacent values; None for all values."""
_MissingCase = tuple[_CellSpan, ...]
"""Case without a row, with the values of each input."""
_MAX_TABLE_CASES = 100_000  # combinations of inputs tried for gaps
_MAX_ROW_COMPARISONS = 200_000_000  # rows times values of all inputs
_MAX_NAMED_CASES = 5  # cases named in one message


def _check_table_cases(
    node: nodes.Table, parameters: tuple[Variable, ...], rows: tuple[TableRow, ...], scope: Scope
) -> None:
    """Reports rows that overlap (RW0412) and inputs without a row (RW0411).

    Numbers are tried on both sides of every end of a cell, words, flags and directions one by one.
    """
    name = node.name
    cells = [[row.cells[place] for row in rows] for place in range(len(parameters))]
    domains = [
        _list_input_domain(parameter.type, column, scope) for parameter, column in zip(parameters, cells, strict=True)
    ]
    if len(rows) * sum(map(len, domains)) > _MAX_ROW_COMPARISONS:
        scope.report.warning("RW0411", name.span, f"`{name.text}` has too many rows to look for overlaps and gaps")
        return
    columns = [_build_input_column(*item) for item in zip(parameters, domains, cells, strict=True)]
    _check_row_overlaps(parameters, columns, rows, scope)
    if prod(map(len, domains)) > _MAX_TABLE_CASES:
        scope.report.warning("RW0411", name.span, f"`{name.text}` has too many cases to look for gaps")
        return
    missing = _find_missing_cases(columns, (1 << len(rows)) - 1)
    if not missing:
        return
    shown = [_describe_missing_case(columns, item, scope) for item in missing[:_MAX_NAMED_CASES]]
    more = f" and {len(missing) - _MAX_NAMED_CASES} more" if len(missing) > _MAX_NAMED_CASES else ""
    message = f"`{name.text}` has no row{'' if len(missing) == 1 else 's'} for {'; '.join(shown)}{more}"
    remedy = _explain_unrollable_number(columns, missing[0])
    if any(isinstance(parameter.type, ty.FractionType | ty.LengthType) for parameter in parameters):
        remedy = "rows are for whole numbers: round the input, or write a `decide`"
    elif not remedy and (row_cells := _list_missing_row_cells(node, columns, missing[0], scope)):
        row = f"`{' | '.join(row_cells)}`"
        remedy = f"add the row {row}" if len(missing) == 1 else f"add rows for them, such as {row}"
    scope.report.proved_error("RW0411", name.span, message, help=remedy)


@dataclass(frozen=True, slots=True)
class _InputColumn:
    """One input of a table; sets of rows are bit sets."""

    parameter: Variable
    domain: list[_CellValue]  # values tried, in order
    # half-open range of places in `domain` that the cell of each row matches
    spans: list[tuple[int, int]]
    begun_masks: list[int]  # for each value the rows whose cells begin at or before it
    ended_masks: list[int]  # for each value, and for the end, the rows whose cells end before it

    def find_rows_meeting(self, first: int, end: int) -> int:
        """Rows that match a value from place `first` to before `end`."""
        return self.begun_masks[end - 1] & ~self.ended_masks[first] if first < end else 0


def _build_input_column(parameter: Variable, domain: list[_CellValue], cells: list[Cell]) -> _InputColumn:
    places = {value: place for place, value in enumerate(domain)}
    numbers = [item for item in domain if item is not None]
    spans = [_find_matched_span(cell, places, numbers) for cell in cells]
    begins, ends = [0] * len(domain), [0] * (len(domain) + 1)
    for row, (first, end) in enumerate(spans):
        if first < end:
            begins[first] |= 1 << row
            ends[end] |= 1 << row
    return _InputColumn(parameter, domain, spans, list(accumulate(begins, or_)), list(accumulate(ends, or_)))


def _find_matched_span(cell: Cell, places: dict[_CellValue, int], numbers: list[int]) -> tuple[int, int]:
    if cell.value is not None:
        place = places.get(_get_constant_value(cell.value))
        return (0, 0) if place is None else (place, place + 1)
    if cell.low is None and cell.high is None:
        return 0, len(places)
    low, high = _get_span_end(cell.low), _get_span_end(cell.high)
    others = len(places) - len(numbers)
    first = 0 if low is None else bisect_left(numbers, low)
    return others + first, others + (len(numbers) if high is None else bisect_right(numbers, high))


def _check_row_overlaps(
    parameters: tuple[Variable, ...], columns: list[_InputColumn], rows: tuple[TableRow, ...], scope: Scope
) -> None:
    for place, row in enumerate(rows):
        meeting = (1 << place) - 1
        for column in columns:
            meeting &= column.find_rows_meeting(*column.spans[place])
        if meeting:
            other = (meeting & -meeting).bit_length() - 1
            shared = tuple(column.domain[max(column.spans[place][0], column.spans[other][0])] for column in columns)
            message = f"two rows match {_describe_case(parameters, shared, scope)}"
            there = (Label(rows[other].span, "the other row"),)
            scope.report.proved_error(
                "RW0412", row.span, message, secondary=there, help=_suggest_overlap_remedy(rows[other], row)
            )
            return


def _suggest_overlap_remedy(one: TableRow, other: TableRow) -> str:
    for row in (one, other):
        if any(cell.value is None and cell.low is None and cell.high is None for cell in row.cells):
            return "`any` is every value, not what other rows leave: name values, or use a `decide` with `otherwise`"
    return "narrow one of the two; if the first row should win, use a `decide`"


def _find_missing_cases(columns: list[_InputColumn], rows: int) -> tuple[_MissingCase, ...]:
    """Cases without a row, in order; adjacent numbers that lack the same rows are one case."""
    if not columns:
        return () if rows else ((),)
    column, *rest = columns
    result: list[tuple[list[_CellValue], tuple[_MissingCase, ...]]] = []
    for place, value in enumerate(column.domain):
        matching = rows & column.find_rows_meeting(place, place + 1)
        lacks = _find_missing_cases(rest, matching) if matching else ((None,) * len(rest),)
        if result and result[-1][1] == lacks:
            result[-1][0].append(value)
        else:
            result.append(([value], lacks))
    if len(result) == 1 and len(column.domain) > 1:
        return tuple((None, *ends) for ends in result[0][1])
    return tuple(
        (span, *ends)
        for values, lacks in result
        if lacks
        for span in _iterate_value_spans(column, values)
        for ends in lacks
    )


def _iterate_value_spans(column: _InputColumn, values: list[_CellValue]) -> Iterator[tuple[_CellValue, _CellValue]]:
    type_ = column.parameter.type
    inner = type_.inner if isinstance(type_, ty.OptionalType) else type_
    if not isinstance(inner, ty.NumberType):
        yield from zip(values, values, strict=True)
        return
    if None in values:
        yield None, None
    numbers = [value for value in values if value is not None]
    if numbers:
        yield numbers[0], numbers[-1]


def _explain_unrollable_number(columns: list[_InputColumn], missing: _MissingCase) -> str:
    d66 = ty.NumberType(ty.PAIRED.low, ty.PAIRED.high)
    for column, ends in zip(columns, missing, strict=True):
        if column.parameter.type == d66 and ends is not None and ends[0] and not ty.PAIRED.contains_number(ends[0]):
            return f"`{column.parameter.name}: d66` is only what a `d66` shows"
    return ""


def _describe_missing_case(columns: list[_InputColumn], missing: _MissingCase, scope: Scope) -> str:
    named = [
        f"`{column.parameter.name}` {_format_missing_values(column, ends, scope)}"
        for column, ends in zip(columns, missing, strict=True)
        if ends is not None
    ]
    return " and ".join(named) or "any input"


def _format_missing_values(column: _InputColumn, ends: tuple[_CellValue, _CellValue], scope: Scope) -> str:
    type_, (first, last) = column.parameter.type, ends
    inner = type_.inner if isinstance(type_, ty.OptionalType) else type_
    if isinstance(inner, ty.NumberType) and first is not None and last is not None and first < last:
        return f"{first}..{last}"
    return _format_input_value(type_, first, scope)


def _list_missing_row_cells(
    node: nodes.Table, columns: Sequence[_InputColumn], missing: _MissingCase, scope: Scope
) -> list[str]:
    """Cells of a row for a missing case, with a `…` for each result; none where a column is missing."""
    cells = {
        column.parameter.name: _format_missing_cell(column, ends, scope)
        for column, ends in zip(columns, missing, strict=True)
    }
    if node.across is None:
        return [*cells.values(), "…"]
    if cells.pop(node.across.name.text, "") != "any":
        return []
    return [*cells.values(), *["…"] * len(node.across.cells)]


def _format_missing_cell(column: _InputColumn, ends: _CellSpan, scope: Scope) -> str:
    every = ends == (None, None) and not isinstance(column.parameter.type, ty.OptionalType)
    return "any" if ends is None or every else _format_missing_values(column, ends, scope).strip("`")


def _get_span_end(expression: Expression | None) -> _CellValue:
    return _get_constant_value(expression) if expression is not None else None


def _get_constant_value(expression: Expression) -> _CellValue:
    match expression:
        case WordLiteral(position=position):
            return position
        case Literal(value=int() as value):
            return int(value)
        case _:
            return None


def _list_input_domain(type_: Type, cells: list[Cell], scope: Scope) -> list[_CellValue]:
    match type_:
        case ty.OptionalType(inner):
            return [None, *_list_input_domain(inner, cells, scope)]
        case ty.FlagType():
            return [0, 1]
        case ty.WordType(values):
            return [position for _, position in iterate_list_words(values, scope)]
        case ty.NumberType(low, high):
            return [*(type_.list_numbers() or ())] if type_.paired else list(_list_tried_numbers(low, high, cells))
        case ty.DirectionType():
            return list(range(type_.count))
        case _:
            return [None]


def _list_tried_numbers(low: int | None, high: int | None, cells: list[Cell]) -> list[int]:
    ends = {
        _get_constant_value(item) for cell in cells for item in (cell.low, cell.high, cell.value) if item is not None
    }
    result = list_threshold_numbers({*ends}, (low, high))
    zero = low is None and high is None
    return sorted({*result, 0}) if zero else result


def _describe_case(parameters: tuple[Variable, ...], case: tuple[_CellValue, ...], scope: Scope) -> str:
    named = zip(parameters, case, strict=True)
    return " and ".join(
        f"`{variable.name}` {_format_input_value(variable.type, value, scope)}" for variable, value in named
    )


def _format_input_value(type_: Type, value: _CellValue, scope: Scope) -> str:
    match type_, value:
        case _, None:
            return "none" if isinstance(type_, ty.OptionalType) else "of any value"
        case ty.OptionalType(inner), _:
            return _format_input_value(inner, value, scope)
        case ty.WordType(values), _:
            return next(f"`{word}`" for word, position in iterate_list_words(values, scope) if position == value)
        case ty.FlagType(), _:
            return "yes" if value else "no"
        case _:
            return str(value)


def has_wrong_cell_count(node: nodes.Table, inputs: Sequence[str], scope: Scope) -> bool:
    """Whether rows have too few or too many cells; reports each, or the one line `across` that all of them lack."""
    heads = None if node.across is None else assign_column_ids(node.across)
    wanted = len(inputs) + (1 if heads is None else len(heads))
    wrong = [row for row in node.rows if len(row.cells) != wanted]
    if not wrong or (heads is None and _is_across_line_missing(node, inputs, scope)):
        return bool(wrong)
    needed = f"`{node.name.text}` has {format_counted_noun(len(inputs), 'input')} and 1 result"
    if heads is not None:
        *first, last = [f"`{input_}`" for input_ in (*inputs, *heads)]
        needed = f"{wanted} are needed, one for each of {', '.join(first)} and {last}"
    for row in wrong:
        message = f"this row has {format_counted_noun(len(row.cells), 'cell')}; {needed}"
        scope.report.error(
            "RW0328", row.span, message, remedy=_suggest_cell_division(row, wanted, is_chart=heads is not None)
        )
    return True


def _suggest_cell_division(row: written.TableRow, wanted: int, *, is_chart: bool) -> Remedy:
    if row.name is None or len(row.cells) != wanted - 1:
        return Remedy(f"cells are divided by `|`{'' if is_chart else ', and the last is the result'}")
    between = Span(row.span.source, row.name.span.end, row.cells[0].span.start)
    return Remedy(f"write `{row.name.text} | …`; cells are divided by `|`", (Edit(between, " | "),))


def _is_across_line_missing(node: nodes.Table, inputs: Sequence[str], scope: Scope) -> bool:
    widths = {len(row.cells) for row in node.rows[1:]}
    if len(inputs) < 2 or len(widths) != 1:  # noqa: PLR2004 - several
        return False
    row, width = node.rows[0], min(widths)
    results = width - len(inputs) + 1
    if row.name is not None and row.name.text in {*inputs, "across"} and len(row.cells) == results:
        name = row.name.text if row.name.text in inputs else inputs[-1]
        message = f"what heads the columns of `{name}` begins with `across {name}`"
        before, after = ("across ", "") if row.name.text in inputs else ("", f" {name}")
        edits = make_wrapping_edits(before, row.name.span, after, safe=not after)
        scope.report.error("RW0328", row.name.span, message, help=f"write `across {name}: …`", edits=edits)
        return True
    if len(row.cells) != width or results < 3:  # noqa: PLR2004 - the result of a plain row, and what it has too many
        return False
    message = f"these rows have {width} cells, and no `across` line heads their columns"
    heads = " | ".join("…" for _ in range(min(results, 3)))
    remedy = f"write `across {inputs[-1]}: {heads}` above them, with {results} values"
    scope.report.error("RW0328", row.span, message, help=remedy)
    return True
