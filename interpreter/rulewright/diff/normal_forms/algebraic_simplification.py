"""Algebraic simplification of expressions: conditions, sums, choices and folds in one form each.

Literature: Muchnick, *Advanced Compiler Design and Implementation* (1997), 12.3; negation normal form.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from rulewright.base.frozen import replace
from rulewright.diff.normal_forms.alpha_renaming import substitute_names
from rulewright.diff.normal_forms.form_texts import FormWriter
from rulewright.diff.normal_forms.value_subsets import (
    MIRRORED,
    SubsetTranslator,
    SwitchAnalysis,
    TwoWayBranch,
    ValueSubset,
    sort_arms,
)
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.dependences import DependenceAnalysis
from rulewright.program.core.forms import Expression
from rulewright.program.core.lower_expressions import make_conjunction, make_disjunction, make_flag, make_op, make_test
from rulewright.program.core.walking import is_statement, map_parts
from rulewright.program.declarations import Program
from rulewright.program.types import FLAG, FlagType, FractionType, NumberType

_NEGATED = {"less": "at least", "at least": "less", "at most": "more", "more": "at most"}
_ARITHMETIC = frozenset({"add", "subtract", "multiply", "negate"})
_SYMMETRIC = frozenset({"least", "greatest", "adjacent", "distance"})
_WITHOUT_ORDER = frozenset({"some", "no", "every", "count", "sum", "least", "greatest"})
_GATHERED_TYPES: dict[str, Any] = {"set": ty.SetType, "list": ty.ListType, "bag": ty.BagType}


_COMPARISONS = {
    "equal": operator.eq,
    "less": operator.lt,
    "at most": operator.le,
    "more": operator.gt,
    "at least": operator.ge,
}


class ExpressionSimplifier:
    """Simplifier of the expressions of one program."""

    def __init__(self, program: Program, effects: DependenceAnalysis, writer: FormWriter) -> None:
        self._functions = program.functions
        self._effects = effects
        self._order = writer.order_key
        self._write: Callable[[Expression], str] = partial(writer.write, mode="strict")
        self.is_same = writer.is_same
        self.subset_translator = SubsetTranslator(program, writer.is_same)
        self._switches: SwitchAnalysis[Expression] = SwitchAnalysis(self.find_subset, writer.is_same, _open_choice)

    def is_pure(self, form: Any) -> bool:
        """Whether evaluation may be dropped, hoisted or repeated."""
        return self._effects.find_effects(form).is_pure

    def is_query_free(self, form: Any) -> bool:
        """Whether evaluation asks nobody for a value."""
        return not self._effects.find_effects(form).may_want

    def simplify(self, form: Any) -> Any:
        """An expression, or a form that holds some, in normal form; statements inside are left to their own rules."""
        if is_statement(form):
            return form
        rebuilt = map_parts(form, self.simplify)
        match rebuilt:
            case core.Op(name="not", arguments=(operand,)):
                return self.negate(operand)
            case core.Op(name=name) if name in _COMPARISONS:
                return self._simplify_comparison(rebuilt)
            case core.Op(name="in"):
                return self._simplify_membership(rebuilt)
            case core.Cond():
                return self.simplify_choice(rebuilt)
            case core.Over():
                return self._simplify_fold(rebuilt)
            case core.Op(name=name) if name in _ARITHMETIC:
                return self._simplify_arithmetic(rebuilt)
            case core.Op(name=name, arguments=arguments) if name in _SYMMETRIC and len(arguments) > 1:
                return replace(rebuilt, arguments=self._sort(arguments))
            case core.Op(name="set", arguments=items) if all(map(self.is_query_free, items)):
                return replace(rebuilt, arguments=tuple(sorted(items, key=self._order)))
            case core.Op(name="count of", arguments=(source,)):
                return self._fuse_count(rebuilt, source)
            case core.Op(name="narrow", arguments=(core.Cond() as choice,)):
                return self.simplify_choice(_push_narrowing(rebuilt, choice))
            case core.Load(root=core.Pair(symmetric=True, first=first, second=second) as pair):
                first, second = self._sort((first, second))
                return replace(rebuilt, root=replace(pair, first=first, second=second))
            case core.Apply(routine=routine, arguments=arguments) if self._is_symmetric(routine):
                return replace(rebuilt, arguments=self._sort(arguments))
            case _:
                return rebuilt

    def _is_symmetric(self, routine: str) -> bool:
        sort, _, name = routine.partition(":")
        return sort == "function" and name in self._functions and self._functions[name].symmetric

    # Conditions.

    def find_subset(self, form: Expression) -> ValueSubset | None:
        """Subset of values for which a condition on one value holds; None unless that value is pure."""
        subset = self.subset_translator.read_condition(form)
        return subset if subset is not None and self.is_pure(subset.subject) else None

    def negate(self, form: Expression) -> Expression:
        """Negation of a condition in normal form."""
        subset = self.find_subset(form)
        if subset is not None:
            return self._count_to_existence(self.subset_translator.write_condition(subset.complement))
        match form:
            case core.Op(name="not", arguments=(operand,)):
                return operand
            case core.Const(value=bool() as value):
                return replace(form, value=not value)
            case core.Op(name=name) if name in _NEGATED:
                return self._simplify_comparison(replace(form, name=_NEGATED[name]))
            case core.Cond(test=left, then=right, other=core.Const(value=False)):
                return self.join("or", self.negate(left), self.negate(right))
            case core.Cond(test=left, then=core.Const(value=True), other=right):
                return self.join("and", self.negate(left), self.negate(right))
            case _:
                return make_test("not", form, origin=form.origin)

    def is_denial(self, condition: Expression) -> bool:
        """Whether branches are exchanged: of a condition and its negation, always the same one is kept."""
        return self._order(self.negate(condition)) < self._order(condition)

    def join(self, operator: str, *conditions: Expression) -> Expression:
        """Conjunction or disjunction of conditions in normal form."""
        decided = operator == "or"
        operands: list[Expression] = []
        for part in (inner for condition in conditions for inner in _list_operands(condition, operator)):
            if isinstance(part, core.Const) and part.value is not decided:
                continue
            if self.is_query_free(part) and any(self.is_same(part, known) for known in operands):
                continue
            operands.append(part)
            if isinstance(part, core.Const):
                break
        parts: list[Expression] = []
        for run in self._group_pure_runs(operands):
            parts += self._sort_pure_run(operator, run)
            if parts and isinstance(parts[-1], core.Const):
                break
        origin = conditions[0].origin
        return make_disjunction(parts, origin) if decided else make_conjunction(parts, origin)

    def _group_pure_runs(self, parts: Sequence[Expression]) -> Iterator[list[Expression]]:
        """Runs of adjacent pure parts; every other part alone."""
        run: list[Expression] = []
        for part in parts:
            if self.is_pure(part):
                run.append(part)
                continue
            yield run
            yield [part]
            run = []
        yield run

    def _sort_pure_run(self, operator: str, run: Sequence[Expression]) -> list[Expression]:
        """Run with conditions on one value joined, in canonical order."""
        decided = operator == "or"
        subsets: dict[str, ValueSubset] = {}
        parts: list[Expression] = []
        for item in run:
            subset = self.find_subset(item)
            if subset is None:
                parts.append(item)
                continue
            name = self._write(subset.subject)
            subsets[name] = subsets[name].combine_with(subset, union=decided) if name in subsets else subset
        written = map(self.subset_translator.write_condition, subsets.values())
        parts += [self._count_to_existence(condition) for condition in written]
        deciding: list[Expression] = [part for part in parts if isinstance(part, core.Const) and part.value is decided]
        if deciding:
            return deciding[:1]
        return sorted((part for part in parts if not isinstance(part, core.Const)), key=self._order)

    def _simplify_membership(self, form: core.Op) -> Expression:
        subset = self.find_subset(form)
        if subset is not None:
            return self.subset_translator.write_condition(subset)
        match form.arguments:
            case (item, core.Op(name="set" | "list", arguments=items)) if isinstance(item.type, FlagType):
                values = {each.value for each in items if isinstance(each, core.Const)}
                if len(values) == len(items) == 1:
                    return item if True in values else self.negate(item)
            case (item, core.Op(name="list", arguments=items)) if all(map(self.is_query_free, items)):
                sorted_items = tuple(sorted(items, key=self._order))
                members = make_op("set", *sorted_items, type_=form.arguments[1].type, origin=form.origin)
                return replace(form, arguments=(item, members))
        return form

    def _simplify_comparison(self, form: core.Op) -> Expression:
        subset = self.find_subset(form)
        if subset is not None:
            return self._count_to_existence(self.subset_translator.write_condition(subset))
        left, right = form.arguments
        if isinstance(left, core.Const) and isinstance(right, core.Const) and isinstance(left.type, NumberType):
            return make_flag(form.origin, value=_COMPARISONS[form.name](left.value, right.value))
        if form.name == "equal":
            return self._simplify_equality(form)
        if form.name in {"more", "at least"} and self._may_swap(left, right):
            return replace(form, name=MIRRORED[form.name], arguments=(right, left))
        return form

    def _count_to_existence(self, form: Expression) -> Expression:
        """Comparison of a count with 0 as an existential quantifier."""
        match form:
            case core.Op(name="not", arguments=(inner,)):
                counted = self._count_to_existence(inner)
                return form if counted is inner else self.negate(counted)
            case core.Op(
                name="equal", arguments=(core.Over(gather="count", where=where) as fold, core.Const(value=0))
            ) if where is None or self.is_pure(where):
                return make_test("not", replace(fold, gather="some", type=FLAG), origin=form.origin)
            case core.Op(name="equal", arguments=(core.Op(name="count of", arguments=(source,)), core.Const(value=0))):
                some = core.Over((None,), source, None, "some", None, type=FLAG, origin=form.origin)
                return make_test("not", some, origin=form.origin)
            case _:
                return form

    def _simplify_equality(self, form: core.Op) -> Expression:
        left, right = form.arguments
        for side, other in ((left, right), (right, left)):
            if isinstance(side.type, FlagType) and isinstance(other, core.Const) and isinstance(other.value, bool):
                return side if other.value else self.negate(side)
            if isinstance(side.type, ty.DirectionType) and isinstance(other, core.Const):
                form = replace(form, arguments=(side, replace(other, type=side.type)))
        if not self._may_swap(left, right):
            return form
        return replace(form, arguments=tuple(sorted(form.arguments, key=self._order)))

    def _sort(self, arguments: tuple[Expression, ...]) -> tuple[Expression, ...]:
        return tuple(sorted(arguments, key=self._order)) if self._may_swap(*arguments) else arguments

    def _may_swap(self, *sides: Expression) -> bool:
        """Whether the order of evaluation makes no difference: not where one side asks and the other may fail."""
        return all(map(self.is_query_free, sides)) or sum(not self.is_pure(side) for side in sides) <= 1

    # Choices.

    def simplify_choice(self, form: core.Cond) -> Expression:
        """Conditional value with parts in normal form; of two flags, a condition."""
        test, then, other = form.test, form.then, form.other
        if isinstance(test, core.Const):
            return then if test.value else other
        if self.is_same(then, other) and self.is_pure(test):
            return then
        match then, other:
            case core.Const(value=bool() as value), _ if isinstance(other.type, FlagType):
                return self.join("or" if value else "and", test if value else self.negate(test), other)
            case _, core.Const(value=bool() as value) if isinstance(then.type, FlagType):
                return self.join("or" if value else "and", self.negate(test) if value else test, then)
        branches = TwoWayBranch(test, then, other)
        merged = self._switches.merge_branches(branches)
        if merged is not None:
            return self._merge_choices(form, *merged)
        arms = self._switches.find_arms(branches)
        if arms is not None:
            *first, (_, result) = sort_arms(arms, lambda _: False)
            for subset, chosen in reversed(first):
                condition = self.subset_translator.write_condition(subset)
                result = replace(form, test=condition, then=chosen, other=result)
            return result
        if self.is_denial(test):
            return replace(form, test=self.negate(test), then=other, other=then)
        return form

    def _merge_choices(self, form: core.Cond, by_or: bool, inner: TwoWayBranch[Expression], turned: bool) -> Expression:  # noqa: FBT001
        second = self.negate(inner.condition) if turned else inner.condition
        test = self.join("or" if by_or else "and", form.test, second)
        first, last = (inner.other, inner.then) if turned else (inner.then, inner.other)
        if by_or:
            return self.simplify_choice(replace(form, test=test, other=last))
        return self.simplify_choice(replace(form, test=test, then=first))

    # Folds.

    def _simplify_fold(self, form: core.Over) -> Expression:
        where = form.where
        if isinstance(where, core.Const) and where.value is True:
            form = replace(form, where=None)
        match form.names, form.value:
            case (name,), core.Get(local=local) if name == local and form.gather != "every":
                form = replace(form, value=None)
        form = self._fuse_selection(form)
        match form.gather:
            case "no":
                return self._deny_some(form, form.where)
            case "every":
                against = self.negate(form.value) if form.value is not None else None
                tests = [test for test in (form.where, against) if test is not None]
                fused = self._fuse_selection(replace(form, where=self.join("and", *tests)))
                where = fused.where
                if isinstance(where, core.Const) and where.value is True:
                    where = None
                return self._deny_some(fused, where)
            case "count" if form.where is None and form.value is None:
                return make_op("count of", form.source, type_=form.type, origin=form.origin)
            case _:
                return form

    def _deny_some(self, form: core.Over, where: Expression | None) -> Expression:
        return make_test("not", replace(form, gather="some", where=where, value=None, type=FLAG), origin=form.origin)

    def _fuse_selection(self, form: core.Over) -> core.Over:
        """A fold over the members of a source that are selected by a pure condition, as one over the source."""
        inner = form.source
        if not (isinstance(inner, core.Over) and self._is_selection(inner, form.gather) and len(form.names) == 1):
            return form
        (name,), (member,) = form.names, inner.names
        if name is None:
            name = member
        where, test = form.where, inner.where
        if test is not None and member is not None and name is not None:
            get = core.Get(name, type=name.type, origin=form.origin)
            selected = substitute_names(test, {member.index: get})
            where = self.simplify(selected) if where is None else self.join("and", self.simplify(selected), where)
        elif test is not None:
            where = test if where is None else self.join("and", test, where)
        if isinstance(where, core.Const) and where.value is True:
            where = None
        return self._fuse_selection(replace(form, names=(name,), source=inner.source, where=where))

    def _is_selection(self, form: core.Over, gather: str) -> bool:
        """Whether a fold gives some members of its source, each once and in order where something is gathered in order.

        Dice are told from each other, so that a set has all of them.
        """
        kind = _GATHERED_TYPES.get(form.gather)
        source = form.source
        dice = isinstance(source, core.Op) and source.name == "kept dice" and gather in _WITHOUT_ORDER
        return (
            kind is not None
            and (isinstance(source.type, kind) or dice)
            and form.value is None
            and len(form.names) == 1
            and (form.where is None or self.is_pure(form.where))
        )

    def _fuse_count(self, form: core.Op, source: Expression) -> Expression:
        """The size of what a fold selects, as one fold."""
        if not isinstance(source, core.Over) or source.value is not None or not self._is_selection(source, "count"):
            return form
        return self._simplify_fold(replace(source, gather="count", type=form.type))

    # Arithmetic.

    def _simplify_arithmetic(self, form: core.Op) -> Expression:
        if form.name in {"add", "multiply"} and self._may_swap(*form.arguments):
            return self._sort_operands(form)
        return form

    def _sort_operands(self, form: core.Op) -> Expression:
        """Sum or product in canonical order; only for exact numbers, not for inches and angles."""
        parts = list(_list_arguments(form, form.name))
        if not all(isinstance(item.type, NumberType | FractionType) for item in parts):
            return form
        parts.sort(key=self._order)
        result = parts[0]
        for part in parts[1:]:
            result = replace(form, arguments=(result, part))
        return result


def _open_choice(value: Expression) -> TwoWayBranch[Expression] | None:
    return TwoWayBranch(value.test, value.then, value.other) if isinstance(value, core.Cond) else None


def _push_narrowing(form: core.Op, choice: core.Cond) -> core.Cond:
    """A narrowed choice as a choice of narrowed values."""

    def narrow(value: Expression) -> Expression:
        return _push_narrowing(form, value) if isinstance(value, core.Cond) else replace(form, arguments=(value,))

    return replace(choice, then=narrow(choice.then), other=narrow(choice.other), type=form.type)


def _list_operands(form: Expression, operator: str) -> Iterator[Expression]:
    match form:
        case core.Cond(test=left, then=right, other=core.Const(value=False)) if operator == "and":
            yield from _list_operands(left, operator)
            yield from _list_operands(right, operator)
        case core.Cond(test=left, then=core.Const(value=True), other=right) if operator == "or":
            yield from _list_operands(left, operator)
            yield from _list_operands(right, operator)
        case _:
            yield form


def _list_arguments(form: Expression, name: str) -> Iterator[Expression]:
    if isinstance(form, core.Op) and form.name == name:
        for argument in form.arguments:
            yield from _list_arguments(argument, name)
    else:
        yield form
