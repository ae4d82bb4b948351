"""Expressions, places and types as rows of tokens that two revisions can be compared by.

Places in the text, proofs and types inside an expression leave no token. A declared name is a `Name`, so that names
can be translated; everything else is text.
"""

from collections.abc import Hashable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from rulewright.comparing.named import NAMED, Token, Tokens, Within, word
from rulewright.program import expressions as ex

_LEFT_OUT = frozenset({"span", "type", "address", "cites", "position", "symmetric"})


def tokens(node: object, within: Within) -> Tokens:
    """What a part of a declaration says, as a row of tokens; equal for what is written alike."""
    return tuple(_tokens(node, within))


def _tokens(node: object, within: Within) -> Iterator[Token]:
    if isinstance(node, tuple):
        yield "("
        for each in node:
            yield from _tokens(each, within)
        yield ")"
    elif isinstance(node, ex.Narrowed):
        yield from _tokens(node.operand, within)
    elif isinstance(node, ex.Variable):
        yield within.variable(node.name)
    elif is_dataclass(node):
        yield from _node(node, within)
    else:
        yield repr(node)


def _node(node: Any, within: Within) -> Iterator[Token]:  # noqa: ANN401 - any class of the program
    sort = type(node)
    yield sort.__name__
    named = NAMED.get(sort, {})
    if sort in _COLLECTIONS:
        yield type(node.type).__name__
    if isinstance(node, ex.WordLiteral):
        yield word(node, within.program)
    for name in _fields(sort):  # type: ignore[arg-type]
        yield from named[name](node, within) if name in named else _tokens(getattr(node, name), within)
    yield "."


@cache
def _fields(sort: Hashable) -> tuple[str, ...]:
    return tuple(each.name for each in fields(sort) if each.name not in _LEFT_OUT)  # type: ignore[arg-type]


_COLLECTIONS = (ex.MakeCollection, ex.Comprehension)
