"""Plays many cases, in this process or in several."""

from collections.abc import Iterator, Sequence

from rulewright.files import DISK
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.playing import play
from rulewright.scenarios.results import Result
from rulewright.scenarios.suite import Case
from rulewright.source import Text

_PARTS = 8


def results(cases: Sequence[Case], workers: int, rules: Rules) -> Iterator[Result]:
    """The result of every case, in order, as soon as it is there.

    Several workers read the rules from the disk; the texts they read are added to those of the rules.
    """
    if workers == 1 or len(cases) == 1:
        for each in cases:
            yield play(each, rules)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - seldom wanted

    size = max(1, len(cases) // (workers * _PARTS))
    parts = [cases[first : first + size] for first in range(0, len(cases), size)]
    with ProcessPoolExecutor(workers) as pool:
        for part, texts in pool.map(_part, parts):
            rules.texts.update(texts)
            yield from part


_RULES = Rules(DISK)
"""Those of a worker, read once for all its parts."""


def _part(cases: Sequence[Case]) -> tuple[list[Result], dict[str, Text]]:
    return [play(each, _RULES) for each in cases], _RULES.texts
