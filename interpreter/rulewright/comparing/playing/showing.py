"""The plays that are shown, and which edits each of them is about."""

from collections.abc import Callable, Sequence

from rulewright.comparing.playing.bench import Task
from rulewright.comparing.playing.checking import Alone
from rulewright.comparing.playing.data import Heed, Separated, Subject
from rulewright.comparing.playing.finding import Found
from rulewright.comparing.playing.work import Work
from rulewright.frozen import dataclass
from rulewright.inputs.save import Save


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
