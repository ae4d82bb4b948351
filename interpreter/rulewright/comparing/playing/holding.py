"""What states of one revision may hold, or leave out, and those of the other may not."""

from collections.abc import Iterator

from rulewright.comparing.naming import Correspondence
from rulewright.comparing.playing.data import ValueWitness
from rulewright.comparing.playing.places import declarations
from rulewright.comparing.playing.stored import fields
from rulewright.inputs.nodes import Json
from rulewright.outline.names import Name
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.types import (
    NumberType,
    OptionalType,
    RecordType,
    Type,
    WordType,
    held_by,
)
from rulewright.roles import nodes

REFUSED = "not allowed"
STARTED, GIVEN = "has a start value", "must be given in every state"
_WITH_START = frozenset({"attribute", "field"})


def held(old: Program, new: Program, names: Correspondence) -> Iterator[ValueWitness]:
    """For each value that a start or an outside answer brings, what only one revision allows there.

    That is a number, a word or `none`, by itself or inside a collection or a record; or that it is left out. Values
    are those of attributes, cells, the game, readings, parameters of what can be begun and results of externals.
    """
    yield from _left_out(old, new, names)
    there = dict(_given(new))
    rooms = _Rooms(old, new, names)
    for name, type_ in _given(old):
        target = names.names.get(name)
        values = next(rooms.apart(type_, there[target]), None) if target and target in there else None
        if target and values is not None:
            yield ValueWitness(_called(name), _called(target), ({}, {}), ({}, {}), values)


def _left_out(old: Program, new: Program, names: Correspondence) -> Iterator[ValueWitness]:
    there = {name: field for name, field in fields(new) if name.sort in _WITH_START}
    for name, field in fields(old):
        target = names.names.get(name)
        other = None if target is None else there.get(target)
        if target is not None and other is not None and (field.start is None) != (other.start is None):
            values = (STARTED, GIVEN) if other.start is None else (GIVEN, STARTED)
            yield ValueWitness(_called(name), _called(target), ({}, {}), ({}, {}), values)


class _Rooms:
    """What types of two revisions have room for."""

    def __init__(self, old: Program, new: Program, names: Correspondence) -> None:
        self._programs = old, new
        self._names = names.names
        self._known = frozenset(names.names.values())
        self._under_way: list[tuple[str, str]] = []

    def apart(self, before: Type, after: Type, *, inside: bool = False) -> Iterator[tuple[Json, Json]]:
        """What one type allows and the other does not, as values of the old revision and of the new one."""
        match before, after:
            case NumberType(), NumberType():
                number = _apart(before, after)
                if number is not None:
                    yield _value_beside(number, inside=inside, first=_allows(before, number))
            case WordType(values=one), WordType(values=other) if self._is(Name("values", one), Name("values", other)):
                yield from self._words(one, other, inside=inside)
            case OptionalType(), OptionalType():
                yield from self.apart(before.inner, after.inner, inside=inside)
            case OptionalType(inner=inner), _:
                yield _value_beside("none", inside=inside, first=True)
                yield from self.apart(inner, after, inside=inside)
            case _, OptionalType(inner=inner):
                yield _value_beside("none", inside=inside, first=False)
                yield from self.apart(before, inner, inside=inside)
            case RecordType(), RecordType():
                yield from self._parts(before.record, after.record)
            case _ if type(before) is type(after):
                for pair in zip(held_by(before), held_by(after), strict=False):
                    yield from self.apart(*pair, inside=True)

    def _words(self, old: str, new: str, *, inside: bool) -> Iterator[tuple[Json, Json]]:
        gone = (each for each in _every(self._programs[0], old) if each not in self._names)
        come = (each for each in _every(self._programs[1], new) if each not in self._known)
        yield from (_value_beside(each.last, inside=inside, first=True) for each in gone)
        yield from (_value_beside(each.last, inside=inside, first=False) for each in come)

    def _parts(self, old: str, new: str) -> Iterator[tuple[Json, Json]]:
        if (old, new) in self._under_way:
            return
        self._under_way.append((old, new))
        there = {Name("part", f"{new}/{each.name}"): each.type for each in self._programs[1].records[new].parts}
        for part in self._programs[0].records[old].parts:
            target = self._names.get(Name("part", f"{old}/{part.name}"))
            if target and target in there:
                yield from self.apart(part.type, there[target], inside=True)
        self._under_way.pop()

    def _is(self, old: Name, new: Name) -> bool:
        return self._names.get(old) == new


def _value_beside(value: Json, *, inside: bool, first: bool) -> tuple[Json, Json]:
    said = f"{value} in it" if inside else value
    return (said, REFUSED) if first else (REFUSED, said)


def _every(program: Program, values: str) -> Iterator[Name]:
    yield from (Name("word", f"{values}/{each.name}") for each in program.values[values].words)


def _given(program: Program) -> Iterator[tuple[Name, Type]]:
    """What a state, a call or the world outside brings, with its type."""
    yield from ((name, each.type) for name, each in fields(program))
    yield from ((Name("setting", name), each.type) for name, each in program.settings.items())
    for procedure in program.procedures.values():
        for each in procedure.parameters if not procedure.inner else ():
            yield Name("parameter", f"{procedure.name}/{each.name}"), each.type
    used = {each.external for name, node in declarations(program) for each in nodes(node) if isinstance(each, _OUTSIDE)}
    externals = {name: each.result for name, each in program.external_procedures.items()}
    externals |= {name: each.type for name, each in program.external_terms.items()}
    yield from ((Name("external", name), each) for name, each in externals.items() if each and name in used)


_OUTSIDE = ex.ExternalValue | st.PerformExternal


def _apart(one: NumberType, other: NumberType) -> int | None:
    """The number next to the common ones that only one of them allows."""
    if one.low != other.low:
        lows = [each for each in (one.low, other.low) if each is not None]
        return min(lows) if len(lows) > 1 else lows[0] - 1
    highs = [each for each in (one.high, other.high) if each is not None]
    if one.high == other.high:
        return None
    return max(highs) if len(highs) > 1 else highs[0] + 1


def _allows(type_: NumberType, number: int) -> bool:
    return (type_.low is None or type_.low <= number) and (type_.high is None or number <= type_.high)


def _called(name: Name) -> str:
    return f"game.{name.name}" if name.sort == "field" else name.name.replace("/", ".")
