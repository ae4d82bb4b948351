from collections import Counter
from itertools import product

import pytest

from rulewright.play.seeded_random import SeededRandom, StreamTable, make_fresh_seed

D6 = (1, 2, 3, 4, 5, 6)
D10 = tuple(range(10))


def _thrown(seed: int, line: str, count: int, occasion: int = 0) -> tuple[object, ...]:
    return SeededRandom(seed).roll_faces(line, occasion, ((count, D6, ""),))


def test_a_seed_gives_the_same_dice_for_ever() -> None:
    assert _thrown(4, "fight/1/hits", 10) == (3, 3, 2, 4, 5, 5, 5, 3, 2, 2)
    assert _thrown(4, "fight/1/hits", 10, occasion=1) == (2, 4, 6, 6, 2, 6, 5, 3, 6, 6)
    assert SeededRandom(4).below("fight/2/card", 0, 52) == 36
    assert SeededRandom(4).below("fight/2/shuffle.cards", 0, 10**20) == 38140563347166622285


def test_seeds_lines_and_occasions_differ() -> None:
    assert len({_thrown(seed, "fight/1/hits", 12) for seed in range(100)}) == 100
    assert len({_thrown(1, f"fight/{step}/hits", 12) for step in range(100)}) == 100
    assert len({_thrown(1, "fight/1/hits", 12, occasion) for occasion in range(100)}) == 100


def test_lines_of_one_name_in_a_step_share_their_stream() -> None:
    assert _thrown(1, "fight/1/hits#2", 5) == _thrown(1, "fight/1/hits", 5)


@pytest.mark.parametrize("sides", [1, 2, 3, 6, 10, 20, 100, 1000])
def test_more_dice_begin_like_fewer(sides: int) -> None:
    faces = tuple(range(sides))
    thrown = SeededRandom(3).roll_faces("fight/1/hits", 2, ((70, faces, ""),))
    for count in range(70):
        assert SeededRandom(3).roll_faces("fight/1/hits", 2, ((count, faces, ""),)) == thrown[:count]


def test_dice_of_two_sizes_do_not_shift_each_other() -> None:
    one = SeededRandom(5).roll_faces("fight/1/hits", 0, ((2, D6, ""), (3, D10, "")))
    other = SeededRandom(5).roll_faces("fight/1/hits", 0, ((4, D6, ""), (2, D10, "")))
    assert (one[:2], one[2:4]) == (other[:2], other[4:])


def test_what_explodes_shifts_no_die() -> None:
    chance = SeededRandom(5)
    more = [chance.roll_faces("fight/1/hits", 0, ((1, D6, ""),), exploded)[0] for exploded in range(40)]
    assert len(set(more)) == 6
    assert tuple(more) != chance.roll_faces("fight/1/hits", 0, ((40, D6, ""),))


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 216, 10_000, 2**57, 2**64, 6**100])
def test_numbers_stay_below_the_limit(limit: int) -> None:
    found = [SeededRandom(1).below("fight/1/hits", occasion, limit) for occasion in range(200)]
    assert all(0 <= each < limit for each in found)
    assert max(found) >= limit * 9 // 10


def _surprise(counts: Counter[object], cells: int) -> float:
    """Chi-square less what is to be expected, in standard deviations."""
    expected = counts.total() / cells
    found = sum((count - expected) ** 2 / expected for count in counts.values())
    found += expected * (cells - len(counts))
    return (found - (cells - 1)) / (2 * (cells - 1)) ** 0.5


PAIRS = {
    "dice of a roll": lambda n: _thrown(n, "fight/1/hits", 2),
    "far dice of a roll": lambda n: _thrown(n, "fight/1/hits", 30)[::29],
    "occasions": lambda n: _thrown(1, "fight/1/hits", 1, n) + _thrown(1, "fight/1/hits", 1, n + 1),
    "lines": lambda n: _thrown(n, "fight/1/hits", 1) + _thrown(n, "fight/2/hits", 1),
    "seeds": lambda n: _thrown(n, "fight/1/hits", 1) + _thrown(n + 1, "fight/1/hits", 1),
    "a line and its choices": lambda n: (
        *_thrown(n, "fight/1/hits", 1),
        SeededRandom(n).below("fight/1/hits", 0, 6) + 1,
    ),
}


@pytest.mark.parametrize("pairs", list(PAIRS))
def test_faces_and_pairs_of_them_are_equally_likely(pairs: str) -> None:
    counts = Counter(PAIRS[pairs](number) for number in range(20_000))
    assert set(counts) == set(product(D6, repeat=2))
    assert abs(_surprise(counts, 36)) < 4


def test_fresh_seeds_are_short() -> None:
    assert all(0 <= make_fresh_seed() < 10**9 for _ in range(20))


@pytest.mark.parametrize("seed", [0, 4, -1, 10**30])
def test_streams_worked_out_together_give_what_each_gives_alone(seed: int) -> None:
    names = [f"fight/{number // 2}/hits{number}" for number in range(40)] + ["fight/30/hits", "fight/30/hits#2"]
    streams, chance = StreamTable(names), SeededRandom(seed)
    dice = [
        (0, D6),
        (1, D6),
        (3, D6),
        (6, D6),
        (50, D6),
        (2, tuple(range(100))),
        (9, D10),
        (40, (7,)),
        (2, tuple(range(9_999))),
    ]
    for _ in range(2):
        begun = streams.draw_first_words(chance.root_state)
        for site, name in enumerate(names):
            for occasion in (0, 1, 5):
                for limit in (1, 2, 7, 10_000, 2**32, 2**64, 6**60):
                    found = streams.below(chance.root_state, begun, site, occasion, limit)
                    assert found == chance.below(name, occasion, limit)
                for count, faces in dice:
                    thrown = streams.roll_faces(chance.root_state, begun, site, occasion, count, faces)
                    assert thrown == chance.roll_faces(name, occasion, ((count, faces, ""),))
