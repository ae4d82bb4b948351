"""Whether exactly one row of a table matches each combination of inputs."""

from bisect import bisect_left, bisect_right
from itertools import accumulate
from operator import or_

from rulewright.analysis.infer.names import words_of
from rulewright.analysis.report import Label
from rulewright.analysis.scope import Scope
from rulewright.frozen import dataclass
from rulewright.program.expressions import Expression, Literal, Variable, WordLiteral
from rulewright.program.rows import Cell, TableRow
from rulewright.program.types import DirectionType, FlagType, NumberType, OptionalType, Type, WordType
from rulewright.syntax.nodes.expressions import Name

_Value = int | None
_MOST = 100_000
_MOST_COMPARED = 200_000_000


def check(name: Name, parameters: tuple[Variable, ...], rows: tuple[TableRow, ...], scope: Scope) -> None:
    """Reports rows that overlap and inputs without a row.

    Numbers are tried at both sides of every end of a cell, words, flags and directions one by one.
    """
    cells = [[row.cells[place] for row in rows] for place in range(len(parameters))]
    domains = [_domain(each.type, column, scope) for each, column in zip(parameters, cells, strict=True)]
    if len(rows) * sum(map(len, domains)) > _MOST_COMPARED:
        scope.report.warning("RW0411", name.span, f"`{name.text}` has too many rows to look for overlaps and gaps")
        return
    columns = [_column(domain, column) for domain, column in zip(domains, cells, strict=True)]
    _overlaps(parameters, columns, rows, scope)
    size = 1
    for domain in domains:
        size *= len(domain)
    if size > _MOST:
        scope.report.warning("RW0411", name.span, f"`{name.text}` has too many cases to look for gaps")
        return
    missing = _missing(columns, (1 << len(rows)) - 1)
    if missing is not None:
        example = _shown(parameters, missing, scope)
        scope.report.error("RW0411", name.span, f"`{name.text}` has no row for {example}")


@dataclass(frozen=True, slots=True)
class _Column:
    """One input of a table; sets of rows are numbers with a bit for each row.

    Attributes:
        domain: the values tried, in order.
        spans: for each row the values its cell matches, as the places of the first and of the one after the last.
        begun: for each value the rows whose cells begin with it or before.
        over: for each value, and for the end, the rows whose cells end before it.
    """

    domain: list[_Value]
    spans: list[tuple[int, int]]
    begun: list[int]
    over: list[int]

    def meeting(self, first: int, end: int) -> int:
        """The rows that match one of these values."""
        return self.begun[end - 1] & ~self.over[first] if first < end else 0


def _column(domain: list[_Value], cells: list[Cell]) -> _Column:
    places = {value: place for place, value in enumerate(domain)}
    numbers = [each for each in domain if each is not None]
    spans = [_span(cell, places, numbers) for cell in cells]
    begins, ends = [0] * len(domain), [0] * (len(domain) + 1)
    for row, (first, end) in enumerate(spans):
        if first < end:
            begins[first] |= 1 << row
            ends[end] |= 1 << row
    return _Column(domain, spans, list(accumulate(begins, or_)), list(accumulate(ends, or_)))


def _span(cell: Cell, places: dict[_Value, int], numbers: list[int]) -> tuple[int, int]:
    """The values a cell matches, which lie beside each other."""
    if cell.value is not None:
        place = places.get(_constant(cell.value))
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
            scope.report.error(
                "RW0412",
                row.span,
                f"two rows match {_shown(parameters, shared, scope)}",
                secondary=(Label(rows[other].span, "the other row"),),
            )
            return


def _missing(columns: list[_Column], rows: int) -> tuple[_Value, ...] | None:
    """The first case without a row."""
    if not columns:
        return None if rows else ()
    column, *rest = columns
    for place, value in enumerate(column.domain):
        matching = rows & column.meeting(place, place + 1)
        if not matching:
            return (value, *(each.domain[0] for each in rest))
        found = _missing(rest, matching)
        if found is not None:
            return (value, *found)
    return None


def _end(expression: Expression | None) -> _Value:
    return _constant(expression) if expression is not None else None


def _constant(expression: Expression) -> _Value:
    match expression:
        case WordLiteral(position=position):
            return position
        case Literal(value=int() as value):
            return int(value)
        case _:
            return None


def _domain(type_: Type, cells: list[Cell], scope: Scope) -> list[_Value]:
    match type_:
        case OptionalType(inner):
            return [None, *_domain(inner, cells, scope)]
        case FlagType():
            return [0, 1]
        case WordType(values):
            return [position for _, position in words_of(values, scope)]
        case NumberType(low, high):
            return list(_numbers(low, high, cells))
        case DirectionType():
            return list(range(type_.count))
        case _:
            return [None]


def _numbers(low: int | None, high: int | None, cells: list[Cell]) -> list[int]:
    ends = [_constant(each) for cell in cells for each in (cell.low, cell.high, cell.value) if each is not None]
    near = {end + step for end in ends if end is not None for step in (-1, 0, 1)}
    near |= {end for end in (low, high) if end is not None} or {0}
    return sorted(each for each in near if (low is None or each >= low) and (high is None or each <= high))


def _shown(parameters: tuple[Variable, ...], case: tuple[_Value, ...], scope: Scope) -> str:
    named = zip(parameters, case, strict=True)
    return " and ".join(f"`{each.name}` {_word(each.type, value, scope)}" for each, value in named)


def _word(type_: Type, value: _Value, scope: Scope) -> str:
    match type_, value:
        case _, None:
            return "none" if isinstance(type_, OptionalType) else "of any value"
        case OptionalType(inner), _:
            return _word(inner, value, scope)
        case WordType(values), _:
            return next(f"`{word}`" for word, position in words_of(values, scope) if position == value)
        case FlagType(), _:
            return "yes" if value else "no"
        case _:
            return str(value)
