"""Tries many edits alone, each in a play of its own: the old revision against a hybrid that has them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from rulewright.comparing.comparison import Comparison
from rulewright.comparing.playing.bench import Bench, Task
from rulewright.comparing.playing.changes import altered
from rulewright.comparing.playing.comparing import matter
from rulewright.comparing.playing.data import HYBRID, Fixtures, Heed, Progress, Separated, Subject, Work
from rulewright.comparing.playing.replays import Found, as_found, found, played_again, save_of
from rulewright.comparing.playing.searching import searched
from rulewright.comparing.playing.shrinking import shrunk
from rulewright.comparing.playing.spreading import Alone, Apart, Check, Shown
from rulewright.comparing.separating.hybrids import Group, Hybrids, groups, widened
from rulewright.frozen import dataclass
from rulewright.inputs.save import Save
from rulewright.program.declarations import Program
from rulewright.workers import started_workers

SEEN, HIDDEN, WHOLE, SILENT, UNTRIED = "seen", "hidden", "whole", "silent", "untried"
_KINDS, _TOGETHER = 4, 8
_SHRINKS = 100
_LEAST = 2 * HYBRID
"""The smallest share of the work that a group is tried with."""


@dataclass(frozen=True, slots=True)
class Kit:
    """What trials need."""

    hybrids: Hybrids  # all of them
    task: Task  # the old revision and the new one
    pool: tuple[Save, ...]  # plays of the old revision that part it from the new one, to be tried first


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a group."""

    # `seen`, `hidden` (only where other edits are not made), `whole` (it cannot be made alone), `silent` (no play
    # found), `untried` (no work left)
    outcome: str
    found: Found | None = None  # a play of the old revision and the new one, where it is seen
    alone: Alone | None = None  # what shows that
    work: int = 0  # what it cost
    cut: bool = False  # whether the clock ended it


class Trials:
    """Trials of groups, one after the other."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._bench = Bench(kit.task)

    def of(self, group: Group, work: Work) -> Trial:
        """Plays a group alone until a play of it also parts the old revision and the new one."""
        before = work.left
        trial = Trial(UNTRIED) if work.over else self._of(group, work)
        return replace(trial, work=before - work.left, cut=work.cut)

    def _of(self, group: Group, work: Work) -> Trial:
        work.spend(HYBRID)
        hybrid = self._kit.hybrids.of(group.made)
        if hybrid is None or hybrid.program is None:
            return Trial(WHOLE)
        made = self._task(hybrid.program)
        check: Check | None = None
        hidden, doubling = False, None
        bench = Bench(made)
        for each in self._plays(bench, work) if made.entrances else ():
            check = check or Check(Alone(made, self._without(group, work)), self._bench, bench)
            if not check.shows(each, work):
                continue
            credited = _credited(each, bench, check, work)
            play = None if credited is None else played_again(self._bench, save_of(credited), 0, work)
            if play is None:
                hidden = True
            elif each.doubles:
                doubling = doubling or Trial(SEEN, as_found(self._bench, play), check.alone)
            else:
                return Trial(SEEN, as_found(self._bench, play), check.alone)
        return doubling or Trial(HIDDEN if hidden else UNTRIED if work.cut else SILENT)

    def _plays(self, bench: Bench, work: Work) -> Iterator[Found]:
        """Plays that part, first those that are known."""
        for save in self._kit.pool:
            if work.over:
                return
            play = played_again(bench, save, 0, work)
            if play is not None and play.differs:
                yield found(play, bench.heard(play))
        yield from searched(bench, 0, _KINDS, work).found

    def _task(self, program: Program) -> Task:
        """The old revision against another one."""
        task, names = self._kit.task, self._kit.hybrids.names(program)
        fixtures = Fixtures(task.fixtures.old)
        changes = altered(task.old, program, names, None)
        begun = tuple((old, names.new("procedure", old) or "") for old, _ in task.entrances)
        known = tuple(each for each in begun if each[1] in program.procedures and not program.procedures[each[1]].inner)
        return matter(Task(task.old, program, names, changes, fixtures, known, task.seed))

    def _without(self, group: Group, work: Work) -> Task | None:
        work.spend(HYBRID if group.others else 0)
        loaded = self._kit.hybrids.of(group.others) if group.others else None
        return None if loaded is None or loaded.program is None else self._task(loaded.program)


def _credited(each: Found, bench: Bench, check: Check, work: Work) -> Found | None:
    """A play, or one made smaller, that shows an edit in the new revision too, before any other."""
    if check.credited(each, work):
        return each
    smaller = shrunk(bench, each, _SHRINKS, work, lambda one: check.shows(one, work))
    return smaller if smaller is not None and check.credited(smaller, work) else None


def trials(kit: Kit, groups: Sequence[Group], work: Work, workers: int) -> Iterator[Trial]:
    """What becomes of groups, in order; in this process or in several.

    They are tried a few at a time, each of these with the same share of the work that those before have left.
    """
    left = list(groups)
    with _started(kit, workers if len(groups) > 1 else 1) as each_of:
        while left and not work.over and work.left >= _LEAST:
            now = left[: min(_TOGETHER, work.left // _LEAST)]
            share = work.part(max(work.left // len(left), _LEAST))
            del left[: len(now)]
            for trial in each_of(now, [share] * len(now)):
                work.join(trial.work, cut=trial.cut)
                yield trial
    yield from [Trial(UNTRIED)] * len(left)


_Tried = Callable[[Sequence[Group], Sequence[Work]], Iterator[Trial]]


@contextmanager
def _started(kit: Kit, workers: int) -> Iterator[_Tried]:
    """Something that tries groups, each with a share of the work."""
    if workers <= 1:
        here = Trials(kit)
        yield lambda groups, shares: map(here.of, groups, (each.part(each.left) for each in shares))
        return
    with started_workers(workers, _begin, kit) as pool:
        yield lambda groups, shares: pool.map(_tried, groups, shares)


_TRIALS: list[Trials] = []
"""Those of a worker."""


def _begin(kit: Kit) -> None:
    _TRIALS[:] = [Trials(kit)]


def _tried(group: Group, share: Work) -> Trial:
    return _TRIALS[0].of(group, share)


class Separator:
    """Tells the edits of a comparison apart.

    Attributes:
        hybrids: the revisions between both.
        groups: the edits that are made together, in the order of the text.
    """

    def __init__(self, hybrids: Hybrids, comparison: Comparison) -> None:
        self.hybrids = hybrids
        self.groups: tuple[Group, ...] = groups(hybrids.units, hybrids.needed, comparison.edits, comparison.remaining)

    def apart(  # noqa: PLR0913, PLR0917
        self, task: Task, found: Sequence[Found], pool: Sequence[Save], work: Work, workers: int, heed: Heed
    ) -> Apart:
        """Tries all edits; nothing is told of them where the hybrids cannot be trusted.

        Args:
            task: the old revision and the new one.
            found: plays that part them, the best first.
            pool: plays of the old revision that part them, to try first.
            work: that may be done.
            workers: processes.
            heed: told how far it is.
        """
        if len(self.groups) == 1 and found:
            subject = self._subject(self.groups[0])
            return Apart((Shown(found[0], subject),), Separated(seen=subject.edits))
        if not self.groups or not self.hybrids.trusted:
            return Apart((), None)
        kit = Kit(self.hybrids, task, tuple(pool))
        first = self._tried(kit, self.groups, work, workers, heed)
        alone = [group for group, each in first if each.outcome == WHOLE]
        again = widened(alone, self.hybrids.units, self.hybrids.needed, self.groups)
        second = self._tried(kit, again, work, workers, heed)
        return self._told(first, second)

    def _tried(
        self, kit: Kit, wanted: Sequence[Group], work: Work, workers: int, heed: Heed
    ) -> list[tuple[Group, Trial]]:
        made: list[tuple[Group, Trial]] = []
        for group, each in zip(wanted, trials(kit, wanted, work, workers), strict=True):
            made.append((group, each))
            heed(Progress("separating", len(made), len(wanted), sum(one.outcome == SEEN for _, one in made)))
        return made

    def _told(self, first: list[tuple[Group, Trial]], second: list[tuple[Group, Trial]]) -> Apart:
        known = {number for group, _ in second for number in group.subject}
        kept = [(group, each) for group, each in first if not known.issuperset(group.subject)]
        made = sorted((*kept, *second), key=lambda pair: pair[0].subject)
        shown = tuple(Shown(each.found, self._subject(group), each.alone) for group, each in made if each.found)
        became: dict[str, tuple[int, ...]] = {}
        for group, each in made:
            became[each.outcome] = (*became.get(each.outcome, ()), *group.subject)
        return Apart(shown, Separated(**became))

    def _subject(self, group: Group) -> Subject:
        units = self.hybrids.units
        made = {edit for number in group.made for edit in units[number].edits}
        return Subject(group.subject, tuple(sorted(made - set(group.subject))))
