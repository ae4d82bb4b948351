"""Two rows of lines beside each other: which are the same, and what of two lines differs."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TypeVar

from rulewright.frozen import dataclass

_T = TypeVar("_T")
_WORDS = re.compile(r"\(-?\d+, -?\d+\)|\s+|\w+|[^\w\s]")
_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line; marked where the line beside it says something else."""

    text: str
    is_marked: bool = False


def pieces(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Two lines in pieces, with the words that differ marked; nothing where they have little in common."""
    was, now = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return (), ()
    blocks = matcher.get_opcodes()
    return (
        tuple(_piece(was[first:end], tag) for tag, first, end, _, _ in blocks if end > first),
        tuple(_piece(now[start:stop], tag) for tag, _, _, start, stop in blocks if stop > start),
    )


def _piece(words: Sequence[str], tag: str) -> Piece:
    return Piece("".join(words), is_marked=tag != "equal")


def blocks_of(old: Sequence[_T], new: Sequence[_T]) -> Sequence[tuple[str, int, int, int, int]]:
    """The blocks of both that are the same, and those that are not, as `difflib` has them."""
    return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
