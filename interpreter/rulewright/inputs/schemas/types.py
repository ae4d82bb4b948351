"""Schemas of values by their types: they accept what `ValueReader` accepts."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from rulewright.inputs.answers import CLAIMS, RESULT
from rulewright.inputs.plane_values import FARTHEST
from rulewright.inputs.schemas.script import Schema, closed, described
from rulewright.inputs.things import ID_PATTERN
from rulewright.program.declarations import Field, Program
from rulewright.program.plane import posed
from rulewright.program.types import (
    BagType,
    CellType,
    DeckType,
    DieType,
    DirectionType,
    EmptyType,
    FlagType,
    FractionType,
    InchesType,
    ListType,
    MapType,
    NoneType,
    NumberType,
    OptionalType,
    PlaneType,
    PoolType,
    RecordType,
    SetType,
    TextType,
    ThingType,
    TupleType,
    Type,
    WordType,
)

FLAG_SCHEMA: Schema = {"enum": [True, False, "yes", "no", "true", "false"]}
ID_SCHEMA: Schema = {"type": "string", "pattern": ID_PATTERN}
_FRACTION = r"^-?[0-9]{1,100}/(?=[0-9]*[1-9])[0-9]{1,100}$"


LENGTH_SCHEMA: Schema = {"type": "number", "minimum": -FARTHEST, "maximum": FARTHEST}
ANGLE_SCHEMA: Schema = LENGTH_SCHEMA
POINT_SCHEMA: Schema = {
    "type": "array",
    "prefixItems": [LENGTH_SCHEMA, LENGTH_SCHEMA],
    "items": False,
    "minItems": 2,
}
PLACE_SCHEMA: Schema = closed({"at": POINT_SCHEMA, "facing": ANGLE_SCHEMA}, ["at"])
"""A pose of a thing that is known."""
_SIDE: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": FARTHEST}
SHAPE_SCHEMA: Schema = {
    "oneOf": [closed({"round": _SIDE}, ["round"]), closed({"width": _SIDE, "length": _SIDE}, ["width", "length"])]
}


class TypeSchemas:
    """Schemas of one program; with the things of a play, references name them, else any id will do."""

    def __init__(self, program: Program, things: Mapping[str, Sequence[str]] | None = None) -> None:
        self.program = program
        self.things = things

    def of(self, target: Type) -> Schema:  # noqa: C901, PLR0911, PLR0912
        """The schema of a type."""
        match target:
            case NumberType(low, high):
                return number(low, high)
            case DirectionType():
                return number(0, target.count - 1)
            case InchesType():
                return LENGTH_SCHEMA
            case PlaneType(name):
                return self._on_plane(name)
            case FractionType():
                return {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _FRACTION}]}
            case FlagType():
                return FLAG_SCHEMA
            case TextType():
                return {"type": "string"}
            case WordType(values):
                return self._word(values)
            case ThingType(kind):
                return self.thing(kind)
            case CellType() | DieType():
                return pair({"type": "integer"}, {"type": "integer"})
            case OptionalType(inner):
                none: Schema = {"type": "null"} if isinstance(inner, TextType) else {"enum": [None, "none"]}
                return {"anyOf": [none, self.of(inner)]}
            case SetType(item):
                return {"type": "array", "items": self.of(item), "uniqueItems": True}
            case ListType(item) | BagType(item) | DeckType(item):
                return {"type": "array", "items": self.of(item)}
            case TupleType(parts):
                return exactly([self.of(each) for each in parts])
            case RecordType(record):
                return self.fields(self.program.records[record].parts)
            case MapType():
                return self.map(target)
            case NoneType():
                return {"enum": [None, "none"]}
            case EmptyType() | PoolType():
                return {"not": {}}
            case _:
                assert_never(target)

    def _on_plane(self, name: str) -> Schema:
        match name:
            case "point":
                return POINT_SCHEMA
            case "angle":
                return ANGLE_SCHEMA
            case "shape":
                return SHAPE_SCHEMA
            case "polygon":
                return {"type": "array", "items": POINT_SCHEMA, "minItems": 2, "uniqueItems": True}
            case _:
                thing = self.thing(posed(self.program.kinds) or "")
                return closed({"thing": thing, "at": POINT_SCHEMA, "facing": ANGLE_SCHEMA}, ["thing", "at"])

    def thing(self, kind: str) -> Schema:
        """A reference to a thing."""
        return ID_SCHEMA if self.things is None else {"enum": list(self.things.get(kind, ()))}

    def _word(self, values: str) -> Schema:
        listed = self.program.values[values]
        titles = "; ".join(f"{word.name}: {word.title}" for word in listed.words if word.title)
        return described({"enum": [word.name for word in listed.words]}, titles or listed.title)

    def fields(self, fields: Sequence[Field]) -> Schema:
        """An object of fields; those without a start value are required, titles become descriptions."""
        properties = {each.name: described(self.of(each.type), each.title) for each in fields}
        return closed(properties, [each.name for each in fields if each.start is None])

    def results(self, external: str, result: Type | None) -> tuple[Schema, list[str]]:
        """Properties, and the required ones, of the object an external answers with."""
        match result:
            case None:
                return {}, []
            case RecordType(record) if record == external:
                fields = self.fields(self.program.records[record].parts)
                return dict(fields["properties"]), list(fields.get("required", []))
            case _:
                return {RESULT: self.of(result)}, [RESULT]

    def map(self, target: MapType) -> Schema:
        """A map: an object where keys are things or words, and always a list of pairs."""
        key, value = self.of(target.key), self.of(target.value)
        pairs: Schema = {"type": "array", "items": pair(key, value)}
        if not isinstance(target.key, ThingType | WordType):
            return pairs
        return {"anyOf": [{"type": "object", "propertyNames": key, "additionalProperties": value}, pairs]}


def claimed(answer: Schema) -> Schema:
    """An answer, or the claim that there is no legal one."""
    return {"anyOf": [answer, {"enum": [None, *CLAIMS], "description": "the claim that there is no legal answer"}]}


def number(low: int | None, high: int | None) -> Schema:
    """A whole number within bounds."""
    schema: Schema = {"type": "integer"}
    return schema | ({} if low is None else {"minimum": low}) | ({} if high is None else {"maximum": high})


def exactly(parts: list[Schema]) -> Schema:
    """A list of just these parts."""
    if not parts:
        return {"type": "array", "maxItems": 0}
    return {"type": "array", "prefixItems": parts, "items": False, "minItems": len(parts)}


def pair(first: Schema, second: Schema) -> Schema:
    """A list of two."""
    return exactly([first, second])
