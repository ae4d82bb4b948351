"""What a ruleset makes of its documents, as text: by clause, then what is missing, then the rulings."""

import textwrap
from collections.abc import Iterator, Mapping

from rulewright.analysis.clauses.trace import Statement, Trace, Traced, TracedDocument, Unknown
from rulewright.cli.output import Output
from rulewright.diagnostics.as_text import place
from rulewright.diagnostics.visible import visible
from rulewright.program.declarations import Account, Finding
from rulewright.source import Text


def lines(found: Trace, texts: Mapping[str, Text], out: Output) -> Iterator[str]:
    """The lines to print."""
    yield from _Page(texts, out).lines(found)


class _Page:
    """One page for one output."""

    def __init__(self, texts: Mapping[str, Text], out: Output) -> None:
        self._texts = texts
        self._out = out

    def lines(self, found: Trace) -> Iterator[str]:
        if not found.documents:
            yield "the ruleset names no document"
        for document in found.documents:
            yield from self._document(document)
        if found.unknown:
            yield from ("", self._out.paint("Cites of no clause", "strong"))
        for each in found.unknown:
            yield from self._unknown(each)
        if found.rulings:
            yield from ("", self._out.paint("Rulings", "strong"))
        for ruling in found.rulings:
            yield from self._ruling(ruling)

    def _document(self, document: TracedDocument) -> Iterator[str]:
        yield self._out.paint(f"{document.name}: {visible(document.title)}", "strong")
        for clause in document.clauses:
            yield from self._clause(clause)

    def _clause(self, clause: Traced) -> Iterator[str]:
        head = self._out.paint(clause.entry.id, "error" if clause.answer == "missing" else "strong")
        where = f" ({visible(clause.entry.where)})" if clause.entry.where else ""
        yield head + self._out.paint(where, "dim")
        if clause.entry.says:
            yield from self._wrapped(visible(clause.entry.says), "  ")
        if clause.entry.observable:
            yield from self._wrapped(f"seen: {visible(clause.entry.observable)}", "  ")
        for statement in clause.statements:
            yield f"  - {self._statement(statement)}"
        for account in clause.accounts:
            yield from self._account(account)
        if clause.answer == "missing":
            yield self._out.paint("  missing: no line cites it, and nothing accounts for it", "error")

    def _statement(self, statement: Statement) -> str:
        title = f' "{visible(statement.title)}"' if statement.title else ""
        return f"{visible(statement.address)}{title}  {self._out.paint(place(statement.span, self._texts), 'place')}"

    def _account(self, account: Account) -> Iterator[str]:
        yield from self._wrapped(f"{account.word}: {visible(account.reason)}", "  - ")

    def _unknown(self, each: Unknown) -> Iterator[str]:
        near = f", perhaps {each.nearest}" if each.nearest else ""
        yield f"{self._out.paint(each.clause, 'error')}{near}"
        yield f"  - {self._statement(each.statement)}"

    def _ruling(self, each: Finding) -> Iterator[str]:
        yield f"{each.id}  {self._out.paint(place(each.span, self._texts), 'place')}"
        yield from self._wrapped(visible(each.text), "  ")

    def _wrapped(self, text: str, start: str) -> Iterator[str]:
        if self._out.form != "human":
            yield start + text
            return
        yield from textwrap.wrap(text, self._out.width, initial_indent=start, subsequent_indent=" " * len(start))


def counts(found: Trace) -> Iterator[str]:
    """A line for each document: `DOC: 55 of 55 clauses answered: 50 cited, 5 outside`."""
    for document in found.documents:
        answers = [each.answer for each in document.clauses]
        parts = ", ".join(f"{answers.count(kind)} {kind}" for kind in _ANSWERS if kind in answers)
        answered = len(answers) - answers.count("missing")
        start = f"{answered} of {len(answers)} clauses answered" if document.listed else "no clause list"
        yield f"{document.name}: {start}{': ' if parts else ''}{parts}"


_ANSWERS = ("cited", "outside", "void", "departs", "missing")
