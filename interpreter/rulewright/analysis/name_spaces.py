"""Name spaces: every declared name is entered once, and what types written with such names mean."""

import re
from collections.abc import Callable, Iterator, Mapping

from rulewright.analysis.addresses import Node
from rulewright.analysis.reads import nodes_of
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked, Module, Symbol, home, view
from rulewright.diagnostics import Edit, Label
from rulewright.diagnostics.remedies import Remedy, meant, respelt, written
from rulewright.frozen import dataclass
from rulewright.program import types as ty
from rulewright.program.types import Type
from rulewright.program.wording import sort_in_words
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, expressions as nodes
from rulewright.syntax.nodes.expressions import Name

PLAYERS = "players"

_CALLABLES: Mapping[type, str] = {
    d.Term: "term",
    d.Tally: "tally",
    d.Decide: "decide",
    d.Table: "table",
    d.Paths: "paths",
    d.Relation: "relation",
    d.ExternalProcedure: "external procedure",
    d.ExternalTerm: "external term",
    d.Procedure: "procedure",
    d.ProcedureLike: "procedure",
    d.Event: "event",
    d.Measure: "measure",
}
_OTHERS: Mapping[type, str] = {d.Handler: "handler", d.Whenever: "rule", d.Always: "invariant"}
_NAMES: Mapping[type, str] = {d.Board: "board", d.Setting: "setting", d.DieDeclaration: "die"}
_TYPES: Mapping[type, str] = {d.Values: "values", d.Kind: "kind", d.Record: "record"}


@dataclass(frozen=True, slots=True)
class _Entry:
    """A name to enter: in which name space, and what it stands for."""

    space: str
    name: Name
    symbol: Symbol


def collect(linked: Linked, report: Report) -> None:
    """Fills the name spaces of all modules; `player` is there without being declared.

    Reports RW0207 (a name twice, a die called like a plain one), RW0212 (capitals), RW0213 (`player`).
    """
    nowhere = Span("", 0, 0)
    player, players = Name("player", nowhere), Name(PLAYERS, nowhere)
    undeclared = d.Kind(span=nowhere, head=nowhere, name=player, plural=players, fields=())
    for module in linked.modules:
        module.types["player"] = Symbol("kind", "player", nowhere, undeclared)
        module.names[PLAYERS] = Symbol("plural", "player", nowhere, undeclared)
        for declaration in module.declarations:
            for entry in _entries(declaration, module):
                _enter(entry, module, report)
    for module in linked.modules:
        _share(module, linked)
    for name, each in linked.derivations.items():
        linked.views[name] = view(each.own, linked.views.get(each.base, each.base_home))


def _entries(declaration: Node, module: Module) -> Iterator[_Entry]:
    kind = type(declaration)
    for space, sorts in (("types", _TYPES), ("names", _NAMES), ("callables", _CALLABLES), ("others", _OTHERS)):
        if kind in sorts:
            yield _entry(space, sorts[kind], declaration.name, declaration, module)
    if isinstance(declaration, d.Kind):
        plural, owner = declaration.plural, module.prefix + declaration.name.text
        yield _Entry("names", plural, Symbol("plural", owner, plural.span, declaration))
    if isinstance(declaration, d.Game):
        for field in declaration.fields:
            yield _entry("names", "game", field.name, declaration, module)
    if isinstance(declaration, d.Values):
        owner = module.prefix + declaration.name.text
        for position, word in enumerate(declaration.words):
            symbol = Symbol("word", owner, word.name.span, declaration, ty.WordType(owner), position=position)
            yield _Entry("words", word.name, symbol)


def _entry(space: str, sort: str, name: Name, node: Node, module: Module) -> _Entry:
    return _Entry(space, name, Symbol(sort, module.prefix + name.text, name.span, node))


def _enter(entry: _Entry, module: Module, report: Report) -> None:
    report.address = module.prefix + entry.name.text
    text = entry.name.text
    if entry.space == "words":
        _enter_word(entry, module, report)
        return
    if text in {"player", PLAYERS} and entry.symbol.sort in {"kind", "plural"}:
        _check_player(entry, report)
        return
    space: dict[str, Symbol] = getattr(module, entry.space)
    known = space.get(text)
    is_there = known is not None and not known.span.source
    if not is_there and not _is_plain_die(entry, module, report):
        _check_capital(entry, module, report)
    if known is not None:
        if (known.sort, known.name) != ("plural", entry.symbol.name):
            _doubled(entry.name, known, report)
        return
    space[text] = entry.symbol


def _check_player(entry: _Entry, report: Report) -> None:
    """`kind player, players:` adds attributes to the kind that exists; of any other kind neither name is free."""
    node = entry.symbol.node
    assert isinstance(node, d.Kind)
    name, is_kind = node.name.text, entry.symbol.sort == "kind"
    if (name, node.plural.text) == ("player", PLAYERS) or is_kind is not (name in {"player", PLAYERS}):
        return
    if name.lower() not in {"player", PLAYERS}:
        report.error("RW0207", node.plural.span, _THERE, help="choose another plural")
        return
    written = Edit(node.name.span.to(node.plural.span), f"player, {PLAYERS}", safe=True)
    report.error("RW0213", node.head, _THERE, help=_ATTRIBUTES, edits=(written,))


_THERE = f"the kind `player`, with its plural `{PLAYERS}`, is there in every ruleset"
_ATTRIBUTES = f"write `kind player, {PLAYERS}:` to give it attributes; without any, take the line out"


def _enter_word(entry: _Entry, module: Module, report: Report) -> None:
    found = module.words.setdefault(entry.name.text, [])
    same = next((each for each in found if each.name == entry.symbol.name), None)
    if same is None:
        found.append(entry.symbol)
    elif same.node is entry.symbol.node:
        _doubled(entry.name, same, report)


def _doubled(name: Name, known: Symbol, report: Report) -> None:
    if not known.span.source:
        report.error("RW0207", name.span, _THERE, help="choose another name")
        return
    there = (Label(known.span, "declared here first"),)
    message = f"`{name.text}` is declared twice"
    report.error("RW0207", name.span, message, secondary=there, help="choose another name for one of them")


def _uses(name: str, module: Module) -> Iterator[Span]:
    """Where the declarations of a module write a name as a type."""
    for declaration in module.declarations:
        for node in nodes_of(declaration):
            if isinstance(node, nodes.NamedType) and node.name.text == name:
                yield node.name.span


def _check_capital(entry: _Entry, module: Module, report: Report) -> None:
    text = entry.name.text
    if entry.space == "types" and not text[0].isupper():
        message = f"`{text}` names a type, so it starts with a capital"
        better = f"{text[0].upper()}{text[1:]}"
        edits = tuple(Edit(each, better, safe=True) for each in (entry.name.span, *_uses(text, module)))
        report.error("RW0212", entry.name.span, message, help=f"write `{better}`", edits=edits)
    elif entry.space != "types" and text[0].isupper():
        message = f"`{text}` is not a type, so it starts with a small letter"
        better = text.lower() if text.isupper() else f"{text[0].lower()}{text[1:]}"
        report.error("RW0212", entry.name.span, message, help=f"write `{better}`")


def _is_plain_die(entry: _Entry, module: Module, report: Report) -> bool:
    """Whether a declared die is called like a plain one, which every roll takes for it; reports that."""
    text = entry.name.text
    faces = text[1:]
    if entry.symbol.sort != "die" or text[0] not in "dD" or not faces.isdecimal():
        return False
    better = f"own_d{faces}"
    edits = () if better in module.names else (Edit(entry.name.span, better, safe=True),)
    message = f"`{text}` always means a die with the numbers 1 to {faces}"
    help_ = f"give a die of your own another name, such as `{better}`"
    report.error("RW0207", entry.name.span, message, help=help_, edits=edits)
    return True


def _share(module: Module, linked: Linked) -> None:
    """Shows a module the names of files it uses that belong to another."""
    for other in linked.modules:
        if other is module:
            continue
        shared = set(module.sources) & set(other.sources)
        for space in ("types", "names", "callables", "others"):
            mine: dict[str, Symbol] = getattr(module, space)
            theirs: dict[str, Symbol] = getattr(other, space)
            mine.update({n: s for n, s in theirs.items() if s.span.source in shared and n not in mine})
        _share_words(module, other, shared)


def _share_words(module: Module, other: Module, shared: set[str]) -> None:
    for word, symbols in other.words.items():
        known = module.words.setdefault(word, [])
        known.extend(each for each in symbols if each.span.source in shared and each not in known)
        if not known:
            del module.words[word]


PLAIN_TYPES: dict[str, Type] = {
    "flag": ty.FLAG,
    "text": ty.TEXT,
    "fraction": ty.FractionType(),
    "player": ty.PLAYER,
    **{space: ty.CellType(space) for space in ty.GRIDS},
    "die": ty.DieType(ty.WHOLE),
    "pool": ty.PoolType(ty.WHOLE),
    "length": ty.LengthType(),
    ty.INCHES: ty.LengthType(),
    **{name: ty.PlaneType(name) for name in ("point", "angle", "pose", "shape", "polygon")},
}
"""The types that the language has by itself."""

_SHOWN, _MOST_SHOWN = re.compile(r"[dD]([0-9]{1,4})"), 1000
"""A die, which as a type is the numbers that it shows."""
_WITHOUT_BOUNDS = frozenset({"number", "int", "integer", "count", "whole", "natural", "float", "decimal"})
_ELSEWHERE = {"bool": "flag", "boolean": "flag", "Boolean": "flag", "string": "text", "String": "text", "str": "text"}


def resolve_type(  # noqa: PLR0911 - one case for each sort
    node: nodes.Type, module: Module, linked: Linked, report: Report
) -> Type | None:
    """The type, or none where a diagnostic was reported.

    Reports RW0209 (no such type), RW0210 (a range that descends), RW0211 (a type that cannot be a key)
    and RW0220 (a type that cannot be a face).
    """
    module = module.at(node.span)
    match node:
        case nodes.RangeType(low=low, high=high):
            if low <= high:
                return ty.NumberType(low, high)
            remedy = written(f"{high}..{low}", node.span, safe=False)
            report.error("RW0210", node.span, f"no number is in `{low}..{high}`", remedy=remedy)
            return None
        case nodes.NamedType():
            return _named(node, module, linked, report)
        case nodes.OptionalType(inner=inner):
            found = resolve_type(inner, module, linked, report)
            return found and ty.OptionalType(ty.present(found))
        case nodes.CollectionType(word=word, inner=inner):
            found = resolve_type(inner, module, linked, report)
            return found and _collection(word, found, node, report)
        case nodes.MapType(key=key, value=value):
            return _map(key, value, module, linked, report)
        case nodes.TupleType(parts=parts):
            found_parts = [resolve_type(part, module, linked, report) for part in parts]
            whole = tuple(part for part in found_parts if part is not None)
            return ty.TupleType(whole) if len(whole) == len(parts) else None


def _collection(word: str, inner: Type, node: nodes.CollectionType, report: Report) -> Type | None:
    if word in {"die", "pool"} and not isinstance(inner, ty.NumberType | ty.WordType):
        message = f"the face of a die is never {sort_in_words(inner)}"
        report.error("RW0220", node.inner.span, message, help="dice show numbers or words: `pool of Symbol`")
        return None
    return _COLLECTIONS[word](inner)


_COLLECTIONS: dict[str, Callable[[Type], Type]] = {
    "set": ty.SetType, "list": ty.ListType, "bag": ty.BagType,
    "deck": ty.DeckType, "die": ty.DieType, "pool": ty.PoolType,
}  # fmt: skip


def _map(key: nodes.Type, value: nodes.Type, module: Module, linked: Linked, report: Report) -> Type | None:
    key_type = resolve_type(key, module, linked, report)
    value_type = resolve_type(value, module, linked, report)
    if key_type is None or value_type is None:
        return None
    if not is_key(key_type):
        remedy = "keys are words, things, cells, numbers, `T?` of these, or tuples of them"
        report.error("RW0211", key.span, "this type cannot be the key of a map", help=remedy)
        return None
    return ty.MapType(key_type, value_type)


def is_key(type_: Type) -> bool:
    """Whether values of a type can be keys of a map."""
    match type_:
        case ty.OptionalType(inner):
            return is_key(inner)
        case ty.TupleType(parts):
            return all(is_key(part) for part in parts)
        case _:
            return isinstance(type_, ty.NumberType | ty.WordType | ty.ThingType | ty.CellType | ty.DirectionType)


def _named(node: nodes.NamedType, module: Module, linked: Linked, report: Report) -> Type | None:
    text = node.name.text
    if text == "direction":
        return ty.DirectionType(grid_of(linked))
    if text == ty.INCHES and (unit := unit_of(linked)) != ty.INCHES:
        message = f"lengths are counted in {unit} here, not in {ty.INCHES}"
        report.error("RW0246", node.span, message, remedy=written("length", node.span, safe=False))
    if text in PLAIN_TYPES:
        return PLAIN_TYPES[text]
    symbol = find_type(node, module)
    if symbol is not None:
        return of_symbol(symbol)
    shown = _SHOWN.fullmatch(text)
    if shown and 1 <= int(shown[1]) <= _MOST_SHOWN:
        return ty.PAIRED if int(shown[1]) == ty.PAIRED.high else ty.NumberType(1, int(shown[1]))
    if not _is_failed(text, module):
        report.error("RW0209", node.span, f"there is no type `{text}`", remedy=_instead(text, node.span, module))
    return None


def unit_of(linked: Linked) -> str:
    """The unit in which the board of the plane counts lengths; inches where nothing is said."""
    boards = (symbol.node for module in linked.modules for symbol in module.names.values())
    units = (each.unit.text for each in boards if isinstance(each, d.Board) and each.unit)
    return next((each for each in units if each in ty.LENGTHS), ty.INCHES)


def grid_of(linked: Linked) -> str:
    """The grid whose directions are meant by `direction`: that of the first board of cells, else hexes."""
    boards = (
        symbol.node.space.text
        for module in linked.modules
        for symbol in module.names.values()
        if isinstance(symbol.node, d.Board)
    )
    return next((space for space in boards if space in ty.GRIDS), "hex")


def _instead(text: str, span: Span, module: Module) -> Remedy:
    """What may have been meant: the words of other notations have their own here."""
    if text == "dice":
        return Remedy("a number of dice has a type such as `1..6`; what a roll showed is a `die` or a `pool`")
    if text.lower() in _WITHOUT_BOUNDS:
        return Remedy("write its bounds, such as `0..9`")
    if text in _ELSEWHERE:
        return respelt(span, _ELSEWHERE[text], safe=True)
    several = module.names.get(text[0].lower() + text[1:])
    if several is not None and several.sort == "plural":
        return Remedy(f"one is written `{several.name}`, several `set of {several.name}`")
    used = [f"{prefix}.{name}" for prefix, other in module.uses.items() for name in other.types]
    return meant(text, [*PLAIN_TYPES, "direction", *module.types, *used], span)


def find_type(node: nodes.NamedType, module: Module) -> Symbol | None:
    """The kind, record or values list of a name, `Unit` or `base.Unit`."""
    found = home(node.name, module)
    return found.types.get(node.name.parts[-1].text) if found else None


def of_symbol(symbol: Symbol) -> Type:
    """The type of a kind, record or values list."""
    match symbol.sort:
        case "kind":
            return ty.ThingType(symbol.name)
        case "record":
            return ty.RecordType(symbol.name)
        case _:
            return ty.WordType(symbol.name)


def _is_failed(text: str, module: Module) -> bool:
    """Whether it was reported elsewhere: a prefix that led nowhere, a type declared with a small letter."""
    first, dot, _ = text.partition(".")
    return first in module.broken if dot else text[0].lower() + text[1:] in module.types
