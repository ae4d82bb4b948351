"""Waits until a text changes."""

import time
from collections.abc import Iterable
from pathlib import Path

_PAUSE = 0.3


def changed(places: Iterable[str]) -> None:
    """Returns when one of the files was written, taken away or made."""
    paths = [Path(each) for each in places]
    before = _stamps(paths)
    while _stamps(paths) == before:
        time.sleep(_PAUSE)


def _stamps(paths: Iterable[Path]) -> list[int]:
    return [_stamp(each) for each in paths]


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
