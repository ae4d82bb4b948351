"""Where each stored thing of a program lies in a state, and the constant values that it starts with."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from rulewright.program.board_geometry import ANGLE
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
from rulewright.program.types import GRID_STEPS, BagType, MapType, SetType, Type
from rulewright.runtime.geometry import inches_to_thousandths, normalize_angle, round_to_thousandths
from rulewright.runtime.values import GameMap, Value, make_set


def evaluate_constant(expression: Expression) -> Value:
    """The value of an expression that is written out (`checker.read_sets.is_written_out`).

    Raises:
        ValueError: the expression reads something.
    """
    match expression:
        case Literal(value=value):
            return value
        case WordLiteral(position=position):
            return position
        case Narrowed(operand=operand):
            return evaluate_constant(operand)
        case Negation(operand=operand):
            return -_require_number(evaluate_constant(operand))
        case Rounded(type=type_, operand=operand):
            return (normalize_angle if ANGLE in (type_, getattr(type_, "inner", None)) else round_to_thousandths)(
                _require_number(evaluate_constant(operand))
            )
        case Arithmetic(operator=operator, left=left, right=right):
            return _evaluate_arithmetic(
                operator, _require_number(evaluate_constant(left)), _require_number(evaluate_constant(right))
            )
        case Builtin(name="point", arguments=(x, y)):
            return inches_to_thousandths(_require_number(evaluate_constant(x))), inches_to_thousandths(
                _require_number(evaluate_constant(y))
            )
        case Builtin(name=name, arguments=parts) if name in GRID_STEPS:
            return tuple(map(evaluate_constant, parts))
        case MakeRecord(parts=parts) | MakeTuple(parts=parts):
            return tuple(map(evaluate_constant, parts))
        case MakeCollection(items=items, type=MapType()):
            return GameMap.from_pairs(evaluate_constant(items[0]))
        case MakeCollection(items=items, type=SetType()):
            return make_set(map(evaluate_constant, items))
        case MakeCollection(items=items):
            return tuple(map(evaluate_constant, items))
        case _:
            raise ValueError("not a constant")


def evaluate_start_value(expression: Expression, target: Type) -> Value:
    """The start value of a field of a type; that of a map is its default.

    Raises:
        ValueError: the expression reads something.
    """
    value = evaluate_constant(expression)
    match target:
        case MapType() if not isinstance(value, GameMap):
            return GameMap.from_pairs(value)
        case SetType():
            return make_set(_members_or_none(value))
        case BagType():
            return tuple(sorted(_members_or_none(value)))
        case _:
            return value


def _members_or_none(value: Value) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def _require_number(value: Value) -> int | Fraction:
    if isinstance(value, int | Fraction):
        return value
    raise ValueError("not a number")


def _evaluate_arithmetic(operator: str, left: int | Fraction, right: int | Fraction) -> int | Fraction:
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
class StateLayout:
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
        named = [group if group is not self.game else tuple(f"game/{item}" for item in group) for group in groups]
        return {name: number for group in named for number, name in enumerate(group)}

    @cached_property
    def kind_index(self) -> dict[str, int]:
        """The position of every kind."""
        return {name: number for number, name in enumerate(self.kinds)}


def build_state_layout(program: Program) -> StateLayout:
    """The layout of a program's states."""
    columns = {f"{kind.name}/{field.name}": field.type for kind in program.kinds.values() for field in kind.fields}
    cells = {f"{board.name}/{field.name}": field for board in program.boards.values() for field in board.fields}
    sides = {f"{board.name}/{side.name}": side for board in program.boards.values() for side in board.sides}
    placed = cells | sides
    types = columns | {f"game/{name}": field.type for name, field in program.game.items()}
    return StateLayout(
        kinds=tuple(program.kinds),
        columns=tuple(columns),
        game=tuple(program.game),
        cells=tuple(cells),
        sides=tuple(sides),
        relations=tuple(program.relations),
        types=types | {name: field.type for name, field in placed.items()},
        starts={name: evaluate_constant(field.start) for name, field in placed.items() if field.start is not None},
        symmetric=frozenset(name for name, relation in program.relations.items() if relation.symmetric),
    )
