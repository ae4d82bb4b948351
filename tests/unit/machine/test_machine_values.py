"""Values, their order, and what is made of them without a game."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from rulewright.machine.faults import Fault
from rulewright.machine.grids import direction, distance, rear_hexes, step
from rulewright.machine.operations import along, connected, divide, other, rounded, without
from rulewright.machine.search import orders, picks, splits
from rulewright.machine.values import Map, in_order, make_set

WORLD = [SimpleNamespace(left=1_000, room=1_000)]


def test_a_map_leaves_out_what_equals_its_default() -> None:
    counted = Map.of(0, [(2, 3), (1, 0)])
    assert list(counted) == [2]
    assert counted[1] == 0
    assert counted.put(2, 0) == Map.of(0)
    assert hash(counted.put(1, 4).put(1, 0)) == hash(counted)


def test_none_comes_first_in_every_order() -> None:
    assert in_order([2, None, 1]) == (None, 1, 2)
    assert make_set([(1, None), (1, 0), (1, None)]) == ((1, None), (1, 0))


@pytest.mark.parametrize(("value", "whole"), [(Fraction(1, 2), 1), (Fraction(-1, 2), -1), (Fraction(3, 4), 1), (2, 2)])
def test_halves_are_rounded_away_from_zero(value: Fraction | int, whole: int) -> None:
    assert rounded(value) == whole


def test_a_quotient_is_exact() -> None:
    assert divide(WORLD, 1, 3) == Fraction(1, 3)
    assert divide(WORLD, 6, 3) == 2
    with pytest.raises(Fault, match="division by zero"):
        divide(WORLD, 1, 0)


def test_words_stop_at_the_ends_of_their_list() -> None:
    assert [along(1, by, 3) for by in (-5, -1, 1, 5)] == [0, 0, 2, 3]


def test_the_other_of_two() -> None:
    assert other(3, (3, 8)) == 8
    with pytest.raises(Fault):
        other(3, (3,))


def test_taking_a_list_from_a_list_takes_each_once() -> None:
    assert without(WORLD, (1, 2, 1, 1), (1, 1)) == (2, 1)


def test_connected_follows_any_number_of_links() -> None:
    links = {(0, 1), (1, 2), (3, 4)}
    assert connected(WORLD, 0, (0, 1, 2, 3, 4), links, None) == (0, 1, 2)


def test_directions_of_hexes() -> None:
    assert [direction((0, 0), step((0, 0), heading)) for heading in range(6)] == list(range(6))
    assert direction((0, 0), (1, 1)) == 0
    assert distance((0, 0), (2, -1)) == 2


def test_the_hexes_behind_stay_on_the_board() -> None:
    world = [None] * 6 + [frozenset({(0, 0), (-1, 0), (0, -1)})]
    assert rear_hexes(world, (0, 0), 0) == ((-1, 0), (0, -1))


def _uncounted() -> None:
    """Visits as many nodes as there are."""


def test_picks_come_depth_first_and_keep_their_size() -> None:
    assert list(picks((1, 2, 3), 1, 2, _uncounted)) == [(1,), (1, 2), (1, 3), (2,), (2, 3), (3,)]


def test_splits_add_up() -> None:
    found = [tuple(each[key] for key in "ab") for each in splits(("a", "b"), 2, _uncounted)]
    assert found == [(0, 2), (1, 1), (2, 0)]


def test_orders_take_every_item_once() -> None:
    assert list(orders((1, 2, 3), _uncounted))[:2] == [(1, 2, 3), (1, 3, 2)]
