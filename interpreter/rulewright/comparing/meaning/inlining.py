"""Terms that only one revision has, put in where they are named."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from rulewright.comparing.meaning.calm import Calm
from rulewright.program import declarations as d
from rulewright.program import expressions as ex
from rulewright.program.expressions import Binding, Expression
from rulewright.program.walk import inside, rebuilt

_Part = TypeVar("_Part", Expression, Binding)


class Inlining:
    """Puts what a term says in the place of its calls.

    Only terms of one value that names nothing of its own, and calls whose arguments never fail and ask nobody: how
    often these are looked at makes no difference.
    """

    def __init__(self, program: d.Program, calm: Calm, lone: Collection[str]) -> None:
        self._calm = calm
        self._terms = {
            name: (function.parameters, function.body.value)
            for name, function in program.functions.items()
            if name in lone and isinstance(function.body, d.Value) and _is_plain(function.body.value, lone)
        }

    def of(self, part: _Part) -> _Part:
        """A part of a declaration without these calls."""
        if isinstance(part, Binding):
            where = None if part.where is None else self.of(part.where)
            return replace(part, source=self.of(part.source), where=where)
        made = rebuilt(part, self.of)
        match made:
            case ex.CallFunction(function=name, arguments=given) if name in self._terms:
                parameters, value = self._terms[name]
                if all(map(self._calm.steady, given)):
                    return _put({each.index: one for each, one in zip(parameters, given, strict=True)}, value)
        return made


def _is_plain(value: Expression, lone: Collection[str]) -> bool:
    """Whether a value has no names of its own and calls none of the terms itself."""
    return not any(
        hasattr(each, "binding") or (isinstance(each, ex.CallFunction) and each.function in lone)
        for each in inside(value)
    )


def _put(given: Mapping[int, Expression], value: Expression) -> Expression:
    if isinstance(value, ex.Local):
        return given[value.variable.index]
    return rebuilt(value, lambda part: _put(given, part))
