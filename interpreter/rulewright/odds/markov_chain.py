"""Finite Markov chains in exact rationals: strong components, absorption probabilities, expected visits."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from rulewright.base.frozen import dataclass

Transitions = Sequence[tuple[Fraction, int]]
"""Row of a state: (probability, successor) pairs whose probabilities add up to 1; empty for an absorbing state."""


@dataclass(frozen=True, slots=True)
class Absorption:
    """Probability of each absorbing state by number, and of never being absorbed."""

    ends: Mapping[int, Fraction]
    never_ends: Fraction


def compute_absorption(transitions: Sequence[Transitions], start: int = 0) -> Absorption:
    """Absorption probabilities from `start`; a state without transitions is absorbing.

    Strong components in topological order; inside a component states are eliminated one by one, each replaced by where
    it leads once its loop back to itself is divided out, so that the result is exact.
    """
    mass: _SparseRow = {start: Fraction(1)}
    ends: _SparseRow = {}
    for part in reversed([*find_strong_components(transitions, start)]):
        here = {item: mass.pop(item) for item in part if item in mass}
        if len(part) == 1 and not transitions[part[0]]:
            ends.update(here)
        else:
            _add_scaled_row(mass, Fraction(1), _eliminate_component(part, transitions, here))
    return Absorption(ends, mass.get(_NEVER_ENDS, Fraction(0)))


def compute_expected_visits(transitions: Sequence[Transitions]) -> Mapping[int, Fraction] | None:
    """Expected number of visits of each state from state 0; None if some state is visited for ever.

    A linear system for each strong component, by Gaussian elimination; mass flows on from there.
    """
    visits: _SparseRow = {0: Fraction(1)}
    for part in reversed([*find_strong_components(transitions, 0)]):
        within = set(part)
        if len(part) > 1 or any(to == part[0] for _, to in transitions[part[0]]):
            component_visits = _solve_component_visits(
                part,
                [_sum_transitions(transitions[moment]) for moment in part],
                [visits.get(moment, _ZERO) for moment in part],
            )
            if component_visits is None:
                return None
            visits |= component_visits
        for moment in part:
            onward = {to: likely for to, likely in _sum_transitions(transitions[moment]).items() if to not in within}
            _add_scaled_row(visits, visits.get(moment, _ZERO), onward)
    return visits


def _solve_component_visits(
    part: Sequence[int], rows: Sequence["_SparseRow"], first: Sequence[Fraction]
) -> "_SparseRow | None":
    """Expected visits of the states of a component; `first` is the mass that comes in from outside."""
    at = {moment: place for place, moment in enumerate(part)}
    # One equation for each state: visits = sum of coefficients times visits of others, plus what comes from outside.
    given: list[_SparseRow] = [{} for _ in part]
    for place, row in enumerate(rows):
        for to, likely in row.items():
            if to in at:
                given[at[to]][place] = likely
    outside, solved = [*first], list[int]()
    for place in range(len(part)):
        coefficients = given[place]
        again = coefficients.pop(place, _ZERO)
        if again == 1:
            return None
        coefficients = given[place] = {item: likely / (1 - again) for item, likely in coefficients.items()}
        outside[place] /= 1 - again
        for other in range(place + 1, len(part)):
            share = given[other].pop(place, None)
            if share is not None:
                _add_scaled_row(given[other], share, coefficients)
                outside[other] += share * outside[place]
        solved.append(place)
    mapping: dict[int, Fraction] = {}
    for place in reversed(solved):
        mapping[place] = outside[place] + sum((likely * mapping[item] for item, likely in given[place].items()), _ZERO)
    return {part[place]: often for place, often in mapping.items()}


_ZERO = Fraction(0)
_NEVER_ENDS = -1
_SparseRow = dict[int, Fraction]
"""Probabilities or numbers of visits by state."""


def _eliminate_component(
    part: Sequence[int], transitions: Sequence[Transitions], here: Mapping[int, Fraction]
) -> _SparseRow:
    """Mass that leaves a strong component, by successor; what never leaves goes to `_NEVER_ENDS`."""
    mass = dict(here)
    rows = {moment: _sum_transitions(transitions[moment]) for moment in part}
    for moment in part:
        onward = rows.pop(moment)
        stays = onward.pop(moment, Fraction(0))
        onward = {_NEVER_ENDS: Fraction(1)} if stays == 1 else {to: item / (1 - stays) for to, item in onward.items()}
        for row in (mass, *rows.values()):
            if moment in row:
                _add_scaled_row(row, row.pop(moment), onward)
    return mass


def _sum_transitions(transitions: Transitions) -> _SparseRow:
    row: _SparseRow = {}
    for likely, to in transitions:
        _add_scaled_row(row, likely, {to: Fraction(1)})
    return row


def _add_scaled_row(row: _SparseRow, weight: Fraction, onward: Mapping[int, Fraction]) -> None:
    for to, likely in onward.items():
        row[to] = row.get(to, Fraction(0)) + weight * likely


def find_strong_components(transitions: Sequence[Transitions], start: int) -> Iterator[list[int]]:
    """Strongly connected components reachable from `start`, sinks first (Tarjan 1972, without recursion)."""
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_: dict[int, None] = {}
    path = [(start, iter(transitions[start]))]
    number[start] = lowest[start] = 0
    open_[start] = None
    while path:
        moment, leads = path[-1]
        to = next((item for _, item in leads if item not in number or item in open_), None)
        if to is not None and to in number:
            lowest[moment] = min(lowest[moment], number[to])
            continue
        if to is not None:
            number[to] = lowest[to] = len(number)
            open_[to] = None
            path.append((to, iter(transitions[to])))
            continue
        path.pop()
        if path:
            lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[moment])
        if lowest[moment] == number[moment]:
            part: list[int] = []
            while not part or part[-1] != moment:
                part.append(open_.popitem()[0])
            yield part
