"""Conclusions from facts: incomplete and bounded; UNKNOWN rather than a guess (manual, Proofs)."""

from enum import Enum
from fractions import Fraction

from rulewright.base.frozen import replace
from rulewright.checker.facts.bounds import (
    compute_bounds,
    get_type_bounds,
    is_known_less,
    resolve_only_value,
    resolve_values,
)
from rulewright.checker.facts.fact_store import (
    MAX_NESTED_QUESTIONS,
    FactKey,
    Facts,
    make_equality_key,
    make_key,
    normalize_claim,
    split_multiple,
)
from rulewright.checker.facts.inlining import MAX_INLINING_DEPTH, inline_call, substitute_locals, substitute_variable
from rulewright.checker.facts.intervals import Interval, are_disjoint, compare_equal, compare_less
from rulewright.checker.facts.value_origins import IN_PLAY, NOTHING_ASSUMED, get_thing_kind, list_supersets, prove_there
from rulewright.program import expressions as ex
from rulewright.program.board_geometry import POINT
from rulewright.program.conditions import (
    find_selected_member,
    is_none_literal,
    make_negation,
    make_size_expression,
    narrow_binding,
)
from rulewright.program.declarations import Conditions, Value
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import (
    FLAG,
    NUMERIC,
    CellType,
    DirectionType,
    ListType,
    NoneType,
    NumberType,
    OptionalType,
    SetType,
    ThingType,
    strip_optional,
)
from rulewright.program.walk import walk_subexpressions


class Proof(Enum):
    """Result of a proof: always holds, never holds, or neither could be shown."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


def prove_without_inlining(facts: Facts, condition: Expression) -> Proof:
    """Truth of a condition by facts about it and its parts, without looking into functions."""
    with facts.session:
        return _prove_at_depth(facts, condition, MAX_INLINING_DEPTH)


def prove_condition(facts: Facts, condition: Expression) -> Proof:
    """Truth of a condition under facts."""
    with facts.session:
        return _prove_at_depth(facts, condition, 0)


def compute_number_range(facts: Facts, expression: Expression) -> Interval:
    """Interval of a number under facts."""
    with facts.session:
        if facts.session.open_questions > MAX_NESTED_QUESTIONS:
            return get_type_bounds(expression)
        return compute_bounds(facts, expression, are_distinct, _is_at_most)


def are_distinct(facts: Facts, first: Expression, second: Expression) -> bool:
    """Whether two values certainly differ."""
    with facts.session:
        return _prove_same(facts, first, second, 0) is Proof.REFUTED


def _make_proof(truth: bool | None) -> Proof:  # noqa: FBT001 - the answer of a condition
    return Proof.UNKNOWN if truth is None else Proof.PROVED if truth else Proof.REFUTED


def _negate_proof(proof: Proof) -> Proof:
    return {Proof.PROVED: Proof.REFUTED, Proof.REFUTED: Proof.PROVED}.get(proof, proof)


def _conjoin_proofs(proofs: list[Proof]) -> Proof:
    if Proof.REFUTED in proofs:
        return Proof.REFUTED
    return Proof.UNKNOWN if Proof.UNKNOWN in proofs else Proof.PROVED


def _disjoin_proofs(proofs: list[Proof]) -> Proof:
    return _negate_proof(_conjoin_proofs([_negate_proof(proof) for proof in proofs]))


def _prove_at_depth(facts: Facts, condition: Expression, depth: int) -> Proof:
    if depth > MAX_INLINING_DEPTH or not facts.take_step():
        return Proof.UNKNOWN
    known = _look_up_claim(facts, condition)
    if known is not Proof.UNKNOWN:
        return known
    match condition:
        case ex.Literal(value=bool() as truth):
            return _make_proof(truth)
        case ex.Not(operand=operand):
            return _negate_proof(_prove_at_depth(facts, operand, depth))
        case ex.Logical(operator=operator, left=left, right=right):
            sides = [_prove_at_depth(facts, left, depth), _prove_at_depth(facts, right, depth)]
            return _conjoin_proofs(sides) if operator == "and" else _disjoin_proofs(sides)
        case ex.Comparison(operator="=", left=left, right=right):
            return _prove_same(facts, left, right, depth)
        case ex.Comparison(operator="!=", left=left, right=right):
            return _negate_proof(_prove_same(facts, left, right, depth))
        case ex.Comparison():
            return _prove_order(facts, condition)
        case ex.Quantifier(word="some" | "no" as word):
            some = _prove_some(facts, condition, depth)
            return some if word == "some" else _negate_proof(some)
        case ex.Quantifier(word="every", binding=binding, body=body) if body is not None:
            failing = replace(condition, word="some", binding=narrow_binding(binding, make_negation(body)), body=None)
            return _negate_proof(_prove_some(facts, failing, depth))
        case ex.Membership(negated=negated):
            inside = _prove_membership(facts, condition, depth)
            return _negate_proof(inside) if negated else inside
        case ex.Conditional(condition=judged, then=then, otherwise=otherwise):
            return _prove_conditional(facts, (judged, then, otherwise), depth)
        case ex.Gone(target=thing):
            # inside a term no certainty: an overlay may use it on other things
            is_sure = _is_without_inlining(depth) and prove_there(facts, thing, IN_PLAY) == NOTHING_ASSUMED
            return Proof.REFUTED if get_thing_kind(thing) in facts.kind_counts or is_sure else Proof.UNKNOWN
        case ex.CallFunction() | ex.DerivedAttribute():
            return _prove_inlined_call(facts, condition, depth + 1)
        case ex.Local():
            value = resolve_only_value(facts, condition)
            return Proof.UNKNOWN if value is condition else _prove_at_depth(facts, value, depth + 1)
        case _:
            return Proof.UNKNOWN


def _look_up_claim(facts: Facts, condition: Expression) -> Proof:
    claim = normalize_claim(condition)
    items = facts.truths.get(claim.key)
    return Proof.UNKNOWN if items is None else _make_proof(items[0] == claim.truth)


def _is_without_inlining(depth: int) -> bool:
    """Whether a condition stands as its author wrote it: proofs begin at these depths."""
    return depth in {0, MAX_INLINING_DEPTH}


def _prove_conditional(facts: Facts, parts: tuple[Expression, Expression, Expression], depth: int) -> Proof:
    judged, then, otherwise = (_prove_at_depth(facts, part, depth) for part in parts)
    match judged:
        case Proof.PROVED:
            return then
        case Proof.REFUTED:
            return otherwise
        case _:
            return then if then is otherwise else Proof.UNKNOWN


def _prove_same(facts: Facts, left: Expression, right: Expression, depth: int) -> Proof:
    first, second = make_key(left), make_key(right)
    if first == second:
        return Proof.PROVED
    if not facts.take_step():
        return Proof.UNKNOWN
    items = facts.truths.get(make_equality_key(first, second))
    if items is not None:
        return _make_proof(items[0])
    if _are_certainly_different(facts, left, right):
        return Proof.REFUTED
    left_value, right_value = resolve_only_value(facts, left), resolve_only_value(facts, right)
    if depth <= MAX_INLINING_DEPTH and (left_value is not left or right_value is not right):
        return _prove_same(facts, left_value, right_value, depth + 1)
    if depth <= MAX_INLINING_DEPTH and (possible := _list_possible_values(facts, left)) not in {(left,), ()}:
        return _agree_proofs([_prove_same(facts, item, right, depth + 1) for item in possible])
    if depth <= MAX_INLINING_DEPTH and (possible := _list_possible_values(facts, right)) not in {(right,), ()}:
        return _agree_proofs([_prove_same(facts, left, item, depth + 1) for item in possible])
    if _is_compared_with_impossible_none(left, right) or _is_compared_with_impossible_none(right, left):
        return Proof.REFUTED
    if isinstance(left.type, NUMERIC) and isinstance(right.type, NUMERIC):
        return _prove_same_number(facts, left, right)
    constants = _find_constant_key(facts, left), _find_constant_key(facts, right)
    return Proof.UNKNOWN if None in constants else _make_proof(constants[0] == constants[1])


def _are_certainly_different(facts: Facts, left: Expression, right: Expression) -> bool:
    """Whether two things or cells certainly differ, by facts about them and about what they equal."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ex.Builtin) and one.name == "other" and make_key(one.arguments[0]) == make_key(other):
            return True
    if _is_vacant_cell(facts, left, right) or _is_vacant_cell(facts, right, left):
        return True
    if not isinstance(left.type, CellType) and left.type != POINT:
        return False
    return any(
        _are_keys_different(facts, first, second)
        for first in _list_known_equals(facts, make_key(left))
        for second in _list_known_equals(facts, make_key(right))
    )


def _is_vacant_cell(facts: Facts, cell: Expression, place: Expression) -> bool:
    if not isinstance(place, ex.StoredAttribute) or place.name != "at":
        return False
    return is_known_vacant(facts, cell, place) and prove_there(facts, place.target, IN_PLAY) is not None


def is_known_vacant(facts: Facts, cell: Expression, place: ex.StoredAttribute) -> bool:
    """Whether no thing of the kind of a place stands on a cell."""
    member = Variable("", 0, place.target.type)
    member_place = replace(place, target=ex.Local(type=member.type, span=place.span, variable=member))
    same = ex.Comparison(type=FLAG, span=place.span, operator="=", left=member_place, right=cell)
    every = ex.InPlay(type=SetType(member.type), span=place.span, kind=place.kind)
    claim = normalize_claim(
        ex.Quantifier(type=FLAG, span=place.span, word="some", binding=Binding((member,), every, same), body=None)
    )
    for name in (("some", ("Builtin", "occupants", (make_key(cell),), place.kind)), claim.key):
        known_fact = facts.truths.get(name)
        if known_fact is not None and not known_fact[0]:
            return True
    return False


def _list_known_equals(facts: Facts, name: FactKey) -> list[FactKey]:
    result = [name]
    for key, (truth, _) in facts.truths.items():
        if truth and key[0] == "=" and name in key[1:]:
            result.append(key[2] if key[1] == name else key[1])  # type: ignore[arg-type]
    return result


def _are_keys_different(facts: Facts, first: FactKey, second: FactKey) -> bool:
    same = facts.truths.get(make_equality_key(first, second))
    if same is not None:
        return not same[0]
    beside = facts.truths.get(("Builtin", "adjacent", tuple(sorted((first, second), key=repr)), ""))
    return beside is not None and beside[0]


def _list_possible_values(facts: Facts, expression: Expression) -> tuple[Expression, ...]:
    values = resolve_values(facts, expression)
    if len(values) > 1 and not isinstance(expression.type, OptionalType):
        return tuple(value for value in values if not is_none_literal(value))
    return values


def _agree_proofs(proofs: list[Proof]) -> Proof:
    return proofs[0] if len(set(proofs)) == 1 else Proof.UNKNOWN


def _is_compared_with_impossible_none(side: Expression, other: Expression) -> bool:
    return is_none_literal(other) and not isinstance(side.type, OptionalType | NoneType)


def _find_constant_key(facts: Facts, expression: Expression) -> object | None:
    turned = isinstance(strip_optional(expression.type), DirectionType)
    match expression:
        case ex.WordLiteral():
            return make_key(expression)
        case ex.Literal(value=value) if turned or not isinstance(value, int | Fraction) or isinstance(value, bool):
            return make_key(expression)
        case _:
            sorts = ("WordLiteral", "literal") if turned else ("WordLiteral",)
            return next(
                (key for key in _list_known_equals(facts, make_key(expression))[1:] if key[0] in sorts),
                None,
            )


def _prove_same_number(facts: Facts, left: Expression, right: Expression) -> Proof:
    if not isinstance(left.type, NumberType) or not isinstance(right.type, NumberType):
        sides = [compute_bounds(facts, item, are_distinct, _is_at_most) for item in (left, right)]
        return Proof.REFUTED if are_disjoint(*sides) else Proof.UNKNOWN
    first, second = compute_number_range(facts, left), compute_number_range(facts, right)
    if _is_never_shown(left.type, second) or _is_never_shown(right.type, first):
        return Proof.REFUTED
    return _make_proof(compare_equal(first, second))


def _is_never_shown(type_: NumberType, other: Interval) -> bool:
    """Whether numbers that a `d66` shows are never in an interval."""
    return type_.paired and not any(map(NumberType(*other).contains_number, type_.list_numbers() or ()))


def _prove_order(facts: Facts, condition: ex.Comparison) -> Proof:
    claim = normalize_claim(condition)
    first = claim.key[1]
    left, right = condition.left, condition.right
    smaller, greater = (left, right) if make_key(left) == first else (right, left)
    proof = _prove_less(facts, smaller, greater)
    return proof if claim.truth else _negate_proof(proof)


def _prove_less(facts: Facts, smaller: Expression, greater: Expression) -> Proof:
    if not isinstance(smaller.type, NumberType) or not isinstance(greater.type, NumberType):
        return Proof.UNKNOWN
    first, second = compute_number_range(facts, smaller), compute_number_range(facts, greater)
    by_ranges = compare_less(first, second)
    if by_ranges or _is_capped_below(facts, smaller, greater):
        return Proof.PROVED
    return Proof.REFUTED if by_ranges is False or _is_at_most(facts, greater, smaller) else Proof.UNKNOWN


def _is_capped_below(facts: Facts, smaller: Expression, greater: Expression) -> bool:
    """Whether `min(…)` is below a number, or a number below a multiple, because one part is known to be."""
    match resolve_only_value(facts, smaller), resolve_only_value(facts, greater):
        case ex.Builtin(name="min", arguments=arguments), _:
            return any(is_known_less(facts, argument, greater) for argument in arguments)
        case _, ex.Arithmetic() as product if times := split_multiple(product):
            return _is_not_negative(facts, times[1]) and is_known_less(facts, smaller, times[1])
        case _:
            return False


def _is_at_most(facts: Facts, small: Expression, great: Expression, depth: int = 0) -> bool:
    first, second = make_key(small), make_key(great)
    if first == second:
        return True
    if not facts.take_step():
        return False
    below_ = facts.truths.get(("<", second, first))
    same = facts.truths.get(make_equality_key(first, second)) if facts.truths else None
    if (
        _is_in_range_up_to(facts, small, great)
        or (below_ and not below_[0])
        or is_known_less(facts, small, great)
        or (same and same[0])
    ):
        return True
    high, low = compute_number_range(facts, small)[1], compute_number_range(facts, great)[0]
    if high is not None and low is not None and high <= low:
        return True
    if depth > MAX_INLINING_DEPTH:
        return False
    lesser, greater = resolve_only_value(facts, small), resolve_only_value(facts, great)
    match lesser, greater:
        case ex.Builtin(name="max", arguments=(_, _, *_) as arguments), _ if all(
            _is_at_most(facts, argument, greater, depth + 1) for argument in arguments
        ):
            return True
        case ex.Arithmetic(operator="+", left=left, right=ex.Literal(value=1)), _ if is_known_less(
            facts, left, greater
        ):
            return True
        case _, ex.Arithmetic(operator="-", left=left, right=ex.Literal(value=1)) if is_known_less(facts, lesser, left):
            return True
        case ex.Arithmetic(operator="-", left=left, right=right), _ if _is_not_negative(facts, right):
            return _is_at_most(facts, left, greater, depth + 1)
        case ex.Builtin(name="floor" | "ceiling" | "round", arguments=(rounded,)), _ if _is_whole_number(greater):
            return _is_at_most(facts, rounded, greater, depth + 1)
        case ex.Arithmetic(operator="/", left=left, right=right), _ if all(
            _is_whole_number(number) and _is_not_negative(facts, number) for number in (left, right)
        ):
            return _is_at_most(facts, left, greater, depth + 1)
        case _, ex.Arithmetic(operator="+", left=left, right=right) if _is_not_negative(facts, right):
            return _is_at_most(facts, lesser, left, depth + 1)
        case ex.Builtin(name="min", arguments=arguments), _ if any(
            _is_at_most(facts, argument, greater, depth + 1) for argument in arguments
        ):
            return True
        case _, ex.Builtin(name="min", arguments=(_, _, *_) as arguments) if all(
            _is_at_most(facts, lesser, argument, depth + 1) for argument in arguments
        ):
            return True
        case _, ex.Builtin(name="max", arguments=arguments) if any(
            _is_at_most(facts, lesser, argument, depth + 1) for argument in arguments
        ):
            return True
        case _:
            changed = lesser is not small or greater is not great
            return changed and _is_at_most(facts, lesser, greater, depth + 1)


def _is_whole_number(number: Expression) -> bool:
    return isinstance(number.type, NumberType)


def _is_not_negative(facts: Facts, number: Expression) -> bool:
    low, _ = compute_number_range(facts, number)
    return low is not None and low >= 0


def _is_in_range_up_to(facts: Facts, small: Expression, great: Expression) -> bool:
    """Whether a number is a member of a range that ends with `great`."""
    ranges = [key[2] for key, (truth, _) in facts.truths.items() if truth and key[:2] == ("in", make_key(small))]
    if isinstance(small, ex.Entry):
        ranges += [make_key(superset) for superset in list_supersets(facts, small.target)]
    return any(
        range_[0] == "Interval" and range_[2] == make_key(great) for range_ in ranges if isinstance(range_, tuple)
    )


def _prove_some(facts: Facts, condition: ex.Quantifier, depth: int) -> Proof:
    low, high = compute_number_range(facts, make_size_expression(condition.binding, condition.span))
    if low is not None and low >= 1:
        return Proof.PROVED
    where = condition.binding.where
    if high == 0 or (where is not None and _prove_at_depth(facts, where, depth + 1) is Proof.REFUTED):
        return Proof.REFUTED
    if find_known_example(facts, condition.binding, depth) is not None or _holds_at_an_end(facts, condition, depth):
        return Proof.PROVED
    member = find_selected_member(replace(condition, word="some"))
    inside = Proof.UNKNOWN if member is None else _prove_membership(facts, member, depth + 1)
    return _prove_for_each_value(facts, condition, depth) if inside is Proof.UNKNOWN else inside


def _holds_at_an_end(facts: Facts, condition: ex.Quantifier, depth: int) -> bool:
    """Whether the least or the greatest number of a range is known to be one that is looked for."""
    match condition.binding:
        case Binding(variables=(Variable() as member,), source=ex.Interval(low=low, high=high), where=where) if (
            where is not None and _is_at_most(facts, low, high)
        ):
            return any(
                _prove_at_depth(facts, substitute_variable(where, member, end), depth + 1) is Proof.PROVED
                for end in (low, high)
            )
        case _:
            return False


def _prove_for_each_value(facts: Facts, condition: ex.Quantifier, depth: int) -> Proof:
    """A condition with the values of its names in their place: of all those that have one, else of one with several."""
    if depth > MAX_INLINING_DEPTH:
        return Proof.UNKNOWN
    single: dict[int, Expression] = {}
    several: tuple[int, tuple[Expression, ...]] | None = None
    for part in walk_subexpressions(condition):
        if isinstance(part, ex.Local) and (possible := _list_possible_values(facts, part)) not in {(part,), ()}:
            if len(possible) == 1:
                single[part.variable.index] = possible[0]
            else:
                several = several or (part.variable.index, possible)
    if single:
        return _prove_at_depth(facts, substitute_locals(condition, single), depth + 1)
    if several is None:
        return Proof.UNKNOWN
    index, items = several
    return _agree_proofs(
        [_prove_at_depth(facts, substitute_locals(condition, {index: one}), depth + 1) for one in items]
    )


def find_known_example(facts: Facts, binding: Binding, depth: int = 0) -> ex.Local | None:
    """A name of a thing that is known to be in play and meets the binding."""
    match binding:
        case Binding(variables=(member,), source=ex.InPlay(kind=kind, span=span), where=where):
            type_ = ThingType(kind) if member is None else member.type
            for name, (truth, sources) in facts.truths.items():
                match name:
                    case ("in play" | "Gone" as word, ("local", int() as index)) if (
                        f"{kind}/gone" in sources and truth is (word == "in play")
                    ):
                        result = ex.Local(type=type_, span=span, variable=Variable("", index, type_))
                        if where is None or (
                            member is not None
                            and _prove_at_depth(facts, substitute_variable(where, member, result), depth + 2)
                            is Proof.PROVED
                        ):
                            return result
                    case _:
                        pass
    return None


def _prove_membership(facts: Facts, condition: ex.Membership, depth: int) -> Proof:
    item, collection = condition.item, resolve_only_value(facts, condition.collection)
    if depth > MAX_INLINING_DEPTH:
        return Proof.UNKNOWN
    if isinstance(item, ex.Entry) and isinstance(item.target.type, ListType):
        holders = {make_key(holder) for holder in (item.target, *list_supersets(facts, item.target))}
        if make_key(condition.collection) in holders:
            return Proof.PROVED
    if collection is not condition.collection:
        return _prove_member_of(facts, item, collection, depth + 1)
    if len(possible := _list_possible_values(facts, item)) > 1:
        return _agree_proofs([_prove_member_of(facts, operand, collection, depth + 1) for operand in possible])
    match collection:
        case ex.Builtin(name="directions"):
            return Proof.PROVED
        case ex.Builtin(name="in some order" | "starting_with" | "sorted", arguments=(source, *_)):
            return _prove_member_of(facts, item, source, depth + 1)
        case ex.MakeCollection(items=items):
            return _disjoin_proofs([_prove_same(facts, item, operand, depth + 1) for operand in items])
        case ex.Joined(operator="+", left=left, right=right):
            return _disjoin_proofs([_prove_member_of(facts, item, operand, depth + 1) for operand in (left, right)])
        case ex.Interval(low=low, high=high):
            too_low = _prove_less(facts, item, low)
            too_high = _prove_less(facts, high, item)
            return _negate_proof(_disjoin_proofs([too_low, too_high]))
        case ex.Comprehension(binding=binding, value=ex.Local(variable=variable)) if (variable,) == binding.variables:
            return _prove_selected_member(facts, item, binding, depth)
        case ex.InPlay(kind=_) if not isinstance(item.type, OptionalType):
            return _negate_proof(_prove_at_depth(facts, ex.Gone(type=FLAG, span=item.span, target=item), depth + 1))
        case _:
            return Proof.UNKNOWN


def _prove_selected_member(facts: Facts, item: Expression, binding: Binding, depth: int) -> Proof:
    result = [_prove_member_of(facts, item, binding.source, depth + 1)]
    if binding.where is not None and binding.variables[0] is not None:
        result.append(_prove_at_depth(facts, substitute_variable(binding.where, binding.variables[0], item), depth + 1))
    return _conjoin_proofs(result)


def _prove_member_of(facts: Facts, item: Expression, collection: Expression, depth: int) -> Proof:
    membership = ex.Membership(type=FLAG, span=item.span, item=item, collection=collection, negated=False)
    return _prove_at_depth(facts, membership, depth)


def _prove_inlined_call(facts: Facts, call: Expression, depth: int) -> Proof:
    match inline_call(call, facts.functions, depth):
        case Value(value):
            return _prove_at_depth(facts, value, depth)
        case Conditions(mode=mode, rows=rows):
            proofs = []
            for row in rows:
                judged = Proof.PROVED if row.guard is None else _prove_at_depth(facts, row.guard, depth)
                proof = _prove_at_depth(facts, row.condition, depth)
                if judged is Proof.PROVED:
                    proofs.append(proof)
                elif judged is Proof.UNKNOWN:
                    neutral = Proof.PROVED if mode == "all" else Proof.REFUTED
                    proofs.append(proof if proof is neutral else Proof.UNKNOWN)
            return _conjoin_proofs(proofs) if mode == "all" else _disjoin_proofs(proofs)
        case _:
            return Proof.UNKNOWN
