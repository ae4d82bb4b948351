"""The machine: programs lowered to flow graphs, generated as Python, and played one answer at a time."""
