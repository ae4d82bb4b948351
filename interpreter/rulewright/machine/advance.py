"""Starting a play and giving it answers, one at a time or all inline."""

from functools import partial
from typing import Any

from rulewright.machine.answering import Answerer, Index, deciding, questioning
from rulewright.machine.blame import fault, refusal
from rulewright.machine.border import known_legal
from rulewright.machine.compile import straight
from rulewright.machine.engine.frames import BOTTOM, END, END_BLOCK, JUDGE_BLOCK, JUDGING, PAUSE, SWITCH, call
from rulewright.machine.engine.settling import settling
from rulewright.machine.engine.stops import looked_through, overworked
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault, NeedFailed, Wanted
from rulewright.machine.freezing import freeze, fresh, thaw
from rulewright.machine.judging import normal, refused
from rulewright.machine.limits import Limits
from rulewright.machine.question import Question
from rulewright.machine.record import Record
from rulewright.machine.request import Ended, Outcome, Paused, Refused
from rulewright.machine.requests import in_order_of
from rulewright.machine.situation import Situation
from rulewright.machine.state import State
from rulewright.machine.values import Value
from rulewright.machine.world import CONTROL, ROLLS, STACK, UNSETTLED, World

_DEFAULT = Limits()
_RESULT = 4
_KEPT = 4
"""Steps that a call costs where it is kept in a state."""


def start(
    executable: Executable,
    situation: Situation,
    procedure: str,
    arguments: tuple[Value, ...],
    limits: Limits | None = None,
) -> Outcome:
    """Begins a procedure and runs to the first request, end, refusal or fault."""
    world = _begun(executable, situation, procedure, arguments, limits or _DEFAULT)
    return _drive(executable, world)


def advance(executable: Executable, state: State, answer: Value, limits: Limits | None = None) -> Outcome:
    """Answers the request of a paused state; the given state is left as it is, a refused answer changes nothing."""
    world = thaw(executable, state, limits or _DEFAULT)
    if not known_legal(executable, state, answer, limits or _DEFAULT):
        question = Question(executable, world)
        try:
            reasons = refused(question, answer)
        except Fault as failed:
            failed.site = question.site if question.site >= 0 else None
            return fault(executable, world, failed)
        if reasons:
            return Refused(reasons)
        world = thaw(executable, state, limits or _DEFAULT)
    _reply(executable, world, normal(Question(executable, world), answer))
    return _drive(executable, world)


def run(  # noqa: PLR0913, PLR0917
    executable: Executable,
    situation: Situation,
    procedure: str,
    arguments: tuple[Value, ...],
    answer: Answerer,
    limits: Limits | None = None,
    chance: Index | None = None,
    decide: Index | None = None,
) -> Outcome:
    """Runs a procedure to its end with answers given inline; answers are trusted, no state is made between them.

    Where `chance` is given, a whole number from 0 to below its argument, few plain dice are thrown with it in one
    draw and without a question; the index is that of `Question.outcome`. Where `decide` is given, it answers what has a
    list of legal answers likewise; the index is that of `Question.legal`.
    """
    executable = straight(executable)
    world = _begun(executable, situation, procedure, arguments, limits or _DEFAULT)
    control = world[CONTROL]
    ask = questioning(executable, world, answer)
    control.ask = ask if decide is None else deciding(executable, world, decide, ask)
    control.chance = chance
    return _drive(executable, world)


def judge(executable: Executable, situation: Situation) -> Outcome:
    """Judges every `always` of a start and lets it settle."""
    world = _world(executable, situation, _DEFAULT)
    _prelude(world)
    return _drive(executable, world)


def measured(executable: Executable, state: State, name: str, arguments: tuple[Value, ...] = ()) -> Value:
    """The value of a measure in a state."""
    return executable.measures[name](thaw(executable, state, _DEFAULT), *arguments)  # type: ignore[no-any-return]


def _world(executable: Executable, situation: Situation, limits: Limits) -> World:
    world = fresh(executable, situation, limits)
    world[STACK].append([END_BLOCK, BOTTOM, 0, 0, None])
    return world


def _begun(
    executable: Executable, situation: Situation, procedure: str, arguments: tuple[Value, ...], limits: Limits
) -> World:
    world = _world(executable, situation, limits)
    call(world, executable.entries[procedure], 0, _RESULT, arguments)
    world[CONTROL].enclosing = (procedure,)
    _prelude(world)
    return world


def _prelude(world: World) -> None:
    """First every `always`, then settling."""
    if world[UNSETTLED]:
        settling(world)
        world[STACK].append([JUDGE_BLOCK, JUDGING, 0, 0])


def _reply(executable: Executable, world: World, answer: Value) -> None:
    control = world[CONTROL]
    site, _, data = control.pending
    if site < 0:
        control.known[data] = answer
    elif data and data[0] == "handlers":
        control.reply = in_order_of(Question(executable, world), answer)
    elif data and data[0] == "taker":
        control.reply = None if answer is None else in_order_of(Question(executable, world), (answer,))[0]
    else:
        control.reply = answer


def _drive(executable: Executable, world: World) -> Outcome:
    ask = world[CONTROL].ask
    while True:
        try:
            signal = _blocks(executable, world)
        except Wanted as wanted:
            world[CONTROL].pending = (-1, None, (wanted.name, wanted.arguments_given))
            signal = PAUSE
        except NeedFailed as failed:
            return refusal(executable, world, failed) or fault(executable, world, failed)
        except (Fault, RecursionError) as failed:
            return fault(executable, world, failed)
        if signal == END:
            result = world[STACK][0][_RESULT]
            end = partial(freeze, executable, world, running=False)
            return Ended(end, result, Record.taken(executable, world))
        if ask is None:
            try:
                return _paused(executable, world)
            except Fault as failed:
                return fault(executable, world, failed)
        _reply(executable, world, ask(*world[CONTROL].pending))


def _paused(executable: Executable, world: World) -> Paused:
    asked, *_ = world[CONTROL].pending
    looked_through(world, _KEPT, asked if asked >= 0 else None)
    state = freeze(executable, world, running=True)
    entries = Record.taken(executable, world)
    seen = thaw(executable, state, world[CONTROL].limits) if world[ROLLS] else world
    return Paused(state, Question(executable, seen).request, entries)


def _blocks(executable: Executable, world: World) -> int:
    """Runs blocks until the end, or until a request that is not answered inline."""
    blocks: Any = executable.blocks
    control, stack = world[CONTROL], world[STACK]
    ask = control.ask
    run_ = 0
    frame = stack[-1]
    number = frame[0]
    try:
        while True:
            run_ += 1
            if run_ > control.left:
                frame[0] = number
                overworked(world)
            following = blocks[number](world, frame)
            if following >= 0:
                number = following
            elif following == SWITCH:
                frame = stack[-1]
                number = frame[0]
            elif following == END or ask is None:
                return following  # type: ignore[no-any-return]
            else:
                _reply(executable, world, ask(*control.pending))
                number = frame[0]
    except Wanted:
        frame[0] = number
        raise
    finally:
        control.work += run_
        control.left -= run_
