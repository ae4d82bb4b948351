"""The checked program: pure data, resolved and typed, with no text beyond spans.

`types`, `get_outer_expressions`, `statements`, `declarations` hold the classes; `Program` is the whole. Everything that
plays, explains, compares or prints rules reads these classes and nothing earlier.
"""
