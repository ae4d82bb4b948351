"""Which parts of an expression are worked out, and which are read: scalars, constants, senses of comparisons."""

from collections.abc import Iterator

from rulewright.comparing.playing.places import phrase
from rulewright.program import expressions as ex
from rulewright.program.expressions import Expression
from rulewright.program.types import FlagType, MapType, NoneType, NumberType, OptionalType, Type, WordType, present


def region(node: Expression) -> Iterator[Expression]:
    """An expression and those in it that are worked out with it, up to what is read."""
    yield node
    match node:
        case ex.Not(operand=operand) | ex.Negation(operand=operand) | ex.Narrowed(operand=operand):
            parts: tuple[Expression, ...] = (operand,)
        case ex.Logical(left=left, right=right):
            parts = (left, right)
        case ex.Arithmetic(operator=operator, left=left, right=right) if operator in {"+", "-", "*"}:
            parts = (left, right)
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            parts = (condition, then, otherwise)
        case ex.Comparison(left=left, right=right) if scalar(left.type) and scalar(right.type):
            parts = (left, right)
        case ex.Membership(item=item, collection=collection) if scalar(item.type) and listed(collection):
            parts = (item, *members(collection))
        case _:
            parts = ()
    for each in parts:
        yield from region(each)


def scalar(type_: Type) -> bool:
    """Whether its values are numbers, flags or words, or none."""
    return isinstance(present(type_), NumberType | FlagType | WordType | NoneType)


def listed(collection: Expression) -> bool:
    """Whether it is written out, member by member or from one number to another."""
    if isinstance(collection, ex.MakeCollection):
        return not isinstance(collection.type, MapType) and all(scalar(each.type) for each in collection.items)
    return isinstance(collection, ex.Interval)


def members(collection: Expression) -> tuple[Expression, ...]:
    """The members of what is written out, or its two ends."""
    if isinstance(collection, ex.Interval):
        return (collection.low, collection.high)
    assert isinstance(collection, ex.MakeCollection)
    return collection.items


_WRITTEN = (ex.Literal, ex.WordLiteral, ex.Not, ex.Negation, ex.Narrowed, ex.Logical, ex.Arithmetic, ex.Conditional)


def is_leaf(node: Expression) -> bool:
    """Whether it is read, and cannot be none."""
    return not isinstance(node, (*_WRITTEN, ex.Comparison, ex.Membership)) and not isinstance(node.type, OptionalType)


def constant(node: Expression) -> int | None:
    """The whole number it is written as; none where it is something else."""
    match node:
        case ex.Literal(value=int() as value) if not isinstance(value, bool):
            return value
        case ex.Negation(operand=ex.Literal(value=int() as value)):
            return -value
        case _:
            return None


def sense(node: ex.Comparison) -> tuple[object, bool]:
    """What a comparison says in one sense, `=` or `<`, and whether that is its own."""
    turned = node.operator in {">", "<="}
    sides = [node.right, node.left] if turned else [node.left, node.right]
    if node.operator in {"=", "!="}:
        sides.sort(key=lambda each: repr(phrase(each, {}, by_number=True)))
        return ("=", *sides), node.operator == "="
    return ("<", *sides), node.operator in {"<", ">"}
