"""Access control: only a browser with the token, from a page of this workbench, on this machine."""

import json
import secrets
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import PurePath
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rulewright.studio.request_table import RequestProblem

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
