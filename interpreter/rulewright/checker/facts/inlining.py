"""Inlining of functions: bodies with arguments in place of parameters."""

from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.base.frozen import dataclass, replace
from rulewright.checker.read_sets import cache_by_identity
from rulewright.program import expressions as ex
from rulewright.program.conditions import make_members_comprehension
from rulewright.program.declarations import Conditions, Decide, Function, Paths, Selection, Value
from rulewright.program.expressions import Binding, ConditionRow, Expression, Variable
from rulewright.program.walk import rebuild_expression

MAX_INLINING_DEPTH = 6  # calls inlined inside each other
_INDEX_STRIDE_PER_DEPTH = 100_000  # apart from the variable indices of other depths


def inline_call(call: Expression, functions: Mapping[str, Function], depth: int) -> Value | Conditions | None:
    """Body of a called function or derived attribute; None for other bodies, and beyond `MAX_INLINING_DEPTH`."""
    called = _find_called_function(call, functions, depth)
    return called and _inline_function_body(called[0], depth, *called[1])


def inline_value(call: Expression, functions: Mapping[str, Function], depth: int) -> Expression | None:
    """Value of a call whose body is one expression; else None."""
    body = inline_call(call, functions, depth)
    return body.value if isinstance(body, Value) else None


def _find_called_function(
    call: Expression, functions: Mapping[str, Function], depth: int
) -> tuple[Function, tuple[Expression, ...]] | None:
    match call:
        case ex.CallFunction(function=name, arguments=arguments):
            function = functions.get(name)
        case ex.DerivedAttribute(function=name, target=target):
            function, arguments = functions.get(name), (target,)
        case _:
            return None
    if function is None or depth > MAX_INLINING_DEPTH or len(function.parameters) != len(arguments):
        return None
    return function, arguments


def inline_selected_collection(call: Expression, functions: Mapping[str, Function], depth: int) -> Expression | None:
    """Collection that a term with `over each` selects from, or the board of a paths term; else None."""
    called = _find_called_function(call, functions, depth)
    if called is None:
        return None
    match called[0].body:
        case Selection(binding=binding) if len(binding.variables) == 1:
            return substitute_arguments(binding.source, called[0].parameters, called[1], depth)
        case Paths(board=board):
            return ex.BoardCells(type=call.type, span=call.span, board=board)
        case _:
            return None


def iterate_selection_conditions(
    call: Expression, functions: Mapping[str, Function], item: Expression, depth: int
) -> Iterator[Expression]:
    """Conditions of a term with `over each … when all` on a member; rows with a guard are left out."""
    called = _find_called_function(call, functions, depth)
    match called and called[0].body:
        case Selection(binding=Binding(variables=(Variable() as member,), where=where), conditions=conditions):
            assert called is not None
            names, values = (*called[0].parameters, member), (*called[1], item)
            if where is not None:
                yield substitute_arguments(where, names, values, depth)
            for row in conditions.rows if conditions.mode == "all" else ():
                if row.guard is None:
                    yield substitute_arguments(row.condition, names, values, depth)


def substitute_arguments(
    expression: Expression, parameters: tuple[Variable, ...], arguments: tuple[Expression, ...], depth: int = 0
) -> Expression:
    """An expression with arguments in place of parameters; bound names get fresh numbers."""
    return _make_substitution(parameters, arguments, depth).substitute(expression)


def _make_substitution(
    parameters: tuple[Variable, ...], arguments: tuple[Expression, ...], depth: int
) -> "_ArgumentSubstitution":
    given = {parameter.index: argument for parameter, argument in zip(parameters, arguments, strict=True)}
    return _ArgumentSubstitution(given, depth * _INDEX_STRIDE_PER_DEPTH)


@cache_by_identity(most=5_000)
def _inline_function_body(function: Function, depth: int, *arguments: Expression) -> Value | Conditions | None:
    inside = _make_substitution(function.parameters, arguments, depth)
    match function.body:
        case Value(value):
            return Value(inside.substitute(value))
        case Selection() as selection if selection.conditions.rows and (
            members := make_members_comprehension(function, selection)
        ):
            return Value(inside.substitute(members))
        case Conditions(mode=mode, rows=rows):
            return Conditions(mode, tuple(map(inside.substitute_row, rows)), "")
        case _:
            return None


def substitute_locals(expression: Expression, given: Mapping[int, Expression]) -> Expression:
    """An expression with values in place of names, by their indices; bound names stay."""

    def substitute_part(part: Any) -> Any:  # an expression or a binding
        return (
            given.get(part.variable.index, part)
            if isinstance(part, ex.Local)
            else rebuild_expression(part, substitute_part)
        )

    return substitute_part(expression)  # type: ignore[no-any-return]


def list_guarded_values(
    value: Expression, functions: Mapping[str, Function], depth: int
) -> tuple[tuple[Expression, Expression | None], ...]:
    """Values of a conditional or of a called decide, each with its condition; () for others."""
    if isinstance(value, ex.Conditional):
        return (value.then, value.condition), (value.otherwise, None)
    called = _find_called_function(value, functions, depth) if isinstance(value, ex.CallFunction) else None
    if called is None or not isinstance(called[0].body, Decide):
        return ()
    inside = _make_substitution(called[0].parameters, called[1], depth)
    return tuple(
        (inside.substitute(row.value), row.guard and inside.substitute(row.guard)) for row in called[0].body.rows
    )


@cache_by_identity(most=5_000)
def substitute_variable(expression: Expression, variable: Variable, value: Expression) -> Expression:
    """An expression with a value in place of one name."""

    def substitute_in_part(part: Expression | Binding) -> Expression | Binding:
        return (
            rebuild_expression(part, substitute_in_part)
            if isinstance(part, Binding)
            else substitute_variable(part, variable, value)
        )

    is_meant = isinstance(expression, ex.Local) and expression.variable == variable
    return value if is_meant else rebuild_expression(expression, substitute_in_part)


@dataclass(frozen=True, slots=True)
class _ArgumentSubstitution:
    """Substitution of parameters; names bound inside get fresh negative numbers, apart for each depth."""

    arguments: Mapping[int, Expression]
    index_offset: int

    def substitute(self, expression: Expression) -> Expression:
        match expression:
            case ex.Local(variable=variable):
                given = self.arguments.get(variable.index)
                if given is not None:
                    return given
                return ex.Local(type=expression.type, span=expression.span, variable=self._rename_variable(variable))
            case ex.Itself():
                return self.arguments.get(0, expression)
            case _:
                return rebuild_expression(expression, self._substitute_part)

    def substitute_row(self, row: ConditionRow) -> ConditionRow:
        return replace(row, condition=self.substitute(row.condition), guard=row.guard and self.substitute(row.guard))

    def _substitute_part(self, part: Expression | Binding) -> Expression | Binding:
        if isinstance(part, Binding):
            names = tuple(variable and self._rename_variable(variable) for variable in part.variables)
            return rebuild_expression(replace(part, variables=names), self._substitute_part)
        return self.substitute(part)

    def _rename_variable(self, variable: Variable) -> Variable:
        return Variable(variable.name, -(self.index_offset + variable.index + 1), variable.type)
