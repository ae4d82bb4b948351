"""The index: where each name of a ruleset occurs, and what it does there."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass as plain_dataclass
from enum import Enum
from functools import cached_property
from itertools import takewhile

from rulewright.diagnostics import Edit
from rulewright.frozen import dataclass
from rulewright.source import Span

PLACED = frozenset({"step", "row", "option", "line"})
"""The sorts whose addresses end behind a `/`: what has a name only in its declaration."""


class Role(Enum):
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


DECLARING = frozenset({Role.DECLARED, Role.ASKED, Role.ROLLED, Role.DRAWN})
"""What gives a name its place in the text."""


@dataclass(frozen=True, slots=True, order=True)
class Target:
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
        return self.address.rpartition("/" if self.sort in PLACED else ".")[2]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name at a place."""

    target: Target  # what it stands for
    role: Role  # what it does there
    span: Span  # the name alone, without what stands around it
    sure: bool = True  # whether it stands for nothing else; where it is not, its spelling is all that speaks for it


@plain_dataclass(frozen=True)
class Index:
    """Every occurrence, by text and place."""

    occurrences: tuple[Occurrence, ...]

    @cached_property
    def _by_target(self) -> Mapping[Target, tuple[Occurrence, ...]]:
        found: dict[Target, list[Occurrence]] = {}
        for each in self.occurrences:
            found.setdefault(each.target, []).append(each)
        return {target: tuple(each) for target, each in found.items()}

    @cached_property
    def _starts(self) -> list[tuple[str, int]]:
        return [(each.span.source, each.span.start) for each in self.occurrences]

    @property
    def targets(self) -> tuple[Target, ...]:
        """All that occurs, in the order of the first place of each."""
        return tuple(self._by_target)

    def at(self, source: str, offset: int) -> Occurrence | None:
        """The name at an offset of a text, or none; its end belongs to it."""
        place = bisect_right(self._starts, (source, offset))
        near = self.occurrences[max(place - 2, 0) : place]
        found = [each for each in near if each.span.source == source and each.span.start <= offset <= each.span.end]
        return found[-1] if found else None

    def of(self, target: Target) -> tuple[Occurrence, ...]:
        """Where it occurs, in the order of texts and places."""
        return self._by_target.get(target, ())

    def inside(self, span: Span) -> tuple[Occurrence, ...]:
        """Every name in a stretch of a text."""
        return tuple(
            each
            for each in self.occurrences
            if each.span.source == span.source and span.start <= each.span.start and each.span.end <= span.end
        )

    def of_text(self, source: str) -> tuple[Occurrence, ...]:
        """Every name in a text, in order."""
        first = bisect_left(self._starts, (source, 0))
        return tuple(takewhile(lambda each: each.span.source == source, self.occurrences[first:]))

    def edits(self, target: Target, name: str) -> tuple[Edit, ...]:
        """What gives it another name everywhere."""
        return tuple(Edit(each.span, name) for each in self.of(target))


def index(occurrences: Mapping[Span, Occurrence]) -> Index:
    """The index of some occurrences, one at each place."""
    return Index(tuple(sorted(occurrences.values(), key=lambda each: each.span)))


_DOES = {
    "asks": frozenset({Role.ASKED}),
    "rolls or draws": frozenset({Role.ROLLED, Role.DRAWN}),
    "changes": frozenset({Role.CHANGED}),
    "moves or turns": frozenset({Role.MOVED}),
    "removes": frozenset({Role.REMOVED}),
    "performs": frozenset({Role.PERFORMED}),
    "triggers": frozenset({Role.TRIGGERED}),
    "hears": frozenset({Role.HEARD}),
    "jumps to": frozenset({Role.REACHED}),
    "ends": frozenset({Role.FINISHED}),
    "holds back": frozenset({Role.HELD}),
    "works out": frozenset({Role.CALLED}),
    "reads": frozenset({Role.READ}),
    "cites": frozenset({Role.CITED}),
}
"""What a declaration, step or row does, by the roles of the names in it."""


def doings(target: Target, index: Index, extents: Mapping[Target, Span]) -> Mapping[str, list[str]]:
    """What a declaration, a step or a row does, by a word for it, to what; nothing of a name without a body."""
    extent = extents.get(target)
    found: dict[str, list[str]] = {}
    inside = index.inside(extent) if extent is not None else ()
    for does, roles in _DOES.items():
        names = (each.target.address for each in inside if each.role in roles and each.target != target)
        listed = list(dict.fromkeys(names))
        if listed:
            found[does] = listed
    return found
