"""The first screen warns of faults that are new, answers that are open now, settings that nothing reads any more."""

from pathlib import Path

import pytest

from support.duel_example import RunCommand

HEX = Path(__file__).parents[3] / "interpreter" / "rulewright" / "starters" / "hex-combat"
BIDS = """\
ruleset bids "Bids" revision "1"
kind player, players:
  money: 0..9
procedure bids(a: player, b: player) gives player? "Bids":
  ask a secretly for first in 0..a.money "How much?"
  ask b secretly for second in 0..b.money "How much?"
  reveal first
  reveal second
  finish with if(first >= second, a, b)
"""
SOONER = BIDS.replace("  reveal first\n", "").replace('"How much?"\n  ask b', '"How much?"\n  reveal first\n  ask b')
OPTIONS = """\
ruleset pick "Pick" revision "1"
kind player, players:
  score: 0..9 = 0
procedure turn(p: player) gives 0..9 "A turn":
  ask p to choose way "How?":
    option bold "Be bold":
      finish with 3
    option safe "Play safe":
      finish with 1
"""
HANDLERS = """\
ruleset pick "Pick" revision "1"
kind player, players:
  score: 0..9 = 1
event hit(target: player) "After a hit":
  holders players
  order by [target]
handler double for each p in {target} on hit "Double":
  set p.score to min(9, 2 * p.score)
handler grit for each p in {target} on hit "Grit":
  add up to 1 to p.score
procedure turn(p: player) gives 0..9 "A turn":
  trigger hit(p)
  finish with p.score
"""
TURN = """\
procedure: turn
with: {p: red}
state: {players: [red]}
policy: first
scenarios:
  a turn:
    expect: {result: 3}
"""
WALL = """\
ruleset breach "A breach" revision "1"
kind Keep, keeps "A keep":
  wall: 0..3
table blow(roll: 1..6, wall: 0..3) gives 0..3 "Blow":
  1..3 | any | 0
  4..6 | 0 | 1
  4..6 | 1..3 | 2
procedure storm(k: Keep) gives 0..3 "A storm":
  require wall: k.wall > 0 "the wall is down already"
  roll d6 as push
  finish with blow(push.natural, k.wall)
"""
SETTING = """\
ruleset duel "A duel" revision "1"
kind Knight, knights "A knight":
  health: 0..9
setting hard: flag = no "Hits count twice"
procedure strike(target: Knight) "A strike":
  take up to if(hard, 2, 1) from target.health
"""


def compared(run: RunCommand, before: str, after: str) -> str:
    """The first screen of two texts."""
    Path("old.rules").write_text(before, encoding="utf-8")
    Path("new.rules").write_text(after, encoding="utf-8")
    done = run("diff", "old.rules", "new.rules", "--workers", "1", "--work", "100000")
    assert done.exit == 1
    return " ".join(done.out.split())


def test_plays_that_now_end_at_a_fault(run: RunCommand) -> None:
    for folder in ("old", "new"):
        Path(folder).mkdir()
        for name in ("hex_combat.rules", "plays.scenario.yaml"):
            text = (HEX / name).read_text(encoding="utf-8")
            edited = text.replace("  woods: -1 when", "  woods: -2 when") if folder == "new" else text
            Path(folder, name).write_text(edited, encoding="utf-8")
    done = run("diff", "old", "new", "--workers", "1", "--work", "100000", "--show", "1")
    assert "A play of row 1: An attack: one revision reaches a line that cannot be carried out" in done.out
    screen = " ".join(run("diff", "old", "new", "--workers", "1", "--work", "100000").out.split())
    assert "FAULT plays now end in RW0801 at attack/1/outcome, in 1 of the 6 faces of `attack/1/throw`" in screen
    assert "CHECK warns of NEW, and not of OLD: RW0402 at new/hex_combat.rules:67" in screen


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (BIDS.replace("a secretly", "a").replace("  reveal first\n", ""), "`first` of bids is no longer secret"),
        (SOONER, "`first` of bids is shown before `second` is asked"),
    ],
)
def test_bids_that_are_no_longer_sealed(run: RunCommand, after: str, said: str) -> None:
    assert f"SECRET {said}" in compared(run, BIDS, after)
    assert "SECRET" not in compared(run, BIDS, BIDS.replace("first >= second", "first > second"))


def test_a_setting_that_nothing_reads_any_more(run: RunCommand) -> None:
    screen = compared(run, SETTING, SETTING.replace("if(hard, 2, 1)", "2"))
    assert "DEAD no line reads the setting `hard` any more: its readings play alike" in screen


def test_a_scenario_with_the_largest_numbers_and_faces_shows_a_bound(run: RunCommand) -> None:
    rules = """\
ruleset volley "A volley" revision "1"
kind Unit, units "A unit":
  owner: player
  blocks: 0..6
inner procedure lose(unit: Unit, lost: 0..40) "Hits":
  take up to lost from unit.blocks
procedure volley(a: Unit, b: Unit) "A volley":
  roll a.blocks of d6 as rolled by a.owner
  perform lose(b, min(40, count(each d in rolled where d.natural >= 6)))
"""
    start = "{players: [red, blue], units: {a: {owner: red, blocks: 2}, b: {owner: blue, blocks: 2}}}"
    scenario = f"ruleset: old.rules\nprocedure: volley\nwith: {{a: a, b: b}}\nstate: {start}\nscenarios:\n"
    Path("old.scenario.yaml").write_text(f"{scenario}  miss: {{script: [[1, 1]], expect: {{changes: {{}}}}}}\n")
    assert "PLAY CHANGED" in compared(run, rules, rules.replace("min(40", "min(5"))


@pytest.mark.parametrize(
    ("text", "first", "second", "said"),
    [
        (OPTIONS, "    option bold", "    option safe", "the options of `way` of turn stand in another order"),
        (HANDLERS, "handler double", "handler grit", "the handlers of hit stand in another order"),
    ],
)
def test_who_takes_the_first_answer_takes_another_where_answers_change_places(
    run: RunCommand, text: str, first: str, second: str, said: str
) -> None:
    """The rules offer the same, so play is proved alike; odds under a policy are still compared."""
    head, one, other = text.partition(first)[0], f"{first}{text.partition(first)[2].partition(second)[0]}", second
    lines = text.partition(second)[2].splitlines(keepends=True)
    swapped = head + other + "".join(lines[:2]) + one + "".join(lines[2:])
    for folder, rules in (("old", text), ("new", swapped)):
        Path(folder).mkdir()
        Path(folder, "pick.rules").write_text(rules, encoding="utf-8")
        Path(folder, "turn.scenario.yaml").write_text(TURN, encoding="utf-8")
    done = run("diff", "old", "new", "--odds", "--policy", "first")
    assert done.exit == 1
    assert "PLAY THE SAME  cosmetic" in done.out
    assert f"ORDER   {said}" in done.out
    assert "ODDS    change for 1 of 1 starting position" in done.out
    assert "not played, since both revisions are proved to play alike except for the order of answers" in done.out


def test_a_value_that_no_play_comes_to_is_no_change_of_play(run: RunCommand) -> None:
    screen = compared(run, WALL, WALL.replace("4..6 | 0 | 1", "4..6 | 0 | 3"))
    assert "RULES CHANGED 1 rule differs; no play was found that reaches it * a value shows it" in screen
    assert "PLAY CHANGED" not in screen
    assert "PLAY CHANGED" in compared(run, WALL, WALL.replace("1..3 | 2", "1..3 | 3"))
