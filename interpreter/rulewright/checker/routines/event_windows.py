"""Events, handlers and standing rules (manual, Timing)."""

from collections.abc import Iterable, Mapping

from rulewright.base.diagnostics import DiagnosticCollector, has_errors
from rulewright.base.source import Span
from rulewright.checker import addresses, preconditions
from rulewright.checker.alias_kinds import resolve_callable
from rulewright.checker.facts.fact_store import invalidate_facts
from rulewright.checker.infer.binders import infer_binding, infer_optional_binding
from rulewright.checker.infer.conditions import infer_condition
from rulewright.checker.infer.name_lookup import iterate_visible_names
from rulewright.checker.infer.type_fitting import infer_fitted
from rulewright.checker.read_sets import ANY_STATE, collect_reads
from rulewright.checker.routines.block_lines import translate_line
from rulewright.checker.routines.call_lines import get_handler_result_type
from rulewright.checker.routines.flow_checks import check_routine
from rulewright.checker.routines.line_context import (
    LineContext,
    RoutineContext,
    RoutineNames,
    collect_changed_names,
    has_routine_failed,
)
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import LinkedModule, Symbol, report_missing_name
from rulewright.program import declarations as typed
from rulewright.program.board_geometry import get_stored_types
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import COUNT, PLAYER, ListType, SetType, ThingType, Type, get_member_type, strip_optional
from rulewright.program.wording import describe_type
from rulewright.syntax.nodes import declarations as d, statements as s
from rulewright.syntax.nodes.expressions import Dotted


def find_event(name: Dotted, here: LineContext) -> tuple[Symbol, LinkedModule] | None:
    """Event of a watch or handler, and the module that declares it."""
    module = here.module
    result = resolve_callable(name, module, here.report)
    if result is not None and result[0].sort == "event":
        return result
    events = [text for text, symbol in module.callables.items() if symbol.sort == "event"]
    report_missing_name("RW0519", name, "event", events, here.report)
    return None


def bind_event_parameters(event: Symbol, names: RoutineNames, span: Span, here: LineContext) -> tuple[Variable, ...]:
    """Binds the parameters of an event in a watch or handler; hints at names they hide."""
    hidden = set(iterate_visible_names(here.scope))
    for name, _ in event.parameters:
        if name in hidden:
            message = f"the event's `{name}` hides another `{name}` here"
            here.hint("RW0529", span, message, help="inside, the name means that of the event")
    variables = tuple(names.variables.new_variable(name, type_) for name, type_ in event.parameters)
    names.variables.event_by_index.update({variable.index: event.name for variable in variables})
    return variables


def _make_routine_context(node: d.Handler | d.Whenever | d.Event, sort: str, scope: Scope) -> RoutineContext:
    changed = collect_changed_names(line for line in addresses.walk_lines(node) if isinstance(line, s.Line))
    name = scope.module.prefix + node.name.text
    effects = scope.environment.effects
    names, body = RoutineNames(scope.variables, changed), effects.make_body(node, scope.module)
    return RoutineContext(translate_line, name, sort, scope, names, effects, body)


def type_event(node: d.Event, scope: Scope) -> typed.Event | None:
    """Event: a window if it has holders, else a report; None after an error."""
    before = len(scope.report.diagnostics)
    symbol = scope.module.callables.get(node.name.text)
    if symbol is None or symbol.sort != "event":
        return None
    parameters = tuple(scope.variables.new_variable(name, type_) for name, type_ in symbol.parameters)
    inner = scope.with_variables(*parameters)
    holders = _infer_holders(node, inner)
    order = infer_fitted(node.order, ListType(PLAYER), inner, "`order by`")
    result = get_handler_result_type(symbol, scope.module, scope)
    unread = len(parameters) < len(node.parameters)
    if node.on_removal and not unread and not (len(parameters) == 1 and isinstance(parameters[0].type, ThingType)):
        remedy = "give it one parameter, the thing that was removed"
        scope.report.error("RW0532", node.head, "an event `on removal` is about one thing", help=remedy)
    if unread or has_errors(scope.report.diagnostics[before:]):
        return None
    here = LineContext(_make_routine_context(node, "event", scope), "", (), scope.facts)
    return typed.Event(
        **here.make_declaration_fields(node),
        parameters=parameters,
        gives=result,
        on_removal=node.on_removal,
        holders=holders,
        order=order,
        first_taker=node.first_taker,
    )


def _infer_holders(node: d.Event, scope: Scope) -> Expression | None:
    result = scope.infer(node.holders) if node.holders is not None else None
    if result is None:
        return None
    match result.type:
        case SetType(item) | ListType(item) if _has_owner(item, scope):
            return result
        case type_:
            message = f"holders are players, or things that have an `owner`, and this is {describe_type(type_)}"
            scope.report.error("RW0532", result.span, message)
            return None


def _has_owner(type_: Type, scope: Scope) -> bool:
    if type_ == PLAYER:
        return True
    if not isinstance(type_, ThingType):
        return False
    kind = scope.environment.kinds.get(type_.kind)
    stored = get_stored_types(kind).get("owner") if kind is not None else None
    derived = scope.environment.derived_attributes.get(type_.kind, {}).get("owner")
    return (derived[1] if derived is not None else stored) == PLAYER


def type_handler(node: d.Handler, scope: Scope) -> typed.Handler | None:
    """Handler of a window; None after an error."""
    before = len(scope.report.diagnostics)
    routine = _make_routine_context(node, "handler", scope)
    here = LineContext(routine, routine.name, node.cites, scope.facts)
    items = find_event(node.event, here)
    if items is None:
        return None
    symbol, module = items
    routine.result = get_handler_result_type(symbol, module, scope)
    parameters = bind_event_parameters(symbol, routine.names, node.event.span, here)
    for variable in parameters:
        routine.names.bind_variable(variable.name, variable, "parameter", node.event.span)
    lasting = not any(
        changed_key.endswith("/gone") for changed_key in routine.effects.compute_changed_keys((), (symbol.name,))
    )
    if lasting:
        here = here.with_facts(preconditions.assume_parameters_in_play(here.facts, parameters, node.head))
    bound = infer_binding(node.binder, here.scope)
    if bound is None:
        return None
    binding, inner = bound
    if not lasting:
        inner = inner.with_facts(invalidate_facts(inner.facts, routine.effects.expand_fact_keys(("gone",))))
    _check_single_holder(node, binding, scope)
    gathered = invalidate_facts(inner.facts, routine.effects.compute_changed_keys((), (symbol.name,)))
    guarded = here.with_binding(binding, gathered).translate_guard(node.guard)
    block, _ = guarded.context.translate_block(node.block)
    if has_routine_failed(routine, scope.report, before):
        return None
    handler = typed.Handler(
        **here.make_declaration_fields(node),
        event=symbol.name,
        binding=binding,
        guard=guarded.guard,
        optional=node.optional,
        block=block,
    )
    check_routine(handler, (), (), scope.report)
    return handler


def _check_single_holder(node: d.Handler, binding: Binding, scope: Scope) -> None:
    variable = binding.variables[0]
    if len(binding.variables) > 1 or variable is None:
        scope.report.error("RW0532", node.binder.span, "a handler has one holder, so its binder has one name")
        return
    holder_type = strip_optional(variable.type)
    if not _has_owner(holder_type, scope):
        message = f"a handler is held by a player, or by a thing that has an `owner`, and this is {describe_type(holder_type)}"
        given = f"give `{holder_type}` an attribute `owner: player`, or write a `whenever`, which has no holder"
        remedy = given if isinstance(holder_type, ThingType) else ""
        scope.report.error("RW0532", node.binder.span, message, help=remedy)


def check_handler_holders(
    events: Mapping[str, typed.Event], handlers: Iterable[typed.Handler], report: DiagnosticCollector
) -> None:
    """Reports handlers whose holder cannot be among the holders of their event."""
    for handler in handlers:
        event_ = events.get(handler.event)
        if event_ is None or event_.holders is None:
            continue
        wanted, handler_type = _describe_member_type(event_.holders), _describe_member_type(handler.binding.source)
        if wanted != handler_type:
            report.address = handler.name
            message = f"each holder of `{event_.name}` is {wanted}, and this handler is held by {handler_type}"
            remedy = f"let it be held by {wanted}, or give it an event of its own"
            report.error("RW0532", handler.binding.source.span, message, help=remedy)


def _describe_member_type(source: Expression) -> str:
    item = get_member_type(source.type)
    return "" if item is None else describe_type(strip_optional(item))


def type_standing_rule(node: d.Whenever, scope: Scope) -> typed.StandingRule | None:
    """A `whenever`, also stored in `TypeEnvironment.rules`; None after an error."""
    before = len(scope.report.diagnostics)
    routine = _make_routine_context(node, "rule", scope)
    here = LineContext(routine, routine.name, node.cites, scope.facts)
    bound = infer_optional_binding(node.binder, here.scope)
    if bound is None:
        return None
    binding, inner = bound
    place = here if binding is None else here.with_binding(binding, inner.facts)
    condition = infer_condition(node.condition, place.scope)
    lowers = here.infer_fitted(node.lowers, COUNT, "`lowers`")
    block, _ = place.assuming(condition, truth=True).translate_block(node.block)
    if has_routine_failed(routine, scope.report, before) or condition is None or lowers is None:
        return None
    rule = typed.StandingRule(
        **here.make_declaration_fields(node),
        binding=binding,
        condition=condition,
        priority=node.priority,
        lowers=lowers,
        block=block,
    )
    _check_rule_terminates(rule, node, here)
    scope.environment.rules[rule.name] = rule
    check_routine(rule, (), (), scope.report)
    return rule


def _check_rule_terminates(rule: typed.StandingRule, node: d.Whenever, here: LineContext) -> None:
    """Reports a rule whose lines cannot change what its condition reads: it would fire without end."""
    known = here.environment.reads_by_function
    written = here.routine.effects.compute_written_keys(
        here.routine.effects.collect_effects_of_lines(node.block, here.routine.body)
    )
    source = collect_reads(rule.binding.source, known) if rule.binding is not None else frozenset()
    for read, what in (
        (collect_reads(rule.condition, known) | source, "`when`"),
        (collect_reads(rule.lowers, known), "`lowers`"),
    ):
        if ANY_STATE not in read | written and not read & written:
            message = f"nothing this rule does changes what its {what} reads"
            here.proved_error("RW0533", rule.span, message, help="it would fire again and again; let it change that")
            return
