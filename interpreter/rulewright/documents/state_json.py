"""Situations, and changes by externals, as JSON data in the form of state files."""

from collections.abc import Callable, Iterator, Mapping as MappingOf, Sequence
from typing import Any

from rulewright.documents.board_sections import HEX_SPACE, shortest_board_shape
from rulewright.documents.document_nodes import (
    DocumentNode,
    Json,
    MapNode,
    key_as_scalar,
    map_entries,
)
from rulewright.documents.document_schemas import CONTACT, DEPTH, WIDTH, document_shapes
from rulewright.documents.findings import InvalidValue, quote_name
from rulewright.documents.name_table import (
    CELLS,
    COORDINATES,
    GAME,
    REMOVED,
    SETTINGS,
    SHAPE,
    SIDES,
    NameTable,
    StateSections,
)
from rulewright.documents.question_schemas import describe_allowed_changes
from rulewright.documents.state_file import read_attribute, read_removed_things
from rulewright.documents.value_reader import ValueReader, initial_value
from rulewright.program.board_geometry import AXIAL, convert_from_axial, make_decimal
from rulewright.program.declarations import Board, Field, Kind, Program
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


def decode_changes(node: MapNode, allowed: Sequence[str], values: ValueReader) -> tuple[ExternalChange, ...]:
    """Changes as place, thing number (`None` for `game`) and new value, by place and number, from a node of valid shape.

    `allowed` holds places such as `Unit/morale`, `Unit/gone` and `game/active`. Reports RW0732 (a thing that may not
    leave play), RW0714, RW0716 and what `ValueReader` does.
    """
    changes = _decode_changes(node, allowed, document_shapes(values.names.program).sections, values)
    valid = (change for change in changes if not isinstance(change[2], InvalidValue))
    return tuple(sorted(valid, key=lambda change: (change[0], -1 if change[1] is None else change[1])))


def _decode_changes(
    root: MapNode, allowed: Sequence[str], sections: StateSections, values: ValueReader
) -> Iterator[tuple[str, int | None, Any]]:
    for section, node in root:
        if section.text == REMOVED:
            yield from _read_removals(node, allowed, sections, values)
        elif section.text == GAME:
            for key, given in map_entries(node):
                field = sections.program.game[name := sections.game[key.text]]
                value = values.decode_field(given, field.type, initial_value(field), quote_name(key.text))
                yield f"game/{name}", None, value
        else:
            kind = sections.kinds[section.text]
            fields = {field.name: field for field in kind.fields}
            for id_, attributes in map_entries(node):
                number = values.resolve_thing(key_as_scalar(id_), kind.name, f"a key of {quote_name(section.text)}")
                if isinstance(number, InvalidValue):
                    continue
                for key, given in map_entries(attributes):
                    value = read_attribute(given, fields[key.text], quote_name(id_.text), values)
                    yield f"{kind.name}/{key.text}", number, value


def _read_removals(
    node: DocumentNode, allowed: Sequence[str], sections: StateSections, values: ValueReader
) -> Iterator[ExternalChange]:
    for kind, numbers in read_removed_things(node, sections, values.names, values.findings).items():
        yield from ((f"{kind}/gone", number, True) for number in sorted(numbers))
        if f"{kind}/gone" not in allowed:
            message = f"this external may not change which {sections.program.kinds[kind].plural} are out of play"
            values.findings.add_error("RW0732", node, message, help=describe_allowed_changes(allowed))


def changes_to_json(changes: Sequence[ExternalChange], names: NameTable) -> Json:
    """Inverse of `decode_changes`."""
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
