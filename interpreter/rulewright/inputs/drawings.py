"""Boards drawn with one character for each cell: a legend says what cells have, and which things stand there."""

import dataclasses
from collections.abc import Container, Iterator
from itertools import count

from rulewright.inputs.document_schemas import LONGEST_EDGE
from rulewright.inputs.findings import Findings, did_you_mean, one_of, quoted, shown
from rulewright.inputs.names import CELLS, COORDINATES, DRAWN, LEGEND, SHAPE, Sections, several
from rulewright.inputs.nodes import Block, Items, Key, Mapping, Node, Scalar, entries_of, merged_mappings
from rulewright.program.declarations import Board
from rulewright.program.offsets import AXIAL, Cell, meant
from rulewright.source import Span

PLAIN, NO_CELL = ".", " "
_WRONG = "RW0727"
_PLACE = "at"
_SEVERAL_SPACED = 5
"""Three cells with their gaps."""
_DRAWING = frozenset({DRAWN, LEGEND})


def in_place(node: Mapping, sections: Sections, findings: Findings) -> Mapping:
    """A state of which things are in full, with cells in place of drawings, and things where they are drawn.

    Reports RW0714 (no such thing), RW0717 (several things of one id), RW0727 (what is wrong with a drawing).
    """
    drawings = {
        key.text: _Drawing(each, sections.boards[key.text], findings)
        for key, each in node
        if key.text in sections.boards and isinstance(each, Mapping) and DRAWN in each
    }
    if not drawings:
        return node
    boards = tuple((key, drawings[key.text].board() if key.text in drawings else each) for key, each in node)
    found = Mapping(boards, node.span, node.pointer)
    known = frozenset(key.text for each in _things(node, sections).values() for key, _ in each)
    for each in drawings.values():
        for name, cell in each.things(known):
            found = _placed(found, name, cell, sections, findings)
    return found


def _things(node: Mapping, sections: Sections) -> dict[str, Mapping]:
    """The sections of things, by their keys."""
    return {key.text: each for key, each in node if key.text in sections.kinds and isinstance(each, Mapping)}


def _placed(node: Mapping, name: Scalar, cell: Items, sections: Sections, findings: Findings) -> Mapping:
    plural, _, id_ = name.written.rpartition("/")
    things = _things(node, sections)
    kinds = [key for key, each in things.items() if id_ in each and plural in {"", key}]
    if len(kinds) == 1:
        at = Mapping(((Key(_PLACE, cell.span, cell.pointer), cell),), cell.span, cell.pointer)
        thing = Mapping(((things[kinds[0]].key(id_), at),), cell.span, cell.pointer)
        whole = merged_mappings(node, Mapping(((node.key(kinds[0]), thing),), cell.span, cell.pointer))
        return Mapping(whole.entries, node.span, node.pointer)
    if kinds:
        remedy = f"write {one_of([f'{key}/{id_}' for key in kinds])}"
        findings.error("RW0717", name, f"several things are called {quoted(id_)}", help=remedy)
    else:
        known = [key.text for each in things.values() for key, _ in each]
        number = next(n for n in count(1) if f"{id_}_{n}" not in known) - 1
        remedy = f"write `{name.written} x{number}`" if number else did_you_mean(id_, known)
        message = f"the legend names {quoted(name.written)}, which is not a thing here"
        findings.error("RW0714", name, message, help=remedy)
    return node


@dataclasses.dataclass
class _Drawing:
    """A drawing of one board; what is drawn has the place of its character."""

    section: Mapping
    declared: Board
    findings: Findings
    _stands: dict[str, list[tuple[Scalar, Items]]] = dataclasses.field(default_factory=dict)

    def board(self) -> Mapping:
        """The board with its cells; lines beside the drawing may say more of them."""
        node, legend = self.section.get(DRAWN), self._legend()
        assert node is not None
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            self.findings.error("RW0713", node, f"`{DRAWN}` is {shown(node)}; it must be a text of lines, after `|`")
            return self.section
        if SHAPE in self.section:
            beside = self.section.key(SHAPE)
            self.findings.error(_WRONG, beside, "the drawing is the shape of the board", help="keep one of them")
        if _is_spaced(node.written):
            written = node.written.split("\n")[0].replace(NO_CELL, "")
            message = "a blank stands between all cells of this drawing, so no two of them touch in a row"
            self.findings.error(_WRONG, node, message, help=f"write one character after the other: `{written}`")
        cells = list(self._cells(node, legend))
        attributes = ((cell, self._attributes(cell, legend.get(character, ()))) for character, cell in cells)
        had = tuple((_named(cell), each) for cell, each in attributes if each.entries)
        span, pointer = node.span, node.pointer
        listed = Items(tuple(each for _, each in cells), span, pointer)
        shape = Mapping(((Key(CELLS, span, pointer), listed),), span, pointer)
        drawn = ((Key(SHAPE, span, pointer), shape), (Key(CELLS, span, pointer), Mapping(had, span, pointer)))
        rest = tuple((key, each) for key, each in self.section if key.text not in _DRAWING)
        whole = Mapping(rest, self.section.span, self.section.pointer)
        return merged_mappings(Mapping(drawn, span, pointer), whole)

    def things(self, known: Container[str]) -> Iterator[tuple[Scalar, Items]]:
        """Each thing that is drawn with its cell; those of `grunt x3` in the order of reading.

        How often something is drawn that has no known id is not told: whoever looks for it says that it is not there.
        """
        for written, found in self._stands.items():
            numbered = several(written)
            wanted = len(numbered) or 1
            is_known = bool(numbered) or written.rpartition("/")[2] in known
            if len(found) != wanted and is_known:
                place = found[min(wanted, len(found) - 1)][1]
                message = f"{quoted(written)} is drawn {_times(len(found))}, and should be drawn {_times(wanted)}"
                self.findings.error(_WRONG, place, message, help="" if numbered else "three things are `name x3`")
            for id_, (name, cell) in zip(numbered or (written,), found, strict=False):
                yield Scalar(id_, id_, name.span, name.pointer), cell

    def _legend(self) -> dict[str, tuple[Node, ...]]:
        given = self.section.get(LEGEND)
        found: dict[str, tuple[Node, ...]] = {}
        if given is not None and not isinstance(given, Mapping):
            self.findings.error("RW0713", given, f"`{LEGEND}` is {shown(given)}; it must be a mapping from characters")
        for key, node in entries_of(given):
            if len(key.text) != 1 or key.text == NO_CELL:
                self.findings.error(_WRONG, key, f"{quoted(key.text)} is not a character that can be drawn")
            found[key.text] = node.items if isinstance(node, Items) else (node,)
        return found

    def _cells(self, node: Scalar, legend: dict[str, tuple[Node, ...]]) -> Iterator[tuple[str, Items]]:
        """Each character that is a cell, with the cell as the state would write it."""
        told: set[str] = set()
        for row, line in enumerate(node.written.split("\n")):
            for column, character in enumerate(line.rstrip()):
                place = self._place(node, row, column)
                if max(row, column) >= LONGEST_EDGE:
                    self.findings.error("RW0702", place, f"a drawing has at most {LONGEST_EDGE} columns and rows")
                    return
                if character == NO_CELL or _is_nothing(legend.get(character)):
                    continue
                if character not in {PLAIN, *legend, *told}:
                    told.add(character)
                    message = f"{quoted(character)} is drawn here, and the legend does not say what it is"
                    self.findings.error(_WRONG, place, message, help=f"say it under `{LEGEND}:`, or draw `{PLAIN}`")
                pair = (Scalar(each, str(each), place.span, place.pointer) for each in self._pair(column, row))
                yield character, Items(tuple(pair), place.span, place.pointer)

    def _attributes(self, cell: Items, entry: tuple[Node, ...]) -> Mapping:
        """What the legend says of a cell; what is not a mapping is a thing that stands there."""
        found = Mapping((), cell.span, cell.pointer)
        for each in entry:
            if isinstance(each, Mapping):
                found = merged_mappings(found, each)
            elif isinstance(each, Scalar):
                self._stands.setdefault(each.written, []).append((each, cell))
        return found

    def _pair(self, column: int, row: int) -> Cell:
        coordinates = self.section.get(COORDINATES)
        is_axial = coordinates is None or (isinstance(coordinates, Scalar) and coordinates.written == AXIAL)
        return meant((column, row), "odd rows") if self.declared.space == "hex" and is_axial else (column, row)

    def _place(self, node: Scalar, row: int, column: int) -> Scalar:
        span = node.span
        if isinstance(node, Block):
            span = Span(span.source, node.starts[row] + column, node.starts[row] + column + 1)
        return Scalar(None, "", span, node.pointer)


def _is_spaced(drawn: str) -> bool:
    """Whether a blank stands between any two cells of all rows, as where a map is copied with its gaps."""
    rows = [line.strip(NO_CELL) for line in drawn.split("\n")]
    return any(len(row) >= _SEVERAL_SPACED for row in rows) and all(set(row[1::2]) <= {NO_CELL} for row in rows)


def _named(cell: Items) -> Key:
    return Key(",".join(each.written for each in cell.items if isinstance(each, Scalar)), cell.span, cell.pointer)


def _is_nothing(entry: tuple[Node, ...] | None) -> bool:
    return entry is not None and len(entry) == 1 and isinstance(entry[0], Scalar) and entry[0].value in {None, "none"}


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
