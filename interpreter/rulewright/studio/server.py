"""The HTTP server of the workbench: its pages and endpoints, bound to this machine."""

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
    language_socket,
    play_pane,
    rules_pane,
    scenario_panes,
)
from rulewright.studio.command_runner import CommandRunner
from rulewright.studio.request_gate import MAX_BODY_BYTES, RequestGate, RequestProblem
from rulewright.studio.work_folder import WorkFolder
from rulewright.studio.workbench import Workbench, json_response

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
        await language_socket.serve_language_socket(socket, workbench.folder, workbench.runner)

    @asynccontextmanager
    async def run_lifespan(_: Starlette) -> AsyncIterator[None]:
        workbench.runner.start_ahead()
        ahead = asyncio.create_task(rules_pane.prepare_chapters(workbench))
        yield
        ahead.cancel()
        await workbench.runner.close()

    panes = (rules_pane, play_pane, scenario_panes, compare_pane)
    routes: list[BaseRoute] = [
        Route("/", _serve_page),
        Route("/static/{name}", _serve_static),
        WebSocketRoute("/api/language", serve_language_tab),
        *files_api.file_routes(workbench),
        *files_api.start_routes(workbench),
        *(route for pane in panes for route in pane.routes(workbench)),
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
    return json_response({"problem": problem.message, **problem.more}, problem.status)


async def _answer_missing_page(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return json_response({"problem": "there is no such page of the workbench"}, error.status_code)


async def _answer_fault(_: Request, fault: Exception) -> Response:
    del fault
    return json_response({"problem": _FAULT_MESSAGE}, 500)


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
    workbench = Workbench.for_folder(opened, CommandRunner(waiting, opened.path))
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
