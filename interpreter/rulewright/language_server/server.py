"""What a client says and asks, heard and answered."""

import asyncio
import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from rulewright.diagnostics import Diagnostic, Edit
from rulewright.editing import data_files, layout, marks, navigation
from rulewright.editing.completion import proposals
from rulewright.editing.desk import Desk, Open, problems
from rulewright.editing.fixes import fixes, safe_fixes
from rulewright.editing.hover import explanation, signature
from rulewright.files.project import ProjectError
from rulewright.inputs.project import bounded
from rulewright.language_server import saying
from rulewright.language_server.positions import UNITS, Lines, lines
from rulewright.references.renaming import Refused
from rulewright.source import Span
from rulewright.workspace.locate import RULES

PAUSE = 0.25
"""For how many seconds nothing is typed before the rules are checked."""

_DATA = (".yaml", ".yml", ".json")
_REFUSED, _FAULT = -32803, -32603
"""The codes of the protocol for a request that was understood and cannot be met, and for a fault."""

_HEARING = 0.001
"""For how many seconds a request waits for what the client says next."""


class Session:
    """What one client has open: a desk for each folder, and what it was told."""

    def __init__(self, server: LanguageServer) -> None:
        """Nothing is open."""
        self.commands: frozenset[str] = frozenset()  # those that the client knows
        self._server = server
        self._desks: dict[str, Desk] = {}  # by folder
        self._told: dict[str, tuple[Diagnostic, ...]] = {}  # by URI what the client was told last, if anything
        self._checks: dict[str, asyncio.Task[None]] = {}  # by place the check that waits for a pause

    def began(self, params: lsp.InitializeParams) -> None:
        """Hears what the client is able to do."""
        options = params.initialization_options
        self.commands = frozenset(options.get("commands", ()) if isinstance(options, dict) else ())

    @property
    def unit(self) -> int:
        """How many bytes a unit has in which the client counts."""
        encoding: str = self._server.workspace.position_encoding or "utf-16"
        return next((unit for name, unit in UNITS.items() if name == encoding), 2)

    def desk(self, place: str) -> Desk:
        """The desk on which a file lies: that of its folder of the workspace, else of the folder that it is in."""
        folders = [path for each in self._server.workspace.folders if (path := to_fs_path(each)) is not None]
        around = [each for each in folders if Path(place).is_relative_to(each)]
        top = max(around, key=len, default=os.path.dirname(place))  # noqa: PTH120
        if top not in self._desks:
            try:
                files = bounded((top,), ())
            except ProjectError as wrong:
                self._server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, wrong.diagnostic.message))
                self._desks[top] = Desk()
            else:
                self._desks[top] = Desk(files, files.weights_at)
        return self._desks[top]

    def changed(self, uri: str) -> None:
        """Hears that a text is open and what it says."""
        place = to_fs_path(uri)
        if place is None or not place.endswith((RULES, *_DATA)):
            return
        desk = self.desk(place)
        desk.change(place, self._server.workspace.get_text_document(uri).source)
        if place.endswith(RULES):
            self._tell(desk, problems(desk.opened(place, settle=False)))
        waiting = self._checks.pop(place, None)
        if waiting is not None:
            waiting.cancel()
        self._checks[place] = asyncio.get_running_loop().create_task(self._settle(desk, place))

    async def _settle(self, desk: Desk, place: str) -> None:
        await asyncio.sleep(PAUSE)
        for each in (place, *(each for each in desk.open if each != place and not each.endswith(RULES))):
            if each not in desk.open:
                continue
            if each.endswith(RULES):
                self._tell(desk, problems(desk.opened(each)))
            else:
                self._tell(desk, {each: data_files.problems(desk, each)})
            await asyncio.sleep(0)

    def closed(self, uri: str) -> None:
        """Hears that a text is no longer open."""
        place = to_fs_path(uri)
        if place is not None:
            waiting = self._checks.pop(place, None)
            if waiting is not None:
                waiting.cancel()
            self.desk(place).close(place)
            if self._told.pop(uri, ()):
                self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def refreshed(self) -> None:
        """Hears that files of the disk, or the folders of the workspace, are others."""
        for desk in self._desks.values():
            desk.refresh()
        for each in self._server.workspace.text_documents:
            self.changed(each)

    def _tell(self, desk: Desk, found: Mapping[str, tuple[Diagnostic, ...]]) -> None:
        """Tells the client what is wrong with some files, where it was told something else before."""
        for place, each in found.items():
            uri = self.uri(place)
            if self._told.get(uri, ()) == each and uri in self._told:
                continue
            self._told[uri] = each
            sources = {source for finding in each for source in _places(finding)} | {place}
            at = self.lines(desk, sources)
            uris = {source: self.uri(source) for source in at}
            said = [saying.diagnostic(finding, at, uris) for finding in each if _places(finding) <= at.keys()]
            self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, said))

    def uri(self, place: str) -> str:
        """What the client calls a file: as it opened it, else by its path."""
        path = os.path.abspath(place)  # noqa: PTH100 - links stay
        opened = (each for each in self._server.workspace.text_documents if to_fs_path(each) == path)
        return next(opened, from_fs_path(path) or path)

    def lines(self, desk: Desk, sources: Iterable[str]) -> dict[str, Lines]:
        """The lines of some files."""
        texts = ((each, desk.text(each)) for each in sources)
        return {name: lines(text, self.unit) for name, text in texts if text is not None}

    def opened(self, uri: str) -> tuple[Desk, str, Lines] | None:
        """The desk on which an open text lies, its place and its lines; none for a text of another sort."""
        place = to_fs_path(uri)
        desk = self.desk(place) if place is not None else None
        text = desk.text(place) if desk is not None and place is not None and place in desk.open else None
        return None if desk is None or place is None or text is None else (desk, place, lines(text, self.unit))

    def locations(self, desk: Desk, spans: Iterable[Span]) -> list[lsp.Location]:
        """Places in files."""
        found = list(spans)
        at = self.lines(desk, {each.source for each in found})
        return [lsp.Location(self.uri(each.source), at[each.source].range(each)) for each in found if each.source in at]

    def edit(self, desk: Desk, edits: Iterable[Edit]) -> lsp.WorkspaceEdit:
        """Edits of files."""
        found = list(edits)
        at = self.lines(desk, {each.span.source for each in found})
        return saying.text_edits(found, at, {each: self.uri(each) for each in at})


def _places(found: Diagnostic) -> set[str]:
    labels = (*((found.primary,) if found.primary else ()), *found.secondary)
    return {each.span.source for each in labels}


class Answers:
    """What requests about one open text are answered with."""

    def __init__(self, session: Session, uri: str) -> None:
        """Finds the text."""
        self._session = session
        self._uri = uri
        self._desk, self._place, self._lines = session.opened(uri) or (Desk(), "", Lines("", 2))

    @property
    def _is_rules(self) -> bool:
        return self._place.endswith(RULES)

    @property
    def _is_data(self) -> bool:
        return bool(self._place) and not self._is_rules

    def _opened(self, *, settle: bool = False) -> Open:
        return self._desk.opened(self._place, settle=settle)

    def completion(self, params: lsp.CompletionParams) -> lsp.CompletionList:
        """What may stand at the cursor."""
        offset = self._lines.offset(params.position)
        if self._is_rules:
            found = proposals(self._opened(), offset)
        else:
            found = data_files.proposals(self._desk, self._place, offset) if self._is_data else ()
        items = [saying.item(each, at, self._lines) for at, each in enumerate(found)]
        return lsp.CompletionList(is_incomplete=False, items=items)

    def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """What stands there, in words."""
        offset = self._lines.offset(params.position)
        if self._is_rules:
            found = explanation(self._opened(), offset)
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
        if not self._is_rules:
            return []
        found = navigation.references(self._desk, self._place, self._lines.offset(params.position))
        return self._session.locations(self._desk, (each.span for each in found))

    def highlights(self, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        """Where it occurs in the same text."""
        offset = self._lines.offset(params.position)
        found = navigation.highlights(self._opened(), offset) if self._is_rules else ()
        return [lsp.DocumentHighlight(self._lines.range(each.span)) for each in found]

    def prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.Range | None:
        """The name that would be changed."""
        offset = self._lines.offset(params.position)
        found = self._opened().occurrence(offset) if self._is_rules else None
        place = self._opened().placed(found[0], found[1].span) if found is not None else None
        return self._lines.range(place) if place is not None else None

    def rename(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        """The edits that give it another name everywhere.

        Raises:
            JsonRpcException: it cannot have that name; in words.
        """
        if not self._is_rules:
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
        if not self._is_rules:
            return []
        found = problems(self._opened(settle=True)).get(self._opened().name, ())
        span = self._lines.span(self._opened().name, params.range)
        told = list(params.context.diagnostics)
        made = [saying.action(each, self._session.edit(self._desk, each.edits), told) for each in fixes(found, span)]
        safe = safe_fixes(found)
        if safe:
            edit = self._session.edit(self._desk, (one for each in safe for one in each.edits))
            kind = lsp.CodeActionKind.SourceFixAll
            made.append(lsp.CodeAction(title="Make all safe remedies of this text", kind=kind, edit=edit))
        only = params.context.only
        return [each for each in made if only is None or any(str(each.kind).startswith(str(one)) for one in only)]


_REQUESTS: Mapping[str, tuple[Callable[[Answers, Any], Any], Any]] = {
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
        lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll]),
    ),
}
"""What is answered, by the name of the request, with what a client is told about it."""


_FILES = (
    lsp.TEXT_DOCUMENT_DID_SAVE,
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
)


def language_server() -> LanguageServer:
    """A server that knows nothing yet; texts come whole, so that only one side takes them apart."""
    server = LanguageServer("rulewright", version("rulewright"), lsp.TextDocumentSyncKind.Full)
    session = Session(server)

    def hear(name: str, what: Callable[[Any], None]) -> None:
        def heard(params: Any) -> None:  # noqa: ANN401 - of its notification
            try:
                what(params)
            except Exception as fault:  # noqa: BLE001 - the session goes on
                server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, _told(fault)))

        server.feature(name)(heard)

    for name, (answer, options) in _REQUESTS.items():
        server.feature(name, options)(_answering(session, answer))
    hear(lsp.INITIALIZE, session.began)
    for name in (lsp.TEXT_DOCUMENT_DID_OPEN, lsp.TEXT_DOCUMENT_DID_CHANGE):
        hear(name, lambda params: session.changed(params.text_document.uri))
    hear(lsp.TEXT_DOCUMENT_DID_CLOSE, lambda params: session.closed(params.text_document.uri))
    for name in _FILES:
        hear(name, lambda _: session.refreshed())
    return server


def _answering(session: Session, answer: Callable[[Answers, Any], Any]) -> Callable[[Any], Any]:
    """Answers a request once what was said before it is heard, so that one that is cancelled at once costs nothing."""

    async def answered(params: Any) -> Any:  # noqa: ANN401 - of its request
        await asyncio.sleep(_HEARING)
        try:
            return answer(Answers(session, params.text_document.uri), params)
        except JsonRpcException:
            raise
        except Exception as fault:
            raise JsonRpcException(_told(fault), _FAULT) from fault

    return answered


def _told(fault: Exception) -> str:
    """What is said of a fault of this program."""
    last = traceback.extract_tb(fault.__traceback__)[-1]
    where = f"{type(fault).__name__} in {os.path.basename(last.filename)}:{last.lineno}"  # noqa: PTH119
    return f"this is a fault of rulewright itself, not of your rules; please report it: {where}"


def serve() -> None:
    """Serves one client through the standard streams until it ends, or is gone.

    What else writes to the standard output goes where faults go, for the client would take it for an answer.
    """
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)  # faults are told the client
    heard = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    said = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    sys.stdout = sys.stderr
    language_server().start_io(heard, said)
