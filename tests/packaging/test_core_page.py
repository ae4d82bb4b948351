"""The page of core says what every form does, each in a row of at most two lines."""

import re
from pathlib import Path
from typing import get_args

from rulewright.program.core import forms

PAGE = (Path(__file__).parents[2] / "interpreter/rulewright/program/core/README.md").read_text(encoding="utf-8")
MAX_ROW = 2 * 120
"""Characters of a row: two lines of source."""


def list_rows(heading: str) -> list[str]:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| (`.*) \|$", section, re.MULTILINE)


def list_forms(*rows: str) -> list[str]:
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.partition(" | ")[0])]


def test_every_form_has_a_row() -> None:
    for heading, union in (
        ("Statements", forms.Statement),
        ("Expressions", forms.Expression),
        ("Answers", forms.AnswerSpace),
    ):
        assert list_forms(*list_rows(heading)) == [form.__name__ for form in get_args(union)], heading


def test_every_place_is_named() -> None:
    places = {form.__name__ for form in get_args(forms.StoreRoot)}
    assert places <= {*re.findall(r"`(\w+)`", PAGE.partition("Places of the store are")[2].partition("## ")[0])}


def test_rows_are_short() -> None:
    rows = [row for heading in ("Statements", "Expressions", "Answers") for row in list_rows(heading)]
    assert [row for row in rows if len(row) > MAX_ROW] == []


def test_every_sort_of_routine_is_named() -> None:
    assert {*get_args(forms.RoutineSort)} - {"procedure", "handler", "rule", "function", "window", "settling"} == set()
    assert all(f"`{sort}:" in PAGE for sort in get_args(forms.RoutineSort))
