"""Routines: procedures, handlers, standing rules and events, from syntax trees to the program.

`procedures` and `event_windows` build them, `block_lines` dispatches on the verb of a line, `line_context` holds the
place of a line and its facts, `flow_checks` judges finished routines.
"""

from rulewright.checker.routines.event_windows import (
    check_handler_holders,
    type_event,
    type_handler,
    type_standing_rule,
)
from rulewright.checker.routines.procedures import type_procedure

__all__ = ["check_handler_holders", "type_event", "type_handler", "type_procedure", "type_standing_rule"]
