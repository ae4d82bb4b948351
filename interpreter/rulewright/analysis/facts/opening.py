"""Opening functions: their bodies with arguments in place of parameters."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rulewright.analysis.reads import by_identity
from rulewright.frozen import dataclass
from rulewright.program import expressions as ex
from rulewright.program.conditions import members_of
from rulewright.program.declarations import Conditions, Decide, Function, Paths, Selection, Value
from rulewright.program.expressions import Binding, Expression, Variable
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
    called = _called(call, functions, depth)
    return called and _body(called[0], depth, *called[1])


def _called(
    call: Expression, functions: Mapping[str, Function], depth: int
) -> tuple[Function, tuple[Expression, ...]] | None:
    match call:
        case ex.CallFunction(function=name, arguments=arguments):
            function = functions.get(name)
        case ex.DerivedAttribute(function=name, target=target):
            function, arguments = functions.get(name), (target,)
        case _:
            return None
    if function is None or depth > DEEPEST or len(function.parameters) != len(arguments):
        return None
    return function, arguments


def selected(call: Expression, functions: Mapping[str, Function], depth: int) -> Expression | None:
    """The collection that a term with `over each` selects from, or the board on which paths end; else none."""
    called = _called(call, functions, depth)
    if called is None:
        return None
    match called[0].body:
        case Selection(binding=binding) if len(binding.variables) == 1:
            return put(binding.source, called[0].parameters, called[1], depth)
        case Paths(board=board):
            return ex.BoardCells(type=call.type, span=call.span, board=board)
        case _:
            return None


def selecting(
    call: Expression, functions: Mapping[str, Function], item: Expression, depth: int
) -> Iterator[Expression]:
    """What a term with `over each … when all` says of a member, but for rows that hang on a condition of their own."""
    called = _called(call, functions, depth)
    match called and called[0].body:
        case Selection(binding=Binding(variables=(Variable() as member,), where=where), conditions=conditions):
            assert called is not None
            names, values = (*called[0].parameters, member), (*called[1], item)
            if where is not None:
                yield put(where, names, values, depth)
            for row in conditions.rows if conditions.mode == "all" else ():
                if row.guard is None:
                    yield put(row.condition, names, values, depth)


def put(
    expression: Expression, parameters: tuple[Variable, ...], arguments: tuple[Expression, ...], depth: int = 0
) -> Expression:
    """An expression with arguments in place of parameters."""
    given = dict(zip((each.index for each in parameters), arguments, strict=True))
    return _Inside(given, depth * _APART).put(expression)


@by_identity(most=5_000)
def _body(function: Function, depth: int, *arguments: Expression) -> Opened | None:
    inside = _Inside(dict(zip((each.index for each in function.parameters), arguments, strict=True)), depth * _APART)
    match function.body:
        case Value(value):
            return Opened(inside.put(value))
        case Selection() as selection if selection.conditions.rows and (members := members_of(function, selection)):
            return Opened(inside.put(members))
        case Conditions(mode=mode, rows=rows):
            return Opened(
                None, mode, tuple(Row(inside.put(row.condition), row.guard and inside.put(row.guard)) for row in rows)
            )
        case _:
            return None


def substituted(expression: Expression, given: Mapping[int, Expression]) -> Expression:
    """An expression with values in place of names, by their indices; names bound inside stay."""

    def put(part: Any) -> Any:  # an expression or a binding
        return given.get(part.variable.index, part) if isinstance(part, ex.Local) else rebuilt(part, put)

    return put(expression)  # type: ignore[no-any-return]


def chosen(
    call: ex.CallFunction, functions: Mapping[str, Function], depth: int
) -> tuple[tuple[Expression, Expression | None], ...]:
    """The values among which a called decide chooses, each with its condition; none for other functions."""
    called = _called(call, functions, depth)
    if called is None or not isinstance(called[0].body, Decide):
        return ()
    inside = _Inside(dict(zip((each.index for each in called[0].parameters), called[1], strict=True)), depth * _APART)
    return tuple((inside.put(row.value), row.guard and inside.put(row.guard)) for row in called[0].body.rows)


@by_identity(most=5_000)
def instead(expression: Expression, variable: Variable, value: Expression) -> Expression:
    """An expression with a value in place of a name; all other names stay."""

    def change(part: Expression | Binding) -> Expression | Binding:
        return rebuilt(part, change) if isinstance(part, Binding) else instead(part, variable, value)

    is_meant = isinstance(expression, ex.Local) and expression.variable == variable
    return value if is_meant else rebuilt(expression, change)


@dataclass(frozen=True, slots=True)
class _Inside:
    """Puts arguments in place of parameters; names bound inside get numbers that no caller has."""

    arguments: Mapping[int, Expression]
    apart: int

    def put(self, expression: Expression) -> Expression:
        match expression:
            case ex.Local(variable=variable):
                given = self.arguments.get(variable.index)
                if given is not None:
                    return given
                return ex.Local(type=expression.type, span=expression.span, variable=self._renamed(variable))
            case ex.Itself():
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
