"""Overlays: changes of a syntax tree by address, before names are resolved (manual, Overlays)."""
