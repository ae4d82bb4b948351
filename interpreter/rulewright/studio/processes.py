"""Processes that are ready at once: split off from one that has everything imported, or else started ahead.

A process that stands by reads a length in ten digits from its standard input, and so many bytes of JSON that say what
to do. Started with `--fork` it has a socket there instead, through which it is handed the files of those to split off.
"""

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

_LINE = 8_000_000
"""How many bytes a line of what a process says may have."""

_READY = 2
"""How many wait where none can be split off."""

_KILLED = -9
_PATIENCE = 5
"""How many seconds are waited for those that are killed."""


class Process(Protocol):
    """A process, its streams, and its end."""

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """What it reads."""

    @property
    def stdout(self) -> asyncio.StreamReader:
        """What it prints."""

    @property
    def stderr(self) -> asyncio.StreamReader:
        """What it prints on the error stream."""

    async def wait(self) -> int:
        """Waits until it has ended, and answers how."""

    def kill(self) -> None:
        """Ends it, if it has not ended."""


class Split:
    """A process that was split off; it tells its number and how it ended through a pipe."""

    def __init__(self, stdin: asyncio.StreamWriter, *read: tuple[asyncio.StreamReader, asyncio.BaseTransport]) -> None:
        """Has its streams, what it prints with what brings that; how it is doing is heard when `hear` is called."""
        self.stdin = stdin
        (self.stdout, _), (self.stderr, _) = read
        self._pipes = [pipe for _, pipe in read]
        self._is_unwanted = False
        self._number = 0
        self._ended: asyncio.Task[int] | None = None

    def hear(self, status: asyncio.StreamReader, pipe: asyncio.BaseTransport) -> "asyncio.Task[int]":
        """Hears what it tells of itself, until it has ended."""
        self._pipes.append(pipe)
        self._ended = asyncio.get_running_loop().create_task(self._heard(status))
        return self._ended

    async def _heard(self, status: asyncio.StreamReader) -> int:
        number = await status.readline()
        if number:
            self._number = int(number)
            if self._is_unwanted:
                self.kill()
        ended = await status.readline()
        self._number = 0
        self.stdin.close()
        return int(ended or _KILLED)

    async def wait(self) -> int:
        """Waits until it has ended, and answers how."""
        assert self._ended is not None
        return await asyncio.shield(self._ended)

    @property
    def is_heard(self) -> bool:
        """Whether something may still be heard of it."""
        return not all(each.is_closing() for each in self._pipes)

    def close(self) -> None:
        """Hears nothing more of what it prints."""
        for each in self._pipes:
            each.close()

    def kill(self) -> None:
        """Ends it with all that work for it, as soon as its number is known."""
        self._is_unwanted = True
        if self._number:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._number, signal.SIGKILL)


class Splitting:
    """Splits processes off from one that stands by."""

    is_possible = hasattr(os, "fork") and hasattr(socket, "send_fds")

    def __init__(self, command: Sequence[str]) -> None:
        self._command = (*command, "--fork")
        self._asked: socket.socket | None = None
        self._standing: subprocess.Popen[bytes] | None = None
        self._living: dict[asyncio.Task[int], Split] = {}  # those that were split off, by what hears how they end
        self._heard: list[Split] = []  # those of which something may still be heard

    def warm(self) -> None:
        """Has a process stand by."""
        if self._standing is not None and self._standing.poll() is None:
            return
        if self._asked is not None:
            self._asked.close()
        self._asked, other = socket.socketpair()
        with other:
            self._standing = subprocess.Popen(  # noqa: S603 - a command of ours
                self._command, stdin=other.fileno(), stdout=subprocess.DEVNULL, env=_around()
            )

    async def next(self) -> Process:
        """A process that is ready."""
        self.warm()
        assert self._asked is not None
        (inward, tells), (says, out), (warns, err), (about, status) = (os.pipe() for _ in range(4))
        try:
            socket.send_fds(self._asked, [b"+"], [inward, out, err, status])
        finally:
            for each in (inward, out, err, status):
                os.close(each)
        made = Split(await _writer(tells), await _reader(says), await _reader(warns))
        heard = made.hear(*await _reader(about))
        self._heard = [*(each for each in self._heard if each.is_heard), made]
        self._living[heard] = made
        heard.add_done_callback(self._living.pop)
        return made

    async def close(self) -> None:
        """Ends it that stands by, and all that were split off."""
        if self._asked is not None and self._standing is not None:
            self._asked.close()
            self._standing.kill()
            self._standing.wait()
        living = dict(self._living)
        for each in living.values():
            each.kill()
        if living:
            await asyncio.wait([*living], timeout=_PATIENCE)
        for one in self._heard:
            one.close()


async def _reader(file: int) -> tuple[asyncio.StreamReader, asyncio.BaseTransport]:
    made = asyncio.StreamReader(_LINE)
    loop = asyncio.get_running_loop()
    pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(made), os.fdopen(file, "rb", 0))
    return made, pipe


async def _writer(file: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(file, "wb", 0))
    return asyncio.StreamWriter(transport, protocol, None, loop)


class Spawned:
    """A process that was started by itself."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr
        self._process = process

    async def wait(self) -> int:
        """Waits until it has ended, and answers how."""
        return await self._process.wait()

    def kill(self) -> None:
        """Ends it, if it has not ended."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()


class Spawning:
    """Starts processes ahead, for systems on which none can be split off."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._ready: list[asyncio.Task[Spawned]] = []

    def warm(self) -> None:
        """Starts what is to wait."""
        while len(self._ready) < _READY:
            self._ready.append(asyncio.get_running_loop().create_task(self._started()))

    async def next(self) -> Process:
        """A process that is ready, or will be."""
        self.warm()
        process = await self._ready.pop(0)
        self.warm()
        return process

    async def close(self) -> None:
        """Ends those that wait."""
        for each in [await task for task in self._ready]:
            each.kill()
            await each.wait()
        self._ready.clear()

    async def _started(self) -> Spawned:
        pipe = asyncio.subprocess.PIPE
        made = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe, stderr=pipe, env=_around(), limit=_LINE
        )
        return Spawned(made)


def _around() -> dict[str, str]:
    """The surroundings of a process whose words go to the browser."""
    return {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
