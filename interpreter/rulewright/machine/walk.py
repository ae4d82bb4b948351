"""Visiting every node of a routine or expression, whatever its class, and the rows of a program."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from rulewright.program.declarations import Program
from rulewright.program.rows import DecideRow, TableRow, TallyRow
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


def rows(program: Program) -> Iterator[TallyRow | DecideRow | TableRow]:
    """The rows of all tallies, decides and tables, in written order."""
    for group in (program.functions, program.procedures, program.handlers, program.rules):
        for each in nodes(tuple(group.values())):
            if isinstance(each, TallyRow | DecideRow | TableRow):
                yield each
