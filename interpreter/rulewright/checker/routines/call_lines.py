"""Lines that transfer control: `perform`, `trigger`, `stop`, `proceed to`, `finish` (manual, Going elsewhere)."""

from rulewright.base.diagnostics import Basis
from rulewright.base.diagnostics.remedies import make_deletion_edits, make_name_remedy, make_wrapping_edits
from rulewright.base.source import Span
from rulewright.checker import preconditions
from rulewright.checker.alias_kinds import resolve_callable
from rulewright.checker.facts.fact_store import Facts
from rulewright.checker.infer.call_arguments import infer_arguments
from rulewright.checker.infer.calls import make_call_target
from rulewright.checker.routines.line_context import LineContext, LineResult, forget_variable
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import STEP_SPACE, LinkedModule, Symbol, report_missing_name
from rulewright.program import statements as typed
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import COUNT, ListType, Type
from rulewright.program.wording import add_article
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Dotted, Name


def translate_perform(node: s.Perform, here: LineContext) -> LineResult:
    items = _resolve_callee(node.procedure, {"procedure", "external procedure"}, "procedure", node, here)
    if items is None:
        return None, here.facts
    symbol, module = items
    arguments = _infer_call_arguments(node.arguments, symbol, module, node, here)
    bound = here.environment.linked.external_bindings.get(symbol.name, symbol.name)
    if arguments is not None:
        preconditions.record_call(bound, arguments, node.head, here.scope)
    facts = here.apply_writes(frozenset(), (bound,))
    wanted = here.environment.result_types.get(symbol.name)
    result, facts = _bind_result(node.result, wanted, symbol, "perform", here.with_facts(facts))
    if arguments is None or (node.result is not None and result is None):
        return None, facts
    if symbol.sort == "external procedure" and bound == symbol.name:
        return _make_external_perform(node, symbol, arguments, result, here), facts
    depth = here.infer_fitted(node.depth, COUNT, "`at most … deep`")
    steps = _resolve_step_range(node, symbol, here) if node.steps is not None else None
    if (node.depth is not None and depth is None) or (node.steps is not None and steps is None):
        return None, facts
    mark = here.make_line_fields(node)
    statement = typed.Perform(**mark, procedure=bound, arguments=arguments, steps=steps, depth=depth, result=result)
    return statement, facts


def _resolve_callee(
    name: Dotted, sorts: set[str], word: str, node: s.Line, here: LineContext
) -> tuple[Symbol, LinkedModule] | None:
    if here.routine.sort == "watch":
        here.error("RW0516", node.head, "a `watch` may only change names of its procedure, and cannot perform anything")
        return None
    module = here.module
    result = resolve_callable(name, module, here.report)
    if result is not None and result[0].sort in sorts:
        return result
    if result is not None:
        verb = {"procedure": "perform", "external procedure": "perform", "event": "trigger"}.get(result[0].sort)
        instead = f"write `{verb} {name.text}(…)`" if verb else f"{add_article(result[0].sort)} is read, not performed"
        here.error(
            "RW0519",
            name.span,
            f"`{name.text}` is {add_article(result[0].sort)}, not {add_article(word)}",
            help=instead,
            subject=name.text,
        )
        return None
    for prefix in name.parts[:-1]:
        module = module.uses.get(prefix.text, module)
    names = [text for text, symbol in module.callables.items() if symbol.sort in sorts]
    last = name.parts[-1].text
    remedy = make_name_remedy(last, names, name.span, before=name.text.removesuffix(last))
    here.error("RW0519", name.span, f"there is no {word} `{name.text}`", remedy=remedy, missing=name.text)
    return None


def _infer_call_arguments(
    written: tuple[e.Argument, ...], symbol: Symbol, module: LinkedModule, node: s.Line, here: LineContext
) -> tuple[Expression, ...] | None:
    text = e.Reference(symbol.name, node.head)
    return infer_arguments(written, make_call_target(symbol, module, text), node.head, here.scope)


def _bind_result(
    name: Name | None, wanted: Type | None, called: Symbol, verb: str, here: LineContext
) -> tuple[Variable | None, Facts]:
    if name is None:
        return None, here.facts
    if wanted is None:
        if called.name not in here.environment.failed_declarations:
            message = f"`{called.name}` gives no result that `{name.text}` could name"
            here.error("RW0514", name.span, message, help="leave out `as …`")
        return None, here.facts
    variable = here.routine.names.bind_name(name, wanted, verb, here.make_scope_without(name.text))
    return variable, here.facts if variable is None else forget_variable(here.facts, variable)


def _make_external_perform(
    node: s.Perform, symbol: Symbol, arguments: tuple[Expression, ...], result: Variable | None, here: LineContext
) -> typed.PerformExternal | None:
    if node.steps is not None or node.depth is not None:
        here.error(
            "RW0519",
            node.head,
            f"`{symbol.name}` is scripted elsewhere and has no steps here",
            subject=node.procedure.text,
        )
        return None
    if result is None and here.environment.result_types.get(symbol.name) is not None:
        remedy = f"name it: `perform {node.procedure.text}(…) as …`"
        here.warning("RW0520", node.head, f"no line reads the result of `{symbol.name}`", help=remedy)
    return typed.PerformExternal(
        **here.make_line_fields(node), external=symbol.name, arguments=arguments, result=result
    )


def _resolve_step_range(node: s.Perform, symbol: Symbol, here: LineContext) -> tuple[str, str] | None:
    assert node.steps is not None
    written = symbol.node
    if not isinstance(written, d.Procedure):
        return None
    order = {item.name.text: place for place, item in enumerate(written.steps)}
    for step in node.steps:
        if step.text not in order:
            where, owner = f" in `{symbol.name}`", f"{symbol.name}/"
            report_missing_name("RW0511", step, "step", order, here.report, where, owner)
            return None
        here.report.note_use(step.span, STEP_SPACE, symbol.name, step.text)
    first, last = (name.text for name in node.steps)
    if order[first] > order[last]:
        here.error("RW0511", node.steps[0].span, f"step `{first}` comes after step `{last}`")
        return None
    return first, last


def translate_trigger(node: s.Trigger, here: LineContext) -> LineResult:
    items = _resolve_callee(node.event, {"event"}, "event", node, here)
    if items is None:
        return None, here.facts
    symbol, module = items
    arguments = _infer_call_arguments(node.arguments, symbol, module, node, here)
    if arguments is not None:
        preconditions.record_call(symbol.name, arguments, node.head, here.scope)
    facts = here.apply_writes(frozenset(), (symbol.name,))
    item = get_handler_result_type(symbol, module, here.scope)
    result, facts = _bind_result(node.result, item and ListType(item), symbol, "trigger", here.with_facts(facts))
    if arguments is None or (node.result is not None and result is None):
        return None, facts
    return typed.Trigger(**here.make_line_fields(node), event=symbol.name, arguments=arguments, result=result), facts


def get_handler_result_type(event: Symbol, module: LinkedModule, scope: Scope) -> Type | None:
    """Type that handlers of an event may finish with."""
    node = event.node
    assert isinstance(node, d.Event)
    return scope.environment.resolve_type(node.gives, module) if node.gives is not None else None


def _check_may_leave_block(node: s.Line, here: LineContext) -> bool:
    if here.together_span is not None:
        here.error("RW0515", node.head, "this would leave the `together` block early", help="leave after the block")
        return False
    if here.routine.sort == "watch":
        here.error("RW0516", node.head, "a `watch` may only change names of its procedure, and cannot jump")
        return False
    return True


def translate_stop(node: s.Stop, here: LineContext) -> LineResult:
    if here.facts_at_stops is not None:
        here.facts_at_stops.append(here.facts)
        return typed.Stop(**here.make_line_fields(node)), None
    if here.together_span is not None:
        _check_may_leave_block(node, here)
    else:
        remedy = "`finish` ends the procedure, `proceed to` goes to a step"
        here.error("RW0510", node.head, "there is no loop around this `stop`", help=remedy)
    return None, here.facts


def translate_proceed(node: s.Proceed, here: LineContext) -> LineResult:
    if not _check_may_leave_block(node, here):
        return None, here.facts
    target = _find_jump_target(node, here)
    bound = here.infer_fitted(node.bound, COUNT, "`at most`")
    if target is None or (node.bound is not None and bound is None):
        return None, None
    here.routine.facts_at_jumps.setdefault(node.step.text, []).append(here.facts)
    if node.step.text in here.routine.doubled_steps:
        pass
    elif target <= here.step_index and node.bound is None:
        remedy = f"write `proceed to {node.step.text} at most 10` with the most there can be"
        bounded = make_wrapping_edits("", node.step.span, " at most 10")
        here.error(
            "RW0512",
            node.head,
            "a jump back needs a bound on how often it is made",
            help=remedy,
            edits=bounded,
            subject=here.routine.name,
        )
    elif target > here.step_index and node.bound is not None:
        message = "a jump forward is made once at most, so it needs no bound"
        unbounded = make_deletion_edits(Span(node.head.source, node.step.span.end, node.bound.span.end), safe=True)
        here.hint("RW0513", node.head, message, help="leave out `at most`", edits=unbounded)
    return typed.Proceed(**here.make_line_fields(node), step=node.step.text, bound=bound), None


def _find_jump_target(node: s.Proceed, here: LineContext) -> int | None:
    target = here.routine.steps.get(node.step.text)
    if target is not None:
        here.report.note_use(node.step.span, STEP_SPACE, here.routine.name, node.step.text)
        return target
    here.routine.has_bad_jump = True
    if here.routine.sort != "procedure":
        word = {"handler": "a handler", "rule": "a standing rule"}[here.routine.sort]
        instead = "end it with `finish`, or the procedure with `finish` and its name"
        here.error("RW0511", node.head, f"{word} has no steps to proceed to", help=instead, subject=here.routine.name)
        return None
    steps = ", ".join(f"`{step}`" for step in here.routine.steps)
    listed = f"its steps are {steps}" if steps else "it has no steps"
    where, owner = " in this procedure", f"{here.routine.name}/"
    report_missing_name("RW0511", node.step, "step", here.routine.steps, here.report, where, owner, listed)
    return None


def translate_finish(node: s.Finish, here: LineContext) -> LineResult:
    if not _check_may_leave_block(node, here):
        return None, here.facts
    if node.procedure is not None:
        return _make_outer_finish(node, here), None
    value = _infer_finish_value(node.value, here.routine.result, node.head, here)
    if node.value is not None and value is None:
        return None, None
    return typed.Finish(**here.make_line_fields(node), value=value), None


def _infer_finish_value(
    node: e.Expression | None, wanted: Type | None, span: Span, here: LineContext
) -> Expression | None:
    if node is None:
        if wanted is not None and here.routine.sort == "procedure":
            here.error("RW0514", span, "this procedure gives a result", help="write `finish with …`")
        return None
    if wanted is None:
        remedy = "add the result to its first line with `gives`, or leave out `with …`"
        here.error("RW0514", span, "nothing here gives a result", help=remedy, basis=Basis.NAMES)
        return None
    return here.infer_fitted(node, wanted, "the result")


def _make_outer_finish(node: s.Finish, here: LineContext) -> typed.FinishOuter | None:
    assert node.procedure is not None
    dotted = Dotted((node.procedure,), node.procedure.span)
    items = resolve_callable(dotted, here.module, here.report)
    if items is None or items[0].sort != "procedure":
        if node.procedure.text == "with":
            remedy = "write it behind `with`; a procedure that gives nothing has `finish` alone"
            here.error("RW0519", node.procedure.span, "`finish with` does not say the result", help=remedy)
            return None
        names = [name for name, symbol in here.module.callables.items() if symbol.sort == "procedure"]
        report_missing_name("RW0519", node.procedure, "procedure", names, here.report)
        return None
    name = items[0].name
    wanted = here.environment.result_types.get(name)
    if wanted is not None and node.value is None:
        message = f"`{node.procedure.text}` gives a result"
        here.error("RW0514", node.head, message, help=f"write `finish {node.procedure.text} with …`")
        return None
    value = _infer_finish_value(node.value, wanted, node.head, here) if node.value is not None else None
    if node.value is not None and value is None:
        return None
    return typed.FinishOuter(**here.make_line_fields(node), procedure=name, value=value)
