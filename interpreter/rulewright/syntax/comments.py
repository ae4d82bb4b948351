"""Finds the comments of a text."""

import re
from collections.abc import Iterator

from rulewright.source import Span, Text
from rulewright.syntax.nodes.names import Comment

_COMMENT_OR_STRING = re.compile(r'"[^"\n]*"|(?P<comment>#[^\n]*)')


def comments(text: Text) -> Iterator[Comment]:
    """Every comment in order of place, without trailing blanks."""
    for found in _COMMENT_OR_STRING.finditer(text.content):
        written = found["comment"]
        if written is not None:
            kept = written.rstrip()
            yield Comment(kept, Span(text.name, found.start(), found.start() + len(kept)))
