"""A small interpreter of core programs: what each form means, as code to be read.

Expressions are evaluated at once. Statements are generators: each yields what is asked and is sent the answer. How they
leave a loop, a step or a call are exceptions. The game and the requests are the judge's, so that one driver plays both.
`core_operations` has the operations, `core_store` the places, `core_questions` the legal answers and the dice.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any, assert_never, get_args

from rulewright.program import statements as st
from rulewright.program.core import forms
from rulewright.program.core.forms import JUDGING, SETTLING, Block, CoreProgram, Expression, Local, Routine, Statement
from rulewright.program.core.printing import get_origin_address
from rulewright.program.declarations import Handler, Invariant, Need, Program, StandingRule, Step, Watch
from rulewright.program.expressions import DecideRow, TallyRow
from rulewright.program.types import DeckType
from rulewright.runtime.state import Situation
from rulewright.runtime.values import GameMap, make_set, sort_values
from support import core_questions
from support.core_operations import apply_operation
from support.core_store import bind_names, find_named_slot, read_place, read_root, write_place, write_slot
from support.reference.calls import Refusal
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay, finish_play
from support.reference.world import JudgedFault, MissingExternalValue, World, open_world, remember_calls

Run = Generator[JudgeRequest, Any, Any]
Env = dict[int, Any]
"""Values of names by index."""
PLACES_OF_FAULTS = (*get_args(st.Statement), Need, Watch, Step, Handler, StandingRule, Invariant)
"""Nodes that faults are told of; rows, options, events and functions are none."""
ROWS_OF_LINES = (TallyRow, DecideRow, st.RankKey)
"""Rows that may be those of a line; the dice of a rank alone are told of the row."""


@dataclass(eq=False)
class LeaveLoop(Exception):
    label: int
    again: bool


@dataclass(eq=False)
class JumpToStep(Exception):
    step: int


@dataclass(eq=False)
class ReturnFromCall(Exception):
    value: Any


@dataclass(eq=False)
class UnwindToCall(Exception):
    frame: "Frame"
    value: Any


@dataclass(eq=False)
class Frame:
    """A call under way: its routine, its names, and what lasts until its end."""

    routine: Routine
    env: Env
    held: list[str] = field(default_factory=list)
    listening: list[forms.Listening] = field(default_factory=list)

    @property
    def is_procedure(self) -> bool:
        return self.routine.sort == "procedure"


class CoreInterpreter:
    """Plays a core program.

    Attributes:
        frames: calls under way, outermost first.
        due: standing rules and invariants that are to be tried; at the start all of them.
        quiet: how many `Quiet` are open.
        holding_back: how many of them hold removals back.
        waiting: events of removals that are held back.
        open_calls: how many calls of a line are open, by its origin.
        path: steps entered and passed over.
    """

    def __init__(self, core: CoreProgram, world: World) -> None:
        self.core = core
        self.world = world
        self.frames: list[Frame] = []
        self.due = {*core.rules, *core.invariants}
        self.quiet = 0
        self.holding_back = 0
        self.waiting: list[tuple[str, tuple[Any, ...]]] = []
        self.open_calls: Counter[int] = Counter()
        self.path: list[tuple[str, str]] = []

    def play(self, procedure: str, arguments: tuple[Any, ...]) -> Run:
        """A play from its start; gives the result of the procedure."""
        yield from self.call(JUDGING, ())
        yield from self.settle()
        return (yield from self.call(f"procedure:{procedure}", arguments))

    # Expressions.

    def evaluate(self, env: Env, node: Expression) -> Any:
        """The value of an expression."""
        match node:
            case forms.Const(value=value):
                return value
            case forms.Get(local=local):
                return env.get(local.index)
            case forms.Load(root=root):
                return read_root(self, env, root)
            case forms.Op(name=name, arguments=arguments, facts=facts):
                return apply_operation(self.world, name, facts, self._evaluate_each(env, arguments))
            case forms.Cond(test=test, then=then, other=other):
                return self.evaluate(env, then if self.evaluate(env, test) else other)
            case forms.Bind(local=local, value=bound, body=body):
                return self.evaluate(env | {local.index: self.evaluate(env, bound)}, body)
            case forms.Over():
                return self._gather(env, node)
            case forms.Apply(routine=routine, arguments=arguments):
                return self._apply(routine, self._evaluate_each(env, arguments))
            case forms.Closure(routine=routine, captured=captured):
                given = self._evaluate_each(env, captured)
                return lambda *more: self._apply(routine, (*given, *more))
            case forms.Wanted():
                return self._find_external_value(env, node)
            case forms.RollOf():
                return core_questions.describe_roll(self, env, node)
            case _:
                assert_never(node)

    def _evaluate_each(self, env: Env, nodes: Iterable[Expression]) -> tuple[Any, ...]:
        return tuple([self.evaluate(env, each) for each in nodes])

    def evaluate_optional(self, env: Env, node: Expression | None) -> Any:
        """The value of an expression; none where there is none."""
        return None if node is None else self.evaluate(env, node)

    def _gather(self, env: Env, over: forms.Over) -> Any:
        if isinstance(over.source, forms.Op) and over.source.name == "poses":
            return self._find_pose(env, over) == (over.gather == "some")
        values = self._list_gathered(env, over)
        match over.gather:
            case "list":
                return tuple(values)
            case "set":
                return make_set(values)
            case "bag":
                return sort_values(values)
            case "some":
                return any(True for _ in values)
            case "no":
                return not any(True for _ in values)
            case "every":
                return all(values)
            case "count":
                return sum(1 for _ in values)
            case "sum":
                return sum(values)
            case "least" | "greatest" | "only":
                found = list(values)
                if not found or (over.gather == "only" and len(found) > 1):
                    raise JudgedFault("RW0805" if over.gather == "only" else "RW0807")
                return max(found) if over.gather == "greatest" else min(found)
            case _:
                assert_never(over.gather)

    def _list_gathered(self, env: Env, over: forms.Over) -> Iterable[Any]:
        for member, inner in self.list_members(env, over.names, over.source, over.where):
            yield member if over.value is None else self.evaluate(inner, over.value)

    def list_members(
        self, env: Env, names: forms.Names, source: Expression, where: Expression | None
    ) -> Iterable[tuple[Any, Env]]:
        """The members for which a test holds, each with the names inside."""
        for member in self.evaluate(env, source):
            inner = env | bind_names(names, member)
            if where is None or self.evaluate(inner, where):
                yield member, inner

    def _find_pose(self, env: Env, over: forms.Over) -> bool:
        """Whether some pose meets a test, remembered for the same game and names."""
        world = self.world
        asked = id(over), repr(sorted(env.items())), repr(world.game)
        if asked not in world.sought:
            with remember_calls(world, {}):
                poses = self.evaluate(env, over.source)
                world.sought[asked] = any(
                    self._is_place(env | bind_names(over.names, each), over.where) for each in poses
                )
        return world.sought[asked]

    def _is_place(self, env: Env, where: Expression | None) -> bool:
        """Whether a test holds of a pose; where it cannot be judged it does not."""
        try:
            return where is None or bool(self.evaluate(env, where))
        except JudgedFault:
            return False

    def _apply(self, key: str, arguments: tuple[Any, ...]) -> Any:
        """What a pure routine gives; while places are tried and nothing changes, it is remembered."""
        called = {} if self.world.called is None else self.world.called
        if (key, arguments) not in called:
            called[key, arguments] = self._run_pure_routine(self.core.routines[key], arguments)
        return called[key, arguments]

    def _run_pure_routine(self, routine: Routine, arguments: tuple[Any, ...]) -> Any:
        assert routine.is_pure
        frame = Frame(routine, name_parameters(routine.parameters, arguments))
        try:
            for request in self._run_block(frame, routine.entry):
                raise AssertionError(f"{routine.key} asks {request}")
        except ReturnFromCall as returned:
            return returned.value
        return None

    def _find_external_value(self, env: Env, wanted: forms.Wanted) -> Any:
        asked = wanted.external, self._evaluate_each(env, wanted.arguments)
        scripted = self.world.start.base.tables.get(wanted.external, {})
        if asked[1] in scripted:
            return scripted[asked[1]]
        if wanted.default is not None:
            return self._apply(wanted.default, asked[1])
        if asked not in self.world.known:
            raise MissingExternalValue(*asked)
        return self.world.known[asked]

    # Routines.

    def call(self, key: str, arguments: tuple[Any, ...]) -> Run:
        """Runs a routine to its end; the state settles where this ends a hold, or where it was unwound to."""
        routine = self.core.routines[key]
        frame = Frame(routine, name_parameters(routine.parameters, arguments))
        self.frames.append(frame)
        unwound = False
        try:
            result = yield from self._run_routine(frame)
        except UnwindToCall as unwind:
            if unwind.frame is not frame:
                raise
            result, unwound = unwind.value, True
        finally:
            self.frames.remove(frame)
        if frame.held or unwound:
            yield from self.settle()
        return result

    def _run_routine(self, frame: Frame) -> Run:
        """The entry, then the steps in order, or where a jump goes on."""
        steps = frame.routine.steps
        try:
            at = yield from self._find_next(self._run_block(frame, frame.routine.entry), 0)
            while at < len(steps):
                at = yield from self._find_next(self._run_step(frame, steps[at]), at + 1)
        except ReturnFromCall as returned:
            return returned.value
        return None

    def _find_next(self, run: Run, following: int) -> Run:
        try:
            yield from run
        except JumpToStep as jump:
            return jump.step
        return following

    def _run_step(self, frame: Frame, step: forms.Step) -> Run:
        if not (yield from self._test(frame, step.guard, step.origin)):
            self.path.append(("passed over", step.origin.address))
            return
        self.path.append(("step", step.origin.address))
        yield from self._run_block(frame, step.block)

    def settle(self) -> Run:
        """Calls the settling, if anything is due and nothing is quiet."""
        if self.due and not self.quiet:
            yield from self.call(SETTLING, ())

    # Statements.

    def _run_block(self, frame: Frame, block: Block) -> Run:
        for statement in block:
            yield from self._run_statement(frame, statement)

    def _run_statement(self, frame: Frame, statement: Statement) -> Run:
        """One statement, which begins anew where an external value was missing."""
        while True:
            try:
                return (yield from self._carry_out(frame, statement))
            except MissingExternalValue as wanted:
                yield from self._ask_for_value(frame, wanted)
            except JudgedFault as fault:
                locate_fault(fault, statement, frame.routine)
                raise

    def _test(self, frame: Frame, test: Expression | None, origin: forms.Origin) -> Run:
        """Whether a test holds that stands apart from statements: of a step, or of a round of a loop."""
        while True:
            try:
                return test is None or self.evaluate(frame.env, test)
            except MissingExternalValue as wanted:
                yield from self._ask_for_value(frame, wanted)
            except JudgedFault as fault:
                fault.address = fault.address or origin.address
                raise

    def _ask_for_value(self, frame: Frame, wanted: MissingExternalValue) -> Run:
        if frame.routine.is_pure:
            raise wanted
        asked = JudgeRequest("value", "", None, name=wanted.name, arguments=wanted.given)
        self.world.known[wanted.name, wanted.given] = yield asked

    def _carry_out(self, frame: Frame, statement: Statement) -> Run:
        env, world = frame.env, self.world
        match statement:
            case forms.Set(place=place, value=value):
                write_place(self, env, place, self.evaluate(env, value))
            case forms.If(test=test, then=then, other=other):
                yield from self._run_block(frame, then if self.evaluate(env, test) else other)
            case forms.For(source=source):
                for member in self.evaluate(env, source):
                    env.update(bind_names(statement.names, member))
                    if (yield from self._is_left(frame, statement)):
                        break
            case forms.Loop(bound=bound):
                most, rounds = None if bound is None else self.evaluate(env, bound), 0
                while (yield from self._test(frame, statement.test, statement.origin)):
                    if rounds == most:
                        raise JudgedFault("RW0811")
                    rounds += 1
                    if (yield from self._is_left(frame, statement)):
                        break
            case forms.Leave(label=label, again=again):
                raise LeaveLoop(label, again)
            case forms.Quiet(body=body, holds_back=holds_back):
                yield from self._keep_quiet(frame, body, holds_back=holds_back)
            case forms.Jump(step=step, bound=bound, rounds=counter):
                if bound is not None:
                    assert counter is not None
                    jumped = env.get(counter.index) or 0
                    if jumped >= self.evaluate(env, bound):
                        raise JudgedFault("RW0812")
                    env[counter.index] = jumped + 1
                raise JumpToStep(step)
            case forms.Call(routine=routine, arguments=arguments, nest=nest):
                given = self._evaluate_each(env, arguments)
                line = id(statement.origin)
                if nest is not None and self.open_calls[line] >= self.evaluate(env, nest):
                    raise JudgedFault("RW0813")
                self.open_calls[line] += 1
                try:
                    found = yield from self.call(routine, given)
                finally:
                    self.open_calls[line] -= 1
                env.update(name_result(statement.result, found))
            case forms.Return(value=value):
                raise ReturnFromCall(self.evaluate(env, value))
            case forms.Unwind(procedure=procedure, value=value):
                raise UnwindToCall(self._find_innermost_call(procedure), self.evaluate(env, value))
            case forms.Fail(fault=fault):
                if fault == "RW0809" and [each for each in self.frames if each.is_procedure] == [frame]:
                    raise Refusal(statement.origin.address)
                raise JudgedFault(fault)
            case forms.Ask():
                yield from self._ask(frame, statement)
            case forms.Roll(dice=dice, by=by):
                described, who = self.evaluate(env, dice), self.evaluate_optional(env, by)
                asked = JudgeRequest("roll", statement.origin.address, who)
                env[statement.result.index] = yield from core_questions.roll_dice(world, described, asked)
            case forms.Reroll(dice=dice, by=by):
                lying, who = self.evaluate(env, dice), self.evaluate_optional(env, by)
                asked = JudgeRequest("roll", statement.origin.address, who)
                yield from core_questions.reroll_dice(world, lying, asked)
            case forms.Draw():
                yield from self._draw(env, statement)
            case forms.Shuffle(place=place):
                before = read_place(self, env, place)
                if len(before) > 1:
                    mixed = yield JudgeRequest("shuffle", statement.origin.address, None, items=before)
                    write_place(self, env, place, mixed)
            case forms.External(name=name, arguments=arguments):
                given = self._evaluate_each(env, arguments)
                asked = JudgeRequest("external", statement.origin.address, None, name=name, arguments=given)
                result, changes = yield asked
                env.update(name_result(statement.result, result))
                for changed, key, value in changes:
                    write_slot(self, find_named_slot(self, changed, key), value)
            case forms.Trigger(event=event, arguments=arguments, removal=removal):
                given = self._evaluate_each(env, arguments)
                if removal and self.holding_back:
                    self.waiting.append((event, given))
                else:
                    env.update(name_result(statement.result, (yield from self._trigger(event, given))))
            case forms.Settle():
                yield from self.settle()
            case forms.During(effect=effect):
                if isinstance(effect, forms.Holding):
                    frame.held += effect.rules
                else:
                    frame.listening.append(effect)
            case forms.Note():
                pass
            case _:
                assert_never(statement)

    def _is_left(self, frame: Frame, loop: forms.For | forms.Loop) -> Run:
        """Carries out a round; whether it left the loop."""
        try:
            yield from self._run_block(frame, loop.body)
        except LeaveLoop as leave:
            if leave.label != loop.label:
                raise
            return not leave.again
        return False

    def _keep_quiet(self, frame: Frame, body: Block, *, holds_back: bool) -> Run:
        self.quiet += 1
        self.holding_back += holds_back
        try:
            yield from self._run_block(frame, body)
        finally:
            self.quiet -= 1
            self.holding_back -= holds_back
        if not self.holding_back:
            waiting, self.waiting = self.waiting, []
            for event, given in waiting:
                yield from self._trigger(event, given)

    def _trigger(self, event: str, given: tuple[Any, ...]) -> Run:
        """Tells those that listen, outermost first, then opens the window; gives what its handlers gave."""
        for frame in [*self.frames]:
            for each in frame.listening:
                if each.event == event:
                    frame.env.update(name_parameters(each.parameters, given))
                    yield from self._run_block(frame, each.body)
        if event not in self.core.windows:
            return ()
        return (yield from self.call(self.core.windows[event], given))

    def _find_innermost_call(self, procedure: str) -> Frame:
        found = [each for each in self.frames if each.is_procedure and each.routine.key.split(":")[1] == procedure]
        if not found:
            raise JudgedFault("RW0819")
        return found[-1]

    def _draw(self, env: Env, draw: forms.Draw) -> Run:
        """The top of a deck, else a random member or key; the only one that can come is no chance."""
        before, learner = read_place(self, env, draw.place), self.evaluate_optional(env, draw.learner)
        drawn, *others = before
        if not isinstance(draw.place.type, DeckType) and any(each != drawn for each in others):
            drawn = yield JudgeRequest("draw", draw.origin.address, learner, items=tuple(before))
        env[draw.result.index] = drawn
        rest = (
            before.with_entry(drawn, before.default)
            if isinstance(before, GameMap)
            else apply_operation(self.world, "without", (), (before, drawn))
        )
        write_place(self, env, draw.place, rest)

    def _ask(self, frame: Frame, ask: forms.Ask) -> Run:
        """A question, forced where one answer is legal."""
        request = core_questions.make_request(self, frame.env, ask, self.evaluate(frame.env, ask.player))
        if request.legal is not None and len(request.legal) < 2:
            answers = request.legal
        else:
            answer = yield from core_questions.ask_request(request, in_window=frame.routine.sort == "window")
            answers = () if answer is None and request.legal is None else (answer,)
        if not answers:
            yield from self._run_block(frame, ask.none)
            return
        frame.env[ask.result.index] = answers[0]
        yield from self._run_block(frame, ask.then)


def locate_fault(fault: JudgedFault, statement: Statement, routine: Routine) -> None:
    """Gives a fault the address of what it is told of, where a statement is made from that or from a row of it."""
    origin = statement.origin
    if fault.address or routine.key.startswith("function:"):
        return
    if isinstance(origin, PLACES_OF_FAULTS) or (isinstance(origin, st.RankKey) and isinstance(statement, forms.Roll)):
        fault.address = get_origin_address(origin)
    elif isinstance(origin, ROWS_OF_LINES):
        fault.address = origin.address.rpartition("/")[0]


def name_result(local: Local | None, value: Any) -> Env:
    """What a statement gives, under its name if it has one."""
    return {} if local is None else {local.index: value}


def name_parameters(parameters: tuple[Local, ...], arguments: tuple[Any, ...]) -> Env:
    """Parameters with what is given for them."""
    return {each.index: value for each, value in zip(parameters, arguments, strict=True)}


def play_core(
    core: CoreProgram,
    program: Program,
    start: Situation,
    procedure: str,
    arguments: tuple[Any, ...],
    answer: Callable[[JudgeRequest], Any],
) -> JudgedPlay:
    """Plays a procedure to its end; the program is that of which the core was made, and says what a game holds."""
    play = CoreInterpreter(core, open_world(program, start))
    return finish_play(play.world, play.play(procedure, arguments), play.path, answer)
