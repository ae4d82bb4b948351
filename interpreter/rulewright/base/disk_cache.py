"""Disk cache in the user's cache folder, safe against damage and against other users of the machine."""

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

from rulewright.base.files import get_resource_folder
from rulewright.base.frozen import dataclass

_DIGEST_BYTES = 32
_PARTS = 16
"""Parts of a bucket, by number or size, after which it is looked through for what is too much."""
_HAS_FILE_OWNERS = hasattr(os, "geteuid")


@dataclass(frozen=True, slots=True)
class CacheBucket:
    """A folder of cached values with limits on their number and size; the oldest are evicted.

    The folder is looked through, on average, each time that a sixteenth of the entries it may hold were stored, or one
    of that size, so that it may exceed its limits by about as much.

    A cache never fails and never misleads: an entry that is damaged, cut short, stored under another name, or that
    another user could have written counts as missing. Where nothing can be stored, nothing is.
    """

    name: str
    max_entries: int
    max_bytes: int

    def load_bytes(self, key: str) -> bytes | None:
        """The bytes stored under a key; none where there is no intact entry."""
        try:
            place = _get_bucket_folder(self.name)
            if not (_is_private_folder(place.parent) and _is_private_folder(place)):
                return None
            result = _read_private_file(place / key)
        except (OSError, ValueError):
            return None
        content = result[_DIGEST_BYTES:]
        return content if result[:_DIGEST_BYTES] == _compute_digest(key, content) else None

    def store_bytes(self, key: str, content: bytes) -> None:
        """Stores bytes if possible: written beside the entry and renamed, so that an entry is never half written."""
        if len(content) > self.max_bytes:
            return
        with suppress(OSError, ValueError):
            place = _get_bucket_folder(self.name) / key
            for folder in (place.parent.parent, place.parent):
                _make_private_folder(folder)
            unfinished = place.with_name(f"{key}.{os.getpid()}")
            unfinished.touch(0o600)
            unfinished.write_bytes(_compute_digest(key, content) + content)
            unfinished.replace(place)
            spread = int.from_bytes(sha256(key.encode()).digest()[:4], "big")
            if spread % self.max_entries < _PARTS or len(content) * _PARTS > self.max_bytes:
                self._evict_oldest(place.parent)

    def _evict_oldest(self, folder: Path) -> None:
        with os.scandir(folder) as scandir_iterator:
            entries = sorted(
                ((dir_entry.stat(), dir_entry.path) for dir_entry in scandir_iterator),
                key=lambda item: -item[0].st_mtime_ns,
            )
        size = 0
        for number, (stat_result, path) in enumerate(entries):
            size += stat_result.st_size
            if number >= self.max_entries or size > self.max_bytes:
                os.unlink(path)  # noqa: PTH108 - a string from the scan


def make_cache_key(*parts: str | bytes) -> str:
    """SHA-256 of the parts and their lengths, in hexadecimal."""
    digest = sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(content))
        digest.update(content)
    return digest.hexdigest()


def fingerprint_code(places: Iterable[str], library: str) -> str:
    """Hash of the contents of code files and folders (paths within the package), of a library's file, and of Python."""
    sources = sorted(file for place in places for file in _list_source_files(Path(__file__).parents[1] / place))
    sources += _find_library_file(library)
    return make_cache_key(sys.version, *(Path(source).read_bytes() for source in sources))


def fingerprint_installation(beside: Path, *libraries: str) -> str:
    """Hash of the package, a folder beside it and libraries, by path, size and time of every file.

    Python judges compiled files in the same way; reading all files would take too long.
    """
    origins = [origin for library in libraries for origin in _find_library_file(library)]
    places = [
        *_list_file_stamps(str(Path(__file__).parents[1])),
        *_list_file_stamps(str(beside)),
        *map(_stamp_file, origins),
    ]
    return make_cache_key(sys.version, *sorted(places))


@cache
def fingerprint_toolchain() -> str:
    """Hash of what every cached result depends on: grammar, all code, Lark, YAML and Python."""
    return fingerprint_installation(get_resource_folder("grammar"), "lark", "yaml")


def _list_file_stamps(place: str) -> Iterator[str]:
    with os.scandir(place) as result:
        for dir_entry in result:
            if dir_entry.is_dir():
                yield from _list_file_stamps(dir_entry.path)
            elif not dir_entry.name.endswith(".pyc"):
                yield _stamp_file(dir_entry.path)


def _stamp_file(place: str) -> str:
    stat_result = os.stat(place)  # noqa: PTH116 - hundreds of files
    return f"{place} {stat_result.st_size} {stat_result.st_mtime_ns}"


def _find_library_file(library: str) -> list[str]:
    """The file of a library; none where it is not there, as in a page, where no module has a file."""
    result = find_spec(library)
    return [result.origin] if result and result.origin and Path(result.origin).is_file() else []


def _list_source_files(place: Path) -> Iterator[str]:
    if place.is_file():
        yield str(place)
    for inside, _, names in os.walk(place):
        yield from (f"{inside}/{name}" for name in names if name.endswith(".py"))


def _is_private_folder(folder: Path) -> bool:
    stat_result = folder.lstat()
    return (
        stat.S_ISDIR(stat_result.st_mode)
        and _is_owned_by_user(stat_result)
        and not (_HAS_FILE_OWNERS and stat_result.st_mode & 0o077)
    )


def _is_owned_by_user(stat_result: os.stat_result) -> bool:
    return not _HAS_FILE_OWNERS or stat_result.st_uid == os.geteuid()


def _make_private_folder(folder: Path) -> None:
    """Creates a folder with mode 0700; empties one that others could enter before.

    Raises:
        PermissionError: the folder belongs to another user, or is no folder.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _is_private_folder(folder):
        return
    stat_result = folder.lstat()
    if not (stat.S_ISDIR(stat_result.st_mode) and _is_owned_by_user(stat_result)):
        raise PermissionError(folder)
    folder.chmod(0o700)
    for path in folder.iterdir():
        if path.is_symlink() or not path.is_dir():
            path.unlink()


def open_without_links(place: str | Path) -> BinaryIO:
    """The file at a path, open for reading, never through a symbolic link.

    Opening does not block, as it would for a pipe without a writer; callers check the type of the file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(place, flags), "rb")


def _read_private_file(place: Path) -> bytes:
    """Raises PermissionError if another user could have written the file."""
    with open_without_links(place) as file:
        stat_result = os.fstat(file.fileno())
        if not (stat.S_ISREG(stat_result.st_mode) and _is_owned_by_user(stat_result)) or (
            _HAS_FILE_OWNERS and stat_result.st_mode & 0o022
        ):
            raise PermissionError(place)
        return file.read()


def _get_bucket_folder(name: str) -> Path:
    place = user_cache_path("rulewright") / name
    if not place.is_absolute():  # there is no home
        raise FileNotFoundError(name)
    return place


def _compute_digest(key: str, content: bytes) -> bytes:
    return sha256(key.encode() + content).digest()
