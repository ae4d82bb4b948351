"""Slots that every frame has; those of names, temporaries and loops follow them (`control_flow`)."""

FRAME_BLOCK = 0
"""Slot of the number of the block to continue at; set before anything outside the block runs."""
FRAME_ROUTINE = 1
"""Slot of the number of the routine's graph; below 0 for frames of the engine."""
FRAME_SITE = 2
"""Slot of the site of the calling line."""
FRAME_RESULT_SLOT = 3
"""Slot of the number of the caller's slot for the result; 0 for none."""
FIRST_SLOT = 4
"""First slot that differs from routine to routine: that of the variable with the index 0."""
