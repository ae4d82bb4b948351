"""All checks on one finished routine."""

from collections.abc import Collection

from rulewright.analysis.flow.alike import check_alike
from rulewright.analysis.flow.jumps import check_jumps
from rulewright.analysis.flow.setting import check_set
from rulewright.analysis.flow.unread import check_read
from rulewright.analysis.report import Report
from rulewright.program.declarations import Procedure
from rulewright.program.lines import Routine
from rulewright.source import Span


def check(routine: Routine, performed: Collection[str], plain_jumps: Collection[Span], report: Report) -> None:
    """Reports names read before they are set or never, questions without consequence, and jumps that skip nothing.

    Performed are the steps at which some `perform` begins; plain jumps are those that cite no clause of their own.
    """
    check_set(routine, performed, report)
    check_read(routine, report)
    check_alike(routine, report)
    if isinstance(routine, Procedure):
        check_jumps(routine, plain_jumps, report)
