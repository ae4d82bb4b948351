"""Comparison of the plays of two revisions, from all entry procedures that can reach a change."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from rulewright.diff.differential_testing.altered_places import AlteredPlaces, find_altered_places, value_signature
from rulewright.diff.differential_testing.coverage_guided_search import (
    SEARCH_PARTS,
    SearchPart,
    difference_kind,
    find_path_difference,
    search_in_parts,
)
from rulewright.diff.differential_testing.fixtures import find_type_differences
from rulewright.diff.differential_testing.function_comparison import (
    compare_functions,
    compare_measures,
    find_equal_functions,
)
from rulewright.diff.differential_testing.harness import ComparisonTask, Harness
from rulewright.diff.differential_testing.initial_states import level_numbers
from rulewright.diff.differential_testing.paired_play import UNUSABLE, PairedPlay
from rulewright.diff.differential_testing.play_shrinking import AttributedPlay, SeparateEdits, shrink_plays
from rulewright.diff.differential_testing.reachability import find_entry_procedures, procedures_reaching
from rulewright.diff.differential_testing.replays import (
    DifferingPlay,
    find_entrance,
    iterate_recorded_plays,
    make_save,
    play_recorded,
    play_start_again,
    record_play,
    replay_in_order,
    replay_play,
)
from rulewright.diff.differential_testing.results import (
    DEFAULT_EFFORT,
    NO_FIXTURES,
    BehaviourComparison,
    BehaviourVerdict,
    ChangedNames,
    ComparisonEffort,
    ComparisonFixtures,
    ComparisonProgress,
    ComparisonProgressCallback,
    EditSubject,
    EntryPoint,
    MigratedPlay,
    NewFault,
    PlayWitness,
    SeparatedEdits,
    TriedFunction,
    ValueWitness,
    WorkBudget,
)
from rulewright.diff.differential_testing.witnesses import (
    build_witness,
    choose_witnesses,
    gather_evidence,
    judge_behaviour,
)
from rulewright.diff.edits import Correspondence
from rulewright.documents.saved_sessions import SavedSession
from rulewright.program.declarations import Program
from rulewright.program.types import DieType, PoolType
from rulewright.program.walk import may_hold_type
from rulewright.runtime.request import Faulted

if TYPE_CHECKING:
    from rulewright.diff.differential_testing.harness import CoverageHit


def _shared_entrances(task: ComparisonTask) -> tuple[tuple[str, str], ...]:
    return tuple(
        (old, new)
        for old in task.old.procedures
        for new in [task.names.find_new_name("procedure", old) or ""]
        if new in task.new.procedures and _can_begin_alone(task.old, old) and _can_begin_alone(task.new, new)
    )


def _can_begin_alone(program: Program, name: str) -> bool:
    """Whether a procedure can be begun by itself: none of its roles is dice."""
    procedure = program.procedures[name]
    return not procedure.inner and not any(
        may_hold_type(parameter.type, (DieType, PoolType), program) for parameter in procedure.parameters
    )


def choose_entrances(task: ComparisonTask) -> tuple[ComparisonTask, tuple[str, ...]]:
    """Task with its entry procedures, and the new names of those that reach no change."""
    entry_procedures = (
        find_entry_procedures(task.old) | {play.procedure for play in task.fixtures.plays},
        find_entry_procedures(task.new) | {new_play.procedure for new_play in task.fixtures.new_plays},
    )
    pairs = tuple(
        (old, new)
        for old, new in _shared_entrances(task)
        if old in entry_procedures[0] or new in entry_procedures[1] or _has_changed_default(old, new, task)
    )
    affected = drop_unaffected_entrances(replace(task, entrances=pairs))
    return affected, tuple(new for old, new in pairs if (old, new) not in affected.entrances)


def find_performed_entrances(task: ComparisonTask) -> tuple[tuple[str, str], ...]:
    """Further procedures to begin with that reach a change: those that other procedures perform."""
    every = drop_unaffected_entrances(replace(task, entrances=_shared_entrances(task))).entrances
    return tuple(item for item in every if item not in task.entrances)


def _has_changed_default(old: str, new: str, task: ComparisonTask) -> bool:
    here, there = task.old.procedures[old], task.new.procedures[new]
    known = {
        f"{new}/{parameter.name}": default for parameter, default in zip(there.parameters, there.defaults, strict=True)
    }
    pairs = (
        (default, known[target])
        for parameter, default in zip(here.parameters, here.defaults, strict=True)
        for target in [task.names.find_new_name("parameter", f"{old}/{parameter.name}")]
        if target in known
    )
    return any(value_signature(first) != value_signature(second) for first, second in pairs)


def drop_unaffected_entrances(task: ComparisonTask) -> ComparisonTask:
    """Task without entry procedures that reach no change."""
    old, new = (
        procedures_reaching(task.old, task.altered.names[0]),
        procedures_reaching(task.new, task.altered.names[1]),
    )
    return replace(
        task, entrances=tuple(entrance for entrance in task.entrances if entrance[0] in old or entrance[1] in new)
    )


_MAX_POOL_PLAYS = 60


_SEARCH_PERCENT, _PERFORMED_PERCENT, _SEPARATION_PERCENT = 55, 30, 75
"""Percent of the work left at that stage; the rest is for shrinking."""


_OTHER_FACES_WORK_DIVISOR, _MAX_TURNS_WITH_FACES, _MAX_DIE_FACES, _MAX_LEVELLED_PLAYS = 10, 6, 20, 40
"""Limits of replaying recorded plays with other faces: part of the work, answers per play, faces per die."""


def compare_plays(  # noqa: PLR0913, PLR0917
    old: Program,
    new: Program,
    names: Correspondence,
    changed: ChangedNames | None = None,
    fixtures: ComparisonFixtures = NO_FIXTURES,
    effort: ComparisonEffort = DEFAULT_EFFORT,
    seed: int = 0,
    on_progress: ComparisonProgressCallback = lambda _: None,
    separate: SeparateEdits | None = None,
    suites: Callable[[WorkBudget], Iterable[MigratedPlay]] = lambda _: (),
) -> BehaviourComparison:
    """Differential test of two revisions, wherever a change can matter.

    Changed functions of arguments and settings alone are tried exhaustively. Then entry procedures that can reach a
    change are played, from fixtures and in a coverage-guided search. If these show no difference, procedures that others perform are begun too. Deterministic for a seed and an amount of
    work, unless the clock cuts it.

    Args:
        old: the old revision.
        new: the new one.
        names: correspondence of names.
        changed: changed names; None for everything whose signature differs.
        fixtures: situations and recorded plays to begin near.
        effort: limits.
        seed: of all choices.
        on_progress: progress callback.
        separate: finds the edits that plays show; None to skip that.
        suites: plays the scenarios of the old revision under both, whatever that costs.
    """
    task = ComparisonTask(old, new, names, find_altered_places(old, new, names, changed), fixtures, (), seed)
    work = WorkBudget(effort.work, None if effort.seconds is None else monotonic() + effort.seconds)
    scenarios = tuple(suites(work))
    functions = tuple(compare_functions(task, effort.arguments, work))
    on_progress(
        ComparisonProgress(
            "functions",
            len(functions),
            len(functions),
            sum(value_witness is not None for _, value_witness in functions),
        )
    )
    task = replace(
        task, altered=_drop_equal_functions(task.altered, [tried_function for tried_function, _ in functions])
    )
    task, spared = choose_entrances(task)
    measures = tuple(compare_measures(task, work))
    differing = (
        *(value_witness for _, value_witness in functions),
        *find_type_differences(old, new, names),
        *(measure.witness for measure in measures),
    )
    values = tuple(value_witness for value_witness in differing if value_witness is not None)
    same = next(
        (measure for measure in measures if not measure.witness and (measure.is_changed_itself or not task.entrances)),
        None,
    )
    tried_functions = tuple(tried_function for tried_function, _ in functions)
    comparison = _PlayComparison(task, effort, work, on_progress, separate)
    unsure = f"measure `{same.name}` was the same in {same.state_count} states" if same else ""
    result = comparison.compare_behaviour(spared, tried_functions, values, unsure)
    differs = any(scenario.outcome == "differs" for scenario in scenarios)
    return replace(result, scenarios=scenarios, verdict=BehaviourVerdict("changed") if differs else result.verdict)


def _limit_cut_verdict(verdict: BehaviourVerdict, effort: ComparisonEffort) -> BehaviourVerdict:
    """Verdict of a comparison that the clock ended."""
    if verdict.word != "unknown":
        return verdict
    return BehaviourVerdict(
        "unknown", limit=f"cut after {effort.seconds:g} s; {verdict.limit or 'nothing differed until then'}"
    )


def _drop_equal_functions(changes: AlteredPlaces, functions: Sequence[TriedFunction]) -> AlteredPlaces:
    equal = find_equal_functions(functions)
    old, new = (
        tuple(place for place in places if place.owner not in known)
        for places, known in zip(changes.places, equal, strict=True)
    )
    return replace(changes, names=(changes.names[0] - equal[0], changes.names[1] - equal[1]), places=(old, new))


_RecordedPlay = tuple[SavedSession, int, tuple[str, str], PairedPlay]
"""Recorded play, its side, the entry procedure in both, and its replay."""


def _find_new_fault(play: PairedPlay) -> NewFault | None:
    old, new = play.outcomes
    if play.difference != "fault" or isinstance(old, Faulted) or not isinstance(new, Faulted):
        return None
    return NewFault(new.address, new.code, new.message)


class _PlayComparison:
    def __init__(
        self,
        task: ComparisonTask,
        effort: ComparisonEffort,
        work: WorkBudget,
        on_progress: ComparisonProgressCallback,
        separate: SeparateEdits | None,
    ) -> None:
        self._task = task
        self._effort = effort
        self._work = work
        self._progress_callback = on_progress
        self._separate = separate
        self._harness = Harness(task)
        self._plays: Counter[tuple[str, str]] = Counter()
        self._hits: Counter[tuple[int, CoverageHit]] = Counter()
        self._differing_plays: list[DifferingPlay] = []
        self._strayed: Counter[str] = Counter()
        self._limits: Counter[str] = Counter()
        self._faults: dict[tuple[str, str], NewFault] = {}

    def compare_behaviour(
        self,
        spared: tuple[str, ...],
        functions: tuple[TriedFunction, ...],
        values: tuple[ValueWitness, ...],
        unsure: str,
    ) -> BehaviourComparison:
        self._play_recorded()
        self._search_plays(self._task.entrances, _SEARCH_PERCENT)
        more = () if self._differing_plays else find_performed_entrances(self._task)
        if more:
            self._task = replace(self._task, entrances=(*self._task.entrances, *more))
            self._harness = self._harness.for_task(self._task)
            self._search_plays(more, _PERFORMED_PERCENT)
        shown, separated = self._select_shown_plays()
        witnesses = tuple(self._shrink_witnesses(shown))
        entrances = tuple(EntryPoint(*entrance, self._plays[entrance]) for entrance in self._task.entrances)
        plays = self._plays.total()
        gathered = gather_evidence(self._harness, self._hits, plays)
        verdict = judge_behaviour(
            has_witness=bool(witnesses or values),
            entrances=entrances,
            functions=functions,
            evidence=gathered,
            differed=bool(self._differing_plays),
            strayed=next(iter(sorted(self._strayed)), ""),
            limits=self._limits,
            plays=plays,
            unsure=unsure,
        )
        return BehaviourComparison(
            verdict if not self._work.is_cut else _limit_cut_verdict(verdict, self._effort),
            self._task.seed,
            self._effort.work - self._work.units_left,
            self._effort.seconds if self._work.is_cut else None,
            plays,
            entrances,
            spared,
            functions,
            gathered,
            witnesses,
            values,
            separated,
            limits=tuple(sorted(self._limits.items())),
            faults=tuple(self._faults.values()),
        )

    def _play_recorded(self) -> None:
        played: list[_RecordedPlay] = []
        for save, side in iterate_recorded_plays(self._harness):
            entrance = find_entrance(self._harness, save, side)
            known = entrance in self._task.entrances
            play = play_recorded(self._harness, save, side, self._work) if known else None
            if play is not None and entrance is not None and play.difference != UNUSABLE:
                self._note_play(play, entrance)
                played.append((save, side, entrance, play))
        for others in (self._play_faces, self._play_levels):
            part = self._work.split_budget(self._work.units_left // _OTHER_FACES_WORK_DIVISOR)
            before = part.units_left
            others(sorted(played, key=lambda item: len(item[3].turns)), part)
            self._work.charge_part(before - part.units_left, cut=part.is_cut)

    def _play_faces(self, played: Sequence[_RecordedPlay], work: WorkBudget) -> None:
        for save, side, entrance, play in played:
            if len(play.turns) <= _MAX_TURNS_WITH_FACES and self._harness.collect_hits(play):
                self._play_other_faces(save, side, entrance, play, work)

    def _play_levels(self, played: Sequence[_RecordedPlay], work: WorkBudget) -> None:
        """Play the shortest recorded plays with the numbers of all things at their maximum, and near constants."""
        near = dict.fromkeys(constant + by for constant in self._harness.constants for by in (1, 0, -1))
        few = [item for item in played if self._harness.collect_hits(item[3])][:_MAX_LEVELLED_PLAYS]
        for level in (None, *near):
            for save, side, entrance, _ in few:
                if work.is_exhausted or self._differing_plays:
                    return
                start = level_numbers(dict(save.start), self._harness.programs[side], level)
                changed = replace(save, start=start)
                play = play_recorded(self._harness, changed, side, work)
                if play is not None and play.is_different:
                    self._note_play(play, entrance)
                elif play is not None:
                    self._play_other_faces(changed, side, entrance, play, work)

    def _play_other_faces(
        self, save: SavedSession, side: int, entrance: tuple[str, str], play: PairedPlay, work: WorkBudget
    ) -> None:
        for number, turn in enumerate(play.turns):
            faces = max(map(len, turn.question.dice), default=0)
            if not 1 < faces <= _MAX_DIE_FACES:
                continue
            others = (
                play_start_again(
                    self._harness, play.start, replay_in_order(save.answers, side, turn_and_face=(number, face)), work
                )
                for face in range(faces)
                if not work.is_exhausted
            )
            ended: Counter[tuple[str, str, str]] = Counter()
            for other in others:
                if other.is_different:
                    self._note_play(other, entrance)
                fault = _find_new_fault(other)
                if fault is not None and len(other.turns) == number + 1:
                    ended[fault.address, fault.code, fault.message] += 1
            if len(turn.question.dice) == 1 and not work.is_exhausted:
                self._note_shares(ended, turn.question.addresses[1], faces)

    def _note_shares(self, ended: Counter[tuple[str, str, str]], roll: str, faces: int) -> None:
        for fault, times in ended.items():
            known = self._faults.get(fault[:2])
            if known is None or not known.roll:
                self._faults[fault[:2]] = NewFault(*fault, roll, times, faces)

    def _note_play(self, play: PairedPlay, entrance: tuple[str, str]) -> None:
        reached = self._harness.collect_hits(play)
        self._plays[entrance] += 1
        self._hits.update(reached)
        self._limits.update(play.limit_codes)
        if play.is_different:
            self._differing_plays.append(record_play(play, reached))
            self._note_fault(play)
        elif astray := find_path_difference(play):
            self._strayed[astray] += 1

    def _note_fault(self, play: PairedPlay) -> None:
        fault = _find_new_fault(play)
        if fault is not None:
            self._faults.setdefault((fault.address, fault.code), fault)

    def _search_plays(self, entrances: Sequence[tuple[str, str]], percent: int) -> None:
        if not entrances or (self._differing_plays and self._has_enough_plays()):
            return
        task = replace(self._task, entrances=tuple(entrances))
        part = self._work.split_budget(self._work.units_left * percent // 100)
        harness = self._harness.for_task(task)
        for number, shard in enumerate(search_in_parts(harness, part, self._effort), 1):
            known = {difference_kind(differing_play) for differing_play in self._differing_plays}
            self._take_shard(shard, task)
            self._progress_callback(
                ComparisonProgress(
                    "playing",
                    number,
                    SEARCH_PARTS,
                    len(choose_witnesses(self._differing_plays, self._effort.witnesses)),
                )
            )
            if self._has_enough_plays() or (
                self._differing_plays
                and not any(difference_kind(differing_play) not in known for differing_play in shard.differing_plays)
            ):
                break

    def _has_enough_plays(self) -> bool:
        touched_by_side = [{item for one in self._differing_plays for item in one.touched[side]} for side in (0, 1)]
        whole = all(changed <= touched for changed, touched in zip(self._harness.changed, touched_by_side, strict=True))
        return len(choose_witnesses(self._differing_plays, self._effort.witnesses)) >= self._effort.witnesses or (
            whole and bool(self._differing_plays)
        )

    def _take_shard(self, shard: SearchPart, task: ComparisonTask) -> None:
        self._work.charge_part(shard.work_units, cut=shard.is_cut)
        self._plays.update(dict(zip(task.entrances, shard.plays, strict=True)))
        self._hits.update(shard.hits)
        self._differing_plays += shard.differing_plays
        self._strayed.update(shard.path_differences)
        self._limits.update(shard.limit_counts)

    def _select_shown_plays(self) -> tuple[list[AttributedPlay], SeparatedEdits | None]:
        most = self._effort.witnesses
        best = choose_witnesses(self._differing_plays, most)
        if self._separate is None or not best:
            return [AttributedPlay(differing_play) for differing_play in best], None
        pool = [
            make_save(choose_witness) for choose_witness in choose_witnesses(self._differing_plays, _MAX_POOL_PLAYS)
        ]
        part = self._work.split_budget(self._work.units_left * _SEPARATION_PERCENT // 100)
        before = part.units_left
        separation = self._separate(self._harness, best, pool, part, self._effort.workers, self._progress_callback)
        self._work.charge_part(before - part.units_left, cut=part.is_cut)
        about = {
            (attributed_play.play.difference, attributed_play.play.addresses[0])
            for attributed_play in separation.attributed_plays
        }
        others = [
            AttributedPlay(differing_play)
            for differing_play in best
            if (differing_play.difference, differing_play.addresses[0]) not in about
        ]
        limit = max(most, len(separation.attributed_plays)) if self._effort.every else most
        return [*separation.attributed_plays, *others][:limit], separation.separated

    def _shrink_witnesses(self, shown: Sequence[AttributedPlay]) -> Iterator[PlayWitness]:
        reported: list[tuple[DifferingPlay, EditSubject | None]] = []
        shrunk_plays = shrink_plays(
            self._harness, [(item.play, item.isolated_edit) for item in shown], self._work, self._effort
        )
        for number, (attributed_play, smaller) in enumerate(zip(shown, shrunk_plays, strict=True), 1):
            self._progress_callback(ComparisonProgress("shrinking", number, len(shown), len(shown)))
            self._work.charge_part(smaller.work_units, cut=smaller.is_cut)
            data = smaller.play
            play = (
                None
                if data is None or (data, attributed_play.subject) in reported
                else replay_play(self._harness, data, self._work)
            )
            if data is not None and play is not None:
                reported.append((data, attributed_play.subject))
                self._note_fault(play)
                yield build_witness(play, data, self._harness.executables, attributed_play.subject)
