"""Where values come from: whether things are in play and cells are on the board, and which collections hold a member.

Whether something is in play or on the board is none where nothing says so, else what it takes for granted:
`entry/<index>` for a parameter of the procedure that was in play when the procedure began, as its callers have to show.
"""

from collections.abc import Callable, Iterable, Iterator

from rulewright.analysis.facts.bounds import value_of, values_of
from rulewright.analysis.facts.knowledge import Facts, Key, Sources, claim, key
from rulewright.analysis.facts.opening import DEEPEST, instead, opened, selected, selecting
from rulewright.program import expressions as ex
from rulewright.program.conditions import is_none
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import FLAG, CellType, ListType, ThingType, Type, present

Granted = Sources | None
_Judge = Callable[[Facts, Expression, int], Granted]
SURELY: Sources = frozenset()


def gone(thing: Expression) -> ex.Gone:
    """The condition that a thing is out of play."""
    return ex.Gone(type=FLAG, span=thing.span, target=thing)


def playing(thing: Expression) -> Key:
    """The key of what is known of a thing that is in play by where it comes from."""
    return ("in play", key(thing))


def standing(cell: Expression) -> Key:
    """The key of what is known of a cell that is on the board."""
    return ("on the board", key(cell))


def all_playing(collection: Expression) -> Key:
    """The key of what is known of a collection all of whose members are in play."""
    return ("all in play", key(collection))


def all_standing(collection: Expression) -> Key:
    """The key of what is known of a collection all of whose members are on the board."""
    return ("all on the board", key(collection))


def is_thing(type_: Type) -> bool:
    """Whether it is a thing, or perhaps none."""
    return isinstance(present(type_), ThingType)


def is_cell(type_: Type) -> bool:
    """Whether it is a cell, or perhaps none."""
    return isinstance(present(type_), CellType)


def in_play(facts: Facts, thing: Expression, depth: int = 0) -> Granted:
    """Whether a thing is surely in play; of none nothing false can be said."""
    if depth > DEEPEST:
        return None
    said = claim(gone(thing))
    known = facts.truths.get(said.key)
    if known is not None:
        return None if known[0] is said.truth else _granted(known[1])
    if is_none(thing) or kind_of(thing) in facts.numbers:
        return SURELY
    found = facts.truths.get(playing(thing))
    return _granted(found[1]) if found is not None else _from_others(facts, thing, depth, (in_play, members_in_play))


def _granted(sources: Sources) -> Sources:
    return frozenset(each for each in sources if each.startswith("entry/"))


def kind_of(thing: Expression) -> str:
    """The kind of a thing, or of what is perhaps none."""
    type_ = present(thing.type)
    return type_.kind if isinstance(type_, ThingType) else ""


def on_board(facts: Facts, cell: Expression, depth: int = 0) -> Granted:
    """Whether a cell is surely on the board; where something stands always is."""
    if depth > DEEPEST:
        return None
    known = facts.truths.get(standing(cell))
    if known is not None:
        return _granted(known[1])
    if is_none(cell) or (isinstance(cell, ex.StoredAttribute) and cell.name == "at"):
        return SURELY
    return _from_others(facts, cell, depth, (on_board, members_on_board))


def _from_others(facts: Facts, value: Expression, depth: int, judges: tuple[_Judge, _Judge]) -> Granted:  # noqa: PLR0911 - one case for each sort
    """What holds of a value that comes from others: of all it may be, or of the members of which it is one."""
    one, members = judges
    match value:
        case ex.Local():
            found = values_of(facts, value)
            return None if found[0] is value else every(one(facts, each, depth + 1) for each in found)
        case ex.Narrowed(operand=operand):
            return one(facts, operand, depth + 1)
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            said = claim(condition)
            known = facts.truths.get(said.key)
            ways = (then, otherwise) if known is None else (then if known[0] is said.truth else otherwise,)
            return every(one(facts, each, depth + 1) for each in ways)
        case ex.Builtin(name="other", arguments=(_, source)):
            return members(facts, source, depth + 1)
        case ex.TheOnly(binding=binding) if len(binding.variables) == 1:
            return members(facts, binding.source, depth + 1)
        case ex.Entry(target=target):
            return members(facts, target, depth + 1)
        case ex.CallFunction() | ex.DerivedAttribute():
            body = opened(value, facts.functions, depth + 1)
            return one(facts, body.value, depth + 1) if body is not None and body.value is not None else None
        case _:
            return None


def every(found: Iterable[Granted]) -> Granted:
    """What all of some take for granted together."""
    whole: Sources = SURELY
    for each in found:
        if each is None:
            return None
        whole |= each
    return whole


def members_in_play(facts: Facts, collection: Expression, depth: int = 0) -> Granted:
    """Whether all members of a collection are surely in play."""
    known = facts.truths.get(all_playing(collection))
    if known is not None:
        return _granted(known[1])
    match collection:
        case ex.InPlay() | ex.Builtin(name="occupants"):
            return SURELY
        case ex.Builtin(name="connected", arguments=(start,), relation=relation) if relation not in facts.functions:
            return in_play(facts, start, depth + 1)
        case _:
            return _all_of(facts, collection, depth, (in_play, members_in_play))


def members_on_board(facts: Facts, collection: Expression, depth: int = 0) -> Granted:
    """Whether all members of a collection are surely on the board."""
    known = facts.truths.get(all_standing(collection))
    if known is not None:
        return _granted(known[1])
    match collection:
        case ex.BoardCells() | ex.Builtin(name="neighbours" | "rear_hexes"):
            return SURELY
        case _:
            return _all_of(facts, collection, depth, (on_board, members_on_board))


def _all_of(facts: Facts, collection: Expression, depth: int, judges: tuple[_Judge, _Judge]) -> Granted:  # noqa: PLR0911 - one case for each sort
    if depth > DEEPEST:
        return None
    one, members = judges
    match collection:
        case ex.MakeCollection(items=items):
            return every(one(facts, each, depth + 1) for each in items)
        case ex.Comprehension(binding=binding, value=ex.Local(variable=variable)) if (variable,) == binding.variables:
            return members(facts, binding.source, depth + 1)
        case ex.Joined(operator="+", left=left, right=right) | ex.Conditional(then=left, otherwise=right):
            return every(members(facts, each, depth + 1) for each in (left, right))
        case ex.Joined(left=left):
            return members(facts, left, depth + 1)
        case ex.Builtin(name="starting_with" | "in some order", arguments=(source, _)):
            return members(facts, source, depth + 1)
        case ex.Local() if (value := value_of(facts, collection)) is not collection:
            return members(facts, value, depth + 1)
        case ex.CallFunction() | ex.DerivedAttribute():
            found = (members(facts, each, depth + 1) for each in _made_of(facts, collection, depth))
            return next((each for each in found if each is not None), None)
        case _:
            return None


def _made_of(facts: Facts, call: Expression, depth: int) -> Iterator[Expression]:
    """The collections that hold all that a function gives."""
    body = opened(call, facts.functions, depth + 1)
    if body is not None and body.value is not None:
        yield body.value
    source = selected(call, facts.functions, depth + 1)
    if source is not None:
        yield source


def entering(thing: Expression) -> dict[Key, tuple[bool, Sources]]:
    """What is known of a parameter that was in play or on the board when its procedure began."""
    if not isinstance(thing, ex.Local):
        return {}
    own = frozenset({f"local/{thing.variable.index}", f"entry/{thing.variable.index}"})
    if is_thing(thing.type):
        return {playing(thing): (True, own | {f"{kind_of(thing)}/gone"})}
    return {standing(thing): (True, own)} if is_cell(thing.type) else {}


def wider_than(facts: Facts, collection: Expression, depth: int = 0) -> tuple[Expression, ...]:  # noqa: PLR0911 - one case for each sort
    """The collections that hold every member of one, the nearest first, without itself."""
    if depth > DEEPEST:
        return ()
    match collection:
        case ex.Comprehension(binding=binding, value=ex.Local(variable=variable)) if (variable,) == binding.variables:
            return _up(facts, binding.source, depth)
        case ex.CallFunction() | ex.DerivedAttribute():
            body = opened(collection, facts.functions, depth + 1)
            source = body.value if body is not None else selected(collection, facts.functions, depth + 1)
            return () if source is None else _up(facts, source, depth)
        case ex.Joined(operator="+", left=left, right=right):
            first, second = _up(facts, left, depth), {key(each) for each in _up(facts, right, depth)}
            return tuple(each for each in first if key(each) in second)
        case ex.Joined(left=left):
            return _up(facts, left, depth)
        case ex.Builtin(name="starting_with" | "in some order" | "sorted", arguments=(source, *_)):
            return _up(facts, source, depth)
        case ex.MakeCollection(items=(item,)):
            return _of_member(facts, item, depth)
        case ex.Local() if (value := value_of(facts, collection)) is not collection:
            return _up(facts, value, depth)
        case _:
            return ()


def _up(facts: Facts, collection: Expression, depth: int) -> tuple[Expression, ...]:
    return (collection, *wider_than(facts, collection, depth + 1))


def _of_member(facts: Facts, item: Expression, depth: int) -> tuple[Expression, ...]:
    """The collections that hold one member."""
    value = value_of(facts, item)
    if isinstance(value, ex.Entry) and isinstance(value.target.type, ListType):
        return _up(facts, value.target, depth)
    return ()


def told_of_members(facts: Facts, collection: Expression, item: Expression) -> Iterator[Expression]:
    """What a collection says of each of its members by how it is made, said of one."""
    for depth, each in enumerate((collection, *wider_than(facts, collection))):
        match value_of(facts, each):
            case ex.Comprehension(
                binding=Binding(variables=(Variable() as member,), where=where), value=ex.Local() as value
            ) if where is not None and value.variable == member:
                yield instead(where, member, item)
            case ex.CallFunction() as call:
                yield from selecting(call, facts.functions, item, depth + 1)
            case _:
                pass


def middle_of(facts: Facts, collection: Expression) -> Expression | None:
    """The cell beside which all cells of a collection lie, so that it is none of them."""
    for each in (collection, *wider_than(facts, collection)):
        if isinstance(each, ex.Builtin) and each.name in {"neighbours", "rear_hexes"}:
            return each.arguments[0]
    return None
