"""Tables of cases: a row of columns, each a path into the scenario, then a row of values for each case."""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import reduce
from operator import itemgetter

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.documents.document_nodes import (
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    map_entries,
    merge_map_nodes,
    value_under,
)
from rulewright.documents.findings import Findings, did_you_mean, list_alternatives, quote_name
from rulewright.documents.name_table import DEFAULTS, expand_numbered_ids
from rulewright.program.walk import is_address_suffix
from rulewright.scenarios.expectation_schema import ODDS_KEY
from rulewright.scenarios.suite_schema import SCENARIO_KEYS

CASE_COLUMN = "case"
"""Column with the names of cases."""

_PATCH, _SCRIPT, _EXPECT = "patch", "script", "expect"
_KEYS_BY_ADDRESS = frozenset({"values", "decided", "asked_of", "offered"})
"""Expectations by address, in which a dot separates nothing."""
_NAME_PATTERN = re.compile(r"[a-z_]\w*", re.IGNORECASE)
_NUMBER_PATTERN = re.compile(r"-?\d+(/\d+)?")
_TRAILING_NUMBER_PATTERN = re.compile(r"(^|\W)\d+$")
"""Number before a dot, which is then a decimal point."""
_COLUMN_REMEDY = (
    "a column is a path into the state, such as `hammer.health`, or into the scenario, such as `expect.result`"
)


@dataclass(frozen=True, slots=True)
class CaseColumn:
    head: ScalarNode
    path: tuple[str, ...]  # key path in the scenario; empty for the column of names

    @property
    def answer_index(self) -> int | None:
        """Index of its answer in a script in order; `None` for other columns."""
        match self.path:
            case ("script", number) if number.isdecimal():
                return int(number) - 1
            case _:
                return None

    def wrap_cell(self, cell: DocumentNode) -> MapNode:
        """Cell under the keys of its path; the keys have the span of the head."""
        for step in reversed(self.path):
            cell = MapNode(
                ((MapKey(step, self.head.span, self.head.pointer), cell),), self.head.span, self.head.pointer
            )
        assert isinstance(cell, MapNode)
        return cell


@dataclass(frozen=True, slots=True)
class CaseRow:
    place: MapKey  # of the row; its text is the name: of its column, else its values other than expectations
    node: MapNode  # overlay over the scenario; values have the span of their cells, keys that of their columns


def read_columns(
    table: ListNode, whole: MapNode, state: DocumentNode | None, findings: Findings
) -> tuple[CaseColumn, ...]:
    """Columns of a table.

    Reports RW1018: a column that leads nowhere, or occurs twice.
    """
    head, mapping = table.items[0], dict[tuple[str, ...], CaseColumn]()
    for item in head.items if isinstance(head, ListNode) else ():
        assert isinstance(item, ScalarNode)
        path = _resolve_column_path(item, whole, state, findings)
        if path is not None and path in mapping:
            findings.add_error(
                "RW1018", item, f"two columns are `{'.'.join(path) or CASE_COLUMN}`", help="keep one of them"
            )
        elif path is not None:
            mapping[path] = CaseColumn(item, path)
    _check_answer_columns(mapping.values(), whole.get(_SCRIPT), findings)
    return tuple(mapping.values())


def _check_answer_columns(columns: Iterable[CaseColumn], script: DocumentNode | None, findings: Findings) -> None:
    places = {column.answer_index: column.head for column in columns if column.answer_index is not None}
    there = len(script.items) if isinstance(script, ListNode) else 0
    for number in sorted(places):
        before = number == 0 or number - 1 < there or number - 1 in places
        if isinstance(script, MapNode):
            remedy = "the script is by address: write `script.` and the address"
        elif number < 0 or not before:
            remedy = "answers are counted from 1; write those before it into `script:`, or give them columns"
        else:
            continue
        findings.add_error(
            "RW1018", places[number], f"there is no place for answer {number + 1} in the script", help=remedy
        )


def read_case_row(given: ListNode, columns: tuple[CaseColumn, ...], whole: MapNode, findings: Findings) -> CaseRow:
    """Case of a row. Reports RW1019: too many or too few values."""
    if len(given.items) != len(columns):
        count = f"{len(given.items)} value{'s' * (len(given.items) != 1)}"
        message = f"this row has {count}, and the table {len(columns)} column{'s' * (len(columns) != 1)}"
        findings.add_error("RW1019", given, message, help="write one value for each column; a list stands in brackets")
    cells = tuple(zip(columns, given.items, strict=False))
    overlays = [column.wrap_cell(cell) for column, cell in cells if column.path and column.answer_index is None]
    script = _script_with_answers(cells, whole.get(_SCRIPT), given)
    node = reduce(merge_map_nodes, [*overlays, *script], MapNode((), given.span, given.pointer))
    place = MapKey(_case_name(cells), given.span, given.pointer)
    return CaseRow(place, MapNode(node.entries, given.span, given.pointer))


def find_cell_span(node: DocumentNode, key: MapKey, place: str) -> Span | None:
    """Span of the cell that holds an expectation; of several that whose column ends `place`."""
    cells = tuple(_walk_cells(node, key))
    about = [cell for named, cell in cells if is_address_suffix(place, named.text)]
    items = about or [cell for _, cell in cells]
    return items[0].span if len(items) == 1 else None


def _walk_cells(node: DocumentNode, key: MapKey) -> Iterator[tuple[MapKey, DocumentNode]]:
    if key.pointer != node.pointer:
        yield key, node
    elif isinstance(node, MapNode):
        for inner, child in node:
            yield from _walk_cells(child, inner)


def _case_name(cells: tuple[tuple[CaseColumn, DocumentNode], ...]) -> str:
    named = [cell for column, cell in cells if not column.path]
    going_in = [cell for column, cell in cells if column.path[:1] != (_EXPECT,)]
    return ", ".join(map(_format_cell, named or going_in or [cell for _, cell in cells]))


def _format_cell(node: DocumentNode) -> str:
    match node:
        case ScalarNode(written=written):
            return written
        case ListNode(items):
            return f"[{', '.join(map(_format_cell, items))}]"
        case MapNode(entries):
            return f"{{{', '.join(f'{key.text}: {_format_cell(item)}' for key, item in entries)}}}"


def _script_with_answers(
    cells: tuple[tuple[CaseColumn, DocumentNode], ...], shared: DocumentNode | None, given: ListNode
) -> list[MapNode]:
    generator = ((column.answer_index, column, cell) for column, cell in cells if column.answer_index is not None)
    answers = sorted(generator, key=itemgetter(0))
    if not answers:
        return []
    items = list(shared.items) if isinstance(shared, ListNode) else []
    for number, _, cell in answers:
        items[number : number + 1] = [cell]
    return [CaseColumn(answers[0][1].head, (_SCRIPT,)).wrap_cell(ListNode(tuple(items), given.span, given.pointer))]


def _resolve_column_path(
    head: ScalarNode, whole: MapNode, state: DocumentNode | None, findings: Findings
) -> tuple[str, ...] | None:
    first, *rest = head.written.split(".")
    if head.written == CASE_COLUMN:
        return ()
    if first in SCENARIO_KEYS and all(rest):
        return (first, *split_column_keys(first, rest, {*_names_in_state(state), *_role_names(whole)}))
    items = tuple(dict.fromkeys(_find_in_state(first, state, whole))) if all(rest) else ()
    if len(items) == 1:
        return (_PATCH, *items[0], *rest)
    if items:
        alternatives = list_alternatives([".".join((*item, *rest)) for item in items])
        findings.add_error(
            "RW1018", head, f"{quote_name(head.written)} stands for several things", help=f"write {alternatives}"
        )
        return None
    known = (
        ".".join((one, *rest)) for one in (*SCENARIO_KEYS, *_names_in_state(state), *([] if rest else [CASE_COLUMN]))
    )
    remedy = did_you_mean(head.written, known) if all(rest) else ""
    findings.add_error(
        "RW1018", head, f"the column {quote_name(head.written)} leads nowhere", help=remedy or _COLUMN_REMEDY
    )
    return None


def split_column_keys(first: str, rest: list[str], things: Collection[str] = ()) -> list[str]:
    """Key path below a key of a scenario; an address or an expression is one key, dots included.

    A name after a dot is a value only behind a name that no thing, role or part of the state has: `result.hit`.
    """
    if first == _EXPECT and rest[:1] == [ODDS_KEY] and rest[1:]:
        parts, last = rest[1:], rest[-1]
        before = ".".join(parts[:-1])
        of_name = _NAME_PATTERN.fullmatch(last) and _NAME_PATTERN.fullmatch(before) and before not in things
        of_number = before and _NUMBER_PATTERN.fullmatch(last) and not _TRAILING_NUMBER_PATTERN.search(before)
        return [ODDS_KEY, before, last] if of_name or of_number else [ODDS_KEY, ".".join(parts)]
    if first == _SCRIPT:
        return [".".join(rest)] if rest else []
    if first == _EXPECT and rest and rest[0] in _KEYS_BY_ADDRESS:
        return [rest[0], *([".".join(rest[1:])] if rest[1:] else [])]
    return rest


def _find_in_state(first: str, state: DocumentNode | None, whole: MapNode) -> Iterator[tuple[str, ...]]:
    if not isinstance(state, MapNode):
        return
    if first in state:
        yield (first,)
        return
    roles = whole.get("with")
    role = value_under(roles, first)
    for item in (first, role.written if isinstance(role, ScalarNode) else first):
        yield from ((key.text, item) for key, part in state if item in _ids_in_section(part))


def _role_names(whole: MapNode) -> list[str]:
    return [key.text for key, _ in map_entries(whole.get("with"))]


def _names_in_state(state: DocumentNode | None) -> list[str]:
    return [name for key, part in map_entries(state) for name in (key.text, *_ids_in_section(part))]


def _ids_in_section(part: DocumentNode) -> list[str]:
    match part:
        case MapNode(entries):
            return [
                name
                for key, _ in entries
                if key.text != DEFAULTS
                for name in expand_numbered_ids(key.text) or (key.text,)
            ]
        case ListNode(items):
            return [item.written for item in items if isinstance(item, ScalarNode)]
        case _:
            return []
