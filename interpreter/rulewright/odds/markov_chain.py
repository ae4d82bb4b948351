"""Finite absorbing Markov chains in exact rationals: absorption probabilities, expected visits.

With Q the transition matrix among the states of a strong component, s what comes into it from outside and v the expected
visits of its states, v = s + v Q (Kemeny and Snell, Finite Markov Chains, 1960). Components are taken in topological order,
so that all that comes into one is known before it is solved.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice

from rulewright.base.frozen import dataclass

Transitions = Sequence[tuple[Fraction, int]]
"""Row of a state: (probability, successor) pairs whose probabilities add up to 1; empty for an absorbing state."""


@dataclass(frozen=True, slots=True)
class Absorption:
    """Probability of each absorbing state by number, and of never being absorbed."""

    ends: Mapping[int, Fraction]
    never_ends: Fraction


def compute_absorption(transitions: Sequence[Transitions], start: int = 0) -> Absorption:
    """Absorption probabilities from `start`; a state without transitions is absorbing, and visited once at most."""
    visits, never_ends = _compute_visits(transitions, start)
    return Absorption({state: visits[state] for state in visits if not transitions[state]}, never_ends)


def compute_expected_visits(transitions: Sequence[Transitions]) -> Mapping[int, Fraction] | None:
    """Expected number of visits of each state from state 0; None if some state is visited for ever."""
    visits, never_ends = _compute_visits(transitions, 0)
    return None if never_ends else visits


def _compute_visits(transitions: Sequence[Transitions], start: int) -> tuple["_SparseRow", Fraction]:
    """Expected visits of the states of all components that are left, and the probability of those that are not.

    A linear system for each strong component, in topological order; mass flows on from there.
    """
    visits: _SparseRow = {start: Fraction(1)}
    never_ends = _ZERO
    for component in reversed([*find_strong_components(transitions, start)]):
        members = set(component)
        rows = {state: _sum_transitions(transitions[state]) for state in component}
        leaving = {state: {to: each for to, each in row.items() if to not in members} for state, row in rows.items()}
        come = {state: visits.pop(state, _ZERO) for state in component}
        if len(component) > 1 or component[0] in rows[component[0]]:
            if not any(leaving.values()):
                never_ends += sum(come.values(), _ZERO)
                continue
            come = _solve_component_visits(rows, come)
        visits |= come
        for state, row in leaving.items():
            _add_scaled_row(visits, visits[state], row)
    return visits, never_ends


def _solve_component_visits(rows: Mapping[int, "_SparseRow"], incoming: Mapping[int, Fraction]) -> "_SparseRow":
    """Expected visits of the states of a component that is left. `rows` are Q, `incoming` is s."""
    coefficients: dict[int, _SparseRow] = {state: {} for state in rows}  # of the equation of a state, by predecessor
    for predecessor, row in rows.items():
        for state, probability in row.items():
            if state in coefficients:
                coefficients[state][predecessor] = probability
    return solve_equations(coefficients, dict(incoming))


def solve_equations(
    coefficients: dict[int, "_SparseRow"], constants: "_SparseRow", free: Fraction | None = None
) -> "_SparseRow":
    """Values of states, each a constant and multiples of others, which are used up; `free` where nothing determines it.

    Forward elimination of one state after the other, its multiple of itself divided out, then back substitution.
    """
    states = list(coefficients)
    for position, pivot in enumerate(states):
        rest = 1 - coefficients[pivot].pop(pivot, _ZERO)
        if rest or free is None:
            coefficients[pivot] = {state: factor / rest for state, factor in coefficients[pivot].items()}
            constants[pivot] /= rest
        else:
            coefficients[pivot], constants[pivot] = {}, free
        for state in islice(states, position + 1, None):
            factor = coefficients[state].pop(pivot, None)
            if factor is not None:
                _add_scaled_row(coefficients[state], factor, coefficients[pivot])
                constants[state] += factor * constants[pivot]
    values: _SparseRow = {}
    for state in reversed(states):
        values[state] = constants[state] + sum(
            (factor * values[other] for other, factor in coefficients[state].items()), _ZERO
        )
    return values


_ZERO = Fraction(0)
_SparseRow = dict[int, Fraction]
"""Probabilities or numbers of visits by state."""


def _sum_transitions(transitions: Transitions) -> _SparseRow:
    row: _SparseRow = {}
    for probability, successor in transitions:
        row[successor] = row.get(successor, _ZERO) + probability
    return row


def _add_scaled_row(row: _SparseRow, weight: Fraction, added: Mapping[int, Fraction]) -> None:
    for state, value in added.items():
        row[state] = row.get(state, _ZERO) + weight * value


def find_strong_components(transitions: Sequence[Transitions], start: int) -> Iterator[list[int]]:
    """Strongly connected components reachable from `start`, sinks first (Tarjan 1972, without recursion)."""
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: dict[int, None] = {}  # states whose component is not complete
    path = [(start, iter(transitions[start]))]
    number[start] = lowest[start] = 0
    stack[start] = None
    while path:
        state, rest = path[-1]
        successor = next((each for _, each in rest if each not in number or each in stack), None)
        if successor is not None and successor in number:
            lowest[state] = min(lowest[state], number[successor])
            continue
        if successor is not None:
            number[successor] = lowest[successor] = len(number)
            stack[successor] = None
            path.append((successor, iter(transitions[successor])))
            continue
        path.pop()
        if path:
            lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[state])
        if lowest[state] == number[state]:
            component: list[int] = []
            while not component or component[-1] != state:
                component.append(stack.popitem()[0])
            yield component
