"""Hexes are told with the numbers of their board: here every axial row is negative, and no written one is."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.duel_example import RunCommand

_RULES = """\
ruleset example "Example" revision "1"
kind Unit, units:
  owner: player
  at: hex
board field of hex:
  burnt: flag = no
  side dammed: flag = no
game:
  score: map of hex to 0..9
decide target(unit: Unit, other: hex) gives hex "The target":
  here: unit.at when unit.at = other
  there: other otherwise
procedure burn(unit: Unit, other: hex) "Burn":
  ask unit.owner whether ok "Burn it?":
    nothing
  set other.burnt to yes
  set score[target(unit, other)] to 2
  for each h in neighbours(unit.at) where h.burnt:
    add 1 to score[h]
"""
_STATE = """\
players: [red]
units: {hammer: {owner: red, at: [5, 1]}}
field: {coordinates: odd columns, shape: {columns: [2, 2, 2, 2, 2, 2, 2]}}
game: {score: []}
"""
_SCENARIO = """\
ruleset: example.rules
procedure: burn
with: {unit: hammer, other: [6, 1]}
state: state.yaml
scenarios:
  burns:
    script: [yes]
    expect: {changes: {field: {sides: {"5,1 6,1": {dammed: yes}}}}}
"""
_START = ("burn", "--state", "state.yaml", "--with", "unit=hammer", "--with", "other=[6,1]", "--policy", "first")


@pytest.fixture(autouse=True)
def _files(run: RunCommand) -> None:  # noqa: ARG001 - it is in the folder that `run` runs in
    for name, content in (("example.rules", _RULES), ("state.yaml", _STATE), ("example.scenario.yaml", _SCENARIO)):
        Path(name).write_text(content, encoding="utf-8")


def _numbers(data: Any) -> list[int]:
    if isinstance(data, dict | list):
        return [number for each in (data.values() if isinstance(data, dict) else data) for number in _numbers(each)]
    return [data] if isinstance(data, int) else []


def test_the_data_of_a_run_do_so(run: RunCommand) -> None:
    report = json.loads(run("run", "example.rules", *_START, "--format", "json").out)
    keys = [each["key"] for entry in report["events"] for each in entry["changes"]]
    assert [6, 1] in keys
    assert min(_numbers(report)) >= 0
