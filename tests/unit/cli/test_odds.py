"""The verbs `odds` and `simulate`: what they print, as text and as JSON, and how they end."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from rulewright.cli.result_tables import format_likelihood
from support.duel_example import START, RunCommand

OF = ["--of", "mordred.health", "--of", "mordred.gone"]


def test_odds_are_told_with_fractions(run: RunCommand) -> None:
    done = run("odds", *START, *OF, "--policy", "random")
    assert done.exit == 0
    assert done.out == (
        "A strike: 2 different moments of play\n"
        "\n"
        "mordred.health\n"
        "  0   25.000 %  1/4  ████████\n"
        "  2   75.000 %  3/4  ██████████████████████\n"
        "  on average 1.5 (3/2)\n"
        "\n"
        "mordred.gone\n"
        "   no   75.000 %  3/4  ██████████████████████\n"
        "  yes   25.000 %  1/4  ████████\n"
    )


@pytest.mark.parametrize(("dice", "way"), [(9, "--as fraction"), (60, "--format json")])
def test_what_stands_for_a_long_fraction_is_said(dice: int, way: str, run: RunCommand, tmp_path: Path) -> None:
    rules = f"""\
ruleset many "Many" revision "1"
procedure go() gives 0..{dice} "Go":
  roll {dice}d6 as thrown
  finish with count(each d in thrown where d.natural = 6)
"""
    (tmp_path / "many.rules").write_text(rules, encoding="utf-8")
    (tmp_path / "start.yaml").write_text("players: [red]\n", encoding="utf-8")
    asked = ["odds", "many.rules", "go", "--state", "start.yaml"]
    assert run(*asked).out.endswith(f"\n\n… stands for a long fraction: `{way}` prints it\n")
    told = run(*asked, *way.split()).out
    assert f"/{6**dice}" in told
    assert "stands for" not in told


def test_odds_are_data(run: RunCommand) -> None:
    done = run("odds", *START, *OF, "--policy", "random", "--format", "json")
    found = json.loads(done.out)
    assert [each["of"] for each in found["odds"]] == ["mordred.health", "mordred.gone"]
    assert found["odds"][0]["values"] == [
        {"value": 0, "says": "0", "likely": "1/4", "about": 0.25},
        {"value": 2, "says": "2", "likely": "3/4", "about": 0.75},
    ]
    assert found["odds"][0]["mean"] == "3/2"
    assert (found["never"], found["open"]) == ("0", "0")


def test_what_could_be_asked_is_of_the_ruleset_at_hand(run: RunCommand) -> None:
    done = run("odds", *START, "--policy", "random")
    assert done.exit == 2
    assert done.err == (
        "error RW1120: `strike` gives no result, so say what to ask about\n"
        "  help: add `--of EXPRESSION`, such as `--of target.shield`\n"
    )


def test_beyond_the_limit_is_unknown(run: RunCommand) -> None:
    done = run("odds", *START, *OF, "--policy", "random", "--most", "1")
    assert done.exit == 3
    assert "--most N follows more of them" in done.out


def test_questions_without_anybody_to_decide_are_listed(run: RunCommand) -> None:
    done = run("odds", *START, *OF)
    assert done.exit == 2
    assert "error RW1121: the choice `Parry?` is left open" in done.err
    assert "note: players decide: Parry? (`strike/2/parry`)" in done.err


def test_a_wrong_expression_is_told_as_it_was_written(run: RunCommand) -> None:
    done = run("odds", *START, "--of", "mordred.helth")
    assert done.exit == 2
    assert done.err == (
        "error RW0306: `Knight` has no attribute `helth`\n"
        "  note: in what is asked: `mordred.helth`\n"
        "  help: did you mean `health`?\n"
    )


def test_plays_are_counted_alike_by_one_and_by_two(run: RunCommand) -> None:
    wanted = ["simulate", *START, *OF, "--policy", "random", "--seed", "7", "--runs", "1200", "--format", "json"]
    one, two = run(*wanted, "--workers", "1"), run(*wanted, "--workers", "2")
    assert (one.exit, two.exit) == (0, 0)
    assert json.loads(one.out) == json.loads(two.out)
    (lost, _) = json.loads(one.out)["counts"][0]["values"]
    assert lost["interval"][0] <= 0.25 <= lost["interval"][1]


def test_enough_plays_are_enough(run: RunCommand) -> None:
    done = run("simulate", *START, *OF, "--policy", "random", "--seed", "7", "--runs", "90000", "--within", "5")
    assert done.exit == 0
    assert done.out.startswith("A strike: 500 plays, seed 7; intervals hold 95% of the time\n")


def test_a_question_without_an_answer_ends_it(run: RunCommand) -> None:
    done = run("simulate", *START, *OF, "--runs", "1000", "--workers", "2")
    assert done.exit == 2
    assert "RW0746" in done.err


def test_starts_are_told_side_by_side(run: RunCommand) -> None:
    done = run("odds", *START, *OF, "--policy", "random", "--vary", "mordred.health=1..3", "--vary", "target.shield")
    assert done.exit == 0
    assert done.out == (
        "A strike: 6 starts\n"
        "\n"
        "mordred.health\n"
        "  mordred.health  target.shield         0         1         2         3  on average\n"
        "               1             no  50.000 %  50.000 %       0 %       0 %         0.5\n"
        "               1            yes  25.000 %  75.000 %       0 %       0 %        0.75\n"
        "               2             no  50.000 %       0 %  50.000 %       0 %           1\n"
        "               2            yes  25.000 %       0 %  75.000 %       0 %         1.5\n"
        "               3             no       0 %  50.000 %       0 %  50.000 %           2\n"
        "               3            yes       0 %  25.000 %       0 %  75.000 %         2.5\n"
        "\n"
        "mordred.gone\n"
        "  mordred.health  target.shield       yes\n"
        "               1             no  50.000 %\n"
        "               1            yes  25.000 %\n"
        "               2             no  50.000 %\n"
        "               2            yes  25.000 %\n"
        "               3             no       0 %\n"
        "               3            yes       0 %\n"
    )
    told = run("odds", *START, *OF, "--policy", "random", "--vary", "mordred.health=1..2", "--as", "odds")
    assert "               1  1 in 4  3 in 4   never        0.75\n" in told.out


def test_a_sweep_is_data_and_rows(run: RunCommand) -> None:
    wanted = ["odds", *START, *OF, "--policy", "first", "--vary", "striker.health=0,5"]
    found = json.loads(run(*wanted, "--format", "json").out)
    assert found["vary"] == ["striker.health"]
    assert found["starts"][0] == {"at": [0], "refused": ["the striker is down"]}
    assert found["starts"][1]["odds"][1]["values"] == [{"value": False, "says": "no", "likely": "1", "about": 1.0}]
    done = run(*wanted, "--format", "csv")
    assert done.exit == 1
    assert done.out == (
        "striker.health,of,value,likely,about\n"
        "0,,cannot begin,1,1.0\n"
        "5,mordred.health,2,1,1.0\n"
        "5,mordred.gone,no,1,1.0\n"
    )


def test_a_role_may_be_varied_with_what_its_holder_has(run: RunCommand) -> None:
    done = run(
        "odds", *START, *OF, "--policy", "first", "--vary", "target.health=1", "--vary", "target", "--format", "csv"
    )
    assert "1,gawain,mordred.health,2,1,1.0" in done.out.splitlines()
    assert "1,mordred,mordred.health,1,1,1.0" in done.out.splitlines()


@pytest.mark.parametrize(
    ("vary", "code", "said"),
    [
        ("nobody.health=1", "RW1124", "`nobody.health` cannot be varied"),
        ("mordred=1", "RW1124", "write `ID.attribute`"),
        ("mordred.helth=1", "RW1124", "did you mean `health`?"),
        ("mordred.health=4..2", "RW1124", "write `mordred.health=2..4`"),
        ("mordred.health=1..99999999999999999999", "RW1125", "99,999,999,999,999,999,999 starts"),
        ("mordred.health=12", "RW0712", "it must be from 0 to 9"),
        ("mordred.owner=green", "RW0714", "which is not a player here"),
        ("mordred.health=[1,", "RW1124", "cannot be read"),
        ("setting.faces", "RW1124", "there is no setting `faces`"),
        ("game.round=1", "RW1124", "there is no field of the game `round`"),
        ("", "RW0783", "`--vary` is empty"),
    ],
)
def test_what_cannot_be_varied_is_told_before_the_work(run: RunCommand, vary: str, code: str, said: str) -> None:
    done = run("odds", *START, *OF, "--policy", "first", "--vary", vary)
    assert done.exit == 2
    assert code in done.err
    assert said in done.err


def test_plays_from_several_starts_throw_the_same_dice(run: RunCommand) -> None:
    wanted = ["simulate", *START, *OF, "--policy", "first", "--seed", "7", "--runs", "1200", "--vary", "target.shield"]
    one, two = (run(*wanted, "--workers", number, "--format", "json") for number in "12")
    assert json.loads(one.out) == json.loads(two.out)
    without, with_ = json.loads(one.out)["starts"]
    assert without["at"] == [False]
    assert [each["value"] for each in without["counts"][0]["values"]] == [0, 2]
    assert [each["value"] for each in with_["counts"][0]["values"]] == [2]
    assert run(*wanted).out.startswith("A strike: 2 starts, seed 7;")
    heads = "target.shield,of,value,plays,of plays,low,high,seed,policy,fingerprint\n"
    assert run(*wanted, "--format", "csv").out.startswith(heads)


RAIN = """\
ruleset rain "Rain" revision "1"
values Sky: dry, wet
external procedure sky() gives Sky
external term wind() gives 0..2 "The wind"
external term known() gives 0..2 default 1 "The tide"
procedure walk() gives 0..9 "A walk":
  perform sky() as above
  finish with wind() + known() + if(above = wet, 5, 0)
"""
RANDOM = (
    RAIN.replace("rain", "random", 1)
    + """\
kind Unit, units:
  health: 0..3
kind Ship, ships:
  crew: 0..3
game:
  day: 0..1
external procedure morning() gives 1..2 changes day
external term chosen() gives Unit?
external procedure blow(u: Unit) changes Unit.health
external term mixed() gives set of Sky
external procedure many() gives list of 1..3
external term spread() gives 0..2000 "Far off"
external procedure dead(u: Unit) changes Unit.gone
external term vessel() gives Ship "A ship"
procedure dawn() gives 0..9:
  perform morning() as a
  finish with a + 2 * day
procedure whom() gives 0..9:
  let u = chosen()
  finish with if(u = none, 0, u.health)
procedure hurt() gives 0..9:
  perform blow(the u in units where u.health = 1)
  finish with sum(each u in units: u.health)
procedure both() gives 0..9:
  finish with count(mixed())
procedure lots() gives 0..9:
  perform many() as m
  finish with min(count(m), 9)
procedure far() gives 0..2000:
  finish with spread()
procedure kill() gives 0..9:
  perform dead(the u in units where u.health = 1)
  finish with count(units)
procedure ship() gives 0..9:
  finish with vessel().crew
"""
)
WALK = ["rain.rules", "walk", "--state", "rain.yaml"]


def test_answers_that_no_play_takes_are_told_with_their_place(run: RunCommand) -> None:
    script = Path("said.yaml")
    script.write_text("- [5]\n- no\n- no\n- [1]\n", encoding="utf-8")
    done = run("odds", *START, *OF, "--script", "said.yaml")
    assert done.exit == 2
    assert "mordred.health\n  0  100.000 %" in done.out
    assert done.err == (
        "error RW0743: this answer and 1 more are left over: no play asks for them\n"
        "  --> said.yaml:3:3\n"
        "    - no\n"
        "  at: /2\n"
        "  help: if the play is right now, take these answers out; if it should ask their questions, change the rules or the start\n"
    )
    script.write_text("2/parry: {each: [no, yes]}\n", encoding="utf-8")
    assert "  --> said.yaml:1:22\n" in run("odds", *START, *OF, "--script", "said.yaml").err
    script.write_text("- {answer: no, at: 2/parry}\n", encoding="utf-8")
    done = run("odds", *START, *OF, "--script", "said.yaml")
    assert (done.exit, done.err) == (0, "")
    assert "  0   50.000 %  1/2" in done.out


def test_an_answer_to_what_answers_itself_is_not_left_over(run: RunCommand) -> None:
    Path("few.rules").write_text(FEW, encoding="utf-8")
    Path("few.yaml").write_text("players: [red]\n", encoding="utf-8")
    for answers, code in (("bet/many: 3\nbet/more: 3\n", 0), ("bet/many: {each: [3, 3]}\n", 2)):
        Path("said.yaml").write_text(answers, encoding="utf-8")
        done = run("odds", "few.rules", "bet", "--state", "few.yaml", "--with", "who=red", "--script", "said.yaml")
        assert done.exit == code
        assert "  6  100.000 %" in done.out


@pytest.mark.parametrize(
    ("answers", "wrong"),
    [
        ("[3, [1]]", ""),
        ("[3, {answer: 3, at: bet/more}, [1]]", ""),
        ("[{answer: 3, at: bet/many}, {answer: 3, at: bet/more}, {answer: [1], at: bet/luck}]", ""),
        ("[3, {answer: 3, at: bet/more}]", ""),
        ("[3, {answer: 2, at: bet/more}, [1]]", "RW0731: this answer is not possible: `3` alone is legal"),
        ("[3, {answer: 3, at: bet/more, by: blue}, [1]]", "RW0731: this answer is given by `blue`, but `red`"),
        ("[3, [1], {answer: 3, at: bet/more}]", "RW0743: this answer is left over"),
        ("{bet/many: 3, bet/more: 2, bet/luck: [1]}", "RW0731: this answer is not possible: `3` alone is legal"),
    ],
)
def test_every_verb_takes_the_same_of_a_script_to_what_answers_itself(
    run: RunCommand, answers: str, wrong: str
) -> None:
    Path("few.rules").write_text(FEW, encoding="utf-8")
    Path("few.yaml").write_text("players: [red, blue]\n", encoding="utf-8")
    Path("said.yaml").write_text(answers + "\n", encoding="utf-8")
    play = ("few.rules", "bet", "--state", "few.yaml", "--with", "who=red", "--script", "said.yaml")
    for verb in ("odds", "run --seed 1", *([] if wrong.startswith("RW0731") else ["simulate --runs 10"])):
        done = run(*verb.split(), *play)
        assert (wrong in done.err) if wrong else (done.exit == 0), verb


FEW = """\
ruleset few "Few" revision "1"
procedure bet(who: player) gives 0..9:
  ask who for many in 1..3 "How many?"
  ask who for more in many..3 "More?"
  roll d6 as luck
  finish with many + more
"""


@pytest.fixture
def rain(run: RunCommand) -> RunCommand:
    Path("rain.rules").write_text(RAIN, encoding="utf-8")
    Path("rain.yaml").write_text("players: [red]\n", encoding="utf-8")
    Path("random.rules").write_text(RANDOM, encoding="utf-8")
    things = "game: {day: 0}\nunits: {a: {health: 1}, b: {health: 3}}\nships: {}\n"
    Path("random.yaml").write_text("players: [red]\n" + things, encoding="utf-8")
    return run


def test_externals_without_likelihoods_are_listed(rain: RunCommand) -> None:
    done = rain("odds", *WALK)
    assert done.exit == 2
    assert done.err == (
        "error RW1122: no rule gives the result of `sky`\n"
        "  note: `sky` gives Sky\n"
        "  note: `wind` gives 0..2\n"
        "  help: say how likely each answer is: `--external 'sky={ANSWER: 2/3, ANSWER: 1/3}'`; what is certain may "
        "stand in a script: `walk/above: {always: …}`; or let `--policy random` take each with equal likelihood\n"
    )


@pytest.mark.long
def test_at_random_each_answer_of_an_external_is_as_likely(rain: RunCommand) -> None:
    drawn = ("--runs", "3000", "--seed", "3", "--policy", "random", "--format", "json")
    for procedure, values in (
        ("walk", dict.fromkeys(["1", "2", "3", "6", "7", "8"], "1/6")),  # two skies with three winds
        ("dawn", dict.fromkeys(["1", "2", "3", "4"], "1/4")),  # a result and what changes, two by two
        ("whom", {"0": "1/3", "1": "1/3", "3": "1/3"}),  # none, or one of two units
        (
            "hurt",
            {str(each): str(Fraction(4 - abs(3 - each), 16)) for each in range(7)},
        ),  # four healths of each of two units
        ("both", {"0": "1/4", "1": "1/2", "2": "1/4"}),  # sets of two words, by their size
    ):
        play = (procedure, "--state", "random.yaml")
        done = rain("odds", "random.rules", *play, "--policy", "random", "--format", "json")
        found = {str(each["value"]): each["likely"] for each in json.loads(done.out)["odds"][0]["values"]}
        assert found == values, procedure
        first, again = (rain("simulate", "random.rules", *play, *drawn).out for _ in range(2))
        assert first == again
        for each in json.loads(first)["counts"][0]["values"]:
            low, high = each["interval"]
            assert low - 0.02 <= Fraction(values[str(each["value"])]) <= high + 0.02, procedure


@pytest.mark.parametrize(
    ("procedure", "why"),
    [
        ("lots", "no rule gives the result of `many`, and `random` cannot list what it gives, list of 1..3"),
        (
            "far",
            "no rule gives the result of `Far off`, and `random` takes one of 1,000 answers at most, and here are more",
        ),
        ("kill", "no rule gives the result of `dead`, and `random` does not say what goes out of play, `Unit.gone`"),
        ("ship", "no rule gives the result of `A ship`, and `random` has nothing to choose from"),
    ],
)
def test_what_cannot_be_listed_is_not_made_up(rain: RunCommand, procedure: str, why: str) -> None:
    play = ("random.rules", procedure, "--state", "random.yaml", "--policy", "random")
    for verb in (("odds",), ("simulate", "--runs", "10")):
        done = rain(*verb, *play)
        assert done.exit == 2
        assert f"error RW1122: {why}\n" in done.err, verb


def test_likelihoods_come_from_options_and_from_the_file_beside_the_state(rain: RunCommand) -> None:
    Path("rain.odds.yaml").write_text("sky: {dry: 2/3, wet: 1/3}\nwind: {0: 1}\n", encoding="utf-8")
    done = rain("odds", *WALK, "--external", "wind={0: 0.5, 2: 50 %}", "--format", "csv")
    assert done.out == (
        "of,value,likely,about\n"
        "result,1,1/3,0.3333333333333333\n"
        "result,3,1/3,0.3333333333333333\n"
        "result,6,1/6,0.16666666666666666\n"
        "result,8,1/6,0.16666666666666666\n"
    )
    counted = rain("simulate", *WALK, "--runs", "2000", "--seed", "3", "--format", "json")
    dry, wet = json.loads(counted.out)["counts"][0]["values"]
    assert dry["interval"][0] <= 2 / 3 <= dry["interval"][1]
    assert (dry["value"], wet["value"]) == (1, 6)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("sky={dry: 2/3, wte: 1/3}", "an answer of `sky` is the text `wte`; it must be `dry` or `wet`"),
        ("sky={dry: 2/3}", "the likelihoods of `sky` add up to 2/3, not to 1"),
        ("sky={dry: 3/2}", "an answer of `sky` has no likelihood from 0 to 1"),
        ("sky={dry: 1/0, wet: 1}", "an answer of `sky` has no likelihood from 0 to 1"),
        ("sky=dry", "`sky` has no answers with likelihoods"),
        ("sky=[dry]", "an answer of `sky` has no likelihood from 0 to 1"),
        ("skye={dry: 1}", "did you mean `sky`?"),
        ("known={1: 1}", "`known` has a default, so its likelihoods are never used"),
        ("sky={damp: 1}", "it must be `dry` or `wet`"),
        ("sky={dry: 1, damp: 0}", "it must be `dry` or `wet`"),
        ("sky=[{answer: dry, likely: 1, because: sun}]", "an answer of `sky` with its likelihood has no `because`"),
        ("sky=[{answer: dry, likely: 1/2}, {answer: dry, likely: 1/2}]", "an answer of `sky` is listed twice"),
        ("sky", "is not of the form `--external NAME=VALUE`"),
    ],
)
def test_likelihoods_that_are_not_well_said(rain: RunCommand, given: str, said: str) -> None:
    done = rain("odds", *WALK, "--external", given)
    assert done.exit == 2
    assert said in done.err


def test_a_file_of_likelihoods_that_is_none_is_told(rain: RunCommand) -> None:
    for text, said in (("3", "is not a mapping from externals"), ("[", "this `[` is never closed"), ("", "RW070")):
        Path("rain.odds.yaml").write_text(text, encoding="utf-8")
        done = rain("odds", *WALK)
        assert done.exit == 2
        assert said in done.err


PARRIES = ["--best", "blue:mordred.health"]


def test_best_play_is_told_with_its_odds(run: RunCommand) -> None:
    done = run("odds", *START, *PARRIES)
    assert done.exit == 0
    assert done.out == (
        "A strike: 5 different moments of play\n"
        "best play of blue: `mordred.health` is 2 on average\n"
        "\n"
        "mordred.health\n"
        "  2  100.000 %  1  ██████████████████████████████\n"
    )
    done = run("odds", *START, "--best", "blue: mordred.health = 0", "--of", "mordred.gone", "--format", "json")
    found = json.loads(done.out)
    assert found["best"] == [{"player": "blue", "of": "mordred.health = 0", "low": "1/2", "high": "1/2"}]
    assert [each["of"] for each in found["odds"]] == ["mordred.gone"]


def test_best_play_from_several_starts(run: RunCommand) -> None:
    done = run("odds", *START, *PARRIES, "--vary", "target.shield", "--of", "mordred.gone")
    assert done.out == (
        "A strike: 2 starts\n"
        "\n"
        "mordred.gone\n"
        "  target.shield       yes  best for blue\n"
        "             no  50.000 %              1\n"
        "            yes       0 %              2\n"
    )
    done = run("odds", *START, *PARRIES, "--vary", "target.shield=no", "--format", "csv")
    assert "no,mordred.health,best for blue,1,1.0" in done.out.splitlines()


def test_best_play_beyond_the_limit_is_told_between_bounds(run: RunCommand) -> None:
    done = run("odds", *START, *PARRIES, "--most", "1")
    assert done.exit == 3
    assert "best play of blue: `mordred.health` is 1 to 5.5 (11/2) on average" in done.out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--best", "blue"], "RW1127: `blue` does not say who wants the most of what"),
        (["--best", "blue:"], "RW1127: `blue:` does not say who wants the most of what"),
        (["--best", "green:1"], "RW0260: there is no player `green`"),
        (
            ["--best", "blue:mordred.owner"],
            "RW1127: `mordred.owner` is player; best play needs a number",
        ),
        (["--best", "blue:mordred.helth"], "RW0306: `Knight` has no attribute `helth`"),
        ([*PARRIES, "--best", "blue:1"], "RW1127: `blue` wants two things"),
        ([*PARRIES, "--policy", "blue=first"], "RW1127: `blue` plays for the best and has a policy"),
        (["--best", "red:1"], "RW1121: the choice `Parry?` is left open"),
        (["--policy", "green=first"], "RW0260: there is no player `green`"),
        (["--policy", "blue=best"], "it must be `first` or `random`, or `PLAYER=first`"),
    ],
)
def test_what_is_not_well_said_of_players(run: RunCommand, given: list[str], said: str) -> None:
    done = run("odds", *START, *OF, *given)
    assert done.exit == 2
    assert said in done.err


def test_each_player_may_have_a_policy(run: RunCommand) -> None:
    both = ["--policy", "random", "--policy", "blue=first", "--format", "csv"]
    assert "mordred.health,2,1,1.0" in run("odds", *START, *OF, *both).out.splitlines()
    counted = run("simulate", *START, *OF, *both, "--seed", "3", "--runs", "600").out.splitlines()
    assert counted[1].startswith("mordred.health,2,600,600,")


ADVICE = """\
ruleset stand "Stand or run" revision "1"
kind Unit, units:
  owner: player
  health: 0..9
procedure stand(unit: Unit, foe: Unit) "Stand or run":
  step 1:
    ask unit.owner whether runs "Run?":
      take up to 1 from unit.health
      finish
  step 2:
    roll d6 as blow by foe.owner
    ask foe.owner whether harder "Strike harder?":
      if blow.natural >= 4:
        take up to 3 from unit.health
    else:
      take up to 1 from unit.health
"""
STAND = ["stand.rules", "stand", "--state", "stand.yaml", "--with", "unit=hammer", "--with", "foe=anvil"]


@pytest.fixture
def stand(run: RunCommand) -> RunCommand:
    Path("stand.rules").write_text(ADVICE, encoding="utf-8")
    state = "players: [red, blue]\nunits: {hammer: {owner: red, health: 4}, anvil: {owner: blue, health: 4}}\n"
    Path("stand.yaml").write_text(state, encoding="utf-8")
    return run


def test_every_answer_is_told_with_its_worth(stand: RunCommand) -> None:
    against = ["--advise", "--best", "red:hammer.health", "--best", "blue:-hammer.health"]
    done = stand("odds", *STAND, *against)
    assert done.exit == 0
    assert done.out == (
        "red: Run?\n  on average `hammer.health`, as far as 7 moments of play show it:\n  yes  3  best\n  no   2\n"
    )
    found = json.loads(stand("odds", *STAND, *against, "--format", "json").out)
    assert found["answers"] == [
        {"answer": True, "low": 3, "high": 3, "best": True},
        {"answer": False, "low": 2, "high": 2, "best": False},
    ]
    rows = stand("odds", *STAND, *against, "--format", "csv").out
    assert rows == "answer,low,high,best\nyes,3,3,yes\nno,2,2,no\n"


def test_advice_after_what_a_script_says_and_at_a_save(stand: RunCommand) -> None:
    Path("stays.yaml").write_text("runs: no\n", encoding="utf-8")
    blue = ["--best", "blue:-hammer.health", "--advise"]
    done = stand("odds", *STAND, *blue, "--script", "stays.yaml")
    assert done.exit == 2
    assert "RW1131: no choice is open yet: `stand/2/blow` comes first" in done.err
    Path("blow.yaml").write_text("runs: no\nblow: 5\n", encoding="utf-8")
    assert "  yes  -1  best\n  no   -3\n" in stand("odds", *STAND, *blue, "--script", "blow.yaml").out
    stand("play", *STAND, "--seed", "1", "--save", "here.json", typed="no\nadvise -hammer.health\nquit\n")
    done = stand("odds", "stand.rules", *blue, "--load", "here.json")
    assert done.exit == 0
    assert done.out.startswith("blue: Strike harder?\n")
    wrong = stand("odds", "stand.rules", *blue, "--load", "here.json", "--vary", "hammer.health=1..2")
    assert "RW1124: a saved play has only one start" in wrong.err
    assert stand("odds", "stand.rules", "--load", "here.json", "--policy", "first", "--of", "hammer.health").exit == 0


def test_a_saved_play_that_is_over_ends_as_it_did(stand: RunCommand) -> None:
    stand("run", *STAND, "--seed", "1", "--policy", "first", "--save", "over.json")
    done = stand("odds", "stand.rules", "--load", "over.json", "--of", "hammer.health >= 0")
    assert (done.exit, done.err) == (0, "")
    assert "  yes  100.000 %  1" in done.out


def test_advice_at_the_table(stand: RunCommand) -> None:
    typed = "advise\nadvise hammer.helth\nadvise hammer.health\nno\nno\nadvise hammer.health\n"
    done = stand("play", *STAND, "--seed", "1", typed=typed)
    assert "  say what is wanted the most of: `advise hammer.health`\n" in done.out
    assert "no advice: `Unit` has no attribute `helth`" in done.out
    assert "    no   2\n" in done.out
    assert "all others are taken to want the least of it" in done.out
    assert "the play is over, so no question is waiting" in done.out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--policy", "first"], "RW1131: there is no advice without an objective"),
        (["--best", "red:1", "--vary", "hammer.health=1..2"], "RW1131: advice is for one start"),
        (["--best", "red:hammer.health"], "RW1121: the choice `Strike harder?` is left open"),
        (["--best", "red:1", "--load", "none.json"], "RW0001"),
    ],
)
def test_what_cannot_be_advised(stand: RunCommand, given: list[str], said: str) -> None:
    done = stand("odds", *STAND, "--of", "hammer.health", "--advise", *given)
    assert done.exit == 2
    assert said in done.err


def test_the_example_of_advice_is_of_the_play(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed="advise\nhelp\nquit\n")
    assert "  say what is wanted the most of: `advise gawain.health`\n" in done.out
    assert "wants the most of X: `advise gawain.health`\n" in done.out


AMBUSH = """\
ruleset ambush "An ambush" revision "1"
kind Unit, units:
  owner: player
  health: 0..9
procedure ambush(unit: Unit, foe: Unit) "An ambush":
  ask foe.owner secretly whether left "Lie in wait on the left?"
  ask unit.owner whether goes "March on the left?"
  ask foe.owner whether late "Strike late?"
  reveal left
  if goes = left and not late:
    take up to 1 from unit.health
"""


def test_advice_at_the_table_uses_nothing_that_is_secret(stand: RunCommand) -> None:
    Path("ambush.rules").write_text(AMBUSH, encoding="utf-8")
    start = ["ambush.rules", "ambush", *STAND[2:]]
    typed = "advise hammer.health\nno\nadvise hammer.health\nyes\nadvise -hammer.health\nno\n"
    for seen_by in ([], ["--as", "red"]):
        done = stand("play", *start, *seen_by, typed=typed)
        assert "`red` cannot see the secret answer `left` when `March on the left?` is asked" in done.out
        assert "`blue` cannot see the secret answer `left` when `Strike late?` is asked" in done.out
        assert "best" not in done.out
    done = stand("play", *start, "--as", "blue", typed="no\nyes\nadvise -hammer.health\nno\n")
    assert done.out.count("best") == 2


def test_visits_of_steps_are_asked(run: RunCommand) -> None:
    wanted = ["--of", "visits(strike/2)", "--of", "visits(3)", "--format", "csv"]
    done = run("odds", *START, "--policy", "random", *wanted)
    assert done.out == (
        "of,value,likely,about\n"
        "visits(strike/2),0,1/2,0.5\n"
        "visits(strike/2),1,1/2,0.5\n"
        "visits(3),0,3/4,0.75\n"
        "visits(3),1,1/4,0.25\n"
    )
    counted = run("simulate", *START, "--policy", "random", *wanted, "--runs", "600", "--seed", "2").out.splitlines()
    assert [each.split(",")[:2] for each in counted[1:]] == [each.split(",")[:2] for each in done.out.splitlines()[1:]]
    wrong = run("odds", *START, "--policy", "first", "--of", "visits(9)")
    assert wrong.exit == 2
    assert "RW1132: there is no step `9` to be visited" in wrong.err


GRADES = """\
ruleset grades "Grades" revision "1"
values Result: miss, hit
kind Unit, units:
  owner: player
  health: 0..9
decide grade(face: 1..6) gives Result "The grade of a die":
  low: miss when face < 3
  high: hit otherwise
tally worth(unit: Unit) from 1 "What a rest is worth":
  keen: +1 when unit.health > 5
procedure rest(unit: Unit) "A rest":
  roll 3d6 as dice by unit.owner
  add up to count(each d in dice where grade(d.natural) = hit) to unit.health
  add up to worth(unit) to unit.health
"""


@pytest.mark.parametrize(
    ("of", "remedy"),
    [
        ("mordrd.health", "did you mean `mordred`?"),
        ("strikr.health", "did you mean `striker`?"),
        ("result", "`strike` gives no result; ask for what it changes"),
        ("visits()", "write it with one address: `visits(STEP)`"),
        ("visit(2)", "did you mean `visits`?"),
        ("castle.height", "you can write `striker`, `target`, `red`, `blue`, `gawain` or `mordred`"),
        ("mordred.health given", "ask for one expression, as in the rules; "),
    ],
)
def test_a_name_that_is_not_known_has_a_remedy(run: RunCommand, of: str, remedy: str) -> None:
    done = run("odds", *START, "--policy", "first", "--of", of)
    assert done.exit == 2
    assert f"  help: {remedy}" in done.err


def test_plays_in_which_something_is_so_are_told_of(run: RunCommand) -> None:
    given = ("--policy", "first", "--of", "mordred.health", "--given", "visits(2) > 0")
    assert run("odds", *START, *given).out == (
        "A strike: 4 different moments of play\n"
        "\n"
        "mordred.health given visits(2) > 0\n"
        "  2  100.000 %  1  ██████████████████████████████\n"
        "  this counts 50.000 % (1/2) of all plays: those with `visits(2) > 0`\n"
    )
    swept = run("odds", *START, *given, "--vary", "mordred.shield").out.splitlines()
    assert swept[2:] == [
        "mordred.health given visits(2) > 0",
        "  mordred.shield          0          2  on average  of plays",
        "              no  100.000 %        0 %           0  50.000 %",
        "             yes        0 %  100.000 %           2  50.000 %",
    ]
    counted = run("simulate", *START, *given, "--runs", "1000", "--seed", "1", "--resume", "kept.json")
    assert counted.out.endswith(" plays: those with `visits(2) > 0`\n")
    assert run("simulate", *START, *given, "--runs", "1000", "--resume", "kept.json") == counted
    unmet = run("simulate", *START, *given, "--given", "gawain.health = 0", "--runs", "10")
    assert unmet.exit == 3
    assert "  no play ended with `(visits(2) > 0) and (gawain.health = 0)`: more may (`--runs N`), and" in unmet.out
    never = run("odds", *START, *given, "--given", "gawain.health = 0")
    assert (never.exit, never.out) == (2, "")
    assert never.err.startswith("error RW1203: no play ends with `(visits(2) > 0) and (gawain.health = 0)`, so ")


def test_how_often_rows_came_is_asked_in_the_words_of_scenarios(stand: RunCommand) -> None:
    Path("grades.rules").write_text(GRADES, encoding="utf-8")
    start = ["grades.rules", "rest", "--state", "stand.yaml", "--with", "unit=hammer"]
    asked = ("decided(grade)", "decided(grade/high)", "decided(low)", "counted(worth)", "applied(keen)")
    wanted = [part for each in asked for part in ("--of", each)]
    found = json.loads(stand("odds", *start, *wanted, "--format", "json").out)["odds"]
    told = {each["of"]: {one["value"]: one["likely"] for one in each["values"]} for each in found}
    assert told == {
        "decided(grade)": {3: "1"},
        "decided(grade/high)": {0: "1/27", 1: "2/9", 2: "4/9", 3: "8/27"},
        "decided(low)": {0: "8/27", 1: "4/9", 2: "2/9", 3: "1/27"},
        "counted(worth)": {1: "1"},
        "applied(keen)": {0: "7/27", 1: "20/27"},
    }
    counted = json.loads(stand("simulate", *start, *wanted, "--runs", "90", "--seed", "1", "--format", "json").out)[
        "counts"
    ]
    assert {each["of"]: {one["value"] for one in each["values"]} for each in counted} == {
        of: set(likely) for of, likely in told.items()
    }
    wrong = stand("odds", *start, "--of", "applied(high)")
    assert "RW1132: there is no row of a tally `high`\n  help: there is only `worth/keen`" in wrong.err
    other = 'tally loss(unit: Unit) from 1 "Another":\n  keen: +1 when unit.health > 5\n'
    Path("grades.rules").write_text(GRADES + other, encoding="utf-8")
    wrong = stand("odds", *start, "--of", "applied(keen)")
    several = "`keen` stands for several rows of a tally\n  help: write `worth/keen` or `loss/keen`"
    assert wrong.err == f"error RW1132: {several}\n"


@pytest.mark.parametrize(
    ("style", "told"),
    [("percent", ["75.000 %", "25.000 %"]), ("fraction", ["3/4", "1/4"]), ("odds", ["3 in 4", "1 in 4"])],
)
def test_likelihoods_are_told_as_is_wanted(run: RunCommand, style: str, told: list[str]) -> None:
    asked = ["odds", *START, "--of", "mordred.gone", "--policy", "random", "--as", style]
    assert [line.strip().split("  ")[1] for line in run(*asked).out.splitlines()[3:]] == told
    assert told[1] in run(*asked, "--vary", "mordred.health=2").out


def test_a_fraction_that_is_asked_for_is_whole_or_told_to_be_about() -> None:
    assert (
        format_likelihood(Fraction(9287260407118441, 789730223053602816), "fraction")
        == "9287260407118441/789730223053602816"
    )
    assert format_likelihood(Fraction(1, 6**40), "fraction") == "about 7.5e-30 %"


def test_what_is_asked_is_told_without_the_line_that_it_is_put_into(run: RunCommand) -> None:
    assert "RW0101: expected the end of the line, found `2d6`\n" in run("odds", *START, "--of", "2d6").err


def test_a_declared_measure_is_asked_for(run: RunCommand) -> None:
    rules = Path("duel.rules").read_text(encoding="utf-8")
    declared = "\nmeasure left(k: Knight): k.health\nmeasure down: count(removed(knights))\nprocedure"
    Path("duel.rules").write_text(rules.replace("\nprocedure", declared, 1), encoding="utf-8")
    asked = ("--of", "left(gawain)", "--of", "left(striker)", "--of", "down", "--policy", "random", "--format", "json")
    found = json.loads(run("odds", *START, *asked).out)["odds"]
    assert [{each["value"]: each["likely"] for each in one["values"]} for one in found] == [
        {5: "1"},
        {5: "1"},
        {0: "3/4", 1: "1/4"},
    ]
    assert run("odds", *START, "--of", "left(nobody)", "--policy", "random").exit == 2


MANY = """\
ruleset many "Many" revision "1"
procedure order(who: player) gives 1..9 "An order":
  ask who to order {each n in 1..9} as row "Which order?"
  finish with row[1]
procedure eight(who: player) gives 1..8 "An order of eight":
  ask who to order {each n in 1..8} as row "Which order?"
  finish with row[1]
"""


@pytest.mark.long
def test_answers_too_many_to_be_followed_are_never_taken_for_all(run: RunCommand) -> None:
    """Of 362,880 orders the first 10,000 all begin with 1."""
    Path("many.rules").write_text(MANY, encoding="utf-8")
    Path("state.yaml").write_text("players: [red]\n", encoding="utf-8")
    start = ["many.rules", "order", "--state", "state.yaml", "--with", "who=red"]
    too_many = (
        "error RW1121: `Which order?` has more than 100,000 legal answers, too many to be followed\n"
        "  help: answer it in a script: `--script FILE`\n"
    )
    for chosen in (["--policy", "random"], ["--best", "red:result"]):
        done = run("odds", *start, *chosen)
        assert (done.exit, done.out, done.err) == (2, "", too_many)
    counted = run("simulate", *start, "--policy", "random", "--runs", "300", "--seed", "1", "--format", "csv").out
    assert [row.split(",")[1] for row in counted.splitlines()[1:]] == [str(each) for each in range(1, 10)]
    start[1] = "eight"
    assert "best play of red: `result` is 8 on average" in run("odds", *start, "--best", "red:result").out


def test_a_span_beyond_what_a_number_may_be_is_told_once(run: RunCommand) -> None:
    done = run("odds", *START, "--policy", "first", "--of", "mordred.health", "--vary", "mordred.health=1..99")
    assert done.exit == 2
    assert done.err == (
        "error RW1124: `mordred.health` holds 0..9, and 1..99 goes beyond that\n  help: write `mordred.health=1..9`\n"
    )


def test_a_likelihood_of_thousands_of_digits_is_data_in_full(run: RunCommand) -> None:
    rolls = "".join(
        f"  roll 900 of d20 as p{n}\n  let c{n} = if(some d in p{n} where d.natural = 20, 1, 0)\n" for n in range(4)
    )
    rules = f'ruleset many "Many" revision "1"\nprocedure many() gives 0..4:\n{rolls}  finish with c0 + c1 + c2 + c3\n'
    Path("many.rules").write_text(rules, encoding="utf-8")
    Path("nothing.yaml").write_text("{}\n", encoding="utf-8")
    done = run("odds", "many.rules", "many", "--state", "nothing.yaml", "--of", "result", "--format", "json")
    (none, *_) = json.loads(done.out)["odds"][0]["values"]
    never, all_ = 19 ** (4 * 900), 20 ** (4 * 900)
    assert none["likely"] == f"{Decimal(never):f}/{Decimal(all_):f}"


@pytest.mark.parametrize("verb", ["odds", "simulate"])
def test_what_a_script_answers_for_chance_is_told_to_people(run: RunCommand, verb: str) -> None:
    Path("said.yaml").write_text("2/parry: no\n1/blow: 5\n", encoding="utf-8")
    asked = [verb, *START, *OF, "--policy", "first", "--script", "said.yaml"]
    done = run(*asked)
    assert "100.000 %" in done.out
    assert done.err == "the script gives `strike/1/blow`: 5; leave it out of `--script` to have odds of it\n"
    assert [run(*asked, "--format", form).err for form in ("json", "csv")] == ["", ""]
    Path("said.yaml").write_text("2/parry: no\n", encoding="utf-8")
    assert not run(*asked).err


@pytest.mark.parametrize("verb", ["odds", "simulate"])
def test_a_die_that_a_scenario_fixes_is_told_with_the_option_that_frees_it(run: RunCommand, verb: str) -> None:
    run("new", "skirmish", "--from", "hex-combat")
    asked = [verb, "skirmish/plays.scenario.yaml", "woods help", "--policy", "first"]
    asked += ["--runs", "100"] * (verb == "simulate")
    assert run(*asked).err == "the script gives `attack/1/throw`: 6; `--no-script` leaves it to chance\n"
    assert not run(*asked, "--no-script").err
