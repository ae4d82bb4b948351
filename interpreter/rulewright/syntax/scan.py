"""A forgiving look at a text: lines and their words, whatever mistakes they hold."""

import dataclasses
import re
from collections.abc import Iterator
from functools import cached_property

from rulewright.frozen import dataclass
from rulewright.syntax.layout import indentation

_WORDS = re.compile(
    r"""
    (?P<string>"[^"\n]*")
  | (?P<open_string>"[^\n]*)
  | (?P<comment>\#[^\n]*)
  | (?P<cite>@[A-Za-z0-9_.:\-]*)
  | (?P<number>\d+\.\d+(?!\.)|\d*d\d+\b|\d+)
  | (?P<word>[^\W\d]\w*)
  | (?P<line_end>\n)
  | (?P<blank>[^\S\n]+)
  | (?P<sign>\.\.|!=|<=|>=|<>|==|=>|=<|&&|\|\||:=|\+=|-=|\+\+|--|//|.)
    """,
    re.VERBOSE,
)
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Word:
    """A word, number, sign, string or cite.

    Attributes:
        sort: `word`, `number`, `sign`, `string`, `open_string` (never closed) or `cite`.
        text: as written.
        start: offset of its first code point.
    """

    sort: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after its last code point."""
        return self.start + len(self.text)


@dataclasses.dataclass(frozen=True)
class ScannedLine:
    """A logical line.

    Attributes:
        indent: how far it is indented.
        words: what stands on it, comments left out; never empty.
    """

    indent: int
    words: tuple[Word, ...]

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.words[0].start

    @property
    def end(self) -> int:
        """Where its last word ends, with the margin."""
        return self.words[-1].end

    @cached_property
    def body(self) -> tuple[Word, ...]:
        """Its words without the margin."""
        count = len(self.words)
        while count and self.words[count - 1].sort == "cite":
            count -= 1
        return self.words[:count]

    @property
    def opens(self) -> bool:
        """Whether it ends with a colon, before the margin."""
        return bool(self.body) and self.body[-1].text == ":"

    @property
    def verb(self) -> Word:
        """Its first word after its id, if it has one and more follows; of an inner procedure that word itself."""
        if [each.text for each in self.words[:2]] == ["inner", "procedure"]:
            return self.words[1]
        has_id = len(self.body) > 2 and self.body[1].text == ":" and self.body[0].sort == "word"  # noqa: PLR2004
        return self.body[2] if has_id else self.words[0]


def scan(content: str) -> tuple[ScannedLine, ...]:
    """The logical lines of a text.

    A line goes on inside brackets and where the next begins with `@`; a bracket that is still open ends at the first
    line that is indented no deeper than the line it began on.
    """
    lines: list[ScannedLine] = []
    for indent, words in _physical_lines(content):
        if lines and _goes_on(lines[-1], indent, words[0]):
            lines[-1] = ScannedLine(lines[-1].indent, (*lines[-1].words, *words))
        else:
            lines.append(ScannedLine(indent, words))
    return tuple(lines)


def open_brackets(words: tuple[Word, ...]) -> list[Word]:
    """The brackets among these words that are not closed, outermost first."""
    opened: list[Word] = []
    for word in words:
        if word.sort == "sign" and word.text in _OPENING:
            opened.append(word)
        elif word.sort == "sign" and word.text in _CLOSING and opened:
            opened.pop()
    return opened


def _goes_on(line: ScannedLine, indent: int, first: Word) -> bool:
    if first.sort == "cite":
        return True
    return bool(open_brackets(line.words)) and (indent > line.indent or first.text in _CLOSING)


def _physical_lines(content: str) -> Iterator[tuple[int, tuple[Word, ...]]]:
    words: list[Word] = []
    indent, fresh = 0, True
    for found in _WORDS.finditer(content):
        sort, text = str(found.lastgroup), found.group()
        if sort == "line_end":
            if words:
                yield indent, tuple(words)
            indent, words, fresh = 0, [], True
        elif sort == "blank" and fresh:
            indent = indentation(text)
            fresh = False
        elif sort not in {"blank", "comment"}:
            words.append(Word(sort, text.rstrip("\r"), found.start()))
            fresh = False
    if words:
        yield indent, tuple(words)
