"""The verb `why`: what it prints, as text and as JSON, what it keeps hidden, and how it ends."""

import json
from pathlib import Path

from support.duel_example import START, RunCommand
from support.published_schemas import make_validator

HIT = "- {answer: [5], at: 1/blow}\n- {answer: no, at: 2/parry}\n"
SEALED = """\
ruleset sealed "A sealed bid" revision "1"
kind player, players:
  coins: 0..9 = 5
procedure bids(first: player, second: player) "Two bids":
  ask first secretly for bid in 0..3 "Your bid?"
  ask second for offer in 0..3 "Your offer?"
  take up to offer from second.coins
"""

CHOSEN = """\
ruleset chosen "A target" revision "1"
kind Knight, knights "A knight":
  owner: player
  health: 0..9
  hit: flag = no
procedure aim(striker: Knight) "Aim":
  step 1 "Bleed":
    for each k in knights where k.health = 1:
      take up to 1 from k.health
  step 2 "Choose":
    ask striker.owner for target in knights where target.owner != striker.owner and target.health > 0 "Who is hit?":
      set target.hit to yes
    else:
      nothing
  step 3 "Tire":
    for each k in knights where k.health > 5:
      take up to 1 from k.health
"""
WON = """\
term is_healthy(k: Knight) gives flag means k.health > 3
procedure won(marked: Knight) "Won":
  step 1 "Mark":
    set marked.hit to yes
  step 2 "Pass by":
    for each k in knights where not k.hit:
      nothing
  step 3 "Choose":
    let last = the n in knights where n.health = 4
    let healthy = is_healthy(last)
    if (some k in knights where k.health > 5) and healthy:
      set last.hit to yes
"""
MARKED = """\
procedure marked(knight: Knight) "Marked":
  step 1 "Mark":
    set knight.hit to yes
  step 2 "Suffer":
    for each k in knights where k.hit:
      take up to 1 from k.health
"""
CHOSEN_STATE = """\
players: [red, blue]
knights:
  a: {owner: red, health: 6}
  b: {owner: blue, health: 1}
  c: {owner: blue, health: 4}
"""

RACE = """\
ruleset race "A race" revision "1"
kind Horse, horses:
  owner: player
  stride: 1..6 = 1
  marks: map of player to 0..9 = 0
procedure race() gives 2..99 "A race":
  step 1 "Run":
    for each h in horses:
      roll d6 as luck by h.owner
      set h.stride to luck.natural
  step 2 "The line":
    rank each h in horses as places:
      stride: highest h.stride
      toss: highest roll d6 by h.owner
    let first = places[1]
    set first.marks[first.owner] to 1
    finish with min(99, 2 + sum(each h in horses: h.stride))
procedure again(horse: Horse) gives 0..1 "Again":
  perform race()
  finish with if(horse.marks[horse.owner] = 1, 1, 0)
"""
RACE_STATE = """\
players: [ann, bob]
horses: {fox: {owner: ann}, owl: {owner: bob}}
"""

STORM = """\
ruleset storm "A storm" revision "1"
kind player, players:
  will: 0..9 = 3
  hurt: flag = no
game:
  over: flag = no
  broken: 0..9 = 0
  lost: 0..9 = 0
  left: 0..9 = 0
term weak() gives 0..9 means min(9, count(each q in players where gave_up(q)))
term gave_up(q: player) gives flag means q.will = 0
procedure storm() "A storm":
  step 1 "It blows":
    for each q in players:
      roll d6 as gale by q
      take up to gale.natural from q.will
      if gale.natural = 6:
        set q.hurt to yes
  step 2 "Is it over?" when some q in players where q.will = 0:
    set over to yes
  step 3 "Who is broken":
    let some_are = weak()
    if some_are >= 1:
      set broken to some_are
  step 4 "Who is lost":
    for each q in players where q.hurt:
      add up to 1 to lost
  step 5 "Who is left" when no q in players where q.will = 3:
    set left to 1
"""


def test_what_made_it_so_is_told_and_what_would_have_been(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "hit.yaml").write_text(HIT, encoding="utf-8")
    done = run("why", *START, "--script", "hit.yaml", "--of", "mordred.gone")
    assert done.exit == 0
    assert done.out == (
        "mordred.gone: yes, at the start no\n"
        "  1  Roll to hit\n"
        "    red    blow 1d6: 5\n"
        "    goes on, because the die is 5, not less than 4\n"
        "  2  The wound\n"
        "    blue: Parry? no\n"
        "    mordred loses 2 health: 2 → 0\n"
        "  3  Falls, because mordred's health is 0\n"
        "    mordred is out of play\n"
        "\n"
        "had blue answered “Parry?” with yes, not no, mordred.gone would be no\n"
        "or had mordred's health been 3 at the start, not 2, it would be no\n"
        "or had red's roll `blow` shown 3, not 5, it would be no\n"
    )


def chosen(run: RunCommand, rules: str, *asked: str) -> str:
    """What `why` tells first of a play in which somebody is chosen."""
    Path("chosen.rules").write_text(rules, encoding="utf-8")
    Path("chosen.yaml").write_text(CHOSEN_STATE, encoding="utf-8")
    return run("why", "chosen.rules", *asked, "--state", "chosen.yaml").out.partition("\n\n")[0]


def test_an_only_answer_comes_from_what_ruled_out_the_others(run: RunCommand) -> None:
    assert chosen(run, CHOSEN, "--with", "striker=a", "--of", "c.hit") == (
        "c.hit: yes, at the start no\n"
        "  1  Bleed\n"
        "    b loses 1 health: 1 → 0\n"
        "  2  Choose\n"
        "    red: Who is hit? c, the only answer. Not possible:\n"
        "        a   a's owner is red\n"
        "        b   b's health is 0, not more than 0\n"
        "    c.hit: no → yes"
    )


def test_what_is_read_of_all_members_made_it_so_too(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "race.rules").write_text(RACE, encoding="utf-8")
    (tmp_path / "race.yaml").write_text(RACE_STATE, encoding="utf-8")
    (tmp_path / "run.yaml").write_text("[5, 2]\n", encoding="utf-8")
    given = ["--state", "race.yaml", "--script", "run.yaml"]
    told = "  1  Run\n    ann   luck 1d6: 5\n    fox.stride: 1 → 5\n    bob   luck 1d6: 2\n    owl.stride: 1 → 2\n"
    assert told in run("why", "race.rules", "race", *given).out
    assert told in run("why", "race.rules", "race", *given, "--of", "fox.marks[ann]").out
    again = run("why", "race.rules", "again", *given, "--with", "horse=fox")
    assert "    fox.marks[ann]: 0 → 1\n" in again.out


def test_a_name_is_not_taken_for_that_of_an_older_loop(run: RunCommand) -> None:
    assert chosen(run, CHOSEN + WON, "won", "--with", "marked=b", "--of", "c.hit") == (
        "c.hit: yes, at the start no\n"
        "  3  Choose\n"
        "    because a's health is 6, more than 5 and healthy: yes\n"
        "    c.hit: no → yes"
    )


def test_what_was_asked_of_members_made_it_so_wherever_it_is_asked(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "storm.rules").write_text(STORM, encoding="utf-8")
    (tmp_path / "storm.yaml").write_text("players: [ann, bob]\n", encoding="utf-8")
    (tmp_path / "blow.yaml").write_text("[1, 6]\n", encoding="utf-8")

    def why(what: str) -> str:
        given = ["--state", "storm.yaml", "--script", "blow.yaml"]
        return run("why", "storm.rules", "storm", *given, "--of", what).out.partition("\n\n")[0]

    ann = "    ann   gale 1d6: 1\n    ann loses 1 will: 3 → 2\n"
    bob = "    bob   gale 1d6: 6\n    bob loses 3 will: 3 → 0\n"
    assert why("over") == (
        f"over: yes, at the start no\n  1  It blows\n{bob}  2  Is it over? because bob's will is 0\n    over: no → yes"
    )
    assert why("broken") == (
        f"broken: 1, at the start 0\n  1  It blows\n{ann}{bob}"
        "  3  Who is broken\n    because some are is 1, at least 1\n    broken: 0 → 1"
    )
    assert "    bob.hurt: no → yes\n  4  Who is lost\n    lost: 0 → 1" in why("lost")
    assert why("left") == (
        f"left: 1, at the start 0\n  1  It blows\n{ann}{bob}"
        "  5  Who is left, because none of the players has `q.will = 3`\n    left: 0 → 1"
    )


def test_what_a_loop_asks_of_its_members_made_it_so_too(run: RunCommand) -> None:
    assert chosen(run, CHOSEN + MARKED, "marked", "--with", "knight=a", "--of", "a.health") == (
        "a.health: 5, at the start 6\n  1  Mark\n    a.hit: no → yes\n  2  Suffer\n    a loses 1 health: 6 → 5"
    )


def test_dice_come_from_what_said_how_many_fall(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "volley.rules").write_text(
        'ruleset volley "A volley" revision "1"\n'
        'procedure volley(shooter: player) gives 0..3 "A volley":\n'
        "  let strength: 1..3 = 1\n"
        '  ask shooter whether overload "Overload?":\n'
        "    set strength to 3\n"
        "  roll strength of d6 as shots by shooter\n"
        "  finish with count(each d in shots where d.natural >= 4)\n",
        encoding="utf-8",
    )
    (tmp_path / "state.yaml").write_text("players: [red]\n", encoding="utf-8")
    (tmp_path / "script.yaml").write_text("[yes, [5, 4, 1]]\n", encoding="utf-8")
    done = run(
        "why", "volley.rules", "volley", "--state", "state.yaml", "--with", "shooter=red", "--script", "script.yaml"
    )
    assert done.out.startswith("result: 2\n    red: Overload? yes\n    red   shots 3d6: 5 4 1\n")


def test_a_name_of_a_thing_and_of_the_rules_is_refused(run: RunCommand) -> None:
    Path("chosen.rules").write_text(CHOSEN.replace("procedure", "game:\n  red: Knight?\nprocedure"), encoding="utf-8")
    Path("chosen.yaml").write_text(f"{CHOSEN_STATE}game: {{red: a}}\n", encoding="utf-8")
    done = run("why", "chosen.rules", "--state", "chosen.yaml", "--with", "striker=a", "--of", "red")
    assert (done.exit, done.out, done.err) == (
        2,
        "",
        (
            "error RW0312: `red` is the name of a thing of this play, and of something else in the rules\n"
            "  note: in what is asked: `red`\n"
            "  help: give the thing another id in the state, or ask for a `measure` with `red` that the rules declare\n"
        ),
    )


def test_two_changes_are_told_where_one_does_not_do(run: RunCommand) -> None:
    done = run("why", *START, "--seed", "1", "--policy", "first", "--of", "mordred.health")
    assert "had red's roll `blow` shown 4, not 2, and had blue answered “Parry?” with no then, mordred.hea" in done.out


def test_a_value_is_asked_for(run: RunCommand) -> None:
    asked = ["why", *START, "--seed", "2", "--policy", "first", "--of", "mordred.health"]
    none = run(*asked, "--not", "1")
    assert none.exit == 0
    assert "no change of up to two makes `mordred.health` 1, its own start aside: " in none.out
    assert "error RW1141: `mordred.health` is 2 in this play" in run(*asked, "--not", "2").err


def test_a_search_that_is_given_up_says_so(run: RunCommand) -> None:
    done = run("why", *START, "--seed", "3", "--policy", "first", "--of", "mordred.gone", "--most", "2")
    assert done.exit == 3
    assert "no change of up to two" not in done.out
    assert "given up after 2 changed plays, before every single change was tried" in done.out


def test_it_is_data(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "hit.yaml").write_text(HIT, encoding="utf-8")
    done = run("why", *START, "--script", "hit.yaml", "--of", "mordred.health", "--not", "1", "--format", "json")
    document = json.loads(done.out)
    assert [each.message for each in make_validator("why").iter_errors(document)] == []
    (asked,) = document["asked"]
    assert (asked["value"], asked["start"], asked["searched"]["sure"]) == (0, 2, True)


def test_a_save_is_asked(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "hit.yaml").write_text(HIT, encoding="utf-8")
    assert run("run", *START, "--script", "hit.yaml", "--save", "play.json").exit == 0
    done = run("why", "play.json", "--of", "mordred.gone")
    assert done.exit == 0
    assert "had blue answered “Parry?” with yes, not no, mordred.gone would be no\n" in done.out


def test_what_is_hidden_stays_so(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "sealed.rules").write_text(SEALED, encoding="utf-8")
    (tmp_path / "two.yaml").write_text("players: [red, blue]\n", encoding="utf-8")
    (tmp_path / "bids.yaml").write_text("[3, 2]\n", encoding="utf-8")
    asked = ["sealed.rules", "--state", "two.yaml", "--with", "first=red", "--with", "second=blue"]
    asked = ["why", *asked, "--script", "bids.yaml", "--of", "blue.coins"]
    assert "had blue answered" in run(*asked).out
    seen = run(*asked, "--view", "blue")
    assert seen.exit == 0
    assert "had " not in seen.out
    assert "blue loses 2 coins: 5 → 3" in seen.out


def test_a_play_that_cannot_begin_says_why(run: RunCommand, tmp_path: Path) -> None:
    state = (tmp_path / "state.yaml").read_text(encoding="utf-8").replace("health: 5", "health: 0")
    (tmp_path / "state.yaml").write_text(state, encoding="utf-8")
    done = run("why", *START, "--of", "mordred.gone")
    assert done.exit == 1
    assert done.out == "strike cannot begin\n  the striker is down\n"
    assert json.loads(run("why", *START, "--format", "json").out)["refused"] == ["the striker is down"]


def test_a_step_is_entered_skipped_or_never_come_to(run: RunCommand) -> None:
    asked = ["why", *START, "--seed", "1", "--policy", "first", "--of"]
    never = run(*asked, "strike/2").out
    assert never.startswith("strike/2: never reached\n  1  Roll to hit\n    red    blow 1d6: 2\n")
    assert "had red's roll `blow` shown 4, not 2, strike/2 would be entered with the answers below\n" in never
    skipped = run(*asked, "strike/3").out
    assert "  3  Falls: skipped, mordred's health is 2\n" in skipped
    assert "had mordred's health been 0 at the start, not 2, strike/3 would be entered\n" in skipped
    assert run(*asked, "strike/3", "--not", "2").exit == 2


def test_what_nothing_changes_is_said_so(run: RunCommand) -> None:
    done = run("why", *START, "--seed", "1", "--policy", "first", "--of", "gawain.owner")
    assert done.exit == 0
    assert "nothing that is performed changes `gawain.owner`" in done.out


def test_people_who_play_ask_why(run: RunCommand, tmp_path: Path) -> None:
    state = (tmp_path / "state.yaml").read_text(encoding="utf-8").replace(", shield: yes", "")
    (tmp_path / "bare.yaml").write_text(state, encoding="utf-8")
    bare = [*START[:3], "bare.yaml", *START[4:]]
    typed = "why strike/2\nwhy not parry\nwhy strike/9\nwhy not x\nquit\n"
    done = run("play", *bare, "--seed", "2", typed=typed)
    assert done.exit == 0
    assert "  strike/2: " in done.out
    assert "  parry: " in done.out
    assert "`strike/9` is not a step or a question" in done.out
    assert "  the play is over, and no question is waiting\n" in done.out


def test_people_who_play_ask_why_a_question(run: RunCommand) -> None:
    asked = ["why strike/3", "why parry", "why not", "why not perhaps", "why not 9", "why not 2"]
    after = ["why parry", "why not strike/3", "why not yes"]
    done = run("play", *START, "--seed", "5", typed="\n".join([*asked, "no", *after, "quit\n"]))
    for told in (
        "> why strike/3\n  strike/3: not reached yet\n",
        "> why parry\n  parry: asked now\n",
        "> why not\n  every answer to this question is possible\n",
        "> why not perhaps\n  perhaps is not possible: answer yes or no\n",
        "> why not 9\n  9 is not possible: answer 1 or 2\n",
        "> why not 2\n  `2` is possible\n",
        "> why parry\n  parry: answered\n    1  Roll to hit\n",
        "    2  The wound\n      blue: Parry? no\n> why not strike/3\n  strike/3: entered\n",
        "> why not yes\n  the play is over, and no question is waiting\n",
    ):
        assert told in done.out


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


def test_a_number_that_nothing_begins_with_because_it_is_lost_at_0_is_tried_last(run: RunCommand) -> None:
    Path("spent.rules").write_text(
        'ruleset spent "Spent" revision "1"\nkind Unit, units:\n  owner: player\n  health: 0..5\n'
        '  hit: flag = no\nprocedure check(u: Unit) "A check":\n  if u.health = 1:\n    set u.hit to yes\n',
        encoding="utf-8",
    )
    Path("spent.yaml").write_text(
        "players: [red]\nunits: {a: {owner: red, health: 1}, b: {owner: red, health: 3}}\n", encoding="utf-8"
    )
    told = run("why", "spent.rules", "--state", "spent.yaml", "--with", "u=a", "--of", "a.hit").out
    assert "had a's health been 2 at the start, not 1, a.hit would be no\n" in told


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
