"""The HTTP server of the workbench: its pages, and the requests of panes as routes, bound to this machine."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from rulewright.studio import language_socket, rules_pane
from rulewright.studio.command_runner import ProcessCommandRunner
from rulewright.studio.files_api import FilesApi, TabNews
from rulewright.studio.pane_requests import make_request_table
from rulewright.studio.request_gate import MAX_BODY_BYTES, RequestGate
from rulewright.studio.request_table import NO_SUCH_REQUEST_MESSAGE, PaneRequest, RequestProblem, RequestTable
from rulewright.studio.work_folder import WorkFolder
from rulewright.studio.workbench import Workbench

STATIC_FOLDER = Path(__file__).with_name("static")
_STATIC_FILES = ("index.html", "workbench.js", "workbench.css", "licences.txt")
_FAULT_MESSAGE = (
    "this is a fault of rulewright itself, not of your rules; the terminal that runs the workbench shows where"
)


class _TabProtocol(WebSocketsSansIOProtocol):
    """WebSocket of a tab."""

    def handle_ping(self) -> None:
        """Answer a ping, unless the peer leaves so much unread that answers would pile up in memory."""
        answered = self.conn.data_to_send()
        if self.writable.is_set():
            self.transport.write(b"".join(answered))


def make_application(workbench: Workbench) -> Starlette:
    """The application without access control, which `RequestGate` adds."""

    async def serve_language_tab(socket: WebSocket) -> None:
        assert isinstance(workbench.runner, ProcessCommandRunner)
        await language_socket.serve_language_socket(socket, workbench.folder, workbench.runner)

    @asynccontextmanager
    async def run_lifespan(_: Starlette) -> AsyncIterator[None]:
        workbench.runner.start_ahead()
        ahead = asyncio.create_task(rules_pane.prepare_chapters(workbench))
        yield
        ahead.cancel()
        await workbench.runner.close()

    async def serve_watching_tab(socket: WebSocket) -> None:
        await _serve_news(socket, files)

    files = FilesApi(workbench)
    table = make_request_table(files, workbench)
    routes: list[BaseRoute] = [
        Route("/", _serve_page),
        Route("/static/{name}", _serve_static),
        WebSocketRoute("/api/language", serve_language_tab),
        WebSocketRoute("/api/watch", serve_watching_tab),
        *(_make_route(table, request) for request in table.list_requests()),
    ]
    return Starlette(
        routes=routes,
        lifespan=run_lifespan,
        exception_handlers={
            RequestProblem: _answer_problem,
            HTTPException: _answer_missing_page,
            Exception: _answer_fault,
        },
    )


@dataclass(frozen=True, slots=True)
class _Browser:
    """Who asks by HTTP."""

    request: Request

    async def is_gone(self) -> bool:
        return await self.request.is_disconnected()


def _make_route(table: RequestTable, pane_request: PaneRequest) -> Route:
    """The route of a request; one that only reads may be asked by its address, too."""

    async def answer_http(request: Request) -> Response:
        given: object = dict(request.query_params)
        if request.method == "POST":
            try:
                given = json.loads(await request.body())
            except (ValueError, RecursionError):
                given = None
        return _json_response(await table.answer(pane_request.name, given, _Browser(request)))

    methods = ["GET", "POST"] if pane_request.is_read else ["POST"]
    return Route(f"/api/{pane_request.name}", answer_http, methods=methods)


def _json_response(data: Any, status: int = 200) -> Response:  # whatever JSON can hold
    return Response(json.dumps(data, ensure_ascii=False), status, media_type="application/json")


async def _serve_news(socket: WebSocket, files: FilesApi) -> None:
    """Send changes to a tab until it disconnects.

    A tab that leaves too much unread is disconnected; it reads everything again when it reconnects.
    """
    async with files.watch_changes(socket.query_params.get("tab", "")) as news:
        await socket.accept()
        tasks = [
            asyncio.ensure_future(coroutine)
            for coroutine in (_send_news(socket, news), _wait_for_disconnect(socket), news.is_overrun.wait())
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()


async def _send_news(socket: WebSocket, news: TabNews) -> None:
    with suppress(WebSocketDisconnect, RuntimeError, OSError):  # disconnected meanwhile
        while True:
            await socket.send_json(await news.take_item())


async def _wait_for_disconnect(socket: WebSocket) -> None:
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass


async def _serve_page(request: Request) -> Response:
    del request
    return _static_response("index.html")


async def _serve_static(request: Request) -> Response:
    return _static_response(request.path_params["name"])


def _static_response(name: str) -> Response:
    if name not in _STATIC_FILES:
        raise HTTPException(404)
    return FileResponse(STATIC_FOLDER / name)


async def _answer_problem(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestProblem)
    return _json_response({"problem": problem.message, **problem.more}, problem.status)


async def _answer_missing_page(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _json_response({"problem": NO_SUCH_REQUEST_MESSAGE}, error.status_code)


async def _answer_fault(_: Request, fault: Exception) -> Response:
    del fault
    return _json_response({"problem": _FAULT_MESSAGE}, 500)


def bind_socket(port: int) -> socket.socket:
    """A listening socket on the loopback interface; `port` 0 takes a free one.

    Raises:
        OSError: the port is not free.
    """
    server_socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server_socket.bind(("127.0.0.1", port))
        server_socket.listen(128)
    except OSError:
        server_socket.close()
        raise
    return server_socket


def serve_workbench(folder: Path, place: socket.socket, waiting: Sequence[str], begun: Callable[[str], None]) -> None:
    """Serve the workbench of a folder until it is interrupted.

    Args:
        folder: the working folder.
        place: a listening socket.
        waiting: command line of a standby process.
        begun: called with the URL to open, when it can be opened.
    """
    opened = WorkFolder(folder)
    workbench = Workbench.for_folder(opened, ProcessCommandRunner(waiting, opened.path))
    gate = RequestGate(make_application(workbench), place.getsockname()[1])
    config = uvicorn.Config(
        gate,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="on",
        ws=_TabProtocol,
        ws_max_size=MAX_BODY_BYTES,
        ws_ping_interval=None,  # a local tab closes its socket
        timeout_graceful_shutdown=1,
    )
    begun(gate.address)
    uvicorn.Server(config).run(sockets=[place])
