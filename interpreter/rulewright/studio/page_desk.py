"""The workbench in a page: two programs, each run by a worker of the browser, that tell the page and are told by it.

`PageDesk` is what `studio/server.py` is on a machine: it answers the requests of the panes, holds the files and the plays,
and is the language server. `PageWorker` runs command lines that take long, so that one can be ended by ending its worker.
Both hold the files in memory: what changes at the desk is told the worker with each command line, and comes back with its
result; the page is told of every change, and keeps it in the browser. All that is told is JSON.
"""

import asyncio
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import rulewright
from rulewright.base.files import clear_unsaved_texts, set_unsaved_texts
from rulewright.base.frozen import dataclass
from rulewright.studio.command_lines import (
    EXIT_LIMIT,
    GONE_MESSAGE,
    CommandLine,
    CommandResult,
    CommandRunner,
    wait_for_result,
)
from rulewright.studio.files_api import FilesApi
from rulewright.studio.language_messages import UriMapper, parse_editor_message, translate_message
from rulewright.studio.page_files import FileMirror, list_page_requests
from rulewright.studio.page_modules import TABLES_NAME
from rulewright.studio.pane_requests import make_request_table
from rulewright.studio.request_table import Caller, RequestProblem
from rulewright.studio.work_folder import WorkFolder, shorten_paths
from rulewright.studio.workbench import Workbench
from rulewright.syntax.engine import get_engine, import_tables

Tell = Callable[[str, str], object]
"""Tells the page something: what it is, and the rest as JSON."""
LineHandler = Callable[[str], str]
"""The reply of a play to a request, both in JSON."""


@dataclass(frozen=True, slots=True)
class CommandAccess:
    """The command line and the language server, which stand above this room and beside it."""

    run_command_line: Callable[[Sequence[str]], int]
    report_progress_to: Callable[[Callable[[str], object]], None]
    # gives what answers the requests of a play to a function, instead of reading them from standard input
    carry_lines_by: Callable[[Callable[[LineHandler], object]], None]
    make_language_server: Callable[[], Any]  # of pygls, which has no types


_LONG_VERBS = frozenset({"cover", "diff", "odds", "share", "simulate", "test"})
"""Verbs that a worker of its own runs."""
_FAULT_MESSAGE = "this is a fault of rulewright itself, not of your rules; load the page again, nothing is lost"


def _run_here(access: CommandAccess, command: CommandLine, folder: Path) -> CommandResult:
    """What comes of a command line in this very process."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.StringIO(command.said)
    os.chdir(folder)
    set_unsaved_texts(command.texts)
    try:
        with redirect_stdout(out), redirect_stderr(err):
            ended = access.run_command_line(command.arguments)
    finally:
        clear_unsaved_texts()
        sys.stdin = before
    return CommandResult(int(ended), out.getvalue(), err.getvalue())


class PageWorker:
    """Runs command lines on files that the desk tells of."""

    def __init__(self, access: CommandAccess, folder: str, aside: str, tell: Tell) -> None:
        """`aside` is a folder for files that last as long as a command line."""
        self._access = access
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        _set_temporary_folder(aside)
        self._files = FileMirror((self._folder, Path(aside)))
        _prepare_process()
        access.report_progress_to(lambda words: tell("progress", json.dumps(words)))

    def run(self, text: str) -> str:
        """The result of a command line, both as JSON, with the files that it changed."""
        given = json.loads(text)
        self._files.apply_changes(given["changes"])
        Path(given["aside"]).mkdir(parents=True, exist_ok=True)
        ended = _run_here(self._access, CommandLine(given["arguments"], given["texts"], given["said"]), self._folder)
        changes = self._files.collect_changes()
        return json.dumps({"exit": ended.exit, "out": ended.out, "err": ended.err, "changes": changes})


class _PageDialog:
    """A play of this process."""

    def __init__(self, handle: LineHandler | None, first: CommandResult) -> None:
        self.result: CommandResult | None = None
        self._handle = handle
        self._first = first

    async def exchange_line(self, line: str, seconds: float) -> str | None:
        del seconds
        if self._handle is not None:
            return self._handle(line)
        self.result = self._first
        return next(iter(self._first.out.splitlines()), None)

    def end(self) -> None:
        self._handle = None
        self.result = self._first


class PageCommandRunner(CommandRunner):
    """Runs command lines for a page: short ones and plays here, long ones in the other worker."""

    def __init__(self, access: CommandAccess, folder: Path, tell: Tell) -> None:
        super().__init__(folder)
        self._access = access
        self._tell = tell
        self._sent = FileMirror((folder, Path(tempfile.gettempdir())))
        self._places = asyncio.Semaphore(1)
        self._waiting: asyncio.Future[CommandResult] | None = None
        self._progress: dict[str, str] = {}  # in words, by name of the question
        self._asking: str = ""

    def start_ahead(self) -> None:
        """The page starts the workers."""

    async def close(self) -> None:
        """The page ends the workers."""

    def read_progress(self, asking: str) -> str:
        return self._progress.get(asking, "")

    def note_progress(self, words: str) -> None:
        """How far the long command line is."""
        if self._asking:
            self._progress[self._asking] = words

    def take_result(self, result: Mapping[str, Any]) -> None:
        """What came of the long command line."""
        if self._waiting is not None and not self._waiting.done():
            self._sent.apply_changes(result["changes"])
            self._waiting.set_result(CommandResult(result["exit"], result["out"], result["err"]))

    def forget_worker(self) -> None:
        """The worker is another one, which knows of no files."""
        self._sent = FileMirror((self._folder, Path(tempfile.gettempdir())))
        self.take_result({"exit": EXIT_LIMIT, "out": "", "err": "this was stopped", "changes": {}})

    async def _run_line(
        self, command: CommandLine, aside: Path, caller: Caller | None, limit: float, asking: str | None
    ) -> CommandResult | None:
        """As `CommandRunner` says; a short one is not ended before its time."""
        if command.arguments[0] not in _LONG_VERBS:
            await asyncio.sleep(0)
            if caller is not None and await caller.is_gone():
                raise RequestProblem(499, GONE_MESSAGE)
            return _run_here(self._access, command, self._folder)
        async with self._places:
            self._asking = asking or ""
            try:
                return await self._run_elsewhere(command, aside, caller, limit)
            finally:
                self._progress.pop(self._asking, None)
                self._asking = ""

    async def _run_elsewhere(
        self, command: CommandLine, aside: Path, caller: Caller | None, limit: float
    ) -> CommandResult | None:
        """The result of the other worker; None after the time limit, when the worker is ended, as for a caller who is gone."""
        if caller is not None and await caller.is_gone():
            raise RequestProblem(499, GONE_MESSAGE)
        self._waiting = asyncio.get_running_loop().create_future()
        given = {
            "arguments": command.arguments,
            "texts": dict(command.texts),
            "said": command.said,
            "aside": str(aside),
        }
        self._tell("run", json.dumps({**given, "changes": self._sent.collect_changes()}))
        try:
            return await wait_for_result(self._waiting, caller, limit)
        finally:
            if self._waiting.cancelled():
                self._tell("stop", "null")
                self.forget_worker()

    async def start_dialog(self, verb: str, arguments: Sequence[str]) -> _PageDialog:
        taken: list[LineHandler] = []
        self._access.carry_lines_by(taken.append)
        await asyncio.sleep(0)
        ended = _run_here(self._access, CommandLine([verb, *arguments], {}, ""), self._folder)
        handle = self._make_line_handler(taken[0]) if taken else None
        return _PageDialog(handle, CommandResult(ended.exit, shorten_paths(self._folder, ended.out), ended.err))

    def _make_line_handler(self, handle: LineHandler) -> LineHandler:
        def handle_in_folder(line: str) -> str:
            os.chdir(self._folder)
            return handle(line)

        return handle_in_folder


class _Asker:
    """A pane that asks, until it takes its question back."""

    def __init__(self) -> None:
        self.has_left = False

    async def is_gone(self) -> bool:
        return self.has_left


class _EditorWriter:
    """What the language server writes, for the editor of the page."""

    def __init__(self, names: UriMapper, tell: Tell) -> None:
        self._names = names
        self._tell = tell

    def write(self, data: bytes) -> None:
        message = translate_message(json.loads(data), self._names, inward=False)
        self._tell("language", json.dumps(message, ensure_ascii=False))

    def close(self) -> None:
        """There is nothing to be closed."""


class PageDesk:
    """The workbench of a page."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a page has
        self, access: CommandAccess, folder: str, kept: str, aside: str, files: str, tell: Tell
    ) -> None:
        """`files` are those that the browser keeps, as JSON, of the folder and of what is `kept` besides."""
        _set_temporary_folder(aside)
        self._access = access
        self._tell = tell
        self._stored = FileMirror((Path(folder), Path(kept)))
        for made in (folder, kept):
            Path(made).mkdir(parents=True, exist_ok=True)
        self._stored.apply_changes(json.loads(files))
        self._folder = WorkFolder(Path(folder))
        _prepare_process()
        self._runner = PageCommandRunner(access, self._folder.path, tell)
        self._workbench = Workbench.for_folder(self._folder, self._runner, Path(kept))
        self._files_api = FilesApi(self._workbench)
        self._table = make_request_table(self._files_api, self._workbench, list_page_requests(self._workbench))
        self._askers: dict[int, _Asker] = {}
        self._tasks = set[asyncio.Task[None]]()
        self._names = UriMapper(self._folder)
        self._language: Any = None  # of pygls, which has no types

    def ask(self, number: int, name: str, given: str) -> None:
        """Answer a request by and by; the page is told `reply`."""
        self._askers[number] = asker = _Asker()
        self._begin(self._answer(number, name, given, asker))

    def leave(self, number: int) -> None:
        """Whoever asked does not wait any more."""
        if number in self._askers:
            self._askers[number].has_left = True

    def watch(self, tab: str) -> None:
        """Tell the page of files that change: `news`."""
        self._begin(self._send_changes(tab))

    def take_result(self, text: str) -> None:
        """What the other worker made of a command line."""
        self._runner.take_result(json.loads(text))

    def note_progress(self, text: str) -> None:
        """How far the other worker is."""
        self._runner.note_progress(json.loads(text))

    def forget_worker(self) -> None:
        """The other worker is a new one."""
        self._runner.forget_worker()

    def talk(self) -> None:
        """Begin anew with an editor."""
        self._language = self._access.make_language_server()
        self._language.protocol.set_writer(_EditorWriter(self._names, self._tell), include_headers=False)

    def say(self, text: str) -> None:
        """A message of the editor to the language server."""
        translated, refusal = parse_editor_message(text, self._names)
        if refusal is not None:
            self._tell("language", json.dumps(refusal))
        if translated is not None and self._language is not None:
            protocol = self._language.protocol
            protocol.handle_message(json.loads(json.dumps(translated), object_hook=protocol.structure_message))

    def _begin(self, coroutine: Any) -> None:  # of a task
        task = asyncio.get_event_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, number: int, name: str, given: str, asker: _Asker) -> None:
        try:
            reply: dict[str, Any] = {"data": await self._table.answer(name, json.loads(given), asker)}
        except RequestProblem as problem:
            reply = {"status": problem.status, "data": {"problem": problem.message, **problem.more}}
        except Exception as fault:  # noqa: BLE001 - the last resort, so that the page goes on
            reply = {"status": 500, "data": {"problem": _FAULT_MESSAGE, "fault": f"{type(fault).__name__}: {fault}"}}
        self._askers.pop(number, None)
        self._store_changes()
        self._tell("reply", json.dumps({"number": number, **reply}, ensure_ascii=False))

    def _store_changes(self) -> None:
        with suppress(OSError):
            changes = self._stored.collect_changes()
            if changes:
                self._tell("store", json.dumps(changes))

    async def _send_changes(self, tab: str) -> None:
        async with self._files_api.watch_changes(tab) as news:
            while True:
                self._tell("news", json.dumps(await news.take_item()))


def _set_temporary_folder(aside: str) -> None:
    Path(aside).mkdir(parents=True, exist_ok=True)
    tempfile.tempdir = aside


def _prepare_process() -> None:
    os.environ.update({"NO_COLOR": "1", "COLUMNS": "100"})
    tables = Path(rulewright.__file__).with_name(TABLES_NAME)
    if tables.is_file():
        import_tables(tables.read_bytes())
    get_engine()


class PageProgram:
    """One of the two programs, as the worker that runs it is told; `handle_text` is its only entry."""

    def __init__(self, access: CommandAccess, tell: Tell) -> None:
        self._access = access
        self._tell = tell
        self._actions: dict[str, Callable[..., str | None]] = {
            "open_desk": self._open_desk,
            "open_worker": self._open_worker,
        }

    def handle_text(self, text: str) -> str:
        """Do what a request says, in JSON, by the name `do` with what else is given; some have a reply."""
        request = json.loads(text)
        return self._actions[request.pop("do")](**request) or ""

    def _open_desk(self, folder: str, kept: str, aside: str, files: str) -> None:
        desk = PageDesk(self._access, folder, kept, aside, files, self._tell)
        actions = (
            *(desk.ask, desk.leave, desk.watch, desk.talk, desk.say),
            *(desk.take_result, desk.note_progress, desk.forget_worker),
        )
        self._actions |= {action.__name__: action for action in actions}

    def _open_worker(self, folder: str, aside: str) -> None:
        self._actions["run"] = PageWorker(self._access, folder, aside, self._tell).run
