"""What a ruleset makes of its documents, as Markdown: a table for each document."""

from collections.abc import Mapping

from rulewright.analysis.clauses.trace import Statement, Trace, TracedDocument
from rulewright.cli.reports import rendered
from rulewright.diagnostics.as_text import place
from rulewright.frozen import dataclass
from rulewright.source import Text


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the ruleset: its address, its title, its place."""

    address: str
    title: str
    place: str


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause, the lines that cite it, and what accounts for it in words."""

    id: str
    where: str
    says: str
    statements: tuple[_Line, ...]
    accounts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Document:
    """A document and its clauses."""

    name: str
    title: str
    clauses: tuple[_Clause, ...]


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A cite that leads to no clause."""

    clause: str
    nearest: str
    statement: _Line


@dataclass(frozen=True, slots=True)
class _Ruling:
    """A finding with the reading that was chosen."""

    id: str
    text: str
    place: str


@dataclass(frozen=True, slots=True)
class _Report:
    documents: tuple[_Document, ...]
    unknown: tuple[_Unknown, ...]
    rulings: tuple[_Ruling, ...]


def markdown(found: Trace, texts: Mapping[str, Text]) -> str:
    """The page."""
    unknown = tuple(_Unknown(each.clause, each.nearest or "", _line(each.statement, texts)) for each in found.unknown)
    rulings = tuple(_Ruling(each.id, each.text, place(each.span, texts)) for each in found.rulings)
    documents = tuple(_document(each, texts) for each in found.documents)
    return rendered("trace.md", _Report(documents, unknown, rulings))


def _document(document: TracedDocument, texts: Mapping[str, Text]) -> _Document:
    clauses = tuple(
        _Clause(
            each.entry.id,
            each.entry.where,
            each.entry.says,
            tuple(_line(one, texts) for one in each.statements),
            tuple(f"{one.word}: {one.reason}" for one in each.accounts),
        )
        for each in document.clauses
    )
    return _Document(document.name, document.title, clauses)


def _line(statement: Statement, texts: Mapping[str, Text]) -> _Line:
    return _Line(statement.address, statement.title, place(statement.span, texts))
