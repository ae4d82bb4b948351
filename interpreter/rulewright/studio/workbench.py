"""What all panes share: the folder, drafts and earlier saves in the user's cache, the command runner, and what printed answers become."""

import json
import os
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from platformdirs import user_cache_path

from rulewright.base.files import replace_file
from rulewright.studio.command_lines import CommandResult, CommandRunner
from rulewright.studio.request_table import BAD_REQUEST_MESSAGE, Caller, RequestProblem, run_blocking
from rulewright.studio.work_folder import WorkFolder, unwritten_problem

_MAX_SAVES_PER_FILE = 20
"""Limit of earlier saves of a file."""

_MAX_AGE_S = 90 * 24 * 3600
"""Seconds until an unchanged document is dropped."""


class DocumentStore:
    """JSON documents of one sort for a folder, by name, in the user's cache; each is written atomically."""

    def __init__(self, folder: Path, sort: str, place: Path | None = None) -> None:
        """`place` replaces the cache folder of the user."""
        own = sha256(os.fsencode(folder)).hexdigest()[:24]
        self._place = (place or user_cache_path("rulewright")) / sort / own

    def list_names(self) -> list[str]:
        """Names of all documents, sorted."""
        with suppress(OSError):
            return sorted(path.name for path in self._place.iterdir() if not path.name.startswith("."))
        return []

    def read_document(self, name: str) -> dict[str, Any] | None:
        """A document; None if missing or damaged."""
        try:
            mapping = json.loads((self._place / name).read_bytes())
        except (OSError, ValueError):
            return None
        return mapping if isinstance(mapping, dict) else None

    def write_document(self, name: str, document: dict[str, Any]) -> None:
        """Write a document.

        Raises:
            OSError: it cannot be written.
            ValueError: it is no JSON.
        """
        for folder in (self._place.parent, self._place):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(self._place / name, json.dumps(document).encode(), 0o600)

    def drop_document(self, name: str) -> None:
        with suppress(OSError):
            (self._place / name).unlink(missing_ok=True)

    def remove_old_documents(self) -> None:
        """Remove documents older than `_MAX_AGE_S`, and unfinished files."""
        oldest_time = time.time() - _MAX_AGE_S
        with suppress(OSError):
            for path in self._place.iterdir():
                if path.stat().st_mtime < oldest_time or path.name.startswith("."):
                    path.unlink()


@dataclass(frozen=True, slots=True)
class Draft:
    """A typed text that is not saved."""

    path: str
    tab: str  # browser tab
    text: str
    version: str | None  # of the file it was made from; None: a new file
    base: str | None  # content of that version, for a merge; None: unknown
    at: float  # Unix time


class DraftStore:
    """Drafts of a folder, one for each file and tab."""

    def __init__(self, folder: WorkFolder, store: DocumentStore) -> None:
        self._folder = folder
        self._store = store

    def drafts_of(self, path: str) -> tuple[Draft, ...]:
        """Drafts of a file, the newest first."""
        return _load_newest_first(Draft, self._store, {path})

    def drafted_paths(self) -> frozenset[str]:
        return frozenset(draft.path for draft in _load_newest_first(Draft, self._store))

    def keep_draft(self, path: str, tab: str, text: str, version: str | None) -> None:
        """Store the draft of a tab; a text equal to the file is no draft.

        Raises:
            RequestProblem: it cannot be stored.
        """
        base = self._find_base_text(path, tab, version)
        if base is not None and base == text:
            self.drop_draft(path, tab)
            return
        draft = Draft(path, tab, text, version, base, time.time())
        try:
            self._store.write_document(_draft_name(path, tab), asdict(draft))
        except (OSError, ValueError) as error:
            raise unwritten_problem(path, error) from None

    def drop_draft(self, path: str, tab: str) -> None:
        self._store.drop_document(_draft_name(path, tab))

    def _find_base_text(self, path: str, tab: str, version: str | None) -> str | None:
        if version is None:
            return None
        known = _parse_stored(Draft, self._store.read_document(_draft_name(path, tab)))
        if known is not None and known.version == version:
            return known.base
        try:
            held = self._folder.read_content(path)
        except RequestProblem:  # unreadable; the draft is stored all the same
            return None
        return held.text if held.version == version else None


@dataclass(frozen=True, slots=True)
class EarlierText:
    """The content of a file before a save."""

    path: str
    text: str
    at: float  # Unix time


class EarlierSaves:
    """Contents before saves, of a folder."""

    def __init__(self, store: DocumentStore) -> None:
        self._store = store

    def keep_earlier(self, path: str, text: str) -> None:
        """Store the content before a save; drops the oldest of many, and stores nothing on a full disk."""
        mine = [name for name in self._store.list_names() if name.startswith(f"{_hash_name(path)}.")]
        for item in mine[: -_MAX_SAVES_PER_FILE + 1]:
            self._store.drop_document(item)
        at = time.time()
        with suppress(OSError, ValueError):
            self._store.write_document(f"{_hash_name(path)}.{int(at * 1000):014d}", asdict(EarlierText(path, text, at)))

    def earlier_texts(self, paths: Collection[str]) -> tuple[EarlierText, ...]:
        """Contents of files before each save, the newest first."""
        return _load_newest_first(EarlierText, self._store, paths)

    def texts_before(self, paths: Collection[str], at: float) -> Mapping[str, str]:
        """Contents of files right before the save at a time, of files saved then or later."""
        return {one.path: one.text for one in self.earlier_texts(paths) if one.at >= at}


_Text = TypeVar("_Text", Draft, EarlierText)


def _load_newest_first(
    sort: type[_Text], store: DocumentStore, paths: Collection[str] | None = None
) -> tuple[_Text, ...]:
    """Undamaged documents of some files, or of all, the newest first."""
    begins = None if paths is None else {_hash_name(path) for path in paths}
    names = [name for name in store.list_names() if begins is None or name.partition(".")[0] in begins]
    result = [stored for name in names if (stored := _parse_stored(sort, store.read_document(name))) is not None]
    return tuple(sorted(result, key=lambda item: -item.at))


def _parse_stored(sort: type[_Text], document: dict[str, Any] | None) -> _Text | None:
    try:
        stored = sort(**(document or {}))
    except TypeError:
        return None
    is_whole = isinstance(stored.text, str) and isinstance(stored.path, str) and isinstance(stored.at, float)
    return stored if is_whole else None


def _draft_name(path: str, tab: str) -> str:
    return f"{_hash_name(path)}.{_hash_name(tab)}"


def _hash_name(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:24]


_UNKNOWN_REASON = "this cannot be done; the reason is not known"


@dataclass(frozen=True, slots=True)
class Workbench:
    """The folder, its stores, and the command runner."""

    folder: WorkFolder
    runner: CommandRunner
    drafts: DraftStore
    earlier_saves: EarlierSaves
    play_store: DocumentStore

    @classmethod
    def for_folder(cls, folder: WorkFolder, standby: CommandRunner, place: Path | None = None) -> "Workbench":
        """Workbench of a folder; `place` replaces the user's cache folder."""
        drafts, saves, plays = (DocumentStore(folder.path, sort, place) for sort in ("studio", "saves", "plays"))
        for document_store in (drafts, saves, plays):
            document_store.remove_old_documents()
        folder.remove_leftovers()
        return cls(folder, standby, DraftStore(folder, drafts), EarlierSaves(saves), plays)

    def requested_place(self, given: Mapping[str, Any], name: str = "path") -> str:
        """Normalized place of the file that a request names."""
        return self.folder.normalize_place(require_text(given, name))

    def typed_texts(self, given: Mapping[str, Any]) -> dict[str, str]:
        """Texts that a request brings along, in place of files, by place."""
        typed: Mapping[str, str] = given.get("texts") or {}
        return {self.folder.normalize_place(path): text for path, text in typed.items()}

    def overlay_options(self, given: Mapping[str, Any]) -> list[str]:
        """Options for the overlays that a request names."""
        return [f"--overlay={self.folder.normalize_place(item)}" for item in given.get("overlays") or ()]

    async def read_playable(
        self, caller: Caller, given: Mapping[str, Any], texts: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """JSON of `play --list`, with the scenarios that can be opened here."""
        line = ["--list", "--format", "json", *self.overlay_options(given)]
        line += [f"--state={self.requested_place(given, 'state')}"] if given.get("state") else []
        line += ["--", self.requested_place(given), *([require_text(given, "name")] if given.get("name") else [])]
        result = await self.runner.run_command("play", line, caller=caller, texts=texts)
        return await run_blocking(self._keep_openable_scenarios, result)

    def _keep_openable_scenarios(self, result: CommandResult) -> dict[str, Any]:
        mapping = parse_command_json(result, "procedures")
        ours = {one.path for one in self.folder.scan_files()}
        return {**mapping, "scenarios": [item for item in mapping["scenarios"] if item["file"] in ours]}


def require_text(given: Mapping[str, Any], name: str) -> str:
    """A text that is needed beside another one that is given; raises `RequestProblem` if it is missing."""
    result = given.get(name)
    if not isinstance(result, str):
        raise RequestProblem(400, BAD_REQUEST_MESSAGE)
    return result


def parse_command_json(command_result: CommandResult, needed: str) -> dict[str, Any]:
    """JSON object that a command printed, with the needed key.

    Raises:
        RequestProblem: 422, there is none; with the output instead, of diagnostics each error with place and remedy.
    """
    try:
        result = json.loads(command_result.out)
    except ValueError:
        result = None
    if not isinstance(result, dict):
        raise RequestProblem(422, command_result.err.strip() or command_result.out.strip() or _UNKNOWN_REASON)
    if needed not in result:
        wrong = [item for item in result.get("diagnostics", ()) if item["severity"] == "error"]
        raise RequestProblem(
            422, "\n".join(map(_format_finding, wrong)) or command_result.err.strip() or _UNKNOWN_REASON
        )
    return result


def _format_finding(finding: Mapping[str, Any]) -> str:
    place = finding["place"]
    where = f"{place['file']}:{place['line']}" if place else ""
    return ": ".join(filter(None, (where, finding["message"], finding["help"])))
