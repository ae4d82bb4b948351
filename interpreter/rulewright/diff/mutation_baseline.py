"""Mutation baseline: the scenarios as they run on the unchanged rules; and verdicts kept in a file between runs."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from rulewright import __version__
from rulewright.base.bounded_files import make_file_error
from rulewright.base.diagnostics import Diagnostic, Label, Severity
from rulewright.base.files import DISK
from rulewright.base.source import Span, Text
from rulewright.diff.mutants import OUTCOME_MEANINGS, Mutant, MutantVerdict, collect_ruleset_names
from rulewright.diff.mutation_operators import make_mutants, number_mutants
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapNode, ScalarNode
from rulewright.documents.findings import ReadResult, quote_name
from rulewright.documents.ruleset_loading import LoadedRuleset
from rulewright.scenarios.case_opening import RulesetKey, ruleset_key
from rulewright.scenarios.expectation_schema import ODDS_KEY
from rulewright.scenarios.reached_units import CoveragePlayer, CoveredCase
from rulewright.scenarios.suite import ONLY_PLAYED, ScenarioCase
from rulewright.syntax.parser import parse_rules_text

_STEP_LIMIT_FACTOR = 10
_MIN_STEP_LIMIT = 10_000
_DIGEST_CHARACTERS = 24
_FILE_HEADER = {"verdicts": 1}

MAX_FILE_BYTES = 64_000_000
"""Limit of the file of verdicts."""


@dataclass(frozen=True)
class CaseRun:
    """Run of a case with the unchanged rules."""

    case: ScenarioCase
    step_limit: int  # for mutated rules
    files: frozenset[str]  # names of the texts of its ruleset
    reached_lines: frozenset[Span]

    @property
    def ruleset_key(self) -> RulesetKey:
        """Equal for cases that play the same ruleset with the same overlays and conditions."""
        return ruleset_key(self.case)


@dataclass(frozen=True)
class MutationBaseline:
    """Unchanged rules, their runs and all their mutants."""

    runs: tuple[CaseRun, ...]  # in order
    texts: Mapping[str, Text]  # rules texts that are mutated, by name
    mutants: tuple[Mutant, ...]  # in order of file and place
    traceable_lines: frozenset[Span]  # lines whose execution runs can report
    dead_places: Mapping[Span, str]  # places that no play can reach, with the reason


def build_baseline(player: CoveragePlayer, played: Sequence[CoveredCase]) -> ReadResult[MutationBaseline]:
    """Baseline of played cases, with all mutants of the rules in the folders of the rulesets they play.

    Reports RW1060 for the first case that does not pass.
    """
    failed = next(
        (
            covered_case
            for covered_case in played
            if covered_case.result.outcome not in {"passed", "skipped", ONLY_PLAYED}
        ),
        None,
    )
    if failed is not None:
        case = failed.result.case
        message = f"{quote_name(case.name)} fails already with the rules as they are"
        remedy = "`rulewright test` shows why"
        diagnostic = Diagnostic("RW1060", Severity.ERROR, message, Label(case.place.span), help=remedy)
        return ReadResult(None, (*failed.result.problems, diagnostic))
    judged = [
        (covered_case, covered_case.loaded)
        for covered_case in played
        if covered_case.loaded and covered_case.result.outcome != ONLY_PLAYED
    ]
    rulesets = {id(loaded): loaded for _, loaded in judged}
    texts = _collect_rule_texts(tuple(rulesets.values()), player)
    return ReadResult(
        MutationBaseline(
            runs=tuple(_make_case_run(covered_case, loaded) for covered_case, loaded in judged),
            texts=texts,
            mutants=number_mutants(
                one for text in texts.values() for one in _mutants_of_text(text, tuple(rulesets.values()))
            ),
            traceable_lines=frozenset(
                unit.span for one in player.listings for unit in one.units if unit.sort == "lines" and unit.span
            ),
            dead_places=_find_dead_places(player),
        )
    )


def _make_case_run(played: CoveredCase, loaded: LoadedRuleset) -> CaseRun:
    limit = _STEP_LIMIT_FACTOR * played.work + _MIN_STEP_LIMIT
    return CaseRun(played.result.case, limit, frozenset(loaded.texts), played.visited)


def _collect_rule_texts(rulesets: Sequence[LoadedRuleset], player: CoveragePlayer) -> dict[str, Text]:
    """Rules of rulesets and overlays, main files first."""
    result = {name: text for ruleset in rulesets for name, text in ruleset.texts.items() if ruleset.linked}
    return {name: text for name, text in result.items() if name.endswith(".rules") and player.is_home_text(name)}


def _mutants_of_text(text: Text, rulesets: Sequence[LoadedRuleset]) -> tuple[Mutant, ...]:
    file = parse_rules_text(text).file
    assert file is not None
    with_it = [ruleset for ruleset in rulesets if text.name in ruleset.texts and ruleset.linked]
    largest = max(with_it, key=lambda loaded_ruleset: len(loaded_ruleset.texts)).linked
    assert largest is not None
    declarations = (declaration for module in largest.modules for declaration in module.declarations)
    return make_mutants(file, text, collect_ruleset_names(declarations, largest.document_by_source))


def _find_dead_places(player: CoveragePlayer) -> dict[Span, str]:
    """Places that are dead in every ruleset that has them."""
    dead = {unit.span: unit.dead for one in player.listings for unit in one.units if unit.dead and unit.span}
    alive = {unit.span for one in player.listings for unit in one.units if not unit.dead}
    return {span: why for span, why in dead.items() if span not in alive}


def select_runs(mutant: Mutant, baseline: MutationBaseline) -> tuple[CaseRun, ...]:
    """Runs that can notice a mutant: those of rulesets with its text that reach its line.

    Outside of lines all of them. A run that does not reach a line is the same whatever stands there; for odds the
    reached lines are unknown. Rulesets with most runs first, since each is checked anew; in one ruleset those of the
    fewest steps first, odds last: by a clock, another run would notice a mutant each time.
    """
    runs = runs_with_text(mutant, baseline)
    if mutant.line is not None and mutant.line in baseline.traceable_lines:
        runs = [run for run in runs if mutant.line in run.reached_lines or ODDS_KEY in run.case.expect]
    counts = Counter(run.ruleset_key for run in runs)

    def rank_run(run: CaseRun) -> tuple[object, ...]:
        return -counts[run.ruleset_key], run.ruleset_key, ODDS_KEY in run.case.expect, run.step_limit

    return tuple(sorted(runs, key=rank_run))


def runs_with_text(mutant: Mutant, baseline: MutationBaseline) -> list[CaseRun]:
    """Runs whose ruleset contains the text of a mutant."""
    return [run for run in baseline.runs if mutant.place.source in run.files]


def find_plainest_run(mutant: Mutant, baseline: MutationBaseline) -> CaseRun:
    """Run with the fewest overlays among those with the text of a mutant."""
    return min(runs_with_text(mutant, baseline), key=lambda case_run: [len(part) for part in case_run.ruleset_key[1:]])


def digest_parts(parts: Iterable[object]) -> str:
    """Digest of parts in order."""
    return sha256("\x00".join(map(repr, parts)).encode()).hexdigest()[:_DIGEST_CHARACTERS]


def digest_rules(texts: Iterable[Text]) -> str:
    """Digest of rules and of the version of rulewright."""
    return digest_parts([__version__, *sorted((text.name, text.content) for text in texts)])


def digest_mutant(mutant: Mutant, rules: str) -> str:
    """Digest of a change and of its rules."""
    return digest_parts([rules, mutant.place.source, mutant.place.start, mutant.place.end, mutant.new])


def digest_case(case: ScenarioCase) -> str:
    """Digest of what a case plays and expects, wherever it is written."""
    written = (case.roles, case.shared_roles, case.settings, case.state, case.patch, case.script, case.expect)
    overlays, policies = [overlay.text for overlay in case.overlays], [policy.written for policy in case.policies]
    return digest_parts(
        [
            *(case.file, case.name, case.ruleset, overlays, case.procedure.text, case.seed, policies, case.plays),
            *(None if item is None else _plain_data(item) for item in written),
            *(() if case.previous is None else [digest_case(case.previous)]),
        ]
    )


def _plain_data(node: DocumentNode) -> object:
    match node:
        case MapNode(entries=entries):
            return {key.text: _plain_data(value) for key, value in entries}
        case ListNode(items=items):
            return [_plain_data(item) for item in items]
        case ScalarNode(value=value, written=written):
            return (value, written)


VerdictLines = tuple[Mapping[str, object], ...]
"""Kept verdicts, one mapping for each mutant."""


class KeptVerdicts:
    """Verdicts of earlier runs.

    A killed mutant stays killed while the rules and the scenario that killed it are the same; a refused one stays so
    while the rules and the overlays it is checked with are; any other verdict holds while the rules and all scenarios
    are the same.
    """

    def __init__(self, baseline: MutationBaseline, lines: VerdictLines) -> None:
        self._baseline = baseline
        self._rules_digest = digest_rules(baseline.texts.values())
        self._case_digests = {(run.case.file, run.case.name): digest_case(run.case) for run in baseline.runs}
        self._all_cases_digest = digest_parts(sorted(self._case_digests.values()))
        self._lines = {str(line.get("mutant")): line for line in lines}

    def find_verdict(self, mutant: Mutant) -> MutantVerdict | None:
        """Verdict that still holds; None otherwise."""
        line = self._lines.get(digest_mutant(mutant, self._rules_digest))
        if line is None or line.get("outcome") not in OUTCOME_MEANINGS:
            return None
        by, plays = (str(line.get("file", "")), str(line.get("name", ""))), line.get("plays")
        result = MutantVerdict(
            str(line["outcome"]), str(line.get("why", "")), by, plays if isinstance(plays, int) else 0
        )
        return result if line.get("with") == self._digest_dependencies(mutant, result) else None

    def make_verdict_line(self, mutant: Mutant, verdict: MutantVerdict) -> dict[str, object]:
        return {
            "mutant": digest_mutant(mutant, self._rules_digest),
            "outcome": verdict.outcome,
            "why": verdict.reason,
            "file": verdict.scenario[0],
            "name": verdict.scenario[1],
            "plays": verdict.play_count,
            "with": self._digest_dependencies(mutant, verdict),
        }

    def _digest_dependencies(self, mutant: Mutant, verdict: MutantVerdict) -> str | None:
        match verdict.outcome:
            case "killed":
                return self._case_digests.get(verdict.scenario)
            case "refused":
                return digest_parts(find_plainest_run(mutant, self._baseline).ruleset_key)
            case _:
                return self._all_cases_digest


class UnwritableVerdictsError(Exception):
    """The file cannot be written; the argument says why."""


class VerdictWriter:
    """File to which verdicts are appended as soon as they are known; without a place nothing is kept.

    Raises:
        UnwritableVerdictsError: the file cannot be opened or written.
    """

    def __init__(self, place: Path | None, verdicts: KeptVerdicts) -> None:
        self._place = place
        self._verdicts = verdicts
        self._file: TextIO | None = None

    def __enter__(self) -> Self:
        if self._place is not None:
            try:
                self._file = self._place.open("a+", encoding="utf-8")
                has_header = _truncate_partial_line(self._file) > 0
            except OSError as error:
                raise _make_unwritable_error(error) from None
            if not has_header:
                self._write_verdict_line(_FILE_HEADER)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add_verdict(self, mutant: Mutant, verdict: MutantVerdict) -> None:
        self._write_verdict_line(self._verdicts.make_verdict_line(mutant, verdict))

    def _write_verdict_line(self, line: Mapping[str, object]) -> None:
        if self._file is not None:
            try:
                self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
                self._file.flush()
            except OSError as error:
                raise _make_unwritable_error(error) from None


def _truncate_partial_line(file: TextIO) -> int:
    """Remove an incomplete last line; returns the number of bytes that are left."""
    file.buffer.seek(0)
    whole = file.buffer.read(MAX_FILE_BYTES).rfind(b"\n") + 1
    file.truncate(whole)
    return whole


def _make_unwritable_error(error: OSError) -> UnwritableVerdictsError:
    return UnwritableVerdictsError((error.strerror or "no reason given").lower())


def read_verdict_lines(place: Path) -> ReadResult[VerdictLines]:
    """Lines of a file of verdicts; empty where there is no file yet.

    Reports RW1067 (the file holds something else, or cannot be read) and RW0005 (it is too large). A last line that was
    cut off is skipped.
    """
    if not _does_path_exist(place):
        return ReadResult(())
    try:
        content = DISK.read_file_bytes(str(place), MAX_FILE_BYTES + 1) if place.is_file() else b"\0"
        written = content.decode().splitlines()
    except (OSError, ValueError):
        return ReadResult(None, (_report_foreign_file(place),))
    if len(content) > MAX_FILE_BYTES:
        return ReadResult(
            None, (make_file_error("RW0005", f"{quote_name(str(place))} is larger than {MAX_FILE_BYTES:,} bytes"),)
        )
    result = [item for item in map(_parse_verdict_line, written) if item is not None]
    if json.dumps(_FILE_HEADER).encode().startswith(content):
        return ReadResult(())
    if written and (not result or result[0] != _FILE_HEADER):
        return ReadResult(None, (_report_foreign_file(place),))
    return ReadResult(tuple(result[1:]))


def _does_path_exist(place: Path) -> bool:
    try:
        return place.exists()
    except OSError:
        return False


def _parse_verdict_line(written: str) -> dict[str, object] | None:
    try:
        result = json.loads(written)
    except ValueError:
        return None
    return result if isinstance(result, dict) else None


def _report_foreign_file(place: Path) -> Diagnostic:
    message = f"{quote_name(str(place))} keeps no verdicts of `mutate`"
    return make_file_error("RW1067", message, "name another file, or one that is not there yet")
