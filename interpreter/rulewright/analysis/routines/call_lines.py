"""Lines that lead elsewhere: `perform`, `trigger`, `stop`, `proceed to`, `finish` (manual, Going elsewhere)."""

from rulewright.analysis import infer, promises
from rulewright.analysis.facts import Facts
from rulewright.analysis.infer.calls import callee
from rulewright.analysis.name_spaces import resolve_type
from rulewright.analysis.named_things import resolve
from rulewright.analysis.routines.routine_context import Done, Here, unknown
from rulewright.analysis.scope import Scope
from rulewright.analysis.symbols import Module, Symbol
from rulewright.diagnostics.remedies import left_out, meant, wrapped
from rulewright.program import statements as typed
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import COUNT, ListType, Type
from rulewright.program.wording import a
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Dotted, Name


def perform_line(node: s.Perform, here: Here) -> Done:
    """`perform NAME(…) steps A to B at most N deep as RESULT`."""
    found = _callee(node.procedure, {"procedure", "external procedure"}, "procedure", node, here)
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
    depth = here.fitted(node.depth, COUNT, "`at most … deep`")
    steps = _steps(node, symbol, here) if node.steps is not None else None
    if (node.depth is not None and depth is None) or (node.steps is not None and steps is None):
        return None, facts
    mark = here.mark(node)
    made = typed.Perform(**mark, procedure=bound, arguments=arguments, steps=steps, depth=depth, result=result)
    return made, facts


def _lose(name: Name | None, here: Here) -> None:
    if name is not None:
        here.routine.broken.add(name.text)


def _callee(name: Dotted, sorts: set[str], word: str, node: s.Line, here: Here) -> tuple[Symbol, Module] | None:
    if here.routine.sort == "watch":
        here.error("RW0516", node.head, "a `watch` may only change names of its procedure, and cannot perform anything")
        return None
    module = here.routine.scope.module
    found = resolve(name, module)
    if found is not None and found[0].sort in sorts:
        return found
    if found is not None:
        verb = {"procedure": "perform", "external procedure": "perform", "event": "trigger"}.get(found[0].sort)
        instead = f"write `{verb} {name.text}(…)`" if verb else f"{a(found[0].sort)} is read, not performed"
        here.error("RW0519", name.span, f"`{name.text}` is {a(found[0].sort)}, not {a(word)}", help=instead)
        return None
    for prefix in name.parts[:-1]:
        module = module.uses.get(prefix.text, module)
    names = [text for text, symbol in module.callables.items() if symbol.sort in sorts]
    last = name.parts[-1].text
    remedy = meant(last, names, name.span, before=name.text.removesuffix(last))
    here.error("RW0519", name.span, f"there is no {word} `{name.text}`", remedy=remedy)
    return None


def _arguments(
    written: tuple[e.Argument, ...], symbol: Symbol, module: Module, node: s.Line, here: Here
) -> tuple[Expression, ...] | None:
    text = e.Reference(symbol.name, node.head)
    return infer.arguments(written, callee(symbol, module, text), node.head, here.scope)


def _bind(
    name: Name | None, wanted: Type | None, called: Symbol, verb: str, here: Here
) -> tuple[Variable | None, Facts]:
    if name is None:
        return None, here.facts
    if wanted is None:
        if called.name not in here.routine.scope.shapes.failed:
            message = f"`{called.name}` gives no result that `{name.text}` could name"
            here.error("RW0514", name.span, message, help="leave out `as …`")
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
        here.warning("RW0520", node.head, f"no line reads the result of `{symbol.name}`", help=remedy)
    return typed.PerformExternal(**here.mark(node), external=symbol.name, arguments=arguments, result=result)


def _steps(node: s.Perform, symbol: Symbol, here: Here) -> tuple[str, str] | None:
    assert node.steps is not None
    written = symbol.node
    if not isinstance(written, d.Procedure):
        return None
    order = {each.name.text: place for place, each in enumerate(written.steps)}
    for each in node.steps:
        if each.text not in order:
            message = f"there is no step `{each.text}` in `{symbol.name}`"
            here.error("RW0511", each.span, message, remedy=meant(each.text, order, each.span))
            return None
    first, last = (each.text for each in node.steps)
    if order[first] > order[last]:
        here.error("RW0511", node.steps[0].span, f"step `{first}` comes after step `{last}`")
        return None
    return first, last


def trigger_line(node: s.Trigger, here: Here) -> Done:
    """`trigger NAME(…) as GAINS`."""
    found = _callee(node.event, {"event"}, "event", node, here)
    if found is None:
        _lose(node.result, here)
        return None, here.facts
    symbol, module = found
    arguments = _arguments(node.arguments, symbol, module, node, here)
    if arguments is not None:
        promises.performed(symbol.name, arguments, node.head, here.scope)
    facts = here.after_writing(frozenset(), (symbol.name,))
    item = given_by_handlers(symbol, module, here.scope)
    result, facts = _bind(node.result, item and ListType(item), symbol, "trigger", here.knowing(facts))
    if arguments is None or (node.result is not None and result is None):
        return None, facts
    return typed.Trigger(**here.mark(node), event=symbol.name, arguments=arguments, result=result), facts


def given_by_handlers(event: Symbol, module: Module, scope: Scope) -> Type | None:
    """The type of what handlers of an event may finish with."""
    node = event.node
    assert isinstance(node, d.Event)
    return resolve_type(node.gives, module, scope.linked, scope.report) if node.gives is not None else None


def _may_leave(node: s.Line, here: Here) -> bool:
    if here.together is not None:
        here.error("RW0515", node.head, "this would leave the `together` block early", help="leave after the block")
        return False
    if here.routine.sort == "watch":
        here.error("RW0516", node.head, "a `watch` may only change names of its procedure, and cannot jump")
        return False
    return True


def stop_line(node: s.Stop, here: Here) -> Done:
    """`stop` leaves the innermost loop."""
    if here.loop is not None:
        here.loop.left.append(here.facts)
        return typed.Stop(**here.mark(node)), None
    if here.together is not None:
        _may_leave(node, here)
    else:
        remedy = "`finish` ends the procedure, `proceed to` goes to a step"
        here.error("RW0510", node.head, "there is no loop around this `stop`", help=remedy)
    return None, here.facts


def proceed_line(node: s.Proceed, here: Here) -> Done:
    """`proceed to STEP at most N`."""
    if not _may_leave(node, here):
        return None, here.facts
    target = _jump_target(node, here)
    bound = here.fitted(node.bound, COUNT, "`at most`")
    if target is None or (node.bound is not None and bound is None):
        return None, None
    here.routine.arrivals.setdefault(node.step.text, []).append(here.facts)
    if target <= here.step and node.bound is None:
        remedy = f"write `proceed to {node.step.text} at most 10` with the most there can be"
        bounded = wrapped("", node.step.span, " at most 10")
        here.error("RW0512", node.head, "a jump back needs a bound on how often it is made", help=remedy, edits=bounded)
    elif target > here.step and node.bound is not None:
        message = "a jump forward is made once at most, so it needs no bound"
        unbounded = left_out(Span(node.head.source, node.step.span.end, node.bound.span.end), safe=True)
        here.hint("RW0513", node.head, message, help="leave out `at most`", edits=unbounded)
    return typed.Proceed(**here.mark(node), step=node.step.text, bound=bound), None


def _jump_target(node: s.Proceed, here: Here) -> int | None:
    target = here.routine.steps.get(node.step.text)
    if target is not None:
        return target
    here.routine.astray = True
    if here.routine.sort != "procedure":
        word = {"handler": "a handler", "rule": "a standing rule"}[here.routine.sort]
        instead = "end it with `finish`, or the procedure with `finish` and its name"
        here.error("RW0511", node.head, f"{word} has no steps to proceed to", help=instead)
        return None
    steps = ", ".join(f"`{step}`" for step in here.routine.steps)
    listed = f"its steps are {steps}" if steps else "it has no steps"
    remedy = meant(node.step.text, here.routine.steps, node.step.span, listed)
    here.error("RW0511", node.step.span, f"there is no step `{node.step.text}` in this procedure", remedy=remedy)
    return None


def finish_line(node: s.Finish, here: Here) -> Done:
    """`finish`, `finish with value`, `finish NAME`."""
    if not _may_leave(node, here):
        return None, here.facts
    if node.procedure is not None:
        return _outer(node, here), None
    value = _given_result(node.value, here.routine.result, node.head, here)
    if node.value is not None and value is None:
        return None, None
    return typed.Finish(**here.mark(node), value=value), None


def _given_result(node: e.Expression | None, wanted: Type | None, span: Span, here: Here) -> Expression | None:
    if node is None:
        if wanted is not None and here.routine.sort == "procedure":
            here.error("RW0514", span, "this procedure gives a result", help="write `finish with …`")
        return None
    if wanted is None:
        remedy = "add the result to its first line with `gives`, or leave out `with …`"
        here.error("RW0514", span, "nothing here gives a result", help=remedy)
        return None
    return here.fitted(node, wanted, "the result")


def _outer(node: s.Finish, here: Here) -> typed.FinishOuter | None:
    assert node.procedure is not None
    found = resolve(e.joined(node.procedure.text.split("."), node.procedure.span), here.routine.scope.module)
    if found is None or found[0].sort != "procedure":
        names = [name for name, each in here.routine.scope.module.callables.items() if each.sort == "procedure"]
        remedy = meant(node.procedure.text, names, node.procedure.span)
        here.error("RW0519", node.procedure.span, f"there is no procedure `{node.procedure.text}`", remedy=remedy)
        return None
    name = found[0].name
    wanted = here.routine.scope.shapes.results.get(name)
    if wanted is not None and node.value is None:
        message = f"`{node.procedure.text}` gives a result"
        here.error("RW0514", node.head, message, help=f"write `finish {node.procedure.text} with …`")
        return None
    value = _given_result(node.value, wanted, node.head, here) if node.value is not None else None
    if node.value is not None and value is None:
        return None
    return typed.FinishOuter(**here.mark(node), procedure=name, value=value)
