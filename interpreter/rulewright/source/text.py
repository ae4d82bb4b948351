"""A named text with its lines."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from rulewright.source.span import Position


@dataclass(frozen=True)
class Text:
    """A text and the name a person knows it by."""

    name: str
    content: str

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        starts.extend(offset + 1 for offset, character in enumerate(self.content) if character == "\n")
        return starts

    def position(self, offset: int) -> Position:
        """The line and column of a code point offset."""
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """The content of a line counted from one, without its line end; empty past the last line."""
        if number > len(self._line_starts):
            return ""
        start = self._line_starts[number - 1]
        return self.content[start:].partition("\n")[0].rstrip("\r")

    def offset(self, position: Position) -> int:
        """The code point offset of a line and column."""
        return self._line_starts[position.line - 1] + position.column - 1
