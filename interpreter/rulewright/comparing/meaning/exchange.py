"""Which neighbouring lines may change places, because nothing can tell in which order they were carried out."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rulewright.comparing.meaning.calm import Calm
from rulewright.frozen import dataclass
from rulewright.machine.footprint import Footprint, Places, writes
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.walk import nodes

_QUIET = (
    st.Let,
    st.Assign,
    st.AddAmount,
    st.AddMember,
    st.AddPair,
    st.Turn,
    st.Together,
    st.If,
    st.Match,
    st.ForEach,
    st.TallyLine,
    st.DecideLine,
    st.Nothing,
)
"""What moves, places or removes things is not among these: lines look at what is in play, and where, without a word."""


@dataclass(frozen=True, slots=True)
class Touched:
    """What a line reads and changes: places of the game, and names of the routine by their numbers."""

    reads: Places
    writes: Places
    takes: frozenset[int]
    sets: frozenset[int]


_Placed = tuple[Any, int, st.Statement, Touched | None]


class Effects:
    """What the lines of one program do to each other."""

    def __init__(self, program: Program, calm: Calm) -> None:
        self._program = program
        self._calm = calm
        self._footprint = Footprint(program)
        rules = [(each.binding, each.condition) for each in program.rules.values()]
        always = [(each.binding, each.guard, each.condition) for each in program.invariants.values()]
        self._rules = frozenset[str]().union(*(self._footprint.reads(each) for each in rules))
        self._always = [self._footprint.reads(each) for each in always]
        self._trying_asks = not all(map(self._is_silent, (*rules, *always)))

    def _is_silent(self, node: Any) -> bool:  # noqa: ANN401
        return all(self._calm.silent(each) for each in nodes(node) if isinstance(each, Expression))

    def reads(self, node: Any) -> Places:  # noqa: ANN401
        """The places of the game that a part of a declaration reads."""
        return self._footprint.reads(node)

    def touched(self, line: st.Statement) -> Touched | None:
        """What a quiet line touches; none for one that asks, throws dice, calls, triggers or leads elsewhere."""
        inside = list(nodes(line))
        lines = [each for each in inside if isinstance(each, st.Line)]
        if not all(isinstance(each, _QUIET) for each in lines) or not self._is_silent(line):
            return None
        changed = frozenset[str]().union(*map(writes, lines))  # type: ignore[arg-type]
        return Touched(
            self.reads(line), changed, taken(inside), frozenset(number for each in inside for number in _set(each))
        )

    def may_change_places(self, one: st.Statement, other: st.Statement) -> bool:
        """Whether two neighbouring lines may be carried out in either order.

        Neither reads or changes what the other changes, no standing rule looks at what they change, so that none
        fires after either, and no condition that always holds looks at what both change, so that none breaks between.
        """
        first, second = self.touched(one), self.touched(other)
        return first is not None and second is not None and self._apart(one, first, other, second)

    def _apart(self, one: st.Statement, first: Touched, other: st.Statement, second: Touched) -> bool:
        if first.sets & (second.sets | second.takes) or second.sets & first.takes:
            return False
        if first.writes & second.reads or second.writes & first.reads:
            return False
        if first.writes & second.writes and not _same_value(one, other):
            return False
        changed = first.writes | second.writes
        if changed and (self._trying_asks or self._rules & changed):
            return False
        return not any(each & first.writes and each & second.writes for each in self._always)

    def in_one_order(self, block: st.Block, key: Callable[[st.Statement], Any]) -> st.Block:
        """The lines of a block, those that may change places in one order."""
        left = [(key(each), number, each, self.touched(each)) for number, each in enumerate(block)]
        found: list[st.Statement] = []
        while left:
            free = [each for at, each in enumerate(left) if all(self._passes(each, before) for before in left[:at])]
            first = min(free, key=lambda each: each[:2])
            left.remove(first)
            found.append(first[2])
        return tuple(found)

    def _passes(self, one: _Placed, other: _Placed) -> bool:
        return one[3] is not None and other[3] is not None and self._apart(one[2], one[3], other[2], other[3])

    def stirs(self, node: Any) -> bool:  # noqa: ANN401
        """Whether standing rules may look at what lines change."""
        lines = (each for each in nodes(node) if isinstance(each, st.Line))
        return bool(self._rules & frozenset[str]().union(*map(writes, lines)))  # type: ignore[arg-type]

    def settles_at_once(self, line: st.Together) -> bool:
        """Whether nothing can tell that a block is settled at its end only: nobody looks at what its lines change."""
        touched = [self.touched(each) for each in line.block]
        changed = frozenset[str]().union(*(each.writes for each in touched if each is not None))
        watched = self._rules.union(*self._always)
        return None not in touched and not (changed and self._trying_asks) and not watched & changed

    def changes(self, node: Any) -> Places:  # noqa: ANN401
        """All places that may be other ones after lines, what they lead to and what standing rules make of it."""
        found: set[str] = set()
        seen: set[str] = set()
        waiting = [node]
        while waiting:
            lines = [each for each in nodes(waiting.pop()) if isinstance(each, st.Line)]
            found.update(*map(writes, lines))  # type: ignore[arg-type]
            found.update(*map(self._elsewhere, lines))
            led = {name: each for line in lines for name, each in self._led(line)}
            if self._rules & found:
                led |= {f"rule {name}": each.block for name, each in self._program.rules.items()}
            waiting += [each for name, each in led.items() if name not in seen]
            seen |= led.keys()
        return frozenset(found)

    def _elsewhere(self, line: st.Line) -> tuple[str, ...]:
        return self._program.external_procedures[line.external].changes if isinstance(line, st.PerformExternal) else ()

    def _led(self, line: st.Line) -> Iterator[tuple[str, Any]]:
        """What a line performs, and the handlers of what it triggers."""
        match line:
            case st.Perform(procedure=name):
                found = self._program.procedures[name]
                yield f"procedure {name}", (found.opening, found.steps)
            case st.Trigger(event=event):
                yield from self._handlers((event,))
            case st.Remove(events=events):
                yield from self._handlers(events)

    def _handlers(self, events: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        handlers = self._program.handlers.items()
        yield from ((f"handler {name}", each.block) for name, each in handlers if each.event in events)


def taken(inside: Sequence[Any]) -> frozenset[int]:
    """The names of the routine that are looked at, by number."""
    return frozenset(each.variable.index for each in inside if isinstance(each, ex.Local | st.Reveal))


def _set(node: Any) -> tuple[int, ...]:  # noqa: ANN401
    match node:
        case st.VariablePlace(variable=variable):
            return (variable.index,)
        case ex.Binding(variables=variables):
            return tuple(each.index for each in variables if each is not None)
        case _:
            bound = getattr(node, "variable", None) if isinstance(node, st.Line) else None
            return () if bound is None else (bound.index,)


def _same_value(one: st.Statement, other: st.Statement) -> bool:
    """Whether both lines set the same to one constant."""
    match one, other:
        case st.Assign(value=ex.Literal(value=first)), st.Assign(value=ex.Literal(value=second)):
            return type(first) is type(second) and first == second
        case st.Assign(value=ex.WordLiteral() as first), st.Assign(value=ex.WordLiteral() as second):
            return first.type == second.type and first.position == second.position
        case _:
            return False
