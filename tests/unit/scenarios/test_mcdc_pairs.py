import pytest

from rulewright.scenarios.coverage_report import find_mcdc_pair
from rulewright.scenarios.reached_units import ConditionOutcome

T, F, N = True, False, None
AND = [((T, T), T), ((F, N), F), ((T, F), F)]
OR = [((F, F), F), ((T, N), T), ((F, T), T)]
MIXED = [((T, T, N), T), ((T, F, F), F), ((T, F, T), T), ((F, N, F), F)]


def _outcomes(rows: list[tuple[tuple[bool | None, ...], bool]]) -> list[ConditionOutcome]:
    return [ConditionOutcome(0, parts, held) for parts, held in rows]


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        (AND, [0, 1]),
        (AND[:2], [0]),
        ([AND[0], AND[2]], [1]),
        (AND[1:], []),
        (OR, [0, 1]),
        (OR[:2], [0]),
        (MIXED, [0, 1, 2]),
        ([((T, T, N), T), ((F, N, F), F)], [0]),
        ([((T, T), T), ((F, F), F)], []),
    ],
)
def test_a_part_matters_where_all_else_that_was_looked_at_is_the_same(
    rows: list[tuple[tuple[bool | None, ...], bool]], shown: list[int]
) -> None:
    outcomes = _outcomes(rows)
    assert [part for part in range(len(rows[0][0])) if find_mcdc_pair(part, outcomes)] == shown
