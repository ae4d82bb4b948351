"""Which lines of the rules the parts of a chapter and the boxes of a chart tell of: for programs that show both."""

import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rulewright.base.source import Span, Text
from rulewright.cli.command_files import read_text, write_file
from rulewright.cli.output import make_stop
from rulewright.cli.reports import render_template
from rulewright.cli.ruleset_loading import load_program, unwrap_or_stop
from rulewright.documents.procedure_arguments import find_procedure
from rulewright.editor.folding_and_colours import list_folding_ranges
from rulewright.program.declarations import Procedure, Program
from rulewright.wording.chapter.document import PlacedPart
from rulewright.wording.charts.chart_rendering import BoxDrawn, lay_out_chart
from rulewright.wording.charts.flow_chart import make_chart

PLACES_FORMAT_VERSION = 1


class LineLocator:
    """Lines of texts, which are read when they are asked for first."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Text, dict[int, int]]] = {}

    def locate_span(self, span: Span) -> dict[str, Any]:
        """A place as data: its `file`, its first `line`, and as `end` the last of what stands below its head."""
        if span.source not in self._known:
            text = read_text(span.source)
            self._known[span.source] = (
                text,
                {folding_range.first: folding_range.last for folding_range in list_folding_ranges(text)},
            )
        text, lasts = self._known[span.source]
        first, last = text.get_position(span.start).line, text.get_position(max(span.start, span.end - 1)).line
        return {"file": span.source, "line": first, "end": max(last, lasts.get(first, last))}


def chapter_places_json(title: str, places: Iterable[PlacedPart]) -> dict[str, Any]:
    """The places of a chapter as data."""
    lines = LineLocator()
    return {
        "version": PLACES_FORMAT_VERSION,
        "title": title,
        "places": [{"anchor": place.anchor, **lines.locate_span(place.span)} for place in places],
    }


def chart_places_json(
    ruleset: str, name: str | None, overlays: tuple[str, ...], at: str | None, file: str | None
) -> dict[str, Any]:
    """The procedures of a ruleset, and the boxes of one with their lines and where they stand; every key is there.

    The one that is named is drawn, else that which stands at a line, else the first of that file, else the first of
    all; none where there is none.

    Raises:
        Stop: the ruleset cannot be read or has errors, there is no such procedure, or the file cannot be written.
    """
    program, _ = load_program(ruleset, overlays)
    lines = LineLocator()
    procedure = _choose_placed_procedure(name, at, program)
    data: dict[str, Any] = {
        "version": PLACES_FORMAT_VERSION,
        "procedure": procedure and procedure.name,
        "procedures": [
            {"name": item.name, "title": item.title, **lines.locate_span(item.span)}
            for item in program.procedures.values()
        ],
        "width": 0,
        "height": 0,
        "boxes": [],
    }
    if procedure is None:
        return data
    made = make_chart(procedure, program)
    page = lay_out_chart(made)
    spans = {procedure.name: procedure.span, **{step.address: step.span for step in procedure.steps}}
    boxes = [
        {"id": box.id, "title": box.title, **lines.locate_span(spans[box.address]), **_box_corners_json(drawn)}
        for box, drawn in zip(made.boxes, page.boxes, strict=False)
    ]
    if file is not None:
        write_file(Path(file), render_template("chart.svg", page))
    return {**data, "width": page.width, "height": page.height, "boxes": boxes}


def _box_corners_json(drawn: BoxDrawn) -> dict[str, int]:
    return {"x": drawn.x, "y": drawn.y, "width": drawn.width, "height": drawn.height}


def _choose_placed_procedure(name: str | None, at: str | None, program: Program) -> Procedure | None:
    if name is not None:
        return unwrap_or_stop(find_procedure(name, program))
    standing = _find_procedure_at(at, program) if at is not None else None
    beside = [
        procedure
        for procedure in program.procedures.values()
        if at is not None and _is_in_file(at.rpartition(":")[0], procedure)
    ]
    return standing or next(iter([*beside, *program.procedures.values()]), None)


def require_procedure_at(at: str, program: Program) -> Procedure:
    """The procedure that stands at `FILE:LINE`; stops with RW1208 where none does, and where there is no such file."""
    result = _find_procedure_at(at, program)
    if result is None:
        raise make_stop("RW1208", f"there is no procedure at `{at}`", "name a line of a procedure")
    return result


def _is_in_file(file: str, procedure: Procedure) -> bool:
    return posixpath.normpath(procedure.span.source) == posixpath.normpath(file)


def _find_procedure_at(at: str, program: Program) -> Procedure | None:
    file, _, number = at.rpartition(":")
    line = int(number) if number.isascii() and number.isdecimal() else 0
    lines = LineLocator()
    for procedure in program.procedures.values():
        if _is_in_file(file, procedure):
            place = lines.locate_span(procedure.span)
            if place["line"] <= line <= place["end"]:
                return procedure
    return None
