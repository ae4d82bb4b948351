"""State files: from a document to the initial situation of a play."""

from collections.abc import Iterable, Iterator, Mapping as MappingOf, Sequence
from functools import partial
from typing import Any

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.source import Span, Text
from rulewright.documents.board_sections import (
    HEX_SPACE,
    read_board_cells,
    read_coordinates,
    read_place_attributes,
    read_plane,
)
from rulewright.documents.document_nodes import (
    DocumentNode,
    Json,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    map_entries,
    merge_nodes,
    remove_paths,
    value_under,
)
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.findings import (
    INVALID,
    Findings,
    InvalidValue,
    ReadResult,
    describe_choices,
    did_you_mean,
    list_alternatives,
    quote_name,
    show_node,
)
from rulewright.documents.name_table import (
    CELLS,
    COORDINATES,
    DEFAULTS,
    DRAWN,
    GAME,
    LEGEND,
    REMOVED,
    SETTINGS,
    SHAPE,
    SIDES,
    NameTable,
    StateSections,
)
from rulewright.documents.state_shorthand import StateTables, expand_short_forms
from rulewright.documents.value_reader import ValueReader, initial_value, read_data
from rulewright.documents.yaml_reader import MAX_DOCUMENT_NODES, parse_yaml
from rulewright.program.board_geometry import AXIAL, find_plane_board
from rulewright.program.declarations import Field, Kind, Program, Relation
from rulewright.program.types import CellType, Type, strip_optional
from rulewright.runtime.state import GameSetup, Plane, Situation, normalize_pairs
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value

NO_TEXT_NAME = ""


def parse_assignments(flag: str, given: Sequence[str]) -> ReadResult[MapNode]:
    """Mapping of `NAME=VALUE` arguments of a flag, without spans; values are YAML, so `[1, 0]` is a cell.

    Reports RW0760: no `=`, no name, a name twice, a value that cannot be read.
    """
    result: dict[str, tuple[MapKey, DocumentNode]] = {}
    wrong: list[Diagnostic] = []
    for item in given:
        before, equals, written = item.partition("=")
        name, value = before.strip(), parse_yaml(Text(NO_TEXT_NAME, written))
        if not equals or not name:
            wrong.append(
                _assignment_error(
                    f"`{flag} {item}` is not of the form `{flag} NAME=VALUE`", _assignment_form(flag, item)
                )
            )
        elif name in result:
            wrong.append(_assignment_error(f"`{flag}` gives {quote_name(name)} twice", "keep one of them"))
        elif not written.strip():
            wrong.append(_assignment_error(f"`{flag} {item}` has no value", "write the value behind the `=`"))
        elif value.value is None:
            message = f"the value of `{flag} {item}` cannot be read: {value.diagnostics[0].message}"
            wrong.append(
                _assignment_error(message, "write it as a state does; a text with signs in it stands in quotes")
            )
        else:
            result[name] = (MapKey(name, Span(NO_TEXT_NAME, 0, 0), ""), value.value)
    mapping = MapNode(tuple(result.values()), Span(NO_TEXT_NAME, 0, 0), "")
    return ReadResult(None if wrong else mapping, tuple(wrong))


def _assignment_form(flag: str, given: str) -> str:
    name, sign, value = given.partition(":")
    if sign and name.strip().isidentifier() and value.strip():
        return f"write `{flag} {name.strip()}={value.strip()}`"
    return "write what the value is for, `=` and the value"


def _assignment_error(message: str, remedy: str) -> Diagnostic:
    return Diagnostic("RW0760", Severity.ERROR, message, help=remedy)


def thing_ids(node: DocumentNode | None) -> tuple[str, ...]:
    """Ids of the things of a kind in file order, from a list of ids or a mapping by id."""
    match node:
        case MapNode(entries):
            return tuple(key.text for key, _ in entries)
        case ListNode(items):
            return tuple(item.written for item in items if isinstance(item, ScalarNode))
        case _:
            return ()


def read_kind_attributes(
    node: DocumentNode | None, kind: Kind, ids: Sequence[str], values: ValueReader
) -> dict[str, tuple[Value, ...]]:
    """Values of all stored attributes of a kind, by `Kind/name`, in the order of its things.

    Reports what `ValueReader` does, and RW0716 (a place off the board).
    """
    things = [value_under(node, id_) for id_ in ids]
    rows = [
        [_read_thing_attribute(thing, field, quote_name(id_), values) for field in kind.fields]
        for id_, thing in zip(ids, things, strict=True)
    ]
    return {f"{kind.name}/{field.name}": tuple(row[number] for row in rows) for number, field in enumerate(kind.fields)}


def _read_thing_attribute(thing: DocumentNode | None, each: Field, whose: str, values: ValueReader) -> Value:
    node = value_under(thing, each.name)
    if node is None:
        return initial_value(each)
    value = read_attribute(node, each, whose, values)
    return None if isinstance(value, InvalidValue) else value


def read_attribute(node: DocumentNode, each: Field, whose: str, values: ValueReader) -> Value | InvalidValue:
    """One attribute of a thing, whose shape is valid; a place must be a cell of a board."""
    what = f"`{each.name}` of {whose}"
    value = values.decode_field(node, each.type, initial_value(each), what)
    is_place = each.name == "at" and isinstance(strip_optional(each.type), CellType)
    if is_place and value not in (None, INVALID) and value not in values.names.cells:
        boards = [board for board, cells in values.names.base.boards.items() if cells]
        if boards:
            where = list_alternatives(boards)
            extent = _describe_extent(boards[0], each.type, values.names) if len(boards) == 1 else ""
            return values.findings.add_error(
                "RW0716", node, f"{what} is {show_node(node)}, which is not a cell of {where}", help=extent
            )
    return value


def _describe_extent(board: str, type_: Type, names: NameTable) -> str:
    """How far the numbers of the cells of a board go, as they are written."""
    cells: Any = [value_to_json(cell, strip_optional(type_), names) for cell in names.base.boards[board]]
    first, second = ([cell[axis] for cell in cells] for axis in (0, 1))
    ends = f"from {min(first)} to {max(first)}, the second from {min(second)} to {max(second)}"
    return f"the first number of a cell of `{board}` goes {ends}"


def read_removed_things(
    node: DocumentNode | None, sections: StateSections, names: NameTable, findings: Findings
) -> dict[str, frozenset[int]]:
    """Numbers of the things out of play by kind, from a list of ids.

    Reports RW0714 (no such thing, or one that never leaves play) and RW0717 (an id that several kinds have, which is
    then written `units/wreck`).
    """
    items = node.items if isinstance(node, ListNode) else ()
    result = [each for item in items if (each := _read_removed_thing(item, sections, names, findings))]
    kinds = dict.fromkeys(kind for kind, _ in result)
    return {kind: frozenset(number for owner, number in result if owner == kind) for kind in kinds}


def _read_removed_thing(
    node: DocumentNode, sections: StateSections, names: NameTable, findings: Findings
) -> tuple[str, int] | None:
    assert isinstance(node, ScalarNode)
    plural, _, id_ = node.written.rpartition("/")
    candidates = _kinds_with_id(id_, plural, sections, names.thing_numbers)
    if len(candidates) == 1 and candidates[0].number is not None:
        message = f"`removed` names {quote_name(node.written)}, and no {candidates[0].name} is ever out of play"
        findings.add_error("RW0714", node, message, help="leave it out: an `always` says how many there are")
        return None
    if len(candidates) == 1:
        return candidates[0].name, names.thing_numbers[candidates[0].name][id_]
    if candidates:
        qualified_ids = [f"{kind.plural}/{id_}" for kind in candidates]
        findings.add_error(
            "RW0717",
            node,
            f"several things are called {quote_name(id_)}",
            help=f"write {list_alternatives(qualified_ids)}",
        )
        return None
    remedy = did_you_mean(node.written, [identifier for ids in names.base.things.values() for identifier in ids])
    findings.add_error(
        "RW0714", node, f"`removed` names {quote_name(node.written)}, which is not a thing here", help=remedy
    )
    return None


def _kinds_with_id(
    id_: str, plural: str, sections: StateSections, numbers: MappingOf[str, MappingOf[str, int]]
) -> list[Kind]:
    kinds = [sections.kinds[plural]] if plural in sections.kinds else []
    if not plural:
        kinds = list({kind.name: kind for kind in sections.kinds.values()}.values())
    return [kind for kind in kinds if id_ in numbers.get(kind.name, {})]


def read_settings(
    node: DocumentNode | None, flags: Sequence[str], sections: StateSections, values: ValueReader
) -> dict[str, Value]:
    """Value of every setting; `flags` (`NAME=VALUE`) override the node, whose shape is valid.

    Reports of flags RW0722 (no such setting), RW0760 (syntax), and what `ValueReader` does.
    """
    result = {name: initial_value(setting) for name, setting in sections.program.settings.items()}
    if isinstance(node, MapNode):
        result |= _read_written_settings(node, sections, values)
    given = parse_assignments("--set", flags)
    values.findings.collected.extend(given.diagnostics)
    if given.value and document_shapes(sections.program).settings.validate_node(given.value, values.findings):
        result |= _read_written_settings(given.value, sections, values)
    return result


def _read_written_settings(node: MapNode, sections: StateSections, values: ValueReader) -> dict[str, Value]:
    result: dict[str, Value] = {}
    for key, given in node:
        name = sections.settings[key.text]
        value = values.decode_value(given, sections.program.settings[name].type, f"the setting {quote_name(key.text)}")
        if not isinstance(value, InvalidValue):
            result[name] = value
    return result


def read_relation_pairs(
    node: DocumentNode | None, relation: Relation, values: ValueReader
) -> tuple[tuple[int, int], ...]:
    """Pairs of a relation, from a list of lists of two ids, in the order of states.

    Reports RW0714 (no such thing of the kind) and RW0717 (a pair twice).
    """
    pairs: dict[tuple[int, int], DocumentNode] = {}
    for item in node.items if isinstance(node, ListNode) else ():
        pair = _read_relation_pair(item, relation, values)
        if pair is None:
            continue
        if pair in pairs or (relation.symmetric and pair[::-1] in pairs):
            values.findings.add_error("RW0717", item, f"this pair is given twice in `{relation.name}`", help="keep one")
        pairs[pair] = item
    return normalize_pairs(pairs, symmetric=relation.symmetric)


def _read_relation_pair(node: Any, relation: Relation, values: ValueReader) -> tuple[int, int] | None:
    items = [
        values.decode_value(item, parameter.type, f"`{parameter.name}` of `{relation.name}`")
        for item, parameter in zip(node.items, relation.parameters, strict=True)
    ]
    first, second = items
    return (first, second) if isinstance(first, int) and isinstance(second, int) else None


def read_state(
    text: Text, program: Program, settings: Sequence[str] = (), tables: StateTables | None = None
) -> ReadResult[Situation]:
    """Initial situation of a state file (manual, Start); `settings` (`NAME=VALUE`) override the file's.

    Reports every error of the file at once: RW0701 to RW0706 (the text), RW0710 (keys), RW0711 (missing parts), RW0712
    and RW0713 (values), RW0714 (things), RW0715 (words), RW0716 (cells), RW0717 to RW0719 (ids), RW0722 (settings),
    RW0760 (syntax of a setting). Invariants are judged by the runtime.
    """
    document = parse_yaml(text)
    if document.value is None:
        return ReadResult(None, document.diagnostics)
    findings = Findings()
    whole = document.value if tables is None else tables.inline_tables(document.value, findings)
    return ReadResult(None, tuple(findings.collected)) if findings.collected else parse_state(whole, program, settings)


def expand_state(
    node: DocumentNode, patch: MapNode | None, sections: StateSections, findings: Findings
) -> DocumentNode:
    """Full state without short forms, with a patch (which may use them too) merged over it.

    Reports as `expand_short_forms`.
    """
    whole = expand_short_forms(node, sections, findings)
    if patch is None or findings.collected:
        return whole
    drawn = [key.text for key, map_node in patch if isinstance(map_node, MapNode) and DRAWN in map_node]
    if isinstance(whole, MapNode) and isinstance(node, MapNode):
        whole = remove_paths(whole, [(board, part) for board in drawn for part in (SHAPE, CELLS, SIDES)])
        whole = merge_nodes(merge_nodes(whole, _board_legends(node, drawn)), _patched_defaults(node, patch, sections))
    return expand_short_forms(merge_nodes(whole, patch), sections, findings)


def _patched_defaults(node: MapNode, patch: MapNode, sections: StateSections) -> MapNode:
    items: list[tuple[MapKey, DocumentNode]] = []
    for key, item in patch:
        kind = node.get(key.text) if key.text in sections.kinds and isinstance(item, MapNode) else None
        if isinstance(kind, MapNode) and (defaults := kind.get(DEFAULTS)) is not None:
            items.append((key, MapNode(((kind.key(DEFAULTS), defaults),), kind.span, kind.pointer)))
    return MapNode(tuple(items), node.span, node.pointer)


def _board_legends(node: MapNode, boards: Iterable[str]) -> MapNode:
    items: list[tuple[MapKey, DocumentNode]] = []
    for name in boards:
        board = node.get(name)
        if isinstance(board, MapNode) and (legend := board.get(LEGEND)) is not None:
            items.append((node.key(name), MapNode(((board.key(LEGEND), legend),), board.span, board.pointer)))
    return MapNode(tuple(items), node.span, node.pointer)


def parse_state(
    node: DocumentNode, program: Program, settings: Sequence[str] = (), patch: MapNode | None = None
) -> ReadResult[Situation]:
    """Initial situation of a node with a patch over it; reports as `read_state`."""
    findings = Findings()
    node = expand_state(node, patch, document_shapes(program).sections, findings)
    if findings.collected:
        return ReadResult(None, findings.make_deduplicated_result(None).diagnostics)
    return _read_expanded_state(node, program, settings)


def parse_state_data(
    data: MappingOf[str, Json], program: Program, most: int = MAX_DOCUMENT_NODES
) -> ReadResult[Situation]:
    """Initial situation of JSON data with at most `most` values; reports as `read_state`.

    Raises:
        ValueError: the data is no JSON, or larger than a text may be.
    """
    return read_data(dict(data), partial(parse_state, program=program), "state", most)


def _read_expanded_state(node: DocumentNode, program: Program, settings: Sequence[str]) -> ReadResult[Situation]:
    findings, sections = Findings(), document_shapes(program).sections
    if (
        isinstance(node, MapNode)
        and len(node.entries) > 1
        and not any(key.text in sections.qualified_names for key, _ in node)
    ):
        message = f"this is not a state of `{program.name}`: none of its keys is part of one"
        findings.add_error("RW0710", node, message, help=describe_choices(list(sections.qualified_names)))
        return ReadResult(None, tuple(findings.collected))
    wrong = document_shapes(program).state.report_errors(node, findings)
    whole = (
        remove_paths(node, {_enclosing_value_path(path, sections) for path in wrong})
        if isinstance(node, MapNode)
        else node
    )
    if not isinstance(whole, MapNode) or any(path[1:2] == (COORDINATES,) for path in wrong):
        return ReadResult(None, findings.make_deduplicated_result(None).diagnostics)
    before, boards = len(findings.collected), sections.boards
    way = read_coordinates(((boards[key.text], item) for key, item in whole if key.text in boards), findings)
    if len(findings.collected) > before:
        return ReadResult(None, findings.make_deduplicated_result(None).diagnostics)
    situation = _build_situation(
        whole, sections, findings, way, settings, unsure=_kinds_with_unknown_things(wrong, sections)
    )
    return findings.make_deduplicated_result(situation)


def _enclosing_value_path(path: tuple[str, ...], sections: StateSections) -> tuple[str, ...]:
    section, *inner = path or ("",)
    if section in sections.kinds:
        return path[:3]
    if section in sections.boards:
        return path[:4] if inner and inner[0] in {CELLS, SIDES} else path[:2]
    return path[:2] if section in {GAME, SETTINGS} else path[:1]


def _kinds_with_unknown_things(wrong: Sequence[tuple[str, ...]], sections: StateSections) -> Iterator[str]:
    for section, kind in sections.kinds.items():
        if any(len(item) < 3 and item[:1] == (section,) for item in wrong):  # noqa: PLR2004 - above attributes
            yield kind.name
        if any(len(item) == 1 and item[0] not in sections.qualified_names for item in wrong):
            yield kind.name


def _build_situation(  # noqa: PLR0913, PLR0917 - all that makes a situation
    root: MapNode, sections: StateSections, findings: Findings, way: str, settings: Sequence[str], unsure: Iterable[str]
) -> Situation:
    """Situation of a state whose shape is valid: ids and cells first, since values refer to them.

    `way` is the coordinate system of hexes; `settings` override the state's, things of `unsure` kinds may be unknown.
    """
    program = sections.program
    section_nodes = {sections.qualified_names[key.text]: node for key, node in reversed(root.entries)}
    ids = {kind.name: thing_ids(section_nodes.get(kind.plural)) for kind in program.kinds.values()}
    grids = [(board, section_nodes.get(board.name)) for board in program.boards.values() if board.space != "plane"]
    cells = {
        board.name: read_board_cells(node, board, way if board.space == HEX_SPACE else AXIAL) for board, node in grids
    }
    boards = {name: cells.get(name, ()) for name in program.boards}
    names = NameTable(program, GameSetup(ids, boards, coordinates=way))
    values = ValueReader(names, findings, set(unsure))
    chosen = read_settings(section_nodes.get(SETTINGS), settings, sections, values)
    flat = find_plane_board(program)
    plane = Plane() if flat is None else read_plane(section_nodes.get(flat.name), flat, values)
    attributes: dict[str, tuple[Value, ...]] = {}
    for kind in program.kinds.values():
        attributes |= read_kind_attributes(section_nodes.get(kind.plural), kind, ids[kind.name], values)
    removed = read_removed_things(section_nodes.get(REMOVED), sections, names, findings)
    game = _read_game(section_nodes.get(GAME), sections, values)
    of_places: dict[str, dict[str, dict[Any, Value]]] = {CELLS: {}, SIDES: {}}
    for part, stored in of_places.items():
        for board, node in grids:
            stored.update(read_place_attributes(node, board, part, boards[board.name], values))
    pairs = {
        relation.name: read_relation_pairs(section_nodes.get(relation.name), relation, values)
        for relation in program.relations.values()
    }
    base = GameSetup(ids, boards, chosen, plane=plane, coordinates=way)
    return Situation(base, attributes, removed, game, of_places[CELLS], of_places[SIDES], pairs)


def _read_game(node: DocumentNode | None, sections: StateSections, values: ValueReader) -> dict[str, Value]:
    written = {sections.game[key.text]: item for key, item in map_entries(node)}
    result: dict[str, Value] = {}
    for name, field in sections.program.game.items():
        start = initial_value(field)
        given = values.decode_field(written[name], field.type, start, f"`{name}`") if name in written else start
        result[name] = None if isinstance(given, InvalidValue) else given
    return result
