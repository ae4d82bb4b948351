"""Optimal play: policy iteration over the explored states, objectives of players, bounds for what is unexplored.

Also the value of each legal answer to one question, and runs resumed from a saved session.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import replace
from fractions import Fraction

from rulewright.base.diagnostics import Diagnostic, Severity, make_visible
from rulewright.base.frozen import dataclass
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import AskedMeasure, MeasuredPlay
from rulewright.odds.hidden_information import HiddenFact, find_hidden_answer, find_hidden_at_start, update_hidden_facts
from rulewright.odds.markov_chain import Transitions, compute_absorption, find_strong_components, solve_equations
from rulewright.odds.state_exploration import (
    NEGLIGIBLE_SHARE,
    ExploredStates,
    LoopRoundObserver,
    ProgressCallback,
    explore_incrementally,
    is_loop_bound_end,
)
from rulewright.play.session import Session
from rulewright.runtime.pending_question import find_only_answer
from rulewright.runtime.request import Ended, Faulted, Request
from rulewright.runtime.run import Paused, Run
from rulewright.runtime.values import PartlyShuffledDeck, Value, make_partly_shuffled

_AffineValue = tuple[Fraction, dict[int, Fraction]]
"""Value of a state as a constant and coefficients of the values of other states."""


@dataclass(frozen=True, slots=True)
class SolvedGame:
    """Value of each state and the optimal policy."""

    state_values: Mapping[int, Fraction]  # by state
    # by decision the position of the answer; the first of equal ones
    chosen_answers: Mapping[int, int]

    def induce_chain(self, explored: ExploredStates) -> tuple[Transitions, ...]:
        """Markov chain under the policy."""
        transitions = list(explored.transitions)
        for number, place in self.chosen_answers.items():
            transitions[number] = ((Fraction(1), explored.decisions[number].successors[place]),)
        return tuple(transitions)


def find_endless_states(explored: ExploredStates) -> frozenset[int]:
    """States among which players can stay for ever, whatever chance does.

    The complement of those from which every policy reaches an end with positive probability; if it is empty, every play
    ends.
    """
    successors = [tuple(successor for _, successor in transition) for transition in explored.transitions]
    before: dict[int, list[int]] = {}
    open_successor_counts: dict[int, int] = {}
    for number, lead in enumerate(successors):
        onward = set(explored.decisions[number].successors if number in explored.decisions else lead)
        open_successor_counts[number] = len(onward) if number in explored.decisions else 1
        for successor in onward:
            before.setdefault(successor, []).append(number)
    ending = [number for number, item in enumerate(successors) if not item and number not in explored.decisions]
    staying = set(range(len(successors))).difference(ending)
    while ending:
        for number in before.get(ending.pop(), ()):
            open_successor_counts[number] -= 1
            if number in staying and open_successor_counts[number] <= 0:
                staying.discard(number)
                ending.append(number)
    return frozenset(staying)


def solve_by_policy_iteration(
    explored: ExploredStates, ends: Mapping[int, Fraction], sides: Mapping[int, int], never: Fraction | None = None
) -> SolvedGame:
    """Values and policy of a stochastic game with two opposed sides.

    Args:
        explored: explored states; without `never`, `find_endless_states` finds none among them.
        ends: value of each state without transitions.
        sides: by player 1 for the side that maximizes, -1 for the side that minimizes.
        never: value of a play that never ends, below every end; only where all maximize.
    """
    return _PolicyIteration(explored, ends, sides, never).solve_all_states()


class _PolicyIteration:
    """Policy iteration for each strong component, sinks first (Howard 1960; two sides: Hoffman and Karp 1966)."""

    def __init__(
        self, explored: ExploredStates, ends: Mapping[int, Fraction], sides: Mapping[int, int], never: Fraction | None
    ) -> None:
        self._explored = explored
        self._endless_value = never
        self._player_signs = sides
        self._state_values = dict(ends)
        self._chosen_answers: dict[int, int] = {}

    def solve_all_states(self) -> SolvedGame:
        transitions, choices = self._explored.transitions, self._explored.decisions
        chain = [
            [(Fraction(1), successor) for successor in choices[number].successors] if number in choices else way
            for number, way in enumerate(transitions)
        ]
        for part in find_strong_components(chain, 0):
            if len(part) > 1 or any(successor == part[0] for _, successor in chain[part[0]]):
                self._iterate_component(part)
            elif chain[part[0]]:
                self._evaluate_single_state(part[0])
        return SolvedGame(self._state_values, self._chosen_answers)

    def _evaluate_single_state(self, number: int) -> None:
        if number in self._explored.decisions:
            self._chosen_answers[number] = self._best_answer_place(number)
            self._state_values[number] = self._answer_value(number, self._chosen_answers[number])
        else:
            self._state_values[number] = sum(
                (item * self._state_values[successor] for item, successor in self._explored.transitions[number]),
                Fraction(0),
            )

    def _iterate_component(self, part: Sequence[int]) -> None:
        """Each side improves until neither can; every step is exact, so this ends."""
        chosen = [number for number in part if number in self._explored.decisions]
        self._chosen_answers.update(dict.fromkeys(chosen, 0))
        while True:
            self._state_values.update(self._evaluate_policy(part))
            if not (self._improve_answers(chosen, -1) or self._improve_answers(chosen, 1)):
                break
        policy_before = {number: self._chosen_answers[number] for number in chosen}
        self._chosen_answers.update({number: self._best_answer_place(number) for number in chosen})
        if self._endless_value is not None and self._evaluate_policy(part) != {
            number: self._state_values[number] for number in part
        }:
            self._chosen_answers.update(policy_before)

    def _improve_answers(self, chosen: Sequence[int], side: int) -> bool:
        better = {
            number: best
            for number in chosen
            if self._player_sign(number) == side
            and self._answer_value(number, best := self._best_answer_place(number)) != self._state_values[number]
        }
        self._chosen_answers.update(better)
        return bool(better)

    def _evaluate_policy(self, part: Sequence[int]) -> dict[int, Fraction]:
        equations = {number: self._linear_equation(number, set(part)) for number in part}
        coefficients = {number: terms for number, (_, terms) in equations.items()}
        constants = {number: fixed for number, (fixed, _) in equations.items()}
        return solve_equations(coefficients, constants, self._endless_value)

    def _linear_equation(self, number: int, part: set[int]) -> _AffineValue:
        choice = self._explored.decisions.get(number)
        transitions = (
            self._explored.transitions[number]
            if choice is None
            else ((Fraction(1), choice.successors[self._chosen_answers[number]]),)
        )
        fixed = sum(
            (item * self._state_values[successor] for item, successor in transitions if successor not in part),
            Fraction(0),
        )
        return fixed, {successor: item for item, successor in transitions if successor in part}

    def _best_answer_place(self, number: int) -> int:
        successors, side = self._explored.decisions[number].successors, self._player_sign(number)
        return max(range(len(successors)), key=lambda place: side * self._state_values[successors[place]])

    def _answer_value(self, number: int, place: int) -> Fraction:
        return self._state_values[self._explored.decisions[number].successors[place]]

    def _player_sign(self, number: int) -> int:
        return self._player_signs[self._explored.decisions[number].player]


_NO_VALUE_CODE, _UNRELATED_OBJECTIVES_CODE, _UNSOLVED_CODE = "RW1127", "RW1128", "RW1130"

EndValues = Mapping[int, tuple[Value, ...]]
"""Value of every measure, by the state number of an end."""


@dataclass(frozen=True, slots=True)
class OptimalValue:
    """Expected value of a play for a player under optimal play."""

    player: int  # number
    measure: AskedMeasure  # that the player maximizes
    low: Fraction
    high: Fraction  # differs from `low` where states were left unexplored


class NoBestPlayError(Exception):
    """Optimal play cannot be computed."""

    def __init__(self, diagnostic: Diagnostic, *, is_unknown: bool = False) -> None:
        super().__init__()
        self.finding = diagnostic
        self.is_limit_hit = is_unknown  # whether more states might do


def _make_no_best_play_error(code: str, message: str, remedy: str, *, is_unknown: bool = False) -> NoBestPlayError:
    return NoBestPlayError(Diagnostic(code, Severity.ERROR, message, help=remedy), is_unknown=is_unknown)


@dataclass(frozen=True, slots=True)
class _PlayerObjective:
    """Objective of a player as `sign` (1 or -1) times that of the first player plus `offset`."""

    player: int
    measure: AskedMeasure
    sign: int
    offset: Fraction


@dataclass(frozen=True, slots=True)
class BestPlayOutlook:
    """Optimal play between two bounds for everything unknown."""

    lower: SolvedGame  # unknown values as low as possible
    upper: SolvedGame  # unknown values as high as possible
    objectives: tuple[_PlayerObjective, ...]
    fault_states: frozenset[int]  # ends by a fault
    always_ends: bool  # whether every state is worth at least the lowest value of an end
    # by player 1 or -1: wants what the first player wants, or the opposite
    player_signs: Mapping[int, int]

    def optimal_values_at(self, state: int) -> tuple[OptimalValue, ...]:
        """Expected value for each player from a state on."""
        low, high = self.lower.state_values[state], self.upper.state_values[state]
        return tuple(
            OptimalValue(
                objective.player,
                objective.measure,
                *sorted((objective.sign * low + objective.offset, objective.sign * high + objective.offset)),
            )
            for objective in self.objectives
        )

    def is_certain(self, explored: ExploredStates, state: int) -> bool:
        """Whether both bounds agree on value and policy in all states that optimal play reaches from one."""
        least, most = self.lower, self.upper
        return all(
            least.state_values[item] == most.state_values[item]
            and least.chosen_answers.get(item) == most.chosen_answers.get(item)
            for part in find_strong_components(least.induce_chain(explored), state)
            for item in part
        )

    def certain_transitions(self, explored: ExploredStates) -> tuple[Transitions, ...]:
        """Markov chain under optimal play, cut at decisions of which the best answer is unknown."""
        transitions = list(self.lower.induce_chain(explored))
        sides = self.player_signs
        for number, choice in explored.decisions.items():
            at, side = self.lower.chosen_answers[number], sides[choice.player]
            low, high = (self.lower, self.upper) if side > 0 else (self.upper, self.lower)
            chosen_value = side * low.state_values[choice.successors[at]]
            if any(
                chosen_value < side * high.state_values[successor]
                for place, successor in enumerate(choice.successors)
                if place != at
            ):
                transitions[number] = ()
        return tuple(transitions)

    def may_meet_fault(self, explored: ExploredStates, state: int) -> bool:
        """Whether optimal play from a state on may end by a fault, whose value is unknown."""
        plays = (self.lower, self.upper) if self.fault_states else ()
        return any(
            not self.fault_states.isdisjoint(compute_absorption(play.induce_chain(explored), state).ends)
            for play in plays
        )


def solve_objectives(
    play: MeasuredPlay, explored: ExploredStates, values: EndValues, *, is_endless: bool = False
) -> BestPlayOutlook:
    """Optimal play for the objectives of a play.

    With `is_endless` loops have no bounds in these states, all who choose maximize one objective, and an endless play
    is worth less than any end.

    Raises:
        NoBestPlayError: an objective has no value somewhere (RW1127); objectives are neither equal nor opposed
            (RW1128); plays may go on for ever, or too few states were explored (RW1130).
    """
    if not is_endless and find_endless_states(explored):
        message = "players can go on for ever, so not every play has a value"
        raise _make_no_best_play_error(_UNSOLVED_CODE, message, "bound the loop in the rules: `at most N`")
    wanted = {
        player: _objective_values(play.measures[number], number, values) for player, number in play.objectives.items()
    }
    first = next(iter(wanted.values()))
    is_cut = any(
        not transition and number not in explored.decisions and number not in explored.ends
        for number, transition in enumerate(explored.transitions)
    )
    wishes = tuple(_relate_objective(play, player, mapping, first, is_cut=is_cut) for player, mapping in wanted.items())
    sides = {wish.player: wish.sign for wish in wishes} | dict.fromkeys(play.minimizing_players, -1)
    return _solve_between_bounds(wishes, explored, first, sides, is_endless=is_endless)


_ObjectiveValues = Mapping[int, Fraction]
"""Value of an objective by the state number of an end."""


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
    play: MeasuredPlay, player: int, values: _ObjectiveValues, first: _ObjectiveValues, *, is_cut: bool
) -> _PlayerObjective:
    measure, of_first = play.measures[play.objectives[player]], play.measures[next(iter(play.objectives.values()))]
    by_text = _compare_objective_texts(measure.text.strip(), of_first.text.strip())
    if is_cut and by_text:
        return _PlayerObjective(player, measure, by_text, Fraction(0))
    if is_cut:
        message = "too few moments were followed to know whether players want the same or the opposite"
        raise _make_no_best_play_error(_UNSOLVED_CODE, message, "`--most N` follows more of them", is_unknown=True)
    for side in (1, -1):
        more = {values[end] - side * worth for end, worth in first.items()}
        if len(more) <= 1:
            return _PlayerObjective(player, measure, side, next(iter(more), Fraction(0)))
    message = "players want neither the same nor the opposite, so it is not known what they expect of each other"
    remedy = "give one of them a policy, `--policy PLAYER=first`, or objectives that add up to the same at every end"
    raise _make_no_best_play_error(_UNRELATED_OBJECTIVES_CODE, message, remedy)


def _compare_objective_texts(text: str, first: str) -> int:
    """1 for equal texts, -1 where one is the other after a `-`, else 0."""
    if text == first:
        return 1
    shorter, longer = sorted((text, first), key=len)
    return -1 if _NAME_PATTERN.fullmatch(shorter) and longer.replace(" ", "") == f"-{shorter}" else 0


_NAME_PATTERN = re.compile(r"[A-Za-z_][\w.]*")


def _solve_between_bounds(
    wishes: tuple[_PlayerObjective, ...],
    explored: ExploredStates,
    ends: _ObjectiveValues,
    sides: Mapping[int, int],
    *,
    is_endless: bool,
) -> BestPlayOutlook:
    measure = wishes[0].measure
    terminal = [
        number
        for number, transition in enumerate(explored.transitions)
        if not transition and number not in explored.decisions
    ]
    faulty = {number for number in terminal if number in explored.ends and not isinstance(explored.ends[number], Ended)}
    beyond = {number for number in terminal if number not in explored.ends}
    bounds = measure.bounds or (None if beyond or not ends else (min(ends.values()), max(ends.values())))
    if bounds is None:
        message = "too few moments were followed to work out best play"
        raise _make_no_best_play_error(_UNSOLVED_CODE, message, "`--most N` follows more of them", is_unknown=True)
    low, high = bounds
    never = low - 1 if is_endless else None
    opposed = -1 in sides.values()
    least = solve_by_policy_iteration(explored, {**ends, **dict.fromkeys(faulty | beyond, low)}, sides, never)
    if faulty and not opposed and _can_reach_any(least, explored, faulty):
        # the same worth without a fault, where there are equal answers
        other = solve_by_policy_iteration(
            explored, {**ends, **dict.fromkeys(beyond, low), **dict.fromkeys(faulty, low - 1)}, sides, never
        )
        least = (
            least
            if _can_reach_any(other, explored, faulty) or other.state_values[0] != least.state_values[0]
            else other
        )
    bound = {item for item in faulty if is_loop_bound_end(explored.ends[item])}
    # what goes on at the bound of a loop may be worth anything; another fault counts as the least, as it is refused
    unknown = beyond | (faulty if opposed else bound if _can_reach_any(least, explored, bound) else set())
    good = dict.fromkeys(faulty, low) | dict.fromkeys(unknown, high)
    most = solve_by_policy_iteration(explored, {**ends, **good}, sides, never) if unknown else least
    always_ends = all(state_value >= low for state_value in least.state_values.values())
    return BestPlayOutlook(least, most, wishes, frozenset(faulty), always_ends, sides)


def _can_reach_any(best: SolvedGame, explored: ExploredStates, moments: AbstractSet[int]) -> bool:
    return bool(moments) and not moments.isdisjoint(compute_absorption(best.induce_chain(explored)).ends)


def refuse_fault_ends(outlook: BestPlayOutlook, explored: ExploredStates) -> None:
    """Refuses optimal play that ends by a fault, except at the bound of a loop, which only widens the bounds.

    Raises:
        NoBestPlayError: a fault is reachable under optimal play (RW1130).
    """
    met = sorted(state for state in outlook.fault_states if not is_loop_bound_end(explored.ends[state]))
    plays = (outlook.lower, outlook.upper)
    if any(_can_reach_any(play, explored, frozenset(met)) for play in plays):
        over = explored.ends[met[0]]
        why = f"{over.code}: {over.message}" if isinstance(over, Faulted) else "the procedure cannot begin"
        message = f"best play meets an end whose value is not known: {make_visible(why)}"
        raise _make_no_best_play_error(
            _UNSOLVED_CODE, message, "mend the rules there, or begin where no play reaches it"
        )


@dataclass(frozen=True, slots=True)
class SolvedPlay:
    """Optimal play in the states explored for it."""

    explored: ExploredStates
    end_values: EndValues
    outlook: BestPlayOutlook
    error_share: Fraction = Fraction(0)  # as in `PlayOdds`


def find_best_play(  # noqa: PLR0913, PLR0917
    play: MeasuredPlay,
    answers: PlayAnswerer,
    start: Run,
    max_states: int,
    on_progress: ProgressCallback,
    from_: Callable[[ExploredStates], Iterable[int]] = lambda _: (0,),
) -> SolvedPlay:
    """Optimal play, explored until it is certain in the states `from_`, or up to the limit.

    Where all who choose maximize one measure, loops that promise many rounds have no bounds if optimal play hardly ever
    reaches them (`LoopRoundObserver`): no play is then worth more with bounds than without.

    All states are explored at once where a script answers, of which unused lines are reported, where the measure has no
    bounds, and where two players have objectives, whose relation is known only when all ends are.

    Raises as `compute_odds`.
    """
    (number, *others) = play.objectives.values()
    whole = others or play.measures[number].bounds is None or (answers.script is not None and answers.at_fork is None)
    first = max_states if whole else _FIRST_STATE_COUNT
    if not others and not play.minimizing_players and isinstance(start.outcome, Paused) and start.has_many_round_loops:
        rounds = LoopRoundObserver()
        best = _first_certain_solution(
            play,
            explore_incrementally(start.fork(), answers, first, max_states, on_progress, rounds),
            from_,
            is_endless=True,
        )
        transitions = best.outlook.lower.induce_chain(best.explored)
        beyond = max(rounds.estimate_share_at_bound(best.explored, transitions, item) for item in from_(best.explored))
        if beyond <= NEGLIGIBLE_SHARE and best.outlook.always_ends:
            return replace(best, error_share=beyond)
    return _first_certain_solution(
        play, explore_incrementally(start, answers, first, max_states, on_progress), from_, is_endless=False
    )


def _first_certain_solution(
    play: MeasuredPlay,
    more: Iterator[ExploredStates],
    from_: Callable[[ExploredStates], Iterable[int]],
    *,
    is_endless: bool,
) -> SolvedPlay:
    for result in more:
        values = measure_ends(play, result)
        outlook = solve_objectives(play, result, values, is_endless=is_endless)
        if all(outlook.is_certain(result, item) for item in from_(result)):
            break
    return SolvedPlay(result, values, outlook)


_FIRST_STATE_COUNT = 2_000
"""States after which certainty of best play is first examined; chosen."""


def measure_ends(play: MeasuredPlay, explored: ExploredStates) -> EndValues:
    """Value of every measure at each end."""
    return {
        number: play.evaluate_measures(end, explored.event_counts[number])
        for number, end in explored.ends.items()
        if isinstance(end, Ended)
    }


@dataclass(frozen=True, slots=True)
class AdvisedAnswer:
    """Expected value of an answer, if everyone plays optimally afterwards."""

    answer: Value
    low: Fraction
    high: Fraction  # differs from `low` where states were left unexplored
    may_meet_fault: bool  # a fault has no known value


@dataclass(frozen=True, slots=True)
class AnswerAdvice:
    """A question and the expected value of each answer for the player asked."""

    request: Request
    player: int  # number
    measure: AskedMeasure  # that the player maximizes
    answers: tuple[AdvisedAnswer, ...]  # in the order of the question
    state_count: int  # explored

    @property
    def has_open_bounds(self) -> bool:
        """Whether some values are known between bounds only."""
        return any(answer.low != answer.high for answer in self.answers)

    def is_best(self, answer: AdvisedAnswer) -> bool:
        """Whether no other answer can be worth more."""
        return not answer.may_meet_fault and all(
            answer.low >= advised_answer.high for advised_answer in self.answers if advised_answer is not answer
        )


class NothingToDecideError(Exception):
    """No player who wants something decides next: dice or others come first, or the play is over."""

    def __init__(self, paused: Paused | None) -> None:
        super().__init__()
        self.paused = paused  # None where the play is over


def evaluate_answers(
    play: MeasuredPlay, answers: PlayAnswerer, start: Run, max_states: int, on_progress: ProgressCallback
) -> AnswerAdvice:
    """Expected value of each answer to the first question of a player with an objective.

    Args:
        play: has objectives.
        answers: who answers before and after.
        start: where the play stands; it is advanced.
        max_states: number of states after which no more are expanded.
        on_progress: receives the progress.

    Raises:
        NothingToDecideError: what comes before that question can go several ways.
        UndecidedError, HiddenInformationError, NoBestPlayError, TooManyOutcomesError: as `compute_odds`.
    """
    memory = answers.initial_memory
    while True:
        if not isinstance(start.outcome, Paused):
            raise NothingToDecideError(None)
        fork = answers.enumerate_answers(start, answers.update_memory(start, memory))
        if fork.chooser is not None:
            break
        if len(fork.branches) != 1:
            raise NothingToDecideError(start.outcome)
        memory = fork.branches[0].memory
        start.reply(fork.branches[0].answer)
    request = start.outcome.request
    best = find_best_play(
        play,
        answers.with_memory(memory),
        start,
        max_states,
        on_progress,
        lambda explored: explored.decisions[0].successors,
    )
    explored, outlook = best.explored, best.outlook
    choice = explored.decisions[0]
    place = [*play.objectives].index(choice.player) if choice.player in play.objectives else None
    if place is None:
        raise NothingToDecideError(None)
    worth = [outlook.optimal_values_at(successor)[place] for successor in choice.successors]
    faulty = [outlook.may_meet_fault(explored, successor) for successor in choice.successors]
    advised = (
        AdvisedAnswer(answer, optimal_value.low, optimal_value.high, meets)
        for answer, optimal_value, meets in zip(choice.answers, worth, faulty, strict=True)
    )
    return AnswerAdvice(request, choice.player, worth[0].measure, tuple(advised), len(explored.transitions))


def resume_from_session(
    play: MeasuredPlay, session: Session, known: Sequence[str] = ()
) -> tuple[Run, tuple[HiddenFact, ...]]:
    """A run at the point of a session, and the facts hidden from players there.

    Everyone knows the contents of bags and decks named in `known`. The order of shuffled decks is open.
    """
    start = play.start
    run = Run.begin(start.executable, start.situation, start.procedure.name, start.arguments, start.limits)
    unseen = find_hidden_at_start(start.executable, start.procedure, start.situation, known)
    for turn in session.turns:
        unseen = _skip_concealed_draws(run, unseen)
        assert isinstance(run.outcome, Paused)
        unseen = update_hidden_facts(unseen, run.outcome.entries)
        question, value = run.make_question(), turn.answer.value
        added = find_hidden_answer(question)
        if added is not None and not find_only_answer(run.outcome.request):
            unseen = (*unseen, added)
        if question.sort == "shuffle" and added is None:
            run.reply(make_partly_shuffled(tuple(value), len(value)))  # type: ignore[arg-type]
        else:
            run.outcome.take_answer(value)
    return run, _skip_concealed_draws(run, unseen)


def _skip_concealed_draws(run: Run, unseen: tuple[HiddenFact, ...]) -> tuple[HiddenFact, ...]:
    """Draws the top cards, for which a session never stops; returns the facts still hidden."""
    while isinstance(run.outcome, Paused):
        question = run.make_question()
        if question.sort != "draw" or not isinstance(question.data, PartlyShuffledDeck):
            break
        unseen = update_hidden_facts(unseen, run.outcome.entries)
        run.reply(question.data[0])
    return unseen
