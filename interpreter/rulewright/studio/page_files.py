"""Files of a page without a disk: taken in from the device of the reader, handed out as an archive, and held in two places."""

import io
import os
import zipfile
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rulewright.base.bounded_files import MAX_FILE_BYTES
from rulewright.studio.request_table import TEXT, Caller, PaneRequest, RequestProblem
from rulewright.studio.work_folder import MAX_LISTED_FILES
from rulewright.studio.workbench import Workbench

_ARCHIVE_ENDING = ".zip"


class PageFiles:
    """What the page asks about its files besides the panes."""

    def __init__(self, workbench: Workbench) -> None:
        self._folder = workbench.folder

    async def pack_files(self, _: dict[str, Any], __: Caller) -> dict[str, Any]:
        """All files of the folder as an archive."""
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for listed in self._folder.scan_files():
                archive.writestr(listed.path, (self._folder.path / listed.path).read_bytes())
        return {"name": f"{self._folder.name}{_ARCHIVE_ENDING}", "content": encode_content(content.getvalue())}

    async def take_files(self, given: dict[str, Any], _: Caller) -> dict[str, Any]:
        """Write files, each with its path, into the folder; archives among them are unpacked.

        What is there under the same name is written over; the reply names what was taken, and what was left out because a
        file here may not be called so, is too large or is no text.
        """
        taken, left_out = list[str](), list[str]()
        for path, content in self._list_contents(given["files"]):
            try:
                place = self._folder.normalize_place(path)
                text = content.decode("utf-8")
                earlier = self._find_version(place)
                self._folder.save_text(place, text, earlier)
                taken.append(place)
            except (RequestProblem, UnicodeDecodeError):
                left_out.append(path)
        return {"taken": taken, "left_out": left_out}

    def _find_version(self, place: str) -> str | None:
        try:
            return self._folder.read_content(place).version
        except RequestProblem:
            return None

    def _list_contents(self, files: dict[str, str]) -> Iterator[tuple[str, bytes]]:
        for path, text in files.items():
            try:
                content = decode_content(text)
            except ValueError:
                raise RequestProblem(400, f"`{path}` did not arrive whole; choose it again") from None
            if not path.lower().endswith(_ARCHIVE_ENDING):
                yield path, content
                continue
            try:
                yield from _unpack(content)
            except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError):
                raise RequestProblem(422, f"`{path}` is not an archive that can be opened here") from None


def _unpack(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of an archive, without a folder that holds them all."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > MAX_LISTED_FILES:
            raise RequestProblem(413, f"an archive may hold {MAX_LISTED_FILES:,} files")
        for entry in entries:
            if entry.file_size > MAX_FILE_BYTES:
                yield entry.filename, b"\xff"
                continue
            with archive.open(entry) as packed:
                yield entry.filename, packed.read(MAX_FILE_BYTES)


def list_page_requests(workbench: Workbench) -> list[PaneRequest]:
    """Requests of a page besides those of the panes."""
    files = PageFiles(workbench)
    contents = {"type": "object", "additionalProperties": TEXT, "maxProperties": MAX_LISTED_FILES}
    return [
        PaneRequest("page/pack", files.pack_files, is_read=True),
        PaneRequest("page/take", files.take_files, {"files": contents}),
    ]


FileChanges = Mapping[str, str | None]
"""Contents of files in base64, by absolute path; None for one that is gone. JSON can hold it."""

_Stamp = tuple[int, int, int]


class FileMirror:
    """What the other place knows of the files of some folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._known: dict[str, _Stamp] = {}

    def collect_changes(self) -> FileChanges:
        """What changed since the other place was told last."""
        now = dict(self._scan())
        changed = [path for path, stamp in now.items() if self._known.get(path) != stamp]
        gone = [path for path in self._known if path not in now]
        self._known = now
        return {**{path: encode_content(Path(path).read_bytes()) for path in changed}, **dict.fromkeys(gone)}

    def apply_changes(self, changes: FileChanges) -> None:
        """Make so here what changed in the other place."""
        for path, content in changes.items():
            if not any(Path(path).is_relative_to(folder) for folder in self._folders):
                continue
            if content is None:
                with suppress(FileNotFoundError):
                    Path(path).unlink()
                self._known.pop(path, None)
                continue
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(decode_content(content))
            self._known[path] = _stamp_file(path)

    def _scan(self) -> Iterator[tuple[str, _Stamp]]:
        for folder in self._folders:
            for inside, _, names in os.walk(folder):
                for name in names:
                    with suppress(OSError):
                        path = f"{inside}/{name}"
                        yield path, _stamp_file(path)


def encode_content(content: bytes) -> str:
    """Bytes as text for JSON."""
    return b64encode(content).decode("ascii")


def decode_content(text: str) -> bytes:
    """Bytes from a text of `encode_content`; raises ValueError where it is none."""
    return b64decode(text, validate=True)


def _stamp_file(path: str) -> _Stamp:
    about = os.stat(path)  # noqa: PTH116 - a string from the scan
    return about.st_mtime_ns, about.st_size, about.st_ino
