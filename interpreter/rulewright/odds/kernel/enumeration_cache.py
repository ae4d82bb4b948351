"""All chance outcomes of a play by compiled code, for many starts of one shape, as in a sweep.

The kernel serves every start with the same things, boards and settings. `wasm_kernel` compiles; it is imported when wanted.
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.kernel.value_shapes import BatchUnsupportedError

if TYPE_CHECKING:
    from rulewright.odds.kernel.wasm_kernel import EnumerationKernel

MIN_STATES_WORTH_ENUMERATING = 100
"""Explored states that cost as much as compiling the kernel."""


MAX_ENUMERATED_PATHS = 100_000
"""Paths that are enumerated at most; they take less time than exploring `MIN_STATES_WORTH_ENUMERATING` states."""


class EnumerationCache:
    """Kernel of an executable for one shape of start, compiled once enough was explored without it."""

    def __init__(self, play: MeasuredPlay, answers: PlayAnswerer) -> None:
        self.enumeration_shape = _enumeration_shape(play, answers)  # what all starts share
        self._answerer = answers
        self._explored_states = 0
        self._was_compiled = False
        self._kernel: EnumerationKernel | None = None

    @classmethod
    def find_or_create(cls, play: MeasuredPlay, answers: PlayAnswerer) -> "EnumerationCache | None":
        """The entry of a shape in the cache of the executable; None where paths cannot be enumerated."""
        if not answers.allows_merging or answers.at_fork is not None or play.conditions or play.start.executable.traced:
            return None
        cache = play.start.executable.cache
        result = cache.get(EnumerationCache)
        if result is None or result.enumeration_shape != _enumeration_shape(play, answers):
            result = cache[EnumerationCache] = cls(play, answers)
        return result

    def add_explored_states(self, moments: int) -> None:
        self._explored_states += moments

    def enumerate_odds(self, play: MeasuredPlay) -> tuple[tuple[dict[Any, Fraction], ...], int] | None:
        """By measure the probability of each value, and the number of paths; None where they are not enumerated."""
        if self._explored_states < MIN_STATES_WORTH_ENUMERATING:
            return None
        try:
            if not self._was_compiled:
                self._was_compiled = True
                self._kernel = _compile_enumeration(play, self._answerer)
            elif self._kernel is not None:
                self._kernel.set_start(play.start)
        except BatchUnsupportedError:
            self._kernel = None
        result = None if self._kernel is None else self._kernel.enumerate_paths(MAX_ENUMERATED_PATHS)
        if result is None:
            self._kernel = None
        return result


def _enumeration_shape(play: MeasuredPlay, answers: PlayAnswerer) -> tuple[Any, ...]:
    """All that is compiled in: everything but values of attributes and fields of the game, and roles."""
    start = play.start
    base = start.situation.base
    things = {kind: len(item) for kind, item in base.things.items()}
    question = play.measure_names, play.argument_lists, start.procedure.name, start.limits
    return question, answers.policy, answers.script, answers.policies, things, base.boards, base.settings, base.tables


def _compile_enumeration(play: MeasuredPlay, answers: PlayAnswerer) -> "EnumerationKernel | None":
    try:
        from rulewright.odds.kernel.wasm_kernel import EnumerationKernel, write_kernel  # noqa: PLC0415

        return EnumerationKernel(write_kernel(play, answers, every=True))
    except ModuleNotFoundError:
        return None
