"""Which expressions can be evaluated in any order or not at all, and which neighbouring lines may change places."""

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

from rulewright.frozen import dataclass
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Conditions, Decide, Function, Program, Selection, Table, Tally, Value
from rulewright.program.effects import Footprint, Places, written_by
from rulewright.program.expressions import Expression, Variable
from rulewright.program.rows import TableRow
from rulewright.program.types import PLAYER, MapType, WordType
from rulewright.program.walk import inside
from rulewright.roles import nodes

_STEADY = (
    ex.Literal,
    ex.WordLiteral,
    ex.Local,
    ex.Itself,
    ex.GameField,
    ex.SettingValue,
    ex.InPlay,
    ex.Removed,
    ex.BoardCells,
    ex.StoredAttribute,
    ex.CellAttribute,
    ex.RelationHolds,
    ex.Gone,
    ex.Part,
    ex.DieAttribute,
    ex.MakeTuple,
    ex.MakeRecord,
    ex.MakeCollection,
    ex.Comprehension,
    ex.Conditional,
    ex.Logical,
    ex.Not,
    ex.Comparison,
    ex.Membership,
    ex.Interval,
    ex.Negation,
    ex.Joined,
    ex.Quantifier,
)
_TOTAL = frozenset(
    "abs sign sum pairs total neighbours adjacent directions toward occupants hex square along".split()  # noqa: SIM905
)
_LEAST = frozenset({"min", "max"})


class Calm:
    """Judges the expressions of one program."""

    def __init__(self, program: Program) -> None:
        self._functions = program.functions
        self._values = program.values
        self._asks = bool(program.external_terms)
        self._known: dict[tuple[str, bool], bool] = {}

    def silent(self, expression: Expression) -> bool:
        """Whether nobody is asked for a value on the way."""
        return not self._asks or all(self._is_silent(each) for each in inside(expression))

    def _is_silent(self, expression: Any) -> bool:  # any expression
        match expression:
            case ex.ExternalValue():
                return False
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                return self._calls(name, steady=False)
            case ex.Builtin(relation=name) if name in self._functions:
                return self._calls(name, steady=False)
            case _:
                return True

    def steady(self, expression: Expression) -> bool:
        """Whether it never fails and asks nobody, so that it may be left out, come sooner or be repeated."""
        return all(self._is_steady(each) for each in inside(expression))

    def _is_steady(self, expression: Any) -> bool:  # any expression
        match expression:
            case ex.Arithmetic(operator=operator):
                return operator != "/"
            case ex.Entry(target=target):
                return isinstance(target.type, MapType) and target.type.key != PLAYER
            case ex.Aggregate(word=word):
                return word in {"count", "sum"}
            case ex.Builtin(name=name, arguments=arguments):
                return name in _TOTAL or (name in _LEAST and len(arguments) > 1)
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                return self._calls(name, steady=True)
            case _:
                return isinstance(expression, _STEADY)

    def _calls(self, name: str, *, steady: bool) -> bool:
        """Whether a function is steady, or silent; what calls itself is neither."""
        if (name, steady) not in self._known:
            self._known[name, steady] = False
            body = self._functions[name].body if name in self._functions else None
            judge = self._is_steady if steady else self._is_silent
            able = body is not None and (not steady or self._is_covered(self._functions[name]))
            self._known[name, steady] = able and all(judge(each) for each in nodes(body) if isinstance(each, ex.Typed))
        return self._known[name, steady]

    def _is_covered(self, function: Function) -> bool:
        """Whether a function has a value for all arguments."""
        match function.body:
            case Decide(rows):
                return bool(rows) and rows[-1].guard is None
            case Table(rows):
                return self._is_full(function, rows)
            case body:
                return isinstance(body, Value | Conditions | Selection | Tally)

    def _is_full(self, function: Function, rows: tuple[TableRow, ...]) -> bool:
        """Whether a table of one word has a row for each."""
        match function.parameters:
            case (Variable(type=WordType(values)),):
                cells = [row.cells[0].value for row in rows]
                known = {each.position for each in cells if isinstance(each, ex.WordLiteral)}
                return known == set(range(len(self._values[values].words)))
            case _:
                return False


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


_Placed = tuple[st.Statement, Touched]
_Done = tuple[Places, dict[tuple[str, str], None]]


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
        self._done: dict[tuple[str, str], _Done] = {}
        self._handling: dict[str, list[str]] = {}
        for name, each in program.handlers.items():
            self._handling.setdefault(each.event, []).append(name)

    def _is_silent(self, node: Any) -> bool:
        return all(self._calm.silent(each) for each in nodes(node) if isinstance(each, Expression))

    def reads(self, node: Any) -> Places:
        """The places of the game that a part of a declaration reads."""
        return self._footprint.reads(node)

    def touched(self, line: st.Statement) -> Touched | None:
        """What a quiet line touches; none for one that asks, throws dice, calls, triggers or leads elsewhere."""
        inside = list(nodes(line))
        lines = [each for each in inside if isinstance(each, st.Line)]
        if not all(isinstance(each, _QUIET) for each in lines) or not self._is_silent(line):
            return None
        changed = frozenset[str]().union(*map(written_by, lines))  # type: ignore[arg-type]
        return Touched(
            self.reads(line), changed, taken(inside), frozenset(number for each in inside for number in _set(each))
        )

    def _apart(self, one: st.Statement, first: Touched, other: st.Statement, second: Touched) -> bool:
        """Whether two neighbouring lines may be carried out in either order.

        Neither reads or changes what the other changes, no standing rule looks at what they change, so that none
        fires after either, and no condition that always holds looks at what both change, so that none breaks between.
        """
        if first.sets & (second.sets | second.takes) or second.sets & first.takes:
            return False
        if first.writes & second.reads or second.writes & first.reads:
            return False
        if first.writes & second.writes and not _same_value(one, other):
            return False
        if self._is_tried(first.writes | second.writes):
            return False
        return not any(each & first.writes and each & second.writes for each in self._always)

    def _is_tried(self, changed: Places) -> bool:
        """Whether somebody can tell when these change: a standing rule, or who is asked where rules are tried."""
        return bool(changed) and (self._trying_asks or bool(self._rules & changed))

    def in_one_order(self, block: st.Block, key: Callable[[st.Statement], Any]) -> st.Block:
        """The lines of a block, those that may change places in one order."""
        found: list[st.Statement] = []
        free: list[_Placed] = []
        for line in block:
            touched = self.touched(line)
            if touched is not None and not self._is_tried(touched.writes):
                free.append((line, touched))
            else:
                found += (*self._ordered(free, key), line)
                free = []
        return (*found, *self._ordered(free, key))

    def _ordered(self, lines: Sequence[_Placed], key: Callable[[st.Statement], Any]) -> Iterator[st.Statement]:
        """Lines of which each may pass some, always the least of those that wait for none."""
        after: list[list[int]] = [[] for _ in lines]
        behind = [0] * len(lines)
        shelves = _Shelves(lines, self._always, self._apart)
        for number in range(len(lines)):
            for before in shelves.waits_for(number):
                after[before].append(number)
                behind[number] += 1
        keys = [key(line) for line, _ in lines] if len(lines) > 1 else [None]
        ready = [(keys[number], number) for number, count in enumerate(behind) if not count]
        heapify(ready)
        while ready:
            _, number = heappop(ready)
            yield lines[number][0]
            for each in after[number]:
                behind[each] -= 1
                if not behind[each]:
                    heappush(ready, (keys[each], each))

    def stirs(self, node: Any) -> bool:
        """Whether standing rules may look at what lines change."""
        lines = (each for each in nodes(node) if isinstance(each, st.Line))
        return bool(self._rules & frozenset[str]().union(*map(written_by, lines)))  # type: ignore[arg-type]

    def settles_at_once(self, line: st.Together) -> bool:
        """Whether nothing can tell that a block is settled at its end only: nobody looks at what its lines change."""
        touched = [self.touched(each) for each in line.block]
        changed = frozenset[str]().union(*(each.writes for each in touched if each is not None))
        watched = self._rules.union(*self._always)
        return None not in touched and not (changed and self._trying_asks) and not watched & changed

    def changes(self, node: Any) -> Places:
        """All places that may be other ones after lines, what they lead to and what standing rules make of it."""
        found, led = self._done_by(node)
        changed, seen, waiting = set(found), set(led), list(led)
        while waiting:
            found, led = self._done_elsewhere(waiting.pop())
            changed |= found
            waiting += [each for each in led if each not in seen]
            seen |= led.keys()
        return frozenset(changed)

    def _done_elsewhere(self, place: tuple[str, str]) -> "_Done":
        """What a routine does, which is looked at once."""
        if place not in self._done:
            sort, name = place
            match sort:
                case "procedure":
                    routine: Any = self._program.procedures[name]
                    self._done[place] = self._done_by((routine.opening, routine.steps))
                case "handler":
                    self._done[place] = self._done_by(self._program.handlers[name].block)
                case _:
                    self._done[place] = self._done_by(self._program.rules[name].block)
        return self._done[place]

    def _done_by(self, node: Any) -> "_Done":
        """What lines change themselves, and the routines they lead to, in order."""
        lines = [each for each in nodes(node) if isinstance(each, st.Line)]
        found = frozenset[str]().union(*map(written_by, lines), *map(self._elsewhere, lines))  # type: ignore[arg-type]
        led = dict.fromkeys(each for line in lines for each in self._led(line))
        if self._rules & found:
            led |= dict.fromkeys(("rule", name) for name in self._program.rules)
        return found, led

    def _elsewhere(self, line: st.Line) -> tuple[str, ...]:
        return self._program.external_procedures[line.external].changes if isinstance(line, st.PerformExternal) else ()

    def _led(self, line: st.Line) -> Iterator[tuple[str, str]]:
        """What a line performs, and the handlers of what it triggers."""
        match line:
            case st.Perform(procedure=name):
                yield "procedure", name
            case st.Trigger(event=event):
                yield from self._handlers((event,))
            case st.Remove(events=events):
                yield from self._handlers(events)

    def _handlers(self, events: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        return (("handler", name) for event in events for name in self._handling.get(event, ()))


class _Shelves:
    """For each thing that lines share those that change it and those that only look, so that few need be compared."""

    def __init__(self, lines: Sequence[_Placed], always: Sequence[Places], apart: Callable[..., bool]) -> None:
        self._lines = lines
        self._always = always
        self._apart = apart
        self._changing: dict[object, list[int]] = {}
        self._looking: dict[object, list[int]] = {}
        self._last: set[tuple[object, int]] = set()

    def waits_for(self, number: int) -> set[int]:
        """The earlier lines that the next one may not pass, but for those that others of them wait for."""
        touched = self._lines[number][1]
        kept = (("always", at) for at, each in enumerate(self._always) if each & touched.writes)
        changed: list[object] = [*touched.writes, *touched.sets, *kept]
        looked_at: list[object] = [*touched.reads, *touched.takes]
        found: set[int] = set()
        for shelf in changed:
            latest = self._changers(shelf, number, found)
            for each in reversed(self._looking.get(shelf, ())):
                if each < latest:
                    break
                found.add(each)
        for shelf in looked_at:
            self._changers(shelf, number, found)
        for shelf in changed:
            self._changing.setdefault(shelf, []).append(number)
        for shelf in looked_at:
            self._looking.setdefault(shelf, []).append(number)
        return found

    def _changers(self, shelf: object, number: int, found: set[int]) -> int:
        """Adds the changers of a shelf that a line may not pass; the latest of them, or -1.

        Where one that all earlier changers come before is met, those need not be looked at.
        """
        latest, last = -1, True
        for each in reversed(self._changing.get(shelf, ())):
            if each not in found and self._apart(*self._lines[each], *self._lines[number]):
                last = False
                continue
            found.add(each)
            latest = max(latest, each)
            if (shelf, each) in self._last:
                break
        if last:
            self._last.add((shelf, number))
        return latest


def taken(inside: Sequence[Any]) -> frozenset[int]:
    """The names of the routine that are looked at, by number."""
    return frozenset(each.variable.index for each in inside if isinstance(each, ex.Local | st.Reveal))


def _set(node: Any) -> tuple[int, ...]:
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
