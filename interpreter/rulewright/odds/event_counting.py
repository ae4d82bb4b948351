"""Distribution of event counts: a chain whose states know the events of one step, unfolded by counters."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf, log
from typing import NamedTuple

from rulewright.base.node_roles import walk_nodes
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.markov_chain import (
    Transitions,
    compute_absorption,
    compute_expected_visits,
    find_strong_components,
)
from rulewright.odds.measure_syntax import event_number_of_name
from rulewright.odds.state_exploration import ExploredStates
from rulewright.program import expressions as ex
from rulewright.runtime.chance_outcomes import TooManyOutcomesError

EventCounts = tuple[int, ...]
"""Number of occurrences of each counted event."""
_INITIAL_COUNT_LIMIT = 32
"""First saturation of a counter in an unbounded loop; doubled up to the next; chosen."""
_MAX_COUNT_LIMIT = 1_024
"""Last saturation of a counter in an unbounded loop; chosen: five doublings of the first."""
_HOPELESS_LIMIT_FACTOR = 4
"""Counting is given up where extrapolation asks for more than so many times `_MAX_COUNT_LIMIT`; chosen."""
_ZERO = Fraction(0)


class CountedStates(NamedTuple):
    """Explored states unfolded by event counts."""

    explored: ExploredStates
    count_limits: Sequence[int | None]  # saturation of each counter; None where every count differs
    cut_share: Fraction  # share of plays in which a counter without limit saturates


class UncountableError(TooManyOutcomesError):
    """Events too frequent, or conditions too rare, for exact odds.

    Attributes:
        reason: in words.
        help: remedy.
    """

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(0)
        self.reason, self.help = why, remedy


def find_asked_events(play: MeasuredPlay) -> frozenset[int]:
    """Numbers of the counted events that measures ask for."""
    return frozenset(
        measure_argument.event_number
        for given in play.argument_lists
        for measure_argument in given
        if measure_argument.event_number is not None
    )


def find_sufficient_limits(play: MeasuredPlay) -> tuple[int | None, ...]:
    """Saturation of each counter that no measure can tell from higher counts; None where any count matters.

    A count that is only compared with constants saturates above the highest of them.
    """
    measures = play.start.executable.program.measures
    highest: dict[int, int] = {}
    open_ = set[int]()
    for name in play.measure_names:
        within = [*walk_nodes(measures[name].value)]
        compared: dict[int, int] = {}
        for item in within:
            for one, other in _compared_numbers(item):
                compared[id(one)] = max(compared.get(id(one), 0), other)
        for node in within:
            number = event_number_of_name(node.variable.name) if isinstance(node, ex.Local) else None
            if number is not None and id(node) in compared:
                highest[number] = max(highest.get(number, 0), compared[id(node)] + 1)
            elif number is not None:
                open_.add(number)
    return tuple(None if at in open_ else highest.get(at, 0) for at in range(len(play.counted_events)))


def evaluate_mean(expression: ex.Expression, means: Sequence[Fraction]) -> Fraction | None:
    """Mean of an expression that is linear in the counts; None for any other."""
    match expression:
        case ex.Literal(value=int() | Fraction() as value) if not isinstance(value, bool):
            return Fraction(value)
        case ex.Local(variable=variable):
            number = event_number_of_name(variable.name)
            return None if number is None or number >= len(means) else means[number]
        case ex.Arithmetic(operator="+" | "-" | "*" as operator, left=left, right=right):
            one, other = evaluate_mean(left, means), evaluate_mean(right, means)
            if one is None or other is None:
                return None
            if operator == "*":
                return one * other if ex.Literal in {type(left), type(right)} else None
            return one + other if operator == "+" else one - other
        case _:
            return None


def _compared_numbers(node: object) -> Sequence[tuple[object, int]]:
    """Operands compared with a whole number, and that number."""
    if not isinstance(node, ex.Comparison):
        return ()
    both = (node.left, node.right), (node.right, node.left)
    return [
        (one, max(other.value, 0))
        for one, other in both
        if isinstance(other, ex.Literal) and isinstance(other.value, int)
    ]


def split_states_by_counts(
    explored: ExploredStates, most: Sequence[int | None], room: int, next_to_none: Fraction
) -> CountedStates | None:
    """Explored states unfolded by event counts, from states that know the events of the last step alone.

    Where a loop can repeat an event without bound, the counter saturates at the count that at most `next_to_none` of
    the plays reach. None if that is too high, or if there are more than `room` states; where no loop repeats an event,
    states beyond `room` are left unexpanded.
    """
    endless = _find_unbounded_events(explored)
    uncounted = [at for at, item in enumerate(most) if item is None and at in endless]
    if any(item is not None and item > _MAX_COUNT_LIMIT for at, item in enumerate(most) if at in endless):
        return None
    if not uncounted:
        return CountedStates(_unfold_by_counts(explored, most, room), most, _ZERO)
    upto = _INITIAL_COUNT_LIMIT
    while upto <= _MAX_COUNT_LIMIT:
        unfolded = _unfold_by_counts(
            explored, [upto if at in uncounted else item for at, item in enumerate(most)], room
        )
        if len(unfolded.transitions) > room:
            return None
        end_shares = compute_absorption(unfolded.transitions).ends
        each_tail = next_to_none / len(uncounted)
        tails = {at: _find_negligible_tail(end_shares, unfolded.event_counts, at, each_tail) for at in uncounted}
        if all(least < upto for least, _ in tails.values()):
            limits = [tails[at][0] if at in tails else item for at, item in enumerate(most)]
            cut = sum((share for _, share in tails.values()), _ZERO)
            return CountedStates(_unfold_by_counts(explored, limits, room), limits, cut)
        if any(
            _estimate_needed_limit(end_shares, unfolded.event_counts, at, upto, each_tail)
            > _HOPELESS_LIMIT_FACTOR * _MAX_COUNT_LIMIT
            for at in uncounted
        ):
            return None
        upto *= 2
    return None


def _estimate_needed_limit(
    end_shares: Mapping[int, Fraction],
    event_counts: Mapping[int, EventCounts],
    at: int,
    upto: int,
    next_to_none: Fraction,
) -> float:
    """Count that at most `next_to_none` of the plays reach, extrapolated from the second half of the counts."""
    half, whole = (
        float(
            sum(
                (share for end, share in end_shares.items() if end in event_counts and event_counts[end][at] >= least),
                _ZERO,
            )
        )
        for least in (upto // 2, upto)
    )
    if not 0 < whole < half:
        return inf if whole else 0
    return upto + (upto - upto // 2) * log(float(next_to_none) / whole) / log(whole / half)


def _find_negligible_tail(
    end_shares: Mapping[int, Fraction], event_counts: Mapping[int, EventCounts], at: int, next_to_none: Fraction
) -> tuple[int, Fraction]:
    """Lowest count that at most `next_to_none` of the plays reach, and their share."""
    shares: dict[int, Fraction] = {}
    for end, share in end_shares.items():
        if end in event_counts:
            shares[event_counts[end][at]] = shares.get(event_counts[end][at], _ZERO) + share
    beyond, least = _ZERO, max(shares, default=0) + 1
    for times in sorted(shares, reverse=True):
        if beyond + shares[times] > next_to_none:
            break
        beyond, least = beyond + shares[times], times
    return least, beyond


def _find_unbounded_events(explored: ExploredStates) -> set[int]:
    """Events inside a cycle of the chain."""
    endless = set[int]()
    for part in find_strong_components(explored.transitions, 0):
        if len(part) > 1 or any(successor == part[0] for _, successor in explored.transitions[part[0]]):
            endless |= {at for state in part for at, times in enumerate(explored.event_counts[state]) if times}
    return endless


def compute_mean_counts(explored: ExploredStates, many: int) -> Sequence[Fraction]:
    """Expected count of each event; () where some play may never end."""
    often = compute_expected_visits(explored.transitions)
    if often is None:
        return ()
    return [
        sum((share * explored.event_counts[state][at] for state, share in often.items()), _ZERO) for at in range(many)
    ]


def _unfold_by_counts(explored: ExploredStates, limits: Sequence[int | None], room: int) -> ExploredStates:
    """Product of the chain with saturating counters; states beyond `room` get no transitions."""

    def add_counts_at(before: EventCounts, state: int) -> EventCounts:
        counter_steps = zip(before, explored.event_counts[state], limits, strict=True)
        return tuple([old + new if limit is None else min(old + new, limit) for old, new, limit in counter_steps])

    first = 0, add_counts_at((0,) * len(limits), 0)
    numbers, waiting = {first: 0}, [first]
    transitions: list[Transitions] = []
    for state, times in waiting:
        successors: list[tuple[Fraction, int]] = []
        for probability, successor in explored.transitions[state] if len(waiting) <= room else ():
            then = successor, add_counts_at(times, successor)
            if then not in numbers:
                numbers[then] = len(waiting)
                waiting.append(then)
            successors.append((probability, numbers[then]))
        transitions.append(successors)
    ends = {number: explored.ends[state] for (state, _), number in numbers.items() if state in explored.ends}
    event_counts = {number: times for (state, times), number in numbers.items() if state in explored.ends}
    return ExploredStates(tuple(transitions), {}, ends, event_counts)
