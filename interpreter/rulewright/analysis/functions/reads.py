"""What the body of a function reads, whatever its arguments."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from rulewright.analysis.reads import reads
from rulewright.program import rows
from rulewright.program.declarations import Body, Conditions, Decide, Function, Paths, Selection, Table, Tally, Value
from rulewright.program.expressions import Binding, Expression


def function_reads(function: Function, functions: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Everything of the game that the body reads; its own names are left out."""
    found = (each for part in expressions(function.body) for each in reads(part, functions))
    return frozenset(each for each in found if not each.startswith("local/"))


def expressions(body: Body) -> Iterator[Expression]:  # noqa: C901 - one case for each sort
    """Every outermost expression of a body, in the order they stand."""
    match body:
        case Value(value):
            yield value
        case Conditions(rows=condition_rows):
            for row in condition_rows:
                yield from _row(row, row.condition)
        case Selection(binding, conditions):
            yield from _binding(binding)
            yield from expressions(conditions)
        case Tally(start=start, rows=tally_rows):
            yield start
            yield from _tally(tally_rows)
        case Decide(decide_rows):
            for decide_row in decide_rows:
                yield from _row(decide_row, decide_row.value)
        case Table(table_rows):
            yield from (each for table_row in table_rows for each in _cells(table_row))
        case Paths(start=start, cost=cost, rows=path_rows):
            yield start
            if cost is not None:
                yield from expressions(cost)
            for path_row in path_rows:
                yield from _row(path_row, path_row.condition)
        case _:
            assert_never(body)


def _row(row: rows.ConditionRow | rows.DecideRow, value: Expression) -> Iterator[Expression]:
    if row.guard is not None:
        yield row.guard
    yield value


def _tally(tally_rows: tuple[rows.TallyRow, ...]) -> Iterator[Expression]:
    for row in tally_rows:
        if row.binding is not None:
            yield from _binding(row.binding)
        if row.guard is not None:
            yield row.guard
        yield row.amount


def _binding(binding: Binding) -> Iterator[Expression]:
    yield binding.source
    if binding.where is not None:
        yield binding.where


def _cells(row: rows.TableRow) -> Iterator[Expression]:
    for cell in row.cells:
        yield from (each for each in (cell.low, cell.high, cell.value) if each is not None)
    yield row.result
