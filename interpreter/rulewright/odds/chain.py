"""Chains of chance: how likely each end is from the beginning, exactly, with loops."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from rulewright.frozen import dataclass

Ways = Sequence[tuple[Fraction, int]]
"""Where a moment leads: how likely, and to which other moment; likelihoods add up to 1."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How likely it is to come to each end, and how likely never to end."""

    ends: Mapping[int, Fraction]
    never: Fraction


def reached(ways: Sequence[Ways], start: int = 0) -> Reached:
    """Where a chain comes to; a moment that leads nowhere is an end.

    Moments that lead back to each other are left one by one: what came in goes on as if the way back were already gone
    (state elimination), so that what comes out is exact.
    """
    mass: dict[int, Fraction] = {start: Fraction(1)}
    ends: dict[int, Fraction] = {}
    never = Fraction(0)
    for part in reversed([*_parts(ways, start)]):
        here = {each: mass.pop(each) for each in part if each in mass}
        if len(part) == 1 and not any(to == part[0] for _, to in ways[part[0]]):
            (moment,) = part
            if not ways[moment]:
                ends[moment] = here[moment]
                continue
            for likely, to in ways[moment]:
                mass[to] = mass.get(to, Fraction(0)) + here[moment] * likely
            continue
        left, lost = _left(part, ways, here)
        never += lost
        for to, weight in left.items():
            mass[to] = mass.get(to, Fraction(0)) + weight
    return Reached(ends, never)


def _left(
    part: Sequence[int], ways: Sequence[Ways], here: Mapping[int, Fraction]
) -> tuple[dict[int, Fraction], Fraction]:
    """What leaves moments that lead to each other, by where it goes; and what never does."""
    out: dict[int, dict[int, Fraction]] = {}
    into: dict[int, set[int]] = {each: set() for each in part}
    for moment in part:
        out[moment] = {}
        for likely, to in ways[moment]:
            out[moment][to] = out[moment].get(to, Fraction(0)) + likely
            if to in into:
                into[to].add(moment)
    mass: dict[int, Fraction] = dict(here)
    lost = Fraction(0)
    for moment in part:
        leads = out.pop(moment)
        stays = leads.pop(moment, Fraction(0))
        came = mass.pop(moment, Fraction(0))
        into[moment].discard(moment)
        if stays == 1:
            lost += came
            leads = {}
        scale = Fraction(1) if stays == 1 else 1 / (1 - stays)
        for to, likely in leads.items():
            mass[to] = mass.get(to, Fraction(0)) + came * likely * scale
        for before in into[moment]:
            through = out[before].pop(moment) * scale
            if stays == 1:
                out[before][_NEVER] = out[before].get(_NEVER, Fraction(0)) + through
                continue
            for to, likely in leads.items():
                out[before][to] = out[before].get(to, Fraction(0)) + through * likely
                if to in into:
                    into[to].add(before)
        for to in leads:
            if to in into:
                into[to].discard(moment)
        del into[moment]
    lost += mass.pop(_NEVER, Fraction(0))
    return mass, lost


_NEVER = -1


def _parts(ways: Sequence[Ways], start: int) -> Iterator[list[int]]:
    """Moments that lead back to each other, together; those that lead nowhere else first (Tarjan 1972)."""
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_: dict[int, None] = {}
    path = [(start, iter(ways[start]))]
    number[start] = lowest[start] = 0
    open_[start] = None
    while path:
        moment, leads = path[-1]
        to = next((each for _, each in leads if each not in number or each in open_), None)
        if to is not None and to in number:
            lowest[moment] = min(lowest[moment], number[to])
            continue
        if to is not None:
            number[to] = lowest[to] = len(number)
            open_[to] = None
            path.append((to, iter(ways[to])))
            continue
        path.pop()
        if path:
            lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[moment])
        if lowest[moment] == number[moment]:
            part = []
            while not part or part[-1] != moment:
                part.append(open_.popitem()[0])
            yield part
