"""What the README of a starter suggests to change: a scenario notices each change."""

import json
import re
from pathlib import Path

import pytest

from rulewright.base.files import get_resource_folder
from support.duel_example import RunCommand

PLAYS = "plays.scenario.yaml"
EDITS = {
    "card-turn": {
        "Let the slower card act first": ("my_own.rules", {"highest card[p]": "lowest card[p]"}),
        "In `plays.scenario.yaml`, give the card `host` 1 point": (
            PLAYS,
            {"speed: 2, points: 4": "speed: 2, points: 1"},
        ),
        "Let a tie in a fight cost both sides strength": (
            "my_own.rules",
            {
                "  perform weaken(army)\n  finish with foe": """\
  if ours.natural + strength(army) = theirs.natural + strength(foe):
    perform weaken(foe)
  perform weaken(army)
  finish with foe"""
            },
        ),
    },
    "dice-conflict": {
        "Put a second `double` on `attack_die`": ("my_own.rules", {"hit * 2, double,": "hit * 2, double * 2,"}),
        "Let focus also throw defence dice again": (
            "my_own.rules",
            {
                "as guard by target.owner\n": """\
as guard by target.owner
    ask target.owner to pick 0..target.focus of each d in guard as parried "Which dice are rolled again?":
      take up to count(parried) from target.focus
    reroll parried by target.owner
"""
            },
        ),
        "Let a champion that is struck down leave its focus to a friend": (
            "my_own.rules",
            {
                "      remove target\n": """\
      let left = target.focus
      remove target
      ask target.owner for friend in champions where friend.owner = target.owner and friend != target "To whom?":
        add up to left to friend.focus
"""
            },
        ),
    },
    "hex-combat": {
        "In the chart `combat`, let a six at even odds destroy the defender": (
            "my_own.rules",
            {"6 | defender_back | defender_back |": "6 | defender_back | defender_lost |"},
        ),
        "In `plays.scenario.yaml`, give the `pikes` a strength of 5": (
            PLAYS,
            {"pikes: {owner: blue, strength: 4": "pikes: {owner: blue, strength: 5"},
        ),
        "Let units march through woods without delay": (
            "my_own.rules",
            {'  cost woods: +1 when entered.woods "woods"\n': ""},
        ),
    },
    "plane-skirmish": {
        "In `needed`, let cover cost 2": ("my_own.rules", {"cover: +1 when": "cover: +2 when"}),
        "In `plays.scenario.yaml`, give the `scout` a stride of 6": (
            PLAYS,
            {"[3, 4], skill": "[3, 4], stride: 6, skill"},
        ),
        "Let both fighters lose 1 health where their dice are equal": (
            "my_own.rules",
            {
                "      finish with none\n": """\
      perform hurt(f, 1)
      perform hurt(t, 1)
      finish with none
"""
            },
        ),
    },
}
"""For each starter what its README suggests, as it begins there, and an edit of a file that does it."""


@pytest.mark.parametrize("name", sorted(each.name for each in get_resource_folder("starters").iterdir()))
def test_a_scenario_notices_each_change_that_a_readme_suggests(run: RunCommand, name: str) -> None:
    run("new", "my-own", "--from", name)
    readme = Path("my-own/README.md").read_text(encoding="utf-8")
    suggested = re.findall(r"^- (.*)$", readme, re.MULTILINE)
    assert len(suggested) == len(EDITS[name])
    for said, (begun, (file, edits)) in zip(suggested, EDITS[name].items(), strict=True):
        assert said.startswith(begun)
        path = Path("my-own") / file
        before = edited = path.read_text(encoding="utf-8")
        for old, new in edits.items():
            assert edited.count(old) == 1, said
            edited = edited.replace(old, new)
        path.write_text(edited, encoding="utf-8")
        assert run("check", "my-own").exit == 0, said
        tested = json.loads(run("test", "my-own", "--workers", "1", "--format", "json").out)
        assert "passed" in {each["outcome"] for each in tested["results"]}, said
        assert {"failed", "wrong"} & {each["outcome"] for each in tested["results"]}, said
        path.write_text(before, encoding="utf-8")
