"""How many answers a question has."""

from collections import Counter
from math import comb, factorial, prod
from typing import Any

from rulewright.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Count:
    """A number of legal answers: so many, or at least so many where the search was not finished."""

    number: int
    exact: bool


def unrestricted(data: tuple[Any, ...]) -> int:
    """How many answers a pick, split or order has where no row judges them."""
    sort, items, low, high, *_ = data
    match sort:
        case "pick":
            return sum(comb(len(items), size) for size in range(low, high + 1))
        case "split":
            return comb(low + len(items) - 1, low)
        case _:
            return factorial(len(items)) // prod(map(factorial, Counter(items).values()))
