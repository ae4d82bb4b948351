"""The index: where each name of a ruleset occurs, and what it does there."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass as plain_dataclass, field
from enum import Enum
from functools import cached_property
from itertools import takewhile

from rulewright.base.diagnostics import Edit
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.program.declarations import Program

SLASH_ADDRESSED_SORTS = frozenset({"step", "row", "option", "line"})
"""The sorts whose addresses end behind a `/`: what has a name only in its declaration."""


class NameRole(Enum):
    """What a name does where it stands; the value says so in a report."""

    DECLARED = "is declared"
    ASKED = "is asked"
    ROLLED = "is rolled"
    DRAWN = "is drawn"
    AMENDED = "is amended"
    READ = "is read"
    CHANGED = "is changed"
    MOVED = "is moved or turned"
    REMOVED = "is removed"
    TYPED = "is named as a type"
    FILLED = "is given a value"
    CALLED = "is worked out"
    PERFORMED = "is performed"
    TRIGGERED = "is triggered"
    HEARD = "is heard"
    FINISHED = "is finished"
    HELD = "is held back"
    BOUND = "is bound"
    REACHED = "is jumped to"
    CITED = "is cited"
    LISTED = "is listed"
    BEGUN = "is begun"
    ANSWERED = "is answered"
    EXPECTED = "is expected"
    EXCUSED = "is let pass"
    MENTIONED = "is mentioned"


DECLARING_ROLES = frozenset({NameRole.DECLARED, NameRole.ASKED, NameRole.ROLLED, NameRole.DRAWN})
"""What gives a name its place in the text."""


@dataclass(frozen=True, slots=True, order=True)
class NameTarget:
    """What a name stands for."""

    # in words, such as `kind`, `attribute`, `word`, `step`, `row`, `name` (of one declaration's own), `clause`
    sort: str
    address: str  # `Territory.armies`, `battle/1`, `battle.dice`, `DOC.60.f`; without the prefix of a used ruleset
    source: str  # the text in which it is declared

    @property
    def name(self) -> str:
        """The name itself, as it is written where it is declared."""
        if self.sort == "clause":
            return self.address.partition(".")[2]
        if self.sort == "ruling":
            return self.address
        return self.address.rpartition("/" if self.sort in SLASH_ADDRESSED_SORTS else ".")[2]


@dataclass(frozen=True, slots=True)
class NameOccurrence:
    """A name at a place."""

    target: NameTarget  # what it stands for
    role: NameRole  # what it does there
    span: Span  # the name alone, without what stands around it
    is_sure: bool = True  # whether it stands for nothing else; where it is not, its spelling is all that speaks for it


@plain_dataclass(frozen=True)
class NameIndex:
    """Every occurrence, by text and place."""

    occurrences: tuple[NameOccurrence, ...]

    @cached_property
    def _by_target(self) -> Mapping[NameTarget, tuple[NameOccurrence, ...]]:
        mapping: dict[NameTarget, list[NameOccurrence]] = {}
        for occurrence in self.occurrences:
            mapping.setdefault(occurrence.target, []).append(occurrence)
        return {target: tuple(item) for target, item in mapping.items()}

    @cached_property
    def _start_places(self) -> list[tuple[str, int]]:
        return [(occurrence.span.source, occurrence.span.start) for occurrence in self.occurrences]

    @property
    def list_targets(self) -> tuple[NameTarget, ...]:
        """All that occurs, in the order of the first place of each."""
        return tuple(self._by_target)

    def find_at(self, source: str, offset: int) -> NameOccurrence | None:
        """The name at an offset of a text, or none; its end belongs to it."""
        place = bisect_right(self._start_places, (source, offset))
        near = self.occurrences[max(place - 2, 0) : place]
        items = [
            name_occurrence
            for name_occurrence in near
            if name_occurrence.span.source == source
            and name_occurrence.span.start <= offset <= name_occurrence.span.end
        ]
        return items[-1] if items else None

    def find_occurrences(self, target: NameTarget) -> tuple[NameOccurrence, ...]:
        """Where it occurs, in the order of texts and places."""
        return self._by_target.get(target, ())

    def find_in_span(self, span: Span) -> tuple[NameOccurrence, ...]:
        """Every name in a stretch of a text."""
        return tuple(
            occurrence
            for occurrence in self.occurrences
            if occurrence.span.source == span.source
            and span.start <= occurrence.span.start
            and occurrence.span.end <= span.end
        )

    def find_in_text(self, source: str) -> tuple[NameOccurrence, ...]:
        """Every name in a text, in order."""
        first = bisect_left(self._start_places, (source, 0))
        return tuple(takewhile(lambda name_occurrence: name_occurrence.span.source == source, self.occurrences[first:]))

    def make_rename_edits(self, target: NameTarget, name: str) -> tuple[Edit, ...]:
        """What gives it another name everywhere."""
        return tuple(Edit(occurrence.span, name) for occurrence in self.find_occurrences(target))


def build_name_index(occurrences: Mapping[Span, NameOccurrence]) -> NameIndex:
    """The index of some occurrences, one at each place."""
    return NameIndex(tuple(sorted(occurrences.values(), key=lambda name_occurrence: name_occurrence.span)))


_ROLES_BY_VERB = {
    "asks": frozenset({NameRole.ASKED}),
    "rolls or draws": frozenset({NameRole.ROLLED, NameRole.DRAWN}),
    "changes": frozenset({NameRole.CHANGED}),
    "moves or turns": frozenset({NameRole.MOVED}),
    "removes": frozenset({NameRole.REMOVED}),
    "performs": frozenset({NameRole.PERFORMED}),
    "triggers": frozenset({NameRole.TRIGGERED}),
    "hears": frozenset({NameRole.HEARD}),
    "jumps to": frozenset({NameRole.REACHED}),
    "ends": frozenset({NameRole.FINISHED}),
    "holds back": frozenset({NameRole.HELD}),
    "works out": frozenset({NameRole.CALLED}),
    "reads": frozenset({NameRole.READ}),
    "cites": frozenset({NameRole.CITED}),
}
"""What a declaration, step or row does, by the roles of the names in it."""


def list_effects(target: NameTarget, index: NameIndex, extents: Mapping[NameTarget, Span]) -> Mapping[str, list[str]]:
    """What a declaration, a step or a row does, by a word for it, to what; nothing of a name without a body."""
    extent = extents.get(target)
    result: dict[str, list[str]] = {}
    inside = index.find_in_span(extent) if extent is not None else ()
    for does, roles in _ROLES_BY_VERB.items():
        names = (
            name_occurrence.target.address
            for name_occurrence in inside
            if name_occurrence.role in roles and name_occurrence.target != target
        )
        listed = list(dict.fromkeys(names))
        if listed:
            result[does] = listed
    return result


_ADDRESS_NUMBER_PATTERN = re.compile(r"#[0-9]+$")


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A name in a text: from where to where, and what it stands for."""

    start: int
    end: int
    target: NameTarget
    is_sure: bool = True

    def moved(self, by: int) -> "NameSpan":
        """The same name in a text in which it stands elsewhere."""
        return NameSpan(self.start + by, self.end + by, self.target, self.is_sure)


@dataclass(frozen=True, slots=True)
class AddressSegment:
    """What stands between two `/` of an address, with the names in it."""

    text: str
    names: tuple[NameSpan, ...]


AddressSegments = tuple[AddressSegment, ...]


class AddressBook:
    """The addresses of a ruleset, to be found by what people write: the whole, or an end of it."""

    def __init__(self) -> None:
        self._by_address: dict[str, AddressSegments] = {}
        self._by_suffix: dict[str, list[AddressSegments]] = defaultdict(list)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_address)

    def __contains__(self, address: str) -> bool:
        return address in self._by_address

    def add_address(self, segments: AddressSegments) -> None:
        """Another address; the first of two that are spelt alike counts."""
        address = "/".join(segment.text for segment in segments)
        if address in self._by_address:
            return
        self._by_address[address] = segments
        plain = [_ADDRESS_NUMBER_PATTERN.sub("", segment.text) for segment in segments]
        exact = [segment.text for segment in segments]
        for first in range(len(segments)):
            for spelt in {"/".join(plain[first:]), "/".join(exact[first:])}:
                self._by_suffix[spelt].append(segments)

    def find_matching(self, written: str) -> tuple[AddressSegments, ...]:
        """The addresses that are written so, or end so."""
        result = self._by_address.get(written)
        return (result,) if result is not None else tuple(self._by_suffix.get(written, ()))

    def find_names(self, written: str, *, among: Iterable[str] = ()) -> tuple[NameSpan, ...]:
        """The names in what somebody wrote; one on which candidates do not agree is not sure.

        Where some addresses are named, only candidates among them count, if there are any.
        """
        candidates = self.find_matching(written)
        wanted = set(among)
        own = [
            candidate
            for candidate in candidates
            if "/".join(_ADDRESS_NUMBER_PATTERN.sub("", one.text) for one in candidate) in wanted
        ]
        aligned = [tuple(_align_names(written, item)) for item in own or candidates]
        if not aligned:
            return ()
        first, *others = aligned
        return tuple(
            NameSpan(
                name_span.start, name_span.end, name_span.target, is_sure=all(name_span in other for other in others)
            )
            for name_span in first
        )


def find_inner_names(written: str, address: AddressSegments) -> tuple[NameSpan, ...]:
    """The names in what stands anywhere in an address, at its end first."""
    count = written.count("/") + 1
    for last in range(len(address), count - 1, -1):
        part = address[last - count : last]
        if "/".join(
            _ADDRESS_NUMBER_PATTERN.sub("", address_segment.text) for address_segment in part
        ) == _ADDRESS_NUMBER_PATTERN.sub("", written):
            return tuple(_align_names(written, part))
    return ()


def _align_names(written: str, address: AddressSegments) -> Iterator[NameSpan]:
    """The names of an address, at their places in what somebody wrote of it."""
    parts = written.split("/")
    start = 0
    for text, segment in zip(parts, address[len(address) - len(parts) :], strict=True):
        yield from (name.moved(start) for name in segment.names)
        start += len(text) + 1


@plain_dataclass
class OccurrenceCollector:
    """All occurrences so far, of whatever ruleset."""

    texts: dict[str, Text] = field(default_factory=dict)  # every text by its name
    # the one at each place; what was found first stands, but for what is surer
    occurrences: dict[Span, NameOccurrence] = field(default_factory=dict)
    # the whole declarations, steps, rows and lines, with names or without, each where it was found first
    extents: dict[NameTarget, Span] = field(default_factory=dict)
    # the places of lines, rows and cells without names, and their addresses
    unnamed_parts: set[Span | str] = field(default_factory=set)
    titles: dict[NameTarget, str] = field(default_factory=dict)  # of what has a title or reason
    prose: set[Span] = field(default_factory=set)  # titles, texts and comments of rules

    def add_occurrence(
        self, span: Span, written: str, target: NameTarget | None, role: NameRole, *, sure: bool = True
    ) -> None:
        """Notes a name where it is written so."""
        text = self.texts.get(span.source)
        if target is None or text is None or text.content[span.start : span.end] != written:
            return
        known = self.occurrences.get(span)
        if known is None or (sure and not known.is_sure):
            self.occurrences[span] = NameOccurrence(target, role, span, sure)

    def find_target(self, span: Span) -> NameTarget | None:
        """What the name at a place stands for."""
        known = self.occurrences.get(span)
        return known.target if known else None


@plain_dataclass
class RulesetNameTables:
    """The names of a ruleset, with those that its overlays add."""

    # of the ruleset alone and of its overlays over it, those that have no errors
    programs: list[Program] = field(default_factory=list)
    addresses: AddressBook = field(default_factory=AddressBook)  # of all parts, taken apart
    # by name space and address, what has a name and an address
    declared: dict[tuple[str, str], NameTarget] = field(default_factory=dict)
    # by owner and name; of an external its named results
    attributes: dict[tuple[str, str], NameTarget] = field(default_factory=dict)
    words: dict[tuple[str, str], NameTarget] = field(default_factory=dict)  # by list and word
    # by declaration, `Kind/attribute` among them, and name
    own_names: dict[tuple[str, str], NameTarget] = field(default_factory=dict)
    steps: dict[tuple[str, str], NameTarget] = field(default_factory=dict)  # by procedure and id
    rulings: dict[str, NameTarget] = field(default_factory=dict)  # by id
    clauses: dict[str, NameTarget] = field(default_factory=dict)  # by whole id
    documents: dict[str, str] = field(default_factory=dict)  # the document that bare cites mean, by text

    def find_global_targets(self, name: str) -> list[NameTarget]:
        """What has a name that is seen everywhere: declarations, attributes, fields, words."""
        wide = (name_target for name_target in self.declared.values() if name_target.sort not in SLASH_ADDRESSED_SORTS)
        return list(dict.fromkeys(name_target for name_target in wide if name_target.name == name))

    def find_attributes(self, name: str) -> list[NameTarget]:
        """The attributes of a name, of whatever owner."""
        return list(
            dict.fromkeys(name_target for (_, called), name_target in self.attributes.items() if called == name)
        )

    def find_words(self, name: str) -> list[NameTarget]:
        """The words of a name, of whatever list."""
        return list(dict.fromkeys(name_target for (_, called), name_target in self.words.items() if called == name))
