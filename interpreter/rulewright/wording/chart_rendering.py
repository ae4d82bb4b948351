"""A flow chart as Mermaid, as Graphviz, and as a page with coordinates for SVG."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from textwrap import wrap

from rulewright.base.frozen import dataclass
from rulewright.wording.flow_chart import (
    END_ID,
    LOOKS_BY_MARK,
    NOTE_SIGNS,
    PLAIN_LOOK,
    ChartBox,
    ChartMark,
    FlowChart,
    MarkLook,
    render_box_notes,
)

_THICK_ARROW_WEIGHT = 2


def find_next_box(chart: FlowChart, number: int) -> int:
    """Index of the box after a box, in the order of play; the number of boxes stands for the end."""
    ids = [*(box.id for box in chart.boxes), END_ID]
    follows = chart.boxes[number].next_id
    return ids.index(follows) if follows else number + 1


def render_mermaid(chart: FlowChart) -> str:
    """Chart in the notation of Mermaid."""
    ids = _node_ids(chart)
    lines = ["flowchart TD"]
    lines += [f'  {ids[box.id]}["{_render_box_label(box, chart, "<br/>", _escape_mermaid)}"]' for box in chart.boxes]
    lines.append(f"  {ids[END_ID]}([End])")
    for one, other, label, look in _list_edges(chart, ids):
        arrow = "-.->" if look.dash else "==>" if look.weight > _THICK_ARROW_WEIGHT else "-->"
        lines.append(f"  {one} {arrow}{f'|{_escape_mermaid(label)}|' if label else ''} {other}")
    if chart.legend:
        lines.append(f'  legend["{"<br/>".join(map(_escape_mermaid, _notation_legend(chart)))}"]')
        lines += [f"  classDef {sort} {_mermaid_style(LOOKS_BY_MARK[sort])}" for sort, _ in chart.legend]
        lines += [f"  class {ids[box.id]} {box.mark.sort}" for box in chart.boxes if box.mark.sort]
    return "\n".join(lines) + "\n"


def _mermaid_style(look: MarkLook) -> str:
    dash = f",stroke-dasharray:{look.dash}" if look.dash else ""
    return f"fill:{look.fill},color:#000,stroke-width:{look.weight:g}px{dash}"


def render_graphviz(chart: FlowChart) -> str:
    """Chart in the notation of Graphviz."""
    ids = _node_ids(chart)
    end = chr(92) + "l"
    lines = ["digraph {", "  node [shape=box];"]
    for box in chart.boxes:
        drawn = _graphviz_attributes(LOOKS_BY_MARK.get(box.mark.sort, PLAIN_LOOK), is_box=True)
        lines.append(f'  {ids[box.id]} [label="{_render_box_label(box, chart, end, _escape_graphviz)}{end}"{drawn}];')
    lines.append(f"  {ids[END_ID]} [shape=oval, label=End];")
    for one, other, label, look in _list_edges(chart, ids):
        lines.append(
            f'  {one} -> {other} [label="{_escape_graphviz(label)}"{_graphviz_attributes(look, is_box=False)}];'
        )
    if chart.legend:
        lines.append(f'  legend [shape=note, label="{end.join(map(_escape_graphviz, _notation_legend(chart)))}{end}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _graphviz_attributes(look: MarkLook, *, is_box: bool) -> str:
    if look == PLAIN_LOOK:
        return ""
    style = [*(["filled"] if is_box else []), *(["dashed"] if look.dash else [])]
    fill = f', fillcolor="{look.fill}"' if is_box else ""
    return f"{f', style={chr(34)}{chr(44).join(style)}{chr(34)}' if style else ''}{fill}, penwidth={look.weight:g}"


def _notation_legend(chart: FlowChart) -> list[str]:
    return [*(f"{LOOKS_BY_MARK[sort].sign} {words}" for sort, words in chart.legend), *chart.remarks]


def _node_ids(chart: FlowChart) -> dict[str, str]:
    return {**{box.id: f"s{number}" for number, box in enumerate(chart.boxes)}, END_ID: "the_end"}


def _render_box_label(box: ChartBox, chart: FlowChart, between: str, safe: Callable[[str], str]) -> str:
    lines = [*_prefix_mark_sign(" ".join(box.heading.split()), box.mark)]
    shown = replace(box, notes=tuple(note for note in box.notes if not note.target or note.mark.sort))
    for chart_note, text in render_box_notes(shown, chart):
        lines += _prefix_mark_sign(f"{NOTE_SIGNS[chart_note.sort]} {text}", chart_note.mark)
    return between.join(map(safe, lines))


def _prefix_mark_sign(text: str, mark: ChartMark) -> Iterator[str]:
    sign = LOOKS_BY_MARK.get(mark.sort, PLAIN_LOOK).sign
    yield f"{sign} {text}" if sign else text
    yield from (f"   {comment}" for comment in mark.comments)


def _list_edges(chart: FlowChart, ids: dict[str, str]) -> Iterator[tuple[str, str, str, MarkLook]]:
    following = [*(box.id for box in chart.boxes), END_ID]
    for number, box in enumerate(chart.boxes):
        if box.falls_through:
            after = following[find_next_box(chart, number)]
            yield ids[box.id], ids[after], "", LOOKS_BY_MARK.get(box.onward_mark.sort, PLAIN_LOOK)
        for note in box.notes:
            if note.target:
                yield ids[box.id], ids[note.target], note.condition, LOOKS_BY_MARK.get(note.mark.sort, PLAIN_LOOK)


def _escape_mermaid(text: str) -> str:
    return re.sub(r'["|<>#;&]', lambda match: f"#{ord(match[0])};", text)


def _escape_graphviz(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


_MAX_LINE_LETTERS = 62
_LINE_HEIGHT, _BOX_PADDING, _BOX_GAP = 18, 10, 26
_PAGE_MARGIN, _BOX_WIDTH, _LANE_WIDTH = 20, 480, 16
_SIGN_GUTTER, _BYPASS_X, _CORNER_OFFSET = 16, 8, 8


_PARTIAL_MARKS = frozenset({"part", "changed", "same"})
"""Marks that may concern only some lines of a box, so that the box is not filled."""


@dataclass(frozen=True, slots=True)
class TextDrawn:
    """A line of text; `is_head`: title of a box, `is_aside`: comment of its mark."""

    x: int
    y: int
    text: str
    is_head: bool = False
    is_aside: bool = False
    sign: str = ""  # of its mark, left of the text
    look: MarkLook = PLAIN_LOOK


@dataclass(frozen=True, slots=True)
class BoxDrawn:
    """A box with its lines; rounded for the end."""

    x: int
    y: int
    width: int
    height: int
    lines: tuple[TextDrawn, ...]
    is_end: bool = False
    look: MarkLook = PLAIN_LOOK


@dataclass(frozen=True, slots=True)
class ArrowDrawn:
    """A polyline with its head at the last point."""

    points: tuple[tuple[int, int], ...]
    look: MarkLook = PLAIN_LOOK

    @property
    def path(self) -> str:
        """SVG path."""
        first, *others = [f"{x} {y}" for x, y in self.points]
        return f"M{first}{''.join(f' L{other}' for other in others)}"


@dataclass(frozen=True, slots=True)
class ChartPage:
    """A chart in units of SVG."""

    title: str
    width: int
    height: int
    boxes: tuple[BoxDrawn, ...]
    arrows: tuple[ArrowDrawn, ...]
    legend: tuple[TextDrawn, ...]


@dataclass(frozen=True, slots=True)
class _Jump:
    """Heights at which a jump leaves one box and enters another; its lane is not assigned yet."""

    start: int
    end: int
    look: MarkLook


def lay_out_chart(chart: FlowChart) -> ChartPage:
    """Page of a chart: boxes in one column, jumps in lanes at its right."""
    boxes: list[BoxDrawn] = []
    starts: list[tuple[int, str, MarkLook]] = []
    tops: dict[str, int] = {}
    legend = tuple(_draw_legend(chart))
    y = _PAGE_MARGIN + _LINE_HEIGHT * len(legend) + (_BOX_GAP if legend else 0)
    for box in chart.boxes:
        drawn, box_jumps = _BoxDrawing(chart, _SIGN_GUTTER if chart.legend else 0).draw_box(box, y)
        tops[box.id] = y + _LINE_HEIGHT
        starts += box_jumps
        boxes.append(drawn)
        y += drawn.height + _BOX_GAP
    middle = _PAGE_MARGIN + _BOX_WIDTH // 2
    label = TextDrawn(middle, y + _LINE_HEIGHT, "End", is_head=True)
    end = BoxDrawn(middle - 40, y, 80, _LINE_HEIGHT + _BOX_PADDING, (label,), is_end=True)
    tops[END_ID] = y + (_LINE_HEIGHT + _BOX_PADDING) // 2
    jumps = [_Jump(start, tops[to], look) for start, to, look in starts if to in tops]
    lanes = _assign_lanes(jumps)
    arrows = [*_draw_flow_arrows(chart, [*boxes, end]), *_draw_jump_arrows(jumps, lanes, tops[END_ID], end)]
    width = _PAGE_MARGIN + _BOX_WIDTH + (max(lanes, default=0) + 2) * _LANE_WIDTH + _PAGE_MARGIN
    return ChartPage(chart.title, width, y + end.height + _PAGE_MARGIN, (*boxes, end), tuple(arrows), legend)


def _draw_legend(chart: FlowChart) -> Iterator[TextDrawn]:
    y = _PAGE_MARGIN + _LINE_HEIGHT - 5
    for sort, words in chart.legend:
        yield TextDrawn(
            _PAGE_MARGIN + _BOX_PADDING + _SIGN_GUTTER,
            y,
            words,
            sign=LOOKS_BY_MARK[sort].sign,
            look=LOOKS_BY_MARK[sort],
        )
        y += _LINE_HEIGHT
    for item in (line for remark in chart.remarks for line in wrap(remark, _MAX_LINE_LETTERS)):
        yield TextDrawn(_PAGE_MARGIN + _BOX_PADDING, y, item, is_aside=True)
        y += _LINE_HEIGHT


@dataclass(frozen=True, slots=True)
class _BoxDrawing:
    chart: FlowChart
    gutter: int  # room for the signs of marks

    @property
    def line_letters(self) -> int:
        """Characters per line."""
        return _MAX_LINE_LETTERS - self.gutter // 5

    def draw_box(self, box: ChartBox, y: int) -> tuple[BoxDrawn, list[tuple[int, str, MarkLook]]]:
        """Box, and for each jump its height, target and look."""
        lines: list[TextDrawn] = []
        jumps: list[tuple[int, str, MarkLook]] = []
        whole = LOOKS_BY_MARK.get(box.mark.sort, PLAIN_LOOK)
        known = "" if box.mark.sort in _PARTIAL_MARKS else box.mark.sort
        at = y + _BOX_PADDING + _LINE_HEIGHT - 5
        lines += self._draw_lines(
            at, wrap(box.heading, self.line_letters), box.mark, replace(whole, fill="white"), is_head=True
        )
        for note, text in render_box_notes(box, self.chart):
            at = lines[-1].y + _LINE_HEIGHT
            if note.target:
                jumps.append((at - 5, note.target, LOOKS_BY_MARK.get(note.mark.sort, PLAIN_LOOK)))
            signed = zip_longest((f"{NOTE_SIGNS[note.sort]} ",), wrap(text, self.line_letters - 2), fillvalue="   ")
            look = LOOKS_BY_MARK.get(note.mark.sort, PLAIN_LOOK)
            shown = replace(look, fill="white", sign="") if note.mark.sort == known else look
            lines += self._draw_lines(at, [f"{sign}{item}" for sign, item in signed], note.mark, shown)
        look = replace(whole, fill="white") if box.mark.sort in _PARTIAL_MARKS else whole
        height = lines[-1].y - y + _BOX_PADDING + 5
        return BoxDrawn(_PAGE_MARGIN, y, _BOX_WIDTH, height, tuple(lines), look=look), jumps

    def _draw_lines(
        self, at: int, lines: Sequence[str], mark: ChartMark, look: MarkLook, *, is_head: bool = False
    ) -> Iterator[TextDrawn]:
        x = _PAGE_MARGIN + _BOX_PADDING + self.gutter
        aside = [one for text in mark.comments for one in wrap(text, self.line_letters - 4)]
        for number, item in enumerate(lines):
            yield TextDrawn(
                x, at + number * _LINE_HEIGHT, item, is_head=is_head, sign="" if number else look.sign, look=look
            )
        for number, each in enumerate(aside, len(lines)):
            plain = replace(look, is_struck=False)
            yield TextDrawn(x + _SIGN_GUTTER, at + number * _LINE_HEIGHT, each, is_aside=True, look=plain)


def _assign_lanes(jumps: Sequence[_Jump]) -> list[int]:
    """Lane of each jump, 0 next to the boxes: greedy interval colouring, shortest jump first."""
    intervals_by_lane: list[list[tuple[int, int]]] = []
    lanes = [0] * len(jumps)
    for number in sorted(range(len(jumps)), key=lambda item: abs(jumps[item].end - jumps[item].start)):
        low, high = sorted((jumps[number].start, jumps[number].end))
        free = (
            at
            for at, intervals in enumerate(intervals_by_lane)
            if all(high < one or low > other for one, other in intervals)
        )
        lane = next(free, len(intervals_by_lane))
        if lane == len(intervals_by_lane):
            intervals_by_lane.append([])
        intervals_by_lane[lane].append((low, high))
        lanes[number] = lane
    return lanes


def _draw_flow_arrows(chart: FlowChart, drawn: Sequence[BoxDrawn]) -> Iterator[ArrowDrawn]:
    middle = _PAGE_MARGIN + _BOX_WIDTH // 2
    for number, box in enumerate(chart.boxes):
        if box.falls_through:
            after = find_next_box(chart, number)
            one, other = drawn[number], drawn[after]
            start, end = one.y + one.height, other.y
            beside = (
                (middle, start + _CORNER_OFFSET),
                (_BYPASS_X, start + _CORNER_OFFSET),
                (_BYPASS_X, end - _CORNER_OFFSET),
                (middle, end - _CORNER_OFFSET),
            )
            look = LOOKS_BY_MARK.get(box.onward_mark.sort, PLAIN_LOOK)
            yield ArrowDrawn(((middle, start), *(beside if after > number + 1 else ()), (middle, end)), look)


def _draw_jump_arrows(jumps: Sequence[_Jump], lanes: Sequence[int], bottom: int, end: BoxDrawn) -> Iterator[ArrowDrawn]:
    right = _PAGE_MARGIN + _BOX_WIDTH
    for jump, lane in zip(jumps, lanes, strict=True):
        at = right + (lane + 1) * _LANE_WIDTH
        edge = end.x + end.width if jump.end == bottom else right
        yield ArrowDrawn(((right, jump.start), (at, jump.start), (at, jump.end), (edge, jump.end)), jump.look)
