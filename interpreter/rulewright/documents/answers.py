"""Answers to requests: decoding, validation and encoding."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rulewright.base.diagnostics import make_visible
from rulewright.base.frozen import dataclass
from rulewright.documents.document_nodes import (
    FLAG_SPELLINGS,
    DocumentNode,
    Json,
    ListNode,
    MapNode,
    ScalarNode,
    format_one_line,
    map_entries,
)
from rulewright.documents.document_shapes import DocumentShape
from rulewright.documents.findings import (
    EMPTY_LIST,
    INVALID,
    MAX_LISTED_NAMES,
    Findings,
    InvalidValue,
    ReadResult,
    did_you_mean,
    quote_for_yaml,
    quote_name,
    show_node,
)
from rulewright.documents.name_table import NameTable
from rulewright.documents.structured_answers import external_answer_to_json, read_external_answer, read_rolled_faces
from rulewright.documents.value_reader import ValueReader, read_data
from rulewright.program import types as ty
from rulewright.program.types import Type
from rulewright.program.walk import may_hold_type
from rulewright.runtime.answer_reasons import explain_missing_member
from rulewright.runtime.codec_protocols import NO_ANSWER_CLAIMS, length_measure, place_schema
from rulewright.runtime.faults import LIMIT_CODES, Fault
from rulewright.runtime.request import EXTERNAL_SORTS, AnswerChoice, RefusalReason, Request
from rulewright.runtime.run import Paused
from rulewright.runtime.type_codecs import format_value, pose_to_json, read_pose, value_to_json
from rulewright.runtime.values import GameMap, Value
from rulewright.wording.entry_rendering import render_failed_condition, render_reason

if TYPE_CHECKING:
    from collections.abc import Callable

NOBODY = "nobody"
ANSWER_LABEL = "the answer"
"""Name of the answer itself in messages about its parts."""
_COUNTABLE_TYPES = ty.NumberType | ty.DirectionType
_MAX_LISTED_RUN = 3
"""A run of more numbers than these is written as its first and last."""


def read_answer(
    request: Request, answer: DocumentNode | Json, names: NameTable, paused: Paused | None = None, *, typed: str = ""
) -> ReadResult[Value]:
    """Typed answer to a request.

    Accepts what `request_schema` accepts; `paused`, the play at the request, has the rules judge it as well. `typed` is
    the text where people typed it at a table: messages then show it, and values as a table does. Reports RW0730 (not
    what is asked for), RW0731 (refused by the rules, with the reason), RW0732 (a change that the external may not make)
    and what `ValueReader` does.
    """
    if not isinstance(answer, ScalarNode | ListNode | MapNode):
        return read_data(answer, partial(read_answer, request, names=names, paused=paused, typed=typed), "answer")
    names = name_offered_dice(request, names)
    findings = Findings()
    speech = _AnswerWording(request, names, typed)
    value = _AnswerReader(request, names, findings, speech).read_node(answer)
    if not isinstance(value, InvalidValue) and paused is not None and not findings.collected:
        for reason in _find_rule_refusals(paused, value):
            example = (
                None if reason.example is None else format_one_line(answer_to_json(request, reason.example, names))
            )
            remedy = speech.suggest_answers() if example is None else f"one is `{example}`"
            is_short = value is not None and show_node(answer) not in {"a list", EMPTY_LIST, "a mapping"}
            given = speech.show_given(answer) if is_short else "this answer"
            message = f"{given} is not possible: {render_reason(reason, names)}"
            findings.add_error("RW0731", answer, message, help=remedy, notes=render_failed_condition(reason))
    read_result = (
        ReadResult(None, tuple(findings.collected)) if isinstance(value, InvalidValue) else findings.make_result(value)
    )
    return replace(
        read_result,
        diagnostics=tuple(replace(diagnostic, address=request.address) for diagnostic in read_result.diagnostics),
    )


def _find_rule_refusals(paused: Paused, value: Value) -> tuple[RefusalReason, ...]:
    try:
        return paused.explain_refusals(value)
    except Fault as fault:
        if fault.code in LIMIT_CODES:
            return ()
        return (RefusalReason(paused.asked.line_address, fault.message, getattr(paused.asked.node, "cites", ())),)


def name_offered_dice(request: Request, names: NameTable) -> NameTable:
    """Names in which the offered dice go by roll and face."""
    rolls = request.rolls
    dice: Any = ()
    if rolls and isinstance(item_type(answer_type(request)), ty.DieType):
        dice = tuple(choice.value for choice in request.choices) or request.items
    return names.with_dice(rolls, dice)


def answer_to_json(request: Request, value: Any, names: NameTable) -> Json:
    """Inverse of `read_answer`; dice by roll and position unless the names have them."""
    if value is None and request.claimable:
        return None
    if request.sort == "external":
        return external_answer_to_json(request, value, names)
    if request.sort == "place":
        return pose_to_json(value)
    if request.sort == "roll":
        faces = [die.face for die in request.dice for _ in range(die.count)]
        return [value_to_json(item, face, names) for item, face in zip(value, faces, strict=True)]
    written: Json = value_to_json(value, answer_type(request), names)
    return written


def list_choices_by_row(request: Request, names: NameTable) -> tuple[AnswerChoice, ...]:
    """Choices in reading order: cells row by row, everything else as offered."""
    type_ = None if request.type is None else ty.strip_optional(request.type)
    if not isinstance(type_, ty.CellType):
        return request.choices

    def row_then_column(choice: AnswerChoice) -> list[float]:
        cell = choice.value
        return value_to_json(cell, type_, names)[::-1] if isinstance(cell, tuple) else [math.inf]

    return tuple(sorted(request.choices, key=row_then_column))


def answer_type(request: Request) -> Type:
    """Type of an answer; windows have a type of their own."""
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
    """Type of the members of a collection or the keys of a map; any other type itself."""
    return ty.get_member_type(target) or target


@dataclass(frozen=True, slots=True)
class _AnswerWording:
    request: Request
    names: NameTable
    typed_text: str

    def show_value(self, value: Value, type_: Type) -> str:
        if self.typed_text:
            return format_value(value, type_, self.names)
        written = _spell_value(value, type_, self.names)
        return written if written.lstrip("-").isdigit() else quote_name(written)

    def show_given(self, node: DocumentNode, *, member: bool = False) -> str:
        if self.typed_text and not (member and isinstance(node, ScalarNode)):
            return make_visible(self.typed_text)
        match node:
            case ScalarNode(value=None):
                return "an empty answer"
            case ScalarNode(value=str() | bool(), written=written):
                return make_visible(written) if self.typed_text else quote_name(written)
            case _:
                return show_node(node)

    def list_offered(self, values: Sequence[Value], type_: Type) -> str:
        """Legal answers: `1, 2 or 3`, `0 to 5`; of many the first, and how many more."""
        values = list(dict.fromkeys(values))
        numbers = [value for value in values if isinstance(value, int)] if isinstance(type_, _COUNTABLE_TYPES) else []
        if len(numbers) > _MAX_LISTED_RUN and numbers == list(range(numbers[0], numbers[-1] + 1)):
            return f"{numbers[0]} to {numbers[-1]}"
        listed = [self.show_value(value, type_) for value in values]
        if len(listed) > MAX_LISTED_NAMES:
            return f"{', '.join(listed[:MAX_LISTED_NAMES])} or one of {len(listed) - MAX_LISTED_NAMES} more"
        return " or ".join(filter(None, (", ".join(listed[:-1]), *listed[-1:])))

    def suggest_answers(self) -> str:
        possible = [choice.value for choice in self.request.choices if choice.reason is None]
        return f"answer {self.list_offered(possible, answer_type(self.request))}" if possible else ""


def _spell_value(value: Value, type_: Type, names: NameTable) -> str:
    data = value_to_json(value, type_, names)
    match data:
        case bool():
            return "yes" if data else "no"
        case None:
            return "none"
        case list() | dict():
            return format_one_line(_spell_out_none(data))
        case str():
            return quote_for_yaml(data)
        case _:
            return str(data)


def _spell_out_none(data: Json) -> Json:
    match data:
        case list():
            return [_spell_out_none(item) for item in data]
        case dict():
            return {key: _spell_out_none(item) for key, item in data.items()}
        case _:
            return "none" if data is None else data


def is_no_answer_claim(request: Request, node: DocumentNode) -> bool:
    """Whether an answer is the claim that no answer is legal."""
    return request.claimable and isinstance(node, ScalarNode) and (node.value is None or node.value in NO_ANSWER_CLAIMS)


def is_nobody(node: DocumentNode) -> bool:
    """Whether an answer says that nobody takes part in a window."""
    return isinstance(node, ScalarNode) and node.value == NOBODY


class _AnswerReader:
    def __init__(self, request: Request, names: NameTable, findings: Findings, speech: _AnswerWording) -> None:
        self.request = request
        self.names = names
        self.findings = findings
        self.wording = speech
        self.value_reader = ValueReader(names, findings)

    def read_node(self, node: DocumentNode) -> Value | InvalidValue:
        readers: dict[str, Callable[[DocumentNode], Value | InvalidValue]] = {
            "whether": self._read_flag_answer,
            "handler": self._read_flag_answer,
            "taker": self._read_taker,
            "one": self._read_choice,
            "choose": self._read_choice,
            "turn": self._read_choice,
            "draw": self._read_drawn_item,
            "pick": self._read_pick,
            "split": self._read_split,
            "order": self._read_order,
            "handlers": self._read_order,
            "shuffle": self._read_order,
            "roll": lambda given: read_rolled_faces(
                given,
                self.request,
                self.value_reader,
                self._report_refusal,
                self.wording.list_offered,
                typed=bool(self.wording.typed_text),
            ),
            "external": lambda given: read_external_answer(
                given, self.request, self.value_reader, self._report_refusal
            ),
            "place": self._read_placement,
        }
        if is_no_answer_claim(self.request, node):
            return None
        if self.request.sort in EXTERNAL_SORTS and self._gives_dice():
            return self._report_refusal(
                node, "it gives dice, and only rules roll them", f"write `bind {self.request.name} to …`"
            )
        if is_nobody(node) and self.request.sort in {"handler", "handlers", "taker"}:
            return self._read_nobody(node)
        return readers.get(self.request.sort, self._read_typed_value)(node)

    def _gives_dice(self) -> bool:
        given, program = self.request.type, self.names.program
        return given is not None and may_hold_type(given, (ty.DieType, ty.PoolType), program)

    def _report_refusal(
        self, node: DocumentNode, wanted: str, remedy: str = "", *, member: bool = False
    ) -> InvalidValue:
        message = f"{self.wording.show_given(node, member=member)} is not possible: {wanted}"
        return self.findings.add_error("RW0730", node, message, help=remedy)

    def _read_flag_answer(self, node: DocumentNode) -> Value | InvalidValue:
        match node:
            case ScalarNode(value=bool(flag)):
                return flag
            case ScalarNode(value=str(written)) if written in FLAG_SPELLINGS:
                return FLAG_SPELLINGS[written]
        return self._report_refusal(node, "answer yes or no" if self.wording.typed_text else "answer `yes` or `no`")

    def _read_typed_value(self, node: DocumentNode) -> Value | InvalidValue:
        return self.value_reader.read_typed(node, answer_type(self.request), ANSWER_LABEL)

    def _read_choice(self, node: DocumentNode) -> Value | InvalidValue:
        before = len(self.findings.collected)
        value = self._read_typed_value(node)
        for choice in self.request.choices:
            if not isinstance(value, InvalidValue) and choice.value == value:
                return value if choice.reason is None else self._report_impossible_choice(node, choice)
        if not isinstance(value, InvalidValue) and (why := explain_missing_member(self.request, value)):
            return self._report_impossible_choice(node, AnswerChoice(value, reason=why))
        del self.findings.collected[before:]
        return self._report_refusal(
            node,
            self.wording.suggest_answers() or "no answer is",
            self._suggest_offered(node, answer_type(self.request)),
        )

    def _suggest_offered(self, node: DocumentNode, type_: Type) -> str:
        if not isinstance(node, ScalarNode):
            return ""
        offered = [choice.value for choice in self.request.choices if choice.reason is None] or self.request.items
        titles = [title for item in offered if (title := self.names.word_title(item, type_))]
        near = did_you_mean(node.written, [*titles, *(_spell_value(item, type_, self.names) for item in offered)])
        return near.replace("`", "") if self.wording.typed_text else near

    def _read_taker(self, node: DocumentNode) -> Value | InvalidValue:
        passes = any(choice.value is None for choice in self.request.choices)
        if passes and isinstance(node, ScalarNode) and node.value in {None, "none"}:
            return None
        return self._read_choice(node)

    def _read_nobody(self, node: DocumentNode) -> Value | InvalidValue:
        if self.request.sort == "handler":
            return False
        labels = self.request.items or [choice.value for choice in self.request.choices if choice.value is not None]
        handlers = self.names.program.handlers
        running = [one for label in labels if not handlers[one := str(label).partition("(")[0]].optional]
        if running:
            return self._report_refusal(
                node, f"{quote_name(running[0])} is not optional, so it runs", "answer for each question"
            )
        return None if self.request.sort == "taker" else self.request.items

    def _report_impossible_choice(self, node: DocumentNode, choice: AnswerChoice) -> InvalidValue:
        assert choice.reason is not None
        value = self.wording.show_value(choice.value, answer_type(self.request))
        if self.request.sort == "choose" and choice.title:
            title = make_visible(choice.title)
            value = title if self.wording.typed_text else f"{value} ({title})"
        message = f"{value} is not possible: {render_reason(choice.reason, self.names)}"
        notes = render_failed_condition(choice.reason)
        return self.findings.add_error("RW0731", node, message, help=self.wording.suggest_answers(), notes=notes)

    def _read_offered_item(self, node: DocumentNode, target: Type) -> Value | InvalidValue:
        before = len(self.findings.collected)
        value = self.value_reader.read_typed(node, target, f"a member of {ANSWER_LABEL}")
        if value in self.request.items:
            return value
        if not isinstance(value, InvalidValue) and (why := explain_missing_member(self.request, value)):
            message = f"{self.wording.show_value(value, target)} is not possible: {render_reason(why, self.names)}"
            return self.findings.add_error(
                "RW0731", node, message, help=self._describe_offered_items(target), notes=render_failed_condition(why)
            )
        del self.findings.collected[before:]
        wanted = self._describe_offered_items(target) or "there is nothing to choose from"
        return self._report_refusal(node, wanted, self._suggest_offered(node, target), member=True)

    def _describe_offered_items(self, target: Type) -> str:
        if not self.request.items:
            return ""
        verb = {"pick": "pick from", "split": "share among", "order": "order", "handlers": "order"}
        start = verb.get(self.request.sort, "answer")
        return f"{start} {self._join_offered_items(target) if start != 'answer' else self.wording.list_offered(self.request.items, target)}"

    def _join_offered_items(self, target: Type) -> str:
        offered = self.wording.list_offered(self.request.items, target)
        return (
            offered.replace(" or one of ", " and ") if " more" in offered else " and ".join(offered.rsplit(" or ", 1))
        )

    def _read_drawn_item(self, node: DocumentNode) -> Value | InvalidValue:
        return self._read_offered_item(node, item_type(answer_type(self.request)))

    def _read_item_list(self, node: DocumentNode, wanted: str) -> list[Any] | InvalidValue:
        if not isinstance(node, ListNode):
            return self._report_refusal(node, wanted)
        item = item_type(answer_type(self.request))
        members = [self._read_offered_item(each, item) for each in node.items]
        return INVALID if INVALID in members else members

    def _read_pick(self, node: DocumentNode) -> Value | InvalidValue:
        low, high, item = self.request.low, self.request.high, item_type(answer_type(self.request))
        size = f"{low}" if low == high else f"{low} or {high}" if low + 1 == high else f"{low} to {high}"
        members = self._read_item_list(node, f"answer with a list of {size} from {self._join_offered_items(item)}")
        if isinstance(members, InvalidValue):
            return INVALID
        if twice := _find_repeated_values(members):
            message = f"{self.wording.show_value(twice[0], item)} is picked twice"
            return self.findings.add_error(
                "RW0730", node, message, help="name each once; members that are equal are one"
            )
        if not low <= len(members) <= high:
            picked = "nothing is" if not members else "1 is" if len(members) == 1 else f"{len(members)} are"
            return self.findings.add_error("RW0730", node, f"{picked} picked: pick {size}")
        return tuple(each for each in self.request.items if each in members)

    def _read_order(self, node: DocumentNode) -> Value | InvalidValue:
        item = item_type(answer_type(self.request))
        members = self._read_item_list(node, f"answer with a list of {self._join_offered_items(item)}, in order")
        if isinstance(members, InvalidValue):
            return INVALID
        missing = list(self.request.items)
        for member in members:
            if member in missing:
                missing.remove(member)
        if missing or len(members) != len(self.request.items):
            wrong = [*(f"{self.wording.show_value(each, item)} is missing" for each in missing[:1])] or [
                f"{self.wording.show_value(repeated_value, item)} is given too often"
                for repeated_value in _find_repeated_values(members)[:1]
            ]
            return self.findings.add_error("RW0730", node, f"the order needs each of them once: {wrong[0]}")
        return tuple(members)

    def _read_split(self, node: DocumentNode) -> Value | InvalidValue:
        target = answer_type(self.request)
        assert isinstance(target, ty.MapType)
        before = len(self.findings.collected)
        shares = self.value_reader.read_typed(node, ty.MapType(target.key, ty.COUNT), ANSWER_LABEL)
        if isinstance(shares, InvalidValue):
            return self._report_unreadable_shares(node, before, target.key)
        assert isinstance(shares, GameMap)
        if strangers := [key for key in shares if key not in self.request.items]:
            return self._report_excluded_share(node, strangers[0], target.key)
        given = sum(count for _, count in shares.items() if isinstance(count, int))
        if given != self.request.high:
            message = f"the shares add up to {given}: they must add up to {self.request.high}"
            return self.findings.add_error("RW0730", node, message)
        return shares

    def _report_unreadable_shares(self, node: DocumentNode, before: int, type_: Type) -> InvalidValue:
        wrong = self.findings.collected[before]
        named = (key for key, _ in map_entries(node) if key.pointer == wrong.pointer)
        if wrong.code in {"RW0714", "RW0715"} and (name := next(named, None)) is not None:
            del self.findings.collected[before:]
            shown = make_visible(name.text) if self.wording.typed_text else quote_name(name.text)
            return self.findings.add_error(
                "RW0730", name, f"{shown} cannot have a share: {self._describe_offered_items(type_)}"
            )
        if not isinstance(node, MapNode | ListNode):
            del self.findings.collected[before:]
            shares = (
                GameMap.from_pairs(0, [(self.request.items[0], self.request.high)])
                if self.request.items
                else GameMap.from_pairs(0, [])
            )
            return self._report_refusal(node, f"answer with shares, such as `{self._show_example(shares)}`")
        return INVALID

    def _show_example(self, value: Value) -> str:
        return format_one_line(answer_to_json(self.request, value, self.names))

    def _report_excluded_share(self, node: DocumentNode, key: Value, type_: Type) -> InvalidValue:
        name, remedy = self.wording.show_value(key, type_), self._describe_offered_items(type_)
        if why := explain_missing_member(self.request, key):
            message = f"{name} cannot have a share: {render_reason(why, self.names)}"
            return self.findings.add_error("RW0731", node, message, help=remedy, notes=render_failed_condition(why))
        return self.findings.add_error("RW0730", node, f"{name} cannot have a share: {remedy}")

    def _read_placement(self, node: DocumentNode) -> Value | InvalidValue:
        thing, facing = (self.request.arguments[name][0] for name in ("thing", "facing"))
        assert isinstance(thing, int)
        shape = DocumentShape(place_schema(length_measure(self.names.program)))
        if not shape.validate_node(node, self.findings, ANSWER_LABEL):
            return INVALID
        result: Value | InvalidValue = read_pose(node, thing, ANSWER_LABEL, self.value_reader)
        if isinstance(result, InvalidValue) or not isinstance(node, MapNode) or node.get("facing") is not None:
            return result
        assert isinstance(result, tuple)
        return thing, result[1], facing


def _find_repeated_values(members: Sequence[Value]) -> list[Value]:
    return [member for index, member in enumerate(members) if member in members[:index]]
