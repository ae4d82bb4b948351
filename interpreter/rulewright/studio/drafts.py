"""What was typed and is not saved, kept in the user's cache folder against a crash, a closed tab and a full disk."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from rulewright.studio.folder import Folder, unwritten
from rulewright.studio.gate import Problem
from rulewright.studio.kept import Kept, digest


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
        return tuple(sorted(self._read(f"{digest(path)}."), key=lambda each: -each.at))

    def paths(self) -> frozenset[str]:
        """The files that have drafts."""
        return frozenset(each.path for each in self._read(""))

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
        known = _draft(self._kept.read(_name(path, tab)))
        if known is not None and known.version == version:
            return known.base
        try:
            held = self._folder.read(path)
        except Problem:  # it is gone, or cannot be read; what was typed is kept all the same
            return None
        return held.text if held.version == version else None

    def _read(self, begins: str) -> Iterator[Draft]:
        found = (_draft(self._kept.read(each)) for each in self._kept.names() if each.startswith(begins))
        return (each for each in found if each is not None)


def _name(path: str, tab: str) -> str:
    return f"{digest(path)}.{digest(tab)}"


def _draft(found: dict[str, Any] | None) -> Draft | None:
    """A draft; none where it is none, or damaged."""
    try:
        made = Draft(**(found or {}))
    except TypeError:
        return None
    return made if isinstance(made.text, str) and isinstance(made.path, str) else None
