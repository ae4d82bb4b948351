"""The HTTP server of the workbench, bound to this machine: its pages, the requests of panes as routes, who is let in, sockets.

Only a browser with the token gets in, from a page of this workbench, on this machine. A socket of a tab leads to a language
server of its own.
"""

import asyncio
import json
import re
import secrets
import socket
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from rulewright.studio import rules_pane
from rulewright.studio.command_runner import ProcessCommandRunner, StandbyProcess
from rulewright.studio.files_api import FilesApi, TabNews
from rulewright.studio.language_messages import UriMapper, parse_editor_message, translate_message
from rulewright.studio.pane_requests import make_request_table
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
        await serve_language_socket(socket, workbench.folder, workbench.runner)

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
            asyncio.ensure_future(one)
            for one in (_send_news(socket, news), _wait_for_disconnect(socket), news.is_overrun.wait())
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


MAX_MESSAGE_CHARS = 16_000_000
"""Limit of the characters of a message."""

_CONTENT_LENGTH_PATTERN = re.compile(rb"(?i)^content-length:[ \t]*(\d+)", re.MULTILINE)
_CLOSE_NOT_UNDERSTOOD, _CLOSE_TOO_LARGE, _CLOSE_ENDED = 1007, 1009, 1011
"""Close codes of the WebSocket."""


async def serve_language_socket(socket: WebSocket, folder: WorkFolder, standby: ProcessCommandRunner) -> None:
    """Serve one tab until it disconnects or its language server ends."""
    await socket.accept()
    names = UriMapper(folder)
    dialog = await standby.start_dialog("lsp", [])
    process = dialog.process
    tasks = [
        asyncio.ensure_future(_forward_to_server(socket, process, names)),
        asyncio.ensure_future(_forward_to_browser(socket, process, names)),
        asyncio.ensure_future(_drain_stderr(process)),
    ]
    try:
        done, _ = await asyncio.wait(tasks[:2], return_when=asyncio.FIRST_COMPLETED)
        code = next((item.result() for item in done), 0)
        if code:
            await socket.close(code)
    except (WebSocketDisconnect, RuntimeError, OSError):  # disconnected
        pass
    finally:
        for task in tasks:
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # disconnected, so no reply
            task.cancel()
        dialog.end()


async def _forward_to_server(socket: WebSocket, process: StandbyProcess, names: UriMapper) -> int:
    """Forward messages of the tab; returns a close code for unacceptable ones, None after a disconnect."""
    while True:
        received = await socket.receive()
        if received["type"] == "websocket.disconnect":
            return 0
        text = received.get("text") or ""
        if len(text) > MAX_MESSAGE_CHARS:
            return _CLOSE_TOO_LARGE
        try:
            translated, refusal = parse_editor_message(text, names)
        except (ValueError, RecursionError):
            return _CLOSE_NOT_UNDERSTOOD
        if refusal is not None:
            await socket.send_json(refusal)
        if translated is None:
            continue
        content = json.dumps(translated).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))
        await process.stdin.drain()


async def _forward_to_browser(socket: WebSocket, process: StandbyProcess, names: UriMapper) -> int:
    while True:
        try:
            heads = await process.stdout.readuntil(b"\r\n\r\n")
            length = _CONTENT_LENGTH_PATTERN.search(heads)
            content = await process.stdout.readexactly(int(length[1]) if length else 0)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return _CLOSE_ENDED
        translated = translate_message(json.loads(content), names, inward=False)
        await socket.send_text(json.dumps(translated, ensure_ascii=False))


async def _drain_stderr(process: StandbyProcess) -> None:
    """Read the error stream, so that the process never blocks on it."""
    while await process.stderr.read(1 << 16):
        pass


MAX_BODY_BYTES = 16_000_000
"""Limit of the bytes of a request body."""

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Only resources of this server, and no inline script."""
_HEADERS = (
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_OPEN_ADDRESS_HINT = "open the address that `rulewright studio` printed; it lets one browser in"
_FOREIGN_REQUEST = "this request did not come from the workbench"
_TOO_LARGE_MESSAGE = "this is more than the workbench can take at once"


@dataclass(frozen=True, slots=True)
class RequestGate:
    """ASGI middleware that checks requests and adds security headers.

    A request passes if its host is this machine, its origin is no other page, and it has the cookie that the token of the
    first URL was exchanged for. A request that changes something also needs a header that only our pages send.
    """

    app: ASGIApp
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def address(self) -> str:
        """URL to open first, with the token."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or reply why not."""
        if scope["type"] not in {"http", "websocket"}:
            await self.app(scope, receive, send)
            return
        refusal = self._refusal_reason(scope)
        if scope["type"] == "websocket":
            if refusal:
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self._answer_guarded(scope, receive, send)
            return
        if refusal:
            await _send_problem(send, 403, refusal)
        elif self._has_token(scope):
            await self._redirect_with_cookie(send)
        elif not self._has_cookie(scope):
            await _send_problem(send, 403, _OPEN_ADDRESS_HINT)
        elif _content_length(scope) > MAX_BODY_BYTES:
            await _send_problem(send, 413, _TOO_LARGE_MESSAGE)
        else:
            await self._answer_guarded(scope, _limit_body(receive), _add_headers(send))

    async def _answer_guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; an internal error is reported on the terminal in a line."""
        try:
            await self.app(scope, receive, send)
        except ClientDisconnect:  # disconnected within the body
            return
        except Exception as fault:  # noqa: BLE001 - the last resort, so that nobody meets a traceback
            last = traceback.extract_tb(fault.__traceback__)[-1]
            where = f"{type(fault).__name__} in {PurePath(last.filename).name}:{last.lineno}"
            sys.stderr.write(
                f"error: this is a fault of rulewright itself, not of your rules; please report: {where}\n"
            )

    def _refusal_reason(self, scope: Scope) -> str:
        """Reason to refuse a request, or empty."""
        heads = _collect_headers(scope)
        hosts = {f"{host}:{self.port}" for host in ("127.0.0.1", "localhost")}
        origins = {f"http://{host}" for host in hosts}
        talks = scope["type"] == "websocket"
        if _single_header(heads, b"host") not in hosts:
            return _FOREIGN_REQUEST
        origin = _single_header(heads, b"origin")
        if origin not in origins and (origin or talks):
            return _FOREIGN_REQUEST
        if _single_header(heads, b"sec-fetch-site") not in {"", "same-origin", "none"}:
            return _FOREIGN_REQUEST
        if talks:
            return "" if self._has_cookie(scope) else _OPEN_ADDRESS_HINT
        if scope["method"] not in {"GET", "HEAD"} and (
            not _single_header(heads, b"x-rulewright")
            or _single_header(heads, b"content-type").partition(";")[0] != "application/json"
        ):
            return _FOREIGN_REQUEST
        return ""

    def _has_token(self, scope: Scope) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        is_first = scope["path"] == "/" and scope["method"] == "GET"
        return is_first and secrets.compare_digest(given[0].encode(), self.token.encode())

    def _has_cookie(self, scope: Scope) -> bool:
        try:
            cookies: SimpleCookie = SimpleCookie(_single_header(_collect_headers(scope), b"cookie"))
        except CookieError:
            return False
        morsel = cookies.get(self._cookie_name)
        return morsel is not None and secrets.compare_digest(morsel.value.encode(), self.token.encode())

    @property
    def _cookie_name(self) -> str:
        return f"rulewright-{self.port}"

    async def _redirect_with_cookie(self, send: Send) -> None:
        cookie = f"{self._cookie_name}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        heads = [*_HEADERS, (b"location", b"/"), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 303, "headers": heads})
        await send({"type": "http.response.body", "body": b""})


def _collect_headers(scope: Scope) -> Mapping[bytes, list[str]]:
    result: dict[bytes, list[str]] = {}
    for name, value in scope["headers"]:
        result.setdefault(name.lower(), []).append(value.decode("latin-1"))
    return result


def _single_header(heads: Mapping[bytes, list[str]], name: bytes) -> str:
    """A header value; if the header is repeated, a value that equals none."""
    items = heads.get(name, [""])
    return items[0] if len(items) == 1 else "\n"


def _content_length(scope: Scope) -> int:
    length = _single_header(_collect_headers(scope), b"content-length")
    return int(length) if length.isascii() and length.isdecimal() else 0


def _limit_body(receive: Receive) -> Receive:
    """`receive` with a limit of the body."""
    taken = 0

    async def receive_limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BODY_BYTES:
            raise RequestProblem(413, _TOO_LARGE_MESSAGE)
        return message

    return receive_limited


def _add_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message["headers"]}
            heads = [*message["headers"], *(header for header in _HEADERS if header[0] not in own)]
            message = {**message, "headers": heads}
        await send(message)

    return send_with_headers


async def _send_problem(send: Send, status: int, words: str) -> None:
    body = json.dumps({"problem": words}).encode()
    heads = [*_HEADERS, (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": heads})
    await send({"type": "http.response.body", "body": body})
