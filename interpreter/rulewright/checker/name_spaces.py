"""Name resolution of declarations: one symbol for each name, and the types that names mean."""

import re
from collections.abc import Callable, Iterator

from rulewright.base.diagnostics import DiagnosticCollector, Edit, Label, Remedy
from rulewright.base.diagnostics.remedies import make_name_remedy, make_replacement_remedy, make_respelling_remedy
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker.addresses import DeclarationNode
from rulewright.checker.read_sets import list_declaration_nodes
from rulewright.checker.symbols import (
    CALLABLE_SPACE,
    LOCAL_SPACE,
    NAME_SORTS,
    NAME_SPACES,
    PARAMETER_SPACE,
    TYPE_SPACE,
    Derivation,
    LinkedModule,
    LinkedProgram,
    Symbol,
    find_symbol,
    merge_module_views,
    resolve_prefixes,
)
from rulewright.program import types as ty
from rulewright.program.types import Type
from rulewright.program.wording import describe_type
from rulewright.syntax.nodes import declarations as d, expressions as nodes
from rulewright.syntax.nodes.expressions import Name

PLAYERS_PLURAL = "players"


@dataclass(frozen=True, slots=True)
class _NameEntry:
    space: str
    name: Name
    symbol: Symbol


def collect_names(linked: LinkedProgram, report: DiagnosticCollector) -> None:
    """Fills the name spaces of all modules; `player` exists without being declared.

    Reports RW0207 (a name twice, a die called like a plain one), RW0212 (capitals), RW0213 (`player`).
    """
    nowhere = Span("", 0, 0)
    player, players = Name("player", nowhere), Name(PLAYERS_PLURAL, nowhere)
    undeclared = d.Kind(span=nowhere, head=nowhere, name=player, plural=players, fields=())
    for module in linked.modules:
        module.types["player"] = Symbol("kind", "player", nowhere, undeclared)
        module.names[PLAYERS_PLURAL] = Symbol("plural", "player", nowhere, undeclared)
        for declaration in module.declarations:
            for entry in _iterate_name_entries(declaration, module):
                _enter_name(entry, module, report)
    for module in linked.modules:
        _share_file_names(module, linked)
    for name, derivation in linked.derivations.items():
        _note_derivation_names(name, derivation, report)
        linked.procedure_views[name] = merge_module_views(
            derivation.own_module, linked.procedure_views.get(derivation.base, derivation.base_module)
        )


def _note_derivation_names(name: str, derivation: Derivation, report: DiagnosticCollector) -> None:
    node = derivation.node
    resolve_prefixes(node.base, derivation.own_module, report)
    report.note_use(node.base.parts[-1].span, CALLABLE_SPACE, "", derivation.base)
    for argument in node.arguments:
        if argument.name is not None:
            report.note_use(argument.name.span, PARAMETER_SPACE, derivation.base, argument.name.text)
        if isinstance(argument.value, nodes.Reference):
            report.note_use(argument.value.span, LOCAL_SPACE, name, argument.value.name)


def _iterate_name_entries(declaration: DeclarationNode, module: LinkedModule) -> Iterator[_NameEntry]:
    kind = type(declaration)
    if kind in NAME_SPACES:
        space = NAME_SPACES[kind]
        yield _make_name_entry(space, NAME_SORTS[space][kind], declaration.name, declaration, module)
    if isinstance(declaration, d.Kind):
        plural, owner = declaration.plural, module.prefix + declaration.name.text
        yield _NameEntry("names", plural, Symbol("plural", owner, plural.span, declaration))
    if isinstance(declaration, d.Game):
        for field in declaration.fields:
            yield _make_name_entry("names", "game", field.name, declaration, module)
    if isinstance(declaration, d.Values):
        owner = module.prefix + declaration.name.text
        for position, word in enumerate(declaration.words):
            symbol = Symbol("word", owner, word.name.span, declaration, ty.WordType(owner), position=position)
            yield _NameEntry("words", word.name, symbol)


def _make_name_entry(space: str, sort: str, name: Name, node: DeclarationNode, module: LinkedModule) -> _NameEntry:
    return _NameEntry(space, name, Symbol(sort, module.prefix + name.text, name.span, node))


def _enter_name(entry: _NameEntry, module: LinkedModule, report: DiagnosticCollector) -> None:
    report.address = module.prefix + entry.name.text
    text = entry.name.text
    if entry.space == "words":
        _enter_list_word(entry, module, report)
        return
    if text in {"player", PLAYERS_PLURAL} and entry.symbol.sort in {"kind", "plural"}:
        _check_player_entry(entry, report)
        return
    space: dict[str, Symbol] = getattr(module, entry.space)
    known = space.get(text)
    is_there = known is not None and not known.span.source
    if not is_there and not _is_named_like_plain_die(entry, module, report):
        _check_name_capital(entry, module, report)
    if known is not None:
        if (known.sort, known.name) != ("plural", entry.symbol.name):
            _report_duplicate_name(entry.name, known, report)
        return
    space[text] = entry.symbol


def _check_player_entry(entry: _NameEntry, report: DiagnosticCollector) -> None:
    """Reports `player` or `players` as a name of any kind but `kind player, players:`, which adds attributes."""
    node = entry.symbol.node
    assert isinstance(node, d.Kind)
    name, is_kind = node.name.text, entry.symbol.sort == "kind"
    if (name, node.plural.text) == ("player", PLAYERS_PLURAL) or is_kind is not (name in {"player", PLAYERS_PLURAL}):
        return
    if name.lower() not in {"player", PLAYERS_PLURAL}:
        report.error("RW0207", node.plural.span, _PLAYER_EXISTS_MESSAGE, help="choose another plural")
        return
    written = Edit(node.name.span.extend_to(node.plural.span), f"player, {PLAYERS_PLURAL}", safe=True)
    report.error("RW0213", node.head, _PLAYER_EXISTS_MESSAGE, help=_PLAYER_REMEDY, edits=(written,))


_PLAYER_EXISTS_MESSAGE = f"the kind `player`, with its plural `{PLAYERS_PLURAL}`, is there in every ruleset"
_PLAYER_REMEDY = f"write `kind player, {PLAYERS_PLURAL}:` to give it attributes; without any, take the line out"


def _enter_list_word(entry: _NameEntry, module: LinkedModule, report: DiagnosticCollector) -> None:
    items = module.words.setdefault(entry.name.text, [])
    same = next((symbol for symbol in items if symbol.name == entry.symbol.name), None)
    if same is None:
        items.append(entry.symbol)
    elif same.node is entry.symbol.node:
        _report_duplicate_name(entry.name, same, report)


def _report_duplicate_name(name: Name, known: Symbol, report: DiagnosticCollector) -> None:
    if not known.span.source:
        report.error("RW0207", name.span, _PLAYER_EXISTS_MESSAGE, help="choose another name")
        return
    there = (Label(known.span, "declared here first"),)
    message = f"`{name.text}` is declared twice"
    report.error("RW0207", name.span, message, secondary=there, help="choose another name for one of them")


def _find_type_uses(name: str, module: LinkedModule) -> Iterator[Span]:
    for declaration in module.declarations:
        for node in list_declaration_nodes(declaration):
            if isinstance(node, nodes.NamedType) and node.name.text == name:
                yield node.name.span


def _check_name_capital(entry: _NameEntry, module: LinkedModule, report: DiagnosticCollector) -> None:
    text = entry.name.text
    if entry.space == "types" and not text[0].isupper():
        message = f"`{text}` names a type, so it starts with a capital"
        better = f"{text[0].upper()}{text[1:]}"
        edits = tuple(Edit(span, better, safe=True) for span in (entry.name.span, *_find_type_uses(text, module)))
        report.error("RW0212", entry.name.span, message, help=f"write `{better}`", edits=edits)
    elif entry.space != "types" and text[0].isupper():
        message = f"`{text}` is not a type, so it starts with a small letter"
        better = text.lower() if text.isupper() else f"{text[0].lower()}{text[1:]}"
        report.error("RW0212", entry.name.span, message, help=f"write `{better}`")


def _is_named_like_plain_die(entry: _NameEntry, module: LinkedModule, report: DiagnosticCollector) -> bool:
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


def _share_file_names(module: LinkedModule, linked: LinkedProgram) -> None:
    for other in linked.modules:
        if other is module:
            continue
        shared = set(module.sources) & set(other.sources)
        for space in ("types", "names", "callables", "others"):
            symbols: dict[str, Symbol] = getattr(module, space)
            theirs: dict[str, Symbol] = getattr(other, space)
            symbols.update({n: s for n, s in theirs.items() if s.span.source in shared and n not in symbols})
        _share_file_words(module, other, shared)


def _share_file_words(module: LinkedModule, other: LinkedModule, shared: set[str]) -> None:
    for word, symbols in other.words.items():
        known = module.words.setdefault(word, [])
        known.extend(symbol for symbol in symbols if symbol.span.source in shared and symbol not in known)
        if not known:
            del module.words[word]


PLAIN_TYPES: dict[str, Type] = {
    "flag": ty.FLAG,
    "text": ty.TEXT,
    "fraction": ty.FractionType(),
    "player": ty.PLAYER,
    **{space: ty.CellType(space) for space in ty.GRID_STEPS},
    "die": ty.DieType(ty.WHOLE),
    "pool": ty.PoolType(ty.WHOLE),
    "length": ty.LengthType(),
    ty.INCHES: ty.LengthType(),
    **{name: ty.PlaneType(name) for name in ("point", "angle", "pose", "shape", "polygon")},
}
"""Types of the language by name."""

_DIE_TYPE_PATTERN, _MAX_DIE_TYPE_FACES = re.compile(r"[dD]([0-9]{1,4})"), 1000
"""A die as a type is the range of its numbers; the limit is a chosen one."""
_UNBOUNDED_TYPE_NAMES = frozenset({"number", "int", "integer", "count", "whole", "natural", "float", "decimal"})
_FOREIGN_TYPE_NAMES = {
    "bool": "flag",
    "boolean": "flag",
    "Boolean": "flag",
    "string": "text",
    "String": "text",
    "str": "text",
}


def resolve_type(
    node: nodes.Type, module: LinkedModule, linked: LinkedProgram, report: DiagnosticCollector
) -> Type | None:
    """Type of a written type; None after an error.

    Reports RW0209 (no such type), RW0210 (a range that descends), RW0211 (a type that cannot be a key) and RW0220 (a
    type that cannot be a face).
    """
    module = module.get_module_at(node.span)
    match node:
        case nodes.RangeType(low=low, high=high):
            if low <= high:
                return ty.NumberType(low, high)
            remedy = make_replacement_remedy(f"{high}..{low}", node.span, safe=False)
            report.error("RW0210", node.span, f"no number is in `{low}..{high}`", remedy=remedy)
            return None
        case nodes.NamedType():
            return _resolve_named_type(node, module, linked, report)
        case nodes.OptionalType(inner=inner):
            result = resolve_type(inner, module, linked, report)
            return result and ty.OptionalType(ty.strip_optional(result))
        case nodes.CollectionType(word=word, inner=inner):
            result = resolve_type(inner, module, linked, report)
            return result and _resolve_collection_type(word, result, node, report)
        case nodes.MapType(key=key, value=value):
            return _resolve_map_type(key, value, module, linked, report)
        case nodes.TupleType(parts=parts):
            found_parts = [resolve_type(part, module, linked, report) for part in parts]
            whole = tuple(part for part in found_parts if part is not None)
            return ty.TupleType(whole) if len(whole) == len(parts) else None


def _resolve_collection_type(
    word: str, inner: Type, node: nodes.CollectionType, report: DiagnosticCollector
) -> Type | None:
    if word in {"die", "pool"} and not isinstance(inner, ty.NumberType | ty.WordType):
        message = f"the face of a die is never {describe_type(inner)}"
        report.error("RW0220", node.inner.span, message, help="dice show numbers or words: `pool of Symbol`")
        return None
    return _COLLECTION_TYPES[word](inner)


_COLLECTION_TYPES: dict[str, Callable[[Type], Type]] = {
    "set": ty.SetType, "list": ty.ListType, "bag": ty.BagType,
    "deck": ty.DeckType, "die": ty.DieType, "pool": ty.PoolType,
}  # fmt: skip


def _resolve_map_type(
    key: nodes.Type, value: nodes.Type, module: LinkedModule, linked: LinkedProgram, report: DiagnosticCollector
) -> Type | None:
    key_type = resolve_type(key, module, linked, report)
    value_type = resolve_type(value, module, linked, report)
    if key_type is None or value_type is None:
        return None
    if not can_be_map_key(key_type):
        remedy = "keys are words, things, cells, numbers, `T?` of these, or tuples of them"
        report.error("RW0211", key.span, "this type cannot be the key of a map", help=remedy)
        return None
    return ty.MapType(key_type, value_type)


def can_be_map_key(type_: Type) -> bool:
    """Whether values of a type can be keys of a map."""
    match type_:
        case ty.OptionalType(inner):
            return can_be_map_key(inner)
        case ty.TupleType(parts):
            return all(can_be_map_key(part) for part in parts)
        case _:
            return isinstance(type_, ty.NumberType | ty.WordType | ty.ThingType | ty.CellType | ty.DirectionType)


def _resolve_named_type(
    node: nodes.NamedType, module: LinkedModule, linked: LinkedProgram, report: DiagnosticCollector
) -> Type | None:
    text = node.name.text
    if text == "direction":
        return ty.DirectionType(get_direction_grid(linked))
    if text == ty.INCHES and (unit := get_length_unit(linked)) != ty.INCHES:
        message = f"lengths are counted in {unit} here, not in {ty.INCHES}"
        report.error("RW0246", node.span, message, remedy=make_replacement_remedy("length", node.span, safe=False))
    if text in PLAIN_TYPES and text != "player":
        return PLAIN_TYPES[text]
    found = find_symbol(node.name, TYPE_SPACE, module, report)
    if found is not None:
        return get_symbol_type(found[0])
    shown = _DIE_TYPE_PATTERN.fullmatch(text)
    if shown and 1 <= int(shown[1]) <= _MAX_DIE_TYPE_FACES:
        return ty.PAIRED if int(shown[1]) == ty.PAIRED.high else ty.NumberType(1, int(shown[1]))
    if not _is_reported_type(text, module):
        report.error(
            "RW0209",
            node.span,
            f"there is no type `{text}`",
            remedy=_suggest_type(text, node.span, module),
            missing=text,
        )
    return None


def get_length_unit(linked: LinkedProgram) -> str:
    """Length unit of the board of the plane; inches by default."""
    boards = (symbol.node for module in linked.modules for symbol in module.names.values())
    units = (board.unit.text for board in boards if isinstance(board, d.Board) and board.unit)
    return next((unit for unit in units if unit in ty.INCHES_PER_UNIT), ty.INCHES)


def get_direction_grid(linked: LinkedProgram) -> str:
    """Grid of the type `direction`: that of the first board of cells, else hexes."""
    boards = (
        symbol.node.space.text
        for module in linked.modules
        for symbol in module.names.values()
        if isinstance(symbol.node, d.Board)
    )
    return next((space for space in boards if space in ty.GRID_STEPS), "hex")


def _suggest_type(text: str, span: Span, module: LinkedModule) -> Remedy:
    if text == "dice":
        return Remedy("a number of dice has a type such as `1..6`; what a roll showed is a `die` or a `pool`")
    if text.lower() in _UNBOUNDED_TYPE_NAMES:
        return Remedy("write its bounds, such as `0..9`")
    if text in _FOREIGN_TYPE_NAMES:
        return make_respelling_remedy(span, _FOREIGN_TYPE_NAMES[text], safe=True)
    several = module.names.get(text[0].lower() + text[1:])
    if several is not None and several.sort == "plural":
        return Remedy(f"one is written `{several.name}`, several `set of {several.name}`")
    used = [f"{prefix}.{name}" for prefix, other in module.uses.items() for name in other.types]
    return make_name_remedy(text, [*PLAIN_TYPES, "direction", *module.types, *used], span)


def get_symbol_type(symbol: Symbol) -> Type:
    match symbol.sort:
        case "kind":
            return ty.ThingType(symbol.name)
        case "record":
            return ty.RecordType(symbol.name)
        case _:
            return ty.WordType(symbol.name)


def _is_reported_type(text: str, module: LinkedModule) -> bool:
    first, dot, _ = text.partition(".")
    return first in module.broken_prefixes if dot else text[0].lower() + text[1:] in module.types
