"""Loops around the machine: sessions, runs, plays, and how they are told."""
