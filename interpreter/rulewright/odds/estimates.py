"""About how much is to be followed of a question: exactly where that is soon done, else as plays at random show it."""

from collections.abc import Hashable
from sys import maxsize
from time import monotonic

from rulewright.frozen import dataclass
from rulewright.machine.outcomes import MOST_OUTCOMES, TooManyOutcomesError, chances, ends
from rulewright.machine.run import Run
from rulewright.odds.answering import Answers, Around
from rulewright.odds.counting import UncountedError
from rulewright.odds.exploration import Fork, Heed, Met
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.odds import odds, started
from rulewright.odds.size import LISTED, LOOKED, Size, size_of

FOLLOWED = 4_000
"""So many steps are followed at most; the answer hangs on no clock."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How much is to be followed of a question; neither is known where sums of a throng of dice are asked."""

    moments: int | None = None  # so many different ones, where all were followed
    size: Size | None = None  # how large it is, where they were not
    met: Met = Met(0, None)  # how far it was followed
    rate: float = 0.0  # so many moments a second
    steps: int = 0  # how much was done to know it


@dataclass(frozen=True, slots=True)
class _Sparing(Around):
    """Answers without long lists of what dice may show."""

    def fork(self, run: Run, memory: Hashable) -> Fork:
        """As `Answers.fork`.

        Raises:
            TooManyOutcomesError: the list would be long.
        """
        if self.throws(run, memory) and run.question().outcomes > LISTED:
            ends(run.executable, run.world)
            chances(run.executable, run.world, LISTED)
        return self.answers.fork(run, memory)


class _EnoughError(Exception):
    """So many steps were followed as may be."""


def estimated(  # noqa: PLR0913, PLR0917
    play: PlayToMeasure, answers: Answers, most: int, heed: Heed, at: Run | None = None, steps: int = maxsize
) -> Estimate:
    """How much is to be followed of a question, of which no more than so many steps are followed.

    Args and what it raises as `odds`.
    """
    begun, before, last, steps = monotonic(), 0, Met(0, None), min(steps, FOLLOWED)

    def told(met: Met) -> None:
        nonlocal before, last
        before, last = before + (last.steps if met.steps < last.steps else 0), met
        heed(met)
        if before + met.steps > steps:
            raise _EnoughError

    try:
        found = odds(play, _Sparing(answers), most, told, at)
        if not found.open:
            return Estimate(found.moments, steps=before + last.steps)
    except _EnoughError:
        pass
    except TooManyOutcomesError as many:
        if many.count > MOST_OUTCOMES or many.is_endless or isinstance(many, UncountedError):
            raise
    rate = last.moments / max(monotonic() - begun, 0.001)
    try:
        size = size_of(at or started(play.begun), answers.each_step)
    except TooManyOutcomesError as many:
        if not (many.is_sum and last.together):
            raise
        size = None
    return Estimate(None, size, last, rate, before + last.steps + LOOKED)
