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


def _findings(program: Program, content: str, settings: Sequence[str] = ()) -> list[tuple[str, str, str, str]]:
    """Code, pointer, message and help of every finding."""
    outcome = read_state(Text("s.yaml", content), program, settings)
    assert outcome.value is None
    return [(each.code, each.pointer or "", each.message, each.help) for each in outcome.diagnostics]


def _change(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


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
    situation = _situation(program, _change("{radius: 3}", "{columns: 4, rows: 3}").replace("2,-1", "2,1"))
    rows = [[cell for cell in situation.base.boards["field"] if cell[1] == row] for row in range(3)]
    assert [row[0] for row in rows] == [(0, 0), (0, 1), (-1, 2)]
    assert [len(row) for row in rows] == [4, 4, 4]


ONE_FAULT = [
    (
        ("morale: 2", "morale: 12"),
        ("RW0712", "/units/hammer/morale", "`morale` of `hammer` is 12; it must be from 0 to 9", ""),
    ),
    (
        ("morale: 2", "morale: two"),
        (
            "RW0713",
            "/units/hammer/morale",
            "`morale` of `hammer` is the text `two`; it must be a whole number, from 0 to 9",
            "",
        ),
    ),
    (
        ("morale: 2", "morale: .inf"),
        (
            "RW0713",
            "/units/hammer/morale",
            "`morale` of `hammer` is `.inf`; it must be a whole number, from 0 to 9",
            "",
        ),
    ),
    (
        ("morale: 2", 'morale: "2"'),
        (
            "RW0713",
            "/units/hammer/morale",
            "`morale` of `hammer` is the text `2`; it must be a whole number, from 0 to 9",
            "write it without quotes: `2`",
        ),
    ),
    (
        ('badge: "5"', "badge: 5"),
        ("RW0713", "/units/anvil/badge", "`badge` of `anvil` is 5; it must be a text", 'put it in quotes: `"5"`'),
    ),
    (
        ("morale: 2, ", ""),
        ("RW0711", "/units/hammer", "`hammer` lacks `morale`", "add `morale: …` (0..9)"),
    ),
    (
        ("morale: 2", "morale: 2, moral: 3"),
        ("RW0710", "/units/hammer/moral", "a Unit has no attribute `moral`", "did you mean `morale`?"),
    ),
    (
        ("morale: 2", "morale: 2, destroyed: no"),
        (
            "RW0710",
            "/units/hammer/destroyed",
            "`destroyed` of `hammer` is computed by the rules and cannot be written here",
            "leave it out",
        ),
    ),
    (
        ("morale: 2", "morale: 2, gone: no"),
        (
            "RW0710",
            "/units/hammer/gone",
            "`gone` of `hammer` cannot be written here",
            "list the thing under `removed`",
        ),
    ),
    (
        ("leader: anvil", "leader: anvl"),
        (
            "RW0714",
            "/units/hammer/leader",
            "`leader` of `hammer` is `anvl`, which is not a Unit here",
            "did you mean `anvil`?",
        ),
    ),
    (
        ("abilities: [spite, mend]", "abilities: [spit]"),
        (
            "RW0715",
            "/units/hammer/abilities/0",
            "a member of `abilities` of `hammer` is `spit`; it must be `mend`, `spite` or `war_cry`",
            "did you mean `spite`?",
        ),
    ),
    (
        ("abilities: [spite, mend]", "abilities: [mend, mend]"),
        (
            "RW0713",
            "/units/hammer/abilities/1",
            "`abilities` of `hammer` has this member twice; a set has each once",
            "",
        ),
    ),
    (
        ("at: [0, 0]", "at: [9, 0]"),
        (
            "RW0716",
            "/units/hammer/at",
            "`at` of `hammer` is [9, 0], which is not a cell of `field`",
            "the first number of a cell of `field` goes from -3 to 3, the second from -3 to 3",
        ),
    ),
    (
        ("at: [0, 0]", "at: 5"),
        (
            "RW0713",
            "/units/hammer/at",
            "`at` of `hammer` is 5; it must be the two numbers of a cell, such as `[2, -1]`",
            "",
        ),
    ),
    (
        ("facing: 3", "facing: 6"),
        ("RW0712", "/units/anvil/facing", "`facing` of `anvil` is 6; it must be from 0 to 5", ""),
    ),
    (
        ('"2,-1": {blocked: yes}', '"9,9": {blocked: yes}'),
        ("RW0716", "/field/cells/9,9", "`9,9` is not a cell of `field`", ""),
    ),
    (
        ("blocked: yes", "blocked: maybe"),
        (
            "RW0713",
            "/field/cells/2,-1/blocked",
            "`blocked` of cell `2,-1` is the text `maybe`; it must be `yes` or `no`",
            "",
        ),
    ),
    (
        ('"1,0 0,0"', '"0,0 2,0"'),
        (
            "RW0716",
            "/field/sides/0,0 2,0",
            "`0,0 2,0` is not a side between two neighbouring cells of `field`",
            "",
        ),
    ),
    (
        ('"2,-1": {', '"2;-1": {'),
        ("RW0713", "/field/cells/2;-1", "`2;-1` is not a cell", 'a cell is written `"2,-1"`'),
    ),
    (
        ("{radius: 3}", "{radius: 999}"),
        ("RW0712", "/field/shape/radius", "`radius` is 999; it must be from 0 to 150", ""),
    ),
    (
        ("{radius: 3}", "{size: 3}"),
        (
            "RW0713",
            "/field/shape",
            "the shape of `field` is not known",
            (
                "use `{radius: 3}`, `{parallelogram: [6, 4]}`, `{columns: 13, rows: 11}`, `{rows: [4, 3, 4]}` or "
                "`{cells: [[0, 0], [1, 0]]}`"
            ),
        ),
    ),
    (
        ("active: hammer", "turn: 2"),
        ("RW0711", "/game", "the game lacks `active`", "add it under `game:`, as `active: …`"),
    ),
    (
        ("active: hammer", "active: hammer, trun: 2"),
        ("RW0710", "/game/trun", "the game has no field `trun`", "did you mean `turn`?"),
    ),
    (
        ("[[hammer, anvil]]", "[[hammer, anvil], [anvil, hammer]]"),
        ("RW0717", "/melee/1", "this pair is given twice in `melee`", "keep one"),
    ),
    (
        ("[[hammer, anvil]]", "[[hammer, red]]"),
        (
            "RW0714",
            "/melee/0/1",
            "`b` of `melee` is `red`, which is not a Unit here",
            "it may be `hammer`, `anvil` or `wreck`",
        ),
    ),
    (
        ("[[hammer, anvil]]", "[[hammer]]"),
        ("RW0713", "/melee/0", "an entry of `melee` is [hammer]; it must be a pair, such as `[a, b]`", ""),
    ),
    (
        ("removed: [wreck]", "removed: [wrek]"),
        ("RW0714", "/removed/0", "`removed` names `wrek`, which is not a thing here", "did you mean `wreck`?"),
    ),
    (
        ("{bold: spite}", "{bald: spite}"),
        ("RW0722", "/settings/bald", "there is no setting `bald`", "did you mean `bold`?"),
    ),
    (
        ("melee:", "meele:"),
        ("RW0710", "/meele", "`meele` is not part of a state of `skirmish`", "did you mean `melee`?"),
    ),
    (
        ("  wreck:", "  none:"),
        (
            "RW0718",
            "/units/none",
            "`none` cannot be the id of a Unit",
            "use letters, digits, `_`, `-` and `.`; not `none` or `defaults`; five alike are `name x5`",
        ),
    ),
]


@pytest.mark.parametrize(("change", "expected"), ONE_FAULT, ids=[f"{new}" for (_, new), _ in ONE_FAULT])
def test_one_fault_gives_one_finding(
    program: Program, change: tuple[str, str], expected: tuple[str, str, str, str]
) -> None:
    content = _change(*change)
    if change[1] == "  none:":
        content = content.replace("removed: [wreck]\n", "")
    assert _findings(program, content) == [expected]


def test_flags_are_judged_like_the_file_but_have_no_place(program: Program) -> None:
    outcome = read_state(Text("s.yaml", GOOD), program, ["bold=loud", "bald=x"])
    assert [(each.code, each.primary, each.message) for each in outcome.diagnostics] == [
        ("RW0715", None, "the setting `bold` is `loud`; it must be `mend`, `spite` or `war_cry`"),
        ("RW0722", None, "there is no setting `bald`"),
    ]


def test_an_id_of_two_kinds_is_told_apart_where_it_matters(program: Program) -> None:
    content = GOOD.replace("  wreck:", "  red:")
    assert _situation(program, content.replace("[wreck]", "[units/red]")).gone == {"Unit": frozenset({2})}
    assert _findings(program, content.replace("[wreck]", "[red]")) == [
        ("RW0717", "/removed/0", "several things are called `red`", "write `players/red` or `units/red`")
    ]


def test_a_state_is_a_mapping(program: Program) -> None:
    assert _findings(program, "- red\n") == [
        ("RW0713", "", "a state is a mapping, and this is [red]", "begin with `players:`")
    ]


def test_ids_that_are_wrong_are_not_missed_too(program: Program) -> None:
    found = _findings(
        program,
        "players: red\nunits: {u: {owner: red, at: [0, 0], morale: 0}}\n"
        "field: {shape: {radius: 3}}\ngame: {active: u}\n",
    )
    assert [each[1] for each in found] == ["/players"]


def test_so_many_findings_as_anybody_reads(program: Program) -> None:
    units = "".join(f"  u{number}: {{owner: red, at: [0, 0], morale: 99}}\n" for number in range(150))
    state = f"players: [red]\nunits:\n{units}field: {{shape: {{radius: 3}}}}\ngame: {{active: u0}}\n"
    assert len(_findings(program, state)) == 100


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
