"""How a command ends early."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.cli.exits import Exit, exit_of
from rulewright.diagnostics import Diagnostic, Severity, has_errors
from rulewright.source import Text


@dataclass
class Stop(Exception):  # noqa: N818
    """Ends a command with findings to print and an exit code.

    Attributes:
        diagnostics: what to say.
        texts: the texts they point into.
        found: what an ordinary error means to the command.
    """

    diagnostics: Sequence[Diagnostic]
    texts: Mapping[str, Text] = field(default_factory=dict)
    found: Exit = Exit.BAD

    @property
    def exit(self) -> Exit:
        """How the command ends."""
        return exit_of(self.diagnostics, self.found)


def stop_on(diagnostics: Sequence[Diagnostic], texts: Mapping[str, Text], found: Exit = Exit.BAD) -> None:
    """Stops if there is an error among the findings.

    Raises:
        Stop: there is one.
    """
    if has_errors(diagnostics):
        raise Stop(diagnostics, texts, found)


def complaint(code: str, message: str, help: str = "", notes: Sequence[str] = ()) -> Diagnostic:  # noqa: A002
    """An error that stands in no text."""
    return Diagnostic(code, Severity.ERROR, message, help=help, notes=tuple(notes))
