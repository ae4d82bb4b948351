"""One row of the first screen in full: its sentences, its edits, and the play that shows it."""

from collections.abc import Iterator

from rulewright.cli.diff_as_text import witness
from rulewright.cli.diff_found import Found
from rulewright.cli.diff_screen import heading
from rulewright.cli.diff_subjects import BECAME
from rulewright.cli.diff_witnesses import value_told
from rulewright.cli.output import Output
from rulewright.cli.stop import Stop, complaint
from rulewright.comparing.report.model import GONE, Row
from rulewright.diagnostics.visible import visible


def lines(found: Found, number: int, out: Output) -> Iterator[str]:
    """All of a row, by its number from 1.

    Raises:
        Stop: RW1109, there is no such row.
    """
    rows = found.screen.rows
    if number > len(rows):
        remedy = f"rows are numbered from 1 to {len(rows)}" if rows else "no edit may have changed play"
        raise Stop([complaint("RW1109", f"the comparison has no row {number}", remedy)])
    return _lines(found, number, rows[number - 1], out)


def _lines(found: Found, number: int, row: Row, out: Output) -> Iterator[str]:
    yield from heading(found, out)
    yield ""
    yield out.paint(visible(f"{number} {'*' if row.shown else '?'} {row.name}"), "strong")
    old, new = (
        ((row.was, *row.more), (row.now,)) if row.kind == GONE else ((row.was or row.meant,), (row.now, *row.more))
    )
    for label, said, clauses in (("was", old, row.clauses[0]), ("is", new, row.clauses[1])):
        for place, each in enumerate(filter(None, said)):
            cite = f"   {clauses[place]}" if place < len(clauses) else ""
            yield visible(f"  {label if not place else '':<4} {each}{cite}")
    yield from ("", out.paint("Edits:", "strong"))
    yield from (f"  {visible(str(each))}" for each in found.told if each.number in row.edits)
    yield ""
    yield from _play(found, number, row, out)


def _play(found: Found, number: int, row: Row, out: Output) -> Iterator[str]:
    """The play that shows a row; else what is known instead."""
    behaviour = found.whole.behaviour
    if behaviour is None:
        yield "No play: nothing was played"
        return
    alone = len(found.screen.rows) == 1
    own = [each for each in behaviour.witnesses if each.subject and not set(each.subject.edits).isdisjoint(row.edits)]
    shown = own or (behaviour.witnesses if alone else ())
    if shown:
        yield from witness(f"A play of row {number}", shown[0], found, out)
        return
    valued = [value_told(each) for each in behaviour.values if row.shown and (alone or _is_about(row, each.old, found))]
    if valued:
        yield from (f"Value: {each}" for each in valued)
        return
    yield f"No play to show: {_why(found, row)}"


def _is_about(row: Row, function: str, found: Found) -> bool:
    places = [each.place.replace("/", ".") for each in found.told if each.number in row.edits]
    return any(function in each for each in places)


def _why(found: Found, row: Row) -> str:
    separated = found.whole.behaviour.separated if found.whole.behaviour else None
    for outcome, (_, why) in BECAME.items() if separated is not None else ():
        if not set(row.edits).isdisjoint(getattr(separated, outcome)):
            return why
    return "the edits could not be told apart by plays; --all has those that were found"
