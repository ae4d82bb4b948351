"""Things in a cell where several kinds stand on the board: what is said of them is judged for each kind in turn."""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from rulewright.analysis import infer
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope
from rulewright.program.expressions import Arithmetic, Expression, Logical
from rulewright.program.types import COUNT, FLAG, OptionalType, SetType, ThingType, Type, present
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes

_Judge = Callable[[Type], Expression | None]


def standing(cell: Type, scope: Scope) -> tuple[str, ...]:
    """The kinds whose things stand on a board of such cells, in order of declaration."""
    return tuple(
        kind.name
        for kind in scope.shapes.kinds.values()
        if any(field.name == "at" and field.type in (cell, OptionalType(cell)) for field in kind.fields)
    )


def kinds(source: nodes.Expression, scope: Scope) -> tuple[Type, ...]:
    """The sets that `occupants(…)` of several kinds may be; none where the source is anything else."""
    match source:
        case nodes.Group(items=(inner,)):
            return kinds(inner, scope)
        case nodes.Call(function=nodes.Reference(name="occupants"), arguments=(argument,)):
            cell = infer.infer(argument.value, replace(scope, report=Report()))
            type_ = cell.type if cell is not None else None
            found = () if type_ is None else standing(present(type_), scope)
            return tuple(SetType(ThingType(each)) for each in found) if len(found) > 1 else ()
        case _:
            return ()


def quantified(node: nodes.Quantified, found: tuple[Type, ...], judge: _Judge) -> Expression | None:
    """`some`, `no` or `every` of all kinds; where one has an error, nothing is said of the others."""
    operator = "or" if node.word == "some" else "and"

    def join(left: Expression, right: Expression) -> Expression:
        return Logical(type=FLAG, span=node.span, operator=operator, left=left, right=right)

    return _joined(found, judge, join)


def counted(span: Span, found: tuple[Type, ...], judge: _Judge) -> Expression | None:
    """How many there are of all kinds."""

    def add(left: Expression, right: Expression) -> Expression:
        return Arithmetic(type=COUNT, span=span, operator="+", left=left, right=right)

    return _joined(found, judge, add)


def _joined(
    found: tuple[Type, ...], judge: _Judge, join: Callable[[Expression, Expression], Expression]
) -> Expression | None:
    parts: list[Expression] = []
    for each in found:
        part = judge(each)
        if part is None:
            return None
        parts.append(part)
    return reduce(join, parts)
