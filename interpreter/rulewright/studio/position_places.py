"""A position for whoever changes it by clicking: its state, its boards with their cells, and what may stand in a state."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_json import state_to_json
from rulewright.play.board_svg import lay_out_board
from rulewright.play.grid_drawing import draw_board
from rulewright.play.plane_drawing import draw_plane, lay_out_plane
from rulewright.program.declarations import Board, Field, Kind, Program
from rulewright.program.types import (
    GRID_STEPS,
    CellType,
    DirectionType,
    FlagType,
    LengthType,
    NumberType,
    PlaneType,
    TextType,
    ThingType,
    Type,
    WordType,
    strip_optional,
)
from rulewright.runtime.state import Situation, evaluate_constant
from rulewright.runtime.type_codecs import value_to_json
from rulewright.scenarios.scenario_recording import format_yaml_lines, shorten_state

_POSITION_FORMAT_VERSION = 1


def position_to_json(situation: Situation, program: Program) -> dict[str, Any]:
    """A position as whoever made it sees it, also what players do not; `text` is its state in a scenario, in YAML."""
    names = NameTable(program, situation.base)
    return {
        "version": _POSITION_FORMAT_VERSION,
        "state": state_to_json(situation, program),
        "text": "".join(f"{line}\n" for line in format_yaml_lines("state", shorten_state(situation, program), 0)),
        "boards": [_board_to_json(board, situation, names) for board in program.boards.values()],
        "kinds": [_kind_to_json(kind, names) for kind in program.kinds.values()],
        "game": [_field_to_json(field, names) for field in program.game.values()],
    }


def _board_to_json(board: Board, situation: Situation, names: NameTable) -> dict[str, Any]:
    shown: dict[str, Any] = {"board": board.name, "fields": [_field_to_json(field, names) for field in board.fields]}
    if board.space not in GRID_STEPS:
        plane = lay_out_plane(draw_plane(board, situation, names))
        zero = {"x": plane.zero[0], "y": plane.zero[1], "scale": plane.scale, "unit": board.unit}
        return {**shown, "svg": plane.svg, "plane": zero, "outline": "", "cells": []}
    page = lay_out_board(draw_board(board, situation, names))
    cells = [{"place": place, "x": x, "y": y} for place, (x, y) in page.cells.items()]
    return {**shown, "svg": page.svg, "plane": None, "outline": page.outline, "cells": cells}


def _kind_to_json(kind: Kind, names: NameTable) -> dict[str, Any]:
    return {
        "kind": kind.name,
        "section": kind.plural,
        "title": kind.title,
        "fields": [_field_to_json(field, names) for field in kind.fields],
    }


def _field_to_json(field: Field, names: NameTable) -> dict[str, Any]:
    """A field of a form: what it takes, and what it is unless a state says so; `start` is left out where it must be said."""
    item = strip_optional(field.type)
    known: dict[str, Any] = {}
    if field.start is not None:
        with suppress(ValueError):  # worked out from others
            known["start"] = value_to_json(evaluate_constant(field.start), field.type, names)
    return {
        "name": field.name,
        "title": field.title,
        "type": str(field.type),
        "optional": item != field.type,
        **dict(_list_form_facts(item, names.program)),
        **known,
    }


def _list_form_facts(item: Type, program: Program) -> Iterator[tuple[str, Json]]:
    """What a field takes: `sort`, and its bounds, values, things or board."""
    match item:
        case NumberType():
            yield from (("sort", "number"), ("low", item.low), ("high", item.high))
        case DirectionType():
            yield from (("sort", "number"), ("low", 0), ("high", item.count - 1))
        case FlagType():
            yield "sort", "flag"
        case WordType():
            words = program.values[item.values].titles
            yield "sort", "one"
            yield "values", [*words.names]
            yield "says", [*words.display_names]
        case ThingType():
            yield from (("sort", "thing"), ("section", program.kinds[item.kind].plural))
        case CellType():
            yield from (("sort", "cell"), ("board", _board_of_space(item.space, program)))
        case PlaneType(name="point"):
            yield from (("sort", "point"), ("board", _board_of_space("plane", program)))
        case PlaneType(name="angle") | LengthType():
            yield "sort", "decimal"
        case TextType():
            yield "sort", "text"
        case _:
            yield "sort", "other"


def _board_of_space(space: str, program: Program) -> Json:
    return next((board.name for board in program.boards.values() if board.space == space), None)
