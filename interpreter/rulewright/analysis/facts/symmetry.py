"""Whether a derived relation declared symmetric is the same in both orders."""

from collections.abc import Callable

from rulewright.analysis.facts.keys import key
from rulewright.analysis.facts.opening import opened
from rulewright.analysis.scope import Scope
from rulewright.program.declarations import Function
from rulewright.program.expressions import CallFunction, Expression, Local, Variable
from rulewright.program.types import FLAG
from rulewright.syntax.nodes.declarations import Relation

_EITHER_WAY = frozenset({"adjacent", "distance", "gap", "contact", "overlaps", "min", "max"})
_Same = Callable[[str], bool]


def check_symmetry(relation: Function, scope: Scope) -> None:
    """Warns where exchanging the two sides may change the answer (RW0413).

    The rows of both orders are compared as they are written, but for the order of `and`, `or`, `=` and of the sides
    of functions and relations that are symmetric themselves.
    """
    first, second = relation.parameters
    if _said(relation, (first, second), scope) == _said(relation, (second, first), scope):
        return
    name, a, b = relation.name, first.name, second.name
    scope.report.warning(
        "RW0413",
        relation.span,
        f"nothing shows that `{name}({a}, {b})` and `{name}({b}, {a})` are always alike",
        help="say the same of both sides in every row, or leave out `symmetric`",
    )


def _said(relation: Function, order: tuple[Variable, Variable], scope: Scope) -> frozenset[object]:
    """What the relation asks of two things in an order, row by row."""
    sides = tuple(Local(type=each.type, span=relation.span, variable=each) for each in order)
    call = CallFunction(type=FLAG, span=relation.span, function=relation.name, arguments=sides)
    body = opened(call, {relation.name: relation}, 0)
    if body is None:
        return frozenset()
    if body.value is not None:
        return frozenset({_normal(body.value, scope)})
    return frozenset((_normal(row.condition, scope), row.guard and _normal(row.guard, scope)) for row in body.rows)


def _normal(condition: Expression, scope: Scope) -> object:
    return _sorted(key(condition), lambda name: _is_symmetric(name, scope))


def _is_symmetric(name: str, scope: Scope) -> bool:
    return any(
        symbol.name == name and isinstance(symbol.node, Relation) and symbol.node.symmetric
        for module in scope.linked.modules
        for symbol in module.callables.values()
    )


def _sorted(part: object, same: _Same) -> object:  # noqa: PLR0911 - one case for each sort
    """A key whose parts stand in one order wherever their order does not matter."""
    if not isinstance(part, tuple):
        return part
    inner = tuple(_sorted(each, same) for each in part)
    match inner:
        case ("Logical", operator, *sides):
            return ("Logical", operator, *sorted(_flat(operator, sides), key=repr))
        case ("=", *sides):
            return ("=", *sorted(sides, key=repr))
        case ("Builtin", name, tuple() as arguments, *rest) if name in _EITHER_WAY:
            return ("Builtin", name, tuple(sorted(arguments, key=repr)), *rest)
        case ("CallFunction", str() as name, tuple() as arguments) if same(name):
            return ("CallFunction", name, tuple(sorted(arguments, key=repr)))
        case ("RelationHolds", str() as name, *sides) if same(name):
            return ("RelationHolds", name, *sorted(sides, key=repr))
        case _:
            return inner


def _flat(operator: object, sides: list[object]) -> list[object]:
    """`a and (b and c)` as the three of them."""
    found: list[object] = []
    for side in sides:
        match side:
            case ("Logical", inner, *parts) if inner == operator:
                found.extend(parts)
            case _:
                found.append(side)
    return found
