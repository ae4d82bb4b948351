"""Which happenings of a play made something what it is: traced back through what each of them read and hung on."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from rulewright.drivers.session import Session
from rulewright.machine.trace import BEGINS, Change, Entry, Reading
from rulewright.machine.values import Value
from rulewright.program import statements as st
from rulewright.program.declarations import Function, Step, Watch
from rulewright.program.effects import Footprint
from rulewright.program.expressions import Aggregate, Binding, Comprehension, Local, Quantifier, StoredAttribute, Typed
from rulewright.program.types import ThingType, member_type, present
from rulewright.program.walk import expressions, reached
from rulewright.roles import children, nodes
from rulewright.telling.came_from import nested
from rulewright.telling.happenings import last

Place = tuple[str, Value]
"""What may change: `Kind/attribute` with the number of a thing, `game/field` with none, a relation with a pair."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_OWNED = re.compile(r"([A-Za-z_]\w*)\.([A-Za-z_]\w*)(?=$|[.\[])")
_JUDGES = frozenset({"line", "test", "step", "passed over"})


@dataclass(slots=True)
class Frame:
    """A routine that runs: what its names came from, and which of its lines ran last."""

    routine: str  # its name
    call: int | None  # the position of the entry that began it; none of the procedure that a play begins with
    names: dict[str, int] = field(default_factory=dict)  # by name the position of what made it what it is
    lines: dict[int, int] = field(default_factory=dict)  # by line, known by its identity, that of its last entry
    # by line the position of a condition that failed and would have led elsewhere, with the step that it leads to; none
    # where it would have ended the routine
    passed: dict[int, tuple[int, str | None]] = field(default_factory=dict)


class Tracing:
    """What each entry of a play came from."""

    def __init__(self, session: Session) -> None:
        self.entries = session.entries  # of the whole play
        self.sources: list[frozenset[int]] = []  # by position the positions of what an entry read from and hung on
        self.changed: dict[Place, list[int]] = {}  # by place the positions of the entries that changed it, in order
        self._program = session.begun.executable.program
        self._around = cache(_around)
        self._looked_at = cache(Footprint(self._program).reads)
        self._gathering: dict[int, frozenset[str]] = {}
        self._visiting: dict[int, frozenset[str]] = {}
        self._frames: list[Frame] = []
        self._begun: int | None = None
        self._triggered: int | None = None
        self._hangs: list[frozenset[int]] = []
        for position, entry in enumerate(self.entries):
            self._add(position, entry)

    def back_from(self, positions: Iterable[int]) -> frozenset[int]:
        """The positions of all that some entries came from, and of themselves."""
        return reached(positions, self.sources.__getitem__)

    def _add(self, position: int, entry: Entry) -> None:
        self._at(entry)
        frame = self._frame_of(entry)
        hangs = frozenset(self._hanging(entry, frame, position))
        gathered = (each for by in (entry, *nested(entry)) for each in self._gathered(by))
        read = {*self._changed(entry), *gathered, *self._named(entry, entry.node, frame)}
        kept = {*self._kept(entry, frame), *self._acted_on(entry, frame), *self._returned(entry, position)}
        sources = hangs | read | kept | frozenset(self._answerable(entry, frame))
        self.sources.append(sources)
        self._hangs.append(hangs)
        self._note(position, entry, frame)

    # Where an entry stands.

    def _at(self, entry: Entry) -> None:
        """Brings the frames up to an entry."""
        while len(self._frames) > len(entry.enclosing):
            self._frames.pop()
        for routine in entry.enclosing[len(self._frames) :]:
            self._frames.append(Frame(routine, self._begun))

    def _frame_of(self, entry: Entry) -> Frame:
        """The frame whose line an entry is of: of a watch another than the one that runs."""
        routine = entry.address.partition("/")[0]
        return next((each for each in reversed(self._frames) if each.routine == routine), self._frames[-1])

    def _hanging(self, entry: Entry, frame: Frame, position: int) -> Iterator[int]:
        """What decided that an entry came to be: the line or step around it, a jump to it, what called its routine."""
        around = self._lines_around(frame.routine).get(id(entry.node))
        while around is not None and id(around) not in frame.lines:
            around = self._lines_around(frame.routine).get(id(around))
        if around is not None:
            yield frame.lines[id(around)]
        elif frame.call is not None:
            yield from self._hangs[frame.call]
        yield from (at for at, _ in frame.passed.values())
        if isinstance(entry.node, Step) and position and isinstance(self.entries[position - 1].node, st.Proceed):
            yield position - 1
        if entry.sort in {"handler", "watch"} and self._triggered is not None:
            yield self._triggered

    def _of_members(self, node: Any) -> frozenset[str]:  # a line, step or function
        """The attributes that it takes of members: to add up, choose or rank them."""
        if id(node) not in self._gathering:
            own = [node] if isinstance(node, st.Rank) else []
            parts = (node,) if isinstance(node, Function) else expressions(node)
            inside = (of for each in parts for of in nodes(each))
            gathers = (each for each in inside if isinstance(each, Aggregate | Comprehension))
            self._gathering[id(node)] = frozenset(place for each in (*own, *gathers) for place in _of_bound(each))
        return self._gathering[id(node)]

    def _lines_around(self, routine: str) -> Mapping[int, Any]:
        program = self._program
        found = program.procedures.get(routine) or program.handlers.get(routine) or program.rules.get(routine)
        return {} if found is None else self._around(found)

    # What an entry read.

    def _changed(self, entry: Entry) -> Iterator[int]:
        """What changed that was read of the game and of things, in what was called as well."""
        for by, reading in ((each, reading) for each in (entry, *nested(entry)) for reading in each.reads):
            owned = _OWNED.match(reading.text)
            if owned is not None:
                for kind, number in _things(owned[1], by):
                    yield from self.changed.get((f"{kind}/{owned[2]}", number), ())[-1:]
                if reading.text.endswith("]"):
                    yield from (at[-1] for (place, _), at in self.changed.items() if place.endswith(f"/{owned[2]}"))
            yield from self.changed.get((f"game/{_name(reading)}", None), ())[-1:]

    def _named(self, entry: Entry, line: Any, frame: Frame) -> Iterator[int]:  # the line
        """Where the names of the routine came from that a line read; members that it visits have names of their own."""
        if id(line) not in self._visiting:
            self._visiting[id(line)] = frozenset(_visited(line))
        for name in {_name(each) for each in _readings(entry)} - self._visiting[id(line)]:
            if name in frame.names:
                yield frame.names[name]
            elif frame.call is not None and self._is_parameter(name, frame.routine):
                yield frame.call

    def _gathered(self, entry: Entry) -> Iterator[int]:
        """Where attributes of members came from: of all that were visited, or of the one that settled it.

        A trace keeps what was read of the last alone.
        """
        only = frozenset[Value]()
        match entry.node:
            case Quantifier() as asked:
                places, only = frozenset(_of_bound(asked)), frozenset(entry.members)
            case st.ForEach(binding=binding) if entry.sort == "loop":
                places = frozenset(_of_bound(binding))
            case node if isinstance(node, Function) or entry.sort in _JUDGES:
                places = self._of_members(node)
            case _:
                return
        for (place, thing), changes in self.changed.items():
            if place in places and (not only or thing in only):
                yield changes[-1]

    def _answerable(self, entry: Entry, frame: Frame) -> Iterator[int]:
        """What made an answer a legal one, and the only one where it was."""
        line = entry.node
        if entry.sort != "answer" or not isinstance(line, st.Ask):
            return
        for read in (why.read for _, why in entry.excluded if why.read is not None):
            yield from self._changed(read)
            yield from self._named(read, line, frame)
        for kind, number in _answered(entry):
            for place in self._looked_at(line):
                if place.startswith(f"{kind}/"):
                    yield from self.changed.get((place, number), ())[-1:]

    def _acted_on(self, entry: Entry, frame: Frame) -> Iterator[int]:
        """What the names hold through which a line changes something, or that say how many dice of what sort fall."""
        line = entry.node
        if isinstance(line, st.Roll):
            through: Iterable[Any] = (*line.parts, *line.options)
        else:
            through = expressions(line) if entry.changes and entry.sort == "line" else ()
        for each in (each for part in through for each in nodes(part)):
            if isinstance(each, Local) and each.variable.name in frame.names:
                yield frame.names[each.variable.name]

    def _is_parameter(self, name: str, routine: str) -> bool:
        procedure = self._program.procedures.get(routine)
        return procedure is None or any(each.name == name for each in procedure.parameters)

    def _kept(self, entry: Entry, frame: Frame) -> Iterator[int]:
        """What a changed value was made of, where it is not put anew."""
        if isinstance(entry.node, st.Assign | st.Move | st.Turn | st.PlaceThing) and not _is_part(entry):
            return
        for each in entry.changes:
            if _of_routine(each):
                yield from [frame.names[each.place]] if each.place in frame.names else []
            else:
                yield from self.changed.get((each.place, each.key), ())[-1:]

    def _returned(self, entry: Entry, position: int) -> Iterator[int]:
        """What a call gave back came from its last line."""
        if entry.sort == "return" and position:
            yield position - 1

    # What an entry leaves behind.

    def _note(self, position: int, entry: Entry, frame: Frame) -> None:
        if entry.sort in BEGINS:
            self._begun = position
        if isinstance(entry.node, st.Trigger):
            self._triggered = position
        if entry.sort in {"skipped", "visited"}:  # whether a loop takes a member, which stands for no line
            return
        frame.lines[id(entry.node)] = position
        if isinstance(entry.node, Step):
            frame.passed = {line: each for line, each in frame.passed.items() if each[1] != entry.node.id}
        if entry.sort == "test" and entry.result is False:
            frame.passed |= {id(entry.node): (position, to) for to in _elsewhere(entry.node)}
        name = last(entry.address).removeprefix("for.")
        if "." not in name:
            frame.names[name] = position
        for each in entry.changes:
            if _of_routine(each):
                frame.names[each.place] = position
            elif each.before != each.after:
                self.changed.setdefault((each.place, each.key), []).append(position)


def _of_bound(gathers: Any) -> Iterator[str]:  # a rank, a binding, or what has one
    """The attributes that are read of the members that are visited."""
    inside = list(nodes(gathers))
    bound = {each for binding in inside if isinstance(binding, Binding) for each in binding.variables}
    for each in inside:
        if isinstance(each, StoredAttribute) and isinstance(each.target, Local) and each.target.variable in bound:
            yield f"{each.kind}/{each.name}"


def _elsewhere(line: Any) -> Iterator[str | None]:  # a line
    """Where the lines of an `if` lead, where they lead out of it: to a step, or to the end of the routine."""
    for each in line.branches if isinstance(line, st.If) else ():
        for inside in each.block:
            if isinstance(inside, st.Proceed):
                yield inside.step
            elif isinstance(inside, st.Finish | st.FinishOuter):
                yield None


def _visited(line: Any) -> Iterator[str]:  # a line
    """What the members are called that a line visits or asks for."""
    for each in nodes(line):
        if isinstance(each, Binding):
            yield from (of.name for of in each.variables if of)
        elif isinstance(each, st.Ask):
            yield each.variable.name


def _readings(entry: Entry) -> Iterator[Reading]:
    """All that an entry read where the names of its routine stand: in the line itself, in no term that it calls."""
    yield from entry.reads
    for inner in entry.inner:
        if isinstance(inner.node, Typed):
            yield from _readings(inner)


def _name(reading: Reading) -> str:
    """The name that what was read begins with; of a call empty."""
    named = _NAME.match(reading.text)
    return "" if named is None or reading.text.startswith(f"{named[0]}(") else named[0]


def _things(name: str, entry: Entry) -> Iterator[tuple[str, int]]:
    """The things that a name before a dot may stand for: one that was read, or in what was called any of them."""
    read = [*entry.owners, *entry.reads]
    own = [each for each in read if each.text == name]
    for each in own or read:
        type_ = present(each.type)
        if isinstance(type_, ThingType) and isinstance(each.value, int):
            yield type_.kind, each.value


def _answered(entry: Entry) -> Iterator[tuple[str, int]]:
    """The things that were answered, each with its kind."""
    type_ = entry.type and present(entry.type)
    held = type_ and (member_type(type_) or type_)
    if isinstance(held, ThingType):
        found = entry.result if isinstance(entry.result, tuple) else (entry.result,)
        yield from ((held.kind, each) for each in found if isinstance(each, int))


def _of_routine(change: Change) -> bool:
    """Whether a name of a routine changed, not something of the game."""
    return "/" not in change.place and not (isinstance(change.key, tuple) and isinstance(change.after, bool))


def _is_part(entry: Entry) -> bool:
    return isinstance(getattr(entry.node, "place", None), st.EntryPlace | st.PartPlace)


def _around(routine: Any) -> dict[int, Any]:  # a procedure, handler or standing rule
    """By the identity of each line and step of a routine the line or step that it stands in."""
    found: dict[int, Any] = {}
    waiting: list[tuple[Any, Any]] = [(each, None) for each in children(routine)]
    while waiting:
        node, outer = waiting.pop()
        stands = isinstance(node, st.Line | Step | Watch)
        if stands:
            found[id(node)] = outer
        waiting += [(each, node if stands else outer) for each in children(node)]
    return found
