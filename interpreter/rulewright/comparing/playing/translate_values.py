"""Values of one revision in the words of the other, and values of both in one form, to be told apart."""

import dataclasses
import json
from functools import cached_property
from typing import Any

from rulewright.codecs.table import to_json
from rulewright.comparing.edits import Correspondence
from rulewright.comparing.playing.changes import same_starts, twins
from rulewright.frozen import dataclass
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.machine.values import Value
from rulewright.outline.items import Name
from rulewright.program import types as ty
from rulewright.program.declarations import Program
from rulewright.program.plane import posed


class LostError(Exception):
    """A value has no counterpart in the other revision: a word or thing it does not know, a number out of bounds."""


@dataclasses.dataclass(frozen=True, eq=False)
class Crossing:
    """The way of values from one revision to the other."""

    here: Program  # the program they come from
    there: Program  # the program they go to
    names: Correspondence  # from names here to names there
    # stored fields here with those they are there, by their owner, once they were looked for
    fields: dict[tuple[str, str], Any] = dataclasses.field(default_factory=dict)

    def back(self) -> "Crossing":
        """The way back."""
        return Crossing(self.there, self.here, self.names.mirrored())

    def value(self, data: Json, type_: ty.Type, target: ty.Type) -> Json:
        """A value as the other revision writes it; members of sets and bags come in the order of their text.

        Raises:
            LostError: it has no counterpart.
        """
        crossed: Json = self._value(data, type_, target)
        return crossed

    def _value(self, data: Any, type_: ty.Type, target: ty.Type) -> Any:  # noqa: C901, PLR0911, PLR0912
        if isinstance(target, ty.OptionalType):
            inner = ty.present(type_)
            return None if data is None else self._value(data, inner, target.inner)
        match type_, target:
            case ty.OptionalType(inner), _:
                if data is None:
                    raise LostError
                return self._value(data, inner, target)
            case ty.NumberType(), ty.NumberType(low, high):
                if (low is not None and data < low) or (high is not None and data > high):
                    raise LostError
                return data
            case ty.ThingType(kind), ty.ThingType(other):
                self._same("kind", kind, other)
                return data
            case ty.WordType(values), ty.WordType(other):
                found = self.names.new("word", f"{values}/{data}")
                if found is None or found.rpartition("/")[0] != other:
                    raise LostError
                return found.rpartition("/")[2]
            case (ty.SetType(item), ty.SetType(other)) | (ty.BagType(item), ty.BagType(other)):
                return sorted((self._value(each, item, other) for each in data), key=repr)
            case (ty.ListType(item), ty.ListType(other)) | (ty.DeckType(item), ty.DeckType(other)):
                return [self._value(each, item, other) for each in data]
            case ty.TupleType(parts), ty.TupleType(others) if len(parts) == len(others):
                pairs = zip(data, parts, others, strict=True)
                return [self._value(each, part, other) for each, part, other in pairs]
            case ty.RecordType(record), ty.RecordType(other):
                return self._record(data, record, other)
            case ty.MapType(), ty.MapType():
                return self._map(data, type_, target)
            case ty.PlaneType("pose"), ty.PlaneType("pose"):
                self._same("kind", posed(self.here.kinds) or "", posed(self.there.kinds) or "")
                return data
            case _ if type_ == target:
                return data
            case _:
                raise LostError

    def keeps(self, type_: ty.Type, target: ty.Type) -> bool:
        """Whether every value of a type is written in the other revision as it is here."""
        if isinstance(target, ty.OptionalType):
            return self.keeps(ty.present(type_), target.inner)
        match type_, target:
            case ty.NumberType(), ty.NumberType(None, None):
                return True
            case ty.ThingType(kind), ty.ThingType(other):
                return self.names.new("kind", kind) == other
            case (
                ty.FlagType()
                | ty.TextType()
                | ty.LengthType()
                | ty.FractionType()
                | ty.CellType()
                | ty.DirectionType(),
                _,
            ):
                return type_ == target
            case ty.PlaneType(name), _:
                return type_ == target and name != "pose"
            case _:
                return False

    def _same(self, sort: str, here: str, there: str) -> None:
        if self.names.new(sort, here) != there:
            raise LostError

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

    def _map(self, data: Any, type_: ty.MapType, target: ty.MapType) -> Any:
        pairs = data.items() if isinstance(data, dict) else data
        crossed = [
            [self._value(key, type_.key, target.key), self._value(entry, type_.value, target.value)]
            for key, entry in pairs
        ]
        if isinstance(target.key, ty.ThingType | ty.WordType):
            return {str(key): entry for key, entry in sorted(crossed, key=repr)}
        return sorted(crossed, key=repr)


@dataclasses.dataclass(frozen=True, eq=False)
class Ways:
    """Both ways between two revisions."""

    across: Crossing  # from the old one to the new one
    back: Crossing  # from the new one to the old one
    # the faces of dice that were paired, by the faces and their types in both
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


_PLAIN = (ty.NumberType, ty.FlagType)
"""Types whose values are the same in all revisions."""


@dataclass(frozen=True, slots=True)
class Common:
    """The common form of values in one play of both revisions."""

    ways: Ways  # between the revisions
    old: Names  # names of the play in the old revision
    new: Names  # names of the play in the new one

    def of_old(self, value: Value, type_: ty.Type, target: ty.Type) -> Any:  # compared only
        """A value of the old revision where the new one has a type; one that it cannot have equals nothing of it."""
        if self.ways.alike or (isinstance(type_, _PLAIN) and isinstance(target, _PLAIN)):
            return value
        try:
            return _text(self.ways.across.value(to_json(value, type_, self.old), type_, target))
        except LostError:
            return "only old", _text(to_json(value, type_, self.old))

    def of_new(self, value: Value, type_: ty.Type) -> Any:  # compared only
        """A value of the new revision."""
        if self.ways.alike or isinstance(type_, _PLAIN):
            return value
        data = to_json(value, type_, self.new)
        try:
            return _text(self.ways.itself.value(data, type_, type_))
        except LostError:
            return "only new", _text(data)

    def faces(
        self, old: tuple[Value, ...], old_type: ty.Type, new: tuple[Value, ...], new_type: ty.Type
    ) -> tuple[tuple[Value, Value], ...] | None:
        """The faces of a die in both, as `pairs`; faces name nothing of a play, so they are paired once for all."""
        key = old, old_type, new, new_type
        if key not in self.ways.dice:
            self.ways.dice[key] = self.pairs(*key)
        found: tuple[tuple[Value, Value], ...] | None = self.ways.dice[key]
        return found

    def pairs(
        self, old: tuple[Value, ...], old_type: ty.Type, new: tuple[Value, ...], new_type: ty.Type
    ) -> tuple[tuple[Value, Value], ...] | None:
        """Values of both that are the same, whatever their order; none where some are not. Dice go by their order."""
        if len(old) != len(new):
            return None
        if isinstance(old_type, ty.DieType) or isinstance(new_type, ty.DieType):
            return tuple(zip(old, new, strict=True)) if isinstance(old_type, type(new_type)) else None
        first = sorted(((repr(self.of_old(each, old_type, new_type)), at) for at, each in enumerate(old)))
        second = sorted(((repr(self.of_new(each, new_type)), at) for at, each in enumerate(new)))
        if [text for text, _ in first] != [text for text, _ in second]:
            return None
        found = sorted((at, other) for (_, at), (_, other) in zip(first, second, strict=True))
        return tuple((old[at], new[other]) for at, other in found)


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True)
