"""The functions of the language as the manual lists them."""

import re
from dataclasses import dataclass
from pathlib import Path

MANUAL = Path(__file__).parents[2] / "grammar" / "manual" / "functions.md"
_ROW = re.compile(r"\| `(?P<name>\w+)\(.*?\)` \| .+ \| .+ \| `(?P<example>.+)` \|")


@dataclass(frozen=True, slots=True)
class ManualFunction:
    """A row of the manual: a function, the heading above it and an expression with a call."""

    name: str
    group: str
    example: str


def _read_manual_rows() -> tuple[ManualFunction, ...]:
    group, found = "", []
    for line in MANUAL.read_text(encoding="utf-8").splitlines():
        group = line.removeprefix("## ") if line.startswith("## ") else group
        row = _ROW.fullmatch(line)
        if row is not None:
            found.append(ManualFunction(row["name"], group, row["example"]))
    return tuple(found)


FUNCTIONS = _read_manual_rows()
FUNCTION_NAMES = frozenset(each.name for each in FUNCTIONS)
