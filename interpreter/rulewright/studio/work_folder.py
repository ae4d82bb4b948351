"""The working folder: its files are listed, read, and written atomically; nothing outside is touched."""

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from threading import Lock

from rulewright.base.bounded_files import (
    MAX_FILE_BYTES,
    PROJECT_FILE_NAME,
    is_below_folder,
    read_regular_file,
    resolve_links,
)
from rulewright.base.files import describe_write_error, get_resource_folder, remove_stale_drafts, replace_file
from rulewright.studio.request_table import RequestProblem

RULESET_WORD, OVERLAY_WORD = "ruleset", "amends"
"""First words of rulesets and of overlays."""

MAX_LISTED_FILES = 2_000
"""Limit of listed files."""

_SORT_BY_ENDING = {
    ".rules": "rules",
    ".scenario.yaml": "scenario",
    ".scenario.yml": "scenario",
    ".clauses.yaml": "clauses",
    ".state.yaml": "state",
    ".script.yaml": "script",
    ".odds.yaml": "odds",
    **dict.fromkeys((".yaml", ".yml", ".json", ".csv", ".md", ".toml"), "other"),
}
"""Sort of a file by the end of its name, the longest first."""

_MAX_DEPTH = 12
_MAX_NAME_CHARS = 200
_FORBIDDEN_CHARS = re.compile(
    r'[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff<>:"|?*\\]'
)
"""Characters no name may have: control and invisible ones, surrogates, those some systems forbid."""

_DEVICE_NAMES = re.compile(r"(?i)\A(con|prn|aux|nul|com\d|lpt\d)(\.|\Z)")
_HEADER_PATTERN = re.compile(rb"\A(?:[ \t]*(?:#[^\n]*)?\r?\n)*(ruleset|amends)[ \t]")
_RULESET_REFERENCE_PATTERN = re.compile(rb"^ruleset:[ \t]*[\"']?([^\"'#\r\n]+?)[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_USE_PATTERN = re.compile(rb'^use[ \t]+"([^"\r\n]*)"', re.MULTILINE)
_MAX_HEADER_BYTES = 20_000
_DISK_FULL_ERRNOS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of the folder."""

    path: str  # relative, with `/`
    sort: str  # `rules`, `scenario`, `state`, `script`, `clauses`, `odds` or `other`
    version: str  # hash of the content
    header_word: str  # `RULESET_WORD`, `OVERLAY_WORD`, or empty
    names: tuple[str, ...]  # used files of rules, or ruleset of a scenario or state, as written


@dataclass(frozen=True, slots=True)
class FileContent:
    """Text and version of a file."""

    text: str  # with LF
    version: str


class WorkFolder:
    """One folder, with the file operations that a browser may use."""

    def __init__(self, path: Path) -> None:
        self.path = Path(resolve_links(str(path)))
        self._known: dict[str, tuple[tuple[int, ...], ListedFile]] = {}  # by path, with the file metadata
        self._writing = Lock()

    @property
    def name(self) -> str:
        return self.path.name or str(self.path)

    def normalize_place(self, written: str) -> str:
        """Canonical relative path of a file that may not exist yet.

        Raises:
            RequestProblem: it leads outside, or is no name that a file of the workbench may have.
        """
        parts = PurePosixPath(written).parts
        if not parts or written.startswith("/") or len(written) > _MAX_NAME_CHARS * 2 or len(parts) > _MAX_DEPTH:
            raise _bad_name_problem(written)
        if any(not _is_allowed_name(part) for part in parts) or _file_sort(parts[-1]) == "":
            raise _bad_name_problem(written)
        result = "/".join(parts)
        path = self.path / result
        if not is_below_folder(resolve_links(str(path)), str(self.path)) or _is_other_case(self.path, parts):
            raise _bad_name_problem(written)
        if os.path.lexists(path) and not path.is_file():
            raise _bad_name_problem(written)
        return result

    def scan_files(self) -> tuple[ListedFile, ...]:
        """Files of the folder and below, in order, without hidden ones and without links to folders."""
        mapping = dict(self._walk_files(self.path, ""))
        self._known = mapping
        return tuple(listed for _, listed in sorted(mapping.values(), key=lambda item: item[1].path))

    def remove_leftovers(self) -> None:
        """Remove temporary files of interrupted saves."""
        for path in {self.path, *((self.path / listed.path).parent for listed in self.scan_files())}:
            remove_stale_drafts(path)

    def read_content(self, written: str) -> FileContent:
        """Content of a file.

        Raises:
            RequestProblem: there is no such file, or it cannot be shown as a text.
        """
        place = self.normalize_place(written)
        content = self._read_bytes(place)
        if content is None:
            raise RequestProblem(404, f"there is no file `{place}` any more")
        return FileContent(_decode_text(place, content), _content_version(content))

    def save_text(self, written: str, text: str, version: str | None) -> str:
        """Replace the content of a file atomically; returns the new version.

        `version` is the one the text was made from; None for a new file. CRLF line ends and a byte order mark are kept.

        Raises:
            RequestProblem: 409, the file has another version, whose content is in the reply; 507, the disk is full; others,
                it cannot be written. The file is as it was.
        """
        place = self.normalize_place(written)
        with self._writing:
            old_content = self._read_bytes(place)
            result = None if old_content is None else _content_version(old_content)
            content = _encode_text(text, old_content or b"")
            if result != version and old_content != content:
                raise _conflict_problem(place, old_content)
            if len(content) > MAX_FILE_BYTES:
                raise RequestProblem(413, f"`{place}` would be larger than {MAX_FILE_BYTES:,} bytes")
            try:
                (self.path / place).parent.mkdir(parents=True, exist_ok=True)
                replace_file(self.path / place, content)
            except (OSError, ValueError) as error:
                raise unwritten_problem(place, error) from None
        return _content_version(content)

    def remove_unchanged(self, written: str, version: str) -> None:
        """Remove a file of a given version.

        Raises:
            RequestProblem: 409, it has another version; others, it cannot be removed.
        """
        place = self.normalize_place(written)
        with self._writing:
            old_content = self._read_bytes(place)
            if old_content is None:
                return
            if _content_version(old_content) != version:
                raise _conflict_problem(place, old_content)
            try:
                (self.path / place).unlink()
            except OSError as error:
                raise RequestProblem(403, f"`{place}` cannot be removed: {describe_write_error(error)}") from None

    def _read_bytes(self, place: str) -> bytes | None:
        try:
            content = read_regular_file(resolve_links(str(self.path / place)), MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise RequestProblem(403, f"`{place}` cannot be read: {describe_write_error(error)}") from None
        if len(content) > MAX_FILE_BYTES:
            raise RequestProblem(413, f"`{place}` is larger than {MAX_FILE_BYTES:,} bytes")
        return content

    def _walk_files(self, folder: Path, before: str) -> Iterator[tuple[str, tuple[tuple[int, ...], ListedFile]]]:
        try:
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=lambda dir_entry: dir_entry.name)
        except OSError:
            return
        for entry in entries[: MAX_LISTED_FILES * 2]:
            path = f"{before}{entry.name}"
            if not _is_allowed_name(entry.name) or path.count("/") >= _MAX_DEPTH:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._walk_files(Path(entry.path), f"{path}/")
            elif sort := _file_sort(entry.name):
                listed = self._inspect_file(entry, path, sort)
                if listed is not None:
                    yield path, listed

    def _inspect_file(
        self, entry: "os.DirEntry[str]", path: str, sort: str
    ) -> tuple[tuple[int, ...], ListedFile] | None:
        """Metadata and listing of a file, read only if its metadata changed; None for an unlisted file."""
        try:
            about = entry.stat()
            stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
            if not stat.S_ISREG(about.st_mode) or not is_below_folder(resolve_links(entry.path), str(self.path)):
                return None
            known = self._known.get(path)
            if known is not None and known[0] == stamp:
                return known
            content = read_regular_file(resolve_links(entry.path), MAX_FILE_BYTES + 1)
        except (OSError, ValueError):
            return None
        begins = _HEADER_PATTERN.match(content[:_MAX_HEADER_BYTES]) if sort == "rules" else None
        names = (
            (_USE_PATTERN if sort == "rules" else _RULESET_REFERENCE_PATTERN).findall(content[:_MAX_HEADER_BYTES])
            if sort != "other"
            else []
        )
        decoded_names = tuple(name.decode(errors="replace") for name in names)
        return stamp, ListedFile(
            path, sort, _content_version(content), begins[1].decode() if begins else "", decoded_names
        )


def _is_allowed_name(part: str) -> bool:
    return not (
        part[:1] in {"", ".", "-", "~", " "}
        or part[-1] in {".", " "}
        or len(part) > _MAX_NAME_CHARS
        or _FORBIDDEN_CHARS.search(part)
        or _DEVICE_NAMES.match(part)
    )


def _file_sort(name: str) -> str:
    """Sort of a file by name; empty for other files."""
    if name.endswith(".toml") and name != PROJECT_FILE_NAME:
        return ""
    return next((sort for ending, sort in _SORT_BY_ENDING.items() if name.endswith(ending)), "")


def _is_other_case(folder: Path, parts: tuple[str, ...]) -> bool:
    """Whether a file exists under a name with other capitals, on a case-insensitive disk."""
    for part in parts:
        if not os.path.lexists(folder / part):
            return False
        if part not in os.listdir(folder):  # noqa: PTH208 - names
            return True
        folder /= part
    return False


def _bad_name_problem(written: str) -> RequestProblem:
    shown = "".join(item if item.isprintable() else "?" for item in written[:60])
    return RequestProblem(400, f"`{shown}` cannot be the name of a file here")


def _conflict_problem(place: str, content: bytes | None) -> RequestProblem:
    if content is None:
        return RequestProblem(409, f"`{place}` is not there any more", text=None, version=None)
    words = f"`{place}` was changed somewhere else since you opened it"
    return RequestProblem(409, words, text=_decode_text(place, content), version=_content_version(content))


def shorten_paths(folder: Path, words: str) -> str:
    """Text with paths relative to the folder, and shipped files by name."""
    shipped = get_resource_folder("rulesets")
    for way, place in (("", shipped), *(("../" * up, path) for up, path in enumerate((folder, *folder.parents[:-1])))):
        words = words.replace(f"{place}{os.sep}", way)
    return words.replace(str(folder), folder.name)


def unwritten_problem(place: str, error: OSError | ValueError) -> RequestProblem:
    """Problem of a failed write: disk full, no permission, and others."""
    if isinstance(error, OSError) and error.errno in _DISK_FULL_ERRNOS:
        return RequestProblem(507, f"`{place}` is not saved: the disk is full; what you typed stays here")
    return RequestProblem(403, f"`{place}` is not saved: {describe_write_error(error)}; what you typed stays here")


def _content_version(content: bytes) -> str:
    return sha256(content).hexdigest()[:24]


def _decode_text(place: str, content: bytes) -> str:
    try:
        return content.decode().removeprefix(_BYTE_ORDER_MARK).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise RequestProblem(415, f"`{place}` is not UTF-8, so it cannot be shown; save it as UTF-8") from None


def _encode_text(text: str, old_content: bytes) -> bytes:
    """Bytes of a text with the line ends and byte order mark of the old content."""
    mark = _BYTE_ORDER_MARK.encode() if old_content.startswith(_BYTE_ORDER_MARK.encode()) else b""
    content = text.replace("\r\n", "\n").encode()
    ends = old_content.count(b"\n")
    return mark + (content.replace(b"\n", b"\r\n") if ends and old_content.count(b"\r\n") == ends else content)
