"""Where commands print: in which form, in which colours, how wide."""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from rulewright.cli.exits import Exit
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.paint import Paint
from rulewright.diagnostics.visible import visible_json
from rulewright.frozen import dataclass
from rulewright.source import Text

FORMATS = ("human", "plain", "json")
_WIDEST = 120
_USUAL = 80


class PrintError(Exception):
    """What is printed goes nowhere: its reader has left, or the disk is full.

    Attributes:
        reason: why; empty where the reader has left.
        unread: how the command ends where the reader has left.
    """

    def __init__(self, reason: str = "", unread: Exit = Exit.UNREAD) -> None:
        super().__init__(reason)
        self.reason = reason
        self.unread = unread


@dataclass(frozen=True, slots=True)
class Output:
    """One stream and the form of what goes there.

    Attributes:
        stream: where to print.
        form: `human`, `plain` or `json`.
        paint: colours, or none.
        width: columns of the terminal.
    """

    stream: TextIO
    form: str
    paint: Paint
    width: int

    def say(self, text: str = "") -> None:
        """Prints a text and a line end.

        Raises:
            PrintError: it cannot be printed.
        """
        self.write(f"{text}\n")

    def write(self, text: str) -> None:
        """Prints a text as it is, at once; as `say`."""
        try:
            self.stream.write(text)
            self.stream.flush()
        except BrokenPipeError:
            raise PrintError from None
        except OSError as error:
            raise PrintError((error.strerror or "no reason given").lower()) from None

    def data(self, document: Any) -> None:  # noqa: ANN401
        """Prints JSON data."""
        self.say(visible_json(document))

    def report(self, diagnostics: Iterable[Diagnostic], texts: Mapping[str, Text]) -> None:
        """Prints diagnostics as text: drawn, with a blank line after each, or plain."""
        from rulewright.diagnostics import as_text  # noqa: PLC0415 - most texts are fine

        for each in diagnostics:
            if self.form == "human":
                self.say(as_text.human(each, texts, self.paint, self.width) + "\n")
            else:
                self.say(as_text.plain(each, texts))


def output(form: str | None, stream: TextIO | None = None) -> Output:
    """An output in a form; without one `human` on a terminal and `plain` elsewhere."""
    to = stream or sys.stdout
    terminal = to.isatty()
    chosen = form or ("human" if terminal else "plain")
    coloured = terminal and chosen == "human" and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Output(to, chosen, Paint(coloured), min(_columns(), _WIDEST))


def _columns() -> int:
    """The width of the terminal, or what `COLUMNS` says; 80 where neither tells."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    try:
        return os.get_terminal_size().columns or _USUAL
    except (OSError, ValueError):
        return _USUAL


def errors(form: str | None = None) -> Output:
    """An output for what is no result: diagnostics of usage and inputs, on the error stream, never JSON."""
    return output(None if form == "json" else form, sys.stderr)
