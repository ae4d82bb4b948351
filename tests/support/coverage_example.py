"""A small ruleset with scenarios, in memory, and what a run of coverage makes of them."""

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.files import MemoryFiles
from rulewright.scenarios.coverage_report import CoverageReport, build_coverage_report
from rulewright.scenarios.reached_units import CoveragePlayer
from rulewright.scenarios.scenario_files import read_suites

RULES = """\
ruleset duel "Duel" revision "1"
document DUE "The Duel"

kind Unit, units:
  owner: player
  morale: 0..9
  tired: flag = no

setting harsh: flag = no

event rallied(unit: Unit):
  holders units

handler cheer for each u in units on rallied when u != unit "Others cheer":
  add up to 1 to u.morale

whenever rout for each u in units "Units without morale leave":
  when u.morale = 0
  priority 1
  lowers count(units)
  remove u

tally nerve(u: Unit) from u.morale:
  rested: +1 when not u.tired
  harsh: -1 when harsh

decide mood(u: Unit) gives text:
  brave: "brave" when nerve(u) >= 3
  meek: "meek" otherwise

procedure rally(unit: Unit) "Rally":  @1
  require here: not unit.tired or unit.morale >= 5 "a tired unit needs morale"  @1.a
  step 1 "Ask":
    ask unit.owner whether loud "Loud?":  @1.b
      proceed to 3
  step 2 "Rally" when unit.morale < 9:  @2.a
    add up to 1 to unit.morale
    trigger rallied(unit)
    if mood(unit) = "brave":
      finish
  step 3 "Rest":
    ask unit.owner to choose way:
      option sleep "Sleep":
        set unit.tired to no
      option march "March":
        set unit.tired to yes
"""
CLAUSES = """\
document: DUE
clauses:
  - {id: DUE.1, says: A unit rallies.}
  - {id: DUE.1.a, says: Tired units need five tokens.}
  - {id: DUE.1.b, says: It may shout.}
  - {id: DUE.2.a, says: It gains a token.}
"""
SHARED_START = """\
procedure: rally
with: {unit: hammer}
state: {players: [red], units: {hammer: {owner: red, morale: 2}}}
"""
LOUD_SCENARIO = """\
scenarios:
  loud:
    covers: [DUE.1.b]
    script: [yes, march]
    expect: {changes: {units: {hammer: {tired: yes}}}}
"""
QUIET_SCENARIO = """\
  quiet:
    covers: [DUE.2.a, DUE.1.a]
    script: [no]
    expect: {changes: {units: {hammer: {morale: 3}}}}
"""


def build_report(scenarios: str, rules: str = RULES) -> tuple[CoverageReport, tuple[Diagnostic, ...]]:
    """The report of a scenario file, and what is wrong with its exclusions."""
    files = {"duel.rules": rules, "DUE.clauses.yaml": CLAUSES, "duel.scenario.yaml": scenarios}
    player = CoveragePlayer(MemoryFiles(files))
    suites = read_suites(["duel.scenario.yaml"], player.loader)
    assert suites.value is not None, suites.diagnostics
    (suite,) = suites.value
    found = build_coverage_report(player, list(player.cover_cases(suite.cases, lambda: None)), suite.exclude)
    return found, found.stale
