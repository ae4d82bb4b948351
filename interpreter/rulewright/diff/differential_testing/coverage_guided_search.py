"""Coverage-guided search (fuzzing) for plays that differ: one sequence of choices makes a play, and is mutated."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

from rulewright.base.workers import map_in_processes
from rulewright.diff.differential_testing.drawn_plays import draw_play
from rulewright.diff.differential_testing.harness import (
    DIFFERS,
    ECHOES,
    STRAYS,
    CoverageHit,
    Harness,
    ReachedHits,
    wanted_play_count,
)
from rulewright.diff.differential_testing.paired_play import PairedPlay
from rulewright.diff.differential_testing.replays import DifferingPlay, record_play
from rulewright.diff.differential_testing.results import ComparisonEffort, WorkBudget
from rulewright.diff.differential_testing.shared_questions import ChoiceSequence, mutate_choices
from rulewright.documents.value_sampling import SeededChoices, choose_one, choose_with_chance

_NEAR_CORPUS_PERCENT, _DEEPEST_PERCENT, _TOURNAMENT_SIZE, _DEPTH_SLACK = 75, 70, 3, 2
_DEPTH_BY_HIT = {DIFFERS: 1, ECHOES: 1, STRAYS: 3}


@dataclass(frozen=True)
class CorpusEntry:
    """Play worth mutating: all its choices, from its situation to its last answer."""

    choices: tuple[int, ...]
    reached: ReachedHits

    @cached_property
    def divergence_depth(self) -> int:
        """How far another value propagated: number of expressions and functions that differed.

        A play whose path through the steps changed went furthest.
        """
        return sum(_DEPTH_BY_HIT.get(what.rpartition(" ")[2], 0) for _, (_, what) in self.reached)


def find_path_difference(play: PairedPlay) -> str:
    """New address of the first step that only one revision entered or skipped; empty if none.

    Steps that only one revision has do not count.
    """
    steps = {
        old.name: new.name
        for old, new in play.start.common_form.translations.forward.names.names.items()
        if old.sort == "step"
    }
    known = set(steps.values())
    first = [(steps[address], entered) for address, entered in play.step_path(0) if address in steps]
    second = [(address, entered) for address, entered in play.step_path(1) if address in known]
    return next(_differing_steps(first, second), "")


def _differing_steps(first: list[tuple[str, bool]], second: list[tuple[str, bool]]) -> Iterator[str]:
    for one, other in zip(first, second, strict=False):
        if one != other:
            yield other[0]
    longer = max(first, second, key=len)
    yield from (address for address, _ in longer[min(len(first), len(second)) :])


_MAX_CORPUS_ENTRIES, _MAX_IDLE_PLAYS = 300, 150


@dataclass(frozen=True)
class SearchPart:
    """Result of one part of a search."""

    plays: tuple[int, ...]  # per entry procedure, in the order of the task
    hits: Counter[tuple[int, CoverageHit]]  # number of plays per hit
    differing_plays: tuple[DifferingPlay, ...]  # one for each kind of difference, the cheapest to read
    path_differences: Counter[str]  # plays that differed only in the path through the steps, by the first such step
    limit_counts: Counter[str]  # plays ended by each machine limit, by code
    work_units: int
    is_cut: bool


@dataclass
class _SearchState:
    plays: Counter[int] = field(default_factory=Counter)
    hits: Counter[tuple[int, CoverageHit]] = field(default_factory=Counter)
    differing_plays: dict[object, DifferingPlay] = field(default_factory=dict)
    path_differences: Counter[str] = field(default_factory=Counter)
    limit_counts: Counter[str] = field(default_factory=Counter)
    idle_plays: int = 0


def search_plays(harness: Harness, number: int, enough: int, work: WorkBudget) -> Iterator[DifferingPlay]:
    """Differing plays as they are found, the first of each kind; ends when its work is spent or `enough` are found.

    Deterministic: the same number and work give the same plays.
    """
    return _FuzzingSearch(harness, number, work).search(enough)


def search_part(harness: Harness, number: int, enough: int, work: WorkBudget) -> SearchPart:
    """Part of a search, by number, with all that it met."""
    before = work.units_left
    search = _FuzzingSearch(harness, number, work)
    for _ in search.search(enough):
        pass
    state = search.state
    counts = tuple(state.plays[at] for at in range(len(harness.task.entrances)))
    differing = tuple(state.differing_plays.values())
    return SearchPart(
        counts, state.hits, differing, state.path_differences, state.limit_counts, before - work.units_left, work.is_cut
    )


def difference_kind(each: DifferingPlay) -> object:
    """Key that tells kinds of difference apart: entry procedure, place and sort of the divergence, and the single change."""
    old, new = each.touched
    single = (old, new) if len(old) <= 1 and len(new) <= 1 else ()
    if each.difference == "legal":
        return each.difference, single
    return each.procedures, each.difference, each.addresses, single


class _FuzzingSearch:
    def __init__(self, harness: Harness, number: int, work: WorkBudget) -> None:
        self.state = _SearchState()
        self._harness = harness
        self._work = work
        self._seed = harness.task.seed * 1_000_003 + number
        self._chooser = SeededChoices(self._seed)
        self._corpora: list[list[CorpusEntry]] = [[] for _ in harness.task.entrances]  # plays with rare hits
        self._turn = 0

    def search(self, enough: int) -> Iterator[DifferingPlay]:
        state = self.state
        for at in count():
            if (
                self._work.is_exhausted
                or len(state.differing_plays) >= enough
                or (state.differing_plays and state.idle_plays >= _MAX_IDLE_PLAYS)
            ):
                return
            known = len(state.differing_plays)
            self._try_choices(at % len(self._harness.task.entrances))
            if len(state.differing_plays) > known:
                yield [*state.differing_plays.values()][-1]

    def _try_choices(self, entrance: int) -> None:
        """Play once from an entry procedure: from new choices, or from mutated ones of the corpus."""
        self._turn += 1
        corpus = self._corpora[entrance]
        choices = ChoiceSequence(self._seed + self._turn * 7919, self._mutate_corpus(corpus))
        play = draw_play(self._harness, self._harness.task.entrances[entrance], choices, self._work)
        if play is None:
            return
        reached = self._harness.collect_hits(play)
        astray = "" if play.is_different else find_path_difference(play)
        if astray:
            reached |= {(1, (astray, f"{astray} {STRAYS}"))}
            self.state.path_differences[astray] += 1
        self._note_play(play, entrance, reached)
        self._add_to_corpus(CorpusEntry(tuple(choices.choices), reached), corpus)

    def _mutate_corpus(self, corpus: Sequence[CorpusEntry]) -> tuple[int, ...]:
        """Choices near those of a play of the corpus, mostly of one where a value propagated far; or none."""
        if not corpus or not choose_with_chance(self._chooser, _NEAR_CORPUS_PERCENT):
            return ()
        most = max(entry.divergence_depth for entry in corpus)
        if most and choose_with_chance(self._chooser, _DEEPEST_PERCENT):
            least = max(1, most - self._chooser.below(_DEPTH_SLACK))
            picked = choose_one(self._chooser, [entry for entry in corpus if entry.divergence_depth >= least])
        else:
            drawn = (choose_one(self._chooser, corpus) for _ in range(_TOURNAMENT_SIZE))
            picked = min(drawn, key=self._entry_rarity)
        return mutate_choices(picked.choices, self._chooser)

    def _note_play(self, play: PairedPlay, entrance: int, reached: ReachedHits) -> None:
        state = self.state
        state.plays[entrance] += 1
        state.hits.update(reached)
        state.limit_counts.update(play.limit_codes)
        state.idle_plays += 1
        if play.is_different:
            here = record_play(play, reached)
            known = state.differing_plays.get(difference_kind(here))
            if known is None:
                state.idle_plays = 0
            if known is None or here.reading_size < known.reading_size:
                state.differing_plays[difference_kind(here)] = here

    def _add_to_corpus(self, entry: CorpusEntry, corpus: list[CorpusEntry]) -> None:
        """Adds a play to the corpus if it hit something that few plays hit, or if it is the first."""
        if not corpus or any(self.state.hits[item] <= wanted_play_count(item[1]) for item in entry.reached):
            corpus.append(entry)
            if len(corpus) > _MAX_CORPUS_ENTRIES:
                corpus.pop(self._chooser.below(len(corpus)))

    def _entry_rarity(self, entry: CorpusEntry) -> int:
        return min((self.state.hits[item] for item in entry.reached), default=1_000_000)


SEARCH_PARTS = 8


def search_in_parts(harness: Harness, work: WorkBudget, effort: ComparisonEffort) -> Iterator[SearchPart]:
    """Parts of a search, each with the same share of the work, in order.

    The first one is played here, the others as they are requested. The plays of a part do not depend on the number of
    processes. The caller charges the work of the parts it used.
    """
    share = work.split_budget(work.units_left // SEARCH_PARTS)
    yield _search_part_within(harness, (0, effort.witnesses, share))
    others = [(number, effort.witnesses, share) for number in range(1, SEARCH_PARTS)]
    yield from map_in_processes(effort.workers, _search_part_within, harness, others)


def _search_part_within(harness: Harness, item: tuple[int, int, WorkBudget]) -> SearchPart:
    number, enough, share = item
    return search_part(harness, number, enough, share.split_budget(share.units_left))
