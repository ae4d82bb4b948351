"""Where every address of a program is written."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from rulewright.program.declarations import Declared, Program
from rulewright.source import Span


def places(program: Program) -> dict[str, Span]:
    """The span of every declaration, step, line and row, by address; the outermost where several share one."""
    found: dict[str, Span] = {}
    for address, span in _places(program):
        found.setdefault(address, span)
    return found


def place_of(address: str, program: Program) -> Span | None:
    """Where an address is written; of a line that a run gave a number of its own, the line."""
    return places(program).get(address)


def _places(node: Any) -> Iterator[tuple[str, Span]]:  # noqa: ANN401 - walks whatever a program is made of
    if isinstance(node, tuple):
        for each in node:
            yield from _places(each)
    elif isinstance(node, Mapping):
        for each in node.values():
            yield from _places(each)
    elif is_dataclass(node) and not isinstance(node, Span):
        address = node.name if isinstance(node, Declared) else getattr(node, "address", "")
        span = getattr(node, "span", None)
        if address and isinstance(span, Span):
            yield address, span
        for each in fields(node):
            yield from _places(getattr(node, each.name))
