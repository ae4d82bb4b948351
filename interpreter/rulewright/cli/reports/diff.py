"""What differs between two revisions: as one page with both texts side by side, and as the draft of a change log."""

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace

from rulewright.cli.diff_found import Found, groups, listed_clauses
from rulewright.cli.diff_odds import listed
from rulewright.cli.diff_screen import evidence, folded, headline, said, scenarios_told, unread
from rulewright.cli.diff_stories import Play, play_of
from rulewright.cli.diff_warnings import warnings
from rulewright.cli.diff_witnesses import left, proof_of, scenarios, subject, value_told
from rulewright.cli.reports import Part, parts_of, rendered
from rulewright.cli.reports.sheets import Sheet, sheets
from rulewright.comparing.edit_report import Told
from rulewright.comparing.edits import SECTIONS, TITLES
from rulewright.comparing.item_places import Phrase, Quote
from rulewright.comparing.playing.data import ValueWitness, Witness
from rulewright.comparing.report.rows import GONE, NEW, Row as Shown
from rulewright.frozen import dataclass
from rulewright.source import Span

_OPEN = frozenset({"rules", "rewritten", "declarations", "names"})
_LABELS = {NEW: "New.", GONE: "Gone."}
_KEY = (
    ("added", "added"),
    ("removed", "removed"),
    ("changed", "changed or moved"),
    ("renamed", "name, wording or margin"),
    ("other", "layout, or listed elsewhere"),
)
_OTHERS = {
    **TITLES,
    "declarations": "Declarations",
    "names": "Names",
    "wording": "Wording",
    "remarks": "Rulings and clauses without a rule",
}


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


def page(found: Found) -> str:
    """The page: verdicts, edits with links into the texts, both texts side by side."""
    return rendered("diff.html", _report(found))


def log(found: Found) -> str:
    """The draft of a change log, by the clauses of the documents; below every clause a line waits for the reason."""
    return rendered("diff.md", _report(found))


def _report(found: Found) -> SimpleNamespace:
    old, new, verdict = found.old, found.new, found.verdict
    is_same = old.revision == new.revision
    names = (old.asked.written, new.asked.written) if is_same else (old.revision, new.revision)
    laid = _laid(found)
    told = {id(each): play_of(each, part) for part in found.parts for each in _witnesses(part)}
    changes = tuple(_changes(found, laid, told))
    others = ((title, part.section(section)) for part in found.parts for section, title in _OTHERS.items())
    return SimpleNamespace(
        title=f"{new.program.title}: {names[0]} → {names[1]}",
        names=names,
        name=new.program.title,
        old=old.revision,
        new=new.revision,
        verdict=str(verdict),
        word=verdict.word,
        says=verdict.says,
        counts="; ".join(filter(None, (_behind(part, part.counts) for part in found.parts))),
        headline=headline(found),
        evidence=evidence(found),
        is_shown=any(each.is_shown for each in changes),
        changes=changes,
        notes=tuple(
            filter(
                None, (*found.lone, *found.open, *warnings(found), scenarios_told(found), *folded(found), unread(found))
            )
        ),
        sections=tuple(
            _section(each, part.section(each), laid, part)
            for part in found.parts
            for each in SECTIONS
            if part.section(each)
        ),
        clauses=tuple(each for part in found.parts for each in _clauses(part)),
        others=tuple(_Group(title, tuple(map(_item, lines))) for title, lines in others if lines),
        values=tuple(value_told(each, part) for part in found.parts for each in _values(part)),
        plays=tuple(told.values()),
        others_played=tuple(each for each in told.values() if all(each is not change.play for change in changes)),
        lists=(*(each for part in found.parts for each in left(part)), *listed(found)),
        scenarios=tuple(scenarios(found, every=True)),
        addresses=tuple(f"{each.file}: {each.told}" for each in found.addresses),
        key=_KEY,
        sheets=laid,
    )


def _laid(found: Found) -> tuple[Sheet, ...]:
    """The texts of the rulesets, then those of overlays and of other rulesets; each pair once."""
    laid: dict[tuple[str, str], Sheet] = {}
    for part in found.parts:
        for each in sheets(part):
            laid.setdefault((each.old, each.new), each)
    return tuple(laid.values())


def _witnesses(found: Found) -> tuple[Witness, ...]:
    return found.whole.behaviour.witnesses if found.whole.behaviour else ()


def _values(found: Found) -> tuple[ValueWitness, ...]:
    return found.whole.behaviour.values if found.whole.behaviour else ()


def _behind(part: Found, text: str) -> str:
    """A text behind what it is said of, where that is not the ruleset by itself."""
    return f"{part.called}: {text}" if part.called and text else text


def _changes(found: Found, laid: Sequence[Sheet], plays: Mapping[int, Play]) -> Iterator[SimpleNamespace]:
    """The rows of the first screen, each with its play; one play stands with the first row that it shows."""
    met: dict[int, int] = {}
    rows = ((part, row) for part in found.parts for row in part.screen.rows)
    for number, (part, row) in enumerate(rows, 1):
        proof = proof_of(row, part)
        first = met.setdefault(id(proof.play), number) if proof.play is not None else number
        text = _behind(part, " ".join(filter(None, said(row))))
        yield SimpleNamespace(
            label=_LABELS.get(row.kind, ""),
            text=text,
            parts=parts_of(text),
            more=tuple(row.more),
            cites=tuple(row.cited),
            is_shown=row.shown,
            edits=tuple(_edit(each, each.head, laid, part) for each in part.told if each.number in row.edits),
            play=plays.get(id(proof.play)) if first == number else None,
            # the edits that the play is about, where these are not those of the change
            shows=subject(proof.play, part) if proof.play is not None and not _is_of(proof.play, row) else (),
            # the change that the same play shows already
            played=first if first != number else 0,
            values=proof.values,
            lacking=proof.lacking,
        )


def _is_of(play: Witness, row: Shown) -> bool:
    """Whether a play is about the edits of a row and needs no others."""
    return play.subject is not None and set(play.subject.edits) == set(row.edits) and not play.subject.needed


def _section(section: str, told: tuple[Told, ...], laid: Sequence[Sheet], found: Found) -> SimpleNamespace:
    count = f"{TITLES[section]}: {len(told)}" if section in TITLES else ""
    title = _behind(found, count or f"{section.capitalize()}: {len(told)}, {SECTIONS[section]}")
    shown = [_group(inside, laid, found) for inside in groups(told)]
    return SimpleNamespace(title=title, is_open=section in _OPEN, groups=shown)


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
    clauses = {each.id: each for each in (*listed_clauses(found.old), *listed_clauses(found.new))}
    told: dict[str, list[Told]] = {}
    for each in found.section("rules"):
        told.setdefault(each.cites[0] if each.cites else "", []).append(each)
    known = {name: number for number, name in enumerate(clauses)}
    for clause in sorted(told, key=lambda name: (not name, known.get(name, len(known)), name)):
        where = clauses[clause].where if clause in clauses else ""
        heading = f"{clause} ({where})" if where else clause or "Without a clause"
        yield _Group(_behind(found, heading), tuple(_item(each, besides=clause) for each in told[clause]))
