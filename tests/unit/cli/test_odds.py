"""The verbs `odds` and `simulate`: what they print, as text and as JSON, and how they end."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from rulewright.odds.likelihood_formats import format_likelihood
from support.duel_example import START, RunCommand

OF = ["--of", "mordred.health", "--of", "mordred.gone"]


def test_plays_are_counted_alike_by_one_and_by_two(run: RunCommand) -> None:
    wanted = ["simulate", *START, *OF, "--policy", "random", "--seed", "7", "--runs", "1200", "--format", "json"]
    one, two = run(*wanted, "--workers", "1"), run(*wanted, "--workers", "2")
    assert (one.exit, two.exit) == (0, 0)
    assert json.loads(one.out) == json.loads(two.out)
    (lost, _) = json.loads(one.out)["counts"][0]["values"]
    assert lost["interval"][0] <= 0.25 <= lost["interval"][1]


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


def test_a_fraction_that_is_asked_for_is_whole_or_told_to_be_about() -> None:
    assert (
        format_likelihood(Fraction(9287260407118441, 789730223053602816), "fraction")
        == "9287260407118441/789730223053602816"
    )
    assert format_likelihood(Fraction(1, 6**40), "fraction") == "about 7.5e-30 %"


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
def test_a_die_that_a_scenario_fixes_is_told_with_the_option_that_frees_it(run: RunCommand, verb: str) -> None:
    run("new", "skirmish", "--from", "hex-combat")
    asked = [verb, "skirmish/plays.scenario.yaml", "woods help", "--policy", "first"]
    asked += ["--runs", "5"] * (verb == "simulate")
    assert run(*asked).err == "the script gives `attack/1/throw`: 6; `--no-script` leaves it to chance\n"
    assert not run(*asked, "--no-script").err


@pytest.mark.long
def test_all_orders_of_eight_are_followed(run: RunCommand) -> None:
    order = 'procedure eight(who: player) gives 1..8:\n  ask who to order {each n in 1..8} as row "Which order?"\n'
    Path("many.rules").write_text(f'ruleset many "Many" revision "1"\n{order}  finish with row[1]\n', encoding="utf-8")
    Path("state.yaml").write_text("players: [red]\n", encoding="utf-8")
    start = ["many.rules", "eight", "--state", "state.yaml", "--with", "who=red"]
    assert "best play of red: `result` is 8 on average" in run("odds", *start, "--best", "red:result").out
