"""The server of the workbench: its pages and answers, bound to this machine."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from rulewright.studio import (
    compare_pane,
    files_api,
    language,
    odds_pane,
    play_pane,
    rules_pane,
    scenarios_pane,
    start_pane,
)
from rulewright.studio.folder import Folder
from rulewright.studio.gate import LARGEST, Gate, Problem
from rulewright.studio.standby import Standby
from rulewright.studio.workbench import Workbench, answer

STATIC = Path(__file__).with_name("static")
_SHOWN = ("index.html", "workbench.js", "workbench.css", "licences.txt")
_FAULT = "this is a fault of rulewright itself, not of your rules; the terminal that runs the workbench shows where"


class _Line(WebSocketsSansIOProtocol):
    """The line of a tab."""

    def handle_ping(self) -> None:
        """Answers a ping, unless the other end has left so much unread that the answer would wait in memory."""
        answered = self.conn.data_to_send()
        if self.writable.is_set():
            self.transport.write(b"".join(answered))


def application(workbench: Workbench) -> Starlette:
    """All that the browser may ask; who may ask is up to the gate."""

    async def speak(socket: WebSocket) -> None:
        await language.serve(socket, workbench.folder, workbench.standby)

    @asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        workbench.standby.warm()
        ahead = asyncio.create_task(rules_pane.look_ahead(workbench))
        yield
        ahead.cancel()
        await workbench.standby.close()

    panes = (rules_pane, play_pane, scenarios_pane, compare_pane, odds_pane, start_pane)
    routes: list[BaseRoute] = [
        Route("/", _page),
        Route("/static/{name}", _static),
        WebSocketRoute("/api/language", speak),
        *files_api.routes(workbench),
        *(route for pane in panes for route in pane.routes(workbench)),
    ]
    return Starlette(
        routes=routes,
        lifespan=living,
        exception_handlers={Problem: _problem, HTTPException: _no_such, Exception: _fault},
    )


async def _page(request: Request) -> Response:
    del request
    return _file("index.html")


async def _static(request: Request) -> Response:
    return _file(request.path_params["name"])


def _file(name: str) -> Response:
    if name not in _SHOWN:
        raise HTTPException(404)
    return FileResponse(STATIC / name)


async def _problem(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)
    return answer({"problem": problem.words, **problem.more}, problem.status)


async def _no_such(_: Request, found: Exception) -> Response:
    assert isinstance(found, HTTPException)
    return answer({"problem": "there is no such page of the workbench"}, found.status_code)


async def _fault(_: Request, fault: Exception) -> Response:
    del fault
    return answer({"problem": _FAULT}, 500)


def bound(port: int) -> socket.socket:
    """A place for a server of this machine alone; `port` 0 takes a free one.

    Raises:
        OSError: the port is not free.
    """
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(("127.0.0.1", port))
        made.listen(128)
    except OSError:
        made.close()
        raise
    return made


def serve(folder: Path, place: socket.socket, waiting: Sequence[str], begun: Callable[[str], None]) -> None:
    """Serves the workbench of a folder until it is interrupted.

    Args:
        folder: what is worked in.
        place: where to listen; it is bound.
        waiting: starts a process that carries out command lines.
        begun: is told the address to open, as soon as somebody may open it.
    """
    opened = Folder(folder)
    workbench = Workbench.of(opened, Standby(waiting, opened.path))
    gate = Gate(application(workbench), place.getsockname()[1])
    config = uvicorn.Config(
        gate,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="on",
        ws=_Line,
        ws_max_size=LARGEST,
        ws_ping_interval=None,  # a tab on this machine that is gone has closed its socket
        timeout_graceful_shutdown=1,
    )
    begun(gate.address)
    uvicorn.Server(config).run(sockets=[place])
