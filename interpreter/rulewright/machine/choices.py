"""Requests for people and schemas: choices, and the row or guard that rules out an impossible one."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from rulewright.machine.compile import compile_program
from rulewright.machine.entries import Renderer, asks_membership, reason
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.placing.pose_search import kept_facing
from rulewright.machine.question import Question, handlers_of, labels, thrown
from rulewright.machine.request import Choice, Reason, Request
from rulewright.machine.values import Value
from rulewright.machine.world import RECORD, ROLLS
from rulewright.program import statements as st
from rulewright.program.plane import ANGLE
from rulewright.program.types import FLAG, TEXT, ListType, OptionalType, Type

NOT_OFFERED = "it is not among those to choose from"


@lru_cache(maxsize=8)
def _traced(executable: Executable) -> Executable:
    return executable if executable.traced else compile_program(executable.program, traced=True)


class Reasons:
    """Reasons for the options and answers of one question."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._explaining = _traced(question.executable)
        self._number = self._explaining.explained.get(question.line)

    def source(self) -> tuple[Value, ...]:
        """Everything that is chosen from, shared among or ordered; beyond the limits only what is legal."""
        try:
            return tuple(self._call("s"))
        except Fault:
            return tuple(self._question.data if self._question.sort == "one" else self._question.data[1])

    def members(self) -> tuple[tuple[Value, Reason | None], ...]:
        """Every member of the source of a choice of one, with its reason."""
        legal = set(self._question.data)
        return tuple((each, None if each in legal else self.member(each)) for each in self.source())

    def member(self, member: Value) -> Reason:
        """Why a member of the source cannot be taken."""
        line = self._question.node
        if member not in self.source():
            return self._described("x", member) or Reason(line.address, NOT_OFFERED, line.cites)
        return self._described("y", member) or self._preferred(member)

    def direction(self, direction: Value) -> Reason | None:
        """Why a thing on a grid cannot be turned to a direction."""
        line = self._question.node
        last = line.variable.type.count - 1
        if direction in self._question.data:
            return None
        if direction not in range(last + 1):
            return Reason(line.address, f"a direction is 0 to {last}", line.cites)
        return self.whole(direction) or self._preferred(direction)

    def option(self, option: st.Option) -> Reason | None:
        """The reason why an option cannot be chosen."""
        if option.id in self._question.data:
            return None
        position = self._question.node.shape.options.index(option)
        found = self._described("y", position) or Reason(option.address, option.title)
        return replace(found, cites=found.cites or option.cites)

    def agreement(self) -> Reason:
        """The reason why *yes* cannot be said where only *no* is legal."""
        line = self._question.node
        return self._described("y", 0) or Reason(line.address, NOT_OFFERED, line.cites)

    def whole(self, answer: Value) -> Reason | None:
        """The `require` row that a whole answer fails."""
        line = self._question.node
        return self._judged("z", answer) if any(not each.prefer for each in line.demands) else None

    def _preferred(self, answer: Value) -> Reason:
        """The first `prefer` row that an answer fails and a legal one satisfies."""
        line = self._question.node
        rows = any(each.prefer for each in line.demands)
        found = self._described("j", answer, self._question.data[0]) if rows and self._question.data else None
        return found or Reason(line.address, NOT_OFFERED, line.cites)

    def _call(self, letter: str, *given: Any) -> Any:
        world, frame = self._question.world, list(self._question.frame)
        record, world[RECORD] = world[RECORD], []
        try:
            return self._explaining.functions[f"{letter}{self._number}"](world, frame, *given)
        finally:
            self._recorded, world[RECORD] = world[RECORD], record

    def _described(self, letter: str, *given: Any) -> Reason | None:
        """The row that rules something out; none where telling which would go beyond what the run may use."""
        try:
            return self._judged(letter, *given)
        except Fault:
            return None

    def _judged(self, letter: str, *given: Any) -> Reason | None:
        came = self._call(letter, *given)
        if came is None or came is True:
            return None
        rolls = tuple(self._question.world[ROLLS])
        entry = Renderer(self._explaining, rolls).entries(self._recorded, ())[-1]
        return reason(entry, self._explaining.concealed) if came is False or asks_membership(entry) else None


_OF_MEMBERS = frozenset({"one", "pick", "split", "order"})


def left_out(request: Request, member: Value) -> Reason | None:
    """Why a question does not offer a value of the right type, where a condition says it."""
    question = request.question
    if question is None or question.sort not in _OF_MEMBERS or request.closed:
        return None
    found = Reasons(question).member(member)
    return None if found.text in {NOT_OFFERED, ""} else found


def described(question: Question) -> Request:  # noqa: C901, PLR0911
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
        "members": _members_around(question),
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


def _members_around(question: Question) -> tuple[tuple[Value, Type], ...]:
    if not isinstance(question.node, st.Ask):
        return ()
    around = question.executable.loop_members.get(id(question.node), ())
    return tuple((question.frame[FIRST_SLOT + index], type_) for index, type_ in around)


def _audience(question: Question) -> int | None:
    withheld = question.executable.concealed.withheld(question.node)
    return question.player if withheld in {"answer", "options"} else None


def _on_plane(question: Question, common: dict[str, Any]) -> Request:
    node, thing = question.node, question.data[1]
    given: dict[str, tuple[Any, Type]] = {"thing": (thing, node.shape.thing.type)}
    if common["sort"] == "place":
        given["facing"] = (kept_facing(question.world, thing), ANGLE)
    return Request(**common, type=node.variable.type, name=node.variable.name, arguments=given)


def _bound(node: Any) -> str:
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
            handler = handlers_of(question)[question.data[2]]
            return question.executable.program.handlers[handler.name].heading
        case "external":
            external = question.executable.program.external_procedures[node.external]
            return external.title or node.external
        case "value":
            external_term = question.executable.program.external_terms[question.data[0]]
            return external_term.title or question.data[0]
        case _:
            return node.title if isinstance(node, st.RankKey) else getattr(node, "prompt", "")


def _window(question: Question, common: dict[str, Any]) -> Request:
    handlers = handlers_of(question)
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
    program, handlers = question.executable.program, handlers_of(question)
    for label, (number, _) in zip(labels(question), question.data[2], strict=True):
        yield Choice(label, program.handlers[handlers[number].name].title)
    if question.data[3]:
        yield Choice(None, "leave it to the others")


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
