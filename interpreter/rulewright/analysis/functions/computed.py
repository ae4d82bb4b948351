"""Other declarations that are computed: external terms, measures, invariants."""

from rulewright.analysis import infer
from rulewright.analysis.clauses.cites import qualify
from rulewright.analysis.functions.bodies import given, with_parameters
from rulewright.analysis.functions.rows import guarded
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.scope import Scope
from rulewright.program import declarations as typed
from rulewright.program.expressions import Variable
from rulewright.program.types import PlaneType, present
from rulewright.program.wording import describe
from rulewright.syntax.nodes import declarations as nodes


def external_term(node: nodes.ExternalTerm, scope: Scope) -> typed.ExternalTerm | None:
    """An external term with its default."""
    type_ = given(node.gives, scope)
    inner = with_parameters(node.parameters, scope)
    if type_ is None or inner is None:
        return None
    default = None
    if node.default is not None:
        found = infer.infer(node.default, inner, type_)
        default = found and fit(found, type_, inner, "the default")
        if default is None:
            return None
    name = scope.module.prefix + node.name.text
    if default is None and name not in scope.linked.binds:
        _asked_for_places(node, inner.variables.all[: len(node.parameters)], scope)
    return typed.ExternalTerm(
        name=name,
        title=_title(node),
        cites=qualify(node.cites, scope.linked),
        span=node.span,
        parameters=tuple(inner.variables.all[: len(node.parameters)]),
        type=type_,
        default=default,
    )


def _asked_for_places(node: nodes.ExternalTerm, parameters: list[Variable], scope: Scope) -> None:
    """Reports a term that people would be asked about every place on the plane (RW0345)."""
    for written, each in zip(node.parameters, parameters, strict=True):
        if isinstance(present(each.type), PlaneType):
            message = f"`{node.name.text}` would be asked for each `{describe(each.type)}`, and there is no end of them"
            scope.report.error("RW0345", written.span, message, help="give it a `default`, or `bind` it to a term")
            return


def measure(node: nodes.Measure, scope: Scope) -> typed.Measure | None:
    """A measure."""
    inner = with_parameters(node.parameters, scope)
    found = infer.value(node.value, inner) if inner is not None else None
    if inner is None or found is None:
        return None
    return typed.Measure(
        name=scope.module.prefix + node.name.text,
        title=_title(node),
        cites=qualify(node.cites, scope.linked),
        span=node.span,
        parameters=tuple(inner.variables.all[: len(node.parameters)]),
        variables=tuple(inner.variables.all),
        type=found.type,
        value=found,
    )


def invariant(node: nodes.Always, scope: Scope) -> typed.Invariant | None:
    """An `always`."""
    inner, binding = scope, None
    if node.binder is not None:
        bound = infer.bind(node.binder, scope)
        if bound is None:
            return None
        binding, inner = bound
    guard, inner = guarded(node.guard, inner)
    condition = infer.row_condition(node.condition, inner)
    if condition is None or (node.guard is not None and guard is None):
        return None
    made = typed.Invariant(
        name=scope.module.prefix + node.name.text,
        title=_title(node),
        cites=qualify(node.cites, scope.linked),
        span=node.span,
        variables=tuple(scope.variables.all),
        binding=binding,
        guard=guard,
        condition=condition,
    )
    scope.shapes.invariants[made.name] = made
    return made


def _title(node: nodes.Declared) -> str:
    return node.title.text if node.title else ""
