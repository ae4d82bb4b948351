"""File providers (the disk, memory, decorators that replace, add or record texts), atomic replacement, and this installation.

Of the installation: where the files shipped with it are, and the command that adds an extra to it.
"""

import errno
import json
import os
import posixpath
import shlex
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

DATA_SUFFIXES = (".yaml", ".yml", ".json")
"""Suffixes of scenarios, states, scripts and clause lists."""


class FileProvider(Protocol):
    """Read access to files by place: a path with `/`, absolute or relative to the current folder."""

    def get_file_type(self, place: str) -> str:
        """`file`, `folder`, or empty where there is neither.

        Also `closed` (a folder without permission to list it), `special` (no regular file of rules or data) and
        `outside` (not below the readable folders).
        """

    def read_file_bytes(self, place: str, most: int) -> bytes:
        """Content of a file, up to a limit.

        Raises:
            OSError: it cannot be read.
            ValueError: the place is no possible name.
        """

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        """Sorted names in a folder; none where it cannot be read."""

    def get_identity(self, place: str) -> str:
        """A string that is the same for two places of one file."""

    def get_rulesets_folder(self) -> str:
        """The folder of shipped rulesets, or empty."""


MAX_WALKED_NAMES = 50_000
"""Most files and folders below a folder that a command line names; a chosen limit."""


class FolderTooLargeError(Exception):
    """A folder holds more files and folders than are looked through."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


def walk_folders(place: str, provider: FileProvider, most: int | None = None) -> Iterator[str]:
    """A folder and all below it, depth first, closed ones too; a link to a folder above is not followed.

    Raises:
        FolderTooLargeError: it holds more than `most` files and folders.
    """
    seen = count(1)

    def walk(folder: str, above: frozenset[str]) -> Iterator[str]:
        here = provider.get_identity(folder)
        if here in above:
            return
        yield folder
        for name in provider.list_folder_names(folder):
            if most is not None and next(seen) > most:
                raise FolderTooLargeError(place)
            inside = posixpath.normpath(posixpath.join(folder, name))
            if not name.startswith(".") and provider.get_file_type(inside) in {"folder", "closed"}:
                yield from walk(inside, above | {here})

    return walk(place, frozenset())


_UNSAVED_CONTENTS: dict[str, bytes] = {}
"""Substitutes for file contents in this process, by real path."""


def set_unsaved_texts(texts: Mapping[str, str]) -> None:
    """Substitutes texts for the contents of existing disk files, by place, in this process from now on.

    They are editor buffers with unsaved changes.
    """
    _UNSAVED_CONTENTS.update({os.path.realpath(place): text.encode() for place, text in texts.items()})


def clear_unsaved_texts() -> None:
    """Nothing stands for a file in this process any more."""
    _UNSAVED_CONTENTS.clear()


def get_unsaved_content(place: str) -> bytes | None:
    """The substitute for the content of a file; none for most."""
    return _UNSAVED_CONTENTS.get(os.path.realpath(place)) if _UNSAVED_CONTENTS else None


def has_unsaved_texts() -> bool:
    """Whether texts that are typed and not saved stand for files in this process."""
    return bool(_UNSAVED_CONTENTS)


class NamedPipeError(OSError):
    """A place is a named pipe, whose reader would wait until somebody writes."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, "it is a named pipe")


def _is_named_pipe(place: str) -> bool:
    """Whether a place is a pipe in a folder; the shell's own pipes (`/dev/stdin`, `/dev/fd/63`) lead to none."""
    try:
        return stat.S_ISFIFO(os.stat(os.path.realpath(place)).st_mode)  # noqa: PTH116 - one call
    except (OSError, ValueError):
        return False


class DiskFiles:
    """File provider of this machine's disk."""

    def get_file_type(self, place: str) -> str:
        try:
            path = Path(place)
            if path.is_dir():
                return "folder" if os.access(path, os.R_OK | os.X_OK) else "closed"
            return "file" if path.exists() else ""
        except (OSError, ValueError):
            return ""

    def read_file_bytes(self, place: str, most: int) -> bytes:
        unsaved = get_unsaved_content(place)
        if unsaved is not None:
            return unsaved[:most]
        if _is_named_pipe(place):
            raise NamedPipeError
        with Path(place).open("rb") as file:
            return file.read(most)

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        try:
            return tuple(sorted(os.listdir(place or ".")))  # noqa: PTH208 - names, not paths
        except (OSError, ValueError):
            return ()

    def get_identity(self, place: str) -> str:
        """The real path, as far as links can be resolved."""
        try:
            return os.path.realpath(place)
        except (OSError, ValueError):
            return posixpath.normpath(place)

    def get_rulesets_folder(self) -> str:
        """The folder of shipped rulesets, relative to the current folder if it is below."""
        path = get_resource_folder("rulesets").resolve()
        try:
            here = Path.cwd()
        except OSError:  # the folder was removed meanwhile
            return path.as_posix()
        return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


class MemoryFiles:
    """File provider of texts in memory; folders are those that places lead through."""

    def __init__(self, texts: Mapping[str, str | bytes], shipped: str = "") -> None:
        """Keeps texts by place; `shipped` is the place that stands for the folder of shipped rulesets."""
        self._texts = {posixpath.normpath(place): text for place, text in texts.items()}
        self._rulesets_folder = shipped

    def get_file_type(self, place: str) -> str:
        if posixpath.normpath(place) in self._texts:
            return "file"
        return "folder" if self.list_folder_names(place) else ""

    def read_file_bytes(self, place: str, most: int) -> bytes:
        if self.get_file_type(place) != "file":
            raise FileNotFoundError(place)
        text = self._texts[posixpath.normpath(place)]
        return (text.encode() if isinstance(text, str) else text)[:most]

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        inside = "" if posixpath.normpath(place or ".") == "." else posixpath.normpath(place) + "/"
        below = (text.removeprefix(inside) for text in self._texts if text.startswith(inside))
        return tuple(sorted({item.partition("/")[0] for item in below}))

    def get_identity(self, place: str) -> str:
        return posixpath.normpath(place)

    def get_rulesets_folder(self) -> str:
        return self._rulesets_folder


@dataclass(frozen=True)
class DelegatingFiles:
    """Base class of decorators: everything as in another provider."""

    base: FileProvider

    def get_file_type(self, place: str) -> str:
        return self.base.get_file_type(place)

    def read_file_bytes(self, place: str, most: int) -> bytes:
        return self.base.read_file_bytes(place, most)

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        return self.base.list_folder_names(place)

    def get_identity(self, place: str) -> str:
        return self.base.get_identity(place)

    def get_rulesets_folder(self) -> str:
        return self.base.get_rulesets_folder()


@dataclass(frozen=True)
class FilesWithExtra(DelegatingFiles):
    """Another provider with one more file."""

    place: str
    content: str

    def get_file_type(self, place: str) -> str:
        return "file" if place == self.place else super().get_file_type(place)

    def read_file_bytes(self, place: str, most: int) -> bytes:
        return self.content.encode()[:most] if place == self.place else super().read_file_bytes(place, most)

    def get_identity(self, place: str) -> str:
        return place if place == self.place else super().get_identity(place)


DISK = DiskFiles()
NULL_DEVICES = frozenset({"/dev/null", "nul", "NUL"})
"""Git's names for a missing file."""


@dataclass(frozen=True)
class FilesWithReplacement(DelegatingFiles):
    """Another provider in which the text of one place is that of another file, or is missing."""

    place: str  # place with another text
    source: str  # file read instead; a null device: the file is missing

    def get_file_type(self, place: str) -> str:
        if not self._is_replaced(place):
            return super().get_file_type(place)
        return "" if self.source in NULL_DEVICES else "file"

    def read_file_bytes(self, place: str, most: int) -> bytes:
        return super().read_file_bytes(self.source if self._is_replaced(place) else place, most)

    def _is_replaced(self, place: str) -> bool:
        return self.get_identity(place) == self.get_identity(self.place)


@dataclass(frozen=True)
class RevisedFiles(DelegatingFiles):
    """Another provider with new contents for some files, existing or not."""

    contents: Mapping[str, str]  # by place
    _new_contents: dict[str, bytes] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        """Indexes the new contents by file identity."""
        self._new_contents.update(
            {self.get_identity(place): content.encode() for place, content in self.contents.items()}
        )

    def get_file_type(self, place: str) -> str:
        return super().get_file_type(place) or ("file" if self.get_identity(place) in self._new_contents else "")

    def read_file_bytes(self, place: str, most: int) -> bytes:
        content = self._new_contents.get(self.get_identity(place))
        return super().read_file_bytes(place, most) if content is None else content[:most]


RecordedAnswers = dict[tuple[Any, ...], object]
"""Answers by question name and arguments; of the content of a file its digest."""


_CHANGED_WHILE_READ = "changed while it was read"
"""Answer for a file that changed between two reads; no later answer equals it, so nothing made of it is cached."""


class RecordingFiles:
    """The disk, or another recording of it, with a record of every answer for `is_recording_current`."""

    def __init__(self, under: "DiskFiles | RecordingFiles") -> None:
        self.base_files = under
        self.answers: RecordedAnswers = {}

    def get_file_type(self, place: str) -> str:
        result = self.answers["get_file_type", place] = self.base_files.get_file_type(place)
        return result

    def read_file_bytes(self, place: str, most: int) -> bytes:
        question = "read_file_bytes", place, most
        before = self.answers.get(question)
        self.answers[question] = None  # until it is read
        content = self.base_files.read_file_bytes(place, most)
        digest = sha256(content).hexdigest()
        self.answers[question] = digest if before in {None, digest} else _CHANGED_WHILE_READ
        return content

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        result = self.answers["list_folder_names", place] = self.base_files.list_folder_names(place)
        return result

    def get_identity(self, place: str) -> str:
        result = self.answers["get_identity", place] = self.base_files.get_identity(place)
        return result

    def get_rulesets_folder(self) -> str:
        result = self.answers["get_rulesets_folder",] = self.base_files.get_rulesets_folder()
        return result


def is_recording_current(recorded: RecordedAnswers, under: DiskFiles | RecordingFiles) -> bool:
    """Whether the disk would still give every recorded answer; a recording of it records them too."""
    now = RecordingFiles(under)
    try:
        for question, *about in recorded:
            getattr(now, question)(*about)
    except (OSError, ValueError):
        return False
    return now.answers == recorded


_MAX_NAME_BYTES = 255
_MAX_DRAFT_NAME_CHARACTERS = 40
"""Characters of the file's name in that of its draft; at most four bytes each, well below the limit of a name."""

_DRAFT_SUFFIX = ".unfinished"

_MAX_DRAFT_AGE_S = 60
"""Age from which a draft counts as abandoned; chosen, not measured: writing takes milliseconds."""

_WRITE_PERMISSION_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def _read_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


_UMASK = _read_umask()
"""Umask of the process, read once, since reading changes it for a moment."""


def replace_file(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Replaces a file atomically; permissions stay, links are followed, a read-only file is refused.

    Args:
        path: an existing or a new file.
        content: its new content.
        mode: permissions of a new file, before the umask.

    Raises:
        OSError: it cannot be written; the old file is intact.
        ValueError: its name is not possible.
    """
    place = Path(os.path.realpath(path))
    before = _get_file_mode(place)
    _refuse_read_only(place, before)
    handle, draft = _open_draft(place)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        draft.chmod(mode & ~_UMASK if before is None else before & 0o7777)
        draft.replace(place)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def remove_stale_drafts(folder: Path) -> None:
    """Deletes drafts in a folder that killed processes left behind, and no other file."""
    before = time.time() - _MAX_DRAFT_AGE_S
    for path in folder.glob(f".*{_DRAFT_SUFFIX}"):
        with suppress(OSError):
            if path.lstat().st_mtime < before and stat.S_ISREG(path.lstat().st_mode):
                path.unlink()


def check_replaceable(path: Path) -> None:
    """Checks that `replace_file` could write a file, and changes nothing.

    Raises:
        OSError: it cannot be written.
        ValueError: its name is not possible.
    """
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    _refuse_read_only(place, _get_file_mode(place))
    handle, draft = _open_draft(place)
    os.close(handle)
    draft.unlink()


def describe_write_error(error: OSError | ValueError) -> str:
    """Reason of a failed write, as a clause."""
    return (error.strerror or "no reason given").lower() if isinstance(error, OSError) else "its name is not possible"


def _open_draft(path: Path) -> tuple[int, Path]:
    if len(os.fsencode(path.name)) > _MAX_NAME_BYTES:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    handle, name = tempfile.mkstemp(
        dir=path.parent, prefix=f".{path.name[:_MAX_DRAFT_NAME_CHARACTERS]}.", suffix=_DRAFT_SUFFIX
    )
    return handle, Path(name)


def _get_file_mode(place: Path) -> int | None:
    try:
        return place.stat().st_mode
    except FileNotFoundError:
        return None


def _refuse_read_only(place: Path, mode: int | None) -> None:
    """Raise PermissionError for a read-only file, also for the superuser, whom the system would let write."""
    if mode is None or not stat.S_ISREG(mode):
        return
    if not mode & _WRITE_PERMISSION_BITS or (not os.access(place, os.W_OK) and place.exists()):
        raise PermissionError(errno.EACCES, "it is read-only")


def get_resource_folder(kind: str) -> Path:
    """Folder of shipped files, `grammar` or `rulesets`: in an installed package, or beside the interpreter in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / kind
    return inside if inside.is_dir() else package.parents[1] / kind


_PACKAGE_NAME = "rulewright"


def get_install_command(extra: str) -> str:
    """Shell command that installs an extra into this environment from the source of this installation."""
    return " ".join(_get_installer_arguments() + _get_source_arguments(extra))


def _get_installer_arguments() -> list[str]:
    if "pipx" in Path(sys.prefix).parts:
        return ["pipx", "install", "--force"]
    if find_spec("pip") is None:
        return ["uv", "pip", "install", "--python", shlex.quote(sys.executable)]
    return [shlex.quote(sys.executable), "-m", "pip", "install"]


def _get_source_arguments(extra: str) -> list[str]:
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - slow to import

    named = f"{_PACKAGE_NAME}[{extra}]"
    try:
        written = distribution(_PACKAGE_NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        written = None
    if not written:
        return [f"'{named}'"]
    origin = json.loads(written)
    url = origin["url"]
    if "dir_info" not in origin:
        if "vcs_info" in origin:
            url = f"{origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}"
        return [shlex.quote(f"{named} @ {url}")]
    folder = shlex.quote(f"{unquote(urlsplit(url).path)}[{extra}]")
    return ["--editable", folder] if origin["dir_info"].get("editable") else [folder]
