"""Functions and procedures of which everything is tried."""

import pytest
from pairs import correspondence, program

from rulewright.comparing.naming import Name
from rulewright.comparing.playing import compare_plays
from rulewright.comparing.playing.data import Behaviour, Effort, Entrance, Tried

ALONE = Effort(work=120_000, workers=1)

TABLE = """
ruleset odds "Odds" revision "1"

values Weather: fair, rain

setting wet: flag = no

tally needed(skill: 0..9, weather: Weather) from skill "Needed":
  rain: +2 when weather = rain or wet
  most: at most 10

term doubled(n: 0..9) gives 0..99 means needed(n, rain) * 2

measure seven: doubled(7)
"""

GAME = """
ruleset coin "Coin" revision "1"

game:
  left: 0..3
  won: flag = no

setting lucky: flag = no

procedure toss() gives flag "Toss":
  roll d6 as coin
  if coin.natural >= 4 or lucky:
    take up to 1 from left
    set won to yes
  finish with left = 0
"""


def compared(text: str, before: str, after: str) -> Behaviour:
    """A text against itself with a part in place of another."""
    assert before in text
    old, new = program(text), program(text.replace(before, after))
    return compare_plays(old, new, correspondence(old, new), effort=ALONE, seed=1)


def test_a_function_equal_for_all_arguments_and_settings_is_no_difference() -> None:
    found = compared(TABLE, "most: at most 10", "most: at most 8 when skill < 3\n  then: at most 10")
    assert found.functions == (Tried("needed", "needed", 40, equal=True),)
    assert (found.verdict.word, found.verdict.how, found.verdict.number) == ("equivalent", "exhausted", 40)


def test_another_value_is_a_witness_though_no_procedure_uses_it() -> None:
    found = compared(TABLE, "most: at most 10", "most: at most 9")
    (value,) = found.values
    assert found.verdict.word == "changed"
    assert value.arguments == ({"skill": 8, "weather": "rain"}, {"skill": 8, "weather": "rain"})
    assert value.settings == ({"wet": False}, {"wet": False})
    assert value.values == (10, 9)


def test_a_renamed_word_has_the_same_value() -> None:
    old, new = program(TABLE), program(TABLE.replace("rain", "wetness").replace("at most 10", "at most 9 + 1"))
    names = correspondence(old, new, {Name("word", "Weather/rain"): Name("word", "Weather/wetness")})
    found = compare_plays(old, new, names, effort=ALONE)
    assert found.verdict.word == "equivalent"
    assert all(each.equal and each.number > 0 for each in found.functions)


def test_a_procedure_with_few_plays_is_played_in_every_way() -> None:
    found = compared(GAME, "coin.natural >= 4 or lucky", "lucky or not coin.natural <= 3")
    assert found.entrances == (Entrance("toss", "toss", 96, exhausted=True),)
    assert (found.verdict.word, found.verdict.how, found.verdict.number) == ("equivalent", "exhausted", 96)


def test_the_one_play_in_which_it_matters_is_found() -> None:
    found = compared(GAME, "finish with left = 0", "finish with left = 0 and (lucky or won)")
    (witness,) = found.witnesses
    assert witness.sort == "result"
    assert witness.old.state == {"game": {"left": 0}}
    assert [each.answer for each in witness.old.answers] == [[1]]


@pytest.mark.parametrize(("before", "after"), [("left: 0..3", "left: 0..9999")])
def test_too_many_situations_are_sampled(before: str, after: str) -> None:
    text = GAME.replace(before, after)
    found = compared(text, "coin.natural >= 4 or lucky", "lucky or not coin.natural <= 3")
    assert [each.exhausted for each in found.entrances] == [False]
