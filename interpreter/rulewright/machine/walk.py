"""Visiting every node of a routine or expression, whatever its class, and the rows of a program."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from rulewright.program.declarations import Program
from rulewright.program.rows import DecideRow, TableRow, TallyRow
from rulewright.program.types import Type
from rulewright.source import Span

_PLAIN = frozenset({str, int, bool, tuple[str, ...], Span, Type})


@cache
def _parts(kind: Any) -> Callable[[Any], tuple[Any, ...]] | None:  # noqa: ANN401 - any class
    """Reads what a node of a class may hold, the last first; none for what is no node."""
    if not is_dataclass(kind) or issubclass(kind, Span | Type):  # type: ignore[arg-type]
        return None
    names = [each.name for each in reversed(fields(kind)) if each.type not in _PLAIN]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple(getattr(node, name) for name in names)


def nodes(node: Any) -> Iterator[Any]:  # noqa: ANN401
    """The node and all nodes below it, outermost first, in written order; no types and no spans."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple):
            waiting.extend(reversed(each))
            continue
        parts = _parts(each.__class__)
        if parts is not None:
            yield each
            waiting.extend(parts(each))


def rows(program: Program) -> Iterator[TallyRow | DecideRow | TableRow]:
    """The rows of all tallies, decides and tables, in written order."""
    for group in (program.functions, program.procedures, program.handlers, program.rules):
        for each in nodes(tuple(group.values())):
            if isinstance(each, TallyRow | DecideRow | TableRow):
                yield each
