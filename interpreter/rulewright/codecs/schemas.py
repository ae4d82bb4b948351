"""What schemas are made of: words for messages, objects, lists, measures; what every schema begins with."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from urllib.parse import quote

from rulewright.program.declarations import Program
from rulewright.program.plane import base_unit, length_unit
from rulewright.program.types import INCHES, LENGTHS

Schema = dict[str, Any]
WORDS = "x-words"
"""The keyword for the words of messages; `inputs.shapes` says which there are."""


def worded(schema: Schema, **words: Any) -> Schema:  # texts, and tables of them
    """The schema with more words for its messages."""
    return {**schema, WORDS: {**schema.get(WORDS, {}), **words}}


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
ID_PATTERN = r"^(?!(?:none|defaults)$)[A-Za-z0-9_][A-Za-z0-9_.\-]{0,99}$(?!\n)"
FARTHEST = 10_000
"""The largest coordinate and length, in their unit."""
FLAG_SCHEMA: Schema = worded({"enum": [True, False, "yes", "no", "true", "false"]}, wanted="`yes` or `no`", help="")
ID_SCHEMA: Schema = {"type": "string", "pattern": ID_PATTERN}
_FRACTION = r"^-?[0-9]{1,100}/(?=[0-9]*[1-9])[0-9]{1,100}$(?!\n)"
NAMED = "a name like this"


@dataclass(frozen=True, slots=True)
class UnitMeasure:
    """How numbers of one sort are read from files."""

    unit: str  # of a number that stands alone
    counted: str  # the unit that is counted in the end
    parts: int  # whole parts that are kept of it
    sizes: Mapping[str, Fraction]  # what may stand behind a number, and how much of the counted unit it is

    @property
    def alone(self) -> Fraction:
        """What a number that stands alone is multiplied by."""
        return self.sizes.get(self.unit, Fraction(1))


DEGREES = UnitMeasure("degrees", "degrees", 100, {"deg": Fraction(1), "°": Fraction(1)})


def lengths(unit: str, counted: str = "") -> UnitMeasure:
    """Lengths of which a number alone is of a unit; counted are thousandths, of the same unit or another."""
    kept = counted or unit
    written = {"mm": "mm", "cm": "cm", "in": INCHES, '"': INCHES, INCHES: INCHES}
    return UnitMeasure(unit, kept, 1000, {name: LENGTHS[each] / LENGTHS[kept] for name, each in written.items()})


def length_measure(program: Program) -> UnitMeasure:
    """Of points, lengths and the extent of the board."""
    return lengths(length_unit(program))


def base_measure(program: Program) -> UnitMeasure:
    """Of the sides of bases."""
    return lengths(base_unit(program), length_unit(program))


MORE_THAN_0 = "(?=[0-9.]*[1-9])"


def with_units(number: Schema, measure: UnitMeasure, sign: str = "-?") -> Schema:
    """A number, or one with its unit behind it, such as `25 mm`; the sign is what such a text may begin with."""
    written = rf"^{sign}[0-9]{{1,6}}(\.[0-9]{{1,6}})? ?({'|'.join(measure.sizes)})$(?!\n)"
    return {"anyOf": [number, worded({"type": "string", "pattern": written}, aside=True)]}


def measure_schema(measure: UnitMeasure) -> Schema:
    """A number of a unit."""
    limits = {"type": "number", "minimum": -FARTHEST, "maximum": FARTHEST}
    number = f"a number of {measure.unit}, such as `1.5`"
    return with_units(worded(limits, wanted=number, within=f"within {FARTHEST} {measure.unit}"), measure)


def point_schema(measure: UnitMeasure) -> Schema:
    """A point on the plane."""
    length = measure_schema(measure)
    return worded(
        {"type": "array", "prefixItems": [length, length], "items": False, "minItems": 2},
        wanted=f"a point in {measure.unit}, `[3.5, 2]`",
        part="a coordinate of {this}",
    )


def place_schema(measure: UnitMeasure) -> Schema:
    """A pose of a thing that is known."""
    return worded(
        closed({"at": point_schema(measure), "facing": measure_schema(DEGREES)}, ["at"]),
        wanted="a pose, `{at: [3.5, 2], facing: 90}`",
    )


def shape_schema(measure: UnitMeasure) -> Schema:
    """A base."""
    limits = {"type": "number", "exclusiveMinimum": 0, "maximum": FARTHEST}
    words = worded(limits, wanted=f"a number of {measure.unit}, such as `1.5`")
    side = with_units(words, measure, sign=MORE_THAN_0)
    sided = closed({"width": side, "length": side}, ["width", "length"])
    return worded(
        {"oneOf": [closed({"round": side}, ["round"]), sided]},
        wanted="a shape",
        help=f"write `{{round: 1.5}}` with the diameter, or `{{width: 2, length: 3}}`, in {measure.unit}",
    )


def polygon_schema(measure: UnitMeasure) -> Schema:
    """A polygon."""
    return worded(
        {"type": "array", "items": point_schema(measure), "minItems": 2, "uniqueItems": True},
        wanted="a list of points such as `[[0, 0], [4, 0], [4, 1]]`",
        part="a corner of {this}",
        reader="uniqueItems",
    )


FRACTION_SCHEMA: Schema = worded(
    {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _FRACTION}]},
    wanted='a number or a fraction such as `"1/3"`',
)
NULL_ASIDE: Schema = worded({"type": "null"}, aside=True)
NONE_ASIDE: Schema = worded({"enum": [None, "none"]}, aside=True, wanted="empty", help="")
NO_VALUE: Schema = worded({"not": {}}, wanted="left out, since it cannot be written down")


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


def members_schema(item: Schema) -> Schema:
    """A list of any length."""
    return {"type": "array", "items": item}


def numbers_schema(wanted: str) -> Schema:
    """Two whole numbers, of which what is wrong is told of both together."""
    return worded(pair({"type": "integer"}, {"type": "integer"}), whole=True, wanted=wanted)
