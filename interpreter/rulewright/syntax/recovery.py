"""Reads on after a mistake: declaration by declaration, and line by line inside one."""

# ruff: noqa: SIM905 - words in a row read best without quotes and commas

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rulewright.diagnostics.model import Diagnostic, Edit, Label, Severity
from rulewright.diagnostics.remedies import nearest
from rulewright.source import Span
from rulewright.syntax.engine import Reading, engine
from rulewright.syntax.layout import ScannedLine, open_brackets, scan
from rulewright.syntax.mistakes import Situation, explain
from rulewright.syntax.mistakes.block_lines import JOINING
from rulewright.syntax.parsed import MISTAKES, Trouble
from rulewright.syntax.words import DECLARATIONS, HEADERS, OPENINGS, VERBS

_LEVELS = frozenset({"RW0104", "RW0105", "RW0120", "RW0128", "RW0130"})
"""Mistakes of levels: one brings the next about, so a declaration is told its first."""

_OPENING = frozenset({"RW0103", "RW0112", "RW0113"})
"""Mistakes that can move the level of lines below."""

_MARK = "\0"
_FIXED = frozenset({"when", "priority", "lowers"})
_SALVAGED = frozenset("procedure step if else for repeat match on together ask option watch handler".split())


@dataclass(frozen=True)
class Salvaged:
    """What could be read of a text with mistakes."""

    # the declarations that could be read, each with the offset where it begins
    readings: tuple[tuple[Reading, int], ...]
    diagnostics: tuple[Diagnostic, ...]  # the mistakes, in order


def salvage(source: str, content: str, trouble: Trouble) -> Salvaged:
    """Everything that can be read of a text that met trouble, and each mistake once."""
    lines = scan(content)
    readings: list[tuple[Reading, int]] = []
    diagnostics = list(_late_headers(source, content, lines))
    above: _Chunk | None = None
    for chunk in _chunks(source, content, lines):
        if len(diagnostics) >= MISTAKES:
            break
        reading = chunk.read(MISTAKES - len(diagnostics))
        if above is not None and chunk.is_stray() and not above.is_stray():
            diagnostics = [each for each in diagnostics if not above.lacks_its_end(each)]
        diagnostics.extend(chunk.diagnostics)
        if reading:
            readings.append((reading, chunk.start))
        above = chunk
    if not diagnostics:
        number = max((n for n, line in enumerate(lines) if line.start <= trouble.start), default=0)
        diagnostics.append(explain(Situation(source, content, lines, number, trouble)))
    return Salvaged(tuple(readings), tuple(diagnostics))


def _late_headers(source: str, content: str, lines: Sequence[ScannedLine]) -> Iterator[Diagnostic]:
    """Headers below the first declaration."""
    top = [line for line in lines if line.indent == 0]
    for number, line in enumerate(top):
        word = line.words[0]
        if word.text in HEADERS and any(above.words[0].text in DECLARATIONS for above in top[:number]):
            span = Span(source, line.start, line.end)
            first = next(above.start for above in top if above.words[0].text in DECLARATIONS)
            yield Diagnostic(
                "RW0121",
                Severity.ERROR,
                f"`{word.text}` lines come first",
                Label(span),
                help="move it above the first declaration",
                edits=(
                    Edit(Span(source, first, first), f"{content[line.start : line.end]}\n", safe=True),
                    Edit(span, "", safe=True),
                ),
            )


def _chunks(source: str, content: str, lines: Sequence[ScannedLine]) -> Iterator["_Chunk"]:
    """The declarations of a text: what begins on the left margin, with all that is indented under it."""
    firsts = [number for number, line in enumerate(lines) if line.indent == 0 or number == 0]
    for number, following in zip(firsts, [*firsts[1:], len(lines)], strict=True):
        start = content.rfind("\n", 0, lines[number].start) + 1
        end = lines[following].start if following < len(lines) else len(content)
        yield _Chunk(source, content, lines, range(number, following), start, end)


@dataclass
class _Chunk:
    """One declaration while its mistakes are told."""

    source: str
    content: str
    lines: Sequence[ScannedLine]
    numbers: range
    start: int
    end: int
    gone: set[int] = field(default_factory=set)  # lines left out, since they or the lines above them could not be read
    # lines replaced by a mark, since something stands under or beside them
    marked: set[int] = field(default_factory=set)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def read(self, most: int) -> Reading | None:
        """The declaration, if it holds no mistake; at most so many mistakes are told."""
        while len(self.diagnostics) < most:
            outcome = engine().read(self._remaining())
            if isinstance(outcome, Reading):
                return None if self.diagnostics else outcome
            trouble = replace(outcome, start=outcome.start + self.start, end=outcome.end + self.start)
            number = self._line_of(trouble)
            if number in self.gone | self.marked:
                return None
            found = explain(Situation(self.source, self.content, self.lines, number, trouble))
            if not self._follows(found):
                self.diagnostics.append(found)
            self._leave_out(number)
        return None

    def _follows(self, found: Diagnostic) -> bool:
        """Whether a mistake of levels follows from one that is told."""
        if found.code == "RW0101" and self.diagnostics and self.diagnostics[-1].code == "RW0105":
            return self._is_next(self.diagnostics[-1], found)
        if found.code == "RW0102" and not self._opens(found):
            return any(each.code == "RW0105" for each in self.diagnostics)
        if found.code not in _LEVELS:
            return False
        told = (each for each in self.diagnostics if each.code in _LEVELS | _OPENING)
        return any(not each.code == found.code == "RW0130" or each.message == found.message for each in told)

    def _opens(self, found: Diagnostic) -> bool:
        """Whether a mistake is the first word of its line, and not what stands after an id, as in a row."""
        return found.primary is None or any(each.start == found.primary.span.start for each in self.lines)

    def _is_next(self, one: Diagnostic, other: Diagnostic) -> bool:
        """Whether a mistake stands on the line below that of another."""
        if one.primary is None or other.primary is None:
            return False
        starts = [line.start for line in self.lines]
        return bisect(starts, other.primary.span.start) == bisect(starts, one.primary.span.start) + 1

    def is_stray(self) -> bool:
        """Whether it begins with a line that belongs under the declaration above and lost its indentation."""
        first, *others = self.lines[self.numbers[0]].words
        if others and others[0].text == ":" and first.text != "game":
            return bool(self.diagnostics)
        if not self.diagnostics or first.text in DECLARATIONS | HEADERS:
            return False
        return first.text in VERBS | OPENINGS or nearest(first.text, DECLARATIONS | HEADERS) is None

    def lacks_its_end(self, found: Diagnostic) -> bool:
        """Whether a mistake of it comes from a line that was meant to stand at its end."""
        if found not in self.diagnostics or found.primary is None:
            return False
        last = self.lines[self.numbers[-1]]
        return found.code in _LEVELS or found.primary.span.start >= last.start or found.code == "RW0101"

    def _line_of(self, trouble: Trouble) -> int:
        """The line that a trouble belongs to."""
        begun = [number for number in self.numbers if self.lines[number].start <= trouble.start] or [self.numbers[0]]
        remaining = [number for number in begun if number not in self.gone] or begun
        unclosed = next((number for number in remaining if open_brackets(self.lines[number].words)), None)
        if unclosed is not None and unclosed not in self.marked:
            return unclosed
        if trouble.layout == "_INDENT":
            return next((each for each in self.numbers if each > remaining[-1] and each not in self.gone), begun[-1])
        if trouble.accepted == {"_INDENT"} and not trouble.layout and len(remaining) > 1:
            return remaining[-2]
        return remaining[-1]

    def _leave_out(self, number: int) -> None:
        """Take a line with a mistake out, and mark what holds or follows it.

        A declaration that is indented by mistake takes with it all that stands below, and a standing rule without
        the lines that it begins with all of its lines.
        """
        line = self.lines[number]
        if self.lines[self.numbers.start].verb.text == "whenever" and _FIXED - self._first_words():
            self.gone.update(self.numbers)
            return
        if line.indent and line.words[0].text in DECLARATIONS - VERBS | {"tally", "decide"} and line.words[2:3]:
            is_head = line.words[2].text == "(" or line.words[1].text[:1].isupper()
            self.gone.update(range(number + 1, self.numbers.stop) if is_head else ())
        if number + 1 < self.numbers.stop and self.lines[number + 1].words[0].text in JOINING:
            self.gone.update({number + 1, *self._below(number + 1)})
        below = self._below(number)
        if (below and self.lines[number].verb.text in _SALVAGED) or self.lines[number].words[0].text in _FIXED:
            self.marked.add(number)
        else:
            self.gone.update({number, *below})
        for other in self._else_lines(number):
            self.marked.add(other)
        self._fill(number)

    def _first_words(self) -> set[str]:
        """What its lines begin with."""
        return {self.lines[number].words[0].text for number in self.numbers}

    def _below(self, number: int) -> list[int]:
        """The lines under a line."""
        found = []
        for other in range(number + 1, self.numbers.stop):
            if self.lines[other].indent <= self.lines[number].indent:
                break
            found.append(other)
        return found

    def _else_lines(self, number: int) -> Iterator[int]:
        """The `else` lines that belong to a line."""
        indent = self.lines[number].indent
        for other in range(number + 1, self.numbers.stop):
            if self.lines[other].indent < indent:
                return
            if self.lines[other].indent == indent:
                if self.lines[other].words[0].text != "else":
                    return
                yield other

    def _fill(self, number: int) -> None:
        """Mark a line that was taken out of a block in which nothing else is left."""
        if number in self.marked:
            return
        indent = self.lines[number].indent
        above = next((n for n in range(number - 1, self.numbers.start - 1, -1) if self.lines[n].indent < indent), None)
        if above is not None and all(other in self.gone for other in self._below(above)):
            self.gone.discard(number)
            self.marked.add(number)

    def _remaining(self) -> str:
        """The declaration with blanks for what was left out; every offset stays."""
        pieces: list[str] = []
        at = self.start
        for number in sorted(self.gone | self.marked):
            line = self.lines[number]
            pieces.append(self.content[at : line.start])
            written = self.content[line.start : line.end]
            blank = "".join(each if each == "\n" else " " for each in written)
            pieces.append(self._mark(number) + blank[len(self._mark(number)) :] if number in self.marked else blank)
            at = line.end
        pieces.append(self.content[at : self.end])
        return "".join(pieces)

    def _mark(self, number: int) -> str:
        has_lines = any(other not in self.gone for other in self._below(number))
        return _MARK + ":" if has_lines and len(self.lines[number].words[0].text) > 1 else _MARK
