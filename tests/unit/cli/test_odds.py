"""The verbs `odds` and `simulate`: what they print, as text and as JSON, and how they end."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from rulewright.cli.result_tables import format_likelihood
from support.duel_example import START, RunCommand

OF = ["--of", "mordred.health", "--of", "mordred.gone"]


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


def test_plays_are_counted_alike_by_one_and_by_two(run: RunCommand) -> None:
    wanted = ["simulate", *START, *OF, "--policy", "random", "--seed", "7", "--runs", "1200", "--format", "json"]
    one, two = run(*wanted, "--workers", "1"), run(*wanted, "--workers", "2")
    assert (one.exit, two.exit) == (0, 0)
    assert json.loads(one.out) == json.loads(two.out)
    (lost, _) = json.loads(one.out)["counts"][0]["values"]
    assert lost["interval"][0] <= 0.25 <= lost["interval"][1]


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


def test_a_fraction_that_is_asked_for_is_whole_or_told_to_be_about() -> None:
    assert (
        format_likelihood(Fraction(9287260407118441, 789730223053602816), "fraction")
        == "9287260407118441/789730223053602816"
    )
    assert format_likelihood(Fraction(1, 6**40), "fraction") == "about 7.5e-30 %"


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
    asked += ["--runs", "5"] * (verb == "simulate")
    assert run(*asked).err == "the script gives `attack/1/throw`: 6; `--no-script` leaves it to chance\n"
    assert not run(*asked, "--no-script").err
