"""Which survivors scenario files explain, and why they are let pass."""

from collections.abc import Iterator, Mapping, Sequence

from rulewright.diagnostics import Diagnostic
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.wording import did_you_mean, quoted
from rulewright.mutations.mutant import Mutant
from rulewright.scenarios.reasons import EXPLANATIONS, Reason, reasons_of
from rulewright.scenarios.suite import Suite
from rulewright.scoring.report import OUTCOMES, Verdict


def explanations_of(suite: Suite) -> Read[tuple[Reason, ...]]:
    """The explanations of a scenario file, each of a mutant, of an address, or of an operator at an address.

    Reports RW1001 (a key nobody knows), RW1002 (another sort of value), RW1061 (an explanation without a reason, or of
    nothing).
    """
    return reasons_of(suite.survivors, EXPLANATIONS)


def explained(
    explanations: Sequence[Reason], mutants: Sequence[Mutant], verdicts: Mapping[Mutant, Verdict]
) -> tuple[dict[Mutant, str], tuple[Diagnostic, ...]]:
    """The survivors that are explained, with the reasons, and everything wrong with the explanations.

    Mutants are all there are; verdicts are those of the ones that were tried. An explanation is stale where all it
    is about was tried and nothing of it survived.
    """
    left: dict[Mutant, str] = {}
    findings = Findings()
    for each in explanations:
        about = [mutant for mutant in mutants if each.what.text in _names(mutant)]
        survivors = [one for one in about if one in verdicts and verdicts[one].outcome == "survived"]
        left |= dict.fromkeys(survivors, each.because)
        if not about:
            _unknown(each, mutants, findings)
        elif not survivors and all(one in verdicts for one in about):
            became = OUTCOMES[verdicts[about[0]].outcome]
            message = f"{quoted(each.what.text)} is explained, but it is {became}"
            findings.error("RW1063", each.what.place, message, help="take the explanation out")
    return left, tuple(findings.found)


def _unknown(each: Reason, mutants: Sequence[Mutant], findings: Findings) -> None:
    close = did_you_mean(each.what.text, [name for one in mutants for name in _names(one)])
    remedy = close or "`rulewright mutate --list` shows all changes; take this out"
    message = f"no change of the rules is called {quoted(each.what.text)}"
    findings.error("RW1062", each.what.place, message, help=remedy)


def _names(mutant: Mutant) -> Iterator[str]:
    yield mutant.name
    yield mutant.address
    yield f"{mutant.address} {mutant.operator}"
