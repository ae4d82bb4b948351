"""What is measured at the end of a run, and what a scenario says where there is nothing to measure."""

import json
from pathlib import Path

import pytest

from support.duel_example import RunCommand

RULES = """\
ruleset camp "A camp" revision "1"
values Mood: calm, angry
kind Unit, units "A unit":
  owner: player
  health: 0..9
  mood: Mood = calm
measure total(): sum(each u in units: u.health)
measure best(p: player): max([each u in units where u.owner = p: u.health])
measure health_of(u: Unit): u.health
measure in_mood(mood: Mood, strong: flag): count(each u in units where u.mood = mood and (u.health > 4 or not strong))
measure above(n: 0..9): count(each u in units where u.health > n)
always healthy for each u in units: u.health > 0 "units have health"
procedure wait() "Waiting":
  nothing
procedure fall(u: Unit) "A fall":
  set u.health to 0
"""
STATE = """\
players: [red, blue]
units:
  hammer: {owner: red, health: 3}
  anvil: {owner: red, health: 5}
"""
SCENARIO = """\
ruleset: camp.rules
state: state.yaml
scenarios:
  waiting:
    procedure: wait
    expect: {measures: {best: {blue: 3}}}
"""


@pytest.fixture(autouse=True)
def _files(run: RunCommand) -> None:
    del run
    Path("camp.rules").write_text(RULES, encoding="utf-8")
    Path("state.yaml").write_text(STATE, encoding="utf-8")
    Path("camp.scenario.yaml").write_text(SCENARIO, encoding="utf-8")


def test_measures_are_told_for_every_thing_in_play_word_and_flag(run: RunCommand) -> None:
    done = run("run", "camp.rules", "wait", "--state", "state.yaml", "--format", "json")
    assert json.loads(done.out)["measures"] == {
        "total": 8,
        "best": {"red": 5, "blue": None},
        "health_of": {"hammer": 3, "anvil": 5},
        "in_mood": {"calm": {"no": 2, "yes": 1}, "angry": {"no": 0, "yes": 0}},
    }


def test_a_start_where_it_does_not_hold_has_no_line_that_broke_it(run: RunCommand) -> None:
    Path("state.yaml").write_text(STATE.replace("health: 3", "health: 0"), encoding="utf-8")
    done = run("run", "camp.rules", "wait", "--state", "state.yaml", "--format", "json")
    fault = json.loads(done.out)["fault"]
    assert (done.exit, fault["code"], fault["place"]["line"], fault["last_change"]) == (1, "RW0810", 12, None)
