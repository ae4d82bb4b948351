"""Functions of the rules: terms, relations, derived attributes, tallies, decides, tables, measures, invariants.

Bodies are typed on demand, so that a function can be used above its declaration.
"""
