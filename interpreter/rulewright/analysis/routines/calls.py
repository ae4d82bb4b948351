"""Lines that call: `perform` and `trigger` (manual, Going elsewhere and Timing)."""

from rulewright.analysis import infer, promises
from rulewright.analysis.effects import resolve
from rulewright.analysis.facts import Facts
from rulewright.analysis.infer import calls as infer_calls
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.routines.bindings import unknown
from rulewright.analysis.routines.here import Here
from rulewright.analysis.routines.watches import gives
from rulewright.analysis.symbols import Module, Symbol
from rulewright.diagnostics.suggest import Remedy, meant
from rulewright.program import statements as typed
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import COUNT, ListType, Type
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Dotted, Name

Done = tuple[typed.Statement | None, Facts | None]
_PERFORMED = frozenset({"procedure", "external procedure"})
_TRIGGERED = frozenset({"event"})


def perform(node: s.Perform, here: Here) -> Done:
    """`perform NAME(…) steps A to B at most N deep as RESULT`."""
    found = _callee(node.procedure, _PERFORMED, "procedure", node, here)
    if found is None:
        _lose(node.result, here)
        return None, here.facts
    symbol, module = found
    arguments = _arguments(node.arguments, symbol, module, node, here)
    bound = here.routine.scope.linked.binds.get(symbol.name, symbol.name)
    if arguments is not None:
        promises.performed(bound, arguments, node.head, here.scope)
    facts = here.after_writing(frozenset(), (bound,))
    wanted = here.routine.scope.shapes.results.get(symbol.name)
    result, facts = _bind(node.result, wanted, symbol, "perform", here.knowing(facts))
    if arguments is None or (node.result is not None and result is None):
        return None, facts
    if symbol.sort == "external procedure" and bound == symbol.name:
        return _external(node, symbol, arguments, result, here), facts
    depth = _depth(node, here)
    steps = _steps(node, symbol, here) if node.steps is not None else None
    if (node.depth is not None and depth is None) or (node.steps is not None and steps is None):
        return None, facts
    mark = here.mark(node)
    made = typed.Perform(**mark, procedure=bound, arguments=arguments, steps=steps, depth=depth, result=result)
    return made, facts


def _lose(name: Name | None, here: Here) -> None:
    if name is not None:
        here.routine.broken.add(name.text)


def _callee(name: Dotted, sorts: frozenset[str], word: str, node: s.Line, here: Here) -> tuple[Symbol, Module] | None:
    if here.routine.sort == "watch":
        here.error("RW0516", node.head, "a `watch` keeps books only, and calls nothing")
        return None
    module = here.routine.scope.module
    found = resolve(name, module)
    if found is not None and found[0].sort in sorts:
        return found
    if found is not None:
        verb = {"procedure": "perform", "external procedure": "perform", "event": "trigger"}.get(found[0].sort)
        instead = f"write `{verb} {name.text}(…)`" if verb else f"a {found[0].sort} is read, not performed"
        here.error("RW0519", name.span, f"`{name.text}` is no {word}, but a {found[0].sort}", help=instead)
        return None
    remedy = _meant(name, sorts, module)
    here.error("RW0519", name.span, f"there is no {word} `{name.text}`", help=remedy.help, edits=remedy.edits)
    return None


def _meant(name: Dotted, sorts: frozenset[str], module: Module) -> Remedy:
    for prefix in name.parts[:-1]:
        module = module.uses.get(prefix.text, module)
    names = [text for text, symbol in module.callables.items() if symbol.sort in sorts]
    last = name.parts[-1].text
    return meant(last, names, name.span, before=name.text.removesuffix(last))


def _arguments(
    written: tuple[e.Argument, ...], symbol: Symbol, module: Module, node: s.Line, here: Here
) -> tuple[Expression, ...] | None:
    text = e.Reference(symbol.name, node.head)
    return infer.arguments(written, infer_calls.callee(symbol, module, text), node.head, here.scope)


def _bind(
    name: Name | None, wanted: Type | None, called: Symbol, verb: str, here: Here
) -> tuple[Variable | None, Facts]:
    if name is None:
        return None, here.facts
    if wanted is None and called.name in here.routine.scope.shapes.failed:
        _lose(name, here)
        return None, here.facts
    if wanted is None:
        here.error("RW0514", name.span, f"nothing comes back to be named `{name.text}`", help="leave out `as …`")
        _lose(name, here)
        return None, here.facts
    variable = here.routine.names.bind(name, wanted, verb, here.fresh_scope(name.text))
    return variable, here.facts if variable is None else unknown(here.facts, variable)


def _external(
    node: s.Perform, symbol: Symbol, arguments: tuple[Expression, ...], result: Variable | None, here: Here
) -> typed.PerformExternal | None:
    if node.steps is not None or node.depth is not None:
        here.error("RW0519", node.head, f"`{symbol.name}` is scripted elsewhere and has no steps here")
        return None
    if result is None and here.routine.scope.shapes.results.get(symbol.name) is not None:
        remedy = f"name it: `perform {node.procedure.text}(…) as …`"
        here.warning("RW0520", node.head, f"nobody reads the result of `{symbol.name}`", help=remedy)
    return typed.PerformExternal(**here.mark(node), external=symbol.name, arguments=arguments, result=result)


def _depth(node: s.Perform, here: Here) -> Expression | None:
    found = infer.infer(node.depth, here.scope) if node.depth is not None else None
    return found and fit(found, COUNT, here.scope, "`at most … deep`")


def _steps(node: s.Perform, symbol: Symbol, here: Here) -> tuple[str, str] | None:
    assert node.steps is not None
    written = symbol.node
    if not isinstance(written, d.Procedure):
        return None
    order = {each.name.text: place for place, each in enumerate(written.steps)}
    for each in node.steps:
        if each.text not in order:
            remedy = meant(each.text, order, each.span)
            message = f"there is no step `{each.text}` in `{symbol.name}`"
            here.error("RW0511", each.span, message, help=remedy.help, edits=remedy.edits)
            return None
    first, last = (each.text for each in node.steps)
    if order[first] > order[last]:
        here.error("RW0511", node.steps[0].span, f"step `{first}` comes after step `{last}`")
        return None
    return first, last


def trigger(node: s.Trigger, here: Here) -> Done:
    """`trigger NAME(…) as GAINS`."""
    found = _callee(node.event, _TRIGGERED, "event", node, here)
    if found is None:
        _lose(node.result, here)
        return None, here.facts
    symbol, module = found
    arguments = _arguments(node.arguments, symbol, module, node, here)
    if arguments is not None:
        promises.performed(symbol.name, arguments, node.head, here.scope)
    facts = here.after_writing(frozenset(), (symbol.name,))
    item = gives(symbol, module, here.scope)
    result, facts = _bind(node.result, item and ListType(item), symbol, "trigger", here.knowing(facts))
    if arguments is None or (node.result is not None and result is None):
        return None, facts
    return typed.Trigger(**here.mark(node), event=symbol.name, arguments=arguments, result=result), facts
