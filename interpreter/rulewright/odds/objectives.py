"""What players want, and what a play is worth to them when those who want something play for the best."""

from collections.abc import Mapping
from fractions import Fraction

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.machine.request import Ended, Faulted
from rulewright.machine.values import Value
from rulewright.odds.best_play import Solved, may_go_on_for_ever, solved
from rulewright.odds.chain import reached
from rulewright.odds.exploration import Explored
from rulewright.odds.measures import Measure, PlayToMeasure

_NOT_SAID, _NEITHER, _NOT_FOUND = "RW1127", "RW1128", "RW1130"

Values = Mapping[int, tuple[Value, ...]]
"""What every measure is worth, by the number of an end."""


@dataclass(frozen=True, slots=True)
class BestPlay:
    """What a play is worth to a player who plays for the best.

    Attributes:
        player: their number.
        measure: what they want the most of.
        low: what it is on average, at least.
        high: the same, at most; the two differ where not all moments were gone on from.
    """

    player: int
    measure: Measure
    low: Fraction
    high: Fraction


class NoBestPlayError(Exception):
    """Best play cannot be worked out.

    Attributes:
        found: why.
        is_unknown: whether it is only because a limit was hit.
    """

    def __init__(self, found: Diagnostic, *, is_unknown: bool = False) -> None:
        super().__init__()
        self.found = found
        self.is_unknown = is_unknown


def _none(code: str, message: str, remedy: str, *, is_unknown: bool = False) -> NoBestPlayError:
    return NoBestPlayError(Diagnostic(code, Severity.ERROR, message, help=remedy), is_unknown=is_unknown)


def best_play(play: PlayToMeasure, found: Explored, values: Values) -> tuple[Solved, tuple[BestPlay, ...]]:
    """What best play comes to, and what it is worth to each player who has an objective.

    Raises:
        NoBestPlayError: an objective has no value somewhere (RW1127); objectives are neither the same nor opposed
            (RW1128); plays may go on for ever, or best play meets a fault, or too little of it was seen (RW1130).
    """
    if may_go_on_for_ever(found):
        message = "players can go on for ever, so not every play is worth something"
        raise _none(_NOT_FOUND, message, "bound the loop in the rules: `at most N`")
    wanted = {player: _worth(play.measures[number], number, values) for player, number in play.objectives.items()}
    first, *_ = wanted
    sides = {player: _side(wanted[first], each) for player, each in wanted.items()}
    if None in sides.values():
        message = "players want neither the same nor the opposite, so it is not known what they expect of each other"
        remedy = (
            "give one of them a policy, `--policy PLAYER=first`, or objectives that add up to the same at every end"
        )
        raise _none(_NEITHER, message, remedy)
    solution, low, high = _solved(play.measures[play.objectives[first]], found, wanted[first], sides)
    told: list[BestPlay] = []
    for player, each in wanted.items():
        between = _between(each, wanted[first], sides[player], low, high)
        told.append(BestPlay(player, play.measures[play.objectives[player]], *between))
    return solution, tuple(told)


_Worths = Mapping[int, Fraction]
"""What an objective is worth, by the number of an end."""


def _worth(measure: Measure, number: int, values: Values) -> _Worths:
    found: dict[int, Fraction] = {}
    for end, each in values.items():
        value = each[number]
        if not isinstance(value, int | Fraction):
            message = f"`{visible(measure.text)}` has no value at some end, so it is not known what that is worth"
            raise _none(_NOT_SAID, message, "ask for what has a value at every end")
        found[end] = Fraction(value)
    return found


def _side(first: _Worths, other: _Worths) -> int | None:
    """1 where both want the same, -1 where they want the opposite, else none."""
    if len({other[end] - worth for end, worth in first.items()}) <= 1:
        return 1
    return -1 if len({other[end] + worth for end, worth in first.items()}) == 1 else None


def _between(
    own: _Worths, first: _Worths, side: int | None, low: Fraction, high: Fraction
) -> tuple[Fraction, Fraction]:
    """Between what a play is worth to a player, from what it is worth to the first."""
    end = next(iter(first), None)
    if side == 1:
        more = Fraction(0) if end is None else own[end] - first[end]
        return low + more, high + more
    whole = Fraction(0) if end is None else own[end] + first[end]
    return whole - high, whole - low


def _solved(
    measure: Measure, found: Explored, ends: _Worths, sides: Mapping[int, int | None]
) -> tuple[Solved, Fraction, Fraction]:
    """Best play as if what is not known were as bad as can be, what it is worth then, and if it were as good."""
    known = {player: side or 1 for player, side in sides.items()}
    terminal = [number for number, each in enumerate(found.ways) if not each and number not in found.choices]
    faulty = {number for number in terminal if number in found.ends and not isinstance(found.ends[number], Ended)}
    beyond = {number for number in terminal if number not in found.ends}
    bounds = measure.bounds or (None if beyond or not ends else (min(ends.values()), max(ends.values())))
    if bounds is None:
        message = "too few moments were gone on from to say anything of best play"
        raise _none(_NOT_FOUND, message, "`--most N` follows more of them", is_unknown=True)
    opposed = -1 in known.values()
    least = solved(found, {**ends, **dict.fromkeys(faulty | beyond, bounds[0])}, known)
    good = dict.fromkeys(beyond, bounds[1]) | dict.fromkeys(faulty, bounds[1] if opposed else bounds[0])
    most = solved(found, {**ends, **good}, known) if beyond or (opposed and faulty) else least
    _refuse_faults(found, (least, most) if opposed else (least,), faulty)
    return least, least.worth[0], most.worth[0]


def _refuse_faults(found: Explored, plays: tuple[Solved, ...], faulty: set[int]) -> None:
    for each in plays if faulty else ():
        met = next((number for number in reached(each.ways(found)).ends if number in faulty), None)
        if met is not None:
            over = found.ends[met]
            why = f"{over.code}: {over.message}" if isinstance(over, Faulted) else "the procedure cannot begin"
            message = f"best play meets an end that is worth nothing known: {visible(why)}"
            raise _none(_NOT_FOUND, message, "mend the rules there, or begin where no play comes to it")
