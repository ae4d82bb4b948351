"""What is computed: bodies of terms, relations, attributes, tallies, tables and paths; measures and invariants."""

from dataclasses import replace
from typing import Any

from rulewright.analysis import infer
from rulewright.analysis.clauses import qualify
from rulewright.analysis.facts import suppose
from rulewright.analysis.facts.knowledge import key
from rulewright.analysis.facts.opening import opened
from rulewright.analysis.functions.rows import (
    condition_row,
    condition_rows,
    decide_rows,
    distinct,
    guarded,
    head,
    tally_rows,
)
from rulewright.analysis.functions.table_rows import table_rows
from rulewright.analysis.infer.lookup import hides, owner_type
from rulewright.analysis.infer.slots import fit, fitted
from rulewright.analysis.name_spaces import resolve_type
from rulewright.analysis.scope import Scope
from rulewright.program import declarations as typed
from rulewright.program.expressions import CallFunction, Comparison, Local, Variable
from rulewright.program.types import (
    COUNT,
    FLAG,
    GRIDS,
    CellType,
    NumberType,
    PlaneType,
    SetType,
    TupleType,
    Type,
    present,
)
from rulewright.syntax.nodes import declarations as nodes, expressions
from rulewright.syntax.nodes.expressions import Cite, Name, Title
from rulewright.syntax.nodes.rows import Conditions

_MOVE = ("left", "entered", "crossed", "spent", "moves")


def destinations(node: nodes.Paths, scope: Scope, address: str) -> tuple[Type, typed.Paths] | None:
    """The set of cells of the board, and the start and rows that make it.

    Reports RW0301 (no such board), RW0335 (a cost that is a fraction or may fall below 0) and what rows report.
    """
    board = _board(node, scope)
    if board is None or any(hides(Name(each, node.name.span), scope) for each in _MOVE):
        return None
    name, cell = board
    start = fitted(node.start, cell, scope, f"the start of `{node.name.text}`")
    new = scope.variables.new
    left, entered, spent, moves = new("left", cell), new("entered", cell), new("spent", COUNT), new("moves", COUNT)
    inner = replace(scope.binding(left, entered, spent, moves), crossed=(left, entered))
    distinct((*{each.name.text: each.name for each in node.costs}.values(), *(each.name for each in node.rows)), scope)
    from_, to = (Local(type=cell, span=node.span, variable=each) for each in (left, entered))
    elsewhere = Comparison(type=FLAG, span=node.span, operator="!=", left=from_, right=to)
    moving = inner.knowing(suppose(inner.facts, elsewhere, truth=True))
    cost = _cost(node, moving, address) if node.costs else None
    judged = [(row, inner if row.word == "end" else moving) for row in node.rows]
    rows = tuple(made for row, known in judged if (made := _row(row, node, known, address)) is not None)
    if start is None or (node.costs and cost is None) or len(rows) != len(node.rows):
        return None
    return SetType(cell), typed.Paths(name, start, left, entered, spent, moves, cost, rows)


def _board(node: nodes.Paths, scope: Scope) -> tuple[str, CellType] | None:
    symbol = scope.module.names.get(node.board.text)
    board = symbol.node if symbol is not None and isinstance(symbol.node, nodes.Board) else None
    if board is not None and board.space.text == "plane":
        message = f"`{node.board.text}` is a board of the plane and has no cells to move over"
        scope.report.error("RW0301", node.board.span, message, help="`paths` are on a board `of hex` or `of square`")
        return None
    if symbol is not None and board is not None:
        return (symbol.name, CellType(board.space.text)) if board.space.text in GRIDS else None
    message = f"there is no board `{node.board.text}`"
    scope.report.error("RW0301", node.board.span, message, help="name a `board` of this ruleset after `on`")
    return None


def _cost(node: nodes.Paths, scope: Scope, address: str) -> typed.Tally | None:
    nothing = expressions.WholeNumber(0, node.costs[0].span)
    made = tally_rows(node.name, nothing, node.costs, scope, address, node.cites)
    if made is None:
        return None
    type_ = made[0].type
    if isinstance(type_, NumberType) and type_.low is not None and type_.low >= 0:
        return typed.Tally(*made)
    fraction = not isinstance(type_, NumberType)
    message = "a move costs a whole number" if fraction else "the cost of a move may fall below 0"
    remedy = "use `floor`, `ceiling` or `round`" if fraction else "add a last row such as `cost least: at least 0`"
    scope.report.error("RW0335", node.costs[-1].span, message, help=remedy)
    return None


def _row(row: nodes.PathRow, node: nodes.Paths, scope: Scope, address: str) -> typed.PathRow | None:
    made = condition_row(row, scope, address, node.cites)
    if made is None:
        return None
    top = head(row, scope, address, node.cites)
    return typed.PathRow(**top, condition=made.condition, guard=made.guard, word=row.word)


FunctionNode = nodes.Term | nodes.Relation | nodes.Tally | nodes.Decide | nodes.Table | nodes.Paths
_Made = tuple[Type, typed.Body]


def function(node: FunctionNode, scope: Scope) -> typed.Function | None:
    """A declared function with its body; none where a line of it has an error."""
    name = scope.module.prefix + node.name.text
    inner = with_parameters(node.parameters, scope)
    made = _body(node, inner, name) if inner is not None else None
    if made is None:
        return None
    found = typed.Function(
        name=name,
        title=_title(node.title, _conditions_of(node)),
        cites=qualify(_margin(node.cites, _conditions_of(node)), scope.linked),
        span=node.span,
        sort=type(node).__name__.lower(),
        owner="",
        parameters=tuple(scope.variables.all[: len(node.parameters)]),
        variables=tuple(scope.variables.all),
        type=made[0],
        body=made[1],
        symmetric=isinstance(node, nodes.Relation) and node.symmetric,
    )
    if found.symmetric and len(found.parameters) == 2:  # noqa: PLR2004 - other relations are refused elsewhere
        check_symmetry(replace(found, span=node.name.span), scope)
    return found


def derived_attribute(field: nodes.DerivedField | nodes.DerivedConditions, scope: Scope) -> typed.Function | None:
    """An attribute computed at every reading, whose first parameter is `self`; none where it has an error."""
    name = f"{scope.owner}/{field.name.text}"
    scope.variables.new("self", owner_type(scope))
    parameters = field.parameters if isinstance(field, nodes.DerivedField) else ()
    inner = with_parameters(parameters, scope)
    made = _attribute_body(field, inner, name) if inner is not None else None
    if made is None:
        return None
    conditions = field.conditions if isinstance(field, nodes.DerivedConditions) else None
    title = field.title if isinstance(field, nodes.DerivedField) else None
    cites = field.cites if isinstance(field, nodes.DerivedField) else ()
    scope.shapes.derived[scope.owner][field.name.text] = (name, made[0])
    return typed.Function(
        name=name,
        title=_title(title, conditions),
        cites=qualify(_margin(cites, conditions), scope.linked),
        span=field.span,
        sort="attribute",
        owner=scope.owner,
        parameters=tuple(scope.variables.all[: len(parameters) + 1]),
        variables=tuple(scope.variables.all),
        type=made[0],
        body=made[1],
    )


def _attribute_body(field: nodes.DerivedField | nodes.DerivedConditions, scope: Scope, name: str) -> _Made | None:
    if isinstance(field, nodes.DerivedConditions):
        return FLAG, _conditions(field.conditions, scope, name, field.conditions.cites)
    found = infer.value(field.value, scope)
    return (found.type, typed.Value(found)) if found is not None else None


def _conditions_of(node: FunctionNode) -> Conditions | None:
    return node.conditions if isinstance(node, nodes.Term | nodes.Relation) else None


def _title(title: Title | None, conditions: Conditions | None) -> str:
    shown = title or (conditions.title if conditions else None)
    return shown.text if shown else ""


def _margin(cites: tuple[Cite, ...], conditions: Conditions | None) -> tuple[Cite, ...]:
    return cites or (conditions.cites if conditions else ())


def with_parameters(parameters: tuple[nodes.Parameter, ...], scope: Scope) -> Scope | None:
    """The scope inside, with the parameters as its next variables; none where one has no type."""
    for parameter in parameters:
        type_ = resolve_type(parameter.type, scope.module, scope.linked, scope.report)
        if type_ is None or infer.hides(parameter.name, scope):
            return None
        scope = scope.binding(scope.variables.new(parameter.name.text, type_))
    scope.variables.inputs = len(scope.variables.all)
    return scope


def given(node: expressions.Type | None, scope: Scope) -> Type | None:
    """The type after `gives`, without one a flag; none where it could not be read."""
    return resolve_type(node, scope.module, scope.linked, scope.report) if node is not None else FLAG


def _body(node: FunctionNode, scope: Scope, name: str) -> _Made | None:  # noqa: PLR0911 - one case for each sort
    match node:
        case nodes.Term():
            return _term(node, scope, name)
        case nodes.Relation(conditions=conditions) if conditions is not None:
            return FLAG, _conditions(conditions, scope, name, _margin(node.cites, conditions))
        case nodes.Relation(value=value):
            return _value(value, FLAG, scope, name) if value is not None else None
        case nodes.Tally(start=start, rows=rows):
            made = tally_rows(node.name, start, rows, scope, name, node.cites)
            return (made[0].type, typed.Tally(*made)) if made is not None else None
        case nodes.Decide(rows=rows):
            type_ = given(node.gives, scope)
            decided = type_ and decide_rows(rows, type_, scope, name, node.cites)
            return (decided[0], typed.Decide(decided[1])) if decided else None
        case nodes.Table():
            type_ = given(node.gives, scope)
            parameters = tuple(scope.variables.all[: len(node.parameters)])
            found = table_rows(node, parameters, type_, scope, name) if type_ is not None else None
            return (type_, typed.Table(found)) if type_ is not None and found is not None else None
        case nodes.Paths():
            return destinations(node, scope, name)


def _value(value: expressions.Expression, type_: Type, scope: Scope, name: str) -> _Made | None:
    found = fitted(value, type_, scope, f"`{name}`")
    return (type_, typed.Value(found)) if found is not None else None


def _conditions(conditions: Conditions, scope: Scope, name: str, cites: tuple[Cite, ...]) -> typed.Conditions:
    rows = condition_rows(conditions.rows, conditions.mode, scope, name, cites)
    return typed.Conditions(conditions.mode, rows, conditions.title.text if conditions.title else "")


def _term(node: nodes.Term, scope: Scope, name: str) -> _Made | None:
    type_ = given(node.gives, scope)
    if type_ is None:
        return None
    if node.conditions is None:
        return _value(node.value, type_, scope, name) if node.value is not None else None
    margin = _margin(node.cites, node.conditions)
    if node.over is not None:
        return _selection(node.over, node.conditions, type_, scope, (name, margin))
    return FLAG, _conditions(node.conditions, scope, name, margin)


def _selection(
    over: expressions.Binder, conditions: Conditions, type_: Type, scope: Scope, place: tuple[str, tuple[Cite, ...]]
) -> _Made | None:
    bound = infer.bind(over, scope)
    if bound is None:
        return None
    binding, inner = bound
    name, margin = place
    types = tuple(each.type for each in binding.variables if each is not None)
    selected = SetType(types[0] if len(types) == 1 else TupleType(types))
    if len(types) != len(binding.variables) or selected != type_:
        scope.report.error("RW0317", over.span, f"`{name}` gives `{type_}`, and this selects `{selected}`")
        return None
    return type_, typed.Selection(binding, _conditions(conditions, inner, name, margin))


def external_term(node: nodes.ExternalTerm, scope: Scope) -> typed.ExternalTerm | None:
    """An external term with its default; none where its types or default have an error."""
    type_ = given(node.gives, scope)
    inner = with_parameters(node.parameters, scope)
    if type_ is None or inner is None:
        return None
    default = None
    if node.default is not None:
        found = inner.infer(node.default, type_)
        default = found and fit(found, type_, inner, "the default")
        if default is None:
            return None
    name = scope.module.prefix + node.name.text
    if default is None and name not in scope.linked.binds:
        _asked_for_places(node, inner.variables.all[: len(node.parameters)], scope)
    return typed.ExternalTerm(
        **_declared(node, scope),
        parameters=tuple(inner.variables.all[: len(node.parameters)]),
        type=type_,
        default=default,
    )


def _asked_for_places(node: nodes.ExternalTerm, parameters: list[Variable], scope: Scope) -> None:
    """Reports a term that people would be asked about every place on the plane (RW0345)."""
    for written, each in zip(node.parameters, parameters, strict=True):
        if isinstance(present(each.type), PlaneType):
            message = f"`{node.name.text}` would be asked for each `{each.type}`, and there are endlessly many"
            scope.report.error("RW0345", written.span, message, help="give it a `default`, or `bind` it to a term")
            return


def measure(node: nodes.Measure, scope: Scope) -> typed.Measure | None:
    """A measure with the value that reports ask for; none where it has an error."""
    inner = with_parameters(node.parameters, scope)
    found = infer.value(node.value, inner) if inner is not None else None
    if inner is None or found is None:
        return None
    return typed.Measure(
        **_declared(node, scope),
        parameters=tuple(inner.variables.all[: len(node.parameters)]),
        variables=tuple(inner.variables.all),
        type=found.type,
        value=found,
    )


def invariant(node: nodes.Always, scope: Scope) -> typed.Invariant | None:
    """An `always`, which takes nothing for granted that another says; none where it has an error."""
    scope = scope.knowing(replace(scope.facts, numbers={}))
    inner, binding = scope, None
    if node.binder is not None:
        bound = infer.bind(node.binder, scope)
        if bound is None:
            return None
        binding, inner = bound
    guard, inner = guarded(node.guard, inner)
    condition = infer.row_condition(node.condition, inner)
    if condition is None or (node.guard is not None and guard is None):
        return None
    made = typed.Invariant(
        **_declared(node, scope),
        variables=tuple(scope.variables.all),
        binding=binding,
        guard=guard,
        condition=condition,
    )
    scope.shapes.invariants[made.name] = made
    return made


def _declared(node: nodes.ExternalTerm | nodes.Measure | nodes.Always, scope: Scope) -> dict[str, Any]:
    """The name, title, clauses and place of a declaration, as its program class takes them."""
    name, title = scope.module.prefix + node.name.text, node.title.text if node.title else ""
    return {"name": name, "title": title, "cites": qualify(node.cites, scope.linked), "span": node.span}


_EITHER_WAY = frozenset({"adjacent", "distance", "gap", "contact", "overlaps", "min", "max"})


def check_symmetry(relation: typed.Function, scope: Scope) -> None:
    """Warns where exchanging the two sides may change the answer (RW0413).

    The rows of both orders are compared as they are written, but for the order of `and`, `or`, `=` and of the sides
    of functions, relations and terms that are symmetric themselves.
    """
    if _Sides(scope).alike(relation):
        return
    name, (a, b) = relation.name, (each.name for each in relation.parameters)
    message = f"it is not certain that `{name}({a}, {b})` and `{name}({b}, {a})` are always alike"
    remedy = "ask the same of both sides in every row, or leave out `symmetric`"
    scope.report.warning("RW0413", relation.span, message, help=remedy)


class _Sides:
    """Whether functions of two things say the same when these are exchanged; each is looked at once."""

    def __init__(self, scope: Scope) -> None:
        self._functions = scope.shapes.functions
        declared = (symbol for module in scope.linked.modules for symbol in module.callables.values())
        relations = (each for each in declared if isinstance(each.node, nodes.Relation))
        # by name whether it is symmetric: as the text says of relations, as it is found out of terms
        self._known = {each.name: each.node.symmetric for each in relations}  # type: ignore[union-attr]

    def alike(self, function: typed.Function) -> bool:
        """Whether both orders of the two sides say the same."""
        first, second = function.parameters
        return self._said(function, (first, second)) == self._said(function, (second, first))

    def _symmetric(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = False  # what leads back to itself shows nothing
            match self._functions.get(name):
                case typed.Function(parameters=(first, second)) as term if first.type == second.type:
                    self._known[name] = self.alike(term)
                case _:
                    pass
        return self._known[name]

    def _said(self, function: typed.Function, order: tuple[Variable, Variable]) -> frozenset[object]:
        """What a function says of two things in an order, row by row."""
        sides = tuple(Local(type=each.type, span=function.span, variable=each) for each in order)
        call = CallFunction(type=function.type, span=function.span, function=function.name, arguments=sides)
        body = opened(call, {function.name: function}, 0)
        if body is None:
            return frozenset({order})
        if body.value is not None:
            return frozenset({self._sorted(key(body.value))})
        rows = ((key(row.condition), row.guard and key(row.guard)) for row in body.rows)
        return frozenset(self._sorted(row) for row in rows)

    def _sorted(self, part: object) -> object:  # noqa: PLR0911 - one case for each sort
        """A key whose parts stand in one order wherever their order does not matter."""
        if not isinstance(part, tuple):
            return part
        inner = tuple(self._sorted(each) for each in part)
        match inner:
            case ("Logical", operator, *sides):
                return ("Logical", operator, *sorted(sides, key=repr))
            case ("=", *sides):
                return ("=", *sorted(sides, key=repr))
            case ("Builtin", name, tuple() as arguments, *rest) if name in _EITHER_WAY:
                return ("Builtin", name, tuple(sorted(arguments, key=repr)), *rest)
            case ("CallFunction", str() as name, tuple() as arguments) if self._symmetric(name):
                return ("CallFunction", name, tuple(sorted(arguments, key=repr)))
            case ("RelationHolds", str() as name, *sides) if self._symmetric(name):
                return ("RelationHolds", name, *sorted(sides, key=repr))
            case _:
                return inner
