"""One codec for each type of the language: its values read from a document, as JSON, in a schema, in words, at random.

A type stands in `program.types` and here; nothing else has to know all types to read, write, show or make values.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from rulewright.codecs.codec import Codec, Maker, Named, Reader
from rulewright.codecs.schemas import (
    DEGREES,
    FLAG_SCHEMA,
    FRACTION_SCHEMA,
    NO_VALUE,
    NONE_ASIDE,
    NULL_ASIDE,
    Schema,
    base_measure,
    exactly,
    length_measure,
    measure_schema,
    members_schema,
    number,
    numbers_schema,
    point_schema,
    polygon_schema,
    shape_schema,
    worded,
)
from rulewright.diagnostics.terminal import visible
from rulewright.machine.geometry import is_simple
from rulewright.machine.layout import start_value
from rulewright.machine.values import Hidden, Map, Value, in_order, make_set
from rulewright.program import types as ty
from rulewright.program.offsets import AXIAL, meant, written
from rulewright.program.plane import decimal, point_json, posed, shape_json
from rulewright.program.types import Type

_LONGEST = 10**1000
_THOUSANDTHS, _HUNDREDTHS, _TURN = 1000, 100, 360
_LEAST = {ty.INCHES: "a thousandth of an inch", "cm": "a thousandth of a cm", "mm": "a thousandth of a mm"}


def codec(type_: Type) -> Codec[Any]:
    """The codec of a type."""
    return _ON_PLANE[type_.name] if isinstance(type_, ty.PlaneType) else TABLE[type(type_)]


def to_json(value: Any, type_: Type, names: Named) -> Any:
    """A typed value as JSON data, as the table of run-time values lays down.

    A die is its roll and position; what it shows stands in traces.
    """
    if isinstance(value, Hidden):
        return {"hidden": True if value.count is None else value.count}
    return codec(type_).write(type_, value, names)


def show(value: Any, type_: Type, names: Named) -> str:
    """A value as people say it, safe to print: a thing by its id, a word by its title, a hex as `(1, 0)`."""
    if value is None:
        return "none"
    if isinstance(value, Hidden):
        return "hidden" if value.count is None else f"{value.count} hidden"
    return codec(type_).show(type_, value, names)


def nothing(type_: Type) -> str:
    """What is said where there is no value: nowhere, nobody, nothing."""
    return nothing(type_.inner) if isinstance(type_, ty.OptionalType) else codec(type_).nothing


def zero(type_: Type) -> Value:
    """What a map to a type has where nothing is said."""
    return codec(type_).zero(type_)


# Functions that several codecs share, or that are more than one expression.


def _given(_type: Type, node: Any, *_: object) -> Any:
    return node.value


def _same(_type: Type, value: Any, _names: Named) -> Any:
    return value


def _pair_read(_type: Type, node: Any, *_: object) -> Any:
    return node.items[0].value, node.items[1].value


def _coordinates(type_: ty.CellType, names: Named) -> str:
    return names.coordinates if type_.space == "hex" else AXIAL


def _shown(_type: Type, value: Any, _names: Named) -> str:
    return visible(str(value))


def _unmade(_type: Type, maker: Maker) -> Any:
    return maker.nothing()


def _number_shown(type_: ty.NumberType, value: Any, names: Named) -> str:
    if abs(value) >= _LONGEST:
        return f"a number of {int(math.log10(abs(value))) + 1} digits"
    return _shown(type_, value, names)


def _number_schema(type_: ty.NumberType, _schemas: object) -> Schema:
    if not type_.paired:
        return number(type_.low, type_.high)
    return worded({"enum": [*(type_.numbers() or ())]}, wanted="a number that a `d66` shows, such as `42`")


_CLOCKWISE = {
    "hex": "directions are numbers, clockwise: 0 is to the right, 1 lower right, and so on to 5, upper right",
    "square": "directions are numbers, clockwise: 0 is up, 1 right, 2 down, 3 left",
    "square8": "directions are numbers, clockwise: 0 is up, 1 upper right, and so on to 7, upper left",
}


def _lowest(type_: ty.NumberType) -> Value:
    low, high = type_.low, type_.high
    if (low is None or low <= 0) and (high is None or high >= 0):
        return 0
    return high if low is None else max(low, 0)


def exactly_written(value: int | Fraction) -> int | str:
    """A fraction as JSON data: whole where it comes out even."""
    return value.numerator if value.denominator == 1 else fraction_text(value)


def fraction_text(value: int | Fraction) -> str:
    """A fraction however long it is, `1/3`; Python alone refuses to write more than 4,300 digits."""
    parts = (value.numerator, value.denominator)[: 1 if value.denominator == 1 else 2]
    return "/".join(f"{Decimal(each):f}" for each in parts)


def _plain(number: Fraction) -> int | Fraction:
    return number.numerator if number.denominator == 1 else number


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(parts)


_Many = ty.SetType | ty.ListType | ty.BagType | ty.DeckType


def _members(type_: _Many, node: Any, what: str, reader: Reader) -> Any:
    return reader.whole([reader.meaning(each, type_.item, f"a member of {what}") for each in node.items])


def _bag(type_: ty.BagType, node: Any, what: str, reader: Reader) -> Any:
    return reader.then(_members(type_, node, what, reader), in_order)


def _set(type_: ty.SetType, node: Any, what: str, reader: Reader) -> Any:
    def once(members: tuple[Any, ...]) -> Any:
        seen = set()
        for each, value in zip(node.items, members, strict=True):
            if value in seen:
                return reader.error(each, f"{what} has this member twice; a set has each once")
            seen.add(value)
        return make_set(members)

    return reader.then(_members(type_, node, what, reader), once)


def _members_written(type_: _Many, value: Any, names: Named) -> Any:
    return [to_json(each, type_.item, names) for each in value]


def _unordered(type_: ty.SetType | ty.BagType, value: Any, names: Named) -> str:
    return f"{{{_joined(show(each, type_.item, names) for each in value)}}}"


def _ordered(type_: ty.ListType | ty.DeckType, value: Any, names: Named) -> str:
    return f"[{_joined(show(each, type_.item, names) for each in value)}]"


def _parts_read(type_: ty.TupleType, node: Any, what: str, reader: Reader) -> Any:
    pairs = zip(node.items, type_.parts, strict=True)
    return reader.whole([reader.meaning(each, part, f"a part of {what}") for each, part in pairs])


def _record_read(type_: ty.RecordType, node: Any, what: str, reader: Reader) -> Any:
    values: list[Any] = []
    for each in reader.names.program.records[type_.record].parts:
        given = node.get(each.name)
        if given is not None:
            values.append(reader.meaning(given, each.type, f"`{each.name}` of {what}"))
        else:
            assert each.start is not None
            values.append(start_value(each.start, each.type))
    return reader.whole(values)


def _record_written(type_: ty.RecordType, value: Any, names: Named) -> Any:
    parts = zip(names.program.records[type_.record].parts, value, strict=True)
    return {part.name: to_json(each, part.type, names) for part, each in parts}


def _record_shown(type_: ty.RecordType, value: Any, names: Named) -> str:
    parts = zip(names.program.records[type_.record].parts, value, strict=True)
    return f"({_joined(f'{part.name}: {show(each, part.type, names)}' for part, each in parts)})"


def _map_written(type_: ty.MapType, value: Any, names: Named) -> Any:
    pairs = [[to_json(key, type_.key, names), to_json(each, type_.value, names)] for key, each in value.items()]
    return {str(key): each for key, each in pairs} if isinstance(type_.key, ty.ThingType | ty.WordType) else pairs


def _map_shown(type_: ty.MapType, value: Any, names: Named) -> str:
    entries = [f"{show(key, type_.key, names)}: {show(each, type_.value, names)}" for key, each in value.items()]
    default = [] if value.default is None else [f"else {show(value.default, type_.value, names)}"]
    return f"{{{_joined([*entries, *default])}}}"


def is_none(node: Any, inner: Type) -> bool:
    """Whether a node stands for `none`: empty, or the word itself where no text is wanted."""
    value = getattr(node, "value", node)
    return value is None or (value == "none" and not isinstance(inner, ty.TextType))


# The plane.


def read_point(node: Any, what: str, reader: Reader) -> Any:
    """A point in thousandths of the unit of lengths."""
    measure = length_measure(reader.names.program)
    return reader.whole([reader.measure(each, f"a coordinate of {what}", measure) for each in node.items])


def _angle(node: Any, what: str, reader: Reader) -> Any:
    found = reader.measure(node, what, DEGREES)
    return reader.then(found, lambda parts: _plain(Fraction(parts % (_TURN * _HUNDREDTHS), _HUNDREDTHS)))


def _shape(node: Any, what: str, reader: Reader) -> Any:
    """A shape; the radius of a round one is half its diameter, rounded up to a thousandth."""
    names = ("round",) if "round" in node else ("width", "length")
    measure = base_measure(reader.names.program)
    sides = [reader.measure(node.get(each), f"`{each}` of {what}", measure) for each in names]

    def made(found: tuple[int, ...]) -> Any:
        if min(found) <= 0:
            return reader.error(node, f"a side of {what} is less than {_LEAST[measure.counted]}")
        return ("round", (found[0] + 1) // 2) if len(found) == 1 else ("rectangle", *found)

    return reader.then(reader.whole(sides), made)


def _polygon(node: Any, what: str, reader: Reader) -> Any:
    def simple(corners: tuple[Any, ...]) -> Any:
        if len(set(corners)) < len(corners):
            return reader.error(node, f"{what} has a corner twice", "the last corner leads to the first")
        if not is_simple(corners):
            return reader.error(node, f"{what} crosses itself", "list the corners in the order of its edge")
        return corners

    return reader.then(reader.whole([read_point(each, f"a corner of {what}", reader) for each in node.items]), simple)


def read_pose(node: Any, thing: Any, what: str, reader: Reader) -> Any:
    """The pose of a thing that is known already, `{at: [3.5, 2], facing: 90}`; the facing is 0 where it is left out."""
    facing = node.get("facing")
    at = read_point(node.get("at"), f"`at` of {what}", reader)
    return reader.whole([thing, at, 0 if facing is None else _angle(facing, f"`facing` of {what}", reader)])


def _posed(node: Any, what: str, reader: Reader) -> Any:
    thing = reader.thing(node.get("thing"), posed(reader.names.program.kinds) or "", f"`thing` of {what}")
    return reader.then(thing, lambda found: read_pose(node, found, what, reader))


def place_json(pose: Any) -> dict[str, Any]:
    """A pose of a thing that is known, as `read_pose` reads it."""
    _, at, facing = pose
    return {"at": point_json(at), "facing": decimal(facing)}


def _pose_written(_type: ty.PlaneType, value: Any, names: Named) -> Any:
    return {"thing": names.thing(posed(names.program.kinds) or "", value[0]), **place_json(value)}


def _point_shown(value: tuple[int, int]) -> str:
    x, y = point_json(value)
    return f"({x}, {y})"


def _shape_shown(_type: ty.PlaneType, value: Any, names: Named) -> str:
    """The sides, with their unit where lengths have another."""
    measure = base_measure(names.program)
    unit = "" if measure.unit == measure.counted else f" {measure.unit}"
    return _joined(f"{key} {each}{unit}" for key, each in shape_json(value, measure.alone).items())


def _pose_sampled(_type: ty.PlaneType, maker: Maker) -> Any:
    thing = maker.one_of(maker.ids(posed(maker.program.kinds) or ""))
    return {"thing": thing, "at": maker.on_plane("point"), "facing": maker.on_plane("angle")}


_ON_PLANE: dict[str, Codec[ty.PlaneType]] = {
    "point": Codec(
        read=lambda _, node, what, reader: read_point(node, what, reader),
        write=lambda _, value, __: point_json(value),
        schema=lambda _, schemas: point_schema(length_measure(schemas.program)),
        show=lambda _, value, __: _point_shown(value),
        sample=lambda _, maker: maker.on_plane("point"),
        nothing="nowhere",
    ),
    "angle": Codec(
        read=lambda _, node, what, reader: _angle(node, what, reader),
        write=lambda _, value, __: decimal(value),
        schema=lambda _, __: measure_schema(DEGREES),
        show=lambda _, value, __: f"{decimal(value)}°",
        sample=lambda _, maker: maker.on_plane("angle"),
        nothing="nowhere",
    ),
    "shape": Codec(
        read=lambda _, node, what, reader: _shape(node, what, reader),
        write=lambda _, value, names: shape_json(value, base_measure(names.program).alone),
        schema=lambda _, schemas: shape_schema(base_measure(schemas.program)),
        show=_shape_shown,
        sample=lambda _, maker: maker.on_plane("shape"),
        nothing="nowhere",
    ),
    "polygon": Codec(
        read=lambda _, node, what, reader: _polygon(node, what, reader),
        write=lambda _, value, __: [point_json(each) for each in value],
        schema=lambda _, schemas: polygon_schema(length_measure(schemas.program)),
        show=lambda _, value, __: f"[{_joined(map(_point_shown, value))}]",
        sample=lambda _, maker: maker.on_plane("polygon"),
        nothing="nowhere",
    ),
    "pose": Codec(
        read=lambda _, node, what, reader: _posed(node, what, reader),
        write=_pose_written,
        schema=lambda _, schemas: schemas.pose(),
        show=lambda _, value, __: f"{_point_shown(value[1])} facing {decimal(value[2])}°",
        sample=_pose_sampled,
        nothing="nowhere",
    ),
}

_IN_ORDER: Codec[Any] = Codec(
    read=_members,
    write=_members_written,
    schema=lambda type_, schemas: members_schema(schemas.of(type_.item)),
    show=_ordered,
    sample=lambda type_, maker: maker.several(type_.item),
    zero=lambda _: (),
)

TABLE: dict[type, Codec[Any]] = {
    ty.NumberType: Codec[ty.NumberType](
        read=_given,
        write=_same,
        schema=_number_schema,
        show=_number_shown,
        sample=lambda type_, maker: (
            maker.one_of(type_.numbers() or ()) if type_.paired else maker.number(type_.low, type_.high)
        ),
        zero=_lowest,
    ),
    ty.FractionType: Codec[ty.FractionType](
        read=lambda _, node, *__: Fraction(node.value),
        write=lambda _, value, __: exactly_written(Fraction(value)),
        schema=lambda _, __: FRACTION_SCHEMA,
        show=_shown,
        sample=lambda _, maker: exactly_written(maker.quarters()),
        zero=lambda _: Fraction(0),
    ),
    ty.LengthType: Codec[ty.LengthType](
        read=lambda _, node, what, reader: reader.then(
            reader.measure(node, what, length_measure(reader.names.program)),
            lambda parts: _plain(Fraction(parts, _THOUSANDTHS)),
        ),
        write=lambda _, value, __: decimal(value),
        schema=lambda _, schemas: measure_schema(length_measure(schemas.program)),
        show=lambda _, value, __: str(decimal(value)),
        sample=lambda _, maker: maker.on_plane("length"),
        zero=lambda _: Fraction(0),
    ),
    ty.FlagType: Codec[ty.FlagType](
        read=lambda _, node, *__: node.value in {"yes", "true"} if isinstance(node.value, str) else bool(node.value),
        write=_same,
        schema=lambda _, __: FLAG_SCHEMA,
        show=lambda _, value, __: "yes" if value else "no",
        sample=lambda _, maker: maker.below(2) == 1,
        zero=lambda _: False,
    ),
    ty.TextType: Codec[ty.TextType](
        read=_given,
        write=_same,
        schema=lambda _, __: {"type": "string"},
        show=_shown,
        sample=lambda _, maker: maker.one_of(("one", "two", "three")),
        zero=lambda _: "",
    ),
    ty.ThingType: Codec[ty.ThingType](
        read=lambda type_, node, what, reader: reader.thing(node, type_.kind, what),
        write=lambda type_, value, names: names.thing(type_.kind, value),
        schema=lambda type_, schemas: schemas.thing(type_.kind),
        show=lambda type_, value, names: visible(names.thing(type_.kind, value)),
        sample=lambda type_, maker: str(maker.one_of(maker.ids(type_.kind))),
        nothing="nobody",
    ),
    ty.WordType: Codec[ty.WordType](
        read=lambda type_, node, _, reader: reader.names.positions(type_.values)[node.value],
        write=lambda type_, value, names: names.words(type_.values)[value],
        schema=lambda type_, schemas: schemas.word(type_.values),
        show=lambda type_, value, names: visible(names.called(type_.values)[value]),
        sample=lambda type_, maker: maker.one_of([each.name for each in maker.program.values[type_.values].words]),
    ),
    ty.RecordType: Codec[ty.RecordType](
        read=_record_read,
        write=_record_written,
        schema=lambda type_, schemas: schemas.record(type_.record),
        show=_record_shown,
        sample=lambda type_, maker: {
            each.name: maker.of(each.type) for each in maker.program.records[type_.record].parts
        },
    ),
    ty.CellType: Codec[ty.CellType](
        read=lambda type_, node, what, reader: meant(
            _pair_read(type_, node, what, reader), _coordinates(type_, reader.names)
        ),
        write=lambda type_, value, names: list(written(value, _coordinates(type_, names))),
        schema=lambda _, __: numbers_schema("the two numbers of a cell, such as `[2, -1]`"),
        show=lambda type_, value, names: "({}, {})".format(*written(value, _coordinates(type_, names))),
        sample=lambda _, maker: list(maker.one_of(maker.cells)),
        nothing="nowhere",
    ),
    ty.DirectionType: Codec[ty.DirectionType](
        read=_given,
        write=_same,
        schema=lambda type_, _: worded(number(0, type_.count - 1), help=_CLOCKWISE[type_.space]),
        show=_shown,
        sample=lambda type_, maker: maker.below(type_.count),
        nothing="no direction",
    ),
    ty.DieType: Codec[ty.DieType](
        read=lambda type_, node, what, reader: reader.die(node, type_.part, what),
        write=lambda type_, value, names: names.die(value, type_.part) or list(value),
        schema=lambda _, __: worded(
            {"anyOf": [{"type": "string"}, numbers_schema("the roll and the place of a die")]},
            wanted="a die, such as `block 5`, or its roll and place, such as `[0, 2]`",
        ),
        show=lambda type_, value, names: visible(names.die(value, type_.part, titled=True) or f"die {value[1] + 1}"),
        sample=_unmade,
    ),
    ty.PoolType: Codec[ty.PoolType](
        read=lambda *_: None,
        write=lambda _, value, __: str(value),
        schema=lambda _, __: NO_VALUE,
        show=lambda *_: "dice",
        sample=_unmade,
    ),
    ty.OptionalType: Codec[ty.OptionalType](
        read=lambda type_, node, what, reader: (
            None if is_none(node, type_.inner) else reader.meaning(node, type_.inner, what)
        ),
        write=lambda type_, value, names: None if value is None else to_json(value, type_.inner, names),
        schema=lambda type_, schemas: {
            "anyOf": [NULL_ASIDE if isinstance(type_.inner, ty.TextType) else NONE_ASIDE, schemas.of(type_.inner)]
        },
        show=lambda type_, value, names: show(value, type_.inner, names),
        sample=lambda type_, maker: None if maker.is_left_out() else maker.of(type_.inner),
    ),
    ty.SetType: Codec[ty.SetType](
        read=_set,
        write=_members_written,
        schema=lambda type_, schemas: worded(
            {**members_schema(schemas.of(type_.item)), "uniqueItems": True}, reader="uniqueItems"
        ),
        show=_unordered,
        sample=lambda type_, maker: maker.different(type_.item),
        zero=lambda _: (),
    ),
    ty.ListType: _IN_ORDER,
    ty.BagType: replace(_IN_ORDER, read=_bag, show=_unordered),
    ty.DeckType: _IN_ORDER,
    ty.MapType: Codec[ty.MapType](
        read=lambda type_, node, what, reader: reader.entries(node, type_, zero(type_.value), what),
        write=_map_written,
        schema=lambda type_, schemas: schemas.map(type_),
        show=_map_shown,
        sample=lambda type_, maker: [[each, maker.of(type_.value)] for each in maker.different(type_.key)],
        zero=lambda type_: Map.of(zero(type_.value)),
    ),
    ty.TupleType: Codec[ty.TupleType](
        read=_parts_read,
        write=lambda type_, value, names: [
            to_json(each, part, names) for each, part in zip(value, type_.parts, strict=True)
        ],
        schema=lambda type_, schemas: worded(
            exactly([schemas.of(each) for each in type_.parts]),
            wanted=f"a list of {len(type_.parts)} values",
            part="a part of {this}",
        ),
        show=lambda type_, value, names: (
            f"({_joined(show(each, part, names) for each, part in zip(value, type_.parts, strict=True))})"
        ),
        sample=lambda type_, maker: [maker.of(each) for each in type_.parts],
        zero=lambda type_: tuple(zero(each) for each in type_.parts),
    ),
    ty.NoneType: Codec[ty.NoneType](
        read=lambda *_: None,
        write=_same,
        schema=lambda _, __: worded({"enum": [None, "none"]}, wanted="empty", help=""),
        show=_shown,
        sample=_unmade,
    ),
    ty.EmptyType: Codec[ty.EmptyType](
        read=lambda *_: None,
        write=lambda *_: [],
        schema=lambda _, __: NO_VALUE,
        show=_shown,
        sample=_unmade,
        zero=lambda _: (),
    ),
}
"""Every type but those of the plane, which are told apart by their names."""
