"""The language server: documents and requests of the Language Server Protocol, served by pygls."""

import asyncio
import dataclasses
import gc
import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import FeatureRequestError, JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.uris import from_fs_path, to_fs_path

from rulewright import __version__
from rulewright.base.bounded_files import ProjectFileError
from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.base.diagnostics.remedies import describe_text_edits
from rulewright.base.files import DATA_SUFFIXES
from rulewright.base.git_tree import read_committed_text
from rulewright.base.source import Span
from rulewright.documents.ruleset_location import RULES_SUFFIX, bound_files, bound_folder, find_project
from rulewright.editor import data_files, navigation, project_file, text_decorations
from rulewright.editor.completion import propose_completions
from rulewright.editor.editor_workspace import OpenDocument, Workspace, find_rule_problems
from rulewright.editor.hover import explain_at, find_signature
from rulewright.editor.language_server import protocol_conversion
from rulewright.editor.language_server.protocol_conversion import (
    CODE_UNIT_BYTES,
    LineIndex,
    get_line_index,
    list_table_words,
)
from rulewright.editor.refactoring import RenameRefusal, list_fixes, list_safe_fixes, make_case_table_edit
from rulewright.editor.snippets import list_snippets
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX

CHECK_DELAY_S = 0.25
"""Pause in typing before rules are checked."""


_MAX_NEW_OBJECTS = 20_000
"""New objects before a collection in a pause; by itself Python collects the old generation late."""


class ClientSession:
    """One client with a workspace per folder, and its published diagnostics."""

    def __init__(self, server: LanguageServer) -> None:
        self.commands: frozenset[str] = frozenset()  # those that the client knows
        self._server = server
        self._workspaces: dict[str, Workspace] = {}  # by folder
        self._complaints: dict[str, str] = {}  # by folder what was said of its project file last, if it is wrong
        self._published: dict[str, tuple[Diagnostic, ...]] = {}  # by URI what the client was told last, if anything
        self._checks: dict[str, asyncio.Task[None]] = {}  # by place the check that waits for a pause

    def handle_initialize(self, params: lsp.InitializeParams) -> None:
        options = params.initialization_options
        self.commands = frozenset(options.get("commands", ()) if isinstance(options, dict) else ())

    @property
    def code_unit_bytes(self) -> int:
        """Size of a code unit in the negotiated position encoding."""
        encoding: str = self._server.workspace.position_encoding or "utf-16"
        return next((unit for name, unit in CODE_UNIT_BYTES.items() if name == encoding), 2)

    def find_workspace(self, place: str) -> Workspace:
        """Workspace of a file: of the client's folder that contains it, else of its own folder."""
        folders = [path for folder in self._server.workspace.folders if (path := to_fs_path(folder)) is not None]
        around = [folder for folder in folders if Path(place).is_relative_to(folder)]
        top = max(around, key=len, default=os.path.dirname(place))  # noqa: PTH120
        if top not in self._workspaces:
            self._workspaces[top] = Workspace(committed=read_committed_text)
            self._read_project(top)
        return self._workspaces[top]

    def _read_project(self, top: str) -> None:
        """A wrong project file is reported and ignored."""
        try:
            files, project = bound_files((top,), ()), find_project(top)
        except ProjectFileError as wrong:
            message = f"{wrong.text.name}: {wrong.diagnostic.message}"
            if self._complaints.get(top) != message:
                self._server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, message))
            self._complaints[top] = message
            files, project = bound_folder(top), None
        else:
            self._complaints.pop(top, None)
        self._workspaces[top].refresh_files(
            files, files.get_weights_at, project.published_readings if project is not None else {}
        )

    def handle_change(self, uri: str) -> None:
        """Open or changed text; checks follow after a pause."""
        place = to_fs_path(uri)
        if place is None or not (place.endswith((RULES_SUFFIX, *DATA_SUFFIXES)) or project_file.is_project_file(place)):
            return
        desk = self.find_workspace(place)
        desk.change_text(place, _replace_surrogates(self._server.workspace.get_text_document(uri).source))
        if place.endswith(RULES_SUFFIX):
            self._publish_diagnostics(desk, find_rule_problems(desk.open_document(place, refresh=False)))
        waiting = self._checks.pop(place, None)
        if waiting is not None:
            waiting.cancel()
        self._checks[place] = asyncio.get_running_loop().create_task(self._check_after_pause(desk, place))

    async def _check_after_pause(self, desk: Workspace, place: str) -> None:
        await asyncio.sleep(CHECK_DELAY_S)
        for item in (
            place,
            *(
                open_place
                for open_place in desk.open_places
                if open_place != place and not open_place.endswith(RULES_SUFFIX)
            ),
        ):
            if item not in desk.open_places:
                continue
            self._publish_diagnostics(desk, find_problems(desk, item))
            await asyncio.sleep(0)
        if gc.get_count()[0] > _MAX_NEW_OBJECTS:
            gc.collect()

    def handle_close(self, uri: str) -> None:
        place = to_fs_path(uri)
        if place is not None:
            waiting = self._checks.pop(place, None)
            if waiting is not None:
                waiting.cancel()
            self.find_workspace(place).close_text(place)
            if self._published.pop(uri, ()):
                self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def handle_refresh(self) -> None:
        """Changed files on disk, or changed folders of the client."""
        for top in self._workspaces:
            self._read_project(top)
        for text_document in self._server.workspace.text_documents:
            self.handle_change(text_document)

    def _publish_diagnostics(self, desk: Workspace, diagnostics: Mapping[str, tuple[Diagnostic, ...]]) -> None:
        """Only for files whose diagnostics differ from those published."""
        for place, item in diagnostics.items():
            uri = self.client_uri(place)
            if self._published.get(uri, ()) == item and uri in self._published:
                continue
            self._published[uri] = item
            sources = {source for finding in item for source in _label_sources(finding)} | {place}
            at = self.line_indexes(desk, sources)
            uris = {source: self.client_uri(source) for source in at}
            converted = [
                protocol_conversion.to_lsp_diagnostic(finding, at, uris)
                for finding in item
                if _label_sources(finding) <= at.keys()
            ]
            self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, converted))

    def client_uri(self, place: str) -> str:
        """URI of a file as the client opened it, else of its path."""
        path = os.path.abspath(place)  # noqa: PTH100 - links stay
        opened = (document for document in self._server.workspace.text_documents if to_fs_path(document) == path)
        return next(opened, from_fs_path(path) or path)

    def line_indexes(self, desk: Workspace, sources: Iterable[str]) -> dict[str, LineIndex]:
        """Line indexes by source."""
        texts = ((source, desk.current_text(source)) for source in sources)
        return {name: get_line_index(text, self.code_unit_bytes) for name, text in texts if text is not None}

    def find_open_document(self, uri: str) -> tuple[Workspace, str, LineIndex] | None:
        """Workspace, path and line index of an open text; None for other documents."""
        place = to_fs_path(uri)
        desk = self.find_workspace(place) if place is not None else None
        text = (
            desk.current_text(place) if desk is not None and place is not None and place in desk.open_places else None
        )
        return (
            None
            if desk is None or place is None or text is None
            else (desk, place, get_line_index(text, self.code_unit_bytes))
        )

    def make_locations(self, desk: Workspace, spans: Iterable[Span]) -> list[lsp.Location]:
        """Locations of spans."""
        result = list(spans)
        at = self.line_indexes(desk, {span.source for span in result})
        return [
            lsp.Location(self.client_uri(span.source), at[span.source].to_range(span))
            for span in result
            if span.source in at
        ]

    def make_workspace_edit(self, desk: Workspace, edits: Iterable[Edit]) -> lsp.WorkspaceEdit:
        """Edits of several files."""
        result = list(edits)
        at = self.line_indexes(desk, {edit.span.source for edit in result})
        return protocol_conversion.to_workspace_edit(result, at, {item: self.client_uri(item) for item in at})


def _replace_surrogates(written: str) -> str:
    """Lone surrogates replaced, so that the length stays."""
    return written if written.isascii() else written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def find_problems(desk: Workspace, place: str) -> Mapping[str, tuple[Diagnostic, ...]]:
    """Diagnostics of an open text and its ruleset, by text."""
    if place.endswith(RULES_SUFFIX):
        return find_rule_problems(desk.open_document(place))
    return {
        place: (project_file if project_file.is_project_file(place) else data_files).find_file_problems(desk, place)
    }


def _label_sources(diagnostic: Diagnostic) -> set[str]:
    labels = (*((diagnostic.primary,) if diagnostic.primary else ()), *diagnostic.secondary)
    return {label.span.source for label in labels}


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

    def _open_document(self, *, refresh: bool = False) -> OpenDocument:
        return self._workspace.open_document(self._place, refresh=refresh)

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
        name = self._open_document(refresh=True).name if self._is_rules else self._place
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

    def list_snippets(self, _: lsp.DocumentSymbolParams) -> list[dict[str, Any]]:
        result = list_snippets(self._open_document()) if self._is_rules else ()
        return [protocol_conversion.to_snippet_json(snippet) for snippet in result]

    def list_table_words(self, _: lsp.DocumentSymbolParams) -> list[dict[str, Any]]:
        result = list_table_words(self._open_document()) if self._is_rules else ()
        return [protocol_conversion.to_table_words_json(table) for table in result]


LIST_SNIPPETS, LIST_TABLE_WORDS = "rulewright/snippets", "rulewright/tableWords"
"""Requests beyond the protocol; they name a text, as `textDocument/documentSymbol` does."""


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
    LIST_SNIPPETS: (DocumentRequests.list_snippets, None),
    LIST_TABLE_WORDS: (DocumentRequests.list_table_words, None),
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


@dataclasses.dataclass
class _TextRequest:
    """Request beyond the protocol about one text."""

    id: int | str
    method: str
    params: lsp.DocumentSymbolParams
    jsonrpc: str = "2.0"


def _make_text_request(id_: int | str, method: str, params: object) -> _TextRequest:
    match params:
        case {"textDocument": {"uri": str(uri)}}:
            return _TextRequest(id_, method, lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(uri)))
        case _:
            raise JsonRpcInvalidParams


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
            if isinstance(method, str) and method in {LIST_SNIPPETS, LIST_TABLE_WORDS} and isinstance(id_, int | str):
                return _make_text_request(id_, method, data.get("params"))
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
        "rulewright", __version__, kind, protocol_cls=_TolerantProtocol, converter_factory=default_converter
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
