"""What lines read and change, with all that they perform: places of the game, names of routines, faces of dice."""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine import graph as g
from rulewright.machine.liveness import Liveness
from rulewright.machine.ranking import SLOTS
from rulewright.machine.suspension import key
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program, Step, Watch
from rulewright.program.effects import Footprint, written_by
from rulewright.program.walk import expressions, parts, routines, shared_address
from rulewright.roles import children, nodes

Tokens = frozenset[str | int]
"""Places of the game as `effects` names them, names that watches share and `FACES`; as numbers slots of the frame."""
FACES = "faces of dice"
NOTHING: Tokens = frozenset()
_SLOTS = ((g.LoopStart, 3), (g.RepeatStart, 2), (g.AllStart, 2), (g.RankStart, SLOTS))
_WHOLE = (
    ex.Local,
    ex.Comprehension,
    ex.Quantifier,
    ex.TheOnly,
    ex.MakeRecord,
    ex.MakeTuple,
    ex.MakeCollection,
    ex.Part,
    ex.Entry,
    ex.Conditional,
    ex.Narrowed,
    ex.Membership,
)
"""Expressions that hand on dice, or tell which they are, whatever they show."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a line or a routine does."""

    writes: Tokens = NOTHING
    reads: Tokens = NOTHING
    sets: Tokens = NOTHING  # slots that it puts anew, whatever was there
    leads_out: bool = False  # whether it may end an outer call
    asks: frozenset[str] = frozenset()  # lines that ask for something, as `shared_address` has them


class LineEffects:
    """What the lines of one program do."""

    def __init__(self, program: Program, liveness: Liveness) -> None:
        self._program = program
        self._footprint = Footprint(program)
        self._may_hold_dice = liveness.may_hold_dice
        self._seeing: dict[str, bool] = {}
        self.routine = cache(self._routine)
        self.item = cache(self._item)
        self.own = cache(self._own)

    @cached_property
    def asking(self) -> frozenset[str]:
        """All lines that ask for something, as `shared_address` has them."""
        return frozenset(_asking(nodes(routines(self._program))))

    def led_to(self, line: object) -> Iterator[str]:
        """The keys of what a line performs or triggers."""
        events: tuple[str, ...] = ()
        match line:
            case st.Perform(procedure=procedure):
                yield f"procedure:{procedure}"
            case st.Trigger(event=event):
                events = (event,)
            case st.Remove(events=on_removal):
                events = on_removal
        for event in events:
            yield f"event:{event}"
            yield from (key(each) for each in self._program.handlers.values() if each.event == event)
            yield from (each for each, watch in self._watches.items() if watch.event == event)

    @cached_property
    def _watches(self) -> dict[str, Watch]:
        return {
            f"watch:{name}:{number}": each
            for name, procedure in self._program.procedures.items()
            for number, each in enumerate(procedure.opening)
            if isinstance(each, Watch)
        }

    def _routine(self, name: str) -> Effect:
        """What a procedure, handler, standing rule, event or watch does, by its key."""
        writes, reads, leads_out = set[str | int](), set[str | int](), False
        asks, known, waiting = set[str](), {name}, [name]
        while waiting:
            owner, body = self._body(waiting.pop())
            lines = [each for each in nodes(body) if isinstance(each, st.Line)]
            writes.update(*(self._written(each, owner) for each in lines))
            reads |= self._read(body, owner)
            asks.update(_asking(nodes(body)))
            leads_out |= any(isinstance(each, st.FinishOuter) for each in lines)
            fresh = {more for each in lines for more in self.led_to(each)} - known
            known |= fresh
            waiting += fresh
        return Effect(_shared(writes), _shared(reads), NOTHING, leads_out, frozenset(asks))

    def _body(self, name: str) -> tuple[str, Any]:
        """The procedure whose names it uses, and what is in it."""
        sort, _, rest = name.partition(":")
        program = self._program
        match sort:
            case "watch":
                return rest.partition(":")[0], self._watches[name]
            case "procedure":
                found = program.procedures[rest]
                return rest, (*(each for each in found.opening if not isinstance(each, Watch)), *found.steps)
            case "event":
                return "", program.events[rest]
            case _:
                return "", (program.handlers if sort == "handler" else program.rules)[rest]

    # Lines of blocks.

    def _item(self, item: Any, owner: str) -> Effect:
        """What an item of a block does, with all lines inside it."""
        for sort, count in _SLOTS:
            if isinstance(item, sort):
                slots: Tokens = frozenset(range(item.slot, item.slot + count))
                return Effect(slots, self._read(_outer(item.line), owner), slots)
        match item:
            case g.RankSort(line, _, slot) | g.RankEnd(line, slot):
                slots = frozenset(range(slot, slot + SLOTS))
                named = self.named([line.variable], owner) if isinstance(item, g.RankEnd) else NOTHING
                return Effect(slots | named, self._read(line, owner) | slots)
            case g.Gathered(line):
                answers = self.named([line.answers], owner)
                return Effect(answers, answers | self.named([line.question.variable], owner))
            case g.Changes(line=st.Line() as line) | (st.Line() as line):
                return self._whole(line, owner)
            case _:
                return Effect()

    def _whole(self, line: Any, owner: str) -> Effect:
        lines = [each for each in nodes(line) if isinstance(each, st.Line)]
        performed = [self.routine(name) for each in lines for name in self.led_to(each)]
        writes = NOTHING.union(*(self._written(each, owner) for each in lines))
        put = isinstance(line, st.Let | st.TallyLine | st.DecideLine) or (
            isinstance(line, st.Assign) and isinstance(line.place, st.VariablePlace)
        )
        return Effect(
            writes.union(*(each.writes for each in performed)),
            self._read(line, owner).union(*(each.reads for each in performed)),
            frozenset(each for each in writes if put and isinstance(each, int)),
            any(each.leads_out for each in performed),
        )

    def _own(self, node: Any, owner: str) -> Effect:
        """What a line does without the lines inside it, and a step or a condition."""
        if isinstance(node, Step):
            return Effect(NOTHING, self._read(node.guard, owner))
        writes = self._written(node, owner) if isinstance(node, st.Line) else NOTHING
        named = (each for each in _variables_of(node) if isinstance(each, ex.Variable))
        return Effect(writes | self.named(named, owner), self._read(_outer(node), owner) | _old(node))

    # Their parts.

    def named(self, variables: Iterable[ex.Variable], owner: str) -> Tokens:
        """Names of a procedure; those of handlers and standing rules have no owner."""
        heard = self._heard.get(owner, frozenset())
        numbers = {each.index for each in variables}
        return frozenset(f"{owner}:{each}" if each in heard else g.FIRST_SLOT + each for each in numbers)

    @cached_property
    def _heard(self) -> dict[str, frozenset[int]]:
        """The names of each procedure that its watches use."""
        return {
            name: frozenset(
                each.index
                for watch in procedure.opening
                for each in nodes(watch)
                if isinstance(watch, Watch) and isinstance(each, ex.Variable)
            )
            for name, procedure in self._program.procedures.items()
        }

    def _written(self, line: st.Line, owner: str) -> Tokens:
        changed = frozenset[str]()
        if isinstance(line, st.PerformExternal):
            changed = frozenset(self._program.external_procedures[line.external].changes)
        dice = {FACES} if isinstance(line, st.Roll | st.Reroll | st.Rank) else set[str]()
        place = (each for each in nodes(getattr(line, "place", None)) if isinstance(each, st.VariablePlace))
        named = (*_variables_of(line), *(each.variable for each in place))
        return changed | written_by(line) | dice | self.named(named, owner)  # type: ignore[arg-type]

    def _read(self, node: Any, owner: str) -> Tokens:
        places = NOTHING.union(self._footprint.reads(node), *(map(_old, nodes(node))))
        dice = {FACES} if any(map(self._sees, nodes(node))) else set[str]()
        return places | dice | self.named((each for each in nodes(node) if isinstance(each, ex.Variable)), owner)

    def _sees(self, node: object) -> bool:
        """Whether it looks at what dice show, but for what is in it."""
        holds = self._may_hold_dice
        match node:
            case ex.DieAttribute():
                return True
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                if name not in self._seeing:
                    self._seeing[name] = True
                    self._seeing[name] = any(map(self._sees, nodes(self._program.functions[name].body)))
                return self._seeing[name]
            case ex.Aggregate(value=value):
                return value is not None and holds(value.type)
            case ex.Joined() | ex.Arithmetic():
                return not holds(node.type) and any(holds(each.type) for each in parts(node))
            case ex.Typed():
                return not isinstance(node, _WHOLE) and any(holds(each.type) for each in parts(node))  # type: ignore[arg-type]
            case _:
                return False


def _asking(found: Iterable[Any]) -> Iterator[str]:
    for each in found:
        asks = isinstance(each, st.Ask | st.Roll | st.Reroll | st.Draw | st.Shuffle | st.PerformExternal)
        if asks or (isinstance(each, st.RankKey) and each.requests):
            yield shared_address(each.address)


def _variables_of(line: Any) -> Iterator[ex.Variable]:
    """The names that a line gives a value, but for those of its expressions."""
    yield from (each for each in children(line) if isinstance(each, ex.Variable))
    if isinstance(line, st.ForEach):
        yield from (each for each in line.binding.variables if each is not None)


def _outer(line: object) -> Any:
    return tuple(expressions(line))


def _old(node: object) -> Tokens:
    """The places that a line changes and of which it leaves something."""
    return written_by(node) if isinstance(node, st.AddAmount | st.AddMember | st.Draw | st.Shuffle) else NOTHING


def _shared(tokens: Iterable[str | int]) -> Tokens:
    return frozenset(each for each in tokens if isinstance(each, str))
