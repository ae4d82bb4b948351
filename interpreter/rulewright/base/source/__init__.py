"""Texts and the places in them."""

from rulewright.base.source.text import COMMENT_OR_STRING, NO_SPAN, Position, Span, Text, count_leading_blanks

__all__ = ["COMMENT_OR_STRING", "NO_SPAN", "Position", "Span", "Text", "count_leading_blanks"]
