"""Symbols, modules and the linked program; headers of files.

A *module* is one name space: a file with all it uses without a prefix, overlays applied. A ruleset used `as base` is a
module of its own, reached through the alias.
"""

import dataclasses
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, TypeVar

from rulewright.base.diagnostics import Basis, DiagnosticCollector, Edit, Label
from rulewright.base.diagnostics.remedies import make_deletion_edits, make_name_remedy, make_wrapping_edits
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.program.declarations import Document
from rulewright.program.types import Type
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.declarations import Declaration
from rulewright.syntax.nodes.expressions import Dotted, Name

_NodeType = TypeVar("_NodeType")

TYPE_SPACE, VALUE_SPACE, CALLABLE_SPACE, OTHER_SPACE = "types", "names", "callables", "others"
"""Name spaces of a module, by the names of their fields."""
PREFIX_SPACE, WORD_SPACE, ATTRIBUTE_SPACE, STEP_SPACE = "prefixes", "words", "attributes", "steps"
LOCAL_SPACE, PARAMETER_SPACE = "locals", "parameters"
"""Further name spaces: of prefixes, and of names that belong to a list, kind, record, board or declaration.

In `PARAMETER_SPACE` are names of arguments: what they mean is local to what is called, and is not read there.
"""

NAME_SORTS: Mapping[str, Mapping[type, str]] = {
    CALLABLE_SPACE: {
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
    },
    OTHER_SPACE: {d.Handler: "handler", d.Whenever: "rule", d.Always: "invariant"},
    VALUE_SPACE: {d.Board: "board", d.Setting: "setting", d.DieDeclaration: "die"},
    TYPE_SPACE: {d.Values: "values", d.Kind: "kind", d.Record: "record"},
}
"""What declarations declare, by name space and class."""
NAME_SPACES: Mapping[type, str] = {kind: space for space, sorts in NAME_SORTS.items() for kind in sorts}
"""Name spaces by class of declaration."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared name."""

    # `values`, `word`, `kind`, `plural`, `record`, `board`, `game`, `setting`, `die`, `relation`, `term`, `tally`,
    # `decide`, `table`, `paths`, `external procedure`, `external term`, `event`, `handler`, `rule`, `procedure`,
    # `measure` or `invariant`
    sort: str
    # qualified name, `base.Unit`; of a word that of its list, of a plural that of its kind
    name: str
    span: Span  # of the name in its declaration
    node: Declaration
    # type of a game field, setting or word, face type of a die
    type: Type | None = None
    parameters: tuple[tuple[str, Type], ...] = ()  # names and types of the parameters of a callable
    position: int = 0  # place of a word in its list


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class LinkedModule:
    """A name space."""

    prefix: str  # "" for the main module, else `base.`: before every own name
    # own declarations in reading order, overlays applied; a file of several modules belongs to the one nearest to the
    # main file
    declarations: tuple[Declaration, ...]
    files: tuple[d.File, ...]  # in reading order, overlays last
    # used modules by prefix
    uses: MutableMapping[str, "LinkedModule"] = dataclasses.field(default_factory=dict)
    # kinds, records and values lists
    types: MutableMapping[str, Symbol] = dataclasses.field(default_factory=dict)
    # plurals, boards, game fields, settings, dice
    names: MutableMapping[str, Symbol] = dataclasses.field(default_factory=dict)
    words: dict[str, list[Symbol]] = dataclasses.field(default_factory=dict)  # all lists that have the word
    # terms, tallies, decides, tables, paths, relations, externals, procedures, events, measures
    callables: MutableMapping[str, Symbol] = dataclasses.field(default_factory=dict)
    # handlers, standing rules, invariants
    others: MutableMapping[str, Symbol] = dataclasses.field(default_factory=dict)
    header: d.RulesetHeader | None = None  # of the main file
    sources: tuple[str, ...] = ()  # source names of all files, shared ones included, in reading order
    # prefixes of `use` lines that lead nowhere, which was reported
    broken_prefixes: frozenset[str] = frozenset()
    # edition of the language, by source
    editions: Mapping[str, int] = dataclasses.field(default_factory=dict)
    # in the view of a derived procedure: module whose names a text sees, by source
    inherited: Mapping[str, "LinkedModule"] = dataclasses.field(default_factory=dict)

    def get_module_at(self, span: Span) -> "LinkedModule":
        """Module whose names the text at a place sees: this one, but the original one for lines inherited by `like`."""
        return self.inherited.get(span.source, self)


def note_symbol(span: Span, symbol: Symbol, report: DiagnosticCollector) -> None:
    """Notes that the name at a place means a symbol; not for words, which have no name of their own."""
    name, space = symbol.name, NAME_SPACES.get(type(symbol.node), VALUE_SPACE)
    if symbol.sort == "plural":
        assert isinstance(symbol.node, d.Kind)
        name, space = name.removesuffix(symbol.node.name.text) + symbol.node.plural.text, VALUE_SPACE
    report.note_use(span, space, "", name)


def report_missing_name(  # noqa: PLR0913, PLR0917 - what is missing, and what there is instead
    code: str,
    name: Name | Dotted,
    what: str,
    valid: Iterable[str],
    report: DiagnosticCollector,
    where: str = "",
    owner: str = "",
    otherwise: str = "",
) -> None:
    """Reports that there is nothing of a name; `owner` stands before it in the subject of the finding."""
    remedy = make_name_remedy(name.text, valid, name.span, otherwise)
    report.error(code, name.span, f"there is no {what} `{name.text}`{where}", remedy=remedy, missing=owner + name.text)


def resolve_prefixes(
    name: Dotted, module: LinkedModule, report: DiagnosticCollector | None = None
) -> LinkedModule | None:
    """Module of the prefixes of a name; None where there is none."""
    result: LinkedModule | None = module
    for prefix in name.parts[:-1]:
        if report is not None and result is not None and prefix.text in {*result.uses, *result.broken_prefixes}:
            report.note_use(prefix.span, PREFIX_SPACE, "", prefix.text)
        result = result.uses.get(prefix.text) if result else None
    return result


def find_symbol(
    name: Dotted, space: str, module: LinkedModule, report: DiagnosticCollector | None = None
) -> tuple[Symbol, LinkedModule] | None:
    """Symbol of a dotted name in a name space, and the module that declares it; with `report` the use is noted."""
    linked_module = resolve_prefixes(name, module, report)
    symbol = getattr(linked_module, space).get(name.parts[-1].text) if linked_module is not None else None
    if symbol is None or linked_module is None:
        return None
    if report is not None:
        note_symbol(name.parts[-1].span, symbol, report)
    return symbol, linked_module


def merge_module_views(module: LinkedModule, base: LinkedModule) -> LinkedModule:
    """Name space of a procedure derived from one of another module: both modules, own names first."""
    if module is base:
        return module
    inherited = dict(base.inherited) | dict.fromkeys(base.sources, base)
    return dataclasses.replace(
        module,
        uses=ChainMap(module.uses, base.uses),
        types=ChainMap(module.types, base.types),
        names=ChainMap(module.names, base.names),
        callables=ChainMap(module.callables, base.callables),
        others=ChainMap(module.others, base.others),
        words=_merge_words(module.words, base.words),
        inherited={
            source: linked_module for source, linked_module in inherited.items() if source not in module.sources
        },
    )


def _merge_words(words: Mapping[str, list[Symbol]], base: Mapping[str, list[Symbol]]) -> dict[str, list[Symbol]]:
    result = {word: list(symbols) for word, symbols in words.items()}
    for word, symbols in base.items():
        known = result.setdefault(word, [])
        known.extend(symbol for symbol in symbols if symbol not in known)
    return result


@dataclass(frozen=True, slots=True)
class ClauseListEntry:
    """A clause of a document, from its clause list."""

    id: str  # whole id, `DOC.60.f`
    location: str = ""  # place in the document
    paraphrase: str = ""  # in other words than the document's
    observable: str = ""  # what an observer sees where the clause is honoured
    word: str = ""  # `outside` or `void` where no line has to carry it out; else ""
    reason: str = ""  # why no line has to carry it out
    span: Span | None = None  # of the id, or of `word`
    key_separator: str = ""  # text before another key of the entry, for edits


@dataclass(frozen=True, slots=True)
class Amendment:
    """A change by an overlay: qualified address, overlay, and place in it."""

    address: str
    overlay: str
    span: Span


@dataclass(frozen=True, slots=True)
class Derivation:
    """A procedure made by `like`."""

    node: d.ProcedureLike  # as written
    own_module: LinkedModule
    base_module: LinkedModule
    base: str  # qualified
    roles: Mapping[str, str]  # own parameter by parameter of the base


@dataclass(frozen=True, slots=True)
class LinkedProgram:
    """All modules of a program."""

    main: LinkedModule
    modules: tuple[LinkedModule, ...]  # in dependency order; the main one is last
    # qualified target by qualified external; filled by `bind_externals`
    external_bindings: dict[str, str]
    # document of bare cites by source; "" where it has several
    document_by_source: Mapping[str, str]
    declared_documents: tuple[Document, ...] = ()  # in reading order
    # by short name of the document
    clause_lists: Mapping[str, tuple[ClauseListEntry, ...]] = dataclasses.field(default_factory=dict)
    # by qualified name, each after its base
    derivations: Mapping[str, Derivation] = dataclasses.field(default_factory=dict)
    amendments: tuple[Amendment, ...] = ()  # in order
    # amended nodes by overlay and address, as the author read them; None where there is none
    amended_nodes: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    overlays: tuple[d.AmendsHeader, ...] = ()  # in order
    # name space of the lines of a derived procedure; filled by `collect_names`
    procedure_views: dict[str, LinkedModule] = dataclasses.field(default_factory=dict)

    def iterate_declarations(self, sort: type[_NodeType]) -> Iterator[tuple[LinkedModule, _NodeType]]:
        """Declarations of a sort, each with its module, in order."""
        for module in self.modules:
            for node in module.declarations:
                if isinstance(node, sort):
                    yield module, node

    def iterate_headers(self) -> Iterator[d.Header]:
        """Headers of all files, in order."""
        return (header for module in self.modules for file in module.files for header in file.headers)


NEWEST_EDITION = 2
"""Newest edition of the language; a text that names none is of the first."""


def find_header(file: d.File, *sorts: type[_NodeType]) -> _NodeType | None:
    """First header of some sorts of a file."""
    return next((header for header in file.headers if isinstance(header, sorts)), None)


def find_amends_header(file: d.File) -> d.AmendsHeader | None:
    """The `amends` line, where the file begins with it."""
    first = file.headers[0] if file.headers else None
    return first if isinstance(first, d.AmendsHeader) else None


def find_edition_header(file: d.File, main: d.RulesetHeader | None) -> d.RulesetHeader | d.AmendsHeader | None:
    """Header with the edition of the language of a file: its own, else that of the main file."""
    return find_header(file, d.RulesetHeader, d.AmendsHeader) or main  # type: ignore[return-value]


def list_document_names(file: d.File) -> tuple[str, ...]:
    """Short names of the documents of a file."""
    return tuple(dict.fromkeys(header.name.text for header in file.headers if isinstance(header, d.DocumentHeader)))


def collect_documents(files: Iterable[d.File]) -> tuple[Document, ...]:
    """Documents of files without repeats, in reading order."""
    mapping: dict[str, Document] = {}
    for file in files:
        for header in file.headers:
            if isinstance(header, d.DocumentHeader):
                title = header.title.text if header.title else ""
                mapping.setdefault(header.name.text, Document(header.name.text, title))
    return tuple(mapping.values())


def has_no_header(file: d.File) -> bool:
    """Whether a file begins with neither a `ruleset` nor an `amends` line."""
    return find_header(file, d.RulesetHeader) is None and find_amends_header(file) is None


def check_ruleset_header(file: d.File, report: DiagnosticCollector) -> None:
    """Reports a main file of a ruleset without a `ruleset` line (RW0201)."""
    if has_no_header(file):
        place = Span(file.span.source, file.span.start, min(file.span.start + 1, file.span.end))
        if any(isinstance(declaration, d.Amendment) for declaration in file.declarations):
            remedy = 'an overlay begins with `amends NAME revision "1"`, with the name of the ruleset that it changes'
            report.error("RW0201", place, "this file has no `amends` line", help=remedy, basis=Basis.NAMES)
            return
        plain = re.sub(r"\W+", "_", file.span.source.rpartition("/")[2].removesuffix(".rules").lower()).strip("_")
        name = plain if plain[:1].isalpha() else "mine"
        line = f'ruleset {name} "{name.replace("_", " ").capitalize()}" revision "1"\n'
        message, edits = "this file has no `ruleset` line", make_wrapping_edits(line, place, "")
        report.error(
            "RW0201",
            place,
            message,
            help='begin it with `ruleset name "Title" revision "1"`',
            edits=edits,
            basis=Basis.NAMES,
        )


def check_single_header(file: d.File, report: DiagnosticCollector) -> None:
    """Reports a second `ruleset` or `amends` line (RW0202), and an unknown edition (RW0243)."""
    items = [header for header in file.headers if isinstance(header, d.RulesetHeader | d.AmendsHeader)]
    for edition in [item.edition for item in items if item.edition and not 1 <= item.edition.value <= NEWEST_EDITION]:
        message = f"there is no edition {edition.value} of the language"
        remedy = f"write `edition {NEWEST_EDITION}`, the newest that this program reads"
        report.error(
            "RW0243", edition.span, message, help=remedy, edits=(Edit(edition.span, f"edition {NEWEST_EDITION}"),)
        )
    for extra in items[1:]:
        first = Label(items[0].head, "the file begins here")
        message = "a file has one `ruleset` or `amends` line, its first"
        edits = make_deletion_edits(extra.head)
        report.error("RW0202", extra.head, message, secondary=(first,), help="remove this line", edits=edits)
    line = find_header(file, d.WrittenForHeader)
    if line is not None and find_amends_header(file) is None:
        remedy = "leave the line out: only an overlay is written for other rules"
        message = "this file is not an overlay: it does not begin with `amends`"
        report.error("RW0205", line.head, message, help=remedy, edits=make_deletion_edits(line.head))
