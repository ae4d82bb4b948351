"""A small game that has every sort of thing a state file can hold."""

from dataclasses import replace

import pytest

from rulewright.documents.name_table import NameTable
from rulewright.program.declarations import Program
from rulewright.runtime.state import GameSetup
from support.reference.ruleset_texts import load_program

RULES = """\
ruleset skirmish "Skirmish" revision "1"
values Ability: mend, spite, war_cry
record Score:
  mine: 0..20
  theirs: 0..20
kind player, players:
  spent: map of Ability to 0..99 = 0
  best: Score? = none
kind Unit, units:
  owner: player
  at: hex
  facing: direction = 0
  morale: 0..9
  leader: Unit? = none
  abilities: set of Ability = {}
  badge: text = ""
  destroyed means self.morale = 0
board field of hex:
  blocked: flag = no
  side river: flag = no
game:
  active: Unit
  turn: 1..12 = 1
setting bold: Ability = mend
relation melee(a: Unit, b: Unit) symmetric
relation rides(a: Unit, b: Unit)
procedure attack(attacker: Unit, defender: Unit, bonus: 0..3 = 0):
"""
SILENT = "  nothing\n"
QUESTIONS = """\
  step 1:
    ask attacker.owner whether push "Push?"
    ask attacker.owner whether stand "Stand?"
"""


def make_program(lines: str) -> Program:
    return replace(load_program(RULES + lines), fingerprint="f" * 64)


@pytest.fixture(scope="session")
def program() -> Program:
    return make_program(SILENT)


@pytest.fixture(scope="session")
def asking(program: Program) -> Program:
    """The same game with a step `1` that asks `push` and `stand`."""
    return replace(program, procedures=make_program(QUESTIONS).procedures)


@pytest.fixture(scope="session")
def names(program: Program) -> NameTable:
    things = {"player": ("red", "blue"), "Unit": ("hammer", "anvil", "page")}
    cells = tuple((q, r) for q in range(-1, 2) for r in range(-1, 2) if abs(q + r) <= 1)
    return NameTable(program, GameSetup(things, {"field": cells}, {"bold": 0}))
