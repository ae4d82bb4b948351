"""What becomes of mutants goes as `judged.md` says: a question is an edit of the rules or scenarios, or what it is asked of."""

from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.diff.mutant_judging import SAME_EFFECT, explain_equivalence, judge_mutants
from rulewright.diff.mutants import (
    Mutant,
    MutantFilter,
    MutantVerdict,
    ScoredMutant,
    match_explanations,
    score_operators,
)
from rulewright.diff.mutation_baseline import MutationBaseline, build_baseline, select_runs
from rulewright.scenarios.reached_units import CoveragePlayer
from rulewright.scenarios.scenario_files import all_cases, read_suites
from support.asked_pages import check_page
from support.language_cases import split_blocks
from support.mutation_example import PAGE, RULES, SCENARIOS
from support.reference.ruleset_texts import load_text


def build_small_baseline(files: MemoryFiles) -> MutationBaseline:
    """What the mutants of some rules are held against."""
    player = CoveragePlayer(files)
    suites = read_suites(["duel.scenario.yaml"], player.loader)
    assert suites.value is not None, suites.diagnostics
    found = build_baseline(player, list(player.cover_cases(all_cases(suites.value), lambda: None)))
    assert found.value is not None, found.diagnostics
    return found.value


@cache
def judge_small_mutants(
    scenarios: str = SCENARIOS, rules: str = RULES, house: str = ""
) -> tuple[MutationBaseline, dict[Mutant, MutantVerdict]]:
    files = MemoryFiles(
        {"duel.rules": rules, "duel.scenario.yaml": scenarios, **({"house.rules": house} if house else {})}
    )
    found = build_small_baseline(files)
    return found, dict(judge_mutants(found.mutants, found, files, 1))


def judge(scenarios: str, rules: str, house: str, named: str) -> Iterator[str]:
    """What becomes of each mutant, why, and which scenarios it is played by; of those whose name or file has a word."""
    found, verdicts = judge_small_mutants(scenarios, rules, house)
    for mutant, verdict in verdicts.items():
        if named in f"{mutant.place.source} {mutant.name}":
            by = ", ".join(run.case.name for run in select_runs(mutant, found))
            noticed = verdict.scenario[1] if verdict.scenario else ""
            yield f"{verdict.outcome} {mutant.name} ({by}) — {' '.join(filter(None, (noticed, verdict.reason)))}".rstrip(
                " —"
            )


def explain(what: str) -> Iterator[str]:
    """The survivors that an explanation is about, and what is wrong with it."""
    found, verdicts = judge_small_mutants()
    scenarios = f"survivors:\n  - {{what: {what}, because: nobody minds}}\n{SCENARIOS}"
    files = MemoryFiles({"duel.rules": RULES, "duel.scenario.yaml": scenarios})
    suites = read_suites(["duel.scenario.yaml"], CoveragePlayer(files).loader)
    assert suites.value is not None, suites.diagnostics
    explained, diagnostics = match_explanations(suites.value[0].survivors, found.mutants, verdicts)
    yield from (each.name for each in explained)
    yield from (f"{each.code} {each.message}" for each in diagnostics)


def cite(clause: str) -> Iterator[str]:
    """The lines whose mutants are of a clause."""
    rules = RULES.replace("kind Unit", 'document DUEL "A duel"\n\nkind Unit', 1)
    rules = rules.replace("take up to 1 from defender.morale", "take up to 1 from defender.morale  @2.e", 1)
    found = build_small_baseline(MemoryFiles({"duel.rules": rules, "duel.scenario.yaml": SCENARIOS}))
    yield from dict.fromkeys(each.address for each in MutantFilter(clause=clause).select_mutants(found.mutants))


def test_mutants_are_judged_as_the_page_says(*, accept: bool) -> None:
    def answer(asks: str, about: str, question: str, section: str) -> Iterable[str]:
        if asks != "judge":
            return {"explain": explain, "cited": cite}[asks](question)
        house = "".join(block["content"] for block in split_blocks(section, "rules"))
        old, _, new = question.partition(" → ")
        scenarios, rules = (each.replace(old, new or old, 1) for each in (SCENARIOS, RULES))
        return judge(scenarios, rules, house, about)

    check_page(PAGE, {"judge", "explain", "cited"}, answer, accept=accept)


def test_the_score_is_told_with_explained_ones_and_without() -> None:
    found, verdicts = judge_small_mutants()
    left = {each: "why" for each in found.mutants if each.name == "Unit/morale range 0..9 -> 0..10"}
    whole = score_operators([ScoredMutant(each, verdict, left.get(each, "")) for each, verdict in verdicts.items()])[-1]
    assert (whole.killed, whole.survived, whole.explained, whole.equivalent, whole.refused) == (20, 8, 1, 2, 2)
    assert (whole.score, whole.score_without_explained) == (68.9, 71.4)


@pytest.mark.long
def test_a_loop_that_never_ends_is_noticed() -> None:
    rules = RULES.replace(
        "    take up to 1 from defender.morale\n",
        "    repeat while defender.morale > 4 at most 9999999:\n      take up to 1 from defender.morale\n",
    )
    _, verdicts = judge_small_mutants(SCENARIOS.partition("  fatal:")[0], rules)
    (found,) = (v for each, v in verdicts.items() if each.name == "strike/2/take.defender.morale line left out")
    assert found.reason == "it never ended"


def test_nothing_that_is_noticed_is_proved_to_play_the_same() -> None:
    before = load_text(RULES).program
    assert before is not None
    found, verdicts = judge_small_mutants()
    for mutant in found.mutants:
        after = load_text(mutant.apply_to_text(Text("duel.rules", RULES)).content).program
        if after is not None:
            assert (explain_equivalence(before, after) == SAME_EFFECT) == (verdicts[mutant].outcome == "equivalent")


def test_what_is_wanted() -> None:
    found, _ = judge_small_mutants()
    names = [each.name for each in found.mutants]
    assert [each.name for each in MutantFilter(name="MORALE RANGE").select_mutants(found.mutants)] == names[:3]
    assert [each.name for each in MutantFilter(step="1").select_mutants(found.mutants)] == names[9:15]
    assert {
        each.operator for each in MutantFilter(operators=frozenset({"line", "jump"})).select_mutants(found.mutants)
    } == {
        "line",
        "jump",
    }
    some = MutantFilter(sample=5, seed=7).select_mutants(found.mutants)
    assert len(some) == 5
    assert some == MutantFilter(sample=5, seed=7).select_mutants(found.mutants)
    assert some != MutantFilter(sample=5, seed=8).select_mutants(found.mutants)
    assert MutantFilter(sample=500).select_mutants(found.mutants) == found.mutants
