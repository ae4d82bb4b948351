"""Walks of core forms reach every part of every form, in the order in which they are evaluated."""

from dataclasses import fields
from typing import Any, get_args

import pytest

from rulewright.program.core import forms as core
from rulewright.program.core.walking import list_parts, walk_expressions, walk_forms, walk_statements
from rulewright.program.types import WHOLE

X, Y = core.Local(0, WHOLE, "x"), core.Local(1, WHOLE)


def number(value: int) -> core.Const:
    return core.Const(value, origin=None, type=WHOLE)


def get(local: core.Local) -> core.Get:
    return core.Get(local, origin=None, type=WHOLE)


SETS = core.Set(core.Place(X, (core.EntryOf(number(1), WHOLE), core.PartOf(0, WHOLE)), WHOLE), number(2), origin=None)
ASKS = core.Ask(
    number(3),
    core.Listed((core.Choice(number(4), number(5)), core.Choice(number(6), None))),
    (core.Condition(number(7), prefer=False, origin=None),),
    Y,
    (SETS,),
    (core.Fail("RW0808", (number(8),), origin=None),),
    origin=None,
)


def test_parts_are_met_in_the_order_of_evaluation() -> None:
    met = [form.value for form in walk_forms(ASKS) if isinstance(form, core.Const)]
    assert met == [3, 4, 5, 6, 7, 1, 2, 8]


def test_statements_are_met_in_blocks_of_all_sorts() -> None:
    heard = core.During(core.Listening("fallen", (X,), (SETS,)), origin=None)
    step = core.Step(get(X), (core.If(get(X), (ASKS,), (heard,), origin=None),), origin=None)
    met = [type(form).__name__ for form in walk_statements(step)]
    assert met == ["If", "Ask", "Set", "Fail", "During", "Set"]


def test_expressions_of_a_statement_are_its_own() -> None:
    assert [form.value for form in walk_expressions(ASKS)] == [3, 4, 5, 6, 7]  # type: ignore[union-attr]
    assert [form.value for form in walk_expressions(SETS)] == [1, 2]  # type: ignore[union-attr]


def test_constants_and_types_are_no_parts() -> None:
    assert list_parts(core.Op("narrow", (get(X),), (WHOLE,), origin=None, type=WHOLE)) == [get(X)]
    assert list_parts(get(X)) == [X]
    ranking = core.Local(0, core.RankingType(WHOLE))
    assert list_parts(core.Get(ranking, origin=None, type=ranking.type)) == [ranking]
    assert list_parts(ranking) == []
    assert list_parts(core.Const((1, 2), origin=None, type=WHOLE)) == []


@pytest.mark.parametrize("kind", get_args(core.Statement | core.Expression | core.AnswerSpace))
def test_every_field_that_may_hold_a_form_is_walked(kind: Any) -> None:
    """Every field of the class is a form, a block, or one of the plain fields named here."""
    values = {field.name: get(core.Local(at, WHOLE)) for at, field in enumerate(fields(kind))}
    plain = {"origin", "type", "name", "facts", "gather", "routine", "external", "default", "label", "again", "step"}
    plain |= {"holds_back", "procedure", "fault", "secret", "event", "removal", "entry"}
    plain |= {"policies"}  # of a question, laid beside the rules
    plain |= {"value"} if kind is core.Const else set()
    reached = {id(form) for form in walk_forms(kind(**values))}
    assert {name for name, value in values.items() if id(value) not in reached} <= plain


@pytest.mark.parametrize("kind", get_args(core.Expression | core.AnswerSpace | core.StoreRoot))
def test_expressions_hold_no_statements(kind: Any) -> None:
    """What is evaluated cannot change anything, nor stop, but for an external value that is wanted."""
    statement = core.Settle(origin=None)
    names = [field.name for field in fields(kind)]
    assert list(walk_statements(kind(**dict.fromkeys(names, (statement,))))) == []
