"""The verb `why`: what it prints, as text and as JSON, what it keeps hidden, and how it ends."""

import json
from pathlib import Path

from support.duel_example import START, RunCommand
from support.published_schemas import make_validator

HIT = "- {answer: [5], at: 1/blow}\n- {answer: no, at: 2/parry}\n"


def test_a_save_is_asked(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "hit.yaml").write_text(HIT, encoding="utf-8")
    assert run("run", *START, "--script", "hit.yaml", "--save", "play.json").exit == 0
    done = run("why", "play.json", "--of", "mordred.gone")
    assert done.exit == 0
    assert "had blue answered “Parry?” with yes, not no, mordred.gone would be no\n" in done.out


def test_a_refusal_has_the_reasons_of_a_run(run: RunCommand) -> None:
    text = Path("state.yaml").read_text(encoding="utf-8").replace("health: 5", "health: 0")
    Path("state.yaml").write_text(text, encoding="utf-8")
    document = json.loads(run("why", *START, "--seed", "1", "--of", "mordred.gone", "--format", "json").out)
    assert [each.message for each in make_validator("why").iter_errors(document)] == []
    assert not make_validator("why").is_valid(document | {"reasons": ["down"]})
    (reason,) = document["reasons"]
    assert (reason["address"], reason["place"]["line"]) == ("strike/alive", 9)
    assert reason["text"].startswith("the striker is down")
    assert json.loads(run("run", *START, "--seed", "1", "--format", "json").out)["reasons"] == document["reasons"]


def test_two_rolls_are_called_by_name_and_what_would_follow_keeps_its_indentation(run: RunCommand) -> None:
    run("new", "skirmish", "--from", "plane-skirmish")
    told = run("why", "skirmish/plays.scenario.yaml", "a fight / the parry hurts", "--of", "result").out
    assert "goes on, because `blow` is 1, not equal to `parry` (2)\n" in told
    assert "shown 2, not 1, the result would be none\n" in told
    told = run("why", "skirmish/plays.scenario.yaml", "how far a fighter goes", "--of", "guard.health").out
    assert (
        "  2  Shoot, or fight\n    red: At whom? guard\n    because who can be shot at (scout, guard): yes\n"
        "    A shot (scout, guard)\n    1  Two dice\n      red    shots 2d6: 4 1\n"
    ) in told.partition("shown 4")[2]


COUNTED = """\
ruleset counted "Counted" revision "1"
kind Knight, knights "A knight":
  owner: player
  health: 0..9
external procedure luck(who: Knight) gives 0..3 "Luck"
event hurt(who: Knight, amount: 0..3) "Hurt"
procedure both(a: Knight, b: Knight) "Both":
  let total: 0..99 = 0
  watch hurt:
    add up to amount to total
  perform luck(a) as one
  trigger hurt(a, one)
  perform luck(b) as two
  trigger hurt(b, two)
  perform luck(b) as three
  trigger hurt(b, three)
  if total >= 3:
    take up to 1 from a.health
"""
COUNTED_STATE = """\
players: [red, blue]
knights:
  a: {owner: red, health: 6}
  b: {owner: blue, health: 5}
"""


def test_what_a_watch_counted_is_told_and_which_of_several_requests_is_meant(run: RunCommand) -> None:
    Path("counted.rules").write_text(COUNTED, encoding="utf-8")
    Path("knights.yaml").write_text(COUNTED_STATE, encoding="utf-8")
    Path("luck.yaml").write_text("- 1\n- 1\n- 1\n", encoding="utf-8")
    asked = [
        "counted.rules",
        "both",
        "--state",
        "knights.yaml",
        "--with",
        "a=a",
        "--with",
        "b=b",
        "--script",
        "luck.yaml",
    ]
    done = run("why", *asked, "--of", "a.health")
    assert done.exit == 0, done.err
    assert "total: 1 → 2" in done.out
    assert "total: 2 → 3" in done.out
    assert "had “Luck” (who a) been 0, not 1" in done.out
    turned = done.out.replace("(who a)", "")
    assert "(who b" not in turned or "(who b, the first time)" in turned or "(who b, the second time)" in turned
