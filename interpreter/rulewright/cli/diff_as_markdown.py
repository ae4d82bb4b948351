"""What differs between two revisions, as the draft of a change log in Markdown, by the clauses of the documents."""

import re
from collections.abc import Iterator, Mapping

from rulewright.analysis.symbols import ClauseEntry
from rulewright.cli.diff_found import Found
from rulewright.cli.diff_screen import evidence, folded, headline, said, scenarios_line
from rulewright.cli.diff_sides import Side
from rulewright.cli.diff_subjects import left, scenarios, subject
from rulewright.cli.diff_witnesses import Tale, tale, value_told
from rulewright.comparing.edits import TITLES
from rulewright.comparing.quoting import Quote
from rulewright.comparing.report.model import GONE, NEW
from rulewright.comparing.telling import Told
from rulewright.diagnostics.paint import PLAIN
from rulewright.diagnostics.visible import visible

_OTHERS = {
    **TITLES,
    "declarations": "Declarations",
    "names": "Names",
    "wording": "Wording",
    "remarks": "Rulings and clauses without a rule",
}


def page(found: Found) -> str:
    """The whole page; below every clause a line waits for the reason."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Found) -> Iterator[str]:
    old, new = found.old, found.new
    verdict = found.whole.verdict
    yield f"# {_inline(new.program.title)}: from revision {_inline(old.revision)} to {_inline(new.revision)}"
    yield from ("", f"Play: **{verdict.word}**, {verdict.says}.")
    yield from _screen(found)
    yield from _rules(found)
    for section, title in _OTHERS.items():
        if found.section(section):
            yield from ("", f"## {title}", "")
            yield from (_item(each) for each in found.section(section))
    yield from _witnesses(found)
    yield from _left(found)
    if found.addresses:
        yield from ("", "## Addresses in scripts and scenarios", "")
        yield from (f"- {_inline(f'{each.file}: {each.told}')}" for each in found.addresses)


def _screen(found: Found) -> Iterator[str]:
    """The first screen: what changed in play, and how much is not said there."""
    shown = found.screen
    if shown.rows:
        legend = f" * {evidence(found)}." if any(each.shown for each in shown.rows) else ""
        yield from ("", "## What changed", "", _inline(f"{headline(found)}.{legend}"), "")
        for number, row in enumerate(shown.rows, 1):
            halves = " ".join(filter(None, said(row)))
            more = "".join(f"; {each}" for each in row.more)
            label = {NEW: "**New.** ", GONE: "**Gone.** "}.get(row.kind, "")
            cites = f" ({', '.join(row.cited)})" if row.cited else ""
            mark = " \\*" if row.shown else ""
            yield f"{number}. {label}{_inline(f'{halves}{more}{cites}')}{mark}"
    for line in filter(None, (scenarios_line(found), *folded(found))):
        yield from ("", _inline(line))


def _witnesses(found: Found) -> Iterator[str]:
    behaviour = found.whole.behaviour
    if behaviour is None or not (behaviour.values or behaviour.witnesses):
        return
    yield from ("", "## How play differs", "")
    yield from (f"- {_inline(value_told(each))}" for each in behaviour.values)
    for each in behaviour.witnesses:
        told = tale(each, PLAIN)
        yield f"- {_inline(told.title)}"
        yield from (f"  - shows {_inline(edit)}" for edit in subject(each, found))
        yield from ("", "  ```text", *(f"  {line}" for line in _story(told)), "  ```", "")


def _left(found: Found) -> Iterator[str]:
    for one in (*left(found), *scenarios(found)):
        yield from ("", _inline(one.title), "", *(f"- {_inline(each)}" for each in one.edits))


def _story(told: Tale) -> Iterator[str]:
    for each in (*told.start, *told.story):
        yield from (each.where, *(f"  {line}" for line in each.lines))


def _rules(found: Found) -> Iterator[str]:
    clauses = {**_clauses(found.old), **_clauses(found.new)}
    told: dict[str, list[Told]] = {}
    for each in found.section("rules"):
        told.setdefault(each.cites[0] if each.cites else "", []).append(each)
    known = {name: number for number, name in enumerate(clauses)}
    for clause in sorted(told, key=lambda name: (not name, known.get(name, len(known)), name)):
        yield from ("", f"## {_heading(clause, clauses)}", "")
        yield from (_item(each, besides=clause) for each in told[clause])
        yield from ("", "Reason:")


def _clauses(side: Side) -> Mapping[str, ClauseEntry]:
    linked = side.loaded.linked
    return {entry.id: entry for each in (linked.clauses.values() if linked else ()) for entry in each}


def _heading(clause: str, clauses: Mapping[str, ClauseEntry]) -> str:
    if not clause:
        return "Without a clause"
    where = clauses[clause].where if clause in clauses else ""
    return _inline(f"{clause} ({where})" if where else clause)


def _item(each: Told, besides: str = "") -> str:
    others = [cite for cite in each.cites if cite != besides] if besides else []
    cited = f" (also {', '.join(others)})" if others else ""
    said = "".join(_fenced(part.text) if isinstance(part, Quote) else _inline(part) for part in each.said)
    return f"- {_inline(each.head)}{': ' if each.head else ''}{said}{cited}"


def _fenced(text: str) -> str:
    """A piece of a ruleset as code, between more backticks than stand next to each other in it."""
    text = visible(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    edge = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def _inline(text: str) -> str:
    """A text with nothing in it that means something in Markdown; what stands between backticks is left as it is."""
    parts = visible(_SPACE.sub(" ", text)).split("`")
    if len(parts) % 2 == 0:
        return "\\`".join(map(_escaped, parts))
    return "`".join(part if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _escaped(text: str) -> str:
    return "".join(f"\\{each}" if each in "*<>[]|#" else each for each in text)


_SPACE = re.compile(r"\s+")
