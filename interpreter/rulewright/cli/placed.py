"""Which lines of the rules the parts of a chapter and the boxes of a chart tell of: for programs that show both."""

import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rulewright.chapter.document import Placed
from rulewright.charts.chart import chart
from rulewright.charts.drawing import BoxDrawn, chart_page
from rulewright.cli.loading import load_program, value_of
from rulewright.cli.named_files import read_text, write
from rulewright.cli.output import stopped
from rulewright.cli.reports import rendered
from rulewright.editing.layout import folds
from rulewright.inputs.arguments import find_procedure
from rulewright.program.declarations import Procedure, Program
from rulewright.source import Span, Text

VERSION = 1


class Lines:
    """Lines of texts, which are read when they are asked for first."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Text, dict[int, int]]] = {}

    def of(self, span: Span) -> dict[str, Any]:
        """A place as data: its `file`, its first `line`, and as `end` the last of what stands below its head."""
        if span.source not in self._known:
            text = read_text(span.source)
            self._known[span.source] = text, {each.first: each.last for each in folds(text)}
        text, lasts = self._known[span.source]
        first, last = text.position(span.start).line, text.position(max(span.start, span.end - 1)).line
        return {"file": span.source, "line": first, "end": max(last, lasts.get(first, last))}


def placed_chapter(title: str, places: Iterable[Placed]) -> dict[str, Any]:
    """The places of a chapter as data."""
    lines = Lines()
    return {
        "version": VERSION,
        "title": title,
        "places": [{"anchor": each.anchor, **lines.of(each.span)} for each in places],
    }


def placed_chart(
    ruleset: str, name: str | None, overlays: tuple[str, ...], at: str | None, file: str | None
) -> dict[str, Any]:
    """The procedures of a ruleset, and the boxes of one with their lines and where they stand; every key is there.

    The one that is named is drawn, else that which stands at a line, else the first of that file, else the first of
    all; none where there is none.

    Raises:
        Stop: the ruleset cannot be read or has errors, there is no such procedure, or the file cannot be written.
    """
    program, _ = load_program(ruleset, overlays)
    lines = Lines()
    procedure = _procedure(name, at, program)
    data: dict[str, Any] = {
        "version": VERSION,
        "procedure": procedure and procedure.name,
        "procedures": [
            {"name": each.name, "title": each.title, **lines.of(each.span)} for each in program.procedures.values()
        ],
        "width": 0,
        "height": 0,
        "boxes": [],
    }
    if procedure is None:
        return data
    made = chart(procedure, program)
    page = chart_page(made)
    spans = {procedure.name: procedure.span, **{each.address: each.span for each in procedure.steps}}
    boxes = [
        {"id": box.id, "title": box.title, **lines.of(spans[box.address]), **_corners(drawn)}
        for box, drawn in zip(made.boxes, page.boxes, strict=False)
    ]
    if file is not None:
        write(Path(file), rendered("chart.svg", page))
    return {**data, "width": page.width, "height": page.height, "boxes": boxes}


def _corners(drawn: BoxDrawn) -> dict[str, int]:
    return {"x": drawn.x, "y": drawn.y, "width": drawn.width, "height": drawn.height}


def _procedure(name: str | None, at: str | None, program: Program) -> Procedure | None:
    if name is not None:
        return value_of(find_procedure(name, program))
    standing = _procedure_at(at, program) if at is not None else None
    beside = [each for each in program.procedures.values() if at is not None and _is_in(at.rpartition(":")[0], each)]
    return standing or next(iter([*beside, *program.procedures.values()]), None)


def procedure_at(at: str, program: Program) -> Procedure:
    """The procedure that stands at `FILE:LINE`; stops with RW1208 where none does, and where there is no such file."""
    found = _procedure_at(at, program)
    if found is None:
        raise stopped("RW1208", f"there is no procedure at `{at}`", "name a line of a procedure")
    return found


def _is_in(file: str, procedure: Procedure) -> bool:
    return posixpath.normpath(procedure.span.source) == posixpath.normpath(file)


def _procedure_at(at: str, program: Program) -> Procedure | None:
    file, _, number = at.rpartition(":")
    line = int(number) if number.isascii() and number.isdecimal() else 0
    lines = Lines()
    for each in program.procedures.values():
        if _is_in(file, each):
            place = lines.of(each.span)
            if place["line"] <= line <= place["end"]:
                return each
    return None
