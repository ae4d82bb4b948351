"""Tests as designers write them: a state, answers and dice, and what has to come of them (manual, Scenarios)."""
