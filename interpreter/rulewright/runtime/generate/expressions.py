"""Python for the expressions of core."""

from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.board_geometry import POINT, POSE, find_posed_kind
from rulewright.program.core import forms as core
from rulewright.program.core.lower_expressions import ExpressionLowering, lower_expression
from rulewright.program.core.walking import walk_forms
from rulewright.program.declarations import Function
from rulewright.program.expressions import ConditionRow
from rulewright.runtime.dice import Die
from rulewright.runtime.generate.writer import BOARD_CODE, CONTROL_CODE, ROLLS_CODE, UNSETTLED_CODE, FunctionBuilder
from rulewright.runtime.values import has_plain_order
from rulewright.runtime.working_memory import find_plane_columns

AnyExpression = ex.Expression | core.Expression
"""An expression of core, or one of the program, which is lowered first."""


def emit_expression(body: FunctionBuilder, node: AnyExpression) -> str:
    """Python that computes an expression once; its reads are noted in the body."""
    value = lower_any(body, node)
    code = _emit_probed(body, value)
    if not body.records_reads or not _is_recorded_read(body, value):
        return code
    return body.emit_read(code, body.module.wording.render_expression(value.origin), value.origin.type)


def emit_unrecorded(body: FunctionBuilder, node: AnyExpression) -> str:
    """As `emit_expression` without noting the read: for a target whose attribute is what is read."""
    body.mute_depth += 1
    code = _emit_probed(body, lower_any(body, node))
    body.mute_depth -= 1
    return code


def lower_any(body: FunctionBuilder, node: AnyExpression) -> core.Expression:
    """An expression of core, lowered if it is one of the program."""
    return lower_expression(body.module.program, node) if isinstance(node, ex.Typed) else node


def emit_row_test(body: FunctionBuilder, row: ConditionRow, *, undecided: bool = True) -> str:
    """Python for whether a row holds, as one expression; `undecided` stands for a row that is not judged."""
    return emit_expression(body, ExpressionLowering(body.module.program, ()).lower_row(row, unjudged=undecided))


_UNRECORDED_FORMS = core.Const | core.Op | core.Cond | core.Bind | core.Over | core.Closure | core.RollOf
_RECORDED_GATHERS = frozenset({"count", "sum", "least", "greatest"})


def _is_recorded_read(body: FunctionBuilder, node: core.Expression) -> bool:
    """Whether a trace shows what an expression gave: of names, places, functions and what is counted."""
    match node.origin:
        case ex.Itself():
            return body.site.sort == "reason"
        case ex.Part():
            return is_plain_path(node)
        case ex.Builtin() | ex.Entry() | ex.DieAttribute() | ex.PlaneAttribute():
            return True
        case ex.Typed():
            pass
        case _:
            return False
    match node:
        case core.Load(root=root):
            return not isinstance(root, core.InPlay | core.RemovedThings | core.Cells)
        case core.Over(gather=gather):
            return gather in _RECORDED_GATHERS
        case _:
            return not isinstance(node, _UNRECORDED_FORMS)


def is_plain_path(node: core.Expression) -> bool:
    """Whether an expression only follows names and attributes."""
    match node:
        case core.Get() | core.Load(root=core.GameField() | core.Setting()):
            return True
        case core.Load(root=core.Attribute(thing=inner)):
            return is_plain_path(inner)
        case core.Op(name="part" | "narrow", arguments=(inner,)):
            return is_plain_path(inner)
        case _:
            return False


def _emit_target(body: FunctionBuilder, node: core.Expression) -> str:
    if isinstance(node, core.Get) and not isinstance(node.origin, ex.Itself):
        body.keep_owner(node.local)
    if not is_plain_path(node):
        return emit_expression(body, node)
    is_attribute = isinstance(node, core.Load) and isinstance(node.root, core.Attribute)
    code = _emit_probed(body, node) if is_attribute else emit_unrecorded(body, node)
    if not (is_attribute and isinstance(ty.strip_optional(node.type), ty.ThingType)) or node.origin is None:  # type: ignore[arg-type]
        return code
    within = {form.local.index for form in walk_forms(node) if isinstance(form, core.Get)}
    text = body.module.wording.render_expression(node.origin) if body.records_reads else ""
    return body.emit_held_thing(code, text, node.origin.type, within)


def _emit_probed(body: FunctionBuilder, node: core.Expression) -> str:
    number = body.module.probed.get(id(node.origin)) if body.module.probed else None
    code = _emit_form(body, node)
    return code if number is None else f"report_value({number}, {code})"


def _emit_form(body: FunctionBuilder, node: core.Expression) -> str:
    match node:
        case core.Const(value=value):
            return _emit_constant(body, value)
        case core.Get(local=local):
            return body.variable_place(local)
        case core.Load(root=root):
            return _emit_load(body, root)
        case core.Op():
            return _emit_operation(body, node)
        case core.Cond():
            return _emit_conditional(body, node)
        case core.Over():
            return body.module.emit_gathering(body, node)
        case core.Apply(routine=key, arguments=arguments):
            if _can_inline(body, node):
                return _emit_inlined(body, body.module.core.routines[key], arguments)
            codes = _emit_argument_of_attribute(body, node) or [emit_expression(body, each) for each in arguments]
            return emit_call(body, key, codes)
        case core.Wanted(external=name, arguments=arguments, default=default):
            body.calls = True
            function = "None" if default is None else f"f{body.function_number(default)}"
            given = "".join(f"{emit_expression(body, argument)}, " for argument in arguments)
            return f"evaluate_external_term(W, {body.module.add_constant(name)}, ({given}), {function})"
        case core.Bind(local=local, value=value, body=inner):
            code = emit_expression(body, value)
            body.names[local.index] = f"v{local.index}"
            body.mute_depth += 1  # what is read inside the lambda stays inside
            result = f"(lambda v{local.index}: {emit_expression(body, inner)})({code})"
            body.mute_depth -= 1
            return result
        case core.Closure() | core.RollOf():
            raise TypeError(f"{type(node).__name__} stands for no value by itself")


def _emit_argument_of_attribute(body: FunctionBuilder, node: core.Apply) -> list[str]:
    if isinstance(node.origin, ex.DerivedAttribute):
        return [_emit_target(body, node.arguments[0])]
    return []


def emit_call(body: FunctionBuilder, key: str, arguments: list[str]) -> str:
    """Call of a pure routine."""
    body.calls = True
    return f"f{body.function_number(key)}({', '.join(('W', *arguments))})"


def _emit_constant(body: FunctionBuilder, value: object) -> str:
    match value:
        case None | bool():
            return str(value)
        case int():
            return str(value) if value >= 0 else f"({value})"
        case _:
            return body.module.add_constant(value)


def _emit_load(body: FunctionBuilder, root: core.StoreRoot) -> str:
    places = body.module.places
    match root:
        case core.GameField(name=name):
            return f"W[{places.game[name]}]"
        case core.Setting(name=name):
            return f"W[{places.settings[name]}]"
        case core.InPlay(kind=kind):
            return f"W[{places.in_play[kind]}]"
        case core.RemovedThings(kind=kind):
            return f"list_removed_things(W[{places.gone[kind]}])"
        case core.Cells(board=board):
            return f"W[{places.boards[board]}]"
        case core.Attribute(kind=kind, name=name, thing=thing):
            return f"W[{places.columns[f'{kind}/{name}']}][{_emit_target(body, thing)}]"
        case core.Gone(kind=kind, thing=thing):
            return f"W[{places.gone[kind]}][{_emit_target(body, thing)}]"
        case core.CellAttribute(board=board, name=name, cell=cell):
            start = body.module.add_constant(body.module.layout.starts[f"{board}/{name}"])
            return f"W[{places.cells[f'{board}/{name}']}].get({_emit_target(body, cell)}, {start})"
        case core.SideAttribute(board=board, name=name, first=first, second=second):
            start = body.module.add_constant(body.module.layout.starts[f"{board}/{name}"])
            key = f"make_side({emit_expression(body, first)}, {emit_expression(body, second)})"
            return f"W[{places.sides[f'{board}/{name}']}].get({key}, {start})"
        case core.Pair(relation=relation, kinds=kinds, first=first, second=second):
            gone = ", ".join(f"W[{places.gone[kind]}]" for kind in kinds)
            pair = f"{emit_expression(body, first)}, {emit_expression(body, second)}"
            return f"is_related(W[{places.relations[relation]}], {gone}, {pair})"
        case core.Due(key=key):
            return f"({UNSETTLED_CODE} & {body.module.due_bits[key]})"
        case core.Held(rule=rule):
            held = f"{CONTROL_CODE}.held"
            number = [*body.module.program.rules].index(rule) if rule else None
            return held if number is None else f"({held} and is_rule_held(W, {number}))"


def _emit_conditional(body: FunctionBuilder, node: core.Cond) -> str:
    operands, word = _list_operands(node)
    if word:
        leading = emit_expression(body, operands[0])
        with body.under_condition():
            rest = [emit_expression(body, operand) for operand in operands[1:]]
        return f"({f' {word} '.join([leading, *rest])})"
    if isinstance(node.other, core.Const) and node.other.value is True:
        with body.under_condition():
            then = emit_expression(body, node.then)
        return f"(not {emit_expression(body, node.test)} or {then})"
    test = emit_expression(body, node.test)
    with body.under_condition():
        return f"({emit_expression(body, node.then)} if {test} else {emit_expression(body, node.other)})"


def _list_operands(node: core.Cond) -> tuple[list[core.Expression], str]:
    """Operands of nested `and` or `or`, and the word; no word for another conditional."""
    match node:
        case core.Cond(other=core.Const(value=False), test=left, then=right):
            word = "and"
        case core.Cond(then=core.Const(value=True), test=left, other=right):
            word = "or"
        case _:
            return [], ""
    inner, inner_word = _list_operands(right) if isinstance(right, core.Cond) else ([], "")
    return [left, *(inner if inner_word == word else [right])], word


# Inlined functions.

_MAX_INLINED_FORMS = 40
"""Forms up to which a function is inlined at its calls; chosen, to bound the code."""


def _can_inline(body: FunctionBuilder, node: core.Apply) -> bool:
    """Whether a function is short, calls nothing and follows plain names, so that its call can be inlined."""
    if body.records_reads or not all(map(is_plain_path, node.arguments)):
        return False
    value = fold_block(body.module.core.routines[node.routine].entry)
    if value is None or isinstance(value.origin, Function):
        return False
    if isinstance(node.origin, ex.DerivedAttribute):
        return _is_attribute_chain(value)
    inside = [form for form in walk_forms(value) if isinstance(form, core.Value)]
    return len(inside) <= _MAX_INLINED_FORMS and not any(isinstance(form, core.Apply | core.Wanted) for form in inside)


def _is_attribute_chain(node: core.Expression) -> bool:
    match node:
        case core.Get(local=local):
            return local.index == 0
        case core.Load(root=core.Attribute(thing=thing) | core.Gone(thing=thing)):
            return _is_attribute_chain(thing)
        case _:
            return False


def fold_block(block: core.Block) -> core.Expression | None:
    """The value that a block of conditions and returns gives, as one expression; none for other blocks."""
    match block:
        case (core.Return(value=value), *_):
            return value
        case (core.If(test=test, then=then, other=other, origin=ConditionRow()), *rest):
            first, second = fold_block((*then, *rest)), fold_block((*other, *rest))
            if first is None or second is None:
                return None
            if _is_flag(first, value=True) and _is_flag(second, value=False):
                return test
            return core.Cond(test, first, second, type=ty.FLAG, origin=None)
        case _:
            return None


def _is_flag(node: core.Expression, *, value: bool) -> bool:
    return isinstance(node, core.Const) and node.value is value


def _emit_inlined(body: FunctionBuilder, routine: core.Routine, arguments: tuple[core.Expression, ...]) -> str:
    value = fold_block(routine.entry)
    assert value is not None
    codes = [emit_unrecorded(body, argument) for argument in arguments]
    before = body.names
    body.names = dict(zip([parameter.index for parameter in routine.parameters], codes, strict=True))
    try:
        return _emit_probed(body, value)
    finally:
        body.names = before


# Operations.

_INFIX = {
    "equal": "==", "less": "<", "at most": "<=", "more": ">", "at least": ">=", "add": "+", "subtract": "-",
    "multiply": "*",
}  # fmt: skip
_ARITHMETIC = frozenset({"add", "subtract", "multiply"})
_DIRECT_CALLS = {
    "absolute": "abs",
    "floor": "floor",
    "ceiling": "ceil",
    "round": "round_half_away",
    "shift word": "shift_word",
    "other": "other_of_pair",
    "cell": "make_cell",
    "step": "next_cell",
    "distance": "cell_distance",
    "adjacent": "are_adjacent",
    "direction": "find_direction",
    "item": "get_list_item",
    "with item": "replace_list_item",
    "without": "remove_member",
    "to angle": "normalize_angle",
    "to thousandths": "round_to_thousandths",
    "point": "point_of",
    "numbered faces": "numbered_faces",
    "turn order": "order_by_turn",
    "rank": "make_ranking",
    "tied": "list_tied_members",
    "one owner": "find_only_owner",
    "row": "find_row",
    "past row": "pass_row",
    "ranking": "list_ranking",
}
_CALLS_WITH_WORLD = {
    "neighbours": "neighbours",
    "rear cells": "rear_hexes",
    "pairs": "pairs",
    "total": "total",
    "highest face": "highest_face",
    "interval": "make_interval",
    "divide": "divide_exactly",
    "union": "unite_sets",
    "difference": "subtract_set",
    "joined": "concatenate_lists",
    "list difference": "subtract_list",
    "fits": "fits_of",
}
_GRID_OPERATIONS = frozenset({"step", "distance", "adjacent", "direction", "neighbours", "rear cells"})
_SCANNING_CALLS = {
    "sorted": "sort_descending(charge_scan(W, {0}))",
    "starting with": "rotate_to_start(charge_scan(W, {0}), {1})",
    "position": "find_position({0}, charge_scan(W, {1}))",
}
_EXTREME_OPERATIONS = {"least": "min", "greatest": "max"}
_PLANE_CALLS = {
    "gap": "gap_of",
    "plane distance": "distance_of",
    "bearing": "bearing_of",
    "segment": "segment_of",
    "contact": "contact_of",
    "touches": "touches_of",
    "overlaps": "overlaps_of",
    "aboard": "aboard_of",
    "crosses": "crosses_of",
    "in arc": "in_arc_of",
    "sees": "sees_of",
}
_MEASURING_OPERATIONS = frozenset({"gap", "plane distance", "bearing", "segment"})
_DIE_ATTRIBUTE_POSITIONS = {
    attribute: Die._fields.index(field)
    for attribute, field in {
        "first": "first",
        "face": "face",
        "natural": "face",
        "rerolls": "rerolls",
        "part": "part",
        "name": "model",
    }.items()
}
FEW_MEMBERS = 16
"""As in `runtime_operations.has_member`."""


def _emit_operation(body: FunctionBuilder, node: core.Op) -> str:
    """Python for an operation; those on attributes and collections have their own functions."""
    match node.name, node.arguments:
        case "not", (inner,):
            return _emit_negation(body, inner)
        case "equal", (left, right):
            return _emit_equality(body, left, right, negated=False)
        case "in", (item, collection):
            return _emit_membership(body, item, collection, negated=False)
        case "part", (target,):
            return f"{_emit_target(body, target)}[{node.facts[0]}]"
        case "die", (target,):
            return _emit_die_attribute(body, target, str(node.facts[0]))
        case "entry" | "answer entry", (target, key):
            return _emit_entry(body, node, target, key)
        case "pose", (target,):
            return f"pose_of(W, {_plane_columns_constant(body, str(node.facts[0]))}, {_emit_target(body, target)})"
        case "coordinate", (target,):
            return f"coordinate_in_inches({_emit_target(body, target)}[{node.facts[0]}])"
        case "item", (target, position):
            container = _emit_target(body, target)
            return f"get_list_item({container}, {emit_expression(body, position)})"
        case "gone among", (things,):
            gone = f"W[{body.module.places.gone[str(node.facts[0])]}]"
            return f"tuple([x for x in {emit_unrecorded(body, things)} if {gone}[x]])"
        case "kept dice", (pool,):
            return body.emit_kept_dice(emit_expression(body, pool))
        case "keys", (target,):
            return f"{emit_expression(body, target)}.keys()"
        case (("least" | "greatest"), (_, _)) if not body.records_reads and all(map(_is_cheap, node.arguments)):
            codes = (emit_expression(body, argument) for argument in node.arguments)
            return emit_extreme(_EXTREME_OPERATIONS[node.name], *codes)
        case "narrow", (inner,):
            return _emit_narrowed(body, node, inner)
        case (("set" | "list" | "bag" | "map" | "tuple"), items):
            return _emit_collection(body, node, items)
        case "count of", (members,):
            return f"len({emit_expression(body, strip_keys(members))})"
        case "connected", (start, related) if isinstance(related, core.Closure):
            return _emit_connected(body, node, start, related)
        case "destinations", (start, enter, end) if isinstance(enter, core.Closure) and isinstance(end, core.Closure):
            return emit_destinations(body, node, "find_destinations(W")
        case _:
            return emit_applied(body, node, tuple(emit_expression(body, each) for each in node.arguments))


def emit_applied(body: FunctionBuilder, node: core.Op, codes: tuple[str, ...]) -> str:
    """Python for an operation on values that are already written, of operations that only look at values."""
    name, given = node.name, ", ".join(codes)
    if name in _PLANE_CALLS or name == "edge":
        return _emit_plane_call(body, node, codes)
    space = f", {node.facts[0]!r}" if name in _GRID_OPERATIONS and node.facts[0] != "hex" else ""
    match name:
        case _ if name in _ARITHMETIC:
            code = f"({codes[0]} {_INFIX[name]} {codes[1]})"
            return code if _is_bounded_amount(node.origin) else emit_sized(node.type, code)
        case _ if name in _INFIX:
            return f"({codes[0]} {_INFIX[name]} {codes[1]})"
        case "negate":
            return f"(-{codes[0]})"
        case "shift word":
            return f"shift_word({given}, {node.facts[0]})"
        case "least" | "greatest":
            return f"{_EXTREME_OPERATIONS[name]}({given})"
        case "occupants":
            kind, places = node.facts[0], body.module.places
            columns = f"W[{places.columns[f'{kind}/at']}], W[{places.in_play[str(kind)]}]"
            return f"find_occupants(W, {columns}, {given})"
        case "bag union" | "bag difference":
            joined = "concatenate_lists" if name == "bag union" else "subtract_list"
            return f"sort_values({joined}(W, {given}))"
        case "union" if _has_plain_members(node.type):
            return f"unite_plain_sets(W, {given})"
        case "with member":
            return f"{'add_plain_member' if _has_plain_members(node.type) else 'add_set_member'}(W, {given})"
        case "appended":
            return f"concatenate_lists(W, {codes[0]}, ({codes[1]},))"
        case "bag with":
            return f"sort_values(concatenate_lists(W, {codes[0]}, ({codes[1]},)))"
        case "taken":
            text = body.module.wording.render_place(node.origin.place)
            return f"take_required_member({given}, {body.module.add_constant(text)})"
        case "on plane":
            return f"is_on_plane(W, {codes[0]})"
        case "on board":
            return f"({codes[0]} in {BOARD_CODE} or {codes[0]} is None)"
        case "split":
            position, is_highest = node.facts
            return f"split_ties({given}, {position}, {is_highest})"
        case "with row":
            return f"order_row({given}, {node.facts[0]})"
        case "ranked":
            return f"{given}.order"
        case _ if name in _SCANNING_CALLS:
            return _SCANNING_CALLS[name].format(*codes)
        case _ if name in _DIRECT_CALLS:
            return f"{_DIRECT_CALLS[name]}({given}{space})"
        case _ if name in _CALLS_WITH_WORLD:
            return f"{_CALLS_WITH_WORLD[name]}(W, {given}{space})"
        case _:
            raise TypeError(f"no Python for `{name}`")


def _is_bounded_amount(origin: core.Origin) -> bool:
    """Whether a sum belongs to a line that keeps it within bounds, so that its digits need no limit."""
    return isinstance(origin, st.AddAmount) and origin.low is not None and origin.high is not None


def _emit_negation(body: FunctionBuilder, inner: core.Expression) -> str:
    """Python for `not`; of a comparison written `!=` or a membership written `not in` as one test."""
    if inner.origin is None:
        match inner:
            case core.Op(name="equal", arguments=(left, right)):
                return _emit_equality(body, left, right, negated=True)
            case core.Op(name="in", arguments=(item, collection)):
                return _emit_membership(body, item, collection, negated=True)
    return f"(not {emit_expression(body, inner)})"


_COLLECTION_TYPES = ty.SetType | ty.ListType | ty.BagType | ty.DeckType | ty.MapType


def _emit_equality(body: FunctionBuilder, left: core.Expression, right: core.Expression, *, negated: bool) -> str:
    first, second = emit_expression(body, left), emit_expression(body, right)
    type_ = left.type.inner if isinstance(left.type, ty.OptionalType) else left.type
    if isinstance(type_, _COLLECTION_TYPES):
        return f"({'not ' if negated else ''}are_collections_equal(W, {first}, {second}))"
    if isinstance(right, core.Const) and right.value is None:
        return f"({first} {'is not' if negated else 'is'} None)"
    return f"({first} {'!=' if negated else '=='} {second})"


def _emit_membership(
    body: FunctionBuilder, item_node: core.Expression, collection: core.Expression, *, negated: bool
) -> str:
    item, word = emit_expression(body, item_node), "not in" if negated else "in"
    match collection:
        case core.Load(root=core.InPlay(kind=kind)) if not isinstance(item_node.type, ty.OptionalType):
            flag = f"W[{body.module.places.gone[kind]}][{item}]"
            return flag if negated else f"(not {flag})"
        case core.Load(root=core.Cells()) if len(body.module.program.boards) == 1:
            return f"({item} {word} {BOARD_CODE})"
        case core.Op(name="interval", arguments=(low, high)):
            test = f"({item} in range({emit_expression(body, low)}, {emit_expression(body, high)} + 1))"
            return f"(not {test})" if negated else test
        case core.Op(name="kept dice" | "set" | "list" | "bag"):
            return f"({item} {word} {emit_expression(body, collection)})"
        case _:
            members = strip_keys(collection)
            code = emit_expression(body, members)
            if isinstance(members, core.Get) and not members.local.name:
                return f"({item} {word} {code})"
            test = f"has_member(W, {item}, {code})"
            if isinstance(members, core.Get) and not body.records_reads:
                test = f"({item} in {code} if len({code}) <= {FEW_MEMBERS} else {test})"
            return f"({'not ' if negated else ''}{test})"


def strip_keys(members: core.Expression) -> core.Expression:
    """The map of whose keys members are, which Python visits, counts and searches as its keys."""
    return members.arguments[0] if isinstance(members, core.Op) and members.name == "keys" else members


def _emit_die_attribute(body: FunctionBuilder, target: core.Expression, name: str) -> str:
    which = _emit_target(body, target)
    is_name = isinstance(target, core.Get)
    if is_name and target.local.index in body.die_data_variables:  # type: ignore[union-attr]
        return f"{which}[{_DIE_ATTRIBUTE_POSITIONS[name]}]"
    short = which.isidentifier() or (not body.records_reads and is_name)
    result = f"{ROLLS_CODE}[{which}[0]][{which}[1]]" if short else f"get_die(W, {which})"
    return f"{result}[{_DIE_ATTRIBUTE_POSITIONS[name]}]"


def _emit_entry(body: FunctionBuilder, node: core.Op, target: core.Expression, key: core.Expression) -> str:
    container, at = _emit_target(body, target), emit_expression(body, key)
    if node.name == "answer entry":
        text = body.module.add_constant(body.module.wording.render_expression(node.origin))
        return f"require_value(get_map_entry({container}, {at}), {text})"
    if is_plain_path(target):
        return f"{container}.entries.get({at}, {container}.default)"
    return f"get_map_entry({container}, {at})"


def _is_cheap(node: core.Expression) -> bool:
    return (isinstance(node, core.Const) and isinstance(node.value, int)) or is_plain_path(node)


def emit_extreme(word: str, first: str, second: str) -> str:
    """The least (`min`) or greatest (`max`) of two cheap operands; random values stay undecided."""
    holds = "<=" if word == "min" else ">="
    open_ = " or ".join(f"{code}.__class__ is RandomValue" for code in (first, second) if not code.strip("-").isdigit())
    other = f"{word}({first}, {second}) if {open_} else {second}" if open_ else second
    return f"({first} if ({first} {holds} {second}) is True else {other})"


def emit_sized(type_: core.CoreType, code: str) -> str:
    """Python for a number, with its digits limited if its type is unbounded."""
    bounded = isinstance(type_, ty.NumberType) and type_.low is not None and type_.high is not None
    return code if bounded else f"check_number_size(W, {code})"


def _has_plain_members(type_: core.CoreType) -> bool:
    return isinstance(type_, ty.SetType) and has_plain_order(type_.item)


def _emit_collection(body: FunctionBuilder, node: core.Op, items: tuple[core.Expression, ...]) -> str:
    pair = len(items) == 2 and not body.records_reads and all(map(is_plain_path, items))  # noqa: PLR2004
    if node.name == "set" and pair and _has_plain_members(node.type):
        one, two = (emit_unrecorded(body, each) for each in items)
        return f"(({one}, {two}) if {one} < {two} else ({two}, {one}) if {two} < {one} else ({one},))"
    code = "(" + "".join(f"{emit_expression(body, item)}, " for item in items).rstrip() + ")"
    match node.name:
        case "map":
            return f"GameMap({code}[0], {{}})"
        case "set" if len(items) > 1:
            return f"{'make_plain_set' if _has_plain_members(node.type) else 'make_set'}({code})"
        case "bag" if len(items) > 1:
            return f"sort_values({code})"
        case _:
            return code


def _emit_narrowed(body: FunctionBuilder, node: core.Op, inner: core.Expression) -> str:
    operand = emit_expression(body, inner)
    text = body.module.add_constant(body.module.wording.render_expression(node.origin.operand))
    match node.facts[0]:
        case ty.NumberType(low, high, paired=False):
            return f"check_bounds({operand}, {low}, {high}, {text})"
        case ty.ThingType() | ty.WordType() | ty.FractionType():
            return f"require_value({operand}, {text})"
        case type_:
            return f"require_type({operand}, {body.module.add_constant(type_)}, {text})"


def _emit_connected(body: FunctionBuilder, node: core.Op, start: core.Expression, related: core.Closure) -> str:
    kind, places = node.facts[0], body.module.places
    members = BOARD_CODE if kind is None else f"W[{places.in_play[str(kind)]}]"
    code, (sort, _, name) = emit_expression(body, start), related.routine.partition(":")
    stored = sort == "related"
    link = f"W[{places.relations[name]}], None" if stored else f"W, f{body.function_number(related.routine)}"
    return f"find_connected(W, {code}, {members}, {link})"


def emit_destinations(body: FunctionBuilder, node: core.Op, search: str) -> str:
    """Python for the destinations of `paths`, as one call of a search that judges moves by two functions."""
    start, enter, end = node.arguments
    assert isinstance(enter, core.Closure)
    assert isinstance(end, core.Closure)
    board, space, spent_counts, moves_count = node.facts
    places = body.module.places
    single = len(body.module.program.boards) == 1
    cells = BOARD_CODE if single else f"set(W[{places.boards[str(board)]}])"
    judges = [_emit_judge_of_moves(body, closure) for closure in (enter, end)]
    options = f"spent_counts={spent_counts}, moves_count={moves_count}, space={space!r}"
    return f"{search}, {emit_expression(body, start)}, {cells}, {', '.join(judges)}, {options})"


def _emit_judge_of_moves(body: FunctionBuilder, closure: core.Closure) -> str:
    given = "".join(f"{emit_unrecorded(body, argument)}, " for argument in closure.captured)
    return f"lambda *m: f{body.function_number(closure.routine)}(W, {given}*m)"


# The plane.


def _emit_plane_call(body: FunctionBuilder, node: core.Op, codes: tuple[str, ...]) -> str:
    sorts = node.facts[0]
    assert isinstance(sorts, tuple)
    text = body.module.wording.render_expression
    if node.name == "edge":
        base = emit_plane_body(body, codes[0], sorts[0])
        return f"edge_of({base}, {codes[1]}, {body.module.add_constant(text(node.origin))})"
    bodies = ", ".join(emit_plane_body(body, code, type_) for code, type_ in zip(codes[:2], sorts, strict=True))
    call = _PLANE_CALLS[node.name]
    if node.name in _MEASURING_OPERATIONS:
        is_line = isinstance(node.origin, st.Turn)
        told = f"face {text(node.origin.heading)}" if is_line else text(node.origin)
        return f"{call}({bodies}, {body.module.add_constant(told)})"
    return f"{call}(W, {', '.join((bodies, *codes[2:]))})"


def emit_plane_body(body: FunctionBuilder, code: str, type_: ty.Type) -> str:
    """Python for the plane body of a thing, pose, point or polygon."""
    match type_:
        case ty.ThingType(kind):
            return f"body_of_thing(W, {_plane_columns_constant(body, kind)}, {code})"
        case _ if type_ == POSE:
            posed = find_posed_kind(body.module.program.kinds) or ""
            return f"body_of_pose(W, {_plane_columns_constant(body, posed)}, {code})"
        case _ if type_ == POINT:
            return f"body_of_point({code})"
        case _:
            return f"body_of_polygon({code})"


def _plane_columns_constant(body: FunctionBuilder, kind: str) -> str:
    return body.module.add_constant(find_plane_columns(body.module.program, kind, body.module.places))
