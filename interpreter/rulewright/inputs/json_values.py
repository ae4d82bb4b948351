"""Typed values to JSON data and back, as the table of run-time values lays down."""

from fractions import Fraction
from typing import Any, assert_never

from rulewright.inputs.findings import Findings, Read, Wrong
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, Node, json_text
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.yaml_places import MOST_NODES, read
from rulewright.machine.values import Hidden, Value
from rulewright.program import plane
from rulewright.program.plane import posed
from rulewright.program.types import (
    BagType,
    CellType,
    DeckType,
    DieType,
    DirectionType,
    EmptyType,
    FlagType,
    FractionType,
    InchesType,
    ListType,
    MapType,
    NoneType,
    NumberType,
    OptionalType,
    PlaneType,
    PoolType,
    RecordType,
    SetType,
    TextType,
    ThingType,
    TupleType,
    Type,
    WordType,
)
from rulewright.source import Text


def from_node(node: Node, target: Type, names: Names, what: str = "this value") -> Read[Value]:
    """The typed value of a node, or what is wrong with it in words that call it `what`."""
    findings = Findings()
    value = ValueReader(names, findings).read(node, target, what)
    return findings.read(None if isinstance(value, Wrong) else value)


def node_of(data: Json, name: str = "answer", most: int = MOST_NODES) -> Node:
    """JSON data as a node, of so many values at most, for those who have it without a text.

    Places are those in its JSON text.

    Raises:
        ValueError: the data is no JSON, or larger than a text may be.
    """
    outcome = read(Text(name, json_text(data)), most)
    if outcome.value is None:
        raise ValueError(outcome.diagnostics[0].message)
    return outcome.value


def to_json(value: Value, target: Type, names: Names) -> Json:
    """A typed value as JSON data.

    A die is its roll and position; what it shows stands in traces.
    """
    written: Json = _write(value, target, names)
    return written


def _write(value: Any, target: Type, names: Names) -> Any:  # noqa: ANN401, C901, PLR0911, PLR0912
    if isinstance(value, Hidden):
        return {"hidden": True if value.count is None else value.count}
    match target:
        case NumberType() | FlagType() | TextType() | DirectionType() | NoneType():
            return value
        case InchesType():
            return plane.decimal(value)
        case PlaneType(name):
            return _on_plane(value, name, names)
        case FractionType():
            exact = Fraction(value)
            return exact.numerator if exact.denominator == 1 else str(exact)
        case ThingType(kind):
            return names.thing(kind, value)
        case WordType(values):
            return names.words(values)[value]
        case OptionalType(inner):
            return None if value is None else _write(value, inner, names)
        case CellType() | DieType():
            return list(value)
        case PoolType():
            return str(value)
        case SetType(item) | ListType(item) | BagType(item) | DeckType(item):
            return [_write(each, item, names) for each in value]
        case EmptyType():
            return []
        case TupleType(parts):
            return [_write(each, part, names) for each, part in zip(value, parts, strict=True)]
        case RecordType(record):
            fields = names.program.records[record].parts
            return {each.name: _write(part, each.type, names) for each, part in zip(fields, value, strict=True)}
        case MapType():
            return _write_map(value, target, names)
        case _:
            assert_never(target)


def _on_plane(value: Any, name: str, names: Names) -> Json:  # noqa: ANN401
    match name:
        case "point":
            return plane.point_json(value)
        case "angle":
            return plane.decimal(value)
        case "shape":
            return plane.shape_json(value)
        case "polygon":
            return [plane.point_json(each) for each in value]
        case _:
            thing, at, facing = value
            id_ = names.thing(posed(names.program.kinds) or "", thing)
            return {"thing": id_, "at": plane.point_json(at), "facing": plane.decimal(facing)}


def _write_map(value: Any, target: MapType, names: Names) -> Json:  # noqa: ANN401
    pairs = [(_write(key, target.key, names), _write(entry, target.value, names)) for key, entry in value.items()]
    if isinstance(target.key, ThingType | WordType):
        return {str(key): entry for key, entry in pairs}
    return [[key, entry] for key, entry in pairs]
