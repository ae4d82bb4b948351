"""Questions to players."""

from collections.abc import Callable

from rulewright.syntax.builder.expressions import binder, expression
from rulewright.syntax.builder.parts import Build, Parts, Whole, block, statement
from rulewright.syntax.builder.rows import demanded
from rulewright.syntax.nodes.names import Cite
from rulewright.syntax.nodes.statements import (
    Ask,
    Asked,
    Block,
    Choose,
    Demand,
    OneOf,
    Option,
    Order,
    Pick,
    PlaceWhere,
    Shape,
    Split,
    Statement,
    TurnHow,
    Whether,
)


def demand(parts: Parts) -> Demand:
    """`require NAME: condition` or `prefer NAME: condition`."""
    return Demand(word=parts.word(), **demanded(parts))


def option(parts: Parts) -> Option:
    """`option NAME when guard "title":`."""
    name = parts.name()
    guard, title = parts.maybe(expression), parts.title()
    below = parts.last(block, "block")
    cites = below.cites if below else parts.cites
    return Option(name=name, span=parts.span, guard=guard, title=title, cites=cites, block=below)


def _asked(parts: Parts) -> Asked:
    who = parts.one(expression)
    if parts.rule == "who_all":
        return Asked(who, parts.span, each_name=parts.name())
    return Asked(who, parts.span, secretly=bool(parts.word()))


def _shape(parts: Parts) -> Shape:
    return _SHAPES[parts.rule](parts)


def _one_of(parts: Parts) -> Shape:
    return OneOf(parts.one(binder), parts.span)


def _pick(parts: Parts) -> Shape:
    return Pick(size=parts.one(expression), binder=parts.one(binder), name=parts.name(), span=parts.span)


def _split(parts: Parts) -> Shape:
    return Split(amount=parts.one(expression), over=parts.one(expression), name=parts.name(), span=parts.span)


def _order(parts: Parts) -> Shape:
    return Order(parts.one(expression), parts.name(), parts.span)


def _place_where(parts: Parts) -> Shape:
    return PlaceWhere(parts.one(expression), parts.name(), parts.span)


def _turn_how(parts: Parts) -> Shape:
    return TurnHow(parts.one(expression), parts.name(), parts.span)


_SHAPES: dict[str, Callable[[Parts], Shape]] = {
    "one_of": _one_of,
    "pick": _pick,
    "split": _split,
    "order": _order,
    "place_where": _place_where,
    "turn_how": _turn_how,
}


def _answer(parts: Parts) -> tuple[tuple[Demand, ...], Block | None, tuple[Cite, ...]]:
    """The demands, the lines and the margin under a question."""
    below = parts.many(_demand_or_line)
    lines = tuple(each for each in below if not isinstance(each, Demand))
    block_below = Block(lines, lines[0].span.to(lines[-1].span), parts.cites) if lines else None
    return tuple(each for each in below if isinstance(each, Demand)), block_below, parts.cites


def _demand_or_line(parts: Parts) -> Demand | Statement:
    return demand(parts) if parts.rule == "demand" else statement(parts)


def _ask(parts: Parts, whole: Whole) -> Statement:
    asked, shape, title = parts.one(_asked), parts.one(_shape), parts.title()
    demands, below, cites = parts.last(_answer, "answer") or ((), None, parts.cites)
    otherwise = parts.maybe(block)
    return Ask(
        asked=asked,
        shape=shape,
        title=title,
        demands=demands,
        block=below,
        otherwise=otherwise,
        cites=cites,
        **whole,
    )


def _ask_whether(parts: Parts, whole: Whole) -> Statement:
    asked = parts.one(_asked)
    name, guard = parts.name(), parts.maybe(expression)
    shape = Whether(name, guard, name.span.to(guard.span) if guard else name.span)
    title = parts.title()
    below = parts.last(block, "block")
    otherwise = parts.maybe(block)
    return Ask(
        asked=asked,
        shape=shape,
        title=title,
        block=below,
        otherwise=otherwise,
        cites=below.cites if below else parts.cites,
        **whole,
    )


def _ask_options(parts: Parts, whole: Whole) -> Statement:
    asked, name, title = parts.one(_asked), parts.name(), parts.title()
    options = parts.many(option, "option")
    shape = Choose(name, options, name.span.to(options[-1].span))
    return Ask(asked=asked, shape=shape, title=title, otherwise=parts.maybe(block), cites=parts.cites, **whole)


VERBS: dict[str, Build] = {
    "ask": _ask,
    "ask_whether": _ask_whether,
    "ask_options": _ask_options,
}
