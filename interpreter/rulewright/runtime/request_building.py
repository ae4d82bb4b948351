"""Requests of questions, with their choices and why an option is closed."""

from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.program import statements as st
from rulewright.program.board_geometry import ANGLE
from rulewright.program.types import FLAG, TEXT, ListType, OptionalType, Type
from rulewright.runtime.answer_reasons import AnswerReasons
from rulewright.runtime.frame_slots import FIRST_SLOT
from rulewright.runtime.pending_question import PendingQuestion, label_handlers, list_dice_to_throw, list_handlers
from rulewright.runtime.pose_search import current_facing
from rulewright.runtime.request import AnswerChoice, Request
from rulewright.runtime.values import Value


def build_request(question: PendingQuestion, *, only_legal: bool = False) -> Request:
    """Full request of a question, or one with its legal choices alone; dice keep all, since they are named by them."""
    sort, node = question.sort, question.node
    common: dict[str, Any] = {
        "sort": sort,
        "address": question.address,
        "player": question.player,
        "prompt": _request_prompt(question),
        "cites": getattr(node, "cites", ()),
        "question": question,
        "claimable": question.claimable,
        "audience": _find_audience(question),
        "members": _enclosing_loop_members(question),
    }
    if only_legal and sort in _EXPLAINED_SORTS and not question.rolls:
        return Request(
            **common,
            type=_EXPLAINED_SORTS[sort] or node.variable.type,
            choices=tuple(_list_legal_choices(question)),
            name=node.variable.name,
        )
    match sort:
        case "whether":
            agreed = AnswerChoice(
                value=True, title="yes", reason=AnswerReasons(question).explain_yes() if question.data else None
            )
            choices: tuple[AnswerChoice, ...] = (agreed, AnswerChoice(value=False, title="no"))
            return Request(**common, type=FLAG, choices=choices, name=node.variable.name)
        case "one":
            reasons = AnswerReasons(question)
            choices = tuple(AnswerChoice(item, reason=reason) for item, reason in reasons.explain_members())
            return Request(**common, type=node.variable.type, choices=choices, name=node.variable.name)
        case "choose":
            reasons = AnswerReasons(question)
            choices = tuple(
                AnswerChoice(option.id, option.title, reasons.explain_option(option)) for option in node.shape.options
            )
            return Request(**common, type=TEXT, choices=choices, name=node.variable.name)
        case "turn":
            reasons = AnswerReasons(question)
            choices = tuple(
                AnswerChoice(item, reason=reasons.explain_direction(item)) for item in range(node.variable.type.count)
            )
            return Request(**common, type=node.variable.type, choices=choices, name=node.variable.name)
        case "place" | "heading":
            return _build_plane_request(question, common)
        case "pick" | "split" | "order":
            _, items, low, high, _, _ = question.data
            return Request(**common, type=_site_type(question), items=items, low=low, high=high, name=_bound_name(node))
        case "handlers" | "handler" | "taker":
            return _build_window_request(question, common)
        case "roll":
            dice = list_dice_to_throw(question)
            face = dice[0].face if dice else FLAG
            return Request(
                **common,
                type=ListType(face),
                dice=dice,
                name=_bound_name(node),
                arguments=_rank_roll_arguments(question),
            )
        case "draw":
            return Request(**common, type=node.variable.type, items=question.data, name=_bound_name(node))
        case "shuffle":
            return Request(**common, type=node.place.type, items=question.data)
        case "external":
            return _build_external_request(question, common)
        case _:
            return _build_value_request(question, common)


_EXPLAINED_SORTS: Mapping[str, Type | None] = {"whether": FLAG, "one": None, "choose": TEXT, "turn": None}
"""Questions whose requests list what is ruled out, with its reason; with the type of the answer, unless its variable has it."""


def _list_legal_choices(question: PendingQuestion) -> Iterator[AnswerChoice]:
    match question.sort:
        case "whether":
            yield from () if question.data else (AnswerChoice(value=True, title="yes"),)
            yield AnswerChoice(value=False, title="no")
        case "choose":
            for option in question.node.shape.options:
                if option.id in question.data:
                    yield AnswerChoice(option.id, option.title)
        case _:
            yield from map(AnswerChoice, question.data)


def _enclosing_loop_members(question: PendingQuestion) -> tuple[tuple[Value, Type], ...]:
    if not isinstance(question.node, st.Ask):
        return ()
    around = question.executable.loop_members.get(id(question.node), ())
    return tuple((question.frame[FIRST_SLOT + index], type_) for index, type_ in around)


def _find_audience(question: PendingQuestion) -> int | None:
    withheld = question.executable.concealment.withheld_part(question.node)
    return question.player if withheld in {"answer", "options"} else None


def _build_plane_request(question: PendingQuestion, common: dict[str, Any]) -> Request:
    node, thing = question.node, question.data.thing
    given: dict[str, tuple[Any, Type]] = {"thing": (thing, node.shape.thing.type)}
    if common["sort"] == "place":
        given["facing"] = (current_facing(question.world, thing), ANGLE)
    return Request(**common, type=node.variable.type, name=node.variable.name, arguments=given)


def _bound_name(node: Any) -> str:
    match node:
        case st.RankKey(id=name):
            return name
        case st.Ask() | st.Roll() | st.Draw():
            return node.variable.name
        case _:
            return ""


def _site_type(question: PendingQuestion) -> Type | None:
    return question.executable.sites[question.site].type


def _rank_roll_arguments(question: PendingQuestion) -> dict[str, tuple[Any, Type]]:
    if not isinstance(question.node, st.RankKey):
        return {}
    site = question.executable.sites[question.site]
    return {site.title: (question.data.members, site.type)} if site.type is not None else {}


def _request_prompt(question: PendingQuestion) -> str:
    node = question.node
    match question.sort:
        case "handlers":
            return "In which order?"
        case "taker":
            return question.executable.program.events[question.data.event].title or "Which one?"
        case "handler":
            handler = list_handlers(question)[question.data.number]
            return question.executable.program.handlers[handler.name].heading
        case "external":
            external = question.executable.program.external_procedures[node.external]
            return external.title or node.external
        case "value":
            external_term = question.executable.program.external_terms[question.data[0]]
            return external_term.title or question.data[0]
        case _:
            return node.title if isinstance(node, st.RankKey) else getattr(node, "prompt", "")


def _build_window_request(question: PendingQuestion, common: dict[str, Any]) -> Request:
    handlers = list_handlers(question)
    if common["sort"] == "handler":
        name = handlers[question.data.number].name
        choices = (AnswerChoice(value=True, title="yes"), AnswerChoice(value=False, title="no"))
        bound = [variable for variable in question.executable.program.handlers[name].binding.variables if variable]
        given = {
            variable.name: (value, variable.type) for variable, value in zip(bound, question.data.members, strict=True)
        }
        return Request(**common, type=FLAG, choices=choices, name=name, arguments=given)
    if common["sort"] == "taker":
        return Request(**common, type=OptionalType(TEXT), choices=tuple(_list_taker_choices(question)))
    return Request(**common, type=ListType(TEXT), items=label_handlers(question), low=len(question.data.handlers))


def _list_taker_choices(question: PendingQuestion) -> Iterator[AnswerChoice]:
    program, handlers = question.executable.program, list_handlers(question)
    for label, (number, _) in zip(label_handlers(question), question.data.handlers, strict=True):
        yield AnswerChoice(label, program.handlers[handlers[number].name].title)
    if question.data.may_pass:
        yield AnswerChoice(None, "leave it to the others")


def _build_external_request(question: PendingQuestion, common: dict[str, Any]) -> Request:
    external = question.executable.program.external_procedures[question.node.external]
    given: dict[str, tuple[Any, Type]] = {
        parameter.name: (value, parameter.type)
        for parameter, value in zip(external.parameters, question.data, strict=True)
    }
    return Request(**common, type=external.result, name=external.name, arguments=given, changes=external.changes)


def _build_value_request(question: PendingQuestion, common: dict[str, Any]) -> Request:
    name, values = question.data
    external = question.executable.program.external_terms[name]
    given: dict[str, tuple[Any, Type]] = {
        parameter.name: (value, parameter.type) for parameter, value in zip(external.parameters, values, strict=True)
    }
    return Request(**(common | {"cites": external.cites}), type=external.type, name=name, arguments=given)
