"""Choices made without a person: always the first legal answer, or any of them."""

from collections.abc import Callable
from itertools import islice

from rulewright.machine.claims import witness
from rulewright.machine.question import Question
from rulewright.machine.search import Exhausted
from rulewright.machine.values import Value

POLICIES = ("first", "random")
DECISIONS = frozenset(
    {"whether", "one", "pick", "split", "order", "choose", "turn", "place", "heading", "handlers", "handler", "taker"}
)
MOST = 10_000
_MOST_SPOTS = 100


def choose(policy: str, question: Question, below: Callable[[int], int]) -> tuple[Value] | None:
    """The answer of a policy to a decision, alone in a tuple; none where no legal answer is found.

    `random` takes each of the first 10,000 legal answers with equal likelihood, of the first 100 where a thing is
    placed or turned on the plane. Where the search for them was given
    up without one, the first of the whole search is taken, or the claim that there is none. `below` draws a number
    below another.
    """
    most = _MOST_SPOTS if question.sort in {"place", "heading"} else MOST
    possible = list(islice(question.answers(), 1 if policy == "first" else most))
    if not possible:
        return _beyond(question)
    return (possible[0] if len(possible) == 1 else possible[below(len(possible))],)


def _beyond(question: Question) -> tuple[Value] | None:
    if not question.claimable:
        return None
    try:
        return (witness(question),)
    except Exhausted:
        return None
