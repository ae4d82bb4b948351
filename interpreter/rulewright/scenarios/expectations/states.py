"""How things stand after a play: what changed and nothing else, or a part of the state."""

from collections.abc import Callable, Iterator
from functools import partial

from rulewright.inputs.json_values import node_of
from rulewright.inputs.nodes import Items, Json, Mapping, Node, Scalar
from rulewright.inputs.one_line import FLAGS
from rulewright.inputs.state_file import state_of
from rulewright.inputs.state_json import state_json
from rulewright.inputs.wording import did_you_mean, quoted, there_are
from rulewright.machine.state import Situation, initial
from rulewright.machine.state import changes as differences
from rulewright.machine.trace import Change
from rulewright.machine.values import Value
from rulewright.scenarios.expectations.judging import Judging, of_change
from rulewright.scenarios.merging import merged
from rulewright.scenarios.suite import Miss
from rulewright.telling.values import in_game, show, show_place


def changes(judging: Judging) -> tuple[Miss, ...]:
    """The whole difference: what is written replaces what was at the start, all else stays."""
    start = judging.session.begun.situation
    wrong = _wrong(start, state_json(start, judging.program), judging)
    began = {(each.place, each.key): each.before for each in _different(start, judging)} if wrong else {}

    def told(change: Change) -> Miss:
        before = began.get((change.place, change.key), change.after)
        return _miss("changes", change, judging, partial(_way, before, change, judging))

    return tuple(told(each) for each in wrong)


def state(judging: Judging) -> tuple[Miss, ...]:
    """A part of the state at the end; what is not written may be anything."""
    assert judging.session.state is not None
    end = judging.session.state.situation()
    wrong = _wrong(end, state_json(end, judging.program), judging)
    return tuple(_miss("state", each, judging, partial(_plain, each, judging)) for each in wrong)


def _wrong(base: Situation, told: Json, judging: Judging) -> tuple[Change, ...]:
    """What differs between the base, of which the data are at hand, with what is written over it, and the end."""
    if not isinstance(judging.node, Mapping):
        judging.wrong(judging.node, "a mapping, a part of a state")
        return ()
    end = judging.session.state
    assert end is not None
    if comes_to(judging.node, told, state_json(end.situation(), judging.program)):
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
    return Miss(what, told(change.before), told(change.after), show_place(change, judging.names), moment)


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
        for key, _ in named if isinstance(named, Mapping) else ():
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
