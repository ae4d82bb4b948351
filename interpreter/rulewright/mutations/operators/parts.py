"""Lines, parts, jumps, people and adverbs: left out, or led elsewhere."""

import re
from collections.abc import Iterator
from itertools import pairwise

from rulewright.mutations.mutant import Edit
from rulewright.mutations.visiting import Visit
from rulewright.source import Span, Text
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes import rows as r
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import written_in

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


def jumps(visit: Visit) -> Iterator[Edit]:
    """`proceed to` the step before and the one after."""
    match visit.node:
        case s.Proceed(step=step) if step.text in visit.steps:
            at = visit.steps.index(step.text)
            for other in (at - 1, at + 1):
                if 0 <= other < len(visit.steps):
                    yield Edit("jump", step.span, visit.steps[other])


_KEPT = (s.Let, s.Nothing, s.TallyLine, s.DecideLine, s.Rank, s.RulingLine, s.Together)


def lines(visit: Visit) -> Iterator[Edit]:
    """`nothing` in the place of a line and of all below it; its margin stays.

    Left alone are lines that only give a value a name: without them no text that uses the name could be read.
    """
    node = visit.node
    if not isinstance(node, s.Line) or isinstance(node, _KEPT) or _names_something(node):
        return
    margin = "".join(f" {visit.written(each.span)}" for each in node.cites)
    place = Span(node.span.source, node.head.start, node.span.end)
    yield Edit("line", place, f"nothing {margin}".rstrip())


def _names_something(node: s.Line) -> bool:
    return isinstance(node, s.Roll | s.Draw) or getattr(node, "result", None) is not None


def deciders(visit: Visit) -> Iterator[Edit]:
    """Somebody else is asked, or rolls."""
    match visit.node:
        case s.Asked(who=who):
            yield from _swapped("decider", who, visit)
        case r.RankRow(best="ask", value=who):
            yield from _swapped("decider", who, visit)
        case s.Roll(by=by) | s.Reroll(by=by) if by is not None:
            yield from _swapped("decider", by, visit)


def _swapped(operator: str, expression: e.Expression, visit: Visit) -> Iterator[Edit]:
    for each in written_in(expression):
        if isinstance(each, e.Reference) and each.name in visit.peers:
            yield Edit(operator, each.span, visit.peers[each.name])


def roles(visit: Visit) -> Iterator[Edit]:
    """Another name of the same type."""
    match visit.node:
        case e.Reference(name=name, span=span) if name in visit.peers:
            yield Edit("role", span, visit.peers[name])


def adverbs(visit: Visit) -> Iterator[Edit]:
    """`optional`, `up to`, `symmetric` left out."""
    match visit.node:
        case d.Handler(optional=True, head=head):
            yield from _without(r"\s+optional\b", head, visit)
        case s.Change(up_to=True, head=head):
            yield from _without(r"\s+up\s+to\b", head, visit)
        case d.Relation(symmetric=True, head=head):
            yield from _without(r"\s+symmetric\b", head, visit)


def _without(words: str, head: Span, visit: Visit) -> Iterator[Edit]:
    found = re.search(words, _unquoted(visit.written(head)))
    if found:
        yield Edit("adverb", Span(head.source, head.start + found.start(), head.start + found.end()), "")


def _unquoted(written: str) -> str:
    """The same text with titles blanked out, so that nothing is found in them."""
    return re.sub(r'"[^"\n]*"', lambda found: " " * len(found[0]), written)
