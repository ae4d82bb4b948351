"""A named text with its lines, and the places in it."""

import dataclasses
import re
from bisect import bisect_right
from functools import cached_property

from rulewright.base.frozen import dataclass

COMMENT_OR_STRING = re.compile(r'"[^"\n]*"|(?P<comment>#[^\n]*)')
"""Comments, `comment`, and the quoted texts in which `#` begins none."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points in one text."""

    source: str  # name of the text, as the person who asked named it
    start: int  # offset of the first code point
    end: int  # offset after the last code point

    def extend_to(self, other: "Span") -> "Span":
        """The span from the start of this one to the end of the other, in the same text."""
        return Span(self.source, self.start, other.end)


NO_SPAN = Span("", 0, 0)
"""Of what stands in no text."""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A line and a column, both counted from one; columns count code points."""

    line: int
    column: int


@dataclasses.dataclass(frozen=True)
class Text:
    """A text and the name a person knows it by."""

    name: str
    content: str

    @cached_property
    def _line_offsets(self) -> list[int]:
        starts = [0]
        starts.extend(offset + 1 for offset, character in enumerate(self.content) if character == "\n")
        return starts

    def get_position(self, offset: int) -> Position:
        """The line and column of a code point offset."""
        line = bisect_right(self._line_offsets, offset)
        return Position(line, offset - self._line_offsets[line - 1] + 1)

    def get_line(self, number: int) -> str:
        """The content of a line counted from one, without its line end; empty past the last line."""
        if number > len(self._line_offsets):
            return ""
        start = self._line_offsets[number - 1]
        return self.content[start:].partition("\n")[0].rstrip("\r")

    def get_offset(self, position: Position) -> int:
        """The code point offset of a line and column."""
        return self._line_offsets[position.line - 1] + position.column - 1


def count_leading_blanks(line: str) -> int:
    """How many blanks a line begins with."""
    return len(line) - len(line.lstrip())
