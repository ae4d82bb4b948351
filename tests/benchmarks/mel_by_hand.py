"""The Melee Attack Action with its companion procedures as one would write it in Python, for comparison of speed.

It takes the same decisions and throws the same dice as the ruleset `mel` with `mel_dice`, in the same order; chance
and players are one function: `below(n)` gives a whole number from 0 to below n.
"""

from collections.abc import Callable
from dataclasses import dataclass

Below = Callable[[int], int]
Cell = tuple[int, int]
STEPS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
ADVANCE, HARASS, HOLD = range(3)
BEATS = {ADVANCE: HARASS, HARASS: HOLD, HOLD: ADVANCE}


@dataclass(slots=True)
class Player:
    """A player."""

    seals: int = 0


@dataclass(slots=True)
class Unit:
    """A unit."""

    owner: Player
    at: Cell
    facing: int
    health: int
    morale: int
    attack_dice: int = 2
    attack_guard: int = 1
    guard_strike: int = 1
    guard_dice: int = 2
    automatic_hits: int = 0
    automatic_blocks: int = 0
    extra_attack: int = 0
    extra_defence: int = 0
    pool_reroll: bool = False
    weak: bool = False
    gone: bool = False


class Attack:
    """One action: `units` are all on the board, the first two fight."""

    def __init__(self, units: list[Unit], cells: frozenset[Cell], blocked: frozenset[Cell], below: Below) -> None:
        self.units = units
        self.cells = cells
        self.blocked = blocked
        self.below = below
        self.attacker, self.defender = units[0], units[1]
        self.by_attacker = self.by_defender = 0

    def play(self) -> None:
        """The action from its start to its end."""
        if self.attacker.morale < 1:
            return
        self.prepare()
        self.resolve(*self.dice_test())

    def prepare(self) -> None:
        """What comes before the attack test."""
        attacker, defender = self.attacker, self.defender
        self.face(attacker, defender.at)
        attacker_forms, defender_forms = self.yes(), self.yes()
        if attacker_forms or defender_forms:
            self.formations()

    def resolve(self, by_attacker: int, by_defender: int) -> None:
        """What follows from the wounds that the attack test comes to."""
        attacker, defender = self.attacker, self.defender
        self.exchange(by_attacker, by_defender)
        for unit in (attacker, defender):
            unit.extra_attack = unit.extra_defence = 0
            if unit.health == 1:
                unit.weak = True
        winner = self.winner()
        if winner is None:
            return
        loser = defender if winner is attacker else attacker
        if not loser.gone:
            if loser.morale:
                loser.morale -= 1
            self.push(winner, loser)
        elif not winner.gone:
            self.consolidate(winner, loser)

    # Chance and decisions.

    def yes(self) -> bool:
        """A yes, which is listed first, or a no."""
        return not self.below(2)

    def roll(self, count: int) -> list[int]:
        """Faces of some dice, from one draw."""
        if not count:
            return []
        number = self.below(6**count)
        faces = []
        for _ in range(count):
            number, face = divmod(number, 6)
            faces.append(face + 1)
        return faces

    # Places.

    def face(self, unit: Unit, cell: Cell) -> None:
        """Turns a unit towards a neighbour."""
        unit.facing = STEPS.index((cell[0] - unit.at[0], cell[1] - unit.at[1]))

    def empty(self, cell: Cell) -> bool:
        """Whether a unit can enter a cell."""
        if cell not in self.cells or cell in self.blocked:
            return False
        return not any(unit.at == cell for unit in self.units if not unit.gone)

    # Steps.

    def formations(self) -> None:
        """Both declare, choose and compare."""
        attacker, defender, below = self.attacker, self.defender, self.below
        attacker_declares = bool(attacker.owner.seals and self.yes())
        if attacker_declares:
            attacker.owner.seals -= 1
        defender_declares = bool(defender.owner.seals and self.yes())
        if defender_declares:
            defender.owner.seals -= 1
        if defender_declares and not attacker_declares and attacker.owner.seals and self.yes():
            attacker.owner.seals -= 1
            attacker_declares = True
        first = below(3) if attacker_declares else None
        second = below(3) if defender_declares else None
        if first is not None and (second is None or BEATS[first] == second):
            self.effect(attacker, defender, first)
        elif second is not None and (first is None or BEATS[second] == first):
            self.effect(defender, attacker, second)

    def effect(self, unit: Unit, enemy: Unit, formation: int) -> None:
        """What a winning formation does."""
        if formation == ADVANCE:
            unit.extra_attack = min(9, unit.extra_attack + 1)
        elif formation == HOLD:
            unit.extra_defence = min(9, unit.extra_defence + 1)
        else:
            enemy.morale = max(0, enemy.morale - 1)

    def dice_test(self) -> tuple[int, int]:
        """Both roll; blocks cancel hits."""
        attacker, defender = self.attacker, self.defender
        strike = self.roll(self.number(attacker, attacker.attack_dice, attacker.extra_attack))
        cover = self.roll(self.number(attacker, attacker.attack_guard, attacker.extra_defence))
        riposte = self.roll(self.number(defender, defender.guard_strike, defender.extra_attack))
        guard = self.roll(self.number(defender, defender.guard_dice, defender.extra_defence))
        attacker.weak = defender.weak = False
        strike, cover = self.again(attacker, strike, cover)
        riposte, guard = self.again(defender, riposte, guard)
        strike_extra, cover_extra = self.extra(strike, 6), self.extra(cover, 1)
        riposte_extra, guard_extra = self.extra(riposte, 6), self.extra(guard, 1)
        attacker_hits = self.hits(strike, strike_extra, attacker.automatic_hits)
        attacker_blocks = self.hits(cover, cover_extra, attacker.automatic_blocks)
        defender_hits = self.hits(riposte, riposte_extra, defender.automatic_hits)
        defender_blocks = self.hits(guard, guard_extra, defender.automatic_blocks)
        return max(0, attacker_hits - defender_blocks), max(0, defender_hits - attacker_blocks)

    def number(self, unit: Unit, base: int, extra: int) -> int:
        """Dice of one colour."""
        return max(0, base + extra - unit.weak)

    def again(self, unit: Unit, attack: list[int], defence: list[int]) -> tuple[list[int], list[int]]:
        """A player's right to roll the whole pool again."""
        if unit.pool_reroll and self.yes():
            unit.pool_reroll = False
            return self.roll(len(attack)), self.roll(len(defence))
        return attack, defence

    def extra(self, faces: list[int], face: int) -> int:
        """The extra die of two alike."""
        if faces.count(face) < 2:
            return 0
        return int(self.roll(1)[0] >= 3)

    def hits(self, faces: list[int], critical: int, automatic: int) -> int:
        """Hits or blocks of one pool."""
        return min(20, sum(face >= 3 for face in faces) + critical + automatic)

    def exchange(self, by_attacker: int, by_defender: int) -> None:
        """Wounds both ways."""
        self.by_attacker, self.by_defender = (
            self.wound(self.defender, by_attacker),
            self.wound(self.attacker, by_defender),
        )
        for unit in (self.attacker, self.defender):
            if not unit.health:
                unit.gone = True

    def wound(self, unit: Unit, amount: int) -> int:
        """Wounds really suffered."""
        suffered = min(amount, unit.health)
        unit.health -= suffered
        return suffered

    def winner(self) -> Unit | None:
        """Who has won."""
        attacker, defender = self.attacker, self.defender
        if attacker.gone:
            return None if defender.gone else defender
        if defender.gone or self.by_attacker > self.by_defender:
            return attacker
        return defender

    def push(self, winner: Unit, loser: Unit) -> None:
        """The losing unit is pushed, stands, or cannot go anywhere."""
        if not self.yes():
            return
        if loser.morale and self.yes():
            loser.morale -= 1
            return
        arc = sorted(
            (loser.at[0] + STEPS[(loser.facing + turn) % 6][0], loser.at[1] + STEPS[(loser.facing + turn) % 6][1])
            for turn in (2, 3, 4)
        )
        free = [cell for cell in arc if self.empty(cell)]
        if free:
            vacated = loser.at
            loser.at = free[self.below(len(free))] if len(free) > 1 else free[0]
            self.face(loser, vacated)
            winner.at = vacated
            self.face(winner, loser.at)
        elif loser.morale:
            loser.morale -= 1
        else:
            self.wound(loser, 1)
            if not loser.health:
                loser.gone = True
                self.consolidate(winner, loser)

    def consolidate(self, winner: Unit, enemy: Unit) -> None:
        """The winner may follow, pivot or stay."""
        free = self.empty(enemy.at)
        choice = self.below(3) if free else self.below(2) + 1
        if choice == 0:
            winner.at = enemy.at
        if choice < 2:
            winner.facing = self.below(6)
