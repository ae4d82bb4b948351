"""What scenario files leave out of coverage, and why."""

from collections.abc import Collection, Sequence

from rulewright.coverage.gathering import Key
from rulewright.coverage.unit import Unit
from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.nodes import Items, Mapping, Node
from rulewright.inputs.wording import did_you_mean, quoted, shown
from rulewright.scenarios.fields import Fields, Named
from rulewright.scenarios.suite import EXCLUDE, Suite

_KEYS = ("what", "because")


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What is left out: the name of a unit, or an address with all its units; and why."""

    what: Named
    because: str


def exclusions_of(suite: Suite) -> Read[tuple[Exclusion, ...]]:
    """The exclusions of a scenario file.

    Reports RW1001 (a key nobody knows), RW1002 (another sort of value), RW1030 (an exclusion without a reason, or of
    nothing).
    """
    findings, listed = Findings(), suite.exclude
    if listed is not None and not isinstance(listed, Items):
        findings.error("RW1002", listed, f"`{EXCLUDE}` is {shown(listed)}; it must be a list")
    items = listed.items if isinstance(listed, Items) else ()
    found = [each for each in (_exclusion(node, findings) for node in items) if each is not None]
    return findings.read(tuple(found))


def _exclusion(node: Node, findings: Findings) -> Exclusion | None:
    if not isinstance(node, Mapping):
        findings.error("RW1002", node, f"an exclusion is {shown(node)}; it must be a mapping")
        return None
    fields = Fields(node, findings)
    fields.known(_KEYS, "an exclusion")
    what, because = fields.text("what"), fields.text("because")
    if what is not None and because is not None and because.text.strip():
        return Exclusion(what, because.text)
    if "what" not in node or what is not None:
        lacking = "names nothing" if "what" not in node else "has no reason"
        remedy = "write `{what: ADDRESS, because: REASON}`; `rulewright cover` shows the addresses"
        findings.error("RW1030", node, f"this exclusion {lacking}", help=remedy)
    return None


def excluded(
    exclusions: Sequence[Exclusion], units: Sequence[Unit], reached: Collection[Key]
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
