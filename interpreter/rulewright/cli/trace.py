"""The verb `trace`."""

from collections.abc import Sequence
from dataclasses import replace

import click

from rulewright.analysis.clauses.cites import clauses_called, plain_id
from rulewright.analysis.clauses.trace import Trace, trace
from rulewright.cli import trace_as_json, trace_as_text
from rulewright.cli.exits import Exit
from rulewright.cli.loading import load_ruleset, rulesets_in
from rulewright.cli.options import allow_option, overlay_option, verb
from rulewright.cli.output import FORMATS, Output, errors, output
from rulewright.cli.reading import files_for
from rulewright.cli.stop import Stop, complaint
from rulewright.diagnostics import Diagnostic, as_json
from rulewright.diagnostics.suggest import nearest
from rulewright.diagnostics.visible import visible
from rulewright.files import Provider
from rulewright.workspace import Loaded

_OF_CLAUSES = frozenset({"RW0601", "RW0602", "RW0603", "RW0604", "RW0605", "RW0606", "RW0607", "RW0608"})


@verb("trace")
@click.argument("ruleset")
@click.option("--clause", "clause", metavar="ID", help="one clause, such as 50.e, DOC:50.e or DOC.50.e")
@overlay_option
@allow_option
@click.option(
    "--format",
    "form",
    type=click.Choice((*FORMATS, "markdown")),
    help="human (default on a terminal), plain (default elsewhere), json or markdown",
)
def command(ruleset: str, clause: str | None, overlays: tuple[str, ...], form: str | None) -> int:
    """Shows for every clause of the documents of RULESET what carries it out, and what nobody answers for.

    A folder with several rulesets stands for all of them. Exits with 1 where a clause is neither cited nor accounted
    for, or a cite leads to no clause.
    """
    out = output(form)
    files = files_for(ruleset, *overlays)
    names = rulesets_in([ruleset], overlays, files)[ruleset].names
    if len(names) > 1:
        return _all(names, clause, files, out)
    loaded, found = _found(names[0], overlays, clause, files)
    if out.form == "json":
        out.data(trace_as_json.document(found, loaded.texts))
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
        from rulewright.cli.reports.trace import markdown  # noqa: PLC0415 - seldom wanted

        out.write(markdown(found, loaded.texts))
    else:
        for line in trace_as_text.lines(found, loaded.texts, out):
            out.say(line)
    if clause is None:
        out.say()
        for line in trace_as_text.counts(found):
            out.say(line)


def _exit(found: Trace) -> Exit:
    return Exit.FOUND if found.missing or found.unknown else Exit.FINE


def _all(names: Sequence[str], clause: str | None, files: Provider, out: Output) -> Exit:
    """Each ruleset under its name; one that cannot be traced keeps none of the others from it.

    Raises:
        Stop: RW0791, none of them has the clause.
    """
    documents, ends, strange = [], [], []
    for name in names:
        try:
            loaded, found = _found(name, (), clause, files)
        except Stop as stop:
            if any(each.code == "RW0791" for each in stop.diagnostics):
                strange.append(stop)
                continue
            ends.append(stop.exit)
            documents.append({"path": name, "fine": False, **as_json.document(stop.diagnostics, stop.texts)})
            errors(out.form).report(stop.diagnostics if out.form != "json" else (), stop.texts)
            continue
        ends.append(_exit(found))
        documents.append({"path": name, **trace_as_json.document(found, loaded.texts)})
        if out.form != "json":
            out.say(out.paint(f"{'# ' if out.form == 'markdown' else ''}{visible(name)}", "strong"))
            _print(found, loaded, clause, out)
            out.say()
    if not ends:
        raise strange[0]
    if out.form == "json":
        out.data({"version": trace_as_json.VERSION, "rulesets": documents})
    return max(ends)


def _traced(loaded: Loaded) -> Trace:
    """What the documents come to; errors of clauses are among what is shown, any other ends the command.

    Raises:
        Stop: the ruleset cannot be read or has other errors.
    """
    errors = [each for each in loaded.errors if each.code not in _OF_CLAUSES]
    if errors or loaded.linked is None:
        raise Stop(errors, loaded.texts)
    return trace(loaded.linked)


def _only(written: str, found: Trace) -> Trace:
    """What is said of one clause.

    Raises:
        Stop: RW0791, there is no such clause; RW0792, several documents have one.
    """
    pairs = {each.entry.id: (document, each) for document in found.documents for each in document.clauses}
    hits = clauses_called(written, pairs)
    if not hits:
        raise Stop([_no_clause(written, found)])
    if len(hits) > 1:
        choices = " or ".join(f"`{each}`" for each in hits)
        raise Stop([complaint("RW0792", f"several documents have a clause `{written}`", f"write {choices}")])
    document, clause = pairs[hits[0]]
    return Trace((replace(document, clauses=(clause,)),), (), ())


def _no_clause(written: str, found: Trace) -> Diagnostic:
    wanted = plain_id(written)
    ids = [each.entry.id for document in found.documents for each in document.clauses]
    short = {each.partition(".")[2]: each for each in ids}
    close = nearest(wanted, ids) or short.get(nearest(wanted, short) or "")
    remedy = f"did you mean `{close}`?" if close else "`rulewright trace RULESET` lists all clauses"
    return complaint("RW0791", f"there is no clause `{written}`", remedy)
