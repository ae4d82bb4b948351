"""What `odds` tells before and while it follows plays: how much there is, how far it is; several processes at it."""

from pathlib import Path

import pytest

from rulewright.cli.output import ProgressLine
from support.duel_example import START, RunCommand

RULES = """\
ruleset walk "Walk" revision "1"
game:
  east: 0..99 = 0
  north: 0..99 = 0
procedure walk(most: 1..99) gives 0..9999 "A walk":
  step 1 "Walk":
    roll d6 as throw
    if throw.natural <= 3:
      add up to 1 to east
    else:
      add up to 1 to north
    if east + north < most:
      proceed to 1 at most 99
  step 2 "Enough":
    finish with east * north
procedure hand() gives list of 1..20 "A hand":
  repeat while east + north < 60 at most 99:
    roll d6 as throw
    if throw.natural <= 3:
      add up to 1 to east
    else:
      add up to 1 to north
  roll 20d20 as throng
  finish with [each d in throng: d.natural]
"""
HOP = """\
ruleset hop "Hop" revision "1"
game:
  log: list of 0..20 = []
procedure hop() gives 0..999 "A hop":
  step 1 "Hop":
    repeat while count(log) < 5 at most 8:
      roll d20 as throw
      set log to log + [throw.natural]
  step 2 "End":
    finish with log[1] + log[2] * log[4]
"""
SINGLY = ["--of", "visits(walk/2)"]
WALK = ["odds", "walk.rules", "walk", "--state", "red.yaml", "--with", "most=30", "--of", "result"]
TOO_MUCH = (
    "error RW1123: `hand/throng` can go in more than 10^26 ways that make a difference, more than a million\n"
    "  help: have the rules look at less of it, such as how many dice hit, or say in a script what comes\n"
)


@pytest.fixture
def walk(run: RunCommand) -> RunCommand:
    Path("walk.rules").write_text(RULES, encoding="utf-8")
    Path("red.yaml").write_text("players: [red]\n", encoding="utf-8")
    return run


def test_an_estimate_follows_no_more_than_a_second(walk: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    assert walk("odds", *START, "--policy", "random", "--of", "mordred.health", "--estimate").out == (
        "A strike:\n  2 different moments of play, all of them followed\n"
    )
    monkeypatch.setattr("rulewright.odds.state_space_size.MAX_ESTIMATE_STEPS", 0)
    assert walk(*WALK, "--estimate").out == (
        "A walk:\n"
        "  followed one by one, at least about 470 different moments of play\n"
        "  plays that differ only in numbers are followed together where possible, so far fewer may be enough\n"
        "  what makes them many: `walk/1/throw` (a roll with up to 2 ways, again and again)\n"
        "  what helps: a start nearer to the end, or fewer rounds; "
        "`rulewright simulate` plays many of them instead, and says how sure it is\n"
    )
    singly = walk(*WALK, *SINGLY, "--most", "100", "--estimate").out.splitlines()
    assert singly[1] == "  followed one by one, at least about 470 different moments of play"
    assert walk("odds", "walk.rules", "hand", "--state", "red.yaml", "--estimate").err == TOO_MUCH


def test_what_cannot_be_followed_is_refused_before_the_rest_is(
    walk: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulewright.cli.odds_progress._SIZE_ESTIMATE_DELAY_S", 0)
    done = walk("odds", "walk.rules", "hand", "--state", "red.yaml")
    assert (done.exit, done.out, done.err) == (2, "", TOO_MUCH)


def test_what_a_limit_leaves_nothing_to_tell_of_ends_before_it(
    walk: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulewright.cli.odds_progress._SIZE_ESTIMATE_DELAY_S", 0)
    monkeypatch.setattr("rulewright.cli.odds_progress.SAMPLED_STATES", 500)  # a few look at as much
    Path("hop.rules").write_text(HOP, encoding="utf-8")
    hop = ("odds", "hop.rules", "hop", "--state", "red.yaml", "--of", "visits(2)", "--most")
    done = walk(*hop, "1000")
    assert (done.exit, done.out) == (3, "")
    noted, _, refused = done.err.partition("error ")
    assert noted.startswith(
        "how many different moments of play there are cannot be known from a few plays, "
        "which hardly ever meet the same one\n"
    )
    assert refused == (
        "RW1210: no play was seen to end before far more different moments of play, "
        "and 1,000 are followed\n"
        "  note: what makes them many: `hop/1/throw` (a roll with up to 20 ways, again and again)\n"
        "  help: a start nearer to the end, or fewer rounds; "
        "`rulewright simulate` plays many of them instead, and says how sure it is\n"
    )
    Path("hop.rules").write_text(HOP.replace("< 5", "< 2").replace("[4]", "[2]"), encoding="utf-8")
    assert walk(*hop, "100").exit == 3
    assert walk(*hop, "1000").exit == 0


def test_progress_tells_how_far_it_is_and_how_long_it_takes(walk: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    told, noted = list[str](), list[str]()
    monkeypatch.setattr("rulewright.cli.odds_progress._SIZE_ESTIMATE_DELAY_S", 0)
    monkeypatch.setattr(ProgressLine, "show_progress", lambda _, text: told.append(text))
    monkeypatch.setattr(ProgressLine, "print_note", lambda _, lines: noted.extend(lines))
    assert walk(*WALK, *SINGLY).exit == 0
    assert noted[0].startswith("followed one by one, at least about ")
    assert noted[1].startswith("that takes at least about ")
    assert " a second, at least about " in told[40]
    assert told[40].endswith(" left")
    assert any(" % of plays followed" in each for each in told[-20:])
    told.clear()
    assert walk(*WALK, "--vary", "most=1..3", "--workers", "1").exit == 0
    assert told[0].startswith("0 of 3 starts, 1 moments, ")
    assert told[-1].startswith("2 of 3 starts, ")


def test_several_processes_tell_the_same(walk: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.cli.odds._SINGLE_PROCESS_TIME_S", 0)
    varied = [*WALK, "--vary", "most=3..9", "--format", "csv", "--workers"]
    alone = walk(*varied, "1")
    assert alone.exit == 0
    assert walk(*varied, "2") == alone
    choice = RULES.replace(
        "    finish with east", '    ask player.red whether more "More?":\n      add 1 to east\n    finish with east'
    )
    Path("walk.rules").write_text(choice, encoding="utf-8")
    refused = walk(*varied, "2")
    assert refused.exit == 2
    assert refused == walk(*varied, "1")


ENDLESS = """\
ruleset burst "Burst" revision "1"
procedure burst() gives list of 1..6 "A burst":
  roll 2d6 explode on 6 without limit as many
  finish with [each d in many: d.natural]
"""


def test_sums_of_dice_that_explode_without_limit_are_told_with_what_is_left_out(walk: RunCommand) -> None:
    rules = ENDLESS.replace("list of 1..6", "0..9999").replace("2d6 explode on 6", "1d20 explode on 20")
    Path("burst.rules").write_text(
        rules.replace("[each d in many: d.natural]", "min(9999, total(many))"), encoding="utf-8"
    )
    told = walk("odds", "burst.rules", "burst", "--state", "red.yaml").out
    assert "  on average 11.05 (210/19)\n" in told
    assert told.endswith("\nleft out: fewer than 1 play in 10^12 has dice that explode further than is counted\n")
