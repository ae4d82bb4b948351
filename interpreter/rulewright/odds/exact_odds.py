"""Exact outcome distributions of a play: choice of the method, accumulation of ends, and why odds are unknown."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from math import lcm, prod
from typing import Any, NamedTuple

from rulewright.base.diagnostics import Diagnostic, make_visible
from rulewright.base.frozen import dataclass
from rulewright.documents.answer_scripts import (
    ForcedAnswer,
    ScriptLine,
    check_forced_answer,
    report_untaken,
    request_names,
)
from rulewright.documents.document_nodes import MapKey
from rulewright.odds.answerers import AnswererMemory, AnswerFork, PlayAnswerer, UndecidedError
from rulewright.odds.best_play_solver import (
    EndValues,
    OptimalValue,
    find_best_play,
    measure_ends,
    refuse_fault_ends,
)
from rulewright.odds.end_measures import AskedMeasure, EndMeasurer, MeasuredPlay
from rulewright.odds.event_counting import (
    UncountableError,
    compute_mean_counts,
    evaluate_mean,
    find_asked_events,
    find_sufficient_limits,
    split_states_by_counts,
)
from rulewright.odds.hidden_information import HiddenInformationError
from rulewright.odds.kernel.enumeration_cache import EnumerationCache
from rulewright.odds.likelihood_formats import format_large_number, format_mean
from rulewright.odds.markov_chain import Transitions, compute_absorption
from rulewright.odds.measure_syntax import drop_excluded_plays
from rulewright.odds.state_exploration import (
    NEGLIGIBLE_SHARE,
    ExploredStates,
    LoopExploration,
    ProgressCallback,
    explore_states,
    explore_without_loop_bounds,
)
from rulewright.odds.symbolic_exploration import CannotMergeError, MergingExplorer
from rulewright.play.answer_sources import DECISION_SORTS, MAX_JUDGED_ANSWERS
from rulewright.play.session import PlayStart
from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from rulewright.runtime.faults import NeedsExternalValue
from rulewright.runtime.pending_question import find_only_answer
from rulewright.runtime.pool_builder import MAX_TRUNCATED_PROBABILITY, PoolBuilder
from rulewright.runtime.random_values import RandomValue, joint_weights
from rulewright.runtime.request import Ended, Faulted, RefusalReason, Refused
from rulewright.runtime.run import Paused, Run
from rulewright.runtime.symbolic_pool import NeedsIndividualDiceError, NewSumQueryError
from rulewright.runtime.values import Value
from rulewright.wording.entry_rendering import render_reason

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class OutcomeDistribution:
    """Distribution of a measure over the ends of a play, values in order; None stands for no value."""

    measure: AskedMeasure
    probabilities: Mapping[Value, Fraction]
    condition_probability: Fraction = _ONE  # lower bound of the probability of the condition (`given`)
    open_share: Fraction = _ZERO  # upper bound of what each probability may lack, from states beyond the limit
    is_cut: bool = False  # whether the highest value stands for all from there on
    known_mean: Fraction | None = None  # mean where the tail is cut, if it is known

    @property
    def mean(self) -> Fraction | None:
        """Mean of numbers; None for other values, and where some plays have no value or no end."""
        if self.is_cut:
            return self.known_mean
        if not self.measure.is_number or None in self.probabilities or sum(self.probabilities.values()) != 1:
            return None
        return sum((value * probability for value, probability in self.probabilities.items()), Fraction(0))  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class PlayOdds:
    """Outcome distributions of a play, and the plays that have none."""

    distributions: tuple[OutcomeDistribution, ...]  # by measure
    faults: Mapping[tuple[str, str], Fraction]  # probability by code and message
    never_ends: Fraction  # probability
    open_share: Fraction  # probability of states beyond the limit
    state_count: int  # distinct states explored; the number of paths if these were enumerated
    # upper bound of the probability mass that the method leaves out: loop bounds (`explore_without_loop_bounds`),
    # counts cut off (`split_states_by_counts`), explosions
    error_share: Fraction = Fraction(0)
    is_explosion_cut: bool = False  # whether that is dice that explode without limit
    is_loop_cut: bool = False  # whether that is rounds of a loop, each of which is a state of its own
    optimal_values: tuple[OptimalValue, ...] = ()  # by player who optimizes
    unused_lines: tuple[ScriptLine, ...] = ()  # of the script, where all plays were followed
    # answers of the script to rolls and draws, by address, as text
    scripted_chance: Mapping[str, str] = field(default_factory=dict)


class CannotBeginError(Exception):
    """The rules do not let the procedure begin."""

    def __init__(self, reasons: tuple[RefusalReason, ...]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


def begin_run(start: PlayStart) -> Run:
    """Run at the first request of a play, or over."""
    return Run.begin(start.executable, start.situation, start.procedure.name, start.arguments, start.limits)


def compute_odds(
    play: MeasuredPlay, answers: PlayAnswerer, max_states: int, on_progress: ProgressCallback, at: Run | None = None
) -> PlayOdds:
    """Outcome distributions of a play, by the first method that applies.

    Args:
        play: start and measures.
        answers: who answers.
        max_states: number of states after which no more are expanded.
        on_progress: receives the progress.
        at: where the play stands; its beginning by default.

    Raises:
        CannotBeginError: the procedure cannot begin.
        UndecidedError: nobody answers something.
        HiddenInformationError: best play would depend on what its player cannot see.
        NoBestPlayError: best play cannot be computed.
        UndefinedConditionError: a condition has no value at some end.
        TooManyOutcomesError: one roll or draw has too many outcomes to enumerate; `UncountableError` is one.
    """
    if answers.script is not None and answers.used_line_ids is None and answers.at_fork is None:
        line_ids, chance = set[int](), dict[str, str]()
        result = compute_odds(
            play, replace(answers, used_line_ids=line_ids, scripted_chance=chance), max_states, on_progress, at
        )
        result = replace(result, scripted_chance=chance)
        unused = tuple(line for line in answers.script.lines if id(line) not in line_ids)
        return (
            result
            if result.open_share or (result.error_share and not result.is_explosion_cut)
            else replace(result, unused_lines=unused)
        )
    enumeration = None if at is not None or play.objectives else EnumerationCache.find_or_create(play, answers)
    enumerated = None if enumeration is None else enumeration.enumerate_odds(play)
    if enumerated is not None:
        return _odds_from_enumeration(play, *enumerated)
    start = _fork_or_begin(play, at)
    if isinstance(start.outcome, Refused):
        raise CannotBeginError(start.outcome.reasons)
    if play.objectives:
        best = find_best_play(play, answers, start, max_states, on_progress)
        refuse_fault_ends(best.outlook, best.explored)
        result = _accumulate_odds(play, best.explored, best.end_values, best.outlook.certain_transitions(best.explored))
        return replace(result, optimal_values=best.outlook.optimal_values_at(0), error_share=best.error_share)
    if play.counted_events:
        return _compute_counted_odds(play, answers, start, max_states, on_progress)
    merged = None if at is not None else _odds_by_merging(play, start, answers, max_states, on_progress)
    if merged is not None:
        if enumeration is not None:
            enumeration.add_explored_states(merged.state_count)
        return merged
    followed = explore_without_loop_bounds(start, answers, max_states, on_progress, cuts_rounds=True)
    result, error_share = _accumulate_explored(play, followed.explored), followed.error_share
    rarest = _least_condition_probability(result)
    least = NEGLIGIBLE_SHARE * rarest
    if error_share > least:
        error_share = followed.tighten_error_share(least)
    if error_share > least or (followed.is_cut and result.open_share > least):
        return _accumulate_explored(play, explore_states(_fork_or_begin(play, at), answers, max_states, on_progress))
    if not followed.is_cut:
        return replace(result, error_share=_round_share_up(error_share / rarest))
    return replace(
        result,
        distributions=tuple(replace(distribution, open_share=_ZERO) for distribution in result.distributions),
        open_share=_ZERO,
        error_share=2 * NEGLIGIBLE_SHARE if error_share else NEGLIGIBLE_SHARE,
        is_loop_cut=True,
    )


def _accumulate_explored(play: MeasuredPlay, explored: ExploredStates) -> PlayOdds:
    return _accumulate_odds(play, explored, measure_ends(play, explored), explored.transitions)


def _round_share_up(share: Fraction) -> Fraction:
    """The next unit fraction from above."""
    return Fraction(1, int(1 / share)) if share else share


def _least_condition_probability(odds: PlayOdds) -> Fraction:
    return min([distribution.condition_probability or _ONE for distribution in odds.distributions], default=_ONE)


def _compute_counted_odds(
    play: MeasuredPlay, answers: PlayAnswerer, start: Run, max_states: int, on_progress: ProgressCallback
) -> PlayOdds:
    """Odds with counted events: one unfolded chain for each set of events that measures ask for.

    Raises:
        UncountableError: events are too frequent, or the condition is too rare.
    """
    followed = explore_without_loop_bounds(start, answers.counting_by_step, max_states, on_progress)
    measures_by_events: dict[frozenset[int], list[int]] = {}
    for number in range(play.reported_count):
        measures_by_events.setdefault(find_asked_events(play.with_measures((number,))), []).append(number)
    mapping: dict[int, OutcomeDistribution] = {}
    whole: list[PlayOdds] = []
    for numbers in measures_by_events.values():
        odds = _odds_of_equal_counts(play.with_measures(numbers), followed, max_states)
        whole.append(odds)
        for number, distribution in zip(numbers, odds.distributions, strict=True):
            mapping[number] = replace(distribution, measure=play.measures[number])
    least = min(whole, key=lambda play_odds: play_odds.open_share)
    beyond, open_ = max(play_odds.error_share for play_odds in whole), max(play_odds.open_share for play_odds in whole)
    distributions = tuple(mapping[number] for number in range(play.reported_count))
    return replace(
        least,
        distributions=distributions,
        state_count=len(followed.explored.transitions),
        error_share=beyond,
        open_share=open_,
    )


def _odds_of_equal_counts(play: MeasuredPlay, followed: LoopExploration, room: int) -> PlayOdds:
    share, beyond = NEGLIGIBLE_SHARE, followed.error_share
    for _ in range(_MAX_COUNT_ATTEMPTS):
        counted = split_states_by_counts(followed.explored, find_sufficient_limits(play), room, share)
        if counted is None:
            raise UncountableError(*_explain_too_many_counts(play, followed.explored))
        odds = _accumulate_odds(
            play, counted.explored, measure_ends(play, counted.explored), counted.explored.transitions
        )
        rarest = _least_condition_probability(odds)
        left_out = (beyond + (share if counted.cut_share else _ZERO)) / rarest
        if left_out <= _MAX_LEFT_OUT_SHARE:
            break
        share = NEGLIGIBLE_SHARE * rarest
        beyond = followed.tighten_error_share(share)
    else:
        raise UncountableError(*_explain_rare_condition(play, rarest))
    if counted.cut_share:
        known = not (odds.open_share or odds.never_ends or odds.faults)
        means = compute_mean_counts(followed.explored, len(play.counted_events)) if known else ()
        cut = [
            _mark_cut_distribution(play, number, distribution, means)
            for number, distribution in enumerate(odds.distributions)
        ]
        odds = replace(odds, distributions=tuple(cut))
    return replace(odds, error_share=_round_share_up(left_out))


_MAX_COUNT_ATTEMPTS = 2
"""Attempts to count; the second goes further, once the probability of the rarest condition is known."""
_MAX_LEFT_OUT_SHARE = 1000 * NEGLIGIBLE_SHARE
"""Share of the plays that fulfil the condition that may be left out."""


def _explain_too_many_counts(play: MeasuredPlay, explored: ExploredStates) -> tuple[str, str]:
    """Reason and remedy."""
    means = compute_mean_counts(explored, len(play.counted_events))
    event_numbers = sorted(find_asked_events(play))
    several = " and ".join(f"`{make_visible(str(play.counted_events[item]))}`" for item in event_numbers)
    one = f"`{make_visible(str(play.counted_events[event_numbers[0]]))}`"
    known = [
        f"`{make_visible(str(play.counted_events[item]))}` is {format_mean(means[item])} on average"
        for item in event_numbers
        if means
    ]
    message = f"{several} can be more different numbers than are counted"
    return message, "; ".join((f"ask how likely more than a number is, such as {one[:-1]} > 9`", *known))


def _explain_rare_condition(play: MeasuredPlay, share: Fraction) -> tuple[str, str]:
    """Reason and remedy."""
    condition = make_visible(" and ".join(play.conditions))
    message = f"`{condition}` holds in fewer than 1 play in {format_large_number(int(1 / share))}, and plays left out may be among them"
    return message, "ask for plays that come more often, or lower the bound of the loop: all plays are followed to it"


def _mark_cut_distribution(
    play: MeasuredPlay, number: int, distribution: OutcomeDistribution, means: Sequence[Fraction]
) -> OutcomeDistribution:
    if not any(argument_list.event_number is not None for argument_list in play.argument_lists[number]):
        return distribution
    expression = play.start.executable.program.measures[play.measure_names[number]].value
    mean = evaluate_mean(expression, means) if means and distribution.measure.condition_number is None else None
    return replace(distribution, is_cut=True, known_mean=mean)


def _fork_or_begin(play: MeasuredPlay, at: Run | None) -> Run:
    if at is None:
        return begin_run(play.start)
    return _fork_if_live(at)


def _fork_if_live(run: Run) -> Run:
    return run.fork() if isinstance(run.outcome, Paused) else run


def _odds_from_enumeration(
    play: MeasuredPlay, probabilities: Sequence[Mapping[Value, Fraction]], path_count: int
) -> PlayOdds:
    distributions = [_build_distribution(*item, _ZERO) for item in zip(play.measures, probabilities, strict=False)]
    return PlayOdds(tuple(distributions[: play.reported_count]), {}, _ZERO, _ZERO, path_count)


def _odds_by_merging(
    play: MeasuredPlay, start: Run, answers: PlayAnswerer, max_states: int, on_progress: ProgressCallback
) -> PlayOdds | None:
    """Odds by symbolic exploration; None where plays cannot be merged.

    Where dice explode without limit, at several truncation depths.
    """
    if (
        start.executable.traced
        or not answers.allows_merging
        or not isinstance(start.outcome, Paused)
        or start.has_many_round_loops
    ):
        return None
    found: list[_MergedOdds] = []
    while True:
        result = _follow_merged(play, start, answers, max_states, on_progress, PoolBuilder(len(found)))
        if result is None or (found and result.sums.truncated_rolls != found[0].sums.truncated_rolls):
            return None
        found.append(result)
        odds, sums, _ = found[0]
        if not sums.truncated_rolls:
            return odds
        if sums.truncated_rolls * MAX_TRUNCATED_PROBABILITY > NEGLIGIBLE_SHARE * _least_condition_probability(odds):
            return None
        if len(found) not in _EXPLOSION_DEPTHS:
            continue
        depths = zip(*[item.odds.distributions for item in found], strict=True)
        whole = tuple([extrapolate_explosions(item, sums.explosion_rates) for item in depths])
        is_done = len(found) == _EXPLOSION_DEPTHS[-1] or sum([item.steps for item in found]) > _MAX_EXTRAPOLATION_STEPS
        if is_done or not any(
            _may_be_known_deeper(*item) for item in zip(whole, result.odds.distributions, strict=True)
        ):
            return replace(odds, distributions=whole, error_share=NEGLIGIBLE_SHARE, is_explosion_cut=True)


_EXPLOSION_DEPTHS = 3, 5, 10
"""Numbers of truncation depths that are compared where dice explode without limit; chosen."""
_MAX_EXTRAPOLATION_STEPS = 200_000
"""Steps of all depths from which on no more are tried; chosen, to bound time."""


_MAX_ROOT_DEGREE, _MAX_ROOT_SETS = 6, 2_000
"""Rates that are multiplied to a root, and sets of roots that are tried; chosen: two sums of three dice need the sixth."""


class _MergedOdds(NamedTuple):
    """What one symbolic exploration came to."""

    odds: PlayOdds
    sums: PoolBuilder
    steps: int


def _follow_merged(  # noqa: PLR0913, PLR0917
    play: MeasuredPlay,
    start: Run,
    answers: PlayAnswerer,
    max_states: int,
    on_progress: ProgressCallback,
    sums: PoolBuilder,
) -> _MergedOdds | None:
    """One symbolic exploration, repeated until `sums` knows what is asked of pools of dice."""
    at_ends = EndMeasurer(play)
    while True:
        accumulator, sums.truncated_rolls = OddsAccumulator(play), 0
        following = MergingExplorer(answers, max_states, on_progress, accumulator, sums, at_ends)
        try:
            following.explore_to_ends(start)
        except NewSumQueryError:
            continue
        except NeedsIndividualDiceError:
            if sums.distinguishes_dice:
                return None
            sums.distinguishes_dice = True
            continue
        except (CannotMergeError, UndecidedError, HiddenInformationError, TooManyOutcomesError, NeedsExternalValue):
            return None
        return _MergedOdds(accumulator.build_odds(following.state_count), sums, following.step_count)


def extrapolate_explosions(
    distributions: Sequence[OutcomeDistribution], rates: Collection[Fraction]
) -> OutcomeDistribution:
    """Distribution with unlimited explosions, from the distributions at some truncation depths.

    A probability is known exactly where it approaches its limit by geometric terms of the `rates` and their products,
    times polynomials of the depth. Otherwise values that hardly any play reaches are joined and marked as cut.
    """
    first, *others = distributions
    if all(other.probabilities == first.probabilities for other in others):
        return first
    powers = (combinations_with_replacement(rates, degree) for degree in range(1, _MAX_ROOT_DEGREE + 1))
    roots = sorted({prod(factors, start=_ONE) for several in powers for factors in several}, reverse=True)
    if all(other.probabilities.keys() == first.probabilities.keys() for other in others):
        condition = _find_limit([item.condition_probability for item in distributions], roots)
        known: dict[Value, Fraction] = {}
        for value in first.probabilities if condition is not None else ():
            limit = _find_limit(
                [item.probabilities[value] * item.condition_probability for item in distributions], roots
            )
            if limit is None:
                break
            known[value] = limit
        if condition is not None and len(known) == len(first.probabilities) and sum(known.values()) == condition:
            shares = {value: limit / condition for value, limit in known.items()}
            return replace(first, probabilities=shares, condition_probability=condition)
    means = [item.mean for item in distributions if item.mean is not None]
    expected = (
        _find_limit(means, roots)
        if len(means) == len(distributions) and first.measure.condition_number is None
        else None
    )
    return replace(first, probabilities=_join_negligible_tail(first), is_cut=True, known_mean=expected)


def _may_be_known_deeper(distribution: OutcomeDistribution, deepest: OutcomeDistribution) -> bool:
    """Whether more depths may tell all probabilities, or the mean."""
    if not distribution.is_cut or distribution.known_mean is not None:
        return False
    return deepest.mean is not None or distribution.probabilities.keys() == deepest.probabilities.keys()


def _find_limit(terms: Sequence[Fraction], roots: Sequence[Fraction]) -> Fraction | None:
    """Limit of a constant plus geometric sequences of some of the `roots`, a root once more for each power of the index.

    A combination of neighbours takes one such sequence away and leaves the constant (Richardson 1911); of two terms or
    more that are left, all have to be the limit.
    """
    waiting = deque([(terms, 0)])
    for _ in range(_MAX_ROOT_SETS):
        if not waiting:
            break
        left, first = waiting.popleft()
        if left.count(left[0]) == len(left):
            return left[0]
        for at in range(first, len(roots)) if len(left) > 2 else ():  # noqa: PLR2004 - two are left
            root = roots[at]
            waiting.append(([(after - root * before) / (1 - root) for before, after in pairwise(left)], at))
    return None


def _join_negligible_tail(distribution: OutcomeDistribution) -> Mapping[Value, Fraction]:
    """Probabilities with the highest numbers joined as far as together they are negligible."""
    if not distribution.measure.is_number or None in distribution.probabilities:
        return distribution.probabilities
    remaining, beyond = [*distribution.probabilities.items()], _ZERO
    while remaining and beyond + remaining[-1][1] <= NEGLIGIBLE_SHARE:
        least, share = remaining.pop()
        beyond += share
    return {**dict(remaining), least: beyond} if beyond else distribution.probabilities


class OddsAccumulator:
    """Sum of the ends of plays: weights by value as numerators by denominator."""

    def __init__(self, play: MeasuredPlay) -> None:
        self._play = play
        # by value, how often by of how many times
        self._weights: tuple[dict[Value, dict[int, int]], ...] = tuple({} for _ in range(play.reported_count))
        self._faults: dict[tuple[str, str], Fraction] = {}

    def add_result(self, values: Sequence[Any], probability: Fraction) -> None:
        """Adds an end with the value of each measure, which may be random.

        Raises:
            NeedsConcreteValue: a part of a value is random; then nothing was added.
        """
        often, of = probability.as_integer_ratio()
        for result, (value_weights, times) in zip(
            self._weights, [_count_values(value) for value in values], strict=False
        ):
            for item, many in value_weights.items():
                shares = result.setdefault(item, {})
                shares[times * of] = shares.get(times * of, 0) + often * many

    def add_failed_end(self, over: Faulted | Refused, probability: Fraction) -> None:
        why = _describe_failed_end(over, self._play.start)
        self._faults[why] = self._faults.get(why, Fraction(0)) + probability

    def build_odds(self, moments: int, never: Fraction = _ZERO, open_: Fraction = _ZERO) -> PlayOdds:
        result = [{value: _sum_fractions(shares) for value, shares in of.items()} for of in self._weights]
        weighted_measures = zip(self._play.measures, result, strict=False)
        return PlayOdds(
            tuple(_build_distribution(*item, open_) for item in weighted_measures), self._faults, never, open_, moments
        )


def _build_distribution(
    measure: AskedMeasure, probabilities: Mapping[Value, Fraction], open_: Fraction
) -> OutcomeDistribution:
    """Distribution under the condition of the measure."""
    if measure.condition_number is None:
        return OutcomeDistribution(measure, _sort_distribution(probabilities), open_share=open_)
    given_weights = drop_excluded_plays(probabilities)
    given = sum(given_weights.values(), _ZERO)
    most = given + open_
    shares = {value: item / most for value, item in given_weights.items()}
    return OutcomeDistribution(measure, _sort_distribution(shares), given, open_ / most if most else _ZERO)


def _sum_fractions(shares: Mapping[int, int]) -> Fraction:
    """Sum of fractions given as numerators by denominator."""
    of = lcm(*shares)
    return Fraction(sum([many * (of // times) for times, many in shares.items()]), of)


def _count_values(value: Any) -> tuple[dict[Value, int], int]:
    """Weight of each value, and the sum of the weights."""
    if not isinstance(value, RandomValue):
        return {value: 1}, 1
    weights = joint_weights(value.variables)
    weights_by_value: dict[Value, int] = {}
    for item, many in zip(value.values, weights, strict=True):
        weights_by_value[item] = weights_by_value.get(item, 0) + many
    return weights_by_value, sum(weights)


def _accumulate_odds(
    play: MeasuredPlay, explored: ExploredStates, values: EndValues, transitions: Sequence[Transitions]
) -> PlayOdds:
    absorption, accumulator, open_ = compute_absorption(transitions), OddsAccumulator(play), _ZERO
    for number, share in absorption.ends.items():
        match explored.ends.get(number):
            case Ended():
                accumulator.add_result(values[number], share)
            case None:
                open_ += share
            case over:
                accumulator.add_failed_end(over, share)
    return accumulator.build_odds(len(explored.transitions), absorption.never_ends, open_)


def find_open_choices(start: PlayStart, answers: PlayAnswerer, max_states: int) -> Mapping[str, str]:
    """Prompts of what players decide, by address, as far as `max_states` states show."""
    prompts_by_address: dict[str, str] = {}

    def note_open_choice(answers: PlayAnswerer, run: Run, memory: AnswererMemory) -> AnswerFork:
        try:
            return answers.list_answers(run, memory)
        except UndecidedError as undecided:
            if undecided.findings or run.make_question().sort not in DECISION_SORTS:
                raise
            request = undecided.paused.request
            prompts_by_address.setdefault(request.address, request.prompt)
        return replace(answers, policy="random").list_answers(run, memory)

    with suppress(UndecidedError, HiddenInformationError, TooManyOutcomesError):
        explore_states(begin_run(start), replace(answers, at_fork=note_open_choice), max_states)
    return prompts_by_address


def check_unused_lines(
    play: MeasuredPlay, answers: PlayAnswerer, unused_lines: Sequence[ScriptLine]
) -> tuple[Diagnostic, ...]:
    """Findings about answers of a script that no play takes: RW0743, in an ordered script for the first only.

    RW0731 for an answer by address to a question that answers itself, where it differs.
    """
    script = answers.script
    if not unused_lines or script is None or script.is_ordered:
        return report_untaken(unused_lines, ordered=True)
    lines = [script_line for script_line in unused_lines if isinstance(script_line.place, MapKey)]
    findings_by_line_id: dict[int, Diagnostic | None] = {}  # of lines that name such a question

    def check_lines(answers: PlayAnswerer, run: Run, memory: AnswererMemory) -> AnswerFork:
        paused = run.outcome
        assert isinstance(paused, Paused)
        only = find_only_answer(paused.request)
        for line in lines if only else ():
            if line.at in request_names(paused.request):
                wrong = check_forced_answer(line, ForcedAnswer(paused, only[0]), answers.names)
                findings_by_line_id[id(line)] = findings_by_line_id.get(id(line)) or wrong
        return answers.list_answers(run, memory)

    start = begin_run(play.with_all_questions_put().start)
    try:
        explore_states(start, replace(answers, at_fork=check_lines), _MAX_FORCED_STATES)
    except (UndecidedError, HiddenInformationError, TooManyOutcomesError):
        return ()
    untaken = [script_line for script_line in unused_lines if id(script_line) not in findings_by_line_id]
    return report_untaken(untaken, ordered=False) + tuple(filter(None, findings_by_line_id.values()))


_MAX_FORCED_STATES = 2_000
"""States examined for questions that answer themselves; chosen."""


def explain_unknown_odds(error: UndecidedError | TooManyOutcomesError, *, decided: bool) -> tuple[str, str]:
    """Code and message for unknown odds; `decided` says whether somebody chooses for players.

    RW1121, nobody decides something; RW1122, something comes from elsewhere; RW1123, one roll or draw has too many
    outcomes; RW1224, an event is counted too often.
    """
    if isinstance(error, TooManyOutcomesError):
        return _explain_too_many_outcomes(error)
    request = error.paused.request
    called = f"`{make_visible(request.prompt or request.address)}`"
    if request.sort not in DECISION_SORTS:
        return "RW1122", f"no rule gives the result of {called}"
    if error.has_too_many_answers:
        return "RW1121", f"{called} has more than {MAX_JUDGED_ANSWERS:,} legal answers, too many to be followed"
    if decided:
        return "RW1121", f"{called} has no legal answer that was found"
    return "RW1121", f"the choice {called} is left open"


def _explain_too_many_outcomes(error: TooManyOutcomesError) -> tuple[str, str]:
    if isinstance(error, UncountableError):
        return "RW1224", error.reason
    where = f"`{make_visible(error.address)}`" if error.address else "a roll, draw or shuffle"
    if error.is_endless:
        return "RW1123", f"the dice of {where} explode without limit, so they can lie in ways without end"
    because = f": `{make_visible(error.because)}` looks at the order of a deck or copies one" if error.because else ""
    outcome_count = f"{format_large_number(error.count, 'more than ')} ways that make a difference, more than a million"
    return "RW1123", f"{where} can go in {outcome_count}{because}"


EXPLOSION_LIMIT_HELP = "give the explosion a limit on that line: `at most 5` in place of `without limit`"
"""Remedy for dice that explode without limit."""


def _describe_failed_end(over: Faulted | Refused, start: PlayStart) -> tuple[str, str]:
    """Code and message of a fault; for a refusal after an external has answered only its reasons."""
    if isinstance(over, Faulted):
        return over.code, over.message
    return "", "; ".join(render_reason(reason, start.names) for reason in over.reasons)


def _sort_distribution(probabilities: Mapping[Value, Fraction]) -> dict[Value, Fraction]:
    return {value: probabilities[value] for value in sort_values(probabilities)}


def sort_values(values: Iterable[Value]) -> list[Value]:
    """Numbers and flags ascending, then other values by their text, None last."""
    return sorted(values, key=_value_sort_key)


def _value_sort_key(value: Value) -> tuple[int, object]:
    if isinstance(value, bool | int | Fraction):
        return 0, value
    return (2, "") if value is None else (1, repr(value))
