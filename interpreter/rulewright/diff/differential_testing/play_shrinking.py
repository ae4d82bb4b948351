"""Shrinking of differing plays, by greedy reduction, and the check that a play shows an edit by itself."""

from collections.abc import Callable, Iterator, Sequence
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
    ValueTranslation,
    translate_roles,
    translate_state,
)
from rulewright.diff.differential_testing.stored_values import StateData, find_in_state, list_field_owners
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import CELLS, REMOVED, SIDES
from rulewright.documents.saved_sessions import SavedSession
from rulewright.documents.state_generation import copy_state
from rulewright.program import types as ty
from rulewright.program.declarations import Program


def simpler_values(value: Any, type_: ty.Type, program: Program) -> Iterator[Any]:
    """Simpler values of a type than this one."""
    match type_:
        case ty.OptionalType(inner):
            if value is not None:
                yield None
                yield from simpler_values(value, inner, program)
        case ty.NumberType(low, high):
            yield from filter(type_.contains_number, _simpler_numbers(value, low, high))
        case ty.FlagType() | ty.DirectionType():
            yield from (type(value)(0),) if value else ()
        case ty.WordType(values):
            words = [word.name for word in program.values[values].words]
            yield from words[: words.index(value)]
        case ty.SetType() | ty.ListType() | ty.BagType() | ty.DeckType() | ty.MapType():
            yield from _smaller_collections(value)
        case ty.RecordType(record):
            yield from _simpler_records(value, record, program)


def _simpler_records(value: dict[str, Any], record: str, program: Program) -> Iterator[Any]:
    for part in program.records[record].parts:
        for simpler_value in simpler_values(value[part.name], part.type, program) if part.name in value else ():
            yield {**value, part.name: simpler_value}


def _simpler_numbers(value: int, low: int | None, high: int | None) -> Iterator[int]:
    plain = low if low is not None and low > 0 else high if high is not None and high < 0 else 0
    tried = {value}
    for item in (
        plain,
        plain + (1 if value > plain else -1),
        (value + plain) // 2,
        value + (-1 if value > plain else 1),
    ):
        if item not in tried and abs(item - plain) < abs(value - plain):
            tried.add(item)
            yield item


def _smaller_collections(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        if value:
            yield {}
        yield from ({key: item for key, item in value.items() if key != name} for name in value)
    else:
        if value:
            yield []
        yield from (value[:at] + value[at + 1 :] for at in range(len(value)))


def remove_one_thing(state: StateData, program: Program) -> Iterator[StateData]:
    """States without one thing, one cell of a board, or one pair of a relation."""
    for owner in list_field_owners(program):
        for path, _ in owner.list_holders(state) if owner.name else ():
            smaller = copy_state(state)
            del find_in_state(smaller, path[:-1])[path[-1]]
            smaller[REMOVED] = [item for item in smaller.get(REMOVED, []) if item.rpartition("/")[2] != path[-1]]
            yield _drop_empty_parts(smaller, program)
    for name in program.relations:
        pairs: Any = state.get(name, [])
        yield from ({**state, name: pairs[:at] + pairs[at + 1 :]} for at in range(len(pairs)))


def remove_defaults(state: StateData, program: Program) -> Iterator[StateData]:
    """State without everything that has a start value, then without one attribute of everything that has it."""
    optional = [
        (owner, name)
        for owner in list_field_owners(program)
        for name, field in owner.fields.items()
        if field.start is not None
    ]
    for left_out in (optional, *([item] for item in optional)):
        smaller = copy_state(state)
        for owner, name in left_out:
            for _, values in owner.list_holders(smaller):
                values.pop(name, None)
        yield _drop_empty_parts(smaller, program)


def simplify_one_value(state: StateData, program: Program) -> Iterator[StateData]:
    """States with one value omitted, where it has a start value, or simpler."""
    for owner in list_field_owners(program):
        for path, values in owner.list_holders(state):
            for name, field in owner.fields.items():
                if name not in values:
                    continue
                others = {item: value for item, value in values.items() if item != name}
                simpler = ({**others, name: value} for value in simpler_values(values[name], field.type, program))
                for fewer in (*([others] if field.start is not None else ()), *simpler):
                    smaller = copy_state(state)
                    find_in_state(smaller, path[:-1])[path[-1]] = fewer
                    yield _drop_empty_parts(smaller, program)


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

    Greedy, in passes that are repeated until none helps: things go, answers become plain, values become simpler. Every
    step that still diverges in the same way and for which `shows` holds is kept, and the pass goes on from there.
    """
    tries = _ShrinkAttempts(harness, most, work, shows)
    now = tries.try_candidate(first, first)
    before = None
    while now is not None and now is not before:
        before = now
        for way in (remove_defaults, remove_one_thing):
            now = tries.run_pass(partial(tries.reduce_starts, way), now)
        now = tries.run_pass(_simplify_answers, now)
        now = tries.run_pass(partial(tries.reduce_starts, simplify_one_value), now)
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
        self._tries_left -= 1
        self._failed.add(text)
        play = replay_play(self._harness, candidate, self._work)
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
        task = self._harness.task
        back = self._harness.translations.backward
        procedures = self._harness.entry_procedures(now.procedures)
        state = dict(now.starts[1].state)
        for smaller in way(state, task.new):
            try:
                changed = _apply_state_change(dict(now.starts[0].state), state, smaller, back)
                roles = translate_roles(now.starts[1].roles, procedures[1], procedures[0], back)
            except NoCounterpartError:
                continue
            old = _drop_empty_parts(changed, task.old)
            yield StartData(old, {**now.starts[0].roles, **roles}), StartData(smaller, now.starts[1].roles)
        yield from self._reduce_old_starts(now, way)

    def _reduce_old_starts(self, now: DifferingPlay, way: _ReduceState) -> Iterator[tuple[StartData, StartData]]:
        if self._harness.translations.is_identity:
            return
        state = dict(now.starts[0].state)
        for smaller in way(state, self._harness.task.old):
            try:
                same = translate_state(smaller, self._harness.translations.forward) == translate_state(
                    state, self._harness.translations.forward
                )
            except NoCounterpartError:
                continue
            if same:
                yield StartData(smaller, now.starts[0].roles), now.starts[1]


def _reading_cost(play: DifferingPlay) -> tuple[int, int, int]:
    """Reading cost of a play: answers, then data, then the sum of its numbers."""
    states = repr([start.state for start in play.starts])
    given = repr(play.given)
    numbers = sum(int(digit_run) for digit_run in _digit_runs(states + given))
    return len(play.given), len(states) + len(given), numbers


def _digit_runs(text: str) -> Iterator[str]:
    word = ""
    for item in text + " ":
        if item.isdigit():
            word += item
        elif word:
            yield word
            word = ""


def _simplify_answers(now: DifferingPlay) -> Iterator[DifferingPlay]:
    """Plays with one answer replaced by the plain one, or with lower faces and numbers."""
    for at, item in enumerate(now.given):
        for plain in _simplify_given(item):
            yield replace(now, given=(*now.given[:at], plain, *now.given[at + 1 :]))


def _simplify_given(given: GivenAnswer) -> Iterator[GivenAnswer]:
    (old_at, old), (new_at, new) = given
    yield (old_at, _UNFITTING_ANSWER), (new_at, _UNFITTING_ANSWER)
    if old == new:
        yield from (((old_at, smaller_answer), (new_at, smaller_answer)) for smaller_answer in _smaller_answers(old))


_UNFITTING_ANSWER: Json = {"no": "answer"}
"""Answer that fits no question, so that the plainest one is given."""


def _smaller_answers(answer: Json) -> Iterator[Json]:
    match answer:
        case bool():
            return
        case int():
            yield from (item for item in (0, 1, answer // 2, answer - 1) if 0 <= item < answer)
        case list():
            for at, member in enumerate(answer):
                yield from (
                    [*answer[:at], smaller_answer, *answer[at + 1 :]] for smaller_answer in _smaller_answers(member)
                )
        case dict():
            yield from ({name: item for name, item in answer.items() if name != omitted} for omitted in answer)
            for name, entry in answer.items():
                yield from ({**answer, name: smaller_answer} for smaller_answer in _smaller_answers(entry))


def _apply_state_change(old: StateData, before: StateData, after: StateData, back: ValueTranslation) -> StateData:
    laid = _merge_json_change(old, translate_state(before, back), translate_state(after, back))
    assert isinstance(laid, dict)
    return laid


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
