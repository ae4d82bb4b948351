"""Tries edits alone: the old revision against a hybrid that has them."""

from collections.abc import Iterator, Sequence
from time import monotonic

from rulewright.comparing.playing.bench import Bench, Task
from rulewright.comparing.playing.changes import altered
from rulewright.comparing.playing.checking import Alone, Check, is_like
from rulewright.comparing.playing.data import Fixtures
from rulewright.comparing.playing.entering import matter
from rulewright.comparing.playing.finding import Found, found
from rulewright.comparing.playing.recorded import played_again, save_of
from rulewright.comparing.playing.replaying import as_found
from rulewright.comparing.playing.searching import searched
from rulewright.comparing.separating.groups import Group
from rulewright.comparing.separating.hybrids import Hybrids
from rulewright.frozen import dataclass
from rulewright.inputs.save import Save
from rulewright.program.declarations import Program

SEEN, HIDDEN, WHOLE, SILENT, UNTRIED = "seen", "hidden", "whole", "silent", "untried"
_KINDS = 4


@dataclass(frozen=True, slots=True)
class Kit:
    """What trials need.

    Attributes:
        hybrids: all of them.
        task: the old revision and the new one.
        pool: plays of the old revision that part it from the new one, to be tried first.
        plays: of a search for one group.
        until: a moment of the monotonic clock.
    """

    hybrids: Hybrids
    task: Task
    pool: tuple[Save, ...]
    plays: int
    until: float | None


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a group.

    Attributes:
        outcome: `seen`, `hidden` (only where other edits are not made), `whole` (it cannot be made alone), `silent`
            (no play found), `untried` (no time).
        found: a play of the old revision and the new one, where it is seen.
        alone: what shows that.
    """

    outcome: str
    found: Found | None = None
    alone: Alone | None = None


class Trials:
    """Trials of groups, one after the other."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._bench = Bench(kit.task)

    def of(self, group: Group) -> Trial:
        """Plays a group alone until a play of it also parts the old revision and the new one."""
        if self._is_over():
            return Trial(UNTRIED)
        hybrid = self._kit.hybrids.of(group.made)
        if hybrid is None or hybrid.program is None:
            return Trial(WHOLE)
        made = self._task(hybrid.program)
        check: Check | None = None
        hidden, doubling = False, None
        for each in self._plays(Bench(made)) if made.entrances else ():
            check = check or Check(Alone(made, self._without(group)))
            if check.shows(each):
                play = played_again(self._bench, save_of(each), 0)
                if play is None or not is_like(play, each):
                    hidden = True
                elif each.doubles:
                    doubling = doubling or Trial(SEEN, as_found(self._bench, play), check.alone)
                else:
                    return Trial(SEEN, as_found(self._bench, play), check.alone)
        return doubling or Trial(HIDDEN if hidden else UNTRIED if self._is_over() else SILENT)

    def _is_over(self) -> bool:
        return self._kit.until is not None and monotonic() > self._kit.until

    def _plays(self, bench: Bench) -> Iterator[Found]:
        """Plays that part, first those that are known."""
        for save in self._kit.pool:
            if self._is_over():
                return
            play = played_again(bench, save, 0)
            if play is not None and play.differs:
                yield found(play, bench.heard(play))
        yield from searched(bench, 0, self._kit.plays, _KINDS, self._kit.until).found

    def _task(self, program: Program) -> Task:
        """The old revision against another one."""
        task, names = self._kit.task, self._kit.hybrids.names(program)
        fixtures = Fixtures(task.fixtures.old)
        changes = altered(task.old, program, names, None)
        begun = tuple((old, names.new("procedure", old) or "") for old, _ in task.entrances)
        known = tuple(each for each in begun if each[1] in program.procedures and not program.procedures[each[1]].inner)
        return matter(Task(task.old, program, names, changes, fixtures, known, task.seed))

    def _without(self, group: Group) -> Task | None:
        loaded = self._kit.hybrids.of(group.others) if group.others else None
        return None if loaded is None or loaded.program is None else self._task(loaded.program)


def trials(kit: Kit, groups: Sequence[Group], workers: int) -> Iterator[Trial]:
    """What becomes of groups, in order; in this process or in several."""
    if workers <= 1 or len(groups) <= 1:
        here = Trials(kit)
        yield from map(here.of, groups)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - seldom wanted

    with ProcessPoolExecutor(workers, initializer=_begin, initargs=(kit,)) as pool:
        yield from pool.map(_tried, groups)


_TRIALS: list[Trials] = []
"""Those of a worker."""


def _begin(kit: Kit) -> None:
    _TRIALS[:] = [Trials(kit)]


def _tried(group: Group) -> Trial:
    return _TRIALS[0].of(group)
