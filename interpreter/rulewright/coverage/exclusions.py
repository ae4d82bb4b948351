"""What scenario files leave out of coverage, and why."""

from collections.abc import Collection, Sequence

from rulewright.coverage.gathering import Key
from rulewright.coverage.unit import Unit
from rulewright.diagnostics import Diagnostic
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.wording import did_you_mean, quoted
from rulewright.scenarios.reasons import EXCLUSIONS, Reason, reasons_of
from rulewright.scenarios.suite import Suite


def exclusions_of(suite: Suite) -> Read[tuple[Reason, ...]]:
    """The exclusions of a scenario file, each of a unit or of an address with all its units.

    Reports RW1001 (a key nobody knows), RW1002 (another sort of value), RW1030 (an exclusion without a reason, or of
    nothing).
    """
    return reasons_of(suite.exclude, EXCLUSIONS)


def excluded(
    exclusions: Sequence[Reason], units: Sequence[Unit], reached: Collection[Key]
) -> tuple[dict[Key, str], tuple[Diagnostic, ...]]:
    """The units left out, with the reasons, and everything wrong with the exclusions.

    An address leaves out what was not reached of it; an exclusion all of whose units were reached is stale.
    """
    left: dict[Key, str] = {}
    findings = Findings()
    for each in exclusions:
        named = [unit for unit in units if each.what.text in {unit.name, unit.address}]
        open_ = [unit for unit in named if unit.key not in reached]
        if not named:
            close = did_you_mean(each.what.text, [name for unit in units for name in (unit.name, unit.address)])
            remedy = close or "`rulewright cover` shows what is missing; take this out"
            findings.error("RW1031", each.what.place, f"there is no {quoted(each.what.text)} to leave out", help=remedy)
        elif not open_:
            message = f"{quoted(each.what.text)} is left out, but a scenario reaches it"
            findings.error("RW1032", each.what.place, message, help="take the exclusion out")
        left |= {unit.key: each.because for unit in open_}
    return left, tuple(findings.found)
