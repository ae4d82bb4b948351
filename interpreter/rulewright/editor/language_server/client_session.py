"""State of one client: a workspace per folder, pending checks, published diagnostics."""

import asyncio
import gc
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from rulewright.base.bounded_files import ProjectFileError
from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.base.files import DATA_SUFFIXES
from rulewright.base.git_tree import read_committed_text
from rulewright.base.source import Span
from rulewright.documents.ruleset_location import RULES_SUFFIX, bound_files, bound_folder, find_project
from rulewright.editor import data_files, project_file
from rulewright.editor.editor_workspace import Workspace, find_rule_problems
from rulewright.editor.language_server import protocol_conversion
from rulewright.editor.language_server.protocol_conversion import CODE_UNIT_BYTES, LineIndex, get_line_index

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
            self._publish_diagnostics(desk, find_rule_problems(desk.open_document(place, settle=False)))
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
        opened = (
            text_document
            for text_document in self._server.workspace.text_documents
            if to_fs_path(text_document) == path
        )
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
