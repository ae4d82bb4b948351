"""A small ruleset with scenarios, in memory, and what becomes of its mutants."""

from rulewright.coverage.reach import Player
from rulewright.diagnostics import Diagnostic
from rulewright.mutations.mutant import Mutant
from rulewright.scenarios.loading import all_cases, suites_of
from rulewright.scoring.baseline import Baseline, baseline
from rulewright.scoring.judging import verdicts
from rulewright.scoring.report import Verdict, explained
from rulewright.workspace import Memory

RULES = """\
ruleset duel "Duel" revision "1"
kind Unit, units:
  owner: player
  morale: 0..9

whenever rout for each u in units:
  when u.morale = 0
  priority 1
  lowers count(units)
  remove u

procedure strike(attacker: Unit, defender: Unit) "Strike":
  step 1 "Aim":
    ask attacker.owner whether hard "Hard?"
    if hard:
      proceed to 3
  step 2 "Soft":
    take up to 1 from defender.morale
    finish
  step 3 "Hard" when defender.morale > 0:
    take up to 2 from defender.morale
"""
SCENARIOS = """\
procedure: strike
with: {attacker: a, defender: b}
state: {players: [red, blue], units: {a: {owner: red, morale: 5}, b: {owner: blue, morale: 5}}}
scenarios:
  soft:
    script: [no]
    expect: {changes: {units: {b: {morale: 4}}}}
  hard:
    script: [yes]
    expect: {asked_of: {1/hard: red}, changes: {units: {b: {morale: 3}}}}
  fatal:
    patch: {units: {b: {morale: 1}}}
    script: [no]
    expect: {changes: {units: {b: {morale: 0}}, removed: [b]}}
"""


def held(scenarios: str = SCENARIOS, rules: str = RULES, more: dict[str, str] | None = None) -> tuple[Baseline, Memory]:
    """What the mutants of some rules are held against."""
    files = Memory({"duel.rules": rules, "duel.scenario.yaml": scenarios, **(more or {})})
    player = Player(files)
    suites = suites_of(["duel.scenario.yaml"], player.rules)
    assert suites.value is not None, suites.diagnostics
    found = baseline(player, list(player.played(all_cases(suites.value), lambda: None)))
    assert found.value is not None, found.diagnostics
    return found.value, files


def judged(scenarios: str = SCENARIOS, rules: str = RULES, more: dict[str, str] | None = None) -> dict[str, Verdict]:
    """What becomes of each mutant, by name."""
    found, files = held(scenarios, rules, more)
    return {mutant.name: verdict for mutant, verdict in verdicts(found.mutants, found, files, 1)}


def told(scenarios: str) -> tuple[dict[Mutant, str], tuple[Diagnostic, ...]]:
    """The survivors that a scenario file explains, and what is wrong with its explanations."""
    found, files = held(scenarios)
    suites = suites_of(["duel.scenario.yaml"], Player(files).rules)
    assert suites.value is not None
    return explained(suites.value[0].survivors, found.mutants, dict(verdicts(found.mutants, found, files, 1)))
