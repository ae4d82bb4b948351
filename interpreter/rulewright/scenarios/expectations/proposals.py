"""What an expectation would have to say for a play to meet it."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import cast

from rulewright.codecs.table import to_json
from rulewright.drivers.session import Turn
from rulewright.inputs.answers import answer_type, calling_dice
from rulewright.inputs.nodes import FLAGS, Items, Json, Key, Mapping, Node, Scalar, entries_of, value_under
from rulewright.inputs.state_json import state_json
from rulewright.machine.faults import Fault
from rulewright.machine.request import Ended, Faulted
from rulewright.machine.snapshot import measure
from rulewright.machine.values import Value
from rulewright.program.walk import ends_in
from rulewright.scenarios.expectations import ending, lines, paths, questions
from rulewright.scenarios.expectations.lines import Judging
from rulewright.scenarios.recording import changes_of, named
from rulewright.scenarios.suite import Miss

_CODE = re.compile(r"RW\d{4}")


def same(node: Node, data: Json) -> bool:
    """Whether a value as it is written is this data; `yes` is true, `none` nothing, `7` also the text."""
    match node:
        case Scalar():
            return _same_scalar(node, data)
        case Items(items):
            alike = isinstance(data, list) and len(items) == len(data)
            return alike and all(map(same, items, data))  # type: ignore[arg-type]
        case Mapping(entries):
            alike = isinstance(data, dict) and len(entries) == len(data)
            return alike and all(key.text in data and same(child, data[key.text]) for key, child in entries)  # type: ignore[operator, index, call-overload]


def plain(node: Node) -> Json:
    """A value as data that says the same."""
    match node:
        case Scalar(value=value, written=written):
            return written if isinstance(value, str | Fraction) else value
        case Items(items):
            return [plain(each) for each in items]
        case Mapping(entries):
            return {key.text: plain(child) for key, child in entries}


def _same_scalar(node: Scalar, data: Json) -> bool:
    match data:
        case None:
            return node.value is None or node.written == "none"
        case bool():
            return FLAGS.get(node.written) is data
        case str():
            return node.written == data
        case int() | float():
            known = isinstance(node.value, int | Fraction) and not isinstance(node.value, bool)
            return known and node.value == Fraction(str(data))
        case _:
            return False


class NothingFitsError(Exception):
    """Nothing can be written that the play would meet."""

    def __init__(self, because: str) -> None:
        super().__init__(because)
        self.because = because  # why, in one clause


def result(judging: Judging) -> Json:
    """What the procedure gave."""
    outcome, type_ = judging.session.outcome, judging.session.begun.procedure.result
    assert isinstance(outcome, Ended)
    assert type_ is not None
    written: Json = to_json(outcome.result, type_, judging.names)
    return written


def measures(judging: Judging) -> Json:
    """The measures that were named, with what they are."""
    session, of = judging.session, judging.program.measures
    assert session.state is not None
    found: dict[str, Json] = {}
    for key, node in judging.entries:
        name = judging.address(key.text, key, tuple(of), "measure")
        assert name is not None
        for keys, arguments, _ in ending.given(judging, name, node):
            try:
                value = measure(session.begun.executable, session.state, name, arguments)
            except Fault as fault:
                raise NothingFitsError(f"a measure has no value: {fault.message}") from None
            _put(found, (key.text, *keys), to_json(value, of[name].type, judging.names))
    return found


def _put(found: dict[str, Json], keys: Sequence[str], value: Json) -> None:
    """Writes a value under keys one inside the other."""
    *outer, last = keys
    for each in outer:
        found = cast("dict[str, Json]", found.setdefault(each, {}))
    found[last] = value


def refused(judging: Judging) -> Json:
    """The reasons; as many as there are where several are written."""
    several = isinstance(judging.node, Items) and len(judging.node.items) > 1
    return [*ending.reasons(judging.session, every=several)]


def fault(judging: Judging) -> Json:
    """The code where one is written, else the message."""
    outcome = judging.session.outcome
    assert isinstance(outcome, Faulted)
    return outcome.code if _CODE.fullmatch(getattr(judging.node, "written", "")) else outcome.message


Judge = Callable[[Judging], tuple[Miss, ...]]


def path(judging: Judging) -> Json:
    """The steps that were entered, call by call where they are written so."""
    node = judging.node
    if isinstance(node, Mapping):
        return _entries_of_path(judging, node)
    if isinstance(node, Items) and any(isinstance(each, Mapping) for each in node.items):
        return paths.written(paths.performed(judging))
    return steps(judging, "step")


def _entries_of_path(judging: Judging, node: Mapping) -> Json:
    """By procedure, the steps of the only call, or a list with those of each."""
    found: dict[str, Json] = {}
    calls = [each for each in paths.all_calls(paths.performed(judging)) if each.steps]
    for key, each in node:
        took: list[Json] = [
            [named(step.rpartition("/")[2]) for step in call.steps] for call in calls if call.procedure == key.text
        ]
        if _is_met(paths.path, judging, Mapping(((key, each),), key.span, key.pointer)):
            found[key.text] = plain(each)
        else:
            found[key.text] = took[0] if len(took) == 1 else took
    return found


def decided(judging: Judging) -> Json:
    """The rows that were taken; a table that was never looked up is left out."""

    def now(key: Key, _: Node) -> list[Json]:
        row = lines.last_taken(judging, lines.list_of_rows(judging, key) or "")
        return [named(row)] if row else []

    return _by_key(lines.decided, judging, now)


def _is_met(judge: Judge, judging: Judging, part: Node) -> bool:
    return not judge(replace(judging, node=part))


def _by_key(judge: Judge, judging: Judging, now: Callable[[Key, Node], list[Json]]) -> Json:
    """Each entry as it is written where it is met, else the one thing, or nothing, that it is now."""
    found: dict[str, Json] = {}
    for key, node in judging.entries:
        is_met = _is_met(judge, judging, Mapping(((key, node),), key.span, key.pointer))
        found.update((key.text, each) for each in ([plain(node)] if is_met else now(key, node)))
    return _something(found)


def _something(found: Json) -> Json:
    """What was found, where that is anything."""
    if not found:
        raise NothingFitsError("nothing would be left of it")
    return found


def met(judge: Judge, judging: Judging) -> Json:
    """The members of a list that are met."""
    assert isinstance(judging.node, Items)
    items = judging.node.items
    if not items:
        return [named(each.place) for each in judge(judging)]
    kept = [each for each in items if _is_met(judge, judging, Items((each,), each.span, each.pointer))]
    return _something([plain(each) for each in kept])


def steps(judging: Judging, sort: str) -> Json:
    """Addresses as they are written, as far as they are right, then ids."""
    items = judging.node.items if isinstance(judging.node, Items) else ()
    ranges = paths.spelled(judging, judging.node) != [getattr(each, "written", "") for each in items]
    written = () if ranges else items
    got = [entry.address for entry in judging.session.entries if entry.sort == sort]
    before = dict(zip(range(len(got)), written, strict=False))
    return [
        plain(before[number]) if number in before and _is(before[number], address) else named(address.partition("/")[2])
        for number, address in enumerate(got)
    ]


def _is(node: Node, address: str) -> bool:
    return isinstance(node, Scalar) and ends_in(address, node.written)


def values(judging: Judging) -> Json:
    """What each line gave; one that did not run is left out."""

    def now(key: Key, node: Node) -> list[Json]:
        address = lines.named_line(judging, key) or ""
        type_, got = judging.ruled.giving[address], lines.given(judging, address)
        names = lines.names_of(judging, address)
        return [_each_time(node, [to_json(each, type_, names) for each in got])] if got else []

    return _by_key(lines.values, judging, now)


def counted(judging: Judging) -> Json:
    """The rows that counted in each tally; one that was not computed is left out."""

    def now(key: Key, node: Node) -> list[Json]:
        address = judging.address(key.text, key, tuple(judging.ruled.tallies), "tally") or ""
        got = [_rows(each.elements(), address, judging) for each in lines.rows_counted(judging, address)]
        return [_each_time(node, got)] if got else []

    return _by_key(lines.counted, judging, now)


def _rows(elements: Iterable[tuple[str, Value]], address: str, judging: Judging) -> Json:
    """Rows with what they added; a list where one counted several times."""
    type_, amounts = lines.amounts(judging.ruled.tallies[address]), defaultdict[str, list[Json]](list)
    for row, amount in elements:
        amounts[row].append(to_json(amount, type_, judging.names))
    return {row: each[0] if len(each) == 1 else each for row, each in amounts.items()}


def _each_time(written: Node, got: list[Json]) -> Json:
    """A list with one for each time, or the one thing of the only time where that is written so."""
    alone = len(got) == 1 and got[0] != []
    lists = isinstance(got[0], list) if alone else False
    nested = isinstance(written, Items) and any(isinstance(each, Items) for each in written.items)
    return got[0] if alone and not nested and lists == isinstance(written, Items) else got


def asked(judging: Judging) -> Json:
    """Every question; as it is written where that is right, with the player where others are written so."""
    written = judging.node.items if isinstance(judging.node, Items) else ()
    by = any(isinstance(each, Mapping) and "by" in each for each in written)
    found: list[Json] = []
    for number, turn in enumerate(judging.session.turns):
        node = written[number] if number < len(written) else None
        if node is not None and _says(node, turn, judging):
            found.append(plain(node))
        else:
            found.append(_question(turn, judging, node, by=by))
    return found


def asked_of(judging: Judging) -> Json:
    """The player of each question; one that was not asked is left out."""
    return _entries(questions.asked_of, judging, _asked_of)


def offered(judging: Judging) -> Json:
    """The options of each question; one that was not asked is left out."""
    return _entries(questions.offered, judging, _options)


def rejects(judging: Judging) -> Json:
    """Answers that are refused, with the reasons they have now."""
    assert isinstance(judging.node, Items)
    return [_rejected(each, judging) for each in judging.node.items]


def _asked_of(turns: Sequence[Turn], judging: Judging) -> Json:
    players = {questions.player_of(each, judging) for each in turns}
    if len(players) > 1:
        raise NothingFitsError(f"`{turns[0].request.address}` was asked of several players")
    return players.pop() or None


def _options(turns: Sequence[Turn], judging: Judging) -> Json:
    request = turns[0].request
    names = calling_dice(request, judging.names)
    legal = questions.legal(request)
    if legal is None:
        raise NothingFitsError(f"what is legal at `{request.address}` is not listed")
    return [to_json(each, answer_type(request), names) for each in legal]


def _entries(judge: Judge, judging: Judging, now: Callable[[Sequence[Turn], Judging], Json]) -> Json:
    def then(key: Key, _: Node) -> list[Json]:
        address = questions.question_at(judging, key.text, key)
        turns = [each for each in judging.session.turns if each.request.address == address]
        return [now(turns, judging)] if turns else []

    return _by_key(judge, judging, then)


def _rejected(node: Node, judging: Judging) -> Json:
    data = plain(node)
    if _is_met(questions.rejects, judging, Items((node,), node.span, node.pointer)):
        return data
    assert isinstance(node, Mapping)
    assert isinstance(data, dict)
    attempt = questions.attempted(judging, node)
    assert attempt is not None
    never = attempt.turn is None and attempt.waiting
    because = () if never else questions.reason(attempt, judging)
    if not because:
        at = f"`{attempt.waiting or attempt.address}`"
        raise NothingFitsError(f"nothing was asked at {at}" if never else f"the answer is accepted at {at}")
    return {**data, "because": because[0]}


def _says(node: Node, turn: Turn, judging: Judging) -> bool:
    """Whether a question is what is written, as far as that says something of it."""
    expected = questions.question(judging, node)
    return expected is not None and expected.fits(turn, judging)


def _question(turn: Turn, judging: Judging, node: Node | None, *, by: bool) -> Json:
    """A question, with the arguments that are written there."""
    at, held = _short(turn.request.address, judging), turn.request.arguments
    given = value_under(node, "with")
    names = [key.text for key, _ in entries_of(given) if key.text in held]
    told: dict[str, Json] = {"at": at}
    if by:
        told["by"] = questions.player_of(turn, judging) or None
    if names:
        told["with"] = {name: to_json(*held[name], judging.names) for name in names}
    return told if len(told) > 1 else at


def _short(address: str, judging: Judging) -> Json:
    """The address without its procedure, where that is enough."""
    short = address.partition("/")[2]
    return named(short) if judging.ruled.questions.resolve(short) == address else address


def changes(judging: Judging) -> Json:
    """All that became otherwise, in the order in which it is written."""
    return _in_order(changes_of(judging.session), judging.node)


def state(judging: Judging) -> Json:
    """The parts that are written, as they are at the end."""
    return _part(judging.node, _end(judging))


def _end(judging: Judging) -> Json:
    state = judging.session.state
    assert state is not None
    return state_json(state.situation(), judging.program)


def _in_order(told: Json, written: Node) -> Json:
    if not isinstance(told, dict) or not isinstance(written, Mapping):
        return told
    first = {key.text: _in_order(told[key.text], node) for key, node in written if key.text in told}
    return first | {key: value for key, value in told.items() if key not in first}


def _part(written: Node, end: Json) -> Json:
    if not isinstance(written, Mapping) or not isinstance(end, dict):
        return end
    missing = next((key.text for key, _ in written if key.text not in end), None)
    if missing is not None:
        raise NothingFitsError(f"`{missing}` is not part of the state at the end")
    return {key.text: _part(node, end[key.text]) for key, node in written}
