"""Attributes: `target.name`, and names reached through a prefix."""

from collections.abc import Iterator

from rulewright.analysis import infer, promises
from rulewright.analysis.facts.knowing import known
from rulewright.analysis.functions.demand import demand
from rulewright.analysis.infer import calls as infer_calls
from rulewright.analysis.infer import names as infer_names
from rulewright.analysis.infer import plane as infer_plane
from rulewright.analysis.language.wording import wording
from rulewright.analysis.scope import Scope
from rulewright.diagnostics.suggest import meant
from rulewright.frozen import dataclass
from rulewright.program.declarations import Field
from rulewright.program.expressions import (
    CellAttribute,
    DerivedAttribute,
    DieAttribute,
    Expression,
    Gone,
    Local,
    Part,
    SideAttribute,
    StoredAttribute,
    WordLiteral,
)
from rulewright.program.types import (
    COUNT,
    FLAG,
    TEXT,
    CellType,
    DieType,
    OptionalType,
    PlaneType,
    RecordType,
    ThingType,
    Type,
    WordType,
)
from rulewright.program.wording import describe
from rulewright.source import Span
from rulewright.syntax.nodes import declarations
from rulewright.syntax.nodes import expressions as nodes
from rulewright.syntax.nodes.expressions import Name


def attribute(  # noqa: PLR0911 - each sort of target
    node: nodes.Attribute, scope: Scope
) -> Expression | None:
    """`target.name`, `Symbol.saber`, `base.units` or `side(a, b).wall`."""
    module = infer_names.prefixed(node.target, scope)
    if module is not None:
        symbol = module.names.get(node.name.text)
        if symbol is not None:
            return infer_names.named(symbol, node.span, scope)
        if infer_calls.without_parameters(node.name.text, module):
            return infer_calls.call(nodes.Call(node, (), node.span), scope, None)
        _unknown_in_module(node, list(module.names), scope)
        return None
    values = values_of(node.target, scope)
    if values:
        return _word(values, node, scope)
    if _is_side(node.target):
        assert isinstance(node.target, nodes.Call)
        return _side(node.target, node.name, scope)
    if isinstance(node.target, nodes.Reference) and node.target.name == "crossed" and scope.crossed:
        left, entered = (Local(type=each.type, span=node.target.span, variable=each) for each in scope.crossed)
        return _between(left, entered, node.target.span, node.name, scope)
    target = infer.infer(node.target, scope)
    return target and of(target, node.name, scope)


def _unknown_in_module(node: nodes.Attribute, names: list[str], scope: Scope) -> None:
    assert isinstance(node.target, nodes.Reference)
    prefix = node.target.name
    remedy = meant(node.name.text, names, node.name.span)
    message = f"`{node.name.text}` is not known in `{prefix}`"
    scope.report.error("RW0301", node.name.span, message, help=remedy.help, edits=remedy.edits)


def values_of(node: nodes.Expression, scope: Scope) -> str:
    """The qualified `values` list a name stands for, or nothing."""
    match node:
        case nodes.Reference(name=name) if name not in scope.locals:
            symbol = scope.module.types.get(name)
        case nodes.Attribute(target=target, name=name):
            module = infer_names.prefixed(target, scope)
            symbol = module.types.get(name.text) if module else None
        case _:
            return ""
    return symbol.name if symbol is not None and symbol.sort == "values" else ""


def _word(values: str, node: nodes.Attribute, scope: Scope) -> Expression | None:
    words = dict(infer_names.words_of(values, scope))
    position = words.get(node.name.text)
    if position is not None:
        return WordLiteral(type=WordType(values), span=node.span, position=position)
    remedy = meant(node.name.text, words, node.name.span)
    message = f"`{node.name.text}` is no word of `{values}`"
    scope.report.error("RW0304", node.name.span, message, help=remedy.help, edits=remedy.edits)
    return None


def of(target: Expression, name: Name, scope: Scope) -> Expression | None:
    """An attribute of a value."""
    if isinstance(target.type, OptionalType):
        _unguarded(target, name, scope)
        return None
    found = _found(target, name, scope)
    if found is not None:
        return found
    if not has(target.type, name.text, scope):
        _unknown(target.type, name, scope)
    return None


def _unguarded(target: Expression, name: Name, scope: Scope) -> None:
    text = wording(target)
    scope.report.error(
        "RW0403",
        target.span,
        f"`{text}` may be `none` here",
        help=f"ask `{text} != none` first, before `and`, in an `if`, a `when` or an `only if`",
        label=f"its `{name.text}` is read",
    )


@dataclass(frozen=True, slots=True)
class _Derived:
    """A derived attribute, by its function."""

    function: str


_Source = Field | _Derived


def _sources(type_: Type, scope: Scope) -> dict[str, _Source]:
    shapes = scope.shapes
    match type_:
        case ThingType(name) if name in shapes.kinds:
            stored = {each.name: each for each in shapes.kinds[name].fields}
        case RecordType(name) if name in shapes.records:
            stored = {each.name: each for each in shapes.records[name].parts}
        case _:
            return {}
    return {**stored, **{each: _Derived(found[0]) for each, found in shapes.derived.get(name, {}).items()}}


_DIE: dict[str, Type | None] = {
    "natural": None,
    "face": None,
    "first": None,
    "rerolls": COUNT,
    "name": TEXT,
}


def names(type_: Type, scope: Scope) -> Iterator[str]:
    """The attributes of a type, in order of declaration."""
    yield from _sources(type_, scope)
    match type_:
        case ThingType():
            yield "gone"
            if infer_plane.has_pose(type_, scope):
                yield "pose"
        case PlaneType(name):
            yield from infer_plane.PARTS.get(name, ())
        case CellType(space):
            for board in boards(space, scope):
                yield from scope.shapes.cells.get(board, {})
        case DieType(tag=tag):
            yield from _DIE
            if tag is not None:
                yield "tag"
        case _:
            return


def has(type_: Type, name: str, scope: Scope) -> bool:
    """Whether values of the type have this attribute."""
    return name in names(type_, scope)


def derived(type_: Type, name: str, scope: Scope) -> str | None:
    """The function of a derived attribute."""
    source = _sources(type_, scope).get(name)
    return source.function if isinstance(source, _Derived) else None


def _found(target: Expression, name: Name, scope: Scope) -> Expression | None:  # noqa: C901, PLR0911 - one case for each sort
    span = target.span.to(name.span)
    match target.type:
        case ThingType(kind) if name.text == "gone" and "gone" not in _sources(target.type, scope):
            return Gone(type=FLAG, span=span, target=target)
        case ThingType(kind) if name.text == "pose" and "pose" not in _sources(target.type, scope):
            return infer_plane.pose(target, span, scope)
        case ThingType(kind):
            return _declared(target, kind, name, scope)
        case PlaneType():
            return infer_plane.part(target, name.text, span, scope)
        case RecordType(record):
            return _declared(target, record, name, scope)
        case CellType(space):
            for board in boards(space, scope):
                field = scope.shapes.cells.get(board, {}).get(name.text)
                if field is not None:
                    return known(
                        CellAttribute(type=field.type, span=span, target=target, board=board, name=field.name), scope
                    )
            return None
        case DieType(face) if name.text in _DIE:
            return DieAttribute(type=_DIE[name.text] or face, span=span, target=target, name=name.text)
        case DieType(tag=tag) if name.text == "tag" and tag is not None:
            return known(DieAttribute(type=tag, span=span, target=target, name="tag"), scope)
        case _:
            return None


def _declared(target: Expression, owner: str, name: Name, scope: Scope) -> Expression | None:
    span = target.span.to(name.span)
    match _sources(target.type, scope).get(name.text):
        case _Derived(function):
            body = demand(scope.shapes, function)
            if body is not None and len(body.parameters) > 1:
                scope.report.error("RW0315", name.span, f"`{name.text}` takes arguments: `{name.text}(…)`")
                return None
            if body is None:
                return None
            promises.called(function, (target,), span, scope)
            return known(DerivedAttribute(type=body.type, span=span, target=target, function=function), scope)
        case Field() as field if isinstance(target.type, RecordType):
            position = [each.name for each in scope.shapes.records[owner].parts].index(field.name)
            return known(Part(type=field.type, span=span, target=target, name=field.name, position=position), scope)
        case Field() as field:
            return known(StoredAttribute(type=field.type, span=span, target=target, kind=owner, name=field.name), scope)
        case _:
            return None


def boards(space: str, scope: Scope) -> list[str]:
    """The boards of a space, by qualified name."""
    return [
        symbol.name
        for module in scope.linked.modules
        for symbol in module.names.values()
        if isinstance(symbol.node, declarations.Board) and symbol.node.space.text == space
    ]


def _is_side(node: nodes.Expression) -> bool:
    return isinstance(node, nodes.Call) and isinstance(node.function, nodes.Reference) and node.function.name == "side"


def _side(call: nodes.Call, name: Name, scope: Scope) -> Expression | None:
    cells = infer_calls.cells(call, 2, scope)
    if cells is None:
        return None
    first, second = cells
    return _between(first, second, call.span, name, scope)


def _between(first: Expression, second: Expression, span: Span, name: Name, scope: Scope) -> Expression | None:
    assert isinstance(first.type, CellType)
    for board in boards(first.type.space, scope):
        field = scope.shapes.sides.get(board, {}).get(name.text)
        if field is not None:
            return SideAttribute(
                type=field.type, span=span.to(name.span), first=first, second=second, board=board, name=field.name
            )
    scope.report.error("RW0306", name.span, f"sides have no attribute `{name.text}`")
    return None


def _unknown(type_: Type, name: Name, scope: Scope) -> None:
    if f"{describe(type_)}/{name.text}" in scope.shapes.failed:
        return
    known_names = list(names(type_, scope))
    if known_names:
        remedy = meant(name.text, known_names, name.span, f"it has {', '.join(f'`{each}`' for each in known_names)}")
        message = f"`{describe(type_)}` has no attribute `{name.text}`"
        scope.report.error("RW0306", name.span, message, help=remedy.help, edits=remedy.edits)
    else:
        scope.report.error(
            "RW0307", name.span, f"a value of type `{describe(type_)}` has no attributes, so no `{name.text}`"
        )
