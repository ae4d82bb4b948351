"""Answer sources of a play without people: script, chance, policy and stated likelihoods, in that order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from functools import cache, partial
from itertools import islice
from random import Random
from typing import Any
from weakref import WeakKeyDictionary

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.frozen import dataclass
from rulewright.documents.answer_scripts import (
    NO_SCRIPT_ANSWER,
    AnswerScript,
    ForcedAnswers,
    describe_forced_answers,
    request_names,
)
from rulewright.documents.answers import read_answer
from rulewright.documents.findings import ReadResult
from rulewright.documents.name_table import NameTable
from rulewright.documents.saved_sessions import RecordedAnswer
from rulewright.play.seeded_random import SeededRandom, StreamTable
from rulewright.runtime.answer_reasons import find_legal_answer, normalize_answer
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import Fault
from rulewright.runtime.item_answer_search import NodeLimitReached, answer_at, count_unrestricted, make_item_search
from rulewright.runtime.pending_question import LISTED_SORTS, PendingQuestion
from rulewright.runtime.request import CHANCE_SORTS, EXTERNAL_SORTS, ITEM_SORTS, LISTED_ANSWERS, YES_NO
from rulewright.runtime.run import NOT_ANSWERED, Paused
from rulewright.runtime.values import Value
from rulewright.runtime.working_memory import CONTROL, copy_world

DECISION_SORTS = frozenset(
    {"whether", "one", "pick", "split", "order", "choose", "turn", "place", "heading", "handlers", "handler", "taker"}
)
JUDGING_POLICIES = frozenset({"highest", "lowest"})
"""Policies that rank answers by an expression of the question."""
_MAX_ENUMERATED_ANSWERS = 10_000
MAX_PLACES_TRIED = 100
_DRAW_SEED_BITS = 60
_MAX_RANDOM_TRIES = 1_000
_STREAM_TABLES: WeakKeyDictionary[Executable, StreamTable] = WeakKeyDictionary()


class PolicyUndecidedError(Exception):
    """A policy cannot rank or find the answers to a question; `diagnostic` says why (RW0748, or the code of a limit)."""

    def __init__(self, question: PendingQuestion, why: str, remedy: str, code: str = "RW0748") -> None:
        super().__init__(why)
        message = f"the policy for `{question.address}` does not choose: {why}"
        self.diagnostic = Diagnostic(code, Severity.ERROR, message, help=remedy, address=question.address)


@contextmanager
def _limits_leave_undecided(question: PendingQuestion) -> Iterator[None]:
    """Turns a limit that a search for answers meets into `PolicyUndecidedError`."""
    try:
        yield
    except Fault as fault:
        remedy = "allow more with the limits of the command, or answer the question in a script"
        raise PolicyUndecidedError(question, str(fault), remedy, fault.code) from None


MAX_JUDGED_ANSWERS = 100_000
"""Legal answers of one question that are ranked at most."""


def find_best_answer(question: PendingQuestion) -> tuple[Value] | None:
    """Best legal answer of a question by its policy, in a 1-tuple; None if the search finds no legal answer.

    Places and headings on the plane: the best of the first 100. `question` stands in a copy of the working memory.

    Raises:
        PolicyUndecidedError: an answer cannot be judged, or there are more than `MAX_JUDGED_ANSWERS`.
    """
    with _limits_leave_undecided(question):
        if question.sort in {"place", "heading"}:
            every: Sequence[Value] | None = list(islice(question.iterate_answers(), MAX_PLACES_TRIED))
        else:
            every = question.legal_answers if question.is_listed else question.list_all_answers(MAX_JUDGED_ANSWERS)
    if every is None:
        why = f"there are more than {MAX_JUDGED_ANSWERS:,} legal answers"
        raise PolicyUndecidedError(question, why, "let rows of the question leave fewer, or answer it in a script")
    try:
        return (question.choose_by_policy(every),) if every else _find_or_claim_none(question)
    except Fault as fault:
        remedy = "write an expression that has a value for every legal answer"
        raise PolicyUndecidedError(question, str(fault), remedy) from None


def select_policy(question: PendingQuestion, policies: Mapping[int, str], policy: str | None) -> str | None:
    """Policy for a question: its own for the player, else the player's, else the common one."""
    player = question.player
    return question.policy[0] or (policy if player is None else policies.get(player, policy))


def choose_by_policy(policy: str, question: PendingQuestion, below: Callable[[int], int]) -> tuple[Value] | None:
    """Answer of a policy to a decision, in a 1-tuple; None if the search finds no legal answer.

    `highest` and `lowest`: `find_best_answer`; `first`: the first legal answer; `random`: uniform over legal answers.
    Places and headings: uniform over the first 100. Picks, splits and orders of more than 10,000 answers: by rejection,
    1,000 draws at most, then the first 10,000 that the search finds. If the search gave up: the first answer of a
    full search, or the claim that there is none. `below(n)` draws a number from 0 to n - 1.

    Raises:
        PolicyUndecidedError: an answer cannot be judged, or the search meets a limit of the play.
    """
    if policy in JUDGING_POLICIES:
        return find_best_answer(question)
    with _limits_leave_undecided(question):
        return _choose_by_search(policy, question, below)


def _choose_by_search(policy: str, question: PendingQuestion, below: Callable[[int], int]) -> tuple[Value] | None:
    if (
        policy == "random"
        and question.sort in ITEM_SORTS
        and (many := count_unrestricted(question.data)) > _MAX_ENUMERATED_ANSWERS
    ):
        if question.data.required is None and not question.data.preferred:
            return (answer_at(question.data, below(many)),)
        draw = Random(below(1 << _DRAW_SEED_BITS))  # noqa: S311 - no secret hangs on it
        tried = (answer_at(question.data, draw.randrange(many)) for _ in range(_MAX_RANDOM_TRIES))
        result = make_item_search(question.world, question.frame, question.data).find_first_legal(tried)
        if result is not None:
            return (result,)
    most = (
        1
        if policy == "first"
        else MAX_PLACES_TRIED
        if question.sort in {"place", "heading"}
        else _MAX_ENUMERATED_ANSWERS
    )
    possible = question.legal_answers if question.is_listed else list(islice(question.iterate_answers(), most))
    if not possible:
        return _find_or_claim_none(question)
    return (possible[0] if policy == "first" or len(possible) == 1 else possible[below(len(possible))],)


def _find_or_claim_none(question: PendingQuestion) -> tuple[Value] | None:
    if not question.claimable:
        return None
    try:
        return (find_legal_answer(question),)
    except NodeLimitReached:
        return None


@dataclass(frozen=True, slots=True)
class SourcedAnswer:
    """An answer and its source."""

    value: Value
    # `script`, `dice`, `policy`, `person`, `typed` (dice of a person, fixed by later turns) or `kept` (seen before an undo)
    source: str


@dataclass(frozen=True, slots=True)
class AnswerSourceChain:
    """The answer sources of a session at one turn; immutable."""

    names: NameTable
    chance: SeededRandom  # of dice and of the policy `random`
    script: AnswerScript | None = None  # the answers that remain
    has_seeded_dice: bool = True  # if not, people roll
    is_chance_requested: bool = False  # the user asked for chance, so that an ordered script may omit it
    policy: str | None = None  # None: people decide
    # before an undo, given again where the same is asked: results of chance and revealed answers; those of the source
    # `person` are dice that somebody must type anew
    seen_answers: tuple[RecordedAnswer, ...] = field(default=())
    policies: Mapping[int, str] = field(default_factory=dict)  # by player number, before `policy`
    external_results: "ExternalResults | None" = None  # None: people state the results of externals
    policy_text: str = ""  # all policies as the user wrote them, if any player has one

    def answer_request(self, paused: Paused, occasion: int, before: ForcedAnswers) -> "SourceReply":
        """Reply of the first source that answers.

        `occasion`: earlier requests of the same line; `before` yields the answers forced since the last turn.
        """
        scripted = self._answer_from_script(paused, before)
        if scripted.answer is not None or (
            scripted.errors and not self.may_skip_script(scripted.errors[0], paused.asked)
        ):
            return scripted
        return scripted.remaining_sources.answer_without_script(paused, occasion) or scripted

    def answer_without_script(self, paused: Paused, occasion: int) -> "SourceReply | None":
        """Reply of the sources after the script; None if none of them answers."""
        answered = self._answer_from_seen(paused) or self._answer_by_chance(paused, occasion)
        return answered or self._answer_by_policy(paused, occasion) or self._answer_external(paused, occasion)

    def _answer_from_script(self, paused: Paused, before: ForcedAnswers) -> "SourceReply":
        if self.script is None:
            return SourceReply(None, (), self)
        script = self.script.skip_forced(before, request_names(paused.request), self.names)
        if isinstance(script, Diagnostic):
            return SourceReply(None, (script,), self)
        scripted = script.take_scripted_answer(paused.request, self.names)
        if isinstance(scripted, Diagnostic):
            return SourceReply(None, (scripted,), self if script is self.script else replace(self, script=script))
        read = read_answer(paused.request, scripted.answer, self.names, paused)
        rest = replace(self, script=scripted.rest)
        if read.diagnostics:
            notes = describe_forced_answers(before) if script.is_ordered else ()
            wrong = tuple(replace(diagnostic, notes=(*diagnostic.notes, *notes)) for diagnostic in read.diagnostics)
            return SourceReply(None, wrong, rest)
        return SourceReply(SourcedAnswer(read.value, "script"), (), rest)

    def may_skip_script(self, wrong: Diagnostic, question: PendingQuestion) -> bool:
        """Whether the next source may answer although the script reports `wrong`."""
        if wrong.code == NO_SCRIPT_ANSWER:
            return True
        return wrong.code == "RW0745" and self.is_chance_requested and question.sort in CHANCE_SORTS

    def _answer_from_seen(self, paused: Paused) -> "SourceReply | None":
        for index, seen_answer in enumerate(self.seen_answers):
            if seen_answer.source != "kept" or not self._is_asked_again(seen_answer, paused.asked):
                continue
            read_result = read_answer(paused.request, seen_answer.answer, self.names, paused)
            if not read_result.diagnostics:
                rest = replace(self, seen_answers=self.seen_answers[:index] + self.seen_answers[index + 1 :])
                return SourceReply(SourcedAnswer(read_result.value, "kept"), (), rest)
        return None

    def _is_asked_again(self, recorded: RecordedAnswer, question: PendingQuestion) -> bool:
        """Chance is the same request whoever rolls."""
        same = question.sort in CHANCE_SORTS or recorded.by == self.names.player_id(question.player)
        return same and recorded.at == question.address

    def _answer_by_chance(self, paused: Paused, occasion: int) -> "SourceReply | None":
        if paused.asked.sort not in CHANCE_SORTS or not self.has_seeded_dice:
            return None
        value = draw_outcome(paused.live_question, occasion, self.chance)
        return SourceReply(SourcedAnswer(value, "dice"), (), self)

    def _answer_by_policy(self, paused: Paused, occasion: int) -> "SourceReply | None":
        if paused.asked.sort not in DECISION_SORTS:
            return None
        policy = select_policy(paused.live_question, self.policies, self.policy)
        if policy is None:
            return None
        question = paused.asked if paused.asked.is_listed and policy not in JUDGING_POLICIES else paused.question
        try:
            chosen = choose_by_policy(policy, question, partial(self.chance.below, question.line_address, occasion))
        except PolicyUndecidedError as error:
            return SourceReply(None, (error.diagnostic,), self)
        return None if chosen is None else SourceReply(SourcedAnswer(chosen[0], "policy"), (), self)

    def _answer_external(self, paused: Paused, occasion: int) -> "SourceReply | None":
        if self.external_results is None or paused.asked.sort not in EXTERNAL_SORTS:
            return None
        read_result = self.external_results(paused, occasion, self.chance)
        if read_result is None or read_result.diagnostics:
            return None if read_result is None else SourceReply(None, read_result.diagnostics, self)
        return SourceReply(SourcedAnswer(read_result.value, "dice"), (), self)


ExternalResults = Callable[[Paused, int, SeededRandom], ReadResult[Value] | None]
"""Result of an external by request, occasion and chance, or its diagnostics; None if no likelihoods are stated."""


class InlineAnswerer:
    """Answers by chance, and by policy where answers are listed, without a stop of the run.

    Once it has left a request open it answers no more. With `searched` a policy also answers where answers must be
    searched for; the play does not record what that search found, so it cannot be shown.
    """

    __slots__ = (
        "_answerable_sorts",
        "_chance",
        "_current_sorts",
        "_first_words",
        "_occasion_counts",
        "_policies",
        "_policy",
        "_rerolling_sites",
        "_root_state",
        "_sites_with_policies",
        "_streams",
    )

    def __init__(self, sources: AnswerSourceChain, executable: Executable, *, searched: bool = False) -> None:
        alone = sources.script is None and not sources.seen_answers
        self._sites_with_policies = executable.policy_sites
        decided = alone and (sources.policy is not None or bool(sources.policies) or bool(self._sites_with_policies))
        self._answerable_sorts = _inline_answer_sorts(alone and sources.has_seeded_dice, decided, searched)
        self._policy = sources.policy
        self._policies = sources.policies
        self._streams = _STREAM_TABLES.get(executable) or _STREAM_TABLES.setdefault(
            executable, StreamTable(executable.request_addresses)
        )
        self._rerolling_sites = executable.reroll_sites
        self.begin_play(sources.chance)

    def begin_play(self, chance: SeededRandom) -> None:
        """Reset for another play with this chance."""
        self._current_sorts = self._answerable_sorts
        self._chance = chance
        self._root_state = chance.root_state
        self._first_words = self._streams.draw_first_words(self._root_state) if self._current_sorts else ()
        self._occasion_counts = [0] * self._streams.line_count

    def answer_inline(self, question: PendingQuestion) -> Any:
        """The answer, or `UNANSWERED`."""
        sort, site, data, before = question.sort, question.site, question.data, self._occasion_counts
        if sort not in self._current_sorts:
            self._current_sorts = frozenset()
            return NOT_ANSWERED
        line = self._streams.line_numbers[site]
        occasion = before[line]
        if sort == "roll":
            if site in self._rerolling_sites:
                alike: Any = question.uniform_dice
            elif data.thrown:
                return draw_outcome(question, occasion - 1, self._chance)
            else:
                alike = data.groups[0] if len(data.groups) == 1 else None
            before[line] = occasion + 1
            result = alike and self._streams.roll_faces(
                self._root_state, self._first_words, site, occasion, alike.dice_count, alike.faces
            )
            return draw_outcome(question, occasion, self._chance) if result is None else result
        before[line] = occasion + 1
        if sort in CHANCE_SORTS:
            return draw_outcome(question, occasion, self._chance)
        player = question.player
        policy = self._policy if player is None else self._policies.get(player, self._policy)
        if policy is None or sort not in LISTED_SORTS or site in self._sites_with_policies:
            return self._search_policy_answer(question, occasion, policy)
        legal = (data or YES_NO) if sort == "whether" else data if sort in LISTED_ANSWERS else question.legal_answers
        many = len(legal)
        if many == 1 or policy == "first":
            return legal[0]
        return legal[self._streams.below(self._root_state, self._first_words, site, occasion, many)]

    def _search_policy_answer(self, question: PendingQuestion, occasion: int, policy: str | None) -> Any:
        """The search is not counted against the limits of the run."""
        question_copy = PendingQuestion(question.executable, copy_world(question.world))
        control = question_copy.world[CONTROL]
        control.work_left, control.size_left = control.limits.work, control.limits.size
        policy = question_copy.policy[0] or policy
        try:
            chosen = policy and choose_by_policy(
                policy, question_copy, partial(self._chance.below, question_copy.line_address, occasion)
            )
        except PolicyUndecidedError:
            chosen = None
        if not chosen:
            self._current_sorts = frozenset()
            return NOT_ANSWERED
        return normalize_answer(question, chosen[0])


@cache
def _inline_answer_sorts(chance: bool, policy: bool, searched: bool) -> frozenset[str]:  # noqa: FBT001
    decided = DECISION_SORTS if searched else LISTED_SORTS
    return (CHANCE_SORTS if chance else frozenset()) | (decided if policy else frozenset())


def draw_outcome(question: PendingQuestion, occasion: int, chance: SeededRandom) -> Value:
    """Random answer to a roll, draw or shuffle."""
    if question.sort == "roll":
        return chance.roll_faces(question.line_address, occasion, question.dice_to_roll, question.exploded_count)
    return question.outcome_at(chance.below(question.line_address, occasion, question.outcome_count))


@dataclass(frozen=True, slots=True)
class SourceReply:
    """An answer, or None with diagnostics; and the chain that remains."""

    answer: SourcedAnswer | None
    errors: tuple[Diagnostic, ...]
    remaining_sources: AnswerSourceChain
