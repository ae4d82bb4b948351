"""The record of a stretch of a run: cheap tuples, made into entries when somebody looks."""

from collections.abc import Container, Iterator, Sequence
from typing import Any, overload

from rulewright.machine.entries import Renderer, sort_of
from rulewright.machine.executable import Executable
from rulewright.machine.trace import Entry
from rulewright.machine.values import Value
from rulewright.machine.world import CONTROL, RECORD, ROLLS, STACK, World

Stretch = tuple[list[tuple[Any, ...]], int, int, tuple[int, ...], tuple[Any, ...], int]
"""The record, from where and to where in it, the routines that ran when it began, the rolls, the work done."""


def stretch(world: World) -> Stretch:
    """What the run has recorded since the stretch began."""
    record, control = world[RECORD], world[CONTROL]
    if record is None:
        return nothing(control.work)
    return record, control.since, len(record), control.enclosing, tuple(world[ROLLS]), control.work


def nothing(work: int) -> Stretch:
    """A stretch of a run that is not recorded."""
    return [], 0, 0, (), (), work


def begin_stretch(world: World) -> None:
    """Begins another stretch."""
    control = world[CONTROL]
    control.since = len(world[RECORD] or ())
    control.enclosing = tuple([frame[1] for frame in world[STACK]])


class Record(Sequence[Entry]):
    """Entries of a stretch between two requests, in the order in which things happened.

    Attributes:
        work: lines and rounds run from the beginning of the play to the end of the stretch.
    """

    __slots__ = ("_addresses", "_enclosing", "_entries", "_executable", "_record", "_rolls", "_since", "_until", "work")

    def __init__(  # noqa: PLR0913, PLR0917 - a stretch, taken apart
        self,
        executable: Executable,
        record: list[tuple[Any, ...]],
        since: int,
        until: int,
        enclosing: tuple[int, ...],
        rolls: tuple[Any, ...],
        work: int,
    ) -> None:
        self.work = work
        self._rolls = rolls
        self._executable = executable
        self._record = record
        self._since = since
        self._until = until
        self._enclosing = enclosing
        self._addresses: frozenset[str] | None = None
        self._entries: tuple[Entry, ...] | None = None

    @property
    def _raw(self) -> list[tuple[Any, ...]]:
        return self._record[self._since : self._until]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries themselves."""
        if self._entries is None:
            flows = self._executable.tables.flows
            around = tuple(flows[number].name for number in self._enclosing if number >= 0)
            self._entries = Renderer(self._executable, self._rolls).entries(self._raw, around, self._since)
        return self._entries

    @property
    def addresses(self) -> frozenset[str]:
        """Addresses of all lines and functions something happened at; cheaper than the entries."""
        if self._addresses is None:
            sites = self._executable.sites
            self._addresses = frozenset(sites[each[0]].address for each in self._raw)
        return self._addresses

    @property
    def steps(self) -> tuple[tuple[str, bool], ...]:
        """Addresses of the steps in order, and whether they were entered or passed over; likewise cheaper."""
        met = ((self._executable.sites[each[0]], each[2]) for each in self._raw)
        return tuple((site.address, bool(result)) for site, result in met if site.sort == "step")

    def results(self, sorts: Container[str]) -> Iterator[tuple[str, Value]]:
        """Addresses of all entries of some sorts in order, with what came of each; likewise cheaper."""
        for number, _, result, extra, *_ in self._raw:
            site = self._executable.sites[number]
            if (site.line or site.sort == "reason") and sort_of(site, result, extra) in sorts:
                yield site.address, result

    @property
    def secrets(self) -> tuple[tuple[str, bool], ...]:
        """Answers in order that only one player came to know, yes, or that were shown to all, no; likewise cheaper."""
        known = self._executable.secrets
        return tuple(known[each[0]] for each in self._raw if each[0] in known) if known else ()

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        return self.entries[index]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)
