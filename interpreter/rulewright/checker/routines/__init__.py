"""Routines: procedures, handlers, standing rules and events, from syntax trees to the program.

Procedures are built in `procedure_building`, the others in `event_windows`; `block_lines` dispatches on the verb of a line,
`line_context` holds the place of a line and its facts, `flow_checks` judges finished routines.
"""
