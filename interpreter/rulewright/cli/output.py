"""How commands end, and where they print: exit codes; form, colours and width; progress; lines that differ."""

import dataclasses
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from enum import IntEnum
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self, TextIO

from rulewright.diagnostics import Diagnostic, Severity, has_errors
from rulewright.diagnostics.terminal import Paint, visible, visible_json
from rulewright.frozen import dataclass
from rulewright.source import Text

_FILES = "RW00"
_TEXT_LIMITS = frozenset({"RW0005", "RW0141", "RW0147", "RW0702", "RW0850", "RW0851"})
FORMATS = ("human", "plain", "json")
_WIDEST = 120
_USUAL = 80
_PATIENCE = 1.0
_OFTEN = 0.1
_TOLD: list[Path] = []
_MINUTE = 60
_AROUND = 2


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
    Exit.BAD: "bad usage, unreadable input, or a script that does not fit the questions; also an interruption, or a "
    "fault of rulewright itself",
    Exit.UNKNOWN: "unknown, because a limit was hit",
    Exit.UNREAD: "the output was not read to its end, as after `| head`",
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


@dataclasses.dataclass
class Stop(Exception):  # noqa: N818
    """Ends a command with findings to print and an exit code; public functions of `cli` say when they raise it."""

    diagnostics: Sequence[Diagnostic]  # what to say
    texts: Mapping[str, Text] = dataclasses.field(default_factory=dict)  # the texts they point into
    found: Exit = Exit.BAD  # what an ordinary error means to the command

    @property
    def exit(self) -> Exit:
        """How the command ends."""
        return exit_of(self.diagnostics, self.found)


def stop_on(diagnostics: Sequence[Diagnostic], texts: Mapping[str, Text]) -> None:
    """Stops if there is an error among the findings."""
    if has_errors(diagnostics):
        raise Stop(diagnostics, texts)


def complaint(code: str, message: str, help: str = "", notes: Sequence[str] = ()) -> Diagnostic:  # noqa: A002
    """An error that stands in no text."""
    return Diagnostic(code, Severity.ERROR, message, help=help, notes=tuple(notes))


def stopped(code: str, message: str, help: str = "", notes: Sequence[str] = ()) -> Stop:  # noqa: A002
    """What ends a command with one error that stands in no text."""
    return Stop([complaint(code, message, help, notes)])


class PrintError(Exception):
    """What is printed goes nowhere: its reader has left, or the disk is full."""

    def __init__(self, reason: str = "", unread: Exit = Exit.UNREAD) -> None:
        super().__init__(reason)
        self.reason = reason  # why; empty where the reader has left
        self.unread = unread  # how the command ends where the reader has left


@dataclass(frozen=True, slots=True)
class Output:
    """One stream and the form of what goes there."""

    stream: TextIO  # where to print
    form: str  # `human`, `plain` or `json`
    paint: Paint  # colours, or none
    width: int  # columns of the terminal

    def say(self, text: str = "") -> None:
        """Prints a text and a line end.

        Raises:
            PrintError: it cannot be printed.
        """
        self.write(f"{text}\n")

    def tell(self, lines: Iterable[str]) -> None:
        """Prints lines, each as soon as it is there; as `say`."""
        for line in lines:
            self.say(line)

    def write(self, text: str) -> None:
        """Prints a text as it is, at once; as `say`."""
        try:
            self.stream.write(text)
            self.stream.flush()
        except BrokenPipeError:
            raise PrintError from None
        except OSError as error:
            raise PrintError((error.strerror or "no reason given").lower()) from None

    def data(self, document: Any) -> None:
        """Prints JSON data."""
        self.say(visible_json(document))

    def report(self, diagnostics: Iterable[Diagnostic], texts: Mapping[str, Text]) -> None:
        """Prints diagnostics as text: drawn, with a blank line after each, or plain."""
        from rulewright.diagnostics.renderings import fold_repeats, human, plain  # noqa: PLC0415 - most texts are fine

        for each in fold_repeats(diagnostics):
            if self.form == "human":
                self.say(human(each, texts, self.paint, self.width) + "\n")
            else:
                self.say(plain(each, texts))


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


def tell_progress(file: Path) -> None:
    """Has all that counts from now on tell a file how far it is, for whoever has no terminal to look at."""
    _TOLD[:] = [file]


class Progress:
    """A line that counts, shown when the work takes longer than a second; nothing where nobody looks."""

    def __init__(self, whole: int, out: Output) -> None:
        self._whole = whole
        self._done = 0
        self._shows = out.form == "human" and sys.stderr.isatty()
        self._notes = self._shows or out.form in {"human", "plain"}
        self._next = monotonic() + _PATIENCE
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wipe()

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        self.tell(f"{self._done} of {self._whole}")

    def tell(self, text: str) -> None:
        """How far it is, in words."""
        if not (self._shows or _TOLD) or monotonic() < self._next:
            return
        self._next = monotonic() + _OFTEN
        for each in _TOLD:
            with suppress(OSError):
                each.write_text(text, encoding="utf-8")
        if self._shows:
            self._shown = True
            sys.stderr.write(f"\r\x1b[K{text} ")
            sys.stderr.flush()

    def note(self, lines: Iterable[str]) -> None:
        """Lines that stay above the one that counts; also where nobody looks, but beside data."""
        if self._notes:
            self.wipe()
            sys.stderr.writelines(f"{each}\n" for each in lines)
            sys.stderr.flush()

    def wipe(self) -> None:
        """Takes the line away, for something else to be said."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False


def lasting(seconds: float) -> str:
    """A time as people say it: `12 s`, `3 min`, `2.5 h`."""
    if seconds < _MINUTE:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / _MINUTE:.0f} min" if seconds < _MINUTE**2 else f"{seconds / _MINUTE**2:.1f} h"


def difference(before: Text, after: Text) -> Iterator[tuple[str, str]]:
    """The name of the text, then numbered lines, each after its sign: `-`, `+`, or nothing for one that stays.

    Lines that go have the numbers of the text before, others those of the text after.
    """
    old, new = before.content.splitlines(), after.content.splitlines()
    groups = list(SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND))
    if groups:
        yield "", visible(before.name)
    for number, group in enumerate(groups):
        if number:
            yield "", "     …"
        for tag, first, end, start, stop in group:
            if tag != "equal":
                yield from _lines("-", old, first, end)
            yield from _lines(" " if tag == "equal" else "+", new, start, stop)


def _lines(sign: str, lines: list[str], first: int, end: int) -> Iterator[tuple[str, str]]:
    for number in range(first, end):
        yield sign.strip(), f"{number + 1:>6} {sign} {visible(lines[number])}".rstrip()
