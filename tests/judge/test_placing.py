"""Places on the plane: what the machine finds is legal, what there is it finds, and claims are judged alike."""

from math import cos, pi, sin
from random import Random
from typing import Any

import pytest

from rulewright.runtime.answer_reasons import find_legal_answer, is_claim_certain
from rulewright.runtime.executable import compile_program
from rulewright.runtime.request import Ended, Refused
from rulewright.runtime.run import Paused, answer_paused, start_run
from rulewright.runtime.state import Situation
from support.judge_comparison import compare_with_judge
from support.reference.ruleset_texts import load_program, read_situation

RULES = """\
ruleset placing "Placing" revision "1"
kind Mini, minis:
  owner: player
  at: point
  facing: angle = 0
  base: shape
board field of plane
game:
  found: flag = no

term foes(m: Mini) gives set of Mini means {each x in minis where x.owner != m.owner}
term clear(spot: pose, m: Mini) when all "room for its base":
  clear: no x in minis where x != m and distance(x, spot) < 1 "over another base"
term joins(spot: pose, m: Mini) when all "in contact":
  contact: some x in foes(m) where contact(x, spot) "it has to touch an enemy"
  room: clear(spot, m)

procedure charge(m: Mini) "Charge":
  ask m.owner to place m as spot "Where?":
    require legal: joins(spot, m)
    require near: distance(spot, m) <= 5 "no farther than 5 inches"
    place m at spot
  else:
    remove m

procedure pile(first: Mini, second: Mini) "Pile in":
  for each m in [first, second]:
    if some p in poses(m) where joins(p, m):
      ask m.owner to place m as spot "Where?":
        require legal: joins(spot, m)
        place m at spot
    else:
      set found to yes
  if no q in poses(first) where distance(q, second) <= 3:
    set found to yes
  ask first.owner to turn first as way "How does it face?":
    require north: way <= 30 or way >= 315
    turn first to way
  else:
    nothing

procedure wander(m: Mini) "Wander":
  ask m.owner to place m as spot "Where?"
  place m at spot

procedure aim(m: Mini, other: Mini) "Aim":
  if no p in poses(m) where bearing(p, other) >= 360:
    set found to yes

whenever scared for each m in minis "A mini that could be touched moves off":
  when m.facing = 180 and (some p in poses(m) where clear(p, m))
  priority 1
  lowers count(each x in minis where x.facing = 180)
  turn m to 0
"""
OF = load_program(RULES)
EXECUTABLE = compile_program(OF, traced=False)


def _make_start(minis: dict[str, tuple[str, float, float]], extent: str = "") -> Situation:
    lines = [
        f"  {name}: {{owner: {owner}, at: [{x}, {y}], base: {{round: 1}}}}" for name, (owner, x, y) in minis.items()
    ]
    return read_situation("players: [red, blue]\nminis:\n" + "\n".join(lines) + "\n" + extent, OF)


def _find_answer(start_: Situation, mini: int = 0) -> Any:
    paused = start_run(EXECUTABLE, start_, "charge", (mini,))
    assert isinstance(paused, Paused)
    assert paused.request.question is not None
    return find_legal_answer(paused.request.question)


OPEN = _make_start({"a": ("red", 0, 0), "b": ("red", 6, 6), "c": ("blue", 3, 0), "d": ("blue", 8, 3)})


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("procedure", "arguments"), [("charge", (0,)), ("pile", (0, 1)), ("wander", (2,))])
def test_machine_and_judge_place_alike(procedure: str, arguments: tuple[int, ...], seed: int) -> None:
    assert compare_with_judge(OF, OPEN, procedure, arguments, seed).how == "ended"


def test_where_a_condition_is_a_fault_there_is_no_place() -> None:
    """A bearing needs two middles apart, and the search tries the middle of the other as well."""
    played = compare_with_judge(OF, OPEN, "aim", (0, 1), 0)
    assert (played.how, played.game.game["found"]) == ("ended", True)


def _pause_at_question(start_: Situation) -> Paused:
    paused = start_run(EXECUTABLE, start_, "charge", (0,))
    assert isinstance(paused, Paused)
    return paused


def test_the_only_point_between_two_bases_is_found() -> None:
    """The enemy stands behind a slot exactly as wide as the base, so one whole point touches it."""
    friends = {"w": ("red", 3, 2), "x": ("red", 5, 2)}
    walled = {"n": ("red", 3, 4), "o": ("red", 5, 4), "p": ("red", 4, 4)}
    start_ = _make_start({"a": ("red", 4, 0), **friends, **walled, "e": ("blue", 4, 3)})
    assert _find_answer(start_) == (0, (4000, 2000), 0)


def test_without_an_enemy_it_is_sure_that_there_is_no_place() -> None:
    paused = _pause_at_question(_make_start({"a": ("red", 0, 0), "b": ("red", 3, 0)}))
    assert paused.request.question is not None
    assert is_claim_certain(paused.request.question)
    assert isinstance(answer_paused(paused, None), Ended)


def test_too_far_away_no_place_is_found_and_nothing_proved() -> None:
    paused = _pause_at_question(_make_start({"a": ("red", 0, 0), "b": ("blue", 9, 9)}))
    assert paused.request.question is not None
    assert find_legal_answer(paused.request.question) is None
    assert not is_claim_certain(paused.request.question)


def test_a_refusal_names_the_row() -> None:
    paused = _pause_at_question(OPEN)
    over, apart = ((0, (6000, 6000), 0), (0, (1000, 0), 0))
    for answer, row in ((over, "it has to touch an enemy"), (apart, "it has to touch an enemy")):
        refused = answer_paused(paused, answer)
        assert isinstance(refused, Refused)
        assert (refused.reasons[0].text, refused.reasons[0].address) == (row, "joins/contact")


def test_the_search_takes_the_same_way_every_time() -> None:
    assert [_find_answer(OPEN) for _ in range(3)] == [(0, (2000, 0), 0)] * 3


def _make_crowd(draw: Random, size: int) -> Situation:
    spots: list[tuple[float, float]] = [(5, 5)]
    while len(spots) < size:
        spot = (draw.randrange(1000, 9000) / 1000, draw.randrange(1000, 9000) / 1000)
        if all((spot[0] - x) ** 2 + (spot[1] - y) ** 2 >= 1 for x, y in spots):
            spots.append(spot)
    owners = ["red"] + ["blue" if draw.random() < 0.2 else "red" for _ in spots[1:]]
    return _make_start({f"m{n}": (owner, *spot) for n, (owner, spot) in enumerate(zip(owners, spots, strict=True))})


@pytest.mark.parametrize("seed", range(3))
def test_in_crowds_nearly_all_places_that_there_are_are_found(seed: int) -> None:
    """Of the crowds in which a dense sampling finds a place, the search finds one in all but 1 of 50."""
    draw, there, missed = Random(seed), 0, 0
    for _ in range(25):
        start_ = _make_crowd(draw, draw.randint(20, 38))
        if _iterate_contact_poses(start_) is not None:
            there += 1
            missed += _find_answer(start_) is None
    assert there >= 10
    assert missed * 50 <= there


def _iterate_contact_poses(start_: Situation) -> tuple[int, int] | None:
    """A place that touches an enemy, at every quarter of a degree around each of them."""
    at, owners = start_.attributes["Mini/at"], start_.attributes["Mini/owner"]
    others = [(number, spot) for number, spot in enumerate(at) if number]
    for number, (x, y) in others:
        if owners[number] == owners[0]:
            continue
        for turn in range(1440):
            for far in (1001, 1005, 1009):
                px, py = round(x + far * sin(pi * turn / 720)), round(y + far * cos(pi * turn / 720))
                if (px - at[0][0]) ** 2 + (py - at[0][1]) ** 2 > 4995**2:
                    continue
                if all((px - ox) ** 2 + (py - oy) ** 2 >= 1000**2 for _, (ox, oy) in others):
                    return px, py
    return None
