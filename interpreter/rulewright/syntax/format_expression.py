"""Writes expressions and types in the one canonical way."""

from collections.abc import Iterable
from typing import assert_never

from rulewright.syntax.nodes.expressions import (
    Aggregate,
    Argument,
    Attribute,
    Binary,
    Binder,
    Call,
    Collection,
    Comprehension,
    DecimalNumber,
    Expression,
    Group,
    IfValue,
    Index,
    NoneValue,
    Quantified,
    Reference,
    TextLiteral,
    Truth,
    Unary,
    WholeNumber,
)
from rulewright.syntax.nodes.types import CollectionType, MapType, NamedType, OptionalType, RangeType, TupleType, Type

_BRACKETS = {"set": ("{", "}"), "list": ("[", "]")}


def format_expression(node: Expression) -> str:  # noqa: C901, PLR0911, PLR0912 - one case for each construct
    """The expression on one line, as the formatter writes it."""
    match node:
        case Reference():
            return node.name
        case Attribute():
            return f"{format_expression(node.target)}.{node.name.text}"
        case Index():
            return f"{format_expression(node.target)}[{_listed(node.keys)}]"
        case Call():
            return f"{format_expression(node.function)}({', '.join(map(_argument, node.arguments))})"
        case Aggregate():
            return f"{format_expression(node.function)}({_each(node.binder, node.value)})"
        case Quantified():
            body = f": {format_expression(node.body)}" if node.body else ""
            return f"{node.word} {format_binder(node.binder)}{body}"
        case Comprehension():
            opening, closing = _BRACKETS[node.word]
            return f"{opening}{_each(node.binder, node.value)}{closing}"
        case Collection():
            opening, closing = _BRACKETS[node.word]
            return f"{opening}{_listed(node.items)}{closing}"
        case Group():
            return f"({_listed(node.items)})"
        case IfValue():
            return f"if({_listed((node.condition, node.then, node.otherwise))})"
        case Binary():
            return _binary(node)
        case Unary():
            space = " " if node.operator == "not" else ""
            return f"{node.operator}{space}{format_expression(node.operand)}"
        case WholeNumber():
            return str(node.value)
        case DecimalNumber():
            return node.text
        case TextLiteral():
            return f'"{node.value}"'
        case Truth():
            return "yes" if node.value else "no"
        case NoneValue():
            return "none"
        case _:
            assert_never(node)


def format_binder(node: Binder) -> str:
    """`x in S where C`."""
    names = ", ".join(name.text for name in node.names)
    pattern = names if len(node.names) == 1 else f"({names})"
    where = f" where {format_expression(node.where)}" if node.where else ""
    return f"{pattern} in {format_expression(node.source)}{where}"


def format_type(node: Type) -> str:
    """The type on one line, as the formatter writes it."""
    match node:
        case RangeType():
            return f"{node.low}..{node.high}"
        case NamedType():
            return node.name.text
        case OptionalType():
            return f"{format_type(node.inner)}?"
        case CollectionType():
            return f"{node.word} of {format_type(node.inner)}"
        case MapType():
            return f"map of {format_type(node.key)} to {format_type(node.value)}"
        case TupleType():
            return f"({', '.join(map(format_type, node.parts))})"
        case _:
            assert_never(node)


def _listed(nodes: Iterable[Expression]) -> str:
    return ", ".join(map(format_expression, nodes))


def _argument(node: Argument) -> str:
    name = f"{node.name.text}: " if node.name else ""
    return name + format_expression(node.value)


def _each(binder: Binder, value: Expression | None) -> str:
    shown = f": {format_expression(value)}" if value else ""
    return f"each {format_binder(binder)}{shown}"


def _binary(node: Binary) -> str:
    space = "" if node.operator == ".." else " "
    return f"{format_expression(node.left)}{space}{node.operator}{space}{format_expression(node.right)}"
