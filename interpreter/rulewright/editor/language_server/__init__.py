"""The language server: handlers of document requests, and the protocol with its error handling.

Slow to import, so only the verb `lsp` and the standby process do.
"""

import asyncio
import gc
import logging
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from rulewright.base.diagnostics import Edit
from rulewright.base.diagnostics.remedies import describe_text_edits
from rulewright.documents.ruleset_location import RULES_SUFFIX
from rulewright.editor import data_files, navigation, project_file, text_decorations
from rulewright.editor.completion import propose_completions
from rulewright.editor.editor_workspace import OpenDocument, Workspace
from rulewright.editor.hover import explain_at, find_signature
from rulewright.editor.language_server import protocol_conversion
from rulewright.editor.language_server.client_session import ClientSession, find_problems
from rulewright.editor.language_server.protocol_conversion import LineIndex
from rulewright.editor.refactoring import RenameRefusal, list_fixes, list_safe_fixes, make_case_table_edit
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX

_REQUEST_FAILED_CODE = -32803
"""LSP error code RequestFailed."""


class DocumentRequests:
    """Handlers of requests about one open text."""

    def __init__(self, session: ClientSession, uri: str) -> None:
        self._session = session
        self._uri = uri
        self._workspace, self._place, self._lines = session.find_open_document(uri) or (
            Workspace(),
            "",
            LineIndex("", 2),
        )

    @property
    def _is_rules(self) -> bool:
        return self._place.endswith(RULES_SUFFIX)

    @property
    def _is_project(self) -> bool:
        return project_file.is_project_file(self._place)

    @property
    def _is_data(self) -> bool:
        return bool(self._place) and not self._is_rules and not self._is_project

    @property
    def _has_names(self) -> bool:
        return self._is_rules or self._is_data

    def _open_document(self, *, settle: bool = False) -> OpenDocument:
        return self._workspace.open_document(self._place, settle=settle)

    def list_completions(self, params: lsp.CompletionParams) -> lsp.CompletionList:
        offset = self._lines.offset_at(params.position)
        if self._is_rules:
            result = propose_completions(self._open_document(), offset)
        elif self._is_project:
            result = project_file.propose_project_completions(self._workspace, self._place, offset)
        else:
            result = data_files.propose_data_completions(self._workspace, self._place, offset) if self._is_data else ()
        items = [
            protocol_conversion.to_completion_item(completion_item, at, self._lines)
            for at, completion_item in enumerate(result)
        ]
        return lsp.CompletionList(is_incomplete=False, items=items)

    def explain_hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        offset = self._lines.offset_at(params.position)
        if self._is_rules:
            result = explain_at(self._open_document(), offset)
        elif self._is_project:
            result = project_file.explain_project_key(self._workspace, self._place, offset)
        else:
            result = data_files.explain_data_name(self._workspace, self._place, offset) if self._is_data else None
        return protocol_conversion.to_hover(result, self._lines) if result is not None else None

    def describe_signature(self, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        result = (
            find_signature(self._open_document(), self._lines.offset_at(params.position)) if self._is_rules else None
        )
        return protocol_conversion.to_signature_help(result) if result is not None else None

    def find_definition(self, params: lsp.DefinitionParams) -> list[lsp.Location]:
        offset = self._lines.offset_at(params.position)
        if self._is_rules:
            result = navigation.find_definition(self._open_document(), offset)
        else:
            result = data_files.find_data_definition(self._workspace, self._place, offset) if self._is_data else ()
        return self._session.make_locations(self._workspace, result)

    def find_references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        offset = self._lines.offset_at(params.position)
        result = navigation.find_references(self._workspace, self._place, offset) if self._has_names else ()
        return self._session.make_locations(self._workspace, (name_occurrence.span for name_occurrence in result))

    def find_highlights(self, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        offset = self._lines.offset_at(params.position)
        result = navigation.find_highlights(self._workspace, self._place, offset) if self._has_names else ()
        return [lsp.DocumentHighlight(self._lines.to_range(name_occurrence.span)) for name_occurrence in result]

    def prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.Range | None:
        offset = self._lines.offset_at(params.position)
        result = navigation.find_name_at(self._workspace, self._place, offset) if self._has_names else None
        return self._lines.to_range(result[1]) if result is not None else None

    def rename_symbol(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        """Edits of a rename; raises `JsonRpcException` with the refusal."""
        if not self._has_names:
            return None
        offset = self._lines.offset_at(params.position)
        rename_edits = navigation.rename_at(self._workspace, self._place, offset, params.new_name)
        if isinstance(rename_edits, RenameRefusal):
            raise JsonRpcException(
                "; ".join(dict.fromkeys(finding.message for finding in rename_edits.findings[:3])), _REQUEST_FAILED_CODE
            )
        return self._session.make_workspace_edit(self._workspace, rename_edits) if rename_edits is not None else None

    def list_symbols(self, _: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        if self._is_rules:
            result = navigation.outline_symbols(self._open_document())
        else:
            result = data_files.outline_data_symbols(self._workspace, self._place) if self._is_data else ()
        return [protocol_conversion.to_document_symbol(outline_symbol, self._lines) for outline_symbol in result]

    def list_folding_ranges(self, _: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        text = self._workspace.current_text(self._place) if self._place else None
        return (
            [
                protocol_conversion.to_folding_range(folding_range)
                for folding_range in text_decorations.list_folding_ranges(text)
            ]
            if text is not None
            else []
        )

    def format_document(self, _: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        """Edits; empty if the text cannot be parsed."""
        result = text_decorations.format_document(self._open_document()) if self._is_rules else ()
        edits = (edit for edit in result if isinstance(edit, Edit))
        return [lsp.TextEdit(self._lines.to_range(edit.span), edit.replacement) for edit in edits]

    def list_semantic_tokens(self, _: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        return protocol_conversion.to_semantic_tokens(
            text_decorations.colour_document(self._open_document()) if self._is_rules else (), self._lines
        )

    def list_inlay_hints(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        span = self._lines.to_span(self._place, params.range)
        result = text_decorations.list_inlay_hints(self._open_document()) if self._is_rules else ()
        return [
            protocol_conversion.to_inlay_hint(inlay_hint, self._lines)
            for inlay_hint in result
            if span.start <= inlay_hint.at <= span.end
        ]

    def list_code_lenses(self, _: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        """Without those whose command the client lacks."""
        result = text_decorations.list_code_lenses(self._workspace, self._open_document()) if self._is_rules else ()
        session, known = self._session, self._session.commands
        offered = (code_lens for code_lens in result if code_lens.does != "play" or "rulewright.play" in known)
        places = ((code_lens, session.make_locations(self._workspace, code_lens.places)) for code_lens in offered)
        return [
            protocol_conversion.to_code_lens(code_lens, self._uri, self._lines, known, there)
            for code_lens, there in places
        ]

    def list_code_actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Quick fixes in the range, and one with all safe fixes of the text."""
        if not self._place:
            return []
        name = self._open_document(settle=True).name if self._is_rules else self._place
        result = find_problems(self._workspace, self._place).get(name, ())
        span = self._lines.to_span(name, params.range)
        reported = list(params.context.diagnostics)
        actions = [
            protocol_conversion.to_code_action(
                fix,
                describe_text_edits(fix.edits, self._workspace.current_text),
                self._session.make_workspace_edit(self._workspace, fix.edits),
                reported,
            )
            for fix in list_fixes(result, span)
        ]
        safe = list_safe_fixes(result)
        if safe:
            edit = self._session.make_workspace_edit(
                self._workspace, (one for quick_fix in safe for one in quick_fix.edits)
            )
            kind = lsp.CodeActionKind.SourceFixAll
            actions.append(lsp.CodeAction(title="Make all safe remedies of this text", kind=kind, edit=edit))
        table = make_case_table_edit(self._workspace.live_data(name), span) if name.endswith(SCENARIO_SUFFIX) else None
        if table is not None:
            edit = self._session.make_workspace_edit(self._workspace, [table])
            actions.append(
                lsp.CodeAction("Write it as a table of cases", lsp.CodeActionKind.RefactorRewrite, edit=edit)
            )
        only = params.context.only
        return [
            code_action
            for code_action in actions
            if only is None or any(str(code_action.kind).startswith(str(one)) for one in only)
        ]


REQUEST_HANDLERS: Mapping[str, tuple[Callable[[DocumentRequests, Any], Any], Any]] = {
    lsp.TEXT_DOCUMENT_COMPLETION: (
        DocumentRequests.list_completions,
        lsp.CompletionOptions(trigger_characters=[".", "@"]),
    ),
    lsp.TEXT_DOCUMENT_HOVER: (DocumentRequests.explain_hover, None),
    lsp.TEXT_DOCUMENT_SIGNATURE_HELP: (
        DocumentRequests.describe_signature,
        lsp.SignatureHelpOptions(trigger_characters=["(", ","]),
    ),
    lsp.TEXT_DOCUMENT_DEFINITION: (DocumentRequests.find_definition, None),
    lsp.TEXT_DOCUMENT_REFERENCES: (DocumentRequests.find_references, None),
    lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (DocumentRequests.find_highlights, None),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (DocumentRequests.prepare_rename, None),
    lsp.TEXT_DOCUMENT_RENAME: (DocumentRequests.rename_symbol, lsp.RenameOptions(prepare_provider=True)),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (DocumentRequests.list_symbols, None),
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: (DocumentRequests.list_folding_ranges, None),
    lsp.TEXT_DOCUMENT_FORMATTING: (DocumentRequests.format_document, None),
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (DocumentRequests.list_semantic_tokens, protocol_conversion.TOKEN_LEGEND),
    lsp.TEXT_DOCUMENT_INLAY_HINT: (DocumentRequests.list_inlay_hints, None),
    lsp.TEXT_DOCUMENT_CODE_LENS: (DocumentRequests.list_code_lenses, None),
    lsp.TEXT_DOCUMENT_CODE_ACTION: (
        DocumentRequests.list_code_actions,
        lsp.CodeActionOptions(
            [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll, lsp.CodeActionKind.RefactorRewrite]
        ),
    ),
}
"""Handler and registration options by method."""


_INTERNAL_ERROR_CODE = -32603
"""JSON-RPC error code InternalError."""

_CANCEL_WINDOW_S = 0.001
"""Wait before a request is answered, for a cancellation that follows it at once."""

_REFRESH_NOTIFICATIONS = (
    lsp.TEXT_DOCUMENT_DID_SAVE,
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
)


class _TolerantProtocol(LanguageServerProtocol):
    """Protocol that refuses malformed requests in words instead of dropping them."""

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Callable[..., Any],
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Drops finished futures: pygls keeps 2 kB of each change for ever."""

        def forget_and_call(future: Any) -> None:  # of either kind
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, forget_and_call, args, kwargs)

    def structure_message(self, data: dict[str, Any]) -> Any:  # any message
        method, id_ = data.get("method"), data.get("id")
        if method == lsp.TEXT_DOCUMENT_FORMATTING and isinstance(data.get("params"), dict):
            data["params"]["options"] = {"tabSize": 2, "insertSpaces": True}  # rules are laid out in one way
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if isinstance(method, str) and isinstance(id_, int | str):
                message = f"this request has another form than the protocol says: {method}"
                refused = JsonRpcInvalidParams(message)
                self._send_response(id_, error=refused.to_response_error())
                raise refused from None
            raise


class _QuietServer(LanguageServer):
    """Server that logs what it cannot understand instead of showing it."""

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        if source is not FeatureRequestError and not isinstance(error, JsonRpcInvalidParams):
            message = "a message of the editor has another form than the protocol says, and was left aside"
            message = message if isinstance(error, JsonRpcException | ValueError) else _format_fault(error)
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, message))


def make_language_server() -> LanguageServer:
    """Server without state; texts are synchronized in full, so that only one side computes differences."""
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
    """Waits first, so that a request cancelled at once costs nothing."""

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
    last = traceback.extract_tb(fault.__traceback__)[-1]
    where = f"{type(fault).__name__} in {os.path.basename(last.filename)}:{last.lineno}"  # noqa: PTH119
    return f"this is a fault of rulewright itself, not of your rules; please report it: {where}"


def serve_language() -> None:
    """Serve one client on the standard streams until it exits.

    Other output to stdout goes to stderr, as the client would parse it.
    """
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)  # faults are told the client
    heard = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr
    server = make_language_server()
    gc.freeze()  # what stands by now stays
    server.start_io(heard, output)
