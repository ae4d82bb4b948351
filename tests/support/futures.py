"""Equal futures by brute force: chances against every throw of dice told apart, equal keys by what follows them."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from rulewright.runtime.request import CHANCE_SORTS, Ended, Faulted
from rulewright.runtime.run import Paused, Run

_MOST = 216
_MOST_ANSWERS = 12
_DEEP = 6


def sign(run: Run) -> Any:
    """The key of a run, or how it is over."""
    match run.outcome:
        case Paused():
            return run.future_key()
        case Ended(result=result, state=state):
            return "ended", result, state
        case Faulted(code=code, address=address):
            return "faulted", code, address
        case over:
            return repr(over)


def after(run: Run, answer: Any) -> Run:
    """Another run, gone on with an answer."""
    other = run.fork()
    other.reply(answer)
    return other


def told(run: Run) -> Counter[Any]:
    """What `chances` say a request of chance comes to."""
    found: Counter[Any] = Counter()
    for each in run.chance_outcomes:
        found[sign(after(run, each.answer))] += each.weight  # type: ignore[assignment]
    return found


def thrown(run: Run) -> dict[Any, list[Run]]:
    """What all equally likely results come to."""
    question = run.make_question()
    found: dict[Any, list[Run]] = {}
    for index in range(question.outcome_count):
        gone_on = after(run, question.outcome_at(index))
        found.setdefault(sign(gone_on), []).append(gone_on)
    return found


def judge_request(run: Run, draw: Random) -> None:
    """At a request: forks, saved states and chances say the same, and equal keys what is to come.

    Raises:
        AssertionError: they do not.
    """
    assert run.fork().future_key() == run.future_key()
    assert Run.thaw(run.executable, run.freeze()).future_key() == run.future_key()
    question = run.make_question()
    if question.sort not in CHANCE_SORTS or question.outcome_count > _MOST:
        return
    every = thrown(run)
    alike = {key: Fraction(len(runs), question.outcome_count) for key, runs in every.items()}
    assert told(run) == alike
    several = [runs for runs in every.values() if len(runs) > 1]
    if several:
        first, *_, last = draw.choice(several)
        same_future(first, last, draw, _DEEP)


def same_future(first: Run, second: Run, draw: Random, deep: int) -> None:
    """Two runs with equal keys: they are asked the same, every answer leads to equal keys, and so on along one way."""
    assert sign(first) == sign(second)
    if not isinstance(first.outcome, Paused) or not deep:
        return
    asked, likewise = first.make_question(), second.make_question()
    assert (asked.line_address, asked.player, asked.sort) == (likewise.line_address, likewise.player, likewise.sort)
    if asked.sort in CHANCE_SORTS:
        if asked.outcome_count > 10 * _MOST:
            return
        assert told(first) == told(second)
        pairs = list(zip(_ways(first), _ways(second), strict=True))
    elif asked.sort in {"external", "value"}:
        return
    else:
        legal = first.legal_answers[:_MOST_ANSWERS]
        assert legal == second.legal_answers[:_MOST_ANSWERS]
        pairs = [(after(first, each), after(second, each)) for each in legal]
    for one, other in pairs:
        assert sign(one) == sign(other)
    if pairs:
        same_future(*draw.choice(pairs), draw, deep - 1)


def _ways(run: Run) -> Iterator[Run]:
    """What chance leads to, in an order that runs of equal keys share."""
    ways = [after(run, each.answer) for each in run.chance_outcomes]
    return iter(sorted(ways, key=lambda each: repr(sign(each))))
