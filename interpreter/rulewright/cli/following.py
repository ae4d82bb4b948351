"""What is told while odds are followed: how far and how fast; where that takes long, how large the question is."""

from collections.abc import Callable, Iterator, Mapping
from sys import maxsize
from time import monotonic
from typing import Any

from rulewright.cli.asked_odds import AskedPlay
from rulewright.cli.odds_refused import REFUSALS, refusal
from rulewright.cli.output import Exit, Progress, Stop, complaint, lasting, stopped
from rulewright.machine.outcomes import TooManyOutcomesError
from rulewright.machine.run import Paused
from rulewright.odds.estimates import Estimate
from rulewright.odds.exploration import Met
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.odds import Odds, started
from rulewright.odds.size import LOOKED, Size, size_of
from rulewright.odds.size_words import HELPS, UNCOUNTED, about, moments_told, parted, whole_size

_PATIENCE = 2.0
"""So many seconds are followed before it is looked at how large the question is."""
_SURE = 20
"""So many moments are followed before it is told how fast."""
_HOPELESS, _MORE = 10, 4
"""So many times as many moments as are followed must come before any end, for an estimate is no proof."""
_SUMMED = "how many different moments of play there are is not known: sums are asked of more dice than are told apart"


class Following:
    """Hears how far odds are followed (`odds.exploration.Heed`), one of several after the other."""

    def __init__(self, most: int, progress: Progress, whole: int = 1, of: str = "starts") -> None:
        """`whole` is how many are followed, and `of` what they are called."""
        self.size: Size | None = None  # how large the question is that is followed, where it was looked at
        self._most = most
        self._progress = progress
        self._whole, self._of = whole, of
        self._begun = self._since = self._own = monotonic()
        self._last = Met(0, 0.0)
        self._number = 0
        self._look: Callable[[int], Size | None] = lambda _: None
        self._looks = True

    def begins(self, number: int, look: Callable[[int], Size | None], of: tuple[int, str] | None = None) -> None:
        """The one of a number is followed from now on; `look` says how large it is, from so many moments.

        `of` is how many there are of what, where that changes.
        """
        if of is not None and of != (self._whole, self._of):
            (self._whole, self._of), self._begun = of, monotonic()
        self._number, self._look, self._last = number, look, Met(0, 0.0)
        self.size, self._since, self._own = None, monotonic(), monotonic()

    def __call__(self, met: Met) -> None:
        """Tells how far it is.

        Raises:
            Stop: something that plays come to cannot be followed, as `refusal`; RW1210, too much comes before any end.
        """
        if met.together != self._last.together or met.moments < self._last.moments:
            self._since, self._looks = monotonic(), self._looks or self._last.together
        self._last = met
        if self._looks and monotonic() - self._own > _PATIENCE:
            self._looks = False
            self.size = self._seen(met)
            if self.size is not None and self._whole == 1:
                self._progress.note(_size_lines(self.size, met, self._most, self._rate()))
                self._refuse_hopeless(self.size, met)
        self._progress.tell(self._told(met))

    def _seen(self, met: Met) -> Size | None:
        """How large it is; none where a roll has too many outcomes and plays are followed as one, which may sum it."""
        try:
            return self._look(LOOKED)
        except TooManyOutcomesError:
            if met.together:
                return None
            raise

    def _refuse_hopeless(self, size: Size, met: Met) -> None:
        """Ends what a limit would leave nothing to tell of, once more plays show it too."""
        if met.together or met.followed or _MORE * size.before <= self._most:
            return
        more = self._look(_MORE * LOOKED)
        if more is None or more.before < _HOPELESS * self._most:
            return
        before = about(more.before) if more.is_estimated else "far more different moments of play"
        message = f"no play was seen to end before {before}, and {self._most:,} are followed"
        *notes, remedy = parted(more)
        raise Stop([complaint("RW1210", message, remedy.removeprefix(HELPS), notes)], found=Exit.UNKNOWN)

    def _rate(self) -> float:
        return self._last.moments / max(monotonic() - self._since, 0.001)

    def _told(self, met: Met) -> str:
        told = [f"{met.moments:,} moments", f"{self._rate():,.0f} a second"] if met.moments else []
        if met.followed:
            told.append(f"{met.followed:.1%} of plays followed".replace("%", " %"))
        if self._whole > 1:
            told.insert(0, f"{self._number:,} of {self._whole:,} {self._of}")
        return ", ".join([*told, *self._left(met)])

    def _left(self, met: Met) -> Iterator[str]:
        if self._whole > 1:
            if self._number:
                spent = monotonic() - self._begun
                yield f"about {lasting(spent * (self._whole - self._number) / self._number)} left"
        elif self.size is not None and not met.together and met.moments > _SURE:
            goal = min(self.size.about, self._most)
            left = lasting((goal - met.moments) / self._rate())
            if goal == self._most:
                yield f"the limit in {left}"
            elif goal > met.moments:
                yield f"at least about {left} left"


def told_alone(given: Mapping[str, object]) -> None:
    """Looks, before the work, whether an estimate is wanted beside what it leaves nothing for: RW1223.

    `given` are other options with what was given of them.
    """
    other = next((name for name, value in given.items() if value), "")
    if other:
        raise stopped("RW1223", f"with `--estimate`, `{other}` has nothing to show", "leave one of them out")


def looking(asked: AskedPlay, play: PlayToMeasure, most: int = LOOKED) -> Size | None:
    """How large the question is from one start, as so many moments show it; none where the play is over there.

    Raises:
        Stop: plays come to something that nobody answers, or that has too many outcomes; as `refusal`.
        TooManyOutcomesError: they come to a roll that has too many, but may be followed as a sum.
    """
    start = asked.stands or started(play.begun)
    try:
        return size_of(start, asked.answers.each_step, most) if isinstance(start.outcome, Paused) else None
    except REFUSALS as error:
        if isinstance(error, TooManyOutcomesError) and error.is_sum:
            raise
        raise refusal(error, play, asked.answers, asked.texts) from None


def estimate_lines(found: Estimate, most: int) -> Iterator[str]:
    """How much is to be followed, for people."""
    if found.moments is not None:
        yield (
            f"{moments_told(found.moments)}, all of them followed" if found.moments > 1 else moments_told(found.moments)
        )
    elif found.size is not None:
        yield from _size_lines(found.size, found.met, most, found.rate)
    else:
        yield _SUMMED


def estimate_json(found: Estimate) -> dict[str, Any]:
    """The same as data."""
    return {"moments": found.moments, "size": found.size and size_json(found.size)}


def _size_lines(size: Size, met: Met, most: int, rate: float) -> Iterator[str]:
    """How large a question is, for people; `rate` is how many moments a second."""
    whole = size.about if met.together else max(size.about, met.moments)
    yield f"followed one by one, {about(whole)}" if size.is_estimated else UNCOUNTED
    if met.together:
        yield "plays that differ in numbers alone are followed as one, as far as they can be: it may be far fewer"
    elif size.is_estimated and whole <= most:
        yield f"that takes at least about {lasting(whole / rate)}"
    elif most < maxsize:
        yield f"at most {most:,} of them are followed (`--most`), in about {lasting(most / rate)}"
    yield from parted(size)


def left_open(found: Odds, size: Size) -> Iterator[str]:
    """How much is left where a limit was met, and what makes it so much, for people."""
    yield from whole_size(size, found.moments)


def size_json(size: Size) -> dict[str, Any]:
    """The same as data."""
    partings = [
        {"address": each.address, "sort": each.sort, "ways": each.ways, "often": each.is_often}
        for each in size.partings
    ]
    told = {
        "plays": size.plays,
        "seen": size.seen,
        "about": size.about if size.is_estimated else None,
        "before": size.before,
    }
    return told | {"partings": partings}
