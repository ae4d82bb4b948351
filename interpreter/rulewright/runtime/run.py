"""A live play: its working memory persists between answers, and it can return to every request it made."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from rulewright.program.effects import StatePlaces
from rulewright.runtime.answer_reasons import explain_refusal, is_plainly_legal, normalize_answer
from rulewright.runtime.chance_outcomes import ChanceOutcome, list_chance_outcomes, make_roll_equivalence
from rulewright.runtime.event_engine import (
    BOTTOM_FRAME,
    END,
    END_BLOCK,
    MAX_UNCHARGED_CALLS,
    PAUSE,
    RESULT_SLOT,
    charge_open_calls,
    fault_work_limit,
    push_call,
    push_settling,
)
from rulewright.runtime.executable import Executable
from rulewright.runtime.fault_report import build_fault, build_refusal, is_stalemate
from rulewright.runtime.faults import Fault, NeedFailed, NeedsExternalValue, RunLimits
from rulewright.runtime.frame_slots import FRAME_BLOCK, FRAME_ROUTINE
from rulewright.runtime.pending_question import PendingQuestion, order_handlers
from rulewright.runtime.request import Ended, Faulted, RefusalReason, Refused, Request, TraceEntry
from rulewright.runtime.request_building import build_request
from rulewright.runtime.snapshot import freeze_world, make_world, renumber_rolls, thaw_state
from rulewright.runtime.state import PendingRequest, Situation, State
from rulewright.runtime.state_key import endless_future_key, future_key, open_loop_rounds
from rulewright.runtime.trace_record import (
    RecordStretch,
    TraceRecord,
    current_stretch,
    empty_stretch,
    restart_record,
    start_stretch,
)
from rulewright.runtime.values import Value
from rulewright.runtime.working_memory import (
    CONTROL,
    RECORD,
    ROLLS,
    STACK,
    UNSETTLED,
    RunControl,
    WorkingMemory,
    copy_world,
)

NOT_ANSWERED = object()
"""Result of an `Answerer` that leaves a request to the caller of the run."""
Answerer = Callable[[PendingQuestion], Any]
"""Answers a request without a stop, with a legal answer in the form in which values are kept, or `NOT_ANSWERED`.

The question is valid until it is answered.
"""

_DEFAULT_LIMITS = RunLimits()
_MAX_UNNUMBERED_ROLLS = 64
"""Rolls in memory up to which unused ones are left there; chosen, as renumbering visits all frames."""
_HANDLER_SORTS = frozenset({"handlers", "taker"})
_get_frame_routine = itemgetter(FRAME_ROUTINE)
_STEPS_PER_LOOK = 4
"""Steps charged per open call at a request."""


class Run:
    """A play that is paused at a request, or over."""

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

    def __init__(self, executable: Executable, world: WorkingMemory, answering: Answerer | None = None) -> None:
        self.executable = executable
        self.answering = answering  # answers requests at once, so that the play stops only at the others
        self._world = world
        self._asked = PendingQuestion.make_unbound(executable, world)
        self._log: list[_AnsweredRequest] = []
        self._stretch: RecordStretch
        self._requests: tuple[tuple[Paused, Value], ...] | None = None
        self._before: Predecessor
        self.outcome: Outcome

    @classmethod
    def begin(  # noqa: PLR0913, PLR0917
        cls,
        executable: Executable,
        situation: Situation,
        procedure: str,
        arguments: tuple[Value, ...],
        limits: RunLimits = _DEFAULT_LIMITS,
        answering: Answerer | None = None,
    ) -> "Run":
        """Begins a procedure and runs to the first request that nobody answers at once, end, refusal or fault."""
        run = cls(executable, _make_called_world(executable, situation, procedure, arguments, limits), answering)
        run._run_to_outcome(partial(cls.begin, executable, situation, procedure, arguments, limits))
        return run

    def play_to_end(self, start: WorkingMemory) -> WorkingMemory | Refused | Faulted | None:
        """Plays on from a request without history: the working memory at the end, or why there is none.

        None if the play stops at a request; use `begin` then. The working memory of the start is unchanged; the
        previous play is forgotten.
        """
        self._world = self._asked.world = world = copy_world(start)
        self._asked.bind_request(*world[CONTROL].pending)
        assert self.answering is not None
        answer = self.answering(self._asked)
        if answer is NOT_ANSWERED:
            return None
        self._log.clear()
        put_reply(self.executable, world, answer)
        over = self._run_until_stop()
        if not isinstance(over, int):
            return over
        return world if over == END else None

    @property
    def limits(self) -> RunLimits:
        return self._world[CONTROL].limits  # type: ignore[no-any-return]

    @classmethod
    def judge(cls, executable: Executable, situation: Situation) -> "Run":
        """Judges every `always` of a start and lets it settle, without a procedure."""
        world = _make_start_world(executable, situation, _DEFAULT_LIMITS)
        _push_start_judgement(world)
        run = cls(executable, world)
        run._run_to_outcome(partial(cls.judge, executable, situation))
        return run

    @classmethod
    def thaw(cls, executable: Executable, state: State, limits: RunLimits = _DEFAULT_LIMITS) -> "Run":
        """A run at the request of a paused state."""
        run = cls(executable, thaw_state(executable, state, limits))
        run.outcome = Paused(run, partial(cls.thaw, executable, state, limits), (), run.make_question())
        return run

    @classmethod
    def from_world(cls, executable: Executable, world: WorkingMemory) -> "Run":
        """A run at the request of a working memory, which it takes over."""
        run = cls(executable, world)
        run.outcome = Paused(run, lambda: run, (), run.make_question())
        return run

    @property
    def world(self) -> WorkingMemory:
        return self._world

    def freeze(self) -> State:
        """The state at the request, as one immutable value."""
        return freeze_world(self.executable, self._world, running=True)

    def fork(self) -> "Run":
        """An independent run at the same request."""
        run = Run(self.executable, copy_world(self._world))
        run.outcome = self._paused.for_other_run(run)
        return run

    def reply(self, answer: Value) -> "Outcome":
        """Continues with a legal answer in the form in which values are stored."""
        executable, world, paused = self.executable, self._world, self._paused
        if world[RECORD] is not None:
            restart_record(world, executable)
        put_reply(executable, world, answer)
        paused.leave()
        self._run_to_outcome((paused, answer))
        return self.outcome

    @property
    def answered_count(self) -> int:
        """Number of requests answered at once since the play last stopped."""
        return len(self._log)

    @property
    def answered_requests(self) -> "tuple[tuple[Paused, Value], ...]":
        """Requests answered at once since the play last stopped, with their answers, in order."""
        if self._requests is None:
            self._requests = tuple(self._iterate_answered())
        return self._requests

    def _iterate_answered(self) -> Iterator[tuple["Paused", Value]]:
        executable, before = self.executable, self._before
        for site, player, data, answer, recorded in self._log:
            entries = TraceRecord(executable, *(empty_stretch(recorded) if isinstance(recorded, int) else recorded))
            paused = Paused(
                None, before, entries, PendingQuestion.from_pending(executable, PendingRequest(site, player, data))
            )
            yield paused, answer
            before = paused, answer

    def future_key(self) -> Any:  # to be compared only
        """Key of the future: runs of one executable with equal keys have equal futures (`runtime.state_key`)."""
        return future_key(self.executable, self._world)

    def endless_future_key(self) -> Any:  # to be compared only
        """As `future_key`, with loops of many rounds regarded as unbounded."""
        return endless_future_key(self.executable, self._world)

    @property
    def has_many_round_loops(self) -> bool:
        """Whether it may still reach loops that `endless_future_key` regards as unbounded."""
        return self.executable.reachable_effects.has_many_round_loops(self._world)

    def open_loop_rounds(self) -> dict[tuple[int, int, int], tuple[int, int]]:
        """Round counts that `endless_future_key` leaves out, with their bounds, by loop."""
        return open_loop_rounds(self.executable, self._world)

    @property
    def work(self) -> int:
        control: RunControl = self._world[CONTROL]
        return control.work

    @property
    def changeable_places(self) -> StatePlaces:
        """Places of the game that later lines may change, as `program.effects` names them."""
        return self.executable.reachable_effects.find_changeable_places(self._world)

    @property
    def chance_outcomes(self) -> tuple[ChanceOutcome, ...]:
        """Outcomes of a roll, draw or shuffle with exact weights, one per future."""
        return list_chance_outcomes(self.make_question())

    @property
    def roll_equivalence(self) -> Callable[[Sequence[Value]], Hashable] | None:
        """A function that maps faces with equal futures to equal values; none if dice are distinguished."""
        return make_roll_equivalence(self.make_question())

    @property
    def legal_answers(self) -> tuple[Value, ...]:
        """Legal answers of a decision, in order, as far as they are found within the limits."""
        question = self.make_question()
        if question.is_listed:
            return question.legal_answers
        return tuple(self.copy_question().iterate_answers())

    def evaluate_measure(self, measure: str, arguments: Sequence[Value]) -> Value:
        """Value of a measure in the game as it stands.

        Raises:
            Fault: it has none.
        """
        return self.executable.measures[measure](self._world, *arguments)  # type: ignore[no-any-return]

    @property
    def _paused(self) -> "Paused":
        assert isinstance(self.outcome, Paused)
        return self.outcome

    def copy_question(self) -> PendingQuestion:
        """The request in a working memory of its own, with dice numbered as in the state."""
        world = copy_world(self._world)
        if not self.executable.request_sorts[world[CONTROL].asked_site][1]:
            renumber_rolls(self.executable, world)
        return PendingQuestion(self.executable, world)

    def make_question(self) -> PendingQuestion:
        """The request in the live working memory, valid until it is answered."""
        return PendingQuestion(self.executable, self._world)

    def _run_to_outcome(self, before: "Predecessor") -> None:
        self._before, self._log, self._requests = before, [], None
        over = self._drive_blocks()
        if over is None:
            last = self.answered_requests[-1] if self._log else before
            over = Paused(self, last, TraceRecord(self.executable, *self._stretch), self.make_question())
        self.outcome = over

    def _drive_blocks(self) -> "Outcome | None":
        """Runs blocks until the play is over (its outcome), or until a request that nobody answers at once (none)."""
        executable, world, over = self.executable, self._world, self._run_until_stop()
        if not isinstance(over, int):
            return over
        if over == PAUSE:
            return None
        end = partial(freeze_world, executable, world, running=False)
        return Ended(end, world[STACK][0][RESULT_SLOT], TraceRecord(executable, *current_stretch(world)))

    def _run_until_stop(self) -> int | Refused | Faulted:
        """Runs blocks to `END` or `PAUSE`, or returns the refusal or fault that stops the play."""
        try:
            return self._run_blocks()
        except (Fault, NeedFailed, RecursionError) as failed:
            return build_stop_outcome(self.executable, self._world, failed)

    def make_sibling(self, world: WorkingMemory) -> "Run":
        """Another run with a working memory that stands before a block."""
        return Run(self.executable, world)

    def run_from_block(self) -> Fault | int:
        """Runs from before a block: `PAUSE`, `END`, or the fault that stops it."""
        try:
            return self._run_blocks()
        except Fault as failed:
            return failed
        except (NeedFailed, RecursionError):
            return END

    def fork_with_answer(self, answer: Value) -> "Run":
        """An independent run before the block that takes an answer to the request."""
        other = Run(self.executable, copy_world(self._world))
        put_reply(self.executable, other.world, answer)
        return other

    def _run_blocks(self) -> int:
        """Runs blocks until a request stands (`PAUSE`) or the play is over (`END`).

        A plain request that a function answers is answered here, as fast as possible, and logged; any other is
        accounted for and left to `_is_answered`. `blocks_run` are charged when they are accounted for.
        """
        blocks: Any = self.executable.blocks
        world, question, answering = self._world, self._asked, self.answering
        control, stack, record = world[CONTROL], world[STACK], world[RECORD]
        sorts, answered = self.executable.plain_request_sorts, self._log.append
        innermost, enclosing = None, control.enclosing
        blocks_run = 0
        frame = stack[-1]
        number_ = frame[FRAME_BLOCK]
        try:
            while True:
                blocks_run += 1
                if blocks_run > control.work_left:
                    frame[FRAME_BLOCK] = number_
                    fault_work_limit(world)
                number_ = blocks[number_](world, frame)
                if number_ < 0:
                    if number_ == PAUSE:
                        site = control.asked_site
                        question.player = player = control.asked_player
                        question.data = data = control.asked_data
                        sort = sorts[site]
                        if (
                            sort
                            and answering
                            and len(stack) <= MAX_UNCHARGED_CALLS
                            and len(world[ROLLS]) <= _MAX_UNNUMBERED_ROLLS
                        ):
                            recorded = control.work + blocks_run
                            if record is not None:
                                rolls = tuple(world[ROLLS])
                                recorded = record, control.since, len(record), control.enclosing, rolls, recorded
                            question.site, question.sort = site, sort
                            answer = answering(question)
                            if answer is NOT_ANSWERED:
                                self._stretch = recorded if isinstance(recorded, tuple) else empty_stretch(recorded)
                                return PAUSE
                            control.reply = answer
                            answered((site, player, data, answer, recorded))
                            if record is not None:
                                if innermost is not stack[-1]:
                                    innermost, enclosing = stack[-1], tuple(map(_get_frame_routine, stack))
                                control.since, control.enclosing = len(record), enclosing
                        else:
                            control.work += blocks_run
                            control.work_left -= blocks_run
                            blocks_run = 0
                            if not self._is_answered():
                                return PAUSE
                    elif number_ == END:
                        return END
                    frame = stack[-1]
                    number_ = frame[FRAME_BLOCK]
        except NeedsExternalValue as wanted:
            frame[FRAME_BLOCK] = number_
            control.pending = PendingRequest(-1, None, (wanted.name, wanted.arguments_given))
            control.work += blocks_run
            control.work_left -= blocks_run
            blocks_run = 0
            self._stop_at_request()
            return PAUSE
        finally:
            control.work += blocks_run
            control.work_left -= blocks_run

    def _stop_at_request(self) -> None:
        self._stretch = current_stretch(self._world)
        renumber_at_request(self.executable, self._world)

    def _is_answered(self) -> bool:
        world, answering, question = self._world, self.answering, self._asked
        control: RunControl = world[CONTROL]
        self._stop_at_request()
        if answering is None:
            return False
        assert control.pending is not None
        question.bind_request(*control.pending)
        answer = answering(question)
        if answer is NOT_ANSWERED:
            return False
        self._log.append((question.site, question.player, question.data, answer, self._stretch))
        start_stretch(world)
        put_reply(self.executable, world, answer)
        return True


class Paused:
    """A run waiting for an answer; once the run has gone on, access replays it up to this request."""

    __slots__ = (
        "_judged",
        "_legal_request",
        "_question",
        "_request",
        "_run",
        "_state",
        "asked",
        "before",
        "entries",
    )

    def __init__(
        self, run: Run | None, before: "Predecessor", entries: Sequence[TraceEntry], question: PendingQuestion
    ) -> None:
        self.asked = question  # the request in its cheap form
        self.before = before
        self.entries = entries  # since the last request
        self._run = run  # none once it has gone on, which lets both go without the garbage collector
        self._question: PendingQuestion | None = None
        self._request: Request | None = None
        self._legal_request: Request | None = None
        self._state: State | None = None
        self._judged: tuple[Value, tuple[RefusalReason, ...]] | None = None

    def for_other_run(self, run: Run) -> "Paused":
        """This request for another run that is paused here as well."""
        other = Paused(run, self.before, self.entries, run.make_question())
        other._request, other._state = self._request, self._state
        return other

    @property
    def is_live(self) -> bool:
        return self._run is not None

    def leave(self) -> None:
        """Lets the run go, which goes on."""
        self._run = None
        del self.asked.world

    def resume_run(self) -> Run:
        """The run paused here; if it has gone on, a new one."""
        if self._run is None:
            self._run = self._replay_to_here()
        return self._run

    def _replay_to_here(self) -> Run:
        answers: list[Value] = []
        here: Paused = self
        while not here.is_live and not callable(here.before):
            here, answer = here.before
            answers.append(answer)
        run = here.before() if callable(here.before) and not here.is_live else here.resume_run().fork()
        for answer in reversed(answers):
            run.reply(answer)
        run.outcome = self
        self.asked = run.make_question()
        return run

    def fork(self) -> "Paused":
        """The same request of a run of its own: answers to it leave this one as it is."""
        forked = self.resume_run().fork().outcome
        assert isinstance(forked, Paused)
        return forked

    @property
    def live_question(self) -> PendingQuestion:
        """The request in its cheap form with its working memory, also if the run has gone on."""
        self.resume_run()
        return self.asked

    @property
    def state(self) -> State:
        if self._state is None:
            self._state = self.resume_run().freeze()
        return self._state

    @property
    def question(self) -> PendingQuestion:
        """The request for inspection, which uses up no limits of the play."""
        if self._question is None:
            self._question = self.resume_run().copy_question()
        control = self._question.world[CONTROL]
        control.work_left, control.size_left = control.limits.work, control.limits.size
        return self._question

    @property
    def request(self) -> Request:
        if self._request is None:
            self._request = build_request(self.question)
        return self._request

    @property
    def legal_request(self) -> Request:
        """The request, without the choices that are ruled out unless they are known already: to look for them takes long."""
        if self._request is not None:
            return self._request
        if self._legal_request is None:
            self._legal_request = build_request(self.question, only_legal=True)
        return self._legal_request

    def explain_refusals(self, answer: Value) -> tuple[RefusalReason, ...]:
        """Why an answer of the right type is refused; empty if it is legal.

        Raises:
            Fault: a condition on it cannot be judged.
        """
        if self._judged is None or self._judged[0] is not answer:
            legal = self.is_live and is_plainly_legal(self.asked, answer)
            self._judged = answer, () if legal else explain_refusal(self.question, answer)
        return self._judged[1]

    def take_answer(self, answer: Value) -> "Outcome":
        """Continues with a legal answer."""
        return self.resume_run().reply(normalize_answer(self.asked, answer))


Outcome = Paused | Ended | Refused | Faulted

_AnsweredRequest = tuple[int, int | None, Any, Value, RecordStretch | int]
"""A request answered at once: site, player, data, answer, stretch of the trace before it or the work done."""

Predecessor = Callable[[], Run] | tuple[Paused, Value]
"""How a play came to a request: from a start, or from another request by an answer."""


def start_run(
    executable: Executable,
    situation: Situation,
    procedure: str,
    arguments: tuple[Value, ...],
    limits: RunLimits = _DEFAULT_LIMITS,
) -> Outcome:
    """Begins a procedure and runs to the first request, end, refusal or fault."""
    return Run.begin(executable, situation, procedure, arguments, limits).outcome


def answer_paused(paused: Paused, answer: Value) -> Outcome:
    """Answers a request; a paused run can be answered again, and a refused answer changes nothing."""
    try:
        reasons = paused.explain_refusals(answer)
    except Fault as failed:
        question = paused.question
        failed.site = question.site if question.site >= 0 else None
        return build_fault(question.executable, question.world, failed)
    return Refused(reasons) if reasons else paused.take_answer(answer)


def judge_situation(executable: Executable, situation: Situation) -> Outcome:
    """Judges every `always` of a start and lets it settle; may be paused for the value of an external term."""
    return Run.judge(executable, situation).outcome


def build_stop_outcome(
    executable: Executable, world: WorkingMemory, failed: Fault | NeedFailed | RecursionError
) -> Refused | Faulted:
    """Refusal or fault of a stopped play."""
    refused = build_refusal(executable, world, failed) if isinstance(failed, NeedFailed) else None
    resumption = failed.resumption if isinstance(failed, Fault) else None
    is_stuck = resumption is not None and is_stalemate(Run(executable, world), resumption)
    return refused or build_fault(executable, world, failed, is_stuck=is_stuck)


def _make_start_world(executable: Executable, situation: Situation, limits: RunLimits) -> WorkingMemory:
    world = make_world(executable, situation, limits)
    world[STACK].append([END_BLOCK, BOTTOM_FRAME, 0, 0, None])
    return world


def _make_called_world(
    executable: Executable, situation: Situation, procedure: str, arguments: tuple[Value, ...], limits: RunLimits
) -> WorkingMemory:
    world = _make_start_world(executable, situation, limits)
    push_call(world, executable.procedure_flows[procedure], 0, RESULT_SLOT, arguments)
    if world[RECORD] is not None:
        world[CONTROL].enclosing = tuple([frame[FRAME_ROUTINE] for frame in world[STACK]])
    _push_start_judgement(world)
    return world


def _push_start_judgement(world: WorkingMemory) -> None:
    if world[UNSETTLED]:
        push_settling(world)
        push_call(world, world[CONTROL].tables.judging, 0, 0, ())


def needs_request_charge(world: WorkingMemory) -> bool:
    """Whether calls or rolls are so many that each request is charged for them, or renumbers them."""
    return len(world[ROLLS]) > _MAX_UNNUMBERED_ROLLS or len(world[STACK]) > MAX_UNCHARGED_CALLS


def renumber_at_request(executable: Executable, world: WorkingMemory) -> None:
    """Renumbers dice at a request whose answer names some, or if they are many."""
    site = world[CONTROL].asked_site
    if len(world[STACK]) > MAX_UNCHARGED_CALLS:
        charge_open_calls(world, _STEPS_PER_LOOK, None if site < 0 else site)
    if executable.request_sorts[site][1] or len(world[ROLLS]) > _MAX_UNNUMBERED_ROLLS:
        renumber_rolls(executable, world)


def put_reply(executable: Executable, world: WorkingMemory, answer: Value) -> None:
    """Stores an answer where the line that asked takes it from."""
    control = world[CONTROL]
    site, data = control.asked_site, control.asked_data
    if site < 0:
        control.known[data] = answer
    elif executable.request_sorts[site][0] or data[0] not in _HANDLER_SORTS:
        control.reply = answer
    elif data[0] == "handlers":
        control.reply = order_handlers(PendingQuestion(executable, world), answer)
    else:
        control.reply = None if answer is None else order_handlers(PendingQuestion(executable, world), (answer,))[0]
