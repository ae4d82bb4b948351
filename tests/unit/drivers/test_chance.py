from collections import Counter

import pytest

from rulewright.drivers.chance import Chance, fresh_seed


def _drawn(chance: Chance, limit: int, count: int) -> list[int]:
    found = []
    for _ in range(count):
        number, chance = chance.below(limit)
        found.append(number)
    return found


SEED_4 = [4, 2, 1, 1, 0, 5, 3, 1, 5, 5]


def test_a_seed_gives_the_same_dice_for_ever() -> None:
    assert _drawn(Chance(4), 6, 10) == SEED_4
    assert _drawn(Chance(4, position=3), 6, 7) == SEED_4[3:]


def test_seeds_differ() -> None:
    assert len({tuple(_drawn(Chance(seed), 1000, 3)) for seed in range(100)}) == 100


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 216, 10_000, 2**64, 6**100])
def test_numbers_stay_below_the_limit(limit: int) -> None:
    assert all(0 <= each < limit for each in _drawn(Chance(1), limit, 50))


def test_faces_are_equally_likely() -> None:
    counts = Counter(_drawn(Chance(7), 6, 6000))
    assert set(counts) == set(range(6))
    assert max(abs(each - 1000) for each in counts.values()) < 120


def test_a_large_draw_uses_all_of_its_bits() -> None:
    assert max(_drawn(Chance(2), 2**200, 20)).bit_length() > 190


def test_fresh_seeds_are_short() -> None:
    assert all(0 <= fresh_seed() < 10**9 for _ in range(20))
