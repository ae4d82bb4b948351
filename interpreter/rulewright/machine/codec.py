"""States as plain JSON data, for saves, which prove by it that they lead where they say."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rulewright.machine.state import Base, Situation, State
from rulewright.machine.values import Map, Value

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


def _pairs(entries: Mapping[Any, Value]) -> list[list[Any]]:
    return [[_out(key), _out(value)] for key, value in entries.items()]


def _out(value: Any) -> Any:
    match value:
        case tuple():
            return [_out(each) for each in value]
        case Map():
            return {"map": _out(value.default), "entries": [[_out(key), _out(of)] for key, of in value.items()]}
        case Fraction():
            return {"fraction": [value.numerator, value.denominator]}
        case _:
            return value
