"""What scenarios reach, as one page that needs nothing else: the coloured text, the clauses beside it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from html import escape

from rulewright.analysis.clauses.trace import Traced
from rulewright.cli.writing import PAGE
from rulewright.coverage.report import Report, counts, percent_text, who
from rulewright.coverage.unit import SORTS, Unit
from rulewright.diagnostics.visible import visible
from rulewright.frozen import dataclass
from rulewright.source import Span, Text

_MOST_NAMES = 12
_STYLE = """
:root { color-scheme: light dark; --ok: #dff5e1; --part: #fff3c4; --no: #ffd9d6; --left: #e6e6ef; --dim: #667; }
@media (prefers-color-scheme: dark) {
  :root { --ok: #173d22; --part: #4a3f10; --no: #5a1f1c; --left: #33333f; --dim: #99a; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1rem 1.5rem; }
table { border-collapse: collapse; } td, th { padding: .1rem .8rem .1rem 0; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.beside { display: grid; grid-template-columns: minmax(0, 2fr) minmax(16rem, 1fr); gap: 1.5rem; align-items: start; }
@media (max-width: 60rem) { .beside { grid-template-columns: minmax(0, 1fr); } }
.clauses { position: sticky; top: 1rem; max-height: 95vh; overflow: auto; font-size: .9em; }
@media (max-width: 60rem) { .clauses { position: static; max-height: none; } }
.clauses p { margin: .2rem 0; padding: .2rem .5rem; }
pre { margin: 0; overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; }
pre span.line { display: block; white-space: pre; min-width: max-content; }
pre span.line:target, .clauses p:target { outline: 2px solid #48f; }
.full { background: var(--ok); } .part { background: var(--part); } .none { background: var(--no); }
.left { background: var(--left); } i { color: var(--dim); font-style: normal; user-select: none; }
.key span { padding: .1rem .5rem; margin-right: .5rem; }
"""


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
    return "\n".join(_page(found, texts)) + "\n"


def _page(found: Report, texts: Mapping[str, Text]) -> Iterator[str]:
    places = _places(found, texts)
    sources = list(dict.fromkeys(source for source, _ in places if source))
    yield f'{PAGE}\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width">\n<title>Coverage</title>'
    yield f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Coverage</h1>"
    yield from _table(found)
    yield '<p class="key"><span class="full">reached</span><span class="part">partly</span>'
    yield '<span class="none">not reached</span><span class="left">left out</span></p>'
    yield '<div class="beside">\n<main>'
    for source in sources:
        yield from _text(texts[source], sources.index(source), places)
    yield '</main>\n<aside class="clauses">'
    for document in found.documents:
        yield f"<h2>{_safe(document.title or document.name)}</h2>"
        for clause in document.clauses:
            yield _clause(clause, places.get(("", clause.entry.id), _Here()), sources, texts)
    yield "</aside>\n</div>\n</body>\n</html>"


def _table(found: Report) -> Iterator[str]:
    yield "<table>"
    for count in counts(found):
        if count.whole:
            share = (
                f'<td class="n">{count.reached} of {count.whole}</td><td class="n">{percent_text(count.percent)}</td>'
            )
            yield f"<tr><th>{count.sort}</th>{share}<td>{_safe(SORTS[count.sort])}</td></tr>"
    yield "</table>"


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


def _text(text: Text, position: int, places: Mapping[_Place, _Here]) -> Iterator[str]:
    yield f"<h2>{_safe(text.name)}</h2>\n<pre>"
    lines = text.content.splitlines()
    yield "".join(_row(number, line, position, places.get((text.name, number))) for number, line in enumerate(lines, 1))
    yield "</pre>"


def _row(number: int, line: str, position: int, here: _Here | None) -> str:
    colour, told = (f" {here.colour}", f' title="{_safe(here.told)}"') if here else ("", "")
    return f'<span class="line{colour}" id="t{position}-{number}"{told}><i>{number:>4}  </i>{_safe(line)}\n</span>'


def _clause(clause: Traced, here: _Here, sources: list[str], texts: Mapping[str, Text]) -> str:
    told = f' title="{_safe(here.told)}"' if here.told else ""
    links = " ".join(dict.fromkeys(_links((each.span for each in clause.statements), sources, texts)))
    account = f" <i>{_safe(clause.answer)}</i>" if clause.answer not in {"cited", "missing"} else ""
    head = f'<p class="{here.colour}" id="{_safe(clause.entry.id)}"{told}><b>{_safe(clause.entry.id)}</b>{account}'
    return f"{head} {_safe(clause.entry.says)} {links}</p>"


def _links(spans: Iterable[Span], sources: list[str], texts: Mapping[str, Text]) -> Iterator[str]:
    for span in spans:
        if span.source in sources:
            line = _line(span, texts)
            yield f'<a href="#t{sources.index(span.source)}-{line}">{line}</a>'


def _safe(text: str) -> str:
    return escape("\n".join(visible(each) for each in text.split("\n")))
