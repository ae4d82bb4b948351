"""Two revisions that were read and, as far as asked for, played side by side: what is between and beside them."""

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import click

from rulewright.analysis.symbols import ClauseEntry
from rulewright.cli.named_files import files_for
from rulewright.cli.options import LARGEST_SEED, WholeNumber, together
from rulewright.cli.output import Output, Progress, Stop, complaint, stopped
from rulewright.comparing.comparison import ONE_CAN, WORST, Comparison, Verdict, Whole, compare, whole
from rulewright.comparing.edit_report import Readdressed, Readdressing, Told, once, told
from rulewright.comparing.edits import SECTIONS
from rulewright.comparing.playing import compare_plays
from rulewright.comparing.playing.data import WORK, Behaviour, Changed, Effort, Fixtures, Migrated, Progress as Come
from rulewright.comparing.playing.fixtures import fitting, fixtures, recorded, texts_beside
from rulewright.comparing.playing.suites import Beside, Files, Suites
from rulewright.comparing.playing.witnesses import stopped_plays
from rulewright.comparing.report.rows import Screen
from rulewright.comparing.report.screen import screen
from rulewright.comparing.separating.hybrids import Hybrids
from rulewright.comparing.separating.trying import Separator
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.remedies import nearest
from rulewright.diagnostics.renderings import start_json
from rulewright.files import DISK, Provider
from rulewright.files.git_tree import GitTree, open_tree
from rulewright.frozen import dataclass
from rulewright.inputs.yaml_places import read
from rulewright.outline.items import Name
from rulewright.program.declarations import Program
from rulewright.scenarios.loading import all_cases, suites_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.suite import Case
from rulewright.source import Text
from rulewright.workspace import Loaded, Located, load, locate
from rulewright.workspace.load import overlay_place
from rulewright.workspace.locate import begins


@dataclass(frozen=True, slots=True)
class Asked:
    """One of the two that are to be compared."""

    word: str  # `OLD` or `NEW`
    written: str  # as people call it: `HEAD~1:duel.rules`
    place: str  # of the ruleset, for its provider
    provider: Provider  # where it is read from
    overlays: tuple[str, ...]  # files that amend it


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two, read and checked."""

    asked: Asked  # what was named
    located: Located  # where its files are
    program: Program  # it, without errors
    loaded: Loaded  # what reading it came to, its texts among it

    @property
    def beside(self) -> Beside:
        """The revision with where it lies, as plays and odds of both take it."""
        main, provider = self.located.main or self.asked.place, self.asked.provider
        amending = (*self.located.overlays, *self.asked.overlays)
        places = tuple(overlay_place(each, posixpath.dirname(main), provider) for each in amending)
        return Beside(self.loaded, main, places, provider)

    @property
    def overlays(self) -> tuple[tuple[str, str], ...]:
        """The file and the revision of everything that amends the ruleset, in order."""
        headers = self.loaded.linked.overlays if self.loaded.linked else ()
        return tuple((each.span.source, each.revision.text) for each in headers)

    @property
    def revision(self) -> str:
        """The revision with those of its overlays: `1, with house.rules revision 2`."""
        amended = ", ".join(f"{file} revision {revision}" for file, revision in self.overlays)
        return f"{self.program.revision}, with {amended}" if amended else self.program.revision


def asked_for(word: str, written: str, overlays: Sequence[str]) -> Asked:
    """What an argument names: what is on the disk, what is shipped, or `REV:path`.

    Raises:
        Stop: RW1100 to RW1103.
    """
    revision, colon, place = written.partition(":")
    if DISK.sort(written) or not colon:
        return Asked(word, written, written, files_for(written, *overlays), tuple(overlays))
    return at_revision(word, revision, place, overlays)


def at_revision(word: str, revision: str, place: str, overlays: Sequence[str]) -> Asked:
    """What a place was in a revision of git; the place is one from the current folder, or a shipped name.

    Raises:
        Stop: RW1100 (no git), RW1101 (no repository), RW1102 (no such revision), RW1103 (no such place in it).
    """
    tree = open_tree(revision, files_for(place or ".", *overlays))
    if isinstance(tree, Diagnostic):
        raise Stop([tree])
    found = posixpath.normpath(place or ".")
    shipped = posixpath.join(tree.shipped(), found)
    is_name = "/" not in found and found not in {".", ".."}
    if not tree.sort(found) and not (is_name and tree.sort(shipped)):
        raise stopped("RW1103", f"`{revision}` has no file or folder `{place}`", _meant(tree, revision, found))
    return Asked(word, f"{revision}:{place}", found, tree, tuple(overlays))


def _meant(tree: GitTree, revision: str, place: str) -> str:
    """What to name for a place that a revision does not have: what it was called then, or what is called nearly so."""
    former = tree.former(place)
    if former:
        return f"it was `{former}` then: `rulewright diff {revision}:{former} {place}`"
    inside, name = posixpath.split(place)
    close = nearest(name, tree.files(inside))
    return f"did you mean `{posixpath.join(inside, close)}`?" if close else "places are seen from the current folder"


def read_side(asked: Asked) -> Side:
    """The ruleset, read and checked; stops with RW1104 and what is wrong with it."""
    located = locate(asked.place, asked.provider)
    loaded = load(located, asked.overlays, asked.provider)
    if loaded.program is None:
        wrong = [_for_one_side(each, asked) for each in loaded.errors]
        why = "it has errors" if loaded.texts else "it cannot be read"
        said = complaint("RW1104", f"{asked.word}, `{asked.written}`, cannot be compared: {why}")
        raise Stop([said, *wrong], loaded.texts)
    return Side(asked, located, loaded.program, loaded)


def _for_one_side(error: Diagnostic, asked: Asked) -> Diagnostic:
    """An error with what to write for one of the two sides: of several bases of an overlay one is to be named."""
    if error.code != "RW0007" or begins(asked.place, asked.provider)[0] != "amends":
        return error
    option = f"--{asked.word.lower()}-overlay {asked.place}"
    return replace(error, help=f"name one of them for {asked.word}, and add `{option}`")


@dataclass(frozen=True, slots=True)
class Named:
    """A place beside the old revision whose address means something else in the new one, or nothing."""

    text: Text
    place: Readdressed

    @property
    def told(self) -> str:
        """The place in one line, without its file: `4/rolled` is now `4/rolled#2`."""
        place = self.place
        short = f", which is `{place.old}`," if place.written != place.old else ""
        if place.new == place.old:
            return f"`{place.written}`{short} means something else now; write `{place.new}`"
        return f"`{place.written}`{short} {f'is now `{place.new}`' if place.new else 'is gone'}"

    @property
    def file(self) -> str:
        """The file with the line."""
        return f"{self.text.name}:{self.text.position(self.place.span.start).line}"


def named_beside(old: Side, new: Side, comparison: Comparison) -> tuple[Named, ...]:
    """The places of all scripts and scenarios beside the old revision, each once, by file and line."""
    readdressing = Readdressing(old.program, new.program, comparison.correspondence)
    if not readdressing.is_needed:
        return ()
    texts: dict[str, Text] = {}
    found = once((*_in_scenarios(old, readdressing, texts), *_in_scripts(old, readdressing, texts)))
    return tuple(Named(texts[each.span.source], each) for each in found)


def _in_scenarios(side: Side, readdressing: Readdressing, texts: dict[str, Text]) -> Iterator[Readdressed]:
    rules = Rules(side.asked.provider)
    for case in _own(side, all_cases(suites_of((side.beside.home,), rules).value or ())):
        yield from readdressing.script(case.script)
        yield from readdressing.expectations(case.expect)
    texts.update(rules.texts)


def _in_scripts(side: Side, readdressing: Readdressing, texts: dict[str, Text]) -> Iterator[Readdressed]:
    for text in texts_beside(side.beside.home, side.asked.provider):
        node = read(text).value
        if node is not None and readdressing.is_script(node):
            texts[text.name] = text
            yield from readdressing.script(node)


def as_json(found: tuple[Named, ...]) -> list[Mapping[str, object]]:
    """The places as data."""
    return [
        {
            **(start_json(each.place.span, {each.text.name: each.text}) or {}),
            "written": each.place.written,
            "old": each.place.old,
            "new": each.place.new or None,
        }
        for each in found
    ]


_MOST = 6
_SORTS = ("changed", "added", "removed", "moved")
_COUNTED = ("rules", "declarations")
_MANY = {
    "rewritten": "written differently, proved",
    "names": "renamed",
    "wording": "reworded",
    "margins": "in margins",
    "remarks": "in remarks",
}


@dataclass(frozen=True, slots=True)
class Found:
    """Two revisions, what is between them, every edit in words, the first screen, what becomes of plays and scripts."""

    old: Side
    new: Side
    whole: Whole  # what is between them
    told: tuple[Told, ...]  # every edit in words, in the order of the new text
    screen: Screen  # the first screen
    games: tuple[Migrated, ...] = ()  # what becomes of saves and plays that were named
    addresses: tuple[Named, ...] = ()  # places in scripts and scenarios beside the old one that have to be rewritten
    called: str = ""  # what of the folders was compared: `with house.rules`; empty for the rulesets as they are
    # both as overlays beside them amend them, where that tells more; of each only what the ruleset alone does not tell
    amended: tuple["Found", ...] = ()
    # scenarios that name overlays with which nothing else was compared
    with_overlays: tuple[Migrated, ...] = ()
    lone: tuple[str, ...] = ()  # what of the folder only one revision has, or can be amended by, in words
    open: tuple[str, ...] = ()  # what may differ and could not be compared, in words
    unread: tuple[str, ...] = ()  # files of the folder that differ and no ruleset of it reads, by their names
    spared: int = 0  # scenarios beside the old one that were not played, for both are proved to play alike

    @property
    def parts(self) -> tuple["Found", ...]:
        """The ruleset by itself, then as overlays amend it."""
        return (self, *self.amended)

    @property
    def verdict(self) -> Verdict:
        """The one word on all that was compared: the worst that was found, and where."""
        own = self.whole.verdict
        said = [own]
        for each in self.amended:
            verdict = each.whole.verdict
            said.append(replace(verdict, how=f"{each.called}: {verdict.how}" if verdict.how else each.called))
        if self.lone:
            said.append(Verdict("changed", "; ".join(self.lone), ONE_CAN))
        if self.open:
            said.append(Verdict("unknown", "; ".join(self.open)))
        return max(said, key=lambda each: WORST.index(each.word))

    @property
    def layers(self) -> Mapping[str, str]:
        """The worst word for each layer."""
        told = [each.whole.layers for each in self.parts]
        return {layer: max((each[layer] for each in told), key=WORST.index) for layer in told[0]}

    @property
    def scenarios(self) -> tuple[Migrated, ...]:
        """What becomes of the scenarios of the old revision that were played."""
        played = (one for each in self.parts if each.whole.behaviour for one in each.whole.behaviour.scenarios)
        return (*played, *self.with_overlays)

    def section(self, name: str) -> tuple[Told, ...]:
        """The edits of one section."""
        return tuple(each for each in self.told if each.section == name)

    @property
    def counts(self) -> str:
        """How many edits there are of each sort: `edits of rules: 2 changed, 1 added; 3 renamed`."""
        said = (f"edits of {name}: {self._sorts(name)}" for name in _COUNTED if self.section(name))
        others = (
            f"{len(self.section(name))} {_MANY[name]}" for name in SECTIONS if name in _MANY and self.section(name)
        )
        return "; ".join([*said, *others])

    def _sorts(self, section: str) -> str:
        found = Counter(each.sort for each in self.section(section))
        return ", ".join(f"{found[sort]} {sort}" for sort in _SORTS if found[sort])

    @property
    def effort(self) -> str:
        """What was played: `played charge, fight, seed 0`; nothing where nothing was."""
        behaviour = self.whole.behaviour
        if behaviour is None or not behaviour.entrances:
            return ""
        begun = [each.new for each in behaviour.entrances]
        more = len(begun) - _MOST
        named = ", ".join([*begun[:_MOST], *([f"and {more} more"] if more > 0 else [])])
        cut = f", cut after {behaviour.cut:g} s" if behaviour.cut else ""
        ended = f"; {stopped_plays(dict(behaviour.limits), behaviour.plays)}" if behaviour.limits else ""
        return f"played {named}, seed {behaviour.seed}{cut}{ended}"

    @property
    def unproved(self) -> str:
        """The declarations that are not proved to play alike, the first few by name."""
        names = list(dict.fromkeys(map(_called, self.whole.comparison.remaining.new + self._lost())))
        more = len(names) - _MOST
        return ", ".join([*names[:_MOST], *([f"and {more} more"] if more > 0 else [])])

    def _lost(self) -> tuple[Name, ...]:
        names = self.whole.comparison.correspondence.names
        return tuple(each for each in self.whole.comparison.remaining.old if each not in names)


def _called(name: Name) -> str:
    word = {"function": "", "field": "game.", "rule": "standing rule ", "values": "list "}.get(
        name.sort, f"{name.sort} "
    )
    return f"{word}{name.name.replace('/', '.' if name.sort == 'attribute' else ' ')}"


def compared(old: Side, new: Side, play: Callable[[Comparison], Behaviour | None]) -> Found:
    """Compares two checked rulesets; `play` plays them."""
    comparison = compare(old.loaded, new.loaded)
    joined = whole(old.program, new.program, comparison, play(comparison))
    said = told(comparison, (tuple(old.loaded.texts), tuple(new.loaded.texts)))
    shown = screen((old.program, new.program), (listed_clauses(old), listed_clauses(new)), joined, said)
    return Found(old, new, joined, said, shown)


def listed_clauses(side: Side) -> tuple[ClauseEntry, ...]:
    """The clauses of its documents, in the order of their lists."""
    linked = side.loaded.linked
    return tuple(entry for each in (linked.clauses.values() if linked else ()) for entry in each)


def groups(lines: tuple[Told, ...]) -> Iterator[list[Told]]:
    """The edits of each step or declaration, in order of the first of each."""
    found: dict[str, list[Told]] = {}
    for each in lines:
        found.setdefault(each.group, []).append(each)
    yield from found.values()


_STAGES = {
    "functions": "functions",
    "playing": "plays",
    "separating": "edits tried alone",
    "shrinking": "making witnesses smaller",
}
playing_options = together(
    click.option(
        "--work",
        type=WholeNumber(0),
        default=WORK,
        show_default=True,
        metavar="N",
        help="how long to search for plays that differ, in lines played; 0 plays nothing",
    ),
    click.option("--seconds", type=WholeNumber(1), metavar="N", help="stop after this many seconds"),
    click.option("--workers", type=WholeNumber(1, 64), default=2, metavar="N", help="how many processes to use"),
    click.option("--witnesses", type=WholeNumber(1), default=5, metavar="N", help="show at most this many differences"),
    click.option(
        "--seed", type=WholeNumber(0, LARGEST_SEED), default=0, metavar="N", help="seed for random situations and dice"
    ),
)
"""How much is played."""


@dataclass(frozen=True, slots=True)
class Wanted:
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
class Scenarios:
    """Scenarios beside two revisions, as far as they were read, and which of the old one's are played."""

    files: Files | None = None  # beside the old one; none where they are still to be read
    wanted: Callable[[tuple[str, ...]], bool] = lambda _: True  # by the overlays that they name


EVERY_SCENARIO = Scenarios()


def played(  # noqa: PLR0913, PLR0917
    old: Side,
    new: Side,
    comparison: Comparison,
    wanted: Wanted,
    out: Output,
    scenarios: Scenarios = EVERY_SCENARIO,
) -> Behaviour | None:
    """What plays show where the meaning leaves it open; none where it does not, or where no plays are wanted."""
    if comparison.known is not None or not wanted.work:
        return None
    left = comparison.remaining
    effort = Effort(wanted.work, wanted.seconds, wanted.workers, wanted.witnesses, every=wanted.every)
    with Progress(0, out) as progress:
        return compare_plays(
            old.program,
            new.program,
            comparison.correspondence,
            Changed(left.old, left.new),
            fixtures=_written(old, new, comparison),
            effort=effort,
            seed=wanted.seed,
            heed=lambda come: progress.tell(_told(come)),
            separate=lambda *tried: separator_of(old, new, comparison).apart(*tried),
            suites=Suites(old.beside, new.beside, comparison.correspondence, scenarios.files, scenarios.wanted).played,
        )


def _written(old: Side, new: Side, comparison: Comparison) -> Fixtures:
    """The states and scenarios beside both rulesets, and what a solver would try; unreadable scenarios hold none."""
    before, after = _cases(old), _cases(new)
    return Fixtures(
        fixtures(old.program, old.beside.home, before, old.asked.provider),
        fixtures(new.program, new.beside.home, after, new.asked.provider),
        recorded(old.program, _own(old, before)),
        recorded(new.program, _own(new, after)),
        comparison.solved.wishes,
    )


def separator_of(old: Side, new: Side, comparison: Comparison) -> Separator:
    """What tells the edits of a comparison apart."""
    return Separator(Hybrids(old.beside, new.beside, comparison), comparison)


def _cases(side: Side) -> tuple[Case, ...]:
    cases = all_cases(suites_of((side.beside.home,), Rules(side.asked.provider)).value or ())
    return tuple(each for each in cases if not each.wrong)


def _own(side: Side, cases: Sequence[Case]) -> Iterator[Case]:
    """The scenarios that play this ruleset as it is amended here."""
    beside = side.beside
    return fitting(cases, beside.main, beside.overlays, beside.provider)


def _told(come: Come) -> str:
    found = f", {come.witnesses} witnesses" if come.witnesses else ""
    return f"{_STAGES[come.stage]}: {come.done} of {come.whole}{found}"
