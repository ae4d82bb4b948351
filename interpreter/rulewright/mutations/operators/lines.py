"""Lines that do nothing."""

from collections.abc import Iterator

from rulewright.mutations.mutant import Edit
from rulewright.mutations.visiting import Visit
from rulewright.source import Span
from rulewright.syntax.nodes import statements as s

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
