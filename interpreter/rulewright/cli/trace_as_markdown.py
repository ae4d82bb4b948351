"""What a ruleset makes of its documents, as Markdown: a table for each document."""

from collections.abc import Iterator, Mapping

from rulewright.analysis.clauses.trace import Statement, Trace, Traced, TracedDocument
from rulewright.diagnostics.as_text import place
from rulewright.diagnostics.visible import visible
from rulewright.program.declarations import Finding
from rulewright.source import Text


def lines(found: Trace, texts: Mapping[str, Text]) -> Iterator[str]:
    """The lines of the page."""
    tables = [_document(document, texts) for document in found.documents]
    if found.unknown:
        tables.append(["## Cites of no clause", "", "| cited | nearest | by |", "|---|---|---|"])
        tables[-1] += [_row(e.clause, e.nearest or "", _statement(e.statement, texts)) for e in found.unknown]
    if found.rulings:
        tables.append(["## Rulings", "", "| finding | reading | place |", "|---|---|---|"])
        tables[-1] += [_ruling(each, texts) for each in found.rulings]
    for number, table in enumerate(tables):
        yield from ("", *table) if number else table


def _document(document: TracedDocument, texts: Mapping[str, Text]) -> list[str]:
    head = [f"## {document.name}: {_inline(_said(document.title))}", "", "| clause | where | says | answered by |"]
    rows = (
        _row(each.entry.id, _said(each.entry.where), _said(each.entry.says), _answered(each, texts))
        for each in document.clauses
    )
    return [*head, "|---|---|---|---|", *rows]


def _answered(clause: Traced, texts: Mapping[str, Text]) -> str:
    found = [_statement(each, texts) for each in clause.statements]
    found += [f"{each.word}: {_said(each.reason)}" for each in clause.accounts]
    return "<br>".join(found) or "**missing**"


def _statement(statement: Statement, texts: Mapping[str, Text]) -> str:
    title = f" “{_said(statement.title)}”" if statement.title else ""
    return f"`{statement.address}`{title} ({place(statement.span, texts)})"


def _ruling(finding: Finding, texts: Mapping[str, Text]) -> str:
    return _row(finding.id, _said(finding.text), place(finding.span, texts))


def _row(*cells: str) -> str:
    return f"| {' | '.join(map(_inline, cells))} |"


def _inline(text: str) -> str:
    return visible(" ".join(text.replace("|", "\\|").split()))


def _said(text: str) -> str:
    """What an author wrote, with no tags of HTML in it."""
    return text.replace("<", "\\<")
