"""States of a play as immutable values: start, moment, their layout and their differences."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from rulewright.base.frozen import dataclass
from rulewright.program.board_geometry import ANGLE, AXIAL
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
from rulewright.program.types import FLAG, GRID_STEPS, INCHES, BagType, MapType, SetType, Type
from rulewright.runtime.geometry import inches_to_thousandths, normalize_angle, round_to_thousandths
from rulewright.runtime.request import StateChange
from rulewright.runtime.values import Cell, GameMap, Value, make_set


def evaluate_constant(expression: Expression) -> Value:
    """Value of a constant expression (`checker.read_sets.is_written_out`).

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
    """Start value of a field of a type; for a map its default.

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


@dataclasses.dataclass(frozen=True)
class StateLayout:
    """Names of the parts of a state, in the order in which a state holds them."""

    kinds: tuple[str, ...]
    columns: tuple[str, ...]  # stored attributes, `Kind/name`
    game: tuple[str, ...]
    cells: tuple[str, ...]  # attributes of cells, `board/name`
    sides: tuple[str, ...]  # attributes of sides, `board/name`
    relations: tuple[str, ...]
    types: dict[str, Type]  # type of every column, game field (`game/name`), cell and side attribute
    starts: dict[str, Value]  # start value of every cell and side attribute
    symmetric: frozenset[str]

    @cached_property
    def index(self) -> dict[str, int]:
        """Position of every column, game field, cell and side attribute and relation in its group."""
        groups = (self.columns, self.game, self.cells, self.sides, self.relations)
        named = [group if group is not self.game else tuple(f"game/{item}" for item in group) for group in groups]
        return {name: number for group in named for number, name in enumerate(group)}

    @cached_property
    def kind_index(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.kinds)}


def build_state_layout(program: Program) -> StateLayout:
    """Layout of the states of a program."""
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


CONTACT_TOLERANCES = {INCHES: 10, "cm": 25, "mm": 250}
"""Default tolerance of contact between bases, in thousandths of the unit of the board."""


@dataclass(frozen=True, slots=True)
class Plane:
    """The board of the plane in a state, in thousandths of its unit."""

    width: int | None = None  # extent of the board from 0 along x, none: unbounded
    depth: int | None = None  # along y
    contact: int = CONTACT_TOLERANCES[INCHES]  # greatest distance of bases in contact


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class GameSetup:
    """The constant part of a play, shared by all its states and compared by identity."""

    things: Mapping[str, tuple[str, ...]]  # ids of every kind, `player` included; a thing's number is its position here
    boards: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)  # cells of every board, in order
    settings: Mapping[str, Value] = field(default_factory=dict)
    # scripted external terms: name, arguments, value
    tables: Mapping[str, Mapping[tuple[Value, ...], Value]] = field(default_factory=dict)
    plane: Plane = field(default_factory=Plane)  # extent and contact of the board of the plane
    # notation of hexes in `program.board_geometry.COORDINATE_SYSTEMS`; stored as axial coordinates
    coordinates: str = AXIAL


@dataclass(frozen=True, slots=True)
class Situation:
    """A start of a play."""

    base: GameSetup  # ids, boards, settings
    # values of every stored attribute, by `Kind/name`, in the order of the things' numbers
    attributes: Mapping[str, tuple[Value, ...]]
    # numbers of things out of play, by kind; a kind may be missing
    gone: Mapping[str, frozenset[int]] = field(default_factory=dict)
    game: Mapping[str, Value] = field(default_factory=dict)
    # attributes of cells, by `board/name`; cells at the start value may be missing
    cells: Mapping[str, Mapping[Cell, Value]] = field(default_factory=dict)
    # attributes of sides, by `board/name` and pair of cells in order; likewise
    sides: Mapping[str, Mapping[tuple[Cell, Cell], Value]] = field(default_factory=dict)
    # pairs of every stored relation; of a symmetric one, either order
    relations: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FrozenFrame:
    """A running call, window or settling."""

    block: int  # block to continue at
    slots: tuple[Any, ...]  # calling line, variables, cursors of loops


class PendingRequest(NamedTuple):
    """The request that waits for an answer."""

    site: int  # number of the source point that asks; -1 for the value of an external term
    player: int | None  # who is asked; none for nobody in the game
    data: Any  # what the request was computed from; its form depends on the sort


@dataclass(frozen=True, slots=True)
class State:
    """A play at one moment.

    Equal states behave alike: work done so far and the start are not compared.
    """

    layout: StateLayout = field(repr=False, compare=False)
    base: GameSetup = field(repr=False)  # ids, boards, settings
    columns: tuple[tuple[Value, ...], ...]  # a tuple for every stored attribute, by thing number
    gone: tuple[tuple[bool, ...], ...]  # flags of every kind, by thing number
    game: tuple[Value, ...]
    # for every cell attribute its entries off the start value, by cell
    cells: tuple[tuple[tuple[Cell, Value], ...], ...]
    sides: tuple[tuple[tuple[tuple[Cell, Cell], Value], ...], ...]  # the same for sides
    # sorted pairs; of a symmetric relation each pair once, lower number first
    relations: tuple[tuple[tuple[int, int], ...], ...]
    rolls: tuple[Any, ...] = ()  # rolls in use
    frames: tuple[FrozenFrame, ...] = ()  # outermost first; empty if nothing runs
    unsettled: int = -1  # bits of standing rules and invariants to be tested at the next settling
    quiet: int = 0  # nesting depth of blocks without settling
    pending: PendingRequest | None = None
    # answers for external terms, valid until the game changes
    known: tuple[tuple[tuple[str, tuple[Value, ...]], Value], ...] = ()
    # numbers of standing rules held, with the position of the frame that holds them
    held: tuple[tuple[tuple[int, ...], int], ...] = ()
    watching: tuple[tuple[int, int], ...] = ()  # active watches with the positions of their frames
    # windows of removals deferred to the end of `together`: event, line, thing
    removals: tuple[tuple[str, int, int], ...] = ()
    together: int = 0  # nesting depth of `together`
    told: int = 0  # of an event that is told to watches, how many were told, and one more; 0 if none is
    work: int = field(default=0, compare=False)  # lines and rounds run so far
    visited: int = field(default=0, compare=False)  # members visited and calls made so far
    made: int = field(default=0, compare=False)  # the size of all values made so far
    origin: Situation | None = field(default=None, compare=False, repr=False)  # the start, restored by a fault

    def get_attribute(self, name: str, thing: int) -> Value:
        """Value of a stored attribute, by `Kind/name` and thing number."""
        return self.columns[self.layout.index[name]][thing]

    def is_gone(self, kind: str, thing: int) -> bool:
        """Whether a thing is out of play."""
        return self.gone[self.layout.kind_index[kind]][thing]

    def extract_situation(self) -> Situation:
        """The game alone, without frames: a start equal to this moment."""
        layout = self.layout
        return Situation(
            self.base,
            dict(zip(layout.columns, self.columns, strict=True)),
            {
                kind: frozenset(number for number, out in enumerate(flags) if out)
                for kind, flags in zip(layout.kinds, self.gone, strict=True)
            },
            dict(zip(layout.game, self.game, strict=True)),
            {name: dict(entries) for name, entries in zip(layout.cells, self.cells, strict=True)},
            {name: dict(entries) for name, entries in zip(layout.sides, self.sides, strict=True)},
            dict(zip(layout.relations, self.relations, strict=True)),
        )


def make_initial_state(situation: Situation, layout: StateLayout) -> State:
    """State of a start, nothing running."""
    base = situation.base
    return State(
        layout=layout,
        base=base,
        columns=tuple(tuple(situation.attributes[name]) for name in layout.columns),
        gone=tuple(
            tuple(number in situation.gone.get(kind, ()) for number in range(len(base.things.get(kind, ()))))
            for kind in layout.kinds
        ),
        game=tuple(situation.game[name] for name in layout.game),
        cells=tuple(
            _entries_off_start(situation.cells.get(name, {}), layout.starts.get(name)) for name in layout.cells
        ),
        sides=tuple(
            _entries_off_start(situation.sides.get(name, {}), layout.starts.get(name)) for name in layout.sides
        ),
        relations=tuple(
            normalize_pairs(situation.relations.get(name, ()), symmetric=name in layout.symmetric)
            for name in layout.relations
        ),
        origin=situation,
    )


def _entries_off_start(entries: Any, start: Value) -> tuple[Any, ...]:
    return tuple(sorted((key, value) for key, value in entries.items() if value != start))


def normalize_pairs(pairs: Iterable[tuple[int, int]], *, symmetric: bool) -> tuple[tuple[int, int], ...]:
    """Pairs of a relation as a state holds them: sorted; of a symmetric one the lower number first."""
    return tuple(sorted({(min(pair), max(pair)) if symmetric else pair for pair in pairs}))


def list_changes(before: State, after: State) -> tuple[StateChange, ...]:
    """Differences of the game: by attribute, then thing; then gone things; game, cells, sides, relations."""
    layout = after.layout
    return (
        *_list_column_changes(layout, layout.columns, before.columns, after.columns),
        *_list_column_changes(layout, tuple(f"{kind}/gone" for kind in layout.kinds), before.gone, after.gone),
        *(
            StateChange(f"game/{name}", None, old, new, _layout_type(layout, f"game/{name}"))
            for name, old, new in zip(layout.game, before.game, after.game, strict=True)
            if old != new
        ),
        *_list_table_changes(layout, layout.cells, before.cells, after.cells),
        *_list_table_changes(layout, layout.sides, before.sides, after.sides),
        *_list_relation_changes(layout, before, after),
    )


def _list_column_changes(layout: StateLayout, names: tuple[str, ...], before: Any, after: Any) -> list[StateChange]:
    return [
        StateChange(name, number, old, new, _layout_type(layout, name))
        for name, olds, news in zip(names, before, after, strict=True)
        for number, (old, new) in enumerate(zip(olds, news, strict=True))
        if old != new
    ]


def _list_table_changes(layout: StateLayout, names: tuple[str, ...], before: Any, after: Any) -> list[StateChange]:
    result: list[StateChange] = []
    for name, olds, news in zip(names, before, after, strict=True):
        old, new, start = dict(olds), dict(news), layout.starts.get(name)
        result += [
            StateChange(name, key, old.get(key, start), new.get(key, start), _layout_type(layout, name))
            for key in sorted(old.keys() | new.keys())
            if old.get(key, start) != new.get(key, start)
        ]
    return result


def _list_relation_changes(layout: StateLayout, before: State, after: State) -> list[StateChange]:
    return [
        StateChange(name, pair, pair in olds, pair in news, FLAG)
        for name, olds, news in zip(layout.relations, before.relations, after.relations, strict=True)
        for pair in sorted(set(olds) ^ set(news))
    ]


def _layout_type(layout: StateLayout, name: str) -> Type:
    return layout.types.get(name, FLAG)


_GAME_FIELDS = ("columns", "gone", "game", "cells", "sides", "relations")


def encode_game(state: State) -> dict[str, Any]:
    """The game of a state as JSON data (objects, lists, numbers, texts, flags, null).

    What runs, and how far it came, is left out: it is found again by a replay, also by a later version.
    """
    return {"base": _encode_setup(state.base)} | {name: _encode_value(getattr(state, name)) for name in _GAME_FIELDS}


def _encode_setup(base: GameSetup) -> dict[str, Any]:
    return {
        "things": {kind: list(ids) for kind, ids in base.things.items()},
        "boards": {board: _encode_value(cells) for board, cells in base.boards.items()},
        "settings": {name: _encode_value(value) for name, value in base.settings.items()},
        "tables": {name: _encode_pairs(table) for name, table in base.tables.items()},
        "plane": [base.plane.width, base.plane.depth, base.plane.contact],
        "coordinates": base.coordinates,
    }


def _encode_pairs(entries: Mapping[Any, Value]) -> list[list[Any]]:
    return [[_encode_value(key), _encode_value(value)] for key, value in entries.items()]


def _encode_value(value: Any) -> Any:
    match value:
        case tuple():
            return [_encode_value(item) for item in value]
        case GameMap():
            return {
                "map": _encode_value(value.default),
                "entries": [[_encode_value(key), _encode_value(of)] for key, of in value.items()],
            }
        case Fraction():
            return {"fraction": [value.numerator, value.denominator]}
        case _:
            return value
