"""What differs between two revisions: as one page with both texts side by side, and as the draft of a change log."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby, zip_longest

from rulewright.analysis.symbols import ClauseEntry
from rulewright.cli.diff_found import Found, Side, groups
from rulewright.cli.diff_odds import listed
from rulewright.cli.diff_screen import evidence, folded, headline, said, scenarios_line
from rulewright.cli.diff_witnesses import Left, Stretch, left, scenarios, subject, tale, value_told
from rulewright.cli.reports import Part, parts_of, rendered
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import SECTIONS, TITLES
from rulewright.comparing.item_places import Phrase, Quote
from rulewright.comparing.playing.data import Witness
from rulewright.comparing.report.rows import GONE, NEW
from rulewright.comparing.report.rows import Row as Shown
from rulewright.diagnostics.terminal import PLAIN
from rulewright.frozen import dataclass
from rulewright.source import Span, Text

_FOLDED = 6
_OPEN = frozenset({"rules", "rewritten", "declarations", "names"})
_LABELS = {NEW: "New.", GONE: "Gone."}
_KEY = (
    ("added", "added"),
    ("removed", "removed"),
    ("changed", "changed or moved"),
    ("renamed", "name, wording or margin"),
    ("other", "layout, or told elsewhere"),
)
_OTHERS = {
    **TITLES,
    "declarations": "Declarations",
    "names": "Names",
    "wording": "Wording",
    "remarks": "Rulings and clauses without a rule",
}


@dataclass(frozen=True, slots=True)
class _Change:
    """A row of the first screen, in one text and in its pieces."""

    label: str
    text: str
    parts: tuple[Part, ...]
    more: tuple[str, ...]
    cites: tuple[str, ...]
    is_shown: bool


@dataclass(frozen=True, slots=True)
class _Edit:
    """An edit below its heading; links are a side, the number of a sheet and a line."""

    place: str
    said: tuple[Part, ...]
    cites: tuple[str, ...]
    links: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """Edits of one thing; one alone has no heading."""

    heading: str
    edits: tuple[_Edit, ...]


@dataclass(frozen=True, slots=True)
class _Section:
    """A section of edits."""

    title: str
    is_open: bool
    groups: tuple[_Group, ...]


@dataclass(frozen=True, slots=True)
class _Scene:
    """Lines that both tell, or what each tells by itself."""

    both: tuple[str, ...] = ()
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Play:
    """A witness: its start, its story in scenes, and both once more line by line."""

    title: str
    shows: tuple[str, ...]
    start: tuple[Stretch, ...]
    story: tuple[_Scene, ...]
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One line of one revision: its number, what it says, the sort of edit that colours it, all edits in words."""

    line: int
    text: str
    sort: str
    told: str


@dataclass(frozen=True, slots=True)
class Row:
    """Two lines side by side; none where a revision has no such line."""

    old: Cell | None
    new: Cell | None

    @property
    def same(self) -> bool:
        """Whether both say the same and nothing was edited."""
        return self.old is not None and self.new is not None and not self.old.sort and not self.new.sort


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that are all the same, or none of them."""

    rows: tuple[Row, ...]
    is_folded: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """A text in both revisions, by its names."""

    old: str
    new: str
    blocks: tuple[_Block, ...]

    @property
    def title(self) -> str:
        """Its name, or both."""
        return " → ".join(dict.fromkeys(filter(None, (self.old, self.new))))


@dataclass(frozen=True, slots=True)
class _Report:
    """All that is shown: first what stands on the first screen, then edits by section and by clause, then plays."""

    title: str
    name: str
    old: str
    new: str
    verdict: str
    word: str
    says: str
    layers: tuple[tuple[str, str], ...]
    counts: str
    headline: str
    evidence: str
    is_shown: bool
    changes: tuple[_Change, ...]
    notes: tuple[str, ...]
    sections: tuple[_Section, ...]
    clauses: tuple[_Group, ...]
    others: tuple[_Group, ...]
    values: tuple[str, ...]
    plays: tuple[_Play, ...]
    lists: tuple[Left, ...]
    addresses: tuple[str, ...]
    key: tuple[tuple[str, str], ...]
    sheets: tuple[Sheet, ...]


def page(found: Found) -> str:
    """The page: verdicts, edits with links into the texts, both texts side by side."""
    return rendered("diff.html", _report(found))


def log(found: Found) -> str:
    """The draft of a change log, by the clauses of the documents; below every clause a line waits for the reason."""
    return rendered("diff.md", _report(found))


def _report(found: Found) -> _Report:
    old, new, verdict = found.old, found.new, found.whole.verdict
    behaviour = found.whole.behaviour
    laid = sheets(old.loaded.texts, new.loaded.texts, marks_of(found))
    others = ((title, found.section(section)) for section, title in _OTHERS.items())
    return _Report(
        title=f"{new.program.title}: {old.revision} → {new.revision}",
        name=new.program.title,
        old=old.revision,
        new=new.revision,
        verdict=str(verdict),
        word=verdict.word,
        says=verdict.says,
        layers=tuple(found.whole.layers.items()),
        counts=found.counts,
        headline=headline(found),
        evidence=evidence(found),
        is_shown=any(each.shown for each in found.screen.rows),
        changes=tuple(map(_change, found.screen.rows)),
        notes=tuple(filter(None, (scenarios_line(found), *folded(found)))),
        sections=tuple(_section(each, found.section(each), laid, found) for each in SECTIONS if found.section(each)),
        clauses=tuple(_clauses(found)),
        others=tuple(_Group(title, tuple(map(_item, told))) for title, told in others if told),
        values=tuple(value_told(each, found) for each in behaviour.values) if behaviour else (),
        plays=tuple(_play(each, found) for each in behaviour.witnesses) if behaviour else (),
        lists=(*left(found), *listed(found), *scenarios(found)),
        addresses=tuple(f"{each.file}: {each.told}" for each in found.addresses),
        key=_KEY,
        sheets=laid,
    )


def _change(row: Shown) -> _Change:
    text = " ".join(filter(None, said(row)))
    return _Change(_LABELS.get(row.kind, ""), text, parts_of(text), tuple(row.more), tuple(row.cited), row.shown)


def _section(section: str, told: tuple[Told, ...], laid: Sequence[Sheet], found: Found) -> _Section:
    count = f"{TITLES[section]}: {len(told)}" if section in TITLES else ""
    title = count or f"{section.capitalize()}: {len(told)}, {SECTIONS[section]}"
    return _Section(title, section in _OPEN, tuple(_group(inside, laid, found) for inside in groups(told)))


def _group(inside: Sequence[Told], laid: Sequence[Sheet], found: Found) -> _Group:
    if len(inside) == 1:
        return _Group("", (_edit(inside[0], inside[0].head, laid, found),))
    return _Group(inside[0].heading, tuple(_edit(each, each.inner, laid, found) for each in inside))


def _edit(each: Told, place: str, laid: Sequence[Sheet], found: Found) -> _Edit:
    links = (*_links("old", each.old, laid, found), *_links("new", each.new, laid, found))
    return _Edit(place, _pieces(each.said), each.cites if each.section != "margins" else (), links)


def _item(each: Told, besides: str = "") -> _Edit:
    """An edit of the change log; of its clauses those are told that it does not stand below."""
    return _Edit(each.head, _pieces(each.said), tuple(cite for cite in each.cites if besides and cite != besides))


def _pieces(said: Phrase) -> tuple[Part, ...]:
    return tuple(Part(each.text, is_code=True) if isinstance(each, Quote) else Part(each) for each in said)


def _links(side: str, span: Span | None, laid: Sequence[Sheet], found: Found) -> Iterator[tuple[str, int, int]]:
    """Where an edit stands in the sheets: nowhere, or at one line."""
    if span is None:
        return
    line = (found.old if side == "old" else found.new).loaded.texts[span.source].position(span.start).line
    names = [sheet.old if side == "old" else sheet.new for sheet in laid]
    if span.source in names:
        yield side, names.index(span.source), line


def _clauses(found: Found) -> Iterator[_Group]:
    """The edits of rules below the clause that each cites first, in the order of the documents."""
    clauses = {**_listed(found.old), **_listed(found.new)}
    told: dict[str, list[Told]] = {}
    for each in found.section("rules"):
        told.setdefault(each.cites[0] if each.cites else "", []).append(each)
    known = {name: number for number, name in enumerate(clauses)}
    for clause in sorted(told, key=lambda name: (not name, known.get(name, len(known)), name)):
        where = clauses[clause].where if clause in clauses else ""
        heading = f"{clause} ({where})" if where else clause or "Without a clause"
        yield _Group(heading, tuple(_item(each, besides=clause) for each in told[clause]))


def _listed(side: Side) -> Mapping[str, ClauseEntry]:
    linked = side.loaded.linked
    return {entry.id: entry for each in (linked.clauses.values() if linked else ()) for entry in each}


def _play(witness: Witness, found: Found) -> _Play:
    told = tale(witness, PLAIN)
    lines = (line for each in (*told.start, *told.story) for line in (each.where, *(f"  {one}" for one in each.lines)))
    return _Play(told.title, subject(witness, found), told.start, tuple(_scenes(told.story)), tuple(lines))


def _scenes(story: Sequence[Stretch]) -> Iterator[_Scene]:
    """What stands in both, and beside each other what each revision tells until both tell the same again."""
    for is_common, run in groupby(story, key=lambda each: each.where == "both"):
        lines = {each.where: each.lines for each in run}
        yield _Scene(both=lines["both"]) if is_common else _Scene(old=lines.get("OLD", ()), new=lines.get("NEW", ()))


Marks = tuple[Mapping[tuple[str, int], tuple[Told, ...]], Mapping[tuple[str, int], tuple[Told, ...]]]
"""What was edited at the lines of old texts and of new ones."""

_WHOLE = frozenset({"added", "removed", "moved"})


def marks_of(found: Found) -> Marks:
    """What was edited at which line; what came, went or moved marks all its lines, anything else its first."""
    old: dict[tuple[str, int], tuple[Told, ...]] = {}
    new: dict[tuple[str, int], tuple[Told, ...]] = {}
    for each in found.told:
        for marks, span, texts in ((old, each.old, found.old.loaded.texts), (new, each.new, found.new.loaded.texts)):
            for key in _lines(each, span, texts) if span else ():
                marks[key] = (*marks.get(key, ()), each)
    return old, new


def _lines(each: Told, span: Span, texts: Mapping[str, Text]) -> Iterator[tuple[str, int]]:
    text = texts[span.source]
    first = text.position(span.start).line
    whole = text.content[span.start : span.end].rstrip().count("\n") if each.sort in _WHOLE else 0
    return ((span.source, line) for line in range(first, first + whole + 1))


def sheets(old: Mapping[str, Text], new: Mapping[str, Text], marks: Marks) -> tuple[Sheet, ...]:
    """All texts of rules of two revisions, paired by the names of their files, else in the order of reading."""
    return tuple(
        Sheet(before or "", after or "", _blocks(old.get(before or ""), new.get(after or ""), marks))
        for before, after in _pairs([*filter(_is_rules, old)], [*filter(_is_rules, new)])
    )


def _is_rules(name: str) -> bool:
    return not name.endswith((".yaml", ".yml"))


def _pairs(old: list[str], new: list[str]) -> Iterator[tuple[str | None, str | None]]:
    by_name = {posixpath.basename(each): each for each in new}
    same = {each: by_name[posixpath.basename(each)] for each in old if posixpath.basename(each) in by_name}
    yield from same.items()
    yield from zip_longest(
        (each for each in old if each not in same), (each for each in new if each not in same.values())
    )


def _blocks(old: Text | None, new: Text | None, marks: Marks) -> tuple[_Block, ...]:
    mine, others = (text.content.splitlines() if text else [] for text in (old, new))
    blocks: list[tuple[Row, ...]] = []
    for tag, first, end, start, stop in SequenceMatcher(None, mine, others, autojunk=False).get_opcodes():
        before = [_cell(old, mine, number, marks[0], tag) for number in range(first, end)]
        after = [_cell(new, others, number, marks[1], tag) for number in range(start, stop)]
        blocks.append(tuple(Row(a, b) for a, b in zip_longest(before, after)))
    parted = (each for block in blocks for each in _parted(block))
    return tuple(_Block(each, all(row.same for row in each) and len(each) > _FOLDED) for each in parted)


def _parted(block: tuple[Row, ...]) -> Iterator[tuple[Row, ...]]:
    """A block in runs of rows that are the same and rows that are not."""
    run: list[Row] = []
    for row in block:
        if run and run[-1].same != row.same:
            yield tuple(run)
            run = []
        run.append(row)
    if run:
        yield tuple(run)


def _cell(
    text: Text | None, lines: list[str], number: int, marks: Mapping[tuple[str, int], tuple[Told, ...]], tag: str
) -> Cell:
    edits = marks.get((text.name if text else "", number + 1), ())
    rules = [each for each in edits if each.section == "rules"]
    sort = (rules or edits)[0].sort if edits else "" if tag == "equal" or not lines[number].strip() else "other"
    return Cell(number + 1, lines[number], sort, "\n".join(map(str, edits)))
