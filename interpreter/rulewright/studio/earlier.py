"""What files held before they were saved, kept in the user's cache folder, so that rules can be compared with it."""

import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from rulewright.studio.kept import Kept, digest

_MOST = 20
"""How many saves of a file are kept."""


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
        mine = [each for each in self._kept.names() if each.startswith(f"{digest(path)}.")]
        for each in mine[: -_MOST + 1]:
            self._kept.drop(each)
        at = time.time()
        with suppress(OSError, ValueError):
            self._kept.write(f"{digest(path)}.{int(at * 1000):014d}", asdict(Before(path, text, at)))

    def of(self, paths: Collection[str]) -> tuple[Before, ...]:
        """What some files held before each save, the newest first."""
        begins = {digest(path) for path in paths}
        found = (_before(self._kept.read(each)) for each in self._kept.names() if each.partition(".")[0] in begins)
        return tuple(sorted((each for each in found if each is not None), key=lambda each: -each.at))

    def texts(self, paths: Collection[str], at: float) -> Mapping[str, str]:
        """What files held right before a save, of those that were saved then or since."""
        return {each.path: each.text for each in self.of(paths) if each.at >= at}


def _before(found: dict[str, Any] | None) -> Before | None:
    try:
        made = Before(**(found or {}))
    except TypeError:
        return None
    return made if isinstance(made.text, str) and isinstance(made.at, float) else None
