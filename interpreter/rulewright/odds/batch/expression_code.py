"""WebAssembly for expressions, functions of the rules, and cells of boards: an i64 value, or an i32 test."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

from rulewright.odds.batch import collection_code
from rulewright.odds.batch.collection_code import (
    emit_present_value,
    emit_size_check,
    emit_slot_value,
    refuse_mixed_encodings,
    refuse_nested_lists,
)
from rulewright.odds.batch.integer_encoding import NONE_CODE, BatchUnsupportedError
from rulewright.odds.batch.wasm_builder import (
    WORD_BYTES,
    FunctionBody,
    WasmModule,
    cell_column_offset,
    column_offset,
    emit_constant,
    emit_flag,
    emit_local,
    game_field_offset,
    in_play_offset,
    world_places,
)
from rulewright.program import declarations as d, expressions as ex, types as ty
from rulewright.program.expressions import Cell, ConditionRow, Expression, TallyRow
from rulewright.program.types import Type, strip_optional
from rulewright.runtime import board_geometry
from rulewright.runtime.faults import Fault
from rulewright.runtime.working_memory import (
    BOARD,
    CONTROL,
)

GRID_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "adjacent": board_geometry.are_adjacent,
    "distance": board_geometry.cell_distance,
    "direction": board_geometry.find_direction,
    "step": board_geometry.next_cell,
    "neighbours": board_geometry.neighbours,
    "rear_hexes": board_geometry.rear_hexes,
}
"""Built-in functions of cells."""
_OFFSET_FUNCTIONS = frozenset({"adjacent", "distance", "direction"})
"""Functions of two cells that depend only on their offset."""
_MAX_TABLE_ENTRIES = 1 << 14
"""Size limit of a lookup table for a function of cells."""


def emit_board_cells(module: WasmModule, name: str, item: Type) -> str:
    """Set of the cells of a board."""
    cells = module.world[world_places(module).boards[name]]
    return _emit_constant_set(module, ("cells", name), tuple(cells), item)


def _emit_constant_set(module: WasmModule, what: object, members: tuple[Any, ...], item: Type) -> str:
    shapes = module.encoding
    if shapes.count_set_words(item):
        return f"(i64.extend_i32_u {module.emit_table_address(what, lambda: shapes.encode_wide_set(members, item))})"
    return emit_constant(shapes.encode_members(members, item))


def emit_on_board_test(module: WasmModule, type_: ty.CellType, cell: str) -> str:
    """Test whether a cell, or None, is on the board."""
    among = collection_code.emit_set_test(
        module, type_, _emit_constant_set(module, "board", tuple(sorted(module.world[BOARD])), type_), cell
    )
    return f"(if (result i32) (i64.ge_s {cell} (i64.const 0)) (then {among}) (else (i32.const 0)))"


def emit_grid_lookup(body: FunctionBody, node: ex.Builtin) -> str:
    """Function of cells by a lookup table of all its results."""
    module, shapes = body.module, body.module.encoding
    types = [strip_optional(argument.type) for argument in node.arguments]
    cells = [cell_type for cell_type in types if isinstance(cell_type, ty.CellType)]
    function = partial(GRID_FUNCTIONS[node.name], space=cells[0].space)
    codes = [body.new_temporary(emit_present_value(body, argument)) for argument in node.arguments]
    if node.name in _OFFSET_FUNCTIONS:
        whats: list[tuple[Any, ...]] = _list_offsets(shapes.cells)
        at = _emit_offset_index(body, codes[0], codes[1])
    else:
        if node.name != "step":
            function = partial(function, {BOARD: module.world[BOARD]})
        whats = list(
            product(
                *([shapes.decode_value(item, type_) for item in range(shapes.count_values(type_))] for type_ in types)
            )
        )
        at = emit_local(codes[0])
        for code, type_ in zip(codes[1:], types[1:], strict=True):
            at = f"(i64.add (i64.mul {at} {emit_constant(shapes.count_values(type_))}) {emit_local(code)})"
    wide = shapes.count_set_words(node.type.item) if isinstance(node.type, ty.SetType) else 0
    if len(whats) * max(1, wide) > _MAX_TABLE_ENTRIES:
        raise BatchUnsupportedError(f"`{node.name}` on a board of {len(module.world[BOARD]):,} cells")

    def encode_result(given: tuple[Any, ...]) -> list[int]:
        try:
            text = function(*given)
            return shapes.encode_wide_set(text, node.type.item) if wide else [shapes.encode_value(text, node.type)]  # type: ignore[union-attr]
        except (Fault, BatchUnsupportedError):
            return [NONE_CODE]

    what = node.name, tuple(types)
    base = module.emit_table_address(what, lambda: [item for given in whats for item in encode_result(given)])
    if wide:
        return f"(i64.add (i64.extend_i32_u {base}) (i64.mul {at} {emit_constant(wide * WORD_BYTES)}))"
    text = body.new_temporary(f"(i64.load (i32.add {base} (i32.shl (i32.wrap_i64 {at}) (i32.const 3))))")
    if NONE_CODE in module.tables[what]:
        body.emit_guard(
            f"(i64.ne {emit_local(text)} {emit_constant(NONE_CODE)})",
            "a cell far off the board, or a direction to itself",
        )
    return emit_local(text)


def _board_extent(cells: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Largest differences of coordinates."""
    across, down = ([cell[way] for cell in cells] for way in (0, 1))
    return max(across, default=0) - min(across, default=0), max(down, default=0) - min(down, default=0)


def _list_offsets(cells: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """A pair of cells for each offset, in order."""
    across, down = _board_extent(cells)
    return [((0, 0), item) for item in product(range(-across, across + 1), range(-down, down + 1))]


def _emit_offset_index(body: FunctionBody, one: str, other: str) -> str:
    """Position of the offset of two cells in `_list_offsets`."""
    cells = body.module.encoding.cells
    across, down = _board_extent(cells)
    places = body.module.emit_table_address(
        "places of cells", lambda: [first * (2 * down + 1) + second for first, second in cells]
    )
    first, second = (
        f"(i64.load (i32.add {places} (i32.shl (i32.wrap_i64 {emit_local(item)}) (i32.const 3))))"
        for item in (one, other)
    )
    return f"(i64.add (i64.sub {second} {first}) {emit_constant(across * (2 * down + 1) + down)})"


def emit_occupants(body: FunctionBody, node: ex.Builtin) -> str:
    """Set of the things of a kind in a cell."""
    assert isinstance(node.type, ty.SetType)
    kind = strip_optional(node.type.item)
    assert isinstance(kind, ty.ThingType)
    cell, text = body.new_temporary(body.emit_value(node.arguments[0])), body.new_temporary(emit_constant(0))
    places = column_offset(body.module, kind.kind, "at")
    with collection_code.emit_bit_loop(
        body, f"(i64.load (i32.const {in_play_offset(body.module, kind.kind)}))"
    ) as member:
        at = f"(i64.load offset={places} (i32.shl (i32.wrap_i64 {emit_local(member)}) (i32.const 3)))"
        body.add_line(
            f"(if (i64.eq {at} {emit_local(cell)}) "
            f"(then (local.set {text} (i64.or {emit_local(text)} {collection_code.emit_bit(emit_local(member))}))))"
        )
    return emit_local(text)


def emit_function_call(body: FunctionBody, name: str, arguments: tuple[Expression, ...]) -> str:
    """Call of a term, tally, decide, table, derived attribute or relation."""
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
    """Returns from a term of conditions where a row decides it."""
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
                body.assign_variable(running, collection_code.emit_min_or_max(body, before, amount, least=False))
            case _:
                body.assign_variable(running, collection_code.emit_min_or_max(body, before, amount, least=True))
    body.add_line(")")


def emit_external(body: FunctionBody, node: ex.ExternalValue) -> str:
    """Default of an external term."""
    module = body.module
    external = module.program.external_terms[node.external]
    if external.default is None or module.world[CONTROL].base.tables.get(node.external):
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
    """Call of a built-in function."""
    arguments = node.arguments
    match node.name:
        case "min" | "max" if len(arguments) > 1:
            result = body.emit_value(arguments[0])
            for argument in arguments[1:]:
                result = collection_code.emit_min_or_max(
                    body, result, body.emit_value(argument), least=node.name == "min"
                )
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
            return emit_occupants(body, node)
        case "along":
            assert isinstance(node.type, ty.WordType)
            last = emit_constant(len(body.module.program.values[node.type.values].words) - 1)
            moved = f"(i64.add {body.emit_value(arguments[0])} {body.emit_value(arguments[1])})"
            return collection_code.emit_min_or_max(
                body, emit_constant(0), collection_code.emit_min_or_max(body, moved, last, least=True), least=False
            )
        case _ if node.name in GRID_FUNCTIONS:
            return emit_grid_lookup(body, node)
        case _:
            raise BatchUnsupportedError(f"`{node.name}`")


def _emit_rounded_quotient(body: FunctionBody, how: str, node: ex.Arithmetic) -> str:
    """Rounded quotient of whole numbers above 0."""
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


_COMPARISON_OPCODES = {"=": "eq", "!=": "ne", "<": "lt_s", "<=": "le_s", ">": "gt_s", ">=": "ge_s"}


def emit_expression(body: FunctionBody, node: Expression) -> str:
    """Value of an expression.

    Raises:
        BatchUnsupportedError: it holds something that the batch path cannot.
    """
    module = body.module
    match node:
        case ex.Literal(value=literal):
            return emit_constant(module.encoding.encode_value(literal, node.type))
        case ex.WordLiteral(position=position):
            return emit_constant(position)
        case ex.Local(variable=variable):
            return body.emit_variable(variable)
        case ex.Itself():
            body.local_names.setdefault("$v0")
            return emit_local("$v0")
        case ex.GameField(name=name):
            return f"(i64.load (i32.const {game_field_offset(module, name)}))"
        case ex.SettingValue(name=name):
            setting = module.program.settings[name]
            return emit_constant(
                module.encoding.encode_value(module.world[world_places(module).settings[name]], setting.type)
            )
        case ex.InPlay(kind=kind):
            return f"(i64.load (i32.const {in_play_offset(module, kind)}))"
        case ex.Removed(kind=kind):
            everyone = emit_constant((1 << module.encoding.count_narrow_bits(ty.ThingType(kind))) - 1)
            return f"(i64.xor {everyone} (i64.load (i32.const {in_play_offset(module, kind)})))"
        case ex.BoardCells(board=board, type=ty.SetType(item)):
            return emit_board_cells(module, board, item)
        case ex.StoredAttribute(target=target, kind=kind, name=name):
            return f"(i64.load offset={column_offset(module, kind, name)} {_emit_column_index(body, target)})"
        case ex.CellAttribute(target=target, board=board, name=name):
            return f"(i64.load offset={cell_column_offset(module, board, name)} {_emit_column_index(body, target)})"
        case ex.Part(target=target, position=position):
            return collection_code.emit_unpacked_part(body, emit_expression(body, target), target.type, position)
        case ex.DieAttribute(target=ex.Local(variable=variable)) if variable.index in body.face_variables:
            return body.emit_variable(variable)
        case ex.DieAttribute(target=target, name="natural" | "face"):
            return f"(i64.load (i32.wrap_i64 {emit_expression(body, target)}))"
        case ex.DerivedAttribute(target=target, function=function):
            return emit_function_call(body, function, (target,))
        case ex.CallFunction(function=function, arguments=arguments):
            return emit_function_call(body, function, arguments)
        case ex.ExternalValue():
            return emit_external(body, node)
        case ex.Builtin():
            return emit_builtin(body, node)
        case ex.MakeRecord(parts=parts):
            return collection_code.emit_packed_parts(
                body,
                [
                    emit_slot_value(body, *each)
                    for each in zip(parts, module.encoding.digit_types(node.type), strict=True)
                ],
                node.type,
            )
        case ex.MakeTuple(parts=parts):
            return collection_code.emit_packed_parts(body, [emit_expression(body, part) for part in parts], node.type)
        case ex.MakeCollection():
            return collection_code.emit_collection(body, node)
        case ex.Comprehension():
            return collection_code.emit_comprehension(body, node)
        case ex.TheOnly():
            return collection_code.emit_only_member(body, node)
        case ex.Aggregate():
            return collection_code.emit_aggregate(body, node)
        case ex.Entry(target=target, key=key) if isinstance(target.type, ty.MapType):
            return collection_code.emit_map_entry(
                body, emit_expression(body, target), emit_expression(body, key), target.type, present_=True
            )
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            branches = f"(then {body.emit_value_aside(then)}) (else {body.emit_value_aside(otherwise)})"
            return f"(if (result i64) {emit_condition(body, condition)} {branches})"
        case ex.Entry(target=target, key=key):
            return collection_code.emit_list_item(
                body, emit_expression(body, target), emit_expression(body, key), target.type
            )
        case ex.Arithmetic(operator="+" | "-" | "*", left=left, right=right):
            word = {"+": "add", "-": "sub", "*": "mul"}[node.operator]
            return emit_size_check(
                body, node.type, f"(i64.{word} {emit_expression(body, left)} {emit_expression(body, right)})"
            )
        case ex.Negation(operand=operand):
            return f"(i64.sub (i64.const 0) {emit_expression(body, operand)})"
        case ex.Joined(operator=operator, left=left, right=right) if isinstance(node.type, ty.SetType):
            one, two = emit_expression(body, left), emit_expression(body, right)
            return collection_code.emit_set_operation(body, node.type.item, one, two, less=operator != "+")
        case ex.Narrowed():
            return _emit_narrowing(body, node)
        case ex.Logical() | ex.Not() | ex.Comparison() | ex.Gone() | ex.Membership() | ex.Quantifier():
            return emit_flag(emit_condition(body, node))
        case ex.RelationHolds(relation=relation):
            raise BatchUnsupportedError(f"whether the relation `{relation}` holds")
        case _:
            raise BatchUnsupportedError(f"an expression of the type {node.type}")


def emit_condition(body: FunctionBody, node: Expression) -> str:
    """Test of a condition."""
    match node:
        case ex.Literal(value=bool() as flag_):
            return f"(i32.const {int(flag_)})"
        case ex.Logical(operator="and", left=left, right=right):
            return f"(if (result i32) {emit_condition(body, left)} (then {body.emit_test_aside(right)}) (else (i32.const 0)))"
        case ex.Logical(left=left, right=right):
            return f"(if (result i32) {emit_condition(body, left)} (then (i32.const 1)) (else {body.emit_test_aside(right)}))"
        case ex.Not(operand=operand):
            return f"(i32.eqz {emit_condition(body, operand)})"
        case ex.Comparison(operator=operator, left=left, right=right):
            refuse_mixed_encodings(left.type, right.type)
            shapes, type_ = body.module.encoding, strip_optional(left.type)
            if isinstance(type_, ty.SetType) and operator in {"=", "!="} and type_ == left.type == right.type:
                alike_ = collection_code.emit_set_equality(
                    body, type_.item, emit_expression(body, left), emit_expression(body, right)
                )
                return alike_ if operator == "=" else f"(i32.eqz {alike_})"
            if shapes.is_reference(left.type) or shapes.is_reference(right.type):
                raise BatchUnsupportedError(f"whether values of the type {left.type} are equal")
            return f"(i64.{_COMPARISON_OPCODES[operator]} {emit_expression(body, left)} {emit_expression(body, right)})"
        case ex.Gone(target=target):
            kind = strip_optional(target.type)
            assert isinstance(kind, ty.ThingType)
            flags = f"(i64.load (i32.const {in_play_offset(body.module, kind.kind)}))"
            return f"(i32.eqz {collection_code.emit_bit_test(flags, emit_present_value(body, target))})"
        case ex.Membership(negated=negated):
            member = collection_code.emit_membership_test(body, node)
            return f"(i32.eqz {member})" if negated else member
        case ex.Quantifier():
            return collection_code.emit_quantifier(body, node)
        case _ if isinstance(node.type, ty.FlagType):
            return f"(i32.wrap_i64 {emit_expression(body, node)})"
        case _:
            raise BatchUnsupportedError(f"an expression of the type {node.type}")


def _emit_column_index(body: FunctionBody, target: Expression) -> str:
    """Byte offset in a column of things or cells."""
    return f"(i32.shl (i32.wrap_i64 {emit_present_value(body, target)}) (i32.const 3))"


def _emit_narrowing(body: FunctionBody, node: ex.Narrowed) -> str:
    refuse_mixed_encodings(node.operand.type, node.type)
    name = body.new_temporary(emit_expression(body, node.operand))
    why = "a value does not fit its place"
    match node.type:
        case ty.NumberType(low, high, paired=False):
            if low is not None:
                body.emit_guard(f"(i64.ge_s {emit_local(name)} {emit_constant(low)})", why)
            if high is not None:
                body.emit_guard(f"(i64.le_s {emit_local(name)} {emit_constant(high)})", why)
        case ty.ThingType() | ty.WordType():
            body.emit_guard(f"(i64.ne {emit_local(name)} {emit_constant(NONE_CODE)})", why)
        case _:
            raise BatchUnsupportedError(f"a value that may not be {node.type}")
    return emit_local(name)
