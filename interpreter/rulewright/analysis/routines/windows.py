"""Events, handlers and standing rules (manual, Timing)."""

from collections.abc import Iterable, Mapping

from rulewright.analysis import addresses, infer, promises
from rulewright.analysis.effects import effects
from rulewright.analysis.facts import forget, suppose
from rulewright.analysis.flow.finished_routine import check_routine
from rulewright.analysis.infer.lookup import visible
from rulewright.analysis.infer.slots import fitted
from rulewright.analysis.named_things import resolve
from rulewright.analysis.reads import ANYTHING, reads
from rulewright.analysis.report import Report
from rulewright.analysis.routines.block_lines import line
from rulewright.analysis.routines.call_lines import given_by_handlers
from rulewright.analysis.routines.routine_context import Here, Names, Routine, changed_names, failed
from rulewright.analysis.scope import Scope
from rulewright.analysis.symbols import Module, Symbol
from rulewright.diagnostics import has_errors
from rulewright.diagnostics.remedies import meant
from rulewright.program import declarations as typed
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.plane import types_of
from rulewright.program.types import COUNT, PLAYER, ListType, SetType, ThingType, Type, member_type, present
from rulewright.program.wording import sort_in_words
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, statements as s
from rulewright.syntax.nodes.expressions import Dotted


def event_of(name: Dotted, here: Here) -> tuple[Symbol, Module] | None:
    """The event that a watch or handler hears of, and the module that declares it."""
    module = here.routine.scope.module
    found = resolve(name, module)
    if found is not None and found[0].sort == "event":
        return found
    events = [text for text, symbol in module.callables.items() if symbol.sort == "event"]
    here.error("RW0519", name.span, f"there is no event `{name.text}`", remedy=meant(name.text, events, name.span))
    return None


def event_parameters(event: Symbol, names: Names, span: Span, here: Here) -> tuple[Variable, ...]:
    """The parameters of an event as names of what hears of it; hints at names they hide."""
    hidden = set(visible(here.scope))
    for name, _ in event.parameters:
        if name in hidden:
            message = f"the event's `{name}` hides another `{name}` here"
            here.hint("RW0529", span, message, help="inside, the name means that of the event")
    return tuple(names.variables.new(name, type_) for name, type_ in event.parameters)


def _routine(node: d.Handler | d.Whenever | d.Event, sort: str, scope: Scope) -> Routine:
    changed = changed_names(each for each in addresses.lines(node) if isinstance(each, s.Line))
    name = scope.module.prefix + node.name.text
    found = effects(scope)
    return Routine(line, name, sort, scope, Names(scope.variables, changed), found, found.body(node, scope.module))


def event(node: d.Event, scope: Scope) -> typed.Event | None:
    """An event: a window where it has holders, else a report; none where a line of it has an error."""
    before = len(scope.report.found)
    symbol = scope.module.callables.get(node.name.text)
    if symbol is None or symbol.sort != "event":
        return None
    own = tuple(scope.variables.new(name, type_) for name, type_ in symbol.parameters)
    inner = scope.binding(*own)
    holders = _holders(node, inner)
    order = fitted(node.order, ListType(PLAYER), inner, "`order by`")
    result = given_by_handlers(symbol, scope.module, scope)
    unread = len(own) < len(node.parameters)
    if node.on_removal and not unread and not (len(own) == 1 and isinstance(own[0].type, ThingType)):
        remedy = "give it one parameter, the thing that was removed"
        scope.report.error("RW0532", node.head, "an event `on removal` is about one thing", help=remedy)
    if unread or has_errors(scope.report.found[before:]):
        return None
    here = Here(_routine(node, "event", scope), "", (), scope.facts)
    return typed.Event(
        **here.declared(node),
        parameters=own,
        gives=result,
        on_removal=node.on_removal,
        holders=holders,
        order=order,
        first_taker=node.first_taker,
    )


def _holders(node: d.Event, scope: Scope) -> Expression | None:
    found = scope.infer(node.holders) if node.holders is not None else None
    if found is None:
        return None
    match found.type:
        case SetType(item) | ListType(item) if _has_owner(item, scope):
            return found
        case type_:
            message = f"holders are players, or things that have an `owner`, and this is {sort_in_words(type_)}"
            scope.report.error("RW0532", found.span, message)
            return None


def _has_owner(type_: Type, scope: Scope) -> bool:
    """Whether somebody answers for such a thing: it is a player, or has one as its `owner`."""
    if type_ == PLAYER:
        return True
    if not isinstance(type_, ThingType):
        return False
    kind = scope.shapes.kinds.get(type_.kind)
    stored = types_of(kind).get("owner") if kind is not None else None
    derived = scope.shapes.derived.get(type_.kind, {}).get("owner")
    return (derived[1] if derived is not None else stored) == PLAYER


def handler(node: d.Handler, scope: Scope) -> typed.Handler | None:
    """What holders do in a window; none where a line of it has an error."""
    before = len(scope.report.found)
    routine = _routine(node, "handler", scope)
    here = Here(routine, routine.name, node.cites, scope.facts)
    found = event_of(node.event, here)
    if found is None:
        return None
    symbol, module = found
    routine.result = given_by_handlers(symbol, module, scope)
    own = event_parameters(symbol, routine.names, node.event.span, here)
    for each in own:
        routine.names.show(each.name, each, "parameter", node.event.span)
    lasting = not any(each.endswith("/gone") for each in routine.effects.changed((), (symbol.name,)))
    if lasting:
        here = here.knowing(promises.assumed(here.facts, own, node.head))
    bound = infer.bind(node.binder, here.scope)
    if bound is None:
        return None
    binding, inner = bound
    if not lasting:
        inner = inner.knowing(forget(inner.facts, routine.effects.keys(("gone",))))
    _one_holder(node, binding, scope)
    gathered = forget(inner.facts, routine.effects.changed((), (symbol.name,)))
    guarded = here.bound(binding, gathered).guarded(node.guard)
    block, _ = guarded.inside.block(node.block)
    if failed(routine, scope.report, before):
        return None
    made = typed.Handler(
        **here.declared(node),
        event=symbol.name,
        binding=binding,
        guard=guarded.guard,
        optional=node.optional,
        block=block,
    )
    check_routine(made, (), (), scope.report)
    return made


def _one_holder(node: d.Handler, binding: Binding, scope: Scope) -> None:
    """A handler has one holder: a player, or a thing with an owner."""
    variable = binding.variables[0]
    if len(binding.variables) > 1 or variable is None:
        scope.report.error("RW0532", node.binder.span, "a handler has one holder, so its binder has one name")
        return
    held = present(variable.type)
    if not _has_owner(held, scope):
        message = f"a handler is held by a player, or by a thing that has an `owner`, and this is {sort_in_words(held)}"
        given = f"give `{held}` an attribute `owner: player`, or write a `whenever`, which has no holder"
        remedy = given if isinstance(held, ThingType) else ""
        scope.report.error("RW0532", node.binder.span, message, help=remedy)


def check_holders(events: Mapping[str, typed.Event], handlers: Iterable[typed.Handler], report: Report) -> None:
    """Reports handlers held by what cannot be among the holders of their event."""
    for each in handlers:
        event_ = events.get(each.event)
        if event_ is None or event_.holders is None:
            continue
        wanted, held = _member_type(event_.holders), _member_type(each.binding.source)
        if wanted != held:
            report.address = each.name
            message = f"each holder of `{event_.name}` is {wanted}, and this handler is held by {held}"
            remedy = f"let it be held by {wanted}, or give it an event of its own"
            report.error("RW0532", each.binding.source.span, message, help=remedy)


def _member_type(source: Expression) -> str:
    """The type of the members of a collection, in words."""
    item = member_type(source.type)
    return "" if item is None else sort_in_words(present(item))


def standing_rule(node: d.Whenever, scope: Scope) -> typed.StandingRule | None:
    """A `whenever`, kept in `Shapes.rules` as well; none where a line of it has an error."""
    before = len(scope.report.found)
    routine = _routine(node, "rule", scope)
    here = Here(routine, routine.name, node.cites, scope.facts)
    place, binding = here, None
    if node.binder is not None:
        bound = infer.bind(node.binder, here.scope)
        if bound is None:
            return None
        binding, inner = bound
        place = here.bound(binding, inner.facts)
    condition = infer.condition(node.condition, place.scope)
    lowers = here.fitted(node.lowers, COUNT, "`lowers`")
    if condition is not None:
        place = place.knowing(suppose(place.facts, condition, truth=True))
    block, _ = place.block(node.block)
    if failed(routine, scope.report, before) or condition is None or lowers is None:
        return None
    made = typed.StandingRule(
        **here.declared(node),
        binding=binding,
        condition=condition,
        priority=node.priority,
        lowers=lowers,
        block=block,
    )
    _changes_its_condition(made, node, here)
    scope.shapes.rules[made.name] = made
    check_routine(made, (), (), scope.report)
    return made


def _changes_its_condition(made: typed.StandingRule, node: d.Whenever, here: Here) -> None:
    """Reports a rule whose lines cannot change what its `when` reads: it would fire without end."""
    known = here.routine.scope.shapes.reads
    written = here.routine.effects.written(here.routine.effects.doings(node.block, here.routine.body))
    source = reads(made.binding.source, known) if made.binding is not None else frozenset()
    for read, what in ((reads(made.condition, known) | source, "`when`"), (reads(made.lowers, known), "`lowers`")):
        if ANYTHING not in read | written and not read & written:
            message = f"nothing this rule does changes what its {what} reads"
            here.error("RW0533", made.span, message, help="it would fire again and again; let it change that")
            return
