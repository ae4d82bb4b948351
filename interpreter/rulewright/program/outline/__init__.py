"""Outline of a program: the tree of its declarations, lines and rows as their author wrote them.

Items have ids, titles, clauses, texts and comparable forms. Revisions are compared, and rulesets shown, by outlines.
"""
