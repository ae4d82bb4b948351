"""How facts are learnt from conditions (manual, Proofs)."""

from dataclasses import replace
from functools import reduce

from rulewright.analysis.facts.bounds import collection_of, forms, value_of
from rulewright.analysis.facts.intervals import WHOLE, Range, negative, overlap, total
from rulewright.analysis.facts.knowledge import (
    MOST_NAMES,
    MOST_OPEN,
    NONE,
    Facts,
    Key,
    Look,
    Sources,
    claim,
    conjuncts,
    equal,
    few,
    key,
    members,
    merge,
    multiple,
    selects,
)
from rulewright.analysis.facts.opening import DEEPEST, Row, opened, substituted
from rulewright.analysis.facts.origins import (
    Granted,
    all_playing,
    all_standing,
    is_cell,
    is_thing,
    kind_of,
    members_in_play,
    members_on_board,
    middle_of,
    playing,
    standing,
    told_of_members,
    wider_than,
)
from rulewright.analysis.facts.prove import Proof, number_range, prove, prove_as_said
from rulewright.analysis.reads import reads
from rulewright.frozen import dataclass
from rulewright.program import expressions as ex, types as ty
from rulewright.program.conditions import denied, narrowed, size_of, where_judged
from rulewright.program.expressions import Binding, Expression, Variable


def suppose(
    facts: Facts,
    condition: Expression,
    truth: bool,  # noqa: FBT001 - the answer of a condition
    way: "tuple[Look, int] | None" = None,
) -> Facts:
    """What is known after a condition was found true or false; `way` is the look it is part of, and how deep."""
    look, depth = way or (Look(), 0)
    learner = adding_to(facts, look)
    learner.learn(condition, truth, depth)
    learner.settle(depth)
    return learner.facts


def adding_to(facts: Facts, look: Look | None = None) -> "Learner":
    """A copy of facts that can be added to."""
    truths, ranges, values = dict(facts.truths), dict(facts.ranges), dict(facts.values)
    everywhere, either, told = dict(facts.everywhere), dict(facts.either), dict(facts.told)
    view = replace(facts, truths=truths, ranges=ranges, values=values, everywhere=everywhere, either=either, told=told)
    return Learner(truths, ranges, values, everywhere, either, told, view, look or Look())


@dataclass(frozen=True, slots=True)
class Learner:
    """Facts being added to; `facts` is their view while they grow, `look` counts what is learnt of one condition."""

    truths: dict[Key, tuple[bool, Sources]]
    ranges: dict[Key, tuple[Range, Sources]]
    values: dict[int, tuple[tuple[Expression, ...], Sources]]
    everywhere: dict[tuple[Key, Key], tuple[Variable, Expression, Sources]]
    either: dict[Key, tuple[ex.Logical, bool, Sources]]
    told: dict[tuple[Key, bool], int]
    facts: Facts
    look: Look

    def place(self, item: Expression, in_play_: Granted, on_board_: Granted) -> None:
        """Learns that a name stands for a thing in play, or for a cell on the board."""
        own = reads(item, self.facts.reads)
        if in_play_ is not None and is_thing(item.type):
            self.truths[playing(item)] = (True, own | in_play_ | {f"{kind_of(item)}/gone"})
        if on_board_ is not None and is_cell(item.type):
            self.truths[standing(item)] = (True, own | on_board_)

    def stands(self, item: Expression, collection: Expression) -> None:
        """Learns what a member has from where it comes: that it is in play, and which wider collections hold it."""
        own = reads(item, self.facts.reads)
        self.place(item, members_in_play(self.facts, collection), members_on_board(self.facts, collection))
        for wider in wider_than(self.facts, collection):
            sources = own | reads(wider, self.facts.reads)
            self.truths[("in", key(item), key(wider))] = (True, sources)
        for each in told_of_members(self.facts, collection, item):
            self.learn(each, truth=True, depth=1)
        middle = middle_of(self.facts, collection)
        if middle is not None:
            sources = own | reads(middle, self.facts.reads)
            self.truths[equal(key(item), key(middle))] = (False, sources)

    def gather(self, collection: Expression, in_play_: Granted, on_board_: Granted) -> None:
        """Learns that all members of a named collection are in play, or on the board."""
        own, item = reads(collection, self.facts.reads), getattr(collection.type, "item", None)
        if in_play_ is not None and isinstance(item, ty.ThingType):
            self.truths[all_playing(collection)] = (True, own | in_play_ | {f"{item.kind}/gone"})
        if on_board_ is not None and isinstance(item, ty.CellType):
            self.truths[all_standing(collection)] = (True, own | on_board_)

    def settle(self, depth: int) -> None:
        """Learns the other side of what left two open, where one of them is decided by now."""
        for name, (sides, truth, _) in tuple(self.either.items()):
            decided = Proof.REFUTED if truth else Proof.PROVED
            for side, other in ((sides.left, sides.right), (sides.right, sides.left)):
                if name in self.either and prove_as_said(self.facts, side) is decided:
                    del self.either[name]
                    self.learn(other, truth, depth)

    def learn(self, condition: Expression, truth: bool, depth: int) -> None:  # noqa: C901, FBT001, PLR0912 - all cases
        """Learns that a condition holds, or that it does not; `depth` counts what was opened on the way to it."""
        if not self.facts.goes_on(self.look):
            return
        match condition:
            case ex.Not(operand=operand):
                self.learn(operand, not truth, depth)
            case ex.Logical(operator=operator, left=left, right=right):
                self._logical(condition, (operator == "and") == truth, (left, right), truth, depth)
            case ex.Comparison(operator="=" | "!=" as operator, left=left, right=right):
                self._equality(condition, left, right, (operator == "=") == truth, depth)
            case ex.Comparison(operator=operator, left=left, right=right):
                said = operator if truth else ex.OPPOSITE[operator]
                self._order(left, said, right)
                self._claim(condition, truth)
                self._of_each(
                    *((left, said, right) if said in {"<", "<="} else (right, ex.MIRRORED[said], left)), depth
                )
            case ex.Quantifier(word="some" | "no" as word, binding=binding):
                some = (word == "some") == truth
                size = size_of(binding, condition.span)
                self.bound(size, (1, None) if some else (0, 0), reads(condition, self.facts.reads))
                self._claim(condition, truth)
                if not some and binding.where is not None:
                    self._of_all(binding, denied(binding.where))
            case ex.Quantifier(word="every", binding=binding, body=body) if truth and body is not None:
                self._claim(condition, truth)
                self._of_all(binding, where_judged(binding.where, body))
            case ex.Membership(item=item, collection=collection, negated=negated):
                self._claim(condition, truth)
                if truth is not negated and self._is_new(condition, truth, depth):
                    self._inside(item, collection, depth)
            case ex.CallFunction() | ex.DerivedAttribute():
                self._claim(condition, truth)
                self._open(condition, truth, depth + 1)
            case ex.Local() if depth <= DEEPEST and (value := value_of(self.facts, condition)) is not condition:
                self._claim(condition, truth)
                self.learn(value, truth, depth + 1)
            case _:
                self._claim(condition, truth)

    def _is_new(self, condition: Expression, truth: bool, depth: int) -> bool:  # noqa: FBT001 - the answer of a condition
        """Whether it was not learnt already with all that follows from it, since anything was forgotten."""
        name = key(condition), truth
        known = self.told.get(name)
        if known is not None and known <= depth:
            return False
        self.told[name] = depth
        return True

    def _claim(self, condition: Expression, truth: bool) -> None:  # noqa: FBT001 - the answer of a condition
        said = claim(condition)
        self.truths[said.key] = (said.truth == truth, reads(condition, self.facts.reads))

    def _logical(
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
        self._claim(condition, truth)
        if not self._is_new(condition, truth, depth):
            return
        decided = Proof.REFUTED if truth else Proof.PROVED
        for side, other in (sides, sides[::-1]):
            if prove(self.facts, side) is decided:
                self.learn(other, truth, depth)
                return
        assert isinstance(condition, ex.Logical)
        self.either[key(condition)] = (condition, truth, reads(condition, self.facts.reads))
        if len(self.either) > MOST_OPEN:
            del self.either[next(iter(self.either))]
        way = self.look, depth
        self._in_common([suppose(self.facts, each, truth, way) for each in sides])

    def _equality(self, condition: Expression, left: Expression, right: Expression, same: bool, depth: int) -> None:  # noqa: FBT001 - the answer of a condition
        for flag, other in ((left, right), (right, left)):
            if isinstance(flag, ex.Literal) and isinstance(flag.type, ty.FlagType):
                self.learn(other, bool(flag.value) == same, depth)
                return
        if same:
            self._order(left, "=", right)
            self._present(left, right)
        else:
            self._differ(left, right)
        sources = reads(condition, self.facts.reads)
        self.truths[equal(key(left), key(right))] = (same, sources)

    def _present(self, left: Expression, right: Expression) -> None:
        """What equals something is not none."""
        for side, other in ((left, right), (right, left)):
            solid = not isinstance(other.type, ty.OptionalType | ty.NoneType)
            if solid and isinstance(side.type, ty.OptionalType):
                self.truths[equal(key(side), NONE)] = (False, reads(side, self.facts.reads))

    def _differ(self, left: Expression, right: Expression) -> None:
        """Unequal attributes make unequal things; a bound that is left out moves inwards."""
        match left, right:
            case ex.StoredAttribute(target=first, name=name), ex.StoredAttribute(target=second, name=other) if (
                name == other
            ):
                sources = reads(first, self.facts.reads) | reads(second, self.facts.reads)
                self.truths[equal(key(first), key(second))] = (False, sources)
                self._differ(first, second)
        if isinstance(left.type, ty.NumberType) and isinstance(right.type, ty.NumberType):
            sources = reads(left, self.facts.reads) | reads(right, self.facts.reads)
            self._exclude(left, number_range(self.facts, right), sources)
            self._exclude(right, number_range(self.facts, left), sources)

    def _exclude(self, side: Expression, only: Range, sources: Sources) -> None:
        low, high = number_range(self.facts, side)
        if only[0] is None or only[0] != only[1]:
            return
        if low == only[0]:
            self.bound(side, (only[0] + 1, None), sources)
        elif high == only[0]:
            self.bound(side, (None, only[0] - 1), sources)

    def _order(self, left: Expression, operator: str, right: Expression) -> None:
        if not isinstance(left.type, ty.NumberType) or not isinstance(right.type, ty.NumberType):
            return
        sources = reads(left, self.facts.reads) | reads(right, self.facts.reads)
        first, second = number_range(self.facts, left), number_range(self.facts, right)
        if operator in {"=", "<", "<="}:
            gap = -1 if operator == "<" else 0
            self.bound(left, (None, _moved(second[1], gap)), sources)
            self.bound(right, (_moved(first[0], -gap), None), sources)
        if operator in {"=", ">", ">="}:
            gap = 1 if operator == ">" else 0
            self.bound(left, (_moved(second[0], gap), None), sources)
            self.bound(right, (None, _moved(first[1], -gap)), sources)

    def _of_each(self, small: Expression, operator: str, great: Expression, depth: int) -> None:
        """Learns of numbers what was said of the least or greatest of them, or of one with something taken away."""
        if depth > DEEPEST:
            return
        pairs: list[tuple[Expression, Expression]] = []
        match value_of(self.facts, great):
            case ex.Builtin(name="min", arguments=(_, _, *_) as arguments):
                pairs.extend((small, each) for each in arguments)
            case ex.Arithmetic(operator="-", left=left, right=ex.Literal(value=int() as number)) if number >= 0:
                pairs.append((small, left))
        match value_of(self.facts, small):
            case ex.Builtin(name="max", arguments=(_, _, *_) as arguments):
                pairs.extend((each, great) for each in arguments)
            case ex.Arithmetic() as product if times := multiple(product):
                least = number_range(self.facts, times[1])[0]
                if least is not None and least >= 0:
                    pairs.append((times[1], great))
                    operator = "<" if times[0] > 1 and least > 0 else operator
        for left, right in pairs:
            said = ex.Comparison(type=ty.FLAG, span=great.span, operator=operator, left=left, right=right)
            self.learn(said, truth=True, depth=depth + 1)

    def bound(self, expression: Expression, bounds: Range, sources: Sources, names: int = 0) -> None:
        """Learns bounds of a number, and of what it was computed from by adding a constant; `names` were followed."""
        if bounds == (None, None) or isinstance(expression, ex.Literal) or names > MOST_NAMES:
            return
        self._range(key(expression), bounds, sources)
        match expression:
            case ex.Aggregate(word="count", binding=binding):
                self._sizes(binding, bounds, sources)
            case ex.Arithmetic(operator="+", left=left, right=ex.Literal(value=int() as number)):
                self.bound(left, total(bounds, (-number, -number)), sources, names)
            case ex.Arithmetic(operator="-", left=left, right=ex.Literal(value=int() as number)):
                self.bound(left, total(bounds, (number, number)), sources, names)
            case ex.Negation(operand=operand):
                self.bound(operand, negative(bounds), sources, names)
            case ex.Builtin(name="distance", arguments=(one, other)) if bounds[0] is not None and bounds[0] > 0:
                self.truths[equal(key(one), key(other))] = (False, sources)
                self._differ(one, other)
            case ex.Local(variable=variable) if (value := value_of(self.facts, expression)) is not expression:
                self.bound(value, bounds, sources | self.values[variable.index][1], names + 1)

    def _sizes(self, binding: Binding, bounds: Range, sources: Sources) -> None:
        """Learns how many members a binding has in all its forms; with less asked of them there are no fewer."""
        for form in forms(self.facts, binding):
            read = sources | reads(size_of(form, form.source.span), self.facts.reads)
            self._range(("size", members(form)), bounds, read)
            if form.where is None:
                continue
            for where in (None, *conjuncts(form.where)):
                self._range(("size", members(replace(form, where=where))), (bounds[0], None), read)

    def _range(self, name: Key, bounds: Range, sources: Sources) -> None:
        """Learns bounds; those that say all that both say stand on their own, and outlast what the others read."""
        old, before = self.ranges.get(name, (WHOLE, frozenset[str]()))
        both = overlap(old, bounds)
        if both == bounds != old:
            self.ranges[name] = bounds, sources
        elif both != old:
            self.ranges[name] = both, before | sources
        elif bounds == old:
            self.ranges[name] = old, min(before, sources, key=len)

    def _of_all(self, binding: Binding, condition: Expression) -> None:
        """Learns what holds of every member of a collection."""
        match binding.variables:
            case (Variable() as name,):
                sources = reads(binding.source, self.facts.reads) | reads(condition, self.facts.reads)
                self.everywhere[key(binding.source), key(condition, {name.index: 0})] = (name, condition, sources)
            case _:
                pass

    def _inside(self, item: Expression, collection: Expression, depth: int) -> None:
        sources = reads(item, self.facts.reads) | reads(collection, self.facts.reads)
        self.bound(size_of(Binding((None,), collection, None), collection.span), (1, None), sources)
        self.stands(item, collection)
        if isinstance(item.type, ty.OptionalType):
            self.truths[equal(key(item), NONE)] = (False, sources)
        self.among(item, collection, depth)

    def among(self, item: Expression, collection: Expression, depth: int) -> None:
        """Learns of a member what its collection asks of members, and what is known of all of them."""
        if depth > DEEPEST:
            return
        whole = collection_of(self.facts, collection)
        for source in {key(collection), key(whole)}:
            for (of, _), (name, condition, _) in tuple(self.everywhere.items()):
                if of == source:
                    self.learn(substituted(condition, {name.index: item}), truth=True, depth=depth + 1)
        match whole:
            case ex.Interval(low=low, high=high, span=span):
                for smaller, greater in ((low, item), (item, high)):
                    said = ex.Comparison(type=ty.FLAG, span=span, operator="<=", left=smaller, right=greater)
                    self.learn(said, truth=True, depth=depth + 1)
            case ex.MakeCollection(items=items, type=ty.SetType() | ty.ListType()) if isinstance(
                item, ex.Local
            ) and few(items):
                sources = frozenset(each for value in items for each in reads(value, self.facts.reads))
                self.values[item.variable.index] = (few(items), sources | {f"local/{item.variable.index}"})
            case ex.Comprehension(binding=Binding(variables=(Variable() as name,)) as binding, value=value):
                self._selected(item, name, binding, None if selects(whole) else value, depth)
            case ex.Builtin(name="in some order" | "starting_with" | "sorted", arguments=arguments):
                self._inside(item, arguments[0], depth + 1)

    def _selected(
        self, item: Expression, name: Variable, binding: Binding, value: Expression | None, depth: int
    ) -> None:
        """Learns of a member of `{each x in S where C}` that it is such an `x`, or that one has it as value."""
        if value is None:
            self._inside(item, binding.source, depth + 1)
            if binding.where is not None:
                self.learn(substituted(binding.where, {name.index: item}), truth=True, depth=depth + 1)
            return
        same = ex.Comparison(type=ty.FLAG, span=value.span, operator="=", left=value, right=item)
        some = ex.Quantifier(type=ty.FLAG, span=value.span, word="some", binding=narrowed(binding, same), body=None)
        self.learn(some, truth=True, depth=depth + 1)

    def _open(self, call: Expression, truth: bool, depth: int) -> None:  # noqa: FBT001 - the answer of a condition
        body = opened(call, self.facts.functions, depth) if self._is_new(call, truth, depth) else None
        if body is None:
            return
        if body.value is not None:
            self.learn(body.value, truth, depth)
        if (body.mode == "all") == truth:
            for row in body.rows:
                if row.guard is None or prove(self.facts, row.guard) is Proof.PROVED:
                    self.learn(row.condition, truth, depth)
            return
        self._in_common([self._row(row, truth, depth) for row in body.rows])

    def _row(self, row: Row, truth: bool, depth: int) -> Facts:  # noqa: FBT001 - the answer of a condition
        """What is known where one row of several decides."""
        way, judged = (self.look, depth), self.facts
        if row.guard is not None:
            judged = suppose(judged, row.guard, truth=True, way=way)
        return suppose(judged, row.condition, truth, way)

    def _in_common(self, ways: list[Facts]) -> None:
        """Learns what holds on every one of some ways, of which one was taken."""
        if ways:
            common = reduce(merge, ways)
            self.truths.update(common.truths)
            self.ranges.update(common.ranges)


def _moved(end: int | None, gap: int) -> int | None:
    return None if end is None else end + gap
