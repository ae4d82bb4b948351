"""Syntax nodes: what the author wrote, with spans, nothing resolved.

`expressions`, `statements` (with rows) and `declarations` hold the classes; `declarations.File` is the whole text. Every
node is frozen, has a `span`, and refers to others by `Name` only.
"""
