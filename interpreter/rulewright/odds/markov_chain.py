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
    """Absorption probabilities from `start`; a state without transitions is absorbing.

    Strong components in topological order; inside a component states are eliminated one by one, each replaced by its
    successors once its self-loop is divided out, so that the result is exact.
    """
    mass: _SparseRow = {start: Fraction(1)}
    ends: _SparseRow = {}
    for component in reversed([*find_strong_components(transitions, start)]):
        incoming = {state: mass.pop(state) for state in component if state in mass}
        if len(component) == 1 and not transitions[component[0]]:
            ends.update(incoming)
        else:
            _add_scaled_row(mass, Fraction(1), _eliminate_component(component, transitions, incoming))
    return Absorption(ends, mass.get(_NEVER_ENDS, Fraction(0)))


def compute_expected_visits(transitions: Sequence[Transitions]) -> Mapping[int, Fraction] | None:
    """Expected number of visits of each state from state 0; None if some state is visited for ever.

    A linear system for each strong component, by Gaussian elimination; mass flows on from there.
    """
    visits: _SparseRow = {0: Fraction(1)}
    for component in reversed([*find_strong_components(transitions, 0)]):
        members = set(component)
        rows = {state: _sum_transitions(transitions[state]) for state in component}
        if len(component) > 1 or component[0] in rows[component[0]]:
            solved = _solve_component_visits(rows, {state: visits.get(state, _ZERO) for state in component})
            if solved is None:
                return None
            visits |= solved
        for state, row in rows.items():
            leaving = {successor: probability for successor, probability in row.items() if successor not in members}
            _add_scaled_row(visits, visits.get(state, _ZERO), leaving)
    return visits


def _solve_component_visits(rows: Mapping[int, "_SparseRow"], incoming: Mapping[int, Fraction]) -> "_SparseRow | None":
    """Expected visits of the states of a component; None if it is never left. `rows` are Q, `incoming` is s.

    Forward elimination of one state after the other, its self-loop divided out, then back substitution.
    """
    coefficients: dict[int, _SparseRow] = {state: {} for state in rows}  # of the equation of a state, by predecessor
    for predecessor, row in rows.items():
        for state, probability in row.items():
            if state in coefficients:
                coefficients[state][predecessor] = probability
    constants, states = dict(incoming), list(rows)
    for position, pivot in enumerate(states):
        self_loop = coefficients[pivot].pop(pivot, _ZERO)
        if self_loop == 1:
            return None
        equation = {state: factor / (1 - self_loop) for state, factor in coefficients[pivot].items()}
        coefficients[pivot] = equation
        constants[pivot] /= 1 - self_loop
        for state in islice(states, position + 1, None):
            factor = coefficients[state].pop(pivot, None)
            if factor is not None:
                _add_scaled_row(coefficients[state], factor, equation)
                constants[state] += factor * constants[pivot]
    visits: _SparseRow = {}
    for state in reversed(states):
        visits[state] = constants[state] + sum(
            (factor * visits[other] for other, factor in coefficients[state].items()), _ZERO
        )
    return visits


_ZERO = Fraction(0)
_NEVER_ENDS = -1
_SparseRow = dict[int, Fraction]
"""Probabilities or numbers of visits by state."""


def _eliminate_component(
    component: Sequence[int], transitions: Sequence[Transitions], incoming: Mapping[int, Fraction]
) -> _SparseRow:
    """Mass that leaves a strong component, by successor; what never leaves goes to `_NEVER_ENDS`."""
    mass = dict(incoming)
    rows = {state: _sum_transitions(transitions[state]) for state in component}
    for pivot in component:
        row = rows.pop(pivot)
        self_loop = row.pop(pivot, _ZERO)
        if self_loop == 1:
            row = {_NEVER_ENDS: Fraction(1)}
        else:
            row = {successor: probability / (1 - self_loop) for successor, probability in row.items()}
        for other in (mass, *rows.values()):
            if pivot in other:
                _add_scaled_row(other, other.pop(pivot), row)
    return mass


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
