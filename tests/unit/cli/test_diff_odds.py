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


def test_the_page_and_the_change_log_tell_it(beside: RunCommand) -> None:
    told = "P(health_left(mordred) = 3) 0 → 2/3 (0 % → 66.67 %); on average 5 → 4"
    assert told in beside("--format", "markdown").out
    beside("--html", "page.html")
    assert told in Path("page.html").read_text(encoding="utf-8")
    assert told in beside("--all").out


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


def test_what_is_not_certain_is_not_told_as_such() -> None:
    nearly, little = Fraction(999_999, 1_000_000), Fraction(1, 1_000_000)
    shift = OddsShift("done", True, (OutcomeShare("yes", Fraction(1), nearly),), None, (Fraction(0), little))
    assert render_shift(shift) == "P(done) 100 % → over 99.99 % to 100 % (followed 100 % and over 99.99 %)"


def test_every_value_that_shifts_is_told() -> None:
    back, lost = OutcomeShare("back", Fraction(1, 3), Fraction(0)), OutcomeShare("lost", Fraction(1, 4), Fraction(1, 2))
    shift = OddsShift(
        "result", is_flag=False, shares=(back, lost, OutcomeShare("none", Fraction(0), Fraction(0))), means=None
    )
    arrow = "\N{RIGHTWARDS ARROW}"
    assert [*render_other_values(shift)] == [f"P(result = lost) 1/4 {arrow} 1/2 (25 % {arrow} 50 %)"]
    assert not [*render_other_values(OddsShift("result", is_flag=False, shares=(back, lost), means=None))]
