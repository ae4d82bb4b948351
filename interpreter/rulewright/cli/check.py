"""The verb `check`."""

from collections.abc import Iterator, Sequence
from typing import Any

import click

from rulewright.cli.exits import Exit, exit_of
from rulewright.cli.loading import load_ruleset
from rulewright.cli.options import format_option, overlay_option, verb
from rulewright.cli.output import Output, output
from rulewright.diagnostics import Severity, as_json
from rulewright.diagnostics.visible import visible
from rulewright.frozen import dataclass
from rulewright.workspace import Loaded


@dataclass(frozen=True, slots=True)
class _Checked:
    """What was asked for, and what came of it."""

    name: str
    loaded: Loaded

    def count(self, severity: Severity) -> int:
        return sum(each.severity is severity for each in self.loaded.diagnostics)


@verb("check")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@overlay_option
@format_option
def command(paths: tuple[str, ...], overlays: tuple[str, ...], form: str | None) -> int:
    """Finds what is wrong in every PATH: a .rules file, a folder or a shipped ruleset, with all it uses.

    Exits with 1 where there is an error; warnings and hints are printed only.
    """
    out = output(form)
    checked = [_Checked(path, load_ruleset(path, overlays)) for path in dict.fromkeys(paths)]
    if out.form == "json":
        out.data(_document(checked))
    else:
        _print(checked, out)
    return max(exit_of(each.loaded.diagnostics, Exit.FOUND) for each in checked)


def _print(checked: Sequence[_Checked], out: Output) -> None:
    for each in checked:
        out.report(each.loaded.diagnostics, each.loaded.texts)
    for each in checked:
        fine = each.loaded.program is not None
        out.say(f"{visible(each.name)}: {out.paint(_verdict(each), 'good' if fine else 'error')}")


def _verdict(each: _Checked) -> str:
    """`fine, 86 of 86 clauses answered`, or how many findings there are."""
    counts = [
        f"{each.count(severity)} {severity.value}{'s' if each.count(severity) > 1 else ''}"
        for severity in Severity
        if each.count(severity)
    ]
    start = [] if each.loaded.program is None else ["fine"]
    return ", ".join([*start, *counts, *_coverage(each.loaded)])


def _coverage(loaded: Loaded) -> Iterator[str]:
    if loaded.clauses and loaded.program is not None:
        yield f"{_answered(loaded)} of {loaded.clauses} clauses answered"


def _answered(loaded: Loaded) -> int:
    """How many clauses have a line or a reason: RW0603 names each of the others."""
    return loaded.clauses - sum(each.code == "RW0603" for each in loaded.diagnostics)


def _document(checked: Sequence[_Checked]) -> dict[str, Any]:
    texts = {name: text for each in checked for name, text in each.loaded.texts.items()}
    found = dict.fromkeys(diagnostic for each in checked for diagnostic in each.loaded.diagnostics)
    return as_json.document(found, texts, files=[_file(each) for each in checked])


def _file(each: _Checked) -> dict[str, Any]:
    program = each.loaded.program
    return {
        "path": each.name,
        "fine": program is not None,
        "ruleset": program.name if program else None,
        "fingerprint": program.fingerprint if program else None,
        "clauses": {"answered": _answered(each.loaded) if program else 0, "listed": each.loaded.clauses},
    }
