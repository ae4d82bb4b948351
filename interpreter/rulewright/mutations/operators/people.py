"""Who: the one that is asked, and every other name."""

from collections.abc import Iterator

from rulewright.mutations.mutant import Edit
from rulewright.mutations.visiting import Visit
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes import rows as r
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.walk import walk


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
    for each in walk(expression):
        if isinstance(each, e.Reference) and each.name in visit.peers:
            yield Edit(operator, each.span, visit.peers[each.name])


def roles(visit: Visit) -> Iterator[Edit]:
    """Another name of the same type."""
    match visit.node:
        case e.Reference(name=name, span=span) if name in visit.peers:
            yield Edit("role", span, visit.peers[name])
