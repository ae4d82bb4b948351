"""Tables: rows of cells, two-way tables made flat, and the check that every case has exactly one row."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import prod
from operator import or_

from rulewright.analysis.addresses import column_ids, row_ids
from rulewright.analysis.clauses import qualify
from rulewright.analysis.functions.case_coverage import near
from rulewright.analysis.functions.rows import distinct
from rulewright.analysis.infer.arithmetic import check_span, dashed, is_paired, needs_number
from rulewright.analysis.infer.lookup import words_of
from rulewright.analysis.infer.references import word_wanted
from rulewright.analysis.infer.slots import fit, fitted
from rulewright.analysis.report import Label
from rulewright.analysis.scope import Scope
from rulewright.diagnostics.model import Edit
from rulewright.diagnostics.remedies import Remedy, wrapped
from rulewright.frozen import dataclass
from rulewright.program import rows as typed, types as ty
from rulewright.program.expressions import Expression, Literal, Variable, WordLiteral
from rulewright.program.rows import Cell, TableRow
from rulewright.program.types import Type
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as nodes, expressions, rows as written


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
    if lines is None or not distinct((each.name for each in node.rows if each.name), scope):
        return None
    made = [_typed_row(line, parameters, gives, scope, (address, node)) for line in lines]
    rows = tuple(row for row in made if row is not None)
    if len(rows) < len(made):
        return None
    _check_cases(node, parameters, rows, scope)
    return rows


def _lines(node: nodes.Table, parameters: tuple[Variable, ...], scope: Scope) -> list[_Line] | None:
    if node.across is None:
        wanted = len(parameters) + 1
        if miscounted(node, [each.name for each in parameters], scope):
            return None
        return [
            _Line(called, row.cells[: wanted - 1], row.cells[-1], row, row.span)
            for called, row in zip(row_ids(node.rows), node.rows, strict=True)
        ]
    names = [parameter.name for parameter in parameters]
    across = node.across
    if across.name.text not in names:
        listed = ", ".join(f"`{name}`" for name in names)
        message = f"`across` names an input of the table, and `{across.name.text}` is none"
        scope.report.error("RW0329", across.name.span, message, help=f"the inputs are {listed}")
        return None
    at, columns = names.index(across.name.text), column_ids(across)
    inputs = [*names[:at], *names[at + 1 :]]
    if miscounted(node, inputs, scope):
        return None
    return [
        _Line(f"{called}/{column}", (*row.cells[:at], head, *row.cells[at : len(inputs)]), result, row, result.span)
        for called, row in zip(row_ids(node.rows), node.rows, strict=True)
        for column, head, result in zip(columns, across.cells, row.cells[len(inputs) :], strict=True)
    ]


def _typed_row(
    line: _Line, parameters: tuple[Variable, ...], gives: Type, scope: Scope, place: tuple[str, nodes.Table]
) -> typed.TableRow | None:
    cells = [_typed_cell(cell, parameter, scope) for cell, parameter in zip(line.cells, parameters, strict=True)]
    result = None
    if line.result.sort != "value" or line.result.value is None:
        scope.report.error("RW0333", line.result.span, "the result of a row is one value")
    else:
        result = fitted(line.result.value, gives, scope, "the result")
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


def _typed_cell(cell: written.Cell, parameter: Variable, scope: Scope) -> typed.Cell | None:
    if cell.value is None:
        return typed.Cell()
    match cell.sort, cell.value:
        case "at least", value:
            low = _number(value, scope)
            made = None if low is None else typed.Cell(low=low)
        case "at most", value:
            high = _number(value, scope)
            made = None if high is None else typed.Cell(high=high)
        case _, expressions.Binary(operator="..", left=left, right=right):
            first, last = _number(left, scope), _number(right, scope)
            made = typed.Cell(low=first, high=last) if first is not None and last is not None else None
        case _:
            return _one(cell.value, parameter, scope)
    if made is None or not is_paired(parameter.type):
        return made
    return made if check_span(_end(made.low), _end(made.high), cell.span, scope.report) else None


def _number(node: expressions.Expression, scope: Scope) -> Expression | None:
    found = scope.infer(node)
    if found is None or not needs_number(found, "the end of a span", scope):
        return None
    return _fixed(found, scope)


def _one(node: expressions.Expression, parameter: Variable, scope: Scope) -> typed.Cell | None:
    better = dashed(node)
    if better is not None:
        scope.report.error("RW0333", node.span, "a span is spelled `..`", remedy=better)
        return None
    found = word_wanted(node, scope, parameter.type) or scope.infer(node, parameter.type)
    constant = found and _fixed(found, scope)
    fitted = constant and fit(constant, parameter.type, scope, f"`{parameter.name}`")
    return None if fitted is None else typed.Cell(value=fitted)


def _fixed(found: Expression, scope: Scope) -> Expression | None:
    if isinstance(found, Literal | WordLiteral):
        return found
    message = "a cell of a table is a fixed value, a span or `any`"
    scope.report.error("RW0333", found.span, message, help="use a `decide`")
    return None


_Value = int | None
_Ends = tuple[_Value, _Value] | None
"""The first and the last of values beside each other; none for all that there are."""
_Missing = tuple[_Ends, ...]
"""A case without a row, with the values of each input."""
_MOST = 100_000
_MOST_COMPARED = 200_000_000
_MOST_NAMED = 5


def _check_cases(node: nodes.Table, parameters: tuple[Variable, ...], rows: tuple[TableRow, ...], scope: Scope) -> None:
    """Reports rows that overlap and inputs without a row.

    Numbers are tried at both sides of every end of a cell, words, flags and directions one by one.
    """
    name = node.name
    cells = [[row.cells[place] for row in rows] for place in range(len(parameters))]
    domains = [_domain(each.type, column, scope) for each, column in zip(parameters, cells, strict=True)]
    if len(rows) * sum(map(len, domains)) > _MOST_COMPARED:
        scope.report.warning("RW0411", name.span, f"`{name.text}` has too many rows to look for overlaps and gaps")
        return
    columns = [_column(*each) for each in zip(parameters, domains, cells, strict=True)]
    _overlaps(parameters, columns, rows, scope)
    if prod(map(len, domains)) > _MOST:
        scope.report.warning("RW0411", name.span, f"`{name.text}` has too many cases to look for gaps")
        return
    missing = _missing(columns, (1 << len(rows)) - 1)
    if not missing:
        return
    shown = [_shown_missing(columns, each, scope) for each in missing[:_MOST_NAMED]]
    more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    message = f"`{name.text}` has no row{'' if len(missing) == 1 else 's'} for {'; '.join(shown)}{more}"
    remedy = _never_rolled(columns, missing[0])
    if any(isinstance(each.type, ty.FractionType | ty.LengthType) for each in parameters):
        remedy = "rows are for whole numbers: round the input, or write a `decide`"
    elif not remedy and node.across is None:
        shown_cells = [_missing_cell(*each, scope) for each in zip(columns, missing[0], strict=True)]
        row = f"`{' | '.join(shown_cells)} | …`"
        remedy = f"add the row {row}" if len(missing) == 1 else f"add rows for them, such as {row}"
    scope.report.error("RW0411", name.span, message, help=remedy)


@dataclass(frozen=True, slots=True)
class _Column:
    """One input of a table; sets of rows are numbers with a bit for each row."""

    parameter: Variable
    domain: list[_Value]  # the values tried, in order
    # for each row the values its cell matches, as the places of the first and of the one after the last
    spans: list[tuple[int, int]]
    begun: list[int]  # for each value the rows whose cells begin with it or before
    over: list[int]  # for each value, and for the end, the rows whose cells end before it

    def meeting(self, first: int, end: int) -> int:
        """The rows that match one of these values."""
        return self.begun[end - 1] & ~self.over[first] if first < end else 0


def _column(parameter: Variable, domain: list[_Value], cells: list[Cell]) -> _Column:
    places = {value: place for place, value in enumerate(domain)}
    numbers = [each for each in domain if each is not None]
    spans = [_span(cell, places, numbers) for cell in cells]
    begins, ends = [0] * len(domain), [0] * (len(domain) + 1)
    for row, (first, end) in enumerate(spans):
        if first < end:
            begins[first] |= 1 << row
            ends[end] |= 1 << row
    return _Column(parameter, domain, spans, list(accumulate(begins, or_)), list(accumulate(ends, or_)))


def _span(cell: Cell, places: dict[_Value, int], numbers: list[int]) -> tuple[int, int]:
    """The values a cell matches, which lie beside each other."""
    if cell.value is not None:
        place = places.get(_constant_of(cell.value))
        return (0, 0) if place is None else (place, place + 1)
    if cell.low is None and cell.high is None:
        return 0, len(places)
    low, high = _end(cell.low), _end(cell.high)
    others = len(places) - len(numbers)
    first = 0 if low is None else bisect_left(numbers, low)
    return others + first, others + (len(numbers) if high is None else bisect_right(numbers, high))


def _overlaps(
    parameters: tuple[Variable, ...], columns: list[_Column], rows: tuple[TableRow, ...], scope: Scope
) -> None:
    for place, row in enumerate(rows):
        meeting = (1 << place) - 1
        for column in columns:
            meeting &= column.meeting(*column.spans[place])
        if meeting:
            other = (meeting & -meeting).bit_length() - 1
            shared = tuple(each.domain[max(each.spans[place][0], each.spans[other][0])] for each in columns)
            message = f"two rows match {_shown_case(parameters, shared, scope)}"
            there = (Label(rows[other].span, "the other row"),)
            scope.report.error("RW0412", row.span, message, secondary=there, help=_told_apart(rows[other], row))
            return


def _told_apart(one: TableRow, other: TableRow) -> str:
    for row in (one, other):
        if any(cell.value is None and cell.low is None and cell.high is None for cell in row.cells):
            return "`any` is every value, not what other rows leave: name values, or use a `decide` with `otherwise`"
    return "narrow one of the two; if the first row should win, use a `decide`"


def _missing(columns: list[_Column], rows: int) -> tuple[_Missing, ...]:
    """The cases without a row, in order; numbers beside each other that lack the same rows are one."""
    if not columns:
        return () if rows else ((),)
    column, *rest = columns
    found: list[tuple[list[_Value], tuple[_Missing, ...]]] = []
    for place, value in enumerate(column.domain):
        matching = rows & column.meeting(place, place + 1)
        lacks = _missing(rest, matching) if matching else ((None,) * len(rest),)
        if found and found[-1][1] == lacks:
            found[-1][0].append(value)
        else:
            found.append(([value], lacks))
    if len(found) == 1 and len(column.domain) > 1:
        return tuple((None, *ends) for ends in found[0][1])
    return tuple((span, *ends) for values, lacks in found if lacks for span in _spans(column, values) for ends in lacks)


def _spans(column: _Column, values: list[_Value]) -> Iterator[tuple[_Value, _Value]]:
    """Values beside each other, numbers as one span and others one by one."""
    type_ = column.parameter.type
    inner = type_.inner if isinstance(type_, ty.OptionalType) else type_
    if not isinstance(inner, ty.NumberType):
        yield from zip(values, values, strict=True)
        return
    if None in values:
        yield None, None
    numbers = [each for each in values if each is not None]
    if numbers:
        yield numbers[0], numbers[-1]


def _never_rolled(columns: list[_Column], missing: _Missing) -> str:
    """The remedy where a case without a row is a number that no `d66` shows; else empty."""
    d66 = ty.NumberType(ty.PAIRED.low, ty.PAIRED.high)
    for column, ends in zip(columns, missing, strict=True):
        if column.parameter.type == d66 and ends is not None and ends[0] and not ty.PAIRED.holds(ends[0]):
            return f"`{column.parameter.name}: d66` is only what a `d66` shows"
    return ""


def _shown_missing(columns: list[_Column], missing: _Missing, scope: Scope) -> str:
    named = [
        f"`{column.parameter.name}` {_missing_word(column, ends, scope)}"
        for column, ends in zip(columns, missing, strict=True)
        if ends is not None
    ]
    return " and ".join(named) or "any input"


def _missing_word(column: _Column, ends: tuple[_Value, _Value], scope: Scope) -> str:
    """Values beside each other as a message shows them; a word stands in backticks."""
    type_, (first, last) = column.parameter.type, ends
    inner = type_.inner if isinstance(type_, ty.OptionalType) else type_
    if isinstance(inner, ty.NumberType) and first is not None and last is not None and first < last:
        return f"{first}..{last}"
    return _word(type_, first, scope)


def _missing_cell(column: _Column, ends: _Ends, scope: Scope) -> str:
    """The same as a cell of a row."""
    every = ends == (None, None) and not isinstance(column.parameter.type, ty.OptionalType)
    return "any" if ends is None or every else _missing_word(column, ends, scope).strip("`")


def _end(expression: Expression | None) -> _Value:
    return _constant_of(expression) if expression is not None else None


def _constant_of(expression: Expression) -> _Value:
    match expression:
        case WordLiteral(position=position):
            return position
        case Literal(value=int() as value):
            return int(value)
        case _:
            return None


def _domain(type_: Type, cells: list[Cell], scope: Scope) -> list[_Value]:
    match type_:
        case ty.OptionalType(inner):
            return [None, *_domain(inner, cells, scope)]
        case ty.FlagType():
            return [0, 1]
        case ty.WordType(values):
            return [position for _, position in words_of(values, scope)]
        case ty.NumberType(low, high):
            return [*(type_.numbers() or ())] if type_.paired else list(_numbers(low, high, cells))
        case ty.DirectionType():
            return list(range(type_.count))
        case _:
            return [None]


def _numbers(low: int | None, high: int | None, cells: list[Cell]) -> list[int]:
    ends = {_constant_of(each) for cell in cells for each in (cell.low, cell.high, cell.value) if each is not None}
    found = near({*ends}, (low, high))
    zero = low is None and high is None
    return sorted({*found, 0}) if zero else found


def _shown_case(parameters: tuple[Variable, ...], case: tuple[_Value, ...], scope: Scope) -> str:
    named = zip(parameters, case, strict=True)
    return " and ".join(f"`{each.name}` {_word(each.type, value, scope)}" for each, value in named)


def _word(type_: Type, value: _Value, scope: Scope) -> str:
    match type_, value:
        case _, None:
            return "none" if isinstance(type_, ty.OptionalType) else "of any value"
        case ty.OptionalType(inner), _:
            return _word(inner, value, scope)
        case ty.WordType(values), _:
            return next(f"`{word}`" for word, position in words_of(values, scope) if position == value)
        case ty.FlagType(), _:
            return "yes" if value else "no"
        case _:
            return str(value)


def miscounted(node: nodes.Table, inputs: Sequence[str], scope: Scope) -> bool:
    """Whether rows have too few or too many cells; reports each, or the one line `across` that all of them miss."""
    heads = None if node.across is None else column_ids(node.across)
    wanted = len(inputs) + (1 if heads is None else len(heads))
    wrong = [row for row in node.rows if len(row.cells) != wanted]
    if not wrong or (heads is None and _across_forgotten(node, inputs, scope)):
        return bool(wrong)
    needed = f"`{node.name.text}` has {_several(len(inputs), 'input')} and 1 result"
    if heads is not None:
        *first, last = [f"`{each}`" for each in (*inputs, *heads)]
        needed = f"{wanted} are needed, one for each of {', '.join(first)} and {last}"
    for row in wrong:
        message = f"this row has {_several(len(row.cells), 'cell')}; {needed}"
        scope.report.error("RW0328", row.span, message, remedy=_parted(row, wanted, is_chart=heads is not None))
    return True


def _parted(row: written.TableRow, wanted: int, *, is_chart: bool) -> Remedy:
    """What a row with too few or too many cells lacks: where it is one too few, its name may be its first cell."""
    if row.name is None or len(row.cells) != wanted - 1:
        return Remedy(f"cells are divided by `|`{'' if is_chart else ', and the last is the result'}")
    between = Span(row.span.source, row.name.span.end, row.cells[0].span.start)
    return Remedy(f"write `{row.name.text} | …`; cells are divided by `|`", (Edit(between, " | "),))


def _across_forgotten(node: nodes.Table, inputs: Sequence[str], scope: Scope) -> bool:
    """Whether a table of several inputs has rows for a table with columns, with no line that heads them; reports it."""
    widths = {len(row.cells) for row in node.rows[1:]}
    if len(inputs) < 2 or len(widths) != 1:  # noqa: PLR2004 - several
        return False
    row, width = node.rows[0], min(widths)
    results = width - len(inputs) + 1
    if row.name is not None and row.name.text in {*inputs, "across"} and len(row.cells) == results:
        name = row.name.text if row.name.text in inputs else inputs[-1]
        message = f"what heads the columns of `{name}` begins with `across {name}`"
        before, after = ("across ", "") if row.name.text in inputs else ("", f" {name}")
        edits = wrapped(before, row.name.span, after, safe=not after)
        scope.report.error("RW0328", row.name.span, message, help=f"write `across {name}: …`", edits=edits)
        return True
    if len(row.cells) != width or results < 3:  # noqa: PLR2004 - the result of a plain row, and what it has too many
        return False
    message = f"these rows have {width} cells, and no `across` line heads their columns"
    heads = " | ".join("…" for _ in range(min(results, 3)))
    remedy = f"write `across {inputs[-1]}: {heads}` above them, with {results} values"
    scope.report.error("RW0328", row.span, message, help=remedy)
    return True


def _several(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
