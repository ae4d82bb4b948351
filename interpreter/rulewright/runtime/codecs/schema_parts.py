"""What schemas are made of: words for messages, objects, lists, measures; what every schema begins with."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from urllib.parse import quote

from rulewright.program.board_geometry import get_base_unit, get_length_unit
from rulewright.program.declarations import Program
from rulewright.program.types import INCHES, INCHES_PER_UNIT

Schema = dict[str, Any]
MESSAGE_WORDS = "x-words"
"""The keyword for the words of messages; `documents.document_shapes` says which there are."""


def with_message_words(schema: Schema, **words: Any) -> Schema:  # texts, and tables of them
    """The schema with more words for its messages."""
    return {**schema, MESSAGE_WORDS: {**schema.get(MESSAGE_WORDS, {}), **words}}


SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_VERSION = 1


def schema_header(name: str, title: str, program: Program | None = None, version: int = SCHEMA_VERSION) -> Schema:
    """Dialect, `$id` with the version of the form, and title."""
    owner = f"{quote(program.name, safe='')}:{quote(program.revision, safe='')}:" if program else ""
    return {"$schema": SCHEMA_DIALECT, "$id": f"urn:rulewright:{owner}{name}:{version}", "title": title}


def closed_object(properties: Schema, required: list[str] | None = None) -> Schema:
    """An object with these keys and no others."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def with_description(schema: Schema, text: str) -> Schema:
    """The schema with a description, where there is one."""
    return {**schema, "description": text} if text else schema


RESULT_KEY = "result"
NO_ANSWER_CLAIMS = ("none", "no answer", "no place")
ID_PATTERN = r"^(?!(?:none|defaults)$)[A-Za-z0-9_][A-Za-z0-9_.\-]{0,99}$(?!\n)"
MAX_LENGTH = 10_000
"""The largest coordinate and length, in their unit."""
FLAG_SCHEMA: Schema = with_message_words(
    {"enum": [True, False, "yes", "no", "true", "false"]}, wanted="`yes` or `no`", help=""
)
ID_SCHEMA: Schema = {"type": "string", "pattern": ID_PATTERN}
_FRACTION_PATTERN = r"^-?[0-9]{1,100}/(?=[0-9]*[1-9])[0-9]{1,100}$(?!\n)"
QUOTED_NAME_HINT = "a name like this"


@dataclass(frozen=True, slots=True)
class UnitMeasure:
    """How numbers of one sort are read from files."""

    unit: str  # of a number that stands alone
    counted: str  # the unit that is counted in the end
    parts: int  # whole parts that are kept of it
    unit_factors: Mapping[str, Fraction]  # what may stand behind a number, and how much of the counted unit it is

    @property
    def default_factor(self) -> Fraction:
        """What a number that stands alone is multiplied by."""
        return self.unit_factors.get(self.unit, Fraction(1))


DEGREE_MEASURE = UnitMeasure("degrees", "degrees", 100, {"deg": Fraction(1), "°": Fraction(1)})


def make_length_measure(unit: str, counted: str = "") -> UnitMeasure:
    """Lengths of which a number alone is of a unit; counted are thousandths, of the same unit or another."""
    kept = counted or unit
    written = {"mm": "mm", "cm": "cm", "in": INCHES, '"': INCHES, INCHES: INCHES}
    return UnitMeasure(
        unit, kept, 1000, {name: INCHES_PER_UNIT[item] / INCHES_PER_UNIT[kept] for name, item in written.items()}
    )


def length_measure(program: Program) -> UnitMeasure:
    """Of points, lengths and the extent of the board."""
    return make_length_measure(get_length_unit(program))


def base_measure(program: Program) -> UnitMeasure:
    """Of the sides of bases."""
    return make_length_measure(get_base_unit(program), get_length_unit(program))


POSITIVE_PATTERN = "(?=[0-9.]*[1-9])"


def with_units(number: Schema, measure: UnitMeasure, sign: str = "-?") -> Schema:
    """A number, or one with its unit behind it, such as `25 mm`; the sign is what such a text may begin with."""
    written = rf"^{sign}[0-9]{{1,6}}(\.[0-9]{{1,6}})? ?({'|'.join(measure.unit_factors)})$(?!\n)"
    return {"anyOf": [number, with_message_words({"type": "string", "pattern": written}, aside=True)]}


def measure_schema(measure: UnitMeasure) -> Schema:
    """A number of a unit."""
    limits = {"type": "number", "minimum": -MAX_LENGTH, "maximum": MAX_LENGTH}
    number = f"a number of {measure.unit}, such as `1.5`"
    return with_units(with_message_words(limits, wanted=number, within=f"within {MAX_LENGTH} {measure.unit}"), measure)


def point_schema(measure: UnitMeasure) -> Schema:
    """A point on the plane."""
    length = measure_schema(measure)
    return with_message_words(
        {"type": "array", "prefixItems": [length, length], "items": False, "minItems": 2},
        wanted=f"a point in {measure.unit}, `[3.5, 2]`",
        part="a coordinate of {this}",
    )


def place_schema(measure: UnitMeasure) -> Schema:
    """A pose of a thing that is known."""
    return with_message_words(
        closed_object({"at": point_schema(measure), "facing": measure_schema(DEGREE_MEASURE)}, ["at"]),
        wanted="a pose, `{at: [3.5, 2], facing: 90}`",
    )


def shape_schema(measure: UnitMeasure) -> Schema:
    """A base."""
    limits = {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_LENGTH}
    words = with_message_words(limits, wanted=f"a number of {measure.unit}, such as `1.5`")
    side = with_units(words, measure, sign=POSITIVE_PATTERN)
    sided = closed_object({"width": side, "length": side}, ["width", "length"])
    return with_message_words(
        {"oneOf": [closed_object({"round": side}, ["round"]), sided]},
        wanted="a shape",
        help=f"write `{{round: 1.5}}` with the diameter, or `{{width: 2, length: 3}}`, in {measure.unit}",
    )


def polygon_schema(measure: UnitMeasure) -> Schema:
    """A polygon."""
    return with_message_words(
        {"type": "array", "items": point_schema(measure), "minItems": 2, "uniqueItems": True},
        wanted="a list of points such as `[[0, 0], [4, 0], [4, 1]]`",
        part="a corner of {this}",
        reader="uniqueItems",
    )


FRACTION_SCHEMA: Schema = with_message_words(
    {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _FRACTION_PATTERN}]},
    wanted='a number or a fraction such as `"1/3"`',
)
NULL_ASIDE: Schema = with_message_words({"type": "null"}, aside=True)
NONE_ASIDE: Schema = with_message_words({"enum": [None, "none"]}, aside=True, wanted="empty", help="")
NO_VALUE: Schema = with_message_words({"not": {}}, wanted="left out, since it cannot be written down")


def with_no_answer_claim(answer: Schema) -> Schema:
    """An answer, or the claim that there is no legal one."""
    return {
        "anyOf": [answer, {"enum": [None, *NO_ANSWER_CLAIMS], "description": "the claim that there is no legal answer"}]
    }


def integer_schema(low: int | None, high: int | None) -> Schema:
    """A whole number within bounds."""
    schema: Schema = {"type": "integer"}
    return schema | ({} if low is None else {"minimum": low}) | ({} if high is None else {"maximum": high})


def tuple_schema(parts: list[Schema]) -> Schema:
    """A list of just these parts."""
    if not parts:
        return {"type": "array", "maxItems": 0}
    return {"type": "array", "prefixItems": parts, "items": False, "minItems": len(parts)}


def pair_schema(first: Schema, second: Schema) -> Schema:
    """A list of two."""
    return tuple_schema([first, second])


def list_schema(item: Schema) -> Schema:
    """A list of any length."""
    return {"type": "array", "items": item}


def number_pair_schema(wanted: str) -> Schema:
    """Two whole numbers, of which what is wrong is told of both together."""
    return with_message_words(pair_schema({"type": "integer"}, {"type": "integer"}), whole=True, wanted=wanted)
