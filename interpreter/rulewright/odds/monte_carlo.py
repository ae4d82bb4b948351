"""Plays with seeded dice, counted: how often each value came, and how far from the truth that may be."""

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
from rulewright.odds.batch.integer_encoding import BatchUnsupportedError
from rulewright.odds.end_measures import AskedMeasure, EndMeasurer, MeasuredPlay
from rulewright.odds.exact_odds import CannotBeginError, begin_run, sort_values
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
    from rulewright.odds.batch.wasm_kernel import SimulationKernel


CONFIDENCE_LEVEL = 0.95
"""How often an interval holds what it is about."""
NORMAL_QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE_LEVEL) / 2)
MIN_PLAYS_FOR_MEAN = 30
"""Of fewer plays no interval of a mean is told."""


@dataclass(frozen=True, slots=True)
class PlayCounts:
    """What came of some plays."""

    play_count: int  # how many
    value_counts: tuple[Mapping[Value, int], ...]  # for each measure how often each value came
    fault_counts: Mapping[tuple[str, str], int]  # how often plays met a fault, by its code and message
    unused_lines: frozenset[int] | None = (
        None  # numbers of the answers of a script that none of them took; none of no play
    )

    def add_counts(self, other: "PlayCounts") -> "PlayCounts":
        """Both together."""
        values = tuple(_add_counters(*item) for item in zip(self.value_counts, other.value_counts, strict=True))
        left = [item for item in (self.unused_lines, other.unused_lines) if item is not None]
        return PlayCounts(
            self.play_count + other.play_count,
            values,
            _add_counters(self.fault_counts, other.fault_counts),
            frozenset.intersection(*left) if left else None,
        )


@dataclass(frozen=True, slots=True)
class StartCounts:
    """What was counted from one start."""

    axis_values: tuple[Value, ...]  # the value of each thing that is varied
    play: MeasuredPlay  # what begins there
    counts: PlayCounts  # what came of its plays; of none where the rules do not let it begin
    refusal_reasons: tuple[RefusalReason, ...] = ()  # why they do not
    batch_refusal: str = ""  # why the batch path does not play this; empty where it does or is not there

    def counts_of_measure(self, number: int) -> tuple[Mapping[Value, int], int]:
        """How often each value of a measure came, and in how many plays: those of which it is asked."""
        counts, plays = self.counts.value_counts[number], self.counts.play_count
        if self.play.measures[number].condition_number is None:
            return counts, plays
        asked = drop_excluded_plays(counts)
        return asked, sum(asked.values())


class UnansweredError(Exception):
    """A play stops at a question that nobody answers."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics  # what `run` says of it


def make_empty_counts(measures: int) -> PlayCounts:
    """No play yet."""
    return PlayCounts(0, tuple({} for _ in range(measures)), {})


def simulate_plays(play: MeasuredPlay, answers: PlayAnswerer, seed: int, plays: Sequence[int]) -> PlayCounts:
    """Plays by their numbers: the same number under the same seed is the same play, whatever is played beside it.

    Raises:
        CannotBeginError: the procedure cannot begin.
        NoConditionError: it is not known of some end whether it is asked of.
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
    """A play that is begun again and again, each time with other dice.

    Attributes:
        left: numbers of the answers of its script that no play took which came to its end; none before one did.
    """

    def __init__(self, play: MeasuredPlay, answers: PlayAnswerer) -> None:
        limits = replace(play.begun.limits, forced=False)
        self._play = replace(play, begun=replace(play.begun, limits=limits))
        self._sources = AnswerSourceChain(
            answers.names,
            SeededRandom(0),
            answers.script,
            is_chance_requested=True,
            policy=answers.policy or None,
            policies=answers.policies,
            external_results=answers.draw_external_answer,
        )
        executable = play.begun.executable
        is_kept = executable.traced or answers.script is not None
        self._fast_path = None if is_kept else _UnrecordedPlay.build_if_paused(self._play, self._sources)
        self._tries_left = _MAX_FAILED_FAST_PLAYS
        self.unused_lines: frozenset[int] | None = None

    def play_to_end(self, seed: int, number: int) -> tuple[Value, ...] | Faulted:
        """What each measure is worth at the end of the play of a number, or how it cannot be carried on.

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
        play, play_result = self._play, run_to_end(self._play.begun, sources)
        match play_result.session.outcome:
            case Ended() as end:
                left = frozenset(_find_unused_lines(play_result, sources.script))
                self.unused_lines = left if self.unused_lines is None else self.unused_lines & left
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
        """The rolls and draws of the play of a number that the script answers, by their addresses."""
        play_result = run_to_end(self._play.begun, replace(self._sources, chance=SeededRandom(seed, number)))
        for turn in play_result.session.turns:
            if turn.answer.source == "script" and turn.request.sort in CHANCE_SORTS:
                yield turn.request.address, format_chance_result(turn.request, turn.answer.value, self._sources.names)


class _UnrecordedPlay:
    """Plays of which nothing is kept, each from the first request on: up to there all are one."""

    __slots__ = ("_answerer", "_measure_end", "_run", "_start")

    def __init__(self, play: MeasuredPlay, sources: AnswerSourceChain, start: WorkingMemory) -> None:
        self._answerer = InlineAnswerer(sources, play.begun.executable, searched=True)
        self._run = Run(play.begun.executable, start, self._answerer.answer_inline)
        self._start = start
        self._measure_end = EndMeasurer(play).measure_end_world

    @classmethod
    def build_if_paused(cls, play: MeasuredPlay, sources: AnswerSourceChain) -> "_UnrecordedPlay | None":
        """Those of a play; none where it comes to no request."""
        run = begin_run(play.begun)
        return cls(play, sources, run.world) if isinstance(run.outcome, Paused) else None

    def play_once(self, chance: SeededRandom) -> tuple[Value, ...] | Faulted | None:
        """What each measure is worth at the end of one, or how it cannot be carried on; none where it has to be kept.

        Raises as `simulate_plays`.
        """
        self._answerer.begin_play(chance)
        over = self._run.play_to_end(self._start)
        if isinstance(over, list):
            return self._measure_end(over)
        return over if isinstance(over, Faulted) else None


_MAX_FAILED_FAST_PLAYS = 10
"""After so many plays in a row of which something is to be asked, or told, none is played without keeping its way."""


def _find_unused_lines(played: PlayResult, script: AnswerScript | None) -> Iterator[int]:
    """Numbers of the answers of a script that a play did not take, of which `run` says that they are left over."""
    if script is None or not played.diagnostics:
        return
    told = {diagnostic.primary.span for diagnostic in played.diagnostics if diagnostic.primary is not None}
    now = played.session.sources.script
    left = {*map(id, now.lines if now is not None else ())}
    for number, line in enumerate(script.lines):
        if id(line) in left and (script.is_ordered or line.place.span in told):
            yield number


def confidence_interval(came: int, plays: int) -> tuple[float, float]:
    """Between what a likelihood is, where something came so often; anything where nothing was counted.

    It is that of Wilson with a correction for continuity (Newcombe 1998, method 4), which holds what is rare, too.
    """
    return (1 - _upper_share_bound(plays - came, plays), _upper_share_bound(came, plays)) if plays else (0.0, 1.0)


def _upper_share_bound(came: int, plays: int) -> float:
    """The end of the interval that is the larger."""
    if came == plays:
        return 1.0
    share, far = came / plays, NORMAL_QUANTILE * NORMAL_QUANTILE
    root = far + 2 - 1 / plays + 4 * share * (plays * (1 - share) - 1)
    return min(1.0, (2 * came + far + 1 + NORMAL_QUANTILE * sqrt(max(root, 0))) / (2 * (plays + far)))


class MeanEstimate(NamedTuple):
    """The mean of numbers that were counted, and where the true one is."""

    mean: float  # the mean of those that came
    margin: float  # how far from it the true one may be, unless what is rarer lies farther away than what came
    bounded_interval: (
        tuple[float, float] | None
    )  # between what it is wherever that lies; none where numbers have no bounds
    covers_range: bool  # whether nothing can lie farther away than what came


def estimate_measure_mean(measure: AskedMeasure, counts: Mapping[Value, int]) -> MeanEstimate | None:
    """The mean of numbers and where the true one is, as `estimate_mean` says it; none of other values."""
    if not measure.is_number or None in counts:
        return None
    return estimate_mean([(float(item), often) for item, often in counts.items()], measure.bounds)  # type: ignore[arg-type]


def estimate_mean(
    numbers: Sequence[tuple[float, int]], bounds: tuple[Fraction, Fraction] | None
) -> MeanEstimate | None:
    """The mean of numbers, each with how often it came, and where the true one is.

    Besides what their spread says, what never came may have the share that is left to it. It lies as far away as the
    numbers that came, where one alone came as the bounds; or anywhere in the bounds. None of few plays, and of one
    number without bounds.
    """
    plays, came = sum(often for _, often in numbers), {item for item, _ in numbers}
    if plays < MIN_PLAYS_FOR_MEAN or (bounds is None and len(came) == 1):
        return None
    result = sum(item * often for item, often in numbers) / plays
    spread = sqrt(sum((item - result) ** 2 * often for item, often in numbers) / (plays - 1) / plays) * NORMAL_QUANTILE
    unseen = 1 - ((1 - CONFIDENCE_LEVEL) / 2) ** (1 / plays)
    ends = None if bounds is None else (float(bounds[0]), float(bounds[1]))
    low, high = ends if ends is not None and len(came) == 1 else (min(came), max(came))
    within = hypot(spread, unseen * max(high - result, result - low))
    if ends is None:
        return MeanEstimate(result, within, None, covers_range=False)
    least, most = (result + way * spread + unseen * (end - result) for way, end in zip((-1, 1), ends, strict=True))
    return MeanEstimate(result, within, (max(ends[0], least), min(ends[1], most)), covers_range=(low, high) == ends)


def compute_shares(counts: Mapping[Value, int], plays: int) -> dict[Value, Fraction]:
    """How large a share of all plays each value has, in order of the values."""
    return {value: Fraction(counts[value], plays) for value in sort_values(counts)}


_KeyT = TypeVar("_KeyT")


def _add_counters(one: Mapping[_KeyT, int], other: Mapping[_KeyT, int]) -> dict[_KeyT, int]:
    return {item: one.get(item, 0) + other.get(item, 0) for item in {**one, **other}}


ComparableValue = bool | int | Fraction | str | None
"""A value that two programs can have alike: a number or flag, any other by how people say it; none is no value."""
NO_END_VALUE = "cannot be carried on"
PairCounts = Mapping[Any, int]
"""How many pairs of plays came to each pair of values."""


@dataclass(frozen=True, slots=True)
class PairedSide:
    """What one of a pair plays."""

    play: MeasuredPlay  # it, with what is asked of its end
    answerer: PlayAnswerer  # who answers


def simulate_pairs(sides: tuple[PairedSide, PairedSide], seed: int, plays: range) -> PlayCounts:
    """Pairs of plays by their numbers, each thrown the same dice wherever both come to the same line.

    Of each measure pairs of values are counted.

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
    return format_value(value, measure.type, play.begun.names)


@dataclass(frozen=True, slots=True)
class ShareDifference:
    """How much larger the share of a value is in the second of a pair."""

    value: ComparableValue
    first: int  # pairs in which the first came to it
    other: int  # in which the second did
    low: float  # the difference of the shares is at least so much
    high: float  # and at most so much


@dataclass(frozen=True, slots=True)
class PairedMeans:
    """Means of numbers, and how much larger that of the second of a pair is."""

    first: float
    other: float
    difference: MeanEstimate


def compare_shares(joint: PairCounts, plays: int) -> tuple[ShareDifference, ...]:
    """For every value of either, how much likelier it is in the second, in order."""
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
    """Between what the difference of two paired shares is.

    `only_first` pairs had it in the first alone, `only_other` in the second alone. The intervals of both are put
    together by how far each reaches (Zou and Donner 2008), so that no pair that differs is no certainty.
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
    """The means of numbers and their difference; none of other values, and where `middle` has none.

    `bounds` are those of the numbers.
    """
    if not all(_is_plain_number(item) for pair in joint for item in pair):
        return None
    apart = None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
    mean_estimate = estimate_mean([(float(other - first), often) for (first, other), often in joint.items()], apart)
    if mean_estimate is None:
        return None
    plays = sum(joint.values())
    first, other = (sum(float(pair[at]) * often for pair, often in joint.items()) / plays for at in (0, 1))
    return PairedMeans(first, other, mean_estimate)


def count_differing_pairs(joint: PairCounts) -> int:
    """How many pairs came to two values."""
    return sum(often for (first, other), often in joint.items() if first != other)


def _is_plain_number(value: ComparableValue) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def has_faulty_pair(joint: PairCounts) -> bool:
    """Whether a play of any pair could not be carried on."""
    return any(NO_END_VALUE in pair for pair in joint)


_MAX_RETURNED_SHARE = 0.5
"""Where the batch path gives back a larger share of plays it is left."""


class PlayCounter:
    """Plays from one start; whoever plays, the same number under the same seed is the same play.

    Attributes:
        refused: why the batch path does not play this; empty where it does, is not installed or is not wanted.
    """

    def __init__(self, play: MeasuredPlay, answers: PlayAnswerer, *, batch: bool) -> None:
        """`batch` says whether so much is played that the batch path is worth its beginning."""
        self._play = play
        self._answerer = answers
        self._tries_batch = batch
        self._kernel: SimulationKernel | None = None
        self.batch_refusal = ""

    @property
    def uses_batch(self) -> bool:
        """Whether the batch path plays, as far as it was tried."""
        return self._kernel is not None

    def count_plays(self, seed: int, plays: range) -> PlayCounts:
        """Plays by their numbers.

        Raises:
            CannotBeginError: the procedure cannot begin.
            UnansweredError: a play stops at a question.
        """
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
            from rulewright.odds.batch.wasm_kernel import SimulationKernel, write_kernel  # noqa: PLC0415

            return SimulationKernel(write_kernel(self._play, self._answerer))
        except ModuleNotFoundError:
            return None
        except BatchUnsupportedError as unfit:
            self.batch_refusal = str(unfit)
            return None


class PlayCountersByStart:
    """What is played from each of some starts: a side alone, or two beside each other; it can be sent to a process."""

    def __init__(self, starts: Sequence[tuple[PairedSide, ...]]) -> None:
        self._sides_by_start = starts
        self._counters: dict[int, PlayCounter] = {}

    def __reduce__(self) -> tuple[type["PlayCountersByStart"], tuple[object, ...]]:
        """What began to play stays here."""
        return PlayCountersByStart, (self._sides_by_start,)

    def count_plays_from(self, start: int, seed: int, plays: range, *, batch: bool = False) -> PlayCounts:
        """Plays or pairs from a start by their numbers; raises as `simulated`.

        `batch` says whether so much is played that the batch path is worth its beginning.
        """
        first, *other = self._sides_by_start[start]
        if other:
            return simulate_pairs((first, other[0]), seed, plays)
        if start not in self._counters:
            self._counters[start] = PlayCounter(first.play, first.answerer, batch=batch)
        return self._counters[start].count_plays(seed, plays)

    def uses_batch_from(self, start: int) -> bool:
        """Whether the batch path plays from a start, as far as it was tried."""
        return start in self._counters and self._counters[start].uses_batch

    def batch_refusal_of(self, start: int) -> str:
        """Why the batch path does not play from a start; empty where there is no reason."""
        return self._counters[start].batch_refusal if start in self._counters else ""
