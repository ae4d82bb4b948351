"""A chart as text for Mermaid and Graphviz."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from rulewright.charts.chart import END, Box, Chart, Mark
from rulewright.charts.marks import LOOK, LOOKS, SIGNS, Look, told_in

_HEAVY = 2


def next_of(made: Chart, number: int) -> int:
    """The number of the box to which play goes on from one; that of the end is their count."""
    ids = [*(box.id for box in made.boxes), END]
    follows = made.boxes[number].next
    return ids.index(follows) if follows else number + 1


def mermaid(made: Chart) -> str:
    """A chart in the notation of Mermaid."""
    ids = _ids(made)
    lines = ["flowchart TD"]
    lines += [f'  {ids[box.id]}["{_lines(box, made, "<br/>", _plain)}"]' for box in made.boxes]
    lines.append(f"  {ids[END]}([End])")
    for one, other, label, look in _edges(made, ids):
        arrow = "-.->" if look.dash else "==>" if look.weight > _HEAVY else "-->"
        lines.append(f"  {one} {arrow}{f'|{_plain(label)}|' if label else ''} {other}")
    if made.legend:
        lines.append(f'  legend["{"<br/>".join(map(_plain, _legend(made)))}"]')
        lines += [f"  classDef {sort} {_style(LOOKS[sort])}" for sort, _ in made.legend]
        lines += [f"  class {ids[box.id]} {box.mark.sort}" for box in made.boxes if box.mark.sort]
    return "\n".join(lines) + "\n"


def _style(look: Look) -> str:
    dash = f",stroke-dasharray:{look.dash}" if look.dash else ""
    return f"fill:{look.fill},color:#000,stroke-width:{look.weight:g}px{dash}"


def dot(made: Chart) -> str:
    """A chart in the notation of Graphviz."""
    ids = _ids(made)
    end = chr(92) + "l"
    lines = ["digraph {", "  node [shape=box];"]
    for box in made.boxes:
        drawn = _drawn(LOOKS.get(box.mark.sort, LOOK), is_box=True)
        lines.append(f'  {ids[box.id]} [label="{_lines(box, made, end, _quoted)}{end}"{drawn}];')
    lines.append(f"  {ids[END]} [shape=oval, label=End];")
    for one, other, label, look in _edges(made, ids):
        lines.append(f'  {one} -> {other} [label="{_quoted(label)}"{_drawn(look, is_box=False)}];')
    if made.legend:
        lines.append(f'  legend [shape=note, label="{end.join(map(_quoted, _legend(made)))}{end}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _drawn(look: Look, *, is_box: bool) -> str:
    if look == LOOK:
        return ""
    style = [*(["filled"] if is_box else []), *(["dashed"] if look.dash else [])]
    fill = f', fillcolor="{look.fill}"' if is_box else ""
    return f"{f', style={chr(34)}{chr(44).join(style)}{chr(34)}' if style else ''}{fill}, penwidth={look.weight:g}"


def _legend(made: Chart) -> list[str]:
    return [*(f"{LOOKS[sort].sign} {words}" for sort, words in made.legend), *made.remarks]


def _ids(made: Chart) -> dict[str, str]:
    return {**{box.id: f"s{number}" for number, box in enumerate(made.boxes)}, END: "the_end"}


def _lines(box: Box, made: Chart, between: str, safe: Callable[[str], str]) -> str:
    lines = [*_signed(" ".join(box.head.split()), box.mark)]
    shown = replace(box, notes=tuple(each for each in box.notes if not each.to or each.mark.sort))
    for each, said in told_in(shown, made):
        lines += _signed(f"{SIGNS[each.sort]} {said}", each.mark)
    return between.join(map(safe, lines))


def _signed(text: str, mark: Mark) -> Iterator[str]:
    sign = LOOKS.get(mark.sort, LOOK).sign
    yield f"{sign} {text}" if sign else text
    yield from (f"   {each}" for each in mark.said)


def _edges(made: Chart, ids: dict[str, str]) -> Iterator[tuple[str, str, str, Look]]:
    following = [*(box.id for box in made.boxes), END]
    for number, box in enumerate(made.boxes):
        if box.goes_on:
            after = following[next_of(made, number)]
            yield ids[box.id], ids[after], "", LOOKS.get(box.onward.sort, LOOK)
        for each in box.notes:
            if each.to:
                yield ids[box.id], ids[each.to], each.when, LOOKS.get(each.mark.sort, LOOK)


def _plain(text: str) -> str:
    """A text in which nothing means anything in Mermaid."""
    return re.sub(r'["|<>#;&]', lambda found: f"#{ord(found[0])};", text)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
