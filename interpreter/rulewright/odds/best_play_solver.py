"""What players want, and what a play is worth to them when those who want something play for the best."""

import re
from collections.abc import Mapping, Sequence, Set as AbstractSet
from fractions import Fraction

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.diagnostics.terminal import make_visible
from rulewright.base.frozen import dataclass
from rulewright.odds.end_measures import AskedMeasure, MeasuredPlay
from rulewright.odds.markov_chain import Transitions, compute_absorption, find_strong_components
from rulewright.odds.state_exploration import ExploredStates, is_loop_bound_end
from rulewright.runtime.request import Ended, Faulted
from rulewright.runtime.values import Value

_AffineValue = tuple[Fraction, dict[int, Fraction]]
"""What a moment is worth: a number, and so much of what others are worth."""


@dataclass(frozen=True, slots=True)
class SolvedGame:
    """What best play comes to."""

    state_values: Mapping[int, Fraction]  # of every moment, by its number
    chosen_answers: Mapping[
        int, int
    ]  # by the number of a choice the place of the answer that is taken: of equal ones the first

    def induce_chain(self, found: ExploredStates) -> tuple[Transitions, ...]:
        """Where each moment leads under this play."""
        ways = list(found.transitions)
        for number, place in self.chosen_answers.items():
            ways[number] = ((Fraction(1), found.decisions[number].successors[place]),)
        return tuple(ways)


def find_endless_states(found: ExploredStates) -> frozenset[int]:
    """Moments among which players can stay: some of their answers, and all that chance does there, lead back to them.

    Where there are none, every play ends, however it is played.
    """
    leads = [tuple(to for _, to in transition) for transition in found.transitions]
    before: dict[int, list[int]] = {}
    left: dict[int, int] = {}
    for number, lead in enumerate(leads):
        onward = set(found.decisions[number].successors if number in found.decisions else lead)
        left[number] = len(onward) if number in found.decisions else 1
        for to in onward:
            before.setdefault(to, []).append(number)
    ending = [number for number, item in enumerate(leads) if not item and number not in found.decisions]
    staying = set(range(len(leads))).difference(ending)
    while ending:
        for number in before.get(ending.pop(), ()):
            left[number] -= 1
            if number in staying and left[number] <= 0:
                staying.discard(number)
                ending.append(number)
    return frozenset(staying)


def solve_by_policy_iteration(
    found: ExploredStates, ends: Mapping[int, Fraction], sides: Mapping[int, int], never: Fraction | None = None
) -> SolvedGame:
    """What best play comes to where every play ends, or where one that never ends is worth less than any end.

    Args:
        found: the moments; without `never`, `find_endless_states` finds none among them.
        ends: what each moment that leads nowhere is worth.
        sides: of each player who chooses 1 where they want the most of it, -1 where the least.
        never: what a play is worth that never ends, where all who choose want the most: less than every end.
    """
    return _PolicyIteration(found, ends, sides, never).solve_all_states()


class _PolicyIteration:
    """From the ends back; moments that lead back to each other together (policy iteration; Hoffman and Karp 1966)."""

    def __init__(
        self, found: ExploredStates, ends: Mapping[int, Fraction], sides: Mapping[int, int], never: Fraction | None
    ) -> None:
        self._explored = found
        self._endless_value = never
        self._player_signs = sides
        self._state_values = dict(ends)
        self._chosen_answers: dict[int, int] = {}

    def solve_all_states(self) -> SolvedGame:
        ways, choices = self._explored.transitions, self._explored.decisions
        leads = [
            [(Fraction(1), to) for to in choices[number].successors] if number in choices else way
            for number, way in enumerate(ways)
        ]
        for part in find_strong_components(leads, 0):
            if len(part) > 1 or any(to == part[0] for _, to in leads[part[0]]):
                self._iterate_component(part)
            elif leads[part[0]]:
                self._evaluate_single_state(part[0])
        return SolvedGame(self._state_values, self._chosen_answers)

    def _evaluate_single_state(self, number: int) -> None:
        if number in self._explored.decisions:
            self._chosen_answers[number] = self._best_answer_place(number)
            self._state_values[number] = self._answer_value(number, self._chosen_answers[number])
        else:
            self._state_values[number] = sum(
                (item * self._state_values[to] for item, to in self._explored.transitions[number]), Fraction(0)
            )

    def _iterate_component(self, part: Sequence[int]) -> None:
        """Both sides answer each other until neither can do better; each step is exact, so this ends."""
        chosen = [number for number in part if number in self._explored.decisions]
        self._chosen_answers.update(dict.fromkeys(chosen, 0))
        while True:
            self._state_values.update(self._evaluate_policy(part))
            if not (self._improve_answers(chosen, -1) or self._improve_answers(chosen, 1)):
                break
        taken = {number: self._chosen_answers[number] for number in chosen}
        self._chosen_answers.update({number: self._best_answer_place(number) for number in chosen})
        if self._endless_value is not None and self._evaluate_policy(part) != {
            number: self._state_values[number] for number in part
        }:
            self._chosen_answers.update(taken)

    def _improve_answers(self, chosen: Sequence[int], side: int) -> bool:
        """Whether a side found better answers, which it then takes."""
        better = {
            number: best
            for number in chosen
            if self._player_sign(number) == side
            and self._answer_value(number, best := self._best_answer_place(number)) != self._state_values[number]
        }
        self._chosen_answers.update(better)
        return bool(better)

    def _evaluate_policy(self, part: Sequence[int]) -> dict[int, Fraction]:
        """What moments that lead back to each other are worth under the answers that are taken now."""
        rows = {number: self._linear_equation(number, set(part)) for number in part}
        for number in part:
            fixed, onward = rows[number]
            stays = 1 - onward.pop(number, Fraction(0))
            if stays or self._endless_value is None:
                fixed, onward = fixed / stays, {to: each / stays for to, each in onward.items()}
            else:
                fixed, onward = self._endless_value, {}
            rows[number] = fixed, onward
            for other, (base, terms) in rows.items():
                weight = terms.pop(number, None) if other != number else None
                if weight is not None:
                    for to, item in onward.items():
                        terms[to] = terms.get(to, Fraction(0)) + weight * item
                    rows[other] = base + weight * fixed, terms
        return {number: fixed for number, (fixed, _) in rows.items()}

    def _linear_equation(self, number: int, part: set[int]) -> _AffineValue:
        choice = self._explored.decisions.get(number)
        ways = (
            self._explored.transitions[number]
            if choice is None
            else ((Fraction(1), choice.successors[self._chosen_answers[number]]),)
        )
        fixed = sum((item * self._state_values[to] for item, to in ways if to not in part), Fraction(0))
        return fixed, {to: item for item, to in ways if to in part}

    def _best_answer_place(self, number: int) -> int:
        """The place of the best answer."""
        leads, side = self._explored.decisions[number].successors, self._player_sign(number)
        return max(range(len(leads)), key=lambda place: side * self._state_values[leads[place]])

    def _answer_value(self, number: int, place: int) -> Fraction:
        """What an answer is worth."""
        return self._state_values[self._explored.decisions[number].successors[place]]

    def _player_sign(self, number: int) -> int:
        return self._player_signs[self._explored.decisions[number].player]


_NO_VALUE_CODE, _UNRELATED_OBJECTIVES_CODE, _UNSOLVED_CODE = "RW1127", "RW1128", "RW1130"

EndValues = Mapping[int, tuple[Value, ...]]
"""What every measure is worth, by the number of an end."""


@dataclass(frozen=True, slots=True)
class OptimalValue:
    """What a play is worth to a player who plays for the best."""

    player: int  # their number
    measure: AskedMeasure  # what they want the most of
    low: Fraction  # what it is on average, at least
    high: Fraction  # the same, at most; the two differ where not all moments were gone on from


class NoBestPlayError(Exception):
    """Best play cannot be worked out."""

    def __init__(self, found: Diagnostic, *, is_unknown: bool = False) -> None:
        super().__init__()
        self.finding = found  # why
        self.is_limit_hit = is_unknown  # whether it is only because a limit was hit


def _make_no_best_play_error(code: str, message: str, remedy: str, *, is_unknown: bool = False) -> NoBestPlayError:
    return NoBestPlayError(Diagnostic(code, Severity.ERROR, message, help=remedy), is_unknown=is_unknown)


@dataclass(frozen=True, slots=True)
class _PlayerObjective:
    """What a player wants, as a multiple of what the first wants and a number: of the same 1, of the opposite -1."""

    player: int
    measure: AskedMeasure
    sign: int
    offset: Fraction


@dataclass(frozen=True, slots=True)
class BestPlayOutlook:
    """What best play comes to."""

    lower: SolvedGame  # where what is not known is as bad as can be
    upper: SolvedGame  # where it is as good as can be
    objectives: tuple[_PlayerObjective, ...]  # of the players who have an objective
    fault_states: frozenset[int]  # moments at which a play is over by a fault
    always_ends: bool  # whether from every moment a play is worth as much as some end, though it may go on for ever
    player_signs: Mapping[
        int, int
    ]  # by player who chooses 1 where they want what the first wants, -1 where the opposite

    def optimal_values_at(self, moment: int) -> tuple[OptimalValue, ...]:
        """What play is worth to each player from a moment on."""
        low, high = self.lower.state_values[moment], self.upper.state_values[moment]
        return tuple(
            OptimalValue(
                objective.player,
                objective.measure,
                *sorted((objective.sign * low + objective.offset, objective.sign * high + objective.offset)),
            )
            for objective in self.objectives
        )

    def is_certain(self, found: ExploredStates, moment: int) -> bool:
        """Whether best play from a moment on is the same, and worth the same, whatever comes of what is not known."""
        least, most = self.lower, self.upper
        return all(
            least.state_values[item] == most.state_values[item]
            and least.chosen_answers.get(item) == most.chosen_answers.get(item)
            for part in find_strong_components(least.induce_chain(found), moment)
            for item in part
        )

    def certain_transitions(self, found: ExploredStates) -> tuple[Transitions, ...]:
        """Where moments lead under best play; nowhere those of which it is not known what is best."""
        ways = list(self.lower.induce_chain(found))
        sides = self.player_signs
        for number, choice in found.decisions.items():
            at, side = self.lower.chosen_answers[number], sides[choice.player]
            low, high = (self.lower, self.upper) if side > 0 else (self.upper, self.lower)
            own = side * low.state_values[choice.successors[at]]
            if any(own < side * high.state_values[to] for place, to in enumerate(choice.successors) if place != at):
                ways[number] = ()
        return tuple(ways)

    def may_meet_fault(self, found: ExploredStates, moment: int) -> bool:
        """Whether best play from a moment on may be over by a fault, which is worth nothing known."""
        plays = (self.lower, self.upper) if self.fault_states else ()
        return any(
            not self.fault_states.isdisjoint(compute_absorption(play.induce_chain(found), moment).ends)
            for play in plays
        )


def solve_objectives(
    play: MeasuredPlay, found: ExploredStates, values: EndValues, *, is_endless: bool = False
) -> BestPlayOutlook:
    """What best play comes to.

    With `is_endless` loops have no bounds in these moments, all who choose want the same, and a play that never ends
    is worth less than any end.

    Raises:
        NoBestPlayError: an objective has no value somewhere (RW1127); objectives are neither the same nor opposed
            (RW1128); plays may go on for ever, or too little of them was seen (RW1130).
    """
    if not is_endless and find_endless_states(found):
        message = "players can go on for ever, so not every play has a value"
        raise _make_no_best_play_error(_UNSOLVED_CODE, message, "bound the loop in the rules: `at most N`")
    wanted = {
        player: _objective_values(play.measures[number], number, values) for player, number in play.objectives.items()
    }
    first = next(iter(wanted.values()))
    is_cut = any(
        not transition and number not in found.decisions and number not in found.ends
        for number, transition in enumerate(found.transitions)
    )
    wishes = tuple(_relate_objective(play, player, mapping, first, is_cut=is_cut) for player, mapping in wanted.items())
    sides = {wish.player: wish.sign for wish in wishes} | dict.fromkeys(play.minimizing_players, -1)
    return _solve_between_bounds(wishes, found, first, sides, is_endless=is_endless)


_ObjectiveValues = Mapping[int, Fraction]
"""What an objective is worth, by the number of an end."""


def _objective_values(measure: AskedMeasure, number: int, values: EndValues) -> _ObjectiveValues:
    result: dict[int, Fraction] = {}
    for end, item in values.items():
        value = item[number]
        if not isinstance(value, int | Fraction):
            message = f"`{make_visible(measure.text)}` has no value at some end, so it is not known what that is worth"
            raise _make_no_best_play_error(_NO_VALUE_CODE, message, "ask for what has a value at every end")
        result[end] = Fraction(value)
    return result


def _relate_objective(
    play: MeasuredPlay, player: int, own: _ObjectiveValues, first: _ObjectiveValues, *, is_cut: bool
) -> _PlayerObjective:
    measure, of_first = play.measures[play.objectives[player]], play.measures[next(iter(play.objectives.values()))]
    by_text = _compare_objective_texts(measure.text.strip(), of_first.text.strip())
    if is_cut and by_text:
        return _PlayerObjective(player, measure, by_text, Fraction(0))
    if is_cut:
        message = "too few moments were followed to know whether players want the same or the opposite"
        raise _make_no_best_play_error(_UNSOLVED_CODE, message, "`--most N` follows more of them", is_unknown=True)
    for side in (1, -1):
        more = {own[end] - side * worth for end, worth in first.items()}
        if len(more) <= 1:
            return _PlayerObjective(player, measure, side, next(iter(more), Fraction(0)))
    message = "players want neither the same nor the opposite, so it is not known what they expect of each other"
    remedy = "give one of them a policy, `--policy PLAYER=first`, or objectives that add up to the same at every end"
    raise _make_no_best_play_error(_UNRELATED_OBJECTIVES_CODE, message, remedy)


def _compare_objective_texts(text: str, first: str) -> int:
    """1 where two expressions are written alike, -1 where one is the other with `-` before it, else 0."""
    if text == first:
        return 1
    shorter, longer = sorted((text, first), key=len)
    return -1 if _NAME_PATTERN.fullmatch(shorter) and longer.replace(" ", "") == f"-{shorter}" else 0


_NAME_PATTERN = re.compile(r"[A-Za-z_][\w.]*")


def _solve_between_bounds(
    wishes: tuple[_PlayerObjective, ...],
    found: ExploredStates,
    ends: _ObjectiveValues,
    sides: Mapping[int, int],
    *,
    is_endless: bool,
) -> BestPlayOutlook:
    """Best play as if what is not known were as bad as can be, and as if it were as good."""
    measure = wishes[0].measure
    terminal = [
        number
        for number, transition in enumerate(found.transitions)
        if not transition and number not in found.decisions
    ]
    faulty = {number for number in terminal if number in found.ends and not isinstance(found.ends[number], Ended)}
    beyond = {number for number in terminal if number not in found.ends}
    bounds = measure.bounds or (None if beyond or not ends else (min(ends.values()), max(ends.values())))
    if bounds is None:
        message = "too few moments were followed to work out best play"
        raise _make_no_best_play_error(_UNSOLVED_CODE, message, "`--most N` follows more of them", is_unknown=True)
    low, high = bounds
    never = low - 1 if is_endless else None
    opposed = -1 in sides.values()
    least = solve_by_policy_iteration(found, {**ends, **dict.fromkeys(faulty | beyond, low)}, sides, never)
    if faulty and not opposed and _can_reach_any(least, found, faulty):
        # the same worth without a fault, where there are equal answers
        other = solve_by_policy_iteration(
            found, {**ends, **dict.fromkeys(beyond, low), **dict.fromkeys(faulty, low - 1)}, sides, never
        )
        least = (
            least if _can_reach_any(other, found, faulty) or other.state_values[0] != least.state_values[0] else other
        )
    bound = {item for item in faulty if is_loop_bound_end(found.ends[item])}
    # what goes on at the bound of a loop may be worth anything; another fault counts as the least, as it is refused
    unknown = beyond | (faulty if opposed else bound if _can_reach_any(least, found, bound) else set())
    good = dict.fromkeys(faulty, low) | dict.fromkeys(unknown, high)
    most = solve_by_policy_iteration(found, {**ends, **good}, sides, never) if unknown else least
    always_ends = all(state_value >= low for state_value in least.state_values.values())
    return BestPlayOutlook(least, most, wishes, frozenset(faulty), always_ends, sides)


def _can_reach_any(best: SolvedGame, found: ExploredStates, moments: AbstractSet[int]) -> bool:
    """Whether best play from the beginning comes to any of some moments."""
    return bool(moments) and not moments.isdisjoint(compute_absorption(best.induce_chain(found)).ends)


def refuse_fault_ends(outlook: BestPlayOutlook, found: ExploredStates) -> None:
    """Best play from the beginning is over by no fault, but where a loop goes on at its bound: that leaves bounds.

    Raises:
        NoBestPlayError: it may be (RW1130).
    """
    met = sorted(fault_state for fault_state in outlook.fault_states if not is_loop_bound_end(found.ends[fault_state]))
    plays = (outlook.lower, outlook.upper)
    if any(_can_reach_any(play, found, frozenset(met)) for play in plays):
        over = found.ends[met[0]]
        why = f"{over.code}: {over.message}" if isinstance(over, Faulted) else "the procedure cannot begin"
        message = f"best play meets an end whose value is not known: {make_visible(why)}"
        raise _make_no_best_play_error(
            _UNSOLVED_CODE, message, "mend the rules there, or begin where no play reaches it"
        )
