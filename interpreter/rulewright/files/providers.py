"""Where texts come from: the disk, memory, or another provider with some texts replaced; what was asked of a disk."""

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from rulewright.resources import folder

DATA = (".yaml", ".yml", ".json")
"""How the names of scenarios, states, scripts and clause lists end."""


class Provider(Protocol):
    """Files by their place: a path with `/`, absolute or from where the tool was started."""

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither.

        Also `closed`, a folder that may not be looked into, and of what is not read: `special`, what is not a regular
        file of rules or data, and `outside`, what is not below the folders that may be read.
        """

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes.

        Raises:
            OSError: it cannot be read.
            ValueError: the place is no possible name.
        """

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order; none where it cannot be read."""

    def identity(self, place: str) -> str:
        """The same for two places of one file."""

    def shipped(self) -> str:
        """The folder of shipped rulesets, or nothing."""


def folders_below(place: str, provider: Provider, above: frozenset[str] = frozenset()) -> Iterator[str]:
    """A folder and all below it, in order, also those that are closed; a link to a folder above is not followed."""
    here = provider.identity(place)
    if here in above:
        return
    yield place
    for name in provider.files(place):
        inside = posixpath.normpath(posixpath.join(place, name))
        if not name.startswith(".") and provider.sort(inside) in {"folder", "closed"}:
            yield from folders_below(inside, provider, above | {here})


_UNSAVED: dict[str, bytes] = {}
"""By real path what stands for the content of a file, in this process."""


def take_unsaved(texts: Mapping[str, str]) -> None:
    """Takes texts for what files of this machine hold, by their places, in this process from now on.

    They are those that somebody has typed and not saved; files that are not there stay away.
    """
    _UNSAVED.update({os.path.realpath(place): text.encode() for place, text in texts.items()})


def unsaved(place: str) -> bytes | None:
    """What stands for the content of a file; none for most."""
    return _UNSAVED.get(os.path.realpath(place)) if _UNSAVED else None


def has_unsaved() -> bool:
    """Whether anything stands for what files of this machine hold."""
    return bool(_UNSAVED)


class Disk:
    """The files of this machine."""

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        try:
            path = Path(place)
            if path.is_dir():
                return "folder" if os.access(path, os.R_OK | os.X_OK) else "closed"
            return "file" if path.exists() else ""
        except (OSError, ValueError):
            return ""

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        held = unsaved(place)
        if held is not None:
            return held[:most]
        with Path(place).open("rb") as file:
            return file.read(most)

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        try:
            return tuple(sorted(os.listdir(place or ".")))  # noqa: PTH208 - names, not paths
        except (OSError, ValueError):
            return ()

    def identity(self, place: str) -> str:
        """The path with every link followed, as far as that is possible."""
        try:
            return os.path.realpath(place)
        except (OSError, ValueError):
            return posixpath.normpath(place)

    def shipped(self) -> str:
        """The folder of shipped rulesets, as seen from where the tool was started if it is below."""
        path = folder("rulesets").resolve()
        try:
            here = Path.cwd()
        except OSError:  # the folder was removed meanwhile
            return path.as_posix()
        return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


class Memory:
    """Texts kept in memory, by place; folders are those that places lead through."""

    def __init__(self, texts: Mapping[str, str | bytes], shipped: str = "") -> None:
        """Keeps the texts; `shipped` is the folder among them that stands for the shipped rulesets."""
        self._texts = {posixpath.normpath(place): text for place, text in texts.items()}
        self._shipped = shipped

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        if posixpath.normpath(place) in self._texts:
            return "file"
        return "folder" if self.files(place) else ""

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        if self.sort(place) != "file":
            raise FileNotFoundError(place)
        text = self._texts[posixpath.normpath(place)]
        return (text.encode() if isinstance(text, str) else text)[:most]

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        inside = "" if posixpath.normpath(place or ".") == "." else posixpath.normpath(place) + "/"
        below = (each.removeprefix(inside) for each in self._texts if each.startswith(inside))
        return tuple(sorted({each.partition("/")[0] for each in below}))

    def identity(self, place: str) -> str:
        """The place in its shortest form."""
        return posixpath.normpath(place)

    def shipped(self) -> str:
        """The folder that stands for the shipped rulesets."""
        return self._shipped


@dataclass(frozen=True)
class Relayed:
    """Files of another provider, as they are; what is derived from it changes some."""

    under: Provider  # the other provider

    def sort(self, place: str) -> str:
        """As the other provider says."""
        return self.under.sort(place)

    def read(self, place: str, most: int) -> bytes:
        """As the other provider holds it."""
        return self.under.read(place, most)

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        return self.under.files(place)

    def identity(self, place: str) -> str:
        """The same for two places of one file."""
        return self.under.identity(place)

    def shipped(self) -> str:
        """The folder of shipped rulesets, or nothing."""
        return self.under.shipped()


@dataclass(frozen=True)
class Laid(Relayed):
    """Files of another provider, with one more among them."""

    place: str  # of the file that is added
    content: str  # its text

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        return "file" if place == self.place else super().sort(place)

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        return self.content.encode()[:most] if place == self.place else super().read(place, most)

    def identity(self, place: str) -> str:
        """The same for two places of one file."""
        return place if place == self.place else super().identity(place)


DISK = Disk()
"""The files of this machine."""
NOWHERE = frozenset({"/dev/null", "nul", "NUL"})
"""How git calls a file that is not there."""


@dataclass(frozen=True)
class Replaced(Relayed):
    """Files of another provider; the text of one place is read from another file, or is not there."""

    place: str  # whose text is another
    source: str  # the file that is read for it; the device that holds nothing says that there is no such file

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        if not self._is_replaced(place):
            return super().sort(place)
        return "" if self.source in NOWHERE else "file"

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        return super().read(self.source if self._is_replaced(place) else place, most)

    def _is_replaced(self, place: str) -> bool:
        return self.identity(place) == self.identity(self.place)


@dataclass(frozen=True)
class Revised(Relayed):
    """Files of another provider; those whose new content is given hold that, also where there was none."""

    contents: Mapping[str, str]  # the new contents, by place
    _held: dict[str, bytes] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        """Knows the new contents by what is the same for two places of one file."""
        self._held.update({self.identity(place): content.encode() for place, content in self.contents.items()})

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        return super().sort(place) or ("file" if self.identity(place) in self._held else "")

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        content = self._held.get(self.identity(place))
        return super().read(place, most) if content is None else content[:most]


Said = dict[tuple[Any, ...], object]
"""What was answered, by the name of the question and what it was about; of the content of a file a digest."""


_TWO_ANSWERS = "changed while it was read"
"""Of a file that held something else when it was read again; nobody says that later, so nothing made of it is kept."""


class Listening:
    """The files of this machine, and what was said of them."""

    def __init__(self, under: Disk) -> None:
        self.under = under  # those that are asked
        self.said: Said = {}  # every answer so far

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        found = self.said["sort", place] = self.under.sort(place)
        return found

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        question = "read", place, most
        before = self.said.get(question)
        self.said[question] = None  # until it is read
        content = self.under.read(place, most)
        digest = sha256(content).hexdigest()
        self.said[question] = digest if before in {None, digest} else _TWO_ANSWERS
        return content

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        found = self.said["files", place] = self.under.files(place)
        return found

    def identity(self, place: str) -> str:
        """The path with every link followed, as far as that is possible."""
        found = self.said["identity", place] = self.under.identity(place)
        return found

    def shipped(self) -> str:
        """The folder of shipped rulesets, as seen from where the tool was started if it is below."""
        found = self.said["shipped",] = self.under.shipped()
        return found


def still_said(said: Said, under: Disk) -> bool:
    """Whether the files of this machine would give the same answers now."""
    now = Listening(under)
    try:
        for question, *about in said:
            getattr(now, question)(*about)
    except (OSError, ValueError):
        return False
    return now.said == said
