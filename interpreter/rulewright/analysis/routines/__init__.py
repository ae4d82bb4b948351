"""Routines: procedures, handlers, standing rules and events, from nodes to the program.

`procedures` and `windows` build them, `block_lines` finds the function of a verb, `routine_context` holds where a line
stands and what is known there. What can only be said of a finished routine is in `analysis.flow`.
"""

from rulewright.analysis.routines.procedures import procedure
from rulewright.analysis.routines.windows import check_holders, event, handler, standing_rule

__all__ = ["check_holders", "event", "handler", "procedure", "standing_rule"]
