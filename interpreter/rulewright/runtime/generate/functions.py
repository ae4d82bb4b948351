"""Python for functions of arguments: terms, attributes, relations, tallies, decides, tables, paths."""

from collections.abc import Callable

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d
from rulewright.program.expressions import Cell, ConditionRow, DecideRow, Expression, Literal, Local, TallyRow, Variable
from rulewright.program.types import SetType
from rulewright.runtime.generate import expressions, loops
from rulewright.runtime.generate.writer import BOARD_CODE, UNRECORDED_PREFIX, FunctionBuilder, ModuleBuilder
from rulewright.runtime.values import has_plain_order

EmitResult = Callable[[str], None]


def emit_pending_functions(module: ModuleBuilder) -> None:
    """Emits the functions that were called, and their callees, until none is pending."""
    while module.pending_functions:
        key = module.pending_functions.pop()
        untold = key.startswith(UNRECORDED_PREFIX)
        _emit_function(
            module,
            module.program.functions[key.removeprefix(UNRECORDED_PREFIX)],
            f"f{module.functions[key]}",
            untold=untold,
        )


def emit_default_function(body: FunctionBuilder, name: str) -> str:
    """Python name of the function for the default of an external term, or `None`."""
    module = body.module
    external = module.program.external_terms[name]
    if external.default is None:
        return "None"
    untold = module.traced and not body.records_reads
    key = f"{UNRECORDED_PREFIX if untold else ''}default:{name}"
    if key not in module.functions:
        module.functions[key] = len(module.functions)
        opened_ = begin_function(
            module, f"f{module.functions[key]}", "term", external, external.parameters, untold=untold
        )
        _emit_value_body(opened_, external.parameters, external.default)
    return f"f{module.functions[key]}"


def emit_value_function(  # noqa: PLR0913, PLR0917
    module: ModuleBuilder,
    name: str,
    sort: str,
    declared: d.Declared,
    parameters: tuple[Variable, ...],
    result: Expression,
) -> None:
    """A function that returns the value of one expression of its parameters."""
    _emit_value_body(begin_function(module, name, sort, declared, parameters), parameters, result)


def _emit_value_body(body: FunctionBuilder, parameters: tuple[Variable, ...], result: Expression) -> None:
    _emit_return(body, expressions.emit_expression(body, result), parameters)
    body.module.finish_function(body)


def begin_function(  # noqa: PLR0913 - what a function is made of
    module: ModuleBuilder,
    name: str,
    sort: str,
    declared: d.Declared,
    parameters: tuple[Variable, ...],
    *,
    untold: bool = False,
) -> FunctionBuilder:
    site = module.add_site(sort, declared, type=getattr(declared, "type", None))
    names = {parameter.index: f"v{parameter.index}" for parameter in parameters}
    head = f"def {name}({', '.join(('W', *names.values()))}):"
    return FunctionBuilder(module, head, framed=False, names=names, site=site, untold=untold)


def _emit_return(body: FunctionBuilder, code: str, parameters: tuple[Variable, ...], extra: str = "None") -> None:
    body.add_line(f"r = {code}")
    given = "".join(f"{body.names[parameter.index]}, " for parameter in parameters)
    body.emit_entry(body.site, "r", f"(({given}), {extra})")
    body.add_line("return r")


def _emit_function(module: ModuleBuilder, function: d.Function, name: str, *, untold: bool) -> None:
    sort = function.sort if function.sort in {"tally", "decide", "table"} else "term"
    body = begin_function(module, name, sort, function, function.parameters, untold=untold)
    body.names |= {variable.index: f"v{variable.index}" for variable in function.variables}
    if body.records_reads and not isinstance(function.body, d.Value | d.Selection | d.Paths):
        body.add_line("j = []")
    match function.body:
        case d.Value(value=result):
            _emit_function_result(body, function, expressions.emit_expression(body, result))
        case d.Conditions() as conditions:
            _emit_conditions(body, conditions, lambda outcome: _emit_function_result(body, function, outcome))
        case d.Selection() as selection:
            _emit_selection(body, function, selection)
        case d.Tally(running, start, rows):
            emit_tally(body, running, start, rows)
            _emit_function_result(body, function, body.variable_place(running))
        case d.Decide(rows):
            emit_decide(body, rows, lambda row: _emit_function_result(body, function, row))
        case d.Table() as table:
            _emit_table(body, function, table)
        case d.Paths() as paths:
            _emit_function_result(body, function, emit_destinations(body, function, paths))
    module.finish_function(body)


def _emit_function_result(body: FunctionBuilder, function: d.Function, code: str) -> None:
    if not body.records_reads:
        body.add_line(f"return {code}")
        return
    _emit_return(
        body, code, function.parameters, "()" if isinstance(function.body, d.Value | d.Selection | d.Paths) else "j"
    )


# Rows under `when all` and `when any`.


def _emit_conditions(body: FunctionBuilder, conditions: d.Conditions, close: EmitResult) -> None:
    decisive = conditions.mode == "any"
    for position, row in enumerate(conditions.rows):
        test = emit_judged_row(body, row, position, undecided=not decisive)
        with body.indent_under(f"if {test}:" if decisive else f"if not {test}:"):
            close(str(decisive))
    close(str(not decisive))


def emit_judged_row(body: FunctionBuilder, row: ConditionRow, position: int, *, undecided: bool = True) -> str:
    """Python for whether a row holds; `undecided` stands for a row that is not judged."""
    test = expressions.emit_row_test(body, row, undecided=undecided)
    if not body.records_reads:
        return test
    body.add_line(f"x = {test}")
    body.add_line(f"j.append(({position}, x))")
    return "x"


def _emit_selection(body: FunctionBuilder, function: d.Function, selection: d.Selection) -> None:
    binding, conditions = selection.binding, selection.conditions
    body.add_line("r = []")
    with body.indent_under(loops.emit_loop_head(body, binding)):
        loops.emit_skip_unless(body, binding.where)
        member = loops.emit_member(body, binding)
        if conditions.mode == "any":
            tests = [expressions.emit_row_test(body, row, undecided=False) for row in conditions.rows]
            with body.indent_under(f"if {' or '.join(tests)}:"):
                body.add_line(f"r.append({member})")
        else:
            for row in conditions.rows:
                with body.indent_under(f"if not {expressions.emit_row_test(body, row, undecided=True)}:"):
                    body.add_line("continue")
            body.add_line(f"r.append({member})")
    item = function.type.item if isinstance(function.type, SetType) else None
    _emit_function_result(body, function, "tuple(sorted(set(r)))" if item and has_plain_order(item) else "make_set(r)")


# Tallies and decides, also as lines of a routine.


def emit_tally(body: FunctionBuilder, running: Variable, start: Expression, rows: tuple[TallyRow, ...]) -> None:
    """Lines that compute a tally into its variable; a traced body has a list `j` of rows applied."""
    place = body.variable_place(running)
    body.add_line(f"{place} = {expressions.emit_expression(body, start)}")
    if body.records_reads:
        body.add_line(f"j.append((-1, {place}))")
    for position, row in enumerate(rows):
        if row.binding is None:
            _emit_tally_row(body, place, position, row)
        else:
            with body.indent_under(loops.emit_loop_head(body, row.binding)):
                loops.emit_skip_unless(body, row.binding.where)
                _emit_tally_row(body, place, position, row)


def _emit_tally_row(body: FunctionBuilder, place: str, position: int, row: TallyRow) -> None:
    if row.guard is None:
        _emit_apply_row(body, place, position, row)
        return
    test = expressions.emit_expression(body, row.guard)
    with body.indent_under(f"if {test}:"):
        _emit_apply_row(body, place, position, row)
    if body.records_reads:
        with body.indent_under("else:"):
            body.add_line(f"j.append(({position}, None))")


def _emit_apply_row(body: FunctionBuilder, place: str, position: int, row: TallyRow) -> None:
    amount = expressions.emit_expression(body, row.amount)
    if not body.records_reads and isinstance(row.amount, Literal | Local):
        _emit_tally_change(body, place, row, amount)
        return
    body.add_line(f"x = {amount}")
    if body.records_reads:
        body.add_line(f"j.append(({position}, (x, {_emit_changes_test(place, row.change)})))")
    _emit_tally_change(body, place, row, "x")


def _emit_tally_change(body: FunctionBuilder, place: str, row: TallyRow, amount: str) -> None:
    match row.change:
        case "plus":
            body.add_line(f"{place} += {amount}")
        case "times":
            body.add_line(f"{place} = check_number_size(W, {place} * {amount})")
        case "becomes":
            body.add_line(f"{place} = {amount}")
        case "at least":
            body.add_line(f"{place} = {expressions.emit_extreme('max', place, amount)}")
        case _:
            body.add_line(f"{place} = {expressions.emit_extreme('min', place, amount)}")


def _emit_changes_test(place: str, change: str) -> str:
    match change:
        case "plus":
            return "x != 0"
        case "times":
            return f"{place} * x != {place}"
        case "becomes":
            return f"{place} != x"
        case "at least":
            return f"{place} < x"
        case _:
            return f"{place} > x"


def emit_decide(body: FunctionBuilder, rows: tuple[DecideRow, ...], close: EmitResult) -> None:
    """Lines that take the first row whose guard holds; a traced body has a list `j` of rows judged."""
    for position, row in enumerate(rows):
        if row.guard is None:
            _emit_decided(body, position, row, close)
            return
        with body.indent_under(f"if {expressions.emit_expression(body, row.guard)}:"):
            _emit_decided(body, position, row, close)
        if body.records_reads:
            body.add_line(f"j.append(({position}, False))")
    body.add_line("fault_no_row_covers()")


def _emit_decided(body: FunctionBuilder, position: int, row: DecideRow, close: EmitResult) -> None:
    if body.records_reads:
        body.add_line(f"j.append(({position}, True))")
    close(expressions.emit_expression(body, row.value))


def _emit_table(body: FunctionBuilder, function: d.Function, table: d.Table) -> None:
    muted, body.mute_depth = body.mute_depth, 1
    for position, row in enumerate(table.rows):
        tests = [
            test
            for cell, parameter in zip(row.cells, function.parameters, strict=True)
            for test in _cell_tests(body, cell, body.variable_place(parameter))
        ]
        with body.indent_under(f"if {' and '.join(tests) or 'True'}:"):
            if body.records_reads:
                body.add_line(f"j.append(({position}, True))")
            _emit_function_result(body, function, expressions.emit_expression(body, row.result))
    body.mute_depth = muted
    body.add_line("fault_no_row_covers()")


def _cell_tests(body: FunctionBuilder, cell: Cell, place: str) -> list[str]:
    tests = []
    if cell.value is not None:
        tests.append(f"{place} == {expressions.emit_expression(body, cell.value)}")
    if cell.low is not None:
        tests.append(f"{place} >= {expressions.emit_expression(body, cell.low)}")
    if cell.high is not None:
        tests.append(f"{place} <= {expressions.emit_expression(body, cell.high)}")
    return tests


def emit_destinations(
    body: FunctionBuilder, function: d.Function, paths: d.Paths, search: str = "find_destinations(W"
) -> str:
    """The set of destinations, as one call of the search; or the result of another search of the same moves."""
    start = expressions.emit_expression(body, paths.start)
    judge, ends = _begin_path_function(body, function, paths), _begin_path_function(body, function, paths)
    _emit_move_judge(judge, paths)
    _emit_end_judge(ends, paths)
    given = "".join(f"{body.variable_place(parameter)}, " for parameter in function.parameters)
    return (
        f"{search}, {start}, {_emit_board(body, paths)}, lambda *m: {_function_name(judge)}(W, {given}*m), "
        f"lambda *m: {_function_name(ends)}(W, {given}*m), spent_counts={_is_variable_read(paths, paths.spent)}, "
        f"moves_count={_is_variable_read(paths, paths.moves)}, space={_grid_of_function(function)!r})"
    )


def _begin_path_function(body: FunctionBuilder, function: d.Function, paths: d.Paths) -> FunctionBuilder:
    body.module.lifted += 1
    parameters = (*function.parameters, paths.left, paths.entered, paths.spent, paths.moves)
    head = f"def q{body.module.lifted}({', '.join(('W', *(f'v{parameter.index}' for parameter in parameters)))}):"
    names = {variable.index: f"v{variable.index}" for variable in function.variables}
    inner = FunctionBuilder(body.module, head, framed=False, names=names, site=body.site, untold=not body.records_reads)
    inner.mute_depth = 1
    return inner


def _function_name(written: FunctionBuilder) -> str:
    return written.lines[0][1].removeprefix("def ").partition("(")[0]


def emit_move_cost(body: FunctionBuilder, paths: d.Paths) -> None:
    spent = body.variable_place(paths.spent)
    if paths.cost is None:
        body.add_line(f"{spent} += 1")
    else:
        if body.records_reads:
            body.add_line("j = []")
        emit_tally(body, paths.cost.running, paths.cost.start, paths.cost.rows)
        body.add_line(f"{spent} += {body.variable_place(paths.cost.running)}")


def _emit_move_judge(body: FunctionBuilder, paths: d.Paths) -> None:
    emit_move_cost(body, paths)
    for row in paths.rows:
        if row.word == "enter":
            with body.indent_under(f"if not {expressions.emit_row_test(body, row)}:"):
                body.add_line("return None")
    halts = [expressions.emit_row_test(body, row, undecided=False) for row in paths.rows if row.word == "halt"]
    body.add_line(f"return {body.variable_place(paths.spent)}, {' or '.join(halts) or 'False'}")
    body.module.finish_function(body)


def _emit_end_judge(body: FunctionBuilder, paths: d.Paths) -> None:
    body.add_line("r = None")
    for row in paths.rows:
        if row.word != "end":
            continue
        guard = "True" if row.guard is None else expressions.emit_expression(body, row.guard)
        with body.indent_under(f"if {guard}:"):
            body.add_line(f"r = {expressions.emit_expression(body, row.condition)}")
            with body.indent_under("if not r:"):
                body.add_line("return False")
    body.add_line("return r")
    body.module.finish_function(body)


def _emit_board(body: FunctionBuilder, paths: d.Paths) -> str:
    if len(body.module.program.boards) == 1:
        return BOARD_CODE
    return f"set(W[{body.module.places.boards[paths.board]}])"


def _is_variable_read(paths: d.Paths, variable: Variable) -> bool:
    rows = (paths.cost, paths.rows)
    return any(isinstance(node, Local) and node.variable == variable for part in rows for node in walk_nodes(part))


def _grid_of_function(function: d.Function) -> str:
    assert isinstance(function.type, SetType)
    return getattr(function.type.item, "space", "hex")
