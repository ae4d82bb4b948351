"""What a codec is: five things that are done with the values of a type, and who asks for them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from rulewright.program.declarations import Program
from rulewright.program.types import MapType, Type
from rulewright.runtime.codecs.schema_parts import Schema, UnitMeasure
from rulewright.runtime.values import Value

_T = TypeVar("_T")


class NameSource(Protocol):
    """The words of a program and the things of one play; `documents.name_table.NameTable` is one."""

    @property
    def program(self) -> Program:
        """For words, records and titles."""

    @property
    def coordinates(self) -> str:
        """How hexes are written."""

    def thing_id(self, kind: str, number: int) -> str:
        """The id of a thing."""

    def ids_of_same_kind(self, id_: str) -> tuple[str, ...]:
        """The ids of all things of the kind of this one; empty for what is not a thing."""

    def word_names(self, values: str) -> tuple[str, ...]:
        """The words of a list, in order."""

    def word_titles(self, values: str) -> tuple[str, ...]:
        """What people call the words of a list, in order: by their titles where these are names."""

    def word_positions(self, values: str) -> Mapping[str, int]:
        """The position of each word of a list, by every way to write it."""

    def name_die(self, die: tuple[int, int], part: Type | None, *, titled: bool = False) -> str | None:
        """A die by its roll, or by its part of this type, and its face: `block 5`; none where they are not known.

        As scripts write it, or `titled` as people call its words.
        """

    def roll_name(self, number: int) -> str | None:
        """What the line that threw some dice calls them; none where that is not known."""

    def with_dice(self, rolls: tuple[Any, ...]) -> "NameSource":
        """The same with the dice of some rolls."""


class PartReader(Protocol):
    """Reads parts of a value from nodes that have their shape; what is wrong in one is reported and stands for it."""

    @property
    def names(self) -> NameSource:
        """Of the play."""

    def decode_value(self, node: Any, target: Type, what: str) -> Any:
        """The value of a part, which messages call `what`."""

    def resolve_thing(self, node: Any, kind: str, what: str) -> Any:
        """The number of a thing that is named."""

    def resolve_die(self, node: Any, part: Type | None, what: str) -> Any:
        """A die by its roll and place, or as it is called: by its roll or its part of this type, and its face."""

    def decode_measure(self, node: Any, what: str, measure: UnitMeasure) -> Any:
        """A number as whole parts of what is counted."""

    def decode_entries(self, node: Any, target: MapType, default: Value, what: str) -> Any:
        """A map."""

    def collect_parts(self, parts: list[Any]) -> Any:
        """The parts, if none is wrong."""

    def map_valid(self, found: Any, make: Callable[[Any], Any]) -> Any:
        """What is made of something found, if it is not wrong."""

    def report_value_error(self, node: Any, message: str, remedy: str = "") -> Any:
        """Reports a value that cannot be (RW0713)."""


class SchemaSource(Protocol):
    """Schemas of one program; `documents.question_schemas.TypeSchemas` is one."""

    @property
    def program(self) -> Program:
        """For the units of lengths."""

    def type_schema(self, target: Type) -> Schema:
        """The schema of a type."""

    def thing_schema(self, kind: str) -> Schema:
        """A reference to a thing."""

    def word_schema(self, values: str) -> Schema:
        """A word of a list."""

    def record_schema(self, record: str) -> Schema:
        """A record."""

    def map_schema(self, target: MapType) -> Schema:
        """A map."""

    def pose_schema(self) -> Schema:
        """A pose."""


class SampleSource(Protocol):
    """Draws values of one play at random."""

    @property
    def program(self) -> Program:
        """For words and records."""

    def sample_value(self, type_: Type) -> Any:
        """Any value of a type."""

    def sample_number(self, low: int | None, high: int | None) -> int:
        """A whole number."""

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit."""

    def pick_one(self, items: Sequence[Any]) -> Any:
        """One of several; an error where there is none."""

    def is_left_out(self) -> bool:
        """Whether an optional value is none."""

    def sample_distinct(self, item: Type) -> list[Any]:
        """Some values, each once."""

    def sample_several(self, item: Type) -> list[Any]:
        """Some values."""

    def sample_quarters(self) -> Fraction:
        """A number of quarters."""

    def kind_ids(self, kind: str) -> Sequence[str]:
        """The things of a kind."""

    @property
    def cells(self) -> Sequence[tuple[int, int]]:
        """Of all boards."""

    def sample_plane_value(self, name: str) -> Any:
        """A point, angle, shape or polygon, or a length."""

    def raise_no_value(self) -> Any:
        """An error: the type has no values that can be written."""


@dataclass(frozen=True)
class ValueCodec(Generic[_T]):
    """What is done with values of one type; each is given the type first."""

    # the value of a node that has the shape of the schema, which messages call so
    read: Callable[[_T, Any, str, PartReader], Any]
    write: Callable[[_T, Any, NameSource], Any]  # a value as JSON data, in a form that `read` takes
    schema: Callable[[_T, SchemaSource], Schema]  # what documents may hold
    show: Callable[[_T, Any, NameSource], str]  # a value as people say it
    sample: Callable[[_T, SampleSource], Any]  # any value as JSON data
    # what a map has where nothing is said: 0 or the lowest number, no, nothing
    zero: Callable[[_T], Value] = lambda _: None
    absence_word: str = "nothing"  # what is said where there is no value
