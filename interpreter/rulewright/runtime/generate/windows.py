"""Python for the questions of windows: the order of handlers, whether one runs, who takes the event."""

from rulewright.program import declarations as d
from rulewright.program.core import forms as core
from rulewright.program.types import ListType, OptionalType, TupleType
from rulewright.runtime import control_flow as cf
from rulewright.runtime.generate import expressions
from rulewright.runtime.generate.writer import CONTROL_CODE, FRAME_SITE_CODE, BlockFlow, FunctionBuilder

_OWN_PARTS = 2
"""Parts of a handler that may run before its members: its number and its owner."""


def emit_window_question(body: FunctionBuilder, exit_: cf.AskDecision, flow: BlockFlow) -> None:
    """A question of a window as a request, unless there is only one answer."""
    ask, constant = exit_.statement, body.module.add_constant
    body.add_line(f"p = {expressions.emit_expression(body, ask.player)}")
    event = constant(_find_event(ask))
    widths = constant(_list_widths(body, ask))
    match ask.space:
        case core.Orders(items=items):
            body.add_line(f"x = {expressions.emit_expression(body, items)}")
            with body.indent_under(f"if len(x) == 1 and not {CONTROL_CODE}.limits.forced:"):
                body.add_line(f"{body.variable_place(ask.result)} = x")
                flow.go(body, exit_.then)
            data = f"make_record(HandlerOrderData, ('handlers', {event}, offer_handlers(x, {widths})))"
        case core.Members(source=source):
            body.add_line(f"x = {expressions.emit_expression(body, source)}")
            with body.indent_under(f"if len(x) == 1 and not {CONTROL_CODE}.limits.forced:"):
                body.add_line(f"{body.variable_place(ask.result)} = x[0]")
                flow.go(body, exit_.then)
            body.add_line("m = x[-1] is None")
            offered = f"offer_handlers(x[:-1] if m else x, {widths})"
            data = f"make_record(TakerQuestionData, ('taker', {event}, {offered}, m))"
        case _:
            assert ask.subject is not None
            ready = expressions.emit_expression(body, ask.subject)
            data = f"make_record(HandlerQuestionData, ('handler', {event}, *offer_handlers(({ready},), {widths})[0]))"
    body.emit_ask(FRAME_SITE_CODE, "p", data)
    body.emit_pause(flow.continue_at(exit_.resume))


def list_blocks_without_window_answer(exit_: cf.AskDecision) -> list[int]:
    """Blocks that a question of a window may continue at without an answer."""
    return [] if isinstance(exit_.statement.space, core.Listed) else [exit_.then]


def emit_take_window_answer(body: FunctionBuilder, exit_: cf.AskDecision, flow: BlockFlow) -> None:
    """Resumes with an answer to a question of a window."""
    ask, constant = exit_.statement, body.module.add_constant
    place, reply = body.variable_place(ask.result), f"{CONTROL_CODE}.reply"
    owner = f"{CONTROL_CODE}.asked_player"
    match ask.space:
        case core.Orders():
            sort, width = "handlers", _get_width(ask.result.type)
            body.add_line(f"{place} = tuple([take_handler(each, {owner}, {width}) for each in {reply}])")
        case core.Members():
            sort, width = "taker", _get_width(ask.result.type)
            body.add_line(f"a = {reply}")
            body.add_line(f"{place} = None if a is None else take_handler(a, {owner}, {width})")
        case _:
            sort = "handler"
            body.add_line(f"{place} = {reply}")
    if body.module.traced:
        body.add_line(f"record_window_answer(W, F, {constant(sort)})")
    flow.go(body, exit_.then)


def _find_event(ask: core.Ask) -> str:
    return ask.origin.event if isinstance(ask.origin, d.Handler) else ask.origin.name


def _list_widths(body: FunctionBuilder, ask: core.Ask) -> tuple[int, ...]:
    """How many members each handler of the event has."""
    handlers = [each for each in body.module.program.handlers.values() if each.event == _find_event(ask)]
    return tuple(sum(variable is not None for variable in each.binding.variables) for each in handlers)


def _get_width(type_: core.CoreType) -> int:
    """How many members a handler that may run has at most."""
    ready = type_.item if isinstance(type_, ListType) else type_.inner if isinstance(type_, OptionalType) else type_
    assert isinstance(ready, TupleType)
    return len(ready.parts) - _OWN_PARTS
