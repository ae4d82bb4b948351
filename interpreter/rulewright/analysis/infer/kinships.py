"""How types are related: what widens to what, and the narrowest type for several (manual, Types)."""

from rulewright.analysis.facts.intervals import hull, within
from rulewright.program.types import (
    BagType,
    DeckType,
    DieType,
    DirectionType,
    EmptyType,
    FractionType,
    InchesType,
    ListType,
    MapType,
    NoneType,
    NumberType,
    OptionalType,
    PlaneType,
    PoolType,
    SetType,
    TupleType,
    Type,
    present,
)


def widens(source: Type, target: Type) -> bool:  # noqa: C901, PLR0911, PLR0912 - one case for each sort
    """Whether every value of the source is one of the target."""
    match source, target:
        case EmptyType(), _:
            return True
        case NoneType(), OptionalType() | NoneType():
            return True
        case OptionalType(inner), OptionalType(wider):
            return widens(inner, wider)
        case _, OptionalType(wider):
            return widens(source, wider)
        case NumberType(), NumberType():
            return within((source.low, source.high), (target.low, target.high))
        case NumberType(), FractionType() | InchesType():
            return True
        case FractionType(), InchesType():
            return True
        case NumberType() | FractionType(), PlaneType("angle"):
            return True
        case NumberType(), DirectionType():
            return within((source.low, source.high), (0, target.count - 1))
        case (DieType(face, tag), DieType(wide, wanted)) | (PoolType(face, tag), PoolType(wide, wanted)):
            return widens(face, wide) and _tagged_alike(tag, wanted)
        case _ if isinstance(source, _ONE) and type(source) is type(target):
            return widens(_item(source), _item(target)) and not rounds(_item(source), _item(target))
        case (ListType(item) | SetType(item), DeckType(wider)) | (SetType(item), BagType(wider)):
            return widens(item, wider)
        case MapType(), MapType():
            return source.key == target.key and widens(source.value, target.value)
        case TupleType(parts), TupleType(wider_parts):
            return len(parts) == len(wider_parts) and all(map(widens, parts, wider_parts))
        case _:
            return source == target


def rounds(source: Type, target: Type) -> bool:
    """Whether values of the source become other values where the target is wanted."""
    match source, target:
        case (OptionalType(inner), OptionalType(wider)) | (inner, OptionalType(wider)):
            return rounds(inner, wider)
        case FractionType(), InchesType():
            return True
        case NumberType() | FractionType(), PlaneType("angle"):
            return True
        case _:
            return False


def _tagged_alike(source: Type | None, target: Type | None) -> bool:
    """Whether dice with such tags can stand where the target is: there tags are often of no interest."""
    return target is None or (source is not None and widens(source, target))


_ONE = (SetType, ListType, BagType, DeckType, DieType, PoolType)


def _item(type_: Type) -> Type:
    match type_:
        case SetType(item) | ListType(item) | BagType(item) | DeckType(item):
            return item
        case DieType(face) | PoolType(face):
            return face
        case _:
            raise AssertionError(type_)


def common(first: Type, second: Type) -> Type | None:  # noqa: PLR0911 - one case for each sort
    """The narrowest type both widen to, or none where they are unlike.

    >>> common(NumberType(1, 3), NumberType(5, 6))
    NumberType(low=1, high=6)
    """
    if widens(first, second):
        return second
    if widens(second, first):
        return first
    match first, second:
        case NoneType(), _:
            return OptionalType(second)
        case _, NoneType():
            return OptionalType(first)
        case NumberType(), NumberType():
            return NumberType(*hull((first.low, first.high), (second.low, second.high)))
        case (OptionalType(), _) | (_, OptionalType()):
            inner = common(present(first), present(second))
            return inner and OptionalType(inner)
        case _ if isinstance(first, _ONE) and type(first) is type(second):
            shared = common(_item(first), _item(second))
            return shared and type(first)(shared)
        case MapType(), MapType() if first.key == second.key:
            value = common(first.value, second.value)
            return value and MapType(first.key, value)
        case TupleType(parts), TupleType(others) if len(parts) == len(others):
            shared_parts = tuple(common(a, b) for a, b in zip(parts, others, strict=True))
            return None if None in shared_parts else TupleType(shared_parts)  # type: ignore[arg-type]
        case _:
            return None


def common_of(types: list[Type]) -> Type | None:
    """The narrowest type for all of several; for none of them the type of nothing."""
    found: Type = EmptyType()
    for each in types:
        wider = common(found, each)
        if wider is None:
            return None
        found = wider
    return found


def undecided(type_: Type) -> bool:
    """Whether the type of `none`, `{}` or `[]` was left open."""
    match type_:
        case NoneType() | EmptyType() | OptionalType(EmptyType()):
            return True
        case SetType(item) | ListType(item) | BagType(item) | DeckType(item):
            return undecided(item)
        case _:
            return False


def like(source: Type, target: Type) -> bool:  # noqa: PLR0911 - one case for each sort
    """Whether some value of the source may be one of the target: they differ in bounds or `none` only.

    Fractions are like whole numbers only where they need no rounding, which is never.
    """
    match source, target:
        case NumberType(), NumberType():
            return True
        case OptionalType(inner), _:
            return like(inner, present(target))
        case _, OptionalType(inner):
            return like(source, inner)
        case _ if isinstance(source, _ONE) and type(source) is type(target):
            return like(_item(source), _item(target))
        case MapType(), MapType():
            return source.key == target.key and like(source.value, target.value)
        case TupleType(parts), TupleType(others):
            return len(parts) == len(others) and all(map(like, parts, others))
        case _:
            return widens(source, target)
