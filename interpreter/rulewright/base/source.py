"""Named texts, with positions and spans in them."""

import dataclasses
import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from rulewright.base.frozen import dataclass

COMMENT_OR_STRING = re.compile(r'"[^"\n]*"|(?P<comment>#[^\n]*)')
"""Comments (group `comment`) and quoted texts, in which `#` begins no comment."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points in one text."""

    source: str  # name of the text, as the user wrote it
    start: int  # offset of the first code point
    end: int  # offset after the last code point

    def extend_to(self, other: "Span") -> "Span":
        """The span from the start of this one to the end of another in the same text."""
        return Span(self.source, self.start, other.end)

    def contains(self, other: "Span") -> bool:
        """Whether another span is inside this one."""
        return self.source == other.source and self.start <= other.start and other.end <= self.end


NO_SPAN = Span("", 0, 0)
"""Span of nodes that stand in no text."""


@dataclass(frozen=True, slots=True)
class NameUse:
    """A place where a text names a symbol: its name space, what it belongs to, and its name."""

    span: Span  # of the name alone
    space: str
    owner: str  # kind, list of words or declaration that the name belongs to; "" for a name of the program
    name: str  # qualified where there is no owner


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A line and a column, both from 1; columns count code points."""

    line: int
    column: int


@dataclasses.dataclass(frozen=True)
class Text:
    """A text and the name that the user knows it by."""

    name: str
    content: str

    @cached_property
    def _line_offsets(self) -> list[int]:
        starts = [0]
        starts.extend(offset + 1 for offset, character in enumerate(self.content) if character == "\n")
        return starts

    def get_position(self, offset: int) -> Position:
        """Line and column of a code point offset."""
        line = bisect_right(self._line_offsets, offset)
        return Position(line, offset - self._line_offsets[line - 1] + 1)

    def get_line(self, number: int) -> str:
        """Content of a line, from 1, without its line end; empty past the last line."""
        if number > len(self._line_offsets):
            return ""
        start = self._line_offsets[number - 1]
        return self.content[start:].partition("\n")[0].rstrip("\r")

    def get_offset(self, position: Position) -> int:
        """Code point offset of a line and column."""
        return self._line_offsets[position.line - 1] + position.column - 1


def count_leading_blanks(line: str) -> int:
    """Number of blanks at the start of a line."""
    return len(line) - len(line.lstrip())


def count_common_prefix(first: Sequence[object], second: Sequence[object]) -> int:
    """How many items two sequences begin with in common."""
    for count, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return count
    return min(len(first), len(second))


def count_common_ends(first: Sequence[object], second: Sequence[object]) -> tuple[int, int]:
    """How many items two sequences begin with in common, and with how many of the others both end."""
    before = count_common_prefix(first, second)
    return before, count_common_prefix(first[before:][::-1], second[before:][::-1])
