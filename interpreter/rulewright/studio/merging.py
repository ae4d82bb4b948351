"""Two texts that come from one, made one again where their changes do not touch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST = 20_000
"""How many lines are compared."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Lines that both sides changed, or of which one changed what stands right beside the other's change."""

    line: int  # of the merged text, from 1, where the lines of `mine` stand
    mine: str
    theirs: str
    base: str


@dataclass(frozen=True, slots=True)
class Merged:
    """One text of two; where both changed the same, it has the lines of `mine`."""

    text: str
    conflicts: tuple[Conflict, ...]


def merged(base: str, mine: str, theirs: str) -> Merged | None:
    """What both sides made of a text, in one; none where the texts are too long to compare."""
    old, left, right = (each.splitlines(keepends=True) for each in (base, mine, theirs))
    if max(len(old), len(left), len(right)) > MOST:
        return None
    lines, conflicts = list[str](), list[Conflict]()
    for was, own, other in _regions(old, left, right):
        if own == was:
            lines += other
        elif other in (was, own):
            lines += own
        else:
            conflicts.append(Conflict(len(lines) + 1, *map("".join, (own, other, was))))
            lines += own
    return Merged("".join(lines), tuple(conflicts))


_Region = tuple[list[str], list[str], list[str]]


def _regions(old: list[str], left: list[str], right: list[str]) -> Iterator[_Region]:
    """The three texts cut where all agree: each piece as it was, in one text and in the other."""
    first, second = _kept(old, left), _kept(old, right)
    was = own = other = 0
    for at in range(len(old)):
        if at in first and at in second:
            yield old[was:at], left[own : first[at]], right[other : second[at]]
            yield [old[at]], [old[at]], [old[at]]
            was, own, other = at + 1, first[at] + 1, second[at] + 1
    yield old[was:], left[own:], right[other:]


def _kept(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Which line of a text stayed which of another."""
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {block.a + each: block.b + each for block in blocks for each in range(block.size)}
