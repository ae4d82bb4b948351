"""The verb `trace`: clauses and the lines that cite them, as text and JSON (`grammar/schemas/trace.schema.json`)."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.base.diagnostics import make_visible
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.base.diagnostics.renderings import encode_diagnostics, encode_span_start, format_place
from rulewright.base.files import FileProvider
from rulewright.base.json_keys import JsonKeys, KeyedEncoder
from rulewright.base.source import Text
from rulewright.checker.clauses import (
    CitingStatement,
    ClauseTrace,
    TracedClause,
    TracedDocument,
    UnknownCite,
    match_clause_ids,
    normalize_clause_id,
    trace_clauses,
)
from rulewright.cli.command_files import files_for
from rulewright.cli.options import allow_option, argument, make_format_option, option, overlay_option, verb_command
from rulewright.cli.output import CommandStop, ExitCode, Output, error_output, make_output, make_stop
from rulewright.cli.ruleset_loading import find_rulesets, load_named_ruleset
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.program.declarations import Account, Ruling

_CLAUSE_CODES = frozenset({"RW0601", "RW0602", "RW0603", "RW0604", "RW0605", "RW0606", "RW0607", "RW0608"})
_ANSWER_KINDS = ("cited", "outside", "void", "departs", "missing")
_TRACE_FORMAT_VERSION = 1


@verb_command("trace")
def command(
    *,
    ruleset: str = argument(),
    clause: str | None = option("--clause", "ID", "one clause, such as 50.e, DOC:50.e or DOC.50.e"),
    overlays: tuple[str, ...] = overlay_option,
    _allow: Any = allow_option,
    form: str | None = make_format_option(", json or markdown", "markdown"),
) -> int:
    """Shows which lines of RULESET carry out each clause of the rulebook, and which clauses have none.

    A folder with several rulesets stands for all of them. Exits with 1 if a clause has neither a line nor a reason,
    or if a line cites a clause that does not exist.

    Example: `rulewright trace mel`.
    """
    out = make_output(form)
    files = files_for(ruleset, *overlays)
    names = find_rulesets([ruleset], overlays, files)[ruleset].names
    if len(names) > 1:
        return _trace_all_rulesets(names, clause, files, out)
    loaded, clause_trace = _trace_ruleset(names[0], overlays, clause, files)
    if out.form == "json":
        out.print_json(_trace_json(clause_trace, loaded.texts))
    else:
        _output_trace(clause_trace, loaded, clause, out)
    return _trace_exit(clause_trace)


def _trace_ruleset(
    name: str, overlays: Sequence[str], clause: str | None, files: FileProvider
) -> tuple[LoadedRuleset, ClauseTrace]:
    loaded = load_named_ruleset(name, overlays, files)
    clause_trace = _trace_loaded(loaded)
    return loaded, clause_trace if clause is None else _select_clause(clause, clause_trace)


def _output_trace(trace: ClauseTrace, loaded: LoadedRuleset, clause: str | None, out: Output) -> None:
    if out.form == "markdown":
        from rulewright.cli.reports import render_template  # noqa: PLC0415 - seldom wanted

        out.print_text(render_template("trace.md", _trace_json(trace, loaded.texts)))
    else:
        out.print_lines(_TraceRenderer(loaded.texts, out).render_trace(trace))
    if clause is None:
        out.print_line()
        out.print_lines(_document_counts(trace))


def _trace_exit(trace: ClauseTrace) -> ExitCode:
    return ExitCode.FINDINGS if trace.unanswered_clauses or trace.unknown_cites else ExitCode.SUCCESS


def _trace_all_rulesets(names: Sequence[str], clause: str | None, files: FileProvider, out: Output) -> ExitCode:
    """Trace each ruleset under its name; errors of one do not stop the others."""
    documents, ends, strange = [], [], []
    for name in names:
        try:
            loaded, clause_trace = _trace_ruleset(name, (), clause, files)
        except CommandStop as stop:
            if any(one.code == "RW0791" for one in stop.diagnostics):
                strange.append(stop)
                continue
            ends.append(stop.exit)
            documents.append({"path": name, "fine": False, **encode_diagnostics(stop.diagnostics, stop.texts)})
            error_output(out.form).print_diagnostics(stop.diagnostics if out.form != "json" else (), stop.texts)
            continue
        ends.append(_trace_exit(clause_trace))
        documents.append({"path": name, **_trace_json(clause_trace, loaded.texts)})
        if out.form != "json":
            out.print_line(out.paint(f"{'# ' if out.form == 'markdown' else ''}{make_visible(name)}", "strong"))
            _output_trace(clause_trace, loaded, clause, out)
            out.print_line()
    if not ends:
        raise strange[0]
    if out.form == "json":
        out.print_json({"version": _TRACE_FORMAT_VERSION, "rulesets": documents})
    return max(ends)


def _trace_loaded(loaded: LoadedRuleset) -> ClauseTrace:
    """Trace of all documents; errors of clauses are part of it, any other raises `CommandStop`."""
    errors = [error for error in loaded.errors if error.code not in _CLAUSE_CODES]
    if errors or loaded.linked is None:
        raise CommandStop(errors, loaded.texts)
    return trace_clauses(loaded.linked)


def _select_clause(written: str, trace: ClauseTrace) -> ClauseTrace:
    pairs = {one.entry.id: (document, one) for document in trace.documents for one in document.clauses}
    hits = match_clause_ids(written, pairs)
    if not hits:
        wanted, short = normalize_clause_id(written), {known.partition(".")[2]: known for known in pairs}
        close = find_nearest_name(wanted, pairs) or short.get(find_nearest_name(wanted, short) or "")
        remedy = suggest_name(close, "`rulewright trace RULESET` lists all clauses")
        raise make_stop("RW0791", f"there is no clause `{written}`", remedy)
    if len(hits) > 1:
        choices = " or ".join(f"`{hit}`" for hit in hits)
        raise make_stop("RW0792", f"several documents have a clause `{written}`", f"write {choices}")
    document, clause = pairs[hits[0]]
    return ClauseTrace((replace(document, clauses=(clause,)),), (), ())


class _TraceRenderer:
    def __init__(self, texts: Mapping[str, Text], out: Output) -> None:
        self._texts = texts
        self._out = out

    def render_trace(self, trace: ClauseTrace) -> Iterator[str]:
        if not trace.documents:
            yield "the ruleset names no document"
        for document in trace.documents:
            yield self._out.paint(f"{document.name}: {make_visible(document.title)}", "strong")
            for clause in document.clauses:
                yield from self._render_clause(clause)
        if trace.unknown_cites:
            yield from ("", self._out.paint("Cites of no clause", "strong"))
        for unknown_cite in trace.unknown_cites:
            near = f", perhaps {unknown_cite.nearest}" if unknown_cite.nearest else ""
            yield f"{self._out.paint(unknown_cite.clause, 'error')}{near}"
            yield f"  - {self._render_statement(unknown_cite.statement)}"
        if trace.rulings:
            yield from ("", self._out.paint("Rulings", "strong"))
        for ruling in trace.rulings:
            yield f"{ruling.id}  {self._out.paint(format_place(ruling.span, self._texts), 'place')}"
            yield from self._wrap_indented(make_visible(ruling.text), "  ")

    def _render_clause(self, clause: TracedClause) -> Iterator[str]:
        head = self._out.paint(clause.entry.id, "error" if clause.answer_kind == "missing" else "strong")
        where = f" ({make_visible(clause.entry.location)})" if clause.entry.location else ""
        yield head + self._out.paint(where, "dim")
        if clause.entry.paraphrase:
            yield from self._wrap_indented(make_visible(clause.entry.paraphrase), "  ")
        if clause.entry.observable:
            yield from self._wrap_indented(f"seen: {make_visible(clause.entry.observable)}", "  ")
        for statement in clause.statements:
            yield f"  - {self._render_statement(statement)}"
        for account in clause.accounts:
            yield from self._wrap_indented(f"{account.word}: {make_visible(account.reason)}", "  - ")
        if clause.answer_kind == "missing":
            yield self._out.paint("  missing: no line cites it, and no reason is given", "error")

    def _render_statement(self, statement: CitingStatement) -> str:
        title = f' "{make_visible(statement.title)}"' if statement.title else ""
        return f"{make_visible(statement.address)}{title}  {self._out.paint(format_place(statement.span, self._texts), 'place')}"

    def _wrap_indented(self, text: str, start: str) -> Iterator[str]:
        if self._out.form != "human":
            yield start + text
            return
        yield from textwrap.wrap(text, self._out.width, initial_indent=start, subsequent_indent=" " * len(start))


def _document_counts(trace: ClauseTrace) -> Iterator[str]:
    """`DOC: 55 of 55 clauses answered: 50 cited, 5 outside`, for each document."""
    for document in trace.documents:
        answers = [clause.answer_kind for clause in document.clauses]
        parts = ", ".join(f"{answers.count(kind)} {kind}" for kind in _ANSWER_KINDS if kind in answers)
        answered = len(answers) - answers.count("missing")
        start = f"{answered} of {len(answers)} clauses answered" if document.listed else "no clause list"
        yield f"{document.name}: {start}{': ' if parts else ''}{parts}"


_KEYS: JsonKeys = {
    TracedDocument: "name title listed clauses",
    TracedClause: (
        "id=entry.id where=entry.location says=entry.paraphrase observable=entry.observable answer=answer_kind"
        " statements accounts"
    ),
    CitingStatement: "address title place=span",
    Account: "word reason place=span",
    UnknownCite: "clause nearest statement",
    Ruling: "number=id text address place=span",
}


def _trace_json(trace: ClauseTrace, texts: Mapping[str, Text]) -> dict[str, Any]:
    encode = KeyedEncoder(_KEYS, lambda span: encode_span_start(span, texts)).encode
    return {
        "version": _TRACE_FORMAT_VERSION,
        "fine": not (trace.unanswered_clauses or trace.unknown_cites),
        "documents": encode(trace.documents),
        "missing": [one.entry.id for one in trace.unanswered_clauses],
        "unknown": encode(trace.unknown_cites),
        "rulings": encode(trace.rulings),
    }
