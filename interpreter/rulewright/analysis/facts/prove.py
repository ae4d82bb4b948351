"""Conclusions from facts: small, predictable, and never a guess (manual, Proofs)."""

from dataclasses import replace
from enum import Enum
from fractions import Fraction

from rulewright.analysis.facts.bounds import bounds_of, by_type, fraction_of, is_less, value_of, values_of
from rulewright.analysis.facts.intervals import Range, apart, less, same
from rulewright.analysis.facts.knowledge import MOST_QUESTIONS, Facts, Key, claim, equal, key, multiple
from rulewright.analysis.facts.opening import DEEPEST, instead, opened, substituted
from rulewright.analysis.facts.origins import SURELY, in_play, kind_of, wider_than
from rulewright.program import expressions as ex
from rulewright.program.conditions import denied, is_none, narrowed, size_of
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.plane import POINT
from rulewright.program.types import (
    FLAG,
    NUMERIC,
    CellType,
    DirectionType,
    NoneType,
    NumberType,
    OptionalType,
    SetType,
    present,
)
from rulewright.program.walk import inside


class Proof(Enum):
    """How a proof ends: it always holds, it never holds, or neither could be shown."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


def prove_as_said(facts: Facts, condition: Expression) -> Proof:
    """Whether a condition holds by what is known of it and its parts, without looking into functions."""
    with facts.look:
        return _prove(facts, condition, DEEPEST)


def prove(facts: Facts, condition: Expression) -> Proof:
    """Whether the facts decide a condition."""
    with facts.look:
        return _prove(facts, condition, 0)


def number_range(facts: Facts, expression: Expression) -> Range:
    """The bounds of a number; an end that is none is open."""
    with facts.look:
        if facts.look.questions > MOST_QUESTIONS:
            return by_type(expression)
        return bounds_of(facts, expression, _distinct, _at_most)


def _distinct(facts: Facts, first: Expression, second: Expression) -> bool:
    return _same(facts, first, second, 0) is Proof.REFUTED


def _verdict(truth: bool | None) -> Proof:  # noqa: FBT001 - the answer of a condition
    return Proof.UNKNOWN if truth is None else Proof.PROVED if truth else Proof.REFUTED


def _opposite(proof: Proof) -> Proof:
    return {Proof.PROVED: Proof.REFUTED, Proof.REFUTED: Proof.PROVED}.get(proof, proof)


def _all(proofs: list[Proof]) -> Proof:
    if Proof.REFUTED in proofs:
        return Proof.REFUTED
    return Proof.UNKNOWN if Proof.UNKNOWN in proofs else Proof.PROVED


def _any(proofs: list[Proof]) -> Proof:
    return _opposite(_all([_opposite(each) for each in proofs]))


def _prove(facts: Facts, condition: Expression, depth: int) -> Proof:  # noqa: C901, PLR0911, PLR0912 - one case for each sort
    if depth > DEEPEST or not facts.goes_on():
        return Proof.UNKNOWN
    known = _known(facts, condition)
    if known is not Proof.UNKNOWN:
        return known
    match condition:
        case ex.Literal(value=bool() as truth):
            return _verdict(truth)
        case ex.Not(operand=operand):
            return _opposite(_prove(facts, operand, depth))
        case ex.Logical(operator=operator, left=left, right=right):
            sides = [_prove(facts, left, depth), _prove(facts, right, depth)]
            return _all(sides) if operator == "and" else _any(sides)
        case ex.Comparison(operator="=", left=left, right=right):
            return _same(facts, left, right, depth)
        case ex.Comparison(operator="!=", left=left, right=right):
            return _opposite(_same(facts, left, right, depth))
        case ex.Comparison():
            return _ordered(facts, condition)
        case ex.Quantifier(word="some" | "no" as word):
            some = _some(facts, condition, depth)
            return some if word == "some" else _opposite(some)
        case ex.Quantifier(word="every", binding=binding, body=body) if body is not None:
            failing = replace(condition, word="some", binding=narrowed(binding, denied(body)), body=None)
            return _opposite(_some(facts, failing, depth))
        case ex.Membership(negated=negated):
            inside = _inside(facts, condition, depth)
            return _opposite(inside) if negated else inside
        case ex.Conditional(condition=judged, then=then, otherwise=otherwise):
            return _conditional(facts, (judged, then, otherwise), depth)
        case ex.Gone(target=thing):
            # what a term asks of a thing may come true once others, such as an overlay, make use of it
            is_sure = _is_as_written(depth) and in_play(facts, thing) == SURELY
            return Proof.REFUTED if kind_of(thing) in facts.numbers or is_sure else Proof.UNKNOWN
        case ex.CallFunction() | ex.DerivedAttribute():
            return _opened(facts, condition, depth + 1)
        case ex.Local():
            value = value_of(facts, condition)
            return Proof.UNKNOWN if value is condition else _prove(facts, value, depth + 1)
        case _:
            return Proof.UNKNOWN


def _known(facts: Facts, condition: Expression) -> Proof:
    said = claim(condition)
    found = facts.truths.get(said.key)
    return Proof.UNKNOWN if found is None else _verdict(found[0] == said.truth)


def _is_as_written(depth: int) -> bool:
    """Whether a condition stands as its author asks it: where proofs begin, and nothing was opened."""
    return depth in {0, DEEPEST}


def _conditional(facts: Facts, parts: tuple[Expression, Expression, Expression], depth: int) -> Proof:
    judged, then, otherwise = (_prove(facts, each, depth) for each in parts)
    match judged:
        case Proof.PROVED:
            return then
        case Proof.REFUTED:
            return otherwise
        case _:
            return then if then is otherwise else Proof.UNKNOWN


def _same(facts: Facts, left: Expression, right: Expression, depth: int) -> Proof:  # noqa: PLR0911 - one case for each sort
    first, second = key(left), key(right)
    if first == second:
        return Proof.PROVED
    if not facts.goes_on():
        return Proof.UNKNOWN
    found = facts.truths.get(equal(first, second))
    if found is not None:
        return _verdict(found[0])
    if _apart(facts, left, right):
        return Proof.REFUTED
    left_value, right_value = value_of(facts, left), value_of(facts, right)
    if depth <= DEEPEST and (left_value is not left or right_value is not right):
        return _same(facts, left_value, right_value, depth + 1)
    if depth <= DEEPEST and (possible := _possible(facts, left)) not in {(left,), ()}:
        return _agreed([_same(facts, each, right, depth + 1) for each in possible])
    if depth <= DEEPEST and (possible := _possible(facts, right)) not in {(right,), ()}:
        return _agreed([_same(facts, left, each, depth + 1) for each in possible])
    if _never_none(left, right) or _never_none(right, left):
        return Proof.REFUTED
    if isinstance(left.type, NUMERIC) and isinstance(right.type, NUMERIC):
        return _same_number(facts, left, right)
    constants = _constant(facts, left), _constant(facts, right)
    return Proof.UNKNOWN if None in constants else _verdict(constants[0] == constants[1])


def _apart(facts: Facts, left: Expression, right: Expression) -> bool:
    """Whether two things or cells are certainly not the same, by what is said of them and of what they equal."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ex.Builtin) and one.name == "other" and key(one.arguments[0]) == key(other):
            return True
    if _vacant(facts, left, right) or _vacant(facts, right, left):
        return True
    if not isinstance(left.type, CellType) and left.type != POINT:
        return False
    return any(
        _said_apart(facts, first, second)
        for first in _equals(facts, key(left))
        for second in _equals(facts, key(right))
    )


def _vacant(facts: Facts, cell: Expression, place: Expression) -> bool:
    """Whether nothing stands on a cell, and a thing in play stands at the place it is compared with."""
    if not isinstance(place, ex.StoredAttribute) or place.name != "at":
        return False
    return nobody_at(facts, cell, place) and in_play(facts, place.target) is not None


def nobody_at(facts: Facts, cell: Expression, place: ex.StoredAttribute) -> bool:
    """Whether it is known that no thing of a kind stands on a cell."""
    member = Variable("", 0, place.target.type)
    own = replace(place, target=ex.Local(type=member.type, span=place.span, variable=member))
    same = ex.Comparison(type=FLAG, span=place.span, operator="=", left=own, right=cell)
    every = ex.InPlay(type=SetType(member.type), span=place.span, kind=place.kind)
    asked = claim(
        ex.Quantifier(type=FLAG, span=place.span, word="some", binding=Binding((member,), every, same), body=None)
    )
    for name in (("some", ("Builtin", "occupants", (key(cell),), place.kind)), asked.key):
        held = facts.truths.get(name)
        if held is not None and not held[0]:
            return True
    return False


def _equals(facts: Facts, name: Key) -> list[Key]:
    """A value and all that it is known to equal."""
    found = [name]
    for said, (truth, _) in facts.truths.items():
        if truth and said[0] == "=" and name in said[1:]:
            found.append(said[2] if said[1] == name else said[1])  # type: ignore[arg-type]
    return found


def _said_apart(facts: Facts, first: Key, second: Key) -> bool:
    same = facts.truths.get(equal(first, second))
    if same is not None:
        return not same[0]
    beside = facts.truths.get(("Builtin", "adjacent", tuple(sorted((first, second), key=repr)), ""))
    return beside is not None and beside[0]


def _possible(facts: Facts, expression: Expression) -> tuple[Expression, ...]:
    """The few values of a name that are left by what is known of it."""
    values = values_of(facts, expression)
    if len(values) > 1 and not isinstance(expression.type, OptionalType):
        return tuple(each for each in values if not is_none(each))
    return values


def _agreed(proofs: list[Proof]) -> Proof:
    return proofs[0] if len(set(proofs)) == 1 else Proof.UNKNOWN


def _never_none(side: Expression, other: Expression) -> bool:
    return is_none(other) and not isinstance(side.type, OptionalType | NoneType)


def _constant(facts: Facts, expression: Expression) -> object | None:
    """A word, direction or value that an expression is, or is known to equal; comparable with others."""
    turned = isinstance(present(expression.type), DirectionType)
    match expression:
        case ex.WordLiteral():
            return key(expression)
        case ex.Literal(value=value) if turned or not isinstance(value, int | Fraction) or isinstance(value, bool):
            return key(expression)
        case _:
            sorts = ("WordLiteral", "literal") if turned else ("WordLiteral",)
            return next((each for each in _equals(facts, key(expression))[1:] if each[0] in sorts), None)


def _same_number(facts: Facts, left: Expression, right: Expression) -> Proof:
    if not isinstance(left.type, NumberType) or not isinstance(right.type, NumberType):
        sides = [
            fraction_of(facts, each, _distinct, _at_most) for each in (left, right) if isinstance(each.type, NUMERIC)
        ]
        return Proof.REFUTED if len(sides) > 1 and apart(*sides) else Proof.UNKNOWN
    first, second = number_range(facts, left), number_range(facts, right)
    if _never_shown(left.type, second) or _never_shown(right.type, first):
        return Proof.REFUTED
    return _verdict(same(first, second))


def _never_shown(type_: NumberType, other: Range) -> bool:
    """Whether numbers that a `d66` shows are never one of these."""
    return type_.paired and not any(map(NumberType(*other).holds, type_.numbers() or ()))


def _ordered(facts: Facts, condition: ex.Comparison) -> Proof:
    said = claim(condition)
    first = said.key[1]
    left, right = condition.left, condition.right
    smaller, greater = (left, right) if key(left) == first else (right, left)
    proof = _less(facts, smaller, greater)
    return proof if said.truth else _opposite(proof)


def _less(facts: Facts, smaller: Expression, greater: Expression) -> Proof:
    """Whether one number is less than another."""
    if not isinstance(smaller.type, NumberType) or not isinstance(greater.type, NumberType):
        return Proof.UNKNOWN
    first, second = number_range(facts, smaller), number_range(facts, greater)
    by_ranges = less(first, second)
    if by_ranges or _capped_below(facts, smaller, greater):
        return Proof.PROVED
    return Proof.REFUTED if by_ranges is False or _at_most(facts, greater, smaller) else Proof.UNKNOWN


def _capped_below(facts: Facts, smaller: Expression, greater: Expression) -> bool:
    """Whether the lesser of some numbers is below another, or a number below a multiple, because one is said to be."""
    match value_of(facts, smaller), value_of(facts, greater):
        case ex.Builtin(name="min", arguments=arguments), _:
            return any(is_less(facts, each, greater) for each in arguments)
        case _, ex.Arithmetic() as product if times := multiple(product):
            return _not_negative(facts, times[1]) and is_less(facts, smaller, times[1])
        case _:
            return False


def _at_most(facts: Facts, small: Expression, great: Expression, depth: int = 0) -> bool:  # noqa: C901, PLR0911, PLR0912 - one case for each sort
    """Whether one number never exceeds another, by what `min` and `max` are and by what was compared."""
    first, second = key(small), key(great)
    if first == second:
        return True
    if not facts.goes_on():
        return False
    below_ = facts.truths.get(("<", second, first))
    same = facts.truths.get(equal(first, second)) if facts.truths else None
    if _up_to(facts, small, great) or (below_ and not below_[0]) or is_less(facts, small, great) or (same and same[0]):
        return True
    high, low = number_range(facts, small)[1], number_range(facts, great)[0]
    if high is not None and low is not None and high <= low:
        return True
    if depth > DEEPEST:
        return False
    lesser, greater = value_of(facts, small), value_of(facts, great)
    match lesser, greater:
        case ex.Builtin(name="max", arguments=(_, _, *_) as arguments), _ if all(
            _at_most(facts, each, greater, depth + 1) for each in arguments
        ):
            return True
        case ex.Arithmetic(operator="+", left=left, right=ex.Literal(value=1)), _ if is_less(facts, left, greater):
            return True
        case _, ex.Arithmetic(operator="-", left=left, right=ex.Literal(value=1)) if is_less(facts, lesser, left):
            return True
        case ex.Arithmetic(operator="-", left=left, right=right), _ if _not_negative(facts, right):
            return _at_most(facts, left, greater, depth + 1)
        case ex.Builtin(name="floor" | "ceiling" | "round", arguments=(rounded,)), _ if _is_whole(greater):
            return _at_most(facts, rounded, greater, depth + 1)
        case ex.Arithmetic(operator="/", left=left, right=right), _ if _are_not_negative(facts, left, right):
            return _at_most(facts, left, greater, depth + 1)
        case _, ex.Arithmetic(operator="+", left=left, right=right) if _not_negative(facts, right):
            return _at_most(facts, lesser, left, depth + 1)
        case ex.Builtin(name="min", arguments=arguments), _ if any(
            _at_most(facts, each, greater, depth + 1) for each in arguments
        ):
            return True
        case _, ex.Builtin(name="min", arguments=(_, _, *_) as arguments) if all(
            _at_most(facts, lesser, each, depth + 1) for each in arguments
        ):
            return True
        case _, ex.Builtin(name="max", arguments=arguments) if any(
            _at_most(facts, lesser, each, depth + 1) for each in arguments
        ):
            return True
        case _:
            changed = lesser is not small or greater is not great
            return changed and _at_most(facts, lesser, greater, depth + 1)


def _is_whole(number: Expression) -> bool:
    return isinstance(number.type, NumberType)


def _are_not_negative(facts: Facts, *numbers: Expression) -> bool:
    return all(_is_whole(each) and _not_negative(facts, each) for each in numbers)


def _not_negative(facts: Facts, number: Expression) -> bool:
    low, _ = number_range(facts, number)
    return low is not None and low >= 0


def _up_to(facts: Facts, small: Expression, great: Expression) -> bool:
    """Whether a number is a member of a range that ends with another, or of a collection of such numbers."""
    ranges = [said[2] for said, (truth, _) in facts.truths.items() if truth and said[:2] == ("in", key(small))]
    if isinstance(small, ex.Entry):
        ranges += [key(each) for each in wider_than(facts, small.target)]
    return any(each[0] == "Interval" and each[2] == key(great) for each in ranges if isinstance(each, tuple))


def _some(facts: Facts, condition: ex.Quantifier, depth: int) -> Proof:
    low, high = number_range(facts, size_of(condition.binding, condition.span))
    if low is not None and low >= 1:
        return Proof.PROVED
    where = condition.binding.where
    if high == 0 or (where is not None and _prove(facts, where, depth + 1) is Proof.REFUTED):
        return Proof.REFUTED
    return Proof.PROVED if _example(facts, condition.binding, depth) else _for_each_value(facts, condition, depth)


def _for_each_value(facts: Facts, condition: ex.Quantifier, depth: int) -> Proof:
    """A condition for each of the few values that a name in it can have."""
    for part in inside(condition) if depth <= DEEPEST else ():
        if isinstance(part, ex.Local) and len(possible := _possible(facts, part)) > 1:
            index = part.variable.index
            return _agreed([_prove(facts, substituted(condition, {index: each}), depth + 1) for each in possible])
    return Proof.UNKNOWN


def _example(facts: Facts, binding: Binding, depth: int) -> bool:
    """Whether a thing that is known to be in play is one of those that are asked for."""
    match binding:
        case Binding(variables=(member,), source=ex.InPlay(kind=kind), where=where):
            for name, (truth, sources) in facts.truths.items():
                match name:
                    case ("in play" | "Gone" as word, ("local", int() as index)) if (
                        f"{kind}/gone" in sources and truth is (word == "in play")
                    ):
                        if where is None:
                            return True
                        if member is None:
                            continue
                        found = ex.Local(type=member.type, span=where.span, variable=Variable("", index, member.type))
                        if _prove(facts, instead(where, member, found), depth + 2) is Proof.PROVED:
                            return True
                    case _:
                        pass
    return False


def _inside(facts: Facts, condition: ex.Membership, depth: int) -> Proof:  # noqa: C901, PLR0911 - one case for each sort
    item, collection = condition.item, value_of(facts, condition.collection)
    if depth > DEEPEST:
        return Proof.UNKNOWN
    if collection is not condition.collection:
        return _member(facts, item, collection, depth + 1)
    if len(possible := _possible(facts, item)) > 1:
        return _agreed([_member(facts, each, collection, depth + 1) for each in possible])
    match collection:
        case _ if isinstance(item, ex.Entry) and key(item.target) == key(collection):
            return Proof.PROVED
        case ex.Builtin(name="directions"):
            return Proof.PROVED
        case ex.Builtin(name="in some order" | "starting_with" | "sorted", arguments=(source, *_)):
            return _member(facts, item, source, depth + 1)
        case ex.MakeCollection(items=items):
            return _any([_same(facts, item, each, depth + 1) for each in items])
        case ex.Joined(operator="+", left=left, right=right):
            return _any([_member(facts, item, each, depth + 1) for each in (left, right)])
        case ex.Interval(low=low, high=high):
            too_low = _less(facts, item, low)
            too_high = _less(facts, high, item)
            return _opposite(_any([too_low, too_high]))
        case ex.Comprehension(binding=binding, value=ex.Local(variable=variable)) if (variable,) == binding.variables:
            return _selected(facts, item, binding, depth)
        case ex.InPlay(kind=_) if not isinstance(item.type, OptionalType):
            return _opposite(_prove(facts, ex.Gone(type=FLAG, span=item.span, target=item), depth + 1))
        case _:
            return Proof.UNKNOWN


def _selected(facts: Facts, item: Expression, binding: Binding, depth: int) -> Proof:
    """Whether something is a member of a collection that holds those of another for which a condition holds."""
    found = [_member(facts, item, binding.source, depth + 1)]
    if binding.where is not None and binding.variables[0] is not None:
        found.append(_prove(facts, instead(binding.where, binding.variables[0], item), depth + 1))
    return _all(found)


def _member(facts: Facts, item: Expression, collection: Expression, depth: int) -> Proof:
    asked = ex.Membership(type=FLAG, span=item.span, item=item, collection=collection, negated=False)
    return _prove(facts, asked, depth)


def _opened(facts: Facts, call: Expression, depth: int) -> Proof:
    body = opened(call, facts.functions, depth)
    if body is None:
        return Proof.UNKNOWN
    if body.value is not None:
        return _prove(facts, body.value, depth)
    rows = []
    for row in body.rows:
        judged = Proof.PROVED if row.guard is None else _prove(facts, row.guard, depth)
        proof = _prove(facts, row.condition, depth)
        if judged is Proof.PROVED:
            rows.append(proof)
        elif judged is Proof.UNKNOWN:
            rows.append(proof if proof is (Proof.PROVED if body.mode == "all" else Proof.REFUTED) else Proof.UNKNOWN)
    return _all(rows) if body.mode == "all" else _any(rows)
