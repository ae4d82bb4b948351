"""Files bounded to folders, and reading a text from a file provider."""

import dataclasses
import errno
import os
import posixpath
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rulewright.base.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.base.disk_cache import open_without_links
from rulewright.base.files import DiskFiles, FileProvider, NamedPipeError, get_unsaved_content
from rulewright.base.source import Span, Text

PROJECT_FILE_NAME = "rulewright.toml"
"""The file that marks a folder as a project."""

_READ_SUFFIXES = (".rules", ".yaml", ".yml", ".json", ".csv")
_RULES_SUFFIXES = (".rules", ".clauses.yaml")


class OutsideFoldersError(PermissionError):
    """A place leads outside of the readable folders."""

    def __init__(self, folders: Sequence[str]) -> None:
        super().__init__(errno.EACCES, "it leads outside the folders that may be read")
        self.folders = tuple(folders)


class SpecialFileError(OSError):
    """A place is no regular file of rules or data."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, "it is not a regular file of rules or data")


class ProjectFileError(Exception):
    """A project file is wrong (RW0018)."""

    def __init__(self, diagnostic: Diagnostic, text: Text) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic  # RW0018
        self.text = text


@dataclass(frozen=True)
class BoundedFiles(DiskFiles):
    """Disk files below some folders, links resolved: for what documents name, or a search lists.

    Only regular files of rules and data are there; files that a command line names are read as named.
    """

    named_files: frozenset[str]  # absolute places of files that a command line names
    folders: tuple[str, ...]  # real paths of the folders below which everything may be read
    rules_only_folders: tuple[str, ...] = ()  # those below which only rules and clause lists may be
    weights: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()  # what findings weigh in each project, by code
    _piped_contents: dict[str, bytes] = field(default_factory=dict, compare=False)

    def get_file_type(self, place: str) -> str:
        return (
            super().get_file_type(place) if self._is_named_file(place) else self._classify_place(resolve_links(place))
        )

    def read_file_bytes(self, place: str, most: int) -> bytes:
        """Content of a file, up to a limit; never blocks.

        Raises:
            OutsideFoldersError: the place leads outside.
            SpecialFileError: it is no regular file of rules or data.
        """
        if self._is_named_file(place):
            return self._read_named_file(place, most)
        text = resolve_links(place)
        match self._classify_place(text):
            case "outside":
                raise OutsideFoldersError((*self.folders[:-1], *self.rules_only_folders))
            case "special":
                raise SpecialFileError
            case _:
                return read_regular_file(text, most)

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        return super().list_folder_names(place) if self.get_file_type(place or ".") == "folder" else ()

    def get_weights_at(self, place: str) -> dict[str, str]:
        """Severities of findings by code in the project that a place belongs to; empty where it belongs to none."""
        projects = sorted(self.weights, key=lambda item: len(item[0]), reverse=True)
        return next(
            (dict(weights) for folder, weights in projects if is_below_folder(resolve_links(place), folder)), {}
        )

    def _read_named_file(self, place: str, most: int) -> bytes:
        """Content of a file that a command line names; that of a pipe, which comes once, is cached."""
        if place in self._piped_contents:
            return self._piped_contents[place]
        content = super().read_file_bytes(place, most)
        if not Path(place).is_file():
            self._piped_contents[place] = content
        return content

    def _is_named_file(self, place: str) -> bool:
        return make_absolute(place) in self.named_files

    def _classify_place(self, real: str) -> str:
        result = super().get_file_type(real)
        if not self._is_readable(real, result):
            return "outside"
        if result != "file":
            return result
        return "file" if Path(real).is_file() and real.endswith(_READ_SUFFIXES) else "special"

    def _is_readable(self, real: str, sort: str) -> bool:
        if any(is_below_folder(real, folder) for folder in self.folders):
            return True
        return any(is_below_folder(real, only_folder) for only_folder in self.rules_only_folders) and (
            sort != "file" or real.endswith(_RULES_SUFFIXES)
        )


def make_absolute(place: str) -> str:
    """Absolute path of a place, links not followed."""
    try:
        return os.path.abspath(place)  # noqa: PTH100 - links are not followed
    except OSError:  # the folder was removed meanwhile
        return place


def resolve_links(place: str) -> str:
    """Absolute path of a place, links followed."""
    try:
        return os.path.realpath(place)
    except (OSError, ValueError):  # the folder was removed meanwhile, or it is no possible name
        return place


def is_below_folder(place: str, folder: str) -> bool:
    """Whether a real path is a folder or lies in it."""
    return place == folder or place.startswith(folder.rstrip(os.sep) + os.sep)


def read_regular_file(real: str, most: int) -> bytes:
    """Content of a regular file, up to a limit.

    Raises:
        SpecialFileError: it is none.
    """
    with open_without_links(real) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise SpecialFileError
        unsaved = get_unsaved_content(real)
        return file.read(most) if unsaved is None else unsaved[:most]


MAX_FILE_BYTES = 8_000_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def make_file_error(code: str, message: str, remedy: str = "", place: Label | None = None) -> Diagnostic:
    """Error diagnostic about a file."""
    return Diagnostic(code, Severity.ERROR, message, place, help=remedy)


def read_text_file(place: str, provider: FileProvider, origin: Label | None = None) -> Text | Diagnostic:
    """The text of a UTF-8 file, with or without a byte order mark.

    `origin` is the place of the line that names the file. Diagnostics: RW0001 (no file), RW0002 (a folder), RW0003 (not
    readable), RW0004 (another encoding), RW0005 (too large), RW0019 (no regular file of rules or data), RW0020 (outside
    of the readable folders).
    """
    content = _read_content(place, provider, origin)
    if isinstance(content, Diagnostic):
        return content
    if content.startswith(_UTF16_MARKS) or b"\0" in content[:2]:
        return make_file_error("RW0004", f"`{place}` is not UTF-8; it looks like UTF-16", "save it as UTF-8", origin)
    try:
        return Text(place, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"`{place}` is not UTF-8: byte {error.start} in line {line}"
        return make_file_error("RW0004", message, "save it as UTF-8", origin)


def _read_content(place: str, provider: FileProvider, origin: Label | None) -> bytes | Diagnostic:
    sort = provider.get_file_type(place)
    if sort in {"folder", "closed"}:
        return _refuse_folder(place, sort, origin)
    if not sort and "\0" not in place:
        return _refuse_absent(place, provider, origin)
    content = _read_from_provider(place, provider, origin)
    if not isinstance(content, Diagnostic) and len(content) > MAX_FILE_BYTES:
        return make_file_error("RW0005", f"`{place}` is larger than {MAX_FILE_BYTES:,} bytes", "", origin)
    return content


def _read_from_provider(place: str, provider: FileProvider, origin: Label | None) -> bytes | Diagnostic:
    try:
        return provider.read_file_bytes(place, MAX_FILE_BYTES + 1)
    except SpecialFileError:
        message = f"`{place}` is not a regular file of rules or data, so it is not read"
        return make_file_error("RW0019", message, "to read it, name it in the command itself", origin)
    except NamedPipeError:
        message = f"`{place}` is a named pipe, so it is not read: that could wait for ever"
        return make_file_error("RW0019", message, "name a file, or give the text as `/dev/stdin`", origin)
    except OutsideFoldersError as error:
        return _refuse_outside(place, provider, error, origin)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "its name is not possible"
        return make_file_error("RW0003", f"`{place}` cannot be read: {reason.lower()}", "", origin)


def _refuse_folder(place: str, sort: str, origin: Label | None) -> Diagnostic:
    if sort == "closed":
        return make_file_error("RW0003", f"`{place}` cannot be read: permission denied", "", origin)
    return make_file_error("RW0002", f"`{place}` is a folder, not a file", "name a file in it", origin)


def _refuse_outside(place: str, provider: FileProvider, error: OutsideFoldersError, origin: Label | None) -> Diagnostic:
    here = provider.get_identity(".")
    folders = [
        os.path.relpath(folder, here) if Path(folder).is_relative_to(here) else folder for folder in error.folders
    ]
    listed = " and ".join(f"`{folder}`" for folder in folders)
    remedy = f"only what is below {listed} is read; to add a folder, give `--allow DIR`"
    return make_file_error("RW0020", f"`{place}` leads outside the project", remedy, origin)


def _refuse_absent(place: str, provider: FileProvider, origin: Label | None) -> Diagnostic:
    from rulewright.base.diagnostics.remedies import find_nearest_name, is_single_typo  # noqa: PLC0415 - most files are there

    inside, name = posixpath.split(place)
    names = [folder_name for folder_name in provider.list_folder_names(inside) if folder_name != name]
    close = find_nearest_name(name, names)
    remedy = f"did you mean `{posixpath.join(inside, close)}`?" if close else ""
    result = make_file_error("RW0001", f"there is no file `{place}`", remedy, origin)
    if close is None or origin is None:
        return result
    last = Span(origin.span.source, origin.span.end - 1 - len(name), origin.span.end - 1)
    return dataclasses.replace(result, edits=(Edit(last, close, is_single_typo(name, close, names)),))
