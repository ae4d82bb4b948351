"""What lines and functions take for granted: shown where they stand, or by whoever calls them, else warned of.

A function passes on what only its arguments can show: each call of it has to show it in its place. A procedure takes
for granted that the things it was given are in play when it begins; where a line of it needs that, every `perform`
has to show it (manual, Proofs).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rulewright import frozen
from rulewright.analysis.facts import Facts, Proof, forget, prove, suppose
from rulewright.analysis.facts.knowledge import claim
from rulewright.analysis.facts.opening import put
from rulewright.analysis.facts.origins import Granted, entering, gone, in_play, is_thing, on_board
from rulewright.analysis.reads import ANYTHING
from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.program import statements as s
from rulewright.program.conditions import condition_of
from rulewright.program.declarations import Need, Procedure
from rulewright.program.expressions import Binding, Comparison, Expression, Local, Typed, Variable
from rulewright.program.walk import contents, inside
from rulewright.program.wording import wording
from rulewright.source import Span


@frozen.dataclass(frozen=True, slots=True)
class Promise:
    """Something that has to hold where a line or expression is carried out."""

    code: str  # of the warning where nothing shows it
    sort: str  # `in play` of a thing, `on board` of a cell, or `so` of a condition
    part: Expression  # the thing, cell or condition
    span: Span  # where it is needed
    message: str  # of the warning; `{}` stands for the part, of a comparison for its left side
    never: str  # the same where it certainly does not hold
    remedy: str  # what to write; `{}` stands for the part
    origin: Span | None = None  # where it was needed first, if that is inside a function called here


@frozen.dataclass(frozen=True, slots=True)
class Call:
    """A line that performs a procedure or triggers an event, with what is known there."""

    caller: str
    callee: str
    arguments: tuple[Expression, ...]
    facts: Facts
    span: Span
    address: str


@dataclass(eq=False, repr=False)
class Promises:
    """What was found out so far."""

    building: list[str] = field(default_factory=list)  # the functions under way, the innermost last
    # what calls of a function have to show, in terms of its parameters
    functions: dict[str, list[Promise]] = field(default_factory=dict)
    # for a procedure or handler the parameters that have to be in play when it begins, with why
    entries: dict[str, dict[str, Promise]] = field(default_factory=dict)
    # what was kept of that, in order, each with its owner
    grants: list[tuple[str, frozenset[str], Promise]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)  # every `perform` and `trigger`
    told: dict[tuple[str, Span, str], None] = field(default_factory=dict)  # warnings already given

    def grant(self, owner: str, granted: frozenset[str], why: "Promise") -> None:
        """Keeps what a procedure or handler takes for granted of its parameters, with the first reason."""
        self.grants.append((owner, granted, why))
        known = self.entries.setdefault(owner, {})
        for each in sorted(granted):
            known.setdefault(each, why)


def need(promise: Promise, scope: "Scope") -> None:
    """Looks whether something holds; where nothing shows it, callers have to, or it is warned of."""
    promises = scope.shapes.promises
    granted = _granted(scope.facts, promise)
    if granted is not None:
        promises.grant(_owner(scope), granted, promise)
    elif promises.building and all(each < scope.variables.inputs for each in _free(promise.part, frozenset())):
        promises.functions.setdefault(promises.building[-1], []).append(promise)
    else:
        _warn(promise, scope)


def _owner(scope: "Scope") -> str:
    return scope.report.address.partition("/")[0]


def _granted(facts: Facts, promise: Promise) -> Granted:
    match promise.sort:
        case "in play":
            return in_play(facts, promise.part)
        case "on board":
            return on_board(facts, promise.part)
        case _:
            return frozenset() if prove(facts, promise.part) is Proof.PROVED else None


def _free(part: object, bound: frozenset[int]) -> Iterator[int]:
    """The names of a routine that a value reads, but for those bound inside it."""
    match part:
        case Local(variable=variable):
            if variable.index not in bound:
                yield variable.index
        case Typed() | Binding():
            held = contents(part)  # type: ignore[arg-type]
            bindings = (each for each in (part, *held) if isinstance(each, Binding))
            names = {name.index for each in bindings for name in each.variables if name is not None}
            for each in held:
                yield from _free(each, bound | names)
        case tuple():
            for each in part:
                yield from _free(each, bound)


def called(function: str, arguments: tuple[Expression, ...], span: Span, scope: "Scope") -> None:
    """Looks whether a call of a function shows what the function takes for granted."""
    promises = scope.shapes.promises
    made = scope.shapes.functions.get(function)
    for each in promises.functions.get(function, ()) if made is not None else ():
        part = put(each.part, made.parameters, arguments)  # type: ignore[union-attr]
        need(replace(each, part=part, span=span, origin=each.origin or each.span), scope)


def _warn(promise: Promise, scope: "Scope") -> None:
    report, promises = scope.report, scope.shapes.promises
    place = (promise.code, promise.span, report.address)
    if place in promises.told:
        return
    promises.told[place] = None
    text = wording(promise.part.left if isinstance(promise.part, Comparison) else promise.part)
    denied = gone(promise.part) if promise.sort == "in play" else promise.part
    outcome = Proof.PROVED if promise.sort == "in play" else Proof.REFUTED
    never = promise.sort != "on board" and prove(scope.facts, denied) is outcome
    message = promise.never if never else promise.message
    note = "No line above rules this out; if it happens, the run stops here."
    elsewhere = promise.origin is not None and promise.origin != promise.span
    there = (Label(promise.origin, "needed here"),) if elsewhere and promise.origin is not None else ()
    notes = ("A run that comes here stops here.",) if never else (note,)
    remedy = "name something else here, or leave the line out" if never else promise.remedy.replace("{}", text)
    report.warning(promise.code, promise.span, message.replace("{}", text), secondary=there, notes=notes, help=remedy)


def playing(thing: Expression, code: str, span: Span, doing: str) -> Promise:
    """That a thing is in play, for what can only be done then."""
    return Promise(
        code,
        "in play",
        thing,
        span,
        f"`{{}}` may be out of play here, and what is out of play {doing}",
        f"`{{}}` is out of play here, and what is out of play {doing}",
        "check it first: `if not {}.gone:`",
    )


def landing(spot: Expression, span: Span) -> Promise:
    """That a spot is on the board, where something is moved or put there."""
    may, never = "`{}` may be off the board", "`{}` is off the board"
    return Promise(
        "RW0417", "on board", spot, span, may, never, "check it first: `if {} in …:` with the name of the board"
    )


def holding(code: str, condition: Expression, span: Span, said: tuple[str, str, str]) -> Promise:
    """That a condition holds; said are the message, that where it never holds, and the remedy."""
    return Promise(code, "so", condition, span, *said)


def asked_first(condition: str) -> str:
    """The remedy for what needs a condition, wherever it stands: in a line, a row or a key."""
    return f"ask `{condition}` first: in an `if`, a `when` or a `where`, or by `if(…, …, …)` around the value"


def assumed(facts: Facts, parameters: tuple[Variable, ...], span: Span) -> Facts:
    """The facts of a routine whose things are in play when it begins, as its callers have to show."""
    truths = dict(facts.truths)
    for each in parameters:
        truths |= entering(Local(type=each.type, span=span, variable=each))
    return replace(facts, truths=truths)


def performed(callee: str, arguments: tuple[Expression, ...], span: Span, scope: "Scope") -> None:
    """Keeps a line that performs or triggers, to be judged when all routines are known."""
    report, promises = scope.report, scope.shapes.promises
    promises.calls.append(Call(_owner(scope), callee, arguments, scope.facts, span, report.address))


def judge_calls(
    shapes: "Shapes", parameters: dict[str, tuple[Variable, ...]], holders: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, Promise, Facts]]:
    """What lines that perform or trigger do not show: the address of each, and what its callee takes for granted.

    Parameters are those of procedures and handlers, holders the handlers of each event.
    """
    promises = shapes.promises
    open_: dict[tuple[int, str], tuple[str, Promise, Facts]] = {}
    changed = True
    while changed:
        changed = False
        for place, call in enumerate(promises.calls):
            for callee in (call.callee, *holders.get(call.callee, ())):
                for tag, why in tuple(promises.entries.get(callee, {}).items()):
                    argument = _argument(call, tag, parameters.get(callee, ()))
                    judge = in_play if why.sort == "in play" else on_board
                    granted = argument and judge(call.facts, argument)
                    if argument is not None and granted is None:
                        promise = _passed(argument, call, callee, why)
                        open_.setdefault((place, tag), (call.address, promise, call.facts))
                    for each in granted or ():
                        known = promises.entries.setdefault(call.caller, {})
                        changed = changed or each not in known
                        known.setdefault(each, why)
    yield from open_.values()


def _argument(call: Call, tag: str, parameters: tuple[Variable, ...]) -> Expression | None:
    index = int(tag.removeprefix("entry/"))
    at = next((place for place, each in enumerate(parameters) if each.index == index), None)
    return call.arguments[at] if at is not None and at < len(call.arguments) else None


def _passed(argument: Expression, call: Call, callee: str, why: Promise) -> Promise:

    where = "out of play" if why.sort == "in play" else "off the board"
    needed = f" {where} here, and `{callee}` needs it {'in play' if why.sort == 'in play' else 'on it'}"
    return replace(
        why,
        part=argument,
        span=call.span,
        message=f"`{{}}` may be{needed}",
        never=f"`{{}}` is{needed}",
        origin=why.origin or why.span,
    )


def tell(found: Iterator[tuple[str, Promise, Facts]], scope: "Scope") -> None:
    """Warns of what calls do not show."""
    for address, promise, facts in found:
        scope.report.address = address
        _warn(promise, scope.knowing(facts))
    scope.report.address = ""


_Names = dict[Variable, Expression]


def check_refusals(promises: Promises, procedures: Mapping[str, Procedure], report: Report) -> None:
    """Warns of lines that perform a procedure whose needs may not be met there (RW0420)."""
    for call in promises.calls:
        callee = procedures.get(call.callee)
        if callee is not None and len(call.arguments) == len(callee.parameters):
            report.address = call.address
            for need, condition, certain in _unmet(call, callee, promises):
                _warn_of_need(call, callee, need, condition, report, certain=certain)
    report.address = ""


def _unmet(call: Call, callee: Procedure, promises: Promises) -> Iterator[tuple[Need, Expression, bool]]:
    """Each need that nothing shows, with its condition in the words of the caller, and whether it never holds."""
    facts = call.facts
    names: _Names = dict(zip(callee.parameters, call.arguments, strict=True))
    for part in callee.opening:
        match part:
            case Need():
                condition = _put(condition_of(part), names)
                proof = _proof(facts, condition, call, promises)
                if proof is not Proof.PROVED:
                    yield part, _put(part.condition, names), proof is Proof.REFUTED
                facts = suppose(facts, condition, truth=True)
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
                facts = forget(facts, frozenset({ANYTHING, "dice"}))
                names = {}
    return facts, names


def _put(expression: Expression, names: _Names) -> Expression:
    return put(expression, tuple(names), tuple(names.values()))


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


def _warn_of_need(  # noqa: PLR0913 - what a message is made of
    call: Call, callee: Procedure, need: Need, condition: Expression, report: Report, *, certain: bool
) -> None:
    text = wording(condition)
    remedy = f"check it first: `if {text}:`" if "…" not in text else "check it first with an `if`"
    reason = need.title or need.id
    message = f"`{callee.name}` {'is' if certain else 'may be'} refused here: {reason}"
    notes = ("Inside a run no player can be refused: if the requirement is not met, the run stops here.",)
    report.warning("RW0420", call.span, message, secondary=(Label(need.span, "needed here"),), notes=notes, help=remedy)


if TYPE_CHECKING:
    from rulewright.analysis.scope import Scope, Shapes
