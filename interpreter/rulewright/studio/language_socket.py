"""Proxy between the WebSocket of a tab and its own language server process; translates URIs."""

import asyncio
import json
import re
from typing import Any
from urllib.parse import quote, unquote

from starlette.websockets import WebSocket, WebSocketDisconnect

from rulewright.studio.command_runner import CommandRunner, StandbyProcess
from rulewright.studio.request_gate import RequestProblem
from rulewright.studio.work_folder import WorkFolder, shorten_paths

MAX_MESSAGE_CHARS = 16_000_000
"""Limit of the characters of a message."""

_CONTENT_LENGTH_PATTERN = re.compile(rb"(?i)^content-length:[ \t]*(\d+)", re.MULTILINE)
_CLOSE_NOT_UNDERSTOOD, _CLOSE_TOO_LARGE, _CLOSE_ENDED = 1007, 1009, 1011
"""Close codes of the WebSocket."""

_REQUEST_FAILED_CODE = -32803
"""RequestFailed of the Language Server Protocol."""
_NOT_IN_FOLDER = "this file is not in the folder"
_SHIPPED_URI = "file:///shipped"
"""URI of every file outside the folder, such as shipped rules; the browser cannot open it."""
_LIST_MEMBER_KEY = "[]"
"""Key of list members in the translation."""
_URI_KEYS = frozenset({"uri", "rootUri", "baseUri", "oldUri", "newUri", "targetUri"})
_TEXT_KEYS = frozenset({"message", "title", "detail", "value"})
"""Keys of messages for people, which may hold paths of this machine."""


class UriMapper:
    """Translation of URIs between browser and language server.

    The browser sees `file:///NAME` for the folder, and nothing of the machine around it.
    """

    def __init__(self, folder: WorkFolder) -> None:
        self.root = f"file:///{quote(folder.path.name or 'rules', safe='')}"
        self._folder = folder
        self._real = folder.path.as_uri()

    def to_server_uri(self, uri: str) -> str:
        """URI for the language server; raises `RequestProblem` for a file outside the folder."""
        if uri == self.root:
            return self._real
        path = unquote(uri.removeprefix(f"{self.root}/"), errors="strict")
        if not uri.startswith(f"{self.root}/"):
            raise RequestProblem(400, _NOT_IN_FOLDER)
        return f"{self._real}/{quote(self._folder.normalize_place(path))}"

    def to_browser_uri(self, uri: str) -> str:
        """URI for the browser; `_SHIPPED_URI` for any file outside the folder."""
        is_ours = uri == self._real or uri.startswith(f"{self._real}/")
        return uri.replace(self._real, self.root, 1) if is_ours else _SHIPPED_URI

    def hide_paths(self, words: str) -> str:
        """Text with paths relative to the folder."""
        return shorten_paths(self._folder.path, words)


def translate_message(message: Any, names: UriMapper, *, inward: bool) -> Any:  # of JSON
    """A message with translated URIs; texts of files are unchanged.

    Raises:
        RequestProblem: a file is outside the folder.
    """
    match message:
        case [int(), *_]:
            return message
        case list():
            return [_translate_value(_LIST_MEMBER_KEY, item, names, inward=inward) for item in message]
        case dict():
            return {
                _translate_key(name, names, inward=inward): _translate_value(name, item, names, inward=inward)
                for name, item in message.items()
            }
        case _:
            return message


def _translate_key(name: str, names: UriMapper, *, inward: bool) -> str:
    if not name.startswith("file:"):
        return name
    return names.to_server_uri(name) if inward else names.to_browser_uri(name)


def _translate_value(name: str, value: Any, names: UriMapper, *, inward: bool) -> Any:  # of JSON
    if not isinstance(value, str):
        return translate_message(value, names, inward=inward)
    if name in _URI_KEYS or (name == _LIST_MEMBER_KEY and value.startswith("file:")):
        return names.to_server_uri(value) if inward else names.to_browser_uri(value)
    return value if inward or name not in _TEXT_KEYS else names.hide_paths(value)


async def serve_language_socket(socket: WebSocket, folder: WorkFolder, standby: CommandRunner) -> None:
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
        dialog.kill_process()


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
            message = json.loads(text)
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                return _CLOSE_NOT_UNDERSTOOD
            translated = translate_message(message, names, inward=True)
        except RequestProblem as problem:
            if "id" in message:
                error = {"code": _REQUEST_FAILED_CODE, "message": problem.message}
                await socket.send_json({"jsonrpc": "2.0", "id": message["id"], "error": error})
            continue
        except (ValueError, RecursionError):
            return _CLOSE_NOT_UNDERSTOOD
        if isinstance(translated.get("params"), dict):
            translated["params"].pop("processId", None)
            translated["params"].pop("rootPath", None)
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
