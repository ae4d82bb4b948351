"""Plays with seeded dice, counted: how often each value came, and how far from the truth that may be."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import hypot, sqrt
from statistics import NormalDist
from typing import NamedTuple, TypeVar

from rulewright.diagnostics import Diagnostic
from rulewright.drivers.chance import Chance
from rulewright.drivers.run import Played, run
from rulewright.drivers.sources import AtOnce, Sources
from rulewright.frozen import dataclass
from rulewright.inputs.script import Script
from rulewright.machine.request import CHANCE, Ended, Faulted, Reason, Refused
from rulewright.machine.run import Paused, Run
from rulewright.machine.values import Value
from rulewright.machine.world import World
from rulewright.odds.answering import Answers, chance_written
from rulewright.odds.at_ends import AtEnds
from rulewright.odds.conditions import among
from rulewright.odds.measures import AskedMeasure, PlayToMeasure
from rulewright.odds.odds import CannotBeginError, from_least, started
from rulewright.odds.watching import times

CONFIDENCE = 0.95
"""How often an interval holds what it is about."""
SURE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
FEWEST = 30
"""Of fewer plays no interval of a mean is told."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What came of some plays."""

    plays: int  # how many
    values: tuple[Mapping[Value, int], ...]  # for each measure how often each value came
    faults: Mapping[tuple[str, str], int]  # how often plays met a fault, by its code and message
    left: frozenset[int] | None = None  # numbers of the answers of a script that none of them took; none of no play

    def plus(self, other: "Counted") -> "Counted":
        """Both together."""
        values = tuple(_sum(*each) for each in zip(self.values, other.values, strict=True))
        left = [each for each in (self.left, other.left) if each is not None]
        return Counted(
            self.plays + other.plays,
            values,
            _sum(self.faults, other.faults),
            frozenset.intersection(*left) if left else None,
        )


@dataclass(frozen=True, slots=True)
class CountedFrom:
    """What was counted from one start."""

    at: tuple[Value, ...]  # the value of each thing that is varied
    play: PlayToMeasure  # what begins there
    counted: Counted  # what came of its plays; of none where the rules do not let it begin
    refused: tuple[Reason, ...] = ()  # why they do not
    one_by_one: str = ""  # why the batch path does not play this; empty where it does or is not there

    def of(self, number: int) -> tuple[Mapping[Value, int], int]:
        """How often each value of a measure came, and in how many plays: those of which it is asked."""
        counts, plays = self.counted.values[number], self.counted.plays
        if self.play.measures[number].given is None:
            return counts, plays
        asked = among(counts)
        return asked, sum(asked.values())


class UnansweredError(Exception):
    """A play stops at a question that nobody answers."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics  # what `run` says of it


def nothing_counted(measures: int) -> Counted:
    """No play yet."""
    return Counted(0, tuple({} for _ in range(measures)), {})


def simulated(play: PlayToMeasure, answers: Answers, seed: int, plays: Sequence[int]) -> Counted:
    """Plays by their numbers: the same number under the same seed is the same play, whatever is played beside it.

    Raises:
        CannotBeginError: the procedure cannot begin.
        NoConditionError: it is not known of some end whether it is asked of.
        UnansweredError: a play stops at a question.
    """
    values: tuple[Counter[Value], ...] = tuple(Counter() for _ in play.measures)
    faults: Counter[tuple[str, str]] = Counter()
    repeated = Repeated(play, answers)
    for number in plays:
        end = repeated.end(seed, number)
        if isinstance(end, Faulted):
            faults[end.code, end.message] += 1
            continue
        for counts, value in zip(values, end, strict=True):
            counts[value] += 1
    return Counted(len(plays), values, faults, repeated.left)


class Repeated:
    """A play that is begun again and again, each time with other dice.

    Attributes:
        left: numbers of the answers of its script that no play took which came to its end; none before one did.
    """

    def __init__(self, play: PlayToMeasure, answers: Answers) -> None:
        limits = replace(play.begun.limits, forced=False)
        self._play = replace(play, begun=replace(play.begun, limits=limits))
        self._sources = Sources(
            answers.names,
            Chance(0),
            answers.script,
            insisted=True,
            policy=answers.policy or None,
            policies=answers.policies,
            elsewhere=answers.external_fallen,
        )
        executable = play.begun.executable
        is_kept = executable.traced or answers.script is not None
        self._over_again = None if is_kept else _OverAgain.of(self._play, self._sources)
        self._tries = _TRIES
        self.left: frozenset[int] | None = None

    def end(self, seed: int, number: int) -> tuple[Value, ...] | Faulted:
        """What each measure is worth at the end of the play of a number, or how it cannot be carried on.

        Raises as `simulated`.
        """
        chance = Chance(seed, number)
        if self._over_again is not None and self._tries:
            end = self._over_again.end(chance)
            if end is not None:
                self._tries = _TRIES
                return end
            self._tries -= 1
        return self._end(replace(self._sources, chance=chance))

    def _end(self, sources: Sources) -> tuple[Value, ...] | Faulted:
        play, found = self._play, run(self._play.begun, sources)
        match found.session.outcome:
            case Ended() as end:
                left = frozenset(_left_over(found, sources.script))
                self.left = left if self.left is None else self.left & left
                parts = [times(play.watched, entries) for entries, _ in found.session.parts] if play.watched else []
                return play.values(end, tuple(map(sum, zip(*parts, strict=True))))
            case Faulted() as fault:
                return fault
            case Refused(reasons=reasons):
                raise CannotBeginError(reasons)
            case _:
                raise UnansweredError(found.diagnostics)

    def scripted_chance(self, seed: int, number: int) -> Iterator[tuple[str, str]]:
        """The rolls and draws of the play of a number that the script answers, by their addresses."""
        found = run(self._play.begun, replace(self._sources, chance=Chance(seed, number)))
        for each in found.session.turns:
            if each.given.source == "script" and each.request.sort in CHANCE:
                yield each.request.address, chance_written(each.request, each.given.value, self._sources.names)


class _OverAgain:
    """Plays of which nothing is kept, each from the first request on: up to there all are one."""

    __slots__ = ("_answers", "_run", "_start", "_values_of")

    def __init__(self, play: PlayToMeasure, sources: Sources, start: World) -> None:
        self._answers = AtOnce(sources, play.begun.executable, searched=True)
        self._run = Run(play.begun.executable, start, self._answers.answer)
        self._start = start
        self._values_of = AtEnds(play).values

    @classmethod
    def of(cls, play: PlayToMeasure, sources: Sources) -> "_OverAgain | None":
        """Those of a play; none where it comes to no request."""
        run = started(play.begun)
        return cls(play, sources, run.world) if isinstance(run.outcome, Paused) else None

    def end(self, chance: Chance) -> tuple[Value, ...] | Faulted | None:
        """What each measure is worth at the end of one, or how it cannot be carried on; none where it has to be kept.

        Raises as `simulated`.
        """
        self._answers.begin(chance)
        over = self._run.through(self._start)
        if isinstance(over, list):
            return self._values_of(over)
        return over if isinstance(over, Faulted) else None


_TRIES = 10
"""After so many plays in a row of which something is to be asked, or told, none is played without keeping its way."""


def _left_over(played: Played, script: Script | None) -> Iterator[int]:
    """Numbers of the answers of a script that a play did not take, of which `run` says that they are left over."""
    if script is None or not played.diagnostics:
        return
    told = {each.primary.span for each in played.diagnostics if each.primary is not None}
    now = played.session.sources.script
    left = {*map(id, now.lines if now is not None else ())}
    for number, each in enumerate(script.lines):
        if id(each) in left and (script.ordered or each.place.span in told):
            yield number


def confidence_interval(came: int, plays: int) -> tuple[float, float]:
    """Between what a likelihood is, where something came so often; anything where nothing was counted.

    It is that of Wilson with a correction for continuity (Newcombe 1998, method 4), which holds what is rare, too.
    """
    return (1 - _most(plays - came, plays), _most(came, plays)) if plays else (0.0, 1.0)


def _most(came: int, plays: int) -> float:
    """The end of the interval that is the larger."""
    if came == plays:
        return 1.0
    share, far = came / plays, SURE * SURE
    root = far + 2 - 1 / plays + 4 * share * (plays * (1 - share) - 1)
    return min(1.0, (2 * came + far + 1 + SURE * sqrt(max(root, 0))) / (2 * (plays + far)))


class Middle(NamedTuple):
    """The mean of numbers that were counted, and where the true one is."""

    about: float  # the mean of those that came
    within: float  # how far from it the true one may be, unless what is rarer lies farther away than what came
    anywhere: tuple[float, float] | None  # between what it is wherever that lies; none where numbers have no bounds
    is_whole: bool  # whether nothing can lie farther away than what came


def mean(measure: AskedMeasure, counts: Mapping[Value, int]) -> Middle | None:
    """The mean of numbers and where the true one is, as `middle` says it; none of other values."""
    if not measure.is_number or None in counts:
        return None
    return middle([(float(each), often) for each, often in counts.items()], measure.bounds)  # type: ignore[arg-type]


def middle(numbers: Sequence[tuple[float, int]], bounds: tuple[Fraction, Fraction] | None) -> Middle | None:
    """The mean of numbers, each with how often it came, and where the true one is.

    Besides what their spread says, what never came may have the share that is left to it. It lies as far away as the
    numbers that came, where one alone came as the bounds; or anywhere in the bounds. None of few plays, and of one
    number without bounds.
    """
    plays, came = sum(often for _, often in numbers), {each for each, _ in numbers}
    if plays < FEWEST or (bounds is None and len(came) == 1):
        return None
    found = sum(each * often for each, often in numbers) / plays
    spread = sqrt(sum((each - found) ** 2 * often for each, often in numbers) / (plays - 1) / plays) * SURE
    unseen = 1 - ((1 - CONFIDENCE) / 2) ** (1 / plays)
    ends = None if bounds is None else (float(bounds[0]), float(bounds[1]))
    low, high = ends if ends is not None and len(came) == 1 else (min(came), max(came))
    within = hypot(spread, unseen * max(high - found, found - low))
    if ends is None:
        return Middle(found, within, None, is_whole=False)
    least, most = (found + way * spread + unseen * (end - found) for way, end in zip((-1, 1), ends, strict=True))
    return Middle(found, within, (max(ends[0], least), min(ends[1], most)), is_whole=(low, high) == ends)


def shares(counts: Mapping[Value, int], plays: int) -> dict[Value, Fraction]:
    """How large a share of all plays each value has, in order of the values."""
    return {value: Fraction(counts[value], plays) for value in from_least(counts)}


_Key = TypeVar("_Key")


def _sum(one: Mapping[_Key, int], other: Mapping[_Key, int]) -> dict[_Key, int]:
    return {each: one.get(each, 0) + other.get(each, 0) for each in {**one, **other}}
