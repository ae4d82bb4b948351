"""Short forms of states: what they stand for, and the messages about them."""

import json
from itertools import pairwise

import jsonschema
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from rulewright.base.source import Text
from rulewright.documents.document_nodes import MapNode, data_to_node, merge_nodes, node_to_data
from rulewright.documents.document_schemas import state_schema
from rulewright.documents.findings import Findings
from rulewright.documents.name_table import StateSections
from rulewright.documents.state_file import parse_state, read_state
from rulewright.documents.state_json import state_to_json
from rulewright.documents.state_shorthand import expand_short_forms
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.program.board_geometry import COORDINATE_SYSTEMS, convert_to_axial
from rulewright.program.declarations import Program

REST = """\
field: {shape: {radius: 3}}
game: {active: hammer}
"""
SHORT = """\
players: [red, blue]
units:
  defaults: {owner: red, morale: 2, facing: 1}
  grunt_2: {morale: 0}
  hammer: {at: [0, 0], abilities: [spite]}
  grunt x3: {owner: blue, at: {each: [[1, 0], [2, 0], [3, 0]]}}
  late: {like: veteran, at: [0, 3]}
  veteran: {like: grunt_2, facing: 4, at: [0, 2]}
"""
LONG = """\
players: [red, blue]
units:
  grunt_2: {owner: blue, at: [2, 0], morale: 0, facing: 1}
  hammer: {owner: red, at: [0, 0], morale: 2, facing: 1, abilities: [spite]}
  grunt_1: {owner: blue, at: [1, 0], morale: 2, facing: 1}
  grunt_3: {owner: blue, at: [3, 0], morale: 2, facing: 1}
  late: {owner: blue, at: [0, 3], morale: 0, facing: 4}
  veteran: {owner: blue, at: [0, 2], morale: 0, facing: 4}
"""
MERGED = """\
players: [red, blue]
units:
  hammer: &all {owner: red, at: [0, 0], morale: 2}
  anvil: {<<: *all, owner: blue, at: [1, 0]}
  wall: {<<: [{at: [2, 0], morale: 1}, *all]}
"""
MERGED_LONG = """\
players: [red, blue]
units:
  hammer: {owner: red, at: [0, 0], morale: 2}
  anvil: {owner: blue, at: [1, 0], morale: 2}
  wall: {owner: red, at: [2, 0], morale: 1}
"""


def _json(program: Program, content: str) -> object:
    outcome = read_state(Text("s.yaml", content + REST), program)
    assert outcome.diagnostics == ()
    assert outcome.value is not None
    return list(state_to_json(outcome.value, program).items()), list(outcome.value.base.things["Unit"])


@pytest.mark.parametrize(("short", "long"), [(SHORT, LONG), (MERGED, MERGED_LONG)])
def test_a_short_state_is_the_same_as_the_long_one(program: Program, short: str, long: str) -> None:
    assert _json(program, short) == _json(program, long)


def test_editors_take_short_states_and_long_ones(program: Program) -> None:
    for content in (SHORT, LONG):
        node = parse_yaml(Text("s.yaml", content + REST)).value
        assert node is not None
        jsonschema.validate(node_to_data(node), state_schema(program))


def test_lines_stand_for_so_many_things_at_most(program: Program) -> None:
    lines = "".join(f"  {name} x999: {{owner: red, at: [0, 0], morale: 1}}\n" for name in "abcdefghijk")
    found = read_state(Text("s.yaml", f"players: [red]\nunits:\n{lines}"), program).diagnostics
    assert [(each.code, each.message) for each in found] == [
        ("RW0702", "these lines stand for more than 10,000 things")
    ]


def test_a_patch_is_laid_over_the_whole_state(program: Program) -> None:
    base = parse_yaml(Text("s.yaml", SHORT + REST)).value
    patch = parse_yaml(Text("p.yaml", "units: {grunt_2: {morale: 5}, new: {like: late, at: [1, 1]}}")).value
    assert base is not None
    assert isinstance(patch, MapNode)
    found = parse_state(base, program, patch=patch).value
    assert found is not None
    names = found.base.things["Unit"]
    assert dict(zip(names, found.attributes["Unit/morale"], strict=True)) == {
        "grunt_2": 5,
        "hammer": 2,
        "grunt_1": 2,
        "grunt_3": 2,
        "late": 0,
        "veteran": 0,
        "new": 0,
    }


SHAPES = [{"radius": 2}, {"columns": 3, "rows": 4}, {"cells": [[0, 0]]}, {"round": 1}, {"width": 1, "length": 2}]


@given(st.sampled_from(SHAPES), st.sampled_from(SHAPES))
def test_a_shape_in_another_form_replaces_the_first(base: dict[str, object], patch: dict[str, object]) -> None:
    assert node_to_data(merge_nodes(data_to_node(base), data_to_node(patch))) == patch  # type: ignore[arg-type]


def test_a_part_of_a_shape_keeps_the_rest() -> None:
    assert node_to_data(merge_nodes(data_to_node({"columns": 3, "rows": 4}), data_to_node({"rows": 6}))) == {
        "columns": 3,
        "rows": 6,
    }


def test_what_is_written_out_is_written_out_no_further(program: Program) -> None:
    node, sections, findings = parse_yaml(Text("s.yaml", SHORT + REST)).value, StateSections(program), Findings()
    assert node is not None
    once = expand_short_forms(node, sections, findings)
    assert expand_short_forms(once, sections, findings) == once
    assert not findings.collected


@given(
    lines=st.lists(st.text(".# b", max_size=6), min_size=1, max_size=6), way=st.sampled_from(sorted(COORDINATE_SYSTEMS))
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_drawing_is_the_cells_that_it_shows(program: Program, lines: list[str], way: str) -> None:
    drawn = [["H", *lines[0]], *lines[1:]]
    assume(any(" " not in both for row in drawn for both in pairwise(row)))  # else it was copied with its gaps
    places = {(x, y): each for y, row in enumerate(drawn) for x, each in enumerate(row) if each != " "}
    pairs = {at: convert_to_axial(at, "odd rows") if way == "axial" else at for at in places}
    board = "\n".join("    " + "".join(row) for row in drawn)
    legend = '{H: hammer, "#": {blocked: yes}, b: [{blocked: yes}, {blocked: no}]}'
    short = f"field:\n  coordinates: {way}\n  legend: {legend}\n  drawn: |\n{board}\n"
    shape = [list(each) for each in pairs.values()]
    cells = {f"{pairs[at][0]},{pairs[at][1]}": {"blocked": each == "#"} for at, each in places.items() if each in "#b"}
    long = f"field:\n  coordinates: {way}\n  shape: {{cells: {shape}}}\n  cells: {json.dumps(cells)}\n"
    unit = "players: [red]\nunits: {{hammer: {{owner: red, morale: 1{}}}}}\ngame: {{active: hammer}}\n"
    written, meaning = (
        read_state(Text("s.yaml", each), program)
        for each in (unit.format("") + short, unit.format(f", at: {list(pairs[0, 0])}") + long)
    )
    assert written.diagnostics == meaning.diagnostics == ()
    assert written.value is not None
    assert meaning.value is not None
    assert state_to_json(written.value, program) == state_to_json(meaning.value, program)


def test_a_character_has_a_place_of_its_own(program: Program) -> None:
    for newline in ("\n", "\r\n"):
        text = "players: [red]\nfield:\n  drawn: |2 # a map\n\n     .\n    .?\ngame: {}\n".replace("\n", newline)
        found = read_state(Text("s.yaml", text), program).diagnostics
        places = [each.primary.span for each in found if each.code == "RW0727" and each.primary]
        assert [text[each.start : each.end] for each in places] == ["?"]
