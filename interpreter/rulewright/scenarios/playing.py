"""Plays a case and judges what came of it."""

from time import perf_counter

from rulewright.drivers.run import run
from rulewright.scenarios.beginning import Opening, Rules, opening
from rulewright.scenarios.expectations import judge
from rulewright.scenarios.results import Result
from rulewright.scenarios.suite import Case


def play(case: Case, rules: Rules) -> Result:
    """The result of a case; of several plays that of the first that fails."""
    started = perf_counter()
    if case.skip:
        return Result(case, "skipped")
    begun = opening(case, rules)
    if begun.value is None:
        return Result(case, "wrong", wrong=begun.diagnostics, seconds=perf_counter() - started)
    result = Result(case, "passed")
    for number in range(max(case.plays, 1)):
        result = _one(case, begun.value, number)
        if result.outcome != "passed":
            break
    return Result(
        case, result.outcome, result.misses, result.wrong, result.session, result.number, perf_counter() - started
    )


def _one(case: Case, opened: Opening, number: int) -> Result:
    played = run(opened.begun, opened.sources(case, number))
    if played.diagnostics:
        return Result(case, "wrong", wrong=played.diagnostics, session=played.session, number=number)
    judged = judge(case.expect, played.session, opened.ruled)
    if judged.value is None:
        return Result(case, "wrong", wrong=judged.diagnostics, session=played.session, number=number)
    return Result(case, "failed" if judged.value else "passed", judged.value, session=played.session, number=number)
