"""Values of the plane in state files: read, written back, and accepted by the schema."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rulewright.inputs.document_schemas import state_schema
from rulewright.inputs.state_file import read_state
from rulewright.inputs.state_json import state_json
from rulewright.program.declarations import Program
from rulewright.source import Text
from rulewright.workspace import Memory, load, locate

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
    files = Memory({"example.rules": RULES})
    found = load(locate("example.rules", files), provider=files).program
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
]
BAD = [
    _state(at=[1]),
    _state(at=[1, "2"]),
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
    return lambda: dict(state_json(situation, program))


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
