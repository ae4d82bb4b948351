"""What the browser asks about files: listing, reading, saving, drafts, merging; what it is told when they change."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from posixpath import dirname, join, normpath
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from rulewright.studio.folder import RULESET, Listed
from rulewright.studio.gate import Problem
from rulewright.studio.language import Names
from rulewright.studio.merging import merged
from rulewright.studio.workbench import Workbench, answer, posted, text_of

SECOND = 1.0
"""How often it is looked whether files changed on the disk."""

UNREAD = 100
"""How much news may wait for a tab to read it."""

_News = asyncio.Queue[Mapping[str, Any]]
_GONE = 404


class Files:
    """The answers about files, and the tabs that hear of changes."""

    def __init__(self, workbench: Workbench) -> None:
        self._folder = workbench.folder
        self._standby = workbench.standby
        self._drafts = workbench.drafts
        self._earlier = workbench.earlier
        self._tabs: dict[
            asyncio.Task[None], tuple[str, _News]
        ] = {}  # by who tells them: their names, what is to be told
        self._seen: Mapping[str, str] = {}  # by path the version
        self._watching: asyncio.Task[None] | None = None

    async def folder(self, request: Request) -> Response:
        """What the folder is called, and what its files are called to the language server."""
        del request
        return answer({"name": self._folder.name, "root": Names(self._folder).root})

    async def list(self, request: Request) -> Response:
        """The files, each with what it is for, the ruleset that it belongs to and whether something is not saved."""
        del request
        listed = await run_in_threadpool(self._folder.list)
        drafted = await run_in_threadpool(self._drafts.paths)
        rulesets = owners(listed)
        return answer(
            {
                "files": [
                    {
                        "path": each.path,
                        "sort": each.sort,
                        "ruleset": rulesets.get(each.path),
                        "version": each.version,
                        "draft": each.path in drafted,
                    }
                    for each in listed
                ],
                "lost": sorted(drafted - {each.path for each in listed}),
            }
        )

    async def read(self, request: Request) -> Response:
        """What a file holds, and what was typed into it and not saved."""
        place = self._folder.place(request.query_params.get("path", ""))
        drafts = await run_in_threadpool(self._drafts.of, place)
        try:
            held = await run_in_threadpool(self._folder.read, place)
        except Problem as problem:
            if problem.status != _GONE or not drafts:
                raise
            text, version = "", None
        else:
            text, version = held.text, held.version
        open_ = {name for name, _ in self._tabs.values()}
        shown = [{**asdict(each), "open": each.tab in open_} for each in drafts if each.text != text]
        draft = next((each for each in shown if not each["open"]), None)
        return answer({"path": place, "text": text, "version": version, "draft": draft, "drafts": shown})

    async def write(self, given: dict[str, Any], _: Request) -> dict[str, Any]:
        """Saves a text, unless the file holds something else meanwhile."""
        place = self._folder.place(text_of(given, "path"))
        version = await run_in_threadpool(self._saved, place, text_of(given, "text"), _version(given))
        await run_in_threadpool(self._drafts.drop, place, _tab(given))
        await self._look()
        return {"version": version}

    def _saved(self, place: str, text: str, version: str | None) -> str:
        """Saves a text, and keeps what the file held until then."""
        try:
            before = self._folder.read(place)
        except Problem:  # nothing was there, or nothing that can be shown
            return self._folder.write(place, text, version)
        made = self._folder.write(place, text, version)
        if made != before.version:
            self._earlier.keep(place, before.text)
        return made

    async def remove(self, given: dict[str, Any], _: Request) -> dict[str, Any]:
        """Removes a file that holds what the browser shows."""
        await run_in_threadpool(self._folder.remove, text_of(given, "path"), text_of(given, "version"))
        await self._look()
        return {}

    async def draft(self, given: dict[str, Any], _: Request) -> dict[str, Any]:
        """Keeps what was typed, or forgets it where there is no text; other tabs hear of it."""
        place, tab = self._folder.place(text_of(given, "path")), _tab(given)
        if given.get("text") is None:
            await run_in_threadpool(self._drafts.drop, place, tab)
        else:
            await run_in_threadpool(self._drafts.keep, place, tab, text_of(given, "text"), _version(given))
        self._tell({"typing": {"path": place, "tab": tab}}, but=tab)
        return {}

    async def merge(self, given: dict[str, Any], _: Request) -> dict[str, Any]:
        """Makes one text of what was typed and what the disk holds, from the text that both began with."""
        texts = [text_of(given, each) for each in ("base", "mine", "theirs")]
        made = await run_in_threadpool(merged, *texts)
        if made is None:
            raise Problem(413, "the texts are too long to be merged; copy what you want to keep")
        return {"text": made.text, "conflicts": [asdict(each) for each in made.conflicts]}

    async def far(self, request: Request) -> Response:
        """How far a question is that takes a while, in words."""
        return answer({"says": self._standby.far(request.query_params.get("asking", ""))})

    async def watch(self, socket: WebSocket) -> None:
        """Tells a tab of all that changes from when it is let in until it goes away.

        A tab that leaves too much unread is let go: it asks for everything again when it comes back.
        """
        if self._watching is None:
            seen = await run_in_threadpool(self._versions)
            if self._watching is None:
                self._seen, self._watching = seen, asyncio.get_running_loop().create_task(self._watch())
        news, tasks = _News(UNREAD), list[asyncio.Task[None]]()
        try:
            await socket.accept()
            tasks += (asyncio.ensure_future(each) for each in (_told(socket, news), _heard(socket)))
            self._tabs[tasks[0]] = socket.query_params.get("tab", "")[:100], news
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in tasks:
                self._tabs.pop(each, None)
                each.cancel()
            if not self._tabs and self._watching is not None:
                self._watching.cancel()
                self._watching = None

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(SECOND)
            await self._look()

    async def _look(self) -> None:
        """Tells every tab what changed since it was looked last."""
        if self._watching is None:
            return
        now = await run_in_threadpool(self._versions)
        before, self._seen = self._seen, now
        changed = [
            {"path": path, "version": now.get(path)}
            for path in sorted(before.keys() | now.keys())
            if before.get(path) != now.get(path)
        ]
        if changed:
            self._tell({"changed": changed})

    def _versions(self) -> Mapping[str, str]:
        return {each.path: each.version for each in self._folder.list()}

    def _tell(self, told: Mapping[str, Any], but: str | None = None) -> None:
        for tells, (tab, news) in self._tabs.items():
            if tab != but:
                try:
                    news.put_nowait(told)
                except asyncio.QueueFull:
                    tells.cancel()


async def _told(socket: WebSocket, news: "_News") -> None:
    """Tells a tab one thing after the other, as it reads them."""
    with suppress(WebSocketDisconnect, RuntimeError, OSError):  # it is going
        while True:
            await socket.send_json(await news.get())


async def _heard(socket: WebSocket) -> None:
    """Waits until a tab goes away."""
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass


def routes(workbench: Workbench) -> list[BaseRoute]:
    """What the browser asks about files."""
    files = Files(workbench)
    return [
        Route("/api/folder", files.folder),
        Route("/api/files", files.list),
        Route("/api/file", files.read),
        posted("/api/file", files.write),
        posted("/api/remove", files.remove),
        posted("/api/draft", files.draft),
        posted("/api/merge", files.merge),
        Route("/api/far", files.far),
        WebSocketRoute("/api/watch", files.watch),
    ]


def _version(given: Mapping[str, Any]) -> str | None:
    found = given.get("version")
    return found if isinstance(found, str) else None


def _tab(given: Mapping[str, Any]) -> str:
    found = given.get("tab")
    return found[:100] if isinstance(found, str) else ""


def texts_of(workbench: Workbench, place: str) -> list[str]:
    """The texts of the ruleset of which a file is one."""
    listed = workbench.folder.list()
    mine = owners(listed)
    ruleset = mine.get(place, place)
    return [each.path for each in listed if each.sort == "rules" and mine.get(each.path, each.path) == ruleset]


def typed(workbench: Workbench, place: str, tab: object) -> dict[str, str]:
    """What a tab has typed into the texts of a ruleset and not saved, by file; `place` is one of its texts."""
    files = texts_of(workbench, place)
    return {file: each.text for file in files for each in workbench.drafts.of(file) if each.tab == tab}


def owners(listed: tuple[Listed, ...]) -> dict[str, str]:
    """By path of a file that of the ruleset it belongs to.

    That is the one that it names or that uses it, else the only one of the nearest folder above that has any.
    """
    rulesets = {each.path for each in listed if each.begins == RULESET}
    alone = dict[str, str | None]()
    for path in sorted(rulesets):
        alone[dirname(path)] = None if dirname(path) in alone else path
    named = {each.path: [normpath(join(dirname(each.path), name)) for name in each.names] for each in listed}
    used = dict[str, str]()
    for ruleset in sorted(rulesets):
        waiting = [ruleset]
        while waiting:
            path = waiting.pop()
            if used.setdefault(path, ruleset) == ruleset:
                waiting += [each for each in named.get(path, ()) if each not in used]
    found = dict[str, str]()
    for each in listed:
        mine = next((name for name in named[each.path] if each.sort != "rules" and name in rulesets), None)
        owner = mine or used.get(each.path) or _above(each.path, alone)
        if owner is not None:
            found[each.path] = owner
    return found


def _above(path: str, alone: Mapping[str, str | None]) -> str | None:
    """The only ruleset of the nearest folder above a file that has any; none where it has several."""
    folder = path
    while folder:
        folder = dirname(folder)
        if folder in alone:
            return alone[folder]
    return None
