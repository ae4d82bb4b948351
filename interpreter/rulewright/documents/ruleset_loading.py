"""Loading of rulesets: files with all they use, parsed, linked and checked, from a disk cache where nothing changed.

An unchanged file without mistakes is not parsed again either: its nodes have a cache of their own.
"""

import dataclasses
import pickle
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Set as AbstractSet
from functools import cache, lru_cache
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from rulewright.base.bounded_files import make_file_error, read_text_file
from rulewright.base.diagnostics import Basis, Diagnostic, DiagnosticCollector, Label, has_errors, sort_by_place
from rulewright.base.disk_cache import CacheBucket, fingerprint_code, fingerprint_toolchain, make_cache_key
from rulewright.base.files import (
    DISK,
    DiskFiles,
    FileProvider,
    MemoryFiles,
    RecordingFiles,
    get_resource_folder,
    has_unsaved_texts,
)
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.checker.finding_codes import (
    NEVER_ASSIGNED_WORD_CODE,
    NEVER_SET_FIELD_CODE,
    UNUSED_DECLARATION_CODE,
)
from rulewright.checker.symbol_table import SymbolTable
from rulewright.checker.symbols import ClauseListEntry, LinkedProgram, list_document_names
from rulewright.documents.file_dependent_cache import cache_values, read_cached_values
from rulewright.documents.ruleset_location import (
    FOREIGN_PATH_PATTERN,
    RULES_SUFFIX,
    RulesetLocation,
    bad_path_error,
    header_and_uses,
    locate_ruleset,
    read_header,
)
from rulewright.program.declarations import Program
from rulewright.syntax.nodes import ParsedText
from rulewright.syntax.nodes.declarations import File, UseHeader
from rulewright.syntax.nodes.expressions import Title

if TYPE_CHECKING:
    from rulewright.checker.incremental import PreviousCheck
    from rulewright.checker.linker import PoliciesByQuestion, SourceFile

_MAX_USE_DEPTH = 50
"""Deepest chain of `use` lines."""


_NEIGHBOUR_SUFFIXES = {
    UNUSED_DECLARATION_CODE: (".rules", ".yaml"),
    NEVER_SET_FIELD_CODE: (".rules",),
    NEVER_ASSIGNED_WORD_CODE: (".rules", ".yaml", ".json"),
}
"""Suffixes of texts beside a ruleset, by code of a finding that their mention of a name makes void."""


_WORD_PATTERN = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class LoadedRuleset:
    """Result of loading a ruleset: its program, if it has no error, with diagnostics and texts."""

    program: Program | None  # `None` with any error
    diagnostics: tuple[Diagnostic, ...]  # by place
    texts: Mapping[str, Text]  # every text that was read, by name
    clause_count: int = 0  # clauses in the clause lists
    linked: LinkedProgram | None = None  # `None` where a file is missing or unreadable
    incremental_state: "PreviousCheck | None" = None  # for incremental loads; `None` where checking stopped
    silenced_count: int = 0  # findings silenced by comments
    symbols: SymbolTable = SymbolTable()  # what each name means; empty where a file is missing or unreadable

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic for diagnostic in self.diagnostics if has_errors([diagnostic]))


ParseText = Callable[[Text, FileProvider], ParsedText]


def parse_text(text: Text, provider: FileProvider) -> ParsedText:
    """Syntax tree of a text; texts that are only in memory are not cached on disk."""
    if not isinstance(provider, MemoryFiles):
        return parse_cached_text(text)
    from rulewright.syntax.parser import parse_rules_text  # noqa: PLC0415

    return parse_rules_text(text)


def load_ruleset(  # noqa: PLR0913, PLR0917
    located: RulesetLocation,
    overlays: tuple[str, ...] = (),
    provider: FileProvider = DISK,
    parser: ParseText = parse_text,
    earlier: "PreviousCheck | None" = None,
    policies: "PoliciesByQuestion | None" = None,
) -> LoadedRuleset:
    """Loads a ruleset with all it uses; declarations that are unchanged since an `earlier` check are not rechecked.

    Overlays come after those of `located`; one beside the ruleset may be named without path and `.rules`. Policies are
    compiled into their questions.
    """
    from rulewright.checker import checker, error_suppression as suppression, linker  # noqa: PLC0415 - what is kept is not checked

    if located.main is None:
        return LoadedRuleset(None, located.diagnostics, {})
    reader = _SourceReader(provider, parser)
    main = reader.read_source(located.main)
    beside = posixpath.dirname(located.main)
    overlay_names = [
        reader.read_source(find_overlay(place, beside, provider)) for place in (*located.overlays, *overlays)
    ]
    items = [*located.diagnostics, *reader.diagnostics]
    if main is None or None in overlay_names:
        return LoadedRuleset(None, sort_by_place(items), reader.texts)
    contents = {name: text.content for name, text in reader.texts.items()}
    names = tuple(dict.fromkeys(name for name in overlay_names if name is not None))
    for known in (earlier, None) if earlier is not None else (None,):
        report = DiagnosticCollector()
        linked = linker.link_sources(main, reader.sources, names, reader.clauses, report)
        checker.check_stale_overlays(linked, reader.sources, report)
        linker.attach_policies(linked, policies or {})
        checked = checker.check_linked_program(linked, contents, known)
        if checked.previous_check is not None:
            break
    clauses = sum(map(len, reader.clauses.values()))
    checked = dataclasses.replace(checked, diagnostics=_drop_mentioned(checked.diagnostics, beside, reader))
    missing = (Basis.NAMES, Basis.PROOFS) if has_errors(items) else (Basis.NAMES,)
    for later in (report.diagnostics, checked.diagnostics):
        items.extend(suppression.select_errors_without(later, *missing) if has_errors(items) else later)
    program = None if has_errors(items) else checked.program
    return LoadedRuleset(
        program,
        sort_by_place(suppression.group_repeated_diagnostics(items)),
        reader.texts,
        clauses,
        linked,
        checked.previous_check,
        symbols=checked.symbols,
    )


def _drop_mentioned(
    diagnostics: tuple[Diagnostic, ...], beside: str, reader: "_SourceReader"
) -> tuple[Diagnostic, ...]:
    """Findings without those of declarations that a text beside the ruleset mentions: overlay, part, scenarios."""
    void = set[tuple[str, str]]()
    for code in {diagnostic.code for diagnostic in diagnostics} & _NEIGHBOUR_SUFFIXES.keys():
        void.update((code, name) for name in _words_mentioned(_NEIGHBOUR_SUFFIXES[code], beside, reader))
    return tuple(diagnostic for diagnostic in diagnostics if (diagnostic.code, diagnostic.address) not in void)


def _words_mentioned(endings: tuple[str, ...], beside: str, reader: "_SourceReader") -> Iterator[str]:
    """Words of neighbouring texts, outside the ruleset, that may refer to its declarations."""
    provider = reader.provider
    known = {provider.get_identity(source) for source in reader.sources}
    for name in provider.list_folder_names(beside):
        place = posixpath.join(beside, name)
        if name.endswith(endings) and provider.get_identity(place) not in known:
            text = read_text_file(place, provider)
            if isinstance(text, Text) and (
                not name.endswith(RULES_SUFFIX) or _is_built_on(place, text, known, provider)
            ):
                yield from _WORD_PATTERN.findall(text.content)


def _is_built_on(place: str, text: Text, known: AbstractSet[str], provider: FileProvider) -> bool:
    """Whether rules amend or use one of some files; a copy of a ruleset does not."""
    folder = posixpath.dirname(place)
    used = (posixpath.normpath(posixpath.join(folder, and_use)) for and_use in header_and_uses(text.content)[1:])
    base = locate_ruleset(place, provider).main if read_header(place, provider)[0] == "amends" else None
    return any(provider.get_identity(item) in known for item in (*used, *([base] if base else [])))


def find_overlay(name: str, beside: str, provider: FileProvider) -> str:
    """Place of an overlay: its file, or the name of one beside the ruleset, with or without `.rules`."""
    choices = [name, posixpath.join(beside, name), posixpath.join(beside, f"{name}.rules")]
    return next((place for place in choices if provider.get_file_type(place) == "file"), name)


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class _SourceReader:
    """Reader of files and all they use, each once."""

    provider: FileProvider
    parser: ParseText
    sources: "dict[str, SourceFile]" = dataclasses.field(default_factory=dict)
    texts: dict[str, Text] = dataclasses.field(default_factory=dict)
    clauses: dict[str, tuple[ClauseListEntry, ...]] = dataclasses.field(default_factory=dict)
    diagnostics: list[Diagnostic] = dataclasses.field(default_factory=list)
    _names: dict[str, str | None] = dataclasses.field(default_factory=dict)
    _open_files: list[str] = dataclasses.field(default_factory=list)

    def read_source(self, place: str, origin: Label | None = None) -> str | None:
        """The name of a file's text, once it and all it uses is read; none where it cannot be."""
        identity = self.provider.get_identity(place)
        if identity not in self._names:
            self._names[identity] = None
            self._names[identity] = self._read_source_file(place, identity, origin)
        return self._names[identity]

    def _read_source_file(self, place: str, identity: str, origin: Label | None) -> str | None:
        text = read_text_file(place, self.provider, origin)
        if isinstance(text, Diagnostic):
            self.diagnostics.append(text)
            return None
        self.texts[place] = text
        parsed = self.parser(text, self.provider)
        self.diagnostics.extend(parsed.diagnostics)
        if parsed.file is None:
            return None
        self._names[identity] = place
        self._read_clause_lists(parsed.file, place)
        self._open_files.append(place)
        from rulewright.checker.linker import SourceFile  # noqa: PLC0415 - as in `load_ruleset`

        self.sources[place] = SourceFile(place, parsed.file, self._read_uses(parsed.file, place))
        self._open_files.pop()
        return place

    def _read_uses(self, file: File, place: str) -> dict[str, str]:
        result: dict[str, str] = {}
        for header in file.headers:
            path = header.path if isinstance(header, UseHeader) else getattr(header, "name", None)
            if isinstance(path, Title):
                target = self._resolve_use(path, "use" if isinstance(header, UseHeader) else "amends", place)
                if target is not None:
                    result[path.text] = target
        return result

    def _resolve_use(self, path: Title, word: str, place: str) -> str | None:
        written = path.text
        label = Label(path.span)
        if FOREIGN_PATH_PATTERN.match(written):
            self.diagnostics.append(bad_path_error(written, word, label))
            return None
        if len(self._open_files) >= _MAX_USE_DEPTH:
            message = f"files use each other more than {_MAX_USE_DEPTH} deep"
            self.diagnostics.append(make_file_error("RW0147", message, "let a file use directly what it needs", label))
            return None
        target = posixpath.normpath(posixpath.join(posixpath.dirname(place), written))
        if not written.endswith(RULES_SUFFIX) and self.provider.get_file_type(target) != "folder":
            remedy = "the name of a file of rules ends in `.rules`"
            self.diagnostics.append(make_file_error("RW0014", f"`{written}` holds no rules", remedy, label))
            return None
        return self.read_source(target, label)

    def _read_clause_lists(self, file: File, place: str) -> None:
        for document in list_document_names(file):
            beside = posixpath.join(posixpath.dirname(place), f"{document}.clauses.yaml")
            if document in self.clauses or not self.provider.get_file_type(beside):
                continue
            text = read_text_file(beside, self.provider)
            if isinstance(text, Diagnostic):
                self.diagnostics.append(text)
                continue
            self.texts[beside] = text
            entries, diagnostics = _read_clause_list(text, document)
            self.diagnostics.extend(diagnostics)
            if entries is not None:
                self.clauses[document] = entries


@lru_cache(maxsize=16)
def _read_clause_list(text: Text, document: str) -> tuple[tuple[ClauseListEntry, ...] | None, tuple[Diagnostic, ...]]:
    from rulewright.documents.clause_lists import parse_clause_list  # noqa: PLC0415 - YAML loads when needed

    return parse_clause_list(text, document)


class IncrementalLoader:
    """Loader that reparses and rechecks only the declarations that an edit touches.

    Its results equal those of `load_ruleset` on the same texts.
    """

    def __init__(self, *, following: bool = False) -> None:
        """Changes are computed against the first load, or with `following` against the last."""
        self._updates_baseline = following
        self._texts: dict[str, tuple[Text, ParsedText]] = {}
        self._checks: dict[tuple[RulesetLocation, tuple[str, ...]], PreviousCheck | None] = {}

    def load_changed(
        self, located: RulesetLocation, overlays: tuple[str, ...] = (), provider: FileProvider = DISK
    ) -> LoadedRuleset:
        """`load_ruleset` with the previous result as its base."""
        key = (located, overlays)
        loaded = load_ruleset(located, overlays, provider, self.parse_changed, self._checks.get(key))
        if key not in self._checks or (self._updates_baseline and loaded.incremental_state is not None):
            self._checks[key] = loaded.incremental_state
        return loaded

    def parse_changed(self, text: Text, provider: FileProvider) -> ParsedText:
        known = self._texts.get(text.name)
        if known is not None and known[0] == text:
            return known[1]
        result = _parse_with_previous(text, provider, known)
        if known is None or self._updates_baseline:
            self._texts[text.name] = text, result
        return result


def _parse_with_previous(text: Text, provider: FileProvider, known: tuple[Text, ParsedText] | None) -> ParsedText:
    if known is None:
        return parse_text(text, provider)
    from rulewright.syntax.parser import reparse_edited_text  # noqa: PLC0415 - only where a text was edited

    return reparse_edited_text(text, *known)


PROGRAM_CACHE = CacheBucket("programs", max_entries=200, max_bytes=64_000_000)


def load_cached_ruleset(located: RulesetLocation, overlays: tuple[str, ...], provider: FileProvider) -> LoadedRuleset:
    """`load_ruleset` with a disk cache of rulesets without errors, without symbols and data for incremental loads.

    Unsaved texts of an editor are used, but not cached.
    """
    if located.main is None or not isinstance(provider, (DiskFiles, RecordingFiles)):
        return load_ruleset(located, overlays, provider)
    key = make_cache_key(
        fingerprint_toolchain(), provider.get_identity(located.main), located.main, *located.overlays, "", *overlays
    )
    result = read_cached_values(PROGRAM_CACHE, key, provider, lambda loaded: loaded)
    if isinstance(result, LoadedRuleset):
        return result
    files = RecordingFiles(provider)
    loaded = dataclasses.replace(load_ruleset(located, overlays, files), incremental_state=None, symbols=SymbolTable())
    if loaded.program is not None and not has_unsaved_texts():
        cache_values(PROGRAM_CACHE, key, (files.answers,), loaded)
    return loaded


LoadRuleset = Callable[[RulesetLocation, tuple[str, ...], FileProvider], LoadedRuleset]
"""Reads and checks a ruleset with overlays."""


TREE_CACHE = CacheBucket("trees", max_entries=500, max_bytes=64_000_000)


_NODES_PACKAGE = "rulewright.syntax.nodes."


def parse_cached_text(text: Text) -> ParsedText:
    """`parser.parse_rules_text`, from the cache if the same parser parsed the same text before."""
    key = make_cache_key(_fingerprint_parser(), text.name, text.content)
    file = _load_cached_file(key)
    if file is not None:
        return ParsedText(file, ())
    from rulewright.syntax.parser import parse_rules_text  # noqa: PLC0415 - seldom wanted

    parsed = parse_rules_text(text)
    if parsed.file is not None and not parsed.diagnostics:
        TREE_CACHE.store_bytes(key, pickle.dumps(parsed.file, pickle.HIGHEST_PROTOCOL))
    return parsed


def _load_cached_file(key: str) -> File | None:
    written = TREE_CACHE.load_bytes(key)
    if written is None:
        return None
    try:
        file = NodeUnpickler(BytesIO(written)).load()
    except Exception:  # noqa: BLE001 - what is no tree raises anything
        return None
    return file if isinstance(file, File) else None


class NodeUnpickler(pickle.Unpickler):
    """Unpickler restricted to node classes and spans, so that a forged cache entry runs no code."""

    def find_class(self, module: str, name: str) -> Any:
        """The node class of that name.

        Raises:
            UnpicklingError: it is no node class.
        """
        if module == Span.__module__ or module.startswith(_NODES_PACKAGE):
            result = getattr(import_module(module), name, None)
            if isinstance(result, type) and result.__module__ == module:
                return result
        raise pickle.UnpicklingError(name)


@cache
def _fingerprint_parser() -> str:
    """Hash of what determines the nodes of a text: grammar, parser code, Lark and Python."""
    grammar = (get_resource_folder("grammar") / "rules.lark").read_bytes()
    return make_cache_key(grammar, fingerprint_code(("base/frozen.py", "base/source.py", "syntax"), "lark"))
