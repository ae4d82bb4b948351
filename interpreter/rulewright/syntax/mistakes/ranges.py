"""Ranges and long numbers as people write them."""

import re

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.mistakes.situation import Situation

# ruff: noqa: RUF001 - signs that look alike are the subject

_WHOLE = re.compile(r"\d+")
_DASHES = frozenset({"-", "–", "—", "to"})
_THREE = 3


def other_range(situation: Situation) -> Diagnostic | None:
    """`0-2`, `0 to 2`, `from 0 to 2`, `0...2` and `0.2`, where a type belongs."""
    texts, at = situation.texts, situation.at
    found = situation.found
    if texts[at - 1 : at + 1] == ("..", "."):
        return _range(situation, at - 1, at + 1, "..")
    if found.sort == "number" and "." in found.text and "COLLECTION" in situation.trouble.accepted:
        return _range(situation, at, at + 1, found.text.replace(".", ".."), safe=False)
    begin = at - 1
    first = begin + (texts[begin:at] == ("from",))
    match texts[first : first + 3]:
        case (low, sign, high) if at and sign in _DASHES and _WHOLE.fullmatch(low) and _WHOLE.fullmatch(high):
            is_value = {"MINUS", "TO"} & situation.trouble.accepted
            return None if is_value else _range(situation, begin, first + 3, f"{low}..{high}")
    return None


def _range(situation: Situation, start: int, end: int, better: str, *, safe: bool = True) -> Diagnostic:
    return situation.rewritten(situation.stretch(start, end), better, "a range is spelled `..`", safe=safe)


def thousands(situation: Situation) -> Diagnostic | None:
    """`9,999`."""
    at = situation.at if situation.texts[situation.at : situation.at + 1] == (",",) else situation.at - 1
    if not 0 < at < len(situation.words) - 1 or situation.texts[at] != ",":
        return None
    first, comma, last = situation.words[at - 1 : at + 2]
    touch = first.end == comma.start and comma.end == last.start
    if not (touch and _WHOLE.fullmatch(first.text) and _WHOLE.fullmatch(last.text) and len(last.text) == _THREE):
        return None
    return situation.rewritten((first.start, last.end), first.text + last.text, "a number is written without commas")


def yes_or_no(situation: Situation) -> Diagnostic | None:
    """`turned: yes/no` as a type."""
    at = situation.at
    if situation.texts[at - 1 : at + 2] not in {("yes", "/", "no"), ("no", "/", "yes")}:
        return None
    return situation.rewritten(situation.stretch(at - 1, at + 2), "flag", "the type of yes and no is `flag`")
