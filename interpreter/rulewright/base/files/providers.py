"""Where texts come from: the disk, memory, or another provider with some texts replaced; what was asked of a disk."""

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from rulewright.base.resources import get_resource_folder

DATA_SUFFIXES = (".yaml", ".yml", ".json")
"""How the names of scenarios, states, scripts and clause lists end."""


class FileProvider(Protocol):
    """Files by their place: a path with `/`, absolute or from where the tool was started."""

    def get_file_type(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither.

        Also `closed`, a folder that may not be looked into, and of what is not read: `special`, what is not a regular
        file of rules or data, and `outside`, what is not below the folders that may be read.
        """

    def read_file_bytes(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes.

        Raises:
            OSError: it cannot be read.
            ValueError: the place is no possible name.
        """

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order; none where it cannot be read."""

    def get_identity(self, place: str) -> str:
        """The same for two places of one file."""

    def get_rulesets_folder(self) -> str:
        """The folder of shipped rulesets, or nothing."""


def walk_folders(place: str, provider: FileProvider, above: frozenset[str] = frozenset()) -> Iterator[str]:
    """A folder and all below it, in order, also those that are closed; a link to a folder above is not followed."""
    here = provider.get_identity(place)
    if here in above:
        return
    yield place
    for name in provider.list_folder_names(place):
        inside = posixpath.normpath(posixpath.join(place, name))
        if not name.startswith(".") and provider.get_file_type(inside) in {"folder", "closed"}:
            yield from walk_folders(inside, provider, above | {here})


_UNSAVED_CONTENTS: dict[str, bytes] = {}
"""By real path what stands for the content of a file, in this process."""


def set_unsaved_texts(texts: Mapping[str, str]) -> None:
    """Takes texts for what files of this machine hold, by their places, in this process from now on.

    They are those that somebody has typed and not saved; files that are not there stay away.
    """
    _UNSAVED_CONTENTS.update({os.path.realpath(place): text.encode() for place, text in texts.items()})


def get_unsaved_content(place: str) -> bytes | None:
    """What stands for the content of a file; none for most."""
    return _UNSAVED_CONTENTS.get(os.path.realpath(place)) if _UNSAVED_CONTENTS else None


def has_unsaved_texts() -> bool:
    """Whether anything stands for what files of this machine hold."""
    return bool(_UNSAVED_CONTENTS)


class DiskFiles:
    """The files of this machine."""

    def get_file_type(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        try:
            path = Path(place)
            if path.is_dir():
                return "folder" if os.access(path, os.R_OK | os.X_OK) else "closed"
            return "file" if path.exists() else ""
        except (OSError, ValueError):
            return ""

    def read_file_bytes(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        held = get_unsaved_content(place)
        if held is not None:
            return held[:most]
        with Path(place).open("rb") as file:
            return file.read(most)

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        try:
            return tuple(sorted(os.listdir(place or ".")))  # noqa: PTH208 - names, not paths
        except (OSError, ValueError):
            return ()

    def get_identity(self, place: str) -> str:
        """The path with every link followed, as far as that is possible."""
        try:
            return os.path.realpath(place)
        except (OSError, ValueError):
            return posixpath.normpath(place)

    def get_rulesets_folder(self) -> str:
        """The folder of shipped rulesets, as seen from where the tool was started if it is below."""
        path = get_resource_folder("rulesets").resolve()
        try:
            here = Path.cwd()
        except OSError:  # the folder was removed meanwhile
            return path.as_posix()
        return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


class MemoryFiles:
    """Texts kept in memory, by place; folders are those that places lead through."""

    def __init__(self, texts: Mapping[str, str | bytes], shipped: str = "") -> None:
        """Keeps the texts; `get_rulesets_folder` is the folder among them that stands for the shipped rulesets."""
        self._texts = {posixpath.normpath(place): text for place, text in texts.items()}
        self._rulesets_folder = shipped

    def get_file_type(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        if posixpath.normpath(place) in self._texts:
            return "file"
        return "folder" if self.list_folder_names(place) else ""

    def read_file_bytes(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        if self.get_file_type(place) != "file":
            raise FileNotFoundError(place)
        text = self._texts[posixpath.normpath(place)]
        return (text.encode() if isinstance(text, str) else text)[:most]

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        inside = "" if posixpath.normpath(place or ".") == "." else posixpath.normpath(place) + "/"
        below = (text.removeprefix(inside) for text in self._texts if text.startswith(inside))
        return tuple(sorted({item.partition("/")[0] for item in below}))

    def get_identity(self, place: str) -> str:
        """The place in its shortest form."""
        return posixpath.normpath(place)

    def get_rulesets_folder(self) -> str:
        """The folder that stands for the shipped rulesets."""
        return self._rulesets_folder


@dataclass(frozen=True)
class DelegatingFiles:
    """Files of another provider, as they are; what is derived from it changes some."""

    base: FileProvider  # the other provider

    def get_file_type(self, place: str) -> str:
        """As the other provider says."""
        return self.base.get_file_type(place)

    def read_file_bytes(self, place: str, most: int) -> bytes:
        """As the other provider holds it."""
        return self.base.read_file_bytes(place, most)

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        return self.base.list_folder_names(place)

    def get_identity(self, place: str) -> str:
        """The same for two places of one file."""
        return self.base.get_identity(place)

    def get_rulesets_folder(self) -> str:
        """The folder of shipped rulesets, or nothing."""
        return self.base.get_rulesets_folder()


@dataclass(frozen=True)
class FilesWithExtra(DelegatingFiles):
    """Files of another provider, with one more among them."""

    place: str  # of the file that is added
    content: str  # its text

    def get_file_type(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        return "file" if place == self.place else super().get_file_type(place)

    def read_file_bytes(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        return self.content.encode()[:most] if place == self.place else super().read_file_bytes(place, most)

    def get_identity(self, place: str) -> str:
        """The same for two places of one file."""
        return place if place == self.place else super().get_identity(place)


DISK = DiskFiles()
"""The files of this machine."""
NULL_DEVICES = frozenset({"/dev/null", "nul", "NUL"})
"""How git calls a file that is not there."""


@dataclass(frozen=True)
class FilesWithReplacement(DelegatingFiles):
    """Files of another provider; the text of one place is read from another file, or is not there."""

    place: str  # whose text is another
    source: str  # the file that is read for it; the device that holds nothing says that there is no such file

    def get_file_type(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        if not self._is_replaced(place):
            return super().get_file_type(place)
        return "" if self.source in NULL_DEVICES else "file"

    def read_file_bytes(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        return super().read_file_bytes(self.source if self._is_replaced(place) else place, most)

    def _is_replaced(self, place: str) -> bool:
        return self.get_identity(place) == self.get_identity(self.place)


@dataclass(frozen=True)
class RevisedFiles(DelegatingFiles):
    """Files of another provider; those whose new content is given hold that, also where there was none."""

    contents: Mapping[str, str]  # the new contents, by place
    _new_contents: dict[str, bytes] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        """Knows the new contents by what is the same for two places of one file."""
        self._new_contents.update(
            {self.get_identity(place): content.encode() for place, content in self.contents.items()}
        )

    def get_file_type(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        return super().get_file_type(place) or ("file" if self.get_identity(place) in self._new_contents else "")

    def read_file_bytes(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        content = self._new_contents.get(self.get_identity(place))
        return super().read_file_bytes(place, most) if content is None else content[:most]


RecordedAnswers = dict[tuple[Any, ...], object]
"""What was answered, by the name of the question and what it was about; of the content of a file a digest."""


_CHANGED_WHILE_READ = "changed while it was read"
"""Of a file that held something else when it was read again; nobody says that later, so nothing made of it is kept."""


class RecordingFiles:
    """The files of this machine, and what was said of them."""

    def __init__(self, under: DiskFiles) -> None:
        self.base_files = under  # those that are asked
        self.answers: RecordedAnswers = {}  # every answer so far

    def get_file_type(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        result = self.answers["get_file_type", place] = self.base_files.get_file_type(place)
        return result

    def read_file_bytes(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        question = "read_file_bytes", place, most
        before = self.answers.get(question)
        self.answers[question] = None  # until it is read
        content = self.base_files.read_file_bytes(place, most)
        digest = sha256(content).hexdigest()
        self.answers[question] = digest if before in {None, digest} else _CHANGED_WHILE_READ
        return content

    def list_folder_names(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        result = self.answers["list_folder_names", place] = self.base_files.list_folder_names(place)
        return result

    def get_identity(self, place: str) -> str:
        """The path with every link followed, as far as that is possible."""
        result = self.answers["get_identity", place] = self.base_files.get_identity(place)
        return result

    def get_rulesets_folder(self) -> str:
        """The folder of shipped rulesets, as seen from where the tool was started if it is below."""
        result = self.answers["get_rulesets_folder",] = self.base_files.get_rulesets_folder()
        return result


def is_recording_current(said: RecordedAnswers, under: DiskFiles) -> bool:
    """Whether the files of this machine would give the same answers now."""
    now = RecordingFiles(under)
    try:
        for question, *about in said:
            getattr(now, question)(*about)
    except (OSError, ValueError):
        return False
    return now.answers == said
