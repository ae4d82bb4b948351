"""Best play: what every moment is worth where players take the answers that are best for them, exactly."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rulewright.frozen import dataclass
from rulewright.odds.chain import Ways, parts
from rulewright.odds.exploration import Explored

_Row = tuple[Fraction, dict[int, Fraction]]
"""What a moment is worth: a number, and so much of what others are worth."""


@dataclass(frozen=True, slots=True)
class Solved:
    """What best play comes to."""

    worth: Mapping[int, Fraction]  # of every moment, by its number
    taken: Mapping[int, int]  # by the number of a choice the place of the answer that is taken: of equal ones the first

    def ways(self, found: Explored) -> tuple[Ways, ...]:
        """Where each moment leads under this play."""
        ways = list(found.ways)
        for number, place in self.taken.items():
            ways[number] = ((Fraction(1), found.choices[number].leads[place]),)
        return tuple(ways)


def may_go_on_for_ever(found: Explored) -> frozenset[int]:
    """Moments among which players can stay: some of their answers, and all that chance does there, lead back to them.

    Where there are none, every play ends, however it is played.
    """
    leads = [tuple(to for _, to in each) for each in found.ways]
    before: dict[int, list[int]] = {}
    left: dict[int, int] = {}
    for number, each in enumerate(leads):
        onward = set(found.choices[number].leads if number in found.choices else each)
        left[number] = len(onward) if number in found.choices else 1
        for to in onward:
            before.setdefault(to, []).append(number)
    ending = [number for number, each in enumerate(leads) if not each and number not in found.choices]
    staying = set(range(len(leads))).difference(ending)
    while ending:
        for number in before.get(ending.pop(), ()):
            left[number] -= 1
            if number in staying and left[number] <= 0:
                staying.discard(number)
                ending.append(number)
    return frozenset(staying)


def solved(
    found: Explored, ends: Mapping[int, Fraction], sides: Mapping[int, int], never: Fraction | None = None
) -> Solved:
    """What best play comes to where every play ends, or where one that never ends is worth less than any end.

    Args:
        found: the moments; without `never`, `may_go_on_for_ever` finds none among them.
        ends: what each moment that leads nowhere is worth.
        sides: of each player who chooses 1 where they want the most of it, -1 where the least.
        never: what a play is worth that never ends, where all who choose want the most: less than every end.
    """
    return _Solver(found, ends, sides, never).solved()


class _Solver:
    """From the ends back; moments that lead back to each other together (policy iteration; Hoffman and Karp 1966)."""

    def __init__(
        self, found: Explored, ends: Mapping[int, Fraction], sides: Mapping[int, int], never: Fraction | None
    ) -> None:
        self._found = found
        self._never = never
        self._sides = sides
        self._worth = dict(ends)
        self._taken: dict[int, int] = {}

    def solved(self) -> Solved:
        ways, choices = self._found.ways, self._found.choices
        leads = [
            [(Fraction(1), to) for to in choices[number].leads] if number in choices else each
            for number, each in enumerate(ways)
        ]
        for part in parts(leads, 0):
            if len(part) > 1 or any(to == part[0] for _, to in leads[part[0]]):
                self._loop(part)
            elif leads[part[0]]:
                self._alone(part[0])
        return Solved(self._worth, self._taken)

    def _alone(self, number: int) -> None:
        if number in self._found.choices:
            self._taken[number] = self._best(number)
            self._worth[number] = self._of(number, self._taken[number])
        else:
            self._worth[number] = sum((each * self._worth[to] for each, to in self._found.ways[number]), Fraction(0))

    def _loop(self, part: Sequence[int]) -> None:
        """Both sides answer each other until neither can do better; each step is exact, so this ends."""
        chosen = [number for number in part if number in self._found.choices]
        self._taken.update(dict.fromkeys(chosen, 0))
        while True:
            self._worth.update(self._evaluated(part))
            if not (self._improved(chosen, -1) or self._improved(chosen, 1)):
                break
        taken = {number: self._taken[number] for number in chosen}
        self._taken.update({number: self._best(number) for number in chosen})
        if self._never is not None and self._evaluated(part) != {number: self._worth[number] for number in part}:
            self._taken.update(taken)

    def _improved(self, chosen: Sequence[int], side: int) -> bool:
        """Whether a side found better answers, which it then takes."""
        better = {
            number: best
            for number in chosen
            if self._side(number) == side and self._of(number, best := self._best(number)) != self._worth[number]
        }
        self._taken.update(better)
        return bool(better)

    def _evaluated(self, part: Sequence[int]) -> dict[int, Fraction]:
        """What moments that lead back to each other are worth under the answers that are taken now."""
        rows = {number: self._row(number, set(part)) for number in part}
        for number in part:
            fixed, onward = rows[number]
            stays = 1 - onward.pop(number, Fraction(0))
            if stays or self._never is None:
                fixed, onward = fixed / stays, {to: each / stays for to, each in onward.items()}
            else:
                fixed, onward = self._never, {}
            rows[number] = fixed, onward
            for other, (base, terms) in rows.items():
                weight = terms.pop(number, None) if other != number else None
                if weight is not None:
                    for to, each in onward.items():
                        terms[to] = terms.get(to, Fraction(0)) + weight * each
                    rows[other] = base + weight * fixed, terms
        return {number: fixed for number, (fixed, _) in rows.items()}

    def _row(self, number: int, part: set[int]) -> _Row:
        choice = self._found.choices.get(number)
        ways = self._found.ways[number] if choice is None else ((Fraction(1), choice.leads[self._taken[number]]),)
        fixed = sum((each * self._worth[to] for each, to in ways if to not in part), Fraction(0))
        return fixed, {to: each for each, to in ways if to in part}

    def _best(self, number: int) -> int:
        """The place of the best answer."""
        leads, side = self._found.choices[number].leads, self._side(number)
        return max(range(len(leads)), key=lambda place: side * self._worth[leads[place]])

    def _of(self, number: int, place: int) -> Fraction:
        """What an answer is worth."""
        return self._worth[self._found.choices[number].leads[place]]

    def _side(self, number: int) -> int:
        return self._sides[self._found.choices[number].player]
