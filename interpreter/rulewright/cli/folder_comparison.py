"""Comparison of all that a folder holds: a ruleset with each set of its overlays, and the other rulesets."""

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from time import monotonic

from rulewright.base.bounded_files import read_text_file
from rulewright.base.files import DATA_SUFFIXES, walk_folders
from rulewright.base.source import Text
from rulewright.cli.diff_result import (
    ComparedPair,
    ComparedSide,
    DiffResult,
    PlayEffort,
    ScenarioSelection,
    SideRequest,
    compare_by_play,
    compare_pair,
    read_cases_beside,
)
from rulewright.cli.output import Output
from rulewright.diff.change_rows import ChangeRow, FirstScreen, FoldedEdits
from rulewright.diff.differential_testing.results import BehaviourComparison, MigratedPlay, OddsComparison, WorkBudget
from rulewright.diff.differential_testing.scenario_migration import (
    LocatedRevision,
    ScenarioFiles,
    SuiteMigration,
    find_named_overlays,
    first_error_message,
    read_scenarios_beside,
)
from rulewright.documents.ruleset_loading import LoadedRuleset, load_cached_ruleset, load_ruleset
from rulewright.documents.ruleset_location import RULES_SUFFIX, RulesetLocation, locate_ruleset, read_header
from rulewright.scenarios.suite import ScenarioCase

_CLAUSE_LIST_SUFFIX = ".clauses.yaml"
_READABLE_SUFFIXES = (*DATA_SUFFIXES, ".csv", RULES_SUFFIX)
_SAME_TEXT_VERDICTS = frozenset({"identical", "cosmetic"})
_MIN_PLAY_TIME_S = 1.0
_MAX_NAMED_OVERLAYS = 2
OddsShiftFunction = Callable[[bool], OddsComparison | None]


def compare_with_folder(pair: ComparedPair, effort: PlayEffort, out: Output, shift: OddsShiftFunction) -> DiffResult:
    """Compare two revisions, alone and amended by each overlay and each overlay set of a scenario.

    If overlays are given explicitly, both are compared with these alone.
    """
    if pair.old.beside.overlays or pair.new.beside.overlays:
        return _add_odds_shift(compare_pair(pair, compare_by_play(pair, effort, out)), shift)
    return _FolderComparison(pair, effort, out).compare_folders(shift)


def has_folder_differences(pair: ComparedPair) -> bool:
    """Whether rules or clause lists beside two rulesets differ that are no part of them, such as overlays."""
    old, new = pair.old, pair.new
    if old.beside.overlays or new.beside.overlays:
        return False
    folders = _RulesetFolder(old), _RulesetFolder(new)
    read = folders[0].paths_read_by(old.loaded) | folders[1].paths_read_by(new.loaded)
    first, second = (folder.rule_texts_except(read) for folder in folders)
    return first != second


class _RulesetFolder:
    """Files in the folder of a revision, by relative path."""

    def __init__(self, side: ComparedSide) -> None:
        self.side = side
        self.beside: LocatedRevision = side.beside
        self.program = side.program
        self.is_named = side.request.provider.get_file_type(side.request.place) != "file"

    def relative_path(self, place: str) -> str:
        return posixpath.relpath(place, self.beside.home)

    def resolve_path(self, way: str) -> str:
        return posixpath.normpath(posixpath.join(self.beside.home, way))

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Contents of files that a play or a scenario may read, in the folder and below."""
        provider = self.beside.provider
        result: dict[str, str] = {}
        for folder in walk_folders(self.beside.home, provider):
            for name in provider.list_folder_names(folder):
                if name.startswith(".") or not name.endswith(_READABLE_SUFFIXES):
                    continue
                place = posixpath.normpath(posixpath.join(folder, name))
                text = read_text_file(place, provider)
                if isinstance(text, Text):
                    result[self.relative_path(place)] = text.content
        return result

    @cached_property
    def scenario_files(self) -> ScenarioFiles:
        return read_scenarios_beside(self.beside)

    @cached_property
    def readable_cases(self) -> tuple[ScenarioCase, ...]:
        return read_cases_beside(self.side)

    @cached_property
    def overlays(self) -> tuple[str, ...]:
        provider, identify = self.beside.provider, self.beside.provider.get_identity
        amending = []
        for way in self.files:
            place = self.resolve_path(way)
            word, name = read_header(place, provider) if way.endswith(RULES_SUFFIX) else ("", "")
            main = locate_ruleset(place, provider).main if word == "amends" else None
            is_named = word == "amends" and main is None and name == self.program.name and "/" not in way
            if is_named or (main is not None and identify(main) == identify(self.beside.main)):
                amending.append(way)
        return tuple(amending)

    def rule_texts_except(self, read: Collection[str]) -> Mapping[str, str]:
        """Contents of rules and clause lists that are not in `read`."""
        return {way: text for way, text in self.files.items() if _is_rule_file(way) and way not in read}

    def paths_read_by(self, loaded: LoadedRuleset) -> set[str]:
        return {self.relative_path(text) for text in loaded.texts}


class _FolderComparison:
    """Two folders, each with one ruleset, and the state of their comparison."""

    def __init__(self, pair: ComparedPair, effort: PlayEffort, out: Output) -> None:
        self._pair, self._sides, self._wanted, self._out = pair, (pair.old, pair.new), effort, out
        self._folders = _RulesetFolder(pair.old), _RulesetFolder(pair.new)
        self._started_at = monotonic()
        self._compared_paths: tuple[set[str], set[str]] = set(), set()
        self._one_sided_overlays: tuple[dict[str, None], dict[str, None]] = {}, {}
        self._one_sided_notes: list[str] = []
        self._uncompared_notes: list[str] = []

    def compare_folders(self, shift: OddsShiftFunction) -> DiffResult:
        base = compare_pair(self._pair, self._play_within_budget(self._pair, (), self._wanted.work))
        self._mark_covered(*(side.loaded for side in self._sides))
        is_same_text = base.comparison.text_verdict in _SAME_TEXT_VERDICTS
        alone = ((overlay,) for folder in self._folders for overlay in folder.overlays)
        # each overlay alone, then the sets that scenarios of either revision name; each once
        every = dict.fromkeys(() if self._is_unedited and is_same_text else (*alone, *self._scenario_overlay_sets))
        one_sided = [item for item in every if not self._is_in_both(item)]
        sets = [item for item in every if item not in one_sided and (not is_same_text or self._edited_overlays(item))]
        amended, skipped = list[DiffResult](), one_sided
        changed = [frozenset[str]()] if base.whole.verdict.word == "changed" else []
        work_left = self._wanted.work
        for number, overlays in enumerate(sets):
            edited = self._edited_overlays(overlays)
            if any(edited <= item and (not edited or item <= {*overlays}) for item in changed):
                skipped.append(overlays)
                if overlays not in self._scenario_overlay_sets:
                    self._is_valid_in_both(overlays, self._load_with_overlays(overlays))
                continue
            result = self._compare_with_overlays(overlays, max(work_left // (len(sets) - number), min(work_left, 1)))
            if result is None:
                skipped.append(overlays)
                continue
            work_left -= result.whole.behaviour.work if result.whole.behaviour else 0
            changed += [frozenset(overlays)] if result.whole.verdict.word == "changed" else []
            amended.append(result)
        amended = _remove_repeated_rows(base, [*amended, *self._compare_other_rulesets()])
        only = [
            f"only {word} has {' and '.join(names) if len(names) <= _MAX_NAMED_OVERLAYS else f'{len(names)} overlays'}"
            for word, names in zip(("OLD", "NEW"), self._one_sided_overlays, strict=True)
            if names
        ]
        base = replace(
            base,
            amended_results=tuple(amended),
            one_sided=(*only, *self._one_sided_notes),
            uncompared=tuple(self._uncompared_notes),
        )
        base = replace(base, overlay_scenarios=self._play_skipped_scenarios(base, skipped))
        whole, spared = _add_odds_shift(base, shift), 0
        if self._wanted.work:
            spared = max(0, self._migration(base, lambda _: True).scenario_count - len(whole.scenarios))
        return replace(whole, unread_files=tuple(self._find_unread_differences()), spared_scenarios=spared)

    def _migration(self, base: DiffResult, is_wanted: Callable[[tuple[str, ...]], bool]) -> SuiteMigration:
        """The scenarios beside the old revision, chosen by their overlays."""
        old, new = (side.beside for side in self._sides)
        return SuiteMigration(old, new, base.comparison.correspondence, self._folders[0].scenario_files, is_wanted)

    def _mark_covered(self, old: LoadedRuleset, new: LoadedRuleset) -> None:
        for covered, folder, loaded in zip(self._compared_paths, self._folders, (old, new), strict=True):
            covered.update(folder.paths_read_by(loaded))

    def _play_within_budget(
        self, pair: ComparedPair, overlays: tuple[str, ...], work: int
    ) -> BehaviourComparison | None:
        seconds = self._wanted.seconds
        if seconds is not None:
            seconds = max(_MIN_PLAY_TIME_S, seconds - (monotonic() - self._started_at))
        effort = replace(self._wanted, work=work, seconds=seconds)
        scenarios = ScenarioSelection(
            self._folders[0].scenario_files, lambda named: self._relative_paths(named) == overlays, self._read_cases
        )
        return compare_by_play(pair, effort, self._out, scenarios)

    def _read_cases(self, side: ComparedSide) -> Sequence[ScenarioCase]:
        for folder in self._folders:
            if folder.beside.provider is side.request.provider and folder.beside.home == side.beside.home:
                return folder.readable_cases
        return read_cases_beside(side)

    def _relative_paths(self, named: Sequence[str], side: int = 0) -> tuple[str, ...]:
        return tuple(map(self._folders[side].relative_path, named))

    @cached_property
    def _scenario_overlay_sets(self) -> tuple[tuple[str, ...], ...]:
        result: dict[tuple[str, ...], None] = {}
        for side, folder in enumerate(self._folders):
            for _, cases in folder.scenario_files:
                for case in cases.value or ():
                    named = find_named_overlays(case, folder.beside)
                    result.update({self._relative_paths(named, side): None} if named else {})
        return tuple(result)

    @cached_property
    def _is_unedited(self) -> bool:
        """Whether rules and clause lists are equal, apart from those of the compared rulesets."""
        old, new = (
            folder.rule_texts_except(covered)
            for folder, covered in zip(self._folders, self._compared_paths, strict=True)
        )
        return old == new

    def _edited_overlays(self, paths: tuple[str, ...]) -> frozenset[str]:
        """Overlays with differing text; all if a file differs that only an overlay may use."""
        old, new = (folder.files for folder in self._folders)
        overlays = {*self._folders[0].overlays, *self._folders[1].overlays}
        edited = {item for item in old.keys() | new.keys() if _is_rule_file(item) and old.get(item) != new.get(item)}
        loose = edited - self._compared_paths[0] - self._compared_paths[1] - overlays
        return frozenset(paths if loose else edited.intersection(paths))

    def _is_in_both(self, overlays: tuple[str, ...]) -> bool:
        here, there = ([way for way in overlays if not self._overlay_path(way, side)] for side in (0, 1))
        for lacking, side in ((here, 1), (there, 0)):
            self._one_sided_overlays[side].update(
                dict.fromkeys(item for item in lacking if item not in here or item not in there)
            )
        return not here and not there

    def _overlay_path(self, way: str, side: int) -> str:
        folder, other = self._folders[side], self._folders[1 - side]
        place = folder.resolve_path(way)
        if folder.beside.provider.get_file_type(place) == "file":
            return place
        is_shared = folder.beside.provider is other.beside.provider and not (folder.is_named and other.is_named)
        elsewhere = other.resolve_path(way)
        return elsewhere if is_shared and other.beside.provider.get_file_type(elsewhere) == "file" else ""

    def _compare_with_overlays(self, overlays: tuple[str, ...], work: int) -> DiffResult | None:
        """Result with overlays; None, and noted, where one side is then no valid ruleset."""
        loaded = self._load_with_overlays(overlays)
        if not self._is_valid_in_both(overlays, loaded):
            return None
        requests = [
            replace(side.request, overlays=self._overlay_paths(overlays, number))
            for number, side in enumerate(self._sides)
        ]
        located = [side.located for side in self._sides]
        result = self._compare_rulesets(requests, located, loaded, overlays, work)
        return replace(result, part_name=f"with {_join_overlay_names(overlays)}")

    def _compare_rulesets(
        self,
        sides: Sequence[SideRequest],
        located: Sequence[RulesetLocation],
        loaded: Sequence[LoadedRuleset],
        overlays: tuple[str, ...],
        work: int,
    ) -> DiffResult:
        both = (
            ComparedSide(*item[:2], item[2].program, item[2])
            for item in zip(sides, located, loaded, strict=True)
            if item[2].program is not None
        )
        pair = ComparedPair(*both)
        return compare_pair(pair, self._play_within_budget(pair, overlays, work))

    def _load_with_overlays(self, overlays: tuple[str, ...]) -> tuple[LoadedRuleset, LoadedRuleset]:
        old, new = (
            load_cached_ruleset(side.located, self._overlay_paths(overlays, number), side.request.provider)
            for number, side in enumerate(self._sides)
        )
        self._mark_covered(old, new)
        return old, new

    def _overlay_paths(self, overlays: tuple[str, ...], side: int) -> tuple[str, ...]:
        return tuple(self._overlay_path(way, side) for way in overlays)

    def _is_valid_in_both(self, overlays: tuple[str, ...], loaded: tuple[LoadedRuleset, LoadedRuleset]) -> bool:
        """Whether both revisions are without errors with overlays; notes where one is not.

        An overlay that is invalid alone may be valid with others, as scenarios name them.
        """
        wrong = {word: one for word, one in zip(("OLD", "NEW"), loaded, strict=True) if one.program is None}
        if not wrong:
            return True
        why, names = first_error_message(next(iter(wrong.values())).errors), _join_overlay_names(overlays)
        if len(wrong) == 1:
            self._one_sided_notes.append(f"with {names} {''.join(wrong)} has errors: {why}")
        elif self._edited_overlays(overlays) and not any({*overlays} < {*one} for one in self._scenario_overlay_sets):
            self._uncompared_notes.append(f"with {names} both have errors, so they were not compared: {why}")
        return False

    def _compare_other_rulesets(self) -> Iterator[DiffResult]:
        """Results for the other rulesets of both folders, if a differing file of rules is still unread."""
        if not all(folder.is_named for folder in self._folders) or self._is_unedited:
            return
        providers = [side.request.provider for side in self._sides]
        for way in self._folders[0].files:
            places = [folder.resolve_path(way) for folder in self._folders]
            words = [read_header(place, files)[0] for place, files in zip(places, providers, strict=True)]
            if way in self._compared_paths[0] | self._compared_paths[1] or words != ["ruleset", "ruleset"]:
                continue
            located = [RulesetLocation(place) for place in places]
            loaded = [load_ruleset(one, (), files) for one, files in zip(located, providers, strict=True)]
            self._mark_covered(*loaded)
            if any(one.program is None for one in loaded):
                self._uncompared_notes.append(f"{way} has errors, so it was not compared")
                continue
            requests = [replace(side.request, place=place) for side, place in zip(self._sides, places, strict=True)]
            result = self._compare_rulesets(requests, located, loaded, (), self._wanted.work)
            yield replace(result, part_name=way)

    def _play_skipped_scenarios(self, base: DiffResult, skipped: Sequence[tuple[str, ...]]) -> tuple[MigratedPlay, ...]:
        """Replays of scenarios whose overlay set was not compared, because a subset of it shows no change."""
        if not skipped or not self._wanted.work:
            return ()
        suites = self._migration(base, lambda named: self._relative_paths(named) in skipped)
        return tuple(suites.migrate_scenarios(WorkBudget(self._wanted.work)))

    def _find_unread_differences(self) -> Iterator[str]:
        old, new = (folder.files for folder in self._folders)
        covered = (
            self._compared_paths[0] | self._compared_paths[1] | {*self._folders[0].overlays, *self._folders[1].overlays}
        )
        is_folder = all(one.is_named for one in self._folders)
        for item in sorted(old.keys() | new.keys()):
            is_meant = (item in old and item in new) or (is_folder and _is_rule_file(item))
            if is_meant and item not in covered and old.get(item) != new.get(item):
                yield item


def _add_odds_shift(diff: DiffResult, shift: OddsShiftFunction) -> DiffResult:
    proved = all(part.whole.is_proved_under_policies for part in diff.parts)
    return replace(diff, whole=replace(diff.whole, odds_comparison=shift(proved)))


def _join_overlay_names(overlays: Sequence[str]) -> str:
    return " and ".join(map(posixpath.basename, overlays))


def _is_rule_file(way: str) -> bool:
    return way.endswith((RULES_SUFFIX, _CLAUSE_LIST_SUFFIX))


def _remove_repeated_rows(base: DiffResult, amended: Sequence[DiffResult]) -> list[DiffResult]:
    """Results without repeated rows; a row stays with the first result that has a witness for it, if any."""
    amended = [_drop_proved_rows(each, base) for each in amended]
    first: dict[tuple[str, ...], DiffResult] = {}
    for wanted in (True, False):
        for item in amended:
            for row in item.screen.rows:
                if row.is_shown or not wanted:
                    first.setdefault(_row_key(row), item)
    results: list[DiffResult] = []
    for diff_result in amended:
        rows = {key for key, result in first.items() if result is not diff_result}
        results.append(_drop_known_rows(diff_result, (base, *results), rows))
    return results


def _drop_proved_rows(diff: DiffResult, base: DiffResult) -> DiffResult:
    """Result without rows of edits that are proved equivalent without overlays, where it has others."""
    proved = {(one.place, one.text) for one in base.worded_edits if one.section == "rewritten"}
    same = {one.number for one in diff.worded_edits if (one.place, one.text) in proved}
    rows = tuple(row for row in diff.screen.rows if not same.issuperset(row.edits))
    if not rows:
        return diff
    edits = tuple(one for one in diff.worded_edits if one.number not in same)
    return replace(diff, screen=replace(diff.screen, rows=rows), worded_edits=edits)


def _drop_known_rows(
    diff: DiffResult, others: Sequence[DiffResult], elsewhere: Collection[tuple[str, ...]]
) -> DiffResult:
    known_rows = {_row_key(row): row.is_shown for row in others[0].screen.rows}
    rows = {key for row in diff.screen.rows if known_rows.get(key := _row_key(row), -1) >= row.is_shown} | {*elsewhere}
    known_edits = {(edit.section, edit.place, edit.text) for one in others for edit in one.worded_edits}
    left, dropped = (
        {number for row in diff.screen.rows if (_row_key(row) in rows) is is_known for number in row.edits}
        for is_known in (False, True)
    )
    edits = tuple(
        edit
        for edit in diff.worded_edits
        if edit.number in left or not (edit.number in dropped or (edit.section, edit.place, edit.text) in known_edits)
    )
    numbers, screen, behaviour = {edit.number for edit in edits}, diff.screen, diff.whole.behaviour
    folded = (tuple(numbers.intersection(getattr(screen.folded, field.name))) for field in fields(FoldedEdits))
    screen = FirstScreen(
        tuple(row for row in screen.rows if _row_key(row) not in rows),
        tuple(one for one in screen.reworded if all(one not in other.screen.reworded for other in others)),
        tuple(one for one in screen.stated if all(one not in other.screen.stated for other in others)),
        tuple(name for name in screen.names if all(name not in other.screen.names for other in others)),
        FoldedEdits(*folded),
    )
    if behaviour is not None:
        values = {repr(value) for one in others for value in one.values}
        subjects = ((one, one.subject) for one in behaviour.witnesses)
        witnesses = tuple(one for one, subject in subjects if not subject or numbers.intersection(subject.edits))
        known_values = tuple(value for value in behaviour.values if repr(value) not in values)
        behaviour = replace(behaviour, witnesses=witnesses, values=known_values)
    return replace(diff, screen=screen, worded_edits=edits, whole=replace(diff.whole, behaviour=behaviour))


def _row_key(row: ChangeRow) -> tuple[str, ...]:
    return row.kind, row.name, row.was, row.now
