"""Whether what is divided by may be 0."""

from rulewright.analysis.facts import Proof, prove
from rulewright.analysis.language.wording import wording
from rulewright.analysis.scope import Scope
from rulewright.diagnostics.suggest import wrapped
from rulewright.program.expressions import Comparison, Expression, Literal
from rulewright.program.types import FLAG, NumberType


def divides(by: Expression, scope: Scope) -> bool:
    """Reports RW0415 where a divisor is 0, or nothing says that it is not; whether the division can be worked out."""
    zero = Literal(type=NumberType(0, 0), span=by.span, value=0)
    never = prove(scope.facts, Comparison(type=FLAG, span=by.span, operator="!=", left=by, right=zero))
    text = wording(by)
    shown = "this" if text == "…" else f"`{text}`"
    if never is Proof.REFUTED:
        scope.report.error("RW0415", by.span, "this is always 0, and nothing is divided by 0")
    elif never is not Proof.PROVED:
        scope.report.warning(
            "RW0415",
            by.span,
            f"{shown} may be 0 here, and nothing is divided by 0",
            notes=("Nothing before this place says that it is not; where it is, the run stops here.",),
            help="divide by `max(1, …)`, or check `… != 0` first, in an `if`, a `when` or a `needs`",
            edits=wrapped("max(1, ", by.span, ")"),
        )
    return never is not Proof.REFUTED
