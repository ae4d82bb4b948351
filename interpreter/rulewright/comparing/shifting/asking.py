"""One revision that is asked for odds: the play of a situation with what is asked of its end, within counted work."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from sys import maxsize

from rulewright.comparing.playing.states import Opened
from rulewright.comparing.playing.suites import Beside, first_error
from rulewright.diagnostics import Diagnostic
from rulewright.drivers.session import Begun
from rulewright.drivers.sources import DECISIONS
from rulewright.files import Provider
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Read, quoted
from rulewright.inputs.nodes import Mapping as MappingNode
from rulewright.inputs.policies import Policy, deciding
from rulewright.inputs.script import Script
from rulewright.inputs.yaml_places import LARGEST_TEXT
from rulewright.machine.compile import compile_program
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Limits
from rulewright.machine.outcomes import TooManyOutcomesError
from rulewright.machine.run import Paused, Run
from rulewright.odds.answering import Answers, Around
from rulewright.odds.conditions import NoConditionError
from rulewright.odds.elsewhere import read_elsewhere
from rulewright.odds.estimates import Estimate, estimated
from rulewright.odds.exploration import Fork, Heed, Met, UndecidedError
from rulewright.odds.measures import PlayToMeasure, play_to_measure
from rulewright.odds.odds import CannotBeginError, Odds, odds, started, unknown
from rulewright.odds.size import LOOKED, Size, size_of
from rulewright.odds.size_words import whole_size
from rulewright.workspace import Loaded, Located
from rulewright.workspace.policies import NO_POLICIES, LaidPolicies, laid_policies

LINES = 500_000
"""So many lines one way through a play may carry out."""
LOADED = 100
"""The charge for a revision that is checked with what is asked, in moments of play."""
_LIMIT = "RW09"
_TENTH = 10
_PILOT, _HUNDREDTH = 2000, 100
TOO_MANY = "there are more ways to play it than are followed; `--most N` follows more, and takes longer"


Follows = Callable[[Callable[[int], Size | None]], Heed]
"""Told that a play is followed from now on, and what says how large it is; gives who is told how far it is."""


class TooManyMomentsError(Exception):
    """More moments of play than may be followed."""


class Budget:
    """How many moments of play may still be followed.

    Attributes:
        left: so many.
        pilot: so many of one question before any play ends.
    """

    def __init__(self, left: int, whole: "Budget | None" = None) -> None:
        """`whole` is what this is a part of, which pays too."""
        self.left = left
        self.pilot: int = max(_PILOT, left // _HUNDREDTH) if whole is None else whole.pilot
        self._whole = whole

    def share(self, of: int) -> "Budget":
        """What one of so many plays may cost: its share, or a tenth of all that is left, if that is more."""
        return Budget(max(self.left // max(of, 1), self.left // _TENTH), self)

    def spend(self, moments: int) -> None:
        """Takes what is followed.

        Raises:
            TooManyMomentsError: it is more than is left.
        """
        if moments > self.left:
            raise TooManyMomentsError
        self.left -= moments
        if self._whole is not None:
            self._whole.spend(moments)


@dataclass(frozen=True, slots=True)
class _Bounded(Around):
    """Answers at moments of which each is paid for; beyond what can be paid nothing is followed."""

    budget: Budget

    def fork(self, run: Run, memory: Hashable) -> Fork:
        """As `Answers.fork`; without ways where the moment cannot be paid for."""
        found = self.answers.fork(run, memory)
        try:
            self.budget.spend(1)
        except TooManyMomentsError:
            self.budget.left = 0
            return Fork(())
        return found


@dataclass(frozen=True, slots=True)
class Answered:
    """What a play of one revision comes to, or why that is not known."""

    play: PlayToMeasure | None = None  # it, with what is asked
    odds: Odds | None = None  # none where it is refused, or nothing is known
    estimate: Estimate | None = None  # how much is to be followed, where it was not followed further
    why: str = ""  # why nothing is known
    wrong: tuple[Diagnostic, ...] = ()  # what is wrong with what is asked
    decided: bool = False  # whether a policy chose for players


@dataclass(frozen=True, slots=True)
class Answering:
    """Who answers what a play asks, in the words of one revision."""

    script: Script | None  # goes before all others; or none
    likely: MappingNode  # externals of the revision to answers with likelihoods
    policies: tuple[Policy, ...]  # who chooses what the script does not; those first that count


class Revision:
    """A revision that is asked for odds.

    Attributes:
        beside: it, and where it lies.
    """

    def __init__(self, beside: Beside, follows: Follows, steps: Callable[[], int | None] = lambda: None) -> None:
        """`follows` is told each play before it is followed.

        Of one that is to be estimated alone `steps` says how much is followed of it.
        """
        self.beside = beside
        self._follows = follows
        self._steps = steps
        self._plays: dict[object, Read[PlayToMeasure]] = {}
        self._loaded: dict[tuple[object, tuple[str, ...]], Loaded] = {}

    @cached_property
    def _executable(self) -> Executable:
        return compile_program(self.beside.program, traced=False)

    def begun(self, opened: Opened, side: int) -> Begun:
        """How a play begins here: of the revisions that can begin it the old one, 0, or the new one, 1."""
        situation, arguments = opened.situations[side], opened.arguments[side]
        return Begun(self._executable, opened.procedures[side], situation, arguments, Limits(work=LINES))

    def answered(self, begun: Begun, texts: Sequence[str], answering: Answering, budget: Budget) -> Answered:
        """The odds of everything that is asked of a play."""
        decided = False
        try:
            found = self._play(begun, texts, answering.script, budget)
            if found.value is None:
                return Answered(why=first_error(found.diagnostics), wrong=found.diagnostics)
            play = found.value.beginning(begun)
            elsewhere = read_elsewhere(answering.likely, self.beside.program, begun.names)
            if elsewhere.value is None:
                return Answered(why=first_error(elsewhere.diagnostics))
            answers = Answers(begun.names, answering.script, elsewhere=elsewhere.value, watched=play.watched)
            try:
                return self._followed(play, answers, budget)
            except UndecidedError as undecided:
                decided = undecided.paused.request.sort in DECISIONS and bool(answering.policies)
                if not decided or undecided.wrong:
                    raise
            return self._decided(begun, texts, answering, answers, budget)
        except (UndecidedError, NoConditionError, TooManyOutcomesError, TooManyMomentsError) as error:
            return Answered(why=_why(error, decided=decided))

    def _decided(
        self, begun: Begun, texts: Sequence[str], answering: Answering, answers: Answers, budget: Budget
    ) -> Answered:
        """The same where policies choose what the script does not."""
        policies = answering.policies
        laid, decided = laid_policies(policies, self.beside.program), deciding(policies, begun.names)
        if laid.value is None or decided.value is None:
            wrong = (*laid.diagnostics, *decided.diagnostics)
            return Answered(why=first_error(wrong), wrong=wrong)
        found = self._play(begun, texts, answering.script, budget, laid.value)
        if found.value is None:
            return Answered(why=first_error(found.diagnostics), wrong=found.diagnostics)
        answers = replace(answers, policy=decided.value.everyone, policies=decided.value.players)
        return replace(self._followed(found.value.beginning(begun), answers, budget), decided=True)

    def _followed(self, play: PlayToMeasure, answers: Answers, budget: Budget) -> Answered:
        """What all moments that somebody paid for come to.

        Raises:
            TooManyMomentsError: nobody paid for any play to its end.
        """
        heed = self._follows(partial(_size, play, answers))
        try:
            steps = self._steps()
            if steps is not None:
                return Answered(play, estimate=estimated(play, answers, budget.left, heed, steps=steps))
            found = odds(
                play,
                _Bounded(answers, budget),
                budget.left + 1,
                _Pilot(heed, budget, partial(_size, play, answers, LOOKED)),
            )
        except CannotBeginError:
            return Answered(play)
        if found.open == 1:
            raise TooManyMomentsError(*_whole_size(play, answers, found.moments))
        return Answered(play, found)

    def _play(
        self,
        begun: Begun,
        texts: Sequence[str],
        script: Script | None,
        budget: Budget,
        laid: LaidPolicies = NO_POLICIES,
    ) -> Read[PlayToMeasure]:
        """A play of the same procedure and things with what is asked, which other situations can begin."""
        things = tuple(begun.names.ids(each) for each in self.beside.program.kinds)
        written = tuple(each.written for each in laid.policies)
        key = tuple(texts), begun.procedure.name, things, script is not None and script.names_questions, written
        if key not in self._plays:
            beside, loading = self.beside, partial(self._load, budget, laid)
            found = play_to_measure(
                begun, texts, beside.main, beside.overlays, beside.provider, watching=True, loading=loading
            )
            heard = None if found.value is None else found.value.heard_by(script)
            self._plays[key] = replace(found, value=heard)
        return self._plays[key]

    def _load(
        self, budget: Budget, laid: LaidPolicies, located: Located, overlays: tuple[str, ...], files: Provider
    ) -> Loaded:
        """The revision with an overlay of what is asked, the last one; checked and paid for once for the same text."""
        key = files.read(overlays[-1], LARGEST_TEXT), tuple(each.written for each in laid.policies)
        if key not in self._loaded:
            budget.spend(LOADED)
            self._loaded[key] = laid.load(located, overlays, files)
        return self._loaded[key]


class _Pilot:
    """Hears how far a play is followed; where none ends in time, looks whether it is too large to be followed whole."""

    def __init__(self, heed: Heed, budget: Budget, look: Callable[[], Size | None]) -> None:
        self._heed = heed
        self._pilot, self._left = budget.pilot, budget.left
        self._look = look

    def __call__(self, met: Met) -> None:
        """Tells how far it is.

        Raises:
            TooManyMomentsError: a play should have ended, none has, and more is to be followed than may be.
        """
        self._heed(met)
        if met.moments <= self._pilot or met.followed != 0:
            return
        self._pilot = maxsize
        try:
            size = self._look()
        except TooManyOutcomesError:
            return
        if size is None or not size.is_estimated or size.about > self._left:
            raise TooManyMomentsError


def _size(play: PlayToMeasure, answers: Answers, most: int) -> Size | None:
    """How large the question is, as so many moments show it; none where the play is over at once."""
    start = started(play.begun)
    return size_of(start, answers.each_step, most) if isinstance(start.outcome, Paused) else None


def _whole_size(play: PlayToMeasure, answers: Answers, met: int) -> tuple[str, ...]:
    """How large a question is of which so many moments were met, in the words of `odds`."""
    try:
        size = _size(play, answers, LOOKED)
    except TooManyOutcomesError:
        return ()
    return () if size is None else tuple(whole_size(size, met))[:1]


NEEDS_POLICY = "add `--policy first`"
"""What helps where a player chooses and no policy does."""


def _why(
    error: UndecidedError | NoConditionError | TooManyOutcomesError | TooManyMomentsError, *, decided: bool
) -> str:
    if isinstance(error, NoConditionError):
        return f"{quoted(error.text)} has no value at some end"
    if isinstance(error, TooManyMomentsError):
        return "; ".join((TOO_MANY, *map(str, error.args)))
    if isinstance(error, UndecidedError) and error.wrong:
        return first_error(error.wrong)
    code, message = unknown(error, decided=decided)
    return f"{message}; {NEEDS_POLICY}" if code == "RW1121" and not decided else message


def limited(found: Odds) -> str:
    """Why odds are not known although all ways were followed: a limit of the machine ended some; else empty."""
    return next((message for code, message in found.faults if code.startswith(_LIMIT)), "")


def rest(found: Odds) -> Mapping[str, Fraction]:
    """How likely a play is not to end, by what becomes of it."""
    faults: dict[str, Fraction] = {}
    for (_, message), likely in found.faults.items():
        told = f"cannot be carried on: {message}"
        faults[told] = faults.get(told, Fraction(0)) + likely
    return {**faults, **({"never ends": found.never} if found.never else {})}
