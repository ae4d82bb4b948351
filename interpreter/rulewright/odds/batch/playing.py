"""Who plays many times: the batch path where it is installed and takes the play, else `Run`; alone or in pairs."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulewright.odds.answering import Answers
from rulewright.odds.batch.shapes import UnfitError
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.pairs import Side, paired
from rulewright.odds.simulation import Counted, simulated

if TYPE_CHECKING:
    from rulewright.odds.batch.running import Kernel

_FEW = 0.5
"""Where the batch path gives back a larger share of plays it is left."""


class Playing:
    """Plays from one start; whoever plays, the same number under the same seed is the same play.

    Attributes:
        refused: why the batch path does not play this; empty where it does, is not installed or is not wanted.
    """

    def __init__(self, play: PlayToMeasure, answers: Answers, *, batch: bool) -> None:
        """`batch` says whether so much is played that the batch path is worth its beginning."""
        self._play = play
        self._answers = answers
        self._batch = batch
        self._kernel: Kernel | None = None
        self.refused = ""

    @property
    def is_batch(self) -> bool:
        """Whether the batch path plays, as far as it was tried."""
        return self._kernel is not None

    def counted(self, seed: int, plays: range) -> Counted:
        """Plays by their numbers.

        Raises:
            CannotBeginError: the procedure cannot begin.
            UnansweredError: a play stops at a question.
        """
        if self._batch:
            self._batch = False
            self._kernel = self._opened()
        if self._kernel is None:
            return simulated(self._play, self._answers, seed, plays)
        values, back = self._kernel.played(seed, plays)
        if len(back) > _FEW * len(plays):
            self.refused = Counter(back.values()).most_common(1)[0][0]
            self._kernel = None
        return Counted(len(plays) - len(back), values, {}).plus(
            simulated(self._play, self._answers, seed, sorted(back))
        )

    def _opened(self) -> "Kernel | None":
        try:
            from rulewright.odds.batch.kernel import written  # noqa: PLC0415
            from rulewright.odds.batch.running import Kernel  # noqa: PLC0415

            return Kernel(written(self._play, self._answers))
        except ModuleNotFoundError:
            return None
        except UnfitError as unfit:
            self.refused = str(unfit)
            return None


class Plays:
    """What is played from each of some starts: a side alone, or two beside each other; it can be sent to a process."""

    def __init__(self, starts: Sequence[tuple[Side, ...]]) -> None:
        self._starts = starts
        self._playing: dict[int, Playing] = {}

    def __reduce__(self) -> tuple[type["Plays"], tuple[object, ...]]:
        """What began to play stays here."""
        return Plays, (self._starts,)

    def counted(self, start: int, seed: int, plays: range, *, batch: bool = False) -> Counted:
        """Plays or pairs from a start by their numbers; raises as `simulated`.

        `batch` says whether so much is played that the batch path is worth its beginning.
        """
        first, *other = self._starts[start]
        if other:
            return paired((first, other[0]), seed, plays)
        if start not in self._playing:
            self._playing[start] = Playing(first.play, first.answers, batch=batch)
        return self._playing[start].counted(seed, plays)

    def is_batch(self, start: int) -> bool:
        """Whether the batch path plays from a start, as far as it was tried."""
        return start in self._playing and self._playing[start].is_batch

    def refused(self, start: int) -> str:
        """Why the batch path does not play from a start; empty where there is no reason."""
        return self._playing[start].refused if start in self._playing else ""
