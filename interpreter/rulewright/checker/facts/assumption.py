"""Learning of facts from conditions that hold or do not (manual, Proofs)."""

from functools import reduce
from typing import Any

from rulewright.base.frozen import dataclass, replace
from rulewright.checker.facts.bounds import expand_binding_forms, resolve_collection, resolve_only_value
from rulewright.checker.facts.fact_store import (
    MAX_FOLLOWED_NAMES,
    MAX_UNDECIDED_CONDITIONS,
    NONE_KEY,
    FactKey,
    Facts,
    ProofSession,
    ReadKeys,
    is_plain_selection,
    limit_values,
    make_equality_key,
    make_key,
    make_members_key,
    merge_facts,
    normalize_claim,
    split_multiple,
)
from rulewright.checker.facts.inlining import MAX_INLINING_DEPTH, inline_call, substitute_locals
from rulewright.checker.facts.intervals import UNBOUNDED, Interval, add_intervals, intersect_intervals, negate_interval
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition, prove_without_inlining
from rulewright.checker.facts.value_origins import (
    IN_PLAY,
    NOTHING_ASSUMED,
    AssumedKeys,
    Whereabouts,
    find_excluded_center,
    iterate_member_conditions,
    list_supersets,
    prove_members_there,
)
from rulewright.checker.read_sets import collect_reads
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import (
    find_selected_member,
    guard_condition,
    make_negation,
    make_size_expression,
    narrow_binding,
    split_conjuncts,
)
from rulewright.program.declarations import Conditions, Value
from rulewright.program.expressions import Binding, Expression, Variable


def assume(
    facts: Facts,
    condition: Expression,
    truth: bool,  # noqa: FBT001 - the answer of a condition
    way: "tuple[ProofSession, int] | None" = None,
) -> Facts:
    """Facts after a condition turned out true or false.

    `way` is the proof session that this is part of, and how many functions were inlined on the way.
    """
    session, depth = way or (ProofSession(), 0)
    learner = make_learner(facts, session)
    learner.learn(condition, truth, depth)
    learner.settle_undecided(depth)
    return learner.facts


def make_learner(facts: Facts, session: ProofSession | None = None) -> "FactLearner":
    """A copy of facts to be extended."""
    known: dict[str, Any] = {name: dict(getattr(facts, name)) for name in _LEARNT_FIELDS}
    return FactLearner(replace(facts, **known), session or ProofSession())


_LEARNT_FIELDS = ("truths", "ranges", "values", "universal", "undecided", "learnt_depths")


@dataclass(frozen=True, slots=True)
class FactLearner:
    """Facts being extended; `session` counts the steps for one condition."""

    facts: Facts
    session: ProofSession

    def collect_reads(self, one: Expression, other: Expression | None = None) -> ReadKeys:
        reads = collect_reads(one, self.facts.reads)
        return reads if other is None else reads | collect_reads(other, self.facts.reads)

    def learn_there(self, item: Expression, place: Whereabouts, assumed: AssumedKeys) -> None:
        """Learns that a name stands for a thing in play, or for a cell on the board, under assumptions."""
        if assumed is not None and place.is_of(item.type):
            reads = self.collect_reads(item) | assumed | place.get_reads(item.type)
            self.facts.truths[place.make_key(item)] = (True, reads)

    def learn_members_there(self, collection: Expression, place: Whereabouts, assumed: AssumedKeys) -> None:
        """Learns that all members of a named collection are in play, or on the board."""
        item: ty.Type | None = getattr(collection.type, "item", None)
        if assumed is not None and item is not None and isinstance(item, place.sort):
            reads = self.collect_reads(collection) | assumed | place.get_reads(item)
            self.facts.truths[place.make_members_key(collection)] = (True, reads)

    def learn_part(self, collection: Expression, before: Facts, whole: Expression) -> None:
        """Learns of a named collection whose members were all in another where those were."""
        for place in Whereabouts:
            self.learn_members_there(collection, place, prove_members_there(before, whole, place))

    def learn_member_origin(self, item: Expression, collection: Expression) -> None:
        """Learns of a member what its collection implies: in play, on the board, member of wider collections."""
        item_reads = self.collect_reads(item)
        for place in Whereabouts:
            self.learn_there(item, place, prove_members_there(self.facts, collection, place))
        for wider in list_supersets(self.facts, collection):
            sources = item_reads | self.collect_reads(wider)
            self.facts.truths[("in", make_key(item), make_key(wider))] = (True, sources)
        for member_condition in iterate_member_conditions(self.facts, collection, item):
            self.learn(member_condition, truth=True, depth=1)
        middle = find_excluded_center(self.facts, collection)
        if middle is not None:
            self.learn_sameness(item, middle, same=False)

    def learn_sameness(self, one: Expression, other: Expression, *, same: bool) -> None:
        """Learns that two values are one, or that they differ."""
        reads = self.collect_reads(one, other)
        self.facts.truths[make_equality_key(make_key(one), make_key(other))] = (same, reads)

    def _learn_not_none(self, value: Expression) -> None:
        reads = self.collect_reads(value)
        self.facts.truths[make_equality_key(make_key(value), NONE_KEY)] = (False, reads)

    def settle_undecided(self, depth: int) -> None:
        """Unit propagation: learns the open side of conditions whose other side is decided by now."""
        for name, (sides, truth, _) in tuple(self.facts.undecided.items()):
            decided = Proof.REFUTED if truth else Proof.PROVED
            for side, other in ((sides.left, sides.right), (sides.right, sides.left)):
                if name in self.facts.undecided and prove_without_inlining(self.facts, side) is decided:
                    del self.facts.undecided[name]
                    self.learn(other, truth, depth)

    def learn(self, condition: Expression, truth: bool, depth: int) -> None:  # noqa: FBT001 - all cases
        """Learns that a condition holds or does not; `depth` counts inlined functions and followed names."""
        if not self.facts.take_step(self.session):
            return
        match condition:
            case ex.Not(operand=operand):
                self.learn(operand, not truth, depth)
            case ex.Logical(operator=operator, left=left, right=right):
                self._learn_logical(condition, (operator == "and") == truth, (left, right), truth, depth)
            case ex.Comparison(operator="=" | "!=" as operator, left=left, right=right):
                self._learn_equality(left, right, (operator == "=") == truth, depth)
            case ex.Comparison(operator=operator, left=left, right=right):
                sign = operator if truth else ex.NEGATED_OPERATORS[operator]
                self._learn_order(left, sign, right)
                self._learn_claim(condition, truth)
                self._learn_order_of_each(
                    *((left, sign, right) if sign in {"<", "<="} else (right, ex.MIRRORED_OPERATORS[sign], left)), depth
                )
            case ex.Quantifier(word="some" | "no" as word, binding=binding):
                some = (word == "some") == truth
                size = make_size_expression(binding, condition.span)
                self.learn_bounds(size, (1, None) if some else (0, 0), self.collect_reads(condition))
                self._learn_claim(condition, truth)
                if not some and binding.where is not None:
                    self._learn_universal(binding, make_negation(binding.where))
                if (member := find_selected_member(condition)) is not None:
                    self.learn(member, truth, depth)
            case ex.Quantifier(word="every", binding=binding, body=body) if truth and body is not None:
                self._learn_claim(condition, truth)
                self._learn_universal(binding, guard_condition(binding.where, body))
            case ex.Membership(item=item, collection=collection, negated=negated):
                self._learn_claim(condition, truth)
                if truth is not negated and self._is_new_condition(condition, truth, depth):
                    self._learn_membership(item, collection, depth)
            case ex.Gone(target=thing):
                self._learn_claim(condition, truth)
                if not truth:  # as what is in play for another reason, so that both are one fact where paths meet
                    self.learn_there(thing, IN_PLAY, NOTHING_ASSUMED)
            case ex.CallFunction() | ex.DerivedAttribute():
                self._learn_claim(condition, truth)
                self._learn_inlined_call(condition, truth, depth + 1)
            case ex.Local() if (
                depth <= MAX_INLINING_DEPTH and (value := resolve_only_value(self.facts, condition)) is not condition
            ):
                self._learn_claim(condition, truth)
                self.learn(value, truth, depth + 1)
            case _:
                self._learn_claim(condition, truth)

    def _is_new_condition(self, condition: Expression, truth: bool, depth: int) -> bool:  # noqa: FBT001 - the answer of a condition
        """Whether a condition was not learnt at this depth or less since facts were last invalidated."""
        name = make_key(condition), truth
        known = self.facts.learnt_depths.get(name)
        if known is not None and known <= depth:
            return False
        self.facts.learnt_depths[name] = depth
        return True

    def _learn_claim(self, condition: Expression, truth: bool) -> None:  # noqa: FBT001 - the answer of a condition
        claim = normalize_claim(condition)
        self.facts.truths[claim.key] = (claim.truth == truth, self.collect_reads(condition))

    def _learn_logical(
        self,
        condition: Expression,
        both: bool,  # noqa: FBT001 - the answer of a condition
        sides: tuple[Expression, Expression],
        truth: bool,  # noqa: FBT001 - the answer of a condition
        depth: int,
    ) -> None:
        if both:
            for side in sides:
                self.learn(side, truth, depth)
            return
        self._learn_claim(condition, truth)
        if not self._is_new_condition(condition, truth, depth):
            return
        decided = Proof.REFUTED if truth else Proof.PROVED
        for side, other in (sides, sides[::-1]):
            if prove_condition(self.facts, side) is decided:
                self.learn(other, truth, depth)
                return
        assert isinstance(condition, ex.Logical)
        self.facts.undecided[make_key(condition)] = (condition, truth, self.collect_reads(condition))
        if len(self.facts.undecided) > MAX_UNDECIDED_CONDITIONS:
            del self.facts.undecided[next(iter(self.facts.undecided))]
        way = self.session, depth
        self._learn_common_facts([assume(self.facts, item, truth, way) for item in sides])

    def _learn_equality(self, left: Expression, right: Expression, same: bool, depth: int) -> None:  # noqa: FBT001
        for flag, other in ((left, right), (right, left)):
            if isinstance(flag, ex.Literal) and isinstance(flag.type, ty.FlagType):
                self.learn(other, bool(flag.value) == same, depth)
                return
        if same:
            self._learn_order(left, "=", right)
            for side, other in ((left, right), (right, left)):
                if isinstance(side.type, ty.OptionalType) and not isinstance(other.type, ty.OptionalType | ty.NoneType):
                    self._learn_not_none(side)
        else:
            self._learn_difference(left, right)
        self.learn_sameness(left, right, same=same)

    def _learn_difference(self, left: Expression, right: Expression) -> None:
        """Things with different attributes differ; an excluded bound of an interval moves inwards."""
        match left, right:
            case ex.StoredAttribute(target=first, name=name), ex.StoredAttribute(target=second, name=other) if (
                name == other
            ):
                self.learn_sameness(first, second, same=False)
                self._learn_difference(first, second)
        if isinstance(left.type, ty.NumberType) and isinstance(right.type, ty.NumberType):
            sources = self.collect_reads(left, right)
            self._exclude_end(left, compute_number_range(self.facts, right), sources)
            self._exclude_end(right, compute_number_range(self.facts, left), sources)

    def _exclude_end(self, side: Expression, only: Interval, sources: ReadKeys) -> None:
        low, high = compute_number_range(self.facts, side)
        if only[0] is None or only[0] != only[1]:
            return
        if low == only[0]:
            self.learn_bounds(side, (only[0] + 1, None), sources)
        elif high == only[0]:
            self.learn_bounds(side, (None, only[0] - 1), sources)

    def _learn_order(self, left: Expression, operator: str, right: Expression) -> None:
        if not isinstance(left.type, ty.NumberType) or not isinstance(right.type, ty.NumberType):
            return
        sources = self.collect_reads(left, right)
        first, second = compute_number_range(self.facts, left), compute_number_range(self.facts, right)
        if operator in {"=", "<", "<="}:
            gap = -1 if operator == "<" else 0
            self.learn_bounds(left, (None, _shift_end(second[1], gap)), sources)
            self.learn_bounds(right, (_shift_end(first[0], -gap), None), sources)
        if operator in {"=", ">", ">="}:
            gap = 1 if operator == ">" else 0
            self.learn_bounds(left, (_shift_end(second[0], gap), None), sources)
            self.learn_bounds(right, (None, _shift_end(first[1], -gap)), sources)

    def _learn_order_of_each(self, small: Expression, operator: str, great: Expression, depth: int) -> None:
        """Learns of the arguments of `min` and `max`, and of parts of sums, what was learnt of the whole."""
        if depth > MAX_INLINING_DEPTH:
            return
        pairs: list[tuple[Expression, Expression]] = []
        match resolve_only_value(self.facts, great):
            case ex.Builtin(name="min", arguments=(_, _, *_) as arguments):
                pairs.extend((small, argument) for argument in arguments)
            case ex.Arithmetic(operator="-", left=left, right=ex.Literal(value=int() as number)) if number >= 0:
                pairs.append((small, left))
        match resolve_only_value(self.facts, small):
            case ex.Builtin(name="max", arguments=(_, _, *_) as arguments):
                pairs.extend((argument, great) for argument in arguments)
            case ex.Arithmetic() as product if times := split_multiple(product):
                least = compute_number_range(self.facts, times[1])[0]
                if least is not None and least >= 0:
                    pairs.append((times[1], great))
                    operator = "<" if times[0] > 1 and least > 0 else operator
        for left, right in pairs:
            comparison = ex.Comparison(type=ty.FLAG, span=great.span, operator=operator, left=left, right=right)
            self.learn(comparison, truth=True, depth=depth + 1)

    def learn_bounds(self, expression: Expression, bounds: Interval, sources: ReadKeys, names: int = 0) -> None:
        """Learns bounds of a number, and of what it was computed from by adding a constant; `names` were followed."""
        if bounds == (None, None) or isinstance(expression, ex.Literal) or names > MAX_FOLLOWED_NAMES:
            return
        self._learn_range(make_key(expression), bounds, sources)
        match expression:
            case ex.Aggregate(word="count", binding=binding):
                self._learn_sizes(binding, bounds, sources)
            case ex.Arithmetic(operator="+", left=left, right=ex.Literal(value=int() as number)):
                self.learn_bounds(left, add_intervals(bounds, (-number, -number)), sources, names)
            case ex.Arithmetic(operator="-", left=left, right=ex.Literal(value=int() as number)):
                self.learn_bounds(left, add_intervals(bounds, (number, number)), sources, names)
            case ex.Negation(operand=operand):
                self.learn_bounds(operand, negate_interval(bounds), sources, names)
            case ex.Builtin(name="distance", arguments=(one, other)) if bounds[0] is not None and bounds[0] > 0:
                self.facts.truths[make_equality_key(make_key(one), make_key(other))] = (False, sources)
                self._learn_difference(one, other)
            case ex.Local(variable=variable) if (value := resolve_only_value(self.facts, expression)) is not expression:
                self.learn_bounds(value, bounds, sources | self.facts.values[variable.index][1], names + 1)

    def _learn_sizes(self, binding: Binding, bounds: Interval, sources: ReadKeys) -> None:
        """Learns the size of a binding in all its forms; weaker conditions have no fewer members."""
        for form in expand_binding_forms(self.facts, binding):
            read = sources | collect_reads(make_size_expression(form, form.source.span), self.facts.reads)
            self._learn_range(("size", make_members_key(form)), bounds, read)
            if form.where is None:
                continue
            for where in (None, *split_conjuncts(form.where)):
                self._learn_range(("size", make_members_key(replace(form, where=where))), (bounds[0], None), read)

    def _learn_range(self, name: FactKey, bounds: Interval, sources: ReadKeys) -> None:
        """Intersects bounds; the reads of the old ones are dropped where the new ones imply them."""
        old, before = self.facts.ranges.get(name, (UNBOUNDED, frozenset[str]()))
        both = intersect_intervals(old, bounds)
        if both == bounds != old:
            self.facts.ranges[name] = bounds, sources
        elif both != old:
            self.facts.ranges[name] = both, before | sources
        elif bounds == old:
            self.facts.ranges[name] = old, min(before, sources, key=len)

    def _learn_universal(self, binding: Binding, condition: Expression) -> None:
        match binding.variables:
            case (Variable() as name,):
                sources = self.collect_reads(binding.source) | self.collect_reads(condition)
                self.facts.universal[make_key(binding.source), make_key(condition, {name.index: 0})] = (
                    name,
                    condition,
                    sources,
                )
            case _:
                pass

    def _learn_membership(self, item: Expression, collection: Expression, depth: int) -> None:
        sources = self.collect_reads(item, collection)
        self.learn_bounds(make_size_expression(Binding((None,), collection, None), collection.span), (1, None), sources)
        self.learn_member_origin(item, collection)
        if isinstance(item.type, ty.OptionalType):
            self._learn_not_none(item)
        self.learn_member_properties(item, collection, depth)

    def learn_member_properties(self, item: Expression, collection: Expression, depth: int) -> None:
        """Learns of a member what its collection demands, and what is known of all members."""
        if depth > MAX_INLINING_DEPTH:
            return
        whole = resolve_collection(self.facts, collection)
        for source in {make_key(collection), make_key(whole)}:
            for (of, _), (name, condition, _) in tuple(self.facts.universal.items()):
                if of == source:
                    self.learn(substitute_locals(condition, {name.index: item}), truth=True, depth=depth + 1)
        match whole:
            case ex.Interval(low=low, high=high, span=span):
                for smaller, greater in ((low, item), (item, high)):
                    comparison = ex.Comparison(type=ty.FLAG, span=span, operator="<=", left=smaller, right=greater)
                    self.learn(comparison, truth=True, depth=depth + 1)
            case ex.MakeCollection(items=items, type=ty.SetType() | ty.ListType()) if isinstance(
                item, ex.Local
            ) and limit_values(items):
                sources = NOTHING_ASSUMED.union(*map(self.collect_reads, items))
                self.facts.values[item.variable.index] = (
                    limit_values(items),
                    sources | {f"local/{item.variable.index}"},
                )
            case ex.Comprehension(binding=Binding(variables=(Variable() as name,)) as binding, value=value):
                self._learn_selected_member(item, name, binding, None if is_plain_selection(whole) else value, depth)
            case ex.Builtin(name="in some order" | "starting_with" | "sorted", arguments=arguments):
                self._learn_membership(item, arguments[0], depth + 1)

    def _learn_selected_member(
        self, item: Expression, name: Variable, binding: Binding, value: Expression | None, depth: int
    ) -> None:
        """Learns of a member of `{each x in S where C: value}` that it is such an `x`, or the value of one."""
        if value is None:
            self._learn_membership(item, binding.source, depth + 1)
            if binding.where is not None:
                self.learn(substitute_locals(binding.where, {name.index: item}), truth=True, depth=depth + 1)
            return
        same = ex.Comparison(type=ty.FLAG, span=value.span, operator="=", left=value, right=item)
        some = ex.Quantifier(
            type=ty.FLAG, span=value.span, word="some", binding=narrow_binding(binding, same), body=None
        )
        self.learn(some, truth=True, depth=depth + 1)

    def _learn_inlined_call(self, call: Expression, truth: bool, depth: int) -> None:  # noqa: FBT001 - the answer of a condition
        match inline_call(call, self.facts.functions, depth) if self._is_new_condition(call, truth, depth) else None:
            case Value(value):
                self.learn(value, truth, depth)
            case Conditions(mode=mode, rows=rows) if (mode == "all") == truth:
                for row in rows:
                    if row.guard is None or prove_condition(self.facts, row.guard) is Proof.PROVED:
                        self.learn(row.condition, truth, depth)
            case Conditions(rows=rows):
                self._learn_common_facts([self._assume_row(row, truth, depth) for row in rows])

    def _assume_row(self, row: ex.ConditionRow, truth: bool, depth: int) -> Facts:  # noqa: FBT001 - the answer of a condition
        way, judged = (self.session, depth), self.facts
        if row.guard is not None:
            judged = assume(judged, row.guard, truth=True, way=way)
        return assume(judged, row.condition, truth, way)

    def _learn_common_facts(self, branches: list[Facts]) -> None:
        if branches:
            common = reduce(merge_facts, branches)
            self.facts.truths.update(common.truths)
            self.facts.ranges.update(common.ranges)


def _shift_end(end: int | None, gap: int) -> int | None:
    return None if end is None else end + gap
