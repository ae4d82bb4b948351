"""Name lookup: visible names, words of lists, attributes of types (manual, Names)."""

import re
from collections.abc import Iterator, Sequence

from rulewright.base.diagnostics import Label, Remedy, format_name_list
from rulewright.base.diagnostics.remedies import (
    find_nearest_name,
    make_name_remedy,
    make_replacement_remedy,
    make_respelling_remedy,
)
from rulewright.base.source import Span
from rulewright.checker.scope import Scope
from rulewright.checker.symbols import PREFIX_SPACE, LinkedModule
from rulewright.program import types as ty
from rulewright.program.board_geometry import list_based_kinds
from rulewright.program.declarations import Field
from rulewright.program.expressions import Expression, InPlay, Itself
from rulewright.program.types import Type
from rulewright.program.wording import add_article, render_brief_expression
from rulewright.syntax.nodes import declarations, expressions as nodes
from rulewright.syntax.nodes.expressions import Name


def get_self_type(scope: Scope) -> Type:
    return ty.ThingType(scope.owner) if scope.owner in scope.environment.kinds else ty.RecordType(scope.owner)


def make_self_reference(span: Span, scope: Scope) -> Itself:
    return Itself(type=get_self_type(scope), span=span)


def strip_qualifier(name: str) -> str:
    return name.rpartition(".")[2]


def get_expected_word_list(expected: Type | None) -> str:
    """Qualified `values` list from which a bare word may come, or None."""
    match expected:
        case ty.WordType(values):
            return values
        case ty.OptionalType(inner) | ty.MapType(value=inner) | ty.DieType(face=inner):
            return get_expected_word_list(inner)
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return get_expected_word_list(item)
        case _:
            return ""


_FOREIGN_LITERALS = {"true": "yes", "false": "no", "null": "none", "none": "none", "nothing": "none", "nobody": "none"}
_OR_MORE_OPERATORS = {"less": "<=", "fewer": "<=", "lower": "<=", "more": ">=", "greater": ">=", "higher": ">="}
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1)
}
_DIE_NAME_PATTERN = re.compile(r"d[1-9][0-9]*")


def iterate_list_words(values: str, scope: Scope) -> Iterator[tuple[str, int]]:
    """Words of a qualified list with their positions."""
    for module in scope.linked.modules:
        symbol = module.types.get(values.removeprefix(module.prefix)) if values.startswith(module.prefix) else None
        if symbol is not None and symbol.name == values and isinstance(symbol.node, declarations.Values):
            yield from ((word.name.text, place) for place, word in enumerate(symbol.node.words))
            return


def report_unknown_name(
    node: nodes.Reference, scope: Scope, words: Sequence[str] = (), expected: Type | None = None
) -> None:
    """Reports a name without meaning here, unless its declaration could not be read."""
    if (
        node.name in scope.environment.unresolved_parameters | scope.variables.broken_names
        or f"{scope.owner}/{node.name}" in scope.environment.failed_declarations
    ):
        return
    message = f"`{node.name}` is not known here"
    declared = _explain_valueless_name(node, scope)
    if node.name.lower() in _FOREIGN_LITERALS:
        remedy = make_replacement_remedy(_FOREIGN_LITERALS[node.name.lower()], node.span)
    elif node.name in _OR_MORE_OPERATORS:
        remedy = Remedy(
            f"`3 or {node.name}` is compared: write `{_OR_MORE_OPERATORS[node.name]} 3` for `= 3 or {node.name}`"
        )
    elif declared is not None:
        message, remedy = declared
    elif node.name == "game":
        remedy = Remedy("a field of `game` is written by its name alone")
    elif node.name == "empty":
        remedy = Remedy("`no x in S` asks whether a set or list is empty; an empty one is written `{}` and `[]`")
    elif _DIE_NAME_PATTERN.fullmatch(node.name):
        remedy = Remedy(f"roll the die first, `roll {node.name} as NAME`, and read what it shows: `NAME.natural`")
    elif isinstance(expected, ty.ThingType) and has_attribute(expected, node.name, scope):
        remedy = Remedy(f"it is read from a thing, not compared with it: `….{node.name}`, `not ….{node.name}`")
    elif node.name in _NUMBER_WORDS:
        remedy = make_replacement_remedy(_NUMBER_WORDS[node.name], node.span)
    else:
        remedy = _suggest_name(node, scope, words, expected)
    scope.report.error("RW0301", node.span, message, remedy=remedy, missing=node.name)


def report_hyphened_name(node: nodes.Binary, scope: Scope) -> bool:
    """Whether `ground-is-open` is known with `_` for each hyphen; reports it."""
    parts = _list_hyphenated_parts(node)
    joined = "_".join(part.name if isinstance(part, nodes.Reference) else part.name.text for part in parts)
    first = parts[0] if parts else None
    if isinstance(first, nodes.Attribute):
        target = scope.infer(first.target)
        is_known = target is not None and joined in iterate_attribute_names(target.type, scope)
    else:
        is_known = bool(joined) and (
            is_visible_name(joined, scope) or joined in scope.module.callables or joined in scope.module.words
        )
    if not is_known or first is None:
        return False
    start = first.name.span.start if isinstance(first, nodes.Attribute) else first.span.start
    span = Span(node.span.source, start, parts[-1].span.end)
    message = f"`{joined.replace('_', '-')}` is not known here, and `-` takes one number from another"
    scope.report.error(
        "RW0301", span, message, remedy=make_replacement_remedy(joined, span, safe=False), missing=joined
    )
    return True


def _list_hyphenated_parts(node: nodes.Expression) -> tuple[nodes.Reference | nodes.Attribute, ...]:
    match node:
        case nodes.Reference() | nodes.Attribute():
            return (node,)
        case nodes.Call(function=nodes.Reference() as function):
            return (function,)
        case nodes.Binary(operator="-", left=left, right=nodes.Reference() | nodes.Call() as right):
            before, after = _list_hyphenated_parts(left), _list_hyphenated_parts(right)
            touch = bool(before and after) and left.span.end + 1 == right.span.start
            return (*before, *after) if touch else ()
        case _:
            return ()


INVOKING_VERBS = {"procedure": "perform", "external procedure": "perform", "event": "trigger"}


def _explain_valueless_name(node: nodes.Reference, scope: Scope) -> tuple[str, Remedy] | None:
    name = node.name
    if name in ty.GRID_STEPS and (cells := list_boards(name, scope)):
        return f"`{name}` is a type, not a value", Remedy(f"all cells of the board are `{cells[0]}`")
    symbol = scope.module.types.get(name) or scope.module.callables.get(name)
    if symbol is None:
        return None
    sort = {"values": "list of words"}.get(symbol.sort, symbol.sort)
    what = f"`{name}` is {'an' if sort[0] in 'aeiou' else 'a'} {sort}"
    message = f"{what}, not a value"
    match symbol.node:
        case declarations.Values(words=words):
            all_words = f"{{{', '.join(f'{name}.{word.name.text}' for word in words)}}}"
            return message, Remedy(
                f"all its words are `{all_words}`", make_replacement_remedy(all_words, node.span, safe=False).edits
            )
        case declarations.Kind(plural=plural):
            edits = make_replacement_remedy(plural.text, node.span, safe=False).edits
            return message, Remedy(f"all of them that are in play are `{plural.text}`", edits)
        case declarations.Record(fields=fields):
            parts = ", ".join(f"{field.name.text}: …" for field in fields)
            return message, Remedy(f"make one of its parts: `{name}({parts})`")
    if symbol.sort in INVOKING_VERBS:
        return message, Remedy(f"it is a line of its own: `{INVOKING_VERBS[symbol.sort]} {name}(…)`")
    return f"{what}, and has no value without its arguments", Remedy(f"write `{name}(…)`")


def _suggest_name(node: nodes.Reference, scope: Scope, words: Sequence[str], expected: Type | None) -> Remedy:
    remedy = make_name_remedy(node.name, [*iterate_visible_names(scope), *words], node.span)
    if remedy.edits:
        return remedy
    if expected == ty.PLAYER:
        return Remedy(
            "each state says who plays, and the rules do not know their names: use a role, or an attribute whose "
            "player the state names, such as `active: player` under `game:`"
        )
    attributes = [
        (name, list(iterate_attribute_names(variable.type, scope))) for name, variable in scope.locals.items()
    ]
    known = [(name, guess) for name, owned_names in attributes if (guess := find_nearest_name(node.name, owned_names))]
    if len(known) == 1:
        return make_respelling_remedy(node.span, ".".join(known[0]))
    owners = [f"{name}.{guess}" for name, guess in known if guess == node.name] or list(
        _iterate_nested_attributes(node.name, scope)
    )
    if len(owners) == 1:
        return make_respelling_remedy(node.span, owners[0])
    if owners:
        return Remedy(f"say whose: {format_name_list(owners)}")
    return Remedy(f"the words of its list are {format_name_list(words)}") if words else remedy


def _iterate_nested_attributes(name: str, scope: Scope) -> Iterator[str]:
    for local, variable in scope.locals.items():
        for between, source in map_attribute_sources(variable.type, scope).items():
            if isinstance(source, Field) and has_attribute(source.type, name, scope):
                yield f"{local}.{between}.{name}"


def iterate_visible_names(scope: Scope) -> Iterator[str]:
    """Bare names that have a value here."""
    yield from scope.locals
    if scope.owner:
        yield "self"
        yield from iterate_attribute_names(get_self_type(scope), scope)
    yield from scope.module.names


def is_visible_name(name: str, scope: Scope) -> bool:
    """Whether a bare name has a value here."""
    return (
        name in scope.locals
        or name in scope.module.names
        or (bool(scope.owner) and name in iterate_visible_names(scope))
    )


def has_name_conflict(name: Name, scope: Scope) -> bool:
    """Whether a new name would hide another; reports it."""
    scope = scope.for_text_at(name.span)
    if name.text == "_" or not (is_visible_name(name.text, scope) or name.text in scope.module.uses):
        return False
    message = f"`{name.text}` has a meaning here already"
    there: tuple[Label, ...] = ()
    known = None if name.text in scope.locals else scope.module.names.get(name.text)
    if known is not None:
        sort = {"plural": "the plural of a kind", "game": "a field of `game`"}.get(known.sort) or add_article(
            known.sort
        )
        message, there = f"{message}: it is {sort}", (Label(known.span, "declared here"),)
    scope.report.error("RW0312", name.span, message, secondary=there, help="take another name for the new one")
    return True


def resolve_prefix_module(node: nodes.Expression, scope: Scope) -> LinkedModule | None:
    """Module of a prefix, or None."""
    if not isinstance(node, nodes.Reference) or node.name in scope.locals:
        return None
    module = scope.module.uses.get(node.name)
    if module is not None:
        scope.report.note_use(node.span, PREFIX_SPACE, "", node.name)
    return module


AttributeSource = Field | str
"""A stored attribute, or the name of the function of a derived one."""


def map_attribute_sources(type_: Type, scope: Scope) -> dict[str, AttributeSource]:
    """Stored and derived attributes of a kind or record, in order of declaration; empty for other types."""
    environment = scope.environment
    match type_:
        case ty.ThingType(name) if name in environment.kinds:
            stored = {field.name: field for field in environment.kinds[name].fields}
        case ty.RecordType(name) if name in environment.records:
            stored = {part.name: part for part in environment.records[name].parts}
        case _:
            return {}
    return {
        **stored,
        **{item: result[0] for item, result in environment.derived_attributes.get(name, {}).items()},
    }


DIE_ATTRIBUTE_TYPES: dict[str, Type | None] = {
    "natural": None,
    "face": None,
    "first": None,
    "rerolls": ty.COUNT,
    "name": ty.TEXT,
}


def iterate_attribute_names(type_: Type, scope: Scope) -> Iterator[str]:
    """Names of the attributes of a type, in order of declaration."""
    yield from map_attribute_sources(type_, scope)
    match type_:
        case ty.ThingType():
            yield "gone"
            if has_pose(type_, scope):
                yield "pose"
        case ty.PlaneType(name):
            yield from PLANE_VALUE_ATTRIBUTES.get(name, ())
        case ty.CellType(space):
            for board in list_boards(space, scope):
                yield from scope.environment.cell_attributes.get(board, {})
        case ty.DieType(part=part):
            yield from DIE_ATTRIBUTE_TYPES
            if part is not None:
                yield "part"
        case _:
            return


def has_attribute(type_: Type, name: str, scope: Scope) -> bool:
    """Whether values of the type have this attribute."""
    return name in iterate_attribute_names(type_, scope)


def format_as_code(expression: Expression, scope: Scope) -> str:
    """Source text of an expression in this module; `…` where it is long or has no name here."""
    if isinstance(expression, InPlay):
        named = scope.module.names.items()
        return next((name for name, symbol in named if symbol.sort == "plural" and symbol.name == expression.kind), "…")
    text = render_brief_expression(expression)
    return "…" if " in play" in text else text


def find_derived_function(type_: Type, name: str, scope: Scope) -> str | None:
    source = map_attribute_sources(type_, scope).get(name)
    return source if isinstance(source, str) else None


def list_boards(space: str, scope: Scope) -> list[str]:
    """Boards of a space, by qualified name."""
    return [
        symbol.name
        for module in scope.linked.modules
        for symbol in module.names.values()
        if isinstance(symbol.node, declarations.Board) and symbol.node.space.text == space
    ]


PLANE_VALUE_ATTRIBUTES = {"pose": ("thing", "at", "facing"), "point": ("x", "y")}


def has_pose(type_: Type, scope: Scope) -> bool:
    """Whether things of a type have a `.pose`: a base and a place on the plane."""
    return isinstance(type_, ty.ThingType) and type_.kind in list_based_kinds(scope.environment.kinds)
