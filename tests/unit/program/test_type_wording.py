"""Types in the language's own words."""

from fractions import Fraction

import pytest

from rulewright.program.types import (
    COUNT,
    FLAG,
    WHOLE,
    BagType,
    DeckType,
    DieType,
    DirectionType,
    EmptyType,
    FractionType,
    ListType,
    MapType,
    NoneType,
    NumberType,
    OptionalType,
    PoolType,
    SetType,
    ThingType,
    TupleType,
    Type,
    WordType,
)
from rulewright.program.wording import render_fraction

UNIT = ThingType("Unit")
WORDS = [
    (NumberType(0, 9), "0..9"),
    (NumberType(-2, -1), "-2..-1"),
    (WHOLE, "whole number"),
    (COUNT, "whole number from 0"),
    (NumberType(None, 3), "whole number up to 3"),
    (FractionType(), "fraction"),
    (FLAG, "flag"),
    (OptionalType(UNIT), "Unit?"),
    (SetType(OptionalType(UNIT)), "set of Unit?"),
    (ListType(WordType("mel.Symbol")), "list of mel.Symbol"),
    (BagType(UNIT), "bag of Unit"),
    (DeckType(UNIT), "deck of Unit"),
    (SetType(EmptyType()), "empty set"),
    (MapType(TupleType((UNIT, UNIT)), NumberType(0, 3)), "map of (Unit, Unit) to 0..3"),
    (DieType(WHOLE), "die"),
    (PoolType(WHOLE), "pool"),
    (DirectionType("hex"), "direction"),
    (NoneType(), "none"),
]


@pytest.mark.parametrize(("type_", "words"), WORDS)
def test_a_type_is_written_as_a_designer_writes_it(type_: Type, words: str) -> None:
    assert str(type_) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(3, 2), "1.5"),
        (Fraction(-1, 1000), "-0.001"),
        (Fraction(1, 3), "1/3"),
        (Fraction(4), "4"),
        (Fraction(10, 8), "1.25"),
    ],
)
def test_fractions_are_decimals_where_these_end(value: Fraction, text: str) -> None:
    assert render_fraction(value) == text
