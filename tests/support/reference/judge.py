"""Lines, steps and calls, in the words of the manual."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from rulewright.program import statements as st
from rulewright.program.declarations import (
    Hold,
    Need,
    Procedure,
    Step,
    Watch,
)
from rulewright.program.expressions import Expression
from rulewright.program.types import ListType, SetType, ThingType, Type
from support.reference import assigned_places, chance_lines, change_lines, event_windows, question_lines, standing_rules
from support.reference.calls import Call, FinishCall, FinishOuterCall, ProceedToStep, Refusal, StopBlock
from support.reference.evaluation import bind_member, evaluate, list_items
from support.reference.functions import choose_row_value, compute_tally, judge_condition
from support.reference.judge_requests import JudgeRequest
from support.reference.ranking import rank_members
from support.reference.world import Env, JudgedFault, MissingExternalValue, World, locate_faults, make_pairs

Run = Generator[JudgeRequest, Any, Any]


class Judge:
    """Plays one procedure; `path` collects the steps entered and passed over."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.program = world.program
        self.path: list[tuple[str, str]] = []
        self.calls: list[Call] = []
        self.quiet = 0
        self.together = 0
        self.postponed: list[tuple[str, int]] = []
        self.deep: dict[str, int] = {}

    def evaluate_expression(self, env: Env, node: Expression) -> Run:
        """The value of an expression."""
        try:
            return evaluate(self.world, env, node)
        except MissingExternalValue:
            return (yield from self.compute_with_externals(lambda: evaluate(self.world, env, node)))

    def compute_with_externals(self, compute: Callable[[], Any]) -> Run:
        """What a computation gives; it begins anew whenever an external value was missing."""
        while True:
            try:
                return compute()
            except MissingExternalValue as wanted:
                answer = yield JudgeRequest("value", "", None, name=wanted.name, arguments=wanted.given)
                self.world.known[wanted.name, wanted.given] = answer

    def play_procedure(self, name: str, arguments: tuple[Any, ...]) -> Run:
        """A play from its start; gives the result of the procedure."""
        procedure = self.program.procedures[name]
        standing_rules.check_invariants(self)
        yield from standing_rules.settle_rules(self)
        return (yield from self.perform_procedure(procedure, arguments, None))

    def perform_procedure(self, procedure: Procedure, arguments: tuple[Any, ...], steps: tuple[str, str] | None) -> Run:
        """A call: opening lines as written, then the steps; holds end with it."""
        env = {each.index: value for each, value in zip(procedure.parameters, arguments, strict=True)}
        running = Call(procedure, env)
        self.calls.append(running)
        result = None
        ended_from_within = False
        try:
            yield from self.play_body(running, steps)
        except FinishCall as finish:
            result = finish.value
        except FinishOuterCall as finish:
            if finish.call is not running:
                raise
            result, ended_from_within = finish.value, True
        finally:
            self.calls.remove(running)
        if running.holds or ended_from_within:
            yield from standing_rules.settle_rules(self)
        return result

    def play_body(self, running: Call, steps: tuple[str, str] | None) -> Run:
        """Opening lines, then the steps from the first on, or from where a line proceeds to."""
        ids = [each.id for each in running.procedure.steps]
        first, last = (0, len(ids) - 1) if steps is None else (ids.index(steps[0]), ids.index(steps[1]))
        at = first
        try:
            yield from self.play_opening(running)
        except ProceedToStep as proceed:
            at = ids.index(proceed.step)
        yield from self.play_steps(running, at, range(first, last + 1))

    def play_opening(self, running: Call) -> Run:
        """Opening lines in written order."""
        for each in running.procedure.opening:
            match each:
                case Need():
                    with locate_faults(each.address):
                        yield from self.judge_need(running, each)
                case Hold():
                    running.holds += each.rules
                case Watch():
                    running.watches.append(each)
                case _:
                    yield from self.play_lines(running.env, each)

    def judge_need(self, running: Call, need: Need) -> Run:
        """An opening condition: where it does not hold the outermost call is refused, any other is a fault."""
        held = yield from self.compute_with_externals(lambda: judge_condition(self.world, running.env, need))
        if held is False:
            if len(self.calls) == 1:
                raise Refusal(need.address)
            raise JudgedFault("RW0809")

    def play_steps(self, running: Call, at: int, performed: range) -> Run:
        """The steps from one on; leaving a performed range ends it."""
        ids = [each.id for each in running.procedure.steps]
        while at in performed:
            try:
                yield from self.play_step(running, running.procedure.steps[at])
                at += 1
            except ProceedToStep as proceed:
                at = ids.index(proceed.step)

    def play_step(self, running: Call, step: Step) -> Run:
        """One step, passed over where its guard is false."""
        with locate_faults(step.address):
            entered = step.guard is None or (yield from self.evaluate_expression(running.env, step.guard))
        if not entered:
            self.path.append(("passed over", step.address))
            return
        self.path.append(("step", step.address))
        self.world.reached.add((step.address, "entered"))
        yield from self.play_lines(running.env, step.block)

    def play_lines(self, env: Env, block: st.Block | None) -> Run:
        """Lines in written order."""
        for line in block or ():
            with locate_faults(line.address):
                yield from self.play_line(env, line)

    def apply_change(self, change: Callable[[], None]) -> Run:
        """A simple line; the state settles where it changed the game."""
        before = self.world.game.copy()
        change()
        if self.world.game != before:
            yield from self.settle_after_change()

    def settle_after_change(self) -> Run:
        """What follows from a change of the game."""
        self.world.known.clear()
        yield from standing_rules.settle_rules(self)

    def play_line(self, env: Env, line: st.Statement) -> Run:
        """One line."""
        self.world.reached.add((line.address, "entered"))
        match line:
            case st.Let():
                if line.value is not None:
                    env[line.variable.index] = yield from self.evaluate_expression(env, line.value)
            case st.Assign():
                value = yield from self.evaluate_expression(env, line.value)
                place = yield from assigned_places.find_place(self, env, line.place)
                yield from self.apply_change(lambda: place.put(value))
            case st.AddAmount():
                yield from change_lines.add_amount(self, env, line)
            case st.AddMember():
                yield from change_lines.add_member(self, env, line)
            case st.AddPair():
                a = yield from self.evaluate_expression(env, line.first)
                b = yield from self.evaluate_expression(env, line.second)
                pairs = self.world.game.relations[line.relation]
                mirrored = make_pairs(a, b, symmetric=self.program.relations[line.relation].symmetric)
                update = pairs.difference_update if line.take else pairs.update
                yield from self.apply_change(lambda: update(mirrored))
            case st.Move() | st.PlaceThing() if change_lines.is_on_plane(self, line.kind):
                yield from change_lines.put_on_plane(self, env, line)
            case st.Move() | st.PlaceThing():
                thing = yield from self.evaluate_expression(env, line.thing)
                where = yield from self.evaluate_expression(
                    env, line.destination if isinstance(line, st.Move) else line.spot
                )
                change_lines.check_in_play(self, line.kind, thing)
                if where is not None and not self.world.is_on_board(where):
                    raise JudgedFault("RW0820")
                yield from self.apply_change(lambda: change_lines.put_attribute(self, line.kind, "at", thing, where))
            case st.Turn():
                yield from change_lines.turn_thing(self, env, line)
            case st.Remove():
                yield from change_lines.remove_thing(self, env, line)
            case st.Together():
                yield from change_lines.carry_out_together(self, env, line)
            case st.If():
                yield from self.choose_branch(env, line)
            case st.Match():
                subject = yield from self.evaluate_expression(env, line.subject)
                for case in line.cases:
                    if not case.values or any(evaluate(self.world, env, each) == subject for each in case.values):
                        yield from self.play_lines(env, case.block)
                        break
            case st.ForEach():
                yield from self.for_each(env, line)
            case st.Repeat():
                yield from self.repeat_block(env, line)
            case st.Nothing() | st.Ruling() | st.Reveal():
                pass
            case st.AskAll():
                yield from question_lines.ask_all_players(self, env, line)
            case st.Stop():
                raise StopBlock
            case st.Proceed():
                yield from self.proceed_to_step(env, line)
            case st.Finish():
                value = None if line.value is None else (yield from self.evaluate_expression(env, line.value))
                raise FinishCall(value, given=line.value is not None)
            case st.FinishOuter():
                value = None if line.value is None else (yield from self.evaluate_expression(env, line.value))
                raise FinishOuterCall(self.find_innermost_call(line.procedure), value)
            case st.Perform():
                yield from self.perform_line(env, line)
            case st.PerformExternal():
                yield from self.perform_external(env, line)
            case st.Trigger():
                given = []
                for each in line.arguments:
                    given.append((yield from self.evaluate_expression(env, each)))
                gained = yield from event_windows.trigger_event(
                    self, self.program.events[line.event], tuple(given), line.address
                )
                if line.result is not None:
                    env[line.result.index] = gained
            case st.TallyLine():
                env[line.variable.index] = yield from self.compute_with_externals(
                    lambda: compute_tally(
                        self.world, env, line.variable.index, evaluate(self.world, env, line.start), line.rows
                    )
                )
            case st.DecideLine():
                env[line.variable.index] = yield from self.compute_with_externals(
                    lambda: choose_row_value(self.world, env, line.rows)
                )
            case st.Rank():
                yield from self.rank_into_variable(env, line)
            case st.Roll():
                yield from chance_lines.roll_dice(self, env, line)
            case st.Reroll():
                yield from chance_lines.reroll_dice(self, env, line)
            case st.Draw():
                yield from chance_lines.draw_member(self, env, line)
            case st.Shuffle():
                place = yield from assigned_places.find_place(self, env, line.place)
                if len(place.get()) > 1:
                    mixed = yield JudgeRequest("shuffle", line.address, None, items=place.get())
                    yield from self.apply_change(lambda: place.put(mixed))
            case st.Ask():
                yield from question_lines.ask_question(self, env, line)

    def proceed_to_step(self, env: Env, line: st.Proceed) -> Run:
        """Goes on at a step; upwards at most so many times for each call."""
        if line.bound is not None:
            jumps = self.calls[-1].jumps
            bound_ = yield from self.evaluate_expression(env, line.bound)
            if jumps.get(line.address, 0) >= bound_:
                raise JudgedFault("RW0812")
            jumps[line.address] = jumps.get(line.address, 0) + 1
        raise ProceedToStep(line.step)

    def choose_branch(self, env: Env, line: st.If) -> Run:
        """The first branch whose condition holds."""
        for branch in line.branches:
            if (yield from self.evaluate_expression(env, branch.condition)):
                yield from self.play_lines(env, branch.block)
                return
        yield from self.play_lines(env, line.otherwise)

    def for_each(self, env: Env, line: st.ForEach) -> Run:
        """Members as they were on entry; those gone since, or failing `where` at their turn, are passed over."""
        source = line.binding.source
        found = list_items(self.world, source.type, (yield from self.evaluate_expression(env, source)))
        before = {kind: set(numbers) for kind, numbers in self.world.game.gone.items()}
        for item in found:
            if self.is_gone_since(source.type, item, before):
                continue
            env.update(bind_member(env, line.binding, item))
            if line.binding.where is not None and not (yield from self.evaluate_expression(env, line.binding.where)):
                continue
            try:
                yield from self.play_lines(env, line.block)
            except StopBlock:
                return

    def is_gone_since(self, source: Type, item: Any, before: dict[str, set[int]]) -> bool:
        """Whether a thing has gone out of play since a loop began."""
        match source:
            case SetType(item=ThingType(kind=kind)) | ListType(item=ThingType(kind=kind)):
                return item in self.world.game.gone[kind] and item not in before[kind]
            case _:
                return False

    def repeat_block(self, env: Env, line: st.Repeat) -> Run:
        """Tests before each round; at the bound it must no longer hold."""
        bound_ = yield from self.evaluate_expression(env, line.bound)
        rounds = 0
        while (yield from self.evaluate_expression(env, line.condition)):
            if rounds >= bound_:
                raise JudgedFault("RW0811")
            rounds += 1
            try:
                yield from self.play_lines(env, line.block)
            except StopBlock:
                return

    def find_innermost_call(self, name: str) -> Call:
        """The innermost running call of a procedure."""
        found = next((each for each in reversed(self.calls) if each.procedure.name == name), None)
        if found is None:
            raise JudgedFault("RW0819")
        return found

    def perform_line(self, env: Env, line: st.Perform) -> Run:
        """`perform`."""
        given = []
        for each in line.arguments:
            given.append((yield from self.evaluate_expression(env, each)))
        depth = None if line.depth is None else (yield from self.evaluate_expression(env, line.depth))
        deep = self.deep.get(line.address, 0)
        if depth is not None and deep >= depth:
            raise JudgedFault("RW0813")
        self.deep[line.address] = deep + 1
        try:
            result = yield from self.perform_procedure(
                self.program.procedures[line.procedure], tuple(given), line.steps
            )
        finally:
            self.deep[line.address] = deep
        if line.result is not None:
            env[line.result.index] = result

    def perform_external(self, env: Env, line: st.PerformExternal) -> Run:
        """A procedure of another text: its result and its changes are the answer."""
        given = []
        for each in line.arguments:
            given.append((yield from self.evaluate_expression(env, each)))
        result, changes = yield JudgeRequest("external", line.address, None, name=line.external, arguments=tuple(given))
        if line.result is not None:
            env[line.result.index] = result

        def write_changes() -> None:
            game = self.world.game
            for place, key, value in changes:
                owner, _, name = place.partition("/")
                if owner == "game":
                    game.game[name] = value
                elif name == "gone":
                    (game.gone[owner].add if value else game.gone[owner].discard)(key)
                else:
                    game.attributes[place][key] = value

        yield from self.apply_change(write_changes)

    def rank_into_variable(self, env: Env, line: st.Rank) -> Run:
        """Puts members in order."""
        env[line.variable.index] = yield from rank_members(self, env, line)


@contextmanager
def restore_on_failure(world: World) -> Iterator[None]:
    """Puts the game back where a fault or refusal ends a play."""
    before = world.game.copy()
    try:
        yield
    except (JudgedFault, Refusal):
        world.game = before
        raise
