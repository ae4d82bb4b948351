"""Decides cover every case, and every row is reached."""

from collections.abc import Callable
from typing import Any

import pytest


def judged(analyse: Callable[[str], Any], rows: str, head: str = "u: Unit, n: 0..9", gives: str = "0..9") -> list[str]:
    found = analyse(f"decide it({head}) gives {gives}:\n{rows}")
    found.function("it")
    return [message.replace("\n", " ") for message in found.messages()]


COVERED = {
    "otherwise": "  a: 1 when n > 3\n  b: 2 otherwise\n",
    "both answers of a flag": "  a: 1 when u.gone\n  b: 2 when not u.gone\n",
    "every word": "  a: 1 when u.health = fit\n  b: 2 when u.health in {stunned}\n  c: 3 otherwise\n",
    "every word compared": "  a: 1 when u.health = fit\n  b: 2 when u.health = stunned\n  c: 3 when u.health = out\n",
    "every word among several": "  a: 1 when u.health in {fit, stunned}\n  b: 2 when u.health = out\n",
    "words of two sets": (
        "  a: 1 when u.health in {fit, out} and n > 3\n  b: 2 when u.health in {stunned}\n  c: 3 otherwise\n"
    ),
    "every number": "  a: 1 when n <= 3\n  b: 2 when n = 4\n  c: 3 when n > 4\n",
    "which is greater": "  a: 1 when n > u.morale\n  b: 2 when n < u.morale\n  c: 3 when n = u.morale\n",
    "none and something": "  a: 1 when hero = none\n  b: 2 when hero != none\n",
}


@pytest.mark.parametrize("name", COVERED)
def test_covered(analyse: Callable[[str], Any], name: str) -> None:
    assert judged(analyse, COVERED[name]) == []


OPEN = {
    "  a: 1 when n < 3\n  b: 2 when n > 3\n": "no row holds when `n` is 3",
    "  a: 1 when u.health = fit\n  b: 2 when u.health = out\n": "no row holds when `u.health` is `stunned`",
    "  a: 1 when hero = u\n  b: 2 when hero != none and hero != u\n": "there may be cases that no row covers",
    "  a: 1 when n > u.morale\n  b: 2 when n < u.morale\n": "no row holds when `n` is equal to `u.morale`",
    "  a: 1 when hero = none and active.strong\n  b: 2 when hero != none\n": "there may be cases that no row covers",
    "  a: 1 when n > 3 and u.health = fit\n  b: 2 when n <= 3\n": (
        "no row holds when `n` is 4 and `u.health` is `stunned`"
    ),
}


@pytest.mark.parametrize(("rows", "message"), OPEN.items())
def test_open(analyse: Callable[[str], Any], rows: str, message: str) -> None:
    found = judged(analyse, rows)
    assert len(found) == 1
    assert found[0].endswith(message)
    assert found[0].startswith("RW0409" if message.startswith("there may") else "RW0408")


def test_rows_never_reached(analyse: Callable[[str], Any]) -> None:
    never = "is never reached"
    rows = "  a: 1 when n >= 3\n  b: 2 when n > 5\n  c: 3 otherwise\n"
    assert judged(analyse, rows) == [f"RW0410 <b: 2 when n > 5> row `b` {never}"]
    rows = "  a: 1 when n >= 0\n  b: 2 otherwise\n"
    assert judged(analyse, rows) == [f"RW0410 <b: 2 otherwise> row `b` {never}"]
    rows = "  a: 1 when u.gone\n  b: 2 when not u.gone\n  c: 3 otherwise\n"
    assert judged(analyse, rows) == [f"RW0410 <c: 3 otherwise> row `c` {never}"]


def test_otherwise_comes_last(analyse: Callable[[str], Any]) -> None:
    rows = "  a: 1 otherwise\n  b: 2 when n > 5\n"
    message = "RW0410 <b> row `a` takes every case, so the rows below it are never reached"
    assert judged(analyse, rows) == [message]


def test_values_know_their_guard(analyse: Callable[[str], Any]) -> None:
    rows = "  a: hero when hero != none\n  b: u otherwise\n"
    assert judged(analyse, rows, gives="Unit") == []


def test_values_fit_what_is_given(analyse: Callable[[str], Any]) -> None:
    rows = "  a: hero when n > 3\n  b: u otherwise\n"
    message = "RW0403 <hero> `hero` may be `none` here, and row `a` cannot be"
    assert judged(analyse, rows, gives="Unit") == [message]


def test_words_are_typed_by_what_is_given(analyse: Callable[[str], Any]) -> None:
    assert judged(analyse, "  a: out when n > 3\n  b: fit otherwise\n", gives="Health") == []
