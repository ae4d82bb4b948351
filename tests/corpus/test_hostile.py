"""A small draw of the command that throws spoilt documents at the tool: nothing is found."""

import pytest

from corpus.hostile import findings, killed
from support.sample_sizes import choose_count

SEED, EACH = 5, choose_count(4, 12)


@pytest.mark.parametrize("part", range(5))
def test_a_small_draw_of_documents_finds_nothing(part: int) -> None:
    assert not [each for number in range(part * EACH, (part + 1) * EACH) for each in findings(SEED, number)]


@pytest.mark.parametrize("number", range(choose_count(2, 6)))
def test_what_is_killed_while_it_writes_leaves_nothing_half_written(number: int) -> None:
    assert not list(killed(SEED, number))
