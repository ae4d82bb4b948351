"""Dice as other games write them, and rolls whose parts stand in another order."""

import re
from collections.abc import Iterator

from rulewright.base.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.mistakes.mistake_context import MistakeContext

_DICE_PATTERN = re.compile(r"([1-9][0-9]*)? ?([dD][1-9][0-9]*)")


def is_dice_text(text: str) -> bool:
    """Whether a word says which dice are meant: `2d6`, `d6`."""
    return _DICE_PATTERN.fullmatch(text) is not None


def make_dice_remedy(situation: MistakeContext, dice: str) -> str:
    """What to write where dice stand that do not fit."""
    if situation.verb == "roll" and situation.stop_index > situation.verb_index + 1:
        return f"write `{situation.get_words_text(situation.verb_index + 1, situation.stop_index)} of {dice}`"
    return f"roll the dice first, `roll {dice} as NAME`, and read what they show: `total(NAME)`"


def diagnose_dice_order(situation: MistakeContext) -> Diagnostic | None:
    """`roll check as 2d6`, and `let check = 2d6`."""
    head = situation.verb_index
    match situation.texts[head : head + 3]:
        case ("roll", name, "as"):
            end = next((at for at, text in enumerate(situation.texts) if text == "by"), len(situation.words))
        case ("let", name, "="):
            end = len(situation.words)
        case _:
            return None
    first = head + 4 if situation.texts[head + 3 : head + 4] == ("roll",) else head + 3
    dice = _DICE_PATTERN.fullmatch(situation.get_words_text(first, end))
    if dice is None:
        return None
    better = f"roll {dice[1] or ''}{dice[2].lower()} as {name}"
    is_roll = situation.verb == "roll"
    message = "the dice come first" if is_roll else "a `let` rolls no dice"
    turned = situation.make_edit(*situation.get_offsets(head, end), better, safe=is_roll)
    return situation.make_line_error("RW0110", message, remedy=f"write `{better}`", edits=(turned,))


def diagnose_dice_in_words(situation: MistakeContext) -> Diagnostic | None:
    """`roll a d6`, `roll two d6`."""
    before, dice = situation.word_before, situation.stop_word
    if before.text not in _NUMBER_WORDS or not re.fullmatch("[dD][1-9][0-9]*", dice.text):
        return None
    better = f"{_NUMBER_WORDS[before.text]}{dice.text.lower()}"
    return situation.diagnose_rewriting((before.start, dice.end), better, safe=before.text in {"a", "an"})


_NUMBER_WORDS = {"a": "", "an": "", "one": "", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}


def diagnose_tagged_dice(situation: MistakeContext) -> Diagnostic | None:
    """`roll 2d6 tagged t as blows`, as it was written once: what a part is called stands before it, in brackets."""
    texts, start = situation.texts, situation.verb_index + 1
    if situation.verb != "roll" or situation.stop_word.text != "tagged" or "as" not in texts:
        return None
    bracketed, end = texts[start] == "[", texts.index("as")
    if bracketed:
        end = (
            next(
                at for at in range(start, end) if texts[at] == "]" and _count_open_brackets(texts[start : at + 1]) == 0
            )
            + 1
        )
    edits: tuple[Edit, ...] = ()
    if situation.stop_index < end:
        stretches = _split_at_commas(texts, start + bracketed, end - bracketed)
        parts = ", ".join(_render_named_part(situation, *stretch) for stretch in stretches)
        edits = (situation.make_edit(*situation.get_offsets(start, end), f"[{parts}]"),)
    message = "the name of dice comes before them; `tagged` is not a word of a roll"
    remedy = f"write `{edits[0].replacement}`" if edits else "call every part: `[attack: 3 of d6, block: 2 of d8]`"
    return situation.make_line_error("RW0106", message, at=situation.stop_word, remedy=remedy, edits=edits)


def diagnose_dice_without_faces(situation: MistakeContext) -> Diagnostic | None:
    """`roll 2 dice`."""
    scanned_word, before = situation.stop_word, situation.word_before
    if situation.verb != "roll" or scanned_word.text not in {"dice", "die"}:
        return None
    number = before.text if before.text.isdigit() and before.text != "1" else ""
    remedy = f"write `roll {number}d6 as NAME`, or which dice are meant"
    return situation.make_line_error("RW0106", "this roll has no dice", at=scanned_word, remedy=remedy)


def diagnose_added_to_dice(situation: MistakeContext) -> Diagnostic | None:
    """`roll d6 + bonus as check`."""
    texts, start = situation.texts, situation.verb_index + 1
    dice, sign = (*texts[start : start + 2], "", "")[:2]
    if situation.verb != "roll" or not is_dice_text(dice) or sign not in {"+", "-"}:
        return None
    end = texts.index("as") if "as" in texts else len(texts)
    name = "".join(texts[end + 1 : end + 2]) or "NAME"
    shown = f"total({name})" if texts[start][0].isdigit() else f"{name}.natural"
    message = "a roll is dice only; add the number where you read the roll"
    remedy = f"write `roll {texts[start]} as {name}`, and below `{shown} {situation.get_words_text(start + 1, end)}`"
    return situation.make_line_error("RW0110", message, at=situation.words[start + 1], remedy=remedy)


_ROLL_OPTION_WORDS = frozenset({"keep", "drop", "explode"})


def make_roll_option_remedy(situation: MistakeContext) -> str:
    """How a roll for each of several things is written, or where an option stands that was written behind the name."""
    texts, scanned_word = situation.texts, situation.stop_word
    if scanned_word.text == "for" and "[" in texts:
        return "to roll for each of several things, write a loop: `for each one in …:`, and the `roll` below it"
    if scanned_word.text not in _ROLL_OPTION_WORDS or "as" not in texts:
        return ""
    end = texts.index("as")
    start = next((at for at in range(end, len(texts)) if texts[at] == scanned_word.text), 0)
    if not start:
        return ""
    option = situation.get_words_text(start, len(texts))
    moved = f"{situation.get_words_text(situation.verb_index, end)} {option} {situation.get_words_text(end, start)}"
    return f"`{scanned_word.text}` comes after the dice: `{moved}`"


def _render_named_part(situation: MistakeContext, start: int, end: int) -> str:
    """A part of a roll with what it was tagged with before it."""
    tagged = [one for one in range(start + 1, end) if situation.texts[one] == "tagged"]
    if not tagged:
        return situation.get_words_text(start, end)
    at = tagged[-1]
    more = next((one for one in range(at, end) if situation.texts[one] in _ROLL_OPTION_WORDS), end)
    dice = f"{situation.get_words_text(start, at)} {situation.get_words_text(more, end)}".strip()
    return f"{situation.get_words_text(at + 1, more)}: {dice}"


def _split_at_commas(texts: tuple[str, ...], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretches of words between commas that stand in no brackets."""
    first = start
    for at in range(start, end):
        if texts[at] == "," and _count_open_brackets(texts[start:at]) == 0:
            yield first, at
            first = at + 1
    yield first, end


def _count_open_brackets(texts: tuple[str, ...]) -> int:
    """How many brackets are open after some words."""
    return sum((text in "([{") - (text in ")]}") for text in texts)


def diagnose_negative_face(situation: MistakeContext) -> Diagnostic | None:
    """`die fate: -1, 0, 1`."""
    if situation.verb != "die" or situation.line_kind != "declaration" or situation.stop_word.text != "-":
        return None
    end = min(situation.stop_index + 2, len(situation.words))
    remedy = "add one number to every face, and take it away where the roll is read"
    message = "a face is a number from 0 up, or a word"
    return situation.make_line_error(
        "RW0101", message, at=situation.get_offsets(situation.stop_index, end), remedy=remedy
    )
