"""What names of one ruleset stand for, by how its program calls them and in addresses, and where they were found."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass as plain_dataclass, field

from rulewright.frozen import dataclass
from rulewright.program.declarations import Program
from rulewright.references.index import PLACED, Occurrence, Role, Target
from rulewright.source import Span, Text

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
        self._whole: dict[str, Address] = {}
        self._ends: dict[str, list[Address]] = defaultdict(list)

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole)

    def __contains__(self, address: str) -> bool:
        return address in self._whole

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


@plain_dataclass
class Found:
    """All occurrences so far, of whatever ruleset."""

    texts: dict[str, Text] = field(default_factory=dict)  # every text by its name
    # the one at each place; what was found first stands, but for what is surer
    occurrences: dict[Span, Occurrence] = field(default_factory=dict)
    # the whole declarations, steps, rows and lines, with names or without, each where it was found first
    extents: dict[Target, Span] = field(default_factory=dict)
    # the places of lines, rows and cells without names, and their addresses
    nameless: set[Span | str] = field(default_factory=set)
    titles: dict[Target, str] = field(default_factory=dict)  # of what has a title or reason
    prose: set[Span] = field(default_factory=set)  # titles, texts and comments of rules

    def note(self, span: Span, written: str, target: Target | None, role: Role, *, sure: bool = True) -> None:
        """Notes a name where it is written so."""
        text = self.texts.get(span.source)
        if target is None or text is None or text.content[span.start : span.end] != written:
            return
        known = self.occurrences.get(span)
        if known is None or (sure and not known.sure):
            self.occurrences[span] = Occurrence(target, role, span, sure)

    def target(self, span: Span) -> Target | None:
        """What the name at a place stands for."""
        known = self.occurrences.get(span)
        return known.target if known else None


@plain_dataclass
class Names:
    """The names of a ruleset, with those that its overlays add."""

    # of the ruleset alone and of its overlays over it, those that have no errors
    programs: list[Program] = field(default_factory=list)
    addresses: Addresses = field(default_factory=Addresses)  # of all parts, taken apart
    # by name space and address, what has a name and an address
    declared: dict[tuple[str, str], Target] = field(default_factory=dict)
    # by owner and name; of an external its named results
    attributes: dict[tuple[str, str], Target] = field(default_factory=dict)
    words: dict[tuple[str, str], Target] = field(default_factory=dict)  # by list and word
    # by declaration, `Kind/attribute` among them, and name
    own: dict[tuple[str, str], Target] = field(default_factory=dict)
    steps: dict[tuple[str, str], Target] = field(default_factory=dict)  # by procedure and id
    rulings: dict[str, Target] = field(default_factory=dict)  # by id
    clauses: dict[str, Target] = field(default_factory=dict)  # by whole id
    documents: dict[str, str] = field(default_factory=dict)  # the document that bare cites mean, by text

    def called(self, name: str) -> list[Target]:
        """What has a name that is seen everywhere: declarations, attributes, fields, words."""
        wide = (each for each in self.declared.values() if each.sort not in PLACED)
        return list(dict.fromkeys(each for each in wide if each.name == name))

    def attribute(self, name: str) -> list[Target]:
        """The attributes of a name, of whatever owner."""
        return list(dict.fromkeys(each for (_, called), each in self.attributes.items() if called == name))

    def word(self, name: str) -> list[Target]:
        """The words of a name, of whatever list."""
        return list(dict.fromkeys(each for (_, called), each in self.words.items() if called == name))
