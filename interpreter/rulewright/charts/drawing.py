"""A chart laid out on a page, and the same as text for Mermaid and Graphviz."""

import re
from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap

from rulewright.chapter.english import first_upper
from rulewright.charts.chart import END, Box, Chart, Note
from rulewright.frozen import dataclass

_SIGNS = {"only": "◇", "choice": "◆", "roll": "⚄", "decide": "=", "call": "▸", "event": "✦", "jump": "→"}
_LETTERS = 62
_LINE, _PAD, _GAP = 18, 10, 26
_LEFT, _WIDTH, _LANE = 20, 480, 16


@dataclass(frozen=True, slots=True)
class TextDrawn:
    """A line of text at a place; `is_head` of the title of a box."""

    x: int
    y: int
    text: str
    is_head: bool = False


@dataclass(frozen=True, slots=True)
class BoxDrawn:
    """A box at a place, with its lines; rounded where it is the end."""

    x: int
    y: int
    width: int
    height: int
    lines: tuple[TextDrawn, ...]
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """A way: points through which it goes; its head is at the last."""

    points: tuple[tuple[int, int], ...]

    @property
    def path(self) -> str:
        """As the path of an SVG."""
        first, *others = [f"{x} {y}" for x, y in self.points]
        return f"M{first}{''.join(f' L{each}' for each in others)}"


@dataclass(frozen=True, slots=True)
class ChartPage:
    """A drawing: its size, boxes and arrows, and its title."""

    title: str
    width: int
    height: int
    boxes: tuple[BoxDrawn, ...]
    arrows: tuple[Arrow, ...]


@dataclass(frozen=True, slots=True)
class _Way:
    """A jump before it has a lane: from a height at the side of one box to that of another."""

    start: int
    end: int


def chart_page(made: Chart) -> ChartPage:
    """A chart on a page: boxes below each other, jumps in lanes at their right side, none across another's text."""
    boxes: list[BoxDrawn] = []
    starts: list[tuple[int, str]] = []
    tops: dict[str, int] = {}
    y = _LEFT
    for box in made.boxes:
        drawn, jumps = _drawn(box, y)
        tops[box.id] = y + _LINE
        starts += jumps
        boxes.append(drawn)
        y += drawn.height + _GAP
    middle = _LEFT + _WIDTH // 2
    label = TextDrawn(middle, y + _LINE, "End", is_head=True)
    end = BoxDrawn(middle - 40, y, 80, _LINE + _PAD, (label,), is_end=True)
    tops[END] = y + (_LINE + _PAD) // 2
    ways = [_Way(start, tops[to]) for start, to in starts if to in tops]
    lanes = _lanes(ways)
    arrows = [*_down(made.boxes, [*boxes, end]), *_sides(ways, lanes, tops[END], end)]
    width = _LEFT + _WIDTH + (max(lanes, default=0) + 2) * _LANE + _LEFT
    return ChartPage(made.title, width, y + end.height + _LEFT, (*boxes, end), tuple(arrows))


def _drawn(box: Box, y: int) -> tuple[BoxDrawn, list[tuple[int, str]]]:
    """A box, and the heights from which jumps leave it, with where they lead."""
    head = f"{box.id}  {box.title}".strip()
    lines: list[TextDrawn] = []
    jumps: list[tuple[int, str]] = []
    at = y + _PAD + _LINE - 5
    for each in wrap(head, _LETTERS):
        lines.append(TextDrawn(_LEFT + _PAD, at, each, is_head=True))
        at += _LINE
    for note in box.notes:
        if note.to:
            jumps.append((at - 5, note.to))
        for number, each in enumerate(wrap(_told(note), _LETTERS - 2)):
            sign = f"{_SIGNS[note.sort]} " if number == 0 else "   "
            lines.append(TextDrawn(_LEFT + _PAD, at, f"{sign}{each}"))
            at += _LINE
    return BoxDrawn(_LEFT, y, _WIDTH, at - y - _LINE + _PAD + 5, tuple(lines)), jumps


def _told(note: Note) -> str:
    """What a note says, without the backticks around code: a drawing has one font."""
    if note.sort == "only":
        return f"only if {note.text}".replace("`", "")
    what = f"go to {'the end' if note.to == END else note.to}" if note.to else note.text
    said = f"{note.when}: {what}" if note.when else what
    return first_upper(said.replace("`", ""))


def _lanes(ways: Sequence[_Way]) -> list[int]:
    """For each jump a lane, counted from the boxes, in which no other goes at the same height."""
    taken: list[list[tuple[int, int]]] = []
    lanes = [0] * len(ways)
    for number in sorted(range(len(ways)), key=lambda each: abs(ways[each].end - ways[each].start)):
        low, high = sorted((ways[number].start, ways[number].end))
        free = (at for at, held in enumerate(taken) if all(high < one or low > other for one, other in held))
        lane = next(free, len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append((low, high))
        lanes[number] = lane
    return lanes


def _down(boxes: Sequence[Box], drawn: Sequence[BoxDrawn]) -> Iterator[Arrow]:
    middle = _LEFT + _WIDTH // 2
    for number, box in enumerate(boxes):
        if box.goes_on:
            one, other = drawn[number], drawn[number + 1]
            yield Arrow(((middle, one.y + one.height), (middle, other.y)))


def _sides(ways: Sequence[_Way], lanes: Sequence[int], bottom: int, end: BoxDrawn) -> Iterator[Arrow]:
    right = _LEFT + _WIDTH
    for way, lane in zip(ways, lanes, strict=True):
        at = right + (lane + 1) * _LANE
        edge = end.x + end.width if way.end == bottom else right
        yield Arrow(((right, way.start), (at, way.start), (at, way.end), (edge, way.end)))


# As text for other tools.


def mermaid(made: Chart) -> str:
    """A chart in the notation of Mermaid."""
    ids = _ids(made)
    lines = ["flowchart TD"]
    lines += [f'  {ids[box.id]}["{_lines(box, "<br/>", _plain)}"]' for box in made.boxes]
    lines.append(f"  {ids[END]}([End])")
    lines += [f"  {one} -->{f'|{_plain(label)}|' if label else ''} {other}" for one, other, label in _edges(made, ids)]
    return "\n".join(lines) + "\n"


def dot(made: Chart) -> str:
    """A chart in the notation of Graphviz."""
    ids = _ids(made)
    lines = ["digraph {", "  node [shape=box];"]
    lines += [f'  {ids[box.id]} [label="{_lines(box, chr(92) + "l", _quoted)}{chr(92)}l"];' for box in made.boxes]
    lines.append(f"  {ids[END]} [shape=oval, label=End];")
    lines += [f'  {one} -> {other} [label="{_quoted(label)}"];' for one, other, label in _edges(made, ids)]
    return "\n".join([*lines, "}"]) + "\n"


def _ids(made: Chart) -> dict[str, str]:
    return {**{box.id: f"s{number}" for number, box in enumerate(made.boxes)}, END: "the_end"}


def _lines(box: Box, between: str, safe: Callable[[str], str]) -> str:
    notes = (f"{_SIGNS[each.sort]} {_told(each)}" for each in box.notes if not each.to)
    return between.join(map(safe, (f"{box.id} {box.title}".strip(), *notes)))


def _edges(made: Chart, ids: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    following = [*(box.id for box in made.boxes[1:]), END]
    for box, after in zip(made.boxes, following, strict=True):
        if box.goes_on:
            yield ids[box.id], ids[after], ""
        yield from ((ids[box.id], ids[each.to], each.when) for each in box.notes if each.to)


def _plain(text: str) -> str:
    """A text in which nothing means anything in Mermaid."""
    return re.sub(r'["|<>#;&]', lambda found: f"#{ord(found[0])};", text)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
