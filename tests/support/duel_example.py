"""A small ruleset for the tests of the command line, and what a command comes to."""

from collections.abc import Callable
from dataclasses import dataclass

RULES = """\
ruleset duel "A duel" revision "1"

kind Knight, knights:
  owner: player
  health: 0..9
  shield: flag = no

procedure strike(striker: Knight, target: Knight) "A strike":
  require alive: striker.health > 0 "the striker is down"
  step 1 "Roll to hit":
    roll d6 as blow by striker.owner
    if blow.natural < 4:
      proceed to 3
  step 2 "The wound":
    ask target.owner whether parry when target.shield "Parry?":
      set target.shield to no
    else:
      take up to 2 from target.health
  step 3 "Falls" when target.health = 0:
    remove target
"""
STATE = """\
players: [red, blue]
knights:
  gawain: {owner: red, health: 5}
  mordred: {owner: blue, health: 2, shield: yes}
"""
START = ["duel.rules", "strike", "--state", "state.yaml", "--with", "striker=gawain", "--with", "target=mordred"]
SCENARIO_HEAD = """\
ruleset: duel.rules
procedure: strike
with: {striker: gawain, target: mordred}
state: state.yaml
scenarios:
"""
"""What scenarios from `START` begin with."""

STRIKE_SCENARIOS = """\
ruleset: duel.rules
procedure: strike
with: {striker: gawain, target: mordred}
state: {players: [red, blue], knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 2}}}
scenarios:
  three: {script: [[3]], expect: {changes: {}}}
  six: {script: [[6]], expect: {changes: {knights: {mordred: {health: 1}}}}}
"""
"""Scenarios of `STRIKE_RULES`."""
STRIKE_RULES = """\
ruleset duel "A duel" revision "1"
kind Knight, knights "A knight":
  owner: player
  health: 0..9
procedure strike(striker: Knight, target: Knight) "A strike":
  step 1 "Roll to hit":
    roll d6 as blow by striker.owner
    if blow.natural >= 4:
      take up to 1 from target.health
"""
"""A duel of one step, for texts that are compared."""


@dataclass(frozen=True)
class CommandOutcome:
    """How a command ended, and what it printed."""

    exit: int
    out: str
    err: str


RunCommand = Callable[..., CommandOutcome]
