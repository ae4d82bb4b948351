"""Lines with a shape of their own that were written another way: questions, standing rules, ranges."""

import re
from collections.abc import Iterator
from itertools import takewhile

from rulewright.diagnostics.model import Diagnostic, Edit
from rulewright.syntax.mistakes.forms import moved_last
from rulewright.syntax.mistakes.situation import Situation
from rulewright.syntax.scan import ScannedLine

_SHAPES = frozenset({"whether", "for", "to", "choose"})
_RULE = ("when", "priority", "lowers")
_WHOLE = re.compile(r"\d+")


def asks_nobody(situation: Situation) -> Diagnostic | None:
    """`ask for dest in places`."""
    texts = situation.texts
    if situation.verb != "ask" or len(texts) < 2 or texts[1] not in _SHAPES:  # noqa: PLR2004
        return None
    rest = situation.written(1, len(texts))
    return situation.error(
        "RW0101",
        "nobody is asked here",
        at=situation.words[1],
        remedy=f"name the player first: `ask unit.owner {rest}`",
    )


def question_first(situation: Situation) -> Diagnostic | None:
    """`ask red "Where?" for dest in places`."""
    found = situation.found
    if situation.verb != "ask" or found is None or found.sort != "string" or situation.at + 1 >= len(situation.words):
        return None
    if situation.texts[situation.at + 1] not in _SHAPES:
        return None
    return situation.error(
        "RW0109",
        "the question comes last",
        at=found,
        remedy="move it to the end of the line, before `:` and the margin",
        edits=moved_last(situation, situation.at),
    )


def choose_member(situation: Situation) -> Diagnostic | None:
    """`ask red to choose dest in places`."""
    found, texts = situation.found, situation.texts
    if situation.verb != "ask" or found is None or found.text != "in" or "choose" not in texts[: situation.at]:
        return None
    number = texts.index("choose")
    who, rest = situation.written(0, number - 1), situation.written(number + 1, len(texts))
    return situation.error(
        "RW0101",
        "`to choose` has a row for each option; a member of a collection is asked with `for`",
        at=situation.words[number],
        remedy=f"write `{who} for {rest}`",
        edits=(situation.change(situation.words[number - 1].start, situation.words[number].end, "for", safe=False),),
    )


def rule_rows(situation: Situation) -> Diagnostic | None:
    """A standing rule without `when`, `priority` or `lowers`, or with these in another order."""
    parent = situation.parent
    if parent is None or parent.verb.text != "whenever":
        return None
    own = [line.verb.text for line in _block(situation, parent)]
    lacking = [word for word in _RULE if word not in own]
    if not lacking and situation.verb not in _RULE:
        return None
    listed = " and ".join(f"`{word}`" for word in lacking)
    return situation.error(
        "RW0101",
        f"this standing rule lacks {listed}" if lacking else "this standing rule begins in another order",
        at=(parent.words[0].start, parent.words[0].end),
        remedy="begin it with `when condition`, `priority 1` and `lowers number`, each on its own line, in this order",
    )


def _block(situation: Situation, head: ScannedLine) -> Iterator[ScannedLine]:
    """The lines below one, as far as they are indented deeper."""
    following = situation.lines[situation.lines.index(head) + 1 :]
    return takewhile(lambda line: line.indent > head.indent, following)


def first_otherwise(situation: Situation) -> Diagnostic | None:
    """`otherwise: 0` as a row of a decision."""
    if situation.place != "decide row" or situation.texts[:2] != ("otherwise", ":"):
        return None
    value = situation.written(_VALUE, len(situation.texts))
    return situation.error(
        "RW0106",
        "`otherwise` stands where other rows have `when`",
        at=situation.words[0],
        remedy=f"give the row an id: `other: {value} otherwise`",
        edits=_other_row(situation),
    )


def _other_row(situation: Situation) -> tuple[Edit, ...]:
    """The edits that give a last row an id, and say `otherwise` behind its value."""
    first = situation.words[0]
    titled = situation.words[-1].sort == "string" and len(situation.words) > _VALUE + 1
    end = situation.words[-2 if titled else -1].end
    return situation.change(first.start, first.end, "other"), situation.change(end, end, " otherwise")


_VALUE = 2


def dashed_range(situation: Situation) -> Diagnostic | None:
    """`strength: 0-2`."""
    found, before = situation.found, situation.before
    if situation.place != "field" or found is None or before is None or found.text != "-":
        return None
    following = situation.texts[situation.at + 1 : situation.at + 2]
    if not (_WHOLE.fullmatch(before.text) and following and _WHOLE.fullmatch(following[0])):
        return None
    return situation.error(
        "RW0106",
        "a range is spelled `..`",
        at=found,
        remedy=f"write `{before.text}..{following[0]}`",
        edits=(situation.change(before.end, situation.words[situation.at + 1].start, ".."),),
    )
