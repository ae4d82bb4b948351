"""Quotes of other shapes, and texts that lack one of theirs."""

import re
from collections.abc import Collection

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.layout import Word
from rulewright.syntax.mistakes.situation import Situation

# ruff: noqa: RUF001 - signs that look alike are the subject

_CURLY = {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": '"', "’": '"'}
_SINGLE = frozenset("‘’")


def curly_quotes(situation: Situation) -> Diagnostic | None:
    """`“Title”` instead of `"Title"`."""
    quotes = [word for word in situation.words if word.text in _CURLY]
    double = [word for word in quotes if word.text not in _SINGLE]  # single ones inside them are apostrophes
    return _curly(situation, quotes[0], double or dict.fromkeys((quotes[0], quotes[-1]))) if quotes else None


def _curly(situation: Situation, first: Word, together: Collection[Word]) -> Diagnostic:
    return situation.error(
        "RW0145",
        f"`{first.text}` is a curly quote",
        at=first,
        remedy='write the straight quote `"`',
        edits=tuple(situation.change(each.start, each.end, '"') for each in together),
    )


def unclosed_string(situation: Situation) -> Diagnostic | None:
    """`"Title` without its second quote, `Title"` without its first, and quotes of which one is curly."""
    word = next((word for word in situation.line.words if word.sort == "open_string"), None)
    if word is None:
        return None
    said = _TEXT_END.split(word.text)[0]
    curly = [each for each in situation.line.words if each.text in _CURLY and each.start < word.start]
    ends = [
        Word("sign", each, word.start + at) for at, each in enumerate(said) if each in _CURLY and each not in _SINGLE
    ]
    if curly or ends:
        one = curly[0] if curly else ends[-1]
        return _curly(situation, one, (one,))
    if said == '"':
        remedy = 'put `"` where the text begins, too'
        return situation.error("RW0146", "this text has no opening quote", at=word, remedy=remedy)
    end = word.start + len(said)
    return situation.error(
        "RW0146",
        "this text has no closing quote",
        at=word,
        remedy='close it with `"` on the same line',
        edits=(situation.change(end, end, '"', safe=False),),
    )


_TEXT_END = re.compile(r"\s*:?\s*(?:@\S+\s*)*(?:#.*)?$")
"""What follows a text on its line."""


def single_quotes(situation: Situation) -> Diagnostic | None:
    """`'Title'` instead of `"Title"`."""
    quotes = [word for word in situation.words if word.text in {"'", "`"}]
    if not quotes:
        return None
    last = quotes[-1] if len(quotes) > 1 else quotes[0]
    pair = len(quotes) == 2 and not any(word.sort == "string" for word in situation.words)  # noqa: PLR2004 - a pair
    return situation.error(
        "RW0106",
        "text stands in double quotes",
        at=(quotes[0].start, last.end),
        remedy='write `"…"`',
        edits=tuple(situation.change(each.start, each.end, '"') for each in quotes) if pair else (),
    )
