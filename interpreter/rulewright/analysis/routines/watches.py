"""`watch`: books kept while a procedure runs (manual, Procedures)."""

from dataclasses import replace

from rulewright.analysis import infer
from rulewright.analysis.effects import resolve
from rulewright.analysis.facts import assume
from rulewright.analysis.infer.names import visible
from rulewright.analysis.routines import lines
from rulewright.analysis.routines.here import Here
from rulewright.analysis.routines.names import Names
from rulewright.analysis.scope import Scope
from rulewright.analysis.symbols import Module, Symbol
from rulewright.analysis.types import resolve_type
from rulewright.diagnostics.suggest import meant
from rulewright.program import declarations as typed
from rulewright.program.expressions import Variable
from rulewright.program.types import Type
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Dotted

_ALLOWED = (s.Let, s.Set, s.Change, s.If, s.Match, s.ForEach, s.Nothing, s.RulingLine, s.Stop)


def event_of(name: Dotted, here: Here) -> tuple[Symbol, Module] | None:
    """The event that a watch or handler hears of, and the module that declares it."""
    module = here.routine.scope.module
    found = resolve(name, module)
    if found is not None and found[0].sort == "event":
        return found
    events = [text for text, symbol in module.callables.items() if symbol.sort == "event"]
    remedy = meant(name.text, events, name.span)
    here.error("RW0519", name.span, f"there is no event `{name.text}`", help=remedy.help, edits=remedy.edits)
    return None


def gives(event: Symbol, module: Module, scope: Scope) -> Type | None:
    """The type of what handlers of an event may finish with."""
    node = event.node
    assert isinstance(node, d.Event)
    return resolve_type(node.gives, module, scope.linked, scope.report) if node.gives is not None else None


def parameters(event: Symbol, names: Names, span: Span, here: Here) -> tuple[Variable, ...]:
    """The parameters of an event as names of what hears of it; hints at names they hide."""
    hidden = set(visible(here.scope))
    for name, _ in event.parameters:
        if name in hidden:
            message = f"the event's `{name}` hides another `{name}` here"
            here.hint("RW0529", span, message, help="inside, the name means that of the event")
    return tuple(names.variables.new(name, type_) for name, type_ in event.parameters)


def watch(node: d.Watch, here: Here) -> typed.Watch | None:
    """A watch; the place given knows only what holds while the procedure runs."""
    found = event_of(node.event, here)
    if found is None:
        return None
    event, _ = found
    routine = replace(here.routine, sort="watch")
    own = parameters(event, routine.names, node.event.span, here)
    mark = here.mark(node)
    inner = replace(here.citing(node.cites), routine=routine, each={each.name: each for each in own})
    guard = infer.condition(node.guard, inner.scope) if node.guard is not None else None
    if guard is not None:
        inner = inner.knowing(assume(inner.facts, guard, truth=True))
    for each in node.block.lines:
        if not isinstance(each, _ALLOWED):
            remedy = "a `watch` may `let`, `set`, `add`, `take`, `if`, `match` and `for each`"
            inner.error("RW0516", each.head, "a `watch` only keeps books", help=remedy)
            return None
    block, _ = lines.block(node.block, inner)
    if node.guard is not None and guard is None:
        return None
    return typed.Watch(
        event=event.name,
        address=mark["address"],
        cites=mark["cites"],
        span=mark["span"],
        parameters=own,
        guard=guard,
        block=block,
    )
