"""Who answers while odds are worked out: a script first, then chance in all its ways, then a policy."""

from collections.abc import Hashable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from itertools import islice
from typing import Any, Self

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.diagnostics.terminal import make_visible
from rulewright.base.frozen import dataclass
from rulewright.documents.answer_scripts import (
    AnswerScript,
    ForcedAnswer,
    ScriptLine,
    check_forced_answer,
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
from rulewright.odds.state_exploration import AnswerBranch, AnswerFork, UndecidedError
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
from rulewright.runtime.run import NOT_ANSWERED, Answerer as AtOnce, Paused, Run
from rulewright.runtime.values import PartlyShuffledDeck, Value, make_partly_shuffled


@dataclass(frozen=True, slots=True)
class PlayAnswerer:
    """Answers to everything that a play may ask."""

    names: NameTable  # of the play
    script: AnswerScript | None = None  # answers that go before all others, or none
    # who decides what the script does not: `first`, the first legal answer, or `random`, every one with equal
    # likelihood; empty where nobody does
    policy: str = ""
    external_odds: ExternalOdds | None = None  # what comes of externals, or none
    policies: Mapping[int, str] = field(default_factory=dict)  # of players who have one of their own, by number
    maximizing_players: frozenset[int] = frozenset()  # numbers of players who take the best of all answers
    hidden_facts: tuple[HiddenFact, ...] = ()  # what players cannot know at the start
    counted_events: tuple[CountedEvent, ...] = ()  # what is counted on the way
    counts_by_step: bool = False  # whether of that only the last step is remembered, which `counting` adds up
    used_line_ids: set[int] | None = (
        None  # notes the identities of answers of the script that some play takes, if it is there
    )
    # notes which rolls and draws the script answers, by address, with the answer as people write it, if it is there
    scripted_chance: dict[str, str] | None = None

    @property
    def initial_memory(self) -> Hashable:
        """What of the script is left, and what players cannot know at the start."""
        return _AnswererMemory(self.script, self.hidden_facts, (0,) * len(self.counted_events))

    @property
    def allows_merging(self) -> bool:
        """As `StateAnswerer.allows_merging`."""
        return not (self.maximizing_players or self.hidden_facts or self.counted_events)

    @property
    def is_symmetric_in_dice(self) -> bool:
        """As `StateAnswerer.is_symmetric_in_dice`: a script and the first answer mean dice by where they lie."""
        return self.script is None and "first" not in {self.policy, *self.policies.values()}

    @property
    def counting_by_step(self) -> "PlayAnswerer":
        """As `StateAnswerer.counting_by_step`."""
        return replace(self, counts_by_step=True)

    def is_chance_roll(self, run: Run, memory: Hashable) -> bool:
        """As `StateAnswerer.is_chance_roll`."""
        assert isinstance(run.outcome, Paused)
        assert isinstance(memory, _AnswererMemory)
        return run.make_question().sort == "roll" and self._answer_from_script(run.outcome, memory) is None

    def make_immediate_answerer(self, memory: Hashable) -> AtOnce | None:
        """As `StateAnswerer.make_immediate_answerer`: what a policy says of a list, where no script goes before it."""
        assert isinstance(memory, _AnswererMemory)
        return self._answer_listed_question if memory.script is None else None

    def _answer_listed_question(self, question: PendingQuestion) -> Any:
        if question.sort not in DECISION_SORTS or not question.is_listed:
            return NOT_ANSWERED
        policy, legal = self._policy_for_question(question), question.legal_answers
        return legal[0] if legal and (policy == "first" or (policy and len(legal) == 1)) else NOT_ANSWERED

    def _policy_for_question(self, question: PendingQuestion) -> str:
        """Who decides a request for its player; empty where nobody does."""
        return (
            "best"
            if question.player in self.maximizing_players
            else select_policy(question, self.policies, self.policy) or ""
        )

    def update_memory(self, run: Run, memory: Hashable) -> Hashable:
        """As `StateAnswerer.update_memory`: what was revealed, and how often what is watched came."""
        assert isinstance(memory, _AnswererMemory)
        if not memory.hidden_facts and not self.counted_events:
            return memory
        entries = run.outcome.entries
        came = count_events(self.counted_events, entries)
        if not self.counts_by_step:
            came = tuple(map(sum, zip(memory.event_counts, came, strict=True)))
        return _AnswererMemory(memory.script, update_hidden_facts(memory.hidden_facts, entries), came)

    def extract_counts(self, memory: Hashable) -> Hashable:
        """As `StateAnswerer.extract_counts`: how often each of what is watched came."""
        assert isinstance(memory, _AnswererMemory)
        return memory.event_counts

    def with_memory(self, memory: Hashable) -> "PlayAnswerer":
        """The same with what is remembered at a later moment."""
        assert isinstance(memory, _AnswererMemory)
        return replace(self, script=memory.script, hidden_facts=memory.hidden_facts)

    def enumerate_answers(self, run: Run, memory: Hashable) -> AnswerFork:
        """As `StateAnswerer.enumerate_answers`; the order of a shuffle falls when cards are drawn, where nothing else hangs on it.

        Raises:
            UndecidedError: nobody answers.
            UnseenError: best play would look at what its player cannot see.
        """
        assert isinstance(run.outcome, Paused)
        assert isinstance(memory, _AnswererMemory)
        question = run.make_question()
        only = self._only_answer(run) if memory.script is not None else ()
        if only:
            return AnswerFork((AnswerBranch(Fraction(1), only[0], self._consume_forced_line(run, only[0], memory)),))
        is_open = question.sort == "draw" and isinstance(question.data, PartlyShuffledDeck)
        said = None if is_open else self._answer_from_script(run.outcome, memory)
        if said is not None:
            return AnswerFork((said,))
        ways: list[tuple[Fraction, Value]]
        if question.sort == "shuffle" and not run.executable.concealment.reads_shuffled_order:
            ways = [(Fraction(1), make_partly_shuffled(question.data, len(question.data)))]
        elif question.sort in CHANCE_SORTS:
            require_bounded_outcomes(run.executable, run.world)
            ways = [(chance_outcome.weight, chance_outcome.answer) for chance_outcome in run.chance_outcomes]
        elif question.sort in EXTERNAL_SORTS:
            ways = self._enumerate_external_answers(run.outcome)
        else:
            ways = self._enumerate_decisions(run, question)
        chooser = (
            question.player if question.sort in DECISION_SORTS and question.player in self.maximizing_players else None
        )
        if len(ways) > 1 and self.maximizing_players:
            memory = self._remember_hidden_answer(run.outcome, question, memory, chooser)
        return AnswerFork(
            [AnswerBranch(likely, answer, memory) for likely, answer in ways], chooser if len(ways) > 1 else None
        )

    def _remember_hidden_answer(
        self, paused: Paused, question: PendingQuestion, memory: "_AnswererMemory", chooser: int | None
    ) -> "_AnswererMemory":
        """What is remembered of a request with several answers."""
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
        like = (
            make_dice_equivalence(question.executable, question.world)
            if run.executable.equates_like_dice and policy != "first"
            else None
        )
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
        return [(likely, answer) for answer, likely in read_result.value]

    def weigh_external_answers(self, paused: Paused) -> ReadResult[tuple[tuple[Value, Fraction], ...]] | None:
        """The answers to an external with their likelihoods: as somebody says them, else under `random` each alike.

        None where nothing is said. Reports what is wrong with one, and RW1122: under `random` they are not few.
        """
        said = None if self.external_odds is None else self.external_odds.read_request_answers(paused)
        if said is not None or self.policy != "random":
            return said
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
        """One of them, as chance has it."""
        read_result = self.weigh_external_answers(paused)
        if read_result is None or read_result.value is None:
            return None if read_result is None else ReadResult(None, read_result.diagnostics)
        return ReadResult(draw_weighted_answer(read_result.value, paused, occasion, chance))

    @staticmethod
    def _only_answer(run: Run) -> tuple[Value, ...]:
        """The answer of a question that answers itself, where those are put."""
        assert isinstance(run.outcome, Paused)
        return find_only_answer(run.outcome.request) if run.limits.forced else ()

    def _consume_forced_line(self, run: Run, only: Value, memory: "_AnswererMemory") -> "_AnswererMemory":
        """What is remembered after a question that answered itself: an answer of the script that names it is taken.

        Raises:
            UndecidedError: it names another answer than the only one.
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
        """What the next request is called that does not answer itself; nothing where the play ends before."""
        later = run.fork()
        while isinstance(later.outcome, Paused):
            only = self._only_answer(later)
            if not only:
                return request_names(later.outcome.request)
            later.reply(only[0])
        return ()

    def _with_remaining_script(self, memory: "_AnswererMemory", script: AnswerScript | None) -> "_AnswererMemory":
        """What is remembered where this is left of the script."""
        if self.used_line_ids is not None and memory.script is not None and script is not None:
            self.used_line_ids.update({*map(id, memory.script.lines)}.difference(map(id, script.lines)))
        return _AnswererMemory(script, memory.hidden_facts, memory.event_counts)

    def _answer_from_script(self, paused: Paused, memory: "_AnswererMemory") -> AnswerBranch | None:
        """The answer of the script, if it has one."""
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
        """Notes a roll or a draw that the script answers."""
        if (
            self.scripted_chance is not None
            and request.sort in CHANCE_SORTS
            and request.address not in self.scripted_chance
        ):
            self.scripted_chance[request.address] = format_chance_result(request, answer, self.names)


def format_chance_result(request: Request, answer: Value, names: NameTable) -> str:
    """What dice or a draw came to, in one line; the face of one die alone."""
    written = answer_to_json(request, answer, names)
    return format_one_line(written[0] if isinstance(written, list) and len(written) == 1 else written)


@dataclass(frozen=True, slots=True)
class AnswererWrapper:
    """What goes around answers to do something more at each fork; what is remembered is theirs."""

    inner: PlayAnswerer

    @property
    def initial_memory(self) -> Hashable:
        """As `PlayAnswerer.initial_memory`."""
        return self.inner.initial_memory

    @property
    def allows_merging(self) -> bool:
        """As `PlayAnswerer.allows_merging`."""
        return self.inner.allows_merging

    @property
    def is_symmetric_in_dice(self) -> bool:
        """As `PlayAnswerer.is_symmetric_in_dice`."""
        return self.inner.is_symmetric_in_dice

    @property
    def counting_by_step(self) -> Self:
        """As `PlayAnswerer.counting_by_step`."""
        return replace(self, inner=self.inner.counting_by_step)

    def is_chance_roll(self, run: Run, memory: Hashable) -> bool:
        """As `PlayAnswerer.is_chance_roll`."""
        return self.inner.is_chance_roll(run, memory)

    def make_immediate_answerer(self, memory: Hashable) -> AtOnce | None:
        """As `PlayAnswerer.make_immediate_answerer`."""
        return self.inner.make_immediate_answerer(memory)

    def update_memory(self, run: Run, memory: Hashable) -> Hashable:
        """As `PlayAnswerer.update_memory`."""
        return self.inner.update_memory(run, memory)

    def extract_counts(self, memory: Hashable) -> Hashable:
        """As `PlayAnswerer.extract_counts`."""
        return self.inner.extract_counts(memory)


@dataclass(frozen=True, slots=True)
class OpenChoiceCollector(AnswererWrapper):
    """Answers that note which questions nobody answers; each is answered with every legal answer."""

    prompts_by_address: dict[str, str]  # prompts of what players decide, by its address

    def enumerate_answers(self, run: Run, memory: Hashable) -> AnswerFork:
        """As `StateAnswerer.enumerate_answers`."""
        assert isinstance(run.outcome, Paused)
        try:
            return self.inner.enumerate_answers(run, memory)
        except UndecidedError as undecided:
            if undecided.findings or run.make_question().sort not in DECISION_SORTS:
                raise
            request = run.outcome.request
            self.prompts_by_address.setdefault(request.address, request.prompt)
        return replace(self.inner, policy="random").enumerate_answers(run, memory)


@dataclass(frozen=True, slots=True)
class ForcedAnswerChecker(AnswererWrapper):
    """Answers of plays in which all questions are put: those that answer themselves judge answers of the script."""

    lines: tuple[ScriptLine, ...]  # answers by address
    findings_by_line_id: dict[
        int, Diagnostic | None
    ]  # of those of them that name such a question what is wrong, by their identity

    def enumerate_answers(self, run: Run, memory: Hashable) -> AnswerFork:
        """As `StateAnswerer.enumerate_answers`."""
        paused = run.outcome
        assert isinstance(paused, Paused)
        only = find_only_answer(paused.request)
        for line in self.lines if only else ():
            if line.at in request_names(paused.request):
                wrong = check_forced_answer(line, ForcedAnswer(paused, only[0]), self.inner.names)
                self.findings_by_line_id[id(line)] = self.findings_by_line_id.get(id(line)) or wrong
        return self.inner.enumerate_answers(run, memory)


_FIXED_CHANCE = SeededRandom(0)


def _no_entries() -> tuple[()]:
    return ()


class _AnswererMemory:
    """What is left of a script, what players cannot know, how often what is watched came; equal where all are."""

    __slots__ = ("_key", "event_counts", "hidden_facts", "script")

    def __init__(self, script: AnswerScript | None, unseen: tuple[HiddenFact, ...], times: tuple[int, ...]) -> None:
        self.script = script
        self.hidden_facts = unseen
        self.event_counts = times
        self._key = () if script is None else tuple(map(id, script.lines)), unseen, times

    def with_hidden_facts(self, unseen: tuple[HiddenFact, ...]) -> "_AnswererMemory":
        """The same with other things that players cannot know."""
        return _AnswererMemory(self.script, unseen, self.event_counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _AnswererMemory) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)
