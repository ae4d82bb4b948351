"""Opening functions: their bodies with arguments in place of parameters."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial, reduce

from rulewright.analysis.identity import by_identity
from rulewright.frozen import dataclass
from rulewright.program.declarations import Conditions, Decide, Function, Selection, Value
from rulewright.program.expressions import (
    Binding,
    CallFunction,
    Comprehension,
    DerivedAttribute,
    Expression,
    Itself,
    Local,
    Logical,
    Not,
    Variable,
)
from rulewright.program.rows import ConditionRow
from rulewright.program.types import FLAG
from rulewright.program.walk import rebuilt

DEEPEST = 6
_APART = 100_000


@dataclass(frozen=True, slots=True)
class Row:
    """A row of an opened body."""

    condition: Expression
    guard: Expression | None


@dataclass(frozen=True, slots=True)
class Opened:
    """The body of a function called: one value, or condition rows with their mode."""

    value: Expression | None
    mode: str = ""
    rows: tuple[Row, ...] = ()


def opened(call: Expression, functions: Mapping[str, Function], depth: int) -> Opened | None:
    """The body of a called function or derived attribute; none for other bodies and beyond a depth."""
    match call:
        case CallFunction(function=name, arguments=arguments):
            function = functions.get(name)
        case DerivedAttribute(function=name, target=target):
            function, arguments = functions.get(name), (target,)
        case _:
            return None
    if function is None or depth > DEEPEST or len(function.parameters) != len(arguments):
        return None
    return _body(function, depth, *arguments)


@by_identity(most=5_000)
def _body(function: Function, depth: int, *arguments: Expression) -> Opened | None:
    inside = _Inside(dict(zip((each.index for each in function.parameters), arguments, strict=True)), depth * _APART)
    match function.body:
        case Value(value):
            return Opened(inside.put(value))
        case Selection(binding=binding, conditions=conditions) if len(binding.variables) == 1:
            return Opened(inside.put(_selected(function, binding, conditions)))
        case Conditions(mode=mode, rows=rows):
            return Opened(
                None, mode, tuple(Row(inside.put(row.condition), row.guard and inside.put(row.guard)) for row in rows)
            )
        case _:
            return None


def _selected(function: Function, binding: Binding, body: Conditions) -> Expression:
    """`over each x in S when all:` as `{each x in S where …}`."""
    operator = "and" if body.mode == "all" else "or"
    where = reduce(partial(joined, operator), (_row(each, operator) for each in body.rows))
    selected = replace(binding, where=where if binding.where is None else joined("and", binding.where, where))
    (name,) = binding.variables
    assert name is not None
    value = Local(type=name.type, span=function.span, variable=name)
    return Comprehension(type=function.type, span=function.span, binding=selected, value=value)


def _row(row: ConditionRow, operator: str) -> Expression:
    """A row that is not judged counts for nothing."""
    if row.guard is None:
        return row.condition
    if operator == "or":
        return joined("and", row.guard, row.condition)
    return joined("or", Not(type=FLAG, span=row.span, operand=row.guard), row.condition)


def joined(operator: str, left: Expression, right: Expression) -> Expression:
    """Two conditions, with `and` or `or`."""
    return Logical(type=FLAG, span=right.span, operator=operator, left=left, right=right)


def substituted(expression: Expression, given: Mapping[int, Expression]) -> Expression:
    """An expression with values in place of names, by their indices."""
    return _Given(given).put(expression)


def chosen(call: CallFunction, functions: Mapping[str, Function], depth: int) -> tuple[Expression, ...]:
    """The values among which a called decide chooses; none for other functions."""
    function = functions.get(call.function)
    if function is None or depth > DEEPEST or not isinstance(function.body, Decide):
        return ()
    arguments = dict(zip((each.index for each in function.parameters), call.arguments, strict=True))
    inside = _Inside(arguments, depth * _APART)
    return tuple(inside.put(row.value) for row in function.body.rows)


@dataclass(frozen=True, slots=True)
class _Given:
    """Puts values in place of names; names bound inside stay."""

    values: Mapping[int, Expression]

    def put(self, expression: Expression) -> Expression:
        if isinstance(expression, Local):
            return self.values.get(expression.variable.index, expression)
        return rebuilt(expression, self._part)

    def _part(self, part: Expression | Binding) -> Expression | Binding:
        return rebuilt(part, self._part) if isinstance(part, Binding) else self.put(part)


@dataclass(frozen=True, slots=True)
class _Inside:
    """Puts arguments in place of parameters; names bound inside get numbers that no caller has."""

    arguments: Mapping[int, Expression]
    apart: int

    def put(self, expression: Expression) -> Expression:
        match expression:
            case Local(variable=variable):
                given = self.arguments.get(variable.index)
                if given is not None:
                    return given
                return Local(type=expression.type, span=expression.span, variable=self._renamed(variable))
            case Itself():
                return self.arguments.get(0, expression)
            case _:
                return rebuilt(expression, self._part)

    def _part(self, part: Expression | Binding) -> Expression | Binding:
        if isinstance(part, Binding):
            names = tuple(each and self._renamed(each) for each in part.variables)
            return rebuilt(replace(part, variables=names), self._part)
        return self.put(part)

    def _renamed(self, variable: Variable) -> Variable:
        return Variable(variable.name, -(self.apart + variable.index + 1), variable.type)
