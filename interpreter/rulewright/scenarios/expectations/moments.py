"""When something happened in a play: positions among its entries."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from rulewright.drivers.session import Session
from rulewright.machine.trace import Entry
from rulewright.machine.values import Value


def when(session: Session, is_it: Callable[[Entry], bool]) -> Iterator[int]:
    """The positions of the entries that are it, or hold it; as often as they do."""
    for position, entry in enumerate(session.entries):
        yield from (position for each in _with_inner(entry) if is_it(each))


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


def _with_inner(entry: Entry) -> Iterator[Entry]:
    yield entry
    for each in entry.inner:
        yield from _with_inner(each)
