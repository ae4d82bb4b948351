"""Odds against every throw written out, one generated case of each sort; `support.odds_cases` judges hundreds."""

from random import Random

import pytest

from support.odds_cases import FAMILIES, Case, differs


@pytest.mark.parametrize("number", range(len(FAMILIES)))
def test_odds_are_those_of_every_throw_written_out(number: int) -> None:
    assert not differs(FAMILIES[number](Random(number)))


def test_what_differs_is_noticed() -> None:
    case = FAMILIES[0](Random(0))
    assert differs(Case(case.rules, {**case.likely, 9: case.likely[0]}))
