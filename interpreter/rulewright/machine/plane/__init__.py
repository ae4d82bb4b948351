"""The plane: bodies put at places, how far apart they are and whether they meet.

Lengths are whole thousandths of an inch. A value computed from a formula is rounded to thousandths by whole-number
arithmetic and then compared exactly; see the manual, The plane.
"""
