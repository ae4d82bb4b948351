"""Parts that are left out with their lines."""

from collections.abc import Iterator
from itertools import pairwise

from rulewright.mutations.mutant import Edit
from rulewright.mutations.visiting import Visit
from rulewright.source import Span, Text
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import rows as r
from rulewright.syntax.nodes import statements as s

_SORTS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((d.Handler, d.Watch), "handler"),
    (d.Whenever, "rule"),
    (s.Option, "option"),
    ((r.ConditionRow, r.TallyRow, r.DecideRow, r.TableRow, r.RankRow, s.Case), "row"),
    ((d.Replace, d.ReplaceWhole, d.Insert, d.InsertLines, d.RemovePart, d.Bind), "amendment"),
)


def parts(visit: Visit) -> Iterator[Edit]:
    """Rows, options, handlers, standing rules and amendments; what an amendment brings is left out with it."""
    node = visit.node
    operator = next((operator for sort, operator in _SORTS if isinstance(node, sort)), "")
    if not operator or not _begins_a_line(node.span, visit.text):
        return
    place = _whole_lines(node.span, visit.text)
    if not _is_alone(place, visit.text.content):
        yield Edit(operator, place, "")


def sequences(visit: Visit) -> Iterator[Edit]:
    """Rows that are tried one after the other, each with the next one."""
    written = [*getattr(visit.node, "rows", ()), *getattr(visit.node, "keys", ())]
    rows = [each for each in written if isinstance(each, r.DecideRow | r.RankRow)]
    for first, second in pairwise(rows):
        if _begins_a_line(first.span, visit.text) and _begins_a_line(second.span, visit.text):
            between = visit.text.content[first.span.end : second.span.start]
            swapped = visit.written(second.span) + between + visit.written(first.span)
            yield Edit("sequence", first.span.to(second.span), swapped)


def _begins_a_line(span: Span, text: Text) -> bool:
    return not text.content[text.content.rfind("\n", 0, span.start) + 1 : span.start].strip()


def _whole_lines(span: Span, text: Text) -> Span:
    """All of the lines of a part, with its margin, also where that goes on below."""
    content = text.content
    start = content.rfind("\n", 0, span.start) + 1
    end = _line_end(content, span.end)
    while content[end:].lstrip(" \t").startswith("@"):
        end = _line_end(content, end)
    return Span(span.source, start, end)


def _is_alone(place: Span, content: str) -> bool:
    """Whether nothing else stands in the block of some lines, which could not be read without them."""
    depth = _depth(content[place.start : place.end])
    before = [line for line in content[: place.start].splitlines() if line.strip()][-1:]
    after = [line for line in content[place.end :].splitlines() if line.strip()][:1]
    return depth > 0 and all(_depth(line) < depth for line in before + after)


def _depth(lines: str) -> int:
    return len(lines) - len(lines.lstrip())


def _line_end(content: str, offset: int) -> int:
    found = content.find("\n", offset)
    return len(content) if found < 0 else found + 1
