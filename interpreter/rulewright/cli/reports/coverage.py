"""What scenarios reach, as one page: the coloured text, the clauses beside it."""

from collections import defaultdict
from collections.abc import Mapping

from rulewright.analysis.clause_trace import Traced, TracedDocument
from rulewright.cli.reports import rendered
from rulewright.coverage.listing import SORTS, Unit
from rulewright.coverage.report import Report, counts, percent_text, who
from rulewright.frozen import dataclass
from rulewright.source import Span, Text

_MOST_NAMES = 12
_TO_REACH = frozenset({"cited", "missing"})


@dataclass(frozen=True, slots=True)
class _Here:
    """What is known of one place: names of units by how they fared, and of the scenarios that came there."""

    reached: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    by: tuple[str, ...] = ()

    @property
    def colour(self) -> str:
        """The class of the style sheet; empty where there is nothing to reach."""
        if self.missing:
            return "part" if self.reached else "none"
        if self.reached:
            return "full"
        return "left" if self.left else ""

    @property
    def told(self) -> str:
        """What is shown while pointing at it."""
        parts = [f"not reached: {each}" for each in self.missing]
        parts += [f"left out: {each}" for each in self.left]
        parts += [f"reached by {each}" for each in self.by[:_MOST_NAMES]]
        more = len(self.by) - _MOST_NAMES
        return "\n".join([*parts, *([f"and {more} more"] if more > 0 else [])])


@dataclass(frozen=True, slots=True)
class _Count:
    """How much of a sort was reached, and what the sort is."""

    sort: str
    reached: int
    whole: int
    percent: str
    says: str


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a text, its class of the style sheet, and what is shown while pointing at it."""

    number: int
    text: str
    colour: str
    told: str


@dataclass(frozen=True, slots=True)
class _Text:
    """A text and its lines."""

    name: str
    lines: tuple[_Line, ...]


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause, as a line is; what accounts for it, and the lines that cite it by the place of their text."""

    id: str
    says: str
    account: str
    colour: str
    told: str
    lines: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Document:
    """A document and its clauses."""

    title: str
    clauses: tuple[_Clause, ...]


@dataclass(frozen=True, slots=True)
class _Report:
    title: str
    counts: tuple[_Count, ...]
    texts: tuple[_Text, ...]
    documents: tuple[_Document, ...]


def page(found: Report, texts: Mapping[str, Text]) -> str:
    """The page: a table of counts, the clauses of the documents, every text with its lines coloured."""
    places = _places(found, texts)
    sources = list(dict.fromkeys(source for source, _ in places if source))
    shown = tuple(
        _Count(each.sort, each.reached, each.whole, percent_text(each.percent), SORTS[each.sort])
        for each in counts(found)
        if each.whole
    )
    documents = tuple(_document(each, places, sources, texts) for each in found.documents)
    return rendered(
        "coverage.html", _Report("Coverage", shown, tuple(_text(texts[each], places) for each in sources), documents)
    )


_Place = tuple[str, int | str]


def _places(found: Report, texts: Mapping[str, Text]) -> dict[_Place, _Here]:
    """What is known of each line of a text, and of each clause under the empty name."""
    reached: dict[_Place, list[str]] = defaultdict(list)
    missing: dict[_Place, list[str]] = defaultdict(list)
    left: dict[_Place, list[str]] = defaultdict(list)
    by: dict[_Place, set[int]] = defaultdict(set)
    for hit in found.reached:
        reached[_place(hit.unit, texts)].append(_called(hit.unit))
        by[_place(hit.unit, texts)].update(hit.by)
    for unit in found.missing:
        missing[_place(unit, texts)].append(_called(unit))
    for each in found.excluded:
        left[_place(each.unit, texts)].append(f"{_called(each.unit)}, because {each.because}")
    for unit in found.dead:
        left[_place(unit, texts)].append(f"{_called(unit)}, because {unit.dead}")
    every = dict.fromkeys([*reached, *missing, *left])
    return {
        each: _Here(tuple(reached[each]), tuple(missing[each]), tuple(left[each]), who(sorted(by[each]), found.results))
        for each in every
    }


def _called(unit: Unit) -> str:
    return f"{unit.sort} {unit.detail}".strip() if unit.detail else unit.sort


def _place(unit: Unit, texts: Mapping[str, Text]) -> _Place:
    if unit.span is None:
        return "", unit.address
    return unit.span.source, _line(unit.span, texts)


def _line(span: Span, texts: Mapping[str, Text]) -> int:
    return texts[span.source].position(span.start).line


def _text(text: Text, places: Mapping[_Place, _Here]) -> _Text:
    numbered = enumerate(text.content.splitlines(), 1)
    lines = ((number, line, places.get((text.name, number), _Here())) for number, line in numbered)
    return _Text(text.name, tuple(_Line(number, line, here.colour, here.told) for number, line, here in lines))


def _document(
    document: TracedDocument, places: Mapping[_Place, _Here], sources: list[str], texts: Mapping[str, Text]
) -> _Document:
    clauses = tuple(
        _clause(each, places.get(("", each.entry.id), _Here()), sources, texts) for each in document.clauses
    )
    return _Document(document.title or document.name, clauses)


def _clause(clause: Traced, here: _Here, sources: list[str], texts: Mapping[str, Text]) -> _Clause:
    spans = (each.span for each in clause.statements if each.span.source in sources)
    lines = tuple(dict.fromkeys((sources.index(each.source), _line(each, texts)) for each in spans))
    account = "" if clause.answer in _TO_REACH else clause.answer
    return _Clause(clause.entry.id, clause.entry.says, account, here.colour, here.told, lines)
