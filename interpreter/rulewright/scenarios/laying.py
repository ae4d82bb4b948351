"""Data laid out as people write YAML."""

from collections.abc import Iterator

from rulewright.inputs.nodes import Json
from rulewright.inputs.one_line import one_line

WIDEST = 110


def named(id_: str) -> Json:
    """An id as people write it: `1` for a step of that number."""
    return int(id_) if id_.isdecimal() and str(int(id_)) == id_ else id_


def laid(key: str, data: Json, indent: int) -> Iterator[str]:
    """A key with its data: in one line where there is room, else one line for each entry; at the margin always so."""
    start = f"{' ' * indent}{one_line(key)}:"
    line = f"{start} {one_line(data)}"
    if not isinstance(data, dict) or not data or (indent and len(line) <= WIDEST):
        yield line
        return
    yield start
    for inner, node in data.items():
        yield from laid(inner, node, indent + 2)
