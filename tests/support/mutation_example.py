"""A small ruleset with scenarios, in memory, and what becomes of its mutants."""

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.files import MemoryFiles
from rulewright.diff.mutant_judging import judge_mutants
from rulewright.diff.mutants import Mutant, MutantVerdict, match_explanations
from rulewright.diff.mutation_baseline import MutationBaseline, build_baseline
from rulewright.scenarios.reached_units import CoveragePlayer
from rulewright.scenarios.scenario_files import all_cases, read_suites

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


def build_small_baseline(
    scenarios: str = SCENARIOS, rules: str = RULES, more: dict[str, str] | None = None
) -> tuple[MutationBaseline, MemoryFiles]:
    """What the mutants of some rules are held against."""
    files = MemoryFiles({"duel.rules": rules, "duel.scenario.yaml": scenarios, **(more or {})})
    player = CoveragePlayer(files)
    suites = read_suites(["duel.scenario.yaml"], player.loader)
    assert suites.value is not None, suites.diagnostics
    found = build_baseline(player, list(player.cover_cases(all_cases(suites.value), lambda: None)))
    assert found.value is not None, found.diagnostics
    return found.value, files


def judge_small_mutants(
    scenarios: str = SCENARIOS, rules: str = RULES, more: dict[str, str] | None = None
) -> dict[str, MutantVerdict]:
    """What becomes of each mutant, by name."""
    found, files = build_small_baseline(scenarios, rules, more)
    return {mutant.name: verdict for mutant, verdict in judge_mutants(found.mutants, found, files, 1)}


def match_survivor_explanations(scenarios: str) -> tuple[dict[Mutant, str], tuple[Diagnostic, ...]]:
    """The survivors that a scenario file explains, and what is wrong with its explanations."""
    found, files = build_small_baseline(scenarios)
    suites = read_suites(["duel.scenario.yaml"], CoveragePlayer(files).loader)
    assert suites.value is not None
    return match_explanations(
        suites.value[0].survivors, found.mutants, dict(judge_mutants(found.mutants, found, files, 1))
    )
