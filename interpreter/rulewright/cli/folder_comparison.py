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
    ComparedSide,
    DiffResult,
    PlayEffort,
    ScenarioSelection,
    SideRequest,
    compare_sides,
    compare_sides_by_play,
    read_cases_beside,
)
from rulewright.cli.output import Output
from rulewright.diff.change_rows import ChangeRow, FoldedEdits
from rulewright.diff.comparison import RulesetComparison
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
OddsShiftFunction = Callable[[RulesetComparison, bool], OddsComparison | None]


def compare_with_folder(
    old: ComparedSide, new: ComparedSide, effort: PlayEffort, out: Output, shift: OddsShiftFunction
) -> DiffResult:
    """Compare two revisions, alone and amended by each overlay and each overlay set of a scenario.

    If overlays are given explicitly, both are compared with these alone.
    """
    if old.beside.overlays or new.beside.overlays:
        diff_result = compare_sides(
            old, new, lambda comparison: compare_sides_by_play(old, new, comparison, effort, out)
        )
        return _add_odds_shift(diff_result, shift)
    return _FolderComparison(old, new, effort, out).compare_folders(shift)


def has_folder_differences(old: ComparedSide, new: ComparedSide) -> bool:
    """Whether rules or clause lists beside two rulesets differ that are no part of them, such as overlays."""
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
                place = posixpath.normpath(posixpath.join(folder, name))
                text = (
                    read_text_file(place, provider)
                    if name.endswith(_READABLE_SUFFIXES) and not name.startswith(".")
                    else None
                )
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
        return tuple(way for way in self.files if way.endswith(RULES_SUFFIX) and self._is_amending(way))

    def _is_amending(self, way: str) -> bool:
        provider, place = self.beside.provider, self.resolve_path(way)
        word, name = read_header(place, provider)
        if word != "amends":
            return False
        main = locate_ruleset(place, provider).main
        if main is not None:
            return provider.get_identity(main) == provider.get_identity(self.beside.main)
        return name == self.program.name and "/" not in way

    def rule_texts_except(self, read: Collection[str]) -> Mapping[str, str]:
        """Contents of rules and clause lists that are not in `read`."""
        return {way: text for way, text in self.files.items() if _is_rule_file(way) and way not in read}

    def paths_read_by(self, loaded: LoadedRuleset) -> set[str]:
        return {self.relative_path(text) for text in loaded.texts}


class _FolderComparison:
    """Two folders, each with one ruleset, and the state of their comparison."""

    def __init__(self, old: ComparedSide, new: ComparedSide, effort: PlayEffort, out: Output) -> None:
        self._sides, self._wanted, self._out = (old, new), effort, out
        self._folders = _RulesetFolder(old), _RulesetFolder(new)
        self._started_at = monotonic()
        self._compared_paths: tuple[set[str], set[str]] = set(), set()
        self._one_sided_overlays: tuple[dict[str, None], dict[str, None]] = {}, {}
        self._one_sided_notes: list[str] = []
        self._uncompared_notes: list[str] = []

    def compare_folders(self, shift: OddsShiftFunction) -> DiffResult:
        old, new = self._sides
        base = compare_sides(
            old,
            new,
            lambda ruleset_comparison: self._play_within_budget(self._sides, ruleset_comparison, (), self._wanted.work),
        )
        self._mark_covered(old.loaded, new.loaded)
        every = self._overlay_sets(base)
        one_sided = [item for item in every if not self._is_in_both(item)]
        sets = [item for item in every if item not in one_sided and not self._is_textually_same(item, base)]
        amended, skipped = list[DiffResult](), one_sided
        changed = [frozenset[str]()] if base.whole.verdict.word == "changed" else []
        work_left = self._wanted.work
        for number, overlays in enumerate(sets):
            if any(
                self._edited_overlays(overlays) <= item and (not self._edited_overlays(overlays) or item <= {*overlays})
                for item in changed
            ):
                skipped.append(overlays)
                if overlays not in self._scenario_overlay_sets:
                    self._is_valid_in_both(overlays, self._load_with_overlays(overlays))
                continue
            result = self._compare_with_overlays(overlays, max(work_left // (len(sets) - number), min(work_left, 1)))
            if result is not None:
                work_left -= result.whole.behaviour.work if result.whole.behaviour else 0
                changed += [frozenset(overlays)] if result.whole.verdict.word == "changed" else []
                amended.append(result)
            else:
                skipped.append(overlays)
        amended = _remove_repeated_rows(base, [*amended, *self._compare_other_rulesets(self._wanted.work)])
        only = [
            f"only {word} has {_summarize_overlays([*names])}"
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
        whole = _add_odds_shift(base, shift)
        return replace(
            whole,
            unread_files=tuple(self._find_unread_differences()),
            spared_scenarios=self._count_spared_scenarios(whole),
        )

    def _mark_covered(self, old: LoadedRuleset, new: LoadedRuleset) -> None:
        for covered, folder, loaded in zip(self._compared_paths, self._folders, (old, new), strict=True):
            covered.update(folder.paths_read_by(loaded))

    def _play_within_budget(
        self,
        sides: tuple[ComparedSide, ComparedSide],
        comparison: RulesetComparison,
        overlays: tuple[str, ...],
        work: int,
    ) -> BehaviourComparison | None:
        seconds = self._wanted.seconds
        if seconds is not None:
            seconds = max(_MIN_PLAY_TIME_S, seconds - (monotonic() - self._started_at))
        effort = replace(self._wanted, work=work, seconds=seconds)
        scenarios = ScenarioSelection(
            self._folders[0].scenario_files, lambda named: self._relative_paths(named) == overlays, self._read_cases
        )
        return compare_sides_by_play(*sides, comparison, effort, self._out, scenarios)

    def _read_cases(self, side: ComparedSide) -> Sequence[ScenarioCase]:
        for folder in self._folders:
            if folder.beside.provider is side.request.provider and folder.beside.home == side.beside.home:
                return folder.readable_cases
        return read_cases_beside(side)

    def _relative_paths(self, named: Sequence[str], side: int = 0) -> tuple[str, ...]:
        return tuple(map(self._folders[side].relative_path, named))

    def _overlay_sets(self, base: DiffResult) -> tuple[tuple[str, ...], ...]:
        """Each overlay alone, then the sets that scenarios of either revision name; each once."""
        if self._is_unedited and base.whole.comparison.text_verdict in _SAME_TEXT_VERDICTS:
            return ()
        alone = ((overlay,) for folder in self._folders for overlay in folder.overlays)
        return tuple(dict.fromkeys((*alone, *self._scenario_overlay_sets)))

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

    def _is_textually_same(self, overlays: tuple[str, ...], base: DiffResult) -> bool:
        return base.whole.comparison.text_verdict in _SAME_TEXT_VERDICTS and not self._edited_overlays(overlays)

    def _edited_overlays(self, paths: tuple[str, ...]) -> frozenset[str]:
        """Overlays with differing text; all if a file differs that only an overlay may use."""
        old, new = (folder.files for folder in self._folders)
        overlays = {*self._folders[0].overlays, *self._folders[1].overlays}
        edited = {item for item in old.keys() | new.keys() if _is_rule_file(item) and old.get(item) != new.get(item)}
        loose = edited - self._compared_paths[0] - self._compared_paths[1] - overlays
        return frozenset(paths if loose else edited.intersection(paths))

    def _is_in_both(self, overlays: tuple[str, ...]) -> bool:
        here, there = ([way for way in overlays if not self._has_overlay(way, side)] for side in (0, 1))
        for lacking, side in ((here, 1), (there, 0)):
            self._one_sided_overlays[side].update(
                dict.fromkeys(item for item in lacking if item not in here or item not in there)
            )
        return not here and not there

    def _has_overlay(self, way: str, side: int) -> bool:
        return bool(self._overlay_path(way, side))

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
        result = self._compare_rulesets(
            [
                replace(side.request, overlays=self._overlay_paths(overlays, number))
                for number, side in enumerate(self._sides)
            ],
            [side.located for side in self._sides],
            loaded,
            overlays,
            work,
        )
        return replace(result, part_name=f"with {_join_overlay_names(overlays)}")

    def _compare_rulesets(
        self,
        sides: Sequence[SideRequest],
        located: Sequence[RulesetLocation],
        loaded: Sequence[LoadedRuleset],
        overlays: tuple[str, ...],
        work: int,
    ) -> DiffResult:
        old, new = (
            ComparedSide(*item[:2], item[2].program, item[2])
            for item in zip(sides, located, loaded, strict=True)
            if item[2].program is not None
        )
        return compare_sides(
            old, new, lambda comparison: self._play_within_budget((old, new), comparison, overlays, work)
        )

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
        wrong = [
            word for word, loaded_ruleset in zip(("OLD", "NEW"), loaded, strict=True) if loaded_ruleset.program is None
        ]
        if not wrong:
            return True
        why = first_error_message(
            next(loaded_ruleset for loaded_ruleset in loaded if loaded_ruleset.program is None).errors
        )
        if len(wrong) == 1:
            self._one_sided_notes.append(f"with {_join_overlay_names(overlays)} {wrong[0]} has errors: {why}")
        elif self._edited_overlays(overlays) and not any(
            {*overlays} < {*overlay_set} for overlay_set in self._scenario_overlay_sets
        ):
            self._uncompared_notes.append(
                f"with {_join_overlay_names(overlays)} both have errors, so they were not compared: {why}"
            )
        return False

    def _compare_other_rulesets(self, work: int) -> Iterator[DiffResult]:
        """Results for the other rulesets of both folders, if a differing file of rules is still unread."""
        if not all(folder.is_named for folder in self._folders) or self._is_unedited:
            return
        for way in self._folders[0].files:
            located = [RulesetLocation(folder.resolve_path(way)) for folder in self._folders]
            header_words = [
                read_header(ruleset_location.main or "", side.request.provider)[0]
                for ruleset_location, side in zip(located, self._sides, strict=True)
            ]
            if way in self._compared_paths[0] | self._compared_paths[1] or header_words != ["ruleset", "ruleset"]:
                continue
            loaded = [
                load_ruleset(ruleset_location, (), side.request.provider)
                for ruleset_location, side in zip(located, self._sides, strict=True)
            ]
            self._mark_covered(*loaded)
            if any(loaded_ruleset.program is None for loaded_ruleset in loaded):
                self._uncompared_notes.append(f"{way} has errors, so it was not compared")
                continue
            requests = [
                replace(side.request, place=ruleset_location.main or "")
                for ruleset_location, side in zip(located, self._sides, strict=True)
            ]
            yield replace(self._compare_rulesets(requests, located, loaded, (), work), part_name=way)

    def _play_skipped_scenarios(self, base: DiffResult, skipped: Sequence[tuple[str, ...]]) -> tuple[MigratedPlay, ...]:
        """Replays of scenarios whose overlay set was not compared, because a subset of it shows no change."""
        old, new = (side.beside for side in self._sides)
        names = base.whole.comparison.correspondence
        suites = SuiteMigration(
            old, new, names, self._folders[0].scenario_files, lambda named: self._relative_paths(named) in skipped
        )
        return tuple(suites.migrate_scenarios(WorkBudget(self._wanted.work))) if skipped and self._wanted.work else ()

    def _count_spared_scenarios(self, diff: DiffResult) -> int:
        if not self._wanted.work:
            return 0
        names = diff.whole.comparison.correspondence
        old, new = (side.beside for side in self._sides)
        return max(
            0, SuiteMigration(old, new, names, self._folders[0].scenario_files).scenario_count - len(diff.scenarios)
        )

    def _find_unread_differences(self) -> Iterator[str]:
        old, new = (folder.files for folder in self._folders)
        covered = (
            self._compared_paths[0] | self._compared_paths[1] | {*self._folders[0].overlays, *self._folders[1].overlays}
        )
        is_folder = all(ruleset_folder.is_named for ruleset_folder in self._folders)
        for item in sorted(old.keys() | new.keys()):
            is_meant = (item in old and item in new) or (is_folder and _is_rule_file(item))
            if is_meant and item not in covered and old.get(item) != new.get(item):
                yield item


def _add_odds_shift(diff: DiffResult, shift: OddsShiftFunction) -> DiffResult:
    proved = all(part.whole.is_proved_under_policies for part in diff.parts)
    return replace(diff, whole=replace(diff.whole, odds_comparison=shift(diff.whole.comparison, proved)))


def _join_overlay_names(overlays: Sequence[str]) -> str:
    return " and ".join(map(posixpath.basename, overlays))


def _summarize_overlays(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) <= _MAX_NAMED_OVERLAYS else f"{len(names)} overlays"


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
    proved = {
        (worded_edit.place, worded_edit.text) for worded_edit in base.worded_edits if worded_edit.section == "rewritten"
    }
    same = {worded_edit.number for worded_edit in diff.worded_edits if (worded_edit.place, worded_edit.text) in proved}
    rows = tuple(row for row in diff.screen.rows if not same.issuperset(row.edits))
    if not rows:
        return diff
    edits = tuple(worded_edit for worded_edit in diff.worded_edits if worded_edit.number not in same)
    return replace(diff, screen=replace(diff.screen, rows=rows), worded_edits=edits)


def _drop_known_rows(
    diff: DiffResult, others: Sequence[DiffResult], elsewhere: Collection[tuple[str, ...]]
) -> DiffResult:
    known_rows = {_row_key(row): row.is_shown for row in others[0].screen.rows}
    rows = {_row_key(row) for row in diff.screen.rows if known_rows.get(_row_key(row), False) >= row.is_shown}
    rows = {row for row in rows if row in known_rows} | {*elsewhere}
    edits = {
        (worded_edit.section, worded_edit.place, worded_edit.text) for one in others for worded_edit in one.worded_edits
    }
    rows_left = tuple(row for row in diff.screen.rows if _row_key(row) not in rows)
    remaining_numbers, known_numbers = (
        {number for row in diff.screen.rows if (_row_key(row) in rows) is is_known for number in row.edits}
        for is_known in (False, True)
    )
    remaining_edits = tuple(
        worded_edit
        for worded_edit in diff.worded_edits
        if worded_edit.number in remaining_numbers
        or not (
            worded_edit.number in known_numbers or (worded_edit.section, worded_edit.place, worded_edit.text) in edits
        )
    )
    known, names = (
        {rendered_edit.number for rendered_edit in remaining_edits},
        {name for one in others for name in one.screen.names},
    )
    folded = FoldedEdits(
        *(tuple(known.intersection(getattr(diff.screen.folded, field.name))) for field in fields(FoldedEdits))
    )
    screen, behaviour = replace(diff.screen, rows=rows_left, folded=folded), diff.whole.behaviour
    screen = replace(
        screen,
        names=tuple(name for name in screen.names if name not in names),
        reworded=tuple(
            unedited_clause
            for unedited_clause in screen.reworded
            if all(unedited_clause not in one.screen.reworded for one in others)
        ),
        stated=tuple(
            unedited_clause
            for unedited_clause in screen.stated
            if all(unedited_clause not in one.screen.stated for one in others)
        ),
    )
    if behaviour is not None:
        values = {item for one in others if one.whole.behaviour for item in map(repr, one.whole.behaviour.values)}
        behaviour = replace(
            behaviour,
            witnesses=tuple(
                witness
                for witness in behaviour.witnesses
                if not witness.subject or known.intersection(witness.subject.edits)
            ),
            values=tuple(value for value in behaviour.values if repr(value) not in values),
        )
    return replace(diff, screen=screen, worded_edits=remaining_edits, whole=replace(diff.whole, behaviour=behaviour))


def _row_key(row: ChangeRow) -> tuple[str, ...]:
    return row.kind, row.name, row.was, row.now
