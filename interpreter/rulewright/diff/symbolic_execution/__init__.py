"""Equivalence of two routines by symbolic execution of the places where their normal forms differ.

Both are walked in lockstep. Where they differ, expressions and rows of statements are executed over the same symbols on
every path (King 1976; translation validation, Necula 2000). They are proved to do the same if each path ends alike: with
the same value or fault, the same events in order, and the same values in the store. Everywhere any state is taken to be
possible, so what is proved holds in all.
"""
