"""Plays a case and judges what came of it."""

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

from rulewright.diagnostics import Diagnostic, Label
from rulewright.drivers.run import run
from rulewright.drivers.session import Session
from rulewright.machine.limits import Limits
from rulewright.scenarios.beginning import Opening, Rules, opened, opening, placed
from rulewright.scenarios.expectations.table import judge
from rulewright.scenarios.happening import happening
from rulewright.scenarios.invalid import judged as judged_invalid
from rulewright.scenarios.results import Result
from rulewright.scenarios.ruled import Ruled
from rulewright.scenarios.suite import Case

Heed = Callable[[Session], None]


def play(case: Case, rules: Rules, heed: Heed = lambda _: None, limits: Limits = Limits()) -> Result:  # noqa: B008 - frozen
    """The result of a case; of several plays that of the first that fails. Every play is shown to `heed`."""
    started = perf_counter()
    if case.wrong:
        return Result(case, "wrong", wrong=case.wrong)
    if case.skip:
        return Result(case, "skipped")
    invalid = case.expect.get("invalid")
    result = _begun(case, rules, heed, limits) if invalid is None else judged_invalid(case, invalid, rules)
    return replace(result, seconds=perf_counter() - started)


def play_under(case: Case, ruled: Ruled) -> Result | None:
    """The result of a case under a ruleset that is compiled already, whichever it names; none where it cannot begin."""
    begun = opened(case, ruled, Limits())
    return None if begun.value is None else _plays(case, begun.value, lambda _: None)


def _begun(case: Case, rules: Rules, heed: Heed, limits: Limits) -> Result:
    begun = opening(case, rules, limits)
    return Result(case, "wrong", wrong=begun.diagnostics) if begun.value is None else _plays(case, begun.value, heed)


def _plays(case: Case, begun: Opening, heed: Heed) -> Result:
    result = Result(case, "passed")
    for number in range(case.plays):
        result = replace(_one(case, begun, number, heed), number=number)
        if result.outcome != "passed":
            break
    return result


def _one(case: Case, begun: Opening, number: int, heed: Heed) -> Result:
    played = run(begun.begun, begun.sources(case, number))
    session = played.session
    heed(session)
    if played.diagnostics:
        wrong = tuple(_of_script(each, case) for each in played.diagnostics)
        return Result(case, "wrong", wrong=wrong, happened=happening(session))
    judged = judge(case.expect, session, begun.ruled)
    if judged.value is None:
        return Result(case, "wrong", wrong=judged.diagnostics)
    if judged.value:
        return Result(case, "failed", judged.value, happened=happening(session, judged.value))
    return Result(case, "passed")


def _of_script(diagnostic: Diagnostic, case: Case) -> Diagnostic:
    """A finding about answers, with the place and the remedy that scenarios have."""
    if diagnostic.code in _UNANSWERED:
        place = case.place if case.script is None else case.script
        remedy = "write the answer into `script:`; a `seed:` rolls dice, a `policy:` decides for players"
        diagnostic = replace(diagnostic, primary=Label(place.span), pointer=place.pointer, help=remedy)
    return placed(diagnostic, case.place)


_UNANSWERED = frozenset({"RW0744", "RW0746"})
