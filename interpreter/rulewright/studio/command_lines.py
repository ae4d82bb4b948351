"""Command lines that answer the panes, whatever runs them: what is asked, what comes back, a command that stays."""

import asyncio
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from rulewright.studio.request_table import Caller, RequestProblem
from rulewright.studio.work_folder import shorten_paths

MAX_OUTPUT_BYTES = 32_000_000
"""Limit of the bytes of an output."""

EXIT_LIMIT = 3
"""Exit code of a command that met a limit."""

GONE_MESSAGE = "this is no longer needed"

_POLL_S = 0.2
"""Seconds between checks that somebody waits for the answer."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Exit code, output and written files of a command line."""

    exit: int  # 0 fine, 1 found something, 2 bad usage or input, 3 unknown because of a limit
    out: str
    err: str
    files: Mapping[str, str] = field(default_factory=dict)  # by `{NAME}` in the arguments


class CommandDialog(Protocol):
    """A command that stays and exchanges lines."""

    @property
    def result(self) -> CommandResult | None:
        """How it ended; None: it still runs."""

    async def exchange_line(self, line: str, seconds: float) -> str | None:
        """Send a line and return the reply; None if it ended or the time is over."""

    def end(self) -> None:
        """End it."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command line as whatever runs it takes it."""

    arguments: Sequence[str]  # the verb first
    texts: Mapping[str, str]  # contents that replace files of the folder, by path
    said: str  # standard input


class CommandRunner(ABC):
    """Runs command lines in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def run_command(  # noqa: PLR0913 - one for each thing a command line has
        self,
        verb: str,
        arguments: Sequence[str],
        *,
        caller: Caller | None = None,
        texts: Mapping[str, str] | None = None,
        said: str = "",
        limit: float = 60.0,
        asking: object = None,
    ) -> CommandResult:
        """Run a command line in the folder.

        `{NAME}` in capitals within an argument stands for a temporary file that the command may write; `texts` are contents
        that replace files of the folder; `said` is standard input. The command is ended after `limit` seconds, and when
        `caller` is gone; `read_progress` has its progress by the name `asking`.

        Raises:
            RequestProblem: the caller is gone.
        """
        with tempfile.TemporaryDirectory(prefix="rulewright-") as aside:
            line, places = _place_output_files(arguments, Path(aside))
            command = CommandLine([verb, *line], texts or {}, said)
            ended = await self._run_line(
                command, Path(aside), caller, limit, asking if isinstance(asking, str) else None
            )
            if ended is None:
                late = f"this takes longer than {limit:g} seconds, so it was stopped"
                return CommandResult(EXIT_LIMIT, "", late)
            printed, warned = (shorten_paths(self._folder, item) for item in (ended.out, ended.err))
            return CommandResult(ended.exit, printed, warned, _read_output_files(places))

    @abstractmethod
    async def _run_line(
        self, command: CommandLine, aside: Path, caller: Caller | None, limit: float, asking: str | None
    ) -> CommandResult | None:
        """What came of a command line, as it printed it; None after the time limit. `aside` is a folder for its files."""

    @abstractmethod
    def start_ahead(self) -> None:
        """Make ready what runs them."""

    @abstractmethod
    def read_progress(self, asking: str) -> str:
        """Progress of a question in words, or empty."""

    @abstractmethod
    async def start_dialog(self, verb: str, arguments: Sequence[str]) -> CommandDialog:
        """Start a command that reads and writes lines; whoever starts it ends it."""

    @abstractmethod
    async def close(self) -> None:
        """End all that runs."""


async def wait_for_result(
    future: "asyncio.Future[CommandResult]", caller: Caller | None, limit: float
) -> CommandResult | None:
    """Result of a command line; None after the time limit. One that has not ended is cancelled.

    Raises:
        RequestProblem: the caller is gone.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + limit
    try:
        while not future.done():
            seconds_left = end - loop.time()
            if seconds_left <= 0:
                return None
            await asyncio.wait([future], timeout=min(_POLL_S, seconds_left))
            if caller is not None and not future.done() and await caller.is_gone():
                raise RequestProblem(499, GONE_MESSAGE)
        return future.result()
    finally:
        future.cancel()


def _place_output_files(arguments: Sequence[str], folder: Path) -> tuple[list[str], dict[str, str]]:
    """The arguments with files of a folder in place of each `{NAME}`, and these files by name."""
    names = [
        argument[1:-1]
        for argument in arguments
        if argument[:1] == "{" and argument[-1:] == "}" and argument[1:-1].isupper()
    ]
    places = {name: str(folder / name.lower()) for name in names}
    return [places.get(argument[1:-1], argument) if argument[:1] == "{" else argument for argument in arguments], places


def _read_output_files(places: Mapping[str, str]) -> dict[str, str]:
    """Contents of files by name, of those that exist."""
    files = {name: Path(place) for name, place in places.items()}
    return {
        name: file.read_bytes()[:MAX_OUTPUT_BYTES].decode(errors="replace")
        for name, file in files.items()
        if file.exists()
    }
