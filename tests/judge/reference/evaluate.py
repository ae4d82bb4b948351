"""Values of expressions, straight from the manual: left to right, changing nothing, stopping when decided."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any

from reference import hexes, plane, plane_functions, spots
from reference.world import Env, Faulty, Unsupported, Wanted, World, unchanging
from rulewright.machine.values import Map, in_order, make_set
from rulewright.program import expressions as ex
from rulewright.program.declarations import Conditions, Decide, Function, Paths, Selection, Table, Tally, Value
from rulewright.program.rows import Cell, ConditionRow, DecideRow, TallyRow
from rulewright.program.types import (
    BagType,
    CellType,
    DeckType,
    DirectionType,
    InchesType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    PoolType,
    SetType,
    TupleType,
    Type,
)


def evaluate(world: World, env: Env, node: ex.Expression) -> Any:
    """The value of an expression."""

    def value(part: ex.Expression) -> Any:
        return evaluate(world, env, part)

    match node:
        case ex.Local():
            return env[node.variable.index]
        case ex.CallFunction():
            return call(world, world.program.functions[node.function], tuple(value(each) for each in node.arguments))
        case ex.Comparison():
            return _compared(node.operator, value(node.left), value(node.right))
        case ex.Literal():
            return node.value
        case ex.StoredAttribute():
            return world.game.attributes[f"{node.kind}/{node.name}"][value(node.target)]
        case ex.DerivedAttribute():
            return call(world, world.program.functions[node.function], (value(node.target),))
        case ex.Logical(operator="and"):
            return value(node.left) and value(node.right)
        case ex.Logical():
            return value(node.left) or value(node.right)
        case ex.Quantifier():
            return _quantified(world, env, node)
        case ex.Comprehension():
            return collect(
                node.type, [evaluate(world, inner, node.value) for _, inner in members(world, env, node.binding)]
            )
        case ex.InPlay():
            return tuple(each for each in world.ids(node.kind) if each not in world.game.gone[node.kind])
        case ex.GameField():
            return world.game.game[node.name]
        case ex.SettingValue():
            return world.start.base.settings[node.name]
        case ex.WordLiteral():
            return node.position
        case ex.Itself():
            return env[0]
        case ex.Removed():
            return tuple(sorted(world.game.gone[node.kind]))
        case ex.BoardCells():
            return tuple(sorted(world.start.base.boards[node.board]))
        case ex.Gone():
            return value(node.target) in world.game.gone[kind_of(node.target.type)]
        case ex.CellAttribute():
            entries = world.game.cells.get(f"{node.board}/{node.name}", {})
            return _stored(world, entries, value(node.target), node.board, node.name)
        case ex.SideAttribute():
            entries = world.game.sides.get(f"{node.board}/{node.name}", {})
            ends = tuple(sorted((value(node.first), value(node.second))))
            return _stored(world, entries, ends, node.board, node.name)
        case ex.Part():
            return value(node.target)[node.position]
        case ex.DieAttribute():
            roll, place = value(node.target)
            die = world.rolls[roll][place]
            return die.face if node.name == "natural" else getattr(die, node.name)
        case ex.MakeRecord() | ex.MakeTuple():
            return tuple(value(each) for each in node.parts)
        case ex.MakeCollection():
            return collect(node.type, [value(each) for each in node.items])
        case ex.TheOnly():
            found = [item for item, _ in members(world, env, node.binding)]
            if len(found) != 1:
                raise Faulty("RW0805")
            return found[0]
        case ex.Aggregate():
            return _aggregated(world, env, node)
        case ex.Entry():
            target, key = value(node.target), value(node.key)
            if isinstance(target, Map):
                if target[key] is None and not isinstance(node.type, OptionalType):
                    raise Faulty("RW0802")
                return target[key]
            if not 1 <= key <= len(target):
                raise Faulty("RW0806")
            return target[key - 1]
        case ex.RelationHolds():
            a, b = value(node.first), value(node.second)
            return related(world, node.relation, a, b)
        case ex.ExternalValue():
            return _external(world, node.external, tuple(value(each) for each in node.arguments))
        case ex.Builtin() if node.name in plane_functions.NAMES and (
            node.name != "distance" or isinstance(node.type, InchesType)
        ):
            return plane_functions.builtin(world, node, tuple(value(each) for each in node.arguments))
        case ex.PlaneAttribute(name="pose"):
            return plane.pose(world, node.kind, value(node.target))
        case ex.PlaneAttribute():
            return plane.inches(value(node.target)["xy".index(node.name)])
        case ex.Rounded():
            return plane.rounded(value(node.operand), node.type)
        case ex.Builtin():
            return _builtin(world, node, tuple(value(each) for each in node.arguments))
        case ex.Conditional():
            return value(node.then) if value(node.condition) else value(node.otherwise)
        case ex.Not():
            return not value(node.operand)
        case ex.Membership():
            item = value(node.item)
            inside = item in items(world, node.collection.type, value(node.collection))
            return inside != node.negated
        case ex.Interval():
            return tuple(range(value(node.low), value(node.high) + 1))
        case ex.Arithmetic():
            return _calculated(node.operator, value(node.left), value(node.right))
        case ex.Negation():
            return -value(node.operand)
        case ex.Joined():
            return _joined(node.type, node.operator, value(node.left), value(node.right))
        case ex.Narrowed():
            found = value(node.operand)
            if not fits(found, node.type):
                raise Faulty("RW0802" if found is None else "RW0801")
            return found
        case _:
            raise Unsupported(type(node).__name__)


# Members.


def kind_of(type_: Type) -> str:
    """The kind of a thing, or of a thing that may be none."""
    return kind_of(type_.inner) if isinstance(type_, OptionalType) else type_.kind  # type: ignore[union-attr]


def items(world: World, type_: Type, value: Any) -> list[Any]:
    """What a loop over a value visits."""
    match type_:
        case PoolType():
            return [(value, place) for place, die in enumerate(world.rolls[value]) if die.kept]
        case MapType():
            return list(value.keys())
        case _:
            return list(value)


def bound(env: Env, binding: ex.Binding, item: Any) -> Env:
    """The names inside a binding, with one member."""
    parts = (item,) if len(binding.variables) == 1 else item
    return env | {each.index: part for each, part in zip(binding.variables, parts, strict=True) if each is not None}


def members(world: World, env: Env, binding: ex.Binding) -> Iterator[tuple[Any, Env]]:
    """The members for which `where` holds, each with the names inside."""
    for item in items(world, binding.source.type, evaluate(world, env, binding.source)):
        inner = bound(env, binding, item)
        if binding.where is None or evaluate(world, inner, binding.where):
            yield item, inner


def collect(type_: Type, values: list[Any]) -> Any:
    """A collection of a type."""
    match type_:
        case SetType():
            return make_set(values)
        case BagType():
            return in_order(values)
        case MapType():
            return Map.of(values[0])
        case _:
            return tuple(values)


def _some_pose(world: World, env: Env, node: ex.Quantifier, thing: int) -> bool:
    """Whether a sample is a place, remembered for the same game and the same names."""
    where, asked = node.binding.where, (id(node), thing, repr(sorted(env.items())), repr(world.game))
    if asked not in world.sought:
        with unchanging(world, {}):
            tried = spots.samples(world, thing)
            found = where is None or any(_is_place(world, bound(env, node.binding, each), where) for each in tried)
        world.sought[asked] = found
    return world.sought[asked] if node.word == "some" else not world.sought[asked]


def _is_place(world: World, env: Env, where: ex.Expression) -> bool:
    """Whether conditions hold of a place; where they cannot be judged they do not."""
    try:
        return bool(evaluate(world, env, where))
    except Faulty:
        return False


def _quantified(world: World, env: Env, node: ex.Quantifier) -> bool:
    source = node.binding.source
    if isinstance(source, ex.Builtin) and source.name == "poses":
        return _some_pose(world, env, node, evaluate(world, env, source.arguments[0]))
    found = members(world, env, node.binding)
    match node.word:
        case "some":
            return any(True for _ in found)
        case "no":
            return not any(True for _ in found)
        case _:
            return all(evaluate(world, inner, node.body) for _, inner in found)  # type: ignore[arg-type]


def _aggregated(world: World, env: Env, node: ex.Aggregate) -> Any:
    values = [
        item if node.value is None else evaluate(world, inner, node.value)
        for item, inner in members(world, env, node.binding)
    ]
    match node.word:
        case "count":
            return len(values)
        case "sum":
            return sum(values)
        case word if values:
            return {"min": min, "max": max}[word](values)
        case _:
            raise Faulty("RW0807")


def related(world: World, relation: str, a: int, b: int) -> bool:
    """Whether a stored relation holds; not where one of the two is gone."""
    first, second = world.program.relations[relation].parameters
    gone = world.game.gone
    alive = a not in gone[kind_of(first.type)] and b not in gone[kind_of(second.type)]
    return alive and (a, b) in world.game.relations[relation]


def _stored(world: World, entries: dict[Any, Any], key: Any, board: str, name: str) -> Any:
    if key in entries:
        return entries[key]
    start = world.begins(board, name)
    return None if start is None else evaluate(world, {}, start)


# Operators.


def _compared(operator: str, left: Any, right: Any) -> bool:
    match operator:
        case "=":
            return bool(left == right)
        case "!=":
            return bool(left != right)
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case _:
            return bool(left >= right)


def _calculated(operator: str, left: Any, right: Any) -> Any:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    if right == 0:
        raise Faulty("RW0804")
    exact = Fraction(left) / Fraction(right)
    return int(exact) if exact.denominator == 1 else exact


def _joined(type_: Type, operator: str, left: Any, right: Any) -> Any:
    if isinstance(left, Map):
        if operator == "+":
            return Map.of(left.default, [(key, (right if key in right else left)[key]) for key in {*left, *right}])
        return Map.of(left.default, [(key, left[key]) for key in left if key not in right])
    if operator == "+":
        return collect(type_, [*left, *right])
    rest = list(left)
    for each in right:
        if each in rest:
            rest.remove(each)
    return collect(type_, rest)


def fits(value: Any, type_: Type) -> bool:
    """Whether a value belongs to a type."""
    match type_:
        case OptionalType():
            return value is None or fits(value, type_.inner)
        case NumberType():
            above = type_.low is None or (value is not None and value >= type_.low)
            return value is not None and above and (type_.high is None or value <= type_.high)
        case SetType() | ListType() | BagType() | DeckType():
            return all(fits(each, type_.item) for each in value)
        case MapType():
            return fits(value.default, type_.value) and all(
                fits(key, type_.key) and fits(value[key], type_.value) for key in value
            )
        case TupleType():
            return all(fits(part, each) for part, each in zip(value, type_.parts, strict=True))
        case _:
            return value is not None


# Functions.


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
            return evaluate(world, env, body.value)
        case Conditions() as body:
            return conditions(world, env, body)
        case Selection() as body:
            chosen = [
                item for item, inner in members(world, env, body.binding) if conditions(world, inner, body.conditions)
            ]
            return collect(function.type, chosen)
        case Tally() as body:
            return tally(world, env, body.running.index, evaluate(world, env, body.start), body.rows)
        case Decide() as body:
            return decide(world, env, body.rows)
        case Table() as body:
            for row in body.rows:
                if all(_matches(world, env, cell, value) for cell, value in zip(row.cells, arguments, strict=True)):
                    world.reached.add((row.address, "taken"))
                    return evaluate(world, env, row.result)
            raise Faulty("RW0816")
        case Paths() as body:
            return destinations(world, env, body, _grid(function.type))


def held(world: World, env: Env, row: ConditionRow) -> bool | None:
    """Whether a row holds; none where it is not judged."""
    if row.guard is not None and not evaluate(world, env, row.guard):
        return None
    found = bool(evaluate(world, env, row.condition))
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
            if row.guard is None or evaluate(world, inner, row.guard):
                value = _changed(row.change, value, evaluate(world, inner, row.amount))
                world.reached.add((row.address, "taken"))
    return value


def _rounds(world: World, env: Env, binding: ex.Binding) -> Iterator[Env]:
    return (inner for _, inner in members(world, env, binding))


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
        if row.guard is None or evaluate(world, env, row.guard):
            world.reached.add((row.address, "taken"))
            return evaluate(world, env, row.value)
    raise Faulty("RW0816")


def _matches(world: World, env: Env, cell: Cell, value: Any) -> bool:
    if cell.value is not None:
        return bool(value == evaluate(world, env, cell.value))
    low = cell.low is None or value >= evaluate(world, env, cell.low)
    return low and (cell.high is None or value <= evaluate(world, env, cell.high))


LONGEST_WAY = 40


def destinations(world: World, env: Env, body: Paths, space: str) -> tuple[Any, ...]:
    """Every cell where a way of at most that many moves can stop, all ways walked at once."""
    start = evaluate(world, env, body.start)
    stops = _stops(world, _moving(env, body, start, start, 0, 0), body)
    found = {start} if stops else set()
    under_way = {(start, 0)}
    for moves in range(1, LONGEST_WAY + 1):
        after = set()
        for left, spent in under_way:
            for entered in hexes.around(left, space):
                if entered not in world.start.base.boards[body.board]:
                    continue
                before = _moving(env, body, left, entered, spent, moves)
                cost = 1 if body.cost is None else tally(world, before, body.cost.running.index, 0, body.cost.rows)
                move = _moving(env, body, left, entered, spent + cost, moves)
                judged = {(row.word, held(world, move, row)) for row in body.rows if row.word != "end"}
                if ("enter", False) in judged:
                    continue
                stops = _stops(world, move, body)
                if stops or (stops is None and entered != start):
                    found.add(entered)
                if ("halt", True) not in judged:
                    after.add((entered, spent + cost))
        under_way = after
    return tuple(sorted(found))


def _moving(env: Env, body: Paths, left: Any, entered: Any, spent: int, moves: int) -> Env:
    names = (body.left, body.entered, body.spent, body.moves)
    return env | {each.index: value for each, value in zip(names, (left, entered, spent, moves), strict=True)}


def _stops(world: World, move: Env, body: Paths) -> bool | None:
    """Whether the `end` rows that are judged hold; none where no row is."""
    judged = {held(world, move, row) for row in body.rows if row.word == "end"} - {None}
    return judged == {True} if judged else None


def _grid(type_: Type) -> str:
    return type_.item.space  # type: ignore[union-attr]


def _external(world: World, name: str, arguments: tuple[Any, ...]) -> Any:
    table = world.start.base.tables.get(name, {})
    if arguments in table:
        return table[arguments]
    external = world.program.external_terms[name]
    if external.default is not None:
        return evaluate(
            world,
            {each.index: given for each, given in zip(external.parameters, arguments, strict=True)},
            external.default,
        )
    if (name, arguments) not in world.known:
        raise Wanted(name, arguments)
    return world.known[name, arguments]


# Functions of the language.


def _builtin(world: World, node: ex.Builtin, given: tuple[Any, ...]) -> Any:
    if node.name in _PLAIN:
        return _PLAIN[node.name](*given)
    if node.name in _DICE:
        return _DICE[node.name](world, *given)
    if node.name in _GRID:
        return _GRID[node.name](world, _space(node), *given)
    match node.name:
        case "along":
            words = world.program.values[node.type.values].words  # type: ignore[union-attr]
            return max(0, min(len(words) - 1, given[0] + given[1]))
        case "connected":
            return _connected(world, node, given[0])
        case "occupants":
            kind = kind_of(node.type.item)  # type: ignore[union-attr]
            places = world.game.attributes[f"{kind}/at"]
            return tuple(
                each for each, place in places.items() if place == given[0] and each not in world.game.gone[kind]
            )
        case _:
            raise Unsupported(node.name)


def _round(value: Any) -> int:
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(-value + Fraction(1, 2))


def _other(member: Any, pair: tuple[Any, ...]) -> Any:
    if len(pair) != 2 or member not in pair:
        raise Faulty("RW0817")
    return pair[1] if pair[0] == member else pair[0]


def _position(member: Any, row: tuple[Any, ...]) -> int:
    if member not in row:
        raise Faulty("RW0806")
    return row.index(member) + 1


def _starting_with(row: tuple[Any, ...], first: Any) -> tuple[Any, ...]:
    cut = row.index(first) if first in row else 0
    return row[cut:] + row[:cut]


_PLAIN: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "sign": lambda n: (n > 0) - (n < 0),
    "floor": floor,
    "ceiling": ceil,
    "round": _round,
    "min": lambda *given: min(given),
    "max": lambda *given: max(given),
    "pairs": lambda left, right: tuple(product(left, right)),
    "other": _other,
    "position": _position,
    "starting_with": _starting_with,
    "hex": lambda q, r: (q, r),
    "square": lambda x, y: (x, y),
    "square8": lambda x, y: (x, y),
}


def _total(world: World, dice: Any) -> Any:
    if isinstance(dice, tuple):
        return world.rolls[dice[0]][dice[1]].face
    return sum(die.face for die in world.rolls[dice] if die.kept)


_DICE: dict[str, Callable[..., Any]] = {
    "total": _total,
    "highest_face": lambda world, die: max(world.rolls[die[0]][die[1]].faces),
}


def _space(node: ex.Builtin) -> str:
    types = [node.type, *(each.type for each in node.arguments)]
    types += [each.item for each in types if isinstance(each, SetType)]
    return next((each.space for each in types if isinstance(each, CellType | DirectionType)), "hex")


def _near(world: World, space: str, cell: Any) -> tuple[Any, ...]:
    return tuple(sorted(each for each in hexes.around(cell, space) if world.on_board(each)))


def _rear(world: World, space: str, cell: Any, facing: int) -> tuple[Any, ...]:
    return tuple(sorted(each for each in hexes.behind(cell, facing, space) if world.on_board(each)))


def _direction(_world: World, space: str, a: Any, b: Any) -> int:
    if a == b:
        raise Faulty("RW0806")
    return hexes.direction(a, b, space)


_GRID: dict[str, Callable[..., Any]] = {
    "neighbours": _near,
    "rear_hexes": _rear,
    "direction": _direction,
    "distance": lambda _world, space, a, b: hexes.distance(a, b, space),
    "adjacent": lambda _world, space, a, b: hexes.distance(a, b, space) == 1,
    "directions": lambda _world, space: tuple(range(len(hexes.STEPS[space]))),
    "step": lambda _world, space, cell, heading: hexes.step(cell, heading, space),
    "toward": lambda _world, space, a, b: tuple(
        sorted(each for each in hexes.around(a, space) if hexes.distance(each, b, space) < hexes.distance(a, b, space))
    ),
}


def _connected(world: World, node: ex.Builtin, start: int) -> tuple[int, ...]:
    kind = kind_of(node.arguments[0].type)
    alive = [each for each in world.ids(kind) if each not in world.game.gone[kind]]
    found = {start}
    while True:
        more = {each for each in alive if any(_linked(world, node.relation, here, each) for here in found)} - found
        if not more:
            return tuple(sorted(found))
        found |= more


def _linked(world: World, relation: str, a: int, b: int) -> bool:
    if relation in world.program.relations:
        return related(world, relation, a, b)
    return bool(call(world, world.program.functions[relation], (a, b)))
