"""Expressions."""

from collections.abc import Callable

from rulewright.syntax.builder.parts import Parts
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

Build = Callable[[Parts], Expression]


def expression(parts: Parts) -> Expression:
    """Any expression."""
    return _EXPRESSIONS[parts.rule](parts)


def binder(parts: Parts) -> Binder:
    """`x in S where C`."""
    return Binder(
        names=parts.one(Parts.names), source=parts.one(expression), where=parts.maybe(expression), span=parts.span
    )


def arguments(parts: Parts) -> tuple[Argument, ...]:
    """`(a, name: b)`."""
    return parts.many(_argument)


def _argument(parts: Parts) -> Argument:
    name = parts.name() if parts.rule == "named_argument" else None
    return Argument(name, parts.one(expression), parts.span)


def _reference(parts: Parts) -> Expression:
    return Reference(parts.text, parts.span)


def _attribute(parts: Parts) -> Expression:
    return Attribute(target=parts.one(expression), name=parts.name(), span=parts.span)


def _index(parts: Parts) -> Expression:
    return Index(target=parts.one(expression), keys=parts.many(expression), span=parts.span)


def _call(parts: Parts) -> Expression:
    return Call(function=parts.one(expression), arguments=parts.one(arguments), span=parts.span)


def _aggregate(parts: Parts) -> Expression:
    return Aggregate(
        function=parts.one(expression), binder=parts.one(binder), value=parts.maybe(expression), span=parts.span
    )


def _quantified(word: str) -> Build:
    def build(parts: Parts) -> Expression:
        found = parts.one(binder)
        return Quantified(word, found, parts.one(expression) if parts.more() else None, parts.span)

    return build


def _comprehension(word: str) -> Build:
    def build(parts: Parts) -> Expression:
        return Comprehension(word, binder=parts.one(binder), value=parts.maybe(expression), span=parts.span)

    return build


def _collection(word: str) -> Build:
    def build(parts: Parts) -> Expression:
        return Collection(word, parts.many(expression), parts.span)

    return build


def _group(parts: Parts) -> Expression:
    return Group(parts.many(expression), parts.span)


def _if_value(parts: Parts) -> Expression:
    return IfValue(
        condition=parts.one(expression), then=parts.one(expression), otherwise=parts.one(expression), span=parts.span
    )


def _binary(operator: str) -> Build:
    def build(parts: Parts) -> Expression:
        return Binary(operator, left=parts.one(expression), right=parts.one(expression), span=parts.span)

    return build


def _compare(parts: Parts) -> Expression:
    left = parts.one(expression)
    operator = parts.word()
    return Binary(operator, left, parts.one(expression), parts.span)


def _unary(operator: str) -> Build:
    def build(parts: Parts) -> Expression:
        return Unary(operator, parts.one(expression), parts.span)

    return build


def _whole(parts: Parts) -> Expression:
    return WholeNumber(int(parts.text), parts.span)


def _decimal(parts: Parts) -> Expression:
    return DecimalNumber(parts.text, parts.span)


def _text(parts: Parts) -> Expression:
    return TextLiteral(parts.text[1:-1], parts.span)


def _truth(parts: Parts) -> Expression:
    return Truth(parts.rule == "yes", parts.span)


def _none(parts: Parts) -> Expression:
    return NoneValue(parts.span)


_EXPRESSIONS: dict[str, Build] = {
    "name": _reference,
    "attribute": _attribute,
    "index": _index,
    "call": _call,
    "aggregate": _aggregate,
    "some": _quantified("some"),
    "no_member": _quantified("no"),
    "the": _quantified("the"),
    "every": _quantified("every"),
    "set_each": _comprehension("set"),
    "list_each": _comprehension("list"),
    "set_of": _collection("set"),
    "list_of": _collection("list"),
    "group": _group,
    "if_value": _if_value,
    "or": _binary("or"),
    "and": _binary("and"),
    "compare": _compare,
    "member": _binary("in"),
    "not_member": _binary("not in"),
    "range_of": _binary(".."),
    "sum": _binary("+"),
    "difference": _binary("-"),
    "product_of": _binary("*"),
    "quotient": _binary("/"),
    "not": _unary("not"),
    "minus": _unary("-"),
    "plus_sign": _unary("+"),
    "whole": _whole,
    "decimal": _decimal,
    "text": _text,
    "yes": _truth,
    "no": _truth,
    "none": _none,
}
