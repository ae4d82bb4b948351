"""Schemas of values by their types; what every schema begins with."""

from collections.abc import Mapping, Sequence
from typing import assert_never
from urllib.parse import quote

from rulewright.inputs.shape_checks import Schema
from rulewright.inputs.shapes import WORDS, listed, worded
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

DIALECT = "https://json-schema.org/draft/2020-12/schema"
VERSION = 1


def head(name: str, title: str, program: Program | None = None, version: int = VERSION) -> Schema:
    """Dialect, `$id` with the version of the form, and title."""
    owner = f"{quote(program.name, safe='')}:{quote(program.revision, safe='')}:" if program else ""
    return {"$schema": DIALECT, "$id": f"urn:rulewright:{owner}{name}:{version}", "title": title}


def closed(properties: Schema, required: list[str] | None = None) -> Schema:
    """An object with these keys and no others."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def described(schema: Schema, text: str) -> Schema:
    """The schema with a description, where there is one."""
    return {**schema, "description": text} if text else schema


RESULT = "result"
CLAIMS = ("none", "no answer", "no place")
ID_PATTERN = r"^(?!none$)[A-Za-z0-9_][A-Za-z0-9_.\-]{0,99}$(?!\n)"
FARTHEST = 10_000
"""The largest coordinate and length in inches."""
FLAG_SCHEMA: Schema = worded({"enum": [True, False, "yes", "no", "true", "false"]}, wanted="`yes` or `no`", help="")
ID_SCHEMA: Schema = {"type": "string", "pattern": ID_PATTERN}
_FRACTION = r"^-?[0-9]{1,100}/(?=[0-9]*[1-9])[0-9]{1,100}$(?!\n)"
NAMED = "a name like this"


def _measure(unit: str) -> Schema:
    limits = {"type": "number", "minimum": -FARTHEST, "maximum": FARTHEST}
    return worded(limits, wanted=f"a number of {unit}, such as `1.5`", within=f"within {FARTHEST} {unit}")


LENGTH_SCHEMA: Schema = _measure("inches")
ANGLE_SCHEMA: Schema = _measure("degrees")
POINT_SCHEMA: Schema = worded(
    {"type": "array", "prefixItems": [LENGTH_SCHEMA, LENGTH_SCHEMA], "items": False, "minItems": 2},
    wanted="a point in inches, `[3.5, 2]`",
    part="a coordinate of {this}",
)
PLACE_SCHEMA: Schema = worded(
    closed({"at": POINT_SCHEMA, "facing": ANGLE_SCHEMA}, ["at"]), wanted="a pose, `{at: [3.5, 2], facing: 90}`"
)
"""A pose of a thing that is known."""
_SIDE: Schema = worded(
    {"type": "number", "exclusiveMinimum": 0, "maximum": FARTHEST}, wanted="a number of inches, such as `1.5`"
)
SHAPE_SCHEMA: Schema = worded(
    {"oneOf": [closed({"round": _SIDE}, ["round"]), closed({"width": _SIDE, "length": _SIDE}, ["width", "length"])]},
    wanted="a shape",
    help="write `{round: 1.5}` with the diameter, or `{width: 2, length: 3}`, in inches",
)
_CORNERS = "a list of points such as `[[0, 0], [4, 0], [4, 1]]`"
_NONE = worded({"enum": [None, "none"]}, aside=True, wanted="empty", help="")


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
                ways: Schema = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _FRACTION}]}
                return worded(ways, wanted='a number or a fraction such as `"1/3"`')
            case FlagType():
                return FLAG_SCHEMA
            case TextType():
                return {"type": "string"}
            case WordType(values):
                return self._word(values)
            case ThingType(kind):
                return self.thing(kind)
            case CellType() | DieType():
                numbers = pair({"type": "integer"}, {"type": "integer"})
                sort, example = ("cell", "[2, -1]") if isinstance(target, CellType) else ("die", "[0, 2]")
                form = "the two numbers of a cell" if sort == "cell" else "the roll and the place of a die"
                return worded(numbers, whole=True, wanted=f"{form}, such as `{example}`")
            case OptionalType(inner):
                none = worded({"type": "null"}, aside=True) if isinstance(inner, TextType) else _NONE
                return {"anyOf": [none, self.of(inner)]}
            case SetType(item):
                return worded({"type": "array", "items": self.of(item), "uniqueItems": True}, reader="uniqueItems")
            case ListType(item) | BagType(item) | DeckType(item):
                return {"type": "array", "items": self.of(item)}
            case TupleType(parts):
                in_order = exactly([self.of(each) for each in parts])
                return worded(in_order, wanted=f"a list of {len(parts)} values", part="a part of {this}")
            case RecordType(record):
                fields = self.program.records[record].parts
                return worded(self.fields(fields), wanted=f"a mapping with {listed([each.name for each in fields])}")
            case MapType():
                return self.map(target)
            case NoneType():
                return {"enum": [None, "none"], WORDS: {"wanted": "empty", "help": ""}}
            case EmptyType() | PoolType():
                return worded({"not": {}}, wanted="left out, since it cannot be written down")
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
                corners = {"type": "array", "items": POINT_SCHEMA, "minItems": 2, "uniqueItems": True}
                return worded(corners, wanted=_CORNERS, part="a corner of {this}", reader="uniqueItems")
            case _:
                thing = self.thing(posed(self.program.kinds) or "")
                pose = closed({"thing": thing, "at": POINT_SCHEMA, "facing": ANGLE_SCHEMA}, ["thing", "at"])
                return worded(pose, wanted="a pose, `{thing: …, at: [3.5, 2], facing: 90}`")

    def thing(self, kind: str) -> Schema:
        """A reference to a thing."""
        if self.things is not None:
            return {"enum": list(self.things.get(kind, ()))}
        return worded({"type": "string"}, wanted=f"the name of a {kind}", named=NAMED)

    def _word(self, values: str) -> Schema:
        listed = self.program.values[values]
        titles = "; ".join(f"{word.name}: {word.title}" for word in listed.words if word.title)
        names = worded({"enum": [word.name for word in listed.words]}, name_code="RW0715", named=NAMED)
        return described(names, titles or listed.title)

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
        called = {0: "a key of {this}", 1: "an entry of {this}"}
        entry = worded(pair(key, value), wanted="a pair `[key, value]`", parts=called)
        pairs: Schema = worded(
            {"type": "array", "items": entry}, wanted="a list of pairs `[key, value]`", part="an entry of {this}"
        )
        if not isinstance(target.key, ThingType | WordType):
            return pairs
        by_name = {"type": "object", "propertyNames": key, "additionalProperties": value}
        return worded({"anyOf": [by_name, pairs]}, wanted="a mapping")


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
