"""Renderings of diagnostics: for a terminal, as plain text for logs and pipes, and as JSON.

Text of others is made visible and never interpreted: no markup, no wrapping of source lines.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import groupby, islice
from typing import Any

from rulewright.base.diagnostics import Diagnostic, Edit, Label, Painter, count_columns, make_visible
from rulewright.base.diagnostics.remedies import apply_text_edits
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text, count_common_ends

DIAGNOSTICS_FORMAT_VERSION = 1


def encode_diagnostics(diagnostics: Iterable[Diagnostic], texts: Mapping[str, Text], **more: Any) -> dict[str, Any]:
    """JSON document of diagnostics in the given order: version of the form, diagnostics, and keys of the command."""
    return {
        "version": DIAGNOSTICS_FORMAT_VERSION,
        "diagnostics": [encode_diagnostic(diagnostic, texts) for diagnostic in diagnostics],
        **more,
    }


def encode_diagnostic(diagnostic: Diagnostic, texts: Mapping[str, Text]) -> dict[str, Any]:
    """JSON object of one diagnostic; every key is always there."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "place": encode_span(diagnostic.primary.span, texts) if diagnostic.primary else None,
        "label": diagnostic.primary.text if diagnostic.primary else "",
        "secondary": [{"place": encode_span(label.span, texts), "text": label.text} for label in diagnostic.secondary],
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
        "edits": [_encode_edit(edit, texts) for edit in diagnostic.edits],
        "address": diagnostic.address,
        "pointer": diagnostic.pointer,
    }


def _encode_edit(edit: Edit, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {"place": encode_span(edit.span, texts), "replacement": edit.replacement, "safe": edit.safe}


def encode_span(span: Span | None, texts: Mapping[str, Text]) -> dict[str, Any] | None:
    """JSON object of a span, its end exclusive; lines and columns are null without the text. None for no span."""
    if span is None:
        return None
    text = texts.get(span.source)
    start, end = (text.get_position(span.start), text.get_position(span.end)) if text else (None, None)
    return {
        "file": span.source,
        "line": start.line if start else None,
        "column": start.column if start else None,
        "end_line": end.line if end else None,
        "end_column": end.column if end else None,
    }


def encode_span_start(span: Span | None, texts: Mapping[str, Text]) -> dict[str, Any] | None:
    """File, line and column, from 1, of the start of a span; None for no span. The text must be known."""
    if span is None:
        return None
    position = texts[span.source].get_position(span.start)
    return {"file": span.source, "line": position.line, "column": position.column}


_MESSAGE_OWNER = re.compile(
    r"^(?:`[^`]+` of )?`(?P<owner>[^`]+)` is (?P<sort>the text|a mapping|a list|empty|\[|`|\d*\.?)"
)
_MIN_FOLDED_DIAGNOSTICS = 3
_MAX_LISTED_OWNERS = 6


def fold_repeats(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics in which three or more of the same wrong with several things become one.

    Its note names the other things.
    """
    groups: dict[object, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        groups.setdefault(_get_repetition_key(diagnostic) or diagnostic, []).append(diagnostic)
    return [
        one
        for group in groups.values()
        for one in (_fold_group(group) if len(group) >= _MIN_FOLDED_DIAGNOSTICS else group)
    ]


def _get_repetition_key(diagnostic: Diagnostic) -> tuple[str, ...] | None:
    quoted = _MESSAGE_OWNER.match(diagnostic.message)
    if not quoted or not diagnostic.pointer or ";" not in diagnostic.message:
        return None
    way = diagnostic.pointer.split("/")
    if quoted["owner"] not in way:
        return None
    at = way.index(quoted["owner"])
    source = diagnostic.primary.span.source if diagnostic.primary else ""
    sort = quoted["sort"].strip("0123456789")
    return (diagnostic.code, source, sort, diagnostic.message.split(";", 1)[1], *way[:at], "*", *way[at + 1 :])


def _fold_group(group: Sequence[Diagnostic]) -> tuple[Diagnostic]:
    owners = [quoted["owner"] for diagnostic in group[1:] if (quoted := _MESSAGE_OWNER.match(diagnostic.message))]
    named = ", ".join(f"`{owner}`" for owner in owners[:_MAX_LISTED_OWNERS])
    rest = f" and {len(owners) - _MAX_LISTED_OWNERS} more" if len(owners) > _MAX_LISTED_OWNERS else ""
    note = f"The same is wrong in {len(owners)} more places: {named}{rest}."
    return (replace(group[0], notes=(*group[0].notes, note)),)


_STEP_LINE = re.compile(r'\s*step (?P<id>[A-Za-z0-9_.-]+)(?: "(?P<title>[^"]*)")?')
_MIN_WIDTH_COLUMNS = 40
_MAX_EDIT_LINES = 12
_MAX_COMPARED_LINES = 200
_MAX_LINE_CHARACTERS = 200
_MAX_TEXT_CHARACTERS = 2000


def render_plain_diagnostic(diagnostic: Diagnostic, texts: Mapping[str, Text]) -> str:
    """Diagnostic without colour: message, place, source line, remedy; one fact a line.

    The first two lines are `error RW0201: message` and `  --> file.rules:5:14`.
    """
    return "\n".join(_render_plain_lines(diagnostic, texts))


def _render_plain_lines(diagnostic: Diagnostic, texts: Mapping[str, Text]) -> Iterator[str]:
    yield f"{diagnostic.severity.value} {diagnostic.code}: {_shorten_message(diagnostic.message)}"
    if diagnostic.primary is not None:
        yield f"  --> {format_place(diagnostic.primary.span, texts)}"
        yield from _render_plain_source(diagnostic.primary.span, texts)
    if diagnostic.address:
        yield f"  in: {_shorten_message(diagnostic.address)}"
    if diagnostic.pointer:
        yield f"  at: {_decode_pointer(diagnostic.pointer)}"
    for label in diagnostic.secondary:
        yield f"  see: {format_place(label.span, texts)}{': ' if label.text else ''}{make_visible(label.text)}"
    for note in diagnostic.notes:
        yield f"  note: {make_visible(note)}"
    if diagnostic.help:
        yield f"  help: {make_visible(diagnostic.help)}"


def _shorten_message(text: str) -> str:
    return make_visible(text if len(text) <= _MAX_TEXT_CHARACTERS else f"{text[:_MAX_TEXT_CHARACTERS]}…")


def _decode_pointer(pointer: str) -> str:
    return _shorten_message(pointer.replace("~1", "/").replace("~0", "~"))


def _render_plain_source(span: Span, texts: Mapping[str, Text]) -> Iterator[str]:
    text = texts.get(span.source)
    if text is not None:
        position = text.get_position(span.start)
        line = make_visible(_clip_line_around(text.get_line(position.line), position.column)).strip()
        if line:
            yield f"    {line}"


def _clip_line_around(line: str, column: int) -> str:
    if len(line) <= _MAX_LINE_CHARACTERS:
        return line
    start = max(0, column - _MAX_LINE_CHARACTERS // 2)
    end = start + _MAX_LINE_CHARACTERS
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def format_place(span: Span, texts: Mapping[str, Text]) -> str:
    """Start of a span as `file:line:column`; the name alone where the text is not known."""
    text = texts.get(span.source)
    if text is None:
        return make_visible(span.source)
    position = text.get_position(span.start)
    return f"{make_visible(span.source)}:{position.line}:{position.column}"


def render_terminal_diagnostic(diagnostic: Diagnostic, texts: Mapping[str, Text], paint: Painter, width: int) -> str:
    """Diagnostic for a terminal: underlined source line, other places, notes, remedy and edits.

    Source lines wider than the terminal are cut around the place; its message, notes and help are wrapped.
    """
    return "\n".join(
        _TerminalRendering(diagnostic, texts, paint, max(width, _MIN_WIDTH_COLUMNS)).render_diagnostic_lines()
    )


@dataclass(frozen=True, slots=True)
class _Underline:
    """Underline in one line: columns from 0, the sign, the text behind it."""

    line: int
    start: int
    end: int
    is_primary: bool
    text: str


@dataclass(frozen=True, slots=True)
class _TerminalRendering:
    diagnostic: Diagnostic
    texts: Mapping[str, Text]
    paint: Painter
    width: int

    def render_diagnostic_lines(self) -> Iterator[str]:
        diagnostic = self.diagnostic
        severity = diagnostic.severity.value
        message = _shorten_message(diagnostic.message)
        yield from self._render_wrapped(f"{severity} {diagnostic.code}", message, severity, "strong")
        if diagnostic.primary is not None:
            yield from self._render_source(diagnostic.primary)
        elif diagnostic.address:
            yield f"  {self.paint(make_visible(diagnostic.address), 'place')}"
        for note in diagnostic.notes:
            yield from self._render_wrapped("note", note)
        if diagnostic.help:
            yield from self._render_wrapped("help", diagnostic.help)
        yield from self._render_edits()

    def _render_source(self, primary: Label) -> Iterator[str]:
        yield f"  {self.paint('-->', 'place')} {format_place(primary.span, self.texts)}{self._get_heading(primary.span)}"
        same_text_labels = [label for label in self.diagnostic.secondary if label.span.source == primary.span.source]
        yield from self._render_snippet(
            primary.span.source, [(primary, True), *((label, False) for label in same_text_labels)]
        )
        others = sorted(
            (label for label in self.diagnostic.secondary if label.span.source != primary.span.source),
            key=lambda label: label.span,
        )
        for source, labels in groupby(others, key=lambda label: label.span.source):
            group = [(label, False) for label in labels]
            yield f"  {self.paint(':::', 'place')} {format_place(group[0][0].span, self.texts)}"
            yield from self._render_snippet(source, group)

    def _get_heading(self, span: Span) -> str:
        if self.diagnostic.pointer is not None:
            return f"  {_decode_pointer(self.diagnostic.pointer)}" if self.diagnostic.pointer else ""
        parts = self.diagnostic.address.split("/")
        text = self.texts.get(span.source)
        if text is not None:
            for number in range(text.get_position(span.start).line, 0, -1):
                match_ = _STEP_LINE.match(text.get_line(number))
                if match_ and match_["id"] in parts:
                    return f"  {match_['id']}" + (f' "{make_visible(match_["title"])}"' if match_["title"] else "")
        return f"  {_shorten_message(self.diagnostic.address)}" if self.diagnostic.address else ""

    def _render_snippet(self, source: str, labels: Iterable[tuple[Label, bool]]) -> Iterator[str]:
        text = self.texts.get(source)
        if text is None:
            return
        marks = sorted(
            (_make_underline(label, text, primary=primary) for label, primary in labels), key=lambda m: m.line
        )
        gutter = len(str(marks[-1].line))
        yield self._render_margin(gutter)
        last = marks[0].line
        for number, group in groupby(marks, key=lambda mark: mark.line):
            if number > last + 1:
                yield f"{self.paint('...', 'place')}"
            last = number
            yield from self._render_source_line(
                text.get_line(number), number, gutter, sorted(group, key=lambda m: (m.start, m.end))
            )

    def _render_source_line(self, line: str, number: int, gutter: int, marks: list[_Underline]) -> Iterator[str]:
        room = self.width - gutter - 3
        focus = next((mark for mark in marks if mark.is_primary), marks[0])
        shown, shift = _clip_visible_line(make_visible(line), count_columns(make_visible(line[: focus.start])), room)
        yield self._render_margin(gutter, str(number), shown)
        for mark in marks:
            start = max(count_columns(make_visible(line[: mark.start])) - shift, 0)
            wide = max(count_columns(make_visible(line[mark.start : mark.end])), 1)
            if start >= room:
                continue
            sign, role = ("^", self.diagnostic.severity.value) if mark.is_primary else ("-", "place")
            drawn = sign * min(wide, room - start) + (f" {make_visible(mark.text)}" if mark.text else "")
            yield self._render_margin(gutter, "", " " * start + self.paint(drawn, role))

    def _render_margin(self, gutter: int, number: str = "", content: str = "") -> str:
        bar = self.paint(f"{number:>{gutter}} |", "place")
        return f"{bar} {content}" if content else bar

    def _render_wrapped(self, head: str, text: str, head_role: str = "strong", role: str = "") -> Iterator[str]:
        indent = " " * (len(head) + 2)
        wrapped = textwrap.wrap(
            make_visible(text), max(self.width - len(indent), 20), break_long_words=False, break_on_hyphens=False
        )
        first, *others = (self.paint(line, role) if role else line for line in wrapped or [""])
        yield f"{self.paint(head, head_role)}: {first}"
        yield from (f"{indent}{line}" for line in others)

    def _render_edits(self) -> Iterator[str]:
        known = {edit.span.source for edit in self.diagnostic.edits} & self.texts.keys()
        for source in sorted(known):
            text = self.texts[source]
            new = apply_text_edits(text, (edit for edit in self.diagnostic.edits if edit.span.source == source)).split(
                "\n"
            )
            yield from islice(self._render_changed_lines(text.content.split("\n"), new), _MAX_EDIT_LINES)

    def _render_changed_lines(self, old: list[str], new: list[str]) -> Iterator[str]:
        first, last = count_common_ends(old, new)
        before, after = (
            old[first : len(old) - last][:_MAX_COMPARED_LINES],
            new[first : len(new) - last][:_MAX_COMPARED_LINES],
        )
        for tag, one, two, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag == "delete":
                deleted = enumerate(before[one:two], first + one + 1)
                yield from (f"{self.paint(f'{number} -', 'error')} {make_visible(line)}" for number, line in deleted)
            elif tag != "equal":
                added = enumerate(after[start:end], first + start + 1)
                yield from (
                    f"{self.paint(f'{n} +', 'add')} {self.paint(make_visible(item), 'add')}" for n, item in added
                )


def _make_underline(label: Label, text: Text, *, primary: bool) -> _Underline:
    start = text.get_position(label.span.start)
    end = text.get_position(max(label.span.end, label.span.start))
    stop = end.column - 1 if end.line == start.line else len(text.get_line(start.line))
    return _Underline(start.line, start.column - 1, stop, primary, label.text)


def _clip_visible_line(line: str, focus: int, room: int) -> tuple[str, int]:
    """The part of a line that fits around a column, and how many columns were cut at its left."""
    if count_columns(line) <= room:
        return line, 0
    if focus <= room * 2 // 3:
        return line[: room - 1] + "…", 0
    shift = focus - room // 3
    rest = line[shift + 1 :]
    return "…" + (rest if count_columns(rest) < room else rest[: room - 2] + "…"), shift
