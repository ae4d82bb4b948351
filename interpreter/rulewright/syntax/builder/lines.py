"""Lines and blocks, whatever their verbs.

The verbs are told from outside, since blocks hold lines and lines hold blocks.
"""

from collections.abc import Callable
from typing import TypedDict

from rulewright.source import Span
from rulewright.syntax.builder.parts import Parts
from rulewright.syntax.nodes.names import Name
from rulewright.syntax.nodes.statements import Block, Statement


class Whole(TypedDict):
    """What a line shares with all others, apart from its title and margin."""

    span: Span
    head: Span
    label: Name | None


Build = Callable[[Parts, Whole], Statement]
VERBS: dict[str, Build] = {}
"""The verbs, filled by `builder.file`."""


def statement(parts: Parts) -> Statement:
    """Any line, with its id if it has one."""
    if parts.rule != "labelled":
        return VERBS[parts.rule](parts, Whole(span=parts.span, head=parts.head, label=None))
    span, label = parts.span, parts.name()
    return parts.one(lambda verb: VERBS[verb.rule](verb, Whole(span=span, head=verb.head, label=label)))


def block(parts: Parts) -> Block:
    """Indented lines, and the cites of the line that opens them."""
    lines = parts.many(statement)
    return Block(lines, lines[0].span.to(lines[-1].span), parts.cites)
