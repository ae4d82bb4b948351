"""Normal forms of expressions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulewright.checker.facts.bounds import compose_bindings, get_selection_binding
from rulewright.diff.normalization.dependence_analysis import PurityAnalysis
from rulewright.diff.normalization.sums_and_intervals import (
    LinearSum,
    SubsetTranslator,
    SwitchAnalysis,
    TwoWayBranch,
    ValueSubset,
    build_sum,
    build_sum_comparison,
    make_constant,
    parse_linear_sum,
    sort_arms,
)
from rulewright.program import expressions as ex
from rulewright.program.conditions import chain_conditions, combine_conditions, list_operands, make_negation
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import FLAG, FlagType, FractionType, NumberType, SetType
from rulewright.program.walk import rebuild_expression

_SYMMETRIC_BUILTINS = frozenset({"min", "max", "adjacent", "distance"})
ExpressionKey = Callable[[Expression], Any]


class ExpressionNormalizer:
    """Normalizer of the expressions of one declaration.

    `key` is equal for equal expressions, and orders commutative operands.
    """

    def __init__(self, program: Program, calm: PurityAnalysis, key: ExpressionKey) -> None:
        self._purity = calm
        self._key = key
        self.subset_translator = SubsetTranslator(program, lambda one, other: key(one) == key(other))
        self._switches: SwitchAnalysis[Expression] = SwitchAnalysis(self.find_subset, key, _conditional_branch)
        self._functions = program.functions

    def normalize_expression(self, node: Expression) -> Expression:
        """Equivalent expression in normal form."""
        rebuilt = rebuild_expression(node, self._normalize_part)
        match rebuilt:
            case ex.Not(operand=operand):
                return self.negate_condition(operand)
            case ex.Comparison():
                return self._normalize_comparison(rebuilt)
            case ex.Logical():
                return self._normalize_logical(rebuilt)
            case ex.Quantifier(word="every" | "no"):
                return self._normalize_quantifier(rebuilt)
            case ex.Membership():
                return self._normalize_membership(rebuilt)
            case ex.Conditional():
                return self.normalize_conditional(rebuilt)
            case ex.Arithmetic() | ex.Negation():
                return self._normalize_arithmetic(rebuilt)
            case ex.RelationHolds(symmetric=True) if self._may_swap_expressions(rebuilt.first, rebuilt.second):
                first, second = sorted((rebuilt.first, rebuilt.second), key=self._key)
                return replace(rebuilt, first=first, second=second)
            case ex.CallFunction(function=name) if self._functions[name].symmetric:
                return replace(rebuilt, arguments=self._sort_arguments(rebuilt.arguments))
            case ex.Builtin(name=name) if (
                name in _SYMMETRIC_BUILTINS and not rebuilt.places and len(rebuilt.arguments) > 1
            ):
                return replace(rebuilt, arguments=self._sort_arguments(rebuilt.arguments))
            case ex.MakeCollection(type=SetType(), items=items) if all(map(self._purity.is_query_free, items)):
                return replace(rebuilt, items=tuple(sorted(items, key=self._key)))
            case _:
                return rebuilt

    def _normalize_part(self, part: Any) -> Any:  # an expression or a binding
        return (
            self._merge_selection(self.normalize_binding(part))
            if isinstance(part, Binding)
            else self.normalize_expression(part)
        )

    def _merge_selection(self, binding: Binding) -> Binding:
        """Binding over `{each x in S where C}` as one over `S`, if `C` is pure."""
        inner = get_selection_binding(binding.source) if len(binding.variables) == 1 else None
        if inner is None or not (inner.where is None or self._purity.is_pure(inner.where)):
            return binding
        return self._merge_selection(self.normalize_binding(compose_bindings(binding, inner)))

    def normalize_binding(self, binding: Binding) -> Binding:
        """Binding with source and condition in normal form; a condition that always holds is dropped."""
        where = None if binding.where is None else self.normalize_expression(binding.where)
        condition = None if isinstance(where, ex.Literal) and where.value is True else where
        return replace(binding, source=self.normalize_expression(binding.source), where=condition)

    def find_subset(self, node: Expression) -> ValueSubset | None:
        """Subset of values for which a condition on one value holds; None unless that value is pure."""
        value_subset = self.subset_translator.read_condition(node)
        return value_subset if value_subset is not None and self._purity.is_pure(value_subset.subject) else None

    def negate_condition(self, node: Expression) -> Expression:
        """Negation of a normalized condition."""
        value_subset = self.find_subset(node)
        if value_subset is not None:
            return self.subset_translator.write_condition(value_subset.complement)
        match node:
            case ex.Not(operand=operand):
                return operand
            case ex.Literal(value=bool() as value):
                return replace(node, value=not value)
            case ex.Comparison(operator=operator):
                return self._normalize_comparison(replace(node, operator=ex.NEGATED_OPERATORS[operator]))
            case ex.Logical(operator=operator):
                other = "or" if operator == "and" else "and"
                left, right = self.negate_condition(node.left), self.negate_condition(node.right)
                return self._normalize_logical(replace(node, operator=other, left=left, right=right))
            case _:
                return make_negation(node)

    def is_denial(self, condition: Expression) -> bool:
        """Whether branches are exchanged: of a condition and its negation, always the same one is kept."""
        return bool(self._key(self.negate_condition(condition)) < self._key(condition))

    def join_conditions(self, operator: str, first: Expression, second: Expression) -> Expression:
        """Conjunction or disjunction of two normalized conditions."""
        return self._normalize_logical(combine_conditions(operator, first, second))

    def normalize_conditional(self, node: ex.Conditional) -> Expression:
        """Conditional value with normalized parts; of two flags, a condition."""
        condition, then, otherwise = node.condition, node.then, node.otherwise
        if isinstance(condition, ex.Literal):
            return then if condition.value else otherwise
        if self._key(then) == self._key(otherwise) and self._purity.is_pure(condition):
            return then
        match then, otherwise:
            case ex.Literal(value=bool() as value), _ if isinstance(otherwise.type, FlagType):
                operand = condition if value else self.negate_condition(condition)
                return self.join_conditions("or" if value else "and", operand, otherwise)
            case _, ex.Literal(value=bool() as value) if isinstance(then.type, FlagType):
                operand = self.negate_condition(condition) if value else condition
                return self.join_conditions("or" if value else "and", operand, then)
        return self._normalize_choice(node)

    def _normalize_choice(self, node: ex.Conditional) -> Expression:
        """Conditional value in one orientation."""
        branches = TwoWayBranch(node.condition, node.then, node.otherwise)
        joined = self._switches.merge_branches(branches)
        if joined is not None:
            operator, inner, turned = joined
            second = self.negate_condition(inner.condition) if turned else inner.condition
            other = inner.then if turned else inner.otherwise
            joined_condition = self.join_conditions(operator, node.condition, second)
            if operator == "or":
                return self.normalize_conditional(
                    replace(node, condition=joined_condition, then=node.then, otherwise=other)
                )
            then = inner.otherwise if turned else inner.then
            return self.normalize_conditional(
                replace(node, condition=joined_condition, then=then, otherwise=node.otherwise)
            )
        arms = self._switches.find_arms(branches)
        if arms is not None:
            *first, (_, result) = sort_arms(arms, lambda _: False)
            for subset, value in reversed(first):
                result = replace(
                    node, condition=self.subset_translator.write_condition(subset), then=value, otherwise=result
                )
            return result
        if self.is_denial(node.condition):
            return replace(
                node, condition=self.negate_condition(node.condition), then=node.otherwise, otherwise=node.then
            )
        return node

    def _normalize_membership(self, node: ex.Membership) -> Expression:
        value_subset = self.find_subset(node)
        if value_subset is not None:
            return self.subset_translator.write_condition(value_subset)
        plain = replace(node, negated=False)
        return ex.Not(type=FLAG, span=node.span, operand=plain) if node.negated else plain

    def _normalize_comparison(self, node: ex.Comparison) -> Expression:
        value_subset = self.find_subset(node)
        if value_subset is not None:
            return self._count_to_existence(self.subset_translator.write_condition(value_subset))
        if isinstance(node.left.type, NumberType) and isinstance(node.right.type, NumberType):
            return self._compare_numbers(node)
        if node.operator in {"=", "!="}:
            return self._normalize_equality(node)
        if node.operator in {">", ">="} and self._may_swap_operands(node):
            return replace(node, operator=ex.MIRRORED_OPERATORS[node.operator], left=node.right, right=node.left)
        return node

    def _compare_numbers(self, node: ex.Comparison) -> Expression:
        """Integer comparison: one value with a number, or linear sums with each other."""
        if not (self._purity.is_query_free(node.left) and self._purity.is_query_free(node.right)):
            return node
        turned = node.operator in {">", ">="}
        left, right = (node.right, node.left) if turned else (node.left, node.right)
        operator = ex.MIRRORED_OPERATORS[node.operator] if turned else node.operator
        difference = ex.Arithmetic(type=left.type, span=node.span, operator="-", left=left, right=right)
        linear_sum = parse_linear_sum(difference, self._key, self._purity.is_pure)
        if linear_sum is None:
            return node
        if operator == "<":
            operator, linear_sum = "<=", replace(linear_sum, constant=linear_sum.constant + 1)
        if not linear_sum.terms:
            holds = {"=": linear_sum.constant == 0, "!=": linear_sum.constant != 0}.get(
                operator, linear_sum.constant <= 0
            )
            return ex.Literal(type=FLAG, span=node.span, value=holds)
        if len(linear_sum.terms) == 1 and abs(linear_sum.terms[0].coefficient) == 1:
            return self._compare_with_constant(linear_sum, operator, node)
        return build_sum_comparison(linear_sum, operator, node.span)

    def _compare_with_constant(self, linear_sum: LinearSum, operator: str, node: ex.Comparison) -> Expression:
        (term,) = linear_sum.terms
        constant = make_constant(-linear_sum.constant * term.coefficient, node.span)
        sense = operator if term.coefficient == 1 else ex.MIRRORED_OPERATORS[operator]
        comparison = replace(node, operator=sense, left=term.value, right=constant)
        subset = self.subset_translator.read_condition(comparison)
        return (
            comparison if subset is None else self._count_to_existence(self.subset_translator.write_condition(subset))
        )

    def _count_to_existence(self, node: Expression) -> Expression:
        """Comparison of a count with 0 as an existential quantifier."""
        match node:
            case ex.Comparison(
                operator="=" | "!=" as operator,
                left=ex.Aggregate(word="count", binding=binding),
                right=ex.Literal(value=0),
            ) if binding.where is None or self._purity.is_pure(binding.where):
                some = ex.Quantifier(type=FLAG, span=node.span, word="some", binding=binding, body=None)
                return some if operator == "!=" else ex.Not(type=FLAG, span=node.span, operand=some)
            case _:
                return node

    def _normalize_equality(self, node: ex.Comparison) -> Expression:
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(side.type, FlagType) and isinstance(other, ex.Literal) and isinstance(other.value, bool):
                return side if other.value is (node.operator == "=") else self.negate_condition(side)
        if self._may_swap_operands(node):
            left, right = sorted((node.left, node.right), key=self._key)
            return replace(node, left=left, right=right)
        return node

    def _sort_arguments(self, arguments: tuple[Expression, ...]) -> tuple[Expression, ...]:
        return tuple(sorted(arguments, key=self._key)) if self._may_swap_expressions(*arguments) else arguments

    def _may_swap_operands(self, node: ex.Comparison | ex.Arithmetic) -> bool:
        return self._may_swap_expressions(node.left, node.right)

    def _may_swap_expressions(self, *sides: Expression) -> bool:
        """Whether the order of evaluation makes no difference: not where one side asks and the other may fail."""
        return all(map(self._purity.is_query_free, sides)) or sum(not self._purity.is_pure(side) for side in sides) <= 1

    def _normalize_quantifier(self, node: ex.Quantifier) -> Expression:
        """`no` and `every` as a negated `some`."""
        binding = node.binding
        if node.word == "every" and node.body is not None:
            against = self.negate_condition(node.body)
            where = against if binding.where is None else self.join_conditions("and", binding.where, against)
            binding = self._merge_selection(self.normalize_binding(replace(binding, where=where)))
        return ex.Not(type=FLAG, span=node.span, operand=replace(node, word="some", binding=binding, body=None))

    def _normalize_logical(self, node: ex.Logical) -> Expression:
        decided = node.operator == "or"
        operands: list[Expression] = []
        for part in list_operands(node, node.operator):
            if isinstance(part, ex.Literal) and part.value is not decided:
                continue
            if any(self._key(part) == self._key(item) for item in operands) and self._purity.is_query_free(part):
                continue
            operands.append(part)
            if isinstance(part, ex.Literal):
                break
        parts: list[Expression] = []
        for run in self._group_pure_runs(operands):
            parts += self._sort_pure_run(node.operator, run)
            if parts and isinstance(parts[-1], ex.Literal):
                break
        return chain_conditions(parts, node.operator, node.span)

    def _group_pure_runs(self, parts: Sequence[Expression]) -> Iterator[list[Expression]]:
        """Runs of adjacent pure parts; every other part alone."""
        run: list[Expression] = []
        for part in parts:
            if self._purity.is_pure(part):
                run.append(part)
                continue
            yield run
            yield [part]
            run = []
        yield run

    def _sort_pure_run(self, operator: str, run: Sequence[Expression]) -> list[Expression]:
        """Run with conditions on one value joined, in canonical order."""
        mapping: dict[Any, ValueSubset] = {}
        others: list[Expression] = []
        for item in run:
            subset = self.find_subset(item)
            if subset is None:
                others.append(item)
                continue
            key = self._key(subset.subject)
            mapping[key] = mapping[key].combine_with(subset, operator) if key in mapping else subset
        written = [
            self._count_to_existence(self.subset_translator.write_condition(value_subset))
            for value_subset in mapping.values()
        ]
        decided = operator == "or"
        parts: list[Expression] = [*others, *written]
        deciding: list[Expression] = [part for part in parts if isinstance(part, ex.Literal) and part.value is decided]
        if deciding:
            return deciding[:1]
        return sorted((part for part in parts if not isinstance(part, ex.Literal)), key=self._key)

    def _normalize_arithmetic(self, node: ex.Arithmetic | ex.Negation) -> Expression:
        if isinstance(node.type, NumberType) and self._purity.is_query_free(node):
            result = parse_linear_sum(node, self._key, self._purity.is_pure)
            if result is not None and not (len(result.terms) == 1 and result.terms[0].value is node):
                return (
                    replace(build_sum(result, node.span), type=node.type)
                    if result.terms
                    else build_sum(result, node.span)
                )
        if isinstance(node, ex.Arithmetic) and node.operator in {"+", "*"} and self._may_swap_operands(node):
            return self._sort_operands(node)
        return node

    def _sort_operands(self, node: ex.Arithmetic) -> Expression:
        """Sum or product in canonical order; only for exact numbers, not for inches and angles."""
        parts = list(list_operands(node, node.operator))
        if not all(isinstance(item.type, NumberType | FractionType) for item in parts):
            return node
        parts.sort(key=self._key)
        result = parts[0]
        for part in parts[1:]:
            result = replace(node, left=result, right=part)
        return result


def _conditional_branch(value: Expression) -> TwoWayBranch[Expression] | None:
    return TwoWayBranch(value.condition, value.then, value.otherwise) if isinstance(value, ex.Conditional) else None
