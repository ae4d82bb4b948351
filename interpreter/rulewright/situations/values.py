"""Any value of a type, as JSON data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rulewright.inputs.nodes import Json
from rulewright.program.declarations import Field, Program
from rulewright.program.plane import decimal, posed
from rulewright.program.types import (
    BagType,
    CellType,
    DeckType,
    DirectionType,
    FlagType,
    FractionType,
    InchesType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    PlaneType,
    RecordType,
    SetType,
    TextType,
    ThingType,
    TupleType,
    Type,
    WordType,
)
from rulewright.situations.sampler import Chooser, between, chance, one_of, some_of

_WIDE, _MEMBERS, _DRAWN, _OTHERWISE = 12, 4, 50, 25
_TEXTS = ("one", "two", "three")


class NoValueError(Exception):
    """A type has no value here: a thing of a kind that has none, a cell of a board without cells."""


@dataclass(frozen=True, slots=True)
class Values:
    """Makes values of one play.

    Attributes:
        program: for words and records.
        chooser: who chooses.
        things: ids by kind.
        cells: of all boards.
        plane: makes a value of a type of the plane, by its name; of all but `pose`.
    """

    program: Program
    chooser: Chooser
    things: Mapping[str, Sequence[str]]
    cells: Sequence[tuple[int, int]]
    plane: Callable[[str, Chooser], Json]

    def of(self, type_: Type) -> Json:  # noqa: C901, PLR0911, PLR0912
        """Any value of a type.

        Raises:
            NoValueError: there is none.
        """
        chooser = self.chooser
        match type_:
            case NumberType(low, high):
                return number(chooser, low, high)
            case FlagType():
                return chooser.below(2) == 1
            case TextType():
                return one_of(chooser, _TEXTS)
            case WordType(values):
                return one_of(chooser, [word.name for word in self.program.values[values].words])
            case ThingType(kind):
                return str(self._one_of(self.things.get(kind, ())))
            case CellType():
                across, down = self._one_of(self.cells)
                return [across, down]
            case DirectionType():
                return chooser.below(type_.count)
            case InchesType():
                return decimal(Fraction(between(chooser, 0, 24), 4))
            case FractionType():
                return _written(Fraction(between(chooser, 0, 24), 4))
            case PlaneType("pose"):
                return self._pose()
            case PlaneType(name):
                return self.plane(name, chooser)
            case OptionalType(inner):
                return None if chance(chooser, 30) else self.of(inner)
            case RecordType(record):
                return {each.name: self.of(each.type) for each in self.program.records[record].parts}
            case TupleType(parts):
                return [self.of(each) for each in parts]
            case SetType(item):
                return self._set(item)
            case ListType(item) | BagType(item) | DeckType(item):
                return [self.of(item) for _ in range(chooser.below(_MEMBERS + 1))]
            case MapType(key, value):
                return [[each, self.of(value)] for each in self._set(key)]
            case _:
                raise NoValueError

    def started(self, fields: Iterable[Field]) -> dict[str, Json]:
        """Attributes by name; of those with a start value every other one is left out, so that it has that value.

        Raises:
            NoValueError: one has no value.
        """
        drawn = [each for each in fields if each.start is None or chance(self.chooser, _DRAWN)]
        return {each.name: self.of(each.type) for each in drawn}

    def settings(self) -> dict[str, Json]:
        """In three of four plays none, so that the published readings hold; in the fourth every other setting."""
        if not chance(self.chooser, _OTHERWISE):
            return {}
        found = self.program.settings.items()
        return {name: self.of(each.type) for name, each in found if chance(self.chooser, _DRAWN)}

    def _pose(self) -> Json:
        thing = self._one_of(self.things.get(posed(self.program.kinds) or "", ()))
        return {"thing": thing, "at": self.plane("point", self.chooser), "facing": self.plane("angle", self.chooser)}

    def _one_of(self, items: Sequence[Any]) -> Any:  # noqa: ANN401
        if not items:
            raise NoValueError
        return one_of(self.chooser, items)

    def _set(self, item: Type) -> list[Json]:
        match item:
            case ThingType(kind):
                return some_of(self.chooser, list(self.things.get(kind, ())), _MEMBERS)
            case WordType(values):
                return some_of(self.chooser, [word.name for word in self.program.values[values].words], _MEMBERS)
            case _:
                found: list[Json] = []
                for _ in range(self.chooser.below(_MEMBERS)):
                    each = self.of(item)
                    if each not in found:
                        found.append(each)
                return found


def number(chooser: Chooser, low: int | None, high: int | None) -> int:
    """A whole number; of a wide range often an end or near it, for there rules turn."""
    first = low if low is not None else min(0, high or 0)
    last = high if high is not None else first + _WIDE
    if last - first <= _WIDE:
        return between(chooser, first, last)
    near = (first, first + 1, first + 2, last - 1, last)
    return one_of(chooser, near) if chance(chooser, 40) else between(chooser, first, last)


def _written(exact: Fraction) -> Json:
    return exact.numerator if exact.denominator == 1 else str(exact)
