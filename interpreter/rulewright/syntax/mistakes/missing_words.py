"""Words of a line that its author took for granted."""

from itertools import accumulate, pairwise

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.mistakes.situation import Situation

_COUNTED = frozenset({"count", "sum", "min", "max"})

_BOUNDS = frozenset({"at", "without"})
_AFTER = _BOUNDS | {"as", "by", "keep", "drop", "with", "explode", ",", "]"}


def each(situation: Situation) -> Diagnostic | None:
    """`for x in collection:`, without `each`."""
    found, before = situation.found, situation.before
    follows = situation.texts[situation.at + 1 : situation.at + 2] in {("in",), (",",)}
    if before.text != "for" or found.sort != "word" or not follows:
        return None
    if situation.place != "line" or situation.verb != "for":
        return None
    message = "a loop names `each` member"
    edits = (situation.change(found.start, found.start, "each "),)
    return situation.error("RW0106", message, at=found, remedy=f"write `for each {found.text} in …`", edits=edits)


def each_counted(situation: Situation) -> Diagnostic | None:
    """`count(d in dice where …)` and `[d in dice: d.natural]`, without `each`."""
    texts = situation.texts
    if situation.found.text not in {"where", ":"}:
        return None
    opened = [at for at in range(situation.at - 2) if texts[at] in "([{"]
    at = opened[-1] if opened else 0
    word = texts[at - 1] if at and texts[at] == "(" else ""
    if not opened or texts[at + 2 : at + 3] != ("in",) or (texts[at] == "(" and word not in _COUNTED):
        return None
    member = situation.words[at + 1]
    message = f"`{word or texts[at]}` goes through `each` member"
    remedy = f"write `{word}{texts[at]}each {member.text} in …`"
    edits = (situation.change(member.start, member.start, "each "),)
    return situation.error("RW0106", message, at=member, remedy=remedy, edits=edits)


def end_of_a_key(situation: Situation) -> Diagnostic | None:
    """`near: distance(a, b)` as a key of a rank, which does not say which end comes first."""
    if situation.place != "key" or not situation.found.text or situation.texts[1 : situation.at] != (":",):
        return None
    name, value = situation.texts[0], situation.written(situation.at, len(situation.texts))
    message, at = "a key says which comes first, the highest or the lowest", situation.found
    return situation.error("RW0101", message, at=at, remedy=f"write `{name}: highest {value}`, or `lowest`")


def end_of_a_pick(situation: Situation) -> Diagnostic | None:
    """`to pick 1+ of each …`, which does not say how many at most."""
    texts, at = situation.texts, situation.at
    if situation.verb != "ask" or texts[at - 2 : at + 1] != ("+", "of", "each"):
        return None
    least, plus = situation.words[at - 3 : at - 1]
    message = f"`{least.text}+` does not say how many may be picked at most"
    remedy = f"write `{least.text}..9 of each` with the most there may be"
    edits = (situation.change(plus.start, plus.end, "..9", safe=False),)
    return situation.error("RW0106", message, at=(least.start, plus.end), remedy=remedy, edits=edits)


def name_of_dice_again(situation: Situation) -> Diagnostic | None:
    """`reroll {each d in dice where …}`, whose dice have no name."""
    texts, found = situation.texts, situation.found
    begun = texts.index("each") if "each" in texts else 0
    if situation.verb != "reroll" or not found.text or not 0 < begun <= situation.at + 1 <= begun + 2:
        return None
    depths = accumulate((each == "{") - (each == "}") for each in texts[begun:])
    closed = (begun + number for number, depth in enumerate(depths) if depth < 0)
    end = next(closed, texts.index("by") if "by" in texts else len(texts))
    remedy = f"write `let again = {{{situation.written(begun, end)}}}`, and below it `reroll again`"
    return situation.error("RW0106", "dice that are rolled again have a name", at=found, remedy=remedy)


def name_of_a_limit(situation: Situation) -> Diagnostic | None:
    """`at least 0` as a row of a tally, which has no name."""
    first = situation.line.words[0]
    if situation.place != "tally row" or first.text not in {"at", "times", "becomes"} or situation.at > 1:
        return None
    said = situation.written(0, len(situation.words))
    message = "a row of a tally begins with its name"
    edits = (situation.change(first.start, first.start, "limit: "),)
    return situation.error("RW0106", message, at=first, remedy=f"write `limit: {said}`", edits=edits)


def numbers_listed(situation: Situation) -> Diagnostic | None:
    """`segments: 4 or 6 or 8` as the type of an attribute."""
    found, before = situation.found, situation.before
    if situation.place != "field" or found.text not in {"or", ",", "|", "/"}:
        return None
    listed = [each for each in situation.words[situation.at - 1 :] if each.text.isdigit()]
    if not before.text.isdigit() or len(listed) < 2:  # noqa: PLR2004 - a list has two
        return None
    numbers = [int(each.text) for each in listed]
    better = f"{min(numbers)}..{max(numbers)}"
    message = "a type is one range of numbers, not a list of them"
    remedy = f"write `{better}`; an `always` can rule out some of these numbers"
    edits = (situation.change(before.start, listed[-1].end, better, safe=False),)
    return situation.error("RW0106", message, at=(before.start, listed[-1].end), remedy=remedy, edits=edits)


def attributes_together(situation: Situation) -> Diagnostic | None:
    """`hp, mp: 0..9`, which names two attributes on one line."""
    texts = situation.texts
    colon = texts.index(":") if ":" in texts else 0
    names, commas = situation.words[:colon:2], texts[1:colon:2]
    if situation.place != "field" or set(commas) != {","} or len(names) != len(commas) + 1 or situation.at > colon:
        return None
    if any(name.sort != "word" for name in names):
        return None
    said = situation.content[situation.words[colon].start : situation.words[-1].end]
    lines = [f"{name.text}{said}" for name in names]
    return situation.error(
        "RW0106",
        "each attribute has a line of its own",
        at=(names[0].start, names[-1].end),
        remedy=f"write `{lines[0]}`, and the others like it on lines of their own",
        edits=(
            situation.change(
                names[0].start, situation.words[-1].end, f"\n{situation.blanks}".join(lines), safe="\n" not in said
            ),
        ),
    )


def bound_of_explosions(situation: Situation) -> Diagnostic | None:
    """`explode on 6`, which does not say how often."""
    texts = situation.texts
    begun = next((place for place, pair in enumerate(pairwise(texts)) if pair == ("explode", "on")), len(texts))
    end = next((place for place in range(begun + 2, len(texts)) if texts[place] in _AFTER), 0)
    if not begun + 2 < end <= situation.at + 1 or texts[end] in _BOUNDS:
        return None
    face, said = situation.words[end - 1], situation.written(begun, end)
    message = f"`{said}` does not say how often a die explodes"
    remedy = f"write `{said} at most 1`, or `{said} without limit`"
    edits = (situation.change(face.end, face.end, " without limit", safe=False),)
    return situation.error("RW0106", message, at=(situation.words[begun].start, face.end), remedy=remedy, edits=edits)
