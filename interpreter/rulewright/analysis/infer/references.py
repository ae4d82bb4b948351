"""Names, attributes and places: `morale`, `target.morale`, `base.units`, and what lines can change of them."""

from rulewright.analysis import promises
from rulewright.analysis.facts import number_range
from rulewright.analysis.infer.call_arguments import cell_arguments, without_parameters
from rulewright.analysis.infer.lookup import (
    OF_DICE,
    PLANE_PARTS,
    Derived,
    as_code,
    attribute_names,
    attribute_sources,
    boards,
    expected_words,
    has_attribute,
    has_pose,
    itself,
    known,
    owner_type,
    plain_name,
    prefixed,
    unknown,
    words_of,
)
from rulewright.analysis.infer.slots import as_number
from rulewright.analysis.report import listed
from rulewright.analysis.scope import Scope
from rulewright.analysis.symbols import Symbol
from rulewright.diagnostics.remedies import Remedy, meant, wrapped, written
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.conditions import size_of
from rulewright.program.declarations import Field
from rulewright.program.effects import place_of
from rulewright.program.expressions import Expression
from rulewright.program.plane import ANGLE, POINT, POSE, bases, posed, types_of
from rulewright.program.statements import Place
from rulewright.program.types import Type
from rulewright.program.walk import root_of
from rulewright.program.wording import is_a, wording
from rulewright.source import Span
from rulewright.syntax.nodes import declarations, expressions as nodes
from rulewright.syntax.nodes.expressions import Expression as Node, Name


def reference(node: nodes.Reference, scope: Scope, expected: Type | None) -> Expression | None:
    """A name of the block or procedure, an own attribute, a name of the file, or a word where one is expected."""
    local = scope.locals.get(node.name)
    if local is not None:
        return known(ex.Local(type=local.type, span=node.span, variable=local), scope)
    if scope.owner and node.name == "self":
        return itself(node.span, scope)
    if scope.owner and has_attribute(owner_type(scope), node.name, scope):
        return attribute_of(itself(node.span, scope), Name(node.name, node.span), scope)
    symbol = scope.module.names.get(node.name)
    if symbol is not None:
        return named(symbol, node.span, scope)
    if without_parameters(node.name, scope.module):
        return scope.infer(nodes.Call(node, (), node.span), expected)
    return _bare_word(node, scope, expected)


def named(symbol: Symbol, span: Span, scope: Scope) -> Expression | None:
    """The value of a plural, board, game field or setting."""
    match symbol.sort:
        case "plural":
            return ex.InPlay(type=ty.SetType(ty.ThingType(symbol.name)), span=span, kind=symbol.name)
        case "board":
            assert isinstance(symbol.node, declarations.Board)
            space = symbol.node.space.text
            if space == "plane":
                message = f"`{plain_name(symbol.name)}` is a board of the plane and has no cells"
                scope.report.error("RW0305", span, message, help="`fits(spot)` says whether a base lies on it")
                return None
            return ex.BoardCells(type=ty.SetType(ty.CellType(space)), span=span, board=symbol.name)
        case "game" | "setting":
            held = ex.GameField if symbol.sort == "game" else ex.SettingValue
            return None if symbol.type is None else known(held(type=symbol.type, span=span, name=symbol.name), scope)
        case _:
            text = plain_name(symbol.name)
            remedy = f"roll it: `roll 1 of {text} as NAME`, and read `NAME`" if symbol.sort == "die" else ""
            scope.report.error("RW0305", span, f"`{text}` is a {symbol.sort}, not a value", help=remedy)
            return None


def word_wanted(node: nodes.Expression, scope: Scope, expected: Type | None) -> ex.WordLiteral | None:
    """The word that a bare name is in the list that is expected, whatever else has that name; else none."""
    wanted = expected_words(expected)
    position = dict(words_of(wanted, scope)).get(node.name) if isinstance(node, nodes.Reference) else None
    return None if position is None else ex.WordLiteral(type=ty.WordType(wanted), span=node.span, position=position)


def _bare_word(node: nodes.Reference, scope: Scope, expected: Type | None) -> Expression | None:
    lists = scope.module.words.get(node.name, [])
    found, wanted = word_wanted(node, scope, expected), expected_words(expected)
    if found is not None:
        return found
    if wanted and lists:
        names = [word for word, _ in words_of(wanted, scope)]
        remedy = meant(node.name, names, node.span, f"its words are {listed(names)}")
        scope.report.error("RW0304", node.span, f"`{node.name}` is not a word of `{wanted}`", remedy=remedy)
    elif wanted:
        unknown(node, scope, [word for word, _ in words_of(wanted, scope)])
    elif lists:
        spelt = f"{plain_name(lists[0].name)}.{node.name}"
        message = f"the list of the word `{node.name}` is not clear here"
        edits = written(spelt, node.span, safe=len(lists) == 1).edits
        better = f"write `{spelt}`; in a set or list, the first word is enough"
        scope.report.error("RW0303", node.span, message, help=better, edits=edits)
    else:
        unknown(node, scope, expected=expected)
    return None


def attribute(node: nodes.Attribute, scope: Scope) -> Expression | None:  # noqa: PLR0911 - each sort of target
    """`target.name`, `Symbol.saber`, `base.units` or `side(a, b).wall`."""
    module = prefixed(node.target, scope)
    if module is not None:
        symbol = module.names.get(node.name.text)
        if symbol is not None:
            return named(symbol, node.span, scope)
        if without_parameters(node.name.text, module):
            return scope.infer(nodes.Call(node, (), node.span))
        message = f"`{node.name.text}` is not known in `{getattr(node.target, 'name', '')}`"
        remedy = meant(node.name.text, list(module.names), node.name.span)
        scope.report.error("RW0301", node.name.span, message, remedy=remedy)
        return None
    values = values_of(node.target, scope)
    if values:
        return _word_of_list(values, node, scope)
    match node.target:
        case nodes.Call(function=nodes.Reference(name="side")) as called:
            cells = cell_arguments(called, 2, scope)
            return None if cells is None else _between(cells[0], cells[1], called.span, node.name, scope)
    if isinstance(node.target, nodes.Reference) and node.target.name == "crossed" and scope.crossed:
        left, entered = (ex.Local(type=each.type, span=node.target.span, variable=each) for each in scope.crossed)
        return _between(left, entered, node.target.span, node.name, scope)
    target = scope.infer(node.target)
    return target and attribute_of(target, node.name, scope)


def values_of(node: nodes.Expression, scope: Scope) -> str:
    """The qualified `values` list a name stands for, or nothing."""
    match node:
        case nodes.Reference(name=name) if name not in scope.locals:
            symbol = scope.module.types.get(name)
        case nodes.Attribute(target=target, name=name):
            module = prefixed(target, scope)
            symbol = module.types.get(name.text) if module else None
        case _:
            return ""
    return symbol.name if symbol is not None and symbol.sort == "values" else ""


def _word_of_list(values: str, node: nodes.Attribute, scope: Scope) -> Expression | None:
    words = dict(words_of(values, scope))
    position = words.get(node.name.text)
    if position is not None:
        return ex.WordLiteral(type=ty.WordType(values), span=node.span, position=position)
    message = f"`{node.name.text}` is not a word of `{values}`"
    scope.report.error("RW0304", node.name.span, message, remedy=meant(node.name.text, words, node.name.span))
    return None


def attribute_of(target: Expression, name: Name, scope: Scope) -> Expression | None:
    """An attribute of a value."""
    if isinstance(target.type, ty.OptionalType):
        text = wording(target)
        remedy = f"ask `{text} != none` first, before `and`, in an `if` or a `when`"
        label = f"its `{name.text}` is read"
        scope.report.error("RW0403", target.span, f"`{text}` may be `none` here", help=remedy, label=label)
        return None
    found = _attribute(target, name, scope)
    if found is not None:
        return found
    if not has_attribute(target.type, name.text, scope):
        _no_attribute(target, name, scope)
    return None


def _attribute(target: Expression, name: Name, scope: Scope) -> Expression | None:  # noqa: C901, PLR0911 - one case for each sort
    span = target.span.to(name.span)
    match target.type:
        case ty.ThingType(kind) if name.text == "gone" and "gone" not in attribute_sources(target.type, scope):
            return ex.Gone(type=ty.FLAG, span=span, target=target)
        case ty.ThingType(kind) if name.text == "pose" and "pose" not in attribute_sources(target.type, scope):
            return pose_of(target, span, scope)
        case ty.ThingType(kind):
            return _declared_attribute(target, kind, name, scope)
        case ty.PlaneType():
            return plane_part(target, name.text, span, scope)
        case ty.RecordType(record):
            return _declared_attribute(target, record, name, scope)
        case ty.CellType(space):
            for board in boards(space, scope):
                field = scope.shapes.cells.get(board, {}).get(name.text)
                if field is not None:
                    return known(
                        ex.CellAttribute(type=field.type, span=span, target=target, board=board, name=field.name), scope
                    )
            return None
        case ty.DieType(face) if name.text in OF_DICE:
            return ex.DieAttribute(type=OF_DICE[name.text] or face, span=span, target=target, name=name.text)
        case ty.DieType(part=part) if name.text == "part" and part is not None:
            return known(ex.DieAttribute(type=part, span=span, target=target, name="part"), scope)
        case _:
            return None


def _declared_attribute(target: Expression, owner: str, name: Name, scope: Scope) -> Expression | None:
    span = target.span.to(name.span)
    match attribute_sources(target.type, scope).get(name.text):
        case Derived(function):
            body = scope.shapes.function(function)
            if body is not None and len(body.parameters) > 1:
                scope.report.error("RW0315", name.span, f"`{name.text}` takes arguments: `{name.text}(…)`")
                return None
            if body is None:
                return None
            promises.called(function, (target,), span, scope)
            return known(ex.DerivedAttribute(type=body.type, span=span, target=target, function=function), scope)
        case Field() as field if isinstance(target.type, ty.RecordType):
            position = [each.name for each in scope.shapes.records[owner].parts].index(field.name)
            return known(ex.Part(type=field.type, span=span, target=target, name=field.name, position=position), scope)
        case Field() as field:
            return known(
                ex.StoredAttribute(type=field.type, span=span, target=target, kind=owner, name=field.name), scope
            )
        case _:
            return None


def _between(first: Expression, second: Expression, span: Span, name: Name, scope: Scope) -> Expression | None:
    assert isinstance(first.type, ty.CellType)
    for board in boards(first.type.space, scope):
        field = scope.shapes.sides.get(board, {}).get(name.text)
        if field is not None:
            return ex.SideAttribute(
                type=field.type, span=span.to(name.span), first=first, second=second, board=board, name=field.name
            )
    own = [(board, each[name.text]) for board, each in scope.shapes.cells.items() if name.text in each]
    remedy = Remedy()
    if own:
        said = f"cells of `{own[0][0]}` have it: write `side {name.text}: …` there"
        remedy = Remedy(said, wrapped("side ", own[0][1].span, ""))
    scope.report.error("RW0306", name.span, f"sides have no attribute `{name.text}`", remedy=remedy)
    return None


def _no_attribute(target: Expression, name: Name, scope: Scope) -> None:
    type_ = target.type
    if f"{type_}/{name.text}" in scope.shapes.failed:
        return
    known_names = list(attribute_names(type_, scope))
    if known_names:
        has = f"it has {', '.join(f'`{each}`' for each in known_names)}"
        was_tag = isinstance(type_, ty.DieType) and name.text == "tag" and "part" in known_names
        remedy = written("part", name.span) if was_tag else meant(name.text, known_names, name.span, has)
        fields = scope.shapes.kinds[type_.kind].fields if isinstance(type_, ty.ThingType) else ()
        if any(each.name == "at" and has_attribute(each.type, name.text, scope) for each in fields):
            remedy = written(f"at.{name.text}", name.span)
        scope.report.error("RW0306", name.span, f"`{type_}` has no attribute `{name.text}`", remedy=remedy)
    else:
        item = ty.member_type(type_)
        message, shown = f"{is_a(target)} and has no attributes, so no `{name.text}`", ""
        if item is not None and has_attribute(item, name.text, scope):
            message = f"{is_a(target)}; say which `{name.text}` is meant"
            shown = f"`[each x in {as_code(target, scope)}: x.{name.text}]` are those of all"
            shown += f", `total({wording(target)})` their sum" if as_number(target).help else ""
            if _is_one_die(target, scope):
                shown += "; a roll without a number, such as `roll d6 as NAME`, names one die"
        elif item is not None and name.text in {"count", "length", "number", "size"}:
            shown = f"write `count({as_code(target, scope)})`"
        scope.report.error("RW0307", name.span, message, help=shown)


def _is_one_die(target: Expression, scope: Scope) -> bool:
    """Whether dice rolled together are known to be one."""
    size = size_of(ex.Binding((None,), target, None), target.span)
    return isinstance(target.type, ty.PoolType) and number_range(scope.facts, size) == (1, 1)


LENGTH = ty.LengthType()


def pose_of(target: Expression, span: Span, scope: Scope) -> Expression | None:
    """`thing.pose`, which is none where its `at` is; reports a kind that has none (RW0341, RW0306)."""
    assert isinstance(target.type, ty.ThingType)
    kind = target.type.kind
    if not has_pose(target.type, scope) or posed_kind(span, scope) is None:
        return None
    at = types_of(scope.shapes.kinds[kind])["at"]
    type_ = ty.OptionalType(POSE) if isinstance(at, ty.OptionalType) else POSE
    return known(ex.PlaneAttribute(type=type_, span=span, target=target, name="pose", kind=kind), scope)


def posed_kind(span: Span, scope: Scope) -> str | None:
    """The kind poses are of; reports that there are several or none (RW0341)."""
    kinds = scope.shapes.kinds
    found = posed(kinds)
    if found is None and bases(kinds):
        first, second, *_ = bases(kinds)
        message = f"a pose is of one kind, and both `{first}` and `{second}` have a base"
        scope.report.error("RW0341", span, message, help="make them one kind, with an attribute that tells them apart")
    elif found is None:
        message = "a pose is of a kind with a base, and no kind has one"
        scope.report.error("RW0341", span, message, help="give a kind `at: point` and `base: shape`")
    return found


def plane_part(target: Expression, name: str, span: Span, scope: Scope) -> Expression | None:
    """`pose.thing`, `pose.at`, `pose.facing`, `point.x`, `point.y`; none for other names."""
    assert isinstance(target.type, ty.PlaneType)
    if name not in PLANE_PARTS.get(target.type.name, ()):
        return None
    if target.type == POINT:
        return ex.PlaneAttribute(type=LENGTH, span=span, target=target, name=name)
    kind = posed_kind(span, scope)
    if kind is None:
        return None
    types: dict[str, Type] = {"thing": ty.ThingType(kind), "at": POINT, "facing": ANGLE}
    position = PLANE_PARTS["pose"].index(name)
    return known(ex.Part(type=types[name], span=span, target=target, name=name, position=position), scope)


def place(node: Node, scope: Scope) -> Place | None:
    """What `set`, `add`, `take`, `draw` and `shuffle` change; reports values that cannot be changed.

    Whether a name may be changed (parameters and names of a loop may not) is for the caller to say.
    """
    found = scope.infer(node)
    return None if found is None else _changeable(found, scope)


def _changeable(value: Expression, scope: Scope) -> Place | None:  # noqa: PLR0911 - one case for each sort
    match value:
        case ex.Local(variable=variable):
            return st.VariablePlace(variable)
        case ex.GameField(name=name):
            symbols = (each.names.get(name.removeprefix(each.prefix)) for each in scope.linked.modules)
            own = (each.type for each in symbols if each is not None and (each.name, each.sort) == (name, "game"))
            return st.GamePlace(name, next(own, None) or value.type)
        case ex.StoredAttribute(target=target, kind=kind, name=name):
            fields = {field.name: field.type for field in scope.shapes.kinds[kind].fields}
            return st.AttributePlace(target, kind, name, fields[name])
        case ex.CellAttribute(target=target, board=board, name=name):
            return st.CellPlace(target, board, name, scope.shapes.cells[board][name].type)
        case ex.Entry(target=target, key=key, type=type_):
            outer = _changeable(target, scope)
            return None if outer is None else st.EntryPlace(outer, key, type_)
        case ex.Part(target=target, name=name, position=position, type=type_):
            outer = _changeable(target, scope)
            return None if outer is None else st.PartPlace(outer, name, position, type_)
        case _:
            scope.report.error("RW0330", value.span, _refusal(value))
            return None


def _refusal(value: Expression) -> str:
    match value:
        case ex.DerivedAttribute():
            return f"`{wording(value)}` is derived and cannot be changed"
        case ex.SettingValue():
            return f"`{wording(value)}` is a setting, fixed for the play"
        case ex.Gone():
            return f"`{wording(value)}` cannot be set; `remove` takes a thing out of play"
        case _:
            return "this is a value and not a place that can be changed"


def written_keys(changed: Place) -> frozenset[str]:
    """What is written when the place changes, in the notation of `forget`."""
    root = root_of(changed)
    return frozenset({f"local/{root.variable.index}"}) if isinstance(root, st.VariablePlace) else place_of(root)
