"""States to and from plain JSON data."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rulewright.machine.executable import Executable
from rulewright.machine.state import Base, Frame, Pending, Plane, Situation, State
from rulewright.machine.values import Map, Value
from rulewright.program.offsets import AXIAL

VERSION = 1
_PARTS = ("columns", "gone", "game", "cells", "sides", "relations", "rolls", "known", "held", "watching", "removals")
_PLAIN = ("unsettled", "quiet", "together", "work")


def encode(state: State) -> dict[str, Any]:
    """A state as JSON data (objects, lists, numbers, texts, flags, null), with the version of this form."""
    data: dict[str, Any] = {"version": VERSION, "base": _base(state.base)}
    data |= {name: _out(getattr(state, name)) for name in _PARTS}
    data |= {name: getattr(state, name) for name in _PLAIN}
    data["frames"] = [[each.block, _out(each.slots)] for each in state.frames]
    pending = state.pending
    data["pending"] = None if pending is None else [pending.site, pending.player, _out(pending.data)]
    data["origin"] = None if state.origin is None else _situation(state.origin)
    return data


def decode(data: Mapping[str, Any], executable: Executable) -> State:
    """The state that `encode` wrote, for the same program.

    Raises:
        ValueError: not such data, or of another version.
    """
    if data.get("version") != VERSION:
        message = f"a state of version {data.get('version')}, where {VERSION} is read"
        raise ValueError(message)
    try:
        return _decoded(data, executable)
    except (KeyError, TypeError, IndexError) as wrong:
        message = "not a saved state"
        raise ValueError(message) from wrong


def _decoded(data: Mapping[str, Any], executable: Executable) -> State:
    base = Base(
        {kind: tuple(ids) for kind, ids in data["base"]["things"].items()},
        {board: _in(cells) for board, cells in data["base"]["boards"].items()},
        {name: _in(value) for name, value in data["base"]["settings"].items()},
        {name: {_in(key): _in(value) for key, value in table} for name, table in data["base"]["tables"].items()},
        Plane(*data["base"]["plane"]),
        data["base"].get("coordinates", AXIAL),
    )
    pending = data["pending"]
    parts: dict[str, Any] = {name: _in(data[name]) for name in _PARTS} | {name: data[name] for name in _PLAIN}
    return State(
        layout=executable.layout,
        base=base,
        frames=tuple(Frame(block, _in(slots)) for block, slots in data["frames"]),
        pending=None if pending is None else Pending(pending[0], pending[1], _in(pending[2])),
        origin=None if data["origin"] is None else _start(data["origin"], base),
        **parts,
    )


def _base(base: Base) -> dict[str, Any]:
    return {
        "things": {kind: list(ids) for kind, ids in base.things.items()},
        "boards": {board: _out(cells) for board, cells in base.boards.items()},
        "settings": {name: _out(value) for name, value in base.settings.items()},
        "tables": {name: _pairs(table) for name, table in base.tables.items()},
        "plane": [base.plane.width, base.plane.depth, base.plane.contact],
        "coordinates": base.coordinates,
    }


def _situation(start: Situation) -> dict[str, Any]:
    return {
        "attributes": {name: _out(values) for name, values in start.attributes.items()},
        "gone": {kind: sorted(numbers) for kind, numbers in start.gone.items()},
        "game": {name: _out(value) for name, value in start.game.items()},
        "cells": {name: _pairs(entries) for name, entries in start.cells.items()},
        "sides": {name: _pairs(entries) for name, entries in start.sides.items()},
        "relations": {name: _out(pairs) for name, pairs in start.relations.items()},
    }


def _start(data: Mapping[str, Any], base: Base) -> Situation:
    return Situation(
        base,
        {name: _in(values) for name, values in data["attributes"].items()},
        {kind: frozenset(numbers) for kind, numbers in data["gone"].items()},
        {name: _in(value) for name, value in data["game"].items()},
        {name: {_in(key): _in(value) for key, value in entries} for name, entries in data["cells"].items()},
        {name: {_in(key): _in(value) for key, value in entries} for name, entries in data["sides"].items()},
        {name: _in(pairs) for name, pairs in data["relations"].items()},
    )


def _pairs(entries: Mapping[Any, Value]) -> list[list[Any]]:
    return [[_out(key), _out(value)] for key, value in entries.items()]


def _out(value: Any) -> Any:  # noqa: ANN401
    match value:
        case tuple():
            return [_out(each) for each in value]
        case Map():
            return {"map": _out(value.default), "entries": [[_out(key), _out(of)] for key, of in value.items()]}
        case Fraction():
            return {"fraction": [value.numerator, value.denominator]}
        case _:
            return value


def _in(value: Any) -> Any:  # noqa: ANN401
    match value:
        case list():
            return tuple(_in(each) for each in value)
        case {"map": default, "entries": entries}:
            return Map.of(_in(default), ((_in(key), _in(of)) for key, of in entries))
        case {"fraction": [above, below]}:
            return Fraction(above, below)
        case _:
            return value
