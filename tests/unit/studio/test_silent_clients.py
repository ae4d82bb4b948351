"""A tab that reads nothing of what it is told: nobody waits for it, and what waits for it does not grow without end."""

import asyncio
import json
from pathlib import Path
from typing import Any

from support.workbench_client import WAITING

from rulewright.studio.files_api import MAX_UNREAD_NEWS  # isort: skip - support looks whether it is installed
from rulewright.studio.command_runner import ProcessCommandRunner
from rulewright.studio.server import make_application
from rulewright.studio.work_folder import WorkFolder
from rulewright.studio.workbench import Workbench

from starlette.applications import Starlette  # isort: skip

PATIENCE = 20


async def silent(app: Starlette, is_open: asyncio.Event) -> None:
    """A tab that is let in, and takes nothing of what it is sent."""
    said = iter([{"type": "websocket.connect"}])

    async def receive() -> Any:
        return next(said, None) or await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message["type"] == "websocket.accept":
            is_open.set()
        else:
            await asyncio.Event().wait()

    await app({"type": "websocket", "path": "/api/watch", "query_string": b"tab=silent", "headers": []}, receive, send)


async def posted(app: Starlette, path: str, asked: object) -> int:
    """The status of the answer to a question."""
    found = []

    async def receive() -> Any:
        return {"type": "http.request", "body": json.dumps(asked).encode()}

    async def send(message: Any) -> None:
        found.append(message)

    heads = [(b"content-type", b"application/json")]
    await app({"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": heads}, receive, send)
    status: int = found[0]["status"]
    return status


def test_a_tab_that_reads_nothing_keeps_nobody_waiting_and_is_let_go(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    opened = WorkFolder(tmp_path / "rules")
    app = make_application(Workbench.for_folder(opened, ProcessCommandRunner(WAITING, opened.path), tmp_path / "kept"))

    async def play() -> None:
        is_open = asyncio.Event()
        tab = asyncio.create_task(silent(app, is_open))
        await asyncio.wait_for(is_open.wait(), PATIENCE)
        for at in range(MAX_UNREAD_NEWS + 2):
            typed = {"path": "new.rules", "tab": "other", "text": None}
            assert await asyncio.wait_for(posted(app, "/api/file/draft", typed), PATIENCE) == 200, at
        await asyncio.wait_for(tab, PATIENCE)

    asyncio.run(play())
