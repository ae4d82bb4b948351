"""Command lines run by standby processes: forked from a preloaded process, or spawned ahead on other systems."""

import asyncio
import json
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rulewright.studio.command_lines import (
    EXIT_LIMIT,
    MAX_OUTPUT_BYTES,
    CommandLine,
    CommandResult,
    CommandRunner,
    wait_for_result,
)
from rulewright.studio.request_table import Caller

_MAX_LINE_BYTES = 8_000_000
"""Limit of the bytes of one output line of a process."""

_SPAWNED_AHEAD = 2
"""Waiting processes on systems without fork."""

_EXIT_KILLED = -9
_KILL_TIMEOUT_S = 5
"""Seconds to wait for killed processes."""


class StandbyProcess(Protocol):
    """Protocol of a process: its streams and its end."""

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """Standard input."""

    @property
    def stdout(self) -> asyncio.StreamReader:
        """Standard output."""

    @property
    def stderr(self) -> asyncio.StreamReader:
        """Error stream."""

    async def wait(self) -> int:
        """Wait for the exit status."""

    def kill(self) -> None:
        """Kill it, if it still runs."""


class ForkedProcess:
    """A forked process; a pipe tells its process id and exit status."""

    def __init__(self, stdin: asyncio.StreamWriter, *read: tuple[asyncio.StreamReader, asyncio.BaseTransport]) -> None:
        """Takes over standard input; the pipe is read from `watch_status` on."""
        self.stdin = stdin
        (self.stdout, _), (self.stderr, _) = read
        self._pipes = [pipe for _, pipe in read]
        self._is_unwanted = False
        self._number = 0
        self._ended: asyncio.Task[int] | None = None

    def watch_status(self, status: asyncio.StreamReader, pipe: asyncio.BaseTransport) -> "asyncio.Task[int]":
        """Task that reads process id and exit status from the pipe."""
        self._pipes.append(pipe)
        self._ended = asyncio.get_running_loop().create_task(self._read_status(status))
        return self._ended

    async def _read_status(self, status: asyncio.StreamReader) -> int:
        number = await status.readline()
        if number:
            self._number = int(number)
            if self._is_unwanted:
                self.kill()
        ended = await status.readline()
        self._number = 0
        self.stdin.close()
        return int(ended or _EXIT_KILLED)

    async def wait(self) -> int:
        assert self._ended is not None
        return await asyncio.shield(self._ended)

    @property
    def is_open(self) -> bool:
        """Whether its pipe or streams are open."""
        return not all(pipe.is_closing() for pipe in self._pipes)

    def close(self) -> None:
        """Close the streams of its output."""
        for pipe in self._pipes:
            pipe.close()

    def kill(self) -> None:
        """Kill its process group, as soon as its id is known."""
        self._is_unwanted = True
        if self._number:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._number, signal.SIGKILL)


class ProcessForker:
    """Forks processes from one preloaded process."""

    is_possible = hasattr(os, "fork") and hasattr(socket, "send_fds")

    def __init__(self, command: Sequence[str]) -> None:
        self._command = (*command, "--fork")
        self._asked: socket.socket | None = None
        self._template_process: subprocess.Popen[bytes] | None = None
        self._running: dict[asyncio.Task[int], ForkedProcess] = {}  # by their status tasks
        self._open_processes: list[ForkedProcess] = []  # with open streams

    def start_ahead(self) -> None:
        """Start the preloaded process."""
        if self._template_process is not None and self._template_process.poll() is None:
            return
        if self._asked is not None:
            self._asked.close()
        self._asked, other = socket.socketpair()
        with other:
            self._template_process = subprocess.Popen(  # noqa: S603 - a command of ours
                self._command, stdin=other.fileno(), stdout=subprocess.DEVNULL, env=_make_process_environment()
            )

    async def take_process(self) -> StandbyProcess:
        """A forked process."""
        self.start_ahead()
        assert self._asked is not None
        (inward, tells), (says, out), (warns, err), (about, status) = (os.pipe() for _ in range(4))
        try:
            socket.send_fds(self._asked, [b"+"], [inward, out, err, status])
        finally:
            for item in (inward, out, err, status):
                os.close(item)
        process = ForkedProcess(await _open_writer(tells), await _open_reader(says), await _open_reader(warns))
        heard = process.watch_status(*await _open_reader(about))
        self._open_processes = [
            *(one for one in self._open_processes if one.is_open),
            process,
        ]
        self._running[heard] = process
        heard.add_done_callback(self._running.pop)
        return process

    async def close(self) -> None:
        """Kill the preloaded process and all forks."""
        if self._asked is not None and self._template_process is not None:
            self._asked.close()
            self._template_process.kill()
            self._template_process.wait()
        living = dict(self._running)
        for forked_process in living.values():
            forked_process.kill()
        if living:
            await asyncio.wait([*living], timeout=_KILL_TIMEOUT_S)
        for one in self._open_processes:
            one.close()


async def _open_reader(file: int) -> tuple[asyncio.StreamReader, asyncio.BaseTransport]:
    reader = asyncio.StreamReader(_MAX_LINE_BYTES)
    loop = asyncio.get_running_loop()
    pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(file, "rb", 0))
    return reader, pipe


async def _open_writer(file: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(file, "wb", 0))
    return asyncio.StreamWriter(transport, protocol, None, loop)


class SpawnedProcess:
    """A process that was spawned ahead."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr
        self._process = process

    async def wait(self) -> int:
        return await self._process.wait()

    def kill(self) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()


class ProcessSpawner:
    """Spawns processes ahead, for systems without fork."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._ready: list[asyncio.Task[SpawnedProcess]] = []

    def start_ahead(self) -> None:
        """Spawn the waiting processes."""
        while len(self._ready) < _SPAWNED_AHEAD:
            self._ready.append(asyncio.get_running_loop().create_task(self._spawn_process()))

    async def take_process(self) -> StandbyProcess:
        """A spawned process, which may still be importing."""
        self.start_ahead()
        process = await self._ready.pop(0)
        self.start_ahead()
        return process

    async def close(self) -> None:
        """Kill the waiting processes."""
        for spawned_process in [await task for task in self._ready]:
            spawned_process.kill()
            await spawned_process.wait()
        self._ready.clear()

    async def _spawn_process(self) -> SpawnedProcess:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe, stderr=pipe, env=_make_process_environment(), limit=_MAX_LINE_BYTES
        )
        return SpawnedProcess(process)


def _make_process_environment() -> dict[str, str]:
    return {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}


@dataclass(slots=True)
class ProcessDialog:
    """A process that reads and writes lines."""

    process: StandbyProcess
    result: CommandResult | None = None  # None: it still runs

    async def exchange_line(self, line: str, seconds: float) -> str | None:
        """Send a line and return the reply; None if it ended or the time is over."""
        try:
            async with asyncio.timeout(seconds):
                self.process.stdin.write(line.encode() + b"\n")
                await self.process.stdin.drain()
                content = await self.process.stdout.readline()
        except (TimeoutError, OSError, ValueError):
            return None
        if not content:
            errors = await self.process.stderr.read(MAX_OUTPUT_BYTES)
            self.result = CommandResult(await self.process.wait(), "", errors.decode(errors="replace"))
            return None
        return content.decode(errors="replace").removesuffix("\n")

    def end(self) -> None:
        self.process.kill()


class ProcessCommandRunner(CommandRunner):
    """Runs command lines in a folder, each in a fresh process, so that no state is shared."""

    def __init__(self, command: Sequence[str], folder: Path, most: int = max(4, os.cpu_count() or 1)) -> None:
        """`command` starts a standby process (`rulewright.cli.standby_process`); none is started yet."""
        super().__init__(folder)
        self._processes = ProcessForker(command) if ProcessForker.is_possible else ProcessSpawner(command)
        self._places = asyncio.Semaphore(most)
        self._progress_files: dict[str, Path] = {}  # by name of the question

    def start_ahead(self) -> None:
        self._processes.start_ahead()

    async def _run_line(
        self, command: CommandLine, aside: Path, caller: Caller | None, limit: float, asking: str | None
    ) -> CommandResult | None:
        progress_file = aside / "far"
        sent = {
            "arguments": command.arguments,
            "texts": dict(command.texts),
            "said": command.said,
            "far": str(progress_file),
        }
        async with (
            self._places,
            self._take_commanded_process(sent) as process,
            self._track_progress(asking, progress_file),
        ):
            return await wait_for_result(asyncio.ensure_future(_collect_result(process)), caller, limit)

    def read_progress(self, asking: str) -> str:
        with suppress(KeyError, OSError):
            return self._progress_files[asking].read_text(encoding="utf-8")
        return ""

    @asynccontextmanager
    async def _track_progress(self, asking: str | None, progress_file: Path) -> AsyncIterator[None]:
        if asking is None:
            yield
            return
        self._progress_files[asking] = progress_file
        try:
            yield
        finally:
            self._progress_files.pop(asking, None)

    async def start_dialog(self, verb: str, arguments: Sequence[str]) -> ProcessDialog:
        process = await self._processes.take_process()
        await self._send_command(process, {"arguments": [verb, *arguments], "talks": True})
        return ProcessDialog(process)

    async def close(self) -> None:
        await self._processes.close()

    @asynccontextmanager
    async def _take_commanded_process(self, command: Mapping[str, object]) -> AsyncIterator[StandbyProcess]:
        process = await self._processes.take_process()
        try:
            await self._send_command(process, command)
            yield process
        finally:
            process.kill()
            await process.wait()

    async def _send_command(self, process: StandbyProcess, command: Mapping[str, object]) -> None:
        content = json.dumps({**command, "folder": str(self._folder)}).encode()
        with suppress(OSError):  # it has ended, as its exit code tells
            process.stdin.write(b"%010d" % len(content) + content)
            await process.stdin.drain()


async def _collect_result(process: StandbyProcess) -> CommandResult:
    out, err = await asyncio.gather(_read_to_end(process.stdout), _read_to_end(process.stderr))
    if out is None or err is None:
        return CommandResult(EXIT_LIMIT, "", f"this prints more than {MAX_OUTPUT_BYTES:,} bytes, so it was stopped")
    return CommandResult(await process.wait(), out, err)


async def _read_to_end(stream: asyncio.StreamReader) -> str | None:
    """The whole output of a stream; None if it is too large."""
    parts, size = list[bytes](), 0
    while part := await stream.read(1 << 16):
        size += len(part)
        if size > MAX_OUTPUT_BYTES:
            return None
        parts.append(part)
    return b"".join(parts).decode(errors="replace")
