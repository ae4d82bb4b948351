"""Jumps that lead elsewhere."""

from collections.abc import Iterator

from rulewright.mutations.mutant import Edit
from rulewright.mutations.visiting import Visit
from rulewright.syntax.nodes import statements as s


def jumps(visit: Visit) -> Iterator[Edit]:
    """`proceed to` the step before and the one after."""
    match visit.node:
        case s.Proceed(step=step) if step.text in visit.steps:
            at = visit.steps.index(step.text)
            for other in (at - 1, at + 1):
                if 0 <= other < len(visit.steps):
                    yield Edit("jump", step.span, visit.steps[other])
