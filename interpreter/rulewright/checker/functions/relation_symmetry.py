"""Whether a relation that is declared symmetric is so."""

from rulewright.checker.facts.fact_store import make_key, order_sides
from rulewright.checker.facts.inlining import inline_call
from rulewright.checker.scope import Scope
from rulewright.program import declarations as typed
from rulewright.program.expressions import CallFunction, Local, Variable
from rulewright.syntax.nodes import declarations as nodes


def check_relation_symmetry(relation: typed.Function, scope: Scope) -> None:
    """Warns where exchanging the two sides may change the answer (RW0413).

    Keys of the rows are compared in both orders, up to the order of `and`, `or`, `=` and of the sides of functions,
    relations and terms that are symmetric themselves.
    """
    if _SymmetryChecker(scope).is_symmetric(relation):
        return
    name, (a, b) = relation.name, (parameter.name for parameter in relation.parameters)
    message = f"it is not certain that `{name}({a}, {b})` and `{name}({b}, {a})` are always alike"
    remedy = "ask the same of both sides in every row, or leave out `symmetric`"
    scope.report.warning("RW0413", relation.span, message, help=remedy)


class _SymmetryChecker:
    def __init__(self, scope: Scope) -> None:
        self._functions = scope.environment.functions
        declared = (symbol for module in scope.linked.modules for symbol in module.callables.values())
        relations = (item for item in declared if isinstance(item.node, nodes.Relation))
        # symmetry by name: declared for relations, computed for terms
        self._symmetry_by_name = {relation.name: relation.node.symmetric for relation in relations}  # type: ignore[union-attr]

    def is_symmetric(self, function: typed.Function) -> bool:
        first, second = function.parameters
        return self._normalize_function_body(function, (first, second)) == self._normalize_function_body(
            function, (second, first)
        )

    def _is_symmetric_by_name(self, name: str) -> bool:
        if name not in self._symmetry_by_name:
            self._symmetry_by_name[name] = False  # recursion shows nothing
            match self._functions.get(name):
                case typed.Function(parameters=(first, second)) as term if first.type == second.type:
                    self._symmetry_by_name[name] = self.is_symmetric(term)
                case _:
                    pass
        return self._symmetry_by_name[name]

    def _normalize_function_body(self, function: typed.Function, order: tuple[Variable, Variable]) -> frozenset[object]:
        sides = tuple(Local(type=variable.type, span=function.span, variable=variable) for variable in order)
        call = CallFunction(type=function.type, span=function.span, function=function.name, arguments=sides)
        match inline_call(call, {function.name: function}, 0):
            case typed.Value(value):
                return frozenset({self._order_sides(make_key(value))})
            case typed.Conditions(rows=rows):
                keys = ((make_key(row.condition), row.guard and make_key(row.guard)) for row in rows)
                return frozenset(map(self._order_sides, keys))
            case _:
                return frozenset({order})

    def _order_sides(self, part: object) -> object:
        """A key in which also the sides of what is symmetric itself are in order."""
        if not isinstance(part, tuple):
            return part
        match order_sides(tuple(map(self._order_sides, part))):
            case ("Builtin", "min" | "max" as name, tuple() as arguments, *rest):
                return ("Builtin", name, tuple(sorted(arguments, key=repr)), *rest)
            case ("CallFunction", str() as name, tuple() as arguments) if self._is_symmetric_by_name(name):
                return ("CallFunction", name, tuple(sorted(arguments, key=repr)))
            case ("RelationHolds", str() as name, *sides) if self._is_symmetric_by_name(name):
                return ("RelationHolds", name, *sorted(sides, key=repr))
            case inner:
                return inner
