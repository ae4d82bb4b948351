"""What a codec is: five things that are done with the values of a type, and who asks for them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from rulewright.codecs.schemas import Schema, UnitMeasure
from rulewright.machine.values import Value
from rulewright.program.declarations import Program
from rulewright.program.types import MapType, Type

_T = TypeVar("_T")


class Named(Protocol):
    """The words of a program and the things of one play; `inputs.names.Names` is one."""

    @property
    def program(self) -> Program:
        """For words, records and titles."""

    @property
    def coordinates(self) -> str:
        """How hexes are written."""

    def thing(self, kind: str, number: int) -> str:
        """The id of a thing."""

    def kin(self, id_: str) -> tuple[str, ...]:
        """The ids of all things of the kind of this one; empty for what is not a thing."""

    def words(self, values: str) -> tuple[str, ...]:
        """The words of a list, in order."""

    def called(self, values: str) -> tuple[str, ...]:
        """What people call the words of a list, in order: by their titles where these are names."""

    def positions(self, values: str) -> Mapping[str, int]:
        """The position of each word of a list, by every way to write it."""

    def die(self, die: tuple[int, int], part: Type | None, *, titled: bool = False) -> str | None:
        """A die by its roll, or by its part of this type, and its face: `block 5`; none where they are not known.

        As scripts write it, or `titled` as people call its words.
        """

    def roll(self, number: int) -> str | None:
        """What the line that threw some dice calls them; none where that is not known."""

    def holding(self, rolls: tuple[Any, ...]) -> "Named":
        """The same with the dice of some rolls."""


class Reader(Protocol):
    """Reads parts of a value from nodes that have their shape; what is wrong in one is reported and stands for it."""

    @property
    def names(self) -> Named:
        """Of the play."""

    def meaning(self, node: Any, target: Type, what: str) -> Any:
        """The value of a part, which messages call `what`."""

    def thing(self, node: Any, kind: str, what: str) -> Any:
        """The number of a thing that is named."""

    def die(self, node: Any, part: Type | None, what: str) -> Any:
        """A die by its roll and place, or as it is called: by its roll or its part of this type, and its face."""

    def measure(self, node: Any, what: str, measure: UnitMeasure) -> Any:
        """A number as whole parts of what is counted."""

    def entries(self, node: Any, target: MapType, default: Value, what: str) -> Any:
        """A map."""

    def whole(self, parts: list[Any]) -> Any:
        """The parts, if none is wrong."""

    def then(self, found: Any, make: Callable[[Any], Any]) -> Any:
        """What is made of something found, if it is not wrong."""

    def error(self, node: Any, message: str, remedy: str = "") -> Any:
        """Reports a value that cannot be (RW0713)."""


class Schemas(Protocol):
    """Schemas of one program; `inputs.type_schemas.TypeSchemas` is one."""

    @property
    def program(self) -> Program:
        """For the units of lengths."""

    def of(self, target: Type) -> Schema:
        """The schema of a type."""

    def thing(self, kind: str) -> Schema:
        """A reference to a thing."""

    def word(self, values: str) -> Schema:
        """A word of a list."""

    def record(self, record: str) -> Schema:
        """A record."""

    def map(self, target: MapType) -> Schema:
        """A map."""

    def pose(self) -> Schema:
        """A pose."""


class Maker(Protocol):
    """Draws values of one play at random."""

    @property
    def program(self) -> Program:
        """For words and records."""

    def of(self, type_: Type) -> Any:
        """Any value of a type."""

    def number(self, low: int | None, high: int | None) -> int:
        """A whole number."""

    def below(self, limit: int) -> int:
        """A number from 0 to below the limit."""

    def one_of(self, items: Sequence[Any]) -> Any:
        """One of several; an error where there is none."""

    def is_left_out(self) -> bool:
        """Whether an optional value is none."""

    def different(self, item: Type) -> list[Any]:
        """Some values, each once."""

    def several(self, item: Type) -> list[Any]:
        """Some values."""

    def quarters(self) -> Fraction:
        """A number of quarters."""

    def ids(self, kind: str) -> Sequence[str]:
        """The things of a kind."""

    @property
    def cells(self) -> Sequence[tuple[int, int]]:
        """Of all boards."""

    def on_plane(self, name: str) -> Any:
        """A point, angle, shape or polygon, or a length."""

    def nothing(self) -> Any:
        """An error: the type has no values that can be written."""


@dataclass(frozen=True)
class Codec(Generic[_T]):
    """What is done with values of one type; each is given the type first."""

    # the value of a node that has the shape of the schema, which messages call so
    read: Callable[[_T, Any, str, Reader], Any]
    write: Callable[[_T, Any, Named], Any]  # a value as JSON data, in a form that `read` takes
    schema: Callable[[_T, Schemas], Schema]  # what documents may hold
    show: Callable[[_T, Any, Named], str]  # a value as people say it
    sample: Callable[[_T, Maker], Any]  # any value as JSON data
    # what a map has where nothing is said: 0 or the lowest number, no, nothing
    zero: Callable[[_T], Value] = lambda _: None
    nothing: str = "nothing"  # what is said where there is no value
