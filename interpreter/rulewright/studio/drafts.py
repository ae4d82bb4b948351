"""What was typed and is not saved, kept in the user's cache folder against a crash, a closed tab and a full disk."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path

from rulewright.files.writing import replace
from rulewright.studio.folder import Folder, unwritten
from rulewright.studio.gate import Problem

_OLD = 90 * 24 * 3600
"""For how many seconds a draft is kept that nobody asks for."""


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

    def __init__(self, folder: Folder, place: Path | None = None) -> None:
        """Looks where they are kept; `place` is another folder than the usual one."""
        own = sha256(os.fsencode(folder.path)).hexdigest()[:24]
        self._folder = folder
        self._place = (place or user_cache_path("rulewright") / "studio") / own

    def of(self, path: str) -> tuple[Draft, ...]:
        """The drafts of a file, the newest first."""
        found = (_read(each) for each in self._files() if each.name.startswith(f"{_digest(path)}."))
        return tuple(sorted((each for each in found if each is not None), key=lambda each: -each.at))

    def paths(self) -> frozenset[str]:
        """The files that have drafts."""
        return frozenset(each.path for file in self._files() if (each := _read(file)) is not None)

    def keep(self, path: str, tab: str, text: str, version: str | None) -> None:
        """Keeps what was typed in place of what the same tab typed before; what the file holds itself is no draft.

        Raises:
            Problem: it cannot be kept.
        """
        file = self._file(path, tab)
        base = self._base(path, tab, version)
        if base is not None and base == text:
            self.drop(path, tab)
            return
        made = Draft(path, tab, text, version, base, time.time())
        try:
            for folder in (self._place.parent, self._place):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace(file, json.dumps(asdict(made)).encode())
            file.chmod(0o600)
        except (OSError, ValueError) as error:
            raise unwritten(path, error) from None

    def drop(self, path: str, tab: str) -> None:
        """Forgets what a tab typed: it is saved, or not wanted."""
        with suppress(OSError):
            self._file(path, tab).unlink(missing_ok=True)

    def clear(self) -> None:
        """Forgets what nobody asked for in months, and what was never finished."""
        before = time.time() - _OLD
        with suppress(OSError):
            for each in self._place.iterdir():
                if each.stat().st_mtime < before or each.name.startswith("."):
                    each.unlink()

    def _base(self, path: str, tab: str, version: str | None) -> str | None:
        if version is None:
            return None
        known = _read(self._file(path, tab))
        if known is not None and known.version == version:
            return known.base
        try:
            held = self._folder.read(path)
        except Problem:  # it is gone, or cannot be read; what was typed is kept all the same
            return None
        return held.text if held.version == version else None

    def _files(self) -> Iterator[Path]:
        with suppress(OSError):
            yield from sorted(each for each in self._place.iterdir() if not each.name.startswith("."))

    def _file(self, path: str, tab: str) -> Path:
        return self._place / f"{_digest(path)}.{_digest(tab)}"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:24]


def _read(file: Path) -> Draft | None:
    """A draft; none where it is none, or damaged."""
    try:
        found = json.loads(file.read_bytes())
        made = Draft(**found)
    except (OSError, ValueError, TypeError):
        return None
    return made if isinstance(made.text, str) and isinstance(made.path, str) else None
