"""Boards in state files: cells, coordinates, attributes of cells and sides, and drawings."""

import dataclasses
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from rulewright.base.source import Span
from rulewright.documents.document_nodes import (
    BlockScalar,
    DocumentNode,
    Json,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    map_entries,
    merge_map_nodes,
    node_to_data,
    value_under,
)
from rulewright.documents.document_schemas import CONTACT, DEPTH, MAX_BOARD_EDGE, MAX_BOARD_RADIUS, WIDTH
from rulewright.documents.findings import Findings, InvalidValue, did_you_mean, list_alternatives, quote_name, show_node
from rulewright.documents.name_table import (
    CELLS,
    COORDINATES,
    DRAWN,
    LEGEND,
    SHAPE,
    StateSections,
    expand_numbered_ids,
)
from rulewright.documents.value_reader import ValueReader, initial_value
from rulewright.program.board_geometry import AXIAL, HexCell, convert_from_axial, convert_to_axial
from rulewright.program.declarations import Board
from rulewright.program.types import GRID_STEPS
from rulewright.runtime.codec_protocols import length_measure
from rulewright.runtime.state import CONTACT_TOLERANCES, Plane
from rulewright.runtime.values import Cell, Value

HEX_SPACE = "hex"
_CELL_KEY_PATTERN = re.compile(r"(-?[0-9]{1,6}), ?(-?[0-9]{1,6})")


def hexagon_cells(radius: int) -> tuple[Cell, ...]:
    """All hexes within a distance of (0, 0), in order."""
    span = range(-radius, radius + 1)
    return tuple((q, r) for q in span for r in span if abs(q + r) <= radius)


def parallelogram_cells(across: int, down: int) -> tuple[Cell, ...]:
    """Hexes from (0, 0) to (across - 1, down - 1) in axial coordinates, in order."""
    return tuple((q, r) for q in range(across) for r in range(down))


def ragged_row_cells(rows: Sequence[int], way: str) -> tuple[Cell, ...]:
    """Cells of rows of given lengths, in order; each row begins in column 0."""
    return tuple(
        sorted(convert_to_axial((column, row), way) for row, length in enumerate(rows) for column in range(length))
    )


def _row_layout(board: Board, coordinates: str) -> str:
    return AXIAL if board.space != HEX_SPACE else "odd rows" if coordinates == AXIAL else coordinates


def read_board_cells(node: DocumentNode | None, board: Board, coordinates: str) -> tuple[Cell, ...]:
    shape: Any = node_to_data(node) if isinstance(node, MapNode) else {}
    way = _row_layout(board, coordinates)
    match shape.get(SHAPE, {"cells": []}):
        case {"radius": radius}:
            return hexagon_cells(radius)
        case {"parallelogram": [across, down]}:
            return parallelogram_cells(across, down)
        case {"columns": columns, "rows": rows}:
            return ragged_row_cells([columns] * rows, way)
        case {"rows": rows}:
            return ragged_row_cells(rows, way)
        case {"columns": columns}:
            across = (
                convert_to_axial((column, row), way) for column, length in enumerate(columns) for row in range(length)
            )
            return tuple(sorted(across))
        case {"cells": cells}:
            return tuple(sorted(convert_to_axial((first, second), coordinates) for first, second in cells))
        case _:
            return ()


def read_coordinates(boards: Iterable[tuple[Board, DocumentNode | None]], findings: Findings) -> str:
    """Coordinate system of hexes, one for all boards, since a hex does not name its board.

    Reports RW0720 (two systems).
    """
    mapping: dict[str, DocumentNode] = {}
    for board, node in boards:
        if board.space == HEX_SPACE and isinstance(node, MapNode):
            given = node.get(COORDINATES)
            mapping.setdefault(given.written if isinstance(given, ScalarNode) else AXIAL, given or node)
    systems = list(mapping) or [AXIAL]
    if len(systems) > 1:
        message = f"all boards write hexes in the same way, but here are {quote_name(systems[0])} and {quote_name(systems[1])}"
        findings.add_error(
            "RW0720", mapping[systems[1]], message, help=f"write the same `{COORDINATES}:` on each board of hexes"
        )
    return systems[0]


def parse_cell_key(written: str) -> tuple[Cell, ...] | None:
    """Cells of a key such as `2,-1`, or of a side `0,0 1,0`; `None` for any other text."""
    items = [_CELL_KEY_PATTERN.fullmatch(part) for part in written.replace(", ", ",").split(" ")]
    cells = [(int(match[1]), int(match[2])) for match in items if match]
    return tuple(cells) if len(cells) == len(items) else None


def read_place_attributes(
    node: DocumentNode | None, board: Board, section: str, cells: tuple[Cell, ...], values: ValueReader
) -> dict[str, dict[Any, Value]]:
    """Attributes by `board/name`: of cells, or of sides by the ordered pair of their cells; `section` says which.

    Places that are not written have the start value. Reports RW0716 (no such place) and what `ValueReader` does.
    """
    fields, sort = (board.fields, "cell") if section == CELLS else (board.sides, "side between two neighbouring cells")
    inside, way = frozenset(cells), values.names.coordinates if board.space == HEX_SPACE else AXIAL
    result: dict[str, dict[Any, Value]] = {f"{board.name}/{item.name}": {} for item in fields}
    for key, attributes in map_entries(value_under(node, section)) if cells else ():
        touched = tuple(convert_to_axial(pair, way) for pair in parse_cell_key(key.text) or ())
        place: Any = touched[0] if section == CELLS and len(touched) == 1 else _find_side(touched, board)
        if place is None or not inside.issuperset(touched):
            values.findings.add_error("RW0716", key, f"{quote_name(key.text)} is not a {sort} of `{board.name}`")
            continue
        for field in fields:
            inner = value_under(attributes, field.name)
            if inner is not None:
                what = f"`{field.name}` of {section[:-1]} `{key.text}`"
                value = values.decode_field(inner, field.type, initial_value(field), what)
                result[f"{board.name}/{field.name}"][place] = None if isinstance(value, InvalidValue) else value
    return result


def _find_side(cells: tuple[Cell, ...], board: Board) -> tuple[Cell, Cell] | None:
    match cells:
        case (first, second) if (second[0] - first[0], second[1] - first[1]) in GRID_STEPS[board.space]:
            return min(first, second), max(first, second)
        case _:
            return None


def shortest_board_shape(cells: tuple[Cell, ...], board: Board, coordinates: str) -> Json:
    """Shortest form in which a state can write the cells of a board."""
    radius = max((q for q, _ in cells), default=0)
    if board.space == HEX_SPACE and 0 <= radius <= MAX_BOARD_RADIUS and cells == hexagon_cells(radius):
        return {"radius": radius}
    across, down = (max((item[axis] for item in cells), default=0) + 1 for axis in (0, 1))
    is_small = min(across, down) > 1 and max(across, down) <= MAX_BOARD_EDGE
    if board.space == HEX_SPACE and coordinates == AXIAL and is_small and cells == parallelogram_cells(across, down):
        return {"parallelogram": [across, down]}
    way = _row_layout(board, coordinates)
    rows = Counter(row for _, row in (convert_from_axial(cell, way) for cell in cells))
    lengths = [rows[row] for row in range(len(rows))]
    if (
        cells
        and max(lengths) <= MAX_BOARD_EDGE
        and len(rows) <= MAX_BOARD_EDGE
        and cells == ragged_row_cells(lengths, way)
    ):
        return {"columns": lengths[0], "rows": len(rows)} if len(set(lengths)) == 1 else {"rows": [*lengths]}
    return {"cells": [list(convert_from_axial(cell, coordinates)) for cell in cells]}


def read_plane(node: DocumentNode | None, board: Board, values: ValueReader) -> Plane:
    """Board of the plane; all of it is optional."""
    if not isinstance(node, MapNode):
        return Plane(contact=CONTACT_TOLERANCES[board.unit])
    width, depth, contact = (_read_plane_length(node, name, board, values) for name in (WIDTH, DEPTH, CONTACT))
    return Plane(width, depth, CONTACT_TOLERANCES[board.unit] if contact is None else contact)


def _read_plane_length(node: MapNode, name: str, board: Board, values: ValueReader) -> int | None:
    given = node.get(name)
    if not isinstance(given, ScalarNode):
        return None
    number = values.decode_measure(given, f"`{name}` of `{board.name}`", length_measure(values.names.program))
    return None if isinstance(number, InvalidValue) else number


PLAIN_CELL_CHAR, NO_CELL_CHAR = ".", " "
_DRAWING_ERROR = "RW0727"
_PLACE_ATTRIBUTE = "at"
_MIN_SPACED_CHARS = 5
"""Three cells with a gap between each."""
_DRAWING_KEYS = frozenset({DRAWN, LEGEND})


def expand_drawings(node: MapNode, sections: StateSections, findings: Findings) -> MapNode:
    """State with cells in place of drawings, and drawn things placed; things are expanded already.

    Reports RW0714 (no such thing), RW0717 (several things of one id), RW0727 (an error in a drawing).
    """
    drawings = {
        key.text: _BoardDrawing(map_node, sections.boards[key.text], findings)
        for key, map_node in node
        if key.text in sections.boards and isinstance(map_node, MapNode) and DRAWN in map_node
    }
    if not drawings:
        return node
    boards = tuple((key, drawings[key.text].expand_board() if key.text in drawings else item) for key, item in node)
    result = MapNode(boards, node.span, node.pointer)
    known = frozenset(key.text for section in _thing_sections(node, sections).values() for key, _ in section)
    for drawing in drawings.values():
        for name, cell in drawing.locate_things(known):
            result = _place_thing(result, name, cell, sections, findings)
    return result


def _thing_sections(node: MapNode, sections: StateSections) -> dict[str, MapNode]:
    return {
        key.text: map_node for key, map_node in node if key.text in sections.kinds and isinstance(map_node, MapNode)
    }


def _place_thing(
    node: MapNode, name: ScalarNode, cell: ListNode, sections: StateSections, findings: Findings
) -> MapNode:
    plural, _, id_ = name.written.rpartition("/")
    things = _thing_sections(node, sections)
    kinds = [key for key, map_node in things.items() if id_ in map_node and plural in {"", key}]
    if len(kinds) == 1:
        at = MapNode(((MapKey(_PLACE_ATTRIBUTE, cell.span, cell.pointer), cell),), cell.span, cell.pointer)
        thing = MapNode(((things[kinds[0]].key(id_), at),), cell.span, cell.pointer)
        whole = merge_map_nodes(node, MapNode(((node.key(kinds[0]), thing),), cell.span, cell.pointer))
        return MapNode(whole.entries, node.span, node.pointer)
    if kinds:
        remedy = f"write {list_alternatives([f'{key}/{id_}' for key in kinds])}"
        findings.add_error("RW0717", name, f"several things are called {quote_name(id_)}", help=remedy)
    else:
        known = [key.text for map_node in things.values() for key, _ in map_node]
        number = next(n for n in count(1) if f"{id_}_{n}" not in known) - 1
        remedy = f"write `{name.written} x{number}`" if number else did_you_mean(id_, known)
        message = f"the legend names {quote_name(name.written)}, which is not a thing here"
        findings.add_error("RW0714", name, message, help=remedy)
    return node


@dataclasses.dataclass
class _BoardDrawing:
    section: MapNode
    board: Board
    findings: Findings
    _positions: dict[str, list[tuple[ScalarNode, ListNode]]] = dataclasses.field(default_factory=dict)

    def expand_board(self) -> MapNode:
        """Board with its cells, under the entries beside the drawing."""
        node, legend = self.section.get(DRAWN), self._read_legend()
        assert node is not None
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
            self.findings.add_error(
                "RW0713", node, f"`{DRAWN}` is {show_node(node)}; it must be a text of lines, after `|`"
            )
            return self.section
        if SHAPE in self.section:
            beside = self.section.key(SHAPE)
            self.findings.add_error(
                _DRAWING_ERROR, beside, "the drawing is the shape of the board", help="keep one of them"
            )
        if _is_spaced(node.written):
            written = node.written.split("\n")[0].replace(NO_CELL_CHAR, "")
            message = "a blank stands between all cells of this drawing, so no two of them touch in a row"
            self.findings.add_error(
                _DRAWING_ERROR, node, message, help=f"write one character after the other: `{written}`"
            )
        cells = list(self._read_drawn_cells(node, legend))
        attributes = ((cell, self._apply_legend(cell, legend.get(character, ()))) for character, cell in cells)
        had = tuple((_cell_key_node(cell), map_node) for cell, map_node in attributes if map_node.entries)
        span, pointer = node.span, node.pointer
        listed = ListNode(tuple(list_node for _, list_node in cells), span, pointer)
        shape = MapNode(((MapKey(CELLS, span, pointer), listed),), span, pointer)
        drawn = ((MapKey(SHAPE, span, pointer), shape), (MapKey(CELLS, span, pointer), MapNode(had, span, pointer)))
        rest = tuple((key, item) for key, item in self.section if key.text not in _DRAWING_KEYS)
        whole = MapNode(rest, self.section.span, self.section.pointer)
        return merge_map_nodes(MapNode(drawn, span, pointer), whole)

    def locate_things(self, known: Container[str]) -> Iterator[tuple[ScalarNode, ListNode]]:
        """Each drawn thing with its cell; those of `grunt x3` in reading order.

        Repetitions of an unknown id are not reported: the reader reports that it does not exist.
        """
        for written, result in self._positions.items():
            numbered = expand_numbered_ids(written)
            wanted = len(numbered) or 1
            is_known = bool(numbered) or written.rpartition("/")[2] in known
            if len(result) != wanted and is_known:
                place = result[min(wanted, len(result) - 1)][1]
                message = f"{quote_name(written)} is drawn {_spell_count(len(result))}, and should be drawn {_spell_count(wanted)}"
                self.findings.add_error(
                    _DRAWING_ERROR, place, message, help="" if numbered else "three things are `name x3`"
                )
            for id_, (name, cell) in zip(numbered or (written,), result, strict=False):
                yield ScalarNode(id_, id_, name.span, name.pointer), cell

    def _read_legend(self) -> dict[str, tuple[DocumentNode, ...]]:
        given = self.section.get(LEGEND)
        result: dict[str, tuple[DocumentNode, ...]] = {}
        if given is not None and not isinstance(given, MapNode):
            self.findings.add_error(
                "RW0713", given, f"`{LEGEND}` is {show_node(given)}; it must be a mapping from characters"
            )
        for key, node in map_entries(given):
            if len(key.text) != 1 or key.text == NO_CELL_CHAR:
                self.findings.add_error(
                    _DRAWING_ERROR, key, f"{quote_name(key.text)} is not a character that can be drawn"
                )
            result[key.text] = node.items if isinstance(node, ListNode) else (node,)
        return result

    def _read_drawn_cells(
        self, node: ScalarNode, legend: dict[str, tuple[DocumentNode, ...]]
    ) -> Iterator[tuple[str, ListNode]]:
        reported: set[str] = set()
        for row, line in enumerate(node.written.split("\n")):
            for column, character in enumerate(line.rstrip()):
                place = self._character_place(node, row, column)
                if max(row, column) >= MAX_BOARD_EDGE:
                    self.findings.add_error("RW0702", place, f"a drawing has at most {MAX_BOARD_EDGE} columns and rows")
                    return
                if character == NO_CELL_CHAR or _is_empty_entry(legend.get(character)):
                    continue
                if character not in {PLAIN_CELL_CHAR, *legend, *reported}:
                    reported.add(character)
                    message = f"{quote_name(character)} is drawn here, and the legend does not say what it is"
                    self.findings.add_error(
                        _DRAWING_ERROR, place, message, help=f"say it under `{LEGEND}:`, or draw `{PLAIN_CELL_CHAR}`"
                    )
                pair = (
                    ScalarNode(grid_coordinate, str(grid_coordinate), place.span, place.pointer)
                    for grid_coordinate in self._grid_coordinates(column, row)
                )
                yield character, ListNode(tuple(pair), place.span, place.pointer)

    def _apply_legend(self, cell: ListNode, entry: tuple[DocumentNode, ...]) -> MapNode:
        result = MapNode((), cell.span, cell.pointer)
        for child in entry:
            if isinstance(child, MapNode):
                result = merge_map_nodes(result, child)
            elif isinstance(child, ScalarNode):
                self._positions.setdefault(child.written, []).append((child, cell))
        return result

    def _grid_coordinates(self, column: int, row: int) -> HexCell:
        coordinates = self.section.get(COORDINATES)
        is_axial = coordinates is None or (isinstance(coordinates, ScalarNode) and coordinates.written == AXIAL)
        return convert_to_axial((column, row), "odd rows") if self.board.space == "hex" and is_axial else (column, row)

    def _character_place(self, node: ScalarNode, row: int, column: int) -> ScalarNode:
        span = node.span
        if isinstance(node, BlockScalar):
            span = Span(span.source, node.line_starts[row] + column, node.line_starts[row] + column + 1)
        return ScalarNode(None, "", span, node.pointer)


def _is_spaced(drawn: str) -> bool:
    rows = [line.strip(NO_CELL_CHAR) for line in drawn.split("\n")]
    return any(len(row) >= _MIN_SPACED_CHARS for row in rows) and all(set(row[1::2]) <= {NO_CELL_CHAR} for row in rows)


def _cell_key_node(cell: ListNode) -> MapKey:
    return MapKey(
        ",".join(item.written for item in cell.items if isinstance(item, ScalarNode)), cell.span, cell.pointer
    )


def _is_empty_entry(entry: tuple[DocumentNode, ...] | None) -> bool:
    return (
        entry is not None and len(entry) == 1 and isinstance(entry[0], ScalarNode) and entry[0].value in {None, "none"}
    )


def _spell_count(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
