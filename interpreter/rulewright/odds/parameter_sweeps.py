"""Parameter sweeps: a play from every combination of values of attributes, fields of the game, settings and roles."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.documents.document_nodes import DocumentNode, ListNode
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.findings import Findings, InvalidValue, ReadResult, describe_choices, did_you_mean, quote_name
from rulewright.documents.name_table import GAME, SETTINGS, computed_attributes, map_spellings
from rulewright.documents.procedure_arguments import list_fitting_names
from rulewright.documents.state_file import NO_TEXT_NAME, read_attribute
from rulewright.documents.value_reader import ValueReader
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.play.session import PlayStart
from rulewright.program.declarations import Field, Kind, Procedure, Program
from rulewright.program.types import FlagType, NumberType, OptionalType, ThingType, Type, WordType, strip_optional
from rulewright.runtime.values import Value

MAX_STARTS = 1_000
"""Starts of one sweep; chosen: a table that somebody reads."""
_SUGGESTED_SPAN = 5
"""Length of a suggested span of values; chosen."""
_SPAN_PATTERN = re.compile(r"\s*(-?[0-9]{1,30})\s*\.\.\s*(-?[0-9]{1,30})\s*")
_SETTING_WORD = "setting"


@dataclass(frozen=True, slots=True)
class _SweptAttribute:
    """Attribute (`Kind/name`) of a thing by number, or of whoever has a role."""

    attribute: str
    number: int
    role: int | None


@dataclass(frozen=True, slots=True)
class _SweptSharedValue:
    section: str
    name: str


@dataclass(frozen=True, slots=True)
class _SweptRole:
    number: int


_SweptPlace = _SweptAttribute | _SweptSharedValue | _SweptRole


@dataclass(frozen=True, slots=True)
class SweepAxis:
    """A varied place with its values."""

    path: str  # as written
    place: _SweptPlace
    type: Type  # of its values
    values: tuple[Value, ...]  # in order


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """A value for each axis, and the play that begins with them."""

    axis_values: tuple[Value, ...]
    start: PlayStart


def read_sweep_axes(texts: Sequence[str], start: PlayStart) -> ReadResult[tuple[SweepAxis, ...]]:
    """Axes from texts such as `hammer.health=1..6`.

    Reports RW1124 (there is no such place, or its values are not said), RW1125 (more than a thousand starts) and what
    `ValueReader` does of values.
    """
    items = [_read_axis(text, start) for text in texts]
    wrong = tuple(diagnostic for read_ in items for diagnostic in read_.diagnostics)
    varied = tuple(read_result.value for read_result in items if read_result.value is not None)
    if wrong:
        return ReadResult(None, wrong)
    places = [
        replace(axis.place, role=None) if isinstance(axis.place, _SweptAttribute) else axis.place for axis in varied
    ]
    again = next(
        (sweep_axis.path for number, sweep_axis in enumerate(varied) if places[number] in places[:number]), None
    )
    if again is not None:
        return ReadResult(
            None, (_make_sweep_finding(f"{quote_name(again)} is varied twice", "name all its values once: `1, 3, 5`"),)
        )
    many = prod(len(sweep_axis.values) for sweep_axis in varied)
    return ReadResult(None, (_report_too_many_starts(many),)) if many > MAX_STARTS else ReadResult(varied)


def suggest_sweep_axes(procedures: Iterable[Procedure], program: Program) -> Iterator[str]:
    """Axes that exist at any start: attributes of roles, fields of the game, settings; numbers with a few values."""
    for role in (parameter for procedure in procedures for parameter in procedure.parameters):
        kind = strip_optional(role.type)
        fields = program.kinds[kind.kind].fields if isinstance(kind, ThingType) else ()
        yield from (f"{role.name}.{text}" for field in fields for text in _suggest_axis(field.name, field.type))
    for section, declared_fields in ((GAME, program.game), (_SETTING_WORD, program.settings)):
        yield from (
            f"{section}.{text}" for item in declared_fields.values() for text in _suggest_axis(item.name, item.type)
        )


def _suggest_axis(name: str, type_: Type) -> Iterator[str]:
    match strip_optional(type_):
        case FlagType() | WordType():
            yield name
        case NumberType(low, high):
            first = 1 if low is None else low
            yield f"{name}={first}..{first + _SUGGESTED_SPAN if high is None else min(first + _SUGGESTED_SPAN, high)}"


def enumerate_sweep_points(varied: Sequence[SweepAxis], start: PlayStart) -> Iterator[SweepPoint]:
    """Cartesian product of the axes; the last varies fastest."""
    for values in product(*(sweep_axis.values for sweep_axis in varied)):
        moved = start
        for place, value in sorted(
            zip([sweep_axis.place for sweep_axis in varied], values, strict=True), key=_role_sort_key
        ):
            moved = _with_axis_value(moved, place, value)
        yield SweepPoint(values, moved)


def _role_sort_key(placed: tuple[_SweptPlace, Value]) -> bool:
    return not isinstance(placed[0], _SweptRole)


def _with_axis_value(start: PlayStart, place: _SweptPlace, value: Value) -> PlayStart:
    situation = start.situation
    match place:
        case _SweptAttribute(attribute, number, role):
            holder = number if role is None else start.arguments[role]
            if not isinstance(holder, int):
                return start
            values = _replace_item(situation.attributes[attribute], holder, value)
            return replace(start, situation=replace(situation, attributes={**situation.attributes, attribute: values}))
        case _SweptSharedValue(section, name) if section == GAME:
            return replace(start, situation=replace(situation, game={**situation.game, name: value}))
        case _SweptSharedValue(_, setting):
            base = replace(situation.base, settings={**situation.base.settings, setting: value})
            return replace(start, situation=replace(situation, base=base))
        case _SweptRole(number):
            return replace(start, arguments=_replace_item(start.arguments, number, value))


def _replace_item(values: tuple[Value, ...], number: int, value: Value) -> tuple[Value, ...]:
    return (*values[:number], value, *values[number + 1 :])


def _read_axis(text: str, start: PlayStart) -> ReadResult[SweepAxis]:
    path, equals, written = text.partition("=")
    path = path.strip()
    result = _resolve_place(path, start)
    if isinstance(result, Diagnostic):
        return ReadResult(None, (result,))
    place, type_, field = result
    values = (
        _read_written_values(written, path, (type_, field), start) if equals else _list_all_values(path, type_, start)
    )
    return (
        ReadResult(None, values.diagnostics)
        if values.value is None
        else ReadResult(SweepAxis(path, place, type_, values.value))
    )


_ResolvedPlace = tuple[_SweptPlace, Type, Field | None]
"""A place, the type of its values, and the field if it is an attribute of a thing."""


def _resolve_place(path: str, start: PlayStart) -> _ResolvedPlace | Diagnostic:
    head, dot, _ = path.partition(".")
    if dot and head in {_SETTING_WORD, SETTINGS, GAME}:
        return _resolve_shared_value(path, start.executable.program)
    roles = {parameter.name: number for number, parameter in enumerate(start.procedure.parameters)}
    if path in roles:
        return _SweptRole(roles[path]), start.procedure.parameters[roles[path]].type, None
    owner, dot, name = path.rpartition(".")
    thing = _resolve_thing(owner, roles, start)
    if not dot or thing is None:
        return _report_unknown_place(path, owner if dot else path, roles, start)
    return _resolve_attribute(path, name, *thing, roles.get(owner))


def _resolve_shared_value(path: str, program: Program) -> _ResolvedPlace | Diagnostic:
    head, _, name = path.partition(".")
    if head == GAME:
        known = map_spellings(program.game)
        if name in known:
            return _SweptSharedValue(GAME, known[name]), program.game[known[name]].type, None
        return _report_unknown_name(path, "field of the game", name, known)
    known = map_spellings(program.settings)
    if name in known:
        return _SweptSharedValue(SETTINGS, known[name]), program.settings[known[name]].type, None
    return _report_unknown_name(path, "setting", name, known)


def _resolve_thing(owner: str, roles: Mapping[str, int], start: PlayStart) -> tuple[Kind, int] | None:
    kinds = start.executable.program.kinds
    if owner in roles:
        kind = strip_optional(start.procedure.parameters[roles[owner]].type)
        value = start.arguments[roles[owner]]
        return (kinds[kind.kind], value) if isinstance(kind, ThingType) and isinstance(value, int) else None
    result = [
        (kinds[kind], ids[owner]) for kind, ids in start.names.thing_numbers.items() if owner in ids and kind in kinds
    ]
    return result[0] if len(result) == 1 else None


def _resolve_attribute(path: str, name: str, kind: Kind, number: int, role: int | None) -> _ResolvedPlace | Diagnostic:
    field = next((item for item in kind.fields if item.name == name), None)
    if field is not None:
        return _SweptAttribute(f"{kind.name}/{name}", number, role), field.type, field
    if name in computed_attributes(kind):
        remedy = "vary what it is worked out from"
        return _make_sweep_finding(f"{quote_name(path)} is worked out by the rules, so it cannot be varied", remedy)
    return _report_unknown_name(path, f"attribute of {kind.name}", name, [item.name for item in kind.fields])


def _report_unknown_name(path: str, what: str, name: str, known: Iterable[str]) -> Diagnostic:
    names = list(known)
    return _make_sweep_finding(
        f"{quote_name(path)}: there is no {what} {quote_name(name)}",
        did_you_mean(name, names) or describe_choices(names),
    )


def _report_unknown_place(path: str, owner: str, roles: Iterable[str], start: PlayStart) -> Diagnostic:
    ids = [id_ for kind in start.executable.program.kinds for id_ in start.names.ids_of_kind(kind)]
    form = "write `ID.attribute`, `ROLE.attribute`, `ROLE`, `game.FIELD` or `setting.NAME`, with values: `=1..6`"
    known = [*roles, *ids]
    near = "" if owner in known else did_you_mean(owner, known)
    return _make_sweep_finding(f"{quote_name(path)} cannot be varied", near or form)


def _list_all_values(path: str, type_: Type, start: PlayStart) -> ReadResult[tuple[Value, ...]]:
    """All values of a type that has few."""
    values: tuple[Value, ...] | None = None
    match strip_optional(type_):
        case FlagType():
            values = (False, True)
        case NumberType(int() as low, int() as high) as numbers:
            if high - low >= MAX_STARTS:
                return ReadResult(None, (_report_too_many_starts(high - low + 1),))
            values = tuple(numbers.list_numbers() or ())
        case WordType(words):
            values = tuple(range(len(start.executable.program.values[words].words)))
        case ThingType(kind):
            names = list_fitting_names(type_, start.executable.program, start.situation)
            values = tuple(start.names.thing_numbers[kind][name] for name in names)
    if not values:
        remedy = f"say which ({type_}): `{path}=…`"
        return ReadResult(
            None,
            (_make_sweep_finding(f"{quote_name(path)} has too many values, or values that are not known", remedy),),
        )
    return ReadResult((None, *values) if isinstance(type_, OptionalType) else values)


def _read_written_values(
    written: str, path: str, wanted: tuple[Type, Field | None], start: PlayStart
) -> ReadResult[tuple[Value, ...]]:
    """Values such as `1..6`, `1, 3, 5` or `[yes, no]`."""
    span = _SPAN_PATTERN.fullmatch(written)
    if span is not None:
        low, high = map(int, span.groups())
        if low > high:
            message = f"`{path}={written.strip()}` has no value: {low} is more than {high}"
            return ReadResult(None, (_make_sweep_finding(message, f"write `{path}={high}..{low}`"),))
        if high - low >= MAX_STARTS:
            return ReadResult(None, (_report_too_many_starts(high - low + 1),))
        type_ = strip_optional(wanted[0])
        if isinstance(type_, NumberType) and not (type_.contains_number(low) and type_.contains_number(high)):
            return ReadResult(None, (_report_outside_range(path, (low, high), type_),))
        written = ", ".join(map(str, range(low, high + 1)))
    nodes = _parse_value_nodes(written)
    if not nodes:
        remedy = "write `1..6`, or values with commas between them"
        return ReadResult(None, (_make_sweep_finding(f"the values of {quote_name(path)} cannot be read", remedy),))
    findings = Findings()
    reader = ValueReader(start.names, findings)
    values = [_read_axis_value(node, path, wanted, reader) for node in nodes]
    return findings.make_deduplicated_result(tuple(dict.fromkeys(values)))


def _parse_value_nodes(written: str) -> tuple[DocumentNode, ...]:
    document = parse_yaml(Text(NO_TEXT_NAME, written)).value
    if not isinstance(document, ListNode):
        document = parse_yaml(Text(NO_TEXT_NAME, f"[{written}]")).value
    return document.items if isinstance(document, ListNode) else ()


def _read_axis_value(node: DocumentNode, path: str, wanted: tuple[Type, Field | None], reader: ValueReader) -> Any:
    type_, field = wanted
    if (
        not document_shapes(reader.names.program)
        .value_shape(type_)
        .validate_node(node, reader.findings, quote_name(path))
    ):
        return None
    owner = path.rpartition(".")[0]
    value = (
        reader.decode_value(node, type_, quote_name(path))
        if field is None
        else read_attribute(node, field, owner, reader)
    )
    return None if isinstance(value, InvalidValue) else value


def _report_outside_range(path: str, span: tuple[int, int], type_: NumberType) -> Diagnostic:
    """RW1124, for a span outside the range of a number."""
    low = span[0] if type_.low is None else max(span[0], type_.low)
    high = span[1] if type_.high is None else min(span[1], type_.high)
    message = f"{quote_name(path)} holds {type_}, and {span[0]}..{span[1]} goes beyond that"
    return _make_sweep_finding(message, f"write `{path}={low}..{high}`" if low <= high else f"vary it within {type_}")


def _report_too_many_starts(many: int) -> Diagnostic:
    message = f"there are {many:,} starts, and {MAX_STARTS:,} are allowed"
    return Diagnostic("RW1125", Severity.ERROR, message, help="vary less, or in larger paces: `1, 5, 9`")


def _make_sweep_finding(message: str, remedy: str) -> Diagnostic:
    return Diagnostic("RW1124", Severity.ERROR, message, help=remedy)
