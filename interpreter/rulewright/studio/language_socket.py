"""Proxy between the WebSocket of a tab and its own language server process."""

import asyncio
import json
import re

from starlette.websockets import WebSocket, WebSocketDisconnect

from rulewright.studio.command_runner import ProcessCommandRunner, StandbyProcess
from rulewright.studio.language_messages import UriMapper, parse_editor_message, translate_message
from rulewright.studio.work_folder import WorkFolder

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
