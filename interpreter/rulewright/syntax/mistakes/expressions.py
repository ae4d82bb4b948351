"""Conditions, odds and values that hang on a condition as people first write them; brackets without their partner."""

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
    message = f"after `{between[0]}` a condition begins with `where`"
    remedy = f"write `{situation.written(begin, colon)} where …`; a `:` is for `every`"
    edits = (situation.change(situation.words[colon - 1].end, word.end, " where"),)
    return situation.error("RW0577", message, at=word, remedy=remedy, edits=edits)


def parted_sign(situation: Situation) -> Diagnostic | None:
    """`a > = b`, with a space within the sign; `a = > b`."""
    for number in (situation.at - 1, situation.at):
        sign = "".join(situation.texts[max(number, 0) : number + 2])
        better = {"=>": ">=", "=<": "<="}.get(sign, sign)
        if better in {">=", "<=", "!="} and len(situation.texts[number]) == 1:
            at, message = situation.stretch(number, number + 2), f"`{better}` is one sign, without a space in it"
            return situation.rewritten(at, better, message, code="RW0116", safe=sign == better)
    return None


def chained_comparison(situation: Situation) -> Diagnostic | None:
    """`2 <= a <= 4`."""
    found = situation.found
    if found.text not in _COMPARISONS or situation.at < 3:  # noqa: PLR2004
        return None
    texts = situation.texts
    first = next((n for n in range(situation.at - 1, 0, -1) if texts[n] in _COMPARISONS | _JOINING), 0)
    if texts[first] not in _COMPARISONS or first + 1 == situation.at:
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
    message = "a comparison has two sides, not three"
    return situation.error("RW0116", message, at=found, remedy=f"write `{left} and {middle} {right}`", edits=edits)


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
            message, remedy = "`if(…)` has three parts", "write `if(condition, value, otherwise)`"
            return situation.error("RW0117", message, at=(situation.words[number - 1].start, found.end), remedy=remedy)
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
    message = f"`{found.text}` goes between two conditions"
    return situation.error("RW0106", message, at=found, remedy=f"write `{better}`", edits=edits)


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
    at, message = situation.stretch(number - 1, number + 4), "use `distance` to ask what is near"
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
    shown, titled = f"{one.text}:{other.text}", f'odds_{one.text}_{other.text} "{one.text}:{other.text}"'
    if situation.place == "word":
        pairs, written = pairs[:1], [titled]
        message = f"a word of a list is a name, and `{shown}` is none"
        remedy = f"write a name with `{shown}` as its title, such as `{titled}`"
    elif situation.verb == "across":
        written = [f"odds_{a.text}_{b.text}" for a, b in pairs]
        message = f"a column is headed by a word of a list, and `{shown}` is none"
        remedy = f"let the list have names with titles, such as `{titled}`, and write `{' | '.join(written)}`"
    else:
        written = [f"{a.text} / {b.text}" for a, b in pairs]
        message, remedy = f"`{shown}` is not a value", f"odds are a fraction: write `{written[0]}`"
    edits = [situation.change(a.start, b.end, each, safe=False) for (a, b), each in zip(pairs, written, strict=True)]
    return situation.error("RW0106", message, at=(one.start, other.end), remedy=remedy, edits=edits)


def _ratios(words: tuple[Word, ...]) -> Iterator[tuple[Word, Word]]:
    """The whole numbers that stand at either side of a colon, with nothing between."""
    for one, colon, other in zip(words, words[1:], words[2:], strict=False):
        touch = one.end == colon.start and colon.end == other.start
        if touch and colon.text == ":" and _WHOLE.fullmatch(one.text) and _WHOLE.fullmatch(other.text):
            yield one, other


_BEFORE = {"let": "=", "set": "to", "finish": "with"}
_OTHER = "other value"


def question_mark(situation: Situation) -> Diagnostic | None:
    """`x ? 3 : 4`."""
    is_one = situation.found.text == "?" and ":" in situation.texts[situation.at :]
    return hanging_value(situation, situation.at) if is_one else None


def if_then(situation: Situation) -> Diagnostic | None:
    """`let n = if x then 3 else 4`."""
    number = situation.at - 1
    if situation.before.text != "if" or situation.trouble.accepted != {"LPAR"}:
        return None
    texts, end = situation.texts, _end(situation, number)
    if texts[number:end].count("then") != 1 or texts[number:end].count("else") != 1:
        return None
    then, other = texts.index("then", number), texts.index("else", number)
    parts = [situation.written(*each) for each in ((number + 1, then), (then + 1, other), (other + 1, end))]
    if not all(parts):
        return None
    written = f"if({', '.join(parts)})"
    message = "an `if` has no `then`"
    edits = (situation.change(*situation.stretch(number, end), written),)
    return situation.error("RW0106", message, at=situation.words[then], remedy=f"write `{written}`", edits=edits)


def hanging_value(situation: Situation, number: int) -> Diagnostic:
    """`3 if x else 4` and `x ? 3 : 4`, at the word by its number."""
    found = _of_conditional(situation, number)
    start, end, *parts = found or (0, 0, "condition", "value", _OTHER)
    written = f"if({', '.join(map(str, parts))})"
    message = "the condition of a value comes first"
    edits = (situation.change(start, end, written),) if _OTHER not in parts else ()
    return situation.error("RW0106", message, at=situation.words[number], remedy=f"write `{written}`", edits=edits)


def _of_conditional(situation: Situation, number: int) -> tuple[int, int, str, str, str] | None:
    """From where to where such a value stands, its condition, value and other value; none where that is not clear."""
    texts, words, around = situation.texts, situation.words, opener(situation, number)
    before = _BEFORE.get(situation.verb, "")
    start = around if around is not None else texts.index(before) if before in texts[:number] else None
    end = _end(situation, number)
    if start is None or "if" in texts[number + 1 : end] or texts[number:end].count("?") > 1:
        return None
    is_question = texts[number] == "?"
    parting = ":" if is_question else "else"
    middle = texts.index(parting, number) if parting in texts[number:end] else end
    first, second = situation.written(start + 1, number), situation.written(number + 1, middle)
    if not first or not second:
        return None
    other = situation.written(middle + 1, end) or _OTHER
    is_alone = around is not None and texts[around] == "(" and texts[end : end + 1] == (")",)
    is_call = start > 0 and words[start - 1].end == words[start].start
    span = (start, end) if is_alone and not is_call else (start + 1, end - 1)
    condition, value = (first, second) if is_question else (second, first)
    return words[span[0]].start, words[span[1]].end, condition, value, other


def _end(situation: Situation, number: int) -> int:
    """Before which word a value ends in which the word of a number stands."""
    depth = 0
    for at, text in enumerate(situation.texts[number:], number):
        depth += (text in "([{") - (text in ")]}")
        if depth < 0 or (not depth and (text == "," or text.startswith('"'))):
            return at
    return len(situation.words)


def opener(situation: Situation, number: int) -> int | None:
    """The bracket around a word, or the comma before it inside one; none where it stands in no bracket."""
    depth, comma = 0, None
    for at in range(number - 1, -1, -1):
        text = situation.texts[at]
        if not depth and text in "([{":
            return at if comma is None else comma
        if not depth and text == "," and comma is None:
            comma = at
        depth += (text in ")]}") - (text in "([{")
    return None
