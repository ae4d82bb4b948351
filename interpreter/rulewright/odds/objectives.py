"""What players want, and what a play is worth to them when those who want something play for the best."""

import re
from collections.abc import Mapping, Set as AbstractSet
from fractions import Fraction

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.machine.request import Ended, Faulted
from rulewright.machine.values import Value
from rulewright.odds.best_play import Solved, may_go_on_for_ever, solved
from rulewright.odds.chain import Ways, parts, reached
from rulewright.odds.exploration import Explored
from rulewright.odds.loops import is_bound
from rulewright.odds.measures import AskedMeasure, PlayToMeasure

_NOT_SAID, _NEITHER, _NOT_FOUND = "RW1127", "RW1128", "RW1130"

Values = Mapping[int, tuple[Value, ...]]
"""What every measure is worth, by the number of an end."""


@dataclass(frozen=True, slots=True)
class BestPlay:
    """What a play is worth to a player who plays for the best."""

    player: int  # their number
    measure: AskedMeasure  # what they want the most of
    low: Fraction  # what it is on average, at least
    high: Fraction  # the same, at most; the two differ where not all moments were gone on from


class NoBestPlayError(Exception):
    """Best play cannot be worked out."""

    def __init__(self, found: Diagnostic, *, is_unknown: bool = False) -> None:
        super().__init__()
        self.found = found  # why
        self.is_unknown = is_unknown  # whether it is only because a limit was hit


def _none(code: str, message: str, remedy: str, *, is_unknown: bool = False) -> NoBestPlayError:
    return NoBestPlayError(Diagnostic(code, Severity.ERROR, message, help=remedy), is_unknown=is_unknown)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a player wants, as a multiple of what the first wants and a number: of the same 1, of the opposite -1."""

    player: int
    measure: AskedMeasure
    side: int
    more: Fraction


@dataclass(frozen=True, slots=True)
class Outlook:
    """What best play comes to."""

    least: Solved  # where what is not known is as bad as can be
    most: Solved  # where it is as good as can be
    wishes: tuple[_Wish, ...]  # of the players who have an objective
    faulty: frozenset[int]  # moments at which a play is over by a fault
    always_ends: bool  # whether from every moment a play is worth as much as some end, though it may go on for ever
    sides: Mapping[int, int]  # by player who chooses 1 where they want what the first wants, -1 where the opposite

    def at(self, moment: int) -> tuple[BestPlay, ...]:
        """What play is worth to each player from a moment on."""
        low, high = self.least.worth[moment], self.most.worth[moment]
        return tuple(
            BestPlay(each.player, each.measure, *sorted((each.side * low + each.more, each.side * high + each.more)))
            for each in self.wishes
        )

    def is_certain(self, found: Explored, moment: int) -> bool:
        """Whether best play from a moment on is the same, and worth the same, whatever comes of what is not known."""
        least, most = self.least, self.most
        return all(
            least.worth[each] == most.worth[each] and least.taken.get(each) == most.taken.get(each)
            for part in parts(least.ways(found), moment)
            for each in part
        )

    def certain_ways(self, found: Explored) -> tuple[Ways, ...]:
        """Where moments lead under best play; nowhere those of which it is not known what is best."""
        ways = list(self.least.ways(found))
        sides = self.sides
        for number, choice in found.choices.items():
            at, side = self.least.taken[number], sides[choice.player]
            low, high = (self.least, self.most) if side > 0 else (self.most, self.least)
            own = side * low.worth[choice.leads[at]]
            if any(own < side * high.worth[to] for place, to in enumerate(choice.leads) if place != at):
                ways[number] = ()
        return tuple(ways)

    def meets_fault(self, found: Explored, moment: int) -> bool:
        """Whether best play from a moment on may be over by a fault, which is worth nothing known."""
        plays = (self.least, self.most) if self.faulty else ()
        return any(not self.faulty.isdisjoint(reached(each.ways(found), moment).ends) for each in plays)


def best_play(play: PlayToMeasure, found: Explored, values: Values, *, is_endless: bool = False) -> Outlook:
    """What best play comes to.

    With `is_endless` loops have no bounds in these moments, all who choose want the same, and a play that never ends
    is worth less than any end.

    Raises:
        NoBestPlayError: an objective has no value somewhere (RW1127); objectives are neither the same nor opposed
            (RW1128); plays may go on for ever, or too little of them was seen (RW1130).
    """
    if not is_endless and may_go_on_for_ever(found):
        message = "players can go on for ever, so not every play has a value"
        raise _none(_NOT_FOUND, message, "bound the loop in the rules: `at most N`")
    wanted = {player: _worth(play.measures[number], number, values) for player, number in play.objectives.items()}
    first = next(iter(wanted.values()))
    is_cut = any(
        not each and number not in found.choices and number not in found.ends for number, each in enumerate(found.ways)
    )
    wishes = tuple(_wish(play, player, each, first, is_cut=is_cut) for player, each in wanted.items())
    sides = {each.player: each.side for each in wishes} | dict.fromkeys(play.against, -1)
    return _solved(wishes, found, first, sides, is_endless=is_endless)


_Worths = Mapping[int, Fraction]
"""What an objective is worth, by the number of an end."""


def _worth(measure: AskedMeasure, number: int, values: Values) -> _Worths:
    found: dict[int, Fraction] = {}
    for end, each in values.items():
        value = each[number]
        if not isinstance(value, int | Fraction):
            message = f"`{visible(measure.text)}` has no value at some end, so it is not known what that is worth"
            raise _none(_NOT_SAID, message, "ask for what has a value at every end")
        found[end] = Fraction(value)
    return found


def _wish(play: PlayToMeasure, player: int, own: _Worths, first: _Worths, *, is_cut: bool) -> _Wish:
    measure, of_first = play.measures[play.objectives[player]], play.measures[next(iter(play.objectives.values()))]
    by_text = _side(measure.text.strip(), of_first.text.strip())
    if is_cut and by_text:
        return _Wish(player, measure, by_text, Fraction(0))
    if is_cut:
        message = "too few moments were followed to know whether players want the same or the opposite"
        raise _none(_NOT_FOUND, message, "`--most N` follows more of them", is_unknown=True)
    for side in (1, -1):
        more = {own[end] - side * worth for end, worth in first.items()}
        if len(more) <= 1:
            return _Wish(player, measure, side, next(iter(more), Fraction(0)))
    message = "players want neither the same nor the opposite, so it is not known what they expect of each other"
    remedy = "give one of them a policy, `--policy PLAYER=first`, or objectives that add up to the same at every end"
    raise _none(_NEITHER, message, remedy)


def _side(text: str, first: str) -> int:
    """1 where two expressions are written alike, -1 where one is the other with `-` before it, else 0."""
    if text == first:
        return 1
    shorter, longer = sorted((text, first), key=len)
    return -1 if _NAME.fullmatch(shorter) and longer.replace(" ", "") == f"-{shorter}" else 0


_NAME = re.compile(r"[A-Za-z_][\w.]*")


def _solved(
    wishes: tuple[_Wish, ...], found: Explored, ends: _Worths, sides: Mapping[int, int], *, is_endless: bool
) -> Outlook:
    """Best play as if what is not known were as bad as can be, and as if it were as good."""
    measure = wishes[0].measure
    terminal = [number for number, each in enumerate(found.ways) if not each and number not in found.choices]
    faulty = {number for number in terminal if number in found.ends and not isinstance(found.ends[number], Ended)}
    beyond = {number for number in terminal if number not in found.ends}
    bounds = measure.bounds or (None if beyond or not ends else (min(ends.values()), max(ends.values())))
    if bounds is None:
        message = "too few moments were followed to work out best play"
        raise _none(_NOT_FOUND, message, "`--most N` follows more of them", is_unknown=True)
    low, high = bounds
    never = low - 1 if is_endless else None
    opposed = -1 in sides.values()
    least = solved(found, {**ends, **dict.fromkeys(faulty | beyond, low)}, sides, never)
    if faulty and not opposed and _meets(least, found, faulty):
        # the same worth without a fault, where there are equal answers
        other = solved(found, {**ends, **dict.fromkeys(beyond, low), **dict.fromkeys(faulty, low - 1)}, sides, never)
        least = least if _meets(other, found, faulty) or other.worth[0] != least.worth[0] else other
    bound = {each for each in faulty if is_bound(found.ends[each])}
    # what goes on at the bound of a loop may be worth anything; another fault counts as the least, as it is refused
    unknown = beyond | (faulty if opposed else bound if _meets(least, found, bound) else set())
    good = dict.fromkeys(faulty, low) | dict.fromkeys(unknown, high)
    most = solved(found, {**ends, **good}, sides, never) if unknown else least
    always_ends = all(each >= low for each in least.worth.values())
    return Outlook(least, most, wishes, frozenset(faulty), always_ends, sides)


def _meets(best: Solved, found: Explored, moments: AbstractSet[int]) -> bool:
    """Whether best play from the beginning comes to any of some moments."""
    return bool(moments) and not moments.isdisjoint(reached(best.ways(found)).ends)


def refuse_faults(outlook: Outlook, found: Explored) -> None:
    """Best play from the beginning is over by no fault, but where a loop goes on at its bound: that leaves bounds.

    Raises:
        NoBestPlayError: it may be (RW1130).
    """
    met = sorted(each for each in outlook.faulty if not is_bound(found.ends[each]))
    plays = (outlook.least, outlook.most)
    if any(_meets(each, found, frozenset(met)) for each in plays):
        over = found.ends[met[0]]
        why = f"{over.code}: {over.message}" if isinstance(over, Faulted) else "the procedure cannot begin"
        message = f"best play meets an end whose value is not known: {visible(why)}"
        raise _none(_NOT_FOUND, message, "mend the rules there, or begin where no play reaches it")
