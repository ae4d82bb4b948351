"""Plainer forms of values, states and answers, the plainest first."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from rulewright.comparing.playing.states import State
from rulewright.inputs.sections import CELLS, GAME, REMOVED, SETTINGS, SIDES
from rulewright.program.declarations import Field, Program
from rulewright.program.types import (
    BagType,
    DeckType,
    DirectionType,
    FlagType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    RecordType,
    SetType,
    Type,
    WordType,
)


def plainer(value: Any, type_: Type, program: Program) -> Iterator[Any]:  # noqa: ANN401
    """Values of a type that are plainer than this one."""
    match type_:
        case OptionalType(inner):
            if value is not None:
                yield None
                yield from plainer(value, inner, program)
        case NumberType(low, high):
            yield from _numbers(value, low, high)
        case FlagType() | DirectionType():
            yield from (type(value)(0),) if value else ()
        case WordType(values):
            words = [each.name for each in program.values[values].words]
            yield from words[: words.index(value)]
        case SetType() | ListType() | BagType() | DeckType() | MapType():
            yield from _members(value)
        case RecordType(record):
            yield from _parts(value, record, program)


def _parts(value: dict[str, Any], record: str, program: Program) -> Iterator[Any]:
    for part in program.records[record].parts:
        for each in plainer(value[part.name], part.type, program) if part.name in value else ():
            yield {**value, part.name: each}


def _numbers(value: int, low: int | None, high: int | None) -> Iterator[int]:
    """Numbers nearer to the plainest: 0, or the bound next to it."""
    plain = low if low is not None and low > 0 else high if high is not None and high < 0 else 0
    seen = {value}
    for each in (
        plain,
        plain + (1 if value > plain else -1),
        (value + plain) // 2,
        value + (-1 if value > plain else 1),
    ):
        if each not in seen and abs(each - plain) < abs(value - plain):
            seen.add(each)
            yield each


def _members(value: Any) -> Iterator[Any]:  # noqa: ANN401
    if isinstance(value, dict):
        if value:
            yield {}
        yield from ({key: each for key, each in value.items() if key != name} for name in value)
    else:
        if value:
            yield []
        yield from (value[:at] + value[at + 1 :] for at in range(len(value)))


def fewer(state: State, program: Program) -> Iterator[State]:
    """The state without one thing, without what is said of a board's places, or of a relation."""
    for kind in program.kinds.values():
        things: Any = state.get(kind.plural, {})
        for id_ in things:
            found = _copied(state)
            del found[kind.plural][id_]
            found[REMOVED] = [each for each in found.get(REMOVED, []) if each.rpartition("/")[2] != id_]
            yield _tidy(found)
    for board in program.boards.values():
        given: Any = state.get(board.name, {})
        for part in (CELLS, SIDES):
            for place in given.get(part, {}):
                found = _copied(state)
                del found[board.name][part][place]
                if not found[board.name][part]:
                    del found[board.name][part]
                yield found
    for name in program.relations:
        pairs: Any = state.get(name, [])
        yield from ({**state, name: pairs[:at] + pairs[at + 1 :]} for at in range(len(pairs)))


def _copied(state: State) -> Any:  # noqa: ANN401
    return deepcopy(state)


def _tidy(state: State) -> State:
    return {key: value for key, value in state.items() if key != REMOVED or value}


def stripped(state: State, program: Program) -> Iterator[State]:
    """The state without anything that has a start value, then without one attribute of all things of a kind."""
    optional = [
        (kind.plural, each.name) for kind in program.kinds.values() for each in kind.fields if each.start is not None
    ]
    for left_out in (optional, *([each] for each in optional)):
        found = _copied(state)
        for board in program.boards:
            parts = found.get(board, {})
            found |= {board: {key: value for key, value in parts.items() if value}} if board in found else {}
        for plural, name in left_out:
            for attributes in found.get(plural, {}).values():
                attributes.pop(name, None)
        yield {key: value for key, value in found.items() if value or key not in {GAME, SETTINGS, REMOVED}}


def simpler(state: State, program: Program) -> Iterator[State]:
    """The state with one value left out, where it has a start value, or plainer."""
    for section, key, fields in _sections(state, program):
        for each in fields:
            holder = _holder(state, section, key)
            if each.name in holder:
                for value in _simpler(holder[each.name], each, program):
                    found = _copied(state)
                    there = _holder(found, section, key)
                    if value is _LEFT_OUT:
                        del there[each.name]
                    else:
                        there[each.name] = value
                    yield found
    settings: Any = state.get(SETTINGS, {})
    for name in settings:
        kept = {each: value for each, value in settings.items() if each != name}
        yield {**state, SETTINGS: kept} if kept else {key: each for key, each in state.items() if key != SETTINGS}


_LEFT_OUT = object()


def _simpler(value: Any, field: Field, program: Program) -> Iterator[Any]:  # noqa: ANN401
    if field.start is not None:
        yield _LEFT_OUT
    yield from plainer(value, field.type, program)


def _sections(state: State, program: Program) -> Iterator[tuple[str, str, tuple[Field, ...]]]:
    for kind in program.kinds.values():
        things: Any = state.get(kind.plural, {})
        yield from ((kind.plural, id_, kind.fields) for id_ in things)
    if GAME in state:
        yield GAME, "", tuple(program.game.values())


def _holder(state: Any, section: str, key: str) -> Any:  # noqa: ANN401
    return state[section][key] if key else state[section]
