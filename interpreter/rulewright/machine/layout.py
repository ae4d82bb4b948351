"""Where each stored thing of a program lies in a state, and the constant values that it starts with."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from rulewright.machine.geometry import angle, inches, to_thousandths
from rulewright.machine.values import Map, Value, make_set
from rulewright.program.declarations import Program
from rulewright.program.expressions import (
    Arithmetic,
    Builtin,
    Expression,
    Literal,
    MakeCollection,
    MakeRecord,
    MakeTuple,
    Narrowed,
    Negation,
    Rounded,
    WordLiteral,
)
from rulewright.program.plane import ANGLE
from rulewright.program.types import GRIDS, BagType, MapType, SetType, Type


def constant(expression: Expression) -> Value:  # noqa: C901, PLR0911, PLR0912
    """The value of an expression that is written out (`analysis.reads.written_out`).

    Raises:
        ValueError: the expression reads something.
    """
    match expression:
        case Literal(value=value):
            return value
        case WordLiteral(position=position):
            return position
        case Narrowed(operand=operand):
            return constant(operand)
        case Negation(operand=operand):
            return -_number(constant(operand))
        case Rounded(type=type_, operand=operand):
            return (angle if ANGLE in (type_, getattr(type_, "inner", None)) else inches)(_number(constant(operand)))
        case Arithmetic(operator=operator, left=left, right=right):
            return _arithmetic(operator, _number(constant(left)), _number(constant(right)))
        case Builtin(name="point", arguments=(x, y)):
            return to_thousandths(_number(constant(x))), to_thousandths(_number(constant(y)))
        case Builtin(name=name, arguments=parts) if name in GRIDS:
            return tuple(map(constant, parts))
        case MakeRecord(parts=parts) | MakeTuple(parts=parts):
            return tuple(map(constant, parts))
        case MakeCollection(items=items, type=MapType()):
            return Map.of(constant(items[0]))
        case MakeCollection(items=items, type=SetType()):
            return make_set(map(constant, items))
        case MakeCollection(items=items):
            return tuple(map(constant, items))
        case _:
            raise ValueError("not a constant")


def start_value(expression: Expression, target: Type) -> Value:
    """The start value of a field of a type; that of a map is its default.

    Raises:
        ValueError: the expression reads something.
    """
    value = constant(expression)
    match target:
        case MapType() if not isinstance(value, Map):
            return Map.of(value)
        case SetType():
            return make_set(_members(value))
        case BagType():
            return tuple(sorted(_members(value)))
        case _:
            return value


def _members(value: Value) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def _number(value: Value) -> int | Fraction:
    if isinstance(value, int | Fraction):
        return value
    raise ValueError("not a number")


def _arithmetic(operator: str, left: int | Fraction, right: int | Fraction) -> int | Fraction:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return Fraction(left) / right


@dataclass(frozen=True)
class Layout:
    """Names of the parts of a state, in the order in which a state holds them."""

    kinds: tuple[str, ...]  # names of kinds
    columns: tuple[str, ...]  # stored attributes, `Kind/name`
    game: tuple[str, ...]  # fields of `game`
    cells: tuple[str, ...]  # attributes of cells, `board/name`
    sides: tuple[str, ...]  # attributes of sides, `board/name`
    relations: tuple[str, ...]  # stored relations
    types: dict[str, Type]  # type of every column, game field (`game/name`), cell and side attribute
    starts: dict[str, Value]  # start value of every cell and side attribute
    symmetric: frozenset[str]  # names of relations where both orders are one

    @cached_property
    def index(self) -> dict[str, int]:
        """The position of every column, game field, cell and side attribute and relation in its group."""
        groups = (self.columns, self.game, self.cells, self.sides, self.relations)
        named = [group if group is not self.game else tuple(f"game/{each}" for each in group) for group in groups]
        return {name: number for group in named for number, name in enumerate(group)}

    @cached_property
    def kind_index(self) -> dict[str, int]:
        """The position of every kind."""
        return {name: number for number, name in enumerate(self.kinds)}


def layout(program: Program) -> Layout:
    """The layout of a program's states."""
    columns = {f"{kind.name}/{each.name}": each.type for kind in program.kinds.values() for each in kind.fields}
    cells = {f"{board.name}/{each.name}": each for board in program.boards.values() for each in board.fields}
    sides = {f"{board.name}/{each.name}": each for board in program.boards.values() for each in board.sides}
    placed = cells | sides
    types = columns | {f"game/{name}": each.type for name, each in program.game.items()}
    return Layout(
        kinds=tuple(program.kinds),
        columns=tuple(columns),
        game=tuple(program.game),
        cells=tuple(cells),
        sides=tuple(sides),
        relations=tuple(program.relations),
        types=types | {name: each.type for name, each in placed.items()},
        starts={name: constant(each.start) for name, each in placed.items() if each.start is not None},
        symmetric=frozenset(name for name, each in program.relations.items() if each.symmetric),
    )
