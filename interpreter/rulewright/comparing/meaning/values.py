"""Expressions in one way of writing."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rulewright.comparing.meaning.calm import Calm
from rulewright.comparing.meaning.numbers import against_constant
from rulewright.program import expressions as ex
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import FLAG, FlagType, FractionType, NumberType, SetType
from rulewright.program.walk import rebuilt

_TURNED = {"<": ("<=", True), "<=": ("<", True), "=": ("!=", False), "!=": ("=", False)}
Key = Callable[[Expression], Any]


class Values:
    """Rewrites the expressions of one declaration.

    `key` orders operands whose order does not matter; with `narrowed` it stays written where a value must fit bounds.
    """

    def __init__(self, calm: Calm, key: Key, *, narrowed: bool = False) -> None:
        self._calm = calm
        self._key = key
        self._narrowed = narrowed

    def expression(self, node: Expression) -> Expression:  # noqa: C901, PLR0911 - one case for each class
        """The same value, written in one way."""
        made = rebuilt(node, self._inside)
        match made:
            case ex.Narrowed(operand=operand) if not self._narrowed:
                return operand
            case ex.Not(operand=operand):
                return self.opposite(operand)
            case ex.Comparison():
                return self._comparison(made)
            case ex.Logical():
                return self._logical(made)
            case ex.Quantifier(word="every" | "no"):
                return self._quantifier(made)
            case ex.Membership(negated=True):
                return self._not(replace(made, negated=False))
            case ex.Conditional(condition=condition) if self.is_denial(condition):
                return replace(made, condition=self.opposite(condition), then=made.otherwise, otherwise=made.then)
            case ex.Conditional(condition=ex.Literal(value=value)):
                return made.then if value else made.otherwise
            case ex.Arithmetic():
                return self._arithmetic(made)
            case ex.Negation(operand=ex.Literal(value=int() as value)) if not isinstance(value, bool):
                return ex.Literal(type=NumberType(-value, -value), span=made.span, value=-value)
            case ex.MakeCollection(type=SetType(), items=items) if all(map(self._calm.silent, items)):
                return replace(made, items=tuple(sorted(items, key=self._key)))
            case _:
                return made

    def _inside(self, part: Any) -> Any:  # noqa: ANN401 - an expression or a binding
        return self.binding(part) if isinstance(part, Binding) else self.expression(part)

    def binding(self, binding: Binding) -> Binding:
        """A binding whose source and condition are written in one way; a condition that always holds is left out."""
        where = None if binding.where is None else self.expression(binding.where)
        kept = None if isinstance(where, ex.Literal) and where.value is True else where
        return replace(binding, source=self.expression(binding.source), where=kept)

    def opposite(self, node: Expression) -> Expression:
        """What holds where a rewritten condition fails."""
        match node:
            case ex.Not(operand=operand):
                return operand
            case ex.Literal(value=bool() as value):
                return replace(node, value=not value)
            case ex.Comparison(operator="=" | "!=" as operator):
                return replace(node, operator=_TURNED[operator][0])
            case ex.Comparison(operator="<" | "<=" as operator) if self._may_change_places(node):
                return replace(node, operator=_TURNED[operator][0], left=node.right, right=node.left)
            case ex.Logical(operator=operator):
                other = "or" if operator == "and" else "and"
                return replace(node, operator=other, left=self.opposite(node.left), right=self.opposite(node.right))
            case _:
                return self._not(node)

    def is_denial(self, condition: Expression) -> bool:
        """Whether branches are told the other way round: of a condition and its opposite, always one is chosen."""
        return bool(self._key(self.opposite(condition)) < self._key(condition))

    def _not(self, node: Expression) -> Expression:
        return ex.Not(type=FLAG, span=node.span, operand=node)

    def _comparison(self, node: ex.Comparison) -> Expression:
        found = against_constant(node)
        if not isinstance(found, ex.Comparison):
            return self.opposite(found.operand) if isinstance(found, ex.Not) else found
        if found.operator in {"=", "!="}:
            return self._equality(found)
        if found.operator in {">", ">="} and self._may_change_places(found):
            return replace(found, operator=found.operator.replace(">", "<"), left=found.right, right=found.left)
        return found

    def _equality(self, node: ex.Comparison) -> Expression:
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(side.type, FlagType) and isinstance(other, ex.Literal) and isinstance(other.value, bool):
                return side if other.value is (node.operator == "=") else self.opposite(side)
        if self._may_change_places(node):
            left, right = sorted((node.left, node.right), key=self._key)
            return replace(node, left=left, right=right)
        return node

    def _may_change_places(self, node: ex.Comparison | ex.Arithmetic) -> bool:
        return self._calm.silent(node.left) or self._calm.silent(node.right)

    def _quantifier(self, node: ex.Quantifier) -> Expression:
        """`no` and `every` as a `some` that fails."""
        binding = node.binding
        if node.word == "every" and node.body is not None:
            against = self.opposite(node.body)
            where = against if binding.where is None else self._logical(self._both("and", binding.where, against))
            binding = replace(binding, where=where)
        return self._not(replace(node, word="some", binding=binding, body=None))

    def _logical(self, node: ex.Logical) -> Expression:
        parts = list(_flat(node, node.operator))
        decided = node.operator == "or"
        kept: list[Expression] = []
        for part in parts:
            if isinstance(part, ex.Literal) and part.value is not decided:
                continue
            if any(self._key(part) == self._key(each) for each in kept) and self._calm.silent(part):
                continue
            kept.append(part)
            if isinstance(part, ex.Literal):
                break
        if all(map(self._calm.steady, kept)):
            kept.sort(key=self._key)
        return self._joined(node.operator, kept, ex.Literal(type=FLAG, span=node.span, value=not decided))

    def _joined(self, operator: str, parts: list[Expression], none: Expression) -> Expression:
        if not parts:
            return none
        found = parts[-1]
        for each in reversed(parts[:-1]):
            found = self._both(operator, each, found)
        return found

    def _both(self, operator: str, left: Expression, right: Expression) -> ex.Logical:
        return ex.Logical(type=FLAG, span=left.span, operator=operator, left=left, right=right)

    def _arithmetic(self, node: ex.Arithmetic) -> Expression:
        match node:
            case ex.Arithmetic(left=ex.Literal(value=int() as left), right=ex.Literal(value=int() as right)) if (
                node.operator != "/"
            ):
                value = {"+": left + right, "-": left - right, "*": left * right}[node.operator]
                return ex.Literal(type=NumberType(value, value), span=node.span, value=value)
            case ex.Arithmetic(operator="+" | "*") if self._may_change_places(node):
                return self._commuted(node)
            case _:
                return node

    def _commuted(self, node: ex.Arithmetic) -> Expression:
        """A sum or product in one order; only where numbers are exact, which they are but for inches and angles."""
        parts = list(_terms(node, node.operator))
        if not all(isinstance(each.type, NumberType | FractionType) for each in parts):
            return node
        parts.sort(key=self._key)
        found = parts[0]
        for each in parts[1:]:
            found = replace(node, left=found, right=each)
        return found


def _flat(node: Expression, operator: str) -> Iterator[Expression]:
    if isinstance(node, ex.Logical) and node.operator == operator:
        yield from _flat(node.left, operator)
        yield from _flat(node.right, operator)
    else:
        yield node


def _terms(node: Expression, operator: str) -> Iterator[Expression]:
    if isinstance(node, ex.Arithmetic) and node.operator == operator:
        yield from _terms(node.left, operator)
        yield from _terms(node.right, operator)
    else:
        yield node
