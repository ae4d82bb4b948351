"""What is declared once and worked out wherever it is named: terms, tallies, decisions, tables, conditions."""

from collections.abc import Iterator
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.declarations import Conditions, Decide, Function, Paths, Selection, Table, Tally, Value
from rulewright.program.expressions import Cell, ConditionRow, DecideRow, TallyRow
from support.reference import evaluation as expressions, path_search
from support.reference.operators import make_collection
from support.reference.world import Env, JudgedFault, World


def call_function(world: World, function: Function, arguments: tuple[Any, ...]) -> Any:
    """A term, derived attribute, tally, decide, table or derived relation."""
    if world.called is None:
        return _compute_function(world, function, arguments)
    asked = (id(function), arguments)
    if asked not in world.called:
        world.called[asked] = _compute_function(world, function, arguments)
    return world.called[asked]


def _compute_function(world: World, function: Function, arguments: tuple[Any, ...]) -> Any:
    env: Env = {each.index: value for each, value in zip(function.parameters, arguments, strict=True)}
    match function.body:
        case Value() as body:
            return expressions.evaluate(world, env, body.value)
        case Conditions() as body:
            return judge_conditions(world, env, body)
        case Selection() as body:
            chosen = [
                item
                for item, inner in expressions.list_bound_members(world, env, body.binding)
                if judge_conditions(world, inner, body.conditions)
            ]
            return make_collection(function.type, chosen)
        case Tally() as body:
            return compute_tally(
                world, env, body.running.index, expressions.evaluate(world, env, body.start), body.rows
            )
        case Decide() as body:
            return choose_row_value(world, env, body.rows)
        case Table() as body:
            for row in body.rows:
                if all(
                    _cell_matches(world, env, cell, value) for cell, value in zip(row.cells, arguments, strict=True)
                ):
                    world.reached.add((row.address, "taken"))
                    return expressions.evaluate(world, env, row.result)
            raise JudgedFault("RW0816")
        case Paths() as body:
            return path_search.list_destinations(world, env, body, function.type)


def judge_condition(world: World, env: Env, row: ConditionRow) -> bool | None:
    """Whether a row holds; none where it is not judged."""
    if row.guard is not None and not expressions.evaluate(world, env, row.guard):
        return None
    found = bool(expressions.evaluate(world, env, row.condition))
    world.reached.add((row.address, "held" if found else "failed"))
    return found


def judge_conditions(world: World, env: Env, body: Conditions) -> bool:
    """Whether all rows, or any row, of those judged hold."""
    if body.mode == "all":
        return all(judge_condition(world, env, row) is not False for row in body.rows)
    return any(judge_condition(world, env, row) is True for row in body.rows)


def compute_tally(world: World, env: Env, running: int, start: Any, rows: tuple[TallyRow, ...]) -> Any:
    """The running value after all lines, from the top."""
    value = start
    for row in rows:
        env = env | {running: value}
        insides = [env] if row.binding is None else _list_tally_rounds(world, env, row.binding)
        for inner in insides:
            inner = inner | {running: value}  # noqa: PLW2901
            if row.guard is None or expressions.evaluate(world, inner, row.guard):
                value = _apply_row(row.change, value, expressions.evaluate(world, inner, row.amount))
                world.reached.add((row.address, "taken"))
    return value


def _list_tally_rounds(world: World, env: Env, binding: ex.Binding) -> Iterator[Env]:
    return (inner for _, inner in expressions.list_bound_members(world, env, binding))


def _apply_row(change: str, value: Any, amount: Any) -> Any:
    match change:
        case "plus":
            return value + amount
        case "times":
            return value * amount
        case "becomes":
            return amount
        case "at least":
            return max(value, amount)
        case _:
            return min(value, amount)


def choose_row_value(world: World, env: Env, rows: tuple[DecideRow, ...]) -> Any:
    """The value of the first row whose guard holds."""
    for row in rows:
        if row.guard is None or expressions.evaluate(world, env, row.guard):
            world.reached.add((row.address, "taken"))
            return expressions.evaluate(world, env, row.value)
    raise JudgedFault("RW0816")


def _cell_matches(world: World, env: Env, cell: Cell, value: Any) -> bool:
    if cell.value is not None:
        return bool(value == expressions.evaluate(world, env, cell.value))
    low = cell.low is None or value >= expressions.evaluate(world, env, cell.low)
    return low and (cell.high is None or value <= expressions.evaluate(world, env, cell.high))
