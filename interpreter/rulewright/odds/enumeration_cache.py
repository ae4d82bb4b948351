"""Odds of plays that are asked of many starts: every way of chance gone as WebAssembly, where that is worth writing.

What is written serves every start with the same things, boards and readings, so that a sweep pays for it once.
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.batch.integer_encoding import BatchUnsupportedError
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.state_exploration import StateAnswerer

if TYPE_CHECKING:
    from rulewright.odds.batch.wasm_kernel import EnumerationKernel

MIN_STATES_WORTH_ENUMERATING = 100
"""So many moments followed cost what writing the ways of a play does."""
MAX_ENUMERATED_PATHS = 100_000
"""So many ways are gone; they take less than the moments that `MIN_STATES_WORTH_ENUMERATING` counts."""


class EnumerationCache:
    """What an executable is asked again and again, and the ways of it once they are written."""

    def __init__(self, play: MeasuredPlay, answers: PlayAnswerer) -> None:
        self.enumeration_shape = _enumeration_shape(play, answers)  # what all starts have in common
        self._answerer = answers
        self._explored_states = 0
        self._was_compiled = False
        self._kernel: EnumerationKernel | None = None

    @classmethod
    def find_or_create(cls, play: MeasuredPlay, answers: StateAnswerer) -> "EnumerationCache | None":
        """What was kept of plays of this shape; none of what every way cannot be gone of."""
        if (
            not (isinstance(answers, PlayAnswerer) and answers.allows_merging)
            or play.conditions
            or play.begun.executable.traced
        ):
            return None
        kept = play.begun.executable.cache
        result = kept.get(EnumerationCache)
        if result is None or result.enumeration_shape != _enumeration_shape(play, answers):
            result = kept[EnumerationCache] = cls(play, answers)
        return result

    def add_explored_states(self, moments: int) -> None:
        """So many moments were followed, since the ways are not gone."""
        self._explored_states += moments

    def enumerate_odds(self, play: MeasuredPlay) -> tuple[tuple[dict[Any, Fraction], ...], int] | None:
        """For each measure how likely each value is, and how many ways there are; none where they are not gone."""
        if self._explored_states < MIN_STATES_WORTH_ENUMERATING:
            return None
        try:
            if not self._was_compiled:
                self._was_compiled = True
                self._kernel = _compile_enumeration(play, self._answerer)
            elif self._kernel is not None:
                self._kernel.set_start(play.begun)
        except BatchUnsupportedError:
            self._kernel = None
        result = None if self._kernel is None else self._kernel.enumerate_paths(MAX_ENUMERATED_PATHS)
        if result is None:
            self._kernel = None
        return result


def _enumeration_shape(play: MeasuredPlay, answers: PlayAnswerer) -> tuple[Any, ...]:
    """What is written out: all but values of attributes and of the game, and who plays which role."""
    begun = play.begun
    base = begun.situation.base
    things = {kind: len(item) for kind, item in base.things.items()}
    asked = play.measure_names, play.argument_lists, begun.procedure.name, begun.limits
    return asked, answers.policy, answers.script, answers.policies, things, base.boards, base.settings, base.tables


def _compile_enumeration(play: MeasuredPlay, answers: PlayAnswerer) -> "EnumerationKernel | None":
    try:
        from rulewright.odds.batch.wasm_kernel import EnumerationKernel, write_kernel  # noqa: PLC0415

        return EnumerationKernel(write_kernel(play, answers, every=True))
    except ModuleNotFoundError:
        return None
