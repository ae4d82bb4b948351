"""Who answers while odds are worked out: a script first, then chance in all its ways, then a policy."""

from collections.abc import Hashable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from itertools import islice
from typing import Any, Self

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.chance import Chance
from rulewright.drivers.sources import DECISIONS, JUDGING, MOST_JUDGED, Sources, UnjudgedError, judged, policy_for
from rulewright.frozen import dataclass
from rulewright.inputs.answers import answer_json
from rulewright.inputs.findings import Read
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import one_line
from rulewright.inputs.script import ByItself, Line, Script, called, unlike
from rulewright.machine.outcomes import ends, exchanged
from rulewright.machine.question import Question, alone
from rulewright.machine.request import CHANCE, ELSEWHERE, Request
from rulewright.machine.run import UNANSWERED, Answering as AtOnce, Paused, Run
from rulewright.machine.values import Mixed, Value, mixed
from rulewright.odds.elsewhere import Elsewhere, fallen
from rulewright.odds.exploration import Fork, UndecidedError, Way
from rulewright.odds.possible_answers import UnlistedError, possible_answers
from rulewright.odds.secrecy import Unseen, UnseenError, unseen_after, unseen_by, unseen_by_answer
from rulewright.odds.watching import Watched, times


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers to everything that a play may ask."""

    names: Names  # of the play
    script: Script | None = None  # answers that go before all others, or none
    # who decides what the script does not: `first`, the first legal answer, or `random`, every one with equal
    # likelihood; empty where nobody does
    policy: str = ""
    elsewhere: Elsewhere | None = None  # what comes of externals, or none
    policies: Mapping[int, str] = field(default_factory=dict)  # of players who have one of their own, by number
    best: frozenset[int] = frozenset()  # numbers of players who take the best of all answers
    hidden: tuple[Unseen, ...] = ()  # what players cannot know at the start
    watched: tuple[Watched, ...] = ()  # what is counted on the way
    by_step: bool = False  # whether of that only the last step is remembered, which `counting` adds up
    taken: set[int] | None = None  # notes the identities of answers of the script that some play takes, if it is there
    # notes which rolls and draws the script answers, by address, with the answer as people write it, if it is there
    scripted_chance: dict[str, str] | None = None

    @property
    def memory(self) -> Hashable:
        """What of the script is left, and what players cannot know at the start."""
        return _Memory(self.script, self.hidden, (0,) * len(self.watched))

    @property
    def forgets(self) -> bool:
        """As `Answering.forgets`."""
        return not (self.best or self.hidden or self.watched)

    @property
    def is_even(self) -> bool:
        """As `Answering.is_even`: a script and the first answer mean dice by where they lie."""
        return self.script is None and "first" not in {self.policy, *self.policies.values()}

    @property
    def each_step(self) -> "Answers":
        """As `Answering.each_step`."""
        return replace(self, by_step=True)

    def throws(self, run: Run, memory: Hashable) -> bool:
        """As `Answering.throws`."""
        assert isinstance(run.outcome, Paused)
        assert isinstance(memory, _Memory)
        return run.question().sort == "roll" and self._said(run.outcome, memory) is None

    def at_once(self, memory: Hashable) -> AtOnce | None:
        """As `Answering.at_once`: what a policy says of a list, where no script goes before it."""
        assert isinstance(memory, _Memory)
        return self._listed if memory.script is None else None

    def _listed(self, question: Question) -> Any:
        if question.sort not in DECISIONS or not question.is_listed:
            return UNANSWERED
        policy, legal = self._policy(question), question.legal
        return legal[0] if legal and (policy == "first" or (policy and len(legal) == 1)) else UNANSWERED

    def _policy(self, question: Question) -> str:
        """Who decides a request for its player; empty where nobody does."""
        return "best" if question.player in self.best else policy_for(question, self.policies, self.policy) or ""

    def noted(self, run: Run, memory: Hashable) -> Hashable:
        """As `Answering.noted`: what was revealed, and how often what is watched came."""
        assert isinstance(memory, _Memory)
        if not memory.unseen and not self.watched:
            return memory
        entries = run.outcome.entries
        came = times(self.watched, entries)
        if not self.by_step:
            came = tuple(map(sum, zip(memory.times, came, strict=True)))
        return _Memory(memory.script, unseen_after(memory.unseen, entries), came)

    def told(self, memory: Hashable) -> Hashable:
        """As `Answering.told`: how often each of what is watched came."""
        assert isinstance(memory, _Memory)
        return memory.times

    def remembering(self, memory: Hashable) -> "Answers":
        """The same with what is remembered at a later moment."""
        assert isinstance(memory, _Memory)
        return replace(self, script=memory.script, hidden=memory.unseen)

    def fork(self, run: Run, memory: Hashable) -> Fork:
        """As `Answering.fork`; the order of a shuffle falls when cards are drawn, where nothing else hangs on it.

        Raises:
            UndecidedError: nobody answers.
            UnseenError: best play would look at what its player cannot see.
        """
        assert isinstance(run.outcome, Paused)
        assert isinstance(memory, _Memory)
        question = run.question()
        only = self._alone(run) if memory.script is not None else ()
        if only:
            return Fork((Way(Fraction(1), only[0], self._past(run, only[0], memory)),))
        is_open = question.sort == "draw" and isinstance(question.data, Mixed)
        said = None if is_open else self._said(run.outcome, memory)
        if said is not None:
            return Fork((said,))
        ways: list[tuple[Fraction, Value]]
        if question.sort == "shuffle" and not run.executable.concealed.reads_shuffled:
            ways = [(Fraction(1), mixed(question.data, len(question.data)))]
        elif question.sort in CHANCE:
            ends(run.executable, run.world)
            ways = [(each.weight, each.answer) for each in run.chances]
        elif question.sort in ELSEWHERE:
            ways = self._elsewhere(run.outcome)
        else:
            ways = self._decided(run, question)
        chooser = question.player if question.sort in DECISIONS and question.player in self.best else None
        if len(ways) > 1 and self.best:
            memory = self._unseen(run.outcome, question, memory, chooser)
        return Fork([Way(likely, answer, memory) for likely, answer in ways], chooser if len(ways) > 1 else None)

    def _unseen(self, paused: Paused, question: Question, memory: "_Memory", chooser: int | None) -> "_Memory":
        """What is remembered of a request with several answers."""
        unseen = None if chooser is None else unseen_by(chooser, memory.unseen)
        if unseen is not None:
            raise UnseenError(paused, unseen)
        added = unseen_by_answer(question)
        return memory if added is None else memory.knowing((*memory.unseen, added))

    def _decided(self, run: Run, question: Question) -> list[tuple[Fraction, Value]]:
        assert isinstance(run.outcome, Paused)
        policy = self._policy(question)
        if question.sort not in DECISIONS or not policy:
            raise UndecidedError(run.outcome)
        question = question if question.is_listed and policy not in JUDGING else run.copied_question()
        like = exchanged(question.executable, question.world) if run.executable.even and policy != "first" else None
        answers: list[tuple[Value, int]] | None
        if policy in JUDGING:
            answers = [(each, 1) for each in self._judged(run.outcome, question)]
        elif policy == "first":
            answers = [(each, 1) for each in islice(question.answers(), 1)]
        elif like is not None:
            answers = question.every_alike(like, MOST_JUDGED)
        else:
            every = question.every(MOST_JUDGED)
            answers = None if every is None else [(each, 1) for each in every]
        if not answers:
            raise UndecidedError(run.outcome, is_too_much=answers is None)
        whole = sum([many for _, many in answers])
        return [(Fraction(many, whole), each) for each, many in answers]

    @staticmethod
    def _judged(paused: Paused, question: Question) -> list[Value]:
        try:
            return [*(judged(question) or ())]
        except UnjudgedError as error:
            raise UndecidedError(paused, (error.diagnostic,)) from None

    def _elsewhere(self, paused: Paused) -> list[tuple[Fraction, Value]]:
        found = self.external(paused)
        if found is None or found.value is None:
            raise UndecidedError(paused, () if found is None else found.diagnostics)
        return [(likely, answer) for answer, likely in found.value]

    def external(self, paused: Paused) -> Read[tuple[tuple[Value, Fraction], ...]] | None:
        """The answers to an external with their likelihoods: as somebody says them, else under `random` each alike.

        None where nothing is said. Reports what is wrong with one, and RW1122: under `random` they are not few.
        """
        said = None if self.elsewhere is None else self.elsewhere.answers(paused)
        if said is not None or self.policy != "random":
            return said
        request = paused.request
        try:
            every = possible_answers(paused, self.names)
        except UnlistedError as error:
            message = (
                f"no rule gives the result of `{visible(request.prompt or request.address)}`, and `random` {error}"
            )
            option = f"--external '{visible(request.name)}=[{{answer: …, likely: 1/2}}, …]'"
            remedy = f"say how likely each answer is, `{option}`, or answer it in a script"
            return Read(None, (Diagnostic("RW1122", Severity.ERROR, message, help=remedy),))
        return Read(tuple((each, Fraction(1, len(every))) for each in every))

    def external_fallen(self, paused: Paused, occasion: int, chance: Chance) -> Read[Value] | None:
        """One of them, as chance has it."""
        found = self.external(paused)
        if found is None or found.value is None:
            return None if found is None else Read(None, found.diagnostics)
        return Read(fallen(found.value, paused, occasion, chance))

    @staticmethod
    def _alone(run: Run) -> tuple[Value, ...]:
        """The answer of a question that answers itself, where those are put."""
        assert isinstance(run.outcome, Paused)
        return alone(run.outcome.request) if run.limits.forced else ()

    def _past(self, run: Run, only: Value, memory: "_Memory") -> "_Memory":
        """What is remembered after a question that answered itself: an answer of the script that names it is taken.

        Raises:
            UndecidedError: it names another answer than the only one.
        """
        paused, script = run.outcome, memory.script
        assert isinstance(paused, Paused)
        if script is None or not script.names_questions or script.lines[0].at not in called(paused.request):
            return memory
        past = script.past(lambda: (ByItself(paused, only),), self._called_next(run), self.names)
        if isinstance(past, Diagnostic):
            raise UndecidedError(paused, (past,))
        return self._left(memory, past)

    def _called_next(self, run: Run) -> tuple[str, ...]:
        """What the next request is called that does not answer itself; nothing where the play ends before."""
        later = run.fork()
        while isinstance(later.outcome, Paused):
            only = self._alone(later)
            if not only:
                return called(later.outcome.request)
            later.reply(only[0])
        return ()

    def _left(self, memory: "_Memory", script: Script | None) -> "_Memory":
        """What is remembered where this is left of the script."""
        if self.taken is not None and memory.script is not None and script is not None:
            self.taken.update({*map(id, memory.script.lines)}.difference(map(id, script.lines)))
        return _Memory(script, memory.unseen, memory.times)

    def _said(self, paused: Paused, memory: "_Memory") -> Way | None:
        """The answer of the script, if it has one."""
        if memory.script is None:
            return None
        sources = Sources(self.names, _NONE, memory.script, rolls=False, insisted=True)
        reply = sources.answer(paused, 0, _nothing)
        if reply.given is not None:
            self._note_chance(paused.request, reply.given.value)
            return Way(Fraction(1), reply.given.value, self._left(memory, reply.rest.script))
        if reply.wrong and not sources.may_pass(reply.wrong[0], paused.asked):
            raise UndecidedError(paused, reply.wrong)
        return None

    def _note_chance(self, request: Request, answer: Value) -> None:
        """Notes a roll or a draw that the script answers."""
        if self.scripted_chance is not None and request.sort in CHANCE and request.address not in self.scripted_chance:
            self.scripted_chance[request.address] = chance_written(request, answer, self.names)


def chance_written(request: Request, answer: Value, names: Names) -> str:
    """What dice or a draw came to, in one line; the face of one die alone."""
    written = answer_json(request, answer, names)
    return one_line(written[0] if isinstance(written, list) and len(written) == 1 else written)


@dataclass(frozen=True, slots=True)
class Around:
    """What goes around answers to do something more at each fork; what is remembered is theirs."""

    answers: Answers

    @property
    def memory(self) -> Hashable:
        """As `Answers.memory`."""
        return self.answers.memory

    @property
    def forgets(self) -> bool:
        """As `Answers.forgets`."""
        return self.answers.forgets

    @property
    def is_even(self) -> bool:
        """As `Answers.is_even`."""
        return self.answers.is_even

    @property
    def each_step(self) -> Self:
        """As `Answers.each_step`."""
        return replace(self, answers=self.answers.each_step)

    def throws(self, run: Run, memory: Hashable) -> bool:
        """As `Answers.throws`."""
        return self.answers.throws(run, memory)

    def at_once(self, memory: Hashable) -> AtOnce | None:
        """As `Answers.at_once`."""
        return self.answers.at_once(memory)

    def noted(self, run: Run, memory: Hashable) -> Hashable:
        """As `Answers.noted`."""
        return self.answers.noted(run, memory)

    def told(self, memory: Hashable) -> Hashable:
        """As `Answers.told`."""
        return self.answers.told(memory)


@dataclass(frozen=True, slots=True)
class Choices(Around):
    """Answers that note which questions nobody answers; each is answered with every legal answer."""

    met: dict[str, str]  # prompts of what players decide, by its address

    def fork(self, run: Run, memory: Hashable) -> Fork:
        """As `Answering.fork`."""
        assert isinstance(run.outcome, Paused)
        try:
            return self.answers.fork(run, memory)
        except UndecidedError as undecided:
            if undecided.wrong or run.question().sort not in DECISIONS:
                raise
            request = run.outcome.request
            self.met.setdefault(request.address, request.prompt)
        return replace(self.answers, policy="random").fork(run, memory)


@dataclass(frozen=True, slots=True)
class Forced(Around):
    """Answers of plays in which all questions are put: those that answer themselves judge answers of the script."""

    lines: tuple[Line, ...]  # answers by address
    met: dict[int, Diagnostic | None]  # of those of them that name such a question what is wrong, by their identity

    def fork(self, run: Run, memory: Hashable) -> Fork:
        """As `Answering.fork`."""
        paused = run.outcome
        assert isinstance(paused, Paused)
        only = alone(paused.request)
        for each in self.lines if only else ():
            if each.at in called(paused.request):
                wrong = unlike(each, ByItself(paused, only[0]), self.answers.names)
                self.met[id(each)] = self.met.get(id(each)) or wrong
        return self.answers.fork(run, memory)


_NONE = Chance(0)


def _nothing() -> tuple[()]:
    return ()


class _Memory:
    """What is left of a script, what players cannot know, how often what is watched came; equal where all are."""

    __slots__ = ("_key", "script", "times", "unseen")

    def __init__(self, script: Script | None, unseen: tuple[Unseen, ...], times: tuple[int, ...]) -> None:
        self.script = script
        self.unseen = unseen
        self.times = times
        self._key = () if script is None else tuple(map(id, script.lines)), unseen, times

    def knowing(self, unseen: tuple[Unseen, ...]) -> "_Memory":
        """The same with other things that players cannot know."""
        return _Memory(self.script, unseen, self.times)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Memory) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)
