"""Proposals: the JSON data that each expectation would have to hold for a play to meet it, in the written spelling."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import cast

from rulewright.documents.answers import answer_type, name_offered_dice
from rulewright.documents.document_nodes import (
    FLAG_SPELLINGS,
    DocumentNode,
    Json,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    map_entries,
    value_under,
)
from rulewright.documents.state_json import state_to_json
from rulewright.play.session import AnsweredTurn
from rulewright.program.walk import is_address_suffix
from rulewright.runtime.faults import Fault
from rulewright.runtime.request import Ended, Faulted
from rulewright.runtime.snapshot import evaluate_measure
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value
from rulewright.scenarios import end_expectations, line_expectations, path_expectations, question_expectations
from rulewright.scenarios.line_expectations import JudgingContext
from rulewright.scenarios.scenario_recording import id_to_json, session_changes
from rulewright.scenarios.suite import UnmetExpectation

_CODE_PATTERN = re.compile(r"RW\d{4}")


def is_same_data(node: DocumentNode, data: Json) -> bool:
    """Whether a node means this data; `yes` is true, `none` is null, `7` is also a text."""
    match node:
        case ScalarNode():
            return _is_same_scalar(node, data)
        case ListNode(items):
            alike = isinstance(data, list) and len(items) == len(data)
            return alike and all(map(is_same_data, items, data))  # type: ignore[arg-type]
        case MapNode(entries):
            alike = isinstance(data, dict) and len(entries) == len(data)
            return alike and all(key.text in data and is_same_data(child, data[key.text]) for key, child in entries)  # type: ignore[operator, index, call-overload]


def node_to_json(node: DocumentNode) -> Json:
    """Data of a node."""
    match node:
        case ScalarNode(value=value, written=written):
            return written if isinstance(value, str | Fraction) else value
        case ListNode(items):
            return [node_to_json(item) for item in items]
        case MapNode(entries):
            return {key.text: node_to_json(child) for key, child in entries}


def _is_same_scalar(node: ScalarNode, data: Json) -> bool:
    match data:
        case None:
            return node.value is None or node.written == "none"
        case bool():
            return FLAG_SPELLINGS.get(node.written) is data
        case str():
            return node.written == data
        case int() | float():
            known = isinstance(node.value, int | Fraction) and not isinstance(node.value, bool)
            return known and node.value == Fraction(str(data))
        case _:
            return False


class NoProposalError(Exception):
    def __init__(self, because: str) -> None:
        super().__init__(because)
        self.because = because  # one clause


def propose_result(judging: JudgingContext) -> Json:
    outcome, type_ = judging.session.outcome, judging.session.start.procedure.result
    assert isinstance(outcome, Ended)
    assert type_ is not None
    written: Json = value_to_json(outcome.result, type_, judging.names)
    return written


def propose_measures(judging: JudgingContext) -> Json:
    """Values of the measures named."""
    session, measures = judging.session, judging.program.measures
    assert session.state is not None
    result: dict[str, Json] = {}
    for key, node in judging.entries:
        name = judging.resolve_address(key.text, key, tuple(measures), "measure")
        assert name is not None
        for keys, arguments, _ in end_expectations.expand_measure_cases(judging, name, node):
            try:
                value = evaluate_measure(session.start.executable, session.state, name, arguments)
            except Fault as fault:
                raise NoProposalError(f"a measure has no value: {fault.message}") from None
            _set_nested(result, (key.text, *keys), value_to_json(value, measures[name].type, judging.names))
    return result


def _set_nested(mapping: dict[str, Json], keys: Sequence[str], value: Json) -> None:
    *outer, last = keys
    for item in outer:
        mapping = cast("dict[str, Json]", mapping.setdefault(item, {}))
    mapping[last] = value


def propose_refusal(judging: JudgingContext) -> Json:
    """Reason of the refusal; all of them if a list is written."""
    several = isinstance(judging.node, ListNode) and len(judging.node.items) > 1
    return [*end_expectations.list_refusal_reasons(judging.session, every=several)]


def propose_fault(judging: JudgingContext) -> Json:
    """Code of the fault if one is written, else its message."""
    outcome = judging.session.outcome
    assert isinstance(outcome, Faulted)
    return outcome.code if _CODE_PATTERN.fullmatch(getattr(judging.node, "written", "")) else outcome.message


JudgeExpectation = Callable[[JudgingContext], Iterator[UnmetExpectation]]


def propose_path(judging: JudgingContext) -> Json:
    """Steps entered, call by call if written so."""
    node = judging.node
    if isinstance(node, MapNode):
        return _propose_path_by_procedure(judging, node)
    if isinstance(node, ListNode) and any(isinstance(item, MapNode) for item in node.items):
        return path_expectations.call_to_json(path_expectations.build_call_tree(judging))
    return propose_steps(judging, "step")


def _propose_path_by_procedure(judging: JudgingContext, node: MapNode) -> Json:
    """By procedure, the steps of the only call, or a list by call."""
    result: dict[str, Json] = {}
    calls = [one for one in path_expectations.walk_calls(path_expectations.build_call_tree(judging)) if one.steps]
    for key, item in node:
        took: list[Json] = [
            [id_to_json(step.rpartition("/")[2]) for step in call.steps] for call in calls if call.procedure == key.text
        ]
        if _is_met(path_expectations.judge_path, judging, MapNode(((key, item),), key.span, key.pointer)):
            result[key.text] = node_to_json(item)
        else:
            result[key.text] = took[0] if len(took) == 1 else took
    return result


def propose_decisions(judging: JudgingContext) -> Json:
    """Rows taken; tables that were never looked up are left out."""

    def current_rows(key: MapKey, _: DocumentNode) -> list[Json]:
        row = line_expectations.last_taken_row(judging, line_expectations.resolve_row_list(judging, key) or "")
        return [id_to_json(row)] if row else []

    return _propose_by_key(line_expectations.judge_decisions, judging, current_rows)


def _is_met(judge: JudgeExpectation, judging: JudgingContext, part: DocumentNode) -> bool:
    return not any(judge(replace(judging, node=part)))


def _propose_by_key(
    judge: JudgeExpectation, judging: JudgingContext, now: Callable[[MapKey, DocumentNode], list[Json]]
) -> Json:
    """Each entry as written where it is met, else with its actual value."""
    result: dict[str, Json] = {}
    for key, node in judging.entries:
        is_met = _is_met(judge, judging, MapNode(((key, node),), key.span, key.pointer))
        result.update((key.text, item) for item in ([node_to_json(node)] if is_met else now(key, node)))
    return _require_nonempty(result)


def _require_nonempty(value: Json) -> Json:
    if not value:
        raise NoProposalError("nothing would be left of it")
    return value


def keep_met_members(judge: JudgeExpectation, judging: JudgingContext) -> Json:
    """Members of a list that are met."""
    assert isinstance(judging.node, ListNode)
    items = judging.node.items
    if not items:
        return [id_to_json(one.place) for one in judge(judging)]
    met = [item for item in items if _is_met(judge, judging, ListNode((item,), item.span, item.pointer))]
    return _require_nonempty([node_to_json(item) for item in met])


def propose_steps(judging: JudgingContext, sort: str) -> Json:
    """Addresses as written as far as they are right, then ids."""
    items = judging.node.items if isinstance(judging.node, ListNode) else ()
    ranges = path_expectations.expand_steps(judging, judging.node) != [getattr(item, "written", "") for item in items]
    written = () if ranges else items
    addresses = [entry.address for entry in judging.session.entries if entry.sort == sort]
    before = dict(zip(range(len(addresses)), written, strict=False))
    return [
        node_to_json(before[number])
        if number in before and _is_address_of(before[number], address)
        else id_to_json(address.partition("/")[2])
        for number, address in enumerate(addresses)
    ]


def _is_address_of(node: DocumentNode, address: str) -> bool:
    return isinstance(node, ScalarNode) and is_address_suffix(address, node.written)


def propose_values(judging: JudgingContext) -> Json:
    """Values of each line; lines that did not run are left out."""

    def current_values(key: MapKey, node: DocumentNode) -> list[Json]:
        address = line_expectations.resolve_named_line(judging, key) or ""
        type_, values = judging.ruled.value_types[address], line_expectations.line_values(judging, address)
        names = line_expectations.names_with_dice(judging, address)
        return [_one_or_list(node, [value_to_json(item, type_, names) for item in values])] if values else []

    return _propose_by_key(line_expectations.judge_values, judging, current_values)


def propose_counted_rows(judging: JudgingContext) -> Json:
    """Rows that counted in each tally; tallies that were not computed are left out."""

    def current_counts(key: MapKey, node: DocumentNode) -> list[Json]:
        address = judging.resolve_address(key.text, key, tuple(judging.ruled.tallies), "tally") or ""
        counts = [
            _rows_to_json(row.elements(), address, judging) for row in line_expectations.count_rows(judging, address)
        ]
        return [_one_or_list(node, counts)] if counts else []

    return _propose_by_key(line_expectations.judge_counted_rows, judging, current_counts)


def _rows_to_json(elements: Iterable[tuple[str, Value]], address: str, judging: JudgingContext) -> Json:
    """Rows with their amounts; a list where one counted several times."""
    type_, amounts = line_expectations.amount_type(judging.ruled.tallies[address]), defaultdict[str, list[Json]](list)
    for row, amount in elements:
        amounts[row].append(value_to_json(amount, type_, judging.names))
    return {row: item[0] if len(item) == 1 else item for row, item in amounts.items()}


def _one_or_list(written: DocumentNode, values: list[Json]) -> Json:
    """List by run, or the value of the only run if written so."""
    alone = len(values) == 1 and values[0] != []
    lists = isinstance(values[0], list) if alone else False
    nested = isinstance(written, ListNode) and any(isinstance(item, ListNode) for item in written.items)
    return values[0] if alone and not nested and lists == isinstance(written, ListNode) else values


def propose_questions(judging: JudgingContext) -> Json:
    """Every question, as written where it is right; with players if others are written so."""
    written = judging.node.items if isinstance(judging.node, ListNode) else ()
    by = any(isinstance(child, MapNode) and "by" in child for child in written)
    result: list[Json] = []
    for number, turn in enumerate(judging.session.turns):
        node = written[number] if number < len(written) else None
        if node is not None and _is_asked_as_written(node, turn, judging):
            result.append(node_to_json(node))
        else:
            result.append(_question_to_json(turn, judging, node, by=by))
    return result


def propose_asked_players(judging: JudgingContext) -> Json:
    """Player of each question that was asked."""
    return _propose_by_question(question_expectations.judge_asked_players, judging, _player_of_turns)


def propose_offers(judging: JudgingContext) -> Json:
    """Options of each question that was asked."""
    return _propose_by_question(question_expectations.judge_offers, judging, _options_of_turns)


def propose_rejections(judging: JudgingContext) -> Json:
    """Refused answers, with their actual reasons."""
    assert isinstance(judging.node, ListNode)
    return [_propose_rejection(item, judging) for item in judging.node.items]


def _player_of_turns(turns: Sequence[AnsweredTurn], judging: JudgingContext) -> Json:
    players = {question_expectations.asked_player(turn, judging) for turn in turns}
    if len(players) > 1:
        raise NoProposalError(f"`{turns[0].request.address}` was asked of several players")
    return players.pop() or None


def _options_of_turns(turns: Sequence[AnsweredTurn], judging: JudgingContext) -> Json:
    request = turns[0].request
    names = name_offered_dice(request, judging.names)
    legal = question_expectations.list_legal_answers(request)
    if legal is None:
        raise NoProposalError(f"what is legal at `{request.address}` is not listed")
    return [value_to_json(item, answer_type(request), names) for item in legal]


def _propose_by_question(
    judge: JudgeExpectation, judging: JudgingContext, now: Callable[[Sequence[AnsweredTurn], JudgingContext], Json]
) -> Json:
    def current_entry(key: MapKey, _: DocumentNode) -> list[Json]:
        address = question_expectations.resolve_question(judging, key.text, key)
        turns = [turn for turn in judging.session.turns if turn.request.address == address]
        return [now(turns, judging)] if turns else []

    return _propose_by_key(judge, judging, current_entry)


def _propose_rejection(node: DocumentNode, judging: JudgingContext) -> Json:
    data = node_to_json(node)
    if _is_met(question_expectations.judge_rejections, judging, ListNode((node,), node.span, node.pointer)):
        return data
    assert isinstance(node, MapNode)
    assert isinstance(data, dict)
    attempt = question_expectations.read_attempt(judging, node)
    assert attempt is not None
    never = attempt.turn is None and attempt.waiting
    because = () if never else question_expectations.explain_rejection(attempt, judging)
    if not because:
        at = f"`{attempt.waiting or attempt.address}`"
        raise NoProposalError(f"nothing was asked at {at}" if never else f"the answer is accepted at {at}")
    return {**data, "because": because[0]}


def _is_asked_as_written(node: DocumentNode, turn: AnsweredTurn, judging: JudgingContext) -> bool:
    """Whether a question meets what is written of it."""
    expected = question_expectations.read_expected_question(judging, node)
    return expected is not None and expected.is_match(turn, judging)


def _question_to_json(turn: AnsweredTurn, judging: JudgingContext, node: DocumentNode | None, *, by: bool) -> Json:
    at, arguments = _shorten_address(turn.request.address, judging), turn.request.arguments
    given = value_under(node, "with")
    names = [key.text for key, _ in map_entries(given) if key.text in arguments]
    question: dict[str, Json] = {"at": at}
    if by:
        question["by"] = question_expectations.asked_player(turn, judging) or None
    if names:
        question["with"] = {name: value_to_json(*arguments[name], judging.names) for name in names}
    return question if len(question) > 1 else at


def _shorten_address(address: str, judging: JudgingContext) -> Json:
    """Address without its procedure, where that is unambiguous."""
    short = address.partition("/")[2]
    return id_to_json(short) if judging.ruled.questions.resolve(short) == address else address


def propose_changes(judging: JudgingContext) -> Json:
    """All changes, in the written order."""
    return _order_as_written(session_changes(judging.session), judging.node)


def propose_state(judging: JudgingContext) -> Json:
    """Written parts with their values at the end."""
    return _select_written(judging.node, _end_state_json(judging))


def _end_state_json(judging: JudgingContext) -> Json:
    state = judging.session.state
    assert state is not None
    return state_to_json(state.extract_situation(), judging.program)


def _order_as_written(data: Json, written: DocumentNode) -> Json:
    if not isinstance(data, dict) or not isinstance(written, MapNode):
        return data
    first = {key.text: _order_as_written(data[key.text], node) for key, node in written if key.text in data}
    return first | {key: value for key, value in data.items() if key not in first}


def _select_written(written: DocumentNode, end: Json) -> Json:
    if not isinstance(written, MapNode) or not isinstance(end, dict):
        return end
    missing = next((key.text for key, _ in written if key.text not in end), None)
    if missing is not None:
        raise NoProposalError(f"`{missing}` is not part of the state at the end")
    return {key.text: _select_written(node, end[key.text]) for key, node in written}
