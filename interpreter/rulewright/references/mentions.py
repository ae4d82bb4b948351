"""Where people read a name: titles, texts, comments, and words of documents that name nothing of the rules."""

import re

from rulewright.references.gathering import Gathered
from rulewright.references.index import Occurrence, Role, Target
from rulewright.source import Span, Text

_LEAST = 3
"""A shorter name is a word of too many sentences."""

_RULES = ".rules"


def mentions(target: Target, gathered: Gathered) -> tuple[Occurrence, ...]:
    """The places that a rename leaves as they are, by text and place."""
    if len(target.name) < _LEAST:
        return ()
    known = {(each.span.source, each.span.start) for each in gathered.index.occurrences}
    word = re.compile(rf"(?<![\w.]){re.escape(target.name)}(?!\w|\.\w)")
    found = [
        Occurrence(target, Role.MENTIONED, span)
        for text in gathered.texts.values()
        for span in _words(word, text, gathered.prose)
        if (span.source, span.start) not in known
    ]
    return tuple(sorted(found, key=lambda each: each.span))


def _words(word: re.Pattern[str], text: Text, prose: frozenset[Span]) -> list[Span]:
    found = [Span(text.name, each.start(), each.end()) for each in word.finditer(text.content)]
    if not text.name.endswith(_RULES):
        return found
    own = [each for each in prose if each.source == text.name]
    return [span for span in found if any(each.start <= span.start and span.end <= each.end for each in own)]
