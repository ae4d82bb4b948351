"""A server that hears what a client says and asks, and answers."""

import asyncio
import gc
import logging
import os
import sys
import traceback
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from rulewright.editor.language_server.client_session import ClientSession
from rulewright.editor.language_server.document_requests import REQUEST_HANDLERS, DocumentRequests

_INTERNAL_ERROR_CODE = -32603
"""The code of the protocol for a fault."""

_CANCEL_WINDOW_S = 0.001
"""For how many seconds a request waits for what the client says next."""

_REFRESH_NOTIFICATIONS = (
    lsp.TEXT_DOCUMENT_DID_SAVE,
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
)


class _TolerantProtocol(LanguageServerProtocol):
    """The protocol, in which a request of another form than it says is refused in words, and answered all the same."""

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Callable[..., Any],
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """As ever, but nothing is kept of what was heard: pygls keeps 2 kB of each change of a text for ever."""

        def forget_and_call(future: Any) -> None:  # of either kind
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, forget_and_call, args, kwargs)

    def structure_message(self, data: dict[str, Any]) -> Any:  # any message
        """A message from what was read."""
        method, id_ = data.get("method"), data.get("id")
        if method == lsp.TEXT_DOCUMENT_FORMATTING and isinstance(data.get("params"), dict):
            data["params"]["options"] = {"tabSize": 2, "insertSpaces": True}  # rules are laid out in one way
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if isinstance(method, str) and isinstance(id_, int | str):
                told = f"this request has another form than the protocol says: {method}"
                refused = JsonRpcInvalidParams(told)
                self._send_response(id_, error=refused.to_response_error())
                raise refused from None
            raise


class _QuietServer(LanguageServer):
    """A server that tells what it does not understand in the words of its log, and bothers nobody with it."""

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Logs that a message was left aside; whoever asks is answered elsewhere."""
        if source is not FeatureRequestError and not isinstance(error, JsonRpcInvalidParams):
            said = "a message of the editor has another form than the protocol says, and was left aside"
            said = said if isinstance(error, JsonRpcException | ValueError) else _format_fault(error)
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, said))


def make_language_server() -> LanguageServer:
    """A server that knows nothing yet; texts come whole, so that only one side takes them apart."""
    kind = lsp.TextDocumentSyncKind.Full
    server = _QuietServer(
        "rulewright", version("rulewright"), kind, protocol_cls=_TolerantProtocol, converter_factory=default_converter
    )
    session = ClientSession(server)

    def register_notification(name: str, what: Callable[[Any], None]) -> None:
        def handle_notification(params: Any) -> None:  # of its notification
            try:
                what(params)
            except Exception as fault:  # noqa: BLE001 - the session goes on
                server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, _format_fault(fault)))

        server.feature(name)(handle_notification)

    for name, (answer, options) in REQUEST_HANDLERS.items():
        server.feature(name, options)(_make_request_handler(session, answer))
    register_notification(lsp.INITIALIZE, session.handle_initialize)
    for name in (lsp.TEXT_DOCUMENT_DID_OPEN, lsp.TEXT_DOCUMENT_DID_CHANGE):
        register_notification(name, lambda params: session.handle_change(params.text_document.uri))
    register_notification(lsp.TEXT_DOCUMENT_DID_CLOSE, lambda params: session.handle_close(params.text_document.uri))
    for name in _REFRESH_NOTIFICATIONS:
        register_notification(name, lambda _: session.handle_refresh())
    return server


def _make_request_handler(
    session: ClientSession, answer: Callable[[DocumentRequests, Any], Any]
) -> Callable[[Any], Any]:
    """Answers a request once what was said before it is heard, so that one that is cancelled at once costs nothing."""

    async def handle_request(params: Any) -> Any:  # of its request
        await asyncio.sleep(_CANCEL_WINDOW_S)
        try:
            return answer(DocumentRequests(session, params.text_document.uri), params)
        except JsonRpcException:
            raise
        except Exception as fault:
            raise JsonRpcException(_format_fault(fault), _INTERNAL_ERROR_CODE) from fault

    return handle_request


def _format_fault(fault: Exception) -> str:
    """What is said of a fault of this program."""
    last = traceback.extract_tb(fault.__traceback__)[-1]
    where = f"{type(fault).__name__} in {os.path.basename(last.filename)}:{last.lineno}"  # noqa: PTH119
    return f"this is a fault of rulewright itself, not of your rules; please report it: {where}"


def serve_language() -> None:
    """Serves one client through the standard streams until it ends, or is gone.

    What else writes to the standard output goes where faults go, for the client would take it for an answer.
    """
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)  # faults are told the client
    heard = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    said = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr
    server = make_language_server()
    gc.freeze()  # what stands by now stays
    server.start_io(heard, said)
