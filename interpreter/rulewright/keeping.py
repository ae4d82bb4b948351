"""What was made once and is kept for the next run, in the user's cache folder."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from platformdirs import user_cache_path

from rulewright.frozen import dataclass
from rulewright.resources import folder

_DIGEST = 32
_KNOWS_OWNERS = hasattr(os, "geteuid")


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder of kept things, the oldest of which go when they are too many.

    Nothing here may fail or mislead: what is damaged, cut short or of another name counts as not kept, and so does what
    somebody else could have written. Where nothing can be kept, nothing is.
    """

    name: str  # of the folder
    most: int  # how many things are kept
    size: int  # how many bytes they may have together

    def kept(self, key: str) -> bytes | None:
        """What was kept under a key, byte for byte; none where nothing is kept, or not whole."""
        try:
            place = _place(self.name)
            if not (_is_own(place.parent) and _is_own(place)):
                return None
            found = _own_content(place / key)
        except (OSError, ValueError):
            return None
        content = found[_DIGEST:]
        return content if found[:_DIGEST] == _digest(key, content) else None

    def keep(self, key: str, content: bytes) -> None:
        """Keeps something, if that is possible: written beside its place and moved there, so that it is never half."""
        if len(content) > self.size:
            return
        with suppress(OSError, ValueError):
            place = _place(self.name) / key
            for folder in (place.parent.parent, place.parent):
                _make_own(folder)
            unfinished = place.with_name(f"{key}.{os.getpid()}")
            unfinished.touch(0o600)
            unfinished.write_bytes(_digest(key, content) + content)
            unfinished.replace(place)
            self._clear(place.parent)

    def _clear(self, folder: Path) -> None:
        """Removes the oldest things beyond the limits."""
        with os.scandir(folder) as found:
            things = sorted(((each.stat(), each.path) for each in found), key=lambda each: -each[0].st_mtime_ns)
        size = 0
        for number, (about, path) in enumerate(things):
            size += about.st_size
            if number >= self.most or size > self.size:
                os.unlink(path)  # noqa: PTH108 - a string from the scan


def key_of(*parts: str | bytes) -> str:
    """A key for what is made from these parts: the same parts give the same key, other parts another."""
    digest = sha256()
    for each in parts:
        content = each if isinstance(each, bytes) else each.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(content))
        digest.update(content)
    return digest.hexdigest()


def made_by(places: Iterable[str], library: str) -> str:
    """A name for the code that makes something: files and folders of this package, a library, and Python."""
    found = find_spec(library)
    sources = sorted(each for place in places for each in _sources(Path(__file__).parent / place))
    if found and found.origin:
        sources.append(found.origin)
    return key_of(sys.version, *(Path(each).read_bytes() for each in sources))


def as_installed(beside: Path, *libraries: str) -> str:
    """A name for this package, a folder that belongs to it and some libraries, by size and time of every file.

    So Python itself judges whether what it compiled of a file still stands; reading them all would take too long.
    """
    origins = [found.origin for each in libraries if (found := find_spec(each)) and found.origin]
    places = [*_stamps(os.path.dirname(__file__)), *_stamps(str(beside)), *map(_stamp, origins)]  # noqa: PTH120
    return key_of(sys.version, *sorted(places))


@cache
def maker() -> str:
    """What determines anything kept beside the files it was made of: the grammar, all code, Lark, YAML and Python."""
    return as_installed(folder("grammar"), "lark", "yaml")


def _stamps(place: str) -> Iterator[str]:
    with os.scandir(place) as found:
        for each in found:
            if each.is_dir():
                yield from _stamps(each.path)
            elif not each.name.endswith(".pyc"):
                yield _stamp(each.path)


def _stamp(place: str) -> str:
    about = os.stat(place)  # noqa: PTH116 - hundreds of files
    return f"{place} {about.st_size} {about.st_mtime_ns}"


def _sources(place: Path) -> Iterator[str]:
    if place.suffix:
        yield str(place)
    for inside, _, names in os.walk(place):
        yield from (f"{inside}/{name}" for name in names if name.endswith(".py"))


def _is_own(folder: Path) -> bool:
    """Whether a folder is one, no link, and this user's alone."""
    about = folder.lstat()
    return stat.S_ISDIR(about.st_mode) and _is_ours(about) and not (_KNOWS_OWNERS and about.st_mode & 0o077)


def _is_ours(about: os.stat_result) -> bool:
    return not _KNOWS_OWNERS or about.st_uid == os.geteuid()


def _make_own(folder: Path) -> None:
    """Makes a folder this user's alone; what was kept while others could enter it goes.

    Raises:
        PermissionError: it belongs to somebody else, or is no folder.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _is_own(folder):
        return
    about = folder.lstat()
    if not (stat.S_ISDIR(about.st_mode) and _is_ours(about)):
        raise PermissionError(folder)
    folder.chmod(0o700)
    for each in folder.iterdir():
        if each.is_symlink() or not each.is_dir():
            each.unlink()


def opened(place: str | Path) -> BinaryIO:
    """The file at a place, open for reading, never through a link.

    Opening does not wait, as it would for a pipe without a writer; so callers check what they were given.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(place, flags), "rb")


def _own_content(place: Path) -> bytes:
    """What a regular file holds that is this user's, and that nobody else can write.

    Raises:
        PermissionError: somebody else could have written it.
    """
    with opened(place) as file:
        about = os.fstat(file.fileno())
        if not (stat.S_ISREG(about.st_mode) and _is_ours(about)) or (_KNOWS_OWNERS and about.st_mode & 0o022):
            raise PermissionError(place)
        return file.read()


def _place(name: str) -> Path:
    place = user_cache_path("rulewright") / name
    if not place.is_absolute():  # there is no home
        raise FileNotFoundError(name)
    return place


def _digest(key: str, content: bytes) -> bytes:
    return sha256(key.encode() + content).digest()
