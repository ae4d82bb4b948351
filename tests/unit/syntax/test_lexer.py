"""Tokens by what the grammar takes where they stand."""

import pytest
from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from rulewright.syntax.engine import LazyContextualLexer

GRAMMAR = r"""
start: ("roll" NAME | "step" PLACE | "sum" INT ".." INT | NAME "=" KIND NAME | NAME (COMPARE | "=") INT)+
KIND.2: /\b(set|list)\b/
NAME: /[a-z]+/
PLACE: /[a-z0-9]+(\.[a-z0-9]+)*/
INT: /[0-9]+/
COMPARE: /<=|=/
OTHER: "?"
%ignore /[ \n]+/
"""


def tokens(text: str) -> list[tuple[str, str, int | None, int | None]]:
    lark = Lark(GRAMMAR, parser="lalr", lexer=LazyContextualLexer, keep_all_tokens=True)
    found = lark.parse(text).scan_values(lambda each: isinstance(each, Token))
    return [(each.type, str(each), each.start_pos, each.end_pos) for each in found]


def test_a_word_of_the_language_is_a_name_where_it_does_not_fit() -> None:
    assert tokens("roll roll") == [("ROLL", "roll", 0, 4), ("NAME", "roll", 5, 9)]


def test_a_word_is_taken_whole() -> None:
    assert tokens("roll rolling") == [("ROLL", "roll", 0, 4), ("NAME", "rolling", 5, 12)]


def test_what_has_priority_is_tried_first() -> None:
    assert [each[0] for each in tokens("a = set list")] == ["NAME", "EQUAL", "KIND", "NAME"]


def test_a_shape_is_looked_for_only_where_it_fits() -> None:
    assert [each[:2] for each in tokens("step 2.a")] == [("STEP", "step"), ("PLACE", "2.a")]


def test_the_longest_sign_is_taken() -> None:
    assert [each[1] for each in tokens("sum 1..2")] == ["sum", "1", "..", "2"]


def test_what_fits_elsewhere_is_a_token_that_does_not_fit() -> None:
    with pytest.raises(UnexpectedToken) as met:
        tokens("roll 12")
    assert (met.value.token, met.value.token.start_pos, met.value.token.end_pos) == ("12", 5, 7)


def test_what_fits_nowhere_has_a_place() -> None:
    with pytest.raises(UnexpectedCharacters) as met:
        tokens("roll !")
    assert met.value.pos_in_stream == 5
