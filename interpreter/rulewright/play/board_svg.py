"""Boards as SVG: what all drawings share, and boards of hexes or squares; a drawing needs no other file."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import cos, radians, sin, sqrt
from textwrap import wrap
from types import MappingProxyType

from rulewright.base.diagnostics import make_lines_visible
from rulewright.base.frozen import dataclass
from rulewright.play.board_drawing_parts import NO_SIDE, Figure
from rulewright.play.grid_drawing import (
    MARK_MEANINGS,
    REFUSED_MARK,
    BoardWindow,
    CellContent,
    DrawnBoard,
    select_window,
)
from rulewright.runtime.values import Cell
from rulewright.wording.english import speak_name

LINE_HEIGHT = 20
MIN_PAGE_WIDTH = 420.0
"""In units of SVG; so that a legend has room."""
_SAMPLE_WIDTH = 34
_LETTER_WIDTH = 7.0
_LEGEND_GAP = 20.0
_POINTER_HALF_WIDTH = 7.0
_MAX_NAMED_ITEMS = 40
_MAX_NAME_LENGTH = 12
_NAME_SIZE, _MIN_NAME_SIZE, _NAME_WIDTH = 10.0, 5.5, 0.58
"""Size of a name on a counter, and the width of a letter in parts of it."""
_TERRAIN_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "water": "water river lake sea pond stream ocean marsh swamp ford",
        "woods": "wood woods forest forests tree trees jungle grove orchard scrub",
        "wall": "wall walls pillar rock rocks rubble ruin ruins hedge barricade blocked block obstacle",
        "town": "town city village building buildings house houses castle fort camp base",
        "hills": "hill hills mountain mountains ridge height elevation high slope rough",
    }
)
"""What sorts of ground are drawn as, by words that name them."""
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


@dataclass(frozen=True, slots=True)
class GroundDrawn:
    """How a sort of ground is drawn: `woods`, `water`, `hills`, `town`, `wall`, or a free pattern by its number."""

    key: int
    terrain: str
    free: int = 0
    again: int = 0  # how many sorts before it are drawn as the same terrain; their pattern is wider


def find_terrain(words: str) -> str:
    """The terrain that words name, such as `woods`; empty if none.

    >>> find_terrain("height 2"), find_terrain("deep water"), find_terrain("costs dice")
    ('hills', 'water', '')
    """
    found = frozenset(re.findall(r"[a-z]+", words.lower()))
    return next((terrain for terrain, named in _TERRAIN_WORDS.items() if not found.isdisjoint(named.split())), "")


def choose_grounds(words: Mapping[int, str]) -> tuple[GroundDrawn, ...]:
    """How sorts of ground are drawn, by number: as the terrain that their words name, else with the next free pattern."""
    used: Counter[str] = Counter()
    result = []
    for key, item in words.items():
        terrain = find_terrain(item)
        drawn = GroundDrawn(key, terrain, 0 if terrain else used[terrain] % len(_FREE_PATHS), used[terrain])
        used[terrain] += 1
        result.append(drawn)
    return tuple(result)


def round_length(number: float) -> float:
    """A length with one decimal at most, as SVG writes it."""
    rounded = round(number, 1)
    return int(rounded) if rounded == int(rounded) else rounded


def svg_points(corners: Iterable[tuple[float, float]]) -> str:
    """Corners as an SVG `points` attribute."""
    return " ".join(f"{round_length(across)},{round_length(down)}" for across, down in corners)


def pointer_corners(x: float, y: float, reach: float, degrees: float) -> str:
    """SVG points of a triangle at distance `reach` from a centre; degrees clockwise from the right."""
    across, down = cos(radians(degrees)), sin(radians(degrees))
    corners = ((reach + 8, 0.0), (reach, -_POINTER_HALF_WIDTH), (reach, _POINTER_HALF_WIDTH))
    return svg_points(
        (x + ahead * across - sideways * down, y + ahead * down + sideways * across) for ahead, sideways in corners
    )


def join_named_items(items: Sequence[str]) -> str:
    """Comma-separated items, truncated with a count of the rest."""
    more = [f"and {len(items) - _MAX_NAMED_ITEMS} more"] if len(items) > _MAX_NAMED_ITEMS else []
    return ", ".join([*items[:_MAX_NAMED_ITEMS], *more])


def escape_text(text: str) -> str:
    """A text as it stands in SVG."""
    return escape(make_lines_visible(text)).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")


def fill_of_side(side: str) -> str:
    """The attribute that fills a counter or base in the look of a player's side."""
    colour, *_, path = _SIDES[side]
    return f'fill="url(#{side})"' if path else f'fill="{colour}"'


def write_on_counter(  # noqa: PLR0913, PLR0917 - what is written, and where
    name: str, large: str, x: float, y: float, radius: float, side: str
) -> Iterator[str]:
    """SVG of a name at the top of a counter, if there is room for it, and large letters or numbers below."""
    room = 1.8 * radius
    shown = name if len(name) <= _MAX_NAME_LENGTH else f"{name[: _MAX_NAME_LENGTH - 1]}…"
    size = min(_NAME_SIZE, room / (_NAME_WIDTH * max(1, len(shown))))
    if has_name := bool(name) and size >= _MIN_NAME_SIZE:
        yield _write_centred(shown, x, y - 0.48 * radius, size, side)
    if large:
        size = min(0.86 * radius, room / (_NAME_WIDTH * len(large)))
        yield _write_centred(large, x, y + (0.36 if has_name else 0) * radius + size * 0.35, size, side)


def _write_centred(text: str, x: float, y: float, size: float, side: str) -> str:
    size = round_length(size)
    looks = f'class="{side} ct big"' if size > _LARGE_TEXT else f'class="{side} ct"'
    return f'<text x="{round_length(x)}" y="{round_length(y)}" {looks} font-size="{size}">{escape_text(text)}</text>'


LegendItem = tuple[str, str, str]
"""Sort of the sample (`counter`, `ground`, `side`, `mark`, `found`, `dot` or none), its key within the sort, and the text."""


def join_svg(  # noqa: PLR0913 - what every drawing has
    title: str,
    width: float,
    body: Iterable[str],
    *,
    styles: Iterable[str],
    grounds: Sequence[GroundDrawn],
    legend: Iterable[LegendItem],
    legend_place: tuple[float, float, float],
) -> str:
    """A whole drawing: the body, and below it the legend at a place, so wide (x, y, width); as high as that needs."""
    entries, end = _draw_legend(legend, *legend_place)
    size = f'width="{round_length(width)}" height="{end}" viewBox="0 0 {round_length(width)} {end}"'
    looks = 'role="img" font-family="system-ui, sans-serif" font-size="13" fill="currentColor"'
    sides = [*dict.fromkeys(styles)]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {looks}>',
        f"<title>{escape_text(title)}</title>",
        *_style_lines(sides, grounds),
        *_pattern_lines(sides, grounds),
        "",
        *body,
        *('<g class="legend">', *entries, "</g>", "</svg>"),
    ]
    return "".join(f"{line}\n" for line in lines)


def _draw_legend(items: Iterable[LegendItem], x: float, y: float, width: float) -> tuple[list[str], float]:
    """Items beside each other as long as there is room, a long one on lines of its own; and where the legend ends."""
    letters = max(20, int((width - _SAMPLE_WIDTH) / _LETTER_WIDTH))
    across, end, result = 0.0, round_length(y), list[str]()
    for sort, key, text in items:
        wide = _SAMPLE_WIDTH + _LETTER_WIDTH * len(text)
        if across and across + wide > width:
            across, y = 0.0, y + LINE_HEIGHT
        lines = wrap(text, letters)
        for number, line in enumerate(lines):
            y += LINE_HEIGHT if number else 0
            left, down = round_length(x + across), round_length(y)
            result += _draw_legend_entry("" if number else sort, key, line, left, down)
            end = round_length(down + LINE_HEIGHT)
        across = width if len(lines) > 1 else across + wide + _LEGEND_GAP
    return result, end


def _draw_legend_entry(sort: str, key: str, text: str, x: float, y: float) -> Iterator[str]:
    is_of_search = sort in {"found", "dot"}
    yield from ['<g class="searched">'] if is_of_search else ()
    yield from _draw_sample(sort, key, x, y)
    yield f'<text x="{x + (34 if sort else 10)}" y="{y}">{escape_text(text)}</text>'
    yield from ["</g>"] if is_of_search else ()


def _draw_sample(sort: str, key: str, x: float, y: float) -> Iterator[str]:
    match sort:
        case "counter":
            yield f'<rect x="{x + 10}" y="{y - 12}" width="16" height="16" rx="4" {fill_of_side(key)}/>'
        case "ground":
            yield f'<rect x="{x + 2}" y="{y - 12}" width="24" height="16" rx="4" fill="url(#g{key})"/>'
        case "side":
            ends = f'x1="{x + 4}" y1="{y - 4}" x2="{x + 26}" y2="{y - 4}"'
            yield f'<line {ends} class="side s{int(key) % _SIDE_STYLE_COUNT}"/>'
        case "mark" if key:
            yield f'<text x="{x + 17}" y="{y}" class="num" font-size="13">{escape_text(key)}</text>'
        case "mark":
            yield f'<path d="M{x + 12} {y - 9}l10 10m0 -10l-10 10" class="cross"/>'
        case "found":
            yield f'<circle cx="{x + 17}" cy="{y - 4}" r="8" class="found"/>'
        case "dot":
            wide = ' stroke-width="16"' if key == "legal" else ""
            yield f'<path d="M{x + 17} {y - 4}h0" class="dot {key}"{wide}/>'


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


MAX_DRAWN_CELLS_PER_AXIS = 60
"""Columns, and rows, on a page at most."""
_HEX_EDGE = 48.0
"""In units of SVG; a square is as wide as a hex."""
_CELL_WIDTH = _HEX_EDGE * sqrt(3)
_PAGE_MARGIN = 16.0
_SINGLE_COUNTER_RADIUS, _PAIRED_COUNTER_RADIUS, _PAIRED_COUNTER_OFFSET = 25.5, 17.0, 18.5
_COUNTER_DROP, _MARK_OFFSET = 4.0, 33.0
_MAX_DRAWN_COUNTERS = 2


@dataclass(frozen=True, slots=True)
class BoardPage:
    """A board of hexes or squares as SVG, and where things are in it, in its units."""

    svg: str
    outline: str  # of a cell, as SVG points around its middle
    cells: Mapping[str, tuple[float, float]]  # middles, by key in states
    counters: Mapping[tuple[str, int], tuple[float, float, float]]  # by kind and number: middle, half a side


def lay_out_board(board: DrawnBoard, around: Cell | None = None) -> BoardPage:
    """Page of a board, or of its window around a cell or what matters most."""
    window = select_window(board, MAX_DRAWN_CELLS_PER_AXIS, MAX_DRAWN_CELLS_PER_AXIS, around)
    return _BoardLayout(board, window).make_board_page()


class _BoardLayout:
    def __init__(self, board: DrawnBoard, shown: BoardWindow) -> None:
        self._board = board
        self._window = shown
        self._shift = board.shifts.rpartition(" ")[2]
        self._is_odd_shifted = board.shifts.startswith("odd")
        self._ground_numbers = {sign: number for number, sign in enumerate(board.grounds, 1)}
        self._sides = [side for side in board.sides if all(map(shown.contains, map(board.column_and_row, side[:2])))]
        self._side_numbers = {
            words: number for number, words in enumerate(dict.fromkeys(side[2] for side in self._sides))
        }
        self._counters: dict[tuple[str, int], tuple[float, float, float]] = {}
        self._styles: list[str] = []

    def make_board_page(self) -> BoardPage:
        board = self._board
        inside = {
            cell: self._cell_middle(cell) for at, cell in sorted(board.cells.items()) if self._window.contains(at)
        }
        spots = [(inside[cell], spot) for cell, spot in board.contents.items() if cell in inside]
        right = max((x for x, _ in inside.values()), default=0.0) + _CELL_WIDTH / 2 + _HEX_EDGE / 4 + _PAGE_MARGIN
        width = max(MIN_PAGE_WIDTH, right)
        bottom = max((y for _, y in inside.values()), default=0.0) + _HEX_EDGE + _PAGE_MARGIN + LINE_HEIGHT / 2
        cells = {cell: (round_length(x), round_length(y)) for cell, (x, y) in inside.items()}
        signs = {spot.ground for _, spot in spots}
        words = {number: board.grounds[sign] for sign, number in self._ground_numbers.items()}
        grounds = zip(choose_grounds(words), board.grounds, strict=True)
        outline = self._cell_outline()
        svg = join_svg(
            board.name,
            width,
            [*self._draw_ground(cells, outline), *self._draw_contents(inside, spots)],
            styles=self._styles,
            grounds=[ground for ground, sign in grounds if sign in signs],
            legend=self._board_legend_items([spot for _, spot in spots]),
            legend_place=(_PAGE_MARGIN, bottom, width - 2 * _PAGE_MARGIN),
        )
        return BoardPage(svg, outline, {board.cell_key(cell): at for cell, at in cells.items()}, self._counters)

    def _draw_ground(self, cells: Mapping[Cell, tuple[float, float]], outline: str) -> Iterator[str]:
        yield f'<defs><polygon id="cell" points="{outline}"/></defs>'
        yield '<rect width="100%" height="100%" class="paper"/>'
        yield '<g class="cells">'
        for cell, (x, y) in cells.items():
            number = self._ground_numbers.get(self._board.contents.get(cell, CellContent()).ground)
            ground = f' fill="url(#g{number})"' if number else ""
            yield f'<use href="#cell" x="{x}" y="{y}"{ground}/>'
        yield "</g>"
        top = round_length(-_HEX_EDGE * (0.5 if self._shift == "rows" else 0.55))
        yield '<g font-size="10.5" text-anchor="middle" class="over">'
        for cell, (x, y) in cells.items():
            yield f'<text x="{x}" y="{round(y + top, 1)}">{escape_text(self._board.cell_key(cell))}</text>'
        yield "</g>"

    def _draw_contents(
        self, inside: Mapping[Cell, tuple[float, float]], spots: Sequence[tuple[tuple[float, float], CellContent]]
    ) -> Iterator[str]:
        for first, second, words in self._sides:
            if first in inside and second in inside:
                yield self._draw_side(*inside[first], *inside[second], words)
        for (x, y), spot in spots:
            yield from self._draw_counters(spot, x, y)
        yield '<g text-anchor="middle" font-weight="bold" class="over">'
        for (x, y), spot in spots:
            if len(spot.figures) > _MAX_DRAWN_COUNTERS:
                more = f"+{len(spot.figures) - _MAX_DRAWN_COUNTERS}"
                yield f'<text x="{round_length(x)}" y="{round_length(y + 34) + 4}" font-size="11">{more}</text>'
        yield "</g>"
        for (x, y), spot in spots:
            if spot.mark:
                across = x + (_MARK_OFFSET if spot.figures else 0.0)
                yield from _draw_mark(_mark_text(spot.mark), round_length(across), round_length(y + _COUNTER_DROP))

    def _cell_middle(self, cell: Cell) -> tuple[float, float]:
        column, row = self._board.column_and_row(cell)
        across, down = float(column - self._window.columns[0]), float(row - self._window.rows[0])
        left, top = _PAGE_MARGIN + _CELL_WIDTH / 2, _PAGE_MARGIN + _HEX_EDGE
        match self._shift:
            case "rows":
                half = 0.5 if row % 2 == self._is_odd_shifted else 0.0
                return left + (across + half) * _CELL_WIDTH, top + down * 1.5 * _HEX_EDGE
            case "columns":
                half = 0.5 if column % 2 == self._is_odd_shifted else 0.0
                return left + _HEX_EDGE / 8 + across * 1.5 * _HEX_EDGE, top + (down + half) * _CELL_WIDTH
            case _:
                return left + across * _CELL_WIDTH, top + down * _CELL_WIDTH

    def _cell_outline(self) -> str:
        if not self._shift:
            half = _CELL_WIDTH / 2
            return svg_points([(-half, -half), (half, -half), (half, half), (-half, half)])
        first = 30 if self._shift == "rows" else 0
        corners = [radians(first + turn) for turn in range(0, 360, 60)]
        return svg_points((_HEX_EDGE * cos(corner), _HEX_EDGE * sin(corner)) for corner in corners)

    def _draw_side(self, x: float, y: float, to_x: float, to_y: float, words: str) -> str:
        """A line perpendicular to the line between the two centres, at its middle."""
        half = (_HEX_EDGE if self._shift else _CELL_WIDTH) / 2 / sqrt((to_x - x) ** 2 + (to_y - y) ** 2)
        across, down = (to_y - y) * half, (x - to_x) * half
        x, y = (x + to_x) / 2, (y + to_y) / 2
        start = f'x1="{round_length(x - across)}" y1="{round_length(y - down)}"'
        end = f'x2="{round_length(x + across)}" y2="{round_length(y + down)}"'
        terrain = find_terrain(words)
        looks = f"side s{self._side_numbers[words] % _SIDE_STYLE_COUNT}{terrain and f' {terrain}'}"
        return f'<line {start} {end} class="{looks}"/>'

    def _draw_counters(self, spot: CellContent, x: float, y: float) -> Iterator[str]:
        if len(spot.figures) == 1:
            yield from self._draw_counter(spot.figures[0], x, y + _COUNTER_DROP, _SINGLE_COUNTER_RADIUS, alone=True)
            return
        offsets = (-_PAIRED_COUNTER_OFFSET, _PAIRED_COUNTER_OFFSET)
        for offset, figure in zip(offsets, spot.figures, strict=False):
            yield from self._draw_counter(figure, x + offset, y + _COUNTER_DROP, _PAIRED_COUNTER_RADIUS, alone=False)

    def _draw_counter(self, figure: Figure, x: float, y: float, radius: float, *, alone: bool) -> Iterator[str]:
        """A square counter with the name and the numbers of a thing, and a triangle that shows its facing."""
        side, letters = self._board.players.side_colour(figure.owner), self._board.players.figure_letters(figure)
        self._styles.append(side)
        if figure.facing is not None:
            first, step = {"rows": (0, 60), "columns": (30, 60)}.get(self._shift, (-90, 90))
            step = 45 if self._board.space == "square8" else step
            ahead = pointer_corners(x, y, 1.15 * radius if self._shift else radius, first + step * figure.facing)
            yield f'<polygon points="{ahead}" class="{side} way"/>'
        across, down, half = round_length(x), round_length(y), round_length(radius)
        self._counters[figure.kind, figure.number] = across, down, half
        left, top = round(across - half, 1), round(down - half, 1)
        shape = f'x="{left}" y="{top}" width="{2 * half}" height="{2 * half}" rx="{round(half / 4, 1)}"'
        yield f'<g data-thing="{escape_text(figure.id)}"><rect {shape} class="body" {fill_of_side(side)}/>'
        name, large = (speak_name(figure.id), figure.numbers or letters) if alone else ("", letters)
        yield from write_on_counter(name, large, x, y, radius, side)
        yield "</g>"

    def _board_legend_items(self, spots: Sequence[CellContent]) -> Iterator[LegendItem]:
        players, standing = self._board.players, [figure for spot in spots for figure in spot.figures]
        lettered = any(len(spot.figures) > 1 or not figure.numbers for spot in spots for figure in spot.figures)
        for owner, called in players.list_by_owner(standing, lettered=lettered):
            yield "counter", players.side_colour(owner), f"{players.owner_prefix(owner)}{join_named_items(called)}"
        yield from (("", "", words) for words in self._board.numbers if standing)
        signs = {spot.ground for spot in spots}
        grounds = ((sign, words) for sign, words in self._board.grounds.items() if sign in signs)
        yield from (("ground", str(self._ground_numbers[sign]), words) for sign, words in grounds)
        yield from (("side", str(number), words) for words, number in self._side_numbers.items())
        marks = {spot.mark for spot in spots} - {""}
        if marks - MARK_MEANINGS.keys():
            yield "mark", "1", "an answer, by its number"
        yield from (("mark", _mark_text(mark), words) for mark, words in MARK_MEANINGS.items() if mark in marks)
        if self._window.outside_cell_count:
            yield "", "", f"{self._window.outside_cell_count:,} more cells are not drawn"


def _mark_text(mark: str) -> str:
    return "" if mark == REFUSED_MARK else mark


def _draw_mark(text: str, x: float, y: float) -> Iterator[str]:
    """Number of an answer; a cross if the text is empty."""
    if text:
        yield f'<circle cx="{x}" cy="{y}" r="12" class="mark"/>'
        looks = f'class="num" font-size="{16 if len(text) < _WIDE_TEXT else 11}"'
        yield f'<text x="{x}" y="{y + 5.5}" {looks}>{escape_text(text)}</text>'
    else:
        yield f'<path d="M{x - 5} {y - 5}l10 10m0 -10l-10 10" class="cross"/>'
