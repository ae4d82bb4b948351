"""What is asked of plays, in the working memory in which each has ended."""

from typing import Any

from rulewright.machine.faults import Fault
from rulewright.machine.later import Later, joined
from rulewright.machine.run import COMES_TO
from rulewright.machine.world import CONTROL, STACK, World
from rulewright.odds.measures import PlayToMeasure

_RESULT: Any = object()
"""Stands for what a play comes to."""


class AtEnds:
    """What each measure that is told is worth in working memories in which plays have ended."""

    __slots__ = ("_asked", "_play")

    def __init__(self, play: PlayToMeasure) -> None:
        functions = play.begun.executable.measures
        # by measure its function, what is given to it, and whether the result of a play is among that; none if unwanted
        self._asked = [
            (functions[name], play.arguments(number, _RESULT), any(each.is_result for each in play.given[number]))
            if number < play.told or number >= len(play.measures)
            else None
            for number, name in enumerate(play.names)
        ]
        self._play = play

    def values(self, world: World) -> tuple[Any, ...]:
        """What they are worth in one of them; it may hang on lots.

        Raises:
            Undecided: what is asked has to know what is left open.
            NoConditionError: a condition has no value there.
        """
        control, result = world[CONTROL], world[STACK][0][COMES_TO]
        control.left, control.room = control.limits.work, control.limits.size
        found: list[Any] = []
        for asked in self._asked:
            if asked is None:
                found.append(None)
                continue
            function, given, takes_result = asked
            if takes_result:
                given = [result if each is _RESULT else each for each in given]
            try:
                value = function(world, *given)
                found.append(joined(value) if isinstance(value, Later | tuple) else value)
            except Fault:
                found.append(None)
        return self._play.asked_of(found)[: self._play.told]
