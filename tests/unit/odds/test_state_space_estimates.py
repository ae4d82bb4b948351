"""Estimates of how many moments of play there are, beside all of them counted, for questions of many sorts."""

from dataclasses import replace
from itertools import count

import pytest

from rulewright.odds.exact_odds import begin_run
from rulewright.odds.state_exploration import explore_without_loop_bounds
from rulewright.odds.state_space_size import StateSpaceSize, estimate_effort, estimate_state_space
from support.odds_cases import OddsCase, ask_case

QUESTIONS = {
    "a walk on a grid": """
game:
  east: 0..99 = 0
  north: 0..99 = 0
procedure walk() gives 0..9999 "Steps east or north":
  repeat while east + north < 60 at most 80:
    roll d6 as throw
    if throw.natural <= 3:
      add up to 1 to east
    else:
      add up to 1 to north
  finish with east * north
""",
    "a walk in three directions": """
game:
  east: 0..99 = 0
  north: 0..99 = 0
  up: 0..99 = 0
procedure walk() gives 0..9999 "Steps":
  repeat while east + north + up < 25 at most 80:
    roll d6 as throw
    if throw.natural <= 3:
      add up to 1 to east
    if throw.natural = 4:
      add up to 1 to north
    if throw.natural >= 5:
      add up to 1 to up
  finish with east * north + up
""",
    "two who wear each other down": """
game:
  red: 0..8 = 8
  blue: 0..8 = 8
procedure fight() gives flag "A fight":
  repeat while red > 0 and blue > 0 at most 20:
    roll 2d6 as hits
    take up to count(each d in hits where d.natural >= 4) from red
    roll 3d6 as back
    take up to count(each d in back where d.natural >= 5) from blue
  finish with red > 0
""",
    "a race of three": """
game:
  a: 0..40 = 0
  b: 0..40 = 0
  c: 0..40 = 0
procedure race() gives 0..40 "A race":
  repeat while max(a, b, c) < 14 at most 60:
    roll d6 as one
    add up to one.natural to a
    roll d6 as two
    add up to two.natural to b
    roll d6 as three
    add up to three.natural to c
  finish with max(a, b, c) - min(a, b, c)
""",
    "one roll of which every die is looked at": """
procedure hand() gives list of 1..20 "One throw":
  roll 4d20 as throw
  finish with [each d in throw: d.natural]
""",
    "one roll of which the faces are counted": """
procedure hand() gives list of 1..6 "One throw":
  roll 8d6 as throw
  finish with sorted([each d in throw: d.natural])
""",
    "two rolls of which every die is looked at": """
procedure hand() gives list of 1..20 "Two throws":
  roll 2d12 as one
  roll 2d12 as two
  finish with [each d in one: d.natural] + [each d in two: d.natural]
""",
    "dice thrown again": """
procedure hand() gives list of 1..6 "Again":
  roll 6d6 as throw
  let low = {each d in throw where d.natural <= 2}
  reroll low
  roll 3d6 as more
  finish with sorted([each d in throw: d.natural]) + sorted([each d in more: d.natural])
""",
    "the highest of exploding dice": """
procedure hand() gives list of 0..99 "Bursts":
  roll 3d6 explode on 6 at most 3 as throw
  roll 2d10 as more
  finish with [total(throw)] + [each d in more: d.natural]
""",
    "a bag of which what is drawn is a set": """
game:
  pool: bag of 1..60 = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
  hand: set of 1..60 = {}
procedure deal() gives 0..999 "Eight of sixteen":
  repeat while count(hand) < 8 at most 9:
    draw from pool as one
    add one to hand
  finish with max(hand) - min(hand)
""",
    "a deck in order": """
game:
  pile: deck of 1..60 = [1, 2, 3, 4, 5, 6, 7]
procedure deal() gives 1..7 "A shuffle":
  shuffle pile
  roll d6 as more
  draw from pile as one
  draw from pile as two
  finish with max(one, min(two, more.natural))
""",
    "a memory of throws": """
game:
  log: list of 0..6 = []
procedure throws() gives list of 0..6 "All that fell":
  repeat while count(log) < 6 at most 8:
    roll d6 as throw
    set log to log + [throw.natural]
  finish with log
""",
    "a gambler without end": """
game:
  purse: 0..200 = 20
procedure gamble() gives flag "Until broke or rich":
  repeat while purse > 0 and purse < 200 at most 100000:
    roll d6 as throw
    if throw.natural <= 3:
      add up to 1 to purse
    else:
      take up to 2 from purse
  finish with purse > 0
""",
    "many small counters": """
game:
  a: 0..3 = 0
  b: 0..3 = 0
  c: 0..3 = 0
  d: 0..3 = 0
  e: 0..3 = 0
  f: 0..3 = 0
procedure fill() gives 0..99 "Six glasses":
  repeat while a + b + c + d + e + f < 12 at most 400:
    roll d6 as throw
    match throw.natural:
      on 1:
        add up to 1 to a
      on 2:
        add up to 1 to b
      on 3:
        add up to 1 to c
      on 4:
        add up to 1 to d
      on 5:
        add up to 1 to e
      on 6:
        add up to 1 to f
  finish with a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f
""",
    "a long way with few forks": """
game:
  place: 0..300 = 0
procedure go() gives 0..300 "A way":
  repeat while place < 250 at most 300:
    roll d6 as throw
    if throw.natural = 6:
      add up to 3 to place
    else:
      add up to 1 to place
  finish with place
""",
    "what hardly any play comes to": """
game:
  luck: 0..12 = 0
  wins: 0..200 = 0
procedure go() gives 0..200 "A streak":
  repeat while luck < 8 at most 60:
    roll d6 as throw
    if throw.natural = 6:
      add up to 1 to luck
      add up to 1 to wins
    else:
      set luck to 0
  finish with wins
""",
    "a choice by chance": """
game:
  a: 0..99 = 0
  b: 0..99 = 0
procedure go(red: player) gives 0..999 "Bets":
  repeat while a + b < 30 at most 60:
    ask red whether bold "Bold?":
      roll d6 as throw
      add up to throw.natural to a
    else:
      add up to 1 to b
  finish with a * b
""",
    "a choice at first": """
game:
  a: 0..9999 = 0
  b: 0..99 = 0
procedure go() gives 0..999999 "A stake":
  roll d100 as stake
  repeat while b < 6 at most 60:
    roll d6 as throw
    add up to stake.natural * throw.natural to a
    add up to 1 to b
  finish with a
""",
    "pools of growing size": """
game:
  n: 0..30 = 1
  r: 0..30 = 0
procedure go() gives 0..30 "Growth":
  repeat while n > 0 and n < 12 at most 12:
    roll n of d6 as throw
    set n to count(each d in throw where d.natural >= 4) + count(each d in throw where d.natural = 6)
    add up to 1 to r
  finish with r
""",
}


BAG = """
game:
  pool: bag of 1..60 = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}
  hand: list of 1..60 = []
procedure deal() gives 0..999 "Five of eighteen":
  repeat while count(hand) < 5 at most 9:
    draw from pool as one
    set hand to hand + [one]
  finish with hand[1] * hand[5]
"""
COUNTED = {
    "one roll of which every die is looked at": 160_001,
    "a race of three": 33_258,
    "a bag of which what is drawn is a set": 39_203,
    "a memory of throws": 55_987,
    "two rolls of which every die is looked at": 20_881,
    "the highest of exploding dice": 9_286,
    "dice thrown again": 26_461,
    "a choice by chance": 8_211,
    "a choice at first": 9_478,
    "what hardly any play comes to": 11_293,
    "many small counters": 3_676,
    "a long way with few forks": 10_545,
}
"""How many moments there are of those of which counting them takes seconds; `--long` counts them anew."""


def sized(name: str, *, anew: bool = True) -> tuple[StateSpaceSize, int]:
    """How large a question seems, and how many moments it has."""
    play, answers = ask_case(OddsCase(QUESTIONS[name], state="players: [red]\n"))
    answers = replace(answers, policy="random")
    start = begin_run(play.start)
    size = estimate_state_space(start.fork(), answers)
    known = None if anew else COUNTED.get(name)
    return size, known or len(explore_without_loop_bounds(start, answers, 400_000).explored.transitions)


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_estimate_is_within_a_factor_of_five(name: str) -> None:
    size, moments = sized(name, anew=False)
    assert moments / 5 <= size.estimated_states <= 5 * moments


@pytest.mark.long
@pytest.mark.parametrize("name", COUNTED)
def test_what_is_known_is_so(name: str) -> None:
    assert sized(name)[1] == COUNTED[name]


def test_what_hardly_any_two_plays_come_to_is_said_to_be_unknown() -> None:
    """More than a million: five of eighteen, in order."""
    play, answers = ask_case(OddsCase(BAG, state="players: [red]\n"))
    size = estimate_state_space(begin_run(play.start), answers)
    assert not size.is_estimated
    assert size.estimated_states < 1_106_821


def test_an_estimate_hangs_on_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small question is followed whole, a large one looked at, however fast the machine is."""
    told = []
    for pace in (1e-6, 1e6):
        times = count(0.0, pace)
        monkeypatch.setattr("rulewright.odds.state_space_size.monotonic", lambda times=times: next(times))
        for name in ("a gambler without end", "a memory of throws", "one roll of which every die is looked at"):
            play, answers = ask_case(OddsCase(QUESTIONS[name], state="players: [red]\n"))
            found = estimate_effort(play, answers, 200_000, lambda _: None)
            told.append((found.state_count, found.size, found.step_count))
    assert told[:3] == told[3:]
    assert told[0][:2] == (201, None)
    assert told[2][0] is None
    assert told[2][1] is not None
