"""What is wrong with a case, as far as that is known before it is played."""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from rulewright.diagnostics import Diagnostic
from rulewright.inputs.nodes import merged_mappings
from rulewright.machine.faults import Limits
from rulewright.scenarios.expectations import table
from rulewright.scenarios.expectations.shapes import ODDS
from rulewright.scenarios.expected_odds import foreseen_odds
from rulewright.scenarios.opening import Rules, opening
from rulewright.scenarios.play import judged_invalid
from rulewright.scenarios.suite import Case


def foreseen(case: Case, rules: Rules) -> tuple[Diagnostic, ...]:
    """All that `play` would find wrong with a case whatever comes of its answers; nothing of one that is skipped.

    Where a case begins at the end of another is not known: it is taken to begin where the first of them does.
    """
    if case.wrong or case.skip:
        return case.wrong
    invalid = case.expect.get("invalid")
    if invalid is not None:
        return judged_invalid(case, invalid, rules).wrong
    case = _at_the_start(case)
    begun = opening(case, rules, Limits())
    if begun.value is None:
        return begun.diagnostics
    found = table.foreseen(case.expect, begun.value.begun, begun.value.ruled)
    return found if found or ODDS not in case.expect else foreseen_odds(case, begun.value, rules)


def _at_the_start(case: Case) -> Case:
    """A case as if it began where the first before it does, with all that is laid over the state until then."""
    patches = [each.patch for each in _until(case) if each.patch is not None]
    return replace(case, after=None, patch=reduce(merged_mappings, patches) if patches else None)


def _until(case: Case) -> Iterator[Case]:
    """The cases that are played up to one, in order."""
    if case.after is not None:
        yield from _until(case.after)
    yield case
