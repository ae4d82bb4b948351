import pytest

from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.diff.mutant_judging import SAME_EFFECT, explain_equivalence, judge_mutants
from rulewright.diff.mutants import MutantFilter, MutantVerdict, ScoredMutant, score_operators
from rulewright.diff.mutation_baseline import select_runs
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from support.mutation_example import (
    RULES,
    SCENARIOS,
    build_small_baseline,
    judge_small_mutants,
    match_survivor_explanations,
)

SURVIVORS = [
    "Unit/morale range 0..9 -> 0..10",
    "Unit/morale range 0..9 -> 0..8",
    "rout number 0 -> 1",
    "strike/2/take.defender.morale adverb left out: up to",
    "strike/3 condition left out: when defender.morale > 0",
    "strike/3 role defender -> attacker",
    "strike/3 comparison > -> >=",
    "strike/3 number 0 -> 1",
    "strike/3/take.defender.morale adverb left out: up to",
]
OVERLAY = (
    'amends duel revision "1-house"\nreplace step strike/2 "Soft":\n  take up to 3 from defender.morale\n  finish\n'
)

HOUSE = "  house:\n    overlays: [house]\n    script: [no]\n    expect: {changes: {units: {b: {morale: 2}}}}\n"


def test_every_mutant_of_a_small_ruleset() -> None:
    found = judge_small_mutants()
    outcomes = {name: each.outcome for name, each in found.items()}
    assert [name for name in outcomes if outcomes[name] == "survived"] == SURVIVORS
    assert {name: each.reason for name, each in found.items() if each.outcome == "equivalent"} == {
        "rout number 1 -> 2": SAME_EFFECT,
        "rout number 1 -> 0": SAME_EFFECT,
    }
    assert {name: each.reason for name, each in found.items() if each.outcome == "refused"} == {
        "rout/remove.u line left out": "nothing this rule does changes what its `when` reads",
        "strike/1/hard line left out": "`hard` is not known here",
    }
    assert [each.outcome for each in found.values()].count("killed") == len(found) - 13
    assert found["strike/1/hard decider attacker -> defender"].reason == "asked_of"
    assert found["strike/1/hard decider attacker -> defender"].scenario == ("duel.scenario.yaml", "hard")
    assert found["Unit/morale range 0..9 -> 1..9"].reason == "`morale` of `b` is 0; it must be from 1 to 9 (RW0712)"


def test_the_score_is_told_with_explained_ones_and_without() -> None:
    found, files = build_small_baseline()
    all_ = dict(judge_mutants(found.mutants, found, files, 1))
    left = {each: "why" for each in found.mutants if each.name == SURVIVORS[0]}
    whole = score_operators([ScoredMutant(each, verdict, left.get(each, "")) for each, verdict in all_.items()])[-1]
    assert (whole.killed, whole.survived, whole.explained, whole.equivalent, whole.refused) == (20, 8, 1, 2, 2)
    assert (whole.score, whole.score_without_explained) == (68.9, 71.4)


def test_only_scenarios_that_come_to_a_line_are_played() -> None:
    found, _ = build_small_baseline()
    names = {each.name: {run.case.name for run in select_runs(each, found)} for each in found.mutants}
    assert names["strike/2/finish line left out"] == {"soft", "fatal"}
    assert names["strike/3/take.defender.morale line left out"] == {"hard"}
    assert names["strike/1/if line left out"] == {"soft", "hard", "fatal"}
    assert names["rout rule left out"] == {"soft", "hard", "fatal"}


@pytest.mark.long
def test_a_loop_that_never_ends_is_noticed() -> None:
    rules = RULES.replace(
        "    take up to 1 from defender.morale\n",
        "    repeat while defender.morale > 4 at most 9999999:\n      take up to 1 from defender.morale\n",
    )
    found = judge_small_mutants(SCENARIOS.partition("  fatal:")[0], rules)
    assert found["strike/2/take.defender.morale line left out"].reason == "it never ended"


def test_lines_that_nothing_comes_to_are_equivalent() -> None:
    rules = RULES.replace("    finish\n", "    finish\n    set attacker.morale to 1\n")
    found = judge_small_mutants(rules=rules)
    assert found["strike/2/set.attacker.morale number 1 -> 2"] == MutantVerdict(
        "equivalent", "the line above always leads elsewhere"
    )


def test_overlays_are_changed_too_and_played_by_those_that_use_them() -> None:
    scenarios = SCENARIOS + HOUSE
    found, files = build_small_baseline(scenarios, more={"house.rules": OVERLAY})
    mine = [each for each in found.mutants if each.place.source.endswith("house.rules")]
    assert [each.name for each in mine] == [
        "strike/2 amendment left out",
        "strike/2/take.defender.morale sign take up to 3 from defender.morale -> add up to 3 to defender.morale",
        "strike/2/take.defender.morale line left out #2",
        "strike/2/take.defender.morale adverb left out: up to #2",
        "strike/2/take.defender.morale number 3 -> 4",
        "strike/2/take.defender.morale number 3 -> 2",
        "strike/2/take.defender.morale role defender -> attacker #2",
        "strike/2/finish line left out #2",
    ]
    assert {run.case.name for each in mine for run in select_runs(each, found)} == {"house"}
    assert [verdict.outcome for _, verdict in judge_mutants(mine, found, files, 1)].count("killed") == 7


def test_nothing_that_is_noticed_is_proved_to_play_the_same() -> None:
    found, _ = build_small_baseline()
    before = load_ruleset(
        locate_ruleset("duel.rules", MemoryFiles({"duel.rules": RULES})), provider=MemoryFiles({"duel.rules": RULES})
    ).program
    assert before is not None
    for mutant in found.mutants:
        files = MemoryFiles({"duel.rules": mutant.apply_to_text(Text("duel.rules", RULES)).content})
        after = load_ruleset(locate_ruleset("duel.rules", files), provider=files).program
        if after is not None:
            assert bool(explain_equivalence(before, after)) == (
                mutant.title in {"rout number 1 -> 2", "rout number 1 -> 0"}
            ), mutant


@pytest.mark.parametrize(
    ("what", "left", "wrong"),
    [
        ("rout number 0 -> 1", ["rout number 0 -> 1"], ()),
        ("Unit/morale range", SURVIVORS[:2], ()),
        ("strike/3", SURVIVORS[4:8], ()),
        ("rout rule left out", [], (("RW1063", "`rout rule left out` is explained, but it is noticed by a scenario"),)),
        (
            "rout number 1 -> 2",
            [],
            (("RW1063", "`rout number 1 -> 2` is explained, but it is proved to play the same"),),
        ),
        ("strike/4", [], (("RW1062", "no change of the rules is called `strike/4`"),)),
    ],
)
def test_explanations(what: str, left: list[str], wrong: tuple[tuple[str, str], ...]) -> None:
    section = f"survivors:\n  - {{what: {what}, because: nobody minds}}\n"
    found, diagnostics = match_survivor_explanations(section + SCENARIOS)
    assert [each.name for each in found] == left
    assert tuple((each.code, each.message) for each in diagnostics) == wrong


@pytest.mark.parametrize(("clause", "is_wanted"), [
    ("DUEL.2.e", True), ("DUEL:2.e", True), ("@2.e", True), ("2.e", True), ("e", False), ("9.2.e", False), ("2", False),
])  # fmt: skip
def test_changes_of_the_lines_that_cite_a_clause(clause: str, is_wanted: bool) -> None:
    cited = RULES.replace("kind Unit", 'document DUEL "A duel"\n\nkind Unit', 1)
    found, _ = build_small_baseline(
        rules=cited.replace("take up to 1 from defender.morale", "take up to 1 from defender.morale  @2.e", 1)
    )
    lines = {each.address for each in MutantFilter(clause=clause).select_mutants(found.mutants)}
    assert lines == ({"strike/2/take.defender.morale"} if is_wanted else set())


def test_what_is_wanted() -> None:
    found, _ = build_small_baseline()
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
