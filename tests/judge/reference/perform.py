"""Lines, steps, calls, windows and settling, in the words of the manual."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from reference import hexes, plane
from reference.asked import SORTS, Asked, endless, grid, legal
from reference.evaluate import (
    bound,
    collect,
    decide,
    evaluate,
    held,
    items,
    kind_of,
    members,
    tally,
)
from reference.ranking import rank
from reference.world import Die, Env, Faulty, Wanted, World, both
from rulewright.machine.values import Map, order_key
from rulewright.program import statements as st
from rulewright.program.declarations import (
    Event,
    Handler,
    Hold,
    Invariant,
    Need,
    Procedure,
    StandingRule,
    Step,
    Watch,
)
from rulewright.program.expressions import Expression
from rulewright.program.types import DeckType, ListType, PlaneType, SetType, ThingType, Type

Run = Generator[Asked, Any, Any]


class _Stop(Exception):
    """`stop`."""


class _Proceed(Exception):
    def __init__(self, step: str) -> None:
        super().__init__(step)
        self.step = step


class _Finish(Exception):
    def __init__(self, value: Any, *, given: bool) -> None:
        super().__init__()
        self.value = value
        self.given = given


class _FinishOuter(Exception):
    def __init__(self, call_: "Call", value: Any) -> None:
        super().__init__()
        self.call = call_
        self.value = value


class Refusal(Exception):
    """The first `needs` of the outermost procedure that does not hold."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


@dataclass(eq=False)
class Call:
    """A running procedure: its names, watches and holds, and how often its lines have jumped."""

    procedure: Procedure
    env: Env
    watches: list[Watch] = field(default_factory=list)
    holds: list[str] = field(default_factory=list)
    jumps: dict[str, int] = field(default_factory=dict)


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

    # Expressions, asking for what is missing.

    def value(self, env: Env, node: Expression) -> Run:
        """The value of an expression."""
        return (yield from self.computed(lambda: evaluate(self.world, env, node)))

    def computed(self, compute: Callable[[], Any]) -> Run:
        """What a computation gives; it begins anew whenever an external value was missing."""
        while True:
            try:
                return compute()
            except Wanted as wanted:
                answer = yield Asked("value", "", None, name=wanted.name, arguments=wanted.given)
                self.world.known[wanted.name, wanted.given] = answer

    # The outermost call.

    def play(self, name: str, arguments: tuple[Any, ...]) -> Run:
        """A play from its start; gives the result of the procedure."""
        procedure = self.program.procedures[name]
        self.invariants()
        yield from self.settle()
        return (yield from self.perform(procedure, arguments, None))

    def perform(self, procedure: Procedure, arguments: tuple[Any, ...], steps: tuple[str, str] | None) -> Run:
        """A call: opening lines as written, then the steps; holds end with it."""
        env = {each.index: value for each, value in zip(procedure.parameters, arguments, strict=True)}
        running = Call(procedure, env)
        self.calls.append(running)
        result = None
        ended_from_within = False
        try:
            yield from self.body(running, steps)
        except _Finish as finish:
            result = finish.value
        except _FinishOuter as finish:
            if finish.call is not running:
                raise
            result, ended_from_within = finish.value, True
        finally:
            self.calls.remove(running)
        if running.holds or ended_from_within:
            yield from self.settle()
        return result

    def body(self, running: Call, steps: tuple[str, str] | None) -> Run:
        """Opening lines and steps."""
        for each in running.procedure.opening:
            match each:
                case Need():
                    if (yield from self.computed(lambda each=each: held(self.world, running.env, each))) is False:
                        if len(self.calls) == 1:
                            raise Refusal(each.address)
                        raise Faulty("RW0809")
                case Hold():
                    running.holds += each.rules
                case Watch():
                    running.watches.append(each)
                case _:
                    yield from self.lines(running.env, each)
        yield from self.steps(running, steps)

    def steps(self, running: Call, steps: tuple[str, str] | None) -> Run:
        """The steps from the first on; leaving a performed range ends it."""
        ids = [each.id for each in running.procedure.steps]
        first, last = (0, len(ids) - 1) if steps is None else (ids.index(steps[0]), ids.index(steps[1]))
        at = first
        while first <= at <= last:
            try:
                yield from self.step(running, running.procedure.steps[at])
                at += 1
            except _Proceed as proceed:
                at = ids.index(proceed.step)

    def step(self, running: Call, step: Step) -> Run:
        """One step, passed over where its guard is false."""
        if step.guard is not None and not (yield from self.value(running.env, step.guard)):
            self.path.append(("passed over", step.address))
            return
        self.path.append(("step", step.address))
        self.world.reached.add((step.address, "entered"))
        yield from self.lines(running.env, step.block)

    # Lines.

    def lines(self, env: Env, block: st.Block | None) -> Run:
        """Lines in written order."""
        for line in block or ():
            yield from self.line(env, line)

    def changing(self, change: Callable[[], None]) -> Run:
        """A simple line; the state settles where it changed the game."""
        before = self.world.game.copy()
        change()
        if self.world.game != before:
            yield from self.changed()

    def changed(self) -> Run:
        """What follows from a change of the game."""
        self.world.known.clear()
        yield from self.settle()

    def line(self, env: Env, line: st.Statement) -> Run:
        """One line."""
        self.world.reached.add((line.address, "entered"))
        match line:
            case st.Let():
                if line.value is not None:
                    env[line.variable.index] = yield from self.value(env, line.value)
            case st.Assign():
                value = yield from self.value(env, line.value)
                place = yield from self.place(env, line.place)
                yield from self.changing(lambda: place.put(value))
            case st.AddAmount():
                yield from self.add_amount(env, line)
            case st.AddMember():
                yield from self.add_member(env, line)
            case st.AddPair():
                a = yield from self.value(env, line.first)
                b = yield from self.value(env, line.second)
                pairs = self.world.game.relations[line.relation]
                mirrored = both(a, b, symmetric=self.program.relations[line.relation].symmetric)
                update = pairs.difference_update if line.take else pairs.update
                yield from self.changing(lambda: update(mirrored))
            case st.Move() | st.PlaceThing() if self.on_plane(line.kind):
                yield from self.put_down(env, line)
            case st.Move() | st.PlaceThing():
                thing = yield from self.value(env, line.thing)
                where = yield from self.value(env, line.destination if isinstance(line, st.Move) else line.spot)
                self.in_play(line.kind, thing)
                if where is not None and not self.world.on_board(where):
                    raise Faulty("RW0820")
                yield from self.changing(lambda: self.put_attribute(line.kind, "at", thing, where))
            case st.Turn():
                yield from self.turn(env, line)
            case st.Remove():
                yield from self.remove(env, line)
            case st.Together():
                yield from self.together_block(env, line)
            case st.If():
                yield from self.choose_branch(env, line)
            case st.Match():
                subject = yield from self.value(env, line.subject)
                for case in line.cases:
                    if any(evaluate(self.world, env, each) == subject for each in case.values):
                        yield from self.lines(env, case.block)
                        break
            case st.ForEach():
                yield from self.for_each(env, line)
            case st.Repeat():
                yield from self.repeat(env, line)
            case st.Nothing() | st.Ruling() | st.Reveal():
                pass
            case st.AskAll():
                yield from self.ask_all(env, line)
            case st.Stop():
                raise _Stop
            case st.Proceed():
                yield from self.proceed(env, line)
            case st.Finish():
                value = None if line.value is None else (yield from self.value(env, line.value))
                raise _Finish(value, given=line.value is not None)
            case st.FinishOuter():
                value = None if line.value is None else (yield from self.value(env, line.value))
                raise _FinishOuter(self.innermost(line.procedure), value)
            case st.Perform():
                yield from self.perform_line(env, line)
            case st.PerformExternal():
                yield from self.perform_external(env, line)
            case st.Trigger():
                given = []
                for each in line.arguments:
                    given.append((yield from self.value(env, each)))
                gained = yield from self.trigger(self.program.events[line.event], tuple(given), line.address)
                if line.result is not None:
                    env[line.result.index] = gained
            case st.TallyLine():
                env[line.variable.index] = yield from self.computed(
                    lambda: tally(
                        self.world, env, line.variable.index, evaluate(self.world, env, line.start), line.rows
                    )
                )
            case st.DecideLine():
                env[line.variable.index] = yield from self.computed(lambda: decide(self.world, env, line.rows))
            case st.Rank():
                yield from self.rank(env, line)
            case st.Roll():
                yield from self.roll(env, line)
            case st.Reroll():
                yield from self.reroll(env, line)
            case st.Draw():
                yield from self.draw(env, line)
            case st.Shuffle():
                place = yield from self.place(env, line.place)
                if len(place.get()) > 1:
                    mixed = yield Asked("shuffle", line.address, None, items=place.get())
                    yield from self.changing(lambda: place.put(mixed))
            case st.Ask():
                yield from self.ask(env, line)

    def proceed(self, env: Env, line: st.Proceed) -> Run:
        """Goes on at a step; upwards at most so many times for each call."""
        if line.bound is not None:
            jumps = self.calls[-1].jumps
            bound_ = yield from self.value(env, line.bound)
            if jumps.get(line.address, 0) >= bound_:
                raise Faulty("RW0812")
            jumps[line.address] = jumps.get(line.address, 0) + 1
        raise _Proceed(line.step)

    def choose_branch(self, env: Env, line: st.If) -> Run:
        """The first branch whose condition holds."""
        for branch in line.branches:
            if (yield from self.value(env, branch.condition)):
                yield from self.lines(env, branch.block)
                return
        yield from self.lines(env, line.otherwise)

    def for_each(self, env: Env, line: st.ForEach) -> Run:
        """Members as they were on entry; those gone since, or failing `where` at their turn, are passed over."""
        source = line.binding.source
        found = items(self.world, source.type, (yield from self.value(env, source)))
        before = {kind: set(numbers) for kind, numbers in self.world.game.gone.items()}
        for item in found:
            if self.gone_since(source.type, item, before):
                continue
            env.update(bound(env, line.binding, item))
            if line.binding.where is not None and not (yield from self.value(env, line.binding.where)):
                continue
            try:
                yield from self.lines(env, line.block)
            except _Stop:
                return

    def gone_since(self, source: Type, item: Any, before: dict[str, set[int]]) -> bool:
        """Whether a thing has gone out of play since a loop began."""
        match source:
            case SetType(item=ThingType(kind=kind)) | ListType(item=ThingType(kind=kind)):
                return item in self.world.game.gone[kind] and item not in before[kind]
            case _:
                return False

    def repeat(self, env: Env, line: st.Repeat) -> Run:
        """Tests before each round; at the bound it must no longer hold."""
        bound_ = yield from self.value(env, line.bound)
        rounds = 0
        while (yield from self.value(env, line.condition)):
            if rounds >= bound_:
                raise Faulty("RW0811")
            rounds += 1
            try:
                yield from self.lines(env, line.block)
            except _Stop:
                return

    # Changes.

    def put_attribute(self, kind: str, name: str, thing: int, value: Any) -> None:
        """Gives a thing an attribute."""
        self.world.game.attributes[f"{kind}/{name}"][thing] = value

    def in_play(self, kind: str, thing: int) -> None:
        """Only things in play move, turn and are placed."""
        if thing in self.world.game.gone[kind]:
            raise Faulty("RW0815")

    def place(self, env: Env, place: st.Place) -> Generator[Asked, Any, "_Cell"]:
        """Where a line puts something."""
        world = self.world
        match place:
            case st.VariablePlace():
                return _Cell(env, place.variable.index)
            case st.GamePlace():
                return _Cell(world.game.game, place.name)
            case st.AttributePlace():
                thing = yield from self.value(env, place.target)
                return _Cell(world.game.attributes[f"{place.kind}/{place.name}"], thing)
            case st.CellPlace():
                cell = yield from self.value(env, place.target)
                start = world.begins(place.board, place.name)
                default = None if start is None else evaluate(world, {}, start)
                entries = world.game.cells.setdefault(f"{place.board}/{place.name}", {})
                return _CellAttribute(entries, cell, default)
            case st.EntryPlace():
                outer = yield from self.place(env, place.target)
                return _Entry(outer, (yield from self.value(env, place.key)))
            case st.PartPlace():
                return _Part((yield from self.place(env, place.target)), place.position)

    def add_amount(self, env: Env, line: st.AddAmount) -> Run:
        """`add` and `take` of numbers, at a bound `up to`, `else`, or a fault."""
        amount = yield from self.value(env, line.amount)
        place = yield from self.place(env, line.place)
        wanted = place.get() + (-amount if line.take else amount)
        low = wanted if line.low is None else max(line.low, wanted)
        nearest = low if line.high is None else min(line.high, low)
        if line.up_to or nearest == wanted:
            yield from self.changing(lambda: place.put(nearest))
        elif line.otherwise is not None:
            yield from self.lines(env, line.otherwise)
        else:
            raise Faulty("RW0803")

    def add_member(self, env: Env, line: st.AddMember) -> Run:
        """`add` and `take` of members."""
        member = yield from self.value(env, line.member)
        place = yield from self.place(env, line.place)
        held_ = list(place.get())
        type_ = place_type(line.place)
        if line.take and member not in held_:
            if isinstance(type_, SetType) and line.otherwise is None:
                return
            if line.otherwise is None:
                raise Faulty("no member")
            yield from self.lines(env, line.otherwise)
            return
        if line.take:
            held_.remove(member)
        else:
            held_.append(member)
        yield from self.changing(lambda: place.put(collect(type_, held_)))

    def on_plane(self, kind: str) -> bool:
        """Whether things of a kind have their places on the plane."""
        types = {each.name: each.type for each in self.program.kinds[kind].fields}
        return PlaneType("point") in (types["at"], getattr(types["at"], "inner", None))

    def put_down(self, env: Env, line: st.Move | st.PlaceThing) -> Run:
        """`move` to a point, `place` at a pose with its facing, or off the board."""
        thing = yield from self.value(env, line.thing)
        spot = yield from self.value(env, line.destination if isinstance(line, st.Move) else line.spot)
        self.in_play(line.kind, thing)
        at, facing = (spot, None) if isinstance(line, st.Move) or spot is None else (spot[1], spot[2])
        extent = self.world.start.base.plane
        ends = (extent.width, extent.depth)
        if at is not None and any(end is not None and not 0 <= each <= end for each, end in zip(at, ends, strict=True)):
            raise Faulty("RW0820")

        def put() -> None:
            self.put_attribute(line.kind, "at", thing, at)
            if facing is not None and f"{line.kind}/facing" in self.world.game.attributes:
                self.put_attribute(line.kind, "facing", thing, facing)

        yield from self.changing(put)

    def turn(self, env: Env, line: st.Turn) -> Run:
        """`turn … to` and `turn … to face`."""
        thing = yield from self.value(env, line.thing)
        heading = yield from self.value(env, line.heading)
        self.in_play(line.kind, thing)
        if line.face and self.on_plane(line.kind):
            faced = plane.body(self.world, heading, line.heading.type)
            heading = plane.bearing(plane.body(self.world, thing, line.thing.type), faced)
        elif line.face:
            here = self.world.game.attributes[f"{line.kind}/at"][thing]
            if here == heading or here is None:
                raise Faulty("RW0806")
            heading = hexes.direction(here, heading, grid(self.world))
        yield from self.changing(lambda: self.put_attribute(line.kind, "facing", thing, heading))

    def remove(self, env: Env, line: st.Remove) -> Run:
        """Out of play; windows on removal come right after, or after the block of a `together`."""
        thing = yield from self.value(env, line.thing)
        if thing in self.world.game.gone[line.kind]:
            return
        self.world.game.gone[line.kind].add(thing)
        self.world.known.clear()
        if self.together:
            self.postponed += [(event, thing) for event in line.events]
            return
        for event in line.events:
            yield from self.trigger(self.program.events[event], (thing,), line.address)
        yield from self.settle()

    def together_block(self, env: Env, line: st.Together) -> Run:
        """Nothing settles between its lines."""
        self.quiet += 1
        self.together += 1
        before = self.world.game.copy()
        try:
            yield from self.lines(env, line.block)
        finally:
            self.quiet -= 1
            self.together -= 1
        if not self.together:
            postponed, self.postponed = self.postponed, []
            for event, thing in postponed:
                yield from self.trigger(self.program.events[event], (thing,), line.address)
        if self.world.game != before:
            yield from self.settle()

    # Calls.

    def innermost(self, name: str) -> Call:
        """The innermost running call of a procedure."""
        found = next((each for each in reversed(self.calls) if each.procedure.name == name), None)
        if found is None:
            raise Faulty("RW0819")
        return found

    def perform_line(self, env: Env, line: st.Perform) -> Run:
        """`perform`."""
        given = []
        for each in line.arguments:
            given.append((yield from self.value(env, each)))
        depth = None if line.depth is None else (yield from self.value(env, line.depth))
        deep = self.deep.get(line.address, 0)
        if depth is not None and deep >= depth:
            raise Faulty("RW0813")
        self.deep[line.address] = deep + 1
        try:
            result = yield from self.perform(self.program.procedures[line.procedure], tuple(given), line.steps)
        finally:
            self.deep[line.address] = deep
        if line.result is not None:
            env[line.result.index] = result

    def perform_external(self, env: Env, line: st.PerformExternal) -> Run:
        """A procedure of another text: its result and its changes are the answer."""
        given = []
        for each in line.arguments:
            given.append((yield from self.value(env, each)))
        result, changes = yield Asked("external", line.address, None, name=line.external, arguments=tuple(given))
        if line.result is not None:
            env[line.result.index] = result

        def change() -> None:
            game = self.world.game
            for place, key, value in changes:
                owner, _, name = place.partition("/")
                if owner == "game":
                    game.game[name] = value
                elif name == "gone":
                    (game.gone[owner].add if value else game.gone[owner].discard)(key)
                else:
                    game.attributes[place][key] = value

        yield from self.changing(change)

    # Windows.

    def trigger(self, event: Event, given: tuple[Any, ...], address: str) -> Run:
        """Watches, outermost first; then handlers, by owner in the event's order; gives what they finished with."""
        for running in list(self.calls):
            for watch in running.watches:
                if watch.event == event.name:
                    yield from self.tell(running, watch, given)
        waiting = yield from self.collect(event, given)
        gained: list[Any] = []
        for owner in self.owners(event, given, waiting):
            group = [each for each in waiting if self.owner(*each) == owner]
            if event.first_taker:
                if (yield from self.takes(group, given, address, owner, gained)):
                    break
                continue
            if len(group) > 1:
                labels = tuple(self.label(*each) for each in group)
                order = yield Asked("handlers", address, owner, items=labels)
                group = [group[labels.index(each)] for each in order]
            for handler, item in group:
                yield from self.handle(handler, item, given, owner, gained)
        return tuple(gained)

    def takes(
        self, group: list[tuple[Handler, Any]], given: tuple[Any, ...], address: str, owner: Any, gained: list[Any]
    ) -> Run:
        """One player takes a handler, or none where every one is optional; whether one ran."""
        open_ = []
        for handler, item in group:
            env = bound(self.handler_env(handler, given), handler.binding, item)
            if handler.guard is None or (yield from self.value(env, handler.guard)):
                open_.append((handler, item))
        if not open_:
            return False
        may_pass = not [each for each, _ in open_ if not each.optional]
        taken = open_[0]
        if len(open_) > 1:
            numbers = (*range(len(open_)), None) if may_pass else tuple(range(len(open_)))
            number = yield Asked("taker", address, owner, legal=numbers)
            if number is None:
                return False
            taken = open_[number]
        elif may_pass and not (yield Asked("handler", taken[0].name, owner, legal=(True, False))):
            return False
        yield from self.run_handler(*taken, given, gained)
        return True

    def tell(self, running: Call, watch: Watch, given: tuple[Any, ...]) -> Run:
        """A watch hears of an event; it changes names of its call only."""
        running.env.update({each.index: value for each, value in zip(watch.parameters, given, strict=True)})
        if watch.guard is None or (yield from self.value(running.env, watch.guard)):
            yield from self.lines(running.env, watch.block)

    def collect(self, event: Event, given: tuple[Any, ...]) -> Run:
        """Handlers in file order, each with the holders whose `when` holds."""
        if event.holders is None:
            return []
        env = self.event_env(event, given)
        holders = yield from self.value(env, event.holders)
        waiting = []
        for handler in self.program.handlers.values():
            if handler.event != event.name:
                continue
            inside = self.handler_env(handler, given)
            found = yield from self.computed(
                lambda handler=handler, inside=inside: list(members(self.world, inside, handler.binding))
            )
            for item, inner in found:
                if item in holders and (handler.guard is None or (yield from self.value(inner, handler.guard))):
                    waiting.append((handler, item))
        return waiting

    def event_env(self, event: Event, given: tuple[Any, ...]) -> Env:
        """An event's parameters."""
        return {each.index: value for each, value in zip(event.parameters, given, strict=True)}

    def handler_env(self, handler: Handler, given: tuple[Any, ...]) -> Env:
        """A handler's names: the first are the event's parameters."""
        return {each.index: value for each, value in zip(handler.variables, given, strict=False)}

    def owner(self, handler: Handler, item: Any) -> Any:
        """Whose handler it is: the owner of the holder, or the player that holds it."""
        kind = kind_of(handler.binding.variables[0].type)  # type: ignore[union-attr]
        return item if kind == "player" else self.world.game.attributes[f"{kind}/owner"][item]

    def owners(self, event: Event, given: tuple[Any, ...], waiting: list[tuple[Handler, Any]]) -> list[Any]:
        """Owners in the event's order, those it does not list last."""
        env = self.event_env(event, given)
        listed = () if event.order is None else evaluate(self.world, env, event.order)
        owning = {self.owner(*each) for each in waiting}
        return [each for each in dict.fromkeys((*listed, *sorted(owning))) if each in owning]

    def label(self, handler: Handler, item: Any) -> str:
        """What an order of handlers is told by."""
        kind = kind_of(handler.binding.variables[0].type)  # type: ignore[union-attr]
        return f"{handler.name}: {self.world.start.base.things[kind][item]}"

    def handle(self, handler: Handler, item: Any, given: tuple[Any, ...], owner: Any, gained: list[Any]) -> Run:
        """One handler of a window: asked where it is optional, tested again, run, settled."""
        env = bound(self.handler_env(handler, given), handler.binding, item)
        if handler.optional and not (yield Asked("handler", handler.name, owner, legal=(True, False))):
            return
        if handler.guard is not None and not (yield from self.value(env, handler.guard)):
            return
        yield from self.run_handler(handler, item, given, gained)

    def run_handler(self, handler: Handler, item: Any, given: tuple[Any, ...], gained: list[Any]) -> Run:
        """A handler and the settling after it."""
        env = bound(self.handler_env(handler, given), handler.binding, item)
        try:
            yield from self.lines(env, handler.block)
        except _Finish as finish:
            if finish.given:
                gained.append(finish.value)
        yield from self.settle()

    # Settling.

    def held_rules(self) -> set[str]:
        """Standing rules that wait."""
        return {name for running in self.calls for name in running.holds}

    def settle(self) -> Run:
        """Fires standing rules until none applies, then judges the invariants."""
        if self.quiet:
            return
        while (found := (yield from self.applicable())) is not None:
            rule, env = found
            before = self.measure()
            self.quiet += 1
            try:
                yield from self.lines(env, rule.block)
            except _Finish:
                pass
            finally:
                self.quiet -= 1
            self.world.known.clear()
            if not self.measure() < before:
                raise Faulty("RW0814")
        if not any(running.holds for running in self.calls):
            self.invariants()

    def rules(self) -> list[StandingRule]:
        """Standing rules by rising priority, then file order."""
        return sorted(self.program.rules.values(), key=lambda rule: rule.priority)

    def applicable(self) -> Run:
        """The first rule whose `when` holds, with its names."""
        for rule in self.rules():
            if rule.name in self.held_rules():
                continue
            for env in self.rounds(rule):
                if (yield from self.value(env, rule.condition)):
                    return rule, env
        return None

    def rounds(self, rule: StandingRule | Invariant) -> Iterator[Env]:
        """The names inside, once for each member of the binding."""
        if rule.binding is None:
            yield {}
            return
        for _, inner in members(self.world, {}, rule.binding):
            yield inner

    def measure(self) -> list[Any]:
        """What every firing must lower."""
        return [evaluate(self.world, {}, rule.lowers) for rule in self.rules()]

    def invariants(self) -> None:
        """Every `always`."""
        for each in self.program.invariants.values():
            for env in self.rounds(each):
                judged = each.guard is None or evaluate(self.world, env, each.guard)
                if judged and not evaluate(self.world, env, each.condition):
                    raise Faulty("RW0810")

    # Decisions.

    def ask(self, env: Env, line: st.Ask) -> Run:
        """A question, forced where one answer is legal; then the block or `else`."""
        who = yield from self.value(env, line.who)
        asked = endless(self.world, env, line, who)
        if asked is not None:
            yield from self.ask_endless(env, line, asked)
            return
        found, parts = yield from self.computed(lambda: legal(self.world, env, line))
        if not found:
            if line.otherwise is None:
                raise Faulty("RW0808")
            yield from self.lines(env, line.otherwise)
            return
        answer = found[0]
        if len(found) > 1:
            answer = yield Asked(SORTS[type(line.shape)], line.address, who, legal=found, items=parts)
        env[line.variable.index] = answer
        if isinstance(line.shape, st.Choose):
            option = next(each for each in line.shape.options if each.id == answer)
            self.world.reached.add((option.address, "taken"))
            yield from self.lines(env, option.block)
        elif isinstance(line.shape, st.Whether) and not answer:
            yield from self.lines(env, line.otherwise)
        else:
            yield from self.lines(env, line.block)

    def ask_endless(self, env: Env, line: st.Ask, asked: Asked) -> Run:
        """Where to place a thing or how to turn it: always asked; the answer may be that there is none."""
        answer = yield asked
        if answer is not None:
            env[line.variable.index] = answer
            yield from self.lines(env, line.block)
        elif line.otherwise is None:
            raise Faulty("RW0808")
        else:
            yield from self.lines(env, line.otherwise)

    def ask_all(self, env: Env, line: st.AskAll) -> Run:
        """Every player is asked as if alone; nothing happens before the last has answered."""
        players = yield from self.value(env, line.players.source)
        given: list[tuple[int, Any]] = []
        for player in players:
            alone = bound(env, line.players, player)
            yield from self.ask(alone, line.question)
            given.append((player, alone[line.question.variable.index]))
        env[line.answers.index] = Map.of(None, given)

    # Chance.

    def faces(self, env: Env, die: st.Die) -> tuple[Any, ...]:
        """The faces of a die."""
        if isinstance(die, st.ComputedDie):
            return tuple(range(1, evaluate(self.world, env, die.faces) + 1))
        if isinstance(die, st.NumberedDie):
            return tuple(range(1, die.faces + 1))
        return tuple(evaluate(self.world, {}, each) for each in self.program.dice[die.name].faces)

    def thrower(self, env: Env, by: Expression | None) -> Run:
        """Who rolls."""
        return None if by is None else (yield from self.value(env, by))

    def roll(self, env: Env, line: st.Roll) -> Run:
        """First faces of all parts in order; then keep and drop, part by part and of the whole."""
        thrown: list[tuple[st.Dice, tuple[Any, ...]]] = []
        for part in line.parts:
            count = 1 if part.count is None else max(0, (yield from self.value(env, part.count)))
            thrown += [(part, self.faces(env, part.die))] * count
        who = yield from self.thrower(env, line.by)
        answers: tuple[Any, ...] = ()
        if thrown:
            answers = yield Asked("roll", line.address, who, faces=tuple(faces for _, faces in thrown))
        dice = [
            Die(faces, face, face, _die_name(part.die)) for (part, faces), face in zip(thrown, answers, strict=True)
        ]
        groups = [
            (part.options, [die for die, (owner, _) in zip(dice, thrown, strict=True) if owner is part])
            for part in line.parts
        ]
        groups.append((line.options, list(dice)))
        for options, group in groups:
            for option in options:
                yield from self.apply(env, option, group)
        for options, group in groups:
            for option in options:
                if option.word == "explode":
                    dice += yield from self.explode(env, option, group, Asked("roll", line.address, who))
        self.world.rolls.append(dice)
        number = len(self.world.rolls) - 1
        single = len(line.parts) == 1 and line.parts[0].count is None
        env[line.variable.index] = (number, 0) if single else number

    def apply(self, env: Env, option: st.RollOption, dice: list[Die]) -> Run:
        """`keep`, `drop` or `tagged`; equal faces keep the earlier die."""
        value = yield from self.value(env, option.value)
        if option.word == "tagged":
            for die in dice:
                die.tag = value
            return
        if option.word == "explode":
            return
        standing = [die for die in dice if die.kept]
        best = sorted(standing, key=lambda die: order_key(die.first), reverse=option.best == "highest")
        chosen = best[:value]
        if option.word == "drop":
            worst = sorted(standing, key=lambda die: order_key(die.first), reverse=option.best == "highest")
            dropped = {id(die) for die in worst[:value]}
        else:
            dropped = {id(die) for die in standing} - {id(die) for die in chosen}
        for die in dice:
            die.kept = die.kept and id(die) not in dropped

    def explode(self, env: Env, option: st.RollOption, dice: list[Die], asked: Asked) -> Run:
        """Kept dice that show the face bring more dice, one after another, each to its end."""
        wanted = yield from self.value(env, option.value)
        most = None if option.bound is None else (yield from self.value(env, option.bound))
        more: list[Die] = []
        for die in [each for each in dice if each.kept]:
            face, rounds = die.first, 0
            while face == wanted and (most is None or rounds < most):
                (face,) = yield replace(asked, faces=(die.faces,))
                rounds += 1
                more.append(Die(die.faces, face, face, die.name, tag=die.tag))
        return more

    def reroll(self, env: Env, line: st.Reroll) -> Run:
        """Dice again, in place, in their order."""
        value = yield from self.value(env, line.dice)
        match value:
            case int():
                dice = list(self.world.rolls[value])
            case (int(roll), int(place)):
                dice = [self.world.rolls[roll][place]]
            case _:
                dice = [self.world.rolls[roll][place] for roll, place in value]
        who = yield from self.thrower(env, line.by)
        if not dice:
            return
        answers = yield Asked("roll", line.address, who, faces=tuple(die.faces for die in dice))
        for die, face in zip(dice, answers, strict=True):
            die.face = face
            die.rerolls += 1

    def draw(self, env: Env, line: st.Draw) -> Run:
        """A random member, the top of a deck, or the key of an entry of a map; one member is no chance."""
        place = yield from self.place(env, line.place)
        before = place.get()
        held_ = list(before)
        if not held_:
            if line.otherwise is None:
                raise Faulty("RW0808")
            yield from self.lines(env, line.otherwise)
            return
        type_ = place_type(line.place)
        drawn = held_[0]
        if len(set(held_)) > 1 and not isinstance(type_, DeckType):
            drawn = yield Asked("draw", line.address, None, items=tuple(held_))
        env[line.variable.index] = drawn
        if isinstance(before, Map):
            rest: Any = Map.of(before.default, [(key, before[key]) for key in before if key != drawn])
        else:
            held_.remove(drawn)
            rest = collect(type_, held_)
        yield from self.changing(lambda: place.put(rest))

    def rank(self, env: Env, line: st.Rank) -> Run:
        """Puts members in order."""
        env[line.variable.index] = yield from rank(self, env, line)


def _die_name(die: st.Die) -> str:
    return die.name if isinstance(die, st.NamedDie) else ""


def place_type(place: st.Place) -> Type:
    """The type of what a place holds."""
    return place.variable.type if isinstance(place, st.VariablePlace) else place.type


@dataclass
class _Cell:
    """A slot of a dictionary."""

    holder: Any
    key: Any

    def get(self) -> Any:
        return self.holder[self.key]

    def put(self, value: Any) -> None:
        self.holder[self.key] = value


@dataclass
class _CellAttribute(_Cell):
    """An attribute of a cell; the start value is no entry."""

    default: Any

    def get(self) -> Any:
        return self.holder.get(self.key, self.default)

    def put(self, value: Any) -> None:
        if value == self.default:
            self.holder.pop(self.key, None)
        else:
            self.holder[self.key] = value


@dataclass
class _Entry(_Cell):
    """An entry of a map or list held elsewhere."""

    def get(self) -> Any:
        held_ = self.holder.get()
        if isinstance(held_, Map):
            return held_[self.key]
        if not 1 <= self.key <= len(held_):
            raise Faulty("RW0806")
        return held_[self.key - 1]

    def put(self, value: Any) -> None:
        held_ = self.holder.get()
        if isinstance(held_, Map):
            self.holder.put(held_.put(self.key, value))
            return
        self.get()
        self.holder.put((*held_[: self.key - 1], value, *held_[self.key :]))


@dataclass
class _Part(_Cell):
    """A part of a record held elsewhere."""

    def get(self) -> Any:
        return self.holder.get()[self.key]

    def put(self, value: Any) -> None:
        held_ = self.holder.get()
        self.holder.put((*held_[: self.key], value, *held_[self.key + 1 :]))


@contextmanager
def unchanged(world: World) -> Iterator[None]:
    """Puts the game back where a fault or refusal ends a play."""
    before = world.game.copy()
    try:
        yield
    except (Faulty, Refusal):
        world.game = before
        raise
