"""Two revisions that were read and, as far as asked for, played side by side: what is between and beside them."""

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import click

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.diagnostics.remedies import find_nearest_name
from rulewright.base.diagnostics.renderings import encode_span_start
from rulewright.base.files import DISK, FileProvider
from rulewright.base.files.git_tree import GitTree, open_git_tree
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.checker.symbols import ClauseListEntry
from rulewright.cli.command_files import files_for
from rulewright.cli.options import LARGEST_SEED, WholeNumberOption, combine_options
from rulewright.cli.output import CommandStop, Output, ProgressLine, make_error, make_stop
from rulewright.diff.comparison import (
    ONE_SIDED_ABILITY,
    VERDICTS_BY_SEVERITY,
    ComparisonVerdict,
    FullComparison,
    RulesetComparison,
    build_full_comparison,
    compare_rulesets,
)
from rulewright.diff.differential_testing import compare_plays
from rulewright.diff.differential_testing.fixtures import (
    collect_fixtures,
    filter_matching_cases,
    read_data_beside,
    record_scenario_plays,
)
from rulewright.diff.differential_testing.results import (
    DEFAULT_WORK,
    BehaviourComparison,
    ChangedNames,
    ComparisonEffort,
    ComparisonFixtures,
    ComparisonProgress as Come,
    MigratedPlay,
)
from rulewright.diff.differential_testing.scenario_migration import LocatedRevision, ScenarioFiles, SuiteMigration
from rulewright.diff.differential_testing.witnesses import describe_stopped_plays
from rulewright.diff.edit_report import (
    OutdatedAddress,
    OutdatedAddressFinder,
    RenderedEdit,
    render_edits,
    sort_address_changes,
)
from rulewright.diff.edits import EDIT_SECTIONS
from rulewright.diff.partial_revisions import EditSeparator, PartialRevisions
from rulewright.diff.report.change_rows import FirstScreen
from rulewright.diff.report.first_screen import build_screen
from rulewright.documents.workspace import LoadedRuleset, RulesetLocation, load_ruleset, locate_ruleset
from rulewright.documents.workspace.ruleset_loading import find_overlay
from rulewright.documents.workspace.ruleset_location import read_header
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import all_cases, read_suites
from rulewright.scenarios.suite import ScenarioCase


@dataclass(frozen=True, slots=True)
class SideRequest:
    """One of the two that are to be compared."""

    label: str  # `OLD` or `NEW`
    display_name: str  # as people call it: `HEAD~1:duel.rules`
    place: str  # of the ruleset, for its provider
    provider: FileProvider  # where it is read from
    overlays: tuple[str, ...]  # files that amend it


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One of the two, read and checked."""

    request: SideRequest  # what was named
    located: RulesetLocation  # where its files are
    program: Program  # it, without errors
    loaded: LoadedRuleset  # what reading it came to, its texts among it

    @property
    def beside(self) -> LocatedRevision:
        """The revision with where it lies, as plays and odds of both take it."""
        main, provider = self.located.main or self.request.place, self.request.provider
        amending = (*self.located.overlays, *self.request.overlays)
        places = tuple(find_overlay(item, posixpath.dirname(main), provider) for item in amending)
        return LocatedRevision(self.loaded, main, places, provider)

    @property
    def overlays(self) -> tuple[tuple[str, str], ...]:
        """The file and the revision of everything that amends the ruleset, in order."""
        headers = self.loaded.linked.overlays if self.loaded.linked else ()
        return tuple((header.span.source, header.revision.text) for header in headers)

    @property
    def revision(self) -> str:
        """The revision with those of its overlays: `1, with house.rules revision 2`."""
        amended = ", ".join(f"{file} revision {revision}" for file, revision in self.overlays)
        return f"{self.program.revision}, with {amended}" if amended else self.program.revision


def resolve_side(word: str, written: str, overlays: Sequence[str]) -> SideRequest:
    """What an argument names: what is on the disk, what is shipped, or `REV:path`.

    Raises:
        Stop: RW1100 to RW1103.
    """
    revision, colon, place = written.partition(":")
    if DISK.get_file_type(written) or not colon:
        return SideRequest(word, written, written, files_for(written, *overlays), tuple(overlays))
    return resolve_git_side(word, revision, place, overlays)


def resolve_git_side(word: str, revision: str, place: str, overlays: Sequence[str]) -> SideRequest:
    """What a place was in a revision of git; the place is one from the current folder, or a shipped name.

    Raises:
        Stop: RW1100 (no git), RW1101 (no repository), RW1102 (no such revision), RW1103 (no such place in it).
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
    """What to name for a place that a revision does not have: what it was called then, or what is called nearly so."""
    former = tree.find_former_name(place)
    if former:
        return f"it was `{former}` then: `rulewright diff {revision}:{former} {place}`"
    inside, name = posixpath.split(place)
    close = find_nearest_name(name, tree.list_folder_names(inside))
    return f"did you mean `{posixpath.join(inside, close)}`?" if close else "places are seen from the current folder"


def load_side(asked: SideRequest) -> ComparedSide:
    """The ruleset, read and checked; stops with RW1104 and what is wrong with it."""
    located = locate_ruleset(asked.place, asked.provider)
    loaded = load_ruleset(located, asked.overlays, asked.provider)
    if loaded.program is None:
        wrong = [_add_side_remedy(error, asked) for error in loaded.errors]
        why = "it has errors" if loaded.texts else "it cannot be read"
        said = make_error("RW1104", f"{asked.label}, `{asked.display_name}`, cannot be compared: {why}")
        raise CommandStop([said, *wrong], loaded.texts)
    return ComparedSide(asked, located, loaded.program, loaded)


def _add_side_remedy(error: Diagnostic, asked: SideRequest) -> Diagnostic:
    """An error with what to write for one of the two sides: of several bases of an overlay one is to be named."""
    if error.code != "RW0007" or read_header(asked.place, asked.provider)[0] != "amends":
        return error
    option = f"--{asked.label.lower()}-overlay {asked.place}"
    return replace(error, help=f"name one of them for {asked.label}, and add `{option}`")


@dataclass(frozen=True, slots=True)
class StaleAddress:
    """A place beside the old revision whose address means something else in the new one, or nothing."""

    text: Text
    place: OutdatedAddress

    @property
    def description(self) -> str:
        """The place in one line, without its file: `4/rolled` is now `4/rolled#2`."""
        place = self.place
        short = f", which is `{place.old}`," if place.written != place.old else ""
        if place.new == place.old:
            return f"`{place.written}`{short} means something else now; write `{place.new}`"
        return f"`{place.written}`{short} {f'is now `{place.new}`' if place.new else 'is gone'}"

    @property
    def file_and_line(self) -> str:
        """The file with the line."""
        return f"{self.text.name}:{self.text.get_position(self.place.span.start).line}"


def find_stale_addresses(
    old: ComparedSide, new: ComparedSide, comparison: RulesetComparison
) -> tuple[StaleAddress, ...]:
    """The places of all scripts and scenarios beside the old revision, each once, by file and line."""
    readdressing = OutdatedAddressFinder(old.program, new.program, comparison.correspondence)
    if not readdressing.is_needed:
        return ()
    texts: dict[str, Text] = {}
    items = sort_address_changes(
        (*_stale_scenario_addresses(old, readdressing, texts), *_stale_script_addresses(old, readdressing, texts))
    )
    return tuple(StaleAddress(texts[outdated_address.span.source], outdated_address) for outdated_address in items)


def _stale_scenario_addresses(
    side: ComparedSide, readdressing: OutdatedAddressFinder, texts: dict[str, Text]
) -> Iterator[OutdatedAddress]:
    rules = RulesetLoader(side.request.provider)
    for case in _own_cases(side, all_cases(read_suites((side.beside.home,), rules).value or ())):
        yield from readdressing.find_script_changes(case.script)
        yield from readdressing.find_expectation_changes(case.expect)
    texts.update(rules.texts)


def _stale_script_addresses(
    side: ComparedSide, readdressing: OutdatedAddressFinder, texts: dict[str, Text]
) -> Iterator[OutdatedAddress]:
    for text in read_data_beside(side.beside.home, side.request.provider):
        node = parse_yaml(text).value
        if node is not None and readdressing.is_old_script(node):
            texts[text.name] = text
            yield from readdressing.find_script_changes(node)


def stale_addresses_json(found: tuple[StaleAddress, ...]) -> list[Mapping[str, object]]:
    """The places as data."""
    return [
        {
            **(encode_span_start(stale_address.place.span, {stale_address.text.name: stale_address.text}) or {}),
            "written": stale_address.place.written,
            "old": stale_address.place.old,
            "new": stale_address.place.new or None,
        }
        for stale_address in found
    ]


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
    """Two revisions, what is between them, every edit in words, the first screen, what becomes of plays and scripts."""

    old: ComparedSide
    new: ComparedSide
    whole: FullComparison  # what is between them
    worded_edits: tuple[RenderedEdit, ...]  # every edit in words, in the order of the new text
    screen: FirstScreen  # the first screen
    games: tuple[MigratedPlay, ...] = ()  # what becomes of saves and plays that were named
    stale_addresses: tuple[
        StaleAddress, ...
    ] = ()  # places in scripts and scenarios beside the old one that have to be rewritten
    part_name: str = ""  # what of the folders was compared: `with house.rules`; empty for the rulesets as they are
    # both as overlays beside them amend them, where that tells more; of each only what the ruleset alone does not tell
    amended_results: tuple["DiffResult", ...] = ()
    # scenarios that name overlays with which nothing else was compared
    overlay_scenarios: tuple[MigratedPlay, ...] = ()
    one_sided: tuple[str, ...] = ()  # what of the folder only one revision has, or can be amended by, in words
    uncompared: tuple[str, ...] = ()  # what may differ and could not be compared, in words
    unread_files: tuple[str, ...] = ()  # files of the folder that differ and no ruleset of it reads, by their names
    spared_scenarios: int = 0  # scenarios beside the old one that were not played, for both are proved to play alike

    @property
    def parts(self) -> tuple["DiffResult", ...]:
        """The ruleset by itself, then as overlays amend it."""
        return (self, *self.amended_results)

    @property
    def verdict(self) -> ComparisonVerdict:
        """The one word on all that was compared: the worst that was found, and where."""
        own = self.whole.verdict
        said = [own]
        for amended_result in self.amended_results:
            verdict = amended_result.whole.verdict
            said.append(
                replace(
                    verdict,
                    basis=f"{amended_result.part_name}: {verdict.basis}" if verdict.basis else amended_result.part_name,
                )
            )
        if self.one_sided:
            said.append(ComparisonVerdict("changed", "; ".join(self.one_sided), ONE_SIDED_ABILITY))
        if self.uncompared:
            said.append(ComparisonVerdict("unknown", "; ".join(self.uncompared)))
        return max(said, key=lambda comparison_verdict: VERDICTS_BY_SEVERITY.index(comparison_verdict.word))

    @property
    def layers(self) -> Mapping[str, str]:
        """The worst word for each layer."""
        told = [part.whole.layer_verdicts for part in self.parts]
        return {layer: max((item[layer] for item in told), key=VERDICTS_BY_SEVERITY.index) for layer in told[0]}

    @property
    def scenarios(self) -> tuple[MigratedPlay, ...]:
        """What becomes of the scenarios of the old revision that were played."""
        played = (one for part in self.parts if part.whole.behaviour for one in part.whole.behaviour.scenarios)
        return (*played, *self.overlay_scenarios)

    def edits_in_section(self, name: str) -> tuple[RenderedEdit, ...]:
        """The edits of one section."""
        return tuple(worded_edit for worded_edit in self.worded_edits if worded_edit.section == name)

    @property
    def edit_counts(self) -> str:
        """How many edits there are of each sort: `edits of rules: 2 changed, 1 added; 3 renamed`."""
        said = (
            f"edits of {name}: {self._count_sorts(name)}"
            for name in _SECTIONS_COUNTED_BY_SORT
            if self.edits_in_section(name)
        )
        others = (
            f"{len(self.edits_in_section(name))} {_SECTION_WORDS[name]}"
            for name in EDIT_SECTIONS
            if name in _SECTION_WORDS and self.edits_in_section(name)
        )
        return "; ".join([*said, *others])

    def _count_sorts(self, section: str) -> str:
        result = Counter(edit.kind for edit in self.edits_in_section(section))
        return ", ".join(f"{result[sort]} {sort}" for sort in _EDIT_SORTS if result[sort])

    @property
    def play_effort(self) -> str:
        """What was played: `played charge, fight, seed 0`; nothing where nothing was."""
        behaviour = self.whole.behaviour
        if behaviour is None or not behaviour.entrances:
            return ""
        begun = [entrance.new for entrance in behaviour.entrances]
        more = len(begun) - _MAX_LISTED_NAMES
        named = ", ".join([*begun[:_MAX_LISTED_NAMES], *([f"and {more} more"] if more > 0 else [])])
        cut = f", cut after {behaviour.cut_after_seconds:g} s" if behaviour.cut_after_seconds else ""
        ended = f"; {describe_stopped_plays(dict(behaviour.limits), behaviour.plays)}" if behaviour.limits else ""
        return f"played {named}, seed {behaviour.seed}{cut}{ended}"

    @property
    def unproved_names(self) -> str:
        """The declarations that are not proved to play alike, the first few by name."""
        names = list(dict.fromkeys(map(_declaration_label, self.whole.comparison.unproved.new + self._lost_names())))
        more = len(names) - _MAX_LISTED_NAMES
        return ", ".join([*names[:_MAX_LISTED_NAMES], *([f"and {more} more"] if more > 0 else [])])

    def _lost_names(self) -> tuple[DeclaredName, ...]:
        names = self.whole.comparison.correspondence.names
        return tuple(
            declared_name for declared_name in self.whole.comparison.unproved.old if declared_name not in names
        )


def _declaration_label(name: DeclaredName) -> str:
    word = {"function": "", "field": "game.", "rule": "standing rule ", "values": "list "}.get(
        name.sort, f"{name.sort} "
    )
    return f"{word}{name.name.replace('/', '.' if name.sort == 'attribute' else ' ')}"


def compare_sides(
    old: ComparedSide, new: ComparedSide, play: Callable[[RulesetComparison], BehaviourComparison | None]
) -> DiffResult:
    """Compares two checked rulesets; `play` plays them."""
    comparison = compare_rulesets(old.loaded, new.loaded)
    joined = build_full_comparison(old.program, new.program, comparison, play(comparison))
    said = render_edits(comparison, (tuple(old.loaded.texts), tuple(new.loaded.texts)))
    shown = build_screen((old.program, new.program), (list_clause_entries(old), list_clause_entries(new)), joined, said)
    return DiffResult(old, new, joined, said, shown)


def list_clause_entries(side: ComparedSide) -> tuple[ClauseListEntry, ...]:
    """The clauses of its documents, in the order of their lists."""
    linked = side.loaded.linked
    return tuple(entry for clause_list in (linked.clause_lists.values() if linked else ()) for entry in clause_list)


def group_edits(lines: tuple[RenderedEdit, ...]) -> Iterator[list[RenderedEdit]]:
    """The edits of each step or declaration, in order of the first of each."""
    result: dict[str, list[RenderedEdit]] = {}
    for line in lines:
        result.setdefault(line.group, []).append(line)
    yield from result.values()


_STAGE_LABELS = {
    "functions": "functions",
    "playing": "plays",
    "separating": "edits tried alone",
    "shrinking": "making witnesses smaller",
}
playing_options = combine_options(
    click.option(
        "--work",
        type=WholeNumberOption(0),
        default=DEFAULT_WORK,
        show_default=True,
        metavar="N",
        help="how long to search for plays that differ, in lines played; 0 plays nothing",
    ),
    click.option("--seconds", type=WholeNumberOption(1), metavar="N", help="stop after this many seconds"),
    click.option("--workers", type=WholeNumberOption(1, 64), default=2, metavar="N", help="how many processes to use"),
    click.option(
        "--witnesses", type=WholeNumberOption(1), default=5, metavar="N", help="show at most this many differences"
    ),
    click.option(
        "--seed",
        type=WholeNumberOption(0, LARGEST_SEED),
        default=0,
        metavar="N",
        help="seed for random situations and dice",
    ),
)
"""How much is played."""


@dataclass(frozen=True, slots=True)
class PlayEffort:
    """How much is to be played: counted work, seconds or none, processes, witnesses, where chance comes from.

    `every` asks for a witness of each edit that a play shows.
    """

    work: int
    seconds: float | None
    workers: int
    witnesses: int
    seed: int
    every: bool = False


@dataclass(frozen=True, slots=True)
class ScenarioSelection:
    """Scenarios beside two revisions, as far as they were read, and which of the old one's are played."""

    files: ScenarioFiles | None = None  # beside the old one; none where they are still to be read
    is_wanted: Callable[[tuple[str, ...]], bool] = lambda _: True  # by the overlays that they name


EVERY_SCENARIO = ScenarioSelection()


def play_side_by_side(  # noqa: PLR0913, PLR0917
    old: ComparedSide,
    new: ComparedSide,
    comparison: RulesetComparison,
    wanted: PlayEffort,
    out: Output,
    scenarios: ScenarioSelection = EVERY_SCENARIO,
) -> BehaviourComparison | None:
    """What plays show where the meaning leaves it open; none where it does not, or where no plays are wanted."""
    if comparison.static_verdict is not None or not wanted.work:
        return None
    left = comparison.unproved
    effort = ComparisonEffort(wanted.work, wanted.seconds, wanted.workers, wanted.witnesses, every=wanted.every)
    with ProgressLine(0, out) as progress:
        return compare_plays(
            old.program,
            new.program,
            comparison.correspondence,
            ChangedNames(left.old, left.new),
            fixtures=_collect_fixtures(old, new, comparison),
            effort=effort,
            seed=wanted.seed,
            heed=lambda come: progress.show_progress(_format_play_progress(come)),
            separate=lambda *tried: make_separator(old, new, comparison).separate_edits(*tried),
            suites=SuiteMigration(
                old.beside, new.beside, comparison.correspondence, scenarios.files, scenarios.is_wanted
            ).migrate_scenarios,
        )


def _collect_fixtures(old: ComparedSide, new: ComparedSide, comparison: RulesetComparison) -> ComparisonFixtures:
    """The states and scenarios beside both rulesets, and what a solver would try; unreadable scenarios hold none."""
    before, after = _readable_cases(old), _readable_cases(new)
    return ComparisonFixtures(
        collect_fixtures(old.program, old.beside.home, before, old.request.provider),
        collect_fixtures(new.program, new.beside.home, after, new.request.provider),
        record_scenario_plays(old.program, _own_cases(old, before)),
        record_scenario_plays(new.program, _own_cases(new, after)),
        comparison.solver_result.wishes,
    )


def make_separator(old: ComparedSide, new: ComparedSide, comparison: RulesetComparison) -> EditSeparator:
    """What tells the edits of a comparison apart."""
    return EditSeparator(PartialRevisions(old.beside, new.beside, comparison), comparison)


def _readable_cases(side: ComparedSide) -> tuple[ScenarioCase, ...]:
    cases = all_cases(read_suites((side.beside.home,), RulesetLoader(side.request.provider)).value or ())
    return tuple(case_ for case_ in cases if not case_.problems)


def _own_cases(side: ComparedSide, cases: Sequence[ScenarioCase]) -> Iterator[ScenarioCase]:
    """The scenarios that play this ruleset as it is amended here."""
    beside = side.beside
    return filter_matching_cases(cases, beside.main, beside.overlays, beside.provider)


def _format_play_progress(come: Come) -> str:
    result = f", {come.witnesses} witnesses" if come.witnesses else ""
    return f"{_STAGE_LABELS[come.stage]}: {come.done} of {come.total}{result}"
