"""A live play: its working memory stays between answers, and it can return to every request it made."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from rulewright.machine.answer_check import is_plainly_legal, normal, refused
from rulewright.machine.choices import described
from rulewright.machine.engine.events import settling
from rulewright.machine.engine.frames import (
    BOTTOM,
    END,
    END_BLOCK,
    JUDGE_BLOCK,
    JUDGING,
    OPEN,
    PAUSE,
    call,
    looked_through,
    overworked,
)
from rulewright.machine.entries import Record, Stretch, begin_record, begin_stretch, nothing, stretch
from rulewright.machine.executable import Executable
from rulewright.machine.fault_report import fault, refusal
from rulewright.machine.faults import Fault, Limits, NeedFailed, Wanted
from rulewright.machine.futures import endless_key, key, rounds
from rulewright.machine.outcomes import ChanceOutcome, alike, chances
from rulewright.machine.question import Question, in_order_of
from rulewright.machine.request import CHANCE, Ended, Faulted, Reason, Refused, Request
from rulewright.machine.snapshot import freeze, fresh, number, thaw
from rulewright.machine.stalemate import nobody_ends
from rulewright.machine.state import Situation, State
from rulewright.machine.trace import Entry
from rulewright.machine.values import Value
from rulewright.machine.world import CONTROL, RECORD, ROLLS, STACK, UNSETTLED, Control, World, duplicate
from rulewright.program.effects import Places

UNANSWERED = object()
"""Says that nobody answers a request at once."""
Answering = Callable[[Question], Any]
"""Answers a request without a stop, with a legal answer in the form in which values are kept, or `UNANSWERED`.

The question is valid until it is answered.
"""

_DEFAULT = Limits()
COMES_TO = 4
"""Where the frame below all others holds what the procedure comes to."""
_MANY_ROLLS = 64
_PUT_IN_ORDER = frozenset({"handlers", "taker"})
_FLOW = itemgetter(1)
_LOOKED = 4
"""Steps that a call costs where a request is looked at."""


class Run:
    """A play that stands at a request, or is over."""

    __slots__ = (
        "_asked",
        "_before",
        "_log",
        "_requests",
        "_stretch",
        "_world",
        "answering",
        "executable",
        "outcome",
    )

    def __init__(self, executable: Executable, world: World, answering: Answering | None = None) -> None:
        self.executable = executable  # what runs
        self.answering = answering  # who answers at once, so that the play stops only where that one does not, or none
        self._world = world
        self._asked = Question.of(executable, world)
        self._log: list[_Answered] = []
        self._stretch: Stretch
        self._requests: tuple[tuple[Paused, Value], ...] | None = None
        self._before: Before
        self.outcome: Outcome  # where it stands: paused, ended, refused at the start, or faulted

    @classmethod
    def begin(  # noqa: PLR0913, PLR0917
        cls,
        executable: Executable,
        situation: Situation,
        procedure: str,
        arguments: tuple[Value, ...],
        limits: Limits = _DEFAULT,
        answering: Answering | None = None,
    ) -> "Run":
        """Begins a procedure and runs to the first request that nobody answers at once, end, refusal or fault."""
        run = cls(executable, _called(executable, situation, procedure, arguments, limits), answering)
        run._go_on(partial(cls.begin, executable, situation, procedure, arguments, limits))
        return run

    def through(self, start: World) -> World | Refused | Faulted | None:
        """Plays on from a request and keeps nothing of the way: the working memory at the end, or why it comes to none.

        None where the play stops at a request; `begin` tells of that. The working memory of the start stays as it is;
        whatever was played before is forgotten.
        """
        self._world = self._asked.world = world = duplicate(start)
        self._asked.put(*world[CONTROL].pending)
        assert self.answering is not None
        answer = self.answering(self._asked)
        if answer is UNANSWERED:
            return None
        self._log.clear()
        reply(self.executable, world, answer)
        over = self._over()
        if not isinstance(over, int):
            return over
        return world if over == END else None

    @property
    def limits(self) -> Limits:
        """What it may use at most."""
        return self._world[CONTROL].limits  # type: ignore[no-any-return]

    @classmethod
    def judge(cls, executable: Executable, situation: Situation) -> "Run":
        """Begins nothing: judges every `always` of a start and lets it settle."""
        world = _world(executable, situation, _DEFAULT)
        _prelude(world)
        run = cls(executable, world)
        run._go_on(partial(cls.judge, executable, situation))
        return run

    @classmethod
    def thaw(cls, executable: Executable, state: State, limits: Limits = _DEFAULT) -> "Run":
        """A run that stands where a paused state does."""
        run = cls(executable, thaw(executable, state, limits))
        run.outcome = Paused(run, partial(cls.thaw, executable, state, limits), (), run.question())
        return run

    @classmethod
    def standing(cls, executable: Executable, world: World) -> "Run":
        """A run that stands at a request of some working memory, which it takes over."""
        run = cls(executable, world)
        run.outcome = Paused(run, lambda: run, (), run.question())
        return run

    @property
    def world(self) -> World:
        """The working memory, for those who go on with it themselves (`machine.standing`)."""
        return self._world

    def freeze(self) -> State:
        """The state at the request, as one immutable value."""
        return freeze(self.executable, self._world, running=True)

    def fork(self) -> "Run":
        """A run of its own that stands at the same request."""
        run = Run(self.executable, duplicate(self._world))
        run.outcome = self._paused.of(run)
        return run

    def reply(self, answer: Value) -> "Outcome":
        """Goes on with an answer that is known to be legal, in the form in which values are kept."""
        executable, world, paused = self.executable, self._world, self._paused
        if world[RECORD] is not None:
            begin_record(world, executable)
        reply(executable, world, answer)
        del paused.asked.world
        self._go_on((paused, answer))
        return self.outcome

    @property
    def answered(self) -> int:
        """How many requests were answered at once since the play last stopped."""
        return len(self._log)

    @property
    def requests(self) -> "tuple[tuple[Paused, Value], ...]":
        """The requests that were answered at once since the play last stopped, with their answers, in order."""
        if self._requests is None:
            self._requests = tuple(self._met())
        return self._requests

    def _met(self) -> Iterator[tuple["Paused", Value]]:
        executable, before = self.executable, self._before
        for pending, answer, recorded in self._log:
            entries = Record(executable, *(nothing(recorded) if isinstance(recorded, int) else recorded))
            paused = Paused(self, before, entries, Question.past(executable, pending))
            yield paused, answer
            before = paused, answer

    def key(self) -> Any:  # to be compared only
        """What decides the future: runs of one executable with equal keys have equal futures (`futures.key`)."""
        return key(self.executable, self._world)

    def endless_key(self) -> Any:  # to be compared only
        """As `key`, where loops that promise many rounds have no bounds (`futures.endless_key`)."""
        return endless_key(self.executable, self._world)

    @property
    def promises_rounds(self) -> bool:
        """Whether it may still come to loops that `endless_key` takes for endless."""
        return self.executable.changing.promises_rounds(self._world)

    def rounds(self) -> dict[tuple[int, int, int], tuple[int, int]]:
        """The rounds that `endless_key` leaves out, with their bounds, by loop (`futures.rounds`)."""
        return rounds(self.executable, self._world)

    @property
    def work(self) -> int:
        """The lines and rounds run so far."""
        control: Control = self._world[CONTROL]
        return control.work

    @property
    def changing(self) -> Places:
        """The places of the game that lines to come may still change, as `program.effects` names them."""
        return self.executable.changing.left(self._world)

    @property
    def chances(self) -> tuple[ChanceOutcome, ...]:
        """The outcomes of a roll, draw or shuffle with their exact weights, equal futures once (`outcomes.chances`)."""
        return chances(self.executable, self._world)

    @property
    def alike(self) -> Callable[[Sequence[Value]], Hashable] | None:
        """A function that gives faces with equal futures the same value; none where dice are told apart."""
        return alike(self.executable, self._world)

    @property
    def legal(self) -> tuple[Value, ...]:
        """The legal answers of a decision, in order, as far as they are found within the limits."""
        question = self.question()
        if question.is_listed:
            return question.legal
        return tuple(self.copied_question().answers())

    def worth(self, measure: str, arguments: Sequence[Value]) -> Value:
        """The value of a measure in the game as it stands.

        Raises:
            Fault: it has none.
        """
        return self.executable.measures[measure](self._world, *arguments)  # type: ignore[no-any-return]

    def take(self, index: int) -> "Outcome":
        """Goes on with the outcome of chance, or the legal answer, of a number in `chances` or `legal`."""
        if self.question().sort in CHANCE:
            return self.reply(self.chances[index].answer)
        return self.reply(self.legal[index])

    @property
    def _paused(self) -> "Paused":
        assert isinstance(self.outcome, Paused)
        return self.outcome

    def copied_question(self) -> Question:
        """The request, to be looked at in a working memory of its own, where dice are numbered as in the state."""
        world = duplicate(self._world)
        if not self.executable.asking[world[CONTROL].pending[0]][1]:
            number(self.executable, world)
        return Question(self.executable, world)

    def question(self) -> Question:
        """The request as it stands; what it needs of the working memory is known until it is answered."""
        return Question(self.executable, self._world)

    def _go_on(self, before: "Before") -> None:
        self._before, self._log, self._requests = before, [], None
        over = self._driven()
        if over is None:
            last = self.requests[-1] if self._log else before
            over = Paused(self, last, Record(self.executable, *self._stretch), self.question())
        self.outcome = over

    def _driven(self) -> "Outcome | None":
        """Runs blocks until the play is over, or until a request that nobody answers at once; none there."""
        executable, world, over = self.executable, self._world, self._over()
        if not isinstance(over, int):
            return over
        if over == PAUSE:
            return None
        end = partial(freeze, executable, world, running=False)
        return Ended(end, world[STACK][0][COMES_TO], Record(executable, *stretch(world)))

    def _over(self) -> int | Refused | Faulted:
        """Runs blocks: `END`, `PAUSE` at a request that nobody answers at once, or why the play comes to neither."""
        try:
            return self._blocks()
        except (Fault, NeedFailed, RecursionError) as failed:
            return over(self.executable, self._world, failed)

    def beginning(self, world: World) -> "Run":
        """Another run with a working memory that stands before a block."""
        return Run(self.executable, world)

    def onward(self) -> Fault | int:
        """Runs from before a block: `PAUSE`, `END`, or the fault that stops it."""
        try:
            return self._blocks()
        except Fault as failed:
            return failed
        except (NeedFailed, RecursionError):
            return END

    def answered_by(self, answer: Value) -> "Run":
        """A run of its own that stands before the block that takes an answer to the request."""
        other = Run(self.executable, duplicate(self._world))
        reply(self.executable, other.world, answer)
        return other

    def _blocks(self) -> int:  # noqa: C901, PLR0912, PLR0915 - what is done at every block and request stands in one place
        """Runs blocks until the end, or until a request that nobody answers at once."""
        blocks: Any = self.executable.blocks
        world, asked, answering = self._world, self._asked, self.answering
        control, stack, record = world[CONTROL], world[STACK], world[RECORD]
        sorts, answered = self.executable.plainly_asked, self._log.append
        enclosed, enclosing = None, control.enclosing
        run_ = 0
        frame = stack[-1]
        number_ = frame[0]
        try:
            while True:
                run_ += 1
                if run_ > control.left:
                    frame[0] = number_
                    overworked(world)
                number_ = blocks[number_](world, frame)
                if number_ < 0:
                    if number_ == PAUSE:
                        site, asked.player, asked.data = pending = control.pending
                        sort = sorts[site]
                        if sort and answering and len(stack) <= OPEN and len(world[ROLLS]) <= _MANY_ROLLS:
                            recorded = control.work + run_
                            if record is not None:
                                rolls = tuple(world[ROLLS])
                                recorded = record, control.since, len(record), control.enclosing, rolls, recorded
                            asked.site, asked.sort = site, sort
                            answer = answering(asked)
                            if answer is UNANSWERED:
                                self._stretch = recorded if isinstance(recorded, tuple) else nothing(recorded)
                                return PAUSE
                            control.reply = answer
                            answered((pending, answer, recorded))
                            if record is not None:
                                if enclosed is not stack[-1]:
                                    enclosed, enclosing = stack[-1], tuple(map(_FLOW, stack))
                                control.since, control.enclosing = len(record), enclosing
                        else:
                            control.work += run_
                            control.left -= run_
                            run_ = 0
                            if not self._is_answered():
                                return PAUSE
                    elif number_ == END:
                        return END
                    frame = stack[-1]
                    number_ = frame[0]
        except Wanted as wanted:
            frame[0] = number_
            control.pending = (-1, None, (wanted.name, wanted.arguments_given))
            control.work += run_
            control.left -= run_
            run_ = 0
            self._halt()
            return PAUSE
        finally:
            control.work += run_
            control.left -= run_

    def _halt(self) -> None:
        """Stands at a request."""
        self._stretch = stretch(self._world)
        halt(self.executable, self._world)

    def _is_answered(self) -> bool:
        """Whether somebody answers a request that is not plain, so that the play goes on."""
        world, answering, asked = self._world, self.answering, self._asked
        control: Control = world[CONTROL]
        self._halt()
        if answering is None:
            return False
        assert control.pending is not None
        asked.put(*control.pending)
        answer = answering(asked)
        if answer is UNANSWERED:
            return False
        self._log.append((control.pending, answer, self._stretch))
        begin_stretch(world)
        reply(self.executable, world, answer)
        return True


class Paused:
    """The machine waits for an answer; once the run has gone on, looking here plays it again up to this request."""

    __slots__ = ("_judged", "_question", "_request", "_run", "_state", "asked", "before", "entries")

    def __init__(self, run: Run, before: "Before", entries: Sequence[Entry], asked: Question) -> None:
        self.asked = asked  # the request, not looked at: who, at which line, of which sort
        self.before = before  # how the play came here
        self.entries = entries  # what happened since the last request
        self._run = run
        self._question: Question | None = None
        self._request: Request | None = None
        self._state: State | None = None
        self._judged: tuple[Value, tuple[Reason, ...]] | None = None

    def of(self, run: Run) -> "Paused":
        """This request for another run that stands here as well."""
        other = Paused(run, self.before, self.entries, run.question())
        other._request, other._state = self._request, self._state
        return other

    @property
    def is_live(self) -> bool:
        """Whether a run stands here at present."""
        return self._run.outcome is self

    def run(self) -> Run:
        """The run that stands here; where none does any more, one is made."""
        if not self.is_live:
            self._run = self._again()
        return self._run

    def _again(self) -> Run:
        """The play from its start, or from the last request before this one at which it is live, up to here."""
        answers: list[Value] = []
        here: Paused = self
        while not here.is_live and not callable(here.before):
            here, answer = here.before
            answers.append(answer)
        run = here.before() if callable(here.before) and not here.is_live else here.run().fork()
        for answer in reversed(answers):
            run.reply(answer)
        run.outcome = self
        self.asked = run.question()
        return run

    @property
    def state(self) -> State:
        """The play at this request."""
        if self._state is None:
            self._state = self.run().freeze()
        return self._state

    @property
    def question(self) -> Question:
        """The request, to be looked at; looking costs the play nothing of its limits."""
        if self._question is None:
            self._question = self.run().copied_question()
        control = self._question.world[CONTROL]
        control.left, control.room = control.limits.work, control.limits.size
        return self._question

    @property
    def request(self) -> Request:
        """The whole request."""
        if self._request is None:
            self._request = described(self.question)
        return self._request

    def refusals(self, answer: Value) -> tuple[Reason, ...]:
        """Why an answer of the right type is refused; empty where it is legal.

        Raises:
            Fault: a condition on it cannot be judged.
        """
        if self._judged is None or self._judged[0] is not answer:
            legal = self.is_live and is_plainly_legal(self.asked, answer)
            self._judged = answer, () if legal else refused(self.question, answer)
        return self._judged[1]

    def take(self, answer: Value) -> "Outcome":
        """Goes on with an answer that is known to be legal."""
        return self.run().reply(normal(self.asked, answer))


Outcome = Paused | Ended | Refused | Faulted

_Answered = tuple[Any, Value, Stretch | int]
"""A request that was answered at once: what was pending, the answer, what was recorded up to it or the work done."""

Before = Callable[[], Run] | tuple[Paused, Value]
"""How a play came to a request: from a start, or from another request by an answer."""


def start(
    executable: Executable,
    situation: Situation,
    procedure: str,
    arguments: tuple[Value, ...],
    limits: Limits = _DEFAULT,
) -> Outcome:
    """Begins a procedure and runs to the first request, end, refusal or fault."""
    return Run.begin(executable, situation, procedure, arguments, limits).outcome


def advance(paused: Paused, answer: Value) -> Outcome:
    """Answers a request; what is paused can be answered again, and a refused answer changes nothing."""
    try:
        reasons = paused.refusals(answer)
    except Fault as failed:
        question = paused.question
        failed.site = question.site if question.site >= 0 else None
        return fault(question.executable, question.world, failed)
    return Refused(reasons) if reasons else paused.take(answer)


def judge(executable: Executable, situation: Situation) -> Outcome:
    """Judges every `always` of a start and lets it settle; it may be paused for the value of an external term."""
    return Run.judge(executable, situation).outcome


def over(executable: Executable, world: World, failed: Fault | NeedFailed | RecursionError) -> Refused | Faulted:
    """How a play is over that something stopped."""
    refused = refusal(executable, world, failed) if isinstance(failed, NeedFailed) else None
    onward = failed.onward if isinstance(failed, Fault) else None
    is_stuck = onward is not None and nobody_ends(Run(executable, world), onward)
    return refused or fault(executable, world, failed, is_stuck=is_stuck)


def _world(executable: Executable, situation: Situation, limits: Limits) -> World:
    world = fresh(executable, situation, limits)
    world[STACK].append([END_BLOCK, BOTTOM, 0, 0, None])
    return world


def _called(
    executable: Executable, situation: Situation, procedure: str, arguments: tuple[Value, ...], limits: Limits
) -> World:
    """The working memory of a start in which a procedure is called."""
    world = _world(executable, situation, limits)
    call(world, executable.entries[procedure], 0, COMES_TO, arguments)
    if world[RECORD] is not None:
        world[CONTROL].enclosing = tuple([frame[1] for frame in world[STACK]])
    _prelude(world)
    return world


def _prelude(world: World) -> None:
    """Has the run first judge every `always`, then settle."""
    if world[UNSETTLED]:
        settling(world)
        world[STACK].append([JUDGE_BLOCK, JUDGING, 0, 0])


def is_much(world: World) -> bool:
    """Whether calls or rolls are so many that each request is charged for them, or numbers them anew."""
    return len(world[ROLLS]) > _MANY_ROLLS or len(world[STACK]) > OPEN


def halt(executable: Executable, world: World) -> None:
    """At a request: dice are numbered anew where its answer names some, or where they are many."""
    site = world[CONTROL].pending[0]
    if len(world[STACK]) > OPEN:
        looked_through(world, _LOOKED, None if site < 0 else site)
    if executable.asking[site][1] or len(world[ROLLS]) > _MANY_ROLLS:
        number(executable, world)


def reply(executable: Executable, world: World, answer: Value) -> None:
    """Puts an answer where the line that asked takes it from."""
    control = world[CONTROL]
    site, _, data = control.pending
    if site < 0:
        control.known[data] = answer
    elif executable.asking[site][0] or data[0] not in _PUT_IN_ORDER:
        control.reply = answer
    elif data[0] == "handlers":
        control.reply = in_order_of(Question(executable, world), answer)
    else:
        control.reply = None if answer is None else in_order_of(Question(executable, world), (answer,))[0]
