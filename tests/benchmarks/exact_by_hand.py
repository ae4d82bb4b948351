"""Exact odds as one would work them out in Python, each by a loop of its own, for comparison of speed.

Every function gives how likely each value is, as fractions. Players take the first of their legal answers. What the
rules say of each play is `mel_by_hand` for MEL, functions of this file for the others.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

from benchmarks.mel_by_hand import Attack, Cell, Player, Unit

Odds = Mapping[int, Fraction]
Score = tuple[int, int]
RADIUS = 3
CELLS = frozenset((q, r) for q, r in product(range(-RADIUS, RADIUS + 1), repeat=2) if abs(q + r) <= RADIUS)
BLOCKED: frozenset[Cell] = frozenset({(2, 0)})


def hitting(dice: int, likely: Fraction) -> dict[int, Fraction]:
    """How many of some dice hit."""
    miss = 1 - likely
    return {hits: comb(dice, hits) * likely**hits * miss ** (dice - hits) for hits in range(dice + 1)}


# MEL: the attack test first, then the rest of the action for each of its scores.


def mel_one_pool() -> tuple[Odds, Odds]:
    """The health of the defender and the morale of the attacker, of an attack test with one pool a side."""
    return _mel([Unit(Player(), (0, 0), 2, 3, 2), Unit(Player(), (1, 0), 3, 3, 1)], _one_pool, formations=False)


def mel_dice() -> tuple[Odds, Odds]:
    """The same with formations and all dice."""
    hammer = Unit(Player(1), (0, 0), 2, 3, 2, 3, 2, 2, 3, pool_reroll=True)
    return _mel([hammer, Unit(Player(1), (1, 0), 3, 3, 1, 3, 2, 2, 3)], _all_dice, formations=True)


def _mel(
    units: list[Unit], scores: Callable[[Unit, Unit], Mapping[Score, Fraction]], *, formations: bool
) -> tuple[Odds, Odds]:
    start = Attack(_copied(units), CELLS, BLOCKED, lambda _: 0)
    if formations:
        start.prepare()
    else:
        start.face(start.attacker, start.defender.at)
    health: dict[int, Fraction] = defaultdict(Fraction)
    morale: dict[int, Fraction] = defaultdict(Fraction)
    for score, likely in scores(start.attacker, start.defender).items():
        again = Attack(_copied(start.units), CELLS, BLOCKED, lambda _: 0)
        again.resolve(*score)
        health[again.defender.health] += likely
        morale[again.attacker.morale] += likely
    return health, morale


def _copied(units: Iterable[Unit]) -> list[Unit]:
    return [replace(unit, owner=replace(unit.owner)) for unit in units]


def _one_pool(_attacker: Unit, _defender: Unit) -> Mapping[Score, Fraction]:
    half = Fraction(1, 2)
    pools = hitting(4, half).items(), hitting(3, half).items()
    return {(struck, guarded): one * two for (struck, one), (guarded, two) in product(*pools)}


def _all_dice(attacker: Unit, defender: Unit) -> Mapping[Score, Fraction]:
    """Re-rolls are taken as often as there is a right to them, so the last throw counts."""
    strike = _with_extra(attacker.attack_dice + attacker.extra_attack - attacker.weak, 6)
    cover = _with_extra(attacker.attack_guard + attacker.extra_defence - attacker.weak, 1)
    riposte = _with_extra(defender.guard_strike + defender.extra_attack - defender.weak, 6)
    guard = _with_extra(defender.guard_dice + defender.extra_defence - defender.weak, 1)
    return {
        (by_attacker, by_defender): one * two
        for (by_attacker, one), (by_defender, two) in product(
            _beyond(strike, guard).items(), _beyond(riposte, cover).items()
        )
    }


def _with_extra(dice: int, wanted: int) -> Odds:
    """Hits of a pool, with an extra die where two dice show the wanted face; 3 and more hit."""
    found: dict[int, Fraction] = defaultdict(Fraction)
    for shown, likely in hitting(dice, Fraction(1, 6)).items():
        plain = Fraction(3, 5) if wanted >= 3 else Fraction(4, 5)
        for others, share in hitting(dice - shown, plain).items():
            hits = others + (shown if wanted >= 3 else 0)
            extra = Fraction(2, 3) if shown >= 2 else Fraction(0)
            found[hits] += likely * share * (1 - extra)
            found[hits + 1] += likely * share * extra
    return found


def _beyond(hits: Odds, blocks: Odds) -> Odds:
    """Hits that are not blocked."""
    found: dict[int, Fraction] = defaultdict(Fraction)
    for (hit, one), (block, two) in product(hits.items(), blocks.items()):
        found[max(0, hit - block)] += one * two
    return found


# Tricorne: a highland unit attacks a regular one, both infantry of four blocks in the open.


def tricorne() -> tuple[Odds, Odds]:
    """The blocks of the attacker and the banners it wins, with retreats, rally checks, bonus melee and battle back."""
    blocks: dict[int, Fraction] = defaultdict(Fraction)
    banners: dict[int, Fraction] = defaultdict(Fraction)

    def attack(dice: int, target: int, likely: Fraction, *, again: bool) -> None:
        for (left, hexes, gone), share in struck(dice, target).items():
            here = likely * share
            if not gone and again and hexes == 1:
                attack(3, left, here, again=False)
                continue
            banners[int(gone)] += here
            if gone or hexes:
                blocks[4] += here
                continue
            for (own, _, _), back in struck(2 + (left == 4), 4).items():
                blocks[own] += here * back

    attack(4, 4, Fraction(1), again=True)
    return blocks, banners


@cache
def struck(dice: int, blocks: int) -> Mapping[tuple[int, int, bool], Fraction]:
    """Blocks left, hexes of retreat, and whether the unit is gone; two of six faces hit, two are flags."""
    found: dict[tuple[int, int, bool], Fraction] = defaultdict(Fraction)
    for hits, likely in hitting(dice, Fraction(1, 3)).items():
        left = max(0, blocks - hits)
        for flags, share in hitting(dice - hits, Fraction(1, 2)).items():
            if not left or not flags:
                found[left, 0, not left] += likely * share
                continue
            routs = Fraction(2, 3) ** left
            found[left, flags, True] += likely * share * routs
            found[left, flags, False] += likely * share * (1 - routs)
    return found


# The course of a melee.

COURSE = {
    "a_health": 4, "a_nerve": 2, "a_dice": 5, "a_spot": 0,
    "b_health": 6, "b_nerve": 2, "b_dice": 4, "b_spot": 1,
    "charges": True, "rallies": True, "barbed": True, "pushes": True, "stands": False, "follows": True, "exits": 1,
    "ahead": 0, "dealt": 0, "taken": 0, "actions": 0,
}  # fmt: skip
"""The start of `odds/course.yaml`, as `course.py` has it."""


def course(dice: Callable[[int, Fraction], Mapping[int, Fraction]] = hitting) -> Odds:
    """Who is ahead at the end; `dice` says how many of some dice hit."""
    ahead: dict[int, Fraction] = defaultdict(Fraction)
    half = Fraction(1, 2)
    for (impact, one), (dealt, two), (taken, three) in product(
        dice(1, Fraction(1, 3)).items(), dice(6, half).items(), dice(4, half).items()
    ):
        theirs = max(0, 6 - impact - dealt)
        own = max(0, 4 - taken)
        barbs = int(dealt >= 3)
        own = max(0, own - barbs)
        ahead[_ahead(own, theirs, dealt > taken + barbs)] += one * two * three
    return ahead


def _ahead(own: int, theirs: int, more: bool) -> int:
    if not own and not theirs:
        return 0
    return 1 if not theirs or (own and more) else 2


# The duel.

ROUNDS = 20


def duel(models: int = 20) -> tuple[Fraction, Fraction]:
    """How likely the first side wins, and how likely both still stand after all rounds, from as many models a side."""
    half = Fraction(1, 2)
    thrown = [hitting(dice, half) for dice in range(models + 1)]
    wins = Fraction(0)
    standing: dict[Score, Fraction] = {(models, models): Fraction(1)}
    for _ in range(ROUNDS):
        answered: dict[Score, Fraction] = defaultdict(Fraction)
        for (own, theirs), likely in standing.items():
            for hits, share in thrown[own].items():
                if hits >= theirs:
                    wins += likely * share
                else:
                    answered[own, theirs - hits] += likely * share
        standing = defaultdict(Fraction)
        for (own, theirs), likely in answered.items():
            for hits, share in thrown[theirs].items():
                if hits < own:
                    standing[own - hits, theirs] += likely * share
    return wins, sum(standing.values(), Fraction(0))
