"""Values, their order, and what is made of them without a game."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from rulewright.runtime.faults import Fault
from rulewright.runtime.grid_cells import cell_distance, find_direction, next_cell, rear_hexes
from rulewright.runtime.item_answer_search import generate_orders, generate_picks, generate_splits
from rulewright.runtime.runtime_operations import (
    divide_exactly,
    find_connected,
    other_of_pair,
    round_half_away,
    shift_word,
    subtract_list,
)
from rulewright.runtime.values import GameMap, make_set, sort_values

WORLD = [SimpleNamespace(work_left=1_000, size_left=1_000)]


def test_a_map_leaves_out_what_equals_its_default() -> None:
    counted = GameMap.from_pairs(0, [(2, 3), (1, 0)])
    assert list(counted) == [2]
    assert counted[1] == 0
    assert counted.with_entry(2, 0) == GameMap.from_pairs(0)
    assert hash(counted.with_entry(1, 4).with_entry(1, 0)) == hash(counted)


def test_none_comes_first_in_every_order() -> None:
    assert sort_values([2, None, 1]) == (None, 1, 2)
    assert make_set([(1, None), (1, 0), (1, None)]) == ((1, None), (1, 0))


@pytest.mark.parametrize(("value", "whole"), [(Fraction(1, 2), 1), (Fraction(-1, 2), -1), (Fraction(3, 4), 1), (2, 2)])
def test_halves_are_rounded_away_from_zero(value: Fraction | int, whole: int) -> None:
    assert round_half_away(value) == whole


def test_a_quotient_is_exact() -> None:
    assert divide_exactly(WORLD, 1, 3) == Fraction(1, 3)
    assert divide_exactly(WORLD, 6, 3) == 2
    with pytest.raises(Fault, match="division by zero"):
        divide_exactly(WORLD, 1, 0)


def test_words_stop_at_the_ends_of_their_list() -> None:
    assert [shift_word(1, by, 3) for by in (-5, -1, 1, 5)] == [0, 0, 2, 3]


def test_the_other_of_two() -> None:
    assert other_of_pair(3, (3, 8)) == 8
    with pytest.raises(Fault):
        other_of_pair(3, (3,))


def test_taking_a_list_from_a_list_takes_each_once() -> None:
    assert subtract_list(WORLD, (1, 2, 1, 1), (1, 1)) == (2, 1)


def test_connected_follows_any_number_of_links() -> None:
    links = {(0, 1), (1, 2), (3, 4)}
    assert find_connected(WORLD, 0, (0, 1, 2, 3, 4), links, None) == (0, 1, 2)


def test_directions_of_hexes() -> None:
    assert [find_direction((0, 0), next_cell((0, 0), heading)) for heading in range(6)] == list(range(6))
    assert find_direction((0, 0), (1, 1)) == 0
    assert cell_distance((0, 0), (2, -1)) == 2


def test_the_hexes_behind_stay_on_the_board() -> None:
    world = [None] * 6 + [frozenset({(0, 0), (-1, 0), (0, -1)})]
    assert rear_hexes(world, (0, 0), 0) == ((-1, 0), (0, -1))


def _uncounted() -> None:
    """Visits as many nodes as there are."""


def test_picks_come_depth_first_and_keep_their_size() -> None:
    assert list(generate_picks((1, 2, 3), 1, 2, _uncounted)) == [(1,), (1, 2), (1, 3), (2,), (2, 3), (3,)]


def test_splits_add_up() -> None:
    found = [tuple(each[key] for key in "ab") for each in generate_splits(("a", "b"), 2, _uncounted)]
    assert found == [(0, 2), (1, 1), (2, 0)]


def test_orders_take_every_item_once() -> None:
    assert list(generate_orders((1, 2, 3), _uncounted))[:2] == [(1, 2, 3), (1, 3, 2)]
