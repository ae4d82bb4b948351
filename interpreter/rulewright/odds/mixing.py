"""Ways to come to one place put together: what differs between them hangs together from there on."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm, prod
from typing import Any, NamedTuple

from rulewright.machine.later import MOST_WAYS, Later, Lot, Undecided, ways

Parts = dict[tuple[int, ...], dict[tuple[Any, ...], int]]
"""Leaves by number that hang together, and how often they come to some values together beside others."""


class Came(NamedTuple):
    """One way to come to a place."""

    likely: Fraction  # how likely it is
    leaves: Sequence[Any]  # the leaves there; of those that are left open anything
    parts: Parts  # those that are left open


def parts_of(leaves: Sequence[Any]) -> Parts:
    """The leaves that are left open, those together that hang on the same lots.

    Raises:
        Undecided: there are too many ways for some of them together.
    """
    groups: list[tuple[tuple[Lot, ...], list[int]]] = []
    for number, value in enumerate(leaves):
        if isinstance(value, Later):
            lots, numbers = value.lots, [number]
            for other in [each for each in groups if any(lot in each[0] for lot in lots)]:
                groups.remove(other)
                lots, numbers = other[0] + tuple([lot for lot in lots if lot not in other[0]]), other[1] + numbers
            groups.append((lots, numbers))
    found: Parts = {}
    for lots, numbers in groups:
        try:
            weights = ways(lots)
        except OverflowError:
            raise Undecided(min((leaves[each] for each in numbers), key=lambda each: len(each.values))) from None
        rows: dict[tuple[Any, ...], int] = {}
        for many, *values in zip(weights, *[leaves[each].over(lots) for each in numbers], strict=True):
            row = tuple(values)
            rows[row] = rows.get(row, 0) + many
        found[tuple(numbers)] = _least(rows)
    return found


def _least(rows: dict[tuple[Any, ...], int]) -> dict[tuple[Any, ...], int]:
    """The same in the least whole numbers."""
    by = gcd(*rows.values())
    return rows if by == 1 else {row: many // by for row, many in rows.items()}


def together(came: Sequence[Came]) -> Came:
    """All ways to come to a place as one.

    Raises:
        OverflowError: too much hangs together then.
    """
    first, *others = came
    if not others:
        return first
    apart = {
        numbers: rows
        for numbers, rows in first.parts.items()
        if all(each.parts.get(numbers) == rows for each in others)
    }
    kept = {number for numbers in apart for number in numbers}
    open_ = {number for each in came for numbers in each.parts for number in numbers} - kept
    differ = [
        number
        for number, value in enumerate(first.leaves)
        if number in open_ or (number not in kept and any(each.leaves[number] != value for each in others))
    ]
    likely = sum([each.likely for each in came], Fraction(0))
    shares = [each.likely / prod([sum(rows.values()) for rows in _beside(each, apart).values()]) for each in came]
    all_ = lcm(*[each.denominator for each in shares])
    found: dict[tuple[Any, ...], int] = {}
    for each, share in zip(came, shares, strict=True):
        scale = share.numerator * (all_ // share.denominator)
        for row, many in _rows(each, _beside(each, apart), differ):
            found[row] = found.get(row, 0) + many * scale
    parts = {**apart, tuple(differ): _least(found)} if differ else apart
    return Came(likely, first.leaves, parts)


def _beside(came: Came, apart: Parts) -> Parts:
    return {numbers: rows for numbers, rows in came.parts.items() if numbers not in apart}


def _rows(came: Came, parts: Parts, numbers: Sequence[int]) -> Iterator[tuple[tuple[Any, ...], int]]:
    """The values of some leaves together, and how often they come."""
    if prod(map(len, parts.values())) > MOST_WAYS:
        raise OverflowError
    open_ = [number for each in parts for number in each]
    fixed = [number for number in numbers if number not in open_]
    order = [*fixed, *open_]
    at = [order.index(number) for number in numbers]
    known = tuple([came.leaves[number] for number in fixed])
    for chosen in product(*[rows.items() for rows in parts.values()]):
        row = known
        many = 1
        for values, of in chosen:
            row += values
            many *= of
        yield tuple([row[each] for each in at]), many
