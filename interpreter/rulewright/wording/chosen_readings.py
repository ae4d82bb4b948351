"""A program as its chosen readings make it: settings are values, and what no chosen reading reaches is left out.

Partial evaluation (Jones, Gomard and Sestoft 1993) with the settings as the known inputs. The result is for telling
alone: its rows and lines keep their addresses and spans.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import get_children, map_children, walk_nodes
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.walk import get_changed_places

_T = TypeVar("_T")
_FOLDED_DECLARATIONS = (
    "functions", "external_terms", "measures", "invariants", "events", "handlers", "rules", "procedures"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChosenReadings:
    """A program without its other readings, and where each setting decided: addresses of what is left around it."""

    program: Program
    settled: Mapping[str, tuple[str, ...]]


def fold_chosen_readings(program: Program, *, skips_steps: bool = False) -> ChosenReadings:
    """The program with each setting replaced by its value, and conditions, rows and lines folded that follow from it.

    Declarations that were reached through other readings alone are left out; so are changes of local flags and counters
    that nothing reads any more. With `skips_steps`, so are steps that are never entered; without it, all names that
    steer rulings alone, whose conditions go too.
    """
    if skips_steps and not program.settings:
        return ChosenReadings(program, {})
    folder = _ReadingFolder(program, skips_steps=skips_steps)
    parts: dict[str, Any] = {}
    settled: dict[str, dict[str, None]] = {}
    for field in _FOLDED_DECLARATIONS:
        parts[field] = {}
        for name, declared in getattr(program, field).items():
            folded = folder.fold_declaration(declared)
            if folded is None:
                continue
            if isinstance(folded, d.Routine) and not skips_steps:
                folded = _drop_steering(folded)
            parts[field][name] = folded
            left = {name, *(getattr(node, "address", "") for node in walk_nodes(folded))}
            for setting, around in _find_settings(declared, (name,)):
                settled.setdefault(setting, {})[next(each for each in reversed(around) if each in left)] = None
    parts["procedures"] = {
        name: _without_holds_of_others(each, parts["rules"]) for name, each in parts["procedures"].items()
    }
    folded_program = replace(program, **parts)
    return ChosenReadings(
        _drop_unreached(program, folded_program), {name: tuple(each) for name, each in settled.items()}
    )


def _find_settings(node: Any, around: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Settings below a node, each with the addresses around it, outermost first."""
    if isinstance(node, ex.SettingValue):
        yield node.name, around
    if isinstance(node, st.Line | d.Step | d.Watch):
        around = (*around, node.address)
    for child in get_children(node):
        yield from _find_settings(child, around)


class _ReadingFolder:
    def __init__(self, program: Program, *, skips_steps: bool) -> None:
        self._program = program
        self._skips_steps = skips_steps
        self._constants: dict[str, Expression | None] = {}

    def fold_declaration(self, declared: Any) -> Any:
        """A folded declaration; none if it never acts."""
        folded = self._fold(declared)
        match folded:
            case _ if folded is declared:
                return declared
            case d.Handler(guard=guard) | d.Invariant(guard=guard) if guard is not None:
                return None if _is_flag(guard, value=False) else _without_true_guard(folded)
            case d.StandingRule(condition=condition) if _is_flag(condition, value=False):
                return None
            case d.Routine():
                return _drop_changes(folded, _find_read_variables(declared) - _find_read_variables(folded))
            case _:
                return folded

    def _fold(self, node: Any) -> Any:
        match node:
            case tuple():
                return self._fold_items(node)
            case ex.SettingValue(name=name, type=type_, span=span):
                return replace(self._program.settings[name].value, type=type_, span=span)
            case ex.CallFunction(function=name, span=span) if (constant := self._find_constant(name)) is not None:
                return replace(constant, span=span)
            case st.Whether() | d.Step() if node.guard is not None and _is_flag(self._fold(node.guard), value=False):
                if isinstance(node, st.Whether):
                    return node
                return None if self._skips_steps else replace(node, block=self._fold(node.block))
        folded = map_children(node, self._fold)
        return node if folded is node else _without_true_guard(_simplify(folded))

    def _find_constant(self, name: str) -> Expression | None:
        """The value that a term has for all arguments, under the chosen readings; none if it depends on more."""
        if name not in self._constants:
            self._constants[name] = None
            declared = self._program.functions[name]
            match self.fold_declaration(declared):
                case d.Function(body=d.Value(ex.Literal() | ex.WordLiteral() as value)) as folded if (
                    folded is not declared
                ):
                    self._constants[name] = value
                case d.Function(body=d.Conditions(mode=mode, rows=rows)):
                    always_judged = (row.condition for row in rows if row.guard is None)
                    decided = (each for each in always_judged if _is_flag(each, value=mode == "any"))
                    self._constants[name] = next(decided, None)
                case _:
                    pass
        return self._constants[name]

    def _fold_items(self, items: tuple[Any, ...]) -> tuple[Any, ...]:
        result: list[Any] = []
        for item in items:
            folded = self._fold(item)
            if folded is item:
                result.append(item)
            else:
                result += _list_what_is_left(folded)
                if isinstance(folded, ex.DecideRow) and folded.guard is None:
                    break
        unchanged = len(result) == len(items) and all(one is other for one, other in zip(result, items, strict=True))
        return items if unchanged or (not result and type(items[0]) is ex.ConditionRow) else tuple(result)


def _list_what_is_left(folded: Any) -> Iterator[Any]:
    """A folded row or line of a list: itself, nothing, or the lines of the only branch that is left."""
    match folded:
        case None:
            return
        case st.ForEach(binding=binding) if _is_flag(binding.where, value=False):
            return
        case st.If(branches=branches, otherwise=otherwise):
            possible = [branch for branch in branches if not _is_flag(branch.condition, value=False)]
            for number, branch in enumerate(possible):
                if _is_flag(branch.condition, value=True):
                    possible, otherwise = possible[:number], branch.block
                    break
            if any(branch.block for branch in possible) or (possible and otherwise):
                yield replace(folded, branches=tuple(possible), otherwise=otherwise)
            elif not possible:
                yield from otherwise or ()
        case st.Match(subject=ex.Literal() | ex.WordLiteral() as subject, cases=cases):
            subject_value = _get_known_value(subject)
            chosen = (case for case in cases if not case.values or subject_value in map(_get_known_value, case.values))
            yield from next(chosen).block
        case d.Need(condition=condition) | st.Demand(condition=condition) if _is_flag(condition, value=True):
            return
        case (
            ex.ConditionRow(guard=guard) | ex.TallyRow(guard=guard) | ex.DecideRow(guard=guard)
            | st.Option(guard=guard) | d.Watch(guard=guard)
        ):  # fmt: skip
            if not _is_flag(guard, value=False):
                yield folded
        case _:
            yield folded


def _without_true_guard(node: _T) -> _T:
    if _is_flag(getattr(node, "guard", None), value=True):
        return replace(node, guard=None)  # type: ignore[type-var]
    return node


def _is_flag(node: Any, *, value: bool) -> bool:
    return isinstance(node, ex.Literal) and node.value is value


def _simplify(node: Any) -> Any:
    """A node whose parts became known, in a simpler form."""
    match node:
        case d.Conditions(mode=mode, rows=rows):
            left_rows = tuple(row for row in rows if not _is_flag(row.condition, value=mode == "all"))
            return replace(node, rows=left_rows or rows[:1])
        case ex.Narrowed(operand=ex.Literal() | ex.WordLiteral() as operand):
            return operand
        case ex.Binding(where=where) if _is_flag(where, value=True):
            return replace(node, where=None)
        case ex.Quantifier(word=word, binding=binding) if _is_flag(binding.where, value=False):
            return ex.Literal(value=word != "some", type=node.type, span=node.span)
        case ex.Not(operand=ex.Literal(value=bool(value)) as operand):
            return replace(operand, value=not value)
        case ex.Logical(operator=operator, left=left, right=right):
            for one, other in ((left, right), (right, left)):
                if isinstance(one, ex.Literal):
                    return one if one.value is (operator == "or") else other
        case ex.Conditional(condition=ex.Literal(value=bool(value)), then=then, otherwise=otherwise):
            return then if value else otherwise
        case ex.Comparison(operator=operator, left=left, right=right) if _are_known(left, right):
            values = map(_get_known_value, (left, right))
            return ex.Literal(value=ex.COMPARISON_FUNCTIONS[operator](*values), type=node.type, span=node.span)
        case ex.Arithmetic(operator="+" | "-", left=left, right=ex.Literal(value=0)):
            return left
        case ex.Arithmetic(operator="+", left=ex.Literal(value=0), right=right):
            return right
        case ex.Membership(item=item, collection=ex.MakeCollection(items=items), negated=negated) if _are_known(
            item, *items
        ):
            inside = _get_known_value(item) in map(_get_known_value, items)
            return ex.Literal(value=inside is not negated, type=node.type, span=node.span)
    return node


def _are_known(*nodes: Expression) -> bool:
    return all(isinstance(node, ex.Literal | ex.WordLiteral) for node in nodes)


def _get_known_value(node: Any) -> Any:
    return node.position if isinstance(node, ex.WordLiteral) else node.value


def _without_holds_of_others(procedure: d.Procedure, rules: Mapping[str, object]) -> d.Procedure:
    """With only those rules suspended that are left."""
    held = [
        replace(item, rules=tuple(rule for rule in item.rules if rule in rules)) if isinstance(item, d.Hold) else item
        for item in procedure.opening
    ]
    opening = tuple(item for item in held if not isinstance(item, d.Hold) or item.rules)
    return replace(procedure, opening=opening)


def _drop_steering(routine: _T) -> _T:
    """Without conditions that lead to rulings alone, and then without names that nothing reads."""
    routine = _keep_bare_rulings(routine)
    while True:
        lines: list[Any] = [line for line in walk_nodes(routine) if isinstance(line, st.Line)]
        also_changed = {
            place.variable
            for line in lines
            for place in get_changed_places(line)
            if isinstance(place, st.VariablePlace) and not _is_change_of(line, {place.variable})
        }
        names = {line.variable for line in lines if isinstance(line, st.Let)} - also_changed
        shorter = _drop_changes(routine, names - _find_read_variables(routine))
        if shorter is routine:
            return routine
        routine = shorter


def _keep_bare_rulings(node: Any) -> Any:
    node = map_children(node, _keep_bare_rulings)
    if not isinstance(node, tuple) or not any(isinstance(line, st.If) and st.does_nothing((line,)) for line in node):
        return node
    blocks = (
        (each for each in walk_nodes(line) if isinstance(each, st.Ruling))
        if isinstance(line, st.If) and st.does_nothing((line,)) and not _may_ask_or_fault(line)
        else (line,)
        for line in node
    )
    return tuple(each for block in blocks for each in block)


def _drop_changes(routine: _T, variables: set[ex.Variable]) -> _T:
    """Without plain changes of these local names."""

    def drop(node: Any) -> Any:
        node = map_children(node, drop)
        if not isinstance(node, tuple):
            return node
        kept = tuple(each for each in node if not (_is_change_of(each, variables) or _has_only_empty_blocks(each)))
        return node if len(kept) == len(node) else kept

    return drop(routine) if variables else routine


def _has_only_empty_blocks(line: object) -> bool:
    return isinstance(line, st.If) and not any(line.alternatives)


def _find_read_variables(routine: Any) -> set[ex.Variable]:
    return {node.variable for node in walk_nodes(routine) if isinstance(node, ex.Local)}


def _is_change_of(line: object, variables: set[ex.Variable]) -> bool:
    match line:
        case st.Let(variable=variable, value=value) | st.Assign(place=st.VariablePlace(variable), value=value):
            return variable in variables and not _may_ask_or_fault(value)
        case _:
            return False


def _may_ask_or_fault(node: Any) -> bool:
    """Whether the table may have to answer, or a value may not exist."""
    return any(
        isinstance(each, ex.ExternalValue | ex.CallFunction | ex.TheOnly | ex.Entry) for each in walk_nodes(node)
    )


def _drop_unreached(before: Program, folded: Program) -> Program:
    """Without terms and externals that something called before, and nothing calls now."""
    unreached = _find_called_names(before) - _find_called_names(folded)
    kept: dict[str, Any] = {
        field: {name: each for name, each in getattr(folded, field).items() if (field, name) not in unreached}
        for field in ("functions", "external_terms", "external_procedures")
    }
    return _drop_unreached(folded, replace(folded, **kept)) if unreached else folded


def _find_called_names(program: Program) -> set[tuple[str, str]]:
    return {name for field in _FOLDED_DECLARATIONS for name in _list_called_names(getattr(program, field).values())}


def _list_called_names(declarations: Any) -> Iterator[tuple[str, str]]:
    for node in walk_nodes(tuple(declarations)):
        match node:
            case ex.CallFunction(function=name):
                yield "functions", name
            case ex.ExternalValue(external=name):
                yield "external_terms", name
            case st.PerformExternal(external=name):
                yield "external_procedures", name
