"""What can only be said of finished routines: the ways through them, and who calls whom."""

from rulewright.analysis.flow.call_graph import check_calls
from rulewright.analysis.flow.endless import check_endless, check_undoing

__all__ = ["check_calls", "check_endless", "check_undoing"]
