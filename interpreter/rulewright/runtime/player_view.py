"""What one player may see of a state, a request and a trace (manual, Secrets)."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from rulewright.program import expressions as ex, statements as st
from rulewright.program.types import FLAG, Type
from rulewright.runtime.executable import Executable
from rulewright.runtime.request import Ended, Faulted, Refused, Request, StateChange, TraceEntry
from rulewright.runtime.run import Outcome, Paused
from rulewright.runtime.state import Situation, State
from rulewright.runtime.values import HiddenValue


class PlayerView:
    """How a play looks to a player, by number, or to somebody who is no player.

    Two plays that differ only in what the player may not know look equal.
    """

    def __init__(self, executable: Executable, player: int | None) -> None:
        self.player = player
        self._executable = executable
        self._concealed = executable.concealment

    def can_see_request(self, request: Request) -> bool:
        """Whether the player may see the options of a request, and the answer."""
        return not self._draws_hidden_cards(request) and request.audience in {None, self.player}

    def _draws_hidden_cards(self, request: Request) -> bool:
        node = request.question.node if request.question is not None else None
        return isinstance(node, st.Draw | st.Shuffle) and self._concealed.is_concealed_type(node.place.type)

    def shows_hidden_contents(self, request: Request) -> bool:
        """Whether a question shows the player the contents of a bag or deck."""
        if request.audience is None or request.audience != self.player or request.question is None:
            return False
        return self._concealed.line_looks_inside(request.question.node)

    def mask_request(self, request: Request) -> Request:
        """A request without its options, if these are not for the player."""
        if self.can_see_request(request):
            return request
        return replace(request, choices=(), items=(), low=0, high=0, question=None, closed=True)

    def mask_paused(self, paused: Paused, entries: tuple[TraceEntry, ...]) -> Paused:
        """A read-only request as it looks to the player, with entries that are masked already."""
        return _MaskedPaused(self, paused, entries)

    def mask_value(self, value: Any, type_: Type | None) -> Any:
        """A value without the contents of bags and decks."""
        return value if type_ is None else self._concealed.mask_contents(value, type_)

    def mask_situation(self, start: Situation) -> Situation:
        """A start without the contents of bags and decks."""
        types = self._executable.layout.types
        return replace(
            start,
            attributes={
                name: tuple(self.mask_value(value, types.get(name)) for value in values)
                for name, values in start.attributes.items()
            },
            game={name: self.mask_value(item, types.get(f"game/{name}")) for name, item in start.game.items()},
            cells={name: self._mask_entries_by_place(name, entries) for name, entries in start.cells.items()},
            sides={name: self._mask_entries_by_place(name, entries) for name, entries in start.sides.items()},
        )

    def _mask_entries_by_place(self, name: str, entries: Any) -> dict[Any, Any]:
        type_ = self._executable.layout.types.get(name)
        return {place: self.mask_value(item, type_) for place, item in entries.items()}

    def mask_state(self, state: State) -> State:
        """A state without its frames and without the contents of bags and decks."""
        layout = state.layout
        types = layout.types
        if not self._concealed.has_hidden_collections:
            columns, game, cells, sides = state.columns, state.game, state.cells, state.sides
        else:
            columns = tuple(
                tuple(self.mask_value(item, types.get(name)) for item in column)
                for name, column in zip(layout.columns, state.columns, strict=True)
            )
            game = tuple(
                self.mask_value(item, types.get(f"game/{name}"))
                for name, item in zip(layout.game, state.game, strict=True)
            )
            cells, sides = self._mask_tables(layout.cells, state.cells), self._mask_tables(layout.sides, state.sides)
        return State(
            layout=layout,
            base=state.base,
            columns=columns,
            gone=state.gone,
            game=game,
            cells=cells,
            sides=sides,
            relations=state.relations,
        )

    def _mask_tables(self, names: tuple[str, ...], tables: Any) -> Any:
        types = self._executable.layout.types
        return tuple(
            tuple((key, self.mask_value(item, types.get(name))) for key, item in entries)
            for name, entries in zip(names, tables, strict=True)
        )

    def mask_outcome(self, outcome: Outcome, entries: tuple[TraceEntry, ...], result: Type | None) -> Outcome:
        """An outcome as it looks to the player, with entries that are masked already."""
        match outcome:
            case Paused():
                return self.mask_paused(outcome, entries)
            case Ended():
                return Ended(partial(self._mask_end_state, outcome), self.mask_value(outcome.result, result), entries)
            case Refused():
                return replace(outcome, entries=entries)
            case Faulted():
                read = () if self._concealed.has_hidden_collections else outcome.read
                return replace(outcome, state=self.mask_state(outcome.state), read=read, entries=entries)

    def _mask_end_state(self, outcome: Ended) -> State:
        return self.mask_state(outcome.state)

    def mask_entries(self, entries: Iterable[TraceEntry]) -> tuple[TraceEntry, ...]:
        """Entries without what is not for the player."""
        return tuple(self._mask_entry(entry) for entry in entries)

    def _mask_entry(self, entry: TraceEntry) -> TraceEntry:
        masked = self._mask_by_type(entry) if self._concealed.has_hidden_collections else entry
        is_own = entry.player == self.player is not None
        match entry.withheld:
            case "":
                return masked
            case "answer" | "drawn" if not is_own:
                return replace(_without_workings(masked), result=HiddenValue(), legal=(), forced=False, hidden=True)
            case "options" if not is_own:
                return replace(_without_workings(masked), legal=(), forced=False, hidden=True)
            case "answer" | "options" if self._concealed.has_hidden_collections:
                return replace(masked, reads=(), inner=(), rows=(), owners=())
            case "draw" | "drawn":
                whose = () if self._concealed.line_looks_inside(entry.node) else masked.reads
                return replace(_without_workings(masked), reads=whose, forced=False, hidden=True)
            case "workings":
                return self._mask_workings(masked)
            case _:
                return masked

    def _mask_workings(self, entry: TraceEntry) -> TraceEntry:
        if entry.sort in {"roll", "revealed"}:
            return _without_workings(entry)
        result = entry.result if entry.sort in {"step", "passed over", "need"} else HiddenValue()
        changes = tuple(change for change in entry.changes if "/" in change.place or self._is_relation(change))
        return replace(_without_workings(entry), result=result, changes=changes, members=(), dice=(), hidden=True)

    def _is_relation(self, change: StateChange) -> bool:
        return change.place in self._executable.program.relations

    def _mask_by_type(self, entry: TraceEntry) -> TraceEntry:
        return replace(
            entry,
            result=self.mask_value(entry.result, entry.type),
            reads=tuple(replace(read, value=self.mask_value(read.value, read.type)) for read in entry.reads),
            changes=tuple(self._mask_change(change) for change in entry.changes),
            inner=self.mask_entries(entry.inner),
            members=() if self._iterates_hidden_members(entry.node) else entry.members,
        )

    def _iterates_hidden_members(self, node: Any) -> bool:
        quantified = isinstance(node, ex.Aggregate | ex.Quantifier)
        return quantified and self._concealed.expression_looks_inside(node.binding.source)

    def _mask_change(self, change: StateChange) -> StateChange:
        type_ = FLAG if self._is_relation(change) else change.type
        return replace(change, before=self.mask_value(change.before, type_), after=self.mask_value(change.after, type_))


class _MaskedPaused(Paused):
    __slots__ = ("_masked_state", "_unmasked", "_view")

    def __init__(self, view: PlayerView, paused: Paused, entries: tuple[TraceEntry, ...]) -> None:
        self.asked = paused.asked
        self.entries = entries
        self._view = view
        self._unmasked = paused
        self._masked_state: State | None = None

    @property
    def state(self) -> State:
        if self._masked_state is None:
            self._masked_state = self._view.mask_state(self._unmasked.state)
        return self._masked_state

    @property
    def request(self) -> Request:
        return self._view.mask_request(self._unmasked.request)


def _without_workings(entry: TraceEntry) -> TraceEntry:
    return replace(entry, reads=(), inner=(), rows=(), excluded=(), owners=(), start=None)
