"""Boards as SVG: pages with lengths become one drawing that needs no other file."""

from collections.abc import Callable, Iterable, Iterator
from html import escape

from rulewright.base.diagnostics.terminal import make_lines_visible
from rulewright.play.board_drawing_parts import CounterDrawn, LegendLine
from rulewright.play.grid_drawing import BoardPage, CellDrawn, MarkDrawn
from rulewright.play.plane_drawing import LabelDrawn, OutlineDrawn, PlanePage

_STYLE = """\
<style>
.p0{fill:white}.p1{fill:black}.p2,.p4{fill:#bbb}.p3{stroke-width:4}.p4{stroke-width:2;stroke-dasharray:4 2}.nobody{stroke-dasharray:2 2}
.p0,.p1,.p2,.p3,.p4,.nobody,.side,.mark,.cross,.wall,.found,.legal{stroke:currentColor}.p0,.p2,.nobody{stroke-width:1.6}
text.p0,text.p2,text.p4{fill:black}text.p1{fill:white}text.p3,text.nobody{fill:currentColor}
.letters{stroke:none;font-weight:bold;text-anchor:middle}.over text{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}
.side{stroke-width:5;stroke-linecap:round}.s1{stroke-dasharray:1 8}.s2{stroke-dasharray:9 7}.s3{stroke-width:2}
.mark,.cross,.found{stroke-width:2}.found{fill:none;stroke-dasharray:5 3}.cells,.frame{stroke:#777}.way{stroke-width:.6}.hull{stroke-width:3}
.dot{fill:none;stroke-linecap:round}.legal{stroke-width:4}.refused{stroke:#999;stroke-width:2}.wall{fill:url(#g1)}
.paper,.cells,circle.p3,circle.nobody,polygon.p3,polygon.nobody,.mark,.hull{fill:white;fill:var(--paper,white)}
.way,.over text{stroke:white;stroke:var(--paper,white)}
</style>"""
_GROUND_PATHS = (
    "M0 8L8 0",
    "M0 0L8 8",
    "M0 4L8 4",
    "M4 0L4 8",
    "M0 8L8 0M0 0L8 8",
    "M0 4L8 4M4 0L4 8",
    "M3 4L5 4",
    "M0 2L4 6L8 2",
    "M2 2L2 6M6 2L6 6",
    "M2 2L6 2M2 6L6 6",
    "M2 4L4 2L6 4L4 6z",
    "M0 6L2 2L4 6L6 2L8 6",
)
_WIDE_TEXT = 3
"""Letters from which on a text is set smaller."""
_SMALL_COUNTER_RADIUS = 12
_SIDE_STYLE_COUNT = 4


def render_board_svg(page: BoardPage) -> str:
    """SVG of a board of hexes or squares."""
    return _join_lines(_board_lines(page))


def render_plane_svg(page: PlanePage) -> str:
    """SVG of the plane."""
    return _join_lines(_plane_lines(page))


def _join_lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _text(text: str) -> str:
    return escape(make_lines_visible(text)).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")


def _head_lines(page: BoardPage | PlanePage) -> Iterator[str]:
    size = f'width="{page.width}" height="{page.height}" viewBox="0 0 {page.width} {page.height}"'
    looks = 'role="img" font-family="system-ui, sans-serif" font-size="13" fill="currentColor"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} {looks}>'
    yield f"<title>{_text(page.title)}</title>"
    yield _STYLE
    yield "<defs>"
    for number, path in enumerate(_GROUND_PATHS, 1):
        paper = '<rect width="8" height="8" class="paper"/>'
        drawn = f'<path d="{path}" stroke="#888" stroke-width="1.2" fill="none"/>'
        yield f'<pattern id="g{number}" width="8" height="8" patternUnits="userSpaceOnUse">{paper}{drawn}</pattern>'
    yield "</defs>"
    yield ""


def _board_lines(page: BoardPage) -> Iterator[str]:
    yield from _head_lines(page)
    yield f'<defs><polygon id="cell" points="{page.outline}"/></defs>'
    yield '<rect width="100%" height="100%" class="paper"/>'
    yield '<g class="cells">'
    yield from map(_draw_cell, page.cells)
    yield "</g>"
    yield '<g font-size="9" text-anchor="middle" class="over">'
    for cell in page.cells:
        yield f'<text x="{cell.x}" y="{round(cell.y + page.top, 1)}">{_text(cell.place)}</text>'
    yield "</g>"
    for side in page.sides:
        ends = f'x1="{side.x}" y1="{side.y}" x2="{side.to_x}" y2="{side.to_y}"'
        yield f'<line {ends} class="side s{side.key % _SIDE_STYLE_COUNT}"/>'
    for counter in page.counters:
        yield from _counter_lines(counter)
    yield '<g text-anchor="middle" font-weight="bold" class="over">'
    for more in page.more:
        yield f'<text x="{more.x}" y="{more.y + 4}" font-size="11">{_text(more.text)}</text>'
    yield "</g>"
    for mark in page.marks:
        yield from _mark_lines(mark)
    for entry in page.entries:
        yield from _legend_lines(entry)
    yield "</svg>"


def _draw_cell(cell: CellDrawn) -> str:
    ground = f' fill="url(#g{(cell.ground - 1) % len(_GROUND_PATHS) + 1})"' if cell.ground else ""
    return f'<use href="#cell" x="{cell.x}" y="{cell.y}"{ground}/>'


def _counter_lines(counter: CounterDrawn) -> Iterator[str]:
    if counter.pointer:
        yield f'<polygon points="{counter.pointer}" class="way"/>'
    yield f'<circle cx="{counter.x}" cy="{counter.y}" r="{counter.radius}" class="{counter.style}"/>'
    size = 13 if len(counter.letters) < _WIDE_TEXT and counter.radius > _SMALL_COUNTER_RADIUS else 10
    place = f'x="{counter.x}" y="{counter.y + 4}"'
    yield f'<text {place} class="{counter.style} letters" font-size="{size}">{_text(counter.letters)}</text>'
    yield ""


def _mark_lines(mark: MarkDrawn) -> Iterator[str]:
    if mark.text:
        yield f'<circle cx="{mark.x}" cy="{mark.y}" r="10" class="mark"/>'
        looks = f'text-anchor="middle" font-weight="bold" font-size="{12 if len(mark.text) < _WIDE_TEXT else 9}"'
        yield f'<text x="{mark.x}" y="{mark.y + 4}" {looks}>{_text(mark.text)}</text>'
    else:
        yield f'<path d="M{mark.x - 5} {mark.y - 5}l10 10m0 -10l-10 10" class="cross"/>'
    yield ""


def _draw_counter_sample(entry: LegendLine) -> str:
    return f'<circle cx="{entry.x + 12}" cy="{entry.y - 4}" r="8" class="{entry.key}"/>'


def _draw_ground_sample(entry: LegendLine) -> str:
    ground = f"url(#g{(int(entry.key) - 1) % len(_GROUND_PATHS) + 1})"
    return f'<rect x="{entry.x}" y="{entry.y - 12}" width="24" height="16" fill="{ground}" class="frame"/>'


def _draw_side_sample(entry: LegendLine) -> str:
    ends = f'x1="{entry.x}" y1="{entry.y - 4}" x2="{entry.x + 24}" y2="{entry.y - 4}"'
    return f'<line {ends} class="side s{int(entry.key) % _SIDE_STYLE_COUNT}"/>'


def _draw_mark_sample(entry: LegendLine) -> str:
    if not entry.key:
        return f'<path d="M{entry.x + 7} {entry.y - 9}l10 10m0 -10l-10 10" class="cross"/>'
    circle = f'<circle cx="{entry.x + 12}" cy="{entry.y - 4}" r="8" class="mark"/>'
    place = f'x="{entry.x + 12}" y="{entry.y}"'
    looks = 'text-anchor="middle" font-size="11" font-weight="bold"'
    return f"{circle}\n<text {place} {looks}>{_text(entry.key)}</text>"


def _draw_legal_base_sample(entry: LegendLine) -> str:
    return f'<circle cx="{entry.x + 12}" cy="{entry.y - 4}" r="8" class="found"/>'


def _draw_dot_sample(entry: LegendLine) -> str:
    return f'<path d="M{entry.x + 12} {entry.y - 4}h0" class="dot {entry.key}"/>'


_SAMPLES: dict[str, Callable[[LegendLine], str]] = {
    "counter": _draw_counter_sample,
    "ground": _draw_ground_sample,
    "side": _draw_side_sample,
    "mark": _draw_mark_sample,
    "found": _draw_legal_base_sample,
    "dot": _draw_dot_sample,
}


def _legend_lines(entry: LegendLine) -> Iterator[str]:
    draw_sample = _SAMPLES.get(entry.sort)
    if draw_sample is not None:
        yield draw_sample(entry)
    yield f'<text x="{entry.x + 34}" y="{entry.y}">{_text(entry.text)}</text>'
    yield ""


def _plane_lines(page: PlanePage) -> Iterator[str]:
    frame = 'x="{}" y="{}" width="{}" height="{}"'.format(*page.frame)
    yield from _head_lines(page)
    yield f'<defs><clipPath id="inside"><rect {frame}/></clipPath></defs>'
    yield '<rect width="100%" height="100%" class="paper"/>'
    yield f'<path d="{page.lines}" stroke="currentColor" stroke-opacity=".15" fill="none"/>'
    yield f'<rect {frame} fill="none" class="frame"/>'
    yield '<g font-size="10">'
    for number in page.numbers:
        anchor = "middle" if number.style == "below" else "end"
        yield f'<text x="{number.x}" y="{number.y}" text-anchor="{anchor}">{_text(number.text)}</text>'
    yield "</g>"
    yield '<g clip-path="url(#inside)">'
    for form in page.forms:
        yield from _form_lines(form)
    yield f'<path d="{page.refused}" class="dot refused"/>'
    yield f'<path d="{page.legal}" class="dot legal"/>'
    yield from map(_draw_letter, page.letters)
    yield "</g>"
    for entry in page.entries:
        yield from _legend_lines(entry)
    yield "</svg>"


def _form_lines(form: OutlineDrawn) -> Iterator[str]:
    if form.pointer:
        yield f'<polygon points="{form.pointer}" class="way"/>'
    if form.radius:
        yield f'<circle cx="{form.x}" cy="{form.y}" r="{form.radius}" class="{form.style}"/>'
    else:
        yield f'<polygon points="{form.corners}" class="{form.style}"/>'


def _draw_letter(letter: LabelDrawn) -> str:
    place, text = f'x="{letter.x}" y="{letter.y}"', _text(letter.text)
    if letter.style not in {"beside", "over"}:
        return f'<text {place} class="{letter.style} letters" font-size="{letter.size}">{text}</text>'
    anchor = ' text-anchor="middle"' if letter.style == "over" else ""
    return f'<g class="over"><text {place}{anchor} font-size="{letter.size}" font-weight="bold">{text}</text></g>'
