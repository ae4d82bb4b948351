"""A workbench on a folder of a test, and a browser that was let in."""

import asyncio
import atexit
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient, WebSocketTestSession

from rulewright.studio.command_runner import ProcessCommandRunner, ProcessForker
from rulewright.studio.server import RequestGate, make_application
from rulewright.studio.work_folder import WorkFolder
from rulewright.studio.workbench import Workbench

PORT = 4321
BASE = f"http://127.0.0.1:{PORT}"
OURS = {"X-Rulewright": "1", "Origin": BASE}
TOKEN = "the-token-of-this-test"  # noqa: S105 - of a test
WAITING = (sys.executable, "-m", "rulewright.cli.standby_process")


class SharedForker(ProcessForker):
    """Forks for one workbench from the preloaded process that all workbenches of these tests share."""

    first = ProcessForker(WAITING)

    def start_ahead(self) -> None:
        self.first.start_ahead()
        self._asked = self.first._asked  # noqa: SLF001 - the same socket


@atexit.register
def _end_preloaded_process() -> None:
    asyncio.run(SharedForker.first.close())


def make_gate(folder: Path, kept: Path) -> RequestGate:
    """The workbench of a folder, whose drafts are kept at another."""
    opened = WorkFolder(folder)
    runner = ProcessCommandRunner(WAITING, opened.path)
    if ProcessForker.is_possible:
        runner._processes = SharedForker(WAITING)  # noqa: SLF001 - to be preloaded takes seconds
    return RequestGate(make_application(Workbench.for_folder(opened, runner, kept)), PORT, TOKEN)


def open_socket(client: TestClient, path: str, heads: Mapping[str, str | bytes] = {}) -> WebSocketTestSession:
    """A socket of a browser; `heads` are sent besides."""
    return client.websocket_connect(f"ws://127.0.0.1:{PORT}{path}", headers={**OURS, **heads})


@contextmanager
def open_browser(folder: Path, kept: Path, *, is_let_in: bool = True) -> Iterator[TestClient]:
    """A browser that has opened the workbench of a folder; `is_let_in` by its first address."""
    with TestClient(make_gate(folder, kept), BASE, headers=OURS, follow_redirects=False) as client:
        if is_let_in:
            assert client.get(f"/?token={TOKEN}").status_code == 303
        yield client
