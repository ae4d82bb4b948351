"""Addresses taken apart: which part of `battle/1/take.defender.armies` is whose name."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from rulewright.frozen import dataclass
from rulewright.references.index import Target

_NUMBER = re.compile(r"#[0-9]+$")


@dataclass(frozen=True, slots=True)
class Piece:
    """A name in a text: from where to where, and what it stands for."""

    start: int
    end: int
    target: Target
    sure: bool = True

    def moved(self, by: int) -> "Piece":
        """The same name in a text in which it stands elsewhere."""
        return Piece(self.start + by, self.end + by, self.target, self.sure)


@dataclass(frozen=True, slots=True)
class Segment:
    """What stands between two `/` of an address, with the names in it."""

    text: str
    pieces: tuple[Piece, ...]


Address = tuple[Segment, ...]


class Addresses:
    """The addresses of a ruleset, to be found by what people write: the whole, or an end of it."""

    def __init__(self) -> None:
        """None is known yet."""
        self._whole: dict[str, Address] = {}
        self._ends: dict[str, list[Address]] = defaultdict(list)

    def __contains__(self, address: str) -> bool:
        return address in self._whole

    def get(self, address: str) -> Address:
        """A whole address that is known; none of its segments where it is not."""
        return self._whole.get(address, ())

    def add(self, segments: Address) -> None:
        """Another address; the first of two that are spelt alike counts."""
        address = "/".join(each.text for each in segments)
        if address in self._whole:
            return
        self._whole[address] = segments
        plain = [_NUMBER.sub("", each.text) for each in segments]
        exact = [each.text for each in segments]
        for first in range(len(segments)):
            for spelt in {"/".join(plain[first:]), "/".join(exact[first:])}:
                self._ends[spelt].append(segments)

    def meant(self, written: str) -> tuple[Address, ...]:
        """The addresses that are written so, or end so."""
        found = self._whole.get(written)
        return (found,) if found is not None else tuple(self._ends.get(written, ()))

    def pieces(self, written: str, *, among: Iterable[str] = ()) -> tuple[Piece, ...]:
        """The names in what somebody wrote; one on which candidates do not agree is not sure.

        Where some addresses are named, only candidates among them count, if there are any.
        """
        candidates = self.meant(written)
        wanted = set(among)
        own = [each for each in candidates if "/".join(_NUMBER.sub("", one.text) for one in each) in wanted]
        aligned = [tuple(_aligned(written, each)) for each in own or candidates]
        if not aligned:
            return ()
        first, *others = aligned
        return tuple(
            Piece(each.start, each.end, each.target, sure=all(each in other for other in others)) for each in first
        )


def inside(written: str, address: Address) -> tuple[Piece, ...]:
    """The names in what stands anywhere in an address, at its end first."""
    count = written.count("/") + 1
    for last in range(len(address), count - 1, -1):
        part = address[last - count : last]
        if "/".join(_NUMBER.sub("", each.text) for each in part) == _NUMBER.sub("", written):
            return tuple(_aligned(written, part))
    return ()


def _aligned(written: str, address: Address) -> Iterator[Piece]:
    """The names of an address, at their places in what somebody wrote of it."""
    parts = written.split("/")
    start = 0
    for text, segment in zip(parts, address[len(address) - len(parts) :], strict=True):
        yield from (each.moved(start) for each in segment.pieces)
        start += len(text) + 1
