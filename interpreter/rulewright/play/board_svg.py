"""Boards as SVG: pages with lengths become one drawing that needs no other file."""

from collections.abc import Callable, Iterable, Iterator
from html import escape

from rulewright.base.diagnostics import make_lines_visible
from rulewright.play.board_drawing_parts import NO_SIDE, CounterDrawn, CounterText, GroundDrawn, LegendLine
from rulewright.play.grid_drawing import BoardPage, CellDrawn, MarkDrawn
from rulewright.play.plane_drawing import LabelDrawn, OutlineDrawn, PlanePage

_SIDES = {
    "red": ("#c0321f", "#fff", "#fff", "M1.2 0v5"),
    "blue": ("#1d4e89", "#fff", "#fff", "M0 1.2h5"),
    "green": ("#2e9e73", "#0d1712", "#000", "M-1 1l2-2M0 5l5-5M4 6l2-2"),
    "yellow": ("#e9b62a", "#1f1700", "#000", "M2 2h0"),
    NO_SIDE: ("#8c8677", "#fff", "", ""),
}
"""By side its colour, that of what is written on it, that of its hatching, and the hatching as a path."""
_TERRAINS = {
    "woods": ("#d3e2c4", "#557c45", 22, 20, "M6 2l4 7H2zM6 9v3M17 12l4 6.5h-8zM17 18.5v1.5"),
    "water": ("#cfe1ee", "#5684a8", 24, 14, "M1 5q3-4 6 0t6 0M13 12q2.5-4 5 0t5 0"),
    "hills": ("#ead9bb", "#98733c", 26, 18, "M2 8q4-8 9 0M14 16q4-8 9 0"),
    "town": ("#e5ddd4", "#74675a", 20, 20, "M3 9l4-4 4 4v5H3zM12 18v-4l3-3 3 3v4z"),
    "wall": ("#b9ae9c", "#6a604f", 12, 8, "M0 .5h12M0 4.5h12M3 .5v4M9 4.5v4"),
}
"""By terrain its colour, that of its pattern, and the pattern: width, height, path."""
_FREE_PATHS = (
    "M0 12L12 0",
    "M0 0L12 12",
    "M6 2v8M2 6h8",
    "M0 6h12",
    "M6 0v12",
    "M5 5h2M11 11h2",
    "M0 9l3-6 3 6 3-6 3 6",
    "M3 6l3-3 3 3-3 3z",
)
_FREE_SIZE = 12
_TERRAIN_SCALE, _SCALE_OF_ANOTHER, _FREE_SCALE = 0.8, 1.6, 0.9
_HATCHED_SIZE, _DOTTED_SIZE = 5, 4
_WIDE_TEXT = 3
"""Letters from which on a text is set smaller."""
_LARGE_TEXT = 11.0
"""Size from which on a text on a counter is in the voice of the game."""
_SIDE_STYLE_COUNT = 4


def _style_lines(styles: Iterable[str], grounds: Iterable[GroundDrawn]) -> Iterator[str]:
    """Looks, in the colours of the page around, else in those of paper."""
    yield "<style>"
    for side in styles:
        named = side if side != NO_SIDE else "line-strong"
        colour, written, *_ = _SIDES[side]
        yield f".{side}{{{_themed('fill', named, colour)}}}"
        yield f"text.{side}{{{_themed('fill', f'on-{side}', written)};{_themed('stroke', named, colour)}}}"
    yield f".body{{{_themed('stroke', 'ct-edge', '#444')};stroke-width:1.4}}.way{{stroke-width:0}}.hull{{fill-opacity:.4}}"
    yield ".ct{text-anchor:middle;font-weight:700;paint-order:stroke;stroke-width:4px;stroke-linejoin:round}"
    yield ".big{font-family:Georgia,serif;font-family:var(--serif,Georgia,serif)}"
    clear, edge = _themed("fill", "t-clear", "#f6f1e3"), _themed("stroke", "t-clear-edge", "#cfc6b1")
    yield f".cells{{{edge};{clear};stroke-width:1.5}}.field{{{clear}}}.frame{{fill:none;{edge}}}"
    halo = f"{_themed('fill', 'board-text', '#5a5444')};{_themed('stroke', 't-clear', '#f6f1e3')}"
    yield f".over text{{paint-order:stroke;stroke-width:3px;stroke-linejoin:round;{halo}}}"
    paper, accent = _themed("fill", "surface", "#fff"), _themed("stroke", "accent", "#5b35a8")
    yield f".paper,.mark{{{paper}}}.found,.legal{{{accent};fill:none}}.found{{stroke-width:2;stroke-dasharray:5 3}}"
    yield ".side{stroke:currentColor;stroke-width:6;stroke-linecap:round}"
    yield f".water{{{_themed('stroke', 't-water-ink', '#5684a8')}}}"
    yield ".s1{stroke-dasharray:1 8}.s2{stroke-dasharray:9 7}.s3{stroke-width:2}"
    yield f".num{{{_themed('fill', 'accent', '#5b35a8')};font-weight:700;text-anchor:middle}}"
    yield ".cross{stroke-width:2;stroke:currentColor;stroke-opacity:.55}.dot{fill:none;stroke-linecap:round}"
    yield ".legal{stroke-opacity:.16}.refused{stroke:#999;stroke-width:2}.wall{fill:url(#g1);stroke:#6a604f}"
    for ground in grounds:
        colour, ink, *_ = _TERRAINS.get(ground.terrain, ("#f3efe6", "#8c8677"))
        names = (f"t-{ground.terrain}", f"t-{ground.terrain}-ink") if ground.terrain else ("sunken", "line-strong")
        fill, stroke = _themed("fill", names[0], colour), _themed("stroke", names[1], ink)
        yield f".f{ground.key}{{{fill}}}.i{ground.key}{{{stroke}}}"
    yield ".p{fill:none;stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round}"
    yield "</style>"


def _themed(name: str, variable: str, colour: str) -> str:
    """A declaration with a colour of the page around, and one for readers that know no variables."""
    return f"{name}:{colour};{name}:var(--{variable},{colour})"


def _pattern_lines(styles: Iterable[str], grounds: Iterable[GroundDrawn]) -> Iterator[str]:
    yield "<defs>"
    for side in styles:
        *_, ink, path = _SIDES[side]
        if path:
            size = _DOTTED_SIZE if side == "yellow" else _HATCHED_SIZE
            drawn = f'<path d="{path}" class="p" stroke="{ink}" stroke-opacity=".45"/>'
            ground_rect = f'<rect width="5" height="5" class="{side}"/>'
            yield f'<pattern id="{side}" {_pattern_size(size, size)}>{ground_rect}{drawn}</pattern>'
    for ground in grounds:
        free = ("", "", _FREE_SIZE, _FREE_SIZE, _FREE_PATHS[ground.free])
        _, _, width, height, path = _TERRAINS.get(ground.terrain, free)
        scale = round(_TERRAIN_SCALE * _SCALE_OF_ANOTHER**ground.again, 2) if ground.terrain else _FREE_SCALE
        head = f'<pattern id="g{ground.key}" {_pattern_size(width, height)} patternTransform="scale({scale})">'
        drawn = f'<path d="{path}" class="p i{ground.key}"/>'
        yield f'{head}<rect width="{width}" height="{height}" class="f{ground.key}"/>{drawn}</pattern>'
    yield "</defs>"


def _pattern_size(width: int, height: int) -> str:
    return f'width="{width}" height="{height}" patternUnits="userSpaceOnUse"'


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
    yield from _style_lines(page.styles, page.grounds)
    yield from _pattern_lines(page.styles, page.grounds)
    yield ""


def _board_lines(page: BoardPage) -> Iterator[str]:
    yield from _head_lines(page)
    yield f'<defs><polygon id="cell" points="{page.outline}"/></defs>'
    yield '<rect width="100%" height="100%" class="paper"/>'
    yield '<g class="cells">'
    yield from map(_draw_cell, page.cells)
    yield "</g>"
    yield '<g font-size="10.5" text-anchor="middle" class="over">'
    for cell in page.cells:
        yield f'<text x="{cell.x}" y="{round(cell.y + page.top, 1)}">{_text(cell.place)}</text>'
    yield "</g>"
    for side in page.sides:
        ends = f'x1="{side.x}" y1="{side.y}" x2="{side.to_x}" y2="{side.to_y}"'
        yield f'<line {ends} class="side s{side.key % _SIDE_STYLE_COUNT}{side.terrain and f" {side.terrain}"}"/>'
    for counter in page.counters:
        yield from _counter_lines(counter)
    yield '<g text-anchor="middle" font-weight="bold" class="over">'
    for more in page.more:
        yield f'<text x="{more.x}" y="{more.y + 4}" font-size="11">{_text(more.text)}</text>'
    yield "</g>"
    for mark in page.marks:
        yield from _mark_lines(mark)
    yield '<g class="legend">'
    for entry in page.entries:
        yield from _legend_lines(entry)
    yield "</g>"
    yield "</svg>"


def _draw_cell(cell: CellDrawn) -> str:
    ground = f' fill="url(#g{cell.ground})"' if cell.ground else ""
    return f'<use href="#cell" x="{cell.x}" y="{cell.y}"{ground}/>'


def _side_fill(side: str) -> str:
    colour, *_, path = _SIDES[side]
    return f'fill="url(#{side})"' if path else f'fill="{colour}"'


def _draw_written(line: CounterText | LabelDrawn, side: str) -> str:
    looks = f"{side} ct big" if line.size > _LARGE_TEXT else f"{side} ct"
    return f'<text x="{line.x}" y="{line.y}" class="{looks}" font-size="{line.size}">{_text(line.text)}</text>'


def _counter_lines(counter: CounterDrawn) -> Iterator[str]:
    if counter.pointer:
        yield f'<polygon points="{counter.pointer}" class="{counter.style} way"/>'
    left, top, size = round(counter.x - counter.radius, 1), round(counter.y - counter.radius, 1), 2 * counter.radius
    shape = f'x="{left}" y="{top}" width="{size}" height="{size}" rx="{round(counter.radius / 4, 1)}"'
    yield f'<g data-thing="{_text(counter.id)}"><rect {shape} class="body" {_side_fill(counter.style)}/>'
    for line in counter.lines:
        yield _draw_written(line, counter.style)
    yield "</g>"


def _mark_lines(mark: MarkDrawn) -> Iterator[str]:
    if mark.text:
        yield f'<circle cx="{mark.x}" cy="{mark.y}" r="12" class="mark"/>'
        looks = f'class="num" font-size="{16 if len(mark.text) < _WIDE_TEXT else 11}"'
        yield f'<text x="{mark.x}" y="{mark.y + 5.5}" {looks}>{_text(mark.text)}</text>'
    else:
        yield f'<path d="M{mark.x - 5} {mark.y - 5}l10 10m0 -10l-10 10" class="cross"/>'


def _draw_counter_sample(entry: LegendLine) -> str:
    return f'<rect x="{entry.x + 10}" y="{entry.y - 12}" width="16" height="16" rx="4" {_side_fill(entry.key)}/>'


def _draw_ground_sample(entry: LegendLine) -> str:
    return f'<rect x="{entry.x + 2}" y="{entry.y - 12}" width="24" height="16" rx="4" fill="url(#g{entry.key})"/>'


def _draw_side_sample(entry: LegendLine) -> str:
    ends = f'x1="{entry.x + 4}" y1="{entry.y - 4}" x2="{entry.x + 26}" y2="{entry.y - 4}"'
    return f'<line {ends} class="side s{int(entry.key) % _SIDE_STYLE_COUNT}"/>'


def _draw_mark_sample(entry: LegendLine) -> str:
    if not entry.key:
        return f'<path d="M{entry.x + 12} {entry.y - 9}l10 10m0 -10l-10 10" class="cross"/>'
    return f'<text x="{entry.x + 17}" y="{entry.y}" class="num" font-size="13">{_text(entry.key)}</text>'


def _draw_legal_base_sample(entry: LegendLine) -> str:
    return f'<circle cx="{entry.x + 17}" cy="{entry.y - 4}" r="8" class="found"/>'


def _draw_dot_sample(entry: LegendLine) -> str:
    wide = ' stroke-width="16"' if entry.key == "legal" else ""
    return f'<path d="M{entry.x + 17} {entry.y - 4}h0" class="dot {entry.key}"{wide}/>'


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
    is_of_search = entry.sort in {"found", "dot"}
    if is_of_search:
        yield '<g class="searched">'
    if draw_sample is not None:
        yield draw_sample(entry)
    yield f'<text x="{entry.x + (34 if entry.sort else 10)}" y="{entry.y}">{_text(entry.text)}</text>'
    if is_of_search:
        yield "</g>"


def _plane_lines(page: PlanePage) -> Iterator[str]:
    frame = 'x="{}" y="{}" width="{}" height="{}"'.format(*page.frame)
    yield from _head_lines(page)
    yield f'<defs><clipPath id="inside"><rect {frame}/></clipPath></defs>'
    yield '<rect width="100%" height="100%" class="paper"/>'
    yield f'<rect {frame} class="field"/>'
    yield f'<path d="{page.lines}" class="frame" stroke-opacity=".8"/>'
    yield f'<rect {frame} class="frame"/>'
    yield '<g font-size="10">'
    for number in page.numbers:
        anchor = "middle" if number.style == "below" else "end"
        yield f'<text x="{number.x}" y="{number.y}" text-anchor="{anchor}">{_text(number.text)}</text>'
    yield "</g>"
    yield '<g clip-path="url(#inside)">'
    yield f'<path d="{page.legal}" class="dot legal" stroke-width="{page.legal_width}"/>'
    yield f'<path d="{page.refused}" class="dot refused"/>'
    for form in page.forms:
        yield from _form_lines(form)
    yield from map(_draw_letter, page.letters)
    yield "</g>"
    yield '<g class="legend">'
    for entry in page.entries:
        yield from _legend_lines(entry)
    yield "</g>"
    yield "</svg>"


def _form_lines(form: OutlineDrawn) -> Iterator[str]:
    side, *hull = form.style.split()
    if form.pointer:
        yield f'<polygon points="{form.pointer}" class="{side} way"/>'
    looks = f'class="{" ".join(["body", *hull])}" {_side_fill(side)}' if side in _SIDES else f'class="{side}"'
    if form.radius:
        yield f'<circle cx="{form.x}" cy="{form.y}" r="{form.radius}" {looks}/>'
    else:
        yield f'<polygon points="{form.corners}" {looks}/>'


def _draw_letter(letter: LabelDrawn) -> str:
    if letter.style not in {"beside", "over"}:
        return _draw_written(letter, letter.style)
    anchor = ' text-anchor="middle"' if letter.style == "over" else ""
    looks = f'x="{letter.x}" y="{letter.y}"{anchor} font-size="{letter.size}" font-weight="bold"'
    return f'<g class="over"><text {looks}>{_text(letter.text)}</text></g>'
