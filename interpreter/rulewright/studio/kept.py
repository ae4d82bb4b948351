"""What the workbench keeps of a folder in the user's cache folder: JSON documents, each written whole or not at all.

Among them what was typed and is not saved, against a crash, a closed tab and a full disk, and what files held before
they were saved, so that rules can be compared with it.
"""

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

from rulewright.files.writing import replace
from rulewright.studio.folder import Folder, unwritten
from rulewright.studio.gate import Problem

_MOST = 20
"""How many saves of a file are kept."""

_OLD = 90 * 24 * 3600
"""For how many seconds a document is kept that nobody writes anew."""


class Kept:
    """The documents of one sort that are kept of a folder, by name; only their owner may read them."""

    def __init__(self, folder: Path, sort: str, place: Path | None = None) -> None:
        """Looks where they are kept; `place` is another folder than the usual one."""
        own = sha256(os.fsencode(folder)).hexdigest()[:24]
        self._place = (place or user_cache_path("rulewright")) / sort / own

    def names(self) -> list[str]:
        """The names of all that are kept, in order."""
        with suppress(OSError):
            return sorted(each.name for each in self._place.iterdir() if not each.name.startswith("."))
        return []

    def read(self, name: str) -> dict[str, Any] | None:
        """A document; none where it is none, or damaged."""
        try:
            found = json.loads((self._place / name).read_bytes())
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def write(self, name: str, document: dict[str, Any]) -> None:
        """Keeps a document in place of the one that has its name.

        Raises:
            OSError: it cannot be kept.
            ValueError: it cannot be written down.
        """
        for folder in (self._place.parent, self._place):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(self._place / name, json.dumps(document).encode(), 0o600)

    def drop(self, name: str) -> None:
        """Forgets a document."""
        with suppress(OSError):
            (self._place / name).unlink(missing_ok=True)

    def clear(self) -> None:
        """Forgets what nobody wrote anew in months, and what was never finished."""
        before = time.time() - _OLD
        with suppress(OSError):
            for each in self._place.iterdir():
                if each.stat().st_mtime < before or each.name.startswith("."):
                    each.unlink()


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that was typed and not saved."""

    path: str  # of the file that it is for
    tab: str  # which tab of the browser it was typed in
    text: str
    version: str | None  # of the file that it was made from; none for a file that was not there
    base: str | None  # what the file held then, so that both can be merged; none if that is not known
    at: float  # when it was typed, in seconds since 1970


class Drafts:
    """The drafts of one folder, one for each file and tab."""

    def __init__(self, folder: Folder, kept: Kept) -> None:
        self._folder = folder
        self._kept = kept

    def of(self, path: str) -> tuple[Draft, ...]:
        """The drafts of a file, the newest first."""
        return _newest_first(Draft, self._kept, {path})

    def paths(self) -> frozenset[str]:
        """The files that have drafts."""
        return frozenset(each.path for each in _newest_first(Draft, self._kept))

    def keep(self, path: str, tab: str, text: str, version: str | None) -> None:
        """Keeps what was typed in place of what the same tab typed before; what the file holds itself is no draft.

        Raises:
            Problem: it cannot be kept.
        """
        base = self._base(path, tab, version)
        if base is not None and base == text:
            self.drop(path, tab)
            return
        made = Draft(path, tab, text, version, base, time.time())
        try:
            self._kept.write(_name(path, tab), asdict(made))
        except (OSError, ValueError) as error:
            raise unwritten(path, error) from None

    def drop(self, path: str, tab: str) -> None:
        """Forgets what a tab typed: it is saved, or not wanted."""
        self._kept.drop(_name(path, tab))

    def _base(self, path: str, tab: str, version: str | None) -> str | None:
        if version is None:
            return None
        known = _made(Draft, self._kept.read(_name(path, tab)))
        if known is not None and known.version == version:
            return known.base
        try:
            held = self._folder.read(path)
        except Problem:  # it is gone, or cannot be read; what was typed is kept all the same
            return None
        return held.text if held.version == version else None


@dataclass(frozen=True, slots=True)
class Before:
    """What a file held when something else was saved."""

    path: str
    text: str
    at: float  # when that was, in seconds since 1970


class Earlier:
    """The earlier saves of one folder."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def keep(self, path: str, text: str) -> None:
        """Keeps what a file held until now; the oldest of many is forgotten. A full disk keeps none."""
        mine = [each for each in self._kept.names() if each.startswith(f"{_digest(path)}.")]
        for each in mine[: -_MOST + 1]:
            self._kept.drop(each)
        at = time.time()
        with suppress(OSError, ValueError):
            self._kept.write(f"{_digest(path)}.{int(at * 1000):014d}", asdict(Before(path, text, at)))

    def of(self, paths: Collection[str]) -> tuple[Before, ...]:
        """What some files held before each save, the newest first."""
        return _newest_first(Before, self._kept, paths)

    def texts(self, paths: Collection[str], at: float) -> Mapping[str, str]:
        """What files held right before a save, of those that were saved then or since."""
        return {each.path: each.text for each in self.of(paths) if each.at >= at}


_Text = TypeVar("_Text", Draft, Before)


def _newest_first(sort: type[_Text], kept: Kept, paths: Collection[str] | None = None) -> tuple[_Text, ...]:
    """What is kept of some files, or of all, without what is damaged."""
    begins = None if paths is None else {_digest(path) for path in paths}
    names = [each for each in kept.names() if begins is None or each.partition(".")[0] in begins]
    found = [made for each in names if (made := _made(sort, kept.read(each))) is not None]
    return tuple(sorted(found, key=lambda each: -each.at))


def _made(sort: type[_Text], document: dict[str, Any] | None) -> _Text | None:
    try:
        made = sort(**(document or {}))
    except TypeError:
        return None
    is_whole = isinstance(made.text, str) and isinstance(made.path, str) and isinstance(made.at, float)
    return made if is_whole else None


def _name(path: str, tab: str) -> str:
    return f"{_digest(path)}.{_digest(tab)}"


def _digest(text: str) -> str:
    """A short name for a text, such as a path."""
    return sha256(text.encode()).hexdigest()[:24]
