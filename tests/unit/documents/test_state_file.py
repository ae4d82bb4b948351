from collections.abc import Sequence

import pytest

from rulewright.base.source import Text
from rulewright.documents.document_nodes import data_to_node
from rulewright.documents.state_file import parse_state, read_state
from rulewright.documents.state_json import state_to_json
from rulewright.program.board_geometry import convert_from_axial, convert_to_axial
from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation
from rulewright.runtime.values import GameMap

GOOD = """\
players: {red: {spent: {mend: 2}, best: {mine: 1, theirs: 0}}, blue: {}}
units:
  hammer: {owner: red, at: [0, 0], morale: 2, abilities: [spite, mend], leader: anvil}
  anvil: {owner: blue, at: [1, 0], facing: 3, morale: 1, leader: none, badge: "5"}
  wreck: {owner: red, at: [2, 0], morale: 0}
field:
  shape: {radius: 3}
  cells: {"2,-1": {blocked: yes}}
  sides: {"1,0 0,0": {river: true}}
game: {active: hammer}
melee: [[hammer, anvil]]
removed: [wreck]
settings: {bold: spite}
"""


def _situation(program: Program, content: str, settings: Sequence[str] = ()) -> Situation:
    outcome = read_state(Text("s.yaml", content), program, settings)
    assert outcome.diagnostics == ()
    assert outcome.value
    return outcome.value


def test_a_state_becomes_a_situation(program: Program) -> None:
    situation = _situation(program, GOOD)
    assert situation.base.things == {"player": ("red", "blue"), "Unit": ("hammer", "anvil", "wreck")}
    assert len(situation.base.boards["field"]) == 37
    assert situation.base.settings == {"bold": 1}
    assert situation.attributes == {
        "player/spent": (GameMap.from_pairs(0, [(0, 2)]), GameMap.from_pairs(0)),
        "player/best": ((1, 0), None),
        "Unit/owner": (0, 1, 0),
        "Unit/at": ((0, 0), (1, 0), (2, 0)),
        "Unit/facing": (0, 3, 0),
        "Unit/morale": (2, 1, 0),
        "Unit/leader": (1, None, None),
        "Unit/abilities": ((0, 1), (), ()),
        "Unit/badge": ("", "5", ""),
    }
    assert situation.gone == {"Unit": frozenset({2})}
    assert situation.game == {"active": 0, "turn": 1}
    assert situation.cells == {"field/blocked": {(2, -1): True}}
    assert situation.sides == {"field/river": {((0, 0), (1, 0)): True}}
    assert situation.relations == {"melee": ((0, 1),), "rides": ()}


def test_a_state_is_written_as_it_is_read(program: Program) -> None:
    written = state_to_json(_situation(program, GOOD), program)
    again = parse_state(data_to_node(written), program).value
    assert again
    assert state_to_json(again, program) == written
    assert written["field"] == {
        "shape": {"radius": 3},
        "cells": {"2,-1": {"blocked": True}},
        "sides": {"0,0 1,0": {"river": True}},
    }
    assert written["removed"] == ["wreck"]


def test_a_rectangle_of_hexes_has_even_edges(program: Program) -> None:
    situation = _situation(program, GOOD.replace("{radius: 3}", "{columns: 4, rows: 3}").replace("2,-1", "2,1"))
    rows = [[cell for cell in situation.base.boards["field"] if cell[1] == row] for row in range(3)]
    assert [row[0] for row in rows] == [(0, 0), (0, 1), (-1, 2)]
    assert [len(row) for row in rows] == [4, 4, 4]


def test_so_many_findings_as_anybody_reads(program: Program) -> None:
    units = "".join(f"  u{number}: {{owner: red, at: [0, 0], morale: 99}}\n" for number in range(150))
    state = f"players: [red]\nunits:\n{units}field: {{shape: {{radius: 3}}}}\ngame: {{active: u0}}\n"
    assert len(read_state(Text("s.yaml", state), program).diagnostics) == 100


OFFSET = """\
players: [red]
units:
  hammer: {owner: red, at: [3, 1], morale: 2}
field:
  coordinates: COORDINATES
  shape: SHAPE
  cells: {"2,1": {blocked: yes}}
  sides: {"3,1 2,1": {river: yes}}
game: {active: hammer}
"""
CELLS = "{cells: [[3, 1], [2, 1], [-1, -3]]}"
SHAPES = ["{columns: 6, rows: 3}", "{rows: [5, 4, 5]}", "{columns: [2, 3, 2, 3, 1]}", CELLS]


@pytest.mark.parametrize("shape", [*SHAPES, "{radius: 5}"])
@pytest.mark.parametrize("way", ["odd rows", "even rows", "odd columns", "even columns"])
def test_hexes_are_told_as_they_are_written(program: Program, way: str, shape: str) -> None:
    found = _situation(program, OFFSET.replace("COORDINATES", way).replace("SHAPE", shape))
    assert found.attributes["Unit/at"] == (convert_to_axial((3, 1), way),)
    assert found.cells["field/blocked"] == {convert_to_axial((2, 1), way): True}
    data = state_to_json(found, program)
    assert data["units"]["hammer"]["at"] == [3, 1]  # type: ignore[index, call-overload]
    assert data["field"]["cells"] == {"2,1": {"blocked": True}}  # type: ignore[index, call-overload]
    again = parse_state(data_to_node(data), program).value
    assert again is not None
    assert (again.base.boards, again.base.coordinates, again.cells, again.sides) == (
        found.base.boards,
        way,
        found.cells,
        found.sides,
    )


def test_columns_and_rows_are_what_they_hold(program: Program) -> None:
    for way in ("even rows", "even columns"):
        for shape, size in zip(SHAPES, (18, 14, 11, 3), strict=True):
            found = _situation(program, OFFSET.replace("COORDINATES", way).replace("SHAPE", shape))
            assert len(found.base.boards["field"]) == size
    rows = _situation(program, OFFSET.replace("COORDINATES", "even rows").replace("SHAPE", SHAPES[1]))
    assert {convert_from_axial(each, "even rows") for each in rows.base.boards["field"]} == {
        (column, row) for row, length in enumerate((5, 4, 5)) for column in range(length)
    }
