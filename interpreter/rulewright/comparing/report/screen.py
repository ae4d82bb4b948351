"""The first screen of a comparison, made from its edits, its clauses and its plays."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from rulewright.analysis.symbols import ClauseEntry
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import Edit, Renamed
from rulewright.comparing.overall_verdict import Whole
from rulewright.comparing.report.halves import Saying
from rulewright.comparing.report.margins import Clauses, Margins, clauses_of
from rulewright.comparing.report.model import CHANGED, GONE, NEW, Folded, Row, Screen
from rulewright.comparing.report.published import Readings
from rulewright.comparing.report.rows import Draft, Drafting, Material, short_clause
from rulewright.outline.items import Item
from rulewright.program.declarations import Program

_PROVED = frozenset({"function", "procedure", "handler", "rule"})
_INNER = frozenset({"step", "parameter", "local"})
_KINDS = {CHANGED: 0, NEW: 1, GONE: 2}
Lists = tuple[Sequence[ClauseEntry], Sequence[ClauseEntry]]


def screen(programs: tuple[Program, Program], lists: Lists, whole: Whole, told: Sequence[Told]) -> Screen:
    """The rows of two revisions, the most noticeable first, and what is folded.

    What only another reading brings is folded, but where nothing else could bring what plays show.

    Args:
        programs: the old revision and the new one.
        lists: the clauses of the documents of both.
        whole: what was compared, with plays or without.
        told: every edit in words.
    """
    comparison = whole.comparison
    same, outlines = comparison.correspondence, comparison.outlines
    readings = Readings(programs, outlines, same)
    rules = [each for each in told if each.section == "rules"]
    margins = Margins(outlines[0]), Margins(outlines[1])
    proved = tuple(each.number for each in rules if _is_proved(comparison.edits[each.number], whole, margins))
    unfolded = [each.number for each in rules if each.number not in proved]
    quiet = tuple(each for each in unfolded if readings.only(comparison.edits[each]))
    if len(quiet) == len(unfolded) and whole.behaviour is not None and whole.behaviour.witnesses:
        quiet = ()
    clauses = clauses_of(lists, outlines, margins, same)
    spoken = [each for each in rules if each.number not in quiet and each.number not in proved]
    drafting = Drafting(Material(comparison.edits, spoken, margins, clauses, Saying(outlines, same.names), same.names))
    drafts = _without_doubles(drafting.drafts())
    told_of = _prefixes(programs)
    rows = tuple(_ranked(drafts, _seen(whole, drafts), told_of))
    folded = Folded(
        readings=(*quiet, *(each.number for each in told if each.section == "declarations" and _is_setting(each))),
        helpers=(
            *sorted(drafting.helpers),
            *(each.number for each in told if each.section == "declarations" and not _is_setting(each)),
        ),
        same=tuple(sorted(drafting.same - {number for row in rows for number in row.edits})),
        wording=_numbers(told, "wording"),
        margins=_numbers(told, "margins"),
        rewritten=(*_numbers(told, "rewritten"), *proved),
    )
    also = tuple(_also(clauses, rows))
    return Screen(
        rows,
        tuple((short_clause(old, told_of), short_clause(new, told_of)) for old, new in also),
        tuple(_names(whole)),
        folded,
    )


def _is_proved(edit: Edit, whole: Whole, margins: tuple[Margins, Margins]) -> bool:
    """Whether an edit only writes its routine or function otherwise, whatever becomes of what that mentions."""
    left = whole.comparison.remaining.old, whole.comparison.remaining.new
    items = getattr(edit, "old", None), getattr(edit, "new", None)
    inside = [
        (margins[side].declaration(item), side)
        for side, item in enumerate(items)
        if isinstance(item, Item) and margins[side].around(item) is not None
    ]
    return bool(inside) and all(
        around.name is not None and around.name.sort in _PROVED and around.name not in left[side]
        for around, side in inside
    )


def _also(clauses: Clauses, rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Clauses that no row is about: of the new document alone, or worded otherwise in another document."""
    told = {each for row in rows for side in row.clauses for each in side}
    came = {new: old for old, new in clauses.became.items()}
    for new, entry in clauses.new.items():
        old = came.get(new, "")
        if entry.says and new not in told and old != new and not (old and clauses.reads_same(old, new)):
            yield old, new


def _numbers(told: Sequence[Told], section: str) -> tuple[int, ...]:
    return tuple(each.number for each in told if each.section == section)


def _is_setting(each: Told) -> bool:
    return each.place.startswith("setting ")


def _prefixes(programs: tuple[Program, Program]) -> frozenset[str]:
    """The documents that clauses need not name: of revisions with one document each."""
    names = [[each.name for each in program.documents] for program in programs]
    return frozenset(name for each in names for name in each) if all(len(each) <= 1 for each in names) else frozenset()


def _without_doubles(drafts: Sequence[Draft]) -> list[Draft]:
    """Drafts whose two halves are not the same, each once."""
    found: dict[tuple[str, str, str, str], Draft] = {}
    for each in drafts:
        row = each.row
        if row.kind != CHANGED or row.was != row.now:
            found.setdefault((row.kind, row.name, row.was, row.now), each)
    return list(found.values())


def _seen(whole: Whole, drafts: Sequence[Draft]) -> frozenset[int]:
    """Numbers of the edits that a play shows, or a value, each of one row only."""
    behaviour = whole.behaviour
    if behaviour is None:
        return frozenset()
    of_rows = Counter(number for each in drafts for number in each.row.edits)
    valued = {name for each in behaviour.values for name in (each.old, each.new)}
    if len(drafts) == 1 and (behaviour.witnesses or behaviour.values):
        return frozenset(of_rows)
    separated = behaviour.separated
    seen = {*separated.seen, *separated.hidden} if separated else set[int]()
    seen |= {number for number in of_rows if _name(whole.comparison.edits[number]) in valued}
    seen |= {number for each in behaviour.witnesses if each.subject for number in each.subject.edits}
    return frozenset(each for each in seen if of_rows[each] == 1)


def _name(edit: Edit) -> str:
    """The declaration that an edit is in, as values name it; an attribute by its kind."""
    item = getattr(edit, "new", None)
    if not isinstance(item, Item):
        return ""
    return item.address.replace("/", ".") if item.sort in _HOLDING else item.address.partition("/")[0]


_HOLDING = frozenset({"attribute", "parameter"})
"""Sorts of items whose values are named with what they belong to."""


def _ranked(drafts: Sequence[Draft], seen: frozenset[int], prefixes: Collection[str]) -> Iterator[Row]:
    made = [(each, replace(each.row, shown=not seen.isdisjoint(each.row.edits))) for each in drafts]
    made.sort(
        key=lambda pair: (
            _KINDS[pair[1].kind],
            not pair[0].spoken,
            not pair[1].shown,
            not pair[0].direct,
            pair[0].place,
        )
    )
    for _, row in made:
        cited = dict.fromkeys(row.clauses[1] or row.clauses[0])
        yield replace(row, cited=tuple(short_clause(each, prefixes) for each in cited))


def _names(whole: Whole) -> Iterator[tuple[str, str]]:
    for each in whole.comparison.edits:
        if isinstance(each, Renamed) and each.old.name and each.old.name.sort not in _INNER and each.new.id:
            yield each.old.id, each.new.id
