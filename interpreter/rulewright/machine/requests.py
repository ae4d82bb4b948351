"""Requests for people and schemas: choices with the reason for each impossible one."""

from collections.abc import Iterator
from typing import Any

from rulewright.machine.placing.look import kept_facing
from rulewright.machine.question import Question, thrown
from rulewright.machine.reasons import Reasons
from rulewright.machine.request import Choice, Request
from rulewright.program import statements as st
from rulewright.program.plane import ANGLE
from rulewright.program.types import FLAG, TEXT, ListType, OptionalType, Type


def request(question: Question) -> Request:  # noqa: C901, PLR0911
    """The whole request of a question."""
    sort, node = question.sort, question.node
    common: dict[str, Any] = {
        "sort": sort,
        "address": question.address,
        "player": question.player,
        "prompt": _prompt(question),
        "cites": getattr(node, "cites", ()),
        "question": question,
        "claimable": question.claimable,
        "audience": _audience(question),
    }
    match sort:
        case "whether":
            agreed = Choice(value=True, title="yes", reason=Reasons(question).agreement() if question.data else None)
            choices: tuple[Choice, ...] = (agreed, Choice(value=False, title="no"))
            return Request(**common, type=FLAG, choices=choices, name=node.variable.name)
        case "one":
            reasons = Reasons(question)
            choices = tuple(Choice(each, reason=reason) for each, reason in reasons.members())
            return Request(**common, type=node.variable.type, choices=choices, name=node.variable.name)
        case "choose":
            reasons = Reasons(question)
            choices = tuple(Choice(each.id, each.title, reasons.option(each)) for each in node.shape.options)
            return Request(**common, type=TEXT, choices=choices, name=node.variable.name)
        case "turn":
            reasons = Reasons(question)
            choices = tuple(Choice(each, reason=reasons.direction(each)) for each in range(node.variable.type.count))
            return Request(**common, type=node.variable.type, choices=choices, name=node.variable.name)
        case "place" | "heading":
            return _on_plane(question, common)
        case "pick" | "split" | "order":
            _, items, low, high, *_ = question.data
            return Request(**common, type=_type(question), items=items, low=low, high=high, name=_bound(node))
        case "handlers" | "handler" | "taker":
            return _window(question, common)
        case "roll":
            dice = thrown(question)
            face = dice[0].face if dice else FLAG
            return Request(**common, type=ListType(face), dice=dice, name=_bound(node), arguments=_thrown_for(question))
        case "draw":
            return Request(**common, type=node.variable.type, items=question.data, name=_bound(node))
        case "shuffle":
            return Request(**common, type=node.place.type, items=question.data)
        case "external":
            return _external(question, common)
        case _:
            return _value(question, common)


def _audience(question: Question) -> int | None:
    withheld = question.executable.concealed.withheld(question.node)
    return question.player if withheld in {"answer", "options"} else None


def _on_plane(question: Question, common: dict[str, Any]) -> Request:
    node, thing = question.node, question.data[1]
    given: dict[str, tuple[Any, Type]] = {"thing": (thing, node.shape.thing.type)}
    if common["sort"] == "place":
        given["facing"] = (kept_facing(question.world, thing), ANGLE)
    return Request(**common, type=node.variable.type, name=node.variable.name, arguments=given)


def _bound(node: Any) -> str:  # noqa: ANN401
    match node:
        case st.RankKey(id=name):
            return name
        case st.Ask() | st.Roll() | st.Draw():
            return node.variable.name
        case _:
            return ""


def _type(question: Question) -> Type | None:
    return question.executable.sites[question.site].type


def _thrown_for(question: Question) -> dict[str, tuple[Any, Type]]:
    """The members that a rank throws for, under the name of the ranking."""
    if not isinstance(question.node, st.RankKey):
        return {}
    site = question.executable.sites[question.site]
    return {site.title: (question.data[3], site.type)} if site.type is not None else {}


def _prompt(question: Question) -> str:
    node = question.node
    match question.sort:
        case "handlers":
            return "In which order?"
        case "taker":
            return question.executable.program.events[question.data[1]].title or "Which one?"
        case "handler":
            handler = _handlers(question)[question.data[2]]
            return question.executable.program.handlers[handler.name].title or handler.name
        case "external":
            external = question.executable.program.external_procedures[node.external]
            return external.title or node.external
        case "value":
            external_term = question.executable.program.external_terms[question.data[0]]
            return external_term.title or question.data[0]
        case _:
            return node.title if isinstance(node, st.RankKey) else getattr(node, "prompt", "")


def _handlers(question: Question) -> Any:  # noqa: ANN401
    return question.executable.tables.events[question.data[1]].handlers


def _window(question: Question, common: dict[str, Any]) -> Request:
    handlers = _handlers(question)
    if common["sort"] == "handler":
        name = handlers[question.data[2]].name
        choices = (Choice(value=True, title="yes"), Choice(value=False, title="no"))
        bound = [each for each in question.executable.program.handlers[name].binding.variables if each]
        given = {each.name: (value, each.type) for each, value in zip(bound, question.data[3], strict=True)}
        return Request(**common, type=FLAG, choices=choices, name=name, arguments=given)
    if common["sort"] == "taker":
        return Request(**common, type=OptionalType(TEXT), choices=tuple(_takers(question)))
    return Request(**common, type=ListType(TEXT), items=labels(question), low=len(question.data[2]))


def _takers(question: Question) -> Iterator[Choice]:
    """The handlers one player may take, with their titles; and none, where that is possible."""
    program, handlers = question.executable.program, _handlers(question)
    for label, (number, _) in zip(labels(question), question.data[2], strict=True):
        yield Choice(label, program.handlers[handlers[number].name].title)
    if question.data[3]:
        yield Choice(None, "leave it to the others")


def labels(question: Question) -> tuple[str, ...]:
    """What the handlers of an order question are called: their names, with holders where a name is not enough."""
    handlers = _handlers(question)
    names = [handlers[number].name for number, _ in question.data[2]]
    return tuple(
        name if names.count(name) == 1 else f"{name}({_ids(question, name, members)})"
        for name, (_, members) in zip(names, question.data[2], strict=True)
    )


def in_order_of(question: Question, answer: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """The handlers of an order question in the order of the labels given."""
    named = dict(zip(labels(question), question.data[2], strict=True))
    return tuple(named[each] for each in answer)


def _ids(question: Question, name: str, members: tuple[Any, ...]) -> str:
    things = question.world[0].base.things
    bound = [each for each in question.executable.program.handlers[name].binding.variables if each]
    shown = []
    for variable, value in zip(bound, members, strict=True):
        kind = getattr(variable.type, "kind", None)
        shown.append(things[kind][value] if kind else str(value))
    return ", ".join(shown)


def _external(question: Question, common: dict[str, Any]) -> Request:
    external = question.executable.program.external_procedures[question.node.external]
    given: dict[str, tuple[Any, Type]] = {
        each.name: (value, each.type) for each, value in zip(external.parameters, question.data, strict=True)
    }
    return Request(**common, type=external.result, name=external.name, arguments=given, changes=external.changes)


def _value(question: Question, common: dict[str, Any]) -> Request:
    name, values = question.data
    external = question.executable.program.external_terms[name]
    given: dict[str, tuple[Any, Type]] = {
        each.name: (value, each.type) for each, value in zip(external.parameters, values, strict=True)
    }
    return Request(**(common | {"cites": external.cites}), type=external.type, name=name, arguments=given)
