"""Preconditions of lines and functions: proved where they stand, passed on to callers, or warned of.

A function passes on what only its arguments can show: every call has to show it. A procedure assumes that things it was
given are in play when it begins; where a line needs that, every `perform` has to show it (manual, Proofs).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rulewright.base import frozen
from rulewright.base.diagnostics import Diagnostic, DiagnosticCollector, Label
from rulewright.base.source import Span
from rulewright.checker.facts.assumption import assume, make_learner
from rulewright.checker.facts.fact_store import Facts, invalidate_facts, normalize_claim
from rulewright.checker.facts.inlining import substitute_arguments
from rulewright.checker.facts.prover import Proof, compute_number_range, find_known_example, prove_condition
from rulewright.checker.facts.value_origins import (
    IN_PLAY,
    NOTHING_ASSUMED,
    ON_BOARD,
    AssumedKeys,
    Whereabouts,
    make_gone_condition,
    prove_there,
)
from rulewright.checker.read_sets import ANY_STATE
from rulewright.program import statements as s
from rulewright.program.conditions import make_row_condition, make_size_expression
from rulewright.program.declarations import Need, Procedure
from rulewright.program.expressions import Binding, Comparison, Expression, InPlay, Local, Quantifier, Typed, Variable
from rulewright.program.walk import get_contents, walk_subexpressions
from rulewright.program.wording import render_brief_expression


@frozen.dataclass(frozen=True, slots=True)
class Precondition:
    """Condition that has to hold where a line or expression is carried out."""

    code: str  # code of the warning where it is not proved
    place: Whereabouts | None  # where the operand has to be; None of a condition that has to hold
    operand: Expression
    span: Span
    message: str  # `{}` stands for the operand, of a comparison for its left side
    refuted_message: str  # where it certainly does not hold
    remedy: str  # `{}` stands for the operand
    origin: Span | None = None  # place inside a called function that needs it


@frozen.dataclass(frozen=True, slots=True)
class RecordedCall:
    """A `perform` or `trigger` with the facts at it."""

    caller: str
    callee: str
    arguments: tuple[Expression, ...]
    facts: Facts
    span: Span
    address: str


@dataclass(eq=False, repr=False)
class PreconditionStore:
    """Preconditions of functions and routines, and calls, of one check."""

    functions_in_progress: list[str] = field(default_factory=list)  # innermost last
    # by function, in terms of its parameters
    function_preconditions: dict[str, list[Precondition]] = field(default_factory=dict)
    # by procedure or handler: assumption (`entry/<index>`) and its first reason
    entry_preconditions: dict[str, dict[str, Precondition]] = field(default_factory=dict)
    calls: list[RecordedCall] = field(default_factory=list)  # `perform` and `trigger`
    # code, place and address of warnings given
    reported: dict[tuple[str, Span, str], None] = field(default_factory=dict)

    def assume_precondition(self, owner: str, assumptions: frozenset[str], why: "Precondition") -> None:
        """Records parameters that a procedure or handler assumes in play, with the first reason."""
        known = self.entry_preconditions.setdefault(owner, {})
        for item in sorted(assumptions):
            known.setdefault(item, why)


@dataclass(eq=False, repr=False)
class CheckAttempt:
    """The check of a routine from its beginning on, which may be undone."""

    routine: str
    report: DiagnosticCollector
    store: PreconditionStore
    counts: tuple[int, int, int, int]  # diagnostics, uses, calls, reported at its beginning

    @classmethod
    def begin(cls, routine: str, environment: "TypeEnvironment") -> "CheckAttempt":
        report, store = environment.report, environment.preconditions
        lists = report.diagnostics, report.uses, store.calls, store.reported
        return cls(routine, report, store, tuple(map(len, lists)))  # type: ignore[arg-type]

    def list_findings(self) -> list[Diagnostic]:
        """What was found since."""
        return self.report.diagnostics[self.counts[0] :]

    def replace_findings(self, change: Callable[[Diagnostic], Diagnostic]) -> None:
        """Changes what was found since."""
        self.report.diagnostics[self.counts[0] :] = map(change, self.list_findings())

    def undo(self) -> None:
        """Forgets all that was found and noted since."""
        diagnostics, uses, calls, reported = self.counts
        del self.report.diagnostics[diagnostics:], self.report.uses[uses:]
        del self.store.calls[calls:]
        self.store.entry_preconditions.pop(self.routine, None)
        for place in [*self.store.reported][reported:]:
            del self.store.reported[place]


def require_in_play(thing: Expression, code: str, span: Span, doing: str, scope: "Scope") -> None:
    """Requires a thing in play; `doing` says what becomes of one that is not."""
    _require(_make_in_play_precondition(thing, code, span, doing), scope)


def require_on_board(spot: Expression, span: Span, scope: "Scope") -> None:
    """Requires a cell or point on the board."""
    remedy = "check it first: `if {} in …:` with the name of the board"
    may, never = "`{}` may be off the board", "`{}` is off the board"
    _require(Precondition("RW0417", ON_BOARD, spot, span, may, never, remedy), scope)


def require_condition(
    code: str, condition: Expression, span: Span, messages: tuple[str, str, str], scope: "Scope"
) -> None:
    """Requires that a condition holds; `messages` are the message, that where it never holds, and the remedy."""
    _require(Precondition(code, None, condition, span, *messages), scope)


def _require(precondition: Precondition, scope: "Scope") -> None:
    """Proves a precondition, else passes it on to callers of the function under way, else warns."""
    store = scope.environment.preconditions
    assumptions = _prove_precondition(precondition, scope)
    if assumptions is not None:
        store.assume_precondition(_get_current_declaration(scope), assumptions, precondition)
    elif store.functions_in_progress and all(
        index < scope.variables.parameter_count for index in _iterate_free_variables(precondition.operand, frozenset())
    ):
        store.function_preconditions.setdefault(store.functions_in_progress[-1], []).append(precondition)
    else:
        _warn_precondition(precondition, scope)


def _get_current_declaration(scope: "Scope") -> str:
    return scope.report.address.partition("/")[0]


def _prove_precondition(precondition: Precondition, scope: "Scope") -> AssumedKeys:
    if precondition.place is not None:
        return prove_there(scope.facts, precondition.operand, precondition.place)
    return NOTHING_ASSUMED if _is_proved_for_good(precondition.operand, scope) else None


def _is_proved_for_good(condition: Expression, scope: "Scope") -> bool:
    """Whether a condition is proved, by no thing that the routine was given and that may have left play before."""
    if prove_condition(scope.facts, condition) is not Proof.PROVED:
        return False
    match condition:
        case Quantifier(word="some", binding=Binding(source=InPlay(kind=kind)) as binding):
            low, _ = compute_number_range(scope.facts, make_size_expression(binding, condition.span))
            example = find_known_example(scope.facts, binding) if low is None or low < 1 else None
            return (
                example is None
                or kind in scope.environment.lasting_kinds
                or not prove_there(scope.facts, example, IN_PLAY)
            )
        case _:
            return True


def _iterate_free_variables(part: object, bound: frozenset[int]) -> Iterator[int]:
    match part:
        case Local(variable=variable):
            if variable.index not in bound:
                yield variable.index
        case Typed() | Binding():
            contents = get_contents(part)  # type: ignore[arg-type]
            bindings = (binding for binding in (part, *contents) if isinstance(binding, Binding))
            names = {name.index for binding in bindings for name in binding.variables if name is not None}
            for item in contents:
                yield from _iterate_free_variables(item, bound | names)
        case tuple():
            for each in part:
                yield from _iterate_free_variables(each, bound)


def check_call_preconditions(function: str, arguments: tuple[Expression, ...], span: Span, scope: "Scope") -> None:
    """Requires the preconditions of a called function, with its arguments in place of parameters."""
    store = scope.environment.preconditions
    callee = scope.environment.functions.get(function)
    for precondition in store.function_preconditions.get(function, ()) if callee is not None else ():
        part = substitute_arguments(precondition.operand, callee.parameters, arguments)  # type: ignore[union-attr]
        _require(replace(precondition, operand=part, span=span, origin=precondition.origin or precondition.span), scope)


def _warn_precondition(precondition: Precondition, scope: "Scope") -> None:
    report, store = scope.report, scope.environment.preconditions
    place = (precondition.code, precondition.span, report.address)
    if place in store.reported:
        return
    store.reported[place] = None
    text = render_brief_expression(
        precondition.operand.left if isinstance(precondition.operand, Comparison) else precondition.operand
    )
    gone = precondition.place is IN_PLAY
    denied = make_gone_condition(precondition.operand) if gone else precondition.operand
    outcome = Proof.PROVED if gone else Proof.REFUTED
    never = precondition.place is not ON_BOARD and prove_condition(scope.facts, denied) is outcome
    message = precondition.refuted_message if never else precondition.message
    note = "No line above rules this out; if it happens, the run stops here."
    elsewhere = precondition.origin is not None and precondition.origin != precondition.span
    there = (Label(precondition.origin, "needed here"),) if elsewhere and precondition.origin is not None else ()
    notes = ("A run that comes here stops here.",) if never else (note,)
    remedy = "name something else here, or leave the line out" if never else precondition.remedy.replace("{}", text)
    report.warning(
        precondition.code, precondition.span, message.replace("{}", text), secondary=there, notes=notes, help=remedy
    )


def _make_in_play_precondition(thing: Expression, code: str, span: Span, doing: str) -> Precondition:
    may, never = (f"`{{}}` {verb} out of play here, and what is out of play {doing}" for verb in ("may be", "is"))
    return Precondition(code, IN_PLAY, thing, span, may, never, "check it first: `if not {}.gone:`")


def format_guard_remedy(condition: str) -> str:
    """Remedy for a condition that a line, row or key needs."""
    return f"ask `{condition}` first: in an `if`, a `when` or a `where`, or by `if(…, …, …)` around the value"


def suggest_always_some(binding: Binding | None, scope: "Scope") -> str:
    """End of a remedy where a collection is everything of a kind that nothing takes out of play."""
    match binding:
        case Binding(source=InPlay(kind=kind), where=None) if kind in scope.environment.lasting_kinds:
            plural = scope.environment.kinds[kind].plural
            return f"; or require it of every state: `always some_{plural.rpartition('.')[2]}: count({plural}) >= 1`"
        case _:
            return ""


def assume_parameters_in_play(facts: Facts, parameters: tuple[Variable, ...], span: Span) -> Facts:
    """Facts at the beginning of a routine: the things it was given are in play."""
    learner = make_learner(facts)
    for parameter in parameters:
        given = Local(type=parameter.type, span=span, variable=parameter)
        for place in Whereabouts:
            learner.learn_there(given, place, frozenset({f"entry/{parameter.index}"}))
    return learner.facts


def record_call(callee: str, arguments: tuple[Expression, ...], span: Span, scope: "Scope") -> None:
    """Records a `perform` or `trigger`, to be judged when all routines are typed."""
    report, store = scope.report, scope.environment.preconditions
    store.calls.append(
        RecordedCall(_get_current_declaration(scope), callee, arguments, scope.facts, span, report.address)
    )


def find_unmet_preconditions(
    environment: "TypeEnvironment", parameters: dict[str, tuple[Variable, ...]], holders: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, Precondition, Facts]]:
    """Unmet preconditions of calls: address of the call, precondition, facts there.

    `parameters` are those of procedures and handlers, `holders` the handlers of each event. Assumptions are passed on
    from callee to caller until nothing changes.
    """
    store = environment.preconditions
    open_: dict[tuple[int, str], tuple[str, Precondition, Facts]] = {}
    changed = True
    while changed:
        changed = False
        for place, call in enumerate(store.calls):
            for callee in (call.callee, *holders.get(call.callee, ())):
                for tag, why in tuple(store.entry_preconditions.get(callee, {}).items()):
                    argument = _get_call_argument(call, tag, parameters.get(callee, ()))
                    assumptions = argument and prove_there(call.facts, argument, why.place or IN_PLAY)
                    if argument is not None and assumptions is None:
                        precondition = _forward_precondition(argument, call, callee, why)
                        open_.setdefault((place, tag), (call.address, precondition, call.facts))
                    for item in assumptions or ():
                        known = store.entry_preconditions.setdefault(call.caller, {})
                        changed = changed or item not in known
                        known.setdefault(item, why)
    yield from open_.values()


def _get_call_argument(call: RecordedCall, tag: str, parameters: tuple[Variable, ...]) -> Expression | None:
    index = int(tag.removeprefix("entry/"))
    at = next((place for place, parameter in enumerate(parameters) if parameter.index == index), None)
    return call.arguments[at] if at is not None and at < len(call.arguments) else None


def _forward_precondition(argument: Expression, call: RecordedCall, callee: str, why: Precondition) -> Precondition:
    where, there = ("out of play", "in play") if why.place is IN_PLAY else ("off the board", "on it")
    needed = f" {where} here, and `{callee}` needs it {there}"
    return replace(
        why,
        operand=argument,
        span=call.span,
        message=f"`{{}}` may be{needed}",
        refuted_message=f"`{{}}` is{needed}",
        origin=why.origin or why.span,
    )


def report_unmet_preconditions(unmet: Iterator[tuple[str, Precondition, Facts]], scope: "Scope") -> None:
    for address, precondition, facts in unmet:
        scope.report.address = address
        _warn_precondition(precondition, scope.with_facts(facts))
    scope.report.address = ""


_Substitution = dict[Variable, Expression]


def check_requirements_of_calls(
    store: PreconditionStore, procedures: Mapping[str, Procedure], report: DiagnosticCollector
) -> None:
    """Warns of lines that perform a procedure whose `require` may not be met there (RW0420)."""
    for call in store.calls:
        callee = procedures.get(call.callee)
        if callee is not None and len(call.arguments) == len(callee.parameters):
            report.address = call.address
            for need, condition, certain in _find_unmet_requirements(call, callee, store):
                _warn_unmet_requirement(call, callee, need, condition, report, certain=certain)
    report.address = ""


def _find_unmet_requirements(
    call: RecordedCall, callee: Procedure, store: PreconditionStore
) -> Iterator[tuple[Need, Expression, bool]]:
    """Requirements that are not proved: row, condition in terms of the caller, whether it never holds."""
    facts = call.facts
    names: _Substitution = dict(zip(callee.parameters, call.arguments, strict=True))
    for part in callee.opening:
        match part:
            case Need():
                condition = _substitute_names(make_row_condition(part), names)
                proof = _prove_requirement(facts, condition, call, store)
                if proof is not Proof.PROVED:
                    yield part, _substitute_names(part.condition, names), proof is Proof.REFUTED
                facts = assume(facts, condition, truth=True)
            case tuple():
                facts, names = _apply_opening_lines(part, facts, names)


def _apply_opening_lines(block: s.Block, facts: Facts, names: _Substitution) -> tuple[Facts, _Substitution]:
    for line in block:
        match line:
            case s.Let(variable=variable, value=value) if value is not None:
                names = {**names, variable: _substitute_names(value, names)}
            case s.Let() | s.Nothing() | s.Ruling():
                pass
            case _:
                facts = invalidate_facts(facts, frozenset({ANY_STATE, "dice"}))
                names = {}
    return facts, names


def _substitute_names(expression: Expression, names: _Substitution) -> Expression:
    return substitute_arguments(expression, tuple(names), tuple(names.values()))


def _prove_requirement(facts: Facts, condition: Expression, call: RecordedCall, store: PreconditionStore) -> Proof:
    """Proof of a requirement; assumes things to be in play where callers have to show it."""
    result = prove_condition(facts, condition)
    if result is not Proof.UNKNOWN:
        return result
    truths, assumptions = dict(facts.truths), frozenset[str]()
    for subexpression in walk_subexpressions(condition):
        there = prove_there(facts, subexpression, IN_PLAY) if IN_PLAY.is_of(subexpression.type) else None
        if there is not None:
            claim = normalize_claim(make_gone_condition(subexpression))
            truths[claim.key] = (not claim.truth, there)
            assumptions |= there
    result = prove_condition(replace(facts, truths=truths), condition)
    if result is Proof.PROVED:
        store.assume_precondition(
            call.caller, assumptions, _make_in_play_precondition(condition, "RW0416", call.span, "")
        )
    return result


def _warn_unmet_requirement(  # noqa: PLR0913 - what a message is made of
    call: RecordedCall,
    callee: Procedure,
    need: Need,
    condition: Expression,
    report: DiagnosticCollector,
    *,
    certain: bool,
) -> None:
    text = render_brief_expression(condition)
    remedy = f"check it first: `if {text}:`" if "…" not in text else "check it first with an `if`"
    reason = need.title or need.id
    message = f"`{callee.name}` {'is' if certain else 'may be'} refused here: {reason}"
    notes = ("Inside a run no player can be refused: if the requirement is not met, the run stops here.",)
    report.warning("RW0420", call.span, message, secondary=(Label(need.span, "needed here"),), notes=notes, help=remedy)


if TYPE_CHECKING:
    from rulewright.checker.scope import Scope, TypeEnvironment
