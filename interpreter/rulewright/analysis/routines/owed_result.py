"""Which way through a procedure that gives a result ends without one: read from its lines, and claimed where sure."""

from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import statements as s


def way_without_result(node: d.Procedure) -> tuple[Span, str]:
    """Where the way leads by that comes to the end of a procedure, and when it does, in words.

    The end is known to be reached, by the facts; what lies before it is told as far as the lines alone show it.
    """
    if not node.steps:
        lines = tuple(each for each in node.opening if isinstance(each, s.Line))
        return _after(lines) if lines else (node.head, "at its end")
    step = node.steps[-1]
    lines = step.block.lines if step.block is not None else ()
    if step.guard is None:
        return _after(lines) if lines else (step.head, "after this step")
    if _leave(lines):
        return step.guard.span, f"where step `{step.name.text}` is passed over"
    return step.head, "after this step"


def _after(lines: tuple[s.Statement, ...]) -> tuple[Span, str]:
    """Where lines come to their end, which they are known to do."""
    last = lines[-1]
    ways = _branches(last)
    staying = [each for each in ways if not _leave(each)]
    if len(ways) > 1 and len(staying) == 1 and staying[0]:
        return _after(staying[0])
    if isinstance(last, s.If) and last.otherwise is None and staying == [()]:
        conditions = [each.condition.span for each in last.branches]
        if len(conditions) > 1:
            return last.head, "where none of its conditions holds"
        return conditions[0], "where this does not hold"
    return last.head, "after this line"


def _leave(lines: tuple[s.Statement, ...]) -> bool:
    """Whether lines surely lead elsewhere at their end."""
    if not lines or isinstance(lines[-1], s.Finish | s.Proceed):
        return bool(lines)
    ways = _branches(lines[-1])
    return bool(ways) and all(_leave(each) for each in ways)


def _branches(line: s.Statement) -> tuple[tuple[s.Statement, ...], ...]:
    """All that may come of a line, one of which does; none where its block does not say it all."""
    match line:
        case s.If(branches=branches, otherwise=otherwise):
            return (*(each.block.lines for each in branches), otherwise.lines if otherwise is not None else ())
        case s.Ask(block=s.Block() as block, otherwise=s.Block() as otherwise):
            return block.lines, otherwise.lines
        case s.Match(cases=cases) if any(not each.values for each in cases):
            return tuple(each.block.lines for each in cases)
        case _:
            return ()
