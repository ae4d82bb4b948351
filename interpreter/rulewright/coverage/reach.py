"""Plays scenarios and keeps what each reached: from its trace, and from listening to its conditions and rows."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rulewright.analysis.clause_trace import TracedDocument, trace
from rulewright.coverage.listing import LEAVES, Listing, blocks, first, listing, otherwise_blocks, settings_value
from rulewright.drivers.session import Session
from rulewright.files import Provider
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.request import Ended
from rulewright.machine.source_point import Probes
from rulewright.machine.trace import Entry
from rulewright.program import declarations as d, statements as st
from rulewright.program.rows import DecideRow, TableRow
from rulewright.program.walk import every, routines, rows
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import play
from rulewright.scenarios.suite import Case, Result, Suite
from rulewright.source import Span
from rulewright.workspace import Loaded

Truths = tuple[bool | None, ...]
"""How the parts of a condition came out, from left to right; none for one that was not looked at."""
_JUDGED = frozenset({"held", "failed", "taken", "applied", "parted"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a condition came out once: its position among those of the program, its parts, and the whole."""

    condition: int
    parts: Truths
    held: bool


@dataclass(frozen=True, slots=True)
class Heard:
    """What was heard in a play."""

    outcomes: frozenset[Outcome] = frozenset()  # of conditions
    rows: frozenset[str] = frozenset()  # addresses of the rows whose value was computed
    judged: frozenset[str] = frozenset()  # names of the invariants whose condition was judged, for one member at least


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

    def _hear(self, number: int, value: Any) -> None:
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


Reached = tuple[str, str]
"""Sort and name of a unit."""


@dataclass(frozen=True)
class Ways:
    """What the lines of a program mean to somebody who follows a trace; all by the address of the line."""

    lines: Mapping[str, st.Statement] = field(default_factory=dict)  # every line
    # for the first line of a case or an `else` block, the way into that block
    openings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, Mapping[object, str]] = field(default_factory=dict)  # options of a `choose` by their id
    # clauses in the margins of the procedures, events and externals that a line names
    cites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # clauses in the margins of procedures, handlers and standing rules, and of what procedures hold, by their name
    bodies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def ways_of(program: d.Program) -> Ways:
    """The ways of a program."""
    lines: dict[str, st.Statement] = {}
    options: dict[str, Mapping[object, str]] = {}
    openings: dict[str, tuple[str, ...]] = {}
    for block in blocks(program):
        for line in every(block):
            lines[line.address] = line
            for name, inside in _entrances(line):
                openings[first(inside)] = (*openings.get(first(inside), ()), name)
            if isinstance(line, st.Ask) and isinstance(line.shape, st.Choose):
                options[line.address] = {each.id: each.address for each in line.shape.options}
    cites = {address: _named(line, program) for address, line in lines.items()}
    bodies = {each.name: (*each.cites, *_held(each)) for each in routines(program)}
    return Ways(lines, openings, options, cites, bodies)


def _held(routine: d.Routine) -> Iterator[str]:
    for part in routine.opening if isinstance(routine, d.Procedure) else ():
        if isinstance(part, d.Hold):
            yield from part.cites


def _named(line: st.Statement, program: d.Program) -> tuple[str, ...]:
    match line:
        case st.Perform(procedure=name):
            return program.procedures[name].cites
        case st.Trigger(event=name):
            return program.events[name].cites
        case st.PerformExternal(external=name):
            return program.external_procedures[name].cites
        case _:
            return ()


def _entrances(line: st.Statement) -> Iterator[tuple[str, st.Block]]:
    if isinstance(line, st.Match):
        for number, case in enumerate(line.cases, 1):
            yield f"{line.address} case {number}", case.block
    elif otherwise_blocks(line):
        yield f"{line.address} otherwise", otherwise_blocks(line)


@dataclass
class _Call:
    """A running call: the step it is in, and whether a line has led out of that."""

    step: str = ""
    led_out: bool = False


def reached(session: Session, ways: Ways) -> frozenset[Reached]:
    """The units that the trace of a play shows to be reached."""
    follower = _Follower(ways)
    for entry in session.entries:
        follower.follow(entry)
    if isinstance(session.outcome, Ended):
        follower.shrink(0)
    return frozenset(follower.reached)


def cited(entries: Iterable[Entry], ways: Ways) -> Iterator[str]:
    """The clauses in the margins of what happened."""
    for each in entries:
        yield from each.cites
        yield from ways.cites.get(each.address, ())
        for name in each.enclosing:
            yield from ways.bodies.get(name, ())
        for row in each.rows:
            if row.outcome in _JUDGED:
                yield from row.cites
        yield from cited(each.inner, ways)


def come_to(entries: Iterable[Entry], ways: Ways) -> Iterator[Span]:
    """The places of the lines that have an entry of any sort."""
    for each in entries:
        if each.address in ways.lines:
            yield ways.lines[each.address].span
        yield from come_to(each.inner, ways)


class _Follower:
    def __init__(self, ways: Ways) -> None:
        self.reached: set[Reached] = set()
        self._ways = ways
        self._calls: list[_Call] = []

    def follow(self, entry: Entry) -> None:
        self.shrink(len(entry.enclosing))
        while len(self._calls) < len(entry.enclosing):
            self._calls.append(_Call())
        match entry.sort:
            case "step" | "passed over":
                self._arrive(entry)
            case "handler" | "rule":
                self.reached.add((f"{entry.sort}s", entry.address))
        line = self._ways.lines.get(entry.address)
        if line is not None and entry.sort not in {"skipped", "visited", "handler ended", "rule ended"}:
            self._line(line, entry)

    def shrink(self, depth: int) -> None:
        """Ends the calls deeper than that; where nothing led out, they came to the end of their last step."""
        while len(self._calls) > depth:
            self._end_step(self._calls.pop())

    def _end_step(self, call: _Call) -> None:
        if call.step and not call.led_out:
            self.reached.add(("edges", f"{call.step} ends"))

    def _arrive(self, entry: Entry) -> None:
        call = self._calls[-1]
        self._end_step(call)
        call.led_out = False
        if entry.sort == "step":
            call.step = entry.address
            self.reached.add(("steps", entry.address))
        else:
            call.step = ""
            self.reached.add(("edges", f"{entry.address} passed over"))

    def _line(self, line: st.Statement, entry: Entry) -> None:
        self.reached.add(("lines", line.address))
        for name in self._ways.openings.get(line.address, ()):
            self.reached.add(("edges", name))
        match line:
            case st.Proceed(step=step):
                self.reached.add(("edges", f"{line.address} to {step}"))
                self._lead_out(len(self._calls) - 1)
            case st.Finish():
                self.reached.add(("edges", f"{line.address} {LEAVES}"))
                self._lead_out(len(self._calls) - 1)
            case st.FinishOuter(procedure=procedure):
                self.reached.add(("edges", f"{line.address} {LEAVES}"))
                self._lead_out(max(at for at, name in enumerate(entry.enclosing) if name == procedure))
            case st.Stop():
                self.reached.add(("edges", f"{line.address} {LEAVES}"))
            case st.Ask(shape=st.Whether()) if entry.sort == "answer" and not entry.forced:
                self.reached.add(("answers", f"{line.address} {'yes' if entry.result else 'no'}"))
            case st.Ask(shape=st.Choose()) if entry.sort == "answer":
                option = self._ways.options[line.address].get(entry.result)
                if option is not None:
                    self.reached.add(("options", option))

    def _lead_out(self, depth: int) -> None:
        for call in self._calls[depth:]:
            call.led_out = True


@dataclass(frozen=True)
class Played:
    """A case with what it reached."""

    result: Result  # what came of it
    listing: Listing | None = None  # the units of its ruleset, overlays applied; none where it was not played
    reached: frozenset[tuple[str, str]] = frozenset()  # sort and name of the units its trace shows
    heard: Heard = NOTHING  # its conditions and rows
    cited: frozenset[str] = frozenset()  # clauses in the margins of what happened
    loaded: Loaded | None = None  # its ruleset, overlays applied; none where it was skipped or its ruleset is wrong
    come_to: frozenset[Span] = frozenset()  # places of the lines that a play came to, also where nothing was done there
    work: int = 0  # steps of its longest play that came to an end


@dataclass(frozen=True)
class _Ruleset:
    loaded: Loaded
    listing: Listing
    ways: Ways
    ear: Ear


class Player:
    """Plays cases; rulesets are read and compiled once, to be listened to."""

    def __init__(self, provider: Provider) -> None:
        self._rulesets: dict[int, _Ruleset] = {}
        self._loaded: list[Loaded] = []
        self._overlays: set[str] = set()
        self.rules = Rules(provider, compiled=self._compiled)

    def of(self, played: Sequence[Played]) -> "Player":
        """The same, as if only these cases had been played."""
        loaded = [each.loaded for each in played if each.loaded is not None]
        part = Player(self.rules.provider)
        part.rules = self.rules
        part._rulesets = {
            number: each for number, each in self._rulesets.items() if any(each.loaded is one for one in loaded)
        }
        part._loaded = [each for each in self._loaded if any(each is one for one in loaded)]
        part._overlays = {one.text for each in played for one in each.result.case.overlays}
        return part

    @property
    def documents(self) -> tuple[TracedDocument, ...]:
        """The documents of the rulesets played, each once."""
        found = [each for one in self._loaded if one.linked for each in trace(one.linked).documents]
        return tuple({each.name: each for each in reversed(found)}.values())

    @property
    def listings(self) -> tuple[Listing, ...]:
        """The units of the rulesets played."""
        return tuple(each.listing for each in self._rulesets.values())

    @cached_property
    def _homes(self) -> frozenset[str]:
        """The folders of the rulesets played and of the overlays that scenarios name."""
        return frozenset(_folder(each) for each in self._named)

    @property
    def _named(self) -> Iterator[str]:
        yield from (next(iter(each.texts)) for each in self._loaded)
        yield from (each for each in self._overlays if each in self.rules.texts)

    def is_home(self, text: str) -> bool:
        """Whether a text of this name stands in the folder of a ruleset or overlay played; asked when all were."""
        return _folder(text) in self._homes

    def played(self, cases: Sequence[Case], step: Callable[[], None]) -> Iterator[Played]:
        """What each case reached, in order; `step` is called after each."""
        for case in cases:
            yield self._played(case)
            step()

    def _loaded_of(self, case: Case) -> Loaded | None:
        """The ruleset of a case of which nothing was played."""
        ruled = None if case.skip or case.wrong else self.rules.of(case).value
        return None if ruled is None else self._rulesets[id(ruled.executable)].loaded

    def _compiled(self, loaded: Loaded) -> Executable:
        assert loaded.program is not None
        units = listing(loaded.program)
        ear = Ear(units)
        executable = compile_program(loaded.program, traced=True, probes=ear.probes())
        self._rulesets[id(executable)] = _Ruleset(loaded, units, ways_of(loaded.program), ear)
        self._loaded.append(loaded)
        return executable

    def _played(self, case: Case) -> Played:
        self._overlays.update(each.text for each in case.overlays)
        sessions: list[Session] = []
        result = play(case, self.rules, sessions.append)
        if not sessions:
            return Played(result, loaded=self._loaded_of(case))
        ruleset = self._rulesets[id(sessions[0].begun.executable)]
        found = {each for session in sessions for each in reached(session, ruleset.ways)}
        found |= {each for session in sessions for each in _settings(session)}
        heard, invariants = ruleset.ear.taken(), ruleset.listing.program.invariants
        clauses = {each for session in sessions for each in cited(session.entries, ruleset.ways)}
        clauses |= {each for name in heard.judged for each in invariants[name].cites}
        lines = frozenset(each for session in sessions for each in come_to(session.entries, ruleset.ways))
        return Played(
            result=result,
            listing=ruleset.listing,
            reached=frozenset(found),
            heard=heard,
            cited=frozenset(clauses),
            loaded=ruleset.loaded,
            come_to=lines,
            work=_work(sessions),
        )


def played_in(suites: Iterable[Suite], played: Iterable[Played]) -> list[Played]:
    """Those of some cases that stand in some scenario files."""
    files = {case.file for suite in suites for case in suite.cases}
    return [each for each in played if each.result.case.file in files]


def _folder(text: str) -> str:
    return posixpath.normpath(posixpath.dirname(text) or ".")


def _work(sessions: Sequence[Session]) -> int:
    ended = (each.outcome.state for each in sessions if isinstance(each.outcome, Ended))
    return max((each.work + each.visited for each in ended), default=0)


def _settings(session: Session) -> Iterator[tuple[str, str]]:
    program = session.begun.executable.program
    for name, value in session.begun.situation.base.settings.items():
        yield "settings", f"{name} {settings_value(value, program.settings[name], program)}"
