"""Operators and collections: values from values alone."""

from fractions import Fraction
from typing import Any

from rulewright.program.types import (
    BagType,
    DeckType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    SetType,
    TupleType,
    Type,
)
from rulewright.runtime.values import GameMap, make_set, sort_values
from support.reference.world import JudgedFault


def make_collection(type_: Type, values: list[Any]) -> Any:
    """A collection of a type."""
    match type_:
        case SetType():
            return make_set(values)
        case BagType():
            return sort_values(values)
        case MapType():
            return GameMap.from_pairs(values[0])
        case _:
            return tuple(values)


def compare_values(operator: str, left: Any, right: Any) -> bool:
    match operator:
        case "=":
            return bool(left == right)
        case "!=":
            return bool(left != right)
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case _:
            return bool(left >= right)


def calculate_number(operator: str, left: Any, right: Any) -> Any:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    if right == 0:
        raise JudgedFault("RW0804")
    exact = Fraction(left) / Fraction(right)
    return int(exact) if exact.denominator == 1 else exact


def join_collections(type_: Type, operator: str, left: Any, right: Any) -> Any:
    if isinstance(left, GameMap):
        if operator == "+":
            return GameMap.from_pairs(
                left.default, [(key, (right if key in right else left)[key]) for key in {*left, *right}]
            )
        return GameMap.from_pairs(left.default, [(key, left[key]) for key in left if key not in right])
    if operator == "+":
        return make_collection(type_, [*left, *right])
    rest = list(left)
    for each in right:
        if each in rest:
            rest.remove(each)
    return make_collection(type_, rest)


def fits_type(value: Any, type_: Type) -> bool:
    """Whether a value belongs to a type."""
    match type_:
        case OptionalType():
            return value is None or fits_type(value, type_.inner)
        case NumberType():
            above = type_.low is None or (value is not None and value >= type_.low)
            inside = value is not None and above and (type_.high is None or value <= type_.high)
            return inside and (not type_.paired or (1 <= value // 10 <= 6 and 1 <= value % 10 <= 6))
        case SetType() | ListType() | BagType() | DeckType():
            return all(fits_type(each, type_.item) for each in value)
        case MapType():
            return fits_type(value.default, type_.value) and all(
                fits_type(key, type_.key) and fits_type(value[key], type_.value) for key in value
            )
        case TupleType():
            return all(fits_type(part, each) for part, each in zip(value, type_.parts, strict=True))
        case _:
            return value is not None
