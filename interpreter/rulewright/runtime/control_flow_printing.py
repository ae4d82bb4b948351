"""The text of control flow graphs, for people who build rulewright."""

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from rulewright.program.core.printing import RoutinePrinter, WordNames, get_origin_address
from rulewright.program.core.walking import is_statement
from rulewright.runtime import control_flow as cf

_LATER_WORD = re.compile(r"(?<=.)(?=[A-Z])")


def render_control_flow(graph: cf.ControlFlowGraph, words: WordNames) -> Iterator[str]:
    """Lines of the text of a graph: each block with its statements, then its exit with the blocks it leads to."""
    printer = RoutinePrinter(graph.routine, words)
    yield f"{graph.routine.key}:"
    for number, block in enumerate(graph.blocks):
        yield f"  block {number}{', entered' if block.entered else ''}:"
        for item in block.items:
            if is_statement(item):
                yield from printer.print_block((item,), 2)  # type: ignore[arg-type]
            else:
                yield f"    {_render_part(printer, item)}"
        yield f"    {_render_part(printer, block.exit)}"


def _render_part(printer: RoutinePrinter, part: Any) -> str:
    """An item or exit: its class, what it is made from, and its numbers of blocks and slots."""
    name = _LATER_WORD.sub(" ", type(part).__name__).lower()
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    told = []
    for field, value in values.items():
        if field in {"question", "chance", "elsewhere"}:
            return f"{name}: {_render_part(printer, value)}"
        if value is not None and not isinstance(value, int):
            text, address = printer.get_first_line(value).removesuffix(":"), get_origin_address(value.origin)
            told.append(f"{text}  @{address}" if address else text)
    numbers = ", ".join(f"{field} {value}" for field, value in values.items() if isinstance(value, int))
    return ": ".join(filter(None, (name, "; ".join(filter(None, (*told, numbers))))))
