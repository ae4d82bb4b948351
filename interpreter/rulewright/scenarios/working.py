"""Plays many cases, in this process or in several."""

from collections.abc import Iterator, Sequence
from itertools import repeat

from rulewright.drivers.session import Session
from rulewright.files import DISK
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.playing import play
from rulewright.scenarios.results import Result
from rulewright.scenarios.suite import Case
from rulewright.source import Text

_PARTS = 8


def results(cases: Sequence[Case], workers: int, rules: Rules, step: str = "") -> Iterator[Result | None]:
    """The result of every case, in order, as soon as it is there; none for one that never comes to a step asked for.

    Several workers read the rules from the disk; the texts they read are added to those of the rules.
    """
    if workers == 1 or len(cases) == 1:
        for each in cases:
            yield _result(each, rules, step)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - seldom wanted

    size = max(1, len(cases) // (workers * _PARTS))
    parts = [cases[first : first + size] for first in range(0, len(cases), size)]
    with ProcessPoolExecutor(workers) as pool:
        for part, texts in pool.map(_part, parts, repeat(step)):
            rules.texts.update(texts)
            yield from part


_RULES = Rules(DISK)
"""Those of a worker, read once for all its parts."""


def _part(cases: Sequence[Case], step: str) -> tuple[list[Result | None], dict[str, Text]]:
    return [_result(each, _RULES, step) for each in cases], _RULES.texts


def _result(case: Case, rules: Rules, step: str) -> Result | None:
    if not step:
        return play(case, rules)
    came: list[bool] = []
    result = play(case, rules, lambda session: came.append(_comes_to(step, session)))
    return result if result.outcome == "wrong" or any(came) else None


def _comes_to(step: str, session: Session) -> bool:
    return any(each.sort == "step" and f"/{each.address}".endswith(f"/{step}") for each in session.entries)
