"""Which edits a play shows: the old revision with some of the edits made, played against the old one."""
