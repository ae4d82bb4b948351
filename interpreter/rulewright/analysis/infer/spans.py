"""Spans of numbers as tables and cases write them, and those whose numbers a `d66` shows."""

from rulewright.analysis.report import Report
from rulewright.diagnostics.remedies import Remedy, written
from rulewright.program.types import PAIRED, PAIRED_FACES, NumberType, Type, present
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as e


def dashed(node: e.Expression) -> Remedy | None:
    """What to write where a span is written `3-4`; none for all else."""
    match node:
        case e.Binary(operator="-", left=e.WholeNumber(value=low), right=e.WholeNumber(value=high)) if low < high:
            return written(f"{low}..{high}", node.span)
        case _:
            return None


def is_paired(type_: Type) -> bool:
    """Whether values are the numbers that a `d66` shows, or some of them."""
    inner = present(type_)
    return isinstance(inner, NumberType) and inner.paired


def check_span(low: int | None, high: int | None, span: Span, report: Report) -> bool:
    """Whether both ends of a span are numbers that a `d66` shows, an end that is none being open (RW0425)."""
    ends = [each for each in (low, high) if each is not None]
    never = [each for each in ends if not PAIRED.holds(each)]
    if not never:
        return True
    inside = [each for each in PAIRED_FACES if NumberType(low, high).holds(each)]
    remedy = Remedy("leave it out")
    if inside and len(ends) > 1:
        remedy = written(f"{inside[0]}..{inside[-1]}", span, safe=False)
    elif inside:
        remedy = Remedy(f"the numbers there are `{inside[0]}..{inside[-1]}`")
    listed = " and ".join(f"`{each}`" for each in never)
    report.error("RW0425", span, f"a `d66` never shows {listed}", help=remedy.help, edits=remedy.edits)
    return False
