"""Situations, and changes by externals, as JSON data in the form of state files; also the fast reader of such data."""

import re
from collections.abc import Callable, Iterator, Mapping, Mapping as MappingOf, Sequence
from typing import Any

from rulewright.base.source import NO_SPAN
from rulewright.documents.board_sections import HEX_SPACE, read_coordinates, shortest_board_shape
from rulewright.documents.document_nodes import (
    DocumentNode,
    Json,
    ListNode,
    MapKey,
    MapNode,
    MapNode as MappingNode,
    ScalarNode,
    key_as_scalar,
)
from rulewright.documents.document_schemas import CONTACT, DEPTH, WIDTH, document_shapes
from rulewright.documents.findings import Findings, InvalidValue, ReadResult, list_alternatives, quote_name, show_node
from rulewright.documents.name_table import (
    CELLS,
    COORDINATES,
    CSV,
    DRAWN,
    GAME,
    LIKE,
    REMOVED,
    SETTINGS,
    SHAPE,
    SIDES,
    NameTable,
    StateSections,
)
from rulewright.documents.state_file import StateReader, expand_state, parse_state, read_attribute, read_removed_things
from rulewright.documents.value_reader import JSON_CONSTANTS, ValueReader, data_to_node, initial_value, place_json_data
from rulewright.documents.yaml_reader import MAX_DOCUMENT_NODES, MAX_TEXT_CHARS, MERGE_KEY
from rulewright.program import types as ty
from rulewright.program.board_geometry import AXIAL, convert_from_axial, convert_to_axial, make_decimal
from rulewright.program.declarations import Board, Field, Kind, Program
from rulewright.runtime.codec_protocols import ID_PATTERN
from rulewright.runtime.geometry import thousandths_to_inches
from rulewright.runtime.state import CONTACT_TOLERANCES, Plane, Situation
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Cell, Value


def state_to_json(
    situation: Situation, program: Program, before: tuple[Situation, dict[str, Json]] | None = None
) -> dict[str, Json]:
    """State that `read_state` reads back as the same situation: all attributes, and cells off their start.

    `before` is an earlier situation of the same play with its data: unchanged things share that data.
    """
    names = NameTable(program, situation.base)
    written: dict[str, Json] = {
        kind.plural: before[1][kind.plural]
        if before and before[0].base is situation.base and _has_same_attributes(kind, before[0], situation)
        else _things_to_json(kind.name, situation, names)
        for kind in program.kinds.values()
    }
    for board in program.boards.values():
        if board.space != "plane" or situation.base.plane != Plane(contact=CONTACT_TOLERANCES[board.unit]):
            written[board.name] = _board_to_json(board, situation, names)
    if program.game:
        written[GAME] = {
            name: value_to_json(situation.game[name], field.type, names) for name, field in program.game.items()
        }
    for name, relation in program.relations.items():
        if pairs := situation.relations.get(name):
            one, other = (parameter.type for parameter in relation.parameters)
            written[name] = [[value_to_json(a, one, names), value_to_json(b, other, names)] for a, b in pairs]
    if program.settings:
        settings = program.settings.items()
        written[SETTINGS] = {
            name: value_to_json(situation.base.settings[name], setting.type, names) for name, setting in settings
        }
    removed = _removed_to_json(situation, names)
    return written | ({REMOVED: removed} if removed else {})


def _has_same_attributes(kind: Kind, before: Situation, after: Situation) -> bool:
    addresses = (f"{kind.name}/{field.name}" for field in kind.fields)
    return all(before.attributes[address] == after.attributes[address] for address in addresses)


def _things_to_json(kind: str, situation: Situation, names: NameTable) -> Json:
    fields = names.program.kinds[kind].fields
    return {
        id_: {
            field.name: value_to_json(situation.attributes[f"{kind}/{field.name}"][number], field.type, names)
            for field in fields
        }
        for number, id_ in enumerate(names.ids_of_kind(kind))
    }


def _board_to_json(board: Board, situation: Situation, names: NameTable) -> Json:
    if board.space == "plane":
        return plane_to_json(situation.base.plane, board.unit)
    way = names.coordinates if board.space == HEX_SPACE else AXIAL
    shape = shortest_board_shape(situation.base.boards[board.name], board, way)
    written: dict[str, Json] = {SHAPE: shape} if way == AXIAL else {COORDINATES: way, SHAPE: shape}
    cells = _places_to_json(board, board.fields, situation.cells, lambda cell: _format_cell_key(cell, way), names)
    sides = _places_to_json(
        board, board.sides, situation.sides, lambda side: " ".join(_format_cell_key(item, way) for item in side), names
    )
    return written | ({CELLS: cells} if cells else {}) | ({SIDES: sides} if sides else {})


def _places_to_json(
    board: Board,
    fields: tuple[Field, ...],
    stored: MappingOf[str, MappingOf[Any, Value]],
    key: Callable[[Any], str],
    names: NameTable,
) -> dict[str, Json]:
    written: dict[str, dict[str, Json]] = {}
    for field in fields:
        for place, value in sorted(stored.get(f"{board.name}/{field.name}", {}).items()):
            written.setdefault(key(place), {})[field.name] = value_to_json(value, field.type, names)
    return {place: dict(values) for place, values in written.items()}


def _format_cell_key(cell: Cell, way: str) -> str:
    return "{},{}".format(*convert_from_axial(cell, way))


def _removed_to_json(situation: Situation, names: NameTable) -> list[Json]:
    owners: dict[str, int] = {}
    for ids in situation.base.things.values():
        for id_ in ids:
            owners[id_] = owners.get(id_, 0) + 1
    return [
        id_ if owners[id_] == 1 else f"{kind.plural}/{id_}"
        for kind in names.program.kinds.values()
        for number in sorted(situation.gone.get(kind.name, ()))
        for id_ in [names.thing_id(kind.name, number)]
    ]


ExternalChange = tuple[str, int | None, Value]


def read_changes(
    node: DocumentNode, allowed: Sequence[str], names: NameTable, findings: Findings
) -> tuple[ExternalChange, ...]:
    """Changes as place, thing number (`None` for `game`) and new value, by place and number.

    `allowed` holds places such as `Unit/morale`, `Unit/gone` and `game/active`. Reports RW0732 (a change the external
    may not make), RW0713, RW0714, RW0716 and what `ValueReader` does.
    """
    if not isinstance(node, MapNode):
        findings.add_error(
            "RW0713", node, f"`changes` is {show_node(node)}; it must be a mapping, in the form of a state file"
        )
        return ()
    iterator = _ChangeReader(allowed, names, findings).read_changes_of(node)
    return tuple(sorted(iterator, key=lambda change: (change[0], -1 if change[1] is None else change[1])))


class _ChangeReader:
    def __init__(self, allowed: Sequence[str], names: NameTable, findings: Findings) -> None:
        self.allowed = allowed
        self.findings = findings
        self.values = ValueReader(names, findings)
        self.sections = StateSections(names.program)

    def read_changes_of(self, root: MapNode) -> Iterator[ExternalChange]:
        for key, node in root:
            if key.text == GAME:
                yield from self._read_game_changes(node)
            elif key.text == REMOVED:
                yield from self._read_removals(node)
            elif key.text in self.sections.kinds:
                yield from self._read_thing_changes(key, node)
            else:
                self._report_forbidden_change(key, quote_name(key.text))

    def _report_forbidden_change(self, place: MapKey | DocumentNode, what: str) -> None:
        places = (item.rpartition("/") for item in self.allowed)
        spoken = [name if owner == GAME else f"{owner}.{name}" for owner, _, name in places]
        may = f"it may change {list_alternatives(spoken)}" if spoken else "it changes nothing"
        self.findings.add_error("RW0732", place, f"this external may not change {what}", help=may)

    def _read_thing_changes(self, section: MapKey, node: DocumentNode) -> Iterator[ExternalChange]:
        kind = self.sections.kinds[section.text]
        if not isinstance(node, MapNode):
            self.findings.add_error(
                "RW0713", node, f"{quote_name(section.text)} is {show_node(node)}; it must be a mapping"
            )
            return
        for key, attributes in node:
            number = self.values.resolve_thing(key_as_scalar(key), kind.name, f"a key of {quote_name(section.text)}")
            if not isinstance(attributes, MapNode):
                message = f"{quote_name(key.text)} is {show_node(attributes)}; it must be a mapping of attributes"
                self.findings.add_error("RW0713", attributes, message)
            elif isinstance(number, int):
                fields = {field.name: field for field in kind.fields}
                yield from self._read_attribute_changes(attributes, kind.name, fields, (key.text, number))

    def _read_attribute_changes(
        self, node: MapNode, kind: str, fields: dict[str, Field], thing: tuple[str, int]
    ) -> Iterator[ExternalChange]:
        id_, number = thing
        for key, given in node:
            place = f"{kind}/{key.text}"
            if place not in self.allowed or key.text not in fields:
                self._report_forbidden_change(key, f"{quote_name(key.text)} of {quote_name(id_)}")
                continue
            field, whose = fields[key.text], quote_name(id_)
            if self._has_field_shape(given, field, f"`{key.text}` of {whose}"):
                value = read_attribute(given, field, whose, self.values)
                if not isinstance(value, InvalidValue):
                    yield place, number, value

    def _has_field_shape(self, node: DocumentNode, field: Field, what: str) -> bool:
        return document_shapes(self.sections.program).value_shape(field.type).validate_node(node, self.findings, what)

    def _read_game_changes(self, node: DocumentNode) -> Iterator[ExternalChange]:
        if not isinstance(node, MapNode):
            self.findings.add_error("RW0713", node, f"`game` is {show_node(node)}; it must be a mapping")
            return
        for key, given in node:
            name = self.sections.game.get(key.text)
            if name is None or f"game/{name}" not in self.allowed:
                self._report_forbidden_change(key, quote_name(key.text))
                continue
            field = self.sections.program.game[name]
            if self._has_field_shape(given, field, quote_name(key.text)):
                value = self.values.decode_field(given, field.type, initial_value(field), quote_name(key.text))
                if not isinstance(value, InvalidValue):
                    yield f"game/{name}", None, value

    def _read_removals(self, node: DocumentNode) -> Iterator[ExternalChange]:
        if not document_shapes(self.sections.program).removed.validate_node(node, self.findings, f"`{REMOVED}`"):
            return
        for kind, numbers in read_removed_things(node, self.sections, self.values.names, self.findings).items():
            if f"{kind}/gone" in self.allowed:
                yield from ((f"{kind}/gone", number, True) for number in sorted(numbers))
            else:
                self._report_forbidden_change(node, f"which {self.sections.program.kinds[kind].plural} are out of play")


def changes_to_json(changes: Sequence[ExternalChange], names: NameTable) -> Json:
    """Inverse of `read_changes`."""
    written: dict[str, dict[str, dict[str, Json]]] = {}
    game: dict[str, Json] = {}
    removed: list[Json] = []
    for place, number, value in changes:
        owner, _, name = place.rpartition("/")
        if number is None:
            game[name] = value_to_json(value, names.program.game[name].type, names)
            continue
        id_ = names.thing_id(owner, number)
        if name == "gone":
            removed.append(f"{names.program.kinds[owner].plural}/{id_}")
            continue
        field = next(item for item in names.program.kinds[owner].fields if item.name == name)
        things = written.setdefault(names.program.kinds[owner].plural, {})
        things.setdefault(id_, {})[name] = value_to_json(value, field.type, names)
    result: dict[str, Json] = {
        plural: {id_: dict(row) for id_, row in rows.items()} for plural, rows in written.items()
    }
    return result | ({GAME: game} if game else {}) | ({REMOVED: removed} if removed else {})


def plane_to_json(plane: Plane, unit: str) -> dict[str, Json]:
    """Inverse of `read_plane`."""
    contact = plane.contact if plane.contact != CONTACT_TOLERANCES[unit] else None
    mapping = {WIDTH: plane.width, DEPTH: plane.depth, CONTACT: contact}
    return {name: make_decimal(thousandths_to_inches(length)) for name, length in mapping.items() if length is not None}


_ThingData = Mapping[str, Mapping[str, Any]]
_ValueDecoder = Callable[[Any], Value]
_ID_PATTERN = re.compile(ID_PATTERN)
_MAX_TEXT_CHARS = 100
_NUMBER_BOUND = 10**_MAX_TEXT_CHARS
_MAX_ATTRIBUTE_CHARS = 200
"""Bound on the JSON text of an attribute and its name, if no text in it exceeds `_MAX_TEXT_CHARS`."""


class _NeedsNodesError(Exception):
    """The fast reader meets an error, a short form, or a part that it does not support."""


def parse_state_data(
    data: Mapping[str, Json], program: Program, most: int = MAX_DOCUMENT_NODES
) -> ReadResult[Situation]:
    """Initial situation of JSON data with at most `most` values; reports as `read_state`.

    A fast path decodes plain data directly; anything else is converted to nodes.

    Raises:
        ValueError: the data is no JSON, or larger than a text may be.
    """
    try:
        return ReadResult(_decode_state(dict(data), program, most))
    except _NeedsNodesError:
        return parse_state(data_to_node(dict(data), "state", most), program)


def _decode_state(data: dict[str, Any], program: Program, most: int) -> Situation:
    findings, sections = Findings(), StateSections(program)
    things: dict[str, _ThingData] = {}
    rest: dict[str, Any] = {}
    for key, item in data.items():
        kind = sections.kinds.get(key)
        if kind is not None:
            things[kind.name] = _decode_things(item, kind)
        elif key in sections.boards and (type(item) is not dict or DRAWN in item):
            raise _NeedsNodesError
        rest[key] = item if kind is None else []
    attributes = sum(1 + len(thing) for mapping in things.values() for thing in mapping.values())
    if attributes * _MAX_ATTRIBUTE_CHARS > MAX_TEXT_CHARS:
        raise _NeedsNodesError
    counted = _CountedNodes(most - 4 * attributes)
    node = expand_state(counted.make_node(rest), None, sections, findings)
    if findings.collected or not isinstance(node, MappingNode) or not document_shapes(program).state.is_valid(node):
        raise _NeedsNodesError
    boards = sections.boards
    way = read_coordinates(((boards[key.text], each) for key, each in node if key.text in boards), findings)
    situation = _StateDataReader(node, sections, findings, way, things).build_situation((), ())
    if findings.collected:
        raise _NeedsNodesError
    return situation


def _decode_things(data: Any, kind: Kind) -> _ThingData:
    if type(data) is list:
        result: dict[Any, Any] = {id_: {} for id_ in data if type(id_) is str}
        if len(result) < len(data):
            raise _NeedsNodesError
    elif type(data) is dict:
        result = data
    else:
        raise _NeedsNodesError
    known = {field.name for field in kind.fields}
    if CSV in result or LIKE in known:
        raise _NeedsNodesError
    for id_, thing in result.items():
        if (
            type(id_) is not str
            or not _ID_PATTERN.search(id_)
            or type(thing) is not dict
            or not known.issuperset(thing)
        ):
            raise _NeedsNodesError
    return result


class _CountedNodes:
    def __init__(self, most: int) -> None:
        self._nodes_left = most

    def make_node(self, data: Any) -> DocumentNode:
        self._nodes_left -= 1
        kind = type(data)
        if self._nodes_left < 0:
            raise _NeedsNodesError
        if kind is int and abs(data) < _NUMBER_BOUND:
            return ScalarNode(data, str(data), NO_SPAN, "")
        if kind is str and len(data) <= _MAX_TEXT_CHARS and data.isprintable():
            return ScalarNode(data, data, NO_SPAN, "")
        if kind is list:
            return ListNode(tuple(map(self.make_node, data)), NO_SPAN, "")
        if kind is dict:
            return MappingNode(
                tuple([(_make_key(key), self.make_node(item)) for key, item in data.items()]), NO_SPAN, ""
            )
        if kind is bool or data is None:
            return ScalarNode(data, JSON_CONSTANTS[data], NO_SPAN, "")
        raise _NeedsNodesError


def _make_key(key: Any) -> MapKey:
    if type(key) is not str or key == MERGE_KEY:
        raise _NeedsNodesError
    return MapKey(key, NO_SPAN, "")


class _StateDataReader(StateReader):
    def __init__(
        self,
        root: MappingNode,
        sections: StateSections,
        findings: Findings,
        coordinates: str,
        things: Mapping[str, _ThingData],
    ) -> None:
        super().__init__(root, sections, findings, coordinates)
        self._things = things

    def read_ids(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(self._things.get(name, ())) for name in self.program.kinds}

    def read_attributes(self, values: ValueReader) -> dict[str, tuple[Value, ...]]:
        return {
            f"{kind.name}/{field.name}": _decode_column(field, list(self._things.get(kind.name, {}).values()), values)
            for kind in self.program.kinds.values()
            for field in kind.fields
        }


def _decode_column(each: Field, things: list[Mapping[str, Any]], values: ValueReader) -> tuple[Value, ...]:
    name, start, reads = each.name, initial_value(each), _attribute_decoder(each, values)
    if each.start is None and not all(name in thing for thing in things):
        raise _NeedsNodesError
    return tuple([reads(thing[name]) if name in thing else start for thing in things])


def _attribute_decoder(each: Field, values: ValueReader) -> _ValueDecoder:
    reads, cells = _type_decoder(each.type, each, values), values.names.cells
    if each.name != "at" or not isinstance(ty.strip_optional(each.type), ty.CellType) or not cells:
        return reads

    def decode_place(given: Any) -> Value:
        cell = reads(given)
        if cell is not None and cell not in cells:
            raise _NeedsNodesError
        return cell

    return decode_place


def _type_decoder(type_: ty.Type, each: Field, values: ValueReader) -> _ValueDecoder:
    names = values.names
    match type_:
        case ty.OptionalType(inner) if not isinstance(inner, ty.TextType):
            reads = _type_decoder(inner, each, values)
            return lambda given: None if given is None or given == "none" else reads(given)
        case ty.NumberType(paired=False):
            low, high = type_.low, type_.high
            return _number_decoder(-_NUMBER_BOUND if low is None else low, _NUMBER_BOUND if high is None else high)
        case ty.DirectionType():
            return _number_decoder(0, type_.count - 1)
        case ty.FlagType():
            return _lookup_decoder({(bool, False): False, (bool, True): True})
        case ty.WordType():
            return _lookup_decoder({(str, word): number for word, number in names.word_positions(type_.values).items()})
        case ty.ThingType():
            return _lookup_decoder(
                {(str, id_): number for id_, number in names.thing_numbers.get(type_.kind, {}).items()}
            )
        case ty.CellType():
            return _cell_decoder(names.coordinates if type_.space == HEX_SPACE else AXIAL)
        case _:
            return _checked_decoder(type_, each, values)


def _number_decoder(low: int, high: int) -> _ValueDecoder:
    def decode_number(given: Any) -> Value:
        if type(given) is int and low <= given <= high:
            return given
        raise _NeedsNodesError

    return decode_number


def _lookup_decoder(known: Mapping[tuple[type, Any], Value]) -> _ValueDecoder:
    def look_up_value(given: Any) -> Value:
        try:
            return known[type(given), given]
        except (KeyError, TypeError):
            raise _NeedsNodesError from None

    return look_up_value


def _cell_decoder(way: str) -> _ValueDecoder:
    def decode_cell(given: Any) -> Value:
        if type(given) is not list or [type(item) for item in given] != [int, int]:
            raise _NeedsNodesError
        return (given[0], given[1]) if way == AXIAL else convert_to_axial((given[0], given[1]), way)

    return decode_cell


def _checked_decoder(type_: ty.Type, each: Field, values: ValueReader) -> _ValueDecoder:
    shape, start = document_shapes(values.names.program).value_shape(type_), initial_value(each)

    def decode_checked(given: Any) -> Value:
        node = place_json_data(given, "", MAX_DOCUMENT_NODES)
        if node is None or not shape.is_valid(node):
            raise _NeedsNodesError
        value = values.decode_field(node, type_, start, "")
        if values.findings.collected:
            raise _NeedsNodesError
        return value  # type: ignore[return-value]

    return decode_checked
