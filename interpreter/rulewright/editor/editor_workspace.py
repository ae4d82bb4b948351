"""The workspace of an editor: open texts over the files of the disk, and snapshots of their checked rulesets."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from rulewright.base.bounded_files import read_text_file
from rulewright.base.diagnostics import Basis, Diagnostic, sort_by_place
from rulewright.base.files import DATA_SUFFIXES, DISK, FileProvider, RevisedFiles
from rulewright.base.node_roles import SpanInsideEditError, SpanRelocator
from rulewright.base.source import Span, Text
from rulewright.checker.error_suppression import select_errors_without
from rulewright.documents.check_findings import (
    ProjectWeights,
    PublishedReadings,
    apply_silences_and_weights,
    find_other_readings,
)
from rulewright.documents.ruleset_loading import IncrementalLoader, LoadedRuleset
from rulewright.documents.ruleset_location import (
    RULES_SUFFIX,
    RulesetLocation,
    find_main_files,
    header_and_uses,
    locate_ruleset,
    walk_used_files,
)
from rulewright.editor.live_text import LiveData, LiveRules, TextAlignment, pair_chunks, split_declarations
from rulewright.editor.name_index import (
    NameIndex,
    NameOccurrence,
    NameTarget,
    OccurrenceCollector,
    RulesetNameTables,
    build_name_index,
)
from rulewright.editor.ruleset_gathering import GatheredRulesets, collect_rule_names, gather_rulesets
from rulewright.program.declarations import Program
from rulewright.program.outline.items import Outline
from rulewright.program.outline.outline_builder import build_outline
from rulewright.program.statements import Ask
from rulewright.program.walk import list_lines_of_class
from rulewright.runtime.executable import Executable, compile_program

_T = TypeVar("_T")


class AnalysisSnapshot:
    """A checked ruleset; derived data is computed on demand."""

    def __init__(self, loaded: LoadedRuleset) -> None:
        self.loaded = loaded  # the texts as they stood, their program and all there is to tell of them
        self._cache: dict[str, Any] = {}
        self._alignments: dict[str, tuple[LiveRules, TextAlignment]] = {}  # by name, with what a text was aligned to

    def cache_once(self, what: str, make: Callable[[], _T]) -> _T:
        """Cached result of `make` by a key."""
        if what not in self._cache:
            self._cache[what] = make()
        return self._cache[what]  # type: ignore[no-any-return]

    def align_text(self, name: str, live: LiveRules) -> TextAlignment | None:
        """Alignment from its text of a name to a current one; None where no span moves: they are equal, or it has none."""
        old = self.loaded.texts.get(name)
        if old is None or old.content == live.text.content:
            return None
        known = self._alignments.get(name)
        if known is None or known[0] is not live:
            beside = pair_chunks(split_declarations(old.content), split_declarations(live.text.content))
            same = old.content == live.readable.content
            known = self._alignments[name] = live, live.alignment if same else TextAlignment(tuple(beside))
        return known[1]

    @cached_property
    def _collected_names(self) -> tuple[OccurrenceCollector, RulesetNameTables]:
        result, names = OccurrenceCollector(), RulesetNameTables()
        collect_rule_names(self.loaded, names, result)
        return result, names

    @property
    def names(self) -> RulesetNameTables:
        """Name tables."""
        return self._collected_names[1]

    @property
    def extents(self) -> Mapping[NameTarget, Span]:
        """Whole spans of named declarations, steps, rows and statements."""
        return self._collected_names[0].extents

    @cached_property
    def index(self) -> NameIndex:
        """Occurrences of names in rules."""
        return build_name_index(self._collected_names[0].occurrences)

    @cached_property
    def outline(self) -> Outline:
        """Outline; empty for a ruleset with errors."""
        program = self.loaded.program
        return Outline(()) if program is None else build_outline(program, self.loaded.texts)


@dataclasses.dataclass(frozen=True)
class OpenDocument:
    """An open text of rules at the moment of a request, with snapshots of its ruleset."""

    name: str  # in its ruleset
    texts: Mapping[str, LiveRules]  # open texts by their names in the ruleset
    latest: AnalysisSnapshot  # last check; possibly before the last edits
    last_good: AnalysisSnapshot | None  # last check without errors

    @property
    def live(self) -> LiveRules:
        """The current text."""
        return self.texts[self.name]

    @property
    def program(self) -> Program | None:
        """The last program without errors."""
        return self.last_good.loaded.program if self.last_good is not None else None

    @property
    def best_snapshot(self) -> AnalysisSnapshot:
        """The last snapshot without errors, else the latest."""
        return self.last_good or self.latest

    def _align_with(self, known: AnalysisSnapshot, name: str) -> TextAlignment | None:
        live = self.texts.get(name)
        return None if live is None else known.align_text(name, live)

    def map_to_current(self, known: AnalysisSnapshot, span: Span) -> Span | None:
        """Span in the current text of a snapshot's span; None if it was edited away."""
        alignment = self._align_with(known, span.source)
        return span if alignment is None else alignment.map_forward(span)

    def map_to_snapshot(self, known: AnalysisSnapshot, offset: int) -> int | None:
        """Offset in a snapshot of a current offset; None if it is new."""
        alignment = self._align_with(known, self.name)
        return offset if alignment is None else alignment.map_back(offset)

    def find_occurrence(self, offset: int) -> tuple[AnalysisSnapshot, NameOccurrence] | None:
        """Occurrence at an offset: a sure one of the latest or best snapshot, else an unsure one."""
        unsure = None
        for known in dict.fromkeys((self.latest, self.best_snapshot)):
            at = self.map_to_snapshot(known, offset)
            result = known.index.find_at(self.name, at) if at is not None else None
            if result is not None and result.is_sure:
                return known, result
            unsure = unsure or (None if result is None else (known, result))
        return unsure


class _RulesetState:
    def __init__(self) -> None:
        self.checked_texts: object = None  # the files that were open and what stood of them when it was checked last
        self.latest: AnalysisSnapshot | None = None
        self.last_good: AnalysisSnapshot | None = None

    def record_check(self, loaded: LoadedRuleset) -> None:
        self.latest = AnalysisSnapshot(loaded)
        if loaded.program is not None:
            self.last_good = self.latest


class Workspace:
    """Open texts over a file provider; an open text counts whether saved or not."""

    def __init__(
        self,
        provider: FileProvider = DISK,
        weights: ProjectWeights = lambda _: {},
        published: PublishedReadings | None = None,
        committed: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        """Workspace without open texts.

        Args:
            provider: files below the open texts.
            weights: weights of findings in a project.
            published: readings that a project publishes.
            committed: text of a file in the last commit; None if there is none, or no repository.
        """
        self.committed_text = committed
        self._provider = provider
        self._finding_weights = weights
        self._published_readings = published or {}
        self._texts: dict[str, str] = {}  # every open text, by the place it was opened as
        self._live_rules: dict[str, LiveRules] = {}  # those of rules, likewise
        self._live_data: dict[str, LiveData] = {}  # the others
        self._compiled: tuple[str, Executable] | None = None  # with the fingerprint of what it was made of
        self._text_cache: dict[str, tuple[str, Any]] = {}  # by name what was made of a text that said this
        self._refresh_count = 0  # how often files of the disk were said to be others
        self._incremental_loader = IncrementalLoader(following=True)
        self._rulesets: dict[RulesetLocation, _RulesetState] = {}
        # ruleset by path of a text, with the headers of all open texts at the time
        self._homes: dict[str, tuple[Mapping[str, tuple[str, ...]], RulesetLocation]] = {}

    @property
    def open_places(self) -> tuple[str, ...]:
        """Paths of open texts."""
        return tuple(self._texts)

    def change_text(self, place: str, content: str) -> None:
        """Open a text, or replace its content."""
        self._texts[place] = content
        if place.endswith(RULES_SUFFIX):
            self._live_rules[place] = LiveRules(Text(place, content), self._live_rules.get(place))
        elif place.endswith(DATA_SUFFIXES):
            self._live_data[place] = LiveData(Text(place, content), self._live_data.get(place))

    def close_text(self, place: str) -> None:
        """Close a text: the file on disk counts again."""
        self._texts.pop(place, None)
        self._live_rules.pop(place, None)
        self._live_data.pop(place, None)
        self._text_cache.pop(place, None)

    def refresh_files(self, provider: FileProvider, weights: ProjectWeights, published: PublishedReadings) -> None:
        """Replace the provider and project settings after changes on disk."""
        self._provider, self._finding_weights, self._published_readings = provider, weights, published
        self._homes.clear()
        self._refresh_count += 1

    def current_text(self, place: str) -> Text | None:
        """Open text, else the file on disk; None if it cannot be read."""
        text = Text(place, self._texts[place]) if place in self._texts else read_text_file(place, self._provider)
        return text if isinstance(text, Text) else None

    def current_files(self) -> FileProvider:
        """Files with the open texts over them."""
        return RevisedFiles(self._provider, self._texts)

    def cache_by_text(self, text: Text, make: Callable[[], _T]) -> _T:
        """Cached result of `make` while the text stays the same; one entry per text."""
        if text.name not in self._text_cache or self._text_cache[text.name][0] != text.content:
            self._text_cache[text.name] = text.content, make()
        return self._text_cache[text.name][1]  # type: ignore[no-any-return]

    def _readable_contents(self, *, data: bool = False) -> Mapping[str, str]:
        rules = {place: live_rules.readable.content for place, live_rules in self._live_rules.items()}
        other = {place: live_data.readable.content for place, live_data in self._live_data.items()} if data else {}
        return {**self._texts, **rules, **other}

    def readable_files(self, *, data: bool = False) -> FileProvider:
        """Files with the last readable versions of open rules over them; with `data` also of data files."""
        return RevisedFiles(self._provider, self._readable_contents(data=data))

    def gather_for_words(self, place: str, words: frozenset[str] | None, provider: FileProvider) -> GatheredRulesets:
        """Rulesets of a place with all files that contain one of these words."""
        return gather_rulesets(place, provider, words, self.load_ruleset)

    def last_good_snapshot(self, located: RulesetLocation) -> AnalysisSnapshot:
        """Last snapshot without errors, else the current one."""
        now = self.check_ruleset(located)
        return self._rulesets[located].last_good or now

    def compile_once(self, loaded: LoadedRuleset) -> Executable:
        """Executable of a ruleset without errors; the last one is cached by fingerprint."""
        program = loaded.program
        assert program is not None
        if any(line.policies for line in list_lines_of_class(program, Ask)):  # which its fingerprint does not tell
            return compile_program(program, traced=False)
        if self._compiled is None or self._compiled[0] != program.fingerprint:
            self._compiled = program.fingerprint, compile_program(program, traced=False)
        return self._compiled[1]

    def live_data(self, place: str) -> LiveData:
        """Open data file."""
        return self._live_data[place]

    def load_ruleset(
        self, located: RulesetLocation, overlays: tuple[str, ...], provider: FileProvider
    ) -> LoadedRuleset:
        """Checked ruleset, incrementally."""
        return self._incremental_loader.load_changed(located, overlays, provider)

    def map_occurrence(self, occurrence: NameOccurrence) -> NameOccurrence | None:
        """Occurrence in readable versions, mapped to current texts; None if it was edited away."""
        identity = self._provider.get_identity(occurrence.span.source)
        opened: Mapping[str, LiveRules | LiveData] = {**self._live_rules, **self._live_data}
        live = next((item for place, item in opened.items() if self._provider.get_identity(place) == identity), None)
        span = occurrence.span if live is None else live.alignment.map_forward(occurrence.span)
        return None if span is None else NameOccurrence(occurrence.target, occurrence.role, span, occurrence.is_sure)

    def find_ruleset(self, place: str, *, refresh: bool = True) -> RulesetLocation:
        """Ruleset of a text of rules, with the overlay that the text is; the text itself if it has none.

        Without `refresh` the previous answer stands, as a search may have to read all files around.
        """
        headers = {item: header_and_uses(live.readable.content) for item, live in self._live_rules.items()}
        known = self._homes.get(place)
        if known is None or (refresh and known[0] != headers):
            located = self._locate_ruleset(place, known[1] if known is not None else None)
            known = self._homes[place] = (headers, located if located.main is not None or known is None else known[1])
        return known[1]

    def _locate_ruleset(self, place: str, before: RulesetLocation | None) -> RulesetLocation:
        files = self.readable_files()
        beside = find_main_files(place, files)
        if beside == (place,):
            return locate_ruleset(place, files)
        nearest = (before,) if before is not None and before.main != place else ()
        around = (*nearest, *(locate_ruleset(item, files) for item in beside))
        identity = self._provider.get_identity

        def uses_place(each: RulesetLocation) -> bool:
            used = walk_used_files(each.main, files) if each.main is not None else ()
            return any(identity(one) == identity(place) for one in used)

        return next(filter(uses_place, around), RulesetLocation(place))

    def check_ruleset(self, located: RulesetLocation, *, refresh: bool = True) -> AnalysisSnapshot:
        """Snapshot of a ruleset for its current texts; without `refresh` the latest one."""
        ruleset = self._rulesets.setdefault(located, _RulesetState())
        contents = self._readable_contents()
        if ruleset.latest is None or (refresh and ruleset.checked_texts != (self._refresh_count, contents)):
            loaded = self._incremental_loader.load_changed(located, (), self.readable_files())
            ruleset.record_check(
                self._add_reading_findings(
                    apply_silences_and_weights(loaded, self._finding_weights(located.main or ""))
                )
            )
            ruleset.checked_texts = self._refresh_count, contents
        assert ruleset.latest is not None
        return ruleset.latest

    def _add_reading_findings(self, loaded: LoadedRuleset) -> LoadedRuleset:
        wanted = self._published_readings.get(loaded.program.name, {}) if loaded.program is not None else {}
        if loaded.program is None or not wanted:
            return loaded
        items = (*loaded.diagnostics, *find_other_readings(loaded.program, wanted))
        return replace(loaded, diagnostics=sort_by_place(items))

    def open_document(self, place: str, *, refresh: bool = True) -> OpenDocument:
        """Open text of rules with snapshots; with `refresh` the ruleset is checked first."""
        located = self.find_ruleset(place, refresh=refresh)
        now = self.check_ruleset(located, refresh=refresh)
        ruleset = self._rulesets[located]
        identities = {self._provider.get_identity(text): text for text in now.loaded.texts}
        texts = {
            identities.get(self._provider.get_identity(item), item): live for item, live in self._live_rules.items()
        }
        name = identities.get(self._provider.get_identity(place), place)
        return OpenDocument(name, texts, now, ruleset.last_good)


def find_rule_problems(opened: OpenDocument) -> Mapping[str, tuple[Diagnostic, ...]]:
    """Diagnostics of the ruleset of an open text, by text, in order; files without problems are empty.

    Syntax errors are of the current text. Others are of the last check, mapped to the current text, without those in
    edited lines or in declarations that cannot be parsed.
    """
    live_texts = [live for name, live in opened.texts.items() if name in opened.latest.loaded.texts]
    mistakes = [syntax_error for live in live_texts for syntax_error in live.syntax_errors]
    diagnostics: Iterable[Diagnostic] = opened.latest.loaded.diagnostics
    if not all(live.is_whole for live in live_texts):
        diagnostics = select_errors_without(diagnostics, Basis.NAMES)
    by_name: dict[str, list[Diagnostic]] = {name: [] for name in (*opened.latest.loaded.texts, opened.name)}
    for diagnostic in sort_by_place((*mistakes, *_relocate_findings(diagnostics, opened))):
        source = diagnostic.primary.span.source if diagnostic.primary else opened.name
        by_name.setdefault(source, []).append(diagnostic)
    return {name: tuple(item) for name, item in by_name.items()}


def _relocate_findings(diagnostics: Iterable[Diagnostic], opened: OpenDocument) -> Iterator[Diagnostic]:
    """Without those of declarations that cannot be parsed."""
    alignments = ((name, opened.latest.align_text(name, live)) for name, live in opened.texts.items())
    move = SpanRelocator({name: moved for name, moved in alignments if moved is not None})
    for diagnostic in diagnostics:
        with suppress(SpanInsideEditError):
            placed = move(diagnostic)
            live = opened.texts.get(placed.primary.span.source) if placed.primary else None
            if live is None or placed.primary is None or live.is_read_at(placed.primary.span.start):
                yield placed
