"""JSON of a run, with values of measures; the form is `grammar/schemas/run.schema.json`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.diagnostics.renderings import encode_diagnostic
from rulewright.base.source import Text
from rulewright.documents.answers import answer_to_json, answer_type
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import NameTable
from rulewright.documents.request_schemas import request_schema
from rulewright.documents.state_json import state_to_json
from rulewright.play.session import AnsweredTurn, Session
from rulewright.play.turn_rendering import find_last_change
from rulewright.program import statements as st
from rulewright.program.board_geometry import POSE
from rulewright.program.declarations import Measure, Procedure, Program
from rulewright.program.types import FlagType, ThingType, Type, WordType
from rulewright.program.walk import map_address_spans
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import Fault
from rulewright.runtime.pending_question import count_request_answers
from rulewright.runtime.request import (
    Ended,
    Faulted,
    JudgedRow,
    RefusalReason,
    Refused,
    Request,
    StateChange,
    TraceEntry,
)
from rulewright.runtime.run import Paused
from rulewright.runtime.snapshot import MeasureEvaluator, make_measure_evaluator
from rulewright.runtime.state import State, list_changes, make_initial_state
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value
from rulewright.wording.condition_rendering import explain_skipped_step
from rulewright.wording.entry_rendering import map_key_type, render_reason

RUN_REPORT_VERSION = 1
_VISIT_WORDS = {"step": "run", "passed over": "skipped"}
_ENTRY_SORT_WORDS = {"passed over": "skipped step"}
_MAX_MEASURE_VALUES = 10_000


@dataclass(frozen=True)
class RunReport:
    """A run with its diagnostics."""

    session: Session
    diagnostics: Sequence[Diagnostic] = ()  # of the inputs
    texts: Mapping[str, Text] = field(default_factory=dict)  # that diagnostics refer to

    @cached_property
    def _program(self) -> Program:
        return self.session.start.executable.program

    @cached_property
    def _names(self) -> NameTable:
        return self.session.start.names

    @cached_property
    def _places_by_address(self) -> Mapping[str, dict[str, Any]]:
        result: dict[str, dict[str, Any]] = {}
        for address, span in map_address_spans(self._program).items():
            text = self.texts.get(span.source)
            position = text.get_position(span.start) if text else None
            result[address] = {
                "file": span.source,
                "line": position.line if position else None,
                "column": position.column if position else None,
            }
        return result

    def run_report_json(self, *, events: bool = True) -> dict[str, Any]:
        """The report, with or without its events."""
        start, sources = self.session.start, self.session.sources
        program = self._program
        return {
            "version": RUN_REPORT_VERSION,
            "ruleset": {"name": program.name, "revision": program.revision, "fingerprint": program.fingerprint},
            "procedure": start.procedure.name,
            "arguments": start.arguments_to_json(),
            "seed": sources.chance.seed if sources.is_chance_requested or self.session.has_used_seed else None,
            "policy": sources.policy_text or sources.policy,
            "outcome": self._outcome_word(),
            **self._ending_json(),
            "diagnostics": [encode_diagnostic(diagnostic, self.texts) for diagnostic in self.diagnostics],
            "path": [self._step_visit_json(entry) for entry in self.session.entries if entry.sort in _VISIT_WORDS],
            "never_reached": self._find_unreached_steps(),
            "rulings": [
                _last_address_part(entry.address).removeprefix("ruling.")
                for entry in self.session.entries
                if entry.sort == "ruling"
            ],
            "answers": [self._answered_turn_json(turn) for turn in self.session.turns],
            "events": [self._entry_json(entry) for entry in self.session.entries] if events else [],
        }

    def _outcome_word(self) -> str:
        match self.session.outcome:
            case Ended():
                return "ended"
            case Refused():
                return "refused"
            case Faulted():
                return "faulted"
            case Paused():
                return "unanswered"

    def _ending_json(self) -> dict[str, Any]:
        outcome = self.session.outcome
        procedure = self.session.start.procedure
        state = self.session.state
        result = outcome.result if isinstance(outcome, Ended) else None
        return {
            "result": None if procedure.result is None else self._value_json(result, procedure.result),
            "reasons": [self._reason_json(reason) for reason in outcome.reasons]
            if isinstance(outcome, Refused)
            else [],
            "fault": self._fault_json(outcome) if isinstance(outcome, Faulted) else None,
            "question": self._open_question_json(outcome.request) if isinstance(outcome, Paused) else None,
            "state": state_to_json(self.session.situation, self._program),
            "changes": [self._state_change_json(change) for change in self._list_changes(state)],
            "measures": self._measures_json(state),
        }

    def _list_changes(self, state: State | None) -> tuple[StateChange, ...]:
        if state is None:
            return ()
        return list_changes(make_initial_state(self.session.start.situation, state.layout), state)

    def _measures_json(self, state: State | None) -> dict[str, Json]:
        if state is None:
            return {}
        return measures_to_json(self.session.start.executable, state, self._names)

    def _value_json(self, value: Value, type_: Type) -> Json:
        return None if value is None else value_to_json(value, type_, self._names)

    def _reason_json(self, reason: RefusalReason) -> dict[str, Any]:
        return {
            "address": reason.address,
            "place": self._places_by_address.get(reason.address),
            "text": render_reason(reason, self._names),
            "cites": list(reason.cites),
        }

    def _fault_json(self, fault: Faulted) -> dict[str, Any]:
        return {
            "code": fault.code,
            "address": fault.address,
            "place": self._places_by_address.get(fault.address),
            "last_change": self._places_by_address.get(find_last_change(fault, self.session)),
            "message": fault.message,
            "reads": [{"text": text, "value": self._value_json(value, type_)} for text, value, type_ in fault.read],
        }

    def _request_json(self, request: Request) -> dict[str, Any]:
        return {
            "address": request.address,
            "place": self._places_by_address.get(
                request.question.line_address if request.question else request.address
            ),
            "sort": request.sort,
            "player": self._names.player_id(request.player) or None,
            "prompt": request.prompt,
            "cites": list(request.cites),
        }

    def _open_question_json(self, request: Request) -> dict[str, Any]:
        choices = [
            {
                "value": self._value_json(choice.value, answer_type(request)),
                "title": choice.title or self._names.word_title(choice.value, answer_type(request)),
                "reason": None if choice.reason is None else self._reason_json(choice.reason),
            }
            for choice in request.choices
        ]
        return {
            **self._request_json(request),
            "choices": choices,
            "possible": None if request.closed else _answer_count_json(request),
            "schema": None if request.closed else request_schema(request, self._names),
        }

    def _answered_turn_json(self, turn: AnsweredTurn) -> dict[str, Any]:
        answer = answer_to_json(turn.request, turn.answer.value, self._names)
        return {**self._request_json(turn.request), "answer": answer, "source": turn.answer.source}

    def _step_visit_json(self, entry: TraceEntry) -> dict[str, Any]:
        failed, readings = "", ""
        if entry.sort == "passed over":
            failed, readings = explain_skipped_step(entry, self._names.with_dice(entry.rolls))
        because = failed or (f"reading {readings}" if readings else "")
        return {
            "step": _last_address_part(entry.address),
            "address": entry.address,
            "outcome": _VISIT_WORDS[entry.sort],
            "because": because or None,
        }

    def _find_unreached_steps(self) -> list[str]:
        visited = {entry.address for entry in self.session.entries if entry.sort in _VISIT_WORDS}
        called = {self.session.start.procedure.name, *(address.partition("/")[0] for address in visited)}
        performed: list[Procedure] = [
            procedure for name, procedure in self._program.procedures.items() if name in called
        ]
        steps = [step.address for procedure in performed for step in procedure.steps]
        return [address for address in steps if address not in visited]

    def _entry_json(self, entry: TraceEntry) -> dict[str, Any]:
        return {
            "sort": _ENTRY_SORT_WORDS.get(entry.sort, entry.sort),
            "address": entry.address,
            "place": self._places_by_address.get(entry.address),
            "cites": list(entry.cites),
            "enclosing": list(entry.enclosing),
            "title": entry.title,
            "result": self._entry_result_json(entry),
            **_jump_target_json(entry),
            "forced": entry.forced,
            "hidden": entry.hidden,
            "legal": [] if entry.type is None else [self._value_json(item, entry.type) for item in entry.legal],
            "player": self._names.player_id(entry.player) or None,
            "dice": [
                {"first": die.first, "face": die.face, "kept": die.kept, "rerolls": die.rerolls}
                for die in (entry.dice if entry.sort == "roll" else ())
            ],
            "reads": [{"text": read.text, "value": self._value_json(read.value, read.type)} for read in entry.reads],
            "changes": [self._state_change_json(change) for change in entry.changes],
            "rows": [self._judged_row_json(row, entry) for row in entry.rows],
            "inner": [self._entry_json(trace_entry) for trace_entry in entry.inner],
        }

    def _entry_result_json(self, entry: TraceEntry) -> Json:
        if entry.type is not None:
            return self._value_json(entry.result, entry.type)
        return entry.result if isinstance(entry.result, bool | int | str) else None

    def _state_change_json(self, change: StateChange) -> dict[str, Any]:
        return {
            "place": change.place,
            "key": self._change_key_json(change),
            "before": self._value_json(change.before, change.type),
            "after": self._value_json(change.after, change.type),
        }

    def _change_key_json(self, change: StateChange) -> Json:
        """Id of a thing, cell as a list, pair as two ids, or null."""
        owner, _, name = change.place.rpartition("/")
        match change.key:
            case None:
                return None
            case int() as number if owner in self._program.kinds:
                return self._names.thing_id(owner, number)
            case (int() as first, int() as second) if change.place in self._program.relations:
                types = [parameter.type for parameter in self._program.relations[change.place].parameters]
                return [self._value_json(first, types[0]), self._value_json(second, types[1])]
            case key:
                type_ = map_key_type(owner, name, self._names)
                return _plain_json(key) if type_ is None else self._value_json(key, type_)

    def _judged_row_json(self, row: JudgedRow, entry: TraceEntry) -> dict[str, Any]:
        value = row.value
        shown = self._value_json(value, POSE) if row.outcome == "found" else None
        number = isinstance(value, int) and not isinstance(value, bool)
        typed = number if isinstance(entry.type, ThingType | WordType) else isinstance(value, tuple)
        return {
            "id": row.id,
            "address": row.address,
            "place": self._places_by_address.get(row.address),
            "title": row.title,
            "cites": list(row.cites),
            "outcome": row.outcome,
            "value": shown or (self._value_json(value, entry.type) if typed and entry.type else _plain_json(value)),
        }


def _answer_count_json(request: Request) -> dict[str, Any] | None:
    if request.sort not in {"pick", "split", "order"}:
        return None
    result = count_request_answers(request)
    return {"number": result.number, "exact": result.exact}


def _jump_target_json(entry: TraceEntry) -> dict[str, str | None]:
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


def _last_address_part(address: str) -> str:
    return address.rpartition("/")[2]


def _plain_json(value: Any) -> Json:  # numbers, flags and texts, and tuples of them
    match value:
        case tuple():
            return [_plain_json(item) for item in value]
        case None | bool() | int() | str():
            return value
        case _:
            return str(value)


_ArgumentChoices = tuple[tuple[str, Value], ...]


def measures_to_json(executable: Executable, state: State, names: NameTable) -> dict[str, Json]:
    """Values of measures by name; null where there is nothing to measure.

    A measure with parameters is a nested object by names of things, words and flags; it is left out if it has other
    parameters, or more than 10,000 combinations.
    """
    given = {
        name: _measure_argument_choices(measure, state, names) for name, measure in executable.program.measures.items()
    }
    opened = make_measure_evaluator(executable, state)
    return {
        name: _measure_table_json(executable.program.measures[name], parts, (), opened, names)
        for name, parts in given.items()
        if parts is not None and name in executable.measures
    }


def _measure_argument_choices(measure: Measure, state: State, names: NameTable) -> tuple[_ArgumentChoices, ...] | None:
    """None if a parameter has a type that is not enumerated, or too many values."""
    result: list[_ArgumentChoices] = []
    for parameter in measure.parameters:
        given = _argument_choices(parameter.type, state, names)
        if given is None:
            return None
        result.append(given)
    return tuple(result) if prod(map(len, result)) <= _MAX_MEASURE_VALUES else None


def _argument_choices(type_: Type, state: State, names: NameTable) -> _ArgumentChoices | None:
    match type_:
        case ThingType(kind):
            ids = enumerate(names.ids_of_kind(kind))
            return tuple((id_, number) for number, id_ in ids if not state.is_gone(kind, number))
        case WordType(values):
            return tuple((word, number) for number, word in enumerate(names.word_names(values)))
        case FlagType():
            return (("no", False), ("yes", True))
        case _:
            return None


def _measure_table_json(
    measure: Measure,
    parts: tuple[_ArgumentChoices, ...],
    before: tuple[Value, ...],
    of: MeasureEvaluator,
    names: NameTable,
) -> Json:
    if parts:
        return {name: _measure_table_json(measure, parts[1:], (*before, value), of, names) for name, value in parts[0]}
    try:
        value = of(measure.name, before)
    except Fault:
        return None
    return None if value is None else value_to_json(value, measure.type, names)
