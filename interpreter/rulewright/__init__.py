"""Rules as data: check, run and play the procedures of tabletop games."""

__version__ = "0.1.0"
