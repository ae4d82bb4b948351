"""Seeded chance: the same seed gives the same dice on every machine and under every version of Python."""

import secrets

from rulewright.frozen import dataclass

_WORD = 64
_MASK = (1 << _WORD) - 1
_GOLDEN = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Chance:
    """A source of chance.

    Every draw has a stream of words of its own, made from the seed and the number of the draw (SplitMix64), so a
    save needs these two numbers only.

    Attributes:
        seed: where the numbers come from, any number from 0 to below 2 to the power 64.
        position: how often the source was asked.
    """

    seed: int
    position: int = 0

    def below(self, limit: int) -> tuple[int, "Chance"]:
        """A whole number from 0 to below the limit, all equally likely, and the source after it."""
        bits = (limit - 1).bit_length()
        words = (bits + _WORD - 1) // _WORD
        state = _mixed(_mixed(self.seed) + self.position)
        while True:
            number = 0
            for _ in range(words):
                state = (state + _GOLDEN) & _MASK
                number = number << _WORD | _mixed(state)
            number &= (1 << bits) - 1
            if number < limit:
                return number, Chance(self.seed, self.position + 1)


def _mixed(word: int) -> int:
    word &= _MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return word ^ (word >> 31)


def fresh_seed() -> int:
    """A seed nobody chose, short enough to be typed again."""
    return secrets.randbelow(1_000_000_000)
