"""A run as JSON data, with what measures are worth; `grammar/schemas/run.schema.json` describes the form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from rulewright.codecs.table import to_json
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.renderings import diagnostic_json
from rulewright.drivers.session import Session, Turn
from rulewright.drivers.turns import last_change
from rulewright.inputs.answers import answer_json, answer_type
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.request_schemas import request_schema
from rulewright.inputs.state_json import state_json
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.question import count
from rulewright.machine.request import Ended, Faulted, Reason, Refused, Request
from rulewright.machine.run import Paused
from rulewright.machine.snapshot import Measuring, measuring
from rulewright.machine.state import State, changes, initial
from rulewright.machine.trace import Change, Entry, Judged
from rulewright.machine.values import Value
from rulewright.program import statements as st
from rulewright.program.declarations import Measure, Procedure, Program
from rulewright.program.plane import POSE
from rulewright.program.types import FlagType, ThingType, Type, WordType
from rulewright.program.walk import places
from rulewright.source import Text
from rulewright.telling.conditions import why_skipped
from rulewright.telling.happenings import reason as spoken
from rulewright.telling.values import key_type

VERSION = 1
_VISITS = {"step": "run", "passed over": "skipped"}
_SORTS = {"passed over": "skipped step"}
_MOST = 10_000


@dataclass(frozen=True)
class Report:
    """What a run came to."""

    session: Session  # the run
    diagnostics: Sequence[Diagnostic] = ()  # what was wrong with its inputs
    texts: Mapping[str, Text] = field(default_factory=dict)  # texts that diagnostics and places point into

    @cached_property
    def _program(self) -> Program:
        return self.session.begun.executable.program

    @cached_property
    def _names(self) -> Names:
        return self.session.begun.names

    @cached_property
    def _places(self) -> Mapping[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for address, span in places(self._program).items():
            text = self.texts.get(span.source)
            position = text.position(span.start) if text else None
            found[address] = {
                "file": span.source,
                "line": position.line if position else None,
                "column": position.column if position else None,
            }
        return found

    def document(self, *, events: bool = True) -> dict[str, Any]:
        """The whole report, with or without its events."""
        begun, sources = self.session.begun, self.session.sources
        program = self._program
        return {
            "version": VERSION,
            "ruleset": {"name": program.name, "revision": program.revision, "fingerprint": program.fingerprint},
            "procedure": begun.procedure.name,
            "arguments": begun.arguments_json(),
            "seed": sources.chance.seed if sources.insisted or self.session.threw else None,
            "policy": sources.told or sources.policy,
            "outcome": self._outcome(),
            **self._ending(),
            "diagnostics": [diagnostic_json(each, self.texts) for each in self.diagnostics],
            "path": [self._visit(entry) for entry in self.session.entries if entry.sort in _VISITS],
            "never_reached": self._never_reached(),
            "rulings": [
                _last(entry.address).removeprefix("ruling.") for entry in self.session.entries if entry.sort == "ruling"
            ],
            "answers": [self._answer(turn) for turn in self.session.turns],
            "events": [self._event(entry) for entry in self.session.entries] if events else [],
        }

    def _outcome(self) -> str:
        match self.session.outcome:
            case Ended():
                return "ended"
            case Refused():
                return "refused"
            case Faulted():
                return "faulted"
            case Paused():
                return "unanswered"

    def _ending(self) -> dict[str, Any]:
        """Result, reasons, fault and question; what is changed and the state at the end."""
        outcome = self.session.outcome
        procedure = self.session.begun.procedure
        state = self.session.state
        result = outcome.result if isinstance(outcome, Ended) else None
        return {
            "result": None if procedure.result is None else self._value(result, procedure.result),
            "reasons": [self._reason(each) for each in outcome.reasons] if isinstance(outcome, Refused) else [],
            "fault": self._fault(outcome) if isinstance(outcome, Faulted) else None,
            "question": self._open_question(outcome.request) if isinstance(outcome, Paused) else None,
            "state": state_json(state.situation() if state else self.session.begun.situation, self._program),
            "changes": [self._change(each) for each in self._changes(state)],
            "measures": self._measures(state),
        }

    def _changes(self, state: State | None) -> tuple[Change, ...]:
        if state is None:
            return ()
        return changes(initial(self.session.begun.situation, state.layout), state)

    def _measures(self, state: State | None) -> dict[str, Json]:
        if state is None:
            return {}
        return measured(self.session.begun.executable, state, self._names)

    def _value(self, value: Value, type_: Type) -> Json:
        return None if value is None else to_json(value, type_, self._names)

    def _reason(self, reason: Reason) -> dict[str, Any]:
        return {
            "address": reason.address,
            "place": self._places.get(reason.address),
            "text": spoken(reason, self._names),
            "cites": list(reason.cites),
        }

    def _fault(self, fault: Faulted) -> dict[str, Any]:
        return {
            "code": fault.code,
            "address": fault.address,
            "place": self._places.get(fault.address),
            "last_change": self._places.get(last_change(fault, self.session)),
            "message": fault.message,
            "reads": [{"text": text, "value": self._value(value, type_)} for text, value, type_ in fault.read],
        }

    def _question(self, request: Request) -> dict[str, Any]:
        return {
            "address": request.address,
            "place": self._places.get(request.question.line if request.question else request.address),
            "sort": request.sort,
            "player": self._names.player(request.player) or None,
            "prompt": request.prompt,
            "cites": list(request.cites),
        }

    def _open_question(self, request: Request) -> dict[str, Any]:
        """The question that nobody answered, with its options, why some are impossible, and its schema."""
        choices = [
            {
                "value": self._value(each.value, answer_type(request)),
                "title": each.title or self._names.title(each.value, answer_type(request)),
                "reason": None if each.reason is None else self._reason(each.reason),
            }
            for each in request.choices
        ]
        return {
            **self._question(request),
            "choices": choices,
            "possible": None if request.closed else _count(request),
            "schema": None if request.closed else request_schema(request, self._names),
        }

    def _answer(self, turn: Turn) -> dict[str, Any]:
        answer = answer_json(turn.request, turn.given.value, self._names)
        return {**self._question(turn.request), "answer": answer, "source": turn.given.source}

    def _visit(self, entry: Entry) -> dict[str, Any]:
        failed, readings = "", ""
        if entry.sort == "passed over":
            failed, readings = why_skipped(entry, self._names.holding(entry.rolls))
        because = failed or (f"reading {readings}" if readings else "")
        return {
            "step": _last(entry.address),
            "address": entry.address,
            "outcome": _VISITS[entry.sort],
            "because": because or None,
        }

    def _never_reached(self) -> list[str]:
        """Steps of every procedure that was performed, in order, which the run did not come to."""
        visited = {entry.address for entry in self.session.entries if entry.sort in _VISITS}
        called = {self.session.begun.procedure.name, *(address.partition("/")[0] for address in visited)}
        performed: list[Procedure] = [each for name, each in self._program.procedures.items() if name in called]
        steps = [step.address for each in performed for step in each.steps]
        return [address for address in steps if address not in visited]

    def _event(self, entry: Entry) -> dict[str, Any]:
        """One entry; its result is null where it has none."""
        return {
            "sort": _SORTS.get(entry.sort, entry.sort),
            "address": entry.address,
            "place": self._places.get(entry.address),
            "cites": list(entry.cites),
            "enclosing": list(entry.enclosing),
            "title": entry.title,
            "result": self._result(entry),
            **_leads(entry),
            "forced": entry.forced,
            "hidden": entry.hidden,
            "legal": [] if entry.type is None else [self._value(each, entry.type) for each in entry.legal],
            "player": self._names.player(entry.player) or None,
            "dice": [
                {"first": each.first, "face": each.face, "kept": each.kept, "rerolls": each.rerolls}
                for each in (entry.dice if entry.sort == "roll" else ())
            ],
            "reads": [{"text": each.text, "value": self._value(each.value, each.type)} for each in entry.reads],
            "changes": [self._change(each) for each in entry.changes],
            "rows": [self._row(each, entry) for each in entry.rows],
            "inner": [self._event(each) for each in entry.inner],
        }

    def _result(self, entry: Entry) -> Json:
        if entry.type is not None:
            return self._value(entry.result, entry.type)
        return entry.result if isinstance(entry.result, bool | int | str) else None

    def _change(self, change: Change) -> dict[str, Any]:
        return {
            "place": change.place,
            "key": self._key(change),
            "before": self._value(change.before, change.type),
            "after": self._value(change.after, change.type),
        }

    def _key(self, change: Change) -> Json:
        """A thing by its id, a cell as a list, a pair as two ids, or null."""
        owner, _, name = change.place.rpartition("/")
        match change.key:
            case None:
                return None
            case int() as number if owner in self._program.kinds:
                return self._names.thing(owner, number)
            case (int() as first, int() as second) if change.place in self._program.relations:
                types = [each.type for each in self._program.relations[change.place].parameters]
                return [self._value(first, types[0]), self._value(second, types[1])]
            case key:
                type_ = key_type(owner, name, self._names)
                return _plain(key) if type_ is None else self._value(key, type_)

    def _row(self, row: Judged, entry: Entry) -> dict[str, Any]:
        """A row; a word, thing or cell as its value is named by the type of its entry."""
        value = row.value
        shown = self._value(value, POSE) if row.outcome == "found" else None
        number = isinstance(value, int) and not isinstance(value, bool)
        typed = number if isinstance(entry.type, ThingType | WordType) else isinstance(value, tuple)
        return {
            "id": row.id,
            "address": row.address,
            "place": self._places.get(row.address),
            "title": row.title,
            "cites": list(row.cites),
            "outcome": row.outcome,
            "value": shown or (self._value(value, entry.type) if typed and entry.type else _plain(value)),
        }


def _count(request: Request) -> dict[str, Any] | None:
    """How many answers of a pick, split or order are possible: exactly, or at least."""
    if request.sort not in {"pick", "split", "order"}:
        return None
    found = count(request)
    return {"number": found.number, "exact": found.exact}


def _leads(entry: Entry) -> dict[str, str | None]:
    """Where a line leads that ends its step: to a step, or out of a procedure."""
    procedure = entry.address.partition("/")[0]
    match entry.node:
        case st.Proceed(step=step) if entry.sort == "line":
            return {"to": f"{procedure}/{step}", "ends": None}
        case st.Finish() if entry.sort == "line":
            return {"to": None, "ends": entry.enclosing[-1] if entry.enclosing else procedure}
        case st.FinishOuter(procedure=outer) if entry.sort == "line":
            return {"to": None, "ends": outer}
        case _:
            return {"to": None, "ends": None}


def _last(address: str) -> str:
    return address.rpartition("/")[2]


def _plain(value: Any) -> Json:  # numbers, flags and texts, and tuples of them
    match value:
        case tuple():
            return [_plain(each) for each in value]
        case None | bool() | int() | str():
            return value
        case _:
            return str(value)


_Given = tuple[tuple[str, Value], ...]


def measured(executable: Executable, state: State, names: Names) -> dict[str, Json]:
    """The values of all measures that the executable has, by name; null where there is nothing to measure.

    A measure with parameters has a value for each thing in play, word and flag, by their names, one inside the other;
    it is left out where it takes anything else, or more than 10 000 together.
    """
    given = {name: _all_given(each, state, names) for name, each in executable.program.measures.items()}
    opened = measuring(executable, state)
    return {
        name: _table(executable.program.measures[name], parts, (), opened, names)
        for name, parts in given.items()
        if parts is not None and name in executable.measures
    }


def _all_given(measure: Measure, state: State, names: Names) -> tuple[_Given, ...] | None:
    """What can be given to each parameter; none where that is not to be counted."""
    found: list[_Given] = []
    for each in measure.parameters:
        given = _given(each.type, state, names)
        if given is None:
            return None
        found.append(given)
    return tuple(found) if prod(map(len, found)) <= _MOST else None


def _given(type_: Type, state: State, names: Names) -> _Given | None:
    match type_:
        case ThingType(kind):
            ids = enumerate(names.ids(kind))
            return tuple((id_, number) for number, id_ in ids if not state.is_gone(kind, number))
        case WordType(values):
            return tuple((word, number) for number, word in enumerate(names.words(values)))
        case FlagType():
            return (("no", False), ("yes", True))
        case _:
            return None


def _table(measure: Measure, parts: tuple[_Given, ...], before: tuple[Value, ...], of: Measuring, names: Names) -> Json:
    if parts:
        return {name: _table(measure, parts[1:], (*before, value), of, names) for name, value in parts[0]}
    try:
        value = of(measure.name, before)
    except Fault:
        return None
    return None if value is None else to_json(value, measure.type, names)
