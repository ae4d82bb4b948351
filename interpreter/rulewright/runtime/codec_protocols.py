"""The interface of codecs and the JSON Schema parts that they share with documents.

A `ValueCodec` does five things with values of a type, given a name source, part reader, schema source or sample source.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import quote

from rulewright.program.board_geometry import get_base_unit, get_length_unit
from rulewright.program.declarations import Program
from rulewright.program.types import INCHES, INCHES_PER_UNIT, MapType, Type
from rulewright.runtime.values import Value

Schema = dict[str, Any]
MESSAGE_WORDS = "x-words"
"""The keyword for the words of messages; `documents.document_shapes` says which there are."""


def with_message_words(schema: Schema, **words: Any) -> Schema:  # texts, and tables of them
    """The schema with keywords for its error messages."""
    return {**schema, MESSAGE_WORDS: {**schema.get(MESSAGE_WORDS, {}), **words}}


SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_VERSION = 1


def schema_header(name: str, title: str, program: Program | None = None, version: int = SCHEMA_VERSION) -> Schema:
    """Dialect, `$id` with the version of the format, and title."""
    owner = f"{quote(program.name, safe='')}:{quote(program.revision, safe='')}:" if program else ""
    return {"$schema": SCHEMA_DIALECT, "$id": f"urn:rulewright:{owner}{name}:{version}", "title": title}


def closed_object(properties: Schema, required: list[str] | None = None) -> Schema:
    """An object with these keys and no others."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def with_description(schema: Schema, text: str) -> Schema:
    """The schema with a description, unless that is empty."""
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
    """How numbers of one unit are read from files."""

    unit: str  # of a bare number
    counted: str  # the stored unit
    parts: int  # stored parts per unit
    unit_factors: Mapping[str, Fraction]  # units that a number may have, in the stored unit

    @property
    def default_factor(self) -> Fraction:
        """Factor of a number written without a unit."""
        return self.unit_factors.get(self.unit, Fraction(1))


DEGREE_MEASURE = UnitMeasure("degrees", "degrees", 100, {"deg": Fraction(1), "°": Fraction(1)})


@cache
def make_length_measure(unit: str, counted: str = "") -> UnitMeasure:
    """Measure of lengths whose bare numbers have a unit; stored as thousandths of that or another unit."""
    stored_unit = counted or unit
    written = {"mm": "mm", "cm": "cm", "in": INCHES, '"': INCHES, INCHES: INCHES}
    return UnitMeasure(
        unit,
        stored_unit,
        1000,
        {name: INCHES_PER_UNIT[item] / INCHES_PER_UNIT[stored_unit] for name, item in written.items()},
    )


def length_measure(program: Program) -> UnitMeasure:
    """Measure of points, lengths and the extent of the board."""
    return make_length_measure(get_length_unit(program))


def base_measure(program: Program) -> UnitMeasure:
    """Measure of the sides of bases."""
    return make_length_measure(get_base_unit(program), get_length_unit(program))


POSITIVE_PATTERN = "(?=[0-9.]*[1-9])"


def with_units(number: Schema, measure: UnitMeasure, sign: str = "-?") -> Schema:
    """A number, or one followed by its unit, such as `25 mm`; `sign` is the pattern of its beginning."""
    written = rf"^{sign}[0-9]{{1,6}}(\.[0-9]{{1,6}})? ?({'|'.join(measure.unit_factors)})$(?!\n)"
    return {"anyOf": [number, with_message_words({"type": "string", "pattern": written}, aside=True)]}


def measure_schema(measure: UnitMeasure) -> Schema:
    """Schema of a number of a unit."""
    limits = {"type": "number", "minimum": -MAX_LENGTH, "maximum": MAX_LENGTH}
    number = f"a number of {measure.unit}, such as `1.5`"
    return with_units(with_message_words(limits, wanted=number, within=f"within {MAX_LENGTH} {measure.unit}"), measure)


def point_schema(measure: UnitMeasure) -> Schema:
    """Schema of a point on the plane."""
    length = measure_schema(measure)
    return with_message_words(
        {"type": "array", "prefixItems": [length, length], "items": False, "minItems": 2},
        wanted=f"a point in {measure.unit}, `[3.5, 2]`",
        part="a coordinate of {this}",
    )


def place_schema(measure: UnitMeasure) -> Schema:
    """Schema of a pose of a known thing."""
    return with_message_words(
        closed_object({"at": point_schema(measure), "facing": measure_schema(DEGREE_MEASURE)}, ["at"]),
        wanted="a pose, `{at: [3.5, 2], facing: 90}`",
    )


def shape_schema(measure: UnitMeasure) -> Schema:
    """Schema of a base."""
    limits = {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_LENGTH}
    words = with_message_words(limits, wanted=f"a number of {measure.unit}, such as `1.5`")
    side = with_units(words, measure, sign=POSITIVE_PATTERN)
    sided = closed_object({"width": side, "length": side}, ["width", "length"])
    return with_message_words(
        {"anyOf": [closed_object({"round": side}, ["round"]), sided]},
        wanted="a shape",
        help=f"write `{{round: 1.5}}` with the diameter, or `{{width: 2, length: 3}}`, in {measure.unit}",
    )


def polygon_schema(measure: UnitMeasure) -> Schema:
    """Schema of a polygon."""
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
    """A list of exactly these parts."""
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
    """Two whole numbers, with one message for errors in either."""
    return with_message_words(pair_schema({"type": "integer"}, {"type": "integer"}), whole=True, wanted=wanted)


_T = TypeVar("_T")


class NameSource(Protocol):
    """The words of a program and the things of one play; implemented by `documents.name_table.NameTable`."""

    @property
    def program(self) -> Program:
        pass

    @property
    def coordinates(self) -> str:
        """Notation of hexes."""

    def thing_id(self, kind: str, number: int) -> str:
        pass

    def ids_of_same_kind(self, id_: str) -> tuple[str, ...]:
        """Ids of all things of the kind of this one; empty for what is no thing."""

    def word_names(self, values: str) -> tuple[str, ...]:
        pass

    def word_titles(self, values: str) -> tuple[str, ...]:
        """Display names of the words of a list, in order: titles that are names, else the words."""

    def word_positions(self, values: str) -> Mapping[str, int]:
        """Position of each word of a list, by every spelling."""

    def name_die(self, die: tuple[int, int], part: Type | None, *, titled: bool = False) -> str | None:
        """A die by its roll, or by its part of this type, and its face: `block 5`; none if unknown.

        As scripts write it, or `titled` with display names of words.
        """

    def roll_name(self, number: int) -> str | None:
        """Name of a roll in the line that made it; none if unknown."""

    def with_dice(self, rolls: tuple[Any, ...]) -> "NameSource":
        """A copy that knows the dice of these rolls."""


class PartReader(Protocol):
    """Reads parts of a value from nodes of the right shape; an error is reported and takes the place of the part."""

    @property
    def names(self) -> NameSource:
        pass

    def decode_value(self, node: Any, target: Type, what: str) -> Any:
        pass

    def resolve_thing(self, node: Any, kind: str, what: str) -> Any:
        pass

    def resolve_die(self, node: Any, part: Type | None, what: str) -> Any:
        """A die by its roll and place, or by name: its roll or its part of this type, and its face."""

    def decode_measure(self, node: Any, what: str, measure: UnitMeasure) -> Any:
        """A number in whole stored units."""

    def decode_entries(self, node: Any, target: MapType, default: Value, what: str) -> Any:
        pass

    def collect_parts(self, parts: list[Any]) -> Any:
        """The parts, if none is an error."""

    def map_valid(self, part_value: Any, make: Callable[[Any], Any]) -> Any:
        """Result of `make` for a part that is no error."""

    def report_value_error(self, node: Any, message: str, remedy: str = "") -> Any:
        """Reports an impossible value (RW0713)."""


class SchemaSource(Protocol):
    """Schemas of one program; implemented by `documents.question_schemas.TypeSchemas`."""

    @property
    def program(self) -> Program:
        pass

    def type_schema(self, target: Type) -> Schema:
        pass

    def thing_schema(self, kind: str) -> Schema:
        pass

    def word_schema(self, values: str) -> Schema:
        pass

    def record_schema(self, record: str) -> Schema:
        pass

    def map_schema(self, target: MapType) -> Schema:
        pass

    def pose_schema(self) -> Schema:
        pass


class SampleSource(Protocol):
    """Draws random values of one play."""

    @property
    def program(self) -> Program:
        pass

    def sample_value(self, type_: Type) -> Any:
        pass

    def sample_number(self, low: int | None, high: int | None) -> int:
        pass

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit."""

    def pick_one(self, items: Sequence[Any]) -> Any:
        """One of several; an error if there is none."""

    def is_left_out(self) -> bool:
        """Whether an optional value is none."""

    def sample_distinct(self, item: Type) -> list[Any]:
        """Some distinct values."""

    def sample_several(self, item: Type) -> list[Any]:
        pass

    def sample_quarters(self) -> Fraction:
        """A multiple of a quarter."""

    def kind_ids(self, kind: str) -> Sequence[str]:
        pass

    @property
    def cells(self) -> Sequence[tuple[int, int]]:
        """Cells of all boards."""

    def sample_plane_value(self, name: str) -> Any:
        """A point, angle, shape, polygon or length."""

    def raise_no_value(self) -> Any:
        """An error: the type has no values that can be written."""


@dataclass(frozen=True)
class ValueCodec(Generic[_T]):
    """Operations on values of one type; each takes the type first."""

    # the value of a node that fits the schema; the text is its name in messages
    read: Callable[[_T, Any, str, PartReader], Any]
    write: Callable[[_T, Any, NameSource], Any]  # a value as JSON data, in a form that `read` takes
    schema: Callable[[_T, SchemaSource], Schema]
    show: Callable[[_T, Any, NameSource], str]  # a value in words
    sample: Callable[[_T, SampleSource], Any]  # any value as JSON data
    # default of a map: 0 or the lowest number, no, nothing
    zero: Callable[[_T], Value] = lambda _: None
    absence_word: str = "nothing"
