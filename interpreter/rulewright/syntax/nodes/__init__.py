"""Syntax nodes: what the author wrote, with places, nothing resolved.

`expressions`, `types`, `statements`, `declarations` hold the classes; `file` the whole text.
Every node is frozen, keeps its `span`, and refers to others by `Name` only.
"""
