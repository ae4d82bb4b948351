"""Which survivors scenario files explain, and why they are let pass."""

from collections.abc import Iterator, Mapping, Sequence

from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.nodes import Items, Node
from rulewright.inputs.nodes import Mapping as Written
from rulewright.inputs.wording import did_you_mean, quoted, shown
from rulewright.mutations.mutant import Mutant
from rulewright.scenarios.fields import Fields, Named
from rulewright.scenarios.suite import SURVIVORS, Suite
from rulewright.scoring.verdict import OUTCOMES, Verdict

_KEYS = ("what", "because")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why some changes may pass: the name of a mutant, an address, or an address and an operator; and the reason."""

    what: Named
    because: str

    def is_about(self, mutant: Mutant) -> bool:
        """Whether it explains a mutant."""
        return self.what.text in _names(mutant)


def explanations_of(suite: Suite) -> Read[tuple[Explanation, ...]]:
    """The explanations of a scenario file.

    Reports RW1001 (a key nobody knows), RW1002 (another sort of value), RW1061 (an explanation without a reason, or of
    nothing).
    """
    findings, listed = Findings(), suite.survivors
    if listed is not None and not isinstance(listed, Items):
        findings.error("RW1002", listed, f"`{SURVIVORS}` is {shown(listed)}; it must be a list")
    items = listed.items if isinstance(listed, Items) else ()
    found = [each for each in (_explanation(node, findings) for node in items) if each is not None]
    return findings.read(tuple(found))


def _explanation(node: Node, findings: Findings) -> Explanation | None:
    if not isinstance(node, Written):
        findings.error("RW1002", node, f"an explanation is {shown(node)}; it must be a mapping")
        return None
    fields = Fields(node, findings)
    fields.known(_KEYS, "an explanation")
    what, because = fields.text("what"), fields.text("because")
    if what is not None and because is not None and because.text.strip():
        return Explanation(what, because.text)
    if "what" not in node or what is not None:
        lacking = "names nothing" if "what" not in node else "has no reason"
        remedy = "write `{what: NAME, because: REASON}`; `rulewright mutate` shows the names"
        findings.error("RW1061", node, f"this explanation {lacking}", help=remedy)
    return None


def explained(
    explanations: Sequence[Explanation], mutants: Sequence[Mutant], verdicts: Mapping[Mutant, Verdict]
) -> tuple[dict[Mutant, str], tuple[Diagnostic, ...]]:
    """The survivors that are explained, with the reasons, and everything wrong with the explanations.

    Mutants are all there are; verdicts are those of the ones that were tried. An explanation is stale where all it
    is about was tried and nothing of it survived.
    """
    left: dict[Mutant, str] = {}
    findings = Findings()
    for each in explanations:
        about = [mutant for mutant in mutants if each.is_about(mutant)]
        survivors = [one for one in about if one in verdicts and verdicts[one].outcome == "survived"]
        left |= dict.fromkeys(survivors, each.because)
        if not about:
            _unknown(each, mutants, findings)
        elif not survivors and all(one in verdicts for one in about):
            became = OUTCOMES[verdicts[about[0]].outcome]
            message = f"{quoted(each.what.text)} is explained, but it is {became}"
            findings.error("RW1063", each.what.place, message, help="take the explanation out")
    return left, tuple(findings.found)


def _unknown(each: Explanation, mutants: Sequence[Mutant], findings: Findings) -> None:
    close = did_you_mean(each.what.text, [name for one in mutants for name in _names(one)])
    remedy = close or "`rulewright mutate --list` shows all changes; take this out"
    message = f"no change of the rules is called {quoted(each.what.text)}"
    findings.error("RW1062", each.what.place, message, help=remedy)


def _names(mutant: Mutant) -> Iterator[str]:
    yield mutant.name
    yield mutant.address
    yield f"{mutant.address} {mutant.operator}"
