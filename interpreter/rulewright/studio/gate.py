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

LARGEST = 16_000_000
"""How many bytes the body of a question may have."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a page of the workbench may load: what comes from this server, and nothing written into it."""
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_OPEN = "open the address that `rulewright studio` printed; it lets one browser in"
_ELSEWHERE = "this request did not come from the workbench"
_LARGE = "this is more than the workbench can take at once"


class Problem(Exception):  # noqa: N818 - words for a designer
    """Something cannot be done."""

    def __init__(self, status: int, words: str, **more: Any) -> None:  # whatever JSON can hold
        super().__init__(words)
        self.status = status  # the status of the answer
        self.words = words  # why, in a clause
        self.more = more  # what the browser needs beside the words


@dataclass(frozen=True, slots=True)
class Gate:
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
        refusal = self._refusal(scope)
        if scope["type"] == "websocket":
            if refusal:
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self._answered(scope, receive, send)
            return
        if refusal:
            await _say(send, 403, refusal)
        elif self._is_token(scope):
            await self._let_in(send)
        elif not self._is_known(scope):
            await _say(send, 403, _OPEN)
        elif _length(scope) > LARGEST:
            await _say(send, 413, _LARGE)
        else:
            await self._answered(scope, _bounded(receive), _with_headers(send))

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> None:
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

    def _refusal(self, scope: Scope) -> str:
        """Why something is not to be answered whoever asks; empty if it may be."""
        heads = _heads(scope)
        hosts = {f"{host}:{self.port}" for host in ("127.0.0.1", "localhost")}
        origins = {f"http://{host}" for host in hosts}
        talks = scope["type"] == "websocket"
        if _one(heads, b"host") not in hosts:
            return _ELSEWHERE
        origin = _one(heads, b"origin")
        if origin not in origins and (origin or talks):
            return _ELSEWHERE
        if _one(heads, b"sec-fetch-site") not in {"", "same-origin", "none"}:
            return _ELSEWHERE
        if talks:
            return "" if self._is_known(scope) else _OPEN
        if scope["method"] not in {"GET", "HEAD"} and (
            not _one(heads, b"x-rulewright") or _one(heads, b"content-type").partition(";")[0] != "application/json"
        ):
            return _ELSEWHERE
        return ""

    def _is_token(self, scope: Scope) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        is_first = scope["path"] == "/" and scope["method"] == "GET"
        return is_first and secrets.compare_digest(given[0].encode(), self.token.encode())

    def _is_known(self, scope: Scope) -> bool:
        try:
            cookies: SimpleCookie = SimpleCookie(_one(_heads(scope), b"cookie"))
        except CookieError:
            return False
        found = cookies.get(self._cookie)
        return found is not None and secrets.compare_digest(found.value.encode(), self.token.encode())

    @property
    def _cookie(self) -> str:
        return f"rulewright-{self.port}"

    async def _let_in(self, send: Send) -> None:
        cookie = f"{self._cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        heads = [*_HEADERS, (b"location", b"/"), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 303, "headers": heads})
        await send({"type": "http.response.body", "body": b""})


def _heads(scope: Scope) -> Mapping[bytes, list[str]]:
    found: dict[bytes, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.lower(), []).append(value.decode("latin-1"))
    return found


def _one(heads: Mapping[bytes, list[str]], name: bytes) -> str:
    """The value of a header that may stand once; one that nothing equals where it stands more often."""
    found = heads.get(name, [""])
    return found[0] if len(found) == 1 else "\n"


def _length(scope: Scope) -> int:
    said = _one(_heads(scope), b"content-length")
    return int(said) if said.isascii() and said.isdecimal() else 0


def _bounded(receive: Receive) -> Receive:
    """What is received, as long as it is not too much."""
    taken = 0

    async def received() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > LARGEST:
            raise Problem(413, _LARGE)
        return message

    return received


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message["headers"]}
            heads = [*message["headers"], *(each for each in _HEADERS if each[0] not in own)]
            message = {**message, "headers": heads}
        await send(message)

    return sent


async def _say(send: Send, status: int, words: str) -> None:
    body = json.dumps({"problem": words}).encode()
    heads = [*_HEADERS, (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": heads})
    await send({"type": "http.response.body", "body": body})
