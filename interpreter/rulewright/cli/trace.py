"""The verb `trace`, as text, which begins with the clauses, and as JSON data (`grammar/schemas/trace.schema.json`)."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from rulewright.analysis.clause_trace import Statement, Trace, Traced, TracedDocument, trace
from rulewright.analysis.clauses import clauses_called, plain_id
from rulewright.cli.loading import load_ruleset, rulesets_in
from rulewright.cli.named_files import files_for
from rulewright.cli.options import OneOf, allow_option, overlay_option, verb
from rulewright.cli.output import FORMATS, Exit, Output, Stop, complaint, errors, output, stopped
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.remedies import nearest, suggested
from rulewright.diagnostics.renderings import diagnostics_json, place, start_json
from rulewright.diagnostics.terminal import visible
from rulewright.files import Provider
from rulewright.source import Text
from rulewright.workspace import Loaded

_OF_CLAUSES = frozenset({"RW0601", "RW0602", "RW0603", "RW0604", "RW0605", "RW0606", "RW0607", "RW0608"})
_ANSWERS = ("cited", "outside", "void", "departs", "missing")
_VERSION = 1


@verb("trace")
@click.argument("ruleset")
@click.option("--clause", metavar="ID", help="one clause, such as 50.e, DOC:50.e or DOC.50.e")
@overlay_option
@allow_option
@click.option(
    "--format",
    "form",
    type=OneOf((*FORMATS, "markdown")),
    help="human (default on a terminal), plain (default elsewhere), json or markdown",
)
def command(ruleset: str, clause: str | None, overlays: tuple[str, ...], form: str | None) -> int:
    """Shows which lines of RULESET carry out each clause of the rulebook, and which clauses have none.

    A folder with several rulesets stands for all of them. Exits with 1 if a clause has neither a line nor a reason,
    or if a line cites a clause that does not exist.

    Example: `rulewright trace mel`.
    """
    out = output(form)
    files = files_for(ruleset, *overlays)
    names = rulesets_in([ruleset], overlays, files)[ruleset].names
    if len(names) > 1:
        return _all(names, clause, files, out)
    loaded, found = _found(names[0], overlays, clause, files)
    if out.form == "json":
        out.data(_as_json(found, loaded.texts))
    else:
        _print(found, loaded, clause, out)
    return _exit(found)


def _found(name: str, overlays: Sequence[str], clause: str | None, files: Provider) -> tuple[Loaded, Trace]:
    """A ruleset and what it makes of its documents, or of one clause; as `_traced` and `_only`."""
    loaded = load_ruleset(name, overlays, files)
    found = _traced(loaded)
    return loaded, found if clause is None else _only(clause, found)


def _print(found: Trace, loaded: Loaded, clause: str | None, out: Output) -> None:
    if out.form == "markdown":
        from rulewright.cli.reports import rendered  # noqa: PLC0415 - seldom wanted

        out.write(rendered("trace.md", _as_json(found, loaded.texts)))
    else:
        out.tell(_Page(loaded.texts, out).lines(found))
    if clause is None:
        out.say()
        out.tell(_counts(found))


def _exit(found: Trace) -> Exit:
    return Exit.FOUND if found.missing or found.unknown else Exit.FINE


def _all(names: Sequence[str], clause: str | None, files: Provider, out: Output) -> Exit:
    """Each ruleset under its name; one that cannot be traced keeps none of the others from it."""
    documents, ends, strange = [], [], []
    for name in names:
        try:
            loaded, found = _found(name, (), clause, files)
        except Stop as stop:
            if any(each.code == "RW0791" for each in stop.diagnostics):
                strange.append(stop)
                continue
            ends.append(stop.exit)
            documents.append({"path": name, "fine": False, **diagnostics_json(stop.diagnostics, stop.texts)})
            errors(out.form).report(stop.diagnostics if out.form != "json" else (), stop.texts)
            continue
        ends.append(_exit(found))
        documents.append({"path": name, **_as_json(found, loaded.texts)})
        if out.form != "json":
            out.say(out.paint(f"{'# ' if out.form == 'markdown' else ''}{visible(name)}", "strong"))
            _print(found, loaded, clause, out)
            out.say()
    if not ends:
        raise strange[0]
    if out.form == "json":
        out.data({"version": _VERSION, "rulesets": documents})
    return max(ends)


def _traced(loaded: Loaded) -> Trace:
    """What the documents come to; errors of clauses are among what is shown, any other ends the command."""
    errors = [each for each in loaded.errors if each.code not in _OF_CLAUSES]
    if errors or loaded.linked is None:
        raise Stop(errors, loaded.texts)
    return trace(loaded.linked)


def _only(written: str, found: Trace) -> Trace:
    pairs = {each.entry.id: (document, each) for document in found.documents for each in document.clauses}
    hits = clauses_called(written, pairs)
    if not hits:
        raise Stop([_no_clause(written, found)])
    if len(hits) > 1:
        choices = " or ".join(f"`{each}`" for each in hits)
        raise stopped("RW0792", f"several documents have a clause `{written}`", f"write {choices}")
    document, clause = pairs[hits[0]]
    return Trace((replace(document, clauses=(clause,)),), (), ())


def _no_clause(written: str, found: Trace) -> Diagnostic:
    wanted = plain_id(written)
    ids = [each.entry.id for document in found.documents for each in document.clauses]
    short = {each.partition(".")[2]: each for each in ids}
    close = nearest(wanted, ids) or short.get(nearest(wanted, short) or "")
    remedy = suggested(close, "`rulewright trace RULESET` lists all clauses")
    return complaint("RW0791", f"there is no clause `{written}`", remedy)


class _Page:
    def __init__(self, texts: Mapping[str, Text], out: Output) -> None:
        self._texts = texts
        self._out = out

    def lines(self, found: Trace) -> Iterator[str]:
        if not found.documents:
            yield "the ruleset names no document"
        for document in found.documents:
            yield self._out.paint(f"{document.name}: {visible(document.title)}", "strong")
            for clause in document.clauses:
                yield from self._clause(clause)
        if found.unknown:
            yield from ("", self._out.paint("Cites of no clause", "strong"))
        for each in found.unknown:
            near = f", perhaps {each.nearest}" if each.nearest else ""
            yield f"{self._out.paint(each.clause, 'error')}{near}"
            yield f"  - {self._statement(each.statement)}"
        if found.rulings:
            yield from ("", self._out.paint("Rulings", "strong"))
        for ruling in found.rulings:
            yield f"{ruling.id}  {self._out.paint(place(ruling.span, self._texts), 'place')}"
            yield from self._wrapped(visible(ruling.text), "  ")

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
            yield from self._wrapped(f"{account.word}: {visible(account.reason)}", "  - ")
        if clause.answer == "missing":
            yield self._out.paint("  missing: no line cites it, and no reason is given", "error")

    def _statement(self, statement: Statement) -> str:
        title = f' "{visible(statement.title)}"' if statement.title else ""
        return f"{visible(statement.address)}{title}  {self._out.paint(place(statement.span, self._texts), 'place')}"

    def _wrapped(self, text: str, start: str) -> Iterator[str]:
        if self._out.form != "human":
            yield start + text
            return
        yield from textwrap.wrap(text, self._out.width, initial_indent=start, subsequent_indent=" " * len(start))


def _counts(found: Trace) -> Iterator[str]:
    """A line for each document: `DOC: 55 of 55 clauses answered: 50 cited, 5 outside`."""
    for document in found.documents:
        answers = [each.answer for each in document.clauses]
        parts = ", ".join(f"{answers.count(kind)} {kind}" for kind in _ANSWERS if kind in answers)
        answered = len(answers) - answers.count("missing")
        start = f"{answered} of {len(answers)} clauses answered" if document.listed else "no clause list"
        yield f"{document.name}: {start}{': ' if parts else ''}{parts}"


def _as_json(found: Trace, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "fine": not (found.missing or found.unknown),
        "documents": [_document(each, texts) for each in found.documents],
        "missing": [each.entry.id for each in found.missing],
        "unknown": [
            {"clause": each.clause, "nearest": each.nearest, "statement": _statement(each.statement, texts)}
            for each in found.unknown
        ],
        "rulings": [
            {"number": each.id, "text": each.text, "address": each.address, "place": start_json(each.span, texts)}
            for each in found.rulings
        ],
    }


def _document(each: TracedDocument, texts: Mapping[str, Text]) -> dict[str, Any]:
    clauses = [_clause(clause, texts) for clause in each.clauses]
    return {"name": each.name, "title": each.title, "listed": each.listed, "clauses": clauses}


def _clause(each: Traced, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {
        "id": each.entry.id,
        "where": each.entry.where,
        "says": each.entry.says,
        "observable": each.entry.observable,
        "answer": each.answer,
        "statements": [_statement(one, texts) for one in each.statements],
        "accounts": [
            {"word": one.word, "reason": one.reason, "place": start_json(one.span, texts)} for one in each.accounts
        ],
    }


def _statement(each: Statement, texts: Mapping[str, Text]) -> dict[str, Any]:
    return {"address": each.address, "title": each.title, "place": start_json(each.span, texts)}
