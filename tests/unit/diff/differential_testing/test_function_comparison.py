"""Functions and procedures of which everything is tried."""

import pytest

from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import (
    BehaviourComparison,
    ComparisonEffort,
    TriedFunction,
)
from rulewright.program.outline.items import DeclaredName
from support.revision_pairs import check_text, match_names

ALONE = ComparisonEffort(work=120_000, workers=1)

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


TAKEN = """\
    take up to 1 from left
    set won to yes
"""
TURNED = """\
    set won to yes
    take up to 1 from left
"""


def compared(text: str, before: str, after: str) -> BehaviourComparison:
    """A text against itself with a part in place of another."""
    assert before in text
    old, new = check_text(text), check_text(text.replace(before, after))
    return compare_plays(old, new, match_names(old, new), effort=ALONE, seed=1)


def test_a_function_equal_for_all_arguments_and_settings_is_no_difference() -> None:
    found = compared(TABLE, "most: at most 10", "most: at most 8 when skill < 3\n  then: at most 10")
    space = "`needed` for every `skill`, `weather` and `wet`"
    assert found.functions == (TriedFunction("needed", "needed", 40, equal=True, space=space),)
    assert (found.verdict.word, found.verdict.basis, found.verdict.number) == ("equivalent", "exhausted", 40)
    assert found.verdict.space == (space,)


def test_another_value_is_a_witness_though_no_procedure_uses_it() -> None:
    found = compared(TABLE, "most: at most 10", "most: at most 9")
    (value,) = found.values
    assert found.verdict.word == "changed"
    assert value.arguments == ({"skill": 8, "weather": "rain"}, {"skill": 8, "weather": "rain"})
    assert value.settings == ({"wet": False}, {"wet": False})
    assert value.values == (10, 9)


def test_a_renamed_word_has_the_same_value() -> None:
    old, new = check_text(TABLE), check_text(TABLE.replace("rain", "wetness").replace("at most 10", "at most 9 + 1"))
    names = match_names(old, new, {DeclaredName("word", "Weather/rain"): DeclaredName("word", "Weather/wetness")})
    found = compare_plays(old, new, names, effort=ALONE)
    assert found.verdict.word == "equivalent"
    assert all(each.equal and each.argument_count > 0 for each in found.functions)


PLAYERS = """
ruleset scores "Scores" revision "1"

kind player, players:
  score: 0..9 = 0

procedure round() "Round":
  for each p in players:
    ask p whether go "Go?":
      add up to 1 to p.score
"""


@pytest.mark.parametrize("seed", [0, 1])
def test_players_that_rules_read_are_not_left_out(seed: int) -> None:
    old, new = check_text(PLAYERS), check_text(PLAYERS.replace("up to 1", "up to 2"))
    found = compare_plays(old, new, match_names(old, new), effort=ALONE, seed=seed)
    assert found.verdict.word == "changed"
    assert found.witnesses[0].sort == "end"


def test_what_only_players_reach_is_not_exhausted() -> None:
    old = check_text(PLAYERS)
    new = check_text(PLAYERS.replace("      add up to 1 to p.score", "      if p.score < 9:\n        add 1 to p.score"))
    found = compare_plays(old, new, match_names(old, new), effort=ALONE)
    assert found.verdict.basis != "exhausted"


def test_the_one_play_in_which_it_matters_is_found() -> None:
    found = compared(GAME, "finish with left = 0", "finish with left = 0 and (lucky or won)")
    (witness,) = found.witnesses
    assert witness.sort == "result"
    assert witness.old.state == {"game": {"left": 0}}
    assert [each.answer for each in witness.old.answers] == [[1]]


def test_plays_that_do_not_differ_prove_nothing() -> None:
    found = compared(GAME, TAKEN, TURNED)
    assert (found.verdict.word, found.verdict.limit) == ("unknown", f"nothing differed in {found.plays} plays")
