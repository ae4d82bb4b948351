"""The typed program: names resolved, expressions typed, no text beyond spans.

`types`, `expressions` (with rows), `statements` and `declarations` hold the classes; `Program` is the whole. Everything
that plays, explains, compares or prints rules reads these classes and no earlier form.
"""
