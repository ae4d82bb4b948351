"""Parts of the language that this version reads but cannot carry out yet."""

from rulewright.analysis.report import Report
from rulewright.source import Span


def unsupported(report: Report, span: Span, what: str) -> None:
    """Reports, once for each such part, that it is not supported yet (RW0390); `what` begins the sentence."""
    message = f"{what} not supported yet"
    if all(each.message != message for each in report.found):
        report.error("RW0390", span, message)
