"""The scenarios beside OLD are played under OLD and NEW; that some differ is a change by itself."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.duel_example import STRIKE_RULES, STRIKE_SCENARIOS, RunCommand

SCENARIOS = STRIKE_SCENARIOS.replace("duel.rules", "old.rules")
PLAYERS = """\
ruleset race "A race" revision "1"
kind player, players:
  score: 0..9 = 0
procedure go() "Go":
  step 1 "All":
    for each p in players:
      ask p whether go "Go?":
        add up to 1 to p.score
"""
BOTH = """\
ruleset: old.rules
procedure: go
state: {players: [red, blue]}
scenarios:
  both go: {script: [yes, yes], expect: {changes: {players: {red: {score: 1}, blue: {score: 1}}}}}
"""
_HARD = """\
  easy: {with: {striker: gawain, target: mordred, hard: no}, script: [[6]], expect: {changes: {}}}
"""
GIFTS = """\
  step 2 "Gifts":
    ask target.owner to pick 0..2 of each k in knights as gifts "Who is given something?":
      require few: count(gifts) < 2 "too many"
"""
IDLE = "    for each k in knights:\n      set k.health to k.health\n"
HOUSE = """\
amends duel revision "1-house"
insert after strike/1 step 2 "Falls":
  take up to AMOUNT from striker.health
"""


def put(place: str, text: str) -> None:
    """A file, with its folder."""
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    Path(place).write_text(text, encoding="utf-8")


def played(run: RunCommand, *arguments: str, work: int = 60_000) -> tuple[str, dict[str, Any]]:
    """The verdict, and what became of the scenarios."""
    done = run("diff", "old.rules", "new.rules", "--format", "json", "--workers", "1", "--work", str(work), *arguments)
    document = json.loads(done.out)
    assert done.exit == {"changed": 1, "unknown": 3}.get(document["verdict"]["word"], 0)
    return document["verdict"]["word"], document["played"]["scenarios"]


def differing(found: dict[str, Any]) -> dict[str, tuple[str, int]]:
    """Which differ: the sort of the first difference and how many answers were given before it."""
    return {each["name"].partition(": ")[2]: (each["sort"], each["answers"]) for each in found["differing"]}


def test_one_that_ends_otherwise_makes_it_changed(run: RunCommand) -> None:
    put("old.rules", STRIKE_RULES)
    put("new.rules", STRIKE_RULES.replace("natural >= 4", "natural >= 3"))
    put("old.scenario.yaml", SCENARIOS)
    word, found = played(run, work=1)
    assert word == "changed"
    assert (found["same"], differing(found), found["incomparable"]) == (1, {"three": ("end", 1)}, [])


def test_players_are_as_a_scenario_has_them(run: RunCommand) -> None:
    put("old.rules", PLAYERS)
    put("new.rules", PLAYERS.replace("up to 1", "up to 2"))
    put("old.scenario.yaml", BOTH)
    word, found = played(run)
    assert word == "changed"
    assert differing(found) == {"both go": ("end", 2)}


def test_what_a_scenario_leaves_out_is_left_out_on_both_sides(run: RunCommand) -> None:
    asked = STRIKE_RULES.replace("target: Knight)", "target: Knight, hard: flag = no)").replace(
        "up to 1", "up to if(hard, 2, 1)"
    )
    put("old.rules", asked)
    put("old.scenario.yaml", SCENARIOS + _HARD)
    put("new.rules", asked.replace("= no)", "= yes)"))
    assert differing(played(run)[1]) == {"six": ("end", 1)}
    put("new.rules", asked.replace("flag = no)", "flag)"))
    _, found = played(run)
    assert differing(found) == {"three": ("refused", 0), "six": ("refused", 0)}
    assert (found["same"], found["incomparable"]) == (1, [])


def test_start_values_are_those_of_each_revision(run: RunCommand) -> None:
    put("old.rules", STRIKE_RULES.replace("health: 0..9", "health: 0..9 = 2"))
    put("new.rules", STRIKE_RULES.replace("health: 0..9", "health: 0..9 = 3"))
    put("old.scenario.yaml", SCENARIOS.replace(", health: 2}", "}"))
    assert differing(played(run)[1]) == {"three": ("start", 1), "six": ("end", 1)}


def test_names_and_paths_alone_do_not_count(run: RunCommand) -> None:
    put("old.rules", STRIKE_RULES)
    named = STRIKE_RULES.replace("health", "wounds").replace("step 1 ", "step first ").replace("Roll to hit", "Rolling")
    put("new.rules", named.replace("    if blow", f"{IDLE}    if blow".replace("health", "wounds")))
    put("old.scenario.yaml", SCENARIOS)
    word, found = played(run)
    assert word != "changed"
    assert (found["same"], found["differing"], found["incomparable"]) == (2, [], [])


def test_what_cannot_be_carried_over_is_said(run: RunCommand) -> None:
    put("old.rules", STRIKE_RULES)
    put("new.rules", STRIKE_RULES.replace("health: 0..9", "health: 0..4").replace("up to 1", "up to 2"))
    broken = SCENARIOS.replace("  three", "  nobody: {with: {striker: lancelot}, expect: {changes: {}}}\n  three")
    put("old.scenario.yaml", broken)
    put("wrong.scenario.yaml", "scenarios: {}\n")
    _, found = played(run)
    reasons = {each["name"].partition(": ")[2] or each["name"]: each["message"] for each in found["incomparable"]}
    assert reasons["three"] == "it holds something that the new revision does not know"
    assert reasons["nobody"].startswith("the old revision does not play it: ")
    assert reasons["wrong.scenario.yaml"]


def test_one_that_stops_under_old_is_no_play_that_ends_alike(run: RunCommand) -> None:
    put("old.rules", STRIKE_RULES)
    put("new.rules", STRIKE_RULES.replace("up to 1", "up to 2"))
    put("old.scenario.yaml", SCENARIOS.replace("script: [[6]]", "script: [[6, 6]]"))
    _, found = played(run)
    (stopped,) = found["incomparable"]
    assert stopped["name"].endswith(": six")
    assert stopped["message"].startswith("the old revision does not play it: 1 die is thrown")
    assert (found["same"], found["differing"]) == (1, [])


def test_each_revision_keeps_its_own_overlays(run: RunCommand) -> None:
    for folder, amount in (("before", "2"), ("after", "3")):
        put(f"{folder}/duel.rules", STRIKE_RULES)
        put(f"{folder}/house.rules", HOUSE.replace("AMOUNT", amount))
    put("after/duel.rules", STRIKE_RULES.replace("    if blow", f"{IDLE}    if blow"))
    at_home = SCENARIOS.replace("old.rules", "duel.rules").replace("six: {", "six: {overlays: [house.rules], ")
    put("before/duel.scenario.yaml", at_home)
    done = run("diff", "before", "after", "--format", "json", "--workers", "1", "--work", "60000")
    assert done.exit == 1
    scenarios = json.loads(done.out)["played"]["scenarios"]
    assert (scenarios["same"], differing(scenarios)) == (1, {"six": ("end", 1)})
    put("after/house.rules", HOUSE.replace("striker", "nobody"))
    done = run("diff", "before", "after", "--format", "json", "--workers", "1", "--work", "60000")
    (lost,) = json.loads(done.out)["played"]["scenarios"]["incomparable"]
    assert lost["message"].startswith("with `house.rules` the new revision has errors: ")


def test_an_overlay_of_old_alone_belongs_to_old(run: RunCommand) -> None:
    put("old.rules", STRIKE_RULES)
    put("house.rules", HOUSE.replace("AMOUNT", "2"))
    put("old.scenario.yaml", SCENARIOS)
    done = run("diff", "old.rules", "old.rules", "--new-overlay", "house.rules", "--format", "json", "--work", "60000")
    assert done.exit == 1
    assert differing(json.loads(done.out)["played"]["scenarios"]) == {"three": ("end", 1), "six": ("end", 1)}


def test_an_answer_that_only_one_refuses(run: RunCommand) -> None:
    asked = STRIKE_RULES + GIFTS
    put("old.rules", asked)
    put("new.rules", asked.replace("count(gifts) < 2", "count(gifts) < 3"))
    refused = "rejects: [{at: strike/2/gifts, answer: [gawain, mordred], because: too many}], changes: {}"
    put("old.scenario.yaml", SCENARIOS.replace("[[3]], expect: {changes: {}", "[[3], [gawain]], expect: {" + refused))
    assert run("test", "old.scenario.yaml", "-k", "three").exit == 0
    assert differing(played(run)[1])["three"] == ("options", 1)


def test_every_form_lists_them(run: RunCommand) -> None:
    put("old.rules", STRIKE_RULES)
    put("new.rules", STRIKE_RULES.replace("natural >= 4", "natural >= 3"))
    put("old.scenario.yaml", SCENARIOS)
    line = "old.scenario.yaml: three: differs after 1 answer: the game ends differently"
    arguments = ("diff", "old.rules", "new.rules", "--workers", "1", "--work", "20000")
    for form in ("plain", "markdown"):
        assert line in run(*arguments, "--format", form, "--scenarios").out
    run(*arguments, "--html", "page.html")
    assert line in Path("page.html").read_text(encoding="utf-8")


REWRITINGS = {
    "attacker.morale >= 1 ": "not (attacker.morale < 1) ",
    "not attacker.gone and not defender.gone": "not defender.gone and not attacker.gone",
    "loser.morale >= 1 ": "1 <= loser.morale ",
}


def test_a_proof_and_scenarios_do_not_contradict_each_other(run: RunCommand) -> None:
    mel = Path(__file__).parents[3] / "rulesets" / "mel"
    for folder in ("before", "after"):
        shutil.copytree(mel, f"{folder}/mel")
    rules = Path("after/mel/mel.rules")
    for was, now in REWRITINGS.items():
        text = rules.read_text(encoding="utf-8")
        assert was in text
        rules.write_text(text.replace(was, now), encoding="utf-8")
    files = [each.as_posix() for each in sorted(Path("before/mel").glob("*.scenario.yaml"))]
    games = [word for each in files for word in ("--games", each)]
    done = run("diff", "before/mel", "after/mel", "--format", "json", *games)
    document = json.loads(done.out)
    assert (done.exit, document["verdict"]) == (0, {"word": "equivalent", "how": "proved"})
    assert len(document["games"]) > 40
    assert {each["outcome"] for each in document["games"]} == {"same"}


PLACING = """\
ruleset placing "Placing" revision "1"
kind Mini, minis:
  owner: player
  at: point
  facing: angle = 0
  base: shape
board battlefield of plane
procedure charge(m: Mini) gives flag:
  ask m.owner to place m as spot "Where does it charge to?":
    require near: distance(spot, m) <= 1 "at most one inch away"
    require far: distance(spot, m) >= 2 "at least two inches away"
    place m at spot
  else:
    finish with no
  finish with yes
"""
NOWHERE = """\
ruleset: old.rules
procedure: charge
with: {m: a}
state:
  players: [red]
  minis: {a: {owner: red, at: [5, 5], base: {round: 1}}}
  battlefield: {width: 12, depth: 12}
scenarios:
  no place: {script: [none], expect: {result: no}}
"""


def test_a_claim_that_one_revision_takes_is_no_answer_in_the_other(run: RunCommand) -> None:
    put("old.rules", PLACING)
    put("new.rules", "".join(each for each in PLACING.splitlines(keepends=True) if "require" not in each))
    put("old.scenario.yaml", NOWHERE)
    verdict, found = played(run)
    assert verdict == "changed"
    assert [each["message"] for each in found["incomparable"]] == [
        "the answer to `charge/spot` is none under the new revision"
    ]


def test_an_answer_that_one_revision_refuses_is_told_so(run: RunCommand) -> None:
    put("old.rules", PLACING)
    put("new.rules", "".join(each for each in PLACING.splitlines(keepends=True) if "require far" not in each))
    done = run("diff", "old.rules", "new.rules", "--all", "--workers", "1", "--work", "20000")
    assert "  OLD  this answer is refused\n  OLD    at least two inches away\n" in done.out
    assert "cannot begin" not in done.out


ARMOURED = STRIKE_RULES.replace("health: 0..9\n", "health: 0..9\n  armour: flag = no\n", 1).replace(
    "natural >= 4", "natural >= 4 and not target.armour"
)
NEW_SCENARIOS = STRIKE_SCENARIOS.replace("duel.rules", "old.rules").replace("health: 2}", "health: 2, armour: ARMOUR}")


def migrated(run: RunCommand) -> dict[str, Any]:
    done = run("diff", "old.rules", "new.rules", "--work", "20000", "--workers", "1", "--format", "json")
    found: dict[str, Any] = json.loads(done.out)["scenarios"]
    return found


def test_the_old_revision_plays_a_start_without_an_attribute_that_is_new(run: RunCommand) -> None:
    put("old.rules", STRIKE_RULES)
    put("new.rules", ARMOURED)
    put("old.scenario.yaml", NEW_SCENARIOS.replace("ARMOUR", "yes"))
    found = migrated(run)
    assert (found["same"], found["incomparable"]) == (1, [])
    (six,) = found["differing"]
    assert (six["name"], six["sort"], six["without"]) == ("old.scenario.yaml: six", "end", ["`armour` of a `Knight`"])
    shown = run("diff", "old.rules", "new.rules", "--work", "20000", "--workers", "1", "--scenarios").out
    assert "SCENARIOS  1 of 2 plays differently, 2 in OLD without `armour`\n" in shown
    assert shown.endswith("the game ends differently; OLD does not know `armour` of a `Knight`, and plays without it\n")


def test_a_new_attribute_at_its_default_makes_no_difference_and_is_not_told(run: RunCommand) -> None:
    put("old.rules", STRIKE_RULES)
    put("new.rules", ARMOURED)
    put("old.scenario.yaml", NEW_SCENARIOS.replace("ARMOUR", "no"))
    found = migrated(run)
    assert (found["same"], found["differing"], found["incomparable"]) == (2, [], [])
    assert " in OLD without " not in run("diff", "old.rules", "new.rules", "--work", "20000", "--workers", "1").out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # every start has to give it, so the old revision has no start that is like it
        ((), (("armour: flag = no", "armour: flag"),)),
        # it may be `plate` with another name
        ((("health: 0..9\n", "health: 0..9\n  plate: 0..2 = 0\n"),), ()),
    ],
)
def test_what_may_be_more_than_a_new_attribute_is_not_left_out(
    old: tuple[tuple[str, str], ...], new: tuple[tuple[str, str], ...], run: RunCommand
) -> None:
    for file, text, edits in (("old.rules", STRIKE_RULES, old), ("new.rules", ARMOURED, new)):
        for was, now in edits:
            text = text.replace(was, now, 1)  # noqa: PLW2901
        put(file, text)
    put("old.scenario.yaml", NEW_SCENARIOS.replace("ARMOUR", "yes").replace("health: 5}", "health: 5, armour: no}"))
    found = migrated(run)
    assert [each["message"] for each in found["incomparable"]] == [
        "the old revision does not play it: a Knight has no attribute `armour`"
    ] * 2
