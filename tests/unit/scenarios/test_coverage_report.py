from collections import defaultdict

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.scenarios.coverage_report import CoverageCount, CoverageReport, build_coverage_report, count_units
from rulewright.scenarios.reached_units import CoveragePlayer
from rulewright.scenarios.scenario_files import read_cases
from support.coverage_example import CLAUSES, LOUD_SCENARIO, QUIET_SCENARIO, RULES, SHARED_START, build_report

SUITE = SHARED_START + LOUD_SCENARIO + QUIET_SCENARIO
MORE = """\
  tired and strong:
    patch: {units: {hammer: {tired: yes, morale: 9}}}
    script: [no, sleep]
    expect: {changes: {units: {hammer: {tired: no}}}}
  tired and weak:
    patch: {units: {hammer: {tired: yes}}}
    script: []
    expect: {refused: [a tired unit needs morale]}
  harsh, with a friend:
    settings: {harsh: yes}
    patch: {units: {hammer: {morale: 1}, anvil: {owner: red, morale: 3}, ghost: {owner: red, morale: 0}}}
    script: [no, march]
    expect: {changes: {units: {hammer: {morale: 2, tired: yes}, anvil: {morale: 4}}, removed: [ghost]}}
  tired and firm:
    patch: {units: {hammer: {tired: yes, morale: 5}}}
    script: [no]
    expect: {changes: {units: {hammer: {morale: 6}}}}
"""

BOTH = {
    "steps": {"rally/1": (0, 1), "rally/2": (1,), "rally/3": (0,)},
    "lines": {
        "rally/1/loud": (0, 1),
        "rally/1/proceed.3": (0,),
        "rally/2/add.unit.morale": (1,),
        "rally/2/trigger.rallied": (1,),
        "rally/2/if": (1,),
        "rally/2/finish": (1,),
        "rally/3/way": (0,),
        "rally/3/way/march/set.unit.tired": (0,),
    },
    "edges": {
        "rally/1 ends": (1,),
        "rally/1/proceed.3 to 3": (0,),
        "rally/2/if then": (1,),
        "rally/2/finish leaves": (1,),
        "rally/3 ends": (0,),
    },
    "conditions": {
        "cheer when fails": (1,),
        "rout when fails": (0, 1),
        "nerve/rested when holds": (1,),
        "nerve/harsh when fails": (1,),
        "mood/brave when holds": (1,),
        "rally/here holds": (0, 1),
        "rally/2 when holds": (1,),
        "rally/2/if holds": (1,),
    },
    "rows": {"mood/brave": (1,)},
    "modifiers": {"nerve/rested applied": (1,), "nerve/harsh idle": (1,)},
    "options": {"rally/3/way/march": (0,)},
    "answers": {"rally/1/loud yes": (0,), "rally/1/loud no": (1,)},
    "settings": {"harsh = no": (0, 1)},
    "clauses": {"DUE.1.a": (1,), "DUE.1.b": (0,), "DUE.2.a": (1,)},
}
MISSING = {
    "lines": ["cheer/add.u.morale", "rout/remove.u", "rally/3/way/sleep/set.unit.tired"],
    "edges": ["rally/2 ends", "rally/2 passed over", "rally/2/if else"],
    "conditions": [
        "cheer when holds",
        "rout when holds",
        "nerve/rested when fails",
        "nerve/harsh when holds",
        "mood/brave when fails",
        "rally/here fails",
        "rally/2 when fails",
        "rally/2/if fails",
    ],
    "atoms": ["rally/here part 1", "rally/here part 2"],
    "rows": ["mood/meek"],
    "modifiers": ["nerve/rested idle", "nerve/harsh applied"],
    "options": ["rally/3/way/sleep"],
    "handlers": ["cheer"],
    "rules": ["rout"],
    "settings": ["harsh = yes"],
    "clauses": ["DUE.1"],
}


def _reached(found: CoverageReport) -> dict[str, dict[str, tuple[int, ...]]]:
    hits: dict[str, dict[str, tuple[int, ...]]] = defaultdict(dict)
    for each in found.reached:
        hits[each.unit.sort][each.unit.name] = each.by
    return dict(hits)


def test_who_reached_what() -> None:
    found, wrong = build_report(SUITE)
    assert wrong == ()
    assert _reached(found) == BOTH


def test_what_is_missing() -> None:
    missing = defaultdict(list)
    for each in build_report(SUITE)[0].missing:
        missing[each.sort].append(each.name)
    assert missing == MISSING


def test_a_suite_that_leaves_out_one_clause() -> None:
    found, wrong = build_report(SUITE + MORE)
    assert wrong == ()
    assert [each.outcome for each in found.results] == ["passed"] * 6
    assert [(each.sort, each.name) for each in found.missing] == [("clauses", "DUE.1")]
    assert count_units(found)[-1] == CoverageCount("clauses", 3, 4)
    assert count_units(found)[-1].percent == 75.0


def test_a_part_matters_by_two_plays_that_differ_in_it() -> None:
    atoms = _reached(build_report(SUITE + MORE)[0])["atoms"]
    assert atoms == {"rally/here part 1": (0, 1, 3, 4), "rally/here part 2": (2, 3, 5)}


def test_a_declared_clause_that_is_not_carried_out_is_not_covered() -> None:
    found, _ = build_report(SHARED_START + LOUD_SCENARIO.replace("DUE.1.b", "DUE.2.a"))
    assert _reached(found).get("clauses") is None


@pytest.mark.parametrize(
    ("before", "after", "reached"),
    [
        ("event rallied", "always few for each u in units: u.morale <= 9  @1.b\nevent rallied", {"DUE.1.b": (0,)}),
        ("event rallied", "always few for each u in units where u.tired: u.morale > 0  @1.b\nevent rallied", None),
        ("  step 1", "  hold rout  @1.b\n  step 1", {"DUE.1.b": (0,)}),
    ],
)
def test_clauses_of_what_always_holds_and_of_what_is_held(
    before: str, after: str, reached: dict[str, tuple[int, ...]] | None
) -> None:
    rules = RULES.replace("  @1.b", "").replace(before, after, 1)
    found, _ = build_report(SHARED_START + LOUD_SCENARIO.replace("march", "sleep").replace("yes}", "no}"), rules)
    assert _reached(found).get("clauses") == reached


def test_a_failed_scenario_reaches_lines_and_covers_no_clause() -> None:
    found, _ = build_report(SHARED_START + LOUD_SCENARIO.replace("tired: yes", "tired: no"))
    assert [each.outcome for each in found.results] == ["failed"]
    assert _reached(found)["steps"] == {"rally/1": (0,), "rally/3": (0,)}
    assert "clauses" not in _reached(found)
    assert len(found.missing) > 10


def test_lines_behind_one_that_always_leads_elsewhere_are_dead() -> None:
    rules = RULES.replace("      finish\n", "      finish\n      add up to 1 to unit.morale\n")
    found, _ = build_report(SHARED_START + LOUD_SCENARIO, rules)
    assert [(each.name, each.dead) for each in found.dead] == [
        ("rally/2/add.unit.morale#2", "the line above always leads elsewhere")
    ]
    assert "rally/2/add.unit.morale#2" not in [each.name for each in found.missing]


def test_an_exclusion_leaves_out_what_is_not_reached_of_an_address() -> None:
    exclude = "exclude:\n  - {what: rally/here, because: seen by eye}\n  - {what: rout when holds, because: rare}\n"
    found, wrong = build_report(exclude + SUITE)
    assert wrong == ()
    assert [(each.unit.name, each.because) for each in found.excluded] == [
        ("rout when holds", "rare"),
        ("rally/here fails", "seen by eye"),
        ("rally/here part 1", "seen by eye"),
        ("rally/here part 2", "seen by eye"),
    ]
    assert not {each.unit.name for each in found.excluded} & {each.name for each in found.missing}


def test_stale_exclusions_are_errors() -> None:
    exclude = "exclude:\n  - {what: rally/1, because: a}\n  - {what: rally/4, because: b}\n"
    _, wrong = build_report(exclude + SUITE)
    assert [(each.code, each.message) for each in wrong] == [
        ("RW1032", "`rally/1` is left out, but a scenario reaches it"),
        ("RW1031", "there is no `rally/4` to leave out"),
    ]


def test_an_overlay_in_another_folder_counts() -> None:
    overlay = 'amends duel revision "1-soft"\nreplace row nerve/rested: +2 when not u.tired\n'
    files = {
        "shelf/duel.rules": RULES,
        "shelf/DUE.clauses.yaml": CLAUSES,
        "mine/soft.rules": overlay,
        "mine/soft.scenario.yaml": "ruleset: ../shelf\noverlays: [soft.rules]\n"
        + SHARED_START
        + "scenarios:\n"
        + QUIET_SCENARIO,
    }
    player = CoveragePlayer(MemoryFiles(files))
    cases = read_cases(["mine"], player.loader)
    assert cases.value is not None, cases.diagnostics
    found = build_coverage_report(player, list(player.cover_cases(cases.value, lambda: None)), ())
    sources = {each.unit.span.source for each in found.reached if each.unit.span}
    assert sources == {"mine/../shelf/duel.rules", "mine/soft.rules"}


TWO_WAY = """\
ruleset fight "A fight" revision "1"
values Odds: low, high
values Outcome: miss, hit
table results(odds: Odds, pips: 1..2) gives Outcome "Combat results":
  across odds: low | high
  1 | miss | hit
  2 | miss | hit
procedure attack(odds: Odds) gives Outcome "An attack":
  roll d2 as throw by the p in players
  finish with results(odds, throw.face)
"""
HIGH = """\
procedure: attack
state: {players: [red]}
scenarios:
  one in the high column:
    with: {odds: high}
    script: [[1]]
    expect: {result: hit, decided: {results: 1/high}}
"""


def test_every_cell_of_a_two_way_table_is_counted_by_itself() -> None:
    found, wrong = build_report(HIGH, TWO_WAY)
    assert wrong == ()
    assert [each.unit.name for each in found.reached if each.unit.sort == "rows"] == ["results/1/high"]
    assert [each.name for each in found.missing if each.sort == "rows"] == [
        "results/1/low",
        "results/2/low",
        "results/2/high",
    ]
    assert [each.outcome for each in found.results] == ["passed"]


def test_an_address_stands_for_all_that_is_inside() -> None:
    found, _ = build_report(HIGH, TWO_WAY)
    units = [each.unit for each in found.reached] + list(found.missing)
    assert [each.name for each in units if each.is_meant_by("results/1")] == ["results/1/high", "results/1/low"]
    assert [each.name for each in units if each.is_meant_by("result")] == []
