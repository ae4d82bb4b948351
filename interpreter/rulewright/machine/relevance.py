"""What the end of a play may hang on: values of its start, and answers, found from the end backwards.

It is followed what each line reads for what counts after it. A line at which a play may go several ways counts where
on one of them, up to where they meet again, something counts. What does not count may still end a play with a fault.
"""

from collections.abc import Iterator

from rulewright.frozen import dataclass
from rulewright.machine import graph as g
from rulewright.machine.changing import ways
from rulewright.machine.line_effects import FACES, NOTHING, Effect, LineEffects, Tokens
from rulewright.machine.liveness import Liveness
from rulewright.machine.lower import flow_key
from rulewright.machine.ranking import SLOTS
from rulewright.machine.suspension import key
from rulewright.program import statements as st
from rulewright.program.declarations import Need, Program
from rulewright.program.walk import shared_address

GIVEN = "what is given back"
"""What a procedure finishes with, among places of the game."""
_END = -1


@dataclass(frozen=True, slots=True)
class Relevant:
    """What something at the end of a play may hang on."""

    places: Tokens  # places of the game, by their values at the start
    asked: frozenset[str]  # lines whose answers count, as `shared_address` has them
    judged: frozenset[str]  # all lines of which that is known

    def counts(self, address: object) -> bool:
        """Whether an answer at a line may count."""
        return address in self.asked or address not in self.judged


class Relevance:
    """What the ends of plays of one program may hang on."""

    def __init__(self, program: Program, liveness: Liveness) -> None:
        self.program = program
        self.effects = LineEffects(program, liveness)
        self._liveness = liveness
        self._regions: dict[str, tuple[frozenset[int], ...]] = {}

    def of(self, procedure: str, wanted: Tokens, step: str | None = None) -> Relevant | None:
        """What some places may hang on where a play of a procedure is over; none where nothing is known.

        Args:
            procedure: its name.
            wanted: the places, with `GIVEN` where the result counts.
            step: the address of a step of which counts whether it is come to.
        """
        flow = self.graph(key(self.program.procedures[procedure]))
        rules = [self.effects.routine(key(each)) for each in self.program.rules.values()]
        if flow is None or any(each.leads_out for each in rules):
            return None
        return _Solving(self, flow, wanted, step).solved()

    def graph(self, name: str) -> g.Flow | None:
        """The graph of a routine that runs in frames."""
        return self._liveness.graph(name)

    def regions(self, flow: g.Flow) -> tuple[frozenset[int], ...]:
        """By block the blocks that a play may go through from it until all its ways meet."""
        if flow.key not in self._regions:
            to = [[*dict.fromkeys(self._ways(each.exit))] for each in flow.blocks]
            self._regions[flow.key] = tuple(_regions(to))
        return self._regions[flow.key]

    def _ways(self, exit_: g.Exit) -> Iterator[int]:
        """The blocks that an exit leads to, and the end of the routine."""
        yield from ways(exit_)
        performed = self.effects.led_to(exit_.line) if isinstance(exit_, g.Invoke | g.Window) else ()
        if isinstance(exit_, g.Leave | g.Unwind) or any(self.effects.routine(each).leads_out for each in performed):
            yield _END


def _regions(to: list[list[int]]) -> Iterator[frozenset[int]]:
    end = len(to)
    through = [(1 << (end + 1)) - 1] * end + [1 << end]
    changed = True
    while changed:
        changed = False
        for block in range(end - 1, -1, -1):
            found = (1 << (end + 1)) - 1
            for each in to[block]:
                found &= through[each]
            found |= 1 << block
            if found != through[block]:
                through[block], changed = found, True
    for block, leads in enumerate(to):
        met, region, waiting = through[block] & ~(1 << block), set[int](), [*leads]
        while waiting:
            each = waiting.pop()
            if each != _END and each not in region and not met >> each & 1:
                region.add(each)
                waiting += to[each]
        yield frozenset(region)


class _Solving:
    """Goes through the blocks from their ends until nothing new counts."""

    def __init__(self, relevance: Relevance, root: g.Flow, wanted: Tokens, step: str | None) -> None:
        self._relevance = relevance
        self._effects = relevance.effects
        self._root = root
        self._step = step
        self._flows = {root.key: root}
        self._live = {root.key: [NOTHING] * len(root.blocks)}
        self._ends: dict[str, Tokens] = {root.key: wanted}
        self._counting: dict[str, set[int]] = {root.key: set()}
        self._asked: set[str] = set()
        self._heard: set[str] = set()
        self._changed = True

    def solved(self) -> Relevant:
        """What counts at the beginning."""
        while self._changed:
            self._changed = False
            for flow in [*self._flows.values()]:
                for number in range(len(flow.blocks) - 1, -1, -1):
                    self._block(flow, number)
        start = self._live[self._root.key][0].union(*self._opening())
        places = frozenset(each for each in start if isinstance(each, str))
        return Relevant(places, frozenset(self._asked), self._effects.asking)

    def _opening(self) -> Iterator[Tokens]:
        """What decides whether the procedure can begin."""
        for block in self._root.blocks:
            if any(isinstance(each, Need) for each in block.items):
                for each in block.items:
                    effect = self._effects.own if isinstance(each, Need) else self._effects.item
                    yield effect(each, self._root.name).reads

    def _block(self, flow: g.Flow, number: int) -> None:
        block, owner = flow.blocks[number], flow.name if flow.sort == "procedure" else ""
        live = self._live[flow.key]
        after = NOTHING.union(*(live[each] for each in ways(block.exit)))
        region = self._relevance.regions(flow)[number]
        found, counts = self._exit(flow, block.exit, after, not region.isdisjoint(self._counting[flow.key]))
        for item in reversed(block.items):
            effect = self._effects.item(item, owner)
            if effect.writes & found or effect.leads_out:
                found, counts = (found - effect.sets) | effect.reads, True
        found = self._with_rules(found)
        if found != live[number]:
            live[number], self._changed = found, True
        if counts and number not in self._counting[flow.key]:
            self._counting[flow.key].add(number)
            self._changed = True

    def _with_rules(self, found: Tokens) -> Tokens:
        """The same with what standing rules read that may change some of it."""
        grown = True
        while grown:
            grown = False
            for rule in self._relevance.program.rules.values():
                effect = self._effects.routine(key(rule))
                if self._is_heard(key(rule), effect, found):
                    grown |= not effect.reads <= found
                    found |= effect.reads
        return found

    def _is_heard(self, name: str, effect: Effect, after: Tokens) -> bool:
        """Whether a handler, watch or standing rule counts; of one that asks for something: if it does anywhere."""
        counts = bool(effect.writes & after) or effect.leads_out or bool(effect.asks & self._asked)
        if counts and effect.asks and name not in self._heard:
            self._heard.add(name)
            self._changed = True
            self._ask(effect.asks)
        return counts or name in self._heard

    def _ask(self, lines: frozenset[str]) -> None:
        self._changed |= not lines <= self._asked
        self._asked |= lines

    # Where blocks lead.

    def _exit(self, flow: g.Flow, exit_: g.Exit, after: Tokens, decides: bool) -> tuple[Tokens, bool]:  # noqa: FBT001
        """What counts before an exit, and whether it does something that counts; it decides if one of its ways does."""
        owner = flow.name if flow.sort == "procedure" else ""
        match exit_:
            case g.Leave(line):
                return self._left(flow, line, owner)
            case g.Unwind(line):
                return NOTHING.union(self._effects.own(line, owner).reads, *self._ends.values()), True
            case g.Invoke(line):
                return self._invoked(line, owner, after)
            case g.Window(line):
                return self._triggered(line, owner, after)
            case g.Goto() | g.Settle() | g.Jump():
                return after, False
        acting, slots, asks = _acting(exit_)
        own = self._effects.own(acting, owner)
        writes = own.writes | slots
        address = getattr(acting, "address", "")
        if asks and self._is_asked(acting, own, slots, after, decides):
            self._ask(frozenset({shared_address(address)}))
        counts = bool(writes & after) or address == self._step or (asks and shared_address(address) in self._asked)
        rest = after - own.writes if isinstance(exit_, g.Answered | g.Fallen) else after
        rest = frozenset(each for each in after if isinstance(each, str)) | rest
        return (rest | own.reads | slots if counts or decides else after), counts

    def _is_asked(self, line: object, own: Effect, slots: Tokens, after: Tokens, decides: bool) -> bool:  # noqa: FBT001
        """Whether what is answered at a line counts."""
        match line:
            case st.Roll(parts=parts, options=options):
                changing = options or any(each.options or each.advantage is not None for each in parts)
                return FACES in after or bool(changing and own.writes & after)
            case st.Reroll():
                return FACES in after
            case st.Ask() | st.Draw():
                return decides or bool(own.writes & after)
            case _:
                return bool((own.writes | slots) & after)

    def _left(self, flow: g.Flow, line: st.Finish | None, owner: str) -> tuple[Tokens, bool]:
        end = self._ends[flow.key]
        if GIVEN not in end or line is None:
            return end - {GIVEN}, False
        return (end - {GIVEN}) | self._effects.own(line, owner).reads, True

    def _invoked(self, line: st.Perform, owner: str, after: Tokens) -> tuple[Tokens, bool]:
        """What counts before a call: what counts at the beginning of what is called, if anything in it does."""
        procedure = self._relevance.program.procedures[line.procedure]
        inner = self._relevance.graph(flow_key(procedure, line.steps))
        assert inner is not None
        result = NOTHING if line.result is None else self._effects.named([line.result], owner)
        shared = frozenset(each for each in after if isinstance(each, str))
        self._come_to(inner, shared | {GIVEN} if result & after else shared)
        rest = after - frozenset(each for each in result if isinstance(each, int))
        if not self._counting[inner.key]:
            return rest, False
        begun = self._live[inner.key][0]
        for variable, given in zip(procedure.parameters, line.arguments, strict=True):
            if self._effects.named([variable], procedure.name) & begun:
                rest |= self._effects.own(given, owner).reads
        return rest | {each for each in begun if isinstance(each, str)}, True

    def _come_to(self, inner: g.Flow, end: Tokens) -> None:
        if inner.key not in self._flows:
            self._flows[inner.key] = inner
            self._live[inner.key] = [NOTHING] * len(inner.blocks)
            self._ends[inner.key] = NOTHING
            self._counting[inner.key] = set()
            self._changed = True
        if not end <= self._ends[inner.key]:
            self._ends[inner.key] |= end
            self._changed = True

    def _triggered(self, line: st.Trigger | st.Remove, owner: str, after: Tokens) -> tuple[Tokens, bool]:
        own = self._effects.own(line, owner)
        effects = {each: self._effects.routine(each) for each in self._effects.led_to(line)}
        heard = [name for name, effect in effects.items() if self._is_heard(name, effect, after)]
        result = NOTHING
        if isinstance(line, st.Trigger) and line.result is not None:
            result = self._effects.named([line.result], owner)
        if result & after:
            self._ask(frozenset[str]().union(*(each.asks for each in effects.values())))
        elif not heard:
            return after, False
        return after.union(own.reads, *(each.reads for each in effects.values())), True


def _acting(exit_: g.Exit) -> tuple[object, Tokens, bool]:
    """The line of an exit, the slots of its frame that it uses, and whether it may ask for something there."""
    slots: Tokens = NOTHING
    match exit_:
        case g.Answered(inner) | g.Fallen(inner) | g.Delivered(inner):
            return inner.line, NOTHING, True
        case g.Thrown(inner) | g.RowOrdered(inner):
            return inner.key, frozenset(range(inner.slot, inner.slot + SLOTS)), True
        case g.Throw(slot=slot) | g.AskRow(slot=slot):
            return exit_.key, frozenset(range(slot, slot + SLOTS)), True
        case g.NextItem(slot=slot):
            slots = frozenset(range(slot, slot + 3))
        case g.NextPlayer(slot=slot) | g.Again(slot=slot):
            slots = frozenset(range(slot, slot + 2))
    line = exit_.step if isinstance(exit_, g.Arrive) else getattr(exit_, "line", None)
    return line, slots, isinstance(exit_, g.Question | g.Chance | g.Elsewhere)
