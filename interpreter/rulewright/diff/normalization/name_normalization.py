"""Normal forms of variables: numbering by use, forward substitution, live-range splitting, function inlining."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from rulewright.base.frozen import dataclass, replace
from rulewright.base.node_roles import Role, get_field_names, map_children, walk_nodes
from rulewright.diff.normalization.dependence_analysis import DependenceAnalysis, PurityAnalysis
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import make_members_comprehension, make_rows_condition
from rulewright.program.effects import StatePlaces
from rulewright.program.expressions import Binding, DecideRow, Expression, Variable
from rulewright.program.types import DieType, PoolType, SetType, Type
from rulewright.program.walk import get_blocks, rebuild_expression

_MAX_SUBSTITUTED_NODES = 400
_BRANCHING_LINES = (st.If, st.Match, st.Together)
_LOOP_LINES = (st.ForEach, st.Repeat)


class ForwardSubstitution:
    """Forward substitution of values for variables in one routine, where no input can have changed in between."""

    def __init__(self, whole: Any, calm: PurityAnalysis, effects: DependenceAnalysis, fixed: frozenset[int]) -> None:
        self._purity = calm
        self._dependences = effects
        inside = list(walk_nodes(whole))
        self._watched = find_changed_names(
            [item for node in inside if isinstance(node, d.Watch) for item in walk_nodes(node)]
        )
        self._occurrences = Counter(variable.index for variable in inside if isinstance(variable, Variable))
        self._fixed = fixed
        self._usage_by_line: dict[int, tuple[st.Statement | None, _LineUsage]] = {}

    def substitute_in_block(self, block: st.Block) -> st.Block:
        """Lines of a block without variables that only stand for a value."""
        items: list[st.Statement | None] = list(block)
        readers: dict[int, set[int]] = {}
        for place, item in enumerate(block):
            for index in self._line_usage(item).reads:
                readers.setdefault(index, set()).add(place)
        for number, line in enumerate(items):
            if not isinstance(line, st.Let) or line.value is None:
                continue
            value, index = line.value, line.variable.index
            places = sorted(at for at in readers.get(index, ()) if at > number)
            if not self._may_substitute(line, value, items[number + 1 : places[-1] + 1] if places else []):
                continue
            items[number] = None
            self._adjust_occurrences(value, sum(self._line_usage(items[at]).reads[index] for at in places) - 1)
            for place in places:
                items[place] = _substitute_name(items[place], index, value)
            for name in _read_names(value):
                readers.setdefault(name, set()).update(places)
        return tuple(line for line in items if line is not None)

    def _line_usage(self, line: st.Statement | None) -> "_LineUsage":
        known = self._usage_by_line.get(id(line))
        if known is None:
            known = self._usage_by_line[id(line)] = line, _analyze_line_usage(line, self._dependences)
        return known[1]

    def _adjust_occurrences(self, value: Expression, times: int) -> None:
        for node in walk_nodes(value):
            if isinstance(node, Variable):
                self._occurrences[node.index] += times

    def _may_substitute(self, line: st.Let, value: Expression, rest: list[st.Statement | None]) -> bool:
        """Whether a line may go if its value is substituted in the rest, which ends at the last read."""
        index = line.variable.index
        lines = [item for item in rest if item is not None]
        reads = sum(self._line_usage(item).reads[index] for item in lines)
        if index in self._fixed or self._occurrences[index] != reads + 1:
            return False
        if reads * sum(1 for _ in walk_nodes(value)) > _MAX_SUBSTITUTED_NODES or not self._purity.is_pure(value):
            return False
        return _ValueSources(
            self._dependences.read_places(value), value, self._watched, self._line_usage
        ).is_stable_at_reads(lines, index)


@dataclass(frozen=True, slots=True)
class _LineUsage:
    """Reads, writes, jumps, rolls and rule triggers of a line and all inside it."""

    reads: Counter[int]
    sets: frozenset[int]
    changes: StatePlaces
    has_calls: bool
    has_rerolls: bool
    may_trigger_rules: bool


def _analyze_line_usage(line: Any, effects: DependenceAnalysis) -> _LineUsage:
    inside = list(walk_nodes(line))
    return _LineUsage(
        Counter(local.variable.index for local in inside if isinstance(local, ex.Local)),
        find_changed_names(inside),
        effects.find_all_changes(line),
        any(isinstance(item, st.Perform | st.Trigger | st.Remove | st.PerformExternal) for item in inside),
        any(isinstance(item, st.Reroll) for item in inside),
        effects.may_trigger_rules(line),
    )


class _ValueSources:
    """Inputs of a value, and whether lines leave it unchanged."""

    def __init__(
        self,
        reads: StatePlaces,
        value: Expression,
        watched: frozenset[int],
        line_usage: Callable[[st.Statement], _LineUsage],
    ) -> None:
        self._reads = reads
        self._line_usage = line_usage
        locals_ = [node for node in walk_nodes(value) if isinstance(node, ex.Local)]
        self._names = _read_names(value)
        self._is_watched = bool(self._names & watched)
        self._has_dice = any(_is_dice_type(local.variable.type) for local in locals_)

    def is_stable_at_reads(self, lines: Sequence[st.Statement], index: int) -> bool:
        return self._is_stable_after(lines, index) is not None

    def _is_stable_after(self, lines: Sequence[st.Statement], index: int) -> bool | None:
        """Whether the value is unchanged after lines; None where the variable is read when it may have changed."""
        fresh = True
        for line in lines:
            if not fresh and index in self._line_usage(line).reads:
                return None
            after = self._is_stable_across(line, index)
            if after is None:
                return None
            fresh = fresh and after
        return fresh

    def _is_stable_across(self, line: st.Statement, index: int) -> bool | None:
        read = index in self._line_usage(line).reads
        if isinstance(line, _LOOP_LINES) and not self._is_kept_by_line(line):
            return None if read else False
        if not isinstance(line, _BRANCHING_LINES):
            inside = read and any(index in self._line_usage(item).reads for block in get_blocks(line) for item in block)
            return None if inside and not self._is_kept_by_line(line) else self._is_kept_by_line(line)
        blocks = [self._is_stable_after(item, index) for item in get_blocks(line)]
        return None if None in blocks else all(blocks)

    def _is_kept_by_line(self, line: st.Statement) -> bool:
        usage = self._line_usage(line)
        if usage.sets & self._names or usage.changes & self._reads:
            return False
        reacts = usage.has_calls or usage.may_trigger_rules
        return not (reacts and (self._is_watched or self._has_dice)) and not (usage.has_rerolls and self._has_dice)


def _read_names(value: Expression) -> frozenset[int]:
    return frozenset(node.variable.index for node in walk_nodes(value) if isinstance(node, ex.Local))


def find_changed_names(inside: Iterable[Any]) -> frozenset[int]:
    """Variables that are bound, set or shown."""
    inside = list(inside)
    counts = Counter(variable.index for variable in inside if isinstance(variable, Variable))
    counts.subtract(local.variable.index for local in inside if isinstance(local, ex.Local))
    return frozenset(index for index, times in counts.items() if times > 0)


def _substitute_name(node: Any, index: int, value: Expression) -> Any:
    if isinstance(node, ex.Local):
        return value if node.variable.index == index else node
    return map_children(node, lambda part: _substitute_name(part, index, value))


class NameNumbering:
    """Renumbering of the variables of one declaration in the order of their occurrence; some are fixed.

    `called` gives provisional names while an order is searched; without it they are numbers.
    """

    def __init__(self, fixed_names: Mapping[int, str], called: Callable[[str], str] | None = None) -> None:
        self._names_by_index: dict[int, str] = dict(fixed_names)
        self._translate_name = called
        self._used: Counter[str] = Counter()
        self._depth = 0

    def number_names(self, node: Any) -> Any:
        if isinstance(node, Variable):
            return self._number_variable(node)
        if isinstance(node, ex.Typed) and isinstance(getattr(node, "binding", None), Binding):
            return self._number_binding(node)
        return map_children(node, self.number_names)

    def _number_variable(self, variable: Variable) -> Variable:
        if variable.index not in self._names_by_index:
            stem = "v" if self._translate_name is None else self._translate_name(variable.name)
            self._names_by_index[variable.index] = f"{stem}#{self._used[stem]}"
            self._used[stem] += 1
        return replace(variable, name=self._names_by_index[variable.index])

    def _number_binding(self, node: Any) -> Any:
        """Bound variables are counted from the outside, and forgotten after the binding."""
        source = self.number_names(node.binding.source)
        read = {local.variable.index for local in walk_nodes(node) if isinstance(local, ex.Local)}
        used = tuple(
            variable if variable is not None and variable.index in read else None for variable in node.binding.variables
        )
        bound = [item for item in used if item is not None]
        around = {item.index: self._names_by_index.get(item.index) for item in bound}
        self._names_by_index.update({item.index: f"§{self._depth + number}" for number, item in enumerate(bound)})
        self._depth += len(bound)
        variables = tuple(None if item is None else self._number_variable(item) for item in used)
        binding = Binding(variables, source, self.number_names(node.binding.where))
        fields = (name for name in get_field_names(type(node), Role.PLACE, Role.PROOF) if name != "binding")
        rest = {name: self.number_names(getattr(node, name)) for name in fields}
        self._depth -= len(bound)
        for index, name in around.items():
            self._names_by_index.pop(index)
            if name is not None:
                self._names_by_index[index] = name
        return replace(node, binding=binding, **rest)


def _is_dice_type(type_: object) -> bool:
    if isinstance(type_, DieType | PoolType):
        return True
    if isinstance(type_, tuple):
        return any(map(_is_dice_type, type_))
    return isinstance(type_, Type) and any(_is_dice_type(getattr(type_, field.name)) for field in fields(type_))


def function_expression(function: d.Function) -> Expression | None:
    """Body of a function as one expression; None where it is not one."""
    match function.body:
        case d.Value(value):
            return value
        case d.Conditions() as conditions:
            return make_rows_condition(conditions, function.span)
        case d.Selection() as selection if isinstance(function.type, SetType):
            return make_members_comprehension(function, selection)
        case d.Decide(rows):
            return rows_expression(rows)
        case _:
            return None


def rows_expression(rows: Sequence[DecideRow]) -> Expression | None:
    """Value of the first row whose guard holds, as an expression; None where none may hold."""
    if not rows or rows[-1].guard is not None:
        return None
    result = rows[-1].value
    for row in reversed(rows[:-1]):
        if row.guard is None:
            return None
        result = ex.Conditional(
            type=row.value.type, span=row.span, condition=row.guard, then=row.value, otherwise=result
        )
    return result


class FunctionInliner:
    """Inlining of functions.

    Only for pure arguments: how often these are evaluated makes no difference.
    """

    def __init__(
        self, program: d.Program, calm: PurityAnalysis, names: Collection[str], numbers: Iterator[int]
    ) -> None:
        self._program = program
        self._purity = calm
        self._names = frozenset(names)
        self._numbers = numbers

    def inline_functions(self, part: Any) -> Any:  # an expression or a binding
        if isinstance(part, Binding):
            where = None if part.where is None else self.inline_functions(part.where)
            return replace(part, source=self.inline_functions(part.source), where=where)
        rebuilt = rebuild_expression(part, self.inline_functions)
        match rebuilt:
            case ex.CallFunction(function=name, arguments=given) if name in self._names:
                return self._expand_function_call(name, given) or rebuilt
            case ex.DerivedAttribute(function=name, target=target) if name in self._names:
                return self._expand_function_call(name, (target,)) or rebuilt
            case _:
                return rebuilt

    def _expand_function_call(self, name: str, given: Sequence[Expression]) -> Expression | None:
        function = self._program.functions[name]
        value = function_expression(function)
        indices = [parameter.index for parameter in function.parameters] or [0]
        if value is None or len(indices) != len(given) or not all(map(self._purity.is_pure, given)):
            return None
        inner = FunctionInliner(self._program, self._purity, self._names - {name}, self._numbers)
        put = _ExpressionSubstitution(dict(zip(indices, given, strict=True)), self._numbers)
        return put.substitute_expression(inner.inline_functions(value))  # type: ignore[no-any-return]


class _ExpressionSubstitution:
    def __init__(self, given: Mapping[int, Expression], numbers: Iterator[int]) -> None:
        self._arguments = given
        self._numbers = numbers
        self._fresh_variables: dict[int, Variable] = {}

    def substitute_expression(self, part: Any) -> Any:  # an expression or a binding
        match part:
            case ex.Itself():
                return self._arguments[0]
            case ex.Local(variable=variable) if variable.index in self._arguments:
                return self._arguments[variable.index]
            case ex.Local(variable=variable):
                return replace(part, variable=self._freshen_bound(variable))
            case Binding(variables=variables):
                source = self.substitute_expression(part.source)
                fresh = tuple(None if item is None else self._freshen_bound(item) for item in variables)
                return Binding(fresh, source, None if part.where is None else self.substitute_expression(part.where))
            case _:
                return rebuild_expression(part, self.substitute_expression)

    def _freshen_bound(self, variable: Variable) -> Variable:
        if variable.index not in self._fresh_variables:
            self._fresh_variables[variable.index] = replace(variable, index=next(self._numbers))
        return self._fresh_variables[variable.index]


def split_live_ranges(parts: Any, fixed: Collection[int], numbers: Iterator[int]) -> Any:
    """Parts of a routine with each independent live range of a variable under a number of its own.

    Args:
        parts: of the routine.
        fixed: numbers of variables that are known from elsewhere.
        numbers: fresh numbers.
    """
    for index in _find_reassigned_names(parts):
        result = [] if index in fixed else _find_live_blocks(parts, index)
        if result and len(result) > 1:
            fresh = {id(item): next(numbers) for item in result[1:]}
            parts = _renumber_in_blocks(parts, index, fresh)
    return parts


def _find_reassigned_names(parts: Any) -> list[int]:
    named, changed = Counter[int](), Counter[int]()
    for node in walk_nodes(parts):
        match node:
            case st.Assign(place=st.VariablePlace(variable=variable)):
                changed[variable.index] += 1
            case st.Line() if (name := _assigned_variable(node)) is not None:
                named[name.index] += 1
    result = {**{index: times for index, times in changed.items() if index not in named}, **named}
    return [index for index, times in result.items() if times > 1]


def _assigned_variable(line: st.Line) -> Variable | None:
    match line:
        case st.Let(value=None):
            return None
        case st.Let() | st.Ask() | st.Roll() | st.TallyLine() | st.Draw(otherwise=None):
            return line.variable
        case st.Perform() | st.PerformExternal() | st.Trigger():
            return line.result
        case st.Assign(place=st.VariablePlace(variable=variable)):
            return variable
        case _:
            return None


def _find_live_blocks(node: Any, index: int) -> list[st.Block] | None:
    """Blocks that own a variable, each setting it before any read; None where it is live across blocks."""
    if not _count_occurrences(node, index):
        return []
    match node:
        case (st.Line(), *_):
            lines = [item for item in node if _count_occurrences(item, index)]
            return [node] if _is_set_first(lines, index) else _find_inner_live_blocks(lines, index)
        case tuple():
            return _concatenate_blocks(_find_live_blocks(item, index) for item in node)
        case d.Step(block=block):
            return _find_live_blocks(block, index)
        case _:
            return None


def _find_inner_live_blocks(lines: Sequence[st.Statement], index: int) -> list[st.Block] | None:
    inner = [get_blocks(item) for item in lines]
    for line, blocks in zip(lines, inner, strict=True):
        if _count_occurrences(line, index) > sum(_count_occurrences(block, index) for block in blocks):
            return None
    return _concatenate_blocks(_find_live_blocks(block, index) for blocks in inner for block in blocks)


def _concatenate_blocks(parts: Iterator[list[st.Block] | None]) -> list[st.Block] | None:
    blocks: list[st.Block] = []
    for item in parts:
        if item is None:
            return None
        blocks += item
    return blocks


def _is_set_first(lines: Sequence[st.Statement], index: int) -> bool:
    """Whether the first of these lines that uses a variable sets it."""
    first, *later = lines
    name = _assigned_variable(first)
    if name is None or name.index != index:
        return False
    if not isinstance(first, st.Ask):
        return not _count_reads(first, index)
    if isinstance(first.shape, st.Whether):
        return not _count_reads((first.who, first.shape), index)
    chosen = [node.where for node in walk_nodes(first.shape) if isinstance(node, ex.Binding) and name in node.variables]
    if _count_reads((first.who, first.shape), index) > _count_reads(tuple(chosen), index):
        return False
    return first.otherwise is None or not any(_count_occurrences(item, index) for item in (first.otherwise, *later))


def _count_occurrences(node: Any, index: int) -> int:
    return sum(isinstance(inner, Variable) and inner.index == index for inner in walk_nodes(node))


def _count_reads(node: Any, index: int) -> int:
    return sum(isinstance(inner, ex.Local) and inner.variable.index == index for inner in walk_nodes(node))


def _renumber_in_blocks(node: Any, index: int, fresh: dict[int, int], number: int | None = None) -> Any:
    number = fresh.get(id(node), number)
    if isinstance(node, Variable):
        return node if number is None or node.index != index else replace(node, index=number)
    return map_children(node, lambda part: _renumber_in_blocks(part, index, fresh, number))
