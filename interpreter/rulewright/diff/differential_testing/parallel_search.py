"""Parts of a search and witnesses to be made small, in one process or several; which edit a play shows."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from rulewright.base.diagnostics.terminal import PLAIN_PAINTER, Painter
from rulewright.base.frozen import dataclass
from rulewright.base.workers import start_process_pool
from rulewright.diff.differential_testing.coverage_guided_search import SearchPart, search_part
from rulewright.diff.differential_testing.harness import ComparisonTask, Harness
from rulewright.diff.differential_testing.paired_play import PLAY_LIMITS, PairedPlay
from rulewright.diff.differential_testing.play_shrinking import shrink_play
from rulewright.diff.differential_testing.replays import DifferingPlay, make_save, outcome_address, play_recorded
from rulewright.diff.differential_testing.results import (
    ComparisonEffort,
    ComparisonProgressCallback,
    EditSubject,
    SeparatedEdits,
    WorkBudget,
)
from rulewright.documents.name_table import NameTable
from rulewright.documents.saved_sessions import SavedSession
from rulewright.play.answer_sources import AnswerSourceChain, SourcedAnswer
from rulewright.play.play_story import Story
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import AnsweredTurn, PlayStart, Session, TurnHistory
from rulewright.program.statements import RankKey
from rulewright.runtime.executable import Executable
from rulewright.runtime.request import TraceEntry


@dataclass(frozen=True, slots=True)
class TracedEvent:
    """One thing that happened, as far as a decisive trace tells it."""

    address: str  # where, as the new revision calls it where it has the place
    content: object  # what came of it: values, changes and rows, without words and without what was read on the way
    lines: tuple[str, ...]  # as it is told
    changes: bool = False  # whether something was changed by it

    def is_same_event(self, other: "TracedEvent") -> bool:
        """Whether the same happened, though it may be told in other words."""
        return self.lines == other.lines or (self.address, self.content) == (other.address, other.content)


FirstDifference = tuple[int, tuple[str, ...], object]
"""The first visible difference: its number, how the old revision tells it, and what happened then in the new one."""


def build_session(play: PairedPlay, side: int, executable: Executable) -> Session:
    """The play of one revision, 0 for the old one, as drivers have it."""
    opened = play.start
    situation = opened.situations[side]
    begun = PlayStart(executable, opened.procedures[side], situation, opened.arguments[side], PLAY_LIMITS)
    sources = AnswerSourceChain(NameTable(executable.program, situation.base), SeededRandom(0))
    turns = TurnHistory(
        AnsweredTurn(turn.question.paused[side], SourcedAnswer(turn.answers[side], "person"), sources)
        for turn in play.turns
    )
    return Session(begun, play.outcomes[side], sources, turns)


def trace_events(
    session: Session, addresses: Mapping[str, str], paint: Painter = PLAIN_PAINTER
) -> Iterator[TracedEvent]:
    """What is told of a play; `addresses` are those of the other revision by its own."""
    story = Story(session.start.names, "decisive", paint, shows_unmet=True)
    for entries, turn in session.entry_parts:
        for entry in entries:
            lines = tuple(story.render_entries((entry,)))
            if lines:
                yield TracedEvent(
                    addresses.get(entry.address, entry.address), _entry_content(entry), lines, bool(entry.changes)
                )
        if turn is not None and (turn.question.sort not in {"roll", "draw"} or isinstance(turn.question.node, RankKey)):
            at = turn.question.address
            yield TracedEvent(addresses.get(at, at), "answer", tuple(story.render_turn(turn)))


def find_first_difference(play: PairedPlay, executables: tuple[Executable, Executable]) -> FirstDifference:
    """The first thing a reader sees otherwise in the two revisions; the ends where all before is alike."""
    across = play.start.common_form.translations.forward.names.addresses
    old, new = (
        list(trace_events(build_session(play, side, executables[side]), known))
        for side, known in ((0, across), (1, {}))
    )
    apart = (number for number, pair in enumerate(zip(old, new, strict=False)) if not pair[0].is_same_event(pair[1]))
    number = next(apart, min(len(old), len(new)))
    return (
        number,
        next((traced_event.lines for traced_event in old[number:]), ()),
        next((traced_event.content for traced_event in new[number:]), None),
    )


def _entry_content(entry: TraceEntry) -> object:
    return (
        entry.sort,
        entry.result if entry.sort != "roll" else tuple(die.face for die in entry.dice),
        tuple(change.after for change in entry.changes),
        tuple((row.outcome, row.value) for row in entry.rows),
        tuple((inner.result, tuple((row.outcome, row.value) for row in inner.rows)) for inner in entry.inner),
    )


@dataclass(frozen=True, slots=True)
class IsolatedEdit:
    """An edit by itself."""

    with_edit: ComparisonTask  # the old revision against a hybrid with the edit and what it needs
    without_edit: ComparisonTask | None  # the same with what it needs alone; none where that has no edits of its own


class IsolationCheck:
    """Plays of the old revision, held against an edit by itself.

    Args:
        alone: the edit.
        both: the old revision and the new one.
        made: the old revision and the hybrid, where it is at hand.
    """

    def __init__(self, alone: IsolatedEdit, both: Harness, made: Harness | None = None) -> None:
        self.isolated_edit = alone
        self._both = both
        self._made = made or Harness(alone.with_edit)
        self._without = None if alone.without_edit is None else Harness(alone.without_edit)

    def is_shown_by(self, wanted: DifferingPlay, work: WorkBudget) -> bool:
        """Whether a play parts in the same way where the edit is made, and not where it is not."""
        return self._find_showing_play(wanted, work) is not None

    def is_credited(self, wanted: DifferingPlay, work: WorkBudget) -> bool:
        """Whether a play shows the edit in the new revision too, and what is seen first there comes from it."""
        alone, play = self._find_showing_play(wanted, work), play_recorded(self._both, make_save(wanted), 0, work)
        if alone is None or play is None or not has_same_difference(play, wanted):
            return False
        return find_first_difference(alone, self._made.executables) == find_first_difference(
            play, self._both.executables
        )

    def _find_showing_play(self, wanted: DifferingPlay, work: WorkBudget) -> PairedPlay | None:
        """The play of the edit by itself; none where it does not show it."""
        save = make_save(wanted)
        play = play_recorded(self._made, save, 0, work)
        if play is None or not has_same_difference(play, wanted):
            return None
        other = None if self._without is None else play_recorded(self._without, save, 0, work)
        return None if other is not None and has_same_difference(other, wanted) else play


def has_same_difference(play: PairedPlay, wanted: DifferingPlay) -> bool:
    """Whether a play parts in the same way, at the same place of the old revision."""
    return play.difference == wanted.difference and outcome_address(play.outcomes[0]) == wanted.addresses[0]


@dataclass(frozen=True, slots=True)
class AttributedPlay:
    """A play, the edits it is about, and what shows that, where a hybrid was needed."""

    play: DifferingPlay
    subject: EditSubject | None = None
    isolated_edit: IsolatedEdit | None = None


@dataclass(frozen=True, slots=True)
class SeparationResult:
    """The plays about some edits each, in the order of the text; and what became of all edits, if it is known."""

    attributed_plays: tuple[AttributedPlay, ...]
    separated: SeparatedEdits | None


SeparateEdits = Callable[
    [ComparisonTask, Sequence[DifferingPlay], Sequence[SavedSession], WorkBudget, int, ComparisonProgressCallback],
    SeparationResult,
]
"""Tells edits apart: from what is compared, plays that part it, more to try, the work and the number of processes."""

SEARCH_PARTS = 8
_UNISOLATED_WORK_DIVISOR = 8


def search_in_parts(bench: Harness, work: WorkBudget, effort: ComparisonEffort) -> Iterator[SearchPart]:
    """The parts of a search in order, each with the same share of the work: one here first, then as they are wanted.

    Which plays a part makes does not depend on how many processes there are. What the parts cost is for the caller to
    take from the work: of parts that were made and are not wanted nothing counts.
    """
    share = work.split_budget(work.units_left // SEARCH_PARTS)
    yield search_part(bench, 0, effort.witnesses, share.split_budget(share.units_left))
    if effort.workers > 1:
        yield from _search_in_workers(bench.task, share, effort)
        return
    for number in range(1, SEARCH_PARTS):
        yield search_part(bench, number, effort.witnesses, share.split_budget(share.units_left))


@dataclass(frozen=True, slots=True)
class ShrunkPlay:
    """The smallest play like another that shows the same edit; none where it does not part again. What that cost."""

    play: DifferingPlay | None
    work_units: int
    is_cut: bool


def shrink_plays(
    bench: Harness,
    found: Sequence[tuple[DifferingPlay, IsolatedEdit | None]],
    work: WorkBudget,
    effort: ComparisonEffort,
) -> Iterator[ShrunkPlay]:
    """The smallest play like each of some, in order, each with a share of the work.

    Where some show one edit by itself, the others, which come after them, have an eighth of it.
    """
    share = work.split_budget(work.units_left // max(1, len(found)))
    some_alone = any(alone is not None for _, alone in found)
    shares = [
        share.split_budget(share.units_left // _UNISOLATED_WORK_DIVISOR) if some_alone and alone is None else share
        for _, alone in found
    ]
    if effort.workers <= 1 or len(found) <= 1:
        pairs = zip(found, shares, strict=True)
        yield from (
            _shrink_attributed(bench, *item, effort.shrinks, part.split_budget(part.units_left)) for item, part in pairs
        )
        return
    with start_process_pool(effort.workers, _start_search_worker, bench.task) as pool:
        yield from pool.map(_shrink_in_worker, *zip(*found, strict=True), [effort.shrinks] * len(found), shares)


def _shrink_attributed(
    bench: Harness, each: DifferingPlay, alone: IsolatedEdit | None, most: int, work: WorkBudget
) -> ShrunkPlay:
    before = work.units_left
    if alone is None:
        made = shrink_play(bench, each, most, work)
    else:
        check = IsolationCheck(alone, bench)
        made = shrink_play(bench, each, most, work, lambda smaller: check.is_credited(smaller, work))
    return ShrunkPlay(made, before - work.units_left, work.is_cut)


def _search_in_workers(task: ComparisonTask, share: WorkBudget, effort: ComparisonEffort) -> Iterator[SearchPart]:
    pool = start_process_pool(effort.workers, _start_search_worker, task)
    try:
        parts = [pool.submit(_search_in_worker, number, effort.witnesses, share) for number in range(1, SEARCH_PARTS)]
        for part in parts:
            yield part.result()
    finally:
        pool.shutdown(cancel_futures=True)


_WORKER_HARNESS: list[Harness] = []
"""That of a worker, made once for all its parts."""


def _start_search_worker(task: ComparisonTask) -> None:
    _WORKER_HARNESS[:] = [Harness(task)]


def _shrink_in_worker(each: DifferingPlay, alone: IsolatedEdit | None, most: int, share: WorkBudget) -> ShrunkPlay:
    return _shrink_attributed(_WORKER_HARNESS[0], each, alone, most, share.split_budget(share.units_left))


def _search_in_worker(number: int, enough: int, share: WorkBudget) -> SearchPart:
    return search_part(_WORKER_HARNESS[0], number, enough, share.split_budget(share.units_left))
