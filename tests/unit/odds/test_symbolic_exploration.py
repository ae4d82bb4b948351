"""Plays followed together come to the same as plays followed one by one, in far fewer moments."""

import operator
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from benchmarks.exact import ALL_DICE, COURSE, MOST, ONE_POOL, POOL, TRICORNE, asked
from rulewright.cli.odds_query import OddsArguments
from rulewright.odds import exact_odds as working_out, symbolic_exploration
from rulewright.odds.exact_odds import PlayOdds, compute_odds
from rulewright.runtime import pool_builder
from rulewright.runtime.dice import Die
from rulewright.runtime.random_values import (
    Conditioning,
    NeedsConcreteValue,
    RandomValue,
    RandomVariable,
    current_value,
    greatest_number,
    join_parts,
    joint_weights,
    least_number,
)
from rulewright.runtime.state_signature import continue_play
from rulewright.runtime.symbolic_pool import SymbolicPool, pool_sum_distribution
from support.odds_questions import answer_play, ask_play, work_out

OPERATIONS: list[Callable[..., Any]] = [
    *(getattr(operator, each) for each in ("add", "sub", "mul", "lt", "le", "gt", "ge", "eq", "ne")),
    greatest_number,
    least_number,
]


def _told(of: OddsArguments) -> PlayOdds:
    play = asked(of)
    return compute_odds(play.play, play.answers, MOST, lambda _: None)


@pytest.mark.parametrize(("of", "moments"), [(ONE_POOL, 5), (COURSE, 5), (TRICORNE, 60)])
def test_plays_followed_together_come_to_what_each_comes_to(
    of: OddsArguments, moments: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = _told(of)
    monkeypatch.setattr(working_out, "_odds_by_merging", lambda *_: None)
    one_by_one = _told(of)
    assert together.distributions == one_by_one.distributions
    assert together.state_count <= moments < one_by_one.state_count


@pytest.mark.parametrize(("of", "moments"), [(ALL_DICE, 40), (POOL, 2)])
def test_pools_are_kept_apart_until_a_line_reads_two_of_them(of: OddsArguments, moments: int) -> None:
    assert _told(of).state_count <= moments


def test_a_roll_of_as_many_dice_as_others_brought_is_one_moment() -> None:
    rules = """
procedure chain() gives 0..9:
  roll 6d6 as blows
  roll count(each d in blows where d.natural >= 5) of d6 as answers
  roll count(each d in answers where d.natural >= 5) of d6 as last
  finish with count(each d in last where d.natural >= 5)
"""
    found = work_out(rules)
    each = Fraction(1, 27)
    assert found.state_count == 3
    assert dict(found.distributions[0].probabilities) == {
        hits: comb(6, hits) * each**hits * (1 - each) ** (6 - hits) for hits in range(7)
    }


@pytest.mark.parametrize(
    ("value", "of"),
    [
        ("floor(total(blows) / 2)", lambda total, _: total // 2),
        ("ceiling(total(blows) / 3)", lambda total, _: -(-total // 3)),
        ("round(total(blows) / 4)", lambda total, _: (total + 2) // 4),
        ("floor(hits / 2) + hits - 3 * floor(hits / 3)", lambda _, hits: hits // 2 + hits % 3),
        ("floor(30 / max(1, hits))", lambda _, hits: 30 // max(1, hits)),
        ("if(hits / 2 >= 3, 1, 0)", lambda _, hits: int(hits >= 6)),
        ("if(along(Mood.calm, floor(hits / 9)) = wild, 1, 0)", lambda _, hits: int(hits >= 18)),
    ],
)
def test_parts_of_what_many_dice_show_do_not_take_the_dice_apart(value: str, of: Callable[[int, int], int]) -> None:
    found = work_out(
        f"""
values Mood: calm, cross, wild
procedure main() gives 0..999:
  roll 30d6 as blows
  let hits = count(each d in blows where d.natural >= 4)
  finish with {value}
""",
        most=200,
    )
    throws = pool_sum_distribution({(face, int(face >= 4)): 1 for face in range(1, 7)}, 30)
    counted = Counter[int]()
    for (total, hits), many in throws.items():
        counted[of(total, hits)] += many
    assert found.distributions[0].probabilities == {number: Fraction(many, 6**30) for number, many in counted.items()}


@pytest.mark.parametrize(
    ("line", "moments"),
    [("nothing", 2), ("if mood = cross:\n    set seen to yes", 5), ("if mood = cross:\n    finish with 99", 5)],
)
def test_what_no_line_ahead_reads_does_not_keep_plays_apart(
    line: str, moments: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = f"""
values Mood: calm, cross, wild
game:
  mood: Mood = calm
  most: 0..6 = 0
  seen: flag = no
procedure main() gives 0..99:
  roll d6 as one
  if one.face = 1:
    set mood to cross
  if one.face = 2:
    set mood to wild
  set most to one.face
  roll d6 as two
  {line}
  roll 2d6 as three
  finish with total(three)
"""
    found = work_out(rules)
    assert found.state_count == moments
    monkeypatch.setattr(working_out, "_odds_by_merging", lambda *_: None)
    assert work_out(rules).distributions == found.distributions


@pytest.mark.parametrize(("always", "moments"), [("most <= 6", 2), ("not seen", 2), ("mood != wild or most <= 6", 5)])
def test_what_an_invariant_reads_that_a_line_ahead_makes_due_keeps_plays_apart(always: str, moments: int) -> None:
    rules = f"""
values Mood: calm, cross, wild
game:
  mood: Mood = calm
  most: 0..6 = 0
  seen: flag = no
always fine: {always} "fine"
procedure main() gives 0..99:
  roll d6 as one
  if one.face = 1:
    set mood to cross
  if one.face = 2:
    set mood to wild
  roll d6 as two
  set most to two.face
  roll 2d6 as three
  finish with total(three)
"""
    assert work_out(rules).state_count == moments


KEPT = "log[1] + log[2] * log[12]"
KNOWN = "(log[1] * log[2] + log[3] * log[4] * log[5]) * log[6] + log[7]"


@pytest.mark.parametrize(("rolls", "result"), [(12, KEPT), (7, KNOWN)])
def test_what_one_moment_opens_is_bounded_too(rolls: int, result: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = f"""
game:
  log: list of 0..20 = []
procedure keep() gives 0..99999999:
  repeat while count(log) < {rolls} at most {rolls}:
    roll d20 as throw
    set log to log + [throw.natural]
  finish with {result}
"""
    begun = []
    monkeypatch.setattr(symbolic_exploration, "continue_play", lambda *given: begun.append(1) or continue_play(*given))
    found = work_out(rules, most=100)
    assert found.open_share == 1
    assert len(begun) < 100 * 10


@pytest.mark.parametrize(
    "line",
    [
        "take up to blows from hero.health",
        "set hero.health to max(0, hero.health - blows)",
        "let full = hero.health\n  let dealt = min(blows, full)\n  take dealt from hero.health",
        "set hero.health to max(0, min(9, wear(hero.health - blows)))",
    ],
)
def test_what_stops_at_a_bound_is_one_play(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = f"""
kind Hero, heroes:
  health: 0..9
tally wear(rest: -12..9) from rest:
  none: at least 0
procedure strike(hero: Hero) gives 0..9:
  roll 8d6 as dice
  let blows = count(each d in dice where d.natural >= 4)
  {line}
  finish with hero.health
"""
    begun = []
    monkeypatch.setattr(symbolic_exploration, "continue_play", lambda *given: begun.append(1) or continue_play(*given))
    (found,) = work_out(rules, state="{heroes: {anna: {health: 5}}}", most=100).distributions
    assert found.probabilities[0] == Fraction(sum(comb(8, blows) for blows in range(5, 9)), 2**8)
    assert len(begun) == 1


OPEN_ENTRIES = """
kind Hero, heroes:
  health: 0..9
game:
  blows: map of Hero to 0..9 = 0
procedure strike(one: Hero, other: Hero) gives 0..99:
  let own: map of Hero to 0..9 = 1
  roll 2d2 as dice
  let hits = count(each d in dice where d.natural = 2)
  add up to hits to blows[one]
  add up to hits to own[other]
  {lines}
  finish with {result}
"""


@pytest.mark.parametrize(
    ("lines", "result"),
    [
        ("", "10 * count(blows) + count(own)"),
        ("if one in blows:\n    add up to 1 to other.health", "other.health"),
        ("let same: map of Hero to 0..9 = 0\n  if blows = same:\n    add up to 1 to other.health", "other.health"),
        ("for each h in blows:\n    add up to 1 to h.health", "one.health + 10 * blows[one]"),
        ("roll d2 as last\n  take up to last.natural from blows[one]", "count(blows) + 10 * blows[one] + own[other]"),
    ],
)
def test_entries_of_maps_that_may_be_the_default_are_none_in_those_ways(
    lines: str, result: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = ask_play(
        OPEN_ENTRIES.format(lines=lines, result=result), state="{heroes: {anna: {health: 1}, bert: {health: 2}}}"
    )
    together = answer_play(play)
    monkeypatch.setattr(working_out, "_odds_by_merging", lambda *_: None)
    assert together.distributions == answer_play(play).distributions
    assert len(together.distributions[0].probabilities) > 1


@settings(deadline=None)
@given(st.data())
def test_what_is_reckoned_with_open_values_is_what_each_way_gives(data: st.DataObject) -> None:
    lots = [RandomVariable(data.draw(st.lists(st.integers(1, 9), min_size=2, max_size=3))) for _ in range(3)]
    numbers = st.integers(-5, 5)
    known: list[tuple[Any, Callable[[tuple[int, ...]], Any]]] = []
    for number, lot in enumerate(lots):
        values = data.draw(st.lists(numbers, min_size=len(lot.weights), max_size=len(lot.weights), unique=True))
        known.append((RandomValue((lot,), values), lambda way, values=values, number=number: values[way[number]]))  # type: ignore[misc]
    for _ in range(data.draw(st.integers(1, 4))):
        operation = data.draw(st.sampled_from(OPERATIONS))
        one = known[data.draw(st.integers(0, len(known) - 1))]
        constant = data.draw(numbers)
        others = [*known, (constant, lambda _, constant=constant: constant)]
        other = others[data.draw(st.integers(0, len(known)))]
        found = operation(one[0], other[0])
        known.append((found, lambda way, f=operation, a=one[1], b=other[1]: f(a(way), b(way))))  # type: ignore[misc]
    every = [*product(*(range(len(lot.weights)) for lot in lots))]
    value, expected = known[-1]
    assert [*(value.expand_over(tuple(lots)) if isinstance(value, RandomValue) else [value] * len(every))] == [
        *map(expected, every)
    ]
    assert [*joint_weights(lots)] == [lots[0].weights[a] * lots[1].weights[b] * lots[2].weights[c] for a, b, c in every]


def test_an_open_value_has_to_be_known_where_python_asks() -> None:
    value = RandomValue((RandomVariable((1, 2)),), (3, 4))
    asks: list[Callable[[], object]] = [
        lambda: [0, 1][value],  # type: ignore[call-overload]
        lambda: {value},
        lambda: f"{value}",
        lambda: value in {3, 4},
        lambda: 1 if value > 3 else 0,
        lambda: range(value),  # type: ignore[arg-type]
        lambda: [*value],  # type: ignore[misc]
        lambda: max(value, 4),  # type: ignore[call-overload]
        lambda: value + "x",
    ]
    for each in asks:
        with pytest.raises(NeedsConcreteValue):
            each()
    assert (value > 2) is True
    assert value - value == 0
    record = join_parts((1, (value, value + 1)))
    assert record.values == [(1, (3, 4)), (1, (4, 5))]


@settings(deadline=None)
@given(st.data())
def test_what_a_play_took_is_left_of_all_that_hangs_on_it(data: st.DataObject) -> None:
    taking = Conditioning()
    taking.may_branch = True
    lots = [RandomVariable(data.draw(st.lists(st.integers(1, 9), min_size=2, max_size=3)), taking) for _ in range(3)]
    numbers = [RandomValue((lot,), [*range(len(lot.weights))]) for lot in lots]
    conditions: list[Callable[..., Any]] = [
        lambda a, b, c: a + b > c,
        lambda a, b, c: a == b + c - c,
        lambda a, b, c: least_number(a, c) == b - b,
        lambda _, b, c: c - c + b < 1,
    ]
    every = dict.fromkeys(product(*(range(len(lot.weights)) for lot in lots)), 1)
    for way in every:
        for lot, at in zip(lots, way, strict=True):
            every[way] *= lot.weights[at]
    whole = sum(every.values())
    for _ in range(data.draw(st.integers(1, 4))):
        condition = data.draw(st.sampled_from(conditions))
        held = bool(condition(*numbers))
        every = {way: many for way, many in every.items() if condition(*way) == held}
    assert Fraction(taking.numerator, taking.denominator) == Fraction(sum(every.values()), whole)
    found = current_value(join_parts(tuple(numbers)))
    weights, values = (
        (joint_weights(found.variables), found.values) if isinstance(found, RandomValue) else ((1,), (found,))
    )
    shares: dict[Any, Fraction] = {}
    for value, many in zip(values, weights, strict=True):
        shares[value] = shares.get(value, Fraction(0)) + Fraction(many, sum(weights))
    assert shares == {way: Fraction(many, sum(every.values())) for way, many in every.items()}


def test_dice_that_lie_as_chance_has_it_are_added_up_by_sorts() -> None:
    one, six = (Die((1, 6), face, face, 0, kept=True, part=None, model="", roll="") for face in (1, 6))
    dice = SymbolicPool(RandomVariable((1, 2, 1)), (((one, 2),), ((one, 1), (six, 1)), ((six, 2),)), 2, None)
    assert len(dice) == 2
    assert dice.sum_worths(lambda die: die.first).values == [2, 7, 12]
    assert dice.sum_worths(lambda _: 1) == 2
    with pytest.raises(NeedsConcreteValue):
        next(iter(dice))


LOSSES = """
decide losses(total: 0..9999) gives 0..9:
  few: 1 when total < LOW
  some: 2 when total < HIGH
  many: 3 otherwise
procedure tabled() gives 0..9:
  roll COUNTd6 as one
  roll COUNTd6 as two
  finish with losses(sum(each d in one: d.natural) + sum(each d in two: d.natural))
"""


ENDLESS = {
    # A die without limit is worth w on average: w = 21/2 + w/20.
    "roll 1d20 explode on 20 without limit as x\n  finish with total(x)": Fraction(210, 19),
    "roll 3d6 explode on 5+ without limit as x\n  finish with total(x)": 3 * Fraction(7, 2) * Fraction(6, 4),
    "roll 3d6 explode on 6 without limit as x\n  finish with 2 * count(each d in x where d.natural >= 4)": Fraction(
        18, 5
    ),
    "roll 2d6 explode on 6 without limit as x\n  roll 1d6 explode on 6 without limit as y\n"
    "  finish with 500 - total(x) - total(y)": 500 - 3 * Fraction(21, 5),
    # Of two dice the higher first face is 1 to 6 in 1, 3, 5, 7, 9, 11 of 36 throws; a six brings 21/5 more.
    "roll 2d6 keep highest 1 explode on 6 without limit as x\n  finish with total(x)": (
        Fraction(161, 36) + Fraction(11, 36) * Fraction(21, 5)
    ),
}


@pytest.mark.parametrize("body", ENDLESS)
def test_dice_that_explode_without_limit_have_their_mean_exactly(body: str) -> None:
    rules = f"\nprocedure burst() gives -999..99999:\n  {body}\n"
    found = work_out(rules)
    assert found.distributions[0].mean == ENDLESS[body]
    assert (found.is_explosion_cut, found.error_share) == (True, Fraction(1, 10**12))
    limited = work_out(rules.replace("without limit", "at most 12"))
    without, with_ = found.distributions[0].probabilities, limited.distributions[0].probabilities
    cut = max(without)
    assert sum(without.values()) == 1
    for value in with_:
        assert abs(without.get(value, 0) - with_[value]) < Fraction(1, 10**5), value
    below = [value for value in without if value < cut and body.count("explode on 6 ") != 2]
    assert all(without[value] == with_[value] for value in below if value <= 24)


def test_without_limit_is_exact_where_much_more_makes_no_difference() -> None:
    rules = """
procedure burst() gives 0..99:
  roll 4d6 explode on 6 without limit keep highest 2 as x
  finish with min(14, total(x))
"""
    found = work_out(rules)
    expected: dict[int, Fraction] = {}
    for dice in product(range(1, 7), repeat=4):
        one, two = sorted(dice)[2:]
        first = [(two, Fraction(1))] if two < 6 else [(6 + more, Fraction(1, 6)) for more in (1, 2, 3, 4, 5, 7)]
        second = [(one, Fraction(1))] if one < 6 else [(6 + more, Fraction(1, 6)) for more in (1, 2, 3, 4, 5, 7)]
        for (here, share), (there, other) in product(first, second):
            value = min(14, here + there)
            expected[value] = expected.get(value, Fraction(0)) + share * other / 6**4
    assert found.distributions[0].probabilities == expected
    assert not found.distributions[0].is_cut


def test_a_line_knows_the_sum_of_dice_that_explode_without_limit() -> None:
    rules = """
procedure burst() gives 0..9:
  roll 1d20 explode on 20 without limit as x
  if total(x) >= 30:
    finish with 1
  finish with min(9, count(each d in x where d.natural < 3)) + 2
"""
    (found,) = work_out(rules).distributions
    assert found.probabilities[1] == Fraction(11, 400)
    assert found.probabilities[3] == Fraction(2, 20) + Fraction(2, 400)


def test_a_product_of_what_explodes_without_limit_has_its_mean() -> None:
    """Of a die, x = 7/2 + x/6 and s = 91/6 + 2 * 6 * x/6 + s/6."""
    rules = """
procedure burst() gives -999..99999:
  roll 1d6 explode on 6 without limit as x
  finish with total(x) * total(x)
"""
    (found,) = work_out(rules).distributions
    assert found.is_cut
    assert found.mean == Fraction(707, 25)


def _less_than_as_much(dice: int) -> Fraction:
    """How likely one sum of exploding dice is greater than another, from sixes and what the last faces add to them."""
    last = Counter(map(sum, product(range(1, 6), repeat=dice)))
    most = 200
    sixes = [comb(many + dice - 1, many) * Fraction(5**dice, 6 ** (many + dice)) for many in range(most)]
    equal = Fraction(0)
    for (one, many), (other, often) in product(last.items(), repeat=2):
        apart, rest = divmod(one - other, 6)
        if not rest:
            both = sum(sixes[each] * sixes[each + apart] for each in range(max(0, -apart), min(most, most - apart)))
            equal += both * Fraction(many * often, 25**dice)
    return (1 - equal) / 2


@pytest.mark.parametrize(("dice", "likely"), [(1, Fraction(3, 7)), (2, Fraction(3949, 8575)), (3, None)])
def test_which_of_two_sums_without_limit_is_greater_is_a_fraction(dice: int, likely: Fraction | None) -> None:
    rules = f"""
procedure burst() gives flag:
  roll {dice}d6 explode on 6 without limit as x
  roll {dice}d6 explode on 6 without limit as y
  finish with total(x) > total(y)
"""
    (found,) = work_out(rules).distributions
    assert not found.is_cut
    assert abs(found.probabilities[True] - _less_than_as_much(dice)) < Fraction(1, 10**200)
    assert likely in {None, found.probabilities[True]}


def test_many_dice_that_explode_are_counted() -> None:
    rules = """
procedure many() gives 0..99:
  roll 10 of d10 explode on 10 at most 5 as pool
  finish with count(each d in pool where d.natural >= 8)
"""
    found = work_out(rules)
    one = {times: Fraction(7, 10 ** (times + 1)) for times in range(6)}
    one = {times: share + (Fraction(2, 10**times) if times else 0) for times, share in one.items()}
    one[6] = Fraction(3, 10**6)
    totals = {0: Fraction(1)}
    for _ in range(10):
        before, totals = totals, {}
        for (here, share), (there, more) in product(before.items(), one.items()):
            totals[here + there] = totals.get(here + there, Fraction(0)) + share * more
    assert found.distributions[0].probabilities == totals
    assert found.state_count == 1


def test_a_sum_of_many_dice_and_how_many_show_something_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_builder, "enumerate_multisets", None)
    rules = """
procedure both() gives 0..99999:
  roll 40 of d6 as one
  finish with 300 * count(each d in one where d.natural = 6) + sum(each d in one: d.natural)
"""
    (found,) = work_out(rules).distributions
    totals = {0: 1}
    for _ in range(40):
        totals = added(totals, {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 306: 1})
    assert found.probabilities == {value: Fraction(many, 6**40) for value, many in totals.items()}


def test_hundreds_of_dice_that_are_summed_are_never_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_builder, "enumerate_multisets", None)
    rules = LOSSES.replace("LOW", "1380").replace("HIGH", "1420").replace("COUNT", "200")
    (found,) = work_out(rules).distributions
    totals = {0: 1}
    for _ in range(400):
        totals = added(totals, dict.fromkeys(range(1, 7), 1))
    few = sum(many for total, many in totals.items() if total < 1380)
    most = sum(many for total, many in totals.items() if total >= 1420)
    assert (found.probabilities[1], found.probabilities[3]) == (Fraction(few, 6**400), Fraction(most, 6**400))


def added(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for (here, many), (there, more) in product(one.items(), other.items()):
        found[here + there] = found.get(here + there, 0) + many * more
    return found


@given(
    st.dictionaries(st.tuples(st.integers(-9, 9), st.integers(0, 2)), st.integers(1, 3), min_size=1, max_size=5),
    st.integers(1, 6),
)
def test_dice_thrown_together_come_to_all_their_sums_as_often_as_they_do(
    worths: dict[tuple[int, ...], int], count: int
) -> None:
    expected = {(0, 0): 1}
    for _ in range(count):
        before, expected = expected, {}
        for ((one, other), many), ((here, there), more) in product(before.items(), worths.items()):
            total = one + here, other + there
            expected[total] = expected.get(total, 0) + many * more
    assert pool_sum_distribution(worths, count) == expected


def test_two_measures_of_a_large_pool_are_worked_out() -> None:
    rules = """
procedure both() gives 0..999999:
  roll 200d6 as pool
  let sixes = count(each d in pool where d.natural = 6)
  let low = count(each d in pool where d.natural <= 2)
  finish with 1000 * sixes + low
"""
    (found,) = work_out(rules).distributions
    assert len(found.probabilities) == comb(202, 2)
    assert found.probabilities[30_070] == Fraction(comb(200, 30) * comb(170, 70) * 2**70 * 3**100, 6**200)


IN_ORDER = """
procedure in_order() gives 0..36 "The first of three dice, twice":
  roll 3d6 as these
  let row = [each d in these: d.natural]
  let first: 1..6 = row[1]
  roll 3d6 as others
  let second = [each d in others: d.natural]
  finish with first * second[1]
"""


def test_a_limit_heeds_how_many_answers_are_followed() -> None:
    assert not work_out(IN_ORDER, most=200).open_share
    assert work_out(IN_ORDER, most=15).open_share == Fraction(2, 3)
