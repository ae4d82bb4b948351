"""Numbers, ends of types and bounds, off by one."""

import re
from collections.abc import Iterator

from rulewright.mutations.mutant import Edit
from rulewright.mutations.visiting import Visit
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes import rows as r
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes import types as t

_PRIORITY = re.compile(r"\bpriority\s+(?P<number>\d+)")


def numbers(visit: Visit) -> Iterator[Edit]:
    """One more and one less.

    The bound of a loop is only made less: a play that ends well never meets it, so one more is the same play.
    """
    node = visit.node
    match node:
        case s.Repeat(bound=bound) | s.Proceed(bound=bound) | s.Perform(depth=bound):
            if isinstance(bound, e.WholeNumber):
                yield Edit("bound", bound.span, str(bound.value - 1))
        case r.RollOption(bound=e.WholeNumber(value=value, span=span)):
            yield from _around(span, value)
        case e.WholeNumber(value=value):
            yield from _around(node.span, value)
        case t.RangeType(low=low, high=high):
            yield from _ends(node.span, low, high)
        case r.DiceWord(count=count, faces=faces):
            yield from _dice(node.span, count, faces)
        case d.Whenever():
            yield from _priority(node, visit)


def _around(place: Span, value: int) -> Iterator[Edit]:
    yield Edit("number", place, str(value + 1))
    if value > 0:
        yield Edit("number", place, str(value - 1))


def _ends(place: Span, low: int, high: int) -> Iterator[Edit]:
    for first, last in ((low + 1, high), (low - 1, high), (low, high + 1), (low, high - 1)):
        if first <= last and (first >= 0 or low < 0):
            yield Edit("range", place, f"{first}..{last}")


def _dice(place: Span, count: int | None, faces: int) -> Iterator[Edit]:
    """How many dice; what is on them is the business of whoever makes them."""
    if count is not None:
        for other in (count + 1, count - 1):
            if other > 0:
                yield Edit("number", place, f"{other}d{faces}")


def _priority(node: d.Whenever, visit: Visit) -> Iterator[Edit]:
    found = _PRIORITY.search(visit.written(node.span))
    if found:
        start = node.span.start + found.start("number")
        place = Span(node.span.source, start, start + len(found["number"]))
        yield from _around(place, node.priority)
