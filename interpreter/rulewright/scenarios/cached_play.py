"""Disk caches of suites, rulesets and failures between runs, and parallel play of cases in worker processes."""

import gc
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path

from rulewright.base.bounded_files import read_text_file
from rulewright.base.disk_cache import CacheBucket, fingerprint_toolchain, make_cache_key
from rulewright.base.files import DiskFiles, FileProvider, RecordedAnswers, RecordingFiles
from rulewright.base.source import Text
from rulewright.base.workers import start_process_pool
from rulewright.documents.compiled_rulesets import compile_kept_ruleset
from rulewright.documents.file_dependent_cache import cache_values, read_cached_values
from rulewright.documents.findings import ReadResult
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import RulesetLocation
from rulewright.play.session import Session
from rulewright.program.walk import is_address_suffix
from rulewright.runtime.executable import link_executable
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import TraceEntry
from rulewright.scenarios.case_opening import CompiledRuleset, RulesetKey, RulesetLoader, clause_ids, ruleset_key
from rulewright.scenarios.case_play import SessionCallback, play_case
from rulewright.scenarios.suite import ONLY_PLAYED, CaseResult, ScenarioCase, Suite
from rulewright.scenarios.suite_reader import SuiteLoader, read_suite

SUITE_CACHE = CacheBucket("scenarios", max_entries=1000, max_bytes=128_000_000)
_GOOD_OUTCOMES = frozenset({"passed", "skipped", ONLY_PLAYED})
DEFAULT_LIMITS = RunLimits()
_FAILURE_CACHE = CacheBucket("failed", max_entries=100, max_bytes=16_000_000)
_BATCHES_PER_WORKER = 4
_CASES_PER_WORKER = 100
_UNTAKEN_OUTCOMES = frozenset({"failed", "passed", "not judged", "idle", "not found"})


@dataclass(frozen=True)
class CachedSuiteLoader(SuiteLoader):
    """`SuiteLoader` with a disk cache, for files of the disk."""

    def load_suite(self, text: Text) -> ReadResult[Suite]:
        """Suite of a text, from the cache while it and all the files it names are unchanged."""
        if not isinstance(self.provider, (DiskFiles, RecordingFiles)):
            return super().load_suite(text)
        key = make_cache_key(fingerprint_toolchain(), text.name, text.content)
        return _read_cached_suite(key, self.provider, self.texts) or self._read_and_cache_suite(
            key, text, self.provider
        )

    def _read_and_cache_suite(self, key: str, text: Text, disk: DiskFiles | RecordingFiles) -> ReadResult[Suite]:
        files, texts = RecordingFiles(disk), dict[str, Text]()
        result = read_suite(text, files, texts)
        self.texts.update(texts)
        if result.value is not None:
            cache_values(SUITE_CACHE, key, (files.answers, tuple(texts)), result)
        return result


def _read_cached_suite(key: str, disk: DiskFiles | RecordingFiles, texts: dict[str, Text]) -> ReadResult[Suite] | None:
    cached = read_cached_values(SUITE_CACHE, key, disk, lambda names, result: (names, result))
    if cached is None:
        return None
    names, result = cached
    texts.update(reread_texts(names, disk))
    return result  # type: ignore[no-any-return]


def reread_texts(names: Iterable[str], disk: DiskFiles | RecordingFiles) -> dict[str, Text]:
    """Texts of these places that can still be read, by name."""
    return {each.name: each for name in names if isinstance(each := read_text_file(name, disk), Text)}


@dataclass(frozen=True)
class CachedRulesetLoader(CachedSuiteLoader, RulesetLoader):
    """`RulesetLoader` with a disk cache of rulesets that compiled without errors."""

    _uncompiled: dict[tuple[RulesetLocation, tuple[str, ...]], tuple[LoadedRuleset, RecordedAnswers]] = field(
        default_factory=dict
    )

    def load_uncompiled(
        self, located: RulesetLocation, overlays: tuple[str, ...], provider: FileProvider
    ) -> LoadedRuleset:
        """Ruleset that scenarios will want compiled, so that it is checked once for both."""
        if not isinstance(provider, (DiskFiles, RecordingFiles)):
            return load_ruleset(located, overlays, provider)
        files = RecordingFiles(provider)
        loaded = load_ruleset(located, overlays, files)
        self._uncompiled[located, overlays] = loaded, files.answers
        return loaded

    def _compile_located(
        self, located: RulesetLocation, overlays: tuple[str, ...], provider: FileProvider
    ) -> ReadResult[CompiledRuleset]:
        if not isinstance(provider, (DiskFiles, RecordingFiles)):
            return super()._compile_located(located, overlays, provider)

        def load(files: FileProvider) -> LoadedRuleset:
            loaded, answers = self._uncompiled.pop((located, overlays), (None, {}))
            if loaded is None:
                loaded = load_ruleset(located, overlays, files)
            elif isinstance(files, RecordingFiles):
                files.answers.update(answers)
            self.texts.update(loaded.texts)
            return loaded

        compiled = compile_kept_ruleset(located, overlays, provider, load, _describe_ruleset, traced=True)
        if compiled.value is None:
            return ReadResult(None, compiled.diagnostics)
        written, (names, clauses) = compiled.value
        self.texts.update(reread_texts(names, provider))
        return ReadResult(CompiledRuleset(link_executable(written), clauses))


def _describe_ruleset(loaded: LoadedRuleset) -> tuple[tuple[str, ...], frozenset[str]]:
    return tuple(loaded.texts), clause_ids(loaded)


def store_failures(results: Iterable[CaseResult]) -> None:
    """Stores which results failed; cases that were not played keep their state."""
    played = list(results)
    failures = load_failures() - {_case_key(one) for one in played} | {
        _case_key(one) for one in played if one.outcome not in _GOOD_OUTCOMES
    }
    _FAILURE_CACHE.store_bytes(_folder_key(), json.dumps(sorted(failures)).encode("utf-8", "surrogatepass"))


def load_failures() -> frozenset[tuple[str, str]]:
    """File and name of every case that failed when it was last played."""
    cached = _FAILURE_CACHE.load_bytes(_folder_key())
    return frozenset((file, name) for file, name in json.loads(cached)) if cached else frozenset()


def _case_key(result: CaseResult) -> tuple[str, str]:
    return result.case.file, result.case.name


def _folder_key() -> str:
    return make_cache_key(str(Path.cwd()))


def choose_worker_count(count: int) -> int:
    """Number of worker processes: one and another per `_CASES_PER_WORKER` cases, at most one per core."""
    return min(os.cpu_count() or 1, 1 + count // _CASES_PER_WORKER)


def play_cases(  # noqa: PLR0913 - what is played, with what, and who hears of it
    cases: Sequence[ScenarioCase],
    workers: int,
    rules: RulesetLoader,
    step: str = "",
    limits: RunLimits = DEFAULT_LIMITS,
    *,
    on_session: SessionCallback = lambda _: None,
) -> Iterator[CaseResult | None]:
    """Result of every case, in order, as soon as it is there; `None` for one that never reaches `step`.

    Workers load the rules themselves; the texts they read are added to those of `rules`. `on_session` is called with
    every session that no worker played.
    """
    if workers == 1 or len(cases) == 1:
        for case_ in cases:
            _load_rules_of(case_, rules)
            yield _play_if_reaching(case_, rules, step, limits, on_session)
        return
    parts = _batch_cases(cases, workers)
    mapping: dict[int, CaseResult | None] = {}
    next_position = 0
    with start_process_pool(workers) as pool:
        given = [[cases[at] for at in part] for part in parts]
        played = pool.map(_play_batch, given, repeat(rules.provider), repeat(step), repeat(limits))
        for part, (results, texts) in zip(parts, played, strict=True):
            rules.texts.update(texts)
            mapping.update(zip(part, results, strict=True))
            while next_position in mapping:
                yield mapping.pop(next_position)
                next_position += 1


def _batch_cases(cases: Sequence[ScenarioCase], workers: int) -> list[Sequence[int]]:
    positions_by_ruleset: dict[RulesetKey, list[int]] = {}
    for position, case in enumerate(cases):
        positions_by_ruleset.setdefault(ruleset_key(case), []).append(position)
    size = max(1, len(cases) // (workers * _BATCHES_PER_WORKER))
    return [all_[first : first + size] for all_ in positions_by_ruleset.values() for first in range(0, len(all_), size)]


_WORKER_LOADERS: dict[FileProvider, CachedRulesetLoader] = {}
"""Loaders of a worker process, shared by its batches."""


def _play_batch(
    cases: Sequence[ScenarioCase], files: FileProvider, step: str, limits: RunLimits
) -> tuple[list[CaseResult | None], dict[str, Text]]:
    rules = _WORKER_LOADERS.setdefault(files, CachedRulesetLoader(files))
    for case_ in cases:
        _load_rules_of(case_, rules)
    return [_play_if_reaching(one, rules, step, limits) for one in cases], rules.texts


def _load_rules_of(case: ScenarioCase, rules: RulesetLoader) -> None:
    if not (case.problems or case.skip or rules.has_loaded(case)):
        rules.compile_for_case(case)
        gc.freeze()


def _play_if_reaching(
    case: ScenarioCase,
    rules: RulesetLoader,
    step: str,
    limits: RunLimits,
    on_session: SessionCallback = lambda _: None,
) -> CaseResult | None:
    if not step:
        return play_case(case, rules, on_session, limits)
    reached: list[bool] = []

    def note_session(session: Session) -> None:
        reached.append(_has_reached_step(step, session))
        on_session(session)

    result = play_case(case, rules, note_session, limits)
    return result if result.outcome == "wrong" or any(reached) else None


def _has_reached_step(step: str, session: Session) -> bool:
    if "/" not in step:
        return any(entry.sort == "step" and is_address_suffix(entry.address, step) for entry in session.entries)
    return any(is_address_suffix(address, step) for entry in session.entries for address in _addresses_in(entry))


def _addresses_in(entry: TraceEntry) -> Iterator[str]:
    yield entry.address
    yield from (row.address for row in entry.rows if row.outcome not in _UNTAKEN_OUTCOMES)
    for trace_entry in entry.inner:
        yield from _addresses_in(trace_entry)
