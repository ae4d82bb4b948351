"""Which scenarios failed the last time, kept in the cache of the user for each folder tests are started in."""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path

from rulewright.scenarios.results import Result

_GOOD = frozenset({"passed", "skipped"})


def remember(results: Iterable[Result]) -> None:
    """Keeps which of the results failed; cases that were not played stay as they were."""
    played = list(results)
    kept = failed() - {_key(each) for each in played} | {_key(each) for each in played if each.outcome not in _GOOD}
    place = _place()
    unfinished = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps(sorted(kept)), encoding="utf-8")
        unfinished.replace(place)


def failed() -> frozenset[tuple[str, str]]:
    """File and name of every case that failed when it was last played; none where nothing is kept."""
    try:
        kept = json.loads(_place().read_text(encoding="utf-8"))
        return frozenset((str(file), str(name)) for file, name in kept)
    except (OSError, ValueError, TypeError):
        return frozenset()


def _key(result: Result) -> tuple[str, str]:
    return result.case.file, result.case.name


def _place() -> Path:
    started = sha256(str(Path.cwd()).encode()).hexdigest()[:16]
    return user_cache_path("rulewright") / f"failed-{started}.json"
