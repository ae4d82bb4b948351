"""What the workbench keeps of a folder in the user's cache folder: JSON documents, each written whole or not at all."""

import json
import os
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from rulewright.files.writing import replace

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


def digest(text: str) -> str:
    """A short name for a text, such as a path."""
    return sha256(text.encode()).hexdigest()[:24]
