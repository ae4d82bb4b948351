"""Jumps to where the way leads anyway (manual, Going elsewhere)."""

from collections.abc import Collection, Iterator

from rulewright.analysis.report import Report
from rulewright.diagnostics import Edit
from rulewright.program import statements as s
from rulewright.program.declarations import Procedure
from rulewright.source import Span


def check_jumps(procedure: Procedure, plain: Collection[Span], report: Report) -> None:
    """Hints at jumps to the next step from the end of a step (RW0513), but for those that a clause demands."""
    for step, following in zip(procedure.steps, procedure.steps[1:], strict=False):
        for line in _last(step.block):
            if isinstance(line, s.Proceed) and line.step == following.id and line.span in plain:
                remedy = "leave it out: the next step comes anyway"
                plainly = (Edit(line.span, "nothing", safe=True),)
                report.hint("RW0513", line.span, "this jump skips nothing", help=remedy, edits=plainly)


def _last(block: s.Block) -> Iterator[s.Statement]:
    """The lines after which a block is over."""
    if not block:
        return
    line = block[-1]
    yield line
    match line:
        case s.If(branches=branches, otherwise=otherwise):
            for branch in branches:
                yield from _last(branch.block)
            yield from _last(otherwise or ())
        case s.Match(cases=cases):
            for case in cases:
                yield from _last(case.block)
        case s.Ask(shape=shape, block=inner, otherwise=otherwise):
            for option in shape.options if isinstance(shape, s.Choose) else ():
                yield from _last(option.block)
            yield from _last(inner)
            yield from _last(otherwise or ())
        case s.AddAmount(otherwise=otherwise) | s.AddMember(otherwise=otherwise) | s.Draw(otherwise=otherwise):
            yield from _last(otherwise or ())
        case _:
            return
