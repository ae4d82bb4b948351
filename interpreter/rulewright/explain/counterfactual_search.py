"""Search for the smallest change of a play that reaches a goal: single changes, then pairs by distance."""

import dataclasses
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import combinations, pairwise
from operator import attrgetter

from rulewright.base.frozen import dataclass
from rulewright.explain.alternatives import (
    AlternativeAnswer,
    AnswerChange,
    CourseReplayer,
    PlayChange,
    RecordedCourse,
    StartChange,
    StartSpace,
    enumerate_alternatives,
    split_usual_answer,
)
from rulewright.explain.explained_subjects import CounterfactualGoal
from rulewright.explain.tracked_values import QueryLog, StartEquivalence, ValueQuery, reveal_tracked_values
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.request import Faulted, Refused
from rulewright.runtime.run import NOT_ANSWERED, Paused, Run
from rulewright.runtime.slicing import RelevantInputs


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """Changes that make a play reach the goal."""

    changes: tuple[PlayChange, ...]  # in the order of the play, values of the start first

    @property
    def distance(self) -> int:
        """Sum over the changes."""
        return sum(change.distance for change in self.changes)

    @property
    def sort_key(self) -> tuple[int, int, int]:
        """Number of changes, distance, then chance before answers before values of the start."""
        return len(self.changes), self.distance, sum(change.rank for change in self.changes)


class PlayLimitError(Exception):
    """The limit of changed plays is reached."""


@dataclasses.dataclass(slots=True)
class ChangedPlay:
    """A changed play in progress."""

    run: Run
    replayer: CourseReplayer
    goal_memory: Hashable
    changes: tuple[PlayChange, ...]
    value_queries: dict[ValueQuery, bool]  # comparisons of tracked values so far

    def fork_play(self) -> "ChangedPlay":
        return ChangedPlay(
            self.run.fork(), self.replayer.copy_replayer(), self.goal_memory, self.changes, self.value_queries.copy()
        )


@dataclasses.dataclass(slots=True)
class ChangedPlayExplorer:
    """Runs changed plays and keeps the counterfactuals."""

    course: RecordedCourse
    goal: CounterfactualGoal
    start_space: StartSpace
    max_plays: int
    relevant_slice: RelevantInputs | None  # inputs that the goal may depend on, if known
    play_count: int = 0
    unanswered_counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    is_cut: bool = False
    counterfactuals: dict[Hashable, Counterfactual] = field(default_factory=dict)
    query_log: QueryLog = field(default_factory=QueryLog)
    endless_changes: set[Hashable] = field(default_factory=set)  # single changes whose play does not end
    is_last_endless: bool = False  # of the play judged last: it did not end
    is_last_kept: bool = False  # of the play judged last: it reached the goal

    # One play.

    def begin_changed_play(self, changed: tuple[StartChange, ...] = (), watched: Collection[int] = ()) -> ChangedPlay:
        """Play from a changed start at its first request; the places `watched` are tracked."""
        queries: dict[ValueQuery, bool] = {}
        self.query_log.queries = queries
        situation = self.start_space.build_situation(changed, self.query_log, watched)
        run = self.course.begin_from(self.goal.executable, situation)
        return ChangedPlay(run, CourseReplayer(self.course), self.goal.update_goal_memory(None, run), changed, queries)

    def iterate_requests(self, moment: ChangedPlay) -> Iterator[tuple[ChangedPlay, object]]:
        """Requests to come with their usual answers; the play advances with the iteration."""
        while not self.is_goal_lost(moment) and (usual := self._usual_answer(moment)) is not NOT_ANSWERED:
            yield moment, usual
            self._give_answer(moment, usual)

    def is_goal_lost(self, moment: ChangedPlay) -> bool:
        """Whether a play at a request can no longer reach the goal."""
        self.query_log.queries = moment.value_queries
        return isinstance(moment.run.outcome, Paused) and self.goal.is_lost(moment.run, moment.goal_memory)

    def _usual_answer(self, moment: ChangedPlay) -> object:
        self.query_log.queries = moment.value_queries
        paused = moment.run.outcome
        if not isinstance(paused, Paused) or moment.replayer.is_at_stop(paused.asked):
            return NOT_ANSWERED
        return reveal_tracked_values(moment.replayer.usual_answer(paused))

    def _give_answer(self, moment: ChangedPlay, answer: object) -> None:
        self.query_log.queries = moment.value_queries
        paused = moment.run.outcome
        assert isinstance(paused, Paused)
        moment.replayer.note_request(paused.asked)
        paused.take_answer(answer)  # type: ignore[arg-type]
        moment.goal_memory = self.goal.update_goal_memory(moment.goal_memory, moment.run)

    def judge_play(self, moment: ChangedPlay) -> StartEquivalence:
        """Runs a play to its end and keeps its changes if it reaches the goal; returns the starts that behave alike."""
        self.play_count += 1
        if self.play_count > self.max_plays:
            raise PlayLimitError
        self.is_last_endless = self.is_last_kept = False
        if self.is_goal_lost(moment):
            return self.equivalent_starts(moment)
        moment.run.answering = partial(self._answer_immediately, moment)
        for _ in self.iterate_requests(moment):
            pass
        outcome = moment.run.outcome
        answered = any(isinstance(change, AnswerChange) for change in moment.changes)
        self.is_last_endless = isinstance(outcome, (Faulted, Refused) if answered else Faulted)
        if self.is_goal_lost(moment):
            pass
        elif isinstance(outcome, Paused) and not moment.replayer.is_at_stop(outcome.asked):
            self.is_last_endless = True
            if any(map(self.is_relevant_change, moment.changes)):
                self.unanswered_counts[outcome.asked.address, outcome.request.prompt or outcome.request.name] += 1
        elif self.goal.is_met(moment.run, moment.goal_memory):
            self.is_last_kept = True
            self.keep_counterfactual(Counterfactual(moment.changes))
        return self.equivalent_starts(moment)

    def _answer_immediately(self, moment: ChangedPlay, question: PendingQuestion) -> object:
        return (
            NOT_ANSWERED
            if self.goal.is_lost(moment.run, moment.goal_memory)
            else moment.replayer.answer_immediately(question)
        )

    def equivalent_starts(self, moment: ChangedPlay) -> StartEquivalence:
        """Starts that take the same path through the play."""
        return StartEquivalence(
            moment.value_queries, self.start_space.values, self.start_space.base_values(moment.changes)
        )

    def keep_counterfactual(self, flip: Counterfactual) -> None:
        """Keeps the nearest counterfactual for each place or pair of places."""
        place = tuple(change.place for change in flip.changes)
        if place not in self.counterfactuals or flip.sort_key < self.counterfactuals[place].sort_key:
            self.counterfactuals[place] = flip

    def list_other_answers(
        self, moment: ChangedPlay, usual: object, count: int, most: int
    ) -> Iterator[AlternativeAnswer]:
        """Other answers to a request with `count` changes and a distance of at most `most`."""
        self.query_log.queries = moment.value_queries
        question = moment.run.make_question()
        slots = split_usual_answer(moment.run, usual)
        slots = replace(
            slots,
            values=reveal_tracked_values(tuple(slots.values)),
            options=reveal_tracked_values(tuple(map(tuple, slots.options))),
        )
        occasion = reveal_tracked_values(moment.replayer.request_key(question))
        self.is_cut |= slots.is_cut and (self.relevant_slice is None or self.relevant_slice.may_count(occasion[0]))
        return (
            alternative
            for alternative in enumerate_alternatives(slots, occasion, question.sort, count)
            if alternative.distance <= most
        )

    def group_equivalent_answers(
        self, moment: ChangedPlay, usual: object, answers: Iterable[AlternativeAnswer]
    ) -> list[list[AlternativeAnswer]]:
        """Answers grouped by what the play can tell of them, nearest first, without the group of the usual one."""
        self.query_log.queries = moment.value_queries
        shown = moment.run.roll_equivalence if moment.run.make_question().sort == "roll" else None
        if shown is None:
            return [[item] for item in answers]
        groups: dict[Hashable, list[AlternativeAnswer]] = {reveal_tracked_values(shown(usual)): []}  # type: ignore[arg-type]
        (known,) = groups
        for alternative_answer in sorted(answers, key=attrgetter("distance")):
            groups.setdefault(reveal_tracked_values(shown(alternative_answer.answer)), []).append(alternative_answer)
        return [item for mark, item in groups.items() if mark != known]

    def fork_with_answer(self, moment: ChangedPlay, other: AlternativeAnswer) -> ChangedPlay:
        forked = moment.fork_play()
        forked.changes = (*moment.changes, *other.changes)
        self._give_answer(forked, other.answer)
        return forked

    # What need not be tried.

    def is_relevant_change(self, change: PlayChange) -> bool:
        """Whether the goal may depend on what is changed."""
        if self.relevant_slice is None:
            return True
        if isinstance(change, StartChange):
            return change.stored_place in self.relevant_slice.places
        return self.relevant_slice.may_count(change.request_key[0])

    def needs_trying(self, first: PlayChange, second: PlayChange) -> bool:
        """Whether two changes may do together what neither does alone.

        An irrelevant change leaves the end of the other play as it is, unless that play did not end.
        """
        both = [item for item in (first, second) if self.is_relevant_change(item)]
        return len(both) > 1 or any(change_key(item) in self.endless_changes for item in both)


def alternative_key(other: AlternativeAnswer) -> Hashable:
    """Identity of the changes of an answer."""
    return tuple(map(change_key, other.changes))


def change_key(change: PlayChange) -> Hashable:
    """Identity of a change."""
    return change.place, change.after


MAX_CHANGES = 2
_ROUND_DISTANCES = (0, 2, 4, 8, 16, 1_000_000)
"""Bounds of the distance of two changes, round by round (heuristic)."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of the search, and how far it went."""

    # smallest first, one for each place or pair of places; all with equally many changes
    counterfactuals: tuple[Counterfactual, ...]
    change_count: int  # number of simultaneous changes that were tried exhaustively
    max_distance: int | None  # up to which pairs were tried; None for all
    play_count: int
    # by line and question the number of changed plays that stop at it unanswered
    unanswered_counts: Mapping[tuple[str, str], int]
    is_cut: bool  # whether a question has more answers than are tried

    @property
    def unanswered_plays(self) -> int:
        return sum(self.unanswered_counts.values())

    @property
    def is_sure(self) -> bool:
        """Whether something was found, or there is nothing of up to two changes."""
        return bool(self.counterfactuals) or (
            self.change_count == MAX_CHANGES and not self.unanswered_plays and not self.is_cut
        )


@dataclasses.dataclass(slots=True)
class _StartClass:
    """Values of a place of the start with which a play comes to the same requests."""

    bits: int  # positions of the values
    # by number of the request, groups of other answers
    alternatives: Sequence[tuple[int, list[AlternativeAnswer]]]


@dataclasses.dataclass(slots=True)
class _CounterfactualSearch(ChangedPlayExplorer):
    unchanged_equivalence: StartEquivalence | None = None
    answer_equivalences: dict[Hashable, StartEquivalence] = field(default_factory=dict)
    start_equivalences: list[list[StartEquivalence]] = field(default_factory=list)
    start_classes: dict[int, list[_StartClass]] = field(default_factory=dict)
    plays_at_requests: dict[tuple[int, int], list[ChangedPlay]] = field(default_factory=dict)
    untried_pairs: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    untried_values: dict[Hashable, int] = field(default_factory=dict)
    seen_states: dict[Hashable, int] = field(default_factory=dict)

    def _judge_equivalent_answers(self, moment: ChangedPlay, same: Sequence[AlternativeAnswer]) -> StartEquivalence:
        """Judges the first of some equivalent answers for all of them."""
        result = self.judge_play(self.fork_with_answer(moment, same[0]))
        if self.is_last_kept:
            for alternative_answer in same[1:]:
                self.keep_counterfactual(Counterfactual((*moment.changes, *alternative_answer.changes)))
        return result

    def _judge_single_change(self, moment: ChangedPlay) -> StartEquivalence:
        result = self.judge_play(moment)
        if self.is_last_endless:
            self.endless_changes.update(map(change_key, moment.changes))
        return result

    # Every single change.

    def try_single_changes(self) -> None:
        every = range(len(self.start_space.alternatives))
        play = self.begin_changed_play((), every)
        for moment, usual in self.iterate_requests(play):
            for same in self.group_equivalent_answers(
                moment, usual, self.list_other_answers(moment, usual, 1, _ROUND_DISTANCES[-1])
            ):
                result = self._judge_equivalent_answers(moment, same)
                for alternative_answer in same:
                    self.answer_equivalences[alternative_key(alternative_answer)] = result
                    if self.is_last_endless:
                        self.endless_changes.update(map(change_key, alternative_answer.changes))
        self.query_log.queries = play.value_queries
        self.goal.is_met(play.run, play.goal_memory)
        self.unchanged_equivalence = self.equivalent_starts(play)
        for number, others in enumerate(self.start_space.alternatives):
            alike = list[StartEquivalence]()
            untried = self.start_space.other_bits[number] & ~self.unchanged_equivalence.equivalent_values(number)
            while untried:
                at = _lowest_bit(untried)
                alike.append(self._judge_single_change(self.begin_changed_play((others[at - 1],), every)))
                bits = untried & (alike[-1].equivalent_values(number) | 1 << at)
                untried &= ~bits
                if self.is_last_endless:
                    self.endless_changes.update(
                        change_key(other) for position, other in enumerate(others, 1) if bits >> position & 1
                    )
            self.start_equivalences.append(alike)

    # Every two changes.

    def try_change_pairs(self, over: int, most: int) -> None:
        """Tries pairs with a distance of at most `most`, except those tried up to `over`."""
        self._try_two_answers(over, most)
        for number in range(len(self.start_space.alternatives)):
            self._try_start_and_answers(number, most)
        for first, second in combinations(range(len(self.start_space.alternatives)), 2):
            if self._need_trying_together(first, second):
                self._try_two_starts(first, second, most)

    def _need_trying_together(self, first: int, second: int) -> bool:
        """As `needs_trying`, for any values of two places."""
        both = [item for item in (first, second) if self.is_relevant_change(self.start_space.alternatives[item][0])]
        return len(both) > 1 or any(
            change_key(alternative) in self.endless_changes
            for one in both
            for alternative in self.start_space.alternatives[one]
        )

    def _try_two_starts(self, first: int, second: int, most: int) -> None:
        assert self.unchanged_equivalence is not None
        untried = self.untried_pairs.get((first, second))
        if untried is None:
            every = self.start_space.other_bits[second]
            untried = [0, *(every for _ in self.start_space.alternatives[first])]
            for alike in (
                self.unchanged_equivalence,
                *self.start_equivalences[first],
                *self.start_equivalences[second],
            ):
                alike.remove_equivalent_pairs(first, second, untried)
            self.untried_pairs[first, second] = untried
        while (nearest := self.start_space.find_nearest_pair(first, second, untried, most)) is not None:
            one, other = nearest
            changed = (self.start_space.alternatives[first][one - 1], self.start_space.alternatives[second][other - 1])
            self.judge_play(self.begin_changed_play(changed, (first, second))).remove_equivalent_pairs(
                first, second, untried
            )
            untried[one] &= ~(1 << other)

    def _try_start_and_answers(self, number: int, most: int) -> None:
        if not self.endless_changes and not self.is_relevant_change(self.start_space.alternatives[number][0]):
            return
        for start_class in self._find_start_classes(number):
            nearest = self.start_space.distances[number][_lowest_bit(start_class.bits)]
            for at, same in start_class.alternatives:
                if nearest + same[0].distance <= most:
                    self._try_class_with_answer(number, start_class, at, same, most)

    def _try_class_with_answer(
        self, number: int, of: _StartClass, at: int, same: Sequence[AlternativeAnswer], most: int
    ) -> None:
        other = same[0]
        name = number, _lowest_bit(of.bits), alternative_key(other)
        untried = self.untried_values.get(name)
        if untried is None:
            known = self.answer_equivalences.get(alternative_key(other))
            untried = of.bits if known is None else of.bits & ~known.equivalent_values(number)
        while untried and self.start_space.distances[number][_lowest_bit(untried)] + other.distance <= most:
            value = _lowest_bit(untried)
            moment = self._fork_at_requests(number, value)[at]
            untried &= ~(self._judge_equivalent_answers(moment, same).equivalent_values(number) | 1 << value)
        self.untried_values[name] = untried

    def _find_start_classes(self, number: int) -> list[_StartClass]:
        if number not in self.start_classes:
            result, untried = list[_StartClass](), self.start_space.other_bits[number]
            while untried:
                value = _lowest_bit(untried)
                moment = self.begin_changed_play((self.start_space.alternatives[number][value - 1],), (number,))
                others = [
                    (at, same)
                    for at, (request, usual) in enumerate(self.iterate_requests(moment))
                    for same in self.group_equivalent_answers(
                        request, usual, self._list_needed_answers(request, usual, _ROUND_DISTANCES[-1])
                    )
                ]
                bits = untried & (self.equivalent_starts(moment).equivalent_values(number) | 1 << value)
                result.append(_StartClass(bits, others))
                untried &= ~bits
            self.start_classes[number] = result
        return self.start_classes[number]

    def _fork_at_requests(self, number: int, value: int) -> list[ChangedPlay]:
        if (number, value) not in self.plays_at_requests:
            play = self.begin_changed_play((self.start_space.alternatives[number][value - 1],), (number,))
            self.plays_at_requests[number, value] = [moment.fork_play() for moment, _ in self.iterate_requests(play)]
        return self.plays_at_requests[number, value]

    def _try_two_answers(self, over: int, most: int) -> None:
        self.seen_states.clear()
        for moment, usual in self.iterate_requests(self.begin_changed_play()):
            self.seen_states[self._search_key(moment)] = 0
            pairs = (
                answer
                for answer in self.list_other_answers(moment, usual, 2, most)
                if self.needs_trying(*answer.changes)
            )
            for same in self.group_equivalent_answers(moment, usual, pairs):
                if same[0].distance > over:
                    self._judge_equivalent_answers(moment, same)
            for same in self.group_equivalent_answers(
                moment, usual, self.list_other_answers(moment, usual, 1, most - 1)
            ):
                if self.endless_changes or self.is_relevant_change(same[0].changes[0]):
                    first = self.fork_with_answer(moment, same[0])
                    self._try_second_answers(first, over - same[0].distance, most - same[0].distance)

    def _list_needed_answers(self, changed: ChangedPlay, usual: object, most: int) -> Iterator[AlternativeAnswer]:
        """Other answers that need trying with the change that a play already has."""
        (change,) = changed.changes
        result = self.list_other_answers(changed, usual, 1, most)
        return (answer for answer in result if self.needs_trying(change, answer.changes[0]))

    def _try_second_answers(self, changed: ChangedPlay, over: int, most: int) -> None:
        first, (change,) = Counterfactual(changed.changes).distance, changed.changes
        for moment, usual in self.iterate_requests(changed):
            if self.is_relevant_change(change):
                key = self._search_key(moment)
                if self.seen_states.get(key, first + 1) <= first:
                    return
                self.seen_states[key] = first
            for same in self.group_equivalent_answers(moment, usual, self._list_needed_answers(moment, usual, most)):
                if same[0].distance > over:
                    self._judge_equivalent_answers(moment, same)

    def _search_key(self, moment: ChangedPlay) -> Hashable:
        return moment.run.future_key(), moment.replayer.memory, moment.goal_memory


def _lowest_bit(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def search_counterfactuals(
    course: RecordedCourse, goal: CounterfactualGoal, starts: Sequence[StartChange], most: int
) -> SearchResult:
    """Smallest changes by which a play reaches a goal; gives up after `most` plays.

    `starts` are other values of the start.
    """
    relevant = goal.compute_slice(course.start.procedure.name) if course.stop_request is None else None
    looking = _CounterfactualSearch(course, goal, StartSpace(course.start.situation, starts), most, relevant)

    def build_result(changes: int, steps: int | None) -> SearchResult:
        flips = tuple(sorted(looking.counterfactuals.values(), key=lambda counterfactual: counterfactual.sort_key))
        return SearchResult(flips, changes, steps, looking.play_count, looking.unanswered_counts, looking.is_cut)

    tried_changes, within = 0, None
    try:
        looking.try_single_changes()
        if looking.counterfactuals:
            return build_result(1, None)
        tried_changes, within = 1, 0
        for over, upto in pairwise(_ROUND_DISTANCES):
            looking.try_change_pairs(over, upto)
            if looking.counterfactuals:
                break
            within = upto
    except PlayLimitError:
        return build_result(tried_changes, within)
    return build_result(MAX_CHANGES, None)
