"""A story counts in the singular and in the plural."""

from types import SimpleNamespace
from typing import Any

import pytest

from rulewright.wording.english import make_singular, select_be_form, select_verb_form


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
    assert make_singular(several) == one


def test_an_attribute_in_the_plural_takes_the_verb_of_several() -> None:
    assert [
        select_be_form("raiders' men"),
        select_be_form("raiders' morale"),
        select_be_form("captain's wounds"),
        select_be_form("raiders"),
    ] == [
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
    names: Any = SimpleNamespace(ids_of_same_kind=lambda each: kin if each in kin else ())
    assert select_verb_form(id_, "loses", "lose", names) == said
