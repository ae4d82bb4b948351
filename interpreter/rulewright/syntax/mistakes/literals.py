"""Numbers, ranges and texts in quotes as people and other notations write them."""

import re
from collections.abc import Collection

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.layout import DIGITS, Word
from rulewright.syntax.mistakes.situation import Situation

# ruff: noqa: RUF001 - signs that look alike are the subject

_CURLY = frozenset("“”„«»‘’")
_SINGLE = frozenset("‘’")
_WHOLE = re.compile(r"\d+")
_DASHES = frozenset({"-", "–", "—", "to"})


def curly_quotes(situation: Situation) -> Diagnostic | None:
    """`“Title”` instead of `"Title"`."""
    quotes = [word for word in situation.words if word.text in _CURLY]
    double = [word for word in quotes if word.text not in _SINGLE]  # single ones inside them are apostrophes
    return _curly(situation, quotes[0], double or dict.fromkeys((quotes[0], quotes[-1]))) if quotes else None


def _curly(situation: Situation, first: Word, together: Collection[Word]) -> Diagnostic:
    message = f"`{first.text}` is a curly quote"
    edits = tuple(situation.change(each.start, each.end, '"') for each in together)
    return situation.error("RW0145", message, at=first, remedy='write the straight quote `"`', edits=edits)


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
    message = "this text has no closing quote"
    edits = (situation.change(end, end, '"', safe=False),)
    return situation.error("RW0146", message, at=word, remedy='close it with `"` on the same line', edits=edits)


_TEXT_END = re.compile(r"\s*:?\s*(?:@\S+\s*)*(?:#.*)?$")
"""What follows a text on its line."""


def single_quotes(situation: Situation) -> Diagnostic | None:
    """`'Title'` instead of `"Title"`."""
    quotes = [word for word in situation.words if word.text in {"'", "`"}]
    if not quotes:
        return None
    last = quotes[-1] if len(quotes) > 1 else quotes[0]
    pair = len(quotes) == 2 and not any(word.sort == "string" for word in situation.words)  # noqa: PLR2004 - a pair
    message = "text goes in double quotes"
    edits = tuple(situation.change(each.start, each.end, '"') for each in quotes) if pair else ()
    return situation.error("RW0106", message, at=(quotes[0].start, last.end), remedy='write `"…"`', edits=edits)


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
    if not (touch and _WHOLE.fullmatch(first.text) and re.fullmatch(r"\d{3}", last.text)):
        return None
    return situation.rewritten((first.start, last.end), first.text + last.text, "a number is written without commas")


def yes_or_no(situation: Situation) -> Diagnostic | None:
    """`turned: yes/no` as a type."""
    at = situation.at
    if situation.texts[at - 1 : at + 2] not in {("yes", "/", "no"), ("no", "/", "yes")}:
        return None
    return situation.rewritten(situation.stretch(at - 1, at + 2), "flag", "the type of yes and no is `flag`")


def or_more(situation: Situation) -> Diagnostic | None:
    """`4+`, for 4 or more."""
    words = situation.words
    for first, sign, after in zip(words, words[1:], (*words[2:], None), strict=False):
        ends = after is None or after.text in {":", ")", ",", "and", "or"}
        if first.sort == "number" and first.text.isdigit() and sign.text == "+" and first.end == sign.start and ends:
            if situation.trouble.start > sign.end + 1 or situation.trouble.start < first.start:
                continue
            return situation.error(
                "RW0106",
                f"`{first.text}+` is not a value",
                at=(first.start, sign.end),
                remedy=f"write `{first.text}`; if the number is compared, `>=` means this much or more"
                if situation.place == "field"
                else f"for {first.text} or more, write `>= {first.text}`",
                edits=(situation.change(sign.start, sign.end, ""),) if situation.place == "field" else (),
            )
    return None


def long_number(situation: Situation) -> Diagnostic | None:
    """A number of more digits than one may have."""
    start, end = situation.trouble.start, situation.trouble.end
    if situation.trouble.sort != "long":
        return None
    message = f"this number has {end - start:,} digits, and the limit is {DIGITS}"
    return situation.error("RW0149", message, at=(start, end), remedy="write a smaller number")


def percent_sign(situation: Situation) -> Diagnostic | None:
    """`50%`."""
    found = situation.found
    if found.text != "%":
        return None
    return situation.error("RW0106", "there are no percentages", at=found, remedy="write a fraction such as `1 / 2`")
