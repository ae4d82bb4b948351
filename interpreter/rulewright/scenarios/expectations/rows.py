"""Which rows decided, which modifiers applied, which rulings were met."""

from functools import partial

from rulewright.inputs.nodes import Items, Key, Scalar
from rulewright.machine.trace import Entry, Judged
from rulewright.scenarios.expectations.judging import Judging, everything
from rulewright.scenarios.expectations.moments import when
from rulewright.scenarios.results import Miss


def decided(judging: Judging) -> tuple[Miss, ...]:
    """For a decide or table, by its address: the row that was taken last."""
    misses: tuple[Miss, ...] = ()
    for key, node in judging.entries("addresses to rows"):
        address = list_of_rows(judging, key)
        if not isinstance(node, Scalar):
            judging.wrong(node, "the id of a row")
        elif address is not None:
            row = judging.address(f"{address}/{node.written}", node, judging.ruled.rows, "row")
            taken = last_taken(judging, address)
            if row is not None and taken != node.written:
                moments = list(when(judging.session, partial(_takes, address)))
                moment = moments[-1] if moments else None
                misses += (Miss("decided", node.written, taken or "nothing was decided", address, moment),)
    return misses


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
    if isinstance(judging.node, Items) and not judging.node.items:
        judging.findings.error("RW1002", judging.node, "this list is empty; it must name a row", help=_NO_ROW)
        return ()
    return tuple(
        Miss("not_applied", "not applied", "applied", address, next(when(judging.session, partial(_applies, address))))
        for address in _rows(judging)
        if address in _at_work(judging)
    )


_NO_ROW = "where no row at all counts, write `applied: []`; else take `not_applied:` out"


def rulings(judging: Judging) -> tuple[Miss, ...]:
    """Rulings that the play met, in any order; an empty list where it met none."""
    known = tuple(dict.fromkeys(each.id for each in judging.program.rulings))
    met = {
        entry.address.rpartition("/")[2].removeprefix("ruling.")
        for entry in judging.session.entries
        if entry.sort == "ruling"
    }
    expected = [judging.address(each.written, each, known, "ruling") for each in judging.texts("rulings")]
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
    found = [judging.address(each.written, each, known, "row") for each in judging.texts("rows")]
    return [each for each in found if each is not None]


def _at_work(judging: Judging) -> set[str]:
    entries = everything(judging.session.entries)
    return {row.address for entry in entries for row in entry.rows if row.outcome == "applied"}


def _judged(judging: Judging, address: str) -> list[Judged]:
    entries = everything(judging.session.around(address))
    return [row for entry in entries if entry.address == address for row in entry.rows]
