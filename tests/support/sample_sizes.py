"""How much is drawn: little by the test command of README, as much as is worth waiting for with `--long`."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
LONG_TESTS = frozenset(
    line
    for line in (Path(__file__).parents[1] / "long.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
"""Ids of tests that the test command leaves out; `long.txt` says why."""
_long = False


def draw_at_length() -> None:
    """Has all that is asked for afterwards be drawn at length; called once, before tests are collected."""
    global _long  # noqa: PLW0603 - parameters of tests are made where modules are read, before any fixture
    _long = True


def choose_count(few: int, many: int) -> int:
    """How many to draw."""
    return many if _long else few


def sample_cases(cases: Iterable[T], every: int) -> Sequence[T]:
    """The first of some cases of one sort, and every so many after it one more; all of them with `--long`."""
    return [*cases][:: 1 if _long else every]
