"""Index of names over all files of the rulesets of a place, each file read once."""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from rulewright.base.bounded_files import read_text_file
from rulewright.base.diagnostics import Diagnostic
from rulewright.base.files import DATA_SUFFIXES, FileProvider, walk_folders
from rulewright.base.source import Span, Text
from rulewright.documents.document_nodes import ListNode, MapNode, ScalarNode, value_under
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import RulesetLocation, list_rulesets, locate_ruleset, resolve_ruleset_name
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.editor.document_names import (
    RulesetVocabulary,
    collect_clause_names,
    collect_data_names,
    collect_likelihood_names,
    collect_suite_names,
)
from rulewright.editor.name_declarations import DeclarationCollector, collect_part_addresses
from rulewright.editor.name_index import (
    NameIndex,
    NameRole,
    NameSpan,
    NameTarget,
    OccurrenceCollector,
    RulesetNameTables,
    build_name_index,
)
from rulewright.editor.name_usages import UsageCollector, list_amended_addresses_by_procedure
from rulewright.editor.played_answers import collect_played_answers
from rulewright.odds.external_answers import LIKELIHOODS_SUFFIX
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX
from rulewright.syntax.nodes.expressions import Name

_CLAUSE_LIST_SUFFIX = ".clauses.yaml"
_RULES_SUFFIX = ".rules"

_COLLECTORS_BY_SUFFIX = {_CLAUSE_LIST_SUFFIX: collect_clause_names, LIKELIHOODS_SUFFIX: collect_likelihood_names}
"""Collectors of names by file name suffix."""

ReferenceRulesetLoader = Callable[[RulesetLocation, tuple[str, ...], FileProvider], LoadedRuleset]


@dataclass(frozen=True)
class GatheredRulesets:
    """Rulesets of a place with all files that belong to them."""

    index: NameIndex
    texts: Mapping[str, Text]  # by name
    readings: tuple[LoadedRuleset, ...]  # each ruleset alone, then with each of its overlays
    main_files: tuple[str, ...]
    names: Mapping[str, RulesetNameTables]  # by identity of the main file
    extents: Mapping[NameTarget, Span]  # declarations, steps, rows and statements, named or not
    titles: Mapping[NameTarget, str]  # titles or reasons
    prose: frozenset[Span]  # titles, texts and comments of rules
    unread_errors: tuple[Diagnostic, ...]  # of unreadable files that may contain names

    @property
    def folders(self) -> tuple[str, ...]:
        """Searched folders, each with all those below it."""
        return tuple(
            dict.fromkeys(posixpath.normpath(posixpath.dirname(main_file) or ".") for main_file in self.main_files)
        )

    @property
    def rule_errors(self) -> tuple[Diagnostic, ...]:
        """Distinct errors of rules."""
        return tuple(dict.fromkeys(error for loaded in self.readings for error in loaded.errors))


@dataclass
class _RulesetGatherer:
    provider: FileProvider
    load_ruleset: ReferenceRulesetLoader
    words: frozenset[str] | None
    occurrences: OccurrenceCollector = field(default_factory=OccurrenceCollector)
    names: dict[str, RulesetNameTables] = field(default_factory=dict)
    readings: dict[tuple[str, tuple[str, ...]], LoadedRuleset] = field(default_factory=dict)

    def gather_ruleset(self, name: str) -> RulesetNameTables | None:
        located = locate_ruleset(name, self.provider)
        if located.main is None:
            self.readings.setdefault((name, ()), LoadedRuleset(None, located.diagnostics, {}))
            return None
        self._load_once(located.main, ())
        self._load_once(located.main, located.overlays)
        return self.names[self.provider.get_identity(located.main)]

    def gather_part(self, ruleset: str) -> None:
        """A ruleset that another one uses, where scenarios play it by itself."""
        main = locate_ruleset(ruleset, self.provider).main
        if main is not None and main in self.occurrences.texts and self.provider.get_identity(main) not in self.names:
            self.gather_ruleset(ruleset)

    def gather_overlaid(self, ruleset: str, overlays: tuple[str, ...]) -> None:
        """Skipped if all overlays were read and have no errors one by one."""
        located = locate_ruleset(ruleset, self.provider)
        alone = {key[1]: loaded for key, loaded in self.readings.items() if loaded.program is not None}
        read_alone = all((self.provider.get_identity(overlay),) in alone for overlay in overlays)
        if located.main is not None and not read_alone and any(map(self.has_wanted_word, overlays)):
            self._load_once(located.main, overlays)

    def has_wanted_word(self, place: str) -> bool:
        text = self.read_text(place)
        return text is not None and (self.words is None or any(word in text.content for word in self.words))

    def _load_once(self, main: str, overlays: tuple[str, ...]) -> None:
        key = self.provider.get_identity(main), tuple(map(self.provider.get_identity, overlays))
        if key in self.readings:
            return
        loaded = self.readings[key] = self.load_ruleset(RulesetLocation(main, overlays), (), self.provider)
        collect_rule_names(loaded, self.names.setdefault(key[0], RulesetNameTables()), self.occurrences)

    @cached_property
    def scenario_rules(self) -> RulesetLoader:
        return RulesetLoader(self.provider)

    def has_unsure_wanted_answer(self, place: str) -> bool:
        names = (
            occurrence.target.name
            for occurrence in self.occurrences.occurrences.values()
            if not occurrence.is_sure and occurrence.span.source == place
        )
        return any(self.words is None or any(word in name for word in self.words) for name in names)

    def read_text(self, place: str) -> Text | None:
        result = self.occurrences.texts.get(place) or read_text_file(place, self.provider)
        return result if isinstance(result, Text) else None


def gather_rulesets(
    place: str,
    provider: FileProvider,
    words: frozenset[str] | None = None,
    loading: ReferenceRulesetLoader = load_ruleset,
) -> GatheredRulesets:
    """Read the rulesets of a place and all files in their folders and below that belong to them.

    With `words`, only overlays and documents that contain one of them are read.
    """
    work = _RulesetGatherer(provider, loading, words)
    for name in list_rulesets(place, provider).names:
        work.gather_ruleset(name)
    mains = tuple(loaded.linked.main.sources[-1] for loaded in work.readings.values() if loaded.linked)
    files = list(_list_files_around(mains, work.provider))
    for file in files:
        if file.endswith(_RULES_SUFFIX) and work.has_wanted_word(file) and _amends_gathered_ruleset(file, work):
            work.gather_ruleset(file)
    data = [item for item in files if item.endswith(DATA_SUFFIXES)]
    files = [item for item in data if work.has_wanted_word(item)]
    suites = {item: find_scenario_ruleset(item, provider) for item in files if item.endswith(SCENARIO_SUFFIX)}
    for ruleset, overlays in suites.values():
        work.gather_part(ruleset)
        for one in overlays:
            work.gather_overlaid(ruleset, one)
    _collect_document_names(files, {item: ruleset for item, (ruleset, _) in suites.items()}, work)
    result = work.occurrences
    return GatheredRulesets(
        index=build_name_index(result.occurrences),
        texts=result.texts,
        readings=tuple(work.readings.values()),
        main_files=mains,
        names=work.names,
        extents=result.extents,
        titles=result.titles,
        prose=frozenset(result.prose),
        unread_errors=(*_find_undecoded_files(data, work), *_find_unreadable_documents(files, work)),
    )


def _find_undecoded_files(files: list[str], work: _RulesetGatherer) -> Iterator[Diagnostic]:
    """Files too large for a state or scenario are none."""
    results = (read_text_file(file, work.provider) for file in files if work.read_text(file) is None)
    yield from (
        diagnostic for diagnostic in results if isinstance(diagnostic, Diagnostic) and diagnostic.code != "RW0005"
    )


def _find_unreadable_documents(files: list[str], work: _RulesetGatherer) -> Iterator[Diagnostic]:
    for file in files:
        text = work.read_text(file) if file.endswith((SCENARIO_SUFFIX, _CLAUSE_LIST_SUFFIX)) else None
        parsed = parse_yaml(text) if text is not None else None
        if parsed is not None and parsed.value is None and text is not None:
            work.occurrences.texts[file] = text
            yield from parsed.diagnostics


def _collect_document_names(files: list[str], suites: Mapping[str, str], work: _RulesetGatherer) -> None:
    """Scenarios with their states first, then clause lists, other states and scripts."""
    known = {main: RulesetVocabulary(names) for main, names in work.names.items()}
    states: dict[str, RulesetVocabulary] = {}
    for item, ruleset in suites.items():
        vocabulary = known.get(work.provider.get_identity(locate_ruleset(ruleset, work.provider).main or ""))
        text = work.read_text(item)
        if vocabulary is not None and text is not None:
            folder = posixpath.dirname(item)
            named = collect_suite_names(text, vocabulary, work.occurrences)
            if work.has_unsure_wanted_answer(item):
                collect_played_answers(text, vocabulary, work.occurrences, work.scenario_rules)
            states.update({posixpath.normpath(posixpath.join(folder, one)): vocabulary for one in named})
    for fromkey in dict.fromkeys((*files, *states)):
        text = (
            None if fromkey.endswith(SCENARIO_SUFFIX) or not work.has_wanted_word(fromkey) else work.read_text(fromkey)
        )
        if text is not None:
            note = next(
                (note for ending, note in _COLLECTORS_BY_SUFFIX.items() if fromkey.endswith(ending)), collect_data_names
            )
            for vocabulary in (states[fromkey],) if fromkey in states else known.values():
                note(text, vocabulary, work.occurrences)


def _list_files_around(mains: tuple[str, ...], provider: FileProvider) -> Iterator[str]:
    folders = dict.fromkeys(posixpath.dirname(main) or "." for main in mains)
    visited: set[str] = set()
    for top in folders:
        for folder in walk_folders(top, provider):
            for name in provider.list_folder_names(folder):
                place = posixpath.normpath(posixpath.join(folder, name))
                if place not in visited and provider.get_file_type(place) == "file":
                    visited.add(place)
                    yield place


def _amends_gathered_ruleset(place: str, work: _RulesetGatherer) -> bool:
    located = locate_ruleset(place, work.provider)
    main = located.main
    return bool(located.overlays) and main is not None and work.provider.get_identity(main) in work.names


def find_scenario_ruleset(place: str, provider: FileProvider) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """Ruleset of a scenario file, and the sets of overlays of its scenarios."""
    text = read_text_file(place, provider)
    root = parse_yaml(text).value if isinstance(text, Text) else None
    named = value_under(root, "ruleset")
    ruleset = resolve_ruleset_name(named.written if isinstance(named, ScalarNode) else None, place, provider)
    return ruleset, tuple(dict.fromkeys(_list_overlay_sets(root, posixpath.dirname(place), provider)))


def _list_overlay_sets(node: object, folder: str, provider: FileProvider) -> Iterator[tuple[str, ...]]:
    match node:
        case MapNode(entries):
            for key, list_node in entries:
                if key.text == "overlays":
                    named = list_node.items if isinstance(list_node, ListNode) else (list_node,)
                    places = (
                        _resolve_overlay(one.written, folder, provider) for one in named if isinstance(one, ScalarNode)
                    )
                    yield tuple(one for one in places if one)
                yield from _list_overlay_sets(list_node, folder, provider)
        case ListNode(items):
            for item in items:
                yield from _list_overlay_sets(item, folder, provider)
        case _:
            return


def _resolve_overlay(written: str, folder: str, provider: FileProvider) -> str:
    beside = posixpath.join(folder, written)
    return next((item for item in (beside, f"{beside}{_RULES_SUFFIX}") if provider.get_file_type(item) == "file"), "")


def collect_rule_names(loaded: LoadedRuleset, names: RulesetNameTables, collector: OccurrenceCollector) -> None:
    """Collect names in the texts of a ruleset; those of the ruleset before those of its overlays."""
    linked = loaded.linked
    if linked is None:
        return
    collector.texts.update(loaded.texts)
    if loaded.program is not None:
        names.programs.append(loaded.program)
    names.documents.update(linked.document_by_source)
    DeclarationCollector(linked, names, collector).collect_declarations()
    UsageCollector(loaded, linked, names, collector).collect_usages()
    collect_part_addresses(linked, names, collector)
    bases = {derivation.node.name.text: derivation.node.base.text for derivation in linked.derivations.values()}
    for module in linked.modules:
        for file in module.files:
            for around, name in list_amended_addresses_by_procedure(file):
                _collect_amendment_address(_derivation_chain(around, bases), name, names, collector)


def _derivation_chain(procedure: str, bases: Mapping[str, str]) -> tuple[str, ...]:
    """A procedure, its `like` base, and so on."""
    chain: tuple[str, ...] = (procedure,) if procedure else ()
    while chain and chain[-1] in bases and bases[chain[-1]] not in chain:
        chain = (*chain, bases[chain[-1]])
    return chain


def _collect_amendment_address(
    around: tuple[str, ...], name: Name, names: RulesetNameTables, collector: OccurrenceCollector
) -> None:
    inside = name.text.partition("/")[0] not in around
    for text in (f"{item}/{name.text}" for item in around) if around and inside else (name.text,):
        shift = len(name.text) - len(text)
        for address_name in _known_address_names(text, names):
            start, end = address_name.start + shift, address_name.end + shift
            if start >= 0:
                span = Span(name.span.source, name.span.start + start, name.span.start + end)
                collector.add_occurrence(span, name.text[start:end], address_name.target, NameRole.AMENDED)


def _known_address_names(text: str, names: RulesetNameTables) -> tuple[NameSpan, ...]:
    """Of a new address, the names in the part that exists."""
    while text and text not in names.addresses:
        text = text.rpartition("/")[0]
    return names.addresses.find_names(text) if text else ()
