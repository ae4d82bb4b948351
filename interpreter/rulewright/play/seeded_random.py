"""Seeded random numbers: equal seeds give equal dice on every machine and under every version of Python.

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

from rulewright.base.frozen import dataclass
from rulewright.program.walk import strip_address_numbers
from rulewright.runtime.values import Value

_WORD_BITS = 64
_WORD_MASK = (1 << _WORD_BITS) - 1
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
MIX_MULTIPLIER_1 = 0xBF58476D1CE4E5B9
MIX_MULTIPLIER_2 = 0x94D049BB133111EB
_SPARE_BITS = 7
_MAX_JOINT_OUTCOMES = 1 << 56
_MAX_DICE_PER_WORD = 32
_MAX_TABLE_ROWS = 10_000
SMALL_LIMIT = 1 << 32
UNBIASED_BELOW = (1 << _WORD_BITS) - SMALL_LIMIT
"""For limits below `SMALL_LIMIT`, `word % limit` of a word below this is accepted at once."""
_MAX_BATCHED_STREAMS = 32
"""Streams per integer of `_FirstWordBatch`."""

DiceGroups = Sequence[tuple[int, tuple[Value, ...], str]]
"""Count and faces of dice, and the name of a declared die."""


@dataclass(frozen=True, slots=True)
class SeededRandom:
    """Stateless random numbers by seed, line and occasion."""

    seed: int
    play_number: int | None = None  # of many plays of one seed; each has streams of its own

    @property
    def root_state(self) -> int:
        """State from which all streams of the seed and play are offset."""
        if self.play_number is None:
            return hash_seed(self.seed)
        return _mix_splitmix64((hash_seed(self.seed) + GOLDEN_GAMMA * (self.play_number + 1)) & _WORD_MASK)

    def below(self, line: str, occasion: int, limit: int) -> int:
        """Uniform number from 0 to `limit` - 1.

        Lines whose addresses differ only by a number share a stream; `occasion` counts earlier requests of the line.
        """
        return _draw_unbiased(self._stream_state(line, "", occasion), limit)

    def roll_faces(self, line: str, occasion: int, dice: DiceGroups, exploded: int | None = None) -> tuple[Value, ...]:
        """Uniform faces of dice, in order.

        Dice of one size share a stream; a roll of more dice begins like one of fewer. Dice added by explosions have a
        stream of their own, of which `exploded` dice were rolled before.
        """
        sides = {faces for _, faces, _ in dice}
        if len(sides) == 1 and exploded is None:
            (faces,) = sides
            size, count = len(faces), sum([count for count, _, _ in dice])
            if size**count <= _MAX_TABLE_ROWS:
                number = _draw_unbiased(self._stream_state(line, f"{size}/0", occasion), joint_dice_capacity(size)[1])
                return _face_table(count, faces)[number % size**count]
        thrown = {
            size: iter(self._draw_face_positions(line, occasion, size, dice, exploded)) for size in set(map(len, sides))
        }
        return tuple([faces[next(thrown[len(faces)])] for count, faces, _ in dice for _ in range(count)])

    def _draw_face_positions(
        self, line: str, occasion: int, size: int, dice: DiceGroups, exploded: int | None
    ) -> Sequence[int]:
        more, first = ("", 0) if exploded is None else ("more/", exploded)
        after = first + sum(count for count, faces, _ in dice if len(faces) == size)
        several, limit = joint_dice_capacity(size)
        items: list[int] = []
        for group in range(-(-after // several)):
            number = _draw_unbiased(self._stream_state(line, f"{more}{size}/{group}", occasion), limit)
            for _ in range(several):
                number, digit = divmod(number, size)
                items.append(digit)
        return items[first:after]

    def _stream_state(self, line: str, part: str, occasion: int) -> int:
        return (self.root_state + stream_offset(line, part) + GOLDEN_GAMMA * occasion) & _WORD_MASK


class StreamTable:
    """Streams of all lines of an executable, precomputed but for seed and occasion.

    Attributes:
        line_numbers: line number by site; the last is no line.
        line_count: how many lines there are.
    """

    __slots__ = ("_first_words", "_line_names", "_roll_plans", "_stream_offsets", "line_count", "line_numbers")

    def __init__(self, names: Sequence[str]) -> None:
        """`names`: line address by site."""
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        self.line_numbers = [numbers[name] for name in names]
        self.line_count = len(numbers)
        self._line_names = names
        self._first_words = _FirstWordBatch()
        self._stream_offsets: list[tuple[int, int] | None] = [None] * len(names)
        self._roll_plans: list[dict[int, tuple[Any, ...]]] = [{} for _ in names]

    def draw_first_words(self, root: int) -> Sequence[int]:
        """First words of all streams used so far, for one root; argument of `below` and `roll_faces`."""
        return self._first_words.draw_words(root)

    def below(self, root: int, first_words: Sequence[int], site: int, occasion: int, limit: int) -> int:
        """`SeededRandom.below` for the root of a seed and its first words."""
        known = self._stream_offsets[site]
        if known is None:
            place = stream_offset(self._line_names[site], "")
            known = self._stream_offsets[site] = place, self._first_words.number_stream(place)
        place, first = known
        if occasion == 0 and first < len(first_words):
            word = first_words[first]
        else:
            word = _mix_splitmix64((root + place + GOLDEN_GAMMA * occasion) & _WORD_MASK)
        if word < UNBIASED_BELOW and limit < SMALL_LIMIT:
            return word % limit
        return _draw_unbiased((root + place + GOLDEN_GAMMA * occasion) & _WORD_MASK, limit)

    def roll_faces(  # noqa: PLR0913, PLR0917
        self, root: int, first_words: Sequence[int], site: int, occasion: int, count: int, faces: tuple[Value, ...]
    ) -> tuple[Value, ...] | None:
        """`SeededRandom.roll_faces` for dice that are all alike; None if they have too many faces for tables."""
        known = self._roll_plans[site].get(count)
        if known is None or known[0] is not faces:
            if len(faces) > _MAX_TABLE_ROWS:
                return None
            known = self._roll_plans[site][count] = self._plan_roll(site, max(0, count), faces)
        _, limit, even, groups, first, many, table = known
        if not occasion and first < len(first_words) and (word := first_words[first]) < even:
            return table[word % many]  # type: ignore[no-any-return]
        result: tuple[Value, ...] = ()
        for place, first, tables in groups:
            if occasion == 0 and first < len(first_words):
                word = first_words[first]
            else:
                word = _mix_splitmix64((root + place + GOLDEN_GAMMA * occasion) & _WORD_MASK)
            if word >= even:
                word = _draw_unbiased((root + place + GOLDEN_GAMMA * occasion) & _WORD_MASK, limit)
            for many, table in tables:
                word, at = divmod(word, many)
                result += table[at]
        return result

    def _plan_roll(self, site: int, count: int, faces: tuple[Value, ...]) -> tuple[Any, ...]:
        """Limit, and tables to look up in turn; a single table is repeated at the end with its word and size."""
        size = len(faces)
        several, limit = joint_dice_capacity(size)
        groups = []
        for group in range(-(-count // several)):
            remaining, tables = min(several, count - group * several), []
            while remaining:
                tables.append(_find_largest_table(remaining, faces))
                remaining -= len(tables[-1][1][0])
            place = stream_offset(self._line_names[site], f"{size}/{group}")
            groups.append((place, self._first_words.number_stream(place), tuple(tables)))
        alone = [(first, *tables[0]) for _, first, tables in groups if len(tables) == 1]
        first, many, table = alone[0] if len(groups) == len(alone) == 1 else (_MAX_BATCHED_STREAMS, 1, ())
        return faces, limit, _rejection_bounds(limit)[1], tuple(groups), first, many, table


class _FirstWordBatch:
    """First words of many streams in one integer, with two words of room for each."""

    __slots__ = ("_packed_mask", "_packed_offsets", "_packed_ones", "_shift_masks", "_stream_numbers", "_word_layout")

    def __init__(self) -> None:
        self._stream_numbers: dict[int, int] = {}
        self._packed_ones = self._packed_offsets = self._packed_mask = 0
        self._shift_masks = 0, 0, 0
        self._word_layout = Struct("")

    def number_stream(self, place: int) -> int:
        """Index of the word of a stream; beyond the end if there are too many streams."""
        if place not in self._stream_numbers:
            at = len(self._stream_numbers)
            self._stream_numbers[place] = at
            if at < _MAX_BATCHED_STREAMS:
                self._packed_ones |= 1 << 2 * _WORD_BITS * at
                self._packed_offsets |= place << 2 * _WORD_BITS * at
                self._packed_mask = self._packed_ones * _WORD_MASK
                self._word_layout = Struct(f"<{'Q8x' * (at + 1)}")
                self._shift_masks = (
                    self._packed_ones * (_WORD_MASK >> 30),
                    self._packed_ones * (_WORD_MASK >> 27),
                    self._packed_ones * (_WORD_MASK >> 31),
                )
        return self._stream_numbers[place]

    def draw_words(self, root: int) -> Sequence[int]:
        """Words by index, of all streams numbered so far."""
        words, (first, second, third) = self._packed_mask, self._shift_masks
        word = (self._packed_ones * root + self._packed_offsets) & words
        word = ((word ^ (word >> 30 & first)) * MIX_MULTIPLIER_1) & words
        word = ((word ^ (word >> 27 & second)) * MIX_MULTIPLIER_2) & words
        word ^= word >> 31 & third
        return self._word_layout.unpack(word.to_bytes(self._word_layout.size, "little"))


def _draw_unbiased(state: int, limit: int) -> int:
    """Rejection sampling below the largest multiple of `limit` that fits into the words."""
    words, even = _rejection_bounds(limit)
    number = _mix_splitmix64(state)
    if words == 1 and number < even:
        return number % limit
    drawn = 0
    while True:
        number = 0
        for at in range(drawn, drawn + words):
            number = number << _WORD_BITS | _mix_splitmix64(state ^ _mix_splitmix64(at))
        if number < even:
            return number % limit
        drawn += words


@cache
def _rejection_bounds(limit: int) -> tuple[int, int]:
    """Words per number, and the largest multiple of `limit` that they can hold."""
    words = -(-(limit.bit_length() + _SPARE_BITS) // _WORD_BITS)
    return words, (1 << _WORD_BITS * words) // limit * limit


@cache
def joint_dice_capacity(size: int) -> tuple[int, int]:
    """How many dice of a size one number rolls, and the exclusive limit of that number."""
    count = 1
    while size ** (count + 1) <= _MAX_JOINT_OUTCOMES and count < _MAX_DICE_PER_WORD:
        count += 1
    return count, size**count


@cache
def _face_table(count: int, faces: tuple[Value, ...]) -> tuple[tuple[Value, ...], ...]:
    """Faces by joint number; the first die is its last digit."""
    return tuple([item[::-1] for item in product(faces, repeat=count)])


def _find_largest_table(most: int, faces: tuple[Value, ...]) -> tuple[int, tuple[tuple[Value, ...], ...]]:
    """Size and rows of the largest table of at most `most` dice."""
    count = next(item for item in range(most, 0, -1) if item == 1 or len(faces) ** item <= _MAX_TABLE_ROWS)
    return len(faces) ** count, _face_table(count, faces)


@lru_cache
def hash_seed(seed: int) -> int:
    """State from which the streams of a seed are offset."""
    return _hash_to_word(str(seed))


@cache
def stream_offset(line: str, part: str) -> int:
    """Offset of a stream from the root state, by line address and part."""
    return _hash_to_word(f"{part} {strip_address_numbers(line)}")


def _hash_to_word(text: str) -> int:
    return int.from_bytes(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_WORD_BITS // 8).digest(), "little"
    )


def _mix_splitmix64(word: int) -> int:
    word = ((word ^ (word >> 30)) * MIX_MULTIPLIER_1) & _WORD_MASK
    word = ((word ^ (word >> 27)) * MIX_MULTIPLIER_2) & _WORD_MASK
    return word ^ (word >> 31)


def make_fresh_seed() -> int:
    """Unpredictable seed of at most nine digits."""
    return secrets.randbelow(1_000_000_000)
