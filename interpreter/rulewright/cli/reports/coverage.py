"""What scenarios reach, as one page: the coloured text, the clauses beside it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import SimpleNamespace

from rulewright.analysis.clause_trace import Traced
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


def page(found: Report, texts: Mapping[str, Text]) -> str:
    """The page: a table of counts, the clauses of the documents, every text with its lines coloured."""
    places = _places(found, texts)
    sources = list(dict.fromkeys(source for source, _ in places if source))
    shown = SimpleNamespace(
        title="Coverage",
        counts=[(each, percent_text(each.percent), SORTS[each.sort]) for each in counts(found) if each.whole],
        texts=[(each, _lines(texts[each], places)) for each in sources],
        documents=[
            (each.title or each.name, [_clause(one, places, sources, texts) for one in each.clauses])
            for each in found.documents
        ],
    )
    return rendered("coverage.html", shown)


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


def _lines(text: Text, places: Mapping[_Place, _Here]) -> Iterator[tuple[int, str, _Here]]:
    for number, line in enumerate(text.content.splitlines(), 1):
        yield number, line, places.get((text.name, number), _Here())


def _clause(
    clause: Traced, places: Mapping[_Place, _Here], sources: list[str], texts: Mapping[str, Text]
) -> SimpleNamespace:
    """A clause, what accounts for it, and the lines that cite it by the place of their text."""
    spans = (each.span for each in clause.statements if each.span.source in sources)
    return SimpleNamespace(
        entry=clause.entry,
        account="" if clause.answer in _TO_REACH else clause.answer,
        here=places.get(("", clause.entry.id), _Here()),
        lines=dict.fromkeys((sources.index(each.source), _line(each, texts)) for each in spans),
    )
