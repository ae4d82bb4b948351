"""Trace of a stretch of a run: cheap tuples, made into entries on demand."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar, overload

from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.effects import get_state_place
from rulewright.program.expressions import Binding, ConditionRow, Membership
from rulewright.program.walk import get_changed_places, get_root_place
from rulewright.runtime.concealment import ConcealmentAnalysis
from rulewright.runtime.dice import BroughtDie, Die
from rulewright.runtime.event_engine import CALLED_SORTS, WindowAnswer
from rulewright.runtime.executable import Executable
from rulewright.runtime.frame_slots import FRAME_ROUTINE
from rulewright.runtime.request import (
    BEGIN_SORTS,
    CONDITION_SORTS,
    END_SORTS,
    JudgedRow,
    RefusalReason,
    RolledDie,
    SourcePoint,
    StateChange,
    TraceEntry,
    ValueRead,
)
from rulewright.runtime.values import Value
from rulewright.runtime.working_memory import (
    CONTROL,
    RECORD,
    ROLLS,
    STACK,
    TRACE_ENTRY_SIZE,
    UNREAD_VALUE,
    WorkingMemory,
)

_RawEntry = tuple[Any, ...]
_Item = TypeVar("_Item")
_FLAG_SORTS = frozenset({"test", "need", "step", "passed over"})
_ANSWER_SORTS = frozenset({"answer", "roll"})
_FUNCTION_SORTS = frozenset({"term", "tally", "decide", "table"})
_COUNTED_OUTCOMES = {"taken": "decided", "applied": "applied"}


def _is_own_entry(site: SourcePoint) -> bool:
    return site.line or site.sort == "reason"


class EntryBuilder:
    """Builds trace entries from the records of one program."""

    def __init__(self, executable: Executable, rolls: tuple[Any, ...] = ()) -> None:
        self._executable = executable
        self._rolls = rolls
        self._enclosing: tuple[str, ...] = ()

    def build_entries(
        self, raw: list[_RawEntry], enclosing: tuple[str, ...], since: int = 0, request_index: int | None = None
    ) -> tuple[TraceEntry, ...]:
        """Entries of a part of a record, in order; reads of expressions are nested in the entry of their line.

        Reads for a request were recorded before index `request_index`, and are nested in the entry of its answer.
        """
        self._enclosing = enclosing
        entries: list[TraceEntry] = []
        inner: list[tuple[int, TraceEntry]] = []
        for position, item in enumerate(raw, since):
            site = self._executable.sites[item[0]]
            start = item[1] if item[1] >= 0 else position
            if request_index is not None and position >= request_index and _is_own_entry(site):
                start = since if site.sort in _ANSWER_SORTS else start
                request_index = None
            if isinstance(site.node, st.Rank):  # a request may have intervened since it gathered its members
                start = since
            inner_entries: list[TraceEntry] = []
            if inner and inner[-1][0] >= start:
                inner_entries = [of for at, of in inner if at >= start]
                inner = [(at, of) for at, of in inner if at < start]
            entry = self._build_entry(site, item, inner_entries)
            if _is_own_entry(site):
                inner = []
                entries.append(entry)
            else:
                inner.append((position, entry))
        return tuple(entries)

    def _build_entry(self, site: SourcePoint, raw: _RawEntry, inner: list[TraceEntry]) -> TraceEntry:
        _, _, result, extra, *reads = raw
        owners = reads.pop(0) if site.sort in CONDITION_SORTS else ()
        returned = _has_returned(extra)
        sort = entry_sort(site, result, extra)
        if sort in END_SORTS:
            self._enclosing = self._enclosing[:-1]
        enclosing = self._enclosing
        if sort in BEGIN_SORTS:
            self._enclosing = (*enclosing, _called_procedure(site))
        nothing = _has_drawn_nothing(site, extra)
        type_ = ty.FLAG if sort in _FLAG_SORTS else None if nothing else site.type or self._type_from_node(site, sort)
        more = {} if extra is None or returned else self._build_optional_parts(site, extra)
        if type_ is not None and "dice" not in more and (dice := self._dice_of_value(result, type_)):
            more["dice"] = dice
        return TraceEntry(
            sort=sort,
            address=site.address,
            cites=site.cites,
            enclosing=enclosing,
            title=site.title,
            result=result,
            type=type_,
            reads=self._build_values_read(site.reads, reads) if reads else (),
            owners=self._build_values_read(site.owners, owners) if owners else (),
            inner=_without_duplicates(inner, {trace_entry.address for trace_entry in inner}),
            withheld=self._executable.concealment.withheld_part(site.node) if site.line else "",
            node=site.node,
            rolls=self._rolls,
            **more,
        )

    def _build_optional_parts(self, site: SourcePoint, extra: Any) -> dict[str, Any]:
        match site.sort:
            case "line" if isinstance(extra, list):
                rows = site.node.keys if isinstance(site.node, st.Rank) else site.node.rows
                return _build_judged_rows(rows, extra)
            case "line":
                return {"changes": (self._build_change(site, *extra),)}
            case sort if sort in _FUNCTION_SORTS:
                _, judged = extra
                return _build_function_rows(site.node, judged)
            case "answer":
                player, forced, legal, *excluded = extra
                excluding = self._build_exclusions(excluded[0]) if excluded and excluded[0] else ()
                return {
                    "player": player,
                    "forced": forced,
                    "legal": _listed_legal_answers(site.node, legal),
                    "excluded": excluding,
                }
            case "roll":
                player, forced, dice, *before = extra
                return {"player": player, "forced": forced, "dice": _build_dice(dice, *before)}
            case "some" | "no" if isinstance(extra, tuple) and extra and extra[0] == "looked":
                return {"rows": (_build_pose_search_row(site, extra[1]),)}
            case "some" | "no" | "every":
                return {"members": (extra,)}
            case "count":
                pool = isinstance(site.node.binding.source.type, ty.PoolType)
                return {"members": extra, "dice": self._dice_at_positions(extra) if pool else ()}
            case "handler" | "rule" if isinstance(extra, tuple):
                bound = [variable for variable in site.node.binding.variables if variable] if site.node.binding else []
                return {"members": extra[len(extra) - len(bound) :]} if bound else {}
            case "window" if isinstance(extra, WindowAnswer):
                return {"player": extra.player}
            case _:
                return {}

    def _build_exclusions(
        self, judged: tuple[tuple[Any, list[_RawEntry]], ...]
    ) -> tuple[tuple[Any, RefusalReason], ...]:
        inner = EntryBuilder(self._executable, self._rolls)
        read = [(member, inner.build_entries(raw, ())[-1]) for member, raw in judged if raw]
        return tuple(
            (member, replace(build_reason(trace_entry, self._executable.concealment), read=trace_entry))
            for member, trace_entry in read
        )

    def _type_from_node(self, site: SourcePoint, sort: str) -> ty.Type | None:
        program = self._executable.program
        match site.node:
            case st.Trigger(event=event) if sort == "line":
                return ty.TupleType(tuple(parameter.type for parameter in program.events[event].parameters))
            case st.Finish(value=ex.Typed(type=type_)) | st.Match(subject=ex.Typed(type=type_)) if sort == "line":
                return type_
            case st.ForEach(binding=Binding(source=source)) if sort == "loop":
                return ty.SetType(item) if (item := ty.get_member_type(source.type)) else None
            case st.ForEach(binding=Binding(source=source)) if sort in {"skipped", "visited"}:
                return ty.get_member_type(source.type)
            case _:
                return None

    def _build_values_read(self, read: list[tuple[str, ty.Type]], values: Sequence[Any]) -> tuple[ValueRead, ...]:
        result = [
            ValueRead(text, value, type_, self._dice_of_value(value, type_))
            for (text, type_), value in zip(read, values, strict=False)
            if value is not UNREAD_VALUE
        ]
        return _without_duplicates(result, {value_read.text for value_read in result})

    def _dice_of_value(self, value: Any, type_: ty.Type) -> tuple[RolledDie, ...]:
        match type_:
            case ty.OptionalType(inner) if value is not None:
                return self._dice_of_value(value, inner)
            case ty.PoolType() if value < len(self._rolls):
                return _build_dice(self._rolls[value])
            case ty.DieType() if value is not None:
                return self._dice_at_positions((value,))
            case ty.SetType(ty.DieType()) | ty.ListType(ty.DieType()) | ty.BagType(ty.DieType()) if value is not None:
                return self._dice_at_positions(value)
            case _:
                return ()

    def _dice_at_positions(self, dice: tuple[tuple[int, int], ...]) -> tuple[RolledDie, ...]:
        return _build_dice(self._rolls[roll][at] for roll, at in dice if roll < len(self._rolls))

    def _build_change(self, site: SourcePoint, place: str, key: Any, before: Any, after: Any) -> StateChange:
        for written in () if site.node is None else get_changed_places(site.node):
            if _name_changed_place(written) == place:
                return StateChange(place, key, before, after, written.type, _record_part_names(written))
        return StateChange(place, key, before, after, self._changed_type(place, key, site.routine))

    def _changed_type(self, place: str, key: Any, routine: str) -> ty.Type:
        stored = self._executable.layout.types.get(place)
        variable_type = None if stored else self._routine_variable_type(place, routine)
        if isinstance(variable_type, ty.MapType) and key is not None:
            return variable_type.value
        return stored or variable_type or ty.FLAG

    def _routine_variable_type(self, name: str, routine: str) -> ty.Type | None:
        program = self._executable.program
        routine = routine.rpartition(":")[2]
        result = program.procedures.get(routine) or program.handlers.get(routine) or program.rules.get(routine)
        variables = result.variables if result else ()
        return next((variable.type for variable in variables if variable.name == name), None)


def _name_changed_place(place: st.Place) -> str:
    """What a trace calls a place that a line changes: the name of a variable, or the state that holds it."""
    root = get_root_place(place)
    return root.variable.name if isinstance(root, st.VariablePlace) else next(iter(get_state_place(root)))


def _record_part_names(place: st.Place) -> tuple[str, ...]:
    match place:
        case st.PartPlace(target=target, name=name):
            return (*_record_part_names(target), name)
        case st.EntryPlace(target=target):
            return _record_part_names(target)
        case _:
            return ()


def _has_returned(extra: Any) -> bool:
    return isinstance(extra, tuple) and len(extra) > 1 and extra[0] == "return"


def entry_sort(site: SourcePoint, result: Any, extra: Any) -> str:
    """Sort of the entry for a recorded tuple."""
    if _has_returned(extra):
        return "return" if site.sort in {"call", "line"} else f"{site.sort} ended"
    if site.sort == "step":
        return "step" if result else "passed over"
    if site.sort == "line" and isinstance(site.node, st.ForEach):
        return "loop"
    if site.sort in {"window", "line"} and isinstance(extra, WindowAnswer):
        return "answer"
    return site.sort


def _has_drawn_nothing(site: SourcePoint, extra: Any) -> bool:
    return isinstance(site.node, st.Draw) and extra is None


def _called_procedure(site: SourcePoint) -> str:
    return site.node.procedure if isinstance(site.node, st.Perform) else site.address


def _build_dice(dice: Iterable[Die | BroughtDie], before: tuple[Any, ...] = ()) -> tuple[RolledDie, ...]:
    result = []
    for at, thrown in enumerate(dice):
        die, origin = thrown if isinstance(thrown, BroughtDie) else (thrown, None)
        earlier, called = before[at] if before else None, st.get_die_name(die.faces, die.model)
        result.append(RolledDie(die.first, die.face, die.kept, die.rerolls, called, earlier, origin, die.part))
    return tuple(result)


def _without_duplicates(items: list[_Item], names: set[str]) -> tuple[_Item, ...]:
    return tuple(items if len(names) == len(items) else dict.fromkeys(items))


def _build_function_rows(function: Any, judged: list[Any]) -> dict[str, Any]:
    match getattr(function, "body", None):
        case d.Conditions(rows=rows) | d.Tally(rows=rows) | d.Decide(rows=rows) | d.Table(rows=rows):
            return _build_judged_rows(rows, judged)
        case _:
            return {}


def _build_judged_rows(rows: Any, judged: list[Any]) -> dict[str, Any]:
    """The rows with their outcomes; for a tally also its start value, which stands before its first row."""
    result = tuple(_build_judged_row(rows[position], outcome) for position, outcome in judged if position >= 0)
    return {"rows": result, "start": judged[0][1]} if judged and judged[0][0] < 0 else {"rows": result}


def _build_judged_row(row: Any, outcome: Any) -> JudgedRow:
    match row:
        case ex.TallyRow():
            amount, changes = (None, False) if outcome is None else outcome
            word = "passed" if outcome is None else "applied" if changes else "idle"
            return JudgedRow(row.id, row.address, row.title, row.cites, word, amount, row.change)
        case ex.ConditionRow():
            return JudgedRow(row.id, row.address, row.title, row.cites, "held" if outcome else "failed")
        case st.RankKey():
            return JudgedRow(row.id, row.address, row.title, row.cites, "parted" if outcome else "idle")
        case _:
            return JudgedRow(row.id, row.address, row.title, row.cites, "taken" if outcome else "passed")


def _build_pose_search_row(site: SourcePoint, pose: Any) -> JudgedRow:
    return JudgedRow("poses", site.address, "", (), "not found" if pose is None else "found", pose)


def _listed_legal_answers(line: Any, data: Any) -> tuple[Any, ...]:
    match getattr(line, "shape", None):
        case st.OneOf() | st.Choose():
            return tuple(data)
        case st.Whether():
            return tuple(data) or (True, False)
        case _:
            return ()


def build_reason(entry: TraceEntry, concealed: ConcealmentAnalysis) -> RefusalReason:
    """Reason given by a failed condition: the author's words, or the condition itself with what it read.

    Concealed values are left out.
    """
    behind = isinstance(entry.node, st.Demand) and entry.node.prefer
    result = replace(_build_unmasked_reason(entry), preferred=behind)
    if result.judged is None or not concealed.reads_concealed_values(result.judged):
        return result
    return replace(result, judged=None, text=f"`{result.judged.title or result.text}` does not hold")


def _build_unmasked_reason(entry: TraceEntry) -> RefusalReason:
    result = _find_deepest_failure(entry)
    titled = isinstance(entry.node, ConditionRow) and entry.node.title
    if result is not None and (result.judged is None or not titled):
        return result
    row = entry.node if isinstance(entry.node, ConditionRow) else None
    judged = None if row is not None and row.title else replace(entry, node=row.condition if row else entry.node)
    return RefusalReason(entry.address, entry.title, entry.cites, judged=judged)


def is_membership_failure(entry: TraceEntry) -> bool:
    """Whether the failed row asks for membership alone, so that its words are true of every nonmember."""
    node = entry.node.condition if isinstance(entry.node, ConditionRow) else entry.node
    for inner in reversed(entry.inner):
        failed = [row.id for row in inner.rows if row.outcome == "failed"]
        if inner.sort == "term" and inner.result is False and failed:
            node = next(item.condition for item in inner.node.body.rows if item.id == failed[-1])
            break
    return isinstance(node, Membership) and not node.negated


def _find_deepest_failure(entry: TraceEntry) -> RefusalReason | None:
    for inner in reversed(entry.inner):
        if inner.sort == "term" and inner.result is False:
            failed = [row for row in inner.rows if row.outcome == "failed"]
            deeper = _find_deepest_failure(inner)
            if deeper is not None and (deeper.judged is None or not (failed and failed[-1].title)):
                return deeper
            if failed:
                return _build_row_reason(inner, failed[-1])
    return None


def _build_row_reason(term: TraceEntry, row: JudgedRow) -> RefusalReason:
    conditions = {item.id: item.condition for item in term.node.body.rows}
    judged = None if row.title else replace(term, sort="reason", node=conditions[row.id])
    return RefusalReason(row.address, row.title or row.id, row.cites, judged=judged)


RecordStretch = tuple[list[tuple[Any, ...]], int, int, tuple[int, ...], tuple[Any, ...], int]
"""Record, first and last index in it, enclosing routines at its start, rolls, work done."""


def current_stretch(world: WorkingMemory) -> RecordStretch:
    """What the run has recorded since the stretch began."""
    record, control = world[RECORD], world[CONTROL]
    if record is None:
        return empty_stretch(control.work)
    return record, control.since, len(record), control.enclosing, tuple(world[ROLLS]), control.work


def empty_stretch(work: int) -> RecordStretch:
    """A stretch of an untraced run."""
    return [], 0, 0, (), (), work


def _find_request_reads(record: list[_RawEntry], executable: Executable) -> int:
    """Index where the reads for the pending request begin: the tail of the record that belongs to no line yet."""
    since = len(record)
    while since and not _is_own_entry(executable.sites[record[since - 1][0]]):
        since -= 1
    return since


def restart_record(world: WorkingMemory, executable: Executable) -> None:
    """Begins another stretch in a new record, which begins with the reads for the request."""
    record: list[_RawEntry] = world[RECORD]
    since = _find_request_reads(record, executable)
    world[RECORD] = [(site, max(start - since, -1), *more) for site, start, *more in record[since:]]
    world[CONTROL].size_left -= TRACE_ENTRY_SIZE * (len(record) - len(world[RECORD]))
    start_stretch(world)


def start_stretch(world: WorkingMemory) -> None:
    control = world[CONTROL]
    control.since = len(world[RECORD] or ())
    control.enclosing = tuple([frame[FRAME_ROUTINE] for frame in world[STACK]])


class TraceRecord(Sequence[TraceEntry]):
    """Entries of a stretch between two requests, in order of time; the other properties are cheaper than entries."""

    __slots__ = ("_addresses", "_enclosing", "_entries", "_executable", "_record", "_rolls", "_start", "_stop", "work")

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
        self.work = work  # lines and rounds run from the beginning of the play to the end of the stretch
        self._rolls = rolls
        self._executable = executable
        self._record = record
        self._start = since
        self._stop = until
        self._enclosing = enclosing
        self._addresses: frozenset[str] | None = None
        self._entries: tuple[TraceEntry, ...] | None = None

    @property
    def _raw_entries(self) -> list[tuple[Any, ...]]:
        return self._record[self._start : self._stop]

    @property
    def entries(self) -> tuple[TraceEntry, ...]:
        if self._entries is None:
            flows = self._executable.tables.flows
            running = (flows[number] for number in self._enclosing if number >= 0)
            around = tuple(flow.name for flow in running if flow.sort in CALLED_SORTS)
            since, renderer = self._rendered_start, EntryBuilder(self._executable, self._rolls)
            self._entries = renderer.build_entries(self._record[since : self._stop], around, since, self._start)
        return self._entries

    @property
    def _rendered_start(self) -> int:
        """Index of the first rendered entry: reads for the previous request are rendered with its answer."""
        return _find_request_reads(self._record[: self._start], self._executable)

    @property
    def addresses(self) -> frozenset[str]:
        """Addresses of all lines and functions with an entry."""
        if self._addresses is None:
            sites = self._executable.sites
            rendered = self._record[self._rendered_start : self._stop]
            self._addresses = frozenset(sites[item[0]].address for item in rendered)
        return self._addresses

    @property
    def steps(self) -> tuple[tuple[str, bool], ...]:
        """Addresses of the steps in order, and whether each was entered or skipped."""
        met = ((self._executable.sites[raw_entry[0]], raw_entry[2]) for raw_entry in self._raw_entries)
        return tuple((site.address, bool(result)) for site, result in met if site.sort == "step")

    @property
    def entered_steps(self) -> Iterator[str]:
        """Entered steps, by address, and performed procedures, by name, in order."""
        for number, _, result, extra, *_ in self._raw_entries:
            site = self._executable.sites[number]
            if site.sort == "step" and result:
                yield site.address
            elif site.sort == "call" and not _has_returned(extra):
                yield _called_procedure(site)

    def list_results(self, sorts: Container[str]) -> Iterator[tuple[str, Value]]:
        """Addresses and results of all entries of some sorts, in order."""
        for number, _, result, extra, *_ in self._raw_entries:
            site = self._executable.sites[number]
            if _is_own_entry(site) and entry_sort(site, result, extra) in sorts:
                yield site.address, result

    @property
    def judged_rows(self) -> Iterator[tuple[str, str]]:
        """Outcomes of rows, in order: `decided`, `applied` or `counted`, and the address.

        Repeated reads of one line are repeated here, while an entry has them once.
        """
        for number, _, _, extra, *_ in self._raw_entries:
            site = self._executable.sites[number]
            if extra is None or _has_returned(extra):
                continue
            if site.sort in _FUNCTION_SORTS:
                of, rows = getattr(site.node, "body", None), _build_function_rows(site.node, extra[1]).get("rows", ())
            elif site.sort == "line" and isinstance(extra, list) and not isinstance(site.node, st.Rank):
                of, rows = site.node, _build_judged_rows(site.node.rows, extra)["rows"]
            else:
                continue
            if isinstance(next(iter(getattr(of, "rows", ())), None), ex.TallyRow):
                yield "counted", site.address
            counted = [
                (_COUNTED_OUTCOMES[row.outcome], row.address) for row in rows if row.outcome in _COUNTED_OUTCOMES
            ]
            yield from (("decided", site.address) for word, _ in counted if word == "decided")
            yield from counted

    @property
    def secret_answers(self) -> tuple[tuple[str, bool], ...]:
        """Answers in order that only one player came to know (yes), or that were shown to all (no)."""
        known, sites = self._executable.secret_sites, self._executable.sites
        met = (raw_entry for raw_entry in self._raw_entries if raw_entry[0] in known) if known else ()
        return tuple(known[number] for number, _, _, extra, *_ in met if not _has_drawn_nothing(sites[number], extra))

    @overload
    def __getitem__(self, index: int) -> TraceEntry: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TraceEntry, ...]: ...
    def __getitem__(self, index: int | slice) -> TraceEntry | tuple[TraceEntry, ...]:
        return self.entries[index]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[TraceEntry]:
        return iter(self.entries)
