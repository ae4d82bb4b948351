"""What a situation should hold so that two versions of a rule may come out otherwise there."""

from collections.abc import Mapping, Sequence

from rulewright.frozen import dataclass
from rulewright.program import types as ty
from rulewright.program.declarations import Program
from rulewright.proving.logic import Answer
from rulewright.proving.reading import Read
from rulewright.proving.symbols import Bits, Maybe, Scalar, Symbol, Truth


@dataclass(frozen=True, slots=True, order=True)
class Some:
    """A thing of a kind that a wish is about; things of other numbers are others."""

    kind: str
    number: int


Wished = int | bool | str | None | Some | tuple["Wished", ...]
"""A value as in state files, but for things; a set is a tuple of its members."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Values to look for, in the names of the new revision; what is not told may be anything.

    It is no evidence of a difference: nobody has tried whether rules allow it, or whether it shows anything.

    Attributes:
        things: stored attributes of some things in play.
        gone: things that are out of play.
        pairs: whether a relation is stored between two things.
        game: fields of the game.
        settings: readings.
        names: parameters of a function, or names of a routine at the place the wish is about.
    """

    things: Mapping[Some, Mapping[str, Wished]]
    gone: tuple[Some, ...]
    pairs: Mapping[tuple[str, Some, Some], bool]
    game: Mapping[str, Wished]
    settings: Mapping[str, Wished]
    names: Mapping[str, Wished]


def wish(answer: Answer, reads: Sequence[Read]) -> Wish:
    """What the solver's situation holds of what was read."""
    things: dict[Some, dict[str, Wished]] = {}
    gone: dict[Some, None] = {}
    pairs: dict[tuple[str, Some, Some], bool] = {}
    others: dict[str, dict[str, Wished]] = {"field": {}, "setting": {}, "name": {}}
    for each in reads:
        try:
            value = _value(answer, each.symbol, each.type, each.revision.program)
        except LookupError:
            continue
        if each.sort in others:
            others[each.sort][each.name.rpartition(" ")[2]] = value
        elif each.sort == "relation":
            pairs[_pair(answer, each)] = bool(value)
        else:
            kind, _, name = each.name.partition("/")
            some = Some(kind, _number(answer, each, 0))
            if each.sort == "attribute":
                things.setdefault(some, {})[name] = value
            elif value:
                gone[some] = None
    return Wish(things, tuple(gone), pairs, others["field"], others["setting"], others["name"])


def _pair(answer: Answer, read: Read) -> tuple[str, Some, Some]:
    """A relation with the two things of the situation found."""
    relation, first, second = read.name.removesuffix(" symmetric").replace(" thing ", "\n").split("\n")
    return relation, Some(first, _number(answer, read, 0)), Some(second, _number(answer, read, 1))


def _number(answer: Answer, read: Read, at: int) -> int:
    found = answer.value(read.given[at])
    assert isinstance(found, int)
    return found


def _value(answer: Answer, symbol: Symbol, type_: ty.Type, program: Program) -> Wished:
    """A value of the situation found.

    Raises:
        LookupError: no state file says it so.
    """
    match symbol, type_:
        case Maybe(missing, value), ty.OptionalType(inner):
            return None if value is None or answer.value(missing) else _value(answer, value, inner, program)
        case Truth(term), _:
            return bool(answer.value(term))
        case Scalar(term), ty.NumberType() | ty.WordType() | ty.ThingType():
            found = answer.value(term)
            assert isinstance(found, int)
            return _told(found, type_, program)
        case Bits(low, bits), ty.SetType(item):
            return tuple(_told(low + at, item, program) for at, bit in enumerate(bits) if answer.value(bit))
        case _:
            raise LookupError


def _told(number: int, type_: ty.Type, program: Program) -> Wished:
    match type_:
        case ty.WordType(values):
            return program.values[values].words[number].name
        case ty.ThingType(kind):
            return Some(kind, number)
        case ty.FlagType():
            return bool(number)
        case _:
            return number
