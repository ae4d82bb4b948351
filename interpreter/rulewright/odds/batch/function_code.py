"""WebAssembly for what is computed from arguments: terms, tallies, decides, tables, functions of the language."""

from collections.abc import Iterator

from rulewright.odds.batch import cells, collection_code, value_access
from rulewright.odds.batch.integer_encoding import BatchUnsupportedError
from rulewright.odds.batch.value_access import emit_size_check, emit_slot_value, refuse_nested_lists
from rulewright.odds.batch.wasm_builder import FunctionBody, WasmModule, emit_constant, emit_local
from rulewright.program import declarations as d, expressions as ex, types as ty
from rulewright.program.expressions import Expression
from rulewright.program.rows import Cell, ConditionRow, TallyRow
from rulewright.program.types import Type


def emit_function_call(body: FunctionBody, name: str, arguments: tuple[Expression, ...]) -> str:
    """The call of a term, tally, decide, table, derived attribute or relation."""
    function = body.module.program.functions[name]
    given = [
        emit_slot_value(body, *item)
        for item in zip(arguments, [parameter.type for parameter in function.parameters], strict=True)
    ]
    written = body.module.request_function(f"term {name}", lambda key: _emit_function(body.module, function, key))
    return f"(call {written} {' '.join(given)})"


def _emit_function(module: WasmModule, function: d.Function, key: str) -> None:
    body = FunctionBody(module, function.name)
    parameters = tuple(f"$v{parameter.index}" for parameter in function.parameters)
    body.local_names.update(dict.fromkeys(parameters))
    with body.give_back_if_unsupported(f"in `{function.name}`"):
        _emit_function_body(body, function)
    body.add_line("(unreachable)")
    body.finish_function(key, parameters)


def _emit_function_body(body: FunctionBody, function: d.Function) -> None:
    match function.body:
        case d.Value(value=result):
            body.add_line(f"(return {emit_slot_value(body, result, function.type)})")
        case d.Conditions(mode, rows):
            for row in rows:
                _emit_condition_row(body, row, mode)
            body.add_line(f"(return (i64.const {int(mode == 'all')}))")
        case d.Selection(binding, conditions):
            body.add_line(f"(return {collection_code.emit_selection(body, binding, conditions, function.type)})")
        case d.Tally(running, start, tallied):
            emit_tally(body, running, start, tallied)
            body.add_line(f"(return {body.emit_variable(running)})")
        case d.Decide(decided):
            for decide_row in decided:
                _emit_row_return(
                    body,
                    "(i32.const 1)" if decide_row.guard is None else body.emit_test(decide_row.guard),
                    decide_row.value,
                    function.type,
                )
            body.add_line(body.emit_give_back("no row covers a case"))
        case d.Table(tabled):
            for line in tabled:
                fits = "(i32.const 1)"
                for cell, parameter in zip(line.cells, function.parameters, strict=True):
                    for one in _emit_cell_tests(body, cell, body.emit_variable(parameter)):
                        fits = f"(i32.and {fits} {one})"
                _emit_row_return(body, fits, line.result, function.type)
            body.add_line(body.emit_give_back("no row covers a case"))
        case _:
            raise BatchUnsupportedError("paths over a board")


def _emit_row_return(body: FunctionBody, fits: str, result: Expression, type_: Type) -> None:
    with body.open_block(f"if {fits} (then"):
        body.add_line(f"(return {emit_slot_value(body, result, type_)})")
    body.add_line(")")


def _emit_condition_row(body: FunctionBody, row: ConditionRow, mode: str) -> None:
    """Ends a term of conditions where a row decides it."""
    code = collection_code.emit_row_test(body, row, undecided=mode == "all")
    decided = f"(i32.eqz {code})" if mode == "all" else code
    body.add_line(f"(if {decided} (then (return (i64.const {int(mode != 'all')}))))")


def _emit_cell_tests(body: FunctionBody, cell: Cell, code: str) -> Iterator[str]:
    for node, compares in ((cell.value, "eq"), (cell.low, "ge_s"), (cell.high, "le_s")):
        if node is not None:
            yield f"(i64.{compares} {code} {body.emit_value(node)})"


def emit_tally(body: FunctionBody, running: ex.Variable, start: Expression, rows: tuple[TallyRow, ...]) -> None:
    """Lines that compute a tally into its variable."""
    body.assign_variable(running, body.emit_value(start))
    for row in rows:
        if row.binding is None:
            _emit_tally_row(body, running, row)
        else:
            with collection_code.emit_binding_loop(body, row.binding):
                _emit_tally_row(body, running, row)


def _emit_tally_row(body: FunctionBody, running: ex.Variable, row: TallyRow) -> None:
    with body.open_block(f"if {'(i32.const 1)' if row.guard is None else body.emit_test(row.guard)} (then"):
        amount, before = body.emit_value(row.amount), body.emit_variable(running)
        match row.change:
            case "plus":
                body.assign_variable(running, emit_size_check(body, ty.WHOLE, f"(i64.add {before} {amount})"))
            case "times":
                body.assign_variable(running, emit_size_check(body, ty.WHOLE, f"(i64.mul {before} {amount})"))
            case "becomes":
                body.assign_variable(running, amount)
            case "at least":
                body.assign_variable(running, value_access.emit_min_or_max(body, before, amount, least=False))
            case _:
                body.assign_variable(running, value_access.emit_min_or_max(body, before, amount, least=True))
    body.add_line(")")


def emit_external(body: FunctionBody, node: ex.ExternalValue) -> str:
    """An external term by its default."""
    module = body.module
    external = module.program.external_terms[node.external]
    if external.default is None or module.world[0].base.tables.get(node.external):
        raise BatchUnsupportedError(f"`{node.external}` comes from elsewhere")
    default, parameters = external.default, tuple(f"$v{parameter.index}" for parameter in external.parameters)

    def emit_default_body(key: str) -> None:
        inner = FunctionBody(module, node.external)
        inner.local_names.update(dict.fromkeys(parameters))
        with inner.give_back_if_unsupported(f"in `{node.external}`"):
            inner.add_line(f"(return {emit_slot_value(inner, default, external.type)})")
        inner.add_line("(unreachable)")
        inner.finish_function(key, parameters)

    given = [
        emit_slot_value(body, *item)
        for item in zip(node.arguments, [parameter.type for parameter in external.parameters], strict=True)
    ]
    return f"(call {module.request_function(f'external {node.external}', emit_default_body)} {' '.join(given)})"


def emit_builtin(body: FunctionBody, node: ex.Builtin) -> str:
    """The call of a function of the language."""
    arguments = node.arguments
    match node.name:
        case "min" | "max" if len(arguments) > 1:
            result = body.emit_value(arguments[0])
            for argument in arguments[1:]:
                result = value_access.emit_min_or_max(body, result, body.emit_value(argument), least=node.name == "min")
            return result
        case "min" | "max" | "sum" | "count" | "total":
            return collection_code.emit_collection_function(body, node)
        case "abs":
            name = body.new_temporary(body.emit_value(arguments[0]))
            negative = f"(i64.lt_s {emit_local(name)} (i64.const 0))"
            return f"(select (i64.sub (i64.const 0) {emit_local(name)}) {emit_local(name)} {negative})"
        case "floor" | "ceiling" | "round" if isinstance(arguments[0], ex.Arithmetic) and arguments[0].operator == "/":
            return _emit_rounded_quotient(body, node.name, arguments[0])
        case "floor" | "ceiling" | "round" if isinstance(arguments[0].type, ty.NumberType):
            return body.emit_value(arguments[0])
        case "sorted" if isinstance(node.type, ty.ListType):
            refuse_nested_lists(node.type)
            return f"(call {body.module.request_library_function('sorted')} {body.emit_value(arguments[0])})"
        case "other":
            return _emit_other_member(body, node)
        case "directions":
            assert isinstance(node.type, ty.SetType)
            return emit_constant((1 << body.module.encoding.count_narrow_bits(node.type.item)) - 1)
        case "occupants":
            return cells.emit_occupants(body, node)
        case "along":
            assert isinstance(node.type, ty.WordType)
            last = emit_constant(len(body.module.program.values[node.type.values].words) - 1)
            moved = f"(i64.add {body.emit_value(arguments[0])} {body.emit_value(arguments[1])})"
            return value_access.emit_min_or_max(
                body, emit_constant(0), value_access.emit_min_or_max(body, moved, last, least=True), least=False
            )
        case _ if node.name in cells.GRID_FUNCTIONS:
            return cells.emit_grid_lookup(body, node)
        case _:
            raise BatchUnsupportedError(f"`{node.name}`")


def _emit_rounded_quotient(body: FunctionBody, how: str, node: ex.Arithmetic) -> str:
    """A quotient of whole numbers above nought, rounded."""
    above, below = (
        body.new_temporary(body.emit_value(node.left)),
        body.new_temporary(body.emit_value(node.right)),
    )
    fits = f"(i32.and (i64.ge_s {emit_local(above)} (i64.const 0)) (i64.gt_s {emit_local(below)} (i64.const 0)))"
    body.emit_guard(fits, "a quotient of numbers below nought")
    more = {
        "floor": emit_constant(0),
        "ceiling": f"(i64.sub {emit_local(below)} (i64.const 1))",
        "round": emit_local(below),
    }[how]
    if how == "round":
        twice = f"(i64.add (i64.mul {emit_local(above)} (i64.const 2)) {more})"
        return f"(i64.div_u {twice} (i64.mul {emit_local(below)} (i64.const 2)))"
    return f"(i64.div_u (i64.add {emit_local(above)} {more}) {emit_local(below)})"


def _emit_other_member(body: FunctionBody, node: ex.Builtin) -> str:
    member, pair = (body.new_temporary(body.emit_value(argument)) for argument in node.arguments)
    is_pair = f"(i64.eq (i64.popcnt {emit_local(pair)}) (i64.const 2))"
    among = f"(i32.and (i64.ge_s {emit_local(member)} (i64.const 0)) {collection_code.emit_bit_test(emit_local(pair), emit_local(member))})"
    body.emit_guard(f"(i32.and {is_pair} {among})", "`other` of what is not in a set of two")
    return f"(i64.ctz (i64.xor {emit_local(pair)} {collection_code.emit_bit(emit_local(member))}))"
