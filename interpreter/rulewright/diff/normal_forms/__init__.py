"""Normal forms of declarations: declarations with equal normal forms play alike.

Each is made by passes over core, from routine to routine, and written as text. Only rewrites that hold in every state
are made. Two faults of one play count as the same, whichever is reported; names and the division into steps are not
play.
"""
