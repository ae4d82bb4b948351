"""Coverage measurement: plays cases and collects the units each reached, from traces and probes of conditions and rows."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rulewright.base.files import FileProvider
from rulewright.base.source import Span
from rulewright.checker.clauses import TracedDocument, trace_clauses
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.play.session import Session
from rulewright.program import declarations as d, statements as st
from rulewright.program.expressions import DecideRow, TableRow
from rulewright.program.walk import (
    find_called_declaration,
    get_fallback,
    list_computed_rows,
    list_routines,
    walk_block_lines,
)
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.request import Ended, TraceEntry, ValueProbes
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.coverage_units import (
    LEAVES_DETAIL,
    UnitListing,
    first_address,
    format_setting_value,
    list_units,
    outermost_blocks,
)
from rulewright.scenarios.suite import CaseResult, ScenarioCase, Suite

PartOutcomes = tuple[bool | None, ...]
"""Outcomes of the atoms of a condition, left to right; `None` for one that was not evaluated."""
_JUDGED_OUTCOMES = frozenset({"held", "failed", "taken", "applied", "parted"})


@dataclass(frozen=True, slots=True)
class ConditionOutcome:
    """Outcome of one evaluation of a condition: its index in the program, its atoms, and the whole."""

    condition: int
    parts: PartOutcomes
    is_true: bool


@dataclass(frozen=True, slots=True)
class ProbeRecord:
    """Probe data of one case."""

    outcomes: frozenset[ConditionOutcome] = frozenset()
    rows: frozenset[str] = frozenset()  # addresses of evaluated rows
    judged: frozenset[str] = frozenset()  # names of invariants that were evaluated, for one member at least


EMPTY_RECORD = ProbeRecord()
"""Record of a case that was not played."""


class ConditionProbe:
    """Collector of probe events of one program."""

    def __init__(self, listing: UnitListing) -> None:
        self._numbers: dict[int, int] = {}
        self._condition_numbers: dict[int, int] = {}
        self._part_numbers: dict[int, tuple[int, int]] = {}
        self._row_numbers: dict[int, str] = {}
        self._current_parts: list[list[bool | None]] = []
        self._outcomes: set[ConditionOutcome] = set()
        self._rows: set[str] = set()
        self._judged: set[str] = set()
        for position, condition in enumerate(listing.conditions):
            self._current_parts.append([None] * len(condition.atoms))
            self._condition_numbers[self._number_node(condition.node)] = position
            for part, atom in enumerate(condition.atoms):
                if len(condition.atoms) > 1:
                    self._part_numbers[self._number_node(atom)] = position, part
        for row in list_computed_rows(listing.program):
            self._row_numbers[self._number_node(_row_value(row))] = row.address
        invariants = listing.program.invariants
        self._invariants = {self._number_node(invariant.condition): name for name, invariant in invariants.items()}

    def make_probes(self) -> ValueProbes:
        """Probes for the compiler of the program."""
        return ValueProbes(self._numbers, self._record_value)

    def take_record(self) -> ProbeRecord:
        """Record since the last call."""
        record = ProbeRecord(frozenset(self._outcomes), frozenset(self._rows), frozenset(self._judged))
        self._outcomes, self._rows, self._judged = set(), set(), set()
        return record

    def _number_node(self, node: object) -> int:
        return self._numbers.setdefault(id(node), len(self._numbers))

    def _record_value(self, number: int, value: Any) -> None:
        part = self._part_numbers.get(number)
        if part is not None:
            self._record_part(*part, is_true=bool(value))
        condition = self._condition_numbers.get(number)
        if condition is not None:
            self._outcomes.add(ConditionOutcome(condition, tuple(self._current_parts[condition]), bool(value)))
        row = self._row_numbers.get(number)
        if row is not None:
            self._rows.add(row)
        invariant = self._invariants.get(number)
        if invariant is not None:
            self._judged.add(invariant)

    def _record_part(self, condition: int, part: int, *, is_true: bool) -> None:
        """The first atom restarts the record of the condition, also after an aborted evaluation."""
        now = self._current_parts[condition]
        if part == 0:
            now[:] = [None] * len(now)
        now[part] = is_true


def _row_value(row: object) -> object:
    match row:
        case DecideRow(value=value) | TableRow(result=value):
            return value
        case _:
            return row.amount  # type: ignore[attr-defined]


UnitName = tuple[str, str]


@dataclass(frozen=True)
class TraceMap:
    """Tables of a program for reading traces, by address of the line."""

    lines: Mapping[str, st.Statement] = field(default_factory=dict)
    # edge into a case or `else` block, by its first line
    block_entries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, Mapping[object, str]] = field(default_factory=dict)  # options of a `choose`, by id
    # clauses of the procedures, events and externals that a line names
    cites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # clauses of procedures, handlers and standing rules, and of parts of procedures, by name
    bodies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def build_trace_map(program: d.Program) -> TraceMap:
    lines: dict[str, st.Statement] = {}
    options: dict[str, Mapping[object, str]] = {}
    openings: dict[str, tuple[str, ...]] = {}
    for block in outermost_blocks(program):
        for line in walk_block_lines(block):
            lines[line.address] = line
            for name, inside in _block_entrances(line):
                openings[first_address(inside)] = (*openings.get(first_address(inside), ()), name)
            if isinstance(line, st.Ask) and isinstance(line.shape, st.Choose):
                options[line.address] = {option.id: option.address for option in line.shape.options}
    cites = {address: _named_cites(line, program) for address, line in lines.items()}
    bodies = {routine.name: (*routine.cites, *_hold_cites(routine)) for routine in list_routines(program)}
    return TraceMap(lines, openings, options, cites, bodies)


def _hold_cites(routine: d.Routine) -> Iterator[str]:
    for part in routine.opening if isinstance(routine, d.Procedure) else ():
        if isinstance(part, d.Hold):
            yield from part.cites


def _named_cites(line: st.Statement, program: d.Program) -> tuple[str, ...]:
    return find_called_declaration(line, program).cites if isinstance(line, st.CallLine) else ()


def _block_entrances(line: st.Statement) -> Iterator[tuple[str, st.Block]]:
    if isinstance(line, st.Match):
        for number, case in enumerate(line.cases, 1):
            yield f"{line.address} case {number}", case.block
    elif get_fallback(line):
        yield f"{line.address} otherwise", get_fallback(line)


@dataclass
class _RunningCall:
    """Active call: its current step, and whether a line has already left that."""

    step: str = ""
    led_out: bool = False


def find_reached_units(session: Session, trace_map: TraceMap) -> frozenset[UnitName]:
    """Units that the trace of a play reaches."""
    follower = _TraceFollower(trace_map)
    for entry in session.entries:
        follower.follow_entry(entry)
    if isinstance(session.outcome, Ended):
        follower.end_calls(0)
    return frozenset(follower.reached)


def find_cited_clauses(entries: Iterable[TraceEntry], trace_map: TraceMap) -> Iterator[str]:
    """Clauses in the margins of the trace's entries."""
    for entry in entries:
        yield from entry.cites
        yield from trace_map.cites.get(entry.address, ())
        for name in entry.enclosing:
            yield from trace_map.bodies.get(name, ())
        for row in entry.rows:
            if row.outcome in _JUDGED_OUTCOMES:
                yield from row.cites
        yield from find_cited_clauses(entry.inner, trace_map)


def find_visited_spans(entries: Iterable[TraceEntry], trace_map: TraceMap) -> Iterator[Span]:
    """Spans of all lines with an entry."""
    for entry in entries:
        if entry.address in trace_map.lines:
            yield trace_map.lines[entry.address].span
        yield from find_visited_spans(entry.inner, trace_map)


class _TraceFollower:
    def __init__(self, trace_map: TraceMap) -> None:
        self.reached: set[UnitName] = set()
        self._trace_map = trace_map
        self._calls: list[_RunningCall] = []

    def follow_entry(self, entry: TraceEntry) -> None:
        self.end_calls(len(entry.enclosing))
        while len(self._calls) < len(entry.enclosing):
            self._calls.append(_RunningCall())
        match entry.sort:
            case "step" | "passed over":
                self._enter_step(entry)
            case "handler" | "rule":
                self.reached.add((f"{entry.sort}s", entry.address))
        line = self._trace_map.lines.get(entry.address)
        if line is not None and entry.sort not in {"skipped", "visited", "handler ended", "rule ended"}:
            self._take_line(line, entry)

    def end_calls(self, depth: int) -> None:
        """Ends calls deeper than `depth`; if nothing left their last step, its end was reached."""
        while len(self._calls) > depth:
            self._end_step(self._calls.pop())

    def _end_step(self, call: _RunningCall) -> None:
        if call.step and not call.led_out:
            self.reached.add(("edges", f"{call.step} ends"))

    def _enter_step(self, entry: TraceEntry) -> None:
        call = self._calls[-1]
        self._end_step(call)
        call.led_out = False
        if entry.sort == "step":
            call.step = entry.address
            self.reached.add(("steps", entry.address))
        else:
            call.step = ""
            self.reached.add(("edges", f"{entry.address} passed over"))

    def _take_line(self, line: st.Statement, entry: TraceEntry) -> None:
        self.reached.add(("lines", line.address))
        for name in self._trace_map.block_entries.get(line.address, ()):
            self.reached.add(("edges", name))
        match line:
            case st.Proceed(step=step):
                self.reached.add(("edges", f"{line.address} to {step}"))
                self._lead_out(len(self._calls) - 1)
            case st.Finish():
                self.reached.add(("edges", f"{line.address} {LEAVES_DETAIL}"))
                self._lead_out(len(self._calls) - 1)
            case st.FinishOuter(procedure=procedure):
                self.reached.add(("edges", f"{line.address} {LEAVES_DETAIL}"))
                self._lead_out(max(at for at, name in enumerate(entry.enclosing) if name == procedure))
            case st.Stop():
                self.reached.add(("edges", f"{line.address} {LEAVES_DETAIL}"))
            case st.Ask(shape=st.Whether()) if entry.sort == "answer" and not entry.forced:
                self.reached.add(("answers", f"{line.address} {'yes' if entry.result else 'no'}"))
            case st.Ask(shape=st.Choose()) if entry.sort == "answer":
                option = self._trace_map.options[line.address].get(entry.result)
                if option is not None:
                    self.reached.add(("options", option))

    def _lead_out(self, depth: int) -> None:
        for call in self._calls[depth:]:
            call.led_out = True


@dataclass(frozen=True)
class CoveredCase:
    """A case with the units it reached."""

    result: CaseResult
    listing: UnitListing | None = None  # units of its ruleset with overlays; `None` if not played
    reached: frozenset[tuple[str, str]] = frozenset()  # sort and name of the units in its trace
    record: ProbeRecord = EMPTY_RECORD
    cited: frozenset[str] = frozenset()  # clauses of the trace's entries
    loaded: LoadedRuleset | None = None  # its ruleset with overlays; `None` if skipped, or the ruleset has errors
    visited: frozenset[Span] = frozenset()  # spans of lines that a play reached, also without effect
    work: int = 0  # work of its longest play that ended


@dataclass(frozen=True)
class _ProbedRuleset:
    loaded: LoadedRuleset
    listing: UnitListing
    trace_map: TraceMap
    probe: ConditionProbe


class CoveragePlayer:
    """Player of cases on rulesets that are compiled once, with probes."""

    def __init__(self, provider: FileProvider) -> None:
        self._rulesets: dict[int, _ProbedRuleset] = {}
        self._loaded: list[LoadedRuleset] = []
        self._overlays: set[str] = set()
        self.loader = RulesetLoader(provider, compiler=self._compile_probed)

    def restrict_to(self, played: Sequence[CoveredCase]) -> "CoveragePlayer":
        """The player as if only these cases had been played."""
        loaded = [one.loaded for one in played if one.loaded is not None]
        part = CoveragePlayer(self.loader.provider)
        part.loader = self.loader
        part._rulesets = {
            number: probed_ruleset
            for number, probed_ruleset in self._rulesets.items()
            if any(probed_ruleset.loaded is one for one in loaded)
        }
        part._loaded = [each for each in self._loaded if any(each is one for one in loaded)]
        part._overlays = {one.text for each in played for one in each.result.case.overlays}
        return part

    @property
    def documents(self) -> tuple[TracedDocument, ...]:
        """Documents of the rulesets played, each once."""
        result = [document for one in self._loaded if one.linked for document in trace_clauses(one.linked).documents]
        return tuple({one.name: one for one in reversed(result)}.values())

    @property
    def listings(self) -> tuple[UnitListing, ...]:
        return tuple(ruleset.listing for ruleset in self._rulesets.values())

    @cached_property
    def _home_folders(self) -> frozenset[str]:
        return frozenset(_text_folder(one) for one in self._home_texts)

    @property
    def _home_texts(self) -> Iterator[str]:
        yield from (next(iter(one.texts)) for one in self._loaded)
        yield from (overlay for overlay in self._overlays if overlay in self.loader.texts)

    def is_home_text(self, text: str) -> bool:
        """Whether a text is in the folder of a ruleset or overlay played; valid once all cases are played."""
        return _text_folder(text) in self._home_folders

    def cover_cases(self, cases: Sequence[ScenarioCase], step: Callable[[], None]) -> Iterator[CoveredCase]:
        """Each case with the units it reached, in order; `step` is called after each."""
        for case in cases:
            yield self._cover_case(case)
            step()

    def _ruleset_of(self, case: ScenarioCase) -> LoadedRuleset | None:
        ruled = None if case.skip or case.problems else self.loader.compile_for_case(case).value
        return None if ruled is None else self._rulesets[id(ruled.executable)].loaded

    def _compile_probed(self, loaded: LoadedRuleset) -> Executable:
        assert loaded.program is not None
        units = list_units(loaded.program)
        ear = ConditionProbe(units)
        executable = compile_program(loaded.program, traced=True, probes=ear.make_probes())
        self._rulesets[id(executable)] = _ProbedRuleset(loaded, units, build_trace_map(loaded.program), ear)
        self._loaded.append(loaded)
        return executable

    def _cover_case(self, case: ScenarioCase) -> CoveredCase:
        self._overlays.update(overlay.text for overlay in case.overlays)
        sessions: list[Session] = []
        result = play_case(case, self.loader, sessions.append)
        if not sessions:
            return CoveredCase(result, loaded=self._ruleset_of(case))
        ruleset = self._rulesets[id(sessions[0].start.executable)]
        units = {one for session in sessions for one in find_reached_units(session, ruleset.trace_map)}
        units |= {item for session in sessions for item in _settings_used(session)}
        record, invariants = ruleset.probe.take_record(), ruleset.listing.program.invariants
        clauses = {one for session in sessions for one in find_cited_clauses(session.entries, ruleset.trace_map)}
        clauses |= {cite for name in record.judged for cite in invariants[name].cites}
        lines = frozenset(one for session in sessions for one in find_visited_spans(session.entries, ruleset.trace_map))
        return CoveredCase(
            result=result,
            listing=ruleset.listing,
            reached=frozenset(units),
            record=record,
            cited=frozenset(clauses),
            loaded=ruleset.loaded,
            visited=lines,
            work=_longest_work(sessions),
        )


def select_covered(suites: Iterable[Suite], played: Iterable[CoveredCase]) -> list[CoveredCase]:
    """Cases defined in the given files."""
    files = {case.file for suite in suites for case in suite.cases}
    return [one for one in played if one.result.case.file in files]


def _text_folder(text: str) -> str:
    return posixpath.normpath(posixpath.dirname(text) or ".")


def _longest_work(sessions: Sequence[Session]) -> int:
    ended = (session.outcome.state for session in sessions if isinstance(session.outcome, Ended))
    return max((state.work + state.visited for state in ended), default=0)


def _settings_used(session: Session) -> Iterator[tuple[str, str]]:
    program = session.start.executable.program
    for name, value in session.start.situation.base.settings.items():
        yield "settings", f"{name} {format_setting_value(value, program.settings[name], program)}"
