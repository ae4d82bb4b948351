"""What differs between two revisions, as one page that needs nothing else: both texts side by side, edits linked."""

from collections.abc import Iterator, Sequence
from html import escape

from rulewright.cli.diff_found import Found, groups
from rulewright.cli.diff_rows import Cell, Row, Sheet, marks_of, sheets
from rulewright.cli.diff_screen import evidence, folded, headline, said, scenarios_line
from rulewright.cli.diff_subjects import left, scenarios, subject
from rulewright.cli.diff_witnesses import Stretch, tale, value_told
from rulewright.cli.writing import PAGE
from rulewright.comparing.edits import SECTIONS, TITLES
from rulewright.comparing.quoting import Phrase, Quote
from rulewright.comparing.report.model import GONE, NEW
from rulewright.comparing.telling import Told
from rulewright.diagnostics.paint import PLAIN
from rulewright.diagnostics.visible import visible
from rulewright.source import Span

_FOLDED = 6
_STYLE = """
:root { color-scheme: light dark; --add: #dff5e1; --del: #ffd9d6; --chg: #fff3c4; --name: #e0eaff; --text: #eee;
  --dim: #667; --link: #0a50b4; }
@media (prefers-color-scheme: dark) {
  :root { --add: #173d22; --del: #5a1f1c; --chg: #4a3f10; --name: #1d2f55; --text: #2a2a2e;
    --dim: #99a; --link: #8ab4ff; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1rem 1.5rem; }
td, th { padding: .1rem .8rem .1rem 0; text-align: left; vertical-align: top; }
table.text { border-collapse: collapse; table-layout: fixed; width: 100%; font: 13px/1.5 ui-monospace, monospace; }
table.text td { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 .4rem; }
table.text td.n { width: 3.5em; text-align: right; color: var(--dim); user-select: none; }
td:target { outline: 2px solid #48f; }
.added { background: var(--add); } .removed { background: var(--del); } .changed, .moved { background: var(--chg); }
.renamed, .relabelled, .reworded, .recited { background: var(--name); } .other { background: var(--text); }
.key span { padding: .1rem .5rem; margin-right: .5rem; } ul { margin: .2rem 0; padding-left: 1.4rem; }
code { overflow-wrap: anywhere; } pre { overflow-x: auto; } a { color: var(--link); }
summary { cursor: pointer; } .fold > summary { color: var(--dim); } .section > summary { font-weight: bold; }
@media (max-width: 44rem) {
  body { margin: .5rem; } ul { padding-left: 1rem; }
  table.text, table.text tbody, table.text tr, table.text td { display: block; }
  table.text th, table.text td.n, table.text td.none, table.text tr.same td:nth-child(2) { display: none; }
  table.story td::before { content: attr(title); display: block; font-weight: bold; } }
"""
_KEY = {
    "added": "added",
    "removed": "removed",
    "changed": "changed or moved",
    "renamed": "name, wording or margin",
    "other": "layout, or told elsewhere",
}


def page(found: Found) -> str:
    """The page: verdicts, edits with links into the texts, both texts side by side."""
    return "\n".join(_page(found)) + "\n"


def _page(found: Found) -> Iterator[str]:
    title = _safe(f"{found.new.program.title}: {found.old.revision} → {found.new.revision}")
    laid = sheets(found.old.loaded.texts, found.new.loaded.texts, marks_of(found))
    yield f'{PAGE}\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>'
    yield f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>"
    yield from _verdicts(found)
    yield from _screen(found)
    for section in SECTIONS:
        if found.section(section):
            yield from _edits(section, found.section(section), laid, found)
    yield from _witnesses(found)
    for one in (*left(found), *scenarios(found)):
        yield from _list(one.title, one.edits)
    yield from _list(
        "Addresses in scripts and scenarios beside OLD:", [f"{each.file}: {each.told}" for each in found.addresses]
    )
    yield "<h2>Texts</h2>"
    yield f'<p class="key">{"".join(f"<span class={sort!r}>{word}</span>" for sort, word in _KEY.items())}</p>'
    for number, sheet in enumerate(laid):
        yield from _sheet(number, sheet)
    yield "</body>\n</html>"


def _verdicts(found: Found) -> Iterator[str]:
    verdict = found.whole.verdict
    yield f"<p><b>{_safe(str(verdict))}</b>: {_safe(verdict.says)}</p>\n<table>"
    for layer, word in found.whole.layers.items():
        yield f"<tr><th>{layer}</th><td>{word}</td></tr>"
    yield f"</table>\n<p>{_safe(found.counts)}</p>"


def _screen(found: Found) -> Iterator[str]:
    """The first screen: what changed in play, and how much is not said there."""
    if found.screen.rows:
        yield f"<h2>What changed</h2>\n<p>{_safe(headline(found))}</p>\n<p><b>*</b> {evidence(found)}</p>\n<ol>"
        for row in found.screen.rows:
            first, second = said(row)
            label = {NEW: "<b>New.</b> ", GONE: "<b>Gone.</b> "}.get(row.kind, "")
            more = "".join(f"; {_safe(each)}" for each in row.more)
            cites = f" <i>{_safe(', '.join(row.cited))}</i>" if row.cited else ""
            half = f" {_coded(second)}" if second else ""
            yield f"<li>{'<b>*</b> ' if row.shown else ''}{label}{_coded(first)}{half}{more}{cites}</li>"
        yield "</ol>"
    for line in filter(None, (scenarios_line(found), *folded(found))):
        yield f"<p>{_safe(line)}</p>"


def _coded(text: str) -> str:
    """A text with what stands between backticks as code."""
    parts = text.split("`")
    return "".join(f"<code>{_safe(each)}</code>" if number % 2 else _safe(each) for number, each in enumerate(parts))


def _witnesses(found: Found) -> Iterator[str]:
    behaviour = found.whole.behaviour
    if behaviour is None or not (behaviour.values or behaviour.witnesses):
        return
    yield "<h2>How play differs</h2>"
    if behaviour.values:
        yield "<ul>"
        yield from (f"<li>{_safe(value_told(each))}</li>" for each in behaviour.values)
        yield "</ul>"
    for number, each in enumerate(behaviour.witnesses, 1):
        told = tale(each, PLAIN)
        yield f'<details class="section" open><summary>Witness {number}: {_safe(told.title)}</summary>'
        yield from _list("shows", subject(each, found))
        yield from (f"<p>{part.where}</p>\n<pre>{_lines(part)}</pre>" for part in told.start)
        yield '<table class="text story"><tr><th>OLD</th><th>NEW</th></tr>'
        yield from _rows(told.story)
        yield "</table></details>"


def _rows(story: Sequence[Stretch]) -> Iterator[str]:
    """A row for each stretch: over both columns what stands in both, side by side what each revision tells."""
    for each in story:
        match each.where:
            case "both":
                yield f'<tr><td colspan="2">{_lines(each)}</td></tr>'
            case "OLD":
                yield f'<tr><td class="changed" title="OLD">{_lines(each)}</td>'
            case _:
                yield f'<td class="changed" title="NEW">{_lines(each)}</td></tr>'


def _lines(stretch: Stretch) -> str:
    return _safe("\n".join(stretch.lines))


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"<p>{_safe(title)}</p>\n<ul>{''.join(f'<li>{_safe(each)}</li>' for each in lines)}</ul>"


def _edits(section: str, told: tuple[Told, ...], laid: Sequence[Sheet], found: Found) -> Iterator[str]:
    opened = " open" if section in {"rules", "rewritten", "declarations", "names"} else ""
    title = f"{TITLES[section]}: {len(told)}" if section in TITLES else ""
    yield f'<details class="section"{opened}>'
    yield f"<summary>{title or f'{section.capitalize()}: {len(told)}, {SECTIONS[section]}'}</summary>\n<ul>"
    for inside in groups(told):
        if len(inside) == 1:
            yield f"<li>{_edit(inside[0], inside[0].head, laid, found)}</li>"
            continue
        yield f"<li>{_safe(inside[0].heading)}<ul>"
        yield from (f"<li>{_edit(each, each.inner, laid, found)}</li>" for each in inside)
        yield "</ul></li>"
    yield "</ul></details>"


def _edit(each: Told, place: str, laid: Sequence[Sheet], found: Found) -> str:
    links = [_link("old", each.old, laid, found), _link("new", each.new, laid, found)]
    cites = f" <i>{_safe(', '.join(each.cites))}</i>" if each.cites and each.section != "margins" else ""
    return " ".join(filter(None, [f"{_safe(place)}:" if place else "", _said(each.said) + cites, *links]))


def _said(said: Phrase) -> str:
    return "".join(f"<code>{_safe(part.text)}</code>" if isinstance(part, Quote) else _safe(part) for part in said)


def _link(side: str, span: Span | None, laid: Sequence[Sheet], found: Found) -> str:
    if span is None:
        return ""
    texts = (found.old if side == "old" else found.new).loaded.texts
    line = texts[span.source].position(span.start).line
    for number, sheet in enumerate(laid):
        if (sheet.old if side == "old" else sheet.new) == span.source:
            return f'<a href="#{side}{number}-{line}">{side} {line}</a>'
    return ""


def _sheet(number: int, sheet: Sheet) -> Iterator[str]:
    names = dict.fromkeys(filter(None, (sheet.old, sheet.new)))
    yield f"<h3>{_safe(' → '.join(names))}</h3>"
    for rows in sheet.blocks:
        folded = all(row.same for row in rows) and len(rows) > _FOLDED
        if folded:
            yield '<details class="fold">'
            yield f"<summary>{len(rows)} lines that are the same</summary>"
        yield '<table class="text">'
        yield from (_row(number, row) for row in rows)
        yield "</table>" + ("</details>" if folded else "")


def _row(number: int, row: Row) -> str:
    same = ' class="same"' if row.same else ""
    return f"<tr{same}>{_cell(f'old{number}', row.old)}{_cell(f'new{number}', row.new)}</tr>"


def _cell(side: str, cell: Cell | None) -> str:
    if cell is None:
        return '<td class="n none"></td><td class="none"></td>'
    told = f' title="{_safe(cell.told)}"' if cell.told else ""
    colour = f' class="{cell.sort}"' if cell.sort else ""
    anchor = f'id="{side}-{cell.line}"'
    return f'<td class="n">{cell.line}</td><td {anchor}{colour}{told}>{_safe(cell.text)}</td>'


def _safe(text: str) -> str:
    return escape("\n".join(visible(each) for each in text.split("\n")))
