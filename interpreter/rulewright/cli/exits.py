"""How commands end: the exit codes, and the end before its time with what there is to say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from rulewright.diagnostics import Diagnostic, Severity, has_errors
from rulewright.source import Text


class Exit(IntEnum):
    """How a command ended."""

    FINE = 0
    FOUND = 1
    BAD = 2
    UNKNOWN = 3
    UNREAD = 141


MEANINGS = {
    Exit.FINE: "fine",
    Exit.FOUND: "found something: errors in rules, texts to lay out, a refused start, a fault of the run",
    Exit.BAD: "bad usage, unreadable input, or a script that does not fit what is asked; also an interruption, or a "
    "fault of rulewright itself",
    Exit.UNKNOWN: "unknown, because a limit was hit",
    Exit.UNREAD: "what was printed had no reader any more, so the command stopped, as after `| head`",
}


def exit_of(diagnostics: Iterable[Diagnostic], found: Exit) -> Exit:
    """The exit that findings call for; `found` is that of an ordinary error.

    A file that cannot be read at all is bad input whatever the command; behind a limit everything is unknown.
    """
    codes = [each.code for each in diagnostics if has_errors([each])]
    if not codes:
        return Exit.FINE
    if any(map(is_limit, codes)):
        return Exit.UNKNOWN
    return Exit.BAD if any(code.startswith(_FILES) for code in codes) else found


def is_limit(code: str) -> bool:
    """Whether a code says that a limit was hit: of texts (size, nesting) or of runs (RW09xx)."""
    return code in _TEXT_LIMITS or code.startswith("RW09")


_FILES = "RW00"
_TEXT_LIMITS = frozenset({"RW0005", "RW0141", "RW0147", "RW0702", "RW0850", "RW0851"})


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
