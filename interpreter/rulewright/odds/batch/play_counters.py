"""Who plays many times: the batch path where it is installed and takes the play, else `Run`; alone or in pairs."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.batch.integer_encoding import BatchUnsupportedError
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.monte_carlo import PairedSide, PlayCounts, simulate_pairs, simulate_plays

if TYPE_CHECKING:
    from rulewright.odds.batch.wasm_kernel import SimulationKernel

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
