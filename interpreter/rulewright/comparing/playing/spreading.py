"""Parts of a search and witnesses to be made small, in one process or several; which edit a play shows."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from rulewright.comparing.playing.bench import Bench, Task
from rulewright.comparing.playing.data import Effort, Heed, Separated, Subject, Work
from rulewright.comparing.playing.replays import Found, played_again, save_of, standing
from rulewright.comparing.playing.searching import Shard, searched
from rulewright.comparing.playing.shrinking import shrunk
from rulewright.comparing.playing.side_by_side import LIMITS, Played
from rulewright.diagnostics.terminal import PLAIN, Paint
from rulewright.drivers.chance import Chance
from rulewright.drivers.session import Begun, Past, Session, Turn
from rulewright.drivers.sources import Given, Sources
from rulewright.drivers.story import Story
from rulewright.frozen import dataclass
from rulewright.inputs.names import Names
from rulewright.inputs.save import Save
from rulewright.machine.executable import Executable
from rulewright.machine.trace import Entry
from rulewright.program.statements import RankKey
from rulewright.workers import started_workers


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that happened, as far as a decisive trace tells it."""

    address: str  # where, as the new revision calls it where it has the place
    content: object  # what came of it: values, changes and rows, without words and without what was read on the way
    lines: tuple[str, ...]  # as it is told
    changes: bool = False  # whether something was changed by it

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
    turns = Past(Turn(each.asked.paused[side], Given(each.given[side], "person"), sources) for each in play.turns)
    return Session(begun, play.outcomes[side], sources, turns)


def moments(session: Session, addresses: Mapping[str, str], paint: Paint = PLAIN) -> Iterator[Moment]:
    """What is told of a play; `addresses` are those of the other revision by its own."""
    story = Story(session.begun.names, "decisive", paint, unmet=True)
    for entries, turn in session.parts:
        for entry in entries:
            lines = tuple(story.told((entry,)))
            if lines:
                yield Moment(addresses.get(entry.address, entry.address), _content(entry), lines, bool(entry.changes))
        if turn is not None and (turn.asked.sort not in {"roll", "draw"} or isinstance(turn.asked.node, RankKey)):
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


@dataclass(frozen=True, slots=True)
class Alone:
    """An edit by itself."""

    made: Task  # the old revision against a hybrid with the edit and what it needs
    without: Task | None  # the same with what it needs alone; none where that has no edits of its own


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

PARTS = 8
_BEHIND = 8


def shards(bench: Bench, work: Work, effort: Effort) -> Iterator[Shard]:
    """The parts of a search in order, each with the same share of the work: one here first, then as they are wanted.

    Which plays a part makes does not depend on how many processes there are. What the parts cost is for the caller to
    take from the work: of parts that were made and are not wanted nothing counts.
    """
    share = work.part(work.left // PARTS)
    yield searched(bench, 0, effort.witnesses, share.part(share.left))
    if effort.workers > 1:
        yield from _spread(bench.task, share, effort)
        return
    for number in range(1, PARTS):
        yield searched(bench, number, effort.witnesses, share.part(share.left))


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest play like another that shows the same edit; none where it does not part again. What that cost."""

    found: Found | None
    work: int
    cut: bool


def smallest(
    bench: Bench, found: Sequence[tuple[Found, Alone | None]], work: Work, effort: Effort
) -> Iterator[Smallest]:
    """The smallest play like each of some, in order, each with a share of the work.

    Where some show one edit by itself, the others, which come after them, have an eighth of it.
    """
    share = work.part(work.left // max(1, len(found)))
    some_alone = any(alone is not None for _, alone in found)
    shares = [share.part(share.left // _BEHIND) if some_alone and alone is None else share for _, alone in found]
    if effort.workers <= 1 or len(found) <= 1:
        pairs = zip(found, shares, strict=True)
        yield from (_smallest(bench, *each, effort.shrinks, part.part(part.left)) for each, part in pairs)
        return
    with started_workers(effort.workers, _begin, bench.task) as pool:
        yield from pool.map(_shrunk, *zip(*found, strict=True), [effort.shrinks] * len(found), shares)


def _smallest(bench: Bench, each: Found, alone: Alone | None, most: int, work: Work) -> Smallest:
    before = work.left
    if alone is None:
        made = shrunk(bench, each, most, work)
    else:
        check = Check(alone, bench)
        made = shrunk(bench, each, most, work, lambda smaller: check.credited(smaller, work))
    return Smallest(made, before - work.left, work.cut)


def _spread(task: Task, share: Work, effort: Effort) -> Iterator[Shard]:
    pool = started_workers(effort.workers, _begin, task)
    try:
        parts = [pool.submit(_part, number, effort.witnesses, share) for number in range(1, PARTS)]
        for each in parts:
            yield each.result()
    finally:
        pool.shutdown(cancel_futures=True)


_BENCHES: list[Bench] = []
"""That of a worker, made once for all its parts."""


def _begin(task: Task) -> None:
    _BENCHES[:] = [Bench(task)]


def _shrunk(each: Found, alone: Alone | None, most: int, share: Work) -> Smallest:
    return _smallest(_BENCHES[0], each, alone, most, share.part(share.left))


def _part(number: int, enough: int, share: Work) -> Shard:
    return searched(_BENCHES[0], number, enough, share.part(share.left))
