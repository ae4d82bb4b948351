"""One codec for each type of the language: values read from a document, as JSON, in a schema, in words, at random.

`program.types` and this file alone list all types for reading, writing, showing and sampling.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from rulewright.base.diagnostics import make_visible
from rulewright.program import types as ty
from rulewright.program.board_geometry import (
    AXIAL,
    convert_from_axial,
    convert_to_axial,
    encode_point,
    encode_shape,
    find_posed_kind,
    make_decimal,
)
from rulewright.program.types import Type
from rulewright.runtime.codec_protocols import (
    DEGREE_MEASURE,
    FLAG_SCHEMA,
    FRACTION_SCHEMA,
    NO_VALUE,
    NONE_ASIDE,
    NULL_ASIDE,
    NameSource,
    PartReader,
    SampleSource,
    Schema,
    ValueCodec,
    base_measure,
    integer_schema,
    length_measure,
    list_schema,
    measure_schema,
    number_pair_schema,
    point_schema,
    polygon_schema,
    shape_schema,
    tuple_schema,
    with_message_words,
)
from rulewright.runtime.geometry import is_simple_polygon
from rulewright.runtime.state import evaluate_start_value
from rulewright.runtime.values import GameMap, HiddenValue, Value, make_set, sort_values

_NUMBER_BOUND = 10**1000
_THOUSANDTHS, _HUNDREDTHS, _TURN = 1000, 100, 360
_SMALLEST_SIDE = {ty.INCHES: "a thousandth of an inch", "cm": "a thousandth of a cm", "mm": "a thousandth of a mm"}


def codec_of(type_: Type) -> ValueCodec[Any]:
    """Codec of a type."""
    return _PLANE_CODECS[type_.name] if isinstance(type_, ty.PlaneType) else CODECS_BY_TYPE[type(type_)]


def value_to_json(value: Any, type_: Type, names: NameSource) -> Any:
    """A typed value as JSON data, as the table of run-time values lays down.

    A die is its roll and position; its face is in traces.
    """
    if isinstance(value, HiddenValue):
        return {"hidden": True if value.count is None else value.count}
    return codec_of(type_).write(type_, value, names)


def format_value(value: Any, type_: Type, names: NameSource) -> str:
    """A value in words, safe to print: a thing by its id, a word by its title, a hex as `(1, 0)`."""
    if value is None:
        return "none"
    if isinstance(value, HiddenValue):
        return "hidden" if value.count is None else f"{value.count} hidden"
    return codec_of(type_).show(type_, value, names)


def absence_phrase(type_: Type) -> str:
    """Words for an absent value: nowhere, nobody, nothing."""
    return absence_phrase(type_.inner) if isinstance(type_, ty.OptionalType) else codec_of(type_).absence_word


def zero_value(type_: Type) -> Value:
    """Implicit default of a map to a type."""
    return codec_of(type_).zero(type_)


# Functions of several codecs, or of more than one expression.


def _read_scalar(_type: Type, node: Any, *_: object) -> Any:
    return node.value


def _write_unchanged(_type: Type, value: Any, _names: NameSource) -> Any:
    return value


def _read_pair(_type: Type, node: Any, *_: object) -> Any:
    return node.items[0].value, node.items[1].value


def _cell_coordinates(type_: ty.CellType, names: NameSource) -> str:
    return names.coordinates if type_.space == "hex" else AXIAL


def _show_plain(_type: Type, value: Any, _names: NameSource) -> str:
    return make_visible(str(value))


def _sample_nothing(_type: Type, maker: SampleSource) -> Any:
    return maker.raise_no_value()


def _show_number(type_: ty.NumberType, value: Any, names: NameSource) -> str:
    if abs(value) >= _NUMBER_BOUND:
        return f"a number of {int(math.log10(abs(value))) + 1} digits"
    return _show_plain(type_, value, names)


def _number_schema(type_: ty.NumberType, _schemas: object) -> Schema:
    if not type_.paired:
        return integer_schema(type_.low, type_.high)
    return with_message_words(
        {"enum": [*(type_.list_numbers() or ())]}, wanted="a number that a `d66` shows, such as `42`"
    )


_DIRECTION_HELP = {
    "hex": "directions are numbers, clockwise: 0 is to the right, 1 lower right, and so on to 5, upper right",
    "square": "directions are numbers, clockwise: 0 is up, 1 right, 2 down, 3 left",
    "square8": "directions are numbers, clockwise: 0 is up, 1 upper right, and so on to 7, upper left",
}


def _zero_number(type_: ty.NumberType) -> Value:
    low, high = type_.low, type_.high
    if (low is None or low <= 0) and (high is None or high >= 0):
        return 0
    return high if low is None else max(low, 0)


def fraction_to_json(value: int | Fraction) -> int | str:
    """A fraction as JSON data: an integer if whole."""
    return value.numerator if value.denominator == 1 else format_exact_fraction(value)


def format_exact_fraction(value: int | Fraction) -> str:
    """A fraction of any length, `1/3`; `str` refuses more than 4,300 digits."""
    parts = (value.numerator, value.denominator)[: 1 if value.denominator == 1 else 2]
    return "/".join(f"{Decimal(part):f}" for part in parts)


def _simplify_fraction(number: Fraction) -> int | Fraction:
    return number.numerator if number.denominator == 1 else number


def _join_parts(parts: Iterable[str]) -> str:
    return ", ".join(parts)


_CollectionType = ty.SetType | ty.ListType | ty.BagType | ty.DeckType


def _read_members(type_: _CollectionType, node: Any, what: str, reader: PartReader) -> Any:
    return reader.collect_parts([reader.decode_value(item, type_.item, f"a member of {what}") for item in node.items])


def _read_bag(type_: ty.BagType, node: Any, what: str, reader: PartReader) -> Any:
    return reader.map_valid(_read_members(type_, node, what, reader), sort_values)


def _read_set(type_: ty.SetType, node: Any, what: str, reader: PartReader) -> Any:
    def make_unique(members: tuple[Any, ...]) -> Any:
        values_before = set()
        for item, value in zip(node.items, members, strict=True):
            if value in values_before:
                return reader.report_value_error(item, f"{what} has this member twice; a set has each once")
            values_before.add(value)
        return make_set(members)

    return reader.map_valid(_read_members(type_, node, what, reader), make_unique)


def _write_members(type_: _CollectionType, value: Any, names: NameSource) -> Any:
    return [value_to_json(item, type_.item, names) for item in value]


def _show_unordered(type_: ty.SetType | ty.BagType, value: Any, names: NameSource) -> str:
    return f"{{{_join_parts(format_value(item, type_.item, names) for item in value)}}}"


def _show_ordered(type_: ty.ListType | ty.DeckType, value: Any, names: NameSource) -> str:
    return f"[{_join_parts(format_value(item, type_.item, names) for item in value)}]"


def _read_tuple(type_: ty.TupleType, node: Any, what: str, reader: PartReader) -> Any:
    pairs = zip(node.items, type_.parts, strict=True)
    return reader.collect_parts([reader.decode_value(item, part, f"a part of {what}") for item, part in pairs])


def _read_record(type_: ty.RecordType, node: Any, what: str, reader: PartReader) -> Any:
    values: list[Any] = []
    for part in reader.names.program.records[type_.record].parts:
        given = node.get(part.name)
        if given is not None:
            values.append(reader.decode_value(given, part.type, f"`{part.name}` of {what}"))
        else:
            assert part.start is not None
            values.append(evaluate_start_value(part.start, part.type))
    return reader.collect_parts(values)


def _write_record(type_: ty.RecordType, value: Any, names: NameSource) -> Any:
    parts = zip(names.program.records[type_.record].parts, value, strict=True)
    return {part.name: value_to_json(item, part.type, names) for part, item in parts}


def _show_record(type_: ty.RecordType, value: Any, names: NameSource) -> str:
    parts = zip(names.program.records[type_.record].parts, value, strict=True)
    return f"({_join_parts(f'{part.name}: {format_value(item, part.type, names)}' for part, item in parts)})"


def _write_map(type_: ty.MapType, value: Any, names: NameSource) -> Any:
    pairs = [
        [value_to_json(key, type_.key, names), value_to_json(item, type_.value, names)] for key, item in value.items()
    ]
    return write_map_entries(type_, pairs)


def write_map_entries(type_: ty.MapType, pairs: Sequence[Sequence[Any]]) -> Any:
    """Entries of a map as they are written: a mapping where keys are things or words, else pairs."""
    return {str(key): item for key, item in pairs} if isinstance(type_.key, ty.ThingType | ty.WordType) else pairs


def _show_map(type_: ty.MapType, value: Any, names: NameSource) -> str:
    entries = [
        f"{format_value(key, type_.key, names)}: {format_value(item, type_.value, names)}"
        for key, item in value.items()
    ]
    default = [] if value.default is None else [f"else {format_value(value.default, type_.value, names)}"]
    return f"{{{_join_parts([*entries, *default])}}}"


def is_none(node: Any, inner: Type) -> bool:
    """Whether a node stands for `none`: empty, or the word itself unless the type is text."""
    value = getattr(node, "value", node)
    return value is None or (value == "none" and not isinstance(inner, ty.TextType))


# The plane.


def read_point(node: Any, what: str, reader: PartReader) -> Any:
    """A point in thousandths of the unit of lengths."""
    measure = length_measure(reader.names.program)
    return reader.collect_parts(
        [reader.decode_measure(item, f"a coordinate of {what}", measure) for item in node.items]
    )


def _read_angle(node: Any, what: str, reader: PartReader) -> Any:
    result = reader.decode_measure(node, what, DEGREE_MEASURE)
    return reader.map_valid(
        result, lambda parts: _simplify_fraction(Fraction(parts % (_TURN * _HUNDREDTHS), _HUNDREDTHS))
    )


def _read_shape(node: Any, what: str, reader: PartReader) -> Any:
    """A shape; the radius of a round one is half its diameter, rounded up to a thousandth."""
    names = ("round",) if "round" in node else ("width", "length")
    measure = base_measure(reader.names.program)
    sides = [reader.decode_measure(node.get(name), f"`{name}` of {what}", measure) for name in names]

    def make_shape(sizes: tuple[int, ...]) -> Any:
        if min(sizes) <= 0:
            return reader.report_value_error(node, f"a side of {what} is less than {_SMALLEST_SIDE[measure.counted]}")
        return ("round", (sizes[0] + 1) // 2) if len(sizes) == 1 else ("rectangle", *sizes)

    return reader.map_valid(reader.collect_parts(sides), make_shape)


def _read_polygon(node: Any, what: str, reader: PartReader) -> Any:
    def check_simple(corners: tuple[Any, ...]) -> Any:
        if len(set(corners)) < len(corners):
            return reader.report_value_error(node, f"{what} has a corner twice", "the last corner leads to the first")
        if not is_simple_polygon(corners):
            return reader.report_value_error(
                node, f"{what} crosses itself", "list the corners in the order of its edge"
            )
        return corners

    return reader.map_valid(
        reader.collect_parts([read_point(item, f"a corner of {what}", reader) for item in node.items]), check_simple
    )


def read_pose(node: Any, thing: Any, what: str, reader: PartReader) -> Any:
    """Pose of a known thing, `{at: [3.5, 2], facing: 90}`; the facing defaults to 0."""
    facing = node.get("facing")
    at = read_point(node.get("at"), f"`at` of {what}", reader)
    return reader.collect_parts(
        [thing, at, 0 if facing is None else _read_angle(facing, f"`facing` of {what}", reader)]
    )


def _read_full_pose(node: Any, what: str, reader: PartReader) -> Any:
    thing = reader.resolve_thing(
        node.get("thing"), find_posed_kind(reader.names.program.kinds) or "", f"`thing` of {what}"
    )
    return reader.map_valid(thing, lambda thing_number: read_pose(node, thing_number, what, reader))


def pose_to_json(pose: Any) -> dict[str, Any]:
    """Pose of a known thing, as `read_pose` reads it."""
    _, at, facing = pose
    return {"at": encode_point(at), "facing": make_decimal(facing)}


def _write_pose(_type: ty.PlaneType, value: Any, names: NameSource) -> Any:
    return {"thing": names.thing_id(find_posed_kind(names.program.kinds) or "", value[0]), **pose_to_json(value)}


def _show_point(value: tuple[int, int]) -> str:
    x, y = encode_point(value)
    return f"({x}, {y})"


def _show_shape(_type: ty.PlaneType, value: Any, names: NameSource) -> str:
    measure = base_measure(names.program)
    unit = "" if measure.unit == measure.counted else f" {measure.unit}"
    return _join_parts(f"{key} {item}{unit}" for key, item in encode_shape(value, measure.default_factor).items())


def _sample_pose(_type: ty.PlaneType, maker: SampleSource) -> Any:
    thing = maker.pick_one(maker.kind_ids(find_posed_kind(maker.program.kinds) or ""))
    return {"thing": thing, "at": maker.sample_plane_value("point"), "facing": maker.sample_plane_value("angle")}


_PLANE_CODECS: dict[str, ValueCodec[ty.PlaneType]] = {
    "point": ValueCodec(
        read=lambda _, node, what, reader: read_point(node, what, reader),
        write=lambda _, value, __: encode_point(value),
        schema=lambda _, schemas: point_schema(length_measure(schemas.program)),
        show=lambda _, value, __: _show_point(value),
        sample=lambda _, maker: maker.sample_plane_value("point"),
        absence_word="nowhere",
    ),
    "angle": ValueCodec(
        read=lambda _, node, what, reader: _read_angle(node, what, reader),
        write=lambda _, value, __: make_decimal(value),
        schema=lambda _, __: measure_schema(DEGREE_MEASURE),
        show=lambda _, value, __: f"{make_decimal(value)}°",
        sample=lambda _, maker: maker.sample_plane_value("angle"),
        absence_word="nowhere",
    ),
    "shape": ValueCodec(
        read=lambda _, node, what, reader: _read_shape(node, what, reader),
        write=lambda _, value, names: encode_shape(value, base_measure(names.program).default_factor),
        schema=lambda _, schemas: shape_schema(base_measure(schemas.program)),
        show=_show_shape,
        sample=lambda _, maker: maker.sample_plane_value("shape"),
        absence_word="nowhere",
    ),
    "polygon": ValueCodec(
        read=lambda _, node, what, reader: _read_polygon(node, what, reader),
        write=lambda _, value, __: [encode_point(item) for item in value],
        schema=lambda _, schemas: polygon_schema(length_measure(schemas.program)),
        show=lambda _, value, __: f"[{_join_parts(map(_show_point, value))}]",
        sample=lambda _, maker: maker.sample_plane_value("polygon"),
        absence_word="nowhere",
    ),
    "pose": ValueCodec(
        read=lambda _, node, what, reader: _read_full_pose(node, what, reader),
        write=_write_pose,
        schema=lambda _, schemas: schemas.pose_schema(),
        show=lambda _, value, __: f"{_show_point(value[1])} facing {make_decimal(value[2])}°",
        sample=_sample_pose,
        absence_word="nowhere",
    ),
}

_ORDERED_CODEC: ValueCodec[Any] = ValueCodec(
    read=_read_members,
    write=_write_members,
    schema=lambda type_, schemas: list_schema(schemas.type_schema(type_.item)),
    show=_show_ordered,
    sample=lambda type_, maker: maker.sample_several(type_.item),
    zero=lambda _: (),
)

CODECS_BY_TYPE: dict[type, ValueCodec[Any]] = {
    ty.NumberType: ValueCodec[ty.NumberType](
        read=_read_scalar,
        write=_write_unchanged,
        schema=_number_schema,
        show=_show_number,
        sample=lambda type_, maker: (
            maker.pick_one(type_.list_numbers() or ()) if type_.paired else maker.sample_number(type_.low, type_.high)
        ),
        zero=_zero_number,
    ),
    ty.FractionType: ValueCodec[ty.FractionType](
        read=lambda _, node, *__: Fraction(node.value),
        write=lambda _, value, __: fraction_to_json(Fraction(value)),
        schema=lambda _, __: FRACTION_SCHEMA,
        show=_show_plain,
        sample=lambda _, maker: fraction_to_json(maker.sample_quarters()),
        zero=lambda _: Fraction(0),
    ),
    ty.LengthType: ValueCodec[ty.LengthType](
        read=lambda _, node, what, reader: reader.map_valid(
            reader.decode_measure(node, what, length_measure(reader.names.program)),
            lambda parts: _simplify_fraction(Fraction(parts, _THOUSANDTHS)),
        ),
        write=lambda _, value, __: make_decimal(value),
        schema=lambda _, schemas: measure_schema(length_measure(schemas.program)),
        show=lambda _, value, __: str(make_decimal(value)),
        sample=lambda _, maker: maker.sample_plane_value("length"),
        zero=lambda _: Fraction(0),
    ),
    ty.FlagType: ValueCodec[ty.FlagType](
        read=lambda _, node, *__: node.value in {"yes", "true"} if isinstance(node.value, str) else bool(node.value),
        write=_write_unchanged,
        schema=lambda _, __: FLAG_SCHEMA,
        show=lambda _, value, __: "yes" if value else "no",
        sample=lambda _, maker: maker.below(2) == 1,
        zero=lambda _: False,
    ),
    ty.TextType: ValueCodec[ty.TextType](
        read=_read_scalar,
        write=_write_unchanged,
        schema=lambda _, __: {"type": "string"},
        show=_show_plain,
        sample=lambda _, maker: maker.pick_one(("one", "two", "three")),
        zero=lambda _: "",
    ),
    ty.ThingType: ValueCodec[ty.ThingType](
        read=lambda type_, node, what, reader: reader.resolve_thing(node, type_.kind, what),
        write=lambda type_, value, names: names.thing_id(type_.kind, value),
        schema=lambda type_, schemas: schemas.thing_schema(type_.kind),
        show=lambda type_, value, names: make_visible(names.thing_id(type_.kind, value)),
        sample=lambda type_, maker: str(maker.pick_one(maker.kind_ids(type_.kind))),
        absence_word="nobody",
    ),
    ty.WordType: ValueCodec[ty.WordType](
        read=lambda type_, node, _, reader: reader.names.word_positions(type_.values)[node.value],
        write=lambda type_, value, names: names.word_names(type_.values)[value],
        schema=lambda type_, schemas: schemas.word_schema(type_.values),
        show=lambda type_, value, names: make_visible(names.word_titles(type_.values)[value]),
        sample=lambda type_, maker: maker.pick_one([word.name for word in maker.program.values[type_.values].words]),
    ),
    ty.RecordType: ValueCodec[ty.RecordType](
        read=_read_record,
        write=_write_record,
        schema=lambda type_, schemas: schemas.record_schema(type_.record),
        show=_show_record,
        sample=lambda type_, maker: {
            field.name: maker.sample_value(field.type) for field in maker.program.records[type_.record].parts
        },
    ),
    ty.CellType: ValueCodec[ty.CellType](
        read=lambda type_, node, what, reader: convert_to_axial(
            _read_pair(type_, node, what, reader), _cell_coordinates(type_, reader.names)
        ),
        write=lambda type_, value, names: list(convert_from_axial(value, _cell_coordinates(type_, names))),
        schema=lambda _, __: number_pair_schema("the two numbers of a cell, such as `[2, -1]`"),
        show=lambda type_, value, names: "({}, {})".format(*convert_from_axial(value, _cell_coordinates(type_, names))),
        sample=lambda _, maker: list(maker.pick_one(maker.cells)),
        absence_word="nowhere",
    ),
    ty.DirectionType: ValueCodec[ty.DirectionType](
        read=_read_scalar,
        write=_write_unchanged,
        schema=lambda type_, _: with_message_words(
            integer_schema(0, type_.count - 1), help=_DIRECTION_HELP[type_.space]
        ),
        show=_show_plain,
        sample=lambda type_, maker: maker.below(type_.count),
        absence_word="no direction",
    ),
    ty.DieType: ValueCodec[ty.DieType](
        read=lambda type_, node, what, reader: reader.resolve_die(node, type_.part, what),
        write=lambda type_, value, names: names.name_die(value, type_.part) or list(value),
        schema=lambda _, __: with_message_words(
            {"anyOf": [{"type": "string"}, number_pair_schema("the roll and the place of a die")]},
            wanted="a die, such as `block 5`, or its roll and place, such as `[0, 2]`",
        ),
        show=lambda type_, value, names: make_visible(
            names.name_die(value, type_.part, titled=True) or f"die {value[1] + 1}"
        ),
        sample=_sample_nothing,
    ),
    ty.PoolType: ValueCodec[ty.PoolType](
        read=lambda *_: None,
        write=lambda _, value, __: str(value),
        schema=lambda _, __: NO_VALUE,
        show=lambda *_: "dice",
        sample=_sample_nothing,
    ),
    ty.OptionalType: ValueCodec[ty.OptionalType](
        read=lambda type_, node, what, reader: (
            None if is_none(node, type_.inner) else reader.decode_value(node, type_.inner, what)
        ),
        write=lambda type_, value, names: None if value is None else value_to_json(value, type_.inner, names),
        schema=lambda type_, schemas: {
            "anyOf": [
                NULL_ASIDE if isinstance(type_.inner, ty.TextType) else NONE_ASIDE,
                schemas.type_schema(type_.inner),
            ]
        },
        show=lambda type_, value, names: format_value(value, type_.inner, names),
        sample=lambda type_, maker: None if maker.is_left_out() else maker.sample_value(type_.inner),
    ),
    ty.SetType: ValueCodec[ty.SetType](
        read=_read_set,
        write=_write_members,
        schema=lambda type_, schemas: with_message_words(
            {**list_schema(schemas.type_schema(type_.item)), "uniqueItems": True}, reader="uniqueItems"
        ),
        show=_show_unordered,
        sample=lambda type_, maker: maker.sample_distinct(type_.item),
        zero=lambda _: (),
    ),
    ty.ListType: _ORDERED_CODEC,
    ty.BagType: replace(_ORDERED_CODEC, read=_read_bag, show=_show_unordered),
    ty.DeckType: _ORDERED_CODEC,
    ty.MapType: ValueCodec[ty.MapType](
        read=lambda type_, node, what, reader: reader.decode_entries(node, type_, zero_value(type_.value), what),
        write=_write_map,
        schema=lambda type_, schemas: schemas.map_schema(type_),
        show=_show_map,
        sample=lambda type_, maker: write_map_entries(
            type_,
            [[item, maker.sample_value(type_.value)] for item in maker.sample_distinct(type_.key)],
        ),
        zero=lambda type_: GameMap.from_pairs(zero_value(type_.value)),
    ),
    ty.TupleType: ValueCodec[ty.TupleType](
        read=_read_tuple,
        write=lambda type_, value, names: [
            value_to_json(item, part, names) for item, part in zip(value, type_.parts, strict=True)
        ],
        schema=lambda type_, schemas: with_message_words(
            tuple_schema([schemas.type_schema(item) for item in type_.parts]),
            wanted=f"a list of {len(type_.parts)} values",
            part="a part of {this}",
        ),
        show=lambda type_, value, names: (
            f"({_join_parts(format_value(item, part, names) for item, part in zip(value, type_.parts, strict=True))})"
        ),
        sample=lambda type_, maker: [maker.sample_value(item) for item in type_.parts],
        zero=lambda type_: tuple(zero_value(item) for item in type_.parts),
    ),
    ty.NoneType: ValueCodec[ty.NoneType](
        read=lambda *_: None,
        write=_write_unchanged,
        schema=lambda _, __: with_message_words({"enum": [None, "none"]}, wanted="empty", help=""),
        show=_show_plain,
        sample=_sample_nothing,
    ),
    ty.EmptyType: ValueCodec[ty.EmptyType](
        read=lambda *_: None,
        write=lambda *_: [],
        schema=lambda _, __: NO_VALUE,
        show=_show_plain,
        sample=_sample_nothing,
        zero=lambda _: (),
    ),
}
"""Codecs of all types but those of the plane, which are distinguished by name."""
