"""Words of a line that its author took for granted."""

from itertools import pairwise

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.mistakes.situation import Situation

_EXPLODE = ("explode", "on")
_BOUNDS = frozenset({"at", "without"})
_AFTER = _BOUNDS | {"as", "by", "keep", "drop", "with", "explode", ",", "]"}


def each(situation: Situation) -> Diagnostic | None:
    """`for x in collection:`, without `each`."""
    found, before = situation.found, situation.before
    follows = situation.texts[situation.at + 1 : situation.at + 2] in {("in",), (",",)}
    if found is None or before is None or before.text != "for" or found.sort != "word" or not follows:
        return None
    if situation.place != "line" or situation.verb != "for":
        return None
    return situation.error(
        "RW0106",
        "a loop names `each` member",
        at=found,
        remedy=f"write `for each {found.text} in …`",
        edits=(situation.change(found.start, found.start, "each "),),
    )


def bound_of_explosions(situation: Situation) -> Diagnostic | None:
    """`explode on 6`, which does not say how often."""
    texts = situation.texts
    begun = next((place for place, pair in enumerate(pairwise(texts)) if pair == _EXPLODE), len(texts))
    end = next((place for place in range(begun + 2, len(texts)) if texts[place] in _AFTER), 0)
    if not begun + 2 < end <= situation.at + 1 or texts[end] in _BOUNDS:
        return None
    face, said = situation.words[end - 1], situation.written(begun, end)
    return situation.error(
        "RW0106",
        f"`{said}` does not say how often a die explodes",
        at=(situation.words[begun].start, face.end),
        remedy=f"write `{said} at most 1`, or `{said} without limit`",
        edits=(situation.change(face.end, face.end, " without limit", safe=False),),
    )
