"""Expressions and types on one line."""

import pytest

from rulewright.base.source import Text
from rulewright.syntax.format import format_expression, format_type
from rulewright.syntax.nodes.declarations import Term
from rulewright.syntax.parser import parse_rules_text


def term(content: str) -> Term:
    file = parse_rules_text(Text("a.rules", content)).file
    assert file is not None
    (only,) = file.declarations
    assert isinstance(only, Term)
    return only


@pytest.mark.parametrize(
    "written",
    [
        "a.b[c, 1].d(e, name: 2)",
        "not a and b or c",
        "-a + +b * (c - 2) / 2.5",
        "1..count(each x in s where x.up)",
        "sum(each (a, b) in m: a * b)",
        "some x in s where x in t",
        "every x in s where x.a: x.b not in {1, 2}",
        "the x in removed(units)",
        "no x in s",
        "{each x in s where x.up: x.at}",
        "[each x in s]",
        "[]",
        '{yes, no, none, "text"}',
        "if(a = b, (1, 2), (3, 4))",
    ],
)
def test_expressions_are_written_as_they_are_read(written: str) -> None:
    value = term(f"term t() gives flag means {written}\n").value
    assert value is not None
    assert format_expression(value) == written


@pytest.mark.parametrize(
    "written", ["-3..4", "mel.Unit?", "set of list of Unit?", "map of (A, B) to 0..9", "deck of Card", "bag of (A, B)"]
)
def test_types_are_written_as_they_are_read(written: str) -> None:
    gives = term(f"term t() gives {written} means a\n").gives
    assert gives is not None
    assert format_type(gives) == written
