"""How many answers there are, and what a claim that there is none comes to."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from rulewright.play.answer_sources import choose_by_policy
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.item_answer_search import (
    AnswerCount,
    ItemQuestionData,
    answer_at,
    count_unrestricted,
    generate_orders,
    generate_picks,
    generate_splits,
)
from rulewright.runtime.pending_question import (
    count_request_answers,
    count_unrestricted_answers,
    iterate_request_answers,
)
from rulewright.runtime.request import Ended, RefusalReason, Refused
from rulewright.runtime.run import Paused, answer_paused, start_run
from rulewright.runtime.values import GameMap
from support.reference.ruleset_texts import load_program, read_situation

RULES = """\
ruleset counts "Counts" revision "1"
kind Unit, units:
  owner: player
  room: 0..9
game:
  done: flag = no

procedure divided(u: Unit, n: 0..9) "A split with room":
  ask u.owner to split n over units as shares "Shares?":
    require room: every x in units: shares[x] <= x.room "no more than there is room"
    set done to yes
  else:
    remove u

procedure forced(u: Unit, n: 0..9) "A split without a way out":
  ask u.owner to split n over units as shares "Shares?":
    require room: every x in units: shares[x] <= x.room "no more than there is room"
    set done to yes

procedure picked(u: Unit) "A pick":
  ask u.owner to pick 1..3 of each x in units where x != u as chosen "Which?"
  set done to some x in chosen
"""
STATE = """\
players: [red]
units: {a: {owner: red, room: 1}, b: {owner: red, room: 1}, c: {owner: red, room: 1}, d: {owner: red, room: 1}}
"""
PROGRAM = load_program(RULES)
EXECUTABLE = compile_program(PROGRAM, traced=True)
SITUATION = read_situation(STATE, PROGRAM)
FEW = RunLimits(nodes=10)


def _paused(procedure: str, *arguments: Any, limits: RunLimits = FEW) -> Paused:
    outcome = start_run(EXECUTABLE, SITUATION, procedure, arguments, limits)
    assert isinstance(outcome, Paused), outcome
    return outcome


@pytest.mark.parametrize(("low", "high", "items"), [*product(range(3), range(4), range(5))])
def test_the_formulas_count_what_the_search_finds(low: int, high: int, items: int) -> None:
    members = tuple(range(items))
    found = list(generate_picks(members, low, min(high, items), lambda: None))
    assert count_unrestricted(ItemQuestionData("pick", members, low, min(high, items))) == (
        len(found) if low <= high else 0
    )
    if items:
        assert count_unrestricted(ItemQuestionData("split", members, high, high)) == len(
            list(generate_splits(members, high, lambda: None))
        )
    assert count_unrestricted(ItemQuestionData("order", members, items, items)) == len(
        list(generate_orders(members, lambda: None))
    )


def test_answers_are_counted_as_far_as_the_search_goes() -> None:
    request = _paused("divided", 0, 2, limits=RunLimits(nodes=12)).request
    assert count_request_answers(request) == AnswerCount(len(list(iterate_request_answers(request))), exact=False)
    assert count_unrestricted_answers(request) == 10
    assert count_request_answers(_paused("divided", 0, 9).request) == AnswerCount(0, exact=False)


def test_a_claim_is_refused_with_an_answer() -> None:
    paused = _paused("divided", 0, 2, limits=FEW)
    assert paused.request.claimable
    outcome = answer_paused(paused, None)
    assert isinstance(outcome, Refused)
    example = GameMap.from_pairs(0, [(2, 1), (3, 1)])
    assert outcome.reasons == (RefusalReason("divided/shares", "there is a legal answer", (), example),)
    assert isinstance(answer_paused(paused, example), Ended)


def test_a_claim_that_takes_too_long_to_judge_is_refused() -> None:
    limits = RunLimits(nodes=10, claim=20)
    outcome = answer_paused(_paused("divided", 0, 9, limits=limits), None)
    assert isinstance(outcome, Refused)
    assert outcome.reasons[0].text == "more than 20 answers would have to be tried to judge that"


@pytest.mark.parametrize("policy", ["first", "random"])
def test_a_policy_looks_beyond_the_limit(policy: str) -> None:
    found = _paused("divided", 0, 2, limits=RunLimits(nodes=5)).request.question
    none = _paused("divided", 0, 9).request.question
    assert found is not None
    assert none is not None
    assert choose_by_policy(policy, found, lambda _: 0) == (GameMap.from_pairs(0, [(2, 1), (3, 1)]),)
    assert choose_by_policy(policy, none, lambda _: 0) == (None,)


@pytest.mark.parametrize(
    ("data", "every"),
    [
        (ItemQuestionData("pick", (1, 2, 3, 4, 5), 0, 4), lambda: generate_picks((1, 2, 3, 4, 5), 0, 4, nothing)),
        (ItemQuestionData("pick", (1, 2, 3, 4, 5, 6), 2, 3), lambda: generate_picks((1, 2, 3, 4, 5, 6), 2, 3, nothing)),
        (ItemQuestionData("split", (1, 2, 3, 4), 4, 4), lambda: generate_splits((1, 2, 3, 4), 4, nothing)),
        (ItemQuestionData("split", (7,), 3, 3), lambda: generate_splits((7,), 3, nothing)),
        (ItemQuestionData("order", (1, 2, 2, 3, 2), 5, 5), lambda: generate_orders((1, 2, 2, 3, 2), nothing)),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else "",
)
def test_each_number_is_that_of_one_answer(data: ItemQuestionData, every: Callable[[], Iterator[Any]]) -> None:
    numbered = [answer_at(data, number) for number in range(count_unrestricted(data))]
    assert len(numbered) == len(set(numbered))
    assert set(numbered) == {*every()}


def nothing() -> None:
    """Counts no nodes."""
