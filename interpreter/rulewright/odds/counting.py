"""How often things come on the way: each step of a chain says it, so that a loop needs no moments of its own for it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf, log
from typing import NamedTuple

from rulewright.machine.outcomes import TooManyOutcomesError
from rulewright.odds.chain import Ways, arrivals, parts, reached
from rulewright.odds.exploration import Explored
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.watching import number_of_times
from rulewright.program import expressions as ex
from rulewright.roles import nodes

Times = tuple[int, ...]
"""How often each of what is watched came."""
_FIRST = 32
"""So often a thing is counted at first, where a loop has no bound."""
_LAST = 1_024
"""So often it is counted at most."""
_HOPELESS = 4
"""So many times as often it would have to be counted where counting ends at once."""
_NONE = Fraction(0)


class Counted(NamedTuple):
    """Moments told apart by how often things came before them, too."""

    found: Explored  # them
    most: Sequence[int | None]  # so often and more often is the same; none where each time counts
    cut: Fraction  # the share of plays in which something came more often than was counted


class UncountedError(TooManyOutcomesError):
    """Things come so often, or plays that are asked of so seldom, that odds cannot be counted.

    Attributes:
        why: it, in words.
        help: what helps.
    """

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(0)
        self.why, self.help = why, remedy


def ways_of(play: PlayToMeasure) -> frozenset[int]:
    """The numbers of what is watched that is asked for."""
    return frozenset(each.way for given in play.given for each in given if each.way is not None)


def enough(play: PlayToMeasure) -> tuple[int | None, ...]:
    """From how often on it makes no difference how often each thing came: it is only compared with numbers."""
    measures = play.begun.executable.program.measures
    highest: dict[int, int] = {}
    open_ = set[int]()
    for name in play.names:
        within = [*nodes(measures[name].value)]
        compared: dict[int, int] = {}
        for each in within:
            for one, other in _sides(each):
                compared[id(one)] = max(compared.get(id(one), 0), other)
        for each in within:
            number = number_of_times(each.variable.name) if isinstance(each, ex.Local) else None
            if number is not None and id(each) in compared:
                highest[number] = max(highest.get(number, 0), compared[id(each)] + 1)
            elif number is not None:
                open_.add(number)
    return tuple(None if at in open_ else highest.get(at, 0) for at in range(len(play.watched)))


def mean_of(asked: ex.Expression, means: Sequence[Fraction]) -> Fraction | None:
    """The mean of a sum of counts, each so many times, and of numbers; none of anything else."""
    match asked:
        case ex.Literal(value=int() | Fraction() as value) if not isinstance(value, bool):
            return Fraction(value)
        case ex.Local(variable=variable):
            number = number_of_times(variable.name)
            return None if number is None or number >= len(means) else means[number]
        case ex.Arithmetic(operator="+" | "-" | "*" as operator, left=left, right=right):
            one, other = mean_of(left, means), mean_of(right, means)
            if one is None or other is None:
                return None
            if operator == "*":
                return one * other if ex.Literal in {type(left), type(right)} else None
            return one + other if operator == "+" else one - other
        case _:
            return None


def _sides(node: object) -> Sequence[tuple[object, int]]:
    """What is compared with a whole number, and with which."""
    if not isinstance(node, ex.Comparison):
        return ()
    both = (node.left, node.right), (node.right, node.left)
    return [
        (one, max(other.value, 0))
        for one, other in both
        if isinstance(other, ex.Literal) and isinstance(other.value, int)
    ]


def counted(found: Explored, most: Sequence[int | None], room: int, next_to_none: Fraction) -> Counted | None:
    """Moments that know how often things came in the last step alone, told apart by how often they came at all.

    Where a loop may bring something as often as it goes round, it is counted until no more plays than `next_to_none`
    go on. None where that is too often, or where there are too many such moments for the room; where no loop does, what
    is beyond the room leads nowhere and is no end.
    """
    endless = _endless(found)
    uncounted = [at for at, each in enumerate(most) if each is None and at in endless]
    if any(each is not None and each > _LAST for at, each in enumerate(most) if at in endless):
        return None
    if not uncounted:
        return Counted(_apart(found, most, room), most, _NONE)
    upto = _FIRST
    while upto <= _LAST:
        told = _apart(found, [upto if at in uncounted else each for at, each in enumerate(most)], room)
        if len(told.ways) > room:
            return None
        came = reached(told.ways).ends
        each_tail = next_to_none / len(uncounted)
        tails = {at: _tail(came, told.told, at, each_tail) for at in uncounted}
        if all(least < upto for least, _ in tails.values()):
            limits = [tails[at][0] if at in tails else each for at, each in enumerate(most)]
            cut = sum((share for _, share in tails.values()), _NONE)
            return Counted(_apart(found, limits, room), limits, cut)
        if any(_until(came, told.told, at, upto, each_tail) > _HOPELESS * _LAST for at in uncounted):
            return None
        upto *= 2
    return None


def _until(
    came: Mapping[int, Fraction], told: Mapping[int, Times], at: int, upto: int, next_to_none: Fraction
) -> float:
    """About how often a thing is to be counted, as the second half of what was counted goes on."""
    half, whole = (
        float(sum((share for end, share in came.items() if end in told and told[end][at] >= least), _NONE))
        for least in (upto // 2, upto)
    )
    if not 0 < whole < half:
        return inf if whole else 0
    return upto + (upto - upto // 2) * log(float(next_to_none) / whole) / log(whole / half)


def _tail(
    came: Mapping[int, Fraction], told: Mapping[int, Times], at: int, next_to_none: Fraction
) -> tuple[int, Fraction]:
    """The lowest number that hardly any play reaches, and the share of plays that do."""
    shares: dict[int, Fraction] = {}
    for end, share in came.items():
        if end in told:
            shares[told[end][at]] = shares.get(told[end][at], _NONE) + share
    beyond, least = _NONE, max(shares, default=0) + 1
    for times in sorted(shares, reverse=True):
        if beyond + shares[times] > next_to_none:
            break
        beyond, least = beyond + shares[times], times
    return least, beyond


def _endless(found: Explored) -> set[int]:
    """What a loop may bring as often as it goes round."""
    endless = set[int]()
    for part in parts(found.ways, 0):
        if len(part) > 1 or any(to == part[0] for _, to in found.ways[part[0]]):
            endless |= {at for moment in part for at, times in enumerate(found.told[moment]) if times}
    return endless


def means_of(found: Explored, many: int) -> Sequence[Fraction]:
    """How often each of so many things comes on average; nothing where some play may never end."""
    often = arrivals(found.ways)
    if often is None:
        return ()
    return [sum((share * found.told[moment][at] for moment, share in often.items()), _NONE) for at in range(many)]


def _apart(found: Explored, limits: Sequence[int | None], room: int) -> Explored:
    """The moments told apart by how often things came, at most so often as counts; hardly more than there is room for.

    Those beyond lead nowhere.
    """

    def after(before: Times, moment: int) -> Times:
        came = zip(before, found.told[moment], limits, strict=True)
        return tuple([old + new if limit is None else min(old + new, limit) for old, new, limit in came])

    first = 0, after((0,) * len(limits), 0)
    numbers, waiting = {first: 0}, [first]
    ways: list[Ways] = []
    for moment, times in waiting:
        leads: list[tuple[Fraction, int]] = []
        for likely, to in found.ways[moment] if len(waiting) <= room else ():
            then = to, after(times, to)
            if then not in numbers:
                numbers[then] = len(waiting)
                waiting.append(then)
            leads.append((likely, numbers[then]))
        ways.append(leads)
    ends = {number: found.ends[moment] for (moment, _), number in numbers.items() if moment in found.ends}
    told = {number: times for (moment, times), number in numbers.items() if moment in found.ends}
    return Explored(tuple(ways), {}, ends, told)
