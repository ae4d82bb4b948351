"""How a play ends, what it gives, and what is measured after it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from rulewright.codecs.table import show
from rulewright.drivers.session import Session, begin
from rulewright.inputs.findings import Wrong, did_you_mean, quoted, shown, there_are
from rulewright.inputs.names import GAME, REMOVED, Names
from rulewright.inputs.nodes import FLAGS, Items, Json, Key, Mapping, Node, Scalar, entries_of, merged
from rulewright.inputs.state_file import state_of
from rulewright.inputs.state_json import state_json
from rulewright.inputs.value_reader import ValueReader, node_of
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.request import Ended, Faulted, Refused
from rulewright.machine.run import Outcome
from rulewright.machine.snapshot import measuring
from rulewright.machine.state import Situation, changes as differences, initial
from rulewright.machine.trace import Change
from rulewright.machine.values import Value
from rulewright.program.declarations import Need
from rulewright.program.types import CellType, NumberType, Type, present
from rulewright.scenarios.expectations.lines import Judging, of_change
from rulewright.scenarios.opening import number_of
from rulewright.scenarios.suite import Miss
from rulewright.telling.happenings import reason
from rulewright.telling.values import in_game, show_place

_WORDS = {"refused": "the start is refused", "fault": "the play meets a fault", "ended": "the play ends"}


def changes(judging: Judging) -> tuple[Miss, ...]:
    """The whole difference: what is written came to be, all else is as at the start.

    A value that is written as it was at the start has to have been another in between: a scenario that says that
    something changes does not pass where nothing happens.
    """
    start = judging.session.begun.situation
    written = judging.ruled.written(start)
    wrong = _wrong(start, written, judging)
    began = {(each.place, each.key): each.before for each in _different(start, judging)} if wrong else {}

    def told(change: Change) -> Miss:
        before = began.get((change.place, change.key), change.after)
        return _miss("changes", change, judging, partial(_way, before, change, judging))

    misses = tuple(told(each) for each in wrong)
    kept = dict(_as_before(judging, written))
    if kept:
        changed = (one for each in judging.session.entries for one in each.changes)
        moved = {show_place(each, judging.names) for each in (*wrong, *changed)}
        misses += tuple(Miss("changes", "a change", _held(kept[each]), each) for each in kept if each not in moved)
    return misses


def _held(value: Node) -> str:
    return f"stays {shown(value)}; what only holds at the end stands under `state`"


def _as_before(judging: Judging, start: Json) -> Iterator[tuple[str, Node]]:
    """What of things and of the game is written as it surely was at the start, with what it is called."""
    kinds = judging.ruled.sections.kinds
    for key, node in judging.entries:
        if key.text == GAME:
            yield from _same(node, _under(start, GAME), "")
        elif key.text in kinds:
            for id_, below in entries_of(node):
                yield from _same(below, _under(start, kinds[key.text].plural, id_.text), f"{id_.text}.")


def _same(node: Node, start: Json, of: str) -> Iterator[tuple[str, Node]]:
    return (
        (f"{of}{key.text}", each)
        for key, each in entries_of(node)
        if isinstance(start, dict) and key.text in start and _is(each, start[key.text])
    )


def _under(data: Json, *keys: str) -> Json:
    for each in keys:
        data = data.get(each) if isinstance(data, dict) else None
    return data


def state(judging: Judging) -> tuple[Miss, ...]:
    """A part of the state at the end; what is not written may be anything."""
    assert judging.session.state is not None
    end = judging.session.state.situation()
    wrong = _wrong(end, state_json(end, judging.program), judging)
    return tuple(_miss("state", each, judging, partial(_plain, each, judging)) for each in wrong)


def _wrong(base: Situation, told: dict[str, Json], judging: Judging) -> tuple[Change, ...]:
    """What differs between the base, of which the data are at hand, with what is written over it, and the end."""
    end = judging.session.state
    assert end is not None
    nobody: dict[str, Json] = {each: [] for each in (*judging.program.relations, REMOVED)}
    if comes_to(judging.node, nobody | told, nobody | state_json(end.situation(), judging.program, (base, told))):
        return ()
    if not _only_known_things(judging, base):
        return ()
    found = state_of(merged(node_of(told, ""), judging.node), judging.program)
    if found.value is None:
        judging.findings.found.extend(found.diagnostics)
        return ()
    return tuple(_different(found.value, judging))


def _different(start: Situation, judging: Judging) -> Iterator[Change]:
    """What of the game differs between a situation and the end."""
    end = judging.session.state
    assert end is not None
    yield from (each for each in differences(initial(start, end.layout), end) if in_game(each))


def _miss(what: str, change: Change, judging: Judging, told: Callable[[Value], str]) -> Miss:
    moment = of_change(judging.session, change.place, change.key, change.before)
    place = show_place(change, judging.names)
    return Miss(what, told(change.before), told(change.after), place, moment, spots=_spots(change, judging))


def _spots(change: Change, judging: Judging) -> tuple[Any, ...]:
    """Cells that are not as expected: where a thing was to be and where it is, a cell itself, the two of a side."""
    owner, _, name = change.place.rpartition("/")
    if owner in judging.program.boards and isinstance(change.key, tuple):
        return change.key if isinstance(change.key[0], tuple) else (change.key,)
    is_place = name == "at" and isinstance(present(change.type), CellType)
    return tuple(each for each in (change.before, change.after) if is_place and each is not None)


def _way(before: Value, change: Change, judging: Judging, after: Value) -> str:
    """From where to where a value went."""
    if before == after:
        return f"stays {_plain(change, judging, after)}"
    return f"{_plain(change, judging, before)} → {_plain(change, judging, after)}"


def _plain(change: Change, judging: Judging, value: Value) -> str:
    return show(value, change.type, judging.names)


def _only_known_things(judging: Judging, base: Situation) -> bool:
    """Whether all things named are in the state; RW1007 for each that is not."""
    assert isinstance(judging.node, Mapping)
    right = True
    for kind in judging.program.kinds.values():
        ids = base.base.things[kind.name]
        named = judging.node.get(kind.plural)
        for key, _ in entries_of(named):
            if key.text not in ids:
                right = False
                remedy = did_you_mean(key.text, ids) or there_are(ids)
                judging.findings.error("RW1007", key, f"no {kind.plural} are called {quoted(key.text)}", help=remedy)
    return right


def comes_to(written: Node, base: Json, end: Json) -> bool:
    """Whether the base with what is written over it is surely the end.

    Where it is not sure, because something is spelled otherwise than states are written out, it is no.
    """
    if not isinstance(written, Mapping) or not isinstance(base, dict) or not isinstance(end, dict):
        return _is(written, end)
    if not all(key.text in end and _part(key.text, node, base, end[key.text]) for key, node in written):
        return False
    return all(key in base and value == base[key] for key, value in end.items() if key not in written) and all(
        key in end for key in base
    )


def _part(key: str, written: Node, base: dict[str, Json], end: Json) -> bool:
    return comes_to(written, base[key], end) if key in base else _is(written, end)


def _is(written: Node, data: Json) -> bool:
    match written:
        case Scalar(written=text) if isinstance(data, bool):
            return FLAGS.get(text) is data
        case Scalar(value=value):
            return type(value) is type(data) and value == data
        case Items(items):
            return isinstance(data, list) and len(items) == len(data) and all(map(_is, items, data))
        case Mapping(entries):
            if not isinstance(data, dict) or len(entries) != len(data):
                return False
            return all(key.text in data and _is(node, data[key.text]) for key, node in entries)


def otherwise(expect: Mapping, session: Session) -> tuple[Miss, ...]:
    """What a play missed that ended in another way than its expectations say; nothing where it did not."""
    broken = _broken(expect, session)
    if broken is not None:
        return (broken,)
    wanted = "refused" if "refused" in expect else "fault" if "fault" in expect else "ended"
    got = _how(session.outcome)
    return () if got == wanted else (Miss(wanted, _WORDS[wanted], _told(session)),)


def _broken(expect: Mapping, session: Session) -> Miss | None:
    """The condition of the scenario that no longer held."""
    outcome = session.outcome
    number = number_of(outcome.address) if isinstance(outcome, Faulted) else None
    always = expect.get("always")
    if number is None or not isinstance(always, Items) or not isinstance(outcome, Faulted):
        return None
    condition = always.items[number]
    written = condition.written if isinstance(condition, Scalar) else ""
    return Miss("always", written, f"it does not hold{values_read(outcome, session.begun.names)}")


def _how(outcome: Outcome) -> str:
    match outcome:
        case Refused():
            return "refused"
        case Faulted():
            return "fault"
        case _:
            return "ended"


def values_read(fault: Faulted, names: Names) -> str:
    """The values that a fault tells, in brackets; nothing where it tells none."""
    told = ", ".join(f"{text} = {show(value, type_, names)}" for text, value, type_ in fault.read)
    return f" [{told}]" if told else ""


def _told(session: Session) -> str:
    match session.outcome:
        case Refused(reasons=reasons):
            return f"the start is refused: {'; '.join(reason(each, session.begun.names) for each in reasons)}"
        case Faulted(code=code, address=address, message=message) as fault:
            return f"fault {code} at {address}: {message}{values_read(fault, session.begun.names)}"
        case _:
            return "the play ends"


def refused(judging: Judging) -> tuple[Miss, ...]:
    """The reason of a refused start, word for word; where several are expected, those of all `require` that fail."""
    expected = [each.written for each in judging.texts]
    got = reasons(judging.session, every=len(expected) > 1)
    return () if expected == got else (Miss("refused", _quoted(expected), _quoted(got)),)


def reasons(session: Session, *, every: bool) -> list[str]:
    """The reason why a start is refused, or those of every `require` that fails, judged without those before it."""
    outcome, begun = session.outcome, session.begun
    assert isinstance(outcome, Refused)
    found = [reason(each, begun.names) for each in outcome.reasons]
    while every and isinstance(outcome, Refused):
        failed = {each.address for each in outcome.reasons}
        begun = replace(begun, executable=_without(failed, begun.procedure.name, begun.executable))
        outcome = begin(begun, session.sources).outcome
        found += [reason(each, begun.names) for each in outcome.reasons] if isinstance(outcome, Refused) else []
    return found


def _without(needs: set[str], name: str, executable: Executable) -> Executable:
    """A ruleset with a procedure that does not ask for some of its requirements."""
    program = executable.program
    procedure = program.procedures[name]
    opening = tuple(each for each in procedure.opening if not (isinstance(each, Need) and each.address in needs))
    procedures = {**program.procedures, name: replace(procedure, opening=opening)}
    return compile_program(replace(program, procedures=procedures), traced=executable.traced)


def _quoted(texts: list[str]) -> str:
    return "; ".join(quoted(each) for each in texts) or "no reason"


def fault(judging: Judging) -> tuple[Miss, ...]:
    """The code of a fault, or a part of its message."""
    outcome, node = judging.session.outcome, judging.node
    assert isinstance(outcome, Faulted)
    assert isinstance(node, Scalar)
    if node.written == outcome.code or node.written in outcome.message:
        return ()
    return (Miss("fault", quoted(node.written), f"{outcome.code}: {outcome.message}", outcome.address),)


def result(judging: Judging) -> tuple[Miss, ...]:
    """What the procedure gives."""
    outcome, type_ = judging.session.outcome, judging.session.begun.procedure.result
    assert isinstance(outcome, Ended)
    if type_ is None:
        name = judging.session.begun.procedure.name
        judging.findings.error("RW1007", judging.node, f"{quoted(name)} gives nothing", help="take `result:` out")
        return ()
    return compared(judging, Miss("result", "", ""), judging.node, type_, outcome.result)


def compared(judging: Judging, of: Miss, node: Node, type_: "Type", got: object) -> tuple[Miss, ...]:
    """What was written against what came, as a miss of this sort."""
    expected = ValueReader(judging.names, judging.findings).read(node, type_, f"`{of.place or of.what}`")
    if isinstance(expected, Wrong) or expected == got:
        return ()
    return (Miss(of.what, show(expected, type_, judging.names), show(got, type_, judging.names), of.place),)


def measured(judging: Judging) -> tuple[Miss, ...]:
    """Measures after the play, by name; one with parameters by what is given for each, one inside the other."""
    session, of = judging.session, judging.program.measures
    assert session.state is not None
    worth = measuring(session.begun.executable, session.state)
    misses: tuple[Miss, ...] = ()
    for key, node in judging.entries:
        name = judging.address(key.text, key, tuple(of), "measure")
        if name is None:
            continue
        for keys, arguments, expected in given(judging, name, node):
            place = f"{name}({', '.join(keys)})" if keys else name
            try:
                value = worth(name, arguments)
            except Fault as fault:
                misses += (Miss("measures", "a value", f"nothing: {fault.message}", place),)
                continue
            misses += compared(judging, Miss("measures", "", "", place), expected, of[name].type, value)
    return misses


_Given = tuple[tuple[str, ...], tuple[Value, ...], Node]
"""What is given to a measure, as it is written and as values, and what is expected of it then."""


def given(judging: Judging, name: str, node: Node) -> Iterator[_Given]:
    """What is expected of a measure, for all that is given to it there."""
    found: list[_Given] = [((), (), node)]
    for each in judging.program.measures[name].parameters:
        found = [
            ((*keys, key.text), (*arguments, value), inner)
            for keys, arguments, outer in found
            for key, inner in _entries(judging, outer, f"`{each.name}` of `{name}`")
            if not isinstance(value := _value(judging, key, each.type, each.name), Wrong)
        ]
    yield from found


def _entries(judging: Judging, node: Node, what: str) -> Iterator[tuple[Key, Node]]:
    if isinstance(node, Mapping):
        yield from node
    else:
        message = f"this is {shown(node)}; it must be a mapping from what {what} is to values"
        judging.findings.error("RW1002", node, message)


def _value(judging: Judging, key: Key, type_: Type, name: str) -> Value | Wrong:
    """What a key says is given."""
    number = isinstance(type_, NumberType) and re.fullmatch(r"-?[0-9]{1,9}", key.text)
    node = Scalar(int(key.text) if number else key.text, key.text, key.span, key.pointer)
    return ValueReader(judging.names, judging.findings).read(node, type_, f"`{name}`")
