"""Values that hang on a condition, as other languages write them."""

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.mistakes.situation import Situation

_OPEN = {"(", "[", "{"}
_CLOSE = {")", "]", "}"}
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
    return situation.error(
        "RW0106",
        "an `if` has no `then`",
        at=situation.words[then],
        remedy=f"write `{written}`",
        edits=(situation.change(*situation.stretch(number, end), written),),
    )


def hanging_value(situation: Situation, number: int) -> Diagnostic:
    """`3 if x else 4` and `x ? 3 : 4`, at the word by its number."""
    found = _parts(situation, number)
    start, end, *parts = found or (0, 0, "condition", "value", _OTHER)
    written = f"if({', '.join(map(str, parts))})"
    return situation.error(
        "RW0106",
        "a value that hangs on a condition begins with it",
        at=situation.words[number],
        remedy=f"write `{written}`",
        edits=(situation.change(start, end, written),) if _OTHER not in parts else (),
    )


def _parts(situation: Situation, number: int) -> tuple[int, int, str, str, str] | None:
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
        depth += (text in _OPEN) - (text in _CLOSE)
        if depth < 0 or (not depth and (text == "," or text.startswith('"'))):
            return at
    return len(situation.words)


def opener(situation: Situation, number: int) -> int | None:
    """The bracket around a word, or the comma before it inside one; none where it stands in no bracket."""
    depth, comma = 0, None
    for at in range(number - 1, -1, -1):
        text = situation.texts[at]
        if not depth and text in _OPEN:
            return at if comma is None else comma
        if not depth and text == "," and comma is None:
            comma = at
        depth += (text in _CLOSE) - (text in _OPEN)
    return None
