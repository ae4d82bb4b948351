"""The odds of a procedure: for everything that is asked of its end, how likely each value is, exactly."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from math import lcm
from typing import Any

from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.session import Begun
from rulewright.drivers.sources import DECISIONS, MOST_JUDGED
from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Key
from rulewright.inputs.script import Line, untaken
from rulewright.machine.faults import Wanted
from rulewright.machine.later import Later, ways
from rulewright.machine.open_dice import GOES_ON, Sums
from rulewright.machine.outcomes import TooManyOutcomesError
from rulewright.machine.request import Ended, Faulted, Reason, Refused
from rulewright.machine.run import Paused, Run
from rulewright.machine.unthrown import AskedMoreError, LookedError
from rulewright.machine.values import Value
from rulewright.odds.answering import Answers, Choices, Forced
from rulewright.odds.apart import Together, TogetherError
from rulewright.odds.at_ends import AtEnds
from rulewright.odds.chain import Ways, reached
from rulewright.odds.conditions import among
from rulewright.odds.counting import UncountedError, counted, enough, mean_of, means_of, ways_of
from rulewright.odds.exploration import Answering, Explored, Heed, UndecidedError, explore, explored
from rulewright.odds.loops import NEXT_TO_NONE, Followed, Rounds, follow
from rulewright.odds.measures import AskedMeasure, PlayToMeasure
from rulewright.odds.objectives import BestPlay, Outlook, Values, best_play, refuse_faults
from rulewright.odds.secrecy import UnseenError
from rulewright.odds.ways import EveryWay
from rulewright.telling.happenings import reason

_NONE, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class Distribution:
    """How likely each value of a measure is at the end of a play, the values in order; none is not a value."""

    measure: AskedMeasure  # what was asked
    likely: Mapping[Value, Fraction]  # by value
    given: Fraction = _ONE  # how likely a play is, at least, to be one of those that are asked of
    open: Fraction = _NONE  # each value may be as much likelier than is told, in these plays
    is_cut: bool = False  # whether the highest that is counted on the way stands for more, too
    expected: Fraction | None = None  # the mean where it is cut, if it is known

    @property
    def mean(self) -> Fraction | None:
        """The mean of numbers; none of other values, and where some plays have no value or no end."""
        if self.is_cut:
            return self.expected
        if not self.measure.is_number or None in self.likely or sum(self.likely.values()) != 1:
            return None
        return sum((value * likely for value, likely in self.likely.items()), Fraction(0))  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class Odds:
    """What a play comes to."""

    distributions: tuple[Distribution, ...]  # one for each measure, in order
    # how plays end that cannot be carried on, by their codes and messages, and how likely
    faults: Mapping[tuple[str, str], Fraction]
    never: Fraction  # how likely it is that a play never ends
    open: Fraction  # how likely it is to come beyond the limit; each value may be as much likelier than is told
    # how many different moments there are, as far as they were met; of what `ways` goes how many ways there are
    moments: int
    # how likely it is, at most, to come to the high bound of a loop, which is left out (`loops.follow`), or to go round
    # one more often than is counted (`counting.counted`)
    beyond: Fraction = Fraction(0)
    explodes: bool = False  # whether that is dice that explode without limit, and further than is counted
    best: tuple[BestPlay, ...] = ()  # what play is worth to those who play for the best
    left: tuple[Line, ...] = ()  # answers of the script that no play takes, where all were followed
    # rolls and draws that the script answers, by address, with the answer as people write it
    scripted_chance: Mapping[str, str] = field(default_factory=dict)


class CannotBeginError(Exception):
    """The rules do not let the procedure begin."""

    def __init__(self, reasons: tuple[Reason, ...]) -> None:
        super().__init__(reasons)
        self.reasons = reasons  # why


def started(begun: Begun) -> Run:
    """A run at the first request of a play, or over."""
    return Run.begin(begun.executable, begun.situation, begun.procedure.name, begun.arguments, begun.limits)


def odds(play: PlayToMeasure, answers: Answering, most: int, heed: Heed, at: Run | None = None) -> Odds:
    """Works odds out.

    Args:
        play: it, with what is asked of its ends.
        answers: who answers.
        most: after so many moments no more are gone on from.
        heed: told how far it is.
        at: where the play stands; without it, at its beginning.

    Raises:
        CannotBeginError: the procedure cannot begin.
        UndecidedError: nobody answers something.
        UnseenError: best play would look at what its player cannot see.
        NoBestPlayError: best play cannot be worked out.
        NoConditionError: it is not known of some end whether it is asked of.
        TooManyOutcomesError: one roll or draw has more outcomes than are told one by one; `UncountedError` is one.
    """
    if isinstance(answers, Answers) and answers.script is not None and answers.taken is None:
        taken, chance = set[int](), dict[str, str]()
        told = odds(play, replace(answers, taken=taken, scripted_chance=chance), most, heed, at)
        told = replace(told, scripted_chance=chance)
        left = tuple(each for each in answers.script.lines if id(each) not in taken)
        return told if told.open or (told.beyond and not told.explodes) else replace(told, left=left)
    every = None if at is not None or play.objectives else EveryWay.of(play, answers)
    gone = None if every is None else every.odds(play)
    if gone is not None:
        return _gone(play, *gone)
    start = _start(play, at)
    if isinstance(start.outcome, Refused):
        raise CannotBeginError(start.outcome.reasons)
    if play.objectives:
        best = best_of(play, answers, start, most, heed)
        refuse_faults(best.outlook, best.found)
        told = _told(play, best.found, best.values, best.outlook.certain_ways(best.found))
        return replace(told, best=best.outlook.at(0), beyond=best.beyond)
    if play.watched:
        return _counted(play, answers, start, most, heed)
    together = None if at is not None else _together(play, start, answers, most, heed)
    if together is not None:
        if every is not None:
            every.followed(together.moments)
        return together
    followed = follow(start, answers, most, heed)
    found, beyond = followed.found, followed.beyond
    told = _told(play, found, values_of(play, found), found.ways)
    rarest = _rarest(told)
    if beyond > NEXT_TO_NONE * rarest:
        beyond = followed.rarer(NEXT_TO_NONE * rarest)
        if beyond > NEXT_TO_NONE * rarest:
            found, beyond = explore(_start(play, at), answers, most, heed), _NONE
            told = _told(play, found, values_of(play, found), found.ways)
    return replace(told, beyond=_bound(beyond / rarest))


def _bound(share: Fraction) -> Fraction:
    """A share that is hardly more, in few figures."""
    return Fraction(1, int(1 / share)) if share else share


def _rarest(told: Odds) -> Fraction:
    """How likely the plays of which the least likely is asked are."""
    return min([each.given or _ONE for each in told.distributions], default=_ONE)


def _counted(play: PlayToMeasure, answers: Answering, start: Run, most: int, heed: Heed) -> Odds:
    """The odds of plays on whose way something is counted: of each measure told apart by what that asks for alone.

    Raises:
        UncountedError: it comes too often, or plays that are asked of are too rare.
    """
    followed = follow(start, answers.each_step, most, heed)
    apart: dict[frozenset[int], list[int]] = {}
    for number in range(play.told):
        apart.setdefault(ways_of(play.only((number,))), []).append(number)
    found: dict[int, Distribution] = {}
    whole: list[Odds] = []
    for numbers in apart.values():
        told = _counted_alone(play.only(numbers), followed, most)
        whole.append(told)
        for number, each in zip(numbers, told.distributions, strict=True):
            found[number] = replace(each, measure=play.measures[number])
    least = min(whole, key=lambda each: each.open)
    beyond, open_ = max(each.beyond for each in whole), max(each.open for each in whole)
    told_ = tuple(found[number] for number in range(play.told))
    return replace(least, distributions=told_, moments=len(followed.found.ways), beyond=beyond, open=open_)


def _counted_alone(play: PlayToMeasure, followed: Followed, room: int) -> Odds:
    """The odds of some measures, of plays that were followed without what came on the way to each moment."""
    share, beyond = NEXT_TO_NONE, followed.beyond
    for _ in range(_TRIES):
        apart = counted(followed.found, enough(play), room, share)
        if apart is None:
            raise UncountedError(*_too_often(play, followed.found))
        told = _told(play, apart.found, values_of(play, apart.found), apart.found.ways)
        rarest = _rarest(told)
        left_out = (beyond + (share if apart.cut else _NONE)) / rarest
        if left_out <= _LITTLE:
            break
        share = NEXT_TO_NONE * rarest
        beyond = followed.rarer(share)
    else:
        raise UncountedError(*_too_rare(play, rarest))
    if apart.cut:
        known = not (told.open or told.never or told.faults)
        means = means_of(followed.found, len(play.watched)) if known else ()
        cut = [_cut(play, number, each, means) for number, each in enumerate(told.distributions)]
        told = replace(told, distributions=tuple(cut))
    return replace(told, beyond=_bound(left_out))


_TRIES = 2
"""So often plays are counted: again, and further, once it is known how rare those are that are asked of."""
_LITTLE = 1000 * NEXT_TO_NONE
"""A share of the plays that are asked of which may be left out."""


def _too_often(play: PlayToMeasure, found: Explored) -> tuple[str, str]:
    """Why counts are too many, and what helps; with the averages that are known."""
    means = means_of(found, len(play.watched))
    asked = sorted(ways_of(play))
    several = " and ".join(f"`{visible(str(play.watched[each]))}`" for each in asked)
    one = f"`{visible(str(play.watched[asked[0]]))}`"
    known = [f"`{visible(str(play.watched[each]))}` is {_about(means[each])} on average" for each in asked if means]
    message = f"{several} can be more different numbers than are counted"
    return message, "; ".join((f"ask how likely more than a number is, such as {one[:-1]} > 9`", *known))


def _about(mean: Fraction) -> str:
    return str(mean) if mean.denominator < _READ else f"about {float(mean):.6g}"


_READ = 10**6


def _too_rare(play: PlayToMeasure, share: Fraction) -> tuple[str, str]:
    """Why plays that are asked of are too rare, and what helps."""
    asked = visible(" and ".join(play.conditions))
    message = f"`{asked}` holds in fewer than 1 play in {_figures(share)}, and plays left out may be among them"
    return message, "ask for plays that come more often, or lower the bound of the loop: all plays are followed to it"


def _figures(share: Fraction) -> str:
    whole = int(1 / share)
    return f"{whole:,}" if whole < _LONG else f"10^{len(str(whole)) - 1}"


def _cut(play: PlayToMeasure, number: int, found: Distribution, means: Sequence[Fraction]) -> Distribution:
    """What a measure comes to, if it asks how often something came that is counted only so far; with its mean."""
    if not any(each.way is not None for each in play.given[number]):
        return found
    asked = play.begun.executable.program.measures[play.names[number]].value
    mean = mean_of(asked, means) if means and found.measure.given is None else None
    return replace(found, is_cut=True, expected=mean)


def _start(play: PlayToMeasure, at: Run | None) -> Run:
    """Where the play is followed from; one that is over is never gone on from, and may be looked at as it is."""
    if at is None:
        return started(play.begun)
    return _again(at)


def _again(run: Run) -> Run:
    """A run to be gone on with once more; one that is over is never gone on with."""
    return run.fork() if isinstance(run.outcome, Paused) else run


def _gone(play: PlayToMeasure, likely: Sequence[Mapping[Value, Fraction]], ways: int) -> Odds:
    """The odds of plays every way of which was gone."""
    told = [_distribution(*each, _NONE) for each in zip(play.measures, likely, strict=False)]
    return Odds(tuple(told[: play.told]), {}, _NONE, _NONE, ways)


def _together(play: PlayToMeasure, start: Run, answers: Answering, most: int, heed: Heed) -> Odds | None:
    """The odds of plays that are followed together; none where they cannot be."""
    if start.executable.traced or not answers.forgets or not isinstance(start.outcome, Paused) or start.promises_rounds:
        return None
    found = _followed(play, start, answers, most, heed, Sums())
    if found is None:
        return None
    told, sums = found
    if not sums.cut:
        return told
    further = [_followed(play, start, answers, most, heed, Sums(deeper)) for deeper in (1, 2)]
    if sums.cut * GOES_ON > NEXT_TO_NONE * min([each.given for each in told.distributions], default=_ONE):
        return None
    deeper = [each[0].distributions for each in further if each is not None and each[1].cut == sums.cut]
    if len(deeper) < len(further):
        return None
    whole = [endless(each, sums.rates) for each in zip(told.distributions, *deeper, strict=True)]
    return replace(told, distributions=tuple(whole), beyond=NEXT_TO_NONE, explodes=True)


def _followed(  # noqa: PLR0913, PLR0917
    play: PlayToMeasure, start: Run, answers: Answering, most: int, heed: Heed, sums: Sums
) -> tuple[Odds, Sums] | None:
    """As `_together`, with what is known of sums of dice."""
    at_ends = AtEnds(play)
    while True:
        told, sums.cut = Told(play), 0
        following = Together(answers, most, heed, told, sums, at_ends.values)
        try:
            following.follow(start)
        except AskedMoreError:
            continue
        except LookedError:
            if sums.apart:
                return None
            sums.apart = True
            continue
        except (TogetherError, UndecidedError, UnseenError, TooManyOutcomesError, Wanted):
            return None
        return told.odds(following.moments), sums


def endless(found: Sequence[Distribution], rates: Collection[Fraction]) -> Distribution:
    """What a measure comes to where dice explode without limit, by what it comes to with three limits in a row.

    Of each value the likelihood without limit is known where a higher limit adds what a geometric series does. Of
    numbers without bound the highest that hardly any play reaches are put together.
    """
    first, *others = found
    if all(each.likely == first.likely for each in others):
        return first
    if all(each.likely.keys() == first.likely.keys() for each in others):
        limits = {value: _limit([each.likely[value] for each in found], rates) for value in first.likely}
        known = {value: limit for value, limit in limits.items() if limit is not None}
        if len(known) == len(limits) and sum(known.values()) == 1:
            return replace(first, likely=known)
    means = [each.mean for each in found]
    known_means = [each for each in means if each is not None]
    expected = _limit(known_means, rates) if len(known_means) == len(found) and first.measure.given is None else None
    return replace(first, likely=_up_to(first), is_cut=True, expected=expected)


def _limit(terms: Sequence[Fraction], rates: Collection[Fraction]) -> Fraction | None:
    """What three terms in a row come to in the end: they stay as they are, or add what a geometric series does."""
    first, second, third = terms
    step, next_ = second - first, third - second
    if not step:
        return None if next_ else first
    return first + step * step / (step - next_) if next_ / step in rates else None


def _up_to(found: Distribution) -> Mapping[Value, Fraction]:
    """The values of numbers, those that hardly any play reaches put together as the lowest of them; others as is."""
    if not found.measure.is_number or None in found.likely:
        return found.likely
    left, beyond = [*found.likely.items()], _NONE
    while left and beyond + left[-1][1] <= NEXT_TO_NONE:
        least, share = left.pop()
        beyond += share
    return {**dict(left), least: beyond} if beyond else found.likely


class Told:
    """Adds up what plays come to."""

    def __init__(self, play: PlayToMeasure) -> None:
        self._play = play
        # by value, how often by of how many times
        self._likely: tuple[dict[Value, dict[int, int]], ...] = tuple({} for _ in range(play.told))
        self._faults: dict[tuple[str, str], Fraction] = {}

    def add(self, values: Sequence[Any], likely: Fraction) -> None:
        """What is asked comes to values, which may hang on lots, in plays that are so likely.

        Raises:
            Undecided: part of a value hangs on lots; then nothing was added.
        """
        often, of = likely.as_integer_ratio()
        for found, (came, times) in zip(self._likely, [_came(value) for value in values], strict=False):
            for each, many in came.items():
                shares = found.setdefault(each, {})
                shares[times * of] = shares.get(times * of, 0) + often * many

    def over(self, over: Faulted | Refused, likely: Fraction) -> None:
        """A play cannot be carried on that is so likely."""
        why = _why(over, self._play.begun)
        self._faults[why] = self._faults.get(why, Fraction(0)) + likely

    def odds(self, moments: int, never: Fraction = _NONE, open_: Fraction = _NONE) -> Odds:
        """The odds, with how likely plays never end and how likely they come beyond the limit."""
        found = [{value: _summed(shares) for value, shares in of.items()} for of in self._likely]
        told = zip(self._play.measures, found, strict=False)
        return Odds(tuple(_distribution(*each, open_) for each in told), self._faults, never, open_, moments)


def _distribution(measure: AskedMeasure, likely: Mapping[Value, Fraction], open_: Fraction) -> Distribution:
    """What a measure comes to, in the plays of which it is asked."""
    if measure.given is None:
        return Distribution(measure, _ordered(likely), open=open_)
    asked = among(likely)
    given = sum(asked.values(), _NONE)
    most = given + open_
    shares = {value: each / most for value, each in asked.items()}
    return Distribution(measure, _ordered(shares), given, open_ / most if most else _NONE)


def _summed(shares: Mapping[int, int]) -> Fraction:
    """Fractions with these numerators, by denominator, added up."""
    of = lcm(*shares)
    return Fraction(sum([many * (of // times) for times, many in shares.items()]), of)


def _came(value: Any) -> tuple[dict[Value, int], int]:
    """How often each value comes that one may be, and of how many times."""
    if not isinstance(value, Later):
        return {value: 1}, 1
    weights = ways(value.lots)
    came: dict[Value, int] = {}
    for each, many in zip(value.values, weights, strict=True):
        came[each] = came.get(each, 0) + many
    return came, sum(weights)


@dataclass(frozen=True, slots=True)
class Best:
    """Best play, in the moments in which it was looked for."""

    found: Explored  # them
    values: Values  # what is asked, at their ends
    outlook: Outlook  # what best play comes to
    beyond: Fraction = _NONE  # as `Odds.beyond`


def best_of(  # noqa: PLR0913, PLR0917
    play: PlayToMeasure,
    answers: Answering,
    start: Run,
    most: int,
    heed: Heed,
    from_: Callable[[Explored], Iterable[int]] = lambda _: (0,),
) -> Best:
    """Best play, in as many moments as make it certain from some of them on, or in all or the most.

    Where all who choose want the most of one thing, loops that promise many rounds have no bounds, if hardly any best
    play comes to them (`loops.Rounds`): no play is then worth more with bounds than without.

    All are followed where a script answers, of which it is asked what is left over, where what is wanted has no bounds,
    and where two want something: what they want of each other is known once all ends are.

    Raises as `odds`.
    """
    (number, *others) = play.objectives.values()
    whole = (
        others or play.measures[number].bounds is None or (isinstance(answers, Answers) and answers.script is not None)
    )
    first = most if whole else _AT_FIRST
    if not others and not play.against and isinstance(start.outcome, Paused) and start.promises_rounds:
        rounds = Rounds()
        best = _best_in(play, explored(start.fork(), answers, first, most, heed, rounds), from_, is_endless=True)
        ways = best.outlook.least.ways(best.found)
        beyond = max(rounds.beyond(best.found, ways, each) for each in from_(best.found))
        if beyond <= NEXT_TO_NONE and best.outlook.always_ends:
            return replace(best, beyond=beyond)
    return _best_in(play, explored(start, answers, first, most, heed), from_, is_endless=False)


def _best_in(
    play: PlayToMeasure, more: Iterator[Explored], from_: Callable[[Explored], Iterable[int]], *, is_endless: bool
) -> Best:
    """Best play in the first of the moments that make it certain, or in the last."""
    for found in more:
        values = values_of(play, found)
        outlook = best_play(play, found, values, is_endless=is_endless)
        if all(outlook.is_certain(found, each) for each in from_(found)):
            break
    return Best(found, values, outlook)


_AT_FIRST = 2_000
"""After so many moments it is looked for the first time whether best play is certain."""


def values_of(play: PlayToMeasure, found: Explored) -> Values:
    """What every measure is worth at each end."""
    return {
        number: play.values(end, found.told[number]) for number, end in found.ends.items() if isinstance(end, Ended)
    }


def _told(play: PlayToMeasure, found: Explored, values: Values, ways: Sequence[Ways]) -> Odds:
    """The odds of moments that lead on in some ways."""
    came, told, open_ = reached(ways), Told(play), _NONE
    for number, share in came.ends.items():
        match found.ends.get(number):
            case Ended():
                told.add(values[number], share)
            case None:
                open_ += share
            case over:
                told.over(over, share)
    return told.odds(len(found.ways), came.never, open_)


def choices(begun: Begun, answers: Answers, most: int) -> Mapping[str, str]:
    """What players decide in a play, as far as so many moments show it: prompts by address."""
    start = started(begun)
    noting = Choices(answers, {})
    try:
        explore(start, noting, most)
    except (UndecidedError, UnseenError, TooManyOutcomesError):
        return noting.met
    return noting.met


def left_over(play: PlayToMeasure, answers: Answers, left: Sequence[Line]) -> tuple[Diagnostic, ...]:
    """What is wrong with answers of a script that no play takes: RW0743; of several in order the first is told.

    Those by address may say what answered itself; RW0731 where it was another answer.
    """
    script = answers.script
    if not left or script is None or script.ordered:
        return untaken(left, ordered=True)
    noting = Forced(answers, tuple(each for each in left if isinstance(each.place, Key)), {})
    try:
        explore(started(play.all_put().begun), noting, _LOOKED)
    except (UndecidedError, UnseenError, TooManyOutcomesError):
        return ()
    unlike = tuple(filter(None, noting.met.values()))
    return untaken([each for each in left if id(each) not in noting.met], ordered=False) + unlike


_LOOKED = 2_000
"""So many moments are looked at for questions that answer themselves."""


def unknown(error: UndecidedError | TooManyOutcomesError, *, decided: bool) -> tuple[str, str]:
    """The code and the message of why odds are not known; `decided` says whether somebody chooses for players.

    RW1121, nobody decides something; RW1122, something comes from elsewhere; RW1123, one roll or draw has too many
    outcomes; RW1224, what is counted comes too often.
    """
    if isinstance(error, TooManyOutcomesError):
        return _too_many(error)
    request = error.paused.request
    called = f"`{visible(request.prompt or request.address)}`"
    if request.sort not in DECISIONS:
        return "RW1122", f"no rule gives the result of {called}"
    if error.is_too_much:
        return "RW1121", f"{called} has more than {MOST_JUDGED:,} legal answers, too many to be followed"
    if decided:
        return "RW1121", f"{called} has no legal answer that was found"
    return "RW1121", f"the choice {called} is left open"


def _too_many(error: TooManyOutcomesError) -> tuple[str, str]:
    if isinstance(error, UncountedError):
        return "RW1224", error.why
    where = f"`{visible(error.address)}`" if error.address else "a roll, draw or shuffle"
    if error.is_endless:
        return "RW1123", f"the dice of {where} explode without limit, so they can lie in ways without end"
    because = f": `{visible(error.because)}` looks at the order of a deck or copies one" if error.because else ""
    ways_ = f"{_count(error.count)} ways that make a difference, more than a million"
    return "RW1123", f"{where} can go in {ways_}{because}"


LIMIT_EXPLOSIONS = "give the explosion a limit on that line: `at most 5` in place of `without limit`"
"""What helps where dice explode without limit."""


def _count(count: int) -> str:
    """A number of any size: `68,923,264,410`, or `more than 10^52`."""
    return f"{count:,}" if count < _LONG else f"more than 10^{len(str(count)) - 1}"


_LONG = 10**15


def _why(over: Faulted | Refused, begun: Begun) -> tuple[str, str]:
    """The code and message of a fault; of what is refused once an external has answered the reasons alone."""
    if isinstance(over, Faulted):
        return over.code, over.message
    return "", "; ".join(reason(each, begun.names) for each in over.reasons)


def _ordered(likely: Mapping[Value, Fraction]) -> dict[Value, Fraction]:
    return {value: likely[value] for value in from_least(likely)}


def from_least(values: Iterable[Value]) -> list[Value]:
    """Numbers and flags from the least, then all else by how it is written; no value last."""
    return sorted(values, key=_placed)


def _placed(value: Value) -> tuple[int, object]:
    if isinstance(value, bool | int | Fraction):
        return 0, value
    return (2, "") if value is None else (1, repr(value))
