"""Who may ask: the browser that was given the token, from a page of this workbench, on this machine."""

import json
import secrets
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import PurePath
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 16_000_000
"""How many bytes the body of a question may have."""

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a page of the workbench may load: what comes from this server, and nothing written into it."""
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


class RequestProblem(Exception):  # noqa: N818 - words for a designer
    """Something cannot be done."""

    def __init__(self, status: int, words: str, **more: Any) -> None:  # whatever JSON can hold
        super().__init__(words)
        self.status = status  # the status of the answer
        self.message = words  # why, in a clause
        self.more = more  # what the browser needs beside the words


@dataclass(frozen=True, slots=True)
class RequestGate:
    """Lets through what the right browser asks, and gives every answer its headers.

    A question is let through if its address names this machine, no page from elsewhere asks it, and it has the cookie
    that the token in the first address was changed for. What changes something says that a page of ours sends it.
    """

    app: ASGIApp  # who answers
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def address(self) -> str:
        """The address to open first."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers, or says why not."""
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
        """Answers; a fault of ours is told here, in a line, and the browser has heard of it in words."""
        try:
            await self.app(scope, receive, send)
        except ClientDisconnect:  # who asked is gone, in the middle of the question
            return
        except Exception as fault:  # noqa: BLE001 - the last resort, so that nobody meets a traceback
            last = traceback.extract_tb(fault.__traceback__)[-1]
            where = f"{type(fault).__name__} in {PurePath(last.filename).name}:{last.lineno}"
            sys.stderr.write(
                f"error: this is a fault of rulewright itself, not of your rules; please report: {where}\n"
            )

    def _refusal_reason(self, scope: Scope) -> str:
        """Why something is not to be answered whoever asks; empty if it may be."""
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
    """The value of a header that may stand once; one that nothing equals where it stands more often."""
    items = heads.get(name, [""])
    return items[0] if len(items) == 1 else "\n"


def _content_length(scope: Scope) -> int:
    said = _single_header(_collect_headers(scope), b"content-length")
    return int(said) if said.isascii() and said.isdecimal() else 0


def _limit_body(receive: Receive) -> Receive:
    """What is received, as long as it is not too much."""
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
