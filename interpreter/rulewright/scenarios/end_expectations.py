"""Expectations of the end of a play: state, changes, refusal, fault, result and measures."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from rulewright.documents.document_nodes import (
    FLAG_SPELLINGS,
    DocumentNode,
    Json,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    data_to_node,
    map_entries,
    merge_nodes,
)
from rulewright.documents.findings import InvalidValue, describe_choices, did_you_mean, quote_name, show_node
from rulewright.documents.name_table import GAME, REMOVED, NameTable
from rulewright.documents.state_file import parse_state
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_reader import ValueReader
from rulewright.play.session import Session, begin_session
from rulewright.program.declarations import Need
from rulewright.program.types import CellType, NumberType, Type, strip_optional
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import Fault
from rulewright.runtime.request import Ended, Faulted, Refused, StateChange
from rulewright.runtime.snapshot import make_measure_evaluator
from rulewright.runtime.state import Situation, list_changes, make_initial_state
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value
from rulewright.scenarios.case_opening import condition_number
from rulewright.scenarios.line_expectations import JudgingContext, change_position
from rulewright.scenarios.suite import UnmetExpectation
from rulewright.wording.entry_rendering import is_game_change, render_reason, show_place

_ENDING_PHRASES = {"refused": "the start is refused", "fault": "the play meets a fault", "ended": "the play ends"}


def judge_changes(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of `changes`, the complete difference: written values are reached, all else is as at the start.

    A value written as at the start must have differed in between: a scenario that says that something changes does not
    pass where nothing happens.
    """
    start = judging.session.start.situation
    written = judging.ruled.start_to_json(start)
    wrong = _find_state_differences(start, written, judging)
    began = {(one.place, one.key): one.before for one in _diff_to_end(start, judging)} if wrong else {}
    for change in wrong:
        before = began.get((change.place, change.key), change.after)
        yield _change_miss("changes", change, judging, partial(_describe_change, before, change, judging))
    unchanged = dict(_find_unchanged(judging, written))
    if not unchanged:
        return
    changed = (one for entry in judging.session.entries for one in entry.changes)
    moved = {show_place(one, judging.names) for one in (*wrong, *changed)}
    for place, value in unchanged.items():
        if place not in moved:
            shown = quote_name(value.written) if isinstance(value, ScalarNode) else show_node(value)
            got = f"stays {shown}; what only holds at the end stands under `state`"
            yield UnmetExpectation("changes", "a change", got, place)


def _find_unchanged(judging: JudgingContext, start: Json) -> Iterator[tuple[str, DocumentNode]]:
    """Written values of things and game fields that certainly equal the start, with their labels."""
    kinds = judging.ruled.sections.kinds
    for key, node in judging.entries:
        if key.text == GAME:
            yield from _unchanged_entries(node, _data_under(start, GAME), "")
        elif key.text in kinds:
            for id_, below in map_entries(node):
                yield from _unchanged_entries(
                    below, _data_under(start, kinds[key.text].plural, id_.text), f"{id_.text}."
                )


def _unchanged_entries(node: DocumentNode, start: Json, prefix: str) -> Iterator[tuple[str, DocumentNode]]:
    return (
        (f"{prefix}{key.text}", item)
        for key, item in map_entries(node)
        if isinstance(start, dict) and key.text in start and _is_equal_data(item, start[key.text])
    )


def _data_under(data: Json, *keys: str) -> Json:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def judge_state(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of `state`, a part of the final state."""
    assert judging.session.state is not None
    end = judging.session.state.extract_situation()
    wrong = _find_state_differences(end, state_to_json(end, judging.program), judging)
    yield from (_change_miss("state", one, judging, partial(_show_changed_value, one, judging)) for one in wrong)


def _find_state_differences(
    base: Situation, base_data: dict[str, Json], judging: JudgingContext
) -> tuple[StateChange, ...]:
    """Differences between the end and a base (with its data) under a written overlay."""
    end = judging.session.state
    assert end is not None
    nobody: dict[str, Json] = {relation: [] for relation in (*judging.program.relations, REMOVED)}
    if is_end_reached(
        judging.node,
        nobody | base_data,
        nobody | state_to_json(end.extract_situation(), judging.program, (base, base_data)),
    ):
        return ()
    if not _check_known_things(judging, base):
        return ()
    result = parse_state(merge_nodes(data_to_node(base_data), judging.node), judging.program)
    if result.value is None:
        judging.findings.collected.extend(result.diagnostics)
        return ()
    return tuple(_diff_to_end(result.value, judging))


def _diff_to_end(start: Situation, judging: JudgingContext) -> Iterator[StateChange]:
    end = judging.session.state
    assert end is not None
    yield from (one for one in list_changes(make_initial_state(start, end.layout), end) if is_game_change(one))


def _change_miss(
    what: str, change: StateChange, judging: JudgingContext, describe: Callable[[Value], str]
) -> UnmetExpectation:
    moment = change_position(judging.session, change.place, change.key, change.before)
    place, cells = show_place(change, judging.names), _changed_cells(change, judging)
    return UnmetExpectation(what, describe(change.before), describe(change.after), place, moment, wrong_cells=cells)


def _changed_cells(change: StateChange, judging: JudgingContext) -> tuple[Any, ...]:
    """Cells that differ: where a thing was to be and where it is, a cell itself, the two of a side."""
    owner, _, name = change.place.rpartition("/")
    if owner in judging.program.boards and isinstance(change.key, tuple):
        return change.key if isinstance(change.key[0], tuple) else (change.key,)
    is_place = name == "at" and isinstance(strip_optional(change.type), CellType)
    return tuple(item for item in (change.before, change.after) if is_place and item is not None)


def _describe_change(before: Value, change: StateChange, judging: JudgingContext, after: Value) -> str:
    if before == after:
        return f"stays {_show_changed_value(change, judging, after)}"
    return f"{_show_changed_value(change, judging, before)} → {_show_changed_value(change, judging, after)}"


def _show_changed_value(change: StateChange, judging: JudgingContext, value: Value) -> str:
    return format_value(value, change.type, judging.names)


def _check_known_things(judging: JudgingContext, base: Situation) -> bool:
    """Whether all things named are in the state; reports RW1007 for each that is not."""
    assert isinstance(judging.node, MapNode)
    right = True
    for kind in judging.program.kinds.values():
        ids = base.base.things[kind.name]
        named = judging.node.get(kind.plural)
        for key, _ in map_entries(named):
            if key.text not in ids:
                right = False
                remedy = did_you_mean(key.text, ids) or describe_choices(ids)
                judging.findings.add_error(
                    "RW1007", key, f"no {kind.plural} are called {quote_name(key.text)}", help=remedy
                )
    return right


def is_end_reached(written: DocumentNode, base: Json, end: Json) -> bool:
    """Whether the base with the written overlay is certainly the end; `False` where spellings leave it open."""
    if not isinstance(written, MapNode) or not isinstance(base, dict) or not isinstance(end, dict):
        return _is_equal_data(written, end)
    if not all(key.text in end and _is_part_reached(key.text, node, base, end[key.text]) for key, node in written):
        return False
    return all(key in base and value == base[key] for key, value in end.items() if key not in written) and all(
        key in end for key in base
    )


def _is_part_reached(key: str, written: DocumentNode, base: dict[str, Json], end: Json) -> bool:
    return is_end_reached(written, base[key], end) if key in base else _is_equal_data(written, end)


def _is_equal_data(written: DocumentNode, data: Json) -> bool:
    match written:
        case ScalarNode(written=text) if isinstance(data, bool):
            return FLAG_SPELLINGS.get(text) is data
        case ScalarNode(value=value):
            return type(value) is type(data) and value == data
        case ListNode(items):
            return isinstance(data, list) and len(items) == len(data) and all(map(_is_equal_data, items, data))
        case MapNode(entries):
            if not isinstance(data, dict) or len(entries) != len(data):
                return False
            return all(key.text in data and _is_equal_data(node, data[key.text]) for key, node in entries)


def judge_ending(expect: MapNode, session: Session) -> UnmetExpectation | None:
    """The failed expectation if the play ended unexpectedly (fault, refusal)."""
    broken = _find_broken_condition(expect, session)
    if broken is not None:
        return broken
    wanted = "refused" if "refused" in expect else "fault" if "fault" in expect else "ended"
    actual, got = _describe_ending(session)
    return None if actual == wanted else UnmetExpectation(wanted, _ENDING_PHRASES[wanted], got)


def _find_broken_condition(expect: MapNode, session: Session) -> UnmetExpectation | None:
    """Miss for the `always` condition of the scenario in whose fault the play ended."""
    outcome = session.outcome
    number = condition_number(outcome.address) if isinstance(outcome, Faulted) else None
    always = expect.get("always")
    if number is None or not isinstance(always, ListNode) or not isinstance(outcome, Faulted):
        return None
    condition = always.items[number]
    written = condition.written if isinstance(condition, ScalarNode) else ""
    return UnmetExpectation("always", written, f"it does not hold{format_fault_values(outcome, session.start.names)}")


def format_fault_values(fault: Faulted, names: NameTable) -> str:
    """Values of a fault in brackets; `""` without any."""
    values = ", ".join(f"{text} = {format_value(value, type_, names)}" for text, value, type_ in fault.read)
    return f" [{values}]" if values else ""


def _describe_ending(session: Session) -> tuple[str, str]:
    """The sort of the end, and the end in words."""
    names = session.start.names
    match session.outcome:
        case Refused(reasons=reasons):
            return "refused", f"the start is refused: {'; '.join(render_reason(reason, names) for reason in reasons)}"
        case Faulted(code=code, address=address, message=message) as fault:
            return "fault", f"fault {code} at {address}: {message}{format_fault_values(fault, names)}"
        case _:
            return "ended", "the play ends"


def judge_refusal(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of the reason of a refused start, verbatim; of a list, those of all `require` that fail."""
    expected = [text.written for text in judging.texts]
    actual = list_refusal_reasons(judging.session, every=len(expected) > 1)
    if expected != actual:
        yield UnmetExpectation("refused", _quote_all(expected), _quote_all(actual))


def list_refusal_reasons(session: Session, *, every: bool) -> list[str]:
    """Reason of a refused start, or with `every` those of all `require` that fail, each judged alone."""
    outcome, start = session.outcome, session.start
    assert isinstance(outcome, Refused)
    result = [render_reason(reason, start.names) for reason in outcome.reasons]
    while every and isinstance(outcome, Refused):
        failed = {reason.address for reason in outcome.reasons}
        start = replace(start, executable=_drop_needs(failed, start.procedure.name, start.executable))
        outcome = begin_session(start, session.sources).outcome
        result += (
            [render_reason(reason, start.names) for reason in outcome.reasons] if isinstance(outcome, Refused) else []
        )
    return result


def _drop_needs(needs: set[str], name: str, executable: Executable) -> Executable:
    """Ruleset whose procedure lacks some of its `require`."""
    program = executable.program
    procedure = program.procedures[name]
    opening = tuple(part for part in procedure.opening if not (isinstance(part, Need) and part.address in needs))
    procedures = {**program.procedures, name: replace(procedure, opening=opening)}
    return compile_program(replace(program, procedures=procedures), traced=executable.traced)


def _quote_all(texts: list[str]) -> str:
    return "; ".join(quote_name(text) for text in texts) or "no reason"


def judge_fault(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of the code of a fault, or of a part of its message."""
    outcome, node = judging.session.outcome, judging.node
    assert isinstance(outcome, Faulted)
    assert isinstance(node, ScalarNode)
    if node.written != outcome.code and node.written not in outcome.message:
        got = f"{outcome.code}: {outcome.message}"
        yield UnmetExpectation("fault", quote_name(node.written), got, outcome.address)


def judge_result(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    outcome, procedure = judging.session.outcome, judging.session.start.procedure
    assert isinstance(outcome, Ended)
    if procedure.result is None:
        message = f"{quote_name(procedure.name)} gives nothing"
        judging.findings.add_error("RW1007", judging.node, message, help="take `result:` out")
    else:
        yield from compare_value(judging, "result", "", judging.node, procedure.result, outcome.result)


def compare_value(  # noqa: PLR0913, PLR0917 - what is compared, and what it is called
    judging: JudgingContext, what: str, place: str, node: DocumentNode, type_: Type, actual: object
) -> Iterator[UnmetExpectation]:
    """A miss if the written value differs from the actual one."""
    expected = ValueReader(judging.names, judging.findings).read_typed(node, type_, f"`{place or what}`")
    if not isinstance(expected, InvalidValue) and expected != actual:
        wanted, got = (format_value(value, type_, judging.names) for value in (expected, actual))
        yield UnmetExpectation(what, wanted, got, place)


def judge_measures(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of measures after the play, by name; arguments are nested keys."""
    session, measures = judging.session, judging.program.measures
    assert session.state is not None
    worth = make_measure_evaluator(session.start.executable, session.state)
    for key, node in judging.entries:
        name = judging.resolve_address(key.text, key, tuple(measures), "measure")
        if name is None:
            continue
        for keys, arguments, expected in expand_measure_cases(judging, name, node):
            place = f"{name}({', '.join(keys)})" if keys else name
            try:
                value = worth(name, arguments)
            except Fault as fault:
                yield UnmetExpectation("measures", "a value", f"nothing: {fault.message}", place)
            else:
                yield from compare_value(judging, "measures", place, expected, measures[name].type, value)


_MeasureCase = tuple[tuple[str, ...], tuple[Value, ...], DocumentNode]
"""Arguments of a measure as written and as values, and the expected value."""


def expand_measure_cases(judging: JudgingContext, name: str, node: DocumentNode) -> Iterator[_MeasureCase]:
    """Expected values of a measure, for all arguments written."""
    result: list[_MeasureCase] = [((), (), node)]
    for parameter in judging.program.measures[name].parameters:
        result = [
            ((*keys, key.text), (*arguments, value), inner)
            for keys, arguments, outer in result
            for key, inner in _measure_entries(judging, outer, f"`{parameter.name}` of `{name}`")
            if not isinstance(
                value := _read_measure_argument(judging, key, parameter.type, parameter.name), InvalidValue
            )
        ]
    yield from result


def _measure_entries(judging: JudgingContext, node: DocumentNode, what: str) -> Iterator[tuple[MapKey, DocumentNode]]:
    if isinstance(node, MapNode):
        yield from node
    else:
        message = f"this is {show_node(node)}; it must be a mapping from what {what} is to values"
        judging.findings.add_error("RW1002", node, message)


def _read_measure_argument(judging: JudgingContext, key: MapKey, type_: Type, name: str) -> Value | InvalidValue:
    number = isinstance(type_, NumberType) and re.fullmatch(r"-?[0-9]{1,9}", key.text)
    node = ScalarNode(int(key.text) if number else key.text, key.text, key.span, key.pointer)
    return ValueReader(judging.names, judging.findings).read_typed(node, type_, f"`{name}`")
