"""Answers to requests, read and written: the border at which everything from outside is judged."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rulewright.codecs.schemas import CLAIMS, length_measure, place_schema
from rulewright.codecs.table import place_json, read_pose, show, to_json
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.inputs.external_answers import external_json, read_external
from rulewright.inputs.findings import (
    EMPTY_LIST,
    MOST_LISTED,
    WRONG,
    Findings,
    Read,
    Wrong,
    did_you_mean,
    in_yaml,
    quoted,
    shown,
)
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import FLAGS, Items, Json, Mapping, Node, Scalar, entries_of, one_line
from rulewright.inputs.rolled_faces import read_faces
from rulewright.inputs.shapes import Shape
from rulewright.inputs.value_reader import ValueReader, node_of
from rulewright.machine.choices import left_out
from rulewright.machine.codes import LIMITS
from rulewright.machine.faults import Fault
from rulewright.machine.request import ELSEWHERE, Choice, Reason, Request
from rulewright.machine.run import Paused
from rulewright.machine.values import Map, Value
from rulewright.program import types as ty
from rulewright.program.types import Type
from rulewright.program.walk import may_hold
from rulewright.telling.happenings import condition, reason as spoken

if TYPE_CHECKING:
    from collections.abc import Callable

NOBODY = "nobody"
WHAT = "the answer"
"""What messages call an answer whose parts are wrong."""
_COUNTABLE = ty.NumberType | ty.DirectionType
_ROW = 3
"""More numbers than these in a row are told by the first and the last."""


def read_answer(
    request: Request, answer: Node | Json, names: Names, paused: Paused | None = None, *, typed: str = ""
) -> Read[Value]:
    """The typed answer to a request.

    Accepts what `request_schema` accepts; with the play at the request it is judged by the rules as well. Where people
    `typed` it at a table, messages speak of that, and of values as a table shows them. Reports RW0730 (not what is
    asked for), RW0731 (the rules refuse it, with the reason), RW0732 (a change that the external may not make) and
    what `ValueReader` does.
    """
    node = answer if isinstance(answer, Scalar | Items | Mapping) else node_of(answer)
    names = calling_dice(request, names)
    findings = Findings()
    speech = _Speech(request, names, typed)
    value = _AnswerReader(request, names, findings, speech).read(node)
    if not isinstance(value, Wrong) and paused is not None and not findings.found:
        for reason in _refusals(paused, value):
            example = None if reason.example is None else one_line(answer_json(request, reason.example, names))
            remedy = speech.remedy() if example is None else f"one is `{example}`"
            is_short = value is not None and shown(node) not in {"a list", EMPTY_LIST, "a mapping"}
            given = speech.given(node) if is_short else "this answer"
            message = f"{given} is not possible: {spoken(reason, names)}"
            findings.error("RW0731", node, message, help=remedy, notes=condition(reason))
    found = Read(None, tuple(findings.found)) if isinstance(value, Wrong) else findings.read(value)
    return replace(found, diagnostics=tuple(replace(each, address=request.address) for each in found.diagnostics))


def _refusals(paused: Paused, value: Value) -> tuple[Reason, ...]:
    """Why an answer is refused; where a limit keeps it from being judged, the play is left to stop there."""
    try:
        return paused.refusals(value)
    except Fault as fault:
        if fault.code in LIMITS:
            return ()
        return (Reason(paused.asked.line, fault.message, getattr(paused.asked.node, "cites", ())),)


def calling_dice(request: Request, names: Names) -> Names:
    """Names that call the dice that are offered by roll and face, as people do."""
    rolls = request.rolls
    dice: Any = ()
    if rolls and isinstance(item_type(answer_type(request)), ty.DieType):
        dice = tuple(each.value for each in request.choices) or request.items
    return names.holding(rolls, dice)


def answer_json(request: Request, value: Any, names: Names) -> Json:
    """A typed answer as `read_answer` takes it; dice by roll and place unless the names call them."""
    if value is None and request.claimable:
        return None
    if request.sort == "external":
        return external_json(request, value, names)
    if request.sort == "place":
        return place_json(value)
    if request.sort == "roll":
        faces = [each.face for each in request.dice for _ in range(each.count)]
        return [to_json(each, face, names) for each, face in zip(value, faces, strict=True)]
    written: Json = to_json(value, answer_type(request), names)
    return written


def listed(request: Request, names: Names) -> tuple[Choice, ...]:
    """The choices of a request as people read them: cells row by row, as the board writes them, all else as it is."""
    type_ = None if request.type is None else ty.present(request.type)
    if not isinstance(type_, ty.CellType):
        return request.choices

    def row_and_column(choice: Choice) -> list[float]:
        cell = choice.value
        return to_json(cell, type_, names)[::-1] if isinstance(cell, tuple) else [math.inf]

    return tuple(sorted(request.choices, key=row_and_column))


def answer_type(request: Request) -> Type:
    """The type of an answer; windows have a type of their own."""
    match request.sort:
        case "whether" | "handler":
            return ty.FlagType()
        case "handlers":
            return ty.ListType(ty.TextType())
        case "taker":
            return ty.OptionalType(ty.TextType())
        case "choose":
            return ty.TextType()
        case _:
            assert request.type is not None
            return request.type


def item_type(target: Type) -> Type:
    """The type of the members of a collection, of the keys of a map, or the type itself of what is not a collection."""
    return ty.member_type(target) or target


@dataclass(frozen=True, slots=True)
class _Speech:
    """How messages call answers: as a script writes them, or where they were typed as a table shows them."""

    request: Request
    names: Names
    typed: str

    def value(self, value: Value, type_: Type) -> str:
        if self.typed:
            return show(value, type_, self.names)
        written = _written(value, type_, self.names)
        return written if written.lstrip("-").isdigit() else quoted(written)

    def given(self, node: Node, *, member: bool = False) -> str:
        """What was answered, or a member of it."""
        if self.typed and not (member and isinstance(node, Scalar)):
            return visible(self.typed)
        match node:
            case Scalar(value=None):
                return "an empty answer"
            case Scalar(value=str() | bool(), written=written):
                return visible(written) if self.typed else quoted(written)
            case _:
                return shown(node)

    def offered(self, values: Sequence[Value], type_: Type) -> str:
        """What may be answered: `1, 2 or 3`, `0 to 5`; of many the first, and how many more."""
        values = list(dict.fromkeys(values))
        numbers = [each for each in values if isinstance(each, int)] if isinstance(type_, _COUNTABLE) else []
        if len(numbers) > _ROW and numbers == list(range(numbers[0], numbers[-1] + 1)):
            return f"{numbers[0]} to {numbers[-1]}"
        listed = [self.value(each, type_) for each in values]
        if len(listed) > MOST_LISTED:
            return f"{', '.join(listed[:MOST_LISTED])} or one of {len(listed) - MOST_LISTED} more"
        return " or ".join(filter(None, (", ".join(listed[:-1]), *listed[-1:])))

    def remedy(self) -> str:
        """What may be answered to a listed question."""
        possible = [each.value for each in self.request.choices if each.reason is None]
        return f"answer {self.offered(possible, answer_type(self.request))}" if possible else ""


def _written(value: Value, type_: Type, names: Names) -> str:
    data = to_json(value, type_, names)
    match data:
        case bool():
            return "yes" if data else "no"
        case None:
            return "none"
        case list() | dict():
            return one_line(_none_spelled(data))
        case str():
            return in_yaml(data)
        case _:
            return str(data)


def _none_spelled(data: Json) -> Json:
    match data:
        case list():
            return [_none_spelled(each) for each in data]
        case dict():
            return {key: _none_spelled(each) for key, each in data.items()}
        case _:
            return "none" if data is None else data


def claims(request: Request, node: Node) -> bool:
    """Whether an answer is the claim that there is no legal one."""
    return request.claimable and isinstance(node, Scalar) and (node.value is None or node.value in CLAIMS)


def is_nobody(node: Node) -> bool:
    """Whether an answer says that nobody takes part in a window."""
    return isinstance(node, Scalar) and node.value == NOBODY


class _AnswerReader:
    """Reads one answer; methods stand for the sorts of requests."""

    def __init__(self, request: Request, names: Names, findings: Findings, speech: _Speech) -> None:
        self.request = request
        self.names = names
        self.findings = findings
        self.speech = speech
        self.values = ValueReader(names, findings)

    def read(self, node: Node) -> Value | Wrong:
        readers: dict[str, Callable[[Node], Value | Wrong]] = {
            "whether": self._flag,
            "handler": self._flag,
            "taker": self._taker,
            "one": self._choice,
            "choose": self._choice,
            "turn": self._choice,
            "draw": self._drawn,
            "pick": self._pick,
            "split": self._split,
            "order": self._order,
            "handlers": self._order,
            "shuffle": self._order,
            "roll": lambda given: read_faces(
                given, self.request, self.values, self._refuse, self.speech.offered, typed=bool(self.speech.typed)
            ),
            "external": lambda given: read_external(given, self.request, self.values, self._refuse),
            "place": self._placed,
        }
        if claims(self.request, node):
            return None
        if self.request.sort in ELSEWHERE and self._gives_dice():
            return self._refuse(
                node, "it gives dice, and only rules roll them", f"write `bind {self.request.name} to …`"
            )
        if is_nobody(node) and self.request.sort in {"handler", "handlers", "taker"}:
            return self._nobody(node)
        return readers.get(self.request.sort, self._value)(node)

    def _gives_dice(self) -> bool:
        given, program = self.request.type, self.names.program
        return given is not None and may_hold(given, (ty.DieType, ty.PoolType), program)

    def _refuse(self, node: Node, wanted: str, remedy: str = "", *, member: bool = False) -> Wrong:
        message = f"{self.speech.given(node, member=member)} is not possible: {wanted}"
        return self.findings.error("RW0730", node, message, help=remedy)

    def _flag(self, node: Node) -> Value | Wrong:
        match node:
            case Scalar(value=bool(flag)):
                return flag
            case Scalar(value=str(written)) if written in FLAGS:
                return FLAGS[written]
        return self._refuse(node, "answer yes or no" if self.speech.typed else "answer `yes` or `no`")

    def _value(self, node: Node) -> Value | Wrong:
        return self.values.read(node, answer_type(self.request), WHAT)

    def _choice(self, node: Node) -> Value | Wrong:
        """A listed value: one that cannot be taken now is refused with its reason."""
        before = len(self.findings.found)
        value = self._value(node)
        for choice in self.request.choices:
            if not isinstance(value, Wrong) and choice.value == value:
                return value if choice.reason is None else self._impossible(node, choice)
        if not isinstance(value, Wrong) and (why := left_out(self.request, value)):
            return self._impossible(node, Choice(value, reason=why))
        del self.findings.found[before:]
        return self._refuse(node, self.speech.remedy() or "no answer is", self._meant(node, answer_type(self.request)))

    def _meant(self, node: Node, type_: Type) -> str:
        """The offered value that a misspelt one was meant to be."""
        if not isinstance(node, Scalar):
            return ""
        offered = [each.value for each in self.request.choices if each.reason is None] or self.request.items
        titles = [title for each in offered if (title := self.names.title(each, type_))]
        near = did_you_mean(node.written, [*titles, *(_written(each, type_, self.names) for each in offered)])
        return near.replace("`", "") if self.speech.typed else near

    def _taker(self, node: Node) -> Value | Wrong:
        """The name of a handler; the word `none` is not a name."""
        passes = any(choice.value is None for choice in self.request.choices)
        if passes and isinstance(node, Scalar) and node.value in {None, "none"}:
            return None
        return self._choice(node)

    def _nobody(self, node: Node) -> Value | Wrong:
        """What declines for every handler that is asked for; one that is not optional runs all the same."""
        if self.request.sort == "handler":
            return False
        labels = self.request.items or [each.value for each in self.request.choices if each.value is not None]
        handlers = self.names.program.handlers
        running = [one for each in labels if not handlers[one := str(each).partition("(")[0]].optional]
        if running:
            return self._refuse(node, f"{quoted(running[0])} is not optional, so it runs", "answer for each question")
        return None if self.request.sort == "taker" else self.request.items

    def _impossible(self, node: Node, choice: Choice) -> Wrong:
        assert choice.reason is not None
        value = self.speech.value(choice.value, answer_type(self.request))
        if self.request.sort == "choose" and choice.title:
            title = visible(choice.title)
            value = title if self.speech.typed else f"{value} ({title})"
        message = f"{value} is not possible: {spoken(choice.reason, self.names)}"
        notes = condition(choice.reason)
        return self.findings.error("RW0731", node, message, help=self.speech.remedy(), notes=notes)

    def _member(self, node: Node, target: Type) -> Value | Wrong:
        """A value among the items of the request."""
        before = len(self.findings.found)
        value = self.values.read(node, target, f"a member of {WHAT}")
        if value in self.request.items:
            return value
        if not isinstance(value, Wrong) and (why := left_out(self.request, value)):
            message = f"{self.speech.value(value, target)} is not possible: {spoken(why, self.names)}"
            return self.findings.error("RW0731", node, message, help=self._among(target), notes=condition(why))
        del self.findings.found[before:]
        wanted = self._among(target) or "there is nothing to choose from"
        return self._refuse(node, wanted, self._meant(node, target), member=True)

    def _among(self, target: Type) -> str:
        """What is picked from, ordered, shared among or drawn."""
        if not self.request.items:
            return ""
        verb = {"pick": "pick from", "split": "share among", "order": "order", "handlers": "order"}
        start = verb.get(self.request.sort, "answer")
        return f"{start} {self._all(target) if start != 'answer' else self.speech.offered(self.request.items, target)}"

    def _all(self, target: Type) -> str:
        offered = self.speech.offered(self.request.items, target)
        return (
            offered.replace(" or one of ", " and ") if " more" in offered else " and ".join(offered.rsplit(" or ", 1))
        )

    def _drawn(self, node: Node) -> Value | Wrong:
        return self._member(node, item_type(answer_type(self.request)))

    def _listed(self, node: Node, wanted: str) -> list[Any] | Wrong:
        if not isinstance(node, Items):
            return self._refuse(node, wanted)
        item = item_type(answer_type(self.request))
        members = [self._member(each, item) for each in node.items]
        return WRONG if WRONG in members else members

    def _pick(self, node: Node) -> Value | Wrong:
        low, high, item = self.request.low, self.request.high, item_type(answer_type(self.request))
        size = f"{low}" if low == high else f"{low} or {high}" if low + 1 == high else f"{low} to {high}"
        members = self._listed(node, f"answer with a list of {size} from {self._all(item)}")
        if isinstance(members, Wrong):
            return WRONG
        if twice := _twice(members):
            message = f"{self.speech.value(twice[0], item)} is picked twice"
            return self.findings.error("RW0730", node, message, help="name each once; members that are equal are one")
        if not low <= len(members) <= high:
            picked = "nothing is" if not members else "1 is" if len(members) == 1 else f"{len(members)} are"
            return self.findings.error("RW0730", node, f"{picked} picked: pick {size}")
        return tuple(each for each in self.request.items if each in members)

    def _order(self, node: Node) -> Value | Wrong:
        item = item_type(answer_type(self.request))
        members = self._listed(node, f"answer with a list of {self._all(item)}, in order")
        if isinstance(members, Wrong):
            return WRONG
        left = list(self.request.items)
        for each in members:
            if each in left:
                left.remove(each)
        if left or len(members) != len(self.request.items):
            wrong = [*(f"{self.speech.value(each, item)} is missing" for each in left[:1])] or [
                f"{self.speech.value(each, item)} is given too often" for each in _twice(members)[:1]
            ]
            return self.findings.error("RW0730", node, f"the order needs each of them once: {wrong[0]}")
        return tuple(members)

    def _split(self, node: Node) -> Value | Wrong:
        target = answer_type(self.request)
        assert isinstance(target, ty.MapType)
        before = len(self.findings.found)
        shares = self.values.read(node, ty.MapType(target.key, ty.COUNT), WHAT)
        if isinstance(shares, Wrong):
            return self._no_shares(node, before, target.key)
        assert isinstance(shares, Map)
        if strangers := [key for key in shares if key not in self.request.items]:
            return self._no_share(node, strangers[0], target.key)
        given = sum(count for _, count in shares.items() if isinstance(count, int))
        if given != self.request.high:
            message = f"the shares add up to {given}: they must add up to {self.request.high}"
            return self.findings.error("RW0730", node, message)
        return shares

    def _no_shares(self, node: Node, before: int, type_: Type) -> Wrong:
        """Says of what cannot be read as shares who may have one, or how shares are written."""
        wrong = self.findings.found[before]
        named = (key for key, _ in entries_of(node) if key.pointer == wrong.pointer)
        if wrong.code in {"RW0714", "RW0715"} and (name := next(named, None)) is not None:
            del self.findings.found[before:]
            said = visible(name.text) if self.speech.typed else quoted(name.text)
            return self.findings.error("RW0730", name, f"{said} cannot have a share: {self._among(type_)}")
        if not isinstance(node, Mapping | Items):
            del self.findings.found[before:]
            shares = Map.of(0, [(self.request.items[0], self.request.high)]) if self.request.items else Map.of(0, [])
            return self._refuse(node, f"answer with shares, such as `{self._example(shares)}`")
        return WRONG

    def _example(self, value: Value) -> str:
        return one_line(answer_json(self.request, value, self.names))

    def _no_share(self, node: Node, key: Value, type_: Type) -> Wrong:
        name, remedy = self.speech.value(key, type_), self._among(type_)
        if why := left_out(self.request, key):
            message = f"{name} cannot have a share: {spoken(why, self.names)}"
            return self.findings.error("RW0731", node, message, help=remedy, notes=condition(why))
        return self.findings.error("RW0730", node, f"{name} cannot have a share: {remedy}")

    def _placed(self, node: Node) -> Value | Wrong:
        """A pose of the thing that is placed; without a facing it keeps its own."""
        thing, facing = (self.request.arguments[name][0] for name in ("thing", "facing"))
        assert isinstance(thing, int)
        shape = Shape(place_schema(length_measure(self.names.program)))
        if not shape.judge(node, self.findings, WHAT):
            return WRONG
        found: Value | Wrong = read_pose(node, thing, WHAT, self.values)
        if isinstance(found, Wrong) or not isinstance(node, Mapping) or node.get("facing") is not None:
            return found
        assert isinstance(found, tuple)
        return thing, found[1], facing


def _twice(members: Sequence[Value]) -> list[Value]:
    """What stands in a list more than once."""
    return [each for index, each in enumerate(members) if each in members[:index]]
