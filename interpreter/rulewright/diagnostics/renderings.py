"""Diagnostics for people and programs: `human` draws the place, `plain` is for logs and pipes, and there is JSON.

Rule text is made visible and never interpreted: no markup, no wrapping of source lines.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import groupby, islice
from typing import Any

from rulewright.diagnostics.model import Diagnostic, Edit, Label
from rulewright.diagnostics.remedies import edited
from rulewright.diagnostics.terminal import Paint, columns, visible
from rulewright.frozen import dataclass
from rulewright.source import Span, Text

VERSION = 1


def diagnostics_json(diagnostics: Iterable[Diagnostic], texts: Mapping[str, Text], **more: Any) -> dict[str, Any]:
    """A whole document: the version of the form, the diagnostics in the order given, and what a command adds."""
    return {"version": VERSION, "diagnostics": [diagnostic_json(each, texts) for each in diagnostics], **more}


def diagnostic_json(diagnostic: Diagnostic, texts: Mapping[str, Text]) -> dict[str, Any]:
    """One diagnostic; every key is always there."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "place": place_json(diagnostic.primary.span, texts) if diagnostic.primary else None,
        "label": diagnostic.primary.text if diagnostic.primary else "",
        "secondary": [{"place": place_json(label.span, texts), "text": label.text} for label in diagnostic.secondary],
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
        "edits": [_edit_json(edit, texts) for edit in diagnostic.edits],
        "address": diagnostic.address,
        "pointer": diagnostic.pointer,
    }


def _edit_json(edit: Edit, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {"place": place_json(edit.span, texts), "replacement": edit.replacement, "safe": edit.safe}


def place_json(span: Span, texts: Mapping[str, Text]) -> dict[str, Any]:
    """Both ends of a span, the second past its last character; lines and columns are null without the text."""
    text = texts.get(span.source)
    start, end = (text.position(span.start), text.position(span.end)) if text else (None, None)
    return {
        "file": span.source,
        "line": start.line if start else None,
        "column": start.column if start else None,
        "end_line": end.line if end else None,
        "end_column": end.column if end else None,
    }


def start_json(span: Span | None, texts: Mapping[str, Text]) -> dict[str, Any] | None:
    """Where a span begins: its file, line and column, counted from 1; none for no span. The text must be there."""
    if span is None:
        return None
    position = texts[span.source].position(span.start)
    return {"file": span.source, "line": position.line, "column": position.column}


_OWNER = re.compile(r"^(?:`[^`]+` of )?`(?P<owner>[^`]+)` is (?P<sort>the text|a mapping|a list|empty|\[|`|\d*\.?)")
_FEWEST_FOLDED = 3
_MOST_OWNERS = 6


def fold_repeats(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics, of three or more that find the same wrong with several things the first alone.

    Its note names the other things.
    """
    groups: dict[object, list[Diagnostic]] = {}
    for each in diagnostics:
        groups.setdefault(_repeated(each) or each, []).append(each)
    return [one for group in groups.values() for one in (_folded(group) if len(group) >= _FEWEST_FOLDED else group)]


def _repeated(diagnostic: Diagnostic) -> tuple[str, ...] | None:
    """What diagnostics share that find the same wrong with attributes of several things; none for others."""
    said = _OWNER.match(diagnostic.message)
    if not said or not diagnostic.pointer or ";" not in diagnostic.message:
        return None
    way = diagnostic.pointer.split("/")
    if said["owner"] not in way:
        return None
    at = way.index(said["owner"])
    source = diagnostic.primary.span.source if diagnostic.primary else ""
    sort = said["sort"].strip("0123456789")
    return (diagnostic.code, source, sort, diagnostic.message.split(";", 1)[1], *way[:at], "*", *way[at + 1 :])


def _folded(group: Sequence[Diagnostic]) -> tuple[Diagnostic]:
    """The first of several that are alike, with a note that names the others."""
    owners = [said["owner"] for each in group[1:] if (said := _OWNER.match(each.message))]
    named = ", ".join(f"`{each}`" for each in owners[:_MOST_OWNERS])
    rest = f" and {len(owners) - _MOST_OWNERS} more" if len(owners) > _MOST_OWNERS else ""
    note = f"The same is wrong in {len(owners)} more places: {named}{rest}."
    return (replace(group[0], notes=(*group[0].notes, note)),)


_STEP = re.compile(r'\s*step (?P<id>[A-Za-z0-9_.-]+)(?: "(?P<title>[^"]*)")?')
_NARROWEST = 40
_MOST_LINES = 12
_COMPARED = 200
_LONGEST_LINE = 200
_LONGEST_TEXT = 2000


def plain(diagnostic: Diagnostic, texts: Mapping[str, Text]) -> str:
    """A diagnostic without colour: message, place, the line of the text, then what helps; one fact a line.

    The first two lines are `error RW0201: message` and `  --> file.rules:5:14`.
    """
    return "\n".join(_plain_lines(diagnostic, texts))


def _plain_lines(diagnostic: Diagnostic, texts: Mapping[str, Text]) -> Iterator[str]:
    yield f"{diagnostic.severity.value} {diagnostic.code}: {_short(diagnostic.message)}"
    if diagnostic.primary is not None:
        yield f"  --> {place(diagnostic.primary.span, texts)}"
        yield from _plain_source(diagnostic.primary.span, texts)
    if diagnostic.address:
        yield f"  in: {_short(diagnostic.address)}"
    if diagnostic.pointer:
        yield f"  at: {_way(diagnostic.pointer)}"
    for label in diagnostic.secondary:
        yield f"  see: {place(label.span, texts)}{': ' if label.text else ''}{visible(label.text)}"
    for note in diagnostic.notes:
        yield f"  note: {visible(note)}"
    if diagnostic.help:
        yield f"  help: {visible(diagnostic.help)}"


def _short(text: str) -> str:
    """A text made visible, and cut where somebody wrote a name without end."""
    return visible(text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…")


def _way(pointer: str) -> str:
    """A JSON pointer without its escapes."""
    return _short(pointer.replace("~1", "/").replace("~0", "~"))


def _plain_source(span: Span, texts: Mapping[str, Text]) -> Iterator[str]:
    text = texts.get(span.source)
    if text is not None:
        position = text.position(span.start)
        line = visible(_around(text.line(position.line), position.column)).strip()
        if line:
            yield f"    {line}"


def _around(line: str, column: int) -> str:
    """A line, or of a very long one the part around a column."""
    if len(line) <= _LONGEST_LINE:
        return line
    start = max(0, column - _LONGEST_LINE // 2)
    end = start + _LONGEST_LINE
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def place(span: Span, texts: Mapping[str, Text]) -> str:
    """Where a span begins, as `file:line:column`; the name alone where the text is not at hand."""
    text = texts.get(span.source)
    if text is None:
        return visible(span.source)
    position = text.position(span.start)
    return f"{visible(span.source)}:{position.line}:{position.column}"


def human(diagnostic: Diagnostic, texts: Mapping[str, Text], paint: Paint, width: int) -> str:
    """A diagnostic for a terminal: the line with the place underlined, other places, notes, remedy and edits.

    Source lines wider than the terminal are cut around the place; only notes and help are wrapped.
    """
    return "\n".join(_Drawing(diagnostic, texts, paint, max(width, _NARROWEST)).lines())


@dataclass(frozen=True, slots=True)
class _Mark:
    """What to underline in one line: columns from 0, the sign, what to say."""

    line: int
    start: int
    end: int
    primary: bool
    text: str


@dataclass(frozen=True, slots=True)
class _Drawing:
    diagnostic: Diagnostic
    texts: Mapping[str, Text]
    paint: Paint
    width: int

    def lines(self) -> Iterator[str]:
        diagnostic = self.diagnostic
        severity = diagnostic.severity.value
        head = self.paint(f"{severity} {diagnostic.code}", severity)
        yield f"{head}: {self.paint(_short(diagnostic.message), 'strong')}"
        if diagnostic.primary is not None:
            yield from self._source(diagnostic.primary)
        elif diagnostic.address:
            yield f"  {self.paint(visible(diagnostic.address), 'place')}"
        for note in diagnostic.notes:
            yield from self._wrapped("note", note)
        if diagnostic.help:
            yield from self._wrapped("help", diagnostic.help)
        yield from self._edits()

    def _source(self, primary: Label) -> Iterator[str]:
        yield f"  {self.paint('-->', 'place')} {place(primary.span, self.texts)}{self._heading(primary.span)}"
        own = [label for label in self.diagnostic.secondary if label.span.source == primary.span.source]
        yield from self._snippet(primary.span.source, [(primary, True), *((label, False) for label in own)])
        others = sorted(
            (label for label in self.diagnostic.secondary if label.span.source != primary.span.source),
            key=lambda label: label.span,
        )
        for source, labels in groupby(others, key=lambda label: label.span.source):
            group = [(label, False) for label in labels]
            yield f"  {self.paint(':::', 'place')} {place(group[0][0].span, self.texts)}"
            yield from self._snippet(source, group)

    def _heading(self, span: Span) -> str:
        """The step around a place with its title; else the pointer or the address."""
        if self.diagnostic.pointer is not None:
            return f"  {_way(self.diagnostic.pointer)}" if self.diagnostic.pointer else ""
        parts = self.diagnostic.address.split("/")
        text = self.texts.get(span.source)
        if text is not None:
            for number in range(text.position(span.start).line, 0, -1):
                found = _STEP.match(text.line(number))
                if found and found["id"] in parts:
                    return f"  {found['id']}" + (f' "{visible(found["title"])}"' if found["title"] else "")
        return f"  {_short(self.diagnostic.address)}" if self.diagnostic.address else ""

    def _snippet(self, source: str, labels: Iterable[tuple[Label, bool]]) -> Iterator[str]:
        text = self.texts.get(source)
        if text is None:
            return
        marks = sorted((_mark(label, text, primary=primary) for label, primary in labels), key=lambda m: m.line)
        gutter = len(str(marks[-1].line))
        yield self._margin(gutter)
        last = marks[0].line
        for number, group in groupby(marks, key=lambda mark: mark.line):
            if number > last + 1:
                yield f"{self.paint('...', 'place')}"
            last = number
            yield from self._line(text.line(number), number, gutter, sorted(group, key=lambda m: (m.start, m.end)))

    def _line(self, line: str, number: int, gutter: int, marks: list[_Mark]) -> Iterator[str]:
        room = self.width - gutter - 3
        focus = next((mark for mark in marks if mark.primary), marks[0])
        shown, shift = _cut(visible(line), columns(visible(line[: focus.start])), room)
        yield self._margin(gutter, str(number), shown)
        for mark in marks:
            start = max(columns(visible(line[: mark.start])) - shift, 0)
            wide = max(columns(visible(line[mark.start : mark.end])), 1)
            if start >= room:
                continue
            sign, role = ("^", self.diagnostic.severity.value) if mark.primary else ("-", "place")
            drawn = sign * min(wide, room - start) + (f" {visible(mark.text)}" if mark.text else "")
            yield self._margin(gutter, "", " " * start + self.paint(drawn, role))

    def _margin(self, gutter: int, number: str = "", content: str = "") -> str:
        bar = self.paint(f"{number:>{gutter}} |", "place")
        return f"{bar} {content}" if content else bar

    def _wrapped(self, word: str, text: str) -> Iterator[str]:
        indent = " " * (len(word) + 2)
        wrapped = textwrap.wrap(
            visible(text), max(self.width - len(indent), 20), break_long_words=False, break_on_hyphens=False
        )
        yield f"{self.paint(word, 'strong')}: {wrapped[0] if wrapped else ''}"
        yield from (f"{indent}{line}" for line in wrapped[1:])

    def _edits(self) -> Iterator[str]:
        """The lines as they are once all edits are made, with those that go."""
        known = {each.span.source for each in self.diagnostic.edits} & self.texts.keys()
        for source in sorted(known):
            text = self.texts[source]
            new = edited(text, (each for each in self.diagnostic.edits if each.span.source == source)).split("\n")
            yield from islice(self._changed(text.content.split("\n"), new), _MOST_LINES)

    def _changed(self, old: list[str], new: list[str]) -> Iterator[str]:
        first = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        most = min(len(old), len(new)) - first
        last = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
        before, after = old[first : len(old) - last][:_COMPARED], new[first : len(new) - last][:_COMPARED]
        for tag, one, two, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag == "delete":
                gone = enumerate(before[one:two], first + one + 1)
                yield from (f"{self.paint(f'{number} -', 'error')} {visible(line)}" for number, line in gone)
            elif tag != "equal":
                added = enumerate(after[start:end], first + start + 1)
                yield from (f"{self.paint(f'{n} +', 'add')} {self.paint(visible(each), 'add')}" for n, each in added)


def _mark(label: Label, text: Text, *, primary: bool) -> _Mark:
    start = text.position(label.span.start)
    end = text.position(max(label.span.end, label.span.start))
    stop = end.column - 1 if end.line == start.line else len(text.line(start.line))
    return _Mark(start.line, start.column - 1, stop, primary, label.text)


def _cut(line: str, focus: int, room: int) -> tuple[str, int]:
    """The part of a line that fits around a column, and how far it was shifted to the left."""
    if columns(line) <= room:
        return line, 0
    if focus <= room * 2 // 3:
        return line[: room - 1] + "…", 0
    shift = focus - room // 3
    rest = line[shift + 1 :]
    return "…" + (rest if columns(rest) < room else rest[: room - 2] + "…"), shift
