"""Name spaces: every declared name is entered once (manual, Names)."""

from collections.abc import Iterator, Mapping

from rulewright.analysis.addresses import Node
from rulewright.analysis.mentions import nodes_of
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import Linked, Module, Symbol, view
from rulewright.diagnostics import Edit, Label
from rulewright.frozen import dataclass
from rulewright.program.types import WordType
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Name, NamedType

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
    """Fills the name spaces of all modules.

    Reports RW0207 (a name twice), RW0212 (capitals), RW0213 (`player`).
    """
    for module in linked.modules:
        _enter_players(module)
        for declaration in module.declarations:
            for entry in _entries(declaration, module):
                _enter(entry, module, report)
    for module in linked.modules:
        _share(module, linked)
    for name, each in linked.derivations.items():
        linked.views[name] = view(each.own, linked.views.get(each.base, each.base_home))


def _enter_players(module: Module) -> None:
    """`player` exists without being declared."""
    nowhere = Span("", 0, 0)
    name = Name("player", nowhere)
    node = d.Kind(span=nowhere, head=nowhere, name=name, plural=Name(PLAYERS, nowhere), fields=())
    module.types["player"] = Symbol("kind", "player", nowhere, node)
    module.names[PLAYERS] = Symbol("plural", "player", nowhere, node)


def _entries(declaration: Node, module: Module) -> Iterator[_Entry]:
    kind = type(declaration)
    for space, sorts in (("types", _TYPES), ("names", _NAMES), ("callables", _CALLABLES), ("others", _OTHERS)):
        if kind in sorts:
            yield _entry(space, sorts[kind], declaration.name, declaration, module)
    if isinstance(declaration, d.Kind):
        plural = _entry("names", "plural", declaration.plural, declaration, module)
        owner = module.prefix + declaration.name.text
        yield _Entry("names", plural.name, Symbol("plural", owner, plural.name.span, declaration))
    if isinstance(declaration, d.Game):
        for field in declaration.fields:
            yield _entry("names", "game", field.name, declaration, module)
    if isinstance(declaration, d.Values):
        owner = module.prefix + declaration.name.text
        for position, word in enumerate(declaration.words):
            symbol = Symbol("word", owner, word.name.span, declaration, WordType(owner), position=position)
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
    _check_capital(entry, module, report)
    space: dict[str, Symbol] = getattr(module, entry.space)
    known = space.get(text)
    if known is not None:
        if (known.sort, known.name) != ("plural", entry.symbol.name):
            _doubled(entry.name, known, report)
        return
    space[text] = entry.symbol


def _check_player(entry: _Entry, report: Report) -> None:
    """`kind player, players:` adds attributes to the kind that exists."""
    node = entry.symbol.node
    assert isinstance(node, d.Kind)
    if (node.name.text, node.plural.text) != ("player", PLAYERS) and entry.symbol.sort == "kind":
        message = "the players are written `kind player, players:`"
        written = Edit(node.name.span.to(node.plural.span), f"player, {PLAYERS}", safe=True)
        report.error("RW0213", node.head, message, edits=(written,))


def _enter_word(entry: _Entry, module: Module, report: Report) -> None:
    found = module.words.setdefault(entry.name.text, [])
    same = next((each for each in found if each.name == entry.symbol.name), None)
    if same is None:
        found.append(entry.symbol)
    elif same.node is entry.symbol.node:
        _doubled(entry.name, same, report)


def _doubled(name: Name, known: Symbol, report: Report) -> None:
    there = (Label(known.span, "declared here first"),) if known.span.source else ()
    message = f"`{name.text}` is declared twice"
    report.error("RW0207", name.span, message, secondary=there, help="choose another name for one of them")


def _uses(name: str, module: Module) -> Iterator[Span]:
    """Where the declarations of a module write a name as a type."""
    for declaration in module.declarations:
        for node in nodes_of(declaration):
            if isinstance(node, NamedType) and node.name.text == name:
                yield node.name.span


def _check_capital(entry: _Entry, module: Module, report: Report) -> None:
    text = entry.name.text
    if entry.space == "types" and not text[0].isupper():
        message = f"`{text}` names a type, so it starts with a capital"
        better = f"{text[0].upper()}{text[1:]}"
        edits = tuple(Edit(each, better, safe=True) for each in (entry.name.span, *_uses(text, module)))
        report.error("RW0212", entry.name.span, message, help=f"write `{better}`", edits=edits)
    elif entry.space != "types" and text[0].isupper():
        message = f"`{text}` is no type, so it starts with a small letter"
        report.error("RW0212", entry.name.span, message, help=f"write `{text[0].lower()}{text[1:]}`")


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
