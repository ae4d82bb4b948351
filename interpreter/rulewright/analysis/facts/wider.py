"""Collections that hold all members of another, by how it is made, and the cell in whose midst cells lie."""

from collections.abc import Iterator

from rulewright.analysis.facts.bounds import value_of
from rulewright.analysis.facts.keys import key
from rulewright.analysis.facts.knowledge import Facts
from rulewright.analysis.facts.opening import DEEPEST, instead, opened, selected, selecting
from rulewright.program.expressions import (
    Binding,
    Builtin,
    CallFunction,
    Comprehension,
    DerivedAttribute,
    Entry,
    Expression,
    Joined,
    Local,
    MakeCollection,
    Variable,
)
from rulewright.program.types import ListType

_AROUND = frozenset({"neighbours", "rear_hexes", "toward"})


def wider_than(facts: Facts, collection: Expression, depth: int = 0) -> tuple[Expression, ...]:  # noqa: PLR0911 - one case for each sort
    """The collections that hold every member of one, the nearest first, without itself."""
    if depth > DEEPEST:
        return ()
    match collection:
        case Comprehension(binding=binding, value=Local(variable=variable)) if (variable,) == binding.variables:
            return _up(facts, binding.source, depth)
        case CallFunction() | DerivedAttribute():
            body = opened(collection, facts.functions, depth + 1)
            source = body.value if body is not None else selected(collection, facts.functions, depth + 1)
            return () if source is None else _up(facts, source, depth)
        case Joined(operator="+", left=left, right=right):
            first, second = _up(facts, left, depth), {key(each) for each in _up(facts, right, depth)}
            return tuple(each for each in first if key(each) in second)
        case Joined(left=left):
            return _up(facts, left, depth)
        case Builtin(name="starting_with" | "in some order" | "sorted", arguments=(source, *_)):
            return _up(facts, source, depth)
        case MakeCollection(items=(item,)):
            return _of_member(facts, item, depth)
        case Local() if (value := value_of(facts, collection)) is not collection:
            return _up(facts, value, depth)
        case _:
            return ()


def _up(facts: Facts, collection: Expression, depth: int) -> tuple[Expression, ...]:
    return (collection, *wider_than(facts, collection, depth + 1))


def _of_member(facts: Facts, item: Expression, depth: int) -> tuple[Expression, ...]:
    """The collections that hold one member."""
    value = value_of(facts, item)
    if isinstance(value, Entry) and isinstance(value.target.type, ListType):
        return _up(facts, value.target, depth)
    return ()


def told_of_members(facts: Facts, collection: Expression, item: Expression) -> Iterator[Expression]:
    """What a collection says of each of its members by how it is made, said of one."""
    for depth, each in enumerate((collection, *wider_than(facts, collection))):
        match value_of(facts, each):
            case Comprehension(
                binding=Binding(variables=(Variable() as member,), where=where), value=Local() as value
            ) if where is not None and value.variable == member:
                yield instead(where, member, item)
            case CallFunction() as call:
                yield from selecting(call, facts.functions, item, depth + 1)
            case _:
                pass


def middle_of(facts: Facts, collection: Expression) -> Expression | None:
    """The cell beside which all cells of a collection lie, so that it is none of them."""
    for each in (collection, *wider_than(facts, collection)):
        if isinstance(each, Builtin) and each.name in _AROUND:
            return each.arguments[0]
    return None
