"""Whether a play shows a certain edit: it parts the old one from a hybrid that has it; and which plays are shown."""

from collections.abc import Callable, Sequence

from rulewright.comparing.playing.bench import Bench, Task
from rulewright.comparing.playing.data import Heed, Separated, Subject
from rulewright.comparing.playing.finding import Found, standing
from rulewright.comparing.playing.moments import first_difference
from rulewright.comparing.playing.recorded import played_again, save_of
from rulewright.comparing.playing.side_by_side import Played
from rulewright.comparing.playing.work import Work
from rulewright.frozen import dataclass
from rulewright.inputs.save import Save


@dataclass(frozen=True, slots=True)
class Alone:
    """An edit by itself.

    Attributes:
        made: the old revision against a hybrid with the edit and what it needs.
        without: the same with what it needs alone; none where that has no edits of its own.
    """

    made: Task
    without: Task | None


class Check:
    """Plays of the old revision, held against an edit by itself.

    Args:
        alone: the edit.
        both: the old revision and the new one.
        made: the old revision and the hybrid, where it is at hand.
    """

    def __init__(self, alone: Alone, both: Bench, made: Bench | None = None) -> None:
        self.alone = alone
        self._both = both
        self._made = made or Bench(alone.made)
        self._without = None if alone.without is None else Bench(alone.without)

    def shows(self, wanted: Found, work: Work) -> bool:
        """Whether a play parts in the same way where the edit is made, and not where it is not."""
        return self._shown(wanted, work) is not None

    def credited(self, wanted: Found, work: Work) -> bool:
        """Whether a play shows the edit in the new revision too, and what is seen first there comes from it."""
        alone, play = self._shown(wanted, work), played_again(self._both, save_of(wanted), 0, work)
        if alone is None or play is None or not is_like(play, wanted):
            return False
        return first_difference(alone, self._made.executables) == first_difference(play, self._both.executables)

    def _shown(self, wanted: Found, work: Work) -> Played | None:
        """The play of the edit by itself; none where it does not show it."""
        save = save_of(wanted)
        play = played_again(self._made, save, 0, work)
        if play is None or not is_like(play, wanted):
            return None
        other = None if self._without is None else played_again(self._without, save, 0, work)
        return None if other is not None and is_like(other, wanted) else play


def is_like(play: Played, wanted: Found) -> bool:
    """Whether a play parts in the same way, at the same place of the old revision."""
    return play.sort == wanted.sort and standing(play.outcomes[0]) == wanted.addresses[0]


@dataclass(frozen=True, slots=True)
class Shown:
    """A play, the edits it is about, and what shows that, where a hybrid was needed."""

    found: Found
    subject: Subject | None = None
    alone: Alone | None = None


@dataclass(frozen=True, slots=True)
class Apart:
    """The plays about some edits each, in the order of the text; and what became of all edits, if it is known."""

    shown: tuple[Shown, ...]
    separated: Separated | None


Separate = Callable[[Task, Sequence[Found], Sequence[Save], Work, int, Heed], Apart]
"""Tells edits apart: from what is compared, plays that part it, more to try, the work and the number of processes."""
