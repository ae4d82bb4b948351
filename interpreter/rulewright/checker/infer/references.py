"""References: names, attributes and places, such as `morale`, `target.morale`, `base.units`."""

from rulewright.base.diagnostics import Basis, Remedy, format_name_list
from rulewright.base.diagnostics.remedies import make_name_remedy, make_replacement_remedy, make_wrapping_edits
from rulewright.base.source import Span
from rulewright.checker import preconditions
from rulewright.checker.facts.prover import compute_number_range
from rulewright.checker.infer.call_arguments import infer_cell_arguments, is_parameterless_function
from rulewright.checker.infer.name_lookup import (
    DIE_ATTRIBUTE_TYPES,
    PLANE_VALUE_ATTRIBUTES,
    format_as_code,
    get_expected_word_list,
    get_self_type,
    has_attribute,
    has_pose,
    iterate_attribute_names,
    iterate_list_words,
    list_boards,
    make_self_reference,
    map_attribute_sources,
    report_unknown_name,
    resolve_prefix_module,
    strip_qualifier,
)
from rulewright.checker.infer.type_fitting import suggest_number
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import ATTRIBUTE_SPACE, WORD_SPACE, Symbol, note_symbol
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.board_geometry import ANGLE, POINT, POSE, find_posed_kind, get_stored_types, list_based_kinds
from rulewright.program.conditions import make_size_expression
from rulewright.program.declarations import Field
from rulewright.program.effects import get_state_place
from rulewright.program.expressions import Expression
from rulewright.program.statements import Place
from rulewright.program.types import Type
from rulewright.program.walk import find_value_place, get_root_place
from rulewright.program.wording import describe_expression, render_brief_expression
from rulewright.syntax.nodes import declarations, expressions as nodes
from rulewright.syntax.nodes.expressions import Expression as Node, Name


def infer_reference(node: nodes.Reference, scope: Scope, expected: Type | None) -> Expression | None:
    """Value of a bare name: of a routine, an attribute of `self`, a global name, or a word of the expected list."""
    local = scope.locals.get(node.name)
    if local is not None:
        scope.note_local(node.span, local)
        return ex.Local(type=local.type, span=node.span, variable=local)
    if scope.owner and node.name == "self":
        return make_self_reference(node.span, scope)
    if scope.owner and has_attribute(get_self_type(scope), node.name, scope):
        return read_attribute(make_self_reference(node.span, scope), Name(node.name, node.span), scope)
    symbol = scope.module.names.get(node.name)
    if symbol is not None:
        note_symbol(node.span, symbol, scope.report)
        return infer_global_name(symbol, node.span, scope)
    if is_parameterless_function(node.name, scope.module):
        return scope.infer(nodes.Call(node, (), node.span), expected)
    return _infer_bare_word(node, scope, expected)


def infer_global_name(symbol: Symbol, span: Span, scope: Scope) -> Expression | None:
    """Value of a plural, board, game field or setting."""
    match symbol.sort:
        case "plural":
            return ex.InPlay(type=ty.SetType(ty.ThingType(symbol.name)), span=span, kind=symbol.name)
        case "board":
            assert isinstance(symbol.node, declarations.Board)
            space = symbol.node.space.text
            if space == "plane":
                message = f"`{strip_qualifier(symbol.name)}` is a board of the plane and has no cells"
                scope.report.error("RW0305", span, message, help="`fits(spot)` says whether a base lies on it")
                return None
            return ex.BoardCells(type=ty.SetType(ty.CellType(space)), span=span, board=symbol.name)
        case "game" | "setting":
            expression_class = ex.GameField if symbol.sort == "game" else ex.SettingValue
            return None if symbol.type is None else expression_class(type=symbol.type, span=span, name=symbol.name)
        case _:
            text = strip_qualifier(symbol.name)
            remedy = f"roll it: `roll 1 of {text} as NAME`, and read `NAME`" if symbol.sort == "die" else ""
            scope.report.error("RW0305", span, f"`{text}` is a {symbol.sort}, not a value", help=remedy)
            return None


def find_expected_word(node: nodes.Expression, scope: Scope, expected: Type | None) -> ex.WordLiteral | None:
    """Word of the expected list under a bare name, whatever else has that name; else None."""
    wanted = get_expected_word_list(expected)
    if not isinstance(node, nodes.Reference) or not wanted:
        return None
    position = dict(iterate_list_words(wanted, scope)).get(node.name)
    return None if position is None else _make_word(Name(node.name, node.span), wanted, position, node.span, scope)


def _make_word(name: Name, values: str, position: int, span: Span, scope: Scope) -> ex.WordLiteral:
    scope.report.note_use(name.span, WORD_SPACE, values, name.text)
    return ex.WordLiteral(type=ty.WordType(values), span=span, position=position)


def _infer_bare_word(node: nodes.Reference, scope: Scope, expected: Type | None) -> Expression | None:
    lists = scope.module.words.get(node.name, [])
    result, wanted = find_expected_word(node, scope, expected), get_expected_word_list(expected)
    if result is not None:
        return result
    if wanted and lists:
        names = [word for word, _ in iterate_list_words(wanted, scope)]
        remedy = make_name_remedy(node.name, names, node.span, f"its words are {format_name_list(names)}")
        scope.report.error(
            "RW0304",
            node.span,
            f"`{node.name}` is not a word of `{wanted}`",
            remedy=remedy,
            missing=f"{wanted}: {node.name}",
        )
    elif wanted:
        report_unknown_name(node, scope, [word for word, _ in iterate_list_words(wanted, scope)])
    elif lists:
        spelt = f"{strip_qualifier(lists[0].name)}.{node.name}"
        message = f"the list of the word `{node.name}` is not clear here"
        edits = make_replacement_remedy(spelt, node.span, safe=len(lists) == 1).edits
        better = f"write `{spelt}`; in a set or list, the first word is enough"
        scope.report.error("RW0303", node.span, message, help=better, edits=edits, basis=Basis.NAMES)
    else:
        report_unknown_name(node, scope, expected=expected)
    return None


def infer_attribute(node: nodes.Attribute, scope: Scope) -> Expression | None:
    """`target.name`, `Symbol.saber`, `base.units` or `side(a, b).wall`."""
    module = resolve_prefix_module(node.target, scope)
    if module is not None:
        symbol = module.names.get(node.name.text)
        if symbol is not None:
            note_symbol(node.name.span, symbol, scope.report)
            return infer_global_name(symbol, node.span, scope)
        if is_parameterless_function(node.name.text, module):
            return scope.infer(nodes.Call(node, (), node.span))
        message = f"`{node.name.text}` is not known in `{getattr(node.target, 'name', '')}`"
        remedy = make_name_remedy(node.name.text, list(module.names), node.name.span)
        scope.report.error("RW0301", node.name.span, message, remedy=remedy, missing=node.name.text)
        return None
    values = find_value_list(node.target, scope)
    if values:
        return _infer_listed_word(values, node, scope)
    match node.target:
        case nodes.Call(function=nodes.Reference(name="side")) as called:
            cells = infer_cell_arguments(called, 2, scope)
            return None if cells is None else _read_side_attribute(cells[0], cells[1], called.span, node.name, scope)
    if isinstance(node.target, nodes.Reference) and node.target.name == "crossed" and scope.crossed_cells:
        left_cell, entered = (
            ex.Local(type=cell.type, span=node.target.span, variable=cell) for cell in scope.crossed_cells
        )
        return _read_side_attribute(left_cell, entered, node.target.span, node.name, scope)
    target = scope.infer(node.target)
    return target and read_attribute(target, node.name, scope)


def find_value_list(node: nodes.Expression, scope: Scope) -> str:
    """Qualified `values` list of a name, or None."""
    span = node.span
    match node:
        case nodes.Reference(name=name) if name not in scope.locals:
            symbol = scope.module.types.get(name)
        case nodes.Attribute(target=target, name=Name(text=name, span=span)):
            module = resolve_prefix_module(target, scope)
            symbol = module.types.get(name) if module else None
        case _:
            return ""
    if symbol is None or symbol.sort != "values":
        return ""
    note_symbol(span, symbol, scope.report)
    return symbol.name


def _infer_listed_word(values: str, node: nodes.Attribute, scope: Scope) -> Expression | None:
    words = dict(iterate_list_words(values, scope))
    position = words.get(node.name.text)
    if position is not None:
        return _make_word(node.name, values, position, node.span, scope)
    message = f"`{node.name.text}` is not a word of `{values}`"
    scope.report.error(
        "RW0304",
        node.name.span,
        message,
        remedy=make_name_remedy(node.name.text, words, node.name.span),
        missing=f"{values}: {node.name.text}",
    )
    return None


def read_attribute(target: Expression, name: Name, scope: Scope) -> Expression | None:
    """Attribute of a value."""
    if isinstance(target.type, ty.OptionalType):
        text = render_brief_expression(target)
        remedy = f"ask `{text} != none` first, before `and`, in an `if` or a `when`"
        label = f"its `{name.text}` is read"
        scope.report.proved_error(
            "RW0403", target.span, f"`{text}` may be `none` here", help=remedy, label=label, subject=text
        )
        return None
    result = _read_attribute_of_type(target, name, scope)
    if result is not None:
        _note_attribute(result, name, scope)
        return result
    if not has_attribute(target.type, name.text, scope):
        _report_missing_attribute(target, name, scope)
    return None


def _note_attribute(attribute: Expression, name: Name, scope: Scope) -> None:
    match attribute:
        case ex.StoredAttribute(kind=owner) | ex.CellAttribute(board=owner):
            scope.report.note_use(name.span, ATTRIBUTE_SPACE, owner, name.text)
        case ex.DerivedAttribute(function=function):
            scope.report.note_use(name.span, ATTRIBUTE_SPACE, function.rpartition("/")[0], name.text)
        case ex.Part(target=ex.Typed(type=ty.RecordType(owner))):
            scope.report.note_use(name.span, ATTRIBUTE_SPACE, owner, name.text)


def _read_attribute_of_type(target: Expression, name: Name, scope: Scope) -> Expression | None:
    span = target.span.extend_to(name.span)
    match target.type:
        case ty.ThingType(kind) if name.text == "gone" and "gone" not in map_attribute_sources(target.type, scope):
            return ex.Gone(type=ty.FLAG, span=span, target=target)
        case ty.ThingType(kind) if name.text == "pose" and "pose" not in map_attribute_sources(target.type, scope):
            return infer_pose(target, span, scope)
        case ty.ThingType(kind):
            return _read_declared_attribute(target, kind, name, scope)
        case ty.PlaneType():
            return read_plane_part(target, name.text, span, scope)
        case ty.RecordType(record):
            return _read_declared_attribute(target, record, name, scope)
        case ty.CellType(space):
            for board in list_boards(space, scope):
                field = scope.environment.cell_attributes.get(board, {}).get(name.text)
                if field is not None:
                    return ex.CellAttribute(type=field.type, span=span, target=target, board=board, name=field.name)
            return None
        case ty.DieType(face) if name.text in DIE_ATTRIBUTE_TYPES:
            return ex.DieAttribute(
                type=DIE_ATTRIBUTE_TYPES[name.text] or face, span=span, target=target, name=name.text
            )
        case ty.DieType(part=part) if name.text == "part" and part is not None:
            return ex.DieAttribute(type=part, span=span, target=target, name="part")
        case _:
            return None


def _read_declared_attribute(target: Expression, owner: str, name: Name, scope: Scope) -> Expression | None:
    span = target.span.extend_to(name.span)
    match map_attribute_sources(target.type, scope).get(name.text):
        case str() as function:
            body = scope.environment.demand_function(function)
            if body is not None and len(body.parameters) > 1:
                scope.report.error(
                    "RW0315",
                    name.span,
                    f"`{name.text}` takes arguments: `{name.text}(…)`",
                    subject=name.text,
                )
                return None
            if body is None:
                return None
            preconditions.check_call_preconditions(function, (target,), span, scope)
            return ex.DerivedAttribute(type=body.type, span=span, target=target, function=function)
        case Field() as field if isinstance(target.type, ty.RecordType):
            position = [part.name for part in scope.environment.records[owner].parts].index(field.name)
            return ex.Part(type=field.type, span=span, target=target, name=field.name, position=position)
        case Field() as field:
            return ex.StoredAttribute(type=field.type, span=span, target=target, kind=owner, name=field.name)
        case _:
            return None


def _read_side_attribute(
    first: Expression, second: Expression, span: Span, name: Name, scope: Scope
) -> Expression | None:
    assert isinstance(first.type, ty.CellType)
    for board in list_boards(first.type.space, scope):
        field = scope.environment.side_attributes.get(board, {}).get(name.text)
        if field is not None:
            scope.report.note_use(name.span, ATTRIBUTE_SPACE, board, name.text)
            return ex.SideAttribute(
                type=field.type,
                span=span.extend_to(name.span),
                first=first,
                second=second,
                board=board,
                name=field.name,
            )
    holders = [
        (board, item[name.text]) for board, item in scope.environment.cell_attributes.items() if name.text in item
    ]
    remedy = Remedy()
    if holders:
        hint = f"cells of `{holders[0][0]}` have it: write `side {name.text}: …` there"
        remedy = Remedy(hint, make_wrapping_edits("side ", holders[0][1].span, ""))
    scope.report.error(
        "RW0306", name.span, f"sides have no attribute `{name.text}`", remedy=remedy, missing=f"side.{name.text}"
    )
    return None


def _report_missing_attribute(target: Expression, name: Name, scope: Scope) -> None:
    type_ = target.type
    if f"{type_}/{name.text}" in scope.environment.failed_declarations:
        return
    known_names = list(iterate_attribute_names(type_, scope))
    if known_names:
        has = f"it has {', '.join(f'`{name}`' for name in known_names)}"
        was_tag = isinstance(type_, ty.DieType) and name.text == "tag" and "part" in known_names
        remedy = (
            make_replacement_remedy("part", name.span)
            if was_tag
            else make_name_remedy(name.text, known_names, name.span, has)
        )
        fields = scope.environment.kinds[type_.kind].fields if isinstance(type_, ty.ThingType) else ()
        if any(field.name == "at" and has_attribute(field.type, name.text, scope) for field in fields):
            remedy = make_replacement_remedy(f"at.{name.text}", name.span)
        scope.report.error(
            "RW0306",
            name.span,
            f"`{type_}` has no attribute `{name.text}`",
            remedy=remedy,
            missing=f"{type_}.{name.text}",
        )
    else:
        item = ty.get_member_type(type_)
        message, shown = f"{describe_expression(target)} and has no attributes, so no `{name.text}`", ""
        if item is not None and has_attribute(item, name.text, scope):
            message = f"{describe_expression(target)}; say which `{name.text}` is meant"
            shown = f"`[each x in {format_as_code(target, scope)}: x.{name.text}]` are those of all"
            shown += f", `total({render_brief_expression(target)})` their sum" if suggest_number(target).help else ""
            if _is_single_die(target, scope):
                shown += "; a roll without a number, such as `roll d6 as NAME`, names one die"
        elif item is not None and name.text in {"count", "length", "number", "size"}:
            shown = f"write `count({format_as_code(target, scope)})`"
        scope.report.error(
            "RW0307", name.span, message, help=shown, missing=f"{render_brief_expression(target)}.{name.text}"
        )


def _is_single_die(target: Expression, scope: Scope) -> bool:
    size = make_size_expression(ex.Binding((None,), target, None), target.span)
    return isinstance(target.type, ty.PoolType) and compute_number_range(scope.facts, size) == (1, 1)


LENGTH_TYPE = ty.LengthType()


def infer_pose(target: Expression, span: Span, scope: Scope) -> Expression | None:
    """`thing.pose`, which is none where its `at` is; reports a kind that has none (RW0341, RW0306)."""
    assert isinstance(target.type, ty.ThingType)
    kind = target.type.kind
    if not has_pose(target.type, scope) or check_posed_kind(span, scope) is None:
        return None
    at = get_stored_types(scope.environment.kinds[kind])["at"]
    type_ = ty.OptionalType(POSE) if isinstance(at, ty.OptionalType) else POSE
    return ex.PlaneAttribute(type=type_, span=span, target=target, name="pose", kind=kind)


def check_posed_kind(span: Span, scope: Scope) -> str | None:
    """The one kind that has poses; reports that there are several or none (RW0341)."""
    kinds = scope.environment.kinds
    result = find_posed_kind(kinds)
    if result is None and list_based_kinds(kinds):
        first, second, *_ = list_based_kinds(kinds)
        message = f"a pose is of one kind, and both `{first}` and `{second}` have a base"
        scope.report.error("RW0341", span, message, help="make them one kind, with an attribute that tells them apart")
    elif result is None:
        message = "a pose is of a kind with a base, and no kind has one"
        scope.report.error(
            "RW0341", span, message, help="give a kind `at: point` and `base: shape`", missing="a kind with a base"
        )
    return result


def read_plane_part(target: Expression, name: str, span: Span, scope: Scope) -> Expression | None:
    """`pose.thing`, `pose.at`, `pose.facing`, `point.x`, `point.y`; None for other names."""
    assert isinstance(target.type, ty.PlaneType)
    if name not in PLANE_VALUE_ATTRIBUTES.get(target.type.name, ()):
        return None
    if target.type == POINT:
        return ex.PlaneAttribute(type=LENGTH_TYPE, span=span, target=target, name=name)
    kind = check_posed_kind(span, scope)
    if kind is None:
        return None
    types: dict[str, Type] = {"thing": ty.ThingType(kind), "at": POINT, "facing": ANGLE}
    position = PLANE_VALUE_ATTRIBUTES["pose"].index(name)
    return ex.Part(type=types[name], span=span, target=target, name=name, position=position)


def infer_place(node: Node, scope: Scope) -> Place | None:
    """Place that `set`, `add`, `take`, `draw` or `shuffle` changes; reports values that cannot be changed.

    Whether a name may be changed (parameters and loop names may not) is up to the caller.
    """
    value = scope.infer(node)
    if value is None:
        return None
    place = find_value_place(value, lambda field: _find_declared_type(field, scope))
    if place is None:
        scope.report.error("RW0330", value.span, _explain_unchangeable(value))
    return place


def _find_declared_type(field: Expression, scope: Scope) -> Type:
    match field:
        case ex.GameField(name=name):
            symbols = (module.names.get(name.removeprefix(module.prefix)) for module in scope.linked.modules)
            types = (symbol.type for symbol in symbols if symbol and (symbol.name, symbol.sort) == (name, "game"))
            return next(types, None) or field.type
        case ex.StoredAttribute(kind=kind, name=name):
            return next(each.type for each in scope.environment.kinds[kind].fields if each.name == name)
        case ex.CellAttribute(board=board, name=name):
            return scope.environment.cell_attributes[board][name].type
        case _:
            return field.type


def _explain_unchangeable(value: Expression) -> str:
    match value:
        case ex.DerivedAttribute():
            return f"`{render_brief_expression(value)}` is derived and cannot be changed"
        case ex.SettingValue():
            return f"`{render_brief_expression(value)}` is a setting, fixed for the play"
        case ex.Gone():
            return f"`{render_brief_expression(value)}` cannot be set; `remove` takes a thing out of play"
        case _:
            return "this is a value and not a place that can be changed"


def get_written_keys(changed: Place) -> frozenset[str]:
    """Fact keys that a change of the place writes."""
    root = get_root_place(changed)
    return frozenset({f"local/{root.variable.index}"}) if isinstance(root, st.VariablePlace) else get_state_place(root)
