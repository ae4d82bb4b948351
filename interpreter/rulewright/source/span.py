"""Places in a text."""

from rulewright.frozen import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points in one text.

    Attributes:
        source: name of the text, as the person who asked named it.
        start: offset of the first code point.
        end: offset after the last code point.
    """

    source: str
    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """The span from the start of this one to the end of the other, in the same text."""
        return Span(self.source, self.start, other.end)


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A line and a column, both counted from one; columns count code points."""

    line: int
    column: int
