"""Lines that lead elsewhere: `stop`, `proceed to`, `finish` (manual, Going elsewhere)."""

from rulewright.analysis import infer
from rulewright.analysis.effects import resolve
from rulewright.analysis.facts import Facts
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.routines.here import Here
from rulewright.diagnostics.suggest import left_out, meant, wrapped
from rulewright.program import statements as typed
from rulewright.program.expressions import Expression
from rulewright.program.types import COUNT, Type
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Dotted

Done = tuple[typed.Statement | None, Facts | None]


def _may_leave(node: s.Line, here: Here) -> bool:
    if here.together is not None:
        remedy = "leave after the block"
        here.error("RW0515", node.head, "this leads out of `together`, whose lines belong together", help=remedy)
        return False
    if here.routine.sort == "watch":
        here.error("RW0516", node.head, "a `watch` keeps books only, and leads nowhere")
        return False
    return True


def stop(node: s.Stop, here: Here) -> Done:
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


def proceed(node: s.Proceed, here: Here) -> Done:
    """`proceed to STEP at most N`."""
    if not _may_leave(node, here):
        return None, here.facts
    target = _target(node, here)
    bound = _bound(node, here)
    if target is None or (node.bound is not None and bound is None):
        return None, None
    here.routine.arrivals.setdefault(node.step.text, []).append(here.facts)
    if target <= here.step and node.bound is None:
        remedy = f"write `proceed to {node.step.text} at most 10` with the most there can be"
        bounded = wrapped("", node.step.span, " at most 10")
        message = "a jump back needs a bound on how often it is made"
        here.error("RW0512", node.head, message, help=remedy, edits=bounded)
    elif target > here.step and node.bound is not None:
        message = "a jump forward is made once at most, so its bound says nothing"
        unbounded = left_out(Span(node.head.source, node.step.span.end, node.bound.span.end), safe=True)
        here.hint("RW0513", node.head, message, help="leave out `at most`", edits=unbounded)
    return typed.Proceed(**here.mark(node), step=node.step.text, bound=bound), None


def _target(node: s.Proceed, here: Here) -> int | None:
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
    message = f"there is no step `{node.step.text}` in this procedure"
    here.error("RW0511", node.step.span, message, help=remedy.help, edits=remedy.edits)
    return None


def _bound(node: s.Proceed, here: Here) -> Expression | None:
    found = infer.infer(node.bound, here.scope) if node.bound is not None else None
    return found and fit(found, COUNT, here.scope, "`at most`")


def finish(node: s.Finish, here: Here) -> Done:
    """`finish`, `finish with value`, `finish NAME`."""
    if not _may_leave(node, here):
        return None, here.facts
    if node.procedure is not None:
        return _outer(node, here), None
    value = _result(node.value, here.routine.result, node.head, here)
    if node.value is not None and value is None:
        return None, None
    return typed.Finish(**here.mark(node), value=value), None


def _result(node: e.Expression | None, wanted: Type | None, span: Span, here: Here) -> Expression | None:
    if node is None:
        if wanted is not None and here.routine.sort == "procedure":
            here.error("RW0514", span, "this procedure gives a result", help="write `finish with …`")
        return None
    if wanted is None:
        remedy = "say what it gives in its first line, with `gives`, or leave out `with …`"
        here.error("RW0514", span, "nothing here gives a result", help=remedy)
        return None
    value = infer.infer(node, here.scope, wanted)
    return value and fit(value, wanted, here.scope, "the result")


def _outer(node: s.Finish, here: Here) -> typed.FinishOuter | None:
    assert node.procedure is not None
    parts = tuple(type(node.procedure)(text, node.procedure.span) for text in node.procedure.text.split("."))
    found = resolve(Dotted(parts, node.procedure.span), here.routine.scope.module)
    if found is None or found[0].sort != "procedure":
        names = [name for name, each in here.routine.scope.module.callables.items() if each.sort == "procedure"]
        remedy = meant(node.procedure.text, names, node.procedure.span)
        message = f"there is no procedure `{node.procedure.text}`"
        here.error("RW0519", node.procedure.span, message, help=remedy.help, edits=remedy.edits)
        return None
    name = found[0].name
    wanted = here.routine.scope.shapes.results.get(name)
    if wanted is not None and node.value is None:
        message = f"`{node.procedure.text}` gives a result"
        here.error("RW0514", node.head, message, help=f"write `finish {node.procedure.text} with …`")
        return None
    value = _result(node.value, wanted, node.head, here) if node.value is not None else None
    if node.value is not None and value is None:
        return None
    return typed.FinishOuter(**here.mark(node), procedure=name, value=value)
