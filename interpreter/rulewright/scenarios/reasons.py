"""Lists of a scenario file that say of something why it need not be otherwise: what, and the reason."""

from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.nodes import Items, Mapping, Node
from rulewright.inputs.wording import shown
from rulewright.scenarios.suite import EXCLUDE, SURVIVORS, Fields, Named

_KEYS = ("what", "because")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is let be, and what, by its name."""

    what: Named
    because: str


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of reasons.

    Attributes:
        key: of the list in a scenario file.
        called: one of them, with its article.
        code: reported where one has no reason, or names nothing.
        remedy: how one is written.
    """

    key: str
    called: str
    code: str
    remedy: str


EXCLUSIONS = Sort(
    EXCLUDE,
    "an exclusion",
    "RW1030",
    "write `{what: ADDRESS, because: REASON}`; `rulewright cover` shows the addresses",
)
"""What a file leaves out of coverage."""

EXPLANATIONS = Sort(
    SURVIVORS,
    "an explanation",
    "RW1061",
    "write `{what: NAME, because: REASON}`; `rulewright mutate` shows the names",
)
"""Which changes of the rules a file lets pass unnoticed."""


def reasons_of(listed: Node | None, sort: Sort) -> Read[tuple[Reason, ...]]:
    """The reasons of a list.

    Reports RW1001 (a key nobody knows), RW1002 (another sort of value), and the sort's own code.
    """
    findings = Findings()
    if listed is not None and not isinstance(listed, Items):
        findings.error("RW1002", listed, f"`{sort.key}` is {shown(listed)}; it must be a list")
    items = listed.items if isinstance(listed, Items) else ()
    found = [each for each in (_reason(node, sort, findings) for node in items) if each is not None]
    return findings.read(tuple(found))


def _reason(node: Node, sort: Sort, findings: Findings) -> Reason | None:
    if not isinstance(node, Mapping):
        findings.error("RW1002", node, f"{sort.called} is {shown(node)}; it must be a mapping")
        return None
    fields = Fields(node, findings)
    fields.known(_KEYS, sort.called)
    what, because = fields.text("what"), fields.text("because")
    if what is not None and because is not None and because.text.strip():
        return Reason(what, because.text)
    if "what" not in node or what is not None:
        lacking = "names nothing" if "what" not in node else "has no reason"
        findings.error(sort.code, node, f"this {sort.called.partition(' ')[2]} {lacking}", help=sort.remedy)
    return None
