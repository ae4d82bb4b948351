"""Loops written by hand come to the odds that the verb tells: only then is a comparison of speed honest."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.exact import COURSE, ONE_POOL, TRICORNE, worked_out
from benchmarks.exact_by_hand import course, mel_one_pool, tricorne
from rulewright.cli.odds_query import OddsArguments


@pytest.mark.parametrize(
    ("of", "by_hand"), [(ONE_POOL, mel_one_pool), (TRICORNE, tricorne), (COURSE, lambda: (course(),))]
)
def test_same_odds(of: OddsArguments, by_hand: Callable[[], tuple[Any, ...]]) -> None:
    assert worked_out(of) == tuple(map(dict, by_hand()))
