"""Coverage-guided search (fuzzing) for plays that differ: sources of situations and the corpus of rare plays."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

from rulewright.base.workers import map_in_processes
from rulewright.diff.differential_testing.change_points import ChangePoint
from rulewright.diff.differential_testing.expression_tables import iterate_bits
from rulewright.diff.differential_testing.harness import (
    DIFFERS,
    ECHOES,
    STRAYS,
    WANTED_PLAYS_PER_COMBINATION,
    CoverageHit,
    Harness,
    ReachedHits,
    wanted_play_count,
)
from rulewright.diff.differential_testing.initial_states import (
    PairedState,
    draw_starts,
    drop_changed_values,
    mutate_state,
    pair_state,
)
from rulewright.diff.differential_testing.paired_play import UNUSABLE, PairedPlay, play_side_by_side
from rulewright.diff.differential_testing.replays import (
    DifferingPlay,
    record_play,
)
from rulewright.diff.differential_testing.results import (
    ROLES_COST,
    SITUATION_COST,
    ComparisonEffort,
    WorkBudget,
)
from rulewright.diff.differential_testing.shared_questions import (
    ChoiceSequence,
    draw_answers,
    make_value_source,
    mutate_choices,
)
from rulewright.diff.differential_testing.stored_values import StateData
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_generation import StateWish, apply_wishes, make_state, vary_state
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_sampling import (
    ChoiceSource,
    NoValueError,
    SeededChoices,
    SizeRanges,
    choose_one,
    choose_with_chance,
)
from rulewright.program.declarations import Program
from rulewright.runtime.request import Faulted
from rulewright.runtime.state import Situation

_NEAR_CORPUS_PERCENT, _SAME_STATE_PERCENT, _DROP_VALUES_PERCENT, _UNVARIED_PERCENT = 75, 30, 50, 15
_DEEPEST_PERCENT, _TOURNAMENT_SIZE, _DEPTH_SLACK = 70, 3, 2
_MIN_RETRY_PERCENT, _TRUSTED_TRIES = 10, 12
_DEPTH_BY_HIT = {DIFFERS: 1, ECHOES: 1, STRAYS: 3}
_GOAL_PERCENT, _PLAYER_COUNTS, _EMPTY_KIND_PERCENT = 60, ((2, 2),) * 6 + ((0, 0), (1, 1), (3, 3), (4, 4)), 6

WishesForSide = Callable[[int], Sequence[StateWish]]
"""Wishes for a start of one revision (0 is the old one) that covers what few plays covered."""


@dataclass(frozen=True)
class CorpusEntry:
    """Play worth mutating: its situation in the revision it was made for, and the choices of roles and answers."""

    side: int
    state: StateData
    situation: Situation
    choices: tuple[int, ...]
    reached: ReachedHits

    @cached_property
    def divergence_depth(self) -> int:
        """How far another value propagated: number of expressions and functions that differed.

        A play whose path through the steps changed went furthest.
        """
        return sum(_DEPTH_BY_HIT.get(what.rpartition(" ")[2], 0) for _, (_, what) in self.reached)


@dataclass(frozen=True)
class SearchOrigin:
    """Situation to play from."""

    paired_state: PairedState
    side: int  # revision it was made for
    choices: tuple[int, ...] = ()  # to replay
    roles: Mapping[str, Json] = field(default_factory=dict)  # wished arguments, by procedure and parameter


@dataclass
class SourceStatistics:
    """Tries of a source of situations, and the plays that came of it."""

    try_count: int = 0
    play_count: int = 0

    def is_worth_trying(self, chooser: ChoiceSource) -> bool:
        """Whether to try the source again: always at first, then in proportion to its success, and seldom anyway."""
        if self.try_count < _TRUSTED_TRIES:
            return True
        return choose_with_chance(chooser, max(_MIN_RETRY_PERCENT, 100 * self.play_count // self.try_count))


@dataclass
class OriginGenerator:
    """Generator of situations for one entry procedure."""

    harness: Harness
    chooser: ChoiceSource
    goal: WishesForSide = lambda _: ()
    corpus: list[CorpusEntry] = field(default_factory=list)  # plays with rare hits
    # of generated states and of mutated fixtures
    statistics: tuple[SourceStatistics, SourceStatistics] = field(
        default_factory=lambda: (SourceStatistics(), SourceStatistics())
    )
    turn: int = 0

    def draw_origin(self, rarity: Any) -> tuple[SearchOrigin | None, SourceStatistics | None]:
        """Situation with the statistics of its source, if it was not mutated from the corpus; None where none can be read."""
        self.turn += 1
        if self.corpus and choose_with_chance(self.chooser, _NEAR_CORPUS_PERCENT):
            if choose_with_chance(self.chooser, _DEEPEST_PERCENT) and any(
                corpus_entry.divergence_depth for corpus_entry in self.corpus
            ):
                return self._mutate_entry(self._pick_deepest(), ()), None
            picked = min((choose_one(self.chooser, self.corpus) for _ in range(_TOURNAMENT_SIZE)), key=rarity)
            return self._mutate_entry(picked, self._draw_wishes(picked.side)), None
        side = self.turn % 2
        fixtures = self.harness.task.fixtures.new if side else self.harness.task.fixtures.old
        luck = self.statistics[
            1 if fixtures and not (self.turn // 2 % 2 and self.statistics[0].is_worth_trying(self.chooser)) else 0
        ]
        luck.try_count += 1
        state = self.draw_state(side, fixtures if luck is self.statistics[1] else ())
        return (None if state is None else self._make_origin(state, side, self._draw_wishes(side))), luck

    def _pick_deepest(self) -> CorpusEntry:
        """Random corpus entry among those where the changed value propagated furthest, or nearly so."""
        most = max(corpus_entry.divergence_depth for corpus_entry in self.corpus)
        least = max(1, most - self.chooser.below(_DEPTH_SLACK))
        return choose_one(
            self.chooser, [corpus_entry for corpus_entry in self.corpus if corpus_entry.divergence_depth >= least]
        )

    def _draw_wishes(self, side: int) -> Sequence[StateWish]:
        return self.goal(side) if choose_with_chance(self.chooser, _GOAL_PERCENT) else ()

    def draw_state(self, side: int, fixtures: Sequence[Situation]) -> StateData | None:
        """State of one revision, mutated from a fixture or generated; None where none could be made."""
        program = self.harness.programs[side]
        try:
            if not fixtures:
                return make_state(program, self._draw_sizes(program), self.chooser)
            fixture = choose_one(self.chooser, fixtures)
            if choose_with_chance(self.chooser, _UNVARIED_PERCENT):
                return state_to_json(fixture, program)
            return vary_state(program, fixture, SizeRanges(), self.chooser)
        except NoValueError:
            return None

    def _draw_sizes(self, program: Program) -> SizeRanges:
        """Numbers of things per kind: mostly two players; sometimes another number, or none of some kind."""
        nothing = (
            {choose_one(self.chooser, list(program.kinds)): (0, 0)}
            if choose_with_chance(self.chooser, _EMPTY_KIND_PERCENT)
            else {}
        )
        return SizeRanges(players=choose_one(self.chooser, _PLAYER_COUNTS), things=nothing)

    def _make_origin(
        self, state: StateData, side: int, wishes: Sequence[StateWish], sequence: tuple[int, ...] = ()
    ) -> SearchOrigin | None:
        state = apply_wishes(state, self.harness.programs[side], wishes, self.chooser) if wishes else state
        if choose_with_chance(self.chooser, _DROP_VALUES_PERCENT):
            state = drop_changed_values(state, self.harness.task.altered.names[side], self.harness.programs[side])
        result = pair_state(state, side, self.harness.translations, self.chooser)
        roles = {wish.place: wish.value for wish in wishes}
        return None if result is None else SearchOrigin(result, side, sequence, roles)

    def _mutate_entry(self, entry: CorpusEntry, wishes: Sequence[StateWish]) -> SearchOrigin | None:
        sequence = mutate_choices(entry.choices, self.chooser)
        if choose_with_chance(self.chooser, _SAME_STATE_PERCENT):
            return self._make_origin(entry.state, entry.side, wishes, sequence)
        program = self.harness.programs[entry.side]
        values = make_value_source(NameTable(program, entry.situation.base), self.chooser)
        try:
            state = mutate_state(
                entry.state, program, self.harness.constants, self.harness.read_places[entry.side], values
            )
        except NoValueError:
            return None
        return self._make_origin(
            state, entry.side, wishes, entry.choices if choose_with_chance(self.chooser, 50) else sequence
        )


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


_MAX_CORPUS_ENTRIES, _MAX_IDLE_PLAYS, _TURNS_PER_GOAL_UPDATE = 300, 150, 20


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


def search_part(harness: Harness, number: int, enough: int, work: WorkBudget) -> SearchPart:
    """Part of a search, by number; ends when its work is spent or `enough` differing plays are found.

    Deterministic: the same number and work give the same plays.
    """
    before = work.units_left
    search = _FuzzingSearch(harness, number, work)
    state = search.state
    for at in count():
        if (
            work.is_exhausted
            or len(state.differing_plays) >= enough
            or (state.differing_plays and state.idle_plays >= _MAX_IDLE_PLAYS)
        ):
            break
        search.try_origin(at % len(harness.task.entrances))
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
        self._sources = [OriginGenerator(harness, self._chooser, self._choose_goal) for _ in harness.task.entrances]
        self._turn = 0
        self._undercovered_points: list[tuple[ChangePoint, list[int]]] = []

    def try_origin(self, entrance: int) -> None:
        sources = self._sources[entrance]
        origin, luck = sources.draw_origin(self._entry_rarity)
        self._work.spend_units(SITUATION_COST)
        if origin is None:
            return
        self._turn += 1
        sequence = ChoiceSequence(self._seed + self._turn * 7919, origin.choices)
        play = self._play_origin(origin, entrance, sequence)
        if play is None:
            return
        reached = self._harness.collect_hits(play)
        astray = "" if play.is_different else find_path_difference(play)
        if astray:
            reached |= {(1, (astray, f"{astray} {STRAYS}"))}
            self.state.path_differences[astray] += 1
        if luck is not None:
            luck.play_count += 1
        self._note_search_play(play, entrance, reached)
        self._add_to_corpus(origin, sources, tuple(sequence.choices), reached)

    def _play_origin(self, origin: SearchOrigin, entrance: int, sequence: ChoiceSequence) -> PairedPlay | None:
        procedures = self._harness.entry_procedures(self._harness.task.entrances[entrance])
        name = procedures[origin.side].name
        known = {parameter.name for parameter in procedures[origin.side].parameters}
        named = ((place.rpartition("/"), value) for place, value in origin.roles.items())
        roles = {role: value for (owner, _, role), value in named if owner == name and role in known}
        for opened in draw_starts(
            origin.paired_state, origin.side, procedures, self._harness.translations, sequence, roles
        ):
            play = play_side_by_side(
                self._harness.executables, opened, lambda question, common: draw_answers(question, common, sequence)
            )
            self._work.spend_units(ROLES_COST + play.work_units)
            if play.difference != UNUSABLE:
                return play
            self._harness.collect_hits(play)
            if play.turns or isinstance(play.outcomes[0], Faulted):
                return None
        return None

    def _note_search_play(self, play: PairedPlay, entrance: int, reached: ReachedHits) -> None:
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

    def _add_to_corpus(
        self, origin: SearchOrigin, sources: OriginGenerator, sequence: tuple[int, ...], reached: ReachedHits
    ) -> None:
        """Adds a play to the corpus if it hit something that few plays hit, or if few plays began there."""
        if not sources.corpus or any(self.state.hits[item] <= wanted_play_count(item[1]) for item in reached):
            state, situation = origin.paired_state.states[origin.side], origin.paired_state.situations[origin.side]
            sources.corpus.append(CorpusEntry(origin.side, state, situation, sequence, reached))
            if len(sources.corpus) > _MAX_CORPUS_ENTRIES:
                sources.corpus.pop(self._chooser.below(len(sources.corpus)))

    def _choose_goal(self, side: int) -> Sequence[StateWish]:
        """Wish for the next start: a combination that few plays covered."""
        if self._turn % _TURNS_PER_GOAL_UPDATE == 0 or not self._undercovered_points:
            self._undercovered_points = list(self._find_undercovered_points())
        if not self._undercovered_points:
            return ()
        point, combinations = choose_one(self._chooser, self._undercovered_points)
        return self._harness.wishes[side].make_wishes(point, choose_one(self._chooser, combinations), side)

    def _find_undercovered_points(self) -> Iterator[tuple[ChangePoint, list[int]]]:
        for number, point in enumerate(self._harness.points):
            if point.table is None:
                continue
            at = 0 if point.roots[1] is None else 1
            seldom = [
                bit
                for bit in iterate_bits(point.table.differing)
                if self.state.hits[at, (point.addresses[at], f"{number} {bit}")] < WANTED_PLAYS_PER_COMBINATION
            ]
            result = seldom or (list(iterate_bits(point.table.differing)) if point.is_pair else [])
            if result:
                yield point, result

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
