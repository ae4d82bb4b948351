"""`diff --odds`: what it tells is what `odds` tells of both revisions, and of those between them."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from rulewright.base.files import get_resource_folder
from rulewright.cli.diff_odds import render_other_values, render_shift
from rulewright.cli.output import ProgressLine
from rulewright.diff.differential_testing.results import OddsShift, OutcomeShare
from support.duel_example import RULES, RunCommand

MEASURED = RULES.replace("\nprocedure", "\nmeasure health_left(k: Knight): k.health\nprocedure", 1)
SCENARIOS = """\
ruleset: old.rules
procedure: strike
with: {striker: gawain, target: mordred}
state: {players: [red, blue], knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 6}}}
scenarios:
  a three misses: {script: [[3]], expect: {changes: {}}}
  a six hits: {script: [[6]], expect: {changes: {knights: {mordred: {health: 4}}}}}
"""
SHIELDED = """\
  a shield:
    patch: {knights: {mordred: {shield: yes}}}
    script: [[6], yes]
    expect: {changes: {knights: {mordred: {shield: no}}}}
"""
BETTER, HARDER = ("< 4", "< 3"), ("up to 2", "up to 3")
ONLY_HEALTH = ("--of", "mordred.health")


def revised(*edits: tuple[str, str], text: str = MEASURED) -> str:
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text.replace('revision "1"', 'revision "2"')


@pytest.fixture
def beside(run: RunCommand) -> RunCommand:
    Path("old.rules").write_text(MEASURED, encoding="utf-8")
    Path("old.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")
    Path("new.rules").write_text(revised(BETTER, HARDER), encoding="utf-8")

    def command(*more: str, work: str = "0") -> Any:
        return run("diff", "old.rules", "new.rules", "--odds", "--work", work, "--workers", "1", *more)

    return command


def data(beside: RunCommand, *more: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(beside("--format", "json", *more).out)
    schema = json.loads(
        (Path(get_resource_folder("grammar")) / "schemas" / "diff.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator(schema).validate(found)
    return found


def by_value(measure: dict[str, Any], side: str) -> dict[int, Fraction]:
    return {int(each["value"]): Fraction(each[side]) for each in measure["values"] if Fraction(each[side])}


def by_hand(run: RunCommand, rules: str) -> dict[int, Fraction]:
    """What `odds` says of mordred's health."""
    Path("hand.rules").write_text(rules, encoding="utf-8")
    Path("hand.yaml").write_text(
        "players: [red, blue]\nknights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 6}}\n",
        encoding="utf-8",
    )
    roles = ("--with", "striker=gawain", "--with", "target=mordred")
    done = run("odds", "hand.rules", "strike", "--state", "hand.yaml", *roles, *ONLY_HEALTH, "--format", "json")
    return {each["value"]: Fraction(each["likely"]) for each in json.loads(done.out)["odds"][0]["values"]}


def test_the_screen_tells_what_shifts(beside: RunCommand) -> None:
    done = beside()
    assert done.exit == 1
    assert done.out.splitlines()[-5:] == [
        "ODDS    change for 1 of 1 starting position",
        "  old.scenario.yaml: a three misses (and 1 more)",
        "        P(health_left(mordred) = 3) 0 → 2/3 (0 % → 66.67 %); on average 5 → 4",
        "          row 1 alone: 0; row 2 alone: 1/2",
        "MORE    --show 1 (its edits, its play)   --edits (2)   --all",
    ]


def test_all_edits_and_each_alone_are_what_odds_tells(beside: RunCommand, run: RunCommand) -> None:
    (found,) = data(beside, *ONLY_HEALTH)["odds"]["situations"]
    (measure,) = found["measures"]
    assert by_value(measure, "old") == by_hand(run, MEASURED)
    assert by_value(measure, "new") == by_hand(run, revised(BETTER, HARDER))
    assert [by_value(each["measures"][0], "new") for each in found["alone"]] == [
        by_hand(run, revised(BETTER)),
        by_hand(run, revised(HARDER)),
    ]
    assert [each["edits"] for each in found["alone"]] == [[0], [1]]


def test_progress_is_told_in_the_words_of_odds(beside: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    told, noted = list[str](), list[str]()
    monkeypatch.setattr("rulewright.cli.odds_progress._SIZE_ESTIMATE_DELAY_S", 0)
    monkeypatch.setattr(ProgressLine, "show_progress", lambda _, text: told.append(text))
    monkeypatch.setattr(ProgressLine, "print_note", lambda _, lines: noted.extend(lines))
    beside(*ONLY_HEALTH)
    assert any(each.startswith("1 moments, ") and " a second" in each for each in told)
    assert any(each.startswith("1 of 2 edits, ") and each.endswith(" left") for each in told)
    assert noted[0].startswith("followed one by one, at least about ")


def test_a_shift_is_a_change_of_play(beside: RunCommand) -> None:
    assert data(beside)["verdict"] == {"word": "changed", "how": "odds shift"}


def test_no_shift_is_said_with_the_plays_it_is_said_of(beside: RunCommand) -> None:
    Path("new.rules").write_text(revised(("health > 0", "health > 1")), encoding="utf-8")
    told = beside().out
    assert "ODDS    no measurable change for 1 starting position\n" in told
    assert data(beside)["verdict"]["word"] == "unknown"


@pytest.mark.parametrize(
    ("health", "told"),
    [
        (1, "reaches the new steps `strike/4` or `strike/5`"),
        (5, "reaches the new step `strike/5`"),
    ],
)
def test_new_steps_that_no_start_reaches_are_named(beside: RunCommand, health: int, told: str) -> None:
    steps = (
        f'  step {number} "More" when striker.health = {each}:\n    set striker.health to 5\n'
        for number, each in ((4, health), (5, 1))
    )
    Path("new.rules").write_text(revised() + "".join(steps), encoding="utf-8")
    found = beside().out
    assert "no measurable change for 1 starting position\n" in found
    assert f"        no play that was followed {told}\n" in found
    assert [f"`{each}`" in told for each in data(beside)["odds"]["unvisited"]] == [True] * told.count("`strike/")


def test_what_is_proved_needs_no_odds(beside: RunCommand) -> None:
    Path("new.rules").write_text(MEASURED.replace('"Roll to hit"', '"Roll"'), encoding="utf-8")
    assert "ODDS    no change: both are proved to play alike\n" in beside().out


def test_names_of_the_new_revision_are_asked_there(beside: RunCommand) -> None:
    Path("new.rules").write_text(revised(BETTER).replace("health", "wounds"), encoding="utf-8")
    (found,) = data(beside, *ONLY_HEALTH)["odds"]["situations"]
    assert found["measures"][0]["values"] == [
        {"value": "4", "old": "1/2", "new": "2/3"},
        {"value": "6", "old": "1/2", "new": "1/3"},
    ]


def test_plays_in_which_something_is_so_are_asked_of_in_both(beside: RunCommand) -> None:
    Path("new.rules").write_text(revised(BETTER, HARDER).replace("health", "wounds"), encoding="utf-8")
    of = "mordred.health given visits(strike/2) > 0 and mordred.health < 6"
    (found,) = data(beside, "--of", of, "--of", "gawain.health given mordred.health > 5")["odds"]["situations"]
    assert [each["values"] for each in found["measures"]] == [
        [{"value": "3", "old": "0", "new": "1"}, {"value": "4", "old": "1", "new": "0"}],
        [{"value": "5", "old": "1", "new": "1"}],
    ]
    assert [each["of"] for each in found["measures"]] == [of, "gawain.health given mordred.health > 5"]
    asked = ("--odds", "--policy", "first", "--of", of)
    assert "P(mordred.health = 3 given visits(strike/2) > 0 and mordred.health < 6) 0 → 1" in beside(*asked).out


def test_who_chooses_is_said_or_unknown(beside: RunCommand) -> None:
    Path("old.scenario.yaml").write_text(SCENARIOS + SHIELDED, encoding="utf-8")
    without = data(beside)["odds"]
    assert without["says"] == "change for 1 of 2 starting positions; unknown for 1"
    why = "the choice `Parry?` is left open; add `--policy first`"
    assert without["situations"][1]["unknown"] == [{"of": None, "why": why}]
    decided = data(beside, "--policy", "random")["odds"]
    assert decided["says"] == "change for 2 of 2 starting positions, policy random"
    assert [each["decided"] for each in decided["situations"]] == [False, True]


def test_a_policy_alone_proves_no_change_of_play(beside: RunCommand) -> None:
    text = SCENARIOS.partition("scenarios:")[0] + "scenarios:\n" + SHIELDED
    Path("old.scenario.yaml").write_text(text, encoding="utf-8")
    found = data(beside, "--policy", "random")
    assert found["odds"]["situations"][0]["measures"][1]["shifts"]
    assert found["verdict"]["word"] == "unknown"


def test_what_costs_more_than_allowed_is_unknown(beside: RunCommand) -> None:
    found = data(beside, "--most", "5")["odds"]
    assert found["situations"][0]["measures"] == []
    assert found["says"] == "unknown for 1 starting position"
    assert (
        "unknown for 1: there are more ways to play it than are followed; `--most N` follows more, and takes longer"
        in (beside("--most", "5").out)
    )


LONG = """\
ruleset duel "A duel" revision "1"
kind Knight, knights:
  owner: player
  health: 0..9
procedure strike(striker: Knight, target: Knight) "Strikes until one falls":
  repeat while target.health > 0 and striker.health > 0 at most 9:
    roll d6 as blow by striker.owner
    if blow.natural >= 3:
      take up to 3 from target.health
    else:
      take up to 2 from striker.health
"""


def test_beyond_the_limit_there_are_bounds(beside: RunCommand) -> None:
    Path("old.rules").write_text(LONG, encoding="utf-8")
    met: dict[Any, str] = {}
    for natural in (4, 6):
        text = revised(("natural >= 3", f"natural >= {natural}"), text=LONG)
        Path("new.rules").write_text(text, encoding="utf-8")
        (whole,) = data(beside, *ONLY_HEALTH)["odds"]["situations"][0]["measures"]
        assert whole["open"] == {"old": "0", "new": "0"}
        (found,) = data(beside, *ONLY_HEALTH, "--most", "208")["odds"]["situations"]
        (told,) = found["measures"]
        for side in ("old", "new"):
            low, high, share = by_value(told, side), by_value(whole, side), Fraction(told["open"][side])
            assert all(low.get(each, 0) <= high[each] <= low.get(each, 0) + share for each in high)
        assert bool(found["unknown"]) == (told["shifts"] is None)
        assert told["shifts"] in {None, whole["shifts"]}
        met.setdefault(told["shifts"], beside(*ONLY_HEALTH, "--most", "208").out)
    assert "P(mordred.health = 0) 44.44 % to 100 % → 25 % to 87.5 % (followed 44.44 % and 37.5 %)\n" in met[None]
    assert "P(mordred.health = 6) 0 % to 55.56 % → 57.87 % to 97.22 % (followed 44.44 % and 60.65 %)\n" in met[True]


def test_a_scenario_that_cannot_begin_is_unknown(beside: RunCommand) -> None:
    Path("old.scenario.yaml").write_text(
        SCENARIOS + "  wrong: {with: {striker: lot}, expect: {changes: {}}}\n", encoding="utf-8"
    )
    (unknown,) = data(beside)["odds"]["situations"][1]["unknown"]
    assert unknown["why"].startswith("the old revision does not play it: ")


def test_one_revision_that_cannot_begin_shifts_all(beside: RunCommand) -> None:
    Path("new.rules").write_text(revised(("health > 0", "health > 5")), encoding="utf-8")
    (found,) = data(beside, *ONLY_HEALTH)["odds"]["situations"]
    assert found["measures"][0]["values"][-1] == {"value": "cannot begin", "old": "0", "new": "1", "lost": True}


def test_what_is_asked_wrongly_ends_it(beside: RunCommand) -> None:
    done = beside("--of", "mordred.helth")
    assert done.exit == 2
    assert done.err.startswith("error RW0306: `Knight` has no attribute `helth`\n")


def test_scenarios_that_expect_odds_are_asked_with_their_script(beside: RunCommand) -> None:
    expects = "  odds: {script: [[6]], expect: {odds: {mordred.health < 6: 1}}}\n"
    text = SCENARIOS.partition("scenarios:")[0] + "scenarios:\n" + expects
    Path("old.scenario.yaml").write_text(text, encoding="utf-8")
    (found,) = data(beside)["odds"]["situations"]
    assert [each["of"] for each in found["measures"]] == [
        "mordred.health < 6",
        "health_left(gawain)",
        "health_left(mordred)",
    ]
    assert found["measures"][2]["values"] == [
        {"value": "3", "old": "0", "new": "1"},
        {"value": "4", "old": "1", "new": "0"},
    ]


def test_odds_that_a_scenario_expects_are_asked_though_another_begins_alike(beside: RunCommand) -> None:
    Path("old.rules").write_text(RULES, encoding="utf-8")
    Path("new.rules").write_text(revised(BETTER, text=RULES), encoding="utf-8")
    expects = "  odds: {expect: {odds: {mordred.health < 6: 1/2}}}\n"
    Path("old.scenario.yaml").write_text(SCENARIOS + expects, encoding="utf-8")
    (found,) = data(beside)["odds"]["situations"]
    assert [each["of"] for each in found["measures"]] == ["mordred.health < 6"]
    assert found["measures"][0]["values"] == [
        {"value": "no", "old": "1/2", "new": "1/3"},
        {"value": "yes", "old": "1/2", "new": "2/3"},
    ]


def test_answers_are_found_where_their_steps_are_now(beside: RunCommand) -> None:
    text = SCENARIOS.partition("scenarios:")[0]
    asked = "{2/parry: {always: yes}}, expect: {odds: {mordred.shield: 1/2, visits(2): {0: 1/2, 1: 1/2}}}"
    shield = "patch: {knights: {mordred: {shield: yes}}}"
    Path("old.scenario.yaml").write_text(f"{text}scenarios:\n  odds: {{{shield}, script: {asked}}}\n", encoding="utf-8")
    Path("new.rules").write_text(revised(BETTER, ("step 2", "step wound")), encoding="utf-8")
    (found,) = data(beside)["odds"]["situations"]
    assert found["unknown"] == []
    assert found["measures"][0]["values"] == [
        {"value": "no", "old": "1/2", "new": "2/3"},
        {"value": "yes", "old": "1/2", "new": "1/3"},
    ]
    assert found["measures"][1]["values"] == [
        {"value": "0", "old": "1/2", "new": "1/3"},
        {"value": "1", "old": "1/2", "new": "2/3"},
    ]


def test_the_page_and_the_change_log_tell_it(beside: RunCommand) -> None:
    told = "P(health_left(mordred) = 3) 0 → 2/3 (0 % → 66.67 %); on average 5 → 4"
    assert told in beside("--format", "markdown").out
    beside("--html", "page.html")
    assert told in Path("page.html").read_text(encoding="utf-8")
    assert told in beside("--all").out


SKY = """\
ruleset walk "A walk" revision "1"
values Sky: dry, wet
external procedure sky() gives Sky "The sky"
procedure walk() gives 0..6 "A walk":
  perform sky() as found
  roll d6 as far
  finish with if(found = dry, far.natural, 0)
"""


def test_externals_come_to_what_is_said_beside_the_scenarios_or_on_the_command_line(beside: RunCommand) -> None:
    Path("old.rules").write_text(SKY, encoding="utf-8")
    Path("old.scenario.yaml").write_text(
        "ruleset: old.rules\nprocedure: walk\nscenarios:\n"
        "  out: {state: {players: [red]}, expect: {odds: {result: {6: 1/9}}}}\n",
        encoding="utf-8",
    )
    new = SKY.replace("external procedure sky", "external procedure heaven").replace("perform sky", "perform heaven")
    Path("new.rules").write_text(
        new.replace("found = dry, far", "found = dry or far.natural = 6, far"), encoding="utf-8"
    )

    def told(*more: str) -> dict[str, Any]:
        found: dict[str, Any] = data(beside, *more)["odds"]["situations"][0]
        return found

    assert "no rule gives the result of" in told()["unknown"][0]["why"]
    for more in (("--external", "sky={dry: 2/3, wet: 1/3}"), ()):
        (shift,) = told(*more)["measures"]
        assert shift["values"][-1] == {"value": "6", "old": "1/9", "new": "1/6"}
        Path("old.odds.yaml").write_text("sky: {dry: 2/3, wet: 1/3}\n", encoding="utf-8")
    wrong = beside("--external", "skye={dry: 1}")
    assert wrong.exit == 2
    assert "error RW1126: there is no external `skye`\n  help: did you mean `sky`?\n" in wrong.err


def test_scenarios_that_expect_nothing_begin_plays_too(beside: RunCommand) -> None:
    written = SCENARIOS.partition("  a three")[0] + "  a blow: {seed: 1}\n"
    Path("old.scenario.yaml").write_text(written, encoding="utf-8")
    found = data(beside, *ONLY_HEALTH)
    (situation,) = found["odds"]["situations"]
    assert situation["scenarios"] == ["old.scenario.yaml: a blow"]
    assert situation["measures"]


def sizes(beside: RunCommand, *more: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(beside("--estimate", "--format", "json", *more).out)
    paths = (
        get_resource_folder("grammar") / "schemas" / f"{name}.schema.json" for name in ("estimate", "diff", "odds")
    )
    schemas = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    registry: Registry = Registry().with_resources((each["$id"], Resource.from_contents(each)) for each in schemas)
    jsonschema.Draft202012Validator(schemas[0], registry=registry).validate(found)
    return found


def alone(run: RunCommand, *more: str) -> tuple[list[str], ...]:
    """What `odds` estimates of both revisions."""
    begun = ("--no-script", *more, "--estimate")
    Path("new.scenario.yaml").write_text(SCENARIOS.replace("old.rules", "new.rules"), encoding="utf-8")
    told = (run("odds", f"{side}.scenario.yaml", "a three misses", *begun).out for side in ("old", "new"))
    return tuple([line.strip() for line in each.splitlines()[1:]] for each in told)


def test_an_estimate_tells_of_both_revisions_what_odds_tells_and_no_verdict(
    beside: RunCommand, run: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulewright.cli.diff_result.compare_plays", None)
    Path("old.rules").write_text(LONG, encoding="utf-8")
    Path("new.rules").write_text(revised(("target.health > 0", "target.health > 5"), text=LONG), encoding="utf-8")
    (old,), (new,) = alone(run, *ONLY_HEALTH)
    done = beside(*ONLY_HEALTH, "--estimate", work="1000")
    assert (done.exit, done.err) == (0, "")
    assert done.out == (
        "A duel   old.rules (revision 1) → new.rules (revision 2)\n"
        "ODDS    1 starting position; "
        "at most 200,000 different moments of play are followed for all of them (`--most`)\n"
        "  old.scenario.yaml: a three misses (and 1 more)\n"
        f"    OLD   {old}\n"
        f"    NEW   {new}\n"
    )
    (found,) = sizes(beside, *ONLY_HEALTH)["situations"]
    assert found["scenarios"] == ["old.scenario.yaml: a three misses", "old.scenario.yaml: a six hits"]
    both = [f"{found[side]['moments']} different moments of play, all of them followed" for side in ("old", "new")]
    assert both == [old, new]


@pytest.mark.long
def test_an_estimate_of_what_takes_long_is_what_odds_tells(
    beside: RunCommand, run: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulewright.odds.state_space_size.MAX_ESTIMATE_STEPS", 0)
    monkeypatch.setattr("rulewright.cli.odds_progress.format_duration", lambda _: "a while")
    Path("old.rules").write_text(LONG, encoding="utf-8")
    Path("new.rules").write_text(revised(("target.health > 0", "target.health > 5"), text=LONG), encoding="utf-8")
    (old, *same), (new, *_) = alone(run, *ONLY_HEALTH)
    first, second, *rest = beside(*ONLY_HEALTH, "--estimate").out.splitlines()[3:]
    assert (first, second) == (f"    OLD   {old}", f"    NEW   {new}")
    assert [each.strip() for each in rest] == [f"both  {same[0]}", *same[1:]]
    monkeypatch.setattr("rulewright.diff.odds_shift._MAX_ESTIMATE_STEPS", 1)
    other = "  weak: {patch: {knights: {mordred: {health: 2}}}, expect: {changes: {}}}\n"
    Path("old.scenario.yaml").write_text(SCENARIOS + other, encoding="utf-8")
    told = sizes(beside, *ONLY_HEALTH)["situations"]
    assert [bool(each["old"]) for each in told] == [True, False]
    assert told[1]["why"] == "it was not looked at, since the others are large"


def test_an_estimate_says_why_nobody_can_follow_it(beside: RunCommand) -> None:
    Path("old.scenario.yaml").write_text(SCENARIOS + SHIELDED, encoding="utf-8")
    why = "the choice `Parry?` is left open; add `--policy first`"
    known, unknown = sizes(beside)["situations"]
    assert known["old"]["moments"]
    assert (unknown["old"], unknown["new"]) == ({"moments": None, "size": None, "why": why}, None)
    assert f"  old.scenario.yaml: a shield\n    OLD   unknown: {why}\n" in beside("--estimate").out
    assert sizes(beside, "--policy", "random")["situations"][1]["new"]["moments"]
    Path("old.scenario.yaml").write_text(SCENARIOS.partition("scenarios:")[0] + f"scenarios:\n{SHIELDED}", "utf-8")
    assert beside("--estimate").exit == 3
    Path("new.rules").write_text(MEASURED.replace('"Roll to hit"', '"Roll"'), encoding="utf-8")
    assert beside("--estimate").out.endswith("ODDS    no change: both are proved to play alike\n")


def test_an_estimate_stands_alone(beside: RunCommand, run: RunCommand) -> None:
    for more in (("--html", "page.html"), ("--strict",), ("--all",), ("--format", "markdown")):
        done = beside("--estimate", *more)
        told = " ".join(more) if more[0] == "--format" else more[0]
        assert (done.exit, done.out) == (2, "")
        assert done.err.startswith(f"error RW1223: with `--estimate`, `{told}` has nothing to show\n")
    done = run("diff", "old.rules", "new.rules", "--estimate")
    assert done.err.startswith("error RW1134: `--estimate` needs `--odds`\n")
    assert beside("--estimate", "--of", "mordred.helth").err.startswith("error RW0306: ")


def test_what_is_not_certain_is_not_told_as_such() -> None:
    nearly, little = Fraction(999_999, 1_000_000), Fraction(1, 1_000_000)
    shift = OddsShift("done", True, (OutcomeShare("yes", Fraction(1), nearly),), None, (Fraction(0), little))
    assert render_shift(shift) == "P(done) 100 % → over 99.99 % to 100 % (followed 100 % and over 99.99 %)"


def test_what_is_not_worked_out_is_told_before_what_does_not_change(beside: RunCommand) -> None:
    Path("old.scenario.yaml").write_text(SCENARIOS + SHIELDED, encoding="utf-8")
    Path("old.rules").write_text(RULES, encoding="utf-8")
    Path("new.rules").write_text(revised(BETTER, HARDER, text=RULES), encoding="utf-8")
    summary = "not worked out for 1 of 2 starting positions: a player chooses there"
    other = "; no measurable change for the other 1"
    told = beside("--of", "gawain.health").out
    assert f"{summary}{other}\n" in told
    assert "unknown for 1: the choice `Parry?` is left open; add `--policy first`" in told
    assert (
        "no measurable change for 2 starting positions, policy first"
        in beside("--of", "gawain.health", "--policy", "first").out
    )


def test_every_value_that_shifts_is_told() -> None:
    back, lost = OutcomeShare("back", Fraction(1, 3), Fraction(0)), OutcomeShare("lost", Fraction(1, 4), Fraction(1, 2))
    shift = OddsShift(
        "result", is_flag=False, shares=(back, lost, OutcomeShare("none", Fraction(0), Fraction(0))), means=None
    )
    arrow = "\N{RIGHTWARDS ARROW}"
    assert [*render_other_values(shift)] == [f"P(result = lost) 1/4 {arrow} 1/2 (25 % {arrow} 50 %)"]
    assert not [*render_other_values(OddsShift("result", is_flag=False, shares=(back, lost), means=None))]


ARMOURED = revised(("shield: flag = no", "shield: flag = no\n  armour: flag = no"), ("< 4", "< 4 or target.armour"))
ARMOUR = "  armour: {patch: {knights: {mordred: {armour: yes}}}, script: [[6]], expect: {changes: {}}}\n"


def test_the_odds_of_a_start_that_sets_a_new_attribute(beside: RunCommand) -> None:
    Path("new.rules").write_text(ARMOURED.replace("up to 2", "up to 3"), encoding="utf-8")
    Path("old.scenario.yaml").write_text(SCENARIOS + ARMOUR, encoding="utf-8")
    plain, armoured = data(beside, *ONLY_HEALTH)["odds"]["situations"]
    assert (plain["without"], armoured["without"]) == ([], ["`armour` of a `Knight`"])
    values = {each["value"]: (each["old"], each["new"]) for each in armoured["measures"][0]["values"]}
    assert values == {"4": ("1/2", "0"), "6": ("1/2", "1")}
    alone = [{each["value"]: each["new"] for each in one["measures"][0]["values"]} for one in armoured["alone"]]
    assert {"4": "0", "6": "1"} in alone
    assert "in 1: OLD does not know `armour` of a `Knight`, and plays without it\n" in beside(*ONLY_HEALTH).out


def test_no_shift_names_the_new_attribute_that_no_start_sets(beside: RunCommand) -> None:
    Path("new.rules").write_text(ARMOURED, encoding="utf-8")
    shown = beside(*ONLY_HEALTH).out
    assert (
        "no starting position has `armour` of a `Knight`, which is new: write a scenario with it beside OLD\n" in shown
    )
