"""Purity of expressions (may be reordered, repeated or dropped) and data dependence between neighbouring lines."""

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Conditions, Decide, Function, Program, Selection, Table, Tally, Value
from rulewright.program.effects import ReadFootprint, StatePlaces, list_written_places
from rulewright.program.expressions import Expression, TableRow, Variable
from rulewright.program.types import PLAYER, MapType, WordType
from rulewright.program.walk import walk_subexpressions

_PURE_EXPRESSIONS = (
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
_TOTAL_BUILTINS = frozenset(
    "abs sign sum pairs total neighbours adjacent directions toward occupants hex square along".split()  # noqa: SIM905
)
_EXTREME_BUILTINS = frozenset({"min", "max"})


class PurityAnalysis:
    """Purity analysis of the expressions of one program."""

    def __init__(self, program: Program) -> None:
        self._functions = program.functions
        self._values = program.values
        self._has_external_terms = bool(program.external_terms)
        self._known_calls: dict[tuple[str, bool], bool] = {}

    def is_query_free(self, expression: Expression) -> bool:
        """Whether evaluation asks nobody for a value."""
        return not self._has_external_terms or all(
            self._is_node_query_free(subexpression) for subexpression in walk_subexpressions(expression)
        )

    def _is_node_query_free(self, expression: Any) -> bool:  # any expression
        match expression:
            case ex.ExternalValue():
                return False
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                return self._is_call_safe(name, steady=False)
            case ex.Builtin(relation=name) if name in self._functions:
                return self._is_call_safe(name, steady=False)
            case _:
                return True

    def is_pure(self, expression: Expression) -> bool:
        """Whether evaluation never fails and asks nobody, so that it may be dropped, hoisted or repeated."""
        return all(self._is_node_pure(subexpression) for subexpression in walk_subexpressions(expression))

    def _is_node_pure(self, expression: Any) -> bool:  # any expression
        match expression:
            case ex.Arithmetic(operator=operator):
                return operator != "/"
            case ex.Entry(target=target):
                return isinstance(target.type, MapType) and target.type.key != PLAYER
            case ex.Aggregate(word=word):
                return word in {"count", "sum"}
            case ex.Builtin(name=name, arguments=arguments):
                return name in _TOTAL_BUILTINS or (name in _EXTREME_BUILTINS and len(arguments) > 1)
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                return self._is_call_safe(name, steady=True)
            case _:
                return isinstance(expression, _PURE_EXPRESSIONS)

    def _is_call_safe(self, name: str, *, steady: bool) -> bool:
        """Whether a function is pure, or query-free; recursive functions are neither."""
        if (name, steady) not in self._known_calls:
            self._known_calls[name, steady] = False
            body = self._functions[name].body if name in self._functions else None
            judge = self._is_node_pure if steady else self._is_node_query_free
            able = body is not None and (not steady or self._has_total_body(self._functions[name]))
            self._known_calls[name, steady] = able and all(
                judge(node) for node in walk_nodes(body) if isinstance(node, ex.Typed)
            )
        return self._known_calls[name, steady]

    def _has_total_body(self, function: Function) -> bool:
        match function.body:
            case Decide(rows):
                return bool(rows) and rows[-1].guard is None
            case Table(rows):
                return self._has_row_for_each_word(function, rows)
            case body:
                return isinstance(body, Value | Conditions | Selection | Tally)

    def _has_row_for_each_word(self, function: Function, rows: tuple[TableRow, ...]) -> bool:
        match function.parameters:
            case (Variable(type=WordType(values)),):
                cells = [row.cells[0].value for row in rows]
                known = {cell.position for cell in cells if isinstance(cell, ex.WordLiteral)}
                return known == set(range(len(self._values[values].words)))
            case _:
                return False


_REORDERABLE_LINES = (
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
"""Lines that move, place or remove things are not reorderable: other lines read positions implicitly."""


@dataclass(frozen=True, slots=True)
class LineEffects:
    """Reads and writes of a line: locations of the game, and variables of the routine by number."""

    reads: StatePlaces
    writes: StatePlaces
    local_reads: frozenset[int]
    local_writes: frozenset[int]


_LineWithEffects = tuple[st.Statement, LineEffects]
_RoutineEffects = tuple[StatePlaces, dict[tuple[str, str], None]]


class DependenceAnalysis:
    """Dependence analysis of the lines of one program."""

    def __init__(self, program: Program, calm: PurityAnalysis) -> None:
        self._program = program
        self._purity = calm
        self._footprint = ReadFootprint(program)
        rules = [(rule.binding, rule.condition) for rule in program.rules.values()]
        always = [
            (invariant.binding, invariant.guard, invariant.condition) for invariant in program.invariants.values()
        ]
        self._rule_reads = frozenset[str]().union(*(self._footprint.collect_read_places(rule) for rule in rules))
        self._invariant_reads = [self._footprint.collect_read_places(item) for item in always]
        self._has_asking_rules = not all(map(self._is_part_query_free, (*rules, *always)))
        self._effects_by_routine: dict[tuple[str, str], _RoutineEffects] = {}
        self._handlers_by_event: dict[str, list[str]] = {}
        for name, handler in program.handlers.items():
            self._handlers_by_event.setdefault(handler.event, []).append(name)

    def _is_part_query_free(self, node: Any) -> bool:
        return all(self._purity.is_query_free(item) for item in walk_nodes(node) if isinstance(item, Expression))

    def read_places(self, node: Any) -> StatePlaces:
        """Locations of the game that a part of a declaration reads."""
        return self._footprint.collect_read_places(node)

    def line_effects(self, line: st.Statement) -> LineEffects | None:
        """Effects of a line; None for one that asks, rolls, calls, triggers or jumps."""
        inside = list(walk_nodes(line))
        lines = [item for item in inside if isinstance(item, st.Line)]
        if not all(isinstance(item, _REORDERABLE_LINES) for item in lines) or not self._is_part_query_free(line):
            return None
        changed = frozenset[str]().union(*map(list_written_places, lines))  # type: ignore[arg-type]
        return LineEffects(
            self.read_places(line),
            changed,
            find_local_reads(inside),
            frozenset(number for item in inside for number in _bound_variables(item)),
        )

    def _may_swap_lines(self, one: st.Statement, first: LineEffects, other: st.Statement, second: LineEffects) -> bool:
        """Whether two neighbouring lines may be exchanged.

        Neither reads or changes what the other changes, no standing rule reads what they change, so that none fires
        after either, and no invariant reads what both change, so that none breaks between.
        """
        if first.local_writes & (second.local_writes | second.local_reads) or second.local_writes & first.local_reads:
            return False
        if first.writes & second.reads or second.writes & first.reads:
            return False
        if first.writes & second.writes and not _is_same_assignment(one, other):
            return False
        if self._is_observed(first.writes | second.writes):
            return False
        return not any(
            invariant_read & first.writes and invariant_read & second.writes for invariant_read in self._invariant_reads
        )

    def _is_observed(self, changed: StatePlaces) -> bool:
        return bool(changed) and (self._has_asking_rules or bool(self._rule_reads & changed))

    def order_lines(self, block: st.Block, key: Callable[[st.Statement], Any]) -> st.Block:
        """Lines of a block with independent lines in a canonical order (topological sort, least key first)."""
        result: list[st.Statement] = []
        free: list[_LineWithEffects] = []
        for line in block:
            touched = self.line_effects(line)
            if touched is not None and not self._is_observed(touched.writes):
                free.append((line, touched))
            else:
                result += (*self._sort_topologically(free, key), line)
                free = []
        return (*result, *self._sort_topologically(free, key))

    def _sort_topologically(
        self, lines: Sequence[_LineWithEffects], key: Callable[[st.Statement], Any]
    ) -> Iterator[st.Statement]:
        after: list[list[int]] = [[] for _ in lines]
        behind = [0] * len(lines)
        shelves = _DependenceIndex(lines, self._invariant_reads, self._may_swap_lines)
        for number in range(len(lines)):
            for before in shelves.find_dependences(number):
                after[before].append(number)
                behind[number] += 1
        keys = [key(line) for line, _ in lines] if len(lines) > 1 else [None]
        ready = [(keys[number], number) for number, count in enumerate(behind) if not count]
        heapify(ready)
        while ready:
            _, number = heappop(ready)
            yield lines[number][0]
            for item in after[number]:
                behind[item] -= 1
                if not behind[item]:
                    heappush(ready, (keys[item], item))

    def may_trigger_rules(self, node: Any) -> bool:
        """Whether standing rules may read what lines change."""
        lines = (line for line in walk_nodes(node) if isinstance(line, st.Line))
        return bool(self._rule_reads & frozenset[str]().union(*map(list_written_places, lines)))  # type: ignore[arg-type]

    def may_settle_at_once(self, line: st.Together) -> bool:
        """Whether nothing observes that a block settles only at its end."""
        touched = [self.line_effects(item) for item in line.block]
        changed = frozenset[str]().union(*(line_effects.writes for line_effects in touched if line_effects is not None))
        watched = self._rule_reads.union(*self._invariant_reads)
        return None not in touched and not (changed and self._has_asking_rules) and not watched & changed

    def find_all_changes(self, node: Any) -> StatePlaces:
        """Locations that may change by lines, what they call and the standing rules that fire."""
        result, led = self._direct_effects(node)
        changed, visited, waiting = set(result), set(led), list(led)
        while waiting:
            result, led = self._routine_effects(waiting.pop())
            changed |= result
            waiting += [item for item in led if item not in visited]
            visited |= led.keys()
        return frozenset(changed)

    def _routine_effects(self, place: tuple[str, str]) -> "_RoutineEffects":
        if place not in self._effects_by_routine:
            sort, name = place
            match sort:
                case "procedure":
                    routine: Any = self._program.procedures[name]
                    self._effects_by_routine[place] = self._direct_effects((routine.opening, routine.steps))
                case "handler":
                    self._effects_by_routine[place] = self._direct_effects(self._program.handlers[name].block)
                case _:
                    self._effects_by_routine[place] = self._direct_effects(self._program.rules[name].block)
        return self._effects_by_routine[place]

    def _direct_effects(self, node: Any) -> "_RoutineEffects":
        lines = [item for item in walk_nodes(node) if isinstance(item, st.Line)]
        result = frozenset[str]().union(*map(list_written_places, lines), *map(self._external_changes, lines))  # type: ignore[arg-type]
        led = dict.fromkeys(called_routine for line in lines for called_routine in self._called_routines(line))
        if self._rule_reads & result:
            led |= dict.fromkeys(("rule", name) for name in self._program.rules)
        return result, led

    def _external_changes(self, line: st.Line) -> tuple[str, ...]:
        return self._program.external_procedures[line.external].changes if isinstance(line, st.PerformExternal) else ()

    def _called_routines(self, line: st.Line) -> Iterator[tuple[str, str]]:
        match line:
            case st.Perform(procedure=name):
                yield "procedure", name
            case st.Trigger(event=event):
                yield from self._handlers_of_events((event,))
            case st.Remove(events=events):
                yield from self._handlers_of_events(events)

    def _handlers_of_events(self, events: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        return (("handler", name) for event in events for name in self._handlers_by_event.get(event, ()))


class _DependenceIndex:
    """Index of writers and readers per location, to find dependences without comparing all pairs of lines."""

    def __init__(
        self, lines: Sequence[_LineWithEffects], always: Sequence[StatePlaces], may_swap_lines: Callable[..., bool]
    ) -> None:
        self._lines = lines
        self._invariant_reads = always
        self._may_swap_lines = may_swap_lines
        self._writers: dict[object, list[int]] = {}
        self._readers: dict[object, list[int]] = {}
        self._barriers: set[tuple[object, int]] = set()

    def find_dependences(self, number: int) -> set[int]:
        """Earlier lines that the next one depends on directly."""
        touched = self._lines[number][1]
        invariant_keys = (
            ("always", at) for at, invariant_read in enumerate(self._invariant_reads) if invariant_read & touched.writes
        )
        changed: list[object] = [*touched.writes, *touched.local_writes, *invariant_keys]
        looked_at: list[object] = [*touched.reads, *touched.local_reads]
        result: set[int] = set()
        for shelf in changed:
            latest = self._add_writers(shelf, number, result)
            for item in reversed(self._readers.get(shelf, ())):
                if item < latest:
                    break
                result.add(item)
        for shelf in looked_at:
            self._add_writers(shelf, number, result)
        for shelf in changed:
            self._writers.setdefault(shelf, []).append(number)
        for shelf in looked_at:
            self._readers.setdefault(shelf, []).append(number)
        return result

    def _add_writers(self, shelf: object, number: int, dependences: set[int]) -> int:
        """Adds the writers of a location that a line may not pass; returns the latest of them, or -1.

        Behind a writer that all earlier ones precede, those need not be compared.
        """
        latest, last = -1, True
        for item in reversed(self._writers.get(shelf, ())):
            if item not in dependences and self._may_swap_lines(*self._lines[item], *self._lines[number]):
                last = False
                continue
            dependences.add(item)
            latest = max(latest, item)
            if (shelf, item) in self._barriers:
                break
        if last:
            self._barriers.add((shelf, number))
        return latest


def find_local_reads(inside: Sequence[Any]) -> frozenset[int]:
    """Numbers of the variables of the routine that are read."""
    return frozenset(item.variable.index for item in inside if isinstance(item, ex.Local | st.Reveal))


def _bound_variables(node: Any) -> tuple[int, ...]:
    match node:
        case st.VariablePlace(variable=variable):
            return (variable.index,)
        case ex.Binding(variables=variables):
            return tuple(item.index for item in variables if item is not None)
        case _:
            bound = getattr(node, "variable", None) if isinstance(node, st.Line) else None
            return () if bound is None else (bound.index,)


def _is_same_assignment(one: st.Statement, other: st.Statement) -> bool:
    match one, other:
        case st.Assign(value=ex.Literal(value=first)), st.Assign(value=ex.Literal(value=second)):
            return type(first) is type(second) and first == second
        case st.Assign(value=ex.WordLiteral() as first), st.Assign(value=ex.WordLiteral() as second):
            return first.type == second.type and first.position == second.position
        case _:
            return False
