"""Expressions in one way of writing."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulewright.analysis.facts.bounds import selection_of, within
from rulewright.comparing.meaning.reorderable import Calm
from rulewright.comparing.meaning.subsets import (
    Branches,
    Subset,
    Subsets,
    Sum,
    Switching,
    arms_in_order,
    as_sum,
    compared_sums,
    constant_of,
    sum_of,
)
from rulewright.program import expressions as ex
from rulewright.program.conditions import both, chained, denied, operands
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import FLAG, FlagType, FractionType, NumberType, SetType
from rulewright.program.walk import rebuilt

_EITHER_WAY = frozenset({"min", "max", "adjacent", "distance"})
Key = Callable[[Expression], Any]


class Values:
    """Rewrites the expressions of one declaration.

    `key` is the same for expressions that say the same, and orders operands whose order does not matter.
    """

    def __init__(self, program: Program, calm: Calm, key: Key) -> None:
        self._calm = calm
        self._key = key
        self.subsets = Subsets(program, lambda one, other: key(one) == key(other))
        self._switching: Switching[Expression] = Switching(self.subset, key, _opened)
        self._functions = program.functions

    def expression(self, node: Expression) -> Expression:  # noqa: C901, PLR0911 - one case for each class
        """The same value, written in one way."""
        made = rebuilt(node, self._inside)
        match made:
            case ex.Not(operand=operand):
                return self.opposite(operand)
            case ex.Comparison():
                return self._comparison(made)
            case ex.Logical():
                return self._logical(made)
            case ex.Quantifier(word="every" | "no"):
                return self._quantifier(made)
            case ex.Membership():
                return self._membership(made)
            case ex.Conditional():
                return self.conditional(made)
            case ex.Arithmetic() | ex.Negation():
                return self._arithmetic(made)
            case ex.RelationHolds(symmetric=True) if self._may_change(made.first, made.second):
                first, second = sorted((made.first, made.second), key=self._key)
                return replace(made, first=first, second=second)
            case ex.CallFunction(function=name) if self._functions[name].symmetric:
                return replace(made, arguments=self._in_order(made.arguments))
            case ex.Builtin(name=name) if name in _EITHER_WAY and not made.places and len(made.arguments) > 1:
                return replace(made, arguments=self._in_order(made.arguments))
            case ex.MakeCollection(type=SetType(), items=items) if all(map(self._calm.silent, items)):
                return replace(made, items=tuple(sorted(items, key=self._key)))
            case _:
                return made

    def _inside(self, part: Any) -> Any:  # an expression or a binding
        return self._direct(self.binding(part)) if isinstance(part, Binding) else self.expression(part)

    def _direct(self, binding: Binding) -> Binding:
        """A binding over what `{each x in S where C}` selects, as one over `S`, if `C` never fails and asks nobody."""
        inner = selection_of(binding.source) if len(binding.variables) == 1 else None
        if inner is None or not (inner.where is None or self._calm.steady(inner.where)):
            return binding
        return self._direct(self.binding(within(binding, inner)))

    def binding(self, binding: Binding) -> Binding:
        """A binding whose source and condition are written in one way; a condition that always holds is left out."""
        where = None if binding.where is None else self.expression(binding.where)
        kept = None if isinstance(where, ex.Literal) and where.value is True else where
        return replace(binding, source=self.expression(binding.source), where=kept)

    def subset(self, node: Expression) -> Subset | None:
        """What a condition on one value comes to, where that value never fails and asks nobody."""
        found = self.subsets.of(node)
        return found if found is not None and self._calm.steady(found.subject) else None

    def opposite(self, node: Expression) -> Expression:
        """What holds where a rewritten condition fails."""
        found = self.subset(node)
        if found is not None:
            return self.subsets.written(found.opposite)
        match node:
            case ex.Not(operand=operand):
                return operand
            case ex.Literal(value=bool() as value):
                return replace(node, value=not value)
            case ex.Comparison(operator=operator):
                return self._comparison(replace(node, operator=ex.OPPOSITE[operator]))
            case ex.Logical(operator=operator):
                other = "or" if operator == "and" else "and"
                left, right = self.opposite(node.left), self.opposite(node.right)
                return self._logical(replace(node, operator=other, left=left, right=right))
            case _:
                return denied(node)

    def is_denial(self, condition: Expression) -> bool:
        """Whether branches are told the other way round: of a condition and its opposite, always one is chosen."""
        return bool(self._key(self.opposite(condition)) < self._key(condition))

    def joined(self, operator: str, first: Expression, second: Expression) -> Expression:
        """Two rewritten conditions as one."""
        return self._logical(both(operator, first, second))

    def conditional(self, node: ex.Conditional) -> Expression:
        """One of two values, with rewritten parts; of two flags, a condition."""
        condition, then, otherwise = node.condition, node.then, node.otherwise
        if isinstance(condition, ex.Literal):
            return then if condition.value else otherwise
        if self._key(then) == self._key(otherwise) and self._calm.steady(condition):
            return then
        match then, otherwise:
            case ex.Literal(value=bool() as value), _ if isinstance(otherwise.type, FlagType):
                held = condition if value else self.opposite(condition)
                return self.joined("or" if value else "and", held, otherwise)
            case _, ex.Literal(value=bool() as value) if isinstance(then.type, FlagType):
                held = self.opposite(condition) if value else condition
                return self.joined("or" if value else "and", held, then)
        return self._chosen(node)

    def _chosen(self, node: ex.Conditional) -> Expression:
        """One of several values, told one way round."""
        branches = Branches(node.condition, node.then, node.otherwise)
        joined = self._switching.joined(branches)
        if joined is not None:
            operator, inner, turned = joined
            second = self.opposite(inner.condition) if turned else inner.condition
            other = inner.then if turned else inner.otherwise
            made = self.joined(operator, node.condition, second)
            if operator == "or":
                return self.conditional(replace(node, condition=made, then=node.then, otherwise=other))
            then = inner.otherwise if turned else inner.then
            return self.conditional(replace(node, condition=made, then=then, otherwise=node.otherwise))
        arms = self._switching.arms(branches)
        if arms is not None:
            *first, (_, found) = arms_in_order(arms, lambda _: False)
            for subset, value in reversed(first):
                found = replace(node, condition=self.subsets.written(subset), then=value, otherwise=found)
            return found
        if self.is_denial(node.condition):
            return replace(node, condition=self.opposite(node.condition), then=node.otherwise, otherwise=node.then)
        return node

    def _membership(self, node: ex.Membership) -> Expression:
        found = self.subset(node)
        if found is not None:
            return self.subsets.written(found)
        plain = replace(node, negated=False)
        return ex.Not(type=FLAG, span=node.span, operand=plain) if node.negated else plain

    def _comparison(self, node: ex.Comparison) -> Expression:
        found = self.subset(node)
        if found is not None:
            return self._counted(self.subsets.written(found))
        if isinstance(node.left.type, NumberType) and isinstance(node.right.type, NumberType):
            return self._compared(node)
        if node.operator in {"=", "!="}:
            return self._equality(node)
        if node.operator in {">", ">="} and self._may_change_places(node):
            return replace(node, operator=ex.MIRRORED[node.operator], left=node.right, right=node.left)
        return node

    def _compared(self, node: ex.Comparison) -> Expression:
        """Two whole numbers compared: one value with a number, or sums of values with each other."""
        if not (self._calm.silent(node.left) and self._calm.silent(node.right)):
            return node
        turned = node.operator in {">", ">="}
        left, right = (node.right, node.left) if turned else (node.left, node.right)
        operator = ex.MIRRORED[node.operator] if turned else node.operator
        apart = ex.Arithmetic(type=left.type, span=node.span, operator="-", left=left, right=right)
        found = sum_of(apart, self._key, self._calm.steady)
        if found is None:
            return node
        if operator == "<":
            operator, found = "<=", replace(found, number=found.number + 1)
        if not found.terms:
            holds = {"=": found.number == 0, "!=": found.number != 0}.get(operator, found.number <= 0)
            return ex.Literal(type=FLAG, span=node.span, value=holds)
        if len(found.terms) == 1 and abs(found.terms[0].times) == 1:
            return self._with_constant(found, operator, node)
        return compared_sums(found, operator, node.span)

    def _with_constant(self, found: Sum, operator: str, node: ex.Comparison) -> Expression:
        (term,) = found.terms
        constant = constant_of(-found.number * term.times, node.span)
        sense = operator if term.times == 1 else ex.MIRRORED[operator]
        made = replace(node, operator=sense, left=term.value, right=constant)
        subset = self.subsets.of(made)
        return made if subset is None else self._counted(self.subsets.written(subset))

    def _counted(self, node: Expression) -> Expression:
        """Whether anything is counted, as whether there is some of it."""
        match node:
            case ex.Comparison(
                operator="=" | "!=" as operator,
                left=ex.Aggregate(word="count", binding=binding),
                right=ex.Literal(value=0),
            ) if binding.where is None or self._calm.steady(binding.where):
                some = ex.Quantifier(type=FLAG, span=node.span, word="some", binding=binding, body=None)
                return some if operator == "!=" else ex.Not(type=FLAG, span=node.span, operand=some)
            case _:
                return node

    def _equality(self, node: ex.Comparison) -> Expression:
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(side.type, FlagType) and isinstance(other, ex.Literal) and isinstance(other.value, bool):
                return side if other.value is (node.operator == "=") else self.opposite(side)
        if self._may_change_places(node):
            left, right = sorted((node.left, node.right), key=self._key)
            return replace(node, left=left, right=right)
        return node

    def _in_order(self, arguments: tuple[Expression, ...]) -> tuple[Expression, ...]:
        return tuple(sorted(arguments, key=self._key)) if self._may_change(*arguments) else arguments

    def _may_change_places(self, node: ex.Comparison | ex.Arithmetic) -> bool:
        return self._may_change(node.left, node.right)

    def _may_change(self, *sides: Expression) -> bool:
        """Whether it makes no difference which side comes first: not where one asks and the other may fail."""
        return all(map(self._calm.silent, sides)) or sum(not self._calm.steady(each) for each in sides) <= 1

    def _quantifier(self, node: ex.Quantifier) -> Expression:
        """`no` and `every` as a `some` that fails."""
        binding = node.binding
        if node.word == "every" and node.body is not None:
            against = self.opposite(node.body)
            where = against if binding.where is None else self.joined("and", binding.where, against)
            binding = self._direct(self.binding(replace(binding, where=where)))
        return ex.Not(type=FLAG, span=node.span, operand=replace(node, word="some", binding=binding, body=None))

    def _logical(self, node: ex.Logical) -> Expression:
        """A chain of `and` or `or` without what decides nothing; parts that never fail in one order."""
        decided = node.operator == "or"
        kept: list[Expression] = []
        for part in operands(node, node.operator):
            if isinstance(part, ex.Literal) and part.value is not decided:
                continue
            if any(self._key(part) == self._key(each) for each in kept) and self._calm.silent(part):
                continue
            kept.append(part)
            if isinstance(part, ex.Literal):
                break
        parts: list[Expression] = []
        for run in self._runs(kept):
            parts += self._sorted(node.operator, run)
            if parts and isinstance(parts[-1], ex.Literal):
                break
        return chained(parts, node.operator, node.span)

    def _runs(self, parts: Sequence[Expression]) -> Iterator[list[Expression]]:
        """Parts that never fail and ask nobody, together as far as they stand together; any other alone."""
        run: list[Expression] = []
        for each in parts:
            if self._calm.steady(each):
                run.append(each)
                continue
            yield run
            yield [each]
            run = []
        yield run

    def _sorted(self, operator: str, run: Sequence[Expression]) -> list[Expression]:
        """A run with conditions on one value joined, in one order."""
        found: dict[Any, Subset] = {}
        others: list[Expression] = []
        for each in run:
            subset = self.subset(each)
            if subset is None:
                others.append(each)
                continue
            key = self._key(subset.subject)
            found[key] = found[key].joined(subset, operator) if key in found else subset
        written = [self._counted(self.subsets.written(each)) for each in found.values()]
        decided = operator == "or"
        parts: list[Expression] = [*others, *written]
        deciding: list[Expression] = [each for each in parts if isinstance(each, ex.Literal) and each.value is decided]
        if deciding:
            return deciding[:1]
        return sorted((each for each in parts if not isinstance(each, ex.Literal)), key=self._key)

    def _arithmetic(self, node: ex.Arithmetic | ex.Negation) -> Expression:
        if isinstance(node.type, NumberType) and self._calm.silent(node):
            found = sum_of(node, self._key, self._calm.steady)
            if found is not None and not (len(found.terms) == 1 and found.terms[0].value is node):
                return replace(as_sum(found, node.span), type=node.type) if found.terms else as_sum(found, node.span)
        if isinstance(node, ex.Arithmetic) and node.operator in {"+", "*"} and self._may_change_places(node):
            return self._commuted(node)
        return node

    def _commuted(self, node: ex.Arithmetic) -> Expression:
        """A sum or product in one order; only where numbers are exact, which they are but for inches and angles."""
        parts = list(operands(node, node.operator))
        if not all(isinstance(each.type, NumberType | FractionType) for each in parts):
            return node
        parts.sort(key=self._key)
        found = parts[0]
        for each in parts[1:]:
            found = replace(node, left=found, right=each)
        return found


def _opened(value: Expression) -> Branches[Expression] | None:
    return Branches(value.condition, value.then, value.otherwise) if isinstance(value, ex.Conditional) else None
