"""Output of commands: exit codes, form, colours and width, progress, numbered diffs."""

import dataclasses
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from enum import IntEnum
from time import monotonic
from types import TracebackType
from typing import Any, Self, TextIO

from rulewright.base.diagnostics import Diagnostic, Painter, Severity, has_errors, make_visible, render_visible_json
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text

_FILE_ERROR_PREFIX = "RW00"
_TEXT_LIMIT_CODES = frozenset({"RW0005", "RW0141", "RW0147", "RW0702", "RW0850", "RW0851"})
FORMATS = ("human", "plain", "json")
_MAX_WIDTH = 120
_DEFAULT_WIDTH = 80
_PROGRESS_DELAY_S = 1.0
_PROGRESS_INTERVAL_S = 0.1
_PROGRESS_LISTENERS: list[Callable[[str], object]] = []
_SECONDS_PER_MINUTE = 60
_CONTEXT_LINES = 2


class ExitCode(IntEnum):
    """Exit codes of every command; `EXIT_MEANINGS` describes them."""

    SUCCESS = 0
    FINDINGS = 1
    BAD_INPUT = 2
    UNKNOWN = 3
    OUTPUT_UNREAD = 141


EXIT_MEANINGS = {
    ExitCode.SUCCESS: "fine",
    ExitCode.FINDINGS: "found something: errors in rules, texts to lay out, a refused start, a fault of the run",
    ExitCode.BAD_INPUT: "bad usage, unreadable input, or a script that does not fit the questions; also an interruption, or a "
    "fault of rulewright itself",
    ExitCode.UNKNOWN: "unknown, because a limit was hit",
    ExitCode.OUTPUT_UNREAD: "the output was not read to its end, as after `| head`",
}


def diagnostics_exit(diagnostics: Iterable[Diagnostic], error_exit: ExitCode) -> ExitCode:
    """The exit code for diagnostics; `error_exit` is that of an ordinary error.

    A file that cannot be read is bad input for any command; behind a limit the answer is unknown.
    """
    codes = [one.code for one in diagnostics if has_errors([one])]
    if not codes:
        return ExitCode.SUCCESS
    if any(map(is_limit_code, codes)):
        return ExitCode.UNKNOWN
    return ExitCode.BAD_INPUT if any(code.startswith(_FILE_ERROR_PREFIX) for code in codes) else error_exit


def is_limit_code(code: str) -> bool:
    """Whether a code reports a limit: of texts (size, nesting) or of runs (RW09xx)."""
    return code in _TEXT_LIMIT_CODES or code.startswith("RW09")


@dataclasses.dataclass
class CommandStop(Exception):  # noqa: N818
    """Ends a command with diagnostics and an exit code."""

    diagnostics: Sequence[Diagnostic]
    texts: Mapping[str, Text] = dataclasses.field(default_factory=dict)
    error_exit: ExitCode = ExitCode.BAD_INPUT

    @property
    def exit(self) -> ExitCode:
        return diagnostics_exit(self.diagnostics, self.error_exit)


def stop_on_errors(diagnostics: Sequence[Diagnostic], texts: Mapping[str, Text]) -> None:
    """Raises `CommandStop` if there is an error among the diagnostics."""
    if has_errors(diagnostics):
        raise CommandStop(diagnostics, texts)


def make_error(code: str, message: str, help: str = "", notes: Sequence[str] = ()) -> Diagnostic:  # noqa: A002
    """An error without a place in a text."""
    return Diagnostic(code, Severity.ERROR, message, help=help, notes=tuple(notes))


def make_stop(code: str, message: str, help: str = "", notes: Sequence[str] = ()) -> CommandStop:  # noqa: A002
    """A `CommandStop` with one error without a place."""
    return CommandStop([make_error(code, message, help, notes)])


class PrintError(Exception):
    """Failed write: the reader has left, or the disk is full."""

    def __init__(self, reason: str = "", unread: ExitCode = ExitCode.OUTPUT_UNREAD) -> None:
        super().__init__(reason)
        self.reason = reason  # empty: the reader has left
        self.unread_exit = unread  # exit code if the reader has left


@dataclass(frozen=True, slots=True)
class Output:
    """One stream with its form, colours and width."""

    stream: TextIO
    form: str  # `human`, `plain` or `json`
    paint: Painter
    width: int  # in columns

    def print_line(self, text: str = "") -> None:
        """Print a text and a line end.

        Raises:
            PrintError: it cannot be printed.
        """
        self.print_text(f"{text}\n")

    def print_lines(self, lines: Iterable[str]) -> None:
        """Print lines as they are produced; as `print_line`."""
        for line in lines:
            self.print_line(line)

    def print_text(self, text: str) -> None:
        """Print a text without line end and flush it; as `print_line`."""
        try:
            self.stream.write(text)
            self.stream.flush()
        except BrokenPipeError:
            raise PrintError from None
        except OSError as error:
            raise PrintError((error.strerror or "no reason given").lower()) from None

    def print_report(self, document: Callable[[], Any], lines: Iterable[str]) -> None:
        """Print a report as JSON or as lines, whichever is the form; the other is not made."""
        if self.form == "json":
            self.print_json(document())
        else:
            self.print_lines(lines)

    def print_json(self, document: Any) -> None:
        self.print_line(render_visible_json(document))

    def print_diagnostics(self, diagnostics: Iterable[Diagnostic], texts: Mapping[str, Text]) -> None:
        """Print diagnostics with source excerpts and a blank line after each, or plain in one line."""
        from rulewright.base.diagnostics.renderings import (  # noqa: PLC0415 - most texts are fine
            fold_repeats,
            render_plain_diagnostic,
            render_terminal_diagnostic,
        )

        for fold_repeat in fold_repeats(diagnostics):
            if self.form == "human":
                self.print_line(render_terminal_diagnostic(fold_repeat, texts, self.paint, self.width) + "\n")
            else:
                self.print_line(render_plain_diagnostic(fold_repeat, texts))


def make_output(form: str | None, stream: TextIO | None = None) -> Output:
    """An output; without a form `human` on a terminal and `plain` elsewhere."""
    to = stream or sys.stdout
    terminal = to.isatty()
    chosen = form or ("human" if terminal else "plain")
    coloured = terminal and chosen == "human" and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Output(to, chosen, Painter(coloured), min(_terminal_columns(), _MAX_WIDTH))


def _terminal_columns() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size().columns or _DEFAULT_WIDTH
    except (OSError, ValueError):
        return _DEFAULT_WIDTH


def error_output(form: str | None = None) -> Output:
    """Output on the error stream, never JSON: for diagnostics of usage and inputs."""
    return make_output(None if form == "json" else form, sys.stderr)


def report_progress_to(listener: Callable[[str], object]) -> None:
    """Tell the progress of later `ProgressLine`s to a function too, for callers without a terminal."""
    _PROGRESS_LISTENERS[:] = [listener]


class ProgressLine:
    """A line with a counter on terminals, shown after a second of work."""

    def __init__(self, whole: int, out: Output) -> None:
        self._total = whole
        self._step_count = 0
        self._is_shown = out.form == "human" and sys.stderr.isatty()
        self._has_notes = self._is_shown or out.form in {"human", "plain"}
        self._next_update_at = monotonic() + _PROGRESS_DELAY_S
        self._is_on_screen = False
        self.prefix = ""  # before every text

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.erase_line()

    def count_step(self) -> None:
        self._step_count += 1
        self.show_progress(f"{self._step_count} of {self._total}")

    def show_progress(self, text: str) -> None:
        """Show the progress in words."""
        if not (self._is_shown or _PROGRESS_LISTENERS) or monotonic() < self._next_update_at:
            return
        self._next_update_at = monotonic() + _PROGRESS_INTERVAL_S
        text = self.prefix + text
        for tell_progress in _PROGRESS_LISTENERS:
            with suppress(OSError):
                tell_progress(text)
        if self._is_shown:
            self._is_on_screen = True
            sys.stderr.write(f"\r\x1b[K{text} ")
            sys.stderr.flush()

    def print_note(self, lines: Iterable[str]) -> None:
        """Print lines above the counter, also without a terminal; not in JSON output."""
        if self._has_notes:
            self.erase_line()
            sys.stderr.writelines(f"{line}\n" for line in lines)
            sys.stderr.flush()

    def erase_line(self) -> None:
        """Erase the counter before other output."""
        if self._is_on_screen:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._is_on_screen = False


def format_duration(seconds: float) -> str:
    """`12 s`, `3 min`, `2.5 h`."""
    if seconds < _SECONDS_PER_MINUTE:
        return f"{max(seconds, 0):.0f} s"
    minutes = seconds / _SECONDS_PER_MINUTE
    return f"{minutes:.0f} min" if minutes < _SECONDS_PER_MINUTE else f"{minutes / _SECONDS_PER_MINUTE:.1f} h"


def render_numbered_diff(before: Text, after: Text, out: Output) -> Iterator[str]:
    """`numbered_diff` with its removed and added lines in colours."""
    roles = {"-": "error", "+": "good"}
    for sign, line in numbered_diff(before, after):
        yield out.paint(line, roles[sign]) if sign else line


def numbered_diff(before: Text, after: Text) -> Iterator[tuple[str, str]]:
    """Name of the text, then pairs of a sign (`-`, `+`, or empty) and a numbered line.

    Removed lines have the numbers of the old text, others those of the new one.
    """
    old, new = before.content.splitlines(), after.content.splitlines()
    groups = list(SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT_LINES))
    if groups:
        yield "", make_visible(before.name)
    for number, group in enumerate(groups):
        if number:
            yield "", "     …"
        for tag, first, end, start, stop in group:
            if tag != "equal":
                yield from _number_lines("-", old, first, end)
            yield from _number_lines(" " if tag == "equal" else "+", new, start, stop)


def _number_lines(sign: str, lines: list[str], first: int, end: int) -> Iterator[tuple[str, str]]:
    for number in range(first, end):
        yield sign.strip(), f"{number + 1:>6} {sign} {make_visible(lines[number])}".rstrip()
