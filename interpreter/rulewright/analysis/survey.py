"""Every node of a text, fast: the ground that passes over whole files stand on."""

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from rulewright.analysis.identity import by_identity
from rulewright.source import Span
from rulewright.syntax.nodes.names import Name

_PLAIN = frozenset({str, int, bool, Span, Name})


@cache
def _holding(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - a class of nodes
    """The fields of a class of nodes that can hold nodes."""
    return tuple(each.name for each in fields(kind) if each.type not in _PLAIN)


@by_identity(most=500)
def nodes_of(declaration: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a declaration or header
    """As `nodes_in`; found once for all that pass over the same declaration."""
    return tuple(nodes_in(declaration))


def nodes_in(*roots: Any) -> Iterator[Any]:  # noqa: ANN401 - any nodes, or tuples of them
    """The roots and all nodes in them, names left out, in no particular order."""
    waiting: list[Any] = list(roots)
    while waiting:
        node = waiting.pop()
        if node is None or isinstance(node, str | int):
            continue
        if isinstance(node, tuple):
            waiting.extend(node)
            continue
        yield node
        waiting.extend([getattr(node, name) for name in _holding(type(node))])  # type: ignore[arg-type]
