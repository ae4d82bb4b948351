"""A small ruleset in two files with an overlay, a clause list and scenarios, for tests of what editors ask."""

MAIN = """\
ruleset raid "A raid" revision "1"
document RD "The raid"
use "raid_things.rules"

# Who strikes first.
procedure strike(striker: Unit, target: Unit) gives 0..2 "A strike":  @1.a
  require turn: striker.owner = active "not their turn"
  require fit: not worn(striker) "too worn to strike"
  step 1 "Roll":
    roll d6 as blow by striker.owner
    let needed = 4
    if blow.natural < needed:
      proceed to 3
  step 2 "The wound":
    if mood = wary:
      set target.stance to wary
    take up to harm(striker.stance) from target.health  @1.b
  step 3 "End":
    finish with harm(target.stance)

term worn(u: Unit) gives flag means u.health < 3 "worn"
"""
THINGS = """\
document RD "The raid"
values Stance "A stance":
  bold
  wary "on guard"
kind Unit, units "A unit":
  owner: player
  health: 0..9 "Health"
  stance: Stance = bold
game:
  active: player
setting mood: Stance = bold "How careful they are"
table harm(stance: Stance) gives 0..2 "Harm":
  bold | 2
  wary | 1
"""
HEAVY = """\
amends raid revision "1-heavy"
replace row harm/wary: wary | 0
"""
CLAUSES = """\
document: RD
clauses:
  - {id: RD.1.a, where: page 1, says: Units strike in their turn.}
  - {id: RD.1.b, where: page 1, says: A strike harms.}
"""
SCENARIOS = """\
procedure: strike
with: {striker: ram, target: tower}
state:
  players: [red, blue]
  units:
    ram: {owner: red, health: 5}
    tower: {owner: blue, health: 5}
  game: {active: red}
scenarios:
  a good blow harms:
    covers: [RD.1.b]
    script: {1/blow: 5}
    expect: {changes: {units: {tower: {health: 3}}}}
  a bad blow does not:
    script: {1/blow: 1}
    expect: {path: ["1", "3"]}
"""
FILES = {
    "raid/raid.rules": MAIN,
    "raid/raid_things.rules": THINGS,
    "raid/raid_heavy.rules": HEAVY,
    "raid/RD.clauses.yaml": CLAUSES,
    "raid/raid.scenario.yaml": SCENARIOS,
}
PLACE, PARTS, OVERLAY, SUITE = (
    "raid/raid.rules",
    "raid/raid_things.rules",
    "raid/raid_heavy.rules",
    "raid/raid.scenario.yaml",
)
