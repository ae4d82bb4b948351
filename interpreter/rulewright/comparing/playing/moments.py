"""What readers see of a play of two revisions, moment by moment, and the first that they see otherwise in the other."""

from collections.abc import Iterator, Mapping

from rulewright.comparing.playing.side_by_side import LIMITS, Played
from rulewright.diagnostics.paint import PLAIN, Paint
from rulewright.drivers.chance import Chance
from rulewright.drivers.session import Begun, Past, Session, Turn
from rulewright.drivers.sources import Given, Sources
from rulewright.drivers.story import Story
from rulewright.frozen import dataclass
from rulewright.inputs.names import Names
from rulewright.machine.executable import Executable
from rulewright.machine.trace import Entry
from rulewright.program.statements import RankKey


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that happened, as far as a decisive trace tells it.

    Attributes:
        address: where, as the new revision calls it where it has the place.
        content: what came of it: values, changes and rows, without words and without what was read on the way.
        lines: as it is told.
        changes: whether something was changed by it.
    """

    address: str
    content: object
    lines: tuple[str, ...]
    changes: bool = False

    def is_like(self, other: "Moment") -> bool:
        """Whether the same happened, though it may be told in other words."""
        return self.lines == other.lines or (self.address, self.content) == (other.address, other.content)


First = tuple[int, tuple[str, ...], object]
"""The first visible difference: its number, how the old revision tells it, and what happened then in the new one."""


def session_of(play: Played, side: int, executable: Executable) -> Session:
    """The play of one revision, 0 for the old one, as drivers have it."""
    opened = play.opened
    situation = opened.situations[side]
    begun = Begun(executable, opened.procedures[side], situation, opened.arguments[side], LIMITS)
    sources = Sources(Names(executable.program, situation.base), Chance(0))
    turns = Past(Turn(each.paused[side], Given(each.given[side], "person"), sources) for each in play.turns)
    return Session(begun, play.outcomes[side], sources, turns)


def moments(session: Session, addresses: Mapping[str, str], paint: Paint = PLAIN) -> Iterator[Moment]:
    """What is told of a play; `addresses` are those of the other revision by its own."""
    story = Story(session.begun.names, "decisive", paint, unmet=True)
    for entries, turn in session.parts:
        for entry in entries:
            lines = tuple(story.told((entry,)))
            if lines:
                yield Moment(addresses.get(entry.address, entry.address), _content(entry), lines, bool(entry.changes))
        if turn is not None and (turn.asked.sort != "roll" or isinstance(turn.asked.node, RankKey)):
            at = turn.asked.address
            yield Moment(addresses.get(at, at), "answer", tuple(story.answered(turn)))


def first_difference(play: Played, executables: tuple[Executable, Executable]) -> First:
    """The first thing a reader sees otherwise in the two revisions; the ends where all before is alike."""
    across = play.opened.common.ways.across.names.addresses
    old, new = (
        list(moments(session_of(play, side, executables[side]), known)) for side, known in ((0, across), (1, {}))
    )
    apart = (number for number, pair in enumerate(zip(old, new, strict=False)) if not pair[0].is_like(pair[1]))
    number = next(apart, min(len(old), len(new)))
    return number, next((each.lines for each in old[number:]), ()), next((each.content for each in new[number:]), None)


def _content(entry: Entry) -> object:
    return (
        entry.sort,
        entry.result if entry.sort != "roll" else tuple(each.face for each in entry.dice),
        tuple(each.after for each in entry.changes),
        tuple((each.outcome, each.value) for each in entry.rows),
        tuple((inner.result, tuple((each.outcome, each.value) for each in inner.rows)) for inner in entry.inner),
    )
