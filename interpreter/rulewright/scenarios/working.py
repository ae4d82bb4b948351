"""Plays many cases, in this process or in several."""

import os
from collections.abc import Iterator, Sequence
from itertools import repeat

from rulewright.drivers.session import Session
from rulewright.files import Provider
from rulewright.scenarios.beginning import Rules, Which, which
from rulewright.scenarios.kept import KeptRules
from rulewright.scenarios.playing import play
from rulewright.scenarios.results import Result
from rulewright.scenarios.suite import Case
from rulewright.source import Text
from rulewright.workers import started_workers

_PARTS = 4
_EACH = 100


def fitting(count: int) -> int:
    """How many workers are worth their start for so many cases: one for each hundred, as many as there are cores."""
    return min(os.cpu_count() or 1, 1 + count // _EACH)


def results(cases: Sequence[Case], workers: int, rules: Rules, step: str = "") -> Iterator[Result | None]:
    """The result of every case, in order, as soon as it is there; none for one that never comes to a step asked for.

    Several workers read the rules themselves; the texts they read are added to those of the rules.
    """
    if workers == 1 or len(cases) == 1:
        for each in cases:
            yield _result(each, rules, step)
        return
    parts = _parts(cases, workers)
    found: dict[int, Result | None] = {}
    told = 0
    with started_workers(workers) as pool:
        played = pool.map(_part, [[cases[at] for at in part] for part in parts], repeat(rules.provider), repeat(step))
        for part, (came, texts) in zip(parts, played, strict=True):
            rules.texts.update(texts)
            found.update(zip(part, came, strict=True))
            while told in found:
                yield found.pop(told)
                told += 1


def _parts(cases: Sequence[Case], workers: int) -> list[Sequence[int]]:
    """Positions of the cases that one worker plays at a time: of one ruleset, so that few workers have to load it."""
    together: dict[Which, list[int]] = {}
    for position, case in enumerate(cases):
        together.setdefault(which(case), []).append(position)
    size = max(1, len(cases) // (workers * _PARTS))
    return [all_[first : first + size] for all_ in together.values() for first in range(0, len(all_), size)]


_RULES: dict[Provider, KeptRules] = {}
"""Those of a worker, read once for all its parts."""


def _part(cases: Sequence[Case], files: Provider, step: str) -> tuple[list[Result | None], dict[str, Text]]:
    rules = _RULES.setdefault(files, KeptRules(files))
    return [_result(each, rules, step) for each in cases], rules.texts


def _result(case: Case, rules: Rules, step: str) -> Result | None:
    if not step:
        return play(case, rules)
    came: list[bool] = []
    result = play(case, rules, lambda session: came.append(_comes_to(step, session)))
    return result if result.outcome == "wrong" or any(came) else None


def _comes_to(step: str, session: Session) -> bool:
    return any(each.sort == "step" and f"/{each.address}".endswith(f"/{step}") for each in session.entries)
