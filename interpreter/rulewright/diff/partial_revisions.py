"""Partial revisions: the old text with some edits of the new one, checked as a ruleset and played.

Each group of edits that depend on each other is tried by itself, to find the play that shows it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain

from rulewright.base.files import FileProvider, MemoryFiles
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.base.workers import open_processes
from rulewright.diff.comparison import RulesetComparison, compare_rulesets
from rulewright.diff.differential_testing.altered_places import find_altered_places
from rulewright.diff.differential_testing.coverage_guided_search import search_plays
from rulewright.diff.differential_testing.harness import ComparisonTask, Harness
from rulewright.diff.differential_testing.play_comparison import drop_unaffected_entrances
from rulewright.diff.differential_testing.play_shrinking import (
    AttributedPlay,
    IsolatedEdit,
    SeparationResult,
)
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
from rulewright.diff.differential_testing.scenario_migration import LocatedRevision
from rulewright.diff.edit_units import (
    EditReverter,
    EditUnit,
    ItemExtents,
    build_edit_units,
)
from rulewright.diff.edits import AddEdit, Correspondence, Edit, RemoveEdit, find_edit_section
from rulewright.diff.equivalence_proofs import UnprovedDeclarations
from rulewright.diff.item_matching import is_reversed_matching, match_outlines
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset, parse_text
from rulewright.documents.ruleset_location import RulesetLocation
from rulewright.documents.saved_sessions import SavedSession
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName
from rulewright.program.outline.outline_builder import build_outline
from rulewright.program.walk import compute_transitive_closure
from rulewright.syntax.nodes import ParsedText
from rulewright.syntax.parser import reparse_edited_text

_VARIABLE_SORTS = frozenset({"local", "parameter"})
_SORTS_WITH_PARAMETERS = frozenset({"function", "procedure", "external", "event", "relation"})


def find_required_units(
    units: Sequence[EditUnit], names: Mapping[DeclaredName, DeclaredName]
) -> tuple[frozenset[int], ...]:
    """For each unit the closure of the units it requires, itself included.

    A unit requires those that declare what it mentions, and those that mention what it removes. Where one changes
    parameters, it and all that mention the same declaration require each other. So do those that mention a variable of
    one revision only; a new variable requires the removal of what had its name before.
    """
    direct = _find_direct_requirements(units, names)
    return tuple(compute_transitive_closure({number}, direct.__getitem__) for number in range(len(units)))


def widen_to_declarations(
    chosen: frozenset[int], units: Sequence[EditUnit], needed: Sequence[frozenset[int]]
) -> frozenset[int]:
    """Units with all others of their declarations, and what those require."""
    owners = {owner for number in chosen for owner in units[number].owners}
    beside = (number for number, unit in enumerate(units) if unit.owners & owners)
    return chosen.union(*(needed[number] for number in beside))


def _find_direct_requirements(units: Sequence[EditUnit], names: Mapping[DeclaredName, DeclaredName]) -> list[set[int]]:
    declare, mention_old, mention_new = (_index_units_by_name(units, part) for part in ("added", "old", "new"))
    known = frozenset(names.values())
    removed = {
        name.short_name: every for name, every in _index_units_by_name(units, "removed").items() if not name.owner
    }
    result: list[set[int]] = [set() for _ in units]
    for number, unit in enumerate(units):
        result[number].update(one for name in unit.new for one in declare.get(name, ()))
        result[number].update(one for name in unit.removed for one in mention_old.get(name, ()))
        for name in unit.new:
            if name.sort in _VARIABLE_SORTS and name not in known:
                result[number] |= mention_new[name] | removed.get(name.short_name, set())
        for name in unit.old:
            if name.sort in _VARIABLE_SORTS and name not in names:
                result[number] |= mention_old[name]
        for other in _find_units_mentioning(unit.shapes, units):
            result[number].add(other)
            result[other].add(number)
    return result


def _find_units_mentioning(shapes: frozenset[str], units: Sequence[EditUnit]) -> Iterator[int]:
    for number, unit in enumerate(units if shapes else ()):
        if any(name.name in shapes and name.sort in _SORTS_WITH_PARAMETERS for name in unit.old | unit.new):
            yield number


def _index_units_by_name(units: Sequence[EditUnit], part: str) -> dict[DeclaredName, set[int]]:
    result = defaultdict[DeclaredName, set[int]](set)
    for number, unit in enumerate(units):
        for name in getattr(unit, part):
            result[name].add(number)
    return result


_SORTS_USED_BY_MENTION = frozenset({"function", "external", "procedure", "attribute"})
"""Sorts of declarations that have an effect only where others mention them."""


@dataclass(frozen=True, slots=True)
class EditGroup:
    """Edits that are applied together."""

    subject: tuple[int, ...]  # numbers of the edits that a play is wanted for
    applied_units: frozenset[int]
    independent_units: frozenset[int]  # units among these with edits of their own, with what they require


def group_edits(
    units: Sequence[EditUnit], needed: Sequence[frozenset[int]], edits: Sequence[Edit], unproved: UnprovedDeclarations
) -> tuple[EditGroup, ...]:
    """Groups to try, in the order of the text; units that require each other are one.

    Declarations that only serve others are tried with those; proved rewrites are not tried.
    """
    open_ = {
        "game" if declared_name.sort == "field" else declared_name.name.partition("/")[0]
        for declared_name in (*unproved.old, *unproved.new)
    }
    telling = {
        number: effective_edits
        for number, unit in enumerate(units)
        if unit.owners & open_
        and (effective_edits := tuple(number for number in unit.edits if _is_effective_alone(edits[number])))
    }
    units_by_closure = {
        needed[number]: [item for item in telling if needed[item] == needed[number]] for number in telling
    }
    result = []
    for applied_units, inside in units_by_closure.items():
        subject = tuple(sorted(edit for number in inside for edit in telling[number]))
        others = frozenset[int]().union(
            *(needed[item] for item in applied_units if item in telling and item not in inside)
        )
        result.append(EditGroup(subject, applied_units, others))
    return tuple(sorted(result, key=lambda edit_group: edit_group.subject))


def widen_failed_groups(
    alone: Sequence[EditGroup], units: Sequence[EditUnit], needed: Sequence[frozenset[int]], every: Sequence[EditGroup]
) -> tuple[EditGroup, ...]:
    """Groups that do not check alone, widened to their declarations; equal ones once.

    Left out are groups that other, sound groups require anyway: they cannot be told from these.
    """
    sound = [item for item in every if item not in alone]
    widened: dict[frozenset[int], list[EditGroup]] = {}
    for edit_group in alone:
        widened.setdefault(widen_to_declarations(edit_group.applied_units, units, needed), []).append(edit_group)
    result = []
    for whole, inside in widened.items():
        applied_units = frozenset[int]().union(*(item.applied_units for item in inside))
        others = frozenset[int]().union(*(item.applied_units for item in sound if item.applied_units <= whole))
        if not applied_units <= others:
            subject = tuple(sorted(edit for item in inside for edit in item.subject))
            result.append(EditGroup(subject, whole, others))
    return tuple(result)


def _is_effective_alone(edit: Edit) -> bool:
    """Whether an edit can change play without another that mentions it."""
    if not isinstance(edit, AddEdit | RemoveEdit):
        return True
    name = edit.item.name
    return find_edit_section(edit) == "rules" and (name is None or name.sort not in _SORTS_USED_BY_MENTION)


class PartialRevisions:
    """Revisions between the old and the new one.

    Attributes:
        units: edits that can be applied independently.
        required_units: for each unit the numbers of those that have to be applied with it.
    """

    def __init__(self, old: LocatedRevision, new: LocatedRevision, comparison: RulesetComparison) -> None:
        self._old, self._new = old, new
        self._names = comparison.correspondence.names
        before, after = comparison.outlines
        matches = match_outlines(before, after, self._names, turned=is_reversed_matching(before, after))
        extents = ItemExtents(before, old.loaded.texts), ItemExtents(after, new.loaded.texts)
        self.units: tuple[EditUnit, ...] = build_edit_units(matches, comparison.edits, self._names, *extents)
        self.required_units: Sequence[frozenset[int]] = find_required_units(self.units, self._names)
        self._patcher = EditReverter(matches, self._names, *extents, new.main)
        self._parsed: dict[Text, ParsedText] = {}

    @property
    def is_trusted(self) -> bool:
        """Whether the hybrid without any edit is proved to play as the old revision does."""
        bare = self.bare
        return bare is not None and compare_rulesets(self._old.loaded, bare).static_verdict is not None

    @cached_property
    def bare(self) -> LoadedRuleset | None:
        """The old revision in the names of the new one; None where it has errors."""
        return self._load_hybrid(frozenset(), self._new.loaded)

    def build_hybrid(self, chosen: frozenset[int]) -> LoadedRuleset | None:
        """Old revision with the chosen units; None where it has errors."""
        return self._load_hybrid(chosen, self.bare or self._new.loaded) if chosen else self.bare

    def _load_hybrid(self, chosen: frozenset[int], near: LoadedRuleset) -> LoadedRuleset | None:
        """Hybrid of which what a ruleset near it has too is neither parsed nor checked again."""
        undone = (patch for number, unit in enumerate(self.units) if number not in chosen for patch in unit.patches)
        texts = self._patcher.revert_edits(undone)
        if texts is None:
            return None
        whole = {name: text.content for name, text in self._new.loaded.texts.items()} | texts
        loaded = load_ruleset(
            RulesetLocation(self._new.main, self._new.overlays),
            (),
            MemoryFiles(whole),
            partial(self._parse_once, near),
            near.incremental_state,
        )
        return loaded if loaded.program is not None else None

    def match_hybrid_names(self, hybrid: Program) -> Correspondence:
        """Correspondence from the old revision to a hybrid."""
        return correspondence_to_hybrid(self._names, hybrid)

    def _parse_once(self, near: LoadedRuleset, text: Text, provider: FileProvider) -> ParsedText:
        if text not in self._parsed:
            known = near.texts[text.name]
            self._parsed[text] = (
                parse_text(text, self._new.provider)
                if text in {known, self._new.loaded.texts[text.name]}
                else reparse_edited_text(text, known, self._parse_once(self._new.loaded, known, provider))
            )
        return self._parsed[text]


def correspondence_to_hybrid(names: Mapping[DeclaredName, DeclaredName], hybrid: Program) -> Correspondence:
    """Correspondence from old names to those of a hybrid: new names, and old names of what is still there."""
    items = build_outline(hybrid, {}).walk_items()
    known = {
        declared_name
        for item in items
        for declared_name in (*item.form, item.name)
        if isinstance(declared_name, DeclaredName)
    }
    owners = {old.name: new.name for old, new in names.items() if old.sort in _OWNER_SORTS}
    result = {old: new for old, new in names.items() if new in known}
    back = {new: old for old, new in owners.items()}
    matched = set(result.values())
    for name in known - matched:
        owner = back.get(name.owner, name.owner)
        result.setdefault(DeclaredName(name.sort, f"{owner}/{name.short_name}" if owner else name.short_name), name)
    return Correspondence(result, {})


_OWNER_SORTS = frozenset(
    {"values", "kind", "record", "board", "function", "procedure", "external", "relation", "event"}
)


SHOWN, HIDDEN, INSEPARABLE, NO_PLAY_FOUND, UNTRIED = "shown", "hidden", "whole", "silent", "untried"
_MAX_FOUND_KINDS, _TRIALS_PER_BATCH = 4, 8
_MIN_TRIAL_WORK = 2 * HYBRID_COST
"""Minimal work for the trial of one group."""


@dataclass(frozen=True, slots=True)
class EditTrial:
    """Outcome of a group."""

    # `shown`, `hidden` (found only without other edits), `whole` (inapplicable alone), `silent` (no play), `untried` (no work left)
    outcome: str
    found_play: DifferingPlay | None = None  # of the old and the new revision, if `shown`
    isolation: IsolatedEdit | None = None  # what shows that
    work: int = 0
    is_timed_out: bool = False


@dataclass(frozen=True, slots=True)
class TrialRunner:
    """Runner of trials; picklable."""

    hybrids: PartialRevisions
    both: Harness  # the old revision and the new one
    pool: tuple[SavedSession, ...]  # differing plays of the old revision, to be tried first

    def run_trial(self, item: tuple[EditGroup, WorkBudget]) -> EditTrial:
        """Play a group alone, within a budget, until a play of it also differs between the old and the new revision."""
        group, share = item
        work = share.split_budget(share.units_left)
        trial = EditTrial(UNTRIED) if work.is_exhausted else self._run_started_trial(group, work)
        return replace(trial, work=share.units_left - work.units_left, is_timed_out=work.is_cut)

    def _run_started_trial(self, group: EditGroup, work: WorkBudget) -> EditTrial:
        harness = self._build_harness(group.applied_units, work)
        if harness is None:
            return EditTrial(INSEPARABLE)
        alone = IsolatedEdit(
            harness, self._build_harness(group.independent_units, work) if group.independent_units else None
        )
        hidden, doubling = False, None
        found = chain(self._replay_pool(harness, work), search_plays(harness, 0, _MAX_FOUND_KINDS, work))
        for wanted in found if harness.task.entrances else ():
            if alone.replay_alone(wanted, work) is None:
                continue
            if not alone.is_credited(wanted, self.both, work):
                hidden = True
                continue
            play = play_recorded(self.both, make_save(wanted), 0, work)
            if play is None:
                continue
            trial = EditTrial(SHOWN, record_replay(self.both, play), alone)
            if not wanted.has_doubled_role:
                return trial
            doubling = doubling or trial
        return doubling or EditTrial(HIDDEN if hidden else UNTRIED if work.is_cut else NO_PLAY_FOUND)

    def _replay_pool(self, harness: Harness, work: WorkBudget) -> Iterator[DifferingPlay]:
        for save in self.pool:
            if work.is_exhausted:
                return
            play = play_recorded(harness, save, 0, work)
            if play is not None and play.is_different:
                yield record_play(play, harness.collect_hits(play))

    def _build_harness(self, units: frozenset[int], work: WorkBudget) -> Harness | None:
        """The old revision and a hybrid with some units; None where that has errors."""
        work.spend_units(HYBRID_COST)
        hybrid = self.hybrids.build_hybrid(units)
        if hybrid is None or hybrid.program is None:
            return None
        program, task = hybrid.program, self.both.task
        names = self.hybrids.match_hybrid_names(program)
        fixtures = ComparisonFixtures(task.fixtures.old)
        changes = find_altered_places(task.old, program, names, None)
        entrances = tuple((old, names.find_new_name("procedure", old) or "") for old, _ in task.entrances)
        known = tuple(
            item for item in entrances if item[1] in program.procedures and not program.procedures[item[1]].inner
        )
        return Harness(
            drop_unaffected_entrances(ComparisonTask(task.old, program, names, changes, fixtures, known, task.seed))
        )


def run_trials(runner: TrialRunner, groups: Sequence[EditGroup], work: WorkBudget, workers: int) -> Iterator[EditTrial]:
    """Outcomes of groups in order, in this process or in several.

    Groups run in batches, each with the same share of the work that is left.
    """
    remaining = list(groups)
    with open_processes(workers if len(groups) > 1 else 1, runner) as map_items:
        while remaining and not work.is_exhausted and work.units_left >= _MIN_TRIAL_WORK:
            now = remaining[: min(_TRIALS_PER_BATCH, work.units_left // _MIN_TRIAL_WORK)]
            share = work.split_budget(max(work.units_left // len(remaining), _MIN_TRIAL_WORK))
            del remaining[: len(now)]
            for trial in map_items(TrialRunner.run_trial, [(group, share) for group in now]):
                work.charge_part(trial.work, cut=trial.is_timed_out)
                yield trial
    yield from [EditTrial(UNTRIED)] * len(remaining)


class EditSeparator:
    """Separation of the edits of a comparison: which edit does which play show?

    Attributes:
        hybrids: partial revisions.
        groups: edits that are applied together, in the order of the text.
    """

    def __init__(self, hybrids: PartialRevisions, comparison: RulesetComparison) -> None:
        self.hybrids = hybrids
        self.groups: tuple[EditGroup, ...] = group_edits(
            hybrids.units, hybrids.required_units, comparison.edits, comparison.unproved
        )

    def separate_edits(  # noqa: PLR0913, PLR0917
        self,
        both: Harness,
        differing_plays: Sequence[DifferingPlay],
        pool: Sequence[SavedSession],
        work: WorkBudget,
        workers: int,
        on_progress: ComparisonProgressCallback,
    ) -> SeparationResult:
        """Trial of all groups; no result where the hybrids cannot be trusted.

        Args:
            both: the old revision and the new one.
            differing_plays: differing plays, best first.
            pool: differing plays of the old revision, to try first.
            work: budget.
            workers: processes.
            on_progress: progress callback.
        """
        if len(self.groups) == 1 and differing_plays:
            subject = self._build_subject(self.groups[0])
            return SeparationResult((AttributedPlay(differing_plays[0], subject),), SeparatedEdits(shown=subject.edits))
        if not self.groups or not self.hybrids.is_trusted:
            return SeparationResult((), None)
        runner = TrialRunner(self.hybrids, both, tuple(pool))
        first = self._try_groups(runner, self.groups, work, workers, on_progress)
        alone = [group for group, edit_trial in first if edit_trial.outcome == INSEPARABLE]
        again = widen_failed_groups(alone, self.hybrids.units, self.hybrids.required_units, self.groups)
        second = self._try_groups(runner, again, work, workers, on_progress)
        return self._summarize_trials(first, second)

    def _try_groups(
        self,
        runner: TrialRunner,
        wanted: Sequence[EditGroup],
        work: WorkBudget,
        workers: int,
        on_progress: ComparisonProgressCallback,
    ) -> list[tuple[EditGroup, EditTrial]]:
        trials: list[tuple[EditGroup, EditTrial]] = []
        for group, run_trial in zip(wanted, run_trials(runner, wanted, work, workers), strict=True):
            trials.append((group, run_trial))
            on_progress(
                ComparisonProgress(
                    "separating", len(trials), len(wanted), sum(one.outcome == SHOWN for _, one in trials)
                )
            )
        return trials

    def _summarize_trials(
        self, first: list[tuple[EditGroup, EditTrial]], second: list[tuple[EditGroup, EditTrial]]
    ) -> SeparationResult:
        known = {number for group, _ in second for number in group.subject}
        remaining = [(group, item) for group, item in first if not known.issuperset(group.subject)]
        trials = sorted((*remaining, *second), key=lambda pair: pair[0].subject)
        shown = tuple(
            AttributedPlay(item.found_play, self._build_subject(group), item.isolation)
            for group, item in trials
            if item.found_play
        )
        became: dict[str, tuple[int, ...]] = {}
        for group, edit_trial in trials:
            became[edit_trial.outcome] = (*became.get(edit_trial.outcome, ()), *group.subject)
        return SeparationResult(shown, SeparatedEdits(**became))

    def _build_subject(self, group: EditGroup) -> EditSubject:
        units = self.hybrids.units
        applied_edits = {edit for number in group.applied_units for edit in units[number].edits}
        return EditSubject(group.subject, tuple(sorted(applied_edits - set(group.subject))))
