"""Tables: one row for each case."""

from collections.abc import Callable
from typing import Any

import pytest


def judged(
    analyse: Callable[[str], Any], rows: str, head: str = "n: 1..20", gives: str = "Health"
) -> tuple[Any, list[str]]:
    found = analyse(f"table it({head}) gives {gives}:\n{rows}")
    table = found.function("it")
    return table, found.messages()


def test_cells_are_values_spans_open_spans_and_any(analyse: Callable[[str], Any]) -> None:
    rows = (
        "  low: at most 5 | any | fit\n  mid: 6..8 | yes | out\n  odd: 6..8 | no | fit\n  top: at least 9 | any | out\n"
    )
    table, messages = judged(analyse, rows, "n: 1..20, f: flag")
    assert messages == []
    assert [row.address for row in table.body.rows] == ["it/low", "it/mid", "it/odd", "it/top"]


def test_a_first_cell_names_a_row_without_an_id(analyse: Callable[[str], Any]) -> None:
    table, messages = judged(analyse, "  fit | stunned\n  stunned | out\n  out | out\n", "h: Health")
    assert messages == []
    assert [row.id for row in table.body.rows] == ["fit", "stunned", "out"]


def test_across_makes_a_row_for_each_result(analyse: Callable[[str], Any]) -> None:
    rows = "  across h: fit | stunned | out\n  1 | 10 | 11 | 12\n  2 | 20 | 21 | 22\n"
    table, messages = judged(analyse, rows, "n: 1..2, h: Health", "0..99")
    assert messages == []
    assert [row.id for row in table.body.rows] == ["1/fit", "1/stunned", "1/out", "2/fit", "2/stunned", "2/out"]
    assert [row.result.value for row in table.body.rows] == [10, 11, 12, 20, 21, 22]


WRONG = {
    "  1..4 | fit\n  6..20 | out\n": "RW0411 <it> `it` has no row for `n` 5",
    "  1..5 | fit\n  5..20 | out\n": "RW0412 <5..20 | out> two rows match `n` 5",
    "  1..20 | any\n": "RW0333 <any> the result of a row is one value",
    "  1..20 | moral\n": "RW0301 <moral> `moral` is not known here",
    "  count(units) | fit\n": "RW0333 <count(units)> a cell of a table is a fixed value, a span or `any`",
    "  all_of: any | fit\n  21 | out\n": "RW0401 <21> `n` must be `1..20`, but is always `21` here",
}


@pytest.mark.parametrize(("rows", "message"), WRONG.items())
def test_wrong(analyse: Callable[[str], Any], rows: str, message: str) -> None:
    assert judged(analyse, rows)[1][0] == message


def test_across_names_an_input(analyse: Callable[[str], Any]) -> None:
    rows = "  across h: fit | stunned\n  1 | 10 | 11\n"
    messages = judged(analyse, rows, "n: 1..2, f: flag", "0..99")[1]
    assert messages == ["RW0329 <h> `across` names an input of the table, and `h` is none"]


MISSING = {
    ("n: 1..20", "  4 | fit\n  9..12 | out\n"): (
        "no rows for `n` 1..3; `n` 5..8; `n` 13..20",
        "add rows for them, such as `1..3 | …`",
    ),
    ("n: 1..9, f: flag", "  1..3 | any | fit\n  7..9 | yes | out\n"): (
        "no rows for `n` 4..6; `n` 7..9 and `f` no",
        "add rows for them, such as `4..6 | any | …`",
    ),
    ("n: 0..9?", "  none | fit\n  at least 4 | out\n"): ("no row for `n` 0..3", "add the row `0..3 | …`"),
    ("n: 1..20", "".join(f"  {each} | fit\n" for each in range(2, 20, 2))): (
        "no rows for `n` 1; `n` 3; `n` 5; `n` 7; `n` 9 and 5 more",
        "add rows for them, such as `1 | …`",
    ),
}


@pytest.mark.parametrize(("written", "expected"), MISSING.items())
def test_what_has_no_row_is_named(
    analyse: Callable[[str], Any], written: tuple[str, str], expected: tuple[str, str]
) -> None:
    inputs, rows = written
    message, remedy = expected
    found = analyse(f"table it({inputs}) gives Health:\n{rows}")
    found.function("it")
    [told] = found.report.diagnostics
    assert (told.message, told.help) == (f"`it` has {message}", remedy)


def test_words_and_flags_left_out(analyse: Callable[[str], Any]) -> None:
    assert judged(analyse, "  fit | out\n", "h: Health")[1] == [
        "RW0411 <it> `it` has no rows for `h` `stunned`; `h` `out`"
    ]
    assert judged(analyse, "  yes | out\n", "f: flag")[1] == ["RW0411 <it> `it` has no row for `f` no"]
