"""Simplification of statements: branches in one form and order, equal ends of branches once, bounds as narrowings.

Literature: if simplification, tail merging and conditional moves (Muchnick 1997, 18); switches on one value as for
patterns (Maranget 2008).
"""

from collections.abc import Callable, Iterator

from rulewright.base.frozen import replace
from rulewright.diff.normal_forms.algebraic_simplification import ExpressionSimplifier
from rulewright.diff.normal_forms.jump_threading import count_common_tail
from rulewright.diff.normal_forms.value_subsets import SwitchAnalysis, SwitchArm, TwoWayBranch, sort_arms
from rulewright.program.core import forms as core
from rulewright.program.core.lower_expressions import make_conjunction, make_number, make_op, make_test
from rulewright.program.core.lower_statements import make_read
from rulewright.program.core.walking import map_blocks, map_parts
from rulewright.program.types import NumberType

OrderBlock = Callable[[core.Block], core.Block]


class BranchSimplifier:
    """Simplifier of the statements of one routine; `order_block` sorts those of a block."""

    def __init__(
        self, expressions: ExpressionSimplifier, order: Callable[[object], object], order_block: OrderBlock
    ) -> None:
        self._expressions = expressions
        self._order = order
        self._order_block = order_block
        self._is_same = expressions.is_same
        self._switches: SwitchAnalysis[core.Block] = SwitchAnalysis(
            expressions.find_subset, expressions.is_same, _open_branch
        )

    def simplify_routine(self, routine: core.Routine) -> core.Routine:
        """The routine with all its blocks in normal form."""
        return map_blocks(routine, self._simplify_block)  # type: ignore[no-any-return]

    def _simplify_block(self, block: core.Block) -> core.Block:
        return self._order_block(tuple(item for statement in block for item in self._simplify_statement(statement)))

    def _simplify_statement(self, statement: core.Statement) -> Iterator[core.Statement]:
        if isinstance(statement, core.Ask):
            statement = self._sort_options(statement)
        rebuilt = map_blocks(map_parts(statement, self._expressions.simplify), self._simplify_block)
        match rebuilt:
            case core.If(test=test, then=then, other=other):
                yield from self._simplify_branches(test, then, other, rebuilt.origin)
            case core.Set(value=core.Cond() as value):
                yield from self._simplify_choice(rebuilt, value)
            case core.Ask():
                yield self._join_conditions(rebuilt)
            case _:
                yield rebuilt

    def _simplify_choice(self, statement: core.Set, value: core.Cond) -> Iterator[core.Statement]:
        """A change that may set a place to its own value, as one that is made where the value differs."""
        current = make_read(statement.place, statement.origin)
        if not self._has_steady_place(statement) or statement.place.path:
            yield statement
        elif self._is_same(current, value.then):
            test = self._expressions.negate(value.test)
            yield from self._simplify_branches(test, (replace(statement, value=value.other),), (), statement.origin)
        elif self._is_same(current, value.other):
            changed = replace(statement, value=value.then)
            yield from self._simplify_branches(value.test, (changed,), (), statement.origin)
        else:
            yield statement

    def _simplify_branches(
        self, test: core.Expression, then: core.Block, other: core.Block, origin: core.Origin
    ) -> Iterator[core.Statement]:
        if isinstance(test, core.Const):
            yield from then if test.value else other
            return
        same = count_common_tail(then, other, self._is_same)
        if same:
            yield from self._simplify_branches(test, then[:-same], other[:-same], origin)
            yield from then[-same:]
            return
        if not then and not other and self._expressions.is_pure(test):
            return
        merged = self._merge_changes(test, then, other, origin)
        if merged is not None:
            yield from merged
            return
        branches = TwoWayBranch(test, then, other)
        joined = self._switches.merge_branches(branches)
        arms = self._switches.find_arms(branches)
        if joined is not None:
            yield from self._merge_branches(branches, *joined, origin)
        elif arms is not None:
            yield from self._order_arms(arms, origin)
        elif not then or (other and self._expressions.is_denial(test)):
            yield core.If(self._expressions.negate(test), other, then, origin=origin)
        else:
            yield core.If(test, then, other, origin=origin)

    def _merge_changes(
        self, test: core.Expression, then: core.Block, other: core.Block, origin: core.Origin
    ) -> Iterator[core.Statement] | None:
        """Branches that both set one place, both return, or guard a change by the bounds of its place."""
        match then, other:
            case (core.Set() as one,), (core.Set() as two,) if self._is_same(
                one.place, two.place
            ) and self._has_steady_place(one):
                value = core.Cond(test, one.value, two.value, type=one.place.type, origin=origin)
                return self._simplify_changed_choice(replace(one, value=self._expressions.simplify_choice(value)))
            case (core.Return() as one,), (core.Return() as two,):
                value = core.Cond(test, one.value, two.value, type=one.value.type, origin=origin)
                return iter((replace(one, value=self._expressions.simplify_choice(value)),))
            case (core.Set() as one, *rest), (core.Fail(),) if self._is_bounds_test(test, one):
                return iter((self._narrow(one), *rest))
            case (core.Fail(),), (core.Set() as one, *rest) if self._is_bounds_test(
                self._expressions.negate(test), one
            ):
                return iter((self._narrow(one), *rest))
            case _:
                return None

    def _simplify_changed_choice(self, statement: core.Set) -> Iterator[core.Statement]:
        if isinstance(statement.value, core.Cond):
            yield from self._simplify_choice(statement, statement.value)
        else:
            yield statement

    def _is_bounds_test(self, test: core.Expression, statement: core.Set) -> bool:
        """Whether a condition says that a value fits into its place."""
        type_ = statement.place.type
        if not isinstance(type_, NumberType) or not self._expressions.is_pure(statement.value):
            return False
        bounds = (("at least", type_.low), ("at most", type_.high))
        tests = [
            make_test(name, statement.value, make_number(bound, test.origin), origin=test.origin)
            for name, bound in bounds
            if bound is not None
        ]
        expected = self._expressions.simplify(make_conjunction(tests, test.origin))
        return self._is_same(expected, test)

    def _narrow(self, statement: core.Set) -> core.Set:
        type_ = statement.place.type
        value = make_op("narrow", statement.value, type_=type_, origin=statement.origin, facts=(type_,))
        return replace(statement, value=value)

    def _has_steady_place(self, statement: core.Set) -> bool:
        place = statement.place
        return isinstance(place.root, core.Local) or self._expressions.is_pure(make_read(place, statement.origin))

    def _merge_branches(
        self,
        branches: TwoWayBranch[core.Block],
        by_or: bool,  # noqa: FBT001
        inner: TwoWayBranch[core.Block],
        turned: bool,  # noqa: FBT001
        origin: core.Origin,
    ) -> Iterator[core.Statement]:
        second = self._expressions.negate(inner.condition) if turned else inner.condition
        test = self._expressions.join("or" if by_or else "and", branches.condition, second)
        first, last = (inner.other, inner.then) if turned else (inner.then, inner.other)
        if by_or:
            yield from self._simplify_branches(test, branches.then, last, origin)
        else:
            yield from self._simplify_branches(test, first, branches.other, origin)

    def _order_arms(self, arms: list[SwitchArm[core.Block]], origin: core.Origin) -> Iterator[core.Statement]:
        """Arms of a switch on one value in the order of its values, the idle one last."""
        *first, (_, other) = sort_arms(arms, lambda block: not block)
        for subset, block in reversed(first):
            test = self._expressions.subset_translator.write_condition(subset)
            other = (core.If(test, block, other, origin=origin),)
        yield from other

    # Questions.

    def _join_conditions(self, question: core.Ask) -> core.Ask:
        """A question with one condition before those that only prefer."""
        required = [condition for condition in question.conditions if not condition.prefer]
        preferred = [condition for condition in question.conditions if condition.prefer]
        if required:
            joined = self._expressions.join("and", *(condition.test for condition in required))
            required = [replace(required[0], test=joined)]
        return replace(question, conditions=(*required, *preferred))

    def _sort_options(self, question: core.Ask) -> core.Ask:
        """A question with its options in canonical order, and what follows from each."""
        space = question.space
        if not isinstance(space, core.Listed) or any(isinstance(each.value.value, bool) for each in space.choices):
            return question
        blocks: dict[object, core.Block] = {}
        rest = question.then
        *others, last = space.choices
        for choice in others:
            match rest:
                case (
                    core.If(test=core.Op(name="equal", arguments=(core.Get(), core.Const(value=value)))) as branch,
                ) if value == choice.value.value:
                    blocks[value], rest = branch.then, branch.other
                case _:
                    return question
        blocks[last.value.value] = rest
        *first, final = choices = sorted(space.choices, key=self._order)  # type: ignore[arg-type]
        block = blocks[final.value.value]
        origin = question.origin
        for choice in reversed(first):
            result = core.Get(question.result, type=question.result.type, origin=origin)
            test = make_test("equal", result, choice.value, origin=origin)
            block = (core.If(test, blocks[choice.value.value], block, origin=origin),)
        return replace(question, space=core.Listed(tuple(choices)), then=block)


def _open_branch(block: core.Block) -> TwoWayBranch[core.Block] | None:
    match block:
        case (core.If(test=test, then=then, other=other),):
            return TwoWayBranch(test, then, other)
        case _:
            return None
