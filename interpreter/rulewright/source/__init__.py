"""Texts and the places in them."""

from rulewright.source.text import Position, Span, Text

__all__ = ["Position", "Span", "Text"]
