"""Scenarios and saves of the old revision, played under both."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from rulewright.comparing.comparison import corresponding
from rulewright.comparing.edits import Correspondence
from rulewright.comparing.playing.data import HYBRID, READING, TURN, Migrated, Work
from rulewright.comparing.playing.fixtures import saved, written_start
from rulewright.comparing.playing.replays import answered_in_order, standing
from rulewright.comparing.playing.side_by_side import SAME, UNUSABLE, Played, Turn, played
from rulewright.comparing.playing.states import Opened, Start, carried, carried_roles, opened_in_both, spelled_out
from rulewright.comparing.playing.translate_values import LostError, Ways, ways
from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.drivers.run import UNANSWERED, run
from rulewright.files import Provider, read
from rulewright.files.providers import Revised
from rulewright.frozen import dataclass
from rulewright.inputs.answers import read_answer
from rulewright.inputs.findings import Read
from rulewright.inputs.nodes import Items, Node, Scalar, mapping, value_under
from rulewright.inputs.save import Save
from rulewright.inputs.state_file import state_of
from rulewright.inputs.state_json import state_json
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Limits
from rulewright.machine.request import Faulted, Refused
from rulewright.program.declarations import Program
from rulewright.scenarios.expectations.shapes import is_of_odds_alone
from rulewright.scenarios.loading import cases_of, scenario_files
from rulewright.scenarios.opening import OpenedCase, Ruled, Rules, opened_case
from rulewright.scenarios.suite import Case, Suite
from rulewright.scenarios.suite_reader import read_suite
from rulewright.situations.making import situation_of
from rulewright.source import Text
from rulewright.workspace import Loaded, Located, load, locate
from rulewright.workspace.load import overlay_place
from rulewright.workspace.policies import LaidPolicies, with_policies

_LOST = "it holds something that the new revision does not know"


def migrated(old: Program, new: Program, names: Correspondence, saves: Mapping[str, Save]) -> Iterator[Migrated]:
    """What becomes of each saved or recorded play, by its name.

    A play runs on where the new revision asks the same and takes every answer; how it ends counts too. A play of which
    the answers end before it does is the same as far as it goes.
    """
    migration = Migration(old, new, names)
    for name, save in saves.items():
        play = migration.play(save)
        yield Migrated(name, "lost", message=play) if isinstance(play, str) else told(name, save, play)


class Migration:
    """Plays of the old revision under both.

    Attributes:
        ways: between them.
    """

    def __init__(self, old: Program, new: Program, names: Correspondence) -> None:
        self.ways = ways(old, new, names)

    @cached_property
    def executables(self) -> tuple[Executable, Executable]:
        """Both, traced."""
        across = self.ways.across
        return compile_program(across.here, traced=True), compile_program(across.there, traced=True)

    def opened(self, begins: str, written: Start) -> Opened | str:
        """A play of the old revision, by the name of its procedure, in both; or why the new one cannot begin it."""
        across = self.ways.across
        procedure = across.here.procedures.get(begins)
        other = across.there.procedures.get(across.names.new("procedure", begins) or "")
        if procedure is None or other is None:
            return f"there is no procedure `{begins}` any more"
        if other.inner:
            return f"`{other.name}` is an inner procedure now, and cannot be begun"
        situation = situation_of(dict(written.state), across.here)
        if situation is None:
            return "the old revision does not take its start"
        start = spelled_out(dict(written.state), state_json(situation, across.here), across)
        try:
            new = Start(carried(start, across), carried_roles(written.roles, procedure, other, across))
        except LostError:
            return _LOST
        starts = Start(start, written.roles), new
        return opened_in_both((procedure, other), starts, self.ways) or _why(starts, self.ways)

    def play(self, save: Save) -> Played | str:
        """A recorded play in both, as far as its answers go, or why the new revision cannot begin it."""
        found = self.opened(save.procedure, Start(save.start, save.arguments))
        if isinstance(found, str):
            return found
        return played(self.executables, found, answered_in_order(save.answers, then_plain=False), recorded=True)


def _why(starts: tuple[Start, Start], both: Ways) -> str:
    """What is wrong with a start for the new revision."""
    found = state_of(mapping(dict(starts[1].state)), both.across.there)
    first = next((each for each in found.diagnostics if has_errors([each])), None)
    return "it lacks a role that the new revision wants" if first is None else first.message


def told(name: str, save: Save, play: Played) -> Migrated:
    """What became of a recorded play."""
    addresses = standing(play.outcomes[0]), standing(play.outcomes[1])
    given = len(play.turns)
    if play.sort == SAME or (play.sort == UNUSABLE and _ran_out(save, play)):
        return Migrated(name, "same", answers=given)
    if play.sort == UNUSABLE:
        at = save.answers[given].at
        return Migrated(name, "lost", "", given, addresses, f"the answer to `{at}` is none under the new revision")
    return Migrated(name, "differs", play.sort, given, addresses)


def _ran_out(save: Save, play: Played) -> bool:
    """Whether every answer was given, or neither revision begins it."""
    neither = all(isinstance(each, Refused | Faulted) for each in play.outcomes)
    return neither or len(play.turns) == len(save.answers)


@dataclass(frozen=True, slots=True)
class Beside:
    """A revision and where it lies."""

    loaded: Loaded  # it, checked and without errors
    main: str  # the place of its main file
    overlays: tuple[str, ...]  # the places of what amends it
    provider: Provider  # where they are read from

    @property
    def home(self) -> str:
        """The folder of its main file."""
        return posixpath.dirname(self.main) or "."

    @property
    def program(self) -> Program:
        """It, checked."""
        assert self.loaded.program is not None
        return self.loaded.program

    def amended(self, overlays: tuple[str, ...]) -> Loaded:
        """The revision, read again with more overlays."""
        return load(Located(self.main, self.overlays), overlays, self.provider)

    def amended_as(self, other: "Beside", overlays: tuple[str, ...], amended: Loaded) -> Loaded | None:
        """The revision with more overlays, checked as an edit of another that was checked with them.

        It is read as if its files lay where those of the other lie, and says so of its places; none where it has other
        files, or errors.
        """
        texts = {place: read(self.beside(other, place), self.provider) for place in amended.texts}
        contents = {place: text.content for place, text in texts.items() if isinstance(text, Text)}
        same = tuple(self.beside(other, each) for each in (other.main, *other.overlays)) == (self.main, *self.overlays)
        if not same or contents.keys() != amended.texts.keys() or self.documents() != other.documents():
            return None
        located = Located(other.main, other.overlays)
        found = load(located, overlays, Revised(other.provider, contents), earlier=amended.earlier)
        return found if found.program is not None and found.texts.keys() == contents.keys() else None

    def beside(self, other: "Beside", place: str) -> str:
        """Where the counterpart lies of what lies beside another revision."""
        return posixpath.normpath(posixpath.join(self.home, posixpath.relpath(place, other.home)))

    def counterpart(self, other: "Beside", overlay: str) -> str:
        """The place here of an overlay of another revision: beside this one, else the same file; empty for none."""
        beside = self.beside(other, overlay)
        if self.provider.sort(beside) == "file":
            return beside
        return overlay if self.provider is other.provider else ""

    def documents(self) -> list[str]:
        """The names of the clause lists beside it."""
        return [each for each in self.provider.files(self.home) if each.endswith(".clauses.yaml")]


class _Unjudged(Rules):
    """Scenario files whose scenarios are played under two revisions, which takes no `expect:`."""

    def suite(self, text: Text) -> Read[Suite]:
        """As ever, but that a scenario is taken where nothing is wrong with it but that it expects nothing."""
        found = super().suite(text)
        if found.value is None or not any(map(_lacks_expectations, found.value.cases)):
            return found
        loose = read_suite(text, self.provider, self.texts, judged=False).value
        known = {each.name: each for each in loose.cases} if loose else {}
        cases = (known.get(each.name, each) if _lacks_expectations(each) else each for each in found.value.cases)
        return Read(replace(found.value, cases=tuple(cases)), found.diagnostics)


def _lacks_expectations(case: Case) -> bool:
    return bool(case.wrong) and all(each.code == "RW1006" for each in case.wrong)


def named_overlays(case: Case, beside: Beside) -> tuple[str, ...] | None:
    """The places of the overlays that a scenario names; none where it plays another ruleset than the one here."""
    located = locate(case.ruleset, beside.provider)
    if located.main is None or beside.provider.identity(located.main) != beside.provider.identity(beside.main):
        return None
    named = (*located.overlays, *(each.text for each in case.overlays))
    return tuple(overlay_place(each, beside.home, beside.provider) for each in named)


Files = Sequence[tuple[str, Read[tuple[Case, ...]]]]
"""Scenario files by their places, with what is read in each."""


def files_beside(beside: Beside) -> Files:
    """The scenario files beside a revision, with all of their scenarios."""
    files = scenario_files(beside.home, beside.provider)
    return tuple((file, cases_of((file,), _Unjudged(beside.provider))) for file in files)


class Suites:
    """The scenarios of one revision, to be played under it and another.

    Args:
        old: the one whose they are.
        new: the other one.
        names: which old names are which new ones.
        files: the scenario files beside the old one, where they have been read.
        wanted: whether scenarios that name these overlays, by their places, are played.
    """

    def __init__(
        self,
        old: Beside,
        new: Beside,
        names: Correspondence,
        files: Files | None = None,
        wanted: Callable[[tuple[str, ...]], bool] = lambda _: True,
    ) -> None:
        self._old, self._new, self._names, self._read, self._wanted = old, new, names, files, wanted
        self._pairs: dict[tuple[str, ...], Pair | str] = {}

    def played(self, work: Work) -> Iterator[Migrated]:
        """What becomes of each scenario that plays the old revision, with the overlays it names besides.

        Scenarios that are skipped are left out, and so are those of odds alone, and those of other rulesets.
        """
        for file, found in self._files():
            if found.value is None:
                yield Migrated(file, "lost", message=first_error(found.diagnostics))
            for case in found.value or ():
                if not is_of_odds_alone(case.expect):
                    yield self._one(case, work)

    @property
    def number(self) -> int:
        """How many scenarios `played` tells of."""
        return sum(not is_of_odds_alone(case.expect) for _, found in self._files() for case in found.value or ())

    def cases(self, work: Work) -> Iterator[tuple[Case, "Pair | str"]]:
        """The scenarios of `played` and those of odds alone, with both revisions as each amends them, or why not."""
        for _, found in self._files():
            yield from ((case, self.pair(case, work)) for case in found.value or ())

    def _files(self) -> Iterator[tuple[str, Read[tuple[Case, ...]]]]:
        """The files beside the old revision, with the scenarios in each that play it and are not skipped."""
        for file, found in files_beside(self._old) if self._read is None else self._read:
            ours = tuple(case for case in found.value or () if not case.skip and self._is_ours(case))
            yield file, found if found.value is None else Read(ours)

    def _is_ours(self, case: Case) -> bool:
        named = named_overlays(case, self._old)
        return named is not None and self._wanted(named)

    def _one(self, case: Case, work: Work) -> Migrated:
        name = f"{case.file}: {case.name}"
        pair = self.pair(case, work)
        return Migrated(name, "lost", message=pair) if isinstance(pair, str) else pair.outcome(name, case, work)

    def pair(self, case: Case, work: Work) -> "Pair | str":
        """Both revisions as a scenario amends them, or why there are no such two."""
        if case.wrong:
            return f"it has an error: {first_error(case.wrong)}"
        provider = self._old.provider
        known = {*map(provider.identity, self._old.overlays)}
        found = named_overlays(case, self._old) or ()
        more = tuple(each for each in found if provider.identity(each) not in known)
        if more not in self._pairs:
            self._pairs[more] = self._paired(more, work)
        return self._pairs[more]

    def _paired(self, more: tuple[str, ...], work: Work) -> "Pair | str":
        """Both revisions with more overlays, or why there are no such two."""
        if not more:
            return Pair(Migration(self._old.program, self._new.program, self._names), (self._old, self._new))
        work.spend(2 * HYBRID)
        theirs = [self._new.counterpart(self._old, each) for each in more]
        if lacking := next((each for each, other in zip(more, theirs, strict=True) if not other), ""):
            return f"there is no `{posixpath.basename(lacking)}` beside the new revision"
        old, here = self._old.amended(more), [self._new.beside(self._old, each) for each in more]
        new = self._new.amended_as(self._old, more, old) if theirs == here else None
        sides = old, new or self._new.amended(tuple(theirs))
        for word, side in zip(("old", "new"), sides, strict=True):
            if side.program is None:
                called = " and ".join(f"`{posixpath.basename(each)}`" for each in more)
                return f"with {called} the {word} revision has errors: {first_error(side.errors)}"
        assert sides[0].program is not None
        assert sides[1].program is not None
        amended = (
            replace(self._old, loaded=sides[0], overlays=(*self._old.overlays, *more)),
            replace(self._new, loaded=sides[1], overlays=(*self._new.overlays, *theirs)),
        )
        return Pair(Migration(sides[0].program, sides[1].program, corresponding(*sides)), amended)


class Pair:
    """Both revisions as some scenarios amend them.

    Attributes:
        migration: between them.
        sides: the old one and the new one, with where they lie.
    """

    def __init__(self, migration: Migration, sides: tuple[Beside, Beside]) -> None:
        self.migration = migration
        self.sides = sides
        self._planned: dict[tuple[str, ...], tuple[Loaded, LaidPolicies]] = {}

    @cached_property
    def _ruled(self) -> tuple[Ruled, Ruled]:
        old, new = (Ruled(each, frozenset()) for each in self.migration.executables)
        return old, new

    def _opened(self, case: Case) -> Read[OpenedCase]:
        """A scenario as the old revision begins it, with its policies for single questions."""
        ruled, own = self._ruled[0], tuple(each for each in case.policies if each.question)
        if own:
            key = tuple(each.written for each in own)
            if key not in self._planned:
                old = self.sides[0]
                self._planned[key] = with_policies(old.loaded, Located(old.main, old.overlays), (), old.provider, own)
            made, laid = self._planned[key]
            if made.program is None:
                return Read(None, made.errors)
            ruled = Ruled(compile_program(made.program, traced=True), frozenset(), laid)
        return opened_case(case, ruled, Limits())

    def opened(self, case: Case) -> tuple[OpenedCase, Opened] | str:
        """A scenario as the old revision begins it, and as both do; or why not both can."""
        found = self._opened(replace(case, covers=()))
        if found.value is None:
            return f"{_NO_PLAY}: {first_error(found.diagnostics)}"
        begun = found.value.begun
        opened = self.migration.opened(begun.procedure.name, written_start(begun, case))
        if isinstance(opened, str):
            return opened
        lacking = next(filter(None, opened.lacking), "")
        return f"nobody has the role `{lacking}`" if lacking else (found.value, opened)

    def outcome(self, name: str, case: Case, work: Work) -> Migrated:
        """What becomes of a scenario: of several plays the first that differs, or cannot be compared."""
        case = replace(case, covers=())
        begun = self._opened(case)
        if begun.value is None:
            return self._unread(name, case, begun.diagnostics)
        made: list[Migrated] = []
        for number in range(case.plays):
            ran = run(begun.value.begun, begun.value.sources(case, number))
            session, save = ran.session, saved(ran.session, case)
            play = self.migration.play(save)
            work.spend(READING + TURN * len(session.turns) + (0 if isinstance(play, str) else play.work))
            found = Migrated(name, "lost", message=play) if isinstance(play, str) else told(name, save, play)
            if found.outcome == "same" and not isinstance(play, str):
                lacks_answers = case.script is None and any(each.code == UNANSWERED for each in ran.diagnostics)
                why = "there is no `script:`" if lacks_answers else first_error(ran.diagnostics)
                stopped = Migrated(name, "lost", message=f"{_NO_PLAY}: {why}")
                found = stopped if has_errors(ran.diagnostics) else self._refused(found, play, case)
            made.append(found)
            if found.outcome == "differs":
                break
        return max(made, key=lambda each: _WORST.index(each.outcome))

    def _unread(self, name: str, case: Case, why: Sequence[Diagnostic]) -> Migrated:
        """What becomes of a scenario that shows what cannot be read; of one that is itself wrong nothing is known."""
        if case.expect.get("invalid") is None or not self.migration.ways.alike:
            return Migrated(name, "lost", message=f"{_NO_PLAY}: {first_error(why)}")
        taken = opened_case(case, self._ruled[1], Limits()).value is not None
        return Migrated(name, "differs", "legal") if taken else Migrated(name, "same")

    def _refused(self, found: Migrated, play: Played, case: Case) -> Migrated:
        """The same, unless one revision takes an answer that the scenario shows to be refused."""
        rejected = list(_rejected(case, self._ruled[0])) if self.migration.ways.alike else []
        for number, turn in enumerate(play.turns):
            for at, answer in rejected:
                if turn.asked.addresses[0] == at and _takes(play, turn, 0, answer) != _takes(play, turn, 1, answer):
                    return Migrated(found.name, "differs", "options", number, turn.asked.addresses)
        return found


def _takes(play: Played, turn: Turn, side: int, answer: Node) -> bool:
    """Whether a revision takes an answer."""
    request = turn.asked.new if side else turn.asked.old
    names = play.opened.common.new if side else play.opened.common.old
    return not read_answer(request, answer, names, turn.asked.paused[side]).diagnostics


def _rejected(case: Case, ruled: Ruled) -> Iterator[tuple[str, Node]]:
    """The answers that a scenario expects to be refused, with the address of the question."""
    wanted = case.expect.get("rejects")
    for each in wanted.items if isinstance(wanted, Items) else ():
        at = value_under(each, "at")
        answer = value_under(each, "answer")
        address = ruled.questions.resolve(at.written) if isinstance(at, Scalar) else None
        if isinstance(address, str) and answer is not None:
            yield address, answer


_NO_PLAY = "the old revision does not play it"
_WORST = ("same", "lost", "differs")


def first_error(diagnostics: Iterable[Diagnostic]) -> str:
    """The message of the first error."""
    return next((each.message for each in diagnostics if has_errors([each])), "")
