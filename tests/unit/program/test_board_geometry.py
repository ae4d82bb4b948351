"""Offset coordinates and axial ones are two ways to write the same hexes."""

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from rulewright.program.board_geometry import COORDINATE_SYSTEMS, HexCell, convert_from_axial, convert_to_axial
from rulewright.program.types import GRID_STEPS

_NUMBERS = st.integers(-100, 100)
CELLS = st.tuples(_NUMBERS, _NUMBERS)
WAYS = sorted(COORDINATE_SYSTEMS)
DRAWN: dict[str, Callable[[HexCell], HexCell]] = {
    "odd rows": lambda at: (2 * at[0] + at[1] % 2, at[1]),
    "even rows": lambda at: (2 * at[0] + 1 - at[1] % 2, at[1]),
    "odd columns": lambda at: (2 * at[1] + at[0] % 2, at[0]),
    "even columns": lambda at: (2 * at[1] + 1 - at[0] % 2, at[0]),
}
"""Where a hex stands on paper: half hexes along its row or column, and rows or columns across."""


@given(CELLS, st.sampled_from(WAYS))
def test_each_way_leads_there_and_back(cell: HexCell, way: str) -> None:
    assert convert_to_axial(convert_from_axial(cell, way), way) == cell
    assert convert_from_axial(convert_to_axial(cell, way), way) == cell


@pytest.mark.parametrize("way", sorted(DRAWN))
@given(first=CELLS, second=st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
def test_hexes_that_touch_on_paper_are_neighbours(way: str, first: HexCell, second: HexCell) -> None:
    other = first[0] + second[0], first[1] + second[1]
    along, across = (abs(a - b) for a, b in zip(DRAWN[way](first), DRAWN[way](other), strict=True))
    one, two = convert_to_axial(first, way), convert_to_axial(other, way)
    assert ((along, across) in {(2, 0), (1, 1)}) == ((two[0] - one[0], two[1] - one[1]) in GRID_STEPS["hex"])


@pytest.mark.parametrize("way", sorted(DRAWN))
def test_directions_go_clockwise_on_paper(way: str) -> None:
    """Direction 0 leads to the right where rows shift, down to the right where columns do."""
    first = convert_to_axial((4, 4), way)
    ways = [convert_from_axial((first[0] + across, first[1] + down), way) for across, down in GRID_STEPS["hex"]]
    x, y = DRAWN[way]((4, 4))
    seen = [(DRAWN[way](each)[0] - x, DRAWN[way](each)[1] - y) for each in ways]
    if way.endswith("rows"):
        assert seen == [(2, 0), (1, 1), (-1, 1), (-2, 0), (-1, -1), (1, -1)]
    else:
        assert seen == [(1, 1), (2, 0), (1, -1), (-1, -1), (-2, 0), (-1, 1)]
