"""What is declared once and worked out wherever it is named: terms, tallies, decisions, tables, conditions."""

from collections.abc import Iterator
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.declarations import Conditions, Decide, Function, Paths, Selection, Table, Tally, Value
from rulewright.program.rows import Cell, ConditionRow, DecideRow, TallyRow
from support.reference import evaluate as expressions, ways
from support.reference.operators import collect
from support.reference.world import Env, Faulty, World


def call(world: World, function: Function, arguments: tuple[Any, ...]) -> Any:
    """A term, derived attribute, tally, decide, table or derived relation."""
    if world.called is None:
        return _worked_out(world, function, arguments)
    asked = (id(function), arguments)
    if asked not in world.called:
        world.called[asked] = _worked_out(world, function, arguments)
    return world.called[asked]


def _worked_out(world: World, function: Function, arguments: tuple[Any, ...]) -> Any:
    env: Env = {each.index: value for each, value in zip(function.parameters, arguments, strict=True)}
    match function.body:
        case Value() as body:
            return expressions.evaluate(world, env, body.value)
        case Conditions() as body:
            return conditions(world, env, body)
        case Selection() as body:
            chosen = [
                item
                for item, inner in expressions.members(world, env, body.binding)
                if conditions(world, inner, body.conditions)
            ]
            return collect(function.type, chosen)
        case Tally() as body:
            return tally(world, env, body.running.index, expressions.evaluate(world, env, body.start), body.rows)
        case Decide() as body:
            return decide(world, env, body.rows)
        case Table() as body:
            for row in body.rows:
                if all(_matches(world, env, cell, value) for cell, value in zip(row.cells, arguments, strict=True)):
                    world.reached.add((row.address, "taken"))
                    return expressions.evaluate(world, env, row.result)
            raise Faulty("RW0816")
        case Paths() as body:
            return ways.destinations(world, env, body, function.type)


def held(world: World, env: Env, row: ConditionRow) -> bool | None:
    """Whether a row holds; none where it is not judged."""
    if row.guard is not None and not expressions.evaluate(world, env, row.guard):
        return None
    found = bool(expressions.evaluate(world, env, row.condition))
    world.reached.add((row.address, "held" if found else "failed"))
    return found


def conditions(world: World, env: Env, body: Conditions) -> bool:
    """Whether all rows, or any row, of those judged hold."""
    if body.mode == "all":
        return all(held(world, env, row) is not False for row in body.rows)
    return any(held(world, env, row) is True for row in body.rows)


def tally(world: World, env: Env, running: int, start: Any, rows: tuple[TallyRow, ...]) -> Any:
    """The running value after all lines, from the top."""
    value = start
    for row in rows:
        env = env | {running: value}
        insides = [env] if row.binding is None else _rounds(world, env, row.binding)
        for inner in insides:
            inner = inner | {running: value}  # noqa: PLW2901
            if row.guard is None or expressions.evaluate(world, inner, row.guard):
                value = _changed(row.change, value, expressions.evaluate(world, inner, row.amount))
                world.reached.add((row.address, "taken"))
    return value


def _rounds(world: World, env: Env, binding: ex.Binding) -> Iterator[Env]:
    return (inner for _, inner in expressions.members(world, env, binding))


def _changed(change: str, value: Any, amount: Any) -> Any:
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


def decide(world: World, env: Env, rows: tuple[DecideRow, ...]) -> Any:
    """The value of the first row whose guard holds."""
    for row in rows:
        if row.guard is None or expressions.evaluate(world, env, row.guard):
            world.reached.add((row.address, "taken"))
            return expressions.evaluate(world, env, row.value)
    raise Faulty("RW0816")


def _matches(world: World, env: Env, cell: Cell, value: Any) -> bool:
    if cell.value is not None:
        return bool(value == expressions.evaluate(world, env, cell.value))
    low = cell.low is None or value >= expressions.evaluate(world, env, cell.low)
    return low and (cell.high is None or value <= expressions.evaluate(world, env, cell.high))
