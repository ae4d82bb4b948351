"""Visiting every node of a routine or expression, whatever its class."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from rulewright.program.types import Type
from rulewright.source import Span


@cache
def _parts(kind: Any) -> tuple[str, ...]:  # noqa: ANN401
    return tuple(each.name for each in fields(kind))


def nodes(node: Any) -> Iterator[Any]:  # noqa: ANN401
    """The node and all nodes below it, outermost first, in written order; no types and no spans."""
    if isinstance(node, tuple):
        for each in node:
            yield from nodes(each)
    elif is_dataclass(node) and not isinstance(node, Span | Type):
        yield node
        for name in _parts(node.__class__):
            yield from nodes(getattr(node, name))
