"""Listens to the conditions and rows of a program while scenarios are played."""

from typing import Any

from rulewright.coverage.listing import Listing
from rulewright.frozen import dataclass
from rulewright.machine.probing import Probes
from rulewright.program.rows import DecideRow, TableRow
from rulewright.program.walk import rows

Truths = tuple[bool | None, ...]
"""How the parts of a condition came out, from left to right; none for one that was not looked at."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a condition came out once: its position among those of the program, its parts, and the whole."""

    condition: int
    parts: Truths
    held: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """What was heard in a play.

    Attributes:
        outcomes: of conditions.
        rows: addresses of the rows whose value was computed.
        judged: names of the invariants whose condition was judged, for one member at least.
    """

    outcomes: frozenset[Outcome] = frozenset()
    rows: frozenset[str] = frozenset()
    judged: frozenset[str] = frozenset()


NOTHING = Heard()
"""Of a case that was not played."""


class Ear:
    """Collects what is heard of one program."""

    def __init__(self, listing: Listing) -> None:
        self._numbers: dict[int, int] = {}
        self._whole: dict[int, int] = {}
        self._parts: dict[int, tuple[int, int]] = {}
        self._values: dict[int, str] = {}
        self._now: list[list[bool | None]] = []
        self._outcomes: set[Outcome] = set()
        self._rows: set[str] = set()
        self._judged: set[str] = set()
        for position, each in enumerate(listing.conditions):
            self._now.append([None] * len(each.atoms))
            self._whole[self._number(each.node)] = position
            for part, atom in enumerate(each.atoms):
                if len(each.atoms) > 1:
                    self._parts[self._number(atom)] = position, part
        for row in rows(listing.program):
            self._values[self._number(_value(row))] = row.address
        invariants = listing.program.invariants
        self._invariants = {self._number(each.condition): name for name, each in invariants.items()}

    def probes(self) -> Probes:
        """What makes a compiled program be heard."""
        return Probes(self._numbers, self._hear)

    def taken(self) -> Heard:
        """What was heard since the last time."""
        heard = Heard(frozenset(self._outcomes), frozenset(self._rows), frozenset(self._judged))
        self._outcomes, self._rows, self._judged = set(), set(), set()
        return heard

    def _number(self, node: object) -> int:
        return self._numbers.setdefault(id(node), len(self._numbers))

    def _hear(self, number: int, value: Any) -> None:  # noqa: ANN401
        part = self._parts.get(number)
        if part is not None:
            self._hear_part(*part, held=bool(value))
        condition = self._whole.get(number)
        if condition is not None:
            self._outcomes.add(Outcome(condition, tuple(self._now[condition]), bool(value)))
        row = self._values.get(number)
        if row is not None:
            self._rows.add(row)
        invariant = self._invariants.get(number)
        if invariant is not None:
            self._judged.add(invariant)

    def _hear_part(self, condition: int, part: int, *, held: bool) -> None:
        """The first part begins the condition anew, also where it broke off the last time."""
        now = self._now[condition]
        if part == 0:
            now[:] = [None] * len(now)
        now[part] = held


def _value(row: object) -> object:
    match row:
        case DecideRow(value=value) | TableRow(result=value):
            return value
        case _:
            return row.amount  # type: ignore[attr-defined]
