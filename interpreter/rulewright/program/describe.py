"""Types in the language's own words."""

from fractions import Fraction
from typing import assert_never

from rulewright.program.types import (
    BagType,
    CellType,
    DeckType,
    DieType,
    DirectionType,
    EmptyType,
    FlagType,
    FractionType,
    InchesType,
    ListType,
    MapType,
    NoneType,
    NumberType,
    OptionalType,
    PlaneType,
    PoolType,
    RecordType,
    SetType,
    TextType,
    ThingType,
    TupleType,
    Type,
    WordType,
)


def describe(type_: Type) -> str:  # noqa: PLR0911 - one case for each sort
    """A type as a designer writes it: `0..9`, `set of Unit`, `Unit?`.

    Types nobody can write, such as that of `count(…)`, are put in words: `whole number from 0`.

    >>> describe(OptionalType(ThingType("Unit")))
    'Unit?'
    """
    match type_:
        case NumberType(low, high):
            return _number(low, high)
        case OptionalType(inner):
            return f"{describe(inner)}?"
        case SetType(item) | ListType(item) | BagType(item) | DeckType(item):
            return _collection(_WORDS[type(type_)], item)
        case MapType(key, value):
            return f"map of {describe(key)} to {describe(value)}"
        case TupleType(parts):
            return f"({', '.join(describe(each) for each in parts)})"
        case DieType(face) | PoolType(face) if not isinstance(face, NumberType):
            return f"{_WORDS[type(type_)]} of {describe(face)}"
        case ThingType(name) | WordType(name) | RecordType(name) | CellType(name) | PlaneType(name):
            return name
        case _:
            return _plain(type_)


_WORDS = {SetType: "set", ListType: "list", BagType: "bag", DeckType: "deck", DieType: "die", PoolType: "pool"}


def _collection(word: str, item: Type) -> str:
    return f"empty {word}" if isinstance(item, EmptyType) else f"{word} of {describe(item)}"


def _number(low: int | None, high: int | None) -> str:
    match low, high:
        case None, None:
            return "whole number"
        case int(), None:
            return f"whole number from {low}"
        case None, int():
            return f"whole number up to {high}"
        case _ if low == high:
            return f"{low}"
        case _:
            return f"{low}..{high}"


_Plain = FractionType | InchesType | FlagType | TextType | DirectionType | DieType | PoolType | NoneType | EmptyType


def _plain(type_: _Plain) -> str:  # noqa: PLR0911 - one case for each sort
    match type_:
        case FractionType():
            return "fraction"
        case InchesType():
            return "inches"
        case FlagType():
            return "flag"
        case TextType():
            return "text"
        case DirectionType():
            return "direction"
        case DieType():
            return "die"
        case PoolType():
            return "pool"
        case NoneType():
            return "none"
        case EmptyType():
            return "nothing"
        case _:
            assert_never(type_)


def exact(value: Fraction) -> str:
    """A fraction as rules write it: in decimals where these end.

    >>> exact(Fraction(3, 2)), exact(Fraction(1, 3))
    ('1.5', '1/3')
    """
    for digits in range(1, _MOST_DIGITS):
        scaled = value * 10**digits
        if scaled.denominator == 1 and value.denominator > 1:
            whole, part = divmod(abs(scaled.numerator), 10**digits)
            return f"{'-' if value < 0 else ''}{whole}.{part:0{digits}}"
    return str(value)


_MOST_DIGITS = 10
