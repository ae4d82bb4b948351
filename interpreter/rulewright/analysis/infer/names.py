"""Bare names: what they stand for, in the order in which they are looked up (manual, Names)."""

import re
from collections.abc import Iterable, Iterator

from rulewright.analysis.facts.knowing import known
from rulewright.analysis.infer import attributes as infer_attributes
from rulewright.analysis.infer import calls as infer_calls
from rulewright.analysis.scope import Scope
from rulewright.analysis.symbols import Module, Symbol
from rulewright.diagnostics.suggest import Remedy, meant, nearest, respelt, written
from rulewright.program.expressions import (
    BoardCells,
    Expression,
    GameField,
    InPlay,
    Itself,
    Local,
    SettingValue,
    WordLiteral,
)
from rulewright.program.types import (
    BagType,
    CellType,
    DeckType,
    ListType,
    MapType,
    OptionalType,
    RecordType,
    SetType,
    ThingType,
    Type,
    WordType,
)
from rulewright.source import Span
from rulewright.syntax.nodes import declarations
from rulewright.syntax.nodes import expressions as nodes
from rulewright.syntax.nodes.expressions import Name


def reference(node: nodes.Reference, scope: Scope, expected: Type | None) -> Expression | None:
    """A name of the block or procedure, an own attribute, a name of the file, or a word where one is expected."""
    local = scope.locals.get(node.name)
    if local is not None:
        return known(Local(type=local.type, span=node.span, variable=local), scope)
    if scope.owner and node.name == "self":
        return itself(node.span, scope)
    if scope.owner and infer_attributes.has(owner_type(scope), node.name, scope):
        return infer_attributes.of(itself(node.span, scope), Name(node.name, node.span), scope)
    symbol = scope.module.names.get(node.name)
    if symbol is not None:
        return named(symbol, node.span, scope)
    if infer_calls.without_parameters(node.name, scope.module):
        return infer_calls.call(nodes.Call(node, (), node.span), scope, expected)
    return _word(node, scope, expected)


def owner_type(scope: Scope) -> Type:
    """The type of `self`."""
    return ThingType(scope.owner) if scope.owner in scope.shapes.kinds else RecordType(scope.owner)


def itself(span: Span, scope: Scope) -> Itself:
    """`self`."""
    return Itself(type=owner_type(scope), span=span)


def named(symbol: Symbol, span: Span, scope: Scope) -> Expression | None:
    """The value of a plural, board, game field or setting."""
    match symbol.sort:
        case "plural":
            return InPlay(type=SetType(ThingType(symbol.name)), span=span, kind=symbol.name)
        case "board":
            assert isinstance(symbol.node, declarations.Board)
            space = symbol.node.space.text
            if space == "plane":
                message = f"`{_last(symbol.name)}` is a board of the plane and has no cells"
                scope.report.error("RW0305", span, message, help="`fits(spot)` says whether a base lies on it")
                return None
            return BoardCells(type=SetType(CellType(space)), span=span, board=symbol.name)
        case "game":
            return (
                None if symbol.type is None else known(GameField(type=symbol.type, span=span, name=symbol.name), scope)
            )
        case "setting":
            return (
                None
                if symbol.type is None
                else known(SettingValue(type=symbol.type, span=span, name=symbol.name), scope)
            )
        case _:
            text = _last(symbol.name)
            scope.report.error("RW0305", span, f"`{text}` is a {symbol.sort}, not a value", help=_use(symbol.sort))
            return None


def _use(sort: str) -> str:
    return "a `roll` line rolls it: `roll 2 of …`" if sort == "die" else ""


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def expected_words(expected: Type | None) -> str:
    """The `values` list from which a bare word may come, or nothing."""
    match expected:
        case WordType(values):
            return values
        case OptionalType(inner) | MapType(value=inner):
            return expected_words(inner)
        case SetType(item) | ListType(item) | BagType(item) | DeckType(item):
            return expected_words(item)
        case _:
            return ""


def _word(node: nodes.Reference, scope: Scope, expected: Type | None) -> Expression | None:
    lists = scope.module.words.get(node.name, [])
    wanted = expected_words(expected)
    for symbol in words_of(wanted, scope):
        if symbol[0] == node.name:
            return WordLiteral(type=WordType(wanted), span=node.span, position=symbol[1])
    if wanted and lists:
        _wrong_list(node, scope, wanted)
    elif wanted:
        unknown(node, scope, [word for word, _ in words_of(wanted, scope)])
    elif lists:
        spelt = f"{_last(lists[0].name)}.{node.name}"
        message = f"nothing here says to which list the word `{node.name}` belongs"
        remedy = written(spelt, node.span, safe=len(lists) == 1)
        scope.report.error("RW0303", node.span, message, help=remedy.help, edits=remedy.edits)
    else:
        unknown(node, scope)
    return None


_ELSEWHERE = {"true": "yes", "false": "no", "True": "yes", "False": "no", "null": "none", "None": "none"}
_DIE = re.compile(r"d[1-9][0-9]*")


def words_of(values: str, scope: Scope) -> Iterator[tuple[str, int]]:
    """The words of a qualified list, with their positions."""
    for module in scope.linked.modules:
        symbol = module.types.get(values.removeprefix(module.prefix)) if values.startswith(module.prefix) else None
        if symbol is not None and symbol.name == values and isinstance(symbol.node, declarations.Values):
            yield from ((word.name.text, place) for place, word in enumerate(symbol.node.words))
            return


def _wrong_list(node: nodes.Reference, scope: Scope, wanted: str) -> None:
    names = [word for word, _ in words_of(wanted, scope)]
    remedy = meant(node.name, names, node.span, f"its words are {_listed(names)}")
    message = f"`{node.name}` is no word of `{wanted}`"
    scope.report.error("RW0304", node.span, message, help=remedy.help, edits=remedy.edits)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def unknown(node: nodes.Reference, scope: Scope, words: Iterable[str] = ()) -> None:
    """Reports a name that means nothing here, unless what declares it could not be read."""
    if node.name in scope.shapes.unread or f"{scope.owner}/{node.name}" in scope.shapes.failed:
        return
    if node.name in _ELSEWHERE:
        remedy = written(_ELSEWHERE[node.name], node.span)
    elif node.name in scope.module.callables:
        sort = scope.module.callables[node.name].sort
        remedy = Remedy(f"`{node.name}` is a {sort}: give it arguments, `{node.name}(…)`")
    elif node.name == "game":
        remedy = Remedy("what stands under `game:` is called by its name alone")
    elif _DIE.fullmatch(node.name):
        remedy = Remedy(f"roll the die first, `roll {node.name} as NAME`, and read what it shows: `NAME.natural`")
    else:
        remedy = _meant(node, scope, words)
    message = f"`{node.name}` is not known here"
    scope.report.error("RW0301", node.span, message, help=remedy.help, edits=remedy.edits)


def _meant(node: nodes.Reference, scope: Scope, words: Iterable[str]) -> Remedy:
    """The name nearest to one that nobody knows; else the attribute of that name, of the one thing here that has it."""
    remedy = meant(node.name, [*visible(scope), *words], node.span)
    if remedy.edits:
        return remedy
    attributes = [(name, list(infer_attributes.names(each.type, scope))) for name, each in scope.locals.items()]
    known = [(name, guess) for name, own in attributes if (guess := nearest(node.name, own))]
    return respelt(node.span, ".".join(known[0])) if len(known) == 1 else remedy


def visible(scope: Scope) -> Iterator[str]:
    """Every bare name that has a value here."""
    yield from scope.locals
    if scope.owner:
        yield "self"
        yield from infer_attributes.names(owner_type(scope), scope)
    yield from scope.module.names


def is_visible(name: str, scope: Scope) -> bool:
    """Whether a bare name has a value here."""
    return name in scope.locals or name in scope.module.names or (bool(scope.owner) and name in visible(scope))


def hides(name: Name, scope: Scope) -> bool:
    """Whether a new name would hide another; reports it."""
    scope = scope.at(name.span)
    if name.text == "_" or not (is_visible(name.text, scope) or name.text in scope.module.uses):
        return False
    scope.report.error(
        "RW0312", name.span, f"`{name.text}` has a meaning here already", help="take another name for the new one"
    )
    return True


def prefixed(node: nodes.Expression, scope: Scope) -> Module | None:
    """The used ruleset a prefix stands for."""
    if isinstance(node, nodes.Reference) and node.name not in scope.locals:
        return scope.module.uses.get(node.name)
    return None
