"""How a command ends early."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.cli.exits import Exit, exit_of
from rulewright.diagnostics import Diagnostic, Severity
from rulewright.source import Text


@dataclass
class Stop(Exception):  # noqa: N818
    """Ends a command with findings to print and an exit code.

    Attributes:
        diagnostics: what to say.
        texts: the texts they point into.
        exit: how the command ends.
    """

    diagnostics: Sequence[Diagnostic]
    texts: Mapping[str, Text] = field(default_factory=dict)
    exit: Exit = Exit.BAD


def stop_on(diagnostics: Sequence[Diagnostic], texts: Mapping[str, Text], found: Exit = Exit.BAD) -> None:
    """Stops if there is an error among the findings.

    Raises:
        Stop: there is one.
    """
    ends = exit_of(diagnostics, found)
    if ends is not Exit.FINE:
        raise Stop(diagnostics, texts, ends)


def complaint(code: str, message: str, help: str = "", notes: Sequence[str] = ()) -> Diagnostic:  # noqa: A002
    """An error that stands in no text."""
    return Diagnostic(code, Severity.ERROR, message, help=help, notes=tuple(notes))
