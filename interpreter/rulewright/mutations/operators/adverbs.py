"""Words that say how."""

import re
from collections.abc import Iterator

from rulewright.mutations.mutant import Edit
from rulewright.mutations.visiting import Visit
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import statements as s


def adverbs(visit: Visit) -> Iterator[Edit]:
    """`optional`, `up to`, `symmetric` left out."""
    match visit.node:
        case d.Handler(optional=True, head=head):
            yield from _without(r"\s+optional\b", head, visit)
        case s.Change(up_to=True, head=head):
            yield from _without(r"\s+up\s+to\b", head, visit)
        case d.Relation(symmetric=True, head=head):
            yield from _without(r"\s+symmetric\b", head, visit)


def _without(words: str, head: Span, visit: Visit) -> Iterator[Edit]:
    found = re.search(words, _unquoted(visit.written(head)))
    if found:
        yield Edit("adverb", Span(head.source, head.start + found.start(), head.start + found.end()), "")


def _unquoted(written: str) -> str:
    """The same text with titles blanked out, so that nothing is found in them."""
    return re.sub(r'"[^"\n]*"', lambda found: " " * len(found[0]), written)
