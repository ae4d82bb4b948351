"""Numbers that one version counts up and the other down, told from the other end."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Declared
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import WHOLE, NumberType
from rulewright.roles import mapped, nodes


def turned(old: Declared, new: Declared) -> Declared | None:
    """OLD with its counters told from the end at which those of NEW begin; none where all begin at one number.

    A name of whole numbers that only `let`, `set`, `add` and `take` change holds a number `n`; told from the other end
    it holds `total - n`. Where it is set, that is what it is set to; where it is read, `total` less what it holds; what
    is added is taken, and its bounds are those of `n` from the other end. So whatever total is chosen, each line comes
    to what it came to before, faults among it: nothing else sees the name.
    """
    mine, theirs = list(_counters(old)), list(_counters(new))
    if len(mine) != len(theirs):
        return None
    totals = {
        one.index: first + second for (one, first), (_, second) in zip(mine, theirs, strict=True) if first != second
    }
    return _Turning(totals).of(old) if totals else None


def _counters(declared: Declared) -> Iterator[tuple[Variable, int]]:
    """The names that begin with a written number, with that number; those that other lines set are left out."""
    every = list(nodes(declared))
    others = {
        each.index
        for node in every
        if isinstance(node, st.Line) and not isinstance(node, st.Let)
        for each in (getattr(node, "variable", None), getattr(node, "result", None))
        if isinstance(each, Variable)
    }
    seen = set[int]()
    for node in every:
        match node:
            case st.Let(variable=Variable(type=NumberType()) as variable, value=ex.Literal(value=int() as value)):
                if variable.index not in others | seen:
                    yield variable, value
                seen.add(variable.index)


class _Turning:
    """Tells names from the other end, by their numbers, with what both ends add up to."""

    def __init__(self, totals: dict[int, int]) -> None:
        self._totals = totals

    def of(self, node: Any) -> Any:  # any part of a declaration
        """A part with these names told from the other end."""
        match node:
            case ex.Local(variable=variable) if variable.index in self._totals:
                turned_ = self.of(variable)
                return self._opposite(replace(node, type=turned_.type, variable=turned_), variable)
            case st.Let(variable=variable, value=value) if value is not None and variable.index in self._totals:
                return replace(mapped(node, self.of), value=self._opposite(self.of(value), variable))
            case st.Assign(place=st.VariablePlace(variable=variable), value=value) if variable.index in self._totals:
                return replace(mapped(node, self.of), value=self._opposite(self.of(value), variable))
            case st.AddAmount(place=st.VariablePlace(variable=variable)) if variable.index in self._totals:
                low, high = self._ends(variable, node.low, node.high)
                return replace(mapped(node, self.of), take=not node.take, low=low, high=high)
            case Variable(index=index, type=NumberType() as type_) if index in self._totals:
                return replace(node, type=self._type(node, type_))
            case _:
                return mapped(node, self.of)

    def _opposite(self, value: Expression, variable: Variable) -> Expression:
        total = ex.Literal(type=WHOLE, span=value.span, value=self._totals[variable.index])
        return ex.Arithmetic(type=WHOLE, span=value.span, operator="-", left=total, right=value)

    def _type(self, variable: Variable, type_: NumberType) -> NumberType:
        low, high = self._ends(variable, type_.low, type_.high)
        return NumberType(low, high)

    def _ends(self, variable: Variable, low: int | None, high: int | None) -> tuple[int | None, int | None]:
        total = self._totals[variable.index]
        return (None if high is None else total - high), (None if low is None else total - low)
