"""What a client asks about a text, answered."""

from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from rulewright.diagnostics import Edit
from rulewright.diagnostics.remedies import in_words
from rulewright.editing import data_files, layout, marks, navigation, project_file
from rulewright.editing.case_table import as_table
from rulewright.editing.completion import proposals
from rulewright.editing.desk import Desk, Open
from rulewright.editing.fixes import fixes, safe_fixes
from rulewright.editing.hover import explanation, signature
from rulewright.language_server import saying
from rulewright.language_server.positions import Lines
from rulewright.language_server.session import Session, wrong_with
from rulewright.references.renaming import Refused
from rulewright.scenarios.loading import ENDING
from rulewright.workspace.locate import RULES

_REFUSED = -32803
"""The code of the protocol for a request that was understood and cannot be met."""


class Answers:
    """What requests about one open text are answered with."""

    def __init__(self, session: Session, uri: str) -> None:
        self._session = session
        self._uri = uri
        self._desk, self._place, self._lines = session.opened(uri) or (Desk(), "", Lines("", 2))

    @property
    def _is_rules(self) -> bool:
        return self._place.endswith(RULES)

    @property
    def _is_project(self) -> bool:
        return project_file.is_project(self._place)

    @property
    def _is_data(self) -> bool:
        return bool(self._place) and not self._is_rules and not self._is_project

    @property
    def _has_names(self) -> bool:
        return self._is_rules or self._is_data

    def _opened(self, *, settle: bool = False) -> Open:
        return self._desk.opened(self._place, settle=settle)

    def completion(self, params: lsp.CompletionParams) -> lsp.CompletionList:
        """What may stand at the cursor."""
        offset = self._lines.offset(params.position)
        if self._is_rules:
            found = proposals(self._opened(), offset)
        elif self._is_project:
            found = project_file.proposals(self._desk, self._place, offset)
        else:
            found = data_files.proposals(self._desk, self._place, offset) if self._is_data else ()
        items = [saying.item(each, at, self._lines) for at, each in enumerate(found)]
        return lsp.CompletionList(is_incomplete=False, items=items)

    def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """What stands there, in words."""
        offset = self._lines.offset(params.position)
        if self._is_rules:
            found = explanation(self._opened(), offset)
        elif self._is_project:
            found = project_file.explanation(self._desk, self._place, offset)
        else:
            found = data_files.explanation(self._desk, self._place, offset) if self._is_data else None
        return saying.hover(found, self._lines) if found is not None else None

    def signature(self, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        """What the call around takes."""
        found = signature(self._opened(), self._lines.offset(params.position)) if self._is_rules else None
        return saying.signature(found) if found is not None else None

    def definition(self, params: lsp.DefinitionParams) -> list[lsp.Location]:
        """Where what stands there is given."""
        offset = self._lines.offset(params.position)
        if self._is_rules:
            found = navigation.definition(self._opened(), offset)
        else:
            found = data_files.definition(self._desk, self._place, offset) if self._is_data else ()
        return self._session.locations(self._desk, found)

    def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Everywhere it occurs."""
        offset = self._lines.offset(params.position)
        found = navigation.references(self._desk, self._place, offset) if self._has_names else ()
        return self._session.locations(self._desk, (each.span for each in found))

    def highlights(self, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        """Where it occurs in the same text."""
        offset = self._lines.offset(params.position)
        found = navigation.highlights(self._desk, self._place, offset) if self._has_names else ()
        return [lsp.DocumentHighlight(self._lines.range(each.span)) for each in found]

    def prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.Range | None:
        """The name that would be changed."""
        offset = self._lines.offset(params.position)
        found = navigation.named(self._desk, self._place, offset) if self._has_names else None
        return self._lines.range(found[1]) if found is not None else None

    def rename(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        """The edits that give it another name everywhere.

        Raises:
            JsonRpcException: it cannot have that name; in words.
        """
        if not self._has_names:
            return None
        offset = self._lines.offset(params.position)
        made = navigation.rename(self._desk, self._place, offset, params.new_name)
        if isinstance(made, Refused):
            raise JsonRpcException("; ".join(dict.fromkeys(each.message for each in made.findings[:3])), _REFUSED)
        return self._session.edit(self._desk, made) if made is not None else None

    def symbols(self, _: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        """The names that a text gives."""
        if self._is_rules:
            found = navigation.symbols(self._opened())
        else:
            found = data_files.symbols(self._desk, self._place) if self._is_data else ()
        return [saying.symbol(each, self._lines) for each in found]

    def folds(self, _: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        """What may be folded."""
        text = self._desk.text(self._place) if self._place else None
        return [saying.fold(each) for each in layout.folds(text)] if text is not None else []

    def formatting(self, _: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        """What lays a text out; nothing where it cannot be read."""
        found = layout.formatted(self._opened()) if self._is_rules else ()
        edits = (each for each in found if isinstance(each, Edit))
        return [lsp.TextEdit(self._lines.range(each.span), each.replacement) for each in edits]

    def tokens(self, _: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        """The sorts of words."""
        return saying.tokens(layout.colours(self._opened()) if self._is_rules else (), self._lines)

    def hints(self, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        """Types and values that are not written."""
        span = self._lines.span(self._place, params.range)
        found = marks.asides(self._opened()) if self._is_rules else ()
        return [saying.hint(each, self._lines) for each in found if span.start <= each.at <= span.end]

    def lenses(self, _: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        """What is said above procedures; what a client cannot do is not offered."""
        found = marks.lenses(self._desk, self._opened()) if self._is_rules else ()
        session, known = self._session, self._session.commands
        offered = (each for each in found if each.does != "play" or "rulewright.play" in known)
        places = ((each, session.locations(self._desk, each.places)) for each in offered)
        return [saying.lens(each, self._uri, self._lines, known, there) for each, there in places]

    def actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Remedies of what is wrong there, and all safe ones of the text together."""
        if not self._place:
            return []
        name = self._opened(settle=True).name if self._is_rules else self._place
        found = wrong_with(self._desk, self._place).get(name, ())
        span = self._lines.span(name, params.range)
        told = list(params.context.diagnostics)
        made = [
            saying.action(each, in_words(each.edits, self._desk.text), self._session.edit(self._desk, each.edits), told)
            for each in fixes(found, span)
        ]
        safe = safe_fixes(found)
        if safe:
            edit = self._session.edit(self._desk, (one for each in safe for one in each.edits))
            kind = lsp.CodeActionKind.SourceFixAll
            made.append(lsp.CodeAction(title="Make all safe remedies of this text", kind=kind, edit=edit))
        table = as_table(self._desk.data(name), span) if name.endswith(ENDING) else None
        if table is not None:
            edit = self._session.edit(self._desk, [table])
            made.append(lsp.CodeAction("Write it as a table of cases", lsp.CodeActionKind.RefactorRewrite, edit=edit))
        only = params.context.only
        return [each for each in made if only is None or any(str(each.kind).startswith(str(one)) for one in only)]


REQUESTS: Mapping[str, tuple[Callable[[Answers, Any], Any], Any]] = {
    lsp.TEXT_DOCUMENT_COMPLETION: (Answers.completion, lsp.CompletionOptions(trigger_characters=[".", "@"])),
    lsp.TEXT_DOCUMENT_HOVER: (Answers.hover, None),
    lsp.TEXT_DOCUMENT_SIGNATURE_HELP: (Answers.signature, lsp.SignatureHelpOptions(trigger_characters=["(", ","])),
    lsp.TEXT_DOCUMENT_DEFINITION: (Answers.definition, None),
    lsp.TEXT_DOCUMENT_REFERENCES: (Answers.references, None),
    lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (Answers.highlights, None),
    lsp.TEXT_DOCUMENT_PREPARE_RENAME: (Answers.prepare_rename, None),
    lsp.TEXT_DOCUMENT_RENAME: (Answers.rename, lsp.RenameOptions(prepare_provider=True)),
    lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (Answers.symbols, None),
    lsp.TEXT_DOCUMENT_FOLDING_RANGE: (Answers.folds, None),
    lsp.TEXT_DOCUMENT_FORMATTING: (Answers.formatting, None),
    lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (Answers.tokens, saying.LEGEND),
    lsp.TEXT_DOCUMENT_INLAY_HINT: (Answers.hints, None),
    lsp.TEXT_DOCUMENT_CODE_LENS: (Answers.lenses, None),
    lsp.TEXT_DOCUMENT_CODE_ACTION: (
        Answers.actions,
        lsp.CodeActionOptions(
            [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll, lsp.CodeActionKind.RefactorRewrite]
        ),
    ),
}
"""What is answered, by the name of the request, with what a client is told about it."""
