"""A story counts in the singular and in the plural."""

from types import SimpleNamespace
from typing import Any

import pytest

from rulewright.telling.conditions import be, singular, verb


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


@pytest.mark.parametrize(
    ("id_", "kin", "said"),
    [
        ("lancers", ("lancers", "guards", "levy"), "lose"),
        ("levy", ("lancers", "guards", "levy"), "loses"),
        ("bors", ("gawain", "mordred", "bors"), "loses"),
        ("the dice", (), "loses"),
    ],
)
def test_a_thing_is_one_or_several_as_most_of_its_kind_are_called(id_: str, kin: tuple[str, ...], said: str) -> None:
    names: Any = SimpleNamespace(kin=lambda each: kin if each in kin else ())
    assert verb(id_, "loses", "lose", names) == said
