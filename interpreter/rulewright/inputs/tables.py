"""Things that a state keeps in a table: `units: {csv: roster.csv}`, one in each row, with the places of its cells."""

import csv
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rulewright.diagnostics import Diagnostic, Label
from rulewright.files import Provider, read as read_file
from rulewright.inputs.findings import Findings, quoted
from rulewright.inputs.names import CSV, ID, MOST_THINGS
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar, merged_mappings, resolve, value_under
from rulewright.inputs.yaml_places import read
from rulewright.source import Span, Text

_DELIMITERS = ",;\t"
_YAML = ("[", "{")
"""What a cell begins with that is a list or mapping, written as in a state file."""
_QUOTED = re.compile(r"""("|')[^"']*\1""")
"""A text in quotes of its own, such as one that looks like a number."""
_EXPORT = "save the table as CSV: a first row with the names of attributes and `id`, then a row for each thing"
_MISTAKE = ("this row cannot be read", "RW0721", _EXPORT)
_QUOTES = "write the cell in quotes, and each quote inside it twice"
_MISTAKES = {
    "unexpected end of data": ("a quote is opened in this row and never closed", "RW0721", _QUOTES),
    "',' expected after '\"'": ("there is something after the closing quote of a cell", "RW0721", _QUOTES),
    "';' expected after '\"'": ("there is something after the closing quote of a cell", "RW0721", _QUOTES),
    "'\t' expected after '\"'": ("there is something after the closing quote of a cell", "RW0721", _QUOTES),
}


@dataclass(frozen=True)
class Tables:
    """Where tables come from."""

    provider: Provider  # of files
    texts: dict[str, Text]  # where every table that was read is added, by name

    def inlined(self, node: Node, findings: Findings) -> Node:
        """A state with the rows of its tables as things, which lines beside them may say otherwise.

        Tables are looked for beside the text that names them. Reports what `files.read` does, RW0717 (an id twice) and
        RW0721 (no table).
        """
        if not isinstance(node, Mapping):
            return node
        entries = tuple((key, self._section(each, findings)) for key, each in node)
        return Mapping(entries, node.span, node.pointer)

    def _section(self, section: Node, findings: Findings) -> Node:
        named = value_under(section, CSV)
        if not isinstance(section, Mapping) or not isinstance(named, Scalar) or not isinstance(named.value, str):
            return section
        place = posixpath.join(posixpath.dirname(named.span.source), named.written)
        text = read_file(place, self.provider, Label(named.span))
        if isinstance(text, Diagnostic):
            findings.found.append(text)
            return section
        self.texts[text.name] = text
        things = _Table(text, named, findings).things()
        rest = tuple((key, each) for key, each in section if key.text != CSV)
        return merged_mappings(Mapping(things, named.span, named.pointer), Mapping(rest, section.span, section.pointer))


@dataclass(frozen=True)
class _Cell:
    written: str
    start: int
    end: int


@dataclass(frozen=True)
class _Table:
    text: Text
    named: Scalar
    findings: Findings

    def things(self) -> tuple[tuple[Key, Node], ...]:
        found_rows = self._rows()
        if found_rows is None:
            return ()
        head, *rows = found_rows or [[]]
        names = [each.written.strip() for each in head]
        if len(rows) > MOST_THINGS:
            self._error(rows[MOST_THINGS][0], f"a table has at most {MOST_THINGS:,} rows", "RW0702")
        if len(rows) > MOST_THINGS or not self._is_head(head, names):
            return ()
        found: dict[str, tuple[Key, Node]] = {}
        for row in rows:
            key = self._key(row[at]) if (at := names.index(ID)) < len(row) else None
            if any(each.written.strip() for each in row[len(head) :]):
                self._error(row[len(head)], f"this row has {len(row)} cells, and the first row has {len(head)}")
            elif key is None or not key.text:
                self._error(row[0], f"this row has no `{ID}`")
            elif key.text in found:
                self._error(row[at], f"the id {quoted(key.text)} is given twice", "RW0717", "rename one")
            else:
                found[key.text] = key, Mapping(tuple(self._attributes(head, row)), key.span, key.pointer)
        return tuple(found.values())

    def _is_head(self, head: Sequence[_Cell], names: Sequence[str]) -> bool:
        before = len(self.findings.found)
        if ID not in names:
            place = head[0] if head else _Cell("", 0, 0)
            self._error(place, f"no column of {quoted(self.text.name)} is called `{ID}`", help=_EXPORT)
        for number, (cell, name) in enumerate(zip(head, names, strict=True)):
            if not name:
                self._error(
                    cell, f"column {number + 1} has no name", help="name the attribute it holds, or take it out"
                )
            elif name in names[:number]:
                self._error(cell, f"two columns are called {quoted(name)}", help="keep one of them")
        return len(self.findings.found) == before

    def _attributes(self, head: Sequence[_Cell], row: Sequence[_Cell]) -> Iterator[tuple[Key, Node]]:
        """What a row says; of an empty cell nothing is said."""
        for name, cell in zip(head, row, strict=False):
            if name.written.strip() != ID and cell.written.strip():
                key = Key(name.written.strip(), self._span(name), self.named.pointer)
                yield key, self._value(cell)

    def _value(self, cell: _Cell) -> Node:
        written = cell.written.strip()
        if not written.startswith(_YAML) and not _QUOTED.fullmatch(written):
            try:
                return Scalar(resolve(written), written, self._span(cell), self.named.pointer)
            except OverflowError:
                self._error(cell, "this number is too long")
        found = read(Text(self.text.name, written))
        for each in found.diagnostics:
            self._error(cell, f"in this cell {each.message}", help=each.help)
        nothing = Scalar(None, "", self._span(cell), self.named.pointer)
        return nothing if found.value is None else self._placed(found.value, cell)

    def _placed(self, node: Node, cell: _Cell) -> Node:
        """A value with the place of its cell."""
        span, pointer = self._span(cell), self.named.pointer
        match node:
            case Scalar(value, written):
                return Scalar(value, written, span, pointer)
            case Items(items):
                return Items(tuple(self._placed(each, cell) for each in items), span, pointer)
            case Mapping(entries):
                pairs = ((Key(key.text, span, pointer), self._placed(each, cell)) for key, each in entries)
                return Mapping(tuple(pairs), span, pointer)

    def _key(self, cell: _Cell) -> Key:
        return Key(cell.written.strip(), self._span(cell), self.named.pointer)

    def _span(self, cell: _Cell) -> Span:
        return Span(self.text.name, cell.start, cell.end)

    def _error(self, cell: _Cell, message: str, code: str = "RW0721", help: str = "") -> None:  # noqa: A002
        place = Key(cell.written, self._span(cell), self.named.pointer)
        self.findings.error(code, place, message, help=help)

    def _rows(self) -> list[list[_Cell]] | None:
        """The rows that are not empty; none where the table cannot be read."""
        lines = self.text.content.splitlines(keepends=True)
        delimiter = max(_DELIMITERS, key=lines[0].count) if lines else ","
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        found: list[list[_Cell]] = []
        start = before = 0
        try:
            for fields in reader:
                raw = "".join(lines[before : reader.line_num])
                if any(each.strip() for each in fields):
                    found.append(list(_cells(fields, raw, start, delimiter)))
                start, before = start + len(raw), reader.line_num
        except csv.Error as wrong:
            line = "".join(lines[before : before + 1]).rstrip("\r\n")
            self._error(_Cell(line, start, start + len(line)), *_MISTAKES.get(str(wrong), _MISTAKE))
            return None
        return found


def _cells(fields: Sequence[str], raw: str, start: int, delimiter: str) -> Iterator[_Cell]:
    """The cells of a row with their places in its text."""
    pattern = re.compile(rf'"(?:[^"]|"")*"|[^{re.escape(delimiter)}\r\n]*')
    at = 0
    for each in fields:
        found = pattern.match(raw, at)
        end = found.end() if found else at
        yield _Cell(each, start + at, start + end)
        at = end + 1
