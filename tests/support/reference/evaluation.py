"""Values of expressions, straight from the manual: left to right, changing nothing, stopping when decided."""

from collections.abc import Iterator
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.types import LengthType, MapType, OptionalType, PoolType, Type
from rulewright.runtime.values import GameMap
from support.reference import functions, language_functions, plane_functions, plane_geometry, pose_samples
from support.reference.operators import calculate_number, compare_values, fits_type, join_collections, make_collection
from support.reference.world import Env, JudgedFault, MissingExternalValue, UnsupportedByJudge, World, remember_calls


def evaluate(world: World, env: Env, node: ex.Expression) -> Any:
    """The value of an expression."""
    if node.__class__ is ex.Local:
        return env[node.variable.index]
    if node.__class__ is ex.Literal:
        return node.value

    def value(part: ex.Expression) -> Any:
        return evaluate(world, env, part)

    match node:
        case ex.CallFunction():
            arguments = tuple(value(each) for each in node.arguments)
            return functions.call_function(world, world.program.functions[node.function], arguments)
        case ex.Comparison():
            return compare_values(node.operator, value(node.left), value(node.right))
        case ex.StoredAttribute():
            return world.game.attributes[f"{node.kind}/{node.name}"][value(node.target)]
        case ex.DerivedAttribute():
            return functions.call_function(world, world.program.functions[node.function], (value(node.target),))
        case ex.Logical(operator="and"):
            return value(node.left) and value(node.right)
        case ex.Logical():
            return value(node.left) or value(node.right)
        case ex.Quantifier():
            return _evaluate_quantifier(world, env, node)
        case ex.Comprehension():
            return make_collection(
                node.type,
                [evaluate(world, inner, node.value) for _, inner in list_bound_members(world, env, node.binding)],
            )
        case ex.InPlay():
            return tuple(each for each in world.list_ids(node.kind) if each not in world.game.gone[node.kind])
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
            return value(node.target) in world.game.gone[get_kind(node.target.type)]
        case ex.CellAttribute():
            entries = world.game.cells.get(f"{node.board}/{node.name}", {})
            return _read_stored_entry(world, entries, value(node.target), node.board, node.name)
        case ex.SideAttribute():
            entries = world.game.sides.get(f"{node.board}/{node.name}", {})
            ends = tuple(sorted((value(node.first), value(node.second))))
            return _read_stored_entry(world, entries, ends, node.board, node.name)
        case ex.Part():
            return value(node.target)[node.position]
        case ex.DieAttribute():
            roll, place = value(node.target)
            die = world.rolls[roll][place]
            return die.face if node.name == "natural" else getattr(die, node.name)
        case ex.MakeRecord() | ex.MakeTuple():
            return tuple(value(each) for each in node.parts)
        case ex.MakeCollection():
            return make_collection(node.type, [value(each) for each in node.items])
        case ex.TheOnly():
            found = [item for item, _ in list_bound_members(world, env, node.binding)]
            if len(found) != 1:
                raise JudgedFault("RW0805")
            return found[0]
        case ex.Aggregate():
            return _evaluate_aggregate(world, env, node)
        case ex.Entry():
            target, key = value(node.target), value(node.key)
            if isinstance(target, GameMap):
                if target[key] is None and not isinstance(node.type, OptionalType):
                    raise JudgedFault("RW0802")
                return target[key]
            if not 1 <= key <= len(target):
                raise JudgedFault("RW0806")
            return target[key - 1]
        case ex.RelationHolds():
            a, b = value(node.first), value(node.second)
            return are_related(world, node.relation, a, b)
        case ex.ExternalValue():
            return _read_external_value(world, node.external, tuple(value(each) for each in node.arguments))
        case ex.Builtin() if node.name in plane_functions.PLANE_FUNCTION_NAMES and (
            node.name != "distance" or isinstance(node.type, LengthType)
        ):
            return plane_functions.call_plane_function(world, node, tuple(value(each) for each in node.arguments))
        case ex.PlaneAttribute(name="pose"):
            return plane_geometry.get_pose(world, node.kind, value(node.target))
        case ex.PlaneAttribute():
            return plane_geometry.make_inches(value(node.target)["xy".index(node.name)])
        case ex.Rounded():
            return plane_geometry.round_to_type(value(node.operand), node.type)
        case ex.Builtin():
            return language_functions.call_language_function(world, node, tuple(value(each) for each in node.arguments))
        case ex.Conditional():
            return value(node.then) if value(node.condition) else value(node.otherwise)
        case ex.Not():
            return not value(node.operand)
        case ex.Membership():
            item = value(node.item)
            inside = item in list_items(world, node.collection.type, value(node.collection))
            return inside != node.negated
        case ex.Interval():
            return tuple(range(value(node.low), value(node.high) + 1))
        case ex.Arithmetic():
            return calculate_number(node.operator, value(node.left), value(node.right))
        case ex.Negation():
            return -value(node.operand)
        case ex.Joined():
            return join_collections(node.type, node.operator, value(node.left), value(node.right))
        case ex.Narrowed():
            found = value(node.operand)
            if not fits_type(found, node.type):
                raise JudgedFault("RW0802" if found is None else "RW0801")
            return found
        case _:
            raise UnsupportedByJudge(type(node).__name__)


def get_kind(type_: Type) -> str:
    """The kind of a thing, or of a thing that may be none."""
    return get_kind(type_.inner) if isinstance(type_, OptionalType) else type_.kind  # type: ignore[union-attr]


def list_items(world: World, type_: Type, value: Any) -> list[Any]:
    """What a loop over a value visits."""
    match type_:
        case PoolType():
            return [(value, place) for place, die in enumerate(world.rolls[value]) if die.kept]
        case MapType():
            return list(value.keys())
        case _:
            return list(value)


def bind_member(env: Env, binding: ex.Binding, item: Any) -> Env:
    """The names inside a binding, with one member."""
    parts = (item,) if len(binding.variables) == 1 else item
    return env | {each.index: part for each, part in zip(binding.variables, parts, strict=True) if each is not None}


def list_bound_members(world: World, env: Env, binding: ex.Binding) -> Iterator[tuple[Any, Env]]:
    """The members for which `where` holds, each with the names inside."""
    for item in list_items(world, binding.source.type, evaluate(world, env, binding.source)):
        inner = bind_member(env, binding, item)
        if binding.where is None or evaluate(world, inner, binding.where):
            yield item, inner


def _find_pose(world: World, env: Env, node: ex.Quantifier, thing: int) -> bool:
    """Whether a sample is a place, remembered for the same game and the same names."""
    where, asked = node.binding.where, (id(node), thing, repr(sorted(env.items())), repr(world.game))
    if asked not in world.sought:
        with remember_calls(world, {}):
            tried = pose_samples.list_pose_samples(world, thing)
            found = where is None or any(
                _is_place(world, bind_member(env, node.binding, each), where) for each in tried
            )
        world.sought[asked] = found
    return world.sought[asked] if node.word == "some" else not world.sought[asked]


def _is_place(world: World, env: Env, where: ex.Expression) -> bool:
    """Whether conditions hold of a place; where they cannot be judged they do not."""
    try:
        return bool(evaluate(world, env, where))
    except JudgedFault:
        return False


def _evaluate_quantifier(world: World, env: Env, node: ex.Quantifier) -> bool:
    source = node.binding.source
    if isinstance(source, ex.Builtin) and source.name == "poses":
        return _find_pose(world, env, node, evaluate(world, env, source.arguments[0]))
    found = list_bound_members(world, env, node.binding)
    match node.word:
        case "some":
            return any(True for _ in found)
        case "no":
            return not any(True for _ in found)
        case _:
            return all(evaluate(world, inner, node.body) for _, inner in found)  # type: ignore[arg-type]


def _evaluate_aggregate(world: World, env: Env, node: ex.Aggregate) -> Any:
    values = [
        item if node.value is None else evaluate(world, inner, node.value)
        for item, inner in list_bound_members(world, env, node.binding)
    ]
    match node.word:
        case "count":
            return len(values)
        case "sum":
            return sum(values)
        case word if values:
            return {"min": min, "max": max}[word](values)
        case _:
            raise JudgedFault("RW0807")


def are_related(world: World, relation: str, a: int, b: int) -> bool:
    """Whether a stored relation holds; not where one of the two is gone."""
    first, second = world.program.relations[relation].parameters
    gone = world.game.gone
    alive = a not in gone[get_kind(first.type)] and b not in gone[get_kind(second.type)]
    return alive and (a, b) in world.game.relations[relation]


def _read_stored_entry(world: World, entries: dict[Any, Any], key: Any, board: str, name: str) -> Any:
    if key in entries:
        return entries[key]
    start = world.get_start_value(board, name)
    return None if start is None else evaluate(world, {}, start)


def _read_external_value(world: World, name: str, arguments: tuple[Any, ...]) -> Any:
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
        raise MissingExternalValue(name, arguments)
    return world.known[name, arguments]
