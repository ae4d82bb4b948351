"""Functions of the rules: terms, relations, derived attributes, tallies, decides, tables, measures, invariants.

Bodies are typed on demand, so that a function can be used above its declaration.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rulewright.base.diagnostics import DiagnosticCollector, Label
from rulewright.checker import infer
from rulewright.checker.change_impact import FUNCTION_SORT
from rulewright.checker.clauses import resolve_clause_ids
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import make_key
from rulewright.checker.facts.inlining import inline_call
from rulewright.checker.functions.rows import (
    check_distinct_names,
    make_row_fields,
    type_condition_row,
    type_condition_rows,
    type_decide_rows,
    type_guard,
    type_tally_rows,
)
from rulewright.checker.functions.table_rows import type_table_rows
from rulewright.checker.infer import make_declaration_scope
from rulewright.checker.infer.name_lookup import get_self_type, has_name_conflict
from rulewright.checker.infer.type_fitting import fit_expression, infer_fitted
from rulewright.checker.name_spaces import resolve_type
from rulewright.checker.read_sets import collect_plain_names, collect_reads
from rulewright.checker.scope import Scope, TypeEnvironment, VariableTable
from rulewright.checker.symbols import LinkedModule, LinkedProgram, note_symbol
from rulewright.program import declarations as typed
from rulewright.program.declarations import Function
from rulewright.program.expressions import CallFunction, Comparison, Local, Variable
from rulewright.program.types import (
    COUNT,
    FLAG,
    GRID_STEPS,
    CellType,
    EmptyType,
    NumberType,
    PlaneType,
    SetType,
    TupleType,
    Type,
    strip_optional,
)
from rulewright.program.walk import get_outer_expressions, sort_dependencies_first
from rulewright.syntax.nodes import declarations as nodes, expressions
from rulewright.syntax.nodes.expressions import Cite, Name, Title
from rulewright.syntax.nodes.statements import Conditions

_MOVE_VARIABLE_NAMES = ("left", "entered", "crossed", "spent", "moves")


def type_paths_body(node: nodes.Paths, scope: Scope, address: str) -> tuple[Type, typed.Paths] | None:
    """Body of a paths term: cells of the board, start and rows.

    Reports RW0301 (no such board), RW0335 (a cost that is a fraction or may fall below 0) and what rows report.
    """
    board = _find_paths_board(node, scope)
    if board is None or any([_is_move_name_taken(name, node, scope) for name in _MOVE_VARIABLE_NAMES]):  # noqa: C419 - every one is reported
        return None
    name, cell = board
    start = infer_fitted(node.start, cell, scope, f"the start of `{node.name.text}`")
    new = scope.variables.new_variable
    left_variable, entered, spent, moves = (
        new("left", cell),
        new("entered", cell),
        new("spent", COUNT),
        new("moves", COUNT),
    )
    inner = replace(scope.with_variables(left_variable, entered, spent, moves), crossed_cells=(left_variable, entered))
    check_distinct_names(
        (
            *{tally_row.name.text: tally_row.name for tally_row in node.costs}.values(),
            *(path_row.name for path_row in node.rows),
        ),
        scope,
    )
    from_, to = (Local(type=cell, span=node.span, variable=variable) for variable in (left_variable, entered))
    elsewhere = Comparison(type=FLAG, span=node.span, operator="!=", left=from_, right=to)
    moving = inner.with_facts(assume(inner.facts, elsewhere, truth=True))
    cost = _type_path_cost(node, moving, address) if node.costs else None
    judged = [(row, inner if row.word == "end" else moving) for row in node.rows]
    rows = tuple(
        typed_row for row, known in judged if (typed_row := _type_path_row(row, node, known, address)) is not None
    )
    if start is None or (node.costs and cost is None) or len(rows) != len(node.rows):
        return None
    return SetType(cell), typed.Paths(name, start, left_variable, entered, spent, moves, cost, rows)


def _is_move_name_taken(name: str, node: nodes.Paths, scope: Scope) -> bool:
    """Whether a name of the rows of `paths` means something else in the module; reports it where that is declared."""
    symbol = scope.module.names.get(name)
    if symbol is None or symbol.span.source != node.name.span.source:
        return has_name_conflict(Name(name, node.name.span), scope)
    message = f"`{name}` has a meaning of its own in the rows of `paths`"
    label = Label(node.name.span, "these `paths`")
    scope.report.error("RW0312", symbol.span, message, secondary=(label,), help="give this another name")
    return True


def _find_paths_board(node: nodes.Paths, scope: Scope) -> tuple[str, CellType] | None:
    symbol = scope.module.names.get(node.board.text)
    board = symbol.node if symbol is not None and isinstance(symbol.node, nodes.Board) else None
    if board is not None and board.space.text == "plane":
        message = f"`{node.board.text}` is a board of the plane and has no cells to move over"
        scope.report.error(
            "RW0301",
            node.board.span,
            message,
            help="`paths` are on a board `of hex` or `of square`",
            subject=node.board.text,
        )
        return None
    if symbol is not None and board is not None:
        note_symbol(node.board.span, symbol, scope.report)
        return (symbol.name, CellType(board.space.text)) if board.space.text in GRID_STEPS else None
    message = f"there is no board `{node.board.text}`"
    scope.report.error(
        "RW0301", node.board.span, message, help="name a `board` of this ruleset after `on`", missing=node.board.text
    )
    return None


def _type_path_cost(node: nodes.Paths, scope: Scope, address: str) -> typed.Tally | None:
    nothing = expressions.WholeNumber(0, node.costs[0].span)
    tally = type_tally_rows(node.name, nothing, node.costs, scope, address, node.cites)
    if tally is None:
        return None
    type_ = tally[0].type
    if isinstance(type_, NumberType) and type_.low is not None and type_.low >= 0:
        return typed.Tally(*tally)
    fraction = not isinstance(type_, NumberType)
    message = "a move costs a whole number" if fraction else "the cost of a move may fall below 0"
    remedy = "use `floor`, `ceiling` or `round`" if fraction else "add a last row such as `cost least: at least 0`"
    scope.report.error("RW0335", node.costs[-1].span, message, help=remedy)
    return None


def _type_path_row(row: nodes.PathRow, node: nodes.Paths, scope: Scope, address: str) -> typed.PathRow | None:
    condition_row = type_condition_row(row, scope, address, node.cites)
    if condition_row is None:
        return None
    top = make_row_fields(row, scope, address, node.cites)
    return typed.PathRow(**top, condition=condition_row.condition, guard=condition_row.guard, word=row.word)


FunctionNode = nodes.Term | nodes.Relation | nodes.Tally | nodes.Decide | nodes.Table | nodes.Paths
_TypedBody = tuple[Type, typed.Body]


def type_function(node: FunctionNode, scope: Scope) -> typed.Function | None:
    """Function of a declaration; None after an error."""
    name = scope.module.prefix + node.name.text
    inner = enter_parameters(node.parameters, scope)
    typed_body = _type_function_body(node, inner, name) if inner is not None else None
    if typed_body is None:
        return None
    result = typed.Function(
        name=name,
        title=_choose_title(node.title, _get_node_conditions(node)),
        cites=resolve_clause_ids(_choose_cites(node.cites, _get_node_conditions(node)), scope.linked),
        span=node.span,
        sort=type(node).__name__.lower(),
        owner="",
        parameters=tuple(scope.variables.variables[: len(node.parameters)]),
        variables=tuple(scope.variables.variables),
        type=typed_body[0],
        body=typed_body[1],
        symmetric=isinstance(node, nodes.Relation) and node.symmetric,
    )
    if result.symmetric and len(result.parameters) == 2:  # noqa: PLR2004 - other relations are refused elsewhere
        check_relation_symmetry(replace(result, span=node.name.span), scope)
    return result


def type_derived_attribute(field: nodes.DerivedField | nodes.DerivedConditions, scope: Scope) -> typed.Function | None:
    """Function of a derived attribute, whose first parameter is `self`; None after an error."""
    name = f"{scope.owner}/{field.name.text}"
    scope.variables.new_variable("self", get_self_type(scope))
    parameters = field.parameters if isinstance(field, nodes.DerivedField) else ()
    inner = enter_parameters(parameters, scope)
    typed_body = _type_attribute_body(field, inner, name) if inner is not None else None
    if typed_body is None:
        return None
    conditions = field.conditions if isinstance(field, nodes.DerivedConditions) else None
    title = field.title if isinstance(field, nodes.DerivedField) else None
    cites = field.cites if isinstance(field, nodes.DerivedField) else ()
    scope.environment.derived_attributes[scope.owner][field.name.text] = (name, typed_body[0])
    return typed.Function(
        name=name,
        title=_choose_title(title, conditions),
        cites=resolve_clause_ids(_choose_cites(cites, conditions), scope.linked),
        span=field.span,
        sort="attribute",
        owner=scope.owner,
        parameters=tuple(scope.variables.variables[: len(parameters) + 1]),
        variables=tuple(scope.variables.variables),
        type=typed_body[0],
        body=typed_body[1],
    )


def _type_attribute_body(
    field: nodes.DerivedField | nodes.DerivedConditions, scope: Scope, name: str
) -> _TypedBody | None:
    if isinstance(field, nodes.DerivedConditions):
        return FLAG, _type_conditions(field.conditions, scope, name, field.conditions.cites)
    result = infer.infer_decided_value(field.value, scope)
    return (result.type, typed.Value(result)) if result is not None else None


def _get_node_conditions(node: FunctionNode) -> Conditions | None:
    return node.conditions if isinstance(node, nodes.Term | nodes.Relation) else None


def _choose_title(title: Title | None, conditions: Conditions | None) -> str:
    shown = title or (conditions.title if conditions else None)
    return shown.text if shown else ""


def _choose_cites(cites: tuple[Cite, ...], conditions: Conditions | None) -> tuple[Cite, ...]:
    return cites or (conditions.cites if conditions else ())


def enter_parameters(parameters: tuple[nodes.Parameter, ...], scope: Scope) -> Scope | None:
    """Scope of a body, with the parameters as its first variables; None where one has no type."""
    for parameter in parameters:
        type_ = resolve_type(parameter.type, scope.module, scope.linked, scope.report)
        if type_ is None or infer.has_name_conflict(parameter.name, scope):
            return None
        scope = scope.with_variables(scope.variables.new_variable(parameter.name.text, type_))
    scope.variables.parameter_count = len(scope.variables.variables)
    return scope


def resolve_result_type(node: expressions.Type | None, scope: Scope) -> Type | None:
    """Type after `gives`, a flag without one; None where it could not be read."""
    return resolve_type(node, scope.module, scope.linked, scope.report) if node is not None else FLAG


def _type_function_body(node: FunctionNode, scope: Scope, name: str) -> _TypedBody | None:
    match node:
        case nodes.Term():
            return _type_term_body(node, scope, name)
        case nodes.Relation(conditions=conditions) if conditions is not None:
            return FLAG, _type_conditions(conditions, scope, name, _choose_cites(node.cites, conditions))
        case nodes.Relation(value=value):
            return _type_value_body(value, FLAG, scope, name) if value is not None else None
        case nodes.Tally(start=start, rows=rows):
            tally = type_tally_rows(node.name, start, rows, scope, name, node.cites)
            return (tally[0].type, typed.Tally(*tally)) if tally is not None else None
        case nodes.Decide(rows=rows):
            type_ = resolve_result_type(node.gives, scope)
            decided = type_ and type_decide_rows(rows, type_, scope, name, node.cites)
            return (decided[0], typed.Decide(decided[1])) if decided else None
        case nodes.Table():
            type_ = resolve_result_type(node.gives, scope)
            parameters = tuple(scope.variables.variables[: len(node.parameters)])
            result = type_table_rows(node, parameters, type_, scope, name) if type_ is not None else None
            return (type_, typed.Table(result)) if type_ is not None and result is not None else None
        case nodes.Paths():
            return type_paths_body(node, scope, name)


def _type_value_body(value: expressions.Expression, type_: Type, scope: Scope, name: str) -> _TypedBody | None:
    result = infer_fitted(value, type_, scope, f"`{name}`")
    return (type_, typed.Value(result)) if result is not None else None


def _type_conditions(conditions: Conditions, scope: Scope, name: str, cites: tuple[Cite, ...]) -> typed.Conditions:
    rows = type_condition_rows(conditions.rows, conditions.mode, scope, name, cites)
    return typed.Conditions(conditions.mode, rows, conditions.title.text if conditions.title else "")


def _type_term_body(node: nodes.Term, scope: Scope, name: str) -> _TypedBody | None:
    type_ = resolve_result_type(node.gives, scope)
    if type_ is None:
        return None
    if node.conditions is None:
        return _type_value_body(node.value, type_, scope, name) if node.value is not None else None
    margin = _choose_cites(node.cites, node.conditions)
    if node.over is not None:
        return _type_selection_body(node.over, node.conditions, type_, scope, (name, margin))
    return FLAG, _type_conditions(node.conditions, scope, name, margin)


def _type_selection_body(
    over: expressions.Binder, conditions: Conditions, type_: Type, scope: Scope, place: tuple[str, tuple[Cite, ...]]
) -> _TypedBody | None:
    bound = infer.infer_binding(over, scope)
    if bound is None:
        return None
    binding, inner = bound
    name, margin = place
    types = tuple(variable.type for variable in binding.variables if variable is not None)
    selected = SetType(types[0] if len(types) == 1 else TupleType(types))
    if len(types) != len(binding.variables) or selected != type_:
        scope.report.error("RW0317", over.span, f"`{name}` gives `{type_}`, and this selects `{selected}`")
        return None
    return type_, typed.Selection(binding, _type_conditions(conditions, inner, name, margin))


def type_external_term(node: nodes.ExternalTerm, scope: Scope) -> typed.ExternalTerm | None:
    """External term with its default; None after an error."""
    type_ = resolve_result_type(node.gives, scope)
    inner = enter_parameters(node.parameters, scope)
    if type_ is None or inner is None:
        return None
    default = None
    if node.default is not None:
        result = inner.infer(node.default, type_)
        default = result and fit_expression(result, type_, inner, "the default")
        if default is None:
            return None
    name = scope.module.prefix + node.name.text
    if default is None and name not in scope.linked.external_bindings:
        _check_plane_parameters(node, inner.variables.variables[: len(node.parameters)], scope)
    return typed.ExternalTerm(
        **_make_common_fields(node, scope),
        parameters=tuple(inner.variables.variables[: len(node.parameters)]),
        type=type_,
        default=default,
    )


def _check_plane_parameters(node: nodes.ExternalTerm, parameters: list[Variable], scope: Scope) -> None:
    """Reports a term that takes a place on the plane and would be asked about all of them (RW0345)."""
    for written, parameter in zip(node.parameters, parameters, strict=True):
        if isinstance(strip_optional(parameter.type), PlaneType):
            message = f"`{node.name.text}` would be asked for each `{parameter.type}`, and there are endlessly many"
            scope.report.error("RW0345", written.span, message, help="give it a `default`, or `bind` it to a term")
            return


def type_measure(node: nodes.Measure, scope: Scope) -> typed.Measure | None:
    """Measure with its value; None after an error."""
    inner = enter_parameters(node.parameters, scope)
    result = infer.infer_decided_value(node.value, inner) if inner is not None else None
    if inner is None or result is None:
        return None
    return typed.Measure(
        **_make_common_fields(node, scope),
        parameters=tuple(inner.variables.variables[: len(node.parameters)]),
        variables=tuple(inner.variables.variables),
        type=result.type,
        value=result,
    )


def type_invariant(node: nodes.Always, scope: Scope) -> typed.Invariant | None:
    """An `always`, typed without what other invariants say; None after an error."""
    scope = scope.with_facts(replace(scope.facts, kind_counts={}))
    inner, binding = scope, None
    if node.binder is not None:
        bound = infer.infer_binding(node.binder, scope)
        if bound is None:
            return None
        binding, inner = bound
    guard, inner = type_guard(node.guard, inner)
    condition = infer.infer_row_condition(node.condition, inner)
    if condition is None or (node.guard is not None and guard is None):
        return None
    invariant = typed.Invariant(
        **_make_common_fields(node, scope),
        variables=tuple(scope.variables.variables),
        binding=binding,
        guard=guard,
        condition=condition,
    )
    scope.environment.invariants[invariant.name] = invariant
    return invariant


def _make_common_fields(node: nodes.ExternalTerm | nodes.Measure | nodes.Always, scope: Scope) -> dict[str, Any]:
    name, title = scope.module.prefix + node.name.text, node.title.text if node.title else ""
    return {"name": name, "title": title, "cites": resolve_clause_ids(node.cites, scope.linked), "span": node.span}


_SYMMETRIC_BUILTINS = frozenset({"adjacent", "distance", "gap", "contact", "overlaps", "min", "max"})


def check_relation_symmetry(relation: typed.Function, scope: Scope) -> None:
    """Warns where exchanging the two sides may change the answer (RW0413).

    Keys of the rows are compared in both orders, up to the order of `and`, `or`, `=` and of the sides of functions,
    relations and terms that are symmetric themselves.
    """
    if _SymmetryChecker(scope).is_symmetric(relation):
        return
    name, (a, b) = relation.name, (parameter.name for parameter in relation.parameters)
    message = f"it is not certain that `{name}({a}, {b})` and `{name}({b}, {a})` are always alike"
    remedy = "ask the same of both sides in every row, or leave out `symmetric`"
    scope.report.warning("RW0413", relation.span, message, help=remedy)


class _SymmetryChecker:
    def __init__(self, scope: Scope) -> None:
        self._functions = scope.environment.functions
        declared = (symbol for module in scope.linked.modules for symbol in module.callables.values())
        relations = (item for item in declared if isinstance(item.node, nodes.Relation))
        # symmetry by name: declared for relations, computed for terms
        self._symmetry_by_name = {relation.name: relation.node.symmetric for relation in relations}  # type: ignore[union-attr]

    def is_symmetric(self, function: typed.Function) -> bool:
        first, second = function.parameters
        return self._normalize_function_body(function, (first, second)) == self._normalize_function_body(
            function, (second, first)
        )

    def _is_symmetric_by_name(self, name: str) -> bool:
        if name not in self._symmetry_by_name:
            self._symmetry_by_name[name] = False  # recursion shows nothing
            match self._functions.get(name):
                case typed.Function(parameters=(first, second)) as term if first.type == second.type:
                    self._symmetry_by_name[name] = self.is_symmetric(term)
                case _:
                    pass
        return self._symmetry_by_name[name]

    def _normalize_function_body(self, function: typed.Function, order: tuple[Variable, Variable]) -> frozenset[object]:
        sides = tuple(Local(type=variable.type, span=function.span, variable=variable) for variable in order)
        call = CallFunction(type=function.type, span=function.span, function=function.name, arguments=sides)
        body = inline_call(call, {function.name: function}, 0)
        if body is None:
            return frozenset({order})
        if body.value is not None:
            return frozenset({self._sort_commutative_parts(make_key(body.value))})
        rows = ((make_key(row.condition), row.guard and make_key(row.guard)) for row in body.rows)
        return frozenset(self._sort_commutative_parts(row) for row in rows)

    def _sort_commutative_parts(self, part: object) -> object:
        if not isinstance(part, tuple):
            return part
        inner = tuple(self._sort_commutative_parts(item) for item in part)
        match inner:
            case ("Logical", operator, *sides):
                return ("Logical", operator, *sorted(sides, key=repr))
            case ("=", *sides):
                return ("=", *sorted(sides, key=repr))
            case ("Builtin", name, tuple() as arguments, *rest) if name in _SYMMETRIC_BUILTINS:
                return ("Builtin", name, tuple(sorted(arguments, key=repr)), *rest)
            case ("CallFunction", str() as name, tuple() as arguments) if self._is_symmetric_by_name(name):
                return ("CallFunction", name, tuple(sorted(arguments, key=repr)))
            case ("RelationHolds", str() as name, *sides) if self._is_symmetric_by_name(name):
                return ("RelationHolds", name, *sorted(sides, key=repr))
            case _:
                return inner


_FunctionBuild = partial[Function | None]


def register_functions(linked: LinkedProgram, environment: TypeEnvironment, report: DiagnosticCollector) -> None:
    """Registers all functions of all modules for `TypeEnvironment.demand_function`.

    Called once all stored fields, relations, settings and values are in the environment, and before any expression is
    inferred. Functions are terms, derived relations, derived attributes, tallies, decides and tables.
    """
    for module in linked.modules:
        for name, address, build in _iterate_function_builders(
            make_declaration_scope(linked, module, environment, report), module
        ):
            environment.pending_functions[address] = _PendingFunction(name, address, build, environment, report)


def build_all_functions(environment: TypeEnvironment) -> dict[str, Function]:
    """All functions without errors, in order of declaration."""
    for name in _iterate_deep_functions(_map_possible_calls(environment)):
        environment.demand_function(name)
    mapping = {name: environment.demand_function(name) for name in environment.pending_functions}
    return {name: function for name, function in mapping.items() if function is not None}


_MAX_BUILD_DEPTH = 10  # functions typed inside each other


def _map_possible_calls(environment: TypeEnvironment) -> dict[str, list[str]]:
    pending = {
        address: pending_function
        for address, pending_function in environment.pending_functions.items()
        if isinstance(pending_function, _PendingFunction)
    }
    called: dict[str, list[str]] = {}
    for address, pending_function in pending.items():
        called.setdefault(pending_function.name.text, []).append(address)
    return {
        address: [result for name in collect_plain_names(item.node) for result in called.get(name, ())]
        for address, item in pending.items()
    }


def _iterate_deep_functions(leads: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Functions to build first, so that none is built more than `_MAX_BUILD_DEPTH` deep inside others."""
    heights = dict.fromkeys(leads, 0)
    for name in sort_dependencies_first(leads):
        heights[name] = 1 + max((heights[lead] for lead in leads[name] if lead != name), default=0)
        if heights[name] >= _MAX_BUILD_DEPTH:
            heights[name] = 0
            yield name


@dataclass(slots=True, eq=False, repr=False)
class _PendingFunction:
    """A function built when first needed; a body that leads back to itself is an error."""

    name: Name
    address: str
    build_function: _FunctionBuild
    environment: TypeEnvironment
    report: DiagnosticCollector
    state: str = "waiting"

    @property
    def node(self) -> Any:  # a declaration or an attribute
        return self.build_function.args[0]

    def __call__(self) -> None:
        match self.state:
            case "waiting":
                self.state = "begun"
                self._run_build()
                self.state = "done"
            case "begun":
                self.state = "reported"
                message = f"`{self.name.text}` is defined by itself"
                self.report.error(
                    "RW0324", self.name.span, message, help="give one of them a meaning without the other"
                )
            case _:
                return

    def _run_build(self) -> None:
        outer, self.report.address = self.report.address, self.address
        self.environment.preconditions.functions_in_progress.append(self.address)
        function = self.environment.results_store.get_or_make_result(
            (FUNCTION_SORT, self.address), self.environment, self.report, self.build_function
        )
        self.environment.preconditions.functions_in_progress.pop()
        self.report.address = outer
        if function is not None and self.state != "reported":
            self.environment.functions[self.address] = function
            read = (
                item
                for part in get_outer_expressions(function.body)
                for item in collect_reads(part, self.environment.reads_by_function)
            )
            self.environment.reads_by_function[self.address] = frozenset(
                item for item in read if not item.startswith("local/")
            )


def _iterate_function_builders(scope: Scope, module: LinkedModule) -> Iterator[tuple[Name, str, _FunctionBuild]]:
    for node in module.declarations:
        inner = replace(scope, variables=VariableTable())
        match node:
            case nodes.Relation(value=None, conditions=None):
                continue
            case nodes.Term() | nodes.Relation() | nodes.Tally() | nodes.Decide() | nodes.Table() | nodes.Paths():
                yield node.name, module.prefix + node.name.text, partial(type_function, node, inner)
            case nodes.Kind() | nodes.Record():
                yield from _iterate_attribute_builders(node, scope)
            case _:
                continue


def _iterate_attribute_builders(
    node: nodes.Kind | nodes.Record, scope: Scope
) -> Iterator[tuple[Name, str, _FunctionBuild]]:
    known = scope.module.types.get(node.name.text)
    if known is None:
        return
    owner = known.name
    for field in node.fields:
        if isinstance(field, nodes.DerivedField | nodes.DerivedConditions):
            address = f"{owner}/{field.name.text}"
            scope.environment.derived_attributes.setdefault(owner, {}).setdefault(
                field.name.text, (address, EmptyType())
            )
            inner = replace(scope, owner=owner, variables=VariableTable())
            yield field.name, address, partial(type_derived_attribute, field, inner)
