"""Whether a type of one revision holds the same values as a type of the other."""

from rulewright.comparing.playing.crossing import Crossing
from rulewright.program.types import (
    BagType,
    DeckType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    ThingType,
    TupleType,
    Type,
    WordType,
)


def same_type(  # noqa: PLR0911 - one case for each sort
    type_: Type | None, target: Type | None, crossing: Crossing
) -> bool:
    """Whether every value of either type is one of the other."""
    match type_, target:
        case ThingType(kind), ThingType(other):
            return crossing.names.new("kind", kind) == other
        case WordType(values), WordType(other):
            return _words(values, crossing) == {f"{other}/{each.name}" for each in crossing.there.values[other].words}
        case (OptionalType(inner), OptionalType(other)):
            return same_type(inner, other, crossing)
        case (SetType(item), SetType(other)) | (BagType(item), BagType(other)):
            return same_type(item, other, crossing)
        case (ListType(item), ListType(other)) | (DeckType(item), DeckType(other)):
            return same_type(item, other, crossing)
        case TupleType(parts), TupleType(others):
            return len(parts) == len(others) and all(map(lambda a, b: same_type(a, b, crossing), parts, others))
        case MapType(key, value), MapType(other, entry):
            return same_type(key, other, crossing) and same_type(value, entry, crossing)
        case RecordType(record), RecordType(other):
            return _records(record, other, crossing)
        case _:
            return type_ == target


def _words(values: str, crossing: Crossing) -> set[str | None]:
    return {crossing.names.new("word", f"{values}/{each.name}") for each in crossing.here.values[values].words}


def _records(record: str, other: str, crossing: Crossing) -> bool:
    here = {crossing.part(record, each.name): each.type for each in crossing.here.records[record].parts}
    there = {each.name: each.type for each in crossing.there.records[other].parts}
    return here.keys() == there.keys() and all(same_type(here[name], there[name], crossing) for name in here)
