"""Mistakes of expressions, brackets and dice."""

import re

from rulewright.base.diagnostics import Diagnostic
from rulewright.syntax.layout import find_open_brackets
from rulewright.syntax.mistakes.mistake_context import MistakeContext

_CLOSING_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_OPENING_BRACKETS = {closing: opening for opening, closing in _CLOSING_BRACKETS.items()}


def diagnose_unclosed_bracket(context: MistakeContext) -> Diagnostic | None:
    """A bracket still open at the end of its line."""
    opened = find_open_brackets(context.line.words)
    if not opened:
        return None
    bracket = opened[-1]
    closing = _CLOSING_BRACKETS[bracket.text]
    end = context.make_edit(context.end_offset, context.end_offset, closing, safe=False)
    return context.make_line_error(
        "RW0126", f"`{bracket.text}` is not closed", at=bracket, remedy=f"add `{closing}`", edits=(end,)
    )


def diagnose_unopened_bracket(context: MistakeContext) -> Diagnostic | None:
    """A closing bracket without an opening one, or of another sort than the open one."""
    opened: list[str] = []
    for word in context.words:
        if word.sort == "sign" and word.text in _CLOSING_BRACKETS:
            opened.append(word.text)
        elif word.sort == "sign" and word.text in _OPENING_BRACKETS:
            expected, opening = _CLOSING_BRACKETS[opened.pop()] if opened else "", _OPENING_BRACKETS[word.text]
            if expected == word.text:
                continue
            message = f"`{word.text}` closes {'another kind of bracket' if expected else 'nothing'}"
            remedy = f"leave it out, or write `{opening}` where it begins"
            remedy = f"write `{expected}`, or begin it with `{opening}`" if expected else remedy
            edits = (context.make_edit(word.start, word.end, expected, safe=False),)
            return context.make_line_error("RW0126", message, at=word, remedy=remedy, edits=edits)
    return None


_WORDS_BEFORE_VALUE = {"let": "=", "set": "to", "finish": "with"}
_OTHER_VALUE = "other value"


def diagnose_question_mark(context: MistakeContext) -> Diagnostic | None:
    """`x ? 3 : 4`."""
    is_one = context.stop_word.text == "?" and ":" in context.texts[context.stop_index :]
    return diagnose_trailing_condition(context, context.stop_index) if is_one else None


def diagnose_trailing_condition(context: MistakeContext, number: int) -> Diagnostic:
    """`3 if x else 4` and `x ? 3 : 4`, at the word of an index."""
    items = _split_conditional(context, number)
    start, end, *parts = items or (0, 0, "condition", "value", _OTHER_VALUE)
    written = f"if({', '.join(map(str, parts))})"
    message = "the condition of a value comes first"
    edits = (context.make_edit(start, end, written),) if _OTHER_VALUE not in parts else ()
    return context.make_line_error(
        "RW0106", message, at=context.words[number], remedy=f"write `{written}`", edits=edits
    )


def _split_conditional(context: MistakeContext, number: int) -> tuple[int, int, str, str, str] | None:
    """Start, end, condition, value and other value of a conditional; none where they are unclear."""
    texts, words, around = context.texts, context.words, find_opener(context, number)
    before = _WORDS_BEFORE_VALUE.get(context.verb, "")
    start = around if around is not None else texts.index(before) if before in texts[:number] else None
    end = _find_value_end(context, number)
    if start is None or "if" in texts[number + 1 : end] or texts[number:end].count("?") > 1:
        return None
    is_question = texts[number] == "?"
    parting = ":" if is_question else "else"
    middle = texts.index(parting, number) if parting in texts[number:end] else end
    first, second = context.get_words_text(start + 1, number), context.get_words_text(number + 1, middle)
    if not first or not second:
        return None
    other = context.get_words_text(middle + 1, end) or _OTHER_VALUE
    is_alone = around is not None and texts[around] == "(" and texts[end : end + 1] == (")",)
    is_call = start > 0 and words[start - 1].end == words[start].start
    span = (start, end) if is_alone and not is_call else (start + 1, end - 1)
    condition, value = (first, second) if is_question else (second, first)
    return words[span[0]].start, words[span[1]].end, condition, value, other


def diagnose_joined_quantifier(context: MistakeContext) -> Diagnostic | None:
    """`… and no x in S` without brackets around what follows `and`."""
    texts, stop = context.texts, context.stop_index
    if stop < 2 or texts[stop - 1] not in {"some", "no", "every"} or texts[stop - 2] not in {"and", "or"}:  # noqa: PLR2004
        return None
    end = _find_condition_end(context, stop)
    if context.stop_word.sort != "word" or not {"in", ","} & {*texts[stop + 1 : min(stop + 2, end)]}:
        return None
    message = f"`{texts[stop - 1]}` after `{texts[stop - 2]}` stands in brackets"
    start, last = context.words[stop - 1].start, context.words[end - 1].end
    edits = tuple(context.make_edit(at, at, sign, safe=False) for at, sign in ((start, "("), (last, ")")))
    remedy = f"write `({context.get_words_text(stop - 1, end)})`"
    return context.make_line_error("RW0106", message, at=(start, last), remedy=remedy, edits=edits)


def _find_condition_end(context: MistakeContext, number: int) -> int:
    """Index of the word that ends the condition around a word: a bracket, `at most`, a title or the last colon."""
    end, texts = _find_value_end(context, number), context.texts
    bound = next((at for at in range(number, end) if texts[at : at + 2] == ("at", "most")), end)
    return bound - 1 if bound == len(texts) and texts[-1] == ":" else bound


def _find_value_end(context: MistakeContext, number: int) -> int:
    """Index of the word that ends the value around a word."""
    depth = 0
    for at, text in enumerate(context.texts[number:], number):
        depth += (text in "([{") - (text in ")]}")
        if depth < 0 or (not depth and (text == "," or text.startswith('"'))):
            return at
    return len(context.words)


def find_opener(context: MistakeContext, number: int) -> int | None:
    """Index of the bracket around a word, or of the comma before it in one; none outside of brackets."""
    depth, comma = 0, None
    for at in range(number - 1, -1, -1):
        text = context.texts[at]
        if not depth and text in "([{":
            return at if comma is None else comma
        if not depth and text == "," and comma is None:
            comma = at
        depth += (text in ")]}") - (text in "([{")
    return None


_DICE_PATTERN = re.compile(r"([1-9][0-9]*)? ?([dD][1-9][0-9]*)")


def is_dice_text(text: str) -> bool:
    """Whether a word is a dice expression: `2d6`, `d6`."""
    return _DICE_PATTERN.fullmatch(text) is not None


def make_dice_remedy(context: MistakeContext, dice: str) -> str:
    """What to write where dice stand that do not fit."""
    if context.verb == "roll" and context.stop_index > context.verb_index + 1:
        return f"write `{context.get_words_text(context.verb_index + 1, context.stop_index)} of {dice}`"
    return f"roll the dice first, `roll {dice} as NAME`, and read what they show: `total(NAME)`"


_NUMBER_WORDS = {"a": "", "an": "", "one": "", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}


_ROLL_OPTION_WORDS = frozenset({"keep", "drop", "explode"})


def make_roll_option_remedy(context: MistakeContext) -> str:
    """How a roll for each of several things is written, or the place of an option written behind the name."""
    texts, word = context.texts, context.stop_word
    if word.text == "for" and "[" in texts:
        return "to roll for each of several things, write a loop: `for each one in …:`, and the `roll` below it"
    if word.text not in _ROLL_OPTION_WORDS or "as" not in texts:
        return ""
    end = texts.index("as")
    start = next((at for at in range(end, len(texts)) if texts[at] == word.text), 0)
    if not start:
        return ""
    option = context.get_words_text(start, len(texts))
    moved = f"{context.get_words_text(context.verb_index, end)} {option} {context.get_words_text(end, start)}"
    return f"`{word.text}` comes after the dice: `{moved}`"
