"""Conditions, values and odds as people first write them, and brackets without their partner."""

import re
from collections.abc import Iterator

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.layout import Word, open_brackets
from rulewright.syntax.mistakes.situation import Situation

_COMPARISONS = frozenset({"=", "!=", "<", "<=", ">", ">="})
_QUANTIFIERS = frozenset({"some", "no", "the", "every"})
_JOINING = frozenset({"and", "or", "when", "where", "if", "(", ",", ":", "means", "not", "while", "=", "@"})


def not_some(situation: Situation) -> Diagnostic | None:
    """`not some x in S`."""
    texts = situation.texts
    for number in range(len(texts) - 2):
        if texts[number : number + 2] == ("not", "some") and number <= situation.at <= number + 3:
            at, remedy = situation.stretch(number, number + 2), "write `no` instead of `not some`"
            return situation.error("RW0114", "`not some` is written `no`", at=at, remedy=remedy, edit="no")
    return None


def colon_after_some(situation: Situation) -> Diagnostic | None:
    """`some x in S: C`, in a line that goes on as a condition does."""
    texts, at = situation.texts, situation.at
    colon = next((number for number in (at, at - 1) if 0 < number < len(texts) - 1 and texts[number] == ":"), 0)
    if not colon or (colon < at and texts[-1] != ":"):
        return None
    begin = next((number for number in range(colon - 1, -1, -1) if texts[number] in _QUANTIFIERS), 0)
    between = texts[begin:colon]
    if not begin or between[0] == "every" or "in" not in between[2:3] or "where" in between:
        return None
    word = situation.words[colon]
    return situation.error(
        "RW0577",
        f"after `{between[0]}` a condition begins with `where`",
        at=word,
        remedy=f"write `{situation.written(begin, colon)} where …`; a `:` is for `every`",
        edits=(situation.change(situation.words[colon - 1].end, word.end, " where"),),
    )


def chained_comparison(situation: Situation) -> Diagnostic | None:
    """`2 <= a <= 4`."""
    found = situation.found
    if found.text not in _COMPARISONS or situation.at < 3:  # noqa: PLR2004
        return None
    texts = situation.texts
    first = next((n for n in range(situation.at - 1, 0, -1) if texts[n] in _COMPARISONS | _JOINING), 0)
    if texts[first] not in _COMPARISONS:
        return None
    begin = next((n + 1 for n in range(first - 1, -1, -1) if texts[n] in _JOINING), 0)
    end = next((n for n in range(situation.at + 1, len(texts)) if texts[n] in _JOINING), len(texts))
    end = next((n for n in range(situation.at + 1, end) if situation.words[n].sort == "string"), end)
    middle = situation.written(first + 1, situation.at)
    left, right = situation.written(begin, situation.at), situation.written(situation.at, end)
    words = situation.words
    edits = [situation.change(found.start, found.start, f"and {middle} ")]
    if begin and texts[begin - 1] == "not":
        edits += [
            situation.change(words[begin].start, words[begin].start, "("),
            situation.change(words[end - 1].end, words[end - 1].end, ")"),
        ]
    return situation.error(
        "RW0116",
        "a comparison has two sides, not three",
        at=found,
        remedy=f"write `{left} and {middle} {right}`",
        edits=edits,
    )


def if_value(situation: Situation) -> Diagnostic | None:
    """`if(a, b)`, with two parts."""
    found = situation.found
    if found.text != ")" or "COMMA" not in situation.trouble.accepted:
        return None
    depth, commas = 0, 0
    for number in range(situation.at - 1, 0, -1):
        text = situation.texts[number]
        depth += (text in ")]}") - (text in "([{")
        commas += text == "," and depth == 0
        if depth < 0:
            if situation.texts[number - 1] != "if" or commas > 1:
                return None
            return situation.error(
                "RW0117",
                "`if(…)` has three parts",
                at=(situation.words[number - 1].start, found.end),
                remedy="write `if(condition, value, otherwise)`",
            )
    return None


def prefixed_and(situation: Situation) -> Diagnostic | None:
    """`and(b, c)`."""
    found = situation.found
    is_first = situation.texts[situation.at : situation.at + 2] in {("and", "("), ("or", "(")}
    if not is_first or "NOT" not in situation.trouble.accepted:
        return None
    parts, end = _parts(situation, situation.at + 1)
    better = f" {found.text} ".join(parts)
    edits = [situation.change(found.start, situation.words[end].end, f"({better})")] if end else []
    return situation.error(
        "RW0106",
        f"`{found.text}` stands between two conditions",
        at=found,
        remedy=f"write `{better}`",
        edits=edits,
    )


def _parts(situation: Situation, opening: int) -> tuple[list[str], int]:
    """What stands between the commas of a bracket, and the number of its closing partner, or 0."""
    parts, begin, depth = [], opening + 1, 0
    for number in range(opening, len(situation.words)):
        text = situation.texts[number]
        depth += (text in "([{") - (text in ")]}")
        if depth == 0 or (depth == 1 and text == ","):
            part = situation.written(begin, number)
            parts.append(f"({part})" if _JOINED & set(situation.texts[begin:number]) else part)
            begin = number + 1
        if depth == 0:
            return parts, number
    return parts, 0


_JOINED = frozenset({"and", "or", "not", "some", "no"})


def within(situation: Situation) -> Diagnostic | None:
    """`hexes within 2 of u`."""
    texts = situation.texts
    if "within" not in texts[:-3]:
        return None
    number = texts.index("within")
    if texts[number + 2 : number + 3] != ("of",) or number == 0:
        return None
    board = next(
        (line.words[1].text for line in situation.lines if line.words[0].text == "board" and len(line.words) > 1),
        "field",
    )
    better = f"{{each h in {board} where distance(h, {texts[number + 3]}.at) <= {texts[number + 1]}}}"
    at, message = situation.stretch(number - 1, number + 4), "nearness is asked for with `distance`"
    return situation.rewritten(at, better, message, code="RW0127", safe=False)


_PARTNER = {"(": ")", "[": "]", "{": "}"}
_OPENING = {closing: opening for opening, closing in _PARTNER.items()}


def unclosed_bracket(situation: Situation) -> Diagnostic | None:
    """A bracket that is still open at the end of its line."""
    opened = open_brackets(situation.line.words)
    if not opened:
        return None
    bracket = opened[-1]
    closing = _PARTNER[bracket.text]
    end = situation.change(situation.tail, situation.tail, closing, safe=False)
    return situation.error(
        "RW0126", f"`{bracket.text}` is not closed", at=bracket, remedy=f"add `{closing}`", edits=(end,)
    )


def unopened_bracket(situation: Situation) -> Diagnostic | None:
    """A closing bracket that closes nothing, or closes another kind."""
    opened: list[str] = []
    for word in situation.words:
        if word.sort == "sign" and word.text in _PARTNER:
            opened.append(word.text)
        elif word.sort == "sign" and word.text in _PARTNER.values():
            if not opened:
                gone = situation.change(word.start, word.end, "", safe=False)
                remedy = f"leave it out, or write `{_OPENING[word.text]}` where it begins"
                return situation.error("RW0126", f"`{word.text}` closes nothing", at=word, remedy=remedy, edits=(gone,))
            expected = _PARTNER[opened.pop()]
            if expected != word.text:
                return situation.error(
                    "RW0126",
                    f"`{word.text}` closes another kind of bracket",
                    at=word,
                    remedy=f"write `{expected}`, or begin it with `{_OPENING[word.text]}`",
                    edits=(situation.change(word.start, word.end, expected, safe=False),),
                )
    return None


_WHOLE = re.compile(r"\d+")


def ratio(situation: Situation) -> Diagnostic | None:
    """`1:2`, as a word of a list, as the head of a column, or in a condition."""
    pairs = tuple(_ratios(situation.line.words))
    if not any(one.start <= situation.trouble.start <= other.end for one, other in pairs):
        return None
    one, other = pairs[0]
    shown = f"{one.text}:{other.text}"
    if situation.place == "word":
        better = f'{_name(one, other)} "{shown}"'
        return situation.error(
            "RW0106",
            f"a word of a list is a name, and `{shown}` is none",
            at=(one.start, other.end),
            remedy=f"write a name with `{shown}` as its title, such as `{better}`",
            edits=(situation.change(one.start, other.end, better, safe=False),),
        )
    if situation.verb == "across":
        heads = " | ".join(_name(*each) for each in pairs)
        return situation.error(
            "RW0106",
            f"a column is headed by a word of a list, and `{shown}` is none",
            at=(one.start, other.end),
            remedy=f'let the list have names with titles, such as `{_name(one, other)} "{shown}"`, and write `{heads}`',
            edits=[situation.change(a.start, b.end, _name(a, b), safe=False) for a, b in pairs],
        )
    better = f"{one.text} / {other.text}"
    return situation.error(
        "RW0106",
        f"`{shown}` is not a value",
        at=(one.start, other.end),
        remedy=f"odds are a fraction: write `{better}`",
        edits=[situation.change(a.start, b.end, f"{a.text} / {b.text}", safe=False) for a, b in pairs],
    )


def _ratios(words: tuple[Word, ...]) -> Iterator[tuple[Word, Word]]:
    """The whole numbers that stand at either side of a colon, with nothing between."""
    for one, colon, other in zip(words, words[1:], words[2:], strict=False):
        touch = one.end == colon.start and colon.end == other.start
        if touch and colon.text == ":" and _WHOLE.fullmatch(one.text) and _WHOLE.fullmatch(other.text):
            yield one, other


def _name(one: Word, other: Word) -> str:
    return f"odds_{one.text}_{other.text}"
