"""Which rows counted in a tally and what each added, each time it was computed."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rulewright.inputs.findings import Wrong
from rulewright.inputs.nodes import Mapping, Node
from rulewright.inputs.value_reader import ValueReader
from rulewright.machine.trace import Entry
from rulewright.machine.values import Value
from rulewright.program.types import FractionType, InchesType, Type
from rulewright.scenarios.expectations.judging import Judging, everything
from rulewright.scenarios.expectations.moments import first_wrong, when
from rulewright.scenarios.expectations.workings import each_time
from rulewright.scenarios.results import Miss
from rulewright.telling.values import show

_Rows = Counter[tuple[str, Value]]


def counted(judging: Judging) -> tuple[Miss, ...]:
    """By tally, the rows that counted with their amounts: of the only time, or a list with those of each time."""
    misses: tuple[Miss, ...] = ()
    tallies = judging.ruled.tallies
    for key, node in judging.entries("tallies to the rows that count"):
        address = judging.address(key.text, key, tuple(tallies), "tally")
        if address is not None:
            misses += _compared(judging, address, amounts(tallies[address]), node)
    return misses


def amounts(type_: Type) -> Type:
    """The type of what rows add: without the bounds of the tally."""
    return type_ if isinstance(type_, InchesType) else FractionType()


def _compared(judging: Judging, address: str, type_: Type, node: Node) -> tuple[Miss, ...]:
    before = len(judging.findings.found)
    expected = [Counter(_expected(judging, address, type_, each)) for each in each_time(node)]
    got = list(rows_counted(judging, address))
    if len(judging.findings.found) > before or expected == got:
        return ()
    moment = first_wrong(expected, got, when(judging.session, lambda each: _is_computed(each, address)))
    return (Miss("counted", _told(judging, expected, type_), _told(judging, got, type_), address, moment),)


def _expected(judging: Judging, address: str, type_: Type, node: Node) -> Iterator[tuple[str, Value]]:
    """Rows with amounts; a row that counts several times has a list of them."""
    if not isinstance(node, Mapping):
        judging.wrong(node, "a mapping from rows to what they add")
        return
    reader = ValueReader(judging.names, judging.findings)
    for key, written in node:
        row = judging.address(f"{address}/{key.text}", key, judging.ruled.rows, "row")
        for each in each_time(written):
            amount = reader.read(each, type_, f"what `{key.text}` adds")
            if row is not None and not isinstance(amount, Wrong):
                yield key.text, amount


def rows_counted(judging: Judging, address: str) -> Iterator[_Rows]:
    """The rows of a tally that counted with what each added, each time it was computed."""
    for each in everything(judging.session.around(address)):
        if _is_computed(each, address):
            yield Counter((row.id, row.value) for row in each.rows if row.outcome == "applied")


def _is_computed(entry: Entry, address: str) -> bool:
    return entry.address == address and entry.sort in {"line", "tally"}


def _told(judging: Judging, times: Sequence[_Rows], type_: Type) -> str:
    return ", then ".join(_rows(judging, each, type_) for each in times) or "it is not computed"


def _rows(judging: Judging, rows: _Rows, type_: Type) -> str:
    return ", ".join(f"{row} {show(amount, type_, judging.names)}" for row, amount in rows.elements()) or "no row"
