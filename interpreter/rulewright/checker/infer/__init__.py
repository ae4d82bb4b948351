"""Type inference: syntax trees of expressions to typed expressions (manual, Expressions).

One module for each subject; a part of an expression is typed by its scope, which calls `infer_expression`.
"""
