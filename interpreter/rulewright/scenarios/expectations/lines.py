"""Which steps were entered, which rows decided and counted, what named lines gave, each time they ran."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from rulewright.codecs.schemas import Schema
from rulewright.codecs.table import show
from rulewright.drivers.session import Session
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import Findings, Wrong, did_you_mean, one_of, quoted, there_are
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.value_reader import ValueReader
from rulewright.machine.trace import Entry, Judged
from rulewright.machine.values import Value
from rulewright.program.declarations import Program
from rulewright.program.types import DieType, FractionType, LengthType, ListType, PoolType, Type
from rulewright.program.walk import ends_in, may_hold
from rulewright.scenarios.opening import Ruled
from rulewright.scenarios.suite import Miss
from rulewright.telling.happenings import row_called

_GIVING = frozenset({"line", "answer", "return", "roll"})
_RULING = frozenset({"ruling"})


@dataclass(frozen=True)
class Judging:
    """An expectation that has its shape, with the play it is about."""

    node: Node
    session: Session
    ruled: Ruled
    findings: Findings

    @property
    def program(self) -> Program:
        """The ruleset."""
        return self.ruled.program

    @property
    def names(self) -> Names:
        """Names of words and things."""
        return self.session.begun.names

    @property
    def texts(self) -> Iterator[Scalar]:
        """The members of a list of texts."""
        assert isinstance(self.node, Items)
        return (each for each in self.node.items if isinstance(each, Scalar))

    @property
    def entries(self) -> tuple[tuple[Key, Node], ...]:
        """The entries of a mapping."""
        assert isinstance(self.node, Mapping)
        return self.node.entries

    def address(self, written: str, place: Key | Node, known: tuple[str, ...], what: str) -> str | None:
        """The one address that ends in what is written; else RW1007."""
        found = [each for each in known if ends_in(each, written)]
        if written in found:
            return written
        if len(found) == 1:
            return found[0]
        if found:
            message = f"{quoted(written)} stands for several {what}s"
            self.findings.error("RW1007", place, message, help=f"write {one_of(found)}")
            return None
        ends = Counter(each.rpartition("/")[2] for each in known)
        remedy = did_you_mean(written, [*known, *(each for each in ends if ends[each] == 1)]) or there_are(known)
        self.findings.error("RW1007", place, f"there is no {what} {quoted(written)}", help=remedy)
        return None


def everything(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Entries with all that stands inside them."""
    for each in entries:
        yield each
        yield from everything(each.inner)


def when(session: Session, is_it: Callable[[Entry], bool]) -> Iterator[int]:
    """The positions of the entries that are it, or hold it; as often as they do."""
    for position, entry in enumerate(session.entries):
        yield from (position for each in everything((entry,)) if is_it(each))


def of_turn(session: Session, number: int) -> int:
    """The position of the answer to a question, by its number from 0."""
    return tuple(accumulate(len(entries) for entries, _ in session.parts))[number]


def of_change(session: Session, place: str, key: Value, before: Value) -> int | None:
    """The last time that a value stopped being this; none where it never was and became another."""
    found = [
        position
        for position, entry in enumerate(session.entries)
        for each in entry.changes
        if (each.place, each.key, each.before) == (place, key, before)
    ]
    return found[-1] if found else None


def first_wrong(expected: Sequence[object], got: Sequence[object], moments: Iterator[int]) -> int | None:
    """The moment of the first value that is not as expected; none where there are too few."""
    for number, moment in enumerate(moments):
        if number >= len(expected) or expected[number] != got[number]:
            return moment
    return None


def decided(judging: Judging) -> tuple[Miss, ...]:
    """For a decide or table, by its address: the row that was taken last."""
    misses: tuple[Miss, ...] = ()
    for key, node in judging.entries:
        address = list_of_rows(judging, key)
        if address is not None and isinstance(node, Scalar):
            row = _row(judging, address, node.written, node)
            taken = last_taken(judging, address)
            if row is not None and taken != row:
                moments = list(when(judging.session, partial(_takes, address)))
                moment = moments[-1] if moments else None
                misses += (Miss("decided", row, taken or "nothing was decided", address, moment),)
    return misses


def _row(judging: Judging, address: str, written: str, place: Key | Node) -> str | None:
    """The id of the one row of a list that is written, by its id or address, or as stories tell it; else RW1007."""
    own = tuple(each for each in judging.ruled.rows if each.startswith(f"{address}/"))
    whole = f"{address}/{written}"
    if whole not in own:
        function = judging.session.begun.executable.program.functions.get(address)
        ids = {each: each.removeprefix(f"{address}/") for each in own}
        told = [each for each in own if row_called(each, ids[each], function, judging.names) == written]
        whole = told[0] if len(told) == 1 else whole
    found = judging.address(whole if whole in own else written, place, own, "row")
    return found and found.removeprefix(f"{address}/")


def last_taken(judging: Judging, address: str) -> str | None:
    """The id of the row that was taken last in a `decide` or table; none where there was none."""
    taken = [each.id for each in _judged(judging, address) if each.outcome == "taken"]
    return taken[-1] if taken else None


def list_of_rows(judging: Judging, key: Key) -> str | None:
    """The whole address of a `decide` or table."""
    return judging.address(key.text, key, judging.ruled.row_lists, "list of rows")


def applied(judging: Judging) -> tuple[Miss, ...]:
    """Rows of tallies that changed a number at least once; an empty list where none did."""
    at_work = _at_work(judging)
    if isinstance(judging.node, Items) and not judging.node.items:
        return tuple(
            Miss("applied", "not applied", "applied", each, next(when(judging.session, partial(_applies, each))))
            for each in sorted(at_work)
        )
    return tuple(
        Miss("applied", "applied", "not applied", address) for address in _rows(judging) if address not in at_work
    )


def not_applied(judging: Judging) -> tuple[Miss, ...]:
    """Rows of tallies that never did; at least one is named."""
    return tuple(
        Miss("not_applied", "not applied", "applied", address, next(when(judging.session, partial(_applies, address))))
        for address in _rows(judging)
        if address in _at_work(judging)
    )


def rulings(judging: Judging) -> tuple[Miss, ...]:
    """Rulings that the play met, in any order; an empty list where it met none."""
    known = tuple(dict.fromkeys(each.id for each in judging.program.rulings))
    found = judging.session.results(_RULING)
    met = {address.rpartition("/")[2].removeprefix("ruling.") for address, _ in found}
    expected = [judging.address(each.written, each, known, "ruling") for each in judging.texts]
    if not expected:
        return tuple(Miss("rulings", "not met", "met", each) for each in sorted(met))
    return tuple(Miss("rulings", "met", "not met", each) for each in expected if each is not None and each not in met)


def _takes(address: str, entry: Entry) -> bool:
    """Whether a `decide` or table takes a row."""
    return entry.address == address and any(each.outcome == "taken" for each in entry.rows)


def _applies(row: str, entry: Entry) -> bool:
    """Whether a row of a tally applies."""
    return any(each.address == row and each.outcome == "applied" for each in entry.rows)


def _rows(judging: Judging) -> list[str]:
    known = judging.ruled.rows
    found = [judging.address(each.written, each, known, "row") for each in judging.texts]
    return [each for each in found if each is not None]


def _at_work(judging: Judging) -> set[str]:
    entries = everything(judging.session.entries)
    return {row.address for entry in entries for row in entry.rows if row.outcome == "applied"}


def _judged(judging: Judging, address: str) -> list[Judged]:
    entries = everything(judging.session.around(address))
    return [row for entry in entries if entry.address == address for row in entry.rows]


def values(judging: Judging) -> tuple[Miss, ...]:
    """What lines gave that name a value: one value, or a list with one for each time."""
    misses: tuple[Miss, ...] = ()
    for key, node in judging.entries:
        address = named_line(judging, key)
        if address is not None:
            misses += _compared(judging, address, judging.ruled.giving[address], node)
    return misses


def named_line(judging: Judging, key: Key) -> str | None:
    """The line that gives something: one that works it out or asks, else one that rolls or draws."""
    ruled = judging.ruled
    sure = [each for each in ruled.named if ends_in(each, key.text)]
    return judging.address(key.text, key, tuple(ruled.named if sure else ruled.giving), "named line")


def each_time(node: Node) -> Sequence[Node]:
    """What is expected of each time: the members of a list, or one thing of the only time."""
    return node.items if isinstance(node, Items) else (node,)


def _compared(judging: Judging, address: str, type_: Type, node: Node) -> tuple[Miss, ...]:
    expected, got = _times(judging, address, type_, node), given(judging, address)
    if expected is None or expected == got:
        return ()
    lines = judging.ruled.sharing[address]
    moment = first_wrong(expected, got, when(judging.session, lambda each: _is_given(each, lines)))
    names = names_of(judging, address)
    told = _told(names, expected, type_)
    if not expected and takes_lists(type_, judging):
        told = f"{told}; `[[]]` says that it gives nothing"
    return (Miss("values", told, _told(names, got, type_), address, moment),)


def _times(judging: Judging, address: str, type_: Type, node: Node) -> list[Value] | None:
    """What is expected of a line each time; a list that fits no time is one value, if it is one; else none, reported.

    A value of some types is itself a list: a hex, a set, the faces of a roll. `[2, -1]` is then one hex, and `[[2, -1],
    [3, 0]]` are two, of a line that runs twice.
    """
    what = f"what `{address}` gives"
    times, alone, names = Findings(), Findings(), names_of(judging, address)
    expected = [ValueReader(names, times).read(each, type_, what) for each in each_time(node)]
    sure = [each for each in expected if not isinstance(each, Wrong)]
    if len(sure) == len(expected):
        return sure
    whole = ValueReader(names, alone).read(node, type_, what)
    if not isinstance(whole, Wrong):
        return [whole]
    lists = takes_lists(type_, judging)
    nested = isinstance(node, Items) and any(isinstance(each, Items) for each in node.items)
    found = alone.found if lists and not nested else times.found
    remedy = "a value of this line is a list: `[…]`, or of a line that runs twice `[[…], […]]`" if lists else ""
    judging.findings.found += (replace(each, help=each.help or remedy) for each in found)
    return None


def takes_lists(type_: Type, judging: Judging) -> bool:
    """Whether a value of a type is written as a list."""
    return _has_lists(shapes_of(judging.program).of(type_).schema)


def _has_lists(schema: Schema) -> bool:
    return schema.get("type") == "array" or any(map(_has_lists, (*schema.get("anyOf", ()), *schema.get("oneOf", ()))))


def given(judging: Judging, address: str) -> list[Value]:
    """What a named line gave, each time it ran; of a roll the faces that it shows."""
    lines, ruled = judging.ruled.sharing[address], judging.ruled
    if address in ruled.rolls:
        around = judging.session.around(*lines)
        return [_faces(each, ruled.giving[address]) for each in around if _is_given(each, lines)]
    return [result for address, result in judging.session.results(_GIVING) if address in lines]


def _faces(entry: Entry, type_: Type) -> Value:
    faces = tuple(each.face for each in entry.dice)
    return faces if isinstance(type_, ListType) else faces[0]


def _is_given(entry: Entry, lines: frozenset[str]) -> bool:
    return entry.address in lines and entry.sort in _GIVING


def names_of(judging: Judging, address: str) -> Names:
    """Names that also call the dice that a named line gave the first time, as an answer and the story do."""
    if not may_hold(judging.ruled.giving[address], (DieType, PoolType), judging.program):
        return judging.names
    lines = judging.ruled.sharing[address]
    first = next((each for each in judging.session.around(*lines) if _is_given(each, lines)), None)
    return judging.names if first is None else judging.names.holding(first.rolls)


def _told(names: Names, found: Sequence[Value | Wrong], type_: Type) -> str:
    return ", then ".join(show(each, type_, names) for each in found) or "it does not run"


_Rows = Counter[tuple[str, Value]]


def counted(judging: Judging) -> tuple[Miss, ...]:
    """By tally, the rows that counted with their amounts: of the only time, or a list with those of each time."""
    misses: tuple[Miss, ...] = ()
    tallies = judging.ruled.tallies
    for key, node in judging.entries:
        address = judging.address(key.text, key, tuple(tallies), "tally")
        if address is not None:
            misses += _compared_of_counting(judging, address, amounts(tallies[address]), node)
    return misses


def amounts(type_: Type) -> Type:
    """The type of what rows add: without the bounds of the tally."""
    return type_ if isinstance(type_, LengthType) else FractionType()


def _compared_of_counting(judging: Judging, address: str, type_: Type, node: Node) -> tuple[Miss, ...]:
    before = len(judging.findings.found)
    expected = [Counter(_expected(judging, address, type_, each)) for each in each_time(node)]
    got = list(rows_counted(judging, address))
    if len(judging.findings.found) > before or expected == got:
        return ()
    moment = first_wrong(expected, got, when(judging.session, lambda each: _is_computed(each, address)))
    return (
        Miss(
            "counted",
            _counted_told(judging, expected, type_),
            _counted_told(judging, got, type_),
            address,
            moment,
        ),
    )


def _expected(judging: Judging, address: str, type_: Type, node: Node) -> Iterator[tuple[str, Value]]:
    """Rows with amounts; a row that counts several times has a list of them."""
    assert isinstance(node, Mapping)
    reader = ValueReader(judging.names, judging.findings)
    for key, written in node:
        row = _row(judging, address, key.text, key)
        for each in each_time(written):
            amount = reader.read(each, type_, f"what `{key.text}` adds")
            if row is not None and not isinstance(amount, Wrong):
                yield row, amount


def rows_counted(judging: Judging, address: str) -> Iterator[_Rows]:
    """The rows of a tally that counted with what each added, each time it was computed."""
    for each in everything(judging.session.around(address)):
        if _is_computed(each, address):
            yield Counter((row.id, row.value) for row in each.rows if row.outcome == "applied")


def _is_computed(entry: Entry, address: str) -> bool:
    return entry.address == address and entry.sort in {"line", "tally"}


def _counted_told(judging: Judging, times: Sequence[_Rows], type_: Type) -> str:
    return ", then ".join(_rows_of_counting(judging, each, type_) for each in times) or "it is not computed"


def _rows_of_counting(judging: Judging, rows: _Rows, type_: Type) -> str:
    return ", ".join(f"{row} {show(amount, type_, judging.names)}" for row, amount in rows.elements()) or "no row"
