"""Context of a syntax error: the faulty line, the lines around it, and constructors of its diagnostic."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

from rulewright.base.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.base.source import Span
from rulewright.syntax.layout import ScannedLine, ScannedWord, measure_indentation
from rulewright.syntax.nodes import ParseFailure

_LINE_KINDS_BY_PARENT = {
    "values": "word",
    "kind": "field",
    "record": "field",
    "game": "field",
    "board": "field",
    "term": "condition",
    "relation": "condition",
    "table": "table row",
    "paths": "path",
    "event": "event line",
    "match": "case",
    "rank": "key",
    "tally": "tally row",
    "decide": "decide row",
    "insert": "line",
    "replace": "line",
}

_SORT_LETTERS = {"word": "w", "number": "n", "sign": "g", "string": "s", "open_string": "o", "cite": "c"}


@dataclass(frozen=True)
class MistakeContext:
    """A line with a syntax error, and its text."""

    source: str
    content: str
    lines: Sequence[ScannedLine]
    index: int  # of the faulty line
    failure: ParseFailure  # offsets into the whole text

    @cached_property
    def line(self) -> ScannedLine:
        return self.lines[self.index]

    @cached_property
    def words(self) -> tuple[ScannedWord, ...]:
        return self.line.body

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Texts of its words without the margin."""
        return tuple(word.text for word in self.words)

    @cached_property
    def text_set(self) -> frozenset[str]:
        """Texts of its words, with the margin."""
        return frozenset(word.text for word in self.line.words)

    @cached_property
    def encoded_line(self) -> str:
        r"""The line as `line_pattern` matches it: a text for each word, ended by `\n`.

        It holds `\f` before the verb, a tab where the word touches the one before, else a blank, `\v` where the parser
        stopped, the first letter of the sort, and the word itself unless it is a text in quotes.
        """
        pieces: list[str] = []
        verb, end = self.line.verb, -1
        for number, word in enumerate(self.line.words):
            before = ("\f" if word is verb else "") + ("\t" if word.start == end else " ")
            stop = "\v" if number == self.stop_index else ""
            text = "" if word.sort in {"string", "open_string"} else word.text
            pieces.append(f"{before}{stop}{_SORT_LETTERS[word.sort]}{text}\n")
            end = word.end
        return "".join(pieces) + ("\v" if self.stop_index == len(self.line.words) else "")

    @cached_property
    def verb(self) -> str:
        return self.line.verb.text

    @cached_property
    def stop_index(self) -> int:
        """Index of the word at the error; the number of words where the line ended too early."""
        return next(
            (number for number, word in enumerate(self.line.words) if word.end > self.failure.start),
            len(self.line.words),
        )

    @cached_property
    def stop_word(self) -> ScannedWord:
        """The word at the error; one of sort `end`, without text, where the line ended too early."""
        return (
            self.line.words[self.stop_index]
            if self.stop_index < len(self.line.words)
            else ScannedWord("end", "", self.line.end)
        )

    @property
    def word_before(self) -> ScannedWord:
        """The word before the error; one without text at the start of the line."""
        return self.line.words[self.stop_index - 1] if self.stop_index else ScannedWord("end", "", self.line.start)

    @cached_property
    def parent_line(self) -> ScannedLine | None:
        """The line whose block holds this one."""
        for line in reversed(self.lines[: self.index]):
            if line.indent < self.line.indent:
                return line
        return None

    @property
    def previous_line(self) -> ScannedLine | None:
        """The line before, in any block."""
        return self.lines[self.index - 1] if self.index else None

    @property
    def below(self) -> ScannedLine | None:
        """The next line if it is indented deeper."""
        following = self.lines[self.index + 1] if self.index + 1 < len(self.lines) else None
        return following if following and following.indent > self.line.indent else None

    @cached_property
    def indent_step(self) -> int:
        """Most frequent indentation of blocks in the text, that of this line not counted."""
        blocks = [(one, other) for one, other in pairwise(self.lines) if one.opens_block and other.indent > one.indent]
        steps = [other.indent - one.indent for one, other in blocks if other not in self.lines[self.index - 1 :][:2]]
        return max(steps, key=steps.count, default=2)

    @cached_property
    def line_kind(self) -> str:
        """Kind of line expected here: `declaration`, `line`, or a kind of row."""
        if self.parent_line is None:
            return "declaration"
        return _LINE_KINDS_BY_PARENT.get(self.parent_line.verb.text, "line")

    def get_words_text(self, start: int, end: int) -> str:
        """Words from an index to another as written, on one line."""
        chosen = self.line.words[start:end]
        return " ".join(self.content[chosen[0].start : chosen[-1].end].split()) if chosen else ""

    def get_offsets(self, start: int, end: int) -> tuple[int, int]:
        """Offsets of the words from an index to another."""
        return self.line.words[start].start, self.line.words[end - 1].end

    @cached_property
    def verb_index(self) -> int:
        """Index of the first word after its id."""
        return self.words.index(self.line.verb) if self.line.verb in self.words else 0

    @property
    def end_offset(self) -> int:
        """Offset of its end before colon and margin."""
        body = self.words or self.line.words
        return body[-2].end if self.line.opens_block and len(body) > 1 else body[-1].end

    @property
    def indent_text(self) -> str:
        return self.content[self.content.rfind("\n", 0, self.line.start) + 1 : self.line.start]

    def make_edit(self, start: int, end: int, written: str, *, safe: bool = True) -> Edit:
        """Edit that replaces the text between two offsets."""
        return Edit(Span(self.source, start, end), written, safe)

    def diagnose_rewriting(
        self,
        at: ScannedWord | tuple[int, int],
        better: str,
        message: str = "",
        *,
        code: str = "RW0106",
        safe: bool = True,
    ) -> Diagnostic:
        """Diagnostic "is written …" with the edit that writes it; a message may give the reason instead."""
        start, end = (at.start, at.end) if isinstance(at, ScannedWord) else at
        written = " ".join(self.content[start:end].split())
        edits = (self.make_edit(start, end, better, safe=safe),)
        message = message or f"`{written}` is written `{better}`"
        return self.make_line_error(code, message, at=at, remedy=f"write `{better}`", edits=edits)

    def find_whole_line(self) -> tuple[int, int]:
        """Offsets of the line with its indentation and its end."""
        end = self.content.find("\n", self.line.end)
        return self.content.rfind("\n", 0, self.line.start) + 1, end + 1 if end >= 0 else len(self.content)

    def make_line_deletion(self) -> Edit:
        return self.make_edit(*self.find_whole_line(), "")

    def make_indent_edits(
        self, line: ScannedLine, by: int, *, safe: bool = True, with_block: bool = True
    ) -> tuple[Edit, ...]:
        """Edits that indent a line by some spaces, more or less, with or without its block.

        Lines of the block that already have the indentation they would need stay.
        """
        following = self.lines[self.lines.index(line) + 1 :] if with_block else ()
        if by > 0 and following and following[0].indent >= line.indent + by + self.indent_step:
            following = ()
        block = takewhile(lambda other: other.indent > line.indent, following)
        moved = [part for other in (line, *block) for part in _find_indents(other, self.content)]
        return tuple(
            self.make_edit(start, end, " " * max(0, measure_indentation(self.content[start:end]) + by), safe=safe)
            for start, end in moved
        )

    def make_line_error(  # noqa: PLR0913 - all a diagnostic has
        self,
        code: str,
        message: str,
        *,
        at: ScannedWord | tuple[int, int] | None = None,
        remedy: str = "",
        edit: str | None = None,
        edits: Sequence[Edit] = (),
    ) -> Diagnostic:
        """Error diagnostic about this line, at the word or the offsets at fault; `edit` replaces what is there."""
        match at:
            case ScannedWord():
                span = Span(self.source, at.start, at.end)
            case (start, end):
                span = Span(self.source, start, end)
            case None:
                body = self.words or self.line.words
                span = Span(self.source, body[0].start, body[-1].end)
        line_edits = () if edit is None else (Edit(span, edit, safe=True),)
        return Diagnostic(code, Severity.ERROR, message, Label(span), help=remedy, edits=(*line_edits, *edits))


def _find_indents(line: ScannedLine, content: str) -> Iterator[tuple[int, int]]:
    start = content.rfind("\n", 0, line.start) + 1
    while start < line.end:
        rest = content[start : line.end]
        if rest.split("\n", 1)[0].strip():
            yield start, start + len(rest) - len(rest.lstrip(" \t"))
        following = content.find("\n", start, line.end)
        if following < 0:
            return
        start = following + 1
