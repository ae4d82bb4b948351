"""How often things come on the way: each step of a chain says it, so that a loop needs no moments of its own for it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

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
_NONE = Fraction(0)


class Counted(NamedTuple):
    """Moments told apart by how often things came before them, too."""

    found: Explored  # them
    most: Sequence[int | None]  # so often and more often is the same; none where each time counts
    cut: Fraction  # the share of plays in which something came more often than was counted
    means: Sequence[Fraction]  # how often each comes on average


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
    return tuple(None if at in open_ else highest.get(at) for at in range(len(play.watched)))


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
    go on. None where there are too many such moments for the room, or where that takes too long.
    """
    endless = _endless(found)
    uncounted = [at for at, each in enumerate(most) if each is None and at in endless]
    means = _means(found, len(most))
    upto = _FIRST
    while True:
        limits = [upto if at in uncounted else each for at, each in enumerate(most)]
        told = _apart(found, limits, room)
        if told is None:
            return None
        if not uncounted:
            return Counted(told, limits, _NONE, means)
        came = reached(told.ways).ends
        tails = {at: _tail(came, told.told, at, next_to_none / len(uncounted)) for at in uncounted}
        if all(least < upto for least, _ in tails.values()):
            limits = [tails[at][0] if at in tails else each for at, each in enumerate(limits)]
            cut = sum((share for _, share in tails.values()), _NONE)
            told = _apart(found, limits, room)
            return None if told is None else Counted(told, limits, cut, means)
        upto *= 2
        if upto > _LAST:
            return None


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


def _means(found: Explored, many: int) -> Sequence[Fraction]:
    """How often each comes on average."""
    often = arrivals(found.ways)
    if often is None:
        return ()
    return [sum((share * found.told[moment][at] for moment, share in often.items()), _NONE) for at in range(many)]


def _apart(found: Explored, limits: Sequence[int | None], room: int) -> Explored | None:
    """The moments told apart by how often things came, at most so often as counts."""

    def after(before: Times, moment: int) -> Times:
        came = zip(before, found.told[moment], limits, strict=True)
        return tuple([old + new if limit is None else min(old + new, limit) for old, new, limit in came])

    first = 0, after((0,) * len(limits), 0)
    numbers, waiting = {first: 0}, [first]
    ways: list[Ways] = []
    for moment, times in waiting:
        leads: list[tuple[Fraction, int]] = []
        for likely, to in found.ways[moment]:
            then = to, after(times, to)
            if then not in numbers:
                numbers[then] = len(waiting)
                waiting.append(then)
            leads.append((likely, numbers[then]))
        ways.append(leads)
        if len(waiting) > room:
            return None
    ends = {number: found.ends[moment] for (moment, _), number in numbers.items() if moment in found.ends}
    told = {number: times for (moment, times), number in numbers.items() if moment in found.ends}
    return Explored(tuple(ways), {}, ends, told)
