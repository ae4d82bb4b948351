"""Comparison of two revisions: resolution of both sides, reading, edits, plays, and the collected result."""

import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.diagnostics.remedies import find_nearest_name
from rulewright.base.files import DISK, FileProvider
from rulewright.base.frozen import dataclass
from rulewright.base.git_tree import GitTree, open_git_tree
from rulewright.cli.command_files import files_for
from rulewright.cli.options import LARGEST_SEED, WholeNumberOption, option
from rulewright.cli.output import CommandStop, Output, ProgressLine, make_error, make_stop
from rulewright.cli.text_layout import name_first
from rulewright.diff.change_rows import FirstScreen
from rulewright.diff.comparison import (
    ONE_SIDED_ABILITY,
    VERDICTS_BY_SEVERITY,
    ComparisonVerdict,
    FullComparison,
    RulesetComparison,
    build_full_comparison,
    compare_rulesets,
)
from rulewright.diff.differential_testing.fixtures import collect_fixtures, record_scenario_plays
from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import (
    DEFAULT_WORK,
    BehaviourComparison,
    ChangedNames,
    ComparisonEffort,
    ComparisonFixtures,
    ComparisonProgress,
    MigratedPlay,
    PlayWitness,
    SeparatedEdits,
    ValueWitness,
)
from rulewright.diff.differential_testing.scenario_migration import (
    LocatedRevision,
    ScenarioFiles,
    SuiteMigration,
    filter_own_cases,
)
from rulewright.diff.differential_testing.witnesses import describe_stopped_plays
from rulewright.diff.edit_report import RenderedEdit, render_edits
from rulewright.diff.edits import EDIT_SECTIONS
from rulewright.diff.first_screen import build_screen
from rulewright.diff.outdated_addresses import OutdatedAddress
from rulewright.diff.partial_revisions import EditSeparator, PartialRevisions
from rulewright.documents.ruleset_loading import LoadedRuleset, find_overlay, load_cached_ruleset, load_ruleset
from rulewright.documents.ruleset_location import RulesetLocation, locate_ruleset, read_header
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import all_cases, read_suites
from rulewright.scenarios.suite import ScenarioCase


@dataclass(frozen=True, slots=True)
class SideRequest:
    """One side of a comparison, as the command line names it."""

    label: str  # `OLD` or `NEW`
    display_name: str  # `HEAD~1:duel.rules`
    place: str  # ruleset path within `provider`
    provider: FileProvider
    overlays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One side of a comparison, read and checked."""

    request: SideRequest
    located: RulesetLocation
    program: Program
    loaded: LoadedRuleset

    @property
    def beside(self) -> LocatedRevision:
        """The revision with its location, the input of plays and odds."""
        main, provider = self.located.main or self.request.place, self.request.provider
        amending = (*self.located.overlays, *self.request.overlays)
        places = tuple(find_overlay(item, posixpath.dirname(main), provider) for item in amending)
        return LocatedRevision(self.loaded, main, places, provider)

    @property
    def overlays(self) -> tuple[tuple[str, str], ...]:
        """File and revision of each overlay, in order."""
        headers = self.loaded.linked.overlays if self.loaded.linked else ()
        return tuple((header.span.source, header.revision.text) for header in headers)

    @property
    def revision(self) -> str:
        """The revision with those of its overlays: `1, with house.rules revision 2`."""
        amended = ", ".join(f"{file} revision {revision}" for file, revision in self.overlays)
        return f"{self.program.revision}, with {amended}" if amended else self.program.revision


class ComparedPair:
    """Both sides of a comparison, and what their texts alone tell."""

    def __init__(self, old: ComparedSide, new: ComparedSide) -> None:
        self.old, self.new = old, new

    @cached_property
    def comparison(self) -> RulesetComparison:
        return compare_rulesets(self.old.loaded, self.new.loaded)

    def make_separator(self) -> EditSeparator:
        """Separator of the edits of the comparison."""
        return EditSeparator(PartialRevisions(self.old.beside, self.new.beside, self.comparison), self.comparison)


def resolve_side(word: str, written: str, overlays: Sequence[str]) -> SideRequest:
    """A side from an argument: a place on disk, a shipped name, or `REV:path`.

    Raises:
        CommandStop: RW1100 to RW1103.
    """
    revision, colon, place = written.partition(":")
    if DISK.get_file_type(written) or not colon:
        return SideRequest(word, written, written, files_for(written, *overlays), tuple(overlays))
    return resolve_git_side(word, revision, place, overlays)


def resolve_git_side(word: str, revision: str, place: str, overlays: Sequence[str]) -> SideRequest:
    """A side from a git revision; `place` is a path from the current folder, or a shipped name.

    Raises:
        CommandStop: RW1100 (no git), RW1101 (no repository), RW1102 (no such revision), RW1103 (no such place in it).
    """
    tree = open_git_tree(revision, files_for(place or ".", *overlays))
    if isinstance(tree, Diagnostic):
        raise CommandStop([tree])
    text = posixpath.normpath(place or ".")
    shipped = posixpath.join(tree.get_rulesets_folder(), text)
    is_name = "/" not in text and text not in {".", ".."}
    if not tree.get_file_type(text) and not (is_name and tree.get_file_type(shipped)):
        raise make_stop("RW1103", f"`{revision}` has no file or folder `{place}`", _suggest_place(tree, revision, text))
    return SideRequest(word, f"{revision}:{place}", text, tree, tuple(overlays))


def _suggest_place(tree: GitTree, revision: str, place: str) -> str:
    """The name that a place had in a revision, else the nearest name there."""
    former = tree.find_former_name(place)
    if former:
        return f"it was `{former}` then: `rulewright diff {revision}:{former} {place}`"
    inside, name = posixpath.split(place)
    close = find_nearest_name(name, tree.list_folder_names(inside))
    return f"did you mean `{posixpath.join(inside, close)}`?" if close else "places are seen from the current folder"


def load_side(request: SideRequest) -> ComparedSide:
    """The ruleset of a side, read and checked; stops with RW1104 and its errors.

    Of the new one, partial revisions are edits, so it is checked with data for incremental loads.
    """
    located = locate_ruleset(request.place, request.provider)
    load = load_cached_ruleset if request.label == "OLD" else load_ruleset
    loaded = load(located, request.overlays, request.provider)
    if loaded.program is None:
        amends = read_header(request.place, request.provider)[0] == "amends"
        help_ = f"name one of them for {request.label}, and add `--{request.label.lower()}-overlay {request.place}`"
        wrong = [replace(one, help=help_) if amends and one.code == "RW0007" else one for one in loaded.errors]
        why = "it has errors" if loaded.texts else "it cannot be read"
        diagnostic = make_error("RW1104", f"{request.label}, `{request.display_name}`, cannot be compared: {why}")
        raise CommandStop([diagnostic, *wrong], loaded.texts)
    return ComparedSide(request, located, loaded.program, loaded)


_MAX_LISTED_NAMES = 6
_EDIT_SORTS = ("changed", "added", "removed", "moved")
_SECTIONS_COUNTED_BY_SORT = ("rules", "declarations")
_SECTION_WORDS = {
    "rewritten": "written differently, proved",
    "names": "renamed",
    "wording": "reworded",
    "margins": "in margins",
    "remarks": "in remarks",
}


@dataclass(frozen=True, slots=True)
class DiffResult:
    """Result of a comparison: both sides, edits in words, first screen, migrated plays and scripts."""

    old: ComparedSide
    new: ComparedSide
    whole: FullComparison
    worded_edits: tuple[RenderedEdit, ...]  # in the order of the new text
    screen: FirstScreen
    games: tuple[MigratedPlay, ...] = ()  # named saves and plays, replayed
    outdated_addresses: tuple[OutdatedAddress, ...] = ()
    part_name: str = ""  # `with house.rules`; empty for the ruleset alone
    # both as overlays beside them amend them, where that tells more; of each only what the ruleset alone does not tell
    amended_results: tuple["DiffResult", ...] = ()
    # scenarios that name overlays with which nothing else was compared
    overlay_scenarios: tuple[MigratedPlay, ...] = ()
    one_sided: tuple[str, ...] = ()  # sentences on files that only one revision has
    uncompared: tuple[str, ...] = ()  # sentences on files that could not be compared
    unread_files: tuple[str, ...] = ()  # names of differing files that no ruleset reads
    spared_scenarios: int = 0  # number of scenarios skipped by proof of equivalence

    @property
    def parts(self) -> tuple["DiffResult", ...]:
        """The result for the ruleset alone, then for each amended ruleset."""
        return (self, *self.amended_results)

    @property
    def comparison(self) -> RulesetComparison:
        return self.whole.comparison

    @property
    def witnesses(self) -> tuple[PlayWitness, ...]:
        """Plays that differ by the ruleset alone; empty where nothing was played."""
        return self.whole.behaviour.witnesses if self.whole.behaviour else ()

    @property
    def values(self) -> tuple[ValueWitness, ...]:
        """Functions that have two values by the ruleset alone; as `witnesses`."""
        return self.whole.behaviour.values if self.whole.behaviour else ()

    @property
    def separated(self) -> SeparatedEdits | None:
        return self.whole.behaviour.separated if self.whole.behaviour else None

    @property
    def verdict(self) -> ComparisonVerdict:
        """The worst verdict of all parts, and its part."""
        verdicts = [self.whole.verdict]
        for part in self.amended_results:
            verdict = part.whole.verdict
            verdicts.append(replace(verdict, basis=": ".join(filter(None, (part.part_name, verdict.basis)))))
        if self.one_sided:
            verdicts.append(ComparisonVerdict("changed", "; ".join(self.one_sided), ONE_SIDED_ABILITY))
        if self.uncompared:
            verdicts.append(ComparisonVerdict("unknown", "; ".join(self.uncompared)))
        return max(verdicts, key=lambda verdict: VERDICTS_BY_SEVERITY.index(verdict.word))

    @property
    def layers(self) -> Mapping[str, str]:
        """The worst verdict for each layer."""
        layer_verdicts = [part.whole.layer_verdicts for part in self.parts]
        return {
            layer: max((item[layer] for item in layer_verdicts), key=VERDICTS_BY_SEVERITY.index)
            for layer in layer_verdicts[0]
        }

    @property
    def scenarios(self) -> tuple[MigratedPlay, ...]:
        """The scenarios of the old revision that were replayed."""
        played = (one for part in self.parts if part.whole.behaviour for one in part.whole.behaviour.scenarios)
        return (*played, *self.overlay_scenarios)

    def edits_in_section(self, name: str) -> tuple[RenderedEdit, ...]:
        return tuple(edit for edit in self.worded_edits if edit.section == name)

    @property
    def edit_counts(self) -> str:
        """Count of edits by sort: `edits of rules: 2 changed, 1 added; 3 renamed`."""
        counts = []
        for name in _SECTIONS_COUNTED_BY_SORT:
            kinds = Counter(edit.kind for edit in self.edits_in_section(name))
            if kinds:
                listed = ", ".join(f"{kinds[kind]} {kind}" for kind in _EDIT_SORTS if kinds[kind])
                counts.append(f"edits of {name}: {listed}")
        numbers = {name: len(self.edits_in_section(name)) for name in EDIT_SECTIONS if name in _SECTION_WORDS}
        return "; ".join([*counts, *(f"{number} {_SECTION_WORDS[name]}" for name, number in numbers.items() if number)])

    @property
    def play_effort(self) -> str:
        """`played charge, fight, seed 0`; empty where nothing was played."""
        behaviour = self.whole.behaviour
        if behaviour is None or not behaviour.entrances:
            return ""
        named = ", ".join(name_first([one.new for one in behaviour.entrances], _MAX_LISTED_NAMES))
        cut = f", cut after {behaviour.cut_after_seconds:g} s" if behaviour.cut_after_seconds else ""
        ended = f"; {describe_stopped_plays(dict(behaviour.limits), behaviour.plays)}" if behaviour.limits else ""
        return f"played {named}, seed {behaviour.seed}{cut}{ended}"

    @property
    def unproved_names(self) -> str:
        """The first few names of declarations that are not proved equivalent."""
        unproved, names = self.comparison.unproved, self.comparison.correspondence.names
        lost = (name for name in unproved.old if name not in names)
        labels = dict.fromkeys(map(_declaration_label, (*unproved.new, *lost)))
        return ", ".join(name_first(labels, _MAX_LISTED_NAMES))


def _declaration_label(name: DeclaredName) -> str:
    word = {"function": "", "field": "game.", "rule": "standing rule ", "values": "list "}
    label = name.name.replace("/", "." if name.sort == "attribute" else " ")
    return f"{word.get(name.sort, f'{name.sort} ')}{label}"


def compare_pair(pair: ComparedPair, behaviour: BehaviourComparison | None = None) -> DiffResult:
    """Compare two checked rulesets; `behaviour` is what plays told."""
    joined = build_full_comparison(pair.comparison, behaviour)
    wording = pair.comparison.word_edits()
    worded_edits = render_edits(pair.comparison, wording)
    return DiffResult(pair.old, pair.new, joined, worded_edits, build_screen(joined, worded_edits, wording))


def group_rendered_edits(edits: Iterable[RenderedEdit]) -> Iterator[tuple[str, list[tuple[str, RenderedEdit]]]]:
    """Edits by step or declaration, in the order of their first: a heading, and each behind its lead below that.

    An edit that is alone has no heading.
    """
    groups: dict[str, list[RenderedEdit]] = {}
    for edit in edits:
        groups.setdefault(edit.group, []).append(edit)
    for inside in groups.values():
        if len(inside) == 1:
            yield "", [(inside[0].lead, inside[0])]
        else:
            yield inside[0].heading, [(edit.lead_in_group, edit) for edit in inside]


_STAGE_LABELS = {
    "functions": "functions",
    "playing": "plays",
    "separating": "edits tried alone",
    "shrinking": "making witnesses smaller",
}


@dataclass(frozen=True, slots=True)
class PlayEffort:
    """Budget of the differential testing: lines of play, seconds, processes, witnesses, seed.

    `every`: find a witness for each edit that a play can show.
    """

    work: int = option(
        "--work",
        "N",
        "how long to search for plays that differ, in lines played; 0 plays nothing",
        WholeNumberOption(0),
        default=DEFAULT_WORK,
        show_default=True,
    )
    seconds: float | None = option("--seconds", "N", "stop after this many seconds", WholeNumberOption(1))
    workers: int = option("--workers", "N", "how many processes to use", WholeNumberOption(1, 64), default=2)
    witnesses: int = option("--witnesses", "N", "show at most this many differences", WholeNumberOption(1), default=5)
    seed: int = option(
        "--seed", "N", "seed for random situations and dice", WholeNumberOption(0, LARGEST_SEED), default=0
    )
    every: bool = False


def read_cases_beside(side: ComparedSide) -> tuple[ScenarioCase, ...]:
    """Scenarios beside a side, without those that have errors."""
    cases = all_cases(read_suites((side.beside.home,), RulesetLoader(side.request.provider)).value or ())
    return tuple(case for case in cases if not case.problems)


@dataclass(frozen=True, slots=True)
class ScenarioSelection:
    """Scenario files beside the two revisions, and the predicate that selects the old ones to replay."""

    files: ScenarioFiles | None = None  # of the old revision; None: not read yet
    is_wanted: Callable[[tuple[str, ...]], bool] = lambda _: True  # by the overlays of the scenario
    read_cases: Callable[[ComparedSide], Sequence[ScenarioCase]] = read_cases_beside  # as `read_cases_beside`


EVERY_SCENARIO = ScenarioSelection()


def compare_by_play(
    pair: ComparedPair, play_effort: PlayEffort, out: Output, scenarios: ScenarioSelection = EVERY_SCENARIO
) -> BehaviourComparison | None:
    """Behaviour differences found by plays; None if the revisions are proved equivalent or no plays are wanted."""
    old, new, comparison = pair.old, pair.new, pair.comparison
    if comparison.static_verdict is not None or not play_effort.work:
        return None
    unproved = comparison.unproved
    effort = ComparisonEffort(
        play_effort.work, play_effort.seconds, play_effort.workers, play_effort.witnesses, every=play_effort.every
    )
    with ProgressLine(0, out) as progress:
        return compare_plays(
            old.program,
            new.program,
            comparison.correspondence,
            ChangedNames(unproved.old, unproved.new),
            fixtures=_collect_fixtures((old, new), (scenarios.read_cases(old), scenarios.read_cases(new))),
            effort=effort,
            seed=play_effort.seed,
            on_progress=partial(_show_play_progress, progress),
            separate=lambda *tried: pair.make_separator().separate_edits(*tried),
            suites=SuiteMigration(
                old.beside, new.beside, comparison.correspondence, scenarios.files, scenarios.is_wanted
            ).migrate_scenarios,
        )


def _collect_fixtures(
    sides: tuple[ComparedSide, ComparedSide], cases: Sequence[Sequence[ScenarioCase]]
) -> ComparisonFixtures:
    """States and scenarios beside both rulesets."""
    situations, plays = [], []
    for side, every in zip(sides, cases, strict=True):
        beside = side.beside
        own = filter_own_cases(every, beside)
        situations.append(collect_fixtures(side.program, beside.home, every, side.request.provider))
        plays.append(record_scenario_plays(side.program, own))
    return ComparisonFixtures(situations[0], situations[1], plays[0], plays[1])


def _show_play_progress(line: ProgressLine, made: ComparisonProgress) -> None:
    witnesses = f", {made.witnesses} witnesses" if made.witnesses else ""
    line.show_progress(f"{_STAGE_LABELS[made.stage]}: {made.done} of {made.total}{witnesses}")
