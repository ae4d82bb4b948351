"""Sweeps: the same play from many starts, which differ in attributes, fields of the game, readings or roles."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.drivers.session import Begun
from rulewright.frozen import dataclass
from rulewright.inputs.arguments import fitting
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import Findings, Read, Wrong, did_you_mean, quoted, there_are
from rulewright.inputs.names import GAME, SETTINGS, computed, spellings
from rulewright.inputs.nodes import Items, Node
from rulewright.inputs.state_file import NO_TEXT, read_attribute
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.yaml_places import read
from rulewright.machine.values import Value
from rulewright.program.declarations import Field, Kind, Procedure, Program
from rulewright.program.types import FlagType, NumberType, OptionalType, ThingType, Type, WordType, present
from rulewright.source import Text

MOST_STARTS = 1_000
_FEW = 5
_SPAN = re.compile(r"\s*(-?[0-9]{1,30})\s*\.\.\s*(-?[0-9]{1,30})\s*")
_SETTING = "setting"


@dataclass(frozen=True, slots=True)
class _Attribute:
    """Of a thing, by `Kind/name` and its number; of a role whoever has it."""

    attribute: str
    number: int
    role: int | None


@dataclass(frozen=True, slots=True)
class _InCommon:
    """A field of the game or a setting."""

    section: str
    name: str


@dataclass(frozen=True, slots=True)
class _Role:
    number: int


_Place = _Attribute | _InCommon | _Role


@dataclass(frozen=True, slots=True)
class Varied:
    """What differs between the starts."""

    path: str  # what it is called, as it was written
    place: _Place  # where it stands
    type: Type  # of its values
    values: tuple[Value, ...]  # in order


@dataclass(frozen=True, slots=True)
class Start:
    """One of the starts: the value of everything that is varied, in order, and the play that begins with it."""

    at: tuple[Value, ...]
    begun: Begun


def read_varied(texts: Sequence[str], begun: Begun) -> Read[tuple[Varied, ...]]:
    """What is to be varied, from texts such as `hammer.health=1..6`.

    Reports RW1124 (there is no such place, or its values are not said), RW1125 (more than a thousand starts) and what
    `ValueReader` does of values.
    """
    found = [_read(each, begun) for each in texts]
    wrong = tuple(each for read_ in found for each in read_.diagnostics)
    varied = tuple(each.value for each in found if each.value is not None)
    if wrong:
        return Read(None, wrong)
    places = [replace(each.place, role=None) if isinstance(each.place, _Attribute) else each.place for each in varied]
    again = next((each.path for number, each in enumerate(varied) if places[number] in places[:number]), None)
    if again is not None:
        return Read(None, (_wrong(f"{quoted(again)} is varied twice", "name all its values once: `1, 3, 5`"),))
    many = prod(len(each.values) for each in varied)
    return Read(None, (_too_many(many),)) if many > MOST_STARTS else Read(varied)


def to_vary(procedures: Iterable[Procedure], program: Program) -> Iterator[str]:
    """What can be varied whatever the start is: attributes of roles, the game, settings; numbers with a few values."""
    for role in (each for procedure in procedures for each in procedure.parameters):
        kind = present(role.type)
        fields = program.kinds[kind.kind].fields if isinstance(kind, ThingType) else ()
        yield from (f"{role.name}.{text}" for each in fields for text in _such(each.name, each.type))
    for section, held in ((GAME, program.game), (_SETTING, program.settings)):
        yield from (f"{section}.{text}" for each in held.values() for text in _such(each.name, each.type))


def _such(name: str, type_: Type) -> Iterator[str]:
    match present(type_):
        case FlagType() | WordType():
            yield name
        case NumberType(low, high):
            first = 1 if low is None else low
            yield f"{name}={first}..{first + _FEW if high is None else min(first + _FEW, high)}"


def starts(varied: Sequence[Varied], begun: Begun) -> Iterator[Start]:
    """A play with each value that is varied, together with each of all others; what is named last changes first."""
    for values in product(*(each.values for each in varied)):
        moved = begun
        for place, value in sorted(zip([each.place for each in varied], values, strict=True), key=_roles_first):
            moved = _moved(moved, place, value)
        yield Start(values, moved)


def _roles_first(placed: tuple[_Place, Value]) -> bool:
    return not isinstance(placed[0], _Role)


def _moved(begun: Begun, place: _Place, value: Value) -> Begun:
    situation = begun.situation
    match place:
        case _Attribute(attribute, number, role):
            holder = number if role is None else begun.arguments[role]
            if not isinstance(holder, int):
                return begun
            values = _at(situation.attributes[attribute], holder, value)
            return replace(begun, situation=replace(situation, attributes={**situation.attributes, attribute: values}))
        case _InCommon(section, name) if section == GAME:
            return replace(begun, situation=replace(situation, game={**situation.game, name: value}))
        case _InCommon(_, setting):
            base = replace(situation.base, settings={**situation.base.settings, setting: value})
            return replace(begun, situation=replace(situation, base=base))
        case _Role(number):
            return replace(begun, arguments=_at(begun.arguments, number, value))


def _at(values: tuple[Value, ...], number: int, value: Value) -> tuple[Value, ...]:
    return (*values[:number], value, *values[number + 1 :])


def _read(text: str, begun: Begun) -> Read[Varied]:
    path, equals, written = text.partition("=")
    path = path.strip()
    found = _found(path, begun)
    if isinstance(found, Diagnostic):
        return Read(None, (found,))
    place, type_, field = found
    values = _written(written, path, (type_, field), begun) if equals else _every(path, type_, begun)
    return Read(None, values.diagnostics) if values.value is None else Read(Varied(path, place, type_, values.value))


_Found = tuple[_Place, Type, Field | None]
"""A place, the type of its values, and the attribute that it is of a thing."""


def _found(path: str, begun: Begun) -> _Found | Diagnostic:
    head, dot, _ = path.partition(".")
    if dot and head in {_SETTING, SETTINGS, GAME}:
        return _in_common(path, begun.executable.program)
    roles = {each.name: number for number, each in enumerate(begun.procedure.parameters)}
    if path in roles:
        return _Role(roles[path]), begun.procedure.parameters[roles[path]].type, None
    owner, dot, name = path.rpartition(".")
    thing = _thing(owner, roles, begun)
    if not dot or thing is None:
        return _nowhere(path, owner if dot else path, roles, begun)
    return _attribute(path, name, *thing, roles.get(owner))


def _in_common(path: str, program: Program) -> _Found | Diagnostic:
    """A setting or a field of the game."""
    head, _, name = path.partition(".")
    if head == GAME:
        known = spellings(program.game)
        if name in known:
            return _InCommon(GAME, known[name]), program.game[known[name]].type, None
        return _unknown(path, "field of the game", name, known)
    known = spellings(program.settings)
    if name in known:
        return _InCommon(SETTINGS, known[name]), program.settings[known[name]].type, None
    return _unknown(path, "setting", name, known)


def _thing(owner: str, roles: Mapping[str, int], begun: Begun) -> tuple[Kind, int] | None:
    """The thing that a role or an id names."""
    kinds = begun.executable.program.kinds
    if owner in roles:
        kind = present(begun.procedure.parameters[roles[owner]].type)
        value = begun.arguments[roles[owner]]
        return (kinds[kind.kind], value) if isinstance(kind, ThingType) and isinstance(value, int) else None
    found = [(kinds[kind], ids[owner]) for kind, ids in begun.names.numbers.items() if owner in ids and kind in kinds]
    return found[0] if len(found) == 1 else None


def _attribute(path: str, name: str, kind: Kind, number: int, role: int | None) -> _Found | Diagnostic:
    field = next((each for each in kind.fields if each.name == name), None)
    if field is not None:
        return _Attribute(f"{kind.name}/{name}", number, role), field.type, field
    if name in computed(kind):
        remedy = "vary what it is worked out from"
        return _wrong(f"{quoted(path)} is worked out by the rules, so it cannot be varied", remedy)
    return _unknown(path, f"attribute of {kind.name}", name, [each.name for each in kind.fields])


def _unknown(path: str, what: str, name: str, known: Iterable[str]) -> Diagnostic:
    names = list(known)
    return _wrong(f"{quoted(path)}: there is no {what} {quoted(name)}", did_you_mean(name, names) or there_are(names))


def _nowhere(path: str, owner: str, roles: Iterable[str], begun: Begun) -> Diagnostic:
    ids = [id_ for kind in begun.executable.program.kinds for id_ in begun.names.ids(kind)]
    form = "write `ID.attribute`, `ROLE.attribute`, `ROLE`, `game.FIELD` or `setting.NAME`, with values: `=1..6`"
    known = [*roles, *ids]
    near = "" if owner in known else did_you_mean(owner, known)
    return _wrong(f"{quoted(path)} cannot be varied", near or form)


def _every(path: str, type_: Type, begun: Begun) -> Read[tuple[Value, ...]]:
    """All values of a type that has few."""
    values: tuple[Value, ...] | None = None
    match present(type_):
        case FlagType():
            values = (False, True)
        case NumberType(int() as low, int() as high) as numbers:
            if high - low >= MOST_STARTS:
                return Read(None, (_too_many(high - low + 1),))
            values = tuple(numbers.numbers() or ())
        case WordType(words):
            values = tuple(range(len(begun.executable.program.values[words].words)))
        case ThingType(kind):
            names = fitting(type_, begun.executable.program, begun.situation)
            values = tuple(begun.names.numbers[kind][each] for each in names)
    if not values:
        remedy = f"say which ({type_}): `{path}=…`"
        return Read(None, (_wrong(f"{quoted(path)} has too many values, or values that are not known", remedy),))
    return Read((None, *values) if isinstance(type_, OptionalType) else values)


def _written(written: str, path: str, wanted: tuple[Type, Field | None], begun: Begun) -> Read[tuple[Value, ...]]:
    """Values such as `1..6`, `1, 3, 5` or `[yes, no]`."""
    span = _SPAN.fullmatch(written)
    if span is not None:
        low, high = map(int, span.groups())
        if low > high:
            message = f"`{path}={written.strip()}` has no value: {low} is more than {high}"
            return Read(None, (_wrong(message, f"write `{path}={high}..{low}`"),))
        if high - low >= MOST_STARTS:
            return Read(None, (_too_many(high - low + 1),))
        type_ = present(wanted[0])
        if isinstance(type_, NumberType) and not (type_.holds(low) and type_.holds(high)):
            return Read(None, (_outside(path, (low, high), type_),))
        written = ", ".join(map(str, range(low, high + 1)))
    nodes = _listed(written)
    if not nodes:
        remedy = "write `1..6`, or values with commas between them"
        return Read(None, (_wrong(f"the values of {quoted(path)} cannot be read", remedy),))
    findings = Findings()
    reader = ValueReader(begun.names, findings)
    values = [_value(each, path, wanted, reader) for each in nodes]
    return findings.read_once(tuple(dict.fromkeys(values)))


def _listed(written: str) -> tuple[Node, ...]:
    document = read(Text(NO_TEXT, written)).value
    if not isinstance(document, Items):
        document = read(Text(NO_TEXT, f"[{written}]")).value
    return document.items if isinstance(document, Items) else ()


def _value(node: Node, path: str, wanted: tuple[Type, Field | None], reader: ValueReader) -> Any:
    type_, field = wanted
    if not shapes_of(reader.names.program).of(type_).judge(node, reader.findings, quoted(path)):
        return None
    owner = path.rpartition(".")[0]
    value = reader.meaning(node, type_, quoted(path)) if field is None else read_attribute(node, field, owner, reader)
    return None if isinstance(value, Wrong) else value


def _outside(path: str, span: tuple[int, int], type_: NumberType) -> Diagnostic:
    """RW1124, for a span that leaves what a number may be."""
    low = span[0] if type_.low is None else max(span[0], type_.low)
    high = span[1] if type_.high is None else min(span[1], type_.high)
    message = f"{quoted(path)} holds {type_}, and {span[0]}..{span[1]} goes beyond that"
    return _wrong(message, f"write `{path}={low}..{high}`" if low <= high else f"vary it within {type_}")


def _too_many(many: int) -> Diagnostic:
    message = f"there are {many:,} starts, and {MOST_STARTS:,} are allowed"
    return Diagnostic("RW1125", Severity.ERROR, message, help="vary less, or in larger paces: `1, 5, 9`")


def _wrong(message: str, remedy: str) -> Diagnostic:
    return Diagnostic("RW1124", Severity.ERROR, message, help=remedy)
