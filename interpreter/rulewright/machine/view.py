"""What one player may see of a state, a request and a record (manual, Secrets)."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from rulewright.machine.executable import Executable
from rulewright.machine.request import Ended, Faulted, Refused, Request
from rulewright.machine.run import Outcome, Paused
from rulewright.machine.state import Situation, State
from rulewright.machine.trace import Change, Entry
from rulewright.machine.values import Hidden
from rulewright.program import expressions as ex, statements as st
from rulewright.program.types import FLAG, Type


class View:
    """How a play looks to a player, by number, or to somebody who is none of them.

    Two plays that differ only in what the player may not know look the same.
    """

    def __init__(self, executable: Executable, player: int | None) -> None:
        self.player = player
        self._executable = executable
        self._concealed = executable.concealed

    def open(self, request: Request) -> bool:
        """Whether the player may see what can be answered to a request, and the answer."""
        return not self._drawn(request) and request.audience in {None, self.player}

    def _drawn(self, request: Request) -> bool:
        node = request.question.node if request.question is not None else None
        return isinstance(node, st.Draw | st.Shuffle) and self._concealed.conceals(node.place.type)

    def looks(self, request: Request) -> bool:
        """Whether a question shows the player what lies in a bag or deck."""
        if request.audience is None or request.audience != self.player or request.question is None:
            return False
        return self._concealed.shown(request.question.node)

    def request(self, request: Request) -> Request:
        """A request without its options, where these are not for the player."""
        if self.open(request):
            return request
        return replace(request, choices=(), items=(), low=0, high=0, question=None, closed=True)

    def paused(self, paused: Paused, entries: tuple[Entry, ...]) -> Paused:
        """A request as it looks to the player, for reading only, with entries that are seen already."""
        return _Seen(self, paused, entries)

    def value(self, value: Any, type_: Type | None) -> Any:
        """A value without the contents of bags and decks."""
        return value if type_ is None else self._concealed.masked(value, type_)

    def situation(self, start: Situation) -> Situation:
        """The game, without the contents of bags and decks."""
        types = self._executable.layout.types
        return replace(
            start,
            attributes={
                name: tuple(self.value(each, types.get(name)) for each in values)
                for name, values in start.attributes.items()
            },
            game={name: self.value(each, types.get(f"game/{name}")) for name, each in start.game.items()},
            cells={name: self._places(name, entries) for name, entries in start.cells.items()},
            sides={name: self._places(name, entries) for name, entries in start.sides.items()},
        )

    def _places(self, name: str, entries: Any) -> dict[Any, Any]:
        type_ = self._executable.layout.types.get(name)
        return {place: self.value(each, type_) for place, each in entries.items()}

    def state(self, state: State) -> State:
        """The game of a state, without what runs and without the contents of bags and decks."""
        layout = state.layout
        types = layout.types
        return State(
            layout=layout,
            base=state.base,
            columns=tuple(
                tuple(self.value(each, types.get(name)) for each in column)
                for name, column in zip(layout.columns, state.columns, strict=True)
            ),
            gone=state.gone,
            game=tuple(
                self.value(each, types.get(f"game/{name}")) for name, each in zip(layout.game, state.game, strict=True)
            ),
            cells=self._tables(layout.cells, state.cells),
            sides=self._tables(layout.sides, state.sides),
            relations=state.relations,
        )

    def _tables(self, names: tuple[str, ...], tables: Any) -> Any:
        types = self._executable.layout.types
        return tuple(
            tuple((key, self.value(each, types.get(name))) for key, each in entries)
            for name, entries in zip(names, tables, strict=True)
        )

    def outcome(self, outcome: Outcome, entries: tuple[Entry, ...], result: Type | None) -> Outcome:
        """Where the play stands, with entries that are seen already."""
        match outcome:
            case Paused():
                return self.paused(outcome, entries)
            case Ended():
                return Ended(partial(self._end, outcome), self.value(outcome.result, result), entries)
            case Refused():
                return replace(outcome, entries=entries)
            case Faulted():
                read = () if self._concealed.any else outcome.read
                return replace(outcome, state=self.state(outcome.state), read=read, entries=entries)

    def _end(self, outcome: Ended) -> State:
        return self.state(outcome.state)

    def entries(self, entries: Iterable[Entry]) -> tuple[Entry, ...]:
        """Entries without what is not for the player."""
        return tuple(self._entry(each) for each in entries)

    def _entry(self, entry: Entry) -> Entry:
        seen = self._by_type(entry) if self._concealed.any else entry
        own = entry.player == self.player is not None
        unseen = _without_workings(seen)
        match entry.withheld:
            case "answer" | "drawn" if not own:
                return replace(unseen, result=Hidden(), legal=(), forced=False, hidden=True)
            case "options" if not own:
                return replace(unseen, legal=(), forced=False, hidden=True)
            case "answer" | "options" if self._concealed.any:
                return replace(seen, reads=(), inner=(), rows=(), owners=())
            case "draw" | "drawn":
                whose = () if self._concealed.shown(entry.node) else seen.reads
                return replace(unseen, reads=whose, forced=False, hidden=True)
            case "workings":
                return self._worked_out(seen)
            case _:
                return seen

    def _worked_out(self, entry: Entry) -> Entry:
        """An entry without what its line read and found; dice that fell and what was revealed are for all."""
        if entry.sort in {"roll", "revealed"}:
            return _without_workings(entry)
        result = entry.result if entry.sort in {"step", "passed over", "need"} else Hidden()
        changes = tuple(each for each in entry.changes if "/" in each.place or self._is_relation(each))
        return replace(_without_workings(entry), result=result, changes=changes, members=(), dice=(), hidden=True)

    def _is_relation(self, change: Change) -> bool:
        return change.place in self._executable.program.relations

    def _by_type(self, entry: Entry) -> Entry:
        return replace(
            entry,
            result=self.value(entry.result, entry.type),
            reads=tuple(replace(each, value=self.value(each.value, each.type)) for each in entry.reads),
            changes=tuple(self._change(each) for each in entry.changes),
            inner=self.entries(entry.inner),
            members=() if self._goes_through(entry.node) else entry.members,
        )

    def _goes_through(self, node: Any) -> bool:
        """Whether an entry tells members of a bag or deck, or of what was found in one."""
        quantified = isinstance(node, ex.Aggregate | ex.Quantifier)
        return quantified and self._concealed.looks(node.binding.source)

    def _change(self, change: Change) -> Change:
        type_ = FLAG if self._is_relation(change) else change.type
        return replace(change, before=self.value(change.before, type_), after=self.value(change.after, type_))


class _Seen(Paused):
    """A request as a player sees it; it cannot be answered."""

    __slots__ = ("_of", "_view")

    def __init__(self, view: View, paused: Paused, entries: tuple[Entry, ...]) -> None:
        self.asked = paused.asked
        self.entries = entries
        self._view = view
        self._of = paused

    @property
    def state(self) -> State:
        """The game of the state, as the player sees it."""
        return self._view.state(self._of.state)

    @property
    def request(self) -> Request:
        """The request, without its options where they are not for the player."""
        return self._view.request(self._of.request)


def _without_workings(entry: Entry) -> Entry:
    return replace(entry, reads=(), inner=(), rows=(), excluded=(), owners=(), start=None)
