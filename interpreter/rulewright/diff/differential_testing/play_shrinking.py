"""Shrinking of differing plays, by greedy reduction, and the check that a play shows an edit by itself."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.workers import map_in_processes
from rulewright.diff.differential_testing.harness import Harness
from rulewright.diff.differential_testing.paired_play import PairedPlay
from rulewright.diff.differential_testing.replays import (
    DifferingPlay,
    GivenAnswer,
    find_first_difference,
    is_same_difference,
    make_save,
    outcome_address,
    play_recorded,
    record_replay,
    replay_play,
)
from rulewright.diff.differential_testing.results import (
    ComparisonEffort,
    ComparisonProgressCallback,
    EditSubject,
    SeparatedEdits,
    WorkBudget,
)
from rulewright.diff.differential_testing.revision_translation import (
    NoCounterpartError,
    StartData,
    translate_roles,
    translate_state,
)
from rulewright.diff.differential_testing.stored_values import StateData, list_stored_fields
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import CELLS, SIDES
from rulewright.documents.saved_sessions import SavedSession
from rulewright.documents.state_generation import parse_situation
from rulewright.program.declarations import Program

_Path = tuple[str | int, ...]


def leave_out_state_parts(state: StateData, program: Program) -> Iterator[StateData]:
    """States without one part; what has no start value stays with what holds it."""
    needed = frozenset(field.name for _, field in list_stored_fields(program) if field.start is None)
    return leave_out_parts(state, needed)


def leave_out_parts(document: Any, needed: frozenset[str] = frozenset()) -> Iterator[Any]:
    """Documents without one part, the outer parts first; of alike members one key of all of them before that of one.

    Keys that are needed stay.
    """
    waiting: list[tuple[_Path, Any]] = [((), document)]
    for path, whole in waiting:  # grows as it goes: breadth first
        if not isinstance(whole, dict | list):
            continue
        for key in whole if isinstance(whole, dict) else range(len(whole)):
            if key not in needed:
                yield _put_at(document, (*path, key), ())
            waiting.append(((*path, key), whole[key]))
        members = [*whole.values()] if isinstance(whole, dict) else []
        if isinstance(whole, dict) and len(members) > 1 and all(isinstance(member, dict) for member in members):
            for name in dict.fromkeys(name for member in members for name in member if name not in needed):
                fewer = {key: _without_key(member, name) for key, member in whole.items()}
                yield _put_at(document, path, (fewer,))


def simplify_values(document: Any, *, in_lists: bool = True) -> Iterator[Any]:
    """Documents with one flag that is no instead, or one number nearer to zero; perhaps not in lists, as of coordinates."""
    match document:
        case bool():
            yield from (False,) if document else ()
        case int():
            step = 1 if document > 0 else -1
            nearer = dict.fromkeys((0, step, int(document / 2), document - step))
            yield from (number for number in nearer if abs(number) < abs(document))
        case list() | dict() if in_lists or isinstance(document, dict):
            for key in document if isinstance(document, dict) else range(len(document)):
                for simpler in simplify_values(document[key], in_lists=in_lists):
                    yield _put_at(document, (key,), (simpler,))


def _put_at(document: Any, path: _Path, instead: tuple[Any, ...]) -> Any:
    """A document with something else at a path; with nothing there if that is empty."""
    if not path:
        (whole,) = instead
        return whole
    key, rest = path[0], path[1:]
    inside = (_put_at(document[key], rest, instead),) if rest else instead
    if isinstance(document, list):
        assert isinstance(key, int)
        return [*document[:key], *inside, *document[key + 1 :]]
    return {name: part for name, value in document.items() for part in (inside if name == key else (value,))}


def _without_key(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}


def _drop_empty_parts(state: StateData, program: Program) -> StateData:
    """State without sections that hold nothing, and without such cells and sides of cells."""
    result: dict[str, Any] = dict(state)
    for board in set(program.boards) & set(result):
        given = result[board]
        parts = {
            part: {place: values for place, values in given.get(part, {}).items() if values} for part in _BOARD_PARTS
        }
        result[board] = {key: parts.get(key, value) for key, value in given.items() if parts.get(key, True)}
    return {key: value for key, value in result.items() if value}


_BOARD_PARTS = CELLS, SIDES


_ReduceState = Callable[[StateData, Program], Iterator[StateData]]


def shrink_play(
    harness: Harness, first: DifferingPlay, most: int, work: WorkBudget, shows: Callable[[DifferingPlay], bool]
) -> DifferingPlay | None:
    """Smallest play found with the same divergence, after at most `most` plays; None if the first does not replay.

    Greedy, in passes that are repeated until none helps: parts of the state go, answers become plain, values become simpler. Every
    step that still diverges in the same way and for which `shows` holds is kept, and the pass goes on from there.
    """
    tries = _ShrinkAttempts(harness, most, work, shows)
    now = tries.try_candidate(first, first)
    before = None
    while now is not None and now is not before:
        before = now
        now = tries.run_pass(partial(tries.reduce_starts, leave_out_state_parts), now)
        now = tries.run_pass(_simplify_answers, now)
        now = tries.run_pass(partial(tries.reduce_starts, lambda state, _: simplify_values(state, in_lists=False)), now)
    return now


class _ShrinkAttempts:
    def __init__(self, harness: Harness, most: int, work: WorkBudget, shows: Callable[[DifferingPlay], bool]) -> None:
        self._harness = harness
        self._work = work
        self._shows = shows
        self._tries_left = most + 1
        self._failed: set[str] = set()

    def try_candidate(self, candidate: DifferingPlay, before: DifferingPlay) -> DifferingPlay | None:
        text = repr((candidate.starts, candidate.given))
        if self._tries_left <= 0 or text in self._failed:
            return None
        self._failed.add(text)
        play = replay_play(self._harness, candidate, self._work)
        self._tries_left -= play is not None
        if play is None or not is_same_difference(before, play):
            return None
        return record_replay(self._harness, play)

    def run_pass(
        self, list_candidates: Callable[[DifferingPlay], Iterator[DifferingPlay]], now: DifferingPlay
    ) -> DifferingPlay:
        """Play after all candidates of a pass were tried in order, each smaller one in place of the one before."""
        position = 0
        while True:
            for candidate in islice(list_candidates(now), position, None):
                if self._tries_left <= 0 or self._work.is_exhausted:
                    return now
                smaller = self.try_candidate(candidate, now)
                if smaller is not None and _reading_cost(smaller) < _reading_cost(now) and self._shows(smaller):
                    now = smaller
                    break
                position += 1
            else:
                return now

    def reduce_starts(self, way: _ReduceState, now: DifferingPlay) -> Iterator[DifferingPlay]:
        return (replace(now, starts=starts) for starts in self._reduce_starts(now, way))

    def _reduce_starts(self, now: DifferingPlay, way: _ReduceState) -> Iterator[tuple[StartData, StartData]]:
        task, translations = self._harness.task, self._harness.translations
        (old, new), back = now.starts, translations.backward
        procedures = self._harness.entry_procedures(now.procedures)
        try:
            before = translate_state(dict(new.state), back)
            roles = {**old.roles, **translate_roles(new.roles, procedures[1], procedures[0], back)}
        except NoCounterpartError:
            return
        for smaller in _list_smaller_states(new.state, task.new, way):
            with suppress(NoCounterpartError):
                changed = _merge_json_change(dict(old.state), before, translate_state(smaller, back))
                assert isinstance(changed, dict)
                yield StartData(_drop_empty_parts(changed, task.old), roles), StartData(smaller, new.roles)
        if translations.is_identity:
            return
        before = translate_state(dict(old.state), translations.forward)
        for smaller in _list_smaller_states(old.state, task.old, way):
            with suppress(NoCounterpartError):
                if translate_state(smaller, translations.forward) == before:
                    yield StartData(smaller, old.roles), new


def _list_smaller_states(state: Mapping[str, Json], program: Program, way: _ReduceState) -> Iterator[StateData]:
    """States with less that their own revision reads: only such have a counterpart in the other one."""
    candidates = (_drop_empty_parts(each, program) for each in way(dict(state), program))
    return (each for each in candidates if parse_situation(each, program) is not None)


def _reading_cost(play: DifferingPlay) -> tuple[int, int, int]:
    """Reading cost of a play: answers, then data, then the sum of its numbers."""
    states = repr([start.state for start in play.starts])
    given = repr(play.given)
    numbers = sum(map(int, re.findall(r"\d+", states + given)))
    return len(play.given), len(states) + len(given), numbers


def _simplify_answers(now: DifferingPlay) -> Iterator[DifferingPlay]:
    """Plays with one answer replaced by the plain one, or with lower faces and numbers."""
    for at, item in enumerate(now.given):
        for plain in _simplify_given(item):
            yield replace(now, given=(*now.given[:at], plain, *now.given[at + 1 :]))


def _simplify_given(given: GivenAnswer) -> Iterator[GivenAnswer]:
    (old_at, old), (new_at, new) = given
    yield (old_at, _UNFITTING_ANSWER), (new_at, _UNFITTING_ANSWER)
    if old == new:
        yield from (((old_at, each), (new_at, each)) for each in (*simplify_values(old), *leave_out_parts(old)))


_UNFITTING_ANSWER: Json = {"no": "answer"}
"""Answer that fits no question, so that the plainest one is given."""


def _merge_json_change(old: Json, before: Json, after: Json) -> Json:
    if not isinstance(old, dict) or not isinstance(before, dict) or not isinstance(after, dict):
        return old if before == after else after
    result: dict[str, Json] = {}
    for key, item in old.items():
        if key in before and key not in after:
            continue
        result[key] = _merge_json_change(item, before[key], after[key]) if key in before else item
    return result | {key: each for key, each in after.items() if key not in old and key not in before}


@dataclass(frozen=True, slots=True)
class IsolatedEdit:
    """Edit by itself: the old revision against a hybrid with it, and one without it."""

    with_edit: Harness  # the edit and what it requires
    without_edit: Harness | None  # what it requires alone; None if that has no edits of its own

    def replay_alone(self, wanted: DifferingPlay, work: WorkBudget) -> PairedPlay | None:
        """A play that diverges in the same way with the edit, and not without it; else None."""
        play = _replay_divergence(self.with_edit, wanted, work)
        if play is None or self.without_edit is None:
            return play
        return play if _replay_divergence(self.without_edit, wanted, work) is None else None

    def is_credited(self, wanted: DifferingPlay, both: Harness, work: WorkBudget) -> bool:
        """Whether a play shows the edit, and its first visible difference is the one between both revisions."""
        alone = self.replay_alone(wanted, work)
        play = None if alone is None else _replay_divergence(both, wanted, work)
        if alone is None or play is None:
            return False
        return find_first_difference(alone, self.with_edit.executables) == find_first_difference(play, both.executables)


def _replay_divergence(harness: Harness, wanted: DifferingPlay, work: WorkBudget) -> PairedPlay | None:
    """A play again, between other revisions; None if it does not diverge in the same way and old place, or later."""
    play = play_recorded(harness, make_save(wanted), 0, work, len(wanted.given))
    if play is None or play.difference != wanted.difference:
        return None
    return play if outcome_address(play.outcomes[0]) == wanted.addresses[0] else None


@dataclass(frozen=True, slots=True)
class AttributedPlay:
    """Differing play with the edits it shows, and the isolated edit that proves it where a hybrid was needed."""

    play: DifferingPlay
    subject: EditSubject | None = None
    isolated_edit: IsolatedEdit | None = None


@dataclass(frozen=True, slots=True)
class SeparationResult:
    """Plays attributed to edits, in the order of the text; and the outcome for all edits, if known."""

    attributed_plays: tuple[AttributedPlay, ...]
    separated: SeparatedEdits | None


SeparateEdits = Callable[
    [Harness, Sequence[DifferingPlay], Sequence[SavedSession], WorkBudget, int, ComparisonProgressCallback],
    SeparationResult,
]
"""Separation of edits: both revisions, differing plays, plays to try first, work, number of processes, progress."""

_UNISOLATED_WORK_DIVISOR = 8


@dataclass(frozen=True, slots=True)
class ShrunkPlay:
    """Smallest play found that shows the same edit, None where it does not diverge again; and its cost."""

    play: DifferingPlay | None
    work_units: int
    is_cut: bool


def shrink_plays(
    harness: Harness,
    plays: Sequence[tuple[DifferingPlay, IsolatedEdit | None]],
    work: WorkBudget,
    effort: ComparisonEffort,
) -> Iterator[ShrunkPlay]:
    """Shrunk plays in order, each within a share of the work.

    If some show an isolated edit, the other plays get an eighth of a share each.
    """
    share = work.split_budget(work.units_left // max(1, len(plays)))
    some_alone = any(alone is not None for _, alone in plays)
    shares = [
        share.split_budget(share.units_left // _UNISOLATED_WORK_DIVISOR) if some_alone and alone is None else share
        for _, alone in plays
    ]
    items = [(*play, effort.shrinks, part) for play, part in zip(plays, shares, strict=True)]
    yield from map_in_processes(effort.workers if len(plays) > 1 else 1, _shrink_attributed, harness, items)


def _shrink_attributed(
    harness: Harness, item: tuple[DifferingPlay, IsolatedEdit | None, int, WorkBudget]
) -> ShrunkPlay:
    play, alone, most, share = item
    work = share.split_budget(share.units_left)
    shrunk = shrink_play(
        harness, play, most, work, lambda smaller: alone is None or alone.is_credited(smaller, harness, work)
    )
    return ShrunkPlay(shrunk, share.units_left - work.units_left, work.is_cut)
