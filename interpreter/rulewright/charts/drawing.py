"""A chart laid out on a page."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from textwrap import wrap

from rulewright.charts.chart import END, Box, Chart, Mark
from rulewright.charts.marks import LOOK, LOOKS, SIGNS, Look, told_in
from rulewright.charts.notations import next_of
from rulewright.frozen import dataclass

_LETTERS = 62
_LINE, _PAD, _GAP = 18, 10, 26
_LEFT, _WIDTH, _LANE = 20, 480, 16
_GUTTER, _SIDE, _ROUND = 16, 8, 8


_INSIDE = frozenset({"part", "changed", "same"})
"""Marks of a box that only some of its lines deserve, so that it is not filled itself."""


@dataclass(frozen=True, slots=True)
class TextDrawn:
    """A line of text at a place; `is_head` of the title of a box, `is_aside` of what is said of its mark."""

    x: int
    y: int
    text: str
    is_head: bool = False
    is_aside: bool = False
    sign: str = ""  # of its mark, left of it
    look: Look = LOOK


@dataclass(frozen=True, slots=True)
class BoxDrawn:
    """A box at a place, with its lines; rounded where it is the end."""

    x: int
    y: int
    width: int
    height: int
    lines: tuple[TextDrawn, ...]
    is_end: bool = False
    look: Look = LOOK


@dataclass(frozen=True, slots=True)
class Arrow:
    """A way: points through which it goes; its head is at the last."""

    points: tuple[tuple[int, int], ...]
    look: Look = LOOK

    @property
    def path(self) -> str:
        """As the path of an SVG."""
        first, *others = [f"{x} {y}" for x, y in self.points]
        return f"M{first}{''.join(f' L{each}' for each in others)}"


@dataclass(frozen=True, slots=True)
class ChartPage:
    """A drawing: its size, boxes and arrows, its title, and what its marks mean."""

    title: str
    width: int
    height: int
    boxes: tuple[BoxDrawn, ...]
    arrows: tuple[Arrow, ...]
    legend: tuple[TextDrawn, ...]


@dataclass(frozen=True, slots=True)
class _Way:
    """A jump before it has a lane: from a height at the side of one box to that of another."""

    start: int
    end: int
    look: Look


def chart_page(made: Chart) -> ChartPage:
    """A chart on a page: boxes below each other, jumps in lanes at their right side, none across another's text."""
    boxes: list[BoxDrawn] = []
    starts: list[tuple[int, str, Look]] = []
    tops: dict[str, int] = {}
    legend = tuple(_legend(made))
    y = _LEFT + _LINE * len(legend) + (_GAP if legend else 0)
    for box in made.boxes:
        drawn, jumps = _Drawing(made, _GUTTER if made.legend else 0).box(box, y)
        tops[box.id] = y + _LINE
        starts += jumps
        boxes.append(drawn)
        y += drawn.height + _GAP
    middle = _LEFT + _WIDTH // 2
    label = TextDrawn(middle, y + _LINE, "End", is_head=True)
    end = BoxDrawn(middle - 40, y, 80, _LINE + _PAD, (label,), is_end=True)
    tops[END] = y + (_LINE + _PAD) // 2
    ways = [_Way(start, tops[to], look) for start, to, look in starts if to in tops]
    lanes = _lanes(ways)
    arrows = [*_down(made, [*boxes, end]), *_sides(ways, lanes, tops[END], end)]
    width = _LEFT + _WIDTH + (max(lanes, default=0) + 2) * _LANE + _LEFT
    return ChartPage(made.title, width, y + end.height + _LEFT, (*boxes, end), tuple(arrows), legend)


def _legend(made: Chart) -> Iterator[TextDrawn]:
    y = _LEFT + _LINE - 5
    for sort, words in made.legend:
        yield TextDrawn(_LEFT + _PAD + _GUTTER, y, words, sign=LOOKS[sort].sign, look=LOOKS[sort])
        y += _LINE
    for each in (line for remark in made.remarks for line in wrap(remark, _LETTERS)):
        yield TextDrawn(_LEFT + _PAD, y, each, is_aside=True)
        y += _LINE


@dataclass(frozen=True, slots=True)
class _Drawing:
    made: Chart
    gutter: int  # room for the signs of marks

    @property
    def letters(self) -> int:
        """How many fit into a line."""
        return _LETTERS - self.gutter // 5

    def box(self, box: Box, y: int) -> tuple[BoxDrawn, list[tuple[int, str, Look]]]:
        """A box, and the heights from which jumps leave it, with where they lead and how they are drawn."""
        lines: list[TextDrawn] = []
        jumps: list[tuple[int, str, Look]] = []
        whole = LOOKS.get(box.mark.sort, LOOK)
        known = "" if box.mark.sort in _INSIDE else box.mark.sort
        at = y + _PAD + _LINE - 5
        lines += self._lines(at, wrap(box.head, self.letters), box.mark, replace(whole, fill="white"), is_head=True)
        for note, said in told_in(box, self.made):
            at = lines[-1].y + _LINE
            if note.to:
                jumps.append((at - 5, note.to, LOOKS.get(note.mark.sort, LOOK)))
            signed = zip_longest((f"{SIGNS[note.sort]} ",), wrap(said, self.letters - 2), fillvalue="   ")
            look = LOOKS.get(note.mark.sort, LOOK)
            shown = replace(look, fill="white", sign="") if note.mark.sort == known else look
            lines += self._lines(at, [f"{sign}{each}" for sign, each in signed], note.mark, shown)
        look = replace(whole, fill="white") if box.mark.sort in _INSIDE else whole
        height = lines[-1].y - y + _PAD + 5
        return BoxDrawn(_LEFT, y, _WIDTH, height, tuple(lines), look=look), jumps

    def _lines(
        self, at: int, told: Sequence[str], mark: Mark, look: Look, *, is_head: bool = False
    ) -> Iterator[TextDrawn]:
        """Lines in a look, and what is said of their mark."""
        x = _LEFT + _PAD + self.gutter
        aside = [one for said in mark.said for one in wrap(said, self.letters - 4)]
        for number, each in enumerate(told):
            yield TextDrawn(x, at + number * _LINE, each, is_head=is_head, sign="" if number else look.sign, look=look)
        for number, each in enumerate(aside, len(told)):
            plain = replace(look, is_struck=False)
            yield TextDrawn(x + _GUTTER, at + number * _LINE, each, is_aside=True, look=plain)


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


def _down(made: Chart, drawn: Sequence[BoxDrawn]) -> Iterator[Arrow]:
    middle = _LEFT + _WIDTH // 2
    for number, box in enumerate(made.boxes):
        if box.goes_on:
            after = next_of(made, number)
            one, other = drawn[number], drawn[after]
            start, end = one.y + one.height, other.y
            beside = ((middle, start + _ROUND), (_SIDE, start + _ROUND), (_SIDE, end - _ROUND), (middle, end - _ROUND))
            look = LOOKS.get(box.onward.sort, LOOK)
            yield Arrow(((middle, start), *(beside if after > number + 1 else ()), (middle, end)), look)


def _sides(ways: Sequence[_Way], lanes: Sequence[int], bottom: int, end: BoxDrawn) -> Iterator[Arrow]:
    right = _LEFT + _WIDTH
    for way, lane in zip(ways, lanes, strict=True):
        at = right + (lane + 1) * _LANE
        edge = end.x + end.width if way.end == bottom else right
        yield Arrow(((right, way.start), (at, way.start), (at, way.end), (edge, way.end)), way.look)
