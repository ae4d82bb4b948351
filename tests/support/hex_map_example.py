"""A ruleset with a board of hexes and states of it, for drawings."""

from functools import cache

from rulewright.base.source import Text
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_file import read_state
from rulewright.play.grid_drawing import DrawnBoard, draw_board
from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation
from support.revision_pairs import check_text

RULES = """\
ruleset march "March" revision "1"
values Ground: clear, woods, town
kind Unit, units:
  owner: player
  at: SPACE?
  facing: direction = 0
  health: 0..9 = 3
board field of SPACE:
  blocked: flag = no
  ground: Ground = clear
  height: 0..9 = 0
  side river: flag = no
term open(c: SPACE) gives flag means not c.blocked and c.height < 9 and c.ground != woods
procedure march(unit: Unit) "March":
  step 1 "Go":
    let here = unit.at
    if here != none:
      ask unit.owner for c in neighbours(here) "Where to?":
        require free: c in field and not c.blocked "it is blocked"
        require dry: not side(here, c).river "a river is in the way"
        move unit to c
      else:
        nothing
"""
STATE = """\
players: [red, blue]
units:
  hammer: {owner: red}
  grunt x3: {owner: blue, facing: 3}
  scout: {owner: blue, at: [3, 1], facing: 1}
  away: {owner: red, at: none}
field:
  drawn: |
    ..g.
    .#h*
    g. g
  legend:
    "#": {blocked: yes}
    "*": {ground: woods, height: 2}
    h: [hammer, {ground: town}]
    g: grunt x3
"""
RIVER = '  sides: {"0,0 1,0": {river: yes}}\n'


@cache
def write_rules(space: str) -> Program:
    """The ruleset on one sort of cells."""
    return check_text(RULES.replace("SPACE", space))


def read_situation(state: str, space: str = "hex") -> tuple[Situation, NameTable]:
    """A state of it."""
    found = read_state(Text("state.yaml", state), write_rules(space)).value
    assert found is not None
    return found, NameTable(write_rules(space), found.base)


def read_board(state: str, space: str = "hex") -> DrawnBoard:
    """The board of a state."""
    found, names = read_situation(state, space)
    return draw_board(write_rules(space).boards["field"], found, names)
