"""Answers during exploration: a script first, then all outcomes of chance, then policies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from itertools import islice
from typing import Any

from rulewright.base.diagnostics import Diagnostic, Severity, make_visible
from rulewright.base.frozen import dataclass
from rulewright.documents.answer_scripts import (
    AnswerScript,
    ForcedAnswer,
    request_names,
)
from rulewright.documents.answers import answer_to_json
from rulewright.documents.document_nodes import format_one_line
from rulewright.documents.findings import ReadResult
from rulewright.documents.name_table import NameTable
from rulewright.odds.external_answers import ExternalOdds, UnlistedError, draw_weighted_answer, list_possible_answers
from rulewright.odds.hidden_information import (
    HiddenFact,
    HiddenInformationError,
    find_fact_hidden_from,
    find_hidden_answer,
    update_hidden_facts,
)
from rulewright.odds.measure_syntax import CountedEvent, count_events
from rulewright.play.answer_sources import (
    DECISION_SORTS,
    JUDGING_POLICIES,
    MAX_JUDGED_ANSWERS,
    AnswerSourceChain,
    PolicyUndecidedError,
    find_best_answer,
    select_policy,
)
from rulewright.play.seeded_random import SeededRandom
from rulewright.runtime.chance_outcomes import make_dice_equivalence, require_bounded_outcomes
from rulewright.runtime.pending_question import PendingQuestion, find_only_answer
from rulewright.runtime.request import CHANCE_SORTS, EXTERNAL_SORTS, Request
from rulewright.runtime.run import NOT_ANSWERED, Answerer, Paused, Run
from rulewright.runtime.values import PartlyShuffledDeck, Value, make_partly_shuffled


class AnswererMemory:
    """Remaining script, hidden facts and event counts; part of the state key."""

    __slots__ = ("_key", "event_counts", "hidden_facts", "script")

    def __init__(self, script: AnswerScript | None, unseen: tuple[HiddenFact, ...], times: tuple[int, ...]) -> None:
        self.script = script
        self.hidden_facts = unseen
        self.event_counts = times
        self._key = () if script is None else tuple(map(id, script.lines)), unseen, times

    def with_hidden_facts(self, unseen: tuple[HiddenFact, ...]) -> "AnswererMemory":
        """The same with other things that players cannot know."""
        return AnswererMemory(self.script, unseen, self.event_counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnswererMemory) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@dataclass(frozen=True, slots=True)
class AnswerBranch:
    """One answer to a request, with its probability."""

    probability: Fraction
    answer: Value
    memory: AnswererMemory  # from then on


@dataclass(frozen=True, slots=True)
class AnswerFork:
    """All answers to the request of a state."""

    branches: Sequence[AnswerBranch]
    chooser: int | None = None  # number of the player who takes the best; None where the probabilities decide


class UndecidedError(Exception):
    """A request that nobody answers, or to which a script has an answer that does not fit."""

    def __init__(self, paused: Paused, wrong: tuple[Diagnostic, ...] = (), *, is_too_much: bool = False) -> None:
        super().__init__()
        self.paused = paused
        self.findings = wrong  # about the answer of the script
        self.has_too_many_answers = is_too_much  # whether there are legal answers, but too many to enumerate


@dataclass(frozen=True, slots=True)
class PlayAnswerer:
    """Source of the answers to every request of a play, with a memory that is part of each state."""

    names: NameTable  # of the play
    script: AnswerScript | None = None
    policy: str = ""  # for what the script leaves open: `first` legal answer, `random` (uniform), or empty (nobody)
    external_odds: ExternalOdds | None = None
    policies: Mapping[int, str] = field(default_factory=dict)  # by number of a player with a policy of their own
    maximizing_players: frozenset[int] = frozenset()  # numbers of players who choose the best answer
    hidden_facts: tuple[HiddenFact, ...] = ()  # at the start
    counted_events: tuple[CountedEvent, ...] = ()
    # whether memory holds the events of the last step only, for `event_counting` to add up
    counts_by_step: bool = False
    # output, if given: `id` of each line of the script that some play takes
    used_line_ids: set[int] | None = None
    # output, if given: answers of the script to rolls and draws, by address, as text
    scripted_chance: dict[str, str] | None = None
    # what gives the answers in place of `list_answers`, which it may ask
    at_fork: "Callable[[PlayAnswerer, Run, AnswererMemory], AnswerFork] | None" = None

    @property
    def initial_memory(self) -> AnswererMemory:
        """Remaining script, hidden facts, event counts."""
        return AnswererMemory(self.script, self.hidden_facts, (0,) * len(self.counted_events))

    @property
    def allows_merging(self) -> bool:
        """Whether nobody optimizes and no memory of the path differs at the end."""
        return not (self.maximizing_players or self.hidden_facts or self.counted_events)

    @property
    def is_symmetric_in_dice(self) -> bool:
        """Whether dice mean what they look like; a script and the first answer mean them by their position."""
        return self.script is None and "first" not in {self.policy, *self.policies.values()}

    @property
    def counting_by_step(self) -> "PlayAnswerer":
        """The same answerer that remembers only the events of the last step, for `event_counting` to add up."""
        return replace(self, counts_by_step=True)

    def is_chance_roll(self, run: Run, memory: AnswererMemory) -> bool:
        """Whether the run stands at a roll that dice decide, not a script."""
        assert isinstance(run.outcome, Paused)
        return run.make_question().sort == "roll" and self._answer_from_script(run.outcome, memory) is None

    def make_immediate_answerer(self, memory: AnswererMemory) -> Answerer | None:
        """Answers of a policy to listed questions, where no script comes before it."""
        return self._answer_listed_question if memory.script is None else None

    def _answer_listed_question(self, question: PendingQuestion) -> Any:
        if question.sort not in DECISION_SORTS or not question.is_listed:
            return NOT_ANSWERED
        policy, legal = self._policy_for_question(question), question.legal_answers
        return legal[0] if legal and (policy == "first" or (policy and len(legal) == 1)) else NOT_ANSWERED

    def _policy_for_question(self, question: PendingQuestion) -> str:
        return (
            "best"
            if question.player in self.maximizing_players
            else select_policy(question, self.policies, self.policy) or ""
        )

    def update_memory(self, run: Run, memory: AnswererMemory) -> AnswererMemory:
        """Reveals and counted events since the last request."""
        if not memory.hidden_facts and not self.counted_events:
            return memory
        entries = run.outcome.entries
        new_counts = count_events(self.counted_events, entries)
        if not self.counts_by_step:
            new_counts = tuple(map(sum, zip(memory.event_counts, new_counts, strict=True)))
        return AnswererMemory(memory.script, update_hidden_facts(memory.hidden_facts, entries), new_counts)

    def with_memory(self, memory: AnswererMemory) -> "PlayAnswerer":
        """The answerer as it is with the memory of a later state."""
        return replace(self, script=memory.script, hidden_facts=memory.hidden_facts)

    def enumerate_answers(self, run: Run, memory: AnswererMemory) -> AnswerFork:
        """Answers to the request at which a run stands; raises as `list_answers`."""
        return self.list_answers(run, memory) if self.at_fork is None else self.at_fork(self, run, memory)

    def list_answers(self, run: Run, memory: AnswererMemory) -> AnswerFork:
        """All answers to a request; a shuffle is left open until cards are drawn, where nothing else reads the order.

        Raises:
            UndecidedError: nobody answers.
            HiddenInformationError: best play would depend on what its player cannot see.
        """
        assert isinstance(run.outcome, Paused)
        question = run.make_question()
        only = self._only_answer(run) if memory.script is not None else ()
        if only:
            return AnswerFork((AnswerBranch(Fraction(1), only[0], self._consume_forced_line(run, only[0], memory)),))
        is_open = question.sort == "draw" and isinstance(question.data, PartlyShuffledDeck)
        scripted_answer = None if is_open else self._answer_from_script(run.outcome, memory)
        if scripted_answer is not None:
            return AnswerFork((scripted_answer,))
        weighted_answers: list[tuple[Fraction, Value]]
        if question.sort == "shuffle" and not run.executable.concealment.reads_shuffled_order:
            weighted_answers = [(Fraction(1), make_partly_shuffled(question.data, len(question.data)))]
        elif question.sort in CHANCE_SORTS:
            require_bounded_outcomes(question)
            weighted_answers = [(outcome.weight, outcome.answer) for outcome in run.chance_outcomes]
        elif question.sort in EXTERNAL_SORTS:
            weighted_answers = self._enumerate_external_answers(run.outcome)
        else:
            weighted_answers = self._enumerate_decisions(run, question)
        chooser = (
            question.player if question.sort in DECISION_SORTS and question.player in self.maximizing_players else None
        )
        if len(weighted_answers) > 1 and self.maximizing_players:
            memory = self._remember_hidden_answer(run.outcome, question, memory, chooser)
        return AnswerFork(
            [AnswerBranch(probability, answer, memory) for probability, answer in weighted_answers],
            chooser if len(weighted_answers) > 1 else None,
        )

    def _remember_hidden_answer(
        self, paused: Paused, question: PendingQuestion, memory: AnswererMemory, chooser: int | None
    ) -> AnswererMemory:
        unseen = None if chooser is None else find_fact_hidden_from(chooser, memory.hidden_facts)
        if unseen is not None:
            raise HiddenInformationError(paused, unseen)
        added = find_hidden_answer(question)
        return memory if added is None else memory.with_hidden_facts((*memory.hidden_facts, added))

    def _enumerate_decisions(self, run: Run, question: PendingQuestion) -> list[tuple[Fraction, Value]]:
        assert isinstance(run.outcome, Paused)
        policy = self._policy_for_question(question)
        if question.sort not in DECISION_SORTS or not policy:
            raise UndecidedError(run.outcome)
        question = question if question.is_listed and policy not in JUDGING_POLICIES else run.copy_question()
        like = make_dice_equivalence(question) if run.executable.equates_like_dice and policy != "first" else None
        answers: list[tuple[Value, int]] | None
        if policy in JUDGING_POLICIES:
            answers = [(judged_answer, 1) for judged_answer in self._list_judged_answers(run.outcome, question)]
        elif policy == "first":
            answers = [(item, 1) for item in islice(question.iterate_answers(), 1)]
        elif like is not None:
            answers = question.list_answers_by_equivalence(like, MAX_JUDGED_ANSWERS)
        else:
            every = question.list_all_answers(MAX_JUDGED_ANSWERS)
            answers = None if every is None else [(item, 1) for item in every]
        if not answers:
            raise UndecidedError(run.outcome, is_too_much=answers is None)
        whole = sum([many for _, many in answers])
        return [(Fraction(many, whole), item) for item, many in answers]

    @staticmethod
    def _list_judged_answers(paused: Paused, question: PendingQuestion) -> list[Value]:
        try:
            return [*(find_best_answer(question) or ())]
        except PolicyUndecidedError as error:
            raise UndecidedError(paused, (error.diagnostic,)) from None

    def _enumerate_external_answers(self, paused: Paused) -> list[tuple[Fraction, Value]]:
        read_result = self.weigh_external_answers(paused)
        if read_result is None or read_result.value is None:
            raise UndecidedError(paused, () if read_result is None else read_result.diagnostics)
        return [(probability, answer) for answer, probability in read_result.value]

    def weigh_external_answers(self, paused: Paused) -> ReadResult[tuple[tuple[Value, Fraction], ...]] | None:
        """Answers to an external with their probabilities: as stated, or uniform under `random`; None if neither.

        Reports what is wrong with an answer, and RW1122: under `random` they are not few.
        """
        stated_answers = None if self.external_odds is None else self.external_odds.read_request_answers(paused)
        if stated_answers is not None or self.policy != "random":
            return stated_answers
        request = paused.request
        try:
            every = list_possible_answers(paused, self.names)
        except UnlistedError as error:
            message = (
                f"no rule gives the result of `{make_visible(request.prompt or request.address)}`, and `random` {error}"
            )
            option = f"--external '{make_visible(request.name)}=[{{answer: …, likely: 1/2}}, …]'"
            remedy = f"say how likely each answer is, `{option}`, or answer it in a script"
            return ReadResult(None, (Diagnostic("RW1122", Severity.ERROR, message, help=remedy),))
        return ReadResult(tuple((item, Fraction(1, len(every))) for item in every))

    def draw_external_answer(self, paused: Paused, occasion: int, chance: SeededRandom) -> ReadResult[Value] | None:
        """One of the weighted answers, drawn from `chance`."""
        read_result = self.weigh_external_answers(paused)
        if read_result is None or read_result.value is None:
            return None if read_result is None else ReadResult(None, read_result.diagnostics)
        return ReadResult(draw_weighted_answer(read_result.value, paused, occasion, chance))

    @staticmethod
    def _only_answer(run: Run) -> tuple[Value, ...]:
        """The answer of a question that answers itself, where such questions are put; else ()."""
        assert isinstance(run.outcome, Paused)
        return find_only_answer(run.outcome.request) if run.limits.forced else ()

    def _consume_forced_line(self, run: Run, only: Value, memory: AnswererMemory) -> AnswererMemory:
        """Memory after a question that answered itself: a line of the script that names it is used up.

        Raises:
            UndecidedError: the line has another answer.
        """
        paused, script = run.outcome, memory.script
        assert isinstance(paused, Paused)
        if script is None or not script.names_questions or script.lines[0].at not in request_names(paused.request):
            return memory
        past = script.skip_forced(lambda: (ForcedAnswer(paused, only),), self._next_request_names(run), self.names)
        if isinstance(past, Diagnostic):
            raise UndecidedError(paused, (past,))
        return self._with_remaining_script(memory, past)

    def _next_request_names(self, run: Run) -> tuple[str, ...]:
        """Names of the next request that does not answer itself; () if the play ends before."""
        later = run.fork()
        while isinstance(later.outcome, Paused):
            only = self._only_answer(later)
            if not only:
                return request_names(later.outcome.request)
            later.reply(only[0])
        return ()

    def _with_remaining_script(self, memory: AnswererMemory, script: AnswerScript | None) -> AnswererMemory:
        if self.used_line_ids is not None and memory.script is not None and script is not None:
            self.used_line_ids.update({*map(id, memory.script.lines)}.difference(map(id, script.lines)))
        return AnswererMemory(script, memory.hidden_facts, memory.event_counts)

    def _answer_from_script(self, paused: Paused, memory: AnswererMemory) -> AnswerBranch | None:
        if memory.script is None:
            return None
        sources = AnswerSourceChain(
            self.names, _FIXED_CHANCE, memory.script, has_seeded_dice=False, is_chance_requested=True
        )
        reply = sources.answer_request(paused, 0, _no_entries)
        if reply.answer is not None:
            self._record_scripted_chance(paused.request, reply.answer.value)
            return AnswerBranch(
                Fraction(1), reply.answer.value, self._with_remaining_script(memory, reply.remaining_sources.script)
            )
        if reply.errors and not sources.may_skip_script(reply.errors[0], paused.asked):
            raise UndecidedError(paused, reply.errors)
        return None

    def _record_scripted_chance(self, request: Request, answer: Value) -> None:
        if (
            self.scripted_chance is not None
            and request.sort in CHANCE_SORTS
            and request.address not in self.scripted_chance
        ):
            self.scripted_chance[request.address] = format_chance_result(request, answer, self.names)


def format_chance_result(request: Request, answer: Value, names: NameTable) -> str:
    """Text of the outcome of a roll or draw, in one line; the face alone for a single die."""
    written = answer_to_json(request, answer, names)
    return format_one_line(written[0] if isinstance(written, list) and len(written) == 1 else written)


_FIXED_CHANCE = SeededRandom(0)


def _no_entries() -> tuple[()]:
    return ()
