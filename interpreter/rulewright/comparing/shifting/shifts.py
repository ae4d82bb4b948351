"""What a new revision does to the odds of the plays that scenarios begin: all edits together, and each by itself."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from sys import maxsize
from typing import Any, Protocol

from rulewright.codecs.table import show
from rulewright.comparing.comparison import corresponding
from rulewright.comparing.edits import Correspondence
from rulewright.comparing.playing.data import Work
from rulewright.comparing.playing.states import Opened
from rulewright.comparing.playing.suites import Beside, Suites, first_error
from rulewright.comparing.playing.translate_values import Common
from rulewright.comparing.separating.hybrids import Group, Hybrids
from rulewright.comparing.separating.units import rewritten
from rulewright.comparing.shifting.asking import (
    TOO_MANY,
    Answered,
    Answering,
    Budget,
    Revision,
    TooManyMomentsError,
    limited,
    rest,
)
from rulewright.comparing.shifting.beginnings import Beginning, beginnings, known_externals, script_for
from rulewright.comparing.shifting.data import Alone, Estimated, Share, Shift, Shifts, Situation, Sized, Told
from rulewright.diagnostics import Diagnostic, has_errors
from rulewright.drivers.session import Begun
from rulewright.files.providers import Laid
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Read
from rulewright.inputs.nodes import Mapping as MappingNode
from rulewright.inputs.policies import Policy, told_policies
from rulewright.machine.values import Value
from rulewright.odds.elsewhere import both_said, likelihoods_beside, policies_said
from rulewright.odds.estimates import FOLLOWED, Estimate
from rulewright.odds.exploration import Heed, Met
from rulewright.odds.measures import RESULT, declared_measures
from rulewright.odds.size import Size
from rulewright.odds.watching import Watched, name_of_times, with_way
from rulewright.program.types import FlagType, OptionalType
from rulewright.program.walk import step_addresses
from rulewright.workspace import Loaded

_HYBRID = 200
"""The charge for a revision with some of the edits, in moments of play."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for."""

    of: tuple[str, ...]  # expressions, as they were written; without any the declared measures
    policies: tuple[Policy, ...]  # who chooses what neither a scenario nor its script does; those first that count
    most: int  # moments of play that may be followed, for all odds together
    likely: MappingNode  # externals to answers with likelihoods, before what stands beside scenarios


@dataclass(frozen=True, slots=True)
class _Asked:
    """A play, with what is asked of it and what the old revision answers."""

    beginning: Beginning
    opened: Opened  # how it begins in both
    sides: tuple[Revision, Revision]
    texts: tuple[str, ...]
    answering: Answering
    old: Answered = Answered()


_UNASKED = "nothing is asked: declare a `measure`, or add `--of EXPRESSION`"


class WrongQuestionError(Exception):
    """What is asked fits no play.

    Attributes:
        diagnostics: what is wrong with it, for the first of them.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics


_STEPS = 60 * FOLLOWED
"""So many steps are followed for all estimates of a question together, but for the last of them."""
Between = Callable[[], tuple[Hybrids, Sequence[Group]]]


class Follower(Protocol):
    """Who is told what is followed, and how far."""

    def begins(self, number: int, look: Callable[[int], Size | None], of: tuple[int, str]) -> None:
        """The one of a number is followed from now on, of so many of something; `look` says how large it is."""

    def __call__(self, met: Met) -> None:
        """It is so far."""


class Comparing:
    """Two revisions that are asked for odds."""

    def __init__(self, sides: tuple[Beside, Beside], names: Correspondence, question: Question) -> None:
        self._sides = sides
        self._names = names
        self._question = question
        self._budget = Budget(question.most)
        self._steps: int | None = None  # so many may still be followed where plays are estimated alone
        self._revisions: dict[int, Revision] = {}
        self._place = 0, (1, "plays")
        self._left_out: dict[str, None] = {}
        self._likely: dict[str, Read[MappingNode]] = {}

    def shifts(self, between: Between, follower: Follower) -> Shifts:
        """What shifts.

        Args:
            between: makes the revisions between both, with those of the edits that are tried by themselves.
            follower: told what is followed, of how many plays or edits, and how far it is.

        Raises:
            WrongQuestionError: what is asked fits no play.
        """
        self._follower = follower
        plays = self._beginnings()
        found: list[Situation] = []
        asked: dict[int, _Asked] = {}
        wrong: list[tuple[Diagnostic, ...]] = []
        for number, each in enumerate(plays):
            self._place = number, (len(plays), "plays")
            told, known = self._together(each, len(plays) - number)
            found.append(Situation(each.names, told, bool(each.case.policies)))
            if known is not None and known.old.wrong:
                wrong.append(known.old.wrong)
            elif known is not None and not known.old.why:
                asked[number] = known
        if wrong and not any(each.told.shifts for each in found):
            raise WrongQuestionError(wrong[0])
        whole, alone = self._apart(between, asked) if any(each.told.is_any for each in found) else ("", {})
        situations = (replace(each, alone=tuple(alone.get(number, ()))) for number, each in enumerate(found))
        unvisited = () if any(each.told.is_any for each in found) else self._unvisited(asked)
        spent = self._question.most - self._budget.left
        return Shifts(
            tuple(situations),
            told_policies(self._question.policies),
            spent,
            tuple(self._left_out),
            whole,
            unvisited=unvisited,
        )

    def _unvisited(self, asked: Mapping[int, _Asked]) -> tuple[str, ...]:
        """The new steps to which no play that can be asked of comes, however it goes."""
        known = frozenset(self._names.addresses.values())
        left = [each for each in step_addresses(self._sides[1].program) if each not in known]
        for number, (place, each) in enumerate(asked.items()):
            if not left:
                break
            self._place = place, (len(asked), "plays")
            visits, share = [str(Watched("visits", step)) for step in left], self._budget.share(len(asked) - number)
            came, _ = self._anew(each, each.sides[1], each.opened, share, visits)
            if came.odds is None:
                return ()
            found = came.odds.distributions
            left = [step for step, one in zip(left, found, strict=True) if one.likely.get(0) == 1]
        return tuple(left) if asked else ()

    def sizes(self, follower: Follower) -> Iterator[Estimated]:
        """How much is to be followed of each play under each revision, all edits together.

        Args:
            follower: told what is followed, and how far it is.

        Raises:
            WrongQuestionError: what is asked fits no play.
        """
        self._follower, self._budget, self._steps = follower, Budget(maxsize), _STEPS
        plays = self._beginnings()
        wrong, fits = list[tuple[Diagnostic, ...]](), False
        for number, each in enumerate(plays):
            self._place = number, (len(plays), "plays")
            if self._steps <= 0:
                yield Estimated(each.names, why="it was not looked at, since the others are large")
                continue
            asked = self._asked(each)
            if isinstance(asked, Told):
                why = _UNASKED if asked.unasked else asked.unknown[0][1]
                yield Estimated(each.names, why=why, unasked=asked.unasked)
                continue
            asked = self._answered(asked, self._budget)
            if asked.old.why:
                wrong.extend(filter(None, [asked.old.wrong]))
                yield Estimated(each.names, Sized(why=asked.old.why))
                continue
            fits = True
            new, _ = self._anew(asked, asked.sides[1], asked.opened, self._budget)
            self._steps -= sum(side.estimate.steps for side in (asked.old, new) if side.estimate is not None)
            yield Estimated(each.names, _sized(asked.old), _sized(new))
        if wrong and not fits:
            raise WrongQuestionError(wrong[0])

    def _beginnings(self) -> tuple[Beginning, ...]:
        return beginnings(Suites(*self._sides, self._names), Work(self._question.most))

    def _estimated(self) -> int | None:
        """How many steps are followed of a play that is estimated alone; none where plays are followed."""
        return None if self._steps is None else max(self._steps, 0)

    def _follows(self, look: Callable[[int], Size | None]) -> Heed:
        number, of = self._place
        self._follower.begins(number, look, of)
        return self._follower

    def _together(self, each: Beginning, left: int) -> tuple[Told, _Asked | None]:
        """What all edits do to a play; and the play, where it can be asked of."""
        asked = self._asked(each)
        if isinstance(asked, Told):
            return asked, None
        asked = self._answered(asked, self._budget.share(2 * left))
        if asked.old.why:
            return Told(unknown=(("", asked.old.why),)), asked
        return self._told(asked, asked.sides[1], asked.opened, self._budget.share(2 * left - 1)), asked

    def _asked(self, each: Beginning) -> Told | _Asked:
        """What is asked of a play; or why nothing is."""
        if each.opened is None or each.pair is None:
            return Told(unknown=(("", each.why),))
        old, new = (
            self._revisions.setdefault(id(side), Revision(side, self._follows, self._estimated))
            for side in each.pair.sides
        )
        texts = self._texts(each, old.begun(each.opened, 0))
        if not texts:
            return Told(unasked=True)
        beside = self._beside(each.case.file)
        if beside.value is None:
            return Told(unknown=(("", first_error(beside.diagnostics)),))
        said = policies_said(beside.value)
        if said.value is None:
            return Told(unknown=(("", first_error(said.diagnostics)),))
        program, policies = old.beside.program, (*each.case.policies, *self._question.policies, *said.value)
        answering = Answering(each.script, known_externals(beside.value, program, program), policies)
        return _Asked(each, each.opened, (old, new), texts, answering)

    def _answered(self, asked: _Asked, share: Budget) -> _Asked:
        """The same with what the old revision answers."""
        old = asked.sides[0]
        return replace(asked, old=old.answered(old.begun(asked.opened, 0), asked.texts, asked.answering, share))

    def _beside(self, file: str) -> Read[MappingNode]:
        """What is said of externals: in the question, and of the others beside a scenario file."""
        if file not in self._likely:
            found = likelihoods_beside(file, self._sides[0].provider, {})
            wrong = has_errors(found.diagnostics)
            self._likely[file] = found if wrong else Read(both_said(self._question.likely, found.value))
        return self._likely[file]

    def _texts(self, each: Beginning, begun: Begun) -> tuple[str, ...]:
        if self._question.of:
            return self._question.of
        declared, left_out = declared_measures(begun)
        self._left_out.update(dict.fromkeys(left_out))
        result = (RESULT,) if begun.procedure.result is not None else ()
        return tuple(dict.fromkeys((*each.own, *result, *declared)))

    def _told(self, asked: _Asked, new: Revision, opened: Opened, share: Budget) -> Told:
        """What another revision does to a play that the old one answered."""
        answered, kept = self._anew(asked, new, opened, share)
        if answered.why:
            return Told(unknown=(("", answered.why),))
        lost = tuple(
            (was, "the new rules have nothing like it") for number, was in enumerate(asked.texts) if number not in kept
        )
        limit = next(filter(None, (limited(each) for each in (asked.old.odds, answered.odds) if each)), "")
        if limit:
            return Told(unknown=(("", limit),))
        shifts = tuple(_shift(asked.old, was, answered, now, opened.common) for now, was in enumerate(kept))
        open_ = tuple((each.of, TOO_MANY) for each in shifts if each.is_open and not each.is_any)
        return Told(shifts, (*lost, *open_), decided=asked.old.decided or answered.decided)

    def _anew(
        self, asked: _Asked, new: Revision, opened: Opened, share: Budget, instead: Sequence[str] | None = None
    ) -> tuple[Answered, Sequence[int]]:
        """What another revision answers, and the numbers of what it is asked, in place of which may be `instead`."""
        names = opened.common.ways.across.names
        script = script_for(asked.beginning, new.beside.program, names)
        if has_errors(script.diagnostics):
            why = f"the new rules do not take its script: {first_error(script.diagnostics)}"
            return Answered(why=why), ()
        texts = [_carried(each, opened) for each in asked.texts] if instead is None else instead
        kept = [number for number, now in enumerate(texts) if now]
        likely = known_externals(asked.answering.likely, opened.common.ways.across.here, new.beside.program, names)
        answering = replace(asked.answering, script=script.value, likely=likely)
        answered = new.answered(new.begun(opened, 1), [texts[number] for number in kept], answering, share)
        why = answered.why and f"under the new rules: {answered.why}"
        return replace(answered, why=why), kept

    def _apart(self, between: Between, asked: Mapping[int, _Asked]) -> tuple[str, dict[int, list[Alone]]]:
        """Why not all edits are told apart, or nothing; what each does to each play by itself, by its number."""
        found: dict[int, list[Alone]] = {}
        hybrids, groups = between()
        if len(groups) <= 1 or not asked:
            return "", found
        if not hybrids.trusted:
            return "the edits cannot be made one without the other", found
        for place, group in enumerate(groups):
            self._place = place, (len(groups), "edits")
            try:
                self._budget.spend(_HYBRID)
            except TooManyMomentsError:
                return TOO_MANY, found
            loaded = hybrids.of(group.made)
            if loaded is None or loaded.program is None:
                continue
            suites = Suites(self._sides[0], self._hybrid(loaded), _names(hybrids, self._sides[0], loaded))
            asking: dict[int, Revision] = {}
            for number, each in asked.items():
                share = self._budget.share(len(asked) * (len(groups) - place))
                told = self._alone(each, suites, asking, share)
                found.setdefault(number, []).append(Alone(group.subject, told))
        return "", found

    def _hybrid(self, loaded: Loaded) -> Beside:
        """The old revision with some of the edits, as if it lay where the new one does."""
        new = self._sides[1]
        provider = new.provider
        for name, text in loaded.texts.items():
            if text != new.loaded.texts.get(name):
                provider = Laid(provider, name, text.content)
        return Beside(loaded, new.main, new.overlays, provider)

    def _alone(self, asked: _Asked, suites: Suites, asking: dict[int, Revision], share: Budget) -> Told:
        """What some of the edits do to a play."""
        was, pair = asked.opened, suites.pair(asked.beginning.case, Work(0))
        if isinstance(pair, str):
            return Told(unknown=(("", pair),))
        opened = pair.migration.opened(was.procedures[0].name, was.starts[0])
        if isinstance(opened, str):
            return Told(unknown=(("", opened),))
        revision = asking.setdefault(id(pair), Revision(pair.sides[1], self._follows))
        return self._told(asked, revision, opened, share)


def _sized(answered: Answered) -> Sized:
    """How much is to be followed of what a revision was asked."""
    found = None if answered.odds is None else Estimate(answered.odds.moments)
    return Sized(answered.estimate or found, answered.why)


def _names(hybrids: Hybrids, old: Beside, loaded: Loaded) -> Correspondence:
    """What of the old revision is what of one with some of the edits."""
    assert loaded.program is not None
    return Correspondence(hybrids.names(loaded.program).names, corresponding(old.loaded, loaded).addresses)


def _carried(text: str, opened: Opened) -> str:
    """What is asked, in the words of the new revision; empty where that has nothing like it."""
    across = opened.common.ways.across
    owner, names, ways = opened.procedures[0].name, across.names.names, list[str]()

    def aside(way: Watched) -> str:
        now = across.names.addresses.get(way.address) or ""
        if not now and "/" not in way.address:
            (now,) = rewritten([way.address], owner, names, 0)
        ways.append(str(replace(way, address=now)) if now else "")
        return name_of_times(len(ways) - 1)

    (carried,) = rewritten([" ".join(with_way(text, across.here, aside).split())], owner, names, 0)
    for number, way in reversed([*enumerate(ways)]):
        carried = carried.replace(name_of_times(number), way)
    return carried if all(ways) else ""


_Ends = dict[object, tuple[str, Fraction]]
"""How likely each end is, and how it is told, by what makes it the same in both revisions."""


def _shift(old: Answered, was: int, new: Answered, now: int, common: Common) -> Shift:
    """What becomes of one thing that is asked, by its numbers."""
    assert old.play is not None
    assert new.play is not None
    before, after = old.play.measures[was], new.play.measures[now]
    one = _ends(old, was, lambda value: common.of_old(value, before.type, after.type))
    other = _ends(new, now, lambda value: common.of_new(value, after.type))
    keys = [*one, *(each for each in other if each not in one)]
    if all(isinstance(each, int | Fraction) for each in keys):
        keys.sort()
    shares = tuple(
        Share((one.get(each) or other[each])[0], one.get(each, _NEVER)[1], other.get(each, _NEVER)[1]) for each in keys
    )
    means = _mean(old, was), _mean(new, now)
    both = None if means[0] is None or means[1] is None else (means[0], means[1])
    open_ = _open(old, was), _open(new, now)
    return Shift(before.text, isinstance(before.type, FlagType), shares, both, open_)


_NEVER = "", Fraction(0)


def _ends(answered: Answered, number: int, common: Callable[[Value], Any]) -> _Ends:
    assert answered.play is not None
    if answered.odds is None:
        return {("", "cannot begin"): ("cannot begin", Fraction(1))}
    names, found = answered.play.begun.names, answered.odds.distributions[number]
    type_, ends = found.measure.type, dict[object, tuple[str, Fraction]]()
    for value, likely in found.likely.items():
        if value is None and not isinstance(type_, OptionalType):
            ends["", "no value"] = "no value", likely
        else:
            ends[common(value)] = show(value, type_, names), likely
    if found.measure.given is not None:
        return ends if found.given or found.open else {("", "no such play"): ("no such play", Fraction(1))}
    return ends | {("", told): (told, likely) for told, likely in rest(answered.odds).items()}


def _open(answered: Answered, number: int) -> Fraction:
    return Fraction(0) if answered.odds is None else answered.odds.distributions[number].open


def _mean(answered: Answered, number: int) -> Fraction | None:
    return None if answered.odds is None else answered.odds.distributions[number].mean
