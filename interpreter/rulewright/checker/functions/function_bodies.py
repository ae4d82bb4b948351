"""Types of functions of the rules: terms, relations, derived attributes, measures, invariants, external terms."""

from dataclasses import replace
from typing import Any

from rulewright.checker.clauses import resolve_clause_ids
from rulewright.checker.functions.path_bodies import type_paths_body
from rulewright.checker.functions.relation_symmetry import check_relation_symmetry
from rulewright.checker.functions.rows import (
    type_condition_rows,
    type_decide_rows,
    type_guard,
    type_tally_rows,
)
from rulewright.checker.functions.table_rows import type_table_rows
from rulewright.checker.infer.binders import infer_binding, infer_optional_binding
from rulewright.checker.infer.collection_values import infer_decided_value
from rulewright.checker.infer.conditions import infer_row_condition
from rulewright.checker.infer.name_lookup import get_self_type, has_name_conflict
from rulewright.checker.infer.type_fitting import fit_expression, infer_fitted
from rulewright.checker.scope import Scope
from rulewright.program import declarations as typed
from rulewright.program.expressions import Variable
from rulewright.program.types import (
    FLAG,
    PlaneType,
    SetType,
    TupleType,
    Type,
    strip_optional,
)
from rulewright.syntax.nodes import declarations as nodes, expressions
from rulewright.syntax.nodes.expressions import Cite
from rulewright.syntax.nodes.statements import Conditions

FunctionNode = (
    nodes.Term | nodes.Relation | nodes.Tally | nodes.Decide | nodes.Table | nodes.Paths
    | nodes.DerivedField | nodes.DerivedConditions
)  # fmt: skip
_TypedBody = tuple[Type, typed.Body]


def type_function(node: FunctionNode, scope: Scope) -> typed.Function | None:
    """Function of a declaration, or of a derived attribute, whose first parameter is `self`; None after an error."""
    name = f"{scope.owner}/{node.name.text}" if scope.owner else scope.module.prefix + node.name.text
    if scope.owner:
        scope.variables.new_variable("self", get_self_type(scope))
    inner = enter_parameters(getattr(node, "parameters", ()), scope)
    typed_body = _type_function_body(node, inner, name) if inner is not None else None
    if typed_body is None:
        return None
    if scope.owner:
        scope.environment.derived_attributes[scope.owner][node.name.text] = (name, typed_body[0])
    conditions = getattr(node, "conditions", None)
    title = getattr(node, "title", None) or (conditions.title if conditions else None)
    result = typed.Function(
        name=name,
        title=title.text if title else "",
        cites=resolve_clause_ids(_get_cites(node), scope.linked),
        span=node.span,
        sort="attribute" if scope.owner else type(node).__name__.lower(),
        owner=scope.owner,
        parameters=tuple(scope.variables.variables[: scope.variables.parameter_count]),
        variables=tuple(scope.variables.variables),
        type=typed_body[0],
        body=typed_body[1],
        symmetric=isinstance(node, nodes.Relation) and node.symmetric,
    )
    if result.symmetric and len(result.parameters) == 2:  # noqa: PLR2004 - other relations are refused elsewhere
        check_relation_symmetry(replace(result, span=node.name.span), scope)
    return result


def _get_cites(node: FunctionNode) -> tuple[Cite, ...]:
    """Cites of a function, or those of its `when all` or `when any`."""
    conditions = getattr(node, "conditions", None)
    return getattr(node, "cites", ()) or (conditions.cites if conditions else ())


def enter_parameters(parameters: tuple[nodes.Parameter, ...], scope: Scope) -> Scope | None:
    """Scope of a body, with the parameters as its first variables; None where one has no type."""
    for parameter in parameters:
        type_ = scope.resolve_type(parameter.type)
        if type_ is None or has_name_conflict(parameter.name, scope):
            return None
        scope = scope.with_variables(scope.variables.new_variable(parameter.name.text, type_))
    scope.variables.parameter_count = len(scope.variables.variables)
    return scope


def resolve_result_type(node: expressions.Type | None, scope: Scope) -> Type | None:
    """Type after `gives`, a flag without one; None where it could not be read."""
    return scope.resolve_type(node) if node is not None else FLAG


def _type_function_body(node: FunctionNode, scope: Scope, name: str) -> _TypedBody | None:
    match node:
        case nodes.Term():
            return _type_term_body(node, scope, name)
        case nodes.DerivedField(value=value):
            result = infer_decided_value(value, scope)
            return (result.type, typed.Value(result)) if result is not None else None
        case (
            nodes.DerivedConditions(conditions=Conditions() as conditions)
            | nodes.Relation(conditions=Conditions() as conditions)
        ):
            return FLAG, _type_conditions(conditions, scope, name, _get_cites(node))
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
            lines = None if type_ is None else type_table_rows(node, parameters, type_, scope, name)
            return (type_, typed.Table(lines)) if type_ is not None and lines is not None else None
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
    margin = _get_cites(node)
    if node.over is not None:
        return _type_selection_body(node.over, node.conditions, type_, scope, (name, margin))
    return FLAG, _type_conditions(node.conditions, scope, name, margin)


def _type_selection_body(
    over: expressions.Binder, conditions: Conditions, type_: Type, scope: Scope, place: tuple[str, tuple[Cite, ...]]
) -> _TypedBody | None:
    bound = infer_binding(over, scope)
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
    result = infer_decided_value(node.value, inner) if inner is not None else None
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
    bound = infer_optional_binding(node.binder, scope)
    if bound is None:
        return None
    binding, inner = bound
    guard, inner = type_guard(node.guard, inner)
    condition = infer_row_condition(node.condition, inner)
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
    return {**scope.environment.make_shared_fields(scope.module.prefix + node.name.text, node), "span": node.span}
