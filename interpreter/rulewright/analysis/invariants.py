"""Whether lines keep what an `always` says, judged where an invariant is about attributes of the things it names.

An invariant that reads what is written in another way, through a function, a count, a relation or a place reached
from a thing, is not judged (manual, Proofs). That it held before the line is taken for granted: the line that broke
it is warned of itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from rulewright.analysis.facts import Facts, Proof, prove, suppose
from rulewright.analysis.facts.assignments import member, with_value
from rulewright.analysis.facts.knowledge import equal, key
from rulewright.analysis.facts.opening import instead
from rulewright.analysis.facts.origins import gone
from rulewright.analysis.reads import reads
from rulewright.analysis.scope import Scope
from rulewright.diagnostics import Label
from rulewright.frozen import dataclass
from rulewright.program import expressions as ex
from rulewright.program.conditions import always_said
from rulewright.program.declarations import Invariant, StandingRule
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.statements import Remove
from rulewright.program.types import FLAG, ThingType
from rulewright.program.walk import rebuilt
from rulewright.source import Span

_Place = ex.StoredAttribute | ex.GameField
_APART = 900_000
ANY_VALUE = -_APART - 500_000
"""The number of a name that stands for a value of which nothing is known."""


@dataclass(frozen=True, slots=True)
class _Instance:
    """What an invariant says of some things, and what is known of them."""

    said: Expression
    known: Facts


def check_kept(place: _Place, values: tuple[Expression, ...], span: Span, scope: Scope) -> None:
    """Warns where a line that gives a place one of some values may break an `always` (RW0421)."""
    for each in broken(place, values, scope):
        _warn(each, span, scope)


def broken(place: _Place, values: tuple[Expression, ...], scope: Scope) -> Iterator[Invariant]:
    """Each `always` that may not hold once a place has one of some values."""
    for each in scope.shapes.invariants.values():
        said = always_said(each)
        if _written(place) not in reads(said, scope.facts.reads) or not _judged(said, place, scope.facts):
            continue
        instances = list(_instances(each, said, place, scope.facts))
        if not all(_holds(one, place, value, scope) for one in instances for value in values):
            yield each


def _warn(each: Invariant, span: Span, scope: Scope) -> None:
    message = f"`always {each.name}` may not hold after this line: {each.title or each.name}"
    there = (Label(each.span, "what always holds"),)
    notes = ("No line above makes sure that it will; if it does not, the run stops here.",)
    remedy = "check first, in an `if`, a `where` or a `require`, that the new value keeps it"
    scope.report.warning("RW0421", span, message, secondary=there, notes=notes, help=remedy)


def _written(place: _Place) -> str:
    return f"{place.kind}/{place.name}" if isinstance(place, ex.StoredAttribute) else f"game/{place.name}"


def _judged(said: Expression, place: _Place, facts: Facts) -> bool:
    """Whether all that is read of a place is read as an attribute of the things named."""
    blank = ex.Local(type=FLAG, span=said.span, variable=_NOBODY)
    rest = with_value(said, place, blank) if isinstance(place, ex.GameField) else _blanked(said, place)
    return _written(place) not in reads(rest, facts.reads)


_NOBODY = Variable("", -_APART, FLAG)


def _blanked(said: Expression, place: ex.StoredAttribute) -> Expression:
    """An expression in which this attribute of named things is left out."""
    match said:
        case ex.StoredAttribute(target=ex.Local(), kind=place.kind, name=place.name):
            return ex.Local(type=said.type, span=said.span, variable=_NOBODY)
        case _:
            return rebuilt(said, lambda each: each if isinstance(each, Binding) else _blanked(each, place))


def _instances(each: Invariant, said: Expression, place: _Place, facts: Facts) -> Iterator[_Instance]:
    """What is said of the thing changed, alone and with others that are in play."""
    names = tuple(one for one in each.binding.variables if one is not None) if each.binding is not None else ()
    renamed = {one: Variable(one.name, -(_APART + 1 + one.index), one.type) for one in names}
    others = {one: ex.Local(type=one.type, span=place.span, variable=new) for one, new in renamed.items()}
    if isinstance(place, ex.GameField):
        yield _instance(said, others, None, facts, {})
        return
    same = [one for one in names if one.type == ThingType(place.kind)]
    for chosen in product((True, False), repeat=len(same)):
        if any(chosen):
            given: dict[Variable, Expression] = dict(others)
            given |= {one: place.target for one, taken in zip(same, chosen, strict=True) if taken}
            yield _instance(said, given, place.target, facts, dict(zip(names, _plurals(each), strict=False)))


def _plurals(each: Invariant) -> tuple[Expression, ...]:
    """Of what the names of an invariant are members, where these are the things in play."""
    match each.binding and each.binding.source:
        case ex.InPlay() as source:
            return (source,)
        case ex.Builtin(name="pairs", arguments=(ex.InPlay(), ex.InPlay()) as sources):
            return sources
        case _:
            return ()


def _instance(
    said: Expression,
    given: Mapping[Variable, Expression],
    changed: Expression | None,
    facts: Facts,
    plurals: Mapping[Variable, Expression],
) -> _Instance:
    truths, others = dict(facts.truths), [each for each in given.items() if each[1] is not changed]
    for _, other in others if changed is not None else ():
        truths[equal(key(other), key(changed))] = (False, frozenset())  # type: ignore[arg-type]
    known = replace(facts, truths=truths, told={})
    for one, other in others:
        if one in plurals and isinstance(other, ex.Local):
            known = member(known, Binding((other.variable,), plurals[one], None))
    for one, other in given.items():
        said = instead(said, one, other)
    return _Instance(said, suppose(known, said, truth=True))


Open = tuple[Invariant, _Place, Span]
"""An `always` that a line inside `together` may break, so that it has to hold again at the end of the block."""


def check_kept_together(open_: Sequence[Open], after: Facts | None, scope: Scope) -> None:
    """Warns of lines of a `together` block at whose end an `always` may not hold."""
    for each, place, span in open_ if after is not None else ():
        _check_ended(each, always_said(each), place, (span, after or scope.facts), scope)


def _check_ended(each: Invariant, said: Expression, place: _Place, end: tuple[Span, Facts], scope: Scope) -> None:
    span, after = end
    there = after
    if isinstance(place, ex.StoredAttribute):
        there = suppose(after, gone(place.target), truth=False)
    names = [one for one in each.binding.variables if one is not None] if each.binding is not None else []
    if len(names) == 1 and isinstance(place, ex.StoredAttribute):
        said = instead(said, names[0], place.target)
    if len(names) > 1 or prove(there, said) is not Proof.PROVED:
        _warn(each, span, scope)


def _holds(one: _Instance, place: _Place, value: Expression, scope: Scope) -> bool:
    """Whether what is said still holds, or a standing rule takes the thing out of play where it does not."""
    after = with_value(one.said, place, value)
    if prove(one.known, after) is Proof.PROVED:
        return True
    without = suppose(one.known, after, truth=False)
    removing = (_removes(rule, place) for rule in scope.shapes.rules.values())
    return any(
        condition is not None and prove(without, with_value(condition, place, value)) is Proof.PROVED
        for condition in removing
    )


def _removes(rule: StandingRule, place: _Place) -> Expression | None:
    """The condition on which a standing rule removes the thing whose attribute was changed; none where it does not."""
    match rule.binding, place:
        case Binding(variables=(Variable() as member,), source=ex.InPlay(kind=kind), where=None), ex.StoredAttribute():
            for line in rule.block if kind == place.kind else ():
                if isinstance(line, Remove) and key(line.thing) == ("local", member.index):
                    return instead(rule.condition, member, place.target)
    return None


def emptied(before: Facts, after: Facts, place: ex.StoredAttribute, scope: Scope) -> Facts:
    """What is known once a thing has left a cell that a name still holds: where an `always` says so, it is empty."""
    truths = dict(after.truths)
    for index, (values, _) in before.values.items():
        left = ("local", index)
        here = [each for each in values if key(each) == key(place)]
        cell = ex.Local(type=place.type, span=place.span, variable=Variable("", index, place.type))
        same = ex.Comparison(type=FLAG, span=place.span, operator="=", left=cell, right=place)
        moved = after.truths.get(equal(left, key(place))) or prove(after, same) is Proof.REFUTED
        if len(values) == 1 and here and moved and _alone(before, place, scope):
            sources = frozenset({f"local/{index}", f"{place.kind}/at", f"{place.kind}/gone"})
            truths["some", ("Builtin", "occupants", (left,), place.kind)] = (False, sources)
    return replace(after, truths=truths)


def _alone(facts: Facts, place: ex.StoredAttribute, scope: Scope) -> bool:
    """Whether an `always` says that no other thing of its kind stands where a thing in play does."""
    for each in scope.shapes.invariants.values():
        said = always_said(each)
        for one in _instances(each, said, place, facts):
            for name in one.known.truths:
                match name:
                    case ("in play", ("local", int() as index)) if index < -_APART:
                        variable = Variable("", index, place.target.type)
                        other = ex.Local(type=place.target.type, span=place.span, variable=variable)
                        same = ex.Comparison(
                            type=FLAG, span=place.span, operator="=", left=replace(place, target=other), right=place
                        )
                        if prove(one.known, same) is Proof.REFUTED:
                            return True
                    case _:
                        pass
    return False
