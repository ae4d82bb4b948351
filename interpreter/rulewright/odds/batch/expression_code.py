"""WebAssembly for expressions: each leaves one number, and a test leaves whether it holds."""

from rulewright.odds.batch import cells, collection_code, function_code, value_access
from rulewright.odds.batch.integer_encoding import NONE_CODE, BatchUnsupportedError
from rulewright.odds.batch.value_access import (
    emit_present_value,
    emit_size_check,
    emit_slot_value,
    refuse_mixed_encodings,
)
from rulewright.odds.batch.wasm_builder import FunctionBody, emit_constant, emit_flag, emit_local
from rulewright.program import expressions as ex, types as ty
from rulewright.program.expressions import Expression
from rulewright.program.types import strip_optional

_COMPARISON_OPCODES = {"=": "eq", "!=": "ne", "<": "lt_s", "<=": "le_s", ">": "gt_s", ">=": "ge_s"}


def emit_expression(body: FunctionBody, node: Expression) -> str:
    """Code for the number that an expression comes to.

    Raises:
        UnfitError: it holds something that the batch path cannot.
    """
    module = body.module
    match node:
        case ex.Literal(value=found):
            return emit_constant(module.encoding.encode_value(found, node.type))
        case ex.WordLiteral(position=position):
            return emit_constant(position)
        case ex.Local(variable=variable):
            return body.emit_variable(variable)
        case ex.Itself():
            body.local_names.setdefault("$v0")
            return emit_local("$v0")
        case ex.GameField(name=name):
            return f"(i64.load (i32.const {value_access.game_field_offset(module, name)}))"
        case ex.SettingValue(name=name):
            setting = module.program.settings[name]
            return emit_constant(
                module.encoding.encode_value(
                    module.world[value_access.world_places(module).settings[name]], setting.type
                )
            )
        case ex.InPlay(kind=kind):
            return f"(i64.load (i32.const {value_access.in_play_offset(module, kind)}))"
        case ex.Removed(kind=kind):
            everyone = emit_constant((1 << module.encoding.count_narrow_bits(ty.ThingType(kind))) - 1)
            return f"(i64.xor {everyone} (i64.load (i32.const {value_access.in_play_offset(module, kind)})))"
        case ex.BoardCells(board=board, type=ty.SetType(item)):
            return cells.emit_board_cells(module, board, item)
        case ex.StoredAttribute(target=target, kind=kind, name=name):
            return (
                f"(i64.load offset={value_access.column_offset(module, kind, name)} {_emit_column_index(body, target)})"
            )
        case ex.CellAttribute(target=target, board=board, name=name):
            return f"(i64.load offset={value_access.cell_column_offset(module, board, name)} {_emit_column_index(body, target)})"
        case ex.Part(target=target, position=position):
            return value_access.emit_unpacked_part(body, emit_expression(body, target), target.type, position)
        case ex.DieAttribute(target=ex.Local(variable=variable)) if variable.index in body.face_variables:
            return body.emit_variable(variable)
        case ex.DieAttribute(target=target, name="natural" | "face"):
            return f"(i64.load (i32.wrap_i64 {emit_expression(body, target)}))"
        case ex.DerivedAttribute(target=target, function=function):
            return function_code.emit_function_call(body, function, (target,))
        case ex.CallFunction(function=function, arguments=arguments):
            return function_code.emit_function_call(body, function, arguments)
        case ex.ExternalValue():
            return function_code.emit_external(body, node)
        case ex.Builtin():
            return function_code.emit_builtin(body, node)
        case ex.MakeRecord(parts=parts):
            return value_access.emit_packed_parts(
                body,
                [
                    emit_slot_value(body, *each)
                    for each in zip(parts, module.encoding.digit_types(node.type), strict=True)
                ],
                node.type,
            )
        case ex.MakeTuple(parts=parts):
            return value_access.emit_packed_parts(body, [emit_expression(body, part) for part in parts], node.type)
        case ex.MakeCollection():
            return collection_code.emit_collection(body, node)
        case ex.Comprehension():
            return collection_code.emit_comprehension(body, node)
        case ex.TheOnly():
            return collection_code.emit_only_member(body, node)
        case ex.Aggregate():
            return collection_code.emit_aggregate(body, node)
        case ex.Entry(target=target, key=key) if isinstance(target.type, ty.MapType):
            return value_access.emit_map_entry(
                body, emit_expression(body, target), emit_expression(body, key), target.type, present_=True
            )
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            ways = f"(then {body.emit_value_aside(then)}) (else {body.emit_value_aside(otherwise)})"
            return f"(if (result i64) {emit_condition(body, condition)} {ways})"
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
    """Code for whether a condition holds."""
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
            flags = f"(i64.load (i32.const {value_access.in_play_offset(body.module, kind.kind)}))"
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
    """How far behind the first word of a column that of a thing lies, or of cells that of a cell."""
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
