"""Index of names: targets, occurrences with roles, addresses, and name tables of a ruleset."""

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
from rulewright.checker.symbols import ATTRIBUTE_SPACE, LOCAL_SPACE, PARAMETER_SPACE, STEP_SPACE, WORD_SPACE
from rulewright.program.declarations import Program

SLASH_ADDRESSED_SORTS = frozenset({"step", "row", "option", "line"})
"""Sorts whose addresses end in `/name`, as the name is only known in its declaration."""


class NameRole(Enum):
    """Role of a name at an occurrence; the value is its wording in reports."""

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
"""Roles of occurrences that declare a name."""


@dataclass(frozen=True, slots=True, order=True)
class NameTarget:
    """Referent of a name."""

    # in words, such as `kind`, `attribute`, `word`, `step`, `row`, `name` (of one declaration's own), `clause`
    sort: str
    address: str  # `Territory.armies`, `battle/1`, `battle.dice`, `DOC.60.f`; without prefix
    source: str  # declaring text

    @property
    def name(self) -> str:
        """Name as written where it is declared."""
        if self.sort == "clause":
            return self.address.partition(".")[2]
        if self.sort == "ruling":
            return self.address
        return self.address.rpartition("/" if self.sort in SLASH_ADDRESSED_SORTS else ".")[2]


@dataclass(frozen=True, slots=True)
class NameOccurrence:
    """A name at a span."""

    target: NameTarget
    role: NameRole
    span: Span  # of the name alone
    is_sure: bool = True  # if not, only the spelling speaks for this target


@plain_dataclass(frozen=True)
class NameIndex:
    """All occurrences, sorted by text and offset."""

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
        """Targets by first occurrence."""
        return tuple(self._by_target)

    def find_at(self, source: str, offset: int) -> NameOccurrence | None:
        """Occurrence at an offset; the end of a name counts."""
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
        """Occurrences of a target, in order."""
        return self._by_target.get(target, ())

    def find_in_span(self, span: Span) -> tuple[NameOccurrence, ...]:
        """Occurrences in a span."""
        return tuple(
            occurrence
            for occurrence in self.occurrences
            if occurrence.span.source == span.source
            and span.start <= occurrence.span.start
            and occurrence.span.end <= span.end
        )

    def find_in_text(self, source: str) -> tuple[NameOccurrence, ...]:
        """Occurrences in a text, in order."""
        first = bisect_left(self._start_places, (source, 0))
        return tuple(takewhile(lambda name_occurrence: name_occurrence.span.source == source, self.occurrences[first:]))

    def make_rename_edits(self, target: NameTarget, name: str) -> tuple[Edit, ...]:
        """Edits of all occurrences."""
        return tuple(Edit(occurrence.span, name) for occurrence in self.find_occurrences(target))


def build_name_index(occurrences: Mapping[Span, NameOccurrence]) -> NameIndex:
    """Index of occurrences by span."""
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
"""Roles of the names in a declaration, step or row, by the verb that reports use."""


def list_effects(target: NameTarget, index: NameIndex, extents: Mapping[NameTarget, Span]) -> Mapping[str, list[str]]:
    """What a declaration, step or row does: addresses by verb; empty for names without a body."""
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
    """Target of a part of a text."""

    start: int
    end: int
    target: NameTarget
    is_sure: bool = True

    def moved(self, by: int) -> "NameSpan":
        """The same name at an offset."""
        return NameSpan(self.start + by, self.end + by, self.target, self.is_sure)


@dataclass(frozen=True, slots=True)
class AddressSegment:
    """Part of an address between slashes, with its names."""

    text: str
    names: tuple[NameSpan, ...]


AddressSegments = tuple[AddressSegment, ...]


class AddressBook:
    """Addresses of a ruleset by their spelling or a suffix of it."""

    def __init__(self) -> None:
        self._by_address: dict[str, AddressSegments] = {}
        self._by_suffix: dict[str, list[AddressSegments]] = defaultdict(list)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_address)

    def __contains__(self, address: str) -> bool:
        return address in self._by_address

    def add_address(self, segments: AddressSegments) -> None:
        """Add an address; the first of equal spellings counts."""
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
        """Addresses with this spelling, else with this suffix."""
        result = self._by_address.get(written)
        return (result,) if result is not None else tuple(self._by_suffix.get(written, ()))

    def find_names(self, written: str, *, among: Iterable[str] = ()) -> tuple[NameSpan, ...]:
        """Names in a written address; unsure where candidates differ.

        `among` restricts the candidates if any of them match.
        """
        candidates = self.find_matching(written)
        wanted = set(among)
        own_addresses = [
            candidate
            for candidate in candidates
            if "/".join(_ADDRESS_NUMBER_PATTERN.sub("", one.text) for one in candidate) in wanted
        ]
        aligned = [tuple(_align_names(written, item)) for item in own_addresses or candidates]
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
    """Names in a part of an address, matched from its end."""
    count = written.count("/") + 1
    for last in range(len(address), count - 1, -1):
        part = address[last - count : last]
        if "/".join(_ADDRESS_NUMBER_PATTERN.sub("", segment.text) for segment in part) == _ADDRESS_NUMBER_PATTERN.sub(
            "", written
        ):
            return tuple(_align_names(written, part))
    return ()


def _align_names(written: str, address: AddressSegments) -> Iterator[NameSpan]:
    parts = written.split("/")
    start = 0
    for text, segment in zip(parts, address[len(address) - len(parts) :], strict=True):
        yield from (name.moved(start) for name in segment.names)
        start += len(text) + 1


@plain_dataclass
class OccurrenceCollector:
    """Occurrences collected so far, of all rulesets."""

    texts: dict[str, Text] = field(default_factory=dict)  # by name
    # the first at each span, unless a later one is surer
    occurrences: dict[Span, NameOccurrence] = field(default_factory=dict)
    # whole declarations, steps, rows and statements, named or not; the first span of each
    extents: dict[NameTarget, Span] = field(default_factory=dict)
    # spans and addresses of unnamed statements, rows and cells
    unnamed_parts: set[Span | str] = field(default_factory=set)
    titles: dict[NameTarget, str] = field(default_factory=dict)  # titles or reasons
    prose: set[Span] = field(default_factory=set)  # spans of titles, texts and comments of rules

    def add_occurrence(
        self, span: Span, written: str, target: NameTarget | None, role: NameRole, *, sure: bool = True
    ) -> None:
        """Add an occurrence if the span has the written name."""
        text = self.texts.get(span.source)
        if target is None or text is None or text.content[span.start : span.end] != written:
            return
        known = self.occurrences.get(span)
        if known is None or (sure and not known.is_sure):
            self.occurrences[span] = NameOccurrence(target, role, span, sure)

    def find_target(self, span: Span) -> NameTarget | None:
        """Target at a span."""
        known = self.occurrences.get(span)
        return known.target if known else None


@plain_dataclass
class RulesetNameTables:
    """Name tables of a ruleset with its overlays."""

    # without errors: of the ruleset, and with each overlay
    programs: list[Program] = field(default_factory=list)
    addresses: AddressBook = field(default_factory=AddressBook)  # of all parts
    # by name space and address
    declared: dict[tuple[str, str], NameTarget] = field(default_factory=dict)
    # by owner and name; also named results of externals
    attributes: dict[tuple[str, str], NameTarget] = field(default_factory=dict)
    words: dict[tuple[str, str], NameTarget] = field(default_factory=dict)  # by list and word
    # by declaration (or `Kind/attribute`) and name
    own_names: dict[tuple[str, str], NameTarget] = field(default_factory=dict)
    steps: dict[tuple[str, str], NameTarget] = field(default_factory=dict)  # by procedure and id
    prefixes: dict[str, NameTarget] = field(default_factory=dict)
    rulings: dict[str, NameTarget] = field(default_factory=dict)  # by id
    clauses: dict[str, NameTarget] = field(default_factory=dict)  # by whole id
    documents: dict[str, str] = field(default_factory=dict)  # document of bare cites, by text

    def get_owned_names(self, space: str) -> Mapping[tuple[str, str], NameTarget] | None:
        """Names of a name space of the checker by owner and name; None where its names have no owner."""
        return {
            ATTRIBUTE_SPACE: self.attributes,
            LOCAL_SPACE: self.own_names,
            PARAMETER_SPACE: self.own_names,
            STEP_SPACE: self.steps,
            WORD_SPACE: self.words,
        }.get(space)

    def find_global_targets(self, name: str) -> list[NameTarget]:
        """Declarations, attributes, fields and words of a name."""
        wide = (name_target for name_target in self.declared.values() if name_target.sort not in SLASH_ADDRESSED_SORTS)
        return list(dict.fromkeys(name_target for name_target in wide if name_target.name == name))

    def find_words(self, name: str) -> list[NameTarget]:
        """Words of a name, of all lists."""
        return list(dict.fromkeys(name_target for (_, called), name_target in self.words.items() if called == name))
