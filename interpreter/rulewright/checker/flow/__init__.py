"""What can only be said of finished routines: the ways through them, and who calls whom."""

from rulewright.checker.flow.termination import check_call_graph, check_endless_flow, check_undoing_rules

__all__ = ["check_call_graph", "check_endless_flow", "check_undoing_rules"]
