"""What core forms read and write, by the locations that slices follow; the settling is left out."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from rulewright.base.frozen import dataclass, replace
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import BODIES, WATCHES, DependenceAnalysis, Effects
from rulewright.program.core.effects import StorePlaces
from rulewright.program.core.printing import get_origin_address
from rulewright.program.core.walking import walk_forms, walk_statements
from rulewright.program.walk import strip_address_numbers

Locations = frozenset[str | int]
"""Places of the store, `DICE`, names shared with watches; numbers: other names by index, and cursors of loops."""
NO_LOCATIONS: Locations = frozenset()
_REQUESTS = (core.Ask, core.Roll, core.Reroll, core.Draw, core.Shuffle, core.External)


@dataclass(frozen=True, slots=True)
class LocationEffects:
    """Effects of forms of one routine, with all that they call."""

    writes: Locations = NO_LOCATIONS
    reads: Locations = NO_LOCATIONS
    overwrites: frozenset[int] = frozenset()  # names that a statement sets, but for shared ones
    leads_out: bool = False  # whether it may end an outer call
    callees: frozenset[str] = frozenset()  # routines that it may come to, and the watches of events


class LocationAnalysis:
    """Effects of the forms of one program."""

    def __init__(self, program: core.CoreProgram, external_changes: Mapping[str, StorePlaces]) -> None:
        """`external_changes`: places that each external procedure may change."""
        self._program = program
        self.dependences = DependenceAnalysis(program, external_changes, settles=False)
        self._known: dict[tuple[Any, ...], tuple[Any, LocationEffects]] = {}

    def find_effects(self, key: str, *forms: Any) -> LocationEffects:
        """Effects of forms of a routine."""
        known = key, *map(id, forms)
        if known not in self._known:
            found = self.dependences.find_effects(*forms)
            self._known[known] = forms, self._locate(key, found, _list_overwritten_names(forms))
        return self._known[known][1]

    def find_routine_effects(self, key: str) -> LocationEffects:
        """Effects of a routine, or of the watches of an event, on what it shares with those that call it."""
        if (key,) not in self._known:
            found = self.dependences.find_routine_effects(key)
            self._known[key,] = (), self._locate(key, replace(found, callees=found.callees | {key}), ())
        return self._known[key,][1]

    def locate_names(self, key: str, indices: Iterable[int]) -> Locations:
        """Locations of names of a routine; those that its watches read or set are shared with other routines."""
        shared = self._shared_names.get(key, frozenset())
        return frozenset(f"{key}:{index}" if index in shared else index for index in indices)

    def find_requests(self, keys: Iterable[str]) -> frozenset[str]:
        """Addresses, without numbers, of what routines ask for themselves; choices among handlers have none."""
        return frozenset().union(*(self._requests.get(key, frozenset()) for key in keys))

    def list_listeners(self, event: str) -> list[str]:
        """The handlers of an event, and its watches as one."""
        window = self._program.routines.get(self._program.windows.get(event, ""))
        called = [] if window is None else [each for each in walk_statements(window) if isinstance(each, core.Call)]
        return [*dict.fromkeys(call.routine for call in called), f"{WATCHES}{event}"]

    def list_waiting_removals(self, quiet: core.Quiet) -> list[core.Trigger]:
        """Removals in a block, and in what it calls, that are triggered at its end."""
        routines = (self._program.routines.get(key) for key in sorted(self.find_effects("", quiet).callees))
        return [each for each in walk_statements(quiet, *routines) if isinstance(each, core.Trigger) and each.removal]

    def _locate(self, key: str, found: Effects, overwritten: Iterable[int]) -> LocationEffects:
        told = [watch for watch in self._watches if f"{WATCHES}{watch[0]}" in found.callees]
        return LocationEffects(
            (found.writes - {BODIES}).union(
                self.locate_names(key, found.local_writes), *(writes for _, writes, _ in told)
            ),
            (found.reads - {BODIES}).union(self.locate_names(key, found.local_reads), *(reads for *_, reads in told)),
            frozenset(overwritten) - self._shared_names.get(key, frozenset()),
            "unwind" in found.exits,
            found.callees,
        )

    @cached_property
    def _watches(self) -> list[tuple[str, Locations, Locations]]:
        """Of each watch its event, and the names of its call that it sets and reads."""
        result = []
        for key, routine in self._program.routines.items():
            for watch in _list_watches(routine):
                found = self.dependences.find_effects(watch.body)
                writes, reads = (self.locate_names(key, each) for each in (found.local_writes, found.local_reads))
                result.append((watch.event, writes, reads))
        return result

    @cached_property
    def _shared_names(self) -> dict[str, frozenset[int]]:
        return {
            key: frozenset(form.index for form in walk_forms(*watches) if isinstance(form, core.Local))
            for key, routine in self._program.routines.items()
            if (watches := _list_watches(routine))
        }

    @cached_property
    def _requests(self) -> dict[str, frozenset[str]]:
        return {
            key: frozenset(
                strip_address_numbers(get_origin_address(statement.origin))
                for statement in walk_statements(routine)
                if isinstance(statement, _REQUESTS)
            )
            for key, routine in self._program.routines.items()
            if routine.sort != "window"
        }


def _list_watches(routine: core.Routine) -> list[core.Listening]:
    return [form for form in walk_forms(routine.entry) if isinstance(form, core.Listening)]


def _list_overwritten_names(forms: tuple[Any, ...]) -> tuple[int, ...]:
    match forms:
        case (core.Set(place=core.Place(root=core.Local(index=index), path=())),):
            return (index,)
        case (core.Call() | core.Roll() | core.Draw() | core.External() as form,) if form.result is not None:
            return (form.result.index,)
        case _:
            return ()
