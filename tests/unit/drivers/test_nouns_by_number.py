"""A story counts in the singular and in the plural."""

import pytest

from rulewright.telling.conditions import be, singular


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ("wounds", "wound"),
        ("armies", "army"),
        ("men", "man"),
        ("riflemen", "rifleman"),
        ("omen", "omen"),
        ("axis", "axis"),
    ],
)
def test_one_of_several(several: str, one: str) -> None:
    assert singular(several) == one


def test_an_attribute_in_the_plural_takes_the_verb_of_several() -> None:
    assert [be("raiders' men"), be("raiders' morale"), be("captain's wounds"), be("raiders")] == [
        "are",
        "is",
        "are",
        "is",
    ]
