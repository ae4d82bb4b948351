"""Routines: procedures, handlers, standing rules and events, from nodes to the program.

`procedures` and `windows` build them, `block_lines` finds the function of a verb, `routine_context` holds where a line
stands and what is known there. What can only be said of a finished routine is in `checker.flow`.
"""

from rulewright.checker.routines.event_windows import (
    check_handler_holders,
    type_event,
    type_handler,
    type_standing_rule,
)
from rulewright.checker.routines.procedures import type_procedure

__all__ = ["check_handler_holders", "type_event", "type_handler", "type_procedure", "type_standing_rule"]
