"""How often things come on the way: each step of a chain says it, so that a loop needs no moments of its own for it."""

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
"""How often each of what is watched came."""
_INITIAL_COUNT_LIMIT = 32
"""So often a thing is counted at first, where a loop has no bound."""
_MAX_COUNT_LIMIT = 1_024
"""So often it is counted at most."""
_HOPELESS_LIMIT_FACTOR = 4
"""So many times as often it would have to be counted where counting ends at once."""
_ZERO = Fraction(0)


class CountedStates(NamedTuple):
    """Moments told apart by how often things came before them, too."""

    explored: ExploredStates  # them
    count_limits: Sequence[int | None]  # so often and more often is the same; none where each time counts
    cut_share: Fraction  # the share of plays in which something came more often than was counted


class UncountableError(TooManyOutcomesError):
    """Things come so often, or plays that are asked of so seldom, that odds cannot be counted.

    Attributes:
        why: it, in words.
        help: what helps.
    """

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(0)
        self.reason, self.help = why, remedy


def find_asked_events(play: MeasuredPlay) -> frozenset[int]:
    """The numbers of what is watched that is asked for."""
    return frozenset(
        measure_argument.event_number
        for given in play.argument_lists
        for measure_argument in given
        if measure_argument.event_number is not None
    )


def find_sufficient_limits(play: MeasuredPlay) -> tuple[int | None, ...]:
    """From how often on it makes no difference how often each thing came: it is only compared with numbers."""
    measures = play.begun.executable.program.measures
    highest: dict[int, int] = {}
    open_ = set[int]()
    for name in play.measure_names:
        within = [*walk_nodes(measures[name].value)]
        compared: dict[int, int] = {}
        for item in within:
            for one, other in _compared_numbers(item):
                compared[id(one)] = max(compared.get(id(one), 0), other)
        for local in within:
            number = event_number_of_name(local.variable.name) if isinstance(local, ex.Local) else None
            if number is not None and id(local) in compared:
                highest[number] = max(highest.get(number, 0), compared[id(local)] + 1)
            elif number is not None:
                open_.add(number)
    return tuple(None if at in open_ else highest.get(at, 0) for at in range(len(play.counted_events)))


def evaluate_mean(asked: ex.Expression, means: Sequence[Fraction]) -> Fraction | None:
    """The mean of a sum of counts, each so many times, and of numbers; none of anything else."""
    match asked:
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
    """What is compared with a whole number, and with which."""
    if not isinstance(node, ex.Comparison):
        return ()
    both = (node.left, node.right), (node.right, node.left)
    return [
        (one, max(other.value, 0))
        for one, other in both
        if isinstance(other, ex.Literal) and isinstance(other.value, int)
    ]


def split_states_by_counts(
    found: ExploredStates, most: Sequence[int | None], room: int, next_to_none: Fraction
) -> CountedStates | None:
    """Moments that know how often things came in the last step alone, told apart by how often they came at all.

    Where a loop may bring something as often as it goes round, it is counted until no more plays than `next_to_none`
    go on. None where that is too often, or where there are too many such moments for the room; where no loop does, what
    is beyond the room leads nowhere and is no end.
    """
    endless = _find_unbounded_events(found)
    uncounted = [at for at, item in enumerate(most) if item is None and at in endless]
    if any(item is not None and item > _MAX_COUNT_LIMIT for at, item in enumerate(most) if at in endless):
        return None
    if not uncounted:
        return CountedStates(_unfold_by_counts(found, most, room), most, _ZERO)
    upto = _INITIAL_COUNT_LIMIT
    while upto <= _MAX_COUNT_LIMIT:
        told = _unfold_by_counts(found, [upto if at in uncounted else item for at, item in enumerate(most)], room)
        if len(told.transitions) > room:
            return None
        came = compute_absorption(told.transitions).ends
        each_tail = next_to_none / len(uncounted)
        tails = {at: _find_negligible_tail(came, told.event_counts, at, each_tail) for at in uncounted}
        if all(least < upto for least, _ in tails.values()):
            limits = [tails[at][0] if at in tails else item for at, item in enumerate(most)]
            cut = sum((share for _, share in tails.values()), _ZERO)
            return CountedStates(_unfold_by_counts(found, limits, room), limits, cut)
        if any(
            _estimate_needed_limit(came, told.event_counts, at, upto, each_tail)
            > _HOPELESS_LIMIT_FACTOR * _MAX_COUNT_LIMIT
            for at in uncounted
        ):
            return None
        upto *= 2
    return None


def _estimate_needed_limit(
    came: Mapping[int, Fraction], told: Mapping[int, EventCounts], at: int, upto: int, next_to_none: Fraction
) -> float:
    """About how often a thing is to be counted, as the second half of what was counted goes on."""
    half, whole = (
        float(sum((share for end, share in came.items() if end in told and told[end][at] >= least), _ZERO))
        for least in (upto // 2, upto)
    )
    if not 0 < whole < half:
        return inf if whole else 0
    return upto + (upto - upto // 2) * log(float(next_to_none) / whole) / log(whole / half)


def _find_negligible_tail(
    came: Mapping[int, Fraction], told: Mapping[int, EventCounts], at: int, next_to_none: Fraction
) -> tuple[int, Fraction]:
    """The lowest number that hardly any play reaches, and the share of plays that do."""
    shares: dict[int, Fraction] = {}
    for end, share in came.items():
        if end in told:
            shares[told[end][at]] = shares.get(told[end][at], _ZERO) + share
    beyond, least = _ZERO, max(shares, default=0) + 1
    for times in sorted(shares, reverse=True):
        if beyond + shares[times] > next_to_none:
            break
        beyond, least = beyond + shares[times], times
    return least, beyond


def _find_unbounded_events(found: ExploredStates) -> set[int]:
    """What a loop may bring as often as it goes round."""
    endless = set[int]()
    for part in find_strong_components(found.transitions, 0):
        if len(part) > 1 or any(to == part[0] for _, to in found.transitions[part[0]]):
            endless |= {at for moment in part for at, times in enumerate(found.event_counts[moment]) if times}
    return endless


def compute_mean_counts(found: ExploredStates, many: int) -> Sequence[Fraction]:
    """How often each of so many things comes on average; nothing where some play may never end."""
    often = compute_expected_visits(found.transitions)
    if often is None:
        return ()
    return [
        sum((share * found.event_counts[moment][at] for moment, share in often.items()), _ZERO) for at in range(many)
    ]


def _unfold_by_counts(found: ExploredStates, limits: Sequence[int | None], room: int) -> ExploredStates:
    """The moments told apart by how often things came, at most so often as counts; hardly more than there is room for.

    Those beyond lead nowhere.
    """

    def add_counts_at(before: EventCounts, moment: int) -> EventCounts:
        came = zip(before, found.event_counts[moment], limits, strict=True)
        return tuple([old + new if limit is None else min(old + new, limit) for old, new, limit in came])

    first = 0, add_counts_at((0,) * len(limits), 0)
    numbers, waiting = {first: 0}, [first]
    ways: list[Transitions] = []
    for moment, times in waiting:
        leads: list[tuple[Fraction, int]] = []
        for likely, to in found.transitions[moment] if len(waiting) <= room else ():
            then = to, add_counts_at(times, to)
            if then not in numbers:
                numbers[then] = len(waiting)
                waiting.append(then)
            leads.append((likely, numbers[then]))
        ways.append(leads)
    ends = {number: found.ends[moment] for (moment, _), number in numbers.items() if moment in found.ends}
    told = {number: times for (moment, times), number in numbers.items() if moment in found.ends}
    return ExploredStates(tuple(ways), {}, ends, told)
