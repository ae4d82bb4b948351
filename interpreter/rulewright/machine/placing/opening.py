"""Conditions with the terms they call written out, in the names of the place that asks."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.declarations import Conditions, Program, Value
from rulewright.program.expressions import Expression
from rulewright.roles import mapped

_FRESH = 1_000_000
_DEEPEST = 20


class Opening:
    """Writes out the conditions of one question; names bound inside get numbers of their own."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._numbers = count(_FRESH)

    def necessary(self, condition: Expression, deep: int = 0) -> Iterator[Expression]:
        """Conditions without which this one cannot hold, `and` and terms opened."""
        match condition:
            case ex.Logical(operator="and", left=left, right=right):
                yield from self.necessary(left, deep)
                yield from self.necessary(right, deep)
            case ex.CallFunction() if deep < _DEEPEST and (rows := self._rows(condition)):
                for each in rows:
                    yield from self.necessary(each, deep + 1)
            case _:
                yield condition

    def _rows(self, call: ex.CallFunction) -> tuple[Expression, ...]:
        function = self._program.functions[call.function]
        given = {each.index: value for each, value in zip(function.parameters, call.arguments, strict=True)}
        match function.body:
            case Value(value=value):
                rows: tuple[Expression, ...] = (value,)
            case Conditions(mode="all", rows=found):
                rows = tuple(each.condition for each in found if each.guard is None)
            case _:
                return ()
        return tuple(self.written(each, given) for each in rows)

    def written(self, node: Any, known: Mapping[int, Expression]) -> Any:  # noqa: ANN401
        """A node with names replaced by what is known of them."""
        match node:
            case ex.Local(variable=variable):
                return known.get(variable.index, node)
            case ex.Comprehension() | ex.Aggregate():
                binding, inner = self._bound(node.binding, known)
                return replace(node, binding=binding, value=self.written(node.value, inner))
            case ex.Quantifier():
                binding, inner = self._bound(node.binding, known)
                return replace(node, binding=binding, body=self.written(node.body, inner))
            case ex.TheOnly():
                return replace(node, binding=self._bound(node.binding, known)[0])
            case _:
                return mapped(node, lambda part: self.written(part, known))

    def _bound(
        self, binding: ex.Binding, known: Mapping[int, Expression]
    ) -> tuple[ex.Binding, Mapping[int, Expression]]:
        variables = tuple(each and replace(each, index=next(self._numbers)) for each in binding.variables)
        own = {
            old.index: ex.Local(type=new.type, span=binding.source.span, variable=new)
            for old, new in zip(binding.variables, variables, strict=True)
            if old is not None and new is not None
        }
        inner = {**known, **own}
        where = self.written(binding.where, inner)
        return ex.Binding(variables, self.written(binding.source, known), where), inner
