"""How often things come on the way round a loop: beside linear systems solved here, and beside counting by memory."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from rulewright.odds.best_play_solver import measure_ends
from rulewright.odds.event_counting import UncountableError
from rulewright.odds.exact_odds import OddsAccumulator, PlayOdds, begin_run
from rulewright.odds.markov_chain import Transitions, compute_absorption, compute_expected_visits
from rulewright.odds.state_exploration import NEGLIGIBLE_SHARE, explore_states
from rulewright.runtime.request import Ended
from support.odds_questions import ask_play, make_answerer, work_out

FIRE = """ruleset example "Example" revision "1"
game:
  heat: 0..HIGH = 0
procedure burn() gives flag "Until the fire is out":
  set heat to START
  repeat while heat > 0 at most BOUND:
    roll die(SIDES) as wind
    if wind.natural <= UP:
      perform flare()
    if wind.natural > SIDES - DOWN:
      take up to 1 from heat
  finish with heat = 0
procedure flare() "It flares up":
  step up "Up":
    add up to 1 to heat
"""
UP = "visits(flare/up)"


def _fire(draw: Random, bound: int = 100_000) -> tuple[str, int, int, Fraction, Fraction]:
    """Rules, where the fire begins, how high it burns, and how likely it is to flare up and to go down a step."""
    high, sides = draw.randint(1, 4), draw.randint(3, 6)
    start, up = draw.randint(1, high), draw.randint(1, sides // 3)
    down = draw.randint(up, sides - up)
    numbers = {"HIGH": high, "START": start, "BOUND": bound, "SIDES": sides, "UP": up, "DOWN": down}
    rules = FIRE
    for name, number in numbers.items():
        rules = rules.replace(name, str(number))
    return rules, start, high, Fraction(up, sides), Fraction(down, sides)


def _solved(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """A linear system by Gauss and Jordan."""
    size = len(rows)
    for place in range(size):
        pivot = next(each for each in range(place, size) if rows[each][place])
        rows[place], rows[pivot] = rows[pivot], rows[place]
        right[place], right[pivot] = right[pivot], right[place]
        for other in range(size):
            if other != place and rows[other][place]:
                share = rows[other][place] / rows[place][place]
                rows[other] = [a - share * b for a, b in zip(rows[other], rows[place], strict=True)]
                right[other] -= share * right[place]
    return [right[each] / rows[each][each] for each in range(size)]


def _mean(start: int, high: int, up: Fraction, down: Fraction) -> Fraction:
    """How often the fire flares up on average: e(h) = up (1 + e(h + 1)) + down e(h - 1) + rest e(h)."""
    rows = [[Fraction(0)] * high for _ in range(high)]
    for heat in range(1, high + 1):
        rows[heat - 1][heat - 1] += up + down
        rows[heat - 1][min(heat + 1, high) - 1] -= up
        if heat > 1:
            rows[heat - 1][heat - 2] -= down
    return _solved(rows, [up] * high)[start - 1]


def _often(start: int, high: int, up: Fraction, down: Fraction, most: int) -> list[Fraction]:
    """How likely the fire flares up never, once, and so on."""
    shares, down_first = [Fraction(0)] * (most + 1), down / (up + down)
    here = {start: Fraction(1)}
    for times in range(most + 1):
        onward: dict[int, Fraction] = {}
        for heat, likely in here.items():
            for lost in range(heat):
                flares = likely * down_first**lost * (1 - down_first)
                onward[min(heat - lost + 1, high)] = onward.get(min(heat - lost + 1, high), Fraction(0)) + flares
            shares[times] += likely * down_first**heat
        here = onward
    return shares


@pytest.mark.parametrize("seed", range(5))
def test_a_fire_flares_up_as_often_as_a_linear_system_says(seed: int) -> None:
    rules, *fire = _fire(Random(seed))
    found = work_out(rules, UP, f"{UP} > 0", f"{UP} = 2", f"3 <= {UP}")
    times, some, two, three = found.distributions
    often = _often(*fire, 2)
    assert times.mean == _mean(*fire)
    assert [times.probabilities.get(each, 0) for each in range(3)] == often
    assert some.probabilities.get(True, 0) == 1 - often[0]
    assert two.probabilities.get(True, 0) == often[2]
    assert three.probabilities.get(True, 0) == 1 - sum(often)
    assert sum(times.probabilities.values()) == 1
    assert found.error_share <= 4 * NEGLIGIBLE_SHARE
    assert found.state_count < 40


def test_no_more_is_left_out_than_is_said() -> None:
    rules, *fire = _fire(Random(3))
    (times,) = work_out(rules, UP).distributions
    highest = max(times.probabilities)  # type: ignore[type-var]
    assert isinstance(highest, int)
    assert 0 < 1 - sum(_often(*fire, highest - 1)) == times.probabilities[highest] <= NEGLIGIBLE_SHARE


def test_what_is_made_of_counts_without_end_has_no_mean_that_is_not_known() -> None:
    rules, *fire = _fire(Random(3))
    asked_ = f"{UP} * {UP}", f"3 * {UP} + {UP} - 2", f"{UP} given {UP} > 0", "result"
    square, sums, least, ends = work_out(rules, *asked_).distributions
    assert square.mean is None
    assert sums.mean == 4 * _mean(*fire) - 2
    assert least.mean is None
    assert least.probabilities[1] == _often(*fire, 1)[1] / (1 - _often(*fire, 0)[0])
    assert ends.probabilities == {True: 1}


@pytest.mark.parametrize("seed", range(5))
def test_counts_added_up_are_those_that_memory_has(seed: int) -> None:
    """Where a bound is low, or plays do reach it, all is as if every count were remembered in every moment."""
    draw = Random(seed)
    rules, *_ = _fire(draw, draw.choice([1, 2, 5, 12, 30]))
    texts = (UP, f"{UP} > 1", f"2 * {UP}", f"{UP} given {UP} > 0", f"result and {UP} != 1")
    found, before = work_out(rules, *texts), _remembered(rules, *texts)
    if not found.error_share:
        assert found.distributions == before.distributions
        assert found.faults == before.faults
        assert found.state_count <= before.state_count
    for one, other in zip(found.distributions, before.distributions, strict=True):
        for value in {*one.probabilities, *other.probabilities}:
            assert abs(one.probabilities.get(value, 0) - other.probabilities.get(value, 0)) <= 2 * NEGLIGIBLE_SHARE


def _remembered(rules: str, *texts: str) -> PlayOdds:
    """Odds where each of these is a moment of its own."""
    play = ask_play(rules, *texts)
    found = explore_states(begin_run(play.start), make_answerer(play), 100_000)
    told, came = OddsAccumulator(play), compute_absorption(found.transitions)
    for number, share in came.ends.items():
        over, values = found.ends[number], measure_ends(play, found).get(number)
        if values is None:
            assert not isinstance(over, Ended)
            told.add_failed_end(over, share)
        else:
            told.add_result(values, share)
    return told.build_odds(len(found.transitions), came.never_ends)


@settings(deadline=None)
@given(st.data())
def test_moments_come_as_often_as_steps_of_the_chain_bring_them(data: st.DataObject) -> None:
    """n = first + n P, checked by putting the answer in."""
    size = data.draw(st.integers(1, 7))
    ways: list[Transitions] = []
    for _ in range(size):
        to = data.draw(st.lists(st.integers(0, size), min_size=1, max_size=4))
        ways.append([(Fraction(1, len(to)), each) for each in to])
    ways.append(())
    often = compute_expected_visits(ways)
    within, waiting = {0}, [0]
    for moment in waiting:
        waiting += [each for each in dict.fromkeys(to for _, to in ways[moment]) if each not in within]
        within |= {*waiting}
    ends = {
        each for each in within if any(size in {to for _, to in ways[at]} for at in _after(each, ways)) or each == size
    }
    assert (often is not None) == (ends == within)
    if often is not None:
        came = {moment: Fraction(moment == 0) for moment in range(size + 1)}
        for moment, share in often.items():
            for likely, to in ways[moment]:
                came[to] += share * likely
        assert {moment: share for moment, share in came.items() if share} == often


def _after(moment: int, ways: list[Transitions]) -> list[int]:
    """A moment and all that it leads to."""
    found = [moment]
    for each in found:
        found += [to for to in dict.fromkeys(to for _, to in ways[each]) if to not in found]
    return found


CHAIN = """ruleset example "Example" revision "1"
procedure burn() gives 0..1 "A fire of three states":
  step flare "Flare":
    roll d6 as one
    if one.natural >= 4:
      proceed to blaze at most 100000
    proceed to smoulder at most 100000
  step smoulder "Smoulder":
    roll d6 as two
    if two.natural >= 5:
      proceed to flare at most 100000
    if two.natural >= 3:
      proceed to smoulder at most 100000
    proceed to out
  step blaze "Blaze":
    roll die(8) as three
    if three.natural >= 4:
      proceed to blaze at most 100000
    if three.natural = 2:
      proceed to flare at most 100000
    proceed to out
  step out "Out":
    finish with 1
"""
FLARE, SMOULDER, BLAZE = (f"visits(burn/{each})" for each in ("flare", "smoulder", "blaze"))


@pytest.mark.long
def test_several_counts_of_a_chain_of_states_have_the_means_of_its_linear_system() -> None:
    third, half = Fraction(1, 3), Fraction(1, 2)
    # Flare leads to smoulder and to blaze, each of which leads back, stays or ends.
    none = Fraction(0)
    rows = [[Fraction(1), -third, -Fraction(1, 8)], [-half, 1 - third, none], [-half, none, Fraction(3, 8)]]
    flare, smoulder, blaze = _solved(rows, [Fraction(1), none, none])
    found = work_out(CHAIN, FLARE, SMOULDER, BLAZE, f"{FLARE} + 2 * {BLAZE}", f"{BLAZE} > 0", "result")
    assert [each.mean for each in found.distributions[:4]] == [flare, smoulder, blaze, flare + 2 * blaze]
    assert [sum(each.probabilities.values()) for each in found.distributions] == [1] * 6
    assert found.distributions[4].probabilities[True] == 1 - half * half / (1 - half * half)
    assert found.state_count < 10


def test_of_plays_rarer_than_one_in_a_thousand_counts_are_told() -> None:
    found = work_out(CHAIN, f"{FLARE} given {FLARE} > 20", "result given visits(burn/flare) > 20")
    times, ends = found.distributions
    again = Fraction(1, 2) * half_back(Fraction(1, 3)) + Fraction(1, 2) * half_back(Fraction(5, 8), Fraction(1, 8))
    assert times.condition_probability == again**20
    assert times.probabilities[21] == 1 - again
    assert ends.probabilities == {1: 1}
    assert 0 < found.error_share <= 1000 * NEGLIGIBLE_SHARE


def half_back(stays: Fraction, back: Fraction = Fraction(1, 3)) -> Fraction:
    """How likely a state that stays so leads back to the first."""
    return back / (1 - stays)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("visits(wait/1)", "`visits(wait/1)` can be more different numbers than are counted"),
        ("2 * visits(wait/1)", "`visits(wait/1)` can be more different numbers than are counted"),
        ("visits(wait/1) > 5000", "`visits(wait/1)` can be more different numbers than are counted"),
    ],
)
def test_what_comes_too_often_is_refused_with_its_mean(text: str, why: str) -> None:
    rules = """ruleset example "Example" revision "1"
procedure wait() gives 0..1 "A wait":
  step 1 "Wait":
    roll die(1000) as one
    if one.natural > 1:
      proceed to 1 at most 100000
    finish with 1
"""
    with pytest.raises(UncountableError) as met:
        work_out(rules, text)
    assert met.value.reason == why
    assert met.value.help == (
        "ask how likely more than a number is, such as `visits(wait/1) > 9`; `visits(wait/1)` is 1000 on average"
    )
