"""Odds such as `1:2`, which are no value and no name."""

import re
from collections.abc import Iterator

from rulewright.diagnostics.model import Diagnostic
from rulewright.syntax.layout import Word
from rulewright.syntax.mistakes.situation import Situation

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
        f"`{shown}` is no value",
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
