"""Whether exactly one row of a table matches each combination of inputs."""

from itertools import product

from rulewright.analysis.infer.names import words_of
from rulewright.analysis.report import Label
from rulewright.analysis.scope import Scope
from rulewright.program.expressions import Expression, Literal, Variable, WordLiteral
from rulewright.program.rows import Cell, TableRow
from rulewright.program.types import DirectionType, FlagType, NumberType, OptionalType, Type, WordType
from rulewright.syntax.nodes.names import Name

_Value = int | None
_MOST = 100_000


def check(name: Name, parameters: tuple[Variable, ...], rows: tuple[TableRow, ...], scope: Scope) -> None:
    """Reports rows that overlap and inputs without a row.

    Numbers are tried at both sides of every end of a cell, words, flags and directions one by one.
    """
    domains = [_domain(each.type, [row.cells[place] for row in rows], scope) for place, each in enumerate(parameters)]
    _overlaps(parameters, domains, rows, scope)
    size = 1
    for domain in domains:
        size *= len(domain)
    if size > _MOST:
        scope.report.warning("RW0411", name.span, f"`{name.text}` has too many cases to look for gaps")
        return
    for case in product(*domains):
        if not any(_matches(row, case) for row in rows):
            example = _shown(parameters, case, scope)
            scope.report.error("RW0411", name.span, f"`{name.text}` has no row for {example}")
            return


def _overlaps(
    parameters: tuple[Variable, ...], domains: list[list[_Value]], rows: tuple[TableRow, ...], scope: Scope
) -> None:
    for place, row in enumerate(rows):
        for earlier in rows[:place]:
            shared = [_shared(domain, earlier.cells[at], row.cells[at]) for at, domain in enumerate(domains)]
            if all(each is not _NOTHING for each in shared):
                example = _shown(parameters, tuple(shared), scope)  # type: ignore[arg-type]
                scope.report.error(
                    "RW0412",
                    row.span,
                    f"two rows match {example}",
                    secondary=(Label(earlier.span, "the other row"),),
                )
                return


_NOTHING = object()


def _shared(domain: list[_Value], first: Cell, second: Cell) -> object:
    return next((each for each in domain if _holds(first, each) and _holds(second, each)), _NOTHING)


def _matches(row: TableRow, case: tuple[_Value, ...]) -> bool:
    return all(_holds(cell, value) for cell, value in zip(row.cells, case, strict=True))


def _holds(cell: Cell, value: _Value) -> bool:
    if cell.value is not None:
        return _constant(cell.value) == value
    if cell.low is None and cell.high is None:
        return True
    if value is None:
        return False
    low, high = _end(cell.low), _end(cell.high)
    return (low is None or low <= value) and (high is None or value <= high)


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
