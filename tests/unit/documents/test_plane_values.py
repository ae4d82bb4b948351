"""Values of the plane in state files: read, written back, and accepted by the schema."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.document_schemas import state_schema
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_file import read_state
from rulewright.documents.state_json import state_to_json
from rulewright.program.declarations import Program

RULES = """\
ruleset example "Example" revision "1"
kind Mini, minis:
  at: point? = none
  facing: angle = 0
  base: shape
  reach: inches = 0
  trail: list of pose = []
kind Wall, walls:
  outline: polygon
board field of plane
"""


@pytest.fixture(scope="module")
def program() -> Program:
    files = MemoryFiles({"example.rules": RULES})
    found = load_ruleset(locate_ruleset("example.rules", files), provider=files).program
    assert found is not None
    return found


def _state(**mini: Any) -> dict[str, Any]:
    return {"players": {"red": {}}, "minis": {"a": {"base": {"round": 1}, **mini}}, "walls": {}}


GOOD = [
    _state(),
    _state(at=[1.5, -2], facing=12.34, base={"width": 1.001, "length": 2}, reach=0.125),
    _state(at="none", trail=[{"thing": "a", "at": [0, 0.001], "facing": 359.99}]),
    _state() | {"walls": {"w": {"outline": [[0, 0], [1.5, 0], [1, 1]]}, "v": {"outline": [[0, 0], [3, 3]]}}},
    _state() | {"field": {"width": 48, "depth": 36.5, "contact": 0}},
    _state() | {"field": None},
    _state(at=["25 mm", '-1.5"'], facing="12.5°", base={"width": "60mm", "length": "3.5 cm"}, reach="4 in"),
    _state() | {"field": {"width": "1200 mm", "depth": "90 cm", "contact": "0.5 mm"}},
]
BAD = [
    _state(at=[1]),
    _state(at=[1, "2"]),
    _state(at=[1, "2 m"]),
    _state(base={"round": "-25 mm"}),
    _state(facing="90 in"),
    _state(facing="east"),
    _state(base={"round": 1, "width": 2}),
    _state(base={"round": -1}),
    _state(reach=20000),
    _state(trail=[{"at": [0, 0]}]),
    _state(trail=[{"thing": "a", "at": [0, 0], "to": 1}]),
    _state() | {"walls": {"w": {"outline": [[0, 0]]}}},
    _state() | {"field": {"width": 48}},
    _state() | {"field": {"radius": 3}},
    _state() | {"field": {"contact": -1}},
]


def _same(state: dict[str, Any], program: Program) -> Callable[[], dict[str, Any]]:
    read = read_state(Text("state.yaml", json.dumps(state)), program)
    assert read.value is not None, read.diagnostics
    situation = read.value
    return lambda: dict(state_to_json(situation, program))


@pytest.mark.parametrize("state", GOOD)
def test_what_is_written_back_is_read_alike(state: dict[str, Any], program: Program) -> None:
    schema = Draft202012Validator(state_schema(program))
    assert list(schema.iter_errors(state)) == []
    written = _same(state, program)()
    assert list(schema.iter_errors(written)) == []
    assert _same(written, program)() == written


@pytest.mark.parametrize("state", BAD)
def test_schema_and_reader_refuse_the_same(state: dict[str, Any], program: Program) -> None:
    assert list(Draft202012Validator(state_schema(program)).iter_errors(state)) != []
    assert read_state(Text("state.yaml", json.dumps(state)), program).value is None


def test_values_at_run_time(program: Program) -> None:
    state = _state(at=[1.5, -2], facing=-90, base={"round": 1.575}, reach=0.5)
    read = read_state(Text("state.yaml", json.dumps(state)), program)
    assert read.value is not None
    found = {name: values[0] for name, values in read.value.attributes.items() if name.startswith("Mini/")}
    assert found["Mini/at"] == (1500, -2000)
    assert found["Mini/facing"] == 270
    assert found["Mini/base"] == ("round", 788)


UNITS = [
    ("25 mm", 0.984),
    ("32mm", 1.26),
    ("-0.0127 mm", -0.001),
    ("0.0126 mm", 0),
    ("2.54 cm", 1),
    ("1.5 in", 1.5),
    ('6"', 6),
]


@pytest.mark.parametrize(("written", "inches"), UNITS)
def test_a_length_may_have_its_unit(program: Program, written: str, inches: float) -> None:
    data: Any = _same(_state(at=[written, 0]), program)()
    assert data["minis"]["a"]["at"] == [inches, 0]


@pytest.mark.parametrize(
    ("mini", "code", "message"),
    [
        ({"base": {"round": "0.001 mm"}}, "RW0713", "a side of `base` of `a` is less than a thousandth of an inch"),
        ({"reach": "999999 mm"}, "RW0712", "`reach` of `a` is the text `999999 mm`; it must be within 10000 inches"),
        ({"reach": "1.2345 in"}, "RW0712", "`reach` of `a` is the text `1.2345 in`; inches have at most three digits"),
        ({"facing": "1 rad"}, "RW0713", "`facing` of `a` is the text `1 rad`; it must be a number of degrees"),
    ],
)
def test_a_length_that_is_none_is_said(program: Program, mini: dict[str, Any], code: str, message: str) -> None:
    found = read_state(Text("state.yaml", json.dumps(_state(**mini))), program).diagnostics
    assert [each.code for each in found] == [code]
    assert found[0].message.startswith(message)
