"""Exact odds: every moment that a play may come to, once, and how likely each end is, as fractions."""
