"""What a client asks about a text, answered."""

from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from rulewright.base.diagnostics import Edit
from rulewright.base.diagnostics.remedies import describe_text_edits
from rulewright.documents.workspace.ruleset_location import RULES_SUFFIX
from rulewright.editor import data_files, folding_and_colours, lenses_and_hints, navigation, project_file
from rulewright.editor.code_actions import list_fixes, list_safe_fixes, make_case_table_edit
from rulewright.editor.completion import propose_completions
from rulewright.editor.editor_workspace import OpenDocument, Workspace
from rulewright.editor.hover import explain_at, find_signature
from rulewright.editor.language_server import protocol_conversion
from rulewright.editor.language_server.client_session import ClientSession, find_problems
from rulewright.editor.language_server.protocol_conversion import LineIndex
from rulewright.editor.references.rename_refactoring import RenameRefusal
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX

_REQUEST_FAILED_CODE = -32803
"""The code of the protocol for a request that was understood and cannot be met."""


class DocumentRequests:
    """What requests about one open text are answered with."""

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
        """What may stand at the cursor."""
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
        """What stands there, in words."""
        offset = self._lines.offset_at(params.position)
        if self._is_rules:
            result = explain_at(self._open_document(), offset)
        elif self._is_project:
            result = project_file.explain_project_key(self._workspace, self._place, offset)
        else:
            result = data_files.explain_data_name(self._workspace, self._place, offset) if self._is_data else None
        return protocol_conversion.to_hover(result, self._lines) if result is not None else None

    def describe_signature(self, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        """What the call around takes."""
        result = (
            find_signature(self._open_document(), self._lines.offset_at(params.position)) if self._is_rules else None
        )
        return protocol_conversion.to_signature_help(result) if result is not None else None

    def find_definition(self, params: lsp.DefinitionParams) -> list[lsp.Location]:
        """Where what stands there is given."""
        offset = self._lines.offset_at(params.position)
        if self._is_rules:
            result = navigation.find_definition(self._open_document(), offset)
        else:
            result = data_files.find_data_definition(self._workspace, self._place, offset) if self._is_data else ()
        return self._session.make_locations(self._workspace, result)

    def find_references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Everywhere it occurs."""
        offset = self._lines.offset_at(params.position)
        result = navigation.find_references(self._workspace, self._place, offset) if self._has_names else ()
        return self._session.make_locations(self._workspace, (name_occurrence.span for name_occurrence in result))

    def find_highlights(self, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        """Where it occurs in the same text."""
        offset = self._lines.offset_at(params.position)
        result = navigation.find_highlights(self._workspace, self._place, offset) if self._has_names else ()
        return [lsp.DocumentHighlight(self._lines.to_range(name_occurrence.span)) for name_occurrence in result]

    def prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.Range | None:
        """The name that would be changed."""
        offset = self._lines.offset_at(params.position)
        result = navigation.find_name_at(self._workspace, self._place, offset) if self._has_names else None
        return self._lines.to_range(result[1]) if result is not None else None

    def rename_symbol(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        """The edits that give it another name everywhere.

        Raises:
            JsonRpcException: it cannot have that name; in words.
        """
        if not self._has_names:
            return None
        offset = self._lines.offset_at(params.position)
        made = navigation.rename_at(self._workspace, self._place, offset, params.new_name)
        if isinstance(made, RenameRefusal):
            raise JsonRpcException(
                "; ".join(dict.fromkeys(finding.message for finding in made.findings[:3])), _REQUEST_FAILED_CODE
            )
        return self._session.make_workspace_edit(self._workspace, made) if made is not None else None

    def list_symbols(self, _: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        """The names that a text gives."""
        if self._is_rules:
            result = navigation.outline_symbols(self._open_document())
        else:
            result = data_files.outline_data_symbols(self._workspace, self._place) if self._is_data else ()
        return [protocol_conversion.to_document_symbol(outline_symbol, self._lines) for outline_symbol in result]

    def list_folding_ranges(self, _: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        """What may be folded."""
        text = self._workspace.current_text(self._place) if self._place else None
        return (
            [
                protocol_conversion.to_folding_range(folding_range)
                for folding_range in folding_and_colours.list_folding_ranges(text)
            ]
            if text is not None
            else []
        )

    def format_document(self, _: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        """What lays a text out; nothing where it cannot be read."""
        result = folding_and_colours.format_document(self._open_document()) if self._is_rules else ()
        edits = (edit for edit in result if isinstance(edit, Edit))
        return [lsp.TextEdit(self._lines.to_range(edit.span), edit.replacement) for edit in edits]

    def list_semantic_tokens(self, _: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        """The sorts of words."""
        return protocol_conversion.to_semantic_tokens(
            folding_and_colours.colour_document(self._open_document()) if self._is_rules else (), self._lines
        )

    def list_inlay_hints(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        """Types and values that are not written."""
        span = self._lines.to_span(self._place, params.range)
        result = lenses_and_hints.list_inlay_hints(self._open_document()) if self._is_rules else ()
        return [
            protocol_conversion.to_inlay_hint(inlay_hint, self._lines)
            for inlay_hint in result
            if span.start <= inlay_hint.at <= span.end
        ]

    def list_code_lenses(self, _: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        """What is said above procedures; what a client cannot do is not offered."""
        result = lenses_and_hints.list_code_lenses(self._workspace, self._open_document()) if self._is_rules else ()
        session, known = self._session, self._session.commands
        offered = (code_lens for code_lens in result if code_lens.does != "play" or "rulewright.play" in known)
        places = ((code_lens, session.make_locations(self._workspace, code_lens.places)) for code_lens in offered)
        return [
            protocol_conversion.to_code_lens(code_lens, self._uri, self._lines, known, there)
            for code_lens, there in places
        ]

    def list_code_actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Remedies of what is wrong there, and all safe ones of the text together."""
        if not self._place:
            return []
        name = self._open_document(settle=True).name if self._is_rules else self._place
        result = find_problems(self._workspace, self._place).get(name, ())
        span = self._lines.to_span(name, params.range)
        told = list(params.context.diagnostics)
        made = [
            protocol_conversion.to_code_action(
                fix,
                describe_text_edits(fix.edits, self._workspace.current_text),
                self._session.make_workspace_edit(self._workspace, fix.edits),
                told,
            )
            for fix in list_fixes(result, span)
        ]
        safe = list_safe_fixes(result)
        if safe:
            edit = self._session.make_workspace_edit(
                self._workspace, (one for quick_fix in safe for one in quick_fix.edits)
            )
            kind = lsp.CodeActionKind.SourceFixAll
            made.append(lsp.CodeAction(title="Make all safe remedies of this text", kind=kind, edit=edit))
        table = make_case_table_edit(self._workspace.live_data(name), span) if name.endswith(SCENARIO_SUFFIX) else None
        if table is not None:
            edit = self._session.make_workspace_edit(self._workspace, [table])
            made.append(lsp.CodeAction("Write it as a table of cases", lsp.CodeActionKind.RefactorRewrite, edit=edit))
        only = params.context.only
        return [
            code_action
            for code_action in made
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
"""What is answered, by the name of the request, with what a client is told about it."""
