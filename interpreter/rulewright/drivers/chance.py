"""Seeded chance: the same seed gives the same dice on every machine and under every version of Python.

Every line that throws, draws or leaves a choice to chance has streams of its own: SplitMix64 (Steele, Lea, Flood: Fast
splittable pseudorandom number generators, 2014), begun at a place made from the seed and the name of the stream, and
read at the number of the occasion. So what falls at one line does not depend on what fell at others.
"""

import secrets
from collections.abc import Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import product
from struct import Struct
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine.values import Value
from rulewright.program.walk import shared_address

_WORD = 64
_MASK = (1 << _WORD) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
_SPARE = 7
_TOGETHER = 1 << 56
_MOST_TOGETHER = 32
_TABLED = 10_000
_SMALL = 1 << 32
_SURE = (1 << _WORD) - _SMALL
"""Of a limit that is small a word below this leaves all its numbers equally likely."""
_MOST_FIRST = 32
"""So many streams have their first words worked out together."""

Dice = Sequence[tuple[int, tuple[Value, ...], str]]
"""How many dice of which faces, and the name of a declared die."""


@dataclass(frozen=True, slots=True)
class Chance:
    """A source of chance without memory."""

    seed: int  # any whole number
    play: int | None = None  # of many plays of one seed the number of this one; each has streams of its own

    @property
    def root(self) -> int:
        """Where the streams of the seed, or of a play of it, begin."""
        if self.play is None:
            return root_of(self.seed)
        return _mixed((root_of(self.seed) + _GOLDEN * (self.play + 1)) & _MASK)

    def below(self, line: str, occasion: int, limit: int) -> int:
        """A whole number from 0 to below the limit, which may be large, all equally likely.

        Lines whose addresses differ by a number alone are one; `occasion` is how often the line asked before.
        """
        return _below(self._state(line, "", occasion), limit)

    def faces(self, line: str, occasion: int, dice: Dice, exploded: int | None = None) -> tuple[Value, ...]:
        """What dice show, in order, all faces of a die equally likely.

        The dice of one size share a stream, in which a roll of more dice begins like one of fewer. What explosions
        throw on the same occasion has a stream of its own, of which `exploded` dice were thrown before.
        """
        sides = {faces for _, faces, _ in dice}
        if len(sides) == 1 and exploded is None:
            (faces,) = sides
            size, count = len(faces), sum([count for count, _, _ in dice])
            if size**count <= _TABLED:
                number = _below(self._state(line, f"{size}/0", occasion), together(size)[1])
                return _table(count, faces)[number % size**count]
        thrown = {size: iter(self._thrown(line, occasion, size, dice, exploded)) for size in set(map(len, sides))}
        return tuple([faces[next(thrown[len(faces)])] for count, faces, _ in dice for _ in range(count)])

    def _thrown(self, line: str, occasion: int, size: int, dice: Dice, exploded: int | None) -> Sequence[int]:
        """Positions of faces for the dice of a size: digits of numbers that serve many dice together."""
        more, first = ("", 0) if exploded is None else ("more/", exploded)
        after = first + sum(count for count, faces, _ in dice if len(faces) == size)
        several, limit = together(size)
        found: list[int] = []
        for group in range(-(-after // several)):
            number = _below(self._state(line, f"{more}{size}/{group}", occasion), limit)
            for _ in range(several):
                number, digit = divmod(number, size)
                found.append(digit)
        return found[first:after]

    def _state(self, line: str, part: str, occasion: int) -> int:
        return (self.root + named(line, part) + _GOLDEN * occasion) & _MASK


class Streams:
    """What the lines of an executable throw, worked out once for all plays but for seed and occasion.

    Attributes:
        numbers: by number of a place the number of its line; the last is no line.
        lines: how many there are.
    """

    __slots__ = ("_first", "_names", "_places", "_rolls", "lines", "numbers")

    def __init__(self, names: Sequence[str]) -> None:
        """`names` says by number of a place what its line is called."""
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        self.numbers = [numbers[name] for name in names]
        self.lines = len(numbers)
        self._names = names
        self._first = _FirstWords()
        self._places: list[tuple[int, int] | None] = [None] * len(names)
        self._rolls: list[dict[int, tuple[Any, ...]]] = [{} for _ in names]

    def begun(self, root: int) -> Sequence[int]:
        """The first words of a seed for the streams that were drawn from until now, for `below` and `faces`."""
        return self._first.of(root)

    def below(self, root: int, begun: Sequence[int], site: int, occasion: int, limit: int) -> int:
        """As `Chance.below`, for the root of a seed and its first words."""
        known = self._places[site]
        if known is None:
            place = named(self._names[site], "")
            known = self._places[site] = place, self._first.number(place)
        place, first = known
        if occasion == 0 and first < len(begun):
            word = begun[first]
        else:
            word = _mixed((root + place + _GOLDEN * occasion) & _MASK)
        if word < _SURE and limit < _SMALL:
            return word % limit
        return _below((root + place + _GOLDEN * occasion) & _MASK, limit)

    def faces(  # noqa: PLR0913, PLR0917
        self, root: int, begun: Sequence[int], site: int, occasion: int, count: int, faces: tuple[Value, ...]
    ) -> tuple[Value, ...] | None:
        """As `Chance.faces`, of dice that are all alike; none where they have too many faces to be looked up."""
        known = self._rolls[site].get(count)
        if known is None or known[0] is not faces:
            if len(faces) > _TABLED:
                return None
            known = self._rolls[site][count] = self._thrown(site, max(0, count), faces)
        _, limit, even, groups, first, many, table = known
        if not occasion and first < len(begun) and (word := begun[first]) < even:
            return table[word % many]  # type: ignore[no-any-return]
        found: tuple[Value, ...] = ()
        for place, first, tables in groups:
            if occasion == 0 and first < len(begun):
                word = begun[first]
            else:
                word = _mixed((root + place + _GOLDEN * occasion) & _MASK)
            if word >= even:
                word = _below((root + place + _GOLDEN * occasion) & _MASK, limit)
            for many, table in tables:
                word, at = divmod(word, many)
                found += table[at]
        return found

    def _thrown(self, site: int, count: int, faces: tuple[Value, ...]) -> tuple[Any, ...]:
        """How a roll is looked up: by numbers below a limit; each gives some dice in turn, table by table.

        Where one table gives all dice, it stands at the end once more, with its word and size.
        """
        size = len(faces)
        several, limit = together(size)
        groups = []
        for group in range(-(-count // several)):
            left, tables = min(several, count - group * several), []
            while left:
                tables.append(_largest_table(left, faces))
                left -= len(tables[-1][1][0])
            place = named(self._names[site], f"{size}/{group}")
            groups.append((place, self._first.number(place), tuple(tables)))
        alone = [(first, *tables[0]) for _, first, tables in groups if len(tables) == 1]
        first, many, table = alone[0] if len(groups) == len(alone) == 1 else (_MOST_FIRST, 1, ())
        return faces, limit, _room(limit)[1], tuple(groups), first, many, table


class _FirstWords:
    """The first words of many streams of a seed, worked out in one number that has two words of room for each."""

    __slots__ = ("_each", "_laid", "_numbers", "_places", "_shifted", "_words")

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._each = self._places = self._words = 0
        self._shifted = 0, 0, 0
        self._laid = Struct("")

    def number(self, place: int) -> int:
        """Which word is that of a stream; where there are many, it is none of them."""
        if place not in self._numbers:
            at = len(self._numbers)
            self._numbers[place] = at
            if at < _MOST_FIRST:
                self._each |= 1 << 2 * _WORD * at
                self._places |= place << 2 * _WORD * at
                self._words = self._each * _MASK
                self._laid = Struct(f"<{'Q8x' * (at + 1)}")
                self._shifted = self._each * (_MASK >> 30), self._each * (_MASK >> 27), self._each * (_MASK >> 31)
        return self._numbers[place]

    def of(self, root: int) -> Sequence[int]:
        """The words by number, of the streams whose number was asked for until now."""
        words, (first, second, third) = self._words, self._shifted
        word = (self._each * root + self._places) & words
        word = ((word ^ (word >> 30 & first)) * _FIRST) & words
        word = ((word ^ (word >> 27 & second)) * _SECOND) & words
        word ^= word >> 31 & third
        return self._laid.unpack(word.to_bytes(self._laid.size, "little"))


def _below(state: int, limit: int) -> int:
    """A number below the largest multiple of the limit that some words have room for, less all its multiples."""
    words, even = _room(limit)
    number = _mixed(state)
    if words == 1 and number < even:
        return number % limit
    drawn = 0
    while True:
        number = 0
        for at in range(drawn, drawn + words):
            number = number << _WORD | _mixed(state ^ _mixed(at))
        if number < even:
            return number % limit
        drawn += words


@cache
def _room(limit: int) -> tuple[int, int]:
    """How many words a number below a limit is made of, and its largest multiple that they have room for."""
    words = -(-(limit.bit_length() + _SPARE) // _WORD)
    return words, (1 << _WORD * words) // limit * limit


@cache
def together(size: int) -> tuple[int, int]:
    """How many dice of a size are thrown with one number, and below what that lies."""
    count = 1
    while size ** (count + 1) <= _TOGETHER and count < _MOST_TOGETHER:
        count += 1
    return count, size**count


@cache
def _table(count: int, faces: tuple[Value, ...]) -> tuple[tuple[Value, ...], ...]:
    """What dice show by their number, the first die by its last digit."""
    return tuple([each[::-1] for each in product(faces, repeat=count)])


def _largest_table(most: int, faces: tuple[Value, ...]) -> tuple[int, tuple[tuple[Value, ...], ...]]:
    """How many numbers the largest table of up to so many dice has, and it."""
    count = next(each for each in range(most, 0, -1) if each == 1 or len(faces) ** each <= _TABLED)
    return len(faces) ** count, _table(count, faces)


@lru_cache
def root_of(seed: int) -> int:
    """Where the streams of a seed begin."""
    return _hashed(str(seed))


@cache
def named(line: str, part: str) -> int:
    """What a stream is away from where those of a seed begin, by the line that asks and what it asks for."""
    return _hashed(f"{part} {shared_address(line)}")


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_WORD // 8).digest(), "little")


def _mixed(word: int) -> int:
    """The output function of SplitMix64."""
    word = ((word ^ (word >> 30)) * _FIRST) & _MASK
    word = ((word ^ (word >> 27)) * _SECOND) & _MASK
    return word ^ (word >> 31)


def fresh_seed() -> int:
    """A seed nobody chose, short enough to be typed again."""
    return secrets.randbelow(1_000_000_000)
