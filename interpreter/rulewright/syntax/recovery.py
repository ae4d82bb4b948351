"""Error recovery: a text with mistakes is parsed declaration by declaration; faulty lines are blanked one by one."""

# ruff: noqa: SIM905 - words in a row read best without quotes and commas

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rulewright.base.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.base.diagnostics.remedies import find_nearest_name
from rulewright.base.source import Span
from rulewright.syntax.engine import ParseTree, get_engine
from rulewright.syntax.layout import ScannedLine, find_open_brackets, scan_lines
from rulewright.syntax.mistakes.block_lines import JOINING_WORDS
from rulewright.syntax.mistakes.mistake_context import MistakeContext
from rulewright.syntax.mistakes.mistake_diagnosis import diagnose_mistake
from rulewright.syntax.nodes import MAX_MISTAKES, ParseFailure
from rulewright.syntax.words import DECLARATION_WORDS, HEADER_WORDS, OPENING_WORDS, VERBS

_LEVEL_MISTAKES = frozenset({"RW0104", "RW0105", "RW0120", "RW0128", "RW0130"})
"""Mistakes of indentation: one causes the next, so only the first of a declaration is reported."""

_BLOCK_OPENING_MISTAKES = frozenset({"RW0103", "RW0112", "RW0113"})
"""Mistakes that can shift the level of lines below."""

_PLACEHOLDER = "\0"
_RULE_HEAD_WORDS = frozenset({"when", "priority", "lowers"})
_SALVAGED_VERBS = frozenset("procedure step if else for repeat match on together ask option watch handler".split())


@dataclass(frozen=True)
class SalvageResult:
    """Parse trees of the declarations without mistakes, and the mistakes."""

    # intact declarations, each with its offset
    trees: tuple[tuple[ParseTree, int], ...]
    diagnostics: tuple[Diagnostic, ...]  # in order


def salvage_text(source: str, content: str, trouble: ParseFailure) -> SalvageResult:
    """Parse trees of all intact declarations, and each mistake once."""
    lines = scan_lines(content)
    readings: list[tuple[ParseTree, int]] = []
    diagnostics = list(_diagnose_late_headers(source, content, lines))
    above: _DeclarationChunk | None = None
    for chunk in _split_declarations(source, content, lines):
        if len(diagnostics) >= MAX_MISTAKES:
            break
        reading = chunk.salvage_declaration(MAX_MISTAKES - len(diagnostics))
        if above is not None and chunk.is_stray() and not above.is_stray():
            diagnostics = [diagnostic for diagnostic in diagnostics if not above.is_missing_end(diagnostic)]
        diagnostics.extend(chunk.diagnostics)
        if reading:
            readings.append((reading, chunk.start))
        above = chunk
    if not diagnostics:
        number = max((n for n, line in enumerate(lines) if line.start <= trouble.start), default=0)
        diagnostics.append(diagnose_mistake(MistakeContext(source, content, lines, number, trouble)))
    return SalvageResult(tuple(readings), tuple(diagnostics))


def _diagnose_late_headers(source: str, content: str, lines: Sequence[ScannedLine]) -> Iterator[Diagnostic]:
    top = [line for line in lines if line.indent == 0]
    for number, line in enumerate(top):
        word = line.words[0]
        if word.text in HEADER_WORDS and any(above.words[0].text in DECLARATION_WORDS for above in top[:number]):
            span = Span(source, line.start, line.end)
            first = next(above.start for above in top if above.words[0].text in DECLARATION_WORDS)
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


def _split_declarations(source: str, content: str, lines: Sequence[ScannedLine]) -> Iterator["_DeclarationChunk"]:
    firsts = [number for number, line in enumerate(lines) if line.indent == 0 or number == 0]
    for number, following in zip(firsts, [*firsts[1:], len(lines)], strict=True):
        start = content.rfind("\n", 0, lines[number].start) + 1
        end = lines[following].start if following < len(lines) else len(content)
        yield _DeclarationChunk(source, content, lines, range(number, following), start, end)


@dataclass
class _DeclarationChunk:
    """One declaration with the lines that are blanked or replaced so far."""

    source: str
    content: str
    lines: Sequence[ScannedLine]
    line_numbers: range
    start: int
    end: int
    removed_lines: set[int] = field(default_factory=set)  # blanked
    # replaced by `_PLACEHOLDER`, since they have a block or an `else`
    placeholder_lines: set[int] = field(default_factory=set)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def salvage_declaration(self, most: int) -> ParseTree | None:
        """Its parse tree if it has no mistake, else none; reports at most `most` mistakes."""
        while len(self.diagnostics) < most:
            outcome = get_engine().parse_tree(self._render_remaining())
            if isinstance(outcome, ParseTree):
                return None if self.diagnostics else outcome
            trouble = replace(outcome, start=outcome.start + self.start, end=outcome.end + self.start)
            number = self._find_faulty_line(trouble)
            if number in self.removed_lines | self.placeholder_lines:
                return None
            diagnostic = diagnose_mistake(MistakeContext(self.source, self.content, self.lines, number, trouble))
            if not self._is_follow_up(diagnostic):
                self.diagnostics.append(diagnostic)
            self._leave_out_line(number)
        return None

    def _is_follow_up(self, finding: Diagnostic) -> bool:
        """Whether a mistake of indentation follows from one reported before."""
        if finding.code == "RW0101" and self.diagnostics and self.diagnostics[-1].code == "RW0105":
            return self._is_on_next_line(self.diagnostics[-1], finding)
        if finding.code == "RW0102" and not self._is_at_line_start(finding):
            return any(diagnostic.code == "RW0105" for diagnostic in self.diagnostics)
        if finding.code not in _LEVEL_MISTAKES:
            return False
        reported = (
            diagnostic
            for diagnostic in self.diagnostics
            if diagnostic.code in _LEVEL_MISTAKES | _BLOCK_OPENING_MISTAKES
        )
        return any(
            not diagnostic.code == finding.code == "RW0130" or diagnostic.message == finding.message
            for diagnostic in reported
        )

    def _is_at_line_start(self, diagnostic: Diagnostic) -> bool:
        """Whether a mistake is at the first word of its line, not behind an id, as in a row."""
        return diagnostic.primary is None or any(line.start == diagnostic.primary.span.start for line in self.lines)

    def _is_on_next_line(self, one: Diagnostic, other: Diagnostic) -> bool:
        if one.primary is None or other.primary is None:
            return False
        starts = [line.start for line in self.lines]
        return bisect(starts, other.primary.span.start) == bisect(starts, one.primary.span.start) + 1

    def is_stray(self) -> bool:
        """Whether its first line belongs to the declaration above and lost its indentation."""
        first, *others = self.lines[self.line_numbers[0]].words
        if others and others[0].text == ":" and first.text != "game":
            return bool(self.diagnostics)
        if not self.diagnostics or first.text in DECLARATION_WORDS | HEADER_WORDS:
            return False
        return (
            first.text in VERBS | OPENING_WORDS
            or find_nearest_name(first.text, DECLARATION_WORDS | HEADER_WORDS) is None
        )

    def is_missing_end(self, diagnostic: Diagnostic) -> bool:
        """Whether a mistake of it comes from a stray line that was meant for its end."""
        if diagnostic not in self.diagnostics or diagnostic.primary is None:
            return False
        last = self.lines[self.line_numbers[-1]]
        return (
            diagnostic.code in _LEVEL_MISTAKES
            or diagnostic.primary.span.start >= last.start
            or diagnostic.code == "RW0101"
        )

    def _find_faulty_line(self, trouble: ParseFailure) -> int:
        line_numbers = [number for number in self.line_numbers if self.lines[number].start <= trouble.start] or [
            self.line_numbers[0]
        ]
        remaining = [number for number in line_numbers if number not in self.removed_lines] or line_numbers
        unclosed = next((number for number in remaining if find_open_brackets(self.lines[number].words)), None)
        if unclosed is not None and unclosed not in self.placeholder_lines:
            return unclosed
        if trouble.layout == "_INDENT":
            return next(
                (
                    line_number
                    for line_number in self.line_numbers
                    if line_number > remaining[-1] and line_number not in self.removed_lines
                ),
                line_numbers[-1],
            )
        if trouble.accepted == {"_INDENT"} and not trouble.layout and len(remaining) > 1:
            return remaining[-2]
        return remaining[-1]

    def _leave_out_line(self, number: int) -> None:
        """Blank a faulty line; keep a placeholder where it has a block or is followed by `else`.

        An indented declaration takes all lines below with it, and a standing rule without its head all of its lines.
        """
        line = self.lines[number]
        first_words = {self.lines[number].words[0].text for number in self.line_numbers}
        if self.lines[self.line_numbers.start].verb.text == "whenever" and _RULE_HEAD_WORDS - first_words:
            self.removed_lines.update(self.line_numbers)
            return
        if line.indent and line.words[0].text in DECLARATION_WORDS - VERBS | {"tally", "decide"} and line.words[2:3]:
            is_head = line.words[2].text == "(" or line.words[1].text[:1].isupper()
            self.removed_lines.update(range(number + 1, self.line_numbers.stop) if is_head else ())
        if number + 1 < self.line_numbers.stop and self.lines[number + 1].words[0].text in JOINING_WORDS:
            self.removed_lines.update({number + 1, *self._list_lines_below(number + 1)})
        below = self._list_lines_below(number)
        if (below and self.lines[number].verb.text in _SALVAGED_VERBS) or self.lines[number].words[
            0
        ].text in _RULE_HEAD_WORDS:
            self.placeholder_lines.add(number)
        else:
            self.removed_lines.update({number, *below})
        for other in self._list_else_lines(number):
            self.placeholder_lines.add(other)
        self._fill_empty_block(number)

    def _list_lines_below(self, number: int) -> list[int]:
        result = []
        for other in range(number + 1, self.line_numbers.stop):
            if self.lines[other].indent <= self.lines[number].indent:
                break
            result.append(other)
        return result

    def _list_else_lines(self, number: int) -> Iterator[int]:
        indent = self.lines[number].indent
        for other in range(number + 1, self.line_numbers.stop):
            if self.lines[other].indent < indent:
                return
            if self.lines[other].indent == indent:
                if self.lines[other].words[0].text != "else":
                    return
                yield other

    def _fill_empty_block(self, number: int) -> None:
        """Keep a placeholder for a line that was the last of its block."""
        if number in self.placeholder_lines:
            return
        indent = self.lines[number].indent
        above = next(
            (n for n in range(number - 1, self.line_numbers.start - 1, -1) if self.lines[n].indent < indent), None
        )
        if above is not None and all(other in self.removed_lines for other in self._list_lines_below(above)):
            self.removed_lines.discard(number)
            self.placeholder_lines.add(number)

    def _render_remaining(self) -> str:
        """The declaration with blanks for removed lines; offsets stay."""
        pieces: list[str] = []
        at = self.start
        for number in sorted(self.removed_lines | self.placeholder_lines):
            line = self.lines[number]
            pieces.append(self.content[at : line.start])
            written = self.content[line.start : line.end]
            blank = "".join(item if item == "\n" else " " for item in written)
            pieces.append(
                self._make_placeholder(number) + blank[len(self._make_placeholder(number)) :]
                if number in self.placeholder_lines
                else blank
            )
            at = line.end
        pieces.append(self.content[at : self.end])
        return "".join(pieces)

    def _make_placeholder(self, number: int) -> str:
        has_lines = any(other not in self.removed_lines for other in self._list_lines_below(number))
        return _PLACEHOLDER + ":" if has_lines and len(self.lines[number].words[0].text) > 1 else _PLACEHOLDER
