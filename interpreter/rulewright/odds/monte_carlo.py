"""Monte Carlo simulation: counts of seeded plays, alone or in pairs, and confidence intervals."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import hypot, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.frozen import dataclass
from rulewright.documents.answer_scripts import AnswerScript
from rulewright.odds.answerers import PlayAnswerer, format_chance_result
from rulewright.odds.end_measures import AskedMeasure, EndMeasurer, MeasuredPlay
from rulewright.odds.exact_odds import CannotBeginError, begin_run, sort_values
from rulewright.odds.kernel.value_shapes import BatchUnsupportedError
from rulewright.odds.measure_syntax import count_events, drop_excluded_plays
from rulewright.play.answer_sources import AnswerSourceChain, InlineAnswerer
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayResult, run_to_end
from rulewright.program.types import FlagType, strip_optional
from rulewright.runtime.request import CHANCE_SORTS, Ended, Faulted, RefusalReason, Refused
from rulewright.runtime.run import Paused, Run
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value
from rulewright.runtime.working_memory import WorkingMemory

if TYPE_CHECKING:
    from rulewright.odds.kernel.wasm_kernel import SimulationKernel


CONFIDENCE_LEVEL = 0.95
"""Probability that an interval covers the true value."""
NORMAL_QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE_LEVEL) / 2)
MIN_PLAYS_FOR_MEAN = 30
"""Plays below which no interval of a mean is given."""


@dataclass(frozen=True, slots=True)
class PlayCounts:
    """Counts of the ends of some plays."""

    play_count: int
    value_counts: tuple[Mapping[Value, int], ...]  # by measure, then value
    fault_counts: Mapping[tuple[str, str], int]  # by code and message
    # numbers of the script lines that no play took; None without a play
    unused_lines: frozenset[int] | None = None

    def add_counts(self, other: "PlayCounts") -> "PlayCounts":
        values = tuple(_add_counters(*item) for item in zip(self.value_counts, other.value_counts, strict=True))
        unused_sets = [item for item in (self.unused_lines, other.unused_lines) if item is not None]
        return PlayCounts(
            self.play_count + other.play_count,
            values,
            _add_counters(self.fault_counts, other.fault_counts),
            frozenset.intersection(*unused_sets) if unused_sets else None,
        )


@dataclass(frozen=True, slots=True)
class StartCounts:
    """Counts of the plays from one start."""

    axis_values: tuple[Value, ...]  # by axis of the sweep
    play: MeasuredPlay
    counts: PlayCounts  # empty where the rules do not let it begin
    refusal_reasons: tuple[RefusalReason, ...] = ()  # why they do not
    batch_refusal: str = ""  # why the batch path does not play this; empty where it does or is not there

    def counts_of_measure(self, number: int) -> tuple[Mapping[Value, int], int]:
        """Counts of a measure by value, and the number of plays that fulfil its condition."""
        counts, plays = self.counts.value_counts[number], self.counts.play_count
        if self.play.measures[number].condition_number is None:
            return counts, plays
        counts_given = drop_excluded_plays(counts)
        return counts_given, sum(counts_given.values())


class UnansweredError(Exception):
    """A play that stops at a question that nobody answers."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics  # as `run` reports them


def make_empty_counts(measures: int) -> PlayCounts:
    """Counts of no plays."""
    return PlayCounts(0, tuple({} for _ in range(measures)), {})


def simulate_plays(play: MeasuredPlay, answers: PlayAnswerer, seed: int, plays: Sequence[int]) -> PlayCounts:
    """Counts of plays by number; a seed and a number stand for one play, whatever else is played.

    Raises:
        CannotBeginError: the procedure cannot begin.
        UndefinedConditionError: a condition has no value at some end.
        UnansweredError: a play stops at a question.
    """
    values: tuple[Counter[Value], ...] = tuple(Counter() for _ in play.measures)
    faults: Counter[tuple[str, str]] = Counter()
    repeated = RepeatedPlay(play, answers)
    for number in plays:
        end = repeated.play_to_end(seed, number)
        if isinstance(end, Faulted):
            faults[end.code, end.message] += 1
            continue
        for counts, value in zip(values, end, strict=True):
            counts[value] += 1
    return PlayCounts(len(plays), values, faults, repeated.unused_lines)


class RepeatedPlay:
    """A play that is begun again and again with other random numbers.

    Attributes:
        unused_lines: numbers of the script lines that no play took which came to its end; None before one did.
    """

    def __init__(self, play: MeasuredPlay, answers: PlayAnswerer) -> None:
        limits = replace(play.start.limits, forced=False)
        self._play = replace(play, start=replace(play.start, limits=limits))
        self._sources = AnswerSourceChain(
            answers.names,
            SeededRandom(0),
            answers.script,
            is_chance_requested=True,
            policy=answers.policy or None,
            policies=answers.policies,
            external_results=answers.draw_external_answer,
        )
        executable = play.start.executable
        is_kept = executable.traced or answers.script is not None
        self._fast_path = None if is_kept else _UnrecordedPlay.build_if_paused(self._play, self._sources)
        self._tries_left = _MAX_FAILED_FAST_PLAYS
        self.unused_lines: frozenset[int] | None = None

    def play_to_end(self, seed: int, number: int) -> tuple[Value, ...] | Faulted:
        """Value of each measure at the end of the play with a number, or the fault that stops it.

        Raises as `simulate_plays`.
        """
        chance = SeededRandom(seed, number)
        if self._fast_path is not None and self._tries_left:
            end = self._fast_path.play_once(chance)
            if end is not None:
                self._tries_left = _MAX_FAILED_FAST_PLAYS
                return end
            self._tries_left -= 1
        return self._play_recorded(replace(self._sources, chance=chance))

    def _play_recorded(self, sources: AnswerSourceChain) -> tuple[Value, ...] | Faulted:
        play, play_result = self._play, run_to_end(self._play.start, sources)
        match play_result.session.outcome:
            case Ended() as end:
                unused_lines = frozenset(_find_unused_lines(play_result, sources.script))
                self.unused_lines = unused_lines if self.unused_lines is None else self.unused_lines & unused_lines
                parts = (
                    [count_events(play.counted_events, entries) for entries, _ in play_result.session.entry_parts]
                    if play.counted_events
                    else []
                )
                return play.evaluate_measures(end, tuple(map(sum, zip(*parts, strict=True))))
            case Faulted() as fault:
                return fault
            case Refused(reasons=reasons):
                raise CannotBeginError(reasons)
            case _:
                raise UnansweredError(play_result.diagnostics)

    def list_scripted_chance(self, seed: int, number: int) -> Iterator[tuple[str, str]]:
        """Rolls and draws that the script answers in the play with a number: addresses and texts."""
        play_result = run_to_end(self._play.start, replace(self._sources, chance=SeededRandom(seed, number)))
        for turn in play_result.session.turns:
            if turn.answer.source == "script" and turn.request.sort in CHANCE_SORTS:
                yield turn.request.address, format_chance_result(turn.request, turn.answer.value, self._sources.names)


class _UnrecordedPlay:
    """Fast plays without a trace, each from a copy of the world at the first request."""

    __slots__ = ("_answerer", "_measure_end", "_run", "_start")

    def __init__(self, play: MeasuredPlay, sources: AnswerSourceChain, start: WorkingMemory) -> None:
        self._answerer = InlineAnswerer(sources, play.start.executable, searched=True)
        self._run = Run(play.start.executable, start, self._answerer.answer_inline)
        self._start = start
        self._measure_end = EndMeasurer(play).measure_end_world

    @classmethod
    def build_if_paused(cls, play: MeasuredPlay, sources: AnswerSourceChain) -> "_UnrecordedPlay | None":
        """None where the play comes to no request."""
        run = begin_run(play.start)
        return cls(play, sources, run.world) if isinstance(run.outcome, Paused) else None

    def play_once(self, chance: SeededRandom) -> tuple[Value, ...] | Faulted | None:
        """Value of each measure at the end, or the fault; None where the play has to be recorded.

        Raises as `simulate_plays`.
        """
        self._answerer.begin_play(chance)
        over = self._run.play_to_end(self._start)
        if isinstance(over, list):
            return self._measure_end(over)
        return over if isinstance(over, Faulted) else None


_MAX_FAILED_FAST_PLAYS = 10
"""Plays in a row that have to be recorded until all are; chosen."""


def _find_unused_lines(played: PlayResult, script: AnswerScript | None) -> Iterator[int]:
    """Numbers of the script lines that a play did not take, as `run` reports them."""
    if script is None or not played.diagnostics:
        return
    reported_spans = {diagnostic.primary.span for diagnostic in played.diagnostics if diagnostic.primary is not None}
    now = played.session.sources.script
    remaining = {*map(id, now.lines if now is not None else ())}
    for number, line in enumerate(script.lines):
        if id(line) in remaining and (script.is_ordered or line.place.span in reported_spans):
            yield number


def confidence_interval(successes: int, plays: int) -> tuple[float, float]:
    """Interval of a probability: Wilson with continuity correction (Newcombe 1998, method 4); (0, 1) for no plays."""
    return (
        (1 - _upper_share_bound(plays - successes, plays), _upper_share_bound(successes, plays))
        if plays
        else (0.0, 1.0)
    )


def _upper_share_bound(successes: int, plays: int) -> float:
    if successes == plays:
        return 1.0
    share, far = successes / plays, NORMAL_QUANTILE * NORMAL_QUANTILE
    root = far + 2 - 1 / plays + 4 * share * (plays * (1 - share) - 1)
    return min(1.0, (2 * successes + far + 1 + NORMAL_QUANTILE * sqrt(max(root, 0))) / (2 * (plays + far)))


class MeanEstimate(NamedTuple):
    """Mean of a sample and bounds of the true mean."""

    mean: float
    margin: float  # of the true mean, unless unseen values lie farther away than the seen ones
    # wherever unseen values lie; None for numbers without bounds
    bounded_interval: tuple[float, float] | None
    covers_range: bool  # whether no value can lie farther away than the seen ones


def estimate_measure_mean(measure: AskedMeasure, counts: Mapping[Value, int]) -> MeanEstimate | None:
    """Mean of a measure as `estimate_mean` gives it; None for other values than numbers."""
    if not measure.is_number or None in counts:
        return None
    return estimate_mean([(float(item), often) for item, often in counts.items()], measure.bounds)  # type: ignore[arg-type]


def estimate_mean(
    numbers: Sequence[tuple[float, int]], bounds: tuple[Fraction, Fraction] | None
) -> MeanEstimate | None:
    """Mean of numbers, given with their counts, and bounds of the true mean.

    The margin joins the standard error with the share that values never seen may have. These lie as far away as the
    seen ones, or as the bounds if one value alone was seen; in `bounded_interval` anywhere in the bounds. None for few
    plays, and for one number without bounds.
    """
    plays, values = sum(often for _, often in numbers), {item for item, _ in numbers}
    if plays < MIN_PLAYS_FOR_MEAN or (bounds is None and len(values) == 1):
        return None
    result = sum(item * often for item, often in numbers) / plays
    spread = sqrt(sum((item - result) ** 2 * often for item, often in numbers) / (plays - 1) / plays) * NORMAL_QUANTILE
    unseen = 1 - ((1 - CONFIDENCE_LEVEL) / 2) ** (1 / plays)
    ends = None if bounds is None else (float(bounds[0]), float(bounds[1]))
    low, high = ends if ends is not None and len(values) == 1 else (min(values), max(values))
    within = hypot(spread, unseen * max(high - result, result - low))
    if ends is None:
        return MeanEstimate(result, within, None, covers_range=False)
    least, most = (result + way * spread + unseen * (end - result) for way, end in zip((-1, 1), ends, strict=True))
    return MeanEstimate(result, within, (max(ends[0], least), min(ends[1], most)), covers_range=(low, high) == ends)


def compute_shares(counts: Mapping[Value, int], plays: int) -> dict[Value, Fraction]:
    """Share of each value in all plays, in the order of the values."""
    return {value: Fraction(counts[value], plays) for value in sort_values(counts)}


_KeyT = TypeVar("_KeyT")


def _add_counters(one: Mapping[_KeyT, int], other: Mapping[_KeyT, int]) -> dict[_KeyT, int]:
    return {item: one.get(item, 0) + other.get(item, 0) for item in {**one, **other}}


ComparableValue = bool | int | Fraction | str | None
"""Value that two programs can share: a number or flag, any other as text; None for no value."""
NO_END_VALUE = "cannot be carried on"
PairCounts = Mapping[Any, int]
"""Number of pairs of plays by pair of values."""


@dataclass(frozen=True, slots=True)
class PairedSide:
    """One of the two plays of a pair."""

    play: MeasuredPlay
    answerer: PlayAnswerer


def simulate_pairs(sides: tuple[PairedSide, PairedSide], seed: int, plays: range) -> PlayCounts:
    """Counts of pairs of values over pairs of plays with common random numbers.

    Both plays get the same dice wherever they come to the same line.

    Raises:
        CannotBeginError: the procedure cannot begin in one of them.
        UnansweredError: a play stops at a question.
    """
    joint: tuple[Counter[Any], ...] = tuple(Counter() for _ in sides[0].play.measures)
    both = [(side.play, RepeatedPlay(side.play, side.answerer)) for side in sides]
    for number in plays:
        ends = [_comparable_values(play, repeated.play_to_end(seed, number)) for play, repeated in both]
        for counts, *pair in zip(joint, *ends, strict=True):
            counts[tuple(pair)] += 1
    return PlayCounts(len(plays), joint, {})


def _comparable_values(play: MeasuredPlay, end: tuple[Value, ...] | Faulted) -> tuple[ComparableValue, ...]:
    if isinstance(end, Faulted):
        return (NO_END_VALUE,) * len(play.measures)
    return tuple(_comparable_value(value, measure, play) for value, measure in zip(end, play.measures, strict=True))


def _comparable_value(value: Value, measure: AskedMeasure, play: MeasuredPlay) -> ComparableValue:
    if value is None or isinstance(strip_optional(measure.type), FlagType) or measure.is_number:
        return value  # type: ignore[return-value]
    return format_value(value, measure.type, play.start.names)


@dataclass(frozen=True, slots=True)
class ShareDifference:
    """Difference of the shares of a value in the two sides of pairs, with its interval."""

    value: ComparableValue
    first: int  # pairs in which the first side has the value
    other: int  # pairs in which the second has it
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedMeans:
    """Means of both sides, and the difference second minus first."""

    first: float
    other: float
    difference: MeanEstimate


def compare_shares(joint: PairCounts, plays: int) -> tuple[ShareDifference, ...]:
    """Difference of shares for every value of either side, in order."""
    first, other = Counter[Any](), Counter[Any]()
    for pair, often in joint.items():
        first[pair[0]] += often
        other[pair[1]] += often
    return tuple(
        ShareDifference(
            value,  # type: ignore[arg-type]
            first[value],
            other[value],
            *difference_interval(first[value] - both, other[value] - both, plays),
        )
        for value in sort_values(dict.fromkeys([*first, *other]))
        for both in [joint.get((value, value), 0)]
    )


def difference_interval(only_first: int, only_other: int, plays: int) -> tuple[float, float]:
    """Interval of the difference of two paired shares, second minus first (Zou and Donner 2008).

    `only_first` pairs have the value in the first side alone, `only_other` in the second alone. The intervals of both
    are combined, so that no difference among the pairs is not taken for certainty.
    """
    one, other = only_first / plays, only_other / plays
    (low, high), (least, most) = confidence_interval(only_first, plays), confidence_interval(only_other, plays)
    both = sqrt(one * other / ((1 - one) * (1 - other))) if max(one, other) < 1 else 0.0
    below, above = (
        sqrt(this * this + that * that + 2 * both * this * that)
        for this, that in ((other - least, high - one), (most - other, one - low))
    )
    return max(-1.0, other - one - below), min(1.0, other - one + above)


def compare_means(joint: PairCounts, bounds: tuple[Fraction, Fraction] | None = None) -> PairedMeans | None:
    """Means of both sides and their difference; None for other values, and where `estimate_mean` has none.

    `bounds` are those of the numbers.
    """
    if not all(_is_plain_number(item) for pair in joint for item in pair):
        return None
    difference_bounds = None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
    mean_estimate = estimate_mean(
        [(float(other - first), often) for (first, other), often in joint.items()], difference_bounds
    )
    if mean_estimate is None:
        return None
    plays = sum(joint.values())
    first, other = (sum(float(pair[at]) * often for pair, often in joint.items()) / plays for at in (0, 1))
    return PairedMeans(first, other, mean_estimate)


def count_differing_pairs(joint: PairCounts) -> int:
    """Number of pairs with two different values."""
    return sum(often for (first, other), often in joint.items() if first != other)


def _is_plain_number(value: ComparableValue) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def has_faulty_pair(joint: PairCounts) -> bool:
    """Whether either side of any pair ends by a fault."""
    return any(NO_END_VALUE in pair for pair in joint)


_MAX_RETURNED_SHARE = 0.5
"""Share of plays given back beyond which the batch path is abandoned; chosen."""


class PlayCounter:
    """Simulation from one start, by the batch path if it takes the play, else by runs; plays are the same either way.

    Attributes:
        batch_refusal: why the batch path does not play this; empty where it does, is not installed or is not wanted.
    """

    def __init__(self, play: MeasuredPlay, answers: PlayAnswerer, *, batch: bool) -> None:
        """`batch` says whether there are enough plays to be worth the compilation."""
        self._play = play
        self._answerer = answers
        self._tries_batch = batch
        self._kernel: SimulationKernel | None = None
        self.batch_refusal = ""

    @property
    def uses_batch(self) -> bool:
        return self._kernel is not None

    def count_plays(self, seed: int, plays: range) -> PlayCounts:
        """Raises as `simulate_plays`."""
        if self._tries_batch:
            self._tries_batch = False
            self._kernel = self._open_kernel()
        if self._kernel is None:
            return simulate_plays(self._play, self._answerer, seed, plays)
        values, back = self._kernel.play_range(seed, plays)
        if len(back) > _MAX_RETURNED_SHARE * len(plays):
            self.batch_refusal = Counter(back.values()).most_common(1)[0][0]
            self._kernel = None
        return PlayCounts(len(plays) - len(back), values, {}).add_counts(
            simulate_plays(self._play, self._answerer, seed, sorted(back))
        )

    def _open_kernel(self) -> "SimulationKernel | None":
        try:
            from rulewright.odds.kernel.wasm_kernel import SimulationKernel, write_kernel  # noqa: PLC0415

            return SimulationKernel(write_kernel(self._play, self._answerer))
        except ModuleNotFoundError:
            return None
        except BatchUnsupportedError as unfit:
            self.batch_refusal = str(unfit)
            return None


class PlayCountersByStart:
    """Counters for several starts, each with one side or a pair; picklable for worker processes."""

    def __init__(self, starts: Sequence[tuple[PairedSide, ...]]) -> None:
        self._sides_by_start = starts
        self._counters: dict[int, PlayCounter] = {}

    def __reduce__(self) -> tuple[type["PlayCountersByStart"], tuple[object, ...]]:
        return PlayCountersByStart, (self._sides_by_start,)

    def count_plays_from(self, start: int, seed: int, plays: range, *, batch: bool = False) -> PlayCounts:
        """Counts of plays or pairs from a start; raises as `simulate_plays`.

        `batch` says whether there are enough plays to be worth the compilation.
        """
        first, *other = self._sides_by_start[start]
        if other:
            return simulate_pairs((first, other[0]), seed, plays)
        if start not in self._counters:
            self._counters[start] = PlayCounter(first.play, first.answerer, batch=batch)
        return self._counters[start].count_plays(seed, plays)

    def uses_batch_from(self, start: int) -> bool:
        return start in self._counters and self._counters[start].uses_batch

    def batch_refusal_of(self, start: int) -> str:
        """Why the batch path does not play from a start; empty without a reason."""
        return self._counters[start].batch_refusal if start in self._counters else ""
