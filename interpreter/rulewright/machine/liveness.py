"""What a frame may still read from a block on, and how: names that are dead, dice that are only looked at.

A place is spent where it holds nothing (0 or no) for every thing and no line anywhere raises it: what happens only
while it holds something can happen no more. Liveness is computed for a set of spent places.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import Any

from rulewright.machine import graph as g
from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.lower import flow_key, lower
from rulewright.machine.ranking import SLOTS
from rulewright.machine.suspension import framing, key
from rulewright.machine.world import FlowTable
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Handler, Hold, Need, Procedure, Program, StandingRule, Watch
from rulewright.program.effects import (
    TOLD,
    Look,
    Looks,
    Reading,
    Reads,
    given,
    holds_dice,
    joined,
    over_dice,
    seen_again,
)
from rulewright.program.expressions import Variable
from rulewright.program.in_any_order import added_up
from rulewright.program.walk import inside, may_hold, root_of, routines
from rulewright.roles import children, nodes

Spent = frozenset[str]


@dataclass(frozen=True, slots=True)
class Plan:
    """How the slots that a frame may still read are compared.

    What a slot holds is `dice` for a name that may hold some, `number` for one that holds a number, `numbers` for one
    that may hold some inside, `members` for those of a loop that are left, by their type, `rounds` for the count of a
    loop that promises to end after `MANY_ROUNDS` or more; what is not a value has no word.
    """

    slots: frozenset[int]  # all of them
    plain: Callable[[list[Any]], tuple[Any, ...]]  # gives what a frame begins with, and any other name as it is
    rest: tuple[
        tuple[int, str, ty.Type | None, Looks], ...
    ]  # slots with what they hold, and what is still seen of dice


MANY_ROUNDS = 100
"""From so many rounds on the bound of a loop is a promise that it ends, not a rule of the game."""

_NUMERIC: Mapping[type, str] = {
    **dict.fromkeys(ty.NUMERIC, "number"),
    **dict.fromkeys((ty.OptionalType, ty.RecordType, ty.MapType), "numbers"),
}

_CERTAIN = (
    ex.Local,
    ex.Literal,
    ex.WordLiteral,
    ex.DieAttribute,
    ex.Comprehension,
    ex.Joined,
    ex.Comparison,
    ex.Logical,
    ex.Not,
    ex.Quantifier,
    ex.MakeCollection,
    ex.MakeTuple,
)
"""Expressions that never fail and read nothing but names."""


_HELD = (*ty.NUMERIC, ty.WordType, ty.FlagType)
"""What names hold that looks at dice may hold."""


class Liveness:
    """What frames of one program may still read."""

    def __init__(self, program: Program, tables: Sequence[FlowTable], *, even: bool = False) -> None:
        """`even` says whether players take dice that look alike for the same when they choose some."""
        self._program = program
        self._even = even
        self._reading = Reading(program)
        self._tables = tables
        self._flows: dict[str, _Flow | None] = {}
        self._live: dict[tuple[str, Spent], list[Reads] | None] = {}
        self._plans: dict[tuple[int, int, Spent], Plan | None] = {}
        self._throws_again = any(isinstance(each, st.Reroll) for each in nodes(tuple(routines(program))))

    @cached_property
    def falling(self) -> Spent:
        """Stored attributes, as `Kind/name`, that every line leaves alone, lowers, or sets to 0 or no."""
        found = {
            f"{kind.name}/{each.name}"
            for kind in self._program.kinds.values()
            for each in kind.fields
            if isinstance(each.type, ty.FlagType)
            or (isinstance(each.type, ty.NumberType) and (each.type.low or 0) >= 0)
        }
        for external in self._program.external_procedures.values():
            found.difference_update(external.changes)
        for node in nodes(tuple(routines(self._program))):
            found.discard(_raised(node))
        return frozenset(found)

    def at(self, flow: int, block: int, spent: Spent) -> Reads | None:
        """By slot what a frame of a flow may read from a block on; none where everything is to be kept."""
        return self.after(flow, block - self._tables[flow].entry, spent)

    def plan(self, flow: int, block: int, spent: Spent) -> Plan | None:
        """How the slots that `at` names are compared; none where everything is."""
        known = flow, block, spent
        if known not in self._plans:
            reads = self.at(flow, block, spent)
            found = [] if reads is None else [*self._planned(flow, reads)]
            plain = itemgetter(*range(FIRST_SLOT), *(slot for slot, how, *_ in found if how == "value"))
            rest = tuple(each for each in found if each[1] != "value")
            self._plans[known] = None if reads is None else Plan(frozenset(reads), plain, rest)
        return self._plans[known]

    def _planned(self, flow: int, reads: Reads) -> Iterator[tuple[int, str, ty.Type | None, Looks]]:
        table = self._tables[flow]
        sources, rounds = dict(table.cursors), self.rounds(flow)
        for slot in sorted(reads):
            index = slot - FIRST_SLOT
            if index < len(table.variables):
                type_: ty.Type | None = table.variables[index].type
                how = "dice" if type_ is None or self.may_hold_dice(type_) else _NUMERIC.get(type(type_), "value")
                yield slot, how, type_, reads[slot]
            elif slot in sources:
                yield slot, "members", ty.member_type(sources[slot].type), reads[slot]
            elif slot in rounds:
                yield slot, "rounds", None, reads[slot]
            else:
                yield slot, "", None, reads[slot]

    def rounds(self, flow: int) -> Mapping[int, int]:
        """The slots in which a flow counts rounds of loops with a bound of `MANY_ROUNDS` or more, with that bound."""
        found = self._flow(self._tables[flow].key)
        return {} if found is None else found.rounds

    def may_hold_dice(self, type_: ty.Type) -> bool:
        """Whether a value of a type may hold dice."""
        return may_hold(type_, (ty.DieType, ty.PoolType), self._program)

    def block(self, flow: int, block: int) -> g.Block:
        """A block of a flow that runs in frames."""
        return self.blocks(flow)[block - self._tables[flow].entry]

    def blocks(self, flow: int) -> Sequence[g.Block]:
        """The blocks of a flow; none of one that never stops."""
        found = self.graph(self._tables[flow].key)
        return () if found is None else found.blocks

    def graph(self, name: str) -> g.Flow | None:
        """The graph of a routine by its key; none of one that never stops."""
        found = self._flow(name)
        return None if found is None else found.graph

    def after(self, flow: int, block: int, spent: Spent) -> Reads | None:
        """As `at`, for a block by its number in the flow."""
        live = self._blocks(self._tables[flow].key, spent)
        return None if live is None else live[block]

    def _flow(self, name: str) -> "_Flow | None":
        if not self._flows:
            judged = framing(self._program)
            for routine in routines(self._program):
                self._flows[key(routine)] = _Flow(routine, lower(routine, judged)) if judged.framed(routine) else None
            for each in nodes(tuple(routines(self._program))):
                if isinstance(each, st.Perform) and each.steps is not None:
                    procedure = self._program.procedures[each.procedure]
                    graph = lower(procedure, judged, each.steps) if judged.framed(procedure) else None
                    self._flows[flow_key(procedure, each.steps)] = None if graph is None else _Flow(procedure, graph)
        return self._flows[name]

    def _blocks(self, name: str, spent: Spent) -> list[Reads] | None:
        """What is read from each block on; none while it is being found, and of plain routines."""
        if (name, spent) not in self._live:
            self._live[name, spent] = None
            flow = self._flow(name)
            if flow is not None:
                self._live[name, spent] = self._solved(flow, spent)
        return self._live[name, spent]

    def _solved(self, flow: "_Flow", spent: Spent) -> list[Reads]:
        blocks = flow.graph.blocks
        live: list[Reads] = [{} for _ in blocks]
        changed = True
        while changed:
            changed = False
            for number in range(len(blocks) - 1, -1, -1):
                found = joined(flow.always, self._block(flow, blocks[number], live, spent))
                if self._throws_again:
                    found = {slot: seen_again(looks) for slot, looks in found.items()}
                if found != live[number]:
                    live[number], changed = found, True
        return live

    def _block(self, flow: "_Flow", block: g.Block, live: list[Reads], spent: Spent) -> Reads:
        found = flow.before(block.exit, self._exit(flow, block.exit, live, spent))
        for item in reversed(block.items):
            found = flow.before(item, self._item(flow, item, found))
        return found

    def _read(self, flow: "_Flow", node: object) -> Reads:
        return self._slots(self._reading.of(node, flow.constants))

    def _named(self, flow: "_Flow", value: ex.Expression, looks: Looks) -> Reads:
        """What is read of a value that gets a name, of which so much is seen later."""
        return self._slots(self._reading.named(value, flow.constants, looks))

    def _added_up(self, loop: st.ForEach) -> tuple[frozenset[int], tuple[ex.Expression, ...]] | None:
        """As `added_up`; what is defined elsewhere may give another answer each time."""
        return None if self._program.external_terms else added_up(loop)

    @staticmethod
    def _slots(read: Reads) -> Reads:
        """What is read by the slots of names."""
        return {FIRST_SLOT + index: looks for index, looks in read.items()}

    def _everything(self, flow: "_Flow", line: object) -> Reads:
        """What a line with all lines inside it reads, of which nothing is set first."""
        found: Reads = {}
        for each in nodes(line):
            if isinstance(each, st.Line | st.Branch | st.Case | st.Option | st.RankKey):
                found = joined(found, self._read(flow, each))
            if isinstance(each, st.VariablePlace):
                found = joined(found, _slot(each.variable))
        return found

    def _item(self, flow: "_Flow", item: g.Item, after: Reads) -> Reads:  # noqa: C901, PLR0911, PLR0912
        match item:
            case st.Let(variable=variable, value=value) if value is not None:
                slot = FIRST_SLOT + variable.index
                rest = _without(after, slot)
                dead = slot not in after and all(isinstance(each, _CERTAIN) for each in inside(value))
                return rest if dead else joined(rest, self._named(flow, value, after.get(slot, frozenset())))
            case st.Assign(place=st.VariablePlace(variable=variable), value=value):
                slot = FIRST_SLOT + variable.index
                return joined(_without(after, slot), self._named(flow, value, after.get(slot, frozenset())))
            case st.AddMember(place=st.VariablePlace(variable=variable), member=value, otherwise=None) if holds_dice(
                variable.type
            ):
                slot = FIRST_SLOT + variable.index
                looks = after.get(slot, frozenset())
                return _all(after, {slot: looks}, self._named(flow, value, looks))
            case st.ForEach(binding=binding) if over_dice(binding) and (sums := self._added_up(item)) is not None:
                names, each = sums
                read = self._reading.through(binding, each, flow.constants)
                return _all(after, *(_kept({}, FIRST_SLOT + name, 1) for name in names), self._slots(read))
            case st.TallyLine(variable=variable) | st.DecideLine(variable=variable):
                return joined(_without(after, FIRST_SLOT + variable.index), self._everything(flow, item))
            case g.LoopStart(line, slot):
                return joined(_without(after, *range(slot, slot + 3)), self._read(flow, line.binding.source))
            case g.RepeatStart(line, slot):
                return joined(_without(after, slot, slot + 1), self._read(flow, line.bound))
            case g.AllStart(line, slot):
                return joined(_without(after, slot, slot + 1), self._everything(flow, line))
            case g.RankStart(line, slot):
                return joined(_without(after, *range(slot, slot + SLOTS)), self._everything(flow, line))
            case g.RankSort(line, _, slot) | g.RankEnd(line, slot):
                return _kept(joined(after, self._everything(flow, line)), slot, SLOTS)
            case g.Changes(line) | g.OpenTogether(line) if isinstance(line, st.Together):
                return after
            case g.Changes(line) | g.Gathered(line) | g.Shown(line):
                return joined(joined(after, self._everything(flow, line)), _own(line))
            case Hold():
                return after
            case Need() | Watch():
                return joined(after, self._read(flow, item))
            case _:
                return joined(joined(after, self._everything(flow, item)), _own(item))

    def _exit(self, flow: "_Flow", exit_: g.Exit, live: list[Reads], spent: Spent) -> Reads:  # noqa: C901, PLR0911, PLR0912
        match exit_:
            case g.Goto(block):
                return live[block]
            case g.Fork(line, blocks, otherwise):
                found = live[otherwise]
                for branch, block in zip(line.branches, blocks, strict=True):
                    found = joined(found, self._read(flow, branch.condition))
                    if not never(branch.condition, spent):
                        found = joined(found, live[block])
                return found
            case g.Select(line, blocks):
                return _all(self._read(flow, line.subject), *(live[each] for each in blocks))
            case g.Arrive(step, enter, skip):
                guard = {} if step.guard is None else self._read(flow, step.guard)
                return _all(guard, live[enter], live[skip])
            case g.NextItem(line, slot, body, after):
                where = {} if line.binding.where is None else self._read(flow, line.binding.where)
                inner = _without(joined(live[body], where), *_bound(line.binding))
                return _kept(joined(inner, live[after]), slot, 3)
            case g.NextPlayer(line, slot, body, after):
                return _kept(_all(live[body], live[after], self._read(flow, line)), slot, 2)
            case g.Again(line, slot, body, after):
                found = joined(live[after], self._read(flow, line.condition))
                return _kept(found if never(line.condition, spent) else joined(found, live[body]), slot, 2)
            case g.Attempt(line, then, otherwise):
                return _all(self._read(flow, line), _own(line), live[then], live[otherwise])
            case g.Settle(then):
                return live[then]
            case g.Question(line, resume, then, otherwise, options):
                if isinstance(line.shape, st.Whether) and line.shape.guard and never(line.shape.guard, spent):
                    return joined(_without(live[otherwise], FIRST_SLOT + line.variable.index), self._read(flow, line))
                answered, others = _all(*(live[each] for each in (then, *options))), _all(live[resume], live[otherwise])
                asked = self._asked(flow, line, joined(answered, others))
                return _all(asked, others, _without(answered, FIRST_SLOT + line.variable.index))
            case g.Answered(question):
                ways = (question.then, question.otherwise, *question.options)
                rest = _all(*(live[each] for each in ways))
                asked = self._asked(flow, question.line, rest)
                return joined(_without(rest, FIRST_SLOT + question.line.variable.index), asked)
            case g.Chance(line, resume, then, otherwise):
                found = _all(live[resume], live[then], live[otherwise])
                if isinstance(line, st.Reroll):
                    return joined(found, self._thrown_again(flow, line))
                return joined(_without(found, *_taken(line)), self._everything(flow, line))
            case g.Fallen(chance):
                line = chance.line
                place = {} if isinstance(line, st.Roll | st.Reroll) else self._everything(flow, line)
                return joined(_without(live[chance.then], *_taken(line)), place)
            case g.Throw(line, _, slot, resume, then) | g.AskRow(line, _, slot, resume, then):
                return _kept(_all(self._everything(flow, line), live[resume], live[then]), slot, SLOTS)
            case g.Thrown(throw, again):
                return _kept(joined(self._everything(flow, throw.line), live[again]), throw.slot, SLOTS)
            case g.RowOrdered(asked, again):
                return _kept(joined(self._everything(flow, asked.line), live[again]), asked.slot, SLOTS)
            case g.Invoke(line, then):
                return joined(self._performed(flow, line, spent), live[then])
            case g.Elsewhere(line, resume, then):
                return _all(self._read(flow, line), live[resume], live[then])
            case g.Delivered(elsewhere):
                return joined(self._read(flow, elsewhere.line), live[elsewhere.then])
            case g.Window(line, then):
                return joined(self._read(flow, line), live[then])
            case g.Jump(line, block, slot):
                found = joined(self._read(flow, line), live[block])
                return found if slot is None else _kept(found, slot, 1)
            case g.Leave(line):
                return {} if line is None else self._read(flow, line)
            case g.Unwind(line):
                return self._read(flow, line)

    def _thrown_again(self, flow: "_Flow", line: st.Reroll) -> Reads:
        """What decides which dice are thrown again; it tells them apart only where they are chosen one by one."""
        by: Reads = {} if line.by is None else self._read(flow, line.by)
        match line.dice:
            case ex.Local(variable=variable) if isinstance(variable.type, ty.DieType) or holds_dice(variable.type):
                return joined(by, {FIRST_SLOT + variable.index: frozenset()})
            case _:
                return joined(by, self._read(flow, line.dice))

    def _asked(self, flow: "_Flow", line: st.Ask, rest: Reads) -> Reads:
        """What is needed to judge an answer, of which the rest reads something too."""
        slot, shape = FIRST_SLOT + line.variable.index, line.shape
        found = _all(*(self._read(flow, each) for each in line.demands))
        if self._even and isinstance(shape, st.OneOf | st.Pick) and over_dice(shape.binding):
            sizes = (shape.low, shape.high) if isinstance(shape, st.Pick) else ()
            others = (replace(line, shape=st.Whether(None)), *sizes)
            found = _all(found, *(self._read(flow, each) for each in others))
            looks = joined(rest, found).get(slot, frozenset())
            read = self._reading.chosen(shape.binding, flow.constants, looks)
            found = joined(found, {FIRST_SLOT + index: each for index, each in read.items()})
        else:
            found = joined(found, self._read(flow, line))
        return _without(found, slot)

    def _performed(self, flow: "_Flow", line: st.Perform, spent: Spent) -> Reads:
        procedure = self._program.procedures[line.procedure]
        name = flow_key(procedure, line.steps)
        live = self._blocks(name, spent)
        entered = dict.fromkeys(range(len(line.arguments)), TOLD)
        if live is not None:
            entered = {slot - FIRST_SLOT: looks for slot, looks in live[0].items()}
        read = self._reading.call(entered, line.arguments, flow.constants)
        found: Reads = {FIRST_SLOT + index: looks for index, looks in read.items()}
        return found if line.depth is None else joined(found, self._read(flow, line.depth))


class _Flow:
    """A routine with its graph, the names that looks at dice may hold, and those that are read at any time.

    Such names are parameters that are never set, and numbers, words and flags that one line sets: what a look holds of
    these is known from that line on.
    """

    def __init__(self, routine: Procedure | Handler | StandingRule, graph: g.Flow) -> None:
        self.graph = graph
        body = (routine.opening, routine.steps) if isinstance(routine, Procedure) else (routine.block,)
        set_ = Counter(variable.index for node in nodes(body) for variable in _variables(node))
        given_ = routine.parameters if isinstance(routine, Procedure) else ()
        self._set_once = frozenset(
            node.variable.index
            for node in nodes(body)
            if isinstance(node, st.TallyLine | st.DecideLine) or (isinstance(node, st.Let) and node.value is not None)
            if set_[node.variable.index] == 1 and isinstance(node.variable.type, _HELD)
        )
        self._known: dict[int, dict[int, Look | None] | None] = {}
        self.constants = self._set_once.union(each.index for each in given_ if each.index not in set_)
        opening = routine.opening if isinstance(routine, Procedure) else ()
        heard = [each for each in opening if isinstance(each, Watch)]
        self.always: Reads = {
            FIRST_SLOT + each.index: TOLD
            for watch in heard
            for node in nodes(watch)
            for each in (*_variables(node), *([node.variable] if isinstance(node, ex.Local) else ()))
        }
        self.rounds = {slot: bound for slot, bound in _counts(graph) if bound >= MANY_ROUNDS}

    def before(self, part: g.Item | g.Exit, reads: Reads) -> Reads:
        """What is read from a part of the graph on, where looks hold no names that it is to set yet."""
        if id(part) not in self._known:
            every = {variable.index for node in nodes(part) for variable in _variables(node)} & self._set_once
            self._known[id(part)] = {each: ("name", each) for each in self.constants - every} if every else None
        known = self._known[id(part)]
        return reads if known is None else {slot: given(looks, known) for slot, looks in reads.items()}


def _counts(graph: g.Flow) -> Iterator[tuple[int, int]]:
    """The slots in which rounds of loops are counted, with their bounds, as far as these are written as numbers."""
    for block in graph.blocks:
        match block.exit:
            case g.Jump(line=st.Proceed(bound=ex.Literal(value=int(bound))), slot=int(slot)):
                yield slot, bound
            case g.Again(line=st.Repeat(bound=ex.Literal(value=int(bound))), slot=slot):
                yield slot + 1, bound
            case _:
                pass


def never(condition: ex.Expression, spent: Spent) -> bool:
    """Whether a condition cannot hold while some places are spent."""
    match condition:
        case ex.StoredAttribute(kind=kind, name=name, type=ty.FlagType()):
            return f"{kind}/{name}" in spent
        case ex.Comparison(operator=">", left=ex.StoredAttribute() as left, right=ex.Literal(value=int(least))):
            return least >= 0 and f"{left.kind}/{left.name}" in spent
        case ex.Comparison(operator=">=", left=ex.StoredAttribute() as left, right=ex.Literal(value=int(least))):
            return least >= 1 and f"{left.kind}/{left.name}" in spent
        case ex.Logical(operator="and", left=left_, right=right):
            return never(left_, spent) or never(right, spent)
        case ex.Logical(left=left_, right=right):
            return never(left_, spent) and never(right, spent)
        case _:
            return False


def _raised(node: Any) -> str:
    """The attribute that a line may raise, as `Kind/name`; empty where there is none."""
    match node:
        case st.Assign(value=ex.Literal(value=0), place=st.AttributePlace()):
            return ""
        case st.AddAmount(take=True, amount=ex.Literal(value=int(amount)), place=st.AttributePlace()) if amount >= 0:
            return ""
        case st.Line():
            place = getattr(node, "place", None)
            root = None if place is None else root_of(place)
            return f"{root.kind}/{root.name}" if isinstance(root, st.AttributePlace) else ""
        case _:
            return ""


def _variables(node: object) -> Iterator[Variable]:
    """The names that a node itself sets or binds."""
    if not isinstance(node, ex.Local | Variable):
        yield from (each for each in children(node) if isinstance(each, Variable))


def _bound(binding: ex.Binding) -> Iterator[int]:
    return (FIRST_SLOT + each.index for each in binding.variables if each is not None)


def _slot(variable: Variable) -> Reads:
    return {FIRST_SLOT + variable.index: TOLD}


def _taken(line: st.Roll | st.Reroll | st.Draw | st.Shuffle) -> tuple[int, ...]:
    """The slot of the name that chance fills."""
    return (FIRST_SLOT + line.variable.index,) if isinstance(line, st.Roll | st.Draw) else ()


def _own(node: object) -> Reads:
    """Names that a line sets, or changes a part of; they count as read, for nothing proves that they are set first."""
    found: Reads = {}
    for each in nodes(node):
        for variable in _variables(each):
            found = joined(found, _slot(variable))
    return found


def _without(reads: Reads, *slots: int) -> Reads:
    return {slot: looks for slot, looks in reads.items() if slot not in slots}


def _kept(reads: Reads, slot: int, count: int) -> Reads:
    return joined(reads, dict.fromkeys(range(slot, slot + count), TOLD))


def _all(*reads: Reads) -> Reads:
    found: Reads = {}
    for each in reads:
        found = joined(found, each)
    return found
