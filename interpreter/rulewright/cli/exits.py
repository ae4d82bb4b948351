"""What the exit code of a command says: one table for all of them."""

from collections.abc import Iterable
from enum import IntEnum

from rulewright.diagnostics import Diagnostic, has_errors


class Exit(IntEnum):
    """How a command ended."""

    FINE = 0
    FOUND = 1
    BAD = 2
    UNKNOWN = 3


MEANINGS = {
    Exit.FINE: "fine",
    Exit.FOUND: "found something: errors in rules, texts to lay out, a refused start, a fault of the run",
    Exit.BAD: "bad usage or unreadable input; also an interruption, or a fault of rulewright itself",
    Exit.UNKNOWN: "unknown, because a limit was hit",
}


def exit_of(diagnostics: Iterable[Diagnostic], found: Exit) -> Exit:
    """The exit that findings call for; `found` is that of an ordinary error.

    A file that cannot be read at all (RW00xx) is bad input whatever the command, a limit (RW09xx) leaves unknown.
    """
    errors = [each for each in diagnostics if has_errors([each])]
    if not errors:
        return Exit.FINE
    if any(each.code.startswith("RW00") for each in errors):
        return Exit.BAD
    if all(each.code.startswith("RW09") for each in errors):
        return Exit.UNKNOWN
    return found
