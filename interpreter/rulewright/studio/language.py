"""The language server of one tab: messages of its socket go to a process of its own, and back."""

import asyncio
import json
import re
from typing import Any
from urllib.parse import quote, unquote

from starlette.websockets import WebSocket, WebSocketDisconnect

from rulewright.studio.folder import Folder, named_from
from rulewright.studio.gate import Problem
from rulewright.studio.processes import Process
from rulewright.studio.standby import Standby

LARGEST = 16_000_000
"""How many characters a message may have."""

_LENGTH = re.compile(rb"(?i)^content-length:[ \t]*(\d+)", re.MULTILINE)
_NOT_UNDERSTOOD, _TOO_LARGE, _ENDED = 1007, 1009, 1011
"""With which codes a socket is closed."""

_REFUSED = -32803
"""The code of the protocol for a request that was understood and cannot be met."""
_ELSEWHERE = "this file is not in the folder"
_SHIPPED = "file:///shipped"
"""What stands for every file outside of the folder: shipped rules, which cannot be opened here."""
_LISTED = "[]"
"""What stands for the name of a member of a list."""
_URIS = frozenset({"uri", "rootUri", "baseUri", "oldUri", "newUri", "targetUri"})
_WORDS = frozenset({"message", "title", "detail", "value"})
"""Where words stand that may name a place of this machine."""


class Names:
    """What the browser calls the files of the folder, and what the language server calls them.

    The browser knows nothing of the machine around the folder: it gets `file:///NAME` for the folder.
    """

    def __init__(self, folder: Folder) -> None:
        self.root = f"file:///{quote(folder.path.name or 'rules', safe='')}"
        self._folder = folder
        self._real = folder.path.as_uri()

    def inward(self, uri: str) -> str:
        """What the language server calls a file; a `Problem` where it is none of the folder."""
        if uri == self.root:
            return self._real
        path = unquote(uri.removeprefix(f"{self.root}/"), errors="strict")
        if not uri.startswith(f"{self.root}/"):
            raise Problem(400, _ELSEWHERE)
        return f"{self._real}/{quote(self._folder.place(path))}"

    def outward(self, uri: str) -> str:
        """What the browser calls a file; those outside of the folder are all called the same."""
        is_ours = uri == self._real or uri.startswith(f"{self._real}/")
        return uri.replace(self._real, self.root, 1) if is_ours else _SHIPPED

    def told(self, words: str) -> str:
        """Words for the browser, in which files are named from the folder."""
        return named_from(self._folder.path, words)


def led(message: Any, names: Names, *, inward: bool) -> Any:  # of JSON
    """A message in which files are called as the other side calls them; texts of files stay as they are.

    Raises:
        Problem: it speaks of a file that is none of the folder.
    """
    match message:
        case [int(), *_]:
            return message
        case list():
            return [_value(_LISTED, each, names, inward=inward) for each in message]
        case dict():
            return {
                _key(name, names, inward=inward): _value(name, each, names, inward=inward)
                for name, each in message.items()
            }
        case _:
            return message


def _key(name: str, names: Names, *, inward: bool) -> str:
    if not name.startswith("file:"):
        return name
    return names.inward(name) if inward else names.outward(name)


def _value(name: str, value: Any, names: Names, *, inward: bool) -> Any:  # of JSON
    if not isinstance(value, str):
        return led(value, names, inward=inward)
    if name in _URIS or (name == _LISTED and value.startswith("file:")):
        return names.inward(value) if inward else names.outward(value)
    return value if inward or name not in _WORDS else names.told(value)


async def serve(socket: WebSocket, folder: Folder, standby: Standby) -> None:
    """Serves one tab until it goes away or its language server ends."""
    await socket.accept()
    names = Names(folder)
    talking = await standby.start("lsp", [])
    process = talking.process
    tasks = [
        asyncio.ensure_future(_inward(socket, process, names)),
        asyncio.ensure_future(_outward(socket, process, names)),
        asyncio.ensure_future(_drained(process)),
    ]
    try:
        done, _ = await asyncio.wait(tasks[:2], return_when=asyncio.FIRST_COMPLETED)
        code = next((each.result() for each in done), 0)
        if code:
            await socket.close(code)
    except (WebSocketDisconnect, RuntimeError, OSError):  # the tab is gone
        pass
    finally:
        for task in tasks:
            task.add_done_callback(
                lambda done: done.cancelled() or done.exception()
            )  # the tab is gone, and hears nothing
            task.cancel()
        talking.end()


async def _inward(socket: WebSocket, process: Process, names: Names) -> int:
    """What the tab says; ends with the code for what cannot be taken, or nothing where the tab is gone."""
    while True:
        received = await socket.receive()
        if received["type"] == "websocket.disconnect":
            return 0
        text = received.get("text") or ""
        if len(text) > LARGEST:
            return _TOO_LARGE
        try:
            message = json.loads(text)
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                return _NOT_UNDERSTOOD
            told = led(message, names, inward=True)
        except Problem as problem:
            if "id" in message:
                error = {"code": _REFUSED, "message": problem.words}
                await socket.send_json({"jsonrpc": "2.0", "id": message["id"], "error": error})
            continue
        except (ValueError, RecursionError):
            return _NOT_UNDERSTOOD
        if isinstance(told.get("params"), dict):
            told["params"].pop("processId", None)
            told["params"].pop("rootPath", None)
        content = json.dumps(told).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))
        await process.stdin.drain()


async def _outward(socket: WebSocket, process: Process, names: Names) -> int:
    while True:
        try:
            heads = await process.stdout.readuntil(b"\r\n\r\n")
            length = _LENGTH.search(heads)
            content = await process.stdout.readexactly(int(length[1]) if length else 0)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return _ENDED
        told = led(json.loads(content), names, inward=False)
        await socket.send_text(json.dumps(told, ensure_ascii=False))


async def _drained(process: Process) -> None:
    """Hears what the language server says to nobody, so that it is never kept waiting."""
    while await process.stderr.read(1 << 16):
        pass
