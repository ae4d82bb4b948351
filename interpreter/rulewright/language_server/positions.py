"""Places as the protocol has them, lines and units counted from nothing, and as offsets of code points."""

from bisect import bisect_right
from functools import lru_cache

from lsprotocol.types import Position, Range

from rulewright.source import Span, Text

UNITS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""How many bytes a unit of an encoding has."""

_CODECS = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}


class Lines:
    """The lines of a text, for a client that counts units of so many bytes."""

    def __init__(self, content: str, unit: int) -> None:
        """Finds where lines begin; only a line feed ends one, as everywhere in rulewright."""
        self._content, self._unit = content, unit
        self._starts = [0, *(at + 1 for at, each in enumerate(content) if each == "\n")]

    def position(self, offset: int) -> Position:
        """Where an offset is."""
        line = bisect_right(self._starts, offset) - 1
        before = self._content[self._starts[line] : offset]
        return Position(line, len(before) if before.isascii() else self._units(before))

    def offset(self, position: Position) -> int:
        """The offset of a position; beyond the end of a line that end, inside of a character its beginning."""
        number: int = position.line
        left: int = position.character
        if number >= len(self._starts):
            return len(self._content)
        start = self._starts[number]
        end = self._starts[number + 1] - 1 if number + 1 < len(self._starts) else len(self._content)
        line = self._content[start:end]
        if line.isascii():
            return start + min(left, len(line))
        for at, each in enumerate(line):
            left -= self._units(each)
            if left < 0:
                return start + at
        return end

    def range(self, span: Span) -> Range:
        """Where a place is."""
        return Range(self.position(span.start), self.position(span.end))

    def span(self, source: str, found: Range) -> Span:
        """The place of a range."""
        return Span(source, self.offset(found.start), self.offset(found.end))

    def _units(self, written: str) -> int:
        return len(written.encode(_CODECS[self._unit], "surrogatepass")) // self._unit


@lru_cache(maxsize=64)
def _lines(content: str, unit: int) -> Lines:
    return Lines(content, unit)


def lines(text: Text, unit: int) -> Lines:
    """The lines of a text; those of one that was asked about a moment ago are known."""
    return _lines(text.content, unit)
