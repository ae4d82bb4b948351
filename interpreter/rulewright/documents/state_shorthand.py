"""Expansion of the short forms of states (`defaults`, `like`, `x5`, `each`, drawings, tables) before validation.

Expanded nodes have the spans of their source: five things of `grunt x5` share those of that one line.
"""

import csv
import dataclasses
import posixpath
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from rulewright.base.bounded_files import read_text_file
from rulewright.base.diagnostics import Diagnostic, Label
from rulewright.base.files import FileProvider
from rulewright.base.source import Span, Text
from rulewright.documents.board_sections import expand_drawings
from rulewright.documents.document_nodes import (
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    make_empty_map,
    map_entries,
    merge_map_nodes,
    merge_nodes,
    parse_plain_scalar,
    value_under,
)
from rulewright.documents.findings import Findings, did_you_mean, quote_name, show_node
from rulewright.documents.name_table import (
    CSV,
    DEFAULTS,
    EACH,
    ID,
    LIKE,
    MAX_STATE_THINGS,
    StateSections,
    expand_numbered_ids,
)
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.program.declarations import Kind
from rulewright.program.wording import add_article


def expand_short_forms(node: DocumentNode, sections: StateSections, findings: Findings) -> DocumentNode:
    """State without short forms: no `defaults`, `like`, `x5` or `each`, and no drawing.

    Reports RW0702 (too many things), RW0713 (another type of value), RW0714 (like no thing), RW0717 (an id twice),
    RW0719 (like itself), and what `expand_drawings` does.
    """
    if not isinstance(node, MapNode):
        return node
    entries = tuple((key, _expand_section(key, item, sections, findings)) for key, item in node)
    return expand_drawings(MapNode(entries, node.span, node.pointer), sections, findings)


def _expand_section(key: MapKey, node: DocumentNode, sections: StateSections, findings: Findings) -> DocumentNode:
    kind = sections.kinds.get(key.text)
    table = value_under(node, CSV)
    if isinstance(table, ScalarNode) and table.value is not None:
        message = "a table is read where a file names it, and this state does not come from a file"
        findings.add_error("RW0721", table, message, help="write the things out, or name the state's file")
    if kind is None or not isinstance(node, MapNode) or not _has_short_forms(node, kind):
        return node
    return _ThingExpander(key, node, kind, findings).expand_things()


def _has_short_forms(section: MapNode, kind: Kind) -> bool:
    return any(
        key.text == DEFAULTS or " " in key.text or (isinstance(node, MapNode) and _has_like(node, kind))
        for key, node in section
    )


def _has_like(node: MapNode, kind: Kind) -> bool:
    return LIKE in node and all(field.name != LIKE for field in kind.fields)


@dataclasses.dataclass
class _ThingExpander:
    key: MapKey
    section: MapNode
    kind: Kind
    findings: Findings
    _line_by_id: dict[str, tuple[MapKey, DocumentNode]] = dataclasses.field(default_factory=dict)
    _numbered_ids: set[str] = dataclasses.field(default_factory=set)
    _expanded: dict[str, DocumentNode] = dataclasses.field(default_factory=dict)

    def expand_things(self) -> MapNode:
        alone: list[tuple[MapKey, DocumentNode]] = []
        for key, node in self.section:
            if ids := expand_numbered_ids(key.text):
                self._expand_numbered_line(key, node, ids)
            elif key.text != DEFAULTS:
                alone.append((key, node))
                self._line_by_id.setdefault(key.text, (key, make_empty_map(node)))
        for key, node in alone:
            self._line_by_id[key.text] = key, _overlay_node(self._line_by_id[key.text][1], node)
        defaults = self._read_defaults()
        entries = tuple(
            (key, _overlay_node(defaults, self._expand_thing(id_))) for id_, (key, _) in self._line_by_id.items()
        )
        return MapNode(entries, self.section.span, self.section.pointer)

    def _read_defaults(self) -> DocumentNode:
        given = self.section.get(DEFAULTS) or make_empty_map(self.section)
        if isinstance(given, MapNode):
            return given
        message = (
            f"`{DEFAULTS}` of {quote_name(self.key.text)} is {show_node(given)}; it must be a mapping of attributes"
        )
        self.findings.add_error("RW0713", given, message)
        return make_empty_map(given)

    def _expand_numbered_line(self, key: MapKey, node: DocumentNode, ids: tuple[str, ...]) -> None:
        if len(self._numbered_ids) + len(ids) > MAX_STATE_THINGS:
            self.findings.add_error("RW0702", key, f"these lines stand for more than {MAX_STATE_THINGS:,} things")
            return
        for number, id_ in enumerate(ids):
            if id_ in self._numbered_ids:
                message = f"the {self.kind.name} {quote_name(id_)} is given twice"
                self.findings.add_error("RW0717", key, message, help="give one of the lines another name")
                return
            attributes = MapNode(tuple(self._attributes_of_one(node, key, number, len(ids))), node.span, node.pointer)
            self._numbered_ids.add(id_)
            self._line_by_id[id_] = (
                MapKey(id_, key.span, key.pointer),
                attributes if isinstance(node, MapNode) else node,
            )

    def _attributes_of_one(
        self, node: DocumentNode, key: MapKey, number: int, count: int
    ) -> Iterator[tuple[MapKey, DocumentNode]]:
        for name, given in map_entries(node):
            values = given.get(EACH) if isinstance(given, MapNode) and len(given.entries) == 1 else None
            if not isinstance(values, ListNode):
                yield name, given
            elif number < len(values.items) == count:
                yield name, values.items[number]
            elif number == 0:
                message = f"{quote_name(name.text)} of {quote_name(key.text)} has {len(values.items)} values for {count} things"
                self.findings.add_error(
                    "RW0713", values, message, help="write one for each, or one for all without `each`"
                )

    def _expand_thing(self, id_: str) -> DocumentNode:
        chain: dict[str, MapNode] = {}
        at: str | None = id_
        while at is not None and at not in self._expanded:
            node = self._line_by_id[at][1]
            if not isinstance(node, MapNode) or not _has_like(node, self.kind):
                self._expanded[at] = node
                break
            chain[at] = node
            at = self._read_like(node, chain)
        whole = self._expanded.get(at or "", make_empty_map(self.section))
        for item, node in reversed(chain.items()):
            own_entries = tuple((key, one) for key, one in node if key.text != LIKE)
            whole = self._expanded[item] = _overlay_node(whole, MapNode(own_entries, node.span, node.pointer))
        return self._expanded[id_]

    def _read_like(self, node: MapNode, chain: Container[str]) -> str | None:
        given = node.get(LIKE)
        assert given is not None
        if not isinstance(given, ScalarNode):
            self.findings.add_error("RW0713", given, f"`{LIKE}` is {show_node(given)}; it must be the id of a thing")
        elif given.written not in self._line_by_id:
            name, first = given.written, f"{given.written}_1"
            near = (
                f"one of several is {quote_name(first)}"
                if first in self._line_by_id
                else did_you_mean(name, self._line_by_id)
            )
            message = f"`{LIKE}` names {quote_name(name)}, which is not {add_article(self.kind.name)} here"
            self.findings.add_error("RW0714", given, message, help=near)
        elif given.written in chain:
            message = f"{quote_name(given.written)} would be like itself"
            self.findings.add_error("RW0719", given, message, help="say in one of these lines what it has")
        else:
            return given.written
        return None


def _overlay_node(base: DocumentNode, overlay: DocumentNode) -> DocumentNode:
    return base if isinstance(overlay, ScalarNode) and overlay.value is None else merge_nodes(base, overlay)


_CSV_DELIMITERS = ",;\t"
_YAML_BRACKETS = ("[", "{")
"""First characters of cells that are lists or mappings."""
_QUOTED_PATTERN = re.compile(r"""("|')[^"']*\1""")
"""A quoted text, such as one that looks like a number."""
_EXPORT_REMEDY = "save the table as CSV: a first row with the names of attributes and `id`, then a row for each thing"
_DEFAULT_CSV_ERROR = ("this row cannot be read", "RW0721", _EXPORT_REMEDY)
_QUOTES_REMEDY = "write the cell in quotes, and each quote inside it twice"
_CSV_ERRORS = {
    "unexpected end of data": ("a quote is opened in this row and never closed", "RW0721", _QUOTES_REMEDY),
    "',' expected after '\"'": ("there is something after the closing quote of a cell", "RW0721", _QUOTES_REMEDY),
    "';' expected after '\"'": ("there is something after the closing quote of a cell", "RW0721", _QUOTES_REMEDY),
    "'\t' expected after '\"'": ("there is something after the closing quote of a cell", "RW0721", _QUOTES_REMEDY),
}


@dataclass(frozen=True)
class StateTables:
    """Loader of the CSV tables that states name."""

    provider: FileProvider
    texts: dict[str, Text]  # filled with every table that was read, by name

    def inline_tables(self, node: DocumentNode, findings: Findings) -> DocumentNode:
        """State with the rows of its tables as things, under the state's own entries.

        Tables are looked up relative to the text that names them. Reports what reading a file does, RW0717 (an id twice) and
        RW0721 (no table).
        """
        if not isinstance(node, MapNode):
            return node
        entries = tuple((key, self._inline_section(item, findings)) for key, item in node)
        return MapNode(entries, node.span, node.pointer)

    def _inline_section(self, section: DocumentNode, findings: Findings) -> DocumentNode:
        named = value_under(section, CSV)
        if not isinstance(section, MapNode) or not isinstance(named, ScalarNode) or not isinstance(named.value, str):
            return section
        place = posixpath.join(posixpath.dirname(named.span.source), named.written)
        text = read_text_file(place, self.provider, Label(named.span))
        if isinstance(text, Diagnostic):
            findings.collected.append(text)
            return section
        self.texts[text.name] = text
        things = _CsvTable(text, named, findings).read_things()
        rest = tuple((key, item) for key, item in section if key.text != CSV)
        return merge_map_nodes(MapNode(things, named.span, named.pointer), MapNode(rest, section.span, section.pointer))


@dataclass(frozen=True)
class _CsvCell:
    written: str
    start: int
    end: int


@dataclass(frozen=True)
class _CsvTable:
    text: Text
    name_node: ScalarNode
    findings: Findings

    def read_things(self) -> tuple[tuple[MapKey, DocumentNode], ...]:
        found_rows = self._read_rows()
        if found_rows is None:
            return ()
        head, *rows = found_rows or [[]]
        names = [csv_cell.written.strip() for csv_cell in head]
        if len(rows) > MAX_STATE_THINGS:
            self._report_cell_error(
                rows[MAX_STATE_THINGS][0], f"a table has at most {MAX_STATE_THINGS:,} rows", "RW0702"
            )
        if len(rows) > MAX_STATE_THINGS or not self._is_valid_header(head, names):
            return ()
        mapping: dict[str, tuple[MapKey, DocumentNode]] = {}
        for row in rows:
            key = self._cell_key_node(row[at]) if (at := names.index(ID)) < len(row) else None
            if any(csv_cell.written.strip() for csv_cell in row[len(head) :]):
                self._report_cell_error(
                    row[len(head)], f"this row has {len(row)} cells, and the first row has {len(head)}"
                )
            elif key is None or not key.text:
                self._report_cell_error(row[0], f"this row has no `{ID}`")
            elif key.text in mapping:
                self._report_cell_error(
                    row[at], f"the id {quote_name(key.text)} is given twice", "RW0717", "rename one"
                )
            else:
                mapping[key.text] = key, MapNode(tuple(self._read_row_attributes(head, row)), key.span, key.pointer)
        return tuple(mapping.values())

    def _is_valid_header(self, head: Sequence[_CsvCell], names: Sequence[str]) -> bool:
        before = len(self.findings.collected)
        if ID not in names:
            place = head[0] if head else _CsvCell("", 0, 0)
            self._report_cell_error(
                place, f"no column of {quote_name(self.text.name)} is called `{ID}`", help=_EXPORT_REMEDY
            )
        for number, (cell, name) in enumerate(zip(head, names, strict=True)):
            if not name:
                self._report_cell_error(
                    cell, f"column {number + 1} has no name", help="name the attribute it holds, or take it out"
                )
            elif name in names[:number]:
                self._report_cell_error(cell, f"two columns are called {quote_name(name)}", help="keep one of them")
        return len(self.findings.collected) == before

    def _read_row_attributes(
        self, head: Sequence[_CsvCell], row: Sequence[_CsvCell]
    ) -> Iterator[tuple[MapKey, DocumentNode]]:
        for name, cell in zip(head, row, strict=False):
            if name.written.strip() != ID and cell.written.strip():
                key = MapKey(name.written.strip(), self._cell_span(name), self.name_node.pointer)
                yield key, self._read_cell_value(cell)

    def _read_cell_value(self, cell: _CsvCell) -> DocumentNode:
        written = cell.written.strip()
        if not written.startswith(_YAML_BRACKETS) and not _QUOTED_PATTERN.fullmatch(written):
            try:
                return ScalarNode(parse_plain_scalar(written), written, self._cell_span(cell), self.name_node.pointer)
            except OverflowError:
                self._report_cell_error(cell, "this number is too long")
        read_result = parse_yaml(Text(self.text.name, written))
        for diagnostic in read_result.diagnostics:
            self._report_cell_error(cell, f"in this cell {diagnostic.message}", help=diagnostic.help)
        nothing = ScalarNode(None, "", self._cell_span(cell), self.name_node.pointer)
        return nothing if read_result.value is None else self._place_in_cell(read_result.value, cell)

    def _place_in_cell(self, node: DocumentNode, cell: _CsvCell) -> DocumentNode:
        span, pointer = self._cell_span(cell), self.name_node.pointer
        match node:
            case ScalarNode(value, written):
                return ScalarNode(value, written, span, pointer)
            case ListNode(items):
                return ListNode(tuple(self._place_in_cell(item, cell) for item in items), span, pointer)
            case MapNode(entries):
                pairs = ((MapKey(key.text, span, pointer), self._place_in_cell(item, cell)) for key, item in entries)
                return MapNode(tuple(pairs), span, pointer)

    def _cell_key_node(self, cell: _CsvCell) -> MapKey:
        return MapKey(cell.written.strip(), self._cell_span(cell), self.name_node.pointer)

    def _cell_span(self, cell: _CsvCell) -> Span:
        return Span(self.text.name, cell.start, cell.end)

    def _report_cell_error(self, cell: _CsvCell, message: str, code: str = "RW0721", help: str = "") -> None:  # noqa: A002
        place = MapKey(cell.written, self._cell_span(cell), self.name_node.pointer)
        self.findings.add_error(code, place, message, help=help)

    def _read_rows(self) -> list[list[_CsvCell]] | None:
        lines = self.text.content.splitlines(keepends=True)
        delimiter = max(_CSV_DELIMITERS, key=lines[0].count) if lines else ","
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        result: list[list[_CsvCell]] = []
        start = before = 0
        try:
            for fields in reader:
                raw = "".join(lines[before : reader.line_num])
                if any(field.strip() for field in fields):
                    result.append(list(_locate_cells(fields, raw, start, delimiter)))
                start, before = start + len(raw), reader.line_num
        except csv.Error as wrong:
            line = "".join(lines[before : before + 1]).rstrip("\r\n")
            self._report_cell_error(
                _CsvCell(line, start, start + len(line)), *_CSV_ERRORS.get(str(wrong), _DEFAULT_CSV_ERROR)
            )
            return None
        return result


def _locate_cells(fields: Sequence[str], raw: str, start: int, delimiter: str) -> Iterator[_CsvCell]:
    pattern = re.compile(rf'"(?:[^"]|"")*"|[^{re.escape(delimiter)}\r\n]*')
    at = 0
    for field in fields:
        match_ = pattern.match(raw, at)
        end = match_.end() if match_ else at
        yield _CsvCell(field, start + at, start + end)
        at = end + 1
