"""What functions say, put in the place of their calls."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.comparing.meaning.calm import Calm
from rulewright.program import declarations as d
from rulewright.program import expressions as ex
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.rows import ConditionRow, DecideRow
from rulewright.program.types import FLAG, SetType
from rulewright.program.walk import rebuilt
from rulewright.source import Span


def value_of(function: d.Function) -> Expression | None:
    """The body of a function as one expression; none where it is no such thing."""
    match function.body:
        case d.Value(value):
            return value
        case d.Conditions() as conditions:
            return _conditions(conditions, function.span)
        case d.Selection(binding, conditions) if len(binding.variables) == 1 and isinstance(function.type, SetType):
            return _selection(function, binding, conditions)
        case d.Decide(rows):
            return decided(rows)
        case _:
            return None


def _conditions(conditions: d.Conditions, span: Span) -> Expression:
    operator = "and" if conditions.mode == "all" else "or"
    return chained([condition_of(each, operator) for each in conditions.rows], operator, span)


def _selection(function: d.Function, binding: Binding, conditions: d.Conditions) -> Expression | None:
    (variable,) = binding.variables
    if variable is None:
        return None
    rows = _conditions(conditions, function.span)
    where = rows if binding.where is None else both("and", binding.where, rows)
    member = ex.Local(type=variable.type, span=function.span, variable=variable)
    made = replace(binding, where=where)
    return ex.Comprehension(type=function.type, span=function.span, binding=made, value=member)


def condition_of(row: ConditionRow, operator: str = "and") -> Expression:
    """A row as one condition: a row that is not judged holds among those that all must, and fails among others."""
    if row.guard is None:
        return row.condition
    if operator == "or":
        return both("and", row.guard, row.condition)
    return both("or", ex.Not(type=FLAG, span=row.guard.span, operand=row.guard), row.condition)


def decided(rows: Sequence[DecideRow]) -> Expression | None:
    """The value of the first row whose guard holds; none where none may hold."""
    if not rows or rows[-1].guard is not None:
        return None
    found = rows[-1].value
    for row in reversed(rows[:-1]):
        if row.guard is None:
            return None
        found = ex.Conditional(type=row.value.type, span=row.span, condition=row.guard, then=row.value, otherwise=found)
    return found


def chained(parts: Sequence[Expression], operator: str, span: Span) -> Expression:
    """Conditions joined by `and` or `or`."""
    if not parts:
        return ex.Literal(type=FLAG, span=span, value=operator == "and")
    found = parts[-1]
    for each in reversed(parts[:-1]):
        found = both(operator, each, found)
    return found


def both(operator: str, left: Expression, right: Expression) -> ex.Logical:
    """Two conditions joined."""
    return ex.Logical(type=FLAG, span=left.span, operator=operator, left=left, right=right)


class Inlining:
    """Puts what some functions say in the place of their calls.

    Only where the arguments never fail and ask nobody: how often these are looked at makes no difference.
    """

    def __init__(self, program: d.Program, calm: Calm, names: Collection[str], numbers: Iterator[int]) -> None:
        self._program = program
        self._calm = calm
        self._names = frozenset(names)
        self._numbers = numbers

    def of(self, part: Any) -> Any:  # noqa: ANN401 - an expression or a binding
        """A part of a declaration without these calls."""
        if isinstance(part, Binding):
            where = None if part.where is None else self.of(part.where)
            return replace(part, source=self.of(part.source), where=where)
        made = rebuilt(part, self.of)
        match made:
            case ex.CallFunction(function=name, arguments=given) if name in self._names:
                return self._spelled(name, given) or made
            case ex.DerivedAttribute(function=name, target=target) if name in self._names:
                return self._spelled(name, (target,)) or made
            case _:
                return made

    def _spelled(self, name: str, given: Sequence[Expression]) -> Expression | None:
        function = self._program.functions[name]
        value = value_of(function)
        indices = [each.index for each in function.parameters] or [0]
        if value is None or len(indices) != len(given) or not all(map(self._calm.steady, given)):
            return None
        inner = Inlining(self._program, self._calm, self._names - {name}, self._numbers)
        put = _Put(dict(zip(indices, given, strict=True)), self._numbers)
        return put.of(inner.of(value))  # type: ignore[no-any-return]


class _Put:
    """Puts arguments in the place of parameters, and gives what is bound inside numbers of its own."""

    def __init__(self, given: Mapping[int, Expression], numbers: Iterator[int]) -> None:
        self._given = given
        self._numbers = numbers
        self._fresh: dict[int, Variable] = {}

    def of(self, part: Any) -> Any:  # noqa: ANN401 - an expression or a binding
        match part:
            case ex.Itself():
                return self._given[0]
            case ex.Local(variable=variable) if variable.index in self._given:
                return self._given[variable.index]
            case ex.Local(variable=variable):
                return replace(part, variable=self._variable(variable))
            case Binding(variables=variables):
                source = self.of(part.source)
                fresh = tuple(None if each is None else self._variable(each) for each in variables)
                return Binding(fresh, source, None if part.where is None else self.of(part.where))
            case _:
                return rebuilt(part, self.of)

    def _variable(self, variable: Variable) -> Variable:
        if variable.index not in self._fresh:
            self._fresh[variable.index] = replace(variable, index=next(self._numbers))
        return self._fresh[variable.index]
