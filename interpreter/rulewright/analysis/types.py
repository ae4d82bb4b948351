"""Types as written to types of the program (manual, Types)."""

from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked, Module, Symbol
from rulewright.diagnostics.suggest import Remedy, meant, respelt, written
from rulewright.program.types import (
    FLAG,
    GRIDS,
    PLAYER,
    TEXT,
    WHOLE,
    BagType,
    CellType,
    DeckType,
    DieType,
    DirectionType,
    InchesType,
    ListType,
    MapType,
    NumberType,
    OptionalType,
    PlaneType,
    PoolType,
    RecordType,
    SetType,
    ThingType,
    TupleType,
    Type,
    WordType,
)
from rulewright.program.wording import describe
from rulewright.source import Span
from rulewright.syntax.nodes import declarations
from rulewright.syntax.nodes import expressions as nodes

_PLAIN: dict[str, Type] = {
    "flag": FLAG,
    "text": TEXT,
    "player": PLAYER,
    **{space: CellType(space) for space in GRIDS},
    "die": DieType(WHOLE),
    "pool": PoolType(WHOLE),
    "inches": InchesType(),
    **{name: PlaneType(name) for name in ("point", "angle", "pose", "shape", "polygon")},
}
_NUMBERS = frozenset({"number", "int", "integer", "Integer", "Number", "count"})
_ELSEWHERE = {"bool": "flag", "boolean": "flag", "Boolean": "flag", "string": "text", "String": "text", "str": "text"}


def resolve_type(node: nodes.Type, module: Module, linked: Linked, report: Report) -> Type | None:
    """The type, or none where a diagnostic was reported.

    Reports RW0209 (no such type), RW0210 (a range that descends), RW0211 (a type that cannot be a key)
    and RW0220 (a type that cannot be a face).
    """
    module = module.at(node.span)
    match node:
        case nodes.RangeType(low=low, high=high):
            return _range(node, low, high, report)
        case nodes.NamedType():
            return _named(node, module, linked, report)
        case nodes.OptionalType(inner=inner):
            found = resolve_type(inner, module, linked, report)
            return found and _optional(found)
        case nodes.CollectionType(word=word, inner=inner):
            found = resolve_type(inner, module, linked, report)
            return found and _collection(word, found, node, report)
        case nodes.MapType(key=key, value=value):
            return _map(key, value, module, linked, report)
        case nodes.TupleType(parts=parts):
            found_parts = [resolve_type(part, module, linked, report) for part in parts]
            whole = tuple(part for part in found_parts if part is not None)
            return TupleType(whole) if len(whole) == len(parts) else None


def _range(node: nodes.RangeType, low: int, high: int, report: Report) -> Type | None:
    if low <= high:
        return NumberType(low, high)
    remedy = written(f"{high}..{low}", node.span, safe=False)
    report.error("RW0210", node.span, f"no number is in `{low}..{high}`", help=remedy.help, edits=remedy.edits)
    return None


def _optional(inner: Type) -> Type:
    return inner if isinstance(inner, OptionalType) else OptionalType(inner)


def _collection(word: str, inner: Type, node: nodes.CollectionType, report: Report) -> Type | None:
    match word:
        case "set":
            return SetType(inner)
        case "list":
            return ListType(inner)
        case "bag":
            return BagType(inner)
        case "die" | "pool":
            return _dice(word, inner, node, report)
        case _:
            return DeckType(inner)


def _dice(word: str, face: Type, node: nodes.CollectionType, report: Report) -> Type | None:
    if isinstance(face, NumberType | WordType):
        return DieType(face) if word == "die" else PoolType(face)
    message = f"no die has faces of type `{describe(face)}`"
    report.error("RW0220", node.inner.span, message, help="dice show numbers or words: `pool of Symbol`")
    return None


def _map(key: nodes.Type, value: nodes.Type, module: Module, linked: Linked, report: Report) -> Type | None:
    key_type = resolve_type(key, module, linked, report)
    value_type = resolve_type(value, module, linked, report)
    if key_type is None or value_type is None:
        return None
    if not is_key(key_type):
        report.error(
            "RW0211",
            key.span,
            "this type cannot be the key of a map",
            help="keys are words, things, cells, numbers, `T?` of these, or tuples of them",
        )
        return None
    return MapType(key_type, value_type)


def is_key(type_: Type) -> bool:
    """Whether values of a type can be keys of a map."""
    match type_:
        case OptionalType(inner):
            return is_key(inner)
        case TupleType(parts):
            return all(is_key(part) for part in parts)
        case _:
            return isinstance(type_, NumberType | WordType | ThingType | CellType | DirectionType)


def _named(node: nodes.NamedType, module: Module, linked: Linked, report: Report) -> Type | None:
    text = node.name.text
    if text == "direction":
        return DirectionType(grid_of(linked))
    if text in _PLAIN:
        return _PLAIN[text]
    symbol = find_type(node, module)
    if symbol is not None:
        return of_symbol(symbol)
    if not _is_failed(text, module):
        remedy = _instead(text, node.span, module, linked)
        report.error("RW0209", node.span, f"there is no type `{text}`", help=remedy.help, edits=remedy.edits)
    return None


def grid_of(linked: Linked) -> str:
    """The grid whose directions are meant by `direction`: that of the first board of cells, else hexes."""
    boards = (
        symbol.node.space.text
        for module in linked.modules
        for symbol in module.names.values()
        if isinstance(symbol.node, declarations.Board)
    )
    return next((space for space in boards if space in GRIDS), "hex")


def _instead(text: str, span: Span, module: Module, linked: Linked) -> Remedy:
    """What may have been meant: the words of other notations have their own here."""
    if text in _NUMBERS:
        return Remedy("write its bounds, such as `0..9`")
    if text in _ELSEWHERE:
        return respelt(span, _ELSEWHERE[text], safe=True)
    return meant(text, _visible(module, linked), span)


def find_type(node: nodes.NamedType, module: Module) -> Symbol | None:
    """The kind, record or values list of a name, `Unit` or `base.Unit`."""
    *prefixes, last = node.name.parts
    home: Module | None = module
    for prefix in prefixes:
        home = home.uses.get(prefix.text) if home else None
    return home.types.get(last.text) if home else None


def of_symbol(symbol: Symbol) -> Type:
    """The type of a kind, record or values list."""
    match symbol.sort:
        case "kind":
            return ThingType(symbol.name)
        case "record":
            return RecordType(symbol.name)
        case _:
            return WordType(symbol.name)


def _is_failed(text: str, module: Module) -> bool:
    """Whether it was reported elsewhere: a prefix that led nowhere, a type declared with a small letter."""
    first, dot, _ = text.partition(".")
    return first in module.broken if dot else text[0].lower() + text[1:] in module.types


def _visible(module: Module, linked: Linked) -> list[str]:
    del linked
    used = [f"{prefix}.{name}" for prefix, other in module.uses.items() for name in other.types]
    return [*_PLAIN, "direction", *module.types, *used]
