"""Events, conditions that always hold, handlers, standing rules and procedures as items."""

from collections.abc import Iterator
from dataclasses import replace

from rulewright.outline.declaring import Declaring
from rulewright.outline.items import Item
from rulewright.outline.lines import Lines
from rulewright.outline.names import Name
from rulewright.program import declarations as d


def routines(declaring: Declaring) -> Iterator[Item]:
    """Everything that happens."""
    program = declaring.program
    yield from (_invariant(declaring, each) for each in program.invariants.values())
    yield from (_event(declaring, each) for each in program.events.values())
    yield from (_handler(declaring, each) for each in program.handlers.values())
    yield from (_rule(declaring, each) for each in program.rules.values())
    yield from (_procedure(declaring, each) for each in program.procedures.values())


def _invariant(declaring: Declaring, node: d.Invariant) -> Item:
    said = (("for each", node.binding), ("condition", node.condition), ("when", node.guard))
    parts = declaring.lines(node.name).writer.parts(*said)
    return declaring.item(node, "invariant", "always", parts)


def _event(declaring: Declaring, node: d.Event) -> Item:
    lines = declaring.lines(node.name)
    who = (("holders", node.holders), ("order", node.order), ("first taker", node.first_taker or None))
    parts = lines.writer.parts(*who, ("gives", node.gives), ("on removal", node.on_removal or None))
    item = declaring.item(node, "event", "event", parts, declaring.parameters(node.parameters, lines))
    return replace(item, ordered=node.on_removal)


def _handler(declaring: Declaring, node: d.Handler) -> Item:
    lines = declaring.lines(node.name)
    said = (("holder", node.binding), ("condition", node.guard), ("optional", node.optional or None))
    parts = (lines.writer.mention("event", "event", node.event), *lines.writer.parts(*said))
    return declaring.item(node, "handler", "handler", parts, lines.block(node.block))


def _rule(declaring: Declaring, node: d.StandingRule) -> Item:
    lines = declaring.lines(node.name)
    said = (("for each", node.binding), ("condition", node.condition))
    parts = lines.writer.parts(*said, ("priority", node.priority), ("lowers", node.lowers))
    return replace(declaring.item(node, "rule", "standing rule", parts, lines.block(node.block)), ordered=True)


def _procedure(declaring: Declaring, node: d.Procedure) -> Item:
    lines = declaring.lines(node.name, node.parameters)
    parameters = declaring.parameters(node.parameters, lines, node.defaults)
    opening = (item for part in node.opening for item in _opening(declaring, part, lines))
    steps = (_step(declaring, each, lines) for each in node.steps)
    parts = lines.writer.parts(("gives", node.result), ("inner", node.inner or None))
    return declaring.item(node, "procedure", "procedure", parts, (*parameters, *opening, *steps))


def _opening(declaring: Declaring, part: object, lines: Lines) -> Iterator[Item]:
    match part:
        case d.Hold(rules, cites, span):
            parts = tuple(lines.writer.mention("rule", "rule", each) for each in rules)
            address = f"{lines.writer.within.owner}/"
            yield Item("hold", "", address, declaring.text(span), span, cites=cites, parts=parts)
        case d.Watch():
            said = lines.writer.parts(("names", part.parameters), ("condition", part.guard))
            yield Item(
                "watch",
                "",
                part.address,
                declaring.text(part.span),
                part.span,
                cites=part.cites,
                parts=(lines.writer.mention("event", "event", part.event), *said),
                items=lines.block(part.block),
            )
        case tuple():
            yield from lines.block(part)
        case _:
            yield lines.item(part)


def _step(declaring: Declaring, node: d.Step, lines: Lines) -> Item:
    return Item(
        "step",
        node.id,
        node.address,
        declaring.text(node.span),
        node.span,
        name=Name("step", f"{lines.writer.within.owner}/{node.id}"),
        title=node.title,
        cites=node.cites,
        parts=lines.writer.parts(("condition", node.guard)),
        items=lines.block(node.block),
        ordered=True,
    )
