"""Comparison of the plays of two revisions, from all entry procedures that can reach a change."""
