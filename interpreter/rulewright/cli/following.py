"""What is told while odds are followed: how far and how fast; where that takes long, how large the question is."""

from collections.abc import Callable, Iterator, Mapping
from math import inf
from time import monotonic
from typing import Any

from rulewright.cli.asked_odds import AskedPlay
from rulewright.cli.odds_refused import REFUSALS, refusal
from rulewright.cli.output import Exit, Progress, Stop, complaint, lasting, stopped
from rulewright.diagnostics.terminal import visible
from rulewright.machine.outcomes import TooManyOutcomesError
from rulewright.machine.run import Paused
from rulewright.odds.exploration import Met
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.odds import Odds, started
from rulewright.odds.size import LOOKED, EnoughError, Estimate, Parting, Size, size_of

_PATIENCE = 2.0
"""So many seconds are followed before it is looked at how large the question is."""
_GLANCE = 1.0
"""So many seconds are followed where only an estimate is wanted."""
_LOOK = 1.0
"""So many seconds it takes at most, about, to look at how large it is."""
_FEW = 100
"""So many moments are looked at first, for how long that takes."""
_SURE = 20
"""So many moments are followed before it is told how fast."""
_SORTS = {"roll": "a roll", "draw": "a draw", "shuffle": "a shuffle"}
_AGAIN = "a start nearer to the end, or fewer rounds"
_REMEDIES = {
    "roll": "have the rules look at less of these dice, such as how many hit, or say in a script what falls",
    "draw": "draw fewer, or say in a script which are drawn",
    "shuffle": "let rules draw from the deck and not look at its order",
}
_DECIDED = "a script or `--policy first`, which leave one answer"
_HELPS = "what helps: "
_HOPELESS, _MORE = 10, 4
"""So many times as many moments as are followed must come before any end, for an estimate is no proof."""
COUNTED = "`rulewright simulate` plays many of them instead, and says how sure it is"
_FIGURES = 2
_UNCOUNTED = (
    "how many different moments of play there are cannot be known in a second: "
    "plays at random hardly ever come to the same one twice"
)


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
            if self.size is not None:
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
        message = f"no play was seen to end before {_about(more.before)}, and {self._most:,} are followed"
        *notes, remedy = _parted(more)
        raise Stop([complaint("RW1210", message, remedy.removeprefix(_HELPS), notes)], found=Exit.UNKNOWN)

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


class Estimating:
    """Hears how far odds are followed, and ends that after a second with how large the question is."""

    def __init__(self, most: int, progress: Progress, seconds: float = inf) -> None:
        """`most` moments would be followed; in all estimates take about so many `seconds`."""
        self._most = most
        self._progress = progress
        self._seconds = seconds
        self._end = inf

    @property
    def is_over(self) -> bool:
        """Whether the time for all estimates is over."""
        return monotonic() > self._end

    def begins(self, number: int, look: Callable[[int], Size | None], of: tuple[int, str] = (1, "starts")) -> None:
        """The one of a number, of so many of what, is followed from now on; `look` as in `Following`."""
        (whole, what), self._look, self._met, self._since = of, look, Met(0, None), monotonic()
        self._told = f"{number:,} of {whole:,} {what}" if whole > 1 else ""
        self._end = min(self._end, self._since + self._seconds)
        self._patience = min(_GLANCE, max(self._end - self._since, 0.0) / (whole - number))

    def __call__(self, met: Met) -> None:
        """Tells how far it is.

        Raises:
            EnoughError: it was followed long enough; Stop and others: as `look`.
        """
        self._met = met
        self._progress.tell(self._told or f"{met.moments:,} moments")
        size = self._seen() if monotonic() - self._since > self._patience else None
        if size is not None:
            raise EnoughError(self._about(size))

    def followed(self, found: Odds) -> Estimate:
        """How large it is where all was followed up to the limit."""
        size = self._seen() if found.open else None
        return Estimate(found.moments) if size is None else self._about(size)

    def _seen(self) -> Size | None:
        """How large it is, as many moments show it; or few, where looking at each takes long."""
        begun = monotonic()
        few = self._look(_FEW)
        return few if (monotonic() - begun) * LOOKED > _LOOK * _FEW else self._look(LOOKED)

    def _about(self, size: Size) -> Estimate:
        return Estimate(None, size, self._met, self._met.moments / max(monotonic() - self._since, 0.001))


def told_alone(given: Mapping[str, object]) -> None:
    """Looks, before the work, whether an estimate is wanted beside what it leaves nothing for: RW1223.

    `given` are other options with what was given of them.
    """
    other = next((name for name, value in given.items() if value), "")
    if other:
        raise stopped("RW1223", f"`--estimate` ends before `{other}` has anything to tell", "leave one of them out")


def looking(asked: AskedPlay, play: PlayToMeasure, most: int = LOOKED) -> Size | None:
    """How large the question is from one start, as so many moments show it; none where the play is over there.

    Raises:
        Stop: plays come to something that nobody answers, or that has too many outcomes; as `refusal`.
        TooManyOutcomesError: they come to a roll that has too many, but may be followed as a sum.
    """
    start = asked.stands or started(play.begun)
    try:
        return size_of(start, asked.answers, most) if isinstance(start.outcome, Paused) else None
    except REFUSALS as error:
        if isinstance(error, TooManyOutcomesError) and error.is_sum:
            raise
        raise refusal(error, play, asked.answers, asked.texts) from None


def moments_told(number: int) -> str:
    """How many moments there are."""
    return "one moment of play" if number == 1 else f"{number:,} different moments of play"


def estimate_lines(found: Estimate, most: int) -> Iterator[str]:
    """How much is to be followed, for people."""
    if found.moments is not None:
        yield f"{moments_told(found.moments)}, followed within a second"
    if found.size is not None:
        yield from _size_lines(found.size, found.met, most, found.rate)


def estimate_json(found: Estimate) -> dict[str, Any]:
    """The same as data."""
    return {"moments": found.moments, "size": found.size and size_json(found.size)}


def _size_lines(size: Size, met: Met, most: int, rate: float) -> Iterator[str]:
    """How large a question is, for people; `rate` is how many moments a second."""
    about = size.about if met.together else max(size.about, met.moments)
    yield f"followed one by one, {_about(about)}" if size.is_estimated else _UNCOUNTED
    if met.together:
        yield "plays that differ in numbers alone are followed as one, as far as they can be: it may be far fewer"
    elif about > most or not size.is_estimated:
        yield f"at most {most:,} of them are followed (`--most`), in about {lasting(most / rate)}"
    else:
        yield f"that takes at least about {lasting(about / rate)}"
    yield from _parted(size)


def left_open(found: Odds, size: Size) -> Iterator[str]:
    """How much is left where a limit was met, and what makes it so much, for people."""
    yield f"in all there are {_about(max(size.about, found.moments))}" if size.is_estimated else _UNCOUNTED
    yield from _parted(size)


def _about(moments: int) -> str:
    unit: int = 10 ** max(len(str(moments)) - _FIGURES, 0)
    return f"at least about {moments_told(moments // unit * unit)}"


def _parted(size: Size) -> Iterator[str]:
    """What makes plays many, and what helps."""
    if size.partings:
        yield f"what makes them many: {'; '.join(map(_parting, size.partings))}"
        first = size.partings[0]
        yield f"{_HELPS}{_AGAIN if first.is_often else _REMEDIES.get(first.sort, _DECIDED)}; {COUNTED}"


def _parting(parting: Parting) -> str:
    sort = _SORTS.get(parting.sort, "a question")
    ways = "1 way" if parting.ways == 1 else f"{parting.ways:,} ways"
    return f"`{visible(parting.address)}` ({sort} with up to {ways}{', again and again' if parting.is_often else ''})"


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
