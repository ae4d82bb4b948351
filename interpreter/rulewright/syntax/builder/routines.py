"""Declarations that hold lines: procedures, events, handlers and standing rules."""

from dataclasses import dataclass

from rulewright.syntax.builder.expressions import binder, expression
from rulewright.syntax.builder.parts import VERBS, Parts, block, build_type, dotted, statement
from rulewright.syntax.builder.rows import demanded
from rulewright.syntax.builder.things import parameters
from rulewright.syntax.nodes.declarations import Event, Handler, Hold, Needs, Opening, Procedure, Step, Watch, Whenever
from rulewright.syntax.nodes.expressions import Expression
from rulewright.syntax.nodes.names import Cite
from rulewright.syntax.nodes.statements import Block


def opening(parts: Parts) -> Opening:
    """A line at the head of a procedure, or any other."""
    match parts.rule:
        case "needs":
            return Needs(**demanded(parts))
        case "hold":
            return Hold(names=parts.names(), cites=parts.cites, span=parts.span, head=parts.head)
        case "watch":
            return _watch(parts)
        case _:
            return statement(parts)


def _watch(parts: Parts) -> Watch:
    event, guard, title, below = parts.one(dotted), parts.maybe(expression), parts.title(), parts.one(block)
    return Watch(
        event=event, guard=guard, title=title, block=below, cites=below.cites, span=parts.span, head=parts.head
    )


def procedure(parts: Parts) -> Procedure:
    """`inner procedure NAME(params) gives T:`."""
    return Procedure(
        inner=bool(parts.word()),
        name=parts.name(),
        parameters=parts.one(parameters),
        gives=parts.maybe(build_type),
        title=parts.title(),
        opening=parts.many(opening, "needs", "hold", "watch", "labelled", *VERBS),
        steps=parts.many(step),
        cites=parts.cites,
        span=parts.span,
        head=parts.head,
    )


def step(parts: Parts) -> Step:
    """`step ID "title" only if guard:`."""
    name, title, guard = parts.name(), parts.title(), parts.maybe(expression)
    below = parts.last(block, "block")
    return Step(
        name=name,
        title=title,
        guard=guard,
        block=below,
        cites=below.cites if below else parts.cites,
        span=parts.span,
        head=parts.head,
    )


def event(parts: Parts) -> Event:
    """`event NAME(params) on removal:`; the margins of its lines are its own."""
    name, params, gives = parts.name(), parts.one(parameters), parts.maybe(build_type)
    on_removal, title = bool(parts.word()), parts.title()
    lines = parts.many(_event_line)
    rows = {each.rule: each for each in lines}
    holders, order = rows.get("holders"), rows.get("order_by")
    return Event(
        name=name,
        parameters=params,
        gives=gives,
        on_removal=on_removal,
        title=title,
        holders=holders.value if holders else None,
        order=order.value if order else None,
        first_taker=bool(order and order.first_taker),
        cites=(*parts.cites, *(cite for each in lines for cite in each.cites)),
        span=parts.span,
        head=parts.head,
    )


@dataclass(frozen=True, slots=True)
class _EventLine:
    rule: str
    value: Expression
    first_taker: bool
    cites: tuple[Cite, ...]


def _event_line(parts: Parts) -> _EventLine:
    return _EventLine(parts.rule, parts.one(expression), parts.more() and bool(parts.word()), parts.cites)


def handler(parts: Parts) -> Handler:
    """`handler NAME for each x in S on EVENT:`."""
    name, found, heard = parts.name(), parts.one(binder), parts.one(dotted)
    guard, optional, title = parts.maybe(expression), bool(parts.word()), parts.title()
    below = parts.one(block)
    return Handler(
        name=name,
        binder=found,
        event=heard,
        guard=guard,
        optional=optional,
        title=title,
        block=below,
        cites=below.cites,
        span=parts.span,
        head=parts.head,
    )


def whenever(parts: Parts) -> Whenever:
    """`whenever NAME for each x in S:` with its three opening lines, whose margins are its own."""
    name, found, title = parts.name(), parts.maybe(binder), parts.title()
    (condition, *first), (priority, *second), (lowers, *third) = (
        parts.one(_measured),
        parts.one(_priority),
        parts.one(_measured),
    )
    lines = parts.many(statement)
    return Whenever(
        name=name,
        binder=found,
        title=title,
        condition=condition,
        priority=priority,
        lowers=lowers,
        block=Block(lines, lines[0].span.to(lines[-1].span)),
        cites=(*parts.cites, *first, *second, *third),
        span=parts.span,
        head=parts.head,
    )


def _measured(parts: Parts) -> tuple[Expression, *tuple[Cite, ...]]:
    return parts.one(expression), *parts.cites


def _priority(parts: Parts) -> tuple[int, *tuple[Cite, ...]]:
    return int(parts.word()), *parts.cites
