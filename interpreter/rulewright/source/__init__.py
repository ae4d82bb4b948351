"""Texts and the places in them."""

from rulewright.source.text import COMMENT_OR_STRING, NOWHERE, Position, Span, Text, indentation

__all__ = ["COMMENT_OR_STRING", "NOWHERE", "Position", "Span", "Text", "indentation"]
