"""Command lines, answered by processes that wait ready with everything imported."""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request

from rulewright.studio.gate import Problem

READY = 2
"""How many processes wait."""

LONGEST = 32_000_000
"""How many bytes an answer may have."""

_LINE = 8_000_000
_AWAY = 0.2
"""How often it is looked whether the browser is still there, in seconds."""

_SLOW = 3
"""How a command ends that hit a limit."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a command line came to."""

    exit: int  # as in a terminal: 0 fine, 1 found something, 2 bad usage or input, 3 unknown because of a limit
    out: str  # what it printed
    err: str  # what it printed on the error stream
    files: Mapping[str, str] = field(default_factory=dict)  # what it wrote into the files `{NAME}` of its arguments


@dataclass(slots=True)
class Talking:
    """A command that is told lines and says lines, as long as it lives."""

    process: asyncio.subprocess.Process
    said: Said | None = None  # how it ended; none while it lives

    async def ask(self, line: str, seconds: float) -> str | None:
        """Tells it a line and waits for the next it says; none where it ended, or says nothing in so many seconds."""
        to, back = self.process.stdin, self.process.stdout
        assert to is not None
        assert back is not None
        try:
            async with asyncio.timeout(seconds):
                to.write(line.encode() + b"\n")
                await to.drain()
                found = await back.readline()
        except (TimeoutError, OSError, ValueError):
            return None
        if not found:
            await self._ended()
            return None
        return found.decode(errors="replace").removesuffix("\n")

    async def _ended(self) -> None:
        err = self.process.stderr
        assert err is not None
        told = await err.read(_LINE)
        self.said = Said(await self.process.wait(), "", told.decode(errors="replace"))

    def end(self) -> None:
        """Ends it, wherever it is."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.kill()


class Standby:
    """Processes that wait for a command line each; a fresh one answers, and the next is started meanwhile.

    A process answers once and ends, so nothing that one question does reaches the next. It ends with this process, too.
    """

    def __init__(self, command: Sequence[str], folder: Path, most: int = max(2, os.cpu_count() or 1)) -> None:
        """Nothing waits yet.

        Args:
            command: starts a process that waits: it reads a length in ten digits and so many bytes of JSON
                (`arguments`, `texts`, `said`, `talks`), then does what the command line does.
            folder: where command lines are carried out.
            most: how many work at once.
        """
        self._command = tuple(command)
        self._folder = folder
        self._ready: list[asyncio.subprocess.Process] = []
        self._warming: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(most)

    def warm(self) -> None:
        """Starts what is to wait, in the background."""
        task = asyncio.get_running_loop().create_task(self._warm())
        self._warming.add(task)
        task.add_done_callback(self._warming.discard)

    async def run(  # noqa: PLR0913 - one for each thing a command line has
        self,
        verb: str,
        arguments: Sequence[str],
        *,
        request: Request | None = None,
        texts: Mapping[str, str] | None = None,
        said: str = "",
        limit: float = 60.0,
    ) -> Said:
        """Carries out a command line in the folder and answers what it came to.

        Args:
            verb: what to do.
            arguments: as in a terminal; `{NAME}` in capitals stands for a file of that name, which it may write.
            request: the question of the browser; if it goes away meanwhile, the command is ended.
            texts: what files of the folder are taken to hold, by their paths.
            said: what it reads from its standard input.
            limit: after how many seconds it is ended.

        Raises:
            Problem: nobody waits for the answer any more.
        """
        with tempfile.TemporaryDirectory(prefix="rulewright-") as out:
            names = [each[1:-1] for each in arguments if each[:1] == "{" and each[-1:] == "}" and each[1:-1].isupper()]
            places = {name: os.path.join(out, name.lower()) for name in names}  # noqa: PTH118 - a string
            line = [places.get(each[1:-1], each) if each[:1] == "{" else each for each in arguments]
            asked = {"arguments": [verb, *line], "texts": dict(texts or {}), "said": said}
            async with self._places, self._process(asked) as process:
                task = asyncio.ensure_future(_heard(process))
                ended = await _waited(task, request, limit)
                if ended is None:
                    return Said(_SLOW, "", f"this takes longer than {limit:g} seconds, so it was stopped")
            return Said(ended.exit, ended.out, ended.err, _written(places))

    async def start(self, verb: str, arguments: Sequence[str]) -> Talking:
        """Begins a command that is told lines and says lines; whoever begins it ends it."""
        process = await self._next()
        await _tell(process, {"arguments": [verb, *arguments], "talks": True})
        return Talking(process)

    async def close(self) -> None:
        """Ends all that wait."""
        for task in self._warming:
            task.cancel()
        for each in self._ready:
            _kill(each)
        await asyncio.gather(*(each.wait() for each in self._ready))
        self._ready.clear()

    @asynccontextmanager
    async def _process(self, asked: Mapping[str, object]) -> AsyncIterator[asyncio.subprocess.Process]:
        process = await self._next()
        try:
            await _tell(process, asked)
            yield process
        finally:
            _kill(process)
            await process.wait()

    async def _next(self) -> asyncio.subprocess.Process:
        while self._ready:
            process = self._ready.pop(0)
            if process.returncode is None:
                self.warm()
                return process
        process = await self._started()
        self.warm()
        return process

    async def _warm(self) -> None:
        while len(self._ready) < READY:
            self._ready.append(await self._started())

    async def _started(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        around = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
        return await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=self._folder, env=around, limit=_LINE
        )


async def _tell(process: asyncio.subprocess.Process, asked: Mapping[str, object]) -> None:
    assert process.stdin is not None
    with suppress(ConnectionError):  # it ended by itself, which its exit tells
        content = json.dumps(asked).encode()
        process.stdin.write(b"%010d" % len(content) + content)
        await process.stdin.drain()


async def _waited(task: "asyncio.Task[Said]", request: Request | None, limit: float) -> Said | None:
    """What a task comes to; none where the time is over.

    Raises:
        Problem: the browser went away.
    """
    end = asyncio.get_running_loop().time() + limit
    try:
        while not task.done():
            left = end - asyncio.get_running_loop().time()
            if left <= 0:
                return None
            await asyncio.wait([task], timeout=min(_AWAY, left))
            if request is not None and not task.done() and await request.is_disconnected():
                words = "nobody waits for this any more"
                raise Problem(words, 499)
        return task.result()
    finally:
        task.cancel()


async def _heard(process: asyncio.subprocess.Process) -> Said:
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = await asyncio.gather(_drawn(process.stdout), _drawn(process.stderr))
    if out is None or err is None:
        return Said(_SLOW, "", f"this says more than {LONGEST:,} bytes, so it was stopped")
    return Said(await process.wait(), out, err)


async def _drawn(stream: asyncio.StreamReader) -> str | None:
    """What a stream says until it ends; none where that is too much."""
    parts, size = list[bytes](), 0
    while part := await stream.read(1 << 16):
        size += len(part)
        if size > LONGEST:
            return None
        parts.append(part)
    return b"".join(parts).decode(errors="replace")


def _written(places: Mapping[str, str]) -> dict[str, str]:
    """What was written into files, where it was."""
    files = {name: Path(place) for name, place in places.items()}
    return {name: file.read_bytes()[:LONGEST].decode(errors="replace") for name, file in files.items() if file.exists()}


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
