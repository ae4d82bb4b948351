"""The whole way from the place of a ruleset to its program."""

import dataclasses
import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Set as AbstractSet
from functools import cache

from rulewright.analysis.causes import alone, nameless, one_by_cause
from rulewright.analysis.check import check
from rulewright.analysis.link import Source, link
from rulewright.analysis.lint import FIXED, UNUSED
from rulewright.analysis.moved_on import moved_on
from rulewright.analysis.never_assigned import NEVER_ASSIGNED
from rulewright.analysis.question_policies import ByQuestion, lay
from rulewright.analysis.recheck import Earlier
from rulewright.analysis.report import Report
from rulewright.analysis.symbols import ClauseEntry, Linked, document_names
from rulewright.diagnostics import Diagnostic, Label, has_errors
from rulewright.diagnostics.model import by_place
from rulewright.files import DISK, Memory, Provider, complaint, read
from rulewright.frozen import dataclass
from rulewright.keeping import Shelf, key_of, made_by
from rulewright.program.declarations import Program
from rulewright.source import Span, Text
from rulewright.syntax.nodes.declarations import File, UseHeader
from rulewright.syntax.nodes.expressions import Title
from rulewright.syntax.parsed import Parsed
from rulewright.workspace.locate import ELSEWHERE, RULES, Located, begins, leads_nowhere, locate, ways

CLAUSES = Shelf("clauses", most=100, size=16_000_000)
"""Clause lists without mistakes: a document changes seldom."""
_DEEPEST = 50
"""How deep files may use each other."""
_BESIDE = {UNUSED: (".rules", ".yaml"), FIXED: (".rules",), NEVER_ASSIGNED: (".rules", ".yaml", ".json")}
"""The sorts of texts beside a ruleset of which one that mentions a name makes a finding about it void, by its code."""
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of a ruleset."""

    program: Program | None  # the checked program; none where anything has an error
    diagnostics: tuple[Diagnostic, ...]  # everything wrong, in order of place
    texts: Mapping[str, Text]  # every text that was read, by its name, to show places in
    clauses: int = 0  # how many clauses the clause lists hold
    linked: Linked | None = None  # what was checked; none where a file could not be found or read
    earlier: Earlier | None = None  # for loading it again after an edit; none where checking stopped
    silenced: int = 0  # how many findings are not told because a comment beside the rule says why not

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What keeps it from being used; warnings are left out."""
        return tuple(each for each in self.diagnostics if has_errors([each]))


Parser = Callable[[Text, Provider], Parsed]
"""From a text, and where it comes from, to its nodes."""


def parsed(text: Text, provider: Provider) -> Parsed:
    """What a text says; texts that are only in memory are not read again by another run."""
    if not isinstance(provider, Memory):
        from rulewright.syntax.trees import parse_kept  # noqa: PLC0415 - one of the two is wanted

        return parse_kept(text)
    from rulewright.syntax.parser import parse  # noqa: PLC0415

    return parse(text)


def load(  # noqa: PLR0913, PLR0917
    located: Located,
    overlays: tuple[str, ...] = (),
    provider: Provider = DISK,
    parser: Parser = parsed,
    earlier: Earlier | None = None,
    policies: ByQuestion | None = None,
) -> Loaded:
    """Reads a ruleset with all it uses, links and checks it; what still stands of an earlier check is used.

    Overlays come after those it was located with; one that stands beside the ruleset may be named without its path
    and without `.rules`. Policies are laid at their questions.
    """
    if located.main is None:
        return Loaded(None, located.diagnostics, {})
    reader = _Reader(provider, parser)
    main = reader.source(located.main)
    beside = posixpath.dirname(located.main)
    asked = [reader.source(overlay_place(place, beside, provider)) for place in (*located.overlays, *overlays)]
    found = [*located.diagnostics, *reader.found]
    if main is None or None in asked:
        return Loaded(None, by_place(found), reader.texts)
    contents = {name: text.content for name, text in reader.texts.items()}
    names = tuple(dict.fromkeys(name for name in asked if name is not None))
    for known in (earlier, None) if earlier is not None else (None,):
        report = Report()
        linked = link(main, reader.sources, names, reader.clauses, report)
        moved_on(linked, reader.sources, report)
        lay(linked, policies or {})
        checked = check(linked, contents, known)
        if checked.earlier is not None:
            break
    clauses = sum(map(len, reader.clauses.values()))
    checked = dataclasses.replace(checked, diagnostics=_used_nowhere(checked.diagnostics, beside, reader))
    stands = alone if has_errors(found) else nameless
    for later in (report.found, checked.diagnostics):
        found.extend(stands(later) if has_errors(found) else later)
    program = None if has_errors(found) else checked.program
    return Loaded(program, by_place(one_by_cause(found)), reader.texts, clauses, linked, checked.earlier)


def _used_nowhere(found: tuple[Diagnostic, ...], beside: str, reader: "_Reader") -> tuple[Diagnostic, ...]:
    """The findings without declarations that a text beside the ruleset mentions: an overlay, a part, scenarios."""
    void = set[tuple[str, str]]()
    for code in {each.code for each in found} & _BESIDE.keys():
        void.update((code, name) for name in _mentioned(_BESIDE[code], beside, reader))
    return tuple(each for each in found if (each.code, each.address) not in void)


def _mentioned(endings: tuple[str, ...], beside: str, reader: "_Reader") -> Iterator[str]:
    """The words of texts in a folder that are not part of what was read and may mean what it declares."""
    provider = reader.provider
    known = {provider.identity(each) for each in reader.sources}
    for name in provider.files(beside):
        place = posixpath.join(beside, name)
        if name.endswith(endings) and provider.identity(place) not in known:
            text = read(place, provider)
            if isinstance(text, Text) and (not name.endswith(RULES) or _builds_on(place, text, known, provider)):
                yield from _WORD.findall(text.content)


def _builds_on(place: str, text: Text, known: AbstractSet[str], provider: Provider) -> bool:
    """Whether rules amend or use one of some files; a copy of a ruleset, and a part that nothing uses, do not."""
    folder = posixpath.dirname(place)
    used = (posixpath.normpath(posixpath.join(folder, each)) for each in ways(text.content)[1:])
    base = locate(place, provider).main if begins(place, provider)[0] == "amends" else None
    return any(provider.identity(each) in known for each in (*used, *([base] if base else [])))


def overlay_place(name: str, beside: str, provider: Provider) -> str:
    """The place of an overlay: its file, or the name of one beside the ruleset, with or without `.rules`."""
    choices = [name, posixpath.join(beside, name), posixpath.join(beside, f"{name}.rules")]
    return next((place for place in choices if provider.sort(place) == "file"), name)


Listed = tuple[tuple[ClauseEntry, ...] | None, tuple[Diagnostic, ...]]


def read_kept_clauses(text: Text, document: str) -> Listed:
    """As `clause_lists.read_clauses`; a list without mistakes that was read before by the same reader is kept."""
    key = key_of(_reader(), document, text.content)
    kept = CLAUSES.kept(key)
    if kept is not None:
        return tuple(ClauseEntry(**each | {"span": Span(text.name, *each["span"])}) for each in json.loads(kept)), ()
    entries, diagnostics = _clauses_read(text, document)
    if entries is not None and not diagnostics:
        CLAUSES.keep(key, json.dumps([_plain(each) for each in entries]).encode())
    return entries, diagnostics


def _plain(entry: ClauseEntry) -> dict[str, object]:
    at = (entry.span.start, entry.span.end) if entry.span else (0, 0)
    return {each.name: getattr(entry, each.name) for each in dataclasses.fields(entry)} | {"span": at}


def _clauses_read(text: Text, document: str) -> Listed:
    from rulewright.workspace.clause_lists import read_clauses  # noqa: PLC0415 - YAML loads when needed

    return read_clauses(text, document)


@cache
def _reader() -> str:
    return made_by(("analysis/symbols.py", "diagnostics", "inputs", "source", "workspace"), "yaml")


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class _Reader:
    """Reads files and all they use, each once."""

    provider: Provider
    parser: Parser
    sources: dict[str, Source] = dataclasses.field(default_factory=dict)
    texts: dict[str, Text] = dataclasses.field(default_factory=dict)
    clauses: dict[str, tuple[ClauseEntry, ...]] = dataclasses.field(default_factory=dict)
    found: list[Diagnostic] = dataclasses.field(default_factory=list)
    _names: dict[str, str | None] = dataclasses.field(default_factory=dict)
    _open: list[str] = dataclasses.field(default_factory=list)

    def source(self, place: str, asked: Label | None = None) -> str | None:
        """The name of a file's text, once it and all it uses is read; none where it cannot be."""
        identity = self.provider.identity(place)
        if identity not in self._names:
            self._names[identity] = None
            self._names[identity] = self._read(place, identity, asked)
        return self._names[identity]

    def _read(self, place: str, identity: str, asked: Label | None) -> str | None:
        text = read(place, self.provider, asked)
        if isinstance(text, Diagnostic):
            self.found.append(text)
            return None
        self.texts[place] = text
        said = self.parser(text, self.provider)
        self.found.extend(said.diagnostics)
        if said.file is None:
            return None
        self._names[identity] = place
        self._clauses(said.file, place)
        self._open.append(place)
        self.sources[place] = Source(place, said.file, self._uses(said.file, place))
        self._open.pop()
        return place

    def _uses(self, file: File, place: str) -> dict[str, str]:
        """Where the `use` and `amends` lines of a file lead, by the path as written."""
        found: dict[str, str] = {}
        for header in file.headers:
            path = header.path if isinstance(header, UseHeader) else getattr(header, "name", None)
            if isinstance(path, Title):
                target = self._led(path, "use" if isinstance(header, UseHeader) else "amends", place)
                if target is not None:
                    found[path.text] = target
        return found

    def _led(self, path: Title, word: str, place: str) -> str | None:
        written = path.text
        label = Label(path.span)
        if ELSEWHERE.match(written):
            self.found.append(leads_nowhere(written, word, label))
            return None
        if len(self._open) >= _DEEPEST:
            message = f"files use each other more than {_DEEPEST} deep"
            self.found.append(complaint("RW0147", message, "let a file use directly what it needs", label))
            return None
        target = posixpath.normpath(posixpath.join(posixpath.dirname(place), written))
        if not written.endswith(RULES) and self.provider.sort(target) != "folder":
            remedy = "the name of a file of rules ends in `.rules`"
            self.found.append(complaint("RW0014", f"`{written}` holds no rules", remedy, label))
            return None
        return self.source(target, label)

    def _clauses(self, file: File, place: str) -> None:
        """Reads the clause lists that stand beside a file."""
        for document in document_names(file):
            beside = posixpath.join(posixpath.dirname(place), f"{document}.clauses.yaml")
            if document in self.clauses or not self.provider.sort(beside):
                continue
            text = read(beside, self.provider)
            if isinstance(text, Diagnostic):
                self.found.append(text)
                continue
            self.texts[beside] = text
            entries, diagnostics = (_clauses_read if isinstance(self.provider, Memory) else read_kept_clauses)(
                text, document
            )
            self.found.extend(diagnostics)
            if entries is not None:
                self.clauses[document] = entries


class Again:
    """Loads rulesets; declarations that an edit does not touch are not read and checked again.

    What comes of it is what `load` alone makes of the same texts.
    """

    def __init__(self, *, following: bool = False) -> None:
        """Edits are seen against what was loaded first or, following, against what was loaded last."""
        self._following = following
        self._texts: dict[str, tuple[Text, Parsed]] = {}
        self._checks: dict[tuple[Located, tuple[str, ...]], Earlier | None] = {}

    def load(self, located: Located, overlays: tuple[str, ...] = (), provider: Provider = DISK) -> Loaded:
        """As `load`."""
        key = (located, overlays)
        loaded = load(located, overlays, provider, self.parsed, self._checks.get(key))
        if key not in self._checks or (self._following and loaded.earlier is not None):
            self._checks[key] = loaded.earlier
        return loaded

    def parsed(self, text: Text, provider: Provider) -> Parsed:
        """What a text says."""
        known = self._texts.get(text.name)
        if known is not None and known[0] == text:
            return known[1]
        found = _read(text, provider, known)
        if known is None or self._following:
            self._texts[text.name] = text, found
        return found


def _read(text: Text, provider: Provider, known: tuple[Text, Parsed] | None) -> Parsed:
    if known is None:
        return parsed(text, provider)
    from rulewright.syntax.parser import parse_again  # noqa: PLC0415 - only where a text was edited

    return parse_again(text, *known)
