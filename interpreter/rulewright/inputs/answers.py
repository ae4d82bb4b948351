"""Answers to requests, read and written: the border at which everything from outside is judged."""

from typing import TYPE_CHECKING, Any

from rulewright.inputs.changes import changes_json, read_changes
from rulewright.inputs.findings import WRONG, Findings, Read, Wrong
from rulewright.inputs.json_values import node_of, to_json
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Json, Mapping, Node, Scalar
from rulewright.inputs.one_line import one_line
from rulewright.inputs.plane_values import place_json, pose
from rulewright.inputs.value_reader import FLAGS, ValueReader
from rulewright.inputs.wording import did_you_mean, one_of, quoted, shown, there_are
from rulewright.machine.border import legal
from rulewright.machine.reasons import left_out
from rulewright.machine.request import Choice, Request
from rulewright.machine.state import State
from rulewright.machine.values import Map, Value
from rulewright.program.types import (
    COUNT,
    BagType,
    DeckType,
    FlagType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    RecordType,
    SetType,
    TextType,
    Type,
)
from rulewright.telling.reasons import condition
from rulewright.telling.reasons import reason as spoken

if TYPE_CHECKING:
    from collections.abc import Callable

RESULT, CHANGES = "result", "changes"
CLAIMS = ("none", "no answer", "no place")


def read_answer(request: Request, answer: Node | Json, names: Names, state: State | None = None) -> Read[Value]:
    """The typed answer to a request.

    Accepts what `request_schema` accepts; with the state it is judged by the rules as well. Reports RW0730 (not
    what is asked for), RW0731 (the rules refuse it, with the reason), RW0732 (a change that the external may not
    make) and what `ValueReader` does.
    """
    node = answer if isinstance(answer, Scalar | Items | Mapping) else node_of(answer)
    findings = Findings()
    value = _AnswerReader(request, names, findings).read(node)
    if isinstance(value, Wrong):
        return Read(None, tuple(findings.found))
    if state is not None and not findings.found:
        for reason in legal(request, state, value):
            remedy = _allowed(request, names) if reason.example is None else _one(request, reason.example, names)
            findings.error(
                "RW0731", node, f"this answer is refused: {spoken(reason, names)}", help=remedy, notes=condition(reason)
            )
    return findings.read(value)


def answer_json(request: Request, value: Any, names: Names) -> Json:  # noqa: ANN401
    """A typed answer as `read_answer` takes it."""
    if value is None and request.claimable:
        return None
    if request.sort == "external":
        result, changes = value
        return _external_json(request, result, names) | ({CHANGES: changes_json(changes, names)} if changes else {})
    if request.sort == "place":
        return place_json(value)
    if request.sort == "roll":
        faces = [each.face for each in request.dice for _ in range(each.count)]
        return [to_json(each, face, names) for each, face in zip(value, faces, strict=True)]
    return to_json(value, answer_type(request), names)


def _external_json(request: Request, result: Value, names: Names) -> dict[str, Json]:
    match request.type:
        case None:
            return {}
        case RecordType(record) if record == request.name:
            written = to_json(result, request.type, names)
            return written if isinstance(written, dict) else {}
        case type_:
            return {RESULT: to_json(result, type_, names)}


def answer_type(request: Request) -> Type:
    """The type of an answer; windows have a type of their own."""
    match request.sort:
        case "whether" | "handler":
            return FlagType()
        case "handlers":
            return ListType(TextType())
        case "taker":
            return OptionalType(TextType())
        case "choose":
            return TextType()
        case _:
            assert request.type is not None
            return request.type


def item_type(target: Type) -> Type:
    """The type of the members of a collection, or of the keys of a map."""
    match target:
        case SetType(item) | ListType(item) | BagType(item) | DeckType(item):
            return item
        case MapType(key):
            return key
        case _:
            return target


def _allowed(request: Request, names: Names) -> str:
    possible = [_written(each.value, answer_type(request), names) for each in request.choices if each.reason is None]
    return f"it may be {one_of(possible)}" if possible else ""


def _written(value: Value, type_: Type, names: Names) -> str:
    data = to_json(value, type_, names)
    match data:
        case bool():
            return "yes" if data else "no"
        case None:
            return "none"
        case list() | dict():
            return one_line(data)
        case _:
            return str(data)


def _one(request: Request, example: Value, names: Names) -> str:
    return f"one is `{one_line(answer_json(request, example, names))}`"


def claims(request: Request, node: Node) -> bool:
    """Whether an answer is the claim that there is no legal one."""
    return request.claimable and isinstance(node, Scalar) and (node.value is None or node.value in CLAIMS)


class _AnswerReader:
    """Reads one answer; methods stand for the sorts of requests."""

    def __init__(self, request: Request, names: Names, findings: Findings) -> None:
        self.request = request
        self.names = names
        self.findings = findings
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
            "roll": self._roll,
            "external": self._external,
            "place": self._placed,
        }
        if claims(self.request, node):
            return None
        return readers.get(self.request.sort, self._value)(node)

    def _what(self) -> str:
        return f"the answer at `{self.request.address}`"

    def _refuse(self, node: Node, wanted: str, remedy: str = "") -> Wrong:
        return self.findings.error("RW0730", node, f"{self._what()} is {shown(node)}; it must be {wanted}", help=remedy)

    def _flag(self, node: Node) -> Value | Wrong:
        match node:
            case Scalar(value=bool(flag)):
                return flag
            case Scalar(value=str(written)) if written in FLAGS:
                return FLAGS[written]
        return self._refuse(node, "`yes` or `no`")

    def _value(self, node: Node) -> Value | Wrong:
        return self.values.read(node, answer_type(self.request), self._what())

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
        possible = [self._spoken(each.value) for each in self.request.choices if each.reason is None]
        remedy = did_you_mean(node.written, possible) if isinstance(node, Scalar) else ""
        return self._refuse(node, one_of(possible) if possible else "nothing: no answer is possible", remedy)

    def _taker(self, node: Node) -> Value | Wrong:
        """The name of a handler; the word `none` is no name."""
        passes = any(choice.value is None for choice in self.request.choices)
        if passes and isinstance(node, Scalar) and node.value in {None, "none"}:
            return None
        return self._choice(node)

    def _impossible(self, node: Node, choice: Choice) -> Wrong:
        reason = spoken(choice.reason, self.names) if choice.reason else ""
        notes = condition(choice.reason) if choice.reason else ()
        message = f"{self._what()} cannot be {quoted(self._spoken(choice.value))}: {reason}"
        return self.findings.error("RW0731", node, message, help=_allowed(self.request, self.names), notes=notes)

    def _spoken(self, value: Value) -> str:
        return _written(value, answer_type(self.request), self.names)

    def _member(self, node: Node, target: Type) -> Value | Wrong:
        """A value among the items of the request."""
        before = len(self.findings.found)
        value = self.values.read(node, target, f"a member of {self._what()}")
        if value in self.request.items:
            return value
        possible = [_written(each, target, self.names) for each in self.request.items]
        if not isinstance(value, Wrong) and (why := left_out(self.request, value)):
            shown_ = quoted(_written(value, target, self.names))
            message = f"a member of {self._what()} cannot be {shown_}: {spoken(why, self.names)}"
            return self.findings.error(
                "RW0731", node, message, help=f"it may be {one_of(possible)}" if possible else ""
            )
        del self.findings.found[before:]
        remedy = did_you_mean(node.written, possible) if isinstance(node, Scalar) else ""
        wanted = one_of(possible) if possible else "nothing"
        message = f"a member of {self._what()} is {shown(node)}; it must be {wanted}"
        return self.findings.error("RW0730", node, message, help=remedy)

    def _drawn(self, node: Node) -> Value | Wrong:
        return self._member(node, item_type(answer_type(self.request)))

    def _listed(self, node: Node, wanted: str) -> list[Any] | Wrong:
        if not isinstance(node, Items):
            return self._refuse(node, wanted)
        item = item_type(answer_type(self.request))
        members = [self._member(each, item) for each in node.items]
        return WRONG if WRONG in members else members

    def _pick(self, node: Node) -> Value | Wrong:
        low, high = self.request.low, self.request.high
        size = f"{low}" if low == high else f"{low} to {high}"
        members = self._listed(node, f"a list of {size} of what is offered")
        if isinstance(members, Wrong):
            return WRONG
        if len(set(members)) < len(members):
            remedy = "name each once; members that are equal are one"
            return self.findings.error("RW0730", node, f"{self._what()} has a member twice", help=remedy)
        if not low <= len(members) <= high:
            return self.findings.error(
                "RW0730", node, f"{self._what()} has {len(members)} members; it must have {size}"
            )
        return tuple(each for each in self.request.items if each in members)

    def _order(self, node: Node) -> Value | Wrong:
        count = len(self.request.items)
        members = self._listed(node, f"a list of all {count} items in order")
        if isinstance(members, Wrong):
            return WRONG
        left = list(self.request.items)
        for each in members:
            if each in left:
                left.remove(each)
        if left or len(members) != count:
            item = item_type(answer_type(self.request))
            lacking = f"; {one_of([_written(each, item, self.names) for each in left])} is missing" if left else ""
            message = f"{self._what()} must have every item once{lacking}"
            return self.findings.error("RW0730", node, message)
        return tuple(members)

    def _split(self, node: Node) -> Value | Wrong:
        target = answer_type(self.request)
        assert isinstance(target, MapType)
        shares = self.values.entries(node, MapType(target.key, COUNT), 0, self._what())
        if isinstance(shares, Wrong):
            return WRONG
        assert isinstance(shares, Map)
        if strangers := [key for key in shares if key not in self.request.items]:
            name = _written(strangers[0], target.key, self.names)
            possible = [_written(each, target.key, self.names) for each in self.request.items]
            if why := left_out(self.request, strangers[0]):
                message = f"{self._what()} cannot give a share to {quoted(name)}: {spoken(why, self.names)}"
                remedy = f"it may be {one_of(possible)}" if possible else ""
                return self.findings.error("RW0731", node, message, help=remedy, notes=condition(why))
            message = f"{self._what()} gives a share to {quoted(name)}; it must be {one_of(possible)}"
            return self.findings.error("RW0730", node, message)
        given = sum(count for _, count in shares.items() if isinstance(count, int))
        if given != self.request.high:
            message = f"{self._what()} adds up to {given}; it must add up to {self.request.high}"
            return self.findings.error("RW0730", node, message)
        return shares

    def _roll(self, node: Node) -> Value | Wrong:
        dice = [each for each in self.request.dice for _ in range(each.count)]
        match node:
            case Items(items=items):
                written = items
            case Scalar() if len(dice) == 1:
                written = (node,)
            case _:
                return self._refuse(node, f"a list of {_face_count(len(dice))}, one for each die")
        if len(written) != len(dice):
            thrown = "1 die was" if len(dice) == 1 else f"{len(dice)} dice were"
            message = f"{self._what()} has {_face_count(len(written))}; {thrown} thrown"
            return self.findings.error("RW0730", node, message)
        faces = [self._face(each, die.face, die.faces) for each, die in zip(written, dice, strict=True)]
        return WRONG if WRONG in faces else tuple(faces)  # type: ignore[arg-type]

    def _face(self, node: Node, target: Type, faces: tuple[Value, ...]) -> Value | Wrong:
        before = len(self.findings.found)
        value = self.values.read(node, target, "a face")
        if value in faces:
            return value
        del self.findings.found[before:]
        allowed = _faces(list(dict.fromkeys(faces)), target, self.names)
        return self.findings.error("RW0730", node, f"a face of {self._what()} is {shown(node)}; it must be {allowed}")

    def _placed(self, node: Node) -> Value | Wrong:
        """A pose of the thing that is placed; without a facing it keeps its own."""
        thing, facing = (self.request.arguments[name][0] for name in ("thing", "facing"))
        assert isinstance(thing, int)
        found = pose(node, thing, self._what(), self.values)
        if isinstance(found, Wrong) or not isinstance(node, Mapping) or node.get("facing") is not None:
            return found
        assert isinstance(found, tuple)
        return thing, found[1], facing

    def _external(self, node: Node) -> Value | Wrong:
        if not isinstance(node, Mapping):
            return self._refuse(node, _external_form(self.request, self.names))
        if not self._known(node):
            return WRONG
        given = node.get(CHANGES)
        changes = read_changes(given, self.request.changes, self.names, self.findings) if given else ()
        result = self._result(node)
        return WRONG if isinstance(result, Wrong) else (result, changes)

    def _known(self, node: Mapping) -> bool:
        valid = [*result_names(self.request, self.names), *([CHANGES] if self.request.changes else [])]
        unknown = [key for key, _ in node if key.text not in valid]
        for key in unknown:
            remedy = did_you_mean(key.text, valid) or (there_are(valid) if valid else "it gives nothing")
            self.findings.error("RW0730", key, f"`{self.request.name}` does not give {quoted(key.text)}", help=remedy)
        return not unknown

    def _result(self, node: Mapping) -> Value | Wrong:
        match self.request.type:
            case None:
                return None
            case RecordType(record) if record == self.request.name:
                kept = tuple((key, given) for key, given in node if key.text in result_names(self.request, self.names))
                return self.values.read(Mapping(kept, node.span, node.pointer), self.request.type, self._what())
            case type_:
                given = node.get(RESULT)
                if given is None:
                    return self.findings.error("RW0730", node, f"{self._what()} lacks `{RESULT}`")
                return self.values.read(given, type_, f"`{RESULT}` of {self._what()}")


def result_names(request: Request, names: Names) -> tuple[str, ...]:
    """The keys under which an external's result is given: its named results, else `result`."""
    match request.type:
        case None:
            return ()
        case RecordType(record) if record == request.name:
            return tuple(each.name for each in names.program.records[record].parts)
        case _:
            return (RESULT,)


def _external_form(request: Request, names: Names) -> str:
    wanted = [quoted(each) for each in result_names(request, names)]
    return f"a mapping with {', '.join(wanted)}" if wanted else "a mapping (empty where nothing changes: `{}`)"


def _faces(faces: list[Value], target: Type, names: Names) -> str:
    numbers = [each for each in faces if isinstance(each, int)]
    if isinstance(target, NumberType) and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"from {numbers[0]} to {numbers[-1]}"
    return one_of([_written(each, target, names) for each in faces])


def _face_count(count: int) -> str:
    return "1 face" if count == 1 else f"{count} faces"
