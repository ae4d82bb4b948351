"""States from JSON data come to what they come to as files, and what is wrong with them is told alike."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import fields
from random import Random
from typing import Any

import pytest

from rulewright.base.source import Text
from rulewright.documents.document_nodes import format_json
from rulewright.documents.findings import ReadResult
from rulewright.documents.state_file import parse_state, parse_state_data
from rulewright.documents.state_json import state_to_json
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.runtime.state import Situation
from support.reference.ruleset_texts import load_program, read_situation

RULES = load_program("""\
ruleset example "Example" revision "1"
values Stance "Stances":
  low
  high "High up"
record Blow:
  strength: 0..9
  by: Unit?
kind Unit, units:
  owner: player
  at: hex?
  facing: direction
  health: 0..9 = 5
  score: -20..99
  stance: Stance = low
  fresh: flag = yes
  leader: Unit?
  called: text = "nobody"
  blows: list of Blow
  counts: map of Stance to 0..9
kind Marker, markers:
  number: 0..9 = 1
board field of hex
game:
  active: player
relation bound(a: Unit, b: Unit)
""")
START = """\
players: [red, blue]
units:
  a: {owner: red, at: [0, 0], facing: 2, score: 12, leader: null, blows: [], counts: {high: 2}}
  b: {owner: blue, at: [1, -1], facing: 5, score: -3, leader: a, blows: [{strength: 3, by: a}], counts: {}}
  c: {owner: red, at: null, facing: 0, health: 9, stance: high, fresh: no, score: 0, leader: b, blows: [], counts: {},
      called: somebody}
markers: {x: {}, y: {number: 3}}
field: {shape: {radius: 2}}
game: {active: red}
bound: [[a, b]]
removed: [c]
"""
ODD = (None, True, False, 0, 1, 2, 99, -1, 10**120, 1.0, 0.5, "", "a", "red", "none", "no", "yes", "high", "High up")
ODDER = ("1/3", "0,0", "x" * 300, "line\nfeed", [], [0, 0], [1, -1], [9, 9], [0, True], [0.0, 0], {}, ["a"])
ODDEST = ({"each": [1, 2]}, {"like": "a"}, {"low": 1}, [["low", 1]], {"strength": 1}, [{"strength": 2, "by": "b"}])
KEYS = ("health", "gone", "a", "a x3", "defaults", "like", "csv", "none", "<<", "example.units", "drawn", "units", "é")


def _changed(data: Any, random: Random) -> Any:
    """The data with one value or key replaced, taken away or added somewhere."""
    at, whole = data, data
    while isinstance(at, dict | list) and at:
        where = random.choice([*at] if isinstance(at, dict) else range(len(at)))
        if random.random() < 0.35 or not isinstance(at[where], dict | list):
            match random.randrange(4):
                case 0:
                    del at[where]
                case 1 if isinstance(at, dict):
                    at[random.choice(KEYS)] = random.choice((at[where], *ODD, *ODDEST))
                case _:
                    at[where] = deepcopy(random.choice((*ODD, *ODDER, *ODDEST)))
            return whole
        at = at[where]
    return whole


def _told(reads: Callable[[Any], ReadResult[Situation]], data: Any) -> tuple[Any, ...]:
    try:
        found = reads(deepcopy(data))
    except ValueError as error:
        return None, str(error)
    value = found.value
    if value is None:
        return None, found.diagnostics
    parts = {each.name: getattr(value, each.name) for each in fields(value)}
    base = parts.pop("base")
    return {**parts, **{each.name: getattr(base, each.name) for each in fields(base)}}, found.diagnostics


def _read_text(data: Any) -> ReadResult[Situation]:
    text = parse_yaml(Text("state", format_json(data)))
    if text.value is None:
        raise ValueError(text.diagnostics[0].message)
    return parse_state(text.value, RULES)


@pytest.mark.parametrize("seed", range(4))
def test_data_come_to_what_their_text_comes_to(seed: int) -> None:
    random = Random(seed)
    whole: Any = state_to_json(read_situation(START, RULES), RULES)
    right = 0
    for _ in range(100):
        data = deepcopy(whole)
        for _ in range(random.choice((0, 1, 1, 2))):
            data = _changed(data, random)
        told = _told(_read_text, data)
        assert _told(lambda given: parse_state_data(given, RULES), data) == told, data
        right += told[0] is not None and not told[1]
    assert 10 < right < 90
