"""Dynamic slicing of a trace: data and control dependences between its entries (Korel and Laski 1988)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rulewright.base.node_roles import get_children, walk_nodes
from rulewright.play.session import Session
from rulewright.program import statements as st
from rulewright.program.declarations import Function, Step, Watch
from rulewright.program.effects import ReadFootprint
from rulewright.program.expressions import Aggregate, Binding, Comprehension, Local, Quantifier, StoredAttribute, Typed
from rulewright.program.types import ThingType, get_member_type, strip_optional
from rulewright.program.walk import compute_transitive_closure, get_outer_expressions
from rulewright.runtime.request import BEGIN_SORTS, StateChange, TraceEntry, ValueRead
from rulewright.runtime.values import Value
from rulewright.wording.entry_rendering import last_address_part, walk_nested_entries

ChangedPlace = tuple[str, Value]
"""`Kind/attribute` with the number of a thing, `game/field` with None, or a relation with a pair."""
_NAME_PATTERN = re.compile(r"[A-Za-z_]\w*")
_ATTRIBUTE_PATTERN = re.compile(r"([A-Za-z_]\w*)\.([A-Za-z_]\w*)(?=$|[.\[])")
_JUDGING_SORTS = frozenset({"line", "test", "step", "passed over"})


@dataclass(slots=True)
class RoutineFrame:
    """A running routine; positions are those of trace entries."""

    routine: str
    call_position: int | None  # of the entry that called it; None for the procedure of the play
    name_sources: dict[str, int] = field(default_factory=dict)  # by name the entry that bound it last
    # by `id` of a line its last entry
    line_positions: dict[int, int] = field(default_factory=dict)
    # by `id` of a line the entry of a failed condition, with the step to which it would have led; None for the end of
    # the routine
    failed_conditions: dict[int, tuple[int, str | None]] = field(default_factory=dict)


class DynamicSlice:
    """Dependences of each entry of a play on earlier entries."""

    def __init__(self, session: Session) -> None:
        self.entries = session.entries  # of the whole play
        self.sources: list[frozenset[int]] = []  # by position the positions on which an entry depends directly
        # by place the entries that changed it, in order
        self.change_positions: dict[ChangedPlace, list[int]] = {}
        self._program = session.start.executable.program
        self._enclosing_lines = cache(_map_enclosing_lines)
        self._places_read = cache(ReadFootprint(self._program).collect_read_places)
        self._member_attributes: dict[int, frozenset[str]] = {}
        self._visited_names: dict[int, frozenset[str]] = {}
        self._frames: list[RoutineFrame] = []
        self._outside = RoutineFrame("", None)
        self._last_call: int | None = None
        self._last_trigger: int | None = None
        self._control_sources: list[frozenset[int]] = []
        for position, entry in enumerate(self.entries):
            self._add_entry(position, entry)

    def slice_back(self, positions: Iterable[int]) -> frozenset[int]:
        """Transitive dependences of some entries, with these."""
        return compute_transitive_closure(positions, self.sources.__getitem__)

    def _add_entry(self, position: int, entry: TraceEntry) -> None:
        self._enter_frames(entry)
        frame = self._frame_of(entry)
        hangs = frozenset(self._control_dependences(entry, frame, position))
        gathered = (source for by in (entry, *walk_nested_entries(entry)) for source in self._member_sources(by))
        read = {*self._data_sources(entry), *gathered, *self._name_sources(entry, entry.node, frame)}
        state_sources = {
            *self._prior_value_sources(entry, frame),
            *self._target_sources(entry, frame),
            *self._return_source(entry, position),
        }
        sources = hangs | read | state_sources | frozenset(self._answer_sources(entry, frame))
        self.sources.append(sources)
        self._control_sources.append(hangs)
        self._record_effects(position, entry, frame)

    # Where an entry stands.

    def _enter_frames(self, entry: TraceEntry) -> None:
        while len(self._frames) > len(entry.enclosing):
            self._frames.pop()
        for routine in entry.enclosing[len(self._frames) :]:
            self._frames.append(RoutineFrame(routine, self._last_call))

    def _frame_of(self, entry: TraceEntry) -> RoutineFrame:
        """Frame of the line of an entry; for a watch not the innermost one, for a rule before or after the play none."""
        routine = entry.address.partition("/")[0]
        innermost = self._frames[-1] if self._frames else self._outside
        return next((frame for frame in reversed(self._frames) if frame.routine == routine), innermost)

    def _control_dependences(self, entry: TraceEntry, frame: RoutineFrame, position: int) -> Iterator[int]:
        """Entries that decided that this one happened: enclosing line or step, jump, call."""
        around = self._enclosing_by_line(frame.routine).get(id(entry.node))
        while around is not None and id(around) not in frame.line_positions:
            around = self._enclosing_by_line(frame.routine).get(id(around))
        if around is not None:
            yield frame.line_positions[id(around)]
        elif frame.call_position is not None:
            yield from self._control_sources[frame.call_position]
        yield from (at for at, _ in frame.failed_conditions.values())
        if isinstance(entry.node, Step) and position and isinstance(self.entries[position - 1].node, st.Proceed):
            yield position - 1
        if entry.sort in {"handler", "watch"} and self._last_trigger is not None:
            yield self._last_trigger

    def _attributes_of_members(self, node: Any) -> frozenset[str]:  # a line, step or function
        """Attributes of members that a node adds up, chooses or ranks by."""
        if id(node) not in self._member_attributes:
            ranks = [node] if isinstance(node, st.Rank) else []
            parts = (node,) if isinstance(node, Function) else get_outer_expressions(node)
            inside = (of for part in parts for of in walk_nodes(part))
            gathers = (item for item in inside if isinstance(item, Aggregate | Comprehension))
            self._member_attributes[id(node)] = frozenset(
                place for item in (*ranks, *gathers) for place in _bound_attributes(item)
            )
        return self._member_attributes[id(node)]

    def _enclosing_by_line(self, routine: str) -> Mapping[int, Any]:
        program = self._program
        result = program.procedures.get(routine) or program.handlers.get(routine) or program.rules.get(routine)
        return {} if result is None else self._enclosing_lines(result)

    # What an entry read.

    def _data_sources(self, entry: TraceEntry) -> Iterator[int]:
        """Last changes of what an entry read of the game and of things, also in calls."""
        for by, reading in (
            (trace_entry, reading)
            for trace_entry in (entry, *walk_nested_entries(entry))
            for reading in trace_entry.reads
        ):
            owned = _ATTRIBUTE_PATTERN.match(reading.text)
            if owned is not None:
                for kind, number in _possible_things(owned[1], by):
                    yield from self.change_positions.get((f"{kind}/{owned[2]}", number), ())[-1:]
                if reading.text.endswith("]"):
                    yield from (
                        at[-1] for (place, _), at in self.change_positions.items() if place.endswith(f"/{owned[2]}")
                    )
            yield from self.change_positions.get((f"game/{_leading_name(reading)}", None), ())[-1:]

    def _name_sources(self, entry: TraceEntry, line: Any, frame: RoutineFrame) -> Iterator[int]:  # the line
        """Entries that bound the names that a line read, except names of visited members."""
        if id(line) not in self._visited_names:
            self._visited_names[id(line)] = frozenset(_names_of_visited(line))
        for name in {_leading_name(reading) for reading in _own_readings(entry)} - self._visited_names[id(line)]:
            if name in frame.name_sources:
                yield frame.name_sources[name]
            elif frame.call_position is not None and self._is_parameter(name, frame.routine):
                yield frame.call_position

    def _member_sources(self, entry: TraceEntry) -> Iterator[int]:
        """Last changes of attributes of members: of all that were visited, or of the decisive one.

        A trace keeps only the reads of the last member.
        """
        only = frozenset[Value]()
        match entry.node:
            case Quantifier() as quantifier:
                places, only = frozenset(_bound_attributes(quantifier)), frozenset(entry.members)
            case st.ForEach(binding=binding) if entry.sort == "loop":
                places = frozenset(_bound_attributes(binding))
            case node if isinstance(node, Function) or entry.sort in _JUDGING_SORTS:
                places = self._attributes_of_members(node)
            case _:
                return
        for (place, thing), changes in self.change_positions.items():
            if place in places and (not only or thing in only):
                yield changes[-1]

    def _answer_sources(self, entry: TraceEntry, frame: RoutineFrame) -> Iterator[int]:
        """Entries that made an answer legal, and the only one if it was."""
        line = entry.node
        if entry.sort != "answer" or not isinstance(line, st.Ask):
            return
        for read in (why.read for _, why in entry.excluded if why.read is not None):
            yield from self._data_sources(read)
            yield from self._name_sources(read, line, frame)
        for kind, number in _answered_things(entry):
            for place in self._places_read(line):
                if place.startswith(f"{kind}/"):
                    yield from self.change_positions.get((place, number), ())[-1:]

    def _target_sources(self, entry: TraceEntry, frame: RoutineFrame) -> Iterator[int]:
        """Entries that bound the names that select the target of a change, or the number and sort of dice."""
        line = entry.node
        if isinstance(line, st.Roll):
            through: Iterable[Any] = (*line.parts, *line.options)
        else:
            through = get_outer_expressions(line) if entry.changes and entry.sort == "line" else ()
        for inner in (node for part in through for node in walk_nodes(part)):
            if isinstance(inner, Local) and inner.variable.name in frame.name_sources:
                yield frame.name_sources[inner.variable.name]

    def _is_parameter(self, name: str, routine: str) -> bool:
        procedure = self._program.procedures.get(routine)
        return procedure is None or any(parameter.name == name for parameter in procedure.parameters)

    def _prior_value_sources(self, entry: TraceEntry, frame: RoutineFrame) -> Iterator[int]:
        """Entries of the previous value, where a change does not overwrite it."""
        if isinstance(entry.node, st.OverwritingLine) and not _is_partial_change(entry):
            return
        for change in entry.changes:
            if _is_name_change(change):
                yield from [frame.name_sources[change.place]] if change.place in frame.name_sources else []
            else:
                yield from self.change_positions.get((change.place, change.key), ())[-1:]

    def _return_source(self, entry: TraceEntry, position: int) -> Iterator[int]:
        if entry.sort == "return" and position:
            yield position - 1

    # What an entry leaves behind.

    def _record_effects(self, position: int, entry: TraceEntry, frame: RoutineFrame) -> None:
        if entry.sort in BEGIN_SORTS:
            self._last_call = position
        if isinstance(entry.node, st.Trigger):
            self._last_trigger = position
        if entry.sort in {"skipped", "visited"}:  # whether a loop takes a member, which stands for no line
            return
        frame.line_positions[id(entry.node)] = position
        if isinstance(entry.node, Step):
            frame.failed_conditions = {
                line: item for line, item in frame.failed_conditions.items() if item[1] != entry.node.id
            }
        if entry.sort == "test" and entry.result is False:
            frame.failed_conditions |= {id(entry.node): (position, to) for to in _exit_targets(entry.node)}
        name = last_address_part(entry.address).removeprefix("for.")
        if "." not in name:
            frame.name_sources[name] = position
        for change in entry.changes:
            if _is_name_change(change):
                frame.name_sources[change.place] = position
            elif change.before != change.after:
                self.change_positions.setdefault((change.place, change.key), []).append(position)


def _bound_attributes(gathers: Any) -> Iterator[str]:  # a rank, a binding, or what has one
    inside = list(walk_nodes(gathers))
    bound = {variable for binding in inside if isinstance(binding, Binding) for variable in binding.variables}
    for node in inside:
        if isinstance(node, StoredAttribute) and isinstance(node.target, Local) and node.target.variable in bound:
            yield f"{node.kind}/{node.name}"


def _exit_targets(line: Any) -> Iterator[str | None]:  # a line
    """Steps to which the lines of an `if` lead out of it; None for the end of the routine."""
    for branch in line.branches if isinstance(line, st.If) else ():
        for inside in branch.block:
            if isinstance(inside, st.Proceed):
                yield inside.step
            elif isinstance(inside, st.EndLine):
                yield None


def _names_of_visited(line: Any) -> Iterator[str]:  # a line
    """Names of the members that a line visits or asks for."""
    for node in walk_nodes(line):
        if isinstance(node, Binding):
            yield from (of.name for of in node.variables if of)
        elif isinstance(node, st.Ask):
            yield node.variable.name


def _own_readings(entry: TraceEntry) -> Iterator[ValueRead]:
    """Reads of an entry in its own line, without those in terms that it calls."""
    yield from entry.reads
    for inner in entry.inner:
        if isinstance(inner.node, Typed):
            yield from _own_readings(inner)


def _leading_name(reading: ValueRead) -> str:
    """Name at the beginning of what was read; empty for a call."""
    named = _NAME_PATTERN.match(reading.text)
    return "" if named is None or reading.text.startswith(f"{named[0]}(") else named[0]


def _possible_things(name: str, entry: TraceEntry) -> Iterator[tuple[str, int]]:
    """Things that a name before a dot may stand for: the one that was read, or in a call any."""
    read = [*entry.owners, *entry.reads]
    matching = [item for item in read if item.text == name]
    for value_read in matching or read:
        type_ = strip_optional(value_read.type)
        if isinstance(type_, ThingType) and isinstance(value_read.value, int):
            yield type_.kind, value_read.value


def _answered_things(entry: TraceEntry) -> Iterator[tuple[str, int]]:
    type_ = entry.type and strip_optional(entry.type)
    member_type = type_ and (get_member_type(type_) or type_)
    if isinstance(member_type, ThingType):
        result = entry.result if isinstance(entry.result, tuple) else (entry.result,)
        yield from ((member_type.kind, item) for item in result if isinstance(item, int))


def _is_name_change(change: StateChange) -> bool:
    return "/" not in change.place and not (isinstance(change.key, tuple) and isinstance(change.after, bool))


def _is_partial_change(entry: TraceEntry) -> bool:
    return isinstance(getattr(entry.node, "place", None), st.EntryPlace | st.PartPlace)


def _map_enclosing_lines(routine: Any) -> dict[int, Any]:  # a procedure, handler or standing rule
    """By `id` of a line or step the line or step around it."""
    result: dict[int, Any] = {}
    waiting: list[tuple[Any, Any]] = [(child, None) for child in get_children(routine)]
    while waiting:
        node, outer = waiting.pop()
        stands = isinstance(node, st.Line | Step | Watch)
        if stands:
            result[id(node)] = outer
        waiting += [(child, node if stands else outer) for child in get_children(node)]
    return result
