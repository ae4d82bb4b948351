"""Waits until a text changes."""

import time
from collections.abc import Sequence
from pathlib import Path

from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.finding import scenario_files

_PAUSE = 0.3


def changed(places: Sequence[str], rules: Rules) -> None:
    """Returns when a text of the rules was written or taken away, or there are other scenario files in the places."""
    before = _stamps(places, rules)
    while _stamps(places, rules) == before:
        time.sleep(_PAUSE)


def _stamps(places: Sequence[str], rules: Rules) -> dict[str, int]:
    found = [file for place in places for file in scenario_files(place, rules.provider)]
    return {each: _stamp(Path(each)) for each in (*rules.texts, *found)}


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
