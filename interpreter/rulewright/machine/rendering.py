"""Entries from the cheap tuples of a traced run.

A tuple is `(site, start, result, extra, values read…)`; `start` is the length of the record when the evaluation
began, or -1 where nothing inside was recorded. The form of `extra` depends on the sort of the site.
"""

from typing import Any, TypeVar

from rulewright.machine.executable import Executable
from rulewright.machine.site import Site
from rulewright.machine.trace import Change, DieThrown, Entry, Judged, Reading
from rulewright.machine.world import UNREAD
from rulewright.program import declarations as d
from rulewright.program import statements as st
from rulewright.program.types import FLAG, MapType, Type

_Raw = tuple[Any, ...]
_Found = TypeVar("_Found")
_WINDOW = frozenset({"handler", "handlers", "taker"})
_BEGINS = frozenset({"call", "handler", "rule"})
_ENDS = frozenset({"return", "handler ended", "rule ended"})
_FLAGS = frozenset({"test", "need", "step", "passed over"})
_FUNCTIONS = frozenset({"term", "tally", "decide", "table"})


class Renderer:
    """Makes entries of one program's records."""

    def __init__(self, executable: Executable) -> None:
        self._executable = executable
        self._enclosing: tuple[str, ...] = ()

    def entries(self, raw: list[_Raw], enclosing: tuple[str, ...]) -> tuple[Entry, ...]:
        """The entries of a record, in order; what expressions read stands inside the entry of their line."""
        self._enclosing = enclosing
        done: list[Entry] = []
        inner: list[tuple[int, Entry]] = []
        for position, each in enumerate(raw):
            site = self._executable.sites[each[0]]
            start = each[1] if each[1] >= 0 else position
            mine: list[Entry] = []
            if inner and inner[-1][0] >= start:
                mine = [of for at, of in inner if at >= start]
                inner = [(at, of) for at, of in inner if at < start]
            entry = self._entry(site, each, mine)
            if site.line or site.sort == "reason":
                inner = []
                done.append(entry)
            else:
                inner.append((position, entry))
        return tuple(done)

    def _entry(self, site: Site, raw: _Raw, inner: list[Entry]) -> Entry:
        _, _, result, extra, *reads = raw
        returned = isinstance(extra, tuple) and len(extra) > 1 and extra[0] == "return"
        sort = _sort(site, result, extra, returned=returned)
        if sort in _ENDS:
            self._enclosing = self._enclosing[:-1]
        enclosing = self._enclosing
        if sort in _BEGINS:
            self._enclosing = (*enclosing, _called(site))
        return Entry(
            sort=sort,
            address=site.address,
            cites=site.cites,
            enclosing=enclosing,
            title=site.title,
            result=result,
            type=FLAG if sort in _FLAGS else site.type,
            reads=_reads(site, reads) if reads else (),
            inner=_once(inner, {each.address for each in inner}),
            withheld=self._executable.concealed.withheld(site.node) if site.line else "",
            **({} if extra is None or returned else self._more(site, extra)),
        )

    def _more(self, site: Site, extra: Any) -> dict[str, Any]:  # noqa: ANN401, PLR0911
        """What only some entries have, by attribute."""
        match site.sort:
            case "line" if isinstance(extra, list):
                rows = site.node.keys if isinstance(site.node, st.Rank) else site.node.rows
                return {"rows": _rows(rows, extra, site.node)}
            case "line":
                return {"changes": (self._change(site, *extra),)}
            case sort if sort in _FUNCTIONS:
                _, judged = extra
                return {"rows": _function_rows(site.node, judged)}
            case "answer":
                player, forced, legal = extra
                return {"player": player, "forced": forced, "legal": _legal(site.node, legal)}
            case "roll":
                player, forced, dice = extra
                thrown = tuple(DieThrown(each[1], each[2], each[4], each[3]) for each in dice)
                return {"player": player, "forced": forced, "dice": thrown}
            case "some" | "no" if isinstance(extra, tuple) and extra and extra[0] == "looked":
                return {"rows": (_sought(site, extra[1]),)}
            case "window" if len(extra) == 3 and extra[0] in _WINDOW:  # noqa: PLR2004
                return {"player": extra[1]}
            case _:
                return {}

    def _change(self, site: Site, place: str, key: Any, before: Any, after: Any) -> Change:  # noqa: ANN401
        return Change(place, key, before, after, _written(site.node) or self._type(place, key, site.routine))

    def _type(self, place: str, key: Any, routine: str) -> Type:  # noqa: ANN401
        """The type of what changed; being gone and being related are flags."""
        stored = self._executable.layout.types.get(place)
        kept = None if stored else self._kept(place, routine)
        if isinstance(kept, MapType) and key is not None:
            return kept.value
        return stored or kept or FLAG

    def _kept(self, name: str, routine: str) -> Type | None:
        """The type of a name of a routine."""
        program = self._executable.program
        routine = routine.rpartition(":")[2]
        found = program.procedures.get(routine) or program.handlers.get(routine) or program.rules.get(routine)
        variables = found.variables if found else ()
        return next((each.type for each in variables if each.name == name), None)


def _written(line: Any) -> Type | None:  # noqa: ANN401
    """The type of the place that a line writes to: of the entry or part, where it is one."""
    match line:
        case st.Assign(place=place) | st.AddAmount(place=place) | st.AddMember(place=place):
            return place.type
        case _:
            return None


def _sort(site: Site, result: Any, extra: Any, *, returned: bool) -> str:  # noqa: ANN401
    if returned:
        return "return" if site.sort in {"call", "line"} else f"{site.sort} ended"
    if site.sort == "step":
        return "step" if result else "passed over"
    if site.sort == "line" and isinstance(site.node, st.ForEach):
        return "loop"
    if site.sort in {"window", "line"} and isinstance(extra, tuple) and extra and extra[0] in _WINDOW:
        return "answer"
    return site.sort


def _called(site: Site) -> str:
    return site.node.procedure if isinstance(site.node, st.Perform) else site.address


def _reads(site: Site, values: list[Any]) -> tuple[Reading, ...]:
    found = [
        Reading(text, value, type_)
        for (text, type_), value in zip(site.reads, values, strict=False)
        if value is not UNREAD
    ]
    return _once(found, {each.text for each in found})


def _once(found: list[_Found], names: set[str]) -> tuple[_Found, ...]:
    """What was found, each once; where there is a name for each, no two are alike."""
    return tuple(found if len(names) == len(found) else dict.fromkeys(found))


def _function_rows(function: Any, judged: list[Any]) -> tuple[Judged, ...]:  # noqa: ANN401
    match getattr(function, "body", None):
        case d.Conditions(rows=rows) | d.Tally(rows=rows) | d.Decide(rows=rows) | d.Table(rows=rows):
            return _rows(rows, judged, function.body)
        case _:
            return ()


def _rows(rows: Any, judged: list[tuple[int, Any]], of: Any) -> tuple[Judged, ...]:  # noqa: ANN401
    return tuple(_row(rows[position], outcome, of) for position, outcome in judged)


def _row(row: Any, outcome: Any, of: Any) -> Judged:  # noqa: ANN401
    match of:
        case d.Tally() | st.TallyLine():
            amount, changes = (None, False) if outcome is None else outcome
            word = "passed" if outcome is None else "applied" if changes else "idle"
            return Judged(row.id, row.address, row.title, row.cites, word, amount)
        case d.Conditions():
            return Judged(row.id, row.address, row.title, row.cites, "held" if outcome else "failed")
        case st.Rank():
            return Judged(row.id, row.address, row.title, row.cites, "parted" if outcome else "idle")
        case _:
            return Judged(row.id, row.address, row.title, row.cites, "taken" if outcome else "passed")


def _sought(site: Site, found: Any) -> Judged:  # noqa: ANN401
    """What a search for a pose came to: no proof where it found none."""
    return Judged("poses", site.address, "", (), "not found" if found is None else "found", found)


def _legal(line: Any, data: Any) -> tuple[Any, ...]:  # noqa: ANN401
    match getattr(line, "shape", None):
        case st.OneOf() | st.Choose():
            return tuple(data)
        case st.Whether():
            return tuple(data) or (True, False)
        case _:
            return ()
