"""Lowering of declarations that only give a value: pure routines of `Set`, `If`, `For` and `Return`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import assert_never

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d, expressions as ex, types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.lower_expressions import (
    ExpressionLowering,
    make_conjunction,
    make_disjunction,
    make_flag,
    make_get,
    make_none,
    make_number,
    make_op,
    make_pair,
    make_test,
)
from rulewright.program.declarations import Program
from rulewright.program.expressions import DecideRow, TallyRow, Variable
from rulewright.program.types import FLAG, OptionalType, TupleType, Type

_OPERATIONS_OF_ROWS = {"plus": "add", "times": "multiply", "at least": "greatest", "at most": "least"}


def lower_pure_declarations(program: Program) -> Iterator[core.Routine]:
    """The routines of all functions, defaults, measures, invariants and conditions of rules, handlers and events."""
    for function in program.functions.values():
        yield from _lower_function(program, function)
    for relation in program.relations.values():
        yield _lower_relation(program, relation)
    for external in program.external_terms.values():
        if external.default is not None:
            yield _lower_value(program, f"default:{external.name}", external, external.parameters, external.default)
    for measure in program.measures.values():
        yield _lower_value(program, f"measure:{measure.name}", measure, measure.parameters, measure.value)
    for invariant in program.invariants.values():
        yield _lower_invariant(program, invariant)
    for rule in program.rules.values():
        yield _lower_search_of_rule(program, rule)
        yield _lower_value(program, f"lowers:{rule.name}", rule, (), rule.lowers)
    for event in program.events.values():
        if event.holders is not None:
            yield _lower_value(program, f"holders:{event.name}", event, event.parameters, event.holders)
        if event.order is not None:
            yield _lower_value(program, f"order:{event.name}", event, event.parameters, event.order)
    for handler in program.handlers.values():
        yield _lower_guard_of_handler(program, handler)


def _make_routine(  # noqa: PLR0913, PLR0917 - what a routine is made of
    lowering: ExpressionLowering,
    key: str,
    declared: d.Declared,
    parameters: Iterable[Variable],
    result: Type,
    block: core.Block,
) -> core.Routine:
    named = tuple(lowering.get_local(parameter) for parameter in parameters)
    return core.Routine(key, "function", named, lowering.list_locals(), block, (), result, origin=declared)


def _lower_value(
    program: Program, key: str, declared: d.Declared, parameters: Sequence[Variable], value: ex.Expression
) -> core.Routine:
    lowering = ExpressionLowering(program, _list_variables(parameters, value))
    returned = core.Return(lowering.lower(value), origin=declared)
    return _make_routine(lowering, key, declared, parameters, value.type, (returned,))


def _list_variables(parameters: Sequence[Variable], *nodes: object) -> list[Variable]:
    """Parameters, and the variables that expressions bind or read."""
    found = {parameter.index: parameter for parameter in parameters}
    for node in walk_nodes(nodes):
        if isinstance(node, Variable):
            found.setdefault(node.index, node)
    return list(found.values())


def _lower_relation(program: Program, relation: d.Relation) -> core.Routine:
    """`related:NAME`: whether a stored relation holds."""
    lowering = ExpressionLowering(program, relation.parameters)
    first, second = (make_get(lowering.get_local(parameter), relation) for parameter in relation.parameters)
    holds = core.Load(make_pair(program, relation.name, first, second), type=FLAG, origin=relation)
    key = f"related:{relation.name}"
    return _make_routine(lowering, key, relation, relation.parameters, FLAG, (core.Return(holds, origin=relation),))


def _lower_function(program: Program, function: d.Function) -> Iterator[core.Routine]:
    lowering = ExpressionLowering(program, function.variables)
    block: core.Block
    match function.body:
        case d.Value(value=value):
            block = (core.Return(lowering.lower(value), origin=function),)
        case d.Conditions() as conditions:
            block = _lower_conditions(lowering, conditions, function)
        case d.Selection(binding=binding, conditions=conditions):
            members = _lower_selection(lowering, function, binding, conditions)
            block = (core.Return(members, origin=function),)
        case d.Tally(running=running, start=start, rows=rows):
            result = make_get(lowering.get_local(running), function)
            tally = lower_tally(lowering, running, start, rows, function)
            block = (*tally, core.Return(result, origin=function))
        case d.Decide(rows=rows):
            block = lower_decide(
                lowering, rows, lambda row: core.Return(lowering.lower(row.value), origin=row), function
            )
        case d.Table(rows=table_rows):
            block = _lower_table(lowering, function, table_rows)
        case d.Paths() as paths:
            yield from _lower_judges_of_moves(program, function, paths)
            block = (core.Return(_lower_paths(lowering, function, paths), origin=function),)
        case _:
            assert_never(function.body)
    key = f"function:{function.name}"
    yield _make_routine(lowering, key, function, function.parameters, function.type, block)


def _lower_conditions(lowering: ExpressionLowering, conditions: d.Conditions, function: d.Function) -> core.Block:
    decides = conditions.mode == "any"
    lines: list[core.Statement] = []
    for row in conditions.rows:
        test = lowering.lower_row(row, unjudged=not decides)
        decided: core.Block = (core.Return(make_flag(row, value=decides), origin=row),)
        lines.append(core.If(test, decided, origin=row) if decides else core.If(test, (), decided, origin=row))
    return (*lines, core.Return(make_flag(function, value=not decides), origin=function))


def _lower_selection(
    lowering: ExpressionLowering, function: d.Function, binding: ex.Binding, conditions: d.Conditions
) -> core.Over:
    tests = [lowering.lower_row(row, unjudged=conditions.mode == "all") for row in conditions.rows]
    combine = make_conjunction if conditions.mode == "all" else make_disjunction
    rows = combine(tests, function)
    where = rows if binding.where is None else make_conjunction([lowering.lower(binding.where), rows], function)
    source = lowering.lower_members(binding.source)
    return core.Over(lowering.bind_names(binding), source, where, "set", None, type=function.type, origin=function)


def lower_tally(
    lowering: ExpressionLowering,
    running: Variable,
    start: ex.Expression,
    rows: tuple[TallyRow, ...],
    origin: core.Origin,
) -> core.Block:
    """Puts the value of a tally into its variable."""
    place = make_local_place(lowering.get_local(running))
    begun = core.Set(place, lowering.lower(start), origin=origin)
    return (begun, *(_lower_tally_row(lowering, place, row) for row in rows))


def _lower_tally_row(lowering: ExpressionLowering, place: core.Place, row: TallyRow) -> core.Statement:
    assert isinstance(place.root, core.Local)
    amount = lowering.lower(row.amount)
    if row.change in _OPERATIONS_OF_ROWS:
        here = make_get(place.root, row)
        amount = make_op(_OPERATIONS_OF_ROWS[row.change], here, amount, type_=place.type, origin=row)
    line: core.Statement = core.Set(place, amount, origin=row)
    if row.guard is not None:
        line = core.If(lowering.lower(row.guard), (line,), origin=row)
    if row.binding is None:
        return line
    if row.binding.where is not None:
        line = core.If(lowering.lower(row.binding.where), (line,), origin=None)
    source = lowering.lower_members(row.binding.source)
    return core.For(lowering.bind_names(row.binding), source, (line,), 0, origin=row)


def lower_decide(
    lowering: ExpressionLowering,
    rows: tuple[DecideRow, ...],
    take: Callable[[DecideRow], core.Statement],
    origin: core.Origin,
) -> core.Block:
    """What `take` makes of the first row whose guard holds."""
    block: core.Block = (core.Fail("RW0816", origin=origin),)
    for row in reversed(rows):
        taken = (take(row),)
        block = taken if row.guard is None else (core.If(lowering.lower(row.guard), taken, block, origin=row),)
    return block


def _lower_table(lowering: ExpressionLowering, function: d.Function, rows: tuple[ex.TableRow, ...]) -> core.Block:
    lines: list[core.Statement] = []
    for row in rows:
        tests = [
            test
            for cell, parameter in zip(row.cells, function.parameters, strict=True)
            for test in _lower_cell(lowering, cell, parameter, row)
        ]
        returned = core.Return(lowering.lower(row.result), origin=row)
        lines.append(core.If(make_conjunction(tests, row), (returned,), origin=row))
    return (*lines, core.Fail("RW0816", origin=function))


def _lower_cell(
    lowering: ExpressionLowering, cell: ex.Cell, parameter: Variable, row: ex.TableRow
) -> Iterator[core.Expression]:
    value = make_get(lowering.get_local(parameter), row)
    for name, bound in (("equal", cell.value), ("at least", cell.low), ("at most", cell.high)):
        if bound is not None:
            yield make_test(name, value, lowering.lower(bound), origin=row)


# Paths.


def _lower_paths(lowering: ExpressionLowering, function: d.Function, paths: d.Paths) -> core.Op:
    captured = tuple(make_get(lowering.get_local(parameter), function) for parameter in function.parameters)
    enter, end = (
        core.Closure(f"{sort}:{function.name}", captured, type=FLAG, origin=function) for sort in ("enter", "end")
    )
    assert isinstance(function.type, ty.SetType)
    space = getattr(function.type.item, "space", "hex")
    facts = (paths.board, space, _is_read(paths, paths.spent), _is_read(paths, paths.moves))
    start = lowering.lower(paths.start)
    return make_op("destinations", start, enter, end, type_=function.type, origin=function, facts=facts)


def _is_read(paths: d.Paths, variable: Variable) -> bool:
    return any(
        isinstance(node, ex.Local) and node.variable == variable for node in walk_nodes((paths.cost, paths.rows))
    )


def _lower_judges_of_moves(program: Program, function: d.Function, paths: d.Paths) -> Iterator[core.Routine]:
    """`enter:NAME` and `end:NAME`, which judge one move: its cells, the price before it, and the number of moves."""
    parameters = (*function.parameters, paths.left, paths.entered, paths.spent, paths.moves)
    lowering = ExpressionLowering(program, function.variables)
    block = (*_lower_move_cost(lowering, paths, function), *_lower_entering(lowering, paths, function))
    entered = OptionalType(TupleType((ty.COUNT, FLAG)))
    yield _make_routine(lowering, f"enter:{function.name}", function, parameters, entered, block)
    lowering = ExpressionLowering(program, function.variables)
    block = tuple(_lower_ending(lowering, paths, function))
    yield _make_routine(lowering, f"end:{function.name}", function, parameters, OptionalType(FLAG), block)


def _lower_move_cost(lowering: ExpressionLowering, paths: d.Paths, function: d.Function) -> core.Block:
    spent = make_local_place(lowering.get_local(paths.spent))
    lines: core.Block = ()
    price: core.Expression = make_number(1, function)
    if paths.cost is not None:
        lines = lower_tally(lowering, paths.cost.running, paths.cost.start, paths.cost.rows, function)
        price = make_get(lowering.get_local(paths.cost.running), function)
    here = make_get(lowering.get_local(paths.spent), function)
    added = make_op("add", here, price, type_=spent.type, origin=function)
    return (*lines, core.Set(spent, added, origin=function))


def _lower_entering(lowering: ExpressionLowering, paths: d.Paths, function: d.Function) -> core.Block:
    lines: list[core.Statement] = []
    for row in paths.rows:
        if row.word == "enter":
            refused = core.Return(make_none(row), origin=row)
            lines.append(core.If(lowering.lower_row(row), (), (refused,), origin=row))
    halts = [lowering.lower_row(row, unjudged=False) for row in paths.rows if row.word == "halt"]
    spent = make_get(lowering.get_local(paths.spent), function)
    entered = make_op(
        "tuple",
        spent,
        make_disjunction(halts, function),
        type_=TupleType((paths.spent.type, FLAG)),
        origin=function,
    )
    return (*lines, core.Return(entered, origin=function))


def _lower_ending(lowering: ExpressionLowering, paths: d.Paths, function: d.Function) -> Iterator[core.Statement]:
    judged = lowering.new_temporary(OptionalType(FLAG))
    place = make_local_place(judged)
    yield core.Set(place, make_none(function), origin=function)
    for row in paths.rows:
        if row.word != "end":
            continue
        fails = core.If(make_get(judged, row), (), (core.Return(make_flag(row, value=False), origin=row),), origin=row)
        block = (core.Set(place, lowering.lower(row.condition), origin=row), fails)
        if row.guard is None:
            yield from block
        else:
            yield core.If(lowering.lower(row.guard), block, origin=row)
    yield core.Return(make_get(judged, function), origin=function)


# What standing rules, invariants and handlers are judged by.


def make_member_tuple(lowering: ExpressionLowering, binding: ex.Binding | None, origin: core.Origin) -> core.Op:
    """The members that a binding holds, as a tuple."""
    named = () if binding is None else tuple(variable for variable in binding.variables if variable is not None)
    members = tuple(make_get(lowering.get_local(variable), origin) for variable in named)
    return core.Op("tuple", members, type=TupleType(tuple(variable.type for variable in named)), origin=origin)


def _lower_search(
    lowering: ExpressionLowering, binding: ex.Binding | None, found: core.Statement, declared: d.Declared
) -> core.Block:
    """A block that runs for each member of a binding."""
    if binding is None:
        return (found, core.Return(make_none(declared), origin=declared))
    if binding.where is not None:
        found = core.If(lowering.lower(binding.where), (found,), origin=declared)
    source = lowering.lower_members(binding.source)
    loop = core.For(lowering.bind_names(binding), source, (found,), 0, origin=declared)
    return (loop, core.Return(make_none(declared), origin=declared))


def _lower_search_of_rule(program: Program, rule: d.StandingRule) -> core.Routine:
    """`find:NAME`: the first members for which a rule applies, as a tuple, or none."""
    lowering = ExpressionLowering(program, _list_variables((), rule.binding, rule.condition))
    members = make_member_tuple(lowering, rule.binding, rule)
    found = core.If(lowering.lower(rule.condition), (core.Return(members, origin=rule),), origin=rule)
    assert isinstance(members.type, TupleType)
    block = _lower_search(lowering, rule.binding, found, rule)
    return _make_routine(lowering, f"find:{rule.name}", rule, (), OptionalType(members.type), block)


def _lower_invariant(program: Program, invariant: d.Invariant) -> core.Routine:
    """`invariant:NAME`: the first members for which an invariant does not hold, as a tuple, or none."""
    lowering = ExpressionLowering(program, invariant.variables)
    members = make_member_tuple(lowering, invariant.binding, invariant)
    broken: core.Statement = core.If(
        lowering.lower(invariant.condition), (), (core.Return(members, origin=invariant),), origin=invariant
    )
    if invariant.guard is not None:
        broken = core.If(lowering.lower(invariant.guard), (broken,), origin=invariant)
    assert isinstance(members.type, TupleType)
    block = _lower_search(lowering, invariant.binding, broken, invariant)
    return _make_routine(lowering, f"invariant:{invariant.name}", invariant, (), OptionalType(members.type), block)


def _lower_guard_of_handler(program: Program, handler: d.Handler) -> core.Routine:
    """`guard:NAME`: whether a handler may run with the arguments of its event and its members."""
    event = program.events[handler.event]
    given = handler.variables[: len(event.parameters)]
    members = tuple(variable for variable in handler.binding.variables if variable is not None)
    lowering = ExpressionLowering(program, _list_variables((*given, *members), handler.guard))
    holds = make_flag(handler, value=True) if handler.guard is None else lowering.lower(handler.guard)
    block = (core.Return(holds, origin=handler),)
    return _make_routine(lowering, f"guard:{handler.name}", handler, (*given, *members), FLAG, block)


def make_local_place(local: core.Local) -> core.Place:
    """The place that a name is."""
    return core.Place(local, (), local.type)
