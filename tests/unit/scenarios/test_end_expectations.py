"""What is written over a state is told to come to another only where that is sure."""

from typing import Any

import pytest

from rulewright.base.source import Text
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.scenarios.end_expectations import is_end_reached

BASE: dict[str, Any] = {
    "units": {"hammer": {"health": 3, "weak": False, "says": "no"}, "anvil": {"health": 2, "at": [1, 0]}},
    "game": {"active": None},
}


def changed(**units: dict[str, Any]) -> dict[str, Any]:
    return {**BASE, "units": {name: {**BASE["units"].get(name, {}), **units.get(name, {})} for name in BASE["units"]}}


@pytest.mark.parametrize(
    ("written", "end", "sure"),
    [
        ("{}", BASE, True),
        ("{}", changed(hammer={"health": 2}), False),
        ("{units: {hammer: {health: 2}}}", changed(hammer={"health": 2}), True),
        ("{units: {hammer: {health: 2}}}", changed(hammer={"health": 1}), False),
        ("{units: {hammer: {health: 2}}}", changed(hammer={"health": 2}, anvil={"health": 1}), False),
        ("{units: {hammer: {weak: yes}}}", changed(hammer={"weak": True}), True),
        ("{units: {hammer: {weak: true}}}", changed(hammer={"weak": True}), True),
        ("{units: {hammer: {weak: 1}}}", changed(hammer={"weak": True}), False),
        ("{units: {hammer: {health: yes}}}", changed(hammer={"health": True}), True),
        ("{units: {hammer: {health: true}}}", changed(hammer={"health": 1}), False),
        ("{units: {hammer: {says: '2'}}}", changed(hammer={"says": "2"}), True),
        ("{units: {hammer: {says: 2}}}", changed(hammer={"says": "2"}), False),
        ("{units: {hammer: {says: none}}}", changed(hammer={"says": None}), False),
        ("{units: {hammer: {says: null}}}", changed(hammer={"says": None}), True),
        ("{units: {anvil: {at: [2, 0]}}}", changed(anvil={"at": [2, 0]}), True),
        ("{units: {anvil: {at: [2]}}}", changed(anvil={"at": [2, 0]}), False),
        ("{removed: [anvil]}", {**BASE, "removed": ["anvil"]}, True),
        ("{}", {**BASE, "removed": ["anvil"]}, False),
        ("{}", {"units": BASE["units"]}, False),
        ("{field: {cells: {'0,0': {rough: yes}}}}", {**BASE, "field": {"cells": {"0,0": {"rough": True}}}}, True),
        ("{field: {cells: {'0,0': {rough: yes}}}}", BASE, False),
    ],
)
def test_it_comes_to(written: str, end: Any, *, sure: bool) -> None:
    node = parse_yaml(Text("t.yaml", written)).value
    assert node is not None
    assert is_end_reached(node, BASE, end) == sure
