"""Tries many edits alone, each in a play of its own: the old revision against a hybrid that has them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from rulewright.base.frozen import dataclass
from rulewright.base.workers import start_process_pool
from rulewright.diff.comparison import RulesetComparison
from rulewright.diff.differential_testing.altered_places import find_altered_places
from rulewright.diff.differential_testing.coverage_guided_search import search_part
from rulewright.diff.differential_testing.harness import ComparisonTask, Harness
from rulewright.diff.differential_testing.parallel_search import (
    AttributedPlay,
    IsolatedEdit,
    IsolationCheck,
    SeparationResult,
)
from rulewright.diff.differential_testing.play_comparison import drop_unaffected_entrances
from rulewright.diff.differential_testing.play_shrinking import shrink_play
from rulewright.diff.differential_testing.replays import (
    DifferingPlay,
    make_save,
    play_recorded,
    record_play,
    record_replay,
)
from rulewright.diff.differential_testing.results import (
    HYBRID_COST,
    ComparisonFixtures,
    ComparisonProgress,
    ComparisonProgressCallback,
    EditSubject,
    SeparatedEdits,
    WorkBudget,
)
from rulewright.diff.partial_revisions import EditGroup, PartialRevisions, group_edits, widen_failed_groups
from rulewright.documents.saved_sessions import SavedSession
from rulewright.program.declarations import Program

SEEN, HIDDEN, INSEPARABLE, NO_PLAY_FOUND, UNTRIED = "seen", "hidden", "whole", "silent", "untried"
_MAX_FOUND_KINDS, _TRIALS_PER_BATCH = 4, 8
_MAX_SHRINK_TRIES = 100
_MIN_TRIAL_WORK = 2 * HYBRID_COST
"""The smallest share of the work that a group is tried with."""


@dataclass(frozen=True, slots=True)
class TrialSetup:
    """What trials need."""

    hybrids: PartialRevisions  # all of them
    task: ComparisonTask  # the old revision and the new one
    pool: tuple[SavedSession, ...]  # plays of the old revision that part it from the new one, to be tried first


@dataclass(frozen=True, slots=True)
class EditTrial:
    """What became of a group."""

    # `seen`, `hidden` (only where other edits are not made), `whole` (it cannot be made alone), `silent` (no play
    # found), `untried` (no work left)
    outcome: str
    found_play: DifferingPlay | None = None  # a play of the old revision and the new one, where it is seen
    isolation: IsolatedEdit | None = None  # what shows that
    work: int = 0  # what it cost
    is_timed_out: bool = False  # whether the clock ended it


class TrialRunner:
    """Trials of groups, one after the other."""

    def __init__(self, kit: TrialSetup) -> None:
        self._kit = kit
        self._bench = Harness(kit.task)

    def run_trial(self, group: EditGroup, work: WorkBudget) -> EditTrial:
        """Plays a group alone until a play of it also parts the old revision and the new one."""
        before = work.units_left
        trial = EditTrial(UNTRIED) if work.is_exhausted else self._run_started_trial(group, work)
        return replace(trial, work=before - work.units_left, is_timed_out=work.is_cut)

    def _run_started_trial(self, group: EditGroup, work: WorkBudget) -> EditTrial:
        work.spend_units(HYBRID_COST)
        hybrid = self._kit.hybrids.build_hybrid(group.applied_units)
        if hybrid is None or hybrid.program is None:
            return EditTrial(INSEPARABLE)
        made = self._build_hybrid_task(hybrid.program)
        check: IsolationCheck | None = None
        hidden, doubling = False, None
        bench = Harness(made)
        for differing_play in self._differing_plays(bench, work) if made.entrances else ():
            check = check or IsolationCheck(
                IsolatedEdit(made, self._build_task_without(group, work)), self._bench, bench
            )
            if not check.is_shown_by(differing_play, work):
                continue
            credited = _find_credited_play(differing_play, bench, check, work)
            play = None if credited is None else play_recorded(self._bench, make_save(credited), 0, work)
            if play is None:
                hidden = True
            elif differing_play.has_doubled_role:
                doubling = doubling or EditTrial(SEEN, record_replay(self._bench, play), check.isolated_edit)
            else:
                return EditTrial(SEEN, record_replay(self._bench, play), check.isolated_edit)
        return doubling or EditTrial(HIDDEN if hidden else UNTRIED if work.is_cut else NO_PLAY_FOUND)

    def _differing_plays(self, bench: Harness, work: WorkBudget) -> Iterator[DifferingPlay]:
        """Plays that part, first those that are known."""
        for save in self._kit.pool:
            if work.is_exhausted:
                return
            play = play_recorded(bench, save, 0, work)
            if play is not None and play.is_different:
                yield record_play(play, bench.collect_hits(play))
        yield from search_part(bench, 0, _MAX_FOUND_KINDS, work).differing_plays

    def _build_hybrid_task(self, program: Program) -> ComparisonTask:
        """The old revision against another one."""
        task, names = self._kit.task, self._kit.hybrids.match_hybrid_names(program)
        fixtures = ComparisonFixtures(task.fixtures.old)
        changes = find_altered_places(task.old, program, names, None)
        begun = tuple((old, names.find_new_name("procedure", old) or "") for old, _ in task.entrances)
        known = tuple(item for item in begun if item[1] in program.procedures and not program.procedures[item[1]].inner)
        return drop_unaffected_entrances(ComparisonTask(task.old, program, names, changes, fixtures, known, task.seed))

    def _build_task_without(self, group: EditGroup, work: WorkBudget) -> ComparisonTask | None:
        work.spend_units(HYBRID_COST if group.independent_units else 0)
        loaded = self._kit.hybrids.build_hybrid(group.independent_units) if group.independent_units else None
        return None if loaded is None or loaded.program is None else self._build_hybrid_task(loaded.program)


def _find_credited_play(
    each: DifferingPlay, bench: Harness, check: IsolationCheck, work: WorkBudget
) -> DifferingPlay | None:
    """A play, or one made smaller, that shows an edit in the new revision too, before any other."""
    if check.is_credited(each, work):
        return each
    smaller = shrink_play(bench, each, _MAX_SHRINK_TRIES, work, lambda one: check.is_shown_by(one, work))
    return smaller if smaller is not None and check.is_credited(smaller, work) else None


def run_trials(kit: TrialSetup, groups: Sequence[EditGroup], work: WorkBudget, workers: int) -> Iterator[EditTrial]:
    """What becomes of groups, in order; in this process or in several.

    They are tried a few at a time, each of these with the same share of the work that those before have left.
    """
    left = list(groups)
    with _open_trial_workers(kit, workers if len(groups) > 1 else 1) as each_of:
        while left and not work.is_exhausted and work.units_left >= _MIN_TRIAL_WORK:
            now = left[: min(_TRIALS_PER_BATCH, work.units_left // _MIN_TRIAL_WORK)]
            share = work.split_budget(max(work.units_left // len(left), _MIN_TRIAL_WORK))
            del left[: len(now)]
            for trial in each_of(now, [share] * len(now)):
                work.charge_part(trial.work, cut=trial.is_timed_out)
                yield trial
    yield from [EditTrial(UNTRIED)] * len(left)


_RunBatch = Callable[[Sequence[EditGroup], Sequence[WorkBudget]], Iterator[EditTrial]]


@contextmanager
def _open_trial_workers(kit: TrialSetup, workers: int) -> Iterator[_RunBatch]:
    """Something that tries groups, each with a share of the work."""
    if workers <= 1:
        here = TrialRunner(kit)
        yield lambda groups, shares: map(
            here.run_trial, groups, (share.split_budget(share.units_left) for share in shares)
        )
        return
    with start_process_pool(workers, _start_trial_worker, kit) as pool:
        yield lambda groups, shares: pool.map(_run_worker_trial, groups, shares)


_WORKER_TRIALS: list[TrialRunner] = []
"""Those of a worker."""


def _start_trial_worker(kit: TrialSetup) -> None:
    _WORKER_TRIALS[:] = [TrialRunner(kit)]


def _run_worker_trial(group: EditGroup, share: WorkBudget) -> EditTrial:
    return _WORKER_TRIALS[0].run_trial(group, share)


class EditSeparator:
    """Tells the edits of a comparison apart.

    Attributes:
        hybrids: the revisions between both.
        groups: the edits that are made together, in the order of the text.
    """

    def __init__(self, hybrids: PartialRevisions, comparison: RulesetComparison) -> None:
        self.hybrids = hybrids
        self.groups: tuple[EditGroup, ...] = group_edits(
            hybrids.units, hybrids.required_units, comparison.edits, comparison.unproved
        )

    def separate_edits(  # noqa: PLR0913, PLR0917
        self,
        task: ComparisonTask,
        found: Sequence[DifferingPlay],
        pool: Sequence[SavedSession],
        work: WorkBudget,
        workers: int,
        heed: ComparisonProgressCallback,
    ) -> SeparationResult:
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
            subject = self._build_subject(self.groups[0])
            return SeparationResult((AttributedPlay(found[0], subject),), SeparatedEdits(seen=subject.edits))
        if not self.groups or not self.hybrids.is_trusted:
            return SeparationResult((), None)
        kit = TrialSetup(self.hybrids, task, tuple(pool))
        first = self._try_groups(kit, self.groups, work, workers, heed)
        alone = [group for group, edit_trial in first if edit_trial.outcome == INSEPARABLE]
        again = widen_failed_groups(alone, self.hybrids.units, self.hybrids.required_units, self.groups)
        second = self._try_groups(kit, again, work, workers, heed)
        return self._summarize_trials(first, second)

    def _try_groups(
        self,
        kit: TrialSetup,
        wanted: Sequence[EditGroup],
        work: WorkBudget,
        workers: int,
        heed: ComparisonProgressCallback,
    ) -> list[tuple[EditGroup, EditTrial]]:
        made: list[tuple[EditGroup, EditTrial]] = []
        for group, run_trial in zip(wanted, run_trials(kit, wanted, work, workers), strict=True):
            made.append((group, run_trial))
            heed(ComparisonProgress("separating", len(made), len(wanted), sum(one.outcome == SEEN for _, one in made)))
        return made

    def _summarize_trials(
        self, first: list[tuple[EditGroup, EditTrial]], second: list[tuple[EditGroup, EditTrial]]
    ) -> SeparationResult:
        known = {number for group, _ in second for number in group.subject}
        kept = [(group, item) for group, item in first if not known.issuperset(group.subject)]
        made = sorted((*kept, *second), key=lambda pair: pair[0].subject)
        shown = tuple(
            AttributedPlay(item.found_play, self._build_subject(group), item.isolation)
            for group, item in made
            if item.found_play
        )
        became: dict[str, tuple[int, ...]] = {}
        for group, edit_trial in made:
            became[edit_trial.outcome] = (*became.get(edit_trial.outcome, ()), *group.subject)
        return SeparationResult(shown, SeparatedEdits(**became))

    def _build_subject(self, group: EditGroup) -> EditSubject:
        units = self.hybrids.units
        made = {edit for number in group.applied_units for edit in units[number].edits}
        return EditSubject(group.subject, tuple(sorted(made - set(group.subject))))
