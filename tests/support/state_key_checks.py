"""Equal futures by brute force: chances against every throw of dice told apart, equal keys by what follows them."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from rulewright.runtime.request import CHANCE_SORTS, Ended, Faulted
from rulewright.runtime.run import Outcome, Paused, Run

_MAX_OUTCOMES = 216
_MAX_ANSWERS = 12
_MAX_DEPTH = 6


def get_run_signature(run: Run) -> Any:
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


def fork_with_answer(run: Run, answer: Any) -> Run:
    """Another run, gone on with an answer."""
    other = run.fork()
    other.reply(answer)
    return other


def weigh_ends(run: Run) -> Iterator[tuple[Fraction, Outcome]]:
    """All ends with how likely each is: every throw of dice told apart, every legal answer of a player taken alike."""
    if not isinstance(run.outcome, Paused):
        yield Fraction(1), run.outcome
        return
    question = run.make_question()
    is_chance = question.sort in CHANCE_SORTS
    answers = [*map(question.outcome_at, range(question.outcome_count))] if is_chance else [*run.legal_answers]
    for each in answers:
        for likely, end in weigh_ends(fork_with_answer(run, each)):
            yield likely / len(answers), end


def weigh_results(run: Run, measure: Callable[[Ended], Any] = lambda end: end.result) -> Counter[Any]:
    """How likely each result is, or what else is measured of an end."""
    found: Counter[Any] = Counter()
    for likely, end in weigh_ends(run):
        assert isinstance(end, Ended), end
        found[measure(end)] += likely  # type: ignore[assignment]
    return found


def collect_stated_chances(run: Run) -> Counter[Any]:
    """What `chances` say a request of chance comes to."""
    found: Counter[Any] = Counter()
    for each in run.chance_outcomes:
        found[get_run_signature(fork_with_answer(run, each.answer))] += each.weight  # type: ignore[assignment]
    return found


def enumerate_outcomes(run: Run) -> dict[Any, list[Run]]:
    """What all equally likely results come to."""
    question = run.make_question()
    found: dict[Any, list[Run]] = {}
    for index in range(question.outcome_count):
        gone_on = fork_with_answer(run, question.outcome_at(index))
        found.setdefault(get_run_signature(gone_on), []).append(gone_on)
    return found


def check_request(run: Run, draw: Random) -> None:
    """At a request: forks, saved states and chances say the same, and equal keys what is to come.

    Raises:
        AssertionError: they do not.
    """
    assert run.fork().future_key() == run.future_key()
    assert Run.thaw(run.executable, run.freeze()).future_key() == run.future_key()
    question = run.make_question()
    if question.sort not in CHANCE_SORTS or question.outcome_count > _MAX_OUTCOMES:
        return
    every = enumerate_outcomes(run)
    alike = {key: Fraction(len(runs), question.outcome_count) for key, runs in every.items()}
    assert collect_stated_chances(run) == alike
    several = [runs for runs in every.values() if len(runs) > 1]
    if several:
        first, *_, last = draw.choice(several)
        check_same_future(first, last, draw, _MAX_DEPTH)


def check_same_future(first: Run, second: Run, draw: Random, deep: int) -> None:
    """Two runs with equal keys: they are asked the same, every answer leads to equal keys, and so on along one way."""
    assert get_run_signature(first) == get_run_signature(second)
    if not isinstance(first.outcome, Paused) or not deep:
        return
    asked, likewise = first.make_question(), second.make_question()
    assert (asked.line_address, asked.player, asked.sort) == (likewise.line_address, likewise.player, likewise.sort)
    if asked.sort in CHANCE_SORTS:
        if asked.outcome_count > 10 * _MAX_OUTCOMES:
            return
        assert collect_stated_chances(first) == collect_stated_chances(second)
        pairs = list(zip(_list_successors(first), _list_successors(second), strict=True))
    elif asked.sort in {"external", "value"}:
        return
    else:
        legal = first.legal_answers[:_MAX_ANSWERS]
        assert legal == second.legal_answers[:_MAX_ANSWERS]
        pairs = [(fork_with_answer(first, each), fork_with_answer(second, each)) for each in legal]
    for one, other in pairs:
        assert get_run_signature(one) == get_run_signature(other)
    if pairs:
        check_same_future(*draw.choice(pairs), draw, deep - 1)


def _list_successors(run: Run) -> Iterator[Run]:
    """What chance leads to, in an order that runs of equal keys share."""
    ways = [fork_with_answer(run, each.answer) for each in run.chance_outcomes]
    return iter(sorted(ways, key=lambda each: repr(get_run_signature(each))))
