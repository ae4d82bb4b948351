"""Values of one revision, as JSON data, in the words of the other."""

import dataclasses
from functools import cached_property
from typing import Any

from rulewright.comparing.naming import Correspondence
from rulewright.comparing.playing.stored import same_starts, twins
from rulewright.inputs.nodes import Json
from rulewright.outline.names import Name
from rulewright.program.declarations import Program
from rulewright.program.plane import posed
from rulewright.program.types import (
    BagType,
    DeckType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    PlaneType,
    RecordType,
    SetType,
    ThingType,
    TupleType,
    Type,
    WordType,
    present,
)


class LostError(Exception):
    """A value has no counterpart in the other revision: a word or thing it does not know, a number out of bounds."""


@dataclasses.dataclass(frozen=True, eq=False)
class Crossing:
    """The way of values from one revision to the other.

    Attributes:
        here: the program they come from.
        there: the program they go to.
        names: from names here to names there.
        fields: stored fields here with those they are there, by their owner, once they were looked for.
    """

    here: Program
    there: Program
    names: Correspondence
    fields: dict[tuple[str, str], Any] = dataclasses.field(default_factory=dict)

    def back(self) -> "Crossing":
        """The way back."""
        return Crossing(self.there, self.here, self.names.mirrored())

    def value(self, data: Json, type_: Type, target: Type) -> Json:
        """A value as the other revision writes it; members of sets and bags come in the order of their text.

        Raises:
            LostError: it has no counterpart.
        """
        crossed: Json = self._value(data, type_, target)
        return crossed

    def _value(self, data: Any, type_: Type, target: Type) -> Any:  # noqa: ANN401, C901, PLR0911, PLR0912
        if isinstance(target, OptionalType):
            inner = present(type_)
            return None if data is None else self._value(data, inner, target.inner)
        match type_, target:
            case OptionalType(inner), _:
                if data is None:
                    raise LostError
                return self._value(data, inner, target)
            case NumberType(), NumberType(low, high):
                if (low is not None and data < low) or (high is not None and data > high):
                    raise LostError
                return data
            case ThingType(kind), ThingType(other):
                self._same("kind", kind, other)
                return data
            case WordType(values), WordType(other):
                return self._word(data, values, other)
            case (SetType(item), SetType(other)) | (BagType(item), BagType(other)):
                return sorted((self._value(each, item, other) for each in data), key=repr)
            case (ListType(item), ListType(other)) | (DeckType(item), DeckType(other)):
                return [self._value(each, item, other) for each in data]
            case TupleType(parts), TupleType(others) if len(parts) == len(others):
                pairs = zip(data, parts, others, strict=True)
                return [self._value(each, part, other) for each, part, other in pairs]
            case RecordType(record), RecordType(other):
                return self._record(data, record, other)
            case MapType(), MapType():
                return self._map(data, type_, target)
            case PlaneType("pose"), PlaneType("pose"):
                self._same("kind", posed(self.here.kinds) or "", posed(self.there.kinds) or "")
                return data
            case _ if type_ == target:
                return data
            case _:
                raise LostError

    def _same(self, sort: str, here: str, there: str) -> None:
        if self.names.new(sort, here) != there:
            raise LostError

    def _word(self, data: str, values: str, other: str) -> str:
        found = self.names.new("word", f"{values}/{data}")
        if found is None or found.rpartition("/")[0] != other:
            raise LostError
        return found.rpartition("/")[2]

    def _record(self, data: dict[str, Any], record: str, other: str) -> dict[str, Any]:
        known = {each.name: each.type for each in self.there.records[other].parts}
        crossed = {}
        for each in self.here.records[record].parts:
            name = self.part(record, each.name)
            if name in known:
                crossed[name] = self._value(data[each.name], each.type, known[name])
        return crossed

    def part(self, record: str, part: str) -> str:
        """What a part of a record is called in the other revision."""
        found = self.names.names.get(Name("part", f"{record}/{part}"))
        return part if found is None else found.name.rpartition("/")[2]

    def _map(self, data: Any, type_: MapType, target: MapType) -> Any:  # noqa: ANN401
        pairs = data.items() if isinstance(data, dict) else data
        crossed = [
            [self._value(key, type_.key, target.key), self._value(entry, type_.value, target.value)]
            for key, entry in pairs
        ]
        if isinstance(target.key, ThingType | WordType):
            return {str(key): entry for key, entry in sorted(crossed, key=repr)}
        return sorted(crossed, key=repr)


@dataclasses.dataclass(frozen=True, eq=False)
class Ways:
    """Both ways between two revisions.

    Attributes:
        across: from the old one to the new one.
        back: from the new one to the old one.
        dice: the faces of dice that were paired, by the faces and their types in both.
    """

    across: Crossing
    back: Crossing
    dice: dict[object, Any] = dataclasses.field(default_factory=dict)

    @cached_property
    def alike(self) -> bool:
        """Whether every value of one is the same value of the other, so that nothing has to be translated."""
        return twins(self.across.here, self.across.there, self.across.names)

    @cached_property
    def interchangeable(self) -> bool:
        """Whether moreover a state file is the same situation for both."""
        return self.alike and same_starts(self.across.here, self.across.there)

    @cached_property
    def itself(self) -> Crossing:
        """From the new revision to itself, for what both know."""
        new = self.across.there
        return Crossing(new, new, Correspondence({each: each for each in self.back.names.names}, {}))


def ways(old: Program, new: Program, names: Correspondence) -> Ways:
    """The ways between two programs."""
    across = Crossing(old, new, names)
    return Ways(across, across.back())
