"""The verb `trace`."""

from dataclasses import replace

import click

from rulewright.analysis.clauses.spelling import clauses_called, plain_id
from rulewright.analysis.clauses.trace import Trace, trace
from rulewright.cli import trace_as_json, trace_as_text
from rulewright.cli.exits import Exit
from rulewright.cli.loading import load_ruleset
from rulewright.cli.options import overlay_option, verb
from rulewright.cli.output import FORMATS, output
from rulewright.cli.stop import Stop, complaint
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.suggest import nearest
from rulewright.workspace import Loaded

_OF_CLAUSES = frozenset({"RW0601", "RW0602", "RW0603", "RW0604", "RW0605", "RW0606", "RW0607", "RW0608"})


@verb("trace")
@click.argument("ruleset")
@click.option("--clause", "clause", metavar="ID", help="one clause, such as 50.e, DOC:50.e or DOC.50.e")
@overlay_option
@click.option(
    "--format",
    "form",
    type=click.Choice((*FORMATS, "markdown")),
    help="human (default on a terminal), plain (default elsewhere), json or markdown",
)
def command(ruleset: str, clause: str | None, overlays: tuple[str, ...], form: str | None) -> int:
    """Shows for every clause of the documents of RULESET what carries it out, and what nobody answers for.

    Exits with 1 where a clause is neither cited nor accounted for, or a cite leads to no clause.
    """
    loaded = load_ruleset(ruleset, overlays)
    found = _traced(loaded)
    if clause is not None:
        found = _only(clause, found)
    out = output(form)
    if out.form == "json":
        out.data(trace_as_json.document(found, loaded.texts))
    else:
        for line in trace_as_text.lines(found, loaded.texts, out):
            out.say(line)
        if clause is None:
            out.say()
            for line in trace_as_text.counts(found):
                out.say(line)
    return Exit.FOUND if found.missing or found.unknown else Exit.FINE


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
