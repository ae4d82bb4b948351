"""Dice as other games write them, and rolls whose parts stand in another order."""

import re
from collections.abc import Iterator

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.mistakes.situation import Situation

_DICE = re.compile(r"([1-9][0-9]*)? ?([dD][1-9][0-9]*)")


def is_dice(text: str) -> bool:
    """Whether a word says which dice are meant: `2d6`, `d6`."""
    return _DICE.fullmatch(text) is not None


def dice_remedy(situation: Situation, dice: str) -> str:
    """What to write where dice stand that do not fit."""
    if situation.verb == "roll" and situation.at > situation.head + 1:
        return f"write `{situation.written(situation.head + 1, situation.at)} of {dice}`"
    return f"roll the dice first, `roll {dice} as NAME`, and read what they show: `total(NAME)`"


def dice_first(situation: Situation) -> Diagnostic | None:
    """`roll check as 2d6`, and `let check = 2d6`."""
    head = situation.head
    match situation.texts[head : head + 3]:
        case ("roll", name, "as"):
            end = next((at for at, text in enumerate(situation.texts) if text == "by"), len(situation.words))
        case ("let", name, "="):
            end = len(situation.words)
        case _:
            return None
    first = head + 4 if situation.texts[head + 3 : head + 4] == ("roll",) else head + 3
    dice = _DICE.fullmatch(situation.written(first, end))
    if dice is None:
        return None
    better = f"roll {dice[1] or ''}{dice[2].lower()} as {name}"
    is_roll = situation.verb == "roll"
    message = "the dice come first" if is_roll else "a `let` rolls no dice"
    turned = situation.change(*situation.stretch(head, end), better, safe=is_roll)
    return situation.error("RW0110", message, remedy=f"write `{better}`", edits=(turned,))


def dice_in_words(situation: Situation) -> Diagnostic | None:
    """`roll a d6`, `roll two d6`."""
    before, dice = situation.before, situation.found
    if before.text not in _NUMBERS or not re.fullmatch("[dD][1-9][0-9]*", dice.text):
        return None
    better = f"{_NUMBERS[before.text]}{dice.text.lower()}"
    return situation.rewritten((before.start, dice.end), better, safe=before.text in {"a", "an"})


_NUMBERS = {"a": "", "an": "", "one": "", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}


def tagged_dice(situation: Situation) -> Diagnostic | None:
    """`roll 2d6 tagged t as blows`, as it was written once: what a part is called stands before it, in brackets."""
    texts, start = situation.texts, situation.head + 1
    if situation.verb != "roll" or situation.found.text != "tagged" or "as" not in texts:
        return None
    bracketed, end = texts[start] == "[", texts.index("as")
    if bracketed:
        end = next(at for at in range(start, end) if texts[at] == "]" and _depth(texts[start : at + 1]) == 0) + 1
    edits: tuple[Edit, ...] = ()
    if situation.at < end:
        stretches = _between_commas(texts, start + bracketed, end - bracketed)
        parts = ", ".join(_called(situation, *each) for each in stretches)
        edits = (situation.change(*situation.stretch(start, end), f"[{parts}]"),)
    message = "the name of dice comes before them; `tagged` is not a word of a roll"
    remedy = f"write `{edits[0].replacement}`" if edits else "call every part: `[attack: 3 of d6, block: 2 of d8]`"
    return situation.error("RW0106", message, at=situation.found, remedy=remedy, edits=edits)


def dice_without_faces(situation: Situation) -> Diagnostic | None:
    """`roll 2 dice`."""
    found, before = situation.found, situation.before
    if situation.verb != "roll" or found.text not in {"dice", "die"}:
        return None
    number = before.text if before.text.isdigit() and before.text != "1" else ""
    remedy = f"write `roll {number}d6 as NAME`, or which dice are meant"
    return situation.error("RW0106", "this roll has no dice", at=found, remedy=remedy)


def added_to_dice(situation: Situation) -> Diagnostic | None:
    """`roll d6 + bonus as check`."""
    texts, start = situation.texts, situation.head + 1
    dice, sign = (*texts[start : start + 2], "", "")[:2]
    if situation.verb != "roll" or not is_dice(dice) or sign not in {"+", "-"}:
        return None
    end = texts.index("as") if "as" in texts else len(texts)
    name = "".join(texts[end + 1 : end + 2]) or "NAME"
    shown = f"total({name})" if texts[start][0].isdigit() else f"{name}.natural"
    message = "a roll is dice only; add the number where you read the roll"
    remedy = f"write `roll {texts[start]} as {name}`, and below `{shown} {situation.written(start + 1, end)}`"
    return situation.error("RW0110", message, at=situation.words[start + 1], remedy=remedy)


_OPTIONS = frozenset({"keep", "drop", "explode"})


def option_remedy(situation: Situation) -> str:
    """How a roll for each of several things is written, or where an option stands that was written behind the name."""
    texts, found = situation.texts, situation.found
    if found.text == "for" and "[" in texts:
        return "to roll for each of several things, write a loop: `for each one in …:`, and the `roll` below it"
    if found.text not in _OPTIONS or "as" not in texts:
        return ""
    end = texts.index("as")
    start = next((at for at in range(end, len(texts)) if texts[at] == found.text), 0)
    if not start:
        return ""
    option = situation.written(start, len(texts))
    moved = f"{situation.written(situation.head, end)} {option} {situation.written(end, start)}"
    return f"`{found.text}` comes after the dice: `{moved}`"


def _called(situation: Situation, start: int, end: int) -> str:
    """A part of a roll with what it was tagged with before it."""
    tagged = [one for one in range(start + 1, end) if situation.texts[one] == "tagged"]
    if not tagged:
        return situation.written(start, end)
    at = tagged[-1]
    more = next((one for one in range(at, end) if situation.texts[one] in _OPTIONS), end)
    dice = f"{situation.written(start, at)} {situation.written(more, end)}".strip()
    return f"{situation.written(at + 1, more)}: {dice}"


def _between_commas(texts: tuple[str, ...], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretches of words between commas that stand in no brackets."""
    first = start
    for at in range(start, end):
        if texts[at] == "," and _depth(texts[start:at]) == 0:
            yield first, at
            first = at + 1
    yield first, end


def _depth(texts: tuple[str, ...]) -> int:
    """How many brackets are open after some words."""
    return sum((each in "([{") - (each in ")]}") for each in texts)


def face_below_zero(situation: Situation) -> Diagnostic | None:
    """`die fate: -1, 0, 1`."""
    if situation.verb != "die" or situation.place != "declaration" or situation.found.text != "-":
        return None
    end = min(situation.at + 2, len(situation.words))
    remedy = "add one number to every face, and take it away where the roll is read"
    message = "a face is a number from 0 up, or a word"
    return situation.error("RW0101", message, at=situation.stretch(situation.at, end), remedy=remedy)
