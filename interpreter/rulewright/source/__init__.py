"""Texts and the places in them."""

from rulewright.source.span import Position, Span
from rulewright.source.text import Text

__all__ = ["Position", "Span", "Text"]
