"""The legal answers of a question where to place a thing, or how to turn it."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from rulewright.machine.faults import Fault, Wanted
from rulewright.machine.placing.look import Told, accepted, kept_facing, poses, told
from rulewright.machine.world import World

Judge = Callable[[World, Any, Any], int | None] | None
_ALL = 36_000
_STEPS = (9_000, 4_500, 1_500, 500, 100, 10, 1)
_HUNDREDTHS = 100


class Spots:
    """The legal answers of one question, among the places or headings that are tried.

    Attributes:
        data: of the request: the sort, the thing, names of the functions that judge `require` and each `prefer`, of
            the one that tells of the search, and whether every place has to fit.
    """

    def __init__(self, world: World, frame: list[Any], data: tuple[Any, ...]) -> None:
        self._world = world
        self._frame = frame
        self.data = data
        _, self._thing, required, preferred, *_ = data
        functions = world[0].functions
        self._required: Judge = functions[required] if required else None
        self._preferred: tuple[Judge, ...] = tuple(functions[each] for each in preferred)

    def _told(self) -> Told:
        name = self.data[4]
        facts = self._world[0].functions[name] if name else None
        return told(None if facts is None else lambda: facts(self._world, self._frame))

    def _tried(self) -> Iterator[Any]:
        if self.data[0] == "heading":
            return headings(self._world, self._thing)
        return poses(self._world, self._thing, self._told(), solid=self.data[5])

    def _satisfying(self, judges: tuple[Judge, ...]) -> Iterator[Any]:
        asked = [judge for judge in judges if judge is not None]
        return (each for each in self._tried() if self._holds(asked, each))

    def _holds(self, judges: Sequence[Callable[[World, Any, Any], int | None]], answer: Any) -> bool:  # noqa: ANN401
        """Whether an answer satisfies all of these; where that cannot be judged it does not."""
        try:
            return all(judge(self._world, self._frame, answer) is None for judge in judges)
        except (Fault, Wanted):
            return False

    def judges(self) -> tuple[Judge, ...]:
        """The rows that every legal answer satisfies: `require`, and each `prefer` that some answer tried satisfies."""
        judges: tuple[Judge, ...] = (self._required,)
        for each in self._preferred:
            if next(self._satisfying((*judges, each)), None) is not None:
                judges = (*judges, each)
        return judges

    def answers(self) -> Iterator[Any]:
        """The legal answers among those that are tried, in order."""
        return self._satisfying(self.judges())

    def witness(self) -> Any:  # noqa: ANN401
        """A legal answer; none where none is found."""
        return next(self.answers(), None)

    def sound(self) -> None:
        """Judges one answer, so that external values which that takes are asked for before the question."""
        if self._required is not None:
            required, found = self._required, next(self._tried(), None)
            if found is not None:
                accepted(lambda each: required(self._world, self._frame, each) is None, found)

    def impossible(self) -> bool:
        """Whether it is sure, without a search, that there is no place: nothing is there that must be touched."""
        return self.data[0] == "place" and self._told()[0] == ()


def sounded(world: World, frame: list[Any], data: tuple[Any, ...]) -> tuple[Any, ...]:
    """The data of a request, once the external values that judging takes are known."""
    Spots(world, frame, data).sound()
    return data


def headings(world: World, thing: int) -> Iterator[int | Fraction]:
    """All angles: that of the thing, then coarser ones before finer ones, each once."""
    yield (kept := kept_facing(world, thing))
    before = _ALL
    for step in _STEPS:
        for hundredths in range(0, _ALL, step):
            if (before == _ALL or hundredths % before) and hundredths != kept * _HUNDREDTHS:
                exact = Fraction(hundredths, _HUNDREDTHS)
                yield exact.numerator if exact.denominator == 1 else exact
        before = step
