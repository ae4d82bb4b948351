"""What one client has open, and what it is told of it."""

import asyncio
import gc
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from rulewright.diagnostics import Diagnostic, Edit
from rulewright.editing import data_files, project_file
from rulewright.editing.desk import Desk, problems
from rulewright.files import DATA
from rulewright.files.git_tree import committed
from rulewright.files.project import ProjectError
from rulewright.inputs.project import alone, bounded, project_of
from rulewright.language_server import saying
from rulewright.language_server.positions import UNITS, Lines, lines
from rulewright.source import Span
from rulewright.workspace.locate import RULES

PAUSE = 0.25
"""For how many seconds nothing is typed before the rules are checked."""

_LITTER = 20_000
"""How many objects may come up until what checks left behind is looked for, at a pause: of itself Python looks late."""


class Session:
    """What one client has open: a desk for each folder, and what it was told."""

    def __init__(self, server: LanguageServer) -> None:
        self.commands: frozenset[str] = frozenset()  # those that the client knows
        self._server = server
        self._desks: dict[str, Desk] = {}  # by folder
        self._complaints: dict[str, str] = {}  # by folder what was said of its project file last, if it is wrong
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
            self._desks[top] = Desk(committed=committed)
            self._read_project(top)
        return self._desks[top]

    def _read_project(self, top: str) -> None:
        """What the project file of a folder says counts from now on; one that is wrong is told of, and says nothing."""
        try:
            files, project = bounded((top,), ()), project_of(top)
        except ProjectError as wrong:
            said = f"{wrong.text.name}: {wrong.diagnostic.message}"
            if self._complaints.get(top) != said:
                self._server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, said))
            self._complaints[top] = said
            files, project = alone(top), None
        else:
            self._complaints.pop(top, None)
        self._desks[top].refresh(files, files.weights_at, project.published if project is not None else {})

    def changed(self, uri: str) -> None:
        """Hears that a text is open and what it says."""
        place = to_fs_path(uri)
        if place is None or not (place.endswith((RULES, *DATA)) or project_file.is_project(place)):
            return
        desk = self.desk(place)
        desk.change(place, _whole(self._server.workspace.get_text_document(uri).source))
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
            self._tell(desk, wrong_with(desk, each))
            await asyncio.sleep(0)
        if gc.get_count()[0] > _LITTER:
            gc.collect()

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
        for top in self._desks:
            self._read_project(top)
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


def _whole(written: str) -> str:
    """A text with a sign in the place of each half of a character, as long as it was."""
    return written if written.isascii() else written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def wrong_with(desk: Desk, place: str) -> Mapping[str, tuple[Diagnostic, ...]]:
    """All that is wrong with what an open text belongs to, by text."""
    if place.endswith(RULES):
        return problems(desk.opened(place))
    return {place: (project_file if project_file.is_project(place) else data_files).problems(desk, place)}


def _places(found: Diagnostic) -> set[str]:
    labels = (*((found.primary,) if found.primary else ()), *found.secondary)
    return {each.span.source for each in labels}
