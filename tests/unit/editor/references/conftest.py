"""A ruleset with an overlay, scenarios, a state and a script, in which most sorts of names occur."""

from collections.abc import Callable

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.editor.name_index import NameTarget
from rulewright.editor.navigation import find_meant_targets, parse_name_query
from rulewright.editor.ruleset_gathering import GatheredRulesets, gather_rulesets

RULES = """\
ruleset siege "A siege" revision "1"
document SG "The siege"
values Stance: bold, wary
values Weather: clear, wary
kind Unit, units "A unit":
  owner: player
  health: 0..9
  stance: Stance = bold
  worn means health < 3
kind Wall, walls:
  health: 0..9 = 4
game:
  active: player
setting weather: Weather = clear
tally needed(target: Unit) from 3 "Needed":
  careful: +1 when target.stance = wary "it is careful"  @1.a
table harm(stance: Stance) gives 0..2:
  bold | 2
  wary | 1
external procedure omen(u: Unit) gives (good: flag, bad: flag) "An omen"
event struck(victim: Unit)
procedure strike(striker: Unit, target: Unit) gives 0..2 "A strike":
  require turn: striker.owner = active "not their turn"
  step 1 "Roll":
    roll d6 as blow by striker.owner
    if blow.natural < needed(target):  # a health check
      proceed to 3
  step 2 "The wound":
    ask target.owner to choose answer "What now?":
      option yield "Yield":
        set target.stance to wary
      option stand:
        take up to harm(striker.stance) from target.health  @1.b
    trigger struck(target)
  step 3 "End":
    perform omen(target) as sign
    finish with if(sign.good, 1, 0)
"""
HEAVY = """\
amends siege revision "1-heavy"
replace row needed/careful: +2 when target.stance = wary "it is very careful"
insert into strike/1:
  set target.health to 1
"""
SCENARIOS = """\
procedure: strike
with: {striker: ram, target: tower}
state:
  players: [red, blue]
  units:
    ram: {owner: red, health: 9}
    tower: {owner: blue, health: 5, stance: wary}
  game: {active: red}
settings: {weather: wary}
scenarios:
  a wound:
    covers: [SG.1.b]
    script: [[5], stand, {good: yes, bad: no}]
    expect:
      result: 1
      path: [1-3]
      counted: {needed: {careful: 1}}
      asked: [1/blow, 2/answer, 3/sign]
      changes: {units: {tower: {health: 3}}}
  in a table:
    cases:
      - [script.1/blow, script.2/answer, script.3/sign, expect.values.2/answer, target.health]
      - [[6], yield, {good: no, bad: no}, yield, 2]
survivors:
  - {what: strike/2/answer/stand/take.target.health adverb, because: nobody cares}
"""
SCRIPT = "{1/blow: [5], 2/answer: yield, 3/sign: {good: yes, bad: no}}\n"
CLAUSES = "document: SG\nclauses:\n  - {id: SG.1.a, says: care}\n  - {id: SG.1.b, says: harm}\n"
FILES = {
    "siege/siege.rules": RULES,
    "siege/heavy.rules": HEAVY,
    "siege/siege.scenario.yaml": SCENARIOS,
    "siege/examples/answers.yaml": SCRIPT,
    "siege/SG.clauses.yaml": CLAUSES,
}

Asking = Callable[[str], tuple[GatheredRulesets, NameTarget]]


@pytest.fixture(scope="session")
def siege() -> GatheredRulesets:
    return gather_rulesets("siege", MemoryFiles(FILES))


@pytest.fixture
def ask(siege: GatheredRulesets) -> Asking:
    def found(spelt: str) -> tuple[GatheredRulesets, NameTarget]:
        (target,) = find_meant_targets(parse_name_query(spelt), siege)
        return siege, target

    return found
