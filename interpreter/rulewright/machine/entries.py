"""The record of a stretch of a run: cheap tuples, made into entries when somebody looks."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar, overload

from rulewright.machine.concealed import Concealed
from rulewright.machine.executable import Executable
from rulewright.machine.request import Reason
from rulewright.machine.source_point import JUDGED, Site
from rulewright.machine.trace import BEGINS, ENDS, Change, DieThrown, Entry, Judged, Reading
from rulewright.machine.values import Value
from rulewright.machine.world import CONTROL, ENTRY, RECORD, ROLLS, STACK, UNREAD, World
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.expressions import Binding, Membership
from rulewright.program.rows import ConditionRow

_Raw = tuple[Any, ...]
_Found = TypeVar("_Found")
_WINDOW = frozenset({"handler", "handlers", "taker"})
_FLAGS = frozenset({"test", "need", "step", "passed over"})
_ANSWERED = frozenset({"answer", "roll"})
_FUNCTIONS = frozenset({"term", "tally", "decide", "table"})
_CAME = {"taken": "decided", "applied": "applied"}


def _stands_alone(site: Site) -> bool:
    """Whether what happens at a place is an entry of its own, and not inside that of a line."""
    return site.line or site.sort == "reason"


class Renderer:
    """Makes entries of one program's records."""

    def __init__(self, executable: Executable, rolls: tuple[Any, ...] = ()) -> None:
        self._executable = executable
        self._rolls = rolls
        self._enclosing: tuple[str, ...] = ()

    def entries(
        self, raw: list[_Raw], enclosing: tuple[str, ...], since: int = 0, asked: int | None = None
    ) -> tuple[Entry, ...]:
        """The entries of a part of a record, in order; what expressions read stands inside the entry of their line.

        What was read for a request was recorded before place `asked`, and stands inside the entry of its answer.
        """
        self._enclosing = enclosing
        done: list[Entry] = []
        inner: list[tuple[int, Entry]] = []
        for position, each in enumerate(raw, since):
            site = self._executable.sites[each[0]]
            start = each[1] if each[1] >= 0 else position
            if asked is not None and position >= asked and _stands_alone(site):
                start = since if site.sort in _ANSWERED else start
                asked = None
            if isinstance(site.node, st.Rank):  # it may have been left for a request since it gathered its members
                start = since
            mine: list[Entry] = []
            if inner and inner[-1][0] >= start:
                mine = [of for at, of in inner if at >= start]
                inner = [(at, of) for at, of in inner if at < start]
            entry = self._entry(site, each, mine)
            if _stands_alone(site):
                inner = []
                done.append(entry)
            else:
                inner.append((position, entry))
        return tuple(done)

    def _entry(self, site: Site, raw: _Raw, inner: list[Entry]) -> Entry:
        _, _, result, extra, *reads = raw
        owners = reads.pop(0) if site.sort in JUDGED else ()
        returned = _has_returned(extra)
        sort = sort_of(site, result, extra)
        if sort in ENDS:
            self._enclosing = self._enclosing[:-1]
        enclosing = self._enclosing
        if sort in BEGINS:
            self._enclosing = (*enclosing, _called(site))
        nothing = _draws_none(site, extra)
        type_ = ty.FLAG if sort in _FLAGS else None if nothing else site.type or self._given(site, sort)
        more = {} if extra is None or returned else self._more(site, extra)
        if type_ is not None and "dice" not in more and (dice := self._dice(result, type_)):
            more["dice"] = dice
        return Entry(
            sort=sort,
            address=site.address,
            cites=site.cites,
            enclosing=enclosing,
            title=site.title,
            result=result,
            type=type_,
            reads=self._read(site.reads, reads) if reads else (),
            owners=self._read(site.owners, owners) if owners else (),
            inner=_once(inner, {each.address for each in inner}),
            withheld=self._executable.concealed.withheld(site.node) if site.line else "",
            node=site.node,
            rolls=self._rolls,
            **more,
        )

    def _more(self, site: Site, extra: Any) -> dict[str, Any]:  # noqa: C901, PLR0911
        """What only some entries have, by attribute."""
        match site.sort:
            case "line" if isinstance(extra, list):
                rows = site.node.keys if isinstance(site.node, st.Rank) else site.node.rows
                return _judged(rows, extra, site.node)
            case "line":
                return {"changes": (self._change(site, *extra),)}
            case sort if sort in _FUNCTIONS:
                _, judged = extra
                return _function_rows(site.node, judged)
            case "answer":
                player, forced, legal, *excluded = extra
                excluding = self._excluded(excluded[0]) if excluded and excluded[0] else ()
                return {"player": player, "forced": forced, "legal": _legal(site.node, legal), "excluded": excluding}
            case "roll":
                player, forced, dice, *before = extra
                return {"player": player, "forced": forced, "dice": _thrown(dice, *before)}
            case "some" | "no" if isinstance(extra, tuple) and extra and extra[0] == "looked":
                return {"rows": (_sought(site, extra[1]),)}
            case "some" | "no" | "every":
                return {"members": (extra,)}
            case "count":
                pool = isinstance(site.node.binding.source.type, ty.PoolType)
                return {"members": extra, "dice": self._lying(extra) if pool else ()}
            case "handler" | "rule" if isinstance(extra, tuple):
                bound = [each for each in site.node.binding.variables if each] if site.node.binding else []
                return {"members": extra[len(extra) - len(bound) :]} if bound else {}
            case "window" if len(extra) == 3 and extra[0] in _WINDOW:  # noqa: PLR2004
                return {"player": extra[1]}
            case _:
                return {}

    def _excluded(self, judged: tuple[tuple[Any, list[_Raw]], ...]) -> tuple[tuple[Any, Reason], ...]:
        """What could not be answered, with the reason."""
        inner = Renderer(self._executable, self._rolls)
        read = [(member, inner.entries(raw, ())[-1]) for member, raw in judged if raw]
        return tuple((member, replace(reason(each, self._executable.concealed), read=each)) for member, each in read)

    def _given(self, site: Site, sort: str) -> ty.Type | None:
        """The type of what an event was triggered with, a loop goes through, or a line passes over."""
        program = self._executable.program
        match site.node:
            case st.Trigger(event=event) if sort == "line":
                return ty.TupleType(tuple(each.type for each in program.events[event].parameters))
            case st.Finish(value=ex.Typed(type=type_)) | st.Match(subject=ex.Typed(type=type_)) if sort == "line":
                return type_
            case st.ForEach(binding=Binding(source=source)) if sort == "loop":
                return ty.SetType(item) if (item := ty.member_type(source.type)) else None
            case st.ForEach(binding=Binding(source=source)) if sort in {"skipped", "visited"}:
                return ty.member_type(source.type)
            case _:
                return None

    def _read(self, read: list[tuple[str, ty.Type]], values: Sequence[Any]) -> tuple[Reading, ...]:
        found = [
            Reading(text, value, type_, self._dice(value, type_))
            for (text, type_), value in zip(read, values, strict=False)
            if value is not UNREAD
        ]
        return _once(found, {each.text for each in found})

    def _dice(self, value: Any, type_: ty.Type) -> tuple[DieThrown, ...]:
        """How the dice that were read lay."""
        match type_:
            case ty.OptionalType(inner) if value is not None:
                return self._dice(value, inner)
            case ty.PoolType() if value < len(self._rolls):
                return _thrown(self._rolls[value])
            case ty.DieType() if value is not None:
                return self._lying((value,))
            case ty.SetType(ty.DieType()) | ty.ListType(ty.DieType()) | ty.BagType(ty.DieType()) if value is not None:
                return self._lying(value)
            case _:
                return ()

    def _lying(self, dice: tuple[tuple[int, int], ...]) -> tuple[DieThrown, ...]:
        return _thrown(self._rolls[roll][at] for roll, at in dice if roll < len(self._rolls))

    def _change(self, site: Site, place: str, key: Any, before: Any, after: Any) -> Change:
        written = _written(site.node)
        if written is None:
            return Change(place, key, before, after, self._type(place, key, site.routine))
        return Change(place, key, before, after, written.type, _parts(written))

    def _type(self, place: str, key: Any, routine: str) -> ty.Type:
        """The type of what changed; being gone and being related are flags."""
        stored = self._executable.layout.types.get(place)
        kept = None if stored else self._kept(place, routine)
        if isinstance(kept, ty.MapType) and key is not None:
            return kept.value
        return stored or kept or ty.FLAG

    def _kept(self, name: str, routine: str) -> ty.Type | None:
        """The type of a name of a routine."""
        program = self._executable.program
        routine = routine.rpartition(":")[2]
        found = program.procedures.get(routine) or program.handlers.get(routine) or program.rules.get(routine)
        variables = found.variables if found else ()
        return next((each.type for each in variables if each.name == name), None)


def _written(line: Any) -> st.Place | None:
    """The place that a line writes to: the entry or part, where it is one."""
    match line:
        case st.Assign(place=place) | st.AddAmount(place=place) | st.AddMember(place=place):
            return place
        case _:
            return None


def _parts(place: st.Place) -> tuple[str, ...]:
    """The names of the parts that lead to a place inside a record."""
    match place:
        case st.PartPlace(target=target, name=name):
            return (*_parts(target), name)
        case st.EntryPlace(target=target):
            return _parts(target)
        case _:
            return ()


def _has_returned(extra: Any) -> bool:
    return isinstance(extra, tuple) and len(extra) > 1 and extra[0] == "return"


def sort_of(site: Site, result: Any, extra: Any) -> str:
    """The sort of the entry that a recorded tuple makes."""
    if _has_returned(extra):
        return "return" if site.sort in {"call", "line"} else f"{site.sort} ended"
    if site.sort == "step":
        return "step" if result else "passed over"
    if site.sort == "line" and isinstance(site.node, st.ForEach):
        return "loop"
    if site.sort in {"window", "line"} and isinstance(extra, tuple) and extra and extra[0] in _WINDOW:
        return "answer"
    return site.sort


def _draws_none(site: Site, extra: Any) -> bool:
    """Whether nothing was left to draw."""
    return isinstance(site.node, st.Draw) and extra is None


def _called(site: Site) -> str:
    return site.node.procedure if isinstance(site.node, st.Perform) else site.address


def _thrown(dice: Iterable[_Raw], before: tuple[Any, ...] = ()) -> tuple[DieThrown, ...]:
    found = []
    for at, (sides, first, face, rerolls, kept, part, name, _, *origin) in enumerate(dice):
        earlier = before[at] if before else None
        source = origin[0] if origin else None
        found.append(DieThrown(first, face, kept, rerolls, st.die_name(sides, name), earlier, source, part))
    return tuple(found)


def _once(found: list[_Found], names: set[str]) -> tuple[_Found, ...]:
    """What was found, each once; where there are as many names, no two are alike."""
    return tuple(found if len(names) == len(found) else dict.fromkeys(found))


def _function_rows(function: Any, judged: list[Any]) -> dict[str, Any]:
    match getattr(function, "body", None):
        case d.Conditions(rows=rows) | d.Tally(rows=rows) | d.Decide(rows=rows) | d.Table(rows=rows):
            return _judged(rows, judged, function.body)
        case _:
            return {}


def _judged(rows: Any, judged: list[Any], of: Any) -> dict[str, Any]:
    """The rows as they went, and what a tally starts from, which stands before its first row."""
    found = tuple(_row(rows[position], outcome, of) for position, outcome in judged if position >= 0)
    return {"rows": found, "start": judged[0][1]} if judged and judged[0][0] < 0 else {"rows": found}


def _row(row: Any, outcome: Any, of: Any) -> Judged:
    match of:
        case d.Tally() | st.TallyLine():
            amount, changes = (None, False) if outcome is None else outcome
            word = "passed" if outcome is None else "applied" if changes else "idle"
            return Judged(row.id, row.address, row.title, row.cites, word, amount, row.change)
        case d.Conditions():
            return Judged(row.id, row.address, row.title, row.cites, "held" if outcome else "failed")
        case st.Rank():
            return Judged(row.id, row.address, row.title, row.cites, "parted" if outcome else "idle")
        case _:
            return Judged(row.id, row.address, row.title, row.cites, "taken" if outcome else "passed")


def _sought(site: Site, found: Any) -> Judged:
    """What a search for a pose came to: no proof where it found none."""
    return Judged("poses", site.address, "", (), "not found" if found is None else "found", found)


def _legal(line: Any, data: Any) -> tuple[Any, ...]:
    match getattr(line, "shape", None):
        case st.OneOf() | st.Choose():
            return tuple(data)
        case st.Whether():
            return tuple(data) or (True, False)
        case _:
            return ()


def reason(entry: Entry, concealed: Concealed) -> Reason:
    """The reason that a failed condition gives: in the author's words, or the condition itself with what it read.

    What lies in a bag or deck, and what was found there, is left out.
    """
    behind = isinstance(entry.node, st.Demand) and entry.node.prefer
    found = replace(_reason(entry), preferred=behind)
    if found.judged is None or not concealed.told(found.judged):
        return found
    return replace(found, judged=None, text=f"`{found.judged.title or found.text}` does not hold")


def _reason(entry: Entry) -> Reason:
    found = _failing(entry)
    titled = isinstance(entry.node, ConditionRow) and entry.node.title
    if found is not None and (found.judged is None or not titled):
        return found
    row = entry.node if isinstance(entry.node, ConditionRow) else None
    judged = None if row is not None and row.title else replace(entry, node=row.condition if row else entry.node)
    return Reason(entry.address, entry.title, entry.cites, judged=judged)


def asks_membership(entry: Entry) -> bool:
    """Whether the row that failed asks for membership alone, so that its words are true of whatever is no member."""
    node = entry.node.condition if isinstance(entry.node, ConditionRow) else entry.node
    for inner in reversed(entry.inner):
        failed = [row.id for row in inner.rows if row.outcome == "failed"]
        if inner.sort == "term" and inner.result is False and failed:
            node = next(each.condition for each in inner.node.body.rows if each.id == failed[-1])
            break
    return isinstance(node, Membership) and not node.negated


def _failing(entry: Entry) -> Reason | None:
    """The row that failed deepest in what a condition read, where a row did."""
    for inner in reversed(entry.inner):
        if inner.sort == "term" and inner.result is False:
            failed = [row for row in inner.rows if row.outcome == "failed"]
            deeper = _failing(inner)
            if deeper is not None and (deeper.judged is None or not (failed and failed[-1].title)):
                return deeper
            if failed:
                return _unmet(inner, failed[-1])
    return None


def _unmet(term: Entry, row: Judged) -> Reason:
    conditions = {each.id: each.condition for each in term.node.body.rows}
    judged = None if row.title else replace(term, sort="reason", node=conditions[row.id])
    return Reason(row.address, row.title or row.id, row.cites, judged=judged)


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


def _read_since(record: list[_Raw], executable: Executable) -> int:
    """Where at the end of a record that begins which was read for a request, and stands in no line yet."""
    since = len(record)
    while since and not _stands_alone(executable.sites[record[since - 1][0]]):
        since -= 1
    return since


def begin_record(world: World, executable: Executable) -> None:
    """Begins another stretch in a record of its own, which begins with what was read for the request."""
    record: list[_Raw] = world[RECORD]
    since = _read_since(record, executable)
    world[RECORD] = [(site, max(start - since, -1), *more) for site, start, *more in record[since:]]
    world[CONTROL].room -= ENTRY * (len(record) - len(world[RECORD]))
    begin_stretch(world)


def begin_stretch(world: World) -> None:
    """Begins another stretch."""
    control = world[CONTROL]
    control.since = len(world[RECORD] or ())
    control.enclosing = tuple([frame[1] for frame in world[STACK]])


class Record(Sequence[Entry]):
    """Entries of a stretch between two requests, in the order in which things happened."""

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
        self.work = work  # lines and rounds run from the beginning of the play to the end of the stretch
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
            since, renderer = self._told_since, Renderer(self._executable, self._rolls)
            self._entries = renderer.entries(self._record[since : self._until], around, since, self._since)
        return self._entries

    @property
    def _told_since(self) -> int:
        """Where that begins of which the entries tell: what was read for the request before is told with its answer."""
        return _read_since(self._record[: self._since], self._executable)

    @property
    def addresses(self) -> frozenset[str]:
        """Addresses of all lines and functions something happened at; cheaper than the entries."""
        if self._addresses is None:
            sites = self._executable.sites
            told = self._record[self._told_since : self._until]
            self._addresses = frozenset(sites[each[0]].address for each in told)
        return self._addresses

    @property
    def steps(self) -> tuple[tuple[str, bool], ...]:
        """Addresses of the steps in order, and whether they were entered or passed over; likewise cheaper."""
        met = ((self._executable.sites[each[0]], each[2]) for each in self._raw)
        return tuple((site.address, bool(result)) for site, result in met if site.sort == "step")

    @property
    def entered(self) -> Iterator[str]:
        """Steps that were entered, by address, and procedures performed, by name, in order; likewise cheaper."""
        for number, _, result, extra, *_ in self._raw:
            site = self._executable.sites[number]
            if site.sort == "step" and result:
                yield site.address
            elif site.sort == "call" and not _has_returned(extra):
                yield _called(site)

    def results(self, sorts: Container[str]) -> Iterator[tuple[str, Value]]:
        """Addresses of all entries of some sorts in order, with what came of each; likewise cheaper."""
        for number, _, result, extra, *_ in self._raw:
            site = self._executable.sites[number]
            if _stands_alone(site) and sort_of(site, result, extra) in sorts:
                yield site.address, result

    @property
    def judged(self) -> Iterator[tuple[str, str]]:
        """What lists of rows came to, in order, `decided`, `applied` or `counted`, of which address; likewise cheaper.

        What one line reads again and again is here each time, where an entry has it once.
        """
        for number, _, _, extra, *_ in self._raw:
            site = self._executable.sites[number]
            if extra is None or _has_returned(extra):
                continue
            if site.sort in _FUNCTIONS:
                of, rows = getattr(site.node, "body", None), _function_rows(site.node, extra[1]).get("rows", ())
            elif site.sort == "line" and isinstance(extra, list) and not isinstance(site.node, st.Rank):
                of, rows = site.node, _judged(site.node.rows, extra, site.node)["rows"]
            else:
                continue
            if isinstance(of, d.Tally | st.TallyLine):
                yield "counted", site.address
            taken = [(_CAME[each.outcome], each.address) for each in rows if each.outcome in _CAME]
            yield from (("decided", site.address) for word, _ in taken if word == "decided")
            yield from taken

    @property
    def secrets(self) -> tuple[tuple[str, bool], ...]:
        """Answers in order that only one player came to know, yes, or that were shown to all, no; likewise cheaper."""
        known, sites = self._executable.secrets, self._executable.sites
        met = (each for each in self._raw if each[0] in known) if known else ()
        return tuple(known[number] for number, _, _, extra, *_ in met if not _draws_none(sites[number], extra))

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
