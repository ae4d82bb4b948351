"""Whether what a performed procedure needs is shown where it is performed: inside a run no need is a question."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rulewright.analysis.facts import Facts, Proof, assume, forget, prove
from rulewright.analysis.facts.keys import claim
from rulewright.analysis.facts.opening import put
from rulewright.analysis.facts.origins import gone, in_play, is_thing
from rulewright.analysis.language.wording import wording
from rulewright.analysis.promises import Call, Promises, playing
from rulewright.analysis.reads import ANYTHING
from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.program import statements as s
from rulewright.program.declarations import Need, Procedure
from rulewright.program.expressions import Expression, Logical, Not, Variable
from rulewright.program.types import FLAG
from rulewright.program.walk import inside

_Names = dict[Variable, Expression]
_EVERYTHING = frozenset({ANYTHING, "dice"})


def check_refusals(promises: Promises, procedures: Mapping[str, Procedure], report: Report) -> None:
    """Warns of lines that perform a procedure whose needs may not be met there (RW0420)."""
    for call in promises.calls:
        callee = procedures.get(call.callee)
        if callee is not None and len(call.arguments) == len(callee.parameters):
            report.address = call.address
            for need, condition, certain in _unmet(call, callee, promises):
                _warn(call, callee, need, condition, report, certain=certain)
    report.address = ""


def _unmet(call: Call, callee: Procedure, promises: Promises) -> Iterator[tuple[Need, Expression, bool]]:
    """Each need that nothing shows, with its condition in the words of the caller, and whether it never holds."""
    facts = call.facts
    names: _Names = dict(zip(callee.parameters, call.arguments, strict=True))
    for part in callee.opening:
        match part:
            case Need():
                condition = _implied(part, names)
                proof = _proof(facts, condition, call, promises)
                if proof is not Proof.PROVED:
                    yield part, _put(part.condition, names), proof is Proof.REFUTED
                facts = assume(facts, condition, truth=True)
            case tuple():
                facts, names = _after(part, facts, names)


def _after(block: s.Block, facts: Facts, names: _Names) -> tuple[Facts, _Names]:
    """What is known, and what names stand for, after opening lines; of those that may change the game nothing."""
    for line in block:
        match line:
            case s.Let(variable=variable, value=value) if value is not None:
                names = {**names, variable: _put(value, names)}
            case s.Let() | s.Nothing() | s.Ruling():
                pass
            case _:
                facts = forget(facts, _EVERYTHING)
                names = {}
    return facts, names


def _put(expression: Expression, names: _Names) -> Expression:
    return put(expression, tuple(names), tuple(names.values()))


def _implied(need: Need, names: _Names) -> Expression:
    if need.guard is None:
        return _put(need.condition, names)
    without = Not(type=FLAG, span=need.span, operand=need.guard)
    return _put(Logical(type=FLAG, span=need.span, operator="or", left=without, right=need.condition), names)


def _proof(facts: Facts, condition: Expression, call: Call, promises: Promises) -> Proof:
    """Whether a need holds, where things are known to be in play too."""
    found = prove(facts, condition)
    if found is not Proof.UNKNOWN:
        return found
    truths, granted = dict(facts.truths), frozenset[str]()
    for each in inside(condition):
        there = in_play(facts, each) if is_thing(each.type) else None
        if there is not None:
            said = claim(gone(each))
            truths[said.key] = (not said.truth, there)
            granted |= there
    found = prove(replace(facts, truths=truths), condition)
    if found is Proof.PROVED:
        promises.grant(call.caller, granted, playing(condition, "RW0416", call.span, ""))
    return found


def _warn(  # noqa: PLR0913 - what a message is made of
    call: Call, callee: Procedure, need: Need, condition: Expression, report: Report, *, certain: bool
) -> None:
    text = wording(condition)
    remedy = f"check it first: `if {text}:`" if "…" not in text else "check it first with an `if`"
    reason = need.title or need.id
    report.warning(
        "RW0420",
        call.span,
        f"`{callee.name}` {'is' if certain else 'may be'} refused here: {reason}",
        secondary=(Label(need.span, "needed here"),),
        notes=("Inside a run a need is no question: where it is not met, the run stops here.",),
        help=remedy,
    )
