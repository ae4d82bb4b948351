"""Which scenarios failed the last time, kept for each folder tests are started in."""

import json
from collections.abc import Iterable
from pathlib import Path

from rulewright.keeping import Shelf, key_of
from rulewright.scenarios.results import Result

_GOOD = frozenset({"passed", "skipped"})
_SHELF = Shelf("failed", most=100, size=16_000_000)


def remember(results: Iterable[Result]) -> None:
    """Keeps which of the results failed; cases that were not played stay as they were."""
    played = list(results)
    kept = failed() - {_key(each) for each in played} | {_key(each) for each in played if each.outcome not in _GOOD}
    _SHELF.keep(_here(), json.dumps(sorted(kept)).encode("utf-8", "surrogatepass"))


def failed() -> frozenset[tuple[str, str]]:
    """File and name of every case that failed when it was last played; none where nothing is kept."""
    kept = _SHELF.kept(_here())
    return frozenset((file, name) for file, name in json.loads(kept)) if kept else frozenset()


def _key(result: Result) -> tuple[str, str]:
    return result.case.file, result.case.name


def _here() -> str:
    return key_of(str(Path.cwd()))
