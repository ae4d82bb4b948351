"""Declarations of a text as it stands, and places of one version of it in another."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from rulewright.source import Span
from rulewright.source.moving import Inside, edited

_BEGINNING = re.compile(r"^(?=[^\s#)\]}])", re.MULTILINE)


def chunks(content: str) -> tuple[str, ...]:
    """A text cut before each line that begins at the left margin; what stands before the first is the first chunk."""
    starts = [each.start() for each in _BEGINNING.finditer(content)]
    cuts = [0, *(each for each in starts if each), len(content)]
    return tuple(content[one:other] for one, other in pairwise(cuts))


def pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The chunks of two versions of a text side by side, in order; nothing beside what is only in one of them."""
    first = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - first
    same = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    yield from zip(old[:first], new[:first], strict=True)
    yield from _between(old[first : len(old) - same], new[first : len(new) - same])
    yield from zip(old[len(old) - same :], new[len(new) - same :], strict=True)


def _between(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    for _, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if b - a == d - c:
            yield from zip(old[a:b], new[c:d], strict=True)
            continue
        waiting = list(new[c:d])
        for each in old[a:b]:
            partner = next((at for at, one in enumerate(waiting) if head(one) == head(each)), None)
            for one in waiting[: partner or 0]:
                yield "", one
            yield each, "" if partner is None else waiting[partner]
            del waiting[: 0 if partner is None else partner + 1]
        for one in waiting:
            yield "", one


def head(chunk: str) -> tuple[str, ...]:
    """The first two words of a declaration, which tell it from others."""
    return tuple(re.findall(r"[\w.]+", chunk.partition("\n")[0])[:2])


class Alignment:
    """Where places of one version of a text are in the other; what lies inside of what was edited is nowhere."""

    def __init__(self, beside: Sequence[tuple[str, str]]) -> None:
        """Takes the chunks of both side by side, in order."""
        self._pairs = [each for each in beside if each != ("", "")]
        self._old = [0, *accumulate(len(one) for one, _ in self._pairs)]
        self._new = [0, *accumulate(len(other) for _, other in self._pairs)]

    def moved(self, span: Span) -> Span:
        """Where a place of the old text is in the new one.

        Raises:
            Inside: it is inside of what was edited.
        """
        at = self._at(self._old, span.start)
        if not self._pairs:
            raise Inside
        if span.end > self._old[at + 1]:
            last = self._at(self._old, span.end)
            if any(one != other for one, other in self._pairs[at : last + 1]):
                raise Inside
            return _shifted(span, self._new[at] - self._old[at])
        inside = _shifted(span, -self._old[at])
        old, new = self._pairs[at]
        return _shifted(inside if old == new else edited(old, new).moved(inside), self._new[at])

    def new(self, span: Span) -> Span | None:
        """Where a place of the old text is in the new one; none where it is inside of what was edited."""
        try:
            return self.moved(span)
        except Inside:
            return None

    def old(self, offset: int) -> int | None:
        """Where an offset of the new text is in the old one; none where it is inside of what was edited."""
        if not self._pairs:
            return None
        at = self._at(self._new, offset)
        inside = Span("", offset - self._new[at], offset - self._new[at])
        old, new = self._pairs[at]
        try:
            return self._old[at] + (inside if old == new else edited(new, old).moved(inside)).start
        except Inside:
            return None

    def _at(self, starts: Sequence[int], offset: int) -> int:
        return max(0, min(bisect_right(starts, offset) - 1, len(self._pairs) - 1))


def _shifted(span: Span, by: int) -> Span:
    return Span(span.source, span.start + by, span.end + by)
