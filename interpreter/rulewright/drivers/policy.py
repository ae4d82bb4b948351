"""Choices made without a person: always the first legal answer, or any of them."""

from collections.abc import Iterator
from itertools import islice

from rulewright.drivers.chance import Chance
from rulewright.machine.legal import answers
from rulewright.machine.request import Paused
from rulewright.machine.values import Value

POLICIES = ("first", "random")
DECISIONS = frozenset({"whether", "one", "pick", "split", "order", "choose", "turn", "handlers", "handler"})
_MOST = 10_000


def choose(policy: str, paused: Paused, chance: Chance) -> tuple[Value, Chance] | None:
    """The answer of a policy to a decision, and the source of chance after it; none where there is no legal answer.

    `random` takes each of the first 10,000 legal answers with equal likelihood.
    """
    possible = list(islice(_legal(paused), 1 if policy == "first" else _MOST))
    if not possible:
        return None
    if len(possible) == 1:
        return possible[0], chance
    index, after = chance.below(len(possible))
    return possible[index], after


def _legal(paused: Paused) -> Iterator[Value]:
    request = paused.request
    if request.choices:
        return (each.value for each in request.choices if each.reason is None)
    return iter(answers(request, paused.state))
