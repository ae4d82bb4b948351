"""Command lines, answered by processes that stand by with everything imported."""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request

from rulewright.studio.folder import named_from
from rulewright.studio.gate import Problem
from rulewright.studio.processes import Process, Spawning, Splitting

LONGEST = 32_000_000
"""How many bytes an answer may have."""

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

    process: Process
    said: Said | None = None  # how it ended; none while it lives

    async def ask(self, line: str, seconds: float) -> str | None:
        """Tells it a line and waits for the next it says; none where it ended, or says nothing in so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                self.process.stdin.write(line.encode() + b"\n")
                await self.process.stdin.drain()
                found = await self.process.stdout.readline()
        except (TimeoutError, OSError, ValueError):
            return None
        if not found:
            told = await self.process.stderr.read(LONGEST)
            self.said = Said(await self.process.wait(), "", told.decode(errors="replace"))
            return None
        return found.decode(errors="replace").removesuffix("\n")

    def end(self) -> None:
        """Ends it, wherever it is."""
        self.process.kill()


class Standby:
    """Carries out command lines in a folder, each in a fresh process, so that nothing of one reaches the next."""

    def __init__(self, command: Sequence[str], folder: Path, most: int = max(4, os.cpu_count() or 1)) -> None:
        """Nothing stands by yet; the command starts a process that stands by, as `processes` describes it."""
        self._folder = folder
        self._processes = Splitting(command) if Splitting.is_possible else Spawning(command)
        self._places = asyncio.Semaphore(most)
        self._under_way: dict[str, Path] = {}  # by the name of a question where it tells how far it is

    def warm(self) -> None:
        """Has somebody stand by."""
        self._processes.warm()

    async def run(  # noqa: PLR0913 - one for each thing a command line has
        self,
        verb: str,
        arguments: Sequence[str],
        *,
        request: Request | None = None,
        texts: Mapping[str, str] | None = None,
        said: str = "",
        limit: float = 60.0,
        asking: object = None,
    ) -> Said:
        """Carries out a command line in the folder and answers what it came to.

        In the arguments `{NAME}` in capitals stands for a file of that name, which the command may write; `texts` are
        what files of the folder are taken to hold, `said` is what it reads from its standard input. It is ended after
        `limit` seconds, and when the browser goes away from `request`; `far` tells by the name `asking` how far it is.

        Raises:
            Problem: nobody waits for the answer any more.
        """
        with tempfile.TemporaryDirectory(prefix="rulewright-") as out:
            names = [each[1:-1] for each in arguments if each[:1] == "{" and each[-1:] == "}" and each[1:-1].isupper()]
            places = {name: os.path.join(out, name.lower()) for name in names}  # noqa: PTH118 - a string
            line = [places.get(each[1:-1], each) if each[:1] == "{" else each for each in arguments]
            far = Path(out, "far")
            asked = {"arguments": [verb, *line], "texts": dict(texts or {}), "said": said, "far": str(far)}
            async with self._places, self._process(asked) as process, self._named(asking, far):
                ended = await _waited(asyncio.ensure_future(_heard(process)), request, limit)
            if ended is None:
                return Said(_SLOW, "", f"this takes longer than {limit:g} seconds, so it was stopped")
            printed, warned = (named_from(self._folder, each) for each in (ended.out, ended.err))
            return Said(ended.exit, printed, warned, _written(places))

    def far(self, asking: str) -> str:
        """How far a question is, in words; nothing where it does not say."""
        with suppress(KeyError, OSError):
            return self._under_way[asking].read_text(encoding="utf-8")
        return ""

    @asynccontextmanager
    async def _named(self, asking: object, far: Path) -> AsyncIterator[None]:
        if not isinstance(asking, str):
            yield
            return
        self._under_way[asking] = far
        try:
            yield
        finally:
            self._under_way.pop(asking, None)

    async def start(self, verb: str, arguments: Sequence[str]) -> Talking:
        """Begins a command that is told lines and says lines; whoever begins it ends it."""
        process = await self._processes.next()
        await self._tell(process, {"arguments": [verb, *arguments], "talks": True})
        return Talking(process)

    async def close(self) -> None:
        """Ends all that stand by."""
        await self._processes.close()

    @asynccontextmanager
    async def _process(self, asked: Mapping[str, object]) -> AsyncIterator[Process]:
        process = await self._processes.next()
        try:
            await self._tell(process, asked)
            yield process
        finally:
            process.kill()
            await process.wait()

    async def _tell(self, process: Process, asked: Mapping[str, object]) -> None:
        content = json.dumps({**asked, "folder": str(self._folder)}).encode()
        with suppress(OSError):  # it ended by itself, which its exit tells
            process.stdin.write(b"%010d" % len(content) + content)
            await process.stdin.drain()


async def _waited(task: "asyncio.Task[Said]", request: Request | None, limit: float) -> Said | None:
    """What a task comes to; none where the time is over."""
    end = asyncio.get_running_loop().time() + limit
    try:
        while not task.done():
            left = end - asyncio.get_running_loop().time()
            if left <= 0:
                return None
            await asyncio.wait([task], timeout=min(_AWAY, left))
            if request is not None and not task.done() and await request.is_disconnected():
                raise Problem(499, "this is no longer needed")
        return task.result()
    finally:
        task.cancel()


async def _heard(process: Process) -> Said:
    out, err = await asyncio.gather(_drawn(process.stdout), _drawn(process.stderr))
    if out is None or err is None:
        return Said(_SLOW, "", f"this prints more than {LONGEST:,} bytes, so it was stopped")
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
