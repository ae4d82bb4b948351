"""What states of one revision may hold, or leave out, and those of the other may not."""

from collections.abc import Iterator

from rulewright.comparing.naming import Correspondence, Name
from rulewright.comparing.playing.data import ValueWitness
from rulewright.program.declarations import Field, Program
from rulewright.program.types import NumberType, OptionalType, Type, WordType

REFUSED = "not allowed"
STARTED, GIVEN = "has a start value", "must be given in every state"


def held(old: Program, new: Program, names: Correspondence) -> Iterator[ValueWitness]:
    """For each attribute, field or setting what only one revision allows: a number, a word, or that it is left out."""
    yield from _left_out(old, new, names)
    yield from _words(old, new, names)
    there = dict(_stored(new))
    for name, type_ in _stored(old):
        target = names.names.get(name)
        before, after = _bounds(type_), _bounds(there.get(target)) if target else None
        number = None if before is None or after is None else _apart(before, after)
        if target is not None and before is not None and number is not None:
            values = (number, REFUSED) if _allows(before, number) else (REFUSED, number)
            yield ValueWitness(_called(name), _called(target), ({}, {}), ({}, {}), values)


def _left_out(old: Program, new: Program, names: Correspondence) -> Iterator[ValueWitness]:
    there = dict(_fields(new))
    for name, field in _fields(old):
        target = names.names.get(name)
        other = None if target is None else there.get(target)
        if target is not None and other is not None and (field.start is None) != (other.start is None):
            values = (STARTED, GIVEN) if other.start is None else (GIVEN, STARTED)
            yield ValueWitness(_called(name), _called(target), ({}, {}), ({}, {}), values)


def _words(old: Program, new: Program, names: Correspondence) -> Iterator[ValueWitness]:
    there = dict(_stored(new))
    known = set(names.names.values())
    for name, type_ in _stored(old):
        target = names.names.get(name)
        before, after = _listed(type_), _listed(there.get(target)) if target else None
        if target is not None and before and after and names.names.get(Name("values", before)) == Name("values", after):
            gone = (each for each in _every(old, before) if each not in names.names)
            come = (each for each in _every(new, after) if each not in known)
            pairs = [*((each.last, REFUSED) for each in gone), *((REFUSED, each.last) for each in come)]
            yield from (ValueWitness(_called(name), _called(target), ({}, {}), ({}, {}), each) for each in pairs[:1])


def _every(program: Program, values: str) -> Iterator[Name]:
    yield from (Name("word", f"{values}/{each.name}") for each in program.values[values].words)


def _listed(type_: Type | None) -> str:
    """The list of words that a place holds one of; empty where it holds something else."""
    inner = type_.inner if isinstance(type_, OptionalType) else type_
    return inner.values if isinstance(inner, WordType) else ""


def _fields(program: Program) -> Iterator[tuple[Name, Field]]:
    for kind in program.kinds.values():
        yield from ((Name("attribute", f"{kind.name}/{each.name}"), each) for each in kind.fields)
    yield from ((Name("field", name), each) for name, each in program.game.items())


def _stored(program: Program) -> Iterator[tuple[Name, Type]]:
    for kind in program.kinds.values():
        yield from ((Name("attribute", f"{kind.name}/{each.name}"), each.type) for each in kind.fields)
    for board in program.boards.values():
        yield from ((Name("cell", f"{board.name}/{each.name}"), each.type) for each in board.fields)
        yield from ((Name("side", f"{board.name}/{each.name}"), each.type) for each in board.sides)
    yield from ((Name("field", name), each.type) for name, each in program.game.items())
    yield from ((Name("setting", name), each.type) for name, each in program.settings.items())


def _bounds(type_: Type | None) -> NumberType | None:
    inner = type_.inner if isinstance(type_, OptionalType) else type_
    return inner if isinstance(inner, NumberType) else None


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
