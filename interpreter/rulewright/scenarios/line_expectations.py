"""Expectations of single lines: rows that decided and counted, rulings met, values of named lines at each run."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from rulewright.documents.document_nodes import DocumentNode, ListNode, MapKey, MapNode, ScalarNode
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.findings import (
    Findings,
    InvalidValue,
    describe_choices,
    did_you_mean,
    list_alternatives,
    quote_name,
)
from rulewright.documents.name_table import NameTable
from rulewright.documents.value_reader import ValueReader
from rulewright.play.session import Session
from rulewright.program.declarations import Program
from rulewright.program.types import DieType, FractionType, LengthType, ListType, PoolType, Type
from rulewright.program.walk import is_address_suffix, may_hold_type
from rulewright.runtime.codec_protocols import Schema
from rulewright.runtime.request import JudgedRow, TraceEntry
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value
from rulewright.scenarios.case_opening import CompiledRuleset
from rulewright.scenarios.suite import UnmetExpectation
from rulewright.wording.entry_rendering import call_row

_VALUE_ENTRY_SORTS = frozenset({"line", "answer", "return", "roll"})
_RULING_SORTS = frozenset({"ruling"})


@dataclass(frozen=True)
class JudgingContext:
    """Expectation whose shape is valid, with the play it is judged on."""

    node: DocumentNode
    session: Session
    ruled: CompiledRuleset
    findings: Findings

    @property
    def program(self) -> Program:
        return self.ruled.program

    @property
    def names(self) -> NameTable:
        return self.session.start.names

    @property
    def texts(self) -> Iterator[ScalarNode]:
        assert isinstance(self.node, ListNode)
        return (item for item in self.node.items if isinstance(item, ScalarNode))

    @property
    def entries(self) -> tuple[tuple[MapKey, DocumentNode], ...]:
        assert isinstance(self.node, MapNode)
        return self.node.entries

    def resolve_address(
        self, written: str, place: MapKey | DocumentNode, known: tuple[str, ...], what: str
    ) -> str | None:
        """The one address that ends in `written`; else reports RW1007."""
        items = [item for item in known if is_address_suffix(item, written)]
        if written in items:
            return written
        if len(items) == 1:
            return items[0]
        if items:
            message = f"{quote_name(written)} stands for several {what}s"
            self.findings.add_error("RW1007", place, message, help=f"write {list_alternatives(items)}")
            return None
        ends = Counter(item.rpartition("/")[2] for item in known)
        remedy = did_you_mean(written, [*known, *(end for end in ends if ends[end] == 1)]) or describe_choices(known)
        self.findings.add_error("RW1007", place, f"there is no {what} {quote_name(written)}", help=remedy)
        return None


def walk_trace_entries(entries: Iterable[TraceEntry]) -> Iterator[TraceEntry]:
    """Entries with all nested ones, in preorder."""
    for entry in entries:
        yield entry
        yield from walk_trace_entries(entry.inner)


def find_positions(session: Session, is_it: Callable[[TraceEntry], bool]) -> Iterator[int]:
    """Positions of the top-level entries with matches, once for each match inside."""
    for position, entry in enumerate(session.entries):
        yield from (position for one in walk_trace_entries((entry,)) if is_it(one))


def turn_position(session: Session, number: int) -> int:
    """Position of the answer to a question, by its index."""
    return tuple(accumulate(len(entries) for entries, _ in session.entry_parts))[number]


def change_position(session: Session, place: str, key: Value, before: Value) -> int | None:
    """Position at which a value last stopped being `before`; `None` where it never did."""
    items = [
        position
        for position, entry in enumerate(session.entries)
        for change in entry.changes
        if (change.place, change.key, change.before) == (place, key, before)
    ]
    return items[-1] if items else None


def first_mismatch_position(expected: Sequence[object], actual: Sequence[object], moments: Iterator[int]) -> int | None:
    """Position of the first unexpected value; `None` where there are too few."""
    for number, moment in enumerate(moments):
        if number >= len(expected) or expected[number] != actual[number]:
            return moment
    return None


def judge_decisions(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of `decided`: the row last taken in a `decide` or table, by its address."""
    for key, node in judging.entries:
        address = resolve_row_list(judging, key)
        if address is not None and isinstance(node, ScalarNode):
            row = _resolve_row(judging, address, node.written, node)
            taken_row = last_taken_row(judging, address)
            if row is not None and taken_row != row:
                moments = list(find_positions(judging.session, partial(_is_taking_row, address)))
                moment = moments[-1] if moments else None
                yield UnmetExpectation("decided", row, taken_row or "nothing was decided", address, moment)


def _resolve_row(judging: JudgingContext, address: str, written: str, place: MapKey | DocumentNode) -> str | None:
    """Id of a row of a list, by its id, address or text; else reports RW1007."""
    rows = tuple(row for row in judging.ruled.rows if row.startswith(f"{address}/"))
    whole = f"{address}/{written}"
    if whole not in rows:
        function = judging.session.start.executable.program.functions.get(address)
        ids = {item: item.removeprefix(f"{address}/") for item in rows}
        called_rows = [item for item in rows if call_row(item, ids[item], function, judging.names) == written]
        whole = called_rows[0] if len(called_rows) == 1 else whole
    text = judging.resolve_address(whole if whole in rows else written, place, rows, "row")
    return text and text.removeprefix(f"{address}/")


def last_taken_row(judging: JudgingContext, address: str) -> str | None:
    """Id of the row last taken in a `decide` or table; `None` without one."""
    row_ids = [one.id for one in _judged_rows(judging, address) if one.outcome == "taken"]
    return row_ids[-1] if row_ids else None


def resolve_row_list(judging: JudgingContext, key: MapKey) -> str | None:
    return judging.resolve_address(key.text, key, judging.ruled.row_lists, "list of rows")


def judge_applied(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of tally rows that changed a number at least once; `[]` expects none."""
    at_work = _applied_rows(judging)
    if isinstance(judging.node, ListNode) and not judging.node.items:
        yield from _report_applied("applied", sorted(at_work), judging)
    for address in _resolve_rows(judging):
        if address not in at_work:
            yield UnmetExpectation("applied", "applied", "not applied", address)


def judge_not_applied(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of tally rows that changed no number."""
    at_work = _applied_rows(judging)
    yield from _report_applied("not_applied", [row for row in _resolve_rows(judging) if row in at_work], judging)


def _report_applied(what: str, rows: Iterable[str], judging: JudgingContext) -> Iterator[UnmetExpectation]:
    for row in rows:
        moment = next(find_positions(judging.session, partial(_is_applying_row, row)))
        yield UnmetExpectation(what, "not applied", "applied", row, moment)


def judge_rulings(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of rulings that the play met, in any order; `[]` expects none."""
    known = tuple(dict.fromkeys(ruling.id for ruling in judging.program.rulings))
    iterator = judging.session.entry_results(_RULING_SORTS)
    met = {address.rpartition("/")[2].removeprefix("ruling.") for address, _ in iterator}
    expected = [judging.resolve_address(text.written, text, known, "ruling") for text in judging.texts]
    if not expected:
        yield from (UnmetExpectation("rulings", "not met", "met", item) for item in sorted(met))
    for item in expected:
        if item is not None and item not in met:
            yield UnmetExpectation("rulings", "met", "not met", item)


def _is_taking_row(address: str, entry: TraceEntry) -> bool:
    return entry.address == address and any(row.outcome == "taken" for row in entry.rows)


def _is_applying_row(row: str, entry: TraceEntry) -> bool:
    return any(one.address == row and one.outcome == "applied" for one in entry.rows)


def _resolve_rows(judging: JudgingContext) -> list[str]:
    known = judging.ruled.rows
    items = [judging.resolve_address(text.written, text, known, "row") for text in judging.texts]
    return [item for item in items if item is not None]


def _applied_rows(judging: JudgingContext) -> set[str]:
    entries = walk_trace_entries(judging.session.entries)
    return {row.address for entry in entries for row in entry.rows if row.outcome == "applied"}


def _judged_rows(judging: JudgingContext, address: str) -> list[JudgedRow]:
    entries = walk_trace_entries(judging.session.entries_around(address))
    return [row for entry in entries if entry.address == address for row in entry.rows]


def judge_values(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of values of named lines: one value, or a list with one for each run."""
    for key, node in judging.entries:
        address = resolve_named_line(judging, key)
        if address is not None:
            yield from _compare_line_values(judging, address, judging.ruled.value_types[address], node)


def resolve_named_line(judging: JudgingContext, key: MapKey) -> str | None:
    """Address of a line with a value: one that computes or asks, else one that rolls or draws."""
    ruled = judging.ruled
    sure = [one for one in ruled.named_types if is_address_suffix(one, key.text)]
    return judging.resolve_address(key.text, key, tuple(ruled.named_types if sure else ruled.value_types), "named line")


def expected_per_time(node: DocumentNode) -> Sequence[DocumentNode]:
    """Expected values by run: the members of a list, or the single value of a single run."""
    return node.items if isinstance(node, ListNode) else (node,)


def _compare_line_values(
    judging: JudgingContext, address: str, type_: Type, node: DocumentNode
) -> Iterator[UnmetExpectation]:
    expected, actual = _read_expected_values(judging, address, type_, node), line_values(judging, address)
    if expected is None or expected == actual:
        return
    lines = judging.ruled.lines_by_name[address]
    positions = find_positions(judging.session, lambda entry: _is_value_entry(entry, lines))
    moment, names = first_mismatch_position(expected, actual, positions), names_with_dice(judging, address)
    wanted = _show_values(names, expected, type_)
    if not expected and is_written_as_list(type_, judging):
        wanted = f"{wanted}; `[[]]` says that it gives nothing"
    yield UnmetExpectation("values", wanted, _show_values(names, actual, type_), address, moment)


def _read_expected_values(judging: JudgingContext, address: str, type_: Type, node: DocumentNode) -> list[Value] | None:
    """Expected values of a line by run; `None`, reported, where they cannot be read.

    Values of some types are themselves lists: a hex, a set, the faces of a roll. `[2, -1]` is then one hex, and
    `[[2, -1], [3, 0]]` are two, of a line that runs twice.
    """
    what = f"what `{address}` gives"
    times, alone, names = Findings(), Findings(), names_with_dice(judging, address)
    expected = [ValueReader(names, times).read_typed(item, type_, what) for item in expected_per_time(node)]
    sure = [item for item in expected if not isinstance(item, InvalidValue)]
    if len(sure) == len(expected):
        return sure
    whole = ValueReader(names, alone).read_typed(node, type_, what)
    if not isinstance(whole, InvalidValue):
        return [whole]
    lists = is_written_as_list(type_, judging)
    nested = isinstance(node, ListNode) and any(isinstance(item, ListNode) for item in node.items)
    items = alone.collected if lists and not nested else times.collected
    remedy = "a value of this line is a list: `[…]`, or of a line that runs twice `[[…], […]]`" if lists else ""
    judging.findings.collected += (replace(one, help=one.help or remedy) for one in items)
    return None


def is_written_as_list(type_: Type, judging: JudgingContext) -> bool:
    return _is_array_schema(document_shapes(judging.program).value_shape(type_).schema)


def _is_array_schema(schema: Schema) -> bool:
    return schema.get("type") == "array" or any(map(_is_array_schema, schema.get("anyOf", ())))


def line_values(judging: JudgingContext, address: str) -> list[Value]:
    """Values of a named line by run; of a roll its faces."""
    lines, ruled = judging.ruled.lines_by_name[address], judging.ruled
    if address in ruled.rolls:
        around = judging.session.entries_around(*lines)
        return [_entry_faces(one, ruled.value_types[address]) for one in around if _is_value_entry(one, lines)]
    return [result for address, result in judging.session.entry_results(_VALUE_ENTRY_SORTS) if address in lines]


def _entry_faces(entry: TraceEntry, type_: Type) -> Value:
    faces = tuple(die.face for die in entry.dice)
    return faces if isinstance(type_, ListType) else faces[0]


def _is_value_entry(entry: TraceEntry, lines: frozenset[str]) -> bool:
    return entry.address in lines and entry.sort in _VALUE_ENTRY_SORTS


def names_with_dice(judging: JudgingContext, address: str) -> NameTable:
    """Names with the dice of the first run of a named line."""
    if not may_hold_type(judging.ruled.value_types[address], (DieType, PoolType), judging.program):
        return judging.names
    lines = judging.ruled.lines_by_name[address]
    first = next(
        (one for one in judging.session.entries_around(*lines) if _is_value_entry(one, lines)),
        None,
    )
    return judging.names if first is None else judging.names.with_dice(first.rolls)


def _show_values(names: NameTable, values: Sequence[Value | InvalidValue], type_: Type) -> str:
    return ", then ".join(format_value(item, type_, names) for item in values) or "it does not run"


_CountedRows = Counter[tuple[str, Value]]


def judge_counted_rows(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of `counted`: by tally the rows that counted with their amounts, of the only run or by run."""
    tallies = judging.ruled.tallies
    for key, node in judging.entries:
        address = judging.resolve_address(key.text, key, tuple(tallies), "tally")
        if address is not None:
            yield from _compare_counts(judging, address, amount_type(tallies[address]), node)


def amount_type(type_: Type) -> Type:
    """Type of the amounts of rows: that of the tally without its bounds."""
    return type_ if isinstance(type_, LengthType) else FractionType()


def _compare_counts(
    judging: JudgingContext, address: str, type_: Type, node: DocumentNode
) -> Iterator[UnmetExpectation]:
    before = len(judging.findings.collected)
    expected = [Counter(_read_expected_rows(judging, address, type_, item)) for item in expected_per_time(node)]
    actual = list(count_rows(judging, address))
    if len(judging.findings.collected) == before and expected != actual:
        positions = find_positions(judging.session, lambda entry: _is_computed(entry, address))
        moment = first_mismatch_position(expected, actual, positions)
        wanted, shown = (_show_counts(judging, counts, type_) for counts in (expected, actual))
        yield UnmetExpectation("counted", wanted, shown, address, moment)


def _read_expected_rows(
    judging: JudgingContext, address: str, type_: Type, node: DocumentNode
) -> Iterator[tuple[str, Value]]:
    """Rows with amounts; a row that counts several times has a list of them."""
    assert isinstance(node, MapNode)
    reader = ValueReader(judging.names, judging.findings)
    for key, written in node:
        row = _resolve_row(judging, address, key.text, key)
        for item in expected_per_time(written):
            amount = reader.read_typed(item, type_, f"what `{key.text}` adds")
            if row is not None and not isinstance(amount, InvalidValue):
                yield row, amount


def count_rows(judging: JudgingContext, address: str) -> Iterator[_CountedRows]:
    """Rows of a tally that counted, with their amounts, by run."""
    for trace_entry in walk_trace_entries(judging.session.entries_around(address)):
        if _is_computed(trace_entry, address):
            yield Counter((row.id, row.value) for row in trace_entry.rows if row.outcome == "applied")


def _is_computed(entry: TraceEntry, address: str) -> bool:
    return entry.address == address and entry.sort in {"line", "tally"}


def _show_counts(judging: JudgingContext, times: Sequence[_CountedRows], type_: Type) -> str:
    return ", then ".join(_show_counted_rows(judging, time, type_) for time in times) or "it is not computed"


def _show_counted_rows(judging: JudgingContext, rows: _CountedRows, type_: Type) -> str:
    return (
        ", ".join(f"{row} {format_value(amount, type_, judging.names)}" for row, amount in rows.elements()) or "no row"
    )
