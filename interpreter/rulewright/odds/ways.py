"""Odds of plays that are asked of many starts: every way of chance gone as WebAssembly, where that is worth writing.

What is written serves every start with the same things, boards and readings, so that a sweep pays for it once.
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rulewright.odds.answering import Answers
from rulewright.odds.batch.shapes import UnfitError
from rulewright.odds.exploration import Answering
from rulewright.odds.measures import PlayToMeasure

if TYPE_CHECKING:
    from rulewright.odds.batch.running import Ways

WORTH = 100
"""So many moments followed cost what writing the ways of a play does."""
MOST_WAYS = 100_000
"""So many ways are gone; they take less than the moments that `WORTH` counts."""


class EveryWay:
    """What an executable is asked again and again, and the ways of it once they are written."""

    def __init__(self, play: PlayToMeasure, answers: Answers) -> None:
        self.shape = _shape(play, answers)  # what all starts have in common
        self._answers = answers
        self._followed = 0
        self._written = False
        self._ways: Ways | None = None

    @classmethod
    def of(cls, play: PlayToMeasure, answers: Answering) -> "EveryWay | None":
        """What was kept of plays of this shape; none of what every way cannot be gone of."""
        if not (isinstance(answers, Answers) and answers.forgets) or play.conditions or play.begun.executable.traced:
            return None
        kept = play.begun.executable.kept
        found = kept.get(EveryWay)
        if found is None or found.shape != _shape(play, answers):
            found = kept[EveryWay] = cls(play, answers)
        return found

    def followed(self, moments: int) -> None:
        """So many moments were followed, since the ways are not gone."""
        self._followed += moments

    def odds(self, play: PlayToMeasure) -> tuple[tuple[dict[Any, Fraction], ...], int] | None:
        """For each measure how likely each value is, and how many ways there are; none where they are not gone."""
        if self._followed < WORTH:
            return None
        try:
            if not self._written:
                self._written = True
                self._ways = _written(play, self._answers)
            elif self._ways is not None:
                self._ways.begin(play.begun)
        except UnfitError:
            self._ways = None
        found = None if self._ways is None else self._ways.gone(MOST_WAYS)
        if found is None:
            self._ways = None
        return found


def _shape(play: PlayToMeasure, answers: Answers) -> tuple[Any, ...]:
    """What is written out: all but values of attributes and of the game, and who plays which role."""
    begun = play.begun
    base = begun.situation.base
    things = {kind: len(each) for kind, each in base.things.items()}
    asked = play.names, play.given, begun.procedure.name, begun.limits
    return asked, answers.policy, answers.script, answers.policies, things, base.boards, base.settings, base.tables


def _written(play: PlayToMeasure, answers: Answers) -> "Ways | None":
    try:
        from rulewright.odds.batch.kernel import written  # noqa: PLC0415
        from rulewright.odds.batch.running import Ways  # noqa: PLC0415

        return Ways(written(play, answers, every=True))
    except ModuleNotFoundError:
        return None
