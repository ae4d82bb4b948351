"""Decks into which discards are copied: cards fall as they are drawn, as if each order were followed."""

from fractions import Fraction
from math import comb
from unittest.mock import PropertyMock, patch

import pytest

from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from rulewright.runtime.concealment import ConcealmentAnalysis
from support.odds_questions import work_out

RULES = """ruleset example "Example" revision "1"
values Suit: clubs, hearts, spades
game:
  pile: deck of Suit = []
  spent: deck of Suit = []
procedure deal() gives 0..99 "Draw and draw again":
  let pairs: 0..99 = 0
  step 1 "A deck":
    for each s in {Suit.clubs, Suit.hearts, Suit.spades}:
ADDED
    shuffle pile
  step 2 "Two cards, so many times":
    let turns: 0..9 = 0
    repeat while turns < TURNS at most 9:
      add 1 to turns
      perform card() as first
      perform card() as second
      if first = second:
        add up to 1 to pairs
  step 3 "The end":
    finish with pairs
procedure card() gives Suit "A card":
  if count(pile) = 0:
    set pile to spent
    set spent to []
    shuffle pile
  draw from pile as drawn
  else:
    finish with clubs
  add drawn to spent
  finish with drawn
"""


def _rules(copies: int, turns: int, text: str = RULES) -> str:
    return text.replace("ADDED", "\n".join(["      add s to pile"] * copies)).replace("TURNS", str(turns))


def test_discards_that_are_never_drawn_from_cost_nothing() -> None:
    found = work_out(_rules(8, 1), "result").distributions[0].probabilities
    same = Fraction(3 * comb(8, 2), comb(24, 2))
    assert found == {0: 1 - same, 1: same}


@pytest.mark.parametrize(("copies", "turns"), [(1, 1), (1, 2), (1, 3), (2, 3), (2, 4)])
def test_decks_made_of_discards_come_to_what_all_orders_come_to(copies: int, turns: int) -> None:
    found = work_out(_rules(copies, turns), "result", "count(pile)")
    with patch.object(ConcealmentAnalysis, "reads_shuffled_order", PropertyMock(return_value=True)):
        at_once = work_out(_rules(copies, turns), "result", "count(pile)")
    assert found.distributions == at_once.distributions


def test_a_shuffled_deck_that_is_copied_is_followed_in_all_orders() -> None:
    text = RULES.replace("set spent to []", "set spent to pile")
    with pytest.raises(TooManyOutcomesError, match="outcomes") as raised:
        work_out(_rules(8, 1, text), "result")
    assert raised.value.sort == "shuffle"
