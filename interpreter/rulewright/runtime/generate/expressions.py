"""Python for expressions."""

from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, types as ty
from rulewright.program.board_geometry import ANGLE, POINT, POSE, find_posed_kind
from rulewright.program.conditions import is_none_literal
from rulewright.program.declarations import Conditions, Value
from rulewright.program.expressions import ConditionRow, Expression
from rulewright.program.wording import is_simple_path
from rulewright.runtime.dice import Die
from rulewright.runtime.generate.writer import BOARD_CODE, ROLLS_CODE, FunctionBuilder
from rulewright.runtime.values import has_plain_order
from rulewright.runtime.working_memory import find_plane_columns

_DIRECT_FUNCTIONS = {
    "abs": "abs",
    "floor": "floor",
    "ceiling": "ceil",
    "round": "round_half_away",
    "other": "other_of_pair",
    "position": "find_position",
    "sorted": "sort_descending",
    "starting_with": "rotate_to_start",
    "step": "next_cell",
    "hex": "make_cell",
    "square": "make_cell",
    "square8": "make_cell",
    "distance": "cell_distance",
    "adjacent": "are_adjacent",
    "direction": "find_direction",
}
_FUNCTIONS_TAKING_WORLD = frozenset({"neighbours", "rear_hexes", "pairs", "total", "highest_face"})


def emit_function_call(body: FunctionBuilder, name: str, arguments: tuple[str, ...]) -> str:
    """Call of a term, tally, decide, table, derived attribute or relation."""
    body.calls = True
    return f"f{body.function_number(name)}({', '.join(('W', *arguments))})"


def emit_external_term(body: FunctionBuilder, name: str, arguments: tuple[str, ...]) -> str:
    """Value of an external term: scripted, known, its default, or to be asked for."""
    body.calls = True
    default = body.module.emitters.default_function(body, name)
    given = "".join(f"{argument}, " for argument in arguments)
    return f"evaluate_external_term(W, {body.module.add_constant(name)}, ({given}), {default})"


def emit_builtin_call(body: FunctionBuilder, node: ex.Builtin, arguments: tuple[str, ...]) -> str:
    """Call of a built-in function of the language."""
    name, given = node.name, ", ".join(arguments)
    if _is_plane_function(node):
        return _emit_plane_call(body, node, arguments)
    space = _grid_of_call(node)
    grid = f", {space!r}" if space != "hex" and name in _GRID_FUNCTIONS else ""
    match name:
        case "min" | "max" if len(arguments) == 2 and not body.records_reads and all(map(_is_cheap, node.arguments)):  # noqa: PLR2004
            return emit_extreme(name, *arguments)
        case "min" | "max" if len(arguments) > 1:
            return f"{name}({given})"
        case "min" | "max":
            text = body.module.add_constant(body.module.wording.render_expression(node))
            return f"{name}_of({_emit_scanned(body, node, arguments[0])}, {text})"
        case "sum":
            return emit_sized(node.type, f"sum({_emit_scanned(body, node, arguments[0])})")
        case "count":
            return f"len({_emit_visited(body, node, arguments[0])})"
        case "along":
            return f"shift_word({given}, {_last_word_position(body, node)})"
        case "directions":
            return body.module.add_constant(tuple(range(len(ty.GRID_STEPS[space]))))
        case "occupants":
            return _emit_occupants(body, node, given)
        case "connected":
            return f"find_connected(W, {given}, {_emit_related_members(body, node)}, {_emit_link(body, node)})"
        case "sorted" | "starting_with" | "position":
            return f"{_DIRECT_FUNCTIONS[name]}({_SCANNED_ARGUMENTS[name].format(*arguments)})"
        case _ if name in _DIRECT_FUNCTIONS:
            return f"{_DIRECT_FUNCTIONS[name]}({given}{grid})"
        case _:
            assert name in _FUNCTIONS_TAKING_WORLD
            return f"{name}(W, {given}{grid})"


_SCANNED_ARGUMENTS = {
    "sorted": "charge_scan(W, {0})",
    "starting_with": "charge_scan(W, {0}), {1}",
    "position": "{0}, charge_scan(W, {1})",
}
_GRID_FUNCTIONS = frozenset({"step", "distance", "adjacent", "direction", "neighbours", "rear_hexes"})


def emit_extreme(word: str, first: str, second: str) -> str:
    """The least (`min`) or greatest (`max`) of two cheap operands; random values stay undecided."""
    holds, fails = ("<=", ">") if word == "min" else (">=", "<")
    other = f"{second} if ({first} {fails} {second}) is True else {word}({first}, {second})"
    return f"({first} if ({first} {holds} {second}) is True else {other})"


def _is_cheap(node: ex.Expression) -> bool:
    return isinstance(node, ex.Literal) or is_simple_path(node)


def _grid_of_call(node: ex.Builtin) -> str:
    spaces = [argument.type.space for argument in node.arguments if isinstance(argument.type, ty.CellType)]
    return spaces[0] if spaces else getattr(getattr(node.type, "item", None), "space", "hex")


def emit_sized(type_: ty.Type, code: str) -> str:
    """Python for a number, with its digits limited if its type is unbounded."""
    bounded = isinstance(type_, ty.NumberType) and type_.low is not None and type_.high is not None
    return code if bounded else f"check_number_size(W, {code})"


def _emit_scanned(body: FunctionBuilder, node: ex.Builtin, code: str) -> str:
    return f"charge_scan(W, {_emit_visited(body, node, code)})"


def _emit_visited(body: FunctionBuilder, node: ex.Builtin, code: str) -> str:
    return body.emit_kept_dice(code) if isinstance(node.arguments[0].type, ty.PoolType) else code


def _last_word_position(body: FunctionBuilder, node: ex.Builtin) -> int:
    listed = node.type.values if isinstance(node.type, ty.WordType) else ""
    return len(body.module.program.values[listed].words) - 1


def _emit_occupants(body: FunctionBuilder, node: ex.Builtin, given: str) -> str:
    item = node.type.item if isinstance(node.type, ty.SetType) else None
    kind = item.kind if isinstance(item, ty.ThingType) else ""
    places = body.module.places
    return f"find_occupants(W, W[{places.columns[f'{kind}/at']}], W[{places.in_play[kind]}], {given})"


def _emit_related_members(body: FunctionBuilder, node: ex.Builtin) -> str:
    member = ty.strip_optional(node.arguments[0].type)
    return f"W[{body.module.places.in_play[member.kind]}]" if isinstance(member, ty.ThingType) else BOARD_CODE


def _emit_link(body: FunctionBuilder, node: ex.Builtin) -> str:
    if node.relation in body.module.program.functions:
        return f"W, f{body.function_number(node.relation)}"
    return f"W[{body.module.places.relations[node.relation]}], None"


_MEASURING_FUNCTIONS = frozenset({"gap", "distance", "bearing", "segment"})
_JUDGING_FUNCTIONS = frozenset({"contact", "touches", "overlaps", "aboard", "crosses", "in_arc", "sees"})
_PLANE_FUNCTIONS = (_MEASURING_FUNCTIONS - {"distance"}) | _JUDGING_FUNCTIONS | {"point", "fits", "edge"}


def _is_plane_function(node: ex.Builtin) -> bool:
    return node.name in _PLANE_FUNCTIONS or (node.name == "distance" and isinstance(node.type, ty.LengthType))


def _emit_plane_call(body: FunctionBuilder, node: ex.Builtin, arguments: tuple[str, ...]) -> str:
    if node.name == "point":
        return f"point_of({', '.join(arguments)})"
    if node.name == "fits":
        return f"fits_of(W, {arguments[0]})"
    if node.name == "edge":
        base = emit_plane_body(body, arguments[0], node.arguments[0].type)
        return (
            f"edge_of({base}, {arguments[1]}, {body.module.add_constant(body.module.wording.render_expression(node))})"
        )
    bodies = ", ".join(
        emit_plane_body(body, code, argument.type)
        for code, argument in zip(arguments[:2], node.arguments, strict=False)
    )
    if node.name in _MEASURING_FUNCTIONS:
        return f"{node.name}_of({bodies}, {body.module.add_constant(body.module.wording.render_expression(node))})"
    return f"{node.name}_of(W, {', '.join((bodies, *arguments[2:]))})"


def emit_plane_body(body: FunctionBuilder, code: str, type_: ty.Type) -> str:
    """Python for the plane body of a thing, pose, point or polygon."""
    match type_:
        case ty.ThingType(kind):
            return f"body_of_thing(W, {_plane_columns_constant(body, kind)}, {code})"
        case _ if type_ == POSE:
            return f"body_of_pose(W, {_plane_columns_constant(body, find_posed_kind(body.module.program.kinds) or '')}, {code})"
        case _ if type_ == POINT:
            return f"body_of_point({code})"
        case _:
            return f"body_of_polygon({code})"


def emit_plane_attribute(body: FunctionBuilder, node: ex.PlaneAttribute, target: str) -> str:
    """`thing.pose`, `point.x`, `point.y`."""
    if node.name == "pose":
        return f"pose_of(W, {_plane_columns_constant(body, node.kind)}, {target})"
    return f"coordinate_in_inches({target}[{'xy'.index(node.name)}])"


def _plane_columns_constant(body: FunctionBuilder, kind: str) -> str:
    return body.module.add_constant(find_plane_columns(body.module.program, kind, body.module.places))


FEW_MEMBERS = 16
"""As in `runtime_operations.has_member`."""
_PYTHON_OPERATORS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
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


def emit_expression(body: FunctionBuilder, node: Expression) -> str:
    """Python that computes an expression once; its reads are noted in the body."""
    code = _emit_probed(body, node)
    is_recorded = _is_recorded_read(node) or (isinstance(node, ex.Itself) and body.site.sort == "reason")
    if not body.records_reads or not is_recorded:
        return code
    return body.emit_read(code, body.module.wording.render_expression(node), node.type)


def emit_unrecorded(body: FunctionBuilder, node: Expression) -> str:
    """As `emit_expression` without noting the read: for a target whose attribute is what is read."""
    body.mute_depth += 1
    code = _emit_probed(body, node)
    body.mute_depth -= 1
    return code


def _is_recorded_read(node: Expression) -> bool:
    match node:
        case ex.Local() | ex.GameField() | ex.SettingValue() | ex.StoredAttribute() | ex.DerivedAttribute():
            return True
        case ex.CellAttribute() | ex.SideAttribute() | ex.DieAttribute() | ex.Gone() | ex.CallFunction():
            return True
        case ex.RelationHolds() | ex.ExternalValue() | ex.Builtin() | ex.PlaneAttribute() | ex.Entry() | ex.Aggregate():
            return True
        case ex.Part():
            return is_simple_path(node)
        case _:
            return False


def _emit_target(body: FunctionBuilder, node: Expression) -> str:
    if isinstance(node, ex.Local):
        body.keep_owner(node.variable)
    if not is_simple_path(node):
        return emit_expression(body, node)
    code = emit_unrecorded(body, node)
    if not (isinstance(node, ex.StoredAttribute) and isinstance(ty.strip_optional(node.type), ty.ThingType)):
        return code
    within = {local.variable.index for local in walk_nodes(node) if isinstance(local, ex.Local)}
    return body.emit_held_thing(code, body.module.wording.render_expression(node), node.type, within)


def _emit_probed(body: FunctionBuilder, node: Expression) -> str:
    number = body.module.probed.get(id(node))
    code = _emit_computation(body, node)
    return code if number is None else f"report_value({number}, {code})"


def _emit_computation(body: FunctionBuilder, node: Expression) -> str:
    places = body.module.places
    match node:
        case ex.Literal(value=value):
            return _emit_literal(body, value)
        case ex.WordLiteral(position=position):
            return str(position)
        case ex.Local(variable=variable):
            return body.variable_place(variable)
        case ex.Itself():
            return body.names[0]
        case ex.GameField(name=name):
            return f"W[{places.game[name]}]"
        case ex.SettingValue(name=name):
            return f"W[{places.settings[name]}]"
        case ex.InPlay(kind=kind):
            return f"W[{places.in_play[kind]}]"
        case ex.Removed(kind=kind):
            return f"list_removed_things(W[{places.gone[kind]}])"
        case ex.BoardCells(board=board):
            return f"W[{places.boards[board]}]"
        case ex.StoredAttribute(target=target, kind=kind, name=name):
            return f"W[{places.columns[f'{kind}/{name}']}][{_emit_target(body, target)}]"
        case ex.Gone(target=target):
            return f"W[{places.gone[_kind_of_thing(target)]}][{_emit_target(body, target)}]"
        case ex.CellAttribute(target=target, board=board, name=name):
            start = body.module.add_constant(body.module.layout.starts[f"{board}/{name}"])
            return f"W[{places.cells[f'{board}/{name}']}].get({_emit_target(body, target)}, {start})"
        case ex.SideAttribute(first=first, second=second, board=board, name=name):
            start = body.module.add_constant(body.module.layout.starts[f"{board}/{name}"])
            key = f"make_side({emit_expression(body, first)}, {emit_expression(body, second)})"
            return f"W[{places.sides[f'{board}/{name}']}].get({key}, {start})"
        case ex.Part(target=target, position=position):
            return f"{_emit_target(body, target)}[{position}]"
        case ex.DieAttribute(target=target, name=name):
            which = _emit_target(body, target)
            if isinstance(target, ex.Local) and target.variable.index in body.die_data_variables:
                return f"{which}[{_DIE_ATTRIBUTE_POSITIONS[name]}]"
            short = which.isidentifier() or (not body.records_reads and isinstance(target, ex.Local))
            result = f"{ROLLS_CODE}[{which}[0]][{which}[1]]" if short else f"get_die(W, {which})"
            return f"{result}[{_DIE_ATTRIBUTE_POSITIONS[name]}]"
        case ex.DerivedAttribute(target=target, function=function) if _can_inline_attribute(
            body, function
        ) and is_simple_path(target):
            return _emit_inlined(body, function, (target,))
        case ex.DerivedAttribute(target=target, function=function):
            return emit_function_call(body, function, (_emit_target(body, target),))
        case ex.CallFunction() if _can_inline_term(body, node):
            return _emit_inlined(body, node.function, node.arguments)
        case ex.CallFunction(function=function, arguments=arguments):
            return emit_function_call(body, function, tuple(emit_expression(body, argument) for argument in arguments))
        case ex.ExternalValue(external=external, arguments=arguments):
            return emit_external_term(body, external, tuple(emit_expression(body, argument) for argument in arguments))
        case ex.PlaneAttribute(target=target):
            return emit_plane_attribute(body, node, _emit_target(body, target))
        case ex.Rounded(type=type_, operand=operand):
            rounded = "normalize_angle" if ANGLE in (type_, getattr(type_, "inner", None)) else "round_to_thousandths"
            return f"{rounded}({emit_expression(body, operand)})"
        case ex.Builtin():
            return emit_builtin_call(body, node, tuple(emit_expression(body, argument) for argument in node.arguments))
        case ex.RelationHolds(relation=relation, first=first, second=second):
            out = f"W[{places.gone[_kind_of_thing(first)]}], W[{places.gone[_kind_of_thing(second)]}]"
            pair = f"{emit_expression(body, first)}, {emit_expression(body, second)}"
            return f"is_related(W[{places.relations[relation]}], {out}, {pair})"
        case ex.MakeRecord(parts=parts) | ex.MakeTuple(parts=parts):
            return _emit_tuple(body, parts)
        case ex.MakeCollection(items=items):
            return _emit_collection(body, node, items)
        case ex.Comprehension() | ex.Quantifier() | ex.TheOnly() | ex.Aggregate():
            return body.module.emitters.lifted_call(body, node)
        case ex.Entry(target=target, key=key):
            container, at = _emit_target(body, target), emit_expression(body, key)
            if isinstance(target.type, ty.MapType) and _may_lack_answers(target.type):
                return f"require_value(get_map_entry({container}, {at}), {body.module.add_constant(body.module.wording.render_expression(node))})"
            if isinstance(target.type, ty.MapType):
                return (
                    f"{container}.entries.get({at}, {container}.default)"
                    if is_simple_path(target)
                    else f"get_map_entry({container}, {at})"
                )
            return f"get_list_item({container}, {at})"
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            test = emit_expression(body, condition)
            with body.under_condition():
                return f"({emit_expression(body, then)} if {test} else {emit_expression(body, otherwise)})"
        case ex.Logical(operator=operator, left=left, right=right):
            leading = emit_expression(body, left)
            with body.under_condition():
                return f"({leading} {operator} {emit_expression(body, right)})"
        case ex.Not(operand=operand):
            return f"(not {emit_expression(body, operand)})"
        case ex.Comparison(operator=operator, left=left, right=right):
            return _emit_comparison(body, operator, left, right)
        case ex.Membership():
            return _emit_membership(body, node)
        case ex.Interval(low=low, high=high):
            return f"make_interval(W, {emit_expression(body, low)}, {emit_expression(body, high)})"
        case ex.Arithmetic(operator="/", left=left, right=right):
            return f"divide_exactly(W, {emit_expression(body, left)}, {emit_expression(body, right)})"
        case ex.Arithmetic(operator=operator, left=left, right=right):
            return emit_sized(node.type, f"({emit_expression(body, left)} {operator} {emit_expression(body, right)})")
        case ex.Negation(operand=operand):
            return f"(-{emit_expression(body, operand)})"
        case ex.Joined():
            return _emit_joined(body, node)
        case ex.Narrowed():
            return _emit_narrowed(body, node)
        case _:
            raise AssertionError(f"no code for {type(node).__name__}")


def _can_inline_attribute(body: FunctionBuilder, function: str) -> bool:
    """Whether a derived attribute only follows names and attributes, so that its call can be inlined."""
    result = body.module.program.functions[function].body
    return not body.records_reads and isinstance(result, Value) and _is_attribute_chain(result.value)


def _is_attribute_chain(node: Expression) -> bool:
    match node:
        case ex.Itself():
            return True
        case ex.Local(variable=variable):
            return variable.index == 0
        case ex.StoredAttribute(target=target) | ex.Gone(target=target):
            return _is_attribute_chain(target)
        case _:
            return False


_MAX_INLINED_NODES = 30
"""Nodes up to which a term is inlined at its calls; chosen, to bound the code."""
_CALLING_EXPRESSIONS = (ex.CallFunction, ex.DerivedAttribute, ex.ExternalValue)


def _can_inline_term(body: FunctionBuilder, node: ex.CallFunction) -> bool:
    """Whether a term is short, calls nothing and follows plain names, so that its call can be inlined."""
    result = body.module.program.functions[node.function].body
    if body.records_reads or not isinstance(result, Value | Conditions) or not all(map(is_simple_path, node.arguments)):
        return False
    inside = [typed for typed in walk_nodes(result) if isinstance(typed, ex.Typed)]
    return len(inside) <= _MAX_INLINED_NODES and not any(isinstance(typed, _CALLING_EXPRESSIONS) for typed in inside)


def _emit_inlined(body: FunctionBuilder, function: str, arguments: tuple[Expression, ...]) -> str:
    result = body.module.program.functions[function]
    codes = [emit_unrecorded(body, argument) for argument in arguments]
    before = body.names
    body.names = dict(zip([parameter.index for parameter in result.parameters], codes, strict=True))
    try:
        match result.body:
            case Value(value=value):
                return _emit_probed(body, value)
            case Conditions(mode=mode, rows=rows):
                tests = [emit_row_test(body, row, undecided=mode == "all") for row in rows]
                return f"({(' and ' if mode == 'all' else ' or ').join(tests)})"
            case _:
                raise TypeError(type(result.body))
    finally:
        body.names = before


def emit_row_test(body: FunctionBuilder, row: ConditionRow, *, undecided: bool = True) -> str:
    """Python for whether a row holds, as one expression; `undecided` stands for a row that is not judged."""
    if row.guard is None:
        return emit_expression(body, row.condition)
    with body.under_condition():
        test = emit_expression(body, row.condition)
    given = emit_expression(body, row.guard)
    return f"(not {given} or {test})" if undecided else f"({given} and {test})"


def _emit_literal(body: FunctionBuilder, value: object) -> str:
    match value:
        case None | bool():
            return str(value)
        case int():
            return str(value) if value >= 0 else f"({value})"
        case _:
            return body.module.add_constant(value)


def _kind_of_thing(node: Expression) -> str:
    kind = ty.strip_optional(node.type)
    assert isinstance(kind, ty.ThingType)
    return kind.kind


def _may_lack_answers(type_: ty.MapType) -> bool:
    """Whether a map type may be the answers of all players, without an entry for players who were not asked."""
    return type_.key == ty.PLAYER and not isinstance(type_.value, ty.OptionalType)


def _emit_tuple(body: FunctionBuilder, parts: tuple[Expression, ...]) -> str:
    return "(" + "".join(f"{emit_expression(body, part)}, " for part in parts).rstrip() + ")"


def _emit_collection(body: FunctionBuilder, node: ex.MakeCollection, items: tuple[Expression, ...]) -> str:
    tuple_code = _emit_tuple(body, items)
    pair = len(items) == 2 and not body.records_reads and all(map(is_simple_path, items))  # noqa: PLR2004
    match node.type:
        case ty.MapType():
            return f"GameMap({tuple_code}[0], {{}})"
        case ty.SetType(item) if pair and has_plain_order(item):
            one, two = (emit_unrecorded(body, each) for each in items)
            return f"({tuple_code} if {one} < {two} else ({two}, {one}) if {two} < {one} else ({one},))"
        case ty.SetType(item) if len(items) > 1:
            return f"{'make_plain_set' if has_plain_order(item) else 'make_set'}({tuple_code})"
        case ty.BagType() if len(items) > 1:
            return f"sort_values({tuple_code})"
        case _:
            return tuple_code


def _emit_comparison(body: FunctionBuilder, operator: str, left: Expression, right: Expression) -> str:
    first, second = emit_expression(body, left), emit_expression(body, right)
    if operator in {"=", "!="} and isinstance(
        ty.strip_optional(left.type), ty.SetType | ty.ListType | ty.BagType | ty.DeckType | ty.MapType
    ):
        return f"({'' if operator == '=' else 'not '}are_collections_equal(W, {first}, {second}))"
    if is_none_literal(right):
        return f"({first} {'is' if operator == '=' else 'is not'} None)"
    return f"({first} {_PYTHON_OPERATORS[operator]} {second})"


def _emit_membership(body: FunctionBuilder, node: ex.Membership) -> str:
    item, collection = emit_expression(body, node.item), node.collection
    word = "not in" if node.negated else "in"
    match collection:
        case ex.InPlay(kind=kind) if not isinstance(node.item.type, ty.OptionalType):
            flag = f"W[{body.module.places.gone[kind]}][{item}]"
            return flag if node.negated else f"(not {flag})"
        case ex.BoardCells() if len(body.module.program.boards) == 1:
            return f"({item} {word} {BOARD_CODE})"
        case ex.Interval(low=low, high=high):
            test = f"({item} in range({emit_expression(body, low)}, {emit_expression(body, high)} + 1))"
            return f"(not {test})" if node.negated else test
        case _ if isinstance(collection.type, ty.PoolType):
            return f"({item} {word} {body.emit_kept_dice(emit_expression(body, collection))})"
        case ex.MakeCollection():
            return f"({item} {word} {emit_expression(body, collection)})"
        case _:
            collection_code = emit_expression(body, collection)
            test = f"has_member(W, {item}, {collection_code})"
            if isinstance(collection, ex.Local) and not body.records_reads:
                test = f"({item} in {collection_code} if len({collection_code}) <= {FEW_MEMBERS} else {test})"
            return f"({'not ' if node.negated else ''}{test})"


def _emit_joined(body: FunctionBuilder, node: ex.Joined) -> str:
    pair = f"{emit_expression(body, node.left)}, {emit_expression(body, node.right)}"
    joins = node.operator == "+"
    match node.type:
        case ty.SetType(item):
            join = "unite_plain_sets" if has_plain_order(item) else "unite_sets"
            return f"{join if joins else 'subtract_set'}(W, {pair})"
        case ty.ListType() | ty.DeckType():
            return f"{'concatenate_lists' if joins else 'subtract_list'}(W, {pair})"
        case ty.BagType():
            return f"sort_values({'concatenate_lists' if joins else 'subtract_list'}(W, {pair}))"
        case _:
            return f"{'merge_maps' if joins else 'subtract_map'}(W, {pair})"


def _emit_narrowed(body: FunctionBuilder, node: ex.Narrowed) -> str:
    operand = emit_expression(body, node.operand)
    text = body.module.add_constant(body.module.wording.render_expression(node.operand))
    match node.type:
        case ty.NumberType(low, high, paired=False):
            return f"check_bounds({operand}, {low}, {high}, {text})"
        case ty.ThingType() | ty.WordType() | ty.FractionType():
            return f"require_value({operand}, {text})"
        case _:
            return f"require_type({operand}, {body.module.add_constant(node.type)}, {text})"
