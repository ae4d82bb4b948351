"""Merging of arrivals at one point of the rules: leaves that differ get a joint distribution."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm, prod
from typing import Any, NamedTuple

from rulewright.runtime.random_values import (
    MAX_JOINT_OUTCOMES,
    NeedsConcreteValue,
    RandomValue,
    RandomVariable,
    joint_weights,
)

JointParts = dict[tuple[int, ...], dict[tuple[Any, ...], int]]
"""Joint distributions of open leaves: by the numbers of the leaves, the weight of each row of values."""


class Arrival(NamedTuple):
    """One path that reached a point of the rules."""

    probability: Fraction
    leaves: Sequence[Any]  # values there; of open ones anything
    parts: JointParts  # distributions of the open ones


class _DependentLeaves(NamedTuple):
    """Leaves that depend on common variables."""

    variables: tuple[RandomVariable, ...]
    numbers: list[int]  # of the leaves


def group_dependent_leaves(leaves: Sequence[Any]) -> JointParts:
    """Joint distributions of the random leaves, grouped by the variables that they share.

    Raises:
        NeedsConcreteValue: a joint distribution would be too large.
    """
    groups: list[_DependentLeaves] = []
    for number, value in enumerate(leaves):
        if isinstance(value, RandomValue):
            joined = _DependentLeaves(value.variables, [number])
            for group in [group for group in groups if any(item in group.variables for item in joined.variables)]:
                groups.remove(group)
                others = tuple([item for item in joined.variables if item not in group.variables])
                joined = _DependentLeaves(group.variables + others, group.numbers + joined.numbers)
            groups.append(joined)
    result: JointParts = {}
    for variables, numbers in groups:
        try:
            weights = joint_weights(variables)
        except OverflowError:
            raise NeedsConcreteValue(
                min((leaves[item] for item in numbers), key=lambda item: len(item.values))
            ) from None
        rows: dict[tuple[Any, ...], int] = {}
        for many, *values in zip(weights, *[leaves[item].expand_over(variables) for item in numbers], strict=True):
            row = tuple(values)
            rows[row] = rows.get(row, 0) + many
        result[tuple(numbers)] = _reduce_weights(rows)
    return result


def _reduce_weights(rows: dict[tuple[Any, ...], int]) -> dict[tuple[Any, ...], int]:
    by = gcd(*rows.values())
    return rows if by == 1 else {row: many // by for row, many in rows.items()}


def merge_arrivals(arrivals: Sequence[Arrival]) -> Arrival:
    """One arrival with the distribution of all; parts that all share stay independent.

    Raises:
        OverflowError: the joint distribution would be too large.
    """
    first, *others = arrivals
    if not others:
        return first
    shared_parts = {
        numbers: rows
        for numbers, rows in first.parts.items()
        if all(other.parts.get(numbers) == rows for other in others)
    }
    shared_numbers = {number for numbers in shared_parts for number in numbers}
    open_ = {number for item in arrivals for numbers in item.parts for number in numbers} - shared_numbers
    differ = [
        number
        for number, value in enumerate(first.leaves)
        if number in open_ or (number not in shared_numbers and any(other.leaves[number] != value for other in others))
    ]
    likely = sum([item.probability for item in arrivals], Fraction(0))
    shares = [
        item.probability / prod([sum(rows.values()) for rows in _parts_except(item, shared_parts).values()])
        for item in arrivals
    ]
    all_ = lcm(*[item.denominator for item in shares])
    mapping: dict[tuple[Any, ...], int] = {}
    for arrival, share in zip(arrivals, shares, strict=True):
        scale = share.numerator * (all_ // share.denominator)
        for row, many in _enumerate_joint_rows(arrival, _parts_except(arrival, shared_parts), differ):
            mapping[row] = mapping.get(row, 0) + many * scale
    parts = {**shared_parts, tuple(differ): _reduce_weights(mapping)} if differ else shared_parts
    return Arrival(likely, first.leaves, parts)


def _parts_except(arrival: Arrival, excluded: JointParts) -> JointParts:
    return {numbers: rows for numbers, rows in arrival.parts.items() if numbers not in excluded}


def _enumerate_joint_rows(
    arrival: Arrival, parts: JointParts, numbers: Sequence[int]
) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Rows of values of the leaves `numbers`, with their weights."""
    if prod(map(len, parts.values())) > MAX_JOINT_OUTCOMES:
        raise OverflowError
    open_ = [number for part in parts for number in part]
    fixed = [number for number in numbers if number not in open_]
    order = [*fixed, *open_]
    at = [order.index(number) for number in numbers]
    known = tuple([arrival.leaves[number] for number in fixed])
    for chosen in product(*[rows.items() for rows in parts.values()]):
        row = known
        many = 1
        for values, of in chosen:
            row += values
            many *= of
        yield tuple([row[item] for item in at]), many
